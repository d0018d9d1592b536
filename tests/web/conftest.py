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
