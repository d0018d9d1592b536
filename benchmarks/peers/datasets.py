"""The work that all methods are given: data sets, drawn once, each from a seed of its own."""

from __future__ import annotations

import csv
import json
import zlib
from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from adapter import read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEED = 20221207
N_METRIC = 1000
RATES = [
    (rate, n)
    for rate in ((0.6, 0.7, 0.7), (0.6, 0.9, 0.8), (0.95, 0.9, 0.7), (0.3, 0.62, 0.58))
    for n in (50, 100, 500)
]
EDGES = [((0.99, 0.9, 0.7), 20), ((0.9, 0.9, 0.7), 20)]
ALIKE, UNLIKE = ((0.9, 0.8), (0.9, 0.8)), ((0.9, 0.8), (0.8, 0.85))
CORRELATION = 0.45  # of adequacy on the same items, as seen in real evaluations
TWO = [(gap, judge, n) for gap in (0.0, 0.1) for judge, n in ((ALIKE, 50), (ALIKE, 100), (UNLIKE, 50))]
NET = [(gap, n) for gap in (0.0, 0.2) for n in (50, 100)]
JUDGE_OF_PAIRS = np.array([[0.7, 0.2, 0.1], [0.25, 0.5, 0.25], [0.1, 0.2, 0.7]])  # loss, tie, win by people's
SHOWN, PAIRS = 50, 10  # labels that are left, and pairs of systems a draw
REAL = (  # file, metric, column of the item, cut at the median where it is a score
    ("openqa_nq", "judge_gpt4", "item", False),
    ("openqa_nq", "contains", "item", False),
    ("wmt21_ende", "chrf", "segment", True),
    ("frank", "factcc", "item", True),
)


def generator(*key: Any) -> np.random.Generator:
    return np.random.default_rng([SEED, zlib.crc32(repr(key).encode())])


def drawn(joint: np.ndarray, n: int, rng: np.random.Generator) -> dict[str, Any]:
    """Draw a table of n outputs that people and the metric rated, and the verdicts of N_METRIC more."""
    both = rng.multinomial(n, joint.ravel()).reshape(joint.shape)
    return {"both": both.tolist(), "alone": rng.multinomial(N_METRIC, joint.sum(axis=0)).tolist()}


def judged(truth: np.ndarray, tpr: float, tnr: float) -> np.ndarray:
    """Return chances of truth by verdict."""
    return truth[:, None] * np.array([[tnr, 1 - tnr], [1 - tpr, tpr]])


def shares(rate: float) -> np.ndarray:
    return np.array([1 - rate, rate])


def together(a: float, b: float, judges: tuple) -> np.ndarray:
    """Return chances of what is true of two correlated systems by what the judge says: class and level 2a + b."""
    pair = np.outer(shares(a), shares(b))
    pair += CORRELATION * np.sqrt(a * (1 - a) * b * (1 - b)) * np.array([[1, -1], [-1, 1]])
    first, second = (judged(np.ones(2), *judge) for judge in judges)
    return pair.ravel()[:, None] * np.kron(first, second)


def title(rates: tuple[float, ...], n: int) -> str:
    return f"{'/'.join(f'{rate:g}' for rate in rates)}, {n}"


def simulated(number: int) -> Iterator[dict[str, Any]]:
    """Yield one replicate of every cell."""
    for (rate, tpr, tnr), n in [*RATES, *EDGES]:
        cell = title((rate, tpr, tnr), n)
        table = drawn(judged(shares(rate), tpr, tnr), n, generator("one", cell, number))
        yield dataset("one", cell, number, rate, table)
    for gap, judges, n in TWO:
        rates = 0.6 + gap / 2, 0.6 - gap / 2
        cell = f"{'apart' if gap else 'equal'}, {'alike' if judges == ALIKE else 'unlike'}, {n}"
        rng = generator("two", cell, number)
        tables = [drawn(judged(shares(rate), *judge), n, rng) for rate, judge in zip(rates, judges, strict=True)]
        yield dataset("two", cell, number, gap, *tables)
        yield dataset("same", cell, number, gap, drawn(together(*rates, judges), n, rng))
    for gap, n in NET:
        cell = f"{'apart' if gap else 'equal'}, {n}"
        truth = np.array([0.35 - gap / 2, 0.3, 0.35 + gap / 2])
        yield dataset(
            "net", cell, number, gap, drawn(truth[:, None] * JUDGE_OF_PAIRS, n, generator("net", cell, number))
        )


def dataset(work: str, cell: str, number: int, truth: float, *tables: dict[str, Any]) -> dict[str, Any]:
    name = f"{work}: {cell}: {number}"
    return {"id": name, "work": work, "cell": cell, "number": number, "truth": truth, "tables": tables}


def real(folder: Path, number: int) -> Iterator[dict[str, Any]]:
    """Yield one draw of every real evaluation: all but SHOWN labels of each system are hidden, on the same items."""
    for file, metric, item, score in REAL:
        path = folder / f"ratings_{file}.csv"
        if path.exists():
            yield from hidden(rated(path, metric, item, score=score), f"real {file} {metric}", number)


def rated(path: Path, metric: str, item: str, *, score: bool) -> dict[str, dict[str, tuple[int, int]]]:
    """Return the outputs that people and the metric rated, by system and item: adequate, passed."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["human"] and row[metric]]
    cut = np.median([float(row[metric]) for row in rows]) if score else 0.5
    found: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
    for row in rows:
        found[row["system"]][row[item]] = int(float(row["human"])), int(float(row[metric]) > cut)
    return found


def hidden(systems: dict[str, dict[str, tuple[int, int]]], cell: str, number: int) -> Iterator[dict[str, Any]]:
    rng = generator(cell, number)
    items = sorted({item for own in systems.values() for item in own})
    place = dict(zip(items, rng.permutation(len(items)).tolist(), strict=True))
    for name, own in sorted(systems.items()):
        seen = np.array([own[item] for item in sorted(own, key=place.get)])
        yield named(dataset("one", cell, number, seen[:, 0].mean(), counted(seen[:, 0], seen[:, 1], 2)), name)
    both = combinations(sorted(systems), 2)
    pairs = [(a, b) for a, b in both if len(systems[a].keys() & systems[b].keys()) > 2 * SHOWN]
    for k in sorted(rng.choice(len(pairs), min(PAIRS, len(pairs)), replace=False)):
        a, b = (systems[name] for name in pairs[k])
        common = sorted(a.keys() & b.keys(), key=place.get)
        seen = np.array([(*a[item], *b[item]) for item in common])
        table = counted(2 * seen[:, 0] + seen[:, 2], 2 * seen[:, 1] + seen[:, 3], 4)
        gap = (seen[:, 0] - seen[:, 2]).mean()
        yield named(dataset("same", cell, number, gap, table), " ".join(pairs[k]))


def named(one: dict[str, Any], name: str) -> dict[str, Any]:
    return {**one, "id": f"{one['id']}: {name}", "truth": float(one["truth"])}


def counted(truth: np.ndarray, verdict: np.ndarray, size: int) -> dict[str, Any]:
    """Count the first SHOWN outputs with their labels, the others by verdict alone."""
    both = np.bincount(truth[:SHOWN] * size + verdict[:SHOWN], minlength=size * size).reshape(size, size)
    return {"both": both.tolist(), "alone": np.bincount(verdict[SHOWN:], minlength=size).tolist()}


def write(path: Path, replicates: int, folder: Path | None, draws: int) -> None:
    """Add the data sets that are missing."""
    known = {json.loads(line)["id"] for line in read(path)}
    with path.open("a", encoding="utf-8") as file:
        for number in range(max(replicates, draws)):
            found = list(simulated(number)) if number < replicates else []
            found += real(folder, number) if folder and number < draws else []
            file.writelines(json.dumps(one) + "\n" for one in found if one["id"] not in known)
