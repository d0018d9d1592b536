"""What the table of classes by levels makes possible: pairs on the same items, levels, scales, several judges."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_ratings_engines import ENGINES

import tellapart as ta
from tellapart import DataError, Evidence, InvalidInput, posterior, read_ratings
from tellapart.cli.output import typed
from tellapart.core import ladder
from tellapart.core.counts import Counts, Scale
from tellapart.core.direct import seen_together
from tellapart.data.items import PAIRED
from tellapart.said import spelled

SHARED = Path(__file__).parents[3] / "shared" / "data"


def campaign(systems="AB", items=80, rated=40, seed=0, **more):
    """Return ratings of the same items; `more` are columns made of the outputs' hidden quality."""
    rng = np.random.default_rng(seed)
    hard, rows = rng.normal(size=items), []
    for s, system in enumerate(systems):
        for i in range(items):
            quality = hard[i] + rng.normal() - 0.3 * s
            row = {"system": system, "item": i, "human": int(quality > 0) if i < rated else None}
            rows.append(row | {name: make(quality, rng) for name, make in more.items()})
    return pl.DataFrame(rows, infer_schema_length=None)


def judge(quality, rng):
    return int(quality + rng.normal() > 0)


def likert(quality, rng):
    return int(np.clip(round(quality + rng.normal()) + 3, 1, 5))


def score(quality, rng):
    return float(quality + rng.normal())


def recount(table, first, second):
    """Count pairs of outputs by hand: classes and levels are 2 × first + second."""
    rows = {(row["system"], row["item"]): row for row in table.to_dicts()}
    both, truth_only, metric_only = Counter(), Counter(), Counter()
    for item in {item for _, item in rows}:
        pair = [rows.get((system, item)) for system in (first, second)]
        if None in pair:
            continue
        truth, level = (
            None if None in said else 2 * said[0] + said[1]
            for said in ([row["human"] for row in pair], [row["judge"] for row in pair])
        )
        if truth is not None and level is not None:
            both[truth, level] += 1
        elif truth is not None:
            truth_only[truth] += 1
        elif level is not None:
            metric_only[level] += 1
    return (
        tuple(tuple(both[c, k] for k in range(4)) for c in range(4)),
        tuple(truth_only[c] for c in range(4)),
        tuple(metric_only[k] for k in range(4)),
    )


@given(data=st.data())
def test_pairs_are_counted_as_by_hand(data):
    cell = st.sampled_from([0, 0, 1, 1, None])
    rows = [
        {"system": system, "item": item, "human": data.draw(cell) if item >= 22 else 1, "judge": data.draw(cell)}
        for system in "AB"
        for item in range(26)
    ]
    table = pl.DataFrame(rows, schema={"system": pl.String, "item": pl.Int64, "human": pl.Int64, "judge": pl.Int64})
    found = read_ratings(table, metric="judge").items
    for pair in found.values():
        assert (pair.own.both, pair.own.truth_only, pair.own.metric_only) == recount(table, "A", "B")
        assert (pair.own.truth, pair.own.metric) == (PAIRED, PAIRED)
    assert set(found) <= {("A", "B")}


@pytest.mark.parametrize("engine", [*ENGINES, "csv", "jsonl", "parquet"])
def test_every_engine_counts_the_same_pairs(engine, tmp_path):
    table, path = campaign("ABC", judge=judge), tmp_path / f"ratings.{engine}"
    writers = {"csv": table.write_csv, "jsonl": table.write_ndjson, "parquet": table.write_parquet}
    if engine in writers:
        writers[engine](path)
    found = read_ratings(path if engine in writers else ENGINES[engine](table), metric="judge").items
    assert list(found) == list(combinations("ABC", 2))
    for (first, second), pair in found.items():
        assert (pair.own.both, pair.own.truth_only, pair.own.metric_only) == recount(table, first, second)


def test_votes_in_columns_and_in_rows_make_the_same_pairs():
    table = campaign(judge=judge)
    columns = table.with_columns(human1=pl.col("human"), human2=pl.col("human")).drop("human")
    rows = pl.concat([table.filter(pl.col("human").is_not_null()).with_columns(annotator=pl.lit(a)) for a in "xy"])
    rows = pl.concat([rows, table.filter(pl.col("human").is_null()).with_columns(annotator=pl.lit(None))])
    expected = read_ratings(table, metric="judge").items
    assert expected
    assert read_ratings(columns, human=["human1", "human2"], metric="judge").items == expected
    assert read_ratings(rows, annotator="annotator", metric="judge").items == expected


def test_systems_are_paired_only_where_people_rated_the_same_items():
    table = campaign(rated=40, judge=judge)
    assert not read_ratings(table, paired=False).items
    assert not read_ratings(campaign(rated=19, judge=judge)).items  # too few
    first = table.filter((pl.col("system") == "A") | (pl.col("item") > 15))  # B answered other items
    assert not read_ratings(first).items
    assert not read_ratings(table.drop("item")).items
    assert not read_ratings(table, sampling="balanced").items
    other = table.with_columns(item=pl.col("item") + 1000 * (pl.col("system") == "B"))
    assert not read_ratings(other).items


def test_a_paired_verdict_says_so_and_is_sharper_where_items_are_hard_for_both():
    ratings = read_ratings(campaign(rated=200, items=400, judge=judge))
    (pair,) = ratings.compare().pairs
    (alone,) = read_ratings(campaign(rated=200, items=400, judge=judge), paired=False).compare().pairs
    assert pair.items == 200
    assert alone.items is None
    assert pair.interval.width < 0.9 * alone.interval.width
    assert any("item by item" in sentence for sentence in ratings.understood)
    assert "item by item" in ratings.compare().provenance


def test_people_alone_are_paired_too():
    table = campaign(rated=60, items=60)
    (pair,) = read_ratings(table).compare().pairs
    wide = table.pivot("system", index="item", values="human")
    only_first, only_second = (wide.filter((pl.col(a) == 1) & (pl.col(b) == 0)).height for a, b in ("AB", "BA"))
    sign = 1 if pair.first == "A" else -1
    assert pair.difference == pytest.approx(sign * (only_first - only_second) / (60 + 4))
    assert pair.items == 60


# levels


def test_a_cut_score_on_the_same_items_is_also_counted_by_verdicts():
    """Or a line would not know how the systems' shares go together, and tell equal systems apart (42% of studies)."""
    table = campaign("ABCDE", judge=judge)
    scored = table.with_columns(judge=0.1 + 0.8 * pl.col("judge"))
    by_verdict, by_score = (read_ratings(one).compare(borrow="link") for one in (table, scored))
    assert by_verdict.items.keys() == by_score.items.keys()
    for pair, evidence in by_score.items.items():
        assert evidence.own.metric != PAIRED
        assert evidence.together == pytest.approx(seen_together(by_verdict.items[pair]))
        assert by_verdict.items[pair].together is None
    assert "items, which people rated for all systems" in by_score.basis


@pytest.mark.parametrize("levels", [None, 3])
def test_a_line_knows_how_levels_on_the_same_items_go_together(levels):
    table = campaign("ABCDE", judge=likert)
    ratings = read_ratings(table, levels=levels)
    linked = ratings.compare(borrow="link")
    assert linked.pairs[0].items == 40
    assert "items, which people rated for all systems" in linked.basis
    wide = table.pivot("system", index="item", values="judge")
    given = [wide[name].to_numpy() if levels is None else np.searchsorted([2, 3], wide[name]) for name in "AB"]
    assert (
        np.bincount(given[0])[-ratings.systems["A"].levels :].tolist()
        == np.add(ratings.systems["A"].calibrated, ratings.systems["A"].own.metric_only).tolist()
    )
    assert ratings.items["A", "B"].together[0] == pytest.approx(np.corrcoef(*given)[0, 1])


def test_a_line_leaves_out_the_items_where_it_is_not_known_how_verdicts_on_them_go_together():
    ratings = read_ratings(campaign("ABCDE", judge=judge, second=judge), metric=["judge", "second"])
    linked = ratings.compare(borrow="link")
    assert ratings.compare(borrow="items").pairs[0].items is not None
    assert linked.pairs[0].items is None
    assert "items" not in linked.basis


def test_how_outputs_go_together_is_looked_at_once_and_not_for_every_pair(monkeypatch):
    looked = []
    monkeypatch.setattr(ladder, "seen_together", lambda pair: looked.append(pair) or (0.0, 0.0, 0.0))
    result = read_ratings(campaign("ABCDE", judge=judge)).compare(borrow="link")
    assert len(result.pairs) == len(looked) == 10


def test_how_several_metrics_are_coded_changes_nothing():
    table = campaign(items=300, rated=100, judge=judge, second=judge)
    turned = table.with_columns(second=1 - pl.col("second"))
    (one,), (two,) = (
        read_ratings(t, metric=["judge", "second"]).compare(borrow="items").pairs for t in (table, turned)
    )
    assert (one.difference, one.distribution.sd) == pytest.approx((two.difference, two.distribution.sd), rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("of", [likert, score])
def test_the_names_of_two_systems_change_nothing(of, seed):
    """Bins of the differences of levels were others when the systems changed places, and so was the verdict."""
    table = campaign("AB", items=300, rated=30 + 20 * seed, seed=seed, judge=of)
    turned = table.with_columns(system=pl.when(pl.col("system") == "A").then(pl.lit("Z")).otherwise("system"))
    (one,), (two,) = (read_ratings(t, levels="auto").compare(borrow="items").pairs for t in (table, turned))
    assert (one.first, one.second) == (two.first.replace("Z", "A"), two.second.replace("Z", "A"))
    assert one.probability == pytest.approx(two.probability, abs=1e-9)
    assert one.difference == pytest.approx(two.difference, abs=1e-9)


def test_levels_are_used_as_they_are_and_gain_over_the_best_cut():
    ratings = read_ratings(campaign(rated=300, items=1500, judge=likert))
    evidence = ratings.systems["A"]
    assert evidence.own.metric == Scale.of(range(1, 6))
    assert not ratings.thresholds
    assert 0 < ratings.compare().level_gain < 0.3
    assert read_ratings(campaign(judge=likert), metric="judge", threshold=3).thresholds


def test_a_threshold_cuts_levels_of_a_metric_that_nobody_named():
    """It must not be passed over in silence; the direction of scores alone asks for no cut."""
    table = campaign(judge=likert)
    cut, named = (read_ratings(table, threshold=3, metric=metric) for metric in ((), "judge"))
    assert cut.systems == named.systems
    assert cut.thresholds[0].systems["A"].tau == 3.0
    assert read_ratings(table, threshold=ta.ThresholdRule(lower_is_better=True)).systems["A"].levels == 5
    assert read_ratings(table, threshold=ta.ThresholdRule(lower_is_better=True), levels="auto").systems["A"].levels == 5
    assert not read_ratings(campaign(judge=judge), threshold=0.5).thresholds  # verdicts have nothing to cut


def test_so_many_levels_as_asked_for():
    table = campaign(rated=60, judge=likert)
    found = {k: read_ratings(table, levels=k).systems["A"] for k in (2, 3, 5, 9)}
    assert [found[k].levels for k in (2, 3, 5, 9)] == [2, 3, 5, 5]
    assert found[9].calibrated == read_ratings(table).systems["A"].calibrated


def test_scores_are_divided_blind_to_what_people_said():
    table = campaign(rated=100, items=300, score=score)
    swapped = table.with_columns(human=1 - pl.col("human"))
    one, two = (read_ratings(t, levels="auto").systems["A"] for t in (table, swapped))
    assert one.calibrated == two.calibrated
    assert one.own.metric_only == two.own.metric_only
    assert one.calibration == two.calibration[::-1]
    assert min(one.merged().calibrated) >= 9
    assert one.n_human == 100
    assert one.n_metric == 200
    assert read_ratings(table, levels=4).systems["A"].levels == 4


@given(
    seen=st.lists(st.integers(0, 30), min_size=3, max_size=12),
    adequate=st.lists(st.integers(0, 30), min_size=12, max_size=12),
)
def test_merged_levels_hold_ten_each_or_are_two(seen, adequate):
    given = ta.Evidence.of(
        (sum(seen), sum(seen) + sum(adequate[: len(seen)])),
        calibration=ta.Levels(tuple(seen), tuple(adequate[: len(seen)])),
        metric=tuple(range(len(seen))),
    )
    merged = given.merged()
    assert merged.levels == 2 or min(merged.calibrated) >= 10
    assert merged.n_calibration == given.n_calibration
    assert merged.n_metric == given.n_metric
    assert merged.own.truths == given.own.truths
    assert merged.merged() == merged


def test_patterns_of_several_judges_are_merged_by_the_number_of_passes():
    table = campaign(rated=40, items=400, one=judge, two=judge, three=judge)
    evidence = read_ratings(table, metric=["one", "two", "three"]).systems["A"]
    assert evidence.levels == 8
    merged = evidence.merged()
    assert merged.levels <= 4
    assert min(merged.calibrated) >= 10 or merged.levels == 2


@pytest.mark.parametrize("turned", [{"two"}, {"one", "three"}, {"one", "two", "three"}])
def test_it_makes_no_difference_which_verdict_of_a_judge_is_called_1(turned):
    """Merged by judges in favour, counted here from the rows as they were before some judges were turned around."""
    metrics = ["one", "two", "three"]
    table = campaign(rated=60, items=400, one=judge, two=judge, three=judge).filter(pl.col("system") == "A")
    coded = table.with_columns((1 - pl.col(name)).alias(name) for name in turned)
    found = read_ratings(coded, metric=metrics).systems["A"]
    in_favour = table.select("human", pl.sum_horizontal(metrics))
    seen = Counter(in_favour.rows())
    both, alone = [[seen[c, k] for k in range(4)] for c in (0, 1)], [seen[None, k] for k in range(4)]
    own = Evidence(Counts(both, (0, 0), alone, metric=Scale.of(range(4))))
    merged, expected = found.merged(), own.merged()
    assert (merged.own.both, merged.own.metric_only) == (expected.own.both, expected.own.metric_only)
    assert posterior(merged).sd < 0.8 * posterior(merged.people_only).sd


def test_sequential_fusion_is_that_of_the_paper_with_its_caution():
    table = campaign(rated=80, items=400, one=judge, two=judge)
    ratings = read_ratings(table, metric=["one", "two"], fuse="sequential")
    evidence = ratings.systems["A"]
    alone = [read_ratings(table, metric=name).systems["A"] for name in ("one", "two")]
    assert evidence.confusion == alone[0].confusion
    assert [e.confusion for e in evidence.fused] == [alone[1].confusion]
    assert evidence.fused[0].own.metric_only == alone[1].own.metric_only
    assert "independent-errors" in {caution.code for _, caution in ratings.compare().cautions}


@pytest.mark.parametrize(
    ("choices", "why"),
    [
        ({"fuse": "sequential"}, ": metrics that are used one after the other are not counted item by item."),
        ({"sampling": "by-metric"}, ": items that were not chosen at random are not counted one by one."),
        ({"paired": False}, "."),
        ({}, ": people rated too few of the same items for any two (at least 20, and 80% of those of either)."),
    ],
)
def test_why_systems_are_not_compared_item_by_item_is_told(choices, why):
    table = campaign(rated=60 if choices else 19, one=judge, two=judge)
    ratings = read_ratings(table, metric=["one", "two"] if "fuse" in choices else "one", **choices)
    assert f"The systems are not compared item by item{why}" in ratings.understood


# people on a scale


def test_people_on_a_scale_give_the_mean_rating():
    table = (
        campaign(rated=150, items=150).drop("human").with_columns(human=pl.Series(np.resize([1, 2, 3, 4, 4, 5], 300)))
    )
    ratings = read_ratings(table)
    evidence = ratings.systems["A"]
    assert evidence.own.truth == Scale.of(range(1, 6))
    result = ratings.compare()
    assert result.estimates["A"].mean == pytest.approx(19 / 6, abs=0.1)
    assert "mean rating" in str(result.estimates["A"])
    assert result.to_dict()["systems"]["A"]["measure"] == "mean rating, from 1 to 5"


def test_annotators_on_a_scale_are_averaged():
    table = pl.DataFrame({"system": ["A"] * 6, "human1": [1, 2, 3, 4, 5, 5], "human2": [2, 2, 3, 5, 5, None]})
    (evidence,) = read_ratings(table).systems.values()
    assert dict(zip(evidence.own.truth.values, evidence.own.truths, strict=True)) == {1.5: 1, 2: 1, 3: 1, 4.5: 1, 5: 2}


def test_a_cut_of_the_scale_is_a_rate_again():
    table = pl.DataFrame({"system": ["A"] * 5, "human": [1, 2, 3, 4, 5]})
    assert read_ratings(table, human_cut=4).systems["A"].human == ta.Tally(2, 5)


def test_what_does_not_go_together_is_refused():
    table = campaign(score=score, judge=judge).with_columns(human=pl.Series(np.resize([1, 2, 3, 4, 5], 160)))
    with pytest.raises(InvalidInput, match="one where people rate on a scale"):
        read_ratings(table, metric=["score", "judge"])
    for metric in ((), "score"):
        with pytest.raises(InvalidInput, match="`human_cut` is missing: it must be given where people rate on a scale"):
            read_ratings(table.drop("judge"), metric=metric, threshold=1.0)
    with pytest.raises(InvalidInput, match="`levels` must lie between"):
        read_ratings(table, levels=1)
    with pytest.raises(InvalidInput, match="left out where a threshold"):
        read_ratings(table, metric="score", threshold=1.0, levels=4)
    with pytest.raises(InvalidInput, match="`fuse` must be one of"):
        read_ratings(table, fuse="both")
    with pytest.raises(InvalidInput, match="rated on one scale"):
        ta.compare({"A": read_ratings(table).systems["A"], "B": ta.Evidence.of((6, 10))})
    with pytest.raises(DataError):
        read_ratings(table.with_columns(human=pl.lit("excellent")))


@pytest.mark.skipif(not SHARED.is_dir(), reason="the real ratings are not here")
def test_paired_verdicts_agree_in_direction_with_mcnemar_on_real_ratings():
    result = read_ratings(SHARED / "ratings_wmt21_ende.csv", item="segment", metric="bleu").compare()
    table = pl.read_csv(SHARED / "ratings_wmt21_ende.csv").drop_nulls("human")
    wide = table.pivot("system", index="segment", values="human")
    for pair in result.pairs:
        discordant = [
            wide.filter((pl.col(a) == 1) & (pl.col(b) == 0)).height
            for a, b in ((pair.first, pair.second), (pair.second, pair.first))
        ]
        if abs(discordant[0] - discordant[1]) > 2 * np.sqrt(sum(discordant)):  # clear by McNemar
            assert (pair.probability > 0.5) == (discordant[0] > discordant[1])
        assert pair.items == 527


def test_how_systems_are_compared_is_said_of_the_comparison_that_is_made():
    ratings = read_ratings(campaign(judge=lambda quality, _: int(quality > 0)))
    assert "The systems are compared item by item" in str(ratings.compare().understood)
    alone = ratings.compare(borrow="none").understood
    assert "The systems are not compared item by item." in alone
    assert "are compared item by item" not in str(alone)
    assert "compared" not in str(ratings.estimate().understood)


def test_systems_that_differ_in_capital_letters_are_told():
    table = campaign(["A", "a", "B"], judge=judge)
    said = "Taken as different systems, though only capital letters differ: 'A' and 'a'."
    assert said in read_ratings(table, metric="judge").understood
    assert said in ta.metrics(table, metric="judge").understood
    many = campaign([spell(name) for name in ("kim", "lee", "max", "ned") for spell in (str.lower, str.title)])
    (told,) = (one for one in read_ratings(many).understood if "capital letters" in one)
    assert told.endswith(": 'Kim' and 'kim'; 'Lee' and 'lee'; 'Max' and 'max'; and 1 more such.")
    assert "capital" not in str(read_ratings(campaign()))


def test_one_is_spoken_of_as_one():
    table = campaign("ABC", judge=judge)
    first = (pl.col("system") == "A") & (pl.col("item") == 0)
    few = table.with_columns(judge=pl.when(~first).then(pl.col("judge")))
    few = few.with_columns(human=pl.when((pl.col("system") != "C") | (pl.col("item") > 30)).then(pl.col("human")))
    said = read_ratings(few, metric="judge").understood
    assert "1 human-rated output lacks the metric: it counts for the rate only." in said
    assert "1 of 3 pairs of systems is compared item by item: people rated the same items for both." in said
    alone = table.filter(pl.col("system") == "A").with_columns(human=pl.when(first).then(pl.col("human")))
    assert "1 output is rated by people, 79 by the metric alone." in read_ratings(alone, metric="judge").understood


def test_a_cut_that_a_verdict_does_not_need_is_told():
    table = campaign(judge=lambda quality, _: int(quality > 0))
    said = "`judge` is 0 or 1 already, so "
    assert said + "threshold= has no effect." in read_ratings(table, threshold=0.5).understood
    assert said + "levels= has no effect." in read_ratings(table, levels=3).understood
    assert said not in str(read_ratings(table))
    lower = read_ratings(table, threshold=ta.ThresholdRule(lower_is_better=True)).understood
    assert said + "lower_is_better= has no effect." in lower
    several = read_ratings(table, threshold=ta.ThresholdRule("worth", pooled=False)).understood
    (found,) = (one for one in several if said in one)
    assert found == said + "threshold= and pooled= have no effect."
    assert spelled(found, typed) == said + "--threshold and --own-cuts have no effect."


def test_one_metric_is_used_by_itself_however_several_would_be():
    table = campaign(judge=judge)
    joint, sequential = (read_ratings(table, fuse=fuse) for fuse in ("joint", "sequential"))
    assert (joint.systems, joint.items) == (sequential.systems, sequential.items)
    assert joint.items
    assert "One metric is used, so fuse= has no effect." in sequential.understood
    assert "The systems are compared item by item" in str(sequential)
    assert "fuse" not in str(joint)
