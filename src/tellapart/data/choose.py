"""Which column is the metric, and of what kind: labels, scores, or levels such as 1 to 5."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import narwhals.stable.v2 as nw

from tellapart.data import labels
from tellapart.data.cells import Kind, fits, is_number
from tellapart.data.counts import COLUMNS
from tellapart.data.files import printable
from tellapart.data.labels import Unknown
from tellapart.data.roles import Asked, Roles, assign, plain
from tellapart.errors import DataError, InvalidInput
from tellapart.said import Option, Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tellapart.analysis.threshold import ThresholdRule
    from tellapart.core.evidence import Sampling
    from tellapart.data.cells import BadCells
    from tellapart.data.frames import Frame
    from tellapart.data.labels import Votes

Fuse = Literal["joint", "sequential"]
FUSES: tuple[str, ...] = get_args(Fuse)
_MOST_LEVELS = 10
LIKE_A_METRIC = re.compile(r"judge|llm|gpt|claude|bleu|chrf|rouge|meteor|bert|comet|score|metric|f1|match|pass|nli|sim")
_LIKE_A_SIZE = re.compile(
    r"(^|_)(n|num|number|count|len|length|tokens?|words?|chars?|time|seconds|latency|cost|year|date|seed|fold|index|rank|turn)(_|$)"
)


@dataclass(frozen=True)
class Chosen:
    """The columns that are used, the kind of each metric, and the columns that hold neither labels nor numbers."""

    roles: Roles
    kinds: Mapping[str, Kind]
    unusable: tuple[str, ...] = ()
    scale: bool = False

    @cached_property
    def scores(self) -> list[str]:
        """The metrics that are cut."""
        return [name for name in self.roles.metrics if self.kinds[name] == "scores"]

    @property
    def bins(self) -> list[str]:
        """The metrics whose scores are divided into levels."""
        return [name for name in self.roles.metrics if self.kinds[name] == "bins"]

    @property
    def numbers(self) -> list[str]:
        """The metrics that are numbers."""
        return [name for name in self.roles.metrics if self.kinds[name] in {"scores", "levels", "bins"}]

    def settled(self, rules: Rules, *, cut: bool) -> Chosen:
        """Decide what is cut: several metrics that are numbers, and those of which a threshold was asked for.

        Scores are divided into levels where that was asked for, or where people rate on a scale.
        """
        several, scale = len(self.roles.metrics) > 1, self.scale and rules.human_cut is None
        if scale and (several or cut) and self.numbers:
            hint = "or give --human-cut (human_cut=) to say which ratings are adequate"
            if several:
                raise InvalidInput.rule("metric", "be one where people rate on a scale", self.roles.metrics, hint)
            adequate = "with --human-cut 4 (human_cut=4), ratings from 4 on are adequate"
            raise InvalidInput.rule(
                "human_cut", "be given where people rate on a scale and scores are cut", None, adequate
            )
        found = dict(self.kinds)
        for name in self.roles.metrics:
            divided = {"scores": scale or rules.levels is not None, "levels": isinstance(rules.levels, int)}
            if cut or (several and found[name] == "levels"):
                found[name] = "scores"
            elif not several and divided.get(found[name]):
                found[name] = "bins"
        return replace(self, kinds=found, scale=scale)

    def as_scores(self, *names: str) -> Chosen:
        """Take metrics as scores, whatever they look like."""
        return replace(self, kinds={**self.kinds, **dict.fromkeys(names, "scores")})


@dataclass(frozen=True)
class Rules:
    """How votes, scores and bad cells become ratings, and how the rated outputs were chosen."""

    votes: Votes
    human_cut: float | None
    cut: ThresholdRule
    sampling: Sampling
    bad_cells: BadCells
    levels: int | Literal["auto"] | None = None
    fuse: Fuse = "joint"
    paired: bool = True
    classes: tuple[float, ...] = ()  # of a scale, where they are known; or else all ratings that occur


class _Look(NamedTuple):
    """What the first cells of a column look like."""

    kind: Kind
    clean: bool


def _roles(frame: Frame, asked: Asked) -> Roles:
    roles = assign(frame.columns, asked, where=frame.name)
    if not roles.human and set(map(plain, frame.columns)) & set(COLUMNS[1:]):
        raise DataError(f"{frame.name}: holds counts, not ratings. Hint: one row for each output")
    if not roles.human:
        columns = printable(", ".join(frame.columns))[:200]
        said = f"{frame.name}: no column `human`; the columns are {columns}. Hint: name the column with "
        raise DataError(Said(said, Option("human")))
    frame.check_plain(roles.columns)
    return roles


def _singly(frame: Frame, asked: Asked) -> Asked | None:
    """Take clusters as items where each system has one output for each: then nothing goes together in a system."""
    found = asked.cluster_as_item(frame.columns)
    if found is None or found.system not in frame.columns or found.item not in frame.columns:
        return None
    keys = [found.system, found.item, *([found.annotator] if found.annotator in frame.columns else [])]
    table = frame.named(*keys)
    nameless = table.table.filter(nw.col(found.item).is_null() & ~nw.col(found.system).is_null()).select(*keys)
    return None if any(frame.collect([table.twice(keys).head(1), nameless.head(1)])) else found


def candidates(frame: Frame, asked: Asked) -> tuple[Chosen, tuple[str, ...]]:
    """Take as metrics all columns that might be, or those that were named; and say which look like sizes."""
    roles = _roles(frame, asked)
    if roles.metrics:
        return Chosen(roles, {name: _kind(frame, name) for name in roles.metrics}), ()
    values = frame.first_values([name for name in roles.others if frame.is_plain(name)], deep=True)
    kinds = {name: _look(found).kind for name, found in values.items()}
    usable = [name for name, kind in kinds.items() if kind not in {"text", "nothing"}]
    sizes = tuple(name for name in usable if _LIKE_A_SIZE.search(name.lower()))
    metrics = tuple(name for name in usable if name not in sizes)
    unusable = tuple(name for name in roles.others if kinds.get(name, "text") == "text")
    return Chosen(replace(roles, metrics=metrics, others=()), {name: kinds[name] for name in metrics}, unusable), sizes


def choose(frame: Frame, asked: Asked) -> Chosen:
    """Find the columns; if nobody named a metric, the likeliest is taken."""
    singly = _singly(frame, asked)
    roles = replace(_roles(frame, singly or asked), singly=singly is not None)
    values = frame.first_values([name for name in roles.others if frame.is_plain(name)])
    looks = {name: _look(values[name]) if name in values else _Look("text", clean=False) for name in roles.others}
    unusable = tuple(name for name in roles.others if looks[name].kind == "text")
    usable = [name for name in roles.others if looks[name].kind not in {"text", "nothing"}]
    if len(usable) > 1 and not roles.metrics:
        beside = frame.first_values(usable, without=roles.human)
        usable.sort(key=lambda name: _unlikely(name, looks[name], covers=_look(beside[name]).kind != "nothing"))
    metrics = roles.metrics or tuple(usable[:1])  # none if people's ratings alone are wanted: there are no others
    others = () if roles.metrics else tuple(name for name in roles.others if name in usable[1:])
    people = frame.first_values(list(roles.human), deep=True)
    return Chosen(
        replace(roles, metrics=metrics, others=others),
        {name: _kind(frame, name) for name in metrics},
        unusable,
        all(_look(found).kind == "levels" for found in people.values()),
    )


def _look(values: Iterable[tuple[Any, int]]) -> _Look:
    """Tell by values and how often they stand there what a column holds; at least half must be labels or numbers."""
    there = [(value, n) for value, n in values if not labels.missing(value)]
    if labels.decimal_comma(value for value, _ in there):
        there = [(value.replace(",", ".") if labels.ambiguous(value) else value, n) for value, n in there]
    good = [(value, n) for value, n in there if fits(value)]
    clean, half = len(good) == len(there), sum(n for _, n in there) / 2
    if not there:
        return _Look("nothing", clean)
    if good and all(not isinstance(labels.label(value), Unknown) for value, _ in good):
        return _Look("labels" if sum(n for _, n in good) >= half else "text", clean)
    numbers = [(labels.score(value), n) for value, n in good if is_number(value)]
    if not numbers or sum(n for _, n in numbers) < half:
        return _Look("text", clean)
    found = {number for number, _ in numbers if isinstance(number, float)}
    levels = 2 < len(found) <= _MOST_LEVELS and all(number.is_integer() for number in found)  # noqa: PLR2004
    return _Look("levels" if levels else "scores", clean)


def _kind(frame: Frame, name: str) -> Kind:
    values = frame.first_values([name], deep=True)[name]
    kind = _look(values).kind
    if kind == "text":
        strange = [value for value, _ in values if isinstance(labels.label(value), Unknown)]
        value = min(strange, key=is_number)  # text rather than a number among labels
        raise frame.bad(name, value, "a metric must hold labels or numbers", labels.KNOWN)
    return kind


def _unlikely(name: str, look: _Look, *, covers: bool) -> tuple[bool, ...]:
    """Order columns by how unlikely they are the metric: no values where people did not rate, names, kinds."""
    plain = name.lower()
    sized, named = bool(_LIKE_A_SIZE.search(plain)), bool(LIKE_A_METRIC.search(plain))
    return not covers, sized, not (look.clean or named), look.kind != "labels", not named
