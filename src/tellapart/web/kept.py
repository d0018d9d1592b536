"""What a worker remembers: the last comparisons, for minutes, so that verdict, charts and report compute once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 4  # comparisons
_kept: dict[str, tuple[float, Any]] = {}  # when it ends, and what it is; the oldest first
T = TypeVar("T")


def remembered(key: str, minutes: float, compute: Callable[[], T]) -> T:
    """Return what was computed under a key in the last minutes, or compute it."""
    forget()
    if not key or not minutes:
        return compute()
    if key not in _kept:
        _kept[key] = time.monotonic() + 60 * minutes, compute()
        for oldest in list(_kept)[:-MOST]:
            del _kept[oldest]
    found: T = _kept[key][1]
    return found


def forget() -> None:
    """Forget what is old."""
    for key in [key for key, (end, _) in _kept.items() if end <= time.monotonic()]:
        del _kept[key]
