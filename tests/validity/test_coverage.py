"""The guarantee itself: intervals cover as often as they say, and equal systems are rarely told apart."""

from __future__ import annotations

import numpy as np
import pytest

from tellapart import Confusion, Evidence, Metric, Tally, compare, estimate

pytestmark = pytest.mark.slow

RUNS = 1000


def draw(rng: np.random.Generator, rate: float, tpr: float, tnr: float) -> Evidence:
    """Human-rated outputs, which also calibrate, and metric ratings of others."""
    n_human, n_metric = 50, 1000
    positive = int(rng.binomial(n_human, rate))
    tp, tn = int(rng.binomial(positive, tpr)), int(rng.binomial(n_human - positive, tnr))
    passed = int(rng.binomial(n_metric, rate * tpr + (1 - rate) * (1 - tnr)))
    confusion = Confusion(tp=tp, fn=positive - tp, tn=tn, fp=n_human - positive - tn)
    return Evidence(Tally(positive, n_human), (Metric.binary(Tally(passed, n_metric), confusion),))


@pytest.mark.parametrize(("rate", "tpr", "tnr"), [(0.6, 0.7, 0.7), (0.95, 0.9, 0.7), (0.3, 0.62, 0.58)])
def test_interval_covers(rate: float, tpr: float, tnr: float) -> None:
    """95 % intervals cover 94 to 97 % of the time; the band adds three standard errors of the simulation."""
    rng = np.random.default_rng(20221207)
    covered = 0
    for _ in range(RUNS):
        evidence = draw(rng, rate, tpr, tnr)
        metric = evidence.metrics[0]
        result = estimate(human=evidence.human, calibration=metric.confusion, metric=(metric.counts[1], metric.total))
        covered += result.interval.low <= rate <= result.interval.high
    error = 3 * np.sqrt(0.95 * 0.05 / RUNS)
    assert 0.94 - error <= covered / RUNS <= 0.97 + error


def test_equal_systems_are_rarely_told_apart() -> None:
    """At the 95 % level, false verdicts stay near 5 %, even where the metric errs differently by system."""
    rng = np.random.default_rng(5)
    verdicts = 0
    for _ in range(RUNS // 2):
        first = draw(rng, 0.6, 0.9, 0.8)
        second = draw(rng, 0.6, 0.8, 0.85)
        verdicts += compare({"first": first, "second": second}).pairs[0].distinguishable
    error = 3 * np.sqrt(0.05 * 0.95 / (RUNS // 2))
    assert verdicts / (RUNS // 2) <= 0.05 + error
