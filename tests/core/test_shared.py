"""Systems under one metric with shared rates, against golden values, a brute grid and limits."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import stats
from scipy.special import digamma, expit, polygamma

import oracles
from golden import cases, evidence
from tellapart import (
    Confusion,
    Difference,
    Evidence,
    InvalidInput,
    Levels,
    Prior,
    SharedRates,
    compare,
    posterior,
    read_ratings,
)
from tellapart.core.joint import SIZE
from tellapart.core.ladder import Ladder
from tellapart.core.prior import PRIORS


def system(human, confusion, metric):
    """Return evidence of one system."""
    return Evidence.of(human, calibration=Confusion(*confusion), metric=metric)


FIRST = system((60, 100), (42, 18, 28, 12), (560, 1000))
SECOND = system((55, 100), (38, 17, 31, 14), (510, 1000))


@pytest.mark.parametrize("row", **cases("shared_rates"))
def test_golden_shared_rates(row):
    """P(first > second) to 1e-6, the golden value's own precision; means to 2e-9, twice its precision."""
    joint = SharedRates([evidence(row, "first_"), evidence(row, "second_")])
    assert joint.difference(0, 1).probability_positive == pytest.approx(float(row["probability"]), abs=1e-6)
    assert joint.marginal(0).mean == pytest.approx(float(row["first_mean"]), abs=2e-9)
    assert joint.marginal(1).mean == pytest.approx(float(row["second_mean"]), abs=2e-9)


def test_against_a_brute_grid():
    """tpr × tnr × both rates, summed: midpoints of 1/1200 leave an error of about 1e-6."""
    first, second = system((12, 20), (9, 3, 6, 2), (61, 100)), system((10, 20), (8, 2, 7, 3), (52, 100))
    pooled = Confusion(17, 5, 13, 5)
    brute = oracles.SharedByGrid(((12, 20, 61, 100), (10, 20, 52, 100)), pooled)
    joint = SharedRates([first, second])
    assert joint.difference(0, 1).probability_positive == pytest.approx(brute.probability_positive, abs=1e-5)
    assert [joint.marginal(0).mean, joint.marginal(1).mean] == pytest.approx(list(brute.means), abs=1e-5)


@pytest.fixture(scope="module")
def joint():
    return SharedRates([FIRST, SECOND, system((30, 50), (20, 10, 15, 5), (300, 500))])


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_interval_leaves_equal_tails(joint, level):
    """Feed the ends back; 1e-6, as the ends themselves are sought to 1e-7 of an sd."""
    difference = joint.difference(0, 1)
    interval = difference.interval(level, kind="equal-tailed")
    assert difference.cdf(interval.low) == pytest.approx((1 - level) / 2, abs=1e-6)
    assert difference.cdf(interval.high) == pytest.approx((1 + level) / 2, abs=1e-6)
    assert -1 <= interval.low < difference.mean < interval.high <= 1


def test_interval_of_lopsided_systems():
    """All adequate in one, all but one in the other: far from the normal guess that the search starts with."""
    level = 0.999
    joint = SharedRates([system((300, 300), (290, 10, 0, 0), (0, 0)), system((1999, 2000), (1900, 99, 1, 0), (1, 1))])
    difference = joint.difference(0, 1)
    interval = difference.interval(level, kind="equal-tailed")
    assert difference.cdf(interval.low) == pytest.approx((1 - level) / 2, abs=1e-6)
    assert difference.cdf(interval.high) == pytest.approx((1 + level) / 2, abs=1e-6)


def test_difference_and_its_mirror(joint):
    one, two = joint.difference(0, 1), joint.difference(1, 0)
    assert one.probability_positive + two.probability_positive == pytest.approx(1, abs=1e-8)
    assert one.mean == pytest.approx(-two.mean, abs=1e-14)
    assert one.sd == pytest.approx(two.sd, abs=1e-12)
    assert one.quantile(0.1) == pytest.approx(-two.quantile(0.9), abs=1e-6)


def test_difference_with_itself_is_even():
    """Two systems with the same counts: P = ½, mean 0."""
    difference = SharedRates([FIRST, FIRST]).difference(0, 1)
    assert difference.probability_positive == pytest.approx(0.5, abs=1e-8)
    assert difference.mean == pytest.approx(0, abs=1e-12)


def test_moments_of_the_difference(joint):
    """Mean: of the means. Both: from the distribution function itself, integrated by parts over ten sds; 1e-5."""
    difference = joint.difference(0, 1)
    assert difference.mean == pytest.approx(joint.marginal(0).mean - joint.marginal(1).mean, abs=1e-12)
    low, high = difference.mean - 5 * difference.sd, difference.mean + 5 * difference.sd
    x, weights = oracles.gauss_legendre(low, high, 1, nodes=24)
    upper = np.array([1 - difference.cdf(float(d)) for d in x])
    mean = low + weights @ upper
    square = low**2 + weights @ (2 * x * upper)
    assert mean == pytest.approx(difference.mean, abs=1e-5)
    assert np.sqrt(square - mean**2) == pytest.approx(difference.sd, abs=1e-5)


def test_cdf_is_monotone_from_0_to_1(joint):
    values = [joint.difference(0, 1).cdf(float(d)) for d in np.linspace(-0.5, 0.5, 11)]
    assert (np.diff(values) > -1e-9).all()
    assert [joint.difference(0, 1).cdf(d) for d in (-1.0, 1.0)] == pytest.approx([0, 1], abs=1e-9)


def test_shared_rates_sharpen_a_difference():
    """The point of the exercise: what is unknown of the metric cancels, nearly, in a difference."""
    separate = Difference(posterior(FIRST), posterior(SECOND))
    shared = SharedRates([FIRST, SECOND]).difference(0, 1)
    assert shared.sd < 0.75 * separate.sd


def test_without_metric_ratings_the_systems_are_independent():
    """Then nothing is shared: Beta posteriors from the human ratings."""
    joint = SharedRates([system((60, 100), (42, 18, 28, 12), (0, 0)), system((50, 100), (35, 15, 35, 15), (0, 0))])
    independent = Difference(posterior(Evidence.of((60, 100))), posterior(Evidence.of((50, 100))))
    shared = joint.difference(0, 1)
    assert joint.marginal(0).mean == pytest.approx(61 / 102, abs=1e-9)
    assert shared.probability_positive == pytest.approx(independent.probability_positive, abs=1e-8)
    assert shared.sd == pytest.approx(independent.sd, abs=1e-9)
    assert shared.interval().low == pytest.approx(independent.interval().low, abs=1e-6)


def test_without_metric_ratings_the_metrics_rates_are_those_of_the_calibration():
    joint = SharedRates([system((60, 100), (42, 18, 28, 12), (0, 0)), system((50, 100), (35, 15, 35, 15), (0, 0))])
    assert joint.tpr == pytest.approx(stats.beta(78, 34).mean(), abs=1e-9)
    assert joint.tnr == pytest.approx(stats.beta(64, 28).mean(), abs=1e-9)


def test_a_huge_calibration_makes_rates_known():
    """With rates pinned down by 10⁷ outputs the systems are independent, each with its known-rates posterior."""
    size = 10**6
    confusion = (9 * size, size, 8 * size, 2 * size)
    joint = SharedRates([system((60, 100), confusion, (640, 1000)), system((50, 100), (0, 0, 0, 0), (600, 1000))])
    known = [
        posterior(Evidence.of(human, rates=(0.9, 0.8), metric=metric))
        for human, metric in (((60, 100), (640, 1000)), ((50, 100), (600, 1000)))
    ]
    independent, shared = Difference(*known), joint.difference(0, 1)
    assert shared.mean == pytest.approx(independent.mean, abs=1e-5)
    assert shared.sd == pytest.approx(independent.sd, abs=1e-5)
    assert shared.probability_positive == pytest.approx(independent.probability_positive, abs=1e-4)


def test_one_system_alone_has_its_own_posterior():
    """With a single system there is nobody to share with: the mean of the ordinary posterior."""
    assert SharedRates([FIRST]).marginal(0).mean == pytest.approx(posterior(FIRST).mean, abs=1e-8)


def test_priors_are_used():
    """Jeffreys' prior for one system alone is that of the ordinary posterior as well."""
    for prior in (PRIORS["jeffreys"], Prior((2, 3), (5, 1), (0.5, 4))):
        assert SharedRates([FIRST], prior).marginal(0).mean == pytest.approx(posterior(FIRST, prior).mean, abs=1e-7)


def test_systems_without_human_ratings():
    """One calibrated system lends its calibration to another that was rated by the metric alone."""
    joint = SharedRates([FIRST, system((0, 0), (0, 0, 0, 0), (510, 1000))])
    assert joint.marginal(1).mean < joint.marginal(0).mean
    assert joint.difference(0, 1).sd < 0.1


def test_balanced_outputs_from_elsewhere_calibrate_and_nothing_else():
    metric = {"calibration": FIRST.confusion, "metric": FIRST.metric}
    balanced, plain = (Evidence.of(**metric, sampling=sampling) for sampling in ("balanced", "random"))
    one, two = (SharedRates([first, SECOND]).marginal(0) for first in (balanced, plain))
    assert one.mean == two.mean


@pytest.mark.parametrize("sampling", ["balanced", "by-metric"])
def test_outputs_chosen_on_purpose_are_refused(sampling):
    """The rest of the outputs, which the metric alone rated, is then not like the system's outputs."""
    chosen = system((100, 200), (90, 10, 90, 10), (20, 200))
    with pytest.raises(InvalidInput, match=f"a random sample rated by people, got '{sampling}'"):
        compare({"A": replace(chosen, sampling=sampling), "B": chosen}, borrow="shared")


def test_a_table_of_outputs_chosen_on_purpose_is_refused():
    rows = [(name, item, item % 2 if item < 40 else None, item % 2) for name in "AB" for item in range(100)]
    table = pl.DataFrame(rows, schema=["system", "item", "human", "judge"], orient="row")
    with pytest.raises(InvalidInput, match="a random sample rated by people, got 'balanced'"):
        read_ratings(table, sampling="balanced").compare(borrow="shared")


def by_solving(systems, size):
    """Draw the metric's rates from their calibration and its pass rates, and solve for the systems' rates; weights."""
    rng = np.random.default_rng(5)
    (tn, fp), (fn, tp) = np.sum([one.calibration for one in systems], axis=0) + 1
    tpr, tnr = rng.beta(tp, fn, size), rng.beta(tn, fp, size)
    passed = np.array(
        [rng.beta(one.metric.positive + 1, one.n_metric - one.metric.positive + 1, size) for one in systems]
    )
    rates = (passed - (1 - tnr)) / (tpr + tnr - 1)
    good, bad = (np.array([[one.own.truths[c]] for one in systems]) for c in (1, 0))
    weights = np.where((rates > 0) & (rates < 1), stats.beta(good + 1, bad + 1).pdf(rates), 0).prod(axis=0)
    return rates, weights / np.abs(tpr + tnr - 1) ** len(systems)


@pytest.mark.parametrize(
    ("third", "passed"), [((18, 2, 70, 10), (6300, 6050, 2500)), ((50, 5, 39, 6), (6300, 6290, 6250))]
)
def test_ranks_against_solving_for_the_rates(third, passed):
    """P(best) follows the pairs, which share what is unknown of the metric; five standard errors of 20,000 draws."""
    confusions = (54, 6, 34, 6), (54, 6, 34, 6), third
    systems = {
        name: system((confusion[0] + confusion[1], 100), confusion, (n, 10_000))
        for name, confusion, n in zip("ABC", confusions, passed, strict=True)
    }
    rates, weights = by_solving(list(systems.values()), 400_000)
    assert weights.sum() ** 2 / (weights @ weights) > 2 * SIZE
    order = np.argsort(-rates, axis=0)
    expected = [[weights[order[rank] == i].sum() / weights.sum() for rank in range(3)] for i in range(3)]
    found = Ladder(systems)["shared"].rank_probabilities()
    assert found == pytest.approx(np.array(expected), abs=5 * np.sqrt(0.25 / SIZE))


def test_draws_are_those_of_marginals_and_differences(joint):
    """Means and standard deviations, each to four standard errors."""
    size = 100_000
    drawn = joint.sample(size, np.random.default_rng(3))
    kinds = [
        (drawn[0], joint.marginal(0)),
        (drawn[2], joint.marginal(2)),
        (drawn[0] - drawn[1], joint.difference(0, 1)),
    ]
    for values, exact in kinds:
        assert values.mean() == pytest.approx(exact.mean, abs=4 * exact.sd / np.sqrt(size))
        assert values.std() == pytest.approx(exact.sd, rel=4 / np.sqrt(2 * size))


@pytest.mark.parametrize(
    "wrong",
    [
        Evidence.of((60, 100)),
        Evidence.of((60, 100), rates=(0.9, 0.8), metric=(5, 10)),
        Evidence.of((60, 100), calibration=Levels((1, 2, 3), (3, 2, 1)), metric=(1, 2, 3)),
        replace(FIRST, fused=(FIRST,)),
    ],
)
def test_what_cannot_share_is_refused(wrong):
    """No metric, known rates, levels, two metrics."""
    with pytest.raises(InvalidInput, match="one binary metric"):
        SharedRates([FIRST, wrong])


def by_brute_force(first, second, prior):
    """P(first > second) with shared rates: trapezoidal sums over both rates, and for each pair over the systems' rates.

    The distribution function of the second is a trapezoidal sum too, with the first term of Euler and Maclaurin.
    """
    (tn, fp), (fn, tp) = np.add(first.calibration, second.calibration)
    a, b = np.array([tp + prior.tpr[0], tn + prior.tnr[0]]), np.array([fn + prior.tpr[1], fp + prior.tnr[1]])
    centre, sd = digamma(a) - digamma(b), np.sqrt(polygamma(1, a) + polygamma(1, b))
    x = np.linspace(-2.5, 3.0, 3001)
    h, rate = x[1] - x[0], expit(x)
    line = np.linspace(-8, 8, 81)
    parts = []
    for u in centre[0] + sd[0] * line:
        v = centre[1] + sd[1] * line
        tpr, tnr = expit(u), expit(v)[:, None]
        log_weight = a[0] * np.log(tpr) + b[0] * np.log1p(-tpr) + a[1] * np.log(tnr[:, 0]) + b[1] * np.log1p(-tnr[:, 0])
        densities = []
        for e in (first, second):
            passed, n = e.metric.positive, e.n_metric
            alpha, beta = prior.rate[0] + e.human.positive, prior.rate[1] + e.human.total - e.human.positive
            p = rate * tpr + (1 - rate) * (1 - tnr)
            logs = alpha * np.log(rate) + beta * np.log1p(-rate) + passed * np.log(p) + (n - passed) * np.log1p(-p)
            peak = logs.max(axis=1, keepdims=True)
            log_weight = log_weight + peak[:, 0]
            densities.append(np.exp(logs - peak))
        one, two = densities
        below = (np.cumsum(two, axis=1) - two / 2) * h - h**2 / 12 * np.gradient(two, h, axis=1)
        both, first_above = (one.sum(axis=1) * two.sum(axis=1)) * h**2, (one * below).sum(axis=1) * h
        parts.append((log_weight, both, first_above))
    log_weights, boths, aboves = (np.concatenate(part) for part in zip(*parts, strict=True))
    weights = np.exp(log_weights - log_weights.max())
    return float(weights @ aboves / (weights @ boths))


@pytest.mark.parametrize("prior", PRIORS)
def test_many_metric_ratings_against_brute_force(prior):
    """5,000 metric ratings of each system, with either prior, by sums that share nothing with the class."""
    systems = [
        Evidence.of((33, 50), calibration=Confusion(28, 5, 13, 4), metric=(3190, 5000)),
        Evidence.of((29, 50), calibration=Confusion(25, 4, 17, 4), metric=(3040, 5000)),
    ]
    expected = by_brute_force(*systems, PRIORS[prior])
    found = SharedRates(systems, PRIORS[prior]).difference(0, 1).probability_positive
    assert found == pytest.approx(expected, abs=1e-6)
