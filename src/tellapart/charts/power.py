"""How often a plan finds its difference, with fewer or more ratings, or that of every two of many systems."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tellapart.analysis.design import Design, MeasurableDifference, largest_difference
from tellapart.analysis.planning import MOST, Plan, growing
from tellapart.charts.base import INK, library, named, theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from tellapart.analysis.budget import BudgetPlan
    from tellapart.analysis.many import ManyPlan

    Rows = Sequence[dict[str, Any]]


_OWN, _OTHER = "#3b7dd8", "#8a8f98"
_WITH, _ALONE = "with the metric", "people alone"
_BORROWING, _BY_ITSELF = "as planned", "if nothing were borrowed"
_SIZES = 30  # on a curve
_NAMED_AT, _FLAT = 0.65, 0.45  # the power at which a curve has room for its name; curves that stay far below it
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
    return _drawn((x, y, tooltip), rows, here, result.power, "How often it is found")


def campaign(result: ManyPlan) -> alt.LayerChart:
    """Return how often two of many systems are told apart, by how far apart they truly are.

    As planned and, beside it, if nothing were borrowed. A dot is a pair, with its share of the simulated campaigns; the
    typical one is marked.
    """
    altair, of = library(), result.rehearsal
    verdicts = {_BORROWING: of.borrowing} | ({} if result.scene.rung == "none" else {_BY_ITSELF: of.alone})
    gaps = np.linspace(0, float(result.gaps.max()), _SIZES)
    rows, pairs = (
        [
            {"n": float(gap), "power": float(share), "curve": name, "own": name == _BORROWING}
            for name, each in verdicts.items()
            for gap, share in zip(x, shares(each), strict=True)
        ]
        for x, shares in (
            (gaps, lambda each: result.powers(each, gaps)),
            (result.gaps, lambda each: (each.signs > 0).mean(axis=0)),
        )
    )
    typical = {"n": result.difference, "power": of.borrowing.power.value, "label": "the typical pair"}
    ticks, axis = altair.Axis(format="~%", grid=False), altair.Axis(format="%")
    x = altair.X("n:Q", title="true difference of two systems", axis=ticks, scale=altair.Scale(nice=False, zero=True))
    y = altair.Y("power:Q", title="found, of all campaigns", axis=axis, scale=altair.Scale(domain=[0, 1]))
    tooltip = [
        altair.Tooltip("n:Q", title="true difference", format=".1%"),
        altair.Tooltip("power:Q", title="found", format=".0%"),
    ]
    return _drawn((x, y, tooltip), rows, [typical], result.power, "How often two systems are told apart", pairs)


def _drawn(  # noqa: PLR0913, PLR0917 - the parts of a picture
    axes: tuple[Any, Any, list[Any]], rows: Rows, here: Rows, goal: float, title: str, pairs: Rows = ()
) -> alt.LayerChart:
    """Return curves with their names, a point, and the power that is aimed at; and dots around the curves."""
    altair, (x, y, tooltip) = library(), axes
    aim = [{"power": goal, "label": f"{goal:.0%} of the time"}]
    names, flat = _names(rows), max(row["power"] for row in rows) < _FLAT
    data = {"pairs": pairs, "powers": rows, "names": () if flat else names, "flat": names if flat else ()}
    data |= {"goal": aim, "here": here}
    drawn = {
        "goal": _goal(altair, y),
        "pairs": _dots(altair, x, y, tooltip),
        "powers": _curve(altair, x, y, tooltip),
        "names": _name(altair, x, y, "names", {"align": "right", "dx": -6}, {"align": "left", "dx": 8}),
        "flat": _name(altair, x, y, "flat", {"align": "right", "dy": -32}, {"align": "right", "dy": -16}),
        "here": _point(altair, x, y, tooltip),
    }
    used = {name: each for name, each in data.items() if each}  # Vega complains of what is empty
    layers = [layer for name in drawn if name in used for layer in drawn[name]]
    return theme(altair.layer(*layers), title, used, width=480, height=280)


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


def _names(rows: Rows) -> list[dict[str, Any]]:
    """Return where the curves bear their names, if there is more than one."""
    curves = {name: [row for row in rows if row["curve"] == name] for name in dict.fromkeys(r["curve"] for r in rows)}
    near = [min(each, key=lambda row: abs(row["power"] - _NAMED_AT)) for each in curves.values()]
    return near if len(near) > 1 else []


def _goal(altair: Any, y: Any) -> list[Any]:  # noqa: ANN401
    goal = named(altair, "goal").encode(y=y)
    label = goal.mark_text(**_TEXT, align="left", dx=4, dy=10).encode(x=altair.value(0), text="label:N")
    return [goal.mark_rule(color=INK, strokeDash=[4, 4]), label]


def _colour(altair: Any) -> Any:  # noqa: ANN401
    return altair.condition("datum.own", altair.value(_OWN), altair.value(_OTHER))


def _dots(altair: Any, x: Any, y: Any, tooltip: list[Any]) -> list[Any]:  # noqa: ANN401
    dots = named(altair, "pairs").mark_point(filled=True, size=30, opacity=0.5)
    return [dots.encode(x=x, y=y, color=_colour(altair), tooltip=tooltip)]


def _curve(altair: Any, x: Any, y: Any, tooltip: list[Any]) -> list[Any]:  # noqa: ANN401
    lines = named(altair, "powers").mark_line(strokeWidth=2.5, point={"opacity": 0, "size": 60})
    return [lines.encode(x=x, y=y, color=_colour(altair), detail="curve:N", tooltip=tooltip)]


def _name(altair: Any, x: Any, y: Any, which: str, *sides: dict[str, Any]) -> list[Any]:  # noqa: ANN401
    """Return the names of the curves: beside them, the better one's to the left, or above flat ones both."""
    place = named(altair, which).encode(x=x, y=y, text="curve:N")
    filters = zip(("datum.own", "!datum.own"), sides, strict=True)
    return [place.transform_filter(one).mark_text(**_TEXT, **side) for one, side in filters]


def _point(altair: Any, x: Any, y: Any, tooltip: list[Any]) -> list[Any]:  # noqa: ANN401
    here = named(altair, "here").encode(x=x, y=y)
    ring = here.mark_point(color=INK, size=140, strokeWidth=3, opacity=1).encode(tooltip=tooltip)
    return [ring, here.mark_text(**_TEXT, align="right", dx=-6, dy=-13, fontWeight="bold").encode(text="label:N")]
