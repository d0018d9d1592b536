"""Many systems under one metric: their rates lie around a line in the metric's own averages.

With x the logit of the share that the metric passes and θ that of the rate, θ_i = a + b·x_i + u_i over the systems,
x_i ~ N(m, ω²) and u_i ~ t₄(0, τ²): most systems are near the line, and one that games the metric may be far from it.
Known are direct estimates of θ, whose errors are correlated where the systems answered the same items, and shares whose
errors are part of these (small-area estimation: Fay and Herriot's model, with errors in both variables).

A t distribution is a normal one whose precision is random, τ⁻²λ with λ ~ Gamma(2, 2). Given all λ the means are
integrated out, and what is left of the line, (b, log τ, log ω), is drawn by Metropolis' rule, from a lattice.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit, gammaincinv, ndtri

from tellapart.core.draws import SEED
from tellapart.core.mixture import NODES, WEIGHTS, Cumulants, Middle, NormalDifference, RateMixture, powers

if TYPE_CHECKING:
    from tellapart.core.quadrature import Floats, Indices

LEAST = 5  # systems
MANY = 30  # systems, beyond which errors that do not go together are taken system by system
_FREEDOM = 4.0
_CHAINS, _BURN, _KEPT = (24, 250), 12, 10
_MOST_WORK = 2.5e8  # numbers in the cubes of all covariances: with more systems there are fewer chains
_ENOUGH = 24  # systems to find out where the line must lie
_POINTS = 9  # of the lattice along each of b, log τ and log ω
_REACH = 4.0  # standard deviations that it spans
_WIDE = 0.1  # share of the proposals that come from all of it alike
_LEAST_EIGENVALUE = 1e-4  # of a covariance, as a share of the largest


@dataclass(frozen=True)
class Line:
    """What is believed of the line: the slope is normal, the scatter τ around it and the spread ω are half-Cauchy."""

    slope: tuple[float, float] = (1.0, 1.0)
    scatter: float = 0.25
    spread: float = 0.5


class Estimates(NamedTuple):
    """Direct estimates: y of θ, and x of the logits of the metric's shares.

    y is θ + Γ·f + r and x what it is + f, with errors f and r that are independent of each other, but not over systems.
    """

    y: Floats
    x: Floats
    gamma: Floats
    cov_f: Floats
    cov_r: Floats

    def some(self, which: Indices) -> Estimates:
        """Return those of some systems; what the other shares tell of their rates is left out."""
        both = np.ix_(which, which)
        return Estimates(self.y[which], self.x[which], self.gamma[both], self.cov_f[both], self.cov_r[both])


class _Looked(NamedTuple):
    """V⁻¹ of the data, of the two means and of what was imagined; and log posteriors, one a line."""

    logs: Floats
    solved: Floats


class Link:
    """The joint posterior of the systems' rates: a mixture of normal distributions of θ, one for each line drawn.

    `effects` are draws of u, one row a system, and `lines` of (b, τ, ω).
    """

    def __init__(self, known: Estimates, prior: Line | None = None) -> None:
        self._prior, order = prior or Line(), np.lexsort((known.y, known.x))
        self._take(known.some(order))  # draws do not depend on the order in which systems are named
        self._draw(np.random.default_rng(SEED), np.argsort(order))

    def _take(self, known: Estimates) -> None:
        """Turn the shares so that their errors are independent; ω² adds the same to the variance of each."""
        self._known, self._size, self._gamma = known, len(known.y), known.gamma
        cov_f, self._cov_r = positive(known.cov_f), positive(known.cov_r)
        self._roots = np.linalg.cholesky(cov_f), np.linalg.cholesky(self._cov_r)
        self._apart = self._size > MANY and all(map(_diagonal, known[2:]))
        turned: tuple[Floats, Floats] = (np.diag(cov_f), np.eye(self._size)) if self._apart else np.linalg.eigh(cov_f)
        self._errors, self._turn = turned
        self._turned_gamma = self._gamma @ self._turn
        # data are y − Γx and x, whose errors r and f are independent; they move with the means of θ and of x
        one, none = np.ones(self._size), np.zeros(self._size)
        tops = known.y - self._gamma @ known.x, one, -self._gamma @ one
        bottoms = (part @ self._turn for part in (known.x, none, one))
        self._right = np.column_stack([np.concatenate(column) for column in zip(tops, bottoms, strict=True)])

    # the line

    def _look(self, line: Floats, loose: Floats, imagined: Floats) -> _Looked:
        """Return log posteriors of lines (b, log τ, log ω) given 1/λ, the means integrated out.

        y − Γx is (b − Γ)x + u + r: given the data of x, of what they leave unknown of it and of u and r.
        """
        (b, tau, omega), n = _parts(line), self._size
        right = np.broadcast_to(self._right, (len(line), *self._right.shape))
        sides = np.concatenate([right, imagined], axis=2)
        solve = self._solve_apart if self._apart else self._solve_together
        solved, half_log_det = solve(b, omega**2, tau**2 * loose, sides[:, :n], sides[:, n:])
        inner = self._right.T @ solved[..., :3]
        means, cross = inner[:, 1:, 1:], inner[:, 1:, 0]
        logs = -(half_log_det + _half_log_det(means))
        logs -= 0.5 * (inner[:, 0, 0] - (cross * _solve(means, cross)).sum(axis=1))
        return _Looked(logs + self._log_prior(line), solved)

    def _solve_together(
        self, b: Floats, spread: Floats, own: Floats, top: Floats, bottom: Floats
    ) -> tuple[Floats, Floats]:
        """Solve for y − Γx, with what x leaves of its covariance, then for x."""
        i, slopes = np.arange(self._size), b[..., None] * self._turn - self._turned_gamma
        whole, back = self._errors + spread, np.swapaxes(slopes, 1, 2)
        left = self._cov_r + (slopes * (self._errors * spread / whole)[:, None]) @ back
        left[:, i, i] += own
        first = np.linalg.solve(left, top - slopes @ ((spread / whole)[..., None] * bottom))
        second = (bottom - spread[..., None] * (back @ first)) / whole[..., None]
        return np.concatenate([first, second], axis=1), _half_log_det(left) + 0.5 * np.log(whole).sum(axis=1)

    def _solve_apart(
        self, b: Floats, spread: Floats, own: Floats, top: Floats, bottom: Floats
    ) -> tuple[Floats, Floats]:
        """Return the same where no errors go together: system by system."""
        slopes, whole = b - np.diag(self._gamma), self._errors + spread
        left = np.diag(self._cov_r) + own + slopes**2 * (self._errors * spread / whole)
        first = (top - (slopes * spread / whole)[..., None] * bottom) / left[..., None]
        second = (bottom - (slopes * spread)[..., None] * first) / whole[..., None]
        return np.concatenate([first, second], axis=1), 0.5 * np.log(left * whole).sum(axis=1)

    def _log_prior(self, line: Floats) -> Floats:
        prior, (b, tau, omega) = self._prior, (part[:, 0] for part in _parts(line))
        value: Floats = -0.5 * ((b - prior.slope[0]) / prior.slope[1]) ** 2 + np.log(tau * omega)
        return value - np.log1p((tau / prior.scatter) ** 2) - np.log1p((omega / prior.spread) ** 2)

    def _lattice(self) -> tuple[Floats, Floats, Floats]:
        """Return cells of (b, log τ, log ω) over what counts if all effects are normal: middles, widths, weights."""
        slope, (scatter, spread) = self._prior.slope, (self._prior.scatter, self._prior.spread)
        reach = slope[1] * _REACH * np.array([-1, 1])
        ends = np.array([slope[0] + reach, *(np.log([one / 50, one * 20]) for one in (scatter, spread))])
        for _ in range(3):
            axes = [np.linspace(low, high, _POINTS) for low, high in ends]
            points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
            none = np.zeros((1, 2 * self._size, 0))
            logs = [self._look(part, np.ones(1), none.repeat(len(part), 0)).logs for part in np.split(points, _POINTS)]
            weights = np.exp(np.concatenate(logs) - np.max(logs))
            weights /= weights.sum()
            middle, step = weights @ points, np.ptp(ends, axis=1) / (_POINTS - 1)
            sd = np.sqrt(weights @ (points - middle) ** 2 + step**2 / 4)
            near = middle + _REACH * sd * np.array([[-1], [1]])
            ends = np.column_stack([np.maximum(ends[:, 0], near[0]), np.minimum(ends[:, 1], near[1])])
        return points, step, (1 - _WIDE) * weights + _WIDE / len(weights)

    def _some(self) -> Link:
        """Return the same of a few systems only: good enough to propose lines."""
        if self._size <= _ENOUGH:
            return self
        part = copy(self)
        part._take(self._known.some(np.arange(_ENOUGH) * self._size // _ENOUGH))  # noqa: SLF001 - its own kind
        return part

    # draws

    def _draw(self, rng: np.random.Generator, places: Indices) -> None:
        """Draw lines and λ in turn, in many short chains, begun where normal effects lead; keep systems at `places`."""
        cells = self._some()._lattice()  # noqa: SLF001 - its own kind
        self._chains = chains = int(np.clip(_MOST_WORK / (2 * self._size) ** 3, *_CHAINS))
        loose = 1 / self._precisions(rng, chains, np.zeros(1))
        (line, chance), kept = _propose(*cells, chains, rng), []
        for turn in range(-_BURN, _KEPT):
            noise = self._noise(chains, rng)
            tried = [(line, chance), _propose(*cells, chains, rng)]
            looks = [self._look(one, loose, self._imagine(one, loose, noise)[1]) for one, _ in tried]
            ratio = looks[1].logs - looks[0].logs - (tried[1][1] - chance)
            taken = np.log(rng.random(chains)) < ratio
            line, chance = (np.where(taken.reshape(-1, *[1] * (a.ndim - 1)), b, a) for a, b in zip(*tried, strict=True))
            solved = np.where(taken[:, None, None], looks[1].solved, looks[0].solved)
            effect = self._effects(line, loose, noise, solved)
            if turn >= 0:
                kept.append((*self._rates(line, loose), effect, line))
            loose = 1 / self._precisions(rng, chains, effect / _parts(line)[1])
        means, covariances, effects, lines = (np.concatenate(part) for part in zip(*kept, strict=True))
        self._means, self._covariances = means.T[places], np.moveaxis(covariances, 0, -1)[np.ix_(places, places)]
        self.effects, self.lines = effects.T[places], np.column_stack([lines[:, 0], np.exp(lines[:, 1:])])
        self._weights = np.full(len(lines), 1 / len(lines))

    def _precisions(self, rng: np.random.Generator, chains: int, effects: Floats) -> Floats:
        """Draw λ given effects in units of τ; smooth in these, so that rounding stays rounding."""
        seen = effects.ndim - 1  # none at the beginning
        drawn = gammaincinv((_FREEDOM + seen) / 2, rng.random((chains, self._size)))
        found: Floats = drawn / ((_FREEDOM + effects**2) / 2)
        return found

    def _noise(self, chains: int, rng: np.random.Generator) -> tuple[Floats, ...]:
        z = ndtri(rng.random((4, chains, self._size)))
        return z[0], z[1], z[2] @ self._roots[0].T, z[3] @ self._roots[1].T

    def _imagine(self, line: Floats, loose: Floats, noise: tuple[Floats, ...]) -> tuple[Floats, Floats]:
        """Draw effects, and data as they would be if the means were 0."""
        (b, tau, omega), (x, u, f, r) = _parts(line), noise
        effect = tau * np.sqrt(loose) * u
        seen = omega * (b * x - x @ self._gamma.T) + effect + r, (omega * x + f) @ self._turn
        return effect, np.concatenate(seen, axis=1)[..., None]

    def _effects(self, line: Floats, loose: Floats, noise: tuple[Floats, ...], solved: Floats) -> Floats:
        """Move imagined effects so that they agree with the data (Matheron's rule)."""
        gap, means = solved[..., 0] - solved[..., 3], solved[..., 1:3]
        fitted = _solve(self._right[:, 1:].T @ means, gap @ self._right[:, 1:])
        rest = gap - (means @ fitted[..., None])[..., 0]
        found: Floats = self._imagine(line, loose, noise)[0] + _parts(line)[1] ** 2 * loose * rest[:, : self._size]
        return found

    def _rates(self, line: Floats, loose: Floats) -> tuple[Floats, Floats]:
        """Return the means and the covariances of θ given lines and 1/λ."""
        b, tau, omega = _parts(line)
        own, eye = (b * omega) ** 2 + tau**2 * loose, np.eye(self._size)
        both = (b * omega**2)[..., None]
        ahead = np.concatenate([own[..., None] * eye - both * self._gamma, both * self._turn.T], axis=1)  # with θ
        solved = self._look(line, loose, ahead).solved
        means = self._right[:, 1:].T @ solved[..., 1:3]
        fitted = _solve(means, solved[..., 0] @ self._right[:, 1:])
        rest = solved[..., 0] - (solved[..., 1:3] @ fitted[..., None])[..., 0]
        middle = fitted[:, :1] + (np.swapaxes(ahead, 1, 2) @ rest[..., None])[..., 0]
        left = np.array([1.0, 0.0]) - np.swapaxes(solved[..., 3:], 1, 2) @ self._right[:, 1:]
        spread = own[..., None] * eye - np.swapaxes(ahead, 1, 2) @ solved[..., 3:]
        return middle, spread + left @ np.linalg.solve(means, np.swapaxes(left, 1, 2))

    # answers

    def summary(self, level: float) -> list[Middle]:
        """Return the median and an equal-tailed interval of the slope, and of the scatter around the line."""
        chances = 0.5, 0.5 - level / 2, 0.5 + level / 2
        return [(float(a), float(b), float(c)) for a, b, c in np.quantile(self.lines[:, :2], chances, axis=0).T]

    def growth(self) -> float:
        """Return by how much x grows for each θ over the systems, the median: b·ω²/(b²ω² + Var u), Var u = 2τ²."""
        b, tau, omega = self.lines.T
        return float(np.median(b * omega**2 / ((b * omega) ** 2 + _FREEDOM / (_FREEDOM - 2) * tau**2)))

    def below_the_line(self) -> Floats:
        """Return the probability that each system's rate is below the line: that the metric likes it too much."""
        chances: Floats = (self.effects < 0).mean(axis=1)
        return chances

    def marginal(self, system: int) -> RateMixture:
        """Return the distribution of one system's rate."""
        return RateMixture.of_logits(self._weights, self._means[system], self._covariances[system, system])

    def difference(self, first: int, second: int) -> NormalDifference:
        """Return the distribution of the difference of two systems' rates."""
        mean, covariances = self._means[first] - self._means[second], self._covariances
        variance = covariances[first, first] + covariances[second, second] - 2 * covariances[first, second]
        return NormalDifference(lambda: self._gaps(first, second), (mean, variance), self._chains)

    def _gaps(self, first: int, second: int) -> Cumulants:
        """Return the cumulants of the difference of two systems' rates, one row a line."""
        covariances = self._covariances
        root = np.sqrt(covariances[first, first])
        along = covariances[first, second] / root
        across = np.sqrt(np.maximum(covariances[second, second] - along**2, 0.0))  # Cholesky, of all lines at once
        one = self._means[first] + NODES[:, None] * root
        two = self._means[second] + NODES[:, None] * along + NODES[:, None, None] * across
        gaps = expit(one) - expit(two)
        moments = powers(gaps.reshape(-1, len(root)).T, np.outer(WEIGHTS, WEIGHTS).ravel())
        return Cumulants.of_moments(moments)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw the rates of all systems together, one row a system."""
        each = -(-size // len(self._weights))
        roots = np.linalg.cholesky(np.moveaxis(self._covariances, -1, 0))
        z = rng.standard_normal((len(roots), self._size, each))
        theta = self._means.T[..., None] + roots @ z
        drawn: Floats = expit(np.moveaxis(theta, 1, 0).reshape(self._size, -1)[:, :size])
        return drawn


def _parts(line: Floats) -> tuple[Floats, Floats, Floats]:
    """Return b, τ and ω, one row a chain."""
    return line[:, :1], np.exp(line[:, 1:2]), np.exp(line[:, 2:])


def _propose(
    points: Floats, step: Floats, weights: Floats, size: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw evenly out of weighted cells; return the log weights, too."""
    below = np.cumsum(weights)
    cell = np.searchsorted(below[:-1], rng.random(size) * below[-1])
    return points[cell] + step * (rng.random((size, 3)) - 0.5), np.log(weights[cell])


def _half_log_det(matrices: Floats) -> Floats:
    roots = np.linalg.cholesky(matrices)
    found: Floats = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    return found


def _diagonal(matrix: Floats) -> bool:
    return not np.any(matrix - np.diag(np.diag(matrix)))


def _solve(matrices: Floats, vectors: Floats) -> Floats:
    return np.asarray(np.linalg.solve(matrices, vectors[..., None])[..., 0], dtype=float)


def positive(covariance: Floats) -> Floats:
    """Return a covariance with its least eigenvalues raised: what estimates and rounding leave negative."""
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    found: Floats = (vectors * np.maximum(values, _LEAST_EIGENVALUE * np.abs(values).max())) @ vectors.T
    return found
