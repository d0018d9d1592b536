"""How good is my system: what goes into an estimate, and what comes out of it."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
import tellapart as ta
from golden import posterior_case, rows
from tellapart import (
    Confusion,
    Estimate,
    Evidence,
    InvalidInput,
    KnownRates,
    Levels,
    Prior,
    Tally,
    UselessMetric,
    estimate,
)

CONFUSION = Confusion(tp=42, fn=18, tn=28, fp=12)


def everyday(**changes):
    """Return the README's example, with changes."""
    return estimate(**{"human": (60, 100), "calibration": CONFUSION, "metric": (540, 1000), **changes})


def test_everyday_case():
    """The golden case, through the front door."""
    row = next(row for row in rows("posteriors") if row["case"] == "paired-100-1000")
    result = everyday(interval="equal-tailed")
    assert result.mean == pytest.approx(float(row["mean"]), abs=1e-9)
    assert result.sd == pytest.approx(float(row["sd"]), abs=1e-9)
    assert result.median == pytest.approx(float(row["median"]), abs=1e-9)
    assert result.interval.low == pytest.approx(float(row["q025"]), abs=1e-9)
    assert result.interval.high == pytest.approx(float(row["q975"]), abs=1e-9)
    assert result.posterior.pdf(result.mode) >= result.posterior.pdf(result.mean)


def test_ways_to_say_the_same():
    """Pairs or objects, counts by level or a tally."""
    expected = everyday().evidence
    assert everyday(human=Tally(60, 100), metric=Tally(540, 1000)).evidence == expected
    assert everyday(calibration=Levels((18, 42), (28, 12)), metric=(460, 540)).evidence == expected
    assert everyday(calibration=Levels((18, 42), (28, 12)), metric=Tally(540, 1000)).evidence == expected
    assert everyday(human=[60, 100], metric=[540, 1000]).evidence == expected


def test_known_rates_in_place_of_a_calibration():
    by_pair = estimate(human=(60, 100), metric=(540, 1000), rates=(0.7, 0.7))
    by_object = estimate(human=(60, 100), metric=(540, 1000), rates=KnownRates(0.7, 0.7))
    assert by_pair == by_object
    assert by_pair.mean == pytest.approx(0.599615889379, abs=1e-9)
    assert by_pair.model == "human and metric ratings, rates known"


def test_levels():
    result = estimate(human=(60, 100), calibration=Levels((8, 17, 35), (20, 12, 8)), metric=(290, 300, 410))
    assert result.mean == pytest.approx(0.592279685368, abs=1e-9)


def test_calibration_without_metric_ratings_changes_nothing():
    """Only calibrated so far: the human ratings stand alone, for levels as for a binary metric."""
    alone = estimate(human=(60, 100))
    assert everyday(metric=None).mean == pytest.approx(alone.mean, abs=1e-12)
    levels = estimate(human=(60, 100), calibration=Levels((1, 2, 3), (3, 2, 1)))
    assert levels.mean == pytest.approx(alone.mean, abs=1e-12)


def test_metric_ratings_without_calibration():
    """Its rates are then anybody's guess, and the golden case of that."""
    assert estimate(human=(60, 100), metric=(540, 1000)).mean == pytest.approx(0.59479930935, abs=1e-9)


def test_nothing_at_all_is_the_prior():
    result = estimate()
    assert (result.mean, result.interval.low) == (pytest.approx(0.5), pytest.approx(0.025))
    assert "this is the prior" in str(result)


def test_priors():
    """By name, as a pair for the rate, or in full."""
    assert estimate(human=(6, 10), prior="jeffreys").mean == pytest.approx(6.5 / 11, abs=1e-10)
    assert estimate(human=(6, 10), prior=(2, 3)).mean == pytest.approx(8 / 15, abs=1e-10)
    assert estimate(human=(6, 10), prior=Prior(rate=(4, 4))).mean == pytest.approx(10 / 18, abs=1e-10)
    assert everyday(prior=(1, 1)).mean == pytest.approx(everyday().mean, abs=1e-12)
    assert everyday(prior="jeffreys").mean != pytest.approx(
        everyday(prior=(0.5, 0.5)).mean, abs=1e-8
    )  # a pair is for the rate


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_confidence_level_is_kept_everywhere(level):
    """An option that gets lost on the way is the classic bug: interval, human-only interval, text and dictionary."""
    for kind in ("highest-density", "equal-tailed"):
        result = everyday(confidence_level=level, interval=kind)
        for one in (result, result.human_only):
            below, above = one.posterior.cdf(one.interval.low), 1 - one.posterior.cdf(one.interval.high)
            assert below + above == pytest.approx(1 - level, abs=1e-9)
            assert (abs(below - above) < 1e-9) == (kind == "equal-tailed")
        assert result.to_dict()["confidence_level"] == level
        assert f"level {level:g} {kind}" in result.provenance


def test_prior_is_kept_everywhere():
    result = everyday(prior="jeffreys")
    assert result.human_only.mean == pytest.approx(60.5 / 101, abs=1e-10)
    assert result.to_dict()["prior"] == {"name": "jeffreys", "rate": (0.5, 0.5), "tpr": (0.5, 0.5), "tnr": (0.5, 0.5)}
    assert "prior jeffreys" in result.signature


def test_human_only_is_the_human_posterior():
    assert everyday().human_only.mean == pytest.approx(61 / 102, abs=1e-10)
    assert not everyday().human_only.evidence.levels


def test_human_ratings_alone_are_human_only():
    value = ta.estimate(human=(60, 100)).to_dict()
    assert value["human_only"]["mean"] == value["mean"] == pytest.approx(61 / 102)


def test_human_only_of_balanced_ratings_is_the_prior():
    """Chosen ratings say nothing of the rate by themselves."""
    result = everyday(sampling="balanced")
    assert result.human_only.mean == pytest.approx(0.5, abs=1e-12)
    assert result.to_dict()["human_only"] is None


MODELS = {
    "human ratings only": {"human": (60, 100)},
    "human and metric ratings, rates estimated": {"human": (60, 100), "calibration": CONFUSION, "metric": (540, 1000)},
    "human and metric ratings, rates known": {"human": (60, 100), "rates": (0.7, 0.7), "metric": (540, 1000)},
    "metric ratings only, rates estimated": {"calibration": CONFUSION, "metric": (540, 1000)},
    "metric ratings only, rates known": {"rates": (0.7, 0.7), "metric": (540, 1000)},
    "human ratings chosen by the metric's verdict": {
        "human": (60, 100),
        "calibration": CONFUSION,
        "metric": (540, 1000),
        "sampling": "by-metric",
    },
}


@pytest.mark.parametrize("model", MODELS)
def test_model_is_named(model):
    result = estimate(**MODELS[model])
    assert result.model == model
    assert model in result.signature


def test_two_metrics_of_different_kinds():
    known = Evidence.of(rates=(0.7, 0.7), metric=(54, 100))
    both = Evidence.of(calibration=CONFUSION, metric=(54, 100), fused=[known])
    assert Estimate(both).model == "metric ratings only, rates estimated and known"


def test_signature_holds_all_that_is_needed_to_repeat():
    """Version, model, every count, sampling, prior, level: a number never travels without, in full or as a hash."""
    for part in (ta.__version__, "60/100", "tp=42,fn=18,tn=28,fp=12", "540/1000", "random", "uniform", "0.95"):
        assert part in everyday().provenance, part
    assert ta.__version__ in everyday().signature
    assert len(everyday().signature) <= 100
    others = everyday(confidence_level=0.9), everyday(prior="jeffreys"), everyday(interval="equal-tailed")
    assert len({one.signature.split(" | ")[-1] for one in (everyday(), *others)}) == 4


@pytest.mark.parametrize("model", MODELS)
def test_dictionary_is_json(model):
    """Strict JSON: no NaN, no tuples that come back as lists of something else, numbers unrounded."""
    result = estimate(**MODELS[model])
    back = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert back["mean"] == result.mean
    assert back["interval"] == back["highest_density"] == {"low": result.interval.low, "high": result.interval.high}
    equal = result.posterior.interval(kind="equal-tailed")
    assert back["equal_tailed"] == {"low": equal.low, "high": equal.high}
    assert back["summary"] == str(result)
    assert back["signature"] == result.signature
    assert {"sd", "mode", "median", "confidence_level", "evidence", "prior", "model"} <= set(back)
    assert {warning["code"] for warning in back["warnings"]} == {caution.code for caution in result.warnings}


@given(evidence=strategies.evidences(most=100), prior=strategies.priors(), level=st.sampled_from((0.5, 0.95, 0.999)))
def test_every_estimate_can_be_written_down(evidence, prior, level):
    """Whatever the counts: text, signature and strict JSON come out, and the interval holds the median."""
    result = Estimate(evidence, prior, level, "equal-tailed")
    text = json.dumps(result.to_dict(), allow_nan=False)
    assert str(result) in json.loads(text)["summary"]
    assert result.interval.low < result.median < result.interval.high


@pytest.mark.parametrize("human", [(0, 0), (0, 1), (1, 1), (20, 20), (0, 20), (19, 20)])
@pytest.mark.parametrize("prior", ["uniform", "jeffreys"])
def test_all_or_none_adequate_can_be_written_down(human, prior):
    """The edges of the everyday: nothing rated, all adequate, none adequate."""
    result = estimate(human=human, prior=prior)
    assert 0 <= json.loads(json.dumps(result.to_dict(), allow_nan=False))["mode"] <= 1


def test_text_says_rate_interval_and_level():
    """The system's numbers first, then those of the human ratings alone; the words may change."""
    text = str(everyday(interval="equal-tailed"))
    assert re.search(r"59\.8%.*50\.9%.*68\.5%.*95.*59\.8%.*50\.2%.*69\.1%", text)


def test_text_says_what_the_metric_is_worth():
    """In further human ratings: variance ratio less one, times their number; 0.0481²/0.0448² gives 16 of 100."""
    result = everyday()
    gain = (result.human_only.sd / result.sd) ** 2 - 1
    assert f"equivalent to {gain * 100:.0f} extra human ratings" in str(result)
    assert 0 < gain < 0.3


def test_text_where_the_metric_widens():
    """Conflicting evidence may widen the interval, and the text must say so rather than count negative ratings."""
    result = estimate(human=(1, 30), calibration=Confusion(tp=22, fn=8, tn=25, fp=5), metric=(36, 100))
    assert not result.warnings
    assert result.sd > result.human_only.sd
    assert "the metric makes the interval wider" in str(result)


def test_text_where_the_evidence_conflicts():
    """What people said stands first, and the fused rate is not claimed."""
    result = Estimate(posterior_case("conflict"))
    alone = result.human_only
    assert str(result).startswith("By the human ratings alone, the system's rate of adequate outputs is 10.8%")
    assert f"between {alone.interval.low:.1%} and {alone.interval.high:.1%}" in str(result)
    assert "More cannot be relied on: human and metric ratings conflict." in str(result)
    assert f"With the metric it would be {result.mean:.1%}" in str(result)


def test_text_where_known_rates_cannot_be_and_nobody_rated():
    text = str(estimate(metric=(200, 1000), rates=(0.7, 0.7)))
    assert text.startswith("No rate can be relied on: the metric's ratings do not fit the rates it is said to have.")


def test_text_of_metric_ratings_alone():
    assert "corrected for the metric's errors" in str(everyday(human=(0, 0)))


def test_estimates_compare_and_do_not_change():
    """Equal inputs make equal estimates; nothing can be assigned to."""
    assert everyday() == everyday()
    assert everyday() != everyday(confidence_level=0.9)
    with pytest.raises(AttributeError):
        everyday().confidence_level = 0.9


WRONG = [
    ({"human": (101, 100)}, "at most the total"),
    ({"human": (-1, 100)}, "between 0 and"),
    ({"human": (6.5, 10)}, "whole number"),
    ({"human": (float("nan"), 10)}, "whole number"),
    ({"human": (True, 10)}, "whole number"),
    ({"human": ("6", 10)}, "whole number"),
    ({"human": 60}, "be a pair"),
    ({"human": "60/100"}, "be a pair"),
    ({"human": (11, 10)}, "did you mean 10/11"),
    ({"human": (1, 10**13)}, r"10\^12"),
    ({"human": (1, 10**400)}, r"10\^12"),
    ({"prior": (0, 1)}, r"0\.05"),
    ({"metric": (5, 10), "sampling": "by-metric"}, "calibration of level 0"),
    ({"metric": (5, 10), "rates": (0.7, 1.2)}, "between 0 and 1"),
    ({"metric": (5, 10), "rates": (0.7, 0.7), "calibration": CONFUSION}, "left out"),
    ({"rates": (0.7, 0.7)}, "be given"),
    ({"metric": (1, 2, 3), "calibration": Levels((1, 2), (3, 4))}, "levels"),
    ({"sampling": "convenient"}, "one of random, balanced, by-metric"),
    ({"sampling": "by-metric"}, "one metric with calibration"),
    ({"prior": "flat"}, "one of uniform, jeffreys"),
    ({"prior": (1, -1)}, "hold numbers from"),
    ({"prior": (1, 2, 3)}, "pair of numbers"),
    ({"confidence_level": 95}, "between 0 and 1"),
    ({"confidence_level": 1.0}, "ends excluded"),
    ({"confidence_level": 0}, "ends excluded"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_input_is_named(arguments, message):
    """The error says which rule was broken, and catches as ValueError."""
    with pytest.raises(InvalidInput, match=message) as caught:
        estimate(**arguments)
    assert isinstance(caught.value, ValueError)
    assert str(caught.value).startswith("`")
    assert "\n" not in str(caught.value)


def test_useless_known_rates_are_refused():
    with pytest.raises(UselessMetric, match=r"tpr \+ tnr"):
        estimate(metric=(5, 10), rates=(0.4, 0.6))


def test_numpy_numbers_are_numbers():
    """Counts come out of data frames as numpy scalars."""
    human = (np.int64(60), np.int32(100))
    assert estimate(human=human).mean == estimate(human=(60, 100)).mean
    json.dumps(estimate(human=human).to_dict())
