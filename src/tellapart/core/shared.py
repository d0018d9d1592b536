"""Several systems under one metric that treats them all alike: the joint posterior with shared rates.

Given the metric's rates the systems are independent, with known-rates posteriors; what is left is
an integral over the two rates, done by the trapezoidal rule on the logit scale, where it converges very fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit

from tellapart.core.density import Interval, invert
from tellapart.core.evidence import PRIORS, Evidence, Levels, Prior
from tellapart.core.posterior import shape
from tellapart.core.special import binomial_deviance
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tellapart.core.quadrature import Floats

_DROP = 34.0
_FARTHEST = 700.0
_ZOOMS = 8
_COARSE = 25
_RATES = 96  # lattice points for each of the two rates
_POINTS = 128  # lattice points for a system's rate
_FAINT = 1e-11
_STENCIL = np.arange(8) - 3  # points of the local interpolation of a distribution function


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
            quality = evidence.metrics[0].quality if len(evidence.metrics) == 1 else None
            if not isinstance(quality, Levels) or len(quality.adequate) != 2 or evidence.sampling == "by-metric":  # noqa: PLR2004
                hint = (
                    "shared rates need calibration counts of one binary metric, and outputs not chosen by its verdict"
                )
                raise InvalidInput.rule(
                    "systems", "each have one binary metric with estimated rates", str(evidence), hint
                )
        self._systems = [_System.of(evidence, prior) for evidence in systems]
        pooled = np.sum([[e.metrics[0].quality.adequate, e.metrics[0].quality.inadequate] for e in systems], axis=0)  # type: ignore[union-attr]
        (fn, tp), (tn, fp) = pooled
        self._tpr = tp + prior.tpr[0], fn + prior.tpr[1]
        self._tnr = tn + prior.tnr[0], fp + prior.tnr[1]
        tprs, tnrs, weights = self._rates()
        self.tpr, self.tnr = float(weights @ tprs), float(weights @ tnrs)
        self._weights = weights
        self._given = [_Conditional(system, tprs, tnrs) for system in self._systems]

    def _rates(self) -> tuple[Floats, Floats, Floats]:
        """Return the lattice of both rates with the posterior weights, without the points that carry nothing."""
        box = np.array([[-1.0, 1.0], [-1.0, 1.0]]) * 45
        for _ in range(_ZOOMS):
            x, y, logs = self._lattice(box, _COARSE)
            big = logs > logs.max() - _DROP
            new = []
            for axis, points in ((1, x), (0, y)):
                counts = np.flatnonzero(big.any(axis=axis))
                new.append([points[max(counts[0] - 1, 0)], points[min(counts[-1] + 1, _COARSE - 1)]])
            shrunk = (np.diff(new, axis=1) < 0.7 * np.diff(box, axis=1)).any()
            box = np.array(new)
            if not shrunk:
                break
        x, y, logs = self._lattice(box, _RATES)
        weights = np.exp(logs - logs.max())
        keep = weights > _FAINT
        grid_x, grid_y = np.meshgrid(x, y, indexing="ij")
        return expit(grid_x[keep]), expit(grid_y[keep]), weights[keep] / weights[keep].sum()

    def _lattice(self, box: Floats, points: int) -> tuple[Floats, Floats, Floats]:
        """Return the log posterior of the logits of both rates on a lattice over the box."""
        x, y = (np.linspace(low, high, points) for low, high in box)
        logs = _log_beta_kernel(x, *self._tpr)[:, None] + _log_beta_kernel(y, *self._tnr)[None, :]
        tprs, tnrs = (expit(v).ravel() for v in np.meshgrid(x, y, indexing="ij"))
        for system in self._systems:
            logs = logs + _Conditional(system, tprs, tnrs).log_evidence.reshape(logs.shape)
        return x, y, logs

    def mean(self, system: int) -> float:
        """Expected rate of a system."""
        return float(self._weights @ self._given[system].mean)

    def difference(self, first: int, second: int) -> SharedDifference:
        """Return the distribution of the difference of two systems' rates."""
        return SharedDifference(self._weights, self._given[first], self._given[second])


@dataclass(frozen=True)
class _System:
    a: float
    b: float
    positive: int
    total: int

    @classmethod
    def of(cls, evidence: Evidence, prior: Prior) -> _System:
        metric = evidence.metrics[0]
        return cls(*shape(evidence, prior), metric.counts[1], metric.total)

    def log_density(self, x: Floats, tpr: Floats, tnr: Floats) -> Floats:
        """Log density of the logit of the rate, given the metric's rates."""
        value = _log_beta_kernel(x, self.a, self.b)
        if not self.total:
            return value
        rate, complement = expit(x), expit(-x)
        p = np.maximum(rate * tpr + complement * (1 - tnr), 1e-300)
        q = np.maximum(rate * (1 - tpr) + complement * tnr, 1e-300)
        return value - binomial_deviance(float(self.positive), self.total, p, q)


class _Conditional:
    """The posteriors of one system's rate given each of many pairs of metric rates, on lattices of their own."""

    def __init__(self, system: _System, tprs: Floats, tnrs: Floats) -> None:
        tpr, tnr = tprs[:, None], tnrs[:, None]
        low = np.full(len(tprs), -min(_FARTHEST, 45 / min(system.a, 1.0) + 37))
        high = np.full(len(tprs), min(_FARTHEST, 45 / min(system.b, 1.0) + 37))
        for points in (33, 17, 17, 17):
            x, step = self._points(low, high, points)
            logs = system.log_density(x, tpr, tnr)
            big = logs > logs.max(axis=1, keepdims=True) - _DROP
            first, last = big.argmax(axis=1), points - 1 - big[:, ::-1].argmax(axis=1)
            low, high = low + step * np.maximum(first - 1, 0), low + step * np.minimum(last + 1, points - 1)
        self._low = low
        self._x, self._step = self._points(low, high, _POINTS)
        logs = system.log_density(self._x, tpr, tnr)
        best = logs.max(axis=1)
        values = np.exp(logs - best[:, None])
        sums = values.sum(axis=1)
        self.log_evidence = best + np.log(sums * self._step)
        self.weights = values / sums[:, None]
        self.rates = expit(self._x)
        self.mean = (self.weights * self.rates).sum(axis=1)
        self.square = (self.weights * self.rates**2).sum(axis=1)
        self.width = high - low

    @staticmethod
    def _points(low: Floats, high: Floats, points: int) -> tuple[Floats, Floats]:
        step = (high - low) / (points - 1)
        return low[:, None] + step[:, None] * np.arange(points), step

    @cached_property
    def _running(self) -> Floats:
        return _running_integral(self.weights)

    def cdf(self, rate: Floats) -> Floats:
        """Distribution function, one row a pair of metric rates, by local interpolation of the running sum."""
        with np.errstate(divide="ignore"):
            position = (logit(np.clip(rate, 0.0, 1.0)) - self._low[:, None]) / self._step[:, None]
        position = np.clip(position, 0.0, _POINTS - 1)
        start = np.clip(np.floor(position), -_STENCIL[0], _POINTS - 1 - _STENCIL[-1]).astype(np.intp)
        offset = position - start
        value = np.zeros_like(position)
        for k in _STENCIL:
            others = _STENCIL[k != _STENCIL]
            basis = np.prod([(offset - o) / (k - o) for o in others], axis=0)
            value += basis * np.take_along_axis(self._running, start + k, axis=1)
        clipped: Floats = np.clip(value, 0.0, 1.0)
        return clipped


def _running_integral(weights: Floats) -> Floats:
    """Return ∫ from the left end to each lattice point of smooth rows that vanish at both ends; spectrally accurate."""
    n = weights.shape[1]
    spectrum = np.fft.rfft(weights, axis=1)
    frequency = 2 * np.pi * np.arange(spectrum.shape[1]) / n
    spectrum[:, 0] = 0
    spectrum[:, 1:] = spectrum[:, 1:] / (1j * frequency[1:])
    if n % 2 == 0:
        spectrum[:, -1] = 0
    wave = np.fft.irfft(spectrum, n, axis=1)
    ramp = np.arange(n) / n * weights.sum(axis=1, keepdims=True)
    integral: Floats = wave + ramp - wave[:, :1]
    return integral


@dataclass(frozen=True)
class SharedDifference:
    """The distribution of first − second when both are rated by one metric with shared rates."""

    _weights: Floats
    _first: _Conditional
    _second: _Conditional

    @property
    def mean(self) -> float:
        """Expected difference."""
        return float(self._weights @ (self._first.mean - self._second.mean))

    @property
    def sd(self) -> float:
        """Standard deviation of the difference."""
        one, two = self._first, self._second
        spread = one.square - one.mean**2 + two.square - two.mean**2 + (one.mean - two.mean - self.mean) ** 2
        return float(np.sqrt(self._weights @ spread))

    @property
    def probability_positive(self) -> float:
        """P(first > second)."""
        return 1 - self.cdf(0.0)

    def cdf(self, difference: float) -> float:
        """Probability that first − second is at most `difference`."""
        one, two = self._first, self._second
        if float(self._weights @ one.width) > float(self._weights @ two.width):
            inner = one.cdf(two.rates + difference) * two.weights
            return float(self._weights @ inner.sum(axis=1))
        inner = two.cdf(one.rates - difference) * one.weights
        return float(self._weights @ (1 - inner.sum(axis=1)))

    def quantile(self, probability: float) -> float:
        """Difference below which the given probability lies."""
        return invert(self.cdf, probability, mean=self.mean, sd=self.sd, tolerance=1e-8)

    def interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the equal-tailed interval of the difference."""
        tail = (1 - confidence_level) / 2
        return Interval(self.quantile(tail), self.quantile(1 - tail))


def _log_beta_kernel(x: Floats, a: float, b: float) -> Floats:
    """Log density, up to a constant, of the logit of a Beta(a, b) variable."""
    value: Floats = -a * np.logaddexp(0, -x) - b * np.logaddexp(0, x)
    return value
