"""Ratings files

A CSV file of ten million ratings, ten systems with a million outputs each, one in a thousand rated by people. The
bare engine is Polars, which reads the same columns and counts the ratings and the items of each group.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.speed.race import Run

OURS, BARE = "reading ten million ratings", "bare Polars"
WHY: dict[str, str] = {}


def measure(run: Run) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "ratings.csv")
        _rows("make", path)
        found = [{BARE: json.loads(_rows("bare", path)), OURS: json.loads(_rows("ours", path))} for _ in range(5)]
    run.must(len({one["rows"] for both in found for one in both.values()}) == 1, "rows were lost")
    times = {name: [both[name]["seconds"] for both in found] for name in (OURS, BARE)}
    run.ratio(times, OURS, BARE, most=1.2)
    memory = {f"{name}, peak memory": [both[name]["megabytes"] for both in found] for name in (OURS, BARE)}
    run.ratio(memory, *memory, most=1.5)


def _rows(what: str, path: str) -> bytes:
    command = [sys.executable, "-m", "benchmarks.speed.rows", what, path]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
