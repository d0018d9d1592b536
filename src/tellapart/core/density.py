"""Probability densities on the unit interval: moments, quantiles, intervals and comparisons.

A density is given by its logarithm, in closed form. On the logit scale it is smooth and falls off at least
exponentially, whatever it does at 0 and 1; there it is interpolated on adaptive Gauss-Legendre panels, to about
1e-11. Nothing is sampled and no grid is fixed beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from scipy.special import betainc, betaincinv, betaln, expit, logit

from tellapart.core.difference import Difference
from tellapart.core.distribution import Distribution, as_given
from tellapart.core.intervals import Interval, shortest, shortest_by_trial
from tellapart.core.quadrature import (
    DENSITY_DROP,
    EPSILON,
    NODES,
    POINTS,
    TO_CHEBYSHEV,
    TO_COEFFICIENTS,
    WEIGHTS,
    Floats,
    Indices,
    clenshaw,
    reach,
    waves,
    zoom,
)

LogDensity = Callable[[Floats, Floats], Floats]

_TOLERANCE = 1e-11
_FARTHEST = 700.0  # logits beyond this have no rate in floating point
_CORE = np.linspace(-10.5, 10.5, 29)  # points to zoom in with, in standard deviations
_OUTWARDS = np.arange(1, 8) / 7  # and further ones, at equal ratios
_SEEN = 9  # points of them where the density lives show where to lay panels
# edges of the first panels in standard deviations, as wide as 24 points resolve a normal density
_EDGES = np.array([-9.6, -5.2, -1.6, 1.6, 5.2, 9.6])
_HIDDEN = 3  # points at the end of a grid that need not count themselves
_ROUNDING = 4 * EPSILON
_SMALLEST = 1e-9  # panels are not split below this fraction of the first ones
_SPLIT = 0.47  # not in the middle: what changes suddenly there, by symmetry, no node of either half would see
_WIDEST = 10.0  # on a wider panel near logit 0 the rate itself, as a function of its logit, is not resolved
_NEWTON_STEPS = 40
_NEWTON_DONE = 1e-7  # squared by the step that was just taken
_INCOMPLETE_BETA_UP_TO = 1e5  # beyond, older versions of scipy have fewer digits
_TIED = 1e-7  # intervals whose lengths differ by less than this share are equally short
_SPIKE = 1e-4  # where the density is infinite at an end, mass that counts


def _integration_matrix() -> Floats:
    """Return the matrix from Legendre coefficients of f to those of ∫₋₁ f, one degree higher."""
    d = np.arange(1, NODES)
    matrix = np.zeros((NODES + 1, NODES))
    matrix[[0, 1], 0] = 1.0
    matrix[d + 1, d], matrix[d - 1, d] = 1 / (2 * d + 1), -1 / (2 * d + 1)  # ∫P_d = (P_{d+1} − P_{d−1}) / (2d+1)
    return matrix


# values at the nodes -> Chebyshev coefficients, those of the running integral, and this itself at the nodes
_FIT = TO_CHEBYSHEV[:-1, :-1] @ TO_COEFFICIENTS
_RUNNING_FIT = TO_CHEBYSHEV @ _integration_matrix() @ TO_COEFFICIENTS
_RUNNING = chebyshev.chebvander(POINTS, NODES) @ _RUNNING_FIT


class Density(Distribution):
    """The distribution of a rate.

    Parameters
    ----------
    log_density : callable
        The unnormalised log density as a function of the rate and of 1 − rate.
    shape : pair of floats
        Exponents a, b such that the density is at most of the order of rateᵃ⁻¹ near 0 and (1−rate)ᵇ⁻¹ near 1.
    noise : float
        Rounding error of `log_density`.
    """

    low = 0.0
    recipe: tuple[Callable[..., Density], tuple[Any, ...]] | None = None  # how to make it again, elsewhere

    def __reduce__(self) -> Any:  # noqa: ANN401 - as pickle wants it
        """Pickle the recipe: functions of a density cannot be."""
        return self.recipe or super().__reduce__()

    def __init__(self, log_density: LogDensity, shape: tuple[float, float] = (1.0, 1.0), *, noise: float = 0.0) -> None:
        self._log_density, self._shape, self._noise = log_density, shape, noise
        self._lay_panels()

    def _lay_panels(self) -> None:
        low, high, x, logs = zoom(self._on_logits, _first_grid(*self._shape), drop=DENSITY_DROP, seen=_SEEN)
        # evidence in conflict is improbable everywhere, and its logs are large
        noise = self._noise + _ROUNDING * abs(logs.max())
        inside = (x >= low) & (x <= high)
        left, right, logs = _resolve(self._on_logits, _first_edges(x[inside], logs[inside]), _TOLERANCE + noise)
        order = np.argsort(left)
        self._left, self._right, logs = left[order], right[order], logs[order]
        half = (self._right - self._left)[:, None] / 2
        values = np.exp(logs - logs.max())
        masses = half * WEIGHTS * values
        total = float(masses.sum())
        self._log_values, self._log_total = logs, float(logs.max()) + float(np.log(total))
        values, self._weights = values / total, masses / total
        self._logits = self._left[:, None] + half * (POINTS + 1)
        self._start = np.concatenate([[0.0], np.cumsum(self._weights.sum(axis=1))])
        self._below = self._start[:-1, None] + half * (values @ _RUNNING.T)
        self._integrals, self._coefficients = _RUNNING_FIT @ (half * values).T, _FIT @ values.T

    def _on_logits(self, x: Floats) -> Floats:
        """Log density of the logit: that of the rate times rate·(1−rate)."""
        flat = x.ravel()
        rate, complement = expit(flat), expit(-flat)
        log_jacobian = -np.logaddexp(0, -flat) - np.logaddexp(0, flat)
        value: Floats = (self._log_density(rate, complement) + log_jacobian).reshape(x.shape)
        return value

    # moments

    @cached_property
    def mean(self) -> float:
        """Expected rate."""
        return float((self._weights * expit(self._logits)).sum())

    @cached_property
    def sd(self) -> float:
        """Standard deviation."""
        rate = expit(self._logits if self.mean < 0.5 else -self._logits)  # noqa: PLR2004 - or 1 − rate, the smaller
        return float(np.sqrt((self._weights * (rate - (self._weights * rate).sum()) ** 2).sum()))

    @cached_property
    def mode(self) -> float:
        """The most probable rate; where the density is flat, the mean.

        A prior below Beta(1, 1) is infinite at its ends; that counts only where probability lies there too.
        """
        x, heights = self._nodes[0], self._heights
        spikes = self._nodes[1] < _SPIKE, self._nodes[1] > 1 - _SPIKE
        hidden = [spike & (exponent < 1) for spike, exponent in zip(spikes, self._shape, strict=True)]
        seen = np.flatnonzero(~(hidden[0] | hidden[1]))
        best = int(seen[heights[seen].argmax()])
        ends = self._log_pdf_at_logits(np.array([-800.0, 800.0]))
        for end, spike, first in ((0, hidden[0], seen[0]), (1, hidden[1], seen[-1])):
            if (best == first) if spike.any() else ends[end] >= heights[best] - 1e-12:
                return float(end) if heights[seen].min() < heights[best] - 1e-9 else self.mean
        left, right = x[max(best - 1, 0)], x[min(best + 1, len(x) - 1)]
        return float(expit(_crossing(self._steepness, left, right)))

    def _steepness(self, x: float) -> float:
        """Slope of the density of the rate, by the logit and up to a positive factor."""
        at = np.array([x])
        panel = self._panel(at)
        slope = clenshaw(self._slopes, panel, self._xi(at, panel)) * 2 / (self._right - self._left)[panel]
        return float((slope - (1 - 2 * expit(at)) * self._pdf_at_logits(at))[0])

    @cached_property
    def _slopes(self) -> Floats:
        return chebyshev.chebder(self._coefficients)

    # density and distribution

    def _log_pdf_at_logits(self, x: Floats) -> Floats:
        return self._log_density(expit(x), expit(-x)) - self._log_total

    def pdf(self, x: float | Floats) -> Floats:
        """Density at the rate `x`."""
        at = np.ravel(np.asarray(x, dtype=float))
        inside = (at >= 0) & (at <= 1)
        safe = np.where(inside, at, 0.5)
        value = np.exp(self._log_density(safe, 1 - safe) - self._log_total)
        return as_given(np.where(inside, value, 0.0), x)

    def cdf(self, x: float | Floats) -> Floats:
        """Probability that the rate is at most `x`."""
        with np.errstate(divide="ignore"):
            at = logit(np.clip(np.ravel(np.asarray(x, dtype=float)), 0.0, 1.0))
        return as_given(self._cdf_at_logits(at), x)

    def cdf_and_pdf(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the distribution function and the density at each of several rates."""
        return self.cdf(x), self.pdf(x)

    def _panel(self, x: Floats) -> Indices:
        return np.maximum(np.searchsorted(self._left, x, side="right") - 1, 0)

    def _xi(self, x: Floats, panel: Indices) -> Floats:
        left = self._left[panel]
        xi: Floats = np.minimum(np.maximum(2 * (x - left) / (self._right[panel] - left) - 1, -1.0), 1.0)
        return xi

    def _cdf_at_logits(self, x: Floats) -> Floats:
        panel = self._panel(x)
        value = self._start[panel] + clenshaw(self._integrals, panel, self._xi(x, panel))
        return np.clip(value, 0.0, 1.0)

    def _pdf_at_logits(self, x: Floats) -> Floats:
        panel = self._panel(x)
        value = clenshaw(self._coefficients, panel, self._xi(x, panel))
        return np.where((x >= self._left[panel]) & (x <= self._right[panel]), np.maximum(value, 0.0), 0.0)

    def quantile(self, probability: float | Floats) -> Floats:
        """Rate below which the given probability lies."""
        p = np.ravel(np.asarray(probability, dtype=float))
        x = self._logit_quantile(np.clip(p, 0.0, 1.0))
        value = np.where(p <= 0, 0.0, np.where(p >= 1, 1.0, expit(x)))
        return as_given(value, probability)

    def _logit_quantile(self, p: Floats) -> Floats:
        """Newton's method on the running integral, kept inside a bracket that shrinks at each step."""
        panel = np.clip(np.searchsorted(self._start, p, side="right") - 1, 0, len(self._left) - 1)
        low, high = np.full_like(p, -1.0), np.ones_like(p)
        half = ((self._right - self._left) / 2)[panel]
        guess = np.interp(p, self._nodes[1], self._nodes[0])
        xi = self._xi(guess, panel)
        for _ in range(_NEWTON_STEPS):
            excess = self._start[panel] + clenshaw(self._integrals, panel, xi) - p
            low, high = np.where(excess < 0, xi, low), np.where(excess < 0, high, xi)
            slope = np.maximum(clenshaw(self._coefficients, panel, xi) * half, 1e-300)
            step = xi - excess / slope
            step = np.where((step >= low) & (step <= high), step, 0.5 * (low + high))
            done = np.abs(step - xi).max(initial=0.0) < 1e-10  # noqa: PLR2004 - squared by this last step
            xi = step
            if done:
                break
        x: Floats = self._left[panel] + half * (xi + 1)
        return x

    def _shortest(self, level: float) -> Interval:
        """Begin with the nodes, between which the shortest interval lies; at an end, or where several are as short."""
        x, below = self._nodes
        rate = expit(x)
        lower = np.flatnonzero(below <= 1 - level)
        tails = np.concatenate([[0.0], below[lower], [1 - level]])
        ends = np.interp(np.array([tails, tails + level]), np.concatenate([[0.0], below, [1.0]]), [0.0, *rate, 1.0])
        length = ends[1] - ends[0]
        best = int(length.argmin())
        tied = np.flatnonzero(length <= length[best] * (1 + _TIED))
        if tails[tied[-1]] - tails[tied[0]] > (1 - level) / 2:  # flat, or two peaks alike
            return self.interval(level, kind="equal-tailed")
        if best in {0, len(tails) - 1}:
            closed = [0.0, float(self.quantile(level))] if best == 0 else [float(self.quantile(1 - level)), 1.0]
            at = self._log_pdf_at_logits(logit(np.clip(closed, 1e-300, 1 - EPSILON / 4)))
            if (at[1] <= at[0]) if best == 0 else (at[0] <= at[1]):
                return Interval(*closed)
        start = logit(np.clip(ends[:, best], rate[0], rate[-1]))

        def look(ends: Floats) -> tuple[Floats, Floats, Floats]:
            panel = self._panel(ends)
            basis = waves(NODES + 1, self._xi(ends, panel))
            below = self._start[panel] + (self._integrals[:, panel] * basis).sum(axis=0)
            density = np.maximum((self._coefficients[:, panel] * basis[:-1]).sum(axis=0), 1e-300)
            return below, density, np.log(density) + np.logaddexp(0, ends) + np.logaddexp(0, -ends)

        slopes = np.array([4.0, -4.0]) / np.ptp(start)
        found = shortest(look, start, level, slopes=lambda _: slopes, within=(x[0], x[-1]))
        if found is None:
            return shortest_by_trial(self.quantile, level)
        return Interval(*expit(found).tolist())

    @cached_property
    def _nodes(self) -> tuple[Floats, Floats]:
        """The nodes of all panels, as logits in rising order, and the distribution function there."""
        return self._logits.ravel(), np.maximum.accumulate(np.clip(self._below.ravel(), 0.0, 1.0))

    @cached_property
    def _heights(self) -> Floats:
        """Log density of the rate at the nodes."""
        x = self._nodes[0]
        return self._log_values.ravel() - self._log_total + np.logaddexp(0, x) + np.logaddexp(0, -x)

    # comparison

    def greater(self, other: Density) -> float:
        """P(a draw of this > an independent draw of `other`)."""
        return float(Difference(self, other).probability_positive)


class BetaDensity(Density):
    """A Beta distribution: what is known in closed form, and panels only when they are asked for."""

    def _lay_panels(self) -> None:
        """Wait."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - what only panels know
        """Lay the panels when something of them is asked for."""
        if "_left" in vars(self) or "_noise" not in vars(self):
            raise AttributeError(name)
        super()._lay_panels()
        return getattr(self, name)

    @cached_property
    def mean(self) -> float:
        """Expected rate."""
        a, b = self._shape
        return a / (a + b)

    @cached_property
    def sd(self) -> float:
        """Standard deviation."""
        a, b = self._shape
        return math.sqrt(a / (a + b) * b / (a + b) / (a + b + 1))

    @cached_property
    def mode(self) -> float:
        """The most probable rate."""
        a, b = self._shape
        return (a - 1) / (a - 1 + b - 1) if min(a, b) > 1 else super().mode

    def _shortest(self, level: float) -> Interval:
        """Newton's method from equal tails, with slopes in closed form."""
        a, b = self._shape
        if not (min(a, b) > 1 and a + b < _INCOMPLETE_BETA_UP_TO):
            return super()._shortest(level)
        low, high = (float(betaincinv(a, b, p)) for p in ((1 - level) / 2, (1 + level) / 2))
        whole = float(betaln(a, b))
        for _ in range(_NEWTON_STEPS):
            h0, h1 = ((a - 1) * math.log(x) + (b - 1) * math.log1p(-x) - whole for x in (low, high))
            s0, s1 = ((a - 1) / x - (b - 1) / (1 - x) for x in (low, high))
            missing, uneven = level - float(betainc(a, b, high) - betainc(a, b, low)), h1 - h0
            f0, f1 = math.exp(h0), math.exp(h1)
            down, up = (s * missing + f * uneven for s, f in ((s1, f1), (s0, f0)))
            low, high = low + down / (f1 * s0 - f0 * s1), high + up / (f1 * s0 - f0 * s1)
            if not 0 < low < self.mode < high < 1:
                break
            if abs(missing) + abs(uneven) < _NEWTON_DONE:
                return Interval(low, high)
        return super()._shortest(level)


def _first_grid(a: float, b: float) -> Floats:
    """Return logits from end to end, close together where a Beta(a, b) lives, wider and wider apart outwards."""
    reaches = [min(_FARTHEST, DENSITY_DROP / min(exponent, 1.0) + 37) for exponent in (a, b)]
    centre, scale = np.log(a) - np.log(b), np.sqrt(1 / a + 1 / b)
    near = scale * _CORE[-1]
    far = np.maximum([reaches[0] + centre, reaches[1] - centre], 2 * near)
    below, above = near * (far[:, None] / near) ** _OUTWARDS
    return np.concatenate([centre - below[::-1], centre + scale * _CORE, centre + above])[None]


def _first_edges(x: Floats, logs: Floats) -> Floats:
    """Return edges of panels that hold what counts; where there is one peak, laid as for a normal density with it."""
    low, high = x[0] + _beyond(x - x[0], logs), x[-1] - _beyond(x[-1] - x[::-1], logs[::-1])
    top = min(max(int(logs.argmax()), 1), len(x) - 2)
    lengths, slopes = np.diff(x), np.diff(logs) / np.diff(x)
    before, after = lengths[top - 1 : top + 1]
    bend = 2 * (slopes[top - 1] - slopes[top]) / (before + after)
    if not (bend > 0 and (slopes[: top - 1] >= 0).all() and (slopes[top + 1 :] <= 0).all()):
        return np.linspace(low, high, len(_EDGES))
    slope = (slopes[top - 1] * after + slopes[top] * before) / (before + after)
    edges = x[top] + slope / bend + _EDGES / np.sqrt(bend)
    margin = 0.3 * np.diff(edges).min()
    return np.concatenate([[low], edges[(edges > low + margin) & (edges < high - margin)], [high]])


def _beyond(x: Floats, logs: Floats) -> float:
    """Return where a curve that bends down rises to what counts, seen from the left; where it does not, its beginning.

    Its slope there is at least that of the step to follow.
    """
    least = logs.max() - DENSITY_DROP
    first = int((logs >= least).argmax())
    if not 1 <= first <= _HIDDEN or first + 1 == len(x):
        return 0.0
    before, after = (np.diff(logs) / np.diff(x))[first - 1 : first + 1]
    return max(0.0, float(x[first] - (logs[first] - least) / after)) if before >= after > 0 else 0.0


def _resolve(log_density: Callable[[Floats], Floats], edges: Floats, tolerance: float) -> tuple[Floats, Floats, Floats]:
    """Split panels until the density is a polynomial on each, to within the tolerance."""
    left, right = edges[:-1], edges[1:]
    best, total, shortest = -np.inf, 0.0, (edges[-1] - edges[0]) * _SMALLEST
    kept: list[tuple[Floats, Floats, Floats]] = []
    while left.size:
        width = right - left
        logs = log_density(left[:, None] + width[:, None] / 2 * (POINTS + 1))
        previous, best = best, max(best, float(logs.max()))
        values = np.exp(logs - best)
        masses = width / 2 * (values @ WEIGHTS)
        total = total * np.exp(previous - best) + float(masses.sum())
        error = width * np.abs(values @ TO_COEFFICIENTS[-3:].T).max(axis=1)
        overshoot = np.abs(logs @ TO_COEFFICIENTS[-3:].T).max(axis=1)  # how much higher it may be between the nodes
        nothing = reach(logs).max(axis=1) + 10 * overshoot < best - DENSITY_DROP
        wide = (width > _WIDEST) & (np.abs(left + right) < width + _WIDEST)
        good = (error <= tolerance * total) & ~wide & ~nothing | (width < shortest)
        kept.append((left[good], right[good], logs[good]))
        total -= float(masses[~good & ~nothing].sum())
        left, right = left[~good & ~nothing], right[~good & ~nothing]
        middle = left + _SPLIT * (right - left)
        left, right = np.concatenate([left, middle]), np.concatenate([middle, right])
    lefts, rights, all_logs = (np.concatenate(parts) for parts in zip(*kept, strict=True))
    return lefts, rights, all_logs


def _crossing(function: Callable[[float], float], left: float, right: float) -> float:
    """Find where a function falls through zero, by false position with halving (Illinois)."""
    low, high = function(left), function(right)
    if low <= 0 or high >= 0:
        return left if low <= 0 else right
    x, side = right, 0
    for _ in range(_NEWTON_STEPS):
        previous, x = x, (left * high - right * low) / (high - low)
        value = function(x)
        if value > 0:
            left, low, high, side = x, value, high / 2 if side > 0 else high, 1
        else:
            right, high, low, side = x, value, low / 2 if side < 0 else low, -1
        if abs(x - previous) < 1e-13 * max(1.0, abs(x)):
            break
    return x
