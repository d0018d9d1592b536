"""The page in a real browser: each tab's main path, uploads, the address, dark mode, phone width, accessibility."""

import json
import os
import shutil
import socket
import threading
import time
from importlib.resources import files

import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from tellapart.web.app import create_app

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None and "CI" not in os.environ, reason="needs Chromium")
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
COUNTS = (
    "system,human_pos,human_n,tp,fn,tn,fp,metric_pos,metric_n\n"
    "A,60,100,54,6,36,4,1190,2000\nB,45,100,40,5,49,6,890,2000\n"
)
PATIENCE = 60_000  # milliseconds, on slow machines


@pytest.fixture(scope="module")
def address():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(create_app(), host="127.0.0.1", port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)


@pytest.fixture
def open_page(browser, address):
    """Open a page that must neither complain on the console nor ask anybody else."""
    contexts, complaints = [], []

    def opened(path="/", **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda m: complaints.append(m.text) if m.type in {"error", "warning"} else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request", lambda r: complaints.append(r.url) if not r.url.startswith((address, "data:", "blob:")) else None
        )
        page.goto(address + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    # a refused request is logged by the browser itself
    assert [c for c in complaints if "422" not in c and "413" not in c] == []


def test_plan_answers_at_every_change(open_page):
    page = open_page()
    page.wait_for_selector("#chart-map svg")
    page.select_option("#solve", "n_human")
    page.fill("#tpr", "0.9")
    page.fill("#tnr", "0.9")
    page.fill("#n_metric", "10000")
    page.locator("#plan-words", has_text="621 human ratings of each system are needed").wait_for()
    assert "--difference 0.05" in page.inner_text("#plan-command")
    page.focus("#box-difference input[type=range]")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#plan-words:not(:has-text('621'))")


def test_the_address_reproduces_the_view(open_page):
    page = open_page()
    page.select_option("#solve", "budget")
    page.fill("#budget", "3000")
    page.locator("#plan-words", has_text="for 3,000 in all").wait_for()
    said, query = page.inner_text("#plan-words"), page.url.partition("?")[2]
    again = open_page(f"/?{query}")
    again.locator("#plan-words", has_text="for 3,000 in all").wait_for()
    assert again.inner_text("#plan-words") == said


def test_bad_numbers_are_told_beside_the_field(open_page):
    page = open_page()
    page.fill("#rate", "3")
    page.wait_for_selector("#wrong-rate:visible")
    assert "less than or equal to 1" in page.inner_text("#wrong-rate")
    assert page.get_attribute("#rate", "aria-invalid") == "true"
    page.fill("#rate", "0.5")
    page.wait_for_selector("#wrong-rate", state="hidden")


def test_the_example_is_compared_and_the_report_comes(open_page):
    page = open_page("/?tab=compare")
    page.click("#example")
    page.wait_for_selector("#chart-calibration svg")
    assert "aurora (83.6%) is better than" in page.inner_text("#compare-words")
    assert "Caution" in page.inner_text("#cautions")
    assert page.locator("#systems-table tbody tr").count() == 7
    with page.expect_download() as download:
        page.click("#report")
    assert download.value.suggested_filename == "tellapart-report.html"


def test_an_upload_with_other_roles(open_page, tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_bytes(files("tellapart").joinpath("data/example.csv").read_bytes())
    page = open_page("/?tab=compare")
    page.set_input_files("#file", str(path))
    page.wait_for_selector("#chart-calibration svg")
    page.select_option("#role-metric", "score")
    page.wait_for_selector("#chart-roc svg")
    assert "--metric score" in page.inner_text("#compare-command")
    points = page.locator("#chart-roc svg .mark-symbol path")
    points.nth(points.count() // 3).dispatch_event("click")
    page.locator("#compare-command", has_text="--threshold").wait_for()
    assert page.input_value("#rule") == "number"


def test_a_bad_upload_is_told(open_page, tmp_path):
    path = tmp_path / "<b>bad.csv"
    path.write_text("system,human\nA,<img src=x>\n", encoding="utf-8")
    page = open_page("/?tab=compare")
    page.set_input_files("#file", str(path))
    page.wait_for_selector("#compare-error:visible")
    assert "line 2, column `human`" in page.inner_text("#compare-error")
    assert page.locator("#compare img").count() == 0


def test_counts_can_be_typed(open_page):
    page = open_page("/?tab=compare")
    page.click("#show-counts")
    page.fill("#counts-grid tbody tr:first-child td:first-child input", "mine")
    page.click("#use-counts")
    page.locator("#compare-words", has_text="mine − B").wait_for()


def test_a_table_can_be_saved(open_page):
    page = open_page("/?tab=paper")
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("tab", ["plan", "compare", "paper"])
def test_accessibility(open_page, tab, scheme):
    page = open_page(f"/?tab={tab}", color_scheme=scheme)
    if tab == "compare":
        page.set_input_files("#file", {"name": "counts.csv", "mimeType": "text/csv", "buffer": COUNTS.encode()})
        page.wait_for_selector("#chart-calibration svg")
    else:
        page.wait_for_selector("#chart-map svg" if tab == "plan" else "#paper-table tbody tr")
    found = Axe().run(page)
    serious = [v for v in found.response["violations"] if v["impact"] in {"serious", "critical"}]
    assert serious == [], json.dumps([(v["id"], [n["html"][:120] for n in v["nodes"]][:3]) for v in serious], indent=1)


def test_the_api_page_tries_a_path(open_page):
    page = open_page("/docs")
    page.click("summary:has-text('POST /api/plan ')")
    page.click("details[open] button")
    page.locator("details[open] pre", has_text="measurable_difference").wait_for()
