"""Shared rates against golden values and limits."""

from __future__ import annotations

import pytest

import golden
from tellapart import Confusion, Evidence, InvalidInput, Metric, Rates, SharedRates, Tally, posterior


def system(human, confusion, metric):
    return Evidence(Tally(*human), (Metric.binary(Tally(*metric), confusion),))


@pytest.mark.parametrize("row", **golden.cases("shared_rates"))
def test_golden(row):
    """The golden probabilities are good to 1e-6, the means to 1e-9."""
    joint = SharedRates([golden.evidence(row, "first_"), golden.evidence(row, "second_")])
    difference = joint.difference(0, 1)
    assert difference.probability_positive == pytest.approx(float(row["probability"]), abs=1e-6)
    assert joint.mean(0) == pytest.approx(float(row["first_mean"]), abs=2e-9)
    assert joint.mean(1) == pytest.approx(float(row["second_mean"]), abs=2e-9)
    assert difference.mean == pytest.approx(joint.mean(0) - joint.mean(1), abs=1e-12)


def test_interval_has_the_tails_it_says():
    first = system((33, 50), Confusion(28, 5, 13, 4), (690, 1000))
    second = system((29, 50), Confusion(25, 4, 17, 4), (600, 1000))
    difference = SharedRates([first, second]).difference(0, 1)
    interval = difference.interval(0.9)
    assert difference.cdf(interval.low) == pytest.approx(0.05, abs=1e-6)
    assert difference.cdf(interval.high) == pytest.approx(0.95, abs=1e-6)


def test_without_metric_ratings_nothing_is_shared():
    """Only calibration, no metric ratings: each system's posterior is its human ratings' own."""
    evidence = [system((30, 50), Confusion(25, 5, 15, 5), (0, 0)), system((20, 50), Confusion(15, 5, 25, 5), (0, 0))]
    joint = SharedRates(evidence)
    for i, one in enumerate(evidence):
        assert joint.mean(i) == pytest.approx(posterior(Evidence(one.human)).mean, abs=1e-9)


def test_swapping_systems_swaps_the_sign():
    evidence = [
        system((30, 50), Confusion(25, 5, 15, 5), (600, 1000)),
        system((20, 50), Confusion(15, 5, 25, 5), (450, 1000)),
    ]
    joint = SharedRates(evidence)
    forward, backward = joint.difference(0, 1), joint.difference(1, 0)
    assert forward.probability_positive + backward.probability_positive == pytest.approx(1, abs=1e-7)
    assert forward.mean == pytest.approx(-backward.mean, abs=1e-12)


def test_known_rates_cannot_be_shared():
    known = Evidence(Tally(6, 10), (Metric.binary(Tally(5, 10), Rates(0.9, 0.8)),))
    with pytest.raises(InvalidInput, match="estimated rates"):
        SharedRates([known, known])
