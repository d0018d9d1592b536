"""Zip files whose members are stored, deflated or packed with Zstandard, which Python reads only from 3.14 on."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from tellapart.data.files import printable
from tellapart.data.logs.opened import MOST_IN_ALL, MOST_UNPACKED, parsed
from tellapart.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tellapart.data.logs.opened import File

_ZSTANDARD = 93  # the number of the method in a zip file
_FRAME, _SKIPPED = 0xFD2FB528, 0x184D2A50
_BLOCK = 131_072  # bytes that a block unpacks to at most
_LOCAL = 30  # bytes of a local header before the name
_BROKEN = (
    zipfile.BadZipFile, zlib.error, pl.exceptions.PolarsError, pl.exceptions.PanicException, struct.error,
    ValueError, IndexError, OSError, EOFError, NotImplementedError, RuntimeError, OverflowError, KeyError,
)  # fmt: skip


class Archive:
    """A zip file of JSON members; what it unpacks to is bounded, whatever its directory says."""

    def __init__(self, file: File) -> None:
        self.name, self._unpacked, self._file = file.name, 0, file.open()
        try:
            self._zip = zipfile.ZipFile(self._file)
        except _BROKEN as error:
            self._file.close()
            raise self._refuse(f"is no complete zip file ({_said(error)})") from None
        self.members = {info.filename: info for info in self._zip.infolist()}  # of one name, the last counts

    def __enter__(self) -> Self:
        """Begin to read."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._zip.close()
        self._file.close()

    def json(self, member: str) -> Any:  # noqa: ANN401
        """Return the JSON in a member."""
        return parsed(self.read(member), f"{self.name}, {printable(member)}")

    def read(self, member: str) -> bytes:
        """Return the bytes of a member."""
        info, shown = self.members[member], printable(member)
        if info.file_size > MOST_UNPACKED:
            raise self._refuse(
                f"{shown} says it unpacks to {info.file_size:,} bytes, at most {MOST_UNPACKED:,} are read"
            )
        try:
            content = self._zstandard(info) if info.compress_type == _ZSTANDARD else self._zip.read(info)
        except DataError:
            raise
        except _BROKEN as error:
            raise self._refuse(f"{shown} cannot be unpacked ({_said(error)})") from None
        self._unpacked += len(content)
        if self._unpacked > MOST_IN_ALL:
            raise self._refuse(f"unpacks to more than {MOST_IN_ALL:,} bytes")
        return content

    def _zstandard(self, info: zipfile.ZipInfo) -> bytes:
        """Let Polars unpack a member as a table of one cell; JSON holds none of the characters that end one."""
        raw = self._raw(info)
        if sum(_blocks(raw)) > MOST_UNPACKED:
            raise self._refuse(f"{printable(info.filename)} may unpack to more than {MOST_UNPACKED:,} bytes")
        marks: dict[str, Any] = {"separator": "\x1f", "eol_char": "\x1e", "quote_char": None}
        found: str = pl.read_csv(raw, has_header=False, infer_schema=False, **marks).item(0, 0)
        content = found.encode()
        if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
            message = "its size or checksum differs from what the directory says"
            raise ValueError(message)
        return content

    def _raw(self, info: zipfile.ZipInfo) -> bytes:
        self._file.seek(info.header_offset)
        name, extra = struct.unpack("<HH", self._file.read(_LOCAL)[-4:])
        self._file.seek(name + extra, io.SEEK_CUR)
        return self._file.read(info.compress_size)

    def _refuse(self, what: str) -> DataError:
        return DataError(f"{self.name}: {what}. Hint: is the file complete, and a log?")


def _blocks(raw: bytes) -> Iterator[int]:
    """Return how many bytes each block of Zstandard frames unpacks to at most; the frames need not say their size."""
    at = 0
    while at < len(raw):
        magic, size = struct.unpack_from("<II", raw, at)
        if magic & ~0xF == _SKIPPED:
            at += 8 + size
            continue
        if magic != _FRAME:
            message = "no Zstandard frame"
            raise ValueError(message)
        flags, last = raw[at + 4], False
        single = flags >> 5 & 1
        at += 5 + (1 - single) + (0, 1, 2, 4)[flags & 3] + (single, 2, 4, 8)[flags >> 6]
        while not last:
            header = int.from_bytes(raw[at : at + 3], "little")
            at += 3
            if at > len(raw):
                message = "a block is cut off"
                raise ValueError(message)
            last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
            at += 1 if kind == 1 else size  # one byte, repeated
            yield size if kind < 2 else _BLOCK  # noqa: PLR2004 - stored as it is, or packed
        at += 4 * (flags >> 2 & 1)


def _said(error: BaseException) -> str:
    return printable(" ".join(str(error).split()))[:120] or type(error).__name__
