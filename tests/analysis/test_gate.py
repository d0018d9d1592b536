"""Gates: pass, fail, cannot tell yet."""

import json

import pytest

from tellapart import Evidence, InvalidInput, compare
from tellapart.analysis.gate import gate
from tellapart.core.counts import Confusion


def decided(candidate, baseline, margin=0.02, **choices):
    both = compare({"new": Evidence.of(candidate), "main": Evidence.of(baseline)}, **choices)
    return gate(both, candidate="new", baseline="main", margin=margin)


@pytest.mark.parametrize(
    ("candidate", "baseline", "decision", "code"),
    [
        ((850, 1000), (800, 1000), "pass", 0),
        ((820, 1000), (800, 1000), "pass", 0),
        ((700, 1000), (800, 1000), "fail", 1),
        ((79, 100), (80, 100), "cannot tell yet", 3),
    ],
)
def test_decisions_and_exit_codes(candidate, baseline, decision, code):
    found = decided(candidate, baseline)
    assert (found.decision, found.exit_code) == (decision, code)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["decision"] == decision


def test_the_probability_is_that_of_the_difference_beyond_the_margin():
    found = decided((79, 100), (80, 100), margin=0.05)
    draws = found.pair.distribution
    assert found.probability_worse == pytest.approx(float(draws.cdf(-0.05)), abs=1e-12)
    assert decided((79, 100), (80, 100), margin=0.0).probability_worse == pytest.approx(1 - draws.probability_positive)


def test_probabilities_say_whether_the_margin_counts():
    value = decided((79, 100), (80, 100), margin=0.05).to_dict()
    assert value["probability_worse_at_all"] + value["probability_better"] == pytest.approx(1)
    assert value["probability_worse_than_margin"] == value["probability_worse"] < value["probability_worse_at_all"]


def test_a_larger_margin_is_easier_to_pass():
    worse = [decided((780, 1000), (800, 1000), margin).probability_worse for margin in (0.0, 0.02, 0.05, 0.1)]
    assert worse == sorted(worse, reverse=True)


def test_better_is_said_where_it_is():
    assert str(decided((900, 1000), (800, 1000))).startswith("Pass: new is better than main.")
    assert str(decided((812, 1000), (800, 1000))).startswith("Pass: new is not worse than main by more than 2 points.")
    near = decided((832, 1000), (800, 1000), margin=0.0)  # a gate looks at one side only, a comparison at both
    assert 0.95 < near.probability_better < 0.975
    assert str(near).startswith("Pass: new is not worse than main.")
    assert near.comparison.pairs[0].better is None


def test_what_would_decide_is_said():
    said = str(decided((79, 100), (80, 100)))
    assert said.startswith("Cannot tell yet whether new is worse than main by more than 2 points.")
    assert "more human ratings per version" in said


def test_what_would_decide_does():
    """With as many more ratings at the same shares, it is decided."""
    need = decided((820, 1000), (800, 1000), margin=0.0).needed
    assert need is not None
    more = need.human.likely
    total = 1000 + more
    assert decided((round(0.82 * total), total), (round(0.8 * total), total), margin=0.0).decision == "pass"


def test_labels_once_and_a_judge_every_night():
    judge = Confusion(tp=170, fn=10, tn=90, fp=30)
    main = Evidence.of((180, 300), calibration=judge, metric=(1000, 1500))
    for metric, decision in (((300, 1500), "fail"), ((1000, 1500), "cannot tell yet")):
        result = compare({"new": Evidence.of(metric=metric), "main": main})
        found = gate(result, candidate="new", baseline="main", margin=0.02)
        assert found.decision == decision
        assert "how the judge behaves across both systems" in str(found)


def test_ratings_that_cannot_be_relied_on_decide_nothing():
    judge = Confusion(tp=80, fn=10, tn=8, fp=2)
    strange = Evidence.of((90, 100), calibration=judge, metric=(100, 2000))  # unlike the rated ones
    result = compare({"new": strange, "main": Evidence.of((100, 1000))}, borrow="none")
    found = gate(result, candidate="new", baseline="main")
    assert "new" in found.doubtful
    assert found.decision == "cannot tell yet"
    assert "cannot be relied on" in str(found)


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"candidate": "new", "baseline": "old"}, "`baseline` must be one of new, main, got 'old'"),
        ({"candidate": "new", "baseline": "new"}, "`candidate` must differ from the baseline"),
        ({"candidate": "new", "baseline": "main", "margin": -0.1}, "`margin` must be a number from 0 to 1"),
        ({"candidate": "new", "baseline": "main", "margin": 2}, "0.02 is two points"),
    ],
)
def test_bad_questions_are_refused(choices, said):
    both = compare({"new": Evidence.of((1, 2)), "main": Evidence.of((1, 2))})
    with pytest.raises(InvalidInput, match=said):
        gate(both, **choices)


def test_of_equal_versions_it_is_said_that_no_number_of_ratings_decides():
    both = compare({"new": Evidence.of((80, 100)), "main": Evidence.of((80, 100))})
    found = gate(both, candidate="new", baseline="main")
    assert found.decision == "cannot tell yet"
    assert "The two look equal: at margin 0 no number of ratings would decide it." in str(found)
    assert "+0.0 points" in found.numbers
    assert found.signature.endswith("new − main > 0")
    worse = compare({"new": Evidence.of((60, 100)), "main": Evidence.of((80, 100))})
    margin = -worse.pairs[0].difference if worse.pairs[0].first == "new" else worse.pairs[0].difference
    assert "seems to be the margin itself" in str(gate(worse, candidate="new", baseline="main", margin=margin))


def people_only(candidate, baseline, **choices):
    both = compare({"new": Evidence.of(candidate), "main": Evidence.of(baseline)}, **choices)
    return gate(both, candidate="new", baseline="main")


@pytest.mark.parametrize(
    ("candidate", "baseline"), [((5, 5), (300, 300)), ((20, 20), (1000, 1000)), ((19, 20), (198, 200))]
)
def test_a_decision_does_not_hang_on_the_prior(candidate, baseline):
    """The first would fail, without a single bad output."""
    one, other = people_only(candidate, baseline), people_only(candidate, baseline, prior="jeffreys")
    assert (one.decision, one.superior, one.needed) == ("cannot tell yet", False, None)
    assert one.probability_worse_than_margin > 0.95 > one.other_prior == other.probability_worse_than_margin
    assert "hang on the prior: with Jeffreys' P(worse) = 0." in str(one)
    assert str(one).endswith("What would decide it: more human ratings of new.")
    assert one.to_dict()["probability_worse_than_margin_other_prior"] == one.other_prior
    turned = people_only(baseline, candidate)
    assert (turned.decision, turned.superior) == ("cannot tell yet", False)


def test_a_prior_that_was_chosen_decides():
    assert people_only((50, 100), (80, 100), prior="jeffreys").other_prior is None
    assert (
        people_only((50, 100), (80, 100)).decision == people_only((50, 100), (80, 100), prior=(3, 3)).decision == "fail"
    )
    assert people_only((5, 5), (300, 300), prior=(1, 2)).decision == "fail"


def test_levels_that_would_pass_what_is_probably_worse_are_refused():
    with pytest.raises(InvalidInput, match=r"`confidence_level` must be above 0.5, got 0.5"):
        people_only((5, 9), (6, 9), confidence_level=0.5)


@pytest.mark.parametrize(("margin", "said"), [(0.01, "1 point."), (0.02, "2 points."), (0.005, "0.5 points.")])
def test_a_point_is_one_point(margin, said):
    both = compare({"new": Evidence.of((50, 100)), "main": Evidence.of((80, 100))})
    assert gate(both, candidate="new", baseline="main", margin=margin).headline.endswith(f"by more than {said}")
