"""What every result offers beside its numbers."""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module
from typing import Any, ClassVar, Literal

# What there is to show; every layout, table of rows and choice of a chart is looked up by it
Kind = Literal[
    "assurance",
    "budget",
    "comparison",
    "estimate",
    "estimates",
    "gate",
    "many",
    "map",
    "metrics",
    "outcomes",
    "plan",
    "reproduction",
    "reproductions",
    "simulation",
    "slices",
    "thresholds",
    "trend",
]


class Result:
    """A result that can be drawn, turned into a data frame and shown in a notebook.

    Charts, frames and HTML belong to higher layers; they are found by name when asked for, so that the statistics
    import none of them. They know a result by its `kind`, and so need not import the class of every other.
    """

    kind: ClassVar[Kind]

    def __repr__(self) -> str:
        """Say what came out, not all that went in."""
        return f"<{type(self).__name__}: {self}>"

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what was computed on the way: it is computed again, and may hold what cannot be pickled."""
        return {field.name: self.__dict__[field.name] for field in fields(self)}  # type: ignore[arg-type]

    def plot(self) -> Any:  # noqa: ANN401 - an Altair chart
        """Return a chart (Altair; needs the `charts` extra)."""
        return import_module("tellapart.charts").plot(self)

    def to_frame(self, what: str | None = None) -> Any:  # noqa: ANN401 - a Polars frame
        """Return the numbers, unrounded, as a Polars data frame; of a comparison the "pairs" or the "systems"."""
        return import_module("tellapart.render").frame(self, what)

    def to_markdown(self, *, details: bool = False) -> str:
        """Return what is shown of the result as Markdown; with `details` all of it."""
        text: str = import_module("tellapart.render").document(self, "markdown", everything=details)
        return text

    def to_latex(self, *, details: bool = False) -> str:
        """Return what is shown of the result as LaTeX tables (booktabs); with `details` all of it."""
        text: str = import_module("tellapart.render").document(self, "latex", everything=details)
        return text

    def _repr_html_(self) -> str:
        """Show the result in a notebook."""
        page: str = import_module("tellapart.render").notebook(self)
        return page
