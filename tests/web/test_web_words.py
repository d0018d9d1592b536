"""The page's pure functions, by node's own test runner, and what is served of the page."""

import gzip
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from importlib.resources import files
from pathlib import Path

import pytest

from tellapart.web import kept

NODE = shutil.which("node")
STATIC = files("tellapart.web").joinpath("static")


@pytest.mark.skipif(NODE is None and "CI" not in os.environ, reason="needs node")
def test_pure_functions_of_the_page():
    command = [NODE, "--test", Path(__file__).with_name("page")]
    found = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert found.returncode == 0, found.stdout


def test_every_module_of_the_page_is_small_and_imported():
    scripts = {file.name: file.read_text(encoding="utf-8") for file in STATIC.iterdir() if file.name.endswith(".js")}
    imported = {name for text in scripts.values() for name in re.findall(r'from "\./(\w+\.js)"', text)}
    assert set(scripts) - imported == {"app.js", "api.js"}
    assert max(len(text.splitlines()) for text in scripts.values()) < 300


def test_what_is_static_comes_packed(address):
    for path in ("/", "/static/style.css", "/static/app.js", "/vega.js"):
        request = urllib.request.Request(address + path, headers={"Accept-Encoding": "gzip"})  # noqa: S310 - our own
        with urllib.request.urlopen(request, timeout=300) as answer:  # noqa: S310
            assert answer.headers["Content-Encoding"] == "gzip"
            packed = answer.read()
        assert len(packed) < 0.5 * len(gzip.decompress(packed))


def test_the_address_is_told_when_the_port_answers():
    code = "from tellapart.cli.app import main; main()"
    command = [sys.executable, "-c", code, "serve", "--port", "0", "--keep", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:  # noqa: S603
        said = server.stderr.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+", said).group()
        with urllib.request.urlopen(address, timeout=5) as answer:  # noqa: S310 - our own
            assert answer.status == 200
        server.terminate()


def test_a_comparison_is_computed_once_for_some_minutes(monkeypatch):
    computed = []

    def compute():
        computed.append(1)
        return len(computed)

    assert [kept.remembered("a", 1, compute), kept.remembered("a", 1, compute)] == [1, 1]
    assert kept.remembered("a", 0, compute) == 2, "with --keep 0, never"
    for name in "bcde":
        kept.remembered(name, 1, compute)
    assert kept.remembered("a", 1, compute) == 7, "only the last few"
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 61)
    kept.forget()
    assert kept.remembered("e", 1, compute) == 8
