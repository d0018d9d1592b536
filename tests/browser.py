"""A real browser for tests of the page."""

import shutil

from playwright.sync_api import expect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 300_000  # milliseconds; tests wait for states, and machines may be slow
expect.set_options(timeout=PATIENCE)
