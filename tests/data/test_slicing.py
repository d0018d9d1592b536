"""Slices of a table: read as the whole is read, and drawn towards it."""

import json

import numpy as np
import polars as pl
import pytest

import tellapart as ta
from tellapart import DataError, InvalidInput
from tellapart.render.versions import slices as slices_sheet


def languages(sizes, rates, seed=1, *, score=False):
    """Draw ratings of two systems by language; people rated a third."""
    rng, rows = np.random.default_rng(seed), []
    for language, n in sizes.items():
        for k in range(3 * n):
            for system, rate in zip("AB", rates[language], strict=True):
                good = rng.random() < rate
                passed = rng.random() < (0.9 if good else 0.2)
                judge = float(passed) + rng.random() if score else int(passed)
                rows.append((system, f"{language}{k}", language, int(good) if k < n else None, judge))
    return pl.DataFrame(rows, schema=["system", "item", "language", "human", "judge"], orient="row")


_FIVE = [1, 3, 5, 2, 3, 5] * 10
SIZES = {"en": 120, "de": 60, "fr": 40, "sw": 60, "fi": 8}
TRUTH = {"en": (0.8, 0.7), "de": (0.75, 0.65), "fr": (0.7, 0.6), "sw": (0.35, 0.75), "fi": (0.7, 0.6)}


@pytest.fixture(scope="module")
def found():
    return ta.slices(languages(SIZES, TRUTH), "language")


def test_slices_are_sorted_by_what_people_rated(found):
    assert found.names == ("en", "de", "sw", "fr", "fi")
    assert [found.rated(name) for name in found.names] == [240, 120, 120, 80, 16]


def test_intervals_hold_the_truth(found):
    for name in found.names:
        for system, rate in zip("AB", TRUTH[name], strict=True):
            own = found.rates[name][system].interval
            assert own.low - 0.05 < rate < own.high + 0.05


def test_a_small_slice_is_drawn_towards_the_others(found):
    direct = found.parts["fi"].estimates["A"]
    assert found.rates["fi"]["A"].interval.width < direct.interval.width


def test_the_whole_is_not_called_as_a_slice_is():
    table = languages({"all": 60, "de": 40}, {"all": (0.9, 0.5), "de": (0.7, 0.7)})
    found = ta.slices(table, "language")
    for result in (found, ta.slices(table.filter(system="A"), "language")):
        assert [row[0] for row in slices_sheet(result).rows] == ["all slices together", "all", "de"]
    assert "A is clearly better in 1: all." in str(found)


def test_where_systems_change_places_is_said(found):
    better = {name: pairs[0].better for name, pairs in found.pairs.items()}
    assert better["sw"] == "B"
    assert "B is clearly better in 1: sw" in str(found)
    assert "sw" in str(found)


@pytest.mark.slow
def test_noise_is_no_news():
    """Twelve slices of two equal systems: hardly any is told apart, though chance makes large differences."""
    names = list("abcdefghijkl")
    told = 0
    for seed in range(3):
        table = languages(dict.fromkeys(names, 12), dict.fromkeys(names, (0.6, 0.6)), seed)
        found = ta.slices(table, "language")
        gaps = [abs(found.parts[n].estimates["A"].mean - found.parts[n].estimates["B"].mean) for n in names]
        assert max(gaps) > 0.1
        told += sum(pairs[0].distinguishable for pairs in found.pairs.values())
    assert told <= 1


def test_it_is_json_frame_and_csv(found):
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert set(told["slices"]) == set(SIZES)
    assert found.to_frame().shape[0] == 5
    assert found.to_frame("systems").shape[0] == 10


def test_several_columns_make_every_combination():
    table = languages({"en": 30, "de": 30}, TRUTH).with_columns(topic=pl.int_range(pl.len()) // 2 % 2)
    assert set(ta.slices(table, ["language", "topic"]).names) == {"en, 0", "en, 1", "de, 0", "de, 1"}


def test_a_score_is_cut_where_the_whole_is_cut():
    table = languages({"en": 40, "de": 40}, TRUTH, score=True)
    found = ta.slices(table, "language", metric="judge")
    (cut,) = found.overall.thresholds
    assert all(part.thresholds[0].cut.rule == cut.systems["A"].tau for part in found.parts.values())


def test_ratings_by_people_make_no_slices():
    with pytest.raises(InvalidInput, match=r"`by` must be what outputs have before anybody rates them.*'human'"):
        ta.slices(languages({"en": 40, "de": 40}, TRUTH), ["language", "human"])


def test_a_scale_is_that_of_the_whole():
    rated = [
        ("A", k, language, rating)
        for k, language, rating in zip(range(60), ["en", "en", "fr"] * 20, _FIVE, strict=True)
    ]
    table = pl.DataFrame(rated, schema=["system", "item", "language", "human"], orient="row")
    found = ta.slices(table, "language")
    assert found.parts["fr"].evidence["A"].own.truth.values == (1.0, 2.0, 3.0, 5.0)
    assert found.rates["fr"]["A"].mean > 4.5 > found.rates["en"]["A"].mean


def test_design_effects_are_those_of_the_whole():
    table = languages({"en": 40, "de": 40}, TRUTH).with_columns(document=pl.col("item").str.slice(0, 3))
    plain, together = (ta.slices(table, "language", cluster=cluster) for cluster in (None, "document"))
    effect = together.overall.evidence["A"].effect
    assert together.parts["en"].evidence["A"].n_human == round(plain.parts["en"].evidence["A"].n_human / effect)


def test_a_system_may_lack_in_a_slice():
    table = languages({"en": 30, "de": 30}, TRUTH)
    found = ta.slices(table.filter((pl.col("system") == "A") | (pl.col("language") == "en")), "language")
    assert found.pairs["de"] == ()
    assert set(found.rates["de"]) == {"A"}


def test_systems_may_have_no_slice_in_common():
    table = languages({"en": 40, "de": 40}, TRUTH)
    corpora = pl.concat([table, table.with_columns(system="C" + pl.col("system"), language=pl.lit("fr"))])
    found = ta.slices(corpora, "language")
    assert {(pair.first, pair.second) for pair in found.pairs["fr"]} == {("CA", "CB")}
    assert slices_sheet(found)
    alone = ta.slices(table, "system")
    assert str(alone).endswith("None of the 2 slices by system holds two systems.")
    assert alone.rates["A"].keys() == {"A"}
    assert alone.to_dict()["slices"]["A"]["pairs"] == []
    assert slices_sheet(alone)


def test_empty_cells_are_a_slice():
    table = languages({"en": 30, "de": 30}, TRUTH).with_columns(
        language=pl.when(pl.col("language") == "en").then(pl.col("language"))
    )
    assert set(ta.slices(table, "language").names) == {"en", "(empty)"}


@pytest.mark.parametrize(
    ("by", "said"), [("topic", "no column 'topic'"), ("same", "makes 1 slice"), ("item", "makes 240 slices")]
)
def test_what_makes_no_slices_is_refused(by, said):
    table = languages({"en": 40, "de": 40}, TRUTH).with_columns(same=pl.lit("x"))
    with pytest.raises(DataError, match=said):
        ta.slices(table, by)


def test_slices_claim_nothing_of_a_system_that_cannot_be_relied_on():
    rng = np.random.default_rng(4)
    tables = []
    for name, rate in (("A", 0.9), ("B", 0.4)):
        good = rng.random(400) < rate
        rated = [int(g) if k < 100 else None for k, g in enumerate(good)]
        judge = [
            int(not g) if name == "A" and k >= 100 else int(g)
            for k, g in enumerate(good)  # unlike the rated ones
        ]
        columns = {"item": range(400), "human": pl.Series(rated, dtype=pl.Int64), "judge": judge}
        tables.append(pl.DataFrame(columns).with_columns(system=pl.lit(name), part=pl.col("item") % 2))
    found = ta.slices(pl.concat(tables), "part")
    assert "A" in found.overall.doubtful
    assert str(found).endswith("See the 2 slices by part.")
    assert not found.changes


def test_rows_that_are_left_out_make_no_slice():
    rows = [(who, f"{name}{i}", i % 3 > 0, name) for who in "AB" for name in ("de", "en", "fr") for i in range(20)]
    table = pl.DataFrame(rows, schema=["system", "item", "human", "language"], orient="row")
    found = ta.slices(table, "language", where="language != 'de'")
    assert set(found.names) == {"en", "fr"}
    assert "Kept 80 of 120 rows" in " ".join(found.overall.understood)


def test_the_whole_and_its_slices_rest_on_the_same(found):
    """The row of all shows a system by itself, as the slices do, whatever the verdicts borrow."""
    first = slices_sheet(found).rows[0]
    for name, shown in zip(found.overall.ranking, first[2:4], strict=True):
        assert shown == f"{found.overall.estimates[name].mean:.3f}"
    assert "pair by pair" in found.signature
