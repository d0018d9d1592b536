"""From a ratings file to the verdict, as a user runs it."""

import csv
import io
import json
import re
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import tellapart as ta
from command_line import program, run
from tellapart import charts, render, reporting
from tellapart.analysis.comparison import Comparison
from tellapart.analysis.threshold import ThresholdRule

EXAMPLE = files("tellapart").joinpath("data/example.csv")
SHARED = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Three systems of the example, fewer items: quick to compare."""
    rows = list(csv.reader(io.StringIO(EXAMPLE.read_text(encoding="utf-8"))))
    kept = [row for row in rows[1:] if row[0] in {"aurora", "basalt", "gale"} and row[1] < "q0400"]
    path = tmp_path_factory.mktemp("ratings") / "ratings.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([rows[0], *kept])
    return path


@pytest.fixture(scope="module")
def comparison(small):
    return ta.read_ratings(small, metric="score").compare()


def test_the_example_is_what_its_script_makes():
    script = Path(__file__).parents[1] / "examples" / "make_ratings.py"
    done = program_of(script)
    assert done == EXAMPLE.read_text(encoding="utf-8")


def program_of(script):
    import subprocess  # noqa: PLC0415
    import sys  # noqa: PLC0415

    done = subprocess.run([sys.executable, str(script)], capture_output=True, check=True, timeout=300)  # noqa: S603
    return done.stdout.decode()


def test_compare_says_what_it_understood_and_answers(small):
    answer = run("compare", str(small))
    assert answer.code == 0
    said = " ".join(answer.err.split())
    assert "system = `system`, item = `item`, human = `human`" in said
    assert "Metric `judge`: a verdict" in said
    assert "Might be metrics too, not used: `score`" in said
    for words in ("human only", "extra", "P(best)", "ranks", "Differences", "aurora", f"tellapart {ta.__version__}"):
        assert words in answer.out
    assert answer.text.index("pairs can be told apart") < answer.text.index("Rates of adequate outputs")


def test_json_is_the_result_of_the_library(small):
    value = run("compare", str(small), "--format", "json").json
    assert value == json.loads(json.dumps(ta.read_ratings(small).compare().to_dict()))
    assert value.keys() >= {"ranking", "groups", "standings", "needed", "understood", "thresholds", "doubtful"}
    assert all(system["human_only"] and system["metric_quality"] for system in value["systems"].values())


def test_standard_input_and_jsonl_give_the_same_counts(small, tmp_path):
    rows = list(csv.DictReader(io.StringIO(small.read_text(encoding="utf-8"))))
    path = tmp_path / "ratings.jsonl"
    values = [{k: (None if v == "" else v) for k, v in row.items()} for row in rows]
    path.write_text("\n".join(map(json.dumps, values)), encoding="utf-8")
    expected = run("compare", str(small), "--format", "json").json["signature"]
    assert run("compare", "-", "--format", "json", stdin=small.read_bytes()).json["signature"] == expected
    assert run("compare", str(path), "--format", "json").json["signature"] == expected


def test_a_score_is_cut_and_the_cut_is_in_the_signature(small):
    value = run("compare", str(small), "--metric", "score", "--threshold", "worth", "--format", "json").json
    assert "score: passed if above the cut" in value["provenance"]
    assert value["thresholds"][0]["rule"] == "worth"
    assert (
        run("compare", str(small), "--metric", "score", "--threshold", "0.5", "--format", "json").json["thresholds"][0][
            "folds"
        ]
        == 1
    )


def test_threshold_shows_cut_rates_worth_and_auc(small, tmp_path):
    chart = tmp_path / "roc.svg"
    answer = run("threshold", str(small), "--score", "score", "--rule", "youden", "--plot", str(chart))
    assert answer.code == 0
    for words in ("cut", "tpr", "tnr", "worth", "AUC", "aurora"):
        assert words in answer.out
    assert chart.read_text(encoding="utf-8").startswith("<svg")
    value = run("threshold", str(small), "--score", "score", "--rule", "youden", "--format", "json").json
    assert value == json.loads(json.dumps(ta.threshold(small, "score", cut="youden").to_dict()))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--metric", "blue"), "no column 'blue'"),
        (("--threshold", "best"), "'best'"),
        (("--folds", "0"), "0"),
        (("--report", "report.pdf"), "report.pdf"),
        (("--report", "nowhere/report.html"), "folder"),
        (("--plot", "nowhere/rates.svg"), "folder"),
        (("--human", "judge", "--metric", "judge"), "two roles"),
    ],
)
def test_bad_choices_are_one_line(small, arguments, said):
    answer = run("compare", str(small), *arguments)
    assert answer.code in {1, 2}
    assert answer.out == ""
    assert answer.err.startswith("Error: ")
    assert answer.err.count("\n") == 1
    assert said in answer.err


def test_a_column_that_may_name_the_systems_is_offered(tmp_path):
    """Two prompts, each with every question: no column is called as systems are, and the file is no one system."""
    path = tmp_path / "two.csv"
    rows = [
        f"{prompt},{i % 7},q{i},{i % 2},{style}" for i in range(30) for prompt, style in (("old", "x"), ("new", "x"))
    ]
    path.write_text("\n".join(["prompt,length,question,human,style", *rows]), encoding="utf-8")
    answer = run("compare", str(path))
    assert (
        "question 'q0' appears more than once. Hint: if `prompt` names the systems, say --system prompt" in answer.err
    )
    assert "annotator" not in answer.err
    assert run("compare", str(path), "--system", "prompt").code == 0
    path.write_text("\n".join(["length,question,human", *(f"3,q{i % 9},1" for i in range(30))]), encoding="utf-8")
    assert "--annotator" in run("compare", str(path)).err  # nothing else tells them apart


def test_systems_that_no_column_names_are_not_said_to_have_one(tmp_path):
    paths = [tmp_path / f"{name}.csv" for name in ("old", "new", "both")]
    rows = [f"q{i},{i % 2},{i % 3 % 2}" for i in range(30)]
    for path in paths[:2]:
        path.write_text("\n".join(["item,human,judge", *rows]), encoding="utf-8")
    paths[2].write_text("\n".join(["item,human,judge,system", *(f"{row},third" for row in rows)]), encoding="utf-8")
    one, two, mixed = (
        " ".join(run("compare", *map(str, each)).err.split()) for each in (paths[:1], paths[:2], paths[1:])
    )
    assert "system =" not in one + two
    assert "No column names the system: it is called as its file, 'old'." in one
    assert "No column names the systems: they are called as their files, 'old', 'new'." in two
    assert "system = `system`" in mixed
    assert "Where no column names the systems, they are called as their files: 'new'." in mixed
    assert "system =" not in run("metrics", str(paths[0])).err
    assert ta.metrics(paths[0], name="mine").understood[0].startswith("Read mine: ")


def test_a_cut_needs_ratings_that_are_cut(tmp_path):
    path = tmp_path / "likert.csv"
    rows = [f"{s},{i},{1 + i % 5},{1 + i * 7 % 5}" for s in "AB" for i in range(60)]
    path.write_text("\n".join(["system,item,human,score", *rows]), encoding="utf-8")
    for command in (("threshold", "--score"), ("compare", "--own-cuts", "--metric")):
        answer = run(command[0], str(path), *command[1:], "score")
        assert "`human_cut` is missing: it must be given where people rate on a scale" in answer.err
        assert "equal" not in answer.err
    assert run("threshold", str(path), "--score", "score", "--human-cut", "4").code == 0


def test_pairs_are_named_where_ratings_are_wanted(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("item,system_a,system_b,human\n" + "\n".join(f"{i},x,y,win" for i in range(9)), encoding="utf-8")
    for arguments in (("metrics", str(path)), ("compare", str(path), "--by", "item")):
        answer = run(*arguments)
        assert (answer.code, answer.out) == (1, "")
        assert "pairs.csv: holds pairs of outputs, not one output in each row" in answer.err
        assert "no column" not in answer.err


def test_the_likeliest_column_is_the_metric(tmp_path):
    """Not one that exists only where people rated, nor a length."""
    path = tmp_path / "ratings.csv"
    rows = [
        f"{s},{i},{i % 2 if i < 30 else ''},{i % 7 if i < 30 else ''},{i},{(i * 7) % 10 / 10}"
        for s in "AB"
        for i in range(60)
    ]
    path.write_text("system,item,human,mqm,num_tokens,bertscore\n" + "\n".join(rows), encoding="utf-8")
    assert ta.read_ratings(path).roles.metrics == ("bertscore",)
    assert ta.read_ratings(path).roles.others == ("mqm", "num_tokens")


def test_a_score_with_one_bad_cell_is_told_not_dropped(tmp_path):
    path = tmp_path / "ratings.csv"
    rows = [f"{s},{i},{i % 2},{'error' if (s, i) == ('B', 3) else i / 20}" for s in "AB" for i in range(20)]
    path.write_text("system,item,human,score\n" + "\n".join(rows), encoding="utf-8")
    answer = run("compare", str(path))
    assert answer.code == 1
    assert "column `score`: 1 of 40 cells" in answer.err
    assert "in line 25: 'error'" in answer.err
    assert "'error'" in answer.err


def test_cautions_accompany_csv(tmp_path):
    rows = ["system,item,human", *(f"{s},{i},1" for s in "AB" for i in range(20))]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    answer = run("compare", str(path), "--format", "csv")
    assert "Caution: " in answer.err
    assert "Caution" not in answer.out


@pytest.mark.parametrize("output_format", ["table", "json", "csv", "markdown", "latex"])
def test_one_system_alone_is_estimated(tmp_path, output_format):
    path, page = tmp_path / "one.csv", tmp_path / "one.html"
    path.write_text("system,item,human\nA,1,1\nA,2,0\n", encoding="utf-8")
    answer = run("compare", str(path), "--format", output_format, "--report", str(page))
    assert answer.code == 0
    assert "0.5" in answer.out or "0.49999" in answer.out
    assert "2 outputs of 1 system;" in " ".join(answer.err.split())
    assert "<h1>How good is this system?</h1>" in page.read_text(encoding="utf-8")
    assert "told apart" not in page.read_text(encoding="utf-8").partition("Method")[0]


class Page(HTMLParser):
    """Collects what a page would load, and its headings."""

    def __init__(self):
        super().__init__()
        self.loads, self.headings, self.scripts, self._heading = [], [], 0, False

    def handle_starttag(self, tag, attributes):
        self.loads += [value for name, value in attributes if name in {"src", "href", "xlink:href"} and value]
        self.scripts += tag == "script"
        self._heading = tag in {"h1", "h2"}

    def handle_data(self, data):
        if self._heading:
            self.headings.append(data)
            self._heading = False


def test_report_is_one_file_that_loads_nothing(comparison):
    page = Page()
    text = reporting.html(comparison)
    page.feed(text)
    assert (page.loads, page.scripts) == ([], 0)
    assert not re.search(r"url\(|@import", text)
    assert page.headings[:3] == [
        "Can these systems be told apart?",
        "How good is each system?",
        "What should be distrusted",
    ]
    assert {"Which can be told apart?", "How does the metric err?", "Method", "Signature"} <= set(page.headings)
    assert text.index(str(comparison)) < text.index("<svg")
    assert text.count("<figure>") == 6  # rates, matrix, ladder, densities, calibration, ROC
    assert text.count("<svg") == 11  # all but the matrix also as narrow as a phone
    assert "prefers-color-scheme: dark" in text


def test_report_shows_names_as_text():
    systems = {"<script>alert(1)</script>": ta.Evidence.of((5, 9)), "B&C": ta.Evidence.of((3, 9))}
    text = reporting.html(ta.compare(systems))
    assert "<script>" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_report_is_written_where_asked(small, tmp_path):
    path = tmp_path / "report.html"
    answer = run("compare", str(small), "--report", str(path), "--format", "json")
    assert answer.code == 0
    assert f"Report written to {path}" in answer.err.replace("\n", "")
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_markdown_and_latex_are_tables(small):
    markdown = run("compare", str(small), "--format", "markdown").out
    assert "| system | rate |" in markdown
    assert "| :--- | ---: |" in markdown
    latex = run("compare", str(small), "--format", "latex", "--details").out  # systems, pairs, the metric, the ladder
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 4
    assert r"95\% interval" in latex
    outside = re.sub(r"\\begin\{table\}.*?\\end\{table\}", "", latex, flags=re.DOTALL)
    assert all(line.startswith("%") for line in outside.splitlines() if line)


def test_special_letters_are_escaped():
    sheet = render.Sheet("a_b & 50%", ("x|y", "z"), (("{#}", "~^\\"),))
    assert r"x\|y" in render.markdown(sheet)
    for words in (r"a\_b \& 50\%", r"\{\#\}", r"$\sim$\^{}\textbackslash{}"):
        assert words in render.latex(sheet)
    assert "<td>{#}</td>" in render.html(sheet)


def test_results_offer_frames_charts_and_html(comparison):
    pairs, systems = comparison.to_frame(), comparison.to_frame("systems")
    assert pairs["probability_first_better"].to_list() == [pair.probability for pair in comparison.pairs]
    assert systems["system"].to_list() == list(comparison.ranking)
    assert systems["mean"].to_list() == [comparison.marginal(name).mean for name in comparison.ranking]
    assert systems["alone_mean"].to_list() == [comparison.estimates[name].mean for name in comparison.ranking]
    with pytest.raises(ta.InvalidInput, match="pairs or systems"):
        comparison.to_frame("all")
    estimate = comparison.estimates[comparison.ranking[0]]
    for result in (comparison, estimate, comparison.thresholds[0]):
        assert result.plot().to_dict()["$schema"]
        assert "<table>" in result._repr_html_()
        assert result.signature.split(" | ")[0] in result._repr_html_()
        assert len(result.to_frame()) >= 1


def test_the_matrix_chart_has_both_halves(comparison):
    found = {(row["row"], row["column"]): row["p"] for row in charts.matrix(comparison).to_dict()["datasets"]["pairs"]}
    assert len(found) == 6
    assert all(p + found[b, a] == pytest.approx(1) for (a, b), p in found.items())


def test_roc_ends_in_both_corners(comparison):
    rows = charts.roc(comparison.thresholds[0]).to_dict()["datasets"]["curves"]
    curve = [row for row in rows if row["system"] == "aurora"]
    assert (curve[0]["fpr"], curve[0]["tpr"]) == (1, 1)
    assert (curve[-1]["fpr"], curve[-1]["tpr"]) == (0, 0)


def test_a_name_that_vega_cannot_draw_still_gets_a_report():
    result = ta.compare({"constructor": ta.Evidence.of((5, 9)), "B": ta.Evidence.of((3, 9))})
    assert "cannot be drawn with these names" in reporting.html(result)


def test_a_comparison_without_a_metric_has_a_report_too():
    result = ta.compare({"A": ta.Evidence.of((5, 9)), "B": ta.Evidence.of((3, 9))})
    assert charts.calibration(result) is None
    assert "metric" not in {part.about for part in render.sheets(result, everything=True)}
    assert "How does the metric err?" not in reporting.html(result)


def test_demo_prints_the_verdict_and_the_path_of_the_report(tmp_path):
    path = tmp_path / "demo.html"
    answer = program("demo", "--report", str(path), timeout=300)
    assert answer.code == 0
    assert "can be told apart" in answer.out
    assert str(path) in answer.err.replace("\n", "")


real = pytest.mark.skipif(not SHARED.is_dir(), reason="needs real ratings, which are not part of the project")


@real
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ratings_wmt21_ende", {"item": "segment", "metric": "bleu"}),
        ("ratings_openqa_nq", {"metric": "em"}),
        ("ratings_openqa_nq", {"human": ("annotator1", "annotator2", "annotator3"), "metric": ("em", "contains")}),
        ("ratings_frank", {"metric": "factcc"}),
    ],
)
def test_real_ratings_are_compared(name, options):
    result = ta.read_ratings(SHARED / f"{name}.csv", **options).compare()
    assert len(result.pairs) == len(result.ranking) * (len(result.ranking) - 1) // 2
    assert all(0 <= pair.probability <= 1 for pair in result.pairs)


@real
def test_pairwise_votes_are_refused_as_ratings():
    with pytest.raises(ta.DataError, match=r"pairs_mtbench.csv: holds pairs of outputs"):
        ta.read_ratings(SHARED / "pairs_mtbench.csv")


@real
def test_cuts_of_the_published_study():
    found = ta.threshold(
        SHARED / "ratings_wmt21_ende.csv", "bleu", item="segment", cut=ThresholdRule("equal", pooled=False, folds=1)
    ).systems
    assert round(found["Facebook-AI"].tau, 3) == 37.155
    assert found["Facebook-AI"].naive == ta.Confusion(tp=183, fn=170, tn=90, fp=84)
    assert found["HuaweiTSC"].naive == ta.Confusion(tp=153, fn=155, tn=109, fp=110)


@real
def test_missing_labels_and_unequal_error_rates_are_caught():
    result = ta.read_ratings(SHARED / "ratings_openqa_nq.csv", metric="em").compare()
    assert {name for name, caution in result.cautions if caution.code == "missing-labels"} == {"EMDR2", "DPR"}
    result = ta.read_ratings(SHARED / "ratings_frank.csv", metric="factcc", threshold=0.5).compare()
    assert "different-items" in {caution.code for _, caution in result.cautions}
    assert "The systems answered different items, from which a difference may come." in str(result)
    (caution,) = [caution for name, caution in result.cautions if caution.code == "rates-differ"]
    assert "tpr from 0.08 (bbc/PtGen) to 0.99 (cnndm/pgn)" in caution.message


@pytest.mark.parametrize("command", [("compare", "--metric", "judge"), ("threshold", "--score", "score")])
def test_bad_cells_are_told_or_excluded(tmp_path, small, command):
    rows = [row.split(",") for row in small.read_text(encoding="utf-8").splitlines()]
    column = rows[0].index(command[-1])
    spoilt = [[*row[:column], "ERROR", *row[column + 1 :]] if i in {5, 9} else row for i, row in enumerate(rows)]
    path = tmp_path / "spoilt.csv"
    path.write_text("\n".join(map(",".join, spoilt)), encoding="utf-8")
    name, *options = command
    told = run(name, str(path), *options)
    assert told.code == 1
    said = " ".join(told.err.split())
    assert "cells are neither labels nor numbers, the first in line 6: 'ERROR'" in said
    assert "--bad-cells exclude" in said
    answer = run(name, str(path), *options, "--bad-cells", "exclude")
    assert answer.code == 0
    assert f"Excluded from `{command[-1]}`, as not rated: 2 of" in " ".join(answer.err.split())


def scored(tmp_path, *, human=lambda good, _: int(good)):
    """Write ratings of two systems on the same items, with a judge from 1 to 5, a second one and a score."""
    rng = np.random.default_rng(5)
    lines = ["system,item,human,judge,other,score"]
    for system, rate in (("A", 0.75), ("B", 0.55)):
        for i in range(300):
            good = rng.random() < rate
            levels = np.clip(round(rng.normal(3.8 if good else 2.4, 1)), 1, 5)
            rated = human(good, i) if i < 120 else ""
            other = int(rng.random() < (0.8 if good else 0.3))
            lines.append(f"{system},q{i},{rated},{int(levels)},{other},{rng.normal(good, 1):.3f}")
    path = tmp_path / "scored.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def test_levels_pairs_and_several_judges_on_the_command_line(tmp_path):
    path = scored(tmp_path)
    paired = run("compare", path, "--metric", "judge", "--format", "json").json
    assert paired["pairs"][0]["items"] == 120
    assert paired["level_gain"] is not None
    assert paired["systems"]["A"]["evidence"]["levels"] == ["1–2", "3", "4", "5"]  # merged to ten outputs each
    alone = run("compare", path, "--metric", "judge", "--unpaired", "--format", "json").json
    assert alone["pairs"][0]["items"] is None
    bins = run("compare", path, "--metric", "score", "--levels", "4", "--format", "json").json
    assert len(bins["systems"]["A"]["evidence"]["levels"]) == 4
    both = ("compare", path, "--metric", "judge", "--metric", "other")
    assert run(*both, "--format", "json").json["systems"]["A"]["evidence"]["fused"] == []
    fused = run(*both, "--fuse", "sequential", "--format", "json").json
    assert len(fused["systems"]["A"]["evidence"]["fused"]) == 1
    assert "independent-errors" in {caution["code"] for caution in fused["warnings"]}
    shown = run("compare", path, "--metric", "judge", "--details").text
    assert "item by item" in shown
    assert "levels narrow the intervals" in shown or "levels widen the intervals" in shown


@pytest.mark.parametrize(
    ("gain", "said"),
    [
        (0.12, "narrow the intervals by 12%"),
        (-0.02, "widen the intervals by 2%"),
        (0.004, "hardly change the intervals"),
    ],
)
def test_what_levels_gain_is_said_where_it_is_something(tmp_path, monkeypatch, gain, said):
    monkeypatch.setattr(Comparison, "level_gain", gain)
    assert f"levels {said} compared with" in run("compare", scored(tmp_path), "--metric", "judge", "--details").text


def test_people_on_a_scale_on_the_command_line(tmp_path):
    path = scored(tmp_path, human=lambda good, i: (4 if good else 2) + i % 2)
    shown = run("compare", path, "--metric", "judge")
    assert "Mean ratings; extra" in shown.text
    result = run("compare", path, "--metric", "judge", "--format", "json").json
    assert result["systems"]["A"]["measure"] == "mean rating, from 2 to 5"
    rate = run("compare", path, "--metric", "judge", "--human-cut", "4", "--format", "json").json
    assert rate["systems"]["A"]["measure"] == "rate of adequate outputs"
    assert [one["systems"]["A"]["is_rate"] for one in (result, rate)] == [False, True]


@pytest.mark.parametrize("levels", ["1", "33", "many"])
def test_impossible_levels_are_refused(tmp_path, levels):
    answer = run("compare", scored(tmp_path), "--metric", "score", "--levels", levels)
    assert answer.code == 2
    assert "levels" in answer.err
    assert "auto" in answer.err
