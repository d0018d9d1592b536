"""Smooth functions of the integers 0..n, known after evaluations at a few hundred of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from numpy.polynomial import legendre

from tellapart.core.quadrature import (
    DEGREES,
    FAR_BELOW,
    GRADING,
    LONG,
    NODES,
    POINTS,
    TO_CHEBYSHEV,
    Floats,
    clenshaw,
    reach,
    split,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_SHORT = 12  # polynomials through more equispaced points than this magnify rounding
_FEW, _TAME = 3, 1e-3
_LOOSE = 10.0  # a series may be off by so much more than its last terms
_FEW_POINTS = legendre.leggauss(_SHORT)[0]
_LOOKS = 65  # points, for a first look at the weight


class Interpolant:
    """A smooth function of the integers 0..n, the log of something, known after evaluations at a few of them.

    Parameters
    ----------
    function : callable
        The function.
    n : int
        The last integer.
    breaks : tuple of int
        Where the function may have a kink.
    tolerance : float
        Absolute accuracy.
    log_weight : callable, optional
        The function only matters where function + log_weight is near its maximum; elsewhere it need not be accurate.
    """

    def __init__(
        self,
        function: Callable[[Floats], Floats],
        n: int,
        *,
        breaks: tuple[int, ...],
        tolerance: float,
        log_weight: Callable[[Floats], Floats] | None = None,
    ) -> None:
        starts = np.array(sorted({0, *(b for b in breaks if 0 < b <= n)}), dtype=float)
        low, high = starts, np.append(starts[1:] - 1, float(n))
        probes, probed = _probes(low, high), np.empty(0)
        if log_weight is not None:
            low, high = _split_at_peak(low, high, log_weight)
        done: list[tuple[Floats, Floats, Floats]] = []
        best = -np.inf
        while low.size:
            low, high = _shorten(low, high)
            points, values, coefficients, more = _fit(function, low, high, probes[len(probed) :])
            probed = np.append(probed, more)
            order = np.argsort(low)
            owner = order[np.maximum(np.searchsorted(low[order], probes, side="right") - 1, 0)]
            inside = (probes >= low[owner]) & (probes <= high[owner])
            allowed = np.full(len(low), tolerance)
            if log_weight is not None:
                logs, length = values + log_weight(points), high - low + 1
                second = np.partition(logs, -2, axis=1)[:, -2]  # beside the top one, so all between is higher
                best = max(best, float(logs.max()), float((second + np.log(length / NODES)).max()))
                tops, weighed = reach(logs).max(axis=1), probed + log_weight(probes)
                np.maximum.at(tops, owner[inside], weighed[inside])
                best = max(best, float(weighed.max()))
                allowed *= np.exp(np.clip(best - tops - np.log(length), 0.0, FAR_BELOW))
            xi = 2 * (probes - low[owner]) / np.maximum(high - low, 1)[owner] - 1
            wrong = (
                np.abs(clenshaw(TO_CHEBYSHEV[:-1, :-1] @ coefficients.T, owner, xi) - probed) > _LOOSE * allowed[owner]
            )
            resolved = _interpolates(coefficients, high - low, allowed)
            resolved[owner[inside & wrong & ((high - low)[owner] >= _SHORT)]] = False
            done.append((low[resolved], high[resolved], coefficients[resolved]))
            low, high = split(low[~resolved], high[~resolved], GRADING / 2)
            low, high = low[high >= low], high[high >= low]
        lows, highs, all_coefficients = (np.concatenate(parts) for parts in zip(*done, strict=True))
        order = np.argsort(lows)
        self._low, self._steps = lows[order], np.maximum(highs - lows, 1)[order]
        self._coefficients = np.ascontiguousarray(TO_CHEBYSHEV[:-1, :-1] @ all_coefficients[order].T)

    def __call__(self, x: Floats) -> Floats:
        """Evaluate at x, integer or not, 0 ≤ x ≤ n."""
        panel = np.maximum(np.searchsorted(self._low, x, side="right") - 1, 0)
        return clenshaw(self._coefficients, panel, 2 * (x - self._low[panel]) / self._steps[panel] - 1)


def _split_at_peak(low: Floats, high: Floats, log_weight: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """Split the panel where the weight peaks, which most often is too long."""
    t = np.linspace(low[0], high[-1], _LOOKS)
    peak = t[log_weight(t).argmax()]
    inside = (low <= peak) & (peak < high + 1) & (high - low > LONG)
    parts = split(low[inside], high[inside], GRADING / 2)
    return np.concatenate([low[~inside], parts[0]]), np.concatenate([high[~inside], parts[1]])


def _probes(low: Floats, high: Floats) -> Floats:
    """Return integers nearer and nearer to the ends, where a change may be too sudden for Gauss points to notice."""
    offsets = np.append(0.0, GRADING ** np.arange(3, np.log(high.max() + 1) / np.log(GRADING), 3))[:, None]
    return np.unique(np.clip([low + offsets, high - offsets], 0, high.max()))


def _tail(coefficients: Floats, steps: Floats) -> Floats:
    """Return the largest of the last three coefficients of each panel."""
    last, rows = (_count(steps) - 1).astype(np.intp), np.arange(len(steps))
    tail: Floats = np.max([np.abs(coefficients[rows, np.maximum(last - k, 0)]) for k in range(3)], axis=0)
    return tail


def _interpolates(coefficients: Floats, steps: Floats, tolerance: Floats) -> npt.NDArray[np.bool_]:
    """Tell which panels are resolved; one that knows every integer need only be tame between them."""
    last = (_count(steps) - 1).astype(np.intp)
    tame = np.abs(coefficients[np.arange(len(steps)), last]) <= _TAME
    return np.where(last == steps, tame, _tail(coefficients, steps) <= tolerance) | (steps < _FEW)


def _count(steps: Floats) -> Floats:
    """Return the number of points for panels of steps + 1 integers, never more than these."""
    return np.where(steps < _SHORT, steps + 1, np.where(steps < LONG, _SHORT, NODES))


def _integers(steps: Floats) -> Floats:
    """Return the integers of 0..steps at which panels are fitted, one row each: all of few, else near Gauss points.

    Every row begins with `_count` distinct ones in rising order, whatever rounding does: less its place in the row,
    each is no lower than those before it, and low enough to leave room for those to come. The rest of a row is filler.
    """
    count = _count(steps)[:, None]
    few = np.pad(_FEW_POINTS, (0, NODES - _SHORT), constant_values=1.0)
    near = np.rint(steps[:, None] * (np.where(count == NODES, POINTS, few) + 1) / 2)
    room = np.clip(near - DEGREES, 0, steps[:, None] + 1 - count)
    return np.maximum.accumulate(room, axis=1) + np.minimum(DEGREES, count - 1)


def _shorten(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Halve panels whose halves are short enough to take every integer."""
    between = (high - low >= _SHORT) & (high - low < 2 * _SHORT)
    middle = np.floor((low + high) / 2)[between]
    lows, highs = (low[~between], low[between], middle + 1), (high[~between], middle, high[between])
    return np.concatenate(lows), np.concatenate(highs)


def _fit(
    function: Callable[[Floats], Floats], low: Floats, high: Floats, probes: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return points, values and Legendre coefficients, one row a panel, of polynomials through integers.

    With them come the values at the probes, which cost little on top.
    """
    steps, filler = (high - low)[:, None], _count(high - low)[:, None] <= DEGREES
    offsets = _integers(high - low)
    points = low[:, None] + offsets
    values: Floats = np.zeros(points.shape)
    found = function(np.concatenate([points[~filler], probes]))
    values[~filler], probed = np.split(found, [len(found) - len(probes)])
    basis = legendre.legvander(2 * offsets / np.maximum(steps, 1) - 1, NODES - 1)
    # a panel with fewer points than nodes has as many degrees as points, the rest zero; distinct points make it regular
    basis = np.where(filler[:, :, None] | filler[:, None, :], np.eye(NODES), basis)
    coefficients = np.linalg.solve(basis, values[:, :, None])[:, :, 0]
    return points, np.where(filler, -np.inf, values), coefficients.astype(np.float64, copy=False), probed
