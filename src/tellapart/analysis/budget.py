"""How do I split a budget, what is the cheapest design, and does the metric pay off at its price?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tellapart.analysis.design import (
    Design,
    MeasurableDifference,
    check_difference,
    check_power,
    flip,
    large_sample_variance,
    reach,
    worth,
)
from tellapart.analysis.planning import MOST, POWER, share
from tellapart.analysis.result import Result
from tellapart.core.counts import as_number, whole
from tellapart.errors import InvalidInput

_GRID = 400
_CHEAPEST = 1e-6  # of a human rating: who pays less may count in other coins
_NEAR = 9  # sizes around the best one by the large-sample form that the exact posterior decides between


@dataclass(frozen=True)
class Costs:
    """Prices: of a human rating, of a metric rating, and what the campaign costs anyway.

    `separate` says that the outputs that calibrate the metric are not those whose human ratings tell the system's rate.
    """

    human: float
    metric: float
    fixed: float = 0.0
    systems: int = 2
    separate: bool = False

    def __post_init__(self) -> None:
        """Check the prices."""
        for name in ("human", "metric", "fixed"):
            value = getattr(self, name)
            if not as_number(value) >= 0:
                raise InvalidInput.rule(f"cost_{name}", "be a number from 0", value, "prices are not negative")
            object.__setattr__(self, name, as_number(value))
        if self.human < _CHEAPEST:
            rule = f"be at least {_CHEAPEST:g}"
            raise InvalidInput.rule("cost_human", rule, self.human, "the price of one human rating")
        object.__setattr__(self, "systems", whole("systems", self.systems))
        if self.systems < 1:
            raise InvalidInput.rule("systems", "be at least 1", self.systems)

    def of(self, design: Design) -> float:
        """Return what a design costs, all systems together; human-rated outputs that calibrate are metric-rated too."""
        calibration = (design.n_calibration or 0) if design.n_metric else 0
        human = design.n_human + (calibration if self.separate else 0)
        metric = design.n_metric + (calibration if self.separate else (design.n_human if design.n_metric else 0))
        return self.fixed + self.systems * (self.human * human + self.metric * metric)


def break_even(kappa: float) -> float:
    """Return the price of a metric rating, in human ratings, below which the metric pays off: (1−√(1−κ))²/κ.

    Examples
    --------
    >>> round(break_even(0.63), 2)
    0.24
    """
    return (1 - math.sqrt(max(1 - kappa, 0.0))) ** 2 / kappa if kappa else 0.0


@dataclass(frozen=True, repr=False)
class BudgetPlan(Result):
    """The best split of a budget, or the cheapest design for a difference."""

    kind = "budget"
    design: Design
    costs: Costs
    power: float
    budget: float | None = None
    difference: float | None = None

    @cached_property
    def measured(self) -> MeasurableDifference:
        """What the design can measure."""
        return MeasurableDifference(self.design)

    @property
    def cost(self) -> float:
        """What the design costs."""
        return self.costs.of(self.design)

    @property
    def difference_at_power(self) -> float:
        """The true difference that is found with the power of the plan."""
        return self.measured.with_power(self.power)

    @property
    def worth(self) -> float:
        """Largest share of the human ratings that the metric can replace."""
        return worth(self.design.rate, self.design.tpr, self.design.tnr)

    @property
    def break_even(self) -> float | None:
        """Price of a metric rating below which the metric pays off; unknown where the calibration is separate."""
        return None if self.costs.separate else self.costs.human * break_even(self.worth)

    @property
    def pays_off(self) -> bool:
        """Whether the metric is worth its price."""
        return self.design.n_metric > 0

    @property
    def unpriced(self) -> bool:
        """Whether metric ratings cost nothing, so that their number is no more than a bound."""
        return self.pays_off and not self.costs.metric

    @property
    def pairs(self) -> int:
        """How many pairs of systems there are, of which one by itself is planned."""
        return self.costs.systems * (self.costs.systems - 1) // 2

    @property
    def signature(self) -> str:
        """One line that makes the numbers reproducible."""
        c = self.costs
        goal = f"budget {self.budget:g}" if self.budget is not None else f"difference {self.difference:g}"
        prices = f"human {c.human:g}, metric {c.metric:g}, fixed {c.fixed:g}, {c.systems} systems"
        own = "separate calibration" if c.separate else "calibration = human-rated outputs"
        return f"{self.measured.signature} | {goal} | {prices}, {own} | power {self.power:g} (normal form)"

    def __str__(self) -> str:
        """Say it in words."""
        d = self.design
        calibration = f", {d.n_calibration:,} calibration" if self.costs.separate and d.n_metric else ""
        found = self.difference_at_power
        metric = "as many metric ratings as can be had" if self.unpriced else f"{d.n_metric:,} metric ratings"
        bought = f"{d.n_human:,} human{calibration} and {metric} of each system"
        if reach(found, d.rate) is None:
            return f"The budget buys {bought}: nothing can be measured with so few. Spend more, or on fewer systems."
        said = (
            f"Buy {bought}, for {self.cost:,.10g} in all: a true difference of {100 * found:.1f} points is found "
            f"with probability {self.power:.0%}, one of {100 * self.measured.measurable_difference:.1f} points half "
            "the time."
        )
        if self.pairs > 1:
            said += (
                f" This is for a typical pair by itself: the {self.costs.systems} systems borrow nothing from each "
                f"other, and nothing is corrected for the number of pairs ({self.pairs:,}). To plan all of them "
                "together, by simulation, say what they borrow."
            )
        if d.n_metric and not self.costs.metric:
            said += " No price was given for metric ratings, so the metric is to rate as many outputs as there are."
        price = "" if self.break_even is None else f" below {self.break_even:.3g} per rating"
        if self.pays_off:
            replaced = f"It replaces {share(self.worth)} of the human ratings."
            return f"{said} The metric pays for itself{price}. {replaced}{flip(d)}"
        would = f"; it would{price}" if price else ""
        return f"{said} The metric does not pay for itself at its price{would}."

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        c = self.costs
        prices = {"human": c.human, "metric": c.metric, "fixed": c.fixed, "systems": c.systems, "separate": c.separate}
        return {
            "budget": self.budget,
            "difference": self.difference,
            "cost": self.cost,
            "costs": prices,
            "borrow": "none",
            "pairs": self.pairs,
            "corrected": False,
            "power": self.power,
            "difference_at_power": reach(self.difference_at_power, self.design.rate),
            **self.measured.to_dict(),
            "pays_off": self.pays_off,
            "break_even": self.break_even,
            "summary": str(self),
            "signature": self.signature,
        }


def split_budget(base: Design, costs: Costs, budget: float, *, power: float = POWER) -> BudgetPlan:
    """Return the sizes that measure the smallest difference for a budget; those of `base` are ignored.

    With c_h and c_m the prices and B the budget of a system, n human-rated outputs and N further ones have large-sample
    variance α(1−α)·[(1−κ)/n + κ/(n+N)], smallest at n = B·√((1−κ)/c_h)/D, n+N = B·√(κ/c_m)/D with
    D = √((1−κ)c_h) + √(κ·c_m). Sizes near the optimum are compared by the exact posterior.

    Examples
    --------
    >>> base = Design(rate=0.6, tpr=0.9, tnr=0.9, n_human=0, n_metric=0)
    >>> found = split_budget(base, Costs(human=1, metric=0.01, systems=1), 1000).design
    >>> found.n_human, found.n_metric
    (885, 10615)
    """
    own = ((money := as_number(budget)) - costs.fixed) / costs.systems
    if not own >= costs.human:
        hint = "it must pay the fixed costs and a human rating of each system"
        raise InvalidInput.rule("budget", "buy something", budget, hint)
    wanted = check_power(power, base.confidence_level)
    most = int(min(own / costs.human + 1e-9, MOST))

    def with_human(n: int) -> Design:
        return _spend(base, costs, own, n)

    grid = sorted({int(n) for n in np.geomspace(1, most, _GRID)} | {most})
    best = min(grid, key=lambda n: large_sample_variance(with_human(n)))
    place = grid.index(best)
    low, high = grid[max(place - 1, 0)], grid[min(place + 1, len(grid) - 1)]
    near = sorted({int(n) for n in np.linspace(low, high, _NEAR)} | {most})
    exact = min(near, key=lambda n: MeasurableDifference(with_human(n)).sd)
    return BudgetPlan(with_human(exact), costs, wanted, budget=money)


def _spend(base: Design, costs: Costs, budget: float, n_human: int) -> Design:
    """Return the design with so many human ratings of the system and the rest of the budget spent best."""
    rest = budget - costs.human * n_human
    if not costs.separate:
        n_metric = _affordable(rest - costs.metric * n_human, costs.metric)
        return replace(base, n_human=n_human, n_metric=n_metric, n_calibration=n_human)
    designs = [replace(base, n_human=n_human, n_metric=0, n_calibration=0)]
    best = _for_calibration(base, costs)
    for part in (best, best * 0.8, 1 - (1 - best) * 0.8, 0.01, 0.5, 0.99):  # beside the best: sizes are whole numbers
        calibration = int(rest * part / (costs.human + costs.metric))
        metric = _affordable(rest - calibration * (costs.human + costs.metric), costs.metric)
        designs.append(replace(base, n_human=n_human, n_metric=metric, n_calibration=calibration))
    return min(designs, key=large_sample_variance)


def _for_calibration(base: Design, costs: Costs) -> float:
    """Return the share of the money for the metric that is spent best on its calibration.

    n calibrating and N further ratings have the variance b/n + a/N, smallest where costs are as √(b·c_n) : √(a·c_N).
    """
    p = base.rate * base.tpr + (1 - base.rate) * (1 - base.tnr)
    psi = base.calibration_rate or 0.0
    adequate, inadequate = base.rate**2 * base.tpr * (1 - base.tpr), (1 - base.rate) ** 2 * base.tnr * (1 - base.tnr)
    if base.known_rates or not 0 < psi < 1:
        return 0.01
    further = math.sqrt(p * (1 - p) * costs.metric)
    calibrating = math.sqrt((adequate / psi + inadequate / (1 - psi)) * (costs.human + costs.metric))
    return min(max(calibrating / (calibrating + further), 0.01), 0.99) if calibrating + further else 0.5


def _affordable(money: float, price: float) -> int:
    if price == 0 and money >= 0:
        return MOST
    if money <= 0:
        return 0
    return int(min(money / price + 1e-9, MOST)) if price > money / MOST else MOST


def cheapest(base: Design, costs: Costs, difference: float, *, power: float = POWER) -> BudgetPlan:
    """Return the cheapest sizes that find a true difference with the given power.

    Examples
    --------
    >>> base = Design(rate=0.6, tpr=0.9, tnr=0.9, n_human=0, n_metric=0)
    >>> plan = cheapest(base, Costs(human=1, metric=0.01, systems=1), 0.05)
    >>> plan.design.n_human, plan.design.n_metric, round(plan.measured.with_power(0.8), 4)
    (637, 7031, 0.05)
    """
    difference, power = check_difference(difference, base.rate), check_power(power, base.confidence_level)
    if not _finds(base, costs, costs.human * MOST, difference, power):
        raise InvalidInput.rule("difference", "be within reach of 10^9 ratings", difference, "aim at a larger one")
    low, high = costs.human, costs.human
    while not _finds(base, costs, high, difference, power):
        low, high = high, min(4 * high, costs.human * MOST)
    while high - low > max(costs.human / 4, 1e-4 * high):
        middle = (low + high) / 2
        low, high = (low, middle) if _finds(base, costs, middle, difference, power) else (middle, high)
    total = costs.fixed + costs.systems * high
    return replace(split_budget(base, costs, total, power=power), budget=None, difference=difference)


def _finds(base: Design, costs: Costs, own: float, difference: float, power: float) -> bool:
    plan = split_budget(base, costs, costs.fixed + costs.systems * own, power=power)
    return plan.measured.with_power(power) <= difference
