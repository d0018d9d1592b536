"""Charts of results: Altair, one theme. Needs the `charts` extra."""

from collections.abc import Mapping
from typing import Any

from tellapart.analysis.assurance import Assurance
from tellapart.analysis.budget import BudgetPlan
from tellapart.analysis.comparison import Comparison
from tellapart.analysis.estimation import Estimate
from tellapart.analysis.gate import Gate
from tellapart.analysis.many import ManyPlan
from tellapart.analysis.maps import DifferenceMap
from tellapart.analysis.metrics import MetricRanking
from tellapart.analysis.outcomes import Outcomes
from tellapart.analysis.planning import Plan
from tellapart.analysis.several import Estimates
from tellapart.analysis.slices import Slices
from tellapart.analysis.threshold import Thresholds
from tellapart.analysis.trend import Trend
from tellapart.charts.base import Figure, check, check_extra, figure, save, specification, svg
from tellapart.charts.comparison import calibration, forest, ladder, matrix, roc, worths
from tellapart.charts.estimates import densities, posteriors
from tellapart.charts.outcomes import outcomes
from tellapart.charts.planning import curves, design, planned
from tellapart.charts.power import power
from tellapart.charts.versions import gate, slices, trend
from tellapart.errors import InvalidInput

__all__ = ["Figure", "calibration", "check", "check_extra", "curves", "densities", "design", "figure", "forest"]
__all__ += [
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
    "svg",
    "trend",
    "worths",
]


def plot(result: Any, **choices: Any) -> Any:  # noqa: ANN401, C901, PLR0911, PLR0912 - any result or named estimates, an Altair chart
    """Return the chart that shows a result best; the choices are those of `design`."""
    match result:
        case Comparison():
            return forest(result)
        case Slices():
            return slices(result)
        case Trend():
            return trend(result)
        case Gate():
            return gate(result)
        case Outcomes():
            return outcomes(result)
        case Thresholds():
            return roc(result)
        case MetricRanking():
            return worths(result)
        case DifferenceMap():
            return design(result, **choices)
        case Plan() | BudgetPlan():
            return power(result)
        case Assurance() | ManyPlan():
            return planned(result.design)
        case Estimates():
            return densities(result.systems)
        case Estimate():
            return densities({"system": result})
        case Mapping():
            return densities(result)
    raise InvalidInput.rule("result", "be one that has a chart", type(result).__name__)
