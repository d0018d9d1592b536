"""The guarantee itself: intervals cover as often as they say, and equal systems are rarely told apart."""

from __future__ import annotations

import os

import numpy as np
import pytest
from scipy import stats

from tellapart import Confusion, Evidence, Tally, compare, estimate, posterior

pytestmark = pytest.mark.slow

RUNS = 400 if "CI" in os.environ else 1000  # the bands widen with the error of the simulation


def draw(rng: np.random.Generator, rate: float, tpr: float, tnr: float) -> Evidence:
    """Human-rated outputs, which also calibrate, and metric ratings of others."""
    n_human, n_metric = 50, 1000
    positive = int(rng.binomial(n_human, rate))
    tp, tn = int(rng.binomial(positive, tpr)), int(rng.binomial(n_human - positive, tnr))
    passed = int(rng.binomial(n_metric, rate * tpr + (1 - rate) * (1 - tnr)))
    confusion = Confusion(tp=tp, fn=positive - tp, tn=tn, fp=n_human - positive - tn)
    return Evidence.of((positive, n_human), calibration=confusion, metric=(passed, n_metric))


@pytest.mark.parametrize(("rate", "tpr", "tnr"), [(0.6, 0.7, 0.7), (0.95, 0.9, 0.7), (0.3, 0.62, 0.58)])
def test_interval_covers(rate: float, tpr: float, tnr: float) -> None:
    """95 % intervals cover 94 to 97 % of the time; the band adds three standard errors of the simulation."""
    rng = np.random.default_rng(20221207)
    covered = 0
    for _ in range(RUNS):
        evidence = draw(rng, rate, tpr, tnr)
        result = estimate(human=evidence.human, calibration=evidence.confusion, metric=evidence.metric)
        covered += result.interval.low <= rate <= result.interval.high
    error = 3 * np.sqrt(0.95 * 0.05 / RUNS)
    assert 0.94 - error <= covered / RUNS <= 0.97 + error


def test_equal_systems_are_rarely_told_apart() -> None:
    """At the 95 % level, false verdicts stay near 5 %, even where the metric errs differently by system."""
    rng = np.random.default_rng(5)
    verdicts = 0
    for _ in range(RUNS // 2):
        first = draw(rng, 0.6, 0.9, 0.8)
        second = draw(rng, 0.6, 0.8, 0.85)
        verdicts += compare({"first": first, "second": second}).pairs[0].distinguishable
    error = 3 * np.sqrt(0.05 * 0.95 / (RUNS // 2))
    assert verdicts / (RUNS // 2) <= 0.05 + error


def draw_chosen(rng: np.random.Generator, sampling: str, rate: float, tpr: float, tnr: float) -> Evidence:
    """1000 outputs rated by the metric; of these 100 rated by hand, half of each kind: of truth, or of verdict."""
    adequate = rng.random(1000) < rate
    passed = np.where(adequate, rng.random(1000) < tpr, rng.random(1000) >= tnr)
    kind = adequate if sampling == "balanced" else passed
    rated = np.concatenate([np.flatnonzero(kind)[:50], np.flatnonzero(~kind)[:50]])
    truth, verdict = adequate[rated], passed[rated]
    confusion = Confusion(
        tp=int((truth & verdict).sum()),
        fn=int((truth & ~verdict).sum()),
        tn=int((~truth & ~verdict).sum()),
        fp=int((~truth & verdict).sum()),
    )
    rest = np.delete(passed, rated)
    return Evidence.of(confusion.human, calibration=confusion, metric=(int(rest.sum()), len(rest)), sampling=sampling)


@pytest.mark.parametrize("sampling", ["balanced", "by-metric"])
@pytest.mark.parametrize(("rate", "tpr", "tnr"), [(0.8, 0.9, 0.8), (0.2, 0.75, 0.9)])
def test_interval_covers_where_outputs_were_chosen(sampling: str, rate: float, tpr: float, tnr: float) -> None:
    """The declared way of choosing is allowed for; taken as a random sample the same outputs cover next to never."""
    rng = np.random.default_rng(77)
    runs, covered, naive = RUNS // 2, 0, 0
    for _ in range(runs):
        evidence = draw_chosen(rng, sampling, rate, tpr, tnr)
        interval = posterior(evidence).interval()
        covered += interval.low <= rate <= interval.high
        taken_as_random = posterior(Evidence.of(evidence.human)).interval()
        naive += taken_as_random.low <= rate <= taken_as_random.high
    error = 3 * np.sqrt(0.95 * 0.05 / runs)
    assert covered / runs >= 0.94 - error
    assert naive / runs < 0.5


@pytest.mark.parametrize(("rate", "n", "half"), [(0.9, 400, 25), (0.8, 300, 40), (0.7, 400, 60), (0.6, 250, 50)])
def test_a_balanced_sample_depletes_the_rest(rate: float, n: int, half: int) -> None:
    """Of n outputs many were rated, as many adequate as not: the rest is not what all of them were.

    The rate of all of them covers; that of the rest alone, as if it were a sample of its own, does not.
    """
    rng = np.random.default_rng(13)
    runs, covered, naive = RUNS // 2, 0, 0
    for _ in range(runs):
        adequate = rng.random(n) < rate
        passed = np.where(adequate, rng.random(n) < 0.9, rng.random(n) >= 0.85)
        rated = np.concatenate([np.flatnonzero(adequate)[:half], np.flatnonzero(~adequate)[:half]])
        truth, verdict, rest = adequate[rated], passed[rated], np.delete(passed, rated)
        counts = (truth & verdict, truth & ~verdict, ~truth & ~verdict, ~truth & verdict)
        calibration = Confusion(*(int(kind.sum()) for kind in counts))
        metric = {"calibration": calibration, "metric": (int(rest.sum()), len(rest)), "sampling": "balanced"}
        for human in (calibration.human, Tally(0, 0)):
            interval = posterior(Evidence.of(human, **metric)).interval()
            hit = interval.low <= rate <= interval.high
            covered, naive = (covered + hit, naive) if human.total else (covered, naive + hit)
    error = 3 * np.sqrt(0.95 * 0.05 / runs)
    assert covered / runs >= 0.93 - error
    assert naive < covered


@pytest.mark.parametrize(("n", "least"), [(20, 0.90), (50, 0.91), (100, 0.92)])
def test_shortest_intervals_have_the_best_worst_case(n: int, least: float) -> None:
    """Human ratings only, coverage at every rate from 0.5 to 0.995 in full: nothing is simulated."""
    rates = np.linspace(0.5, 0.995, 496)
    counts = np.arange(n + 1)
    chances = stats.binom.pmf(counts, n, rates[:, None])
    worst = {}
    for kind in ("highest-density", "equal-tailed"):
        found = [posterior(Evidence.of((int(k), n))).interval(kind=kind) for k in counts]
        low, high = (np.array([getattr(interval, end) for interval in found]) for end in ("low", "high"))
        worst[kind] = (chances * ((low <= rates[:, None]) & (rates[:, None] <= high))).sum(axis=1).min()
    assert worst["highest-density"] >= least
    assert worst["highest-density"] >= worst["equal-tailed"]


def test_seven_equal_systems() -> None:
    """Some pair is told apart in two studies of five by the raw rule, and hardly ever when all pairs count together."""
    rng = np.random.default_rng(7)
    runs, raw, together = RUNS // 2, 0, 0
    for _ in range(runs):
        result = compare({f"S{i}": Evidence.of((int(rng.binomial(200, 0.6)), 200)) for i in range(7)})
        raw += any(pair.distinguishable_alone for pair in result.pairs)
        together += any(pair.distinguishable for pair in result.pairs)
    assert raw / runs > 0.25
    assert together / runs <= 0.05


def test_shared_rates_find_more_and_lie_no_more_often_if_they_are_shared() -> None:
    """At tpr .9, tnr .8 for both, a true difference of .1 is found in 93 % of runs (separate rates: 27 %).

    Without a difference false verdicts stay near 5 %. Bands of three standard errors of so many runs.
    """
    rng = np.random.default_rng(11)
    runs, found, separate, wrong = 60, 0, 0, 0
    for _ in range(runs):
        better, other, same = (draw(rng, rate, 0.9, 0.8) for rate in (0.7, 0.6, 0.6))
        found += compare({"better": better, "other": other}, borrow="shared").pairs[0].distinguishable
        separate += compare({"better": better, "other": other}, borrow="none").pairs[0].distinguishable
        wrong += compare({"other": other, "same": same}, borrow="shared").pairs[0].distinguishable
    assert found / runs >= 0.93 - 3 * np.sqrt(0.93 * 0.07 / runs)
    assert abs(separate / runs - 0.27) <= 3 * np.sqrt(0.27 * 0.73 / runs)
    assert wrong / runs <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
