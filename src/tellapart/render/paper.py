"""Sheets of the published tables, recomputed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tellapart.render.sheet import Sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tellapart.paper import Reproduction


def reproductions(results: Sequence[Reproduction]) -> Sheet:
    """Show how many cells of each published table come out."""
    rows = tuple((r.name, str(len(r.cells)), str(r.matched), str(r.matched_exactly), r.title) for r in results)
    return Sheet("The paper's tables, recomputed", ("table", "cells", "paper's mode", "exact", "what"), rows, (0, 4))


def cells(result: Reproduction, *, everything: bool) -> Sheet:
    """Show the cells that differ, or all, ours beside the published value."""
    shown = result.cells if everything else result.differing
    rows = tuple((cell.where, cell.published, cell.paper_mode, cell.exact, cell.why) for cell in shown)
    return Sheet(result.name, ("cell", "published", "paper's mode", "exact", "why"), rows, (0, 4))
