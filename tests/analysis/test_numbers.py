"""Numbers in Python as people have them: those of numpy give the same answer, JSON-safe; what is none is refused."""

import json

import numpy as np
import pytest

import tellapart as ta
from tellapart import Axis, Costs, Design, Evidence, InvalidInput, Scene, ThresholdRule
from tellapart.analysis.trend import trend
from tellapart.core.counts import NO_METRIC, PAIRED, Counts

HALF, EIGHTH = np.float32(0.5), np.float32(0.125)  # both are the same number in any precision
DESIGN = Design(rate=0.5, tpr=0.9, tnr=0.9, n_human=100, n_metric=1000)
SCENE = {"systems": 3, "rate": 0.5, "rate_sd": 0.5, "borrow": "none"}
NUMPY = {"systems": np.int64(3), "rate": HALF, "rate_sd": HALF, "borrow": "none"}
FEW = {"runs": 2, "n_jobs": 1}
PLAN = {"rate": 0.5, "tpr": 0.9, "tnr": 0.9}
MAP = {"rate": 0.5, "tpr": 0.9}
RATES = Axis("tnr", (0.75, 0.875))


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        (lambda: ta.estimate(human=np.array([6, 10]), confidence_level=HALF),
         lambda: ta.estimate(human=(6, 10), confidence_level=0.5)),
        (lambda: ta.estimate(human=(6, 10), prior=np.array([1, 2])), lambda: ta.estimate(human=(6, 10), prior=(1, 2))),
        (lambda: ta.estimate(metric=np.array([6, 10]), rates=np.array([0.9, 0.8])),
         lambda: ta.estimate(metric=(6, 10), rates=(0.9, 0.8))),
        (lambda: ta.compare({"A": np.array([6, 10]), "B": (5, 10)}, confidence_level=HALF),
         lambda: ta.compare({"A": (6, 10), "B": (5, 10)}, confidence_level=0.5)),
        (lambda: ta.measurable_difference(Design(0.5, 0.9, 0.9, 10, 100, confidence_level=HALF)),
         lambda: ta.measurable_difference(Design(0.5, 0.9, 0.9, 10, 100, confidence_level=0.5))),
        (lambda: ta.plan(**PLAN, n_human=np.int64(9), n_metric=np.int8(9), difference=EIGHTH),
         lambda: ta.plan(**PLAN, n_human=9, n_metric=9, difference=0.125)),
        (lambda: ta.plan(**PLAN, budget=np.float32(64), cost_human=HALF, cost_metric=EIGHTH, power=HALF),
         lambda: ta.plan(**PLAN, budget=64, cost_human=0.5, cost_metric=0.125, power=0.5)),
        (lambda: ta.cheapest(DESIGN, Costs(HALF, EIGHTH, systems=np.int64(2)), EIGHTH, power=HALF),
         lambda: ta.cheapest(DESIGN, Costs(0.5, 0.125), 0.125, power=0.5)),
        (lambda: ta.difference_map(Axis("n_human", np.array([9, 90])), RATES, **MAP, n_metric=np.int64(9), power=HALF),
         lambda: ta.difference_map(Axis("n_human", (9, 90)), RATES, **MAP, n_metric=9, power=0.5)),
        (lambda: ta.simulate_power(DESIGN, EIGHTH, runs=np.int64(2), seed=np.int64(1), n_jobs=1),
         lambda: ta.simulate_power(DESIGN, 0.125, seed=1, **FEW)),
        (lambda: ta.plan_many(Scene(**NUMPY), n_human=np.int64(9), n_metric=np.int64(0), difference=EIGHTH, **FEW),
         lambda: ta.plan_many(Scene(**SCENE), n_human=9, n_metric=0, difference=0.125, **FEW)),
        (lambda: ta.assurance(DESIGN, EIGHTH, ranges={"tpr": (HALF, 0.75)}, draws=np.int64(9), seed=np.int64(1)),
         lambda: ta.assurance(DESIGN, 0.125, ranges={"tpr": (0.5, 0.75)}, draws=9, seed=1)),
    ],
)  # fmt: skip
def test_numbers_of_numpy_are_numbers(given, plain):
    assert json.dumps(given().to_dict()) == json.dumps(plain().to_dict())


def test_a_rule_of_cuts_takes_them_too():
    assert ThresholdRule(HALF, folds=np.int64(4), seed=np.int64(1)) == ThresholdRule(0.5, folds=4, seed=1)
    assert hash(Axis("n_human", range(3))) == hash(Axis("n_human", (0, 1, 2)))


@pytest.mark.parametrize(
    ("ask", "field"),
    [
        (lambda: ta.plan(**PLAN, n_metric=9, difference="x"), "difference"),
        (lambda: ta.plan(**PLAN, budget="100", cost_human=1), "budget"),
        (lambda: ta.assurance(DESIGN, "x"), "difference"),
        (lambda: ta.assurance(DESIGN, 0.1, draws=0), "draws"),
        (lambda: ta.assurance(DESIGN, 0.1, ranges={"power": (0.1, 0.2)}), "ranges"),
        (lambda: ta.simulate_power(DESIGN, 0.1, runs=0), "runs"),
        (lambda: ta.simulate_power(DESIGN, "x"), "difference"),
        (lambda: ta.split_budget(DESIGN, Costs(1, 0.01), 1000, power=2), "power"),
        (lambda: Axis("rate", 0.5), "axis rate"),
        (lambda: ta.difference_map(Axis("n_human", (9,)), RATES, **MAP, sampling="random"), "fixed"),
        (lambda: trend(ta.compare({"A": (6, 10), "B": (5, 10)}), ["A", "B"], error="0.05"), "error"),
        (lambda: ta.compare({1: (6, 10), "1": (5, 10)}), "systems"),
        (lambda: ta.compare({"A": (6, 10), "B": (5, 10)}, items={("A", "C"): Evidence.of((1, 2))}), "items"),
        (lambda: ta.compare({"A": (6, 10), "B": (5, 10)}, items={("A", "B"): (1, 2)}), "items A and B"),
        (lambda: ta.compare({"A": (6, 10), "B": (5, 10)}, items=[1]), "items"),
    ],
)
def test_what_is_none_is_refused(ask, field):
    with pytest.raises(InvalidInput, match=f"^`{field}` must") as refused:
        ask()
    assert len(str(refused.value).splitlines()) == 1


def test_systems_and_pairs_of_them_may_be_numbered():
    both = Evidence(Counts(((),) * 4, (5, 1, 9, 5), (), PAIRED, NO_METRIC))
    found = ta.compare({1: (14, 20), 2: (6, 20)}, items={(1, 2): both})
    assert found.pairs[0].items == 20


@pytest.mark.parametrize("level", [0, 1, 2, 95, "0.9", None, float("nan")], ids=str)
@pytest.mark.parametrize("kind", ["highest-density", "equal-tailed"])
def test_intervals_of_a_distribution_want_a_level(level, kind):
    for distribution in (
        ta.posterior(Evidence.of((6, 10))),
        ta.compare({"A": (6, 10), "B": (5, 10)}).pairs[0].distribution,
    ):
        with pytest.raises(InvalidInput, match="`confidence_level` must be a number between 0 and 1"):
            distribution.interval(level, kind=kind)


def test_a_distribution_is_shown_by_its_mean_and_sd():
    assert repr(ta.posterior(Evidence.of((60, 100)))) == "<BetaDensity: mean 0.598, sd 0.04831>"
