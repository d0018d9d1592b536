"""The likelihood of the rate through the pass rate of a binary metric, which many ratings make nearly known.

Of the rate α, ρ = P(passed | adequate) and σ = P(passed | inadequate), ratings of the metric alone tell only the pass
rate x = αρ + (1−α)σ. With s = ρ − σ, so that ρ = x + (1−α)s and σ = x − αs,

    L(α) = ∫ Beta(x; m+1, n−m+1) ∫ f(ρ) g(σ) ds dx / (n+1),

f and g the Beta densities of ρ and σ. The more ratings, the narrower is the first factor and the fewer Gauss points
it needs. Over s, from where ρ or σ is 0 or 1 to where it is again, the trapezoidal rule on the logit scale does.
"""

from __future__ import annotations

from functools import cache
from math import ceil, log
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.special import betaln

from tellapart.core.gauss import jacobi_rule
from tellapart.core.quadrature import FAR_BELOW, SUM_DROP, TINY, zoom

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tellapart.core.quadrature import Floats

_TOLERANCE = 1e-11
_FEWEST, _MOST = 4, 16  # Gauss points
_EITHER = 100  # passed and failed outputs, so that the pass rate keeps away from 0 and 1
_REACH = 9.0  # of the pass rate, in standard deviations
_MORE = 8  # Gauss points where the others are checked, which reach to 5 standard deviations at the least
_SMOOTH, _ROUGH = 16, 2  # order of a kink that is as good as none, and of one that no rule resolves
_STEPS = 41, 145  # lattice points in s: at first, and where these do not suffice
_DROP = 32.0  # how far down the lattice goes; somewhat further with several pass rates, whose peaks differ
_WIDER = 0.25  # of the window, on either side, at the second try
_LOOK = np.sinh(np.linspace(-4.6, 4.6, 33))  # a first look at s, in widths: near, and as far as it may lie

Checked = tuple["Floats", npt.NDArray[np.bool_]]


def by_pass_rate(
    counts: Sequence[int],
    adequate: Sequence[float],
    inadequate: Sequence[float],
    shape: tuple[float, float] | None = None,
) -> Callable[[Floats, Floats], Checked] | None:
    """Return log L(α) as a function of α and 1 − α, with whether each value passed its checks.

    Nothing where the ratings do not make the pass rate much better known than it is without them. Counts and
    parameters are those of failed, then of passed outputs; `shape` has the Beta parameters of the rate before them, if
    known: where the rate is improbable, less accuracy will do.
    """
    n, (failed, passed) = sum(counts), counts
    rates = _Rates(adequate, inadequate)
    if min(counts) < _EITHER or min(*adequate, *inadequate) < 1 or min(rates.orders) < _ROUGH:
        return None  # pass rates near 0 or 1, or more than one peak in s, or a sharp bend
    # the variance of the pass rate given the ratings, in the least that it can be before them
    ratio = (failed + 1) * (passed + 1) / (n + 2) ** 3 * (1 / rates.variances[0] + 1 / rates.variances[1])
    if ratio > _TOLERANCE ** (1 / _MOST):
        return None
    size = max(ceil(log(_TOLERANCE) / log(ratio)), _FEWEST)
    rule = _Rule(failed, passed, size, decay=ratio**0.5)
    finer = cache(lambda: _Rule(failed, passed, size + _MORE, decay=ratio**0.5))

    best = -np.inf  # of the density, wherever it was asked for so far

    @np.errstate(divide="ignore", invalid="ignore", over="ignore")  # what is not a number is not resolved
    def log_likelihood(rate: Floats, complement: Floats) -> Checked:
        nonlocal best
        p, q = np.maximum(rate, TINY), np.maximum(complement, TINY)
        # of the density of the logit: that of the rate itself may have poles at 0 and 1, where little lies
        weight = 0.0 if shape is None else shape[0] * np.log(p) + shape[1] * np.log(q)
        value, resolved = np.empty_like(p), np.zeros(len(p), dtype=bool)
        low, high = rates.window(p, q, *rule.middle, drop=_DROP + size / 2)
        for steps in _STEPS:
            left = np.flatnonzero(~resolved)
            u = low[left, None] + (high - low)[left, None] * np.linspace(0.0, 1.0, steps)
            value[left], error = _integrals(rates, rule, p[left], q[left], u)
            at = np.flatnonzero(rates.kinks(p[left], q[left], *rule.range) < _SMOOTH)
            if at.size:
                again, _ = _integrals(rates, finer(), p[left[at]], q[left[at]], u[at])
                error[at] += np.abs(value[left[at]] - again)
            logs = (value + weight)[left]
            best = max(best, float(logs.max()))
            below = 0.0 if shape is None else np.minimum(best - logs, FAR_BELOW)
            resolved[left] = error <= _TOLERANCE * np.exp(below)
            if resolved.all():
                break
            wider = _WIDER * (high - low)
            low, high = low - wider, high + wider
        return value - np.log(n + 1.0), resolved

    return log_likelihood


class _Rule:
    """Gauss points of the pass rate, from both ends, for the weight x^passed (1−x)^failed, and their eigenvectors.

    `decay` is by how much terms of a series of polynomials should fall, from one to the next.
    """

    def __init__(self, failed: int, passed: int, size: int, *, decay: float) -> None:
        self.decay = decay
        n = float(failed + passed)
        offsets, self.vectors = jacobi_rule(passed + 1, failed + 1, size)
        x, y = (passed + 1) / (n + 2), (failed + 1) / (n + 2)
        self.points = x + offsets, y - offsets
        reach = _REACH * np.sqrt(x * y / (n + 3))
        self.range = x - reach, x + reach

    @property
    def middle(self) -> tuple[Floats, Floats]:
        """The point in the middle, from both ends."""
        x, y = (points[len(points) // 2] for points in self.points)
        return x, y


class _Rates:
    """What is known of ρ and σ before the ratings."""

    def __init__(self, adequate: Sequence[float], inadequate: Sequence[float]) -> None:
        both = adequate, inadequate
        self._powers = [parameter - 1 for each in both for parameter in each]
        self.orders = adequate[0] + inadequate[1] - 1, adequate[1] + inadequate[0] - 1  # of kinks
        self._constant = sum(float(betaln(*each)) for each in both)
        self._means = [each[1] / sum(each) for each in both]
        self.variances = [m * (1 - m) / (sum(each) + 1) for m, each in zip(self._means, both, strict=True)]

    def log_density(self, u: Floats, p: Floats, q: Floats, x: Floats, y: Floats) -> Floats:
        """Return the log of f(ρ) g(σ) ds/du, u the logit of where s lies between its ends; y = 1 − x, q = 1 − p.

        Each of ρ, 1 − ρ, σ, 1 − σ is a share of the way from one end, plus what is left there: no digits are lost.
        """
        low, high = _ends(p, q, x, y)
        up, down, length = 1 / (1 + np.exp(-u)), 1 / (1 + np.exp(u)), high - low
        value: Floats = np.log(up * down) + (np.log(length) - self._constant)
        part = np.empty_like(value)  # in place, as these arrays are long
        parts = (q, down, y - q * high), (q, up, x + q * low), (p, up, y + p * low), (p, down, x - p * high)
        for power, (share, way, end) in zip(self._powers, parts, strict=True):
            if power:
                np.multiply(share * length, way, out=part)
                part += np.maximum(end, 0.0)
                np.log(part, out=part)
                part *= power
                value += part
        return value

    def kinks(self, p: Floats, q: Floats, low: float, high: float) -> Floats:
        """Return the order of the kink of the integral over s, as a function of x from low to high, ∞ if there is none.

        It has one where ρ = 1 and σ = 0 at once, x = α, and one where ρ = 0 and σ = 1, x = 1 − α.
        """
        places = zip((p, q), self.orders, strict=True)
        found: Floats = np.min([np.where((low < at) & (at < high), order, np.inf) for at, order in places], axis=0)
        return found

    def window(self, p: Floats, q: Floats, x: Floats, y: Floats, *, drop: float) -> tuple[Floats, Floats]:
        """Return from where to where the log density in u is at most so far below its peak, at one pass rate."""
        (m, k), (v, w), (low, high) = self._means, self.variances, _ends(p, q, x, y)
        variance = p * p * v + q * q * w
        s = m - k + (p * v - q * w) / variance * (x - p * m - q * k)  # as for normal densities
        place = np.clip((s - low) / (high - low), 1e-4, 1 - 1e-4)
        width = np.minimum(np.sqrt(v * w / variance) / ((high - low) * place * (1 - place)), 1.0)
        grid = np.log(place / (1 - place))[:, None] + width[:, None] * _LOOK
        p, q = p[:, None], q[:, None]
        *_, grid, logs = zoom(lambda u: self.log_density(u, p, q, x, y), grid, drop=SUM_DROP, seen=14)
        cut, rows, last = logs.max(axis=1) - drop, np.arange(len(p)), logs.shape[1] - 1
        counts = logs > cut[:, None]

        def end(inner: npt.NDArray[np.intp], outer: npt.NDArray[np.intp]) -> Floats:
            inside, outside = logs[rows, inner], logs[rows, outer]
            part = np.clip((inside - cut) / np.maximum(inside - outside, TINY), 0.0, 1.0)
            return np.asarray(grid[rows, inner] + part * (grid[rows, outer] - grid[rows, inner]))

        first, final = counts.argmax(axis=1), last - counts[:, ::-1].argmax(axis=1)
        return end(first, np.maximum(first - 1, 0)), end(final, np.minimum(final + 1, last))


def _ends(p: Floats, q: Floats, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the least and the largest s for which ρ and σ are probabilities."""
    return -np.minimum(x / q, y / p), np.minimum(y / q, x / p)


def _integrals(rates: _Rates, rule: _Rule, p: Floats, q: Floats, u: Floats) -> tuple[Floats, Floats]:
    """Return the logs of both integrals, and the largest of three estimates of their relative error."""
    x, y = (points[:, None] for points in rule.points)
    terms = rates.log_density(u[:, None, :], p[:, None, None], q[:, None, None], x, y)
    best = terms.max(axis=(1, 2))
    terms -= best[:, None, None]
    np.exp(terms, out=terms)
    weights = rule.vectors[0] ** 2
    even, odd = terms[:, :, ::2].sum(axis=2), terms[:, :, 1::2].sum(axis=2)
    series = ((even + odd) * rule.vectors[0]) @ rule.vectors.T  # of polynomials that are orthogonal under the weight
    total = series[:, 0]
    # half the step squares the error of the lattice, at the least; and twice the degree does that of the series
    uneven = (np.abs(even - odd) @ weights / total) ** 2
    third, second, first = np.abs(series[:, -3:]).T
    last = np.maximum(first, second * rule.decay)
    decay = np.clip(last / np.maximum(second, third), rule.decay, 1.0)
    tail = (decay * last / total) ** 2
    cut_off = np.maximum(terms[:, :, 0], terms[:, :, -1]) @ weights / total
    error = np.where(total > 0, np.max([uneven, tail, cut_off], axis=0), np.inf)
    return best + np.log(total * (u[:, 1] - u[:, 0])), error
