"""Several systems planned together: simulated campaigns, what is solved for, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tellapart as ta
from tellapart.analysis.budget import BudgetPlan, Costs
from tellapart.analysis.design import Design
from tellapart.analysis.many import ManyPlan, plan_many
from tellapart.analysis.pilot import Pilot
from tellapart.analysis.rehearsal import Rehearsals, Scene, Share, Sizes, Verdicts, campaign
from tellapart.analysis.simulation import simulate_power
from tellapart.analysis.studies import Truth, study
from tellapart.errors import InvalidInput

GUESSES = {"rate": 0.6, "tpr": 0.9, "tnr": 0.8}
FAIR = {"leniency_sd": 0.0, "discrimination_sd": 0.0}
TWO = Scene(2, **GUESSES, **FAIR, borrow="none")
SERIAL = {"n_jobs": 1}


def pilot_of(systems, *, correlation=0.0, n_human=60, n_metric=300, **how):
    rng = np.random.default_rng(5)
    rates = Scene(systems, **GUESSES).rates(0.1)
    return study(Truth.draw(rates, 0.9, 0.8, rng, **how), n_human, n_metric, rng, correlation=correlation)


# the simulation


def test_the_power_of_two_systems_that_borrow_nothing_is_that_of_the_simulation_of_pairs():
    found = plan_many(TWO, n_human=80, n_metric=200, difference=0.17, runs=150, **SERIAL)
    other = simulate_power(Design(**GUESSES, n_human=80, n_metric=200), 0.17, runs=400, seed=1, n_jobs=1)
    error = math.hypot(found.error, math.sqrt(other.power * (1 - other.power) / other.runs))
    assert found.value == pytest.approx(other.power, abs=4 * error)
    assert found.rehearsal.borrowing.told_apart.value >= found.value


def test_the_answer_does_not_depend_on_the_workers():
    sizes = Sizes(30, 100, 0.2)
    answers = [Rehearsals(TWO, seed=3, n_jobs=jobs)(sizes, 6).alone.signs for jobs in (1, 2)]
    assert np.array_equal(*answers)
    assert not np.array_equal(answers[0], Rehearsals(TWO, seed=4, n_jobs=1)(sizes, 6).alone.signs)


def test_no_campaign_is_simulated_twice():
    done = []
    rehearse = Rehearsals(TWO, n_jobs=1, progress=done.append)
    few, more = rehearse(Sizes(30, 100, 0.2), 3), rehearse(Sizes(30, 100, 0.2), 5)
    assert sum(done) == 5
    assert np.array_equal(few.alone.signs, more.alone.signs[:3])


def test_studies_of_other_sizes_begin_with_the_same_items():
    truth = Truth.draw([0.6, 0.5], 0.9, 0.8, np.random.default_rng(0))
    small, large = (study(truth, n, 0, np.random.default_rng(1), correlation=0.4)[0]["S1"].own.both for n in (200, 201))
    assert sum(b - a for one, two in zip(small, large, strict=True) for a, b in zip(one, two, strict=True)) == 1
    assert all(b >= a for one, two in zip(small, large, strict=True) for a, b in zip(one, two, strict=True))


def test_the_typical_pair_is_embedded_among_the_others():
    scene = Scene(12, **GUESSES, rate_sd=0.5)
    rates = scene.rates(0.1)
    assert rates[:2] == pytest.approx([0.65, 0.55])
    logits = np.log(rates[2:] / (1 - rates[2:])) - math.log(1.5)
    assert logits == pytest.approx(-logits[::-1])  # even around the rate
    assert np.std(logits) == pytest.approx(0.5, rel=0.1)
    assert len(Scene(2, **GUESSES).rates(0.1)) == 2
    assert Scene(3, **GUESSES).rates(0.1)[2] == pytest.approx(0.6)


def test_a_large_difference_is_found_and_the_verdict_is_right():
    scene = Scene(5, **GUESSES, leniency_sd=0.2, correlation=0.4)
    borrowing, alone = campaign(scene, Sizes(400, 1000, 0.6), (0, 0))
    assert (borrowing[0], alone[0]) == (1, 1)
    assert len(borrowing) == scene.pairs == 10


def test_any_verdict_on_equal_systems_is_wrong():
    scene = Scene(3, **GUESSES, rate_sd=0, borrow="none", confidence_level=0.01)
    signs = Rehearsals(scene, n_jobs=1)(Sizes(50, 0, 1e-12), 5).alone.signs[:, 1:]
    assert (signs <= 0).any()
    assert Verdicts(np.array([[1.0, -1.0], [0.0, 0.0]])).wrong.value == 0.5


def test_shares_have_errors():
    verdicts = Verdicts(np.array([[1, 0], [1, 1], [0, 0], [-1, 1]], dtype=float))
    assert verdicts.power.value == 0.5
    assert verdicts.told_apart.value == 5 / 8
    assert verdicts.wrong.value == 1 / 5
    assert verdicts.told_apart.error == pytest.approx(np.std([0.5, 1, 0, 1], ddof=1) / 2)
    silent = Verdicts(np.zeros((4, 2)))
    assert (silent.wrong, silent.power.value) == (None, 0)
    assert silent.power.error > 0
    assert silent.to_dict()["wrong"] == {"value": None, "error": None}


@pytest.mark.parametrize(
    ("share", "said"),
    [(Share(0.8, 0.05), "80% (± 5)"), (Share(0.004, 0.002), "0.4% (± 0.2)"), (Share(0, 0.01), "0% (± 1)")],
)
def test_shares_are_said(share, said):
    assert str(share) == said


# what is solved for


def test_the_difference_is_solved_with_its_error():
    found = plan_many(TWO, n_human=200, n_metric=500, runs=60, **SERIAL)
    normal = ta.plan(**GUESSES, n_human=200, n_metric=500).value
    assert found.solved == "difference"
    assert found.value == pytest.approx(normal, abs=5 * found.error)
    assert 0 < found.error < 0.03
    assert found.rehearsal.runs == 60
    assert found.power == 0.8


def test_the_size_is_solved_with_its_error():
    found = plan_many(TWO, n_metric=500, difference=0.12, runs=60, **SERIAL)
    normal = ta.plan(**GUESSES, n_metric=500, difference=0.12).value
    assert found.solved == "n_human"
    assert found.value == pytest.approx(normal, abs=5 * found.error)
    assert "human ratings of each system are needed" in str(found)
    assert len(found.tried) >= 2


@pytest.mark.parametrize("seed", [0, 3])
def test_the_power_comes_near_the_one_asked_for(seed):
    power = plan_many(TWO, n_metric=0, difference=0.2, seed=seed, **SERIAL).rehearsal.borrowing.power
    assert abs(power.value - 0.8) <= 0.5 * power.error


def test_the_metric_ratings_are_solved_with_their_error():
    sharp = GUESSES | {"tpr": 0.95, "tnr": 0.95}  # with a better metric, more of its ratings tell more
    found = plan_many(Scene(2, **sharp, **FAIR, borrow="none"), n_human=80, difference=0.14, runs=60, **SERIAL)
    normal = ta.plan(**sharp, n_human=80, difference=0.14).value
    assert found.solved == "n_metric"
    assert found.value == found.sizes.n_metric
    assert found.value == pytest.approx(normal, abs=3 * found.error)
    assert found.error < normal / 2
    assert "metric ratings of each system are needed" in str(found)


def test_metric_ratings_that_gain_more_by_borrowing_are_bracketed():
    scene = Scene(5, **GUESSES, borrow="link", correlation=0.45, leniency_sd=0.2)
    found = plan_many(scene, n_human=80, difference=0.12, runs=12, **SERIAL)
    assert (found.found, found.solved) == (True, "n_metric")
    assert abs(found.rehearsal.borrowing.power.value - 0.8) < 2.5 * found.rehearsal.borrowing.power.error
    assert 0 < found.value < 100_000


def test_no_metric_ratings_may_be_needed():
    found = plan_many(TWO, n_human=400, difference=0.2, runs=9, **SERIAL)
    assert (found.found, found.value) == (True, 0)
    assert str(found).startswith("No metric ratings are needed.")


def test_where_no_number_of_metric_ratings_will_do_people_must_rate_more():
    found = plan_many(TWO, n_human=20, difference=0.1, runs=3, **SERIAL)
    assert (found.found, found.value, found.error) == (False, None, None)
    assert found.sizes.n_metric == 100_000
    assert str(found).startswith("No number of metric ratings that was tried gives a power of 80%: people must rate")


def test_a_power_of_nothing_says_nothing_of_metric_ratings():
    found = plan_many(TWO, n_human=2, n_metric=0, difference=0.01, runs=3, **SERIAL)
    assert (found.solved, found.value) == ("power", 0)
    assert "No metric ratings" not in str(found)


def test_what_cannot_be_found_is_said():
    found = plan_many(TWO, n_human=2, n_metric=0, runs=9, **SERIAL)
    assert (found.found, found.value) == (False, None)
    assert str(found).startswith("No difference that was tried gives a power of 80%")


def test_a_budget_is_split_within_it():
    costs = Costs(1, 0.01, 10, systems=2)
    found = plan_many(TWO, budget=600, costs=costs, runs=10, **SERIAL)
    assert found.solved == "split"
    assert found.cost <= 600
    assert found.cost > 590
    assert 3 <= len(found.tried) <= 5
    best = max((one.borrowing.signs > 0).mean() for one in found.tried)
    assert (found.rehearsal.borrowing.signs > 0).mean() == best


def test_free_metric_ratings_are_bounded():
    found = plan_many(TWO, budget=60, costs=Costs(1, 0, systems=2), difference=0.3, runs=2, **SERIAL)
    assert found.sizes.n_metric == 100_000
    assert found.difference == 0.3


def test_a_plan_for_many_says_all_in_json():
    found = ta.plan(
        systems=5, borrow="link", correlation=0.4, **GUESSES, n_human=30, n_metric=60, difference=0.2, runs=2, **SERIAL
    )
    assert isinstance(found, ManyPlan)
    value = found.to_dict()
    assert (value["solved"], value["borrow"], value["systems"], value["pairs"]) == ("power", "link", 5, 10)
    for rung in ("borrowing", "alone"):
        assert set(value[rung]) == {"power", "told_apart", "wrong"}
        assert set(value[rung]["power"]) == {"value", "error"}
    assert value["error"] == value["borrowing"]["power"]["error"]
    assert "of each of 5 systems" in value["summary"]
    assert "if nothing were borrowed" in value["summary"]
    assert "With link, verdicts are pair by pair; with nothing borrowed, corrected for all 10 (Holm)." in str(found)
    assert "seed 0" in value["signature"]
    assert "borrow link" in value["signature"]
    assert str(found) in found._repr_html_()
    assert found.to_frame()["borrowing_power_value"][0] == found.value


# what is taken for granted


def test_a_judge_of_whom_nothing_is_said_is_as_uneven_as_real_ones():
    sizes = {"n_human": 20, "n_metric": 50, "difference": 0.3, "runs": 2}
    found = ta.plan(systems=3, **GUESSES, **sizes, **SERIAL)
    assert (found.scene.leniency_sd, found.scene.discrimination_sd) == (0.4, 0.1)
    assert found.to_dict()["taken"]["leniency_sd"] == "usual"
    assert "takes the judge to be about as uneven over systems as real judges are (leniency sd 0.4)." in str(found)
    same = ta.plan(systems=3, **GUESSES, **sizes, leniency_sd=0.4, discrimination_sd=0.1, **SERIAL)
    assert np.array_equal(found.rehearsal.borrowing.signs, same.rehearsal.borrowing.signs)
    assert "leniency_sd" not in same.taken


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"leniency_sd": 0}, "takes the judge to be equally strict with all systems."),
        ({"leniency_sd": 0.2}, "takes the judge to be uneven over systems (leniency sd 0.2)."),
        ({"leniency_slope": 0.5}, "as real judges are (leniency sd 0.4), and milder with better systems."),
    ],
)
def test_how_even_the_judge_is_taken_to_be_is_said(given, said):
    sizes = {"n_human": 20, "n_metric": 50, "difference": 0.3, "runs": 2}
    assert said in str(ta.plan(systems=3, **GUESSES, **sizes, **given, **SERIAL))


def test_nothing_is_said_of_a_judge_that_does_not_count():
    found = ta.plan(systems=3, **GUESSES, borrow="none", n_human=20, n_metric=0, difference=0.3, runs=2, **SERIAL)
    assert "the judge" not in str(found)


def test_what_stands_behind_an_error_is_said():
    found = plan_many(TWO, n_human=20, n_metric=0, difference=0.3, runs=5, **SERIAL)
    assert str(found).endswith("Simulated 5 times; each ± is one standard error.")


# which plans are made together


def test_two_systems_stay_exact():
    sizes = {"n_human": 100, "n_metric": 1000}
    alone = ta.plan(**GUESSES, **sizes)
    assert ta.plan(**GUESSES, **sizes, systems=2) == alone
    assert ta.plan(**GUESSES, **sizes, systems=2, borrow="none") == alone
    prices = {"budget": 2000, "cost_human": 1, "cost_metric": 0.01}
    assert isinstance(ta.plan(**GUESSES, **prices, systems=7), BudgetPlan)


@pytest.mark.parametrize("more", [{"systems": 3}, {"borrow": "rates"}, {"leniency_sd": 0.2}])
def test_more_than_that_is_simulated(more):
    found = ta.plan(**GUESSES, n_human=20, n_metric=50, difference=0.3, **{"runs": 2, **SERIAL} | more)
    assert isinstance(found, ManyPlan)
    assert found.scene.rung == "rates"


# pilots


def test_with_sizes_difference_and_power_given_a_pilot_leaves_the_metric_ratings_to_be_found():
    systems, _ = pilot_of(3)
    found = ta.plan(pilot=systems, borrow="none", n_human=400, difference=0.2, power=0.8, runs=3, **SERIAL)
    assert (found.solved, found.value) == ("n_metric", 0)
    taken = ta.plan(pilot=systems, borrow="none", n_human=400, difference=0.2, runs=3, **SERIAL)
    assert (taken.solved, taken.sizes.n_metric) == ("power", 300)


def test_a_pilot_tells_how_alike_its_systems_are():
    systems, items = pilot_of(6, correlation=0.45, leniency_sd=0.4, n_human=400)
    told = Pilot.of(ta.compare(systems, items=items))
    assert set(told.alike) == {"correlation", "rate_sd", "leniency_sd", "discrimination_sd", "leniency_slope"}
    assert told.alike["correlation"] == pytest.approx(0.45, abs=0.15)
    assert 0.1 < told.alike["rate_sd"] < 0.8
    assert 0 <= told.alike["leniency_sd"] < 1.5
    assert told.n_metric == 300


def test_a_judge_whose_averages_do_not_follow_the_rates_is_uneven_in_a_plan():
    """All of its scatter once became a slope of leniency in the rates, and the plan took it to be even."""
    systems = {
        name: ta.Evidence.of(
            (human, 300), calibration=ta.Confusion(tp, human - tp, 290 - human, 10), metric=(passed, 900)
        )
        for name, human, tp, passed in (
            *(("A", 165, 120, 390), ("B", 180, 70, 240), ("C", 195, 110, 360)),
            *(("D", 210, 90, 300), ("E", 225, 140, 450), ("F", 240, 75, 255)),
        )
    }
    told = Pilot.of(systems)
    scatter = told.together.treatment.leniency_sd[0]
    assert told.together.treatment.slope[1] < 0 < told.together.treatment.slope[2]
    assert told.alike["leniency_sd"] > 0.6 * scatter > 0.2
    along = told.alike["leniency_slope"] * told.alike["rate_sd"]
    assert told.alike["leniency_sd"] ** 2 + along**2 == pytest.approx(scatter**2)


def test_the_correlation_of_a_pilot_is_that_of_its_tables():
    systems, items = pilot_of(2, correlation=0.6, n_human=500)
    ((neither, second, first, both),) = (pair.own.truths for pair in items.values())
    rates = np.array([[0, 0]] * neither + [[0, 1]] * second + [[1, 0]] * first + [[1, 1]] * both)
    told = Pilot.of(systems, items=items)
    assert told.alike["correlation"] == pytest.approx(np.corrcoef(rates.T)[0, 1])
    assert "rate_sd" not in told.alike  # two systems do not tell it


def test_what_was_taken_from_a_pilot_is_said():
    systems, _ = pilot_of(2)
    found = ta.plan(pilot=systems, tpr=0.85, difference=0.3, runs=2, **SERIAL)
    told = {"systems", "rate", "tnr", "n_metric", "correlation", "leniency_sd", "discrimination_sd", "leniency_slope"}
    assert {name for name, source in found.taken.items() if source == "pilot"} == told
    assert found.taken["rate_sd"] == "usual"
    assert "Taken from the pilot: 2 systems, 300 metric ratings of each system, " in str(found)
    assert f"rate {found.scene.rate:.2f}, tnr {found.scene.tnr:.2f}" in str(found)
    assert "as uneven over systems as in the pilot" in str(found)
    given = ta.plan(pilot=systems, borrow="rates", n_metric=50, difference=0.3, runs=2, **SERIAL)
    assert "n_metric" not in given.taken


def test_a_pilot_of_few_systems_is_enough_for_sizes_and_budgets():
    systems, _ = pilot_of(3)
    size = ta.plan(pilot=systems, difference=0.3, runs=3, **SERIAL)
    assert (size.solved, size.sizes.n_metric, size.scene.systems, size.scene.rung) == ("n_human", 300, 3, "rates")
    split = ta.plan(pilot=systems, budget=300, cost_human=1, cost_metric=0.01, borrow="none", runs=2, **SERIAL)
    assert (split.solved, split.costs.systems) == ("split", 3)
    assert split.cost <= 300


def test_what_is_given_stands_in_place_of_a_pilot():
    systems, _ = pilot_of(3)
    more = {"correlation": 0.2, "rate_sd": 0.1, "leniency_sd": 0.3, "discrimination_sd": 0, "leniency_slope": 0.1}
    found = ta.plan(
        pilot=systems, rate=0.5, systems=4, n_human=20, n_metric=0, difference=0.4, runs=2, **more, **SERIAL
    )
    assert (found.scene.rate, found.scene.systems) == (0.5, 4)
    assert {name: getattr(found.scene, name) for name in more} == more


def test_a_pilot_without_a_metric_is_added_up_as_ever():
    pilot = {name: ta.estimate(human=(k, 50)).evidence for name, k in (("A", 30), ("B", 20), ("C", 25))}
    assert ta.plan(pilot=pilot, n_metric=0, difference=0.1).solved == "n_human"


# refusals


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"systems": 1}, "`systems` must be at least 2"),
        ({"systems": 101}, "`systems` must lie between 2 and 100"),
        ({"systems": 4}, "not be link for fewer than 5 systems, got 4"),
        ({"borrow": "much"}, "`borrow` must be one of"),
        ({"borrow": "items"}, "`correlation` must be above 0 to borrow items"),
        ({"correlation": 1}, "`correlation` must be a number between 0 and 0.95"),
        ({"leniency_sd": -1}, "`leniency_sd` must be a number between 0 and 5"),
        ({"rate_sd": math.nan}, "`rate_sd` must be"),
        ({"leniency_slope": 9}, "`leniency_slope` must be"),
        ({"rate": 1}, "`rate` must be a number between 0 and 1, ends excluded"),
        ({"tpr": 1}, "`tpr` must be a number between 0 and 1, ends excluded"),
        ({"tpr": None}, "`tpr` is missing: it must be given when systems are planned together"),
        ({"tpr": (0.8, 0.9)}, "`tpr` must be one number when systems are planned together"),
        ({"n_human": 0}, "`n_human` must be at least 1"),
        ({"n_metric": 10**6}, "`n_metric` must be at most 100,000"),
        ({"n_metric": None}, "`n_metric` is missing: it must be given for many systems"),
        ({"n_human": None}, "`n_human or difference` is missing"),
        ({"difference": 0.9}, "`difference` must be at most 0.8"),
        ({"difference": 0.1, "power": 0.8}, "leave one number to be found"),
        ({"power": 0.01}, "`power` must be above 0.05"),
        ({"runs": 1}, "`runs` must lie between 2 and 100,000"),
        ({"n_calibration": 5}, "`n_calibration` must be left out when systems are planned together"),
        ({"known_rates": True}, "`known_rates` must be left out"),
        ({"cost_human": 1}, "`n_human` must be left out with a budget"),
        ({"n_human": None, "n_metric": None, "cost_human": 1}, "`budget` is missing: it must be given with the prices"),
        ({"n_human": None, "n_metric": None, "budget": 100}, "`cost_human` is missing: it must be given"),
        ({"n_human": None, "n_metric": None, "budget": 2, "cost_human": 1}, "`budget` must buy something"),
    ],
)
def test_bad_campaigns_are_refused_in_one_line(given, said):
    with pytest.raises(InvalidInput) as refused:
        ta.plan(**{"systems": 6, "borrow": "link", **GUESSES, "n_human": 50, "n_metric": 100, **SERIAL} | given)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
