"""Does the metric treat the systems alike? A test of equal rates over calibration counts."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.special import betaln, chdtrc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tellapart.core.counts import Confusion


@dataclass(frozen=True)
class Homogeneity:
    """Probabilities of calibration counts as different as these if the metric had the same rates for every system.

    `p_value` is for both rates together (twice the smaller one). Two systems are tested exactly (Fisher), more by χ².
    """

    tpr_p_value: float
    tnr_p_value: float

    @property
    def p_value(self) -> float:
        """Both rates together."""
        return min(1.0, 2 * min(self.tpr_p_value, self.tnr_p_value))

    def __str__(self) -> str:
        """Say what the number means."""
        if self.p_value < 0.05:  # noqa: PLR2004 - convention
            return f"The metric's error rates differ by system (p = {self.p_value:.2g}): do not rely on shared rates."
        return (
            f"Whether the metric's error rates differ by system is not known: the calibration does not show it "
            f"(p = {self.p_value:.2g}), which does not mean that they are alike."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {**asdict(self), "p_value": self.p_value, "summary": str(self)}


def homogeneity(calibrations: Sequence[Confusion]) -> Homogeneity:
    """Test whether a metric has the same tpr and the same tnr for all systems.

    Examples
    --------
    >>> from tellapart import Confusion
    >>> test = homogeneity([Confusion(tp=40, fn=10, tn=30, fp=20), Confusion(tp=20, fn=30, tn=31, fp=19)])
    >>> test.tpr_p_value < 0.001, round(test.tnr_p_value, 2)
    (True, 1.0)
    """
    return Homogeneity(
        equal_shares([(c.tp, c.fn) for c in calibrations]),
        equal_shares([(c.tn, c.fp) for c in calibrations]),
    )


_MOST_TABLES = 10**6  # of the exact test; with more, χ² is as good


def equal_shares(table: Sequence[tuple[int, int]]) -> float:
    """P-value of equal shares in the rows of a table with two columns."""
    rows = np.array([row for row in table if sum(row)], dtype=float)
    if len(rows) < 2 or (rows.sum(axis=0) == 0).any():  # noqa: PLR2004 - nothing to compare
        return 1.0
    if len(rows) == 2 and rows.sum(axis=0).min() <= _MOST_TABLES:  # noqa: PLR2004 - exact
        return _fisher(rows)
    expected = rows.sum(axis=1, keepdims=True) * rows.sum(axis=0) / rows.sum()
    return float(chdtrc(len(rows) - 1, ((rows - expected) ** 2 / expected).sum()))


def _fisher(table: npt.NDArray[np.float64]) -> float:
    """Two-sided exact test: all tables with the same margins that are no more probable than this one."""
    (first, second), total = table.sum(axis=1), table[:, 0].sum()
    x = np.arange(max(0.0, total - second), min(first, total) + 1)
    log_probability = _log_choose(first, x) + _log_choose(second, total - x) - _log_choose(first + second, total)
    seen = log_probability[int(table[0, 0] - x[0])]
    return float(min(1.0, np.exp(log_probability[log_probability <= seen + 1e-7]).sum()))


def _log_choose(n: Any, k: Any) -> Any:  # noqa: ANN401 - numbers and arrays alike
    return -np.log1p(n) - betaln(n - k + 1, k + 1)
