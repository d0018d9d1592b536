"""Direct estimates of several systems: what each tells by itself, on the scale of logits, for the line through all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.special import logit

from tellapart.core.link import Estimates, positive

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tellapart.core.counts import Scale
    from tellapart.core.distribution import Distribution
    from tellapart.core.evidence import Evidence
    from tellapart.core.joint import SameItems
    from tellapart.core.quadrature import Floats

_CHANCES, _WEIGHTS = (np.array(part) for part in leggauss(64))
_FARTHEST = 12.0  # logits
_MOST_TOLD = 0.99  # correlation of the errors of a system's rate and share: people may have rated more than the metric
_BOTH = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])  # of two systems: neither, second, first, both


def estimates(systems: Mapping[str, Evidence], marginals: Sequence[Distribution], below: SameItems) -> Estimates:
    """Return direct estimates of the systems' rates and of the shares that the metric passes.

    `marginals` are the systems' distributions, each by itself, and `below` tells what is known of them item by item: by
    how much that moves them, and how their errors go together. An error in the share is part of that in the rate: with
    u the rate at each level, the rate moves with the share as u does with the levels (γ). On the same items, shares go
    together over systems as the metric's values do; and where people find an output better than its value, the metric
    may like another system's output the more, for the item is an easy one. With both, the errors of y and
    x have the covariance C, and Γ = C·cov(f)⁻¹. A metric that fails what people pass is turned around.
    """
    y, sd = np.transpose([_on_logits(*one) for one in zip(marginals, below.shifts, strict=True)])
    x, own, gamma, rest = np.transpose([_share(evidence) for evidence in systems.values()])
    gamma = np.clip(gamma, *(_MOST_TOLD * sd / np.sqrt(own) * np.array([[-1], [1]])))
    names, items, correlations = list(systems), below.items, below.correlations.copy()
    cov_f, beyond = np.diag(own), np.zeros((len(names), len(names)))
    if items:
        i, j = (np.array([names.index(pair[side]) for pair in items]) for side in (0, 1))
        values, *across = np.transpose([seen_together(evidence) or (0.0, 0.0, 0.0) for evidence in items.values()])
        cov_f[i, j] = cov_f[j, i] = values * np.sqrt(own[i] * own[j])
        n = np.array([max(evidence.n_human, 1) for evidence in items.values()])
        correlations[i, j] = correlations[j, i] = _steadied(correlations[i, j], n)
        beyond[i, j], beyond[j, i] = _steadied(np.array(across), n)
        cov_f = positive(cov_f)
    with_shares = gamma[:, None] * cov_f + beyond * np.outer(rest, np.sqrt(own))
    moves, sign = np.linalg.solve(cov_f, with_shares.T).T, -1 if gamma.sum() < 0 else 1
    return Estimates(y, sign * x, sign * moves, cov_f, correlations * np.outer(sd, sd) - moves @ with_shares.T)


def _steadied(seen: Floats, n: Floats) -> Floats:
    """Draw correlations that are known from few items together, as far as they differ by no more than chance.

    Taken as they come, those of many systems have directions in which next to nothing seems to be unknown.
    """
    chance = np.mean((1 - seen**2) ** 2 / n)
    share = min(1.0, float(chance) / max(float(np.var(seen)), 1e-12))
    found: Floats = share * seen.mean() + (1 - share) * seen
    return found


def _on_logits(distribution: Distribution, shift: float) -> tuple[float, float]:
    """Return mean and standard deviation of the logit of the place between the ends of the scale; the mean, moved."""
    length = distribution.high - distribution.low
    at = distribution.quantile((_CHANCES + 1) / 2)
    with np.errstate(divide="ignore"):
        x = np.clip(logit((np.asarray(at) - distribution.low) / length), -_FARTHEST, _FARTHEST)
    mean, place = float(_WEIGHTS @ x) / 2, (distribution.mean - distribution.low) / length
    moved = mean + shift / length / (place * (1 - place))
    return float(np.clip(moved, -_FARTHEST, _FARTHEST)), float(np.sqrt(_WEIGHTS @ (x - mean) ** 2 / 2))


def _share(evidence: Evidence) -> tuple[float, float, float, float]:
    """Return the logit of the share that the metric passes, its variance, and γ.

    And the standard deviation of what the levels leave open of an output, on the scale of the logit of the rate, by
    the root of the number of outputs that the metric rated.
    """
    own = evidence.own
    seen = np.array(own.both, dtype=float)
    levels, values, truth = seen.sum(axis=0) + own.metric_only, _places(own.metric), _places(own.truth)
    total = levels.sum()
    share = (levels @ values + 1) / (total + 2)
    shares = levels / max(total, 1)
    spread = max(float(shares @ (values - shares @ values) ** 2), 1 / (total + 2))
    variance = spread / (total + 1) / (share * (1 - share)) ** 2
    if not seen.sum():
        return float(logit(share)), float(variance), 0.0, 0.0
    given = (truth @ seen + 0.5) / (seen.sum(axis=0) + 1)
    rate = float(shares @ given)
    moves = float(shares @ ((values - shares @ values) * (given - rate))) / spread
    scale = rate * (1 - rate)
    squares = (truth**2 @ seen + 0.5) / (seen.sum(axis=0) + 1)
    left = max(float(shares @ squares) - rate**2 - moves**2 * spread, 0.0)  # of an output, given a line in the values
    rest = np.sqrt(left / max(total, 1)) / scale
    return float(logit(share)), float(variance), moves * share * (1 - share) / scale, float(rest)


def _places(scale: Scale) -> Floats:
    """Return the values of a scale, from 0 to 1."""
    values = np.array(scale.values)
    found: Floats = (values - values.min()) / np.ptp(values)
    return found


def seen_together(evidence: Evidence) -> tuple[float, float, float] | None:
    """Return how two systems' outputs for the same items go together, where that is known."""
    own = evidence.own
    if evidence.together or own.metric != own.truth:  # not both verdicts
        return evidence.together
    n = np.append(np.array(own.both, dtype=float).ravel(), own.metric_only)
    truth, passed = np.divmod(np.arange(n.size), len(_BOTH))
    truths = np.where(truth[:, None] < len(_BOTH), _BOTH[truth % len(_BOTH)], np.nan)
    return together(n, truths, _BOTH[passed])


def together(n: Floats, truths: Floats, values: Floats) -> tuple[float, float, float]:
    """Return how the metric's values of two systems' outputs for the same items go together.

    The correlation of both; and that of what one system's value leaves open of people's rating of its output with the
    value of the other's, for the first system and for the second. `n` counts items, and there are two columns of
    people's ratings and of values, not numbers where there are none.
    """
    there = np.isfinite(values).all(axis=1)
    both = there & np.isfinite(truths).all(axis=1)
    (one, two), (x, y) = truths[both].T, values[both].T
    return _correlation(n[there], *values[there].T), _partial(n[both], one, x, y), _partial(n[both], two, y, x)


def _correlation(n: Floats, one: Floats, two: Floats) -> float:
    """Return the correlation of two numbers that come so many times; 0 where one is always the same."""
    total = max(float(n.sum()), 1.0)
    a, b = (part - n @ part / total for part in (one, two))
    return float(n @ (a * b) / np.sqrt(max(float(n @ a**2) * float(n @ b**2), 1e-300)))


def _partial(n: Floats, truth: Floats, own: Floats, other: Floats) -> float:
    """Return the correlation of what is left of `truth`, given `own`, with `other`."""
    total = max(float(n.sum()), 1.0)
    a, b = (part - n @ part / total for part in (truth, own))
    return _correlation(n, a - float(n @ (a * b)) / max(float(n @ b**2), 1e-300) * b, other)
