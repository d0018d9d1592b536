"""What is believed before any rating."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tellapart.core.counts import BINARY, MOST, as_number
from tellapart.errors import InvalidInput


@dataclass(frozen=True)
class Prior:
    """Beta distributions for the rate and for the metric's two rates.

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
            if not isinstance(pair, Sequence | np.ndarray) or len(pair) != BINARY:
                raise InvalidInput.rule(f"prior {field}", "be a pair of numbers", pair, hint)
            for value in pair:
                if not _LEAST_PSEUDO_COUNT <= as_number(value) <= MOST:
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

    def table(self, classes: int, levels: int) -> tuple[tuple[float, ...], tuple[tuple[float, ...], ...]]:
        """Return the pseudo-counts of each class, and of each level given each class.

        With more than two classes a named prior is one Dirichlet distribution over the whole table. A class weighs as
        much as in the binary case; more than four, as on a scale, share the weight of two, or the prior would pull
        means towards the middle of the scale.
        """
        if classes == BINARY:
            given = ((self.tnr[0], self.tnr[1]), (self.tpr[1], self.tpr[0]))  # fail, pass
            spread = given if levels == BINARY else tuple((sum(row) / levels,) * levels for row in given if levels)
            return (self.rate[1], self.rate[0]), spread or ((), ())
        if self.name not in PRIORS:
            hint = "a pair of numbers is a prior for a rate; choose uniform or jeffreys"
            raise InvalidInput.rule("prior", f"be named where there are {classes} classes", str(self), hint)
        weight = self.rate[0] * (1 if classes <= _FEW else BINARY / classes)
        return (weight,) * classes, ((weight / max(levels, 1),) * levels,) * classes

    def __str__(self) -> str:
        """Write the name, or the numbers of a custom prior."""
        if self.name != "custom":
            return self.name
        return "/".join(f"Beta({a:g},{b:g})" for a, b in (self.rate, self.tpr, self.tnr))


_FEW = 4  # classes that weigh one each
_LEAST_PSEUDO_COUNT = 0.05  # below, a prior's mass lies nearer to 0 and 1 than floating point reaches
PRIORS: Mapping[str, Prior] = {
    "uniform": Prior(name="uniform"),
    "jeffreys": Prior((0.5, 0.5), (0.5, 0.5), (0.5, 0.5), name="jeffreys"),
}
