"""A file as the readers of logs see it: its first record, its JSON, its rows, all of bounded size."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any

import polars as pl

from tellapart.data.source import Source
from tellapart.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MOST_UNPACKED = 200_000_000  # bytes of one JSON text: Python needs ten times as many to hold it
MOST_IN_ALL = 2_000_000_000  # bytes of all that one log holds, unpacked
_HEAD = 1_000_000
_BOM = b"\xef\xbb\xbf"
_AGAIN = "is the file complete?"


@dataclass(frozen=True)
class File:
    """A file, or the bytes of one, that may be a log."""

    name: str
    data: Path | bytes
    labels: tuple[str, ...] = ("log",)

    def open(self) -> IO[bytes]:
        """Open it."""
        return io.BytesIO(self.data) if isinstance(self.data, bytes) else self.data.open("rb")

    @property
    def path(self) -> Path | None:
        """Where it stands, if it is a file."""
        return None if isinstance(self.data, bytes) else self.data

    @cached_property
    def size(self) -> int:
        """Its bytes."""
        return len(self.data) if isinstance(self.data, bytes) else self.data.stat().st_size

    @cached_property
    def head(self) -> bytes:
        """Its first bytes."""
        with self.open() as file:
            return file.read(_HEAD).removeprefix(_BOM)

    @cached_property
    def first(self) -> Any:  # noqa: ANN401 - any JSON
        """The first record: of JSON lines the first line, or else the whole; nothing where that is no JSON."""
        if not self.head.lstrip().startswith((b"{", b"[")):
            return None
        with self.open() as file:
            line = file.readline(MOST_UNPACKED).removeprefix(_BOM)
        try:
            return parsed(line, "")
        except DataError:
            return self._whole

    @cached_property
    def _whole(self) -> Any:  # noqa: ANN401
        try:
            return self.whole()
        except DataError:
            return None

    def forget(self) -> None:
        """Let go of what was read of a large file, so that of many files one is held at a time."""
        if self.size > _HEAD:
            for held in ("first", "_whole", "head", "header"):
                self.__dict__.pop(held, None)

    def whole(self) -> Any:  # noqa: ANN401
        """Return the JSON that the file holds."""
        if self.__dict__.get("_whole") is not None:
            return self._whole
        self._check(MOST_UNPACKED)
        with self.open() as file:
            return parsed(file.read(), self.name)

    def _check(self, most: int) -> None:
        if self.size > most:
            hint = "give fewer outputs in a file"
            raise DataError(f"{self.name}: has {self.size:,} bytes, at most {most:,} are read as a log. Hint: {hint}")

    def records(self) -> Iterator[dict[str, Any]]:
        """Return the objects of JSON lines, of an array, or the only one."""
        self._check(MOST_IN_ALL)
        with self.open() as file:
            line = file.readline(MOST_UNPACKED).removeprefix(_BOM)
            try:
                first = parsed(line, "")
            except DataError:
                first = None
            if isinstance(first, dict):
                yield first
                yield from self._lines(file)
                return
        found = self.whole() if first is None else first
        for index, entry in enumerate(found if isinstance(found, list) else [found]):
            yield _object(entry, f"{self.name}, entry {index + 1}")

    def _lines(self, file: IO[bytes]) -> Iterator[dict[str, Any]]:
        number = 1
        while line := file.readline(MOST_UNPACKED):
            number += 1
            if line.strip():
                where = f"{self.name}, line {number}"
                yield _object(parsed(line, where), where)

    @cached_property
    def header(self) -> list[str]:
        """The first row of a CSV file, nothing of other files."""
        if b"\0" in self.head or self.head.lstrip().startswith((b"{", b"[", b"PK")):
            return []
        text = io.StringIO(self.head.decode("utf-8", "replace"), newline="")
        try:
            return next(csv.reader(text), [])
        except csv.Error:
            return []

    def rows(self) -> list[list[str]]:
        """Return the rows of a CSV file after the first, cells by their place: names may stand there twice."""
        self._check(MOST_UNPACKED)
        with self.open() as file:
            content = file.read().removeprefix(_BOM)
        source = Source(self.name, pl.LazyFrame())
        frame = source.run(lambda: pl.read_csv(content, has_header=False, infer_schema=False))
        return [["" if cell is None else cell for cell in row] for row in frame.rows()[1:]]

    def dictionaries(self) -> list[dict[str, str]]:
        """Return the rows of a CSV file by the names of their columns."""
        return [dict(zip(self.header, row, strict=False)) for row in self.rows()]


def parsed(text: bytes, where: str) -> Any:  # noqa: ANN401
    """Read JSON, with NaN."""
    try:
        return json.loads(text.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: is not UTF-8 text, byte {error.start} is not. Hint: {_AGAIN}") from None
    except (ValueError, RecursionError) as error:
        said = getattr(error, "msg", None) or "too deep or too long"
        place = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) and error.lineno > 1 else ""
        raise DataError(f"{where}{place}: is not JSON ({said}). Hint: {_AGAIN}") from None


def _object(found: Any, where: str) -> dict[str, Any]:  # noqa: ANN401
    if not isinstance(found, dict):
        raise DataError(f"{where}: must be a JSON object, got {str(found)[:40]!r}. Hint: {_AGAIN}")
    return found
