"""One reading of a table of pairs, counted where the data live, from its columns to evidence and facts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from tellapart.analysis.outcomes import Position
from tellapart.core.counts import NO_METRIC, OUTCOME, Counts
from tellapart.core.evidence import Evidence
from tellapart.data import labels
from tellapart.data.files import LONGEST_SYSTEM, MOST_SYSTEMS, printable
from tellapart.data.source import ticked
from tellapart.data.where import sentences
from tellapart.data.winners import KNOWN, LOSS, TIE, WIN, plain, spelled
from tellapart.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tellapart.core.evidence import Sampling
    from tellapart.data.cells import BadCells
    from tellapart.data.frames import Frame, Row
    from tellapart.data.roles import Roles


class Battles:
    """One reading of a table of pairs: `evidence`, a judge's `position` and what was `understood`."""

    def __init__(self, frame: Frame, roles: Roles, second: str, sampling: Sampling, bad_cells: BadCells) -> None:
        frame = frame.named(*roles.names, second)
        self.frame, self.roles, self.second = frame, roles, second
        self.sampling, self.bad_cells, self.excluded = sampling, bad_cells, Counter[str]()
        self._rows = frame.height()
        turns = [column for column in frame.columns if column.strip().lower() == "turn" and column not in roles.columns]
        self.items = [roles.item, *turns] if roles.item else []  # of a conversation, each turn is judged by itself
        self.sides = [self._named(column) for column in (roles.system, second)]
        self.there = frame.present(roles.system) & frame.present(second)
        self._check_rows()
        counted = self._count()
        self.evidence, self.position = self._evidence(counted)
        self.understood = tuple(self._said(self.evidence, counted))

    def _named(self, column: str) -> Any:  # noqa: ANN401 - an expression
        text = nw.col(column) if self.frame.is_text(column) else nw.col(column).cast(nw.String)
        return text.str.strip_chars() if self.frame.dtypes[column] != nw.Object else text

    def _check_rows(self) -> None:
        frame, roles = self.frame, self.roles
        names, rated = (roles.system, self.second), (*roles.human, *roles.metrics)
        some = nw.any_horizontal(*(frame.present(c) for c in (*names, *rated)), ignore_nulls=True)
        for name in names:
            nobody = some & ~frame.present(name)
            self._refuse(nobody, name, "both systems must be named", "fill in or leave out the row")
        same = self.there & (self.sides[0] == self.sides[1])
        self._refuse(same, self.second, "a system must not meet itself", "each row needs two systems")
        for item in self.items:
            empty = self.there & ~frame.present(item)
            self._refuse(empty, item, "must not be empty", "name the item of every pair")
        if self.items:
            keys = [*names, *self.items, *([roles.annotator] if roles.annotator else [])]
            twice = replace(frame, table=frame.table.filter(self.there))
            if frame.collect([twice.twice(keys).head(1)])[0]:
                raise twice.repeated(keys, "pair and item")

    def _refuse(self, condition: Any, column: str, rule: str, hint: str) -> None:  # noqa: ANN401 - an expression
        """Refuse a table with a row that fulfils a condition; says which."""
        frame, index = self.frame, f"{self.frame.inner}row"
        if frame.source is None:
            rows, where = frame.collect([frame.table.filter(condition).select(column).head(1)])[0], frame.name
        else:
            table = nw.from_native(frame.source.numbered(index))
            (rows,) = frame.collect([table.filter(condition).select(index, column).head(1)])
            where = f"{frame.name}, {frame.source.place(int(rows[0][0]))}" if rows else ""
        if rows:
            value = "an empty cell" if labels.missing(rows[0][-1]) else repr(str(rows[0][-1])[:40])
            raise DataError(f"{where}, column {ticked(column)}: {rule}, got {value}. Hint: {hint}")

    def _outcomes(self, column: str) -> list[Any]:
        """Return what says whether a cell is a loss, a tie or a win of the first; refuse cells that are none."""
        frame = self.frame
        n = f"{frame.inner}n"
        counts: dict[Any, int] = dict(
            frame.collect([frame.table.filter(frame.present(column)).group_by(column).agg(nw.len().alias(n))])[0]
        )
        known = spelled(column, counts)
        by = [[value for value, outcome in known.items() if outcome == one] for one in (LOSS, TIE, WIN)]
        said: list[Any] = [nw.col(column).is_in(each) if each else nw.lit(value=False) for each in by]
        strange = [value for value in counts if value not in known]
        if not frame.is_text(column):
            return self._known(column, strange, counts, said)
        wins, loses = (nw.col(column).str.strip_chars() == side for side in self.sides)
        unclear = (wins & ~said[WIN] & (said[LOSS] | said[TIE])) | (loses & ~said[LOSS] & (said[WIN] | said[TIE]))
        if strange:
            mine = self.there & nw.col(column).is_in(strange)
            named = frame.collect([frame.table.filter(mine & (wins | loses)).group_by(column).agg(nw.len().alias(n))])[
                0
            ]
            for value, count in named:
                counts[value] -= count
            strange = [value for value in strange if counts[value] > 0]
        self._refuse(self.there & unclear, column, "may mean a system or a side", "write win, tie or loss")
        return self._known(column, strange, counts, [said[LOSS] | loses, said[TIE], said[WIN] | wins])

    def _known(self, column: str, strange: Sequence[Any], counts: Mapping[Any, int], said: list[Any]) -> list[Any]:
        if not strange:
            return said
        bad = sum(counts[value] for value in strange)
        if self.bad_cells == "exclude" and 2 * bad <= sum(counts.values()):
            self.excluded[column] = bad
            return said
        hint = KNOWN
        if {plain(value) for value in counts} <= {"0", "1"}:
            hint = "0 and 1 may be loss and win or tie and win: write win, tie or loss"
        odd = nw.col(column).is_in(list(strange))
        if self.frame.is_text(column):
            odd &= (nw.col(column).str.strip_chars() != self.sides[0]) & (
                nw.col(column).str.strip_chars() != self.sides[1]
            )
        self._refuse(self.frame.present(column) & odd, column, "must be an outcome", hint)
        return said

    def _count(self) -> Counter[Row]:
        """Count items by pair, people's votes and the judge's verdicts in either order, each as losses, ties and wins.

        The first is the one whose name comes first; rows with the other order are turned around.
        """
        frame, roles, inner = self.frame, self.roles, self.frame.inner
        keys, ahead = [f"{inner}first", f"{inner}second"], self.sides[0] < self.sides[1]
        votes, verdicts = [f"{inner}h{c}" for c in range(3)], [f"{inner}{order}{c}" for order in "fr" for c in range(3)]
        columns = {keys[0]: nw.when(ahead).then(self.sides[0]).otherwise(self.sides[1])}
        columns[keys[1]] = nw.when(ahead).then(self.sides[1]).otherwise(self.sides[0])
        human = [self._outcomes(column) for column in roles.human]
        judge = self._outcomes(roles.metrics[0]) if roles.metrics else [nw.lit(value=False)] * 3
        for c in range(3):
            columns[votes[c]] = reduce(add, [_one(ahead & said[c]) + _one(~ahead & said[2 - c]) for said in human])
            columns[verdicts[c]], columns[verdicts[3 + c]] = _one(ahead & judge[c]), _one(~ahead & judge[2 - c])
        table = frame.table.filter(self.there).with_columns(*(value.alias(name) for name, value in columns.items()))
        if roles.item is not None:
            each = [*(nw.col(c).sum() for c in votes), *(nw.col(c).max() for c in verdicts)]
            table = table.group_by(*keys, *self.items).agg(*each)
        query = table.group_by(*keys, *votes, *verdicts).agg(nw.len().alias(f"{inner}n"))
        rows = frame.collect([query], whole=True)[0]
        if any(sum(row[5:8]) > 1 or sum(row[8:11]) > 1 for row in rows):
            raise self._contradicted(table, keys, verdicts)
        return Counter({(str(a), str(b), *map(int, numbers)): int(n) for a, b, *numbers, n in rows})

    def _contradicted(self, table: Any, keys: list[str], verdicts: list[str]) -> DataError:  # noqa: ANN401 - a lazy table
        """Say for which pair and item the judge's verdicts on one order differ between rows."""
        twice = [reduce(add, map(nw.col, part)) > 1 for part in (verdicts[:3], verdicts[3:])]
        (row,) = self.frame.collect([table.filter(twice[0] | twice[1]).select(*keys, *self.items).head(1)])[0]
        a, b, *which = (repr(str(value)[:40]) for value in row)
        where = f"{self.frame.name}, column {ticked(self.roles.metrics[0])}"
        hint = "a judge rates each order of a pair once; repeat its verdict in every row of an item"
        return DataError(f"{where}: differs between the rows of {a}, {b}, item {' '.join(which)}. Hint: {hint}")

    def _evidence(self, counted: Counter[Row]) -> tuple[dict[tuple[str, str], Evidence], Position | None]:
        cells: dict[tuple[str, str], Counter[tuple[int | None, int | None]]] = {}
        orders = Counter[tuple[int, int]]()
        for (a, b, *numbers), n in counted.items():
            ahead, behind = (_plurality(numbers[i : i + 3]) for i in (3, 6))
            if ahead is not None and behind is not None:
                orders[ahead, behind] += n
            verdict = ahead if behind is None else behind if ahead is None or ahead == behind else TIE
            cells.setdefault((a, b), Counter())[_plurality(numbers[:3]), verdict] += n
        self._check_systems({name for pair in cells for name in pair})
        if not any(truth is not None for each in cells.values() for truth, _ in each):
            where = f"{self.frame.name}, column {ticked(self.roles.human[0])}"
            raise DataError(f"{where}: holds no outcome. Hint: people must rate some of the pairs")
        levels = OUTCOME if self.roles.metrics else NO_METRIC
        ways, some = range(len(levels)), range(len(OUTCOME))
        evidence = {}
        for pair, count in sorted(cells.items()):
            both = tuple(tuple(count[c, k] for k in ways) for c in some)
            own = Counts(
                both, tuple(count[c, None] for c in some), tuple(count[None, k] for k in ways), OUTCOME, levels
            )
            evidence[pair] = Evidence(own, sampling=self.sampling)
        table = tuple(tuple(orders[c, k] for k in some) for c in some)
        return evidence, Position(table) if orders else None

    def _check_systems(self, names: set[str]) -> None:
        where, column = self.frame.name, self.roles.system
        if not names:
            raise DataError(f"{where}: has no rows. Hint: one row for each pair of outputs")
        if len(names) > MOST_SYSTEMS:
            where = f"{where}, column {ticked(column)}"
            raise DataError(
                f"{where}: has {len(names):,} systems, at most {MOST_SYSTEMS:,} are read. Hint: name the right column"
            )
        for name in sorted(names):
            if not name.isprintable() or len(name) > LONGEST_SYSTEM:
                hint = f"plain names of at most {LONGEST_SYSTEM} letters"
                raise DataError(f"{where}: {printable(name)[:40]!r} cannot be the name of a system. Hint: {hint}")

    def _said(self, evidence: Mapping[tuple[str, str], Evidence], counted: Counter[Row]) -> Iterable[str]:
        roles = self.roles
        names = {name for pair in evidence for name in pair}
        columns = [f"systems = {ticked(roles.system)} and {ticked(self.second)}"]
        columns += [f"item = {' and '.join(map(ticked, self.items))}" if self.items else "no item column"]
        columns += [f"human = {', '.join(map(ticked, roles.human))}"]
        columns += [f"annotator = {ticked(roles.annotator)}"] if roles.annotator else []
        rows = "votes on pairs" if roles.annotator else "pairs"
        yield f"Read {self.frame.name}: {self._rows:,} {rows} of outputs of {len(names)} systems; {', '.join(columns)}."
        yield from sentences(self.frame.kept)
        people, alone = (sum(getattr(e, n) for e in evidence.values()) for n in ("n_human", "n_metric"))
        items = "pairs and items" if roles.item else "pairs"
        if any(sum(row[2:5]) > 1 for row in counted):
            several = "Several votes on a pair and item make one outcome"
            yield f"{several}: what most say; a tie if two outcomes are equally frequent."
        beside = f", {alone:,} by the judge {ticked(roles.metrics[0])} alone" if roles.metrics else ""
        yield f"{people:,} {items} are rated by people{beside}."
        if roles.metrics and not alone:
            nothing = "The judge adds nothing to the answer, as people rated all that it did"
            yield f"{nothing}; it is only compared with them."
        if any(sum(row[5:8]) and sum(row[8:]) for row in counted):
            yield "Where the judge saw both orders, its verdict is the one it gave twice, or else a tie."
        for column, n in self.excluded.items():
            yield f"Excluded from {ticked(column)}, as not rated: {n:,} cells that hold no outcome."
        if not roles.metrics:
            why = "No judge is used, as asked" if roles.people_only else "No judge column was found"
            yield f"{why}: the result rests on people's outcomes alone."
        if roles.others:
            others = ", ".join(map(ticked, roles.others))
            yield f"Might be judges too, not used: {others}. Choose with --metric (metric=)."
        if not roles.item:
            yield "Without an item column, repeated rows go unnoticed."


def _one(condition: Any) -> Any:  # noqa: ANN401 - expressions
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0))


def _plurality(votes: Sequence[int]) -> int | None:
    """Return what most votes say, a tie where two are equal, nothing without votes."""
    top = [c for c in range(3) if votes[c] == max(votes)]
    return None if not any(votes) else top[0] if len(top) == 1 else TIE
