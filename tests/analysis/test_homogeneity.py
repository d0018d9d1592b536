"""The test of equal rates against scipy.stats, an independent implementation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tellapart import Confusion, homogeneity

count = st.integers(0, 60)


@given(count, count, count, count)
def test_two_systems_are_tested_exactly(tp1, fn1, tp2, fn2):
    result = homogeneity([Confusion(tp1, fn1, 1, 1), Confusion(tp2, fn2, 1, 1)])
    assert result.tpr_p_value == pytest.approx(stats.fisher_exact([[tp1, fn1], [tp2, fn2]]).pvalue, rel=1e-6, abs=1e-12)


def test_more_systems_by_chi_square():
    table = np.array([[40, 10], [30, 25], [22, 19]])
    result = homogeneity([Confusion(tp=1, fn=1, tn=int(a), fp=int(b)) for a, b in table])
    assert result.tnr_p_value == pytest.approx(stats.chi2_contingency(table, correction=False).pvalue, rel=1e-10)
    assert result.p_value == pytest.approx(min(1, 2 * result.tnr_p_value))


def test_nothing_to_compare_is_no_difference():
    assert homogeneity([Confusion(0, 0, 0, 0), Confusion(5, 5, 0, 0)]).p_value == 1


def test_words_follow_the_number():
    differ = homogeneity([Confusion(95, 5, 50, 50), Confusion(8, 92, 50, 50)])
    assert "do not rely on shared rates" in str(differ)
