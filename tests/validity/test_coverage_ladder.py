"""The rungs of the ladder: how often verdicts are wrong where systems do not differ, and right where they do.

A few cells of benchmarks/ladder.py, with bands of three standard errors; docs/validation.md has the whole table.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from scipy.special import expit, logit

from tellapart import compare
from tellapart.analysis.studies import Truth, study

pytestmark = pytest.mark.slow

RUNS = 30 if "CI" in os.environ else 200
TPR, TNR = 0.9, 0.8


def studies(rates, n_human, n_metric, *, seed, correlation=0.3, games=0.0, **scatter):
    """Simulate evaluations; the last system may game the metric."""
    rng = np.random.default_rng(seed)
    for _ in range(RUNS):
        truth = Truth.draw(rates(rng), TPR, TNR, rng, **scatter)
        more = np.zeros(len(truth.rates))
        more[-1] = games / np.sqrt(2)
        truth = Truth(truth.rates, expit(logit(truth.tprs) + more), expit(logit(truth.tnrs) - more))
        systems, items = study(truth, n_human, n_metric, rng, correlation=correlation)
        yield compare(systems, items=items), dict(zip(systems, truth.rates, strict=True))


def at_most(share: float, runs: int) -> float:
    return share + 3 * np.sqrt(share * (1 - share) / runs)


@pytest.mark.parametrize(("leniency", "discrimination"), [(0.0, 0.0), (0.2, 0.2), (0.6, 0.2), (1.0, 0.4)])
@pytest.mark.parametrize("correlation", [0.0, 0.6])
def test_two_equal_systems_with_pooled_rates(leniency, discrimination, correlation):
    found = studies(
        lambda _: [0.6] * 2,
        50,
        1000,
        seed=1,
        correlation=correlation,
        leniency_sd=leniency,
        discrimination_sd=discrimination,
    )
    wrong = [result.pairs[0].distinguishable for result, _ in found]
    assert np.mean(wrong) <= at_most(0.08, RUNS)


@pytest.mark.parametrize(("n_human", "n_metric", "leniency"), [(50, 1000, 0.4), (300, 0, 0.2), (50, 1000, 1.0)])
def test_seven_equal_systems_on_a_line(n_human, n_metric, leniency):
    found = studies(lambda _: [0.6] * 7, n_human, n_metric, seed=2, leniency_sd=leniency)
    told = [[pair.distinguishable for pair in result.pairs] for result, _ in found]
    assert np.mean(told) <= at_most(0.05, RUNS)
    assert np.mean(np.any(told, axis=1)) <= at_most(0.10, RUNS)


def test_systems_that_differ_are_told_apart_and_covered():
    """With rates spread by .4 logits the line finds more than the items do, and is wrong of one pair in 50 at most."""
    found = list(
        studies(lambda rng: expit(logit(0.6) + 0.4 * rng.standard_normal(7)), 50, 1000, seed=3, leniency_sd=0.2)
    )
    told = {"items": 0, "link": 0}
    wrong = covered = pairs = 0
    for result, rates in found:
        for rung in told:
            told[rung] += sum(pair.distinguishable for pair in result.pairs_at(rung))
        for pair in result.pairs:
            gap = rates[pair.first] - rates[pair.second]
            wrong += pair.distinguishable and (gap > 0) != (pair.probability > 0.5)
            covered += 0.025 < pair.distribution.cdf(gap) < 0.975
            pairs += 1
    assert told["link"] > 1.5 * told["items"]
    assert wrong / pairs <= at_most(0.02, RUNS)
    assert covered / pairs >= 0.90


def test_a_system_that_games_the_judge_is_flagged():
    """Among systems that differ, one that the judge likes for no reason is caught mostly; honest ones hardly ever."""

    def rates(rng):
        return [*expit(logit(0.6) + 0.5 * rng.standard_normal(11)), 0.55]

    caught = false = 0
    for result, _ in studies(rates, 100, 1000, seed=4, leniency_sd=0.1, games=2.0):
        flagged = {name for name, caution in result.cautions if caution.code == "off-the-line"}
        caught += "S12" in flagged
        false += len(flagged - {"S12"})
    assert caught / RUNS >= 0.6
    assert false / (11 * RUNS) <= at_most(0.05, RUNS)
