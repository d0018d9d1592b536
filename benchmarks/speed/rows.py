"""One way to count a large ratings file, in a process of its own, so that its peak memory is its own.

python -m benchmarks.speed.rows make FILE [ROWS] | bare FILE | ours FILE
"""

from __future__ import annotations

import json
import resource
import sys

import numpy as np
import polars as pl
from benchmarks.speed.race import stopwatch

from tellapart.data.ratings import read_ratings

SYSTEMS = 10


def make(path: str, rows: int = 10_000_000) -> None:
    """Write so many outputs of ten systems, one in a thousand rated by people, all by a judge."""
    rng = np.random.default_rng(0)
    items = rows // SYSTEMS
    item = np.tile(np.arange(items), SYSTEMS)
    good = rng.random(items * SYSTEMS) < 0.6
    judge = np.where(good, rng.random(len(good)) < 0.85, rng.random(len(good)) > 0.8)
    frame = pl.DataFrame({"good": good.astype(np.int8), "judge": judge.astype(np.int8), "number": item})
    frame.select(
        system=pl.lit("system-") + (pl.int_range(len(good)) // items).cast(pl.String),
        item=pl.lit("item-") + pl.col("number").cast(pl.String),
        human=pl.when(pl.col("number") % 1000 == 0).then("good"),
        judge="judge",
    ).write_csv(path)


def bare(path: str) -> int:
    """Let Polars count the same columns: groups of ratings, and the items of each."""
    groups = pl.scan_csv(path, infer_schema=False).group_by("system", "human", "judge")
    found = groups.agg(pl.len(), pl.col("item").n_unique().alias("items")).collect(engine="streaming")
    return int(found["len"].sum())


def ours(path: str) -> int:
    """Read the ratings."""

    evidence = read_ratings(path, metric="judge").systems.values()
    return sum(e.n_human + e.n_metric for e in evidence)


if __name__ == "__main__":
    what, path, *more = sys.argv[1:]
    if what == "make":
        make(path, *map(int, more))
    else:
        with stopwatch() as watch:
            count = {"bare": bare, "ours": ours}[what](path)
        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"rows": count, "seconds": watch.seconds, "megabytes": megabytes}))
