"""Which harness wrote a log: told by what it holds, or as one is told; and all logs of a command read together."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.data.files import called, lasting
from tellapart.data.logs import inspect_ai, lm_eval, mt_bench, mt_metrics, platforms, promptfoo, simple
from tellapart.data.logs.merge import merged
from tellapart.data.logs.opened import File
from tellapart.errors import DataError, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tellapart.data.logs.model import Log, Part

_SUFFIXES = {".eval", ".json", ".jsonl", ".ndjson", ".csv", ""}  # of files in a folder that may be logs
_DEEPEST = 8  # folders within folders


@dataclass(frozen=True)
class Format:
    """One kind of log: its name, what is read, an example, and how."""

    name: str
    reads: str
    example: str
    sniff: Callable[[File], bool]
    read: Callable[[File], Part]
    sniff_folder: Callable[[Path], bool] | None = None
    read_folder: Callable[[File], Part] | None = None


FORMATS = (
    Format(
        "inspect",
        "Inspect AI: .eval or .json, finished or not; scores, and what people wrote over them",
        "logs/*.eval",
        inspect_ai.sniff,
        inspect_ai.read,
    ),
    Format(
        "promptfoo",
        "promptfoo: .json, .jsonl or .csv; each assertion is a score, thumbs are people's ratings",
        "results.json",
        promptfoo.sniff,
        promptfoo.read,
    ),
    Format(
        "lm-eval",
        "lm-evaluation-harness: a folder with results_*.json and samples_*.jsonl; the newest run of each task",
        "out/model",
        lm_eval.sniff,
        lm_eval.read,
        lm_eval.sniff_folder,
        lm_eval.read_folder,
    ),
    Format(
        "mlflow",
        "MLflow: traces as JSON lines with their assessments, or a result_df as CSV",
        "traces.jsonl",
        platforms.sniff_mlflow,
        platforms.read_mlflow,
    ),
    Format(
        "langfuse",
        "Langfuse: scores as CSV or JSON; annotations are people's ratings",
        "scores.csv",
        platforms.sniff_langfuse,
        platforms.read_langfuse,
    ),
    Format(
        "phoenix",
        "Phoenix: annotations or evaluations as CSV or JSON",
        "annotations.csv",
        platforms.sniff_phoenix,
        platforms.read_phoenix,
    ),
    Format(
        "deepeval",
        "DeepEval: test_run_*.json; a metric that raised has no score",
        "test_run_20260101_120000.json",
        simple.sniff_deepeval,
        simple.read_deepeval,
    ),
    Format(
        "ragas",
        "Ragas: the CSV of to_pandas or of an experiment, one file a system",
        "alpha.csv beta.csv",
        simple.sniff_ragas,
        simple.read_ragas,
    ),
    Format(
        "openai-evals",
        "OpenAI evals: the .jsonl of events of a run",
        "run.jsonl",
        simple.sniff_openai,
        simple.read_openai,
    ),
    Format(
        "alpaca-eval",
        "AlpacaEval: annotations.json; a win over the reference is 1, a tie 0.5",
        "model/judge/annotations.json",
        simple.sniff_alpaca,
        simple.read_alpaca,
    ),
    Format(
        "mt-bench",
        "MT-Bench and Arena: *_single.jsonl, *_pair.jsonl, votes of people on pairs",
        "gpt-4_pair.jsonl human_judgments.jsonl",
        mt_bench.sniff,
        mt_bench.read,
    ),
    Format(
        "mt-metrics-eval",
        "mt-metrics-eval: the directory of a test set; scores of segments",
        "mt-metrics-eval-v2/wmt23",
        mt_metrics.sniff,
        mt_metrics.read,
        mt_metrics.sniff_folder,
        mt_metrics.read_folder,
    ),
)
BY_NAME = {each.name: each for each in FORMATS}


def format_of(file: File) -> Format | None:
    """Tell which harness wrote a file, or the files of a directory; nothing if none did."""
    path = file.path
    if path is not None and path.is_dir():
        return next((each for each in FORMATS if each.sniff_folder and each.sniff_folder(path)), None)
    found = next((each for each in FORMATS if each.sniff(file)), None)
    file.forget()
    return found


def named(kind: str | None) -> Format | None:
    """Return a format by its name."""
    if kind is not None and kind not in BY_NAME:
        raise InvalidInput.rule("--as (kind=)", f"be one of {', '.join(BY_NAME)}", kind, "see tellapart formats")
    return None if kind is None else BY_NAME[kind]


def read_logs(paths: str | Path | Sequence[str | Path], kind: str | None = None) -> Log:
    """Read one or more logs of evaluation harnesses into one table.

    Parameters
    ----------
    paths : path or list of paths
        Files, directories, or patterns such as "logs/*.eval".
    kind : str, optional
        The format, if it is not to be told by what the files hold: see `tellapart formats`.

    Returns
    -------
    Log
        One row for each output, with its scores; `facts` counts what is missing.

    Raises
    ------
    DataError
        Where a file is damaged or no log that is known.
    """
    asked = named(kind)
    found = files(paths, asked)
    return read_files(found, [asked or _known(file) for file in found])


def _known(file: File) -> Format:
    found = format_of(file)
    if found is None:
        hint = "tellapart formats lists the logs that are read; say which with --as (kind=)"
        raise DataError(f"{file.name}: is not a log of a known format. Hint: {hint}")
    return found


def read_files(found: Sequence[File], formats: Sequence[Format]) -> Log:
    """Read files of known formats into one table."""
    return merged([_read(file, each) for file, each in zip(found, formats, strict=True)])


def _read(file: File, found: Format) -> Part:
    if file.path is not None and file.path.is_dir():
        if found.read_folder is None:
            raise DataError(f"{file.name}: is a directory, {found.name} logs are files. Hint: name the files")
        part = found.read_folder(file)
    else:
        part = found.read(file)
        file.forget()
    if not part.outputs and not part.battles:
        raise DataError(f"{file.name}: holds no outputs. Hint: is it a complete log of {found.name}?")
    return part


def files(
    paths: str | Path | Sequence[str | Path | File], asked: Format | None = None, *, patterns: bool = True
) -> list[File]:
    """Find the files: patterns that no shell resolved are resolved, directories are looked through for logs."""
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    if not given:
        raise InvalidInput.rule("FILE", "be given", paths, "for example tellapart compare ratings.csv")
    opened = [path for path in given if isinstance(path, File)]
    named = [path for path in given if not isinstance(path, File)]
    looked = [each for path in named for each in (_resolved(path) if patterns else [path])]
    return opened + _labelled([file for path in looked for file in _within(path, asked)])


def _resolved(path: str | Path) -> Iterable[str | Path]:
    """Resolve a pattern, unless it is a path or a file is called like it."""
    text = str(path)
    if isinstance(path, Path) or not glob.has_magic(text) or os.path.lexists(text):
        return [path]
    found = sorted(glob.glob(text, recursive=True))  # noqa: PTH207 - patterns may be absolute
    if not found:
        raise DataError(f"{called(path)}: cannot be read (no file has that name). Hint: is the pattern right?")
    return found


def _within(path: str | Path, asked: Format | None) -> list[File]:
    if str(path) == "-" or not _is_folder(path):
        return [File(called(path), lasting(path))]
    folder = File(called(path), Path(path).absolute())
    try:
        if (asked is not None and asked.read_folder) or format_of(folder) is not None:
            return [folder]
        found = list(_searched(Path(path), 0))
    except OSError as error:
        raise DataError(f"{folder.name}: cannot be read ({error.strerror}). Hint: give files") from None
    if not found:
        said = "cannot be read (it is a directory without a log of a known format)"
        raise DataError(f"{folder.name}: {said}. Hint: tellapart formats lists the logs that are")
    return found


def _is_folder(path: str | Path) -> bool:
    try:
        return path != "" and Path(path).is_dir()
    except (OSError, ValueError):  # no name of a file
        return False


def _searched(folder: Path, depth: int) -> Iterable[File]:
    """Return the logs in a folder and the folders in it, but for hidden ones."""
    for child in sorted(child for child in folder.iterdir() if not child.name.startswith(".")):
        file = File(called(child), child.absolute())
        if child.is_dir():
            if format_of(file) is not None:
                yield file
            elif depth < _DEEPEST:
                yield from _searched(child, depth + 1)
        elif child.is_file() and child.suffix in _SUFFIXES and format_of(file) is not None:
            yield file


def _labelled(found: Sequence[File]) -> list[File]:
    """Give each file a short name that no other has: its own without suffix, with its folder, or with a number."""
    shown = [_names(file) for file in found]
    result = []
    for index, (file, own) in enumerate(zip(found, shown, strict=True)):
        free = [name for at, name in enumerate(own) if sum(name == other[at] for other in shown) == 1]
        result.append(File(file.name, file.data, (free[0] if free else f"{own[0]} {index + 1}", *own)))
    return result


def _names(file: File) -> tuple[str, str]:
    path = file.path
    return ("standard input",) * 2 if path is None else (path.stem or path.name, f"{path.parent.name}/{path.stem}")
