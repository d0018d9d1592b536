"""Several systems under one metric that treats them all alike: the joint posterior with shared rates.

Given the metric's rates the systems are independent, with known-rates posteriors; what is left is
an integral over the two rates, done by the trapezoidal rule in coordinates where it converges very fast.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import digamma, expit, log_expit, logit, ndtr, polygamma

from tellapart.core.distribution import Distribution, as_given
from tellapart.core.intervals import invert
from tellapart.core.likelihood import known_rates
from tellapart.core.posterior import shape
from tellapart.core.prior import PRIORS, Prior
from tellapart.core.quadrature import DENSITY_DROP, EDGE_DROP, RATES_DROP, SHARED_DROP, zoom
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tellapart.core.evidence import Evidence
    from tellapart.core.quadrature import Floats, Indices

_FARTHEST = 700.0
_ZOOMS = 10
_COARSE, _SEEN = 17, 11  # points to zoom in with, and how many of them must count
_STILL = 0.7  # a range that shrinks to no less than this is narrow enough
_STEP = 0.4  # of the lattice for a system's rate, in standard deviations
_LONGEST = 0.6  # and in logits, for long tails that bend at one place
_POINTS = 32, 256  # fewest and most points of it
_SIZES = 16, 23, 32, 45, 64  # lattice points for each of the metric's two rates, till nothing changes any more
_CHANGE = 1e-6  # convergence is so fast that the finer of two lattices is then right to far more digits
_WIDE = 45.0  # logits of metric rates to begin with


class SharedRates:
    """The joint posterior of the systems' rates when one binary metric has the same tpr and tnr for all.

    Parameters
    ----------
    systems : sequence of Evidence
        Each with human ratings, ratings of one binary metric and its calibration; the calibrations are pooled.
    prior : Prior
        Of each system's rate, and of the shared tpr and tnr.
    """

    def __init__(self, systems: Sequence[Evidence], prior: Prior = PRIORS["uniform"]) -> None:
        for evidence in systems:
            if evidence.confusion is None or evidence.fused:
                rule = "each have one binary metric with estimated rates"
                raise InvalidInput.rule("systems", rule, str(evidence), "shared rates need its calibration counts")
            if evidence.sampling == "by-metric" or evidence.drawn.total:
                hint = "shared rates need it; borrow none, or give outputs from elsewhere as calibration alone"
                raise InvalidInput.rule("systems", "each have a random sample rated by people", evidence.sampling, hint)
        self._systems = [System.of(evidence, prior) for evidence in systems]
        (tn, fp), (fn, tp) = np.sum([evidence.calibration for evidence in systems], axis=0)
        self._tpr = tp + prior.tpr[0], fn + prior.tpr[1]
        self._tnr = tn + prior.tnr[0], fp + prior.tnr[1]
        a, b = np.transpose([self._tpr, self._tnr])
        self._origin, self._scale = digamma(a) - digamma(b), 2 * np.sqrt(polygamma(1, a) + polygamma(1, b))
        self._weights, self._given = self._rates()
        self.tpr, self.tnr = (float(self._weights @ rates) for rates in (self._given[0].tpr, self._given[0].tnr))

    def _rates(self) -> tuple[Floats, list[Conditional]]:
        """Return posterior weights of the metric's rates, on a lattice fine enough, and the systems given them."""
        centre, axes = self._region()
        before = None
        for size in _SIZES:
            logs, given = self._at(centre + _square(size) @ axes)
            keep = logs > logs.max() - RATES_DROP
            weights = np.exp(logs[keep] - logs.max())
            weights, given = weights / weights.sum(), [one.only(keep) for one in given]
            now = _probes(weights, given)
            if before is not None and np.abs(now - before).max() < _CHANGE:
                break
            before = now
        return weights, given

    def _region(self) -> tuple[Floats, Floats]:
        """Return the centre and half axes, as rows, of a rectangle of coordinates that holds the metric's rates."""
        wide = _WIDE / np.minimum(1, np.min([self._tpr, self._tnr], axis=1))
        centre, axes = np.zeros(2), np.diag(np.arcsinh((wide + np.abs(self._origin)) / self._scale))
        square = _square(_COARSE)
        for _ in range(_ZOOMS):
            logs, _ = self._at(centre + square @ axes)
            big = square[logs > logs.max() - RATES_DROP] @ axes
            cells = axes * 2 / (_COARSE - 1)
            middle = big.mean(axis=0)
            spread = (big - middle).T @ (big - middle) / len(big) + cells.T @ cells
            directions = np.linalg.eigh(spread)[1].T
            along, margin = big @ directions.T, np.abs(cells @ directions.T).max(axis=0)
            low, high = along.min(axis=0) - margin, along.max(axis=0) + margin
            area = np.abs(np.linalg.det(axes))
            centre, axes = centre + (low + high) / 2 @ directions, directions * ((high - low) / 2)[:, None]
            if np.abs(np.linalg.det(axes)) > _STILL * area:
                break
        return centre, axes

    def _at(self, coordinates: Floats) -> tuple[Floats, list[Conditional]]:
        """Return the log posterior at coordinates of the metric's rates, and the systems given them.

        The coordinates' hyperbolic sines are logits: that makes long tails short, so that one step suits all.
        """
        logits = self._origin + self._scale * np.sinh(coordinates)
        given = [Conditional(system, *expit(logits.T)) for system in self._systems]
        logs = log_beta_kernel(logits, *np.transpose([self._tpr, self._tnr])) + np.log(np.cosh(coordinates))
        return logs.sum(axis=1) + np.sum([one.log_evidence for one in given], axis=0), given

    def marginal(self, system: int) -> SharedMarginal:
        """Return the distribution of one system's rate."""
        return SharedMarginal(self._weights, self._given[system])

    def difference(self, first: int, second: int) -> SharedDifference:
        """Return the distribution of the difference of two systems' rates."""
        return SharedDifference(self._weights, self._given[first], self._given[second])

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw the rates of all systems together, one row a system."""
        nodes = rng.choice(len(self._weights), size, p=self._weights)
        drawn: Floats = expit([one.sample(nodes, rng) for one in self._given])
        return drawn


@dataclass(frozen=True)
class System:
    """A system but for how the metric errs: the Beta parameters of its rate, and the metric's counts."""

    a: float
    b: float
    counts: tuple[int, ...]

    @classmethod
    def of(cls, evidence: Evidence, prior: Prior) -> System:
        """Take what evidence and prior tell."""
        return cls(*shape(evidence, prior), evidence.own.metric_only)


class Conditional:
    """The posteriors of one system's rate given each of many pairs of metric rates, on lattices of their own."""

    def __init__(self, system: System, tprs: Floats, tnrs: Floats) -> None:
        self._system, self.tpr, self.tnr, self.shape = system, tprs, tnrs, (system.a, system.b)
        far = [min(_FARTHEST, DENSITY_DROP / min(exponent, 1.0) + 37) for exponent in self.shape]
        grid = np.tile(np.linspace(-far[0], far[1], _COARSE), (len(tprs), 1))
        self.low, high, x, logs = zoom(self._log_density, grid, drop=SHARED_DROP, seen=_SEEN)
        self.width = high - self.low
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        sds = np.sqrt((weights * (x - (weights * x).sum(axis=1, keepdims=True)) ** 2).sum(axis=1))
        self.points = int(np.clip((self.width / np.clip(_STEP * sds, 1e-9, _LONGEST)).max(), *_POINTS))
        x, logs = self._lattice(self.points)
        best = logs.max(axis=1)
        values = np.exp(logs - best[:, None])
        sums = values.sum(axis=1)
        self.log_evidence = best + np.log(sums * self.width / (self.points - 1))
        self.weights = values / sums[:, None]
        self.rates = expit(x)
        self.mean = (self.weights * self.rates).sum(axis=1)
        self.variance = (self.weights * (self.rates - self.mean[:, None]) ** 2).sum(axis=1)

    def _lattice(self, points: int) -> tuple[Floats, Floats]:
        """Return lattices of logits over the ranges, and the log densities there."""
        x = self.low[:, None] + self.width[:, None] * np.linspace(0, 1, points)
        return x, self._log_density(x)

    def _log_density(self, x: Floats) -> Floats:
        """Log density of the logit of the rate, given the metric's rates."""
        system, (tpr, tnr) = self._system, (self.tpr[:, None], self.tnr[:, None])
        value = log_beta_kernel(x, system.a, system.b)
        if not sum(system.counts):
            return value
        return value + known_rates(system.counts, (1 - tpr, tpr), (tnr, 1 - tnr))(expit(x), expit(-x))

    def only(self, keep: npt.NDArray[np.bool_]) -> Conditional:
        """Return the posteriors given some of the pairs of metric rates."""
        part = copy(self)
        vars(part).update({name: value[keep] for name, value in vars(self).items() if isinstance(value, np.ndarray)})
        return part

    @cached_property
    def _pieces(self) -> Floats:
        """Distribution functions between the points of lattices twice as fine: coefficients of quintics, by row."""
        _, logs = self._lattice(2 * self.points - 1)
        values = np.exp(logs - logs.max(axis=1, keepdims=True))
        density = values / values.sum(axis=1, keepdims=True)
        integral, slope = _integral_and_slope(density)
        rise = np.diff(integral, axis=1)
        (f, g), (p, q) = ((v[:, :-1], v[:, 1:]) for v in (density, slope / 2))
        pieces = [
            integral[:, :-1],
            f,
            p,
            10 * rise - 6 * f - 4 * g - 3 * p + q,
            -15 * rise + 8 * f + 7 * g + 3 * p - 2 * q,
            6 * rise - 3 * f - 3 * g - p + q,
        ]
        return np.stack(pieces, axis=-1).reshape(-1, 6)

    def cdf_and_density(self, x: Floats) -> tuple[Floats, Floats]:
        """Distribution functions and densities of the logit, one row a pair of metric rates."""
        count = 2 * self.points - 2
        scale = count / self.width[:, None]
        position = np.clip((x - self.low[:, None]) * scale, 0.0, count)
        piece = np.minimum(position.astype(np.intp), count - 1)
        offset = position - piece
        coefficients = self._pieces.take(piece + count * np.arange(len(x))[:, None], axis=0)
        value, slope = coefficients[..., 5], np.zeros(1)
        for k in (4, 3, 2, 1, 0):
            slope = slope * offset + value
            value = value * offset + coefficients[..., k]
        return np.clip(value, 0.0, 1.0), slope * scale

    def sample(self, which: Indices, rng: np.random.Generator) -> Floats:
        """Draw a logit given each of the chosen pairs of metric rates: all rows end to end are one rising function."""
        x = self.low[:, None] + self.width[:, None] * np.linspace(0, 1, 2 * self.points - 1)
        ends = np.arange(len(x))[:, None] + self.cdf_and_density(x)[0]
        return np.interp(which + rng.random(len(which)), ends.ravel(), x.ravel())


def _integral_and_slope(density: Floats) -> tuple[Floats, Floats]:
    """Return ∫ from the left end, and the slope, of smooth rows of odd length that vanish at both ends."""
    n = density.shape[1]
    spectrum = np.fft.rfft(density, axis=1)
    frequency = 2j * np.pi * np.arange(spectrum.shape[1]) / n
    wave = np.fft.irfft(spectrum / np.where(frequency == 0, np.inf, frequency), n, axis=1)
    ramp = np.arange(n) / n * density.sum(axis=1, keepdims=True)
    return wave - wave[:, :1] + ramp, np.fft.irfft(spectrum * frequency, n, axis=1)


def _square(points: int) -> Floats:
    """Return the points of a lattice over [−1, 1]²."""
    line = np.linspace(-1, 1, points)
    return np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2)


def _probes(weights: Floats, given: list[Conditional]) -> Floats:
    """Return what shows whether the lattice is fine enough: moments, and probabilities as if normal given the rates."""
    means, variances = (np.array([getattr(one, name) for one in given]) for name in ("mean", "variance"))
    first, second = np.triu_indices(len(given), 1)
    gap, spread = means[first] - means[second], np.sqrt(variances[first] + variances[second])
    middle = gap @ weights
    sd = np.sqrt((spread**2 + (gap - middle[:, None]) ** 2) @ weights)
    places = 0 * sd, middle - 2 * sd, middle + 2 * sd
    chances = [ndtr((place[:, None] - gap) / np.maximum(spread, 1e-150)) @ weights for place in places]
    return np.concatenate([means @ weights, means**2 @ weights, sd, *chances])


class SharedMarginal(Distribution):
    """The distribution of one system's rate."""

    low = 0.0

    def __init__(self, weights: Floats, given: Conditional) -> None:
        self._weights, self._given = weights, given

    @property
    def mean(self) -> float:
        """Expected rate."""
        return float(self._weights @ self._given.mean)

    @property
    def sd(self) -> float:
        """Standard deviation."""
        return float(np.sqrt(self._weights @ (self._given.variance + (self._given.mean - self.mean) ** 2)))

    def cdf_and_pdf(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the distribution function and the density at each of several rates."""
        rate = np.clip(x, 1e-300, 1 - 1e-16)
        logits = np.broadcast_to(logit(rate), (len(self._weights), len(x)))
        below, density = (self._weights @ part for part in self._given.cdf_and_density(logits))
        return np.where(x >= 1, 1.0, np.where(x <= 0, 0.0, below)), density / (rate * (1 - rate))


class SharedDifference(Distribution):
    """The distribution of first − second when both are rated by one metric with shared rates."""

    def __init__(self, weights: Floats, first: Conditional, second: Conditional) -> None:
        self._weights, self._first, self._second = weights, first, second

    @property
    def mean(self) -> float:
        """Expected difference."""
        return float(self._weights @ (self._first.mean - self._second.mean))

    @property
    def sd(self) -> float:
        """Standard deviation of the difference."""
        one, two = self._first, self._second
        spread = one.variance + two.variance + (one.mean - two.mean - self.mean) ** 2
        return float(np.sqrt(self._weights @ spread))

    def cdf(self, x: float | Floats) -> Floats:
        """Probability that first − second is at most `x`."""
        return as_given(np.array([self._below(d) for d in np.ravel(np.asarray(x, dtype=float)).tolist()]), x)

    def _below(self, difference: float) -> float:
        if abs(difference) >= 1:
            return float(difference > 0)
        one, two = self._first, self._second
        if float(self._weights @ one.width) > float(self._weights @ two.width):
            return float(self._weights @ _below(one, two, difference))
        return 1 - float(self._weights @ _below(two, one, -difference))

    def quantile(self, probability: float | Floats) -> Floats:
        """Difference below which the given probability lies."""
        wanted = np.ravel(np.asarray(probability, dtype=float)).tolist()
        found = [invert(self._below, p, mean=self.mean, sd=self.sd, tolerance=1e-8) for p in wanted]
        return as_given(np.array(found), probability)

    def cdf_and_pdf(self, x: Floats) -> tuple[Floats, Floats]:
        """Return that probability and the density of the difference, its slope by differences."""
        step = 0.02 * self.sd
        far, near = (self.cdf(x + k * step) - self.cdf(x - k * step) for k in (2, 1))
        return self.cdf(x), (8 * near - far) / (12 * step)


def _below(one: Conditional, two: Conditional, difference: float) -> Floats:
    """P(one ≤ two + difference) given each pair of metric rates, by the trapezoidal rule for `two`.

    Where two + difference comes to an edge, 0 or 1, the integrand need not be smooth. There the step shrinks with
    the distance, a softplus, so that the edge is infinitely far away. Differences above 0 are seen in a mirror.
    """
    sign = -1 if difference > 0 else 1
    low = two.low if sign > 0 else -two.low - two.width
    with np.errstate(divide="ignore"):
        edge = np.log(abs(difference) / (1 - abs(difference)))
    unit = two.width / (two.points - 1) / _STEP
    origin = np.maximum(edge, low - 40 * unit)
    far = EDGE_DROP / (1 + min(one.shape[0 if sign > 0 else 1], 1))
    ends = np.maximum((np.stack([low, low + two.width]) - origin) / unit, 1e-300)
    start, stop = np.maximum(ends + np.log(-np.expm1(-ends)), -far)
    points = round(float((stop - start).max()) / _STEP) + 2
    place = start[:, None] + (stop - start)[:, None] * np.linspace(0, 1, points)
    distance = unit[:, None] * -log_expit(-place)
    x = origin[:, None] + distance
    near = expit(x) * expit(-edge) * -np.expm1(edge - x if np.isinf(edge) else (edge - origin)[:, None] - distance)
    reached = one.cdf_and_density(sign * np.log(near / (abs(difference) + expit(-x))))[0]
    density = two.cdf_and_density(sign * x)[1] * unit[:, None] * expit(place)
    missed = 1 if sign < 0 else 0
    total: Floats = (density * (reached - missed)).sum(axis=1) * (stop - start) / (points - 1) + missed
    return total


def log_beta_kernel(x: Floats, a: float | Floats, b: float | Floats) -> Floats:
    """Log density, up to a constant, of the logit of a Beta(a, b) variable."""
    value: Floats = -(a + b) * np.log1p(np.exp(-np.abs(x))) - np.where(x < 0, -a, b) * x
    return value
