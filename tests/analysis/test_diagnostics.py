"""Every caution is raised by a case made for it, and none by an ordinary evaluation."""

import json
import pickle
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from golden import posterior_case
from tellapart import Caution, Confusion, Estimate, Evidence, KnownRates, Levels, Tally, compare, homogeneity
from tellapart.analysis import comparison, diagnostics, metrics, outcomes
from tellapart.analysis.cautions import DOUBTS, SENTENCES, doubts, shared
from tellapart.analysis.diagnostics import (
    CONFLICT,
    FEW,
    _moments,
    _predict,
    cautions,
    different_items,
    lacking,
    missing_labels,
    rates_differ,
    undecided_votes,
)
from tellapart.core.counts import Counts, Scale
from tellapart.core.prior import PRIORS
from tellapart.said import Option, spelled

GOOD = Confusion(tp=42, fn=18, tn=28, fp=12)


def evidence(metric=(540, 1000), quality=GOOD, human=(60, 100), sampling="random"):
    """Return an ordinary evaluation, with changes."""
    known = "rates" if isinstance(quality, KnownRates) else "calibration"
    return Evidence.of(human, metric=metric, sampling=sampling, **{known: quality})


def codes(given, prior="uniform"):
    """Return the codes of all cautions."""
    return {caution.code for caution in cautions(given, PRIORS[prior])}


ORDINARY = {
    "everyday": evidence(),
    "human only": Evidence.of((60, 100)),
    "known rates": evidence(quality=KnownRates(0.7, 0.7)),
    "strong metric": evidence((580, 1000), Confusion(54, 6, 36, 4)),
    "separate calibration": evidence((540, 1000), Confusion(210, 90, 140, 60)),
    "levels": Evidence.of((60, 100), calibration=Levels((8, 17, 35), (20, 12, 8)), metric=(290, 300, 410)),
    "no metric ratings yet": evidence((0, 0)),
    "inverted known rates": evidence((440, 1000), KnownRates(0.2, 0.2)),
    "chosen by verdict": evidence((800, 1000), Confusion(40, 5, 45, 10), (45, 100)),
    "known rates at an end": evidence((42, 1000), KnownRates(0.99, 0.999), (4, 100)),
}


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("case", ORDINARY)
def test_ordinary_evaluations_are_not_warned_of(case, prior):
    """A warning that comes every time is read by nobody."""
    assert codes(ORDINARY[case], prior) == set()


WARNED = {
    "human-set-aside": evidence(sampling="balanced"),
    "calibration-only": evidence(human=(0, 0)),
    "independent-errors": replace(evidence(), fused=(evidence(human=(0, 0)),)),
    "no-calibration": evidence(quality=Confusion(0, 0, 0, 0)),
    "few-calibration": evidence((905, 1000), Confusion(92, 5, 2, 1), (97, 100)),
    "inverted-metric": evidence((380, 1000), Confusion(tp=12, fn=48, tn=8, fp=32)),
    "useless-metric": evidence((500, 1000), Confusion(30, 30, 20, 20)),
    "impossible-share": evidence((200, 1000), KnownRates(0.7, 0.7)),
    "conflict": posterior_case("conflict"),
    "edge-rate": evidence((2, 1000), KnownRates(0.99, 0.999), (0, 100)),
    "unlike-the-rest": evidence((700, 1000)),
    "too-good": evidence((600, 1000), Confusion(298, 2, 200, 0), (300, 500)),
}
OF_SEVERAL = {
    "missing-labels",
    "missing-outputs",
    "rates-differ",
    "undecided-votes",
    "different-items",
}  # these take several systems


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("code", WARNED)
def test_each_caution_is_raised(code, prior):
    assert code in codes(WARNED[code], prior)


@pytest.mark.parametrize("code", WARNED)
def test_each_caution_says_what_and_what_to_do(code):
    """Two sentences and a code, in text and as a dictionary; and it reaches the estimate."""
    caution = next(c for c in cautions(WARNED[code], PRIORS["uniform"]) if c.code == code)
    assert caution.message.endswith(".")
    assert caution.advice.endswith(".")
    assert str(caution) == f"{caution.message} {caution.advice}"
    value = json.loads(json.dumps(caution.to_dict()))
    assert (value["code"], value["message"], value["advice"]) == (code, caution.message, caution.advice)
    assert Caution(code, value["facts"], tuple(Option(**option) for option in value["options"])) == caution
    assert caution in Estimate(WARNED[code]).warnings


def test_all_codes_are_covered():
    """A new caution needs a case here: codes are found in the source of the module."""
    source, *elsewhere = (
        Path(module.__file__).read_text(encoding="utf-8") for module in (diagnostics, metrics, outcomes, comparison)
    )
    found, *others = (set(re.findall(r'(?:Caution\(\s*|code=)"([a-z-]+)"', text)) for text in (source, *elsewhere))
    assert found == set(WARNED) | OF_SEVERAL == set(SENTENCES) - set().union(*others)


def test_on_a_scale_nobody_is_advised_to_say_what_would_be_refused():
    both = ((40, 0, 0), (0, 5, 0), (0, 0, 5))
    own = Counts(both, (0, 0, 0), (50, 100, 300), Scale.of((1, 2, 3)), Scale.of((1, 2, 3)))
    (caution,) = cautions(Evidence(own), PRIORS["uniform"])
    assert caution.code == "unlike-the-rest"
    assert caution.options == (Option("sampling", "by-metric"),)
    assert "balance" not in caution.advice


def test_options_are_spelled_by_whoever_shows_them():
    """An advice names options as in Python; its pieces let others spell them otherwise."""
    caution = next(c for c in cautions(WARNED["unlike-the-rest"], PRIORS["uniform"]) if c.code == "unlike-the-rest")
    assert caution.options == (Option("sampling", "by-metric"), Option("sampling", "balanced"))
    assert 'say so with sampling="by-metric". If' in caution.advice
    assert "say so with [by-metric]. If" in spelled(caution.said, lambda option: f"[{option.value}]")
    assert pickle.loads(pickle.dumps(caution.advice)).pieces == caution.advice.pieces  # noqa: S301 - our own


def test_conflict_of_the_theory_page():
    """Human 10/100, tpr = tnr = .95 and 900/1000 passes: expected 14% passes, not 90%."""
    found = next(c for c in cautions(WARNED["conflict"], PRIORS["uniform"]) if c.code == "conflict")
    assert "passed 90.0%" in found.message
    assert CONFLICT == 0.01  # one such warning in a hundred sound evaluations


@pytest.mark.parametrize(("passed", "conflict"), [(540, False), (600, False), (660, True), (900, True), (120, True)])
def test_conflict_grows_with_the_distance(passed, conflict):
    """By human ratings and calibration 54% should pass, give or take 4 points."""
    calibration = Confusion(210, 90, 140, 60)
    assert ("conflict" in codes(evidence((passed, 1000), calibration))) == conflict


@pytest.mark.parametrize(("passed", "unlike"), [(540, False), (640, False), (700, True), (300, True)])
def test_rated_outputs_unlike_the_rest_are_noticed(passed, unlike):
    """54 of the 100 rated ones passed; the others are compared with them, once, not as a conflict too."""
    found = codes(evidence((passed, 1000)))
    assert ("unlike-the-rest" in found) == unlike
    assert "conflict" not in found


@pytest.mark.parametrize("sampling", ["balanced", "by-metric"])
def test_chosen_outputs_may_be_unlike_the_rest(sampling):
    assert "unlike-the-rest" not in codes(evidence((700, 1000), sampling=sampling))


@pytest.mark.parametrize(
    ("human", "warned"), [((0, 100), True), ((100, 100), True), ((99, 100), False), ((3, 3), False)]
)
def test_ratings_that_are_all_equal_are_noticed(human, warned):
    assert ("edge-rate" in codes(Evidence.of(human))) == warned
    if warned:
        said = str(cautions(Evidence.of(human), PRIORS["uniform"])[0])
        assert "jeffreys" in said
        assert "jeffreys" not in str(cautions(Evidence.of(human), PRIORS["jeffreys"])[0])


def test_systems_that_lack_human_ratings_unlike_the_others():
    systems = {name: evidence() for name in "ABCD"}
    assert lacking(systems, {"A": 1, "B": 0, "C": 1, "D": 10}) == ["D"]
    assert lacking(systems, dict.fromkeys("ABCD", 10)) == []  # by design
    assert lacking(systems, {"A": 1, "B": 0, "C": 1, "D": 4}) == []  # too few to tell
    two = {name: systems[name] for name in "AB"}
    assert lacking(two, {"A": 0, "B": 20}) == ["B"]
    assert lacking(two, {"A": 20, "B": 20}) == []
    assert lacking({"A": systems["A"]}, {"A": 20}) == []


def test_missing_labels_are_noticed_where_the_metric_treats_them_otherwise():
    """54% of the rated ones passed: 1 of 20 is no chance, 9 of 20 is."""
    systems = {name: evidence() for name in "ABCD"}
    found = missing_labels(systems, {"D": (Tally(1, 20), 20)}, ["D"])
    assert list(found) == ["D"]
    assert "for most other systems; the metric passed 1 of these 20, but 54%" in found["D"][0].message
    assert missing_labels(systems, {"D": (Tally(9, 20), 20)}, ["D"]) == {}
    two = {"A": evidence(), "B": evidence()}
    (caution,) = missing_labels(two, {"A": (Tally(1, 20), 20)}, ["A"])["A"]
    assert "for the other system" in caution.message


def test_outputs_without_any_rating_are_noticed_where_most_systems_have_them():
    systems = {name: evidence() for name in "ABCD"}
    (caution,) = missing_labels(systems, {"D": (Tally(0, 0), 20)}, ["D"])["D"]
    assert caution.code == "missing-outputs"
    assert "20 outputs lack all ratings" in caution.message
    assert missing_labels({"A": evidence(), "B": evidence()}, {"A": (Tally(0, 0), 20)}, ["A"]) == {}  # who is usual?


def test_different_items_are_noticed():
    assert different_items(100, [100, 98, 97]) == {}
    (caution,) = different_items(200, [100, 100])[""]
    assert "200 in all, at most 100 by one system" in caution.message


def test_tied_votes_are_noticed_where_the_metric_treats_them_otherwise():
    systems = {name: evidence() for name in "ABC"}
    found = undecided_votes(systems, {"A": Tally(0, 2), "B": Tally(1, 20), "C": Tally(11, 20)})
    assert list(found) == ["B"]
    assert "20 outputs are left out because their votes are tied; the metric passed 1 of" in found["B"][0].message
    assert undecided_votes({"A": Evidence.of((60, 100))}, {"A": Tally(0, 20)}) == {}  # nobody can tell


def test_judges_with_levels_are_compared_with_the_rest_too():
    rated = Levels((8, 17, 35), (20, 12, 8))
    assert codes(Evidence.of((60, 100), calibration=rated, metric=(280, 290, 430))) == set()
    assert "unlike-the-rest" in codes(Evidence.of((60, 100), calibration=rated, metric=(100, 290, 610)))
    elsewhere = Levels((80, 170, 350), (200, 120, 80))
    assert codes(Evidence.of((60, 100), calibration=elsewhere, metric=(280, 290, 430))) == set()
    assert "conflict" in codes(Evidence.of((60, 100), calibration=elsewhere, metric=(800, 100, 100)))


def test_known_rates_are_checked_against_human_ratings():
    assert "conflict" in codes(evidence((400, 1000), KnownRates(0.95, 0.9), (90, 100)))
    assert "conflict" not in codes(evidence((865, 1000), KnownRates(0.95, 0.9), (90, 100)))


def test_outputs_chosen_by_the_verdict_do_not_alarm():
    """Fifty that passed and fifty that failed, of outputs of which the metric passes 80%: that does no harm."""
    assert "unlike-the-rest" not in codes(ORDINARY["chosen by verdict"])
    assert "unlike-the-rest" in codes(evidence((800, 1000), Confusion(40, 5, 40, 15), (45, 100)))
    assert "unlike-the-rest" in codes(evidence((800, 1000), Confusion(45, 5, 45, 5), (50, 100)))  # balanced as well


@pytest.mark.parametrize("code", DOUBTS)
def test_what_cannot_be_relied_on_has_a_reason(code):
    assert doubts([Caution(code), Caution(code)]) == (DOUBTS[code],)
    assert doubts([Caution("rates-differ")]) == ()


@pytest.mark.parametrize("shared", [False, True])
def test_rates_that_differ_are_said_with_their_range(shared):
    systems = {"A": evidence(quality=Confusion(50, 10, 30, 10)), "B": evidence(quality=Confusion(10, 50, 30, 10))}
    test = homogeneity([e.confusion for e in systems.values()])
    (caution,) = rates_differ(test, systems, shared=shared)
    assert "tpr from 0.17 (B) to 0.83 (A)" in caution.message
    assert ("do not trust the verdicts" in caution.advice) == shared
    assert rates_differ(None, systems, shared=shared) == ()


def test_rates_that_are_alike_are_not_said_to_range():
    """Also where one system alone has outputs that tell the rate."""
    systems = {"A": evidence(quality=Confusion(50, 10, 39, 1)), "B": evidence(quality=Confusion(50, 10, 1, 39))}
    test = homogeneity([e.confusion for e in systems.values()])
    (caution,) = rates_differ(test, systems, shared=False)
    assert "tpr 0.83 throughout; tnr from 0.03 (B) to 0.97 (A)." in caution.message
    (caution,) = rates_differ(test, systems | {"B": evidence(quality=Confusion(0, 0, 1, 39))}, shared=False)
    assert "tpr 0.83 throughout;" in caution.message


def test_chosen_outputs_of_several_systems_are_said_in_one_sentence():
    systems = {"A": evidence(sampling="by-metric"), "B": evidence(sampling="by-metric", human=(49, 100))}
    found = [(name, c) for name, e in systems.items() for c in cautions(e, PRIORS["uniform"])]
    (said,) = shared((name, c) for name, c in found if c.code == "human-set-aside")
    assert "that 60 (A) and 49 (B) of 100 are adequate says nothing about the rate" in str(said)


def test_no_conflict_without_human_ratings_of_the_rate():
    """Nothing to conflict with: no human ratings, or chosen ones."""
    assert "conflict" not in codes(evidence((900, 1000), Confusion(95, 5, 95, 5), (0, 0)))
    assert "conflict" not in codes(evidence((900, 1000), Confusion(95, 5, 95, 5), (10, 100), "balanced"))


@pytest.mark.parametrize("few", range(2 * FEW))
@pytest.mark.parametrize("kind", ["adequate", "inadequate"])
def test_few_calibration_counts_the_smaller_class(few, kind):
    """Fewer than five of either class, and the message names the class."""
    confusion = Confusion(few, 0, 40, 5) if kind == "adequate" else Confusion(40, 5, few, 0)
    found = {c.code: c for c in cautions(evidence(quality=confusion), PRIORS["uniform"])}
    assert ("few-calibration" in found) == (few < FEW)
    if few < FEW:
        on = f"only {few}" if few else "none"
        message = f"The metric's error rate on {kind} outputs is a guess: it was calibrated on {on} of them."
        assert found["few-calibration"].message == message


def test_no_calibration_is_not_few_calibration():
    assert "few-calibration" not in codes(WARNED["no-calibration"])
    assert "useless-metric" not in codes(WARNED["no-calibration"])


def test_calibration_only_offers_the_human_ratings():
    found = next(c for c in cautions(WARNED["calibration-only"], PRIORS["uniform"]) if c.code == "calibration-only")
    assert "60/100" in found.advice
    assert "calibration-only" not in codes(evidence(human=(0, 0), sampling="balanced"))


@pytest.mark.parametrize("passed", [250, 300, 500, 700, 750])
def test_shares_within_reach_of_known_rates(passed):
    """tpr = tnr = .7 passes 30 to 70%, and by chance a few more or less."""
    expected = {"impossible-share"} if passed in (250, 750) else set()
    assert codes(evidence((passed, 1000), KnownRates(0.7, 0.7))) & {"impossible-share"} == expected


def test_sampling_by_metric_is_said():
    given = evidence(sampling="by-metric")
    message = next(c.message for c in cautions(given, PRIORS["uniform"]) if c.code == "human-set-aside")
    assert "by the metric's verdict" in message
    assert "few-calibration" not in codes(evidence(quality=Confusion(50, 0, 0, 2), metric=(9, 9), sampling="by-metric"))


def test_predicted_share_against_simulation():
    """The closed-form mean and variance of the share that the metric passes, by a million draws."""
    rng = np.random.default_rng(1)
    rate, tpr, fpr = rng.beta(11, 91, 10**6), rng.beta(96, 6, 10**6), rng.beta(6, 96, 10**6)
    share = rate * tpr + (1 - rate) * fpr
    mean, variance = _predict(*(_moments(*pair) for pair in ((11, 91), (96, 6), (6, 96))))
    assert mean == pytest.approx(share.mean(), abs=2e-4)
    assert variance == pytest.approx(share.var(), rel=0.01)


def test_caution_is_a_value():
    assert Caution("a", {"b": 1}) == Caution("a", {"b": 1})


@pytest.mark.parametrize(
    ("levels", "code"),
    [
        (Levels((100, 100, 100), (50, 50, 50)), "useless-metric"),
        (Levels((200, 2, 1), (0, 1, 150)), "too-good"),
        (Levels((150, 100, 50), (30, 50, 70)), None),
        (Levels((0, 0, 0), (30, 50, 70)), None),
    ],
)
def test_judges_with_levels_are_checked_too(levels, code):
    given = Evidence.of((100, 150), calibration=levels, metric=(40, 30, 30))
    found = codes(given)
    assert found & {"useless-metric", "too-good"} == ({code} if code else set())


def test_a_useless_metric_is_not_said_to_leave_human_ratings_that_are_set_aside():
    coin = {"human": (100, 200), "calibration": Confusion(50, 50, 50, 50), "metric": (50, 100)}
    by_sampling = {
        sampling: next(
            c.advice
            for c in cautions(Evidence.of(**coin, sampling=sampling), PRIORS["uniform"])
            if c.code == "useless-metric"
        )
        for sampling in ("random", "balanced")
    }
    assert "adds hardly anything to the human ratings" in by_sampling["random"]
    assert "adds hardly anything to the prior" in by_sampling["balanced"]


def test_a_metric_without_ratings_of_its_own_spoils_nothing():
    """One that repeats people, but is used for nothing else, does not set a system aside."""
    repeats = Confusion(298, 2, 200, 0)
    assert "too-good" in codes(evidence((298, 500), repeats, (300, 500)))
    assert "too-good" not in codes(evidence((0, 0), repeats, (300, 500)))


def test_a_metric_that_repeats_people_is_seen_over_all_systems():
    """Of each system too few ratings to tell, of all together enough."""
    few = evidence((100, 200), Confusion(30, 0, 30, 0), (30, 60))
    assert "too-good" not in codes(few)
    found = compare(dict.fromkeys("ABCDE", few))
    assert [(name, c.facts["n"]) for name, c in found.cautions if c.code == "too-good"] == [("", 300)]
    assert not found.doubtful
    honest = evidence((100, 200), Confusion(27, 3, 28, 2), (30, 60))
    assert "too-good" not in {c.code for _, c in compare(dict.fromkeys("ABCDE", honest)).cautions}


def test_nobody_borrows_a_calibration_that_nobody_has():
    rated = Evidence.of((40, 80), calibration=Confusion(0, 0, 0, 0), metric=(100, 200))
    found = compare(dict.fromkeys("ABCDE", rated), borrow="link")
    assert {c.code for _, c in found.cautions} >= {"no-calibration"}
    assert "borrowed-calibration" not in {c.code for _, c in found.cautions}


def test_a_metric_that_adds_much_is_not_said_to_add_hardly_anything():
    """All outputs are adequate: what it adds rests on the prior of its tnr."""
    sure = Evidence.of((100, 100), calibration=Confusion(100, 0, 0, 0), metric=(200, 200))
    unsure = Evidence.of((60, 100), calibration=Confusion(32, 28, 20, 20), metric=(120, 200))
    much, little = (
        str(next(c for c in Estimate(one).warnings if c.code == "useless-metric")) for one in (sure, unsure)
    )
    assert "hardly anything" not in much
    assert "is not borne out by ratings yet" in much
    assert "It adds hardly anything to the human ratings" in little
