"""The report as its readers open it: what stands at its top, in which order, on a phone, in print."""

import datetime as dt
import os
import re
import shutil

import polars as pl
import pytest

import tellapart as ta
from command_line import run
from tellapart import __version__, reporting
from tellapart.analysis.cautions import Caution, shared

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
COUNTS = "system,human_pos,human_n,tp,fn,tn,fp,metric_pos,metric_n\n" + "".join(
    f"s{k},{60 - 3 * k},100,{54 - 3 * k},6,{36 + 3 * k},4,{1190 - 55 * k},2000\n" for k in range(5)
)


def headings(page):
    return re.findall(r"<h2>(.*?)</h2>", page)


@pytest.fixture(scope="module")
def counts(tmp_path_factory):
    path = tmp_path_factory.mktemp("reports") / "my counts.csv"
    path.write_text(COUNTS, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def page(counts):
    """Return the report of five systems as the command line writes it."""
    path = counts.with_name("report.html")
    assert run("compare", str(counts), "--report", str(path)).code == 0
    return path


def test_the_top_says_file_day_version_and_command(counts, page):
    text = page.read_text(encoding="utf-8")
    top = text[text.index("<header>") : text.index("</header>")]
    assert "<dd>my counts.csv</dd>" in top
    assert re.search(r'<time datetime="(\d{4}-\d\d-\d\d)">\1</time>', top)
    assert f"tellapart {__version__}" in top
    typed = f"tellapart compare &#x27;{counts}&#x27; --report {page}"
    assert f"<code>{typed}</code>" in top
    assert "<title>my counts.csv: Can these systems be told apart?</title>" in text


def test_a_report_from_python_has_no_command_and_names_the_table():
    table = {"system": ["A", "B"] * 20, "item": [k // 2 for k in range(40)], "human": [1, 1, 1, 0] * 10}
    result = ta.read_ratings(pl.DataFrame(table), name="ratings <1>").compare()
    text = reporting.html(result, today=dt.date(2026, 1, 2))
    assert "<dd>ratings &lt;1&gt;</dd>" in text
    assert "2026-01-02" in text
    assert "Command" not in text
    assert "<dt>File</dt>" not in ta.report(ta.compare({"A": ta.Evidence.of((5, 9)), "B": ta.Evidence.of((3, 9))}))


def test_the_order_is_that_of_the_terminal(page):
    text = page.read_text(encoding="utf-8")
    assert headings(text)[:5] == [
        "How good is each system?",
        "What should be distrusted",
        "What would settle the rest?",
        "What borrowing buys",
        "Which can be told apart?",
    ]
    assert headings(text)[-2:] == ["Method", "Signature"]
    assert text.index('class="verdict"') < text.index("Groups within which") < text.index("<h2>")


def test_no_caption_repeats_its_heading(page):
    text = page.read_text(encoding="utf-8")
    assert not set(headings(text)) & set(re.findall(r"<figcaption>(.*?)</figcaption>", text))


@pytest.mark.parametrize(
    ("systems", "choice", "rule"),
    [
        (1, {}, None),
        (2, {}, "The two systems are told apart if the probability that the first is better is above 0.975"),
        (3, {}, "hold for all pairs together, by Holm's procedure"),
        (3, {"correction": "none"}, "Each pair is judged by itself"),
        (2, {"confidence_level": 0.9}, "above 0.95 or below 0.05"),
        (2, {"interval": "equal-tailed"}, "Intervals of rates and of differences have equal tails."),
    ],
)
def test_the_method_is_that_of_this_report(systems, choice, rule):
    evidence = {name: ta.Evidence.of((60 - 10 * i, 100)) for i, name in enumerate("ABC"[:systems])}
    text = ta.report(ta.compare(evidence, **choice))
    said = text[text.index("<h2>Method") : text.index("<h2>Signature")]
    assert "{" not in said
    assert rule in said if rule else "told apart" not in said


def test_what_systems_share_is_said_once():
    few = [
        (name, Caution("few-calibration", {"kind": "adequate", "n": n, "enough": 5}))
        for name, n in zip("ABCDE", (2, 3, 4, 3, 1), strict=True)
    ]
    (said,) = shared(few)
    (message,) = said.messages
    assert message.endswith(" is a guess: it was calibrated on only 2 (A), 3 (B, D), 4 (C) and 1 (E) of them.")


def test_what_differs_in_more_than_a_number_is_said_of_each():
    facts = {"balanced": True, "drawn": False, "metric": True}
    seen = [
        (name, Caution("human-set-aside", {**facts, "adequate": k, "rated": 10 * k})) for k, name in enumerate("AB", 1)
    ]
    (said,) = shared(seen)
    assert [message[:3] for message in said.messages] == ["A: ", "B: "]
    conflict = [("A", Caution("conflict", {"predicted": 0.5, "sd": 0.1, "passed": 0.9}))]
    conflict.append(("B", Caution("conflict", {"predicted": 0.4, "sd": 0.2, "passed": 0.9})))
    assert len(shared(conflict)[0].messages) == 2


def test_options_are_spelled_as_they_are_typed(tmp_path):
    path, report = tmp_path / "r.csv", tmp_path / "r.html"
    rows = [
        f"{s},{k},{(k + n) % 3 and 1},{(k * 7 + n) % 5 and 1},{k % 4 and 1}"
        for n, s in enumerate("AB")
        for k in range(60)
    ]
    path.write_text("\n".join(["system,item,human,judge,other", *rows]), encoding="utf-8")
    assert run("compare", str(path), "--report", str(report)).code == 0
    text = report.read_text(encoding="utf-8")
    assert 'Choose with <code class="option">--metric</code>.' in text
    assert "item = <code>item</code>" in text


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None and "CI" not in os.environ:
        pytest.skip("needs Chromium")
    sync = pytest.importorskip("playwright.sync_api")
    with sync.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


_SMALLEST = """() => Math.min(...[...document.querySelectorAll('svg text')]
    .filter(t => t.getClientRects().length)
    .map(t => parseFloat(getComputedStyle(t).fontSize) * Math.hypot(t.getScreenCTM().a, t.getScreenCTM().b)))"""


@pytest.mark.parametrize("width", [390, 1280])
def test_letters_can_be_read_on_a_phone_and_nothing_sticks_out(browser, page, width):
    shown = browser.new_page(viewport={"width": width, "height": 900})
    shown.goto(page.as_uri())
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    assert shown.evaluate(_SMALLEST) >= 11
    assert shown.evaluate("[...document.querySelectorAll('.scroll')].every(e => e.tabIndex === 0 && e.ariaLabel)")
    shown.close()


def test_details_are_printed(browser, page):
    shown = browser.new_page()
    shown.goto(page.as_uri())
    seen = "[...document.querySelectorAll('details table')].map(t => t.checkVisibility())"
    assert (found := shown.evaluate(seen))
    assert not any(found)
    shown.emulate_media(media="print", color_scheme="dark")
    shown.wait_for_function(f"{seen}.every(Boolean)")  # fails after half a minute
    assert shown.evaluate("getComputedStyle(document.querySelector('h2')).breakAfter") == "avoid"
    assert shown.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    shown.close()
