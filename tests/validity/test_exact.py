"""What need not be simulated: the worst case of an interval, from people's ratings alone."""

from __future__ import annotations

import pytest
from validity.one import worst

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("n", "least"), [(20, 0.90), (50, 0.91), (100, 0.92)])
def test_shortest_intervals_have_the_best_worst_case(n, least):
    shortest = worst(n, "highest-density")
    assert shortest >= least
    assert shortest >= worst(n, "equal-tailed")
