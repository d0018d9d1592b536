"""The published tables: what comes out, and what does not."""

from __future__ import annotations

import math

import pytest

from tellapart import paper
from tellapart.analysis.design import Design, MeasurableDifference


def tables() -> dict[str, dict]:
    return {table["name"]: table for table in paper._published()["epsilon"] + paper._published()["pairwise"]}


@pytest.mark.parametrize("name", ["wmt21-all", "wmt21-100", "spot-the-bot-all", "spot-the-bot-100"])
def test_every_human_only_pair_comes_out(name: str) -> None:
    """Means, difference, probability and bold mark of each pair, to the last printed digit."""
    cells = list(paper._pair_cells(tables()[name], lambda _: None))
    assert [cell for cell in cells if not cell.matched] == []
    assert len(cells) == (42 if name.startswith("wmt21") else 30)


def test_introduction_differs_in_one_informative_cell_and_says_why() -> None:
    cells = list(paper._epsilon_cells(tables()["introduction"], lambda _: None))
    differing = [cell for cell in cells if not cell.matched]
    assert [cell.where for cell in differing] == ["0 human, 0 metric", "2500 human, 10000 metric"]
    assert all(cell.why for cell in differing)


@pytest.mark.parametrize(
    ("setting", "n_human", "n_calibration", "n_metric", "expected"),
    [
        ((0.65, 0.6, 0.6), 100, 527, 1000, 0.1232),
        ((0.65, 0.52, 0.52), 100, 527, 1000, 0.1298),
        ((0.65, 0.6, 0.6), 100, 527, 10_000, 0.1202),
        ((0.65, 0.6, 0.6), 527, 527, 1000, 0.0567),
        ((0.25, 0.6, 0.6), 100, 600, 10_000, 0.110),
        ((0.25, 0.6, 0.6), 100, 5000, 10_000, 0.084),
    ],
)
def test_values_of_the_figures(
    setting: tuple[float, float, float], n_human: int, n_calibration: int, n_metric: int, expected: float
) -> None:
    """The points of the paper's figures on WMT and Spot-The-Bot, as the exact posterior gives them."""
    rate, tpr, tnr = setting
    design = Design(rate, tpr, tnr, n_human, n_metric, n_calibration=n_calibration)
    digits = 3 if expected in (0.110, 0.084) else 4
    assert math.isclose(MeasurableDifference(design).measurable_difference, expected, abs_tol=0.5 * 10**-digits)


@pytest.mark.parametrize("name", ["appendix-tpr-51", "appendix-tpr-70", "appendix-tpr-90", "appendix-tpr-99"])
def test_a_sample_of_the_appendix(name: str) -> None:
    """Two rows of every appendix table in both modes, quickly; all of them are in the slow test."""
    table = tables()[name]
    rows = [1, 3]
    sample = table | {key: [table[key][i] for i in rows] for key in ("n_human", "printed")}
    cells = list(paper._epsilon_cells(sample, lambda _: None))
    assert len(cells) == 14
    assert [cell.where for cell in cells if not (cell.matched and cell.matched_exactly)] == []


@pytest.mark.slow
def test_all_tables() -> None:
    """248 of 249 informative ε cells in the paper's mode, 247 exactly, and all 144 pairs."""
    results = {result.name: result for result in paper.reproduce()}
    epsilon = [r for name, r in results.items() if name.startswith(("introduction", "appendix"))]
    informative = [cell for r in epsilon for cell in r.cells if cell.informative]
    assert len(informative) == 249
    assert sum(cell.matched for cell in informative) == 248
    assert sum(cell.matched_exactly for cell in informative) == 247
    assert all(cell.why for r in results.values() for cell in r.differing)
    pairs = [cell for name, r in results.items() if r not in epsilon for cell in r.cells]
    assert len(pairs) == sum(cell.matched for cell in pairs) == 144
    assert sum(len(r.cells) for r in results.values()) == paper.count_cells()
