"""Intervals of worth and AUC hold the truth as often as they say, in simulated evaluations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from tellapart import worth
from tellapart.analysis.metrics import Rated, rank_metrics

RUNS = 400
pytestmark = pytest.mark.slow


def rated(rng, n, systems, shift, tpr):
    """Draw outputs of systems with the same rate: a score and a verdict."""
    truth = rng.random(n) < 0.6
    verdict = np.where(truth, rng.random(n) < tpr, rng.random(n) < 1 - tpr).astype(float)
    values = {"score": rng.normal(size=n) + shift * truth, "judge": verdict}
    return Rated([f"s{i}" for i in range(systems)], np.arange(n) % systems, truth, values, frozenset({"judge"}))


@pytest.mark.parametrize(("n", "systems"), [(60, 1), (300, 1), (300, 6), (1000, 4)])
@pytest.mark.parametrize(("shift", "tpr"), [(0.5, 0.6), (1.5, 0.8), (2.5, 0.95)])
def test_intervals_cover(n, systems, shift, tpr):
    cuts = np.linspace(-3, 5, 801)
    best = max(worth(0.6, 1 - ndtr(c - shift), ndtr(c)) for c in cuts)
    true = {"score": (best, ndtr(shift / np.sqrt(2))), "judge": (worth(0.6, tpr, tpr), tpr)}
    rng, held = np.random.default_rng([n, systems]), dict.fromkeys([(m, w) for m in true for w in "wa"], 0)
    for _ in range(RUNS):
        found = rank_metrics(rated(rng, n, systems, shift, tpr), unrated={"score": 0, "judge": 0})
        for m in found.metrics:
            for what, span, truth in zip("wa", (m.interval, m.auc_interval), true[m.name], strict=True):
                held[m.name, what] += span.low <= truth <= span.high
    shares = {key: count / RUNS for key, count in held.items()}
    assert min(shares.values()) > 0.95 - 4 * np.sqrt(0.95 * 0.05 / RUNS), shares
