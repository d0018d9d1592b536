"""What is to be read: one file or several, tables or logs, with people's labels joined; the door before the reader."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tellapart.data import labelled
from tellapart.data.counts import is_counts
from tellapart.data.drawn import COLUMN, recorded
from tellapart.data.frames import Frame
from tellapart.data.logs.merge import ready
from tellapart.data.logs.opened import File
from tellapart.data.logs.registry import files, format_of, named, read_files
from tellapart.data.logs.words import sentences
from tellapart.data.roles import find, several_names
from tellapart.data.source import Source, open_source, ticked
from tellapart.errors import DataError, InvalidInput
from tellapart.said import Option, Said

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tellapart.data.labelled import Joined, Labelled
    from tellapart.data.logs.model import Log
    from tellapart.data.logs.registry import Format

_SIDE = re.compile(r"(system|model|generator|bot|assistant|candidate|sys)_?(a|1|left|first|x)", re.IGNORECASE)


@dataclass(frozen=True)
class Given:
    """A table as the reader takes it, its name, what is to be said of it, and the choices that it settles.

    `called` says which systems are called as their files, and `joined` how people's labels were joined, if they were.
    """

    data: Any
    name: str | None
    noted: tuple[str, ...] = ()
    settled: Mapping[str, Any] = field(default_factory=dict)
    called: tuple[str, ...] = ()
    joined: Joined | None = None

    @property
    def said(self) -> tuple[str, ...]:
        """All that is to be said."""
        return self.called + self.noted + (() if self.joined is None else self.joined.said)


def given(
    source: Any,  # noqa: ANN401 - a path, a list of them, bytes, or any data frame
    name: str | None,
    reading: Mapping[str, Any],
    *,
    kind: str | None = None,
    labels: str | Path | File | None = None,
) -> Given:
    """Find out what a source holds; `reading` are the choices of the user, which go before what a log says."""
    if isinstance(source, Given):
        return source
    if not is_path(source):
        if kind is not None or labels is not None:
            where, value = ("labels", labels) if kind is None else ("kind", kind)
            raise InvalidInput.rule(where, "be left out where a frame or bytes are given", value, "give a path")
        return Given(source, name)
    found, logs = _found(source, kind)
    if logs:
        return _of_logs(read_files(found, logs), labels, reading)
    if len(found) == 1 and labels is None:
        return _one(found[0], name, reading)
    table, name, called = _tables(found, reading)
    settled: dict[str, Any] = {"system": "system"} if "system" in table.columns else {}
    if labels is None:
        return Given(table, name, (), settled, called)
    joined = _joined(table, labels, reading)
    settled |= {"item": "item", "human": joined.human}
    frame = replace(Frame.of(joined.frame, name), unnamed=table.unnamed)
    return Given(frame, name, (), settled, called, joined.joined)


def is_path(source: Any) -> bool:  # noqa: ANN401 - whatever is given
    """Whether it is a path, or several."""
    several = isinstance(source, list | tuple)
    return all(isinstance(one, str | Path | File) for one in (source if several else [source]))


def collected(
    paths: str | Path | Sequence[str | Path], *, kind: str | None = None, labels: str | Path | File | None = None
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Read tables or logs, labels joined, and return them as one table, with what is to be said of it."""
    found, logs = _found(paths, kind)
    if not logs:
        table, _, said = _tables(found, {})
        if labels is not None:
            joined = _joined(table, labels, {})
            return joined.frame, said + joined.joined.said
        frame: pl.DataFrame = table.source.run(table.source.frame.collect) if table.source else pl.DataFrame()
        return frame, said
    log = read_files(found, logs)
    if labels is None or log.pairs:
        _check_labels(log, labels)
        return (log.frame if log.pairs else ready(log.frame)), tuple(sentences(log))
    joined = labelled.join(log.frame, labels)
    return ready(joined.frame), (*sentences(log), *joined.joined.said)


def _found(paths: Any, kind: str | None) -> tuple[list[File], list[Format]]:  # noqa: ANN401
    """Return the files, and the formats of these if they are logs: all must be, or none."""
    asked = named(kind)
    found = files(paths, asked, patterns=isinstance(paths, list | tuple))  # one path alone is taken literally
    formats = [asked or format_of(file) for file in found]
    logs = [each for each in formats if each is not None]
    if logs and len(logs) < len(found):
        table = next(file for file, each in zip(found, formats, strict=True) if each is None)
        hint = Said("give a table of people's ratings with ", Option("labels"))
        raise DataError(Said(f"{table.name}: is not a log of a known format, though other files are. Hint: ", hint))
    return found, logs


def _of_logs(log: Log, labels: str | Path | File | None, reading: Mapping[str, Any]) -> Given:
    said = tuple(sentences(log))
    if "epoch" in log.frame.columns:
        said += ("Items appear several times, as item@epoch; outputs for one item go together.",)
    if log.pairs:
        _check_labels(log, labels)
        return Given(log.frame, log.name, said, {"metric": _judge(log, reading)})
    if labels is None:
        roles = {"system": "system", "item": "item", "human": _human(log, reading), "metric": _judge(log, reading)}
        return Given(ready(log.frame), log.name, said, roles | _names(reading))
    joined = labelled.join(log.frame, labels, human=several_names("human", reading.get("human")))
    drawn = recorded(joined.frame.get_column(COLUMN, default=()))  # the reader settles by whose verdict
    metric = (
        several_names("metric", reading.get("metric")) if any(way.metric for way in drawn) else _judge(log, reading)
    )
    roles = {"system": "system", "item": "item", "human": joined.human, "metric": metric}
    return Given(ready(joined.frame), log.name, said, roles, joined=joined.joined)


def _check_labels(log: Log, labels: object) -> None:
    if labels is not None:
        hint = "put the votes into a file of pairs"
        raise DataError(f"{log.name}: labels are joined to outputs, and these are pairs. Hint: {hint}")


def _names(reading: Mapping[str, Any]) -> dict[str, Any]:
    return {role: reading[role] for role in ("system", "item") if reading.get(role)}


def _judge(log: Log, reading: Mapping[str, Any]) -> Sequence[str]:
    """Return the score to use: the one that was named, the only one, or the only one that an LLM gave."""
    if reading.get("metric"):
        return several_names("metric", reading["metric"])
    found = log.judges if len(log.judges) == 1 else log.scores
    if len(found) > 1 and not reading.get("every"):
        several = ", ".join(map(ticked, found))
        said = f"{log.name}: several scores may be the judge: {several}. Hint: choose with "
        raise DataError(Said(said, Option("metric")))
    return log.scores if reading.get("every") else found


def _human(log: Log, reading: Mapping[str, Any]) -> Sequence[str]:
    """Return the columns of people's ratings: those that were named, or those of one question."""
    if reading.get("human"):
        return several_names("human", reading["human"])
    if not log.people:
        hint = Said(
            "tellapart sheet writes a sheet to rate; convert, compare, gate and trend add it with ", Option("labels")
        )
        raise DataError(Said(f"{log.name}: holds no ratings by people. Hint: ", hint))
    if not all(re.fullmatch(r"human(_[0-9]+)?", name) for name in log.people):
        several = ", ".join(map(ticked, log.people))
        said = f"{log.name}: people rated several things: {several}. Hint: choose with "
        raise DataError(Said(said, Option("human")))
    return log.people


def _one(file: File, name: str | None, reading: Mapping[str, Any]) -> Given:
    """Take one table as it is; where none of its columns is of systems, its outputs are of one, called as the file."""
    name = name or file.name
    if is_counts(file.data) or reading.get("system"):
        return Given(file.data, name)
    frame = Frame.of_source(open_source(file.data, name))  # opened once: that reads a whole file
    if not _of_one_system(frame.columns, reading):
        return Given(frame, name)
    table, _, called = _tables([file], reading)
    return Given(replace(table, name=name), name, called=called)


def _of_one_system(columns: Sequence[str], reading: Mapping[str, Any]) -> bool:
    """Whether a table has outputs and ratings, but neither systems nor pairs of these."""
    rated = reading.get("human") or find(columns, "human")
    items = reading.get("item") or find(columns, "item")
    return bool(rated and items) and find(columns, "system") is None and not any(map(_SIDE.fullmatch, columns))


def _tables(found: Sequence[File], reading: Mapping[str, Any]) -> tuple[Frame, str, tuple[str, ...]]:
    """Put the rows of several tables together; the outputs of one without systems are of one called as its file."""
    frames, without, parts = [], [], []
    for file in found:
        if is_counts(file.data):
            raise DataError(f"{file.name}: holds counts, not ratings. Hint: give it by itself")
        source = open_source(file.data, file.name)
        columns = source.frame.collect_schema().names()
        system = reading.get("system") or find(columns, "system")
        frame = source.frame if system is None else source.frame.rename({system: "system"} if system in columns else {})
        if system is None and not any(map(_SIDE.fullmatch, columns)):
            without.append(file.labels[0])
            frame = frame.with_columns(pl.lit(file.labels[0]).alias("system"))
        frames.append(frame)
        parts.append(source)
    name = found[0].name if len(found) == 1 else f"{found[0].name} and {len(found) - 1} more"
    name = " and ".join(file.name for file in found) if len(found) == 2 else name  # noqa: PLR2004
    table = Source(name, pl.concat(frames, how="diagonal_relaxed"), ragged=True, parts=tuple(parts))
    whole = replace(Frame.of_source(table), unnamed=len(without) == len(found))
    return whole, name, tuple(_called(without, len(found)))


def _called(without: Sequence[str], files: int) -> Iterator[str]:
    """Say which systems are called as their files, because no column names them."""
    shown = ", ".join(repr(each) for each in without[:3]) + (", …" if len(without) > 3 else "")  # noqa: PLR2004
    if len(without) == files == 1:
        yield f"No column names the system: it is called as its file, {shown}."
    elif len(without) == files:
        yield f"No column names the systems: they are called as their files, {shown}."
    elif without:
        yield f"Where no column names the systems, they are called as their files: {shown}."


def _joined(table: Frame, labels: str | Path | File, reading: Mapping[str, Any]) -> Labelled:
    source = table.source
    frame: pl.DataFrame = source.run(source.frame.collect) if source else pl.DataFrame()
    names = {role: reading.get(role) or find(frame.columns, role) for role in ("system", "item")}
    renamed = frame.rename({name: role for role, name in names.items() if name and name != role}, strict=False)
    return labelled.join(renamed, labels, human=several_names("human", reading.get("human")))
