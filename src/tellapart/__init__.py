"""Can these systems be told apart?

Exact Bayesian answers for people who evaluate text generation with a few human ratings and many ratings of an automatic
metric or LLM judge that errs.

>>> import tellapart as ta
>>> print(ta.estimate(human=(60, 100)))
The system's rate of adequate outputs is 59.8%, between 50.3% and 69.2% with 95 % probability (60/100 by human ratings).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tellapart._version import __version__

if TYPE_CHECKING:
    from tellapart.analysis.assurance import Assurance, assurance
    from tellapart.analysis.budget import BudgetPlan, Costs, cheapest, split_budget
    from tellapart.analysis.comparison import Comparison, Pair, compare
    from tellapart.analysis.design import (
        Design,
        MeasurableDifference,
        large_sample_difference,
        measurable_difference,
        worth,
    )
    from tellapart.analysis.diagnostics import Caution
    from tellapart.analysis.estimation import Estimate, estimate
    from tellapart.analysis.homogeneity import Homogeneity, homogeneity
    from tellapart.analysis.maps import Axis, DifferenceMap, difference_map
    from tellapart.analysis.needed import Needed
    from tellapart.analysis.planning import Plan, plan
    from tellapart.analysis.ranking import Standing
    from tellapart.analysis.simulation import SimulatedPower, simulate_power
    from tellapart.analysis.threshold import Cut, Scores, Threshold, Thresholds
    from tellapart.core.density import Density
    from tellapart.core.difference import Difference
    from tellapart.core.evidence import Confusion, Evidence, Levels, Metric, Prior, Rates, Tally
    from tellapart.core.intervals import Interval
    from tellapart.core.posterior import posterior
    from tellapart.core.shared import SharedDifference, SharedRates
    from tellapart.data.counts import read_counts
    from tellapart.data.ratings import Ratings, read_ratings, threshold
    from tellapart.errors import DataError, InvalidInput, MissingExtra, TellapartError, UselessMetric

__all__ = [
    "Assurance",
    "Axis",
    "BudgetPlan",
    "Caution",
    "Comparison",
    "Confusion",
    "Costs",
    "Cut",
    "DataError",
    "Density",
    "Design",
    "Difference",
    "DifferenceMap",
    "Estimate",
    "Evidence",
    "Homogeneity",
    "Interval",
    "InvalidInput",
    "Levels",
    "MeasurableDifference",
    "Metric",
    "MissingExtra",
    "Needed",
    "Pair",
    "Plan",
    "Prior",
    "Rates",
    "Ratings",
    "Scores",
    "SharedDifference",
    "SharedRates",
    "SimulatedPower",
    "Standing",
    "Tally",
    "TellapartError",
    "Threshold",
    "Thresholds",
    "UselessMetric",
    "__version__",
    "assurance",
    "cheapest",
    "compare",
    "difference_map",
    "estimate",
    "homogeneity",
    "large_sample_difference",
    "measurable_difference",
    "plan",
    "posterior",
    "read_counts",
    "read_ratings",
    "simulate_power",
    "split_budget",
    "threshold",
    "worth",
]

# Where each name lives. A name is imported when it is first used, so that `tellapart --help` does not wait for numpy.
_HOME = {
    "Assurance": "tellapart.analysis.assurance",
    "Axis": "tellapart.analysis.maps",
    "BudgetPlan": "tellapart.analysis.budget",
    "Caution": "tellapart.analysis.diagnostics",
    "Comparison": "tellapart.analysis.comparison",
    "Confusion": "tellapart.core.evidence",
    "Costs": "tellapart.analysis.budget",
    "Cut": "tellapart.analysis.threshold",
    "DataError": "tellapart.errors",
    "Density": "tellapart.core.density",
    "Design": "tellapart.analysis.design",
    "Difference": "tellapart.core.difference",
    "DifferenceMap": "tellapart.analysis.maps",
    "Estimate": "tellapart.analysis.estimation",
    "Evidence": "tellapart.core.evidence",
    "Homogeneity": "tellapart.analysis.homogeneity",
    "Interval": "tellapart.core.intervals",
    "InvalidInput": "tellapart.errors",
    "Levels": "tellapart.core.evidence",
    "MeasurableDifference": "tellapart.analysis.design",
    "Metric": "tellapart.core.evidence",
    "MissingExtra": "tellapart.errors",
    "Needed": "tellapart.analysis.needed",
    "Pair": "tellapart.analysis.comparison",
    "Plan": "tellapart.analysis.planning",
    "Prior": "tellapart.core.evidence",
    "Rates": "tellapart.core.evidence",
    "Ratings": "tellapart.data.ratings",
    "Scores": "tellapart.analysis.threshold",
    "SharedDifference": "tellapart.core.shared",
    "SharedRates": "tellapart.core.shared",
    "SimulatedPower": "tellapart.analysis.simulation",
    "Standing": "tellapart.analysis.ranking",
    "Tally": "tellapart.core.evidence",
    "TellapartError": "tellapart.errors",
    "Threshold": "tellapart.analysis.threshold",
    "Thresholds": "tellapart.analysis.threshold",
    "UselessMetric": "tellapart.errors",
    "assurance": "tellapart.analysis.assurance",
    "cheapest": "tellapart.analysis.budget",
    "compare": "tellapart.analysis.comparison",
    "difference_map": "tellapart.analysis.maps",
    "estimate": "tellapart.analysis.estimation",
    "homogeneity": "tellapart.analysis.homogeneity",
    "large_sample_difference": "tellapart.analysis.design",
    "measurable_difference": "tellapart.analysis.design",
    "plan": "tellapart.analysis.planning",
    "posterior": "tellapart.core.posterior",
    "read_counts": "tellapart.data.counts",
    "read_ratings": "tellapart.data.ratings",
    "simulate_power": "tellapart.analysis.simulation",
    "split_budget": "tellapart.analysis.budget",
    "threshold": "tellapart.data.ratings",
    "worth": "tellapart.analysis.design",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any public thing
    if name not in _HOME:
        message = f"module 'tellapart' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
