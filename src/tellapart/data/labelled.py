"""People's ratings from a table of their own, joined to the outputs they are of, with how these were drawn."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from tellapart.data import labels
from tellapart.data.drawn import COLUMN
from tellapart.data.drawn import column as of_draw
from tellapart.data.logs.merge import ready
from tellapart.data.logs.opened import File
from tellapart.data.logs.values import Unreadable, number
from tellapart.data.roles import find, plain
from tellapart.data.source import open_source, ticked
from tellapart.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tellapart.data.source import Source

_KEYS = ("system", "task", "item", "epoch")
_MARKED = re.compile(r"'[=+@\t\r-]")


class Unmatched(DataError):
    """No rating is of any of the outputs."""


@dataclass(frozen=True)
class Joined:
    """How many ratings of a table are of how many outputs, and by which columns.

    `lost` are the rows that match no output, with what they are of.
    """

    name: str
    by: tuple[str, ...]
    ratings: int
    outputs: int
    lost: Mapping[int, str]

    @classmethod
    def over(cls, parts: Sequence[Joined]) -> Joined:
        """Return what is true of several tables of outputs: a rating is lost that matches none in any of them."""
        first, *others = parts
        lost = {row: of for row, of in first.lost.items() if all(row in other.lost for other in others)}
        ratings, outputs = (sum(getattr(part, what) for part in parts) for what in ("ratings", "outputs"))
        return replace(first, ratings=ratings, outputs=outputs, lost=lost)

    @property
    def said(self) -> tuple[str, ...]:
        """The same in words."""
        by = ", ".join(self.by[:-1]) + f" and {self.by[-1]}" if len(self.by) > 1 else self.by[0]
        said = [f"Joined {self.ratings:,} ratings of {self.outputs:,} outputs from {self.name} by {by}."]
        if self.lost:
            which = next(iter(self.lost.values()))
            said.append(f"{len(self.lost):,} of the ratings in {self.name} match no output, such as {which}.")
        return tuple(said)


@dataclass(frozen=True)
class Labelled:
    """A table with people's ratings, the columns that hold them, and how they were joined."""

    frame: pl.DataFrame
    human: tuple[str, ...]
    joined: Joined


def join(frame: pl.DataFrame, path: str | Path | File, *, human: Sequence[str] = ()) -> Labelled:
    """Join a table of people's ratings by system, task, item and epoch: by those of them that it has.

    The columns of the frame are called so. Items may be called as in the log, or as `tellapart convert` writes them.
    """
    if "item" not in frame.columns:
        raise DataError("labels are joined by item, and no column names the items. Hint: name it item")
    source = _opened(path)
    table = source.run(source.frame.collect)
    columns = _columns(table, source.name, human)
    keys = [key for key in _KEYS if key in columns and key in frame.columns]
    rows = _Rows(frame, keys)
    votes, lost, drawn = dict[int, list[float]](), list[int](), dict[int, Any]()
    how = table[columns[COLUMN]] if COLUMN in columns else None
    for index, cells in enumerate(table.select(columns[c] for c in (*keys, "human")).iter_rows()):
        value = _vote(cells[-1], source, index, columns["human"])
        if value is None:
            continue
        row = rows.find(tuple(map(_text, cells[:-1])), f"{source.name}, {source.place(index)}")
        if row is None:
            lost.append(index)
        elif row in votes and "annotator" not in columns:
            hint = "one row for each output, or a column annotator"
            raise DataError(f"{source.name}, {source.place(index)}: the output is rated twice. Hint: {hint}")
        else:
            votes.setdefault(row, []).append(value)
            drawn |= {} if how is None else {row: how[index]}
    if not votes:
        raise _unmatched(table, columns, keys, lost, source)
    labelled, names = _added(_with_draw(frame, drawn), votes)
    of = {row: _which(table, columns, keys, row) for row in lost}
    number = sum(map(len, votes.values()))
    return Labelled(labelled, names, Joined(source.name, tuple(keys), number, len(votes), of))


def name_systems(path: str | Path | File) -> bool:
    """Whether a table of people's ratings says which system each is of."""
    return find(_opened(path).frame.collect_schema().names(), "system") is not None


def _opened(path: str | Path | File) -> Source:
    return open_source(path.data, path.name) if isinstance(path, File) else open_source(path)


def _columns(table: pl.DataFrame, name: str, human: Sequence[str]) -> dict[str, str]:
    """Return the columns by what they hold."""
    found = {plain(column): column for column in table.columns if plain(column) in {*_KEYS, COLUMN}}
    for role in ("system", "item", "human", "annotator"):
        column = find(table.columns, role)
        found |= {role: column} if column else {}
    found |= {"human": human[0]} if len(human) == 1 and human[0] in table.columns else {}
    for role in ("item", "human"):
        if role not in found:
            shown = ", ".join(table.columns)[:200]
            hint = "labels need item and human, and system, task, epoch where there are several"
            raise DataError(f"{name}: no column `{role}`; the columns are {shown}. Hint: {hint}")
    return found


class _Rows:
    """The rows of a table by what its outputs are called."""

    def __init__(self, frame: pl.DataFrame, keys: Sequence[str]) -> None:
        self.keys, self.lacking = (
            keys,
            [key for key in _KEYS if key in frame.columns and key not in keys and frame[key].n_unique() > 1],
        )
        self._named: dict[tuple[str, ...], list[int]] = {}
        for table in (frame, ready(frame)):
            for index, cells in enumerate(table.select(*keys).iter_rows()):
                rows = self._named.setdefault(tuple(map(_text, cells)), [])
                rows += [index] if index not in rows[-1:] else []

    def find(self, label: tuple[str, ...], where: str) -> int | None:
        """Return the row that a label means, nothing if there is none."""
        found = self._named.get(label, [])
        if len(found) > 1:
            lacking = " or ".join(map(ticked, self.lacking)) or "another name for each"
            said = f"item {dict(zip(self.keys, label, strict=True))['item'][:40]!r} is the name of {len(found)} outputs"
            raise DataError(f"{where}: {said}. Hint: add the column {lacking}")
        return found[0] if found else None


def _text(cell: Any) -> str:  # noqa: ANN401 - a cell
    """Return what a cell holds, without the mark that a sheet puts before text that would be computed."""
    text = "" if cell is None else labels.text(cell)
    return text[1:] if _MARKED.match(text) else text


def _vote(cell: Any, source: Source, index: int, column: str) -> float | None:  # noqa: ANN401
    try:
        return number(cell)
    except Unreadable:
        raise _no_rating(f"{source.name}, {source.place(index)}, column {ticked(column)}", cell) from None


def _older(cell: Any) -> float | None:  # noqa: ANN401
    try:
        return number(cell)
    except Unreadable:
        raise _no_rating("column `human` of the table", cell) from None


def _no_rating(where: str, cell: object) -> DataError:
    return DataError(f"{where}: must be a label or a number, got {str(cell)[:40]!r}. Hint: {labels.KNOWN}")


def _with_draw(frame: pl.DataFrame, drawn: Mapping[int, Any]) -> pl.DataFrame:
    """Add how the outputs were drawn that people rated, before what was there; where nobody says, nothing."""
    if not any(drawn.values()):
        return frame
    name = of_draw(frame.columns) or COLUMN
    older = frame[name].cast(pl.String) if name in frame.columns else [None] * len(frame)
    return frame.with_columns(pl.Series(name, [drawn.get(k) or old for k, old in enumerate(older)], dtype=pl.String))


def _added(frame: pl.DataFrame, votes: Mapping[int, list[float]]) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Add the ratings: one column, or one for each of several annotators; they stand before what was there."""
    most = max(map(len, votes.values()))
    names = ("human",) if most == 1 else tuple(f"human_{k + 1}" for k in range(most))
    older = [_older(v) for v in frame["human"]] if most == 1 and "human" in frame.columns else [None] * len(frame)
    added = []
    for k, name in enumerate(names):
        cells = [votes[i][k] if k < len(votes.get(i, ())) else older[i] for i in range(len(frame))]
        added.append(pl.Series(name, cells, dtype=pl.Float64))
    return frame.drop("human", strict=False).with_columns(added), names


def _which(table: pl.DataFrame, columns: Mapping[str, str], keys: Sequence[str], index: int) -> str:
    return ", ".join(f"{key} {_text(table[columns[key]][index])[:40]!r}" for key in keys)


def _unmatched(
    table: pl.DataFrame, columns: Mapping[str, str], keys: Sequence[str], lost: Sequence[int], source: Source
) -> DataError | Unmatched:
    if not lost:
        where = f"{source.name}, column {ticked(columns['human'])}"
        return DataError(f"{where}: holds no rating. Hint: fill in the sheet, {labels.KNOWN}")
    which = _which(table, columns, keys, lost[0])
    hint = "tellapart sheet writes one with the right names"
    return Unmatched(f"{source.name}: none of its ratings matches an output, such as {which}. Hint: {hint}")
