"""One reader tells ratings from counts."""

import polars as pl
import pytest

from command_line import run
from tellapart import Evidence
from tellapart.data.tables import kind_of, read_table

COUNTS = b"system,human_pos,human_n\nA,6,10\nB,3,10\n"
RATINGS = b"system,item,human\nA,1,1\nA,2,0\nB,1,1\n"


@pytest.mark.parametrize(("content", "kind"), [(COUNTS, "counts"), (RATINGS, "outputs")])
def test_bytes_and_files_are_read_alike(content, kind, tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    assert kind_of(content) == kind_of(path) == kind
    found = read_table(str(path))
    assert found.systems == read_table(content).systems
    assert (found.roles is None, found.understood == ()) == (kind == "counts", kind == "counts")
    assert found.compare().ranking == found.compare(correction="none").ranking


def test_counts_take_the_sampling_and_frames_are_ratings():
    table = COUNTS.replace(b"human_n", b"human_n,tp,fn,tn,fp").replace(b"6,10", b"6,10,5,1,3,1")
    assert read_table(table, sampling="balanced", votes="majority").systems["A"].sampling == "balanced"
    assert kind_of(pl.DataFrame({"system": ["A"], "human_n": [1]})) == "outputs"


@pytest.mark.parametrize("none", ["none", ["none"], ("none",)])
def test_counts_of_people_alone(none, tmp_path):
    table = b"system,human_pos,human_n,tp,fn,tn,fp,metric_pos,metric_n\nA,60,100,42,18,28,12,540,1000\nB,50,100,,,,,,\n"
    alone = {"A": Evidence.of((60, 100)), "B": Evidence.of((50, 100))}
    assert read_table(table, metric=none).systems == alone
    assert read_table(table, metric=none, sampling="balanced").systems["A"] == Evidence.of(
        (60, 100), sampling="balanced"
    )
    path = tmp_path / "counts.csv"
    path.write_bytes(table)
    for command in ("compare", "estimate"):
        shown = run(command, str(path), "--metric", "none", "-f", "json")
        assert shown.json["systems"]["A"]["evidence"]["levels"] == []
