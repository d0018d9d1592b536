"""How much can any rule find that does not know how much a judge's leniency scatters? A bound, by duality.

    PYTHONPATH=benchmarks python benchmarks/scatter_bound.py --studies 2000

Judges, rates and the scatter are drawn; two of two or more systems are ten points apart, and leniency scatters by 0.2.
A rule may look at all ratings in any way. Where the two are equally good, it may be wrong in 8% of studies whatever the
scatter, and in 5% on average over what is believed of the scatter. By how often a likelihood of the studies exceeds
weighted likelihoods of those equally good ones (the dual of the linear programme whose solution is the best rule), no
such rule finds more than the bound, not even one that knows from which judges and rates the studies were drawn, how
large the difference is, and what the scatter is where there is one. Weights are chosen on one half of the studies and
the bound is taken from the other half, both ways. What is done is kept in build/.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import special
from scipy.ndimage import convolve1d
from scipy.optimize import linprog
from validity.drawn import adequate, confusion, tally, verdicts
from validity.studies import ALONE, TNR, TPR, Oracle

import tellapart as ta
from tellapart.core.pooled import PooledRates, Scatter

N, METRIC, SHIFT = 50, 1000, 5  # human and metric ratings of each system; rates are 5 points above and below
LENIENT, SHARP = (
    np.sqrt(0.5) * (special.logit(TPR) - special.logit(TNR)),
    np.sqrt(0.5) * (special.logit(TPR) + special.logit(TNR)),
)
SPREAD = 0.6, 0.4  # of the judges' mean leniency and discrimination
STEP = 0.1
LENIENCY = LENIENT + STEP * np.arange(-40, 41)
DISCRIMINATION = SHARP + STEP * np.arange(-20, 21)
RATES = np.arange(40, 81) / 100
LOW, HIGH, PARTS = 45, 75, 3  # of the drawn rates, in points; the rule must hold in each part of them
KNOWN = 0.2, 0.1  # scatter of leniency and discrimination where the systems differ
LENIENCY_SDS = np.array([0, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1, 1.5, 2.5])
SHARP_SDS = np.array([0.05, 0.15, 0.25, 0.4])
ASKED = 0.2, 0.6, 1.0  # scatters of leniency with a limit of their own
EACH, MEAN = 0.08, 0.05
Row = dict[str, Any]


def believed() -> np.ndarray:
    """Return how probable each pair of scatters is before any rating: half-Cauchy times half-normal, in steps."""
    usual = Scatter()
    first, second = (np.concatenate(([0], (s[1:] + s[:-1]) / 2, [np.inf])) for s in (LENIENCY_SDS, SHARP_SDS))
    return np.outer(
        np.diff(2 / np.pi * np.arctan(first / usual.leniency)), np.diff(2 * special.ndtr(second / usual.discrimination))
    )


def families() -> tuple[np.ndarray, np.ndarray]:
    """Return what is asked of the rule: weights of the pairs of scatters, and the share of studies on one side."""
    every = [believed()]
    for i, j in np.ndindex(len(LENIENCY_SDS), len(SHARP_SDS)):
        if LENIENCY_SDS[i] in ASKED:
            one = np.zeros_like(every[0])
            one[i, j] = 1
            every.append(one)
    return np.array(every), np.array([MEAN / 2] + [EACH / 2] * (len(every) - 1))


def kernel(sd: float) -> np.ndarray:
    reach = STEP * np.arange(-int(np.ceil(4.5 * sd / STEP)), int(np.ceil(4.5 * sd / STEP)) + 1)
    height = np.exp(-0.5 * (reach / sd) ** 2) if sd else np.ones(1)
    return height / height.sum()


def smooth(values: np.ndarray, sd: float, axis: int) -> np.ndarray:
    return convolve1d(values, kernel(float(sd)), axis=axis, mode="constant")


def likelihood(truth: np.ndarray, passed: np.ndarray) -> np.ndarray:
    """Return the likelihood of one system's ratings over rate, leniency and discrimination, up to a constant."""
    lenient, sharp = np.sqrt(0.5) * LENIENCY[:, None], np.sqrt(0.5) * DISCRIMINATION
    tpr, tnr, rate = special.expit(sharp + lenient), special.expit(sharp - lenient), RATES[:, None, None]
    t, p = truth[:N], passed[:N]
    share, m = rate * tpr + (1 - rate) * (1 - tnr), passed[N:].sum()
    logs = (t & p).sum() * np.log(rate * tpr) + (t & ~p).sum() * np.log(rate * (1 - tpr))
    logs += (~t & p).sum() * np.log((1 - rate) * (1 - tnr)) + (~t & ~p).sum() * np.log((1 - rate) * tnr)
    logs += m * np.log(share) + (METRIC - m) * np.log1p(-share)
    return np.exp(logs - logs.max())


def study(number: int, systems: int) -> Row:
    """Draw one study; return its likelihoods with equally good systems over that with the difference, and verdicts."""
    rng = np.random.default_rng([number, systems])
    point = rng.integers(LOW, HIGH + 1)
    rates = np.full(systems, point / 100)
    rates[:2] += np.array([SHIFT, -SHIFT]) / 100
    lenient, sharp = (
        rng.normal(mean, sd) + scatter * rng.standard_normal(systems)
        for mean, sd, scatter in zip((LENIENT, SHARP), SPREAD, KNOWN, strict=True)
    )
    truth = adequate(rng, rates, N + METRIC)
    judge = (special.expit(np.sqrt(0.5) * (sharp + sign * lenient))[:, None] for sign in (1, -1))
    passed = verdicts(rng, truth, *judge)

    centred = (LENIENCY - LENIENT) / SPREAD[0], (DISCRIMINATION - SHARP) / SPREAD[1]
    prior = np.outer(*(np.exp(-0.5 * z**2) for z in centred))
    prior /= prior.sum()
    drawn = np.arange(LOW, HIGH + 1) - int(100 * RATES[0])
    every = [likelihood(*one) for one in zip(truth, passed, strict=True)]

    def joint(leniency_sd: float, discrimination_sd: float, shift: int) -> np.ndarray:
        moves = [shift, -shift, *[0] * (systems - 2)]
        product = 1.0
        for values, move in zip(every, moves, strict=True):
            product = product * smooth(smooth(values[drawn + move], leniency_sd, 1), discrimination_sd, 2)
        return np.einsum("rls,ls->r", product, prior)

    differ = joint(*KNOWN, SHIFT).mean()
    equal = np.array([[joint(t, s, 0) for s in SHARP_SDS] for t in LENIENCY_SDS])
    parts = np.array([np.mean(part, axis=-1) for part in np.array_split(equal, PARTS, axis=-1)])
    seen = [
        ta.Evidence.of(tally(t[:N]), calibration=confusion(t[:N], p[:N]), metric=tally(p[N:]))
        for t, p in zip(truth, passed, strict=True)
    ]
    oracle, used = Oracle(seen, scatter=Scatter(*KNOWN)), PooledRates(seen)
    return {
        "number": number,
        "systems": systems,
        "ratios": (parts / differ).tolist(),
        "oracle": bool(oracle.difference(0, 1).probability_positive > ALONE),
        "used": bool(used.difference(0, 1).probability_positive > ALONE),
    }


def bound(rows: list[Row]) -> np.ndarray:
    """Return for each study what it adds to the bound, with the weights that the other half of the studies gave."""
    weights, allowed = families()
    ratios = np.einsum("npts,fts->npf", [row["ratios"] for row in rows], weights).reshape(len(rows), -1)
    allowed = np.tile(allowed, PARTS)
    found = np.empty(len(rows))
    for half in range(2):
        chosen, others = ratios[half::2], ratios[1 - half :: 2]
        count, width = chosen.shape
        cost = np.concatenate([allowed, np.full(count, 1 / count)])
        solved = linprog(cost, -np.hstack([chosen, np.eye(count)]), -np.ones(count), method="highs")
        prices = solved.x[:width]
        found[1 - half :: 2] = np.maximum(1 - others @ prices, 0) + allowed @ prices
    return found


def main() -> None:
    """Run what is left to do and print the bound."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--systems", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=-1, help="processes, -1 for all cores")
    parser.add_argument("--out", type=Path, default=Path("build/scatter_bound.jsonl"), help="kept results")
    asked = parser.parse_args()
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    rows = [json.loads(line) for line in asked.out.read_text().splitlines()] if asked.out.exists() else []
    rows = [row for row in rows if row["systems"] == asked.systems]
    left = sorted(set(range(asked.studies)) - {row["number"] for row in rows})
    with asked.out.open("a") as kept:
        tasks = (delayed(study)(number, asked.systems) for number in left)
        for i, row in enumerate(Parallel(asked.jobs, return_as="generator")(tasks), start=1):
            print(json.dumps(row), file=kept, flush=True)
            rows.append(row)
            if i % 100 == 0 or i == len(left):
                print(f"{i:,} of {len(left):,} studies", file=sys.stderr)
    oracle, used = (100 * np.array([row[key] for row in rows], dtype=float) for key in ("oracle", "used"))
    most = 100 * bound(rows)
    for name, values in {
        "an oracle finds": oracle,
        "the prior in use finds": used,
        "no rule finds more than": most,
        "so every rule loses at least": oracle - most,
    }.items():
        print(f"{name} {values.mean():.1f}% +- {values.std() / np.sqrt(len(values)):.1f}")


if __name__ == "__main__":
    main()
