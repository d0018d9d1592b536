"""What is shown of results: one layout, drawn for terminal, documents and notebooks."""

from __future__ import annotations

import io
from importlib.resources import files

import pytest
from rich.console import Console

import tellapart as ta
from tellapart import paper, render, report
from tellapart.analysis.simulation import simulate_power

GUESSES = {"rate": 0.6, "tpr": 0.8, "tnr": 0.8}
DESIGN = ta.Design(**GUESSES, n_human=200, n_metric=2000)
RATINGS = ta.read_ratings(files("tellapart").joinpath("data/example.csv").read_bytes(), metric="score")
RESULTS = {
    "comparison": RATINGS.compare(),
    "estimate": ta.estimate(human=(60, 100), metric=(540, 1000), calibration=ta.Confusion(tp=42, fn=18, tn=28, fp=12)),
    "thresholds": RATINGS.thresholds[0],
    "metrics": ta.metrics(files("tellapart").joinpath("data/example.csv").read_bytes()),
    "plan": ta.plan(**GUESSES, n_human=200, n_metric=2000),
    "budget": ta.split_budget(ta.Design(**GUESSES, n_human=0, n_metric=0), ta.Costs(human=1, metric=0.01), 2000),
    "assurance": ta.assurance(DESIGN, 0.1, ranges={"rate": (0.5, 0.7)}),
    "map": ta.difference_map(ta.Axis("n_human", (0, 100, 1000)), ta.Axis("n_metric", (0, 1000, 100_000)), **GUESSES),
    "paper": paper.reproduce_one("introduction"),
}


def drawn(sheet: render.Sheet, width: int = 300) -> list[str]:
    file = io.StringIO()
    Console(file=file, width=width).print(render.rich_table(sheet))
    return [line.rstrip() for line in file.getvalue().splitlines()]


@pytest.mark.parametrize("name", RESULTS)
def test_tables_fit_80_columns_and_lose_nothing(name):
    for sheet in render.sheets(RESULTS[name]):
        if isinstance(sheet, render.Sheet):
            shown = " ".join(drawn(sheet, 80))
            assert all(row[i] in shown for row in sheet.rows for i in range(len(row)) if i not in sheet.left)
            assert "…" not in shown


@pytest.mark.parametrize("number", [2, 8, 11, 14])
def test_a_comparison_of_many_systems_fits_80_columns(number):
    result = ta.compare({f"model-{i}": ta.Evidence.of((30 + 5 * i, 150)) for i in range(number)})
    sheets = [part for part in render.sheets(result) if isinstance(part, render.Sheet)]
    assert max(len(line) for sheet in sheets for line in drawn(sheet)) <= 80


@pytest.mark.parametrize("name", ["comparison", "estimate", "thresholds", "metrics", "plan", "budget", "map"])
def test_a_notebook_shows_the_parts(name):
    page = RESULTS[name]._repr_html_()
    assert all(render.html(part) in page for part in render.sheets(RESULTS[name]))


def test_the_report_shows_every_table_and_need():
    page = report.html(RESULTS["comparison"])
    for part in render.sheets(RESULTS["comparison"], everything=True):
        assert (render.html(part) if part.about != "needed" else render.html(part.text)[3:-4]) in page


def test_a_comparison_in_full_has_all_pairs_needs_and_cuts():
    result = RESULTS["comparison"]
    short, full = render.sheets(result), render.sheets(result, everything=True)
    count = {
        name: sum(part.about == name for part in full) for name in ("systems", "pairs", "groups", "needed", "metric")
    }
    assert count == {"systems": 1, "pairs": 1, "groups": 1, "needed": len(result.needed), "metric": 3}
    (pairs,) = (part for part in full if part.about == "pairs")
    assert len(pairs.rows) == len(result.pairs) == 21
    assert len([part for part in short if part.about == "needed"]) == 3


def test_a_plan_that_is_not_found_has_no_table():
    assert render.sheets(ta.plan(**GUESSES, n_human=10, difference=0.001, power=0.8)) == []


def test_a_simulation_is_a_paragraph():
    result = simulate_power(DESIGN, 0.1, runs=10, n_jobs=1)
    assert list(map(str, render.sheets(result))) == [str(result)]
