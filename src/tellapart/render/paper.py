"""Sheets of the published tables, recomputed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tellapart.render.sheet import Sheet

if TYPE_CHECKING:
    from tellapart.paper import Reproduction, Reproductions


def parts(result: Reproductions, *, everything: bool) -> list[Sheet]:
    """Show how many cells of each published table come out, and those of the tables that differ, or of all."""
    tables = result.tables
    rows = tuple((t.name, str(len(t.cells)), str(t.matched), str(t.matched_exactly), t.title) for t in tables)
    columns = ("table", "cells", "paper's mode", "exact", "what")
    shown = [cells(table, everything=everything) for table in tables if everything or table.differing]
    return [Sheet("The paper's tables, recomputed", columns, rows, (0, 4)), *shown]


def cells(result: Reproduction, *, everything: bool) -> Sheet:
    """Show the cells that differ, or all, ours beside the published value."""
    shown = result.cells if everything else result.differing
    rows = tuple((cell.where, cell.published, cell.paper_mode, cell.exact, cell.why) for cell in shown)
    return Sheet(result.name, ("cell", "published", "paper's mode", "exact", "why"), rows, (0, 4))
