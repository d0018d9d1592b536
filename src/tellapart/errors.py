"""Everything tellapart raises on purpose.

TellapartError
├── InvalidInput (ValueError)      a value breaks a rule; says where, which rule, the value and a hint
│   ├── UselessMetric              known rates with tpr + tnr = 1: the ratings carry no information
│   └── DataError                  the value stands in a file; says the line and the column too
└── MissingExtra (ImportError)     an optional package is not installed; says what to install
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from tellapart.said import Said

if TYPE_CHECKING:
    from tellapart.said import Option

_GIVEN = "be given"


class TellapartError(Exception):
    """Base of every error that tellapart raises on purpose."""


class InvalidInput(TellapartError, ValueError):
    """A value that breaks a rule; `field`, `broken` and `hint` are the parts of its message, where it has them."""

    field: str = ""
    broken: str = ""
    hint: str = ""

    @classmethod
    def rule(cls, where: str, rule: str, value: object, hint: str = "") -> Self:
        """Build the one-line message: where, the rule, the value, a hint."""
        said = f"must {rule}, got {_shown(value)}"
        if value is None and rule.startswith(_GIVEN):
            also = rule.removeprefix(_GIVEN).lstrip(" ,")
            said = f"is missing: it must be given {also}" if also else "is missing"
        error = cls(Said(f"`{where}` {said}.", *((" Hint: ", hint) if hint else ())))
        error.field, error.broken, error.hint = where, rule, hint
        return error

    @classmethod
    def lacking(cls, where: str, value: object, needs: str, hint: str = "") -> Self:
        """Build the one-line message where a value is allowed, but not here: what it needs, and what there is."""
        error = cls(f"`{where}` {value} needs {needs}." + (f" Hint: {hint}" if hint else ""))
        error.field, error.broken, error.hint = where, f"have what {value} needs: {needs}", hint
        return error

    @classmethod
    def unused(cls, option: Option, value: object, where: str, hint: str) -> Self:
        """Build the one-line message where a choice can have no effect; that a switch is on need not be said."""
        rule = f"be left out {where}"
        got = "" if isinstance(value, bool) else f", got {_shown(value)}"
        error = cls(Said("`", option, f"` must {rule}{got}. Hint: ", hint))
        error.field, error.broken, error.hint = option.name, rule, hint
        return error


class UselessMetric(InvalidInput):
    """Known rates with tpr + tnr = 1: such ratings say nothing about the system."""


class DataError(InvalidInput):
    """A bad value in a file or on standard input."""

    @classmethod
    def at(cls, where: str, error: InvalidInput) -> Self:
        """Say where in a file the value stands that broke a rule."""
        return cls(Said(f"{where}: ", *error.args))


class MissingExtra(TellapartError, ImportError):
    """An optional package is not installed."""

    @classmethod
    def need(cls, what: str, extra: str) -> Self:
        """Say what needs the extra and how to get it."""
        return cls(f"{what} needs the `{extra}` extra. Hint: pip install 'tellapart[{extra}]'")


def _shown(value: object) -> str:
    shown = repr(value).replace("\n", " ")  # of frames, for instance
    if len(shown) <= 80:  # noqa: PLR2004 - one terminal line
        return shown
    return f"{shown[:76]}...{shown[-1]}"  # which closes what the first letter opened
