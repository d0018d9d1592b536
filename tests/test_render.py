"""What is shown of results: one layout, drawn for terminal, documents and notebooks."""

from __future__ import annotations

import html
import io
import re
from dataclasses import replace
from importlib.resources import files
from itertools import pairwise
from typing import get_args

import pytest
from rich.console import Console

import tellapart as ta
from tellapart import charts, paper, render, reporting
from tellapart.analysis.result import Kind, Result
from tellapart.analysis.several import estimate_each
from tellapart.analysis.simulation import simulate_power
from tellapart.render import layout
from tellapart.render.comparison import cheapest

GUESSES = {"rate": 0.6, "tpr": 0.8, "tnr": 0.8}
DESIGN = ta.Design(**GUESSES, n_human=200, n_metric=2000)
RATINGS = ta.read_ratings(files("tellapart").joinpath("data/example.csv").read_bytes(), metric="score")
RESULTS = {
    "comparison": RATINGS.compare(),
    "estimate": ta.estimate(human=(60, 100), metric=(540, 1000), calibration=ta.Confusion(tp=42, fn=18, tn=28, fp=12)),
    "thresholds": RATINGS.thresholds[0],
    "metrics": ta.metrics(files("tellapart").joinpath("data/example.csv").read_bytes()),
    "plan": ta.plan(**GUESSES, n_human=200, n_metric=2000),
    "budget": ta.split_budget(ta.Design(**GUESSES, n_human=0, n_metric=0), ta.Costs(human=1, metric=0.01), 2000),
    "assurance": ta.assurance(DESIGN, 0.1, ranges={"rate": (0.5, 0.7)}),
    "map": ta.difference_map(ta.Axis("n_human", (0, 100, 1000)), ta.Axis("n_metric", (0, 1000, 100_000)), **GUESSES),
    "paper": paper.reproduce_one("introduction"),
}


JUDGED = {
    name: ta.Evidence.of(
        (tp + fn, 100), calibration=ta.Confusion(tp=tp, fn=fn, tn=92 - tp - fn, fp=8), metric=(10 * tp + 80, 1000)
    )
    for name, tp, fn in (("A", 64, 8), ("B", 58, 7), ("C", 53, 8), ("D", 48, 6), ("E", 45, 5))
}


def drawn(sheet: render.Sheet, width: int = 300) -> list[str]:
    file = io.StringIO()
    Console(file=file, width=width).print(render.rich_table(sheet, width))
    return [line.rstrip() for line in file.getvalue().splitlines()]


def test_every_kind_of_result_has_one_class_a_layout_and_a_chart():
    public = [thing for thing in (getattr(ta, name) for name in ta.__all__) if hasattr(thing, "kind")]
    kinds = [one.kind for one in (*public, paper.Reproduction, paper.Reproductions)]
    assert sorted(kinds) == sorted(get_args(Kind)) == sorted(layout._PARTS)
    results = [one for one in Result.__subclasses__() if one.__module__.startswith("tellapart.")]
    assert set(results) <= set(public)
    assert sorted(vars(one)["kind"] for one in results) == sorted(charts._BEST)


@pytest.mark.parametrize("name", RESULTS)
def test_tables_fit_80_columns_and_lose_nothing(name):
    for sheet in render.sheets(RESULTS[name]):
        if isinstance(sheet, render.Sheet):
            shown, kept = " ".join(drawn(sheet, 80)), sheet.within(80)
            assert all(row[i] in shown for row in kept.rows for i in range(len(row)) if i not in kept.left)
            assert "…" not in shown


@pytest.mark.parametrize("number", [2, 5, 14, 40])
def test_long_names_lose_no_letter_and_no_digit_in_80_columns(number):
    names = [f"organisation/a-model-with-quite-a-long-name-{i:02d}-instruct" for i in range(number)]
    judged = {name: ta.Evidence.of((20 + i, 60)) for i, name in enumerate(names)}
    for everything in (False, True):
        for sheet in render.sheets(ta.compare(judged), everything=everything):
            if isinstance(sheet, render.Sheet):
                lines = drawn(sheet, 80)
                assert max(map(len, lines)) <= 80
                letters = "".join("".join(lines).split())
                kept = sheet.within(80)
                assert "human only" not in kept.columns
                for row in kept.rows:
                    assert all("".join(cell.split()) in letters for i, cell in enumerate(row) if i not in kept.left)
                if sheet.about == "systems":
                    end = next(line.index(" rate") for line in lines if " rate " in line) - 2
                    first = "".join(line[:end].strip() for line in lines)
                    assert all(name in first for name in names)


def test_what_goes_first_is_what_people_alone_say_and_then_its_legend():
    (sheet,) = (part for part in render.sheets(RESULTS["comparison"]) if part.about == "systems")
    assert sheet.within(300) == sheet
    assert "human only" not in sheet.within(sheet.width - 1).columns
    assert "extra" in sheet.within(sheet.width - 1).columns
    narrow = sheet.within(40)
    assert "extra" not in narrow.columns
    assert "extra" not in narrow.title
    assert "Not shown, for want of room: human only, extra." in " ".join(drawn(sheet, 50))
    assert "Not shown" not in " ".join(drawn(sheet, 300))


def test_cuts_lose_a_column_before_a_name_is_broken():
    (sheet,) = render.sheets(RESULTS["thresholds"])
    longer = replace(sheet, rows=tuple((f"corpus/{'x' * 12}", *row[1:]) for row in sheet.rows))
    lines = " ".join(drawn(longer, longer.width - 1))
    assert f"corpus/{'x' * 12}" in lines
    assert "for want of room: naive worth" in lines


def test_systems_that_are_set_aside_are_marked_and_never_the_best():
    odd = ta.Evidence.of((95, 100), calibration=ta.Confusion(tp=90, fn=10, tn=90, fp=10), metric=(500, 1000))
    others = {name: ta.Evidence.of((30 + 10 * i, 100)) for i, name in enumerate("ABCDE")}
    found = ta.compare({"odd": odd, **others})
    assert list(found.doubtful) == ["odd"]
    groups, table, why = render.sheets(found)[:3]
    assert "odd" not in groups.text
    (pairs,) = (part for part in render.sheets(found, everything=True) if part.about == "pairs")
    assert {row[3] for row in pairs.rows if "odd *" in row[0]} == {"set aside"}
    assert why.text.startswith("* set aside")
    at = found.ranking.index("odd")
    assert table.rows[at][0] == "odd *"
    assert table.best == ((int(at == 0), 1),)
    assert r"odd \*" in render.markdown(table)
    each = estimate_each({"odd": odd, **others})
    assert "5 of 6 systems, each by itself: from 30.4% (A) to 69.6% (E). Set aside, see the cautions: odd." in str(each)
    assert "odd *" in [row[0] for row in render.sheets(each)[0].rows]
    assert "*" not in str(render.sheets(ta.compare(others)))


def test_one_system_has_neither_ranks_nor_a_chance_to_be_the_best():
    judged = ta.Evidence.of((60, 100), calibration=ta.Confusion(tp=54, fn=6, tn=36, fp=4), metric=(590, 1000))
    for evidence, columns in ((judged, ("human only", "extra")), (ta.Evidence.of((60, 100)), ())):
        (table,) = (part for part in render.sheets(ta.compare({"A": evidence})) if part.about == "systems")
        assert table.columns == ("system", "rate", "95% interval", *columns)
        assert {len(row) for row in table.rows} == {len(table.columns)}
        assert table.within(30).columns == ("system", "rate", "95% interval")


def test_groups_of_many_systems_are_written_by_ranks():
    result = ta.compare({f"s{i}": ta.Evidence.of((10 + 3 * i, 150)) for i in range(40)})
    (groups,) = (part for part in render.sheets(result) if part.about == "groups")
    assert groups.text.startswith("ranks 1 to ")
    assert groups.text.endswith(" more.")
    assert {step.rung for step in result.ladder} == {result.borrow}
    assert {(need.first, need.second) for need in result.needed} <= set(pairwise(result.ranking))


@pytest.mark.parametrize("number", [2, 8, 11, 14])
def test_a_comparison_of_many_systems_fits_80_columns(number):
    result = ta.compare({f"model-{i}": ta.Evidence.of((30 + 5 * i, 150)) for i in range(number)})
    sheets = [part for part in render.sheets(result) if isinstance(part, render.Sheet)]
    assert max(len(line) for sheet in sheets for line in drawn(sheet)) <= 80


@pytest.mark.parametrize("name", ["comparison", "estimate", "thresholds", "metrics", "plan", "budget", "map"])
def test_a_notebook_shows_the_parts(name):
    page = RESULTS[name]._repr_html_()
    assert all(render.html(part) in page for part in render.sheets(RESULTS[name]))


def test_the_report_shows_every_table_and_need():
    page = reporting.html(RESULTS["comparison"])
    for part in render.sheets(RESULTS["comparison"], everything=True):
        assert part.about == "needed" or render.html(part) in page
    needs = cheapest(RESULTS["comparison"])
    assert len(needs) > 3
    assert all(html.escape(str(need)) in page for need in needs[:3])
    folded = page[page.index(f"<summary>{len(needs) - 3} more pair") :]
    folded = folded[: folded.index("</details>")]
    for need in needs[3:]:
        assert f"<td>{need.first} − {need.second}</td>" in folded
        assert f">{need.human.likely:,}</td>" in folded


def test_a_comparison_in_full_has_all_pairs_needs_and_cuts():
    result = RESULTS["comparison"]
    short, full = render.sheets(result), render.sheets(result, everything=True)
    count = {
        name: sum(part.about == name for part in full) for name in ("systems", "pairs", "groups", "needed", "metric")
    }
    assert count == {"systems": 1, "pairs": 1, "groups": 1, "needed": len(result.needed), "metric": 3}
    (near,) = (part for part in short if part.about == "pairs")
    assert len(near.rows) == len(result.ranking) - 1
    assert not any(part.about == "metric" for part in short)
    (pairs,) = (part for part in full if part.about == "pairs")
    assert len(pairs.rows) == len(result.pairs) == 21
    assert len([part for part in short if part.about == "needed"]) == 3


@pytest.mark.parametrize("name", ["comparison", "estimate", "thresholds", "metrics", "plan", "budget", "map"])
def test_results_write_themselves_as_documents(name):
    result = RESULTS[name]
    for part in render.sheets(result):
        assert render.markdown(part) in result.to_markdown()
        assert render.latex(part) in result.to_latex()
    assert render.markdown(result.signature) in result.to_markdown(details=True)
    assert result.to_latex().count(r"\label{tab:") == result.to_latex().count(r"\begin{table}")


def test_latex_needs_no_font_encoding_and_marks_the_best():
    text = RESULTS["comparison"].to_latex(details=True)
    tables = "".join(line for line in text.splitlines() if not line.startswith("%"))
    assert not set(re.sub(r"\$[^$]*\$", "", tables)) & set("<>−–◀±✓|…")
    assert not any(name in tables for name in ("textless", "textgreater", "textbar", "textascii", "checkmark"))
    assert re.search(r"& \\textbf\{0\.\d+\} &", tables)
    assert "$-$" in tables
    assert not re.search(r"[ (]-\d", tables)


@pytest.mark.parametrize("name", ["plan", "budget", "assurance", "map", "estimate", "thresholds", "metrics"])
def test_every_result_can_be_drawn(name):
    assert RESULTS[name].plot().to_dict()


def test_the_report_is_on_the_menu(tmp_path):
    result = RESULTS["comparison"]
    text = ta.report(result, tmp_path / "r.html", title="Mine")
    assert text == (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<h1>Mine</h1>" in text
    assert result.provenance.split(" | ")[2][:20] in text
    with pytest.raises(ta.InvalidInput, match="be a comparison, got 'Estimate'"):
        ta.report(RESULTS["estimate"])


def test_a_plan_that_is_not_found_has_no_table():
    assert render.sheets(ta.plan(**GUESSES, n_human=10, difference=0.001, power=0.8)) == []


def test_a_simulation_is_a_paragraph():
    result = simulate_power(DESIGN, 0.1, runs=10, n_jobs=1)
    assert list(map(str, render.sheets(result))) == [str(result)]


@pytest.fixture(scope="module", params=["rates", "link"])
def climbed(request):
    return ta.compare(JUDGED, borrow=request.param)


def intervals(chart):
    rows = chart.to_dict()["datasets"]["rates"]
    return {(row["kind"], row["system"]): (row["rate"], row["low"], row["high"]) for row in rows}


def test_the_ladder_shows_each_rung_and_marks_that_of_the_verdicts(climbed):
    sheet, *sentences = (part for part in render.sheets(climbed, everything=True) if part.about == "ladder")
    assert [row[0].removesuffix(" ◀") for row in sheet.rows] == ["none", "rates", "link"]
    assert [row[0] for row in sheet.rows if row[0].endswith("◀")] == [f"{climbed.borrow} ◀"]
    assert [row[1] for row in sheet.rows] == [f"{step.told_apart} of 10" for step in climbed.ladder]
    assert sentences[0].text == "The lead is that of A over B, the best two."
    assert any("Holm" in sentence.text for sentence in sentences)
    assert any("strict" in sentence.text for sentence in sentences)
    assert any("slope" in sentence.text for sentence in sentences) == (climbed.borrow == "link")
    assert max(map(len, drawn(sheet))) <= 80


def test_rates_are_drawn_rung_by_rung(climbed):
    shown = intervals(charts.ladder(climbed))
    for rung in ("none", "rates", "link"):
        kind = f"{rung} ◀" if rung == climbed.borrow else rung
        alone = ta.compare(JUDGED, borrow=rung)
        for name in climbed.ranking:
            own = alone.marginal(name)
            assert shown[kind, name] == pytest.approx((own.mean, own.interval.low, own.interval.high), abs=1e-9)
    assert len(shown) == 3 * 5


def test_charts_show_the_rung_of_the_verdicts_and_the_human_ratings_alone(climbed):
    rates = intervals(charts.forest(climbed))
    rows = charts.posteriors(climbed).to_dict()["datasets"]["densities"]
    for name in climbed.ranking:
        own, alone = climbed.marginal(name), climbed.estimates[name].human_only
        assert rates["all ratings", name] == (own.mean, own.interval.low, own.interval.high)
        assert rates["human ratings alone", name][0] == alone.mean
        curve = [
            row["rate"] for row in rows if (row["system"], row["source"]) == (name, "all ratings") and row["inside"]
        ]
        assert (min(curve), max(curve)) == (own.interval.low, own.interval.high)


def test_the_same_rates_on_two_rungs_are_drawn_once():
    example = files("tellapart").joinpath("data/example.csv").read_bytes()
    same = [line.split(",") for line in example.decode().splitlines()]
    first = [row for row in same[1:] if row[0] in {"aurora", "basalt"} and row[1] < "q0400"]
    for row in first:
        row[same[0].index("human")] = "01"[int(row[1][-1]) < 7] if row[1] < "q0100" else ""
    table = "\n".join(",".join(row) for row in (same[0], *first))
    result = ta.read_ratings(table.encode(), metric="judge").compare()
    assert [step.rung for step in result.ladder] == ["none", "items", "rates"]
    assert {kind for kind, _ in intervals(charts.ladder(result))} == {"none, items", "rates ◀"}
    alone = ta.read_ratings(table.encode(), metric="judge").compare(borrow="items")
    assert {kind for kind, _ in intervals(charts.ladder(alone))} == {"none, items ◀", "rates"}


def test_where_nothing_can_be_borrowed_there_is_no_ladder():
    result = ta.compare({"A": ta.Evidence.of((5, 9)), "B": ta.Evidence.of((3, 9))})
    assert charts.ladder(result) is None
    assert "ladder" not in {part.about for part in render.sheets(result, everything=True)}
    assert "What borrowing buys" not in reporting.html(result)


def test_the_report_says_and_draws_what_borrowing_buys(climbed):
    page = reporting.html(climbed)
    start = page.index("<h2>What borrowing buys</h2>")
    section = page[start : page.index("</section>", start)]
    assert page.index("<h2>What would settle the rest?</h2>") < start < page.index("<h2>Which can be told apart?</h2>")
    assert all(render.html(part) in section for part in render.sheets(climbed) if part.about == "ladder")
    assert section.count("<svg") == 2  # for the screen and for a phone
