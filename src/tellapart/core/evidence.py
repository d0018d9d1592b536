"""What was observed about one system: a handful of counts that check themselves."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, get_args

from tellapart.errors import InvalidInput, UselessMetric

_NEAR_END = 1e-12  # levels nearer to 0 or 1 have no normal quantile
MOST = 10**12  # beyond this, rounding of the rates themselves would show
Sampling = Literal["random", "balanced", "by-metric"]
SAMPLINGS: tuple[str, ...] = get_args(Sampling)


def whole(where: str, value: object) -> int:
    """Return a count as an int, or say why it is none."""
    hint = "counts are whole numbers from 0 to 10^12"
    number = _number(value)
    if not number.is_integer():
        raise InvalidInput.rule(where, "be a whole number", value, hint)
    if not 0 <= number <= MOST:
        raise InvalidInput.rule(where, "lie between 0 and 10^12", value, hint)
    return int(number)


def fraction(where: str, value: object, *, open_ends: bool = False) -> float:
    """Return a number between 0 and 1 as a float, or say why it is none."""
    rule = "be a number between 0 and 1" + (", ends excluded" if open_ends else "")
    number = _number(value)
    if not 0 <= number <= 1:
        raise InvalidInput.rule(where, rule, value, "write 0.95 for 95 %")
    if open_ends and not _NEAR_END <= number <= 1 - _NEAR_END:
        raise InvalidInput.rule(where, rule, value, "write 0.95 for 95 %")
    return number


def _number(value: object) -> float:
    """Return a number as a float; anything else, infinite or too large for one, as not a number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        number = float(value)
    except OverflowError:
        return sys.float_info.max
    return number if math.isfinite(number) else math.nan


@dataclass(frozen=True)
class Tally:
    """`positive` of `total` outputs were rated adequate."""

    positive: int
    total: int

    def __post_init__(self) -> None:
        """Check the counts."""
        object.__setattr__(self, "positive", whole("positive", self.positive))
        object.__setattr__(self, "total", whole("total", self.total))
        if self.positive > self.total:
            hint = f"write positive/total; did you mean {self.total}/{self.positive}?"
            raise InvalidInput.rule("positive", f"be at most the total, {self.total}", self.positive, hint)

    def __str__(self) -> str:
        """Write as on the command line: 60/100."""
        return f"{self.positive}/{self.total}"


@dataclass(frozen=True)
class Confusion:
    """Outputs that carry both ratings: the metric's verdict against the human one.

    Parameters
    ----------
    tp, fn : int
        Adequate outputs that the metric passed, and failed.
    tn, fp : int
        Inadequate outputs that the metric failed, and passed.
    """

    tp: int
    fn: int
    tn: int
    fp: int

    def __post_init__(self) -> None:
        """Check the counts."""
        for name in ("tp", "fn", "tn", "fp"):
            object.__setattr__(self, name, whole(name, getattr(self, name)))
        whole("tp + fn + tn + fp", self.tp + self.fn + self.tn + self.fp)

    def __str__(self) -> str:
        """Write as on the command line: tp=42,fn=18,tn=28,fp=12."""
        return f"tp={self.tp},fn={self.fn},tn={self.tn},fp={self.fp}"

    @property
    def human(self) -> Tally:
        """The human ratings of these outputs, which are also evidence of the rate if they are a random sample."""
        return Tally(self.tp + self.fn, self.tp + self.fn + self.tn + self.fp)


@dataclass(frozen=True)
class Levels:
    """Outputs that carry both ratings, for a judge with K levels: how many of each level, by human verdict."""

    adequate: tuple[int, ...]
    inadequate: tuple[int, ...]

    def __post_init__(self) -> None:
        """Check the counts."""
        for name in ("adequate", "inadequate"):
            counts = tuple(whole(f"{name}[{k}]", value) for k, value in enumerate(getattr(self, name)))
            object.__setattr__(self, name, counts)
        if len(self.adequate) != len(self.inadequate) or len(self.adequate) < 2:  # noqa: PLR2004 - a judge needs two
            hint = "one count for each level of the judge, at least two levels"
            raise InvalidInput.rule("inadequate", f"have {len(self.adequate)} levels", self.inadequate, hint)
        whole("adequate + inadequate", sum(self.adequate) + sum(self.inadequate))

    def __str__(self) -> str:
        """Write both rows of counts."""
        return f"adequate={_slashed(self.adequate)},inadequate={_slashed(self.inadequate)}"


@dataclass(frozen=True)
class KnownRates:
    """A metric whose quality is known: its true positive and true negative rate."""

    tpr: float
    tnr: float

    def __post_init__(self) -> None:
        """Check the rates."""
        object.__setattr__(self, "tpr", fraction("tpr", self.tpr))
        object.__setattr__(self, "tnr", fraction("tnr", self.tnr))
        if math.isclose(self.tpr + self.tnr, 1.0, abs_tol=1e-12):
            hint = "a metric that says the same of adequate and inadequate outputs cannot measure; leave it out"
            raise UselessMetric.rule("tpr + tnr", "differ from 1", self.tpr + self.tnr, hint)

    def __str__(self) -> str:
        """Write both rates."""
        return f"tpr={self.tpr:g},tnr={self.tnr:g}"


@dataclass(frozen=True)
class Metric:
    """The ratings of one metric, or LLM judge, and what is known of its quality.

    Parameters
    ----------
    counts : tuple of int
        How many outputs without a human rating got each level; for a binary metric: rated 0, rated 1.
    quality : Levels or KnownRates
        Calibration counts by level, or known rates.
    """

    counts: tuple[int, ...]
    quality: Levels | KnownRates

    @classmethod
    def binary(cls, tally: Tally, quality: Confusion | KnownRates) -> Metric:
        """Make the everyday case: a metric that passes or fails an output."""
        counts = (tally.total - tally.positive, tally.positive)
        if isinstance(quality, Confusion):
            return cls(counts, Levels((quality.fn, quality.tp), (quality.tn, quality.fp)))
        return cls(counts, quality)

    def __post_init__(self) -> None:
        """Check that counts and quality speak of the same levels."""
        counts = tuple(whole(f"metric[{k}]", value) for k, value in enumerate(self.counts))
        object.__setattr__(self, "counts", counts)
        whole("metric", self.total)
        expected = len(self.quality.adequate) if isinstance(self.quality, Levels) else 2
        if len(counts) != expected:
            hint = "give one count of metric ratings for each level of the calibration"
            raise InvalidInput.rule("metric", f"have {expected} levels", self.counts, hint)

    def add(self, other: Metric) -> Metric:
        """Return the ratings and the calibration of both together."""
        mine, theirs = self.quality, other.quality
        if isinstance(mine, KnownRates) or isinstance(theirs, KnownRates):
            raise InvalidInput.rule("metric", "have calibration counts", str(other), "known rates cannot be added up")
        pairs = ((self.counts, other.counts), (mine.adequate, theirs.adequate), (mine.inadequate, theirs.inadequate))
        counts, adequate, inadequate = (tuple(a + b for a, b in zip(x, y, strict=True)) for x, y in pairs)
        return Metric(counts, Levels(adequate, inadequate))

    @property
    def total(self) -> int:
        """Number of outputs rated by the metric alone."""
        return sum(self.counts)

    def __str__(self) -> str:
        """Write quality and ratings."""
        if len(self.counts) > 2:  # noqa: PLR2004 - binary
            return f"calibration {self.quality}, metric {_slashed(self.counts)}"
        quality = f"rates {self.quality}" if isinstance(self.quality, KnownRates) else f"calibration {self.confusion}"
        return f"{quality}, metric {self.counts[1]}/{self.total}"

    @property
    def confusion(self) -> Confusion | None:
        """The calibration counts of a binary metric with estimated rates."""
        if isinstance(self.quality, KnownRates) or len(self.counts) != 2:  # noqa: PLR2004 - binary
            return None
        (fn, tp), (tn, fp) = self.quality.adequate, self.quality.inadequate
        return Confusion(tp=tp, fn=fn, tn=tn, fp=fp)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-safe counts."""
        if isinstance(self.quality, KnownRates):
            quality: dict[str, Any] = {"tpr": self.quality.tpr, "tnr": self.quality.tnr}
        else:
            quality = {"adequate": list(self.quality.adequate), "inadequate": list(self.quality.inadequate)}
        return {"counts": list(self.counts), **quality}


@dataclass(frozen=True)
class Evidence:
    """All that was observed about one system.

    Parameters
    ----------
    human : Tally
        Error-free ratings.
    metrics : tuple of Metric
        Ratings by metrics, of outputs *without* a human rating, with the calibration of each.
    sampling : {"random", "balanced", "by-metric"}
        How the human-rated outputs were chosen: as a random sample of the system's outputs; so many adequate, so many
        not (their share of adequate ones says nothing of the rate); or by the metric's verdict (they tell how often
        each verdict is right). Balanced outputs given as `human` were drawn from the very outputs of which the metric
        alone rated the rest; balanced outputs from elsewhere are calibration, and no `human`.
    """

    human: Tally = Tally(0, 0)
    metrics: tuple[Metric, ...] = ()
    sampling: Sampling = "random"

    def __post_init__(self) -> None:
        """Check that the parts fit together."""
        if self.sampling not in SAMPLINGS:
            raise InvalidInput.rule("sampling", f"be one of {', '.join(SAMPLINGS)}", self.sampling)
        if self.sampling == "by-metric":
            if len(self.metrics) != 1 or isinstance(self.metrics[0].quality, KnownRates):
                hint = "outputs chosen by a metric's verdict calibrate that one metric"
                raise InvalidInput.rule("metrics", "be one metric with calibration counts", len(self.metrics), hint)
            levels = self.metrics[0].quality
            rated = [a + b for a, b in zip(levels.adequate, levels.inadequate, strict=True)]
            for level, count in enumerate(self.metrics[0].counts):
                if count and not rated[level]:
                    hint = "rate some outputs of every verdict, or the rate rests on the prior there"
                    raise InvalidInput.rule(f"calibration of level {level}", "hold at least one output", 0, hint)

    @property
    def human_for_rate(self) -> Tally:
        """The human ratings that say something about the rate by themselves."""
        return self.human if self.sampling == "random" else Tally(0, 0)

    @property
    def drawn(self) -> Tally:
        """The balanced outputs that were drawn from those which the metric rated: without them the rest is depleted."""
        fits = self.sampling == "balanced" and len(self.metrics) == 1 and isinstance(self.metrics[0].quality, Levels)
        return self.human if fits else Tally(0, 0)

    def add(self, other: Evidence) -> Evidence:
        """Return both together, as if they were of one system; each must have the same kinds of metrics."""
        if len(self.metrics) != len(other.metrics) or self.sampling != other.sampling:
            raise InvalidInput.rule("evidence", "be of the same kind", str(other), "the same metrics and sampling")
        metrics = tuple(mine.add(theirs) for mine, theirs in zip(self.metrics, other.metrics, strict=True))
        human = Tally(self.human.positive + other.human.positive, self.human.total + other.human.total)
        return Evidence(human, metrics, self.sampling)

    def __str__(self) -> str:
        """Write all counts on one line."""
        parts = [f"human {self.human}"] if self.human.total or not self.metrics else []
        parts += [str(metric) for metric in self.metrics]
        return ", ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-safe counts."""
        return {
            "human": {"positive": self.human.positive, "total": self.human.total},
            "metrics": [metric.to_dict() for metric in self.metrics],
            "sampling": self.sampling,
        }


@dataclass(frozen=True)
class Prior:
    """What is believed before any rating: Beta distributions for the rate and for the metric's two rates.

    For a judge with K levels the pseudo-counts of `tpr` and `tnr` are spread evenly over the levels, 2/K each in the
    uniform case.
    """

    rate: tuple[float, float] = (1.0, 1.0)
    tpr: tuple[float, float] = (1.0, 1.0)
    tnr: tuple[float, float] = (1.0, 1.0)
    name: str = "custom"

    def __post_init__(self) -> None:
        """Check the pseudo-counts."""
        for field in ("rate", "tpr", "tnr"):
            pair = getattr(self, field)
            hint = "a Beta prior is a pair such as (1, 1) or (0.5, 0.5)"
            if not isinstance(pair, Sequence) or len(pair) != 2:  # noqa: PLR2004 - a pair
                raise InvalidInput.rule(f"prior {field}", "be a pair of numbers", pair, hint)
            for value in pair:
                if not _LEAST_PSEUDO_COUNT <= _number(value) <= MOST:
                    raise InvalidInput.rule(f"prior {field}", "hold numbers from 0.05 to 10^12", value, hint)
            object.__setattr__(self, field, (float(pair[0]), float(pair[1])))

    @classmethod
    def of(cls, prior: Prior | str | Sequence[float]) -> Prior:
        """Return the prior of that name, or a Beta prior for the rate with uniform ones for the metric."""
        if isinstance(prior, Prior):
            return prior
        if isinstance(prior, str):
            if prior not in PRIORS:
                hint = "or a pair of numbers for any other Beta prior of the rate"
                raise InvalidInput.rule("prior", f"be one of {', '.join(PRIORS)}", prior, hint)
            return PRIORS[prior]
        return cls(rate=tuple(prior))  # type: ignore[arg-type]

    def of_levels(self, levels: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return the pseudo-counts of each level given adequate, and given inadequate."""
        if levels == 2:  # noqa: PLR2004 - binary: level 0 is "rated 0", level 1 "rated 1"
            return (self.tpr[1], self.tpr[0]), self.tnr
        return (sum(self.tpr) / levels,) * levels, (sum(self.tnr) / levels,) * levels

    def __str__(self) -> str:
        """Write the name, or the numbers of a custom prior."""
        if self.name != "custom":
            return self.name
        return "/".join(f"Beta({a:g},{b:g})" for a, b in (self.rate, self.tpr, self.tnr))


_LEAST_PSEUDO_COUNT = 0.05  # below, a prior's mass lies nearer to 0 and 1 than floating point reaches
PRIORS: Mapping[str, Prior] = {
    "uniform": Prior(name="uniform"),
    "jeffreys": Prior((0.5, 0.5), (0.5, 0.5), (0.5, 0.5), name="jeffreys"),
}


def _slashed(counts: Sequence[int]) -> str:
    return "/".join(map(str, counts))
