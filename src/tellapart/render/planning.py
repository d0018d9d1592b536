"""Sheets of plans and maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tellapart.analysis.design import reach
from tellapart.analysis.needed import UNSEEN, chance
from tellapart.render.sheet import NOTHING, Sheet

if TYPE_CHECKING:
    from tellapart.analysis.assurance import Assurance
    from tellapart.analysis.budget import BudgetPlan
    from tellapart.analysis.design import Design
    from tellapart.analysis.many import ManyPlan
    from tellapart.analysis.maps import DifferenceMap
    from tellapart.analysis.planning import Plan

_COLUMNS = ("what", "value")


def plan(result: Plan) -> list[Sheet]:
    """Show sizes and what they measure; a plan that was not found says why."""
    return [Sheet("Plan", _COLUMNS, tuple(_measured(result)))] if result.found else []


def budget(result: BudgetPlan) -> list[Sheet]:
    """Show sizes, what they measure, and what that costs."""
    rows = [*_measured(result, unpriced=result.unpriced), ("cost in all", f"{result.cost:,.2f}")]
    if result.break_even is not None:
        rows.append(("the metric pays for itself below, per rating", f"{result.break_even:.4g}"))
    return [Sheet("Plan", _COLUMNS, tuple(rows))]


def assurance(result: Assurance) -> list[Sheet]:
    """Show sizes, and how surely they measure what is wanted."""
    low, middle, high = result.measurable
    rows = [
        *_sizes(result.design),
        ("chance to find the difference", f"{result.probability:.1%}"),
        ("comes out significant, median", _reached(middle)),
        ("between, with 90% probability", f"{_reached(low)} – {_reached(high)}"),
    ]
    return [Sheet("Plan, with uncertain guesses", _COLUMNS, tuple(rows))]


def _sizes(d: Design, *, unpriced: bool = False) -> list[tuple[str, str]]:
    metric = "as many as can be had" if unpriced else f"{d.n_metric:,}"
    rows = [("human ratings of each system", f"{d.n_human:,}"), ("metric ratings of each system", metric)]
    return rows if d.known_rates or not d.n_metric else [*rows, ("outputs with both ratings", f"{d.n_calibration:,}")]


def _measured(result: Plan | BudgetPlan, *, unpriced: bool = False) -> list[tuple[str, str]]:
    d, found = result.design, result.measured
    rows = [
        *_sizes(d, unpriced=unpriced),
        ("difference that comes out significant", _reached(found.measurable_difference, d.rate)),
        (
            f"true difference found with probability {_probability(result.power)}",
            _reached(result.difference_at_power, d.rate),
        ),
    ]
    return [*rows, ("worth of the metric", f"{found.worth:.1%}")] if d.n_metric else rows


def many(result: ManyPlan) -> list[Sheet]:
    """Show a campaign for several systems: what it tells, borrowing and not, and the sizes that were tried."""
    z, now, alone = result.sizes, result.rehearsal.borrowing, result.rehearsal.alone
    sizes = f"{z.n_human:,} human and {z.n_metric:,} metric ratings of each"
    title = f"Plan for {result.scene.systems} systems: {sizes} (± one standard error)"
    shares = (
        (f"a difference of {z.difference:.4f} is found", now.power, alone.power),
        (
            f"of {result.scene.pairs:,} pairs told apart" if result.scene.pairs > 1 else "told apart",
            now.told_apart,
            alone.told_apart,
        ),
        ("of the verdicts wrong", now.wrong, alone.wrong),
    )
    rungs = ["none"] if result.scene.rung == "none" else [result.scene.rung, "none"]
    rows = [(what, *(NOTHING if s is None else str(s) for s in both[: len(rungs)])) for what, *both in shares]
    rows += [] if result.cost is None else [("cost in all", f"{result.cost:,.2f}", *[""] * (len(rungs) - 1))]
    columns = ("what", *(f"borrow {rung}" for rung in rungs))
    return [Sheet(title, columns, tuple(rows)), *([_tried(result)] if len(result.tried) > 1 else [])]


def _tried(result: ManyPlan) -> Sheet:
    rows = [
        (
            f"{one.sizes.n_human:,}",
            f"{one.sizes.n_metric:,}",
            f"{one.sizes.difference:.4f}",
            f"{one.runs:,}",
            str(one.borrowing.power),
            str(one.borrowing.told_apart),
        )
        for one in result.tried
    ]
    columns = ("human", "metric", "difference", "simulated", "found", "pairs told apart")
    return Sheet("Simulated on the way", columns, tuple(rows), left=())


def _probability(power: float) -> str:
    """Write a power that was asked for as it is, and one that was found never as if it were certain."""
    return f"{power:.3g}" if power <= 1 - UNSEEN else chance(power)


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
