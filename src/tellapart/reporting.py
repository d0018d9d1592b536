"""A comparison as one HTML file that works offline: the verdict in words first, then the evidence for it."""

from __future__ import annotations

import re
from datetime import datetime
from html import escape
from importlib.resources import files
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from tellapart import charts, render
from tellapart._version import __version__
from tellapart.analysis.comparison import Comparison
from tellapart.analysis.outcomes import Outcomes
from tellapart.analysis.slices import Slices
from tellapart.errors import InvalidInput
from tellapart.render.comparison import cheapest, needs
from tellapart.said import spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import date

    from tellapart.analysis.cautions import Shared
    from tellapart.analysis.needed import Needed
    from tellapart.core.ladder import Rung
    from tellapart.said import Option

_FIRST = 3  # pairs whose needs are shown at once


_PAIRS = (
    "<p>Each pair of systems has shares of wins, ties and losses of its own. People's outcomes show these shares, and "
    "what people and the judge both rated shows how far the judge's other verdicts may be trusted. {verdicts}</p>"
)
_BORROWED: Mapping[Rung, str] = {
    "none": "Systems are compared as if independent, each with its own error rates of the metric.",
    "items": "Systems are compared item by item where people rated the same items, each with its own error rates of "
    "the metric.",
    "rates": "The metric's error rates are taken to be similar for all systems, not equal: how similar they are is "
    "estimated from the ratings.",
    "link": "The systems' rates are taken to lie around a line in the metric's averages: the line, and how far systems "
    "lie off it, are estimated from the ratings, by random draws and a normal approximation on the logit scale.",
    "shared": "The metric is taken to err exactly alike for all systems.",
}
_INTERVALS = {
    "highest-density": "Intervals of rates are the shortest ones that hold the level; those of differences have equal "
    "tails.",
    "equal-tailed": "Intervals of rates and of differences have equal tails.",
}
_SLICED = (
    "<p>Slices are drawn towards the whole as far as they differ from it by no more than chance: one with few ratings "
    "is like the others unless it shows otherwise. Their rates are those of each system by itself, and each pair is "
    "judged by itself.</p>"
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
    shown: Comparison | Outcomes | Slices,
    *,
    title: str | None = None,
    command: str | None = None,
    today: date | None = None,
    spell: Callable[[Option], str] = str,
) -> str:
    """Return the report as one HTML page without scripts or anything from elsewhere.

    Its order is that of the terminal: verdict, groups, rates, what to distrust, what is next, what borrowing buys; then
    further charts with their tables, data and method. At its top stand the `command` that was typed, if any, and the
    day; `spell` writes options.
    """
    charts.check_extra("A report")
    result = shown.overall if isinstance(shown, Slices) else shown
    title = title or ("Can these systems be told apart?" if result.pairs else "How good is this system?")
    top = [_header(title, result.source, command, today), f'<p class="verdict">{escape(str(shown))}</p>']
    parts: dict[str, list[render.Sheet | render.Paragraph]] = {}
    for part in render.sheets(shown, everything=True):
        parts.setdefault(part.about, []).append(part)
    body = _outcomes(result, parts) if isinstance(result, Outcomes) else _comparison(result, parts, _sliced(shown))
    ending = [
        ("The data, as understood", [f"<p>{_worded(said, spell)}</p>" for said in result.understood]),
        ("Method", _method(shown)),
        ("Signature", [f'<p class="fine">{escape(said)}</p>' for said in (shown.signature, result.provenance)]),
    ]
    distrust = ("What should be distrusted", _cautions(result.warnings, spell))
    top += map(_drawn, parts.get("groups", []))
    rates, *rest = body
    sections = [_section(heading, content) for heading, content in (rates, distrust, *rest, *ending)]
    return _page(title, result.source, "\n".join((*top, *sections)))


_Sections = list[tuple[str, list[str]]]


def _comparison(result: Comparison, parts: Mapping[str, list[Any]], sliced: list[Any]) -> _Sections:
    def tables(about: str) -> list[str]:
        return [_drawn(part) for part in parts.get(about, [])]

    metric = [charts.calibration(result), *map(charts.roc, result.thresholds)]
    return [
        ("How good is each system?", [*_figures(charts.forest(result)), *tables("systems")]),
        ("Where does it differ?", [*_figures(*sliced), *tables("slices")]),
        ("What would settle the rest?", _needed(parts.get("needed", []), cheapest(result))),
        ("What borrowing buys", [*tables("ladder"), *_figures(charts.ladder(result))]),
        ("Which can be told apart?", _pairs(result, tables("pairs"))),
        ("What the ratings say", _figures(charts.posteriors(result))),
        ("How does the metric err?", [*_figures(*metric), *tables("metric")]),
    ]


def _outcomes(result: Outcomes, parts: Mapping[str, list[Any]]) -> _Sections:
    shown = {name: [_drawn(part) for part in parts.get(name, [])] for name in ("pairs", "systems", "metric")}
    return [
        ("Who wins?", [*_figures(charts.outcomes(result)), *shown["pairs"]]),
        ("Ranking", shown["systems"]),
        ("How does the judge err?", shown["metric"]),
    ]


def _page(title: str, source: str, body: str) -> str:
    name = f"{_called(source)}: {title}" if source else title
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(name)}</title>\n<style>{_packaged('report.css')}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _header(title: str, source: str, command: str | None, today: date | None) -> str:
    """Write what tells one report from another: file, day, version, command."""
    day = (today or datetime.now().astimezone().date()).isoformat()
    facts = {
        "File": escape(_called(source)),
        "Date": f'<time datetime="{day}">{day}</time>',
        "Version": f"tellapart {__version__}",
        "Command": f"<code>{escape(command)}</code>" if command else "",
    }
    told = "".join(f"<div><dt>{name}</dt><dd>{fact}</dd></div>" for name, fact in facts.items() if fact)
    return f'<header><h1>{escape(title)}</h1>\n<dl class="facts">{told}</dl></header>'


def _called(source: str) -> str:
    """Return the name of a file without its folder; of several files what they are called together."""
    return source if " and " in source else PurePath(source).name


def _packaged(name: str) -> str:
    return files("tellapart").joinpath(name).read_text(encoding="utf-8")


def _section(title: str, parts: Iterable[str]) -> str:
    content = "\n".join(parts)
    repeated = f"<figcaption>{escape(title)}</figcaption>"
    return f"<section><h2>{escape(title)}</h2>\n{content.replace(repeated, '')}\n</section>" if content else ""


def _drawn(part: render.Sheet | render.Paragraph) -> str:
    shown = render.html(part)
    return _scrolled(part.title, shown) if isinstance(part, render.Sheet) else shown


def _scrolled(label: str, content: str) -> str:
    """Let what is too wide for a phone be moved, by keyboard too."""
    return f'<div class="scroll" role="region" aria-label="{escape(label)}" tabindex="0">{content}</div>'


def _figures(*shown: Any) -> list[str]:  # noqa: ANN401 - Altair charts, or nothing
    return [_figure(charts.figure(chart)) for chart in shown if chart is not None]


def _figure(chart: charts.Figure) -> str:
    content = chart.wide
    if chart.narrow:
        content = f'<div class="wide">{chart.wide}</div><div class="narrow">{chart.narrow}</div>'
    return f"<figure><figcaption>{escape(chart.title)}</figcaption>\n{_scrolled(chart.title, content)}</figure>"


_TICKED, _OPTION = re.compile(r"`([^`]+)`"), re.compile("\0([^\0]+)\0")


def _worded(said: str, spell: Callable[[Option], str]) -> str:
    """Write a sentence with its options and names of columns as code."""
    marked = escape(spelled(said, lambda option: f"\0{spell(option)}\0"))
    return _OPTION.sub(r'<code class="option">\1</code>', _TICKED.sub(r"<code>\1</code>", marked))


def _cautions(warnings: Sequence[Shared], spell: Callable[[Option], str]) -> list[str]:
    if not warnings:
        return ["<p>The checks of the ratings found nothing to distrust.</p>"]
    return [f'<div class="caution"><b>Caution.</b> {_caution(one, spell)}</div>' for one in warnings]


def _caution(one: Shared, spell: Callable[[Option], str]) -> str:
    """Write what was seen, as a list where that differs by system, and once what to do."""
    if len(one.messages) == 1:
        return _worded(one.said, spell)
    seen = "".join(f"<li>{_worded(message, spell)}</li>" for message in one.messages)
    return f"<ul>{seen}</ul>{_worded(one.advice, spell)}"


def _sliced(shown: Comparison | Outcomes | Slices) -> list[Any]:
    return [charts.slices(shown)] if isinstance(shown, Slices) else []


def _method(shown: Comparison | Outcomes | Slices) -> list[str]:
    if isinstance(shown, Outcomes):
        wins = "the first wins more often than it loses"
        return [_PAIRS.format(verdicts=_rule(wins, shown.confidence_level, shown.correction, len(shown.matchups)))]
    result = shown.overall if isinstance(shown, Slices) else shown
    verdicts = _rule("the first is better", result.confidence_level, result.rule(), len(result.pairs))
    intervals = _INTERVALS[next(iter(result.estimates.values())).interval_kind]
    told = {"borrowed": _BORROWED[result.borrow], "verdicts": verdicts, "intervals": intervals}
    return [_packaged("report_method.html").format(sliced=_SLICED if isinstance(shown, Slices) else "", **told)]


def _rule(what: str, level: float, correction: str, pairs: int) -> str:
    """Say when two systems are told apart, by the rule that this report used."""
    tail = (1 - level) / 2
    apart = f"told apart if the probability that {what} is above {1 - tail:.6g} or below {tail:.6g}"
    if not pairs:
        return ""
    if pairs == 1:
        return f"The two systems are {apart}."
    if correction == "none":
        few = "Each pair is judged by itself; of many verdicts, a few in a hundred may be wrong."
        return f"Two systems are {apart}. {few}"
    why = "Of many pairs, some would come out so by chance: the verdicts here hold for all pairs together, by Holm's"
    return f"By themselves, two systems would be {apart}. {why} procedure, which asks for more."


def _pairs(result: Comparison, sheets: Sequence[str]) -> list[str]:
    if not result.pairs:
        return []
    if result.many or len(result.pairs) == 1:
        return list(sheets)
    return [*_figures(charts.matrix(result)), _fold(f"All {len(result.pairs)} pairs", "".join(sheets))]


def _fold(summary: str, content: str) -> str:
    return f"<details><summary>{summary}</summary>{content}</details>"


def _needed(said: Sequence[render.Paragraph], found: Sequence[Needed]) -> list[str]:
    """Write the cheapest next steps in words, and fold the others: a table, where their numbers are known."""
    lines = [f'<p class="next"><b>{escape(one.lead)}</b> {escape(one.text)}</p>' for one in said]
    more, rest = len(lines) - _FIRST, found[_FIRST:]
    if more <= 0:
        return lines
    known = all(need.human is not None for need in rest)
    folded = _drawn(needs(rest)) if known else "".join(lines[_FIRST:])
    return [*lines[:_FIRST], _fold(f"{more} more pair{'s' * (more > 1)}", folded)]
