"""What is to be found of a campaign? Whatever is left out: a number, the split of a budget, the chance of success."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

from tellapart.analysis.assurance import Assurance, assurance, span
from tellapart.analysis.budget import BudgetPlan, Costs, cheapest, split_budget
from tellapart.analysis.design import Design, check_power
from tellapart.analysis.pilot import Pilot
from tellapart.analysis.planning import POWER, Plan, solve
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tellapart.core.evidence import Evidence

    Guess = float | Sequence[float] | None
    Ratings = Pilot | Evidence | Mapping[str, Evidence]

_MONEY = "with a budget or prices"


class _Numbers(TypedDict, total=False):
    n_human: int | None
    n_metric: int | None
    n_calibration: int | None
    calibration_rate: float | None
    difference: float | None
    power: float | None
    known_rates: bool
    confidence_level: float


class _Campaign(_Numbers, total=False):
    rate: Guess
    tpr: Guess
    tnr: Guess
    pilot: Ratings | None
    budget: float | None
    cost_metric: float
    cost_fixed: float
    systems: int
    separate_calibration: bool
    seed: int


@overload
def plan(*, rate: float, tpr: float | None = None, tnr: float | None = None, **numbers: Unpack[_Numbers]) -> Plan: ...
@overload
def plan(*, cost_human: float, **given: Unpack[_Campaign]) -> BudgetPlan: ...
@overload
def plan(*, cost_human: float | None = None, **given: Unpack[_Campaign]) -> Plan | BudgetPlan | Assurance: ...
def plan(  # noqa: PLR0913 - one parameter for each number of a plan
    *,
    rate: Guess = None,
    tpr: Guess = None,
    tnr: Guess = None,
    pilot: Ratings | None = None,
    n_human: int | None = None,
    n_metric: int | None = None,
    n_calibration: int | None = None,
    calibration_rate: float | None = None,
    difference: float | None = None,
    power: float | None = None,
    budget: float | None = None,
    cost_human: float | None = None,
    cost_metric: float = 0.0,
    cost_fixed: float = 0.0,
    systems: int = 2,
    separate_calibration: bool = False,
    known_rates: bool = False,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> Plan | BudgetPlan | Assurance:
    """Find what is left out of a campaign: a number, the best split of a budget, or the chance of success.

    Parameters
    ----------
    rate : float or (low, high), optional
        Expected rate of adequate outputs: the mean of the two systems' rates. A range, if any in it is as likely.
    tpr, tnr : float or (low, high), optional
        Expected quality of the metric. Left out with all else given: the accuracy (tpr = tnr) that it would need.
    pilot : Evidence, or a dictionary of Evidence, optional
        Ratings of a pilot study, which give the guesses above that are left out; its systems are added up.
    n_human, n_metric : int, optional
        Ratings of each system. One left out while a difference is given: the smallest number that will do.
    n_calibration : int, optional
        Outputs with both ratings; by default the human-rated ones.
    calibration_rate : float, optional
        Share of adequate ones among these; by default the rate.
    difference : float, optional
        The true difference to find. Left out: what can be found. With prices: found at the least cost.
    power : float, optional
        Probability of finding it, 0.8 by default. Left out with everything else given: what it is.
    budget : float, optional
        Money for all systems together, to be split so that the smallest difference is found.
    cost_human, cost_metric, cost_fixed : float, optional
        Prices of a human and of a metric rating, and what the campaign costs anyway.
    systems : int
        Number of systems that are paid for.
    separate_calibration : bool
        Whether the outputs that calibrate the metric are not those that tell the system's rate.
    known_rates : bool
        Whether tpr and tnr are known exactly.
    confidence_level : float
        1 − γ.
    seed : int
        Seed of what is drawn from ranges or a pilot.

    Returns
    -------
    Plan, BudgetPlan or Assurance
        With prices the best or cheapest design. With sizes and a difference, and a range or a pilot as guesses, the
        chance of success. Else a plan with the number that was left out.

    Raises
    ------
    InvalidInput
        Where a number breaks a rule, or it does not follow what is to be found.

    Examples
    --------
    >>> plan(rate=0.6, tpr=0.9, tnr=0.9, n_metric=10_000, difference=0.05).value
    621.0
    >>> round(plan(rate=0.6, tpr=0.7, tnr=0.7, n_human=100, n_metric=1000).measurable_difference, 4)
    0.1242
    >>> plan(rate=0.6, tpr=0.9, tnr=0.9, budget=2000, cost_human=1, cost_metric=0.01).design.n_human
    885
    >>> found = plan(rate=0.6, tpr=(0.6, 0.95), tnr=(0.6, 0.95), n_human=300, n_metric=5000, difference=0.1)
    >>> round(found.probability, 1)
    0.8
    """
    told = None if pilot is None else Pilot.of(pilot)
    spans = {n: span(n, guess) for n, guess in (("rate", rate), ("tpr", tpr), ("tnr", tnr)) if guess is not None}
    uncertain = {name: (low, high) for name, (low, high) in spans.items() if low < high}
    points: dict[str, Any] = ({} if told is None else told.guesses) | {n: sum(ends) / 2 for n, ends in spans.items()}
    _refuse_missing(["rate"], points, "be given", "your guess, for example 0.6, or a pilot")
    sizes: dict[str, Any] = {"n_human": n_human, "n_metric": n_metric, "n_calibration": n_calibration}
    setting: dict[str, Any] = {"calibration_rate": calibration_rate, "known_rates": known_rates}
    setting |= {"confidence_level": confidence_level}
    if budget is not None or cost_human is not None or cost_metric or cost_fixed or separate_calibration:
        _refuse(uncertain, f"be one number {_MONEY}", "for example the middle of the range")
        _refuse(sizes, f"be left out {_MONEY}", "the sizes are what is found")
        _refuse_missing(["tpr", "tnr"], points, f"be given {_MONEY}", "your guess, or a pilot that tells it")
        _refuse_missing(["cost_human"], {"cost_human": cost_human}, f"be given {_MONEY}", "the price of a human rating")
        costs = Costs(cost_human or 0.0, cost_metric, cost_fixed, systems, separate_calibration)
        wanted = POWER if power is None else check_power(power, confidence_level)
        return _spend(Design(**points, n_human=0, n_metric=0, **setting), costs, budget, difference, wanted)
    known = {**sizes, "difference": difference, **points}
    needed = ["n_human", "n_metric", "difference", *(["tpr", "tnr"] if n_metric != 0 else [])]
    missing = " and ".join(name for name in needed if known.get(name) is None)
    if missing or difference is None:
        _refuse(uncertain, f"be one number with {missing} left out", "give all, and the chance of success is found")
    elif told is not None or uncertain:
        _refuse({"power": power}, "be left out with a range or a pilot", "the chance of success is what is found")
        design = Design(**{"tpr": 0.5, "tnr": 0.5} | points, **sizes, **setting)
        return assurance(design, difference, pilot=told, ranges=uncertain if told is None else spans, seed=seed)
    return solve(**points, **sizes, **setting, difference=difference, power=power)


def _refuse(values: Mapping[str, object], rule: str, hint: str) -> None:
    for name, value in values.items():
        if value is not None:
            raise InvalidInput.rule(name, rule, value, hint)


def _refuse_missing(names: Sequence[str], values: Mapping[str, object], rule: str, hint: str) -> None:
    for name in names:
        if values.get(name) is None:
            raise InvalidInput.rule(name, rule, None, hint)


def _spend(base: Design, costs: Costs, budget: float | None, difference: float | None, power: float) -> BudgetPlan:
    if budget is not None and difference is None:
        return split_budget(base, costs, budget, power=power)
    if budget is None and difference is not None:
        return cheapest(base, costs, difference, power=power)
    raise InvalidInput.rule("budget or difference", "be given, one of the two", budget, "the other is found")
