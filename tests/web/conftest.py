"""A real server, for what only a real connection or a real browser can show."""

import threading
import time

import pytest

from tellapart.web.app import create_app
from tellapart.web.server import Server, listen
from tellapart.web.settings import Settings


def pytest_itemcollected(item):
    """Let a failing browser test fail alone.

    Python before 3.11.8 and 3.12.2 may raise SystemError where pytest parses the source of a failing test while
    Playwright's greenlets are about (gh-106905), and that ends the whole run; a native traceback needs no parser.
    """
    if "open_page" in item.fixturenames:
        item._repr_failure_py = lambda excinfo, **_: excinfo.getrepr(style="native")


@pytest.fixture(scope="module")
def app():
    return create_app(Settings(patience=300, most_seconds=300))  # machines may be slow


@pytest.fixture(scope="module")
def server(app):
    opened = listen("127.0.0.1", 0)
    running = Server(app)
    thread = threading.Thread(target=running.run, args=([opened],), daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.05)
    running.address = f"http://127.0.0.1:{opened.getsockname()[1]}"
    yield running
    running.should_exit = True
    thread.join(60)


@pytest.fixture(scope="module")
def address(server):
    return server.address


@pytest.fixture(scope="module")
def browsers():
    """Return a browser, a new one where the last has crashed."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - not where only the server is tested

    from browser import CHROMIUM, OPTIONS, PATIENCE  # noqa: PLC0415

    with sync_playwright() as playwright:
        launched = []

        def browser():
            if not launched or not launched[-1].is_connected():
                launched.append(playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS, timeout=PATIENCE))
            return launched[-1]

        yield browser


@pytest.fixture
def complaints():
    """What pages wrote to the console, and whom else they asked."""
    return []


@pytest.fixture
def open_page(browsers, address, complaints):
    """Open a page that must neither complain on the console nor ask anybody else."""
    from browser import PATIENCE  # noqa: PLC0415

    contexts = []

    def opened(path="/", **options):
        context = browsers().new_context(**options)
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
