"""mt-metrics-eval: a directory of scores by language pair, metric and level; line k of a system is its segment k."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tellapart.data.files import called, printable
from tellapart.data.logs.model import Output, Part
from tellapart.data.logs.opened import MOST_UNPACKED, File
from tellapart.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SEGMENTS = ".seg.score"
_NOTHING = "None"


def sniff(file: File) -> bool:  # noqa: ARG001 - as all have it
    """Whether a file is one: it is always a directory."""
    return False


def sniff_folder(path: Path) -> bool:
    """Whether a directory is a test set."""
    return (path / "metric-scores").is_dir() or (path / "human-scores").is_dir()


def read(file: File) -> Part:
    """Refuse a single file, of which neither systems nor segments are known."""
    raise DataError(f"{file.name}: is not a directory. Hint: give the directory of the test set, for example wmt23")


def read_folder(folder: File) -> Part:
    """Read all language pairs of a test set; references, which are listed as systems too, are left out."""
    top = folder.path or Path()
    part = Part("mt-metrics-eval", folder.name, folder.labels)
    pairs = {found.name.split(".")[0] for found in top.glob(f"human-scores/*{_SEGMENTS}")}
    pairs |= {found.name for found in top.glob("metric-scores/*") if found.is_dir()}
    for pair in sorted(pairs):
        part.outputs += _Pair(top, pair).outputs()
    if not part.outputs:
        raise DataError(f"{folder.name}: holds no *{_SEGMENTS}. Hint: scores of segments are read, not of systems")
    return part


class _Pair:
    """One language pair of a test set."""

    def __init__(self, top: Path, pair: str) -> None:
        self.top, self.pair = top, pair
        self.references = {_between(found.name, f"{pair}.", ".txt") for found in top.glob(f"references/{pair}.*.txt")}
        self.sources = _lines(top / "sources" / f"{pair}.txt")
        self.documents = _lines(top / "documents" / f"{pair}.docs")
        self.answers: dict[str, list[str]] = {}
        self.found: dict[tuple[str, int], Output] = {}

    def outputs(self) -> Iterable[Output]:
        """Read what metrics and people say of each segment."""
        paths = sorted(self.top.glob(f"metric-scores/{self.pair}/*{_SEGMENTS}"))
        full = [printable(_between(path.name, "", _SEGMENTS)) for path in paths]
        metrics = [metric.rpartition("-")[0] or metric for metric in full]  # without the reference it saw
        for path, metric, whole in zip(paths, metrics, full, strict=True):
            for output, value in self._rated(path):
                output.rate(metric if metrics.count(metric) == 1 else whole, value)
        for path in sorted(self.top.glob(f"human-scores/{self.pair}.*{_SEGMENTS}")):
            for output, value in self._rated(path):
                output.vote(printable(_between(path.name, f"{self.pair}.", _SEGMENTS)), value)
        return self.found.values()

    def _rated(self, path: Path) -> Iterator[tuple[Output, str | None]]:
        for system, index, value in _scores(path):
            if system not in self.references:
                yield self.found.get((system, index)) or self._new(system, index), value

    def _new(self, system: str, index: int) -> Output:
        if system not in self.answers:
            self.answers[system] = _lines(self.top / "system-outputs" / self.pair / f"{Path(system).name}.txt")
        texts = (_nth(lines, index) for lines in (self.sources, self.answers[system], self.documents))
        source, answer, document = texts
        self.found[system, index] = output = Output(printable(system), str(index + 1), self.pair, None, source, answer)
        output.document = " ".join((document or "").split()) or None
        return output


def _scores(path: Path) -> Iterator[tuple[str, int, str | None]]:
    """Return system, number of the segment and score of each line."""
    seen: dict[str, int] = {}
    for number, line in enumerate(_lines(path), 1):
        cells = line.split()
        if not cells:
            continue
        if len(cells) != 2:  # noqa: PLR2004 - system and score
            rule = f"must hold a system and a score, got {line[:40]!r}"
            raise DataError(f"{called(path)}, line {number}: {rule}. Hint: separate them by a tab")
        seen[cells[0]] = seen.get(cells[0], -1) + 1
        yield cells[0], seen[cells[0]], None if cells[1] == _NOTHING else cells[1]


def _lines(path: Path) -> list[str]:
    """Return the lines of a text, none where it is not there."""
    if not path.is_file():
        return []
    if path.stat().st_size > MOST_UNPACKED:
        raise DataError(f"{called(path)}: has more than {MOST_UNPACKED:,} bytes. Hint: give fewer segments")
    return path.read_bytes().decode("utf-8", "replace").removesuffix("\n").split("\n")


def _nth(lines: list[str], index: int) -> str | None:
    return lines[index] or None if index < len(lines) else None


def _between(text: str, start: str, end: str) -> str:
    return text.removeprefix(start).removesuffix(end)
