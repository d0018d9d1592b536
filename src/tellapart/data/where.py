"""Which rows are read: comparisons of columns with values, such as language == 'de' and year >= 2020."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import and_, ge, gt, le, lt, or_
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import polars as pl

from tellapart.data.files import printable
from tellapart.data.source import ticked
from tellapart.errors import DataError, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tellapart.data.frames import Frame

_EXAMPLE = "for example language == 'de' and year >= 2020"
_TICKED = re.compile(r"`([^`]+)`")
_LONGEST = 2_000  # letters of a condition
_ORDERS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {ast.Lt: lt, ast.LtE: le, ast.Gt: gt, ast.GtE: ge}
_TURNED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}


@dataclass(frozen=True)
class Kept:
    """The condition, and how many of how many rows fulfil it."""

    text: str
    rows: int
    total: int

    def __str__(self) -> str:
        """Say so."""
        return f"Kept {self.rows:,} of {self.total:,} rows, those where {self.text}."


def kept(frame: Frame, text: str | None) -> Frame:
    """Return the rows of a table that fulfil a condition; empty cells equal nothing but ''."""
    if text is None:
        return frame
    found = _Condition(frame, text)
    flag = f"{frame.inner}kept"
    table = found.table.with_columns(found.expression.alias(flag))
    chosen = table.filter(nw.col(flag)).select(*frame.columns)
    source = None if frame.source is None else replace(frame.source, frame=table.to_native(), only=pl.col(flag))
    result = replace(frame, table=chosen, source=source)
    (((rows,),), ((total,),)) = frame.collect([chosen.select(nw.len()), frame.table.select(nw.len())])
    if not rows:
        raise DataError(f"{frame.name}: none of its {total:,} rows meets {printable(text)}. Hint: look at its values")
    return replace(result, kept=Kept(printable(" ".join(text.split())), int(rows), int(total)))


@dataclass
class _Condition:
    """A condition as an expression; text of files that is compared with numbers is read in columns of its own."""

    frame: Frame
    text: str
    table: Any = None  # a lazy table
    expression: Any = None
    names: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read the text."""
        self.table = self.frame.table
        if not isinstance(self.text, str):
            raise self._wrong("be a text", self.text, _EXAMPLE)
        plain = _TICKED.sub(self._named, self.text.strip())
        try:
            tree = ast.parse(plain[:_LONGEST], mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise self._wrong("be comparisons of a column with a value", self.text, _EXAMPLE) from None
        self.expression = self._read(tree)

    def _named(self, found: re.Match[str]) -> str:
        name = f"ticked_{len(self.names)}_"
        self.names[name] = found[1]
        return name

    @staticmethod
    def _wrong(rule: str, what: object, hint: str) -> InvalidInput:
        return InvalidInput.rule("where", rule, what, hint)

    def _shown(self, node: ast.expr) -> str:
        said = ast.unparse(node)
        for name, column in self.names.items():
            said = said.replace(name, f"`{column}`")
        return said

    def _read(self, node: ast.expr) -> Any:  # noqa: ANN401 - an expression
        match node:
            case ast.BoolOp():
                return reduce(and_ if isinstance(node.op, ast.And) else or_, map(self._read, node.values))
            case ast.UnaryOp(op=ast.Not()):
                return ~self._read(node.operand)
            case ast.Compare():
                sides = [node.left, *node.comparators]
                return reduce(and_, map(self._compare, sides[:-1], node.ops, sides[1:]))
        hint = f"join comparisons with and, or, not; {_EXAMPLE}"
        raise self._wrong("be comparisons of a column with a value", self._shown(node), hint)

    def _compare(self, left: ast.expr, sign: ast.cmpop, right: ast.expr) -> Any:  # noqa: ANN401 - an expression
        if not isinstance(left, ast.Name):
            if not isinstance(right, ast.Name) or isinstance(sign, ast.In | ast.NotIn):
                raise self._wrong("compare a column with a value", self._shown(left), _EXAMPLE)
            left, right, sign = right, left, _TURNED.get(type(sign), type(sign))()
        column = self._column(left)
        if isinstance(sign, ast.In | ast.NotIn):
            if not isinstance(right, ast.List | ast.Tuple | ast.Set) or not right.elts:
                raise self._wrong(
                    "name the values after in", self._shown(right), "for example language in ('de', 'fr')"
                )
            among = reduce(or_, (self._equals(column, self._value(one)) for one in right.elts))
            return among if isinstance(sign, ast.In) else ~among
        value = self._value(right)
        if isinstance(sign, ast.Eq | ast.NotEq):
            equal = self._equals(column, value)
            return equal if isinstance(sign, ast.Eq) else ~equal
        if type(sign) not in _ORDERS:
            raise self._wrong("use ==, !=, <, <=, >, >= or in", self.text, _EXAMPLE)
        if isinstance(value, bool):
            raise self._wrong("compare true and false with == or !=", self._shown(right), _EXAMPLE)
        there, cell = self._cell(column, value)
        return there & _ORDERS[type(sign)](cell, value)

    def _column(self, node: ast.Name) -> str:
        name = self.names.get(node.id, node.id)
        if name not in self.frame.columns:
            columns = printable(", ".join(self.frame.columns))[:200]
            said = f"{self.frame.name}: no column {ticked(name)} for where; the columns are {columns}"
            raise DataError(
                f"{said}. Hint: put words in quotes ('de'), and names with spaces in backticks (`my column`)"
            )
        self.frame.check_plain([name])
        return name

    def _value(self, node: ast.expr) -> str | float | bool:
        sign = 1
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            sign, node = -1 if isinstance(node.op, ast.USub) else 1, node.operand
        if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float):
            return sign * node.value if sign == -1 and not isinstance(node.value, str) else node.value
        what = "a word in quotes, a number, True or False"
        raise self._wrong(f"compare with {what}", self._shown(node), f"put words in quotes; {_EXAMPLE}")

    def _equals(self, column: str, value: str | float | bool) -> Any:  # noqa: ANN401, FBT001 - an expression
        if isinstance(value, str) and not value:
            return ~self.frame.present(column)
        if isinstance(value, bool) and self.frame.dtypes[column] == nw.String:
            word = str(value).lower()
            return self.frame.present(column) & (self.frame.plain(column).str.to_lowercase() == word)
        there, cell = self._cell(column, value)
        return there & (cell == value)

    def _cell(self, column: str, value: str | float | bool) -> tuple[Any, Any]:  # noqa: FBT001
        """Return whether a cell can be compared with a value of this kind, and the cell."""
        frame, kind = self.frame, self.frame.dtypes[column]
        there = frame.present(column)
        if isinstance(value, str) == frame.is_text(column):
            return there, frame.plain(column)
        if isinstance(value, str):
            if kind.is_temporal():
                return there, nw.col(column).cast(nw.String)
            raise self._wrong(f"compare {ticked(column)}, which holds numbers, with a number", value, "without quotes")
        if frame.source is None:
            raise self._wrong(f"compare {ticked(column)}, which holds text, with a word", value, f"'{value}' in quotes")
        name = f"{frame.inner}number_{column}"
        number = pl.col(column).cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
        self.table = nw.from_native(self.table.to_native().with_columns(number.alias(name)))
        return ~nw.col(name).is_null(), nw.col(name)


def sentences(found: Kept | None) -> Sequence[str]:
    """Say which rows were kept, if not all."""
    return () if found is None else (str(found),)
