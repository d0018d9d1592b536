"""What people type: tallies, confusion counts, sizes and priors."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, Literal

from tellapart.core.counts import Confusion, Tally, fraction, whole
from tellapart.core.evidence import Evidence, Sampling
from tellapart.core.prior import Prior
from tellapart.errors import InvalidInput

_SUFFIX = {"": 1, "k": 10**3, "m": 10**6}
_SIZE = re.compile(r"(\d{1,400}(?:\.\d{1,400})?)([km]?)", re.IGNORECASE | re.ASCII)
_COUNTS = re.compile(r"[\d\s.km]*/[\d\s.km]*|.*=.*", re.IGNORECASE | re.ASCII)  # or what is meant as such


def size(text: str, where: str) -> int:
    """Read a count such as 1000, 1k or 2.5M."""
    match = _SIZE.fullmatch(text.strip())
    value = Fraction(match[1]) * _SUFFIX[match[2].lower()] if match else Fraction(1, 2)
    if value.denominator != 1:
        raise InvalidInput.rule(where, "be a whole number", text, "for example 1000, 1k or 2.5M")
    return whole(where, value.numerator)


def span(text: str, where: str) -> tuple[float, float]:
    """Read a number such as .6, or a range such as .5...7; a number is a range without width."""
    low, dots, high = text.partition("..")
    try:
        ends = float(low), float(high) if dots else float(low)
    except ValueError:
        hint = "for example .6, or .5..0.7 if it may lie anywhere between"
        raise InvalidInput.rule(where, "be a number, or a range from..to", text, hint) from None
    if ends[0] > ends[1]:
        raise InvalidInput.rule(where, "run from low to high", text, f"did you mean {high}..{low}?")
    return fraction(where, ends[0]), fraction(where, ends[1])


def axis(text: str, where: str) -> tuple[str, tuple[float, ...]]:
    """Read an axis such as n_human=0,100,1k or accuracy=.6,.7,.8."""
    name, equals, values = text.partition("=")
    name = name.strip().replace("-", "_")
    if not equals or not values.strip():
        raise InvalidInput.rule(where, "be a name and its values", text, "for example n_human=0,100,1k")
    if name.startswith("n_"):
        return name, tuple(sizes(values, where))
    try:
        return name, tuple(float(value) for value in values.split(","))
    except ValueError:
        raise InvalidInput.rule(where, "hold numbers", text, "for example accuracy=.6,.7,.8") from None


def sizes(text: str, where: str) -> list[int]:
    """Read a list of counts such as 0,100,1k."""
    return [size(part, where) for part in text.split(",")]


def tally(text: str, where: str) -> Tally:
    """Read a tally such as 60/100."""
    parts = text.split("/")
    if len(parts) != 2 or not all(_SIZE.fullmatch(part.strip()) for part in parts):  # noqa: PLR2004 - positive, total
        raise InvalidInput.rule(where, "be two whole numbers, positive/total", text, "for example 60/100")
    positive, total = (size(part, where) for part in parts)
    if positive > total:
        raise InvalidInput.rule(
            where, "not count more positive than in total", text, f"did you mean {total}/{positive}?"
        )
    return Tally(positive, total)


def confusion(text: str, where: str) -> Confusion:
    """Read confusion counts such as tp=42,fn=18,tn=28,fp=12."""
    found: dict[str, int] = {}
    hint = "for example tp=42,fn=18,tn=28,fp=12"
    for part in text.split(","):
        name, equals, value = part.partition("=")
        name = name.strip().lower()
        if not equals or name not in ("tp", "fn", "tn", "fp") or name in found:
            raise InvalidInput.rule(where, "hold tp, fn, tn and fp once each", text, hint)
        found[name] = size(value, f"{where} {name}")
    if len(found) != 4:  # noqa: PLR2004 - tp, fn, tn, fp
        missing = ", ".join(name for name in ("tp", "fn", "tn", "fp") if name not in found)
        raise InvalidInput.rule(where, f"hold {missing} too", text, hint)
    return Confusion(**found)


def system(text: str, sampling: Sampling) -> tuple[str, Evidence]:
    """Read a system such as A:60/100:tp=42,fn=18,tn=28,fp=12:540/1000; calibration and metric may be left out.

    Names may hold colons, as llama3:8b does, but not what looks like counts between them.
    """
    pieces = text.split(":")
    number = 3 if len(pieces) > 3 and "=" in pieces[-2] else 1  # noqa: PLR2004 - a name, and three kinds of counts
    names, parts = pieces[:-number], pieces[-number:]
    name, counted = ":".join(names), any(not piece.strip() or _COUNTS.fullmatch(piece) for piece in names[1:])
    hint = "NAME:HUMAN[:CALIBRATION:METRIC], for example A:60/100:tp=42,fn=18,tn=28,fp=12:540/1000"
    if not name.strip() or not name.isprintable() or counted:
        raise InvalidInput.rule("--counts", "be a name and its counts", text, hint)
    human = tally(parts[0], "--counts human") if parts[0] else Tally(0, 0)
    judged: dict[str, Any] = {}
    if len(parts) > 1:
        metric, calibration = tally(parts[2], "--counts metric"), confusion(parts[1], "--counts calibration")
        judged = {"metric": metric, "calibration": calibration}
    evidence = Evidence.of(human, sampling=sampling, **judged)
    if not evidence.rated:
        raise InvalidInput.rule("--counts", "hold at least one rating of each system", text, hint)
    return name.strip(), evidence


def levels(text: str | None) -> int | Literal["auto"] | None:
    """Read into how many levels a score is divided: a number, or auto."""
    if text is None:
        return None
    if text == "auto":
        return "auto"
    if not text.strip().isdecimal():
        raise InvalidInput.rule("--levels", "be auto or a whole number", text, "for example 5")
    return int(text)


def prior(text: str) -> Prior:
    """Read a prior: uniform, jeffreys, or two numbers such as 2,8."""
    if "," not in text:
        return Prior.of(text)
    try:
        pair = [float(part) for part in text.split(",")]
    except ValueError:
        raise InvalidInput.rule(
            "--prior", "be a name or two numbers", text, "uniform, jeffreys, or for example 2,8"
        ) from None
    return Prior.of(pair)
