"""Outputs that go together count as fewer: design effects, and counts divided by them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

import tellapart as ta
from tellapart.core.counts import Counts, apportioned
from tellapart.errors import DataError


def segments(documents=40, each=5, *, judged=True):
    """Return ratings of documents whose segments are alike; people rated the first half of these."""
    rng = np.random.default_rng(1)
    rows = []
    for system in ("A", "B"):
        for document in range(documents):
            easy = rng.normal()
            for segment in range(each):
                good = int(easy + rng.normal() > -0.3)
                human = good if document < documents // 2 or not judged else None
                judge = int(rng.random() < (0.9 if good else 0.2))
                rows.append((system, f"{document}-{segment}", f"d{document}", human, judge))
    return pl.DataFrame(rows, schema=["system", "item", "document", "human", "judge"], orient="row")


def effects(table, **choices):
    return ta.read_ratings(table, **choices).facts.clusters.effects


@given(st.lists(st.integers(0, 50), min_size=1, max_size=6), st.integers(0, 40))
def test_apportioned_counts_have_the_sum_and_are_near_their_shares(shares, total):
    found = apportioned(shares, total)
    assert sum(found) == (total if sum(shares) else 0)
    if sum(shares):
        assert all(abs(k - total * share / sum(shares)) < 1 for k, share in zip(found, shares, strict=True))


def test_thinned_counts_keep_their_shares():
    thin = Counts(((20, 10), (10, 60)), (4, 6), (300, 700)).thinned(2.0)
    assert thin.truths == (17, 38)
    assert thin.metric_only == (150, 350)
    assert thin.both == ((10, 5), (5, 30))


def test_outputs_that_stand_alone_count_as_they_are():
    table = segments().with_columns(alone=pl.concat_str("system", "item"))
    alone, plain = (ta.read_ratings(table, cluster=cluster).systems for cluster in ("alone", None))
    assert all(alone[name].own == plain[name].own for name in plain)
    assert effects(table, cluster="alone") == pytest.approx({"A": 1.0, "B": 1.0})


def test_outputs_without_a_cluster_stand_alone():
    table = segments().with_columns(nothing=pl.lit(None, dtype=pl.String))
    assert effects(table, cluster="nothing") == pytest.approx({"A": 1.0, "B": 1.0})


def test_copies_count_as_one():
    one = segments(each=1, judged=False)
    copies = pl.concat([one.with_columns(item=pl.col("item") + f"/{k}") for k in range(3)])
    few = [n / (n - 1) * stdtrit(n - 1, 0.975) ** 2 for n in (40, 120)]
    for name, effect in effects(copies, cluster="document", metric="judge").items():
        assert effect == pytest.approx(3 * few[0] / few[1], rel=1e-9), name


def test_the_effect_is_the_ratio_of_two_variances():
    """A second route: the delete-one-document jackknife of the rate against the binomial variance."""
    table = segments(documents=200, judged=False).filter(pl.col("system") == "A").drop("judge")
    totals = table.group_by("document").agg(k=pl.col("human").sum(), n=pl.len()).to_numpy()[:, 1:].astype(float)
    k, n = totals.T
    left_out = (k.sum() - k) / (n.sum() - n)
    jackknife = (len(k) - 1) / len(k) * ((left_out - left_out.mean()) ** 2).sum()
    rate = k.sum() / n.sum()
    few = (stdtrit(199, 0.975) / stdtrit(999, 0.975)) ** 2
    assert effects(table, cluster="document")["A"] == pytest.approx(
        few * jackknife / (rate * (1 - rate) / (n.sum() - 1)), rel=1e-2
    )


def test_intervals_are_wider_and_rates_stay():
    table = segments()
    plain, together = (ta.read_ratings(table, cluster=cluster).compare() for cluster in (None, "document"))
    for name, estimate in plain.estimates.items():
        assert together.estimates[name].mean == pytest.approx(estimate.mean, abs=0.03)
        assert together.estimates[name].interval.width > 1.1 * estimate.interval.width
    assert together.pairs[0].distribution.sd > 1.1 * plain.pairs[0].distribution.sd
    assert "the same 100 items" in plain.basis
    assert "the same items" in together.basis


def test_what_was_done_is_said():
    ratings = ta.read_ratings(segments(), cluster="document")
    said = next(one for one in ratings.understood if "design effect" in one)
    assert said.startswith("Outputs with the same `document` (20 values among those rated by people) go together")


def test_items_as_clusters_are_items_where_each_stands_once():
    """One output of a system for each item: nothing goes together, and systems are compared item by item."""
    table = segments()
    plain, together = ta.read_ratings(table), ta.read_ratings(table, cluster="item")
    assert (together.systems, together.items) == (plain.systems, plain.items)
    assert together.items
    assert "Each system has one output for each `item`, so cluster= has no effect." in together.understood
    assert "go unnoticed" not in str(together)
    assert ta.read_ratings(table, item="item", cluster="item").items == plain.items
    votes = pl.concat([table.with_columns(annotator=pl.lit(f"p{k}")) for k in range(3)])
    assert ta.read_ratings(votes, cluster="item").items == ta.read_ratings(votes).items


def test_items_as_clusters_are_clusters_where_outputs_repeat():
    """Several outputs for each question go together; nothing else tells them apart."""
    ratings = ta.read_ratings(segments().drop("item").rename({"document": "question"}), cluster="question")
    assert all(effect > 1 for effect in ratings.facts.clusters.effects.values())
    assert "`question` tells which outputs go together, and no other column names items" in str(ratings)
    table = segments().with_columns(item=pl.when(pl.col("item") != "0-0").then(pl.col("item")))
    assert ta.read_ratings(table, cluster="item").facts.clusters.column == "item"  # that one stands alone
    named = segments().with_columns(id=pl.int_range(pl.len()))
    assert ta.read_ratings(named, cluster="item").roles.item == "id"


def test_a_column_of_that_name_is_used_without_a_word():
    table = segments().rename({"document": "cluster"})
    assert ta.read_ratings(table).facts.clusters.column == "cluster"


def test_raters_as_clusters_are_no_annotators():
    table = segments(judged=False).with_columns(rater=pl.col("document"))
    ratings = ta.read_ratings(table, cluster="rater")
    assert ratings.roles.annotator is None
    assert ratings.facts.clusters.column == "rater"


def test_votes_in_rows_keep_the_cluster_of_their_output():
    table = segments()
    votes = pl.concat([table.with_columns(annotator=pl.lit(f"p{k}")) for k in range(3)])
    assert effects(votes, cluster="document") == pytest.approx(effects(table, cluster="document"))


def test_scores_and_levels_have_clusters_too():
    table = segments().with_columns(score=pl.col("judge") + pl.int_range(pl.len()) % 7 / 10)
    assert all(effect > 1 for effect in effects(table, cluster="document", metric="score").values())


def test_all_ratings_of_one_cluster_count_as_one():
    table = segments().with_columns(document=pl.lit("all"))
    assert effects(table, cluster="document") == {"A": 100, "B": 100}
    assert ta.read_ratings(table, cluster="document").systems["A"].n_human == 1


def test_a_column_that_is_not_there_is_refused():
    with pytest.raises(DataError, match="no column 'page'"):
        ta.read_ratings(segments(), cluster="page")


def night(rng, rated, documents=20, each=100):
    """Return one run: documents are easy or hard, the judge rates all outputs and people some of these, at random."""
    good = rng.random(documents * each) < np.repeat(rng.beta(0.75, 0.25, documents), each)
    judge = np.where(good, rng.random(len(good)) < 0.9, rng.random(len(good)) < 0.2).astype(int)
    human = np.full(len(good), None, dtype=object)
    chosen = rng.choice(len(good), rated, replace=False)
    human[chosen] = good[chosen].astype(int)
    document = [f"d{k // each}" for k in range(len(good))]
    return pl.DataFrame({"document": document, "human": pl.Series(human.tolist(), dtype=pl.Int64), "judge": judge})


@pytest.mark.parametrize("rated", [40, 0])
def test_clusters_sound_no_alarm(rated):
    """The judge's verdicts go together far more than what people add: with the rate's effect half of these had one."""
    alarms = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        runs = [night(rng, 400), *(night(rng, rated) for _ in range(7))]
        alarms += bool(ta.trend(runs, cluster="document", borrow="none").alarms)
    assert alarms == 0


def test_clusters_count_where_people_rated_nothing():
    """The judge tells no more of a system, the more outputs of a document are alike."""
    rng = np.random.default_rng(1)
    table = pl.concat([night(rng, rated).with_columns(system=pl.lit(f"{rated}")) for rated in (400, 0)])
    assert effects(table, cluster="document")["0"] > 5


def test_ratings_that_are_all_the_same_do_not_tell_how_alike_they_are():
    table = pl.DataFrame({"system": ["A"] * 100, "document": [f"d{k // 10}" for k in range(100)], "human": [1] * 100})
    ratings = ta.read_ratings(table, cluster="document")
    assert [evidence.n_human for evidence in ratings.systems.values()] == [10]
