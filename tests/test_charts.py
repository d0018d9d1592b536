"""Charts of plans and of rates: what they show is what the results say, and curves bear their names."""

import json

import pytest

import tellapart as ta
from tellapart import charts
from tellapart.charts.base import Label, readable

GUESSES = {"rate": 0.6, "tpr": 0.9, "tnr": 0.9}


def rows(chart, name):
    return chart.to_dict()["datasets"][name]


def has_legend(chart, field):
    layers = json.dumps([layer["encoding"].get("color", {}) for layer in chart.to_dict()["layer"]])
    return f'"field": "{field}"' in layers and '"legend": null' not in layers


def test_the_point_of_a_plan_lies_on_its_curve_at_the_power_it_aims_at():
    plan = ta.plan(**GUESSES, difference=0.05, n_metric=10_000)
    chart = plan.plot()
    (here,), (goal,) = rows(chart, "here"), rows(chart, "goal")
    assert (here["n"], goal["power"]) == (621, 0.8)
    assert here["power"] == pytest.approx(0.8, abs=2e-3)
    assert here["power"] >= 0.8
    own = [row for row in rows(chart, "powers") if row["own"]]
    before = max((row for row in own if row["n"] <= 621), key=lambda row: row["n"])
    after = min((row for row in own if row["n"] >= 621), key=lambda row: row["n"])
    assert before["power"] <= here["power"] <= after["power"]


def test_a_curve_of_power_is_what_plan_says_at_each_size():
    chart = charts.power(ta.plan(**GUESSES, difference=0.05, n_metric=10_000))
    for row in rows(chart, "powers")[::7]:
        metric = 10_000 if row["own"] else 0
        asked = ta.plan(**GUESSES, difference=0.05, n_metric=metric, n_human=row["n"])
        assert row["power"] == pytest.approx(asked.power, abs=5e-3)  # with counts as they are, not rounded


def test_names_of_curves_that_stay_low_are_one_above_the_other():
    flat, steep = (charts.power(ta.plan(**GUESSES, difference=d, n_human=30, n_metric=100)) for d in (0.03, 0.3))
    assert "flat" not in steep.to_dict()["datasets"]
    assert "names" not in flat.to_dict()["datasets"]
    assert {row["curve"] for row in rows(flat, "flat")} == {"with the metric", "people alone"}
    drawn = [layer["mark"]["dy"] for layer in flat.to_dict()["layer"] if "transform" in layer]
    assert drawn == [-32, -16]


def test_metric_ratings_that_are_asked_for_are_the_axis():
    plan = ta.plan(**GUESSES, difference=0.1, n_human=250)
    chart = charts.power(plan)
    assert rows(chart, "here")[0]["n"] == plan.value
    assert "metric ratings of each system" in json.dumps(chart.to_dict()["layer"])
    assert {row["curve"] for row in rows(chart, "powers")} == {"with the metric"}


def test_a_campaign_shows_every_pair_around_its_curves():
    scene = {"rate": 0.6, "tpr": 0.9, "tnr": 0.8, "systems": 3, "n_human": 60, "n_metric": 0}
    plan = ta.plan(**scene, difference=0.3, borrow="rates", runs=4, n_jobs=1)
    chart = plan.plot()
    pairs, curves = rows(chart, "pairs"), rows(chart, "powers")
    assert len(pairs) == 2 * plan.scene.pairs
    assert {row["curve"] for row in curves} == {"as planned", "if nothing were borrowed"}
    (here,) = rows(chart, "here")
    assert here["power"] == plan.rehearsal.borrowing.power.value == pairs[0]["power"]
    own = [row["power"] for row in curves if row["own"]]
    assert own == sorted(own)
    assert plan.gaps[0] == pytest.approx(0.3)


def test_a_plan_that_cannot_be_has_a_curve_and_no_point():
    plan = ta.plan(**GUESSES, difference=0.01, n_human=100)
    assert not plan.found
    chart = plan.plot()
    assert "here" not in chart.to_dict()["datasets"]
    assert max(row["power"] for row in rows(chart, "powers")) < 0.8


def test_the_split_of_a_budget_has_its_power():
    chart = ta.plan(**GUESSES, budget=2000, cost_human=1, cost_metric=0.01).plot()
    assert rows(chart, "here")[0]["power"] == pytest.approx(0.8, abs=1e-9)


def tooltips(part):
    """Yield what each tooltip of a specification shows."""
    for key, value in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        if key == "tooltip":
            yield from value if isinstance(value, list) else [value]
        yield from tooltips(value)


def test_no_tooltip_shows_a_number_with_all_its_digits():
    judged = {"metric": (540, 1000), "calibration": ta.Confusion(42, 18, 28, 12)}
    compared = ta.compare({name: ta.Evidence.of((k, 100), **judged) for name, k in (("A", 60), ("B", 45), ("C", 70))})
    drawn = [charts.forest(compared), charts.matrix(compared), charts.calibration(compared), charts.ladder(compared)]
    sizes = difference_map("n_human", (50, 200))
    drawn += [charts.curves(sizes), charts.design(sizes), charts.power(ta.plan(**GUESSES, n_human=50, n_metric=0))]
    drawn += [ta.metrics({"system": ["A"] * 12, "human": [0, 1] * 6, "judge": [0, 1, 1] * 4}).plot()]
    shown = [one for chart in drawn if chart for one in tooltips(chart.to_dict())]
    assert len(shown) > 20
    assert [one for one in shown if one.get("type") == "quantitative" and not one.get("format")] == []


def difference_map(name, values):
    fixed = {key: value for key, value in GUESSES.items() if key != name} | {"n_human": 200, "power": 0.8}
    fixed = {key: value for key, value in fixed.items() if key != name}
    return ta.difference_map(ta.Axis(name, values), ta.Axis("n_metric", (0, 1000, 100_000)), **fixed)


def test_few_curves_bear_their_names():
    chart = charts.curves(difference_map("n_human", (50, 200, 800)))
    assert [row["label"] for row in rows(chart, "ends")] == ["50 human ratings", "200", "800"]
    assert not has_legend(chart, "curve")


@pytest.mark.parametrize("values", [(0.3, 0.7), tuple(n / 20 for n in range(1, 11))], ids=["alike", "many"])
def test_curves_whose_names_would_not_be_read_have_a_legend(values):
    chart = charts.curves(difference_map("rate", values))
    assert "ends" not in chart.to_dict()["datasets"]
    assert has_legend(chart, "curve")


def test_systems_bear_their_names_where_there_is_room():
    apart = {"A": ta.estimate(human=(20, 100)), "B": ta.estimate(human=(80, 100))}
    assert [row["system"] for row in rows(charts.densities(apart), "peaks")] == ["A", "B"]
    assert not has_legend(charts.densities(apart), "system")
    alike = {"A": ta.estimate(human=(60, 100)), "B": ta.estimate(human=(61, 100))}
    assert has_legend(charts.densities(alike), "system")


def test_many_systems_have_a_row_each():
    many = {f"S{n}": ta.estimate(human=(20 + n, 100)) for n in range(8)}
    chart = charts.densities(many)
    assert not has_legend(chart, "system")
    feet = {row["system"]: row["foot"] for row in rows(chart, "densities")}
    assert list(feet.values()) == [-n for n in range(8)]
    label = chart.to_dict()["layer"][0]["encoding"]["y"]["axis"]["labelExpr"]
    assert label == f"{json.dumps(list(many))}[-datum.value]"


def test_names_are_readable_where_none_covers_another():
    assert readable([Label("a", 0.1, 0.5), Label("b", 0.9, 0.5)], 300)
    assert not readable([Label("a long name", 0.1, 0.5), Label("another one", 0.3, 0.5)], 300)
    assert readable([Label("a long name", 0.1, 0.4), Label("another one", 0.3, 0.5)], 300)
    assert not readable([Label("a", n / 10, n / 10) for n in range(8)], 300)


@pytest.mark.parametrize("others", ["AB", "ABCDEFGH"])  # curves in one place, and a row for each
def test_systems_that_are_set_aside_are_marked_where_their_curves_are(others):
    odd = ta.Evidence.of((95, 100), calibration=ta.Confusion(tp=90, fn=10, tn=90, fp=10), metric=(500, 1000))
    found = ta.compare({"odd": odd, **{name: ta.Evidence.of((40 + 5 * i, 100)) for i, name in enumerate(others)}})
    shown = {row["system"] for row in rows(charts.posteriors(found), "densities")}
    assert shown == {"odd *", *others}
