"""Uploads, read within bounds: what can be refused is refused before it is parsed."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from dataclasses import dataclass, fields
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from tellapart.data.frames import Frame
from tellapart.data.pairs import Pairs
from tellapart.data.ratings import Ratings, metrics
from tellapart.data.source import GZIP, ZSTANDARD
from tellapart.data.tables import kind_of, read_table
from tellapart.errors import DataError, InvalidInput, TellapartError
from tellapart.web.refusals import ELSEWHERE, Misread
from tellapart.web.workers import room

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tellapart.analysis.metrics import MetricRanking
    from tellapart.web.settings import Settings

_RANKING = {"system", "item", "human", "metric", "annotator", "votes", "human_cut", "bad_cells"}
_ROOM, _TIMES = 200_000_000, 30  # bytes that reading may take, and how many times what is read
_PIECE = 1 << 20
_LETTER = 4  # bytes, at most
_SEPARATORS = ",\t;|"
T = TypeVar("T")


@dataclass(frozen=True)
class Upload:
    """A file, how to read it, and how to compare what it holds."""

    content: bytes
    name: str
    reading: dict[str, Any]
    comparing: dict[str, Any]
    settings: Settings


@dataclass(frozen=True)
class ReadIn(Ratings):
    """Ratings, and every column of their file; or counts."""

    columns: tuple[str, ...] = ()


def read(upload: Upload) -> ReadIn | Pairs:
    """Read ratings, pairs, or counts, of a bounded size."""
    return _opened(upload, _read)


def ranked(upload: Upload, seed: int) -> MetricRanking:
    """Rank the metrics of ratings of a bounded size."""
    return _opened(upload, partial(_ranked, seed=seed))


def _opened(upload: Upload, reader: Callable[[bytes | pl.DataFrame, Upload], T]) -> T:
    content, name, settings = _unpacked(upload), upload.name, upload.settings
    if content.startswith(b"PAR1"):
        return reader(_parquet(content, name, settings), upload)
    _check_start(content, upload)
    with room(_ROOM + _TIMES * len(content)):
        return reader(content, upload)


def _read(data: bytes | pl.DataFrame, upload: Upload) -> ReadIn | Pairs:
    columns = _columns(data, upload)
    try:
        table = read_table(data, name=upload.name, **upload.reading)
    except InvalidInput as error:
        raise Misread(error, list(columns)) from error
    _check_systems(table.systems, upload.name, upload.settings)
    if isinstance(table, Pairs):
        return table
    return ReadIn(**{field.name: getattr(table, field.name) for field in fields(table)}, columns=columns)


def _ranked(data: bytes | pl.DataFrame, upload: Upload, seed: int) -> MetricRanking:
    if isinstance(data, bytes) and kind_of(data) == "counts":
        raise DataError(f"{upload.name}: must hold ratings, got counts. Hint: one row for each output")
    columns = _columns(data, upload)
    reading = {name: value for name, value in upload.reading.items() if name in _RANKING}
    level = upload.comparing["confidence_level"]
    try:
        found = metrics(data, name=upload.name, seed=seed, confidence_level=level, **reading)
    except InvalidInput as error:
        raise Misread(error, list(columns)) from error
    _check_systems({system for metric in found.metrics for system in metric.systems}, upload.name, upload.settings)
    return found


def _columns(data: bytes | pl.DataFrame, upload: Upload) -> tuple[str, ...]:
    """Return the columns to choose from, which counts have none of, of a table that is not too large."""
    name, settings = upload.name, upload.settings
    if isinstance(data, bytes) and kind_of(data) == "counts":
        rows = islice(_records(data.decode("utf-8-sig", "replace")), settings.most_systems + 2)
        _check(sum(1 for _ in rows) - 1, settings.most_systems, "systems", name)  # without the header
        return ()
    frame = Frame.of(data, name)
    _check(len(frame.columns), settings.most_columns, "columns", name)
    _check_letters(frame.columns, "column", name, settings)
    _check(frame.height(), settings.most_rows, "rows", name)
    return frame.columns


def _unpacked(upload: Upload) -> bytes:
    """Unpack gzip up to a bound; what the readers would unpack themselves is refused."""
    content, name = upload.content, upload.name
    if content.startswith(GZIP):
        try:
            _check_packed(upload)
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"{name}: cannot be unpacked ({error}). Hint: send it unpacked") from None
    if content.startswith((GZIP, ZSTANDARD)):
        raise DataError(f"{name}: is packed in a way that is not read here. Hint: send it unpacked, or as gzip")
    return content


def _check_packed(upload: Upload) -> None:
    """Refuse what unpacks to too much, without keeping it."""
    file = gzip.GzipFile(fileobj=io.BytesIO(upload.content))
    piece = file.read(_PIECE)
    json, lines, size = _is_json(piece), 0, 0
    while piece:
        size, lines = size + len(piece), lines + piece.count(b"\n")
        if size > upload.settings.most_unpacked:
            raise _swollen(upload.settings.most_unpacked, upload.name)
        if json:
            _check_lines(lines, upload)
        piece = file.read(_PIECE)


def _is_json(start: bytes) -> bool:
    return start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"["))


def _check_lines(lines: int, upload: Upload) -> None:
    """JSON lines are as many as rows; in CSV, a quoted cell may hold line breaks."""
    _check(lines - 1, upload.settings.most_rows, "rows", upload.name)


def _swollen(most: int, name: str) -> DataError:
    message = f"{name}: unpacks to more than {most / 1e6:,.0f} MB, the most that is read here. Hint: {ELSEWHERE}"
    return DataError(message)


def _check_start(content: bytes, upload: Upload) -> None:
    """Refuse too wide a header of CSV, or too many JSON lines, by the look of them."""
    settings = upload.settings
    if _is_json(content[:_PIECE]):
        _check_lines(content.count(b"\n"), upload)
        return
    longest = settings.most_columns * (settings.most_letters * _LETTER + 3)  # with quotation marks and a separator
    start = content[: longest + 1].decode("utf-8-sig", "replace")
    for mark in _SEPARATORS:
        header = next(_records(start, mark), ())
        _check(len(header), settings.most_columns, "columns", upload.name)


def _records(text: str, mark: str = ",") -> Iterator[list[str]]:
    try:
        yield from filter(None, csv.reader(io.StringIO(text, newline=""), delimiter=mark))
    except csv.Error:
        return  # the reader will say what is wrong


def _parquet(content: bytes, name: str, settings: Settings) -> pl.DataFrame:
    try:
        with room(_ROOM + 3 * settings.most_unpacked):
            frame = pl.scan_parquet(io.BytesIO(content))
            _check(len(frame.collect_schema()), settings.most_columns, "columns", name)
            _check(frame.select(pl.len()).collect().item(), settings.most_rows, "rows", name)
            table = frame.collect()
    except (TellapartError, MemoryError):
        raise
    except BaseException:  # noqa: BLE001 - a panic of the reader is no Exception
        raise DataError(f"{name}: cannot be read, it is damaged. Hint: send it as CSV") from None
    if table.estimated_size() > settings.most_unpacked:
        raise _swollen(settings.most_unpacked, name)
    return table


def _check_systems(systems: Iterable[str], name: str, settings: Settings) -> None:
    names = list(systems)
    _check(len(names), settings.most_systems, "systems", name)
    _check_letters(names, "system", name, settings)


def _check_letters(names: Iterable[str], what: str, name: str, settings: Settings) -> None:
    for one in names:
        if len(one) > settings.most_letters:
            message = f"{name}: the {what} {one[:40]!r}… has a name of {len(one):,} letters"
            raise DataError(f"{message}, at most {settings.most_letters:,} here. Hint: shorten it")


def _check(found: int, most: int, what: str, name: str) -> None:
    if found > most:
        raise DataError(f"{name}: has more than {most:,} {what}, the most here. Hint: {ELSEWHERE}")
