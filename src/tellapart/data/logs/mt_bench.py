"""MT-Bench and Arena: grades of single answers; verdicts of a judge and votes of people on pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tellapart.data.logs.model import Battle, Output, Part
from tellapart.data.logs.values import mapping, name, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tellapart.data.logs.opened import File

_NO_RATING = -1
_SINGLE = {"question_id", "model", "judge", "score"}
_PAIR = {"question_id", "model_1", "model_2", "g1_winner"}
_VOTES = {"question_id", "model_a", "model_b", "winner", "judge"}
_TURNED = {"model_1": "b", "model_2": "a", "tie": "tie"}
_STRAIGHT = {"model_1": "a", "model_2": "b", "tie": "tie"}
Entry = dict[str, Any]


def sniff(file: File) -> bool:
    """Whether a file holds judgments of MT-Bench, or votes as an arena has them."""
    first = file.first[0] if isinstance(file.first, list) and file.first else file.first
    return any(keys <= mapping(first).keys() for keys in (_SINGLE, _PAIR, _VOTES))


def read(file: File) -> Part:
    """Read judgments or votes."""
    part, grades = Part("mt-bench", file.name, file.labels), dict[Any, Output]()
    for entry in file.records():
        if "g1_winner" in entry:
            part.battles += _both_orders(entry)
        elif "winner" in entry:
            part.battles.append(_vote(entry))
        else:
            _grade(part, entry, grades)
    part.outputs += grades.values()
    return part


def _turn(entry: Entry) -> int | None:
    turn = entry.get("turn")
    return turn if isinstance(turn, int) else None


def _judge(entry: Entry) -> tuple[str, str]:
    """Return the judge's model and prompt; people are written as one name."""
    judge = entry.get("judge")
    found = [name(each) for each in judge] if isinstance(judge, list) else [name(judge)]
    return found[0] if found else "judge", ":".join(found)


def _grade(part: Part, entry: Entry, grades: dict[Any, Output]) -> None:
    """Take a grade; one that was given again replaces the older."""
    judge, who = _judge(entry)
    system, item, turn = name(entry.get("model")), name(entry.get("question_id")), _turn(entry)
    output = grades.setdefault((system, item, turn), Output(system, item, epoch=turn))
    output.lost = [(code, score) for code, score in output.lost if score != judge]
    score = entry.get("score")
    output.rate(judge, None if score == _NO_RATING else score)
    output.output = words(entry.get("user_prompt")) or None  # the question, and the answer in it
    output.fingerprint = "; ".join(sorted({*filter(None, (output.fingerprint or "").split("; ")), who}))
    part.judges.add(judge)


def _both_orders(entry: Entry) -> Iterator[Battle]:
    """Return the verdicts on both orders of a pair: one that is an error leaves none."""
    one, two, item = (name(entry.get(key)) for key in ("model_1", "model_2", "question_id"))
    said = words(entry.get("g1_winner")), words(entry.get("g2_winner", entry.get("g1_winner")))
    judge, who = _judge(entry)
    known = all(each in _STRAIGHT for each in said)
    straight, turned = (_STRAIGHT[said[0]], _TURNED[said[1]]) if known else (None, None)
    yield Battle(one, two, item, _turn(entry), straight, who, judge)
    yield Battle(two, one, item, _turn(entry), turned, who, judge)


def _vote(entry: Entry) -> Battle:
    one, two, item = (name(entry.get(key)) for key in ("model_a", "model_b", "question_id"))
    model, who = _judge(entry)
    judge = model if isinstance(entry.get("judge"), list) else ""  # people are written as text
    return Battle(one, two, item, _turn(entry), name(entry.get("winner")) or None, who, judge)
