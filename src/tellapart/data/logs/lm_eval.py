"""lm-evaluation-harness: a folder with results_*.json and samples_*.jsonl, a line for each document and filter."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tellapart.data.files import called
from tellapart.data.logs.model import Output, Part
from tellapart.data.logs.opened import File
from tellapart.data.logs.values import Unreadable, at, mapping, name, number, words
from tellapart.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SAMPLES = re.compile(r"samples_(?P<task>.+?)_(?P<stamp>\d{4}-\d{2}-\d{2}T[\d.:-]+)\.jsonl")
_KNOWN = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
    "target_hash", "schema_version",
}  # fmt: skip
Line = dict[str, Any]


def sniff(file: File) -> bool:
    """Whether a file holds samples or results of lm-eval."""
    first = file.first[0] if isinstance(file.first, list) and file.first else file.first
    if {"doc_id", "filtered_resps"} <= mapping(first).keys():
        return True
    return isinstance(at(first, "results"), dict) and {"n-shot", "versions"} <= mapping(first).keys()


def sniff_folder(path: Path) -> bool:
    """Whether a folder holds samples of lm-eval."""
    return any(_SAMPLES.fullmatch(child.name) for child in path.iterdir())


def read(file: File) -> Part:
    """Read a samples file, or those that belong to a results file."""
    if file.path is None or _SAMPLES.fullmatch(file.path.name):
        return _read(file, [file.path] if file.path else [])
    stamp = file.path.stem.removeprefix("results_")
    return _read(file, sorted(file.path.parent.glob(f"samples_*_{stamp}.jsonl")))


def read_folder(folder: File) -> Part:
    """Read the newest samples of each task in a folder."""
    newest: dict[str, Path] = {}
    for child in sorted((folder.path or Path()).iterdir(), key=_stamp):
        if found := _SAMPLES.fullmatch(child.name):
            newest[found["task"]] = child
    return _read(folder, sorted(newest.values()))


def _stamp(path: Path) -> str:
    found = _SAMPLES.fullmatch(path.name)
    return found["stamp"] if found else ""


def _read(file: File, samples: list[Path]) -> Part:
    if not samples:
        raise DataError(f"{file.name}: there are no samples_*.jsonl beside it. Hint: run lm_eval with --log_samples")
    part = Part("lm-eval", file.name, file.labels)
    for path in samples:
        found = _SAMPLES.fullmatch(path.name)
        task = name(found["task"]) if found else name(path.stem)
        part.outputs += _outputs(File(called(path), path), _system(path), task)
    return part


def _system(samples: Path) -> str:
    """Return the model's name, which only the results of the same stamp hold; or else the folder's name."""
    results = samples.parent / f"results_{_stamp(samples)}.json"
    found = File(called(results), results).first if results.is_file() else None
    return name(at(found, "model_name")) or name(samples.absolute().parent.name)


def _outputs(file: File, system: str, task: str) -> Iterator[Output]:
    filters, found = list(_filters(file.records())), dict[str, Output]()
    for line, which in zip(file.records(), filters, strict=True):
        item = name(line.get("doc_id"))
        output = found.setdefault(item, Output(system, item, task, None, _question(line), _answer(line)))
        for score, value in _scores(line):
            output.rate(f"{score}@{which}" if len(set(filters)) > 1 else score, value)
    yield from found.values()


def _filters(lines: Iterable[Line]) -> Iterator[str]:
    """Return the filter of each line; before 0.4.7, lines of an item are told apart by their order only."""
    seen = Counter[str]()
    for line in lines:
        item = words(line.get("doc_id"))
        seen[item] += 1
        yield name(line.get("filter")) or str(seen[item])


def _scores(line: Line) -> Iterator[tuple[str, Any]]:
    """Return what is a number; pairs of texts and sums are no scores of one item."""
    named = line.get("metrics")
    keys = [k for k in named if isinstance(k, str)] if isinstance(named, list) else [k for k in line if k not in _KNOWN]
    for key in keys:
        try:
            number(line.get(key))
        except Unreadable:
            continue
        yield name(key), line.get(key)


def _question(line: Line) -> str | None:
    first = at(line, "arguments", "gen_args_0", "arg_0")
    old = line.get("arguments")
    if first is None and isinstance(old, list) and old and isinstance(old[0], list) and old[0]:
        first = old[0][0]
    return words(first if first is not None else line.get("doc")) or None


def _answer(line: Line) -> str | None:
    """Return the first response; of choices there are numbers only."""
    found = line.get("resps")
    for _ in range(2):
        found = found[0] if isinstance(found, list) and found else None
    return words(found) if isinstance(found, str) else None
