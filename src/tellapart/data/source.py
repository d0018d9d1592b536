"""Files of ratings: CSV, TSV, JSON lines and Parquet, read lazily, and where in them a bad value stands."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any, cast

import polars as pl

from tellapart.errors import DataError

_HEAD = 65536
_MOST_KEYS = 2000  # of JSON lines, or a table of them would not fit into memory
_WIDE_TEXT = (b"\xff\xfe", b"\xfe\xff")
GZIP, ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_GZIP_BITS = 31  # zlib's number for data with a gzip header
_SEPARATORS = (",", "\t", ";", "|")
_ONE_EACH = "write one JSON object on each line, for example with jq -c '.[]'"
_KINDS = "a CSV, TSV, JSONL or Parquet file with one row for each output, or - for standard input"


Records = Iterator[tuple[int, list[str] | None]]


@dataclass(frozen=True)
class Source:
    """A file, or the bytes of one, as a lazy frame; in text files every cell is text.

    `records` reads a text file once more, with the line at which each record begins; it holds nothing where a record
    is broken, and ends there. `ragged` files may have rows of different lengths.
    """

    name: str
    frame: pl.LazyFrame
    records: Callable[[], Records] | None = None
    ragged: bool = False

    def place(self, *rows: int) -> str:
        """Return the lines at which rows stand; quoted cells may hold line breaks."""
        if self.records is None:
            kind, numbers = "row", [row + 1 for row in rows]
        else:
            kind = "line"
            lines = {index: line for index, (line, _) in enumerate(islice(self.records(), max(rows) + 2))}
            numbers = [lines.get(row + 1, row + 2) for row in rows]  # after the header
        return f"{kind}{'s' if len(rows) > 1 else ''} {' and '.join(map(str, numbers))}"

    def first(self, condition: pl.Expr, column: str) -> tuple[str, object]:
        """Return where the first row that fulfils the condition stands, and its value in the column."""
        rows = self.frame.with_row_index("__row").filter(condition).select("__row", column).head(1)
        found = self.run(rows.collect).rows()
        if not found:
            return f"{self.name}, column {ticked(column)}", None
        return f"{self.name}, {self.place(int(found[0][0]))}, column {ticked(column)}", found[0][1]

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


def printable(text: str) -> str:
    """Write line breaks and other control characters so that a message stays on one line."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def ticked(name: str) -> str:
    """Write the name of a column."""
    return f"`{printable(name)}`"


def open_source(data: Path | str | bytes, name: str | None = None) -> Source:
    """Open a file of ratings, or the bytes of one, by what it holds."""
    if isinstance(data, bytes):
        name = printable(name or "standard input")
        return _open(io.BytesIO(data), data[:_HEAD], name, lambda: io.BytesIO(data))
    path = Path(data)
    name = printable(name or str(path))
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or error
        raise DataError(f"{name}: cannot be read ({said}). Hint: give {_KINDS}") from None
    return _open(path, head, name, lambda: path.open("rb"))


def _open(source: Path | io.BytesIO, head: bytes, name: str, reopen: Callable[[], IO[bytes]]) -> Source:
    if head.startswith(b"PAR1"):
        return _checked(Source(name, pl.scan_parquet(source)))
    if head.startswith(ZSTANDARD):
        frame = pl.scan_csv(source, separator=_packed_separator(name), infer_schema=False)
        return _checked(Source(name, frame, ragged=True))
    if head.startswith(GZIP):
        return _open_text(source, _unpacked(head, name), name, lambda: cast("IO[bytes]", gzip.open(reopen())))
    return _open_text(source, head, name, reopen)


def _open_text(source: Path | io.BytesIO, head: bytes, name: str, reopen: Callable[[], IO[bytes]]) -> Source:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        raise DataError(f"{name}: is empty. Hint: give {_KINDS}")
    line = start.split(b"\n", 1)[0]
    if head.startswith(_WIDE_TEXT) or b"\0" in line:
        raise DataError(f"{name}: is UTF-16 text or none at all, must be UTF-8. Hint: save it as CSV in UTF-8")
    if start.startswith((b"{", b"[")):
        return _checked(Source(name, _json_lines(source, name, reopen), lambda: _json_records(reopen)))
    separator = max(_SEPARATORS, key=line.decode("utf-8", "replace").count)  # the most frequent in the first line
    _check_header(start, separator, name)
    frame = pl.scan_csv(source, separator=separator, infer_schema=False)
    return _checked(Source(name, frame, lambda: _records(reopen, separator), ragged=True))


def _unpacked(head: bytes, name: str) -> bytes:
    try:
        return zlib.decompressobj(_GZIP_BITS).decompress(head, _HEAD)
    except zlib.error as error:
        raise DataError(f"{name}: cannot be read ({error}). Hint: give {_KINDS}") from None


def _packed_separator(name: str) -> str:
    return "\t" if ".tsv" in name else ","


def _json_lines(source: Path | io.BytesIO, name: str, reopen: Callable[[], IO[bytes]]) -> pl.LazyFrame:
    """Read every cell as text: raters write true, 1 and "yes" side by side."""
    try:
        columns = pl.scan_ndjson(source, infer_schema_length=None).collect_schema().names()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return _json_table(name, reopen)  # Python's reader takes more, NaN for instance, and knows the line
    return pl.scan_ndjson(source, schema=dict.fromkeys(columns, pl.String))


def _json_table(name: str, reopen: Callable[[], IO[bytes]]) -> pl.LazyFrame:
    columns: dict[str, list[str | None]] = {}
    rows = 0
    try:
        for line, text in _json_text(reopen):
            for key, value in _json_object(text, f"{name}, line {line}").items():
                cells = columns.setdefault(key, [])
                if len(columns) > _MOST_KEYS:
                    hint = "every line must hold the same keys"
                    raise DataError(f"{name}, line {line}: more than {_MOST_KEYS:,} different keys. Hint: {hint}")
                cells += [None] * (rows - len(cells))
                cells.append(value if value is None or isinstance(value, str) else json.dumps(value))
            rows += 1
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{name}: cannot be read ({error}). Hint: give {_KINDS}") from None
    for key, cells in columns.items():
        columns[key] = cells + [None] * (rows - len(cells))
    return pl.LazyFrame(columns, schema=dict.fromkeys(columns, pl.String))


def _json_object(text: bytes, where: str) -> dict[str, Any]:
    try:
        found = json.loads(text.decode("utf-8"))
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


def _checked(source: Source) -> Source:
    columns = source.run(lambda: source.frame.collect_schema().names())
    if len(columns) == 1:
        hint = "columns are separated by commas, tabs or semicolons"
        raise DataError(f"{source.name}, line 1: has one column only, {columns[0][:40]!r}. Hint: {hint}")
    return source


def _check_header(start: bytes, separator: str, name: str) -> None:
    try:
        start.split(b"\n", 1)[0].decode("utf-8")
    except UnicodeDecodeError as error:
        if error.end < len(start):
            raise DataError(f"{name}, line 1: {_explain('utf-8')}") from None
    try:
        header = next(csv.reader(io.StringIO(start.decode("utf-8", "replace"), newline=""), delimiter=separator), [])
    except csv.Error:
        return
    twice = next((field for field in header if header.count(field) > 1), None)
    if twice is not None:
        raise DataError(f"{name}, line 1: column {twice[:40]!r} is there twice. Hint: give each column its own name")


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
    return f"cannot be read ({said[:160]}). Hint: give {_KINDS}"
