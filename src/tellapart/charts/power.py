"""How often a plan finds its difference, with fewer or more ratings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tellapart.analysis.design import Design, MeasurableDifference, largest_difference
from tellapart.analysis.planning import MOST, Plan, growing
from tellapart.charts.base import INK, library, named, theme

if TYPE_CHECKING:
    import altair as alt

    from tellapart.analysis.budget import BudgetPlan

_OWN, _OTHER = "#3b7dd8", "#8a8f98"
_WITH, _ALONE = "with the metric", "people alone"
_SIZES = 30  # on a curve
_NAMED_AT = 0.6  # the power at which a curve has room for its name
_TEXT = {"color": INK, "baseline": "middle"}


def power(result: Plan | BudgetPlan) -> alt.LayerChart:
    """Return the chance of finding the difference by size: the plan's curve and point, and the power that it aims at.

    Along the human ratings, or the metric ratings where these were asked for; beside it, what people alone would do.
    """
    altair = library()
    along = "n_metric" if isinstance(result, Plan) and result.solved == "n_metric" else "n_human"
    kind = along.removeprefix("n_")
    given = result.measured.with_power(result.power) if result.difference is None else result.difference
    difference = min(given, largest_difference(result.design.rate))
    ticks = altair.Axis(format="~s", grid=False, labelOverlap="greedy", labelSeparation=6)
    log = altair.Scale(type="log", nice=False)
    x = altair.X("n:Q", title=f"{kind} ratings of each system", axis=ticks, scale=log)
    axis, scale = altair.Axis(format="%"), altair.Scale(domain=[0, 1])
    y = altair.Y("power:Q", title=f"chance of finding {100 * difference:.1f} points", axis=axis, scale=scale)
    tooltip = [altair.Tooltip("n:Q", title=f"{kind} ratings", format=","), altair.Tooltip("power:Q", format=".1%")]
    rows = _rows(result.design, along, difference)
    number, found = getattr(result.design, along), result.measured.power(difference)
    here = [{"n": number, "power": found, "label": f"{number:,} ratings"}] if 0 < number < MOST else []
    goal = [{"power": result.power, "label": f"{result.power:.0%} of the time"}]
    data = {"powers": rows, "names": _names(rows), "goal": goal, "here": here}
    drawn = {
        "goal": _goal(altair, y),
        "powers": _curve(altair, x, y, tooltip),
        "names": _name(altair, x, y),
        "here": _point(altair, x, y, tooltip),
    }
    used = {name: each for name, each in data.items() if each}  # Vega complains of what is empty
    layers = [layer for name in drawn if name in used for layer in drawn[name]]
    return theme(altair.layer(*layers), "How often it is found", used, width=480, height=280)


def _rows(plan: Design, along: str, difference: float) -> list[dict[str, Any]]:
    """Return the power over sizes from a tenth to ten times those of the plan, with the metric and without."""
    now = number if 0 < (number := getattr(plan, along)) < MOST else 1000
    sizes = list(dict.fromkeys(round(float(size)) for size in np.geomspace(max(1, now / 10), 10 * now, _SIZES)))
    smooth = replace(plan, rounding="none")  # or the rounding of counts would show
    shown = {_WITH: smooth} if plan.n_metric or along == "n_metric" else {}
    shown |= {_ALONE: replace(smooth, n_metric=0)} if along == "n_human" else {}
    return [
        {"n": size, "power": MeasurableDifference(grow(size)).power(difference), "curve": name, "own": own}
        for name, one in shown.items()
        for own in (name == next(iter(shown)),)
        for grow in (growing(one, along, calibrates=plan.n_calibration == plan.n_human),)
        for size in sizes
    ]


def _names(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return where the curves bear their names, if there is more than one."""
    curves = {name: [row for row in rows if row["curve"] == name] for name in dict.fromkeys(r["curve"] for r in rows)}
    near = [min(each, key=lambda row: abs(row["power"] - _NAMED_AT)) for each in curves.values()]
    return near if len(near) > 1 else []


def _goal(altair: Any, y: Any) -> list[Any]:  # noqa: ANN401
    goal = named(altair, "goal").encode(y=y)
    label = goal.mark_text(**_TEXT, align="left", dx=4, dy=10).encode(x=altair.value(0), text="label:N")
    return [goal.mark_rule(color=INK, strokeDash=[4, 4]), label]


def _curve(altair: Any, x: Any, y: Any, tooltip: list[Any]) -> list[Any]:  # noqa: ANN401
    colour = altair.condition("datum.own", altair.value(_OWN), altair.value(_OTHER))
    lines = named(altair, "powers").mark_line(strokeWidth=2.5, point={"opacity": 0, "size": 60})
    return [lines.encode(x=x, y=y, color=colour, detail="curve:N", tooltip=tooltip)]


def _name(altair: Any, x: Any, y: Any) -> list[Any]:  # noqa: ANN401
    """Return the names of the curves, the better one's to its left, the other's to its right."""
    sides = {_WITH: {"align": "right", "dx": -8}, _ALONE: {"align": "left", "dx": 8}}
    place = named(altair, "names").encode(x=x, y=y, text="curve:N")
    return [
        place.transform_filter(f"datum.curve == '{name}'").mark_text(**_TEXT, **side) for name, side in sides.items()
    ]


def _point(altair: Any, x: Any, y: Any, tooltip: list[Any]) -> list[Any]:  # noqa: ANN401
    here = named(altair, "here").encode(x=x, y=y)
    ring = here.mark_point(color=INK, size=140, strokeWidth=3, opacity=1).encode(tooltip=tooltip)
    return [ring, here.mark_text(**_TEXT, align="right", dx=-6, dy=-13, fontWeight="bold").encode(text="label:N")]
