"""The posterior of v·π where people tell more than two classes apart: win, tie, loss; two systems on one item; 1 to 5.

With the prior one Dirichlet over the table of classes by levels, and a random sample of outputs rated by both, nothing
latent is left: the shares of the levels and, within each, those of the classes are independent (docs/theory.md).
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from tellapart.core.dirichlet import DirichletMixture, TableContour
from tellapart.core.draws import FAR, SEED, draws
from tellapart.errors import InvalidInput
from tellapart.said import Option, Said

if TYPE_CHECKING:
    from tellapart.core.distribution import Distribution
    from tellapart.core.evidence import Evidence
    from tellapart.core.prior import Prior
    from tellapart.core.quadrature import Floats

_MOST_TERMS = 1e7  # of the sum over latent classes of the outputs that the metric alone rated
_SEEN = 3.0  # outputs of each class, prior included: with fewer, the distribution may have peaks that are not resolved
_CHECKED = 50_000  # draws
_NEVER = 1e-6  # by which a distribution function may fall


def classes_posterior(evidence: Evidence, prior: Prior, values: Floats) -> Distribution:
    """Return the distribution of v·π, exact but for draws where separate or further human ratings are many.

    Or where a class was hardly ever seen and the exact way does not resolve what follows. Balanced outputs of its own
    are refused: what they leave of each class among the rest is not known to any of these ways.
    """
    if evidence.sampling == "balanced" and evidence.n_human:
        rule = "be random or by-metric where people tell more than two classes apart"
        hint = "rate a random sample; or, if adequate and inadequate ones were balanced, say which are adequate: "
        raise InvalidInput.rule("sampling", rule, "balanced", Said(hint, Option("human_cut")))
    own = evidence.own
    class_prior, cell_prior = (np.array(part, dtype=float) for part in prior.table(evidence.classes, evidence.levels))
    cells = cell_prior + np.array(evidence.calibration, dtype=float).reshape(cell_prior.shape)
    classes = cells.sum(axis=1) if evidence.sampling == "by-metric" else class_prior + np.array(own.truths, dtype=float)
    return table_posterior(classes, cells, np.array(own.metric_only, dtype=float), values)


def table_posterior(classes: Floats, cells: Floats, counts: Floats, values: Floats) -> Distribution:
    """Return the distribution of v·π given parameters of classes, of levels given these, and the metric's counts."""
    if not counts.sum():
        return DirichletMixture(np.ones(1), classes[None], values)
    delta = classes - cells.sum(axis=1)
    if np.abs(delta).max() < 1e-9:  # noqa: PLR2004 - sums of fractions
        found, sums = TableContour(counts + cells.sum(axis=0), cells, values), cells.sum(axis=1)
        return found if sums.min() >= _SEEN or _holds(found) else draws(sums, cells, counts, values)
    if ((counts + 1) ** (len(cells) - 1)).sum() * (counts.sum() + 1) ** (len(cells) - 1) < _MOST_TERMS:
        return DirichletMixture(*_latent(classes, cells, counts), values)
    return draws(classes, cells, counts, values)


def _holds(found: TableContour) -> bool:
    """Whether draws bear a distribution out. They are independent and need no integral, only many."""
    drawn = np.sort(found.sample(_CHECKED, np.random.default_rng(SEED)))
    places = drawn[_CHECKED // 40 :: _CHECKED // 20]
    cdf = found.cdf(places)
    low, high = (np.searchsorted(drawn, places, side) / _CHECKED for side in ("left", "right"))
    far = np.maximum(low - cdf, cdf - high).max() * np.sqrt(_CHECKED)
    return bool(far < FAR and np.diff(cdf).min() >= -_NEVER)


def _latent(classes: Floats, cells: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Return weights and parameters of the mixture over the latent numbers of each class: the sum in full."""
    free, n = len(cells) - 1, int(counts.sum())
    found = np.zeros((1,) * free)
    found[(0,) * free] = 1.0
    for parameters, count in zip(cells.T, counts, strict=True):
        grown = np.zeros(tuple(size + int(count) for size in found.shape))
        for part in product(range(int(count) + 1), repeat=free):
            last = count - sum(part)
            if last < 0:
                continue
            latent = np.array([*part, last])
            ways = gammaln(parameters + latent) - gammaln(parameters) - gammaln(latent + 1)
            place = tuple(slice(p, p + size) for p, size in zip(part, found.shape, strict=True))
            grown[place] += found * np.exp(ways.sum() - (gammaln(parameters.sum() + count) - gammaln(count + 1)))
        found = grown / grown.max()
    firsts = np.argwhere(found > 0)
    latent = np.column_stack([firsts, n - firsts.sum(axis=1)])
    logs = np.log(found[tuple(firsts.T)])
    logs += (gammaln(classes + latent) - gammaln(cells.sum(axis=1) + latent)).sum(axis=1)
    weights = np.exp(logs - logs.max())
    return weights / weights.sum(), classes + latent
