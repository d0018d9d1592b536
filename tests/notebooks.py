"""The notebooks of `examples/`: `python tests/notebooks.py` runs them and keeps in them what they show.

Cells are run as Jupyter does, one after the other in one namespace, the value of a last expression being shown; charts
are kept as SVG, which code hosts show, too. `test_notebooks.py` checks that nothing would change.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
import tempfile
from pathlib import Path
from typing import Any

import altair as alt

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
_PLACES = re.compile(r' (?:d|transform|x1|x2|y1|y2)="[^"]*"')
_DECIMALS = re.compile(r"(\d\.\d)\d+")
Cell = dict[str, Any]


def read(path: Path) -> dict[str, Any]:
    """Return a notebook."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def short(svg: str) -> str:
    """Return a chart with places to a tenth of a pixel, which is enough."""
    return _PLACES.sub(lambda place: _DECIMALS.sub(r"\1", place[0]), svg)


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook with what its cells show now."""
    names: dict[str, Any] = {}
    count = 0
    cells = []
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), alt.renderers.enable("svg"):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                count += 1
                cells.append({**cell, "execution_count": count, "outputs": _outputs(cell, names, count)})
            else:
                cells.append(cell)
    return {**notebook, "cells": cells}


def _outputs(cell: Cell, names: dict[str, Any], count: int) -> list[Cell]:
    tree = ast.parse("".join(cell["source"]))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)  # noqa: S102 - our own notebooks
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307
    outputs: list[Cell] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        shown = {"data": _bundle(value), "execution_count": count, "metadata": {}, "output_type": "execute_result"}
        outputs.append(shown)
    return outputs


def _bundle(value: Any) -> dict[str, list[str]]:
    if hasattr(value, "_repr_mimebundle_"):
        return {kind: _lines(short(text)) for kind, text in value._repr_mimebundle_().items()}
    found = {"text/plain": _lines(str(value))}
    if hasattr(value, "_repr_html_"):
        found["text/html"] = _lines(value._repr_html_())
    return found


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    """Run all of them and keep what they show."""
    for path in NOTEBOOKS:
        text = json.dumps(executed(read(path)), ensure_ascii=False, indent=1)
        path.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
