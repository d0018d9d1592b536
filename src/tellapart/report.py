"""A comparison as one HTML file that works offline: the verdict in words first, then the evidence for it."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from tellapart import charts, render

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tellapart.analysis.comparison import Comparison
_FIRST = 5  # pairs whose needs are shown at once


def html(result: Comparison, *, title: str | None = None) -> str:
    """Return the report as one HTML page without scripts and without anything from elsewhere."""
    charts.check_extra("A report")
    title = title or ("Can these systems be told apart?" if result.pairs else "How good is this system?")
    body = "\n".join(
        (
            f"<h1>{escape(title)}</h1>",
            f'<p class="verdict">{escape(str(result))}</p>',
            _groups(result),
            _section("What should be distrusted", _cautions(result)),
            _section("How good is each system?", [charts.svg(charts.forest(result)), _scroll(render.systems(result))]),
            _section("Which can be told apart?", _pairs(result)),
            _section("Why not?", _needed(result)),
            _section(
                "What the ratings say", [charts.svg(charts.densities({n: result.estimates[n] for n in result.ranking}))]
            ),
            _section("How does the metric err?", _metric(result)),
            _section("The data, as understood", _paragraphs(result.understood)),
            _section("Method", [_packaged("report_method.html")]),
            _section("Signature", [f'<p class="fine">{escape(result.signature)}</p>']),
        )
    )
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


def _scroll(sheet: render.Sheet) -> str:
    return f'<div class="scroll">{render.html_table(sheet)}</div>'


def _paragraphs(sentences: Iterable[str]) -> list[str]:
    return [f"<p>{escape(sentence)}</p>" for sentence in sentences]


def _groups(result: Comparison) -> str:
    if not result.pairs:
        return ""
    if len(result.groups) == len(result.ranking):
        return "<p>Every system can be told apart from every other.</p>"
    said = escape(render.groups(result))
    return f"<p>Groups within which no two systems can be told apart, best first: {said}</p>"


def _cautions(result: Comparison) -> list[str]:
    if not result.warnings:
        return ["<p>The checks of the ratings found nothing to distrust.</p>"]
    return [f'<p class="caution"><b>Caution.</b> {escape(warning)}</p>' for warning in result.warnings]


def _pairs(result: Comparison) -> list[str]:
    if not result.pairs:
        return []
    parts = [f'<div class="scroll">{charts.svg(charts.matrix(result))}</div>']
    parts.append(f"<details><summary>All {len(result.pairs)} pairs</summary>{_scroll(render.pairs(result))}</details>")
    return parts


def _needed(result: Comparison) -> list[str]:
    needs = render.nearest(result.needed)
    items = [f"<li>{escape(str(need))}</li>" for need in needs]
    if not items:
        return []
    note = "Further ratings of each system, with which such a difference would be found four times in five."
    parts = [f"<p>{note}</p><ul>{''.join(items[:_FIRST])}</ul>"]
    if len(items) > _FIRST:
        rest = "".join(items[_FIRST:])
        parts.append(f"<details><summary>{len(items) - _FIRST} more pairs</summary><ul>{rest}</ul></details>")
    return parts


def _metric(result: Comparison) -> list[str]:
    chart, sheet = charts.calibration(result), render.quality(result)
    parts = [charts.svg(chart)] if chart is not None else []
    parts += [_scroll(sheet)] if sheet is not None else []
    for cut in result.thresholds:
        parts += [charts.svg(charts.roc(cut)), _scroll(render.thresholds(cut)), *_paragraphs([str(cut)])]
    return parts
