"""The notebooks run from top to bottom and show what they say."""

import pytest

from notebooks import NOTEBOOKS, executed, read


def shown(notebook):
    """Return what each cell prints and shows; of charts only that there is one, as their letters differ by version."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            for kind, text in output.get("data", {"text/plain": output.get("text")}).items():
                yield "".join(cell["source"]), kind, kind == "image/svg+xml" or "".join(text)


SLOW = {"campaign": [pytest.mark.slow]}  # it simulates campaigns


@pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.stem, marks=SLOW.get(path.stem, [])) for path in NOTEBOOKS]
)
def test_a_notebook_shows_what_comes_out(path):
    stored = read(path)
    assert list(shown(executed(stored))) == list(shown(stored)), "run python tests/notebooks.py"


def test_there_are_charts_in_them():
    kinds = [kind for path in NOTEBOOKS for _, kind, _ in shown(read(path))]
    assert len(NOTEBOOKS) == 2
    assert kinds.count("image/svg+xml") >= 3
