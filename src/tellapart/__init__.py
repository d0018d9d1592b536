"""Can these systems be told apart?

Exact Bayesian answers for people who evaluate text generation with a few human ratings and many ratings of an automatic
metric or LLM judge that errs.

>>> import tellapart as ta
>>> print(ta.estimate(human=(60, 100)))
The system's rate of adequate outputs is 59.8%, between 50.2% and 69.1% with 95 % probability (60/100 by human ratings).
"""

from tellapart._version import __version__
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
from tellapart.core.density import Density, Difference, Interval
from tellapart.core.evidence import Confusion, Evidence, Levels, Metric, Prior, Rates, Tally
from tellapart.core.posterior import posterior
from tellapart.core.shared import SharedDifference, SharedRates
from tellapart.errors import DataError, InvalidInput, MissingExtra, TellapartError, UselessMetric

__all__ = [
    "Caution",
    "Comparison",
    "Confusion",
    "DataError",
    "Density",
    "Design",
    "Difference",
    "Estimate",
    "Evidence",
    "Homogeneity",
    "Interval",
    "InvalidInput",
    "Levels",
    "MeasurableDifference",
    "Metric",
    "MissingExtra",
    "Pair",
    "Prior",
    "Rates",
    "SharedDifference",
    "SharedRates",
    "Tally",
    "TellapartError",
    "UselessMetric",
    "__version__",
    "compare",
    "estimate",
    "homogeneity",
    "large_sample_difference",
    "measurable_difference",
    "posterior",
    "worth",
]
