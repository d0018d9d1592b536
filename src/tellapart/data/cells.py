"""Cells that hold neither a label nor a number: counted and told as an error, or taken as not rated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import narwhals.stable.v2 as nw
import polars as pl

from tellapart.data import labels
from tellapart.data.labels import Unknown
from tellapart.data.source import ticked
from tellapart.errors import DataError
from tellapart.said import Option, Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tellapart.data.frames import Frame, Row

BadCells = Literal["error", "exclude"]
BAD_CELLS: tuple[str, ...] = get_args(BadCells)
# scores that are divided into levels are "bins", human ratings that are numbers "ratings"
Kind = Literal["labels", "scores", "levels", "bins", "ratings", "text", "nothing"]


def is_number(value: object) -> bool:
    """Whether a cell is a number, finite or not."""
    return not isinstance(labels.score(value), Unknown)


def fits(value: object, kind: Kind = "labels") -> bool:
    """Whether a cell can be read: as a label or a number, or only as a number where the column is one of numbers."""
    if kind == "labels":
        return is_number(value) or not isinstance(labels.label(value), Unknown)
    return is_number(value) and (labels.missing(value) or labels.score(value) is not None)


@dataclass(frozen=True)
class Bad:
    """So many of the cells of a column that hold something are bad."""

    column: str
    n: int
    total: int
    numbers: bool  # a column of numbers, and some of these cells are labels or infinite

    @property
    def few(self) -> bool:
        """Whether the column can be used without them."""
        return 2 * self.n <= self.total

    def __str__(self) -> str:
        """Say how many they are."""
        one = "is not a finite number" if self.numbers else "is neither a label nor a number"
        many = "are not finite numbers" if self.numbers else "are neither labels nor numbers"
        return f"{self.n:,} of {self.total:,} cells {one if self.n == 1 else many}"


def refusal(frame: Frame, column: str, kind: Kind) -> DataError:
    """Count the bad cells of a column that has some, and say where the first stands."""
    bad, strange, _ = _found(frame, column, kind)
    return _refusal(frame, bad, strange)


def check_numbers(frame: Frame, columns: Sequence[str]) -> Frame:
    """Refuse bad cells among scores, and text in a frame even where it spells numbers; respell those of files."""
    for column in columns:
        bad, strange, others = _found(frame, column, "scores")
        if bad.n:
            raise _refusal(frame, bad, strange)
        if not frame.is_text(column):
            continue
        if frame.source is not None:
            frame = frame.respelled(column, comma=_settled(others)) if others else frame
        elif frame.dtypes[column] == nw.String or any(isinstance(v, str) for v in others):
            where = f"{frame.name}, column {ticked(column)}"
            raise DataError(f"{where}: holds text, must hold numbers. Hint: convert it first")
    return frame


def exclude(frame: Frame, kinds: Mapping[str, Kind]) -> tuple[Frame, tuple[Bad, ...]]:
    """Return the table without its bad cells, and how many there were; a column must not consist mostly of them."""
    table, excluded = frame.table, []
    for column, kind in kinds.items():
        if kind == "labels" and not frame.is_text(column):
            continue
        bad, strange, others = _found(frame, column, kind)
        if not bad.few:
            raise _refusal(frame, bad, strange)
        excluded += [bad] if bad.n else []
        nothing = strange + [
            v for v in others if kind != "labels" and labels.score(v) is None
        ]  # not all engines cast it
        if nothing:
            table = table.with_columns(nw.when(~nw.col(column).is_in(nothing)).then(nw.col(column)).alias(column))
        if frame.source is not None and kind != "labels" and frame.is_text(column) and others:
            table = replace(frame, table=table).respelled(column, comma=_settled(others)).table
    return replace(frame, table=table), tuple(excluded)


def _found(frame: Frame, column: str, kind: Kind) -> tuple[Bad, list[Any], list[Any]]:
    """Return how many cells are bad, what they hold, and what others hold; in files, only the bad among scores."""
    there = frame.table.filter(frame.present(column))
    suspects = there
    if not frame.is_text(column):
        whole = not frame.dtypes[column].is_float()
        suspects = there.head(0) if whole else there.filter(~nw.col(column).is_finite())
    elif frame.source is not None and kind not in {"labels", "ratings"}:
        number = pl.col(column).cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
        suspects = nw.from_native(there.to_native().filter(number.is_null() | ~number.is_finite()))
    n = f"{frame.inner}n"
    rows, total = frame.collect([suspects.group_by(column).agg(nw.len().alias(n)), there.select(nw.len().alias(n))])
    strange = [(value, count) for value, count in rows if not fits(value, kind)]
    others = [value for value, _ in rows if fits(value, kind)]
    if (
        kind != "labels"
        and any(labels.ambiguous(value) for value, _ in strange)
        and _decimal_comma(frame, column, rows)
    ):
        others += [value for value, _ in strange if labels.ambiguous(value)]
        strange = [(value, count) for value, count in strange if not labels.ambiguous(value)]
    mixed = kind != "labels" and any(fits(value) for value, _ in strange)
    bad = Bad(column, sum(count for _, count in strange), int(total[0][0]), mixed)
    return bad, [value for value, _ in strange], others


def _settled(others: Iterable[Any]) -> bool:
    """Whether cells that can be read are among those whose comma the rest of the column has to settle."""
    return any(map(labels.ambiguous, others))


def _decimal_comma(frame: Frame, column: str, rows: Iterable[Row]) -> bool:
    """Whether the rest of a column settles that the comma is the decimal sign; `rows` may lack plain numbers."""
    if frame.source is None:
        return False  # text in a frame is refused
    cell = pl.col(column).cast(pl.String).str.strip_chars()
    pointed = frame.table.to_native().filter(cell.str.contains(labels.DECIMAL_POINT))
    (others,) = frame.collect([nw.from_native(pointed).select(column).head(1)])
    return labels.decimal_comma([*(value for value, _ in rows), *(value for (value,) in others)])


def settle_commas(frame: Frame, columns: Iterable[str]) -> Frame:
    """Respell ratings whose comma is settled by the rest of their column; bad cells are told later."""
    for column in columns:
        if frame.source is not None and frame.is_text(column):
            bad, _, others = _found(frame, column, "ratings")
            frame = frame.respelled(column, comma=True) if not bad.n and _settled(others) else frame
    return frame


def _refusal(frame: Frame, bad: Bad, strange: Sequence[Any]) -> DataError:
    shown = f"such as {min(map(str, strange))[:40]!r}" if bad.n > 1 else repr(str(strange[0])[:40])
    if frame.source is not None:
        cell = pl.col(bad.column).cast(pl.String) if frame.is_text(bad.column) else pl.col(bad.column)
        ((row, value),) = frame.source.rows(cell.is_in(strange), bad.column).rows()
        shown = f"{'the first ' if bad.n > 1 else ''}in {frame.source.place(int(row))}: {str(value)[:40]!r}"
    them = "it" if bad.n == 1 else "them"
    hint = Said(f"mend {them}, or leave {them} out with ", Option("bad_cells", "exclude"))
    said = f"{frame.name}, column {ticked(bad.column)}: {bad}, {shown}. Hint: "
    odd = next((cell for cell in map(str, strange) if labels.AMBIGUOUS.fullmatch(cell.strip())), None)
    if odd is not None:
        dot, none = odd.strip().replace(",", "."), odd.strip().replace(",", "")
        return DataError(
            f"{said}{odd.strip()} may be {dot} or {none}: write a decimal point, and no thousands separator"
        )
    return DataError(Said(said, hint if bad.few else labels.KNOWN))
