"""One system: its rate from people and a binary judge, however many of each; and rates drawn from the prior."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import polars as pl
from scipy.stats import binom

import tellapart as ta
from validity.cell import Cell, Outcomes
from validity.drawn import Rng, confusion, counts, evidence, held, leveled, table, tally, verdicts

RATES = (0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)
JUDGES = {"good": (0.9, 0.85), "bad": (0.6, 0.55), "lenient": (0.98, 0.5)}
FEW, MANY = 5, 30
UNKNOWN = (
    "so few human ratings leave the judge unknown, and what the prior says about it decides; counts are whole numbers"
)
SIZES = ((10, 1000), (30, 10_000), (100, 10), (100, 1000), (100, 100_000), (1000, 1000))


@cache
def _people(positive: int, n: int, prior: str) -> ta.Interval:
    return ta.estimate(human=(positive, n), prior=prior).interval


def people(rng: Rng, *, rate: float, n_human: int, prior: str) -> Outcomes:
    """Estimate one system from people's ratings alone; there are few answers, and each is computed once."""
    interval = _people(int(rng.binomial(n_human, rate)), n_human, prior)
    return {"covered": interval.low <= rate <= interval.high, "width": interval.width}


def people_alone() -> list[Cell]:
    """All rates, few ratings and many."""
    asked = [(prior, n, rate) for prior in ("uniform", "jeffreys") for n in (10, 30, 100, 300, 1000) for rate in RATES]
    return [
        Cell(
            "people",
            f"{n:,} ratings, {prior}, rate {rate}",
            people,
            {"rate": rate, "n_human": n, "prior": prior},
            allowed={"covered": (0.85, 1.0)},
            note=_rare(n, rate, "with a fixed rate the share jumps up and down, as counts are whole numbers"),
        )
        for prior, n, rate in asked
    ]


def worst(n: int, kind: str) -> float:
    """Return the least share of intervals that hold the truth, over all rates from .5 to .995: nothing is simulated."""
    rates, positive = np.linspace(0.5, 0.995, 496)[:, None], np.arange(n + 1)
    found = [ta.estimate(human=(int(k), n), interval=kind).interval for k in positive]
    low, high = (np.array([getattr(interval, end) for interval in found]) for end in ("low", "high"))
    chances = binom.pmf(positive, n, rates)
    return float((chances * ((low <= rates) & (rates <= high))).sum(axis=1).min())


def _rare(n_human: int, rate: float, otherwise: str = "") -> str:
    """Explain what happens where hardly any output of one kind is expected among those that people rate."""
    if n_human * min(rate, 1 - rate) < FEW:
        few = f"fewer than {FEW} outputs of the rarer kind are expected among those that people rate"
        return f"{few}, so that a single one decides"
    return otherwise


def one(rng: Rng, *, rate: float, n_human: int, n_metric: int, judge: str, prior: str) -> Outcomes:
    """Estimate one system."""
    return held(ta.estimate(**counts(rng, rate, n_human, n_metric, *JUDGES[judge]), prior=prior), rate)


def _one(rate: float, n_human: int, n_metric: int, judge: str, prior: str) -> Cell:
    given = {"rate": rate, "n_human": n_human, "n_metric": n_metric, "judge": judge, "prior": prior}
    name = f"{judge} judge, {n_human:,} + {n_metric:,}, {prior}, rate {rate}"
    return Cell(
        "one",
        name,
        one,
        given,
        note=_rare(n_human, rate, UNKNOWN if n_human <= MANY else ""),
        allowed={"covered": (0.9, 1.0)},
    )


def one_system() -> list[Cell]:
    """All rates, with judges of every quality."""
    judged = [(n, m, judge) for judge in JUDGES for n, m in SIZES]
    jeffreys = [(n, m, judge) for judge in ("good", "bad") for n, m in SIZES if (n, m) in {(10, 1000), (100, 1000)}]
    asked = [(*row, "uniform") for row in judged] + [(*row, "jeffreys") for row in jeffreys]
    return [_one(rate, *row) for row in asked for rate in RATES]


# rates from the prior: 95 % must come out exactly


def both(result: Any, truth: float) -> Outcomes:
    """Tell whether the 95 % and the 50 % interval hold the truth."""
    half = getattr(result, "posterior", result).interval(0.5)
    return held(result, truth) | {"half": half.low <= truth <= half.high}


def _drawn(rng: Rng, prior: ta.Prior) -> list[float]:
    return [float(rng.beta(*pair)) for pair in (prior.rate, prior.tpr, prior.tnr)]


def binary(rng: Rng, *, n_human: int, n_metric: int, prior: Any) -> Outcomes:
    """Rate and error rates are drawn from the prior that the analysis has."""
    believed = ta.Prior.of(prior)
    rate, tpr, tnr = _drawn(rng, believed)
    return both(ta.estimate(**counts(rng, rate, n_human, n_metric, tpr, tnr), prior=believed), rate)


def known(rng: Rng, *, n_human: int, n_metric: int) -> Outcomes:
    """The judge's error rates are known."""
    rate, tpr, tnr = rng.random(3)
    passed = int(rng.binomial(n_metric, rate * tpr + (1 - rate) * (1 - tnr)))
    human = int(rng.binomial(n_human, rate)), n_human
    return both(ta.estimate(human=human, rates=(tpr, tnr), metric=(passed, n_metric)), rate)


def elsewhere(rng: Rng, *, n_human: int, n_metric: int) -> Outcomes:
    """The judge was calibrated on outputs of another system, and errs alike."""
    rate, tpr, tnr = rng.random(3)
    other = rng.random(300) < 0.5
    passed = int(rng.binomial(n_metric, rate * tpr + (1 - rate) * (1 - tnr)))
    calibration = confusion(other, verdicts(rng, other, tpr, tnr))
    human = int(rng.binomial(n_human, rate)), n_human
    return both(ta.estimate(human=human, calibration=calibration, metric=(passed, n_metric)), rate)


def levels(rng: Rng, *, levels: int, n_human: int, n_metric: int) -> Outcomes:
    """A judge with levels, which are not merged."""
    rate, rates = rng.random(), rng.dirichlet([2 / levels] * levels, size=2)
    found = leveled(rng, rate, n_human, n_metric, rates)
    return both(ta.posterior(ta.Evidence.of(found.pop("human"), **found)), rate)


def by_metric(rng: Rng, *, half: int, n: int) -> Outcomes:
    """People rate so many outputs of each verdict; the prior is one of the table of verdict by truth."""
    shares = rng.dirichlet([1.0] * 4)  # passed and adequate, passed and not, failed and adequate, failed and not
    kind = rng.choice(4, size=n, p=shares)
    passed, truth = kind < 2, kind % 2 == 0
    rated = np.concatenate([np.flatnonzero(passed)[:half], np.flatnonzero(~passed)[:half]])
    calibration, rest = confusion(truth[rated], passed[rated]), np.delete(passed, rated)
    given = {"calibration": calibration, "metric": tally(rest), "sampling": "by-metric"}
    return both(ta.estimate(human=calibration.human, **given), shares[0] + shares[2])


def difference(rng: Rng, *, n_human: int, n_metric: int) -> Outcomes:
    """Two systems, each with error rates of its own."""
    truths = {name: rng.random(3) for name in "AB"}
    systems = {name: evidence(rng, rate, n_human, n_metric, *own) for name, (rate, *own) in truths.items()}
    pair = ta.compare(systems, borrow="none").pairs[0]
    return both(pair.distribution, truths[pair.first][0] - truths[pair.second][0])


def paired(rng: Rng, *, n_human: int, n_metric: int) -> Outcomes:
    """Two systems on the same items: both inadequate, only the second adequate, only the first, both."""
    shares, rates = rng.dirichlet([1.0] * 4), rng.dirichlet([0.25] * 4, size=4)
    kind = rng.choice(4, size=n_human + n_metric, p=shares)
    said = (rng.random(len(kind))[:, None] > rates[kind].cumsum(axis=1)[:, :-1]).sum(axis=1)
    frame = table(np.array([kind >= 2, kind % 2 == 1]), np.array([said >= 2, said % 2 == 1]), n_human)
    pair = ta.read_ratings(frame).compare(borrow="items").pairs[0]
    return both(pair.distribution, (shares[2] - shares[1]) * (1 if pair.first == "S1" else -1))


def outcome(rng: Rng, *, n_human: int, n_metric: int) -> Outcomes:
    """Loss, tie and win of one system against another."""
    shares, rates = rng.dirichlet([1.0] * 3), rng.dirichlet([1 / 3] * 3, size=3)
    kind = rng.choice(3, size=n_human + n_metric, p=shares)
    said = (rng.random(len(kind))[:, None] > rates[kind].cumsum(axis=1)[:, :-1]).sum(axis=1)
    match = ta.read_pairs(pairs_table(kind, said, n_human)).compare().matchups[0]
    return both(match.distribution, (shares[2] - shares[0]) * (1 if match.first == "A" else -1))


def pairs_table(kind: np.ndarray, said: np.ndarray, n_human: int) -> pl.DataFrame:
    """Return a table of pairs; 0 is a loss of A, 1 a tie, 2 a win."""
    words = np.array(["b", "tie", "a"])
    columns = {"system_a": ["A"] * len(kind), "system_b": ["B"] * len(kind), "item": np.arange(len(kind))}
    frame = pl.DataFrame(columns | {"human": words[kind], "judge": words[said]})
    return frame.with_columns(human=pl.when(pl.col("item") < n_human).then("human"))


def from_the_prior() -> list[Cell]:
    """Every model whose prior can be drawn from."""
    sizes = ((10, 0), (10, 100), (50, 1000), (300, 10_000))
    named = [
        (f"{prior if isinstance(prior, str) else 'Beta(8, 2)'} prior, {n} + {m:,}", binary, n, m, {"prior": prior})
        for prior in ("uniform", "jeffreys", (8.0, 2.0))
        for n, m in (sizes if prior == "uniform" else sizes[1:3])
    ]
    named += [(f"known error rates, {n} + {m:,}", known, n, m, {}) for n, m in ((0, 1000), (50, 1000))]
    named += [(f"calibrated elsewhere, {n} + {m:,}", elsewhere, n, m, {}) for n, m in ((0, 1000), (50, 1000))]
    named += [(f"{k} levels, 50 + 1,000", levels, 50, 1000, {"levels": k}) for k in (3, 8)]
    named += [("two systems, 50 + 500 each", difference, 50, 500, {})]
    named += [("two systems on the same items, 50 + 500", paired, 50, 500, {})]
    named += [("win, tie, loss, 50 + 500", outcome, 50, 500, {})]
    chosen = Cell("prior", "chosen by verdict, 25 of each of 1,000", by_metric, {"half": 25, "n": 1000})
    return [Cell("prior", name, make, {"n_human": n, "n_metric": m, **more}) for name, make, n, m, more in named] + [
        chosen
    ]
