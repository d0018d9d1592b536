"""How human-rated outputs were drawn, as the column `sampling` of a table says: that of a sheet, wherever it went."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

from tellapart.data.files import printable
from tellapart.data.roles import people, plain
from tellapart.data.source import ticked
from tellapart.errors import DataError
from tellapart.said import Option, Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tellapart.core.evidence import Sampling
    from tellapart.data.frames import Frame
    from tellapart.data.roles import Asked

COLUMN = "sampling"
BY_VERDICT = "by-verdict"
AT_RANDOM: Sampling = "random"
_HOW = re.compile(
    r"(?P<kind>(?P<option>random|balanced|by-metric)|by-verdict (?P<metric>.+?)"
    r"(?: >=? (?P<cut>[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?))?)(?:, seed -?\d+)?"
)


@dataclass(frozen=True)
class Drawn:
    """How outputs were drawn, in the words of their sheet; by whose verdict, and where its score was cut, if so."""

    how: str
    sampling: Sampling
    metric: str | None = None
    cut: float | None = None


def recorded(cells: Iterable[Any]) -> tuple[Drawn, ...]:
    """Return the different ways in which outputs were drawn, whatever the seed; what is no such way says nothing."""
    found: dict[str, Drawn] = {}
    for cell in sorted({str(cell).strip() for cell in cells if cell is not None}):
        if how := _HOW.fullmatch(cell):
            cut = None if how["cut"] is None else float(how["cut"])
            metric = None if how["metric"] is None else printable(how["metric"])
            option: Any = how["option"]
            found[how["kind"]] = Drawn(cell, "by-metric" if option is None else option, metric, cut)
    return tuple(found.values())


def column(columns: Iterable[str]) -> str | None:
    """Return the column that says it."""
    return next((name for name in columns if plain(name) == COLUMN), None)


def of_table(frame: Frame, asked: Asked) -> tuple[Drawn, ...]:
    """Return the ways in which the outputs of a table that people rated were drawn, as far as it says."""
    said, human = column(frame.columns), [c for c in asked.human or people(frame.columns) if c in frame.columns]
    if said is None or not human or not frame.is_plain(said):
        return ()
    rated = frame.table.filter(reduce(or_, map(frame.present, human)))
    return recorded(cell for (cell,) in frame.collect([rated.select(said).unique()])[0])


def settled(ways: Sequence[Drawn], sampling: Sampling | None, frame: Frame, asked: Asked) -> tuple[Drawn, Asked]:
    """Return the way that counts, and what is asked for: the judge by whose verdict outputs were drawn, if no other.

    What the user says goes before what the table says; where nobody says anything, outputs were drawn at random.
    """
    way, free = ways[0] if len(ways) == 1 else Drawn("", AT_RANDOM), not asked.metrics and not asked.people_only
    there = way.metric in frame.columns
    if sampling is None and len(ways) > 1:
        what = f"human-rated outputs were drawn in several ways, {told(ways)[:80]}"
        raise DataError(f"{frame.name}, column `{COLUMN}`: {what}. Hint: keep the ratings of one draw")
    if sampling is None and way.metric is not None:
        by = f"{frame.name}: human-rated outputs were drawn by the verdict of {ticked(way.metric)}"
        if free and not there:
            hint = Said("join them to the log that they were drawn from, with tellapart convert and ", Option("labels"))
            raise DataError(Said(f"{by}, a column that is not there. Hint: ", hint))
        if not free and way.metric not in asked.metrics:
            what = Said(f"{by}, and say how often that is right. Hint: take ", Option("metric", way.metric))
            raise DataError(Said(what, "; or, if they are a random sample after all, ", Option("sampling", AT_RANDOM)))
    if way.metric is not None and free and there:
        asked = replace(asked, metrics=(way.metric,))
    cut = way.cut if asked.metrics == (way.metric,) else None
    return replace(way, sampling=sampling or way.sampling, cut=cut), asked


def at_its_cut(way: Drawn, threshold: object, where: str) -> Any:  # noqa: ANN401 - a cut, or how to choose one
    """Return the cut that counts: that of the draw, if any; what was drawn by one verdict says nothing of another."""
    asked = getattr(threshold, "rule", threshold)
    if way.cut is None or way.sampling == AT_RANDOM or asked in (None, way.cut):
        return way.cut if threshold is None else threshold
    what = (
        f"{where}: human-rated outputs were drawn by another cut ({way.how}), whose verdict they tell of. Hint: take "
    )
    raise DataError(Said(what, Option("threshold", way.cut)))


def check_random(frame: Frame, asked: Asked) -> None:
    """Refuse what was not drawn at random where nothing else will do."""
    if chosen := [way for way in of_table(frame, asked) if way.sampling != AT_RANDOM]:
        what = f"human-rated outputs were not drawn at random ({told(chosen)[:80]}), which distorts how a metric errs"
        raise DataError(f"{frame.name}, column `{COLUMN}`: {what}. Hint: rate a random sample")


def told(ways: Iterable[Drawn]) -> str:
    """Return the words of the sheets."""
    return " and ".join(way.how for way in ways)
