"""The page in a real browser: each tab's main path, uploads, the address, dark mode, phone width, accessibility."""

import ast
import contextlib
import csv
import io
import json
import os
import re
import shlex
from importlib.resources import files
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import tellapart as ta
from browser import CHROMIUM
from command_line import run

pytestmark = pytest.mark.skipif(CHROMIUM is None and "CI" not in os.environ, reason="needs Chromium")
COUNTS = (
    "system,human_pos,human_n,tp,fn,tn,fp,metric_pos,metric_n\n"
    "A,60,100,54,6,36,4,1190,2000\nB,45,100,40,5,49,6,890,2000\n"
)


def test_a_failing_test_fails_alone(open_page, request, monkeypatch):
    """Whatever Python's parser does meanwhile."""
    page = open_page()
    with pytest.raises(AssertionError) as failure:
        assert page.inner_text("#tab-plan") == "nothing"

    def broken(*_, **__):
        raise SystemError

    monkeypatch.setattr(ast, "parse", broken)
    for said in (request.node.repr_failure(failure), request.node._repr_failure_py(failure, style="auto")):
        assert "== 'nothing'" in str(said)


def test_plan_answers_at_every_change(open_page):
    page = open_page()
    page.wait_for_selector("#chart-map svg")
    page.check("#solve-n_human")
    page.fill("#agree", "0.9")
    page.fill("#n_metric", "10000")
    page.locator("#plan-words", has_text="621 human ratings of each system are needed").wait_for()
    assert "--difference 0.05" in page.text_content("#plan-command")
    page.focus("#box-difference input[type=range]")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#plan-words:not(:has-text('621'))")


def said_by(python):
    """What a snippet that the page gives prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(python, {})  # noqa: S102 - the page's own
    return out.getvalue().strip()


MODES = {
    "difference": {},
    "n_human": {"tpr": "0.9", "tnr": "0.9", "difference": "0.06"},
    "n_metric": {"tpr": "0.9", "tnr": "0.9", "n_human": "700"},
    "accuracy": {"n_human": "500", "difference": "0.09"},
    "power": {"difference": "0.1"},
    "chance": {"rate_high": "0.7", "tnr_high": "0.9", "difference": "0.1"},
    "budget": {"budget": "3000", "systems": "3"},
    "cheapest": {"difference": "0.08"},
}


def test_copied_calls_give_the_answer_of_the_page(open_page):
    """In every mode, the command and the Python say what the page says."""
    for mode, numbers in MODES.items():
        page = open_page("/#" + urlencode({"solve": mode, "calibration_rate": "0.5", **numbers}))
        page.wait_for_selector("#plan-table tbody tr", state="attached")
        words = page.inner_text("#plan-words")
        _, *options = shlex.split(page.text_content("#plan-command"))
        assert run(*options, "--format", "json").json["summary"] == words, mode
        assert said_by(page.text_content("#plan-python")) == words, mode
        page.close()  # and let go of its map


def test_the_address_reproduces_the_view(open_page):
    page = open_page()
    page.check("#solve-budget")
    page.fill("#budget", "3000")
    page.locator("#plan-words", has_text="for 3,000 in all").wait_for()
    page.click("#axes-box summary")
    page.select_option("#across", "accuracy")
    page.fill("#across-values", "0.6, 0.9")
    expect(page.locator("#plan-grid thead th")).to_have_text(["", "0.6", "0.9"])
    again = open_page(page.url.partition(page.url.split("/")[2])[2])
    expect(again.locator("#plan-grid thead th")).to_have_text(["", "0.6", "0.9"])
    for shown in ("#plan-words", "#plan-grid", "#plan-command"):
        assert again.inner_text(shown) == page.inner_text(shown)


def test_a_table_over_any_two_numbers(open_page):
    page = open_page()
    page.click("#axes-box summary")
    page.select_option("#down", "rate")
    page.select_option("#across", "confidence_level")
    page.fill("#down-values", "0.5 .9")
    page.select_option("#measure", "power")
    page.locator("#plan-grid caption", has_text="found with probability 80%; rate down, confidence level").wait_for()
    expect(page.locator("#plan-grid tbody th")).to_have_text(["0.5", "0.9"])
    page.wait_for_selector("#chart-curve svg")
    _, *options = shlex.split(page.text_content("#table-command"))
    cells = [cell["difference_at_power"] for cell in run(*options, "--format", "json").json["rows"]]
    assert page.locator("#plan-grid td").all_inner_texts() == [f"{100 * cell:.1f}%" for cell in cells]
    assert len(cells) == 2 * 4
    assert "difference_map" in page.text_content("#table-python")
    assert "shape: (8," in said_by(page.text_content("#table-python"))
    page.fill("#down-values", "0.5, many")
    page.locator("#table-error", has_text="“many” is not a number").wait_for()


def test_a_place_of_the_map_becomes_the_plan(open_page):
    page = open_page()
    page.wait_for_selector("#chart-map svg")
    page.locator("#chart-map svg .mark-rect path").first.dispatch_event("click")
    page.locator("#plan-words", has_text="With 10 human and 100 metric ratings").wait_for()
    assert page.input_value("#n_human") == "10"


def test_a_pilot_gives_the_guesses_and_the_chance(open_page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pilot.csv").write_text(COUNTS, encoding="utf-8")
    page = open_page()
    page.set_input_files("#pilot", "pilot.csv")
    page.locator("#pilot-words", has_text="From pilot.csv: human 105/200").wait_for()
    assert page.input_value("#tpr") == "0.888"
    page.check("#solve-chance")
    page.locator("#plan-words", has_text="a pilot with human 105/200").wait_for()
    words = page.inner_text("#plan-words")
    _, *options = shlex.split(page.text_content("#plan-command"))
    assert run(*options, "--format", "json").json["summary"] == words
    assert said_by(page.text_content("#plan-python")) == words
    page.click("#no-pilot")
    page.locator("#plan-words", has_text="is found with probability").wait_for()


def test_a_simulation_checks_what_was_found_and_can_be_stopped(open_page):
    page = open_page("/#solve=n_human&n_metric=0&difference=0.2")
    page.locator("#plan-words", has_text="human ratings of each system are needed").wait_for()
    page.click("summary:has-text('by simulation')")
    page.fill("#runs", "60")
    page.click("#simulate")
    page.locator("#simulation", has_text="of 60 simulated campaigns").wait_for()
    assert "which agrees" in page.inner_text("#simulation")
    page.fill("#runs", "2000")
    page.fill("#n_metric", "5000")
    page.locator("#plan-words", has_text="5,000").wait_for()
    page.click("#simulate")
    page.locator("#simulated-words", has_text=re.compile(r"^[1-9][\d,]* of 2,000$")).wait_for()
    assert float(page.get_attribute("#simulated", "value")) > 0
    page.click("#stop")
    page.locator("#simulation", has_text=re.compile(r"^Stopped at [1-9][\d,]* of 2,000 campaigns\.$")).wait_for()
    assert page.is_hidden("#simulated")


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (1280, "light"),
        (390, "dark"),
        pytest.param(1280, "dark", marks=pytest.mark.slow),
        pytest.param(390, "light", marks=pytest.mark.slow),
    ],
)
def test_the_power_of_a_plan_is_drawn_with_its_point(open_page, width, scheme):
    page = open_page("/#solve=n_human", viewport={"width": width, "height": 844}, color_scheme=scheme)
    page.wait_for_selector("#chart-power svg")
    said = page.locator("#chart-power svg text").all_text_contents()
    assert {"1,073 ratings", "80% of the time", "with the metric", "people alone"} <= set(said)
    ink = page.evaluate("getComputedStyle(document.body).color")
    label = page.locator("#chart-power svg text", has_text="80% of the time")
    assert label.evaluate("one => getComputedStyle(one).fill") == ink
    box, chart = label.bounding_box(), page.locator("#chart-power").bounding_box()
    assert chart["x"] <= box["x"]
    assert box["x"] + box["width"] <= chart["x"] + chart["width"]


def test_a_plan_prints_as_a_protocol(open_page):
    page = open_page("/#solve=n_human", color_scheme="dark")
    page.wait_for_selector("#chart-power svg")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    order = ["#plan-big", "#n_metric", "#plan-words", "#plan-command", "#plan-signature", "#plan-table", "#chart-power"]
    tops = [page.locator(place).bounding_box()["y"] for place in order]
    assert tops == sorted(tops)
    assert re.search(r"^Planned on \d{4}-\d\d-\d\d\. tellapart .* solved n_human$", page.inner_text("#plan-signature"))
    for place in ("#print", "#thumbs-power", "#chart-map", "nav"):
        assert page.is_hidden(place)
    ink = "one => getComputedStyle(one).fill"
    assert page.locator("#chart-power svg text").first.evaluate(ink) == "rgb(0, 0, 0)"


def test_where_guesses_are_unsure_no_power_is_drawn(open_page):
    page = open_page("/#solve=chance&rate=0.5&rate_high=0.7")
    page.locator("#plan-label", has_text="the campaign finds").wait_for()
    assert page.is_hidden("#power-box")


def test_tooltips_have_few_digits(open_page):
    page = open_page("/#solve=difference&rate=0.612345")
    for place in ("#chart-power .mark-symbol path", "#chart-curve .mark-symbol path", "#chart-map .mark-rect path"):
        page.wait_for_selector(place, state="attached")
        page.locator(place).nth(7).hover(force=True)
        page.wait_for_selector("#vg-tooltip-element.visible")
        said = page.inner_text("#vg-tooltip-element")
        assert re.search(r"\d", said)
        assert not re.search(r"\.\d{3}", said), said
        page.mouse.move(1, 1)
        page.wait_for_selector("#vg-tooltip-element.visible", state="hidden")


def test_each_choice_of_a_comparison_is_explained(open_page):
    page = open_page("/#tab=compare")
    page.set_input_files("#file", {"name": "counts.csv", "mimeType": "text/csv", "buffer": COUNTS.encode()})
    page.click("#change")
    page.click("#roles .more > summary")
    silent = """() => [...document.querySelectorAll('#roles :is(select, input:not([type=checkbox]), summary)')]
        .filter(one => one.checkVisibility() && !one.closest('.what') && one.parentElement.className !== 'more')
        .filter(one => one.id !== 'cut' && !one.closest('.asked')?.querySelector('.what'))
        .map(one => one.id || one.textContent)"""
    assert page.evaluate(silent) == []
    page.click("[aria-label='What is meant by the prior?']")
    assert "before any rating" in page.inner_text(".asked:has(#prior)")


def test_bad_numbers_are_told_beside_the_field(open_page):
    page = open_page()
    page.fill("#rate", "3")
    page.wait_for_selector("#wrong-rate:visible")
    assert "be a number between 0 and 1" in page.inner_text("#wrong-rate")
    assert page.get_attribute("#rate", "aria-invalid") == "true"
    page.fill("#rate", "0.5")
    page.wait_for_selector("#wrong-rate", state="hidden")
    page.fill("#n_metric", "")  # nothing is not a question for another number
    page.locator("#wrong-n_metric", has_text="must be given").wait_for()
    page.wait_for_selector("#plan-words.stale")


def test_calibration_outputs_of_their_own_are_simulated_and_tabulated(open_page):
    chosen = {
        "solve": "budget",
        "budget": "5000",
        "cost_human": "0.8",
        "cost_metric": "0.002",
        "separate_calibration": "1",
    }
    page = open_page("/#" + urlencode({**chosen, "tpr": "0.95", "tnr": "0.95"}))
    page.wait_for_selector("#chart-map svg")
    shown = page.locator("#plan-table td").all_text_contents()
    human, calibration = (shown[i].replace(",", "") for i in (0, 2))
    assert int(human) < int(calibration)
    assert f"--n-calibration {calibration}" in page.text_content("#table-command")
    page.click("summary:has-text('by simulation')")
    page.fill("#runs", "60")
    page.click("#simulate")
    page.locator("#simulation", has_text="which agrees").wait_for()


def test_back_comes_to_the_tab_before(open_page):
    page = open_page()
    page.wait_for_selector("#plan-table tbody tr", state="attached")
    page.click("#tab-paper")
    page.wait_for_selector("#paper-table tbody tr")
    page.go_back()
    page.wait_for_selector("#plan:not([hidden])")


def test_the_example_is_compared_and_the_report_comes(open_page):
    page = open_page("/#tab=compare")
    page.click("#example")
    page.wait_for_selector("#chart-calibration svg")
    assert "aurora (83.4%) is better than" in page.inner_text("#compare-words")
    assert "Caution" in page.inner_text("#cautions")
    assert page.locator("#systems-table tbody tr").count() == 7
    assert page.locator("#chart-ladder svg").count() == 1
    assert "◀" in page.text_content("#ladder tbody tr:last-child")
    for name in ("systems", "pairs"):
        with page.expect_download() as saved:
            page.evaluate(f"document.querySelector('[data-csv^={name}]').click()")
        rows = list(csv.DictReader(saved.value.path().read_text(encoding="utf-8").splitlines()))
        frame = ta.read_ratings(files("tellapart").joinpath("data/example.csv").read_bytes()).compare().to_frame(name)
        key = "mean" if name == "systems" else "difference"
        assert [float(row[key]) for row in rows] == frame[key].to_list(), "unrounded"
        assert list(rows[0]) == frame.columns
    with page.expect_download() as download:
        page.click("#report")
    assert download.value.suggested_filename == "tellapart-report.html"


def test_an_upload_with_other_roles(open_page, tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_bytes(files("tellapart").joinpath("data/example.csv").read_bytes())
    page = open_page("/#tab=compare")
    page.set_input_files("#file", str(path))
    page.wait_for_selector("#chart-calibration svg")
    page.click("#change")
    page.click("#pick-metric summary")
    page.uncheck("#pick-metric input[value=judge]")
    page.check("#pick-metric input[value=score]")
    page.wait_for_selector("#chart-roc-0 svg")
    assert "--metric score" in page.text_content("#compare-command")
    points = page.locator("#chart-roc-0 svg .mark-symbol path")
    points.nth(points.count() // 3).dispatch_event("click")
    page.locator("#compare-command", has_text="--threshold").wait_for(state="attached")
    assert page.input_value("#rule") == "number"


def test_a_comparison_is_in_the_address_and_in_the_calls(open_page, tmp_path, monkeypatch):
    """The example with other choices: the link, the command and the Python give the same verdict."""
    chosen = {"tab": "compare", "data": "example", "metric": "judge\nscore", "pooled": "0"}
    page = open_page(f"/#{urlencode(chosen)}")
    page.wait_for_selector("#systems-table tbody tr", state="attached")
    page.click("#change")
    page.click("#roles .more summary")
    page.fill("#level", "0.9")
    page.press("#level", "Enter")
    page.locator("#signature", has_text="level 0.9,").wait_for()
    words, signature = page.inner_text("#compare-words"), page.inner_text("#signature")
    again = open_page(page.url.partition(page.url.split("/")[2])[2])
    again.locator("#signature", has_text="level 0.9,").wait_for()
    assert again.inner_text("#signature") == signature
    monkeypatch.chdir(tmp_path)
    (tmp_path / "example.csv").write_bytes(files("tellapart").joinpath("data/example.csv").read_bytes())
    _, *options = shlex.split(page.text_content("#compare-command"))
    answer = run(*options, "--format", "json").json
    assert (answer["summary"], answer["signature"]) == (words, signature)
    assert said_by(page.text_content("#compare-python")) == words


def test_a_link_to_a_file_asks_for_it(open_page):
    page = open_page("/#tab=compare&data=file&file=mine.csv&level=0.9")
    page.locator("#waiting", has_text="Choose that file").wait_for()
    page.set_input_files("#file", {"name": "mine.csv", "mimeType": "text/csv", "buffer": COUNTS.encode()})
    page.locator("#signature", has_text="level 0.9,").wait_for()
    assert page.text_content("#compare-python").endswith("print(ta.compare(systems, confidence_level=0.9))")


def test_pairs_are_compared(open_page):
    rows = [f"A,B,{i},{'a' if i % 3 else 'b'},{'a' if i % 4 else 'tie'}" for i in range(60)]
    content = "\n".join(["system_a,system_b,item,human,judge", *rows]).encode()
    page = open_page("/#tab=compare")
    page.set_input_files("#file", {"name": "pairs.csv", "mimeType": "text/csv", "buffer": content})
    page.wait_for_selector("#chart-rates svg")
    assert "A" in page.inner_text("#compare-words")
    assert "A – B" in page.text_content("#pairs")
    assert "ta.read_pairs" in page.text_content("#compare-python")


def test_an_advice_leads_to_the_control(open_page):
    page = open_page("/#tab=compare&data=example")
    page.click("#understood-box summary")
    page.click("#understood button.link")
    assert page.evaluate("document.activeElement.parentElement.id") == "pick-metric"


def test_a_caution_makes_the_choice_that_answers_it(open_page):
    content = b"system,human_pos,human_n,tp,fn,tn,fp,metric_pos,metric_n\nA,60,100,42,18,28,12,700,1000\n"
    page = open_page("/#tab=compare")
    page.set_input_files("#file", {"name": "mine.csv", "mimeType": "text/csv", "buffer": content})
    page.locator("#cautions", has_text="not like the rest").wait_for()
    page.click("#cautions button.link >> nth=0")
    page.locator("#signature", has_text="sampling by-metric").wait_for()
    assert page.input_value("#sampling") == "by-metric"


def test_the_page_overrules_what_a_file_says_of_its_draw(open_page):
    rated = [f"q{k},{k % 3 // 2},{k % 5 % 2},by-metric" for k in range(80)]
    rows = [f"{'AB'[k % 2]},{row}" for k, row in enumerate([*rated, *(f"q{k},,{k % 5 % 2}," for k in range(80, 300))])]
    content = "\n".join(["system,item,human,judge,sampling", *rows]).encode()
    page = open_page("/#tab=compare")
    page.set_input_files("#file", {"name": "mine.csv", "mimeType": "text/csv", "buffer": content})
    page.locator("#signature", has_text="sampling by-metric").wait_for()
    assert page.input_value("#sampling") == ""
    page.click("#change")
    page.select_option("#sampling", "random")
    page.locator("#signature:not(:has-text('sampling'))", has_text="tellapart").wait_for()
    assert "sampling='random'" in page.text_content("#compare-python").replace('"', "'")


def test_a_bad_upload_is_told(open_page, tmp_path):
    path = tmp_path / "<b>bad.csv"
    path.write_text("system,human\nA,<img src=x>\n", encoding="utf-8")
    page = open_page("/#tab=compare")
    page.set_input_files("#file", str(path))
    page.wait_for_selector("#compare-error:visible")
    said = page.inner_text("#compare-error")
    assert "column human: 1 of 1 cells is neither" in said
    assert "in line 2" in said
    assert page.locator("#compare img").count() == 0


def failing(route):
    """Answer as the server does when it made a mistake."""
    body = json.dumps({"message": "The server made a mistake; … the reference 1234abcd."})
    route.fulfill(status=500, content_type="application/json", body=body)


def test_a_chart_that_fails_is_told_in_its_place(open_page, complaints):
    page = open_page("/#tab=compare")
    page.route("**/api/compare/charts?*", failing)
    page.click("#example")
    page.locator("#chart-rates .problem", has_text="1234abcd").wait_for()
    assert page.is_visible("#compare-words")  # the verdict stands
    page.route("**/api/table/charts?kind=map", failing)
    page.click("#tab-plan")
    page.fill("#n_metric", "300")
    page.locator("#chart-map .problem", has_text="1234abcd").wait_for()
    assert page.get_attribute("#chart-map", "aria-busy") is None
    complaints.clear()  # the browser's own, of status 500


def test_columns_that_are_not_recognised_can_be_chosen(open_page):
    rows = [f"{who},{i},{i % 3 > 0:d},{i % 2}" for who in "AB" for i in range(30)]
    content = "\n".join(["generator,question,verdict,auto", *rows]).encode()
    page = open_page("/#tab=compare")
    page.set_input_files("#file", {"name": "mine.csv", "mimeType": "text/csv", "buffer": content})
    page.locator("#compare-error", has_text="no column human").wait_for()
    assert page.text_content("#item option:checked") == "(recognise)"
    page.click("#compare-error button.link")  # opens the list
    page.check("#pick-human input[value=verdict]")
    page.locator("#compare-words", has_text="A − B").wait_for()
    assert "--system generator" in page.text_content("#compare-command")


def test_counts_can_be_typed(open_page):
    page = open_page("/#tab=compare")
    page.click("#show-counts")
    cells = page.locator("#counts-grid tbody input:visible")
    for place, text in enumerate(["mine", "60", "100", "B", "45", "100"]):
        cells.nth(place).fill(text)
    page.check("#counts-judge")
    judged = ["54", "6", "36", "4", "1190", "2000"]
    for place, text in enumerate(judged, start=3):
        cells.nth(place).fill(text)
    page.click("#use-counts")
    page.locator("#compare-words", has_text="mine − B").wait_for()
    words = page.inner_text("#compare-words")
    _, *options = shlex.split(page.text_content("#compare-command"))
    assert run(*options, "--format", "json").json["summary"] == words
    assert said_by(page.text_content("#compare-python")) == words
    again = open_page(page.url.partition(page.url.split("/")[2])[2])
    again.locator("#compare-words", has_text="mine − B").wait_for()


def test_counts_of_people_alone_need_no_judge(open_page):
    """Two prompts, 80 rated outputs: which is better?"""
    page = open_page("/#tab=compare")
    page.click("#show-counts")
    cells = page.locator("#counts-grid tbody input:visible")
    assert cells.count() == 6
    for place, text in enumerate(["short", "24", "40", "long", "36", "40"]):
        cells.nth(place).fill(text)
    page.click("#use-counts")
    expect(page.locator("#compare-value")).to_have_text("long is better")
    expect(page.locator("#pairs")).to_be_visible()
    expect(page.locator("#only-alone")).to_be_hidden()  # explains what no pair is
    again = open_page(page.url.partition(page.url.split("/")[2])[2])
    expect(again.locator("#compare-value")).to_have_text("long is better")


def test_a_table_can_be_saved(open_page):
    page = open_page("/#tab=paper")
    page.wait_for_selector("#paper-table tbody tr")
    with page.expect_download() as download:
        page.click("[data-csv=paper-table]")
    content = download.value.path().read_text(encoding="utf-8")
    assert content.startswith("cell,published,")
    assert len(content.splitlines()) == 31


def test_tabs_by_keyboard(open_page):
    page = open_page()
    page.focus("#tab-plan")
    page.keyboard.press("ArrowRight")
    assert page.is_visible("#compare")
    assert page.evaluate("document.activeElement.id") == "tab-compare"


def test_a_phone_needs_no_sideways_scrolling(open_page):
    page = open_page(viewport={"width": 390, "height": 844})
    page.wait_for_selector("#chart-map svg")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.click("#tab-compare")
    page.click("#example")
    page.click("#change")
    page.click("#roles .more > summary")
    page.click("[aria-label='What is meant by the prior?']")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.slow), 390])
@pytest.mark.parametrize(
    "tab",
    ["plan", "compare", *(pytest.param(tab, marks=pytest.mark.slow) for tab in ("estimate", "judge", "paper"))],
)
def test_accessibility(open_page, tab, width):
    page = open_page(f"/#tab={tab}", viewport={"width": width, "height": 844})
    if tab == "compare":
        page.set_input_files("#file", {"name": "counts.csv", "mimeType": "text/csv", "buffer": COUNTS.encode()})
        page.wait_for_selector("#chart-calibration svg")
    elif tab == "judge":
        page.click("#judge-example")
        page.locator("#judge-value", has_text="53%").wait_for()
    else:
        page.wait_for_selector(
            {"plan": "#chart-map svg", "estimate": "#e-value:has-text('%')", "paper": "#paper-table td"}[tab]
        )
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("[aria-busy=true]")).to_have_count(0)  # what waits is pale
        found = Axe().run(page)
        serious = [v for v in found.response["violations"] if v["impact"] in {"serious", "critical"}]
        assert serious == [], json.dumps([(v["id"], [n["html"][:120] for n in v["nodes"]]) for v in serious], indent=1)


def test_the_api_page_tries_a_path(open_page):
    page = open_page("/docs")
    page.click("summary:has-text('POST /api/plan ')")
    page.click("details[open] button")
    page.locator("details[open] pre", has_text="measurable_difference").wait_for()
