"""Gates: a version that is worse by just the margin passes seldom, one that is no worse fails seldom."""

from __future__ import annotations

import os

import numpy as np
import pytest

from tellapart import compare
from tellapart.analysis.gate import gate
from tellapart.analysis.studies import Truth, study
from tellapart.core.counts import Counts
from tellapart.core.evidence import Evidence

pytestmark = pytest.mark.slow

RUNS = 20 if "CI" in os.environ else 400
BAND = 3 * np.sqrt(0.05 * 0.95 / RUNS)
MARGIN = 0.03


def unrated(evidence: Evidence) -> Evidence:
    """Return the same as if only the judge had rated."""
    own = evidence.own
    alone = tuple(int(n) for n in np.array(own.both).sum(axis=0) + own.metric_only)
    return Evidence(Counts(((0, 0), (0, 0)), (0, 0), alone))


def decisions(gap: float, *, rated: bool, versions: int = 2, leniency: float = 0.3) -> list[str]:
    rng, found = np.random.default_rng([round(1000 * gap), rated, versions]), []
    for _ in range(RUNS):
        rates = [0.75 - gap, *([0.75] * (versions - 1))]
        truth = Truth.draw(rates, 0.9, 0.85, rng, leniency_sd=leniency, discrimination_sd=0.1)
        systems, items = study(truth, 200, 800, rng, correlation=0.4 if rated else 0.0)
        if not rated:
            systems["S1"] = unrated(systems["S1"])
        result = compare(systems, items=items, borrow="rates")
        found.append(gate(result, candidate="S1", baseline="S2", margin=MARGIN).decision)
    return found


@pytest.mark.parametrize(("rated", "versions"), [(True, 2), (False, 2), (False, 4)])
def test_a_version_that_is_worse_by_the_margin_passes_seldom(rated, versions):
    assert np.mean([d == "pass" for d in decisions(MARGIN, rated=rated, versions=versions)]) <= 0.05 + BAND


@pytest.mark.parametrize(("rated", "versions"), [(True, 2), (False, 4)])
def test_a_version_that_is_no_worse_fails_seldom(rated, versions):
    assert np.mean([d == "fail" for d in decisions(0.0, rated=rated, versions=versions)]) <= 0.05


def test_a_version_that_is_far_worse_fails_mostly():
    assert np.mean([d == "fail" for d in decisions(0.2, rated=True)]) > 0.8
