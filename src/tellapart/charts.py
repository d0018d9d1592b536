"""Charts of results: Altair, one theme. Needs the `charts` extra."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from tellapart.analysis.comparison import Comparison
from tellapart.analysis.design import reach
from tellapart.analysis.estimation import Estimate
from tellapart.analysis.maps import Axis, DifferenceMap
from tellapart.analysis.needed import chance
from tellapart.analysis.threshold import Thresholds
from tellapart.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import altair as alt
    import numpy.typing as npt

FORMATS = ("svg", "png", "html", "json")
_POINTS = 300
_ALL, _HUMAN = "all ratings", "human ratings alone"
_INK = "currentColor"  # follows the page, light or dark
_COLOURS = ["#3b7dd8", "#8a8f98"]
_MOST_CURVES = 200  # points of a ROC curve


def _altair() -> Any:  # noqa: ANN401 - a module
    try:
        import altair as alt  # noqa: PLC0415 - optional and slow to import
    except ImportError:
        raise MissingExtra.need("A chart", "charts") from None
    return alt


def plot(result: Any) -> Any:  # noqa: ANN401 - any result, an Altair chart
    """Return the chart that shows a result best."""
    if isinstance(result, Comparison):
        return forest(result)
    if isinstance(result, Thresholds):
        return roc(result)
    if isinstance(result, DifferenceMap):
        return design(result)
    if isinstance(result, Estimate):
        return densities({"system": result})
    raise InvalidInput.rule("result", "be one that has a chart", type(result).__name__)


def _theme(chart: Any, title: str, rows: Mapping[str, list[dict[str, Any]]], **size: Any) -> Any:  # noqa: ANN401
    """Give a chart its title, size, look, and last its rows by name, or Altair would copy them at every step."""
    words = {"labelColor": _INK, "titleColor": _INK}
    themed = (
        chart.properties(title=title, background="transparent", **size)
        .configure(font="sans-serif")
        .configure_title(anchor="start", fontWeight="normal", color=_INK, fontSize=13)
        .configure_view(stroke=None)
        .configure_axis(**words, domainColor="#8888", tickColor="#8888", gridColor="#8883", labelLimit=260)
        .configure_legend(**words, labelLimit=260)
        .configure_header(**words, labelLimit=260)
    )
    themed["datasets"] = dict(rows)
    return themed


def _named(altair: Any, name: str) -> Any:  # noqa: ANN401 - an Altair chart
    """Return a chart of the rows that `_theme` will give under a name."""
    return altair.Chart(altair.NamedData(name))


def _rate(altair: Any, field: str, title: str, *, zero: bool = False) -> Any:  # noqa: ANN401
    axis = altair.Axis(format="%", tickCount=6)
    return altair.X(f"{field}:Q", title=title, axis=axis, scale=altair.Scale(zero=zero, nice=True))


def _system_colour(altair: Any, names: list[str]) -> Any:  # noqa: ANN401
    """Return the colours of systems, the same in every chart, whatever their order in the legend."""
    scale = altair.Scale(domain=sorted(names), scheme="tableau10")
    return altair.Color("system:N", title=None, scale=scale, legend=altair.Legend(values=names, symbolOpacity=1))


def _sources(estimate: Estimate) -> dict[str, Estimate]:
    """Return what all ratings say and, where that is something else, the human ones alone."""
    alone = estimate.evidence.levels and estimate.evidence.human_for_rate.total
    return {_ALL: estimate} | ({_HUMAN: estimate.human_only} if alone else {})


def forest(result: Comparison) -> alt.LayerChart:
    """Return the rates of systems with their intervals, the human ratings alone beside them."""
    altair = _altair()
    rows = []
    for name in result.ranking:
        for source, shown in _sources(result.estimates[name]).items():
            ends = {"low": shown.interval.low, "high": shown.interval.high}
            rows.append({"system": name, "source": source, "rate": shown.mean, **ends})
    base = _named(altair, "rates").encode(
        y=altair.Y("system:N", sort=list(result.ranking), title=None),
        yOffset=altair.YOffset("source:N", sort=[_ALL, _HUMAN]),
        color=altair.Color(
            "source:N",
            title=None,
            sort=[_ALL, _HUMAN],
            scale=altair.Scale(domain=[_ALL, _HUMAN], range=_COLOURS),
            legend=altair.Legend(orient="top"),
        ),
        tooltip=["system:N", "source:N", *(altair.Tooltip(f"{f}:Q", format=".1%") for f in ("rate", "low", "high"))],
    )
    title = f"rate of adequate outputs, {100 * result.confidence_level:g} % interval"
    return _intervals(altair, base, title, "How good is each system?", {"rates": rows})


def _intervals(altair: Any, base: Any, axis: str, title: str, rows: dict[str, Any]) -> alt.LayerChart:  # noqa: ANN401
    """Return a point at the rate and a line from low to high for each row."""
    rule = base.mark_rule(strokeWidth=2).encode(x=_rate(altair, "low", axis), x2="high:Q")
    point = base.mark_point(filled=True, size=60, opacity=1).encode(x=_rate(altair, "rate", axis))
    chart: alt.LayerChart = _theme(altair.layer(rule, point), title, rows, width=520, height=altair.Step(15))
    return chart


def matrix(result: Comparison) -> alt.LayerChart:
    """Return a heat map of P(row is better than column), bold where the two can be told apart."""
    altair = _altair()
    rows = []
    for pair in result.pairs:
        for better, other, p in (
            (pair.first, pair.second, pair.probability),
            (pair.second, pair.first, 1 - pair.probability),
        ):
            apart = pair.distinguishable
            rows.append({"row": better, "column": other, "p": p, "shown": chance(p), "apart": apart})
    order = list(result.ranking)
    base = _named(altair, "pairs").encode(
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
    title = f"P(row is better than column); bold: told apart at {100 * result.confidence_level:g} %"
    size = {"width": altair.Step(52), "height": altair.Step(26)}
    chart: alt.LayerChart = _theme(altair.layer(cells, plain, bold), title, {"pairs": rows}, **size)
    return chart


def densities(estimates: Mapping[str, Estimate]) -> alt.LayerChart:
    """Return the posterior densities of systems, one curve each, with what the human ratings alone give, dashed."""
    altair = _altair()
    rows = [row for name, estimate in estimates.items() for row in _curves(name, estimate)]
    base = _named(altair, "densities").encode(
        x=_rate(altair, "rate", "rate of adequate outputs"),
        color=_system_colour(altair, list(estimates)),
    )
    density = altair.Y("density:Q", title="density", axis=altair.Axis(labels=False, ticks=False, grid=False))
    dash = altair.StrokeDash("source:N", title=None, sort=[_ALL, _HUMAN])
    curves = base.mark_line(strokeWidth=2).encode(y=density, strokeDash=dash, order="rate:Q")
    areas = (
        base.transform_filter(f"datum.source == '{_ALL}' && datum.inside")
        .mark_area(opacity=0.2)
        .encode(y=altair.Y("density:Q", stack=None))
    )
    levels = {estimate.confidence_level for estimate in estimates.values()}
    title = f"What the ratings say; shaded: {', '.join(f'{100 * level:g} %' for level in sorted(levels))} interval"
    chart: alt.LayerChart = _theme(altair.layer(areas, curves), title, {"densities": rows}, width=560, height=280)
    return chart


def _curves(name: str, estimate: Estimate) -> list[dict[str, Any]]:
    rows = []
    for source, shown in _sources(estimate).items():
        low, high = shown.posterior.interval(0.9999).low, shown.posterior.interval(0.9999).high
        x = np.unique(np.concatenate([np.linspace(low, high, _POINTS), [shown.interval.low, shown.interval.high]]))
        inside = (x >= shown.interval.low) & (x <= shown.interval.high)
        for rate, density, within in zip(x, shown.posterior.pdf(x), inside, strict=True):
            row = {"rate": float(rate), "density": float(density), "inside": bool(within)}
            rows.append({"system": name, "source": source, **row})
    return rows


def calibration(result: Comparison) -> alt.LayerChart | None:
    """Return the metric's tpr and tnr for each system, with intervals; nothing where there is no calibration."""
    altair = _altair()
    rows = []
    for name in result.ranking:
        quality = result.estimates[name].quality
        for kind, share in (("tpr: adequate outputs passed", "tpr"), ("tnr: inadequate outputs failed", "tnr")):
            if quality is not None:
                found = getattr(quality, share)
                ends = {"low": found.interval.low, "high": found.interval.high}
                rows.append({"system": name, "kind": kind, "rate": found.mean, **ends})
    if not rows:
        return None
    base = _named(altair, "calibration").encode(
        y=altair.Y("system:N", sort=list(result.ranking), title=None),
        yOffset="kind:N",
        color=altair.Color(
            "kind:N", title=None, scale=altair.Scale(range=["#d9822b", "#3b7dd8"]), legend=altair.Legend(orient="top")
        ),
        tooltip=["system:N", "kind:N", *(altair.Tooltip(f"{f}:Q", format=".1%") for f in ("rate", "low", "high"))],
    )
    title = f"share, {100 * result.confidence_level:g} % interval"
    return _intervals(altair, base, title, "How does the metric err?", {"calibration": rows})


def roc(result: Thresholds) -> alt.LayerChart:
    """Return the ROC curve of each system with its cut, the diagonal of chance and the one of tpr = tnr."""
    altair = _altair()
    curves, points = [], []
    for name, threshold in result.systems.items():
        scores = threshold.scores
        if not scores.decidable:
            continue
        ends = [1.0, *(1 - scores.tnr)], [1.0, *scores.tpr]
        cuts = [None, *(result.cut.sign * scores.candidates).tolist()]
        keep = np.unique(np.linspace(0, len(ends[0]) - 1, _MOST_CURVES).round().astype(int))
        curves += [
            {"system": name, "fpr": ends[0][i], "tpr": ends[1][i], "order": int(i), "cut": cuts[i]} for i in keep
        ]
        cut = {"cut": threshold.tau, "AUC": threshold.auc, "worth": threshold.worth}
        points.append({"system": name, "fpr": 1 - threshold.tnr, "tpr": threshold.tpr, **cut})
    x = altair.X("fpr:Q", title="1 − tnr: inadequate outputs passed", axis=altair.Axis(format="%"))
    y = altair.Y("tpr:Q", title="tpr: adequate outputs passed", axis=altair.Axis(format="%"))
    colour = _system_colour(altair, list(result.systems))
    diagonals = [
        {"line": line, "fpr": fpr, "tpr": tpr}
        for line, ends in (("chance", ((0, 0), (1, 1))), ("tpr = tnr", ((0, 1), (1, 0))))
        for fpr, tpr in ends
    ]
    lines = _named(altair, "diagonals").mark_line(color="#888", strokeDash=[4, 4], strokeWidth=1)
    lines = lines.encode(x=x, y=y, detail="line:N")
    curve = _named(altair, "curves").mark_line(strokeWidth=1.5).encode(x=x, y=y, color=colour, order="order:O")
    places = _named(altair, "curves").mark_point(filled=True, size=40, opacity=0)
    places = places.encode(x=x, y=y, color=colour, tooltip=["system:N", "cut:Q", "tpr:Q", "fpr:Q"])
    tooltip = ["system:N", "cut:Q", *(altair.Tooltip(f"{f}:Q", format=".3f") for f in ("tpr", "AUC", "worth"))]
    chosen = _named(altair, "cuts").mark_point(filled=True, size=90, opacity=1)
    chosen = chosen.encode(x=x, y=y, color=colour, tooltip=tooltip)
    title = f"{result.score}: the chosen cuts"
    rows = {"diagonals": diagonals, "curves": curves, "cuts": points}
    chart: alt.LayerChart = _theme(altair.layer(lines, curve, places, chosen), title, rows, width=340, height=340)
    return chart


def design(
    result: DifferenceMap,
    *,
    budget: float | None = None,
    prices: tuple[float, float] = (1.0, 0.0),
    here: tuple[float | None, float | None] = (None, None),
) -> Any:  # noqa: ANN401 - an Altair chart
    """Return a map where both numbers are sizes, and otherwise curves, one for each value of the rows."""
    sizes = {result.rows.name, result.columns.name} <= {"n_human", "n_metric", "n_calibration"}
    enough = min(len([v for v in axis.values if v > 0]) for axis in (result.rows, result.columns)) > 1
    return heat(result, budget=budget, prices=prices, here=here) if sizes and enough else curves(result)


def _said(result: DifferenceMap) -> str:
    if result.power is None:
        return "difference that comes out significant"
    return f"true difference found with probability {result.power:g}"


def curves(result: DifferenceMap) -> alt.LayerChart:
    """Return measurable differences along the columns' number, one curve for each value of the rows."""
    altair = _altair()
    across, down = result.columns, result.rows
    rows = [
        {"x": x, "y": reach(float(result.differences[i, j])), "curve": f"{_words(down.name)} {value:,g}"}
        for i, value in enumerate(down.values)
        for j, x in enumerate(across.values)
    ]
    order = list(dict.fromkeys(row["curve"] for row in rows))
    y = altair.Y("y:Q", title=_said(result), axis=altair.Axis(format="%"), scale=altair.Scale(zero=True))
    shares = not across.name.startswith("n_")
    label = f"format(datum.value, '{'~%' if shares else '~s'}')"  # or 0 would become 0k
    axis = altair.Axis(values=list(across.values), labelExpr=label, labelOverlap=True)
    scale = altair.Scale(zero=False, nice=False) if shares else altair.Scale(type="symlog", constant=100, nice=False)
    base = _named(altair, "curves").encode(
        x=altair.X("x:Q", title=_words(across.name), axis=axis, scale=scale),
        y=y,
        color=altair.Color("curve:N", title=None, sort=order, scale=altair.Scale(scheme="tableau10")),
        tooltip=[
            altair.Tooltip("curve:N", title="for"),
            altair.Tooltip("x:Q", title=_words(across.name)),
            altair.Tooltip("y:Q", title="difference", format=".2%"),
        ],
    )
    layer = altair.layer(base.mark_line(strokeWidth=2), base.mark_point(filled=True, size=25, opacity=1))
    fixed = ", ".join(
        f"{_words(k)} {v:,g}" for k, v in result.fixed.items() if not isinstance(v, bool) and v is not None
    )
    chart: alt.LayerChart = _theme(layer, f"What can be measured; {fixed}", {"curves": rows}, width=480, height=300)
    return chart


def _words(name: str) -> str:
    return {"n_human": "human ratings", "n_metric": "metric ratings", "n_calibration": "outputs with both ratings"}.get(
        name, name.replace("_", " ")
    )


_CELLS = 60
_OVERLAP = 1.02  # of the cells, or seams would show between them
_LEVELS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3)


def heat(
    result: DifferenceMap,
    *,
    budget: float | None = None,
    prices: tuple[float, float] = (1.0, 0.0),
    here: tuple[float | None, float | None] = (None, None),
) -> alt.LayerChart:
    """Return a map over two sizes, on logarithmic scales, with lines of equal difference and what a budget buys.

    `here` is a value of the rows and one of the columns to mark.
    """
    altair = _altair()
    fine = DifferenceMap(_finer(result.rows), _finer(result.columns), result.fixed, result.power, fast=True)
    xs, ys, values = (np.array(fine.columns.values), np.array(fine.rows.values), fine.differences)
    edges_x, edges_y = _edges(xs), _edges(ys)
    cells = [
        {
            "x": edges_x[j],
            "x2": min(edges_x[j + 1] * _OVERLAP, edges_x[-1]),
            "y": edges_y[i],
            "y2": min(edges_y[i + 1] * _OVERLAP, edges_y[-1]),
            "down": float(ys[i]),
            "across": float(xs[j]),
            "difference": float(values[i, j]),
        }
        for i in range(len(ys))
        for j in range(len(xs))
    ]
    log_axis = {
        "scale": altair.Scale(type="log", nice=False),
        "axis": altair.Axis(format="~s", grid=False, tickCount=5),
    }
    x, y = (
        altair.X("x:Q", title=_words(fine.columns.name), **log_axis),
        altair.Y("y:Q", title=_words(fine.rows.name), **log_axis),
    )
    colour = altair.Color(
        "difference:Q",
        title=["difference"],
        scale=altair.Scale(scheme="viridis", reverse=True, type="log"),
        legend=altair.Legend(format="%"),
    )
    tooltip = [
        altair.Tooltip("down:Q", title=_words(fine.rows.name), format=","),
        altair.Tooltip("across:Q", title=_words(fine.columns.name), format=","),
        altair.Tooltip("difference:Q", format=".2%"),
    ]
    lines, names = _iso_lines(xs, ys, values)
    rows = {"cells": cells, "lines": lines, "names": names}
    layers = [_named(altair, "cells").mark_rect().encode(x=x, y=y, x2="x2", y2="y2", color=colour, tooltip=tooltip)]
    if lines:
        line = _named(altair, "lines").mark_line(color="white", strokeWidth=1.2)
        layers.append(line.encode(x=x, y=y, detail="line:N", order="x:Q"))
        text = _named(altair, "names").mark_text(color="white", dy=-7, align="right", fontSize=10)
        layers.append(text.encode(x=x, y=y, text="label:N"))
    if budget is not None and fine.rows.name == "n_human" and fine.columns.name == "n_metric":
        frontier = [{"x": float(m), "y": (budget - prices[1] * m) / sum(prices)} for m in xs]
        frontier = [point for point in frontier if edges_y[0] <= point["y"] <= edges_y[-1]]
        rows["frontier"] = frontier
        affordable = _named(altair, "frontier").mark_line(color="#ff7043", strokeDash=[6, 4], strokeWidth=2)
        layers.append(affordable.encode(x=x, y=y, order="x:Q"))
    down, across = here
    if down and across and ys[0] <= down <= ys[-1] and xs[0] <= across <= xs[-1]:
        rows["here"] = [{"x": float(across), "y": float(down)}]
        mark = _named(altair, "here").mark_point(color="white", size=130, strokeWidth=3, opacity=1)
        layers.append(mark.encode(x=x, y=y))
    title = f"{_said(result)}" + ("" if budget is None else f"; dashed: what {budget:g} buys")
    chart: alt.LayerChart = _theme(altair.layer(*layers), title, rows, width=460, height=340)
    return chart


def _finer(axis: Axis) -> Axis:
    low, high = min(v for v in axis.values if v > 0), max(axis.values)
    return Axis(axis.name, tuple(dict.fromkeys(round(float(v)) for v in np.geomspace(low, high, _CELLS))))


def _edges(values: npt.NDArray[np.float64]) -> list[float]:
    logs = np.log(values)
    middle = (logs[1:] + logs[:-1]) / 2
    ends = np.concatenate([[logs[0] - (middle[0] - logs[0])], middle, [logs[-1] + (logs[-1] - middle[-1])]])
    return [float(v) for v in np.exp(ends)]


def _iso_lines(
    xs: npt.NDArray[np.float64], ys: npt.NDArray[np.float64], values: npt.NDArray[np.float64]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return lines of equal difference: at each column, where the difference falls below the level."""
    lines, names = [], []
    for level in _LEVELS:
        points = []
        for j, x in enumerate(xs):
            column = np.minimum.accumulate(values[:, j])
            if column[0] > level > column[-1]:
                y = float(np.exp(np.interp(-np.log(level), -np.log(column), np.log(ys))))
                points.append({"x": float(x), "y": y, "line": f"{100 * level:g}"})
        if len(points) > 5:  # noqa: PLR2004 - shorter ones only clutter a corner
            lines += points
            names.append({**points[-1], "label": f"{100 * level:g} points"})
    return lines, names


def check(path: Path) -> str:
    """Return the format that a path stands for, or say why no chart can be written there."""
    kind = path.suffix.lstrip(".").lower()
    if kind not in FORMATS:
        endings = ", ".join("." + f for f in FORMATS)
        raise InvalidInput.rule("--plot", f"end in {endings}", path.name, "for example --plot rates.svg")
    check_extra("A chart")
    return kind


def check_extra(what: str) -> None:
    """Say what to install where charts cannot be drawn."""
    if not all(find_spec(package) for package in ("altair", "vl_convert")):
        raise MissingExtra.need(what, "charts")


def save(chart: Any, path: Path) -> None:  # noqa: ANN401 - an Altair chart
    """Write a chart as SVG, PNG, HTML or JSON, by the ending of the path; offline."""
    kind = check(path)
    chart = chart.properties(background="white") if kind == "png" else chart
    options = {"inline": True} if kind == "html" else {"scale_factor": 2} if kind == "png" else {}
    try:
        chart.save(str(path), format=kind, **options)
    except OSError as error:
        raise InvalidInput.rule("--plot", "be a path that can be written", str(path), error.strerror or "") from None
    except ValueError:  # Vega fails at names such as "constructor"
        hint = "Vega cannot draw these names of systems"
        raise InvalidInput.rule("--plot", "be left out here", str(path), hint) from None


def svg(chart: Any) -> str:  # noqa: ANN401 - an Altair chart
    """Return a chart as SVG text, or say that it cannot be drawn."""
    import vl_convert  # noqa: PLC0415 - optional

    try:
        text: str = vl_convert.vegalite_to_svg(specification(chart))
    except ValueError:  # Vega fails at names such as "constructor"
        return "<p>This chart cannot be drawn with these names of systems.</p>"
    return text


def specification(chart: Any) -> dict[str, Any]:  # noqa: ANN401 - an Altair chart
    """Return a chart as Vega-Lite; not checked against its schema again, which takes longer than all the rest."""
    found: dict[str, Any] = chart.to_dict(validate=False)
    return found
