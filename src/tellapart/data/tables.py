"""What a table holds: ratings, pairs of outputs, or counts of systems. The one place that tells them apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tellapart.data.counts import is_counts, read_counts
from tellapart.data.files import called, lasting
from tellapart.data.pairs import Pairs, read_either
from tellapart.data.ratings import Ratings
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from tellapart.core.evidence import Sampling

Kind = Literal["counts", "outputs"]


def kind_of(source: Any) -> Kind:  # noqa: ANN401 - a path, bytes, or any data frame
    """Tell by its header what a table holds; a data frame holds outputs, one by one or in pairs."""
    return "counts" if isinstance(source, Path | bytes) and is_counts(source) else "outputs"


def read_table(
    source: Any,  # noqa: ANN401 - a path, bytes, or any data frame
    *,
    sampling: Sampling = "random",
    name: str | None = None,
    **reading: Any,  # noqa: ANN401 - what `read_ratings` takes
) -> Ratings | Pairs:
    """Read ratings, pairs or counts, whichever a table holds; `reading` is as `read_ratings` has it."""
    if isinstance(source, str | Path):
        source, name = lasting(source), name or called(source)
    if kind_of(source) == "counts":
        if reading.get("where") is not None:
            raise InvalidInput.rule("where", "be left out for counts", reading["where"], "leave out rows of the file")
        return Ratings(read_counts(source, sampling=sampling, name=name))
    return read_either(source, sampling=sampling, name=name, **reading)
