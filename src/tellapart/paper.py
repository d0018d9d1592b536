"""Does this agree with the paper? Every published ε table and the human-only pairwise tables, recomputed.

Two modes: the paper's own (expected counts rounded half to even, 2000 cells of the rate, ties in pairs lost) and exact.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar

from scipy.special import ndtri

from tellapart._version import __version__
from tellapart.analysis.design import Design, MeasurableDifference
from tellapart.analysis.maps import Axis, DifferenceMap, difference_map
from tellapart.core.counts import Tally
from tellapart.core.evidence import Evidence
from tellapart.core.posterior import rate_posterior
from tellapart.core.riemann import grid_posterior
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tellapart.analysis.result import Kind

LEVEL = 0.95
_Z = float(ndtri(0.5 + LEVEL / 2))

# docs/theory.md: where the publication and its own model disagree
_WHY = {
    ("introduction", "2500 human, 10000 metric"): "The model gives .0213; the printed .020 does not follow from it.",
    (
        "appendix-tpr-70",
        "1000 human, 50000 metric",
    ): "The exact value is .03950; the variance of the paper's own grid tips it to .040.",
}
_NOTHING_RATED = "Nothing is rated: printed as 1.000; the uniform prior's own value is .800."
_TIES = "The paper's grid loses ties, so its two probabilities of a pair do not add up to one; the exact ones do."


@dataclass(frozen=True)
class Cell:
    """One published number beside ours."""

    where: str
    published: str
    paper_mode: str
    exact: str
    why: str = ""

    @property
    def matched(self) -> bool:
        """Whether the paper's mode gives the printed digits."""
        return self.published == self.paper_mode

    @property
    def informative(self) -> bool:
        """Whether it tells of ratings, and not of the prior alone."""
        return self.why != _NOTHING_RATED

    @property
    def matched_exactly(self) -> bool:
        """Whether the exact value rounds to the printed digits."""
        return self.published == self.exact


@dataclass(frozen=True)
class Reproduction:
    """A published table, recomputed."""

    kind: ClassVar[Kind] = "reproduction"
    name: str
    title: str
    cells: tuple[Cell, ...]

    @property
    def matched(self) -> int:
        """Number of cells that the paper's mode reproduces."""
        return sum(cell.matched for cell in self.cells)

    @property
    def matched_exactly(self) -> int:
        """Number of cells that the exact mode reproduces."""
        return sum(cell.matched_exactly for cell in self.cells)

    @property
    def differing(self) -> tuple[Cell, ...]:
        """Cells where the paper's mode does not give the printed digits, or the exact value of an ε does not."""
        return tuple(cell for cell in self.cells if not cell.matched or (cell.why and not cell.matched_exactly))

    def __str__(self) -> str:
        """Say how many agree."""
        total = len(self.cells)
        return f"{self.name}: {self.matched} of {total} in the paper's mode, {self.matched_exactly} of {total} exactly."

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "name": self.name,
            "title": self.title,
            "cells": len(self.cells),
            "informative": sum(cell.informative for cell in self.cells),
            "matched": self.matched,
            "matched_exactly": self.matched_exactly,
            "differing": [asdict(cell) for cell in self.differing],
        }


@dataclass(frozen=True)
class Reproductions:
    """Several published tables, recomputed."""

    kind: ClassVar[Kind] = "reproductions"
    tables: tuple[Reproduction, ...]

    @property
    def cells(self) -> int:
        """Number of cells of all tables."""
        return sum(len(table.cells) for table in self.tables)

    @property
    def matched(self) -> int:
        """Number of cells that the paper's mode reproduces."""
        return sum(table.matched for table in self.tables)

    @property
    def signature(self) -> str:
        """One line that makes the numbers reproducible."""
        return f"tellapart {__version__} | 2000 cells of the rate, half-even rounding, level {LEVEL:g}"

    def __str__(self) -> str:
        """Say how many agree."""
        return (
            f"{self.matched} of {self.cells} published cells come out in the paper's own mode to the last digit; "
            f"{self.cells - self.matched} differ, each explained."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "tables": [table.to_dict() for table in self.tables],
            "cells": self.cells,
            "matched": self.matched,
            "summary": str(self),
            "signature": self.signature,
        }


@cache
def _published() -> dict[str, Any]:
    text = files("tellapart").joinpath("paper_tables.json").read_text(encoding="utf-8")
    tables: dict[str, Any] = json.loads(text)
    return tables


def count_cells() -> int:
    """Return the number of cells that `reproduce` goes through."""
    tables = _published()
    sizes = [len(t["n_human"]) * len(t["n_metric"]) for t in tables["epsilon"]]
    return sum(sizes) + sum(len(t["pairs"]) for t in tables["pairwise"])


def counts(study: str) -> dict[str, tuple[str, Tally]]:
    """Return the human counts of a showcase of the paper ("wmt21" or "stb"): label to system and tally.

    Examples
    --------
    >>> counts("wmt21")["FBAI"]
    ('Facebook-AI', Tally(positive=353, total=527))
    """
    return {label: (system, Tally(adequate, rated)) for label, system, adequate, rated in _published()["counts"][study]}


def figures() -> dict[str, DifferenceMap]:
    """Return the settings of the paper's figures: measurable difference by accuracy, metric ratings and calibration."""
    accuracy = Axis("accuracy", tuple(round(0.5 + 0.02 * k, 2) for k in range(26)))
    by_accuracy = difference_map(Axis("n_human", (100, 500, 1000)), accuracy, rate=0.6, n_metric=10_000)
    sizes = Axis("n_metric", (0, 250, 500, 1000, 2000, 4000, 6000, 8000, 10_000))
    wmt = difference_map(Axis("accuracy", (0.52, 0.6, 0.7)), sizes, rate=0.65, n_human=100, n_calibration=527)
    calibration = Axis("n_calibration", (100, 200, 400, 600, 1000, 2000, 3000, 4000, 5000))
    bots = difference_map(Axis("accuracy", (0.6, 0.7, 0.8)), calibration, rate=0.25, n_human=100, n_metric=10_000)
    return {"accuracy": by_accuracy, "wmt21-metric-ratings": wmt, "spot-the-bot-calibration": bots}


def names() -> list[str]:
    """Return the names of the published tables."""
    return [table["name"] for table in (*_published()["epsilon"], *_published()["pairwise"])]


def reproduce_one(name: str) -> Reproduction:
    """Recompute one published table."""
    for table, cells in _tables():
        if table["name"] == name:
            return Reproduction(name, table["title"], tuple(cells(table, lambda _: None)))
    raise InvalidInput.rule("name", f"be one of {', '.join(names())}", name)


def reproduce(progress: Callable[[int], None] = lambda _: None) -> Iterator[Reproduction]:
    """Recompute the published tables one after another; `progress` is called with 1 for every cell."""
    for table, cells in _tables():
        yield Reproduction(table["name"], table["title"], tuple(cells(table, progress)))


def _tables() -> Iterator[tuple[dict[str, Any], Callable[..., Iterator[Cell]]]]:
    """Return every published table with what recomputes its cells."""
    for kind, cells in (("epsilon", _epsilon_cells), ("pairwise", _pair_cells)):
        for table in _published()[kind]:
            yield table, cells


def _epsilon_cells(table: dict[str, Any], progress: Callable[[int], None]) -> Iterator[Cell]:
    setting = {key: table[key] for key in ("rate", "tpr", "tnr", "known_rates")}
    for n_human, row in zip(table["n_human"], table["printed"], strict=True):
        for n_metric, printed in zip(table["n_metric"], row, strict=True):
            design = Design(n_human=n_human, n_metric=n_metric, rounding="half-even", confidence_level=LEVEL, **setting)
            on_grid = math.sqrt(2) * _Z * grid_posterior(design.evidence).sd
            exact = MeasurableDifference(design).measurable_difference
            where = f"{n_human} human, {n_metric} metric"
            why = _WHY.get((table["name"], where), "") if n_human or n_metric else _NOTHING_RATED
            yield Cell(where, printed, f"{on_grid:.3f}", f"{exact:.3f}", why)
            progress(1)


def _pair_cells(table: dict[str, Any], progress: Callable[[int], None]) -> Iterator[Cell]:
    tallies = {label: _of(tally, table["ratings"]) for label, (_, tally) in counts(table["study"]).items()}
    grids = {label: grid_posterior(Evidence.of(tally)) for label, tally in tallies.items()}
    exact = {label: rate_posterior(Evidence.of(tally)) for label, tally in tallies.items()}
    for first, first_mean, second, second_mean, difference, probability, bold in table["pairs"]:
        published = _pair(
            float(first_mean), float(second_mean), float(difference), float(probability), distinguishable=bool(bold)
        )
        on_grid, sharp = _compared(grids[first], grids[second]), _compared(exact[first], exact[second])
        yield Cell(f"{first} − {second}", published, on_grid, sharp, "" if published == on_grid else _TIES)
        progress(1)


def _of(tally: Tally, ratings: int | None) -> Tally:
    """Return the tally scaled to so many ratings, as the paper's tables with 100 human ratings were made."""
    return tally if ratings is None else Tally(round(ratings * tally.positive / tally.total), ratings)


def _compared(first: Any, second: Any) -> str:  # noqa: ANN401 - posteriors, both on the grid or both exact
    """Bold in the paper iff the larger of the two probabilities exceeds 1 − γ/2."""
    forward, backward = first.greater(second), second.greater(first)
    apart = max(forward, backward) > 0.5 + LEVEL / 2
    return _pair(first.mean, second.mean, first.mean - second.mean, forward, distinguishable=apart)


def _pair(first: float, second: float, difference: float, probability: float, *, distinguishable: bool) -> str:
    mark = " distinguishable" if distinguishable else ""
    return f"{first:.2f} − {second:.2f} = {difference + 0.0:.2f}: P = {probability:.3f}{mark}".replace("-0.00", "0.00")
