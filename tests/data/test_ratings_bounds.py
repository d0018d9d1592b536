"""What is read is the file that was named, once; a table that no rater wrote is refused before it costs anything."""

import gzip
import io
import json
import os
import threading

import polars as pl
import pytest

from refused import refusal
from tellapart import DataError, Tally, read_counts, read_ratings
from tellapart.data import files, reader, source
from tellapart.data.files import LONGEST_COLUMN, LONGEST_SYSTEM, MOST_COLUMNS, MOST_SYSTEMS

TABLE = "system,human\n{},1\n{},0\n"


def content_of(kind, system):
    if kind == "csv":
        return TABLE.format(system, system).encode()
    if kind == "jsonl":
        return b"".join(json.dumps({"system": system, "human": k}).encode() + b"\n" for k in (1, 0))
    file = io.BytesIO()
    pl.DataFrame({"system": [system] * 2, "human": [1, 0]}).write_parquet(file)
    return file.getvalue()


# names of files


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("name", ["r[1]", "r*", "r?", "[!a]1", "~", "~root", "**", "r{1,2}", "r%31", "s3:", "a b", "ä"])
def test_a_name_is_literal(tmp_path, monkeypatch, kind, name):
    monkeypatch.chdir(tmp_path)
    for decoy in ("r1", "r2", "b1"):
        (tmp_path / f"{decoy}.{kind}").write_bytes(content_of(kind, "decoy"))
    path = tmp_path / f"{name}.{kind}"
    path.write_bytes(content_of(kind, "right"))
    for given in (path, str(path), path.name):
        found = read_ratings(given)
        assert list(found.systems) == ["right"]
        assert str(given) in found.understood[0]
    path.unlink()
    with pytest.raises(DataError, match="cannot be read"):
        read_ratings(path)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("folder", ["d[1]", "s3:", "hf:", "file:", "http:", "~", "*"])
def test_a_folder_is_literal(tmp_path, monkeypatch, kind, folder):
    monkeypatch.chdir(tmp_path)
    for name, system in ((folder, "right"), ("d1", "decoy")):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"r.{kind}").write_bytes(content_of(kind, system))
    assert list(read_ratings(f"{folder}/r.{kind}").systems) == ["right"]
    assert list(read_ratings(f"{folder}//r.{kind}").systems) == ["right"]


@pytest.mark.parametrize("name", ["s3://bucket/r.csv", "hf://datasets/r.csv", "http://127.0.0.1:9/r.csv", "*.csv", "."])
def test_what_is_no_file_here_is_not_looked_for_elsewhere(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.csv").write_bytes(content_of("csv", "decoy"))
    with pytest.raises(DataError, match="cannot be read"):
        read_ratings(name)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_name_that_is_not_utf8(tmp_path, kind):
    path = tmp_path / os.fsdecode(b"r\xff." + kind.encode())
    path.write_bytes(content_of(kind, "A"))
    found = read_ratings(path)
    assert list(found.systems) == ["A"]
    assert found.understood[0].isprintable()


@pytest.mark.parametrize("name", ["a\0b.csv", "", "x" * 5000, os.fsdecode(b"\xff"), "a\nb"])
def test_a_name_of_no_file_is_one_line(name):
    for read in (read_ratings, read_counts):
        with pytest.raises(DataError, match=r"cannot be read \(.*\)\. Hint: ") as caught:
            read(name)
        assert str(caught.value).isprintable()


# pipes


def piped(content, path, read):
    """Write to a pipe once, while it is read."""
    writer = threading.Thread(target=path.write_bytes, args=(content,))
    writer.start()
    try:
        return read(path)
    finally:
        writer.join()


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "gz"])
def test_a_pipe_is_read_once(tmp_path, kind):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    content = gzip.compress(content_of("csv", "A")) if kind == "gz" else content_of(kind, "A")
    assert piped(content, path, read_ratings).systems["A"].human == Tally(1, 2)
    assert piped(b"system,human_pos,human_n\nA,1,2\n", path, read_counts)["A"].human == Tally(1, 2)
    with pytest.raises(
        DataError, match=r"pipe, column `human`: 1 of 2 cells .* in line 3: 'x'"
    ):  # the place is found without another reading
        piped(b"system,human\nA,1\nA,x\n", path, read_ratings)


def test_a_pipe_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(files, "MOST_HELD", 10_000)
    with pytest.raises(DataError, match=r"/dev/zero: has more than 10,000 bytes"):
        read_ratings("/dev/zero")


# bounds


def test_columns_are_bounded():
    rest = [f"c{i}" for i in range(MOST_COLUMNS - 2)]
    wide = {"system": ["A"], "human": [1]} | {name: [None] for name in rest}
    header = ",".join(wide)
    assert read_ratings(f"{header}\nA,1\n".encode()).systems["A"].human == Tally(1, 1)
    assert read_ratings(wide).systems["A"].human == Tally(1, 1)
    assert "has 2,001 columns, at most 2,000" in refusal(f"{header},x\nA,1\n")
    assert "more than 2,000 different keys" in refusal(json.dumps(dict.fromkeys([*wide, "x"], 1)))
    file = io.BytesIO()
    pl.DataFrame({**wide, "x": [1]}).write_parquet(file)
    assert "has 2,001 columns" in refusal(file.getvalue())
    with pytest.raises(DataError, match="has 2,001 columns"):
        read_ratings({**wide, "x": [1]})


def test_a_header_is_read_whole():
    # a name cut off where the beginning of the file was looked at would be that of another column
    names = [f"c{'x' * 60}{i}" for i in range(1500)]
    assert read_ratings(f"system,human,{','.join(names)}\nA,1\n".encode()).systems["A"].human == Tally(1, 1)
    assert "does not end within 1,000,000 bytes" in refusal(f"system,human,{'x' * 1_000_000}\nA,1,1\n")


def test_names_are_bounded():
    assert read_ratings(TABLE.format("A" * LONGEST_SYSTEM, "B").encode()).systems
    assert "line 3, column `system`: must have at most 200" in refusal(TABLE.format("B", "A" * (LONGEST_SYSTEM + 1)))
    with pytest.raises(DataError, match=r"line 2, column `system`: must have at most 200"):
        read_counts(f"system,human_n\n{'A' * (LONGEST_SYSTEM + 1)},1\n".encode())
    assert read_ratings(f"system,human,{'x' * LONGEST_COLUMN}\nA,1,1\n".encode()).systems
    assert "the name of a column is too long" in refusal(f"system,human,{'x' * (LONGEST_COLUMN + 1)}\nA,1,1\n")


def test_systems_are_bounded():
    rows = [f"s{i},1" for i in range(MOST_SYSTEMS + 1)]
    assert len(read_ratings("\n".join(["system,human", *rows[:-1]]).encode()).systems) == MOST_SYSTEMS
    assert "has 1,001 systems, at most 1,000" in refusal("\n".join(["system,human", *rows]))
    header = "system,human_n"
    assert len(read_counts("\n".join([header, *rows[:-1]]).encode())) == MOST_SYSTEMS
    with pytest.raises(DataError, match="more than 1,000 systems"):
        read_counts("\n".join([header, *rows]).encode())


def full_of_holes(kind):
    """A small text with many rows and many columns."""
    names = [f"k{i}" for i in range(1000)]
    if kind == "csv":
        return f"system,human,{','.join(names)}\n".encode() + b"A,1\n" * 50_000
    rows = b'{"system":"A","human":1}\n' * 30_000 + json.dumps(dict.fromkeys(names, 1)).encode() + b"\n"
    return rows + (b'{"system":NaN}\n' if kind == "json, NaN" else b"")


@pytest.mark.parametrize("kind", ["csv", "json", "json, NaN"])  # a NaN is read by Python, not by Polars
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_cells_that_hold_nothing_are_bounded(kind, pack, monkeypatch):
    asked = []
    monkeypatch.setattr(pl, "collect_all", lambda queries, **_: asked.extend(queries))
    assert "most of its cells hold nothing" in refusal(pack(full_of_holes(kind)))
    assert not asked  # nothing was parsed


def test_a_full_table_may_have_more_cells_than_that(monkeypatch):
    monkeypatch.setattr(source, "MOST_CELLS", 100)
    text = "system,item,human,judge\n" + "".join(f"A,{i},1,1\n" for i in range(1000))
    assert read_ratings(text.encode()).systems["A"].human == Tally(1000, 1000)
    rows = "".join(json.dumps({"system": "A", "item": i, "human": 1}) + "\n" for i in range(1000))
    assert read_ratings(rows.encode()).systems["A"].human == Tally(1000, 1000)
    assert "most of its cells" in refusal(text + "\n" * 9000)


def test_keys_of_json_lines_keep_their_order():
    rows = [{"system": "A"}, {"human": 1, "zeta": 1, "judge": 1, "alpha": 1, "beta": 1}, {"item": 1, "beta": 2}]
    found = source.open_source("\n".join(map(json.dumps, rows)).encode()).frame.collect_schema().names()
    assert found == ["system", "human", "zeta", "judge", "alpha", "beta", "item"]


class Counted(list):
    """A list that counts how often it is gone through."""

    passes = 0

    def __iter__(self):
        self.passes += 1
        return super().__iter__()


def test_rated_outputs_are_gone_through_no_more_often_for_more_systems(monkeypatch):
    made = []

    def groups(self, rows, names, original=reader.Grouping.groups):
        made.append(Counted(original(self, rows, names)))
        return made[-1]

    monkeypatch.setattr(reader.Grouping, "groups", groups)
    for systems in (2, 40):
        rows = [f"s{i % systems},{i},{i % 3 % 2},{i * 7 % 100 / 100}" for i in range(400)]
        read_ratings("\n".join(["system,item,human,score", *rows]).encode())
    passes = [found.passes for found in made if found]
    assert len(passes) == 2
    assert passes[0] == passes[1]
