"""From answers to tables: what each method made of each cell, and Markdown."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from adapter import Task, read
from methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

BOUNDS = {"one": (0.0, 1.0), "two": (-1.0, 1.0), "same": (-1.0, 1.0), "net": (-1.0, 1.0)}
OURS = {"one": "tellapart", "net": "tellapart", "two": "tellapart, no pooling", "same": "tellapart, no pooling"}
VALID = 0.92
ENOUGH = 100  # replicates from which the worst cell of several means something


@dataclass(frozen=True)
class Cell:
    """What one method answered in one cell: truth, point, low, high, verdict, seconds; not a number where missing."""

    work: str
    ids: tuple[str, ...]
    values: np.ndarray

    @property
    def n(self) -> int:
        return len(self.ids)

    @cached_property
    def truth(self) -> np.ndarray:
        return self.values[:, 0]

    @cached_property
    def answered(self) -> np.ndarray:
        return ~np.isnan(self.values[:, 1:5]).all(axis=1)

    @cached_property
    def bounded(self) -> np.ndarray:
        return ~np.isnan(self.values[:, 2])

    @cached_property
    def covered(self) -> np.ndarray:
        """Whether each interval that was given holds the truth."""
        low, high = self.values[self.bounded, 2:4].T
        slack = 1e-12
        truth = self.truth[self.bounded]
        return (low - slack <= truth) & (truth <= high + slack)

    @cached_property
    def width(self) -> np.ndarray:
        """Widths of the part of the interval where the truth can lie."""
        low, high = np.clip(self.values[:, 2:4], *BOUNDS[self.work]).T
        return high - low

    @property
    def missing(self) -> float:
        return 1 - self.answered.mean()

    @property
    def leaving(self) -> float:
        """The share of intervals that leave what is possible."""
        least, most = BOUNDS[self.work]
        low, high = self.values[self.bounded, 2:4].T
        return float(np.mean((low < least) | (high > most))) if len(low) else float("nan")

    @property
    def right(self) -> float:
        return float(np.mean((np.sign(self.truth) == self.values[:, 4]) & (self.truth != 0)))

    @property
    def wrong(self) -> float:
        """The share of verdicts for the worse system, or for either of two equal ones."""
        verdict = np.nan_to_num(self.values[:, 4])
        return float(np.mean((verdict != 0) & (verdict != np.sign(self.truth))))

    def beside(self, other: Cell, measure: Callable[[Cell], np.ndarray]) -> float:
        """Return a mean divided by another method's, over the data sets that both answered."""
        mine, theirs = (dict(zip(one.ids, measure(one), strict=True)) for one in (self, other))
        both = [(mine[name], theirs[name]) for name in mine if name in theirs]
        kept = np.array([pair for pair in both if not np.isnan(pair).any()])
        return float(np.divide(*kept.mean(axis=0))) if len(kept) and kept[:, 1].any() else float("nan")


class Results:
    """All answers, by work, cell and method; cells in the order of the data."""

    def __init__(self, build: Path) -> None:
        tasks = {task.id: task for task in map(Task.read, read(build / "data.jsonl"))}
        found: dict[tuple[str, str, str], list[tuple[str, list[float]]]] = defaultdict(list)
        for path in sorted(build.glob("answers-*.jsonl")):
            for line in map(json.loads, read(path)):
                task = tasks.get(line["id"])
                if task is not None:
                    found[task.work, task.cell, line["method"]].append((task.id, values(task, line)))
        self.cells = {key: Cell(key[0], *_columns(rows)) for key, rows in found.items()}
        self.order = list(dict.fromkeys((task.work, task.cell) for task in tasks.values()))

    def names(self, work: str, *, real: bool = False) -> list[str]:
        return [cell for each, cell in self.order if each == work and cell.startswith("real") == real]

    def of(self, work: str, method: str, cells: Iterable[str]) -> list[Cell]:
        return [self.cells[work, cell, method] for cell in cells if (work, cell, method) in self.cells]

    def methods(self, work: str, cells: Iterable[str]) -> list[str]:
        return [name for name in METHODS if self.of(work, name, cells)]

    def ratio(self, work: str, method: str, cells: Iterable[str], measure: Callable[[Cell], np.ndarray]) -> float:
        """Return the geometric mean over cells of a mean divided by ours."""
        pairs = [
            (self.cells[work, cell, method], self.cells[work, cell, OURS[work]])
            for cell in cells
            if (work, cell, method) in self.cells and (work, cell, OURS[work]) in self.cells
        ]
        ratios = [value for value in (mine.beside(ours, measure) for mine, ours in pairs) if not np.isnan(value)]
        return float(np.exp(np.mean(np.log(ratios)))) if ratios and min(ratios) > 0 else float("nan")


def _columns(rows: list[tuple[str, list[float]]]) -> tuple[tuple[str, ...], np.ndarray]:
    return tuple(name for name, _ in rows), np.array([values for _, values in rows], dtype=float)


def values(task: Task, line: dict[str, Any]) -> list[float]:
    names = ("point", "low", "high", "verdict", "seconds")
    return [task.truth, *(float("nan") if line.get(name) is None else line[name] for name in names)]


def widths(cell: Cell) -> np.ndarray:
    return cell.width


def squares(cell: Cell) -> np.ndarray:
    return (cell.values[:, 1] - cell.truth) ** 2


def milliseconds(cells: list[Cell]) -> float:
    taken = np.concatenate([cell.values[cell.answered, 5] for cell in cells])
    return 1000 * float(np.median(taken)) if len(taken) else float("nan")


def error(share: float, n: int) -> float:
    """Return the standard error of a share, two successes and two failures added: that of 0 of 20 is not 0."""
    adjusted = (share * n + 2) / (n + 4)
    return float(np.sqrt(adjusted * (1 - adjusted) / (n + 4)))


def percent(share: float, n: int) -> str:
    """Write a share in per cent with its standard error."""
    return f"{100 * share:.1f} ± {100 * error(share, n):.1f}" if n else "–"


def number(value: float, digits: int = 2) -> str:
    return "–" if np.isnan(value) else f"{value:.{digits}f}"


def significant(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def pooled(cells: list[Cell]) -> str:
    """Write the mean coverage over cells with its standard error."""
    covered = [cell.covered for cell in cells if len(cell.covered)]
    if not covered:
        return "–"
    mean = np.mean([one.mean() for one in covered])
    spread = np.sqrt(sum(error(one.mean(), len(one)) ** 2 for one in covered)) / len(covered)
    return f"{100 * mean:.1f} ± {100 * spread:.1f}"


def worst(cells: list[Cell]) -> str:
    covered = [cell.covered for cell in cells if len(cell.covered)]
    if not covered or min(map(len, covered)) < ENOUGH:
        return "–"
    least = min(covered, key=np.mean)
    return percent(float(least.mean()), len(least))


def holds(cells: list[Cell]) -> str:
    """Say whether coverage falls below VALID in some cell: yes, no, or ? where there are too few replicates to tell."""
    covered = [cell.covered for cell in cells if len(cell.covered)]
    if any(upper(int(one.sum()), len(one)) < VALID for one in covered):
        return "no"
    if not covered or min(map(len, covered)) < ENOUGH:
        return "?"
    return "yes" if min(one.mean() for one in covered) >= VALID else "?"


def upper(k: int, n: int) -> float:
    """Return the upper end of Wilson's interval of 99%."""
    z2 = 2.5758293035489004**2
    return (k + z2 / 2 + np.sqrt(z2 * (k * (n - k) / n + z2 / 4))) / (n + z2)


def most(shares: list[float]) -> str:
    """Write the largest share in per cent; nothing where there is none."""
    return number(100 * max((share for share in shares if not np.isnan(share)), default=float("nan")), 0)


def replicates(cells: list[Cell]) -> str:
    return f"{min(cell.n for cell in cells):,}"


def markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]
    return "\n".join(lines)


def one_rate(results: Results, cells: list[str]) -> str:
    head = ["method", "holds", "coverage %", "worst cell %", "width / ours", "error / ours", "no answer, worst %"]
    head += ["leaves [0, 1], worst %", "ms", "replicates"]
    rows = []
    for method in results.methods("one", cells):
        own = results.of("one", method, cells)
        row = [method, holds(own), pooled(own), worst(own), number(results.ratio("one", method, cells, widths))]
        row.append(number(np.sqrt(results.ratio("one", method, cells, squares))))
        row += [most([cell.missing for cell in own]), most([cell.leaving for cell in own])]
        rows.append([*row, significant(milliseconds(own)), replicates(own)])
    return markdown(head, rows)


def by_cell(results: Results, work: str, cells: list[str], *, title: str = "rate/tpr/tnr, human ratings") -> str:
    """Coverage of each method with enough replicates, cell by cell."""
    methods = [m for m in results.methods(work, cells) if min(c.n for c in results.of(work, m, cells)) >= ENOUGH]
    rows = []
    for cell in cells:
        shown = [results.of(work, method, [cell])[0].covered for method in methods]
        rows.append([cell, *(f"{100 * one.mean():.0f}" if len(one) else "–" for one in shown)])
    return markdown([title, *methods], rows)


def width_by_cell(results: Results, work: str, cells: list[str], *, title: str = "rate/tpr/tnr, human ratings") -> str:
    methods = [m for m in results.methods(work, cells) if min(c.n for c in results.of(work, m, cells)) >= ENOUGH]
    rows = [[cell, *(number(results.ratio(work, method, [cell], widths)) for method in methods)] for cell in cells]
    return markdown([title, *methods], rows)


def edge(results: Results, cells: list[str]) -> str:
    """Coverage and width where nearly all outputs are adequate and people rated few."""
    head = [
        "method",
        *(f"{what}, {cell.partition('/')[0]}" for what in ("coverage %", "width / ours") for cell in cells),
    ]
    rows = []
    for method in results.methods("one", cells):
        own = results.of("one", method, cells)
        shown = [percent(float(cell.covered.mean()), len(cell.covered)) if len(cell.covered) else "–" for cell in own]
        shown += [number(results.ratio("one", method, [cell], widths)) for cell in cells]
        empty = [float(np.mean(own[0].width[own[0].bounded] < 1e-9))] if len(own[0].covered) else []
        nothing = [f"{most([own[0].missing])}, {most(empty)}"]
        rows.append([method, *shown, *nothing, replicates(own)])
    return markdown([*head, f"no answer %, width 0%, {cells[0].partition('/')[0]}", "replicates"], rows)


def two_systems(results: Results, work: str) -> str:
    cells = results.names(work)
    equal, apart = ([cell for cell in cells if cell.startswith(word)] for word in ("equal", "apart"))
    head = ["method", *(f"false, {cell.removeprefix('equal, ')}" for cell in equal)]
    head += [
        *(f"right, {cell.removeprefix('apart, ')}" for cell in apart),
        "wrong way",
        "coverage %",
        "width / ours",
        "ms",
    ]
    rows = []
    for method in results.methods(work, cells):
        own = results.of(work, method, cells)
        false = [(cell.wrong, cell.n) for cell in results.of(work, method, equal)]
        right = [(cell.right, cell.n) for cell in results.of(work, method, apart)]
        row = [method, *(percent(*one) for one in (*false, *right))]
        row.append(f"{100 * np.mean([cell.wrong for cell in results.of(work, method, apart)]):.1f}")
        row += [pooled(own), number(results.ratio(work, method, cells, widths)), significant(milliseconds(own))]
        rows.append([*row, replicates(own)])
    return markdown([*head, "replicates"], rows)


def real_rates(results: Results) -> str:
    cells = results.names("one", real=True)
    rows = []
    for method in results.methods("one", cells):
        own = results.of("one", method, cells)
        shown = [percent(float(cell.covered.mean()), len(cell.covered)) if len(cell.covered) else "–" for cell in own]
        none = f"{100 * np.mean([cell.missing for cell in own]):.0f}"
        rows.append([method, *shown, number(results.ratio("one", method, cells, widths)), none, replicates(own)])
    head = [
        "method",
        *(cell.removeprefix("real ") for cell in cells),
        "width / ours",
        "no answer %",
        "data sets, at least",
    ]
    return markdown(head, rows)


def real_verdicts(results: Results) -> str:
    cells = results.names("same", real=True)
    rows = []
    for method in results.methods("same", cells):
        own = results.of("same", method, cells)
        shown = [f"{100 * cell.right:.0f} / {100 * cell.wrong:.1f}" for cell in own]
        mean = [float(np.mean([getattr(cell, what) for cell in own])) for what in ("right", "wrong")]
        total = sum(cell.n for cell in own)
        rows.append(
            [method, *shown, f"{percent(mean[0], total)} / {percent(mean[1], total)}", pooled(own), replicates(own)]
        )
    head = ["method", *(cell.removeprefix("real ") for cell in cells), "mean", "coverage %", "pairs, at least"]
    return markdown(head, rows)
