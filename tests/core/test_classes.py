"""More than two classes: the sum over latent classes in full, designs, and what evidence becomes."""

import pickle

import numpy as np
import polars as pl
import pytest

import oracles
from tellapart import Estimate, Evidence, InvalidInput, Prior, compare, posterior, read_ratings
from tellapart.core.classes import table_posterior
from tellapart.core.counts import NO_METRIC, OUTCOME, Counts, Scale
from tellapart.core.dirichlet import DirichletMixture, TableContour
from tellapart.core.prior import PRIORS

BOTH = ((6, 2, 1), (2, 4, 1), (1, 1, 5))
NONE = ((0, 0, 0),) * 3
LEVELS = Scale.of(range(3))
X = np.array([-0.4, -0.1, 0.0, 0.2, 0.5])


def evidence(both=BOTH, truth_only=(0, 0, 0), metric_only=(7, 5, 8), **more):
    return Evidence(Counts(both, truth_only, metric_only, OUTCOME, LEVELS), **more)


SMALL = {
    "human extra": evidence(truth_only=(3, 1, 2), metric_only=(3, 4, 2)),
    "borrowed": evidence(NONE, (4, 2, 3), (3, 2, 4), borrowed=BOTH),
    "balanced elsewhere": evidence(NONE, metric_only=(4, 3, 2), borrowed=BOTH, sampling="balanced"),
}


@pytest.mark.parametrize("name", SMALL)
def test_the_sum_in_full(name):
    """Against every latent class of every rating, one by one, and a plain integral over two Beta variables."""
    case = SMALL[name]
    cells = np.array(case.calibration) + 1 / 3
    classes = 1.0 + np.array(case.own.truths)
    weights, parameters = oracles.latent_mixture(classes, cells, case.own.metric_only)
    found = posterior(case)
    assert isinstance(found, DirichletMixture)
    total = parameters.sum(axis=1)
    means = parameters @ [-1, 0, 1] / total
    squares = parameters @ [1, 0, 1] / total
    mean = weights @ means
    spread = weights @ ((squares - means**2) / (total + 1) + (means - mean) ** 2)
    assert (found.mean, found.sd) == pytest.approx((mean, np.sqrt(spread)), abs=1e-12)
    assert found.cdf(X) == pytest.approx([oracles.outcome_cdf(weights, parameters, x) for x in X], abs=1e-6)


@pytest.mark.parametrize("entry", [posterior, Estimate, lambda e: compare({"A": e, "B": e})])
def test_balanced_outputs_of_its_own_are_refused(entry):
    """They would count as what they are among all outputs; before, the answer was of the rest alone."""
    with pytest.raises(InvalidInput, match=r"`sampling` must be random or by-metric.*which are adequate: human_cut="):
        str(entry(evidence(sampling="balanced")))


def test_a_table_of_balanced_ratings_on_a_scale_is_refused_but_not_if_it_is_cut():
    rows = [("A", item, item % 3 + 1 if item < 60 else None, item % 3 + 1) for item in range(200)]
    table = pl.DataFrame(rows, schema=["system", "item", "human", "judge"], orient="row")
    with pytest.raises(InvalidInput, match="more than two classes apart, got 'balanced'"):
        str(read_ratings(table, sampling="balanced").compare())
    cut = read_ratings(table, sampling="balanced", human_cut=3).compare()
    assert cut.marginal("A").mean == pytest.approx(1 / 3, abs=0.05)


def test_a_matched_prior_needs_no_sum():
    """The sum over latent classes gives what the contour gives."""
    cells, counts, values = np.array(BOTH) + 1 / 3, np.array([7.0, 5, 8]), np.array([-1.0, 0, 1])
    found = table_posterior(cells.sum(axis=1), cells, counts, values)
    assert isinstance(found, TableContour)
    mixture = DirichletMixture(*oracles.latent_mixture(cells.sum(axis=1), cells, counts), values)
    assert (found.mean, found.sd) == pytest.approx((mixture.mean, mixture.sd), abs=1e-12)
    assert np.abs(found.cdf(X) - mixture.cdf(X)).max() < 1e-5


def test_classes_of_one_value_may_be_added_up():
    """Two systems on one item: both right or both wrong is a tie, with twice the prior."""
    table = np.array([[9, 3, 2, 1], [2, 8, 1, 2], [1, 2, 7, 3], [1, 1, 3, 12]]) + 1 / 4
    counts, values = np.array([30.0, 25, 28, 40]), np.array([0.0, 1, -1, 0])
    merged = np.array([table[2], table[0] + table[3], table[1]])
    four = table_posterior(table.sum(axis=1), table, counts, values)
    three = table_posterior(merged.sum(axis=1), merged, counts, np.array([-1.0, 0, 1]))
    assert np.abs(four.cdf(X) - three.cdf(X)).max() < 1e-12


def test_people_alone_are_a_dirichlet():
    own = Counts(((), (), ()), (5, 3, 9), (), OUTCOME, NO_METRIC)
    found = posterior(Evidence(own))
    assert found.mean == pytest.approx((10 - 6) / 20, abs=1e-14)


def test_outputs_chosen_by_level_say_nothing_of_the_shares_of_levels():
    """Taken as random they count towards the levels' shares, too; chosen outputs leave the classes' prior alone."""
    found = posterior(evidence(metric_only=(380, 230, 390), sampling="by-metric"))
    assert isinstance(found, TableContour)
    assert -1 < found.interval().low < found.interval().high < 1


@pytest.mark.parametrize("weights", [(1, 2), (1, 1, 1), (0, float("nan"), 1)])
def test_weights_are_one_number_a_class(weights):
    with pytest.raises(InvalidInput, match="weights"):
        posterior(evidence(), weights=weights)


def test_a_pair_of_numbers_is_no_prior_for_three_classes():
    with pytest.raises(InvalidInput, match="named"):
        posterior(evidence(), Prior(rate=(2, 3)))
    assert posterior(evidence(), PRIORS["jeffreys"]).sd > 0


@pytest.mark.parametrize("values", [(1.0, 0.0), (5.0, 1.0), (-1.0, 3.0)])
def test_two_classes_of_any_worth(values):
    """A lower value of the adequate ones turns the distribution around."""
    rated = Evidence.of((60, 100))
    rate, found = posterior(rated), posterior(rated, weights=values)
    low, high = values
    assert (found.low, found.high) == (min(values), max(values))
    assert found.mean == pytest.approx(low + (high - low) * rate.mean)
    assert found.sd == pytest.approx(abs(high - low) * rate.sd)
    place = low + (high - low) * 0.63
    expected = float(rate.cdf(0.63)) if high > low else 1 - float(rate.cdf(0.63))
    assert (float(found.cdf(place)), found.above(place)) == pytest.approx((expected, 1 - expected), abs=1e-12)
    assert float(found.cdf(found.quantile(0.1))) == pytest.approx(0.1, abs=1e-10)
    interval = found.interval()
    assert interval.low < found.mean < interval.high
    assert float(found.cdf(interval.high) - found.cdf(interval.low)) == pytest.approx(0.95, abs=1e-9)


@pytest.mark.parametrize("name", SMALL)
def test_posteriors_come_back_from_a_pickle(name):
    found = posterior(SMALL[name])
    back = pickle.loads(pickle.dumps(found))  # noqa: S301 - our own
    assert (back.mean, back.interval()) == (found.mean, found.interval())
