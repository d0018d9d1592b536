"""Charts of slices, of runs and of a gate: what they show is what the results say."""

import numpy as np
import polars as pl
import pytest
from scipy import integrate

import tellapart as ta
from command_line import run
from tellapart import charts
from tellapart.data.slicing import slices


def ratings(rate, seed, rated=80, n=240):
    rng = np.random.default_rng(seed)
    good = rng.random(n) < rate
    passed = rng.random(n) < np.where(good, 0.9, 0.15)
    human = [int(value) if k < rated else None for k, value in enumerate(good)]
    columns = {"item": range(n), "human": pl.Series(human, dtype=pl.Int64), "judge": passed.astype(int)}
    return pl.DataFrame(columns)


def sliced(*rates):
    tables = [ratings(rate, 20 + k).with_columns(system=pl.lit(f"s{k}")) for k, rate in enumerate(rates)]
    language = pl.concat_str(pl.lit("l"), pl.col("item") % 3)
    return slices(pl.concat(tables).with_columns(language=language), "language")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for k in range(8):
        ratings(0.85 if k < 5 else 0.3, 50 + k, rated=40).write_csv(folder / f"night-{k}.csv")
    return sorted(map(str, folder.glob("*.csv")))


def rows(chart, name):
    return chart.to_dict()["datasets"][name]


def test_two_systems_are_drawn_by_their_difference_in_each_slice():
    result = sliced(0.9, 0.5)
    shown = {row["slice"]: (row["rate"], row["low"], row["high"]) for row in rows(result.plot(), "rates")}
    assert set(shown) == {"all", "l0", "l1", "l2"}
    for name, (pair,) in {"all": result.overall.pairs, **result.pairs}.items():
        assert shown[name] == (pair.difference, pair.interval.low, pair.interval.high)


def test_a_slice_with_the_name_of_the_whole_is_told_from_it():
    table = ratings(0.8, 3).with_columns(system=pl.lit("s"), kind=pl.when(pl.col("item") < 100).then(pl.lit("all")))
    shown = [row["slice"] for row in rows(slices(table, "kind").plot(), "rates")]
    assert sorted(shown) == ["(empty)", "all", "all slices together"]


def test_one_system_and_several_are_drawn_by_their_rates():
    for result in (sliced(0.7), sliced(0.9, 0.7, 0.5)):
        shown = {(row["slice"], row["system"]): row["rate"] for row in rows(result.plot(), "rates")}
        assert len(shown) == 4 * len(result.overall.ranking)
        for name, own in result.rates.items():
            assert all(shown[name, system] == rate.mean for system, rate in own.items())


def test_runs_are_drawn_with_the_judge_beside_them_and_alarms(runs):
    result = ta.trend(runs, borrow="rates")
    chart = result.plot()
    shown = {(row["run"], row["kind"]): row["rate"] for row in rows(chart, "runs")}
    for name in result.runs:
        assert shown[name, "adequate outputs"] == result.rate(name).mean
        assert shown[name, "passed by the judge"] == result.pass_rate(name).mean
    assert result.alarms
    words = {"judge's pass rate", "people's rate", "judge against people"}
    said = {row["alarm"].removeprefix("alarm: ") for row in rows(chart, "alarms")}
    assert {one for several in said for one in several.split(", ")} <= words
    assert {row["run"] for row in rows(chart, "alarms")} == {alarm.noticed for alarm in result.alarms}
    assert charts.figure(chart).wide.startswith("<svg")


def test_a_gate_is_drawn_with_what_lies_beyond_the_margin(runs):
    result = ta.gate(runs[1], baseline=runs[0], margin=0.02)
    shown = rows(result.plot(), "densities")
    worse = [row for row in shown if row["kind"].startswith("worse by more than 2 points")]
    assert max(row["difference"] for row in worse) == pytest.approx(-0.02)
    assert min(row["difference"] for row in shown if row not in worse) == pytest.approx(-0.02)
    area = integrate.trapezoid([row["density"] for row in worse], [row["difference"] for row in worse])
    assert area == pytest.approx(result.probability_worse, abs=2e-3)


def test_commands_draw_runs_gates_and_slices(runs, tmp_path):
    table = pl.concat([pl.read_csv(path).with_columns(system=pl.lit(path[-5])) for path in runs[:2]])
    table.select("system", "human", "judge", part=pl.col("item") % 2).write_csv(tmp_path / "both.csv")
    for words in (
        ("trend", *runs[:3]),
        ("gate", runs[0], "--baseline", runs[1]),
        ("compare", str(tmp_path / "both.csv"), "--by", "part"),
    ):
        path = tmp_path / f"{words[0]}.svg"
        answer = run(*words, "--plot", str(path))
        assert answer.code in {0, 3}
        assert f"Chart written to {path}" in answer.err.replace("\n", "")
        assert path.read_text(encoding="utf-8").startswith("<svg")


def test_runs_and_versions_need_not_be_told_how_they_are_called(runs):
    for result in (ta.trend(runs[:2]), ta.gate(runs[0], baseline=runs[1])):
        assert not any("called as their files" in said for said in result.comparison.understood)
