"""Weighted draws: each way against the sum in full, and few effective draws are refused."""

import pickle

import numpy as np
import pytest

import oracles
from tellapart import Evidence, InvalidInput, posterior
from tellapart.core import draws as module
from tellapart.core.classes import table_posterior
from tellapart.core.counts import OUTCOME, PAIRED, Counts, Scale
from tellapart.core.dirichlet import TableContour
from tellapart.core.draws import Draws, draws

VALUES = np.array([-1.0, 0, 1])
CELLS = np.array([[26.0, 2, 1], [2, 24, 1], [1, 1, 25]]) + 1 / 3
COUNTS = np.array([3.0, 4, 2])
PEOPLE = np.array([30, 20, 40])
WAYS = {
    "_weigh": CELLS.sum(axis=1) + np.array([0.5, -0.7, 1.2]),
    "_solve": np.array([4.0, 3, 5]),
    "_impute": CELLS.sum(axis=1) + np.array([3, 0, 2]),
}


@pytest.mark.parametrize("way", WAYS)
def test_each_way_leads_to_the_sum_in_full(way):
    """Within five standard errors of so many effective draws."""
    classes = WAYS[way]
    exact = table_posterior(classes, CELLS, COUNTS, VALUES)
    drawn = getattr(module, way)(classes, CELLS, COUNTS, np.random.default_rng(8))
    assert drawn.effective > 2000
    found = Draws(drawn.shares @ VALUES, drawn.weights, drawn.effective, (-1.0, 1.0))
    error = 5 / np.sqrt(drawn.effective)
    assert found.mean == pytest.approx(exact.mean, abs=error * exact.sd)
    assert found.sd == pytest.approx(exact.sd, rel=error)
    x = exact.quantile(np.array([0.1, 0.5, 0.9]))
    assert np.abs(found.cdf(x) - [0.1, 0.5, 0.9]).max() < error / 2
    assert np.abs(found.pdf(x) - exact.pdf(x)).max() * exact.sd < 5 * error
    weights, parameters = oracles.latent_mixture(classes, CELLS, COUNTS)
    assert weights @ (parameters @ VALUES / parameters.sum(axis=1)) == pytest.approx(exact.mean, abs=1e-11)


def test_draws_whose_own_distribution_is_known_are_moved_there():
    """What chance is left is that of the weights, a fraction of what it was."""
    classes = WAYS["_weigh"]
    exact = table_posterior(classes, CELLS, COUNTS, VALUES)
    found = draws(classes, CELLS, COUNTS, VALUES)
    assert found.mean == pytest.approx(exact.mean, abs=1e-4 * exact.sd * 5)
    assert found.sd == pytest.approx(exact.sd, rel=1e-3)


def test_draws_that_do_not_follow_a_distribution_stay_where_they_are():
    table = COUNTS + CELLS.sum(axis=0), CELLS
    drawn = TableContour(*table, VALUES).sample(10_000, np.random.default_rng(3))
    moved = module._evenly(drawn, TableContour(*table, VALUES))
    assert 0 < np.abs(moved - drawn).max() < 0.1
    assert (np.argsort(moved) == np.argsort(drawn)).all()
    assert module._evenly(drawn + 0.02, TableContour(*table, VALUES)) == pytest.approx(drawn + 0.02, abs=0)


@pytest.fixture(scope="module")
def many():
    """People rated further outputs, too many for the sum in full."""
    classes = CELLS.sum(axis=1) + PEOPLE
    return draws(classes, CELLS, np.array([300.0, 200, 500]), VALUES)


def test_intervals_of_draws(many):
    for kind in ("highest-density", "equal-tailed"):
        interval = many.interval(kind=kind)
        assert float(many.cdf(interval.high) - many.cdf(interval.low)) == pytest.approx(0.95, abs=2e-3)
    assert many.interval().width <= many.interval(kind="equal-tailed").width
    assert many.quantile(0.5) == pytest.approx(many.median)
    assert many.cdf(np.array([-2.0, 2.0])).tolist() == [0, 1]
    assert np.abs(np.diff(many.quantile(np.linspace(0, 1, 50))) < 0).sum() == 0


def test_draws_are_the_same_every_time_and_travel(many):
    again = draws(CELLS.sum(axis=1) + PEOPLE, CELLS, np.array([300.0, 200, 500]), VALUES)
    back = pickle.loads(pickle.dumps(many))  # noqa: S301 - our own
    assert again.mean == many.mean == back.mean


def test_balanced_ratings_are_not_taken_for_a_random_sample():
    """Many losses among the rated, from elsewhere, by design; the metric's own ratings say that wins prevail."""
    both = ((30, 6, 4), (5, 30, 5), (4, 6, 30))
    own = Counts(((0, 0, 0),) * 3, (0, 0, 0), (238, 330, 432), OUTCOME, Scale.of(range(3)))
    found = posterior(Evidence(own, both, sampling="balanced"))
    assert isinstance(found, Draws)
    share = np.linalg.solve(np.array(both).T / 40, np.array([238, 330, 432]) / 1000)
    assert found.mean == pytest.approx(share[2] - share[0], abs=0.5 * found.sd)


def test_few_effective_draws_are_refused_in_one_line():
    """Calibration and ratings in flat contradiction: no way has draws where the answer is."""
    cells = np.array([[4000.0, 1, 1], [1, 4000, 1], [1, 1, 4000]])
    with pytest.raises(InvalidInput, match="500 effective draws") as refused:
        draws(np.array([4000.5, 1.5, 1.5]), cells, np.array([0.0, 0, 4000.0]), VALUES)
    assert "random sample" in str(refused.value)


def test_ratings_that_say_the_same_of_two_systems_make_neither_better():
    counts = Counts(((0,) * 4,) * 3 + ((0, 0, 0, 100),), (0,) * 4, (0, 0, 0, 200), PAIRED, PAIRED)
    found = posterior(Evidence(counts))
    assert isinstance(found, Draws)
    assert found.probability_positive == pytest.approx(0.5, abs=1e-9)
    assert found.mean == pytest.approx(0.0, abs=1e-15)
    some = ((1, 2, 0, 0), (2, 5, 1, 3), (0, 1, 6, 2), (0, 3, 2, 40))  # not the same of both
    assert posterior(Evidence(Counts(some, (0, 9, 30, 0), (10, 3, 9, 90), PAIRED, PAIRED))).mean > 0.01
