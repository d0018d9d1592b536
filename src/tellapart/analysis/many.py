"""What do many systems together need? Sizes, budgets and differences, solved for by simulating whole campaigns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from scipy.special import ndtr

from tellapart._version import __version__
from tellapart.analysis.design import Design, check_difference, check_power
from tellapart.analysis.planning import POWER
from tellapart.analysis.rehearsal import LENIENCY, MOST_RATINGS, Rehearsal, Rehearsals, Scene, Sizes
from tellapart.analysis.result import Result
from tellapart.analysis.search import INTERCEPT, LEAST_RUNS, Found, Search, fit_power
from tellapart.core.counts import whole
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tellapart.analysis.budget import Costs
    from tellapart.analysis.rehearsal import Verdicts
    from tellapart.core.quadrature import Floats

RUNS = 40
Source = Literal["pilot", "usual"]  # of a number that was not given


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
        a, b = fit_power(self.gaps, (verdicts.signs > 0).sum(axis=0), len(verdicts.signs), INTERCEPT)
        found: Floats = ndtr(a + b * differences)
        return found

    @property
    def design(self) -> Design:
        """The campaign as two of the systems by themselves have it."""
        s = self.scene
        return Design(s.rate, *s.quality, self.sizes.n_human, self.sizes.n_metric, confidence_level=s.confidence_level)

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
    n_human, n_metric = (
        None if n is None else whole(name, n) for name, n in (("n_human", n_human), ("n_metric", n_metric))
    )
    if not LEAST_RUNS <= whole("runs", runs) <= MOST_RATINGS:
        hint = f"{RUNS} tell a power to 7 points or so"
        raise InvalidInput.rule("runs", f"lie between {LEAST_RUNS} and {MOST_RATINGS:,}", runs, hint)
    wanted = POWER if power is None else check_power(power, scene.confidence_level)
    if difference is not None:
        difference = check_difference(difference, scene.rate)
    rehearse = Rehearsals(scene, seed=seed, n_jobs=n_jobs, progress=progress)
    search = Search(scene, rehearse, wanted, int(runs))
    if budget is None and costs is None:
        if power is not None and None not in (n_human, n_metric, difference):
            hint = "leave out n_human, difference or power"
            raise InvalidInput.rule("plan", "leave one number to be found", "all given", hint)
        found = _number(search, n_human, n_metric, difference)
    elif budget is None or costs is None:
        hint = "with prices, the money for all systems together is split"
        raise InvalidInput.rule("budget", "be given with the prices of a campaign for many systems", budget, hint)
    else:
        found = search.split(budget, costs, difference)
    return ManyPlan(
        scene,
        found.rehearsal,
        found.solved,
        wanted,
        rehearse.seed,
        error=found.error,
        found=found.within,
        tried=rehearse.tried,
        costs=costs,
        budget=budget,
        taken=taken or {},
    )


def _number(search: Search, n_human: int | None, n_metric: int | None, difference: float | None) -> Found:
    """Find what was left out; the power, if nothing was."""
    if n_metric is None:
        if n_human is None or difference is None:
            hint = "0 plans with people only; left out, it is found where n_human and difference are given"
            raise InvalidInput.rule("n_metric", "be given for many systems, or told by a pilot", None, hint)
        return search.solve_metric(n_human, difference)
    if n_human is not None:
        given = None if difference is None else Sizes(n_human, n_metric, difference)
        return search.solve_difference(n_human, n_metric) if given is None else search.power_at(given)
    if difference is None:
        hint = "the other is found"
        raise InvalidInput.rule("n_human or difference", "be given", None, hint)
    return search.solve_human(n_metric, difference)
