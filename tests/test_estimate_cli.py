"""Estimates of the systems of a file, rows and columns chosen on the command line, and what many systems cost."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import tellapart as ta
from command_line import processor_time_below, program, run


@pytest.fixture
def ratings(tmp_path):
    rows = [("A", f"q{i}", i % 3 % 2, (i + i // 7) % 2, ["de", "fr"][i % 2]) for i in range(60)]
    rows += [("B", f"q{i}", i % 2 if i < 30 else "", i % 2, ["de", "fr"][i % 2]) for i in range(60)]
    path = tmp_path / "ratings.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("system", "item", "human", "judge", "language"), *rows])
    return path


def test_each_system_of_a_file_is_estimated_by_itself(ratings):
    answer = run("estimate", str(ratings), "--format", "json")
    assert answer.code == 0
    expected = ta.read_ratings(ratings).estimate()
    assert answer.json == json.loads(json.dumps(expected.to_dict()))
    for name, evidence in ta.read_ratings(ratings).systems.items():
        assert answer.json["systems"][name]["mean"] == pytest.approx(ta.Estimate(evidence.merged()).mean)
    shown = run("estimate", str(ratings))
    assert shown.text.startswith("Each system by itself, with 95% probability: A ")
    assert expected.signature in shown.text
    assert "compared" not in shown.err
    rows = list(csv.DictReader(io.StringIO(run("estimate", str(ratings), "--format", "csv").out)))
    assert [row["system"] for row in rows] == ["A", "B"]


def test_one_system_of_a_file_is_said_in_a_sentence(ratings):
    shown = run("estimate", str(ratings), "--where", "system == 'A'", "--metric", "none", "--human", "human")
    assert shown.text.startswith("A: The system's rate of adequate outputs is ")
    assert "Kept 60 of 120 rows, those where system == 'A'." in " ".join(shown.err.split())
    assert "No metric is used, as asked" in shown.err


def test_many_systems_are_summed_up():
    systems = {f"s{i}": ta.Evidence.of((i, 20)) for i in range(1, 9)}
    said = str(ta.Ratings(systems).estimate())
    assert said.startswith("8 systems, each by itself: from 9.1% (s1) to 40.9% (s8).")


def test_a_system_that_cannot_be_relied_on_is_told():
    odd = ta.Evidence.of((10, 100), calibration=ta.Confusion(tp=95, fn=5, tn=95, fp=5), metric=(900, 1000))
    both = ta.Ratings({"odd": odd, "fine": ta.Evidence.of((50, 100))}).estimate()
    assert "(cannot be relied on: human and metric ratings conflict)" in str(both)
    assert both.warnings
    assert "More cannot be relied on" in str(ta.Ratings({"odd": odd}).estimate())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--calibration", "tp=1,fn=1,tn=1,fp=1"), "`--calibration` must be left out where a file is read"),
        (("--tpr", ".7"), "`--tpr` must be left out where a file is read"),
        (("--where", "lang == 'de'"), "no column `lang` for where"),
        (("--where", "language = 'de'"), "`where` must be comparisons of a column with a value"),
        (("--metric", "bleurt"), "no column 'bleurt'"),
    ],
)
def test_what_does_not_go_with_a_file_is_refused(ratings, arguments, said):
    answer = run("estimate", str(ratings), *arguments)
    assert answer.code in {1, 2}
    assert said in answer.err
    assert len(answer.err.splitlines()) == 1


@pytest.mark.parametrize("option", [("--system", "s"), ("--where", "a == 1"), ("--human", "1/2", "--human", "1/3")])
def test_what_does_not_go_with_counts_is_refused(option):
    answer = run("estimate", "--human", "60/100", *option)
    assert answer.code == 2
    assert option[0] in answer.err


def test_a_file_of_pairs_is_sent_to_compare(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("system_a,system_b,item,winner\nA,B,1,a\n", encoding="utf-8")
    assert "tellapart compare reads pairs" in run("estimate", str(path)).err


@pytest.mark.parametrize("command", [("compare",), ("metrics",), ("threshold", "--score", "judge")])
def test_rows_are_chosen_wherever_ratings_are_read(ratings, command):
    name, *options = command
    answer = run(name, str(ratings), *options, "--where", "language in ('de',) and system != ''")
    assert answer.code == 0
    assert "Kept 60 of 120 rows" in " ".join(answer.err.split())


def test_details_show_what_is_left_out_otherwise(ratings):
    short, full = (run("compare", str(ratings), *options).text for options in ((), ("--details",)))
    assert "The metric: how it errs" not in short
    assert "The metric: how it errs" in full
    assert "Differences, first − second" in full


def test_the_order_is_verdict_groups_rates_cautions_next(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text(
        "system,human_pos,human_n\nA,30,60\nB,0,60\nC,28,60\n",
        encoding="utf-8",
    )
    text = run("compare", str(path)).text
    places = [text.index(word) for word in ("can be told apart.", "Groups", "Rates", "Caution:", "Next:", "tellapart ")]
    assert places == sorted(places)


def test_two_hundred_systems_are_compared_in_seconds(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "many.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["system", "item", "human", "judge"])
        for s, rate in enumerate(rng.uniform(0.3, 0.8, 200)):
            truth = rng.random(100) < rate
            judge = rng.random(100) < np.where(truth, 0.8, 0.25)
            writer.writerows((f"s{s}", i, int(truth[i]) if i < 50 else "", int(judge[i])) for i in range(100))
    with processor_time_below(60):
        answer = program("compare", str(path))
    assert answer.code == 0
    assert "of 19,900 pairs can be told apart" in answer.text or "Set aside" in answer.text
    assert "best first: ranks 1 to " in answer.text
