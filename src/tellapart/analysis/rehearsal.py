"""What would come out? Whole campaigns for several systems, simulated: ratings drawn, compared, verdicts counted."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, logit, ndtri

from tellapart.analysis.comparison import Comparison, compare
from tellapart.analysis.studies import Truth, study
from tellapart.core.counts import as_number, fraction, whole
from tellapart.core.ladder import BORROWS, Borrow, Rung
from tellapart.core.link import LEAST
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from tellapart.core.quadrature import Floats

SPREAD = 0.4  # of the systems' rates, in logits, as in shared tasks
LENIENCY, DISCRIMINATION = 0.4, 0.1  # how much these differ over systems, in logits: half of the real judges do less
MOST_SYSTEMS, MOST_RATINGS = 100, 100_000  # of a campaign that is simulated
_WIDEST = 5.0  # logits
_CLOSEST = 0.95  # items beyond which two systems' ratings are hardly two
_EDGE = 1e-4  # rates stay so far from 0 and 1


@dataclass(frozen=True)
class Scene:
    """What is expected of several systems, and of the metric that rates them all.

    Parameters
    ----------
    systems : int
        How many there are.
    rate : float
        Around which the systems' rates of adequate outputs lie.
    tpr, tnr : float, optional
        Expected quality of the metric; nothing where people alone rate.
    rate_sd : float
        How much the rates differ over systems: standard deviation, in logits.
    leniency_sd, discrimination_sd : float
        How much the metric's treatment differs over systems: how easily it passes outputs, and how well it tells good
        from bad; standard deviations, in logits. 0.4 and 0.1, if nothing else is said, are usual for real judges.
    leniency_slope : float
        By how much leniency grows with each logit of the rate.
    correlation : float
        Of adequacy between two systems' outputs for the same items; 0 if each has items of its own.
    borrow : {"auto", "none", "items", "rates", "link", "shared"}
        What the comparison will take the systems to have in common.
    confidence_level : float
        1 − γ.

    Examples
    --------
    >>> scene = Scene(systems=12, rate=0.6, tpr=0.9, tnr=0.8)
    >>> scene.rung, scene.rates(0.1)[:2].round(2).tolist()
    ('link', [0.65, 0.55])
    """

    systems: int
    rate: float
    tpr: float | None = None
    tnr: float | None = None
    rate_sd: float = SPREAD
    leniency_sd: float = LENIENCY
    discrimination_sd: float = DISCRIMINATION
    leniency_slope: float = 0.0
    correlation: float = 0.0
    borrow: Borrow = "auto"
    confidence_level: float = 0.95

    def __post_init__(self) -> None:
        """Check every number."""
        for name in ("rate", *(() if self.people_only else ("tpr", "tnr")), "confidence_level"):
            object.__setattr__(self, name, fraction(name, getattr(self, name), open_ends=True))
        object.__setattr__(self, "systems", whole("systems", self.systems))
        if not 2 <= self.systems <= MOST_SYSTEMS:  # noqa: PLR2004 - a pair
            hint = "so many are compared in a simulated campaign"
            raise InvalidInput.rule("systems", f"lie between 2 and {MOST_SYSTEMS}", self.systems, hint)
        for name in ("rate_sd", "leniency_sd", "discrimination_sd"):
            self._check(name, (0, _WIDEST), "a standard deviation in logits; 0.4 is usual")
        self._check("leniency_slope", (-_WIDEST, _WIDEST), "logits of leniency for a logit of the rate")
        self._check("correlation", (0, _CLOSEST), "0.45 is usual for systems that answer the same items")
        self._check_borrow()

    def _check(self, name: str, ends: tuple[float, float], hint: str) -> None:
        value = getattr(self, name)
        if not ends[0] <= as_number(value) <= ends[1]:
            raise InvalidInput.rule(name, f"be a number between {ends[0]:g} and {ends[1]:g}", value, hint)
        object.__setattr__(self, name, as_number(value))

    def _check_borrow(self) -> None:
        if self.borrow not in BORROWS:
            raise InvalidInput.rule("borrow", f"be one of {', '.join(BORROWS)}", self.borrow)
        if self.borrow == "link" and self.systems < LEAST:
            rule = f"not be link for fewer than {LEAST} systems"
            raise InvalidInput.rule("borrow", rule, self.systems, "with fewer, borrow rates")
        if self.borrow == "items" and not self.correlation:
            hint = "0.45 is usual; without, the systems answer items of their own"
            raise InvalidInput.rule("correlation", "be above 0 to borrow items", self.correlation, hint)
        if self.people_only and self.rung not in {"none", "items"}:
            hint = "it is a metric's errors that systems share"
            raise InvalidInput.rule("tpr", f"be given to borrow {self.rung}", self.tpr, hint)

    @property
    def people_only(self) -> bool:
        """Whether there is no metric."""
        return self.tpr is None and self.tnr is None

    @property
    def quality(self) -> tuple[float, float]:
        """Expected tpr and tnr; those of a coin where there is no metric."""
        return 0.5 if self.tpr is None else self.tpr, 0.5 if self.tnr is None else self.tnr

    @property
    def rung(self) -> Rung:
        """The rung of the ladder on which the verdicts will stand."""
        if self.borrow != "auto":
            return self.borrow
        if self.people_only:
            return "items" if self.correlation else "none"
        return "link" if self.systems >= LEAST else "rates"

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return self.systems * (self.systems - 1) // 2

    def rates(self, difference: float) -> Floats:
        """Return the true rates: two so far apart, the typical pair, and the others spread evenly around these.

        The others' logits are the quantiles of a normal distribution.
        """
        others = np.arange(1, self.systems - 1) - 0.5
        spread = self.rate_sd * ndtri(others / max(self.systems - 2, 1))
        pair = self.rate + difference / 2 * np.array([1, -1])
        found: Floats = np.clip(np.concatenate([pair, expit(logit(self.rate) + spread)]), _EDGE, 1 - _EDGE)
        return found

    def gaps(self, difference: float) -> Floats:
        """Return how far apart every two systems truly are, in the order of verdicts; the typical pair comes first."""
        rates = self.rates(difference)
        i, j = np.triu_indices(len(rates), 1)
        return np.abs(rates[i] - rates[j])

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return asdict(self) | {"borrow": self.rung}

    def __str__(self) -> str:
        """Say it in short."""
        metric = (
            (
                f", tpr {self.tpr:.4g}, tnr {self.tnr:.4g}, leniency sd {self.leniency_sd:.3g}, "
                f"slope {self.leniency_slope:.3g}, discrimination sd {self.discrimination_sd:.3g}"
            )
            if not self.people_only
            else ""
        )
        return (
            f"{self.systems} systems, rate {self.rate:.4g} (sd {self.rate_sd:.3g}){metric}, "
            f"correlation {self.correlation:.3g} | borrow {self.rung}"
        )


@dataclass(frozen=True)
class Sizes:
    """Ratings of each system, and how far apart the typical pair is."""

    n_human: int
    n_metric: int
    difference: float

    def __post_init__(self) -> None:
        """Check every number."""
        for name in ("n_human", "n_metric"):
            if whole(name, getattr(self, name)) > MOST_RATINGS:
                rule, hint = f"be at most {MOST_RATINGS:,}", "so many ratings of a system are simulated"
                raise InvalidInput.rule(name, rule, getattr(self, name), hint)
        if not self.n_human:
            raise InvalidInput.rule("n_human", "be at least 1", self.n_human, "people must rate some outputs")


@dataclass(frozen=True)
class Share:
    """A share of what was simulated, and its Monte Carlo error: one standard error."""

    value: float
    error: float

    def __str__(self) -> str:
        """Say it in percent."""
        digits = 0 if self.value == 0 or self.value >= 0.02 else 1  # noqa: PLR2004 - two percent
        return (
            f"{100 * self.value:.{digits}f}% (± {max(100 * self.error, 0.1):.{digits if self.error >= 0.005 else 1}f})"  # noqa: PLR2004
        )

    def to_dict(self) -> dict[str, float]:
        """Return a JSON-safe dictionary."""
        return {"value": self.value, "error": self.error}


@dataclass(frozen=True, eq=False)
class Verdicts:
    """The verdicts of simulated campaigns: one row a campaign, one column a pair, the typical one first.

    1 is a right verdict, −1 a wrong one, 0 none.
    """

    signs: Floats

    @property
    def found(self) -> int:
        """Number of the campaigns in which the better one of the typical pair is found."""
        return int((self.signs[:, 0] > 0).sum())

    @property
    def power(self) -> Share:
        """Share of these campaigns."""
        return Share(self.found / len(self.signs), _binomial_error(self.found, len(self.signs)))

    @property
    def told_apart(self) -> Share:
        """Share of all pairs that are told apart."""
        shares = (self.signs != 0).mean(axis=1)
        return Share(float(shares.mean()), _standard_error(shares))

    @property
    def wrong(self) -> Share | None:
        """Share of the verdicts that are wrong; nothing where there are no verdicts."""
        told, wrong = (self.signs != 0).sum(axis=1), (self.signs < 0).sum(axis=1)
        if not told.sum():
            return None
        share = float(wrong.sum() / told.sum())
        of_ratio = _standard_error((wrong - share * told) / told.mean())
        return Share(share, max(of_ratio, _binomial_error(int(wrong.sum()), int(told.sum()))))

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        wrong = self.wrong
        found = {"power": self.power.to_dict(), "told_apart": self.told_apart.to_dict()}
        return found | {"wrong": {"value": None, "error": None} if wrong is None else wrong.to_dict()}


def _binomial_error(found: int, of: int) -> float:
    """Return a standard error that is not 0 at the ends."""
    share = (found + 0.5) / (of + 1)
    return float(np.sqrt(share * (1 - share) / of))


def _standard_error(values: Floats) -> float:
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """Simulated campaigns of one size: verdicts when as much is borrowed as was asked for, and when nothing is."""

    sizes: Sizes
    borrowing: Verdicts
    alone: Verdicts

    @property
    def runs(self) -> int:
        """How many campaigns there are."""
        return len(self.alone.signs)


class Rehearsals:
    """Simulated campaigns of any size in one scene; the same seeds at all sizes, and none is simulated twice.

    Parameters
    ----------
    scene : Scene
        What is expected.
    seed : int
        Seed; the same answer for any number of workers.
    n_jobs : int
        Processes of joblib, -1 for all cores.
    progress : callable
        Called with the number of campaigns done.
    """

    def __init__(
        self, scene: Scene, *, seed: int = 0, n_jobs: int = -1, progress: Callable[[int], None] = lambda _: None
    ) -> None:
        self.scene, self.seed = scene, whole("seed", seed)
        self._n_jobs, self._progress = n_jobs, progress
        self._found: dict[Sizes, list[Floats]] = {}

    def __call__(self, sizes: Sizes, runs: int) -> Rehearsal:
        """Simulate so many campaigns of a size, if that was not done before."""
        from joblib import Parallel, delayed  # noqa: PLC0415 - only simulations need it

        found = self._found.setdefault(sizes, [])
        tasks = (delayed(campaign)(self.scene, sizes, (self.seed, i)) for i in range(len(found), runs))
        for signs in Parallel(n_jobs=self._n_jobs, return_as="generator")(tasks):
            found.append(signs)
            self._progress(1)
        signs = np.array(found)
        return Rehearsal(sizes, Verdicts(signs[:, 0]), Verdicts(signs[:, 1]))

    @property
    def tried(self) -> tuple[Rehearsal, ...]:
        """What was simulated so far, by size."""
        return tuple(self(sizes, len(found)) for sizes, found in self._found.items() if found)


def campaign(scene: Scene, sizes: Sizes, seed: tuple[int, int]) -> Floats:
    """Simulate one campaign; return its verdicts in two rows, borrowing and alone, one column a pair."""
    rates = scene.rates(sizes.difference)
    truth = Truth.draw(
        list(rates),
        *scene.quality,
        np.random.default_rng((*seed, 0)),
        leniency_sd=scene.leniency_sd,
        discrimination_sd=scene.discrimination_sd,
        leniency_slope=scene.leniency_slope,
    )
    rng = np.random.default_rng((*seed, 1))
    systems, items = study(truth, sizes.n_human, sizes.n_metric, rng, correlation=scene.correlation)
    result = compare(systems, items=items, borrow=scene.rung, confidence_level=scene.confidence_level)
    true = dict(zip(systems, rates, strict=True))
    borrowing = _signs(result, true)
    return np.array([borrowing, borrowing if scene.rung == "none" else _signs(replace(result, borrow="none"), true)])


def _signs(result: Comparison, true: dict[str, float]) -> list[int]:
    """Tell right verdicts from wrong ones; a verdict on two equal systems is wrong."""
    found = {frozenset((pair.first, pair.second)): pair.better for pair in result.pairs}

    def sign(one: str, two: str) -> int:
        better = found[frozenset((one, two))]
        worse = two if better == one else one
        return 0 if better is None else 1 if true[better] > true[worse] else -1

    return [sign(*pair) for pair in combinations(true, 2)]
