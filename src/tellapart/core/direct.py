"""Direct estimates of several systems: what each tells by itself, on the scale of logits, for the line through all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.special import logit

from tellapart.core.link import Estimates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tellapart.core.counts import Scale
    from tellapart.core.distribution import Distribution
    from tellapart.core.evidence import Evidence
    from tellapart.core.quadrature import Floats

_CHANCES, _WEIGHTS = (np.array(part) for part in leggauss(64))
_FARTHEST = 12.0  # logits


def estimates(
    systems: Mapping[str, Evidence],
    marginals: Sequence[Distribution],
    correlations: Floats,
    items: Mapping[tuple[str, str], Evidence],
) -> Estimates:
    """Return direct estimates of the systems' rates and of the shares that the metric passes.

    `marginals` are the systems' distributions, each by itself, and `correlations` those of their errors. An error in
    the share is part of that in the rate: with u the rate at each level, the rate moves with the share as u does with
    the levels (γ). Shares go together over systems as the metric's verdicts on the same items do.
    """
    y, sd = np.transpose([_on_logits(one) for one in marginals])
    x, own, gamma = np.transpose([_share(evidence) for evidence in systems.values()])
    names = list(systems)
    cov_f = np.diag(own)
    for pair, evidence in items.items():
        i, j = map(names.index, pair)
        cov_f[i, j] = cov_f[j, i] = _together(evidence) * np.sqrt(own[i] * own[j])
    cov_y = _steadied(correlations, names, items) * np.outer(sd, sd)
    return Estimates(y, x, gamma, cov_f, cov_y - np.outer(gamma, gamma) * cov_f)


def _steadied(correlations: Floats, names: Sequence[str], items: Mapping[tuple[str, str], Evidence]) -> Floats:
    """Draw correlations that are known from few items together, as far as they differ by no more than chance.

    Taken as they come, those of many systems have directions in which next to nothing seems to be unknown.
    """
    found = correlations.copy()
    if not items:
        return found
    i, j = (np.array([names.index(pair[side]) for pair in items]) for side in (0, 1))
    seen = correlations[i, j]
    chance = np.mean((1 - seen**2) ** 2 / np.array([max(evidence.n_human, 1) for evidence in items.values()]))
    share = min(1.0, float(chance / max(np.var(seen), 1e-12)))
    found[i, j] = found[j, i] = share * seen.mean() + (1 - share) * seen
    return found


def _on_logits(distribution: Distribution) -> tuple[float, float]:
    """Return mean and standard deviation of the logit of the place between the ends of the scale."""
    at = distribution.quantile((_CHANCES + 1) / 2)
    place = (np.asarray(at) - distribution.low) / (distribution.high - distribution.low)
    with np.errstate(divide="ignore"):
        x = np.clip(logit(place), -_FARTHEST, _FARTHEST)
    mean = float(_WEIGHTS @ x) / 2
    return mean, float(np.sqrt(_WEIGHTS @ (x - mean) ** 2 / 2))


def _share(evidence: Evidence) -> tuple[float, float, float]:
    """Return the logit of the share that the metric passes, its variance, and γ."""
    own = evidence.own
    seen = np.array(own.both, dtype=float)
    levels, values, truth = seen.sum(axis=0) + own.metric_only, _places(own.metric), _places(own.truth)
    total = levels.sum()
    share = (levels @ values + 1) / (total + 2)
    shares = levels / max(total, 1)
    spread = max(float(shares @ (values - shares @ values) ** 2), 1 / (total + 2))
    variance = spread / (total + 1) / (share * (1 - share)) ** 2
    if not seen.sum():
        return float(logit(share)), float(variance), 0.0
    given = (truth @ seen + 0.5) / (seen.sum(axis=0) + 1)
    rate = float(shares @ given)
    moves = float(shares @ ((values - shares @ values) * (given - rate))) / spread
    return float(logit(share)), float(variance), moves * share * (1 - share) / (rate * (1 - rate))


def _places(scale: Scale) -> Floats:
    """Return the values of a scale, from 0 to 1."""
    values = np.array(scale.values)
    found: Floats = (values - values.min()) / np.ptp(values)
    return found


def _together(evidence: Evidence) -> float:
    """Return the correlation of the metric's verdicts on two systems' outputs for the same items; 0 if not known."""
    own = evidence.own
    if own.metric != own.truth:  # not both verdicts
        return 0.0
    neither, second, first, both = np.array(own.both).sum(axis=0) + own.metric_only
    sizes = (both + first) * (neither + second), (both + second) * (neither + first)
    return float((both * neither - first * second) / np.sqrt(max(float(sizes[0]) * float(sizes[1]), 1.0)))
