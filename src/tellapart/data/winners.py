"""What people and judges write for win, tie and loss, and which columns hold it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tellapart.data import labels
from tellapart.data.choose import LIKE_A_METRIC

if TYPE_CHECKING:
    from collections.abc import Iterable

_WIN = frozenset({"a", "win", "wins", "won", "first", "left", "model_a", "system_a", "model_1", "system_1", ">"})
_LOSS = frozenset({"b", "loss", "lose", "lost", "second", "right", "model_b", "system_b", "model_2", "system_2", "<"})
_TIE = frozenset({
    "tie", "ties", "tied", "c", "draw", "equal", "same", "both", "neither", "=",
    "tie_inconsistent", "tie_bothbad", "bothbad", "both_bad",
})  # fmt: skip
KNOWN = "win, tie or loss of the first, or a, b, tie; an empty cell is not rated"
LOSS, TIE, WIN = range(3)


def holds_outcomes(column: str, rows: Iterable[tuple[Any, Any, Any]]) -> bool:
    """Whether a column holds outcomes, by the two systems and the cell of each row.

    Bare numbers and names of winners are outcomes only where the column's name says so. One name alone, or that of a
    system which is not of the pair, may be the judge's own.
    """
    cells = [({str(a).strip(), str(b).strip()}, cell) for a, b, cell in rows if not labels.missing(cell)]
    there = {cell for _, cell in cells}
    known = {*spelled(column, there)}
    numbers = all(not isinstance(labels.score(value), labels.Unknown) for value in there)
    named = column.strip().lower() == "preference" or LIKE_A_METRIC.search(column.lower()) is not None
    systems = {side for both, _ in cells for side in both}
    names = [(both, cell) for both, cell in cells if str(cell).strip() in systems]
    if named and len(there) > 1 and all(str(cell).strip() in both for both, cell in names):
        known |= {cell for _, cell in names}
    return 2 * len(known) > len(there) and (named or not numbers)


def spelled(column: str, values: Iterable[Any]) -> dict[Any, int]:
    """Return which outcome each value of a column stands for; those that stand for none are left out.

    Examples
    --------
    >>> spelled("human", ["A", "tie (bothbad)", "[[B]]", "?"]), spelled("preference", [1.5, 2.0])
    ({'A': 2, 'tie (bothbad)': 1, '[[B]]': 0}, {1.5: 1, 2.0: 0})
    """
    words, found = {value: plain(value) for value in values}, {}
    numbers = {"1", "0", "-1"} if "-1" in words.values() else {"1", "2", "0"} if "2" in words.values() else set()
    scale = dict.fromkeys(("2", "-1"), LOSS) | {"0": TIE, "1": WIN}
    numeric = {word: scale[word] for word in numbers or ({"1"} if "0" not in words.values() else ())}
    if column.strip().lower() == "preference":
        numeric = {"1": WIN, "1.5": TIE, "0": TIE, "2": LOSS}
    for value, word in words.items():
        for outcome, spellings in ((LOSS, _LOSS), (TIE, _TIE), (WIN, _WIN)):
            if word in spellings or numeric.get(word) == outcome:
                found[value] = outcome
    return found


def plain(value: object) -> str:
    """Write a cell in small letters, with underscores for brackets and blanks."""
    number = labels.score(value)
    word = labels.text(number if isinstance(number, float) else value).lower()
    return re.sub(r"[ ()\[\]]+", "_", word).strip("_")
