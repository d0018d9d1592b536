"""Tables of pairs: recognised, read in every usual spelling, counted as a plain loop counts, refused in one line."""

from __future__ import annotations

import contextlib
import random
from collections import Counter
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tellapart as ta
from tellapart.data.pairs import read_either, sides
from tellapart.data.winners import spelled

SHARED = Path(__file__).parents[3] / "shared" / "data"
WORDS = {"a": 2, "tie": 1, "b": 0}


def made(n=400, seed=1, *, annotators=("x",), orders=False):
    """Make rows of pairs among three systems; the judge repeats its verdict on a pair, item and order."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    rows = []
    for item in range(n):
        sides = rng.sample(["A", "B", "C"], 2)
        for names in [sides, sides[::-1]] if orders else [sides]:
            judge = rng.choice(["a", "b", "tie", ""])
            for who in annotators:
                row = {"system_a": names[0], "system_b": names[1], "item": f"i{item}", "annotator": who}
                rows.append({**row, "human": rng.choice(["a", "b", "tie", ""]), "judge": judge})
    return rows


def recount(rows):
    """Count the plain way: by pair, people's outcome and the judge's, from the first name's side."""

    def most(votes):
        if not votes:
            return None
        ranked = Counter(votes).most_common()
        return 1 if len(ranked) > 1 and ranked[0][1] == ranked[1][1] else ranked[0][0]

    cases = {}
    for row in rows:
        low, high = sorted((row["system_a"], row["system_b"]))
        case = cases.setdefault((low, high, row["item"]), ([], {}))
        for kind in ("human", "judge"):
            if row[kind]:
                said = WORDS[row[kind]] if row["system_a"] == low else 2 - WORDS[row[kind]]
                case[0].append(said) if kind == "human" else case[1].update({row["system_a"]: said})
    counts = {}
    for (low, high, _), (votes, verdicts) in cases.items():
        said = set(verdicts.values())
        judge = None if not said else said.pop() if len(said) == 1 else 1
        counts.setdefault((low, high), Counter())[most(votes), judge] += 1
    return counts


def counted(pairs):
    found = {}
    for pair, evidence in pairs.pairs.items():
        own = evidence.own
        cells = {(c, k): own.both[c][k] for c in range(3) for k in range(3)}
        cells |= {(c, None): own.truth_only[c] for c in range(3)}
        cells |= {(None, k): own.metric_only[k] for k in range(3)}
        found[pair] = Counter({key: n for key, n in cells.items() if n})
    return found


@pytest.mark.parametrize("annotators", [("x",), ("x", "y"), ("x", "y", "z")])
@pytest.mark.parametrize("orders", [False, True])
def test_counts_are_those_of_a_plain_loop(annotators, orders):
    rows = made(annotators=annotators, orders=orders)
    expected = recount(rows)
    for cells in expected.values():
        cells.pop((None, None), None)
    assert counted(ta.read_pairs(pl.DataFrame(rows))) == expected


def engines(rows):
    frame = pl.DataFrame(rows)
    pandas = pd.DataFrame(rows)  # noqa: F841 - DuckDB finds it by its name
    yield "csv", frame.write_csv().encode()
    yield "jsonl", frame.write_ndjson().encode()
    yield "pandas", pd.DataFrame(rows)
    yield "lazy", frame.lazy()
    yield "arrow", frame.to_arrow()
    yield "duckdb", duckdb.sql("select * from pandas")


def test_every_engine_counts_alike():
    rows = made(60, annotators=("x", "y"), orders=True)
    expected = counted(ta.read_pairs(pl.DataFrame(rows)))
    for engine, data in engines(rows):
        assert counted(ta.read_pairs(data)) == expected, engine


@pytest.mark.parametrize(
    "columns",
    ["system_a system_b", "model_a model_b", "Model A|Model B", "system1 system2", "model_1 model_2", "left right"],
)
def test_pairs_are_recognised_by_their_columns(columns):
    names = tuple(columns.split("|") if "|" in columns else columns.split())
    assert sides(["item", *names, "human"]) == names


def test_ratings_stay_ratings():
    assert sides(["system", "item", "first", "second"]) is None
    assert sides(["system", "item", "human", "judge_a", "judge_b"]) is None
    found = read_either(pl.DataFrame({"system": ["A", "B"], "human": [1, 0]}))
    assert isinstance(found, ta.Ratings)


@pytest.mark.parametrize(
    ("win", "tie", "loss"),
    [
        ("a", "tie", "b"),
        ("A", "C", "B"),
        ("[[A]]", "[[C]]", "[[B]]"),
        ("model_a", "tie (bothbad)", "model_b"),
        ("win", "draw", "loss"),
        ("left", "equal", "right"),
        ("first", "tie_inconsistent", "second"),
        ("1", "0", "2"),
        ("1.0", "0.0", "2.0"),
        (1, 0, 2),
        (1.0, 0.0, -1.0),
        ("X", "tie", "Y"),
    ],
)
def test_outcomes_in_every_usual_spelling(win, tie, loss):
    table = {"system_a": ["X"] * 4, "system_b": ["Y"] * 4, "item": [1, 2, 3, 4], "human": [win, win, tie, loss]}
    assert ta.read_pairs(table).pairs["X", "Y"].own.truths == (1, 1, 2)


def test_preferences_are_those_of_a_column_of_that_name():
    assert spelled("preference", [1.0, 1.5, 2.0]) == {1.0: 2, 1.5: 1, 2.0: 0}
    assert 1.5 not in spelled("human", [1.0, 1.5, 2.0])


HEAD = "system_a,system_b,item,human,judge\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + "A,B,1,a,a\nA,A,2,b,b\n", "line 3, column `system_b`: a system must not meet itself, got 'A'"),
        (HEAD + "A,B,1,a,a\nA,B,1,b,b\n", "lines 2 and 3: system_a 'A', system_b 'B', item '1' appears more"),
        (HEAD + "A,B,1,a,a\nA,B,1,b,b\n", "than once. Hint: one row per pair and item"),
        (HEAD + "A,B,1,a,a\nA,B,2,maybe,b\n", "line 3, column `human`: must be an outcome, got 'maybe'"),
        (HEAD + "A,B,1,a,a\nA,B,2,a,ERROR\n", "line 3, column `judge`: must be an outcome, got 'ERROR'"),
        (HEAD + "A,B,1,,a\nA,B,2,,b\n", "column `human`: holds no outcome"),
        (HEAD + "A,,1,a,a\n", "line 2, column `system_b`: both systems must be named, got an empty cell"),
        (HEAD + "A,B,,a,a\n", "line 2, column `item`: must not be empty"),
        (HEAD, "has no rows"),
        ("system_a,system_b,item,human\nA,B,1,1\nA,B,2,0\n", "0 and 1 may be loss and win or tie and win"),
        ("system_a,system_b,item,human\nb,a,1,b\n", "column `human`: may mean a system or a side, got 'b'"),
        ("system_a,system_b,item,judge\nA,B,1,a\n", "no column `human`"),
        ("system,item,human\nA,1,1\n", "no two columns of systems"),
    ],
)
def test_bad_tables_are_refused_in_one_line(text, said):
    with pytest.raises(ta.DataError) as refused:
        ta.read_pairs(text.encode(), name="pairs.csv", **({"metric": "judge"} if "ERROR" in text else {}))
    message = str(refused.value)
    assert message.startswith("pairs.csv")
    assert said in message
    assert "Hint: " in message
    assert "\n" not in message


def test_judges_that_contradict_themselves_are_refused():
    rows = "system_a,system_b,item,annotator,human,judge\nA,B,1,x,a,a\nA,B,1,y,a,b\n"
    with pytest.raises(ta.DataError, match=r"column `judge`: differs between the rows of 'A', 'B', item '1'"):
        ta.read_pairs(rows.encode())


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"human_cut": 3}, "`human_cut=` must be left out where pairs are compared, got 3. Hint: it is for ratings"),
        ({"paired": False}, "`paired=` must be left out where pairs are compared. Hint: it is for ratings"),
        ({"threshold": ta.ThresholdRule(0.5)}, "`threshold=` must be left out .*, got 0.5. Hint"),
        ({"levels": "auto"}, "`levels=` must be left out .*, got 'auto'. Hint"),
    ],
)
def test_choices_of_ratings_are_refused(choice, said):
    table = pl.DataFrame({"system_a": ["A"], "system_b": ["B"], "human": ["a"]})
    with pytest.raises(ta.InvalidInput, match=said):
        read_either(table, **choice)


def test_bad_cells_can_be_excluded():
    rows = HEAD + "A,B,1,a,a\nA,B,2,b,b\nA,B,3,a,ERROR\n"
    found = ta.read_pairs(rows.encode(), bad_cells="exclude")
    assert found.pairs["A", "B"].own.truth_only == (0, 0, 1)
    assert any("Excluded from `judge`" in sentence for sentence in found.understood)


def test_the_winner_of_an_arena_is_what_people_say():
    rows = "question_id,model_a,model_b,winner,turn\n1,A,B,model_a,1\n2,B,A,tie (bothbad),2\n"
    found = ta.read_pairs(rows.encode())
    assert found.roles.human == ("winner",)
    assert found.roles.metrics == ()  # a column of 1 and 2 is no judge
    assert found.pairs["A", "B"].own.truths == (0, 1, 1)


def test_turns_are_items_and_the_judge_of_an_arena_is_who_votes():
    rows = "question_id,model_a,model_b,winner,judge,turn\n1,A,B,model_a,x,1\n1,A,B,tie,x,2\n1,B,A,model_b,y,1\n"
    found = ta.read_pairs(rows.encode())
    assert found.roles.annotator == "judge"
    assert found.pairs["A", "B"].own.truths == (0, 1, 1)
    assert "item = `question_id` and `turn`" in found.understood[0]


def test_a_judge_may_write_the_name_of_the_winner():
    rows = [row | {side: f"prompt {row[side]}" for side in ("system_a", "system_b")} for row in made(60, orders=True)]
    sides = {"a": "system_a", "b": "system_b"}
    named = [row | {kind: row.get(sides.get(row[kind]), row[kind]) for kind in ("human", "judge")} for row in rows]
    expected = ta.read_pairs(pl.DataFrame(rows))
    for engine, data in engines(named):
        found = ta.read_pairs(data)
        assert (found.roles.metrics, found.roles.annotator) == (("judge",), "annotator"), engine
        assert counted(found) == counted(expected), engine


@pytest.mark.parametrize("judges", [("gpt", "gpt", "gpt"), ("gpt", "llama", "claude"), ("claude", "x", "gpt")])
def test_a_judge_that_is_called_as_a_system_is_who_votes(judges):
    """One name throughout, or names of systems that are not of the row's pair."""
    rows = [(1, "gpt", "llama", "a"), (2, "gpt", "claude", "b"), (3, "llama", "claude", "tie")]
    text = "item,system_a,system_b,human,judge\n"
    text += "".join(f"{','.join(map(str, row))},{judge}\n" for row, judge in zip(rows, judges, strict=True))
    found = ta.read_pairs(text.encode())
    assert (found.roles.metrics, found.roles.annotator) == ((), "judge")


def test_position_is_measured_where_the_judge_saw_both_orders():
    rows = [("A", "B", i, "a", "a") for i in range(30)] + [("B", "A", i, "b", "a") for i in range(30)]
    rows += [("A", "B", 99, "a", "a"), ("B", "A", 99, "b", "b")]
    found = ta.read_pairs(pl.DataFrame(rows, schema=["system_a", "system_b", "item", "human", "judge"], orient="row"))
    assert found.position.flips == ta.Tally(30, 31)
    assert found.position.first.mean == pytest.approx((30 + 0.5 + 1) / 33)  # pseudo-counts of two in all
    assert found.pairs["A", "B"].own.both[2] == (0, 30, 1)  # flipped verdicts are ties
    assert any(c.code == "position-bias" for _, c in found.compare().cautions)


cells = st.sampled_from(["A", "B", "C", "a", "b", "tie", "", "1", "0", "x\ny", "é", " A ", "NaN", '"'])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(cells, cells, cells, cells, cells), max_size=6))
def test_any_table_is_read_or_refused(rows):
    columns = ["system_a", "system_b", "item", "human", "judge"]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")
    for data in (frame, frame.write_csv().encode(), frame.to_pandas()):
        with contextlib.suppress(ta.DataError):  # which is all that may happen
            assert all(a < b for a, b in ta.read_pairs(data).pairs)


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs real votes, which are not part of the project")
def test_real_votes_are_counted_as_a_plain_loop_counts():
    rows = pl.read_csv(SHARED / "pairs_mtbench.csv", infer_schema=False).rename({"judge_gpt4": "judge"})
    rows = rows.with_columns(pl.col("judge").replace("tie_inconsistent", "tie"))
    found = ta.read_pairs(SHARED / "pairs_mtbench.csv")
    assert counted(found) == recount(rows.to_dicts())
    result = found.compare()
    assert result.ranking[0] == "gpt-4"
    assert str(result).startswith("gpt-4 beats 4 of 5 systems; ")
