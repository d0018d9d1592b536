"""From a table of pairs to evidence: one row two outputs for an item, and who won; counted where the data live."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tellapart.analysis.outcomes import Outcomes, Position, compare_pairs
from tellapart.data.battles import Battles
from tellapart.data.cells import BAD_CELLS, BadCells
from tellapart.data.choose import LIKE_A_METRIC
from tellapart.data.files import printable
from tellapart.data.frames import Frame
from tellapart.data.ratings import Ratings, read_ratings
from tellapart.data.roles import Asked, Roles, assign, one_name, several_names, sides
from tellapart.data.unused import USUAL, refuse_unused
from tellapart.data.where import kept
from tellapart.data.winners import holds_outcomes
from tellapart.errors import DataError, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tellapart.core.evidence import Evidence, Sampling

_HUMAN = ("winner", "human_winner", "human_preference", "human_verdict", "vote", "outcome", "verdict")
_USED = ("item", "human", "metric", "annotator", "bad_cells")  # of the choices that ratings have


@dataclass(frozen=True, repr=False)
class Pairs:
    """What a table of pairs says: the evidence of each pair of systems, and how the table was understood."""

    pairs: Mapping[tuple[str, str], Evidence]
    roles: Roles
    second: str
    understood: tuple[str, ...]
    position: Position | None = None
    source: str = ""

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(sorted({name for pair in self.pairs for name in pair}))

    def compare(self, **choices: Any) -> Outcomes:  # noqa: ANN401 - those of `compare`
        """Compare the systems; the choices are those of `tellapart.compare`, but for `borrow` and `items`."""
        judge = self.roles.metrics[0] if self.roles.metrics else None
        result = compare_pairs(self.pairs, **choices)
        result = replace(result, understood=self.understood, source=self.source)
        return replace(result, position=self.position, judge=judge)

    def __repr__(self) -> str:
        """Say what was read, not every count."""
        return f"<{type(self).__name__} of {', '.join(self.systems)}: {self}>"

    def __str__(self) -> str:
        """Say how the table was understood."""
        return "\n".join(self.understood)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        pairs = [{"first": one, "second": two, **e.to_dict()} for (one, two), e in self.pairs.items()]
        return {"understood": list(self.understood), "pairs": pairs}


def read_pairs(  # noqa: PLR0913 - one parameter for each role and choice
    source: Any,  # noqa: ANN401 - a path, bytes, or any data frame
    *,
    first: str | None = None,
    second: str | None = None,
    item: str | None = None,
    human: str | Sequence[str] | None = None,
    metric: str | Sequence[str] | None = None,
    annotator: str | None = None,
    sampling: Sampling = "random",
    bad_cells: BadCells = "error",
    where: str | None = None,
    name: str | None = None,
) -> Pairs:
    """Read a table of pairs, one row for each two outputs for an item, and count wins, ties and losses.

    Parameters
    ----------
    source : path, bytes or data frame
        As for `read_ratings`.
    first, second : str, optional
        The columns that name the two systems; recognised by names such as `system_a` and `system_b`.
    item, annotator : str, optional
        The columns of the item, and of the annotator where each row is one vote. The votes on a pair and item make one
        outcome: what most say, or a tie where two outcomes are named equally often.
    human : str or list of str, optional
        The column of people's outcomes: win, tie or loss of the first; a, b, tie; model_a, model_b, tie; left, right;
        1, 2, 0; 1, 0, −1; or the winner's name. Or one column for each annotator.
    metric : str, optional
        The column of the judge's outcomes; by default the likeliest. A judge with both orders of a pair and item is
        taken at its word where it says the same, and as saying tie where not.
    sampling, bad_cells, where, name
        As for `read_ratings`.

    Returns
    -------
    Pairs

    Raises
    ------
    DataError
        Where the table cannot be used; says the file, line, column and value.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"model_a": ["A", "B"], "model_b": ["B", "A"], "item": [1, 2], "human": ["a", "tie"]})
    >>> print(read_pairs(table).pairs["A", "B"])
    people 0/1/1 (loss/tie/win)
    """
    if bad_cells not in BAD_CELLS:
        raise InvalidInput.rule("bad_cells", f"be one of {', '.join(BAD_CELLS)}", bad_cells)
    frame = kept(Frame.of(source, name), where)
    if (first is None) != (second is None):
        given, other = ("first", "second") if second is None else ("second", "first")
        raise InvalidInput.rule(other, f"be given where `{given}` is", None, "the columns of both systems")
    named = one_name("first", first), one_name("second", second)
    found = (printable(named[0]), printable(named[1])) if named[0] and named[1] else sides(frame.columns)
    if found is None:
        columns = printable(", ".join(frame.columns))[:200]
        hint = "call them system_a and system_b, or name them with first= and second="
        raise DataError(f"{frame.name}: no two columns of systems; the columns are {columns}. Hint: {hint}")
    people, judges = (tuple(map(printable, several_names(*role))) for role in (("human", human), ("metric", metric)))
    asked = Asked(found[0], one_name("item", item), people, judges, one_name("annotator", annotator))
    asked = asked.settled(frame.columns)
    roles = _roles(frame, asked, found[1])
    read = Battles(frame, roles, found[1], sampling, bad_cells)
    return Pairs(read.evidence, roles, found[1], read.understood, read.position, frame.name)


def read_either(source: Any, *, name: str | None = None, **reading: Any) -> Pairs | Ratings:  # noqa: ANN401 - as `read_ratings`
    """Read pairs where the columns are those of pairs, or else ratings; choices that pairs have not are refused."""
    frame = kept(Frame.of(source, name), reading.pop("where", None))
    if reading.get("system") is not None or sides(frame.columns) is None:
        return read_ratings(frame, **reading)
    reading["sampling"] = reading.get("sampling") or "random"
    refuse_unused(reading, "where pairs are compared", "it is for ratings", used=_USED)
    return read_pairs(frame, **{name: value for name, value in reading.items() if name in _USED or name not in USUAL})


def _roles(frame: Frame, asked: Asked, second: str) -> Roles:
    """Find the columns; the judge that nobody named is the likeliest column of outcomes."""
    where, columns = frame.name, [column for column in frame.columns if column != second]
    if second not in frame.columns:
        assign(frame.columns, Asked(second), where=where)  # says that it is not there
    if len(asked.metrics) > 1:
        raise InvalidInput.rule("metric", "be one column where pairs are compared", asked.metrics, "choose one judge")
    roles = assign(columns, asked, where=where)
    if not roles.human:
        named = [c for plain in _HUMAN for c in roles.others if c.strip().lower() == plain]
        roles = replace(roles, human=tuple(named[:1]), others=tuple(c for c in roles.others if c not in named[:1]))
    if not roles.human:
        hint = "name the column of people's outcomes with --human (human=)"
        raise DataError(
            f"{where}: no column `human`; the columns are {printable(', '.join(columns))[:200]}. Hint: {hint}"
        )
    others = [column for column in roles.others if frame.is_plain(column)]
    rows = frame.first_rows([roles.system, second, *others])
    cells = {column: [(*row[:2], row[k]) for row in rows] for k, column in enumerate(others, 2)}
    usable = [column for column in others if holds_outcomes(column, cells[column])]
    usable.sort(key=lambda column: not LIKE_A_METRIC.search(column.lower()))
    metrics = roles.metrics or (() if asked.people_only else tuple(usable[:1]))
    if roles.annotator is None and "judge" in others and not {"judge"} & {*usable, *metrics}:
        roles = replace(roles, annotator="judge")  # in arenas, the one who votes
    frame.check_plain([*roles.columns, second, *metrics])
    return replace(roles, metrics=metrics, others=tuple(column for column in usable if column not in metrics))
