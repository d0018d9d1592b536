"""promptfoo: JSON, JSON lines and CSV; the parts of each grading, as people and judge are both there only in these."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from tellapart.data.logs.model import Output, Part
from tellapart.data.logs.values import at, digest, mapping, name, objects, words
from tellapart.errors import DataError

if TYPE_CHECKING:
    from tellapart.data.logs.opened import File

_ERROR = 2  # of failureReason
_JUDGES = re.compile(r"rubric|model-graded|factuality|g-eval|closedqa|relevance|faithfulness|recall|^pi$|select-best")
_PEOPLE = "Manual result"
_SHOWN = 40  # letters of a prompt
Entry = dict[str, Any]


def sniff(file: File) -> bool:
    """Whether a file is a log of promptfoo."""
    if isinstance(at(file.first, "results", "results"), list) or isinstance(at(file.first, "results", "table"), dict):
        return True
    entry = mapping(file.first)
    return {"provider", "testCase"} <= entry.keys() or {"Status", "Score", "Grader Reason"} <= set(file.header)


def read(file: File) -> Part:
    """Read a log."""
    part = Part("promptfoo", file.name, file.labels)
    if file.header:
        _read_csv(file, part)
        return part.numbered()
    entries = objects(at(file.first, "results", "results")) or [e for e in file.records() if "provider" in e]
    if not entries:
        raise DataError(f"{file.name}: holds no results. Hint: write it with promptfoo eval -o results.json")
    systems, items = _systems(entries), _items(entries)
    order = sorted(range(len(entries)), key=lambda i: _index(entries[i]))
    for i in order:
        part.outputs.append(_output(entries[i], systems[i], items[i], part))
    return part.numbered()


def _index(entry: Entry) -> int:
    index = entry.get("testIdx")
    return index if isinstance(index, int) else 0


def _systems(entries: list[Entry]) -> list[str]:
    """Name the systems: providers, with the prompt where a provider has several."""
    providers = [_provider(entry.get("provider")) for entry in entries]
    prompts = [name(at(entry, "prompt", "label")) for entry in entries]
    several: dict[str, set[str]] = defaultdict(set)
    for provider, prompt in zip(providers, prompts, strict=True):
        several[provider].add(prompt)
    return [
        f"{provider} [{_short(prompt)}]" if len(several[provider]) > 1 else provider
        for provider, prompt in zip(providers, prompts, strict=True)
    ]


def _short(prompt: str) -> str:
    return prompt if len(prompt) <= _SHOWN else f"{prompt[:_SHOWN]}…{digest(prompt)[:4]}"


def _provider(found: Any) -> str:  # noqa: ANN401
    return name(at(found, "label") or at(found, "id") or (found if isinstance(found, str) else None)) or "provider"


def _items(entries: list[Entry]) -> list[str]:
    """Name the items: by description where each stands for the same variables, or else by these."""
    described = [name(at(entry, "testCase", "description")) for entry in entries]
    variables = [mapping(entry.get("vars") or at(entry, "testCase", "vars")) for entry in entries]
    texts = [name(next(iter(v.values())) if len(v) == 1 else v) for v in variables]
    meant: dict[str, set[str]] = defaultdict(set)
    for item, text in zip(described, texts, strict=True):
        meant[item].add(text)
    clear = "" not in meant and all(len(found) == 1 for found in meant.values())
    tests = (f"test {_index(entry)}" for entry in entries)
    return described if clear else [text if v else test for text, v, test in zip(texts, variables, tests, strict=True)]


def _output(entry: Entry, system: str, item: str, part: Part) -> Output:
    response = entry.get("response")
    said = words(at(response, "output") if isinstance(response, dict) else response) or None
    output = Output(system, item, input=words(at(entry, "prompt", "raw")) or None, output=said)
    seen, who = Counter[str](), []
    for component in objects(at(entry, "gradingResult", "componentResults")):
        assertion = mapping(component.get("assertion"))
        if assertion.get("type") == "human":
            output.vote("human", component.get("pass"))
            continue
        kind = words(assertion.get("type"))
        score = name(assertion.get("metric")) or name(kind) or "score"
        seen[score] += 1
        score = f"{score} {seen[score]}" if seen[score] > 1 else score
        output.rate(score, component.get("score"), failed=at(component, "metadata", "graderError") is True)
        if _JUDGES.search(kind):
            part.judges.add(score)
            grader = assertion.get("provider") or at(entry, "testCase", "options", "provider")
            who.append(f"{score}={digest(assertion.get('value'), grader)}")
    output.fingerprint = "; ".join(sorted(who)) or None
    if entry.get("failureReason") == _ERROR or not isinstance(entry.get("gradingResult"), dict):
        output.fail()
    return output


def _read_csv(file: File, part: Part) -> None:
    """Read the table of the page: variables, then a group of columns for each system, called alike in each."""
    header, rows = file.header, file.rows()
    starts = [i - 1 for i, column in enumerate(header) if column == "Status" and i]
    if not starts:
        raise DataError(f"{file.name}: has no column `Status`. Hint: give a CSV file of promptfoo, or its JSON")
    for start, end in zip(starts, [*starts[1:], len(header)], strict=True):
        label = re.match(r"\[(.*?)\]", header[start])
        system = name(label.group(1) if label else header[start])
        for row in rows:
            variables = dict(zip(header[: starts[0]], row, strict=False))
            item = name(variables.get("Description") or json.dumps(variables, ensure_ascii=False))
            output = Output(system, item, output=row[start] or None)
            group = dict(zip(header[start:end], row[start:end], strict=False))
            part.outputs.append(_graded(output, group))


def _graded(output: Output, group: dict[str, str]) -> Output:
    for column, cell in group.items():
        if column.startswith("Metric: "):
            output.rate(name(column.removeprefix("Metric: ")), cell)
    if group.get("Grader Reason", "").startswith(_PEOPLE):
        output.vote("human", group.get("Status"))
    if group.get("Status") == "ERROR":
        output.fail()
    return output
