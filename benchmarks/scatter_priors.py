"""What should be believed of the scatter of a judge's leniency over systems? One run, many priors.

    PYTHONPATH=benchmarks python benchmarks/scatter_priors.py --studies 250
    PYTHONPATH=benchmarks python benchmarks/scatter_priors.py --studies 252 --most-systems 3

Two systems out of two, three or seven are compared with similar error rates (`borrow="rates"`), where they are equally
good and where they are ten points apart. Of each study is kept how probable every scatter is and what the verdict would
be given it, so that any other prior of the scatter is a matter of weights: nothing is simulated anew. An oracle knows
the scatter. Beside priors that have names, densities of any shape are searched for the one that finds most in these
very studies and is wrong no more often than is allowed. What is done is kept in build/, and a second run goes on from
there.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from scipy.optimize import minimize
from scipy.special import expit
from validity.drawn import adequate, confusion, tally, verdicts
from validity.studies import ALONE, USUAL, Oracle, truths

import tellapart as ta
from tellapart.core.pooled import PooledRates, Scatter

if TYPE_CHECKING:
    from collections.abc import Callable

SHARP = 0.1  # scatter of discrimination
MANY = 7
EQUAL = [(2, n, t, 0.0) for t in (0.2, 0.6, 1.0) for n in (50, 100, 300)] + [
    (k, n, 0.6, 0.0) for k, n in ((3, 50), (3, 100), (MANY, 50))
]
APART = [(2, 50, t, 0.1) for t in (0.0, 0.2, 0.6, 1.0)] + [(k, 50, 0.2, 0.1) for k in (3, MANY)]
KNOTS = np.array([0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 1.2, 1.6, 2.2, 3, 5, 10, 30])  # of any shape
ALLOWED = 0.08, 0.12, 0.16  # of studies in which two equally good systems are told apart, in any kind
STARTS, SOFT = 6, 0.006  # of the search; how far from the limit, in P, a verdict is counted in part
Row = dict[str, Any]
Cell = tuple[int, int, float, float]


def half_cauchy(scale: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda tau: 1 / (1 + (tau / scale) ** 2)


def half_normal(scale: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda tau: np.exp(-0.5 * (tau / scale) ** 2)


USED = half_cauchy(Scatter().leniency)
PRIORS = {f"half-Cauchy {s}": half_cauchy(s) for s in (0.1, 0.2, 0.3, 0.5, 1.0)}
PRIORS |= {f"half-normal {s}": half_normal(s) for s in (0.2, 0.4, 0.6)}
PRIORS["exponential 0.2"] = lambda tau: np.exp(-tau / 0.2)


def study(number: int, systems: int, n: int, leniency: float, difference: float) -> Row:
    """Return what one study says of the scatter, and of the first two systems given each scatter."""
    rng = np.random.default_rng([number, systems, n, int(leniency * 100), int(difference * 100)])
    given = {"systems": systems, "leniency_sd": leniency, "discrimination_sd": SHARP, "difference": difference}
    rates, *judge = truths(rng, USUAL | given)
    truth = adequate(rng, rates, n + 1000)
    passed = verdicts(rng, truth, *(one[:, None] for one in judge))
    seen = [
        ta.Evidence.of(tally(t[:n]), calibration=confusion(t[:n], p[:n]), metric=tally(p[n:]))
        for t, p in zip(truth, passed, strict=True)
    ]
    pooled = PooledRates(seen)
    every, weights = pooled._taus[:, 0], pooled._weights  # noqa: SLF001 - what it is made of
    taus, place = np.unique(every, return_inverse=True)
    row: Row = {"number": number, "s": systems, "n": n, "tl": leniency, "d": difference, "tau": taus.tolist()}
    row["w"] = np.bincount(place, weights).tolist()
    row["wp"] = np.bincount(place, weights * (1 - pooled.difference(0, 1).below_zero)).tolist()
    if difference:
        known = Oracle(seen, scatter=Scatter(max(leniency, 0.01), SHARP))
        row["oracle"] = known.difference(0, 1).probability_positive
    return row


def told(row: Row, prior: Callable[[np.ndarray], np.ndarray]) -> bool:
    """Whether another prior would tell the two apart; where they differ, rightly."""
    taus = np.array(row["tau"])
    ratio = prior(taus) / USED(taus)
    above = float(ratio @ row["wp"] / (ratio @ row["w"]))
    return above > ALONE or (not row["d"] and above < 1 - ALONE)


def shaped(heights: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return a prior of any shape: the one in use, times what has these heights at the knots."""
    return lambda tau: USED(tau) * np.interp(_even(tau), _even(KNOTS), heights)


def _even(tau: np.ndarray) -> np.ndarray:
    return np.arcsinh(tau / 0.1)


def search(cells: dict[Cell, list[Row]], allowed: float) -> Callable[[np.ndarray], np.ndarray]:
    """Look for the shape that finds most, and in no cell tells equally good systems apart more often than is allowed.

    A verdict close to the limit is counted in part, so that the search has a slope to follow.
    """
    sums = {}
    for cell, rows in cells.items():
        at = [_even(np.array(row["tau"])) for row in rows]
        hats = [np.array([np.interp(one, _even(KNOTS), hat) for hat in np.eye(len(KNOTS))]) for one in at]
        sums[cell] = [np.array([hat @ row[key] for hat, row in zip(hats, rows, strict=True)]) for key in ("wp", "w")]

    def loss(logs: np.ndarray, strictness: float) -> float:
        total = 1e-4 * float(logs @ logs)
        for cell, (part, whole) in sums.items():
            heights = np.exp(logs - logs.max())
            above = part @ heights / np.maximum(whole @ heights, 1e-300)
            first, second = (float(np.mean(expit((x - ALONE) / SOFT))) for x in (above, 1 - above))
            total += -first if cell[3] else strictness * max(first + second - allowed, 0.0)
        return total

    rng, found = np.random.default_rng(0), []
    for start in range(STARTS):
        logs = 0.7 * (start > 0) * rng.standard_normal(len(KNOTS))
        for strictness in (3, 10, 30):
            logs = minimize(loss, logs, (strictness,), "L-BFGS-B", options={"maxiter": 150}).x
        found.append((loss(logs, strictness), start, logs))
    logs = min(found)[2]
    return shaped(np.exp(logs - logs.max()))


def any_shape(by: dict[Cell, list[Row]]) -> str:
    """Return what the best shapes find at leniency 0.2, for as many systems as there are, as Markdown."""
    lines = ["| systems | wrong, allowed | wrong, mean | wrong, most | found | an oracle |", "| --- |" + " --- |" * 5]
    for systems, allowed in product((2, 3), ALLOWED):
        asked = systems, 50, 0.2, 0.1
        cells = {cell: rows for cell, rows in by.items() if cell == asked or (cell[0] == systems and not cell[3])}
        best = search(cells, allowed)
        share = {cell: 100 * np.mean([told(row, best) for row in rows]) for cell, rows in cells.items()}
        wrong = [one for cell, one in share.items() if cell != asked]
        oracle = 100 * np.mean([row["oracle"] > ALONE for row in by[asked]])
        numbers = 100 * allowed, np.mean(wrong), max(wrong), share[asked], oracle
        lines.append(f"| {systems} | {' | '.join(f'{x:.1f}' for x in numbers)} |")
    return "\n".join(lines)


def table(by: dict[Cell, list[Row]]) -> str:
    """Return power, and wrong verdicts over the cells with equally good systems, prior by prior, as Markdown."""
    equal, apart = ([cell for cell in cells if cell in by] for cells in (EQUAL, APART))
    heads = [f"found: {k} systems, leniency {t}" for k, _, t, _ in apart]
    lines = [
        f"| prior | wrong, mean | wrong, most | {' | '.join(heads)} |",
        f"| --- | --- | --- |{' --- |' * len(heads)}",
    ]
    for name, prior in PRIORS.items():
        wrong = [100 * np.mean([told(row, prior) for row in by[cell]]) for cell in equal]
        found = [100 * np.mean([told(row, prior) for row in by[cell]]) for cell in apart]
        cells = [np.mean(wrong), max(wrong), *found]
        lines.append(f"| {name} | {' | '.join(f'{x:.1f}' for x in cells)} |")
    oracle = [100 * np.mean([row["oracle"] > ALONE for row in by[cell]]) for cell in apart]
    lines.append(f"| an oracle | | | {' | '.join(f'{x:.1f}' for x in oracle)} |")
    return "\n".join(lines)


def main() -> None:
    """Run what is left to do and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=250, help="of each kind")
    parser.add_argument("--most-systems", type=int, default=MANY, help="leave out studies with more")
    parser.add_argument("--jobs", type=int, default=-1, help="processes, -1 for all cores")
    parser.add_argument("--out", type=Path, default=Path("build/scatter_priors.jsonl"), help="kept results")
    asked = parser.parse_args()
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    rows = [json.loads(line) for line in asked.out.read_text().splitlines()] if asked.out.exists() else []
    cells = [cell for cell in EQUAL + APART if cell[0] <= asked.most_systems]
    known = {(row["number"], row["s"], row["n"], row["tl"], row["d"]) for row in rows}
    tasks = [(number, *cell) for number in range(asked.studies) for cell in cells if (number, *cell) not in known]
    with asked.out.open("a") as kept:
        for i, row in enumerate(
            Parallel(asked.jobs, return_as="generator")(delayed(study)(*t) for t in tasks), start=1
        ):
            print(json.dumps(row), file=kept, flush=True)
            rows.append(row)
            if i % len(cells) == 0 or i == len(tasks):
                print(f"{i:,} of {len(tasks):,} studies", file=sys.stderr)
    by: dict[Cell, list[Row]] = defaultdict(list)
    for row in rows:
        by[row["s"], row["n"], row["tl"], row["d"]].append(row)
    print(table(by), any_shape(by), sep="\n\n")


if __name__ == "__main__":
    main()
