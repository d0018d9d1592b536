"""The page of the documentation, from all that was measured; and the same for the terminal."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.speed.race import Measure, Run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

ROOT = Path(__file__).parents[2]
RESULTS, PAGE = ROOT / "build" / "speed", ROOT / "docs" / "speed.md"
PACKAGES = "tellapart", "numpy", "scipy", "polars", "numpyro", "jax"
NUMBERS = "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"
HEAD = """# Speed

<!-- written by make bench from its own measurements: change benchmarks/speed instead -->

{verdict} `make bench` measures it again, `make bench SECTION=engine` one section alone.

Times depend on the machine, ratios much less. So two things are timed in turns, round by round, and the ratio is
taken within each round: a busy moment then hits both. A row says how many times as long the first takes as the
second: the median over the rounds, and the range of their middle half. Time is clock time or processor time,
whichever is less, unless stated otherwise. Every answer of tellapart is checked first, most of them against
golden values that share no code with it, to 1e-8.

{machine}
"""


# results


def facts() -> dict[str, Any]:
    """Return when, where and of what something is measured."""
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "versions": {"Python": platform.python_version(), **{name: v for name in PACKAGES if (v := _version(name))}},
        "sources": _fingerprint(),
    }


def keep(section: str, before: Mapping[str, Any], run: Run) -> None:
    """Append a run to those of its section."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    line = json.dumps({**before, **asdict(run)}, ensure_ascii=False)
    with (RESULTS / f"{section}.jsonl").open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def kept(section: str) -> tuple[dict[str, Any], list[Measure]] | None:
    """Return the last run of a section, with the rounds of earlier ones of the same sources."""
    path = RESULTS / f"{section}.jsonl"
    if not path.exists():
        return None
    runs = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    alike = [run for run in runs if all(run[key] == runs[-1][key] for key in ("sources", "versions", "cores"))]
    return runs[-1], [_pooled(Measure(**measure), alike) for measure in runs[-1]["measures"]]


def _pooled(last: Measure, runs: list[dict[str, Any]]) -> Measure:
    same = [Measure(**m) for run in runs for m in run["measures"] if (m["what"], m["over"]) == (last.what, last.over)]
    rounds = [ratio for one in same for ratio in one.rounds]
    error = max((one.error for one in same if one.error is not None), default=None)
    return replace(last, rounds=rounds, error=error)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _fingerprint() -> str:
    """Return a hash of all that decides what is measured."""
    found = sorted([*(ROOT / "src").rglob("*.py"), *Path(__file__).parent.glob("*.py")])
    return hashlib.sha256(b"".join(path.read_bytes() for path in found)).hexdigest()[:16]


# in words


def write_page(sections: Mapping[str, ModuleType]) -> str:
    """Write the page if every section has been measured, and say what was done."""
    found = {name: kept(name) for name in sections}
    if missing := [name for name, one in found.items() if one is None]:
        return f"{PAGE.relative_to(ROOT)} stays as it is until these are measured, too: {', '.join(missing)}."
    measures = [measure for _, some in found.values() for measure in some]
    parts = [HEAD.format(verdict=_verdict(measures), machine=_machine([run for run, _ in found.values()]))]
    parts += [_section(module, some) for module, (_, some) in zip(sections.values(), found.values(), strict=True)]
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    return f"{PAGE.relative_to(ROOT)} is written."


def _verdict(measures: list[Measure]) -> str:
    goals = [measure.met for measure in measures if measure.met is not None]
    return f"{sum(goals)} of {len(goals)} goals are met."


def _machine(runs: list[dict[str, Any]]) -> str:
    cores = sorted({run["cores"] for run in runs})
    versions: dict[str, str] = {}
    for run in sorted(runs, key=lambda run: run["when"]):
        versions |= run["versions"]
    busy = any(run["load"] > run["cores"] / 2 for run in runs)
    where = f"Measured on {_counted(cores[-1])} of a shared machine" + (
        ", which was doing other work at the same time" if busy else ""
    )
    return f"{where}, with {', '.join(f'{name} {number}' for name, number in versions.items())}."


def _counted(cores: int) -> str:
    return f"{NUMBERS[cores] if cores < len(NUMBERS) else cores} core{'s' if cores != 1 else ''}"


def _section(module: ModuleType, measures: list[Measure]) -> str:
    title, _, about = module.__doc__.partition("\n")
    timed = any(not measure.over for measure in measures)
    lines = [
        "| | against | " + ("seconds" if timed else "ratio") + " | middle half | goal | |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    lines += [f"| {' | '.join(row(measure))} |" for measure in measures]
    missed = [measure.what for measure in measures if measure.met is False]
    why = [f"\n*{what}*: {module.WHY[what]}" for what in missed if what in module.WHY]
    return "\n".join([f"## {title}", about.rstrip(), "", *lines, *why, ""])


def row(measure: Measure) -> tuple[str, ...]:
    """Return what is said of a measure, cell by cell."""
    first, third = measure.quartiles
    unit = "" if measure.over else " s"
    error = "" if measure.error is None else f" (its answer is off by {measure.error:.0e})"
    met = {True: "met", False: "missed", None: ""}[measure.met]
    middle, spread = f"{_number(measure.middle)}{unit}", f"{_number(first)} – {_number(third)}"
    return measure.what + error, measure.over, middle, spread, _goal(measure, unit), met


def _goal(measure: Measure, unit: str) -> str:
    if measure.least is not None:
        return f"≥ {_number(measure.least)}{unit}"
    return "" if measure.most is None else f"≤ {_number(measure.most)}{unit}"


def _number(value: float) -> str:
    """Round to three digits, or two of a large number."""
    if value >= 1000:
        value = float(f"{value:.2g}")
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
