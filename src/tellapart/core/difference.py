"""The difference of two independent rates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit

from tellapart.core.distribution import Distribution, as_given
from tellapart.core.quadrature import POINTS, WEIGHTS

if TYPE_CHECKING:
    from tellapart.core.density import Density
    from tellapart.core.quadrature import Floats


class Difference(Distribution):
    """The distribution of first − second for two independent rates."""

    def __init__(self, first: Density, second: Density) -> None:
        self._first, self._second = first, second

    @property
    def mean(self) -> float:
        """Expected difference."""
        return self._first.mean - self._second.mean

    @property
    def sd(self) -> float:
        """Standard deviation of the difference."""
        return float(np.hypot(self._first.sd, self._second.sd))

    def cdf_and_pdf(self, x: Floats) -> tuple[Floats, Floats]:
        """Return P(first − second ≤ d), ∫ p₂(y) F₁(y + d) dy, and the density, ∫ p₂(y) p₁(y + d) dy."""
        found = np.array([self._at(difference) for difference in x.tolist()])
        return found[:, 0], found[:, 1]

    def _at(self, difference: float) -> tuple[float, float]:
        if difference <= -1 or difference >= 1:
            return float(difference >= 1), 0.0
        weights, y = self._meeting(difference)
        inside = np.isfinite(y)
        density = self._first._pdf_at_logits(y[inside]) / (expit(y[inside]) * expit(-y[inside]))  # noqa: SLF001
        return float(weights @ self._first._cdf_at_logits(y)), float(weights[inside] @ density)  # noqa: SLF001

    def cdf(self, x: float | Floats) -> Floats:
        """Probability that first − second is at most `x`."""
        at = np.clip(np.ravel(np.asarray(x, dtype=float)), -1.0, 1.0).tolist()
        return as_given(np.array([self._below(difference) for difference in at]), x)

    def _below(self, difference: float) -> float:
        if abs(difference) == 1:
            return float(difference > 0)
        weights, y = self._meeting(difference)
        return float(weights @ self._first._cdf_at_logits(y))  # noqa: SLF001 - its sister

    def _meeting(self, difference: float) -> tuple[Floats, Floats]:
        """Return weights that integrate over the second rate, and the logits of first rates `difference` above it."""
        one, two = self._first, self._second
        ends = np.unique(np.concatenate([one._left, one._right]))  # noqa: SLF001 - its sister
        if difference:
            shifted = expit(ends) - difference
            ends = logit(shifted[(shifted > 0) & (shifted < 1)])
        edges = np.unique(np.concatenate([two._left, two._right, ends]))  # noqa: SLF001
        edges = edges[(edges >= two._left[0]) & (edges <= two._right[-1])]  # noqa: SLF001
        half = (edges[1:] - edges[:-1])[:, None] / 2
        x = (edges[:-1, None] + half * (POINTS + 1)).ravel()
        with np.errstate(divide="ignore"):
            y = x if difference == 0 else logit(np.clip(expit(x) + difference, 0.0, 1.0))
        weights = (half * WEIGHTS).ravel() * two._pdf_at_logits(x)  # noqa: SLF001
        return weights / weights.sum(), y
