"""The e-process: right by definition, and how it behaves over a year of nightly runs."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.special import comb

from tellapart.core.sequential import process


def brute(positives, totals, t):
    """Return the ratio of run t by a plain sum over changes, with numerical integrals of the rates."""
    x = (np.arange(20000) + 0.5) / 20000
    prior = 1 / np.sqrt(x * (1 - x)) / np.pi / 20000

    def mean(runs):
        k, n = sum(positives[i] for i in runs), sum(totals[i] for i in runs)
        return float((prior * x**k * (1 - x) ** (n - k)).sum() / prior.sum())

    found = mean(range(t)) / t
    found += sum(mean(range(c - 1)) * mean(range(c - 1, t)) / (c * (c - 1)) for c in range(2, t + 1))
    k, n = sum(positives[:t]), sum(totals[:t])
    return found / ((k / n) ** k * (1 - k / n) ** (n - k))


def test_the_process_is_the_ratio_that_it_says():
    k, n = [5, 6, 4, 1, 0], [8, 8, 7, 8, 6]
    found = process(k, n)
    for t in range(1, 6):
        assert math.exp(found.logs[t - 1]) == pytest.approx(brute(k, n, t), rel=2e-2)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.83])
def test_the_mean_is_at_most_one_whatever_the_rate(rate):
    """Every outcome of three runs of two trials, by its probability."""
    total = 0.0
    for k in product(range(3), repeat=3):
        chance = math.prod(comb(2, j) * rate**j * (1 - rate) ** (2 - j) for j in k)
        total += chance * math.exp(process(k, [2] * 3).logs[-1])
    assert total <= 1


def test_a_change_is_found_where_it_was():
    k = [80] * 10 + [55] * 5
    found = process(k, [100] * 15)
    assert found.logs[9] < 0
    assert found.logs[-1] > math.log(1000)
    assert found.changes[-1] == 11


def test_runs_without_ratings_change_nothing():
    some = process([8, 7, 2], [10, 10, 10])
    gaps = process([8, 7, 0, 2], [10, 10, 0, 10])
    assert gaps.logs[2] <= some.logs[1] + 1e-9
    assert np.isfinite(gaps.logs).all()


@pytest.mark.slow
@pytest.mark.parametrize(("rate", "n"), [(0.8, 200), (0.5, 20), (0.98, 50)])
def test_a_year_of_nights_without_a_change(rate, n):
    rng = np.random.default_rng(20221207)
    alarms = [process(rng.binomial(n, rate, 365), [n] * 365).logs.max() > math.log(20) for _ in range(25)]
    assert np.mean(alarms) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 25)
