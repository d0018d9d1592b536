"""Slices of an evaluation, drawn together: few ratings in one of them must not make noise look like news.

What is wanted of the slices, θ_s, scatters around a common mean: θ_s ~ N(μ, τ²), with τ half-Cauchy. Of each slice the
likelihood of θ_s is known at nodes, and is smooth between them: narrow normal kernels around each. So the likelihood of
(μ, τ) is a sum over nodes, and the posterior of θ_s a mixture of the kernels, for a lattice of (μ, τ).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.special import logit, logsumexp

from tellapart.core.mixture import Cumulants, Mixture, RateMixture

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tellapart.core.distribution import Distribution
    from tellapart.core.quadrature import Floats

_CHANCES, _WEIGHTS = (np.array(part) for part in leggauss(160))
_CHANCES, _WEIGHTS = (_CHANCES + 1) / 2, _WEIGHTS / 2
_TAUS, _MEANS, _REACH = 40, 33, 6.0  # the lattice of (μ, τ), and how many standard deviations of μ it spans
_KERNEL = 0.6  # width of a kernel, in gaps between nodes
_FARTHEST = 12.0  # logits
_LEAST = 1e-12


def at_nodes(distribution: Distribution) -> Floats:
    """Return places with equally much of a distribution around each of them, but for weights of a Gauss rule."""
    return np.asarray(distribution.quantile(_CHANCES), dtype=float)


def logits_at_nodes(distribution: Distribution) -> Floats:
    """Return the same as logits of the place between the ends of the scale."""
    place = (at_nodes(distribution) - distribution.low) / (distribution.high - distribution.low)
    with np.errstate(divide="ignore"):
        return np.asarray(np.clip(logit(place), -_FARTHEST, _FARTHEST), dtype=float)


@dataclass(frozen=True)
class Slices:
    """The posteriors of all θ_s: nodes, widths of the kernels around them, and weights, one row a slice."""

    nodes: Floats
    widths: Floats
    weights: Floats

    @classmethod
    def of(cls, nodes: Sequence[Floats], log_prior: Callable[[Floats], Floats], scale: float) -> Slices:
        """Draw slices together.

        `nodes` come from distributions of each θ_s by itself. `log_prior` is the log density of what was believed of
        each beforehand: that is taken out again, and believed of μ. `scale` is the median of what is believed of τ.
        """
        x = np.array(nodes)
        widths = np.maximum(_KERNEL * np.gradient(x, axis=1), _LEAST)
        logs = np.log(_WEIGHTS) - log_prior(x)
        logs -= logsumexp(logs, axis=1, keepdims=True)
        mean = (np.exp(logs) * x).sum(axis=1)
        variance = (np.exp(logs) * (x - mean[:, None]) ** 2).sum(axis=1) + _LEAST
        mu, tau, volume = _lattice(mean, variance, scale)
        seen = np.array([_kernels(x[s], widths[s], mu, tau, logs[s]) for s in range(len(x))])  # slice, lattice, node
        given = logsumexp(seen, axis=2)
        hyper = given.sum(axis=0) + np.log(volume) + log_prior(mu)
        hyper -= logsumexp(hyper)
        weights = np.exp(logsumexp(seen + (hyper - given)[..., None], axis=1))
        return cls(x, widths, weights / weights.sum(axis=1, keepdims=True))

    def rate(self, k: int) -> RateMixture:
        """Return the distribution of a slice's rate, where θ are logits."""
        return RateMixture.of_logits(self.weights[k], self.nodes[k], self.widths[k] ** 2)

    def difference(self, k: int) -> Mixture:
        """Return the distribution of a slice's θ itself, a difference."""
        return Mixture(self.weights[k], Cumulants.normal(self.nodes[k], self.widths[k] ** 2))


def _lattice(mean: Floats, variance: Floats, scale: float) -> tuple[Floats, Floats, Floats]:
    """Return pairs of (μ, τ) over what counts, and how much each stands for; τ are equally likely beforehand."""
    taus = scale * np.tan(np.pi / 2 * (np.arange(_TAUS) + 0.5) / _TAUS)
    precision = 1 / (variance + taus[:, None] ** 2)
    spread = 1 / precision.sum(axis=1)
    middle = spread * (precision @ mean)
    step = np.linspace(-_REACH, _REACH, _MEANS)
    mu = middle[:, None] + np.sqrt(spread)[:, None] * step
    return mu.ravel(), np.repeat(taus, _MEANS), np.repeat(np.sqrt(spread), _MEANS)


def _kernels(x: Floats, width: Floats, mu: Floats, tau: Floats, logs: Floats) -> Floats:
    """Return the log of each kernel's share in the likelihood of each (μ, τ)."""
    variance = tau[:, None] ** 2 + width**2
    found: Floats = logs - 0.5 * (np.log(variance) + (x - mu[:, None]) ** 2 / variance)
    return found
