"""What raters write: labels, and the rules that make one rating of several votes."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

Votes = Literal["majority", "all", "any", "mean"]
VOTES: tuple[str, ...] = get_args(Votes)

YES = frozenset({"1", "true", "t", "yes", "y", "pass", "passed", "good", "correct", "right", "adequate", "positive"})
NO = frozenset({"0", "false", "f", "no", "n", "fail", "failed", "bad", "incorrect", "wrong", "inadequate", "negative"})
KNOWN = "0/1, true/false, yes/no, pass/fail; an empty cell is not rated"
_BLANK = ("", " ", "na", "n/a", "nan", "null", "none", "-", "?")
NOTHING = frozenset({spell(word) for word in _BLANK for spell in (str.lower, str.upper, str.title)} | {"NaN", "<NA>"})


_NOT_THERE = frozenset({"<NA>", "nan", "NaN", "NaT"})  # how engines write that there is nothing


# Numbers as some write them: 1,234,567.8 and 1.234.567,8; 0,85. One comma before three digits may be either, unless the
# rest of the column settles it.
THOUSANDS = r"^[+-]?[1-9]\d{0,2}((,\d{3}){2,}|(,\d{3})+\.\d+)$"
EUROPEAN = r"^[+-]?[1-9]\d{0,2}((\.\d{3}){2,}|(\.\d{3})+,\d+)$"
DECIMAL_COMMA = r"^[+-]?(0?,\d+|\d+,(\d{1,2}|\d{4,})|\d{4,},\d{3}|0\d*,\d{3})$"
AMBIGUOUS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3} ?%?", re.ASCII)


DECIMAL_POINT = r"^[+-]?\d*\.\d+ ?%?$"
ANY_COMMA = r"^[+-]?\d*,\d+$"  # where it is known that the comma is the decimal sign


class Unknown:
    """What is found where a value is neither a label nor a number."""


def text(value: object) -> str:
    """Return a value as it would stand in a file; whole numbers without a decimal point."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def missing(value: object) -> bool:
    """Whether a cell holds no rating."""
    return value is None or (isinstance(value, str) and value in NOTHING) or str(value) in _NOT_THERE


def label(value: object) -> int | Unknown | None:
    """Return 1 or 0, nothing where there is no rating."""
    if missing(value):
        return None
    word = text(value).lower()
    if word in YES or word in NO:
        return int(word in YES)
    number = score(value)
    return int(number) if isinstance(number, float) and number in {0.0, 1.0} else Unknown()


def score(value: object) -> float | Unknown | None:
    """Return a number, nothing where there is none; infinite ones count as none."""
    if missing(value):
        return None
    if isinstance(value, str) and ("_" in value or not value.isascii()):
        return Unknown()  # a number to Python, but to no engine
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = _respelled(value) if isinstance(value, str) else math.nan
        return Unknown() if math.isnan(number) else number
    return number if math.isfinite(number) else None


def _respelled(value: str) -> float:
    """Return a number that is written with a decimal comma, thousands separators or a per cent sign, or else NaN."""
    body = value.strip()
    percent = body.endswith("%")
    body = body.removesuffix("%").rstrip()
    if re.match(THOUSANDS, body, re.ASCII):
        body = body.replace(",", "")
    elif re.match(EUROPEAN, body, re.ASCII):
        body = body.replace(".", "").replace(",", ".")
    elif re.match(DECIMAL_COMMA, body, re.ASCII):
        body = body.replace(",", ".")
    try:
        number = float(body)
    except ValueError:
        return math.nan
    return (number / 100 if percent else number) if math.isfinite(number) else math.nan


def ambiguous(value: object) -> bool:
    """Whether the comma of a cell may be a decimal sign or separate thousands."""
    return isinstance(value, str) and AMBIGUOUS.fullmatch(value.strip()) is not None


def decimal_comma(values: Iterable[object]) -> bool:
    """Whether the other cells of a column settle that the comma is the decimal sign: some say so, none the opposite.

    Examples
    --------
    >>> decimal_comma(["0,534", "1,017", "3"]), decimal_comma(["1,017", "3"]), decimal_comma(["0,5", "0.5", "1,017"])
    (True, False, False)
    """
    cells = [value.strip().removesuffix("%").rstrip() for value in values if isinstance(value, str)]
    said, denied = (
        any(re.match(pattern, cell, re.ASCII) for cell in cells for pattern in patterns)
        for patterns in ((DECIMAL_COMMA, EUROPEAN), (THOUSANDS, DECIMAL_POINT))
    )
    return said and not denied


def decide(total: float, votes: int, rule: Votes, cut: float) -> int | None:
    """Make one rating of several votes, given their sum and number; nothing without votes, or where a majority is tied.

    Examples
    --------
    >>> decide(2, 3, "majority", 0.5), decide(1, 2, "majority", 0.5), decide(1, 2, "any", 0.5), decide(12, 3, "mean", 4)
    (1, None, 1, 1)
    """
    if not votes:
        return None
    if rule == "mean":
        return int(total / votes >= cut)
    if rule == "majority":
        return None if 2 * total == votes else int(2 * total > votes)
    return int(total == votes if rule == "all" else total > 0)
