"""Distributions known by weighted draws: where people tell more than two classes apart and nothing exact is known.

The target is Π_k q_k^{Q_k−1} · Π_ck u_ck^{U_ck−1} · Π_c π_c^{δ_c}, with π_c = Σ_k q_k u_ck and δ ≠ 0. Three ways lead
there; each says how many independent draws its draws are worth, and too few are refused: they look like confidence.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from tellapart.core.dirichlet import TableContour
from tellapart.core.distribution import Distribution, as_given
from tellapart.core.intervals import Interval, shortest_by_trial
from tellapart.core.quadrature import TINY
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from tellapart.core.quadrature import Floats

LEAST, _PLENTY = 500, 20_000  # effective draws: fewer are refused, more are not looked for
_WHOLE = 1e-9  # how far sums of fractions are from whole numbers
_SIZE = 200_000
_CHAINS, _BURN, _KEPT = 500, 60, 400
_HEAVIEST = 1e-3  # share of one draw: beyond, weights have a long tail of which the draws know little
FAR = 2.2  # from draws, times the root of their number: chance comes as far once in 8,000 times
SEED = 20221207  # of every draw of the core: the same ratings, the same answer
_SCORES = np.linspace(-7.0, 7.0, 141)  # where the exact distribution of draws is looked at, in standard deviations


class Draws(Distribution):
    """A distribution known by weighted draws; `effective` is how many independent ones they are worth."""

    def __init__(self, values: Floats, weights: Floats, effective: float, support: tuple[float, float]) -> None:
        order = np.argsort(values, kind="stable")
        self._values, self._weights = values[order], weights[order] / weights.sum()
        self._below = np.cumsum(self._weights) - self._weights / 2
        self.effective, (self.low, self.high) = effective, support

    @property
    def mean(self) -> float:
        """Expected value."""
        return float(self._weights @ self._values)

    @property
    def sd(self) -> float:
        """Standard deviation."""
        return float(np.sqrt(self._weights @ (self._values - self.mean) ** 2))

    @property
    def probability_error(self) -> float:
        """Standard error of P(positive): that of a share of so many independent draws."""
        return float(np.sqrt(self.probability_positive * (1 - self.probability_positive) / self.effective))

    def cdf_and_pdf(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the distribution function, and its slope over a small distance."""
        step = 0.1 * self.sd
        return self._cdf(x), (self._cdf(x + step) - self._cdf(x - step)) / (2 * step)

    def _cdf(self, x: Floats) -> Floats:
        below: Floats = np.interp(x, self._values, self._below, left=0.0, right=1.0)
        return below

    def quantile(self, probability: float | Floats) -> Floats:
        """Value below which the given probability lies."""
        wanted = np.ravel(np.asarray(probability, dtype=float))
        return as_given(np.interp(wanted, self._below, self._values), probability)

    def _shortest(self, level: float) -> Interval:
        return shortest_by_trial(self.quantile, level)


def draws(classes: Floats, cells: Floats, counts: Floats, values: Floats) -> Draws:
    """Draw from the posterior of v·π, by whichever way is good enough.

    Parameters
    ----------
    classes : array
        Prior and human ratings of each class.
    cells : array
        Prior and calibration of each level given each class.
    counts : array
        Ratings by the metric alone.
    values : array
        v, one value for each class.
    """
    drawn = _drawn(tuple(classes), tuple(map(tuple, cells)), tuple(counts))
    found = drawn.shares @ values
    if drawn.table is not None:
        found = _evenly(found, TableContour(*drawn.table, values))
    weights = drawn.weights
    if _mirrored(classes, cells, counts, values):
        found, weights = np.concatenate([found, -found]), np.concatenate([weights, weights])
    return Draws(found, weights, drawn.effective, (float(values.min()), float(values.max())))


def _mirrored(classes: Floats, cells: Floats, counts: Floats, values: Floats) -> bool:
    """Whether ratings say the same with all signs turned, as of two systems that were rated alike: chance must, too."""
    swap = np.empty(len(values), dtype=np.intp)
    swap[np.argsort(values, kind="stable")] = np.argsort(-values, kind="stable")
    if not (np.array_equal(values[swap], -values) and np.array_equal(classes[swap], classes)):
        return False
    levels = (sorted(zip(*rows, counts, strict=True)) for rows in (cells.tolist(), cells[swap].tolist()))
    return next(levels) == next(levels)


class _Drawn(NamedTuple):
    """Draws of π with their weights, how many independent ones they are worth, and the table they come from, if any."""

    shares: Floats
    weights: Floats
    effective: float
    table: tuple[Floats, Floats] | None = None


def _evenly(values: Floats, exact: TableContour) -> Floats:
    """Move draws, each by little, to where as many quantiles of their distribution lie; chance is left in weights only.

    Draws that differ from it by more than chance stay: then it is not resolved.
    """
    order, n = np.argsort(values), len(values)
    grid = exact.mean + exact.sd * _SCORES
    grid = grid[(grid > exact.low) & (grid < exact.high)]
    cdf = exact.cdf(grid)
    seen = np.searchsorted(values[order], grid) / n
    inside = (cdf > 0) & (cdf < 1)
    if np.abs(cdf - seen).max() * np.sqrt(n) > FAR or np.diff(cdf[inside]).min() <= 0:
        return values
    moved = np.empty(n)
    moved[order] = np.interp(ndtri((np.arange(n) + 0.5) / n), ndtri(cdf[inside]), grid[inside])
    return moved


@lru_cache(maxsize=2)  # wins, ties and losses of one pair are asked for one after the other
def _drawn(*given: tuple[Any, ...]) -> _Drawn:
    classes, cells, counts = (np.array(part, dtype=float) for part in given)
    rng = np.random.default_rng(SEED)
    delta = classes - cells.sum(axis=1)
    whole = bool(delta.any() and np.all(delta > -_WHOLE) and np.abs(delta - np.round(delta)).max() < _WHOLE)
    ways = [_impute] * whole + [_weigh] + [_solve] * (len(cells) == cells.shape[1])
    found = ways[0](classes, cells, counts, rng)
    for way in ways[1:]:
        if found.effective >= _PLENTY:
            break
        found = max(found, way(classes, cells, counts, rng), key=lambda each: each.effective)
    if found.effective < LEAST:
        hint = "have people rate a random sample of the metric's own outputs, and give these as rated by both"
        raise InvalidInput.rule("evidence", f"allow for {LEAST} effective draws", round(found.effective), hint)
    return found


def _dirichlet(parameters: Floats, rng: np.random.Generator) -> Floats:
    """Draw along the first axis of the parameters."""
    gammas = np.maximum(rng.standard_gamma(np.broadcast_to(parameters, (_SIZE, *parameters.shape))), TINY)
    shares: Floats = gammas / gammas.sum(axis=1, keepdims=True)
    return shares


def _weigh(classes: Floats, cells: Floats, counts: Floats, rng: np.random.Generator) -> _Drawn:
    """Draw from independent Dirichlets moved to the target's mode, and weigh.

    Π π_c^{δ_c} is tangent to Π p_ck^{e_ck} with p = q u and e_ck = δ_c p_ck/π_c; moving the parameters by e and
    weighing by what is left is right for every e.
    """
    shapes, delta = counts + cells.sum(axis=0), classes - cells.sum(axis=1)
    moved = np.zeros_like(cells)
    for _ in range(60):
        p = (cells + moved) / (cells + moved).sum(axis=0) * (shapes + moved.sum(axis=0))
        moved = 0.5 * moved + 0.5 * np.maximum(delta[:, None] * p / p.sum(axis=1, keepdims=True), -0.5 * cells)
    table = shapes + moved.sum(axis=0), cells + moved
    q = _dirichlet(table[0], rng)
    p = q[:, None, :] * _dirichlet(table[1], rng)
    shares = p.sum(axis=2)
    logs = np.log(np.maximum(shares, TINY)) @ delta - (np.log(np.maximum(p, TINY)) * moved).sum(axis=(1, 2))
    return _Drawn(shares, *_normalised(logs), table)


def _solve(classes: Floats, cells: Floats, counts: Floats, rng: np.random.Generator) -> _Drawn:
    """Draw how the metric errs and what shares it gives, and solve for the shares of the classes."""
    rates = np.swapaxes(_dirichlet(cells.T, rng), 1, 2)  # one row a class
    q = _dirichlet(counts + 1, rng)
    shares = np.linalg.solve(np.swapaxes(rates, 1, 2), q[:, :, None])[:, :, 0]
    possible = np.all(shares > 0, axis=1)
    logs = np.full(_SIZE, -np.inf)
    logs[possible] = np.log(shares[possible]) @ (classes - 1) - np.log(np.abs(np.linalg.det(rates[possible])))
    return _Drawn(np.where(possible[:, None], shares, 1 / len(classes)), *_normalised(logs))


def _normalised(logs: Floats) -> tuple[Floats, float]:
    if not np.isfinite(logs.max()):
        return np.ones(len(logs)), 0.0
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    return weights, float(1 / (weights @ weights)) if weights.max() < _HEAVIEST else 0.0


def _impute(classes: Floats, cells: Floats, counts: Floats, rng: np.random.Generator) -> _Drawn:
    """Give the outputs that people alone rated, δ of them, the levels they may have had, again and again (Gibbs)."""
    shapes, people = counts + cells.sum(axis=0), np.round(classes - cells.sum(axis=1)).astype(np.int64)
    levels = np.broadcast_to(people[:, None] / cells.shape[1], (_CHAINS, *cells.shape))
    kept = np.empty((_KEPT, _CHAINS, len(cells)))
    for i in range(-_BURN, _KEPT):
        q = rng.standard_gamma(shapes + levels.sum(axis=1))
        u = np.maximum(rng.standard_gamma(cells + levels), TINY)
        p = (q / q.sum(axis=1, keepdims=True))[:, None, :] * u / u.sum(axis=1, keepdims=True)
        shares = p.sum(axis=2, keepdims=True)
        levels = rng.multinomial(people, p / shares).astype(float)
        if i >= 0:
            kept[i] = shares[..., 0]
    return _Drawn(kept.reshape(-1, len(cells)), np.ones(_KEPT * _CHAINS), _independent(kept))


def _independent(kept: Floats) -> float:
    """Return how many independent draws chains are worth: from the variance of their means."""
    between, within = kept.mean(axis=0).var(axis=0, ddof=1), kept.var(axis=(0, 1))
    return float((within / np.maximum(between, TINY)).min() * kept.shape[1])
