"""What every distribution offers: moments, probabilities, quantiles, intervals, draws."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from tellapart.core.counts import fraction
from tellapart.core.intervals import Interval, IntervalKind, check_interval, invert, shortest, shortest_by_trial

if TYPE_CHECKING:
    from tellapart.core.quadrature import Floats

_NEAR = 1e-6  # of an interval: where the density at an end of the support is looked at
_EVEN = 1e-9


class Distribution(ABC):
    """The distribution of a number between `low` and `high`: a rate, a mean rating, or a difference of two.

    A kind of distribution has to know its moments, its distribution function and its density; all else follows.
    """

    low: float = -1.0
    high: float = 1.0

    def __repr__(self) -> str:
        """Say where it lies, and how far around."""
        return f"<{type(self).__name__}: mean {self.mean:.4g}, sd {self.sd:.4g}>"

    @property
    @abstractmethod
    def mean(self) -> float:
        """Expected value."""

    @property
    @abstractmethod
    def sd(self) -> float:
        """Standard deviation."""

    @abstractmethod
    def cdf_and_pdf(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the distribution function and the density at each of several places."""

    def cdf(self, x: float | Floats) -> Floats:
        """Probability of at most `x`."""
        return as_given(self.cdf_and_pdf(np.ravel(np.asarray(x, dtype=float)))[0], x)

    def pdf(self, x: float | Floats) -> Floats:
        """Density at `x`."""
        return as_given(self.cdf_and_pdf(np.ravel(np.asarray(x, dtype=float)))[1], x)

    def above(self, x: float) -> float:
        """Probability of more than `x`."""
        return 1 - float(self.cdf(x))

    @cached_property
    def probability_positive(self) -> float:
        """Probability of more than 0: of a difference, that the first is larger."""
        return self.above(0.0)

    @property
    def probability_error(self) -> float:
        """Standard error of that probability where it is drawn; 0 where it is computed."""
        return 0.0

    @property
    def median(self) -> float:
        """The value that is as likely exceeded as not."""
        return float(self.quantile(0.5))

    def quantile(self, probability: float | Floats) -> Floats:
        """Value below which the given probability lies."""
        wanted = np.ravel(np.asarray(probability, dtype=float))
        ends = {0.0: self.low, 1.0: self.high}
        found = [
            ends[p]
            if p in ends
            else invert(lambda x: float(self.cdf(x)), p, mean=self.mean, sd=self.sd, within=(self.low, self.high))
            for p in np.clip(wanted, 0.0, 1.0).tolist()
        ]
        return as_given(np.array(found), probability)

    def interval(self, confidence_level: float = 0.95, *, kind: IntervalKind = "highest-density") -> Interval:
        """Return the highest-density (shortest) or the equal-tailed interval with the given probability."""
        confidence_level = fraction("confidence_level", confidence_level, open_ends=True)
        if check_interval(kind) == "equal-tailed":
            tail = (1 - confidence_level) / 2
            low, high = self.quantile(np.array([tail, 1 - tail]))
            return Interval(float(low), float(high))
        return self._shortest(confidence_level)

    def _shortest(self, level: float) -> Interval:
        """Begin as if it were normal."""
        reach = float(ndtri(0.5 + level / 2)) * self.sd

        def look(ends: Floats) -> tuple[Floats, Floats, Floats]:
            below, density = self.cdf_and_pdf(ends)
            density = np.maximum(density, 1e-300)
            return below, density, np.log(density)

        start = np.clip([self.mean - reach, self.mean + reach], self.low, self.high)
        within = self.low, self.high
        found = shortest(look, start, level, slopes=lambda x: (self.mean - x) / self.sd**2, within=within)
        if found is not None:
            return Interval(*found.tolist())
        return self._even(level) or shortest_by_trial(self.quantile, level)

    def _even(self, level: float) -> Interval | None:
        """Find the tail below the shortest interval by false position: none where the density only falls, or rises."""
        tails, heights = np.array([0.0, 1 - level]), np.empty(2)
        for side in (0, 1):
            ends, heights[side] = self._unevenness(tails[side], level)
            if heights[side] * (1, -1)[side] >= 0:
                return Interval(*ends.tolist())
        for _ in range(60):
            tail = float(tails[0] - heights[0] * np.ptp(tails) / np.ptp(heights))
            ends, height = self._unevenness(tail, level)
            if abs(height) < _EVEN or np.ptp(tails) < _EVEN:
                return Interval(*ends.tolist())
            stayed, side = side, int(height > 0)
            heights[1 - side] /= 1 + (side == stayed)  # the Illinois rule: an end that stays again counts half
            tails[side], heights[side] = tail, height
        return None

    def _unevenness(self, tail: float, level: float) -> tuple[Floats, float]:
        """Return the interval above a tail, and by how much the density at its low end exceeds that at its high end."""
        ends = self.quantile(np.array([tail, min(tail + level, 1.0)]))
        inside = ends + np.array([1, -1]) * _NEAR * np.ptp(ends) * np.isin(ends, (self.low, self.high))
        low, high = self.pdf(inside)
        return ends, float((low - high) / max(low + high, 1e-300))

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw independent values with the given random generator."""
        return self.quantile(rng.random(size))


def as_given(value: Floats, like: float | Floats) -> Floats:
    """Return an array for an array, of its shape, and a scalar for a scalar."""
    return value.reshape(np.shape(like)) if np.ndim(like) else value[0]


class Scaled(Distribution):
    """`shift` plus `scale` times another distribution: a mean rating on a scale from 1 to 5, for instance."""

    def __init__(self, base: Distribution, shift: float, scale: float) -> None:
        self.base, self._shift, self._scale = base, shift, scale
        self.low, self.high = sorted((shift + scale * base.low, shift + scale * base.high))

    @property
    def mean(self) -> float:
        """Expected value."""
        return self._shift + self._scale * self.base.mean

    @property
    def sd(self) -> float:
        """Standard deviation."""
        return abs(self._scale) * self.base.sd

    def cdf_and_pdf(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the distribution function and the density at each of several places."""
        below, density = self.base.cdf_and_pdf((x - self._shift) / self._scale)
        return (below if self._scale > 0 else 1 - below), density / abs(self._scale)

    def above(self, x: float) -> float:
        """Probability of more than `x`."""
        place = (x - self._shift) / self._scale
        return self.base.above(place) if self._scale > 0 else float(self.base.cdf(place))

    @property
    def probability_error(self) -> float:
        """Standard error of P(positive) where it is drawn: as good as that of what is scaled."""
        return self.base.probability_error

    def quantile(self, probability: float | Floats) -> Floats:
        """Value below which the given probability lies."""
        wanted = probability if self._scale > 0 else 1 - np.asarray(probability, dtype=float)
        return self._shift + self._scale * self.base.quantile(wanted)

    def _shortest(self, level: float) -> Interval:
        found = self.base.interval(level)
        return Interval(*sorted((self._shift + self._scale * found.low, self._shift + self._scale * found.high)))


def scaled(distribution: Distribution, low: float, width: float) -> Distribution:
    """Return a distribution on a scale that is `width` wide; one on the scale of rates stays as it is."""
    return distribution if width == 1 else Scaled(distribution, low, width)
