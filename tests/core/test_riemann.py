"""The paper's Riemann sums: they converge to the exact posterior, and keep the quirks that show in its tables."""

import numpy as np
import pytest
from scipy import stats

from golden import posterior_case
from tellapart import Confusion, Evidence, posterior
from tellapart.core.riemann import GridPosterior, grid_posterior, riemann_posterior

PAIRED = posterior_case("paired-small")
KNOWN = Evidence.of((30, 50), rates=(0.7, 0.7), metric=(54, 100))


@pytest.mark.parametrize("evidence", [Evidence.of((60, 100)), PAIRED, KNOWN], ids=["human", "estimated", "known"])
def test_grid_posterior_converges_to_the_exact_one(evidence):
    """Midpoints of n cells: the variance gains 1/(12n²), the mean hardly moves."""
    exact = posterior(evidence)
    for n in (200, 800, 2000):
        grid = grid_posterior(evidence, n_rate=n)
        assert grid.mean == pytest.approx(exact.mean, abs=1 / n**2)
        assert grid.sd**2 == pytest.approx(exact.sd**2, abs=0.5 / n**2)


def test_grid_of_the_rate_carries_its_own_variance():
    """Grouping in cells of width h adds h²/12 to the variance of the human ratings, which the metric then sharpens."""
    human, cell = Evidence.of(PAIRED.human), 1 / 2000**2 / 12
    assert grid_posterior(human).sd ** 2 - posterior(human).sd ** 2 == pytest.approx(cell, rel=0.001)
    assert 0 < grid_posterior(PAIRED).sd ** 2 - posterior(PAIRED).sd ** 2 < cell


def test_riemann_posterior_converges_to_the_exact_one():
    """Three grids at once: the error falls fourfold with twice the cells, and is of the order of 1/n²."""
    exact = posterior(PAIRED)
    errors = []
    for n in (50, 100, 200):
        grid = riemann_posterior(PAIRED, n_rate=2 * n, n_tpr=n, n_tnr=n)
        errors.append(abs(grid.sd - exact.sd))
        assert grid.mean == pytest.approx(exact.mean, abs=5 / n**2)
        assert grid.sd == pytest.approx(exact.sd, abs=5 / n**2)
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.3)
    assert errors[1] / errors[2] == pytest.approx(4, rel=0.3)


def test_riemann_posterior_with_known_rates():
    """No inner sums then: both functions do the same."""
    np.testing.assert_allclose(
        riemann_posterior(KNOWN, n_rate=300).masses, grid_posterior(KNOWN, n_rate=300).masses, rtol=1e-10, atol=1e-15
    )


def test_riemann_posterior_of_human_ratings_is_a_difference_of_beta_functions():
    grid = riemann_posterior(Evidence.of((60, 100)), n_rate=500)
    np.testing.assert_allclose(grid.masses, np.diff(stats.beta(61, 41).cdf(np.linspace(0, 1, 501))), atol=1e-15)
    np.testing.assert_allclose(grid.masses, grid_posterior(Evidence.of((60, 100)), n_rate=500).masses, atol=1e-15)


def test_riemann_posterior_ignores_a_metric_without_ratings():
    evidence = Evidence.of((60, 100), calibration=Confusion(42, 18, 28, 12), metric=(0, 0))
    grid = riemann_posterior(evidence, n_rate=500, n_tpr=10, n_tnr=10)
    np.testing.assert_array_equal(grid.masses, riemann_posterior(Evidence.of((60, 100)), n_rate=500).masses)


def test_progress_is_reported_for_every_cell():
    seen = []
    riemann_posterior(PAIRED, n_rate=40, n_tpr=10, n_tnr=10, progress=seen.append)
    assert sum(seen) == 40


def test_masses_are_a_distribution():
    for grid in (grid_posterior(PAIRED), riemann_posterior(PAIRED, n_rate=100, n_tpr=30, n_tnr=30)):
        assert grid.masses.sum() == pytest.approx(1, abs=1e-12)
        assert (grid.masses >= 0).all()
        assert len(grid.midpoints) == len(grid.masses)


def test_strictly_greater_loses_ties():
    """P₁₂ + P₂₁ = 1 − P(tie), where P(tie) is the product of the masses of each cell."""
    one, two = grid_posterior(Evidence.of((353, 527))), grid_posterior(Evidence.of((340, 527)))
    forward, backward = one.greater(two), two.greater(one)
    ties = float(one.masses @ two.masses)
    assert forward + backward == pytest.approx(1 - ties, abs=1e-12)
    assert ties > 0.004  # so many that it shows in the third printed digit
    assert (round(forward, 3), round(backward, 3)) == (0.798, 0.197)


def test_ties_vanish_with_finer_grids():
    """Half the ties added, the grid's probability is the exact one."""
    pair = Evidence.of((353, 527)), Evidence.of((340, 527))
    exact = posterior(pair[0]).greater(posterior(pair[1]))
    one, two = (grid_posterior(evidence, n_rate=20_000) for evidence in pair)
    assert one.greater(two) == pytest.approx(exact, abs=1e-3)
    assert one.greater(two) + float(one.masses @ two.masses) / 2 == pytest.approx(exact, abs=1e-6)


def test_greater_by_hand():
    """Three cells: 1 > 0 and 2 > 0 and 2 > 1 count, equal cells do not."""
    one, two = GridPosterior(np.array([0.2, 0.3, 0.5])), GridPosterior(np.array([0.5, 0.4, 0.1]))
    assert one.greater(two) == pytest.approx(0.3 * 0.5 + 0.5 * (0.5 + 0.4))
    assert two.greater(one) == pytest.approx(0.4 * 0.2 + 0.1 * (0.2 + 0.3))


def test_moments_by_hand():
    grid = GridPosterior(np.array([0.25, 0.75]))
    assert grid.mean == pytest.approx(0.25 * 0.25 + 0.75 * 0.75)
    assert grid.sd == pytest.approx(np.sqrt(0.25 * 0.375**2 + 0.75 * 0.125**2))


def test_the_grid_survives_evidence_far_in_the_tail():
    """Cells whose prior mass underflows are left out without a warning."""
    grid = grid_posterior(Evidence.of((5000, 5000)))
    assert grid.mean == pytest.approx(posterior(Evidence.of((5000, 5000))).mean, abs=1e-4)
