"""Where is what many systems need? A search over sizes of campaigns, a few of which are simulated."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from tellapart.analysis.budget import Costs, split_budget
from tellapart.analysis.design import Design, MeasurableDifference, largest_difference
from tellapart.analysis.rehearsal import MOST_RATINGS, Rehearsal, Rehearsals, Scene, Sizes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tellapart.core.quadrature import Floats

LEAST_RUNS = 2
INTERCEPT = -2.0, 1.0  # of the probit of the power where nothing differs: before anything is simulated
_MOST_SIZES = 5  # that are simulated to split a budget
_MOST_HUMAN = 20_000  # beyond, nobody asks people
_FIRST = 3  # this part of the runs is enough to find out where to look
_LOOKS = 3  # sizes at the most that are simulated in full to solve for a number
_CLOSE = 0.5  # standard errors of the power within which it is the one that was asked for
_FARTHEST = 0.98  # of the largest difference that two rates can have
_BENT = 3.0  # of the probit of the power, where metric ratings are solved for
_NEAR = 1e-3  # as a share of the difference: where the slope of a size is looked at
_NUMBERS = 41  # of metric ratings, between which they are solved for
_STEP = 2.0  # factor between the numbers of human ratings that a budget is split into


class Found(NamedTuple):
    """What was found, the simulations there, its Monte Carlo error, and whether it will do; if not, it is nearest."""

    solved: str
    rehearsal: Rehearsal
    error: float | None = None
    within: bool = True


def most_campaigns(runs: int, *, split: bool, solved: bool) -> int:
    """Return how many campaigns are simulated at the most, to split a budget, to solve for a number, or for the power.

    Examples
    --------
    >>> most_campaigns(60, split=False, solved=True)
    200
    """
    return runs * _MOST_SIZES if split else _LOOKS * runs + max(runs // _FIRST, LEAST_RUNS) if solved else runs


@dataclass(frozen=True)
class Search:
    """A scene with its simulations, and the power that is asked for."""

    scene: Scene
    rehearse: Rehearsals
    power: float
    runs: int

    def power_at(self, sizes: Sizes) -> Found:
        """Simulate one size."""
        found = self.rehearse(sizes, self.runs)
        return Found("power", found, found.borrowing.power.error)

    def _design(self, n_human: int, n_metric: int) -> Design:
        s = self.scene
        return Design(s.rate, *s.quality, n_human, n_metric, confidence_level=s.confidence_level)

    def _alone(self, n_human: int, n_metric: int) -> float:
        """Return the difference that is found if nothing is borrowed, by the normal form."""
        return MeasurableDifference(self._design(n_human, n_metric)).with_power(self.power)

    def solve_human(self, n_metric: int, difference: float) -> Found:
        """Find the number of human ratings. The probit of the power is nearly linear in its square root."""
        start = 100 * (self._alone(100, n_metric) / difference) ** 2

        def sizes(root: float) -> Sizes:
            return Sizes(round(root**2), n_metric, difference)

        scale, ends = math.sqrt(start) / difference, (math.sqrt(4), math.sqrt(_MOST_HUMAN))
        found, error, within = self._solve(sizes, math.sqrt(start), ends=ends, scale=scale)
        root = math.sqrt(found.sizes.n_human)
        return Found("n_human", found, 2 * root * error, within)

    def solve_metric(self, n_human: int, difference: float) -> Found:
        """Find the number of metric ratings. The probit of the power is about linear in 1 / the difference found alone.

        That has a limit, however many metric ratings there are. Systems that borrow gain more by them: the line bends.
        """
        numbers = np.concatenate([[0], np.geomspace(1, MOST_RATINGS, _NUMBERS)])
        alone = [self._alone(n_human, round(number)) for number in numbers]
        places = np.maximum.accumulate(difference / np.array(alone))

        def number(place: float) -> float:
            return float(np.expm1(np.interp(place, places, np.log1p(numbers))))

        def sizes(place: float) -> Sizes:
            return Sizes(n_human, round(number(place)), difference)

        start, ends = float(np.clip(1.0, places[0], places[-1])), (float(places[0]), float(places[-1]))
        found, error, within = self._solve(sizes, start, ends=ends, scale=start / difference, bent=_BENT)
        place = float(np.interp(found.sizes.n_metric, numbers, places))
        slope = (number(place + _NEAR) - number(place - _NEAR)) / (2 * _NEAR)
        return Found("n_metric", found, slope * error if within else None, within)

    def solve_difference(self, n_human: int, n_metric: int) -> Found:
        """Find the difference. The probit of the power is nearly linear in it."""
        most = _FARTHEST * largest_difference(self.scene.rate)
        start = min(self._alone(n_human, n_metric), most)

        def sizes(difference: float) -> Sizes:
            return Sizes(n_human, n_metric, float(f"{difference:.3g}"))

        found, error, within = self._solve(sizes, start, ends=(most / 1000, most), scale=1.0)
        return Found("difference", found, error, within)

    def _solve(
        self,
        sizes: Callable[[float], Sizes],
        start: float,
        *,
        ends: tuple[float, float],
        scale: float,
        bent: float = 0.5,
    ) -> tuple[Rehearsal, float, bool]:
        """Look at a few places, nearer each time; return the best, the error of the place, and whether it will do.

        All pairs of a few campaigns tell where to look first: the power grows with how far apart a pair truly is.
        `scale` is the place that stands for a difference of 1 at the start, and `bent` how far the intercept of a
        straight line near the goal may be from that of the first look.
        """
        x = float(np.clip(start, *ends))
        first = self.rehearse(sizes(x), max(self.runs // _FIRST, LEAST_RUNS))
        right = (first.borrowing.signs > 0).sum(axis=0)
        line = fit_power(self.scene.gaps(first.sizes.difference) * scale * x / start, right, first.runs, INTERCEPT)
        prior, (low, high) = (line[0], bent), ends
        seen: list[tuple[float, Rehearsal]] = []
        for _ in range(_LOOKS):
            x = float(np.clip((ndtri(self.power) - line[0]) / line[1], low, high))
            x = (low + high) / 2 if x in [place for place, _ in seen] else x
            found = self.rehearse(sizes(x), self.runs)
            power = found.borrowing.power
            seen.append((x, found))
            line = fit_power([place for place, _ in seen], [one.borrowing.found for _, one in seen], found.runs, prior)
            low, high = (max(low, x), high) if power.value < self.power else (low, min(high, x))
            if (not _missed(found, self.power) and x < ends[1]) or low == high:  # at the far end, less may do as well
                break
        _, best = min(seen, key=lambda one: (_missed(one[1], self.power), one[0]))
        power = best.borrowing.power
        density = math.exp(-0.5 * float(ndtri(self.power)) ** 2) / math.sqrt(2 * math.pi)
        within = low < ends[1] or power.value > self.power - _CLOSE * power.error
        return best, power.error / density / line[1], within

    def split(self, budget: float, costs: Costs, difference: float | None) -> Found:
        """Find the best split of a budget: from the closed form on, to more and to fewer human ratings."""
        start = split_budget(self._design(0, 0), costs, budget, power=self.power)
        gap = difference
        if gap is None:
            most = _FARTHEST * largest_difference(self.scene.rate)
            gap = float(f"{min(start.measured.with_power(self.power), most):.2g}")
        own = (budget - costs.fixed) / costs.systems

        def sizes(n: float) -> Sizes:
            human = int(min(max(n, 1), own / (costs.human + costs.metric), _MOST_HUMAN))
            rest = own - human * (costs.human + costs.metric)
            metric = MOST_RATINGS if costs.metric * MOST_RATINGS <= rest else int(rest / costs.metric)
            return Sizes(human, metric, gap)

        return Found("split", self._climb([sizes(start.design.n_human * _STEP**k) for k in (-1, 0, 1)], sizes))

    def _climb(self, places: Sequence[Sizes], sizes: Callable[[float], Sizes]) -> Rehearsal:
        """Return the size at which most pairs are told apart rightly; go on while the last one is the best."""
        tried = [self.rehearse(place, self.runs) for place in dict.fromkeys(places)]
        for _ in range(_MOST_SIZES - len(places)):
            best = max(tried, key=_right)
            humans = [one.sizes.n_human for one in tried]
            if best.sizes.n_human not in {min(humans), max(humans)} or len(tried) == 1:
                break
            step = _STEP if best.sizes.n_human == max(humans) else 1 / _STEP
            place = sizes(best.sizes.n_human * step)
            if place in [one.sizes for one in tried]:
                break
            tried.append(self.rehearse(place, self.runs))
        return max(tried, key=_right)


def _missed(one: Rehearsal, power: float) -> float:
    """Return how far the power is from the one that was asked for, beyond what may be chance."""
    found = one.borrowing.power
    return max(abs(found.value - power) - _CLOSE * found.error, 0.0)


def _right(one: Rehearsal) -> float:
    return float((one.borrowing.signs > 0).mean())


def fit_power(
    places: Sequence[float] | Floats, found: Sequence[int] | Floats, of: int, intercept: tuple[float, float]
) -> tuple[float, float]:
    """Return a and b of P(found) = Φ(a + b·x), b > 0, by Fisher's scoring; the prior of a is normal.

    That of the logarithm of b is wide, around the line through the middle of what was seen.
    """
    x, k = np.asarray(places, dtype=float), np.asarray(found, dtype=float)
    middle = float((x @ (k + 0.5)) / (k + 0.5).sum())
    start = np.log((float(ndtri(np.clip((k @ x + 0.5 * middle) / (of * x.sum() + middle), 0.02, 0.98))) + 2.5) / middle)
    line, trust = np.array([intercept[0], start]), np.diag([1 / intercept[1] ** 2, 1.0])
    centre = line.copy()
    for _ in range(50):
        slope = math.exp(line[1])
        eta = line[0] + slope * x
        p = np.clip(ndtr(eta), 1e-6, 1 - 1e-6)
        density = np.exp(-0.5 * eta**2) / math.sqrt(2 * math.pi)
        moves = np.array([np.ones_like(x), slope * x])
        gradient = moves @ ((k - of * p) * density / (p * (1 - p))) - trust @ (line - centre)
        information = (moves * (of * density**2 / (p * (1 - p)))) @ moves.T + trust
        step = np.linalg.solve(information, gradient)
        line = line + np.clip(step, -0.5, 0.5)
        if np.abs(step).max() < 1e-6:  # noqa: PLR2004 - converged
            break
    return float(line[0]), math.exp(line[1])
