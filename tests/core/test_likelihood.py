"""The likelihood of the rate given metric ratings: both fast paths, full sum and oracles must tell the same story.

A likelihood is known up to a constant; logs are compared after taking out their value at the middle rate.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from scipy.special import expit, logsumexp, xlogy

import oracles
import strategies
from tellapart import Confusion, Evidence, Prior
from tellapart.core.likelihood import _log_power_series, by_latent_count, estimated_rates, known_rates
from tellapart.core.pass_rate import by_pass_rate
from tellapart.core.posterior import level_parameters, log_likelihood
from tellapart.core.prior import PRIORS

ALWAYS, NEVER = 10**9, 0  # whether the full sum is taken
RATES = np.unique(np.concatenate([[1e-300, 1e-12, 1e-5], np.linspace(0.01, 0.99, 15), 1 - np.array([1e-5, 1e-12])]))


def shape_of(logs):
    """Return logs relative to the middle one."""
    return logs - logs[len(logs) // 2]


def all_paths(counts, adequate, inadequate, rates=RATES):
    """Return the full sum, the sum over some latent counts, and what is taken if the full sum is not."""
    table = counts, adequate, inadequate
    paths = (
        estimated_rates(*table, full_sum_up_to=ALWAYS),
        *([by_latent_count(*table)] if sum(counts) else []),
        estimated_rates(*table, full_sum_up_to=NEVER),
    )
    return [shape_of(path(rates, 1 - rates)) for path in paths]


def test_every_term_of_a_power_series_counts_whatever_its_slope():
    """The sum in rows against the plain one, for slopes that leave one term and for those that leave thousands."""
    x = np.concatenate([[0.0, 700.0, -700.0], np.linspace(-40, 40, 9), np.linspace(-3, 3, 13)])
    rng = np.random.default_rng(4)
    for size in (1, 2, 7, 1001, 3001):
        t = np.arange(float(size))
        steep = 650.0 * t
        for constant in (np.zeros(size), -((t - size / 3) ** 2), 200 * rng.standard_normal(size), steep, -steep):
            plain = logsumexp(np.multiply.outer(x, t) + constant, axis=1)
            for some in (slice(None), slice(3, None), slice(12, None)):
                found = _log_power_series(x[some], constant)
                assert found == pytest.approx(plain[some], abs=1e-11, rel=1e-14)


CASES = {
    "everyday": ([460, 540], [19, 43], [29, 13]),
    "no calibration": ([460, 540], [1, 1], [1, 1]),
    "Jeffreys without calibration": ([460, 540], [0.5, 0.5], [0.5, 0.5]),
    "nearly perfect metric": ([200, 800], [1, 51], [11, 1]),
    "all passed": ([0, 700], [3, 39], [1, 1]),
    "none passed": ([700, 0], [3, 39], [30, 9]),
    "one rating": ([0, 1], [19, 43], [29, 13]),
    "three of a thousand": ([997, 3], [2, 900], [900, 2]),
    "conflict": ([100, 900], [6, 96], [96, 6]),
    "large lopsided calibration": ([300, 200], [1, 10**7], [3, 2]),
    "inverted": ([680, 320], [49, 13], [9, 33]),
    "tiny pseudo-counts": ([30, 500], [0.01, 0.02], [4.01, 0.03]),
    "three levels": ([290, 300, 410], [8.7, 17.7, 35.7], [20.7, 12.7, 8.7]),
    "five levels, two unseen": ([150, 0, 210, 240, 0], [0.4, 10.4, 0.4, 50.4, 50.4], [20.4, 16.4, 12.4, 0.4, 4.4]),
}


@pytest.mark.parametrize("case", CASES)
def test_fast_path_and_full_sum_agree_with_the_oracle(case):
    """1e-8 in the log likelihood, over 300 decimal orders of the rate; what is seen is 1e-10."""
    expected = shape_of(oracles.log_likelihood_full(*CASES[case], RATES))
    for actual in all_paths(*CASES[case]):
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-8)


@given(evidence=strategies.evidences(), prior=strategies.priors())
def test_fast_path_and_full_sum_agree_on_nasty_counts(evidence, prior):
    """Narrow factors, edges, conflict, no calibration, lopsided calibration: no shortcut may show in the digits."""
    counts, (inadequate, adequate) = evidence.own.metric_only, level_parameters(evidence, prior)
    expected = shape_of(oracles.log_likelihood_full(counts, adequate, inadequate, RATES))
    for actual in all_paths(counts, adequate, inadequate):
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("case", ["small", "jeffreys", "levels"])
def test_oracle_and_package_against_40_digits(case):
    """The oracle itself is right: the same sum in 40-digit arithmetic, both agreeing to rounding (1e-12)."""
    arguments = {
        "small": ([23, 27], [9.5, 21], [14, 6.25]),
        "jeffreys": ([30, 2], [0.5, 0.5], [7.5, 0.5]),
        "levels": ([12, 9, 14], [1.7, 5.7, 9.7], [8.7, 2.7, 0.7]),
    }[case]
    rates = np.array([1e-6, 0.03, 0.4, 0.8, 0.999])
    exact = shape_of(np.array([oracles.log_likelihood_40_digits(*arguments, rate) for rate in rates]))
    np.testing.assert_allclose(shape_of(oracles.log_likelihood_full(*arguments, rates)), exact, rtol=1e-12, atol=1e-12)
    full, *fast = all_paths(*arguments, rates)
    np.testing.assert_allclose(full, exact, rtol=1e-11, atol=1e-11)
    for actual in fast:
        np.testing.assert_allclose(actual, exact, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    ("positive", "total", "tpr", "tnr"),
    [
        (540, 1000, (43, 19), (29, 13)),
        (5400, 10_000, (43, 19), (29, 13)),
        (54_000, 100_000, (43.5, 18.5), (28.5, 12.5)),
        (800, 1000, (51, 1), (11, 1)),
        (3, 20_000, (2, 8), (900, 2)),
    ],
)
def test_against_quadrature_over_the_metrics_rates(positive, total, tpr, tnr):
    """The definition of the likelihood, with no latent count in it: an integral over tpr and tnr.

    1e-8: the quadrature itself, 1200 points or more for each rate, is good to about 1e-11.
    """
    rates = np.array([0.02, 0.2, 0.45, 0.6, 0.75, 0.97])
    panels = 120 if total > 20_000 else 60  # the ridge of equal p is narrower the more ratings there are
    expected = shape_of(oracles.log_likelihood_by_quadrature(positive, total, tpr, tnr, rates, panels=panels))
    actual = estimated_rates([total - positive, positive], tpr[::-1], tnr, full_sum_up_to=NEVER)(rates, 1 - rates)
    np.testing.assert_allclose(shape_of(actual), expected, rtol=0, atol=1e-8)


def test_several_thousand_ratings_on_either_side_of_the_switch():
    """The default no longer takes the full sum beyond 3000 ratings; neither side may show it."""
    for n in (2990, 3010, 8000):
        counts = [n // 3, n - n // 3]
        full, *fast = all_paths(counts, [19, 43], [29, 13])
        default = shape_of(estimated_rates(counts, [19, 43], [29, 13])(RATES, 1 - RATES))
        for actual in (*fast, default):
            np.testing.assert_allclose(actual, full, rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    "calibration", [([19, 43], [29, 13]), ([3, 9], [8, 2]), ([90, 520], [310, 100]), ([2, 61], [41, 3])]
)
@pytest.mark.parametrize("passed", [0.02, 0.3, 0.55, 0.98])
def test_values_through_the_pass_rate_that_pass_its_checks_are_right(calibration, passed):
    """1e-9, the constant included; against every term of the sum, or the sum over some of them."""
    rates = np.linspace(0.01, 0.99, 50)
    for n in (4000, 10_000, 10**6, 10**9):
        counts = [n - round(n * passed), round(n * passed)]
        quick = by_pass_rate(counts, *calibration)
        if quick is None:
            continue
        value, resolved = quick(rates, 1 - rates)
        full = estimated_rates(counts, *calibration, full_sum_up_to=20_000)
        exact = (full if n <= 20_000 else by_latent_count(counts, *calibration))(rates, 1 - rates)
        np.testing.assert_allclose(value[resolved], exact[resolved], rtol=0, atol=1e-9 + 4e-16 * n)


@pytest.mark.parametrize("failed", [100, 621, 3000])
def test_a_pass_rate_near_its_end_that_the_calibration_did_not_expect(failed):
    """The integral over s is then a high power of the distance from the end, which few Gauss points do not see."""
    rates, counts, calibration = np.linspace(0.01, 0.99, 50), [failed, 8 * 10**8], ([51, 121], [54, 61])
    value, resolved = by_pass_rate(counts, *calibration)(rates, 1 - rates)
    exact = by_latent_count(counts, *calibration)(rates, 1 - rates)
    np.testing.assert_allclose(value[resolved], exact[resolved], rtol=0, atol=1e-6)


def test_everyday_ratings_are_worked_out_through_the_pass_rate_alone():
    """Most rates; if not, nothing is wrong but the speed."""
    for n in (10_000, 10**6, 10**9):
        value, resolved = by_pass_rate([n // 2, n // 2], [19, 43], [29, 13])(RATES[3:-3], 1 - RATES[3:-3])
        assert resolved.all()
        assert np.isfinite(value).all()


def test_swapping_the_classes_mirrors_the_likelihood():
    """Adequate and inadequate are names: exchanging them, α becomes 1 − α."""
    counts, adequate, inadequate = CASES["three levels"]
    one = shape_of(estimated_rates(counts, adequate, inadequate)(RATES, 1 - RATES))
    two = shape_of(estimated_rates(counts, inadequate, adequate)(1 - RATES, RATES))
    np.testing.assert_allclose(one, two, rtol=0, atol=1e-10)


def test_the_order_of_levels_does_not_matter():
    """Levels are merged one after another; which comes first must not show, in the fast path neither."""
    counts, adequate, inadequate = CASES["five levels, two unseen"]
    order = [3, 0, 4, 2, 1]
    shuffled = [[values[k] for k in order] for values in (counts, adequate, inadequate)]
    for one, two in zip(all_paths(counts, adequate, inadequate), all_paths(*shuffled), strict=True):
        np.testing.assert_allclose(one, two, rtol=0, atol=1e-8)


def test_a_level_that_says_nothing_can_be_split():
    """A level cut in two at random, with pseudo-counts cut in the same way, leaves the likelihood as it was.

    Only if the parts say the same of both classes, which large equal calibrations enforce.
    """
    whole = all_paths([300, 200], [1e7, 19], [3e7, 43])[0]
    parts = all_paths([150, 150, 200], [0.5e7, 0.5e7, 19], [1.5e7, 1.5e7, 43])[0]
    np.testing.assert_allclose(parts, whole, rtol=0, atol=1e-3)  # a few hundred ratings beside 10⁷ pseudo-counts


@pytest.mark.parametrize(("tpr", "tnr"), [(0.7, 0.7), (1.0, 1.0), (0.62, 0.88), (0.1, 0.2), (1.0, 0.3)])
@pytest.mark.parametrize(("positive", "total"), [(0, 1), (540, 1000), (0, 1000), (1000, 1000), (123_456_789, 10**9)])
def test_known_rates_is_the_binomial_likelihood(tpr, tnr, positive, total):
    """Straight from the definition; at 10⁹ ratings the plain formula itself loses seven digits of logs near 10⁹."""
    rate = np.linspace(0.05, 0.95, 19)
    p = rate * tpr + (1 - rate) * (1 - tnr)
    expected = xlogy(positive, p) + xlogy(total - positive, rate * (1 - tpr) + (1 - rate) * tnr)
    actual = known_rates([total - positive, positive], (1 - tpr, tpr), (tnr, 1 - tnr))(rate, 1 - rate)
    np.testing.assert_allclose(shape_of(actual), shape_of(expected), rtol=1e-12, atol=1e-12 * total + 1e-11)


def test_a_large_calibration_makes_estimated_rates_known():
    """Calibrated by 10⁷ outputs of each kind the two models differ by about n/10⁷ in the log."""
    rate = np.linspace(0.3, 0.9, 13)
    million = 10**6
    estimated = estimated_rates([460, 540], [3 * million, 7 * million], [8 * million, 2 * million])(rate, 1 - rate)
    known = known_rates([460, 540], (0.3, 0.7), (0.8, 0.2))(rate, 1 - rate)
    np.testing.assert_allclose(shape_of(estimated), shape_of(known), rtol=0, atol=1e-2)


def test_nothing_rated_says_nothing():
    np.testing.assert_allclose(estimated_rates([0, 0], [3, 4], [5, 6])(RATES, 1 - RATES), 0.0, atol=1e-14)


def test_likelihoods_of_several_metrics_add_up():
    """Metrics are fused as if independent: logs are added, metrics without ratings change nothing."""
    one = Evidence.of(calibration=Confusion(21, 9, 14, 6), metric=(54, 100))
    two = Evidence.of(rates=(0.9, 0.7), metric=(30, 40))
    empty = Evidence.of(calibration=Confusion(5, 5, 5, 5), metric=(0, 0))
    prior = PRIORS["uniform"]
    alone = [log_likelihood(metric, prior)(RATES, 1 - RATES) for metric in (one, two)]
    together = log_likelihood(replace(one, fused=(empty, two)), prior)(RATES, 1 - RATES)
    np.testing.assert_allclose(together, alone[0] + alone[1], rtol=1e-13, atol=1e-12)


def test_the_prior_of_the_metrics_rates_is_part_of_its_parameters():
    """Pseudo-counts are written (for 1, for 0) for tpr and (for 0, for 1) for tnr; levels are rated 0, rated 1."""
    given = Evidence.of(calibration=Confusion(tp=21, fn=9, tn=14, fp=6), metric=(54, 100))
    prior = Prior(tpr=(2, 3), tnr=(5, 7))
    inadequate, adequate = level_parameters(given, prior)
    assert (adequate, inadequate) == ([9 + 3, 21 + 2], [14 + 5, 6 + 7])
    assert oracles.confusion_parameters(given.confusion, prior) == (adequate, inadequate)


@pytest.mark.parametrize("n", [10**6, 10**9, 10**12])
def test_rates_next_to_both_ends_at_any_size(n):
    """Finite for every rate a float can hold but 0 and 1, and falling towards the end the ratings speak against."""
    x = np.array([-600.0, -100.0, -30.0, 30.0, 100.0, 600.0])
    logs = estimated_rates([n // 10, n - n // 10], [19, 43], [29, 13])(expit(x), expit(-x))
    assert np.isfinite(logs).all()
