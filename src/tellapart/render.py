"""Results as tables for the terminal, and as rows for CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from tellapart.analysis.comparison import Comparison
    from tellapart.analysis.design import MeasurableDifference
    from tellapart.analysis.estimation import Estimate
    from tellapart.paper import Reproduction


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Write flat rows as CSV."""
    file = io.StringIO()
    writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def flat(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers and words of a result as one row: nested numbers get joined names, lists are left out."""
    row: dict[str, Any] = {}
    for key, value in result.items():
        if isinstance(value, Mapping):
            row |= {f"{key}_{inner}": v for inner, v in flat(value).items()}
        elif not isinstance(value, list | tuple):
            row[key] = value
    return row


def _table(title: str, *columns: str) -> Table:
    style = {"title_justify": "left", "title_style": "bold", "header_style": "bold"}
    table = Table(title=title, min_width=min(len(title), 76), box=box.SIMPLE_HEAD, pad_edge=False, **style)  # type: ignore[arg-type]
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i == 0 else "right", overflow="fold")
    return table


def estimates(results: Mapping[str, Estimate], title: str) -> Table:
    """Show systems with their rates, human-only rates beside them."""
    level = next(iter(results.values())).confidence_level
    table = _table(title, "system", "rate", f"{100 * level:g} % interval", "sd", "mode", "human only", "interval")
    for name, e in results.items():
        alone = e.human_only
        beside = (f"{alone.mean:.3f}", _interval(alone)) if alone.evidence.human.total else ("–", "–")
        table.add_row(escape(name), f"{e.mean:.3f}", _interval(e), f"{e.sd:.4f}", f"{e.mode:.3f}", *beside)
    return table


def _interval(e: Estimate) -> str:
    return f"{e.interval.low:.3f} – {e.interval.high:.3f}"


def pairs(result: Comparison) -> Table:
    """Show every pair: the verdict with separate rates, and beside it what shared rates would say."""
    shared = result.shared_pairs
    columns = ["pair", f"difference, {100 * result.confidence_level:g} % interval", "P(first)", "better"]
    title = "Differences, first − second; each system with its own metric error rates"
    table = _table(title, *columns, *(["P if shared"] if shared else []))
    for i, pair in enumerate(result.pairs):
        better = pair.verdict.removesuffix(" is better") if pair.distinguishable else "cannot tell"
        gap = f"{pair.difference:+.3f}  {pair.interval.low:+.3f} – {pair.interval.high:+.3f}"
        cells = [f"{escape(pair.first)} − {escape(pair.second)}", gap, f"{pair.probability:.3f}", escape(better)]
        table.add_row(*cells, *([f"{shared[i].probability:.3f}"] if shared else []))
    table.columns[3].justify = "left"
    return table


def differences(results: Sequence[MeasurableDifference], *, power: float | None) -> Table:
    """Show measurable differences, human ratings down, metric ratings across."""
    across = sorted({r.design.n_metric for r in results})
    down = sorted({r.design.n_human for r in results})
    what = (
        "Difference that comes out significant"
        if power is None
        else f"True difference found with probability {power:g}"
    )
    table = _table(what, "human \\ metric", *(f"{n:,}" for n in across))
    found = {(r.design.n_human, r.design.n_metric): r for r in results}
    for n_human in down:
        row = [found[n_human, n_metric] for n_metric in across]
        values = [r.measurable_difference if power is None else r.with_power(power) for r in row]
        table.add_row(f"{n_human:,}", *(f"{value:.3f}" for value in values))
    return table


def reproductions(results: Sequence[Reproduction]) -> Table:
    """Show how many cells of each published table come out."""
    table = _table("The paper's tables, recomputed", "table", "cells", "paper's mode", "exact", "what")
    for r in results:
        table.add_row(r.name, str(len(r.cells)), str(r.matched), str(r.matched_exactly), r.title)
    table.columns[-1].justify = "left"
    return table


def cells(result: Reproduction, *, everything: bool) -> Table:
    """Show the cells that differ, or all, ours beside the published value."""
    table = _table(result.name, "cell", "published", "paper's mode", "exact", "why")
    for cell in result.cells if everything else result.differing:
        table.add_row(cell.where, cell.published, cell.paper_mode, cell.exact, cell.why)
    table.columns[-1].justify = "left"
    return table
