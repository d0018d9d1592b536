"""Every engine counts the same; the table is built once and handed to each in its own kind of frame."""

import os
import random
import shutil
from functools import cache

import duckdb
import pandas as pd
import polars as pl
import pytest

from tellapart import DataError, Tally, read_ratings

VOTES = {"x": "first", "y": "second"}


@cache
def tables():
    """One row an output, and one row a vote."""
    rng = random.Random(1)  # noqa: S311 - a made-up table
    rows, votes = [], []
    for system, item in ((system, item) for system in ("A", "B b", "C") for item in range(90)):
        rated = item % 3 == 0
        row = {
            "system": system,
            "item": f"i{item}",
            "human": rng.choice([0, 1]) if rated else None,
            "judge": rng.choice([0, 1, 1, None]),
            "bleurt": rng.choice([round(rng.random(), 2)] * 9 + [None]),
            "first": rng.choice(["yes", "No"]) if rated else None,
            "second": rng.choice(["Pass", "fail", "", None]) if rated else "NA",
        }
        rows.append(row)
        shared = {name: row[name] for name in ("system", "item", "judge", "bleurt")}
        votes += [{**shared, "annotator": who, "vote": row[column]} for who, column in VOTES.items()]
    return {"outputs": pl.DataFrame(rows, infer_schema_length=None), "votes": pl.DataFrame(votes)}


CASES = {
    "binary judge": ("outputs", {"human": "human", "metric": "judge"}),
    "score": ("outputs", {"human": "human", "metric": "bleurt"}),
    "judge and score": ("outputs", {"human": "human", "metric": ["judge", "bleurt"]}),
    "two human columns": ("outputs", {"human": ["first", "second"], "metric": "judge"}),
    "a row a vote": ("votes", {"human": "vote", "metric": "judge"}),
    "a row a vote, score": ("votes", {"human": "vote", "metric": "bleurt", "votes": "any"}),
}


def pandas_categories(table):
    frame = table.to_pandas()
    return frame.assign(system=frame["system"].astype("category"))


def dask(table):
    import dask.dataframe  # noqa: PLC0415 - slow to import

    return dask.dataframe.from_pandas(table.to_pandas(), npartitions=3)


@cache
def duck():
    return duckdb.connect()


def duckdb_relation(table):
    return duck().from_arrow(table.to_arrow())


ENGINES = {
    "polars": lambda table: table,
    "polars, lazy": lambda table: table.lazy(),
    "polars, categories": lambda table: table.with_columns(pl.col("system").cast(pl.Categorical)),
    "pandas": lambda table: table.to_pandas(),
    "pandas, objects": lambda table: pd.DataFrame(table.to_dicts(), dtype=object),
    "pandas, nullable": lambda table: table.to_pandas().convert_dtypes(),
    "pandas, arrow": lambda table: table.to_pandas(use_pyarrow_extension_array=True),
    "pandas, categories": pandas_categories,
    "pyarrow": lambda table: table.to_arrow(),
    "duckdb": duckdb_relation,
    "dask": dask,
}
# each query of Dask takes a tenth of a second, whatever the table: for tests with many
DASK_SLOW = [pytest.param(name, marks=pytest.mark.slow) if name == "dask" else name for name in ENGINES]
# what is left to the slow tests where queries are slow: the same in other clothes
QUICK_CASES = {"binary judge", "a row a vote"}
SPARK_CASES = [case if case in QUICK_CASES else pytest.param(case, marks=pytest.mark.slow) for case in CASES]
AGREE = [
    pytest.param(engine, case, marks=[pytest.mark.slow] if engine == "dask" and case not in QUICK_CASES else [])
    for engine in ENGINES
    for case in CASES
]


@cache
def expected(case):
    table, options = CASES[case]
    return read_ratings(tables()[table], **options)


def check(convert, case):
    table, options = CASES[case]
    found = read_ratings(convert(tables()[table]), **options)
    assert found == expected(case)


def test_the_cases_hold_something():
    for case in CASES:
        for evidence in expected(case).systems.values():
            assert evidence.human.total >= 10
            assert evidence.n_metric >= 20
            assert min(map(sum, evidence.calibration)) > 2


@pytest.mark.parametrize(("engine", "case"), AGREE)
def test_engines_agree(engine, case):
    check(ENGINES[engine], case)


@pytest.fixture(scope="module")
def spark():
    if shutil.which("java") is None and "CI" not in os.environ:
        pytest.skip("Spark needs Java")
    from pyspark.sql import SparkSession  # noqa: PLC0415 - slow to import

    settings = {"ui.enabled": "false", "ui.showConsoleProgress": "false", "sql.shuffle.partitions": "1"}
    builder = SparkSession.builder.master("local[1]").appName("tellapart")
    for name, value in settings.items():
        builder = builder.config(f"spark.{name}", value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.mark.parametrize("case", SPARK_CASES)
def test_spark_agrees(spark, case):
    check(lambda table: spark.createDataFrame(table.to_arrow()), case)


@pytest.mark.parametrize("good", [["1", "0"], pytest.param(["0.5", "2", "-1e3"], marks=pytest.mark.slow)])
def test_spark_excludes_bad_cells(spark, good):
    judge = ["ERROR" if i % 9 == 0 else good[i % len(good)] for i in range(270)]
    table = tables()["outputs"].with_columns(judge=pl.Series(judge))
    found, there = (
        read_ratings(data, human="human", metric="judge", bad_cells="exclude", name="t")
        for data in (spark.createDataFrame(table.to_arrow()), table)
    )
    assert found == there
    assert found.facts.excluded[0].n == 30


@pytest.mark.parametrize("engine", ENGINES)
def test_nan_is_no_rating_in_any_engine(engine):
    nan = float("nan")
    table = pl.DataFrame({
        "system": ["A"] * 6, "human": [1.0, 0, 1, 0, nan, nan], "bleurt": [0.3, 0.1, 0.2, 0.4, 0.9, nan],
    })  # fmt: skip
    there = read_ratings(table.fill_nan(None), metric="bleurt", threshold=0.25)
    assert read_ratings(ENGINES[engine](table), metric="bleurt", threshold=0.25) == there


@pytest.mark.parametrize("engine", ENGINES)
def test_a_bad_label_in_a_frame_names_column_and_value(engine):
    table = pl.DataFrame({"system": ["A", "A"], "human": ["yes", "perhaps"], "judge": [1, 0]})
    with pytest.raises(
        DataError, match=r"^the data frame, column `human`: 1 of 2 cells is neither .*, 'perhaps'\. Hint: "
    ):
        read_ratings(ENGINES[engine](table))


@pytest.mark.parametrize("engine", ENGINES)
def test_text_for_a_score_in_a_frame_names_the_column(engine):
    table = pl.DataFrame({"system": ["A", "A"], "human": ["yes", "no"], "bleurt": ["0.5", "0.25"]})
    with pytest.raises(DataError, match=r"^the data frame, column `bleurt`: .*Hint: convert"):
        read_ratings(ENGINES[engine](table), metric="bleurt")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("vote", ["x", "inf"])
def test_votes_that_are_no_numbers_are_told_in_any_engine(engine, vote):
    table = pl.DataFrame({
        "system": ["A", "A"], "item": [1, 1], "annotator": ["x", "y"], "human": ["3", vote], "judge": [1, 1]
    })  # fmt: skip
    what = "neither a label nor a number" if vote == "x" else "not a finite number"
    with pytest.raises(DataError, match=rf"column `human`: 1 of 2 cells is {what}, '{vote}'\. Hint: "):
        read_ratings(ENGINES[engine](table), human_cut=2)


@pytest.mark.parametrize("engine", DASK_SLOW)
@pytest.mark.parametrize("vote", ["no", "yes"])
def test_votes_may_all_say_the_same(engine, vote):
    table = pl.DataFrame({
        "system": ["A", "A"], "item": [1, 1], "annotator": ["x", "y"], "human": [vote, vote], "judge": [None, None]
    }, schema_overrides={"judge": pl.Int64})  # fmt: skip
    assert read_ratings(ENGINES[engine](table)).systems["A"].human == Tally(int(vote == "yes"), 1)


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_of_one_output_must_agree_on_the_metric(engine):
    table = pl.DataFrame({
        "system": ["A", "A"], "item": ["i", "i"], "annotator": ["x", "y"], "human": [1, 1], "judge": [1, 0]
    })  # fmt: skip
    with pytest.raises(DataError, match=r"column `judge`: differs between the rows of system 'A', item 'i'\. Hint: "):
        read_ratings(ENGINES[engine](table))


@pytest.mark.parametrize("engine", DASK_SLOW)
@pytest.mark.parametrize("annotator", ["annotator", None])
@pytest.mark.parametrize("other", ["A", "B"])
def test_an_output_or_a_vote_twice_is_told_in_any_engine(engine, annotator, other):
    table = pl.DataFrame({
        "system": ["A", "A", other], "item": list("iij"), "annotator": list("xxy"), "human": [1] * 3, "judge": [1] * 3
    })  # fmt: skip
    table = table if annotator else table.drop("annotator")
    with pytest.raises(DataError, match=r"system 'A', item 'i'.* appears more than once\. Hint: "):
        read_ratings(ENGINES[engine](table))


@pytest.mark.parametrize("engine", ENGINES)
def test_ratings_without_a_system_or_an_item_are_told_in_any_engine(engine):
    table = pl.DataFrame({"system": ["A", None], "item": ["i", "j"], "human": [1, 0], "judge": [1, 0]})
    with pytest.raises(DataError, match=r"column `system`: must not be empty"):
        read_ratings(ENGINES[engine](table))
    for other in ("A", "B"):
        table = pl.DataFrame({"system": ["A", other], "item": ["i", None], "human": [1, 0], "judge": [1, 0]})
        with pytest.raises(DataError, match=r"column `item`: must not be empty"):
            read_ratings(ENGINES[engine](table))


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (3, "cannot read ratings from 'int'"),
        (None, "cannot read ratings from 'NoneType'"),
        ([{"system": "A"}], "cannot read ratings from 'list'"),
        (pl.Series([1]), "cannot read ratings from 'Series'"),
        (pd.DataFrame([["A", 1]]), "must be text"),
        (pd.DataFrame([["A", 1, 1]], columns=["system", "human", "human"]), "columns 2 and 3 are both called 'human'"),
        (pd.DataFrame(), "no column `system`"),
        (pl.DataFrame({"system": [], "human": []}), "has no rows"),
        (pd.DataFrame({"system": [], "human": []}), "has no rows"),
    ],
    ids=[
        "number",
        "nothing",
        "list",
        "series",
        "column numbers",
        "column twice",
        "empty",
        "no rows",
        "no rows, pandas",
    ],
)
def test_what_is_no_table(table, said):
    with pytest.raises(DataError, match=said) as caught:
        read_ratings(table)
    assert ". Hint: " in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


_MADE = "n", "k", "sum", "votes", "vote", "items", "x", "outputs", "nameless", "N", "named", "low_judge", "row", "__n"
INNER = [f"__{name}" for name in _MADE]


@pytest.mark.parametrize("engine", [engine for engine in DASK_SLOW if "categories" not in str(engine)])
def test_any_column_may_be_called_as_those_of_queries(engine):
    roles = ["system", "item", "human", "judge", "annotator"]
    table = pl.DataFrame({
        "system": ["A", "A", "B", "B"], "item": [1, 2, 1, 2], "human": [1, 0, 1, None], "judge": [1, 1, 0, 1],
        "annotator": ["x"] * 4,
    })  # fmt: skip
    for names in (INNER[:5], INNER[5:10], INNER[9:]):
        names = [name for name in names if not (engine == "duckdb" and name == "__N")]  # noqa: PLW2901 - case is nothing there
        renamed = dict(zip(roles, names, strict=False))
        asked = {role.replace("judge", "metric"): renamed.get(role, role) for role in roles}
        for votes in (False, True):
            options = {role: name for role, name in asked.items() if votes or role != "annotator"}
            expected = read_ratings(table if votes else table.drop("annotator")).systems
            assert read_ratings(ENGINES[engine](table.rename(renamed)), **options).systems == expected


NESTED = {"lists": [[1], [0]], "records": [{"a": 1}, {"a": 0}], "bytes": [b"1", b"0"]}


@pytest.mark.parametrize(
    ("engine", "cells"),
    [
        (engine, cells)
        for engine in ("polars", "polars, lazy", "pandas", "pandas, objects", "pyarrow", "duckdb")
        for cells in NESTED
        if (engine, cells) != ("pyarrow", "bytes")  # read as text
    ],
)
def test_cells_that_hold_several_values_are_refused_where_they_are_used(engine, cells):
    table = pl.DataFrame({"system": ["A", "B"], "item": [1, 2], "human": [1, 0], "judge": [1, 0]})
    found = read_ratings(table)
    frame = ENGINES[engine](table.with_columns(pl.Series("more", NESTED[cells])))
    assert read_ratings(frame).systems == found.systems
    for role in ("system", "item", "human", "metric"):
        with pytest.raises(DataError, match=r"column `more`: must hold words or numbers, got .*\. Hint: "):
            read_ratings(frame, **{role: "more"})


@pytest.mark.parametrize("engine", DASK_SLOW)
@pytest.mark.parametrize("votes", [False, True])
def test_categories_are_what_they_say_and_not_their_codes(engine, votes):
    table = pl.DataFrame({
        "system": ["A"] * 4, "item": [1, 2, 3, 4], "human": ["5", "1", "4", None], "annotator": ["x"] * 4,
    })  # fmt: skip
    table = table if votes else table.drop("annotator")
    for kind in (pl.Categorical, pl.Enum(["5", "1", "4"])):
        frame = ENGINES[engine](table.with_columns(pl.col("human").cast(kind)))
        assert read_ratings(frame, human_cut=4).systems["A"].human == Tally(2, 3)


@pytest.mark.parametrize("engine", ["polars", "polars, lazy", "pandas", "pyarrow"])
@pytest.mark.parametrize("name", ["*", "^.*$", "^human$"])
def test_a_column_called_like_a_pattern_is_refused(engine, name):
    table = pl.DataFrame({"system": ["A", "B"], "human": [1, 0], name: [0, 1]})
    with pytest.raises(DataError, match=r"is called like a pattern of names\. Hint: "):
        read_ratings(ENGINES[engine](table))


@pytest.mark.parametrize("engine", ENGINES)
def test_control_characters_in_a_column_name_are_written_out(engine):
    name = "score\x1b]0;x\x07\n"
    table = pl.DataFrame({"system": ["A"] * 4, "human": [1, 0, 1, None], name: [0.1, 0.2, 0.4, 0.3]})
    found = read_ratings(ENGINES[engine](table), metric=name)
    assert (*found.roles.metrics, found.thresholds[0].score) == ("score\\x1b]0;x\\x07\\n",) * 2
    assert all(line.isprintable() for line in found.understood)


@pytest.mark.parametrize("engine", [e for e in ENGINES if e != "pyspark"])
def test_spaces_around_names_make_no_other_systems_items_or_annotators(engine):
    def spaced(table):
        names = [c for c in ("system", "item", "annotator") if c in table.columns]
        marks = [pl.when(pl.int_range(pl.len()) % (3 + k) == 0).then(pl.format(" {} ", c)) for k, c in enumerate(names)]
        return table.with_columns(m.otherwise(pl.col(c)).alias(c) for m, c in zip(marks, names, strict=True))

    for case in ("binary judge", "a row a vote"):
        kind, choices = CASES[case]
        table = tables()[kind]
        found = read_ratings(ENGINES[engine](spaced(table)), **choices)
        wanted = read_ratings(table, **choices)
        assert (found.systems, found.items, found.found) == (wanted.systems, wanted.items, wanted.found), case
        assert found.facts.rows == wanted.facts.rows


def test_an_output_that_is_repeated_with_spaces_is_refused_and_blank_lines_are_no_outputs():
    rows = "A,q0,1,1\nA,q1,0,0\nB,q0,1,1\nB,q1,0,1\n"
    with pytest.raises(DataError, match="lines 2 and 6: system 'A', item 'q0' appears more than once"):
        read_ratings(f"system,item,human,judge\n{rows}A,q0 ,1,1\n".encode())
    with pytest.raises(DataError, match="line 6, column `item`: must not be empty"):
        read_ratings(f"system,item,human,judge\n{rows}A, ,1,1\n".encode())
    assert read_ratings(f"system,item,human,judge\n,,,\n{rows},,,\n".encode()).facts.rows == 4
