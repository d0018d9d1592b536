"""Files of ratings: CSV, TSV, JSON and Parquet, read lazily, and where in them a bad value stands."""

from __future__ import annotations

import csv
import glob
import gzip
import io
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any, cast

import polars as pl

from tellapart.data.arrays import WORKBOOK, lines_of, workbook
from tellapart.data.files import (
    KINDS,
    LONGEST_COLUMN,
    MOST_CELLS,
    MOST_COLUMNS,
    called,
    lasting,
    printable,
    separator,
)
from tellapart.errors import DataError

_HEAD = 1_000_000  # bytes, in which a header must end
_BLOCK = 65536  # bytes of JSON lines whose keys are looked for together: in more, Polars takes too long to find many
_WIDE_TEXT = (b"\xff\xfe", b"\xfe\xff")
GZIP, ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_GZIP_BITS = 31  # zlib's number for data with a gzip header
_ONE_EACH = "write one JSON object per line, or an array of objects"


Records = Iterator[tuple[int, list[str] | None]]


@dataclass(frozen=True)
class Source:
    """A file, or the bytes of one, as a lazy frame; in text files every cell is text.

    `records` reads a text file once more, with the line at which each record begins; it holds nothing where a record
    is broken, and ends there. `ragged` files may have rows of different lengths. `parts` are the files whose rows these
    are, one after the other, where there are several.
    """

    name: str
    frame: pl.LazyFrame
    records: Callable[[], Records] | None = None
    ragged: bool = False
    only: pl.Expr | None = None  # which rows are read, if not all
    parts: tuple[Source, ...] = ()

    def place(self, *rows: int) -> str:
        """Return the lines at which rows stand, each in its own file; quoted cells may hold line breaks."""
        if len(self.parts) == 1:
            return self.parts[0].place(*rows)
        if self.parts:
            return " and ".join(map(self._in_part, rows))
        if self.records is None:
            kind, numbers = "row", [row + 1 for row in rows]
        else:
            kind = "line"
            lines = {index: line for index, (line, _) in enumerate(islice(self.records(), max(rows) + 2))}
            numbers = [lines.get(row + 1, row + 2) for row in rows]  # after the header
        return f"{kind}{'s' if len(rows) > 1 else ''} {' and '.join(map(str, numbers))}"

    def _in_part(self, row: int) -> str:
        for part in self.parts[:-1]:
            height = int(part.run(part.frame.select(pl.first().len()).collect).item())
            if row < height:
                return f"{part.place(row)} of {part.name}"
            row -= height
        return f"{self.parts[-1].place(row)} of {self.parts[-1].name}"

    def first(self, condition: pl.Expr, column: str) -> tuple[str, object]:
        """Return where the first row that fulfils the condition stands, and its value in the column."""
        found = self.rows(condition, column).rows()
        if not found:
            return f"{self.name}, column {ticked(column)}", None
        return f"{self.name}, {self.place(int(found[0][0]))}, column {ticked(column)}", found[0][1]

    def rows(self, condition: pl.Expr, *columns: str, n: int = 1) -> pl.DataFrame:
        """Return the numbers of the first rows that fulfil a condition, and what they hold in the columns."""
        index = f"{unused(self.frame.collect_schema())}row"
        found = self.numbered(index).filter(condition).select(index, *columns).head(n)
        rows: pl.DataFrame = self.run(found.collect)
        return rows

    def numbered(self, index: str) -> pl.LazyFrame:
        """Return the rows that are read, each with its number in the file."""
        rows = self.frame.with_row_index(index)
        return rows if self.only is None else rows.filter(self.only)

    def run(self, work: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the work returns
        """Turn what the reader cannot read into one line."""
        try:
            return work()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            said = printable(" ".join(str(error).split()))
            raise DataError(f"{self.name}{self._where(said)}: {_explain(said)}") from None

    def _where(self, said: str) -> str:
        """Say which line has more cells than the header, or a quotation mark that is not closed."""
        if self.records is None or not any(sign in said for sign in (_LONGER, _NO_OBJECT, *_QUOTES)):
            return ""
        records = self.records()
        width = len(next(records, (1, None))[1] or ())
        broken = (line for line, record in records if record is None or (_LONGER in said and len(record) > width))
        return next((f", line {line}" for line in broken), "")


def unused(columns: Iterable[str]) -> str:
    """Return a beginning that no column's name has in any case: some engines do not tell cases apart."""
    beginning = "__"
    while any(column.lower().startswith(beginning) for column in columns):
        beginning += "_"
    return beginning


def ticked(name: str) -> str:
    """Write the name of a column."""
    return f"`{printable(name)}`"


def open_source(data: Path | str | bytes, name: str | None = None) -> Source:
    """Open a file of ratings, or the bytes of one, by what it holds."""
    name = printable(name) if name else called("-" if isinstance(data, bytes) else data)
    data = data if isinstance(data, bytes) else lasting(data)
    if isinstance(data, bytes):
        content = data
        return _open(io.BytesIO(content), content[:_HEAD], name, lambda: io.BytesIO(content))
    path = data
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return _open(path, head, name, lambda: path.open("rb"))


def _open(source: Path | io.BytesIO, head: bytes, name: str, reopen: Callable[[], IO[bytes]]) -> Source:
    if head.startswith(b"PAR1"):
        return _checked(Source(name, pl.scan_parquet(source, glob=False)))
    if head.startswith(WORKBOOK):
        return _checked(Source(name, workbook(source, name)))
    if head.startswith(ZSTANDARD):
        frame = pl.scan_csv(source, separator=_packed_separator(name), infer_schema=False, glob=False)
        return _checked(Source(name, frame, ragged=True))
    if head.startswith(GZIP):
        return _open_text(source, _unpacked(head, name), name, lambda: _unpacking(source))
    return _open_text(source, head, name, reopen)


def _open_text(source: Path | io.BytesIO, head: bytes, name: str, reopen: Callable[[], IO[bytes]]) -> Source:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        raise DataError(f"{name}: is empty. Hint: give {KINDS}")
    line = start.split(b"\n", 1)[0]
    if head.startswith(_WIDE_TEXT) or b"\0" in line:
        raise DataError(f"{name}: is UTF-16 text or none at all, must be UTF-8. Hint: save it as CSV in UTF-8")
    if start.startswith(b"["):
        return _open_array(name, reopen)
    if start.startswith(b"{"):
        found = Source(name, _json_lines(source, name, reopen), lambda: _json_records(reopen))
        return _checked(found, _ONE_EACH)
    mark = separator(line.decode("utf-8", "replace"))
    _check_header(start, mark, name, whole=len(head) < _HEAD)
    frame = pl.scan_csv(source, separator=mark, infer_schema=False, glob=False)
    found = _checked(Source(name, frame, lambda: _records(reopen, mark), ragged=True))
    _check_cells(found, reopen)
    return found


def _open_array(name: str, reopen: Callable[[], IO[bytes]]) -> Source:
    try:
        content, starts = lines_of(reopen, name)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{name}: cannot be read ({error}). Hint: give {KINDS}") from None
    if not content:
        raise DataError(f"{name}: has no rows. Hint: one object per output")
    frame = _json_lines(io.BytesIO(content), name, lambda: io.BytesIO(content))
    return _checked(Source(name, frame, lambda: ((line, []) for line in (0, *starts))), _ONE_EACH)


def _check_cells(source: Source, reopen: Callable[[], IO[bytes]]) -> None:
    """Refuse a table that has more cells than its text has bytes; of most texts little is read."""
    count = pl.first().len()  # of packed files, Polars 1.30 takes pl.len() to be 0
    rows = source.run(lambda: source.frame.select(count).collect(engine="streaming").item())
    cells = rows * len(source.frame.collect_schema())
    if cells <= MOST_CELLS:
        return
    with suppress(EOFError, zlib.error), reopen() as file:
        while cells > 0 and (text := file.read(_HEAD)):
            cells -= len(text)
    if cells > 0:
        raise _sparse(source.name)


def _sparse(name: str) -> DataError:
    return DataError(f"{name}: most of its cells hold nothing. Hint: give only the columns that are needed")


def _unpacking(source: Path | io.BytesIO) -> IO[bytes]:
    # a file is closed only by the gzip that opened it
    return cast("IO[bytes]", gzip.open(source if isinstance(source, Path) else io.BytesIO(source.getvalue())))


def _unpacked(head: bytes, name: str) -> bytes:
    try:
        return zlib.decompressobj(_GZIP_BITS).decompress(head, _HEAD)
    except zlib.error as error:
        raise DataError(f"{name}: cannot be read ({error}). Hint: give {KINDS}") from None


def _packed_separator(name: str) -> str:
    return "\t" if ".tsv" in name else ","


def _json_lines(source: Path | io.BytesIO, name: str, reopen: Callable[[], IO[bytes]]) -> pl.LazyFrame:
    """Read every cell as text: raters write true, 1 and "yes" side by side."""
    try:
        columns = _json_keys(name, reopen)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, EOFError, zlib.error):
        return _json_table(name, reopen)  # Python's reader takes more, NaN for instance, and knows the line
    literal = glob.escape(str(source)) if isinstance(source, Path) else source
    return pl.scan_ndjson(literal, schema=dict.fromkeys(columns, pl.String))


def _json_keys(name: str, reopen: Callable[[], IO[bytes]]) -> Sequence[str]:
    """Return the keys of all lines, in their order, a block of lines at a time."""
    keys: dict[str, None] = {}
    rows = size = 0
    with reopen() as file:
        while block := b"".join(lines := file.readlines(_BLOCK)):
            if block.isspace():
                continue
            found = pl.scan_ndjson(io.BytesIO(block), infer_schema_length=None).collect_schema().names()
            new = [key for key in found if key not in keys]
            rows, size = rows + len(lines), size + len(block)
            _check_keys(name, len(keys) + len(new), rows, size)
            keys |= dict.fromkeys(sorted(new, key=lambda key: block.find(json.dumps(key, ensure_ascii=False).encode())))
    return list(keys)


def _check_keys(name: str, keys: int, rows: int, size: int) -> None:
    if keys > MOST_COLUMNS:
        hint = "every line must hold the same keys"
        raise DataError(f"{name}: holds more than {MOST_COLUMNS:,} different keys. Hint: {hint}")
    if keys * rows > max(MOST_CELLS, size):
        raise _sparse(name)


def _json_table(name: str, reopen: Callable[[], IO[bytes]]) -> pl.LazyFrame:
    columns: dict[str, list[str | None]] = {}
    rows = size = 0
    try:
        for line, text in _json_text(reopen):
            for key, value in _json_object(text, f"{name}, line {line}").items():
                cells = columns.setdefault(key, [])
                cells += [None] * (rows - len(cells))
                cells.append(value if value is None or isinstance(value, str) else json.dumps(value))
            rows, size = rows + 1, size + len(text)
            _check_keys(name, len(columns), rows, size)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{name}: cannot be read ({error}). Hint: give {KINDS}") from None
    for key, cells in columns.items():
        columns[key] = cells + [None] * (rows - len(cells))
    return pl.LazyFrame(columns, schema=dict.fromkeys(columns, pl.String))


def _json_object(text: bytes, where: str) -> dict[str, Any]:
    try:
        found = json.loads(text.decode("utf-8"))
        if b"\\u" in text:
            json.dumps(found, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except UnicodeError:
        raise DataError(f"{where}: is not UTF-8 text. Hint: save it as UTF-8") from None
    except (ValueError, RecursionError):
        what = "is not JSON by itself" if text.rstrip() not in {b"[", b"{"} else "is JSON over several lines"
        raise DataError(f"{where}: {what}. Hint: {_ONE_EACH}") from None
    if not isinstance(found, dict):
        what = "a JSON array" if isinstance(found, list) else "JSON, but no object"
        raise DataError(f"{where}: is {what}. Hint: {_ONE_EACH}")
    return found


def _json_text(reopen: Callable[[], IO[bytes]]) -> Iterator[tuple[int, bytes]]:
    """Return the lines that hold something."""
    with reopen() as file:
        for line, text in enumerate(file, 1):
            held = text.removeprefix(b"\xef\xbb\xbf") if line == 1 else text
            if held.strip():
                yield line, held


def _json_records(reopen: Callable[[], IO[bytes]]) -> Records:
    yield 0, []  # there is no header
    yield from ((line, [] if text.lstrip().startswith(b"{") else None) for line, text in _json_text(reopen))


def _checked(source: Source, hint: str = "columns are separated by commas, tabs or semicolons") -> Source:
    columns = source.run(lambda: source.frame.collect_schema().names())
    if len(columns) == 1:
        raise DataError(f"{source.name}, line 1: has one column only, {columns[0][:40]!r}. Hint: {hint}")
    return source


def check_columns(columns: Sequence[str], name: str) -> None:
    """Refuse more columns, or longer names of columns, than a table of ratings has, and names that engines misread."""
    if len(columns) > MOST_COLUMNS:
        hint = "give only the columns that are needed"
        raise DataError(f"{name}: has {len(columns):,} columns, at most {MOST_COLUMNS:,} are read. Hint: {hint}")
    for column in columns:
        if len(column) > LONGEST_COLUMN:
            hint = f"at most {LONGEST_COLUMN:,} letters"
            raise DataError(f"{name}: the name of a column is too long, {column[:40]!r}... Hint: {hint}")
        if column == "*" or (column.startswith("^") and column.endswith("$")):
            raise DataError(f"{name}: column {ticked(column)} is called like a pattern of names. Hint: rename it")


def _check_header(start: bytes, separator: str, name: str, *, whole: bool) -> None:
    try:
        start.split(b"\n", 1)[0].decode("utf-8")
    except UnicodeDecodeError as error:
        if error.end < len(start):
            raise DataError(f"{name}, line 1: {_explain('utf-8')}") from None
    text = io.StringIO(start.decode("utf-8", "replace"), newline="")
    try:
        header = next(csv.reader(text, delimiter=separator), [])
    except csv.Error:
        header = []
    if not whole and not text.read(1):
        hint = "the first line must name the columns"
        raise DataError(f"{name}, line 1: does not end within {_HEAD:,} bytes. Hint: {hint}")
    check_columns(header, f"{name}, line 1")
    if (twice := repeated(header)) is not None:
        raise DataError(f"{name}, line 1: {twice}. Hint: give each column its own name")


def repeated(columns: Sequence[str]) -> str | None:
    """Say which columns have the same name, if any do."""
    twice = next((name for name, n in Counter(columns).items() if n > 1), None)
    places = [str(i) for i, name in enumerate(columns, 1) if name == twice]
    return None if twice is None else f"columns {' and '.join(places[:2])} are both called {twice[:40]!r}"


def _records(reopen: Callable[[], IO[bytes]], separator: str) -> Records:
    with io.TextIOWrapper(reopen(), encoding="utf-8-sig", errors="replace", newline="") as text:
        reader = csv.reader(text, delimiter=separator, strict=True)
        begun, start = False, 1
        try:
            for record in reader:
                begun = begun or bool(record)  # blank lines before the header do not count
                if begun:
                    yield start, record
                start = reader.line_num + 1
        except (csv.Error, OSError, EOFError, zlib.error):
            yield start, None


_LONGER, _NO_OBJECT = "found more fields", "expected to contain JSON object"
_QUOTES = ("could not parse", "CSV malformed")


def _explain(said: str) -> str:
    if "utf-8" in said:
        return "is not UTF-8 text throughout. Hint: save it as UTF-8, for example with iconv -f latin1 -t utf-8"
    if _LONGER in said:
        return "a row has more cells than the header. Hint: quote cells that hold the separator"
    if _NO_OBJECT in said:
        return f"is JSON, but no object. Hint: {_ONE_EACH}"
    if any(sign in said for sign in _QUOTES):
        return "a quotation mark is not closed. Hint: close it, or double the marks inside a cell"
    return f"cannot be read ({said[:160]}). Hint: give {KINDS}"
