"""Gates and trends as a pipeline runs them: files, exit codes, comments, and the examples of the documentation."""

import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest

import tellapart as ta
from command_line import run
from tellapart import DataError, InvalidInput
from tellapart.testing import assert_not_worse

DOCS = Path(__file__).parents[1] / "docs"


def version(rate, seed, rated=200, n=600, judge="judge-1"):
    """Draw one version's ratings: people rated some of its outputs, the judge all."""
    rng = np.random.default_rng(seed)
    good = rng.random(n) < rate
    passed = rng.random(n) < np.where(good, 0.92, 0.15)
    human = [int(value) if k < rated else None for k, value in enumerate(good)]
    columns = {"item": range(n), "human": human, "judge": passed.astype(int), "judge_version": judge}
    return pl.DataFrame(columns).with_columns(pl.col("human").cast(pl.Int64))


@pytest.fixture
def files(tmp_path):
    """Return the paths of a baseline and of candidates that are better, worse, and too little rated."""
    made = {
        "main": version(0.75, 1),
        "new": version(0.9, 2),
        "broken": version(0.5, 3),
        "unrated": version(0.75, 4, rated=0),
        "other_judge": version(0.75, 5, judge="judge-2"),
    }
    for name, table in made.items():
        table.write_csv(tmp_path / f"{name}.csv")
    return tmp_path


@pytest.mark.parametrize(
    ("candidate", "code", "said"),
    [
        ("new", 0, "Pass: new is better than main."),
        ("broken", 1, "Fail: broken is worse than main by more than 2 points."),
        ("unrated", 3, "Cannot tell yet whether unrated is worse than main by more than 2 points."),
    ],
)
def test_exit_codes(files, candidate, code, said):
    answer = run("gate", str(files / f"{candidate}.csv"), "--baseline", str(files / "main.csv"), "--margin", ".02")
    assert answer.code == code
    assert answer.text.startswith(said)


def test_a_shell_script_sees_all_three(files):
    program = Path(sys.executable).with_name("tellapart")
    script = f"""
    cd {files}
    for candidate in new broken unrated; do
        {program} gate $candidate.csv --baseline main.csv --margin .02 > /dev/null 2>&1
        echo $?
    done
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)  # noqa: S603, S607
    assert done.stdout.split() == ["0", "1", "3"]


@pytest.mark.parametrize("options", ["", "-f json"])
@pytest.mark.parametrize("reader", ["true", "head -c 10", "grep -q Fail"])
def test_a_decision_stands_where_its_reader_goes_away(files, options, reader):
    program = Path(sys.executable).with_name("tellapart")
    script = f"cd {files}; {program} gate broken.csv --baseline main.csv {options} 2> /dev/null | {reader} > /dev/null"
    done = subprocess.run(["bash", "-c", f"{script}; exit ${{PIPESTATUS[0]}}"], check=False)  # noqa: S603, S607
    assert done.returncode == 1


def test_a_stale_calibration_is_refused(files):
    answer = run("gate", str(files / "other_judge.csv"), "--baseline", str(files / "main.csv"))
    assert answer.code == 2  # 1 would say that it is worse
    said = " ".join(answer.err.split())
    assert "the judge is not the same ('judge-1' for main; 'judge-2' for other_judge)" in said
    assert "its calibration is stale" in said
    assert said.endswith("or borrow nothing: --borrow none")
    own = run("gate", str(files / "other_judge.csv"), "--baseline", str(files / "main.csv"), "--borrow", "none")
    assert own.code in {0, 3}


def test_trend_and_compare_do_not_borrow_from_another_judge_either(files):
    main, other = str(files / "main.csv"), str(files / "other_judge.csv")
    for command, code in (("trend", 2), ("compare", 1)):
        refused = run(command, main, other)
        assert refused.code == code
        assert "the judge is not the same ('judge-1' for main; 'judge-2' for other_judge)" in refused.err
        own = run(command, main, other, "--borrow", "none", "--format", "json")
        assert own.code == 0
        assert "how it errs for one tells nothing of the other" in " ".join(own.err.split())
        assert run(command, main, other, "--metric", "none").code == 0
    assert run("trend", main, other, "--borrow", "none", "--format", "json").json["watched"] == ["people"]
    ladder = run("compare", main, other, "--borrow", "none", "--format", "json").json["ladder"]
    assert {step["rung"] for step in ladder} <= {"none", "items"}
    named = [version(0.8, k).drop("judge_version").with_columns(prompt=pl.lit(f"p{k}")) for k in (1, 2)]
    for k, table in enumerate(named):
        table.write_csv(files / f"p{k}.csv")
    both = str(files / "p0.csv"), str(files / "p1.csv")
    assert run("trend", *both).code == run("compare", *both).code == 0
    for command in ("trend", "compare"):
        assert "'p1' for p0; 'p2' for p1" in run(command, *both, "--fingerprint", "prompt").err


def test_advice_on_a_changed_judge_does_not_go_in_a_circle(files):
    version(0.75, 6, rated=0, judge="judge-2").write_csv(files / "next.csv")
    command = ("gate", str(files / "next.csv"), "--baseline", str(files / "main.csv"), "--margin", ".02")
    refused = run(*command)
    assert refused.err.endswith("have one judge rate all of them, or have people rate outputs of next too\n")
    alone = run(*command, "--borrow", "none")
    assert alone.code == 3
    assert "rate a random sample of outputs by hand" in alone.text
    assert "--borrow" not in alone.text


@pytest.mark.parametrize(
    ("column", "name", "same"),
    [
        ("fingerprint", "rubric {item}", True),
        ("fingerprint", "rubric {item}{late}", False),
        ("fingerprint", "rubric {item} by {system}", False),
        ("judge version", "{late}", False),  # changed while it ran
        ("judge_prompt", "Is {item} by {system} right?", True),  # the whole prompt, with the output in it
        ("judge_prompt", "prompt of {system}", False),
    ],
)
def test_a_judge_may_have_a_name_for_each_item(column, name, same):
    keys = [(system, item) for system in "ab" for item in range(80)]
    columns = {"human": [int(item % 3 > 0) for _, item in keys], "judge": [int(item % 4 > 0) for _, item in keys]}
    columns |= {"system": [system for system, _ in keys], "item": [item for _, item in keys]}
    names: list[str | None] = [
        name.format(system=key[0], item=key[1], late=" anew" if key in keys[-9:] else " once") for key in keys
    ]
    names[7] = None  # an output failed
    assert ta.read_ratings({**columns, column: names}).one_judge is same


def test_a_fingerprint_that_is_asked_for_must_be_there(files):
    with pytest.raises(DataError, match="no column `prompt_hash` that identifies the judge"):
        ta.gate(files / "new.csv", baseline=files / "main.csv", fingerprint="prompt_hash")


def test_comment_test_report_and_annotation(files):
    paths = {name: files / name for name in ("comment.md", "gate.xml")}
    paths["comment.md"].write_text("Before.\n", encoding="utf-8")
    outputs = ("--markdown", str(paths["comment.md"]), "--junit", str(paths["gate.xml"]), "--annotate")
    answer = run("gate", str(files / "broken.csv"), "--baseline", str(files / "main.csv"), "--margin", ".02", *outputs)
    comment = paths["comment.md"].read_text(encoding="utf-8")
    assert comment.startswith("Before.\n### ❌ Fail: broken is worse than main")
    assert "| candidate |" in comment
    suite = ET.parse(paths["gate.xml"]).getroot()  # noqa: S314 - our own file
    assert suite.get("failures") == "1"
    assert suite.find("testcase/failure") is not None
    assert re.search(r"^::error title=Fail%3A broken is worse .*::Fail: ", answer.err, re.MULTILINE)


def test_a_comment_spells_options_as_they_are_typed(tmp_path):
    for name, judged in (("new", 1), ("old", 0)):
        rows = [{"item": k, "human": 1 if k < 30 else None, "judge": int(k % 9 > judged)} for k in range(200)]
        pl.DataFrame(rows, infer_schema_length=None).write_csv(tmp_path / f"{name}.csv")
    said = tmp_path / "comment.md"
    run("gate", str(tmp_path / "new.csv"), "--baseline", str(tmp_path / "old.csv"), "--markdown", str(said))
    comment = said.read_text(encoding="utf-8")
    assert "compare with --prior jeffreys" in comment
    assert "prior=" not in comment


def test_json_is_the_result(files):
    answer = run("gate", str(files / "new.csv"), "--baseline", str(files / "main.csv"), "--format", "json")
    told = json.loads(answer.out)
    assert (told["decision"], told["exit_code"], told["superior"]) == ("pass", 0, True)
    assert told["comparison"]["borrow"] == "rates"


def test_one_table_may_hold_both(files):
    both = pl.concat(
        [version(0.75, 1).with_columns(system=pl.lit("main")), version(0.9, 2).with_columns(system=pl.lit("new"))]
    )
    both.write_csv(files / "both.csv")
    answer = run("gate", str(files / "both.csv"), "--baseline", "main", "--margin", ".02")
    assert (answer.code, answer.text[:36]) == (0, "Pass: new is better than main. new −")
    with pytest.raises(InvalidInput, match="must be a file or a system of the candidate's table, got 'old'"):
        ta.gate(both, baseline="old")
    with pytest.raises(InvalidInput, match="`history` must be left out where one table holds both"):
        ta.gate(both, baseline="main", history=[files / "main.csv"])
    judge = pl.when(pl.col("system") == "new").then(pl.lit("judge-2")).otherwise(pl.lit("judge-1"))
    with pytest.raises(DataError, match="its calibration is stale"):
        ta.gate(both.with_columns(judge_version=judge), baseline="main")


def test_a_version_is_one_system(files):
    both = pl.concat([version(0.75, 1).with_columns(system=pl.lit(name)) for name in ("a", "b")])
    with pytest.raises(DataError, match="holds 2 systems, a version is one"):
        ta.gate(both, baseline=files / "main.csv")


def test_hints_name_options_that_the_command_has(files, tmp_path):
    pl.concat([version(0.75, 1).with_columns(system=pl.lit(name)) for name in ("a", "b")]).write_csv(files / "both.csv")
    main, both = str(files / "main.csv"), str(files / "both.csv")
    for command in (("trend", main, both), ("gate", str(files / "new.csv"), "--baseline", main, "--history", both)):
        assert run(*command).err.endswith("a version is one. Hint: give each version, or run, a file of its own\n")
    for seed, name in enumerate(("one", "two")):
        version(1, seed, rated=50).write_csv(tmp_path / f"{name}.csv")
    runs = str(tmp_path / "one.csv"), str(tmp_path / "two.csv")
    for command in (("trend", *runs), ("gate", runs[0], "--baseline", runs[1])):
        assert "or compare with --prior jeffreys" in run(*command).text
        followed = run(*command, "--prior", "jeffreys")
        assert followed.code in {0, 3}
        assert "--prior" not in followed.text


def test_versions_called_alike_are_told_apart():
    main, new = (version(rate, 1).with_columns(system=pl.lit("bot")) for rate in (0.7, 0.9))
    found = ta.gate(new, baseline=main)
    assert (found.candidate, found.baseline) == ("candidate", "baseline")


def test_history_narrows_what_the_judge_may_do(files):
    for k in range(4):
        version(0.7 + 0.03 * k, 10 + k).write_csv(files / f"v{k}.csv")
    history = [files / f"v{k}.csv" for k in range(4)]
    alone, told = (
        ta.gate(files / "unrated.csv", baseline=files / "main.csv", margin=0.02, history=each) for each in ((), history)
    )
    assert told.pair.distribution.sd < alone.pair.distribution.sd
    assert len(told.comparison.estimates) == 6


def test_labels_in_a_file_of_their_own(files):
    table = version(0.75, 1)
    table.drop("human").write_csv(files / "judged.csv")
    table.select("item", "human").drop_nulls().write_csv(files / "labels.csv")
    version(0.9, 2).drop("human").write_csv(files / "next.csv")
    found = ta.gate(files / "next.csv", baseline=files / "judged.csv", labels=files / "labels.csv")
    rated = {name: evidence.n_human for name, evidence in found.comparison.evidence.items()}
    assert rated == {"judged": 200, "next": 0}  # the same items, but nobody rated what the candidate made of them
    runs = [files / "judged.csv", files / "next.csv"]
    with pytest.raises(DataError, match="does not say which run its ratings are of"):
        ta.trend(runs, labels=files / "labels.csv")
    table.select("item", "human").drop_nulls().with_columns(system=pl.lit("next")).write_csv(files / "named.csv")
    found = ta.trend(runs, labels=files / "named.csv")
    assert [found.comparison.evidence[run].n_human for run in found.runs] == [0, 200]
    both = [table.select("item", "human").drop_nulls().with_columns(system=pl.lit(n)) for n in ("next", "judged")]
    pl.concat([*both, both[0].head(1).with_columns(item=pl.lit(-1, pl.Int64))]).write_csv(files / "both.csv")
    said = " ".join(ta.gate(runs[1], baseline=runs[0], labels=files / "both.csv").comparison.understood)
    assert "Joined 400 ratings of 400 outputs" in said
    assert "1 of the ratings in" in said  # that of neither
    table.select("item", "human").with_columns(system=pl.lit("other")).write_csv(files / "other.csv")
    with pytest.raises(DataError, match="none of its ratings matches an output"):
        ta.gate(files / "next.csv", baseline=files / "judged.csv", labels=files / "other.csv")


def test_labels_of_a_name_that_two_versions_have_are_refused(files):
    for name in ("old", "young"):
        version(0.8, 1).drop("human").with_columns(system=pl.lit("bot")).write_csv(files / f"{name}.csv")
    version(0.8, 1).select("item", "human").with_columns(system=pl.lit("bot")).write_csv(files / "labels.csv")
    with pytest.raises(DataError, match="names 'bot', which is several versions"):
        ta.gate(files / "young.csv", baseline=files / "old.csv", labels=files / "labels.csv")


def test_assertions_for_test_suites(files):
    main = files / "main.csv"
    assert assert_not_worse(files / "new.csv", main, margin=0.02).decision == "pass"
    with pytest.raises(AssertionError, match="Fail: broken is worse than main"):
        assert_not_worse(files / "broken.csv", main, margin=0.02)
    with pytest.raises(AssertionError, match="Cannot tell yet"):
        assert_not_worse(files / "unrated.csv", main, margin=0.02)
    assert assert_not_worse(files / "unrated.csv", main, margin=0.02, undecided="pass").decision == "cannot tell yet"
    with pytest.raises(pytest.skip.Exception, match="Cannot tell yet"):
        assert_not_worse(files / "unrated.csv", main, margin=0.02, undecided="skip")
    with pytest.raises(InvalidInput, match="be fail, skip or pass"):
        assert_not_worse(files / "new.csv", main, undecided="maybe")


def workflows():
    """Return the pipelines that the documentation shows: name, and the commands that call tellapart."""
    yaml = pytest.importorskip("yaml")  # not with the oldest versions
    page = (DOCS / "ci.md").read_text(encoding="utf-8")
    for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL):
        told = yaml.safe_load(text)
        steps = [
            step for job in told.get("jobs", told).values() if isinstance(job, dict) for step in job.get("steps", [job])
        ]
        scripts = [line for step in steps for line in _lines(step)]
        yield [line for line in scripts if "tellapart gate" in line or "tellapart trend" in line]


def _lines(step):
    found = step.get("run") or step.get("script") or ""
    return found if isinstance(found, list) else re.sub(r"\\\n\s*", "", found).splitlines()


def test_the_pipelines_of_the_documentation_run(files):
    (files / "ratings").mkdir()
    for name in ("main", "candidate"):
        version(0.75 if name == "main" else 0.9, 1).write_csv(files / "ratings" / f"{name}.csv")
    found = list(workflows())
    assert len(found) == 2
    for commands in found:
        assert commands
        for command in commands:
            program = command.replace("tellapart", str(Path(sys.executable).with_name("tellapart")), 1)
            summary = {"GITHUB_STEP_SUMMARY": str(files / "summary.md"), "PATH": "/usr/bin:/bin"}
            arguments = ["/bin/bash", "-c", program]
            done = subprocess.run(arguments, cwd=files, capture_output=True, check=False, env=summary)  # noqa: S603
            assert done.returncode == 0, done.stderr


@pytest.fixture
def nights(tmp_path):
    for k in range(10):
        rate = 0.8 if k < 6 else 0.45
        version(rate, 100 + k, rated=30, n=300).write_csv(tmp_path / f"2026-01-{k + 1:02}.csv")
    return sorted(map(str, tmp_path.glob("*.csv")))


def test_trend_tells_what_changed(nights):
    answer = run("trend", *nights, "--borrow", "rates")
    assert answer.code == 0
    assert answer.text.startswith("Alarm: The share of outputs that the judge passes fell from")
    assert "with 2026-01-07" in answer.text
    assert run("trend", *nights, "--fail-on-alarm", "--borrow", "rates", "--format", "csv").code == 1


def test_trend_without_a_change(nights):
    found = ta.trend(nights[:6])
    assert not found.alarms
    assert found.runs == tuple(f"2026-01-0{k}" for k in range(1, 7))


def test_runs_of_one_name_are_numbered(nights, tmp_path):
    again = tmp_path / "again"
    again.mkdir()
    copy = again / Path(nights[0]).name
    copy.write_bytes(Path(nights[0]).read_bytes())
    name = copy.stem
    found = ta.trend([nights[0], str(copy), nights[1]])
    assert found.runs == (f"{name} (1)", f"{name} (2)", Path(nights[1]).stem)


def test_a_file_is_not_compared_with_itself(files):
    main, new = files / "main.csv", files / "new.csv"
    (files / "link.csv").symlink_to(main)
    for candidate, *history in ((main,), (files / "link.csv",), (new, "--history", new)):
        answer = run("gate", str(candidate), "--baseline", str(main), *map(str, history))
        assert (answer.code, answer.out, len(answer.err.splitlines())) == (2, "", 1)
        assert "must be different files, got " in answer.err
    with pytest.raises(InvalidInput, match="`candidate and baseline` must be different files, got "):
        ta.gate([main], baseline=main)


def test_one_run_is_no_trend(nights):
    answer = run("trend", nights[0])
    assert answer.code == 2
    assert "`runs` must be two or more, got 1" in answer.err


def test_slices_on_the_command_line(tmp_path):
    table = pl.concat(
        [version(rate, k).with_columns(system=pl.lit(name)) for k, name, rate in ((11, "a", 0.8), (12, "b", 0.6))]
    )
    table.with_columns(language=pl.when(pl.col("item") % 2 == 0).then(pl.lit("de")).otherwise(pl.lit("en"))).write_csv(
        tmp_path / "ratings.csv"
    )
    answer = run(
        "compare", str(tmp_path / "ratings.csv"), "--by", "language", "--report", str(tmp_path / "report.html")
    )
    assert "a is clearly better in" in answer.text
    assert re.search(r"^ all ", answer.out, re.MULTILINE)
    assert "Where does it differ?" in (tmp_path / "report.html").read_text(encoding="utf-8")
    refused = run("compare", "--counts", "A:1/2", "--by", "language")
    assert refused.code == 2
    assert "`--by` must be left out where counts are given" in refused.err


def test_rows_can_be_chosen(tmp_path):
    for name in ("new", "old"):
        rows = "".join(f"{name},{i},{int(i % 3 > 0)},{i % 2},{'de' if i % 2 else 'en'}\n" for i in range(60))
        (tmp_path / f"{name}.csv").write_text(f"system,item,human,judge,language\n{rows}")
    answer = run(
        "gate", str(tmp_path / "new.csv"), "--baseline", str(tmp_path / "old.csv"), "--where", "language == 'de'"
    )
    assert "Kept 60 of 120 rows" in answer.err


def test_an_alarm_has_an_exit_code_of_its_own(nights, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("item,human,judge\n1,maybe,1\n", encoding="utf-8")
    answer = run("trend", *nights, str(bad), "--fail-on-alarm")
    assert answer.code == 2
    assert "maybe" in answer.err


def test_a_run_counts_once(nights):
    answer = run("trend", nights[0], nights[1], nights[0])
    assert answer.code == 2
    assert "`runs` must be different files" in answer.err


def test_rows_of_a_trend_have_its_alarms(nights):
    answer = run("trend", *nights, "--borrow", "rates", "--format", "csv")
    rows = pl.read_csv(answer.out.encode())
    assert rows.filter(pl.col("alarm").is_not_null()).height >= 1
    assert "Alarm: The share of outputs" in " ".join(answer.err.split())


def test_gates_of_two_nights_can_be_stacked(files):
    new, broken = (
        run("gate", str(files / f"{name}.csv"), "--baseline", str(files / "main.csv"), "-f", "csv").out.splitlines()
        for name in ("new", "broken")
    )
    assert (new[0], len(new), len(broken)) == (broken[0], 2, 2)
    row = pl.read_csv("\n".join(new).encode()).row(0, named=True)
    assert (row["candidate_name"], row["baseline_name"], row["decision"]) == ("new", "main", "pass")
    assert (row["candidate_n_human"], row["candidate_n_metric"], row["margin"]) == (200, 400, 0)
    assert row["interval_low"] < row["difference"] < row["interval_high"]


def test_ratings_are_counted_as_they_are_where_outputs_go_together(tmp_path):
    runs = []
    for name, rate in (("one", 0.8), ("two", 0.7)):
        table = version(rate, len(runs), rated=100, n=300).with_columns(
            document=pl.Series([k // 10 for k in range(300)])
        )
        runs.append(str(tmp_path / f"{name}.csv"))
        table.with_columns(human=pl.when(pl.col("human").is_not_null()).then(pl.col("document") % 3 // 2)).write_csv(
            runs[-1]
        )
    gate = run("gate", runs[1], "--baseline", runs[0], "--cluster", "document")
    assert re.search(r"candidate +two .* 100 +200 *\n", gate.out)
    watched = run("trend", *runs, "--cluster", "document", "-f", "json").json
    assert [(row["n_human"], row["n_metric"]) for row in watched["runs"]] == [(100, 200)] * 2
