"""Probability densities on the unit interval: moments, quantiles, intervals and comparisons.

A density is given by its logarithm, in closed form. On the logit scale it is smooth and falls off at least
exponentially, whatever it does at 0 and 1; there it is interpolated on adaptive Gauss-Legendre panels, to about
1e-11. Nothing is sampled and no grid is fixed beforehand.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit, logit

from tellapart.core.difference import Difference
from tellapart.core.distribution import Distribution, as_given
from tellapart.core.intervals import Interval, shortest, shortest_by_trial
from tellapart.core.quadrature import (
    EPSILON,
    NODES,
    POINTS,
    TO_COEFFICIENTS,
    WEIGHTS,
    Floats,
    Indices,
    clenshaw,
    reach,
)

LogDensity = Callable[[Floats, Floats], Floats]

_TOLERANCE = 1e-11
_DROP = 45.0  # e⁻⁴⁵ is 3e-20: what is this far below the peak is left out
_FARTHEST = 700.0  # logits beyond this have no rate in floating point
_LATTICE = 33
_MOST_ZOOMS = 30
_ROUNDING = 4 * EPSILON
_SMALLEST = 1e-9  # panels are not split below this fraction of the first ones
_WIDEST = 10.0  # on a wider panel near logit 0 the rate itself, as a function of its logit, is not resolved
_NEWTON_STEPS = 40
_TIED = 1e-7  # intervals whose lengths differ by less than this share are equally short
_SPIKE = 1e-4  # where the density is infinite at an end, mass that counts


def _integration_matrix() -> Floats:
    """Return the matrix from Legendre coefficients of f to those of ∫₋₁ f, one degree higher."""
    d = np.arange(1, NODES)
    matrix = np.zeros((NODES + 1, NODES))
    matrix[[0, 1], 0] = 1.0
    matrix[d + 1, d], matrix[d - 1, d] = 1 / (2 * d + 1), -1 / (2 * d + 1)  # ∫P_d = (P_{d+1} − P_{d−1}) / (2d+1)
    return matrix


_INTEGRATE = _integration_matrix()


def _differentiation_matrix() -> Floats:
    """Return the matrix from Legendre coefficients of f to those of its derivative."""
    degree = np.arange(NODES)
    odd = (degree[None, :] - degree[:, None]) % 2 == 1
    return np.where((degree[None, :] > degree[:, None]) & odd, 2.0 * degree[:, None] + 1, 0.0)


_DIFFERENTIATE = _differentiation_matrix()


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
        self._log_density = log_density
        low, high, peak = _zoom(self._on_logits, *(min(_FARTHEST, _DROP / min(s, 1.0) + 37) for s in shape))
        noise += _ROUNDING * abs(peak)  # evidence in conflict is improbable everywhere, and its logs are large
        left, right, logs = _resolve(self._on_logits, low, high, _TOLERANCE + noise)
        order = np.argsort(left)
        self._left, self._right, logs = left[order], right[order], logs[order]
        self._shape, self._log_values = shape, logs
        self._peak = float(logs.max())
        half = (self._right - self._left)[:, None] / 2
        values = np.exp(logs - self._peak)
        integrals = half * (values @ TO_COEFFICIENTS.T @ _INTEGRATE.T)  # coefficients of the running integral
        masses = 2 * half[:, 0] * (values @ TO_COEFFICIENTS[0])
        total = float(masses.sum())
        self._log_total = self._peak + float(np.log(total))
        self._weights = half * WEIGHTS * values / total
        self._logits = self._left[:, None] + half * (POINTS + 1)
        self._start = np.concatenate([[0.0], np.cumsum(masses) / total])
        self._integrals = np.ascontiguousarray((integrals / total).T)
        self._coefficients = np.ascontiguousarray((values / total @ TO_COEFFICIENTS.T).T)

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
        return _DIFFERENTIATE @ self._coefficients

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
        return np.clip(np.searchsorted(self._left, x, side="right") - 1, 0, None)

    def _xi(self, x: Floats, panel: Indices) -> Floats:
        xi: Floats = np.clip(2 * (x - self._left[panel]) / (self._right - self._left)[panel] - 1, -1.0, 1.0)
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
            density = np.maximum(self._pdf_at_logits(ends), 1e-300)
            return self._cdf_at_logits(ends), density, np.log(density) + np.logaddexp(0, ends) + np.logaddexp(0, -ends)

        width = np.ptp(start) / 4
        found = shortest(look, start, level, slopes=np.array([1.0, -1.0]) / width, within=(x[0], x[-1]))
        if found is None:
            return shortest_by_trial(self.quantile, level)
        return Interval(*expit(found).tolist())

    @cached_property
    def _nodes(self) -> tuple[Floats, Floats]:
        """The nodes of all panels, as logits in rising order, and the distribution function there."""
        x = self._logits.ravel()
        return x, np.maximum.accumulate(self._cdf_at_logits(x))

    @cached_property
    def _heights(self) -> Floats:
        """Log density of the rate at the nodes."""
        x = self._nodes[0]
        return self._log_values.ravel() - self._log_total + np.logaddexp(0, x) + np.logaddexp(0, -x)

    # comparison

    def greater(self, other: Density) -> float:
        """P(a draw of this > an independent draw of `other`)."""
        return float(Difference(self, other).probability_positive)


def _zoom(log_density: Callable[[Floats], Floats], reach_low: float, reach_high: float) -> tuple[float, float, float]:
    """Narrow the range down to where the density lives, or may live between two points; return its log there, too."""
    low, high = -reach_low, reach_high
    for _ in range(_MOST_ZOOMS):
        x = np.linspace(low, high, _LATTICE)
        logs = log_density(x)
        counts = np.flatnonzero(reach(logs[None], growth=1.0)[0] > logs.max() - _DROP)
        new_low, new_high = x[max(counts[0] - 1, 0)], x[min(counts[-1] + 1, _LATTICE - 1)]
        shrunk = (new_high - new_low) < 0.5 * (high - low)
        low, high = new_low, new_high
        if not shrunk:
            break
    return float(low), float(high), float(logs.max())


def _resolve(
    log_density: Callable[[Floats], Floats], low: float, high: float, tolerance: float
) -> tuple[Floats, Floats, Floats]:
    """Split [low, high] into panels on which the density is a polynomial to within the tolerance."""
    edges = np.linspace(low, high, 6)
    left, right = edges[:-1], edges[1:]
    best, total, shortest = -np.inf, 0.0, (high - low) * _SMALLEST
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
        nothing = reach(logs).max(axis=1) + 10 * overshoot < best - _DROP
        wide = (width > _WIDEST) & (np.abs(left + right) < width + _WIDEST)
        good = (error <= tolerance * total) & ~wide & ~nothing | (width < shortest)
        kept.append((left[good], right[good], logs[good]))
        total -= float(masses[~good & ~nothing].sum())
        left, right = left[~good & ~nothing], right[~good & ~nothing]
        middle = (left + right) / 2
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
