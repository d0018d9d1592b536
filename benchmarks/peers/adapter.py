"""What every adapter does: read the data sets, time a method on each, append the answers. Needs numpy only.

An adapter is a script that names its methods and calls `main`; the interpreter of the peer's own environment runs it.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import logging
import sys
import time
import warnings
import zlib
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

VALUES = {"one": (0.0, 1.0), "two": (0.0, 1.0), "net": (-1.0, 0.0, 1.0)}
QUANTILE = 1.959963984540054


@dataclass(frozen=True)
class Answer:
    """An interval with its point; a verdict, 1, 0 or -1, where it does not simply follow from the interval."""

    point: float | None = None
    low: float | None = None
    high: float | None = None
    verdict: int | None = None

    def decided(self) -> Answer:
        if self.verdict is not None or self.low is None:
            return self
        return Answer(self.point, self.low, self.high, int(self.low > 0) - int(self.high < 0))


@dataclass(frozen=True)
class Sample:
    """Outputs in random order: what the judge says of each, and what people say, not a number where not asked."""

    judge: np.ndarray
    human: np.ndarray

    @cached_property
    def rated(self) -> np.ndarray:
        return ~np.isnan(self.human)

    @cached_property
    def y(self) -> np.ndarray:
        return self.human[self.rated]

    @cached_property
    def f(self) -> np.ndarray:
        return self.judge[self.rated]

    @cached_property
    def rest(self) -> np.ndarray:
        return self.judge[~self.rated]


@dataclass(frozen=True)
class Task:
    """One data set: tables of truth by verdict where people rated, and verdicts alone, of one system or of two."""

    id: str
    work: str
    cell: str
    number: int
    truth: float
    tables: tuple[dict[str, Any], ...]

    @classmethod
    def read(cls, line: str) -> Task:
        return cls(**json.loads(line))

    @cached_property
    def seed(self) -> int:
        return zlib.crc32(self.id.encode())

    @cached_property
    def samples(self) -> list[Sample]:
        rng = np.random.default_rng(self.seed)
        if self.work == "same":  # class 2a + b of one table is class a of the first system, b of the second
            return expanded(self.tables[0], [(0, 0, 1, 1), (0, 1, 0, 1)], rng)
        return [sample for table in self.tables for sample in expanded(table, [VALUES[self.work]], rng)]


def expanded(table: dict[str, Any], values: list[tuple[float, ...]], rng: np.random.Generator) -> list[Sample]:
    """Return one sample for each list of values of the classes, all in the same order."""
    both, alone = np.array(table["both"]), np.array(table["alone"])
    truth, verdict = np.divmod(np.repeat(np.arange(both.size), both.ravel()), both.shape[1])
    verdict = np.concatenate([verdict, np.repeat(np.arange(alone.size), alone)])
    order, found = rng.permutation(len(verdict)), []
    for each in values:
        value = np.array(each, dtype=float)
        human = np.full(len(verdict), np.nan)
        human[: len(truth)] = value[truth]
        found.append(Sample(value[verdict][order], human[order]))
    return found


def difference(first: Answer, second: Answer) -> Answer:
    """Return the difference of two independent normal estimates: for peers that have no comparison of their own."""
    spread = np.hypot(first.high - first.low, second.high - second.low) / 2
    point = first.point - second.point
    return Answer(point, point - spread, point + spread)


def kind(task: Task) -> str:
    """Return the kind of work, for how often it is done: draws of real evaluations are fewer."""
    return f"{task.work}, real" if task.cell.startswith("real") else task.work


def answered(method: Callable[[Task], Answer], task: Task) -> dict[str, Any]:
    """Return the answer and the processor time that it took, or why there is none."""
    _ = task.samples  # the arrays are there before the clock starts
    start = time.process_time()
    try:
        answer = method(task)
        found: dict[str, Any] = asdict(answer.decided() if task.work != "one" else answer)
        found = {name: None if value is None else float(value) for name, value in found.items()}
        if any(value is not None and not np.isfinite(value) for value in found.values()):
            found = {"error": "not a number"}
    except (ArithmeticError, RuntimeError, ValueError) as error:  # refused; others are mistakes of the adapter
        found = {"error": f"{type(error).__name__}: {error}"[:200]}
    return {**found, "seconds": time.process_time() - start}


def read(path: Path) -> Iterator[str]:
    """Yield the lines of a file that may not be there; one that was cut off when a run was stopped is left out."""
    if path.exists():
        with path.open(encoding="utf-8") as file:
            yield from (line for line in file if line.endswith("\n"))


def main(methods: dict[str, dict[str, Callable[[Task], Answer]]]) -> None:
    """Answer what is not answered yet: `methods` has a function for each kind of work that a method can do."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("limits", type=json.loads, help="how many of each work for each method, as JSON")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    done = {(line["id"], line["method"]) for line in map(json.loads, read(asked.out))}
    todo = [
        (name, work[task.work], task)
        for task in map(Task.read, read(asked.data))
        for name, work in methods.items()
        if task.work in work and task.number < asked.limits[name][kind(task)] and (task.id, name) not in done
    ]
    seen: set[tuple[str, str]] = set()
    with asked.out.open("a", encoding="utf-8") as file:
        for i, (name, method, task) in enumerate(todo, start=1):
            with contextlib.redirect_stdout(io.StringIO()):
                if (name, task.work) not in seen:  # what is compiled or imported on first use is not counted
                    answered(method, task)
                    seen.add((name, task.work))
                found = answered(method, task)
            file.write(json.dumps({"id": task.id, "method": name, **found}) + "\n")
            file.flush()  # a run that is stopped loses nothing
            if i % 20 == 0 or i == len(todo) or found["seconds"] > 0.5:
                sys.stderr.write(f"\r  {i:,} of {len(todo):,}")
    sys.stderr.write("\n" if todo else "")
