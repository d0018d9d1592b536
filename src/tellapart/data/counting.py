"""The queries that count a table of ratings, in the engine that it lives in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from tellapart.data import labels
from tellapart.data.cells import fits, is_number, refusal
from tellapart.data.labels import Unknown
from tellapart.data.source import ticked
from tellapart.errors import DataError
from tellapart.said import Option, Said

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tellapart.data.frames import Frame, Row
    from tellapart.data.roles import Roles


@dataclass(frozen=True)
class Outputs:
    """The outputs of a table, one row each, ready to be grouped by system, votes and metrics.

    `votes` are the columns that hold the human votes: as they were written, or their sum and number where each row of
    the table is one vote.
    """

    frame: Frame
    roles: Roles
    table: Any
    votes: tuple[str, ...]
    rated: Any

    @classmethod
    def of(cls, frame: Frame, roles: Roles, *, numeric: bool) -> Outputs:
        """Bring the table to one row an output."""
        if roles.annotator is None:
            rated = nw.any_horizontal(*(frame.present(column) for column in roles.human), ignore_nulls=True)
            table = (
                frame.table if frame.ragged else frame.table.select(*roles.columns)
            )  # some engines cannot join lists
            return cls(frame, roles, table, roles.human, rated)
        if roles.item is None:
            hint = "Hint: name the column of the item with "
            raise DataError(
                Said(f"{frame.name}: votes in rows of their own need a column `item`. {hint}", Option("item"))
            )
        votes = f"{frame.inner}sum", f"{frame.inner}votes"
        return cls(frame, roles, _one_row_each(frame, roles, votes, numeric=numeric), votes, nw.col(votes[1]) > 0)

    @property
    def _n(self) -> str:
        return f"{self.frame.inner}n"

    @property
    def _k(self) -> str:
        return f"{self.frame.inner}k"

    @property
    def keys(self) -> list[str]:
        """What outputs are grouped by."""
        return [self.roles.system, *self.votes, *self.roles.metrics]

    def groups(self, *, only_rated: bool | None = None) -> Any:  # noqa: ANN401 - a query
        """Count outputs by system, votes and metrics; rated or unrated ones only, if so asked."""
        table = self.table if only_rated is None else self.table.filter(self.rated if only_rated else ~self.rated)
        number: Any = nw.len()
        if self.frame.ragged and self.roles.annotator is None:  # all columns are read, so that long rows are noticed
            rest = [nw.col(column).count() for column in self.frame.columns if column not in self.keys]
            number += 0 * nw.sum_horizontal(*rest) if rest else 0
        return table.group_by(*self.keys).agg(number.alias(self._n))

    def totals(self) -> Any:  # noqa: ANN401 - a query
        """Count the rows of each system, its different items, and these without one that has no name."""
        if self.roles.item is None:
            return self.table.group_by(self.roles.system).agg(nw.len().alias(self._n))
        items = self.table.group_by(self.roles.system, self.roles.item).agg(nw.len().alias(self._k))
        inner, item = self.frame.inner, nw.col(self.roles.item)
        counts = (
            nw.col(self._k).sum().alias(self._n),
            nw.len().alias(f"{inner}items"),
            item.count().alias(f"{inner}named"),
        )
        return items.group_by(self.roles.system).agg(*counts)  # n_unique would be wrong on dask's partitions

    def by_item(self) -> list[Any]:
        """Return what is counted item by item: the totals, and the rated outputs of the campaign."""
        return [self.totals(), *self.campaign(rated=True)]

    def items(self) -> Any:  # noqa: ANN401 - a query
        """Count the items of all systems together."""
        return self.table.group_by(str(self.roles.item)).agg(nw.len().alias(self._n)).select(nw.len())

    def campaign(self, *, rated: bool) -> list[Any]:
        """Count rated, or unrated, outputs by the number of systems whose output for the same item is rated.

        Nothing without items. Rated outputs are few, as a rule; the unrated ones cost another pass over everything.
        """
        if self.roles.item is None:
            return []
        systems = self.table.filter(self.rated).group_by(self.roles.item).agg(nw.len().alias(self._k))
        outputs = self.table.filter(self.rated if rated else ~self.rated).join(systems, on=self.roles.item, how="inner")
        keys = [] if rated else self.roles.metrics
        return [outputs.group_by(self.roles.system, self._k, *keys).agg(nw.len().alias(self._n))]

    def cut(self, taus: Mapping[str, Mapping[Any, Sequence[float]]]) -> Outputs:
        """Replace scores by levels: how many of the cuts of its system a score exceeds."""
        levels = [_level(self.roles.system, name, cuts).alias(name) for name, cuts in taus.items()]
        return Outputs(self.frame, self.roles, self.table.with_columns(*levels), self.votes, self.rated)


def _level(system: str, score: str, taus: Mapping[Any, Sequence[float]]) -> Any:  # noqa: ANN401 - an expression
    names: dict[tuple[float, ...], list[Any]] = {}
    for name, cuts in taus.items():
        names.setdefault(tuple(cuts), []).append(name)
    exceeded = {cuts: _added([(nw.col(score) > tau).cast(nw.Int64) for tau in cuts]) for cuts in names}
    parts = [nw.when(nw.col(system).is_in(names[cuts])).then(exceeded[cuts]).otherwise(0) for cuts in names]
    level = _added(parts) if len(parts) > 1 else next(iter(exceeded.values()))
    return nw.when(~nw.col(score).is_null()).then(level)


def _added(terms: Sequence[Any]) -> Any:  # noqa: ANN401 - expressions
    """Add up by halves: one term after the other, a thousand would be nested too deep for engines."""
    middle = len(terms) // 2
    return _added(terms[:middle]) + _added(terms[middle:]) if middle else terms[0]


def _one_row_each(frame: Frame, roles: Roles, votes: tuple[str, str], *, numeric: bool) -> Any:  # noqa: ANN401 - a lazy table
    """Add up the votes of each output."""
    (human,) = roles.human[:1]
    if len(roles.human) > 1:
        hint = "either a column for each annotator, or a row for each vote"
        raise DataError(f"{frame.name}: votes stand in several columns and in rows. Hint: {hint}")
    present = frame.present(human)
    values = [row[0] for row in frame.collect([frame.table.group_by(human).agg(nw.len().alias(votes[1]))])[0]]
    if numeric:
        numbers = {value: number(frame, human, value) for value in values}
        vote = nw.when(present).then(_number(frame, human, numbers)).cast(nw.Float64)
    else:
        yes = [value for value in values if verdict(frame, human, value) == 1]
        said_yes = nw.col(human).is_in(yes) if yes else nw.col(human).is_null()  # pyarrow cannot look in an empty list
        vote = nw.when(present).then(said_yes.cast(nw.Float64))
    one = f"{frame.inner}vote"
    table = frame.table.with_columns(vote.alias(one))
    sums = [nw.col(one).sum().alias(votes[0]), nw.col(one).count().alias(votes[1])]
    lowest = [nw.col(metric).min().alias(f"{frame.inner}low_{metric}") for metric in roles.metrics]
    highest = [nw.col(metric).max().alias(metric) for metric in roles.metrics]
    cluster = [nw.col(roles.cluster).max()] if roles.cluster else []
    table = table.group_by(roles.system, roles.item).agg(*sums, *lowest, *highest, *cluster)
    _check_votes(frame, roles, table)
    return table


def _number(frame: Frame, column: str, numbers: Mapping[Any, float | None]) -> Any:  # noqa: ANN401 - an expression
    """Return the numbers of a column's cells, among them such as 4,5 and 90%."""
    if not any(isinstance(cell, str) and ("," in cell or "%" in cell) for cell in numbers):
        return frame.plain(column)
    cells: dict[float, list[Any]] = {}
    for cell, value in numbers.items():
        if value is not None:
            cells.setdefault(value, []).append(cell)
    terms = [nw.when(nw.col(column).is_in(cells[v])).then(nw.lit(v)).otherwise(nw.lit(0.0)) for v in sorted(cells)]
    return _added(terms)


def _check_votes(frame: Frame, roles: Roles, table: Any) -> None:  # noqa: ANN401 - a lazy table
    """Refuse two votes of one annotator, and verdicts of a metric that differ between the rows of one output."""
    keys = [roles.system, str(roles.item), str(roles.annotator)]
    if frame.collect([frame.twice(keys).head(1)])[0]:
        raise frame.repeated(keys)
    for metric in roles.metrics:
        there = ~nw.col(metric).is_null()  # to pandas, nothing differs from nothing
        differing = table.filter(there & (nw.col(metric) != nw.col(f"{frame.inner}low_{metric}")))
        rows: list[Row] = frame.collect([differing.select(roles.system, str(roles.item)).head(1)])[0]
        if rows:
            which = f"system {str(rows[0][0])[:40]!r}, item {str(rows[0][1])[:40]!r}"
            hint = "a metric rates an output once; repeat its verdict in every row of the output"
            raise DataError(f"{frame.name}, column {ticked(metric)}: differs between the rows of {which}. Hint: {hint}")


def verdict(frame: Frame, column: str, value: Any) -> int | None:  # noqa: ANN401 - a cell
    """Return the label of a cell, or say where a cell stands that holds none."""
    found = labels.label(value)
    if isinstance(found, Unknown):
        if not is_number(value):
            raise refusal(frame, column, "labels")
        hint = Said("human ratings that are numbers need ", Option("human_cut"))
        raise frame.bad(column, value, "is not a label", hint)
    return found


def number(frame: Frame, column: str, value: Any) -> float | None:  # noqa: ANN401 - a cell
    """Return the number of a cell, or say where a cell stands that holds none."""
    if not fits(value, "ratings"):
        raise refusal(frame, column, "ratings")
    found = labels.score(value)
    return None if isinstance(found, Unknown) else found
