"""A real server, for what only a real connection or a real browser can show."""

import socket
import threading
import time

import pytest
import uvicorn

from tellapart.web.app import create_app
from tellapart.web.settings import Settings


@pytest.fixture(scope="module")
def app():
    return create_app(Settings(patience=120))  # machines may be slow


@pytest.fixture(scope="module")
def address(app):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)
