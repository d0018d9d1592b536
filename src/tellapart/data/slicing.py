"""A table of ratings, read as a whole and slice by slice: by language, topic, …"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from tellapart.analysis.comparison import CHOICES, compare
from tellapart.analysis.slices import Slices
from tellapart.analysis.slices import slices as drawn
from tellapart.analysis.threshold import ThresholdRule
from tellapart.data.files import printable
from tellapart.data.frames import Frame
from tellapart.data.inputs import given
from tellapart.data.items import is_value
from tellapart.data.ratings import Ratings, read_ratings
from tellapart.data.reader import read
from tellapart.data.roles import absent, several_names
from tellapart.data.source import ticked
from tellapart.data.tables import kind_of
from tellapart.data.unused import ONE_BY_ONE, refuse_unused
from tellapart.data.where import kept
from tellapart.errors import DataError, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tellapart.data.choose import Rules

MOST = 200
_NOTHING = "(empty)"


def slices(source: Any, by: str | Sequence[str], *, name: str | None = None, **choices: Any) -> Slices:  # noqa: ANN401
    """Compare systems as a whole and slice by slice, each slice drawn towards the whole as far as it is like it.

    Parameters
    ----------
    source : path, bytes or data frame
        Ratings, as for `read_ratings`.
    by : str or list of str
        The columns whose values make the slices; of several, every combination that occurs.
    name : str, optional
        What to call the table in messages.
    **choices
        Those of `read_ratings` and of `compare`.

    Returns
    -------
    Slices

    Raises
    ------
    DataError
        Where the table cannot be used, or has one slice or very many.

    Examples
    --------
    >>> import polars as pl
    >>> human, language = [1, 1, 0, 1] * 10, ["de", "en"] * 20
    >>> table = pl.DataFrame({"system": ["A"] * 40, "human": human, "language": language})
    >>> found = slices(table, "language")
    >>> [round(found.rates[name]["A"].mean, 2) for name in ("de", "en")]
    [0.52, 0.96]
    """
    compared = {key: choices.pop(key) for key in CHOICES if key in choices}
    table = given(source, name, choices, kind=choices.pop("kind", None), labels=choices.pop("labels", None))
    columns = several_names("by", by)
    if not columns:
        raise InvalidInput.rule("by", "name a column", by, "the one whose values make the slices")
    if kind_of(table.data) == "counts":
        refuse_unused({"by": columns}, hint=ONE_BY_ONE)
    frame = Frame.of(table.data, table.name)
    for column in columns:
        if column not in frame.columns:
            raise absent(frame.columns, f"no column {column!r}", frame.name, "name one of these")
    frame = kept(frame, choices.pop("where", None))  # of the whole, and so of every slice
    whole = read_ratings(frame, **{**choices, **table.settled})
    assert whole.facts is not None  # noqa: S101 - for the type checker: these are ratings
    if rating := next((column for column in columns if column in whole.facts.chosen.roles.human), None):
        rule = "be what outputs have before anybody rates them, not a rating by people"
        raise InvalidInput.rule("by", rule, rating, "a language, a topic, a source")
    whole = replace(whole, facts=replace(whole.facts, beside=table.said))
    overall = whole.compare(**compared)
    alone: dict[str, Any] = compared | {"correction": "none"}
    parts = {
        value: compare(
            part.systems, items=part.items, **alone | {"borrow": "items" if part.items else "none"}
        ).read_from(part)
        for value, part in _parts(frame, whole, columns)
    }
    return drawn(overall, parts, tuple(map(printable, columns)))


def _parts(frame: Frame, whole: Ratings, columns: Sequence[str]) -> Iterator[tuple[str, Ratings]]:
    """Read every slice as the whole was read: the same columns, cuts and design effects."""
    facts = whole.facts
    assert facts is not None  # noqa: S101 - for the type checker: these are ratings
    (rows,) = frame.collect([frame.table.group_by(*columns).agg(nw.len().alias(f"{frame.inner}n"))])
    if not 1 < len(rows) <= MOST:
        where = f"{frame.name}, column {' and '.join(map(ticked, columns))}"
        hint = f"a column with 2 to {MOST} different values"
        raise DataError(f"{where}: makes {len(rows):,} slice{'s' * (len(rows) > 1)}. Hint: give {hint}")
    chosen = replace(facts.chosen, roles=replace(facts.chosen.roles, cluster=None))
    for *values, _ in sorted(rows, key=str):
        table = frame.table.filter(*map(is_value, columns, values))
        source = None if frame.source is None else replace(frame.source, frame=table.to_native())
        evidence, own, found, cuts, items = read(
            replace(frame, table=table, source=source), chosen, _as_a_whole(facts.rules, whole)
        )
        yield (
            ", ".join(_NOTHING if v is None else printable(str(v)) for v in values),
            Ratings(_thinned(evidence, whole.systems), own, found, cuts, _thinned(items, whole.items)),
        )


def _as_a_whole(rules: Rules, whole: Ratings) -> Rules:
    """Keep the whole's scale, and cut a score where it is cut in the whole: few ratings may show another one."""
    rules = replace(rules, classes=next(iter(whole.systems.values())).own.truth.values)
    if len(whole.thresholds) != 1 or not rules.cut.pooled or rules.cut.fixed:
        return rules
    (cuts,) = whole.thresholds
    tau = next(iter(cuts.systems.values())).tau
    return replace(rules, cut=ThresholdRule(tau, lower_is_better=rules.cut.lower_is_better))


def _thinned(parts: Mapping[Any, Any], whole: Mapping[Any, Any]) -> dict[Any, Any]:
    return {
        key: part if key not in whole or whole[key].effect == 1 else part.thinned(whole[key].effect)
        for key, part in parts.items()
    }
