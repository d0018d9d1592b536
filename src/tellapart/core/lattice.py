"""Sums over two latent counts on a common lattice, where the sum over all that have one total is a convolution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.special import binom

if TYPE_CHECKING:
    from tellapart.core.quadrature import Floats

Bools = npt.NDArray[np.bool_]

_EDGE = 1e-13
_OUTLYING = 10.0  # standard deviations
_ORDER = 10  # of the corrections at the ends


def lay(window: Floats, mode: Floats, h: float, held: Bools) -> tuple[list[Floats], float]:
    """Return points for either level, through the peak or the ends that are held, and their stride.

    A stride other than 1 shrinks to fit where both ends of a level are held; the number of points is then odd.
    """
    for length in (window[1] - window[0])[held.all(axis=0)]:
        h = length / (2 * np.ceil(length / (2 * h))) if h > 1 else h
    points = []
    for (low, high), centre, (at_low, at_high) in zip(window.T, mode, held.T, strict=True):
        origin = low if at_low else high if at_high else centre
        first, last = np.ceil((low - origin) / h - 1e-9), np.floor((high - origin) / h + 1e-9)
        if h > 1 and (last - first) % 2:  # one point less, at an end that is not held
            first, last = (first, last - 1) if at_low else (first + 1, last)
        points.append(np.clip(origin + h * np.arange(first, last + 1), low, high))
    return points, h


def combine(factors: list[Floats], g: Floats, h: float, held: Bools) -> tuple[Floats, Bools]:
    """Return the weights of t, and at which ends, low and high, of either level something is cut off.

    Far out, where tails fall off slowly, what is cut off counts as it does in the variance, more than by its weight.
    """
    one, two = (_weighted(factor, h, ends) for factor, ends in zip(factors, held.T, strict=True))
    weights = np.convolve(one, two) * g
    total, place = weights.sum(), np.arange(float(len(weights)))
    squares = (place - weights @ place / total) ** 2
    variance = max(float(weights @ squares / total), 1.0)  # in points of the lattice, at least one
    g = g * np.maximum(1.0, squares / (_OUTLYING**2 * variance))
    i, j = len(one), len(two)
    edges = [one[0] * (two @ g[:j]), two[0] * (one @ g[:i])], [one[-1] * (two @ g[-j:]), two[-1] * (one @ g[-i:])]
    return weights, np.array(edges) > _EDGE * total


def _weighted(factor: Floats, h: float, held: Bools) -> Floats:
    """Weight the points next to the ends that are held so that a sum with stride h is the sum over all integers.

    With Δ the difference over a stride, Σ over integers from an end is 1 / (1 − (1+Δ)^{1/h}), and −h/Δ on the lattice;
    the rest is a series in Δ (Gregory's, for large h).
    """
    if h == 1 or not held.any():
        return factor
    series = h * binom(1 / h, np.arange(1, _ORDER + 2))
    inverse = np.zeros(_ORDER + 1)
    inverse[0] = 1.0
    for k in range(1, _ORDER + 1):
        inverse[k] = -series[1 : k + 1] @ inverse[k - 1 :: -1][:k]
    order = np.arange(_ORDER)
    differences = binom(order[:, None], order) * (-1.0) ** (order[:, None] - order)
    end = 1 - inverse[1:] @ differences
    factor = factor.copy()
    for ends, part in zip(held, (factor, factor[::-1]), strict=True):
        if ends:
            part[:_ORDER] *= end
    return factor
