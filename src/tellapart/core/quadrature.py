"""Sums over a billion integers and interpolants of smooth functions, both from a few hundred points.

Four tools, one set of Gauss-Legendre nodes:

- `log_sum`: log Σ exp(term(x)) over long integer ranges, for many ranges at once. A lattice with a stride is tried
  first (spectrally accurate for a smooth peak); what fails its own check goes to adaptive panels, which are
  exact for polynomials and reach down to single integers where they must.
- `Interpolant`: a smooth function of the integers 0..n as polynomials on adaptive panels.
- `clenshaw`: evaluates piecewise Chebyshev series.
- `zoom`: where a function counts, found from anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb, factorial

import numpy as np
import numpy.typing as npt
from numpy.polynomial import legendre

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

NODES = 24  # points a panel
POINTS, WEIGHTS = legendre.leggauss(NODES)
_DEGREES = np.arange(NODES)
# values at the nodes -> Legendre coefficients of their interpolant
TO_COEFFICIENTS: Floats = ((2 * _DEGREES + 1) / 2)[:, None] * (
    legendre.legvander(POINTS, NODES - 1) * WEIGHTS[:, None]
).T
# Legendre coefficients -> Chebyshev ones, which are quicker to evaluate
_ANGLES = np.pi * (np.arange(NODES + 1) + 0.5) / (NODES + 1)
TO_CHEBYSHEV: Floats = np.cos(np.outer(np.arange(NODES + 1), _ANGLES)) @ legendre.legvander(np.cos(_ANGLES), NODES)
TO_CHEBYSHEV *= np.where(np.arange(NODES + 1) == 0, 1, 2)[:, None] / (NODES + 1)
EPSILON = float(np.finfo(float).eps)

# How far below its peak, in logs, a function is left out, whoever sums or integrates it
DENSITY_DROP = 45.0  # 3e-20: of the rate, so that quantiles far out in the tails have digits
SUM_DROP = 36.0  # 2e-16: terms of sums, which need not be better than rounding
SHARED_DROP = 28.0  # 7e-13: of a system's rate given the metric's rates; there are thousands of these
RATES_DROP = 23.0  # 1e-10: of the metric's rates, beyond which no answer changes in its ninth digit
EDGE_DROP = 18.0  # 2e-8: of an integrand towards an edge, beyond which as little again is left

_TOLERANCE = 1e-12
_LATTICE_TOLERANCE = 1e-11
_REACH = 10.5  # half-width of the first window around a peak, in widths
_FADED, _EXTRAPOLATED = 1e-5, 1e-9
_LATTICE = 65  # points
_MOST_TRIES, _MOST_ZOOMS = 12, 30
_COARSE = 8
_GRADING = 8.0  # panels this many times longer than their distance from a singularity are still resolved


def _sum_moments() -> Floats:
    """Return M with Σ_{i=0..N} P_d(2i/N − 1) = N·M[d, 0] + M[d, 1] + Σ_r M[d, r+1] N^(1−2r).

    This is the Euler-Maclaurin series, which ends for polynomials.
    """
    bernoulli = [Fraction(1)]
    for m in range(1, NODES + 1):
        bernoulli.append(-sum((comb(m + 1, i) * bernoulli[i] for i in range(m)), Fraction(0)) / (m + 1))
    moments = np.zeros((NODES, NODES // 2 + 1))
    moments[0, 0] = 1.0
    moments[::2, 1] = 1.0
    for d in range(2, NODES, 2):
        for r in range(1, d // 2 + 1):
            k = 2 * r - 1
            derivative_at_1 = Fraction(factorial(d + k), 2**k * factorial(k) * factorial(d - k))
            moments[d, r + 1] = float(bernoulli[2 * r] / factorial(2 * r) * 4**r * derivative_at_1)
    return moments


_SUM_WEIGHTS: Floats = TO_COEFFICIENTS.T @ _sum_moments()
_SUM_POWERS = np.array([1, 0, *range(-1, -(NODES - 1), -2)])
_SHORT = 12  # polynomials through more equispaced points than this magnify rounding
_FEW, _TAME = 3, 1e-3
_FEW_AT_ONCE = 64
_LOOSE = 10.0  # a series may be off by so much more than its last terms
_FAR_BELOW = 18.0  # accuracy may fall off by e¹⁸ where the weight is as much lower
_FEW_POINTS = legendre.leggauss(_SHORT)[0]
_LONG = 5 * NODES  # panels of this length or more: weights positive, rounded nodes distinct


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


def _panel_points(low: Floats, high: Floats) -> Floats:
    """Return the points of panels low..high, one row each: every integer of a short panel, else Gauss points."""
    every_integer = np.minimum(low[:, None] + _DEGREES, high[:, None])
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
    return _panel_points(low, high), np.where(steps < NODES, steps >= _DEGREES, powers @ _SUM_WEIGHTS.T)


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
    levels = max(1, int(np.ceil(np.log(longest / NODES) / np.log(_GRADING))))
    offsets = NODES * _GRADING ** np.arange(levels)
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
        low, high = _split(low[~resolved], high[~resolved], _GRADING)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_total: Floats = best + np.log(done)
    return log_total


def _chop(owner: Indices, low: Floats, high: Floats) -> tuple[Indices, Floats, Floats]:
    """Drop empty panels and cut those too short for Gauss points into panels of at most `NODES` integers."""
    length = high - low + 1
    whole = (length >= _LONG) | ((length > 0) & (length <= NODES))
    middling = (length > NODES) & (length < _LONG)
    starts = low[middling][:, None] + NODES * np.arange(_LONG // NODES)
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


def _split(low: Floats, high: Floats, grading: float) -> tuple[Floats, Floats]:
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
                allowed *= np.exp(np.clip(best - tops - np.log(length), 0.0, _FAR_BELOW))
            xi = 2 * (probes - low[owner]) / np.maximum(high - low, 1)[owner] - 1
            wrong = (
                np.abs(clenshaw(TO_CHEBYSHEV[:-1, :-1] @ coefficients.T, owner, xi) - probed) > _LOOSE * allowed[owner]
            )
            resolved = _interpolates(coefficients, high - low, allowed)
            resolved[owner[inside & wrong & ((high - low)[owner] >= _SHORT)]] = False
            done.append((low[resolved], high[resolved], coefficients[resolved]))
            low, high = _split(low[~resolved], high[~resolved], _GRADING / 2)
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
    t = np.linspace(low[0], high[-1], _LATTICE)
    peak = t[log_weight(t).argmax()]
    inside = (low <= peak) & (peak < high + 1) & (high - low > _LONG)
    parts = _split(low[inside], high[inside], _GRADING / 2)
    return np.concatenate([low[~inside], parts[0]]), np.concatenate([high[~inside], parts[1]])


def _probes(low: Floats, high: Floats) -> Floats:
    """Return integers nearer and nearer to the ends, where a change may be too sudden for Gauss points to notice."""
    offsets = np.append(0.0, _GRADING ** np.arange(3, np.log(high.max() + 1) / np.log(_GRADING), 3))[:, None]
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
    return np.where(steps < _SHORT, steps + 1, np.where(steps < _LONG, _SHORT, NODES))


def _integers(steps: Floats) -> Floats:
    """Return the integers of 0..steps at which panels are fitted, one row each: all of few, else near Gauss points.

    Every row begins with `_count` distinct ones in rising order, whatever rounding does: less its place in the row,
    each is no lower than those before it, and low enough to leave room for those to come. The rest of a row is filler.
    """
    count = _count(steps)[:, None]
    few = np.pad(_FEW_POINTS, (0, NODES - _SHORT), constant_values=1.0)
    near = np.rint(steps[:, None] * (np.where(count == NODES, POINTS, few) + 1) / 2)
    room = np.clip(near - _DEGREES, 0, steps[:, None] + 1 - count)
    return np.maximum.accumulate(room, axis=1) + np.minimum(_DEGREES, count - 1)


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
    steps, filler = (high - low)[:, None], _count(high - low)[:, None] <= _DEGREES
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
