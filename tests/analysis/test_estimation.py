"""Estimates: numbers, words and what a wrong call is told."""

import json

import pytest

from tellapart import Confusion, Evidence, InvalidInput, Levels, Rates, Tally, UselessMetric, estimate

MIXED = {"human": (60, 100), "calibration": Confusion(tp=42, fn=18, tn=28, fp=12), "metric": (540, 1000)}


def test_everyday_case():
    result = estimate(**MIXED)
    assert result.mean == pytest.approx(0.598306309, abs=5e-10)
    assert result.sd == pytest.approx(0.044825044, abs=5e-10)
    assert result.human_only.mean == pytest.approx(61 / 102, abs=1e-12)
    assert result.warnings == ()


def test_dictionary_is_json_and_complete():
    answer = json.loads(json.dumps(estimate(**MIXED).to_dict(), allow_nan=False))
    promised = {"mean", "sd", "mode", "median", "interval", "confidence_level", "evidence", "warnings", "signature"}
    assert promised <= set(answer)
    assert set(answer["interval"]) == {"low", "high"}


def test_signature_tells_everything():
    text = estimate(**MIXED, prior="jeffreys", confidence_level=0.9).signature
    for part in ("60/100", "tp=42,fn=18,tn=28,fp=12", "540/1000", "jeffreys", "0.9", "random", "estimated"):
        assert part in text


def test_words_say_what_the_metric_added():
    assert "the metric is worth 16 further human ratings" in str(estimate(**MIXED))
    assert "no ratings: this is the prior" in str(estimate())


def test_levels_take_one_count_each():
    stars = Levels(adequate=(8, 17, 35), inadequate=(20, 12, 8))
    result = estimate(human=(60, 100), calibration=stars, metric=(290, 300, 410))
    assert result.mean == pytest.approx(0.592279685368, abs=1e-10)


def test_value_objects_and_pairs_are_the_same():
    assert estimate(human=Tally(6, 10)).evidence == estimate(human=(6, 10)).evidence
    assert estimate(metric=(5, 9), rates=Rates(0.9, 0.8)).evidence == estimate(metric=(5, 9), rates=(0.9, 0.8)).evidence


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"human": (-1, 10)}, "got -1"),
        ({"human": (1.5, 10)}, "whole number, got 1.5"),
        ({"human": (float("nan"), 10)}, "got nan"),
        ({"human": (11, 10)}, "did you mean 10/11"),
        ({"human": (1, 10**13)}, "10^12"),
        ({"human": (1, 10**400)}, "10^12"),
        ({"human": (True, 10)}, "got True"),
        ({"human": "60/100"}, "be a pair"),
        ({"human": (6, 10), "confidence_level": 1}, "ends excluded"),
        ({"human": (6, 10), "confidence_level": 0.0}, "ends excluded"),
        ({"human": (6, 10), "prior": "flat"}, "uniform, jeffreys"),
        ({"human": (6, 10), "prior": (0, 1)}, "0.05"),
        ({"human": (6, 10), "prior": (1, 2, 3)}, "pair"),
        ({"metric": (5, 10), "rates": (1.2, 0.5)}, "`tpr`"),
        ({"rates": (0.9, 0.8)}, "`metric` must be given"),
        ({"metric": (5, 10), "rates": (0.9, 0.8), "calibration": Confusion(1, 1, 1, 1)}, "left out"),
        ({"human": (6, 10), "sampling": "lucky"}, "random, balanced, by-metric"),
        ({"metric": (5, 10), "sampling": "by-metric"}, "calibration of level 0"),
        ({"metric": (5, 10, 15), "calibration": Levels((1, 2), (2, 1))}, "have 2 levels"),
    ],
)
def test_wrong_calls_name_rule_and_value(call, said):
    with pytest.raises(InvalidInput) as caught:
        estimate(**call)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_known_rates_that_carry_nothing_are_refused():
    with pytest.raises(UselessMetric, match="differ from 1"):
        estimate(metric=(5, 10), rates=(0.3, 0.7))


def test_by_metric_needs_one_calibrated_metric():
    with pytest.raises(InvalidInput, match="one metric"):
        Evidence(sampling="by-metric")
