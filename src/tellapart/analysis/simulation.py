"""Is the power what the normal form says? The whole decision, simulated: counts drawn, posteriors, verdict."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.special import betaincinv, ndtri

from tellapart.analysis.design import Design, MeasurableDifference
from tellapart.core.counts import Confusion, KnownRates, Tally, as_number, whole
from tellapart.core.evidence import Evidence
from tellapart.core.moments import moments
from tellapart.core.posterior import rate_posterior
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from tellapart.analysis.result import Kind

_LEVEL, _SURE = 0.95, 0.997  # of the interval that is shown; of the one beyond which the normal form is off
_CHUNKS = 20  # the runs are divided so, whatever the number of workers: the seeds and the answer stay the same
_CLEAR = 0.4  # this far from the bound, in standard deviations, the normal approximation cannot be mistaken


@dataclass(frozen=True)
class SimulatedPower:
    """How often a true difference was found in simulated campaigns, and what the normal form says."""

    kind: ClassVar[Kind] = "simulation"
    design: Design
    difference: float
    found: int
    runs: int
    seed: int
    normal_form: float

    @property
    def power(self) -> float:
        """Share of the runs that found the difference, in the right direction."""
        return self.found / self.runs

    @property
    def interval(self) -> tuple[float, float]:
        """Interval of the power, at the 95% level."""
        return self._interval(_LEVEL)

    def _interval(self, level: float) -> tuple[float, float]:
        ends = betaincinv(self.found + 0.5, self.runs - self.found + 0.5, [(1 - level) / 2, (1 + level) / 2])
        return float(ends[0]), float(ends[1])

    @property
    def agrees(self) -> bool:
        """Whether the normal form lies within three standard errors of the simulation."""
        low, high = self._interval(_SURE)
        return low <= self.normal_form <= high

    def __str__(self) -> str:
        """Say it in words."""
        low, high = self.interval
        said = (
            f"In {self.found:,} of {self.runs:,} simulated campaigns a true difference of {100 * self.difference:.1f} "
            f"points was found: power {self.power:.1%} ({_LEVEL:.0%} interval {low:.1%} to {high:.1%})"
        )
        if self.agrees:
            return f"{said}; the normal form says {self.normal_form:.1%}, which agrees."
        return f"{said}; the normal form says {self.normal_form:.1%}: trust the simulation."

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        low, high = self.interval
        return {
            "power": self.power,
            "interval": {"low": low, "high": high, "level": _LEVEL},
            "found": self.found,
            "runs": self.runs,
            "seed": self.seed,
            "normal_form": self.normal_form,
            "agrees": self.agrees,
            "summary": str(self),
        }


def simulate_power(  # noqa: PLR0913 - what a simulation needs
    design: Design,
    difference: float,
    *,
    runs: int = 1000,
    seed: int = 0,
    n_jobs: int = -1,
    progress: Callable[[int], None] = lambda _: None,
) -> SimulatedPower:
    """Simulate campaigns for two systems whose rates lie `difference` apart, around the rate of the design.

    Parameters
    ----------
    design : Design
        The campaign.
    difference : float
        The true difference.
    runs : int
        Number of campaigns.
    seed : int
        Seed; the same answer for any number of workers.
    n_jobs : int
        Processes of joblib, -1 for all cores. Inside `joblib.parallel_config(backend="dask")` the cluster does it.
    progress : callable
        Called with the number of campaigns done.

    Examples
    --------
    >>> design = Design(rate=0.6, tpr=0.9, tnr=0.9, n_human=100, n_metric=0)
    >>> simulate_power(design, 0.2, runs=200, n_jobs=1).agrees
    True
    """
    from joblib import Parallel, delayed  # noqa: PLC0415 - only simulations need it

    gap, number, seed = as_number(difference), whole("runs", runs), whole("seed", seed)
    first, second = design.rate + gap / 2, design.rate - gap / 2
    if not 0 < gap <= 1 or first > 1 or second < 0:
        hint = "both rates, half of it above and half below the design's, must lie between 0 and 1"
        raise InvalidInput.rule("difference", "leave both rates between 0 and 1", difference, hint)
    if not number:
        raise InvalidInput.rule("runs", "be at least 1", runs, "1000 tell a power to 3 points or so")
    sizes = np.diff(np.linspace(0, number, _CHUNKS + 1).astype(int))
    seeds = np.random.SeedSequence(seed).spawn(_CHUNKS)
    tasks = [delayed(_campaigns)(design, (first, second), int(n), s) for n, s in zip(sizes, seeds, strict=True) if n]
    found = 0
    for done, apart in Parallel(n_jobs=n_jobs, return_as="generator_unordered")(tasks):
        found += apart
        progress(done)
    return SimulatedPower(design, gap, found, number, seed, MeasurableDifference(design).power(gap))


def _campaigns(design: Design, rates: tuple[float, float], runs: int, seed: np.random.SeedSequence) -> tuple[int, int]:
    """Return the number of campaigns, and of those in which the first system is found to be better."""
    rng = np.random.default_rng(seed)
    first, second = (draw(design, rate, runs, rng) for rate in rates)
    return runs, sum(_better(a, b, design.confidence_level) for a, b in zip(first, second, strict=True))


def draw(design: Design, rate: float, runs: int, rng: np.random.Generator) -> list[Evidence]:
    """Draw the counts of campaigns for a system with the given rate."""
    human = rng.binomial(design.n_human, rate, runs)
    passed = rng.binomial(design.n_metric, rate * design.tpr + (1 - rate) * (1 - design.tnr), runs)
    tallies = [Tally(int(k), design.n_human) for k in human]
    if not design.n_metric:
        return [Evidence.of(tally) for tally in tallies]
    ratings = [Tally(int(k), design.n_metric) for k in passed]
    if design.known_rates:
        quality = KnownRates(design.tpr, design.tnr)
        return [Evidence.of(t, metric=m, rates=quality) for t, m in zip(tallies, ratings, strict=True)]
    n = design.n_calibration or 0
    own = n == design.n_human and design.calibration_rate == design.rate
    adequate = human if own else rng.binomial(n, design.calibration_rate or 0.0, runs)
    tp, tn = rng.binomial(adequate, design.tpr), rng.binomial(n - adequate, design.tnr)
    confusions = [
        Confusion(int(a), int(p - a), int(b), int(n - p - b)) for a, p, b in zip(tp, adequate, tn, strict=True)
    ]
    return [Evidence.of(t, metric=m, calibration=c) for t, m, c in zip(tallies, ratings, confusions, strict=True)]


@lru_cache(4096)  # the same counts come again within a simulation
def _moments(evidence: Evidence) -> tuple[float, float]:
    return moments(evidence)


def _better(first: Evidence, second: Evidence, confidence_level: float) -> bool:
    """Whether the first is found to be better; the exact probability is computed where it is not clear."""
    (mean1, sd1), (mean2, sd2) = _moments(first), _moments(second)
    z, bound = (mean1 - mean2) / sqrt(sd1**2 + sd2**2), float(ndtri(0.5 + confidence_level / 2))
    if abs(z - bound) > _CLEAR:
        return z > bound
    return rate_posterior(first).greater(rate_posterior(second)) > 0.5 + confidence_level / 2
