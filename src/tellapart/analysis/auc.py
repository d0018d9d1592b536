"""How well scores order outputs within systems: the AUC and its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit, ndtri

from tellapart.core.intervals import Interval

if TYPE_CHECKING:
    from tellapart.analysis.bootstrap import Bools, Floats, Whole


def within(values: Floats, truth: Bools, system: Whole) -> tuple[float, float]:
    """Return the mean AUC of systems with both kinds of outputs and its variance (DeLong et al. 1988).

    Weighted by n₁n₀/n, as systems weigh in κ.
    """
    weights, areas, variances = [], [], []
    for s in np.unique(system):
        own = system == s
        good, bad = np.sort(values[own & truth]), np.sort(values[own & ~truth])
        if not (len(good) and len(bad)):
            continue
        above, below = _placed(good, bad), 1 - _placed(bad, good)
        area = above.mean()
        parts = [p.var(ddof=1) if len(p) > 1 else area * (1 - area) for p in (above, below)]
        weights.append(len(good) * len(bad) / (len(good) + len(bad)))
        areas.append(area)
        variances.append(parts[0] / len(good) + parts[1] / len(bad))
    w = np.array(weights) / np.sum(weights)
    return float(w @ areas), float(w**2 @ variances)


def _placed(scores: Floats, others: Floats) -> Floats:
    """Return the share of others below each score, ties counted half."""
    sides = np.searchsorted(others, scores, "left") + np.searchsorted(others, scores, "right")
    placed: Floats = sides / (2 * len(others))
    return placed


def interval(area: float, variance: float, sizes: tuple[int, int], level: float) -> Interval:
    """Return DeLong's interval on the logit scale; where it has no width, the score interval of Newcombe (2006)."""
    z = float(ndtri((1 + level) / 2))
    if 0 < area < 1 and variance > 0:
        half = z * np.sqrt(variance) / (area * (1 - area))
        return Interval(float(expit(logit(area) - half)), float(expit(logit(area) + half)))
    a, (n1, n0) = np.linspace(0, 1, 2001), sizes
    more = (sum(sizes) / 2 - 1) * ((1 - a) / (2 - a) + a / (1 + a))
    inside = a[(area - a) ** 2 <= z**2 * a * (1 - a) * (1 + more) / (n1 * n0) + 1e-12]
    return Interval(float(min(inside[0], area)), float(max(inside[-1], area)))
