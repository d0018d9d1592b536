"""What stands in a log: JSON of any shape, of which nothing is taken for granted."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from tellapart.data import labels
from tellapart.data.files import printable
from tellapart.data.labels import Unknown

_SHOWN = 12  # letters of a hash


class Unreadable(ValueError):
    """A verdict that is neither a label nor a number."""


def at(value: Any, *keys: str) -> Any:  # noqa: ANN401 - any JSON
    """Return what stands under keys within keys, nothing where one is missing or the value is no object.

    Examples
    --------
    >>> at({"eval": {"model": "a"}}, "eval", "model"), at({"eval": []}, "eval", "model")
    ('a', None)
    """
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def mapping(value: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return an object, an empty one if the value is something else."""
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    """Return the objects in a list."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def words(value: Any) -> str:  # noqa: ANN401
    """Return a value as text: nothing is empty, objects and lists are JSON; half a surrogate pair is no text."""
    if value is None:
        return ""
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return str(value).encode("utf-8", "replace").decode()


def name(value: Any) -> str:  # noqa: ANN401
    """Return the name of a system, an item or a score, on one line."""
    return printable(labels.text(value) if isinstance(value, float) else words(value).strip())


def number(value: Any) -> float | None:  # noqa: ANN401
    """Return a verdict as a number, nothing where there is none: labels are 0 or 1, NaN is none.

    Examples
    --------
    >>> number(True), number("yes"), number("0.5"), number(float("nan"))
    (1.0, 1.0, 0.5, None)
    """
    if isinstance(value, dict | list):
        raise Unreadable
    for read in (labels.label, labels.score):
        found = read(value)
        if not isinstance(found, Unknown):
            return None if found is None else float(found)
    raise Unreadable


def digest(*parts: Any) -> str:  # noqa: ANN401
    """Return a short hash of values."""
    return hashlib.sha256(words(list(parts)).encode()).hexdigest()[:_SHOWN]
