"""Classes × levels: intervals cover as often as they say, and pairing finds more.

Theory and thousands of replications: docs/theory.md. Here fewer, with bands of three standard errors.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

from tellapart import Difference, Evidence, Levels, posterior
from tellapart.core.counts import ADEQUACY, OUTCOME, Counts, Scale

pytestmark = pytest.mark.slow

RUNS = 100 if "CI" in os.environ else 400
PATTERNS = Scale(("00", "01", "10", "11"), (0.0, 1.0, 1.0, 2.0))  # of two judges, by how many pass an output
PAIRED = Scale(("both wrong", "second", "first", "both right"), (0.0, -1.0, 1.0, 0.0))


def band(low: float, high: float, runs: int) -> tuple[float, float]:
    error = 3 * np.sqrt(0.95 * 0.05 / runs)
    return low - error, high + error


def rated(rng, shares, rates, n_human, n_metric, scale, levels):
    """A random sample rated by both, and further outputs by the metric alone."""
    joint = shares[:, None] * rates
    both = rng.multinomial(n_human, joint.ravel() / joint.sum()).reshape(joint.shape)
    alone = rng.multinomial(n_metric, joint.sum(axis=0) / joint.sum())
    return Evidence(Counts(tuple(map(tuple, both.tolist())), (0,) * len(shares), tuple(alone.tolist()), scale, levels))


def paired_shares(first: float, second: float, correlation: float):
    """Both wrong, only the second right, only the first, both right."""
    both = first * second + correlation * np.sqrt(first * (1 - first) * second * (1 - second))
    return np.array([1 - first - second + both, second - both, first - both, both])


def paired_rates(tpr: float, tnr: float):
    """P(verdicts | truths): the metric errs on each output by itself."""
    one = np.array([[tnr, 1 - tnr], [1 - tpr, tpr]])
    return np.kron(one, one)


def covers(make, truth: float, runs: int) -> float:
    hits = 0
    for _ in range(runs):
        interval = posterior(make()).interval()
        hits += interval.low <= truth <= interval.high
    return hits / runs


@pytest.mark.parametrize(("first", "second"), [(0.7, 0.6), (0.93, 0.9)])
def test_paired_systems(first, second):
    rng = np.random.default_rng(1)
    shares, rates, levels = paired_shares(first, second, 0.4), paired_rates(0.85, 0.8), Scale.of(range(4))
    found = covers(lambda: rated(rng, shares, rates, 50, 1000, PAIRED, levels), first - second, RUNS)
    low, high = band(0.94, 0.99, RUNS)
    assert low <= found <= high


@pytest.mark.parametrize("shares", [(0.3, 0.3, 0.4), (0.05, 0.8, 0.15)])
def test_win_tie_loss(shares):
    rng = np.random.default_rng(2)
    rates = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]])
    make = lambda: rated(rng, np.array(shares), rates, 50, 1000, OUTCOME, Scale.of(range(3)))  # noqa: E731
    low, high = band(0.935, 0.99, RUNS)
    assert low <= covers(make, shares[2] - shares[0], RUNS) <= high


def test_many_levels_are_merged():
    """Ten levels and 50 calibration outputs: merged to at least ten of them each."""
    rng = np.random.default_rng(3)
    bins = np.arange(10)
    up = np.exp(0.35 * bins) / np.exp(0.35 * bins).sum()
    rates, shares = np.array([up[::-1], up]), np.array([0.2, 0.8])

    def make() -> Evidence:
        both = rng.multinomial(50, (shares[:, None] * rates).ravel()).reshape(2, 10)
        alone = rng.multinomial(1000, shares @ rates).tolist()
        levels = Levels(tuple(both[1].tolist()), tuple(both[0].tolist()))
        return Evidence.of((int(both[1].sum()), 50), calibration=levels, metric=alone).merged()

    low, high = band(0.93, 0.975, RUNS)
    assert low <= covers(make, 0.8, RUNS) <= high


def test_two_judges_with_common_errors():
    """Their joint pattern covers; fused as if they erred independently, they are too sure of themselves."""
    rng = np.random.default_rng(4)
    rate, n, n_metric, runs = 0.7, 100, 5000, RUNS
    joint_hits = fused_hits = 0
    for _ in range(runs):
        adequate = rng.random(n + n_metric) < rate
        wrong = rng.random(n + n_metric) < 0.15  # an error of both
        verdicts = [np.where(wrong | (rng.random(n + n_metric) < 0.05), ~adequate, adequate) for _ in range(2)]
        pattern = 2 * verdicts[0] + verdicts[1]
        human = (int(adequate[:n].sum()), n)

        def levels(level, size, adequate=adequate):
            tables = (np.bincount(level[:n][adequate[:n] == kind], minlength=size).tolist() for kind in (True, False))
            return {
                "calibration": Levels(*map(tuple, tables)),
                "metric": np.bincount(level[n:], minlength=size).tolist(),
            }

        table = [np.bincount(pattern[:n][adequate[:n] == kind], minlength=4).tolist() for kind in (False, True)]
        alone = np.bincount(pattern[n:], minlength=4).tolist()
        own = Counts(tuple(map(tuple, table)), (0, 0), tuple(alone), ADEQUACY, PATTERNS)
        both = posterior(Evidence(own).merged()).interval()
        one, two = (levels(v.astype(int), 2) for v in verdicts)
        fused = posterior(Evidence.of(human, **one, fused=(Evidence.of(**two),))).interval()
        joint_hits += both.low <= rate <= both.high
        fused_hits += fused.low <= rate <= fused.high
    low, high = band(0.935, 0.97, runs)
    assert low <= joint_hits / runs <= high
    assert fused_hits <= joint_hits


def test_pairing_finds_more():
    """At an adequacy correlation of .6 and 100 items: 71 to 74 % against 41 to 42 %, where items are not paired."""
    rng = np.random.default_rng(5)
    shares, rates, runs = paired_shares(0.7, 0.6, 0.6), paired_rates(0.85, 0.85), RUNS // 2
    together = apart = 0
    for _ in range(runs):
        evidence = rated(rng, shares, rates, 100, 1000, PAIRED, Scale.of(range(4)))
        together += _distinguishable(posterior(evidence))
        table, alone = np.array(evidence.own.both), np.array(evidence.own.metric_only)
        sides = []
        for classes in ((2, 3), (1, 3)):  # first right, second right; levels likewise
            right = np.isin(range(4), classes)
            cells = [[int(table[np.ix_(t, m)].sum()) for m in (~right, right)] for t in (~right, right)]
            counts = int(alone[~right].sum()), int(alone[right].sum())
            sides.append(posterior(Evidence(Counts(tuple(map(tuple, cells)), (0, 0), counts))))
        apart += _distinguishable(Difference(*sides))
    assert together / runs > apart / runs + 0.1


def _distinguishable(distribution) -> bool:
    chance = distribution.probability_positive
    return max(chance, 1 - chance) > 0.975
