"""How good is my system?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scipy.special import betaincinv

from tellapart._version import __version__
from tellapart.analysis.design import worth
from tellapart.analysis.diagnostics import Caution, cautions
from tellapart.analysis.result import Result
from tellapart.core.density import Interval
from tellapart.core.evidence import PRIORS, Confusion, Evidence, Levels, Metric, Prior, Rates, Sampling, Tally, fraction
from tellapart.core.posterior import level_parameters, posterior
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from tellapart.core.density import Density


@dataclass(frozen=True)
class Share:
    """A share with its interval."""

    mean: float
    interval: Interval

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {"mean": self.mean, "interval": {"low": self.interval.low, "high": self.interval.high}}


def _share(positive: float, negative: float, tail: float) -> Share:
    ends = betaincinv(positive, negative, [tail, 1 - tail])
    return Share(positive / (positive + negative), Interval(float(ends[0]), float(ends[1])))


@dataclass(frozen=True)
class Quality:
    """How the metric errs, by the calibration, and its worth κ at the expected rates."""

    tpr: Share
    tnr: Share
    worth: float

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {"tpr": self.tpr.to_dict(), "tnr": self.tnr.to_dict(), "worth": self.worth}


@dataclass(frozen=True)
class Estimate(Result):
    """The rate of a system, from any mix of human and metric ratings."""

    evidence: Evidence
    prior: Prior = PRIORS["uniform"]
    confidence_level: float = 0.95

    def __post_init__(self) -> None:
        """Check the level."""
        fraction("confidence_level", self.confidence_level, open_ends=True)
        if self.evidence.sampling == "by-metric" and self.prior.name == "custom":
            hint = "choose uniform or jeffreys; the prior is then one of the table metric × truth"
            raise InvalidInput.rule("prior", "be named where sampling is by-metric", str(self.prior), hint)

    @cached_property
    def posterior(self) -> Density:
        """The exact posterior distribution of the rate."""
        return posterior(self.evidence, self.prior)

    @property
    def mean(self) -> float:
        """Expected rate."""
        return self.posterior.mean

    @property
    def sd(self) -> float:
        """Standard deviation of the rate."""
        return self.posterior.sd

    @property
    def mode(self) -> float:
        """The most probable rate."""
        return self.posterior.mode

    @property
    def median(self) -> float:
        """The rate that is as likely exceeded as not."""
        return self.posterior.median

    @cached_property
    def interval(self) -> Interval:
        """The equal-tailed interval at the confidence level."""
        return self.posterior.interval(self.confidence_level)

    @cached_property
    def human_only(self) -> Estimate:
        """The same from the human ratings alone."""
        return Estimate(Evidence(human=self.evidence.human_for_rate), self.prior, self.confidence_level)

    @cached_property
    def quality(self) -> Quality | None:
        """How the metric errs, where its rates are estimated from outputs with both ratings."""
        metric = self.evidence.metrics[0] if len(self.evidence.metrics) == 1 else None
        if metric is None or metric.confusion is None or not metric.confusion.human.total:
            return None
        (fn, tp), (tn, fp) = level_parameters(metric, self.prior)
        tail = (1 - self.confidence_level) / 2
        return Quality(_share(tp, fn, tail), _share(tn, fp, tail), worth(self.mean, tp / (tp + fn), tn / (tn + fp)))

    @property
    def saved(self) -> float | None:
        """How many human ratings more would narrow the human-only result as much as the metric does."""
        alone = self.human_only
        if not self.evidence.metrics or not alone.evidence.human.total:
            return None
        return ((alone.sd / self.sd) ** 2 - 1) * alone.evidence.human.total

    @cached_property
    def warnings(self) -> tuple[Caution, ...]:
        """Reasons to distrust the answer."""
        return cautions(self.evidence, self.prior)

    @property
    def model(self) -> str:
        """Which case of the theory applies."""
        if not self.evidence.metrics:
            return "human ratings only"
        if self.evidence.sampling == "by-metric":
            return "human ratings chosen by the metric's verdict"
        kinds = {"known" if isinstance(metric.quality, Rates) else "estimated" for metric in self.evidence.metrics}
        mixed = "human and metric ratings" if self.evidence.human_for_rate.total else "metric ratings only"
        return f"{mixed}, rates {' and '.join(sorted(kinds))}"

    @property
    def signature(self) -> str:
        """One line that makes the number reproducible."""
        return (
            f"tellapart {__version__} | {self.model} | {self.evidence} | sampling {self.evidence.sampling} | "
            f"prior {self.prior} | level {self.confidence_level:g} equal-tailed"
        )

    def __str__(self) -> str:
        """Say it in words."""
        low, high = self.interval.low, self.interval.high
        said = (
            f"The system's rate of adequate outputs is {self.mean:.1%}, between {low:.1%} and {high:.1%} "
            f"with {100 * self.confidence_level:g} % probability"
        )
        alone = self.human_only
        if not self.evidence.metrics:
            return said + f" ({_source(self.evidence)})."
        if not alone.evidence.human.total:
            return said + " (metric ratings, corrected for the metric's errors)."
        low, high = alone.interval.low, alone.interval.high
        beside = f"the human ratings alone give {alone.mean:.1%}, between {low:.1%} and {high:.1%}"
        saved = self.saved or 0.0
        gain = f"the metric is worth {saved:.0f} further human ratings" if saved > 0 else "the metric widens it"
        return f"{said}; {beside}; {gain}."

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            **_numbers(self),
            "confidence_level": self.confidence_level,
            "model": self.model,
            "human_only": _numbers(self.human_only)
            if self.evidence.metrics and self.evidence.human_for_rate.total
            else None,
            "human_ratings_saved": self.saved,
            "metric_quality": None if self.quality is None else self.quality.to_dict(),
            "prior": {"name": self.prior.name, "rate": self.prior.rate, "tpr": self.prior.tpr, "tnr": self.prior.tnr},
            "evidence": self.evidence.to_dict(),
            "warnings": [caution.to_dict() for caution in self.warnings],
            "summary": str(self),
            "signature": self.signature,
        }


def _numbers(estimate: Estimate) -> dict[str, Any]:
    low, high = estimate.interval.low, estimate.interval.high
    return {
        "mean": estimate.mean,
        "sd": estimate.sd,
        "mode": estimate.mode,
        "median": estimate.median,
        "interval": {"low": low, "high": high},
    }


def _source(evidence: Evidence) -> str:
    human = evidence.human_for_rate
    return f"{human} by human ratings" if human.total else "no ratings: this is the prior"


def estimate(  # noqa: PLR0913 - one parameter for each kind of evidence
    *,
    human: Tally | tuple[int, int] = (0, 0),
    metric: Tally | Sequence[int] | None = None,
    calibration: Confusion | Levels | None = None,
    rates: Rates | tuple[float, float] | None = None,
    sampling: Sampling = "random",
    prior: Prior | str | Sequence[float] = "uniform",
    confidence_level: float = 0.95,
) -> Estimate:
    """Estimate the rate of adequate outputs of a system.

    Parameters
    ----------
    human : Tally or (positive, total)
        Human ratings of a random sample of the system's outputs.
    metric : Tally, (positive, total) or one count for each level
        Ratings by the metric, of outputs *without* a human rating. With `Levels` as calibration: how many
        outputs got each level.
    calibration : Confusion or Levels
        Outputs with both ratings; they tell how the metric errs. May be the human-rated outputs themselves.
    rates : Rates or (tpr, tnr)
        The metric's rates, where they are known exactly, in place of a calibration.
    sampling : {"random", "balanced", "by-metric"}
        How the human-rated outputs were chosen.
    prior : {"uniform", "jeffreys"}, pair or Prior
        What is believed beforehand; a pair (a, b) is a Beta prior of the rate.
    confidence_level : float
        Probability of the interval.

    Returns
    -------
    Estimate

    Raises
    ------
    InvalidInput
        Where counts are impossible or do not fit together.

    Examples
    --------
    >>> result = estimate(human=(60, 100), calibration=Confusion(tp=42, fn=18, tn=28, fp=12), metric=(540, 1000))
    >>> round(result.mean, 9), round(result.sd, 9)
    (0.598306309, 0.044825044)
    """
    tally = human if isinstance(human, Tally) else Tally(*_pair("human", human))
    metrics = () if metric is None and calibration is None else (_metric(metric, calibration, rates),)
    if rates is not None and metric is None:
        raise InvalidInput.rule(
            "metric", "be given where the metric's rates are", None, "for example metric=(540, 1000)"
        )
    return Estimate(Evidence(tally, metrics, sampling), Prior.of(prior), confidence_level)


def _metric(
    metric: Tally | Sequence[int] | None,
    calibration: Confusion | Levels | None,
    rates: Rates | tuple[float, float] | None,
) -> Metric:
    if calibration is not None and rates is not None:
        raise InvalidInput.rule(
            "rates", "be left out where a calibration is given", rates, "rates are either known or estimated"
        )
    if isinstance(calibration, Levels):
        counts = metric if metric is not None else (0,) * len(calibration.adequate)
        if isinstance(counts, Tally):
            counts = (counts.total - counts.positive, counts.positive)
        return Metric(tuple(counts), calibration)
    tally = metric if isinstance(metric, Tally) else Tally(*_pair("metric", metric if metric is not None else (0, 0)))
    if rates is not None:
        return Metric.binary(tally, rates if isinstance(rates, Rates) else Rates(*_pair("rates", rates)))
    return Metric.binary(tally, calibration if calibration is not None else Confusion(0, 0, 0, 0))


def _pair(where: str, value: Any) -> tuple[Any, Any]:  # noqa: ANN401 - whatever the user passed
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:  # noqa: PLR2004 - a pair
        raise InvalidInput.rule(where, "be a pair", value, "for example (60, 100): positive, total")
    return value[0], value[1]
