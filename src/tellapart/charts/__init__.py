"""Charts of results: Altair, one theme. Needs the `charts` extra."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tellapart.charts.base import Figure, check, check_extra, figure, save, specification
from tellapart.charts.comparison import calibration, forest, ladder, matrix, roc, worths
from tellapart.charts.estimates import densities, posteriors
from tellapart.charts.outcomes import outcomes
from tellapart.charts.planning import curves, design, planned
from tellapart.charts.power import campaign, power
from tellapart.charts.versions import gate, slices, trend
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from tellapart.analysis.result import Kind

__all__ = [
    "Figure",
    "calibration",
    "campaign",
    "check",
    "check_extra",
    "curves",
    "densities",
    "design",
    "figure",
    "forest",
    "gate",
    "ladder",
    "matrix",
    "outcomes",
    "plot",
    "posteriors",
    "power",
    "roc",
    "save",
    "slices",
    "specification",
    "trend",
    "worths",
]


_BEST: Mapping[Kind, Callable[..., Any]] = {
    "assurance": lambda found: planned(found.design),
    "budget": power,
    "comparison": forest,
    "estimate": lambda found: densities({"system": found}),
    "estimates": lambda found: densities(found.systems),
    "gate": gate,
    "many": campaign,
    "map": design,
    "metrics": worths,
    "outcomes": outcomes,
    "plan": power,
    "slices": slices,
    "thresholds": roc,
    "trend": trend,
}


def plot(result: Any, **choices: Any) -> Any:  # noqa: ANN401 - any result or named estimates, an Altair chart
    """Return the chart that shows a result best; the choices are those of `design`."""
    if isinstance(result, Mapping):
        return densities(result)
    kind: Any = getattr(result, "kind", None)
    if kind not in _BEST:
        raise InvalidInput.rule("result", "be one that has a chart", type(result).__name__)
    return _BEST[kind](result, **choices)
