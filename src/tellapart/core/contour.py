"""Weighted sums of shares, exactly, as one contour integral.

Shares that follow a Dirichlet distribution are gamma variables over their sum, so f = Σ q_k g_k is at most t exactly if
Σ G_k (g_k − t) ≤ 0: a sum of independent variables, whose tail is an integral of its moment generating function M_t up
a vertical line. Through the saddlepoint the integrand falls off like a normal density, and a few dozen points do.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from tellapart.core.distribution import Distribution

if TYPE_CHECKING:
    from tellapart.core.quadrature import Floats

Complexes = npt.NDArray[np.complex128]

_STEP = 0.18  # along the line, in widths of the integrand at the saddlepoint
_POINTS = 48, 128, 512  # of the line: as a rule, where levels were hardly seen, and where none was ever calibrated
_FAINT = 1e-15  # of the integrand: beyond three such values in a row the line ends, or the rules would alias
_NEWTON_STEPS = 100
_FAR = 12.0  # standard deviations beyond which the saddlepoint's own approximation is as good


class Contour(Distribution):
    """A distribution whose distribution function is a contour integral of M_t(s) = E exp(s Σ G_k (g_k − t)).

    A kind of it knows log M_t, its slope and bend in s, and the sum of the gamma variables' shapes, `total`.
    """

    total: float
    _longest = _POINTS[1]
    _mean: float
    _sd: float

    @abstractmethod
    def _log_mgf(self, s: Complexes, t: Floats) -> Complexes:
        """Return log M_t(s), one row a t and one column an s."""

    @abstractmethod
    def _slope_and_bend(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        """Return the first and second derivative of log M_t at a real s, for each t."""

    @property
    def mean(self) -> float:
        """Expected value."""
        return self._mean

    @property
    def sd(self) -> float:
        """Standard deviation."""
        return self._sd

    def cdf_and_pdf(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the distribution function and the density at each of several places."""
        below, _, density = self._tails(x)
        return below, density

    def above(self, x: float) -> float:
        """Probability of more than `x`, with all digits where it is small."""
        return float(self._tails(np.array([x], dtype=float))[1][0])

    def _tails(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the probabilities of at most and of more than each x, and the density."""
        inside = (x > self.low) & (x < self.high)
        below, beyond, density = np.where(x >= self.high, 1.0, 0.0), np.where(x <= self.low, 1.0, 0.0), 0.0 * x
        if inside.any():
            below[inside], beyond[inside], density[inside] = self._integrate(x[inside])
        return below, beyond, density

    def _integrate(self, t: Floats) -> tuple[Floats, Floats, Floats]:
        saddle, bend = self._saddle(t)
        width = 1 / np.sqrt(bend)
        right = saddle >= 0
        # keep off the pole at 0, and inside the strip where M exists
        edge = np.where(right, 1 / (self.high - t), 1 / (self.low - t))
        aside = np.where(width > np.abs(edge) / 2, edge / 2, np.where(right, width, -width))
        line = np.where(np.abs(saddle) < width, aside, saddle)
        step = _STEP * np.minimum(width, np.abs(line))
        peak = self._log_mgf(line[:, None].astype(complex), t)[:, 0].real
        density, tail, alive = self._sum(_POINTS[0], t, line, step, peak)
        if alive.any():
            rest = (each[alive] for each in (t, line, step, peak))
            density[alive], tail[alive], _ = self._sum(self._longest, *rest, taper=True)
        scale = np.exp(peak) * step / np.pi
        tail = np.clip(tail * scale / np.abs(line), 0.0, 1.0)
        density = np.maximum((self.total - 1) * scale * density, 0.0)
        return np.where(line > 0, 1 - tail, tail), np.where(line > 0, tail, 1 - tail), density

    def _sum(  # noqa: PLR0913 - of one line for each t
        self, size: int, t: Floats, line: Floats, step: Floats, peak: Floats, *, taper: bool = False
    ) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
        """Sum the integrands of density and tail along the lines; say which have not died by then.

        Where they do not, because levels were hardly seen, the line ends softly: that smooths the distribution over a
        width far below its own.
        """
        points = np.arange(size)
        s = line[:, None] + 1j * step[:, None] * points
        value = np.exp(self._log_mgf(s, t) - peak[:, None])
        small = np.abs(value) < _FAINT
        dead = small[:, 2:] & small[:, 1:-1] & small[:, :-2]
        ends = np.where(dead.any(axis=1), dead.argmax(axis=1), size)
        alive = ends == size
        value *= np.where(alive[:, None] & taper, _taper(points / size), points < ends[:, None])
        value[:, 0] /= 2
        return value.real.sum(axis=1), (value * (line[:, None] / s)).real.sum(axis=1), alive

    def _saddle(self, t: Floats) -> tuple[Floats, Floats]:
        """Find the real s at which M_t is least, by Newton's method inside a bracket, and the bend of log M_t there."""
        low, high, s = 1 / (self.low - t), 1 / (self.high - t), np.zeros(len(t))
        for _ in range(_NEWTON_STEPS):
            slope, bend = self._slope_and_bend(s, t)
            low, high = np.where(slope > 0, low, s), np.where(slope > 0, s, high)
            new = s - slope / bend
            new = np.where((new > low) & (new < high), new, (low + high) / 2)
            done = np.abs(new - s) * np.sqrt(bend) < 1e-8  # noqa: PLR2004 - a hint needs no more
            s = np.where(done, s, new)
            if done.all():
                break
        return s, bend

    def log_pdf(self, x: Floats) -> Floats:
        """Return the log of the density inside the support, far tails included."""
        log_density = np.empty(len(x))
        near = np.abs(x - self._mean) < _FAR * self._sd
        with np.errstate(divide="ignore"):
            log_density[near] = np.log(self._tails(x[near])[2])
        poor = ~near | ~(log_density > -600)  # noqa: PLR2004 - what rounding has left
        t = x[poor]
        if t.size:
            s, bend = self._saddle(t)
            peak = self._log_mgf(s[:, None].astype(complex), t)[:, 0].real
            log_density[poor] = np.log(self.total - 1) + peak - 0.5 * np.log(2 * np.pi / bend) - np.log(bend)
        return log_density


def _taper(x: Floats) -> Floats:
    """Return 1 on the first half of [0, 1], and then a descent to 0 of which every derivative is continuous."""
    left = np.clip(2 - 2 * x, 1e-3, 1 - 1e-3)
    weight: Floats = np.where(x < 0.5, 1.0, expit(1 / (1 - left) - 1 / left))  # noqa: PLR2004 - a half
    return weight


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

    def __init__(self, weights: Floats, parameters: Floats, values: Floats) -> None:
        keep = weights > 0
        self._log_weights, self._parameters, self._values = np.log(weights[keep]), parameters[keep], values
        self.low, self.high = float(values.min()), float(values.max())
        self.total, self._longest = float(self._parameters[0].sum()), _POINTS[2]
        means = self._parameters @ values / self.total
        spread = self._parameters @ values**2 / self.total - means**2
        self._mean = float(weights[keep] @ means)
        within = weights[keep] @ spread / (self.total + 1)
        self._sd = float(np.sqrt(within + weights[keep] @ (means - self._mean) ** 2))

    def _log_mgf(self, s: Complexes, t: Floats) -> Complexes:
        logs = np.log(1 - s[..., None] * (self._values - t[:, None, None]))
        terms = self._log_weights - logs @ self._parameters.T
        best = terms.real.max(axis=-1)
        value: Complexes = np.log(np.exp(terms - best[..., None]).sum(axis=-1)) + best
        return value

    def _slope_and_bend(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        gap = self._values - t[:, None]
        ratio = gap / (1 - s[:, None] * gap)
        terms = self._log_weights - np.log1p(-s[:, None] * gap) @ self._parameters.T
        weights = np.exp(terms - terms.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        slopes = ratio @ self._parameters.T
        slope = (weights * slopes).sum(axis=1)
        bends = ratio**2 @ self._parameters.T + (slopes - slope[:, None]) ** 2
        return slope, (weights * bends).sum(axis=1)

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
        self._longest = _POINTS[2 if self._cells.max() < 1 else 1]
        self._mean, variance, spreads = _moments(self._shapes, self._cells, values)
        self._sd = float(np.sqrt(variance))
        # a level's rule must resolve the phase that it contributes eight standard deviations out
        phases = 8 * self._shapes / self.total * spreads / self._sd
        rules = [
            linear_rule(values, cells, 14 + 6.5 * phase) for cells, phase in zip(self._cells.T, phases, strict=True)
        ]
        most = max(len(x) for x, _ in rules)
        self._nodes = np.array([np.pad(x, (0, most - len(x)), "edge") for x, _ in rules])
        with np.errstate(divide="ignore"):
            padded = np.array([np.pad(w, (0, most - len(w))) for _, w in rules])
            self._log_weights = np.maximum(np.log(padded), -1e4)
        self.low, self.high = float(self._nodes.min()), float(self._nodes.max())

    def _log_mgf(self, s: Complexes, t: Floats) -> Complexes:
        logs = np.log(1 - s[..., None, None] * (self._nodes - t[:, None, None, None]))
        terms = self._log_weights - self._shapes[:, None] * logs
        best = terms.real.max(axis=-1)
        value: Complexes = (np.log(np.exp(terms - best[..., None]).sum(axis=-1)) + best).sum(axis=-1)
        return value

    def _slope_and_bend(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        gap = self._nodes - t[:, None, None]
        scaled = s[:, None, None] * gap
        ratio = gap / (1 - scaled)
        terms = self._log_weights - self._shapes[:, None] * np.log1p(-scaled)
        weights = np.exp(terms - terms.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        middle = (weights * ratio).sum(axis=-1)
        bend = self._shapes * (weights * ratio**2).sum(axis=-1)
        bend += self._shapes**2 * (weights * (ratio - middle[..., None]) ** 2).sum(axis=-1)
        return (self._shapes * middle).sum(axis=-1), bend.sum(axis=-1)

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


def linear_rule(values: Floats, parameters: Floats, size: float) -> tuple[Floats, Floats]:
    """Return nodes and weights of a Gauss rule for v·u, u ~ Dirichlet: sticks are broken, and compressed after each.

    Classes of one value are one stick.
    """
    distinct = np.unique(values[parameters > 0])
    sums = np.array([parameters[values == value].sum() for value in distinct])
    most = int(np.ceil(size))
    nodes, weights, total = distinct[:1], np.ones(1), sums[0]
    for value, parameter in zip(distinct[1:], sums[1:], strict=True):
        share, chance = beta_rule(parameter, total, most)
        nodes = (share[:, None] * value + (1 - share[:, None]) * nodes).ravel()
        nodes, weights = _compress(nodes, (chance[:, None] * weights).ravel(), most)
        total += parameter
    return nodes, weights


def beta_rule(a: float, b: float, size: int) -> tuple[Floats, Floats]:
    """Return the Gauss rule of the Beta(a, b) distribution: nodes in [0, 1], weights that add up to 1.

    The nodes are the eigenvalues of the matrix of the recurrence of Jacobi's polynomials (Golub and Welsch).
    """
    n = np.arange(1.0, size)
    twice = 2 * n + a + b - 2
    middle = np.concatenate([[a / (a + b)], 0.5 + (a - b) * (a + b - 2) / (2 * twice * (twice + 2))])
    # n (n+a−1) (n+b−1) (n+a+b−2) / ((2n+a+b−2)² (2n+a+b−3) (2n+a+b−1)), whose factor n+a+b−2 cancels at n = 1
    last = np.where(n == 1, 1.0, (n + a + b - 2) / np.where(n == 1, 1.0, twice - 1))
    beside = np.sqrt(n * (n + a - 1) * (n + b - 1) * last / (twice**2 * (twice + 1)))
    nodes, vectors = np.linalg.eigh(np.diag(middle) + np.diag(beside, 1) + np.diag(beside, -1))
    return np.clip(nodes, 0.0, 1.0), vectors[0] ** 2


def _compress(nodes: Floats, weights: Floats, size: int) -> tuple[Floats, Floats]:
    """Return the Gauss rule with `size` nodes of a discrete distribution: Lanczos, orthogonal again at every step."""
    mean = float(weights @ nodes)
    scale = float(np.sqrt(weights @ (nodes - mean) ** 2))
    if len(nodes) <= size or scale < 1e-14:  # noqa: PLR2004 - one point
        return (nodes, weights) if scale >= 1e-14 else (np.array([mean]), np.ones(1))  # noqa: PLR2004
    y, basis = (nodes - mean) / scale, np.zeros((size, len(nodes)))
    vector, middle, beside = np.sqrt(weights / weights.sum()), np.zeros(size), np.zeros(size)
    for i in range(size):
        basis[i] = vector
        rest = y * vector
        middle[i] = vector @ rest
        for _ in range(2):
            rest = rest - basis[: i + 1].T @ (basis[: i + 1] @ rest)
        beside[i] = np.sqrt(rest @ rest)
        if beside[i] < 1e-13:  # noqa: PLR2004 - all of it is seen
            size = i + 1
            break
        vector = rest / beside[i]
    matrix = np.diag(middle[:size]) + np.diag(beside[: size - 1], 1) + np.diag(beside[: size - 1], -1)
    found, vectors = np.linalg.eigh(matrix)
    return mean + scale * found, vectors[0] ** 2
