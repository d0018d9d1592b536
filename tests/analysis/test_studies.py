"""Simulated studies have the rates, correlations and tables that were asked for."""

import numpy as np
import pytest
from scipy.special import logit

from tellapart.analysis.studies import Truth, study
from tellapart.core.counts import PAIRED, VERDICT

RATES = (0.4, 0.6, 0.8)


def drawn(n_human=40_000, n_metric=60_000, correlation=0.0, seed=1, rates=RATES):
    rng = np.random.default_rng(seed)
    truth = Truth.draw(rates, 0.9, 0.8, rng)
    return truth, *study(truth, n_human, n_metric, rng, correlation=correlation)


def close(share, expected, n):
    return abs(share - expected) < 4 * np.sqrt(expected * (1 - expected) / n)


@pytest.mark.parametrize("correlation", [0.0, 0.4])
def test_rates_of_systems_and_metric(correlation):
    truth, systems, _ = drawn(correlation=correlation)
    for (name, evidence), rate, tpr, tnr in zip(systems.items(), truth.rates, truth.tprs, truth.tnrs, strict=True):
        confusion = evidence.confusion
        assert evidence.n_human == 40_000 == evidence.n_calibration, name
        assert sum(evidence.own.metric_only) == 60_000
        assert close(evidence.human.positive / 40_000, rate, 40_000)
        assert close(confusion.tp / (confusion.tp + confusion.fn), tpr, confusion.tp + confusion.fn)
        assert close(confusion.tn / (confusion.tn + confusion.fp), tnr, confusion.tn + confusion.fp)
        share = rate * tpr + (1 - rate) * (1 - tnr)
        assert close(evidence.own.metric_only[1] / 60_000, share, 60_000)
        assert evidence.own.metric == VERDICT


@pytest.mark.parametrize("correlation", [0.3, 0.6])
def test_adequacy_is_correlated_as_asked_for(correlation):
    """Of halves, where the correlation of signs is exact."""
    _, _, items = drawn(correlation=correlation, rates=(0.5, 0.5))
    (pair,) = items.values()
    neither, second, first, both = np.array(pair.own.truths)
    found = (both * neither - first * second) / np.sqrt(
        float((both + first) * (neither + second)) * float((both + second) * (neither + first))
    )
    assert found == pytest.approx(correlation, abs=4 / np.sqrt(40_000))


def test_tables_of_pairs_are_those_of_the_systems():
    """What a pair counts of either system is what the system counts: of people, of the metric, of both."""
    _, systems, items = drawn(300, 500, 0.4)
    assert set(items) == {("S1", "S2"), ("S1", "S3"), ("S2", "S3")}
    for (first, second), pair in items.items():
        assert pair.own.truth == pair.own.metric == PAIRED
        both = np.array(pair.own.both).reshape(2, 2, 2, 2)  # truth of the first, of the second; verdicts likewise
        alone = np.array(pair.own.metric_only).reshape(2, 2)
        assert both.sum(axis=(1, 3)).tolist() == np.array(systems[first].own.both).tolist()
        assert both.sum(axis=(0, 2)).tolist() == np.array(systems[second].own.both).tolist()
        assert tuple(alone.sum(axis=1)) == systems[first].own.metric_only
        assert tuple(alone.sum(axis=0)) == systems[second].own.metric_only


def test_without_correlation_there_are_no_common_items():
    assert drawn(100, 100)[2] == {}


def test_systems_may_have_different_numbers_of_human_ratings():
    rng = np.random.default_rng(2)
    systems, items = study(Truth.draw(RATES, 0.9, 0.8, rng), (20, 50, 80), 100, rng, correlation=0.3)
    assert [e.n_human for e in systems.values()] == [20, 50, 80]
    assert {pair: e.n_human for pair, e in items.items()} == {("S1", "S2"): 20, ("S1", "S3"): 20, ("S2", "S3"): 50}
    assert {e.n_human + sum(e.own.metric_only) for e in systems.values()} == {180}


def test_leniency_and_discrimination_scatter_as_asked_for():
    rng = np.random.default_rng(3)
    truth = Truth.draw([0.6] * 20_000, 0.9, 0.8, rng, leniency_sd=0.4, discrimination_sd=0.2)
    tpr, tnr = logit(truth.tprs), logit(truth.tnrs)
    leniency, discrimination = (tpr - tnr) / np.sqrt(2), (tpr + tnr) / np.sqrt(2)
    for values, mean, sd in (
        (leniency, (logit(0.9) - logit(0.8)) / np.sqrt(2), 0.4),
        (discrimination, (logit(0.9) + logit(0.8)) / np.sqrt(2), 0.2),
    ):
        assert values.mean() == pytest.approx(mean, abs=4 * sd / np.sqrt(20_000))
        assert values.std() == pytest.approx(sd, rel=0.03)


def test_leniency_may_grow_with_quality():
    truth = Truth.draw(RATES, 0.9, 0.8, np.random.default_rng(4), leniency_slope=0.5)
    leniency = (logit(truth.tprs) - logit(truth.tnrs)) / np.sqrt(2)
    slopes = np.diff(leniency) / np.diff(logit(np.array(RATES)))
    assert slopes == pytest.approx([0.5, 0.5])


def test_without_scatter_all_are_treated_alike():
    truth = Truth.draw(RATES, 0.9, 0.8, np.random.default_rng(5))
    assert truth.tprs == pytest.approx([0.9] * 3)
    assert truth.tnrs == pytest.approx([0.8] * 3)
