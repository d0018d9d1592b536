"""What should be believed of the scatter of a judge's leniency over systems? One run, many priors.

    PYTHONPATH=benchmarks python benchmarks/scatter_priors.py --studies 250

Two systems out of two, three or seven are compared with similar error rates (`borrow="rates"`), where they are equally
good and where they are ten points apart. Of each study is kept how probable every scatter is and what the verdict would
be given it, so that any other prior of the scatter is a matter of weights: nothing is simulated anew. An oracle knows
the scatter. What is done is kept in build/, and a second run goes on from there.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from validity.drawn import adequate, confusion, tally, verdicts
from validity.studies import ALONE, USUAL, Oracle, truths

import tellapart as ta
from tellapart.core.pooled import PooledRates, Scatter

if TYPE_CHECKING:
    from collections.abc import Callable

SHARP = 0.1  # scatter of discrimination
EQUAL = [(2, n, t, 0.0) for t in (0.2, 0.6, 1.0) for n in (50, 100, 300)] + [
    (k, n, 0.6, 0.0) for k, n in ((3, 50), (3, 100), (7, 50))
]
APART = [(2, 50, t, 0.1) for t in (0.0, 0.2, 0.6, 1.0)] + [(k, 50, 0.2, 0.1) for k in (3, 7)]
Row = dict[str, Any]


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
    row = {"s": systems, "n": n, "tl": leniency, "d": difference, "tau": taus.tolist()}
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


def table(rows: list[Row]) -> str:
    """Return power, and wrong verdicts over the cells with equally good systems, prior by prior, as Markdown."""
    by = defaultdict(list)
    for row in rows:
        by[row["s"], row["n"], row["tl"], row["d"]].append(row)
    heads = [f"found: {k} systems, leniency {t}" for k, _, t, _ in APART]
    lines = [
        f"| prior | wrong, mean | wrong, most | {' | '.join(heads)} |",
        f"| --- | --- | --- |{' --- |' * len(heads)}",
    ]
    for name, prior in PRIORS.items():
        wrong = [100 * np.mean([told(row, prior) for row in by[cell]]) for cell in EQUAL]
        found = [100 * np.mean([told(row, prior) for row in by[cell]]) for cell in APART]
        cells = [np.mean(wrong), max(wrong), *found]
        lines.append(f"| {name} | {' | '.join(f'{x:.1f}' for x in cells)} |")
    oracle = [100 * np.mean([row["oracle"] > ALONE for row in by[cell]]) for cell in APART]
    lines.append(f"| an oracle | | | {' | '.join(f'{x:.1f}' for x in oracle)} |")
    return "\n".join(lines)


def main() -> None:
    """Run what is left to do and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=250, help="of each kind")
    parser.add_argument("--jobs", type=int, default=-1, help="processes, -1 for all cores")
    parser.add_argument("--out", type=Path, default=Path("build/scatter_priors.jsonl"), help="kept results")
    asked = parser.parse_args()
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    rows = [json.loads(line) for line in asked.out.read_text().splitlines()] if asked.out.exists() else []
    cells, done = EQUAL + APART, len(rows) // len(EQUAL + APART)
    tasks = [(number, *cell) for number in range(done, asked.studies) for cell in cells]
    with asked.out.open("a") as kept:
        for i, row in enumerate(
            Parallel(asked.jobs, return_as="generator")(delayed(study)(*t) for t in tasks), start=1
        ):
            print(json.dumps(row), file=kept, flush=True)
            rows.append(row)
            if i % len(cells) == 0:
                print(f"{i // len(cells)} of {len(tasks) // len(cells)}", file=sys.stderr)
    print(table(rows))


if __name__ == "__main__":
    main()
