"""How good is my system?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tellapart._version import __version__
from tellapart.analysis.cautions import Caution, doubts
from tellapart.analysis.design import worth
from tellapart.analysis.diagnostics import best_cut, cautions
from tellapart.analysis.result import Result
from tellapart.analysis.signature import signed, unusual
from tellapart.core.counts import ADEQUACY, BINARY, Confusion, KnownRates, Levels, Tally, fraction
from tellapart.core.density import Density
from tellapart.core.evidence import Evidence, Sampling
from tellapart.core.intervals import INTERVALS, Interval, IntervalKind, check_interval
from tellapart.core.posterior import beta, level_parameters, posterior
from tellapart.core.prior import PRIORS, Prior
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tellapart.core.distribution import Distribution

_LITTLE = 0.1  # of the human ratings: hardly anything


@dataclass(frozen=True)
class Share:
    """A share with its interval."""

    mean: float
    interval: Interval

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {"mean": self.mean, "interval": {"low": self.interval.low, "high": self.interval.high}}


def _share(positive: float, negative: float, confidence_level: float, kind: IntervalKind) -> Share:
    return Share(positive / (positive + negative), beta(positive, negative).interval(confidence_level, kind=kind))


@dataclass(frozen=True)
class Quality:
    """How the metric errs, by the calibration, and its worth κ at the expected rates."""

    tpr: Share
    tnr: Share
    worth: float

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {"tpr": self.tpr.to_dict(), "tnr": self.tnr.to_dict(), "worth": self.worth}


@dataclass(frozen=True, repr=False)
class Estimate(Result):
    """The rate of a system, from any mix of human and metric ratings."""

    kind = "estimate"
    evidence: Evidence
    prior: Prior = PRIORS["uniform"]
    confidence_level: float = 0.95
    interval_kind: IntervalKind = "highest-density"

    def __post_init__(self) -> None:
        """Check the level and the kind of interval."""
        level = fraction("confidence_level", self.confidence_level, open_ends=True)
        object.__setattr__(self, "confidence_level", level)
        check_interval(self.interval_kind)
        if self.evidence.sampling == "by-metric" and self.prior.name == "custom":
            hint = "choose uniform or jeffreys; the prior is then one of the table metric × truth"
            raise InvalidInput.rule("prior", "be named where sampling is by-metric", str(self.prior), hint)

    @cached_property
    def posterior(self) -> Distribution:
        """The posterior distribution of the rate, or of the mean rating."""
        return posterior(self.evidence, self.prior)

    @property
    def is_rate(self) -> bool:
        """Whether this is a rate of adequate outputs, and no mean rating on a scale."""
        return self.evidence.own.truth == ADEQUACY

    @property
    def measure(self) -> str:
        """What is measured."""
        names = self.evidence.own.truth.names
        return "rate of adequate outputs" if self.is_rate else f"mean rating, from {names[0]} to {names[-1]}"

    @property
    def mean(self) -> float:
        """Expected rate."""
        return self.posterior.mean

    @property
    def sd(self) -> float:
        """Standard deviation of the rate."""
        return self.posterior.sd

    @property
    def mode(self) -> float | None:
        """The most probable rate; of a mean rating it is not known."""
        return self.posterior.mode if isinstance(self.posterior, Density) else None

    @property
    def median(self) -> float:
        """The rate that is as likely exceeded as not."""
        return self.posterior.median

    @cached_property
    def interval(self) -> Interval:
        """The interval at the confidence level, of the kind that was asked for."""
        return self.posterior.interval(self.confidence_level, kind=self.interval_kind)

    @cached_property
    def human_only(self) -> Estimate:
        """The same from the human ratings alone."""
        return Estimate(self.evidence.people_only, self.prior, self.confidence_level, self.interval_kind)

    @cached_property
    def best_cut(self) -> Estimate | None:
        """The same as if a judge with levels only passed or failed outputs, by the best cut of its levels."""
        if self.evidence.classes != BINARY or self.evidence.levels <= BINARY or self.evidence.sampling != "random":
            return None
        return Estimate(best_cut(self.evidence), self.prior, self.confidence_level, self.interval_kind)

    @cached_property
    def quality(self) -> Quality | None:
        """How the metric errs, where its rates are estimated from outputs with both ratings."""
        if self.evidence.confusion is None or self.evidence.fused or not self.evidence.n_calibration:
            return None
        (tn, fp), (fn, tp) = level_parameters(self.evidence, self.prior)
        how = self.confidence_level, self.interval_kind
        return Quality(_share(tp, fn, *how), _share(tn, fp, *how), worth(self.mean, tp / (tp + fn), tn / (tn + fp)))

    @property
    def human_ratings_saved(self) -> float | None:
        """How many human ratings more would narrow the human-only result as much as the metric does."""
        alone = self.human_only
        if not self.evidence.levels or not alone.evidence.n_human:
            return None
        return ((alone.sd / self.sd) ** 2 - 1) * alone.evidence.n_human

    @cached_property
    def warnings(self) -> tuple[Caution, ...]:
        """Reasons to distrust the answer."""
        return tuple(self._weighed(caution) for caution in cautions(self.evidence, self.prior))

    def _weighed(self, caution: Caution) -> Caution:
        """Tell of a metric that was not shown to be of use whether it adds something all the same."""
        if caution.code != "useless-metric":
            return caution
        return caution.but(adds=(self.human_ratings_saved or 0.0) > _LITTLE * self.human_only.evidence.n_human)

    @property
    def model(self) -> str:
        """Which case of the theory applies."""
        if not self.evidence.levels:
            return "human ratings only"
        if self.evidence.sampling == "by-metric":
            return "human ratings chosen by the metric's verdict"
        if self.evidence.classes == BINARY and self.evidence.drawn.total:
            return "balanced human ratings, and the metric's of the rest"
        metrics = self.evidence, *self.evidence.fused
        kinds = {"estimated" if metric.rates is None else "known" for metric in metrics}
        mixed = "human and metric ratings" if self.evidence.people_only.n_human else "metric ratings only"
        return f"{mixed}, rates {' and '.join(sorted(kinds))}"

    @property
    def signature(self) -> str:
        """One short line that stands for all settings and counts."""
        kind = "" if self.interval_kind == "highest-density" else f" {self.interval_kind}"
        settings = unusual(self.evidence.sampling, self.prior)
        return signed(self.provenance, self.model, *settings, f"level {self.confidence_level:g}{kind}")

    @property
    def provenance(self) -> str:
        """All settings and counts: what makes the number reproducible."""
        return (
            f"tellapart {__version__} | {self.model} | {self.evidence} | sampling {self.evidence.sampling} | "
            f"prior {self.prior} | level {self.confidence_level:g} {self.interval_kind}"
        )

    def __str__(self) -> str:
        """Say it in words: what the human ratings say alone, where the metric's cannot be relied on."""
        alone, reasons = self.human_only, doubts(self.warnings)
        if reasons:
            return self.doubted(reasons)
        if not self.evidence.levels:
            return f"{self._said()} ({_source(self.evidence)})."
        if not alone.evidence.n_human:
            return f"{self._said()} (metric ratings, corrected for the metric's errors)."
        return f"{self._said()}; the human ratings alone give {alone.spread}{self._gain()}."

    def _gain(self) -> str:
        """Say what the metric adds to the human ratings; nothing where that is nothing."""
        extra = round(self.human_ratings_saved or 0.0)
        if extra > 0:
            return f"; the metric is equivalent to {extra:,} extra human rating{'s' if extra > 1 else ''}"
        return "; the metric makes the interval wider" if extra < 0 else ""

    def doubted(self, reasons: Sequence[str]) -> str:
        """Say what is left if something speaks against the answer."""
        alone, because = self.human_only, " and ".join(reasons)
        if not alone.evidence.n_human:
            return f"No rate can be relied on: {because}. What the ratings seem to say is {self.spread}."
        beside = f" With the metric it would be {self.spread}." if self.evidence.levels else ""
        return f"By the human ratings alone, {_lower(alone._said())}. More cannot be relied on: {because}.{beside}"  # noqa: SLF001

    def _said(self) -> str:
        level = f"{100 * self.confidence_level:g}%"
        return f"The system's {self.measure}{'' if self.is_rate else ','} is {self.spread} with {level} probability"

    @property
    def spread(self) -> str:
        """The rate or mean rating and its interval in words."""
        form = "{:.1%}" if self.is_rate else "{:.2f}"
        mean, low, high = map(form.format, (self.mean, self.interval.low, self.interval.high))
        return f"{mean}, between {low} and {high}"

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            **_numbers(self),
            "confidence_level": self.confidence_level,
            "interval_kind": self.interval_kind,
            "model": self.model,
            "measure": self.measure,
            "is_rate": self.is_rate,
            "best_cut": None if self.best_cut is None else _numbers(self.best_cut),
            "human_only": _numbers(self.human_only) if self.evidence.people_only.n_human else None,
            "human_ratings_saved": self.human_ratings_saved,
            "metric_quality": None if self.quality is None else self.quality.to_dict(),
            "prior": {"name": self.prior.name, "rate": self.prior.rate, "tpr": self.prior.tpr, "tnr": self.prior.tnr},
            "evidence": self.evidence.to_dict(),
            "doubts": list(doubts(self.warnings)),
            "warnings": [caution.to_dict() for caution in self.warnings],
            "summary": str(self),
            "signature": self.signature,
            "provenance": self.provenance,
        }


def _numbers(estimate: Estimate) -> dict[str, Any]:
    return {
        "mean": estimate.mean,
        "sd": estimate.sd,
        "mode": estimate.mode,
        "median": estimate.median,
        **intervals(estimate.posterior, estimate.confidence_level, estimate.interval_kind),
    }


def intervals(distribution: Any, confidence_level: float, kind: IntervalKind) -> dict[str, Any]:  # noqa: ANN401
    """Return the interval of the kind that was asked for, and every kind by its name."""
    found = {name: asdict(distribution.interval(confidence_level, kind=name)) for name in INTERVALS}
    return {"interval": found[kind], **{name.replace("-", "_"): ends for name, ends in found.items()}}


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def _source(evidence: Evidence) -> str:
    n = evidence.people_only.n_human
    if evidence.classes != BINARY:
        return f"{n} human rating{'s' * (n != 1)}"
    return f"{evidence.human} by human ratings" if n else "no ratings: this is the prior"


def estimate(  # noqa: PLR0913 - one parameter for each kind of evidence
    *,
    human: Tally | tuple[int, int] = (0, 0),
    metric: Tally | Sequence[int] | None = None,
    calibration: Confusion | Levels | None = None,
    rates: KnownRates | tuple[float, float] | None = None,
    sampling: Sampling = "random",
    prior: Prior | str | Sequence[float] = "uniform",
    confidence_level: float = 0.95,
    interval: IntervalKind = "highest-density",
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
        Neighbouring levels are merged until each holds ten of them.
    rates : KnownRates or (tpr, tnr)
        The metric's rates, where they are known exactly, in place of a calibration.
    sampling : {"random", "balanced", "by-metric"}
        How the human-rated outputs were chosen.
    prior : {"uniform", "jeffreys"}, pair or Prior
        What is believed beforehand; a pair (a, b) is a Beta prior of the rate.
    confidence_level : float
        Probability of the interval.
    interval : {"highest-density", "equal-tailed"}
        The shortest interval, or the one that leaves as much probability below as above.

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
    evidence = Evidence.of(human, calibration=calibration, metric=metric, rates=rates, sampling=sampling)
    return Estimate(evidence.merged(), Prior.of(prior), confidence_level, interval)
