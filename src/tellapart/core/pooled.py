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
from tellapart.core.shared import Conditional, System, log_beta_kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tellapart.core.evidence import Evidence
    from tellapart.core.quadrature import Floats

_ROOT = np.sqrt(0.5)
_EDGE, _FADE = 7.0, 0.25  # logits of a metric's rates beyond which nothing changes any more: they fade out
_UNSEEN = 0.1  # of what is unknown of the share that a metric passes: error rates so small change nothing
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

    def log_prior(self, taus: Floats) -> Floats:
        """Return the log density of both standard deviations, one row a pair, up to a constant."""
        value: Floats = -np.log1p((taus[:, 0] / self.leniency) ** 2) - 0.5 * (taus[:, 1] / self.discrimination) ** 2
        return value


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
        edge = _edge(systems)
        self._known = [_Known.of(evidence, prior, edge) for evidence in systems]
        nodes = self._lattice()
        order = np.sort(nodes.logs, axis=None)
        least = order[np.searchsorted(np.cumsum(np.exp(order - order[-1])), _LOST * np.exp(order - order[-1]).sum())]
        keep = nodes.logs >= least
        weights = np.exp(nodes.logs[keep] - order[-1])
        self._weights = weights / weights.sum()
        self._taus = np.repeat(nodes.taus, keep.sum(axis=(1, 2)), axis=0)
        self._given = [known.given(nodes, keep) for known in self._known]

    def _lattice(self) -> _Nodes:
        """Return lattices of μ for every τ of a lattice over what counts; τ is a hyperbolic sine, even around 0."""
        most = np.array([_TAU_MOST[0], _TAU_MOST[1] * self._scatter.discrimination])
        ends = np.column_stack([np.zeros(2), np.arcsinh(most / TAU_UNIT)])
        for points in _TAU_POINTS:
            axes = [np.linspace(low, high, points) for low, high in ends]
            nodes = self._nodes(np.array(list(product(*axes))))
            logs = np.logaddexp.reduce(nodes.logs, axis=(1, 2))
            seen = logs > logs.max() - _HYPER_DROP
            ends = _around(axes, seen.reshape(points, points))
        return _Nodes(*(part[seen] for part in nodes))

    def _nodes(self, places: Floats) -> _Nodes:
        """Lay lattices of μ where they count, given each τ."""
        taus = TAU_UNIT * np.sinh(places)
        centres, sds = (np.array(part) for part in zip(*((one.centre, [one.sd]) for one in self._known), strict=True))
        trust = 1 / (sds**2 + taus[:, None] ** 2)
        middle, sd = (trust * centres).sum(axis=1) / trust.sum(axis=1), 1 / np.sqrt(trust.sum(axis=1))
        axes, logs = np.empty((*taus.shape, len(_MU))), np.empty((len(taus), len(_MU), len(_MU)))
        todo = np.arange(len(taus))
        for _ in range(_MU_ROUNDS):
            axes[todo] = middle[todo, :, None] + sd[todo, :, None] * _MU
            logs[todo] = self._log_posterior(axes[todo], taus[todo])
            now, spread = _moments(axes[todo], logs[todo])
            near = (np.abs(now - middle[todo]) < sd[todo] / 3) & (np.abs(spread / sd[todo] - 1) < 0.2)  # noqa: PLR2004
            middle[todo], sd[todo] = now, np.clip(spread, 0.4 * sd[todo], 2.5 * sd[todo])
            todo = todo[~near.all(axis=1)]
        ends = np.log(0.5) * (places == 0).sum(axis=1)  # the trapezoidal rule, for functions that are even in τ
        steps = np.log(np.cosh(places) * (axes[..., 1] - axes[..., 0])).sum(axis=1)
        return _Nodes(taus, axes, logs + (self._scatter.log_prior(taus) + ends + steps)[:, None, None])

    def _log_posterior(self, axes: Floats, taus: Floats) -> Floats:
        logs = _log_rates(_logits(axes[:, 0], axes[:, 1]), self._prior.table(2, 2)[1])
        for known in self._known:
            likelihood = known.likelihood(*known.kernels(axes, taus))
            logs += np.log(np.where(likelihood > _NOTHING, likelihood, TINY))
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


class _Nodes(NamedTuple):
    """Lattices of μ, one given each τ: along l and s, and the log posterior at every point."""

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
    def of(cls, evidence: Evidence, prior: Prior, edge: float) -> _Known:
        cells = evidence.calibration if evidence.levels else ((0, 0), (0, 0))
        more = np.array(cells, dtype=float) + 0.5
        middle, variances = np.log([more[1, 1] / more[1, 0], more[0, 0] / more[0, 1]]), (1 / more).sum(axis=1)
        system = System.of(evidence, prior)
        lattices = _where(cells, _finest(system, expit(middle), variances), edge)
        logits = _logits(*lattices)
        logs = _log_likelihood(logits, cells, edge)
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
        return [_kernel(axes[:, i], lattice, taus[:, i]) for i, lattice in enumerate(self.lattices)]

    def likelihood(self, rows: Floats, columns: Floats) -> Floats:
        """Return the likelihood at points of (μ, τ), by what integrates along l and along s."""
        found: Floats = np.matmul(_times(rows, self.marginal), np.swapaxes(columns, 1, 2))
        return found

    def given(self, nodes: _Nodes, keep: Floats) -> list[Cumulants]:
        """Return the cumulants of the rate and of its logit at the points of (μ, τ) that are kept."""
        rows, columns = self.kernels(nodes.axes, nodes.taus)
        whole = np.maximum(self.likelihood(rows, columns), TINY)
        found = np.matmul(columns[:, None], _times(rows, self.moments)) / whole[..., None]
        halves = np.split(found[keep], 2, axis=1)
        return [Cumulants.of_moments(half, origin) for half, origin in zip(halves, self.origins, strict=True)]


def _times(rows: Floats, table: Floats) -> Floats:
    """Sum a table over its first axis with the weights in many rows: one large product is quicker than many small."""
    found = rows.reshape(-1, len(table)) @ table.reshape(len(table), -1)
    return found.reshape(*rows.shape[:-1], *table.shape[1:])


def _moments(axes: Floats, logs: Floats) -> tuple[Floats, Floats]:
    """Return means and standard deviations along both axes of lattices, one row a lattice."""
    weights = np.exp(logs - logs.max(axis=(1, 2), keepdims=True))
    weights /= weights.sum(axis=(1, 2), keepdims=True)
    parts = np.stack([weights.sum(axis=2), weights.sum(axis=1)], axis=1)
    means = (parts * axes).sum(axis=2)
    return means, np.sqrt((parts * (axes - means[..., None]) ** 2).sum(axis=2))


def _logits(lenient: Floats, discriminating: Floats) -> Floats:
    """Return the logits of tpr and of tnr at every point of two axes, l and s."""
    across, along = lenient[..., :, None], discriminating[..., None, :]
    found: Floats = _ROOT * np.array([along + across, along - across])
    return found


def _log_rates(logits: Floats, cells: Sequence[Sequence[float]]) -> Floats:
    """Return the log likelihood of tpr and tnr given counts of fail and pass, of inadequate and of adequate outputs."""
    (tn, fp), (fn, tp) = cells
    return log_beta_kernel(logits[0], tp, fn) + log_beta_kernel(logits[1], tn, fp)


def _log_likelihood(logits: Floats, cells: Sequence[Sequence[float]], edge: float) -> Floats:
    """Return the same, fading out where rates are as good as 0 or 1."""
    value: Floats = _log_rates(logits, cells)
    for x in logits:
        value = value + log_expit((edge - x) / _FADE) + log_expit((edge + x) / _FADE)
    return value


def _edge(systems: Sequence[Evidence]) -> float:
    """Return the logit beyond which a metric's rates are as good as 0 or 1: farther out if shares are known well."""
    rated = np.array([(e.metric.positive, e.n_metric) for e in systems if e.n_metric] or [(0, 0)], dtype=float)
    share, n = (rated[:, 0] + 1) / (rated[:, 1] + 2), rated[:, 1] + 2
    return max(_EDGE, -float(np.log(_UNSEEN * np.sqrt(share * (1 - share) / n).min())))


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


def _where(cells: Sequence[Sequence[float]], sd: float, edge: float) -> tuple[Floats, Floats]:
    """Return lattices along l and s that hold what a calibration leaves possible."""
    far = (edge + _FADE * _DROP) / _ROOT
    ends = np.array([[-far, far], [-far, far]])
    for _ in range(6):
        axes = [np.linspace(low, high, _LOOK) for low, high in ends]
        logs = _log_likelihood(_logits(*axes), cells, edge)
        ends = _around(axes, logs > logs.max() - _DROP)
    step = max(min(_LONGEST, _STEP * sd), float(np.ptp(ends, axis=1).max()) / _MOST)
    (low, high), (least, most) = ends
    return np.arange(low, high + step, step), np.arange(least, most + step, step)


def _around(axes: Sequence[Floats], seen: Floats) -> Floats:
    """Return the ends of two axes between which all lies that is seen, a point beyond it."""
    inside = [np.flatnonzero(seen.any(axis=axis)) for axis in (1, 0)]
    wider = [np.clip([i[0] - 1, i[-1] + 1], 0, len(axis) - 1) for i, axis in zip(inside, axes, strict=True)]
    return np.array([axis[i] for axis, i in zip(axes, wider, strict=True)])


def _kernel(centres: Floats, lattice: Floats, taus: Floats) -> Floats:
    """Return weights that integrate a function on a lattice against N(centre, τ²), a table for each row of centres.

    The normal density by itself where the lattice sees it; or else what lies between the points is interpolated first.
    """
    step = lattice[1] - lattice[0]
    found: Floats = (centres[..., None] - lattice) / step
    width = taus / step
    wide, scale = width > _NARROW, width[:, None, None]
    found[wide] = np.exp(-0.5 * (found[wide] / scale[wide]) ** 2) / (scale[wide] * np.sqrt(2 * np.pi))
    found[~wide] = np.sinc(found[~wide])
    for one in np.unique(width[~wide & (width > 0)]):
        found[width == one] = _times(found[width == one], _smoothing(len(lattice), float(one)))
    return found


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
