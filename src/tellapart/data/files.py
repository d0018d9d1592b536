"""What is read: files, pipes and standard input, and how large a table in them may be."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import IO

from tellapart.errors import DataError

# Beyond these, a table costs time and memory out of all proportion and is no table of ratings.
MOST_COLUMNS = 2_000  # there are dozens, as a rule; every query is planned for all of them
LONGEST_COLUMN = 1_000  # letters of a name: surveys put whole questions there
MOST_SYSTEMS = 1_000  # each is compared with each: half a million pairs
LONGEST_SYSTEM = 200  # letters of a name, which tables and charts repeat
MOST_CELLS = 20_000_000  # or as many as the text has bytes: where there are more cells, most hold nothing
MOST_HELD = 2_000_000_000  # bytes of a pipe, which can be read only once and is held in memory

KINDS = "a CSV, TSV, JSON or Parquet file with one row for each output, or - for standard input"
_SEPARATORS = (",", "\t", ";", "|")
_SURROGATE = re.compile("[\ud800-\udfff]")  # of a file name that is not UTF-8, which Polars does not take


def lasting(file: str | Path) -> Path | bytes:
    """Return what can be read more than once: a regular file by its path, anything else by its content.

    That is a pipe, a device, or "-" for standard input.
    """
    name = called(file)
    if str(file) == "-":
        if sys.stdin is None:
            raise DataError(f"{name}: is closed. Hint: give {KINDS}")
        return _held(sys.stdin.buffer, name)
    try:
        path = Path(file).absolute()  # so that ~ and s3: are plain letters to Polars too
        with path.open("rb") as opened:
            regular = path.is_file() and not _SURROGATE.search(str(path))
            return path if regular else _held(opened, name)
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        said = printable(str(getattr(error, "strerror", None) or error))
        raise DataError(f"{name}: cannot be read ({said}). Hint: give {KINDS}") from None


def _held(file: IO[bytes], name: str) -> bytes:
    content = file.read(MOST_HELD + 1)
    if len(content) > MOST_HELD:
        hint = "save it as a file and read that"
        raise DataError(f"{name}: has more than {MOST_HELD:,} bytes, the most that is read from a pipe. Hint: {hint}")
    return content


def called(file: str | Path) -> str:
    """Return what a file is called in messages."""
    return "standard input" if str(file) == "-" else printable(str(file))


def separator(header: str) -> str:
    """Return what separates the cells of a table: the mark that its first line has most often."""
    return max(_SEPARATORS, key=header.count)


def printable(text: str) -> str:
    """Write line breaks and other control characters so that a message stays on one line."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
