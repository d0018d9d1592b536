"""Assertions for test suites: is the new version worse?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from tellapart.data.versions import gate
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from tellapart.analysis.gate import Gate

Undecided = Literal["fail", "skip", "pass"]


def assert_not_worse(
    candidate: Any,  # noqa: ANN401 - a path, several, or any data frame
    baseline: Any,  # noqa: ANN401 - the same
    *,
    margin: float = 0.0,
    undecided: Undecided = "fail",
    **choices: Any,  # noqa: ANN401 - those of `gate`
) -> Gate:
    """Fail a test if a candidate is worse than its baseline by more than a margin.

    Parameters
    ----------
    candidate, baseline, margin
        As for `gate`.
    undecided : {"fail", "skip", "pass"}
        What happens where it cannot be told yet: the test fails, is skipped (with pytest), or passes.
    **choices
        Those of `gate`.

    Returns
    -------
    Gate

    Raises
    ------
    AssertionError
        With the numbers, and with what would decide.

    Examples
    --------
    >>> import polars as pl
    >>> main = pl.DataFrame({"item": range(400), "human": [1, 1, 1, 0] * 100})
    >>> assert_not_worse(main.with_columns(human=pl.lit(1)), main, margin=0.02).decision
    'pass'
    """
    if undecided not in {"fail", "skip", "pass"}:
        raise InvalidInput.rule("undecided", "be fail, skip or pass", undecided)
    result = gate(candidate, baseline=baseline, margin=margin, **choices)
    if result.decision == "fail" or (result.decision == "cannot tell yet" and undecided == "fail"):
        raise AssertionError(str(result))
    if result.decision == "cannot tell yet" and undecided == "skip":
        import pytest  # noqa: PLC0415 - only where a test suite asks for it

        pytest.skip(str(result))
    return result
