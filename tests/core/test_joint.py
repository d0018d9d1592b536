"""Several systems together: contrasts, both directions, ranks and travel."""

import pickle

import numpy as np
import pytest

import oracles
from tellapart import Confusion, Evidence, posterior
from tellapart.core.counts import NO_METRIC, Counts, Scale
from tellapart.core.dirichlet import DirichletMixture, TableContour
from tellapart.core.distribution import Scaled
from tellapart.core.draws import Draws
from tellapart.core.joint import SameItems, Separate
from tellapart.core.ladder import Ladder
from tellapart.core.prior import PRIORS

LIKERT = Scale.of(range(1, 6))
PAIRED = Scale(("second", "tie", "first"), (-1.0, 0.0, 1.0))


def rated(*counts):
    """Human ratings from 1 to 5."""
    return Evidence(Counts(((),) * 5, counts, (), LIKERT, NO_METRIC))


RATINGS = {"A": rated(2, 3, 9, 20, 16), "B": rated(3, 6, 12, 18, 11), "C": rated(10, 9, 11, 12, 8)}


def items(second, tie, first):
    return Evidence(Counts(((), (), ()), (second, tie, first), (), PAIRED, NO_METRIC))


@pytest.fixture(scope="module")
def ratings():
    return Ladder(RATINGS)["none"]


def test_contrast_of_mean_ratings(ratings):
    """Closed-form mean and standard deviation, and half a million draws."""
    one, two, found = ratings.marginal("A"), ratings.marginal("B"), ratings.contrast("A", "B")
    assert (found.mean, found.sd) == pytest.approx((one.mean - two.mean, np.hypot(one.sd, two.sd)), abs=1e-7)
    rng = np.random.default_rng(4)
    drawn = [rng.dirichlet(np.array(RATINGS[name].own.truths) + 0.4, 500_000) @ LIKERT.values for name in "AB"]
    difference = drawn[0] - drawn[1]
    x = np.quantile(difference, [0.01, 0.2, 0.5, 0.8, 0.99])
    assert np.abs(found.cdf(x) - [0.01, 0.2, 0.5, 0.8, 0.99]).max() < 2.5 / np.sqrt(500_000)
    assert found.probability_positive == pytest.approx((difference > 0).mean(), abs=4e-3)
    interval = found.interval()
    assert float(found.cdf(interval.high) - found.cdf(interval.low)) == pytest.approx(0.95, abs=1e-6)
    mirror = ratings.contrast("B", "A")
    assert found.probability_positive + mirror.probability_positive == pytest.approx(1, abs=1e-7)


def test_contrast_with_a_system_known_by_draws(ratings):
    one = ratings.marginal("A")
    drawn = one.sample(200_000, np.random.default_rng(5))
    mixed = Separate({"A": one, "B": Draws(drawn, np.ones(len(drawn)), len(drawn), (1.0, 5.0))}).contrast("A", "B")
    assert mixed.mean == pytest.approx(0, abs=5e-3)
    assert mixed.sd == pytest.approx(np.sqrt(2) * one.sd, rel=0.02)


def test_contrast_of_scaled_rates():
    """Two classes worth 1 and 5 are the rates' difference, four times as wide."""
    rates = [posterior(Evidence.of(human)) for human in ((60, 100), (45, 100))]
    found = Separate({"A": Scaled(rates[0], 1.0, 4.0), "B": Scaled(rates[1], 1.0, 4.0)}).contrast("A", "B")
    plain = Separate({"A": rates[0], "B": rates[1]}).contrast("A", "B")
    assert found.mean == pytest.approx(4 * plain.mean)
    assert found.probability_positive == pytest.approx(plain.probability_positive, abs=1e-12)


def test_ranks_of_ratings(ratings):
    """Against draws: 20,000 and 200,000, whose errors add up to 0.0045."""
    rng = np.random.default_rng(6)
    drawn = np.array([rng.dirichlet(np.array(e.own.truths) + 0.4, 200_000) @ LIKERT.values for e in RATINGS.values()])
    order = np.argsort(-drawn, axis=0)
    expected = [[(order[rank] == row).mean() for rank in range(3)] for row in range(3)]
    found = ratings.rank_probabilities()
    assert np.abs(found - expected).max() < 0.015
    assert found.sum(axis=0) == pytest.approx([1, 1, 1])


@pytest.fixture(scope="module")
def same_items():
    systems = {"A": Evidence.of((70, 100)), "B": Evidence.of((60, 100)), "C": Evidence.of((40, 100))}
    return Ladder(systems, items={("A", "B"): items(5, 80, 15), ("B", "C"): items(15, 50, 35)})["items"]


def test_same_items_in_both_directions(same_items):
    assert isinstance(same_items, SameItems)
    forth, back = same_items.contrast("A", "B"), same_items.contrast("B", "A")
    assert forth.mean == pytest.approx(10 / 103) == pytest.approx(-back.mean)
    assert forth.probability_positive + back.probability_positive == pytest.approx(1, abs=1e-11)
    assert (forth.interval().low, forth.interval().high) == pytest.approx((-back.interval().high, -back.interval().low))
    assert same_items.contrast("A", "B") is forth
    assert forth.sd < same_items.separate.contrast("A", "B").sd


def test_pairs_not_seen_together_are_independent(same_items):
    one, two = same_items.marginal("A"), same_items.marginal("C")
    assert same_items.contrast("A", "C").sd == pytest.approx(np.hypot(one.sd, two.sd))


def test_systems_move_as_the_differences_do(same_items):
    """By least squares over all pairs, those that share no items with nothing to say."""
    means = [same_items.marginal(name).mean for name in "ABC"]
    wanted = [same_items.contrast("A", "B").mean - means[0] + means[1], 0.0]
    wanted += [same_items.contrast("B", "C").mean - means[1] + means[2], 0.0]
    pairs = [[1, -1, 0], [1, 0, -1], [0, 1, -1], [1, 1, 1]]
    assert same_items.shifts == pytest.approx(np.linalg.lstsq(pairs, wanted, rcond=None)[0], abs=1e-12)
    assert same_items.order == ("A", "B", "C")


def test_ranks_of_same_items(same_items):
    """Normal draws with the correlations that the pairs' own standard deviations say."""
    sds = [same_items.marginal(name).sd for name in "ABC"]
    means = [same_items.marginal(name).mean for name in "ABC"]
    covariance = np.diag(np.square(sds))
    for i, j, pair in ((0, 1, "AB"), (1, 2, "BC")):
        shared = (sds[i] ** 2 + sds[j] ** 2 - same_items.contrast(*pair).sd ** 2) / 2
        covariance[i, j] = covariance[j, i] = shared
    drawn = np.random.default_rng(2).multivariate_normal(means, covariance, 200_000).T
    order = np.argsort(-drawn, axis=0)
    expected = [[(order[rank] == row).mean() for rank in range(3)] for row in range(3)]
    assert np.abs(same_items.rank_probabilities() - expected).max() < 0.02


def test_shared_rates_by_a_brute_grid():
    systems = {
        "A": Evidence.of((12, 20), calibration=Confusion(9, 3, 6, 2), metric=(61, 100)),
        "B": Evidence.of((10, 20), calibration=Confusion(8, 2, 7, 3), metric=(52, 100)),
    }
    brute = oracles.SharedByGrid(((12, 20, 61, 100), (10, 20, 52, 100)), Confusion(17, 5, 13, 5))
    found = Ladder(systems)["shared"]
    marginals = [found.marginal(name) for name in "AB"]
    assert [m.mean for m in marginals] == pytest.approx(list(brute.means), abs=1e-5)
    for marginal in marginals:
        x, w = oracles.gauss_legendre(0, 1, 40)
        density = marginal.pdf(x)
        assert w @ density == pytest.approx(1, abs=1e-6)
        assert w @ (density * x) == pytest.approx(marginal.mean, abs=1e-6)
        assert np.sqrt(w @ (density * (x - marginal.mean) ** 2)) == pytest.approx(marginal.sd, abs=1e-6)
        assert float(marginal.cdf(marginal.quantile(0.3))) == pytest.approx(0.3, abs=1e-8)
        interval = marginal.interval()
        assert float(marginal.cdf(interval.high) - marginal.cdf(interval.low)) == pytest.approx(0.95, abs=1e-6)


def test_joints_and_contrasts_come_back_from_a_pickle(ratings, same_items):
    for found, pair in ((ratings, "AB"), (same_items, "BC")):
        back = pickle.loads(pickle.dumps(found))  # noqa: S301 - our own
        for one, two in ((back, found), (pickle.loads(pickle.dumps(found.contrast(*pair))), None)):  # noqa: S301
            contrast = one if two is None else one.contrast(*pair)
            assert contrast.interval() == found.contrast(*pair).interval()


def test_marginals_are_of_the_right_kind(ratings):
    assert isinstance(ratings.marginal("A"), DirichletMixture)
    both = ((6, 2, 1), (2, 4, 1), (1, 1, 5))
    table = Evidence(Counts(both, (0, 0, 0), (70, 50, 80), PAIRED, Scale.of(range(3))))
    assert isinstance(Ladder({"A": table}, PRIORS["jeffreys"])["none"].marginal("A"), TableContour)
