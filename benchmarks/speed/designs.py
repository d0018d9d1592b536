"""Tables and maps of designs

What difference can a set-up measure? One cell of a table is the standard deviation of one posterior. The paper's
appendix has tables of 56 cells; a map has thousands, nearly all of them interpolated, to 1% at worst.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from benchmarks.speed import golden
from benchmarks.speed.race import race
from benchmarks.speed.routes import EVERYDAY, GOLDEN, ours

from tellapart.analysis.design import Design, MeasurableDifference
from tellapart.analysis.maps import Axis, DifferenceMap, difference_map

if TYPE_CHECKING:
    from benchmarks.speed.golden import Counts
    from benchmarks.speed.race import Run

POSTERIOR = "one posterior with its interval"
TABLE = "an appendix table of 56 cells"
MAPS = {
    "the page's first map, 60 × 60 designs": ((50, 800), (300, 10**5), 60),
    "a map of 100 × 100 designs": ((10, 10**4), (100, 10**5), 100),
}
WHY: dict[str, str] = {}


def measure(run: Run) -> None:
    cells = {POSTERIOR: lambda: ours(EVERYDAY), TABLE: appendix_table}
    times = race({**cells, **{name: lambda m=m: whole_map(*m) for name, m in MAPS.items()}}, rounds=7)
    for counts, sd in appendix_table().items():
        run.check(f"{TABLE}, {counts}", abs(sd - GOLDEN[counts].sd))
    run.ratio(times, TABLE, POSTERIOR)
    for name, axes in MAPS.items():
        error = worst(whole_map(*axes))
        run.must(error <= 0.01, f"{name}: a cell is off by {error:.1%}")
        run.ratio(times, name, POSTERIOR, most=100, error=error)


def appendix_table() -> dict[Counts, float]:
    """Return the standard deviation of all 56 cells."""
    return {
        golden.appendix(n_human, n_metric): MeasurableDifference(Design(0.6, 0.7, 0.7, n_human, n_metric)).sd
        for n_human in golden.N_HUMAN
        for n_metric in golden.N_METRIC
    }


def whole_map(human: tuple[int, int], metric: tuple[int, int], size: int) -> DifferenceMap:
    sizes = [tuple(dict.fromkeys(round(v) for v in np.geomspace(*ends, size))) for ends in (human, metric)]
    axes = Axis("n_human", sizes[0]), Axis("n_metric", sizes[1])
    result = difference_map(*axes, fast=True, rate=0.6, tpr=0.8, tnr=0.8)
    _ = result.differences
    return result


def worst(found: DifferenceMap) -> float:
    """Return the largest relative error of 100 cells."""
    places = np.random.default_rng(0).integers(found.differences.shape, size=(100, 2)).tolist()
    exact = [MeasurableDifference(found.design(i, j)).measurable_difference for i, j in places]
    return max(abs(found.differences[i, j] / e - 1) for (i, j), e in zip(places, exact, strict=True))
