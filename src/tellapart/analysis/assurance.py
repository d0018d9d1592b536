"""What if the guesses are wrong? The chance that a campaign succeeds when rate and metric quality are uncertain."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr, ndtri

from tellapart._version import __version__
from tellapart.analysis.design import Design, MeasurableDifference, large_sample_variance, points, reach
from tellapart.analysis.pilot import Pilot
from tellapart.analysis.result import Result
from tellapart.core.counts import fraction, whole
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    import numpy.typing as npt

    from tellapart.analysis.comparison import Comparison
    from tellapart.core.evidence import Evidence

    Floats = npt.NDArray[np.float64]

_QUANTILES = (0.05, 0.5, 0.95)


@dataclass(frozen=True, repr=False)
class Assurance(Result):
    """A campaign under uncertain guesses: how likely it succeeds, and what it will be able to measure.

    `measurable` are the 5, 50 and 95% points of the measurable difference.
    """

    kind = "assurance"
    design: Design
    difference: float
    probability: float
    measurable: tuple[float, float, float]
    beliefs: str
    draws: int
    seed: int

    @property
    def signature(self) -> str:
        """One line that makes the number reproducible."""
        d = self.design
        return (
            f"tellapart {__version__} | assurance, large-sample form scaled to the exact posterior | {self.beliefs} | "
            f"human {d.n_human}, calibration {d.n_calibration}, metric {d.n_metric} | difference {self.difference:g} | "
            f"level {d.confidence_level:g} | {self.draws} draws, seed {self.seed}"
        )

    def __str__(self) -> str:
        """Say it in words."""
        low, middle, high = (100 * value for value in self.measurable)
        said = (
            f"With what is known ({self.beliefs}), the campaign finds a true difference of {100 * self.difference:.1f} "
            f"points with probability {self.probability:.0%}. That is for one pair of systems, each by itself: nothing "
            "is borrowed across systems, and nothing allows for other pairs."
        )
        if reach(middle / 100) is None:
            return f"{said} It can measure next to nothing."
        most = "nothing at all" if reach(high / 100) is None else f"{high:.1f}"
        return (
            f"{said} The smallest difference that comes out significant will be {middle:.1f} points, between "
            f"{low:.1f} and {most} with 90% probability."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        low, middle, high = self.measurable
        return {
            "probability_of_success": self.probability,
            "difference": self.difference,
            "measurable_difference": {"low": reach(low), "median": reach(middle), "high": reach(high)},
            "beliefs": self.beliefs,
            "draws": self.draws,
            "seed": self.seed,
            "n_human": self.design.n_human,
            "n_metric": self.design.n_metric,
            "n_calibration": self.design.n_calibration,
            "summary": str(self),
            "signature": self.signature,
        }


def assurance(  # noqa: PLR0913 - a design, a goal, and what is believed
    design: Design,
    difference: float,
    *,
    pilot: Pilot | Comparison | Evidence | Mapping[str, Evidence] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    draws: int = 2000,
    seed: int = 0,
) -> Assurance:
    """Return the probability that a campaign finds a difference when its guesses are uncertain.

    Parameters
    ----------
    design : Design
        The campaign; its rate, tpr and tnr are used where nothing else is said.
    difference : float
        The true difference.
    pilot : Comparison, Evidence, or a dictionary of Evidence, optional
        Ratings of a pilot study: rate, tpr and tnr are drawn from their posteriors.
    ranges : mapping, optional
        Intervals for `rate`, `tpr` or `tnr`, of which every value is equally likely.
    draws, seed : int
        Number of draws, and their seed.

    Examples
    --------
    >>> design = Design(rate=0.6, tpr=0.8, tnr=0.8, n_human=300, n_metric=5000)
    >>> round(assurance(design, 0.1, ranges={"tpr": (0.6, 0.95), "tnr": (0.6, 0.95)}).probability, 1)
    0.8
    """
    difference, seed, size = points("difference", difference), whole("seed", seed), whole("draws", draws)
    if not size:
        raise InvalidInput.rule("draws", "be at least 1", draws, "2000 is usual")
    rng = np.random.default_rng(seed)
    values, beliefs = _draw(design, None if pilot is None else Pilot.of(pilot), ranges or {}, size, rng)
    own_calibration = design.calibration_rate == design.rate
    level = float(ndtri(0.5 + design.confidence_level / 2))
    exact, rough = MeasurableDifference(design).sd, large_sample_variance(design)
    scale = exact**2 / rough if 0 < rough < math.inf else 1.0
    sds = []
    for rate, tpr, tnr in zip(*values, strict=True):
        share = rate if own_calibration else design.calibration_rate
        drawn = replace(design, rate=float(rate), tpr=float(tpr), tnr=float(tnr), calibration_rate=share)
        rough = large_sample_variance(drawn)
        sds.append(min(math.sqrt(scale * rough), 1.0) if 0 < rough < math.inf else exact)
    errors = math.sqrt(2) * np.array(sds)
    probability = float(ndtr(difference / np.maximum(errors, 1e-300) - level).mean())
    low, middle, high = np.quantile(level * errors, _QUANTILES)
    return Assurance(design, difference, probability, (float(low), float(middle), float(high)), beliefs, size, seed)


def span(name: str, guess: float | Sequence[float]) -> tuple[float, float]:
    """Return a range from low to high; a number is a range without width."""
    ends = guess if isinstance(guess, Sequence) and len(guess) == 2 else (guess, guess)  # noqa: PLR2004 - a pair
    low, high = (fraction(name, end) for end in ends)
    if low > high:
        raise InvalidInput.rule(name, "run from low to high", guess, f"did you mean from {high:g} to {low:g}?")
    return low, high


def _draw(
    design: Design,
    pilot: Pilot | None,
    ranges: Mapping[str, tuple[float, float]],
    size: int,
    rng: np.random.Generator,
) -> tuple[list[Floats], str]:
    """Return draws of rate, tpr and tnr, and what they rest on."""
    values = {name: np.full(size, getattr(design, name)) for name in ("rate", "tpr", "tnr")}
    said = []
    if pilot is not None:
        values |= pilot.draw(size, rng)
        said.append(f"a pilot with {pilot}")
    if not isinstance(ranges, Mapping) or ranges.keys() - values.keys():
        raise InvalidInput.rule(
            "ranges", f"be ranges of {', '.join(values)}", ranges, "for example {'rate': (0.5, 0.7)}"
        )
    for name, guess in ranges.items():
        low, high = span(name, guess)
        values[name] = rng.uniform(low, high, size)
        said.append(f"{name} between {low:g} and {high:g}" if low < high else f"{name} {low:g}")
    return list(values.values()), ", ".join(said) or "point guesses"
