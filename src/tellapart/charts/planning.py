"""Charts of measurable differences: curves over any number, a map over two sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tellapart.analysis.design import reach
from tellapart.analysis.maps import Axis, DifferenceMap, difference_map
from tellapart.charts.base import INK, Label, library, named, palette, readable, theme

if TYPE_CHECKING:
    import altair as alt

    from tellapart.analysis.design import Design
    from tellapart.core.quadrature import Floats

_CELLS = 60
_AROUND = (0.1, 0.3, 1.0, 3.0, 10.0)  # times the sizes of a plan
_OVERLAP = 1.02  # of the cells, or seams would show between them
_HIGH = 300  # pixels
_LEVELS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3)


def design(
    result: DifferenceMap,
    *,
    budget: float | None = None,
    prices: tuple[float, float] = (1.0, 0.0),
    here: tuple[float | None, float | None] = (None, None),
) -> alt.LayerChart:
    """Return a map where both numbers are sizes, and otherwise curves, one for each value of the rows.

    A map shows what the budget buys at these prices, and `here`, a value of the rows and one of the columns.
    """
    sizes = {result.rows.name, result.columns.name} <= {"n_human", "n_metric", "n_calibration"}
    enough = min(len([v for v in axis.values if v > 0]) for axis in (result.rows, result.columns)) > 1
    return _heat(result, budget, prices, here) if sizes and enough else curves(result)


def planned(plan: Design) -> alt.LayerChart:
    """Return what a plan measures, and what it would with fewer or more ratings of either kind."""
    around = {"n_human": plan.n_human or 100, "n_metric": plan.n_metric or 1000}
    axes = [Axis(name, tuple(max(1, round(n * factor)) for factor in _AROUND)) for name, n in around.items()]
    fixed = {name: getattr(plan, name) for name in ("rate", "tpr", "tnr", "known_rates", "confidence_level")}
    return design(difference_map(axes[0], axes[1], **fixed), here=(plan.n_human, plan.n_metric))


def _said(result: DifferenceMap) -> str:
    if result.power is None:
        return "difference that comes out significant"
    return f"true difference found with probability {result.power:g}"


def curves(result: DifferenceMap, *, here: tuple[float | None, float | None] = (None, None)) -> alt.LayerChart:
    """Return measurable differences along the columns' number, one curve for each value of the rows.

    The curve of `here`, a value of the rows and one of the columns, is thicker, and the point is ringed.
    """
    altair = library()
    across, down = result.columns, result.rows
    rows: list[dict[str, Any]] = [
        {
            "x": x,
            "y": reach(float(result.differences[i, j])),
            "curve": _curve(down.name, value),
            "value": f"{value:,g}",
            "own": own,
        }
        for i, value in enumerate(down.values)
        for own in (value == here[0],)
        for j, x in enumerate(across.values)
    ]
    order = list(dict.fromkeys(row["curve"] for row in rows))
    ends = _ends(rows, order)
    y = altair.Y("y:Q", title=_said(result), axis=altair.Axis(format="%"), scale=altair.Scale(zero=True))
    shares = not across.name.startswith("n_")
    label = f"format(datum.value, '{'~%' if shares else '~s'}')"  # or 0 would become 0k
    axis = altair.Axis(values=list(across.values), labelExpr=label, labelOverlap=True)
    scale = altair.Scale(zero=False, nice=False) if shares else altair.Scale(type="symlog", constant=100, nice=False)
    base = named(altair, "curves").encode(
        x=altair.X("x:Q", title=_words(across.name), axis=axis, scale=scale),
        y=y,
        color=altair.Color(
            "curve:N",
            title=None,
            sort=order,
            scale=altair.Scale(domain=order, range=palette(len(order))),
            legend=None if ends else altair.Legend(),
        ),
        tooltip=[
            altair.Tooltip("curve:N", title="for"),
            altair.Tooltip("x:Q", title=_words(across.name), format=".3~f" if shares else ",.0f"),
            altair.Tooltip("y:Q", title="difference", format=".2%"),
        ],
    )
    width = altair.condition("datum.own", altair.value(4), altair.value(1.5))
    lines = base.mark_line().encode(strokeWidth=width, detail="own:N")
    layers, shown = [lines, base.mark_point(filled=True, size=25, opacity=1)], {"curves": rows}
    if ends:
        shown["ends"] = ends
        text = named(altair, "ends").mark_text(color=INK, align="right", dy=-11)
        layers.append(text.encode(x="x:Q", y="y:Q", text="label:N"))
    row, column = here
    if row and column and min(across.values) <= column <= max(across.values):
        there = DifferenceMap(Axis(down.name, (row,)), Axis(across.name, (column,)), result.fixed, result.power)
        shown["here"] = [{"x": column, "y": reach(float(there.differences[0, 0]))}]
        ring = named(altair, "here").mark_point(color=INK, size=140, strokeWidth=3, opacity=1)
        layers.append(ring.encode(x="x:Q", y="y:Q"))
    fixed = ", ".join(
        f"{_words(k)} {v:,g}" for k, v in result.fixed.items() if not isinstance(v, bool) and v is not None
    )
    return theme(altair.layer(*layers), f"What can be measured; {fixed}", shown, width=480, height=_HIGH)


def _curve(name: str, value: float) -> str:
    return f"{value:,g} {_words(name)}" if name.startswith("n_") else f"{_words(name)} {value:,g}"


def _ends(rows: list[dict[str, Any]], order: list[str]) -> list[dict[str, Any]]:
    """Return where each curve ends, for its name there; nothing where the names would cover one another."""
    far, most = max(row["x"] for row in rows), max((row["y"] or 0.0 for row in rows), default=0.0)
    ends = [row for row in rows if row["x"] == far and row["y"] is not None]
    ends = [row | {"label": row["curve"] if row["curve"] == order[0] else row["value"]} for row in ends]
    fits = readable([Label(row["label"], 1.0, row["y"] / most) for row in ends], _HIGH)
    return ends if fits and len(ends) == len(order) else []


def _words(name: str) -> str:
    return {"n_human": "human ratings", "n_metric": "metric ratings", "n_calibration": "outputs with both ratings"}.get(
        name, name.replace("_", " ")
    )


def _heat(
    result: DifferenceMap,
    budget: float | None,
    prices: tuple[float, float],
    here: tuple[float | None, float | None],
) -> alt.LayerChart:
    """Return a map over two sizes, on logarithmic scales, with lines of equal difference and what a budget buys."""
    altair = library()
    fine = DifferenceMap(_finer(result.rows), _finer(result.columns), result.fixed, result.power, fast=True)
    xs, ys, values = np.array(fine.columns.values), np.array(fine.rows.values), fine.differences
    across, down = _bands(xs, "across", "x"), _bands(ys, "down", "y")
    cells = [
        {**row, **column, "difference": float(values[i, j])}
        for i, row in enumerate(down)
        for j, column in enumerate(across)
    ]
    axis = altair.Axis(format="~s", grid=False, tickCount=5)
    log = {"scale": altair.Scale(type="log", nice=False), "axis": axis}
    x = altair.X("x:Q", title=_words(fine.columns.name), **log)
    y = altair.Y("y:Q", title=_words(fine.rows.name), **log)
    colour = altair.Color(
        "difference:Q",
        title=["difference"],
        scale=altair.Scale(scheme="viridis", reverse=True, type="log"),
        legend=altair.Legend(format="%", labelOverlap="greedy", labelSeparation=4),
    )
    tooltip = [
        altair.Tooltip("down:Q", title=_words(fine.rows.name), format=","),
        altair.Tooltip("across:Q", title=_words(fine.columns.name), format=","),
        altair.Tooltip("difference:Q", format=".2%"),
    ]
    lines, names = _iso_lines(xs, ys, values)
    rows = {"cells": cells, "lines": lines, "names": names}
    layers = [named(altair, "cells").mark_rect().encode(x=x, y=y, x2="x2", y2="y2", color=colour, tooltip=tooltip)]
    if lines:
        line = named(altair, "lines").mark_line(color="white", strokeWidth=1.2)
        layers.append(line.encode(x=x, y=y, detail="line:N", order="x:Q"))
        text = named(altair, "names").mark_text(color="white", dy=-7, align="right", fontSize=10)
        layers.append(text.encode(x=x, y=y, text="label:N"))
    if budget is not None and (fine.rows.name, fine.columns.name) == ("n_human", "n_metric"):
        frontier = [{"x": float(m), "y": (budget - prices[1] * m) / sum(prices)} for m in xs]
        rows["frontier"] = [point for point in frontier if down[0]["y"] <= point["y"] <= down[-1]["y2"]]
        affordable = named(altair, "frontier").mark_line(color="#ff7043", strokeDash=[6, 4], strokeWidth=2)
        layers.append(affordable.encode(x=x, y=y, order="x:Q"))
    row, column = here
    if row and column and ys[0] <= row <= ys[-1] and xs[0] <= column <= xs[-1]:
        rows["here"] = [{"x": float(column), "y": float(row)}]
        mark = named(altair, "here").mark_point(color="white", size=130, strokeWidth=3, opacity=1)
        layers.append(mark.encode(x=x, y=y))
    title = _said(result) + ("" if budget is None else f"; dashed: what {budget:g} buys")
    return theme(altair.layer(*layers), title, rows, width=460, height=340)


def _finer(axis: Axis) -> Axis:
    low, high = min(v for v in axis.values if v > 0), max(axis.values)
    return Axis(axis.name, tuple(dict.fromkeys(round(float(v)) for v in np.geomspace(low, high, _CELLS))))


def _bands(values: Floats, name: str, side: str) -> list[dict[str, float]]:
    """Return each value with the ends of its cells, halfway to its neighbours on a logarithmic scale."""
    logs = np.log(values)
    middle = (logs[1:] + logs[:-1]) / 2
    ends = np.exp([2 * logs[0] - middle[0], *middle, 2 * logs[-1] - middle[-1]]).tolist()
    return [
        {name: float(value), side: low, f"{side}2": min(high * _OVERLAP, ends[-1])}
        for value, low, high in zip(values, ends[:-1], ends[1:], strict=True)
    ]


def _iso_lines(xs: Floats, ys: Floats, values: Floats) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
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
