"""How many ratings must I buy, of which kind? Solves a plan for whatever is left out."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scipy.special import ndtri

from tellapart.analysis.design import (
    Design,
    MeasurableDifference,
    check_difference,
    check_power,
    flip,
    large_sample_variance,
    largest_difference,
    reach,
)
from tellapart.analysis.result import Result
from tellapart.core.counts import fraction
from tellapart.errors import InvalidInput, UselessMetric
from tellapart.said import Option, Said

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 10**9  # a campaign larger than this is none
_ALONE = (
    " Each system is planned on its own. A comparison that borrows across systems usually finds smaller differences."
)
POWER = 0.8
_BACK = 12  # rounded counts make the difference rise and fall by a hair; so many smaller sizes are tried as well
_NEARLY, _AS_GOOD = 0.995, 0.9995  # probabilities that would be written as 100%, and as 100.0%
_OF_METRIC = ("tpr", "tnr", "n_calibration", "calibration_rate")  # of which a plan without one has none
_SOLVABLE = ("n_human", "n_metric", "accuracy", "difference", "power")


@dataclass(frozen=True, repr=False)
class Plan(Result):
    """A campaign, of which one number was solved for.

    `solved` names that number; `found` says whether there is one. If not, `design` is the best within the limits, and
    `reason` and `instead` say why it does not do and what would.
    """

    kind = "plan"
    design: Design
    power: float
    solved: str
    difference: float | None = None
    found: bool = True
    reason: str = ""
    instead: str = ""

    @cached_property
    def measured(self) -> MeasurableDifference:
        """What the design can measure."""
        return MeasurableDifference(self.design)

    @property
    def measurable_difference(self) -> float:
        """The difference that comes out significant; a true difference of that size is found half the time."""
        return self.measured.measurable_difference

    @property
    def difference_at_power(self) -> float:
        """The true difference that is found with the power of the plan."""
        if self.solved == "power" and self.found and self.difference is not None:
            return self.difference
        return self.measured.with_power(self.power)

    @property
    def value(self) -> float | None:
        """The number that was solved for; nothing where there is none."""
        if not self.found:
            return None
        if self.solved == "difference":
            return reach(self.difference_at_power, self.design.rate)
        if self.solved == "power":
            return self.power
        return float(self.design.tpr if self.solved == "accuracy" else getattr(self.design, self.solved))

    @property
    def signature(self) -> str:
        """One line that makes the number reproducible."""
        goal = "" if self.difference is None else f" | difference {self.difference:g}"
        return f"{self.measured.signature}{goal} | power {self.power:g} (normal form), solved {self.solved}"

    def __str__(self) -> str:
        """Say it in words."""
        if not self.found:
            return " ".join(filter(None, (self.reason, self.instead))) + flip(self.design)
        said = {
            "n_human": _needed(self.design.n_human, "human"),
            "n_metric": _needed(self.design.n_metric, "metric"),
            "accuracy": f"The metric must be right on {self.design.tpr:.1%} of adequate and of inadequate outputs. ",
        }.get(self.solved, "")
        return f"{said}{self._meaning()}{flip(self.design)}"

    def _meaning(self) -> str:
        d, worth = self.design, self.measured.worth
        limit = "" if d.known_rates else f"; the metric replaces {share(worth)} of the human ratings"
        ratings = f"With {d.n_human:,} human and {d.n_metric:,} metric ratings of each system"
        if reach(self.difference_at_power, d.rate) is None:
            most = _points(largest_difference(d.rate))
            return (
                f"{ratings} nothing can be measured: around a rate of {d.rate:.1%} two systems differ by at most "
                f"{most} points, and even so much is found with less than {self.power:.0%} probability."
            )
        return (
            f"{ratings} a true difference of {_points(self.difference_at_power)} points is found with probability "
            f"{percent(self.power)}, and one of {_points(self.measurable_difference)} points half the time"
            f"{limit if d.n_metric else ''}.{_ALONE if d.n_metric and not d.known_rates else ''}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "solved": self.solved,
            "value": self.value,
            "found": self.found,
            "reason": self.reason,
            "instead": self.instead,
            "difference": self.difference,
            "power": self.power,
            "difference_at_power": reach(self.difference_at_power, self.design.rate),
            **self.measured.to_dict(),
            **({} if self.design.n_metric else dict.fromkeys(_OF_METRIC)),
            "summary": str(self),
            "signature": self.signature,
        }


def share(worth: float) -> str:
    """Say how much of the human ratings a metric can replace; tables show a tenth of a percent."""
    return f"at most {worth:.0%}" if round(worth, 3) >= 0.01 else "less than 1%"  # noqa: PLR2004 - a percent


def _needed(number: int, kind: str) -> str:
    few = number == 1
    return f"{number:,} {kind} rating{'' if few else 's'} of each system {'is' if few else 'are'} needed. "


def percent(probability: float) -> str:
    """Write a probability in percent, and never as if it were certain."""
    if probability < _NEARLY:
        return f"{probability:.0%}"
    return ">99.9%" if probability >= _AS_GOOD else f"{probability:.1%}"


def _points(difference: float | None) -> str:
    """Write a difference in points, a small one with two digits that count."""
    points = 100 * (difference or 0.0)
    return f"{points:.1f}" if points >= 1 else f"{points:.2g}"


def _found(difference: float) -> str:
    return "nothing is found" if reach(difference) is None else f"{_points(difference)} points are found"


def solve(  # noqa: PLR0913 - one parameter for each number of a plan
    *,
    rate: float,
    tpr: float | None = None,
    tnr: float | None = None,
    n_human: int | None = None,
    n_metric: int | None = None,
    n_calibration: int | None = None,
    calibration_rate: float | None = None,
    difference: float | None = None,
    power: float | None = None,
    known_rates: bool = False,
    confidence_level: float = 0.95,
) -> Plan:
    """Solve a campaign for the number that is left out; `tellapart.plan` says what each is."""
    fraction("rate", rate)
    left_out = _left_out(tpr, tnr, n_human, n_metric, difference, power)
    if difference is not None:
        difference = check_difference(difference, rate)
    wanted = POWER if power is None else check_power(power, confidence_level)
    base = Design(
        rate,
        0.75 if tpr is None else tpr,
        0.75 if tnr is None else tnr,
        n_human or 0,
        n_metric or 0,
        n_calibration,
        calibration_rate,
        known_rates=known_rates,
        confidence_level=confidence_level,
    )
    if (n_metric or left_out == "n_metric") and left_out != "accuracy" and math.isclose(base.tpr + base.tnr, 1.0):
        hint = Said("such a metric cannot measure; plan without it: ", Option("n_metric", 0))
        raise UselessMetric.rule("tpr + tnr", "differ from 1", base.tpr + base.tnr, hint)
    if left_out == "difference":
        return Plan(base, wanted, "difference")
    if left_out == "power":
        return _chance(base, difference or 0.0)
    grow = growing(base, left_out, calibrates=n_calibration is None)
    return _solve(grow, left_out, difference or 0.0, wanted)


def _chance(design: Design, difference: float) -> Plan:
    """Return how probably a difference is found; no more often than where there is none, it is not found at all."""
    power = MeasurableDifference(design).power(difference)
    if power > 1 - design.confidence_level:
        return Plan(design, power, "power", difference)
    reason = (
        f"A true difference of {_points(difference)} points cannot be found with {design.n_human:,} human and "
        f"{design.n_metric:,} metric ratings of each system: chance would tell two equal systems apart as often."
    )
    calibrated = design.n_human or design.n_calibration or design.known_rates
    instead = "Buy more ratings, or aim at a larger difference." if calibrated else "Have some outputs rated by people."
    return Plan(design, POWER, "power", difference, found=False, reason=reason, instead=instead)


def _left_out(  # noqa: PLR0913, PLR0917 - the numbers of a plan
    tpr: float | None,
    tnr: float | None,
    n_human: int | None,
    n_metric: int | None,
    difference: float | None,
    power: float | None,
) -> str:
    """Return which number is to be solved for."""
    sizes = [name for name, value in (("n_human", n_human), ("n_metric", n_metric)) if value is None]
    if (tpr is None) != (tnr is None):
        raise InvalidInput.rule(
            "tpr and tnr", "be given together", (tpr, tnr), "or left out together, to be solved for"
        )
    quality = ["accuracy"] if tpr is None and n_metric != 0 else []
    unknown = [*sizes, *quality, *(["difference"] if difference is None else [])]
    if not unknown:
        if power is not None:
            hint = f"leave out one of {', '.join(_SOLVABLE)}"
            raise InvalidInput.rule("plan", "leave one number to be found", "all given", hint)
        return "power"
    if len(unknown) > 1:
        hint = Said("give all of them but one; ", Option("n_metric", 0), " plans with people only")
        raise InvalidInput.rule("plan", "leave one number to be found", " and ".join(unknown), hint)
    return unknown[0]


def growing(base: Design, name: str, *, calibrates: bool) -> Callable[[float], Design]:
    """Return the design as a function of the number that is solved for."""
    if name == "accuracy":
        return lambda x: replace(base, tpr=x, tnr=x)
    if name == "n_human" and calibrates:
        return lambda n: replace(base, n_human=int(n), n_calibration=int(n))
    return lambda n: replace(base, n_human=int(n)) if name == "n_human" else replace(base, n_metric=int(n))


def _factor(design: Design, power: float) -> float:
    """√2·(z_{1−γ/2} + z_power): difference over standard deviation."""
    return math.sqrt(2) * float(ndtri(0.5 + design.confidence_level / 2) + ndtri(power))


def _solve(grow: Callable[[float], Design], name: str, difference: float, power: float) -> Plan:
    seen: dict[float, float] = {}

    def enough(value: float) -> bool:
        if value not in seen:
            design = grow(value)
            seen[value] = MeasurableDifference(design).sd * _factor(design, power)
        return seen[value] <= difference

    most = 1.0 if name == "accuracy" else MOST
    if not enough(most):
        return _impossible(grow, name, difference, power)
    best = _least_accuracy(enough) if name == "accuracy" else _least_size(enough, _start(grow, difference, power))
    return Plan(grow(best), power, name, difference)


def _start(grow: Callable[[float], Design], difference: float, power: float) -> int:
    """Return the size by the large-sample variance."""
    low, high = 0, MOST
    while high - low > 1:
        middle = (low + high) // 2
        design = grow(middle)
        close = math.sqrt(large_sample_variance(design)) * _factor(design, power) <= difference
        low, high = (low, middle) if close else (middle, high)
    return high


def _least_size(enough: Callable[[int], bool], start: int) -> int:
    """Return the smallest size that is enough, looking near a guess first."""
    step = max(1, start // 50)
    low, high = -1, MOST
    if enough(start):
        high = start
        while high - step > low and enough(high - step):
            high, step = high - step, 2 * step
        low = max(high - step, low)
    else:
        low = start
        while low + step < high and not enough(low + step):
            low, step = low + step, 2 * step
        high = min(low + step, high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return next((n for n in range(max(high - _BACK, 0), high) if enough(n)), high)


def _least_accuracy(enough: Callable[[float], bool]) -> float:
    low, high = 0.5, 1.0
    while high - low > 1e-4:  # noqa: PLR2004 - a hundredth of a point
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _impossible(grow: Callable[[float], Design], name: str, difference: float, power: float) -> Plan:
    """Say why nothing will do, and what would."""
    best = grow(1.0 if name == "accuracy" else MOST)
    found = _found(MeasurableDifference(best).sd * _factor(best, power))
    if name == "accuracy":
        reason = (
            f"Even a metric without any error would not do: with {best.n_human:,} human and {best.n_metric:,} metric "
            f"ratings of each system, {found}."
        )
        instead = "Buy more ratings, or aim at a larger difference."
    elif name == "n_human":
        reason = f"No number of human ratings will do: with a billion, {found}."
        instead = "Aim at a larger difference."
    else:
        why = f"however many there are, {found}, not {_points(difference)}"
        reason = f"No number of metric ratings will do: {why}. {_limit(best)}"
        instead = _with_more_people(best, difference, power)
    return Plan(best, power, name, difference, found=False, reason=reason, instead=instead)


def _limit(design: Design) -> str:
    if design.known_rates:
        return "The rates allow no more."
    return (
        f"Its error rates are too uncertain: they are estimated from {design.n_calibration:,} outputs with both "
        f"ratings, and it replaces {share(MeasurableDifference(design).worth)} of the human ratings."
    )


def _with_more_people(best: Design, difference: float, power: float) -> str:
    useful = MeasurableDifference(best).worth >= 0.05  # noqa: PLR2004 - else it saves next to nobody any work
    for n_metric in (10_000, 0) if useful else (0,):
        design = replace(best, n_metric=n_metric)
        grow = growing(design, "n_human", calibrates=best.n_calibration == best.n_human)
        found = _solve(grow, "n_human", difference, power)
        if found.found:
            beside = f"with {n_metric:,} metric ratings" if n_metric else "without the metric"
            return f"What would do: {found.design.n_human:,} human ratings of each system, {beside}."
    return "Aim at a larger difference."
