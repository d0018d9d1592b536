"""What a person waits for on the page, by the browser's own clock: first paint, first answer, a slider's answer.

Nothing looks at the page while it waits for an answer: a test that asks "is it there?" at every frame would slow it.
"""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
READY = bool(CHROMIUM and find_spec("playwright"))
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
OPENED, MOVES = 5, 25
PAINT, FIRST = "first paint", "first answer"
SLIDER, SHOWN, EMPTY = "a slider's answer", "the same, shown on the page", "the browser's emptiest request"
_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
_ANSWERS = """() => performance.getEntriesByType('resource').filter(one => new URL(one.name).pathname === '/api/plan')
    .map(one => [one.responseEnd, one.responseEnd - one.requestStart])"""
_ASK = """async () => {
    const start = performance.now();
    await (await fetch("/api/progress/none")).text();
    return performance.now() - start;
}"""
_MOVE = """value => new Promise(done => {
    const field = document.getElementById("n_human"), words = document.getElementById("plan-words");
    const start = performance.now();
    new MutationObserver((_, observer) => {
        if (!words.textContent.includes(`With ${value} human`)) return;
        observer.disconnect();
        done(performance.now() - start);
    }).observe(words, { childList: true });
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
})"""


def opened(address: str) -> dict[str, list[float]]:
    """Return seconds from the call of the page to its first paint and to its first answer."""
    found: dict[str, list[float]] = {PAINT: [], FIRST: []}
    with _pages(address) as new:
        for _ in range(OPENED + 1):
            page = new()
            found[PAINT].append(page.evaluate(_PAINT) / 1000)
            found[FIRST].append(page.evaluate(_ANSWERS)[0][0] / 1000)
    return {name: each[1:] for name, each in found.items()}


def moved(address: str, name: str, bare: Callable[[int], float]) -> dict[str, list[float]]:
    """Return the seconds of a slider's answer, in turns with those of a bare call under that name."""
    found: dict[str, list[float]] = {name: [], SHOWN: [], EMPTY: []}
    with _pages(address) as new:
        page = new()
        for number in range(501, 501 + MOVES):
            found[name].append(bare(number + 1000))
            found[EMPTY].append(page.evaluate(_ASK) / 1000)
            found[SHOWN].append(page.evaluate(_MOVE, str(number)) / 1000)
            _rest(page)
        found[SLIDER] = [took / 1000 for _, took in page.evaluate(_ANSWERS)[1:]]
    return found


@contextmanager
def _pages(address: str) -> Iterator[Callable[[], Page]]:
    """A browser, and a function that opens the page in it as somebody who was never there."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)

        def new() -> Page:
            page = browser.new_context().new_page()
            page.goto(f"{address}/#solve=difference&tpr=0.9&tnr=0.9&n_human=500&n_metric=10000")
            page.locator("#plan-value", has_text="points").wait_for()
            _rest(page)
            return page

        yield new
        browser.close()


def _rest(page: Page) -> None:
    """Wait until all charts are drawn."""
    from playwright.sync_api import expect

    page.wait_for_selector("#chart-map svg")
    expect(page.locator("[aria-busy=true]")).to_have_count(0, timeout=60_000)
