"""Files of ratings: what is read, and what is refused with the place, the value and a hint."""

import gzip
import io
import json

import polars as pl
import pytest

from refused import refusal
from tellapart import Confusion, DataError, Evidence, Tally, gate, read_ratings

HEADER = "system,item,human,judge\n"
TABLE = HEADER + "A,1,1,1\nA,2,0,1\nA,3,,0\nA,4,,1\n"
EXPECTED = {"A": Evidence.of((1, 2), calibration=Confusion(tp=1, fn=0, tn=0, fp=1), metric=(1, 2))}
ROWS = [
    {"system": "A", "item": 1, "human": True, "judge": "yes"},
    {"system": "A", "item": "2", "human": 0, "judge": 1},
    {"system": "A", "item": 3, "judge": False},
    {"system": "A", "item": 4.5, "human": None, "judge": "1.0"},
]


def lines(rows=ROWS):
    return "".join(json.dumps(row) + "\n" for row in rows)


def parquet(table):
    file = io.BytesIO()
    table.write_parquet(file)
    return file.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        TABLE,
        TABLE.rstrip(),
        TABLE.replace(",", ";"),
        TABLE.replace(",", "\t"),
        TABLE.replace(",", "|"),
        "\ufeff" + TABLE,
        TABLE.replace("\n", "\r\n"),
        "\n\n" + TABLE,
        TABLE.replace("A,2", "\n\n,,,\nA,2"),
        TABLE.replace("A", '"A"').replace("item", '"item"'),
        TABLE.replace("A,", " A ,").replace(",1\n", ", yes \n"),
        gzip.compress(TABLE.encode()),
        gzip.compress(TABLE.replace(",", ";").encode()),
        lines(),
        lines().replace("\n", "\r\n"),
        "\ufeff" + lines(),
        lines().replace("\n", "\n\n"),
        lines().replace("null", "NaN"),
        gzip.compress(lines().encode()),
    ],
    ids=[
        *("comma", "no last newline", "semicolon", "tab", "bar", "byte-order mark", "CRLF", "leading blank lines"),
        *("blank lines", "quoted", "spaces", "gzip", "gzip, semicolon", "JSON", "JSON, CRLF", "JSON, byte-order mark"),
        *("JSON, blank lines", "JSON, NaN", "JSON, gzip"),
    ],
)
def test_what_programs_write_is_read(content, tmp_path):
    content = content if isinstance(content, bytes) else content.encode()
    path = tmp_path / "ratings"
    path.write_bytes(content)
    assert read_ratings(content).systems == read_ratings(path).systems == read_ratings(str(path)).systems == EXPECTED


def test_parquet_is_read(tmp_path):
    columns = {"system": ["A"] * 4, "item": range(4), "human": [True, False, None, None], "judge": [1, 1, 0, 1]}
    table = pl.DataFrame(columns)
    table.write_parquet(tmp_path / "r.parquet")
    assert read_ratings(tmp_path / "r.parquet").systems == read_ratings(parquet(table)).systems == EXPECTED
    categories = table.with_columns(pl.col("system").cast(pl.Categorical), pl.col("human").cast(pl.Float64))
    assert read_ratings(parquet(categories.fill_null(float("nan")))).systems == EXPECTED


def test_scores_are_read_from_text_as_from_numbers():
    rows = [
        {"system": "A", "item": i, "human": human, "bleurt": score}
        for i, (human, score) in enumerate([(1, 0.1 + 0.2), (0, 1e-7), (1, 5), (0, -0.25), (None, 0.3), (None, None)])
    ]
    table = pl.DataFrame(rows, strict=False, schema_overrides={"bleurt": pl.Float64})
    for content in (table.write_csv().encode(), lines(rows).encode(), parquet(table)):
        assert read_ratings(content) == read_ratings(table, name="standard input")


@pytest.mark.parametrize("column", ["human", "judge"])
@pytest.mark.parametrize("cell", ["perhaps", "2", "TRUTH", "yes no", "-1"])
def test_an_unknown_label_is_named_with_its_place(column, cell):
    if column == "judge" and cell in {"2", "-1"}:
        return  # numbers are scores
    said = refusal(
        f"system,item,{column},{'judge' if column == 'human' else 'human'}\nA,1,1,1\nA,2,{cell},0\n", metric="judge"
    )
    assert "line 3" in said
    assert f"`{column}`" in said
    assert repr(cell) in said


def test_an_unknown_label_far_down():
    many = "".join(f"A,{i},1,1\n" for i in range(2000))
    said = "column `judge`: 1 of 2,001 cells is neither a label nor a number, in line 2002: 'perhaps'. Hint: "
    assert said in refusal(f"{HEADER}{many}A,x,1,perhaps\n")


def test_line_numbers_are_those_at_which_records_begin():
    text = 'system,item,text,human,judge\n\nA,1,"a\nb\r\nc",1,1\n\nA,2,"a\nb",x,0\n'
    assert "in line 7: 'x'" in refusal(text)
    assert "in line 7: 'x'" in refusal(gzip.compress(text.encode()))
    assert "in line 9: 'x'" in refusal("\n\n" + text)
    assert "column `human`: 1 of 2 cells is neither a label nor a number, in line 4: 'x'" in refusal(
        'system,item,"hu\nman",judge\nA,1,1,1\nA,2,x,1\n', human="hu\nman"
    ).replace("\\n", "")
    assert "in line 3: 'x'" in refusal('{"system":"A","human":1}\n\n{"system":"A","human":"x"}\n')
    assert "in row 2: 'x'" in refusal(parquet(pl.DataFrame({"system": ["A", "A"], "human": ["1", "x"]})))


@pytest.mark.parametrize("cell", ["high", "1 500", "1_000", "\u0663", "0.5.1"])
def test_text_in_a_score_is_named_with_its_place(cell):
    said = refusal(f'system,item,human,bleurt\nA,1,1,0.5\nA,2,0,0.25\nA,3,1,"{cell}"\n', metric="bleurt")
    assert f"column `bleurt`: 1 of 3 cells is neither a label nor a number, in line 4: {cell!r}. Hint: " in said
    many = "".join(f"A,{i},{i % 2},0.{i}\n" for i in range(2000))
    said = refusal(f'system,item,human,bleurt\n{many}A,x,1,"{cell}"\n')
    assert f"column `bleurt`: 1 of 2,001 cells is neither a label nor a number, in line 2002: {cell!r}" in said


def test_an_output_twice_names_both_lines():
    assert "lines 3 and 6: system 'A', item '2'" in refusal(TABLE + "A,2,,1\nB,2,1,1\n")


def test_a_vote_twice_names_both_lines():
    text = "system,item,annotator,human\nA,1,x,1\n\n\nA,1,y,1\nA,1,x,0\n"
    assert "lines 2 and 6: system 'A', item '1', annotator 'x'" in refusal(text)


def test_blank_lines_between_votes_are_left_out():
    text = "system,item,annotator,human\nA,1,x,1\n\n\nA,1,y,1\n\n"
    assert read_ratings(text.encode()).systems["A"].human == Tally(1, 1)


def test_votes_that_are_no_numbers_are_named_with_their_place():
    text = "system,item,annotator,human\nA,1,x,3\nA,1,y,good\n"
    assert "column `human`: 1 of 2 cells is not a finite number, in line 3: 'good'" in refusal(text, human_cut=2)
    assert "line 2, column `human`: is not a label, got '3'" in refusal(text)
    assert "human_cut=" in refusal(text)


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        ("name,human\nA,1\n", {}, "no column `system`; the columns are name, human"),
        ("system,rating\nA,1\n", {}, "no column `human`; the columns are system, rating"),
        (TABLE, {"metric": "bleurt"}, "no column 'bleurt'; the columns are system, item, human, judge"),
        (TABLE, {"system": "judge", "metric": "judge"}, "column 'judge' is given two roles"),
        (TABLE, {"metric": ["judge", "judge"]}, "column 'judge' is given two roles"),
        ("system,h1,h2,annotator\nA,1,1,x\n", {"human": ["h1", "h2"], "item": "h1"}, "two roles"),
        ("system,item,h1,h2,annotator\nA,1,1,1,x\n", {"human": ["h1", "h2"]}, "several columns and in rows"),
        ("system,human,annotator\nA,1,x\n", {}, "need a column `item`"),
        ("system,human,system\nA,1,x\n", {}, "line 1: columns 1 and 3 are both called 'system'"),
        ('system,"hu\nman","hu\nman"\nA,1,x\n', {}, "columns 2 and 3 are both called"),
        ("system\nA\n", {}, "line 1: has one column only"),
        ("no,such,columns\x1b[31m\n1,2,3\n", {}, "no column `system`"),
    ],
)
def test_columns_that_do_not_fit(content, options, said):
    assert said in refusal(content, **options)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf", b" \r\n", gzip.compress(b"", mtime=0)], ids=repr)
def test_an_empty_file(content):
    assert "is empty" in refusal(content)


@pytest.mark.parametrize(
    "content", [HEADER, HEADER.strip(), HEADER + "\n\n", HEADER + ",,,\n", '{"system":null,"human":null}\n']
)
def test_a_header_alone(content):
    assert "has no rows" in refusal(content)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_wide_text(encoding):
    assert "UTF-16" in refusal(TABLE.encode(encoding))


@pytest.mark.parametrize(
    "text", [TABLE.replace("A", "Ä"), TABLE.replace("judge", "jüdge"), lines([{"system": "A"}]) + '{"system":"Ä"}']
)
def test_what_is_not_utf8(text):
    assert "UTF-8" in refusal(text.encode("latin-1"))


@pytest.mark.parametrize("column", ["judge", "bleurt"])
def test_too_many_cells_name_the_line(column):
    # a decimal comma, for instance: the cells from there on stand in the wrong columns
    rows = "".join(f"A,{i},{i % 2},{i % 2}\n" for i in range(3000))
    assert "line 3002: a row has more cells" in refusal(f"system,item,human,{column}\n{rows}A,x,1,0,5\n")
    rows = "".join(f"A,{i},t,{i % 2},0.{i}\n" for i in range(3000))
    said = refusal(f"system,item,text,human,{column}\n{rows}A,x,t,1,0,5\n", metric=column)
    assert "line 3002: a row has more cells" in said
    votes = f"system,item,annotator,human,text,{column}\nA,1,x,1,t,1\nA,1,y,1,t,1\nA,2,y,1,t,1,1\n"
    assert "line 4: a row has more cells" in refusal(votes, metric=column)


def test_a_quotation_mark_that_is_not_closed_names_the_line():
    assert "line 6: a quotation mark is not closed" in refusal(TABLE + '"A,5,1,1\nA,6,1,1\n')
    text = "system,item,text,human,judge\n" + "".join(f"A,{i},t,1,1\n" for i in range(3000))
    assert "line 3002: a quotation mark is not closed" in refusal(text + 'A,x,"t,1,1\nA,y,t,1,1\n', metric="judge")
    assert "quotation mark" in refusal(text + 'A,x,t"t,1,1\nA,y,t,1,1\n', metric="judge")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[{"system":"A","human":1} {}]', "line 1: a comma or ] is missing"),
        ('[\n{"system":"A","human":1},\n{"system":\n', "line 3: is not JSON"),
        ('[{"system":"A","human":1},\n7]', "line 2: is JSON, but no object"),
        ('[{"system":"A","human":1}]\n[]', "line 1: something follows the JSON array"),
        ('[{"system":"A\\ud800","human":1}]', "is not UTF-8"),
        ("[]", "has no rows"),
        ('{\n"system":"A"}', "line 1: is JSON over several lines"),
        ('{"system":"A","human":1}\n\n{"system":"A","human":\n', "line 3: is not JSON"),
        ('{"system":"A","human":1}\n{"system":"A" "human":1}\n', "line 2: is not JSON"),
        ('{"system":"A","human":1}\n{"system":"A","human":1}{}\n', "line 2: is not JSON"),
        ('{"system":"A","human":1}\n7\n', "line 2: is JSON, but no object"),
        ('{"system":"A","human":1}\n[7]\n', "line 2"),
        ("[" * 5000, "line 1"),
        ('{"system":"A","human":[1]}\n{"system":"A","human":{"a":1}}\n', "column `human`: 2 of 2 cells are"),
        ('{"system":"A\\ud800","human":1}\n', "line 1"),
    ],
)
def test_broken_json_names_the_line(content, said):
    assert said in refusal(content)


@pytest.mark.parametrize("row", [",5,1,1", " ,5,1,", '"",5,,0', ",5,0,0"])
def test_ratings_without_a_system(row):
    assert "line 6, column `system`: must not be empty" in refusal(f"{TABLE}{row}\n")


def test_outputs_without_an_item():
    assert "line 8, column `item`: must not be empty" in refusal(f"{TABLE}\n,,,\nA,,1,1\n")
    assert "line 6, column `item`: must not be empty" in refusal(f"{TABLE}A,,1,1\nA,,1,1\n")


@pytest.mark.parametrize("systems", [1, 2, 14, 15, 16])
@pytest.mark.parametrize("times", [2, 3, 15, 16, 17, 256])
def test_an_item_that_a_system_has_several_times(systems, times):
    names = [f"S{number:02}" for number in range(systems)]
    rows = [f"{name},1,1,1\n" for name in names] + [f"{name},2,0,1\n" for name in names]
    for name in {names[0], names[-1]}:
        said = refusal("system,item,human,judge\n" + "".join(rows) + f"{name},3,0,1\n" * times)
        line = 2 + len(rows)
        assert f"lines {line} and {line + 1}: system '{name}', item '3' appears more than once" in said


@pytest.mark.parametrize("judge", ["1", ".7"])
def test_spaces_around_a_name_make_no_other_system(judge):
    table = f"system,item,human,judge\nA,1,1,{judge}\nB,1,1,0\n A ,1,0,1\n"
    assert "lines 2 and 4: system 'A', item '1' appears more than once" in refusal(table)


@pytest.mark.parametrize("name", ["A\x1b[31m", "A\nB", "A\u202eB", "A\x7f"])
def test_control_characters_in_a_system(name):
    said = refusal(f'{TABLE}"{name}",1,1,1\n')
    assert "line 6, column `system`: must not hold control characters" in said


def test_paths_that_cannot_be_read(tmp_path):
    for path in (tmp_path, tmp_path / "missing.csv", "a\0b.csv", tmp_path / ("x" * 5000)):
        with pytest.raises(DataError, match=r"cannot be read \(.*\)\. Hint: ") as caught:
            read_ratings(path)
        assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "content",
    [
        b"PAR1" + bytes(30) + b"PAR1",
        parquet(pl.DataFrame({"system": ["A"], "human": [1]}))[:-9],
        gzip.compress(TABLE.encode() * 99)[:70],
        gzip.compress(lines().encode() * 99)[:70],
        b"\x1f\x8bno gzip at all",
        b"\x28\xb5\x2f\xfdno zstandard",
        b"PK\x03\x04" + bytes(range(256)),
    ],
    ids=["parquet", "parquet, cut off", "gzip, cut off", "gzip of JSON, cut off", "gzip", "zstandard", "zip"],
)
def test_broken_files(content):
    refusal(content)


def test_a_bad_cell_of_several_files_is_found_in_its_own(tmp_path):
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text(TABLE, encoding="utf-8")
    bad.write_text(HEADER + 'B,"1\n",1,1\nB,2,maybe,1\n', encoding="utf-8")
    with pytest.raises(DataError, match=f"in line 4 of {bad}: 'maybe'"):
        read_ratings([good, bad])
    with pytest.raises(DataError, match=f"in line 4 of {bad}: 'maybe'"):
        gate(good, baseline=bad)
    alone = tmp_path / "alone.csv"
    alone.write_text("item,human,judge\n1,1,1\n2,maybe,1\n", encoding="utf-8")
    with pytest.raises(DataError, match="in line 3: 'maybe'"):
        read_ratings(alone)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            b"item,human_A,human_B,judge_A,judge_B\n1,1,0,1,1\n",
            "several outputs in each row.*write one row for each output",
        ),
        (b'{"data": [{"system": "A", "human": 1}]}', "one column only, 'data'.*write one JSON object per line"),
    ],
)
def test_tables_of_another_shape_are_told_which_is_needed(content, said):
    with pytest.raises(DataError, match=said):
        read_ratings(content)
