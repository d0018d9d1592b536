"""Inspect AI: .eval files, zips of JSON, and .json; what people wrote over the judge's verdicts is taken apart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tellapart.data.logs.archive import Archive
from tellapart.data.logs.model import Output, Part
from tellapart.data.logs.values import at, digest, mapping, name, objects, words
from tellapart.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tellapart.data.logs.opened import File

_LETTERS = {"C": 1, "P": 0.5, "I": 0, "N": 0}  # correct, partly, incorrect, no answer
_FAILED = {"grader_failed", "scoring_failed"}
_KNOWS_NAN = (0, 3, 245)  # before, about, a verdict of the judge that could not be read was stored as I
_KEPT = "UNCHANGED"
Sample = dict[str, Any]


def sniff(file: File) -> bool:
    """Whether a file is a log of Inspect."""
    if file.name.endswith(".eval"):
        return True
    if file.head.startswith(b"PK"):
        return {"header.json", "_journal/start.json"} & _members(file) != set()
    return isinstance(at(file.first, "eval"), dict) and bool({"samples", "status", "plan"} & file.first.keys())


def _members(file: File) -> set[str]:
    try:
        with Archive(file) as archive:
            return set(archive.members)
    except DataError:
        return set()


def read(file: File) -> Part:
    """Read a log."""
    if file.head.startswith((b"{", b"[")):
        header = mapping(file.whole())
        return _read(file, header, {_key(sample): sample for sample in objects(header.get("samples"))}.values())
    with Archive(file) as archive:
        return _read(file, _header(archive), _samples(archive))


def _read(file: File, header: Sample, samples: Iterable[Sample]) -> Part:
    run = mapping(header.get("eval"))
    if not run.get("model"):
        raise DataError(f"{file.name}: names no model in `eval`. Hint: is it a log of Inspect?")
    part = Part("inspect", file.name, file.labels, words(run.get("task_id")), words(run.get("created")))
    judges = _judges(header)
    part.judges |= judges.keys()
    for sample in samples:
        if sample.get("invalidation"):
            part.facts["invalidated", ""] += 1
        else:
            part.outputs.append(_output(sample, header, judges))
    _remark(part, header)
    return part


def _remark(part: Part, header: Sample) -> None:
    """Say what holds for the whole log: that it is unfinished, or as old as to store judge errors as failures."""
    if header.get("status") != "success":
        part.facts["unfinished", ""] += 1
    version = tuple(map(int, re.findall(r"[0-9]{1,6}", words(at(header, "eval", "packages", "inspect_ai")))[:3]))
    if () < version < _KNOWS_NAN:
        part.facts.update(("old judge", judge) for judge in part.judges)


def _header(archive: Archive) -> Sample:
    """Return the header; of an unfinished log, what was written at its start."""
    for member in ("header.json", "_journal/start.json"):
        if member in archive.members:
            return mapping(archive.json(member))
    raise DataError(f"{archive.name}: holds neither header.json nor _journal/start.json. Hint: is it a log of Inspect?")


def _samples(archive: Archive) -> Iterator[Sample]:
    """Return the samples, or, where one is not there, its summary."""
    seen = set()
    for member in archive.members:
        if member.startswith("samples/") and member.endswith(".json"):
            sample = mapping(archive.json(member))
            seen.add(_key(sample))
            yield sample
    summaries = ["summaries.json"]
    if "summaries.json" not in archive.members:
        journals = [member for member in archive.members if member.startswith("_journal/summaries/")]
        summaries = sorted(journals, key=lambda member: (len(member), member))
    found = {_key(each): each for member in summaries for each in objects(archive.json(member))} if summaries else {}
    yield from (summary for key, summary in found.items() if key not in seen)


def _key(sample: Sample) -> tuple[str, str]:
    return words(sample.get("id")), words(sample.get("epoch"))


def _judges(header: Sample) -> dict[str, str]:
    """Return the scores that a model gives, and who that is: model, and hash of template and other options."""
    found, seen = {}, dict[str, int]()
    scorers = objects(at(header, "eval", "scorers")) or objects(at(header, "results", "scores"))
    for scorer in scorers:
        own = name(scorer.get("name")).rpartition("/")[2]
        score = f"{own}{seen[own]}" if own in seen else own  # the second of a kind is own1
        seen[own] = seen.get(own, 0) + 1
        options = mapping(scorer.get("options") or scorer.get("params"))
        model = options.get("model")
        model = at(model, "model") or (model if isinstance(model, str) else None)
        if model or own.startswith("model_graded"):
            model = model or at(header, "eval", "model_roles", "grader", "model") or at(header, "eval", "model")
            others = {key: value for key, value in options.items() if key != "model"}
            found[score] = f"{name(model)}#{digest(others)}"
    return found


def _output(sample: Sample, header: Sample, judges: Mapping[str, str]) -> Output:
    epoch = sample.get("epoch")
    output = Output(
        name(at(header, "eval", "model")),
        name(sample.get("id")),
        name(at(header, "eval", "task")),
        epoch if isinstance(epoch, int) else 1,
        _input(sample.get("input")),
        _answer(sample.get("output")),
        fingerprint="; ".join(f"{score}={who}" for score, who in judges.items()) or None,
    )
    scores = sample.get("scores")
    if scores is None and sample.get("score") is not None:  # logs of version 1
        scores = {name(at(header, "eval", "scorer")) or "score": sample["score"]}
    for score, found in mapping(scores).items():
        _rate(output, name(score), mapping(found))
    if sample.get("error") and not output.scores and not output.people:
        output.fail()
    return output


def _input(found: Any) -> str | None:  # noqa: ANN401
    """Return the question: text, or what the user said last in a list of messages."""
    if isinstance(found, list):
        said = [message.get("content") for message in objects(found) if message.get("role") == "user"]
        found = said[-1] if said else found
    return words(found) or None


def _answer(found: Any) -> str | None:  # noqa: ANN401
    choices = objects(at(found, "choices"))
    return words(at(found, "completion") or (at(choices[0], "message", "content") if choices else None)) or None


def _rate(output: Output, score: str, found: Sample) -> None:
    """Take a score: what the scorer said, and what a person put in its place."""
    edits = objects(found.get("history"))
    said = [edit.get("value") for edit in edits if edit.get("provenance") and edit.get("value") != _KEPT]
    added = bool(edits) and bool(edits[0].get("provenance"))  # nobody but people gave it
    if score.lower().startswith("human") or added:
        output.vote(score, _value(found.get("value")))
        return
    if said:
        output.lost.append(("overruled", score))
        output.people.setdefault("", [])  # by whom is asked later: a rating of its own goes before
        output.vote("", _value(said[-1]))
    value = edits[0].get("value") if said else found.get("value")
    failed = words(found.get("reason")) in _FAILED
    if isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value, 1):
            output.rate(f"{score}.{name(key)}", _value(one), failed=failed)
    else:
        output.rate(score, _value(value), failed=failed)


def _value(value: Any) -> Any:  # noqa: ANN401
    return _LETTERS.get(value, value) if isinstance(value, str) else value
