"""A table in whatever engine it lives in: a file read by Polars, or a frame that narwhals knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from tellapart.data.files import printable
from tellapart.data.labels import ANY_COMMA, DECIMAL_COMMA, EUROPEAN, NOTHING, THOUSANDS, missing
from tellapart.data.source import Source, check_columns, open_source, repeated, ticked, unused
from tellapart.errors import DataError
from tellapart.said import Option, Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from tellapart.data.where import Kept

_GUESS = 1000
_TWICE = "two columns have the same name"
_ONCE = "Hint: give each column its own name"
_NESTED = (list, tuple, set, frozenset, Mapping, bytes, np.ndarray)
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Frame:
    """A lazy table with its columns and, if it is a file, the way back to its lines.

    Its names of columns are `printable`, as messages and results show them. Columns that queries make begin with
    `inner`, as no other does. `kept` tells which rows are read, if not all; `unnamed` whether no column names the
    systems, which are called as their files.
    """

    name: str
    table: Any  # nw.LazyFrame
    dtypes: Mapping[str, Any]
    inner: str
    source: Source | None = None
    kept: Kept | None = None
    unnamed: bool = False

    @classmethod
    def of(cls, data: Any, name: str | None = None) -> Frame:  # noqa: ANN401 - a path, bytes, or any data frame
        """Take a file by its path, the bytes of one, a frame, or a dictionary of columns."""
        if isinstance(data, Frame):
            return data
        if isinstance(data, Mapping):
            data = pl.DataFrame(data, strict=False)
        if isinstance(data, str | Path | bytes):
            return cls.of_source(open_source(data, name))
        try:
            return cls._of(printable(name or "the data frame"), nw.from_native(data).lazy(), None)
        except nw.exceptions.DuplicateError:
            said = repeated([str(column) for column in getattr(data, "columns", ())]) or _TWICE
            raise DataError(f"{printable(name or 'the data frame')}: {said}. {_ONCE}") from None
        except (TypeError, AttributeError):
            hint = "a path, or a frame of pandas, Polars, PyArrow, DuckDB, PySpark or Dask"
            raise DataError(f"cannot read ratings from {type(data).__name__!r}. Hint: give {hint}") from None

    @classmethod
    def of_source(cls, source: Source) -> Frame:
        """Take a file that is open."""
        return cls._of(source.name, nw.from_native(source.frame), source)

    @classmethod
    def _of(cls, name: str, table: Any, source: Source | None) -> Frame:  # noqa: ANN401
        schema = table.collect_schema()
        for column in schema.names():
            if not isinstance(column, str):
                raise DataError(f"{name}: the name of column {column!r} must be text. Hint: rename the columns")
        check_columns(schema.names(), name)
        shown = {column: printable(column) for column in schema.names()}
        if len(set(shown.values())) < len(shown):
            raise DataError(f"{name}: {repeated(list(shown.values())) or _TWICE}. {_ONCE}")
        table = table.rename({old: new for old, new in shown.items() if old != new})
        source = None if source is None else replace(source, frame=table.to_native())
        dtypes = {shown[column]: dtype for column, dtype in schema.items()}
        words = [c for c, dtype in dtypes.items() if dtype in (nw.Categorical, nw.Enum, nw.Unknown)]  # no numbers
        table = table.with_columns(
            nw.when(~nw.col(c).is_null()).then(nw.col(c).cast(nw.String)).alias(c) for c in words
        )
        return cls(name, table, dtypes | dict.fromkeys(words, nw.String()), unused(dtypes), source)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.dtypes)

    def is_plain(self, column: str) -> bool:
        """Whether the cells of a column are words or numbers, not lists, records or bytes."""
        kind = self.dtypes[column]
        if kind == nw.Object:
            return not any(isinstance(v, _NESTED) for (v,) in self.collect([self.table.select(column)])[0])
        return not (kind.is_nested() or kind == nw.Binary)

    def check_plain(self, columns: Iterable[str]) -> None:
        """Refuse other columns."""
        for column in columns:
            if not self.is_plain(column):
                where, hint = f"{self.name}, column {ticked(column)}", "one value in each cell"
                raise DataError(f"{where}: must hold words or numbers, got lists, records or bytes. Hint: {hint}")

    def is_text(self, column: str) -> bool:
        """Whether a column may hold text."""
        return self.dtypes[column] in (nw.String, nw.Object)

    @property
    def ragged(self) -> bool:
        """Whether rows may have more cells than the header, which is noticed only where every column is read."""
        return self.source is not None and self.source.ragged

    def collect(self, queries: Sequence[Any], *, whole: bool = False) -> list[list[Row]]:
        """Run queries and return their rows; those on files in one pass, through every column where `whole`.

        Only then does Polars notice rows with more cells than the header, whose cells may stand in the wrong columns.
        """
        if self.source is not None:
            native = [query.to_native() for query in queries]
            native += [self.source.frame.select(pl.all().count())] if whole and self.source.ragged else []
            found = self.source.run(lambda: pl.collect_all(native, engine="streaming"))
            return [f.rows() for f in found[: len(queries)]]
        return [_rows(query.collect()) for query in queries]

    def arrays(self, query: Any) -> npt.NDArray[np.float64]:  # noqa: ANN401 - a query whose columns are numbers
        """Run a query and return its columns side by side; nothing is NaN."""
        if self.source is not None:
            found = self.source.run(lambda: query.to_native().collect(engine="streaming"))
            table: npt.NDArray[np.float64] = found.cast(pl.Float64).fill_null(np.nan).to_numpy()
            return table
        found = query.collect()
        columns = [[np.nan if missing(v) else float(v) for v in found[name].to_list()] for name in found.columns]
        return np.array(columns, dtype=float).T

    def height(self) -> int:
        """Return the number of rows."""
        return int(self.collect([self.table.select(nw.len())])[0][0][0])

    def first_values(
        self, columns: Sequence[str], *, deep: bool = False, without: Sequence[str] = ()
    ) -> dict[str, list[tuple[Any, int]]]:
        """Return values and how often each is among the first rows, the first with one, or those `without` others."""
        if not columns:
            return {}
        if without:
            table = self.table.filter(*(~self.present(c) for c in without))
            return replace(self, table=table).first_values(columns)
        if deep:
            found = self.collect([self.table.filter(self.present(c)).select(c).head(_GUESS) for c in columns])
            return {c: _counted(v for (v,) in rows) for c, rows in zip(columns, found, strict=True)}
        rows = self.first_rows(columns)
        return {c: _counted(row[i] for row in rows) for i, c in enumerate(columns)}

    def first_rows(self, columns: Sequence[str]) -> list[Row]:
        """Return the first rows, of these columns."""
        return self.collect([self.table.select(*columns).head(_GUESS)])[0]

    def present(self, column: str) -> Any:  # noqa: ANN401 - an expression
        """Whether a cell holds something."""
        there = ~nw.col(column).is_null()
        if self.is_text(column):
            return there & ~nw.col(column).is_in(sorted(NOTHING))
        return there & ~nw.col(column).is_nan() if self.dtypes[column].is_float() else there

    def plain(self, column: str) -> Any:  # noqa: ANN401 - an expression
        """Return a cell without the spaces around it."""
        return nw.col(column).str.strip_chars() if self.dtypes[column] == nw.String else nw.col(column)

    def named(self, *columns: str | None) -> Frame:
        """Return the table with names without the spaces around them, in these columns; of nothing else, none is left.

        Whatever counts or tells apart systems, items and annotators reads them like this.
        """
        texts = [c for c in columns if c is not None and self.dtypes[c] == nw.String]
        if not texts:
            return self
        stripped = [self.plain(c).alias(c) for c in texts]
        names = [nw.when(nw.col(c) != "").then(nw.col(c)).alias(c) for c in texts]
        source = self.source
        if source is not None:
            frame = nw.from_native(source.frame).with_columns(*stripped).with_columns(*names)
            source = replace(source, frame=frame.to_native())
        return replace(self, table=self.table.with_columns(*stripped).with_columns(*names), source=source)

    def numbers(self, columns: Sequence[str], sign: int) -> Frame:
        """Return the table with columns as finite numbers, times the sign; text in them must spell numbers."""
        if not columns:
            return self
        table, text = self.table, [c for c in columns if self.is_text(c)]
        values = {c: nw.col(c) for c in columns}
        if self.source is not None:
            casts = [pl.col(c).cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False) for c in text]
            table = nw.from_native(table.to_native().with_columns(casts))
        else:
            values |= {c: nw.when(self.present(c)).then(self.plain(c)) for c in text}
        signed = {c: value.cast(nw.Float64) * sign for c, value in values.items()}
        finite = [nw.when(value.is_finite()).then(value).alias(c) for c, value in signed.items()]
        dtypes = {**self.dtypes, **dict.fromkeys(columns, nw.Float64())}
        return replace(self, table=table.with_columns(*finite), dtypes=dtypes)

    def respelled(self, column: str, *, comma: bool = False) -> Frame:
        """Return a file with the numbers of a column, written as `labels.score` reads them, spelled as usual.

        With `comma` it is settled that the comma is the decimal sign.
        """
        text = pl.col(column).cast(pl.String).str.strip_chars()
        body = text.str.strip_suffix("%").str.strip_chars_end()
        decimal = ANY_COMMA if comma else DECIMAL_COMMA
        plain = (
            pl.when(body.str.contains(THOUSANDS)).then(body.str.replace_all(",", "", literal=True))
            .when(body.str.contains(EUROPEAN))
            .then(body.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True))
            .when(body.str.contains(decimal)).then(body.str.replace(",", ".", literal=True))
            .otherwise(body)
            .cast(pl.Float64, strict=False)
        )  # fmt: skip
        number = pl.when(text.str.ends_with("%")).then(plain / 100).otherwise(plain)
        spelled = pl.when(number.is_not_null()).then(number.cast(pl.String)).otherwise(text)
        return replace(self, table=nw.from_native(self.table.to_native().with_columns(spelled.alias(column))))

    def bad(self, column: str, value: object, rule: str, hint: str, *, beside: str | None = None) -> DataError:
        """Say where a value stands that breaks a rule; in the first row that holds something in `beside`, if given."""
        where = f"{self.name}, column {ticked(column)}"
        if self.source is not None:
            there = pl.lit(value=True) if beside is None else pl.col(beside).is_not_null()
            where, _ = self.source.first(pl.col(column).eq_missing(pl.lit(value)) & there, column)
        shown = "an empty cell" if missing(value) else repr(str(value)[:40])
        return DataError(Said(f"{where}: {rule}, got {shown}. Hint: ", hint))

    def twice(self, columns: Sequence[str]) -> Any:  # noqa: ANN401 - a query
        """Return what stands in several rows, blank lines aside: there the first column, a name, holds nothing."""
        number = f"{self.inner}n"
        groups = self.table.group_by(*columns).agg(nw.len().alias(number))
        return groups.filter((nw.col(number) > 1) & ~nw.col(columns[0]).is_null()).select(*columns)

    def repeated(self, columns: Sequence[str], what: str = "output", *, hint: str | None = None) -> DataError:
        """Say which row stands twice."""
        row = min(self.collect([self.twice(columns).head(_GUESS)])[0], key=str)
        which = ", ".join(f"{printable(c)} {str(value)[:40]!r}" for c, value in zip(columns, row, strict=True))
        where = self.name
        if self.source is not None:
            same = pl.all_horizontal(pl.col(c).eq_missing(value) for c, value in zip(columns, row, strict=True))
            where = f"{self.name}, {self.source.place(*self.source.rows(same, n=2).to_series())}"
        votes = f"one row per {what}; where each row is one vote, name the annotator's column with "
        return DataError(
            Said(f"{where}: {which} appears more than once. Hint: ", hint or Said(votes, Option("annotator")))
        )


def _counted(values: Iterable[Any]) -> list[tuple[Any, int]]:
    values = list(values)
    number = Counter(map(str, values))
    return [(value, number[text]) for text, value in {str(value): value for value in values}.items()]


def _rows(frame: Any) -> list[Row]:  # noqa: ANN401 - an eager narwhals frame
    return [tuple(None if missing(v) and not isinstance(v, str) else v for v in row) for row in _plain(frame.rows())]


def _plain(rows: Iterable[Row]) -> Iterable[Row]:
    """Turn numpy scalars into Python's own."""
    return (tuple(v.item() if isinstance(v, np.generic) else v for v in row) for row in rows)
