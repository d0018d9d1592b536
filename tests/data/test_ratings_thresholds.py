"""Cuts of scores, against a search through all of them and against definitions."""

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellapart import threshold
from tellapart.analysis.design import worth
from tellapart.analysis.threshold import Scores, ThresholdRule, thresholds

OUTPUTS = st.lists(st.tuples(st.integers(0, 12).map(lambda k: k / 8), st.booleans()), min_size=2, max_size=40).filter(
    lambda outputs: len({truth for _, truth in outputs}) == 2
)


def rates(outputs, tau):
    adequate, inadequate = ([score for score, truth in outputs if truth is kind] for kind in (True, False))
    return np.mean([s > tau for s in adequate]), np.mean([s <= tau for s in inadequate])


def quality(rule, outputs, tau):
    tpr, tnr = rates(outputs, tau)
    if rule == "worth":  # a metric worse than chance is worth nothing here
        return worth(np.mean([truth for _, truth in outputs]), tpr, tnr) if tpr + tnr > 1 else 0.0
    return -abs(tpr - tnr) if rule == "equal" else tpr + tnr


@given(OUTPUTS, st.sampled_from(["equal", "worth", "youden"]))
def test_no_observed_score_is_a_better_cut(outputs, rule):
    tau = Scores(*zip(*outputs, strict=True)).best(rule)
    candidates = sorted({score for score, _ in outputs})
    assert tau in candidates
    best = max(quality(rule, outputs, candidate) for candidate in candidates)
    assert quality(rule, outputs, tau) == pytest.approx(best, abs=1e-12)


@given(OUTPUTS)
def test_auc_counts_pairs(outputs):
    pairs = [(a, b) for (a, yes), (b, other) in product(outputs, outputs) if yes and not other]
    expected = np.mean([(a > b) + (a == b) / 2 for a, b in pairs])
    assert Scores(*zip(*outputs, strict=True)).auc == pytest.approx(expected, abs=1e-12)


@given(OUTPUTS, st.integers(2, 10), st.integers(0, 5))
def test_folds_are_even_in_size_and_in_truth(outputs, folds, seed):
    scores = Scores(*zip(*outputs, strict=True))
    fold = scores.folds(ThresholdRule(folds=folds, seed=seed))
    for part in (fold, fold[scores.truth], fold[~scores.truth]):
        sizes = np.bincount(part, minlength=folds)
        assert sizes.max() - sizes.min() <= 1


@given(OUTPUTS, st.sampled_from(["equal", "worth", "youden"]), st.integers(2, 6))
def test_no_output_chooses_the_cut_that_judges_it(outputs, rule, folds):
    scores = Scores(*zip(*outputs, strict=True))
    cut = ThresholdRule(rule, pooled=False, folds=folds)
    found = thresholds("score", {"A": scores}, cut).systems["A"]
    fold = scores.folds(cut, 1)
    for k, tau in enumerate(found.taus):
        rest = scores.part(fold != k)
        assert tau == (rest.best(rule) if rest.decidable else scores.best(rule))
    assert found.passed.tolist() == (scores.scores > np.array(found.taus)[fold]).tolist()


@pytest.mark.parametrize("rule", ["worth", "youden"])
def test_cross_fitting_does_not_flatter_noise(rule):
    rng = np.random.default_rng(7)
    found = [
        thresholds(
            "noise", {"A": Scores(rng.random(60), rng.random(60) < 0.6)}, ThresholdRule(rule, seed=seed)
        ).systems["A"]
        for seed in range(60)
    ]
    assert np.mean([t.worth for t in found]) < 0.6 * np.mean([t.naive_worth for t in found])


def test_threshold_of_a_table():
    table = pl.DataFrame({"model": ["A"] * 5, "label": [0, 0, 1, 1, None], "bleurt": [0.1, 0.4, 0.3, 0.9, 0.5]})
    found = threshold(table, "bleurt", cut=ThresholdRule("youden", folds=1), system="model", human="label")
    assert found.systems["A"].tau == 0.1
    assert found.systems["A"].auc == 0.75
    assert (found.systems["A"].tpr, found.systems["A"].tnr) == (1.0, 0.5)


def test_a_cut_at_which_a_score_is_turned_round_is_worth_nothing():
    outputs = Scores([0.1, 0.2, 0.8, 0.9] * 5, [True, True, False, False] * 5)
    found = thresholds("bleurt", {"A": outputs}, ThresholdRule(0.5)).systems["A"]
    assert (found.tpr, found.tnr, found.worth) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(("cut", "which"), [(3, "no"), (0, "every")])
def test_a_cut_outside_the_scores_is_said_to_be(cut, which):
    outputs = Scores([0, 1, 1, 0], [False, True, True, True])
    found = thresholds("judge", {"A": outputs}, ThresholdRule(cut))
    assert found.systems["A"].note == f"{which} rated output passes"
    assert f"A: {which} rated output passes." in found.to_markdown()


def test_where_folds_choose_cuts_that_differ_it_is_said_whose_tpr_is_shown():
    """A judge that errs alike on both sides: cuts of 2 and 3 are as good, and folds choose either."""
    good = np.repeat([5.0, 4, 3, 2, 1], [30, 30, 25, 10, 5])
    outputs = Scores(np.concatenate([good, 6 - good]), np.arange(200) < 100)
    found = [thresholds("judge", {"A": outputs}, ThresholdRule("worth", seed=k)).systems["A"] for k in range(6)]
    assert any(one.note for one in found)
    for one in found:
        either = "the folds chose cuts from 2 to 3, whose verdicts differ" in one.note
        assert either == (set(one.taus) == {2, 3})
        assert either == (one.naive != one.confusion)
    fixed = thresholds("judge", {"A": outputs}, ThresholdRule("worth", folds=1)).systems["A"]
    assert not fixed.note
