"""More than pass or fail: levels, several judges, scores that are cut; and which judge is worth most."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy.special import ndtr

import tellapart as ta
from validity.cell import Cell, Outcomes
from validity.drawn import Rng, held, leveled, table

RULES = ("equal", "worth", "youden")


def levels(rng: Rng, *, rate: float, levels: int, n_human: int, slope: float) -> Outcomes:
    """A judge with levels, each next one likelier for adequate outputs by a factor; rare levels are merged."""
    up = np.exp(slope * np.arange(levels))
    rates = np.array([up[::-1], up]) / up.sum()
    return held(ta.estimate(**leveled(rng, rate, n_human, 1000, rates)), rate)


def with_levels() -> list[Cell]:
    """Few and many levels, of which some are rare."""
    asked = [(rate, k, n, 0.35) for rate in (0.3, 0.8, 0.95) for k in (5, 10) for n in (50, 300)]
    asked += [(0.8, 5, 100, slope) for slope in (0.0, 1.0)]
    return [
        Cell(
            "levels",
            f"{k} levels, {n} + 1,000, judge {_quality(slope)}, rate {rate}",
            levels,
            {"rate": rate, "levels": k, "n_human": n, "slope": slope},
        )
        for rate, k, n, slope in asked
    ]


def _quality(slope: float) -> str:
    return {0.0: "useless", 0.35: "fair", 1.0: "good"}[slope]


def several(rng: Rng, *, rate: float, judges: int, common: float, fuse: str, n_human: int) -> Outcomes:
    """Judges that all err on the same outputs, so many of them, and on a twentieth of the others each by itself."""
    truth = rng.random(n_human + 1000) < rate
    wrong = rng.random(len(truth)) < common
    said = {
        f"judge_{i}": np.where(wrong | (rng.random(len(truth)) < 0.05), ~truth, truth).astype(int)
        for i in range(judges)
    }
    frame = table(truth[None], truth[None], n_human, **said).drop("judge")
    found = ta.read_ratings(frame, metric=list(said), fuse=fuse).estimate()
    return held(found.systems["S1"], rate)


def together() -> list[Cell]:
    """Two and three judges, with errors in common and without."""
    asked = [
        (rate, k, common, "joint", n) for rate in (0.7, 0.95) for k in (2, 3) for common, n in ((0.15, 100), (0.0, 50))
    ]
    asked += [(0.95, 3, 0.0, "joint", 200)]
    asked += [(0.7, 2, common, "sequential", 100) for common in (0.0, 0.15)]
    return [
        Cell(
            "judges",
            f"{k} judges, {'common' if common else 'independent'} errors, {n} + 1,000, rate {rate}"
            + (", used one after the other" if fuse == "sequential" else ""),
            several,
            {"rate": rate, "judges": k, "common": common, "fuse": fuse, "n_human": n},
            note=SEQUENTIAL if fuse == "sequential" else PATTERNS,
            allowed={"covered": (0.8 if fuse == "sequential" else 0.92, 1.0)},
        )
        for rate, k, common, fuse, n in asked
    ]


PATTERNS = "so many patterns of verdicts leave few rated outputs for each; with more human ratings that is gone"
SEQUENTIAL = "the judges err on the same outputs, and were used as if they did not"


def cut(rng: Rng, *, rate: float, shift: float, rule: str, n_human: int, folds: int) -> Outcomes:
    """A score, normal around 0 for inadequate outputs and the shift for adequate ones, cut where the data say."""
    truth = rng.random((1, n_human + 1000)) < rate
    score = rng.normal(size=truth.shape) + shift * truth
    frame = table(truth, truth, n_human, score=score.ravel()).drop("judge")
    ratings = ta.read_ratings(frame, metric="score", threshold=ta.ThresholdRule(rule, folds=folds))
    return held(ratings.estimate().systems["S1"], rate)


def thresholds() -> list[Cell]:
    """Every rule, cross-fitted; and naively, for comparison."""
    asked = [(rate, 1.5, rule, n, 5) for rate in (0.6, 0.9) for rule in RULES for n in (50, 200)]
    asked += [(0.6, shift, "equal", 50, 5) for shift in (0.5, 3.0)] + [
        (0.6, 0.5, "worth", 50, folds) for folds in (5, 1)
    ]
    return [
        Cell(
            "thresholds",
            f"rule {rule}{', chosen naively' * (folds == 1)}, {n} + 1,000, scores {shift} apart, rate {rate}",
            cut,
            {"rate": rate, "shift": shift, "rule": rule, "n_human": n, "folds": folds},
        )
        for rate, shift, rule, n, folds in asked
    ]


def ranked(rng: Rng, *, n: int, systems: int, shift: float, accuracy: float) -> Outcomes:
    """How much a score and a verdict are worth, and their areas under the curve."""
    truth = rng.random(n) < 0.6
    verdict = np.where(rng.random(n) < accuracy, truth, ~truth).astype(int)
    score = rng.normal(size=n) + shift * truth
    columns = {"system": [f"S{i % systems}" for i in range(n)], "item": np.arange(n), "human": truth.astype(int)}
    found = ta.metrics(pl.DataFrame(columns | {"score": score, "judge": verdict}))
    best = max(ta.worth(0.6, 1 - ndtr(c - shift), ndtr(c)) for c in np.linspace(-3, 5, 161))
    true = {"score": (best, ndtr(shift / np.sqrt(2))), "judge": (ta.worth(0.6, accuracy, accuracy), accuracy)}
    seen = {
        f"{what} of the {one.name}": span.low <= value <= span.high
        for one in found.metrics
        for what, span, value in zip(("worth", "AUC"), (one.interval, one.auc_interval), true[one.name], strict=True)
    }
    return {"covered": float(np.mean(list(seen.values()))), **seen}


def ranking() -> list[Cell]:
    """Weak and strong metrics, few and many ratings."""
    return [
        Cell(
            "metrics",
            f"{n} ratings of {systems} system{'s' * (systems > 1)}, scores {shift} apart, judge {accuracy:.0%} right",
            ranked,
            {"n": n, "systems": systems, "shift": shift, "accuracy": accuracy},
        )
        for n, systems in ((60, 1), (300, 6))
        for shift, accuracy in ((0.5, 0.6), (1.5, 0.8), (2.5, 0.95))
    ]
