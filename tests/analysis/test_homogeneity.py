"""Does the metric treat systems alike: Fisher's exact test and χ², against other implementations."""

import json
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tellapart import Confusion, homogeneity


def brute_fisher(a, b, c, d):
    """Return the two-sided p-value by enumerating every table with the same margins, in exact arithmetic."""
    first, second, total = a + b, c + d, a + c
    chances = [
        Fraction(comb(first, x) * comb(second, total - x), comb(first + second, total))
        for x in range(max(0, total - second), min(first, total) + 1)
    ]
    seen = Fraction(comb(first, a) * comb(second, c), comb(first + second, total))
    return float(sum(chance for chance in chances if chance <= seen))


def tables(most):
    return st.tuples(*[st.integers(0, most)] * 4).filter(lambda t: (t[0] + t[1]) * (t[2] + t[3]) > 0)


@given(tables(40))
def test_fisher_against_enumeration(table):
    """Exact fractions; 1e-9 relative for sums of exponentials of logs."""
    a, b, c, d = table
    result = homogeneity([Confusion(tp=a, fn=b, tn=1, fp=1), Confusion(tp=c, fn=d, tn=1, fp=1)])
    assert result.tpr_p_value == pytest.approx(brute_fisher(a, b, c, d), rel=1e-9)


@given(tables(2000))
def test_fisher_against_scipy(table):
    """scipy counts tables as no more probable within 1e-14, we within 1e-7: ties differ by that at most."""
    a, b, c, d = table
    result = homogeneity([Confusion(tp=1, fn=1, tn=a, fp=b), Confusion(tp=1, fn=1, tn=c, fp=d)])
    assert result.tnr_p_value == pytest.approx(stats.fisher_exact([[a, b], [c, d]]).pvalue, rel=1e-6, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), min_size=3, max_size=6))
def test_chi_square_against_scipy(table):
    """Three systems and more, without correction; empty rows are left out, an empty column decides nothing."""
    result = homogeneity([Confusion(tp=a, fn=b, tn=1, fp=1) for a, b in table])
    rows = [row for row in table if sum(row)]
    if len(rows) < 2 or not all(map(sum, zip(*rows, strict=True))):
        assert result.tpr_p_value == 1
    elif len(rows) == 2:
        assert result.tpr_p_value == pytest.approx(brute_fisher(*rows[0], *rows[1]), rel=1e-9)
    else:
        expected = stats.chi2_contingency(rows, correction=False).pvalue
        assert result.tpr_p_value == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_tpr_and_tnr_are_tested_apart():
    """Different rates on adequate outputs, equal ones on the others."""
    result = homogeneity([Confusion(40, 10, 30, 20), Confusion(20, 30, 31, 19)])
    assert result.tpr_p_value == pytest.approx(brute_fisher(40, 10, 20, 30), rel=1e-9)
    assert result.tnr_p_value == pytest.approx(brute_fisher(30, 20, 31, 19), rel=1e-9)


def test_both_together_is_twice_the_smaller():
    """Bonferroni over two tests, and never above one."""
    result = homogeneity([Confusion(40, 10, 30, 20), Confusion(20, 30, 31, 19)])
    assert result.p_value == pytest.approx(2 * result.tpr_p_value)
    assert homogeneity([Confusion(5, 5, 5, 5)] * 2).p_value == 1


def test_nothing_to_compare_is_no_difference():
    """One system, none, or no calibration at all."""
    for calibrations in ([], [Confusion(4, 1, 3, 2)], [Confusion(0, 0, 0, 0)] * 3, [Confusion(5, 0, 5, 0)] * 2):
        assert homogeneity(calibrations).p_value == 1


def test_large_counts():
    """A million calibration outputs, still an exact test and a finite answer."""
    result = homogeneity([Confusion(900_000, 100_000, 1, 1), Confusion(898_000, 102_000, 1, 1)])
    expected = stats.chi2_contingency([[900_000, 100_000], [898_000, 102_000]], correction=False).pvalue
    assert result.tpr_p_value == pytest.approx(expected, rel=0.05)


def test_order_of_systems_does_not_matter():
    calibrations = [Confusion(40, 10, 30, 20), Confusion(20, 30, 31, 19), Confusion(9, 9, 9, 9)]
    one, two = homogeneity(calibrations), homogeneity(calibrations[::-1])
    assert one.tpr_p_value == pytest.approx(two.tpr_p_value, rel=1e-12)


@given(tables(60))
def test_p_values_are_probabilities(table):
    a, b, c, d = table
    result = homogeneity([Confusion(a, b, c, d), Confusion(d, c, b, a)])
    assert 0 <= result.tpr_p_value <= 1
    assert 0 <= result.p_value <= 1


def test_words_follow_the_number():
    differ = homogeneity([Confusion(40, 10, 30, 20), Confusion(20, 30, 31, 19)])
    alike = homogeneity([Confusion(40, 10, 30, 20), Confusion(38, 12, 31, 19)])
    assert "do not rely on shared rates" in str(differ)
    assert "do not rely on shared rates" not in str(alike)
    assert json.loads(json.dumps(differ.to_dict()))["p_value"] == differ.p_value
