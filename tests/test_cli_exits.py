"""Streams that are closed or full, names that look like markup or formulas: one line, an exit code, plain text."""

import csv
import io
import os
import signal
import subprocess
import sys

import pytest

from command_line import PATIENCE, run
from tellapart import render
from tellapart.cli.output import progress

MAIN = "import sys; sys.argv[0] = 'tellapart'; from tellapart.cli import main; main()"
ESTIMATE = ("estimate", "--human", "6/10", "-f", "json")


def shell(line, *arguments, timeout=120):
    """Run the program within a line of the shell, where it is called "$@"."""
    command = ["bash", "-c", line, "bash", sys.executable, "-c", MAIN, *arguments]
    done = subprocess.run(command, capture_output=True, timeout=timeout, check=False)  # noqa: S603
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def one_line(said):
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    assert "Hint: " in said
    return said


@pytest.mark.parametrize("arguments", [ESTIMATE, ESTIMATE[:3], ("--help",), ("--version",)], ids=" ".join)
@pytest.mark.parametrize(("to", "why"), [(">/dev/full", "No space left"), (">&-", "it is closed")])
def test_what_cannot_be_written_is_told(arguments, to, why):
    code, out, err = shell(f'"$@" {to}', *arguments)
    assert (code, out) == (1, "")
    assert f"standard output: cannot be written ({why}" in one_line(err)


def test_a_file_can_be_written_where_standard_output_is_closed(tmp_path):
    path = tmp_path / "result.json"
    assert shell('"$@" >&-', *ESTIMATE, "-o", str(path)) == (0, "", "")
    assert path.read_text(encoding="utf-8").startswith("{")


@pytest.mark.parametrize("to", ["2>/dev/full", "2>&-"])
def test_a_result_does_not_get_lost_with_its_notes(tmp_path, to):
    path = tmp_path / "r.csv"
    path.write_text("system,human\nA,1\nB,0\n", encoding="utf-8")
    code, out, _ = shell(f'"$@" {to}', "compare", str(path), "-f", "csv")
    assert code == 0
    assert out.startswith("first,second,")
    assert shell(f'"$@" {to}', "compare", "nowhere.csv")[:2] == (1, "")


def test_who_interrupts_a_command_sees_no_traceback(monkeypatch):
    def interrupted(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr("tellapart.analysis.estimation.estimate", interrupted)
    answer = run(*ESTIMATE)
    assert (answer.code, answer.out, answer.err) == (130, "", "")


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_who_ends_a_simulation_sees_nothing_of_its_workers():
    words = ("plan", "--rate", ".6", "--tpr", ".9", "--tnr", ".9", "--systems", "5", "--runs", "1000")
    sizes = ("--n-human", "50", "--n-metric", "100", "--difference", ".1")
    settings = {**os.environ, "COLUMNS": "100"}
    command = [sys.executable, "-m", "tellapart", *words, *sizes]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=settings, start_new_session=True, **pipes) as process:  # noqa: S603
        first = process.stderr.readline()
        os.killpg(process.pid, signal.SIGTERM)  # the workers as well, as a terminal does
        _, rest = process.communicate(timeout=PATIENCE)
    assert first.startswith(b"simulating campaigns: ")
    assert b"resource_tracker" not in rest


def test_standard_input_may_be_closed():
    code, out, err = shell('"$@" <&-', "compare", "-")
    assert (code, out) == (1, "")
    assert "standard input: is closed" in one_line(err)


@pytest.mark.parametrize("command", [("compare",), ("threshold", "--score", "score"), ("plan", "--n-human=9")])
def test_a_pipe_of_the_shell_is_read(tmp_path, command):
    path = tmp_path / "r.csv"
    rows = [f"{'AB'[i % 2]},{i},{i // 2 % 2},{i / 20}" for i in range(20)]
    path.write_text("\n".join(["system,item,human,score", *rows]), encoding="utf-8")
    name, *options = command
    option = "--pilot " if name == "plan" else ""
    options += ["--n-metric=0", "--difference=.2"] if name == "plan" else []
    code, out, err = shell(f'"$@" -f json {option}<(cat {path})', name, *options)
    assert code == 0, err
    told = run(name, *options, *option.split(), str(path), "-f", "json").out
    assert out == told.replace(str(path), "/dev/fd/63")


@pytest.mark.parametrize("name", ["a\0b.csv", os.fsdecode(b"\xff.csv"), "a\nb\x1b[31m.csv", "[/nope].csv", "*.csv"])
@pytest.mark.parametrize("command", [("compare",), ("threshold", "--score=x"), ("plan", "--pilot")])
def test_any_name_of_a_file_that_is_not_there_is_one_line(name, command):
    result = run(*command, name)
    assert (result.code, result.out) == (1, "")
    assert "cannot be read" in one_line(result.err)
    assert result.err.rstrip("\n").isprintable()


# choices


@pytest.mark.parametrize("name", ["p.SVG", "p.Png", "p.HTML", "p.JSON"])
def test_the_ending_of_a_chart_may_be_in_capitals(tmp_path, name):
    assert run("estimate", "--human", "6/10", "--plot", str(tmp_path / name)).code == 0
    assert (tmp_path / name).stat().st_size > 100


def test_a_chart_that_cannot_be_drawn_is_told(tmp_path):
    counts = ("--counts", "constructor:1/2", "--counts", "B:1/2")
    result = run("compare", *counts, "-f", "csv", "--plot", str(tmp_path / "p.svg"))
    assert result.code == 2
    assert "cannot draw these names" in one_line(result.err)
    assert result.out.startswith("first,second")


GUESSES = ("--tpr=.9", "--tnr=.9", "--difference=.05", "--n-metric=1k", "--n-human=100")


@pytest.mark.parametrize("options", [("--rate=.5..0.7",), ("--rate=.6", "--simulate=10")])
@pytest.mark.parametrize("seed", ["-1", "9" * 40])
def test_a_seed_is_a_whole_number(options, seed):
    given = [option for option in GUESSES if "simulate" not in str(options) or "n-human" not in option]
    result = run("plan", *options, *given, f"--seed={seed}")
    assert (result.code, result.out) == (2, "")
    assert "`seed`" in one_line(result.err)


@pytest.mark.parametrize("name", ["file", "file/folder"])
def test_figures_need_a_folder(tmp_path, name):
    (tmp_path / "file").write_text("kept", encoding="utf-8")
    result = run("paper", "--plots", f"{tmp_path}/{name}")
    assert (result.code, result.out) == (2, "")
    assert "`--plots` must be a folder" in one_line(result.err)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "kept"


@pytest.mark.parametrize("option", ["--output", "--report", "--plot"])
@pytest.mark.parametrize("name", ["/proc/x.html", ".", "x" * 300 + ".html"])
def test_what_cannot_be_written_to_is_bad_usage(tmp_path, monkeypatch, option, name):
    monkeypatch.chdir(tmp_path)
    result = run("compare", "--counts=A:1/2", "--counts=B:2/2", "-f", "csv", option, name)
    assert result.code == 2
    assert option in one_line(result.err)


# names are text


NAMES = ["[red]x[/red]", "[/nope]", "a :100: b", "[link=x]y", "<script>", "a|b", "a\\|b", "`x`", "[a](b)", "\\"]


def rated(tmp_path, names, column="judge"):
    path = tmp_path / "r.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file)
        write.writerow(["system", "item", "human", column])
        write.writerows([name, i, i % 2, [0.2, 0.9, 0.4, 0.7][i % 4]] for name in names for i in range(8))
    return path


def test_no_name_is_markup_on_a_terminal(tmp_path):
    shown = run("compare", str(rated(tmp_path, NAMES[:5])))
    assert shown.code == 0
    for name in NAMES[:5]:
        assert name in shown.out
    named = run("threshold", str(rated(tmp_path, "AB", "[/score] :100:")), "--score", "[/score] :100:")
    assert "Cuts of [/score] :100:" in named.out


def test_the_name_of_a_file_is_no_markup_in_the_progress_bar(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")
    with progress("reading [/nope] :100:.csv", None):
        pass
    assert "[/nope] :100:.csv" in shown.getvalue()


def test_names_are_text_in_markdown(tmp_path):
    text = run("compare", str(rated(tmp_path, NAMES)), "-f", "markdown").out
    assert "<script>" not in text
    for shown in (r"a\|b", r"a\\\|b", r"\`x\`", r"\[a\](b)", "&lt;script&gt;", r"| \\ |"):
        assert shown in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len({line.replace(r"\\", "").replace(r"\|", "").count("|") for line in rows if " extra" not in line}) <= 3


def test_names_are_text_in_latex(tmp_path):
    # a row that begins with [ or * would be an argument of the \\ before it
    text = run("compare", str(rated(tmp_path, ["[1ex]", "*", r"\input{x}", "a_b"])), "-f", "latex").out
    for shown in ("{[}1ex] &", "{*} &", r"\textbackslash{}input\{x\} &", r"a\_b &"):
        assert shown in text
    assert r"\input" not in "".join(line for line in text.splitlines() if not line.startswith("%"))


@pytest.mark.parametrize("output_format", ["table", "json", "csv", "markdown", "latex"])
def test_control_characters_of_a_column_reach_no_output(tmp_path, output_format):
    column = "score\x1b]0;owned\x07\n\\input{x}"
    path = rated(tmp_path, "AB", column)
    for command in (("threshold", str(path), "--score", column), ("compare", str(path), "--metric", column)):
        result = run(*command, "-f", output_format)
        assert result.code == 0
        for text in (result.out, result.err):
            assert all(line.isprintable() for line in text.splitlines())
            assert not any(line.startswith("\\input") for line in text.splitlines())


@pytest.mark.parametrize("name", ["=1+1", "+1", "@SUM(1)", "-1+1", "-x", "-", "- 1", "-1e5x", "--1", "-\u0661"])
def test_no_text_in_csv_is_a_formula(name):
    out = run("compare", f"--counts={name}:1/2", "--counts=B:2/2", "-f", "csv").out
    (row,) = csv.DictReader(io.StringIO(out))
    assert f"'{name}" in {row["first"], row["second"]}


@pytest.mark.parametrize("value", [-0.5, "-0.5", "-1", "-.5", "-1e-05", "-2.", "A", "", None, True, "a=b", "1-1"])
def test_numbers_and_other_text_stay_as_they_are_in_csv(value):
    (row,) = csv.DictReader(io.StringIO(render.to_csv([{"x": value}])))
    assert row["x"] == ("" if value is None else str(value))
    assert render.to_csv([{"x": "\t1"}, {"x": "\r1"}]).count("'") == 2
