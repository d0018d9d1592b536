"""Why can a pair not be told apart, and how many ratings more would do?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import ndtri

from tellapart.analysis.design import Design, large_sample_variance, variance_with

if TYPE_CHECKING:
    from collections.abc import Callable

    from tellapart.analysis.estimation import Estimate
    from tellapart.analysis.verdicts import Pair
    from tellapart.core.evidence import Evidence

POWER = 0.8
_MOST = 10**7
UNSEEN = 0.0005  # what three digits do not show


def chance(probability: float) -> str:
    """Write a probability, and never as if it were certain."""
    if probability < UNSEEN or probability > 1 - UNSEEN:
        return "<0.001" if probability < UNSEEN else ">0.999"
    return f"{probability:.3f}"


def equals(probability: float) -> str:
    """Write a probability with the sign before it."""
    said = chance(probability)
    return f"{said[0]} {said[1:]}" if said[0] in "<>" else f"= {said}"


Unknown = Literal["", "scale", "first", "second", "both", "sampling"]


@dataclass(frozen=True)
class Range:
    """So many ratings if the difference is what it seems, and if it is at its upper or lower quartile.

    Nothing where no affordable number would do.
    """

    likely: int | None
    low: int | None
    high: int | None

    def __str__(self) -> str:
        """Say it in words, without the noun."""
        most = "no affordable number" if self.high is None else f"{self.high:,}"
        return f"about {self.likely or 0:,} (from {self.low or 0:,} to {most})"


@dataclass(frozen=True)
class Needed:
    """What a pair would need to be told apart with 80% probability.

    `human` and `metric` are further ratings of each system, of one kind alone; `left` is how many outputs of each
    there are that people have not rated yet, whether the metric has or not, where that is known, and `fewest` the
    systems that have no more; `resolved` the difference above which the present ratings tell two systems apart. Nothing
    is known where `unknown` says why: people have rated nothing of the "first", the "second" or "both", it depends on
    the "sampling", or the ratings are on a "scale".
    """

    first: str
    second: str
    difference: float
    probability: float
    quartiles: tuple[float, float]
    human: Range | None = None
    metric: Range | None = None
    left: int | None = None
    unknown: Unknown = ""
    resolved: float | None = None
    fewest: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Say it in words."""
        scale = self.unknown == "scale"
        ends = (self.difference, *self.quartiles)
        gap, low, high = (f"{end:+z.2f}" if scale else f"{100 * end:+z.1f}" for end in ends)
        now = (
            f"{self.first} − {self.second}: {gap}{'' if scale else ' points'}, as likely as not between {low} and "
            f"{high}; P({self.first} is better) {equals(self.probability)}."
        )
        if scale:
            return f"{now} How many more ratings would settle it is not worked out for scales; human ratings help most."
        if self.unknown == "sampling":
            return f"{now} How many more ratings are needed depends on how they are chosen: see tellapart table."
        if self.unknown or self.human is None:
            return f"{now} {self._unrated()}"
        given = "If"
        if self.resolved is not None:
            given = f"These ratings resolve only differences above {100 * self.resolved:.1f} points; if"
        gap = f"{abs(100 * self.difference):.1f}"
        if gap == "0.0":
            return f"{now} {given} there is no difference, no number of ratings tells the two apart."
        return f"{now} {given} {gap} is the true difference, {self._would(self.human)}.{self._room()}"

    def _unrated(self) -> str:
        """Say whose outputs people have not rated."""
        if self.unknown == "both":
            whom = f"neither {self.first} nor {self.second}"
            return f"People have rated {whom} yet: have a random sample of the outputs of both rated."
        whom = self.first if self.unknown == "first" else self.second
        return f"People have rated nothing of {whom} yet: have a random sample of its outputs rated."

    def _would(self, human: Range) -> str:
        """Say how many ratings would do, of either kind."""
        needs = f"{human} more human ratings per system are needed ({100 * POWER:g}% power)"
        if human.likely is None:
            least = f", {human.low:,} per system at the least" if human.low else ""
            needs = f"no affordable number of human ratings would do{least}"
        if self.metric is None:
            return needs
        if self.metric.likely is None:
            return f"{needs}; metric ratings alone would not do"
        return f"{needs}, or {self.metric} more metric ratings"

    def _room(self) -> str:
        if self.left is None or self.human is None:
            return ""
        if not self.left:
            whose = "" if len(self.fewest) != 1 else f" of {self.fewest[0]}"
            return f" No outputs{whose} are left to rate: new ones are needed."
        short = self.human.likely is None or self.human.likely > self.left
        whose = f"of {self.fewest[0]}" if short and len(self.fewest) == 1 else "per system"
        left = f"1 output {whose} is" if self.left == 1 else f"{self.left:,} outputs {whose} are"
        return f"{' Only' if short else ''} {left} left to rate."

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        told = {name: value for name, value in asdict(self).items() if name != "fewest"}
        return {**told, "quartiles": list(self.quartiles), "power": POWER, "summary": str(self)}


def needed(  # noqa: PLR0913 - a pair, and what its verdict rests on
    pair: Pair,
    first: Estimate,
    second: Estimate,
    *,
    unlent: float | None = None,
    tests: int = 1,
    margin: float | None = None,
) -> Needed:
    """Return how many more ratings would settle a pair: large-sample variances, scaled to the present posteriors.

    `unlent` is the standard deviation of the difference without what other systems' ratings tell of it; that much
    precision they go on telling, however many ratings there are. `tests` is among how many pairs the verdict has to
    hold. With a margin it is to be told, one-sided, whether the first is worse by more than that.
    """
    low, high = (float(end) for end in pair.distribution.quantile(np.array([0.25, 0.75])))
    quartiles = low, high
    unknown = _unknown(pair, first, second)
    if unknown:
        return Needed(pair.first, pair.second, pair.difference, pair.probability, quartiles, unknown=unknown)
    sides, beyond = (2, 0.0) if margin is None else (1, margin)
    factor = float(ndtri(1 - (1 - pair.confidence_level) / (sides * tests)) + ndtri(POWER))
    effect = max(first.evidence.effect, second.evidence.effect)  # so many more count as one
    sign = 1 if pair.difference + beyond >= 0 else -1
    away, near, far = sign * (pair.difference + beyond), *sorted(sign * (end + beyond) for end in quartiles)
    own = (unlent or pair.distribution.sd) ** 2
    lent = 1 / pair.distribution.sd**2 - 1 / own
    paired = own / (first.sd**2 + second.sd**2)  # 1 where the systems are independent
    systems = [
        (design, paired * e.sd**2 / large_sample_variance(design)) for e in (first, second) for design in [_design(e)]
    ]

    def sizes(human: int, metric: int) -> Range:
        def spread(n: float) -> float:
            more = round(n)
            return 1 / (1 / sum(s * _with(d, human * more, metric * more) for d, s in systems) + lent)

        found = [
            _least(lambda n, target=(gap / factor) ** 2: spread(n / effect) <= target) if gap > 0 else None  # type: ignore[misc]
            for gap in (away, far, near)
        ]
        return Range(*found)

    tail = (1 - pair.confidence_level) / (2 * tests)
    end = float(pair.distribution.quantile(tail if pair.difference >= 0 else 1 - tail))  # that verdicts go by
    left = {name: _left(e.evidence) for name, e in ((pair.first, first), (pair.second, second))}
    known = [n for n in left.values() if n is not None]
    least = min(known) if len(known) == len(left) else None
    judged = first.evidence.levels and second.evidence.levels
    return Needed(
        pair.first,
        pair.second,
        pair.difference,
        pair.probability,
        quartiles,
        sizes(1, 0),
        sizes(0, 1) if judged else None,
        least,
        resolved=abs(pair.difference - end),
        fewest=tuple(name for name, n in left.items() if n is not None and n == least),
    )


def _left(evidence: Evidence) -> int | None:
    """Return how many outputs people have not rated, whether the metric has or not; nothing where that is not known."""
    if evidence.unrated is None and not evidence.levels:
        return None
    return evidence.outputs[1] + (evidence.unrated or 0)


def _unknown(pair: Pair, first: Estimate, second: Estimate) -> Unknown:
    """Tell why nothing can be said of further ratings."""

    def unrated(e: Estimate) -> bool:
        return not e.evidence.n_human and (e.quality is None or not e.evidence.n_metric)

    if not pair.is_rate:
        return "scale"
    if unrated(first) or unrated(second):
        return "both" if unrated(first) and unrated(second) else "first" if unrated(first) else "second"
    return "" if first.evidence.sampling == second.evidence.sampling == "random" else "sampling"


def _design(estimate: Estimate) -> Design:
    """Describe the present ratings of a system as a design.

    The variance of a Beta distribution is rate·(1 − rate)/(a + b + 1): the prior counts as so many ratings more.
    """
    evidence, quality = estimate.evidence, estimate.quality
    human = evidence.human_for_rate.total + round(sum(estimate.prior.rate)) + 1
    rate = min(max(estimate.mean, 1e-6), 1 - 1e-6)
    if quality is None:
        return Design(rate, 0.5, 0.5, n_human=human, n_metric=0)
    confusion = evidence.confusion
    calibration = confusion.human if confusion else evidence.human
    share = (calibration.positive + 1) / (calibration.total + 2)
    return Design(
        rate,
        quality.tpr.mean,
        quality.tnr.mean,
        n_human=human,
        n_metric=evidence.n_metric,
        n_calibration=calibration.total + 2,
        calibration_rate=share,
    )


def _with(design: Design, human: int, metric: int) -> float:
    """Return σ² with further ratings; those by people are first of outputs that the metric alone has rated."""
    calibration, alone = (design.n_calibration or 0) + human, max(design.n_metric - human, 0)
    return variance_with(design, design.n_human + human, alone + metric, calibration)


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
