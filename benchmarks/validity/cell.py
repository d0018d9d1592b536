"""A kind of simulated evaluation, and what came of it."""

from __future__ import annotations

import ast
import inspect
import textwrap
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tellapart.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

REFUSED = "refused"
Outcomes = dict[str, float]  # of one evaluation: 1 or 0, a share of its pairs, or a width
Band = tuple[float, float]


@dataclass(frozen=True)
class Cell:
    """One kind of evaluation: `make` draws one with a generator and says what came of it.

    `goals` are those of its own, beside or in place of the group's. Where a goal cannot be reached, `note` says why,
    and `allowed` is what tests ask for instead.
    """

    group: str
    name: str
    make: Callable[..., Outcomes]
    given: Mapping[str, Any] = field(default_factory=dict)
    goals: Mapping[str, Band] = field(default_factory=dict)
    note: str = ""
    allowed: Mapping[str, Band] = field(default_factory=dict)

    def draw(self, number: int) -> Outcomes:
        """Simulate one evaluation; the same, whoever asks and in whatever order.

        One in thousands has ratings that cannot answer, such as labels that are all the same where they are to choose a
        cut: the program refuses it, and nothing but that is counted.
        """
        rng = np.random.default_rng([zlib.crc32(f"{self.group}/{self.name}".encode()), number])
        try:
            return self.make(rng, **self.given)
        except DataError:
            return {REFUSED: 1.0}

    def run(self, numbers: Iterable[int]) -> Sums:
        """Simulate several."""
        found = Sums()
        for number in numbers:
            found.add(self.draw(number))
        return found

    @cached_property
    def definition(self) -> str:
        """What tells results of this cell from those of another of the same name."""
        given = [(name, _code(v) if callable(v) else repr(v)) for name, v in sorted(self.given.items())]
        return f"{zlib.crc32(f'{_code(self.make)} {given}'.encode()):08x}"


def _code(function: Callable[..., Any]) -> str:
    """Return what a function does, however it is laid out and described."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    body = tree.body[0].body  # type: ignore[attr-defined]
    described = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    return "; ".join(ast.unparse(line) for line in body[described:])


class Sums(dict[str, list[float]]):
    """Number, sum and sum of squares of each outcome."""

    def add(self, outcomes: Outcomes) -> None:
        for name, value in outcomes.items():
            self.merge({name: [1, float(value), float(value) ** 2]})

    def merge(self, other: Mapping[str, list[float]]) -> None:
        for name, sums in other.items():
            self[name] = [a + b for a, b in zip(self.get(name, [0, 0.0, 0.0]), sums, strict=True)]

    def n(self, name: str) -> int:
        return int(self[name][0])

    def mean(self, name: str) -> float:
        return self[name][1] / self[name][0]

    def error(self, name: str) -> float:
        """Return the standard error of a mean; where all were alike, as if one in n were not."""
        n, total, squares = self[name]
        variance = 1 / n if total in {0, n} else max(squares / n - (total / n) ** 2, 0.0)
        return float(np.sqrt(variance / n))


@dataclass(frozen=True)
class Group:
    """Cells that one question is asked of.

    `goals` are the bands in which outcomes of each cell should lie, `average` in which their means over all cells;
    an outcome without is shown only. `replicates` of each cell are simulated in full, `reduced` by the slow tests.
    """

    name: str
    title: str
    text: str
    cells: tuple[Cell, ...]
    goals: Mapping[str, Band]
    average: Mapping[str, Band]
    replicates: int
    reduced: int

    def goal(self, cell: Cell, outcome: str) -> Band | None:
        """Return where an outcome of a cell should lie."""
        return cell.goals.get(outcome, self.goals.get(outcome))
