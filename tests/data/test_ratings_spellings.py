"""Numbers, arrays and workbooks as they come out of other programs: understood, or named in one line."""

from __future__ import annotations

import json

import pandas as pd
import polars as pl
import pytest

import tellapart as ta
from refused import refusal
from tellapart.data import arrays, labels
from tellapart.data.frames import Frame


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0,85", 0.85), ("-1,5", -1.5), (",5", 0.5), ("0,850", 0.85), ("12,3456", 12.3456), ("1234,567", 1234.567),
        ("85%", 0.85), ("85 %", 0.85), ("8,5%", 0.085), ("1,234,567", 1234567.0), ("1,234.5", 1234.5),
        ("1.234,5", 1234.5), ("1.234.567", 1234567.0), ("1e3", 1000.0), (" 0.5 ", 0.5),
    ],
)  # fmt: skip
def test_numbers_are_read_alike_in_python_and_in_files(text, number):
    assert labels.score(text) == number
    frame = Frame.of(pl.DataFrame({"x": [text], "y": ["1"]}).write_csv(separator=";").encode()).respelled("x")
    assert frame.numbers(["x"], 1).collect([frame.numbers(["x"], 1).table.select("x")])[0] == [(number,)]


@pytest.mark.parametrize("text", ["1,234", "1 234", "1'234", "1,23,456", "5,", "%", "1,2,3", "0,5,", "٣,5"])
def test_other_spellings_are_no_numbers(text):
    assert isinstance(labels.score(text), labels.Unknown)


def scored(*cells, separator=";"):
    rows = "".join(f"A{separator}{i}{separator}{i % 2}{separator}{cell}\n" for i, cell in enumerate(cells))
    return f"{separator.join(('system', 'item', 'human', 'score'))}\n{rows}"


def test_decimal_commas_give_what_decimal_points_give():
    points = [f"0.{i}7" for i in range(10)] * 3
    plain = ta.read_ratings(scored(*points).encode())
    for separator in (";", "\t"):
        comma = scored(*(cell.replace(".", ",") for cell in points), separator=separator)
        assert ta.read_ratings(comma.encode()).systems == plain.systems
    assert ta.read_ratings(scored(*(f"{cell[2:]}%" for cell in points)).encode()).systems == plain.systems


def test_votes_with_decimal_commas():
    rows = "".join(f'A,{i},{who},"{3 + i % 2},5"\n' for i in range(4) for who in "xy")
    found = ta.read_ratings(f"system,item,annotator,human\n{rows}".encode(), human_cut=4)
    assert str(found.systems["A"].human) == "2/4"


def test_a_number_that_may_be_two_is_named():
    for others in (("5", "7", "1"), ("0.5", "7", "1"), ("0,5", "0.7", "0,1"), ("0,5", "1,234,567", "0,1")):
        said = refusal(scored(*others[:2], "1,234", others[2]), metric="score")
        assert "line 4: '1,234'. Hint: 1,234 may be 1.234 or 1234" in said


@pytest.mark.parametrize("bad", [{}, {"bad_cells": "exclude"}])
def test_the_rest_of_a_column_settles_what_its_commas_are(bad):
    points = [f"{i % 3}.{i}17" for i in range(1, 10)] * 3 + ["12.5%", "1.250"]
    plain, comma = (scored(*cells) for cells in (points, [cell.replace(".", ",") for cell in points]))
    for choices in ({}, {"metric": "score"}):
        read = [ta.read_ratings(text.encode(), **bad, **choices) for text in (plain, comma)]
        assert read[0].roles.metrics == read[1].roles.metrics == ("score",)
        assert read[0].systems == read[1].systems
        assert not read[1].facts.excluded
    assert ta.metrics(plain.encode()).metrics == ta.metrics(comma.encode()).metrics


@pytest.mark.parametrize("bad", ["error", "exclude"])
def test_people_with_decimal_commas_are_settled_too(bad):
    """The mean of three votes is often a number with three digits after the comma."""
    means = ["3,333", "3,667", "4,0", "4,333", "2", "4,667", "5,0", "1,333"]
    rows = "".join(f"A;{i};{mean}\n" for i, mean in enumerate(means))
    found = ta.read_ratings(f"system;item;human\n{rows}".encode(), human_cut=4, bad_cells=bad)
    assert str(found.systems["A"].human) == "4/8"
    assert "'x'" in refusal(f"system;item;human\n{rows}A;9;x\n", human_cut=4)
    assert "write a decimal point, and no thousands separator" in refusal(
        f"system;item;human\n{rows.replace(',0', '')}", human_cut=4
    )


@pytest.mark.parametrize("cell", ["inf", "-inf", "1e400"])
def test_infinite_scores_are_named_or_excluded(cell):
    data = scored(*(f"0.{i}" for i in range(1, 9)), cell)
    assert f"1 of 9 cells is not a finite number, in line 10: '{cell}'" in refusal(data, metric="score")
    assert ta.read_ratings(data.encode(), bad_cells="exclude").facts.excluded[0].n == 1
    frame = pl.DataFrame(
        {"system": "A", "human": [0, 1] * 4, "score": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, float(cell)]}
    )
    with pytest.raises(ta.DataError, match="1 of 8 cells is not a finite number"):
        ta.read_ratings(frame)
    assert ta.read_ratings(frame, bad_cells="exclude").facts.excluded[0].n == 1


ROWS = [{"system": "A", "item": i, "human": i % 2, "judge": [1, "no", True][i % 3]} for i in range(9)]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b"\n "])
def test_a_json_array_is_read_as_json_lines_are(indent, before):
    lines = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
    array = before + json.dumps(ROWS, indent=indent).encode()
    assert ta.read_ratings(array).systems == ta.read_ratings(lines).systems


def test_a_bad_cell_of_a_json_array_is_named_by_its_line():
    text = "[\n" + ",\n".join(json.dumps(row) for row in ROWS) + "\n]"
    assert "line 6: 'x'" in refusal(text.replace('"item": 4, "human": 0', '"item": 4, "human": "x"'), metric="judge")


def test_json_arrays_are_bounded(monkeypatch):
    monkeypatch.setattr(arrays, "MOST_ARRAY", 100)
    assert "a JSON array of more than 100 bytes" in refusal(json.dumps(ROWS))


def test_a_workbook_needs_a_package(monkeypatch):
    monkeypatch.setattr(arrays, "find_spec", lambda _: None)
    assert "pip install fastexcel" in refusal(b"PK\x03\x04" + bytes(99))


def test_a_workbook_is_read_where_the_package_is_there(tmp_path):
    table = pl.DataFrame(ROWS, strict=False)
    table.write_excel(tmp_path / "ratings.xlsx")
    assert ta.read_ratings(tmp_path / "ratings.xlsx").systems == ta.read_ratings(table).systems


@pytest.mark.parametrize("item", ["question", "Prompt", "prompt_id", "Query ID", "task-id", "instruction"])
def test_items_are_recognised_by_more_names(item):
    assert ta.read_ratings({"system": ["A", "A"], item: ["x", "y"], "human": [0, 1]}).roles.item == item


def test_columns_of_one_name_are_named():
    frame = pd.DataFrame([["A", 1, 2]], columns=["system", "human", "human"])
    with pytest.raises(ta.DataError, match="columns 2 and 3 are both called 'human'"):
        ta.read_ratings(frame)


def test_the_metric_none_is_none():
    rows = {"system": ["A"] * 4, "human": [0, 1, 1, 1], "judge": [0, 1, 1, 0]}
    found = ta.read_ratings(rows, metric="none")
    assert not found.systems["A"].levels
    assert "No metric is used, as asked: the result rests on the human ratings alone." in found.understood
    assert ta.read_ratings({**rows, "none": [1, 1, 0, 0]}, metric="none").roles.metrics == ("none",)


def test_a_given_cut_is_at_least_that_as_the_human_cut_is():
    rows = {"system": ["A"] * 6, "human": [1, 2, 3, 4, 5, 4], "judge": [1, 2, 3, 4, 5, 4]}
    found = ta.read_ratings(rows, metric="judge", human_cut=4, threshold=4)
    assert str(found.systems["A"]) == "human 3/6, calibration tp=3,fn=0,tn=3,fp=0, metric 0/0"
    assert found.thresholds[0].to_dict()["systems"][0]["taus"] == [4.0]
    turned = {**rows, "judge": [-value for value in rows["judge"]]}
    cut = ta.ThresholdRule(-4, lower_is_better=True)
    assert ta.read_ratings(turned, metric="judge", human_cut=4, threshold=cut).systems == found.systems
