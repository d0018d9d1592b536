"""What sums, interpolants and densities share: nodes on panels, where a function counts, and Chebyshev series.

- One set of Gauss-Legendre nodes, and how far below its peak a function is left out.
- `zoom`: where a function counts, found from anywhere.
- `clenshaw`: evaluates piecewise Chebyshev series.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from numpy.polynomial import legendre

if TYPE_CHECKING:
    from collections.abc import Callable

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

NODES = 24  # points a panel
POINTS, WEIGHTS = legendre.leggauss(NODES)
DEGREES = np.arange(NODES)
# values at the nodes -> Legendre coefficients of their interpolant
TO_COEFFICIENTS: Floats = (DEGREES + 0.5)[:, None] * (legendre.legvander(POINTS, NODES - 1) * WEIGHTS[:, None]).T
# Legendre coefficients -> Chebyshev ones, which are quicker to evaluate
_ANGLES = np.pi * (np.arange(NODES + 1) + 0.5) / (NODES + 1)
TO_CHEBYSHEV: Floats = np.cos(np.outer(np.arange(NODES + 1), _ANGLES)) @ legendre.legvander(np.cos(_ANGLES), NODES)
TO_CHEBYSHEV *= np.where(np.arange(NODES + 1) == 0, 1, 2)[:, None] / (NODES + 1)
EPSILON = float(np.finfo(float).eps)
TINY = 1e-300

# How far below its peak, in logs, a function is left out, whoever sums or integrates it
DENSITY_DROP = 45.0  # 3e-20: of the rate, so that quantiles far out in the tails have digits
SUM_DROP = 36.0  # 2e-16: terms of sums, which need not be better than rounding
SHARED_DROP = 28.0  # 7e-13: of a system's rate given the metric's rates; there are thousands of these
RATES_DROP = 23.0  # 1e-10: of the metric's rates, beyond which no answer changes in its ninth digit
FAR_BELOW = 18.0  # accuracy may fall off by e¹⁸ where the density is as much lower
EDGE_DROP = 18.0  # 2e-8: of an integrand towards an edge, beyond which as little again is left

GRADING = 8.0  # panels this many times longer than their distance from a singularity are still resolved
LONG = 5 * NODES  # panels of so many integers or more: weights positive, rounded nodes distinct
_MOST_ZOOMS = 30
_FEW_AT_ONCE = 64


def reach(logs: Floats, x: Floats | None = None) -> Floats:
    """Bound what may hide next to each point of curves, one a row: as steep a rise again as the one that led there.

    Without the places x the next step is taken to be twice as long as the last; for Gauss points it is, almost.
    """
    with np.errstate(invalid="ignore"):
        steps = np.diff(logs, axis=1)
    steps[~np.isfinite(steps)] = 0.0
    rises, falls = np.zeros_like(logs), np.zeros_like(logs)
    rises[:, 1:], falls[:, :-1] = steps, -steps
    longer: Floats | float = 2.0
    if x is not None:
        lengths = np.maximum(np.diff(x, axis=1), 1e-150)
        longer = lengths[:, 1:] / lengths[:, :-1]
    rises[:, 1:-1] *= longer
    falls[:, 1:-1] *= 2.0 if x is None else 1 / longer
    bound: Floats = logs + np.maximum(np.maximum(rises, falls), 0.0)
    return bound


def zoom(
    function: Callable[[Floats], Floats], grid: Floats, *, drop: float, seen: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Narrow grids, one a row, down to where a function is within `drop` of its maximum, or may be between two points.

    New grids with equal steps are laid until in each row so many points are `seen` to count. Returned are the points
    next to the first and after the last of these, the last grid and the values there.
    """
    last, rows, low, high = grid.shape[1] - 1, np.arange(len(grid)), grid[:, 0], grid[:, -1]
    for attempt in range(_MOST_ZOOMS):
        if attempt:
            grid = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, last + 1)
        logs = function(grid)
        counts = reach(logs, grid) > logs.max(axis=1, keepdims=True) - drop
        first, final = counts.argmax(axis=1), last - counts[:, ::-1].argmax(axis=1)
        low, high = grid[rows, np.maximum(first - 1, 0)], grid[rows, np.minimum(final + 1, last)]
        if (final - first).min() >= seen:
            break
    return low, high, grid, logs


def split(low: Floats, high: Floats, grading: float) -> tuple[Floats, Floats]:
    """Split panels in three, the outer parts one `grading`-th each: a singular end is reached in few steps."""
    part = np.ceil((high - low + 1) / grading)
    return np.concatenate([low, low + part, high - part + 1]), np.concatenate([low + part - 1, high - part, high])


def waves(count: int, xi: Floats) -> Floats:
    """Return T_0(xi) and so on, Chebyshev polynomials: T_d(cos φ) = cos dφ."""
    return np.cos(np.multiply.outer(np.arange(count), np.arccos(xi)))


def clenshaw(coefficients: Floats, panel: Indices, xi: Floats) -> Floats:
    """Evaluate Σ_d coefficients[d, panel] T_d(xi)."""
    if xi.size <= _FEW_AT_ONCE and np.abs(xi).max(initial=0.0) <= 1:
        return np.asarray((coefficients[:, panel] * waves(len(coefficients), xi)).sum(axis=0))
    ahead, behind, twice = np.zeros_like(xi), np.zeros_like(xi), 2 * xi
    for row in coefficients[:0:-1]:
        behind = row[panel] - behind
        behind += twice * ahead
        ahead, behind = behind, ahead
    value: Floats = coefficients[0][panel] + xi * ahead - behind
    return value
