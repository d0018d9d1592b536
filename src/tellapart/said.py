"""Sentences that name an option of the program: whoever shows one spells the option its own way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Callable


class Option(NamedTuple):
    """An option by its name in Python, and the value to give it, where that is known."""

    name: str
    value: str | float | None = None

    @property
    def typed(self) -> str:
        """The value as it is typed; nothing where it is not known."""
        return self.value or "" if isinstance(self.value, str | None) else repr(self.value).removesuffix(".0")

    def __str__(self) -> str:
        """Spell it as in Python, where only words are quoted."""
        return f'{self.name}="{self.value}"' if isinstance(self.value, str) else f"{self.name}={self.typed}"


class Said(str):
    """Words with options in them: a string that spells them as in Python, and the pieces to spell them otherwise."""

    __slots__ = ("pieces",)
    pieces: tuple[str | Option, ...]

    def __new__(cls, *parts: str | Option) -> Self:
        """Join the parts, among them perhaps sentences with options of their own."""
        found = super().__new__(cls, "".join(map(str, parts)))
        found.pieces = tuple(piece for part in parts for piece in (part.pieces if isinstance(part, Said) else (part,)))
        return found

    def to_list(self) -> list[dict[str, Any]]:
        """Return the pieces, JSON-safe."""
        named = ((str(p), p if isinstance(p, Option) else Option("", "")) for p in self.pieces)
        return [{"text": text, "name": p.name, "value": None if p.value is None else p.typed} for text, p in named]


def spelled(text: str, spell: Callable[[Option], str]) -> str:
    """Write words with their options spelled this way; plain ones are what they are."""
    return "".join(spell(p) if isinstance(p, Option) else p for p in text.pieces) if isinstance(text, Said) else text
