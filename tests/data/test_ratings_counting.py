"""Counting a table of ratings, against plain loops over its rows."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tellapart import Confusion, DataError, Evidence, InvalidInput, Levels, Tally, read_ratings
from tellapart.analysis.threshold import Scores, ThresholdRule
from tellapart.core.counts import Scale
from tellapart.data.labels import NO, NOTHING, YES

SPELLINGS = {
    1: ["1", "1.0", " yes", *(spell(word) for word in sorted(YES) for spell in (str.lower, str.upper, str.title))],
    0: ["0", "0.0", "No ", *(spell(word) for word in sorted(NO) for spell in (str.lower, str.upper, str.title))],
    None: [None, *sorted(NOTHING)],
}
VOTES = st.sampled_from([0, 1, None])
SCORES = st.one_of(st.none(), st.integers(-3, 9).map(lambda k: k / 4))


def rows_of(**cells):
    """Rows with a system and an item of their own, and further cells."""
    row = st.fixed_dictionaries({"system": st.sampled_from(["A", "B", "C d"]), **cells})
    rows = st.lists(row, min_size=1, max_size=40)
    return rows.map(lambda rows: [{**row, "item": i} for i, row in enumerate(rows)])


def frame_of(rows, **dtypes):
    return pl.DataFrame(rows, schema={"system": pl.String, "item": pl.Int64, **dtypes})


def spelled(draw, rows, columns):
    """Write labels in any of the ways that raters do."""
    return [
        {name: draw(st.sampled_from(SPELLINGS[cell])) if name in columns else cell for name, cell in row.items()}
        for row in rows
    ]


def test_right_and_wrong_are_labels():
    table = pl.DataFrame({"system": ["A"] * 4, "human": ["right", "wrong", "Wrong", None]})
    assert read_ratings(table).systems["A"].human == Tally(1, 3)


@pytest.mark.parametrize("metric", ["judge", "score", "none"])
def test_outputs_that_nobody_rated_are_counted_too(metric):
    """Whatever the metric rated: those that people did not rate are left to rate."""
    rows = [
        {"system": s, "item": i, "human": i % 2 if i < 20 else None, "judge": i % 3 % 2 if i < end else None}
        for s, end in (("A", 25), ("B", 60))
        for i in range(60)
    ]
    table = pl.DataFrame(rows, infer_schema_length=None)
    table = table.with_columns(score=pl.col("judge") * 0.5 + pl.col("item") / 100)
    ratings = read_ratings(table, metric=metric)
    judged = {"A": 0, "B": 0} if metric == "none" else {"A": 5, "B": 40}
    assert {name: evidence.n_metric for name, evidence in ratings.systems.items()} == judged
    assert {name: evidence.unrated for name, evidence in ratings.systems.items()} == {s: 40 - judged[s] for s in "AB"}
    (need,) = ratings.compare().needed
    assert need.left == 40


def decided(votes, rule):
    there = [vote for vote in votes if vote is not None]
    if not there:
        return None
    yes, no = there.count(1), there.count(0)
    if rule == "majority":
        return "undecided" if yes == no else int(yes > no)
    return int({"all": no == 0, "any": yes > 0, "mean": yes / len(there) >= 0.5}[rule])


def counted(rows, truth, verdicts):
    """Count by hand; `truth` and `verdicts` read a row, a verdict may be missing."""
    human, calibration, metric = Counter(), Counter(), Counter()
    for row in rows:
        true, pattern, system = truth(row), tuple(verdicts(row)), row["system"]
        if true == "undecided":
            continue
        if true is not None:
            human[system, true] += 1
        if None not in pattern:
            (metric if true is None else calibration)[system, true, pattern] += 1
    expected = {}
    for system in sorted({row["system"] for row in rows}):
        patterns = list(product((0, 1), repeat=len(tuple(verdicts(rows[0])))))
        levels = Levels(*(tuple(calibration[system, true, p] for p in patterns) for true in (1, 0)))
        tally = Tally(human[system, 1], human[system, 1] + human[system, 0])
        counts = tuple(metric[system, None, p] for p in patterns)
        expected[system] = Evidence.of(tally, calibration=levels, metric=counts)
    return expected


@given(st.data(), rows_of(human=VOTES, judge=VOTES))
def test_labels_in_any_spelling_are_counted_as_by_hand(data, rows):
    table = frame_of(spelled(data.draw, rows, ["human", "judge"]), human=pl.String, judge=pl.String)
    found = read_ratings(table, human="human", metric="judge")
    assert found.systems == counted(rows, lambda row: row["human"], lambda row: [row["judge"]])


def covariance(systems, patterns, j):
    """Return the covariance of the j-th judge's verdicts with people's, within systems: (tp·tn − fn·fp) / n of each."""
    total = Fraction(0)
    for evidence in systems:
        columns = [[k for k, name in enumerate(patterns) if name[j] == verdict] for verdict in "01"]
        (tn, fp), (fn, tp) = [[sum(row[k] for k in part) for part in columns] for row in evidence.calibration]
        total += Fraction(tp * tn - fn * fp, max(tp + fn + tn + fp, 1))
    return total


@given(st.data(), rows_of(human=VOTES, one=VOTES, two=VOTES))
def test_two_judges_are_counted_by_their_joint_pattern(data, rows):
    table = frame_of(spelled(data.draw, rows, ["two"]), human=pl.Int64, one=pl.Boolean, two=pl.String)
    found = read_ratings(table, human="human", metric=["one", "two"])
    expected = counted(rows, lambda row: row["human"], lambda row: [row["one"], row["two"]])
    names = "00", "01", "10", "11"
    best = ["1" if covariance(expected.values(), names, j) >= 0 else "0" for j in range(2)]
    patterns = Scale(names, tuple(float(sum(map(str.__eq__, name, best))) for name in names))
    assert found.systems == {
        name: replace(evidence, own=replace(evidence.own, metric=patterns)) for name, evidence in expected.items()
    }


@given(rows_of(human=VOTES, score=SCORES), st.booleans(), st.sampled_from([-0.1, 0.5, 0.75]))
def test_a_fixed_cut_passes_what_is_at_it(rows, lower, tau):
    def verdict(row):
        return [None if row["score"] is None else int(row["score"] <= tau if lower else row["score"] >= tau)]

    table = frame_of(rows, human=pl.Int64, score=pl.Float64)
    found = read_ratings(table, metric="score", threshold=ThresholdRule(tau, lower_is_better=lower))
    assert found.systems == counted(rows, lambda row: row["human"], verdict)


@given(rows_of(human=VOTES, score=SCORES, judge=VOTES), st.sampled_from([0.0, 0.6]))
def test_a_judge_and_a_score_together(rows, tau):
    def verdicts(row):
        return [row["judge"], None if row["score"] is None else int(row["score"] > tau)]

    table = frame_of(rows, human=pl.Int64, score=pl.Float64, judge=pl.Int64).with_columns(
        judge=pl.col("judge").replace_strict({0: "no", 1: "yes"}, return_dtype=pl.String)
    )
    judge_alone = read_ratings(table, metric="judge")
    assert judge_alone.systems == counted(rows, lambda row: row["human"], lambda row: [row["judge"]])
    if any(row["score"] not in {None, 0.0, 1.0} for row in rows):  # or else the score is taken for labels
        try:
            found = read_ratings(table.with_columns(pl.col("score") - tau), metric=["judge", "score"])
        except DataError as error:
            assert "adequate and inadequate" in str(error)  # noqa: PT017 - nothing to choose the cut by
            return
        for name, evidence in counted(rows, lambda row: row["human"], verdicts).items():
            there = found.systems[name]
            assert there.human == evidence.human
            assert there.n_metric == evidence.n_metric
            # by the judge's verdict alone: the pattern's first digit
            for got, want in zip(there.calibration, evidence.calibration, strict=True):
                assert (sum(got[:2]), sum(got[2:])) == (sum(want[:2]), sum(want[2:]))


def decidable(rows):
    return {row["human"] for row in rows if row["human"] is not None and row["score"] is not None} == {0, 1}


SCORED = rows_of(human=VOTES, score=SCORES).filter(decidable)
RULES = st.sampled_from(["equal", "worth", "youden"])
CUTS = st.builds(
    ThresholdRule,
    RULES,
    pooled=st.booleans(),
    lower_is_better=st.booleans(),
    folds=st.integers(2, 7),
    seed=st.integers(0, 9),
)


@given(SCORED, CUTS)
def test_cross_fitting_counts_each_output_once(rows, cut):
    found = read_ratings(frame_of(rows, human=pl.Int64, score=pl.Float64), metric="score", threshold=cut)
    for name, evidence in found.systems.items():
        scored = [row for row in rows if row["system"] == name and row["score"] is not None]
        confusion = evidence.confusion
        for truth, counts in ((1, (confusion.tp, confusion.fn)), (0, (confusion.tn, confusion.fp))):
            assert sum(counts) == sum(row["human"] == truth for row in scored)
        assert evidence.n_metric == sum(row["human"] is None for row in scored)
        assert confusion == found.thresholds[0].systems[name].confusion


@given(SCORED, CUTS)
def test_unrated_outputs_are_judged_by_the_cuts_of_all_folds(rows, cut):
    found = read_ratings(frame_of(rows, human=pl.Int64, score=pl.Float64), metric="score", threshold=cut)
    for name, evidence in found.systems.items():
        scores = [r["score"] for r in rows if r["system"] == name and r["human"] is None and r["score"] is not None]
        taus = found.thresholds[0].systems[name].taus
        passed = np.mean([[s < tau if cut.lower_is_better else s > tau for s in scores] for tau in taus], axis=0)
        assert abs(evidence.metric.positive - passed.sum()) <= 0.5 + 1e-9


@given(SCORED, RULES)
def test_one_fold_is_the_naive_way(rows, rule):
    table = frame_of(rows, human=pl.Int64, score=pl.Float64)
    found = read_ratings(table, metric="score", threshold=ThresholdRule(rule, pooled=True, folds=1))
    rated = [row for row in rows if row["human"] is not None and row["score"] is not None]
    tau = Scores([row["score"] for row in rated], [row["human"] == 1 for row in rated]).best(rule)
    assert {threshold.taus for threshold in found.thresholds[0].systems.values()} == {(tau,)}
    expected = counted(
        rows, lambda row: row["human"], lambda row: [None if row["score"] is None else int(row["score"] > tau)]
    )
    assert found.systems == expected


@given(SCORED, RULES, st.sampled_from([1, 5]))
def test_lower_is_better_is_a_negated_score(rows, rule, folds):
    table = frame_of(rows, human=pl.Int64, score=pl.Float64)
    negated = table.with_columns(-pl.col("score"))
    low = read_ratings(table, metric="score", threshold=ThresholdRule(rule, folds=folds, lower_is_better=True))
    high = read_ratings(negated, metric="score", threshold=ThresholdRule(rule, folds=folds))
    assert low.systems == high.systems
    for name, threshold in low.thresholds[0].systems.items():
        assert threshold.tau == -high.thresholds[0].systems[name].tau


# votes


VOTED = rows_of(h1=VOTES, h2=VOTES, h3=VOTES, judge=VOTES)


@given(st.data(), VOTED, st.sampled_from(["majority", "all", "any", "mean"]))
def test_votes_in_columns_and_votes_in_rows_are_the_same(data, rows, rule):
    written = spelled(data.draw, rows, ["h1", "h2", "h3"])
    if rule == "mean":  # the mean is of numbers
        written = rows
    votes = [
        {key: row[key] for key in ("system", "item", "judge")} | {"human": row[who], "annotator": who}
        for row in written
        for who in ("h1", "h2", "h3")
    ]
    kinds = dict.fromkeys(("h1", "h2", "h3"), pl.Int64 if rule == "mean" else pl.String)
    wide = read_ratings(frame_of(written, **kinds, judge=pl.Int64), human=list(kinds), metric="judge", votes=rule)
    long = frame_of(votes, human=kinds["h1"], judge=pl.Int64, annotator=pl.String)
    long = read_ratings(long.sample(fraction=1, shuffle=True, seed=1), metric="judge", votes=rule)
    expected = counted(rows, lambda row: decided([row["h1"], row["h2"], row["h3"]], rule), lambda row: [row["judge"]])
    assert wide.systems == long.systems == expected
    undecided = sum(decided([row["h1"], row["h2"], row["h3"]], rule) == "undecided" for row in rows)
    said = f"Left out: {undecided} output{'s' * (undecided > 1)} with undecided votes."
    assert (said in wide.understood) == (said in long.understood) == (undecided > 0)


@pytest.mark.parametrize(("cut", "adequate"), [(3, 2), (3.5, 1), (5, 0), (-1, 3)])
def test_human_numbers_are_cut_at_their_mean(cut, adequate):
    wide = pl.DataFrame({"system": ["A"] * 4, "rater1": [3, 1, 5, None], "rater2": [3.0, 2, 3, None]})
    assert read_ratings(wide, human_cut=cut).systems["A"].human == Tally(adequate, 3)
    long = pl.DataFrame({
        "system": ["A"] * 6, "item": [0, 0, 1, 1, 2, 2], "rater": ["x", "y"] * 3,
        "human": ["3", " 3", "1", "2", "5", "3"],
    })  # fmt: skip
    assert read_ratings(long, human_cut=cut).systems["A"].human == Tally(adequate, 3)
    assert read_ratings(long.write_csv().encode(), human_cut=cut).systems["A"].human == Tally(adequate, 3)


def test_outputs_with_both_ratings_calibrate_and_are_not_counted_twice():
    table = pl.DataFrame({"system": ["A"] * 5, "human": [1, 1, 0, None, None], "judge": [1, 0, None, 1, 0]})
    expected = Evidence.of((2, 3), calibration=Confusion(tp=1, fn=1, tn=0, fp=0), metric=(1, 2))
    assert read_ratings(table).systems == {"A": expected}


def test_a_nan_is_no_rating_in_any_column():
    nan = float("nan")
    whole = pl.DataFrame(
        {"system": ["A"] * 6, "human": [1.0, 0, 1, 0, nan, nan], "bleurt": [0.3, 0.1, 0.2, 0.4, 0.9, nan]}
    )
    there = whole.fill_nan(None)
    for options in ({}, {"threshold": 0.25}, {"human_cut": 0.5}):
        assert (
            read_ratings(whole, metric="bleurt", **options).systems
            == read_ratings(there, metric="bleurt", **options).systems
        )


def test_a_system_without_human_ratings_takes_the_cut_of_all():
    rows = {"system": ["A", "A", "B"], "human": [1, 0, None], "bleurt": [0.3, 0.1, 0.5]}
    found = read_ratings(pl.DataFrame(rows), threshold=ThresholdRule("equal", folds=1))
    assert found.systems["B"].own.metric_only == (0, 1)
    assert found.thresholds[0].systems["B"].tau == found.thresholds[0].systems["A"].tau


def test_numbers_that_begin_as_labels_are_a_score():
    table = pl.DataFrame(
        {"system": ["A"] * 3000, "human": [0, 1, None] * 1000, "judge": [1.0, 0.0, 1.0] * 999 + [0.5] * 3}
    )
    assert "Metric `judge`: a score" in str(read_ratings(table))


# which column is what


def test_an_index_or_a_second_name_is_not_taken_for_the_metric():
    table = pl.DataFrame({
        "": [0, 1], "Unnamed: 0": [0, 1], "system": ["A", "A"], "item": [1, 2], "seg_id": [7, 8],
        "human": [1, 0], "human_score": [3, 4], "bleurt": [0.4, 0.2],
    })  # fmt: skip
    found = read_ratings(table)
    assert found.roles.metrics == ("bleurt",)
    assert found.roles.others == ()
    assert read_ratings(table, metric="human_score").roles.metrics == ("human_score",)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"votes": "most"}, "votes"),
        ({"human_cut": "3"}, "human_cut"),
        ({"human_cut": float("nan")}, "human_cut"),
        ({"threshold": "best"}, "threshold"),
        ({"threshold": [1]}, "threshold"),
        ({"sampling": "any"}, "sampling"),
        ({"metric": ["judge"] * 5}, "at most 4"),
    ],
)
def test_a_bad_choice_is_named(options, said):
    with pytest.raises(ValueError, match=said):
        read_ratings(pl.DataFrame({"system": ["A"], "human": [1], "judge": [1]}), **options)


# labels that are missing, and not at random


def campaign(missing):
    """Ten systems, 300 items rated for all, 300 for none; some ratings of one system are missing."""
    rng = np.random.default_rng(1)
    rows = []
    for k, item in product(range(10), range(600)):
        judge = int(rng.random() < 0.7)
        human = None if item >= 300 or missing(k, item, judge) else int(rng.random() < 0.6)
        rows.append({"system": f"S{k}", "item": item, "human": human, "judge": judge})
    return pl.DataFrame(rows)


def test_labels_missing_where_the_metric_failed_are_noticed():
    left = iter(range(27))
    found = read_ratings(campaign(lambda k, _, judge: k == 4 and not judge and next(left, None) is not None)).found
    assert list(found) == ["S4"]
    (caution,) = found["S4"]
    assert caution.message.startswith("27 outputs lack a human rating")
    assert "passed 0 of these 27" in caution.message


def test_labels_missing_by_design_are_not():
    rng = np.random.default_rng(2)
    assert not read_ratings(campaign(lambda *_: rng.random() < 0.5)).found  # each system another half
    assert not read_ratings(campaign(lambda *_: rng.random() < 0.01)).found  # here and there
    assert not read_ratings(campaign(lambda *_: False)).found


def test_one_number_does_not_cut_several_scores():
    rows = {
        "system": ["A"] * 8,
        "human": [0, 1] * 4,
        "one": [k / 10 for k in range(8)],
        "two": [k * 10.5 for k in range(8)],
    }
    with pytest.raises(InvalidInput, match="be a rule where 2 scores are cut"):
        read_ratings(rows, metric=["one", "two"], threshold=0.3)
    assert len(read_ratings(rows, metric=["one", "two"], threshold="worth").thresholds) == 2
