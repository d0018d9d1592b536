"""What verdicts are worth within systems, and the Bayesian bootstrap of that (Rubin 1981)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tellapart.core.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]
    Whole = npt.NDArray[np.intp]

_CELLS = 4_000_000  # weights held at a time
_DRAWS = 200, 1000
_PRIOR = 0.5  # of each cell, truth by verdict: Beta(1, 1) of the rate, Beta(½, ½) of tpr and tnr


@dataclass(frozen=True)
class Rated:
    """The human-rated outputs: system, by its number, truth, and what each candidate says, NaN where nothing."""

    names: Sequence[str]
    system: Whole
    truth: Bools
    values: Mapping[str, Floats]
    binary: frozenset[str]  # candidates that are verdicts already


def worth(rated: Rated, verdict: Bools, there: Bools) -> float:
    """Return κ of verdicts on the outputs that are there."""
    return float(_kappa(_moments(counted(rated, verdict, there)).sum(axis=1)))


def counted(rated: Rated, verdict: Bools, there: Bools) -> Floats:
    """Count outputs by system, truth and verdict."""
    cells = (4 * rated.system + 2 * rated.truth + verdict)[there]
    return np.bincount(cells, minlength=4 * len(rated.names)).reshape(-1, 2, 2).astype(float)


def _moments(counts: Floats) -> Floats:
    """Return C, V_x and V_y of counts by truth and verdict, the last two dimensions."""
    truth, passed, n = counts.sum(axis=-1), counts.sum(axis=-2), counts.sum(axis=(-2, -1))
    n = np.where(n > 0, n, 1)
    covariance = counts[..., 1, 1] - truth[..., 1] * passed[..., 1] / n
    return np.stack([covariance, passed[..., 0] * passed[..., 1] / n, truth[..., 0] * truth[..., 1] / n])


def _kappa(moments: Floats) -> Floats:
    """Return κ = C²/(V_x·V_y), each summed over systems; nothing where the verdict is turned round."""
    covariance, spread = np.maximum(moments[0], 0), moments[1] * moments[2]
    worths: Floats = np.minimum(covariance**2 / np.where(spread > 0, spread, 1), 1)
    return worths


def enough(rated: Rated) -> int:
    """Return how many draws are made: fewer where outputs are many."""
    return int(np.clip(_CELLS // max(len(rated.truth), 1), *_DRAWS))


def draw(rated: Rated, verdicts: Sequence[tuple[Bools, Bools]], draws: int, seed: int) -> Floats:
    """Draw the worths of verdicts, one row each, by weights of the outputs that all of them share.

    Each verdict has a product of matrices of its own: alike verdicts then have alike draws, to the last digit.
    """
    rng, shape = np.random.default_rng([seed, 1]), (draws, len(verdicts), 4)
    moments, size = np.zeros((3, *shape[:2])), max(1, _CELLS // draws)
    order = np.argsort(rated.system, kind="stable")
    for own in np.split(order, np.cumsum(np.bincount(rated.system, minlength=len(rated.names)))[:-1]):
        counts = np.repeat(rng.gamma(_PRIOR / len(rated.names), size=(draws, 1, 4)), len(verdicts), axis=1)
        for part in np.split(own, range(size, len(own), size)):
            weights = rng.standard_exponential((draws, len(part)), dtype=np.float32)
            for i, (verdict, there) in enumerate(verdicts):
                cells = np.zeros((len(part), 4), dtype=np.float32)
                cells[np.arange(len(part)), 2 * rated.truth[part] + verdict[part]] = there[part]
                counts[:, i] += weights @ cells
        moments += _moments(counts.reshape(*shape[:2], 2, 2))
    return _kappa(moments).T


def span(drawn: Floats, level: float, *points: float) -> Interval:
    """Return the interval with equal tails, and the point in it."""
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(min(low, *points, high)), float(max(high, *points, low)))
