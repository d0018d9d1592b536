"""Several logs as one table: systems that are called alike told apart, newer runs for older, columns named."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import polars as pl

from tellapart.data.logs.model import Log
from tellapart.data.roles import set_aside
from tellapart.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tellapart.data.logs.model import Battle, Key, Output, Part

_TEXTS = ("task", "document", "fingerprint", "input", "output")
_FIRST = ("system", "task", "item", "epoch", "cluster", *_TEXTS[1:], "human")
_LISTED = 3  # files that a name lists


def merged(parts: Sequence[Part]) -> Log:
    """Put what several files hold into one table."""
    kind = ", ".join(dict.fromkeys(part.kind for part in parts))
    battles = [battle for part in parts for battle in part.battles]
    if battles and any(part.outputs for part in parts):
        hint = "compare them one after the other"
        raise DataError(f"{_called(parts)}: some hold pairs of outputs, others single outputs. Hint: {hint}")
    if battles:
        return _pairs(kind, _called(parts), battles)
    _tell_apart(parts)
    outputs = _together(parts)
    facts = Counter(fact for output in outputs for fact in output.lost)
    for part in parts:
        facts.update(part.facts)
    facts += Counter({("inputs", ""): _different(outputs)})
    return _table(kind, _called(parts), outputs, {judge for part in parts for judge in part.judges}, facts)


def _called(parts: Sequence[Part]) -> str:
    names = [part.name for part in parts]
    return " and ".join(names) if len(names) < _LISTED else f"{names[0]} and {len(names) - 1} more"


def _agree(one: Output, other: Output) -> bool:
    """Whether two may be the same output: no score, no rating and no text of the one contradicts the other."""
    scores = all(one.scores[score] == other.scores[score] for score in one.scores.keys() & other.scores.keys())
    people = all(one.people[rater] == other.people[rater] for rater in one.people.keys() & other.people.keys())
    return scores and people and (one.output == other.output or None in {one.output, other.output})


def _tell_apart(parts: Sequence[Part]) -> None:
    """Name systems by their file, too, where another file has other outputs of a system that is called alike."""
    first: dict[Key, tuple[int, Output]] = {}
    alike: set[tuple[int, str]] = set()
    for index, part in enumerate(parts):
        for output in part.outputs:
            other, older = first.setdefault(output.key, (index, output))
            again = part.run and part.run == parts[other].run
            if other != index and not again and not _agree(output, older):
                alike |= {(index, output.system), (other, output.system)}
    for index, part in enumerate(parts):
        for output in part.outputs:
            if (index, output.system) in alike:
                output.system = f"{output.system} ({part.labels[0]})"


def _together(parts: Sequence[Part]) -> list[Output]:
    """Return each output once; of a run that was repeated, the newer."""
    found: dict[Key, Output] = {}
    for part in sorted(parts, key=lambda part: part.created if part.run else ""):
        for output in part.outputs:
            older = found.get(output.key)
            if older is not None and _agree(output, older):
                output.scores = older.scores | output.scores
                output.people = older.people | output.people
                output.output, output.input = output.output or older.output, output.input or older.input
                output.lost = list(dict.fromkeys(older.lost + output.lost))
            found[output.key] = output
    return list(found.values())


def _different(outputs: Iterable[Output]) -> int:
    """Count the items that are not the same question for all systems."""
    asked: dict[tuple[str, str], set[str]] = defaultdict(set)
    for output in outputs:
        if output.input is not None:
            asked[output.task, output.item].add(output.input)
    return sum(len(found) > 1 for found in asked.values())


def _table(kind: str, name: str, outputs: Sequence[Output], judges: set[str], facts: Counter[tuple[str, str]]) -> Log:
    columns: dict[str, list[Any]] = {"system": [o.system for o in outputs], "item": [o.item for o in outputs]}
    for text in _TEXTS:
        values = [getattr(output, text) or None for output in outputs]
        columns |= {text: values} if any(value is not None for value in values) else {}
    epochs = [output.epoch for output in outputs]
    columns |= {"epoch": epochs} if len({*epochs} - {None}) > 1 else {}
    types: dict[str, Any] = {c: pl.Int64 if c == "epoch" else pl.String for c in columns}
    names = _score_names(outputs)
    people = _people(outputs, set(names.values()))
    scores = {shown: [output.scores.get(own) for output in outputs] for own, shown in names.items()}
    frame = pl.DataFrame(columns, schema=types, strict=False).with_columns(
        _whole(pl.Series(column, values, dtype=pl.Float64, strict=False))
        for column, values in (scores | people).items()
    )
    some = tuple(shown for shown, values in scores.items() if any(value is not None for value in values))
    shown = tuple(names[judge] for judge in names if judge in judges and names[judge] in some)
    lost = Counter({(code, names.get(score, score)): n for (code, score), n in facts.items()})
    return Log(kind, name, frame, some, tuple(people), shown, lost)


def _whole(values: pl.Series) -> pl.Series:
    """Write numbers that are all whole without a decimal point."""
    whole = values.drop_nulls()
    fits = bool(((whole == whole.round()) & (whole.abs() < 2**53)).all())
    return values.cast(pl.Int64) if fits else values


def _score_names(outputs: Iterable[Output]) -> dict[str, str]:
    """Name the columns of scores; a score that is called like another column is called so and score."""
    own = dict.fromkeys(score for output in outputs for score in output.scores)
    return {name: f"{name} score" if set_aside(name) or "^" in name or "*" in name else name for name in own}


def _people(outputs: Sequence[Output], scores: set[str]) -> dict[str, list[Any]]:
    """Return people's ratings: in the column `human`, or several where there are several questions or raters.

    What a person wrote over a judge's verdict (rater "") counts where the person said nothing else of the output.
    """
    raters = dict.fromkeys(rater for output in outputs for rater in output.people if rater)
    over = "human" if "human" in raters or not raters else next(iter(raters))
    for output in outputs:
        written = output.people.pop("", [])
        if written and over not in output.people:
            output.people[over] = written
            raters.setdefault(over)
    found = {}
    for rater in raters:
        taken = rater in scores or (set_aside(rater) and rater != "human")
        name = "human" if len(raters) == 1 else f"human {rater}" if taken else rater
        votes = [output.people.get(rater, []) for output in outputs]
        most = max(map(len, votes), default=0)
        for k in range(most):
            column = name if most == 1 else f"{name}_{k + 1}"
            found[column] = [each[k] if k < len(each) else None for each in votes]
    return found


def _pairs(kind: str, name: str, battles: Sequence[Battle]) -> Log:
    """Return a table of pairs: people's votes in the column `human`, each judge's verdicts in one called after it."""
    judges = list(dict.fromkeys(battle.judge for battle in battles if battle.judge))
    columns: dict[str, list[Any]] = {
        "model_a": [b.first for b in battles],
        "model_b": [b.second for b in battles],
        "item": [b.item for b in battles],
        "turn": [b.turn for b in battles],
        "annotator": [b.voter for b in battles],
        "human": [None if b.judge else b.winner for b in battles],
    }
    columns |= {
        j if not set_aside(j) else f"{j} judge": [b.winner if b.judge == j else None for b in battles] for j in judges
    }
    frame = pl.DataFrame(columns, schema={c: pl.Int64 if c == "turn" else pl.String for c in columns}, strict=False)
    frame = frame.drop([] if frame["turn"].n_unique() > 1 else ["turn"])
    frame = frame.unique(maintain_order=True)
    people = ("human",) if frame["human"].is_not_null().any() else ()
    empty = {(b.judge, b.item, b.turn, *sorted((b.first, b.second))) for b in battles if b.judge and not b.winner}
    lost = Counter(("no verdict", str(each[0])) for each in empty)  # once for both orders
    names = tuple(frame.columns[-len(judges) :] if judges else ())
    return Log(kind, name, frame, names, people, names, lost, pairs=True)


def ready(frame: pl.DataFrame) -> pl.DataFrame:
    """Name items so that each stands once a system: task/item where there are several tasks, item@epoch with epochs.

    With epochs, `cluster` holds the item without its epoch.
    """
    item = pl.col("item")
    if "task" in frame.columns and frame["task"].n_unique() > 1:
        item = pl.concat_str(pl.col("task").fill_null(""), item, separator="/")
    named = {"item": item}
    if "epoch" in frame.columns:
        epoch = pl.col("epoch").cast(pl.String).fill_null("1")
        named = {"item": pl.concat_str(item, epoch, separator="@"), "cluster": item}
    frame = frame.with_columns(**named)
    first = [column for column in _FIRST if column in frame.columns]
    return frame.select(*first, pl.exclude(*first))
