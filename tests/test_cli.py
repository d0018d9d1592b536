"""The command line as people and scripts use it: answers, formats, exit codes, one-line errors."""

import csv
import io
import json
import re
import subprocess
import sys
from functools import cache

import pytest

from command_line import Answer, processor_time_below, program, run, start
from tellapart import Confusion, Design, Evidence, __version__, compare, estimate, measurable_difference

MIXED = ("estimate", "--human", "60/100", "--calibration", "tp=42,fn=18,tn=28,fp=12", "--metric", "540/1000")
KNOWN = ("estimate", "--metric", "540/1000", "--tpr", ".7", "--tnr", ".7")
TABLE = ("table", "--rate", ".6", "--tpr", ".7", "--tnr", ".7", "--n-human", "0,100,250", "--n-metric", "0,1000")
HUMAN_PAIR = ("compare", "--counts", "A:353/527", "--counts", "B:308/527")
COUNTS = b"system,human_pos,human_n\nA,353,527\nB,308,527\n"
JUDGED = {
    "A": Evidence.of((60, 100), calibration=Confusion(54, 6, 36, 4), metric=(1190, 2000)),
    "B": Evidence.of((45, 100), calibration=Confusion(40, 5, 49, 6), metric=(890, 2000)),
}
JUDGED_PAIR = (
    *("compare", "--counts", "A:60/100:tp=54,fn=6,tn=36,fp=4:1190/2000"),
    *("--counts", "B:45/100:tp=40,fn=5,tn=49,fp=6:890/2000"),
)


@cache
def answer(*arguments: str, stdin: bytes = b"") -> Answer:
    """Run a command that must succeed and has no notes to give."""
    result = run(*arguments, stdin=stdin)
    assert (result.code, result.err) == (0, "")
    return result


def failure(*arguments: str, code: int, stdin: bytes = b"") -> str:
    """Run a command that must fail: nothing on standard output, one line on standard error, which is returned."""
    result = run(*arguments, stdin=stdin)
    assert (result.code, result.out) == (code, ""), result
    assert result.err.startswith("Error: ")
    assert result.err.endswith("\n")
    assert len(result.err.splitlines()) == 1
    return result.err


def words(value: tuple[str, ...] | str) -> str:
    return value if isinstance(value, str) else " ".join(value)


def rows_of(result: Answer) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(result.out)))


# estimate


def test_estimate_json_has_the_promised_keys():
    value = answer(*MIXED, "--format", "json").json
    assert value.keys() >= {
        *("mean", "sd", "mode", "median", "interval", "confidence_level"),
        *("evidence", "warnings", "summary", "signature"),
    }
    assert value["interval"].keys() == {"low", "high"}
    assert value["evidence"] == {
        "classes": ["inadequate", "adequate"],
        "levels": ["fail", "pass"],
        "both": [[28, 12], [18, 42]],
        "truth_only": [0, 0],
        "metric_only": [460, 540],
        "borrowed": [[0, 0], [0, 0]],
        "rates": None,
        "sampling": "random",
        "effect": 1.0,
        "fused": [],
    }


def test_estimate_from_human_ratings_and_a_calibrated_metric():
    value = answer(*MIXED, "--format", "json").json
    assert value["mean"] == pytest.approx(0.598306309, abs=1e-9)
    assert value["sd"] == pytest.approx(0.044825044, abs=1e-9)


def test_estimate_with_known_rates():
    value = answer(*KNOWN, "--format", "json").json
    assert value["mode"] == pytest.approx(0.6, abs=1e-6)
    assert value["sd"] == pytest.approx(0.0393433, abs=1e-7)


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ((), {}),
        (("--prior", "jeffreys"), {"prior": "jeffreys"}),
        (("--prior", "2,8"), {"prior": (2, 8)}),
        (("--confidence-level", ".8"), {"confidence_level": 0.8}),
        (("--sampling", "balanced"), {"sampling": "balanced"}),
        (("--sampling", "by-metric"), {"sampling": "by-metric"}),
    ],
)
def test_every_option_of_estimate_reaches_the_library(options, arguments):
    expected = estimate(human=(60, 100), calibration=Confusion(42, 18, 28, 12), metric=(540, 1000), **arguments)
    assert answer(*MIXED, *options, "--format", "json").json == json.loads(json.dumps(expected.to_dict()))


def test_estimate_text_says_the_answer_and_the_signature():
    shown, value = answer(*MIXED).text, answer(*MIXED, "--format", "json").json
    assert value["summary"] in shown
    assert value["signature"] in shown
    assert __version__ in value["signature"]


def test_estimate_text_shows_the_cautions():
    conflict = ("--human", "10/100", "--calibration", "tp=95,fn=5,tn=95,fp=5", "--metric", "900/1000")
    shown, value = answer("estimate", *conflict).text, answer("estimate", *conflict, "--format", "json").json
    (caution,) = value["warnings"]
    assert caution["code"] == "conflict"
    assert f"Caution: {caution['message']} {caution['advice']}" in shown


def test_cautions_name_options_as_they_are_typed():
    given = ["--human", "60/100", "--calibration", "tp=42,fn=18,tn=28,fp=12", "--metric", "700/1000"]
    assert "say so with --sampling by-metric. If" in answer("estimate", *given).text
    (caution,) = answer("estimate", *given, "--format", "json").json["warnings"]
    assert caution["options"][0] == {"name": "sampling", "value": "by-metric"}
    assert 'say so with sampling="by-metric". If' in caution["advice"]


def test_estimate_csv_has_the_numbers_of_the_json():
    (row,), value = rows_of(answer(*MIXED, "--format", "csv")), answer(*MIXED, "--format", "json").json
    for name in ("mean", "sd", "mode", "median", "confidence_level"):
        assert float(row[name]) == value[name]
    assert float(row["interval_low"]) == value["interval"]["low"]
    assert float(row["interval_high"]) == value["interval"]["high"]
    assert row["signature"] == value["signature"]


# compare


def test_compare_json_has_the_promised_keys():
    value = answer(*JUDGED_PAIR, "--format", "json").json
    assert value.keys() >= {"ranking", "systems", "pairs", "correction", "borrow", "warnings", "summary", "signature"}
    assert value["systems"].keys() == {"A", "B"}
    (pair,) = value["pairs"]
    assert pair.keys() >= {"interval", "highest_density", "equal_tailed", "better", "distinguishable_alone"}
    (shared,) = answer(*JUDGED_PAIR, "--borrow", "shared", "--format", "json").json["pairs"]
    assert shared.keys() == pair.keys()
    assert shared["probability_first_better"] != pair["probability_first_better"]


def test_the_kind_of_interval_is_chosen():
    found = answer(*MIXED, "--interval", "equal-tailed", "--format", "json").json
    assert found["interval"] == found["equal_tailed"] != found["highest_density"]
    assert "equal-tailed" in found["signature"]


def test_compare_gives_what_the_library_gives():
    assert answer(*JUDGED_PAIR, "--format", "json").json == json.loads(json.dumps(compare(JUDGED).to_dict()))


def test_compare_reads_a_file_and_standard_input_alike(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_bytes(COUNTS)
    from_file = answer("compare", str(path), "--format", "json").json
    assert from_file == answer("compare", "-", "--format", "json", stdin=COUNTS).json
    assert from_file == answer(*HUMAN_PAIR, "--format", "json").json
    assert from_file["pairs"][0]["verdict"] == "A is better"


def test_compare_csv_has_one_row_a_pair():
    counts = COUNTS + b'"C, the third",200,527\n'
    rows = rows_of(answer("compare", "-", "--format", "csv", stdin=counts))
    pairs = answer("compare", "-", "--format", "json", stdin=counts).json["pairs"]
    assert [(row["first"], row["second"]) for row in rows] == [("A", "B"), ("A", "C, the third"), ("B", "C, the third")]
    for row, pair in zip(rows, pairs, strict=True):
        assert float(row["difference"]) == pair["difference"]
        assert float(row["interval_high"]) == pair["interval"]["high"]
        assert float(row["probability_first_better"]) == pair["probability_first_better"]


def test_compare_text_says_the_verdict_and_the_signature():
    shown, value = answer(*JUDGED_PAIR).text, answer(*JUDGED_PAIR, "--format", "json").json
    assert value["summary"] in shown
    assert value["signature"] in shown


@pytest.mark.parametrize("stem", ["", "assistant-large-2026-07-18-prompt-"])
def test_compare_text_cuts_nothing_off_on_a_terminal_of_80_columns(stem):
    shown = program("compare", "--counts", f"{stem}v1:353/527", "--counts", f"{stem}v2:308/527", COLUMNS="80")
    assert shown.code == 0
    assert "…" not in shown.out  # two long names may differ at their ends only
    assert max(map(len, shown.out.splitlines())) <= 80


def test_names_are_shown_as_given_and_not_taken_for_markup():
    value = answer("compare", "--counts", "[bold]A[/bold]:2/2", "--counts", "[/]:1/2").text
    assert "[bold]A[/bold] − [/]" in value


# table


def test_table_json_has_the_promised_keys_and_values():
    value = answer(*TABLE, "--format", "json").json
    rows = {(row["n_human"], row["n_metric"]): row for row in value["rows"]}
    assert rows.keys() == {(h, m) for h in (0, 100, 250) for m in (0, 1000)}
    assert rows[100, 1000]["measurable_difference"] == pytest.approx(0.1242, abs=5e-5)
    assert value["worth"] == pytest.approx(0.1546, abs=5e-5)
    design = Design(rate=0.6, tpr=0.7, tnr=0.7, n_human=250, n_metric=1000)
    assert rows[250, 1000] == json.loads(json.dumps(measurable_difference(design).to_dict()))


def test_table_csv_has_the_numbers_of_the_json():
    rows, value = rows_of(answer(*TABLE, "--format", "csv")), answer(*TABLE, "--format", "json").json
    assert [(int(row["n_human"]), int(row["n_metric"]), float(row["measurable_difference"])) for row in rows] == [
        (row["n_human"], row["n_metric"], row["measurable_difference"]) for row in value["rows"]
    ]


def test_table_text_shows_every_cell_the_meaning_and_the_signature():
    shown, value = answer(*TABLE).text, answer(*TABLE, "--format", "json").json
    for row in value["rows"]:
        assert f"{row['measurable_difference']:.3f}" in shown
    assert value["summary"] in shown
    assert value["signature"] in shown


def test_every_option_of_table_reaches_the_library():
    options = ("--n-calibration", "1k", "--calibration-rate", ".5", "--confidence-level", ".9", "--power", ".8")
    value = answer(*TABLE, *options, "--format", "json").json
    row = value["rows"][-1]
    setting = {"n_calibration": 1000, "calibration_rate": 0.5, "confidence_level": 0.9}
    expected = measurable_difference(Design(rate=0.6, tpr=0.7, tnr=0.7, n_human=250, n_metric=1000, **setting))
    assert row["measurable_difference"] == expected.measurable_difference
    assert (row["power"], row["difference_at_power"]) == (0.8, expected.with_power(0.8))
    known = answer(*TABLE, *options, "--known-rates", "--format", "json").json["rows"][-1]
    assert known["measurable_difference"] < row["measurable_difference"]


# paper, demo, help


@pytest.mark.slow
def test_paper_sets_every_published_cell_beside_ours():
    value = answer("paper", "--format", "json").json
    assert len(value["tables"]) == 9
    for table in value["tables"]:
        assert table.keys() >= {"name", "cells", "matched", "differing"}
        assert table["matched"] <= table["cells"]
        assert all(cell["why"] for cell in table["differing"])
    assert value["matched"] == sum(table["matched"] for table in value["tables"])


def test_demo_is_the_comparison_of_its_example():
    value = run("demo", "--format", "json")
    assert (value.code, value.err) == (0, "")
    assert value.json["ranking"] == ["aurora", "basalt", "cobalt", "dune", "ember", "fjord", "gale"]
    assert len(value.json["pairs"]) == 21


def test_version():
    assert answer("--version").out == f"tellapart {__version__}\n"


@pytest.mark.parametrize("command", ["estimate", "compare", "threshold", "table", "paper", "demo"])
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_every_command_has_help(command, option):
    shown = re.sub(r"\x1b\[[0-9;]*m", "", answer(command, option).out)  # colours, where the environment forces them
    assert f"Usage: tellapart {command}" in shown


# where results go


@pytest.mark.parametrize("output_format", ["table", "json", "csv"])
def test_output_writes_to_the_file_what_would_be_printed(tmp_path, output_format):
    path = tmp_path / "result"
    assert answer(*MIXED, "--format", output_format, "--output", str(path)).out == ""
    written = path.read_text(encoding="utf-8")
    assert written == answer(*MIXED, "--format", output_format).out


def test_output_never_holds_colours(tmp_path):
    path = tmp_path / "result.txt"
    assert program(*MIXED, "--output", str(path), FORCE_COLOR="1").code == 0
    assert "\x1b" not in path.read_text(encoding="utf-8")


def test_no_color_is_heeded():
    assert "\x1b[" in program(*MIXED, FORCE_COLOR="1", TERM="xterm").out
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", program(*MIXED, FORCE_COLOR="1", TERM="xterm", NO_COLOR="1").out)
    assert "\x1b" not in program(*MIXED).out


def test_the_program_reads_standard_input_and_answers_on_standard_output():
    result = program("compare", "-", "--format", "json", stdin=COUNTS)
    assert (result.code, result.err) == (0, "")
    assert result.json["ranking"] == ["A", "B"]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_the_program_answers_where_the_terminal_knows_few_letters(encoding):
    script = f"import sys; sys.argv = {['tellapart', *HUMAN_PAIR]!r}; from tellapart.cli import main; main()"
    result = start(sys.executable, "-c", script, PYTHONIOENCODING=f"{encoding}")
    assert "Traceback" not in result.err
    assert result.code == 0


# errors: one line that names the value and helps on


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        (("estimate",), "is missing"),
        (("estimate", "--human", "100/60"), "'100/60'"),
        (("estimate", "--human", "sixty"), "'sixty'"),
        (("estimate", "--human", ""), "''"),
        (("estimate", "--human", "-1/5"), "'-1"),
        (("estimate", "--human", "nan/5"), "'nan"),
        (("estimate", "--human", "1/2/3"), "'1/2/3'"),
        (("estimate", "--human", "1.5/2"), "'1.5"),
        (("estimate", "--human", "1/10000000000000000"), "10000000000000000"),
        (("estimate", "--metric", "two/3"), "'two"),
        (("estimate", "--calibration", "tp=1"), "'tp=1'"),
        (("estimate", "--calibration", "tp=1,fn=2,tn=3,fp=x"), "'x'"),
        (("estimate", "--calibration", "tp=1,tp=2,tn=3,fp=4"), "'tp=1,tp=2,tn=3,fp=4'"),
        (("estimate", "--metric", "1/2", "--tpr", ".7"), "(0.7, None)"),
        (("estimate", "--metric", "1/2", "--tpr", ".7", "--tnr", ".3"), "1.0"),
        (("estimate", "--metric", "1/2", "--tpr", "1.7", "--tnr", ".3"), "1.7"),
        (("estimate", "--human", "1/2", "--tpr", ".7", "--tnr", ".7"), "is missing"),
        ((*MIXED, "--tpr", ".7", "--tnr", ".7"), "(0.7, 0.7)"),
        ((*KNOWN, "--sampling", "by-metric"), ""),
        (("estimate", "--human", "1/2", "--prior", "flat"), "'flat'"),
        (("estimate", "--human", "1/2", "--prior", "1,2,3"), "(1.0, 2.0, 3.0)"),
        (("estimate", "--human", "1/2", "--prior", "1,x"), "'1,x'"),
        (("estimate", "--human", "1/2", "--prior", "0,1"), "0.0"),
        (("estimate", "--human", "1/2", "--confidence-level", "1"), "1.0"),
        (("estimate", "--human", "1/2", "--confidence-level", "95"), "95.0"),
        (("estimate", "--human", "1/2", "--confidence-level", "nan"), "nan"),
        (("compare",), "`FILE or --counts` is missing"),
        (("compare", "counts.csv", "--counts", "A:1/2"), "'counts.csv'"),
        (("compare", "--counts", "A:1/2", "--counts", "A:1/2"), "'A'"),
        (("compare", "--counts", "A"), "'A'"),
        (("compare", "--counts", "A:1/2:tp=1,fn=1,tn=1,fp=1"), "'A:1/2:tp=1,fn=1,tn=1,fp=1'"),
        (("compare", "--counts", ":1/2"), "':1/2'"),
        (("table", "--rate", "60", "--tpr", ".7", "--tnr", ".7"), "60.0"),
        (("table", "--rate", "nan", "--tpr", ".7", "--tnr", ".7"), "nan"),
        ((*TABLE, "--n-human", "many"), "'many'"),
        ((*TABLE, "--n-metric", "0,,1"), "''"),
        ((*TABLE, "--n-calibration", "-5"), "'-5'"),
        ((*TABLE, "--power", "1"), "1.0"),
        ((*TABLE, "--calibration-rate", "2"), "2.0"),
        (("table", "--rate", ".6", "--tpr", ".7", "--tnr", ".3", "--known-rates"), "1.0"),
    ],
    ids=words,
)
def test_bad_usage_is_one_line_with_the_value_and_a_hint(arguments, value):
    said = failure(*arguments, code=2)
    assert value in said
    assert "Hint: " in said


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        (("estimate", "--human", "1/2", "--confidence-level", "high"), "high"),
        (("estimate", "--metric", "1/2", "--tpr", "good", "--tnr", ".7"), "good"),
        (("estimate", "--human", "1/2", "--sampling", "haphazard"), "haphazard"),
        (("estimate", "--human", "1/2", "--format", "xml"), "xml"),
        (("table", "--rate", "high", "--tpr", ".7", "--tnr", ".7"), "high"),
        ((*TABLE, "--power", "strong"), "strong"),
    ],
    ids=words,
)
def test_what_is_no_number_or_no_choice_is_named(arguments, value):
    result = run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert value in result.err
    assert len(result.err.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments", [("estimate", "--humans", "1/2"), ("guess",), ("pairs",), ("threshold",), ("--bogus",)], ids=" ".join
)
def test_unknown_words_and_missing_options_are_one_line_that_says_where_to_find_help(arguments):
    said = failure(*arguments, code=2)
    assert "Hint: tellapart " in said
    assert "?." not in said
    assert said.strip().endswith("--help")


def test_a_hint_names_the_program_however_it_was_started():
    started = [sys.executable, "-m", "tellapart", "threshold"]
    answer = subprocess.run(started, capture_output=True, text=True, check=False)  # noqa: S603
    assert answer.stderr.strip().endswith("Hint: tellapart threshold --help")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"system,human_pos,human_n\n", "no rows"),
        (b"system,human_pos,human_n\nA,1,2\nB,3,2\n", "line 3"),
        (b"system,human_pos,human_n\nA,1,2\nB,x,2\n", "'x'"),
        (b"\xff\xfe", "UTF-8"),
    ],
)
def test_bad_data_are_one_line_with_a_hint_and_exit_1(tmp_path, content, said):
    path = tmp_path / "counts.csv"
    path.write_bytes(content)
    from_file, from_stdin = failure("compare", str(path), code=1), failure("compare", "-", code=1, stdin=content)
    for line, name in ((from_file, str(path)), (from_stdin, "standard input")):
        assert said in line
        assert line.startswith(f"Error: {name}")
        assert "Hint: " in line


@pytest.mark.parametrize("name", ["missing.csv", ".", "missing/counts.csv", "x" * 5000])
def test_a_file_that_cannot_be_read_is_one_line_and_exit_1(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    said = failure("compare", name, code=1)
    assert name in said
    assert "Hint: " in said


@pytest.mark.parametrize("option", ["--output", "--plot"])
def test_a_path_that_cannot_be_written_is_bad_usage(tmp_path, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    result = run(*MIXED, option, "missing/result.svg")
    assert result.code == 2
    assert len(result.err.splitlines()) == 1
    assert "'missing/result.svg'" in result.err
    assert not list(tmp_path.iterdir())


def test_bytes_of_the_command_line_that_are_not_unicode_make_no_traceback(tmp_path):
    name = b"\xff".decode(errors="surrogateescape")
    for output_format in ("table", "json", "csv"):
        options = ("--format", output_format, "--output", str(tmp_path / "result"))
        result = run("compare", "--counts", f"{name}:1/2", "--counts", "B:1/2", *options)
        assert result.code in {0, 2}


def test_a_name_cannot_send_control_characters_to_the_terminal_or_break_the_signature():
    result = run("compare", "--counts", "A\x1b[31m\nfake line:1/2", "--counts", "B:1/2")
    assert result.code in {0, 2}
    assert "\x1b" not in result.out
    assert "\nfake line" not in result.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("--human", "600000000000/1000000000000"),
        ("--metric", "500000000000/1000000000000"),
        ("--metric", "500000000000/1000000000000", "--calibration", "tp=42,fn=18,tn=28,fp=12"),
    ],
    ids=" ".join,
)
def test_counts_of_any_accepted_size_are_answered_in_seconds(arguments):
    with processor_time_below(15):
        value = program("estimate", *arguments, "--format", "json").json
    low, high = value["interval"]["low"], value["interval"]["high"]
    assert low < value["mean"] < high
    assert 0 < value["sd"] < high - low


def test_a_reader_that_goes_away_is_no_error():
    script = "import subprocess, sys; p = subprocess.Popen(sys.argv[1:], stdout=-1, stderr=-1); p.stdout.close(); "
    script += "p.wait(); sys.stderr.buffer.write(p.stderr.read()); sys.exit(p.returncode)"
    main = "import sys; sys.argv[0] = 'tellapart'; from tellapart.cli import main; main()"
    result = start(sys.executable, "-c", script, sys.executable, "-c", main, *MIXED)
    assert (result.code, result.err) == (0, "")


# what is said is true


@pytest.mark.parametrize("option", ["--confidence-level", "--power"])
@pytest.mark.parametrize("value", ["1e-300", "1e-9", "0.999999999", "0.9999999999999999"])
def test_a_level_or_power_near_its_ends_gives_a_possible_difference_or_an_error(option, value):
    result = run(*TABLE, option, value, "--format", "json")
    assert result.code in {0, 2}
    if result.code == 0:
        for row in result.json["rows"]:
            found = row.get("difference_at_power", row["measurable_difference"])
            assert found is None or 0 <= found <= 1


def test_the_worth_of_a_metric_is_no_limit_where_its_rates_are_known():
    few, many = (
        answer(*TABLE[:7], "--n-human", n_human, "--n-metric", n_metric, "--known-rates", "--format", "json").json
        for n_human, n_metric in (("100", "10k"), ("1k", "0"))
    )
    # 100 human ratings with the metric beat 1000 without it, so the metric has replaced more than nine in ten
    assert few["rows"][0]["measurable_difference"] < many["rows"][0]["measurable_difference"]
    assert "replaces at most 15%" not in few["summary"]


def test_a_prior_of_the_rate_is_not_ignored_silently():
    by_metric = ("estimate", "--sampling", "by-metric", "--calibration", "tp=40,fn=10,tn=35,fp=15")
    plain = answer(*by_metric, "--metric", "540/1000", "--format", "json").json
    result = run(*by_metric, "--metric", "540/1000", "--prior", "2,80", "--format", "json")
    assert result.code == 2 or result.json["warnings"] or result.json["mean"] != plain["mean"]


def test_the_caution_about_few_outputs_names_the_kind_that_is_rarest():
    few = ("--human", "4/5", "--calibration", "tp=3,fn=1,tn=1,fp=0", "--metric", "50/100")
    messages = [caution["message"] for caution in answer("estimate", *few, "--format", "json").json["warnings"]]
    assert any("on inadequate outputs is a guess: it was calibrated on only 1" in message for message in messages), (
        messages
    )


def test_human_ratings_that_are_set_aside_are_not_given_as_the_source():
    value = answer("estimate", "--human", "60/100", "--sampling", "balanced", "--format", "json").json
    assert value["mean"] == pytest.approx(0.5)
    assert "60/100 by human ratings" not in value["summary"]


# charts


@pytest.mark.parametrize(
    ("ending", "start_of_file"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("html", b"<!DOCTYPE html>"), ("json", b"{")]
)
def test_plot_writes_a_chart(tmp_path, ending, start_of_file):
    pytest.importorskip("altair")
    path = tmp_path / f"rates.{ending}"
    result = run(*MIXED, "--format", "json", "--plot", str(path))
    assert result.code == 0
    assert result.json["mean"]  # a note about the chart would not be JSON
    assert result.err == f"Chart written to {path}\n"
    assert path.read_bytes().lstrip()[: len(start_of_file)] == start_of_file


def test_plot_draws_a_curve_for_every_system(tmp_path):
    pytest.importorskip("altair")
    path = tmp_path / "rates.json"
    assert run(*HUMAN_PAIR, "--plot", str(path)).code == 0
    chart = json.loads(path.read_text(encoding="utf-8"))
    points = chart["datasets"]["densities"]
    assert {point["system"] for point in points} == {"A", "B"}
    assert all(0 <= point["rate"] <= 1 and point["density"] >= 0 for point in points)


def test_plot_of_a_comparison_shows_the_rates_of_its_table(tmp_path):
    """On the rung on which the verdicts stand, not of each system by itself."""
    pytest.importorskip("altair")
    path = tmp_path / "rates.json"
    counts = ("A:60/100:tp=42,fn=18,tn=28,fp=12:540/1000", "B:50/100:tp=45,fn=5,tn=40,fp=10:520/1000")
    result = run(
        "compare", *(word for one in counts for word in ("--counts", one)), "--format", "json", "--plot", str(path)
    )
    points = json.loads(path.read_text(encoding="utf-8"))["datasets"]["densities"]
    for name in "AB":
        curve = [(p["rate"], p["density"]) for p in points if p["system"] == name and p["source"] == "all ratings"]
        mean = sum(x * y for x, y in curve) / sum(y for _, y in curve)
        system = result.json["systems"][name]
        assert mean == pytest.approx(system["mean"], abs=0.002)
        assert abs(system["mean"] - system["alone"]["mean"]) > 0.004


def test_plot_html_works_offline(tmp_path):
    pytest.importorskip("altair")
    path = tmp_path / "rates.html"
    assert run(*MIXED, "--plot", str(path)).code == 0
    page = path.read_text(encoding="utf-8")
    assert not re.search(r"""<(script|link)[^>]*(src|href)=["']?https?:""", page)
    assert "University of Washington Interactive Data Lab" in page  # the licence of what it embeds


@pytest.mark.parametrize("name", ["rates.pdf", "rates", "rates.svg.gz"])
def test_plot_with_another_ending_is_refused_before_anything_is_printed(tmp_path, name):
    said = failure(*MIXED, "--plot", str(tmp_path / name), code=2)
    assert name in said
    assert ".svg" in said
    assert not (tmp_path / name).exists()


# start-up

HEAVY = ("scipy.stats", "altair", "polars", "pandas")


@pytest.mark.parametrize("arguments", [("--help",), (*MIXED, "--format", "json")], ids=["help", "estimate"])
def test_start_up_imports_nothing_heavy(arguments):
    script = (
        "import sys\n"
        "from tellapart.cli import main\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    sys.stderr.write(' '.join(sys.modules))\n"
    )
    loaded = start(sys.executable, "-c", script, *arguments)
    assert loaded.code == 0
    assert "tellapart.cli" in loaded.err.split()
    assert not set(HEAVY) & set(loaded.err.split())


def test_help_comes_at_once():
    with processor_time_below(5):  # a fraction of a second
        assert program("--help").code == 0


@pytest.mark.parametrize(
    ("ending", "start"), [("csv", "first,second,"), ("json", "{"), ("md", ""), ("tex", ""), ("txt", "A − B")]
)
def test_the_ending_of_a_file_tells_its_format(tmp_path, ending, start):
    path = tmp_path / f"result.{ending}"
    words = ("compare", "--counts", "A:60/100", "--counts", "B:50/100", "-o", str(path))
    assert run(*words).code == 0
    written = path.read_text(encoding="utf-8")
    assert written.startswith(start)
    formats = {"md": "markdown", "tex": "latex", "txt": "table"}
    assert run(*words, "-f", formats.get(ending, ending)).code == 0
    assert path.read_text(encoding="utf-8") == written


def test_systems_that_were_rated_alike_are_told_alike(tmp_path):
    path = tmp_path / "same.csv"
    rows = "".join(f"{s},{i},{1 if i < 100 else ''},1\n" for s in "AB" for i in range(300))
    path.write_text(f"system,item,human,judge\n{rows}", encoding="utf-8")
    answer = run("compare", str(path), "--details")
    assert "A − B: +0.0 points" in answer.text
    assert "P(A is better) = 0.500" in answer.text
    assert "-0.0 " not in answer.out
