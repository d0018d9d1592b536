"""Sheets of plans and maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tellapart.analysis.assurance import Assurance
from tellapart.analysis.budget import BudgetPlan
from tellapart.analysis.design import reach
from tellapart.render.sheet import NOTHING, Sheet

if TYPE_CHECKING:
    from tellapart.analysis.maps import DifferenceMap
    from tellapart.analysis.planning import Plan


def plan(result: Plan | BudgetPlan | Assurance) -> Sheet:
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
    at_power = f"true difference found with probability {result.power:.3g}"
    rows += [
        ("difference that comes out significant", _reached(result.measured.measurable_difference, d.rate)),
        (at_power, _reached(result.measured.with_power(result.power), d.rate)),
    ]
    rows += [("worth of the metric", f"{result.measured.worth:.1%}")] if d.n_metric else []
    if isinstance(result, BudgetPlan):
        rows.append(("cost in all", f"{result.cost:,.2f}"))
        if result.break_even is not None:
            rows.append(("the metric pays off below, a rating", f"{result.break_even:.4g}"))
    return Sheet("Plan", ("what", "value"), tuple(rows))


def _reached(difference: float, rate: float = 0.5) -> str:
    return "nothing" if reach(difference, rate) is None else f"{difference:.4f}"


def differences(result: DifferenceMap) -> Sheet:
    """Show measurable differences, one number of the design down, another across."""
    what = "Difference that comes out significant"
    if result.power is not None:
        what = f"True difference found with probability {result.power:g}"
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
