"""Results as tables: sheets of words for the terminal, Markdown, LaTeX and HTML; rows of numbers for CSV and frames."""

from __future__ import annotations

import csv
import html
import io
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tellapart.analysis.assurance import Assurance
from tellapart.analysis.budget import BudgetPlan
from tellapart.analysis.comparison import Comparison
from tellapart.analysis.design import reach
from tellapart.analysis.maps import DifferenceMap
from tellapart.analysis.needed import chance
from tellapart.analysis.planning import Plan
from tellapart.analysis.threshold import Thresholds
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from rich.table import Table

    from tellapart.analysis.estimation import Estimate, Share
    from tellapart.analysis.needed import Needed
    from tellapart.paper import Reproduction

NOTHING = "–"
_LONG = 20  # letters of a name in a matrix
_MANY = 8  # with more systems a matrix has shorter numbers


@dataclass(frozen=True)
class Sheet:
    """A table of words; the columns in `left` are aligned to the left, the others to the right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: frozenset[int] = frozenset({0})


def rich_table(sheet: Sheet) -> Table:
    """Draw a sheet for the terminal."""
    from rich import box  # noqa: PLC0415 - not needed for the other forms
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415 - no letter of it is markup

    style = {"title_justify": "left", "title_style": "bold", "header_style": "bold"}
    room = min(len(sheet.title), 76)
    table = Table(title=Text(sheet.title), min_width=room, box=box.SIMPLE_HEAD, pad_edge=False, **style)  # type: ignore[arg-type]
    for i, column in enumerate(sheet.columns):
        left = i in sheet.left
        table.add_column(Text(column), justify="left" if left else "right", overflow="fold", no_wrap=not left)
    for row in sheet.rows:
        table.add_row(*map(Text, row))
    return table


def markdown(sheet: Sheet) -> str:
    """Write a sheet as a Markdown table."""
    rules = [":---" if i in sheet.left else "---:" for i in range(len(sheet.columns))]
    rows = [sheet.columns, tuple(rules), *sheet.rows]
    lines = ["| " + " | ".join(map(markdown_text, row)) + " |" for row in rows]
    return f"**{markdown_text(sheet.title)}**\n\n" + "\n".join(lines) + "\n"


_MARKDOWN = str.maketrans({"<": "&lt;", ">": "&gt;", "&": "&amp;"} | {mark: f"\\{mark}" for mark in "\\|`[]"})


def markdown_text(text: str) -> str:
    """Write text so that Markdown shows it as it is: no cell, link or HTML begins in it."""
    return text.translate(_MARKDOWN)


_LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$", "–": "--", "✓": r"$\checkmark$",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "[": "{[}", "*": "{*}",  # \\[ and \\* are commands
})  # fmt: skip


def latex(sheet: Sheet) -> str:
    """Write a sheet as a LaTeX table with rules of the booktabs package."""
    alignment = "".join("l" if i in sheet.left else "r" for i in range(len(sheet.columns)))
    header, *rows = (" & ".join(map(_latex, row)) + r" \\" for row in (sheet.columns, *sheet.rows))
    lines = [r"\begin{table}", r"\centering", rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", header, r"\midrule"]
    lines += [*rows, r"\bottomrule", r"\end{tabular}", rf"\caption{{{_latex(sheet.title)}}}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def _latex(text: str) -> str:
    return text.translate(_LATEX)


def html_table(sheet: Sheet) -> str:
    """Write a sheet as an HTML table."""

    def row(cells: Sequence[str], tag: str) -> str:
        marks = ["" if i in sheet.left else ' class="number"' for i in range(len(cells))]
        return (
            "<tr>" + "".join(f"<{tag}{m}>{html.escape(c)}</{tag}>" for c, m in zip(cells, marks, strict=True)) + "</tr>"
        )

    body = "\n".join(row(cells, "td") for cells in sheet.rows)
    caption = f"<caption>{html.escape(sheet.title)}</caption>"
    return f"<table>{caption}<thead>{row(sheet.columns, 'th')}</thead><tbody>\n{body}\n</tbody></table>"


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Write flat rows as CSV."""
    file = io.StringIO()
    writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _safe(value) for name, value in row.items()} for row in rows)
    return file.getvalue()


_FORMULA = re.compile(r"[=+@\t\r]|-(?!(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$)", re.ASCII)


def _safe(value: Any) -> Any:  # noqa: ANN401 - a cell
    """Put a mark before text that a spreadsheet would compute; the page does so too."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def flat(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers and words of a result as one row: nested numbers get joined names, lists are left out."""
    row: dict[str, Any] = {}
    for key, value in result.items():
        if isinstance(value, Mapping):
            row |= {f"{key}_{inner}": v for inner, v in flat(value).items()}
        elif not isinstance(value, list | tuple):
            row[key] = value
    return row


# results


def rows(result: Any, what: str | None = None) -> list[dict[str, Any]]:  # noqa: ANN401 - any result
    """Return the numbers of a result, one row a pair, a system or the whole."""
    if isinstance(result, Comparison):
        if what not in {None, "pairs", "systems"}:
            raise InvalidInput.rule("what", "be pairs or systems", what)
        if what == "systems" or (what is None and not result.pairs):
            places = {s.system: s.to_dict() for s in result.standings}
            return [flat({**places[name], **result.estimates[name].to_dict()}) for name in result.ranking]
        return [flat(pair.to_dict()) for pair in result.pairs]
    if isinstance(result, DifferenceMap):
        shape = result.differences.shape
        return [
            {
                result.rows.name: result.rows.values[i],
                result.columns.name: result.columns.values[j],
                "difference": reach(float(result.differences[i, j])),
                "exact": bool(result.exact[i, j]),
            }
            for i in range(shape[0])
            for j in range(shape[1])
        ]
    if isinstance(result, Thresholds):
        return [flat(threshold.to_dict()) for threshold in result.systems.values()]
    return [flat(result.to_dict())]


def frame(result: Any, what: str | None = None) -> Any:  # noqa: ANN401 - any result, a Polars frame
    """Return the rows as a Polars frame."""
    import polars as pl  # noqa: PLC0415 - slow to import

    return pl.DataFrame(rows(result, what), infer_schema_length=None)


def notebook(result: Any) -> str:  # noqa: ANN401 - any result
    """Return a result as HTML for a notebook: what it means, the cautions, the tables, the signature."""
    if isinstance(result, Comparison):
        sheets = [systems(result), *([matrix(result)] if result.pairs else [])]
    elif isinstance(result, Plan | BudgetPlan):
        sheets = [plan(result)]
    elif isinstance(result, DifferenceMap):
        sheets = [differences(result)]
    else:
        sheets = [thresholds(result) if isinstance(result, Thresholds) else estimates({"system": result}, "Rate")]
    warnings = [f"<p><b>Caution:</b> {html.escape(str(w))}</p>" for w in getattr(result, "warnings", ())]
    said = f"<p>{html.escape(str(result))}</p>"
    return "\n".join(
        [said, *warnings, *map(html_table, sheets), f"<p><small>{html.escape(result.signature)}</small></p>"]
    )


# sheets


def estimates(results: Mapping[str, Estimate], title: str) -> Sheet:
    """Show systems with their rates, human-only rates beside them."""
    level = next(iter(results.values())).confidence_level
    columns = ("system", "rate", f"{100 * level:g} % interval", "sd", "mode", "human only", "interval")
    rows = []
    for name, e in results.items():
        cells = (f"{e.mean:.3f}", _interval(e), f"{e.sd:.4f}", f"{e.mode:.3f}")
        rows.append((name, *cells, *_alone(e)))
    return Sheet(title, columns, tuple(rows))


def _alone(e: Estimate) -> tuple[str, str]:
    alone = e.human_only
    human = alone.evidence.human
    return (f"{alone.mean:.3f}", _interval(alone)) if human.total else (NOTHING, NOTHING)


def _interval(e: Estimate | Share) -> str:
    return f"{e.interval.low:.3f} – {e.interval.high:.3f}"


def systems(result: Comparison) -> Sheet:
    """Show the ranking: rates, ranks, the human-only rates beside them and what the metric added."""
    level = f"{100 * result.confidence_level:g} %"
    columns = ("system", "rate", f"{level} interval", "P(best)", "ranks", "human only", "interval", "saved")
    rows = []
    for standing in result.standings:
        e = result.estimates[standing.system]
        low, high = standing.best_rank, standing.worst_rank
        place = (chance(standing.probability_best), str(low) if low == high else f"{low} – {high}")
        saved = NOTHING if e.human_ratings_saved is None else f"{max(e.human_ratings_saved, 0):.0f}"
        rows.append((standing.system, f"{e.mean:.3f}", _interval(e), *place, *_alone(e), saved))
    return Sheet(
        "Rates of adequate outputs, best first; saved: human ratings the metric stands for", columns, tuple(rows)
    )


def quality(result: Comparison) -> Sheet | None:
    """Show how the metric errs for each system, where that is known."""
    level = f"{100 * result.confidence_level:g} %"
    columns = ("system", "tpr", f"{level} interval", "tnr", f"{level} interval", "worth", "calibration", "alone")
    rows = []
    for name in result.ranking:
        e = result.estimates[name]
        if not e.evidence.levels:
            continue
        q = e.quality
        shown = (
            (f"{q.tpr.mean:.3f}", _interval(q.tpr), f"{q.tnr.mean:.3f}", _interval(q.tnr), f"{q.worth:.0%}")
            if q
            else (NOTHING,) * 5
        )
        calibrated = NOTHING if e.evidence.rates else str(e.evidence.n_calibration)
        rows.append((name, *shown, calibrated, f"{e.evidence.n_metric:,}"))
    if not rows:
        return None
    return Sheet(
        "The metric: how it errs, its worth, outputs with both ratings and with its alone", columns, tuple(rows)
    )


def pairs(result: Comparison) -> Sheet:
    """Show every pair with its verdict, and where there are several, what it would be for the pair by itself."""
    several = len(result.pairs) > 1 and result.correction != "none"
    columns = ["pair", f"difference, {100 * result.confidence_level:g} % interval", "P(first)", "better"]
    rows = []
    for pair in result.pairs:
        better = pair.better or ("only by itself" if pair.distinguishable_alone else "cannot tell")
        gap = f"{pair.difference:+.3f}  {pair.interval.low:+.3f} – {pair.interval.high:+.3f}"
        rows.append((f"{pair.first} − {pair.second}", gap, chance(pair.probability), better))
    rates = "each system with its own metric error rates"
    if result.rates == "pooled":
        rates = "the metric calibrated on all systems together"
    if result.rates == "shared":
        rates = "as if the metric erred alike for every system"
    held = "; verdicts hold for all pairs together" if several else ""
    return Sheet(f"Differences, first − second; {rates}{held}", tuple(columns), tuple(rows), frozenset({0, 3}))


def groups(result: Comparison) -> str:
    """Write the groups within which no two systems can be told apart: {a, b} > {c}, or with a comma if they overlap."""
    apart = {frozenset((pair.first, pair.second)) for pair in result.pairs if pair.distinguishable}
    said = ""
    for i, group in enumerate(result.groups):
        if i:
            above = {name for earlier in result.groups[:i] for name in earlier}
            clean = all(frozenset((a, b)) in apart for a in above for b in group)
            said += " > " if clean else ", "
        said += "{" + ", ".join(group) + "}"
    return said


def nearest(needs: Sequence[Needed]) -> list[Needed]:
    """Return what pairs would need, the cheapest first."""
    return sorted(needs, key=lambda need: (need.human and need.human.likely) or math.inf)


def matrix(result: Comparison) -> Sheet:
    """Show P(row better than column), marked where the two can be told apart."""
    found, short = {}, len(result.ranking) > _MANY
    for pair in result.pairs:
        mark = "*" if pair.distinguishable else " "
        found[pair.first, pair.second] = f"{_percent(pair.probability, short)}{mark}"
        found[pair.second, pair.first] = f"{_percent(1 - pair.probability, short)}{mark}"
    rows = [
        (
            f"{i + 1} {name if len(name) <= _LONG else name[: _LONG - 1] + '…'}",
            *(found.get((name, other), "") for other in result.ranking),
        )
        for i, name in enumerate(result.ranking)
    ]
    bound = 50 + 50 * result.confidence_level
    rule = f"above {bound:g} or below {100 - bound:g}" if result.correction == "none" else "all pairs together, Holm"
    title = f"P(row is better than column) in %; * told apart ({rule})"
    return Sheet(title, ("system", *(str(i + 1) for i in range(len(rows)))), tuple(rows))


def _percent(probability: float, short: bool) -> str:  # noqa: FBT001 - of a small helper
    """Write a probability in per cent, and never as if it were certain."""
    least = 0.005 if short else 0.0005
    if probability < least or probability > 1 - least:
        return ("<1" if short else "<.1") if probability < least else ">99"
    return f"{100 * probability:.0f}" if short else f"{100 * probability:.1f}"


def thresholds(result: Thresholds) -> Sheet:
    """Show the cuts of a score."""
    columns = ("system", "cut", "tpr", "tnr", "worth", "naive worth", "AUC", "adequate", "inadequate")
    rows = []
    for t in result.systems.values():
        if not t.scores.decidable:
            rows.append(
                (t.system, f"{t.tau:.4g}", *(NOTHING,) * 5, str(t.scores.n_adequate), str(t.scores.n_inadequate))
            )
            continue
        judged = (f"{t.tpr:.3f}", f"{t.tnr:.3f}", f"{t.worth:.1%}", f"{t.naive_worth:.1%}", f"{t.auc:.3f}")
        rows.append((t.system, f"{t.tau:.4g}", *judged, str(t.scores.n_adequate), str(t.scores.n_inadequate)))
    return Sheet(f"Cuts of {result.score}: {result.cut}", columns, tuple(rows))


def plan(result: Any) -> Sheet:  # noqa: ANN401 - a Plan, BudgetPlan or Assurance
    """Show a plan: sizes, what they measure, and what it costs."""
    d = result.design
    rows = [("human ratings of each system", f"{d.n_human:,}"), ("metric ratings of each system", f"{d.n_metric:,}")]
    rows += [] if d.known_rates or not d.n_metric else [("outputs with both ratings", f"{d.n_calibration:,}")]
    if isinstance(result, Assurance):
        low, middle, high = result.measurable
        rows += [
            ("chance to find the difference", f"{result.probability:.1%}"),
            ("comes out significant, median", _reached(middle)),
            ("between, with 90 % probability", f"{_reached(low)} – {_reached(high)}"),
        ]
        return Sheet("Plan, with uncertain guesses", ("what", "value"), tuple(rows))
    rows += [
        ("difference that comes out significant", _reached(result.measured.measurable_difference, d.rate)),
        (
            f"true difference found with probability {result.power:.3g}",
            _reached(result.measured.with_power(result.power), d.rate),
        ),
    ]
    rows += [("worth of the metric", f"{result.measured.worth:.1%}")] if d.n_metric else []
    if isinstance(result, BudgetPlan):
        rows.append(("cost in all", f"{result.cost:,.2f}"))
        rows += (
            [] if result.break_even is None else [("the metric pays off below, a rating", f"{result.break_even:.4g}")]
        )
    return Sheet("Plan", ("what", "value"), tuple(rows))


def _reached(difference: float, rate: float = 0.5) -> str:
    return "nothing" if reach(difference, rate) is None else f"{difference:.4f}"


def differences(result: DifferenceMap) -> Sheet:
    """Show measurable differences, one number of the design down, another across."""
    what = (
        "Difference that comes out significant"
        if result.power is None
        else f"True difference found with probability {result.power:g}"
    )
    rows = [
        (_number(value), *(NOTHING if reach(cell) is None else f"{cell:.3f}" for cell in cells))
        for value, cells in zip(result.rows.values, result.differences, strict=True)
    ]
    columns = (f"{_short(result.rows.name)} \\ {_short(result.columns.name)}", *map(_number, result.columns.values))
    return Sheet(what, columns, tuple(rows))


def _short(name: str) -> str:
    return name.removeprefix("n_").replace("_", " ")


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def reproductions(results: Sequence[Reproduction]) -> Sheet:
    """Show how many cells of each published table come out."""
    rows = [(r.name, str(len(r.cells)), str(r.matched), str(r.matched_exactly), r.title) for r in results]
    columns = ("table", "cells", "paper's mode", "exact", "what")
    return Sheet("The paper's tables, recomputed", columns, tuple(rows), frozenset({0, 4}))


def cells(result: Reproduction, *, everything: bool) -> Sheet:
    """Show the cells that differ, or all, ours beside the published value."""
    shown = result.cells if everything else result.differing
    rows = [(cell.where, cell.published, cell.paper_mode, cell.exact, cell.why) for cell in shown]
    return Sheet(result.name, ("cell", "published", "paper's mode", "exact", "why"), tuple(rows), frozenset({0, 4}))
