"""Evidence from a small table of counts, one row per system."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.core.counts import MOST, Confusion, Tally
from tellapart.core.evidence import Evidence, Sampling
from tellapart.data.files import LONGEST_SYSTEM, MOST_SYSTEMS, called, lasting, separator
from tellapart.data.roles import plain
from tellapart.errors import DataError, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping

COLUMNS = ("system", "human_pos", "human_n", "tp", "fn", "tn", "fp", "metric_pos", "metric_n")
_MOST_BYTES = 10_000_000
_WHOLE = re.compile(r"[0-9]{1,4000}(\.0*)?")  # 12, and 12.0 as some spreadsheets write it
_LAYOUT = "the columns are " + ",".join(COLUMNS)


def is_counts(source: Path | bytes) -> bool:
    """Whether a file, or the content of one, has the header of counts, not of ratings."""
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file:
        line = file.readline(_MOST_BYTES).decode("utf-8-sig", "replace")
    fields = {plain(field.strip().strip('"')) for field in line.split(separator(line))}
    return "item" not in fields and bool(fields & set(COLUMNS[1:]))


def read_counts(
    path: str | Path | bytes, *, sampling: Sampling = "random", name: str | None = None
) -> dict[str, Evidence]:
    """Read a CSV file with the columns system, human_pos, human_n, tp, fn, tn, fp, metric_pos, metric_n.

    Cells are separated by commas, semicolons or tabs; columns are found in capital letters, too.
    Columns may be left out or empty where there is nothing to count; `system` may not. For `compare`.
    """
    source = path if isinstance(path, bytes) else lasting(path)
    if isinstance(source, Path):
        with source.open("rb") as file:
            source = file.read(_MOST_BYTES + 1)
    return parse_counts(source, name=name or called("-" if isinstance(path, bytes) else path), sampling=sampling)


def parse_counts(content: bytes, *, name: str, sampling: Sampling = "random") -> dict[str, Evidence]:
    """Read the content of such a file."""
    if len(content) > _MOST_BYTES:
        raise DataError(f"{name}: must be at most {_MOST_BYTES:,} bytes. Hint: {_LAYOUT}, one row per system")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"must be UTF-8 text, byte {error.start} is not"
        raise DataError(f"{name}: {what}. Hint: save it as CSV in UTF-8") from None
    try:
        reader = csv.DictReader(io.StringIO(text), delimiter=separator(text.partition("\n")[0]), strict=True)
        header = [plain(field) for field in reader.fieldnames or []]
        reader.fieldnames = header
        _check_header(header, name)
        systems: dict[str, Evidence] = {}
        for row in reader:
            if len(systems) == MOST_SYSTEMS:
                raise DataError(f"{name}: has more than {MOST_SYSTEMS:,} systems. Hint: one row per system; {_LAYOUT}")
            _add(systems, row, where=f"{name}, line {reader.line_num}", sampling=sampling)
    except csv.Error as error:
        raise DataError(f"{name}: is not valid CSV ({error}). Hint: {_LAYOUT}") from None
    if not systems:
        raise DataError(f"{name}: has no rows. Hint: one row per system; {_LAYOUT}")
    return systems


def _check_header(header: list[str], name: str) -> None:
    if "system" not in header:
        found = ", ".join(header)[:80] or "an empty line"
        raise DataError(f"{name}, line 1: must have a column `system`, got {found!r}. Hint: {_LAYOUT}")
    for field in header:
        if field not in COLUMNS or header.count(field) > 1:
            what = "twice" if header.count(field) > 1 else "unknown"
            raise DataError(f"{name}, line 1: column {field[:40]!r} is {what}. Hint: {_LAYOUT}")


def _add(systems: dict[str, Evidence], row: Mapping[str | None, object], *, where: str, sampling: Sampling) -> None:
    system, column = str(row["system"] or "").strip(), f"{where}, column `system`"
    if not system:
        raise DataError(f"{column}: must not be empty. Hint: name every system")
    if not system.isprintable():
        raise DataError(f"{column}: must not hold control characters, got {system[:40]!r}. Hint: plain names")
    if len(system) > LONGEST_SYSTEM:
        raise DataError(f"{column}: must have at most {LONGEST_SYSTEM} letters, got {system[:40]!r}. Hint: short names")
    if system in systems:
        raise DataError(f"{column}: {system!r} appears more than once. Hint: add up the counts of a system")
    if None in row:
        raise DataError(f"{where}: has more cells than the header. Hint: {_LAYOUT}")
    number = {column: _count(row.get(column), f"{where}, column `{column}`") for column in COLUMNS[1:]}
    for positive, total in (("human_pos", "human_n"), ("metric_pos", "metric_n")):
        if number[positive] and not str(row.get(total) or "").strip():
            got = "an empty cell" if total in row else "no such column"
            rule = f"must be given where `{positive}` is {number[positive]}, got {got}"
            raise DataError(f"{where}, column `{total}`: {rule}. Hint: how many outputs were rated in all")
        if number[positive] > number[total]:
            rule = f"must be at most `{total}`, {number[total]}, got {number[positive]}"
            raise DataError(f"{where}, column `{positive}`: {rule}. Hint: are the two columns swapped?")
    systems[system] = _evidence(number, where, sampling)
    if not systems[system].rated:
        raise DataError(f"{where}: {system!r} has no rating. Hint: fill in human_pos and human_n, or leave the row out")


def _evidence(number: Mapping[str, int], where: str, sampling: Sampling) -> Evidence:
    try:
        human = Tally(number["human_pos"], number["human_n"])
        confusion = Confusion(tp=number["tp"], fn=number["fn"], tn=number["tn"], fp=number["fp"])
        metric = Tally(number["metric_pos"], number["metric_n"])
        rated = metric.total or confusion.human.total
        judged = {"calibration": confusion, "metric": metric} if rated else {}
        return Evidence.of(human, sampling=sampling, **judged)  # type: ignore[arg-type]
    except InvalidInput as error:
        raise DataError.at(where, error) from None


def _count(cell: object, where: str) -> int:
    text = str(cell or "").strip()
    if not text:
        return 0
    if not _WHOLE.fullmatch(text) or int(text.partition(".")[0]) > MOST:
        rule = f"must be a whole number from 0 to 10^12, got {text[:40]!r}"
        raise DataError(f"{where}: {rule}. Hint: counts, not shares")
    return int(text.partition(".")[0])
