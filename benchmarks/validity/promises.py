"""Promises: plans, how many more ratings are needed, gates and alarms, against what happens then."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import tellapart as ta
from validity.cell import Band, Cell, Outcomes
from validity.drawn import Rng, adequate, evidence, table, verdicts

MARGIN = 0.03


@cache
def _plan(asked: tuple[tuple[str, Any], ...]) -> ta.Plan:
    return ta.plan(**dict(asked))


def planned(rng: Rng, **asked: Any) -> Outcomes:
    """Do what the plan says with systems that differ as it takes for granted."""
    plan = _plan(tuple(asked.items()))
    design = plan.design
    apart = np.array([0.5, -0.5]) * (plan.difference or plan.difference_at_power)
    own = design.n_human, design.n_metric, design.tpr, design.tnr
    systems = {name: evidence(rng, rate, *own) for name, rate in zip("AB", design.rate + apart, strict=True)}
    pair = ta.compare(systems, borrow="none").pairs[0]
    return {"found": pair.distinguishable and pair.first == "A", "wrong": pair.distinguishable and pair.first == "B"}


def plans() -> list[Cell]:
    """Every number that a plan can be asked for."""
    judge, bad = {"tpr": 0.9, "tnr": 0.9}, {"tpr": 0.7, "tnr": 0.75}
    asked: list[tuple[str, dict[str, Any], float]] = [
        (
            "human ratings for 5 points, good judge, 10,000",
            {"rate": 0.6, **judge, "n_metric": 10_000, "difference": 0.05},
            0.8,
        ),
        (
            "human ratings for 10 points, bad judge, 2,000",
            {"rate": 0.7, **bad, "n_metric": 2000, "difference": 0.1},
            0.8,
        ),
        (
            "human ratings for 5 points at a rate of 0.95",
            {"rate": 0.95, **judge, "n_metric": 2000, "difference": 0.05},
            0.8,
        ),
        ("human ratings for 15 points without a judge", {"rate": 0.5, **judge, "n_metric": 0, "difference": 0.15}, 0.8),
        (
            "the difference found, 50 + 1,000, good judge",
            {"rate": 0.6, **judge, "n_human": 50, "n_metric": 1000, "power": 0.8},
            0.8,
        ),
        (
            "the difference found half the time, 100 + 1,000",
            {"rate": 0.6, **bad, "n_human": 100, "n_metric": 1000, "power": 0.5},
            0.5,
        ),
        (
            "judge's ratings for 10 points, 200 human ones",
            {"rate": 0.6, **judge, "n_human": 200, "difference": 0.1},
            0.8,
        ),
    ]
    return [
        Cell("plans", name, planned, own, {"found": _near(promised)}, f"promised: {promised:.0%}")
        for name, own, promised in asked
    ]


def _near(promised: float) -> Band:
    return promised - 0.04, promised + 0.06


@cache
def _pilot(
    rates: tuple[float, float], n_human: int, n_metric: int, tpr: float, tnr: float, borrow: str
) -> tuple[ta.Needed, list[Any]]:
    """Return what a pilot needs in which all came out as expected."""
    systems = {}
    for name, rate in zip("AB", rates, strict=True):
        good = round(n_human * rate)
        tp, tn = round(good * tpr), round((n_human - good) * tnr)
        passed = round(n_metric * (rate * tpr + (1 - rate) * (1 - tnr)))
        calibration = ta.Confusion(tp=tp, fn=good - tp, tn=tn, fp=n_human - good - tn)
        metric = (passed, n_metric) if n_metric else None
        systems[name] = ta.Evidence.of((good, n_human), calibration=calibration if metric else None, metric=metric)
    result = ta.compare(systems, borrow=borrow)
    return result.needed[0], [result.estimates[name] for name in "AB"]


def continued(rng: Rng, *, kind: str, borrow: str, **pilot: Any) -> Outcomes:
    """Buy the ratings that a pilot is said to need; what it estimated is true.

    People are first shown outputs that the judge has rated already.
    """
    need, estimates = _pilot(**pilot, borrow=borrow)
    more = getattr(need, kind).likely
    systems = {name: _with(rng, one, more, kind) for name, one in zip("AB", estimates, strict=True)}
    pair = ta.compare(systems, borrow=borrow).pairs[0]
    return {"found": pair.distinguishable and pair.first == "A", "more": more}


def _with(rng: Rng, now: ta.Estimate, more: int, kind: str) -> ta.Evidence:
    """Draw further ratings of a system, and add them up."""
    human, alpha = now.evidence.human, now.mean
    if now.quality is None:
        return ta.Evidence.of((human.positive + int(rng.binomial(more, alpha)), human.total + more))
    tpr, tnr = now.quality.tpr.mean, now.quality.tnr.mean
    q = alpha * tpr + (1 - alpha) * (1 - tnr)
    old, metric = now.evidence.confusion, now.evidence.metric
    if kind == "metric":
        metric = (metric.positive + int(rng.binomial(more, q)), metric.total + more)
        return ta.Evidence.of(human, calibration=old, metric=metric)
    shown = min(more, metric.total)
    passed = int(rng.hypergeometric(metric.positive, metric.total - metric.positive, shown))
    fresh = int(rng.binomial(more - shown, q))
    tp = int(rng.binomial(passed + fresh, alpha * tpr / q))
    fn = int(rng.binomial(more - passed - fresh, alpha * (1 - tpr) / (1 - q)))
    fp, tn = passed + fresh - tp, more - passed - fresh - fn
    calibration = ta.Confusion(tp=old.tp + tp, fn=old.fn + fn, tn=old.tn + tn, fp=old.fp + fp)
    rest = (metric.positive - passed, metric.total - shown)
    return ta.Evidence.of(calibration.human, calibration=calibration, metric=rest)


def needs() -> list[Cell]:
    """Pilots with a judge and without, each system by itself or with similar error rates."""
    judge, sharp, similar = {"tpr": 0.9, "tnr": 0.8}, {"tpr": 0.97, "tnr": 0.95}, "similar error rates, "
    asked = [((0.66, 0.58), 100, 1000, judge), ((0.64, 0.6), 100, 2000, judge), ((0.9, 0.84), 50, 500, judge)]
    asked += [((0.66, 0.58), 100, 0, judge)]
    people = [(*one, "human", "none", "more ratings by people") for one in asked]
    people += [(*one, "human", "rates", f"{similar}more ratings by people") for one in asked[:3]]
    machine = [((0.63, 0.57), 300, 200, sharp, "metric", "none", "more ratings by a sharp judge")]
    return [
        Cell(
            "needed",
            f"{rates[0]:.0%} against {rates[1]:.0%} after {n} + {m:,}, {what}",
            continued,
            {"rates": rates, "n_human": n, "n_metric": m, **quality, "kind": kind, "borrow": borrow},
        )
        for rates, n, m, quality, kind, borrow, what in people + machine
    ]


def gated(rng: Rng, *, gap: float, rated: bool, expected: str) -> Outcomes:
    """A candidate, worse by the gap than a baseline of .75; the judge is a little more lenient with one of them."""
    rates, lenient = np.array([0.75 - gap, 0.75]), 0.3 * rng.standard_normal(2)
    truth = adequate(rng, rates, 1000, 0.4 if rated else 0.0)
    tprs, tnrs = 1 / (1 + np.exp(-2.2 - lenient)), 1 / (1 + np.exp(-1.7 + lenient))
    passed = verdicts(rng, truth, tprs[:, None], tnrs[:, None])
    frame = table(truth, passed, np.array([[200 if rated else 0], [200]]) > np.arange(1000))
    parts = [frame.filter(frame["system"] == name).drop("system") for name in ("S1", "S2")]
    found = ta.gate(parts[0], baseline=parts[1], margin=MARGIN, borrow="rates", paired=rated).decision
    return {"found" if expected == "fail" and gap > MARGIN else "wrong": found == expected}


def watched(rng: Rng, *, runs: int, change: float) -> Outcomes:
    """Runs of 300 outputs, 50 of them rated; from the middle on the rate falls, or nothing changes."""
    frames = []
    for run in range(runs):
        truth = rng.random((1, 300)) < 0.75 - change * (run >= runs // 2)
        frames.append(table(truth, verdicts(rng, truth, 0.9, 0.85), 50).drop("system"))
    alarms = ta.trend(frames, borrow="none").alarms
    return {"found" if change else "wrong": bool(alarms)}


def gates() -> list[Cell]:
    """A version that is worse by the margin should not pass, one that is no worse should not fail; and alarms."""
    by = f"{100 * MARGIN:.0f} points"
    asked: list[tuple[str, Any, dict[str, Any]]] = [
        (f"gate: worse by the margin of {by}, and passes", gated, {"gap": MARGIN, "rated": True, "expected": "pass"}),
        (
            f"gate: worse by {by}, rated by the judge alone, and passes",
            gated,
            {"gap": MARGIN, "rated": False, "expected": "pass"},
        ),
        ("gate: no worse, and fails", gated, {"gap": 0.0, "rated": True, "expected": "fail"}),
        (
            "gate: no worse, rated by the judge alone, and fails",
            gated,
            {"gap": 0.0, "rated": False, "expected": "fail"},
        ),
        ("gate: worse by 20 points, and fails", gated, {"gap": 0.2, "rated": True, "expected": "fail"}),
        ("trend: 12 runs without a change, some alarm", watched, {"runs": 12, "change": 0.0}),
        ("trend: 12 runs, 20 points worse from the middle on, some alarm", watched, {"runs": 12, "change": 0.2}),
    ]
    return [Cell("gates", name, make, given) for name, make, given in asked]
