"""What does a pilot study tell of a campaign: which rate, tpr and tnr are to be expected, and how sure is that?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING

from tellapart.core.counts import BINARY
from tellapart.core.evidence import Evidence
from tellapart.core.posterior import rate_posterior
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tellapart.core.counts import Confusion
    from tellapart.core.density import Density


@dataclass(frozen=True)
class Pilot:
    """The ratings of a pilot study, of however many systems, as guesses for a campaign.

    Examples
    --------
    >>> from tellapart import estimate
    >>> pilot = Pilot.of({"A": estimate(human=(30, 50)).evidence, "B": estimate(human=(20, 50)).evidence})
    >>> pilot.systems, round(pilot.guesses["rate"], 9)
    (2, 0.5)
    """

    evidence: Evidence
    systems: int = 1

    @classmethod
    def of(cls, ratings: Pilot | Evidence | Mapping[str, Evidence]) -> Pilot:
        """Return the pilot that these ratings are; several systems are added up."""
        if isinstance(ratings, Pilot):
            return ratings
        systems = ratings if isinstance(ratings, Mapping) else {"": ratings}
        if not systems or not all(isinstance(one, Evidence) for one in systems.values()):
            hint = "such as read_counts(file), or read_ratings(file).systems"
            raise InvalidInput.rule("pilot", "be Evidence, or a dictionary of Evidence", ratings, hint)
        for one in systems.values():
            if one.classes != BINARY:
                said, hint = ", ".join(one.own.truth.names)[:60], "say which ratings are adequate when it is read"
                raise InvalidInput.rule("pilot", "have outputs that are adequate or not", said, hint)
        return cls(reduce(lambda a, b: a.add(b), systems.values()), len(systems))

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
