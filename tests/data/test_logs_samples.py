"""Real logs of each harness, with planted errors and gaps, where they are at hand: the numbers were counted by hand."""

import json
from pathlib import Path

import polars as pl
import pytest

from command_line import run
from tellapart import read_ratings
from tellapart.data.logs.merge import ready
from tellapart.data.logs.registry import read_logs
from tellapart.data.tables import read_table

LOGS = Path(__file__).parents[3] / "shared" / "data" / "logs"
pytestmark = pytest.mark.skipif(not LOGS.is_dir(), reason="the sample logs are not here")

# What people said of the twelve questions, in all harnesses.
PEOPLE = {"alpha": [1, 1, 1, 1, 1, 1, 1, 0, 1, None, 1, None], "beta": [1, 0, 1, 0, 1, 0, 1, 0, 1, None, 0, None]}


def column(log, score, system, **where):
    rows = log.frame.filter(pl.col("system").str.contains(system), *(pl.col(k) == v for k, v in where.items()))
    return rows.sort("item")[score].to_list()


@pytest.mark.parametrize("folder", ["judge", "human", "json"])
def test_inspect(folder):
    log = read_logs(LOGS / "inspect" / folder)
    assert log.frame.height == 48
    assert log.judges == ("model_graded_qa",)
    assert log.facts["failed", ""] == 1  # beta q12, epoch 1
    assert log.facts["judge failed", "model_graded_qa"] == 1  # beta q06, epoch 2
    assert log.frame["model_graded_qa"].null_count() == 2
    if folder != "json":
        third = log.frame.filter((pl.col("item") == "q03") & (pl.col("epoch") == 1))
        assert third["model_graded_qa"].to_list() == [0.5, 0.5]  # overruled in human/, the judge's own is kept
    if folder == "human":
        assert log.facts["overruled", "model_graded_qa"] == 2
        for system, ratings in PEOPLE.items():
            assert column(log, "human", system, epoch=1) == ratings
            assert column(log, "human", system, epoch=2) == [None] * 12


def test_inspect_scores_are_those_that_inspect_reports():
    # accuracy as Inspect reports it: mean over items of the mean over epochs, missing scores left out
    log = read_logs(LOGS / "inspect" / "json" / "alpha.json")
    reported = {
        s["name"]: s["metrics"]["accuracy"]["value"] for s in _results(LOGS / "inspect" / "json" / "alpha.json")
    }
    for score in ("includes", "model_graded_qa"):
        means = log.frame.group_by("item").agg(pl.col(score).mean())
        assert means[score].mean() == pytest.approx(reported[score], abs=1e-12)


def _results(path):
    scores = json.loads(path.read_text())["results"]["scores"]
    return [score for score in scores if "accuracy" in score["metrics"]]


def test_inspect_with_labels_from_a_table_is_inspect_with_labels_in_the_log():
    joined = read_ratings(LOGS / "inspect" / "judge", labels=LOGS / "inspect" / "human.csv")
    within = read_ratings(LOGS / "inspect" / "human")
    assert {name: str(e) for name, e in joined.systems.items()} == {name: str(e) for name, e in within.systems.items()}


def test_promptfoo():
    log = read_logs(LOGS / "promptfoo" / "rated.json")
    assert (log.judges, log.people, log.facts) == (("judge",), ("human",), {("failed", ""): 1})
    assert column(log, "judge", "beta") == [1, 1, 0.5, 0, 1, 0, 1, 0, 1, 0.5, 0, None]
    for system, ratings in PEOPLE.items():
        assert column(log, "human", system) == ratings
    table = read_logs(LOGS / "promptfoo" / "rated.csv")
    for score in ("includes", "judge", "human"):
        for system in PEOPLE:
            assert column(table, score, system) == column(log, score, system)
    unrated, lines = (read_logs(LOGS / "promptfoo" / f"results.{kind}") for kind in ("json", "jsonl"))
    assert unrated.people == ()
    assert unrated.frame.equals(lines.frame)


def test_lm_eval():
    log = read_logs(LOGS / "lm-eval")
    assert log.scores == ("acc", "acc_norm", "exact_match@strict-match", "exact_match@flexible-extract")
    assert set(log.frame["system"]) == {"toy/alpha", "toy/beta"}
    alpha = log.frame.filter(pl.col("system") == "toy/alpha")
    means = alpha.group_by("task").agg(pl.col(*log.scores).mean()).sort("task")
    assert means.row(0) == pytest.approx(("toy_mc", 10 / 12, 5 / 12, None, None))
    assert means.row(1) == pytest.approx(("toy_qa", None, None, 8 / 12, 7 / 12))
    rated = read_table(LOGS / "lm-eval", labels=LOGS / "lm-eval" / "human.csv", metric="exact_match@strict-match")
    assert {name: e.n_human for name, e in rated.systems.items()} == {"toy/alpha": 10, "toy/beta": 10}


def test_mlflow():
    log = read_logs([LOGS / "mlflow" / f"{system}_traces.jsonl" for system in ("alpha", "beta")])
    assert (log.judges, log.people) == (("correctness",), ("human",))
    assert log.facts == {("failed", ""): 1, ("judge failed", "correctness"): 1, ("unreadable", "correctness"): 4}
    for system, ratings in PEOPLE.items():
        assert column(log, "human", system) == ratings
    assert column(log, "correctness", "beta") == [1, 1, None, 0, 1, None, 1, 0, 1, None, 0, None]
    table = read_logs([LOGS / "mlflow" / f"{system}_result_df.csv" for system in ("alpha", "beta")])
    assert table.facts == log.facts
    for score in ("correctness", "includes"):
        assert column(table, score, "beta") == column(log, score, "beta")


def test_deepeval_and_alpaca_eval():
    log = read_logs(LOGS / "deepeval")
    judge = "Correctness [GEval]"
    assert log.facts == {("judge failed", judge): 1, ("judge failed", "Includes"): 1}  # beta q12 and q05
    assert column(log, judge, "beta") == [1, 1, 0.5, 0, 1, 0, 1, 0, 1, 0.5, 0, None]
    assert log.judges == (judge,)
    log = read_logs(LOGS / "alpaca-eval")
    assert log.frame.filter(pl.col("system") == "beta")["toy_judge"].to_list() == [
        1,
        1,
        0.5,
        0,
        1,
        0,
        1,
        0,
        0,
        0.5,
        None,
        0.5,
    ]


def test_mt_bench():
    single = read_logs(LOGS / "mt-bench" / "model_judgment" / "gpt-4_single.jsonl")
    assert column(single, "gpt-4", "beta") == [9, 9, 6, 2, 9, 2, 9, 2, 2, 6, None, 2]
    pair, votes = LOGS / "mt-bench" / "model_judgment" / "gpt-4_pair.jsonl", LOGS / "mt-bench" / "human_judgments.jsonl"
    table = read_table([pair, votes])
    # 10 questions were voted on, one of these (91) without a verdict; 90 and 92 were judged only
    assert (table.pairs["alpha", "beta"].n_human, table.pairs["alpha", "beta"].n_metric) == (10, 2)
    assert table.position.flips.positive == 1  # of question 87, the orders contradict each other
    assert read_table(LOGS / "mt-bench" / "arena_battles.jsonl").pairs["alpha", "beta"].n_human == 12


def test_mt_metrics_eval():
    log = read_logs(LOGS / "mt-metrics-eval" / "toy24")
    assert set(log.frame["system"]) == {"alpha", "beta"}  # refA is a reference
    assert log.frame.filter(pl.col("system") == "beta")["human"].to_list() == [
        0,
        -5,
        0,
        -5,
        0,
        -5,
        0,
        -5,
        0,
        None,
        -5,
        None,
    ]
    assert log.frame["document"].n_unique() > 1
    assert log.frame["task"].unique().to_list() == ["en-de"]


@pytest.mark.parametrize(
    ("paths", "rows"),
    [
        (["inspect/human"], 48),
        (["inspect/json/alpha.json", "inspect/json/beta.json"], 48),
        (["promptfoo/rated.csv"], 24),
        (["lm-eval/toy__alpha", "lm-eval/toy__beta"], 72),
        (["mlflow/alpha_traces.jsonl"], 12),
        (["deepeval/*.json"], 24),
        (["alpaca-eval"], 24),
        (["mt-bench/model_judgment/gpt-4_single.jsonl"], 24),
        (["mt-metrics-eval/toy24"], 24),
    ],
)
def test_what_is_converted_is_read_again(tmp_path, paths, rows):
    output = tmp_path / "ratings.csv"
    answer = run("convert", *(str(LOGS / path) for path in paths), "-o", str(output))
    assert answer.code == 0, answer.err
    written = pl.read_csv(output, infer_schema_length=None)
    assert written.height == rows
    own = ready(read_logs([str(LOGS / path) for path in paths]).frame)
    assert written.columns == own.columns
    assert written.select("system", "item").n_unique() == rows
