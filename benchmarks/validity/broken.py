"""Where an assumption does not hold: how often intervals still hold the truth, and whether a caution comes."""

from __future__ import annotations

from typing import Any

import numpy as np

import tellapart as ta
from validity.cell import Cell, Outcomes
from validity.drawn import Rng, confusion, evidence, held, tally, verdicts

DOUBTS = {"conflict", "unlike-the-rest", "impossible-share"}


def _seen(result: ta.Estimate, rate: float) -> Outcomes:
    return held(result, rate) | {"warned": bool(DOUBTS & {caution.code for caution in result.warnings})}


def other_calibration(rng: Rng, *, n_human: int, other: tuple[float, float]) -> Outcomes:
    """The judge, right in .9/.8 here, was calibrated on outputs of another system with which it is otherwise."""
    truth, elsewhere = rng.random(n_human + 1000) < 0.6, rng.random(300) < 0.6
    passed, calibration = verdicts(rng, truth, 0.9, 0.8), confusion(elsewhere, verdicts(rng, elsewhere, *other))
    human, metric = tally(truth[:n_human]), tally(passed[n_human:])
    return _seen(ta.estimate(human=human, calibration=calibration, metric=metric), 0.6)


def erring_people(rng: Rng, *, share: float) -> Outcomes:
    """People misjudge so many of the outputs."""
    truth = rng.random(1200) < 0.8
    said, passed = truth ^ (rng.random(1200) < share), verdicts(rng, truth, 0.9, 0.8)
    calibration = confusion(said[:200], passed[:200])
    return _seen(ta.estimate(human=calibration.human, calibration=calibration, metric=tally(passed[200:])), 0.8)


def picked(rng: Rng, *, weight: float) -> Outcomes:
    """Adequate outputs are so many times as likely to be shown to people."""
    truth = rng.random(1100) < 0.6
    passed, chances = verdicts(rng, truth, 0.9, 0.8), np.where(truth, weight, 1.0)
    rated = np.zeros(len(truth), dtype=bool)
    rated[rng.choice(len(truth), 100, replace=False, p=chances / chances.sum())] = True
    calibration = confusion(truth[rated], passed[rated])
    return _seen(ta.estimate(human=calibration.human, calibration=calibration, metric=tally(passed[~rated])), 0.6)


def drifting(rng: Rng, *, later: tuple[float, float]) -> Outcomes:
    """The judge was changed after the outputs that people rated."""
    truth = rng.random(1100) < 0.6
    calibration = confusion(truth[:100], verdicts(rng, truth[:100], 0.9, 0.8))
    passed = verdicts(rng, truth[100:], *later)
    return _seen(ta.estimate(human=calibration.human, calibration=calibration, metric=tally(passed)), 0.6)


def twice(rng: Rng, *, n_human: int) -> Outcomes:
    """The outputs that people rated are counted among those that the judge alone rated as well."""
    truth = rng.random(n_human + 200) < 0.6
    passed = verdicts(rng, truth, 0.9, 0.8)
    calibration = confusion(truth[:n_human], passed[:n_human])
    return _seen(ta.estimate(human=calibration.human, calibration=calibration, metric=tally(passed)), 0.6)


def shared(rng: Rng, *, other: tuple[float, float]) -> Outcomes:
    """Two equal systems, compared as if the judge erred exactly alike; wrong verdicts in place of coverage."""
    systems = {"A": evidence(rng, 0.6, 50, 1000, 0.9, 0.8), "B": evidence(rng, 0.6, 50, 1000, *other)}
    result = ta.compare(systems, borrow="shared")
    warned = "rates-differ" in {caution.code for _, caution in result.cautions}
    return held(result.pairs[0], 0.0) | {"warned": warned, "wrong": result.pairs[0].distinguishable}


def assumptions() -> list[Cell]:
    """One assumption at a time, broken a little and a lot."""
    asked: list[tuple[str, Any, dict[str, Any]]] = [
        (
            f"calibrated on another system, {other[0]}/{other[1]} there and 0.9/0.8 here, {n} + 1,000",
            other_calibration,
            {"n_human": n, "other": other},
        )
        for n in (0, 100)
        for other in ((0.85, 0.85), (0.75, 0.9))
    ]
    asked += [
        (f"people misjudge {share:.0%} of 200 outputs", erring_people, {"share": share}) for share in (0.02, 0.05, 0.1)
    ]
    asked += [(f"adequate outputs {w} times as likely to be rated", picked, {"weight": w}) for w in (1.25, 2.0, 4.0)]
    asked += [
        (f"judge {a}/{b} after it was calibrated as 0.9/0.8", drifting, {"later": (a, b)})
        for a, b in ((0.92, 0.75), (0.97, 0.6))
    ]
    asked += [(f"{n} human-rated outputs counted twice among {n + 200}", twice, {"n_human": n}) for n in (50, 200)]
    asked += [
        (f"shared rates asked for, {a}/{b} for one system and 0.9/0.8 for the other", shared, {"other": (a, b)})
        for a, b in ((0.9, 0.8), (0.85, 0.83), (0.8, 0.85))
    ]
    return [Cell("broken", name, make, given) for name, make, given in asked]
