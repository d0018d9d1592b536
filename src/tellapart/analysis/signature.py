"""What makes numbers reproducible: all counts and settings, and one short line that stands for them."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from tellapart._version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tellapart.core.prior import Prior

RULES: Mapping[str, str] = {
    "holm": "for all pairs together (Holm)",
    "none": "pair by pair",
}
_SHORT: Mapping[str, str] = {"holm": "Holm", "none": "pair by pair"}
_DIGITS = 8


def signed(provenance: str, *settings: str) -> str:
    """Return the version, some settings, and a short hash of all settings and counts.

    Examples
    --------
    >>> signed("human 1/2 | prior uniform", "level 0.95").endswith(" | level 0.95 | d5bb2c47")
    True
    """
    found = sha256(provenance.encode()).hexdigest()[:_DIGITS]
    return " | ".join((f"tellapart {__version__}", *filter(None, settings), found))


def level_of(confidence_level: float, rule: str, kind: str) -> str:
    """Name the level of verdicts, their correction, and the kind of intervals if it is not the usual one."""
    return ", ".join((f"level {confidence_level:g}", _SHORT[rule], *([] if kind == "highest-density" else [kind])))


def unusual(sampling: str, prior: Prior) -> tuple[str, ...]:
    """Name the sampling and the prior where they are not the usual ones."""
    return (
        "" if sampling == "random" else f"sampling {sampling}",
        "" if prior.name == "uniform" else f"prior {prior}",
    )


def basis_in_short(borrow: str, *, items: bool) -> str:
    """Name what the verdicts take the systems to have in common."""
    same = "item by item where rated on the same" if items else "items of their own"
    return f"{same}, {_IN_SHORT[borrow]}" if borrow in _IN_SHORT else _ALONE[borrow]


_IN_SHORT = {
    "items": "separate rates",
    "rates": "partially pooled rates",
    "link": "line in the metric's averages, t4 effects",
}
_ALONE = {"none": "separate rates, systems independent", "shared": "shared rates"}
