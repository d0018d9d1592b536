"""Sums over a billion integers from a few hundred points: log Σ exp(term(x)), for many ranges at once.

A lattice with a stride is tried first (spectrally accurate for a smooth peak); what fails its own check goes to
adaptive panels, which are exact for polynomials and reach down to single integers where they must.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial, pi

import numpy as np
import numpy.typing as npt
from scipy.special import zeta

from tellapart.core.quadrature import (
    DEGREES,
    GRADING,
    LONG,
    NODES,
    POINTS,
    SUM_DROP,
    TO_COEFFICIENTS,
    Floats,
    Indices,
    split,
)

_TOLERANCE = 1e-12
_LATTICE_TOLERANCE = 1e-11
_REACH = 10.5  # half-width of the first window around a peak, in widths
_FADED, _EXTRAPOLATED = 1e-5, 1e-9
_LATTICE = 65  # points
_MOST_TRIES = 12
_COARSE = 8


def _sum_moments() -> Floats:
    """Return M with Σ_{i=0..N} P_d(2i/N − 1) = N·M[d, 0] + M[d, 1] + Σ_r M[d, r+1] N^(1−2r).

    This is the Euler-Maclaurin series, which ends for polynomials.
    """
    moments = np.zeros((NODES, NODES // 2 + 1))
    moments[0, 0] = 1.0
    moments[::2, 1] = 1.0
    for d in range(2, NODES, 2):
        for r in range(1, d // 2 + 1):
            k = 2 * r - 1
            derivative_at_1 = factorial(d + k) / (2**k * factorial(k) * factorial(d - k))
            moments[d, r + 1] = -2 * zeta(2 * r) / (-(pi**2)) ** r * derivative_at_1  # 4ʳ B₂ᵣ/(2r)! times that
    return moments


_SUM_WEIGHTS: Floats = TO_COEFFICIENTS.T @ _sum_moments()
_SUM_POWERS = np.array([1, 0, *range(-1, -(NODES - 1), -2)])


def _panel_points(low: Floats, high: Floats) -> Floats:
    """Return the points of panels low..high, one row each: every integer of a short panel, else Gauss points."""
    every_integer = np.minimum(low[:, None] + DEGREES, high[:, None])
    return np.where(
        (high - low < NODES)[:, None], every_integer, low[:, None] + (high - low)[:, None] * (POINTS + 1) / 2
    )


def sum_rule(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return points and weights that sum over the integers low..high, one row a panel.

    A panel of at most `NODES` integers is summed integer by integer; a longer one exactly for polynomials of degree
    below `NODES`, and nearly for twice that.
    """
    steps = (high - low)[:, None]
    powers = np.maximum(steps, NODES) ** _SUM_POWERS
    return _panel_points(low, high), np.where(steps < NODES, steps >= DEGREES, powers @ _SUM_WEIGHTS.T)


Term = Callable[[Indices, Floats], Floats]


def log_sum(  # noqa: PLR0913 - what is known beforehand
    term: Term,
    low: Floats,
    high: Floats,
    *,
    peak: Floats,
    width: Floats,
    breaks: tuple[int, ...] = (),
    analytic: bool = False,
    noise: float = 0.0,
) -> Floats:
    """Return log Σ_{x=low..high} exp(term(i, x)) for every row i, to about 1e-12 relative.

    Parameters
    ----------
    term : callable
        Takes row numbers and an array of points with one row for each, returns the logs of positive terms that are
        smooth in x.
    low, high : arrays
        The integer ranges, ends included.
    peak, width : arrays
        Where the terms are expected to be largest, and over what distance they change. A wrong guess costs time, not
        accuracy.
    breaks : tuple of int
        Where the terms, otherwise smooth, may have a kink.
    analytic : bool
        Whether there are no kinks at all, so that the error of a lattice may be extrapolated.
    noise : float
        Rounding error of the terms; no more digits than that are sought.
    """
    total, rows = np.empty_like(low), np.arange(len(low))
    reach = np.maximum(np.rint(_REACH * width), _LATTICE // 2)  # so many points there are anyway
    left, right = (np.clip(np.rint(peak + side * reach), low, high) for side in (-1, 1))
    rough = np.zeros(len(low), dtype=bool)
    for attempt in range(_MOST_TRIES):
        window = _Window(lambda i, x, rows=rows: term(rows[i], x), left[rows], right[rows])  # type: ignore[misc]
        total[rows] = window.log_sum
        left[rows], right[rows] = window.zoom(low[rows], high[rows], stretch=4.0**attempt)
        accurate, rough[rows] = window.judge(low[rows], high[rows], _LATTICE_TOLERANCE + noise, analytic=analytic)
        rows = rows[~accurate & ~rough[rows]]
        if not rows.size:
            break
    rows = np.union1d(rows, np.flatnonzero(rough))
    if rows.size:
        edges = _graded_edges(low[rows], high[rows], left=left[rows], right=right[rows], breaks=breaks)
        by_panels = _panel_sum(lambda i, x: term(rows[i], x), edges, _TOLERANCE + noise)
        total[rows] = np.where(np.isfinite(by_panels), by_panels, total[rows])
    return total


class _Window:
    """The terms on a lattice of at most `_LATTICE` integers from `left` to `right`, one row each."""

    def __init__(self, term: Term, left: Floats, right: Floats) -> None:
        self._left, self._right = left, right
        self._stride = np.maximum(1.0, np.ceil((right - left) / (_LATTICE - 1)))
        points = left[:, None] + self._stride[:, None] * np.arange(_LATTICE)
        self._used = points <= right[:, None]
        self._last = np.where(self._used, points, left[:, None]).max(axis=1)
        logs = np.where(self._used, term(np.arange(len(left)), np.minimum(points, self._last[:, None])), -np.inf)
        best = logs.max(axis=1)
        self._scaled = np.exp(logs - best[:, None])
        self._sum = self._scaled.sum(axis=1)
        self._edge = np.where(points == self._last[:, None], self._scaled, 0.0).max(axis=1)
        self._big = logs > best[:, None] - SUM_DROP
        self.log_sum = best + np.log(self._stride * self._sum)

    @property
    def _ends(self) -> tuple[Floats, Floats]:
        """The first and the last lattice point with a term that counts."""
        first, last = self._big.argmax(axis=1), _LATTICE - 1 - self._big[:, ::-1].argmax(axis=1)
        return self._left + self._stride * first, self._left + self._stride * last

    def judge(
        self, low: Floats, high: Floats, tolerance: float, *, analytic: bool
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Tell where the lattice sum is accurate, and where it never will be as the terms are not smooth enough."""
        first, last = self._ends
        whole = self._stride == 1
        cut_low, cut_high = first <= self._left, last >= self._last  # what counts reaches an edge of the window
        # at an end of the range that is harmless with every integer up to it, or terms that fade towards it
        fades_low, fades_high = ((whole | (edge < _FADED)) for edge in (self._scaled[:, 0], self._edge))
        covered = (~cut_low | ((self._left == low) & fades_low)) & (~cut_high | ((self._right == high) & fades_high))
        # a short range may have its kinks between any two points: it is summed in full
        long = analytic | (self._stride >= _COARSE)
        smooth = long & (self._error(analytic=analytic) <= tolerance)
        accurate: npt.NDArray[np.bool_] = covered & (whole | smooth)
        settled = (~cut_low | (self._left == low)) & (~cut_high | (self._right == high))
        seen_well = self._big.sum(axis=1) >= _LATTICE // 4
        return accurate, ~accurate & settled & seen_well

    def _error(self, *, analytic: bool) -> Floats:
        """Estimate the relative error of the sum from how far sums over every second or fourth point disagree."""
        quarters = [self._scaled[:, k::4].sum(axis=1) / self._sum for k in range(4)]
        seconds = np.abs(quarters[0] + quarters[2] - quarters[1] - quarters[3])
        if not analytic:
            return np.asarray(seconds)
        fourths = np.minimum(np.abs(quarters[0] - quarters[2]), np.abs(quarters[1] - quarters[3]))
        # the error falls as fast again from every second point to all; only a small disagreement may be extrapolated
        gain = np.where(seconds <= _EXTRAPOLATED, seconds / np.maximum(np.maximum(fourths, seconds), 1e-300), 1.0)
        error: Floats = seconds * gain
        return error

    def zoom(self, low: Floats, high: Floats, *, stretch: float) -> tuple[Floats, Floats]:
        """Return the window for the next try: what counts and one step more, or far out where the window cut it off."""
        first, last = self._ends
        span = np.maximum(last - first, self._stride) * stretch
        left = first - np.where(first > self._left, self._stride, span)
        right = last + np.where(last < self._last, self._stride, span)
        return np.maximum(left, low), np.minimum(right, high)


def _graded_edges(low: Floats, high: Floats, *, left: Floats, right: Floats, breaks: tuple[int, ...]) -> Floats:
    """Return panel edges for each row: from left to right, finer and finer towards these ends and every break."""
    longest = max(1.0, float((right - left).max()))
    levels = max(1, int(np.ceil(np.log(longest / NODES) / np.log(GRADING))))
    offsets = NODES * GRADING ** np.arange(levels)
    around = [b + side * offset for b in breaks for side in (-1, 1) for offset in (0.0, *offsets)]
    middle = np.rint(left + (right - left) / 2)
    inner = [
        left,
        left[:, None] + offsets,
        middle,
        np.tile(around, (len(left), 1)),
        right[:, None] + 1 - offsets,
        right + 1,
    ]
    edges = np.clip(np.column_stack(inner), left[:, None], right[:, None] + 1)
    return np.column_stack([low, np.sort(edges, axis=1), high + 1])


def _panel_sum(term: Term, edges: Floats, tolerance: float) -> Floats:
    """Sum over the integers edges[i, 0] .. edges[i, −1] − 1 on panels, splitting those not yet resolved."""
    rows = len(edges)
    owner = np.repeat(np.arange(rows), edges.shape[1] - 1)
    low, high = edges[:, :-1].ravel(), edges[:, 1:].ravel() - 1
    best, done = np.full(rows, -np.inf), np.zeros(rows)
    while owner.size:
        owner, low, high = _chop(owner, low, high)
        points, weights = sum_rule(low, high)
        logs = term(owner, points)
        previous = best.copy()
        np.maximum.at(best, owner, logs.max(axis=1))
        done *= np.exp(np.where(np.isfinite(previous), previous - best, 0.0))
        scaled = np.exp(logs - best[owner, None])
        sums, length = (weights * scaled).sum(axis=1), high - low + 1
        total = done + np.bincount(owner, np.maximum(sums, 0), rows)
        resolved = (length <= NODES) | (_sum_error(scaled, length) <= tolerance * total[owner])
        done += np.bincount(owner[resolved], sums[resolved], rows)
        owner = np.tile(owner[~resolved], 3)
        low, high = split(low[~resolved], high[~resolved], GRADING)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_total: Floats = best + np.log(done)
    return log_total


def _chop(owner: Indices, low: Floats, high: Floats) -> tuple[Indices, Floats, Floats]:
    """Drop empty panels and cut those too short for Gauss points into panels of at most `NODES` integers."""
    length = high - low + 1
    whole = (length >= LONG) | ((length > 0) & (length <= NODES))
    middling = (length > NODES) & (length < LONG)
    starts = low[middling][:, None] + NODES * np.arange(LONG // NODES)
    ends = np.minimum(starts + NODES - 1, high[middling][:, None])
    some = starts <= ends
    owners = np.broadcast_to(owner[middling][:, None], starts.shape)
    return (
        np.concatenate([owner[whole], owners[some]]),
        np.concatenate([low[whole], starts[some]]),
        np.concatenate([high[whole], ends[some]]),
    )


def _sum_error(values: Floats, length: Floats) -> Floats:
    """Estimate the error of `sum_rule` on long panels from how fast the Legendre coefficients fall."""
    size = np.abs(values @ TO_COEFFICIENTS.T)
    tail, middle = size[:, -3:].max(axis=1), size[:, NODES // 2 - 2 : NODES // 2 + 1].max(axis=1)
    # Gauss points integrate to twice the degree; one more stretch like that from the middle to the tail is counted on
    decay = np.minimum(1.0, tail / np.maximum(middle, 1e-300))
    error: Floats = length * tail * (decay + 1.0 / (length * length))
    return error
