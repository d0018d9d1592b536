"""`make validity` goes on where it was stopped, and says the same whatever the order of its work."""

from __future__ import annotations

import pytest
from validity.__main__ import jobs, run, simulate
from validity.cell import Cell, Group
from validity.results import Results

from validity import page


def coin(rng, *, chance, width=0.5):
    return {"covered": rng.random() < chance, "width": width + rng.random() / 10}


def group_of(*cells, goal=(0.92, 0.975)):
    return Group("coins", "Coins", "Some coins.", cells, {"covered": goal}, {}, 80, 4)


FAIR, LOADED = (
    Cell("coins", "fair", coin, {"chance": 0.95}),
    Cell("coins", "loaded", coin, {"chance": 0.5}, note="It is"),
)


@pytest.fixture
def group():
    return group_of(FAIR, LOADED)


def test_nothing_is_simulated_twice_and_the_order_does_not_matter(group, tmp_path):
    results = Results((group,), tmp_path)
    run([group], results, n_jobs=1, replicates=7, fraction=1.0)
    run([group], results, n_jobs=1, replicates=None, fraction=0.25)
    again = Results((group,), tmp_path)
    assert not jobs([group], again, None, 0.25)
    at_once = FAIR.run(range(20))
    assert again.of(FAIR)["covered"] == at_once["covered"]
    assert again.of(FAIR)["width"] == pytest.approx(at_once["width"], abs=1e-12)
    assert again.of(FAIR).n("covered") == 20


def test_what_was_defined_otherwise_is_not_taken(group, tmp_path):
    results = Results((group,), tmp_path)
    results.add(simulate(FAIR, (0, 5)))
    other = group_of(Cell("coins", "fair", coin, {"chance": 0.9}))
    assert not Results((other,), tmp_path).of(other.cells[0])
    assert Results((group,), tmp_path).of(FAIR).n("covered") == 5


def test_what_was_simulated_least_comes_first(group, tmp_path):
    results = Results((group,), tmp_path)
    results.add(simulate(FAIR, (0, 2)))
    assert [(cell.name, start) for cell, (start, _) in jobs([group], results, 4, 1.0)] == [
        ("loaded", 0),
        ("fair", 2),
        ("loaded", 2),
    ]


def test_a_gap_is_filled(group, tmp_path):
    results = Results((group,), tmp_path)
    results.add(simulate(FAIR, (2, 4)))
    assert list(results.missing(FAIR, 6, 4)) == [(0, 2), (4, 6)]


def test_a_fresh_clone_goes_on_from_what_was_kept(group, tmp_path):
    kept = tmp_path / "results.jsonl"
    results = Results((group,), tmp_path / "build", kept)
    for cell, numbers in ((FAIR, (0, 5)), (FAIR, (5, 9)), (LOADED, (2, 4))):
        results.add(simulate(cell, numbers))
    results.keep()
    clone = Results((group,), tmp_path / "nothing", kept)
    assert clone.of(FAIR) == results.of(FAIR)
    assert clone.done["coins", "fair"] == set(range(9))
    assert not clone.of(LOADED)  # its first two are missing, and stay to be simulated
    both = Results((group,), tmp_path / "build", kept)
    assert both.of(FAIR) == results.of(FAIR)


def test_the_page_marks_what_misses_the_goal_and_says_why(group, tmp_path, monkeypatch):
    for name in ("PAGE", "FIGURE"):
        monkeypatch.setattr(page, name, tmp_path / f"{name.lower()}.{'md' if name == 'PAGE' else 'svg'}")
    results = Results((group,), tmp_path)
    run([group], results, n_jobs=1, replicates=None, fraction=1.0)
    page.write((group,), results)
    said = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert f"| loaded | 80 | **{100 * results.of(LOADED).mean('covered'):.1f} ± " in said
    assert "- It is: loaded." in said
    low = f"1 under *Coins*; the lowest is {100 * results.of(LOADED).mean('covered'):.1f}% (loaded)."
    assert said.index("## In short") < said.index(low) < said.index("## All questions")
    assert "| fair | 80 | **" not in said
    assert (tmp_path / "figure.svg").read_text(encoding="utf-8").startswith("<svg")


def found(rng):
    return {"found": rng.random() < 0.5}


def test_a_cell_may_have_no_interval(tmp_path, monkeypatch):
    for name in ("PAGE", "FIGURE"):
        monkeypatch.setattr(page, name, tmp_path / f"{name.lower()}.{'md' if name == 'PAGE' else 'svg'}")
    both = group_of(FAIR, Cell("coins", "an oracle", found))
    results = Results((both,), tmp_path)
    run([both], results, n_jobs=1, replicates=8, fraction=1.0)
    page.write((both,), results)
    assert "| an oracle | 8 |  |  | " in (tmp_path / "page.md").read_text(encoding="utf-8")
