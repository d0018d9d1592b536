"""A comparison as one HTML file that works offline: the verdict in words first, then the evidence for it."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tellapart import charts, render
from tellapart.analysis.comparison import Comparison
from tellapart.analysis.outcomes import Outcomes
from tellapart.analysis.slices import Slices
from tellapart.errors import InvalidInput
from tellapart.said import spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tellapart.said import Option

_FIRST = 5  # pairs whose needs are shown at once


_PAIRS = (
    "<p>Each pair of systems has shares of wins, ties and losses of its own. Their posterior: people's outcomes "
    "tell the shares, and those that people and the judge both rated tell how far the judge's other verdicts may be "
    "trusted. Two systems can be told apart if the probability that the first wins more often than it loses is near 1 "
    "or 0, allowing for the number of pairs.</p>"
)


def report(result: Comparison | Outcomes | Slices, path: str | Path | None = None, *, title: str | None = None) -> str:
    """Return a comparison as one HTML page that works offline, and write it to a file if a path is given.

    Parameters
    ----------
    result : Comparison, Outcomes or Slices
        What `compare` or `slices` returns, or `read_ratings(...).compare()`, or `read_pairs(...).compare()`.
    path : path, optional
        The file to write, such as report.html.
    title : str, optional
        The heading; by default the question that is answered.

    Returns
    -------
    str
        The page.

    Raises
    ------
    MissingExtra
        Without the `charts` extra.
    """
    if not isinstance(result, Comparison | Outcomes | Slices):
        raise InvalidInput.rule("result", "be a comparison", type(result).__name__, "what compare returns")
    page = html(result, title=title)
    if path is not None:
        Path(path).write_text(page, encoding="utf-8")
    return page


def html(
    shown: Comparison | Outcomes | Slices, *, title: str | None = None, spell: Callable[[Option], str] = str
) -> str:
    """Return the report as one HTML page without scripts or anything from elsewhere; `spell` writes options."""
    charts.check_extra("A report")
    result = shown.overall if isinstance(shown, Slices) else shown
    title = title or ("Can these systems be told apart?" if result.pairs else "How good is this system?")
    if isinstance(result, Outcomes):
        return _page(title, _outcomes(result, title, spell))
    parts = render.sheets(shown, everything=True)

    def about(name: str) -> list[str]:
        return [_drawn(part) for part in parts if part.about == name]

    needs = [part.text for part in parts if isinstance(part, render.Paragraph) and part.about == "needed"]
    body = "\n".join(
        (
            f"<h1>{escape(title)}</h1>",
            f'<p class="verdict">{escape(str(shown))}</p>',
            *about("groups"),
            _section("What should be distrusted", _cautions(result, spell)),
            _section("Where does it differ?", about("slices")),
            _section("How good is each system?", [charts.svg(charts.forest(result)), *about("systems")]),
            _section("Which can be told apart?", _pairs(result, about("pairs"))),
            _section("What borrowing buys", [*about("ladder"), *_drawings(charts.ladder(result))]),
            _section("Why not?", _needed(needs)),
            _section("What the ratings say", [charts.svg(charts.posteriors(result))]),
            _section("How does the metric err?", [*_drawings(*_metric(result)), *about("metric")]),
            _section("The data, as understood", map(render.html, result.understood)),
            _section("Method", [_packaged("report_method.html")]),
            _section("Signature", _signed(result, shown.signature)),
        )
    )
    return _page(title, body)


def _outcomes(result: Outcomes, title: str, spell: Callable[[Option], str]) -> str:
    parts = render.sheets(result, everything=True)
    shown = {name: [_drawn(part) for part in parts if part.about == name] for name in ("pairs", "systems", "metric")}
    return "\n".join(
        (
            f"<h1>{escape(title)}</h1>",
            f'<p class="verdict">{escape(str(result))}</p>',
            _section("What should be distrusted", _cautions(result, spell)),
            _section("Who wins?", [charts.svg(charts.outcomes(result)), *shown["pairs"]]),
            _section("Ranking", shown["systems"]),
            _section("How does the judge err?", shown["metric"]),
            _section("The data, as understood", map(render.html, result.understood)),
            _section("Method", [_PAIRS]),
            _section("Signature", _signed(result)),
        )
    )


def _page(title: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_packaged('report.css')}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _packaged(name: str) -> str:
    return files("tellapart").joinpath(name).read_text(encoding="utf-8")


def _section(title: str, parts: Iterable[str]) -> str:
    content = "\n".join(parts)
    return f"<section><h2>{escape(title)}</h2>\n{content}\n</section>" if content else ""


def _drawn(part: render.Sheet | render.Paragraph) -> str:
    shown = render.html(part)
    return f'<div class="scroll">{shown}</div>' if isinstance(part, render.Sheet) else shown


def _cautions(result: Comparison | Outcomes, spell: Callable[[Option], str]) -> list[str]:
    if not result.warnings:
        return ["<p>The checks of the ratings found nothing to distrust.</p>"]
    return [f'<p class="caution"><b>Caution.</b> {escape(spelled(one.said, spell))}</p>' for one in result.warnings]


def _signed(result: Comparison | Outcomes, signature: str = "") -> list[str]:
    """Write the short line, and all that it stands for."""
    return [f'<p class="fine">{escape(said)}</p>' for said in (signature or result.signature, result.provenance)]


def _pairs(result: Comparison, sheets: Sequence[str]) -> list[str]:
    if not result.pairs:
        return []
    if result.many:
        return list(sheets)
    chart = f'<div class="scroll">{charts.svg(charts.matrix(result))}</div>'
    return [chart, _fold(f"All {len(result.pairs)} pairs", "".join(sheets))]


def _fold(summary: str, content: str) -> str:
    return f"<details><summary>{summary}</summary>{content}</details>"


def _needed(needs: Sequence[str]) -> list[str]:
    if not needs:
        return []
    note = "Further ratings per system with which such a difference would be found with 80 % probability."
    items = [f"<li>{escape(need)}</li>" for need in needs]
    parts = [f"<p>{note}</p><ul>{''.join(items[:_FIRST])}</ul>"]
    if len(items) > _FIRST:
        parts.append(_fold(f"{len(items) - _FIRST} more pairs", f"<ul>{''.join(items[_FIRST:])}</ul>"))
    return parts


def _metric(result: Comparison) -> list[Any]:
    return [charts.calibration(result), *map(charts.roc, result.thresholds)]


def _drawings(*shown: Any) -> list[str]:  # noqa: ANN401 - Altair charts, or nothing
    return [charts.svg(chart) for chart in shown if chart is not None]
