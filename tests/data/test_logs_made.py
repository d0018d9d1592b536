"""Logs of each harness, made here: what is read, what is missing and why, and how several files come together."""

import json

import polars as pl
import pytest

import made_logs as made
from made_logs import component, graded, header, inspect_members, sample, write, zipped
from tellapart import DataError, InvalidInput
from tellapart.data.logs.merge import ready
from tellapart.data.logs.registry import FORMATS, read_logs
from tellapart.data.logs.words import sentences
from tellapart.data.tables import read_table


def by_item(log, column, system=None):
    frame = log.frame if system is None else log.frame.filter(pl.col("system") == system)
    return dict(zip(frame["item"], frame[column], strict=True))


@pytest.mark.parametrize("method", [made.STORED, made.DEFLATED, made.ZSTANDARD])
def test_inspect_letters_and_gaps(tmp_path, method):
    grades = {1: "C", 2: "P", 3: "I", 4: "N", 5: float("nan"), 6: "maybe"}
    samples = [sample(item, scores={"includes": 1, "model_graded_qa": value}) for item, value in grades.items()]
    samples[4]["scores"]["model_graded_qa"]["reason"] = "grader_failed"
    samples += [sample(7, error={"message": "down"}), sample(8, scores={"includes": 1}, invalidation={"author": "x"})]
    log = read_logs(write(tmp_path / "a.eval", zipped(inspect_members(samples), method)))
    found = by_item(log, "model_graded_qa")
    assert found == {"1": 1, "2": 0.5, "3": 0, "4": 0, "5": None, "6": None, "7": None}
    assert (log.kind, log.judges, log.people) == ("inspect", ("model_graded_qa",), ())
    assert log.facts == {
        ("judge failed", "model_graded_qa"): 1,
        ("unreadable", "model_graded_qa"): 1,
        ("failed", ""): 1,
        ("invalidated", ""): 1,
    }
    assert log.frame["fingerprint"][0].startswith("model_graded_qa=m/judge#")


def test_inspect_takes_apart_what_people_wrote_over_the_judge(tmp_path):
    person = {"author": "rater"}
    edited = {"value": "C", "history": [{"value": "I"}, {"value": "C", "provenance": person}]}
    touched = {"value": "I", "history": [{"value": "I"}, {"value": "UNCHANGED", "provenance": person}]}
    added = {"value": "I", "history": [{"value": "I", "provenance": person}]}
    samples = [
        sample("a", scores={"model_graded_qa": edited}),
        sample("b", scores={"model_graded_qa": touched}),
        sample("c", scores={"model_graded_qa": edited, "human": added}),  # what is said of the output goes before
        sample("d", scores={"model_graded_qa": "C", "human": added}),
    ]
    log = read_logs(write(tmp_path / "a.eval", zipped(inspect_members(samples))))
    assert by_item(log, "model_graded_qa") == {"a": 0, "b": 0, "c": 0, "d": 1}
    assert by_item(log, "human") == {"a": 1, "b": None, "c": 0, "d": 0}
    assert log.facts == {("overruled", "model_graded_qa"): 2}
    assert any("not a random sample" in said for said in sentences(log))


def test_inspect_logs_that_are_unfinished_or_old(tmp_path):
    first, again = sample("a", scores={"includes": "I"}), sample("a", scores={"includes": "C"})
    journal = {
        "_journal/start.json": json.dumps({"eval": header()["eval"]}).encode(),
        "_journal/summaries/1.json": json.dumps([first]).encode(),
        "_journal/summaries/2.json": json.dumps([again, sample("b", scores={"includes": "I"})]).encode(),
    }
    log = read_logs(write(tmp_path / "crashed.eval", zipped(journal)))
    assert by_item(log, "includes") == {"a": 1, "b": 0}  # of a sample that was tried again, the last counts
    assert log.facts == {("unfinished", ""): 1}
    old = header(packages={"inspect_ai": "0.3.160"}) | {
        "version": 1,
        "samples": [{"id": 1, "epoch": 1, "score": {"value": "C"}}],
    }
    log = read_logs(write(tmp_path / "old.json", old))
    assert by_item(log, "score") == {"1": 1}
    assert log.facts == {("old judge", "model_graded_qa"): 1}


def test_inspect_scores_of_several_parts_and_second_scorers(tmp_path):
    log = header() | {
        "samples": [sample(1, scores={"style": {"value": {"polite": 1, "brief": 0.5}}, "pair": {"value": [1, 0]}})]
    }
    log["eval"]["scorers"] += [{"name": "model_graded_qa", "options": {}}]
    log["samples"][0]["scores"]["model_graded_qa1"] = {"value": "C"}
    found = read_logs(write(tmp_path / "a.json", log))
    assert found.scores == ("style.polite", "style.brief", "pair.1", "pair.2", "model_graded_qa1")
    assert found.judges == ("model_graded_qa1",)


def test_epochs_and_tasks_make_the_names_of_items(tmp_path):
    samples = [sample(item, epoch, scores={"includes": 1}) for item in "ab" for epoch in (1, 2)]
    one = write(tmp_path / "one.eval", zipped(inspect_members(samples)))
    frame = ready(read_logs(one).frame)
    assert frame["item"].to_list() == ["a@1", "a@2", "b@1", "b@2"]
    assert frame["cluster"].to_list() == ["a", "a", "b", "b"]
    two = write(tmp_path / "two.eval", zipped(inspect_members(samples[::2], task="math")))
    frame = ready(read_logs([one, two]).frame)
    assert {"qa/a@1", "math/b@1"} <= set(frame["item"])
    assert frame["system"].unique().to_list() == ["m/alpha"]  # other tasks are other outputs


def test_systems_called_alike_are_told_apart_by_their_files(tmp_path):
    paths = [
        write(tmp_path / name, zipped(inspect_members([sample("a", scores={"includes": value})], **more)))
        for name, value, more in (("x.eval", "C", {}), ("y.eval", "I", {}))
    ]
    assert set(read_logs(paths).frame["system"]) == {"m/alpha (x)", "m/alpha (y)"}
    same = write(tmp_path / "more" / "x.eval", zipped(inspect_members([sample("a", scores={"includes": "C"})])))
    assert read_logs([paths[0], same]).frame["system"].to_list() == ["m/alpha"]
    again = []
    for value, day in (("C", "2026-02"), ("I", "2026-01")):
        members = inspect_members([sample("a", scores={"includes": value})], task_id="t", created=day)
        again.append(write(tmp_path / f"{value}.eval", zipped(members)))
    assert by_item(read_logs(again), "includes") == {"a": 1}  # of one run, the newer


def test_promptfoo(tmp_path):
    log = read_logs(write(tmp_path / "results.json", made.PROMPTFOO))
    assert (log.kind, log.scores, log.judges, log.people) == ("promptfoo", ("judge",), ("judge",), ("human",))
    assert by_item(log, "judge", "A") == {"q1": 1, "q2": None}
    assert by_item(log, "judge", "B") == {"q1": 0.5, "q2": None}
    assert by_item(log, "human", "B") == {"q1": 0, "q2": None}
    assert log.facts == {("judge failed", "judge"): 1, ("failed", ""): 1}
    lines = read_logs(write(tmp_path / "results.jsonl", made.PROMPTFOO["results"]["results"]))
    assert lines.frame.equals(log.frame)


def test_promptfoo_repeats_prompts_and_unclear_descriptions(tmp_path):
    judge = component("llm-rubric", 1.0)
    repeats = [graded("A", "q1", judge, test=test) for test in (1, 0)]
    log = read_logs(write(tmp_path / "repeat.jsonl", repeats))
    assert ready(log.frame)["item"].to_list() == ["q1@1", "q1@2"]
    prompts = [graded("A", "q1", judge, prompt={"label": label}) for label in ("short", "x" * 60)]
    assert {"A [short]"} < set(read_logs(write(tmp_path / "p.jsonl", prompts)).frame["system"])
    unclear = [graded("A", "same", judge, vars={"q": q}) for q in "ab"]
    assert read_logs(write(tmp_path / "u.jsonl", unclear)).frame["item"].to_list() == ["a", "b"]


def test_promptfoo_csv_has_the_same_columns_for_each_system(tmp_path):
    group = "Status,Score,Named Scores,Metric: judge,Grader Reason,Comment"
    text = (
        f"Description,q,[A] Answer,{group},[B] Answer,{group}\n"
        "q1,what,yes,PASS,1.00,{},0.50,Manual result (overrides),ok,no,FAIL,0.00,{},0.00,wrong,\n"
        "q2,what,oops,ERROR,0.00,,,,,no,FAIL,0.00,{},0.00,wrong,\n"
    )
    log = read_logs(write(tmp_path / "results.csv", text))
    assert by_item(log, "human", "A") == {"q1": 1, "q2": None}
    assert by_item(log, "judge", "A") == {"q1": 0.5, "q2": None}
    assert by_item(log, "judge", "B") == {"q1": 0, "q2": 0}


def test_lm_eval_filters_and_reruns(tmp_path):
    folder = made.lm_eval(tmp_path / "m__alpha", "m/alpha", "2026-01-01T00-00-00.1", {0: (0, 0), 1: (0, 0)})
    made.lm_eval(folder, "m/alpha", "2026-01-02T00-00-00.1", {0: (1, 0), 1: (0, 1)})
    log = read_logs(tmp_path)
    assert (log.kind, log.scores) == ("lm-eval", ("em@strict", "em@loose"))  # chrf holds texts
    assert by_item(log, "em@strict") == {"0": 1, "1": 0}
    assert by_item(log, "em@loose") == {"0": 0, "1": 1}
    assert log.frame["system"].unique().to_list() == ["m/alpha"]
    (old,) = folder.glob("samples_*01-01*")
    assert by_item(read_logs(old), "em@strict") == {"0": 0, "1": 0}
    (results,) = folder.glob("results_*01-02*")
    assert by_item(read_logs(results), "em@strict") == {"0": 1, "1": 0}


def test_long_tables_of_platforms(tmp_path):
    log = read_logs(write(tmp_path / "traces.jsonl", [made.TRACE]))
    assert (log.kind, log.judges, log.people) == ("mlflow", ("right",), ("human_1", "human_2"))
    assert log.frame.select("system", "item", "right", "human_1", "human_2").row(0) == ("traces", "q1", 1, 1, 0)
    log = read_logs(write(tmp_path / "scores.csv", made.LANGFUSE))
    assert (log.kind, log.judges) == ("langfuse", ("judge",))
    assert log.frame.select("system", "item", "judge", "human").row(0) == ("run-a", "t1", 1, 0)
    log = read_logs(write(tmp_path / "annotations.jsonl", made.PHOENIX))
    assert (log.kind, log.judges) == ("phoenix", ("judge",))
    assert log.frame.select("item", "judge", "human").row(0) == ("s1", 0.9, 1)


def test_people_who_answer_several_questions_keep_their_names(tmp_path):
    said = [
        {"assessment_name": name, "source": {"source_type": kind}, "feedback": {"value": value}}
        for name, kind, value in (("right", "LLM_JUDGE", 1), ("right", "HUMAN", 0), ("kind", "HUMAN", 1))
    ]
    log = read_logs(write(tmp_path / "t.jsonl", [{"info": {**made.TRACE["info"], "assessments": said}}]))
    assert log.people == ("human right", "kind")
    assert log.frame.select("right", "human right", "kind").row(0) == (1, 0, 1)
    with pytest.raises(
        DataError, match=r"people rated several things: `human right`, `kind`\. Hint: choose with human="
    ):
        read_table(tmp_path / "t.jsonl")
    assert read_table(tmp_path / "t.jsonl", human="kind").systems["t"].n_human == 1


def test_an_output_that_failed_has_no_ratings_though_the_judge_gave_some(tmp_path):
    failed = {**made.TRACE, "info": {**made.TRACE["info"], "state": "ERROR"}}
    other = {**made.TRACE, "info": {**made.TRACE["info"], "tags": {"item": "q2"}}}
    log = read_logs(write(tmp_path / "traces.jsonl", [failed, other]))
    assert by_item(log, "right") == {"q1": None, "q2": 1}
    assert log.facts == {("failed", ""): 1}


def test_simple_ones(tmp_path):
    log = read_logs(write(tmp_path / "test_run.json", made.DEEPEVAL))
    assert (log.kind, log.judges, by_item(log, "G")) == ("deepeval", ("G",), {"q1": 0.7, "q2": None})
    assert log.facts == {("judge failed", "G"): 1}
    log = read_logs(write(tmp_path / "annotations.json", made.ALPACA))
    assert (log.kind, log.judges) == ("alpaca-eval", ("j",))
    assert log.frame["j"].to_list() == [0, 1, 0.5, 0.5, None, 0.25]
    log = read_logs(write(tmp_path / "run.jsonl", made.OPENAI))
    assert (log.kind, log.judges, by_item(log, "score")) == (
        "openai-evals",
        ("score",),
        {"qa.dev.0": 1, "qa.dev.1": None},
    )
    log = read_logs(write(tmp_path / "alpha.csv", made.RAGAS))
    assert (log.kind, log.scores, by_item(log, "faithful")) == ("ragas", ("faithful",), {"q1": 0.5, "q2": None})
    assert log.frame["system"][0] == "alpha"


def test_mt_bench(tmp_path):
    log = read_logs(write(tmp_path / "gpt_single.jsonl", made.SINGLE))
    assert ready(log.frame).select("item", "cluster", "gpt").rows() == [("1@1", "1", 9), ("1@2", "1", None)]
    pairs = [write(tmp_path / "gpt_pair.jsonl", made.JUDGED), write(tmp_path / "votes.jsonl", made.VOTES)]
    log = read_logs(pairs)
    assert (log.pairs, log.judges, log.people) == (True, ("gpt",), ("human",))
    assert log.facts == {("no verdict", "gpt"): 1}
    with pytest.raises(DataError, match="pairs of outputs, others single outputs"):
        read_logs([tmp_path / "gpt_single.jsonl", pairs[0]])


def test_mt_metrics_eval(tmp_path):
    log = read_logs(made.mt_metrics(tmp_path / "wmt"))
    assert (log.kind, log.scores, log.people) == ("mt-metrics-eval", ("bleu", "judge"), ("human",))
    columns = "system", "task", "item", "document", "output", "judge", "human"
    assert log.frame.select(columns).rows() == [
        ("A", "en-de", "1", "news d1", "eins", 0.9, 0),
        ("A", "en-de", "2", "news d2", "zwo", 0.1, -5),
    ]
    (tmp_path / "wmt" / "metric-scores" / "en-de" / "judge-src.seg.score").write_text("A 1 2\n")
    with pytest.raises(DataError, match=r"line 1: must hold a system and a score"):
        read_logs(tmp_path / "wmt")


def test_items_that_ask_something_else_are_told(tmp_path):
    paths = []
    for name in "xy":
        members = inspect_members([sample("a", scores={"includes": 1}, input=f"question of {name}")], model=name)
        paths.append(write(tmp_path / f"{name}.eval", zipped(members)))
    log = read_logs(paths)
    assert log.facts == {("inputs", ""): 1}
    assert next(sentences(log)).startswith("1 item is not the same question")


def test_scores_called_like_other_columns_are_renamed(tmp_path):
    entries = [graded("A", "q1", component("llm-rubric", 1.0, "label"), component("contains", 1.0, "task"))]
    log = read_logs(write(tmp_path / "r.jsonl", entries))
    assert (log.scores, log.judges) == (("label score", "task score"), ("label score",))


def test_damaged_logs_are_refused_on_one_line(tmp_path):
    good = zipped(inspect_members([sample("a", scores={"includes": 1})]))
    cases = {
        "cut.eval": good[: len(good) // 2],
        "empty.eval": b"",
        "text.eval": b"hello",
        "other.eval": zipped({"a.txt": b"x"}),
        "broken.eval": zipped({"header.json": b"{"}),
        "nothing.eval": zipped({"header.json": json.dumps(header()).encode()}),
        "nameless.eval": zipped({"header.json": b'{"eval": []}'}),
    }
    for name, content in cases.items():
        with pytest.raises(DataError, match=r"\. Hint: ") as caught:
            read_logs(write(tmp_path / name, content))
        assert "\n" not in str(caught.value)
        assert name in str(caught.value)


@pytest.mark.parametrize("method", [made.DEFLATED, made.ZSTANDARD])
def test_bombs_are_not_unpacked(tmp_path, monkeypatch, method):
    monkeypatch.setattr("tellapart.data.logs.archive.MOST_UNPACKED", 1_000_000)
    bomb = b'"' + b" " * 5_000_000 + b'"'
    honest, liar = zipped({"header.json": bomb}, method), zipped({"header.json": bomb}, method, size=1000)
    for name, content in (("honest.eval", honest), ("liar.eval", liar)):
        with pytest.raises(DataError, match=r"header\.json (says it|may unpack|cannot be unpacked)"):
            read_logs(write(tmp_path / name, content))


def test_what_logs_unpack_to_together_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("tellapart.data.logs.archive.MOST_IN_ALL", 1000)
    samples = [sample(k, scores={"includes": 1}) for k in range(20)]
    with pytest.raises(DataError, match="unpacks to more than 1,000 bytes"):
        read_logs(write(tmp_path / "a.eval", zipped(inspect_members(samples))))


def test_what_is_no_log(tmp_path):
    table = write(tmp_path / "ratings.csv", "system,item,human\nA,1,1\n")
    with pytest.raises(DataError, match="is not a log of a known format"):
        read_logs(table)
    with pytest.raises(DataError, match="it is a directory without a log of a known format"):
        read_logs(tmp_path)
    with pytest.raises(DataError, match="no file has that name"):
        read_logs(str(tmp_path / "*.eval"))
    with pytest.raises(InvalidInput, match="be one of inspect, promptfoo"):
        read_logs(table, "excel")
    for each in FORMATS:
        with pytest.raises(DataError, match=r"\. Hint: "):
            read_logs(write(tmp_path / "any.txt", "hello\n"), each.name)


def test_patterns_and_folders_are_looked_through(tmp_path):
    for name in "xy":
        members = inspect_members([sample("a", scores={"includes": 1})], model=name)
        write(tmp_path / "logs" / f"{name}.eval", zipped(members))
    write(tmp_path / "logs" / "notes.json", {"no": "log"})
    for paths in (tmp_path / "logs", str(tmp_path / "logs" / "*.eval"), [tmp_path]):
        assert set(read_logs(paths).frame["system"]) == {"x", "y"}
