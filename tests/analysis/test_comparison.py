"""Comparisons: verdicts, ranking, and the analysis with shared rates beside them."""

import json

import pytest

from tellapart import Confusion, Evidence, InvalidInput, Metric, Tally, compare


def system(human, confusion, metric):
    return Evidence(Tally(*human), (Metric.binary(Tally(*metric), Confusion(*confusion)),))


PAIR = {
    "A": system((33, 50), (28, 5, 13, 4), (690, 1000)),
    "B": system((29, 50), (25, 4, 17, 4), (600, 1000)),
}


def test_shared_rates_are_sharper_but_not_the_verdict():
    result = compare(PAIR)
    assert result.pairs[0].verdict == "not distinguishable"
    assert result.shared_pairs[0].verdict == "A is better"
    assert result.homogeneity.p_value > 0.05
    assert result.shared_pairs[0].interval.width < result.pairs[0].interval.width


def test_ranking_and_sentence():
    tallies = {"low": Tally(200, 527), "high": Tally(353, 527), "mid": Tally(308, 527)}
    result = compare({name: Evidence(tally) for name, tally in tallies.items()})
    assert result.ranking == ("high", "mid", "low")
    assert len(result.pairs) == 3
    assert result.shared_pairs is None
    assert str(result).startswith("high (66.9%) is better than every other system; 3 of 3 pairs")


def test_paper_pair_at_the_border():
    """WMT21: .974 is not above .975."""
    pair = compare({"BR": Evidence(Tally(43, 673)), "S2S": Evidence(Tally(27, 673))}).pairs[0]
    assert pair.probability == pytest.approx(0.975, abs=1.5e-3)


def test_equal_evidence_is_even():
    pair = compare({"one": PAIR["A"], "two": PAIR["A"]}).pairs[0]
    assert pair.probability == pytest.approx(0.5, abs=1e-10)
    assert pair.difference == pytest.approx(0, abs=1e-12)
    assert pair.interval.low == pytest.approx(-pair.interval.high, abs=1e-9)


def test_dictionary_is_json():
    answer = json.loads(json.dumps(compare(PAIR).to_dict(), allow_nan=False))
    assert set(answer["systems"]) == {"A", "B"}
    assert answer["shared_rates"]["homogeneity"]["p_value"] <= 1
    assert "A: human 33/50" in answer["signature"]


def test_one_system_is_not_a_comparison():
    with pytest.raises(InvalidInput, match="at least two"):
        compare({"A": PAIR["A"]})
