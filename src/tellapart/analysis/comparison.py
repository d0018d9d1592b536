"""Which system is better, and can I tell?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

from tellapart._version import __version__
from tellapart.analysis.estimation import Estimate
from tellapart.analysis.homogeneity import Homogeneity, homogeneity
from tellapart.core.density import Difference, Interval
from tellapart.core.evidence import PRIORS, Evidence, Prior, fraction
from tellapart.core.shared import SharedDifference, SharedRates
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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


@dataclass(frozen=True)
class Comparison:
    """Several systems, each with its own metric error rates; beside it, the analysis with shared ones."""

    estimates: Mapping[str, Estimate]
    confidence_level: float

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
    def homogeneity(self) -> Homogeneity | None:
        """Whether the metric treats the systems alike, where there are calibration counts to tell."""
        metrics = [estimate.evidence.metrics for estimate in self.estimates.values()]
        calibrations = [own[0].confusion for own in metrics if len(own) == 1 and own[0].confusion]
        return homogeneity([c for c in calibrations if c]) if len(calibrations) == len(metrics) else None

    @cached_property
    def shared_pairs(self) -> tuple[Pair, ...] | None:
        """Every pair under the assumption that the metric has the same error rates for all systems."""
        if self.homogeneity is None or any(e.evidence.sampling == "by-metric" for e in self.estimates.values()):
            return None
        if not any(estimate.evidence.metrics[0].total for estimate in self.estimates.values()):
            return None
        prior = next(iter(self.estimates.values())).prior
        joint = SharedRates([self.estimates[name].evidence for name in self.ranking], prior)
        place = {name: i for i, name in enumerate(self.ranking)}
        return tuple(
            Pair(p.first, p.second, joint.difference(place[p.first], place[p.second]), self.confidence_level)
            for p in self.pairs
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """Reasons to distrust the answer, each with the system's name."""
        return tuple(f"{name}: {caution}" for name, e in self.estimates.items() for caution in e.warnings)

    @property
    def signature(self) -> str:
        """One line that makes the numbers reproducible."""
        first = next(iter(self.estimates.values()))
        counts = "; ".join(f"{name}: {e.evidence}" for name, e in self.estimates.items())
        return (
            f"tellapart {__version__} | separate rates, pairwise | {counts} | sampling {first.evidence.sampling} | "
            f"prior {first.prior} | level {self.confidence_level:g}, no multiplicity control"
        )

    def __str__(self) -> str:
        """Say the verdict in words."""
        apart = [pair for pair in self.pairs if pair.distinguishable]
        best = self.ranking[0]
        of = f"{len(apart)} of {len(self.pairs)} pairs can be told apart" if len(self.pairs) > 1 else ""
        beaten = [p.second for p in apart if p.first == best]
        if len(self.pairs) == 1:
            return str(self.pairs[0])
        if not beaten:
            return f"{best} has the highest rate ({self.estimates[best].mean:.1%}), but not distinguishably so; {of}."
        others = "every other system" if len(beaten) == len(self.ranking) - 1 else ", ".join(beaten)
        return f"{best} ({self.estimates[best].mean:.1%}) is better than {others}; {of}."

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "ranking": list(self.ranking),
            "systems": {name: estimate.to_dict() for name, estimate in self.estimates.items()},
            "pairs": [pair.to_dict() for pair in self.pairs],
            "shared_rates": None
            if self.shared_pairs is None or self.homogeneity is None
            else {"pairs": [pair.to_dict() for pair in self.shared_pairs], "homogeneity": self.homogeneity.to_dict()},
            "confidence_level": self.confidence_level,
            "warnings": list(self.warnings),
            "summary": str(self),
            "signature": self.signature,
        }


def compare(
    systems: Mapping[str, Evidence],
    *,
    prior: Prior | str | Sequence[float] = PRIORS["uniform"],
    confidence_level: float = 0.95,
) -> Comparison:
    """Compare systems by their rates of adequate outputs.

    Parameters
    ----------
    systems : mapping of names to Evidence
        At least two.
    prior : {"uniform", "jeffreys"}, pair or Prior
        The same for every system.
    confidence_level : float
        1 − γ: a pair is distinguishable if P(first is better) is above 1 − γ/2 or below γ/2.

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
    if len(systems) < 2:  # noqa: PLR2004 - a comparison needs two
        raise InvalidInput.rule("systems", "be at least two", list(systems), "for one system, use estimate")
    level, chosen = fraction("confidence_level", confidence_level, open_ends=True), Prior.of(prior)
    return Comparison({str(name): Estimate(evidence, chosen, level) for name, evidence in systems.items()}, level)
