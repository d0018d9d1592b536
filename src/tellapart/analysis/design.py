"""What difference can this set-up measure at all?"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from scipy.special import ndtr, ndtri

from tellapart._version import __version__
from tellapart.core.counts import Confusion, KnownRates, Tally, as_number, fraction, whole
from tellapart.core.evidence import Evidence
from tellapart.core.moments import moments
from tellapart.core.prior import Prior
from tellapart.errors import InvalidInput, UselessMetric

if TYPE_CHECKING:
    from collections.abc import Callable

Rounding = Literal["half-up", "half-even", "none"]
_ROUND: dict[str, Callable[[float], int]] = {
    "half-up": lambda x: math.floor(x + 0.5),
    "half-even": round,
    "none": round,
}


def worth(rate: float, tpr: float, tnr: float) -> float:
    """Return κ, the largest share of the human ratings that the metric can replace.

    κ = α(1−α)(ρ+η−1)² / (p(1−p)) is the squared correlation of metric and truth.

    Examples
    --------
    >>> round(worth(0.6, 0.7, 0.7), 3)
    0.155
    """
    alpha, rho, eta = fraction("rate", rate), fraction("tpr", tpr), fraction("tnr", tnr)
    p, q = alpha * rho + (1 - alpha) * (1 - eta), alpha * (1 - rho) + (1 - alpha) * eta  # 1 − p would lose digits
    return min(1.0, alpha * (1 - alpha) * (rho + eta - 1) ** 2 / (p * q)) if p * q else 0.0


def flip(design: Design) -> str:
    """Say what to do with a metric that is reversed."""
    return (
        " With tpr + tnr below 1 the metric passes bad outputs more readily than good ones: flip its ratings."
        * design.reversed
    )


def check_power(power: float, confidence_level: float) -> float:
    """Return a power that is more than the chance of a false verdict, or say why it is none."""
    found = fraction("power", power, open_ends=True)
    if found <= 1 - fraction("confidence_level", confidence_level, open_ends=True):
        least = 1 - confidence_level
        hint = "so often a difference is found where there is none; 0.8 is usual"
        raise InvalidInput.rule("power", f"be above {least:g}, one minus the confidence level", power, hint)
    return found


def reach(difference: float, rate: float = 0.5) -> float | None:
    """Return a difference, or nothing where two rates with that mean cannot differ so much.

    Examples
    --------
    >>> reach(0.15, rate=0.9), reach(0.25, rate=0.9)
    (0.15, None)
    """
    return difference if difference <= largest_difference(rate) else None


def largest_difference(rate: float) -> float:
    """Return how much two rates with that mean can differ at the most."""
    return 2 * min(rate, 1 - rate)


def check_difference(difference: float, rate: float) -> float:
    """Return a difference that two rates with that mean can have, or say why it is none."""
    found = points("difference", difference)
    if reach(found, rate) is None:
        hint = "the rate is the mean of the two systems' rates"
        largest = largest_difference(rate)
        raise InvalidInput.rule("difference", f"be at most {largest:g} around a rate of {rate:g}", difference, hint)
    return found


def points(name: str, difference: float) -> float:
    """Return a difference of two rates, or say why it is none."""
    if not 0 < (found := as_number(difference)) <= 1:
        raise InvalidInput.rule(name, "lie above 0 and be at most 1", difference, "write 0.05 for 5 points")
    return found


@dataclass(frozen=True)
class Design:
    """A rating campaign for each of two systems: how many ratings of which kind, at what expected quality.

    Parameters
    ----------
    rate : float
        Expected rate of adequate outputs, α: the mean of the two systems' rates.
    tpr, tnr : float
        Expected quality of the metric, ρ and η.
    n_human, n_metric : int
        Human ratings and (further) metric ratings of each system.
    n_calibration : int, optional
        Outputs with both ratings; by default the human-rated ones.
    calibration_rate : float, optional
        Share of adequate outputs among these, ψ; by default the rate.
    known_rates : bool
        Whether tpr and tnr are known exactly instead of estimated from the calibration.
    confidence_level : float
        1 − γ.
    rounding : {"half-up", "half-even", "none"}
        How expected counts are rounded; the paper's tables were made with "half-even". With "none" human and
        calibration counts stay fractions, so that what is measured does not jump from one size to the next.
    """

    rate: float
    tpr: float
    tnr: float
    n_human: int
    n_metric: int
    n_calibration: int | None = None
    calibration_rate: float | None = None
    known_rates: bool = False
    confidence_level: float = 0.95
    rounding: Rounding = "half-up"

    def __post_init__(self) -> None:
        """Check every number."""
        for name in ("rate", "tpr", "tnr"):
            object.__setattr__(self, name, fraction(name, getattr(self, name)))
        for name in ("n_human", "n_metric"):
            object.__setattr__(self, name, whole(name, getattr(self, name)))
        level = fraction("confidence_level", self.confidence_level, open_ends=True)
        object.__setattr__(self, "confidence_level", level)
        if self.rounding not in _ROUND:
            raise InvalidInput.rule("rounding", f"be one of {', '.join(_ROUND)}", self.rounding)
        calibration = self.n_human if self.n_calibration is None else self.n_calibration
        share = self.rate if self.calibration_rate is None else self.calibration_rate
        object.__setattr__(self, "n_calibration", whole("n_calibration", calibration))
        object.__setattr__(self, "calibration_rate", fraction("calibration_rate", share))

    @property
    def reversed(self) -> bool:
        """Whether the metric passes bad outputs more readily than good ones."""
        return self.n_metric > 0 and self.tpr + self.tnr < 1 and not math.isclose(self.tpr + self.tnr, 1.0)

    @property
    def evidence(self) -> Evidence:
        """The counts to expect, rounded (paper, appendix B)."""
        nearest = _ROUND[self.rounding]
        human = Tally(nearest(self.rate * self.n_human), self.n_human)
        if not self.n_metric:
            return Evidence.of(human)
        passed = self.rate * self.tpr + (1 - self.rate) * (1 - self.tnr)
        tally = Tally(nearest(passed * self.n_metric), self.n_metric)
        if self.known_rates:
            return Evidence.of(human, metric=tally, rates=KnownRates(self.tpr, self.tnr))
        n = self.n_calibration or 0
        adequate = nearest((self.calibration_rate or 0.0) * n)
        tp, tn = nearest(self.tpr * adequate), nearest(self.tnr * (n - adequate))
        confusion = Confusion(tp, adequate - tp, tn, n - adequate - tn)
        return Evidence.of(human, calibration=confusion, metric=tally)

    @property
    def unrounded(self) -> tuple[Evidence, Prior]:
        """The metric ratings to expect, with all other counts, unrounded, in the prior: the posterior is the same."""
        n, share = self.n_calibration or 0, self.calibration_rate or 0.0
        adequate, inadequate = share * n, (1 - share) * n
        prior = Prior(
            (1 + self.rate * self.n_human, 1 + (1 - self.rate) * self.n_human),
            (1 + self.tpr * adequate, 1 + (1 - self.tpr) * adequate),
            (1 + self.tnr * inadequate, 1 + (1 - self.tnr) * inadequate),
        )
        rated = replace(self, n_human=0, n_calibration=0, rounding="half-up").evidence
        return rated, prior


@dataclass(frozen=True)
class MeasurableDifference:
    """What a design can tell apart.

    `measurable_difference` is the paper's ε: an observed difference of that size comes out significant, and a true
    difference of that size is found half the time.
    """

    design: Design

    @cached_property
    def sd(self) -> float:
        """Posterior standard deviation of the rate at the expected counts."""
        if self.design.rounding == "none":
            return moments(*self.design.unrounded)[1]
        return moments(self.design.evidence)[1]

    @property
    def measurable_difference(self) -> float:
        """ε = √2 · σ · z_{1−γ/2}."""
        return math.sqrt(2) * self.sd * float(ndtri(0.5 + self.design.confidence_level / 2))

    def with_power(self, power: float = 0.8) -> float:
        """Return the true difference found with the given probability: √2 · σ · (z_{1−γ/2} + z_power)."""
        check_power(power, self.design.confidence_level)
        return self.measurable_difference + math.sqrt(2) * self.sd * float(ndtri(power))

    def power(self, difference: float) -> float:
        """Return the probability of finding a true difference: Φ(difference / (√2 · σ) − z_{1−γ/2})."""
        z = difference / (math.sqrt(2) * self.sd) - float(ndtri(0.5 + self.design.confidence_level / 2))
        return float(ndtr(z))

    @property
    def worth(self) -> float:
        """Largest share of the human ratings that the metric can replace, κ."""
        return worth(self.design.rate, self.design.tpr, self.design.tnr)

    @property
    def signature(self) -> str:
        """One line that makes the number reproducible."""
        d = self.design
        start = f"tellapart {__version__} | measurable difference from expected counts ({d.rounding})"
        end = f"metric {d.n_metric} | prior uniform | level {d.confidence_level:g}"
        if not d.n_metric:
            return f"{start} | rate {d.rate:g} | human {d.n_human}, {end}"
        rates = "known rates" if d.known_rates else "estimated rates"
        return (
            f"{start} | {rates} | rate {d.rate:g}, tpr {d.tpr:g}, tnr {d.tnr:g} | human {d.n_human}, calibration "
            f"{d.n_calibration} at {d.calibration_rate:g}, {end}"
        )

    def __str__(self) -> str:
        """Say it in words."""
        return self.said()

    def said(self, where: str = "") -> str:
        """Say it in words, and of which of several designs it is."""
        d = self.design
        ratings = f"{d.n_human:,} human and {d.n_metric:,} metric ratings of each system"
        ratings += f" at {where}" if where else ""
        if reach(self.measurable_difference) is None:
            return f"With {ratings} nothing can be measured: no difference at all would come out significant."
        found = f"a true difference of {100 * self.with_power():.1f} points is found four times in five"
        if reach(self.with_power()) is None:
            found = "no true difference at all is found four times in five"
        return (
            f"With {ratings}, a difference of {100 * self.measurable_difference:.1f} points comes out significant at "
            f"the {100 * d.confidence_level:g}% level; {found}{self._limit()}.{flip(d)}"
        )

    def _limit(self) -> str:
        """Say what κ means, where it is a limit: the rates are estimated from the human-rated outputs."""
        if not self.design.n_metric or self.design.known_rates or self.design.n_calibration != self.design.n_human:
            return ""
        return f"; the metric replaces at most {self.worth:.0%} of the human ratings"

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "measurable_difference": reach(self.measurable_difference),
            "difference_at_80_power": reach(self.with_power(0.8)),
            "sd": self.sd,
            "worth": self.worth if self.design.n_metric else None,
            "reversed": self.design.reversed,
            **asdict(self.design),
            "summary": str(self),
            "signature": self.signature,
        }


def measurable_difference(design: Design) -> MeasurableDifference:
    """Return the difference that the design can measure, from the exact posterior at the expected counts.

    Examples
    --------
    >>> result = measurable_difference(Design(rate=0.6, tpr=0.7, tnr=0.7, n_human=100, n_metric=1000))
    >>> round(result.measurable_difference, 4)
    0.1242
    """
    return MeasurableDifference(design)


def large_sample_difference(design: Design) -> float:
    """Return ε from the large-sample variance of docs/theory.md, without any posterior.

        v_human  = α(1−α)/n_Φ
        v_metric = [p(1−p)/n_M + α²ρ(1−ρ)/n_p + (1−α)²η(1−η)/n_n] / (ρ+η−1)²
        1/σ²     = 1/v_human + 1/v_metric

    Raises
    ------
    UselessMetric
        Where nothing at all is measured: no human ratings, and a metric with tpr + tnr = 1 or without calibration.

    Examples
    --------
    >>> round(large_sample_difference(Design(rate=0.6, tpr=0.7, tnr=0.7, n_human=100, n_metric=1000)), 3)
    0.126
    """
    variance = large_sample_variance(design)
    if variance == math.inf:
        hint = "add human ratings, or calibrate the metric"
        raise UselessMetric.rule("design", "measure something", str(design), hint)
    return math.sqrt(2 * variance) * float(ndtri(0.5 + design.confidence_level / 2))


def large_sample_variance(design: Design) -> float:
    """Return σ² of `large_sample_difference`; infinite where nothing is measured."""
    return variance_with(design, design.n_human, design.n_metric, design.n_calibration or 0)


def variance_with(design: Design, n_human: int, n_metric: int, n_calibration: int) -> float:
    """Return the same with other numbers of ratings."""
    d = design
    alpha, rho, eta = d.rate, d.tpr, d.tnr
    precision = n_human / (alpha * (1 - alpha)) if 0 < alpha < 1 else math.inf
    adequate = (d.calibration_rate or 0.0) * n_calibration
    inadequate = n_calibration - adequate
    p = alpha * rho + (1 - alpha) * (1 - eta)
    if n_metric and not math.isclose(rho + eta, 1.0) and (d.known_rates or min(adequate, inadequate) > 0):
        variance = p * (1 - p) / n_metric
        if not d.known_rates:
            variance += alpha**2 * rho * (1 - rho) / adequate + (1 - alpha) ** 2 * eta * (1 - eta) / inadequate
        precision += (rho + eta - 1) ** 2 / variance if variance else math.inf
    return 1 / precision if precision else math.inf
