"""Draw docs/figures/page-*.webp from a server that runs: python tests/page_figures.py ADDRESS [NAME…]."""

import base64
import sys
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from browser import CHROMIUM, OPTIONS, PATIENCE

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
SHRUNK = 1000 / WIDE["width"]
VIEWS = {  # address, what must be there, size
    "plan": ("", "#chart-power svg", WIDE),
    "compare": ("tab=compare&data=example", "#ranking li", WIDE),
    "estimate": ("tab=estimate", "#e-value:has-text('%')", WIDE),
    "judge": ("tab=judge&data=example", "#judge-ranking li", WIDE | {"height": 700}),
    "plan-phone": ("", "#chart-power svg", PHONE),
    "compare-phone": ("tab=compare&data=example", "#ranking li", PHONE),
}


def draw(browser, address, name):
    view, awaited, size = VIEWS[name]
    page = browser.new_page(viewport=size)
    page.set_default_timeout(PATIENCE)
    page.goto(f"{address}/#{view}")
    page.locator(awaited).first.wait_for()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    clip = {} if size is PHONE else {"clip": {"x": 0, "y": 0, **size, "scale": SHRUNK}}
    session = page.context.new_cdp_session(page)
    taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": 75, **clip})
    (FIGURES / f"page-{name}.webp").write_bytes(base64.b64decode(taken["data"]))
    page.close()


if __name__ == "__main__":
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        for name in sys.argv[2:] or VIEWS:
            draw(browser, sys.argv[1], name)
