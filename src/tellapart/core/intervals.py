"""Intervals of a distribution: of which kinds, and how their ends are found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from scipy.special import ndtri

from tellapart.core.quadrature import EPSILON, Floats
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable


IntervalKind = Literal["highest-density", "equal-tailed"]
INTERVALS: tuple[str, ...] = get_args(IntervalKind)

_SECANT_STEPS = 25
_STILL = 1e-13  # standard deviations: steps that change nothing any more
_BALANCED = 1e-9  # ends of a shortest interval: how far apart the logs of their densities may be


@dataclass(frozen=True)
class Interval:
    """An interval of values, ends included."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """Length of the interval."""
        return self.high - self.low


def check_interval(kind: str) -> IntervalKind:
    """Return a kind of interval, or say which ones there are."""
    if kind not in INTERVALS:
        raise InvalidInput.rule("interval", f"be one of {', '.join(INTERVALS)}", kind)
    return kind  # type: ignore[return-value]


def shortest(  # noqa: PLR0913 - where to begin and when to stop
    look: Callable[[Floats], tuple[Floats, Floats, Floats]],
    ends: Floats,
    level: float,
    *,
    slopes: Callable[[Floats], Floats],
    within: tuple[float, float],
    tolerance: float = _BALANCED,
) -> Floats | None:
    """Find two ends with the level between them and the same density at both: Newton's method, slopes by secants.

    `look` returns the distribution function, its derivative and the log of the density that must agree; `slopes`
    guesses that log's slopes. Nothing is returned where the steps lead astray.
    """
    before, off = None, np.zeros(2)
    for _ in range(_SECANT_STEPS):
        below, density, height = look(ends)
        if before is not None:
            moved = ends - before[0]
            known = np.abs(moved) > 1e-7 * np.ptp(ends)
            secants = (height - before[1]) / np.where(known, moved, 1.0)
            off = np.where(known, secants - slopes(ends - moved / 2), off)  # a secant is as steep as its middle
        before, slope = (ends, height), slopes(ends) + off
        if not (slope[0] > 0 > slope[1]):
            return None
        missing, uneven = level - (below[1] - below[0]), height[1] - height[0]
        # −f₀ d₀ + f₁ d₁ = missing and −s₀ d₀ + s₁ d₁ = −uneven
        determinant = density[1] * slope[0] - density[0] * slope[1]
        step = np.array([slope[1] * missing + density[1] * uneven, slope[0] * missing + density[0] * uneven])
        step = step / determinant
        step *= min(1.0, 0.5 * np.ptp(ends) / max(float(np.abs(step).max()), 1e-300))
        ends = ends + step
        if not (within[0] <= ends[0] < ends[1] <= within[1]):
            return None
        if abs(missing) <= tolerance and abs(uneven) <= tolerance:
            return ends
    return None


def shortest_by_trial(quantile: Callable[[Floats], Floats], level: float) -> Interval:
    """Find the shortest interval by trying tails, finer and finer: slow, but nothing can go wrong."""
    low, high = 0.0, 1 - level
    for _ in range(6):
        tails = np.linspace(low, high, 33)
        ends = quantile(tails), quantile(np.minimum(tails + level, 1.0))
        best = int((ends[1] - ends[0]).argmin())
        low, high = tails[max(best - 1, 0)], tails[min(best + 1, len(tails) - 1)]
    return Interval(float(ends[0][best]), float(ends[1][best]))


def invert(  # noqa: PLR0913 - where to begin and when to stop
    cdf: Callable[[float], float],
    probability: float,
    *,
    mean: float,
    sd: float,
    within: tuple[float, float] = (-1.0, 1.0),
    tolerance: float = 1e-12,
) -> float:
    """Solve cdf(x) = probability, to the tolerance in probability.

    By secants of the probit of the cdf, straight for a normal distribution, and bisection where they lead astray.
    """
    (low, high), target = within, ndtri(probability)
    x, run, before = float(np.clip(mean + sd * target, low, high)), sd, None
    for attempt in range(300):
        value = cdf(x)
        if abs(value - probability) <= tolerance or high - low < 4 * EPSILON * max(abs(low), abs(high)):
            break
        low, high = (x, high) if value < probability else (low, x)
        probit = ndtri(min(1.0, max(0.0, value)))
        if before is not None and np.isfinite([probit, before[1]]).all() and probit != before[1]:
            run = (x - before[0]) / (probit - before[1])
        before = x, probit
        x = x + (target - probit) * run
        if abs(x - before[0]) <= _STILL * sd and low < x < high:
            break
        if attempt % 6 == 5 or not low < x < high:  # noqa: PLR2004 - every sixth step
            x = 0.5 * (low + high)
    return float(x)
