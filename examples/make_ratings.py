"""Makes the ratings file that `tellapart demo` shows: seven invented systems that answered 1000 questions each.

Between 100 and 500 answers of a system, drawn at random, were rated by people; all were rated by an LLM judge that errs
(`judge`, 0 or 1) and by an automatic metric (`score`, from 0 to 1).
"""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass
from math import log

import numpy as np

SEED = 20221207
ITEMS = 1000


@dataclass(frozen=True)
class System:
    """How good a system is, how the judge errs on its answers, what the score sees, how many were rated."""

    name: str
    rate: float
    tpr: float
    tnr: float
    separation: float
    rated: int


SYSTEMS = (
    System("aurora", 0.84, 0.93, 0.82, 1.1, 500),
    System("basalt", 0.80, 0.92, 0.84, 1.0, 300),
    System("cobalt", 0.72, 0.93, 0.83, 1.0, 300),
    System("dune", 0.71, 0.91, 0.85, 0.9, 300),
    System("ember", 0.63, 0.92, 0.84, 1.0, 200),
    System("fjord", 0.55, 0.93, 0.60, 1.0, 200),  # the judge is too kind to it
    System("gale", 0.52, 0.92, 0.84, 0.9, 100),
)


def rows() -> list[tuple[str, str, str, int, str]]:
    """Return system, item, human rating or nothing, the judge's verdict and the score."""
    rng = np.random.default_rng(SEED)
    found = []
    for system in SYSTEMS:
        chance = rng.random((4, ITEMS))
        good = chance[0] < system.rate
        judge = np.where(good, chance[1] < system.tpr, chance[1] >= system.tnr)
        noise = [log(u / (1 - u)) for u in np.clip(chance[2], 1e-6, 1 - 1e-6)]
        score = 1 / (1 + np.exp(-0.6 * (np.array(noise) + system.separation * np.where(good, 1, -1))))
        rated = set(np.argsort(chance[3])[: system.rated].tolist())
        for i in range(ITEMS):
            human = str(int(good[i])) if i in rated else ""
            found.append((system.name, f"q{i + 1:04}", human, int(judge[i]), f"{score[i]:.3f}"))
    return found


def main() -> None:
    """Write the file to standard output."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("system", "item", "human", "judge", "score"))
    writer.writerows(rows())


if __name__ == "__main__":
    main()
