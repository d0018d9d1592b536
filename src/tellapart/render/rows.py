"""Results as rows of unrounded numbers, for CSV and frames."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tellapart.analysis.design import reach
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tellapart.analysis.comparison import Comparison
    from tellapart.analysis.gate import Gate
    from tellapart.analysis.maps import DifferenceMap
    from tellapart.analysis.outcomes import Outcomes
    from tellapart.analysis.result import Kind
    from tellapart.analysis.slices import Slices
    from tellapart.analysis.trend import Trend


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Write flat rows as CSV."""
    file = io.StringIO()
    writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _safe(value) for name, value in row.items()} for row in rows)
    return file.getvalue()


_FORMULA = re.compile(r"[=+@\t\r]|-(?!(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$)", re.ASCII)


def _safe(value: Any) -> Any:  # noqa: ANN401 - a cell
    """Put a mark before text that a spreadsheet would compute; the page does so too."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def flat(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers and words of a result as one row: nested numbers get joined names, lists are left out."""
    row: dict[str, Any] = {}
    for key, value in result.items():
        if isinstance(value, Mapping):
            row |= {f"{key}_{inner}": v for inner, v in flat(value).items()}
        elif not isinstance(value, list | tuple):
            row[key] = value
    return row


def rows(result: Any, what: str | None = None) -> list[dict[str, Any]]:  # noqa: ANN401 - any result
    """Return the numbers of a result, one row a pair, a system, a cell or the whole."""
    own = _ROWS.get(result.kind)
    return own(result, what) if own else [flat(result.to_dict())]


def _of_map(result: DifferenceMap) -> list[dict[str, Any]]:
    return [
        {
            result.rows.name: row,
            result.columns.name: column,
            "difference": reach(float(result.differences[i, j])),
            "exact": bool(result.exact[i, j]),
        }
        for i, row in enumerate(result.rows.values)
        for j, column in enumerate(result.columns.values)
    ]


def _outcomes(result: Outcomes, what: str | None) -> list[dict[str, Any]]:
    return [flat(row) for row in result.to_dict()["strengths" if what == "systems" else "matchups"]]


def _sliced(result: Slices, what: str | None) -> list[dict[str, Any]]:
    if what == "systems" or (what is None and not result.overall.pairs):
        rates = ((name, system, own) for name, each in result.rates.items() for system, own in each.items())
        return [flat({"slice": name, "system": system, **own.to_dict()}) for name, system, own in rates]
    return [flat({"slice": name, **pair.to_dict()}) for name, pairs in result.pairs.items() for pair in pairs]


def _gate(result: Gate) -> list[dict[str, Any]]:
    """Return one row, whose columns have the same names whatever the versions are called."""
    found = {key: value for key, value in result.to_dict().items() if key not in {"comparison", "needed", "doubtful"}}
    sides: dict[str, Any] = {}
    for role, name in (("candidate", result.candidate), ("baseline", result.baseline)):
        n_human, n_metric = result.comparison.evidence[name].outputs
        doubts = "; ".join(result.doubtful.get(name, ()))
        own = result.comparison.marginal(name).to_dict()
        sides[role] = {"name": name, **own, "n_human": n_human, "n_metric": n_metric, "doubtful": doubts}
    said = {key: found.pop(key) for key in ("summary", "signature")}
    return [flat({**found, **sides, "borrow": result.comparison.borrow, **said})]


def _trend(result: Trend) -> list[dict[str, Any]]:
    noticed = {run: ", ".join(alarm.what for alarm in result.alarms if alarm.noticed == run) for run in result.runs}
    return [{**flat(row), "alarm": noticed[row["run"]]} for row in result.to_dict()["runs"]]


def _compared(result: Comparison, what: str | None) -> list[dict[str, Any]]:
    if what not in {None, "pairs", "systems"}:
        raise InvalidInput.rule("what", "be pairs or systems", what)
    if what == "systems" or (what is None and not result.pairs):
        return [flat(place.to_dict() | result.system(place.system)) for place in result.standings]
    return [flat(pair.to_dict()) for pair in result.pairs]


_ROWS: Mapping[Kind, Callable[[Any, str | None], list[dict[str, Any]]]] = {
    "comparison": _compared,
    "estimates": lambda found, _: [{"system": name, **flat(e.to_dict())} for name, e in found.systems.items()],
    "gate": lambda found, _: _gate(found),
    "map": lambda found, _: _of_map(found),
    "metrics": lambda found, _: [flat({k: v for k, v in m.to_dict().items() if k != "systems"}) for m in found.metrics],
    "outcomes": _outcomes,
    "reproductions": lambda found, _: [{"table": t.name, **asdict(cell)} for t in found.tables for cell in t.cells],
    "slices": _sliced,
    "thresholds": lambda found, _: [flat(threshold.to_dict()) for threshold in found.systems.values()],
    "trend": lambda found, _: _trend(found),
}


def frame(result: Any, what: str | None = None) -> Any:  # noqa: ANN401 - any result, a Polars frame
    """Return the rows as a Polars frame."""
    import polars as pl  # noqa: PLC0415 - slow to import

    return pl.DataFrame(rows(result, what), infer_schema_length=None)
