"""Weighted sums of shares, exactly, as one contour integral.

Shares that follow a Dirichlet distribution are gamma variables over their sum, so f = Σ q_k g_k is at most t exactly if
Σ G_k (g_k − t) ≤ 0: a sum of independent variables, whose tail is an integral of its moment generating function M_t up
a vertical line. Through the saddlepoint the integrand falls off like a normal density, and two dozen points do.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import betainc, betaincinv, betaln, expit, logit, ndtri

from tellapart.core.distribution import Distribution, as_given
from tellapart.core.intervals import Interval, shortest, shortest_by_trial

if TYPE_CHECKING:
    from tellapart.core.quadrature import Floats

Complexes = npt.NDArray[np.complex128]

_STEP = 0.18  # along the line, in distances from the pole at 0 or the edge where M ends
_ASIDE = 2.2  # widths of the integrand that the line keeps off the pole: farther, digits are lost
_HEAVY, _LIGHT, _NEARER = 3.0, 1.0, 1.3  # log M from which the line comes nearer, down to which, in which steps
POINTS = 32, 60, 260  # of the line: as a rule, where levels were hardly seen, and where none was ever calibrated
FAINT = 1e-13  # of the integrand: beyond two such values in a row the line ends, or the rules would alias
_LOW, _RISEN = 1e-6, 1e3  # and where it has been this low and is so many times larger again, they do
REACH = 12.5, 14.0  # standard deviations up the line to which rules are good: more take long to make
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

    def of(self, rows: npt.NDArray[np.bool_]) -> Tilted:
        """Return what is known for some of the t."""
        return Tilted(*(part[rows] for part in self))


class Contour(Distribution):
    """A distribution whose distribution function is a contour integral of M_t(s) = E exp(s Σ G_k (g_k − t)).

    A kind of it knows M_t, the sum of the gamma variables' shapes, `total`, and how its density falls off at both ends:
    like powers of the distance, one less than `edges`.
    """

    total: float
    edges: tuple[float, float]
    _longest, _faint, _heavy = POINTS[1], FAINT, _HEAVY
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
        heavy = tilted.log > self._heavy
        if heavy.any():
            line[heavy] = self._nearer(line[heavy], t[heavy])
            tilted = self._tilt(line, t)
        narrow = _ASIDE * np.minimum(width, 1 / np.sqrt(tilted.bend))  # aside of a skewed one it is narrower
        step = _STEP * np.minimum(np.minimum(narrow, np.abs(line)), np.abs(edge - line))
        density, tail = np.empty_like(t), np.empty_like(t)
        for rows, add in ((~heavy, self._sum), (heavy, self._sum_near)):
            if rows.any():
                density[rows], tail[rows] = add(tilted.of(rows), line[rows], step[rows])
        scale = np.exp(tilted.log) * step / np.pi
        tail = np.clip(tail * scale / np.abs(line), 0.0, 1.0)
        density = np.maximum((self.total - 1) * scale * density, 0.0)
        return np.where(line > 0, 1 - tail, tail), np.where(line > 0, tail, 1 - tail), density

    def _sum(self, tilted: Tilted, line: Floats, step: Floats) -> tuple[Floats, Floats]:
        """Sum the integrands of density and tail along the lines, up to where they die.

        Where they do not, because levels were hardly seen, the line ends softly: that smooths the distribution over a
        width far below its own.
        """
        points, sizes = self._line(POINTS[0])
        value, alive = _until_faint(self._rise(tilted, step[:, None] * points), self._faint)
        density, tail = _add(value * sizes, line, step[:, None] * points)
        if alive.any():
            points, sizes = self._line(self._longest)
            y = step[alive, None] * points
            value, alive_still = _until_faint(self._rise(tilted.of(alive), y), self._faint)
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
        y = step[:, None] * np.arange(POINTS[2])
        value = self._rise(tilted, y) * _taper(y * self.total * self._sd / REACH[0])
        return _add(value, line, y)

    def _line(self, size: int) -> tuple[Floats, Floats]:
        """Return the points of a line in steps, and how much each stands for."""
        points = np.arange(float(size))
        if not self._stretch:
            return points, np.ones(size)
        return np.sinh(self._stretch * points) / self._stretch, np.cosh(self._stretch * points)

    def _saddle(self, t: Floats) -> tuple[Floats, Floats]:
        """Find the real s at which M_t is least, by Newton's method inside a bracket, and the bend of log M_t there."""
        low, high = 1 / (self._within[0] - t), 1 / (self._within[1] - t)
        # the first step from 0 needs no M_t: mean and variance of Σ G_k (g_k − t) are known
        gap = t - self._mean
        s = np.clip(gap / ((self.total + 1) * self._sd**2 + gap**2), low / 2, high / 2)
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
            better = shortest(look_at_beta, start, level, slopes=slopes, within=wide)
            start = start if better is None else better
        found = shortest(look, start, level, slopes=slopes, within=wide, tolerance=_BALANCED)
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


def _taper(x: Floats) -> Floats:
    """Return 1 on the first half of [0, 1], and then a descent to 0 of which every derivative is continuous."""
    left = np.clip(2 - 2 * x, 1e-3, 1 - 1e-3)
    weight: Floats = np.where(x < 0.5, 1.0, expit(1 / (1 - left) - 1 / left))  # noqa: PLR2004 - a half
    return weight
