"""What a person waits for on the page, by the browser's own clock: first paint, first answer, a slider's answer."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
READY = bool(CHROMIUM and find_spec("playwright"))
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
OPENED, MOVES = 5, 15
_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
_ANSWERS = """() => performance.getEntriesByType('resource').filter(one => new URL(one.name).pathname === '/api/plan')
    .map(one => [one.responseEnd, one.responseEnd - one.requestStart])"""


def waits(address: str) -> dict[str, list[float]]:
    """Return seconds: from the call of the page to its first paint and answer, and of a slider's answer."""
    from playwright.sync_api import sync_playwright

    painted, answered = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        for _ in range(OPENED + 1):
            page = browser.new_context().new_page()
            page.goto(f"{address}/#solve=difference&tpr=0.9&tnr=0.9&n_human=500&n_metric=10000")
            page.locator("#plan-value", has_text="points").wait_for()
            _rest(page)
            painted.append(page.evaluate(_PAINT))
            answered.append(page.evaluate(_ANSWERS)[0][0])
        for step in range(MOVES):
            page.fill("#n_human", str(501 + step))
            page.locator("#plan-words", has_text=f"With {501 + step} human").wait_for()
            _rest(page)
        moved = [took for _, took in page.evaluate(_ANSWERS)[1:]]
        browser.close()
    found = {"first paint": painted[1:], "first answer": answered[1:], "a slider's answer": moved}
    return {name: [milliseconds / 1000 for milliseconds in each] for name, each in found.items()}


def _rest(page: Page) -> None:
    """Wait until all charts are drawn."""
    from playwright.sync_api import expect

    page.wait_for_selector("#chart-map svg")
    expect(page.locator("[aria-busy=true]")).to_have_count(0, timeout=60_000)
