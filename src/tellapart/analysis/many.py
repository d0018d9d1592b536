"""What do many systems together need? Sizes, budgets and differences, solved for by simulating whole campaigns."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import ndtr, ndtri

from tellapart._version import __version__
from tellapart.analysis.budget import Costs, split_budget
from tellapart.analysis.design import (
    Design,
    MeasurableDifference,
    check_difference,
    check_power,
    largest_difference,
)
from tellapart.analysis.planning import POWER
from tellapart.analysis.rehearsal import LENIENCY, MOST_RATINGS, Rehearsal, Rehearsals, Scene, Sizes
from tellapart.analysis.result import Result
from tellapart.core.counts import whole
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tellapart.analysis.rehearsal import Verdicts
    from tellapart.core.quadrature import Floats

RUNS = 40
Source = Literal["pilot", "usual"]  # of a number that was not given
_MOST_SIZES = 5  # that are simulated to split a budget
_LEAST_RUNS = 2
_MOST_HUMAN = 20_000  # beyond, nobody asks people
_FIRST = 3  # this part of the runs is enough to find out where to look
_LOOKS = 3  # sizes at the most that are simulated in full to solve for a number
_CLOSE = 0.5  # standard errors of the power within which it is the one that was asked for
_FARTHEST = 0.98  # of the largest difference that two rates can have
_BENT = 3.0  # of the probit of the power, where metric ratings are solved for
_NEAR = 1e-3  # as a share of the difference: where the slope of a size is looked at
_NUMBERS = 41  # of metric ratings, between which they are solved for
_STEP = 2.0  # factor between the numbers of human ratings that a budget is split into
_INTERCEPT = -2.0, 1.0  # of the probit of the power where nothing differs: before anything is simulated


@dataclass(frozen=True, repr=False)
class ManyPlan(Result):
    """A campaign for several systems, simulated as a whole.

    `solved` names what was found: "n_human", "n_metric", "difference", "power" or "split" (of a budget), and `error` is
    its Monte Carlo error, one standard error. `found` says whether there is one; if not, `rehearsal` is the nearest
    that there is. `tried` are all sizes that were simulated on the way, and `taken` says where numbers come from that
    were not given: the pilot, or what is usual.
    """

    kind = "many"
    scene: Scene
    rehearsal: Rehearsal
    solved: str
    power: float
    seed: int
    error: float | None = None
    found: bool = True
    tried: tuple[Rehearsal, ...] = ()
    costs: Costs | None = None
    budget: float | None = None
    taken: Mapping[str, Source] = field(default_factory=dict, compare=False)

    @property
    def sizes(self) -> Sizes:
        """Ratings of each system, and how far apart the typical pair is."""
        return self.rehearsal.sizes

    @property
    def difference(self) -> float:
        """How far apart the typical pair is."""
        return self.sizes.difference

    @property
    def value(self) -> float | None:
        """The number that was solved for; nothing where there is none."""
        if not self.found:
            return None
        if self.solved == "power":
            return self.rehearsal.borrowing.power.value
        return float(self.sizes.n_human if self.solved == "split" else getattr(self.sizes, self.solved))

    @property
    def gaps(self) -> Floats:
        """How far apart every two systems truly are, in the order of the verdicts; the typical pair comes first."""
        return self.scene.gaps(self.difference)

    def powers(self, verdicts: Verdicts, differences: Floats) -> Floats:
        """Return how probably two systems so far apart are told apart: a probit line through all simulated pairs."""
        a, b = _fit(self.gaps, (verdicts.signs > 0).sum(axis=0), len(verdicts.signs), _INTERCEPT)
        found: Floats = ndtr(a + b * differences)
        return found

    @property
    def design(self) -> Design:
        """The campaign as two of the systems by themselves have it."""
        s = self.scene
        return Design(
            s.rate, s.tpr, s.tnr, self.sizes.n_human, self.sizes.n_metric, confidence_level=s.confidence_level
        )

    @property
    def cost(self) -> float | None:
        """What the campaign costs, where there are prices."""
        return None if self.costs is None else self.costs.of(self.design)

    @property
    def signature(self) -> str:
        """One line that makes the numbers reproducible."""
        z, c = self.sizes, self.costs
        goal = f"power {self.power:g}, solved {self.solved}" if self.solved != "power" else "solved power"
        money = ""
        if c is not None:
            money = f" | budget {self.budget:g}, human {c.human:g}, metric {c.metric:g}, fixed {c.fixed:g}"
        return (
            f"tellapart {__version__} | {self.rehearsal.runs} campaigns simulated, seed {self.seed} | {self.scene} | "
            f"human {z.n_human}, metric {z.n_metric} | difference {z.difference:.4g} | "
            f"level {self.scene.confidence_level:g}{money} | {goal}"
        )

    def __str__(self) -> str:
        """Say it in words."""
        parts = (
            f"{self._found_words()}{self._meaning()}",
            self._rule(),
            self._assumed(),
            self._from_pilot(),
            self._simulated(),
        )
        return " ".join(filter(None, parts))

    def _found_words(self) -> str:
        z, about = self.sizes, f"(± {self.error or 0:,.0f})"
        kinds = {"n_human": "human ratings", "n_metric": "metric ratings"}
        if not self.found:
            what = f"number of {kinds[self.solved]}" if self.solved in kinds else self.solved
            instead = ": people must rate more" if self.solved == "n_metric" else ""
            return f"No {what} that was tried gives a power of {self.power:.0%}{instead}. "
        if self.solved == "n_metric" and not self.value:
            return "No metric ratings are needed. "
        if self.solved in kinds:
            return f"About {self.value:,.0f} {about} {kinds[self.solved]} of each system are needed. "
        if self.solved == "split":
            return f"Buy {z.n_human:,} human and {z.n_metric:,} metric ratings of each system, for {self.cost:,.10g}. "
        return ""

    def _meaning(self) -> str:
        z, s, now, alone = self.sizes, self.scene, self.rehearsal.borrowing, self.rehearsal.alone
        error = f" (± {100 * self.error:.1f})" if self.solved == "difference" and self.error else ""
        wrong = "" if now.wrong is None else f", {now.wrong} of these wrongly"
        apart = f", and {now.told_apart} of all {s.pairs} pairs are told apart{wrong}"
        apart = apart if s.pairs > 1 else f", and the two are told apart in {now.told_apart} of the campaigns{wrong}"
        said = (
            f"With {z.n_human:,} human and {z.n_metric:,} metric ratings of each of {s.systems} systems, a true "
            f"difference of {100 * z.difference:.1f}{error} points between two of them is found with probability "
            f"{now.power}{apart}"
        )
        if s.rung == "none":
            return f"{said}."
        return f"{said}; if nothing were borrowed, {alone.power} and {alone.told_apart}."

    def _rule(self) -> str:
        """Say which verdicts are corrected, where not all are: those of the line, and those beside them, differ."""
        if self.scene.rung != "link":
            return ""
        return (
            f"With link, verdicts are pair by pair; with nothing borrowed, corrected for all {self.scene.pairs} (Holm)."
        )

    def _assumed(self) -> str:
        """Say how alike the judge is taken to treat the systems; nothing where no verdict of it counts."""
        s = self.scene
        if s.rung in {"none", "items"} and not self.sizes.n_metric:
            return ""
        how = f"uneven over systems (leniency sd {s.leniency_sd:.2g})"
        if not s.leniency_sd and not s.leniency_slope:
            how = "equally strict with all systems"
        elif self.taken.get("leniency_sd") == "pilot":
            how = f"as uneven over systems as in the pilot (leniency sd {s.leniency_sd:.2g})"
        elif s.leniency_sd == LENIENCY:
            how = f"about as uneven over systems as real judges are (leniency sd {s.leniency_sd:.2g})"
        grows = f", and {'milder' if s.leniency_slope > 0 else 'stricter'} with better systems" * bool(s.leniency_slope)
        return f"This takes the judge to be {how}{grows}."

    def _from_pilot(self) -> str:
        """Say what was taken from a pilot."""
        s, names = self.scene, [name for name, source in self.taken.items() if source == "pilot"]
        numbers = [
            f"{name.replace('_', ' ')} {getattr(s, name):.2f}"
            for name in names
            if isinstance(getattr(s, name, 0), float)
        ]
        wholes = {
            "systems": f"{s.systems} systems",
            "n_metric": f"{self.sizes.n_metric:,} metric ratings of each system",
        }
        said = [*(wholes[name] for name in names if name in wholes), *numbers]
        return f"Taken from the pilot: {', '.join(said)}." if said else ""

    def _simulated(self) -> str:
        return f"Simulated {self.rehearsal.runs:,} times; each ± is one standard error."

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        c = self.costs
        prices = None if c is None else {"human": c.human, "metric": c.metric, "fixed": c.fixed}
        return {
            "solved": self.solved,
            "value": self.value,
            "error": self.error,
            "found": self.found,
            **self.scene.to_dict(),
            "pairs": self.scene.pairs,
            "n_human": self.sizes.n_human,
            "n_metric": self.sizes.n_metric,
            "difference": self.sizes.difference,
            "power": self.power,
            "borrowing": self.rehearsal.borrowing.to_dict(),
            "alone": self.rehearsal.alone.to_dict(),
            "budget": self.budget,
            "cost": self.cost,
            "costs": prices,
            "runs": self.rehearsal.runs,
            "seed": self.seed,
            "tried": [_tried(one) for one in self.tried],
            "taken": dict(self.taken),
            "summary": str(self),
            "signature": self.signature,
        }


def _tried(one: Rehearsal) -> dict[str, Any]:
    z = one.sizes
    sizes = {"n_human": z.n_human, "n_metric": z.n_metric, "difference": z.difference, "runs": one.runs}
    return sizes | {"power": one.borrowing.power.to_dict(), "told_apart": one.borrowing.told_apart.to_dict()}


def plan_many(  # noqa: PLR0913 - what a campaign has
    scene: Scene,
    *,
    n_human: int | None = None,
    n_metric: int | None = None,
    difference: float | None = None,
    power: float | None = None,
    budget: float | None = None,
    costs: Costs | None = None,
    runs: int = RUNS,
    seed: int = 0,
    n_jobs: int = -1,
    progress: Callable[[int], None] = lambda _: None,
    taken: Mapping[str, Source] | None = None,
) -> ManyPlan:
    """Simulate campaigns for several systems; find a number of ratings, the difference, the power or the best split.

    Parameters
    ----------
    scene : Scene
        What is expected of the systems and of the metric.
    n_human, n_metric : int, optional
        Ratings of each system. With one number left out: the smallest that will do.
    difference : float, optional
        True difference of a typical pair. Left out: what is found with the given power.
    power : float, optional
        Probability of finding it, 0.8 by default.
    budget : float, optional
        Money for all systems together, to be split so that most pairs are told apart rightly.
    costs : Costs, optional
        Prices, with a budget.
    runs : int
        Campaigns that are simulated at each size.
    seed : int
        Seed; the same answer for any number of workers.
    n_jobs : int
        Processes of joblib, -1 for all cores. Inside `joblib.parallel_config(backend="dask")` the cluster does it.
    progress : callable
        Called with the number of campaigns done.
    taken : mapping, optional
        Where numbers come from that were not given: "pilot" or "usual".

    Returns
    -------
    ManyPlan

    Examples
    --------
    >>> scene = Scene(systems=2, rate=0.6, tpr=0.9, tnr=0.8, borrow="none")
    >>> found = plan_many(scene, n_human=200, n_metric=0, difference=0.2, runs=20, n_jobs=1)
    >>> found.solved, found.value > 0.8
    ('power', True)
    """
    if not _LEAST_RUNS <= whole("runs", runs) <= MOST_RATINGS:
        hint = f"{RUNS} tell a power to 7 points or so"
        raise InvalidInput.rule("runs", f"lie between {_LEAST_RUNS} and {MOST_RATINGS:,}", runs, hint)
    wanted = POWER if power is None else check_power(power, scene.confidence_level)
    if difference is not None:
        check_difference(difference, scene.rate)
    stage = _Stage(scene, Rehearsals(scene, seed=seed, n_jobs=n_jobs, progress=progress), wanted, runs, taken or {})
    if budget is not None or costs is not None:
        return stage.split(budget, costs, difference)
    if n_metric is None:
        if n_human is None or difference is None:
            hint = "0 plans with people only; left out, it is found where n_human and difference are given"
            raise InvalidInput.rule("n_metric", "be given for many systems, or told by a pilot", None, hint)
        return stage.solve_metric(n_human, difference)
    if n_human is None and difference is None:
        hint = "the other is found"
        raise InvalidInput.rule("n_human or difference", "be given, one of the two at least", None, hint)
    if n_human is None:
        return stage.solve_human(n_metric, difference or 0.0)
    if difference is None:
        return stage.solve_difference(n_human, n_metric)
    if power is not None:
        hint = "leave out n_human, difference or power"
        raise InvalidInput.rule("plan", "leave one number to be found", "all given", hint)
    return stage.plan(stage.rehearse(Sizes(n_human, n_metric, difference), runs), "power")


def most_campaigns(runs: int, *, split: bool, solved: bool) -> int:
    """Return how many campaigns are simulated at the most, to split a budget, to solve for a number, or for the power.

    Examples
    --------
    >>> most_campaigns(60, split=False, solved=True)
    200
    """
    return runs * _MOST_SIZES if split else _LOOKS * runs + max(runs // _FIRST, _LEAST_RUNS) if solved else runs


@dataclass(frozen=True)
class _Stage:
    """A scene with its simulations, and what is asked for."""

    scene: Scene
    rehearse: Rehearsals
    power: float
    runs: int
    taken: Mapping[str, Source]

    def plan(self, rehearsal: Rehearsal, solved: str, **more: Any) -> ManyPlan:  # noqa: ANN401 - fields of the plan
        error = more.pop("error", rehearsal.borrowing.power.error if solved == "power" else None)
        more |= {"error": error, "tried": self.rehearse.tried, "taken": self.taken}
        return ManyPlan(self.scene, rehearsal, solved, self.power, self.rehearse.seed, **more)

    def _design(self, n_human: int, n_metric: int) -> Design:
        s = self.scene
        return Design(s.rate, s.tpr, s.tnr, n_human, n_metric, confidence_level=s.confidence_level)

    def _alone(self, n_human: int, n_metric: int) -> float:
        """Return the difference that is found if nothing is borrowed, by the normal form."""
        return MeasurableDifference(self._design(n_human, n_metric)).with_power(self.power)

    def solve_human(self, n_metric: int, difference: float) -> ManyPlan:
        """Find the number of human ratings. The probit of the power is nearly linear in its square root."""
        start = 100 * (self._alone(100, n_metric) / difference) ** 2

        def sizes(root: float) -> Sizes:
            return Sizes(round(root**2), n_metric, difference)

        scale, ends = math.sqrt(start) / difference, (math.sqrt(4), math.sqrt(_MOST_HUMAN))
        found, error, within = self._solve(sizes, math.sqrt(start), ends=ends, scale=scale)
        root = math.sqrt(found.sizes.n_human)
        return self.plan(found, "n_human", error=2 * root * error, found=within)

    def solve_metric(self, n_human: int, difference: float) -> ManyPlan:
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
        return self.plan(found, "n_metric", error=slope * error if within else None, found=within)

    def solve_difference(self, n_human: int, n_metric: int) -> ManyPlan:
        """Find the difference. The probit of the power is nearly linear in it."""
        most = _FARTHEST * largest_difference(self.scene.rate)
        start = min(self._alone(n_human, n_metric), most)

        def sizes(difference: float) -> Sizes:
            return Sizes(n_human, n_metric, float(f"{difference:.3g}"))

        found, error, within = self._solve(sizes, start, ends=(most / 1000, most), scale=1.0)
        return self.plan(found, "difference", error=error, found=within)

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
        first = self.rehearse(sizes(x), max(self.runs // _FIRST, _LEAST_RUNS))
        right = (first.borrowing.signs > 0).sum(axis=0)
        line = _fit(self.scene.gaps(first.sizes.difference) * scale * x / start, right, first.runs, _INTERCEPT)
        prior, (low, high), seen = (line[0], bent), ends, []
        for _ in range(_LOOKS):
            x = float(np.clip((ndtri(self.power) - line[0]) / line[1], low, high))
            found = self.rehearse(sizes(x), self.runs)
            power = found.borrowing.power
            seen.append((x, found))
            line = _fit([place for place, _ in seen], [one.borrowing.found for _, one in seen], found.runs, prior)
            low, high = (max(low, x), high) if power.value < self.power else (low, min(high, x))
            if abs(power.value - self.power) <= _CLOSE * power.error or low == high:
                break
        _, best = min(seen, key=lambda one: abs(one[1].borrowing.power.value - self.power))
        power = best.borrowing.power
        density = math.exp(-0.5 * float(ndtri(self.power)) ** 2) / math.sqrt(2 * math.pi)
        within = low < ends[1] or power.value > self.power - _CLOSE * power.error
        return best, power.error / density / line[1], within

    def split(self, budget: float | None, costs: Costs | None, difference: float | None) -> ManyPlan:
        """Find the best split of a budget: from the closed form on, to more and to fewer human ratings."""
        if budget is None or costs is None:
            hint = "with prices, the money for all systems together is split"
            raise InvalidInput.rule("budget", "be given with the prices of a campaign for many systems", budget, hint)
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

        found = self._climb([sizes(start.design.n_human * _STEP**k) for k in (-1, 0, 1)], sizes)
        return self.plan(found, "split", costs=costs, budget=budget)

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


def _right(one: Rehearsal) -> float:
    return float((one.borrowing.signs > 0).mean())


def _fit(
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
