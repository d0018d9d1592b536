"""The paper's own approximation (appendix B), kept as a reference.

Rates are cut into equal cells; each cell's prior mass is a difference of Beta distribution functions, its likelihood
is taken at the midpoint. Costs n_rate × n_tpr × n_tnr evaluations where `posterior` needs a few thousand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betainc, xlog1py, xlogy

from tellapart.core.posterior import level_parameters, log_likelihood, shape
from tellapart.core.prior import PRIORS, Prior

if TYPE_CHECKING:
    from collections.abc import Callable

    from tellapart.core.evidence import Evidence
    from tellapart.core.quadrature import Floats


@dataclass(frozen=True)
class GridPosterior:
    """Probability masses on equal cells of [0, 1], seen at their midpoints."""

    masses: Floats

    @cached_property
    def midpoints(self) -> Floats:
        """Midpoints of the cells."""
        return _midpoints(len(self.masses))

    @property
    def mean(self) -> float:
        """Expected rate."""
        return float(self.masses @ self.midpoints)

    @property
    def sd(self) -> float:
        """Standard deviation."""
        return float(np.sqrt(self.masses @ (self.midpoints - self.mean) ** 2))

    def greater(self, other: GridPosterior) -> float:
        """P(this > other) as in the paper's tables: strictly greater, so that ties count for neither side."""
        below = np.concatenate([[0.0], np.cumsum(other.masses)[:-1]])
        return float(self.masses @ below)


def grid_posterior(evidence: Evidence, prior: Prior = PRIORS["uniform"], *, n_rate: int = 2000) -> GridPosterior:
    """Return the posterior on the paper's grid of the rate, with the exact likelihood at each midpoint.

    This keeps what shows in the published digits, the grid of the rate with its own variance and its ties, and leaves
    out the two inner Riemann sums, which cost a million times more and change no printed digit.
    """
    masses, x = _cells(*shape(evidence, prior), n_rate), _midpoints(n_rate)
    counts = masses > masses.max() * 1e-30  # the others cannot matter at the paper's settings
    logs = np.full(n_rate, -np.inf)
    logs[counts] = np.log(masses[counts]) + log_likelihood(evidence, prior)(x[counts], 1 - x[counts])
    scaled = np.exp(logs - logs.max())
    return GridPosterior(scaled / scaled.sum())


def riemann_posterior(  # noqa: PLR0913 - the grid has three sides
    evidence: Evidence,
    prior: Prior = PRIORS["uniform"],
    *,
    n_rate: int = 2000,
    n_tpr: int = 1000,
    n_tnr: int = 1000,
    progress: Callable[[int], None] = lambda _: None,
) -> GridPosterior:
    """Return the posterior of the rate by the paper's Riemann sums, for human ratings and at most one binary metric.

    `progress` is called with 1 for every cell of the rate that is done.
    """
    masses = _cells(*shape(evidence, prior), n_rate)
    if evidence.n_metric:
        positive, total = evidence.metric.positive, evidence.n_metric
        if evidence.rates is not None:
            tpr, tpr_mass = np.array([evidence.rates.tpr]), np.ones(1)
            tnr, tnr_mass = np.array([evidence.rates.tnr]), np.ones(1)
        else:
            (tn, fp), (fn, tp) = level_parameters(evidence, prior)
            tpr, tpr_mass = _midpoints(n_tpr), _cells(tp, fn, n_tpr)
            tnr, tnr_mass = _midpoints(n_tnr), _cells(tn, fp, n_tnr)
        peak = xlogy(positive, positive / total) + xlogy(total - positive, (total - positive) / total)
        likelihood = np.empty(n_rate)
        for i, alpha in enumerate(_midpoints(n_rate)):
            p = alpha * tpr[:, None] + (1 - alpha) * (1 - tnr)[None, :]
            likelihood[i] = tpr_mass @ np.exp(xlogy(positive, p) + xlog1py(total - positive, -p) - peak) @ tnr_mass
            progress(1)
        masses = masses * likelihood
    return GridPosterior(masses / masses.sum())


def _midpoints(n: int) -> Floats:
    return (np.arange(n) + 0.5) / n


def _cells(a: float, b: float, n: int) -> Floats:
    """Return the mass of Beta(a, b) in each of n equal cells."""
    masses: Floats = np.diff(betainc(a, b, np.linspace(0, 1, n + 1)))
    return masses
