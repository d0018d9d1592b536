"""What a table holds: ratings, pairs of outputs, or counts of systems. The one place that tells them apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tellapart.core.evidence import Evidence
from tellapart.data.counts import is_counts, read_counts
from tellapart.data.inputs import given
from tellapart.data.pairs import Pairs, read_either
from tellapart.data.ratings import Ratings
from tellapart.data.unused import ONE_BY_ONE, refuse_unused

if TYPE_CHECKING:
    from tellapart.core.evidence import Sampling

Kind = Literal["counts", "outputs"]


def kind_of(source: Any) -> Kind:  # noqa: ANN401 - a path, bytes, or any data frame
    """Tell by its header what a table holds; a data frame holds outputs, one by one or in pairs."""
    return "counts" if isinstance(source, Path | bytes) and is_counts(source) else "outputs"


def read_table(
    source: Any,  # noqa: ANN401 - a path, a list of paths, bytes, or any data frame
    *,
    sampling: Sampling | None = None,
    name: str | None = None,
    kind: str | None = None,
    labels: str | Path | None = None,
    **reading: Any,  # noqa: ANN401 - what `read_ratings` takes
) -> Ratings | Pairs:
    """Read ratings, pairs or counts, whichever a table holds, or logs; `reading` is as `read_ratings` has it."""
    found = given(source, name, reading, kind=kind, labels=labels)
    if kind_of(found.data) == "counts":
        people_only = reading.get("metric") in ("none", ("none",), ["none"])
        refuse_unused(reading, hint=ONE_BY_ONE, used=["metric"] if people_only else [])
        sampling = sampling or "random"
        systems = read_counts(found.data, sampling=sampling, name=found.name)
        if people_only:
            systems = {name: Evidence.of(one.human, sampling=sampling) for name, one in systems.items()}
        return Ratings(systems, source=found.name or "")
    table = read_either(found.data, name=found.name, **{**reading, "sampling": sampling, **found.settled})
    return _with(table, found.said)


def _with(table: Ratings | Pairs, said: tuple[str, ...]) -> Ratings | Pairs:
    if isinstance(table, Pairs):
        return replace(table, understood=(*table.understood[:1], *said, *table.understood[1:]))
    return table if table.facts is None else replace(table, facts=replace(table.facts, beside=said))
