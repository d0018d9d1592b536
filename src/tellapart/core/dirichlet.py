"""Shares that follow Dirichlet distributions, mixed or one within another: what a contour integral needs of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tellapart.core.contour import FAINT, POINTS, REACH, Complexes, Contour, Tilted
from tellapart.core.gauss import linear_rule

if TYPE_CHECKING:
    from tellapart.core.quadrature import Floats

_STRETCH, _STRETCHED = 0.05, 512  # how fast steps grow, and how many there are, where no rule can alias
_GONE = 3e-15  # of the integrand: there it ends so low
_UNSEEN = 1e-18  # weights of nodes that rounding hides


class DirichletMixture(Contour):
    """The distribution of v·π where π follows Σ_j w_j Dirichlet(D_j), all D_j of one sum.

    Parameters
    ----------
    weights : array
        w_j, adding up to 1.
    parameters : array
        D_j, one row each.
    values : array
        v, one value for each class.
    """

    _longest, _stretch, _faint, _heavy = _STRETCHED, _STRETCH, _GONE, np.inf

    def __init__(self, weights: Floats, parameters: Floats, values: Floats) -> None:
        keep = weights > weights.max() * 1e-18
        distinct = np.unique(values)
        sums = np.stack([parameters[keep][:, values == value].sum(axis=1) for value in distinct], axis=1)
        self._log_weights, self._parameters, self._values = np.log(weights[keep]), sums, distinct
        self.low, self.high = float(distinct[0]), float(distinct[-1])
        self.total = float(sums[0].sum())
        self.edges = float((self.total - sums[:, 0]).min()), float((self.total - sums[:, -1]).min())
        means = sums @ distinct / self.total
        spread = (sums * (distinct - means[:, None]) ** 2).sum(axis=1) / self.total
        self._mean = float(weights[keep] @ means)
        within = weights[keep] @ spread / (self.total + 1)
        self._sd = float(np.sqrt(within + weights[keep] @ (means - self._mean) ** 2))

    @property
    def _within(self) -> tuple[float, float]:
        return self.low, self.high

    def _tilt(self, s: Floats, t: Floats) -> Tilted:
        gap = self._values - t[:, None]
        ratios = gap / (1 - s[:, None] * gap)
        log, weights = _shares(self._log_weights - np.log1p(-s[:, None] * gap) @ self._parameters.T)
        slopes = ratios @ self._parameters.T
        slope = (weights * slopes).sum(axis=1)
        bends = ratios**2 @ self._parameters.T + (slopes - slope[:, None]) ** 2
        return Tilted(log, slope, (weights * bends).sum(axis=1), ratios, weights)

    def _rise(self, tilted: Tilted, y: Floats) -> Complexes:
        size, angle = (part @ self._parameters.T for part in _powers(tilted.ratios, y))
        value: Complexes = np.einsum("tyj,tj->ty", np.exp(size + 1j * angle), tilted.weights)
        return value

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw independent values with the given random generator."""
        weights = np.exp(self._log_weights)
        chosen = rng.choice(len(weights), size=size, p=weights / weights.sum())
        gammas = rng.standard_gamma(self._parameters[chosen])
        drawn: Floats = gammas @ self._values / gammas.sum(axis=1)
        return drawn


class TableContour(Contour):
    """The distribution of f = Σ_k q_k v·u_k with q ~ Dirichlet(Q) and u_k ~ Dirichlet(U_k), all independent.

    Parameters
    ----------
    level_parameters : array
        Q, one for each level.
    class_parameters : array
        U, one row a class and one column a level.
    values : array
        v, one value for each class.
    """

    def __init__(self, level_parameters: Floats, class_parameters: Floats, values: Floats) -> None:
        use = level_parameters > 0
        self._shapes, self._cells, self._values = level_parameters[use], class_parameters[:, use], values
        self.total = float(self._shapes.sum())
        self._longest = POINTS[2 if self._cells.max() < 1 else 1]
        self._mean, variance, self._spreads = _moments(self._shapes, self._cells, values)
        self._sd = float(np.sqrt(variance))
        self.low, self.high = float(values.min()), float(values.max())
        sums = self._cells.sum(axis=1)
        self.edges = sums[values > self.low].sum(), sums[values < self.high].sum()

    @cached_property
    def _rules(self) -> tuple[Floats, Floats]:
        """Nodes and logs of weights of v·u_k, one row a level; they take longer than mean and sd, which need none."""
        # a level's rule must resolve the phase that it contributes where the integrand has nearly died
        slowest = max(min(self.edges), 1.0)
        reach = float(np.clip(0.75 * np.sqrt(slowest * np.expm1(-2 * np.log(FAINT) / slowest)), *REACH))
        phases = reach * self._shapes / self.total * self._spreads / self._sd
        rules = [
            linear_rule(self._values, cells, 14 + 6.5 * phase)
            for cells, phase in zip(self._cells.T, phases, strict=True)
        ]
        nodes, weights = np.zeros((2, len(rules), max(len(x) for x, _ in rules)))
        for k, (x, w) in enumerate(rules):  # a shorter one's last node comes again, without weight
            nodes[k], nodes[k, : len(x)], weights[k, : len(x)] = x[-1], x, w
        with np.errstate(divide="ignore"):
            return nodes, np.maximum(np.log(weights), -1e4)

    @property
    def _within(self) -> tuple[float, float]:
        nodes, _ = self._rules
        return float(nodes.min()), float(nodes.max())

    def _tilt(self, s: Floats, t: Floats) -> Tilted:
        nodes, log_weights = self._rules
        gap = nodes - t[:, None, None]
        scaled = s[:, None, None] * gap
        ratios = gap / (1 - scaled)
        logs, weights = _shares(log_weights - self._shapes[:, None] * np.log1p(-scaled))
        middle = (weights * ratios).sum(axis=-1)
        spread = (weights * (ratios - middle[..., None]) ** 2).sum(axis=-1)
        bend = (middle**2 + (1 + self._shapes) * spread) @ self._shapes
        return Tilted(logs.sum(axis=-1), middle @ self._shapes, bend, ratios, weights)

    def _rise(self, tilted: Tilted, y: Floats) -> Complexes:
        most = int((tilted.weights > _UNSEEN).sum(axis=-1).max())
        seen = np.argsort(tilted.weights, axis=-1)[..., -most:]
        ratios, weights = (np.take_along_axis(part, seen, axis=-1) for part in (tilted.ratios, tilted.weights))
        size, angle = _powers(ratios, y)
        size *= self._shapes[:, None]  # in place, as these arrays are long
        angle *= self._shapes[:, None] / 2
        np.exp(size, out=size)
        size *= weights[:, None]
        # with τ = tan(φ/2), e^{iφ} = 2(1 + iτ)/(1+τ²) − 1: half the time of cosine and sine
        tangent = np.tan(angle, out=angle)
        twice = 2 * size / (1 + tangent * tangent)
        real, imaginary = twice.sum(axis=-1) - size.sum(axis=-1), (twice * tangent).sum(axis=-1)
        value: Complexes = np.prod(real + 1j * imaginary, axis=-1)
        return value

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw independent values with the given random generator."""
        shares = rng.dirichlet(self._shapes, size)
        gammas = rng.standard_gamma(np.broadcast_to(self._cells, (size, *self._cells.shape)))
        given = np.einsum("c,sck->sk", self._values, gammas) / np.maximum(gammas.sum(axis=1), 1e-300)
        drawn: Floats = (shares * given).sum(axis=1)
        return drawn


def _moments(shapes: Floats, cells: Floats, values: Floats) -> tuple[float, float, Floats]:
    """Return mean and variance of f, and the standard deviation of v·u_k for each level."""
    sums = cells.sum(axis=0)
    given = values @ cells / sums
    spread = np.maximum((values[:, None] - given) ** 2 * cells, 0).sum(axis=0) / sums / (sums + 1)
    total = shapes.sum()
    mean = float(shapes @ given / total)
    within = shapes * (shapes + 1) / (total * (total + 1)) @ spread
    between = shapes @ (given - mean) ** 2 / (total * (total + 1))
    return mean, float(within + between), np.sqrt(spread)


def _shares(logs: Floats) -> tuple[Floats, Floats]:
    """Return the log of the sum of exponentials, and each one's share."""
    best = logs.max(axis=-1)
    weights = np.exp(logs - best[..., None])
    total = weights.sum(axis=-1)
    return best + np.log(total), weights / total[..., None]


def _powers(ratios: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return log modulus and argument of 1 / (1 − iy r) for all ratios, in real numbers: fast, and nothing cancels."""
    r = y.reshape(*y.shape, *(1,) * (ratios.ndim - 1)) * ratios[:, None]
    angle = np.arctan(r)
    r *= r
    np.log1p(r, out=r)
    r *= -0.5
    return r, angle
