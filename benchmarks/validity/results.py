"""What was simulated so far: one line for each chunk of evaluations, in build/validity, a file for each group.

And one line for each cell in results.jsonl, which is part of the project: a fresh clone goes on from there.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tellapart as ta
from validity.cell import Cell, Group, Sums

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER, KEPT = Path("build/validity"), Path(__file__).with_name("results.jsonl")
GUESS = 0.1  # seconds that an evaluation takes, before any was simulated
CHUNKS = 40  # of a cell that is simulated in full


class Results:
    """Sums by cell, the numbers of the evaluations that they hold, and the processor time that these took.

    Lines of another version of the program, or of a cell that was defined otherwise, are not read.
    """

    def __init__(self, groups: tuple[Group, ...], folder: Path = FOLDER, kept: Path = KEPT) -> None:
        self._folder, self._kept = folder, kept
        self._known = {(cell.group, cell.name): cell.definition for group in groups for cell in group.cells}
        self.sums: dict[tuple[str, str], Sums] = defaultdict(Sums)
        self.done: dict[tuple[str, str], set[int]] = defaultdict(set)
        self.seconds: dict[tuple[str, str], float] = defaultdict(float)
        for path in [*([kept] if kept.exists() else []), *sorted(folder.glob("*.jsonl"))]:
            for line in path.read_text(encoding="utf-8").splitlines():
                self._take(json.loads(line))

    def _take(self, line: dict[str, Any]) -> None:
        key, numbers = (line["group"], line["cell"]), set(range(*line["numbers"]))
        fits = line["version"] == ta.__version__ and line["definition"] == self._known.get(key)
        if fits and not numbers & self.done[key]:
            self.sums[key].merge(line["sums"])
            self.done[key] |= numbers
            self.seconds[key] += line["seconds"]

    def add(self, line: dict[str, Any]) -> None:
        """Keep a line, and write it down."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / f"{line['group']}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        self._take(line)

    def keep(self) -> None:
        """Write down what every cell has, from its first evaluation to the first that is missing."""
        lines = []
        for (group, cell), done in self.done.items():
            line = {"version": ta.__version__, "group": group, "cell": cell, "definition": self._known[group, cell]}
            line |= {"numbers": (0, len(done)), "sums": self.sums[group, cell], "seconds": self.seconds[group, cell]}
            if done == set(range(len(done))):
                lines.append(json.dumps(line))
        self._kept.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def of(self, cell: Cell) -> Sums:
        """Return what came of a cell."""
        return self.sums[cell.group, cell.name]

    def missing(self, cell: Cell, replicates: int, chunk: int) -> Iterator[tuple[int, int]]:
        """Yield the chunks of a cell that are still to be simulated."""
        done = self.done[cell.group, cell.name]
        for start in range(0, replicates, chunk):
            left = sorted(set(range(start, min(start + chunk, replicates))) - done)
            while left:
                run = next((k for k in range(1, len(left)) if left[k] != left[0] + k), len(left))
                yield left[0], left[0] + run
                left = left[run:]

    def seconds_of(self, cell: Cell, numbers: tuple[int, int]) -> float:
        """Return how long a chunk will take, by what is known of the cell, or else by a guess."""
        key = cell.group, cell.name
        each = self.seconds[key] / len(self.done[key]) if self.done[key] else GUESS
        return each * (numbers[1] - numbers[0])


def chunk_of(group: Group) -> int:
    """Return how many evaluations make a line."""
    return max(group.replicates // CHUNKS, 1)
