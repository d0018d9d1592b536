"""What a log says: outputs with their scores and people's ratings, or battles of two; and what was lost on the way."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tellapart.data.logs.values import Unreadable, number

if TYPE_CHECKING:
    import polars as pl

Key = tuple[str, str, str, int | None]


@dataclass
class Output:
    """One output of a system: what it is called, its texts, its scores and what people said of it.

    `lost` holds why a score is missing, by code and score; see `words.py`.
    """

    system: str
    item: str
    task: str = ""
    epoch: int | None = None
    input: str | None = None
    output: str | None = None
    document: str | None = None
    fingerprint: str | None = None
    scores: dict[str, float | None] = field(default_factory=dict)
    people: dict[str, list[float]] = field(default_factory=dict)
    lost: list[tuple[str, str]] = field(default_factory=list)

    @property
    def key(self) -> Key:
        """What tells it from other outputs."""
        return self.system, self.task, self.item, self.epoch

    def rate(self, score: str, value: Any, *, failed: bool = False) -> None:  # noqa: ANN401 - any JSON
        """Take a score; one that is missing, unreadable or an error of the judge is counted."""
        found = None
        try:
            found = None if failed else number(value)
            why = "judge failed" if failed else "unscored"
        except Unreadable:
            why = "unreadable"
        self.scores[score] = found
        if found is None:
            self.lost.append((why, score))

    def vote(self, name: str, value: Any) -> None:  # noqa: ANN401
        """Take what a person said; nothing is said by an empty cell."""
        try:
            found = number(value)
        except Unreadable:
            self.lost.append(("unreadable", name))
            return
        if found is not None:
            self.people.setdefault(name, []).append(found)

    def fail(self) -> None:
        """Count an output that was never made: whatever was said of it is no rating."""
        self.scores, self.people = dict.fromkeys(self.scores), {}
        self.lost = [("failed", "")]


@dataclass
class Battle:
    """Two outputs for an item, and who won, as a person or the judge says; nothing where there is no verdict."""

    first: str
    second: str
    item: str
    turn: int | None
    winner: str | None
    voter: str
    judge: str = ""  # empty where the voter is a person


@dataclass
class Part:
    """What one file or directory holds. `run` names the run, of which a newer log (`created`) replaces an older."""

    kind: str
    name: str
    labels: tuple[str, ...]  # what to call its systems where others are called alike: the shortest first
    run: str = ""
    created: str = ""
    outputs: list[Output] = field(default_factory=list)
    battles: list[Battle] = field(default_factory=list)
    judges: set[str] = field(default_factory=set)
    facts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def numbered(self) -> Part:
        """Number outputs that are called alike, as repeats."""
        times = Counter(output.key for output in self.outputs)
        seen = Counter[Key]()
        if any(n > 1 for n in times.values()):
            for output in self.outputs:
                seen[output.key] += 1
                if output.epoch is None:
                    output.epoch = seen[output.key]
        return self


@dataclass(frozen=True)
class Log:
    """What one or more logs hold together: a table with a row for each output, or each battle of two.

    The columns are `system`, `item`, where they exist `task`, `epoch`, `document`, `fingerprint`, `input` and `output`,
    one for each of the `scores`, and those of `people`. `judges` are the scores that the log says an LLM gave. `facts`
    counts what is missing and why.
    """

    kind: str
    name: str
    frame: pl.DataFrame
    scores: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    facts: Counter[tuple[str, str]] = field(default_factory=Counter)
    pairs: bool = False
