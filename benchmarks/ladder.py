"""How often verdicts are wrong, and right, on each rung of the ladder: simulated studies, with the public API.

Resumable: every study is a line of build/ladder.jsonl, and what is there is not simulated again.

    python benchmarks/ladder.py --studies 100 --jobs 2
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections import defaultdict
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.special import expit, logit

from tellapart import compare
from tellapart.analysis.studies import Truth, study
from tellapart.core.pooled import PooledRates

SEED = 20221207
RATE, TPR, TNR = 0.6, 0.9, 0.8


@dataclass(frozen=True)
class Cell:
    """One kind of study; scatter below 0 is drawn anew for every study, from what real judges do."""

    systems: int = 7
    n_human: int = 50
    n_metric: int = 1000
    leniency_sd: float = 0.6
    discrimination_sd: float = 0.2
    correlation: float = 0.3
    difference: float = 0.0
    rate_sd: float = 0.0
    leniency_slope: float = 0.0
    games: float = 0.0
    curve: float = 0.0
    unequal: bool = False

    def __str__(self) -> str:
        """Name what differs from the usual cell."""
        own = {name: value for name, value in asdict(self).items() if value != getattr(Cell(), name)}
        return ", ".join(f"{name}={value}" for name, value in own.items()) or "usual"


def cells() -> list[Cell]:
    """Return the cells: one thing at a time; with equal systems, with two ten points apart, and with spread."""
    base, two, three = Cell(), Cell(systems=2), Cell(systems=3)
    drawn = {"leniency_sd": -1.0, "discrimination_sd": -1.0}
    equal = [
        *(replace(one, **drawn) for one in (two, three, base)),
        *(replace(two, leniency_sd=t, discrimination_sd=u) for t in (0.0, 0.2, 0.6, 1.0) for u in (0.0, 0.4)),
        *(replace(base, leniency_sd=t, discrimination_sd=u) for t, u in ((0.0, 0.0), (0.2, 0.0), (1.0, 0.4))),
        *(replace(base, systems=s) for s in (2, 3, 7, 15)),
        *(replace(one, n_human=n) for one in (two, base) for n in (100, 300)),
        *(replace(one, correlation=c) for one in (two, base) for c in (0.0, 0.6)),
        *(replace(base, n_metric=0, n_human=n, leniency_sd=0.2) for n in (50, 300)),
        *(replace(one, games=1.5, leniency_sd=0.2) for one in (three, base)),
        replace(base, unequal=True),
    ]
    apart = [replace(two, difference=0.1, correlation=0.0, leniency_sd=t) for t in (0.0, 0.2, 0.6, 1.0)]
    apart += [replace(one, difference=0.1, **more) for one in (two, base) for more in (drawn, {"leniency_sd": 0.2}, {})]
    spread = [
        replace(base, rate_sd=0.4, **more)
        for more in (
            drawn,
            {"leniency_sd": 0.2},
            {"leniency_sd": 1.0},
            {"leniency_sd": 0.2, "leniency_slope": 0.5, "systems": 12},
            {"leniency_sd": 0.2, "games": 1.5},
            {"leniency_sd": 0.2, "curve": 0.5, "systems": 12},
            {"leniency_sd": 0.2, "n_metric": 0, "n_human": 300},
        )
    ]
    return list(dict.fromkeys([*equal, *apart, *spread]))


def truth(cell: Cell, rng: np.random.Generator) -> Truth:
    """Draw the systems of one study."""
    rates = np.full(cell.systems, RATE)
    rates[:2] += np.array([0.5, -0.5]) * cell.difference
    rates = expit(logit(rates) + cell.rate_sd * rng.standard_normal(cell.systems)) if cell.rate_sd else rates
    lenient = abs(0.5 * rng.standard_cauchy()) if cell.leniency_sd < 0 else cell.leniency_sd
    sharp = abs(0.2 * rng.standard_normal()) if cell.discrimination_sd < 0 else cell.discrimination_sd
    own = Truth.draw(
        rates, TPR, TNR, rng, leniency_sd=min(lenient, 3), discrimination_sd=sharp, leniency_slope=cell.leniency_slope
    )
    more = cell.curve * (logit(rates) - logit(RATE)) ** 2 / np.sqrt(2)
    more[-1] += cell.games / np.sqrt(2)  # the last one games the metric
    return Truth(rates, expit(logit(own.tprs) + more), expit(logit(own.tnrs) - more))


class Oracle(PooledRates):
    """Pooled rates by somebody who knows how much they scatter."""

    taus: tuple[float, float] = (0.0, 0.0)

    def _lattice(self) -> list[Any]:
        start = np.array([known.centre for known in self._known]), np.array([known.sd for known in self._known])
        return [self._node(np.arcsinh(np.array(self.taus) / 0.1), *start)]


def simulate(cell: Cell, number: int) -> dict[str, Any]:
    """Run one study on every rung."""
    rng = np.random.default_rng([SEED, number, zlib.crc32(str(cell).encode())])
    own = truth(cell, rng)
    human: Any = np.linspace(25, 100, cell.systems).astype(int) if cell.unequal else cell.n_human
    systems, items = study(own, human, cell.n_metric, rng, correlation=cell.correlation)
    rungs = ["none", *(["items"] if items else []), *(["rates"] if cell.systems <= 7 and cell.n_metric else [])]
    rungs += ["link"] if cell.systems >= 5 else []
    found: dict[str, Any] = {}
    rates = dict(zip(systems, own.rates, strict=True))
    result = compare(systems, items=items)
    for rung in rungs:
        seen = []
        for pair in result.pairs_at(rung):
            gap = rates[pair.first] - rates[pair.second]
            right = gap != 0 and (pair.probability > 0.5) == (gap > 0)
            covered = 0.025 < float(pair.distribution.cdf(gap)) < 0.975
            asked = cell.difference > 0 and {pair.first, pair.second} == {"S1", "S2"}
            seen.append((pair.distinguishable_alone, pair.distinguishable, right, covered, asked))
        alone, told, right, covered, asked = np.array(seen, dtype=bool).T
        found[rung] = {
            "pairs": len(seen),
            "alone_wrong": int((alone & ~right).sum()),
            "wrong": int((told & ~right).sum()),
            "right": int((told & right).sum()),
            "covered": int(covered.sum()),
            "power": bool((told & right & asked).any()),
            "power_alone": bool((alone & right & asked).any()),
        }
    if cell.difference and cell.systems == 2 and not cell.correlation:
        oracle = Oracle.__new__(Oracle)
        oracle.taus = cell.leniency_sd, cell.discrimination_sd
        oracle.__init__(list(systems.values()))  # type: ignore[misc]
        chance = oracle.difference(0, 1).probability_positive
        found["oracle"] = {"pairs": 1, "power_alone": bool(chance > 0.975)}
    return {"cell": str(cell), "number": number, "rungs": found}


def table(lines: list[dict[str, Any]]) -> str:
    """Return a Markdown table: per cent of pairs and of studies."""
    sums: dict[tuple[str, str], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for line in lines:
        for rung, one in line["rungs"].items():
            total = sums[line["cell"], rung]
            total["studies"] += 1
            total["some"] += one.get("wrong", 0) > 0
            for name, value in one.items():
                total[name] += value
    rows = [
        "| cell | rung | studies | pair wrong, alone | pair wrong | some wrong | right | covered | power | alone |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for (cell, rung), s in sums.items():
        pairs, studies = s["pairs"], s["studies"]
        per_pair = (100 * s[name] / pairs for name in ("alone_wrong", "wrong"))
        shown = [*per_pair, 100 * s["some"] / studies, 100 * s["right"] / pairs, 100 * s["covered"] / pairs]
        shown += [100 * s["power"] / studies, 100 * s["power_alone"] / studies]
        rows.append(f"| {cell} | {rung} | {studies:.0f} | " + " | ".join(f"{value:.1f}" for value in shown) + " |")
    return "\n".join(rows)


def main() -> None:
    """Simulate what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    path = Path("build/ladder.jsonl")
    path.parent.mkdir(exist_ok=True)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    done = {(line["cell"], line["number"]) for line in lines}
    wanted = [cell for cell in cells() if asked.only in str(cell)]
    todo = [(cell, k) for k in range(asked.studies) for cell in wanted if (str(cell), k) not in done]
    with path.open("a", encoding="utf-8") as file:
        for line in Parallel(asked.jobs, return_as="generator_unordered")(delayed(simulate)(*one) for one in todo):
            lines.append(line)
            file.write(json.dumps(line) + "\n")
            file.flush()
            sys.stderr.write(f"\r{len(lines)} of {len(done) + len(todo)} studies")
    sys.stderr.write("\n")
    sys.stdout.write(table(lines) + "\n")


if __name__ == "__main__":
    main()
