"""What does a pilot study tell of a campaign: which rate, tpr and tnr, how alike are the systems, how sure is that?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from math import sqrt
from statistics import median
from typing import TYPE_CHECKING

from tellapart.analysis.comparison import Comparison, compare
from tellapart.analysis.diagnostics import best_cut
from tellapart.core.counts import BINARY
from tellapart.core.evidence import Evidence
from tellapart.core.ladder import Linked
from tellapart.core.link import LEAST
from tellapart.core.posterior import rate_posterior
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tellapart.core.counts import Confusion
    from tellapart.core.density import Density

_MOST_ALONG = 0.9  # correlation of leniency with quality: as much as was seen of real judges


@dataclass(frozen=True)
class Pilot:
    """The ratings of a pilot study, of however many systems, as guesses for a campaign.

    `evidence` is that of all systems added up, `each` their own, `items` that of two on the same items. A plan takes a
    judge to pass or fail: one with levels is `cut` where adequate outputs get more of them.

    Examples
    --------
    >>> from tellapart import estimate
    >>> pilot = Pilot.of({"A": estimate(human=(30, 50)).evidence, "B": estimate(human=(20, 50)).evidence})
    >>> pilot.systems, round(pilot.guesses["rate"], 9)
    (2, 0.5)
    """

    evidence: Evidence
    systems: int = 1
    each: Mapping[str, Evidence] = field(default_factory=dict, compare=False, repr=False)
    items: Mapping[tuple[str, str], Evidence] = field(default_factory=dict, compare=False, repr=False)
    cut: bool = False

    @classmethod
    def of(
        cls,
        ratings: Pilot | Comparison | Evidence | Mapping[str, Evidence],
        *,
        items: Mapping[tuple[str, str], Evidence] | None = None,
    ) -> Pilot:
        """Return the pilot that these ratings are; several systems are taken together."""
        if isinstance(ratings, Pilot):
            return ratings
        if isinstance(ratings, Comparison):
            return cls.of(ratings.evidence, items=ratings.items)
        systems = ratings if isinstance(ratings, Mapping) else {"": ratings}
        if not systems or not all(isinstance(one, Evidence) for one in systems.values()):
            hint = "such as read_counts(file), or read_ratings(file).compare()"
            raise InvalidInput.rule("pilot", "be Evidence, a dictionary of Evidence, or a comparison", ratings, hint)
        for one in systems.values():
            if one.classes != BINARY:
                said, hint = ", ".join(one.own.truth.names)[:60], "say which ratings are adequate when it is read"
                raise InvalidInput.rule("pilot", "have outputs that are adequate or not", said, hint)
        added = reduce(lambda a, b: a.add(b), systems.values())
        cut = added.levels > BINARY and added.n_calibration > 0
        told = replace(best_cut(added), sampling=added.sampling) if cut else added
        return cls(told, len(systems), dict(systems), dict(items or {}), cut)

    def __str__(self) -> str:
        """Say what it holds."""
        return f"{self.evidence}{', its levels cut into pass and fail' if self.cut else ''}"

    @cached_property
    def together(self) -> Comparison | None:
        """The comparison of its systems, where there are several."""
        return compare(self.each, items=self.items) if self.systems > 1 else None

    @cached_property
    def posterior(self) -> Density:
        """The exact posterior distribution of the rate."""
        return rate_posterior(self.evidence)

    @property
    def both(self) -> Confusion | None:
        """Outputs with both ratings, which tell tpr and tnr: of one metric that passes or fails, not chosen by it."""
        usable = not self.evidence.fused and self.evidence.sampling != "by-metric"
        found = self.evidence.confusion if usable else None
        return found if found is not None and found.human.total else None

    @property
    def guesses(self) -> dict[str, float]:
        """The expected rate, and tpr and tnr where outputs with both ratings tell them."""
        found, c = {"rate": self.posterior.mean}, self.both
        if c is None:
            return found
        return found | {"tpr": (c.tp + 1) / (c.tp + c.fn + 2), "tnr": (c.tn + 1) / (c.tn + c.fp + 2)}

    def draw(self, size: int, rng: np.random.Generator) -> dict[str, npt.NDArray[np.float64]]:
        """Draw what is told from its posterior."""
        drawn = {"rate": self.posterior.sample(size, rng)}
        if self.both is not None:
            drawn["tpr"] = rng.beta(self.both.tp + 1, self.both.fn + 1, size)
            drawn["tnr"] = rng.beta(self.both.tn + 1, self.both.fp + 1, size)
        return drawn

    @property
    def n_metric(self) -> int | None:
        """Outputs of each system that the metric alone rated, in the middle over systems; nothing if there are none."""
        return round(median([evidence.n_metric for evidence in self.each.values()] or [0])) or None

    @cached_property
    def alike(self) -> dict[str, float]:
        """How alike the systems are, and how alike the metric treats them, as far as their comparison tells.

        Correlation of adequacy on the same items, spread of the rates (five systems or more), standard deviations of
        leniency and discrimination, and how leniency grows with quality, all on the scale of logits.
        """
        if self.together is None:
            return {}
        found = {"correlation": _correlation(self.together), "rate_sd": self._spread(self.together)}
        told = self.together.treatment
        if told is None or told.leniency_sd is None or told.discrimination_sd is None or self.both is None:
            return {name: value for name, value in found.items() if value is not None}
        leniency, spread, joint = told.leniency_sd[0], found["rate_sd"] or 0.0, self.together.joint.lending
        slope = self._leniency_slope(joint.line.growth()) if isinstance(joint, Linked) else 0.0
        most = _MOST_ALONG * leniency / spread if spread else 0.0
        slope = min(max(slope, -most), most)
        own = sqrt(leniency**2 - (slope * spread) ** 2)  # what grows with quality is part of the scatter
        found |= {"leniency_sd": own, "discrimination_sd": told.discrimination_sd[0], "leniency_slope": slope}
        return {name: value for name, value in found.items() if value is not None}

    def _spread(self, together: Comparison) -> float | None:
        """Return the standard deviation of the rates' logits over systems; with few of them it is not told.

        What is expected of the squared difference of two rates is twice their variance: by a posterior that draws
        systems together its mean's square and variance, by one that does not its mean's square less the variance.
        """
        if self.systems < LEAST:
            return None
        sign = 1 if together.borrow == "link" else -1
        gaps = [pair.difference**2 + sign * pair.distribution.sd**2 for pair in together.pairs]
        rate = self.posterior.mean
        return sqrt(max(sum(gaps) / len(gaps) / 2, 0.0)) / (rate * (1 - rate))

    def _leniency_slope(self, growth: float) -> float:
        """Return by how much leniency grows with a logit of the rate, from the growth of the metric's averages with it.

        What constant tpr and tnr do not explain of that is leniency.
        """
        rate, tpr, tnr = (self.guesses[name] for name in ("rate", "tpr", "tnr"))
        passed = rate * tpr + (1 - rate) * (1 - tnr)
        constant = rate * (1 - rate) * (tpr + tnr - 1) / (passed * (1 - passed))
        lenient = (rate * tpr * (1 - tpr) + (1 - rate) * tnr * (1 - tnr)) / sqrt(2) / (passed * (1 - passed))
        return (growth - constant) / lenient


def _correlation(together: Comparison) -> float:
    """Return the correlation of adequacy on the same items, over all pairs of systems; 0 where there are none."""
    shared, spread = 0.0, 0.0
    for pair in together.items.values():
        neither, second, first, both = pair.own.truths
        shared += (both * neither - first * second) / max(pair.n_human, 1)
        spread += sqrt((both + first) * (neither + second) * (both + second) * (neither + first)) / max(pair.n_human, 1)
    return min(max(shared / spread, 0.0), 0.95) if spread else 0.0
