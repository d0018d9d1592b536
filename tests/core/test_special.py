"""Log-gamma ratios against 40-digit arithmetic: every digit of the likelihood goes through these."""

import mpmath
import numpy as np
import pytest

from oracles import log_multichoose_40_digits
from tellapart.core.special import (
    binomial_deviance,
    log_binomial_pmf,
    log_chooses,
    log_multichoose,
    log_multichooses,
    stirling_remainder,
)

# around 16 the series takes over from log-gamma; half-integers occur because the functions are used between integers
POINTS = (0.0, 1.0, 2.0, 5.0, 15.0, 15.5, 16.0, 17.0, 100.0, 1e4, 1e7, 1e9, 1e12, 1e15)
SHAPES = (1e-3, 0.25, 0.5, 1.0, 1.5, 2.5, 16.0, 100.5, 1e4, 1e7, 1e12, 1e15)


@pytest.mark.parametrize("a", SHAPES)
def test_log_multichoose_keeps_its_digits(a):
    """Relative to its own size, from no outputs to 10¹⁵: 1e-13 is a dozen roundings of terms that partly cancel."""
    expected = [log_multichoose_40_digits(x, a) for x in POINTS]
    np.testing.assert_allclose(log_multichoose(np.array(POINTS), a), expected, rtol=1e-13, atol=3e-14)


def test_log_multichoose_beats_log_gamma_differences_at_a_billion():
    """The case it was written for: a plain difference of log-gammas is off by 1e-6 there."""
    value = log_multichoose(np.array([1e9]), 1e7)[0]
    assert value == pytest.approx(log_multichoose_40_digits(1e9, 1e7), rel=1e-14)


def test_log_multichoose_of_nothing_and_of_one():
    """Γ(a)/(Γ(a)·0!) = 1 and (1 ⦂ x) = 1, whatever the size of the rest."""
    for a in SHAPES:
        assert log_multichoose(np.zeros(1), a)[0] == pytest.approx(0.0, abs=1e-13)
    np.testing.assert_allclose(log_multichoose(np.array(POINTS), 1.0), 0.0, atol=3e-14)


def test_log_multichoose_counts_multisets():
    """(3 ⦂ x) is the number of ways to put x balls into 3 urns."""
    x = np.arange(200.0)
    np.testing.assert_allclose(np.exp(log_multichoose(x, 3.0)), (x + 1) * (x + 2) / 2, rtol=1e-12)


@pytest.mark.parametrize("a", SHAPES)
def test_running_sums_of_log_multichoose_keep_their_digits(a):
    """All x up to where sums are done in full; where long floats are no longer than others, errors add up to 1e-12."""
    expected = [log_multichoose_40_digits(x, a) for x in range(0, 3001, 150)]
    np.testing.assert_allclose(log_multichooses(3000, a)[::150], expected, rtol=1e-12, atol=3e-14)


def test_running_sums_of_binomial_coefficients():
    """Exact integers, up to 903 digits long."""
    expected = [float(mpmath.log(mpmath.binomial(3000, x))) for x in range(0, 3001, 150)]
    np.testing.assert_allclose(log_chooses(3000)[::150], expected, rtol=1e-13, atol=1e-12)
    assert log_chooses(0).tolist() == [0.0]


def test_stirling_remainder():
    """Accurate for every x ≥ 0, integer or not, on both sides of the switch to the series; 2e-14 is rounding."""
    points = np.concatenate([[0.0, 1e-5, 0.5, 1.0, 3.0, 15.99, 16.0, 16.01], 10 ** np.linspace(1.3, 15, 30)])
    with mpmath.workdps(40):
        expected = [
            float(mpmath.loggamma(1 + x) - (x * mpmath.log(x) - x if x else 0)) for x in map(mpmath.mpf, points)
        ]
    np.testing.assert_allclose(stirling_remainder(points), expected, rtol=0, atol=2e-14)


@pytest.mark.parametrize("n", [1, 10, 300, 10**6, 10**9])
@pytest.mark.parametrize("p", [1e-12, 0.01, 0.3, 0.5, 0.99])
def test_log_binomial_pmf(n, p):
    """At the peak, in both tails and at the ends; x − np itself is rounded to n·1e-16, times 5 widths: 1e-11 at 10⁹."""
    width = np.sqrt(n * p * (1 - p))
    x = np.unique(np.clip(np.rint(n * p + width * np.array([-5, -1, 0, 1, 5])), 0, n))
    x = np.unique(np.concatenate([x, [0.0, n // 2, n]]))
    with mpmath.workdps(50):
        exact = mpmath.mpf(p)
        expected = [
            float(mpmath.log(mpmath.binomial(n, k)) + k * mpmath.log(exact) + (n - k) * mpmath.log(1 - exact))
            for k in map(mpmath.mpf, x)
        ]
    actual = log_binomial_pmf(x, n, np.full_like(x, p), np.full_like(x, 1 - p))
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-11)


def test_log_binomial_pmf_sums_to_one():
    x = np.arange(301.0)
    for p in (0.003, 0.4, 0.999):
        assert np.exp(log_binomial_pmf(x, 300, np.full_like(x, p), np.full_like(x, 1 - p))).sum() == pytest.approx(
            1, rel=1e-12
        )


def test_binomial_deviance_is_zero_at_the_peak_and_positive_elsewhere():
    p = np.array([0.25, 0.5])
    np.testing.assert_array_equal(binomial_deviance(np.array([25e7, 50e7]), 1e9, p, 1 - p), 0.0)
    assert (binomial_deviance(np.array([0.0, 1e9]), 1e9, p, 1 - p) > 0).all()


def test_binomial_deviance_next_to_the_peak():
    """One count off the peak of 10¹²: the deviance is ½/(npq), 13 digits below the terms it is made of."""
    value = binomial_deviance(np.array([5e11 + 1]), 1e12, np.array([0.5]), np.array([0.5]))[0]
    assert value == pytest.approx(0.5 / (1e12 * 0.25), rel=1e-4)
