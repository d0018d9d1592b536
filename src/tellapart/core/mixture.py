"""Mixtures of nearly normal distributions: of rates by their logits, and of differences of rates."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import expit, logit, ndtr

from tellapart.core.distribution import Distribution
from tellapart.core.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from tellapart.core.quadrature import Floats, Indices

Middle = tuple[float, float, float]  # a median, and the ends of an interval
_SKEWEST, _FLATTEST, _PEAKIEST = 1.0, -0.5, 1.5  # within these the series below is a distribution, or as good as one
_LEAST = 1e-9
NODES, WEIGHTS = (part / total for part, total in zip(hermegauss(5), (1.0, np.sqrt(2 * np.pi)), strict=True))
_REACH, _PLACES = 6.0, 97  # standard deviations to look at, in so many places


class Cumulants(NamedTuple):
    """The first four cumulants of several distributions."""

    mean: Floats
    variance: Floats
    third: Floats
    fourth: Floats

    @classmethod
    def of_moments(cls, moments: Floats, origin: float = 0.0, unit: float = 1.0) -> Cumulants:
        """Take the mean of powers 1 to 4, one column each, of what is `unit` times that from `origin` on."""
        m1, m2, m3, m4 = moments.T
        variance = m2 - m1**2
        variance = np.maximum(variance, _LEAST * variance.max())  # where next to nothing is, rounding may be more
        third = m3 - 3 * m1 * m2 + 2 * m1 * m1**2  # a square is quicker than other powers
        fourth = m4 - 4 * m1 * m3 + 3 * m1**2 * (2 * m2 - m1**2) - 3 * variance**2
        return cls(origin + unit * m1, unit**2 * variance, unit**3 * third, unit**4 * fourth)

    @classmethod
    def normal(cls, mean: Floats, variance: Floats) -> Cumulants:
        """Return those of normal distributions."""
        return cls(mean, variance, np.zeros_like(mean), np.zeros_like(mean))

    def minus(self, other: Cumulants) -> Cumulants:
        """Return those of the difference of independent numbers."""
        signs = -1, 1, -1, 1
        return Cumulants(*(mine + sign * its for mine, its, sign in zip(self, other, signs, strict=True)))

    def shape(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Return means, standard deviations, and skewness and excess kurtosis as far as the series can take them."""
        sd = np.sqrt(self.variance)
        skew, peak = self.third / (sd * self.variance), self.fourth / self.variance**2
        return self.mean, sd, np.clip(skew, -_SKEWEST, _SKEWEST), np.clip(peak, _FLATTEST, _PEAKIEST)

    def sample(self, which: Indices, rng: np.random.Generator) -> Floats:
        """Draw once from each of the given distributions: Cornish and Fisher's series."""
        mean, sd, skew, peak = Cumulants(*(part[which] for part in self)).shape()
        z = rng.standard_normal(len(which))
        bent = skew / 6 * (z**2 - 1) + peak / 24 * (z**3 - 3 * z) - skew**2 / 36 * (2 * z**3 - 5 * z)
        drawn: Floats = mean + sd * (z + bent)
        return drawn


class Edgeworth:
    """Several distributions by their cumulants: Edgeworth's series."""

    def __init__(self, cumulants: Cumulants) -> None:
        self._mean, self._sd, skew, peak = cumulants.shape()
        a, b, c = skew / 6, peak / 24, skew**2 / 72
        self._terms = c, 0.0, b - 10 * c, a, 15 * c - 3 * b, -a  # of a He₂ + b He₃ + c He₅, highest power first

    def cdf_and_pdf(self, x: Floats) -> tuple[Floats, Floats]:
        """Return distribution functions and densities, one row a distribution; in memory one a column: quicker."""
        z = (x[:, None] - self._mean) / self._sd
        bell, bent, slope = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi), self._terms[0], np.zeros(1)
        for term in self._terms[1:]:
            slope, bent = slope * z + bent, bent * z + term
        below, density = ndtr(z) - bell * bent, bell * (1 + z * bent - slope)
        return np.clip(below, 0.0, 1.0).T, (np.maximum(density, 0.0) / self._sd).T


class Mixture(Distribution):
    """A weighted mixture of nearly normal distributions."""

    def __init__(self, weights: Floats, parts: Cumulants, support: tuple[float, float] = (-1.0, 1.0)) -> None:
        self._weights, self._parts, (self.low, self.high) = weights, parts, support

    @cached_property
    def mean(self) -> float:
        """Expected value."""
        return float(self._weights @ self._parts.mean)

    @cached_property
    def sd(self) -> float:
        """Standard deviation: within and between."""
        return float(np.sqrt(self._weights @ (self._parts.variance + (self._parts.mean - self.mean) ** 2)))

    @cached_property
    def _curves(self) -> Edgeworth:
        return Edgeworth(self._parts)

    def cdf_and_pdf(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the distribution function and the density at each of several places."""
        below, density = (self._weights @ part for part in self._curves.cdf_and_pdf(x))
        inside = (x > self.low) & (x < self.high)
        return np.where(inside, below, x >= self.high), np.where(inside, density, 0.0)

    def _even(self, level: float) -> Interval | None:
        """Find where the density at both ends is the same, between places that are looked at once."""
        ends = np.clip([self.mean - _REACH * self.sd, self.mean + _REACH * self.sd], self.low, self.high)
        x = np.linspace(ends[0], ends[1], _PLACES)
        below, density = self.cdf_and_pdf(x)
        below = np.maximum.accumulate(below)
        low = np.flatnonzero(below <= 1 - level)
        high = np.interp(below[low] + level, below, x)
        uneven = density[low] - np.interp(high, x, density)
        rising = np.flatnonzero((uneven[:-1] < 0) & (uneven[1:] >= 0))
        if not rising.size:
            return None
        best = int(rising[(high[rising] - x[low[rising]]).argmin()])
        share = uneven[best] / (uneven[best] - uneven[best + 1])
        start = float(x[low[best]] + share * (x[1] - x[0]))
        return Interval(start, float(self.quantile(float(self.cdf(start)) + level)))


class RateMixture(Mixture):
    """A mixture for a rate; `logits` are nearly normal."""

    def __init__(self, weights: Floats, rates: Cumulants, logits: Cumulants) -> None:
        super().__init__(weights, rates, (0.0, 1.0))
        self._curves = Edgeworth(logits)

    @classmethod
    def of_logits(cls, weights: Floats, mean: Floats, variance: Floats) -> RateMixture:
        """Make one whose logits are normal with these means and variances."""
        moments = powers(expit(mean[:, None] + np.sqrt(variance)[:, None] * NODES), WEIGHTS)
        return cls(weights, Cumulants.of_moments(moments), Cumulants.normal(mean, variance))

    def cdf_and_pdf(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the distribution function and the density at each of several rates."""
        inside = (x > 0) & (x < 1)
        rate = np.where(inside, x, 0.5)
        below, density = (self._weights @ part for part in self._curves.cdf_and_pdf(logit(rate)))
        return np.where(inside, below, x >= 1), np.where(inside, density / (rate * (1 - rate)), 0.0)


class NormalDifference(Mixture):
    """A mixture for the difference of two rates; means and variances of their logits, if normal, tell which is larger.

    The parts are drawn, by so many independent `chains` in turns, and weigh the same. The cumulants of the rates'
    differences, which take longer, are found when they are asked for.
    """

    def __init__(self, rates: Callable[[], Cumulants], logits: tuple[Floats, Floats], chains: int) -> None:
        self._rates, self._logits, self._chains, (self.low, self.high) = rates, logits, chains, (-1.0, 1.0)
        self._weights = np.full(len(logits[0]), 1 / len(logits[0]))

    @cached_property
    def _parts(self) -> Cumulants:  # type: ignore[override]
        return self._rates()

    @cached_property
    def probability_positive(self) -> float:
        """P(first > second)."""
        return 1 - float(self._below_zero.mean())  # no BLAS, whose sums depend on where in memory the numbers stand

    @property
    def _below_zero(self) -> Floats:
        mean, variance = self._logits
        found: Floats = ndtr(-mean / np.sqrt(variance))
        return found

    @property
    def probability_error(self) -> float:
        """Standard error of P(first > second): from how the chains differ."""
        each = self._below_zero.reshape(-1, self._chains).mean(axis=0)
        return float(each.std(ddof=1) / np.sqrt(self._chains))


class DifferenceMixture(Mixture):
    """A mixture for the difference of two rates; rates or logits, what is nearer to normal, tell which is larger."""

    def __init__(self, weights: Floats, rates: Cumulants, logits: Cumulants) -> None:
        super().__init__(weights, rates)
        self._logits = logits

    @cached_property
    def probability_positive(self) -> float:
        """P(first > second)."""
        return 1 - float(self._weights @ self.below_zero)

    @property
    def below_zero(self) -> Floats:
        """P(first < second) given each part of the mixture."""
        scales = self._parts, self._logits
        skews = [np.abs(parts.third) / parts.variance**1.5 for parts in scales]
        below = [Edgeworth(parts).cdf_and_pdf(np.zeros(1))[0][:, 0] for parts in scales]
        return np.where(skews[0] < skews[1], *below)


def powers(values: Floats, weights: Floats) -> Floats:
    """Return the mean of the first four powers of weighted values, one row a distribution."""
    squares = values**2
    found: Floats = np.stack([part @ weights for part in (values, squares, squares * values, squares**2)], axis=1)
    return found
