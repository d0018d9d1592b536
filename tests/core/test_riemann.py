"""The paper's own approximation converges to the exact posterior, and keeps its quirks."""

from __future__ import annotations

import pytest

from tellapart import Confusion, Evidence, Metric, Rates, Tally, posterior
from tellapart.core.riemann import grid_posterior, riemann_posterior

MIXED = Evidence(Tally(60, 100), (Metric.binary(Tally(540, 1000), Confusion(42, 18, 28, 12)),))


def test_riemann_sums_approach_the_exact_posterior():
    """Halving the cells' width quarters the error of the standard deviation."""
    exact = posterior(MIXED).sd
    errors = [abs(riemann_posterior(MIXED, n_rate=n, n_tpr=n, n_tnr=n).sd - exact) for n in (50, 100, 200)]
    assert errors[0] > 2.5 * errors[1] > 6 * errors[2]
    assert errors[2] < 3e-4


def test_known_rates_need_one_cell():
    evidence = Evidence(Tally(60, 100), (Metric.binary(Tally(540, 1000), Rates(0.7, 0.7)),))
    assert riemann_posterior(evidence, n_rate=2000).mean == pytest.approx(posterior(evidence).mean, abs=1e-7)


def test_grid_of_the_rate_carries_its_own_variance():
    """Grouping in cells of width h adds h²/12 to the variance of the human ratings, which the metric then sharpens."""
    human = Evidence(MIXED.human)
    assert grid_posterior(human).sd ** 2 - posterior(human).sd ** 2 == pytest.approx(1 / 2000**2 / 12, rel=0.001)
    assert 0 < grid_posterior(MIXED).sd ** 2 - posterior(MIXED).sd ** 2 < 1 / 2000**2 / 12


def test_ties_count_for_neither_side():
    one, two = grid_posterior(Evidence(Tally(353, 527))), grid_posterior(Evidence(Tally(340, 527)))
    assert one.greater(two) + two.greater(one) < 0.996
    assert one.greater(two) == pytest.approx(0.798, abs=5e-4)


def test_progress_counts_the_cells():
    done = []
    riemann_posterior(MIXED, n_rate=7, n_tpr=5, n_tnr=5, progress=done.append)
    assert sum(done) == 7
