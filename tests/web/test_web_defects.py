"""Defects that people met on the page, each in a real browser: none may come back."""

import contextlib
import os
import shlex

import pytest
from playwright.sync_api import expect

from browser import CHROMIUM
from command_line import run
from made_logs import inspect_members, sample, zipped

pytestmark = pytest.mark.skipif(CHROMIUM is None and "CI" not in os.environ, reason="needs Chromium")
COUNTS = (
    "system,human_pos,human_n,tp,fn,tn,fp,metric_pos,metric_n\n"
    "A,60,100,54,6,36,4,1190,2000\nB,45,100,40,5,49,6,890,2000\n"
)
COMPARE = "/#tab=compare"


def rated(name="mine.csv", systems="AB", scale=2, items=40, **columns):
    """Return an upload: ratings of some systems, from 0 up to the scale."""
    head = ["system", "item", "human", "judge", *columns]
    rows = [
        [
            who,
            f"q{i}",
            (i + k) % scale,
            (i + k + (i % 5 == 0)) % 2,
            *(value[i % len(value)] for value in columns.values()),
        ]
        for k, who in enumerate(systems)
        for i in range(items)
    ]
    text = "\n".join(",".join(map(str, row)) for row in [head, *rows])
    return {"name": name, "mimeType": "text/csv", "buffer": text.encode()}


def counts(name="counts.csv"):
    return {"name": name, "mimeType": "text/csv", "buffer": COUNTS.encode()}


def take(page, *uploads):
    page.set_input_files("#more-files" if page.is_hidden("#compare-empty") else "#file", list(uploads))


def settled(page):
    page.wait_for_selector("#compare-answer:not([aria-busy])")
    expect(page.locator("#waiting")).to_be_hidden()


@contextlib.contextmanager
def held(page, pattern):
    """Hold back what the page asks for, however long the machine takes for the rest."""
    waiting, free = [], []

    def hold(route):
        if free:
            route.continue_()
        else:
            waiting.append(route)

    page.route(pattern, hold)
    yield
    free.append(True)
    for route in waiting:
        route.continue_()


def test_choices_of_a_file_do_not_leak_into_the_next(open_page):
    page = open_page(COMPARE)
    take(page, rated("scale.csv", scale=5))
    settled(page)
    page.click("#change")
    page.click("#roles .more summary")
    page.fill("#human_cut", "4")
    page.press("#human_cut", "Enter")
    page.locator("#compare-command", has_text="--human-cut 4").wait_for(state="attached")
    take(page, rated("next.csv"))
    page.locator("#read-line", has_text="next.csv").wait_for()
    assert page.input_value("#human_cut") == ""
    assert "human_cut" not in page.url
    assert "--human-cut" not in page.text_content("#compare-command")


def test_what_is_stale_looks_stale_and_changes_together(open_page):
    page = open_page("/#solve=difference")
    page.wait_for_selector("#chart-map svg")
    before = page.text_content("#plan-command")
    with held(page, "**/api/plan"):
        page.fill("#n_human", "999")
        page.wait_for_selector("#plan-words[aria-busy=true]")
        page.wait_for_selector("#chart-map[aria-busy=true]")
        expect(page.locator("#plan-words")).to_have_css("opacity", "0.45")
        assert page.text_content("#plan-command") == before, "the old call stays with the old sentence"
    page.locator("#plan-words", has_text="999").wait_for()
    assert "--n-human 999" in page.text_content("#plan-command")
    expect(page.locator("#chart-map[aria-busy=true]")).to_have_count(0)
    expect(page.locator("#plan-words")).to_have_css("opacity", "1")


def test_old_charts_are_dimmed_beside_a_new_verdict(open_page):
    page = open_page(COMPARE)
    take(page, counts())
    page.wait_for_selector("#chart-rates svg")
    expect(page.locator("#chart-rates[aria-busy=true]")).to_have_count(0)
    with held(page, "**/api/compare/charts?*"):
        take(page, rated("other.csv", "XYZ"))
        page.locator("#compare-words", has_text="X").wait_for()
        page.wait_for_selector("#chart-rates[aria-busy=true]")
    expect(page.locator("#chart-rates[aria-busy=true]")).to_have_count(0)


def test_back_finds_the_upload_again_and_stays_here(open_page):
    page = open_page(COMPARE)
    take(page, rated("first.csv"))
    settled(page)
    page.click("#tab-plan")
    page.wait_for_selector("#plan:not([hidden])")
    page.go_back()
    page.locator("#read-line", has_text="first.csv").wait_for()
    assert page.is_visible("#compare-value")
    take(page, rated("second.csv", "XY"))
    page.locator("#read-line", has_text="second.csv").wait_for()
    page.go_back()
    page.locator("#read-line", has_text="first.csv").wait_for()
    page.go_forward()
    page.locator("#read-line", has_text="second.csv").wait_for()


def test_the_copied_calls_of_the_example_run_anywhere(open_page, tmp_path, monkeypatch):
    page = open_page("/#tab=compare&data=example")
    settled(page)
    words, signature = page.inner_text("#compare-words"), page.inner_text("#signature")
    monkeypatch.chdir(tmp_path)
    _, *options = shlex.split(page.text_content("#compare-command"))
    answer = run(*options, "--format", "json").json
    assert (answer["summary"], answer["signature"]) == (words, signature)
    scope = {}
    exec(page.text_content("#compare-python").replace("print(", "found = ("), scope)  # noqa: S102 - the page's own
    assert str(scope["found"]) == words
    with page.expect_download() as download:
        page.click("#get-example")
    assert download.value.suggested_filename == "example.csv"


def test_double_clicks_leave_buttons_as_they_were(open_page):
    page = open_page(COMPARE)
    take(page, counts())
    settled(page)
    with page.expect_download():
        page.dblclick("#report")
    expect(page.locator("#report")).to_have_text("Download the report")
    expect(page.locator("#report")).to_be_enabled()
    page.dblclick("[data-copy=compare-command]")
    expect(page.locator("[data-copy=compare-command]")).to_have_text("Copy as command")
    page.click("#tab-plan")
    page.click("summary:has-text('by simulation')")
    page.fill("#runs", "20")
    page.dblclick("#simulate")
    page.locator("#simulation", has_text="of 20 simulated campaigns").wait_for()
    expect(page.locator("#simulate")).to_have_text("Simulate")
    expect(page.locator("#simulate")).to_be_enabled()
    expect(page.locator("#stop")).to_be_hidden()


def test_the_last_metric_can_be_unticked(open_page):
    page = open_page(COMPARE)
    take(page, rated())
    settled(page)
    page.click("#change")
    page.click("#pick-metric summary")
    page.uncheck("#pick-metric input[value=judge]")
    page.locator("#compare-command", has_text="--metric none").wait_for(state="attached")
    expect(page.locator("#pick-metric output")).to_have_text("none: people only")
    assert not page.is_checked("#pick-metric input[value=judge]")
    page.check("#pick-metric input[value=judge]")
    page.locator("#compare-command", has_text="--metric judge").wait_for(state="attached")


def test_menus_close_by_escape_and_by_a_click_elsewhere(open_page):
    page = open_page(COMPARE)
    take(page, rated())
    settled(page)
    page.click("#change")
    menu = page.locator("#pick-metric")
    page.click("#pick-metric summary")
    page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    assert page.evaluate("document.activeElement.parentElement.id") == "pick-metric"
    page.click("#pick-metric summary")
    page.click("#compare-words")
    expect(menu).not_to_have_attribute("open", "")


def test_many_systems_are_told_apart_by_rows_not_by_colours(open_page):
    page = open_page(COMPARE)
    take(page, rated(systems="ABCDEFGHIJKL"))
    page.wait_for_selector("#chart-posteriors svg")
    shown = page.locator("#chart-posteriors .role-axis-label text").all_text_contents()
    assert sorted(text for text in shown if text.isalpha()) == list("ABCDEFGHIJKL")
    legend = page.locator("#chart-posteriors .role-legend-label text").all_text_contents()
    assert legend == ["all ratings", "human ratings alone"]


def test_a_cut_of_ones_own_says_what_it_replaces(open_page):
    page = open_page("/#tab=compare&data=example&metric=score")
    settled(page)
    page.click("#change")
    page.select_option("#rule", "number")
    page.fill("#cut", "0.5")
    page.press("#cut", "Enter")
    page.locator("#compare-command", has_text="--threshold 0.5").wait_for(state="attached")
    assert "replaces cross-fitting" in page.inner_text("#cut-note")


def test_words_of_the_command_line_are_not_on_the_page(open_page):
    page = open_page(COMPARE)
    take(page, {"name": "nothing.csv", "mimeType": "text/csv", "buffer": b""})
    page.wait_for_selector("#compare-error:visible")
    said = page.inner_text("#compare-error")
    assert "empty" in said
    assert "standard input" not in said
    assert "--" not in said
    page = open_page("/#solve=difference&tpr=0.5&tnr=0.5")
    page.wait_for_selector("#wrong-agree:visible")
    assert "metric ratings 0" in page.inner_text("#wrong-agree")


def test_what_is_wrong_is_said_once_in_plain_words_beside_the_field(open_page):
    page = open_page("/#solve=difference&n_human=2000000000")
    page.wait_for_selector("#wrong-n_human:visible")
    assert page.inner_text("#wrong-n_human") == "must be at most 1,000,000,000"
    assert page.is_hidden("#plan-error")


def test_one_rating_is_one_rating(open_page):
    page = open_page("/#solve=n_human&rate=0.5&difference=0.9&n_metric=0&power=0.6")
    page.locator("#plan-value", has_text="1 human rating").wait_for()
    expect(page.locator("#plan-value")).to_have_text("1 human rating")
    assert "1 human rating of each system is needed" in page.inner_text("#plan-words")


def test_nothing_is_asked_for_at_every_step(open_page):
    page = open_page()
    page.wait_for_selector("#chart-map svg")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    for value in ("300", "400", "500"):
        page.fill("#n_metric", value)
        page.locator("#plan-words", has_text=f"{value} metric").wait_for()
    assert [url for url in asked if "icon" in url or "static" in url] == []


def test_regions_that_scroll_can_be_focused(open_page):
    page = open_page("/#tab=compare&data=example")
    settled(page)
    assert page.evaluate("[...document.querySelectorAll('.scroll')].every(one => one.tabIndex === 0)")


def test_two_prompts_in_two_files_by_language(open_page):
    """All that compare can: several files without a column of systems, slices, rows."""
    page = open_page(COMPARE)
    one, two = rated("prompt-a.csv", "A", language=["de", "en"]), rated("prompt-b.csv", "B", language=["de", "en"])
    take(page, one, two)
    settled(page)
    page.click("#change")
    page.click("#pick-by summary")
    page.check("#pick-by input[value=language]")
    page.locator("#slices", has_text="de").wait_for()
    assert "--by language" in page.text_content("#compare-command")
    page.keyboard.press("Escape")
    page.click("#roles .more summary")
    page.fill("#where", "language == 'en'")
    page.press("#where", "Enter")
    page.locator("#compare-error", has_text="makes 1 slice").wait_for()


def test_labels_in_a_file_of_their_own_are_joined(open_page):
    outputs = "\n".join(
        ["system,item,judge", *(f"{who},q{i},{(i + k) % 2}" for k, who in enumerate("AB") for i in range(30))]
    )
    votes = "\n".join(
        ["system,item,human", *(f"{who},q{i},{(i * 2 + k) % 3 > 0:d}" for k, who in enumerate("AB") for i in range(20))]
    )
    page = open_page(COMPARE)
    take(page, {"name": "outputs.csv", "mimeType": "text/csv", "buffer": outputs.encode()})
    page.wait_for_selector("#compare-error:visible")
    page.click("#roles .more summary")
    page.set_input_files("#labels", {"name": "votes.csv", "mimeType": "text/csv", "buffer": votes.encode()})
    settled(page)
    page.wait_for_selector("#compare-value:visible")
    assert "--labels votes.csv" in page.text_content("#compare-command")


def logs_and_labels():
    """Return two logs of Inspect, which hold no rating of people, and a table of these."""
    uploads = []
    for k, system in enumerate("ab"):
        samples = [sample(i, scores={"model_graded_qa": "CI"[(i + k * (i < 9)) % 2]}) for i in range(40)]
        content = zipped(inspect_members(samples, model=system))
        uploads.append({"name": f"{system}.eval", "mimeType": "application/zip", "buffer": content})
    votes = [f"{system},{i},{(i + (i % 7 == 0)) % 2 == 0:d}" for system in "ab" for i in range(30)]
    text = "\n".join(["system,item,human", *votes])
    return uploads, {"name": "votes.csv", "mimeType": "text/csv", "buffer": text.encode()}


def test_logs_of_a_harness_are_compared_with_labels_which_back_finds_again(open_page):
    logs, votes = logs_and_labels()
    page = open_page(COMPARE)
    take(page, *logs)
    page.wait_for_selector("#compare-error:visible")
    page.click("#compare-error button.link")  # names the control
    page.set_input_files("#labels", votes)
    page.wait_for_selector("#compare-value:visible")
    settled(page)
    command = "tellapart compare a.eval b.eval --labels votes.csv"
    assert page.text_content("#compare-command").startswith(command)
    words = page.inner_text("#compare-words")
    take(page, rated("other.csv", "XY"))
    page.locator("#read-line", has_text="other.csv").wait_for()
    assert page.evaluate("document.getElementById('labels').files.length") == 0
    page.go_back()
    page.locator("#compare-words", has_text=words).wait_for()
    settled(page)
    assert page.text_content("#compare-command").startswith(command)
    assert page.evaluate("document.getElementById('labels').files[0].name") == "votes.csv"


def test_a_link_names_the_labels_that_it_does_not_hold(open_page):
    page = open_page("/#tab=compare&data=file&file=a.csv&labels=votes.csv")
    page.locator("#waiting", has_text="“a.csv”, with people's ratings in “votes.csv”").wait_for()


def test_a_next_step_becomes_a_plan(open_page):
    page = open_page("/#tab=compare&data=example")
    settled(page)
    page.click("#plan-this")
    page.locator("#plan-value", has_text="human ratings").wait_for()
    assert page.input_value("#difference") != "0.05"
    assert float(page.input_value("#tpr")) > 0.9
    page.go_back()
    page.wait_for_selector("#compare-value:visible")


def test_another_metric_is_one_click_away(open_page):
    page = open_page("/#tab=compare&data=example")
    page.click("#ranking button")
    page.locator("#compare-command", has_text="--metric score").wait_for(state="attached")


def test_scenarios_are_pinned_side_by_side(open_page):
    page = open_page("/#solve=difference")
    page.locator("#plan-value", has_text="11.2 points").wait_for()
    page.click("#pin-a")
    page.fill("#n_human", "800")
    page.locator("#plan-words", has_text="800").wait_for()
    page.click("#pin-b")
    assert page.inner_text("#pin-a-value") == "11.2 points"
    assert page.inner_text("#pin-b-value") != "11.2 points"
    page.click("#open-a")
    page.locator("#plan-words", has_text="With 200 human").wait_for()
    assert page.input_value("#n_human") == "200"


def test_presets_fill_the_plan_one_number_becomes_two_and_guesses_become_ranges(open_page):
    page = open_page("/")
    page.get_by_role("button", name="Nightly judge").click()
    page.locator("#plan-command", has_text="--n-human 300").wait_for(state="attached")
    expect(page.locator("#box-tpr")).to_be_hidden()
    page.click("#split")
    page.fill("#tpr", "0.95")
    page.locator("#plan-command", has_text="--tpr 0.95 --tnr 0.9").wait_for(state="attached")
    page.click("label:has(#solve-chance)")
    page.fill("#rate_high", "0.9")
    page.locator("#plan-command", has_text="--rate 0.8..0.9").wait_for(state="attached")
    assert "two" in page.get_attribute("#thumbs-rate", "class")


def test_how_good_is_my_system_and_my_judge(open_page):
    page = open_page("/#tab=estimate")
    page.locator("#e-value", has_text="61.0%").wait_for()
    _, *options = shlex.split(page.text_content("#e-command"))
    assert run(*options, "--format", "json").json["summary"] == page.inner_text("#e-words")
    page.click("#tab-judge")
    page.click("#judge-example")
    page.locator("#judge-value", has_text="53%").wait_for()
    assert "judge" in page.inner_text("#judge-ranking li:first-child")


def test_the_answer_stays_in_view_on_a_phone(open_page):
    page = open_page(viewport={"width": 390, "height": 844})
    page.locator("#plan-value", has_text="human ratings").wait_for()
    for y in (0, 400, 1500):
        page.evaluate(f"scrollTo(0, {y})")
        box = page.locator("#plan-big").bounding_box()
        assert box["y"] >= -1
        assert box["y"] + box["height"] <= 845


def test_beside_an_error_nothing_is_told_of_the_file_before(open_page):
    page = open_page(COMPARE)
    take(page, rated("good.csv"))
    settled(page)
    take(page, {"name": "bad.parquet", "mimeType": "application/octet-stream", "buffer": b"PAR1 but no more"})
    expect(page.locator("#compare-error")).to_contain_text("bad.parquet")
    expect(page.locator("#compare-read")).to_be_hidden()
    expect(page.locator("#compare-empty")).to_be_visible()


def test_an_option_that_a_judge_needs_is_a_button_to_its_control(open_page):
    page = open_page("/#tab=judge")
    odd = rated("odd.csv")
    odd["buffer"] = odd["buffer"].replace(b"system,item", b"one,two", 1)
    with held(page, "**/api/compare?*"):  # the control is there only once the server has answered
        page.set_input_files("#judge-file", odd)
        expect(page.locator("#judge-error")).to_be_visible()
        assert "=" not in page.inner_text("#judge-error")
        page.click("#judge-error button")
    expect(page.locator("#system")).to_be_focused()
    page.select_option("#system", "one")
    settled(page)
    page.click("#tab-judge")
    expect(page.locator("#judge-words")).to_contain_text("judge")
    expect(page.locator("#judge-error")).to_be_hidden()


def test_without_a_next_step_there_is_no_heading_of_one(open_page):
    page = open_page(COMPARE, viewport={"width": 1280, "height": 900})
    take(page, rated("scale.csv", scale=5, systems="ABC"))
    settled(page)
    expect(page.locator("#next-box")).to_be_visible()
    expect(page.locator("#next-head")).to_be_hidden()
    take(page, rated("plain.csv", systems=["a-system-with-a-long-name-1", "b-system-with-a-long-name-2"]))
    expect(page.locator("#read-line")).to_contain_text("plain.csv")
    settled(page)
    expect(page.locator("#next-head")).to_be_visible()
    cut = "[...document.querySelectorAll('#metric-tables .scroll')].map((one) => one.scrollWidth - one.clientWidth)"
    assert set(page.evaluate(cut)) == {0}


def test_a_line_joins_only_systems_that_cannot_be_told_apart(open_page):
    """Lines of other groups do not run into it, and it leaves out who is no member."""
    page = open_page(COMPARE)
    page.evaluate(
        """async () => {
            const { showVerdict } = await import("/static/verdict.js");
            const ranking = ["A", "B", "C", "D", "E"], pairs = [{ first: "A", second: "E", better: "A" }];
            const groups = [["A", "B", "C"], ["B", "C", "D"], ["C", "E"]];
            const said = { cautions: [], understood: [] };
            showVerdict({ ranking, groups, pairs, said, sheets: [], doubtful: { E: ["why"] }, systems: {} }, () => {});
            for (let node = document.getElementById("strip"); node; node = node.parentElement) node.hidden = false;
        }"""
    )
    places = page.locator(".place").evaluate_all("all => all.map((one) => one.getBoundingClientRect().toJSON())")
    drawn = page.locator(".group").evaluate_all(
        "all => all.map((one) => [...one.children].map((part) => part.getBoundingClientRect().toJSON()))"
    )
    covered = [
        [i for i, at in enumerate(places) if any(p["left"] < at["right"] and p["right"] > at["left"] for p in parts)]
        for parts in drawn
    ]
    assert covered == [[0, 1, 2], [1, 2, 3], [2, 4]]
    assert len({parts[0]["top"] for parts in drawn}) == 3
    assert page.locator(".place b").all_inner_texts() == ["A", "B", "C", "D", "E *"]


def test_the_big_rate_is_the_one_that_can_be_relied_on(open_page):
    page = open_page("/#tab=estimate&human_pos=10&human_n=100&tp=9&fn=1&tn=80&fp=10&metric_pos=1800&metric_n=2000")
    expect(page.locator("#e-value")).to_have_text("10.8%")
    expect(page.locator("#e-big.warn")).to_contain_text("by the human ratings alone")
    expect(page.locator("#e-cautions")).to_contain_text("not like the rest")
    page.click("#e-cautions button >> nth=0")
    page.locator("#e-command", has_text="--sampling by-metric").wait_for(state="attached")
    _, *options = shlex.split(page.text_content("#e-command"))
    assert run(*options, "--format", "json").json["summary"] == page.inner_text("#e-words")


def test_an_empty_field_is_asked_for_and_not_taken_as_0(open_page):
    page = open_page("/#tab=estimate&people=1")
    expect(page.locator("#e-value")).to_have_text("59.8%")
    for given, said in (("", "a number, please"), ("6.5", "must be a whole number"), ("110", "must be at most")):
        page.fill("#e-pos", given)
        expect(page.locator("#e-pos-wrong")).to_contain_text(said)
        expect(page.locator("#e-value")).to_have_text("–")
    page.fill("#e-pos", "60")
    expect(page.locator("#e-value")).to_have_text("59.8%")
    page.click("#tab-compare")
    page.click("#show-counts")
    page.click("#use-counts")
    expect(page.locator("#counts-error")).to_contain_text("adequate, by people, row 1; rated by people, row 1")
    expect(page.locator("#counts-grid input[aria-invalid=true]")).to_have_count(4)
    expect(page.locator("#compare-answer")).to_be_hidden()


def test_without_a_plan_no_chance_is_drawn(open_page):
    page = open_page("/#solve=n_metric")
    expect(page.locator("#plan-value")).to_have_text("Not possible")
    expect(page.locator("#overlap")).to_be_hidden()


def test_pairs_have_no_headings_over_nothing(open_page):
    rows = [
        f"{a},{b},{i},{'a' if i % 3 else 'b'},{'a' if i % 4 else 'tie'}" for a, b in ("AB", "AC") for i in range(60)
    ]
    content = "\n".join(["system_a,system_b,item,human,judge", *rows]).encode()
    page = open_page(COMPARE)
    take(page, {"name": "pairs.csv", "mimeType": "text/csv", "buffer": content})
    page.wait_for_selector("#chart-rates svg")
    headings = page.locator("#compare-answer h2:visible").all_inner_texts()
    assert headings == ["Who wins?", "Ranking", "How does the judge err?"]
    expect(page.locator("#systems-table")).to_contain_text("strength")
    take(page, rated("ratings.csv"))
    page.locator("#read-line", has_text="ratings.csv").wait_for()
    page.wait_for_selector("#chart-calibration svg")
    assert page.locator("#compare-answer h2:visible").first.inner_text() == "How good is each system?"


def test_the_judge_of_another_file_is_not_asked_for_the_columns_of_the_last(open_page):
    page = open_page("/#tab=judge")
    first = rated("first.csv")
    page.set_input_files("#judge-file", first)
    expect(page.locator("#judge-read")).to_have_text("Read from first.csv.")
    expect(page.locator("#system")).to_have_value("system")  # as the comparison found it
    other = {**first, "name": "other.csv", "buffer": first["buffer"].replace(b"system,item", b"model,question", 1)}
    page.set_input_files("#judge-file", other)
    expect(page.locator("#judge-read")).to_have_text("Read from other.csv.")
    expect(page.locator("#judge-label")).to_contain_text("judge can replace at most")


def test_annotators_are_not_offered_as_metrics(open_page):
    page = open_page(COMPARE)
    take(page, rated(annotator1=(0, 1), annotator2=(1, 0), score=range(9)))
    settled(page)
    assert page.locator("#pick-metric label").all_text_contents() == ["judge", "score"]


def test_twelve_systems_are_legible_on_a_phone(open_page):
    page = open_page(COMPARE, viewport={"width": 390, "height": 844})
    take(page, rated(systems=[f"a-system-with-quite-a-long-name-{n}" for n in range(12)]))
    page.wait_for_selector("#chart-calibration svg")
    for chart in ("rates", "matrix", "posteriors", "calibration"):
        shrunk = page.locator(f"#chart-{chart} svg").evaluate("svg => svg.clientWidth / svg.viewBox.baseVal.width")
        assert shrunk > 0.9, chart
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
