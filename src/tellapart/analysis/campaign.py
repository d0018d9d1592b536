"""What is to be found of a campaign? Whatever is left out: a number, the split of a budget, the chance of success."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

from tellapart.analysis.assurance import Assurance, assurance, span
from tellapart.analysis.budget import BudgetPlan, Costs, cheapest, split_budget
from tellapart.analysis.design import Design, check_power
from tellapart.analysis.many import RUNS, ManyPlan, Source, plan_many
from tellapart.analysis.pilot import Pilot
from tellapart.analysis.planning import POWER, Plan, solve
from tellapart.analysis.rehearsal import Scene
from tellapart.core.counts import whole
from tellapart.errors import InvalidInput
from tellapart.said import Option, Said

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tellapart.analysis.comparison import Comparison
    from tellapart.core.evidence import Evidence
    from tellapart.core.ladder import Borrow

    Guess = float | Sequence[float] | None
    Piloted = Pilot | Comparison | Evidence | Mapping[str, Evidence]

_MONEY = "with a budget or prices"
_TOGETHER = "when systems are planned together"
_METRIC = Said(
    "your guess, or a pilot that tells it; money is split between people and a metric, of which ", Option("tpr"), ", ",
    Option("tnr"), " and ", Option("cost_metric"), " tell; without a metric, all of it buys human ratings",
)  # fmt: skip
_UNTOLD = Said(
    "a pilot tells how one metric errs, by outputs with both ratings that were not chosen by it; or plan with people "
    "only: ", Option("n_metric", 0),
)  # fmt: skip
_SEPARATE = Option("separate_calibration")
_CALIBRATING = Said("say how many outputs calibrate with ", Option("n_calibration"))
_TWO = 2  # systems, which are planned by themselves, without simulation


class _Numbers(TypedDict, total=False):
    n_human: int | None
    n_metric: int | None
    n_calibration: int | None
    calibration_rate: float | None
    difference: float | None
    power: float | None
    known_rates: bool
    confidence_level: float


class _Together(TypedDict, total=False):
    correlation: float | None
    rate_sd: float | None
    leniency_sd: float | None
    discrimination_sd: float | None
    leniency_slope: float | None
    runs: int | None
    n_jobs: int
    progress: Callable[[int], None]


class _Campaign(_Numbers, _Together, total=False):
    rate: Guess
    tpr: Guess
    tnr: Guess
    pilot: Piloted | None
    budget: float | None
    cost_metric: float
    cost_fixed: float
    separate_calibration: bool
    seed: int


@overload
def plan(*, rate: float, tpr: float | None = None, tnr: float | None = None, **numbers: Unpack[_Numbers]) -> Plan: ...
@overload
def plan(*, cost_human: float, **given: Unpack[_Campaign]) -> BudgetPlan: ...
@overload
def plan(*, borrow: Borrow, systems: int, cost_human: float | None = None, **given: Unpack[_Campaign]) -> ManyPlan: ...
@overload
def plan(
    *,
    cost_human: float | None = None,
    systems: int | None = None,
    borrow: Borrow | None = None,
    **given: Unpack[_Campaign],
) -> Plan | BudgetPlan | Assurance | ManyPlan: ...
def plan(  # noqa: PLR0913 - one parameter for each number of a plan
    *,
    rate: Guess = None,
    tpr: Guess = None,
    tnr: Guess = None,
    pilot: Piloted | None = None,
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
    systems: int | None = None,
    separate_calibration: bool = False,
    known_rates: bool = False,
    confidence_level: float = 0.95,
    borrow: Borrow | None = None,
    correlation: float | None = None,
    rate_sd: float | None = None,
    leniency_sd: float | None = None,
    discrimination_sd: float | None = None,
    leniency_slope: float | None = None,
    runs: int | None = None,
    seed: int = 0,
    n_jobs: int = -1,
    progress: Callable[[int], None] = lambda _: None,
) -> Plan | BudgetPlan | Assurance | ManyPlan:
    """Find what is left out of a campaign: a number, the best split of a budget, or the chance of success.

    Two systems are planned by the exact posterior of each. More, or systems that borrow from each other, are planned
    together: whole campaigns are simulated and compared.

    Parameters
    ----------
    rate : float or (low, high), optional
        Expected rate of adequate outputs: the mean of the two systems' rates. A range, if any in it is as likely.
    tpr, tnr : float or (low, high), optional
        Expected quality of the metric. Left out with all else given: the accuracy (tpr = tnr) that it would need.
    pilot : Evidence, a dictionary of Evidence, or a Comparison, optional
        Ratings of a pilot study, which give the guesses above that are left out; its systems are taken together, and
        a judge with levels as one that passes or fails, by its best cut. Three
        or more of them are planned together, as alike as they are in the pilot, unless sizes and difference are given.
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
    systems : int, optional
        Number of systems, 2 by default or as many as the pilot has. With prices, those that are paid for.
    separate_calibration : bool
        Whether the outputs that calibrate the metric are not those that tell the system's rate.
    known_rates : bool
        Whether tpr and tnr are known exactly.
    confidence_level : float
        1 − γ.
    borrow : {"auto", "none", "items", "rates", "link", "shared"}, optional
        What the comparison will take the systems to have in common: plans them together.
    correlation, rate_sd, leniency_sd, discrimination_sd, leniency_slope : float, optional
        How alike systems are that are planned together, see `Scene`; by default as in the pilot, else as is usual.
    runs : int, optional
        Campaigns that are simulated at each size, 40 by default.
    seed : int
        Seed of what is drawn: from ranges or a pilot, or in simulated campaigns.
    n_jobs : int
        Processes of joblib that simulate, -1 for all cores.
    progress : callable
        Called with the number of simulated campaigns.

    Returns
    -------
    Plan, BudgetPlan, Assurance or ManyPlan
        With prices the best or cheapest design. With sizes and a difference, and a range or a pilot as guesses, the
        chance of success. Of systems together, what was left out with power, pairs told apart and wrong verdicts. Else
        a plan with the number that was left out.

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
    _check_rate(points, None if rate is not None else told)
    sizes: dict[str, Any] = {"n_human": n_human, "n_metric": n_metric, "n_calibration": n_calibration}
    setting: dict[str, Any] = {"calibration_rate": calibration_rate, "known_rates": known_rates}
    setting |= {"confidence_level": confidence_level}
    money = budget is not None or cost_human is not None or bool(cost_metric or cost_fixed)
    alike = {"correlation": correlation, "rate_sd": rate_sd, "leniency_sd": leniency_sd}
    alike |= {"discrimination_sd": discrimination_sd, "leniency_slope": leniency_slope}
    asked = any(value is not None for value in (*alike.values(), runs))
    number = (_TWO if told is None else max(told.systems, _TWO)) if systems is None else _several(systems)
    if asked or _at_once(told, systems, borrow, {**sizes, "difference": difference}, money=money):
        unused: dict[str, Any] = {"n_calibration": n_calibration, "calibration_rate": calibration_rate}
        unused |= {"known_rates": known_rates or None, "separate_calibration": separate_calibration or None}
        _refuse(unused, f"be left out {_TOGETHER}", "the outputs that people rate calibrate the metric")
        _refuse(uncertain, f"be one number {_TOGETHER}", "for example the middle of the range")
        _refuse_missing(
            _quality(points, None if money else n_metric),
            points,
            f"be given {_TOGETHER}",
            "your guess, or a pilot that tells it",
        )
        if money:
            _refuse({"n_human": n_human, "n_metric": n_metric}, f"be left out {_MONEY}", "the sizes are what is found")
            price = {"cost_human": cost_human}
            _refuse_missing(["cost_human"], price, f"be given {_MONEY}", "the price of a human rating")
        given = {name: value for name, value in alike.items() if value is not None}
        piloted = {} if told is None or len(given) == len(alike) else told.alike
        taken: dict[str, Source] = {
            name: "pilot" if name in piloted else "usual" for name in alike if name not in given
        }
        if told is not None:
            taken |= {name: "pilot" for name in told.guesses if name not in spans}
            taken |= {} if systems is not None or told.systems < _TWO else {"systems": "pilot"}
            if n_metric is None and not money and None in (n_human, difference, power) and told.n_metric is not None:
                n_metric, taken["n_metric"] = told.n_metric, "pilot"
        given = piloted | given
        return plan_many(
            Scene(number, **points, **given, borrow=borrow or "auto", confidence_level=confidence_level),
            n_human=n_human,
            n_metric=n_metric,
            difference=difference,
            power=power,
            budget=budget,
            costs=Costs(cost_human or 0.0, cost_metric, cost_fixed, number) if money else None,
            runs=RUNS if runs is None else runs,
            seed=seed,
            n_jobs=n_jobs,
            progress=progress,
            taken=taken,
        )
    if money:
        _refuse(uncertain, f"be one number {_MONEY}", "for example the middle of the range")
        _refuse(sizes, f"be left out {_MONEY}", "the sizes are what is found")
        _refuse_missing(["tpr", "tnr"], points, f"be given {_MONEY}", _METRIC)
        _refuse_missing(["cost_human"], {"cost_human": cost_human}, f"be given {_MONEY}", "the price of a human rating")
        costs = Costs(
            cost_human or 0.0, cost_metric, cost_fixed, _TWO if systems is None else systems, separate_calibration
        )
        wanted = POWER if power is None else check_power(power, confidence_level)
        return _spend(Design(**points, n_human=0, n_metric=0, **setting), costs, budget, difference, wanted)
    if separate_calibration:
        raise InvalidInput.unused(_SEPARATE, separate_calibration, "without a budget or prices", _CALIBRATING)
    known = {**sizes, "difference": difference, **points}
    needed = ["n_human", "n_metric", "difference", *(_untold(points, told) if n_metric != 0 else [])]
    missing = " and ".join(name for name in needed if known.get(name) is None)
    if missing or difference is None:
        _refuse(uncertain, f"be one number with {missing} left out", "give all, and the chance of success is found")
    elif told is not None or uncertain:
        _refuse({"power": power}, "be left out with a range or a pilot", "the chance of success is what is found")
        design = Design(**{"tpr": 0.5, "tnr": 0.5} | points, **sizes, **setting)
        return assurance(design, difference, pilot=told, ranges=uncertain if told is None else spans, seed=seed)
    return solve(**points, **sizes, **setting, difference=difference, power=power)


def _at_once(
    pilot: Pilot | None, systems: int | None, borrow: str | None, known: Mapping[str, object], *, money: bool
) -> bool:
    """Whether systems are planned together: if that was asked for, or a pilot of several tells how alike they are."""
    number = pilot.systems if systems is None and pilot is not None else systems or _TWO
    if borrow is not None:
        return borrow != "none" or number > _TWO
    if systems is not None and systems > _TWO and not money:
        return True
    if pilot is None or pilot.both is None or systems == _TWO:
        return False
    if pilot.systems > _TWO:
        return money or known["n_human"] is None or known["difference"] is None
    missing = known["n_human"] is None and known["n_metric"] is None and known["difference"] is not None
    return missing and not money and pilot.n_metric is not None


def _check_rate(points: Mapping[str, object], pilot: Pilot | None) -> None:
    """Refuse a plan without a rate, and a pilot that would tell one by nothing but the prior."""
    if pilot is not None:
        one = pilot.evidence
        told = any(each.n_calibration or each.rates is not None for each in (one, *one.fused))
        if not one.n_human and not told:
            hint = "have some of its outputs rated by people, or give the rate that you expect"
            raise InvalidInput.rule("pilot", "hold human ratings to tell the rate", "none", hint)
    _refuse_missing(["rate"], points, "be given", "your guess, for example 0.6, or a pilot")


def _quality(points: Mapping[str, object], n_metric: int | None) -> list[str]:
    """Return what must be known of a metric: nothing where people alone rate, and nothing is said of one."""
    return [] if n_metric == 0 and not points.keys() & {"tpr", "tnr"} else ["tpr", "tnr"]


def _untold(points: Mapping[str, object], pilot: Pilot | None) -> list[str]:
    """Return the same where a metric rates; refuse a pilot that has one and does not tell how it errs."""
    if pilot is not None and (pilot.evidence.judged or pilot.evidence.fused):
        _refuse_missing(["tpr", "tnr"], points, "be given, as the pilot does not tell it", _UNTOLD)
    return ["tpr", "tnr"]


def _several(systems: int) -> int:
    if whole("systems", systems) < _TWO:
        raise InvalidInput.rule("systems", f"be at least {_TWO}", systems, "a difference is one between two systems")
    return systems


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
