"""From counted rows to groups of outputs: systems by name, votes made to one rating, verdicts read."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from tellapart.data import labels
from tellapart.data.cells import is_number, refusal
from tellapart.data.counting import number, verdict
from tellapart.data.files import LONGEST_SYSTEM, MOST_SYSTEMS
from tellapart.data.labels import Unknown, decide
from tellapart.data.source import ticked
from tellapart.errors import DataError
from tellapart.said import Option, Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tellapart.data.choose import Chosen, Rules
    from tellapart.data.frames import Frame, Row
    from tellapart.data.roles import Roles


_FEW_SYSTEMS = 50  # that a column of words may name


class Group(NamedTuple):
    """So many outputs of a system with the same truth (none, if people did not rate them) and the same metric cells."""

    system: str
    truth: float | None
    cells: tuple[Any, ...]
    n: int


class NotLabels(Exception):
    """A column, named by the argument, looked like labels and holds other numbers."""


def systems(frame: Frame, chosen: Chosen, totals: Sequence[Row]) -> dict[Any, str]:
    """Return the name for each value of the system column, and check that each item stands there once."""
    names, system = {}, chosen.roles.system
    if len(totals) > MOST_SYSTEMS:
        where, rule = f"{frame.name}, column {ticked(system)}", f"at most {MOST_SYSTEMS:,} are read"
        hint = Said("name the right column with ", Option("system"))
        raise DataError(Said(f"{where}: has {len(totals):,} systems, {rule}. Hint: ", hint))
    for cell, n, *items in totals:
        name = "" if cell is None else str(cell).strip()
        if not name:
            continue  # a blank line, or an error that `Grouping` tells
        if not name.isprintable():
            raise frame.bad(system, cell, "must not hold control characters", "plain names")
        if len(name) > LONGEST_SYSTEM:
            raise frame.bad(system, cell, f"must have at most {LONGEST_SYSTEM} letters", "short names")
        if items:
            check_items(frame, chosen.roles, nameless=items[1] < items[0], repeated=items[0] < n)
        names[cell] = name
    if not names:
        raise DataError(f"{frame.name}: has no rows. Hint: one row for each output")
    return names


def check_items(frame: Frame, roles: Roles, *, nameless: bool, repeated: bool) -> None:
    """Refuse outputs whose item has no name, and a second output for an item."""
    if nameless:
        raise frame.bad(
            str(roles.item), None, "must not be empty", "name the item of every output", beside=roles.system
        )
    if repeated:
        systems = _perhaps_systems(frame, roles) if frame.unnamed else None
        hint = (
            None
            if systems is None
            else Said(f"if {ticked(systems)} names the systems, say ", Option("system", systems))
        )
        keys = [str(roles.item)] if systems else [roles.system, str(roles.item)]
        raise frame.repeated(keys, hint=hint)


def _perhaps_systems(frame: Frame, roles: Roles) -> str | None:
    """Return a column of few words that tells apart the outputs for one item, if there is one."""
    others = [c for c in frame.columns if c not in roles.columns and frame.is_text(c) and frame.is_plain(c)]
    for column, values in frame.first_values(others).items():
        words = {str(value) for value, _ in values if not labels.missing(value)}
        few = 1 < len(words) <= _FEW_SYSTEMS and any(isinstance(labels.label(w), Unknown) for w in words)
        if (
            few
            and not any(map(is_number, words))
            and not frame.collect([frame.twice([column, str(roles.item)]).head(1)])[0]
        ):
            return column
    return None


def added(rows: Iterable[Row]) -> list[Row]:
    """Count the outputs of each system."""
    found = Counter[Any]()
    for system, *_, n in rows:
        found[system] += n
    return list(found.items())


class Grouping:
    """Reads rows; keeps the groups with undecided votes, and how many blank lines there were."""

    def __init__(self, frame: Frame, chosen: Chosen, rules: Rules) -> None:
        self.frame, self.chosen, self.rules = frame, chosen, rules
        self.undecided: list[Group] = []
        self.verdicts: dict[str, dict[Any, int | None]] = {name: {} for name in chosen.roles.metrics}
        self.truths: dict[tuple[Any, ...], tuple[float | None, bool]] = {}  # the same votes stand in many rows
        self.blank = 0

    def groups(self, rows: Sequence[Row], names: Mapping[Any, str]) -> list[Group]:
        """Read the cells: votes become the truth, verdicts 0 or 1; outputs with undecided votes are set aside."""
        roles = self.chosen.roles
        groups: list[Group] = []
        width = len(rows[0]) - 2 - len(roles.metrics) if rows else 0
        for system, *cells, n in rows:
            votes, metrics = cells[:width], cells[width:]
            if system not in names:
                given = metrics + (votes if roles.annotator is None else [votes[1] or None])
                if any(not labels.missing(cell) for cell in given):
                    raise self.frame.bad(roles.system, system, "must not be empty", "name every system")
                self.blank += n
                continue
            truth, voted = self.truths.get(key := tuple(votes)) or self.truths.setdefault(key, self._truth(votes))
            group = Group(names[system], truth, self.cells(metrics), n)
            (self.undecided if voted and truth is None else groups).append(group)
        return sorted(groups, key=_order)  # engines return groups in any order

    def cells(self, values: Iterable[Any]) -> tuple[Any, ...]:
        """Read what the metrics say: scores as they are, verdicts as 0 or 1."""
        return tuple(map(self._cell, self.chosen.roles.metrics, values))

    def _truth(self, votes: Sequence[Any]) -> tuple[float | None, bool]:
        """Return what the votes decide, or their mean on a scale, and whether there are any."""
        if self.chosen.roles.annotator is not None:
            total, count = votes
        else:
            numeric = self.chosen.scale or self.rules.human_cut is not None
            read, columns = number if numeric else verdict, self.chosen.roles.human
            values = [read(self.frame, column, vote) for column, vote in zip(columns, votes, strict=True)]
            there = [value for value in values if value is not None]
            total, count = sum(there), len(there)
        if self.chosen.scale:
            return (round(total / count, 9), True) if count else (None, False)
        return decide(total or 0.0, count, self.rules.votes, self.rules.human_cut or 0.0), count > 0

    def _cell(self, metric: str, value: Any) -> Any:  # noqa: ANN401 - a cell
        if value is None or metric in self.chosen.numbers:
            return value
        found = labels.label(value)
        if isinstance(found, Unknown):
            raise NotLabels(metric) if is_number(value) else refusal(self.frame, metric, "labels")
        self.verdicts[metric][value] = found
        return found


def truths(rated: Iterable[Group]) -> dict[str, Counter[float | None]]:
    """Count the rated outputs of each system by what people said."""
    found: dict[str, Counter[float | None]] = defaultdict(Counter)
    for group in rated:
        found[group.system][group.truth] += group.n
    return found


def unlabelled(rest: Iterable[Group]) -> Counter[str]:
    """Count the outputs of each system that people did not rate."""
    found = Counter[str]()
    for group in rest:
        found[group.system] += group.n
    return found


def _order(group: Group) -> tuple[Any, ...]:
    return group.system, group.truth or 0, *((cell is None, cell or 0) for cell in group.cells)
