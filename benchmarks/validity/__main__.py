"""Simulate what is missing of the grid, and write the page.

Resumable: chunks of evaluations are lines of build/validity/*.jsonl, and what is there, or in results.jsonl beside this
file, where all of it is kept in the end, is not simulated again. The first chunk of every cell comes first, then the
second of every cell, and so on; stop at any time.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from typing import Any

from joblib import Parallel, delayed
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

import tellapart as ta
from validity import page
from validity.cell import Cell, Group
from validity.grid import GROUPS
from validity.results import Results, chunk_of

Job = tuple[Cell, tuple[int, int]]


def simulate(cell: Cell, numbers: tuple[int, int]) -> dict[str, Any]:
    """Run a chunk, and say what it was."""
    start = time.process_time()
    sums = cell.run(range(*numbers))
    seconds = time.process_time() - start
    named = {"version": ta.__version__, "group": cell.group, "cell": cell.name, "definition": cell.definition}
    return {**named, "numbers": numbers, "sums": sums, "seconds": round(seconds, 3)}


def jobs(groups: list[Group], results: Results, replicates: int | None, fraction: float) -> list[Job]:
    """Return what is missing: the first chunks of all cells, then the second, and so on."""
    found = [
        (numbers[0] / group.replicates, (cell, numbers))
        for group in groups
        for cell in group.cells
        for numbers in results.missing(cell, replicates or round(fraction * group.replicates), chunk_of(group))
    ]
    return [job for _, job in sorted(found, key=lambda one: one[0])]


def run(groups: list[Group], results: Results, *, n_jobs: int, **how: Any) -> None:
    """Simulate what is missing, on all cores."""
    todo = jobs(groups, results, **how)
    left = Counter((cell.group, cell.name) for cell, _ in todo)
    with Progress(TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), TextColumn("left")) as bar:
        task = bar.add_task("", total=sum(results.seconds_of(*job) for job in todo))
        parallel = Parallel(n_jobs, return_as="generator_unordered", batch_size=1)
        for line in parallel(delayed(simulate)(*job) for job in todo):
            left[line["group"], line["cell"]] -= 1
            done = f"{sum(not n for n in left.values())} of {len(left)} cells, {line['group']}: {line['cell']}"
            results.add(line)
            bar.update(task, advance=line["seconds"], description=done[:80].ljust(80))


def main() -> None:
    """Read the options, simulate, write the page."""
    parser = argparse.ArgumentParser(prog="validity", description=__doc__)
    parser.add_argument("--only", default="", help="groups, by name and separated by commas; all if left out")
    parser.add_argument("--replicates", type=int, help="evaluations of each cell, in place of each group's own number")
    parser.add_argument("--fraction", type=float, default=1.0, help="of each group's own number of evaluations")
    parser.add_argument("--jobs", type=int, default=-1, help="processes, -1 for all cores")
    parser.add_argument("--page", action="store_true", help="only write the page, from what is there")
    asked = parser.parse_args()
    only = [name for name in asked.only.split(",") if name]
    unknown = set(only) - {group.name for group in GROUPS}
    if unknown:
        parser.error(f"no group {', '.join(sorted(unknown))}; there are {', '.join(group.name for group in GROUPS)}")
    results = Results(GROUPS)
    if not asked.page:
        chosen = [group for group in GROUPS if not only or group.name in only]
        run(chosen, results, n_jobs=asked.jobs, replicates=asked.replicates, fraction=asked.fraction)
        results.keep()
    page.write(GROUPS, results)


if __name__ == "__main__":
    main()
