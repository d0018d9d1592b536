"""Comparisons

Twelve systems on the same 10,000 items, all rated by a judge and 300 of them by people, from a frame to verdicts: the
66 differences, paired item by item; then all that `compare` has to say, on every rung of the ladder. And 200 systems
from their counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from benchmarks.speed.race import stopwatch

from tellapart import Confusion, Evidence, compare, read_ratings
from tellapart.render import sheets

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.speed.race import Run

ITEMS, RATED, SYSTEMS, MANY = 10_000, 300, 12, 200
PAIRS = "12 systems, 66 paired differences"
RUNGS = "12 systems, every rung"
COUNTS = "200 systems from counts, what the terminal shows"
EVERYTHING = "200 systems from counts, all 19,900 pairs with both intervals, as in JSON"
WHY = {
    f"{RUNGS}, of processors": "the paired differences and the similar error rates take about a quarter of it each; on "
    "a machine with other work to do, processor time is longer, too.",
}


def measure(run: Run) -> None:
    table, systems = twelve(), many()
    pairs = read_ratings(table).compare(borrow="items").pairs
    run.must(len(pairs) == SYSTEMS * (SYSTEMS - 1) // 2, "not all pairs were compared")
    run.must(all(pair.items == RATED for pair in pairs), "not all pairs were compared item by item")
    _seconds(run, PAIRS, lambda: [pair.interval for pair in read_ratings(table).compare(borrow="items").pairs])
    _seconds(run, RUNGS, lambda: read_ratings(table).compare().to_dict(), most=3)
    _seconds(run, COUNTS, lambda: sheets(compare(systems)), rounds=3, most=10)
    _seconds(run, EVERYTHING, lambda: compare(systems).to_dict(), rounds=1)  # nearly a minute


def _seconds(run: Run, what: str, function: Callable[[], object], rounds: int = 5, **goal: object) -> None:
    watches = []
    for _ in range(rounds):
        with stopwatch() as watch:
            function()
        watches.append(watch)
    run.seconds(f"{what}, of processors", [watch.processor for watch in watches], **goal)
    run.seconds(f"{what}, by the clock", [watch.wall for watch in watches])


def twelve() -> pl.DataFrame:
    """Return the ratings of twelve systems, each a little better than the one before."""
    rng = np.random.default_rng(0)
    hard, parts = rng.normal(size=ITEMS), []
    for s in range(SYSTEMS):
        truth = hard + 0.8 * rng.normal(size=ITEMS) + 0.05 * s > 0
        judge = np.where(rng.random(ITEMS) < 0.82, truth, ~truth).astype(int)
        human = [int(good) if i < RATED else None for i, good in enumerate(truth)]
        parts.append(pl.DataFrame({"system": f"s{s}", "item": range(ITEMS), "human": human, "judge": judge}))
    return pl.concat(parts)


def many() -> dict[str, Evidence]:
    """Return the counts of 200 systems, rates from .4 to .8, 100 ratings each by people and 1,000 by a judge."""
    rng = np.random.default_rng(0)
    found = {}
    for s, rate in enumerate(np.linspace(0.4, 0.8, MANY)):
        good = int(rng.binomial(100, rate))
        tp, tn = int(rng.binomial(good, 0.85)), int(rng.binomial(100 - good, 0.8))
        passed = int(rng.binomial(1000, 0.85 * rate + 0.2 * (1 - rate)))
        confusion = Confusion(tp=tp, fn=good - tp, tn=tn, fp=100 - good - tn)
        found[f"s{s}"] = Evidence.of((good, 100), calibration=confusion, metric=(passed, 1000))
    return found
