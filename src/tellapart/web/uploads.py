"""Uploads, read within bounds: what can be refused is refused before it is parsed."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from dataclasses import dataclass, fields
from functools import partial
from itertools import islice
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from tellapart.data.frames import Frame
from tellapart.data.inputs import Given, given
from tellapart.data.logs.opened import File
from tellapart.data.pairs import Pairs
from tellapart.data.ratings import Ratings, metrics
from tellapart.data.slicing import slices
from tellapart.data.source import GZIP, ZSTANDARD
from tellapart.data.tables import kind_of, read_table
from tellapart.errors import DataError, InvalidInput, TellapartError
from tellapart.web.refusals import ELSEWHERE, Misread
from tellapart.web.workers import room

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tellapart.analysis.metrics import MetricRanking
    from tellapart.analysis.slices import Slices
    from tellapart.web.settings import Settings

_RANKING = {"system", "item", "human", "annotator", "votes", "human_cut", "bad_cells", "where"}
_FIRST, _WIDE, _SHOWN = 5, 12, 60  # rows, columns and letters of a preview
_ROOM, _TIMES = 200_000_000, 30  # bytes that reading may take, and how many times what is read
_PIECE = 1 << 20
_LETTER = 4  # bytes, at most
_SEPARATORS = ",\t;|"
T = TypeVar("T")


@dataclass(frozen=True)
class Upload:
    """One file or several, perhaps labels, how to read them, and how to compare what they hold.

    `key` is the same for the same content and choices, whatever is asked of them.
    """

    parts: tuple[tuple[str, bytes], ...]
    reading: dict[str, Any]
    comparing: dict[str, Any]
    settings: Settings
    labels: bool = False  # whether the last part holds people's ratings of the outputs in the others
    by: tuple[str, ...] = ()
    key: str = ""

    @property
    def name(self) -> str:
        """What to call it in messages."""
        return self.parts[0][0]


@dataclass(frozen=True)
class ReadIn(Ratings):
    """Ratings, every column of their file, and its first rows; or counts."""

    columns: tuple[str, ...] = ()
    preview: tuple[tuple[str, ...], ...] = ()


def read(upload: Upload) -> ReadIn | Pairs:
    """Read ratings, pairs, or counts, of a bounded size."""
    return _opened(upload, _read)


def sliced(upload: Upload) -> Slices:
    """Compare as a whole and slice by slice."""
    return _opened(upload, _sliced)


def ranked(upload: Upload, seed: int) -> MetricRanking:
    """Rank the metrics of ratings of a bounded size."""
    return _opened(upload, partial(_ranked, seed=seed))


def _opened(upload: Upload, reader: Callable[[Given, Upload], T]) -> T:
    """Unpack what is small enough, find out what it holds, and read it."""
    parts = [(name, _unpacked(content, name, upload.settings)) for name, content in upload.parts]
    if len(parts) == 1 and parts[0][1].startswith(b"PAR1"):
        return reader(Given(_parquet(parts[0][1], upload.name, upload.settings), upload.name), upload)
    for name, content in parts:
        if content.startswith(b"PAR1"):
            _parquet(content, name, upload.settings)
        else:
            _check_start(content, name, upload.settings)
    with room(_ROOM + _TIMES * sum(len(content) for _, content in parts)):
        return reader(_given(parts, upload), upload)


def _given(parts: Sequence[tuple[str, bytes]], upload: Upload) -> Given:
    files = [File(name, content, (PurePath(name).stem or name, name)) for name, content in parts]
    labels = files.pop() if upload.labels else None
    return given(files, upload.name if len(files) == 1 else None, upload.reading, labels=labels)


def _read(data: Given, upload: Upload) -> ReadIn | Pairs:
    columns = _columns(data.data, upload)
    try:
        table = read_table(data, **upload.reading)
    except InvalidInput as error:
        raise Misread(error, list(columns)) from error
    _check_systems(table.systems, upload.name, upload.settings)
    if isinstance(table, Pairs):
        return table
    own = {field.name: getattr(table, field.name) for field in fields(table)}
    return ReadIn(**own, columns=columns, preview=_preview(data.data, upload) if columns else ())


def _preview(data: Any, upload: Upload) -> tuple[tuple[str, ...], ...]:  # noqa: ANN401 - bytes or a frame
    frame = Frame.of(data, upload.name)
    (rows,) = frame.collect([frame.table.select(*frame.columns[:_WIDE]).head(_FIRST)])
    return tuple(tuple("" if cell is None else str(cell)[:_SHOWN] for cell in row) for row in rows)


def _sliced(data: Given, upload: Upload) -> Slices:
    columns = _columns(data.data, upload)
    try:
        found = slices(data, upload.by, **upload.reading, **upload.comparing)
    except InvalidInput as error:
        raise Misread(error, list(columns)) from error
    _check_systems(found.overall.ranking, upload.name, upload.settings)
    return found


def _ranked(data: Given, upload: Upload, seed: int) -> MetricRanking:
    if isinstance(data.data, bytes) and kind_of(data.data) == "counts":
        raise DataError(f"{upload.name}: must hold ratings, got counts. Hint: one row for each output")
    columns = _columns(data.data, upload)
    reading = {name: value for name, value in {**upload.reading, **data.settled}.items() if name in _RANKING}
    reading["metric"] = upload.reading["metric"]  # or a log's one judge would be the only one
    level = upload.comparing["confidence_level"]
    try:
        found = metrics(data.data, name=data.name, seed=seed, confidence_level=level, **reading)
    except InvalidInput as error:
        raise Misread(error, list(columns)) from error
    _check_systems({system for metric in found.metrics for system in metric.systems}, upload.name, upload.settings)
    return found


def _columns(data: Any, upload: Upload) -> tuple[str, ...]:  # noqa: ANN401 - bytes or a frame
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


def _unpacked(content: bytes, name: str, settings: Settings) -> bytes:
    """Unpack gzip up to a bound; what the readers would unpack themselves is refused."""
    if content.startswith(GZIP):
        try:
            _check_packed(content, name, settings)
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"{name}: cannot be unpacked ({error}). Hint: send it unpacked") from None
    if content.startswith((GZIP, ZSTANDARD)):
        raise DataError(f"{name}: is packed in a way that is not read here. Hint: send it unpacked, or as gzip")
    return content


def _check_packed(content: bytes, name: str, settings: Settings) -> None:
    """Refuse what unpacks to too much, without keeping it."""
    file = gzip.GzipFile(fileobj=io.BytesIO(content))
    piece = file.read(_PIECE)
    json, lines, size = _is_json(piece), 0, 0
    while piece:
        size, lines = size + len(piece), lines + piece.count(b"\n")
        if size > settings.most_unpacked:
            raise _swollen(settings.most_unpacked, name)
        if json:
            _check_lines(lines, name, settings)
        piece = file.read(_PIECE)


def _is_json(start: bytes) -> bool:
    return start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"["))


def _check_lines(lines: int, name: str, settings: Settings) -> None:
    """JSON lines are as many as rows; in CSV, a quoted cell may hold line breaks."""
    _check(lines - 1, settings.most_rows, "rows", name)


def _swollen(most: int, name: str) -> DataError:
    said = f"unpacks to more than {most / 1e6:,.0f} MB, the most that is read here"
    return DataError(f"{name}: {said}. Hint: {ELSEWHERE}")


def _check_start(content: bytes, name: str, settings: Settings) -> None:
    """Refuse too wide a header of CSV, or too many JSON lines, by the look of them."""
    if _is_json(content[:_PIECE]):
        _check_lines(content.count(b"\n"), name, settings)
        return
    longest = settings.most_columns * (settings.most_letters * _LETTER + 3)  # with quotation marks and a separator
    start = content[: longest + 1].decode("utf-8-sig", "replace")
    for mark in _SEPARATORS:
        header = next(_records(start, mark), ())
        _check(len(header), settings.most_columns, "columns", name)


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
