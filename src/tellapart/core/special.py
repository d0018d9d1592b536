"""Log-gamma ratios that keep their digits where plain log-gamma differences lose them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

if TYPE_CHECKING:
    from tellapart.core.quadrature import Floats

_STIRLING_FROM = 16.0
_HALF_LOG_2PI = 0.5 * np.log(2 * np.pi)


def stirling_remainder(x: Floats) -> Floats:
    """Return r(x) = log Γ(x+1) − (x log x − x), accurate to rounding for every x ≥ 0."""
    big = np.maximum(x, _STIRLING_FROM)
    remainder: Floats = _HALF_LOG_2PI + 0.5 * np.log(big) + _stirling_series(big)
    small = x < _STIRLING_FROM
    if small.any():
        below = x[small]
        remainder[small] = gammaln(below + 1) - xlogy(below, below) + below
    return remainder


def log_multichoose(x: Floats, a: float | Floats) -> Floats:
    """Return log Γ(x+a) / (Γ(a) Γ(x+1)), the log of "a multichoose x", for x ≥ 0 and a > 0, one or one for each x.

    Written with log1p so that its error is relative to its own size, not to that of log Γ: at
    x = 10⁹ a difference of log-gammas is off in the sixth decimal place.
    """
    a = np.asarray(a, dtype=float)
    at_a = stirling_remainder(np.atleast_1d(a)).reshape(a.shape)
    big = np.maximum(x, _STIRLING_FROM)
    value: Floats = np.log1p(x / a)  # in place from here on: for long arrays making new ones is most of the work
    value *= a - 1
    grown = np.log1p(a / big)
    grown *= big + 0.5
    value += grown
    value += _stirling_series(big + a)
    value -= _stirling_series(big)
    value -= at_a
    small = x < _STIRLING_FROM
    if small.any():
        below = x[small]
        a, at_a = (np.broadcast_to(each, x.shape)[small] for each in (a, at_a))
        rising = stirling_remainder(below + a) - stirling_remainder(below) - at_a
        value[small] = (a - 1) * np.log1p(below / a) + below * np.log1p(a / np.maximum(below, 1e-150)) + rising
    return value


def log_multichooses(n: int, a: float) -> Floats:
    """Return the logs of "a multichoose x" for all x from 0 to n, a few thousand at most: ratios of neighbours."""
    return _running(np.log1p((a - 1) / np.arange(1.0, n + 1)))


def log_chooses(n: int) -> Floats:
    """Return the logs of "n choose x" for all x from 0 to n, a few thousand at most: ratios of neighbours."""
    x = np.arange(1.0, n + 1)
    return _running(np.log((n + 1 - x) / x))


def _running(steps: Floats) -> Floats:
    """Return the running sums from 0 on, added up with more digits than floats have, where the processor has them."""
    sums = np.zeros(len(steps) + 1)
    sums[1:] = np.cumsum(steps, dtype=np.longdouble)
    return sums


def _stirling_series(x: Floats) -> Floats:
    """Return 1/12x − 1/360x³ + 1/1260x⁵ − 1/1680x⁷."""
    inverse = 1 / x
    square = inverse * inverse
    series: Floats = square / -1680
    for coefficient in (1 / 1260, -1 / 360):
        series += coefficient
        series *= square
    series += 1 / 12
    series *= inverse
    return series


def log_binomial_pmf(x: Floats, n: float, p: Floats, q: Floats) -> Floats:
    """Return log C(n, x) pˣ qⁿ⁻ˣ for real 0 ≤ x ≤ n, in deviance form; q = 1 − p without cancellation."""
    coefficient = stirling_remainder(np.array([float(n)]))[0] - stirling_remainder(x) - stirling_remainder(n - x)
    value: Floats = coefficient - binomial_deviance(x, n, p, q)
    return value


def binomial_deviance(x: Floats | float, n: float, p: Floats, q: Floats) -> Floats:
    """Return x log(x/np) + (n−x) log((n−x)/nq): zero at x = np, and no digits lost near it."""
    excess = np.where(p <= q, x - n * p, n * q - (n - x))  # from the side that is not near n
    deviance: Floats = xlog1py(x, excess / (n * p)) + xlog1py(n - x, -excess / (n * q))
    return deviance
