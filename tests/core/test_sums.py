"""Sums over long ranges, against brute sums over every integer."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from tellapart.core.quadrature import NODES
from tellapart.core.sums import log_sum, sum_rule


def exact_sum(degree, low, high):
    """Return Σ ((2x − low − high)/(high − low))^degree over the integers low..high, without rounding."""
    total = sum(Fraction(2 * x - low - high, high - low) ** degree for x in range(low, high + 1))
    return float(total)


@pytest.mark.parametrize("degree", range(NODES))
@pytest.mark.parametrize("length", [2, NODES - 1, NODES, NODES + 1, 5 * NODES, 1000])
def test_sum_rule_is_exact_for_polynomials(degree, length):
    """The Euler-Maclaurin series ends for polynomials, so that nothing but rounding may be left.

    Between NODES and 5·NODES integers the weights alternate in sign and magnify rounding; log_sum splits such panels.
    """
    low, high = 7, 7 + length
    points, weights = sum_rule(np.array([float(low)]), np.array([float(high)]))
    values = ((2 * points - low - high) / (high - low)) ** degree
    scale = np.abs(weights).sum()
    assert (weights * values).sum() == pytest.approx(exact_sum(degree, low, high), abs=1e-13 * scale)


def test_sum_rule_counts_every_integer_of_a_short_panel():
    points, weights = sum_rule(np.array([3.0, 10.0]), np.array([3.0, 14.0]))
    np.testing.assert_array_equal(weights.sum(axis=1), [1, 5])
    np.testing.assert_array_equal(points[1, :5], [10, 11, 12, 13, 14])


def test_sum_rule_counts_a_billion():
    _, weights = sum_rule(np.array([0.0]), np.array([1e9]))
    assert weights.sum() == pytest.approx(1e9 + 1, rel=1e-14)


def brute(term, low, high):
    """Return the sum with all its terms, one row after another."""
    rows = []
    for i, (start, end) in enumerate(zip(low, high, strict=True)):
        x = np.arange(start, end + 1)
        rows.append(logsumexp(term(np.array([i]), x[None, :])[0]))
    return np.array(rows)


def check(term, low, high, *, peak, width, breaks=()):
    """1e-10 is ten times what log_sum promises: logs of sums over up to a million terms, rounded by brute force too."""
    low, high, peak, width = (np.atleast_1d(np.asarray(v, dtype=float)) for v in (low, high, peak, width))
    actual = log_sum(term, low, high, peak=peak, width=width, breaks=breaks)
    np.testing.assert_allclose(actual, brute(term, low, high), rtol=0, atol=1e-10)


N = 200_000


def bell(centre, width):
    return lambda _, x: -0.5 * ((x - centre) / width) ** 2


@pytest.mark.parametrize("width", [0.05, 0.7, 3, 40, 1000, 30_000, 1e6])
@pytest.mark.parametrize("centre", [-50, 0, 3, N // 3, N, N + 1000])
def test_log_sum_of_a_bell(centre, width):
    """Narrower than an integer or wider than the range, inside it or cut off at an end."""
    check(bell(centre, width), 0, N, peak=np.clip(centre, 0, N), width=min(width, N))


@pytest.mark.parametrize("guess", [0, 5, N // 2, N])
@pytest.mark.parametrize("width", [0.1, 10, 1e4])
def test_a_wrong_guess_costs_time_and_not_accuracy(guess, width):
    check(bell(60_000, 300), 0, N, peak=guess, width=width)


@pytest.mark.parametrize("slope", [-5.0, -0.3, -1e-3, -1e-7, 0.0, 1e-7, 1e-3, 0.3, 5.0])
def test_log_sum_of_a_geometric_series(slope):
    """Steep or flat, with the mass piled up at one end or nowhere."""
    check(lambda _, x: slope * x, 0, N, peak=0 if slope <= 0 else N, width=min(1 / max(abs(slope), 1e-9), N))


@pytest.mark.parametrize("power", [-0.99, -0.5, 0.5, 30.0])
def test_log_sum_with_power_laws_at_both_ends(power):
    """What a metric without calibration looks like: mass, or a singularity, at 0 and at n."""
    check(lambda _, x: power * (np.log(x + 0.5) + np.log(N - x + 0.5)), 0, N, peak=N / 2, width=N / 4)


@pytest.mark.parametrize("kink", [1, 777, N // 2, N - 1])
def test_log_sum_with_a_kink(kink):
    """A term that is smooth but for a known corner."""
    check(lambda _, x: -np.abs(x - kink) / 900, 0, N, peak=kink, width=900, breaks=(kink,))


def test_log_sum_of_two_bells():
    """The posterior without calibration has two peaks; the guess names neither."""

    def term(_, x):
        return np.logaddexp(-0.5 * ((x - 20_000) / 500) ** 2, 2 - 0.5 * ((x - 150_000) / 2000) ** 2)

    check(term, 0, N, peak=80_000, width=80_000)


def test_log_sum_of_many_rows_at_once():
    """Ranges of one integer, short and long ones, each with its own peak."""
    low, high = np.array([5, 0, 0, 1000, 0]), np.array([5, 1, 40, N, N])
    centre = np.array([5, 0.5, 90, 1000, 1e5])
    scale = np.array([1, 1, 10, 50, 2000.0])
    check(lambda i, x: -0.5 * ((x - centre[i][:, None]) / scale[i][:, None]) ** 2, low, high, peak=centre, width=scale)


def test_log_sum_far_below_underflow():
    """Logs near −10⁶, as with conflicting evidence: only differences are exponentiated."""
    check(lambda _, x: -1e6 - 0.5 * ((x - 4e4) / 200) ** 2, 0, N, peak=4e4, width=200)


def test_log_sum_of_a_billion_terms():
    """Too many to check by brute force, but the sum of a bell is √(2π) times its width."""
    result = log_sum(bell(4e8, 1e4), np.zeros(1), np.array([1e9]), peak=np.array([4e8]), width=np.array([1e4]))
    assert result[0] == pytest.approx(np.log(1e4 * np.sqrt(2 * np.pi)), abs=1e-11)


@given(
    n=st.integers(0, 20_000),
    a=st.floats(0.1, 200),
    b=st.floats(0.1, 200),
    slope=st.floats(-3, 3),
    guess=st.floats(0, 1),
    width=st.floats(0.1, 1e4),
)
def test_log_sum_of_anything_smooth(n, a, b, slope, guess, width):
    """Beta-like terms tilted by an exponential, with a random guess of peak and width."""
    check(
        lambda _, x: (a - 1) * np.log(x + 1) + (b - 1) * np.log(n - x + 1) + slope * x,
        0,
        n,
        peak=guess * n,
        width=width,
    )
