"""Whether one judge rated all systems, as far as columns tell: what one's errors are says nothing of another's."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import narwhals.stable.v2 as nw

from tellapart.data.files import printable
from tellapart.data.roles import PROMPT, plain

if TYPE_CHECKING:
    from tellapart.data.frames import Frame
    from tellapart.data.roles import Roles

_LONG = 60  # letters of a name that are shown


def different(frame: Frame, roles: Roles) -> dict[str, str]:
    """Return two systems that different judges rated, and who these are; nothing if it was one, or nobody knows.

    A judge may have a name for each item, as where each has a rubric of its own: then it is another where an item has
    another. Prompts that nearly all differ hold the outputs, and tell nothing.
    """
    for column in filter(frame.is_plain, roles.judges if roles.metrics else ()):
        there = frame.table.filter(frame.present(column), ~nw.col(roles.system).is_null())
        (rows,) = frame.collect([there.group_by(roles.system, column).agg(nw.len().alias(f"{frame.inner}n"))])
        names: dict[str, set[str]] = {}
        for system, judge, _ in sorted(rows, key=str):
            names.setdefault(str(system), set()).add(printable(str(judge)))
        if plain(column) == PROMPT and 2 * len(set().union(*names.values())) > sum(n for *_, n in rows):
            continue
        apart = [(a, b) for a, b in combinations(names, 2) if names[a] != names[b]]
        parted = next(((a, b) for a, b in apart if names[a].isdisjoint(names[b])), None)
        if parted is None and apart and _anew(there, frame, roles.item, column):
            parted = apart[0]
        if parted is not None:
            one, two = (names[name] for name in parted)
            return {parted[0]: min(one - two or one)[:_LONG], parted[1]: min(two - one or two)[:_LONG]}
    return {}


def _anew(there: nw.LazyFrame, frame: Frame, item: str | None, column: str) -> bool:  # type: ignore[type-arg]
    """Whether some item was rated by two judges; where nothing names the items, that cannot be ruled out."""
    if item is None:
        return True
    low, high = f"{frame.inner}low", f"{frame.inner}high"
    ends = there.group_by(item).agg(nw.col(column).min().alias(low), nw.col(column).max().alias(high))
    return bool(frame.collect([ends.filter(nw.col(low) != nw.col(high)).select(item).head(1)])[0])
