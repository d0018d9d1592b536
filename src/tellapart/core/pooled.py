"""Several systems under one metric whose error rates scatter: partially pooled rates.

A metric treats systems alike, but not quite. With leniency l = (logit tpr − logit tnr)/√2 and discrimination
s = (logit tpr + logit tnr)/√2, the systems' l and s are normal around common μ, with standard deviations τ_l and τ_s
that the data tell. Without scatter these are shared rates, with boundless scatter separate ones.

Given (μ, τ) the systems are independent. What is known of one, as a function of l and s, is laid on a lattice once;
scatter is then a convolution, by a Gaussian kernel along l and along s; and (μ, τ) are summed over lattices that follow
their posterior. All are sums over lattices of smooth functions that vanish at both ends, where they converge as fast as
can be. Of a system's rate given (μ, τ) four moments are kept, of its logit and of itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit, log_expit, logit

from tellapart.core.mixture import Cumulants, DifferenceMixture, Middle, RateMixture
from tellapart.core.prior import PRIORS, Prior
from tellapart.core.quadrature import TINY
from tellapart.core.shared import Conditional, System

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tellapart.core.evidence import Evidence
    from tellapart.core.quadrature import Floats

_ROOT = np.sqrt(0.5)
_EDGE, _FADE = 7.0, 0.25  # logits of a metric's rates beyond which nothing changes any more: they fade out
_DROP = 20.0  # 2e-9: of what is known of a system, along l and s
_STEP, _LONGEST = 0.6, 0.3  # of the lattice along l and s: in standard deviations of what is known best; in logits
_MOST = 160  # points of it along either
_LOOK = 65  # points to find out where it must lie
_FARTHEST = 10.0  # logits of a system's rate: beyond, it is as good as 0 or 1
TAU_UNIT, _TAU_MOST = 0.1, (50.0, 6.0)  # below the unit the lattice of τ is even, beyond it is so in the logarithm
_TAU_POINTS = 8, 12  # to look for what counts, and to sum over it
_MU = 1.15 * np.arange(-4.0, 5.0)  # lattice of μ, in standard deviations
_MU_ROUNDS = 4
_HYPER_DROP = 12.0  # 6e-6: of (μ, τ)
_NOTHING = 1e-7  # of a system's largest likelihood: what a lattice cannot tell from nothing
_LOST = 1e-5  # probability of (μ, τ) that is left out
_NARROW = 1.6  # steps: a narrower kernel is seen by few points of a lattice
_POWERS = 4


@dataclass(frozen=True)
class Scatter:
    """What is believed of the scatter of a metric's error rates over systems.

    That of leniency is half-Cauchy, that of discrimination half-normal, with these scales.
    """

    leniency: float = 0.5
    discrimination: float = 0.2

    def log_prior(self, taus: Floats) -> float:
        """Return the log density of both standard deviations, up to a constant."""
        return float(-np.log1p((taus[0] / self.leniency) ** 2) - 0.5 * (taus[1] / self.discrimination) ** 2)


class PooledRates:
    """The joint posterior of the systems' rates when one binary metric has similar tpr and tnr for all.

    Parameters
    ----------
    systems : sequence of Evidence
        Each with ratings of one binary metric, and its calibration where people rated outputs: a random sample.
    prior : Prior
        Of each system's rate, and of the tpr and tnr around which the systems' scatter.
    scatter : Scatter
        Of the scatter.
    """

    def __init__(
        self, systems: Sequence[Evidence], prior: Prior = PRIORS["uniform"], scatter: Scatter | None = None
    ) -> None:
        self._prior, self._scatter = prior, scatter or Scatter()
        self._known = [_Known.of(evidence, prior) for evidence in systems]
        nodes = self._lattice()
        logs = np.concatenate([node.logs for node in nodes])
        order = np.sort(logs)
        least = order[np.searchsorted(np.cumsum(np.exp(order - order[-1])), _LOST * np.exp(order - order[-1]).sum())]
        keep = [node.logs >= least for node in nodes]
        weights = np.exp(logs[np.concatenate(keep)] - logs.max())
        self._weights = weights / weights.sum()
        self._taus = np.repeat([node.taus for node in nodes], [k.sum() for k in keep], axis=0)
        self._given = [known.given(nodes, keep) for known in self._known]

    def _lattice(self) -> list[_Node]:
        """Return lattices of μ for every τ of a lattice over what counts; τ is a hyperbolic sine, even around 0."""
        most = np.array([_TAU_MOST[0], _TAU_MOST[1] * self._scatter.discrimination])
        ends = np.column_stack([np.zeros(2), np.arcsinh(most / TAU_UNIT)])
        for points in _TAU_POINTS:
            axes = [np.linspace(low, high, points) for low, high in ends]
            start = np.array([known.centre for known in self._known]), np.array([known.sd for known in self._known])
            nodes = [self._node(np.array(place), *start) for place in product(*axes)]
            logs = np.array([np.logaddexp.reduce(node.logs) for node in nodes])
            seen = (logs > logs.max() - _HYPER_DROP).reshape(points, points)
            ends = _around(axes, seen)
        return [node for node, counts in zip(nodes, seen.ravel(), strict=True) if counts]

    def _node(self, place: Floats, centres: Floats, sds: Floats) -> _Node:
        """Lay a lattice of μ where it counts, given τ."""
        taus = TAU_UNIT * np.sinh(place)
        trust = 1 / (sds[:, None] ** 2 + taus**2)
        middle, sd = (trust * centres).sum(axis=0) / trust.sum(axis=0), 1 / np.sqrt(trust.sum(axis=0))
        for _ in range(_MU_ROUNDS):
            axes = middle[:, None] + sd[:, None] * _MU
            logs = self._log_posterior(axes, taus)
            weights = np.exp(logs - logs.max())
            weights /= weights.sum()
            parts = [weights.sum(axis=1), weights.sum(axis=0)]
            now = np.array([part @ axis for part, axis in zip(parts, axes, strict=True)])
            spread = np.sqrt([part @ (axis - m) ** 2 for part, axis, m in zip(parts, axes, now, strict=True)])
            if (np.abs(now - middle) < sd / 3).all() and (np.abs(spread / sd - 1) < 0.2).all():  # noqa: PLR2004
                break
            middle, sd = now, np.clip(spread, 0.4 * sd, 2.5 * sd)
        ends = np.log(0.5) * (place == 0).sum()  # the trapezoidal rule, for functions that are even in τ
        logs += self._scatter.log_prior(taus) + ends + np.log(np.cosh(place) * (axes[:, 1] - axes[:, 0])).sum()
        return _Node(taus, axes, logs.ravel())

    def _log_posterior(self, axes: Floats, taus: Floats) -> Floats:
        logs = _log_rates(_logits(*axes), self._prior.table(2, 2)[1])
        for known in self._known:
            rows, columns = known.kernels(axes, taus)
            likelihood = rows @ known.marginal @ columns.T
            logs = logs + np.log(np.where(likelihood > _NOTHING, likelihood, TINY))
        return logs

    def marginal(self, system: int) -> RateMixture:
        """Return the distribution of one system's rate."""
        return RateMixture(self._weights, *self._given[system])

    def difference(self, first: int, second: int) -> DifferenceMixture:
        """Return the distribution of the difference of two systems' rates."""
        parts = (one.minus(two) for one, two in zip(self._given[first], self._given[second], strict=True))
        return DifferenceMixture(self._weights, *parts)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw the rates of all systems together, one row a system."""
        nodes = rng.choice(len(self._weights), size, p=self._weights)
        drawn: Floats = expit([logits.sample(nodes, rng) for _, logits in self._given])
        return drawn

    def scatter(self, level: float) -> list[Middle]:
        """Return the median and an equal-tailed interval of τ_l and of τ_s."""
        found = []
        for taus in self._taus.T:
            values, place = np.unique(taus, return_inverse=True)
            weights = np.bincount(place, self._weights)
            below = np.cumsum(weights) - weights / 2
            middle, low, high = np.interp([0.5, 0.5 - level / 2, 0.5 + level / 2], below, values).tolist()
            found.append((middle, low, high))
        return found


class _Node(NamedTuple):
    """A lattice of μ given one τ: along l and s, and the log posterior at every point."""

    taus: Floats
    axes: Floats
    logs: Floats


@dataclass(frozen=True, eq=False)
class _Known:
    """What is known of one system at points of l and of s.

    `marginal` is the likelihood there, `moments` this times the first four powers of its rate and of its logit, from
    `origins` on.
    """

    centre: Floats
    sd: float
    lattices: tuple[Floats, Floats]
    marginal: Floats
    moments: Floats
    origins: tuple[float, float]

    @classmethod
    def of(cls, evidence: Evidence, prior: Prior) -> _Known:
        cells = evidence.calibration if evidence.levels else ((0, 0), (0, 0))
        more = np.array(cells, dtype=float) + 0.5
        middle, variances = np.log([more[1, 1] / more[1, 0], more[0, 0] / more[0, 1]]), (1 / more).sum(axis=1)
        system = System.of(evidence, prior)
        lattices = _where(cells, _finest(system, expit(middle), variances))
        logits = _logits(*lattices)
        logs = _log_likelihood(logits, cells)
        counts = logs > logs.max() - _DROP
        given = Conditional(system, *expit(logits[:, counts]))
        logs = logs[counts] + given.log_evidence
        marginal = np.zeros(counts.shape)
        marginal[counts] = np.exp(logs - logs.max())
        numbers = given.rates, np.clip(logit(given.rates), -_FARTHEST, _FARTHEST)
        weights = marginal[counts][:, None] * given.weights
        rate, its_logit = (float((weights * x).sum() / weights.sum()) for x in numbers)
        origins = rate, its_logit
        moments = np.zeros((*counts.shape, 2 * _POWERS))
        sums = []
        for x, origin in zip(numbers, origins, strict=True):
            part = weights
            for _ in range(_POWERS):
                part = part * (x - origin)
                sums.append(part.sum(axis=1))
        moments[counts] = np.stack(sums, axis=1)
        centre = _ROOT * np.array([middle[0] - middle[1], middle[0] + middle[1]])
        return cls(centre, float(np.sqrt(variances.mean())), lattices, marginal, moments, origins)

    def kernels(self, axes: Floats, taus: Floats) -> list[Floats]:
        """Return what integrates against normal distributions around points of μ, along l and along s."""
        return [_kernel(*one) for one in zip(axes, self.lattices, taus, strict=True)]

    def given(self, nodes: Sequence[_Node], keep: Sequence[Floats]) -> list[Cumulants]:
        """Return the cumulants of the rate and of its logit at the points of (μ, τ) that are kept."""
        found = np.concatenate([self._moments(node)[k] for node, k in zip(nodes, keep, strict=True)])
        halves = np.split(found, 2, axis=1)
        return [Cumulants.of_moments(half, origin) for half, origin in zip(halves, self.origins, strict=True)]

    def _moments(self, node: _Node) -> Floats:
        rows, columns = self.kernels(node.axes, node.taus)
        whole = rows @ self.marginal @ columns.T
        part = (rows @ self.moments.reshape(len(self.moments), -1)).reshape(len(rows), *self.moments.shape[1:])
        found: Floats = np.matmul(columns, part) / np.maximum(whole, TINY)[..., None]
        return found.reshape(len(node.logs), -1)


def _logits(lenient: Floats, discriminating: Floats) -> Floats:
    """Return the logits of tpr and of tnr at every point of two axes, l and s."""
    across = lenient[:, None]
    found: Floats = _ROOT * np.array([discriminating + across, discriminating - across])
    return found


def _log_rates(logits: Floats, cells: Sequence[Sequence[float]]) -> Floats:
    """Return the log likelihood of tpr and tnr given counts of fail and pass, of inadequate and of adequate outputs."""
    (tn, fp), (fn, tp) = cells
    tpr, tnr = logits
    value: Floats = tp * log_expit(tpr) + fn * log_expit(-tpr) + tn * log_expit(tnr) + fp * log_expit(-tnr)
    return value


def _log_likelihood(logits: Floats, cells: Sequence[Sequence[float]]) -> Floats:
    """Return the same, fading out where rates are as good as 0 or 1."""
    value: Floats = _log_rates(logits, cells)
    for x in logits:
        value = value + log_expit((_EDGE - x) / _FADE) + log_expit((_EDGE + x) / _FADE)
    return value


def _finest(system: System, rates: Floats, variances: Floats) -> float:
    """Return the least standard deviation, in any direction, of what is known of the logits of tpr and tnr.

    The calibration tells them; and so do the metric's other ratings, as far as the system's rate is known: of
    p = αρ + (1−α)(1−η).
    """
    (tpr, tnr), (a, b), n = rates, (system.a, system.b), sum(system.counts)
    if not n:
        return float(np.sqrt(variances.min()))
    rate = a / (a + b)
    p = rate * tpr + (1 - rate) * (1 - tnr)
    power = (tpr + tnr - 1) ** 2 + ((rates * (1 - rates)) ** 2 * variances).sum()  # expected square of ρ + η − 1
    spread = p * (1 - p) / n + power * rate * (1 - rate) / (a + b + 1)
    slopes = np.array([rate * tpr * (1 - tpr), (1 - rate) * tnr * (1 - tnr)])
    return float(1 / np.sqrt((1 / variances).max() + (slopes**2).sum() / spread))


def _where(cells: Sequence[Sequence[float]], sd: float) -> tuple[Floats, Floats]:
    """Return lattices along l and s that hold what a calibration leaves possible."""
    far = (_EDGE + _FADE * _DROP) / _ROOT
    ends = np.array([[-far, far], [-far, far]])
    for _ in range(6):
        axes = [np.linspace(low, high, _LOOK) for low, high in ends]
        logs = _log_likelihood(_logits(*axes), cells)
        ends = _around(axes, logs > logs.max() - _DROP)
    step = max(min(_LONGEST, _STEP * sd), float(np.ptp(ends, axis=1).max()) / _MOST)
    (low, high), (least, most) = ends
    return np.arange(low, high + step, step), np.arange(least, most + step, step)


def _around(axes: Sequence[Floats], seen: Floats) -> Floats:
    """Return the ends of two axes between which all lies that is seen, a point beyond it."""
    inside = [np.flatnonzero(seen.any(axis=axis)) for axis in (1, 0)]
    wider = [np.clip([i[0] - 1, i[-1] + 1], 0, len(axis) - 1) for i, axis in zip(inside, axes, strict=True)]
    return np.array([axis[i] for axis, i in zip(axes, wider, strict=True)])


def _kernel(centres: Floats, lattice: Floats, tau: float) -> Floats:
    """Return weights that integrate a function on a lattice against N(centre, τ²), one row a centre.

    The normal density by itself where the lattice sees it; or else what lies between the points is interpolated first.
    """
    step = lattice[1] - lattice[0]
    offset = (centres[:, None] - lattice) / step
    width = tau / step
    if width > _NARROW:
        found: Floats = np.exp(-0.5 * (offset / width) ** 2) / (width * np.sqrt(2 * np.pi))
        return found
    between: Floats = np.sinc(offset)
    return between if width == 0 else between @ _smoothing(len(lattice), width)


@lru_cache(maxsize=512)  # one τ is met with many μ
def _smoothing(points: int, width: float) -> Floats:
    """Return the convolution of band-limited functions on a lattice with a normal density, as a matrix.

    Its elements are ∫ cos(ωk) exp(−ω²width²/2) dω/2π over one period, by the trapezoidal rule.
    """
    size = 8 * points
    wave = np.fft.fftfreq(size, 1 / (2 * np.pi))
    row = np.fft.ifft(np.exp(-0.5 * (wave * width) ** 2)).real
    found: Floats = row[np.abs(np.subtract.outer(np.arange(points), np.arange(points)))]
    return found
