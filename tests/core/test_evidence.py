"""Counts in parts that share no output: what is kept where, what is merged or added, and what is refused."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from tellapart import Confusion, Evidence, InvalidInput, KnownRates, Levels, Tally, UselessMetric
from tellapart.core.counts import ADEQUACY, MOST, NO_METRIC, OUTCOME, VERDICT, Counts, Scale, added

GOOD = Confusion(tp=42, fn=18, tn=28, fp=12)
TABLE = ((28, 12), (18, 42))  # inadequate, adequate by fail, pass
NONE = ((0, 0), (0, 0))
JUDGE = Levels(adequate=(8, 17, 35), inadequate=(20, 12, 8))


def everyday(human=(60, 100), **options):
    return Evidence.of(human, calibration=GOOD, metric=(540, 1000), **options)


# scales


def test_a_scale_of_numbers_is_named_by_them():
    scale = Scale.of([1, 2, 2.5])
    assert scale == Scale(("1", "2", "2.5"), (1.0, 2.0, 2.5))
    assert len(scale) == 3


@pytest.mark.parametrize("scale", [ADEQUACY, VERDICT, OUTCOME])
def test_scales_run_from_low_to_high(scale):
    assert list(scale.values) == sorted(scale.values)
    assert len(scale) == len(scale.values)


# counts


def test_all_that_people_rated_is_both_and_truth_only():
    counts = Counts(TABLE, (5, 7), (460, 540))
    assert counts.truths == (28 + 12 + 5, 18 + 42 + 7)


def test_counts_of_three_classes():
    counts = Counts(((1, 2), (3, 4), (5, 6)), (1, 1, 1), (7, 8), truth=OUTCOME)
    assert counts.truths == (4, 8, 12)


def test_whole_floats_are_counts_and_rows_become_tuples():
    counts = Counts([[28.0, 12], [18, 42]], [0, 0.0], [460, 540])
    assert counts == Counts(TABLE, (0, 0), (460, 540))
    assert hash(counts) == hash(Counts(TABLE, (0, 0), (460, 540)))


WRONG_COUNTS = {
    "`both` must have 2 rows": (((1, 2),), (0, 0), (0, 0)),
    r"`both\[1\]` must have 2 counts": (((1, 2), (1, 2, 3)), (0, 0), (0, 0)),
    r"`both\[1\]\[0\]` must lie between": (((1, 2), (-1, 2)), (0, 0), (0, 0)),
    "`truth_only` must have 2 counts": (TABLE, (1,), (0, 0)),
    r"`truth_only\[1\]` must be a whole number": (TABLE, (1, 0.5), (0, 0)),
    "`metric_only` must have 2 counts": (TABLE, (0, 0), (1, 2, 3)),
    r"`metric_only\[0\]` must be a whole number": (TABLE, (0, 0), (True, 2)),
    "`both` must lie between": (((MOST, 1), (0, 0)), (0, 0), (0, 0)),
    "`truth_only` must lie between": (TABLE, (MOST, 1), (0, 0)),
    "`metric_only` must lie between": (TABLE, (0, 0), (1, MOST)),
}


@pytest.mark.parametrize("said", WRONG_COUNTS)
def test_wrong_counts_are_refused(said):
    refused(said, lambda: Counts(*WRONG_COUNTS[said]))


def refused(said, make, kind=InvalidInput):
    """Check the error: where and which rule, on one line with a hint."""
    with pytest.raises(kind, match=said) as caught:
        make()
    text = str(caught.value)
    assert len(text.splitlines()) == 1
    assert ". Hint: " in text


# the short form


def test_human_ratings_alone():
    given = Evidence.of((60, 100))
    assert given.own == Counts(((), ()), (40, 60), (), metric=NO_METRIC)
    assert (given.classes, given.levels, given.n_human, given.n_metric, given.n_calibration) == (2, 0, 100, 0, 0)
    assert given == Evidence.of(Tally(60, 100))
    assert given.confusion is None


def test_a_calibration_that_fits_is_part_of_the_human_ratings():
    given = everyday((65, 110))
    assert given.own == Counts(TABLE, (5, 5), (460, 540))
    assert given.borrowed == NONE
    assert given.human == Tally(65, 110)


@pytest.mark.parametrize("human", [(0, 0), (59, 100), (61, 100), (42, 54)])
def test_a_calibration_that_does_not_fit_is_from_elsewhere(human):
    """One class too few is enough, though there may be as many in all."""
    given = everyday(human)
    assert given.own == Counts(NONE, (human[1] - human[0], human[0]), (460, 540))
    assert given.borrowed == TABLE
    assert given.human == Tally(*human)


@pytest.mark.parametrize("human", [(60, 100), (0, 0)])
def test_calibration_and_metric_are_the_same_wherever_the_outputs_come_from(human):
    given = everyday(human)
    assert given.calibration == TABLE
    assert (given.calibrated, given.n_calibration) == ((46, 54), 100)
    assert (given.confusion, given.metric, given.n_metric) == (GOOD, Tally(540, 1000), 1000)


def test_a_calibration_without_metric_ratings():
    given = Evidence.of((60, 100), calibration=GOOD)
    assert (given.own.both, given.own.metric_only) == (TABLE, (0, 0))


@pytest.mark.parametrize("rates", [KnownRates(0.9, 0.8), (0.9, 0.8)])
def test_known_rates(rates):
    given = Evidence.of((60, 100), rates=rates, metric=(540, 1000))
    assert (given.own, given.borrowed) == (Counts(NONE, (40, 60), (460, 540)), NONE)
    assert given.rates == KnownRates(0.9, 0.8)
    assert given.confusion is None


def test_levels():
    given = Evidence.of((60, 100), calibration=JUDGE, metric=(290, 300, 410))
    assert given.own.both == given.calibration == ((20, 12, 8), (8, 17, 35))
    assert given.own.truth_only == (0, 0)
    assert given.own.metric == Scale.of(range(3))
    assert given.confusion is None
    with pytest.raises(TypeError, match="levels make no tally"):
        _ = given.metric


def test_a_judge_of_two_levels_is_counted_by_level():
    given = Evidence.of((60, 100), calibration=Levels((18, 42), (28, 12)), metric=(460, 540))
    assert given == everyday()


def test_ratings_of_several_classes_make_no_tally():
    given = Evidence(Counts(((), (), ()), (1, 2, 3), (), truth=OUTCOME, metric=NO_METRIC))
    assert (given.classes, given.n_human, given.confusion) == (3, 6, None)
    assert str(given) == "people 1/2/3 (loss/tie/win)"
    with pytest.raises(TypeError, match="several classes"):
        _ = given.human


def test_what_the_human_ratings_say_of_the_rate():
    assert everyday().human_for_rate == Tally(60, 100)
    assert everyday().drawn == Tally(0, 0)
    balanced = everyday(sampling="balanced")
    assert (balanced.human_for_rate, balanced.drawn) == (Tally(0, 0), Tally(60, 100))
    assert everyday(sampling="by-metric").human_for_rate == Tally(0, 0)
    known = Evidence.of((60, 100), rates=(0.9, 0.8), metric=(540, 1000), sampling="balanced")
    assert known.drawn == Tally(0, 0)


def test_balanced_outputs_are_refused_for_metrics_one_after_the_other():
    """What they leave of the rest would count for each metric; the rate was that of the outputs that were left."""
    further = [everyday((0, 0))]
    with pytest.raises(InvalidInput, match=r"be random where metrics .*, got 'balanced'.*fuse=\"joint\""):
        everyday(sampling="balanced", fused=further)
    assert everyday((0, 0), sampling="balanced", fused=further).fused  # a calibration from elsewhere


@given(strategies.evidences(), strategies.evidences())
def test_parts_share_no_output(evidence, other):
    """Every human rating is in one part of its own; what is told of it does not depend on which."""
    own = evidence.own
    assert sum(map(sum, own.both)) + sum(own.truth_only) == evidence.n_human == evidence.human.total
    assert not any(map(sum, own.both)) or not any(map(sum, evidence.borrowed))  # a calibration is in one place
    assert evidence.borrow(evidence.calibration).n_calibration == 2 * evidence.n_calibration
    if evidence.own.metric == other.own.metric:
        both = evidence.add(other)
        assert (both.n_human, both.n_metric) == (evidence.n_human + other.n_human, evidence.n_metric + other.n_metric)
        assert both.calibration == added(evidence.calibration, other.calibration)


WRONG = {
    "`human` must be a pair": lambda: Evidence.of(60),
    "`human` must be a pair, got '60/100'": lambda: Evidence.of("60/100"),
    "`positive` must be at most the total, 60": lambda: Evidence.of((100, 60)),
    "`metric` must be a pair": lambda: Evidence.of(calibration=GOOD, metric=(1, 2, 3)),
    "`metric` must have 3 levels, got '5/10'": lambda: Evidence.of(calibration=JUDGE, metric=Tally(5, 10)),
    r"`metric` must have 3 levels, got \(1, 2\)": lambda: Evidence.of(calibration=JUDGE, metric=(1, 2)),
    "`metric` must have 3 levels, got 5": lambda: Evidence.of(calibration=JUDGE, metric=5),
    "`metric` is missing: it must be given where the metric's rates are": lambda: Evidence.of(
        (60, 100), rates=(0.9, 0.8)
    ),
    "`rates` must be left out where a calibration": lambda: everyday(rates=(0.9, 0.8)),
    "`calibration` must be a Confusion or Levels": lambda: Evidence.of(
        calibration=KnownRates(0.9, 0.8), metric=(5, 10)
    ),
    "`calibration` must have 2 rows": lambda: everyday().borrow(((1, 2),)),
    r"`calibration\[0\]` must have 2 counts": lambda: everyday().borrow(((1, 2, 3), (1, 2, 3))),
    "`rates` must be a pair": lambda: Evidence.of(rates=0.9, metric=(5, 10)),
    "`tpr` must be a number between 0 and 1": lambda: Evidence.of(rates=(1.9, 0.8), metric=(5, 10)),
    "`borrowed` must have 2 rows": lambda: Evidence(everyday().own, borrowed=((1, 2),)),
    r"`borrowed\[0\]` must have 2 counts": lambda: Evidence(everyday().own, borrowed=((1,), (2, 3))),
    "`calibration` must lie between": lambda: everyday().borrow(((MOST, 0), (0, 0))),
    "`rates` must be those of a binary metric": lambda: Evidence(
        Evidence.of(calibration=JUDGE, metric=(1, 2, 3)).own, rates=KnownRates(0.9, 0.8)
    ),
    "`evidence` must be of one metric with calibration": lambda: Evidence.of((60, 100), sampling="by-metric"),
    "`calibration of level 0` must hold at least one": lambda: Evidence.of(
        calibration=Confusion(tp=5, fn=0, tn=0, fp=5), metric=(5, 10), sampling="by-metric"
    ),
}


@pytest.mark.parametrize("said", WRONG)
def test_what_does_not_fit_together_is_refused(said):
    refused(said, WRONG[said])


def test_an_unknown_sampling_is_refused():
    with pytest.raises(InvalidInput, match="be one of random, balanced, by-metric, got 'some'"):
        everyday(sampling="some")


def test_useless_rates_are_refused():
    refused("`tpr \\+ tnr` must differ", lambda: Evidence.of(rates=(0.4, 0.6), metric=(5, 10)), UselessMetric)


@pytest.mark.parametrize(
    "options", [{"rates": (0.9, 0.8)}, {"calibration": GOOD, "fused": [Evidence.of(calibration=GOOD, metric=(5, 10))]}]
)
def test_outputs_chosen_by_a_verdict_calibrate_one_metric(options):
    refused("of one metric with calibration", lambda: Evidence.of(metric=(5, 10), sampling="by-metric", **options))


# other evidence


@pytest.mark.parametrize("human", [(60, 100), (0, 0)])
def test_borrowed_outputs_calibrate_and_say_nothing_else(human):
    given = everyday(human)
    more = given.borrow(((1, 2), (3, 4)))
    assert (more.own, more.n_human) == (given.own, given.n_human)
    assert more.calibration == ((29, 14), (21, 46))


def test_levels_are_merged_in_every_part():
    judge = Evidence.of((60, 100), calibration=JUDGE, metric=(290, 300, 410)).borrow(((1, 2, 3), (4, 5, 6)))
    merged = judge.grouped([(0, 1), (2,)])
    assert merged.own == Counts(
        ((32, 8), (25, 35)), (0, 0), (590, 410), metric=Scale(names=("0–1", "2"), values=(0.5, 2.0))
    )
    assert merged.borrowed == ((3, 3), (9, 6))
    assert (merged.n_human, merged.n_metric) == (judge.n_human, judge.n_metric)
    assert judge.grouped([(0, 1), (2,)], ["fail", "pass"]).own.metric.names == ("fail", "pass")


@given(strategies.evidences(levels=(3, 4)), st.data())
def test_merged_levels_lose_no_output(evidence, data):
    cut = data.draw(st.integers(1, evidence.levels - 1))
    merged = evidence.grouped([range(cut), range(cut, evidence.levels)])
    assert merged.levels == 2
    assert (merged.n_metric, merged.n_calibration, merged.human) == (
        *(evidence.n_metric, evidence.n_calibration),
        evidence.human,
    )
    assert merged.metric.positive == sum(evidence.own.metric_only[cut:])


def test_evidence_is_added_part_by_part():
    both = everyday((65, 110)).add(everyday((0, 0)))
    assert both == Evidence(Counts(TABLE, (5, 5), (920, 1080)), TABLE)


NOT_ADDED = {
    "another sampling": everyday(sampling="balanced"),
    "no metric": Evidence.of((60, 100)),
    "levels": Evidence.of((60, 100), calibration=JUDGE, metric=(290, 300, 410)),
    "known rates": Evidence.of((60, 100), rates=(0.9, 0.8), metric=(540, 1000)),
    "two metrics": everyday(fused=[everyday((0, 0))]),
    "other names": everyday().grouped([(0,), (1,)], ["bad", "good"]),
}


@pytest.mark.parametrize("other", NOT_ADDED.values(), ids=NOT_ADDED)
def test_evidence_of_another_kind_is_not_added(other):
    refused("`evidence` must be of the same kind", lambda: everyday().add(other))
    refused("`evidence` must be of the same kind", lambda: other.add(everyday()))


# in words


WORDS = {
    "human 60/100": Evidence.of((60, 100)),
    "human 0/0": Evidence.of(),
    "human 60/100, calibration tp=42,fn=18,tn=28,fp=12, metric 540/1000": everyday(),
    "calibration tp=42,fn=18,tn=28,fp=12, metric 540/1000": everyday((0, 0)),
    "human 60/100, rates tpr=0.9,tnr=0.8, metric 540/1000": Evidence.of(
        (60, 100), rates=(0.9, 0.8), metric=(540, 1000)
    ),
    "human 60/100, calibration adequate=8/17/35,inadequate=20/12/8, metric 290/300/410": Evidence.of(
        (60, 100), calibration=JUDGE, metric=(290, 300, 410)
    ),
    "human 60/100, calibration tp=42,fn=18,tn=28,fp=12, metric 540/1000, rates tpr=0.9,tnr=0.8, metric 5/10": everyday(
        fused=[Evidence.of(rates=(0.9, 0.8), metric=(5, 10))]
    ),
}


@pytest.mark.parametrize("words", WORDS)
def test_all_counts_on_one_line(words):
    assert str(WORDS[words]) == words


def test_as_a_dictionary():
    fused = Evidence.of(rates=(0.9, 0.8), metric=(5, 10))
    found = everyday((65, 110), fused=[fused]).borrow(((1, 2), (3, 4))).to_dict()
    assert found == {
        "classes": ["inadequate", "adequate"],
        "levels": ["fail", "pass"],
        "both": [[28, 12], [18, 42]],
        "truth_only": [5, 5],
        "metric_only": [460, 540],
        "borrowed": [[1, 2], [3, 4]],
        "rates": None,
        "sampling": "random",
        "effect": 1.0,
        "fused": [fused.to_dict()],
    }
    assert fused.to_dict()["rates"] == {"tpr": 0.9, "tnr": 0.8}


def test_evidence_is_a_value():
    assert len({everyday(), everyday(), replace(everyday(), sampling="balanced")}) == 2


@pytest.mark.parametrize("groups", [[(0,), (0, 1)], [(0,)], [(0, 1, 2)]])
def test_groups_of_levels_hold_each_once(groups):
    with pytest.raises(InvalidInput, match="hold each of 2 levels once"):
        everyday().grouped(groups)
