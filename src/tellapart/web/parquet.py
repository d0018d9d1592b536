"""Parquet uploads, read by a process of their own: a damaged or a swollen file ends that process, not the server."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import polars as pl

from tellapart.errors import DataError

if TYPE_CHECKING:
    from tellapart.web.settings import Settings

_SECONDS = 60
_ROOM = 1_500_000_000  # bytes that the process may take beside three times what a file may unpack to
_REFUSED = 3


def read(content: bytes, name: str, settings: Settings) -> pl.DataFrame:
    """Read the table of a Parquet file, within the bounds."""
    bounds = (settings.most_rows, settings.most_columns, settings.most_unpacked)
    command = [sys.executable, "-P", "-m", __name__, *map(str, bounds)]
    try:
        child = subprocess.run(  # noqa: S603 - our own module
            command,
            input=content,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
            env={**os.environ, "POLARS_MAX_THREADS": "1"},
        )
    except subprocess.TimeoutExpired:
        raise DataError(f"{name}: takes too long to read. Hint: send it as CSV") from None
    if child.returncode == _REFUSED:
        raise DataError(f"{name}: {child.stderr.decode().strip()}")
    if child.returncode:
        raise DataError(f"{name}: cannot be read, it is damaged or unpacks to too much. Hint: send it as CSV")
    return pl.read_ipc(io.BytesIO(child.stdout))


def _main() -> None:
    """Read Parquet from standard input and write it as Arrow, or say which bound it breaks."""
    rows, columns, size = (int(text) for text in sys.argv[1:])
    _limit_memory(3 * size + _ROOM)
    frame = pl.scan_parquet(io.BytesIO(sys.stdin.buffer.read()))
    found = (
        (len(frame.collect_schema()), columns, "columns"),
        (frame.select(pl.len()).collect().item(), rows, "rows"),
    )
    for number, most, what in found:
        if number > most:
            _refuse(f"has {number:,} {what}, at most {most:,} here. Hint: use the command line")
    table = frame.collect()
    if table.estimated_size() > size:
        _refuse(f"unpacks to more than {size / 1e6:,.0f} MB, the most that is read here. Hint: use the command line")
    table.write_ipc(sys.stdout.buffer)


def _refuse(message: str) -> None:
    sys.stderr.write(message)
    sys.exit(_REFUSED)


def _limit_memory(size: int) -> None:
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))


if __name__ == "__main__":
    _main()
