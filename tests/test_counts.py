"""Small files of counts: what is read, and what is refused with the place, the value and a hint."""

import re

import pytest

from command_line import run
from tellapart import Confusion, DataError, Evidence
from tellapart.data.counts import COLUMNS, is_counts, parse_counts, read_counts

HEADER = ",".join(COLUMNS)


def parse(text: str | bytes, **options):
    return parse_counts(text if isinstance(text, bytes) else text.encode(), name="counts.csv", **options)


def refusal(text: str | bytes) -> str:
    """Return the message for content that must be refused; always one line with a hint."""
    with pytest.raises(DataError) as caught:
        parse(text)
    said = str(caught.value)
    assert said.startswith("counts.csv")
    assert ". Hint: " in said
    assert len(said) < 400
    assert len(said.splitlines()) == 1
    return said


def test_every_column():
    found = parse(f"{HEADER}\nA,60,100,42,18,28,12,540,1000\n")
    confusion = Confusion(tp=42, fn=18, tn=28, fp=12)
    assert found == {"A": Evidence.of((60, 100), calibration=confusion, metric=(540, 1000))}


def test_columns_in_any_order_and_left_out():
    assert parse("human_n,system,human_pos\n100,A,60\n") == {"A": Evidence.of((60, 100))}


def test_empty_cells_and_short_rows_count_nothing():
    assert parse(f"{HEADER}\nA,60,100,,,,,,\nB,5,10\n") == {"A": Evidence.of((60, 100)), "B": Evidence.of((5, 10))}


def test_calibration_without_further_metric_ratings_is_kept():
    (evidence,) = parse("system,human_pos,human_n,tp,fn,tn,fp\nA,60,100,42,18,28,12\n").values()
    assert evidence.confusion == Confusion(tp=42, fn=18, tn=28, fp=12)


@pytest.mark.parametrize("sampling", ["random", "balanced", "by-metric"])
def test_sampling_is_passed_on(sampling):
    (evidence,) = parse(f"{HEADER}\nA,60,100,42,18,28,12,540,1000\n", sampling=sampling).values()
    assert evidence.sampling == sampling


@pytest.mark.parametrize(
    "text",
    [
        "system,human_pos,human_n\nA,1,2\n",
        "system,human_pos,human_n\nA,1,2",
        "\ufeffsystem,human_pos,human_n\nA,1,2\n",
        "system,human_pos,human_n\r\nA,1,2\r\n",
        "system, human_pos ,human_n \n A , 1 , 2 \n",
        '"system","human_pos","human_n"\n"A","1","2"\n',
        "system,human_pos,human_n\nA,1.0,2.0\n",
        "system,human_pos,human_n\n\nA,1,2\n\n",
        "system;human_pos;human_n\nA;1;2\n",
        "system\thuman_pos\thuman_n\r\nA\t1\t2\r\n",
        "System,Human_Pos,HUMAN N\nA,1,2\n",
    ],
    ids=[
        "plain",
        "no last newline",
        "byte-order mark",
        "CRLF",
        "spaces",
        "quoted",
        "whole floats",
        "blank lines",
        "semicolons",
        "tabs",
        "capitals",
    ],
)
def test_what_spreadsheets_write_is_read(text):
    assert parse(text) == {"A": Evidence.of((1, 2))}
    assert is_counts(text.encode())


def test_names_are_kept_as_they_are():
    names = ["GPT, the fourth", 'the "best"', "Ωmega", "[bold]", "007"]
    quoted = ['"GPT, the fourth"', '"the ""best"""', "Ωmega", "[bold]", "007"]
    text = "system,human_pos,human_n\n" + "".join(f"{name},1,2\n" for name in quoted)
    assert list(parse(text)) == names


@pytest.mark.parametrize(
    "cell", ["-1", "1.5", "x", "nan", "inf", "-inf", "1e400", "60%", "1 000", "0.6", "1;2", "TRUE"]
)
@pytest.mark.parametrize("column", ["human_pos", "fp", "metric_n"])
def test_a_bad_count_is_named_with_its_place(cell, column):
    said = refusal(f"system,{column},tn\nA,0,5\nB,{cell},5\n")
    assert "line 3" in said
    assert f"`{column}`" in said
    assert cell.lstrip("-") in said


def test_a_count_is_not_written_as_in_python():
    said = refusal("system,human_n\nA,1_000\n")
    assert "`human_n`" in said
    assert "1_000" in said


@pytest.mark.parametrize("cell", ["1000000000001", "9" * 30, "1e300", "9" * 400])
def test_a_count_beyond_all_measure_is_refused(cell):
    said = refusal(f"system,human_pos,human_n\nA,1,{cell}\n")
    assert "line 2" in said
    assert "`human_n`" in said


@pytest.mark.parametrize(("positive", "total"), [("human_pos", "human_n"), ("metric_pos", "metric_n")])
def test_more_positive_than_in_total_names_line_column_and_value(positive, total):
    said = refusal(f"system,{positive},{total}\nA,1,2\nB,9,2\n")
    assert "line 3" in said
    assert positive in said
    assert "9" in said
    assert "2" in said


def test_a_missing_system_column():
    said = refusal("name,human_pos,human_n\nA,1,2\n")
    assert "line 1" in said
    assert "`system`" in said
    assert "name" in said


def test_an_unknown_column():
    said = refusal("system,human_pos,human_total\nA,1,2\n")
    assert "line 1" in said
    assert "'human_total'" in said
    assert HEADER in said


def test_a_column_twice():
    assert "'human_n' is twice" in refusal("system,human_n,human_n\nA,1,2\n")


def test_a_system_twice():
    said = refusal("system,human_pos,human_n\nA,1,2\nB,1,2\nA,3,4\n")
    assert "line 4" in said
    assert "'A'" in said


@pytest.mark.parametrize("name", ["", " ", '""'])
def test_a_system_without_a_name(name):
    said = refusal(f"system,human_pos,human_n\n{name},1,2\n")
    assert "line 2" in said
    assert "`system`" in said


@pytest.mark.parametrize("row", ["B", "B,0,0", "B,,,0,0,0,0,0,0"])
def test_a_system_without_any_rating(row):
    """Its rate would be the prior's, and read like an answer."""
    assert "line 3: 'B' has no rating" in refusal(f"{HEADER}\nA,1,2\n{row}\n")


def test_more_cells_than_columns():
    assert "line 2" in refusal("system,human_pos,human_n\nA,1,2,3\n")


@pytest.mark.parametrize("content", [b"", b"\n", b"\xef\xbb\xbf", b"\n\n\n"])
def test_an_empty_file(content):
    assert "system" in refusal(content)


def test_a_header_alone():
    assert "no rows" in refusal(f"{HEADER}\n")


@pytest.mark.parametrize("content", ["sÿstem\nA\n".encode("latin-1"), HEADER.encode("utf-16"), b"PK\x03\x04\xff\xfe"])
def test_what_is_not_utf8(content):
    said = refusal(content)
    assert "UTF-8" in said
    assert re.search(r"byte \d+", said)


@pytest.mark.parametrize(
    "content",
    [
        b'system,human_pos\n"A,1\n',
        b'system,human_pos\n"A"x,1\n',
        b"system,human_pos\nA,1\rB\n",
        b"system,human_pos\nA,\x00\n",
        b"system\n" + b"A" * 200_000 + b"\n",
    ],
    ids=["open quote", "text after quote", "lone carriage return", "null", "endless cell"],
)
def test_what_is_no_csv(content):
    refusal(content)


def test_a_cell_that_is_empty_is_no_swap_of_columns():
    said = "column `human_n`: must be given where `human_pos` is 60, got an empty cell"
    assert said in refusal("system,human_pos,human_n\nA,60,\nB,50,100\n")
    assert "`metric_n`: must be given where `metric_pos` is 6, got no such column" in refusal(
        "system,metric_pos\nA,6\n"
    )


def test_a_file_too_large_for_counts():
    assert "10,000,000 bytes" in refusal(b"system\n" + b"A" * 10_000_000)


def test_line_numbers_count_lines_of_the_file():
    assert "line 4" in refusal("system,human_pos,human_n\nA,1,2\n\nB,x,2\n")


def test_a_name_of_several_lines_is_refused():
    assert "control characters" in refusal('system,human_pos,human_n\n"A\nand more",1,2\n')


def test_by_metric_sampling_without_calibration_says_which_line():
    with pytest.raises(DataError, match=r"counts\.csv, line 2: .* Hint: "):
        parse("system,human_pos,human_n\nA,1,2\n", sampling="by-metric")


def test_read_counts_reads_a_file(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_bytes(b"\xef\xbb\xbfsystem,human_pos,human_n\r\nA,1,2\r\n")
    assert read_counts(path) == {"A": Evidence.of((1, 2))}


def test_read_counts_names_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"missing\.csv: cannot be read .* Hint: "):
        read_counts(tmp_path / "missing.csv")
    with pytest.raises(DataError, match="cannot be read"):
        read_counts(tmp_path)


@pytest.mark.parametrize("words", [("metrics",), ("threshold", "--score", "tp"), ("gate", "--baseline", "A")])
def test_where_ratings_are_needed_counts_are_called_so(words, tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text(f"{HEADER}\nA,60,100,42,18,28,12,540,1000\n", encoding="utf-8")
    shown = run(words[0], str(path), *words[1:])
    assert shown.code > 0
    assert "counts.csv: holds counts, not ratings. Hint: one row for each output" in shown.err
