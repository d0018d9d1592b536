"""The ranks of several independent rates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tellapart.core.quadrature import POINTS, WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tellapart.core.density import Density
    from tellapart.core.quadrature import Floats


def rank_probabilities(densities: Sequence[Density]) -> Floats:
    """Return P(system i has rank r), one row a system, rank 1 being the highest rate.

    Given its rate x, the number of systems above a system is a sum of independent 0/1 variables with probabilities
    1 − F_j(x); its distribution is built up one system at a time and integrated over the density of x.

    Examples
    --------
    >>> from tellapart import Evidence, posterior
    >>> rows = rank_probabilities([posterior(Evidence.of((k, 10))) for k in (2, 8)])
    >>> rows.round(3).tolist()
    [[0.004, 0.996], [0.996, 0.004]]
    """
    edges = np.unique(np.concatenate([np.concatenate([d._left, d._right]) for d in densities]))  # noqa: SLF001
    half = np.diff(edges)[:, None] / 2
    x = (edges[:-1, None] + half * (POINTS + 1)).ravel()
    weights = (half * WEIGHTS).ravel()
    below = [d._cdf_at_logits(x) for d in densities]  # noqa: SLF001
    rows = []
    for i, density in enumerate(densities):
        above = np.ones((1, len(x)))
        for j, share in enumerate(below):
            if j != i:
                above = np.pad(above * share, ((0, 1), (0, 0))) + np.pad(above * (1 - share), ((1, 0), (0, 0)))
        mass = weights * density._pdf_at_logits(x)  # noqa: SLF001
        rows.append(above @ mass / mass.sum())
    found: Floats = np.minimum(rows, 1.0)
    return found
