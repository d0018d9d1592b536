"""Junk at every door: whatever is typed or read, the answer is a result or one line, never a traceback."""

import csv
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from command_line import Answer, run
from tellapart import DataError, Evidence
from tellapart.data.counts import COLUMNS, parse_counts

# what a shell can pass on: any text but the null character, here without lone surrogates
typed = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
odd_numbers = st.sampled_from(
    [
        *("nan", "inf", "-inf", "-0", "-1", "+1", "1e309", "1e-320", "5e-324", "0x10", "1_0", ".", "1.", ".5", "0.5"),
        *("1k", "1.5k", "2.5M", "1kk", "k", "9" * 16, "9" * 310, "9" * 5000, "0" * 5000, "½", "\uff11", "\u0661", "²"),
        *("1000000000001", "-1e-320", "0.95", "1", "1.0000000000000002", "0.9999999999999999", "", " ", "None"),
    ]
)
numbers = st.integers(-3, 10**6).map(str) | st.floats().map(repr) | odd_numbers | typed
tallies = st.builds("{}/{}".format, numbers, numbers) | numbers
cells = st.builds("{}={}".format, st.sampled_from(["tp", "fn", "tn", "fp", "TP", "x", ""]), numbers)
confusions = st.builds("tp={},fn={},tn={},fp={}".format, numbers, numbers, numbers, numbers) | st.lists(
    cells, max_size=5
).map(",".join)
lists = st.lists(numbers, max_size=3).map(",".join)
systems = st.builds("{}:{}".format, typed, tallies) | st.builds(
    "{}:{}:{}:{}".format, typed, tallies, confusions, tallies
)

HUMAN = ("estimate", "--human=60/100")
METRIC = ("estimate", "--metric=54/100")
TABLE = ("table", "--rate=.6", "--tpr=.7", "--tnr=.7", "--n-human=0,10", "--n-metric=0,10")


def survives(*arguments: str, stdin: bytes = b"") -> Answer:
    """Run a command; what it leaves is an answer or one line."""
    result = run(*arguments, "--format=json", stdin=stdin)
    assert result.code in {0, 1, 2}
    if result.code == 0:
        assert result.json["signature"]
        assert not result.err
        return result
    assert not result.out
    assert result.err.startswith("Error: ")
    assert len(result.err.splitlines()) == 1
    assert "Hint: " in result.err
    assert len(result.err) < 2000
    return result


@pytest.mark.hypothesis
@pytest.mark.parametrize(
    ("base", "option", "values"),
    [
        (("estimate",), "--human", tallies),
        (("estimate",), "--metric", tallies),
        (METRIC, "--calibration", confusions),
        (HUMAN, "--prior", lists | typed),
        (HUMAN, "--confidence-level", numbers),
        ((*METRIC, "--tnr=.7"), "--tpr", numbers),
        ((*METRIC, "--tpr=.7"), "--tnr", numbers),
        (HUMAN, "--sampling", typed),
        (TABLE, "--n-human", lists),
        (TABLE, "--n-metric", lists),
        (TABLE, "--n-calibration", numbers),
        (TABLE, "--rate", numbers),
        (TABLE, "--tpr", numbers),
        (TABLE, "--tnr", numbers),
        (TABLE, "--calibration-rate", numbers),
        (TABLE, "--power", numbers),
        (TABLE, "--confidence-level", numbers),
        (("compare", "--counts=A:60/100"), "--counts", systems),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0] if isinstance(value, tuple) else "",
)
def test_any_text_in_any_option(base, option, values):
    @given(values)
    def check(text):
        survives(*base, f"{option}={text}")

    check()


@given(numbers, numbers)
def test_any_two_rates_of_a_metric(tpr, tnr):
    survives(*METRIC, f"--tpr={tpr}", f"--tnr={tnr}")


@given(st.lists(typed, max_size=4))
def test_any_words(words):
    result = run(*words)
    assert result.code in {0, 1, 2}


@given(typed)
def test_any_name_of_a_system_comes_back(name):
    result = survives("compare", f"--counts={name}:1/2", "--counts=other:2/2")
    if result.code == 0:
        assert result.json["ranking"] == ["other", name.strip()]


@given(typed)
def test_any_name_of_a_file_to_read(name):
    with tempfile.TemporaryDirectory() as folder:
        assert run("compare", str(Path(folder) / name / "counts.csv")).code == 1


junk_cells = numbers | st.sampled_from(["A", "B", '"', "\r", "\n", ",", '"A"', "\x00", "\ufeff"])
headers = st.lists(st.sampled_from([*COLUMNS, "System", "x", ""]), max_size=10) | st.just(list(COLUMNS))


@st.composite
def csv_like(draw):
    """Draw a file of counts as a careless program might write it, or a broken one."""
    rows = [draw(headers), *draw(st.lists(st.lists(junk_cells, max_size=10), max_size=3))]
    if draw(st.booleans()):
        file = io.StringIO()
        csv.writer(file, lineterminator=draw(st.sampled_from(["\n", "\r\n"]))).writerows(rows)
        text = file.getvalue()
    else:
        text = "\n".join(",".join(row) for row in rows)
    return text.encode(draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])))


contents = st.binary(max_size=200) | csv_like()


@given(contents, st.sampled_from(["random", "balanced", "by-metric"]))
@example(b'system\n"', "random")
@example(b"system,human_n\nA," + b"9" * 5000, "random")
@example(b"system,human_n\nA,1e999", "random")
@example(b"system\n" + b"A" * 140_000, "random")
def test_any_bytes_as_a_file_of_counts(content, sampling):
    try:
        found = parse_counts(content, name="junk", sampling=sampling)
    except DataError as error:
        said = str(error)
        assert said.startswith("junk")
        assert "Hint: " in said
        assert len(said) < 600
    else:
        assert found
        assert all(name and isinstance(evidence, Evidence) for name, evidence in found.items())


@given(st.binary(max_size=200) | typed.map(lambda text: f"system,human_pos,human_n\nA,1,2\nB,{text}".encode()))
def test_any_bytes_on_standard_input(content):
    result = survives("compare", "-", stdin=content)
    assert result.code in {0, 1}
