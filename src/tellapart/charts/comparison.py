"""Charts of a comparison: rates, P(better), how the metric errs, and the ROC curves of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tellapart.analysis.needed import chance
from tellapart.analysis.verdicts import marked
from tellapart.charts.base import kind_colour, library, named, rate_axis, system_colour, theme
from tellapart.charts.estimates import KINDS, ends_of, sources

if TYPE_CHECKING:
    from collections.abc import Mapping

    import altair as alt

    from tellapart.analysis.comparison import Comparison
    from tellapart.analysis.metrics import MetricRanking
    from tellapart.analysis.threshold import Thresholds
    from tellapart.core.ladder import Rung

_MOST = 200  # points of a ROC curve
_RUNGS: Mapping[Rung, str] = {  # legible on white and on black
    "none": "#8a8f98",
    "items": "#2a9d8f",
    "rates": "#d9822b",
    "link": "#3b7dd8",
    "shared": "#a66bbf",
}


def forest(result: Comparison) -> alt.LayerChart:
    """Return the rates of systems with their intervals, the human ratings alone beside them."""
    rows = [
        {"system": marked(name, result.doubtful), "kind": source, **ends_of(shown)}
        for name in result.ranking
        for source, shown in sources(result.estimates[name], result.marginal(name)).items()
    ]
    first = result.estimates[result.ranking[0]]
    return _intervals(result, rows, KINDS, first.measure, "How good is each system?", percent=first.is_rate)


def ladder(result: Comparison) -> alt.LayerChart | None:
    """Return the intervals of the rates rung by rung; nothing where they are the same on all, as on the same items."""
    found: dict[Rung, list[dict[str, Any]]] = {}
    names: dict[Rung, str] = {}
    for step in result.ladder:
        rows = [
            {"system": marked(name, result.doubtful), **ends_of(result.marginal(name, step.rung))}
            for name in result.ranking
        ]
        same = next((rung for rung, others in found.items() if others == rows), step.rung)
        found[same] = rows
        names[same] = (f"{names[same]}, " if same in names else "") + step.rung + (" ◀" if step.used else "")
    if len(found) < 2:  # noqa: PLR2004 - a step up
        return None
    rows = [{**row, "kind": names[rung]} for rung, each in found.items() for row in each]
    first, kinds = result.estimates[result.ranking[0]], {names[rung]: _RUNGS[rung] for rung in found}
    title = "Rates by what is borrowed; ◀ the verdicts use it"
    return _intervals(result, rows, kinds, first.measure, title, percent=first.is_rate)


def calibration(result: Comparison) -> alt.LayerChart | None:
    """Return the metric's tpr and tnr for each system, with intervals; nothing where there is no calibration."""
    tnr, tpr = "tnr: inadequate outputs failed", "tpr: adequate outputs passed"
    rows = [
        {"system": marked(name, result.doubtful), "kind": kind, **ends_of(share)}
        for name in result.ranking
        if (quality := result.estimates[name].quality) is not None
        for kind, share in ((tpr, quality.tpr), (tnr, quality.tnr))
    ]
    kinds = {tnr: "#d9822b", tpr: "#3b7dd8"}
    return _intervals(result, rows, kinds, "share", "How does the metric err?") if rows else None


def worths(result: MetricRanking) -> alt.LayerChart:
    """Return the worths of metrics with their intervals, best first, without what repeats the human ratings."""
    best, less = "best, or not clearly below it", "clearly below the best"
    rows = [
        {"system": m.name, "kind": kind, "rate": m.worth, "low": m.interval.low, "high": m.interval.high}
        for m in result.metrics
        if not m.repeats
        for kind in ((less if m.clearly_behind else best),)
    ]
    kinds = {best: "#3b7dd8", less: "#8a8f98"}
    return _intervals(result, rows, kinds, "share of human ratings that it can replace", "Which metric is worth most?")


def _intervals(  # noqa: PLR0913 - what is shown, and how
    result: Comparison | MetricRanking,
    rows: list[dict[str, Any]],
    kinds: dict[str, str],
    what: str,
    title: str,
    *,
    percent: bool = True,
) -> alt.LayerChart:
    """Return a point at the rate and a line from low to high for each row, kinds in their colours."""
    altair = library()
    several = len({row["system"] for row in rows}) < len(rows)  # kinds in a row, one below the other
    base = named(altair, "rates").encode(
        y=altair.Y("system:N", sort=list(dict.fromkeys(row["system"] for row in rows)), title=None),
        **({"yOffset": altair.YOffset("kind:N", sort=list(kinds))} if several else {}),
        color=kind_colour(altair, kinds),
        tooltip=[
            "system:N",
            "kind:N",
            *(altair.Tooltip(f"{f}:Q", format=".1%" if percent else ".2f") for f in ("rate", "low", "high")),
        ],
    )
    axis = f"{what}, {100 * result.confidence_level:g}% interval"
    rule = base.mark_rule(strokeWidth=2).encode(x=rate_axis(altair, "low", axis, percent=percent), x2="high:Q")
    point = base.mark_point(filled=True, size=60, opacity=1).encode(x=rate_axis(altair, "rate", axis, percent=percent))
    size = {"width": 520, "height": altair.Step(15 if several else 20)}
    return theme(altair.layer(rule, point), title, {"rates": rows}, **size)


def matrix(result: Comparison) -> alt.LayerChart:
    """Return a heat map of P(row is better than column), bold where the two can be told apart."""
    altair = library()
    rows = []
    for pair in result.pairs:
        for better, other, p in (
            (pair.first, pair.second, pair.probability),
            (pair.second, pair.first, 1 - pair.probability),
        ):
            row, column = marked(better, result.doubtful), marked(other, result.doubtful)
            rows.append({"row": row, "column": column, "p": p, "shown": chance(p), "apart": pair.distinguishable})
    order = [marked(name, result.doubtful) for name in result.ranking]
    base = named(altair, "pairs").encode(
        x=altair.X("column:N", sort=order, title="is better than", axis=altair.Axis(orient="top", labelAngle=-40)),
        y=altair.Y("row:N", sort=order, title=None),
        tooltip=["row:N", "column:N", altair.Tooltip("p:Q", format=".4f"), "apart:N"],
    )
    colour = altair.Color("p:Q", scale=altair.Scale(scheme="blueorange", domain=[0, 1], reverse=True), legend=None)
    cells = base.mark_rect(stroke="#8886").encode(color=colour)
    numbers = base.encode(text="shown:N")
    ink = altair.condition("datum.p < 0.12 || datum.p > 0.88", altair.value("white"), altair.value("#222"))
    plain = numbers.transform_filter("!datum.apart").mark_text(fontSize=11).encode(color=ink)
    bold = numbers.transform_filter("datum.apart").mark_text(fontSize=11, fontWeight="bold").encode(color=ink)
    title = f"P(row is better than column); bold: told apart at {100 * result.confidence_level:g}%"
    size = {"width": altair.Step(48), "height": altair.Step(26)}
    return theme(altair.layer(cells, plain, bold), title, {"pairs": rows}, **size)


def roc(result: Thresholds) -> alt.LayerChart:
    """Return the ROC curve of each system with its cut, the diagonal of chance and the one of tpr = tnr."""
    altair = library()
    curves, points = [], []
    for name, threshold in result.systems.items():
        scores = threshold.scores
        if not scores.decidable:
            continue
        ends = [1.0, *(1 - scores.tnr)], [1.0, *scores.tpr]
        cuts = [None, *(result.cut.sign * scores.candidates).tolist()]
        keep = np.unique(np.linspace(0, len(ends[0]) - 1, _MOST).round().astype(int))
        curves += [
            {"system": name, "fpr": ends[0][i], "tpr": ends[1][i], "order": int(i), "cut": cuts[i]} for i in keep
        ]
        cut = {"cut": threshold.tau, "AUC": threshold.auc, "worth": threshold.worth}
        points.append({"system": name, "fpr": 1 - threshold.tnr, "tpr": threshold.tpr, **cut})
    x = altair.X("fpr:Q", title="1 − tnr: inadequate outputs passed", axis=altair.Axis(format="%"))
    y = altair.Y("tpr:Q", title="tpr: adequate outputs passed", axis=altair.Axis(format="%"))
    colour = system_colour(altair, list(result.systems), legend=len(result.systems) > 1)
    diagonals = [
        {"line": line, "fpr": fpr, "tpr": tpr}
        for line, ends in (("chance", ((0, 0), (1, 1))), ("tpr = tnr", ((0, 1), (1, 0))))
        for fpr, tpr in ends
    ]
    lines = named(altair, "diagonals").mark_line(color="#888", strokeDash=[4, 4], strokeWidth=1)
    lines = lines.encode(x=x, y=y, detail="line:N")
    curve = named(altair, "curves").mark_line(strokeWidth=1.5).encode(x=x, y=y, color=colour, order="order:O")
    cut_tip = altair.Tooltip("cut:Q", format=".4~g")
    shares = [altair.Tooltip(f"{field}:Q", format=".1%") for field in ("tpr", "fpr")]
    places = named(altair, "curves").mark_point(filled=True, size=40, opacity=0)
    places = places.encode(x=x, y=y, color=colour, tooltip=["system:N", cut_tip, *shares])
    tooltip = ["system:N", cut_tip, *(altair.Tooltip(f"{f}:Q", format=".3f") for f in ("tpr", "AUC", "worth"))]
    chosen = named(altair, "cuts").mark_point(filled=True, size=90, opacity=1)
    chosen = chosen.encode(x=x, y=y, color=colour, tooltip=tooltip)
    title = f"{result.score}: the chosen cuts"
    rows = {"diagonals": diagonals, "curves": curves, "cuts": points}
    return theme(altair.layer(lines, curve, places, chosen), title, rows, width=340, height=340)
