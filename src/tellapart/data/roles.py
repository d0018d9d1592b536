"""Which column is what: by the names that people use, or as told."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tellapart.data.files import printable
from tellapart.errors import DataError, InvalidInput
from tellapart.said import Option, Said

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMES = {
    "system": ("system", "model", "system_name", "model_name", "system_id", "model_id", "sys", "bot", "generator"),
    "item": (
        "item", "item_id", "segment", "segment_id", "seg_id", "example", "example_id", "question_id", "prompt_id",
        "query_id", "input_id", "source_id", "sample_id", "instance_id", "task_id", "topic_id", "document_id", "doc_id",
        "sentence_id", "id", "uid", "question", "prompt", "query", "instruction", "sample", "instance",
    ),
    "human": ("human", "human_rating", "human_label", "human_score", "gold", "gold_label", "label", "adequate",
        "human_judgment", "human_judgement", "human_verdict", "human_annotation"),
    "annotator": ("annotator", "annotator_id", "rater", "rater_id", "worker", "worker_id"),
    "cluster": ("cluster",),
}  # fmt: skip
_SIDES = (("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"), ("x", "y"))
_STEM = re.compile(r"(?:system|model|generator|bot|assistant|candidate|sys)_?")
# Columns of logs that are no metrics, whatever they hold.
PROMPT = "judge_prompt"
_JUDGES = ("fingerprint", "judge_fingerprint", "judge_version", PROMPT)  # which judge it was
_ASIDE = ("task", "epoch", "input", "output", "document", "sampling", *_JUDGES)
_SEVERAL = re.compile(r"(human|annotator|rater|worker|annotation|vote)[ _-]?[0-9a-e]{1,2}")


@dataclass(frozen=True)
class Roles:
    """The part that each column plays; `others` might be metrics too but are not used.

    `people_only` says that no metric was wanted, `singly` that the column of clusters that was named is the item's;
    `judges` tell which judge rated an output.
    """

    system: str
    item: str | None
    human: tuple[str, ...]
    metrics: tuple[str, ...]
    annotator: str | None = None
    others: tuple[str, ...] = ()
    people_only: bool = False
    cluster: str | None = None
    singly: bool = False
    judges: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The columns whose cells are names."""
        return [name for name in (self.system, self.item, self.annotator, self.cluster) if name is not None]

    @property
    def columns(self) -> list[str]:
        """Every column that is used."""
        return [*self.names, *self.human, *self.metrics]


@dataclass(frozen=True)
class Asked:
    """The columns that the user named; `people_only` if no metric is wanted."""

    system: str | None = None
    item: str | None = None
    human: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    annotator: str | None = None
    cluster: str | None = None
    people_only: bool = False
    fingerprint: str | None = None

    def settled(self, columns: Sequence[str]) -> Asked:
        """Take the metric "none" as a wish for none, unless a column is called that."""
        nobody = self.metrics == ("none",) and "none" not in columns
        return replace(self, metrics=(), people_only=True) if nobody else self

    def cluster_as_item(self, columns: Sequence[str]) -> Asked | None:
        """Take the column of clusters as that of items, if it is called so and no other column might be."""
        taken = {self.system, self.annotator, *self.human, *self.metrics}
        free = [column for column in columns if column not in taken]
        others = [column for column in free if column != self.cluster]
        called = self.item == self.cluster or (self.item is None and find(others, "item") is None)
        if self.cluster is None or not called or find([self.cluster], "item") is None:
            return None
        names = self.system or find(others, "system"), self.annotator or find(others, "annotator")
        return replace(self, system=names[0], item=self.cluster, annotator=names[1], cluster=None)


def one_name(role: str, name: Any) -> str | None:  # noqa: ANN401 - whatever the user passed
    """Return the name of the column that the user gave a role, if any, or say that it is none."""
    if name is None or isinstance(name, str):
        return name
    raise InvalidInput.rule(role, "be the name of a column", name)


def several_names(role: str, names: Any) -> tuple[str, ...]:  # noqa: ANN401 - likewise
    """Return the names of the columns that the user gave a role, one or several or none, or say that they are none."""
    given = (names,) if isinstance(names, str) else () if names is None else names
    found = tuple(given) if isinstance(given, Iterable) else (given,)
    if not all(isinstance(name, str) for name in found):
        raise InvalidInput.rule(role, "be the name of a column, or a list of names", names)
    return found


def assign(columns: Sequence[str], asked: Asked, *, where: str) -> Roles:
    """Find the column of each role; metrics that nobody named are left to `others`."""
    for name in (
        asked.system,
        asked.item,
        asked.annotator,
        asked.cluster,
        asked.fingerprint,
        *asked.human,
        *asked.metrics,
    ):
        if name is not None and name not in columns:
            raise absent(columns, f"no column {name!r}", where, "name one of these")
    taken = {asked.item, asked.annotator, asked.cluster, *asked.human, *asked.metrics, asked.system}
    free = [column for column in columns if column not in taken]
    system = asked.system or find(free, "system")
    if system is None and sides(columns):
        hint = Said("only tellapart compare reads pairs, without ", Option("by"))
        raise DataError(Said(f"{where}: holds pairs of outputs, not one output in each row. Hint: ", hint))
    if system is None and _is_wide(columns):
        long = "write one row for each output, with a column `system`, and all ratings of a kind in one column"
        raise absent(columns, "several outputs in each row", where, long)
    if system is None:
        raise absent(columns, "no column `system`", where, Said("name the column with ", Option("system")))
    item = asked.item or find(free, "item")
    annotator = asked.annotator or find(free, "annotator")
    cluster = asked.cluster or find(free, "cluster")
    human = asked.human or people(free)
    if not human and (elsewhere := people(columns)):
        raise absent(columns, f"column {elsewhere[0]!r} is that of the human ratings", where, "give it one role")
    used = [system, item, annotator, cluster, *human, *asked.metrics]
    twice = next((name for name in used if name is not None and used.count(name) > 1), None)
    if twice is not None:
        raise absent(columns, f"column {twice!r} is given two roles", where, "a column has one role")
    aside = {*used, asked.fingerprint} | {column for column in columns if set_aside(column)}
    others = () if asked.people_only else tuple(column for column in columns if column not in aside)
    judges = (asked.fingerprint,) if asked.fingerprint else tuple(c for c in columns if plain(c) in _JUDGES)
    return Roles(system, item, human, asked.metrics, annotator, others, asked.people_only, cluster, judges=judges)


def sides(columns: Iterable[str]) -> tuple[str, str] | None:
    """Return the columns that name the two systems of a pair, if this is a table of pairs.

    Examples
    --------
    >>> sides(["item", "model_a", "model_b", "winner"]), sides(["system", "item", "first", "second"])
    (('model_a', 'model_b'), None)
    """
    plain = {re.sub(r"[ -]", "_", column.strip().lower()): column for column in columns}
    stems = sorted({found[0] for name in plain if (found := _STEM.match(name))})
    bare = [] if {"system", "model"} & plain.keys() else [""]  # there, `first` and `second` may be raters
    for stem in [*stems, *bare]:
        for one, two in _SIDES[0 if stem else 2 :]:
            if stem + one in plain and stem + two in plain:
                return plain[stem + one], plain[stem + two]
    return None


def find(columns: Sequence[str], role: str) -> str | None:
    """Return the column with the best name for the role."""
    named = {plain(column): column for column in reversed(columns)}
    return next((named[name] for name in _NAMES[role] if name in named), None)


def plain(column: str) -> str:
    """Return the name of a column without what people spell in several ways."""
    return column.strip().lower().replace(" ", "_").replace("-", "_")


def set_aside(column: str) -> bool:
    """Whether a column is unnamed, as the index that pandas writes, or named for another part than a metric's."""
    name = plain(column)
    unnamed = not name or name.startswith("unnamed:")
    known = name in _ASIDE or any(name in names for names in _NAMES.values())
    return unnamed or known or _SEVERAL.fullmatch(name) is not None


def people(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of people's ratings, by their names: one, or one for each annotator."""
    one = find(columns, "human")
    return (one,) if one else tuple(c for c in columns if _SEVERAL.fullmatch(c.strip().lower()))


def _is_wide(columns: Sequence[str]) -> bool:
    """Whether columns seem to be of several systems each: human_A, human_B, judge_A, judge_B."""
    ends: dict[str, set[str]] = {}
    for stem, mark, end in (column.partition("_") for column in columns):
        if mark and not end.isdecimal():
            ends.setdefault(stem, set()).add(end)
    several = [frozenset(found) for found in ends.values() if len(found) > 1]
    return len(set(several)) < len(several)


def absent(columns: Sequence[str], what: str, where: str, hint: str) -> DataError:
    """Say that a column is not there, and which are."""
    found = printable(", ".join(columns))
    found = found if len(found) <= 200 else found[:197] + "..."  # noqa: PLR2004 - two terminal lines
    return DataError(Said(f"{where}: {what}; the columns are {found}. Hint: ", hint))
