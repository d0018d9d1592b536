"""The guarantee itself, on the grid that `make validity` simulates in full: few evaluations, and exact bands.

A mean is refused where it is less likely than a given error to come out so far from its goal if the goal is met. Half
of one per cent is shared out among the means over all cells of a group, and half among those of single cells: together
they fail a sound program in less than one run of a hundred. Outside CI every run draws other evaluations.
"""

from __future__ import annotations

import math
import os
import secrets

import pytest
from scipy.stats import binom
from validity.cell import Sums
from validity.grid import GROUPS

pytestmark = pytest.mark.slow

FIRST = 0 if "CI" in os.environ else secrets.randbelow(2**31)
TESTED = [group for group in GROUPS if group.reduced]
AVERAGE = 0.005 / (2 * sum(len(group.average) for group in TESTED))
SINGLE = 0.005 / (
    2 * sum(len({**group.goals, **cell.goals, **cell.allowed}) for group in TESTED for cell in group.cells)
)


def chance(sums, outcome, low, high):
    """The probability of a mean so far outside, were it at the nearer end of the band.

    Of all outcomes between 0 and 1 those that are 0 or 1 scatter most; sums of others have tails of at most e times the
    binomial ones (Bentkus 2004).
    """
    n, total, _ = sums[outcome]
    below, above = binom.cdf(math.ceil(total), n, low), binom.sf(math.floor(total) - 1, n, high)
    return min(below, above) * (1.0 if float(total).is_integer() else math.e)


def added(group, found, outcome):
    """All cells together, but for those that have a goal of their own."""
    sums = Sums()
    for cell in group.cells:
        if outcome in found[cell.name] and outcome not in cell.goals:
            sums.merge({outcome: found[cell.name][outcome]})
    return sums


@pytest.mark.parametrize("group", TESTED, ids=lambda group: group.name)
def test_goals_are_met(group):
    numbers = range(FIRST, FIRST + group.reduced)
    found = {cell.name: cell.run(numbers) for cell in group.cells}
    off = []
    for cell in group.cells:
        for outcome, goal in {**group.goals, **cell.goals, **cell.allowed}.items():
            if outcome in found[cell.name] and chance(found[cell.name], outcome, *goal) < SINGLE:
                off.append((cell.name, outcome, found[cell.name].mean(outcome), goal))
    for outcome, goal in group.average.items():
        sums = added(group, found, outcome)
        if chance(sums, outcome, *goal) < AVERAGE:
            off.append(("all cells", outcome, sums.mean(outcome), goal))
    assert not off, f"from evaluation {FIRST} on"
