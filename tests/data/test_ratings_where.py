"""Which rows are read: a condition means the same in every engine, and what is wrong with it is said in one line."""

from __future__ import annotations

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tellapart as ta
from refused import refusal
from tellapart.data.frames import Frame
from tellapart.data.tables import read_table
from tellapart.data.where import kept

ROWS = {
    "system": ["A", "A", "A", "B", "B", "B"],
    "item": ["1", "2", "3", "1", "2", "3"],
    "human": [1, 0, 1, 0, 1, 1],
    "judge": [1, 0, 1, 1, 1, 0],
    "language": ["de", "fr", None, "de", "it", "fr"],
    "year": [2019, 2020, 2021, 2022, None, 2024],
    "my score": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
}
FRAME = pl.DataFrame(ROWS)
ENGINES = {
    "csv": lambda f: f.write_csv().encode(),
    "json": lambda f: f.write_json().encode(),
    "polars": lambda f: f.lazy(),
    "pandas": lambda f: pd.DataFrame(f.to_dict(as_series=False)),
    "pyarrow": lambda f: pa.table(f.to_dict(as_series=False)),
    "duckdb": lambda f: duckdb.from_arrow(pa.table(f.to_dict(as_series=False))),
}
CONDITIONS = {
    "language == 'de'": [0, 3],
    "'de' == language": [0, 3],
    "language != 'de'": [1, 2, 4, 5],
    "language in ('de', 'it')": [0, 3, 4],
    "language not in ['de', 'it']": [1, 2, 5],
    "language == ''": [2],
    "language != '' and not (year < 2022)": [3, 4, 5],
    "year >= 2021": [2, 3, 5],
    "2020 <= year < 2022": [1, 2],
    "year == 2020 or system == 'B'": [1, 3, 4, 5],
    "`my score` > .35 and year > -1": [3, 5],
    "2022 > year": [0, 1, 2],
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_condition_keeps_the_same_rows_in_every_engine(engine, condition):
    frame = kept(Frame.of(ENGINES[engine](FRAME)), condition)
    seen = frame.collect([frame.table.select("system", "item")])[0]
    assert sorted((s, str(i)) for s, i in seen) == [(ROWS["system"][i], ROWS["item"][i]) for i in CONDITIONS[condition]]
    assert (frame.kept.rows, frame.kept.total) == (len(CONDITIONS[condition]), 6)


def test_true_and_false_are_understood_in_text_and_booleans():
    flags = FRAME.with_columns(flag=pl.Series([True, False, None, True, False, True]))
    for data in (flags, flags.write_csv().encode(), flags.write_csv().replace("true", "True").encode()):
        assert ta.read_ratings(data, where="flag == True", metric="none").facts.rows == 3


def test_ratings_pairs_metrics_and_cuts_say_how_many_rows_were_kept():
    said = "Kept 4 of 6 rows, those where language in ('de', 'fr')."
    data, condition = FRAME.write_csv().encode(), "language in ('de', 'fr')"
    assert said in ta.read_ratings(data, where=condition).understood
    assert said in ta.metrics(data, where=condition).understood
    assert sum(t.confusion.human.total for t in ta.threshold(data, "my score", where=condition).systems.values()) == 4
    pairs = pl.DataFrame({"system_a": ["A", "A"], "system_b": ["B", "B"], "item": [1, 2], "winner": ["a", "tie"]})
    found = read_table(pairs, where="winner == 'tie'")
    assert "Kept 1 of 2 rows, those where winner == 'tie'." in found.understood


def test_the_line_of_a_bad_cell_is_that_of_the_file():
    data = FRAME.write_csv().replace("B,3,1,0", "B,3,1,x")
    assert "line 7: 'x'" in refusal(data, where="language == 'fr'", metric="judge")
    assert ta.read_ratings(data.encode(), where="language == 'de'").facts.rows == 2
    pairs = "system_a,system_b,item,winner\nA,B,1,a\nA,B,2,b\nA,A,3,a\n"
    with pytest.raises(ta.DataError, match="line 4, column `system_b`: a system must not meet itself"):
        ta.read_pairs(pairs.encode(), where="item > 1")


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("lang == 'de'", "no column `lang` for where; the columns are system, item, human"),
        ("language == de", "`where` must compare with a word in quotes, a number, True or False, got 'de'"),
        ("language", "`where` must be comparisons of a column with a value, got 'language'"),
        ("language =", "`where` must be comparisons of a column with a value, got 'language ='"),
        ("", "`where` must be comparisons"),
        ("language == 'de' and __import__('os')", "\"__import__('os')\""),
        ("__import__('os').system('x') == 1", "must compare a column with a value"),
        ("language.x == 1", "got 'language.x'"),
        ("language in 'de'", "name the values after in"),
        ("language is 'de'", "use ==, !=, <, <=, >, >= or in"),
        ("year < True", "compare true and false with == or !="),
        ("language == 'xx'", "none of its 6 rows meets language == 'xx'"),
        ("(" * 3000, "`where` must be comparisons"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(condition, said):
    with pytest.raises(ta.InvalidInput) as caught:
        ta.read_ratings(FRAME.write_csv().encode(), where=condition)
    assert said in str(caught.value)
    assert str(caught.value).isprintable()


def test_kinds_must_fit_in_frames():
    with pytest.raises(ta.InvalidInput, match="which holds numbers, with a number, got '2020'"):
        ta.read_ratings(FRAME, where="year == '2020'")
    with pytest.raises(ta.InvalidInput, match="which holds text, with a word"):
        ta.read_ratings(FRAME, where="language == 3")


def test_counts_have_no_rows_to_choose(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("system,human_pos,human_n\nA,1,2\n", encoding="utf-8")
    with pytest.raises(ta.InvalidInput, match="`where=` must be left out where counts are given"):
        read_table(path, where="system == 'A'")
