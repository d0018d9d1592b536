"""Plans against brute force, budgets against a grid, power against the normal form, maps against every cell."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import betaincinv, ndtr, ndtri

from tellapart import (
    Confusion,
    Design,
    Evidence,
    InvalidInput,
    Levels,
    UselessMetric,
    estimate,
    measurable_difference,
    plan,
    worth,
)
from tellapart.analysis import budget, planning, simulation
from tellapart.analysis.assurance import assurance
from tellapart.analysis.budget import Costs, break_even, cheapest, split_budget
from tellapart.analysis.design import large_sample_variance
from tellapart.analysis.maps import Axis, difference_map
from tellapart.analysis.pilot import Pilot
from tellapart.analysis.planning import solve
from tellapart.analysis.simulation import draw, simulate_power

GOOD = {"rate": 0.6, "tpr": 0.9, "tnr": 0.9}
BASE = Design(**GOOD, n_human=0, n_metric=0)


def found_at(power=0.8, **numbers):
    return measurable_difference(Design(**numbers)).with_power(power)


@pytest.mark.parametrize(
    ("numbers", "name"),
    [
        ({**GOOD, "n_metric": 2000, "difference": 0.2}, "n_human"),
        ({**GOOD, "n_human": 60, "difference": 0.17}, "n_metric"),
        ({"rate": 0.35, "tpr": 0.8, "tnr": 0.75, "n_metric": 500, "difference": 0.25, "power": 0.6}, "n_human"),
        ({**GOOD, "n_metric": 500, "n_calibration": 200, "difference": 0.15}, "n_human"),
        ({**GOOD, "n_human": 20, "known_rates": True, "difference": 0.15}, "n_metric"),
    ],
)
def test_sizes_against_brute_force(numbers, name):
    result = plan(**numbers)
    assert (result.solved, result.found) == (name, True)
    fixed = {k: v for k, v in numbers.items() if k not in {"difference", "power"}}
    power = numbers.get("power", 0.8)
    brute = next(n for n in range(10**6) if found_at(power, **fixed, **{name: n}) <= numbers["difference"])
    assert result.value == brute


def test_a_size_takes_few_posteriors(monkeypatch):
    """At most fifty, though the answer is 14,000."""
    count = 0
    real = planning.MeasurableDifference

    class Counting(real):
        def __init__(self, design):
            nonlocal count
            count += 1
            super().__init__(design)

    monkeypatch.setattr(planning, "MeasurableDifference", Counting)
    result = plan(**GOOD, n_metric=100_000, difference=0.01)
    assert result.value > 10_000
    assert count <= 50


def test_difference_and_power_are_two_sides():
    sizes = {"n_human": 200, "n_metric": 3000}
    difference = plan(**GOOD, **sizes).difference_at_power
    assert plan(**GOOD, **sizes, difference=difference).value == pytest.approx(0.8, abs=1e-9)
    assert plan(**GOOD, **sizes, power=0.5).value == pytest.approx(plan(**GOOD, **sizes).measurable_difference)


def test_the_accuracy_that_is_needed():
    result = plan(rate=0.6, n_human=500, n_metric=10_000, difference=0.06)
    assert result.solved == "accuracy"
    x = result.value
    assert found_at(rate=0.6, tpr=x, tnr=x, n_human=500, n_metric=10_000) <= 0.06
    assert found_at(rate=0.6, tpr=x - 2e-4, tnr=x - 2e-4, n_human=500, n_metric=10_000) > 0.06


def test_no_metric_ratings_will_do_and_why():
    result = plan(rate=0.6, tpr=0.52, tnr=0.52, n_human=100, difference=0.05)
    assert not result.found
    assert "No number of metric ratings will do" in str(result)
    assert "too uncertain" in result.reason
    needed = int(result.instead.split(": ")[1].split(" ")[0].replace(",", ""))
    assert found_at(rate=0.6, tpr=0.52, tnr=0.52, n_human=needed, n_metric=0) <= 0.05


def test_not_even_a_perfect_metric():
    result = plan(rate=0.6, n_human=100, n_metric=100, difference=0.001)
    assert not result.found
    assert "without any error" in str(result)


@pytest.mark.parametrize(
    ("numbers", "error", "said"),
    [
        ({"n_human": 1}, InvalidInput, "n_metric and difference"),
        ({"n_human": 1, "n_metric": 1, "difference": 0.1, "power": 0.8}, InvalidInput, "leave one number"),
        ({"n_human": 1, "difference": 0}, InvalidInput, "above 0"),
        ({"n_human": 1, "difference": 1.5}, InvalidInput, "at most 1"),
        ({"n_human": 1, "n_metric": 1, "power": 0.04}, InvalidInput, "confidence level"),
        ({"n_human": 1, "n_metric": 1, "tnr": None}, InvalidInput, "together"),
        ({"n_human": 1, "difference": 0.1, "tpr": 0.3, "tnr": 0.7}, UselessMetric, "tpr \\+ tnr"),
        ({"n_human": -1, "n_metric": 1}, InvalidInput, "n_human"),
    ],
)
def test_contradictions_are_refused(numbers, error, said):
    with pytest.raises(error, match=said):
        plan(**{**GOOD, **numbers})


# one function for whatever is to be found

SIZES = {"n_human": 300, "n_metric": 5000}
PRICES = {"cost_human": 1, "cost_metric": 0.01}
BOTH = Confusion(tp=54, fn=6, tn=36, fp=4)
PILOT = {
    "A": estimate(human=(60, 100), metric=(1190, 2000), calibration=BOTH).evidence,
    "B": estimate(human=(45, 100), metric=(890, 2000), calibration=BOTH).evidence,
}


@pytest.mark.parametrize(
    ("given", "same"),
    [
        ({**GOOD, "budget": 2000, **PRICES}, lambda: split_budget(BASE, Costs(1, 0.01), 2000)),
        ({**GOOD, "difference": 0.08, **PRICES}, lambda: cheapest(BASE, Costs(1, 0.01), 0.08)),
        (
            {**GOOD, "tpr": (0.8, 0.95), **SIZES, "difference": 0.08, "seed": 3},
            lambda: assurance(Design(0.6, 0.875, 0.9, **SIZES), 0.08, ranges={"tpr": (0.8, 0.95)}, seed=3),
        ),
        ({**GOOD, "tpr": (0.9, 0.9), **SIZES, "difference": 0.08}, lambda: solve(**GOOD, **SIZES, difference=0.08)),
    ],
)
def test_what_is_given_decides_what_is_found(given, same):
    assert plan(**given) == same()


def test_a_pilot_stands_for_the_guesses_whatever_is_to_be_found():
    guesses = Pilot.of(PILOT).guesses
    assert guesses["tpr"] == 109 / 122
    assert plan(pilot=PILOT, **SIZES) == plan(**guesses, **SIZES)
    assert plan(pilot=PILOT, n_metric=5000, difference=0.08) == plan(**guesses, n_metric=5000, difference=0.08)
    assert plan(pilot=PILOT, budget=2000, **PRICES) == plan(**guesses, budget=2000, **PRICES)
    chance = plan(pilot=PILOT, rate=0.5, **SIZES, difference=0.08)
    expected = assurance(
        Design(0.5, guesses["tpr"], guesses["tnr"], **SIZES), 0.08, pilot=PILOT, ranges={"rate": (0.5, 0.5)}
    )
    assert chance == expected


@pytest.mark.parametrize("sampling", ["random", "by-metric"])
def test_a_pilot_tells_the_metric_only_where_its_sample_does(sampling):
    """Outputs that were chosen by the metric's verdict do not show how often it passes an adequate one."""
    pilot = Pilot.of(estimate(metric=(1190, 2000), calibration=BOTH, sampling=sampling).evidence)
    assert ("tpr" in pilot.guesses) == (sampling == "random")
    assert plan(pilot=estimate(human=(30, 50)).evidence, **SIZES, difference=0.08).solved == "accuracy"


LEVELS = Evidence.of((60, 100), metric=(600, 700, 700), calibration=Levels((6, 20, 34), (25, 10, 5)))


def test_a_judge_of_a_pilot_that_has_levels_is_planned_for_by_its_best_cut():
    """Not left out, with the answer to another question."""
    pilot = Pilot.of(LEVELS)
    assert (pilot.cut, pilot.both) == (True, Confusion(tp=54, fn=6, tn=25, fp=15))
    found = plan(pilot=LEVELS, **SIZES, difference=0.08)
    same = Evidence.of((60, 100), metric=(1400, 2000), calibration=pilot.both)
    assert found.probability == plan(pilot=same, **SIZES, difference=0.08).probability
    assert "its levels cut into pass and fail" in str(found)
    assert plan(pilot=LEVELS, **SIZES) == plan(pilot=same, **SIZES)
    many = plan(pilot=dict.fromkeys("ABC", LEVELS), n_metric=500, difference=0.3, runs=2, n_jobs=1)
    assert many.scene.tpr == pytest.approx((3 * 54 + 1) / (3 * 60 + 2))


@pytest.mark.parametrize(
    "pilot",
    [
        Evidence.of((60, 100), metric=(1190, 2000), calibration=BOTH, sampling="by-metric"),
        Evidence.of((60, 100), metric=(1190, 2000)),
        Evidence.of((60, 100), fused=[Evidence.of(metric=(1190, 2000), calibration=BOTH)] * 2),
    ],
    ids=["chosen by the metric", "nothing rated by both", "two metrics"],
)
def test_a_pilot_that_does_not_tell_how_its_metric_errs_is_refused(pilot):
    for given in (SIZES, SIZES | {"difference": 0.08}):
        with pytest.raises(InvalidInput, match="`tpr` is missing: it must be given as the pilot does not tell it"):
            plan(pilot=pilot, **given)
    assert plan(pilot=pilot, tpr=0.9, tnr=0.9, **SIZES).found


REFUSED = [
    ({}, "`rate` is missing"),
    ({**GOOD, "rate": (0.7, 0.5), **SIZES}, "`rate` must run from low to high"),
    ({**GOOD, "rate": 3, **SIZES}, "`rate` must be a number between 0 and 1"),
    ({**GOOD, "rate": (0.5, 0.7), "n_human": 9}, "`rate` must be one number with n_metric and difference left out"),
    ({"rate": (0.5, 0.7), **SIZES, "difference": 0.1}, "`rate` must be one number with tpr and tnr left out"),
    ({**GOOD, "rate": (0.5, 0.7), **SIZES, "difference": 0.1, "power": 0.8}, "`power` must be left out"),
    ({**GOOD, "budget": 100}, "`cost_human` is missing: it must be given with a budget or prices"),
    ({**GOOD, **SIZES, "cost_metric": 0.01}, "must be left out with a budget or prices"),
    ({"rate": 0.6, "budget": 100, **PRICES}, "`tpr` is missing: it must be given with a budget or prices"),
    ({**GOOD, "tnr": (0.5, 0.7), "budget": 100, **PRICES}, "`tnr` must be one number with a budget or prices"),
    ({**GOOD, "budget": 100, "n_human": 5, **PRICES}, "`n_human` must be left out with a budget or prices"),
    ({**GOOD, "budget": 100, "difference": 0.1, **PRICES}, "`budget or difference` must be given, one of the two"),
    ({**GOOD, "budget": 100, **PRICES, "power": 0.01}, "`power` must be above"),
    ({**GOOD, "budget": 100, "cost_human": 0}, "`cost_human` must be at least"),
    ({**GOOD, **SIZES, "difference": 0}, "`difference` must lie above 0"),
    ({**GOOD}, "`plan` must leave one number"),
]


@pytest.mark.parametrize(("given", "said"), REFUSED)
def test_what_does_not_fit_together_is_refused_in_one_line(given, said):
    with pytest.raises(InvalidInput) as refused:
        plan(**given)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("pilot", ["pilot.csv", {}, {"A": 3}])
def test_a_pilot_must_be_ratings(pilot):
    with pytest.raises(InvalidInput, match="`pilot` must be Evidence"):
        plan(pilot=pilot, **SIZES)


# power


@pytest.mark.parametrize("known", [False, True])
def test_simulated_power_agrees_with_the_normal_form(known):
    design = Design(**GOOD, n_human=100, n_metric=1000, known_rates=known)
    result = simulate_power(design, measurable_difference(design).with_power(0.8), runs=300, n_jobs=1)
    assert result.agrees
    assert result.normal_form == pytest.approx(0.8)
    assert "agrees" in str(result)


def test_the_interval_of_a_simulated_power_is_one_of_95_percent():
    found = simulation.SimulatedPower(Design(**GOOD, n_human=20, n_metric=0), 0.3, 77, 100, 0, 0.89)
    assert found.interval == pytest.approx(tuple(betaincinv(77.5, 23.5, [0.025, 0.975])))
    assert "power 77.0% (95% interval 68.1% to 84.4%)" in str(found)
    assert found.agrees is False
    assert replace(found, normal_form=0.86).agrees  # beyond it, but not by three standard errors


def test_a_metric_that_passes_bad_outputs_more_readily_is_to_be_flipped():
    found = plan(rate=0.6, tpr=0.4, tnr=0.5, n_human=100, n_metric=1000)
    assert found.to_dict()["reversed"]
    assert "tpr + tnr below 1" in str(found)
    assert "flip its ratings" in str(found)
    assert "at most 1% of the human ratings" in str(found)  # as the table has it: 1.0%
    assert "flip" in str(plan(rate=0.6, tpr=0.4, tnr=0.5, n_human=100, difference=0.01))
    assert "flip" not in str(plan(rate=0.6, tpr=0.4, tnr=0.5, n_human=100, n_metric=0))
    assert "flip" not in str(plan(**GOOD, n_human=100, n_metric=1000))


def test_a_plan_with_people_only_is_signed_without_a_metric():
    signature = plan(rate=0.63, n_metric=0, difference=0.1).signature
    assert "rate 0.63 | human " in signature
    assert not {"tpr", "tnr", "calibration"} & set(signature.replace(",", "").split())


def test_axes_that_change_nothing_are_spoken_of():
    people, accuracy = Axis("n_human", (50, 100)), Axis("accuracy", (0.6, 0.9))
    found = difference_map(people, accuracy, rate=0.6)
    assert found.idle == ("accuracy",)
    said = "Without metric ratings (n_metric 0), accuracy changes nothing."
    assert (said in str(found), said in found.table()["summary"]) == (True, True)
    assert not difference_map(people, accuracy, rate=0.6, n_metric=100).idle


def test_verdicts_of_the_simulation_are_those_of_compare():
    """The short cut by the normal approximation never changes a verdict."""
    from tellapart import compare  # noqa: PLC0415

    design, rng = Design(**GOOD, n_human=40, n_metric=300), np.random.default_rng(1)
    for first, second in zip(draw(design, 0.65, 60, rng), draw(design, 0.5, 60, rng), strict=True):
        (pair,) = compare({"first": first, "second": second}, borrow="none").pairs
        better = pair.distinguishable and (pair.probability > 0.5) == (pair.first == "first")
        assert simulation._better(first, second, 0.95) == better


def test_the_number_of_workers_does_not_change_the_answer():
    design = Design(**GOOD, n_human=50, n_metric=0)
    one, two = (simulate_power(design, 0.25, runs=101, seed=4, n_jobs=jobs) for jobs in (1, 2))
    assert one == two
    assert len({simulate_power(design, 0.25, runs=101, seed=seed, n_jobs=1).found for seed in range(4)}) > 1


def test_a_dask_cluster_takes_over_unchanged():
    import joblib  # noqa: PLC0415
    from distributed import Client  # noqa: PLC0415

    design = Design(**GOOD, n_human=50, n_metric=0)
    expected = simulate_power(design, 0.25, runs=60, n_jobs=1)
    with (
        Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None),
        joblib.parallel_config("dask"),
    ):
        assert simulate_power(design, 0.25, runs=60) == expected


def test_progress_counts_every_campaign():
    done = []
    simulate_power(Design(**GOOD, n_human=20, n_metric=0), 0.3, runs=33, n_jobs=1, progress=done.append)
    assert sum(done) == 33


def test_drawn_counts_have_the_expected_shares():
    design = Design(**GOOD, n_human=400, n_metric=2000, n_calibration=300, calibration_rate=0.5)
    drawn = draw(design, 0.7, 300, np.random.default_rng(0))
    confusions = [e.confusion for e in drawn]
    assert np.mean([e.human.positive for e in drawn]) == pytest.approx(280, abs=2)
    assert np.mean([c.human.positive for c in confusions]) == pytest.approx(150, abs=2)
    assert np.mean([c.tp for c in confusions]) == pytest.approx(135, abs=2)
    assert np.mean([e.metric.positive for e in drawn]) == pytest.approx(2000 * (0.63 + 0.03), abs=5)


# budget


@pytest.mark.parametrize("metric", [0.001, 0.01, 0.1])
def test_split_against_a_grid(metric):
    budget = 400.0
    costs = Costs(human=1, metric=metric, systems=1)
    best = split_budget(BASE, costs, budget)
    assert costs.of(best.design) <= budget + 1e-9
    sds = []
    for n in range(5, 401, 5):
        rest = int((budget - n * (1 + metric)) / metric + 1e-9) if budget > n * (1 + metric) else 0
        sds.append(measurable_difference(replace(BASE, n_human=n, n_calibration=n, n_metric=rest)).sd)
    assert best.measured.sd <= min(sds) * 1.002


def test_closed_form_of_the_split():
    """Where sizes are large the split is that of double sampling."""
    kappa, human, metric = worth(**GOOD), 1.0, 0.01
    scale = 10_000 / (math.sqrt((1 - kappa) * human) + math.sqrt(kappa * metric))
    design = split_budget(BASE, Costs(human, metric, systems=1), 10_000).design
    assert design.n_human == pytest.approx(scale * math.sqrt((1 - kappa) / human), rel=0.05)
    assert design.n_human + design.n_metric == pytest.approx(scale * math.sqrt(kappa / metric), rel=0.1)


@pytest.mark.parametrize("dear", [False, True])
def test_the_metric_pays_off_up_to_its_price(dear):
    price = break_even(worth(**GOOD)) * (1.2 if dear else 0.8)
    assert split_budget(BASE, Costs(1, price, systems=1), 5000).pays_off != dear


def test_cheapest_is_enough_and_not_dearer_than_people_alone():
    costs = Costs(human=1, metric=0.01, fixed=50, systems=3)
    result = cheapest(BASE, costs, 0.08)
    assert result.measured.with_power(0.8) <= 0.08
    alone = plan(**GOOD | {"tpr": None, "tnr": None}, n_metric=0, difference=0.08).design
    assert result.cost < costs.of(alone)
    assert split_budget(BASE, costs, result.cost * 0.97).measured.with_power(0.8) > 0.08


def test_separate_calibration_is_paid_for():
    costs = Costs(human=1, metric=0.01, systems=1, separate=True)
    result = split_budget(BASE, costs, 1000)
    assert costs.of(result.design) <= 1000 + 1e-9
    assert result.break_even is None
    assert result.measured.sd >= split_budget(BASE, replace(costs, separate=False), 1000).measured.sd


@pytest.mark.parametrize(
    "prices",
    [
        {"human": -1, "metric": 0},
        {"human": 1, "metric": -0.1},
        {"human": 0, "metric": 0},
        {"human": 5e-324, "metric": 0},
    ],
)
def test_bad_prices_are_refused(prices):
    with pytest.raises(InvalidInput, match="cost_"):
        Costs(**prices)


def test_prices_next_to_nothing_have_an_answer():
    assert split_budget(BASE, Costs(1e-6, 5e-324, systems=1), 1.0).design.n_metric == 10**9
    assert split_budget(replace(BASE, rate=0.0), Costs(1e-6, 0.0), 1e9).design.n_human > 0


def test_a_metric_that_costs_nothing_leaves_the_budget_to_people():
    found = split_budget(replace(BASE, tpr=0.8, tnr=0.8), Costs(1, 0), 2000)
    assert (found.design.n_human, found.cost) == (1000, 2000)


def test_a_budget_that_buys_nothing_is_refused():
    with pytest.raises(InvalidInput, match="buy something"):
        split_budget(BASE, Costs(1, 0.01, fixed=100), 100)


# uncertain guesses


def test_point_guesses_give_the_power_of_the_plan():
    design = Design(**GOOD, n_human=300, n_metric=5000)
    assert assurance(design, 0.07).probability == pytest.approx(
        plan(**GOOD, n_human=300, n_metric=5000, difference=0.07).value
    )


def test_uncertainty_against_exact_posteriors():
    """The large-sample form, scaled, agrees with exact posteriors at drawn guesses."""
    design = Design(rate=0.6, tpr=0.8, tnr=0.8, n_human=300, n_metric=5000)
    result = assurance(design, 0.08, ranges={"tpr": (0.7, 0.9), "rate": (0.4, 0.7)})
    rng = np.random.default_rng(9)
    exact = [
        plan(rate=r, tpr=t, tnr=0.8, n_human=300, n_metric=5000, difference=0.08).value
        for r, t in zip(rng.uniform(0.4, 0.7, 150), rng.uniform(0.7, 0.9, 150), strict=True)
    ]
    assert result.probability == pytest.approx(np.mean(exact), abs=0.02)


def test_a_small_pilot_widens_what_may_come():
    def pilot(scale):
        confusion = Confusion(tp=9 * scale, fn=3 * scale, tn=6 * scale, fp=2 * scale)
        return Evidence.of((12 * scale, 20 * scale), calibration=confusion, metric=(30 * scale, 50 * scale))

    design = Design(rate=0.6, tpr=0.75, tnr=0.75, n_human=300, n_metric=5000)
    small, large = (assurance(design, 0.1, pilot=pilot(scale)).measurable for scale in (1, 50))
    assert small[2] - small[0] > 2 * (large[2] - large[0])


# maps


@pytest.mark.parametrize(
    ("rate", "quality"),
    [
        (0.6, 0.8),
        (0.0, 0.8),
        (0.6, 1.0),
        pytest.param(0.01, 0.8, marks=pytest.mark.slow),
        pytest.param(1.0, 0.8, marks=pytest.mark.slow),
    ],
)
def test_maps_know_which_cells_are_exact_and_the_others_are_good_to_a_percent(rate, quality):
    sizes = [
        tuple(dict.fromkeys(round(v) for v in np.geomspace(low, high, 40))) for low, high in ((10, 5000), (100, 10**5))
    ]
    result = difference_map(
        Axis("n_human", sizes[0]), Axis("n_metric", sizes[1]), fast=True, rate=rate, tpr=quality, tnr=quality
    )
    assert 0 < result.exact.sum() < result.exact.size / 4
    rng = np.random.default_rng(0)
    for _ in range(60):
        i, j = (int(rng.integers(n)) for n in result.differences.shape)
        exact = measurable_difference(result.design(i, j)).measurable_difference
        assert result.differences[i, j] == pytest.approx(exact, rel=1e-12 if result.exact[i, j] else 0.01)


def test_unrounded_counts_change_little_and_never_jump():
    """At counts that are whole anyway the same; in between smooth."""
    sizes = {"rate": 0.6, "tpr": 0.8, "tnr": 0.75, "n_metric": 1000}
    whole, free = (
        measurable_difference(Design(**sizes, n_human=100, rounding=rounding)).sd for rounding in ("half-up", "none")
    )
    assert free == pytest.approx(whole, rel=1e-9)
    sds = [measurable_difference(Design(**sizes, n_human=n, rounding="none")).sd for n in range(40, 60)]
    assert (np.diff(sds) < 0).all()


def test_any_two_numbers_make_a_table():
    result = difference_map(
        Axis("accuracy", (0.6, 0.9)), Axis("n_calibration", (100, 1000)), rate=0.6, n_human=50, n_metric=1000
    )
    design = Design(rate=0.6, tpr=0.9, tnr=0.9, n_human=50, n_metric=1000, n_calibration=1000)
    assert result.differences[1, 1] == pytest.approx(measurable_difference(design).measurable_difference)
    powered = difference_map(result.rows, result.columns, power=0.8, **result.fixed)
    assert powered.differences[1, 1] == pytest.approx(measurable_difference(design).with_power(0.8))


@pytest.mark.parametrize("names", [("n_human", "n_human"), ("accuracy", "tpr")])
def test_two_axes_must_differ(names):
    with pytest.raises(InvalidInput, match="two different"):
        difference_map(*(Axis(name, (0.5, 0.6)) for name in names))


@pytest.mark.parametrize(("name", "values"), [("alpha", (1, 2)), ("n_human", ()), ("n_human", (1, 1))])
def test_bad_axes_are_refused(name, values):
    with pytest.raises(InvalidInput, match="axis"):
        Axis(name, values)


# figures of the paper, by theory.md section 9


def test_figures_of_the_paper():
    from tellapart import paper  # noqa: PLC0415

    figures = paper.figures()
    wmt, bots = figures["wmt21-metric-ratings"], figures["spot-the-bot-calibration"]
    at = {n: i for i, n in enumerate(wmt.columns.values)}
    by_accuracy = dict(zip(wmt.rows.values, wmt.differences, strict=True))
    assert by_accuracy[0.6][at[1000]] == pytest.approx(0.1232, abs=5e-5)
    assert by_accuracy[0.52][at[1000]] == pytest.approx(0.1298, abs=5e-5)
    assert by_accuracy[0.6][at[10_000]] == pytest.approx(0.1202, abs=5e-5)
    assert by_accuracy[0.52][at[10_000]] == pytest.approx(0.1295, abs=5e-5)
    row = bots.differences[bots.rows.values.index(0.6)]
    assert row[bots.columns.values.index(600)] == pytest.approx(0.110, abs=5e-4)
    assert row[bots.columns.values.index(5000)] == pytest.approx(0.084, abs=5e-4)


@pytest.mark.parametrize(("rate", "n_human"), [(0.0, 50), (1.0, 50), (0.4, 0)])
def test_where_the_large_sample_form_has_no_answer_the_exact_posterior_has(rate, n_human):
    design = Design(rate, 0.8, 0.8, n_human, 0)
    found = assurance(design, 0.1)
    exact = measurable_difference(design)
    assert found.measurable == pytest.approx([exact.measurable_difference] * 3)
    assert found.probability == pytest.approx(ndtr(0.1 / exact.sd / 2**0.5 - ndtri(0.975)))


@pytest.mark.parametrize(
    ("rate", "tpr", "tnr"), [(0.6, 0.9, 0.8), (1e-6, 0.9, 0.9), (0.3, 1.0, 0.7), (0.999, 0.6, 0.6)]
)
@pytest.mark.parametrize("price", [0.0, 0.01, 0.5])
def test_money_for_a_separate_calibration_is_split_as_well_as_by_trying(rate, tpr, tnr, price):
    base, costs = Design(rate=rate, tpr=tpr, tnr=tnr, n_human=0, n_metric=0), Costs(1, price, separate=True)
    found = budget._spend(base, costs, 2000, 400)
    tried = []
    for part in np.linspace(0, 1, 401)[1:-1]:
        calibration = int(1600 * part / (1 + price))
        metric = budget._affordable(1600 - calibration * (1 + price), price)
        tried.append(replace(base, n_human=400, n_metric=metric, n_calibration=calibration))
    assert large_sample_variance(found) <= 1.01 * min(map(large_sample_variance, tried))


def test_the_cheapest_design_tries_few_splits(monkeypatch):
    made = []
    original = budget._spend
    monkeypatch.setattr(budget, "replace", lambda *given, **sizes: made.append(1) or replace(*given, **sizes))
    base, costs = Design(rate=0.6, tpr=0.9, tnr=0.9, n_human=0, n_metric=0), Costs(1, 0.01, separate=True)
    original(base, costs, 2000, 400)
    assert len(made) < 10


def test_a_metric_worth_everything_has_a_price():
    base = Design(rate=1e-12, tpr=0, tnr=0, n_human=0, n_metric=0)
    assert split_budget(base, Costs(1, 0.01), 1000).break_even == pytest.approx(1, abs=1e-3)
