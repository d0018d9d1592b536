"""Why can a pair not be told apart, and how many ratings more would do?"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from scipy.special import ndtri

from tellapart.analysis.design import Design, large_sample_variance

if TYPE_CHECKING:
    from collections.abc import Callable

    from tellapart.analysis.comparison import Pair
    from tellapart.analysis.estimation import Estimate

POWER = 0.8
_MOST = 10**7


@dataclass(frozen=True)
class Needed:
    """What a pair would need to be told apart with 80 % probability, if the difference is what it now seems.

    `human` and `metric` are further ratings of each system, of one kind alone; none where ten million would not do.
    """

    first: str
    second: str
    difference: float
    measurable_difference: float
    human: int | None
    metric: int | None
    unknown: str = ""

    def __str__(self) -> str:
        """Say it in words."""
        now = (
            f"{self.first} − {self.second}: the difference seems to be {100 * self.difference:+.1f} points, the "
            f"present ratings can tell {100 * self.measurable_difference:.1f} apart"
        )
        if self.unknown:
            return f"{now}; {self.unknown}."
        kinds = [f"{n:,} more {kind} ratings" for kind, n in (("human", self.human), ("metric", self.metric)) if n]
        if not kinds:
            return f"{now}; no affordable number of ratings would settle so small a difference."
        rest = "" if self.metric else "; metric ratings alone would not do"
        return f"{now}; if that is the true one, about {' or '.join(kinds)} of each system would show it{rest}."

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {**asdict(self), "power": POWER, "summary": str(self)}


def needed(pair: Pair, first: Estimate, second: Estimate) -> Needed:
    """Return how many more ratings would settle a pair: large-sample variances, scaled to the present posteriors."""
    level = float(ndtri(0.5 + pair.confidence_level / 2))
    measurable = level * math.hypot(first.sd, second.sd)
    unknown = _unknown(pair, first, second)
    if unknown:
        return Needed(pair.first, pair.second, pair.difference, measurable, None, None, unknown)
    target = (pair.difference / (level + float(ndtri(POWER)))) ** 2
    systems = [(design, e.sd**2 / large_sample_variance(design)) for e in (first, second) for design in [_design(e)]]
    measures = all(scale for _, scale in systems)

    def spread(human: int, metric: int) -> float:
        return sum(scale * large_sample_variance(_more(design, human, metric)) for design, scale in systems)

    metric_used = all(e.evidence.metrics for e in (first, second))
    return Needed(
        pair.first,
        pair.second,
        pair.difference,
        measurable,
        _least(lambda n: spread(n, 0) <= target) if measures else None,
        _least(lambda n: spread(0, n) <= target) if measures and metric_used else None,
    )


def _unknown(pair: Pair, first: Estimate, second: Estimate) -> str:
    """Say why nothing can be said of further ratings."""
    for name, estimate in ((pair.first, first), (pair.second, second)):
        if not estimate.evidence.human_for_rate.total and (
            estimate.quality is None or not estimate.evidence.metrics[0].total
        ):
            return f"nothing is known about {name} yet: have a random sample of its outputs rated"
    if first.evidence.sampling != "random" or second.evidence.sampling != "random":
        return "how many more ratings would do depends on how they are chosen; plan with tellapart table"
    return ""


def _design(estimate: Estimate) -> Design:
    """Describe the present ratings of a system as a design."""
    evidence, quality = estimate.evidence, estimate.quality
    human = evidence.human_for_rate.total
    rate = min(max(estimate.mean, 1e-6), 1 - 1e-6)
    if quality is None:
        return Design(rate, 0.5, 0.5, n_human=max(human, 1), n_metric=0)
    confusion = evidence.metrics[0].confusion
    calibration = confusion.human if confusion else evidence.human
    share = (calibration.positive + 1) / (calibration.total + 2)
    return Design(
        rate,
        quality.tpr.mean,
        quality.tnr.mean,
        n_human=human,
        n_metric=evidence.metrics[0].total,
        n_calibration=calibration.total + 2,
        calibration_rate=share,
    )


def _more(design: Design, human: int, metric: int) -> Design:
    calibration = (design.n_calibration or 0) + human
    return replace(design, n_human=design.n_human + human, n_metric=design.n_metric + metric, n_calibration=calibration)


def _least(enough: Callable[[int], bool]) -> int | None:
    """Return the smallest number that is enough, to two digits; none above ten million."""
    if not enough(_MOST):
        return None
    low, high = 0, _MOST
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    digits = int(10 ** max(len(str(high)) - 2, 0))
    return -(-high // digits) * digits
