"""Weighted sums of shares, exactly, as one contour integral.

Shares that follow a Dirichlet distribution are gamma variables over their sum, so f = Σ q_k g_k is at most t exactly if
Σ G_k (g_k − t) ≤ 0: a sum of independent variables, whose tail is an integral of its moment generating function M_t up
a vertical line. Through the saddlepoint the integrand falls off like a normal density, and two dozen points do.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import betainc, betaincinv, betaln, expit, logit, ndtri

from tellapart.core.distribution import Distribution, as_given
from tellapart.core.gauss import linear_rule
from tellapart.core.intervals import Interval, shortest, shortest_by_trial

if TYPE_CHECKING:
    from tellapart.core.quadrature import Floats

Complexes = npt.NDArray[np.complex128]

_STEP = 0.18  # along the line, in distances from the pole at 0 or the edge where M ends
_ASIDE = 2.2  # widths of the integrand that the line keeps off the pole: farther, digits are lost
_HEAVY, _LIGHT, _NEARER = 3.0, 1.0, 1.3  # log M from which the line comes nearer, down to which, in which steps
_POINTS = 32, 60, 260  # of the line: as a rule, where levels were hardly seen, and where none was ever calibrated
_STRETCH, _STRETCHED = 0.05, 512  # how fast steps grow, and how many there are, where no rule can alias
_FAINT = 1e-13  # of the integrand: beyond two such values in a row the line ends, or the rules would alias
_GONE = 3e-15  # the same where no rule can alias
_LOW, _RISEN = 1e-6, 1e3  # and where it has been this low and is so many times larger again, they do
_REACH = 12.5, 14.0  # standard deviations up the line to which rules are good: more take long to make
_NEWTON_STEPS = 100
_FAR = 12.0  # standard deviations beyond which the saddlepoint's own approximation is as good
_INWARDS = 1e-6  # of the way to the mean: so near to the ends of where M_t exists it is not asked for
_CLOSE = 1e-12  # probability by which a quantile may be missed
_PLACES = 129  # to choose the ends of a shortest interval from
_BALANCED = 1e-7  # ends of a shortest interval: the last step squares this


class Tilted(NamedTuple):
    """M_t at a real s: its log, the slope and bend of that, and what the way up from there needs to know."""

    log: Floats
    slope: Floats
    bend: Floats
    ratios: Floats
    weights: Floats


class Contour(Distribution):
    """A distribution whose distribution function is a contour integral of M_t(s) = E exp(s Σ G_k (g_k − t)).

    A kind of it knows M_t, the sum of the gamma variables' shapes, `total`, and how its density falls off at both ends:
    like powers of the distance, one less than `edges`.
    """

    total: float
    edges: tuple[float, float]
    _longest, _faint = _POINTS[1], _FAINT
    _stretch = 0.0
    _mean: float
    _sd: float

    @property
    @abstractmethod
    def _within(self) -> tuple[float, float]:
        """Where M_t exists for some s on both sides of 0."""

    @abstractmethod
    def _tilt(self, s: Floats, t: Floats) -> Tilted:
        """Return what is known of M_t at a real s, for each t."""

    @abstractmethod
    def _rise(self, tilted: Tilted, y: Floats) -> Complexes:
        """Return M_t(s + iy) / M_t(s), one row a t and one column a y."""

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
        low, high = self._within
        inside = (x > low) & (x < high)
        below, beyond, density = np.where(x >= high, 1.0, 0.0), np.where(x <= low, 1.0, 0.0), 0.0 * x
        if inside.any():
            below[inside], beyond[inside], density[inside] = self._integrate(x[inside])
        return below, beyond, density

    def _integrate(self, t: Floats) -> tuple[Floats, Floats, Floats]:
        saddle, bend = self._saddle(t)
        width = 1 / np.sqrt(bend)
        right = saddle >= 0
        # keep off the pole at 0, and inside the strip where M exists
        edge = 1 / (np.where(right, self._within[1], self._within[0]) - t)
        aside = np.minimum(_ASIDE * width, np.abs(edge) / 2)
        line = np.where(np.abs(saddle) < aside, np.where(right, aside, -aside), saddle)
        tilted = self._tilt(line, t)
        heavy = tilted.log > _HEAVY
        if heavy.any():
            line[heavy] = self._nearer(line[heavy], t[heavy])
            tilted = self._tilt(line, t)
        narrow = _ASIDE * np.minimum(width, 1 / np.sqrt(tilted.bend))  # aside of a skewed one it is narrower
        step = _STEP * np.minimum(np.minimum(narrow, np.abs(line)), np.abs(edge - line))
        density, tail = self._sum(tilted, line, step)
        if heavy.any():
            own = Tilted(*(part[heavy] for part in tilted))
            density[heavy], tail[heavy] = self._sum_near(own, line[heavy], step[heavy])
        scale = np.exp(tilted.log) * step / np.pi
        tail = np.clip(tail * scale / np.abs(line), 0.0, 1.0)
        density = np.maximum((self.total - 1) * scale * density, 0.0)
        return np.where(line > 0, 1 - tail, tail), np.where(line > 0, tail, 1 - tail), density

    def _sum(self, tilted: Tilted, line: Floats, step: Floats) -> tuple[Floats, Floats]:
        """Sum the integrands of density and tail along the lines, up to where they die.

        Where they do not, because levels were hardly seen, the line ends softly: that smooths the distribution over a
        width far below its own.
        """
        points, sizes = self._line(_POINTS[0])
        value, alive = _until_faint(self._rise(tilted, step[:, None] * points), self._faint)
        density, tail = _add(value * sizes, line, step[:, None] * points)
        if alive.any():
            points, sizes = self._line(self._longest)
            y = step[alive, None] * points
            value, alive_still = _until_faint(self._rise(Tilted(*(part[alive] for part in tilted)), y), self._faint)
            value *= np.where(alive_still[:, None], _taper(np.arange(len(points)) / len(points)), 1.0)
            density[alive], tail[alive] = _add(value * sizes, line[alive], y)
        return density, tail

    def _nearer(self, line: Floats, t: Floats) -> Floats:
        """Return lines nearer to the pole, where the far end of a heavy tail does not outweigh all the rest."""
        while (high := self._tilt(line, t).log > _LIGHT).any():
            line = np.where(high, line / _NEARER, line)
        return line

    def _sum_near(self, tilted: Tilted, line: Floats, step: Floats) -> tuple[Floats, Floats]:
        """Sum the integrands along lines near the pole: more and smaller steps, ending softly where rules do."""
        y = step[:, None] * np.arange(_POINTS[2])
        value = self._rise(tilted, y) * _taper(y * self.total * self._sd / _REACH[0])
        return _add(value, line, y)

    def _line(self, size: int) -> tuple[Floats, Floats]:
        """Return the points of a line in steps, and how much each stands for."""
        points = np.arange(float(size))
        if not self._stretch:
            return points, np.ones(size)
        return np.sinh(self._stretch * points) / self._stretch, np.cosh(self._stretch * points)

    def _saddle(self, t: Floats) -> tuple[Floats, Floats]:
        """Find the real s at which M_t is least, by Newton's method inside a bracket, and the bend of log M_t there."""
        low, high, s = 1 / (self._within[0] - t), 1 / (self._within[1] - t), np.zeros(len(t))
        for _ in range(_NEWTON_STEPS):
            found = self._tilt(s, t)
            low, high = np.where(found.slope > 0, low, s), np.where(found.slope > 0, s, high)
            new = s - found.slope / found.bend
            new = np.where((new > low) & (new < high), new, (low + high) / 2)
            done = np.abs(new - s) * np.sqrt(found.bend) < 1e-3  # noqa: PLR2004 - a hint needs no more
            s = np.where(done, s, new)
            if done.all():
                break
        return s, found.bend

    def log_pdf(self, x: Floats) -> Floats:
        """Return the log of the density inside the support, far tails included."""
        log_density = np.empty(len(x))
        near = np.abs(x - self._mean) < _FAR * self._sd
        with np.errstate(divide="ignore"):
            log_density[near] = np.log(self._tails(x[near])[2])
        poor = ~near | ~(log_density > -600)  # noqa: PLR2004 - what rounding has left
        if poor.any():
            t, further = self._reached(x[poor])
            found = self._tilt(self._saddle(t)[0], t)
            log_density[poor] = np.log(self.total - 1) + found.log - 0.5 * np.log(2 * np.pi * found.bend) + further
        return log_density

    def _reached(self, t: Floats) -> tuple[Floats, Floats]:
        """Return the nearest places at which M_t exists, and how much lower the log of the density is at t.

        Towards its ends it is a power of the distance: of what all classes but the last have together, less 1.
        """
        low, high = (end + _INWARDS * (self._mean - end) for end in self._within)
        near = np.clip(t, low, high)
        left, right = (
            (edge - 1) * np.log(np.maximum((t - end) / (near - end), 1e-300))
            for edge, end in zip(self.edges, (self.low, self.high), strict=True)
        )
        return near, np.where(t < low, left, np.where(t > high, right, 0.0))

    # quantiles and intervals: a Beta distribution with the same moments is near enough to begin with

    @property
    def _beta(self) -> tuple[float, float]:
        mean, sd = (self._mean - self.low) / (self.high - self.low), self._sd / (self.high - self.low)
        size = max(mean * (1 - mean) / sd**2 - 1, 1e-3)
        return mean * size, (1 - mean) * size

    def _place(self, x: Floats) -> Floats:
        """Return the value at a logit of the way from low to high."""
        place: Floats = np.where(
            x < 0, self.low + (self.high - self.low) * expit(x), self.high - (self.high - self.low) * expit(-x)
        )
        return place

    def quantile(self, probability: float | Floats) -> Floats:
        """Value below which the given probability lies: Newton's method on the probit, kept inside a bracket."""
        p = np.clip(np.ravel(np.asarray(probability, dtype=float)), 0.0, 1.0)
        found = np.where(p < 0.5, self.low, self.high)  # noqa: PLR2004 - the nearer end
        todo = np.flatnonzero((p > 0) & (p < 1))
        low, high = np.full(len(p), self._within[0]), np.full(len(p), self._within[1])
        start = np.clip(betaincinv(*self._beta, p), 1e-12, 1 - 1e-12)
        found[todo] = np.clip(self.low + (self.high - self.low) * start, low, high)[todo]
        for _ in range(_NEWTON_STEPS):
            if not todo.size:
                break
            t, wanted = found[todo], p[todo]
            below, beyond, density = self._tails(t)
            excess = np.where(wanted < 0.5, below - wanted, (1 - wanted) - beyond)  # noqa: PLR2004 - the smaller tail
            low[todo], high[todo] = np.where(excess > 0, low[todo], t), np.where(excess > 0, t, high[todo])
            z = np.where(below < beyond, ndtri(below), -ndtri(beyond))
            with np.errstate(all="ignore"):
                new = t - (z - ndtri(wanted)) * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) / density
            halved = (low[todo] + high[todo]) / 2
            new = np.where((new > low[todo]) & (new < high[todo]), new, halved)
            done = (np.abs(excess) <= _CLOSE) | (np.abs(halved - t) <= 1e-15 * (np.abs(t) + self._sd))
            found[todo] = np.where(done, t, new)
            todo = todo[~done & (np.abs(new - t) > _CLOSE * self._sd)]
        return as_given(found, probability)

    def _shortest(self, level: float) -> Interval:
        flat = [edge <= 1 for edge in self.edges]
        if all(flat):  # highest at both ends
            return self.interval(level, kind="equal-tailed")
        if any(flat):
            end = (
                Interval(self.low, float(self.quantile(level)))
                if flat[0]
                else Interval(float(self.quantile(1 - level)), self.high)
            )
            outer, inner = (end.low, end.high) if flat[0] else (end.high, end.low)
            near = np.array([outer + 1e-9 * (inner - outer), inner])
            if np.diff(self._tails(near)[2])[0] <= 0:
                return end
        a, b = self._beta
        start = logit(np.clip(betaincinv(a, b, [(1 - level) / 2, (1 + level) / 2]), 1e-12, 1 - 1e-12))

        def look_at_beta(x: Floats) -> tuple[Floats, Floats, Floats]:
            p, q = expit(x), expit(-x)
            height = (a - 1) * np.log(p) + (b - 1) * np.log(q) - betaln(a, b)
            return betainc(a, b, p), np.exp(height) * p * q, height

        def look(x: Floats) -> tuple[Floats, Floats, Floats]:
            t = self._place(x)
            below, density = self.cdf_and_pdf(t)
            density = np.maximum(density, 1e-300)
            return below, density * (self.high - self.low) * expit(x) * expit(-x), np.log(density)

        def slopes(x: Floats) -> Floats:
            slope: Floats = (a - 1) * expit(-x) - (b - 1) * expit(x)
            return slope

        wide = -30.0, 30.0
        if min(a, b) > 1:
            better = shortest(look_at_beta, start, level, slopes=slopes(start), within=wide)
            start = start if better is None else better
        found = shortest(look, start, level, slopes=slopes(start), within=wide, tolerance=_BALANCED)
        if found is None:
            return self._shortest_of_many(level, start)
        return Interval(*self._place(found).tolist())

    def _shortest_of_many(self, level: float, start: Floats) -> Interval:
        """Return the shortest interval between many places: where little is known the density is not so exact."""
        places = self._place(np.linspace(2 * start[0] - start[1], 2 * start[1] - start[0], _PLACES))
        below = np.maximum.accumulate(np.concatenate([[0.0], self.cdf_and_pdf(places)[0], [1.0]]))
        places = np.concatenate([[self.low], places, [self.high]])
        low = shortest_by_trial(lambda p: np.interp(p, below, places), level).low
        return Interval(low, float(self.quantile(min(float(self.cdf(low)) + level, 1.0))))


def _until_faint(value: Complexes, faint: float) -> tuple[Complexes, npt.NDArray[np.bool_]]:
    """Return the values along lines with zeros from where they have died, and which have not died."""
    size = np.abs(value)
    least = np.minimum.accumulate(size, axis=1)
    alias = (least < _LOW) & (size > _RISEN * least)
    dead = (size[:, 1:] < faint) & (size[:, :-1] < faint) | alias[:, 1:]
    ends = np.where(dead.any(axis=1), dead.argmax(axis=1), value.shape[1])
    ends = np.where(alias.any(axis=1), np.minimum(ends, least.argmin(axis=1)), ends)
    return value * (np.arange(value.shape[1]) < ends[:, None]), ends == value.shape[1]


def _add(value: Complexes, line: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the sums of the integrands of density and tail; the other half of each line is a mirror image."""
    value[:, 0] /= 2
    return value.real.sum(axis=1), (value / (1 + 1j * y / line[:, None])).real.sum(axis=1)


def _shares(logs: Floats) -> tuple[Floats, Floats]:
    """Return the log of the sum of exponentials, and each one's share."""
    best = logs.max(axis=-1)
    weights = np.exp(logs - best[..., None])
    total = weights.sum(axis=-1)
    return best + np.log(total), weights / total[..., None]


def _powers(ratios: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return log modulus and argument of 1 / (1 − iy r) for all ratios, in real numbers: fast, and nothing cancels."""
    r = y.reshape(*y.shape, *(1,) * (ratios.ndim - 1)) * ratios[:, None]
    return -0.5 * np.log1p(r * r), np.arctan(r)


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

    _longest, _stretch, _faint = _STRETCHED, _STRETCH, _GONE

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
        self._longest = _POINTS[2 if self._cells.max() < 1 else 1]
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
        reach = float(np.clip(0.75 * np.sqrt(slowest * np.expm1(-2 * np.log(_FAINT) / slowest)), *_REACH))
        phases = reach * self._shapes / self.total * self._spreads / self._sd
        rules = [
            linear_rule(self._values, cells, 14 + 6.5 * phase)
            for cells, phase in zip(self._cells.T, phases, strict=True)
        ]
        most = max(len(x) for x, _ in rules)
        nodes = np.array([np.pad(x, (0, most - len(x)), "edge") for x, _ in rules])
        with np.errstate(divide="ignore"):
            padded = np.array([np.pad(w, (0, most - len(w))) for _, w in rules])
            return nodes, np.maximum(np.log(padded), -1e4)

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
        bend = self._shapes * (weights * ratios**2).sum(axis=-1)
        bend += self._shapes**2 * (weights * (ratios - middle[..., None]) ** 2).sum(axis=-1)
        return Tilted(logs.sum(axis=-1), (self._shapes * middle).sum(axis=-1), bend.sum(axis=-1), ratios, weights)

    def _rise(self, tilted: Tilted, y: Floats) -> Complexes:
        log, angle = (self._shapes[:, None] * part for part in _powers(tilted.ratios, y))
        size, weights = np.exp(log), tilted.weights[:, None]
        real = (size * np.cos(angle) * weights).sum(axis=-1)
        value: Complexes = np.prod(real + 1j * (size * np.sin(angle) * weights).sum(axis=-1), axis=-1)
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
