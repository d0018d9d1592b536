"""Choices that can have no effect on what is given: they are refused, not ignored."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from tellapart.errors import InvalidInput
from tellapart.said import Option

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

# What each choice of how ratings are read is if nobody makes it.
USUAL: Mapping[str, Any] = {
    "kind": None, "labels": None, "by": None, "where": None, "system": None, "item": None, "human": None,
    "metric": None, "annotator": None, "cluster": None, "fingerprint": None, "votes": "majority", "human_cut": None,
    "threshold": None, "levels": None, "fuse": "joint", "bad_cells": "error", "paired": True,
}  # fmt: skip
ONE_BY_ONE = "it is for ratings, one row for each output"


def refuse_unused(
    choices: Mapping[str, Any],
    where: str = "where counts are given",
    hint: str = "it is for ratings in a file",
    *,
    used: Collection[str] = (),
) -> None:
    """Refuse the first choice that was made and is not used; `where` says why it is not."""
    for name, value in choices.items():
        if name in USUAL and name not in used and value not in (USUAL[name], None, (), []):
            option, made = _made(name, value)
            raise InvalidInput.unused(Option(option), made, where, hint)


def _made(name: str, value: Any) -> tuple[str, Any]:  # noqa: ANN401 - of any choice
    """Return a choice as it was made; a rule for cuts may have been asked for its folds alone."""
    if isinstance(value, list | tuple):
        return name, ", ".join(map(str, value))
    if not is_dataclass(value):
        return name, value
    made = next((each.name for each in fields(value) if getattr(value, each.name) != each.default), "rule")
    return name if made == "rule" else made, getattr(value, made)
