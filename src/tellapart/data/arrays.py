"""Tables that are not read line by line: JSON arrays of objects, and Excel workbooks."""

from __future__ import annotations

import io
import json
import re
from importlib.util import find_spec
from typing import IO, TYPE_CHECKING, Any

import polars as pl

from tellapart.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MOST_ARRAY = 200_000_000  # bytes, which are held in memory
WORKBOOK = b"PK\x03\x04"
_GAP = re.compile(r"[ \t\r\n]*")
_LINES = "write one JSON object per line, for example with jq -c '.[]'"


def lines_of(reopen: Callable[[], IO[bytes]], name: str) -> tuple[bytes, list[int]]:
    """Return the objects of a JSON array as JSON lines, and the line at which each of them begins."""
    with reopen() as file:
        content = file.read(MOST_ARRAY + 1)
    if len(content) > MOST_ARRAY:
        raise DataError(f"{name}: is a JSON array of more than {MOST_ARRAY:,} bytes. Hint: {_LINES}")
    try:
        text = content.decode("utf-8-sig")
        found = io.BytesIO()
        starts = []
        for line, value in _values(text, name):
            found.write(json.dumps(value, ensure_ascii=False).encode() + b"\n")
            starts.append(line)
    except UnicodeError:
        raise DataError(f"{name}: is not UTF-8 text. Hint: save it as UTF-8") from None
    return found.getvalue(), starts


def _values(text: str, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Return the objects of an array one by one, each with its line."""
    decode, line, seen = json.JSONDecoder().raw_decode, 1, 0
    place, first = _after(text, text.index("[") + 1), True
    while text[place : place + 1] != "]" or not first:
        line, seen = line + text.count("\n", seen, place), place
        try:
            value, end = decode(text, place)
        except (ValueError, RecursionError):
            raise DataError(f"{name}, line {line}: is not JSON. Hint: an array of objects, [{{…}}, {{…}}]") from None
        if not isinstance(value, dict):
            raise DataError(f"{name}, line {line}: is JSON, but no object. Hint: an array of objects, [{{…}}, {{…}}]")
        yield line, value
        place, first = _after(text, end), False
        if text[place : place + 1] == "]":
            break
        if text[place : place + 1] != ",":
            line += text.count("\n", seen, place)
            raise DataError(f"{name}, line {line}: a comma or ] is missing. Hint: an array of objects, [{{…}}, {{…}}]")
        place = _after(text, place + 1)
    if _after(text, place + 1) < len(text):
        line += text.count("\n", seen, place)
        raise DataError(f"{name}, line {line}: something follows the JSON array. Hint: {_LINES}")


def _after(text: str, place: int) -> int:
    """Return the first place from there on that is not blank."""
    found = _GAP.match(text, place)
    return place if found is None else found.end()


def workbook(source: Path | io.BytesIO, name: str) -> pl.LazyFrame:
    """Return the first sheet of an Excel workbook."""
    if find_spec("fastexcel") is None:
        raise DataError(
            f"{name}: is an Excel workbook or another archive. Hint: pip install fastexcel, or save it as CSV"
        )
    try:
        return pl.read_excel(source, infer_schema_length=None).lazy()
    except Exception as error:  # noqa: BLE001 - whatever the package raises
        said = " ".join(str(error).split())[:160]
        raise DataError(f"{name}: cannot be read as an Excel workbook ({said}). Hint: save it as CSV") from None
