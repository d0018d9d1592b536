"""Which system is better, and can I tell?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

from tellapart._version import __version__
from tellapart.analysis.diagnostics import Caution, rates_differ
from tellapart.analysis.estimation import Estimate
from tellapart.analysis.homogeneity import Homogeneity, homogeneity
from tellapart.analysis.needed import Needed, needed
from tellapart.analysis.ranking import Standing, groups, holm, standings
from tellapart.analysis.result import Result
from tellapart.core.density import Difference, Interval
from tellapart.core.evidence import PRIORS, Confusion, Evidence, Levels, Metric, Prior, fraction
from tellapart.core.shared import SharedDifference, SharedRates
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tellapart.analysis.threshold import Thresholds


@dataclass(frozen=True)
class Pair:
    """Two systems side by side; the difference is first − second."""

    first: str
    second: str
    distribution: Difference | SharedDifference
    confidence_level: float

    @cached_property
    def probability(self) -> float:
        """P(first is better)."""
        return min(1.0, max(0.0, self.distribution.probability_positive))

    @property
    def difference(self) -> float:
        """Expected difference."""
        return self.distribution.mean

    @cached_property
    def interval(self) -> Interval:
        """Equal-tailed interval of the difference."""
        return self.distribution.interval(self.confidence_level)

    @property
    def distinguishable(self) -> bool:
        """Whether P(first is better) > 1 − γ/2 or < γ/2."""
        tail = (1 - self.confidence_level) / 2
        return self.probability > 1 - tail or self.probability < tail

    @property
    def verdict(self) -> str:
        """The better system's name, or "not distinguishable"."""
        if not self.distinguishable:
            return "not distinguishable"
        return f"{self.first if self.probability > 0.5 else self.second} is better"  # noqa: PLR2004 - the likelier side

    def __str__(self) -> str:
        """Say it in words."""
        low, high = 100 * self.interval.low, 100 * self.interval.high
        gap = f"{100 * self.difference:+.1f} points, between {low:+.1f} and {high:+.1f}"
        return (
            f"{self.first} − {self.second}: {gap}; P({self.first} is better) = {self.probability:.3f}: {self.verdict}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            "interval": {"low": self.interval.low, "high": self.interval.high},
            "probability_first_better": self.probability,
            "distinguishable": self.distinguishable,
            "verdict": self.verdict,
        }


_BIASED = {"missing-labels", "undecided-votes", "unlike-the-rest", "conflict", "too-good"}


@dataclass(frozen=True)
class Comparison(Result):
    """Several systems, each with its own metric error rates; beside it, the analysis with shared ones.

    `evidence` is what was observed of each system; with pooled calibration the estimates rest on all calibrations.
    Ratings read from a table add how it was `understood`, the cautions `found` in it and the `thresholds` of scores.
    """

    estimates: Mapping[str, Estimate]
    confidence_level: float
    evidence: Mapping[str, Evidence]
    pooled: bool = False
    understood: tuple[str, ...] = ()
    found: Mapping[str, tuple[Caution, ...]] = field(default_factory=dict)
    thresholds: tuple[Thresholds, ...] = ()

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """Names by expected rate, best first."""
        return tuple(sorted(self.estimates, key=lambda name: -self.estimates[name].mean))

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Every pair with separate rates, the better one first."""
        return tuple(
            Pair(a, b, Difference(self.estimates[a].posterior, self.estimates[b].posterior), self.confidence_level)
            for a, b in combinations(self.ranking, 2)
        )

    @cached_property
    def holm(self) -> tuple[bool, ...]:
        """Whether each pair can still be told apart when all pairs are tested together, by Holm's procedure."""
        p_values = [2 * min(pair.probability, 1 - pair.probability) for pair in self.pairs]
        return holm(p_values, 1 - self.confidence_level)

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """Probability of being best and interval of ranks, in the order of the ranking."""
        return standings(self.ranking, [self.estimates[name].posterior for name in self.ranking], self.confidence_level)

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Runs of the ranking in which no two systems can be told apart."""
        apart = {(pair.first, pair.second) for pair in self.pairs if pair.distinguishable}
        return groups(self.ranking, lambda a, b: (a, b) in apart)

    @cached_property
    def needed(self) -> tuple[Needed, ...]:
        """What each pair that cannot be told apart would need."""
        return tuple(
            needed(pair, self.estimates[pair.first], self.estimates[pair.second])
            for pair in self.pairs
            if not pair.distinguishable
        )

    @cached_property
    def homogeneity(self) -> Homogeneity | None:
        """Whether the metric treats the systems alike, where there are calibration counts to tell."""
        calibrations = [c for e in self.evidence.values() for c in _calibrations(e) if c.human.total]
        return homogeneity(calibrations) if len(calibrations) == len(self.evidence) else None

    @cached_property
    def shared_pairs(self) -> tuple[Pair, ...] | None:
        """Every pair under the assumption that the metric has the same error rates for all systems."""
        evidence = [self.evidence[name] for name in self.ranking]
        if self.homogeneity is None or any(e.sampling == "by-metric" for e in evidence):
            return None
        if not any(e.metrics[0].total for e in evidence):
            return None
        joint = SharedRates(evidence, next(iter(self.estimates.values())).prior)
        place = {name: i for i, name in enumerate(self.ranking)}
        return tuple(
            Pair(p.first, p.second, joint.difference(place[p.first], place[p.second]), self.confidence_level)
            for p in self.pairs
        )

    @cached_property
    def cautions(self) -> tuple[tuple[str, Caution], ...]:
        """Reasons to distrust the answer, each with the system's name, or with none if it concerns all."""
        general = (*self.found.get("", ()), *rates_differ(self.homogeneity, self.evidence, pooled=self.pooled))
        own = [
            (name, c)
            for name, e in self.estimates.items()
            for c in (*self.found.get(name, ()), *e.warnings)
            if not (self.pooled and c.code == "calibration-only")  # these are outputs of other systems
        ]
        return (*(("", caution) for caution in general), *own)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The cautions as sentences; one that several systems share is said once."""
        by_caution: dict[tuple[str, str], list[str]] = {}
        for name, caution in self.cautions:
            by_caution.setdefault((caution.message, caution.advice), []).append(name)
        return tuple(
            f"{', '.join(filter(None, names))}: {message} {advice}" if any(names) else f"{message} {advice}"
            for (message, advice), names in by_caution.items()
        )

    @property
    def signature(self) -> str:
        """One line that makes the numbers reproducible."""
        first = next(iter(self.estimates.values()))
        counts = "; ".join(f"{name}: {e}" for name, e in self.evidence.items())
        rates = "pooled calibration" if self.pooled else "separate rates"
        cuts = "".join(f" | {t.score}: {t.cut}" for t in self.thresholds)
        model = f"{rates}, pairwise, systems independent"
        rule = f"level {self.confidence_level:g}, verdicts by the raw rule, Holm beside"
        how = f"sampling {first.evidence.sampling} | prior {first.prior} | {rule}"
        return f"tellapart {__version__} | {model} | {counts}{cuts} | {how}"

    def __str__(self) -> str:
        """Say the verdict in words."""
        apart = [pair for pair in self.pairs if pair.distinguishable]
        best = self.ranking[0]
        of = f"{len(apart)} of {len(self.pairs)} pairs can be told apart" if len(self.pairs) > 1 else ""
        beaten = [p.second for p in apart if p.first == best]
        if not self.pairs:
            return f"{best}: {self.estimates[best]} There is no other system to compare it with.{self._mind}"
        if len(self.pairs) == 1:
            return str(self.pairs[0])
        best = f"{best} ({self.estimates[best].mean:.1%})"
        if not beaten:
            return f"{best} has the highest rate, but not distinguishably so; {of}.{self._mind}"
        others = "every other system" if len(beaten) == len(self.ranking) - 1 else ", ".join(beaten)
        return f"{best} is better than {others}; {of}.{self._mind}"

    @property
    def _mind(self) -> str:
        """Point at the cautions about ratings that may have biased a rate."""
        doubtful = dict.fromkeys(name for name, caution in self.cautions if name and caution.code in _BIASED)
        return f" Mind the cautions on {', '.join(doubtful)}." if doubtful else ""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "ranking": list(self.ranking),
            "groups": [list(group) for group in self.groups],
            "standings": [standing.to_dict() for standing in self.standings],
            "systems": {name: estimate.to_dict() for name, estimate in self.estimates.items()},
            "pairs": [
                {**pair.to_dict(), "distinguishable_holm": held}
                for pair, held in zip(self.pairs, self.holm, strict=True)
            ],
            "needed": [need.to_dict() for need in self.needed],
            "shared_rates": None
            if self.shared_pairs is None or self.homogeneity is None
            else {"pairs": [pair.to_dict() for pair in self.shared_pairs], "homogeneity": self.homogeneity.to_dict()},
            "thresholds": [t.to_dict() for t in self.thresholds],
            "confidence_level": self.confidence_level,
            "multiplicity": "verdicts by the raw rule; distinguishable_holm holds for all pairs together",
            "understood": list(self.understood),
            "warnings": [{"system": name or None, **caution.to_dict()} for name, caution in self.cautions],
            "summary": str(self),
            "signature": self.signature,
        }


def compare(
    systems: Mapping[str, Evidence],
    *,
    prior: Prior | str | Sequence[float] = PRIORS["uniform"],
    confidence_level: float = 0.95,
    pool_calibration: bool = False,
) -> Comparison:
    """Compare systems by their rates of adequate outputs.

    Parameters
    ----------
    systems : mapping of names to Evidence
        One alone is estimated like the others, without a verdict.
    prior : {"uniform", "jeffreys"}, pair or Prior
        The same for every system.
    confidence_level : float
        1 − γ: a pair is distinguishable if P(first is better) is above 1 − γ/2 or below γ/2.
    pool_calibration : bool
        Let the outputs of all systems that carry both ratings calibrate the metric for each. Right only if it errs
        alike for all of them; the result says what the test of that finds.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from tellapart.core.evidence import Tally
    >>> result = compare({"A": Evidence(Tally(353, 527)), "B": Evidence(Tally(308, 527))})
    >>> result.pairs[0].verdict
    'A is better'
    """
    if not isinstance(systems, Mapping):
        hint = "ratings are read first: tellapart.read_ratings(...).compare()"
        raise InvalidInput.rule("systems", "be a dictionary of Evidence", type(systems).__name__, hint)
    if not systems:
        raise InvalidInput.rule("systems", "hold at least one", list(systems))
    level, chosen = fraction("confidence_level", confidence_level, open_ends=True), Prior.of(prior)
    own = {str(name): evidence for name, evidence in systems.items()}
    used = _pool(own) if pool_calibration else own
    estimates = {name: Estimate(evidence, chosen, level) for name, evidence in used.items()}
    return Comparison(estimates, level, own, pool_calibration)


def _calibrations(evidence: Evidence) -> list[Confusion]:
    own = [metric.confusion for metric in evidence.metrics]
    return [confusion for confusion in own if confusion is not None] if len(own) == 1 else []


def _pool(systems: Mapping[str, Evidence]) -> dict[str, Evidence]:
    """Give each system the calibration counts of all."""
    own = [metrics[0] for metrics in (e.metrics for e in systems.values()) if len(metrics) == 1]
    qualities = [metric.quality for metric in own]
    levels = [quality for quality in qualities if isinstance(quality, Levels)]
    if len(levels) != len(systems) or len({len(level.adequate) for level in levels}) != 1:
        hint = "each system needs ratings by the same one metric, with estimated rates"
        raise InvalidInput.rule("pool_calibration", "have calibrations of one kind", list(systems), hint)
    pooled = Levels(
        tuple(map(sum, zip(*(level.adequate for level in levels), strict=True))),
        tuple(map(sum, zip(*(level.inadequate for level in levels), strict=True))),
    )
    metrics = dict(zip(systems, own, strict=True))
    return {name: replace(e, metrics=(Metric(metrics[name].counts, pooled),)) for name, e in systems.items()}
