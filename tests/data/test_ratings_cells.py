"""Cells that are neither labels nor numbers are counted and told, or excluded; levels are recognised."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_ratings_engines import DASK_SLOW, ENGINES

from refused import refusal
from tellapart import DataError, InvalidInput, read_ratings
from tellapart.data.ratings import threshold

N = 120
LABELS = ["1", "0", "yes", "No", "1"]
SCORES = ["0.5", "0.25", "1", "-3e-1", " 7"]


def spoilt(good, every=12, bad="ERROR"):
    """A column of text with a few bad cells: 10 of 120."""
    return [bad if i % every == 0 else good[i % len(good)] for i in range(N)]


def table(**columns):
    rated = [None if i % 5 == 0 else "1" if i % 3 else "0" for i in range(N)]
    return pl.DataFrame({"system": ["A", "B"] * (N // 2), "item": range(N), "human": rated} | columns)


def blanked(frame, column, bad="ERROR"):
    return frame.with_columns(pl.when(pl.col(column) != bad).then(pl.col(column)).alias(column))


def as_file(frame):
    return frame.write_csv().encode()


TOLD = 'Hint: mend them, or leave them out with bad_cells="exclude"'


@pytest.mark.parametrize("good", [LABELS, SCORES])
@pytest.mark.parametrize("named", [False, True])
def test_bad_cells_of_a_file_are_counted_and_the_first_is_named(good, named):
    content = as_file(table(judge=spoilt(good)))
    said = refusal(content, **({"metric": "judge"} if named else {}))
    assert said == (
        f"r.csv, column `judge`: 10 of 120 cells are neither labels nor numbers, the first in line 2: 'ERROR'. {TOLD}"
    )


@pytest.mark.parametrize("good", [LABELS, SCORES])
def test_bad_cells_of_a_file_can_be_excluded(good):
    frame = table(judge=spoilt(good))
    found = read_ratings(as_file(frame), bad_cells="exclude")
    assert found.systems == read_ratings(as_file(blanked(frame, "judge")), metric="judge").systems
    said = "Excluded from `judge`, as not rated: 10 of 120 cells are neither labels nor numbers."
    assert said in found.understood
    assert [(bad.column, bad.n, bad.total) for bad in found.facts.excluded] == [("judge", 10, 120)]


def in_engine(convert, frame, column, **options):
    with pytest.raises(
        DataError, match=r"cells are neither labels nor numbers, such as 'ERROR'\. Hint: mend them"
    ) as e:
        read_ratings(convert(frame), **options)
    assert f"the data frame, column `{column}`: " in str(e.value)
    found = read_ratings(convert(frame), bad_cells="exclude", **options)
    expected = read_ratings(as_file(frame), bad_cells="exclude", name="the data frame", **options)
    assert found == expected
    assert found.facts.excluded
    assert found.systems == read_ratings(as_file(blanked(frame, column)), **options).systems


CASES = {
    "labels": ("judge", table(judge=spoilt(LABELS)), {}),
    "scores": ("judge", table(judge=spoilt(SCORES)), {}),
    "human": ("human", table(judge=[0, 1] * 60).with_columns(human=pl.Series(spoilt(["yes", "no", None]))), {}),
    "human numbers": (
        "human", table(judge=[0, 1] * 60).with_columns(human=pl.Series(spoilt(["3", "4", None]))), {"human_cut": 4}
    ),
    "votes": (
        "human",
        table(judge=[0, 1] * 60).with_columns(human=pl.Series(spoilt(["yes", "no"])), rater=pl.lit("x")),
        {},
    ),
    "numbers as votes": (
        "human",
        table(judge=[0, 1] * 60).with_columns(human=pl.Series(spoilt(["3", "4"])), rater=pl.lit("x")),
        {"human_cut": 4},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("engine", DASK_SLOW)
def test_bad_cells_in_any_engine(engine, case):
    column, frame, options = CASES[case]
    in_engine(ENGINES[engine], frame, column, **options)


def test_infinite_human_numbers_are_bad_cells():
    frame = table(judge=[0, 1] * 60).with_columns(human=pl.Series([float("inf"), 3.0, 4.0, None] * 30))
    for content in (frame, as_file(frame)):
        with pytest.raises(DataError, match=r"column `human`: 30 of 90 cells are not finite numbers, .*\. Hint: mend"):
            read_ratings(content, human_cut=4)
        assert read_ratings(content, human_cut=4, bad_cells="exclude").systems["A"].human.total == 30


def test_a_column_must_not_consist_mostly_of_bad_cells():
    content = as_file(table(text=spoilt(LABELS, every=1), judge=[0, 1] * 60))
    assert read_ratings(content).facts.chosen.unusable == ("text",)
    assert "a metric must hold labels or numbers" in refusal(content, metric="text", bad_cells="exclude")
    said = refusal(content, human="text", bad_cells="exclude")
    assert "column `text`: 120 of 120 cells are neither labels nor numbers, the first in line 2: 'ERROR'" in said
    assert "exclude" not in said


def test_bad_cells_do_not_hide_a_judge_behind_other_columns():
    frame = table(judge=spoilt(LABELS), bleurt=[i / N for i in range(N)], answer=spoilt(LABELS, bad="Paris"))
    found = read_ratings(as_file(frame), bad_cells="exclude")
    assert found.roles.metrics == ("judge",)
    assert set(found.roles.others) == {"bleurt", "answer"}
    assert read_ratings(as_file(frame.drop("judge"))).roles.metrics == ("bleurt",)


def test_words_among_scores_are_bad_cells_of_scores():
    content = as_file(table(judge=spoilt(SCORES, bad="yes")))
    assert "10 of 120 cells are not finite numbers, the first in line 2: 'yes'" in refusal(content)
    assert read_ratings(content, bad_cells="exclude").facts.excluded[0].n == 10


def test_bad_cells_of_a_score_to_cut():
    content = as_file(table(judge=spoilt(SCORES)))
    expected = threshold(as_file(blanked(table(judge=spoilt(SCORES)), "judge")), "judge")
    assert threshold(content, "judge", bad_cells="exclude") == expected
    with pytest.raises(DataError, match="10 of 120 cells"):
        threshold(content, "judge")


def test_a_rule_for_bad_cells_that_is_none():
    with pytest.raises(InvalidInput, match="bad_cells"):
        read_ratings(table(judge=[0, 1] * 60), bad_cells="drop")


CELLS = st.sampled_from(["1", "0", "yes", "0.5", "", "x", "NA", "inf", "1e400", "1_0", " 2"])


@given(st.lists(st.tuples(st.sampled_from("AB"), CELLS, CELLS), min_size=1, max_size=12), st.sampled_from([None, 0.5]))
def test_excluded_cells_are_as_empty_ones(rows, human_cut):
    frame = pl.DataFrame(rows, schema=["system", "human", "judge"], orient="row")
    options = {"metric": "judge", "human_cut": human_cut}
    try:
        found = read_ratings(as_file(frame), bad_cells="exclude", **options)
    except DataError as error:
        assert ". Hint: " in str(error)  # noqa: PT017
        return
    columns = {bad.column for bad in found.facts.excluded}
    labelled = human_cut is None and not found.facts.chosen.scale
    kinds = {name: "labels" if name == "human" and labelled else found.facts.chosen.kinds.get(name) for name in columns}
    words = {"x", "1_0"}
    for name in columns:
        wrong = words if kinds[name] == "labels" else words | {"yes", "inf", "1e400"}
        frame = frame.with_columns(pl.when(~pl.col(name).is_in(sorted(wrong))).then(pl.col(name)).alias(name))
    assert found.systems == read_ratings(as_file(frame), **options).systems
    for convert in (ENGINES["pandas"], ENGINES["pyarrow"]):
        assert read_ratings(convert(frame), bad_cells="exclude", **options).systems == found.systems


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([1, 2, 3, 4, 5], "levels"),
        ([0, 1, 2], "levels"),
        (["1", "2.0", "5"], "levels"),
        (list(range(10)), "levels"),
        (list(range(12)), "scores"),
        ([1, 2], "scores"),
        ([1.0, 2.5, 3.0], "scores"),
        ([0, 1], "labels"),
    ],
)
def test_levels_are_recognised_and_used_as_they_are(cells, kind):
    frame = table(judge=(cells * N)[:N])
    for content in (as_file(frame), *([frame] if not isinstance(cells[0], str) else [])):
        found = read_ratings(content, metric="judge")
        assert found.facts.chosen.kinds == {"judge": kind}
        assert len(found.thresholds) == (kind == "scores")


def test_a_system_without_any_rating_is_refused(tmp_path):
    """Of two files whose columns have other names, one would tell nothing and be taken for the prior."""
    (tmp_path / "a.csv").write_text("system,item,human,judge\nA,1,1,1\nA,2,,1\n")
    (tmp_path / "b.csv").write_text("system,item,label,gpt4\nB,1,1,1\nB,2,0,1\n")
    found = read_ratings([str(tmp_path / "a.csv"), str(tmp_path / "b.csv")])
    for ask in (found.compare, found.estimate):
        with pytest.raises(DataError, match="system 'B': has no rating in `human` or `judge`"):
            ask()
