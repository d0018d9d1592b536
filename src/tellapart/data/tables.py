"""What a table holds: ratings, one row an output, or counts, one row a system. The one place that tells them apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tellapart.data.counts import is_counts, read_counts
from tellapart.data.files import called, lasting
from tellapart.data.ratings import Ratings, read_ratings

if TYPE_CHECKING:
    from tellapart.core.evidence import Sampling

Kind = Literal["counts", "ratings"]  # pairs of outputs will be a third


def kind_of(source: Any) -> Kind:  # noqa: ANN401 - a path, bytes, or any data frame
    """Tell by its header what a table holds; a data frame holds ratings."""
    return "counts" if isinstance(source, Path | bytes) and is_counts(source) else "ratings"


def read_table(source: Any, *, sampling: Sampling = "random", name: str | None = None, **reading: Any) -> Ratings:  # noqa: ANN401
    """Read ratings or counts, whichever a table holds; `reading` is for ratings, as `read_ratings` has it."""
    if isinstance(source, str | Path):
        source, name = lasting(source), name or called(source)
    if kind_of(source) == "counts":
        return Ratings(read_counts(source, sampling=sampling, name=name))
    return read_ratings(source, sampling=sampling, name=name, **reading)
