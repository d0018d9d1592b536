"""The page

One answer of the web server, `POST /api/plan`, against the same plan in Python, one call each in turns, by the clock.
The client is that of Python's standard library, over a connection that stays open: a comfortable one takes longer than
the answer. Then what a browser waits for, by its own clock, in turns with the same call; its emptiest request, which
computes nothing, is a floor for any server. And whether 64 uploads at once are all answered, or refused politely.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.speed import browser

from tellapart import plan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.speed.race import Run

HOST, PORT = "127.0.0.1", 8765
UPLOADS = 64
ROUNDS = 60
POST, BARE = "POST /api/plan", "plan(…).to_dict()"
WHY = {POST: "a request passes through two more processes, and the bare plan takes about a millisecond."}


def measure(run: Run) -> None:
    with served(), closing(_connection()) as connection:
        for number in range(100, 110):  # workers get warm
            _post(connection, number)
            _bare(number)
        times = {POST: [], BARE: []}
        for number in range(500, 500 + ROUNDS):
            times[POST].append(_post(connection, number))
            times[BARE].append(_bare(number))
        run.ratio(times, POST, BARE, most=3)
        if browser.READY:
            address = f"http://{HOST}:{PORT}"
            bare = statistics.median(times[BARE])
            for what, took in browser.opened(address).items():
                run.ratio({what: took, BARE: [bare] * len(took)}, what, BARE)
            times = browser.moved(address, BARE, _bare)
            run.ratio(times, browser.SLIDER, BARE)
            run.ratio(times, browser.SHOWN, BARE)
            run.ratio(times, browser.EMPTY, BARE)
        with ThreadPoolExecutor(UPLOADS) as pool:
            codes = set(pool.map(_upload, range(UPLOADS)))
    run.must(codes <= {200, 503}, "an upload was neither answered nor politely refused")


@contextmanager
def served() -> Iterator[None]:
    """A server on this machine."""
    server = subprocess.Popen([str(Path(sysconfig.get_path("scripts")) / "tellapart"), "serve", "--port", str(PORT)])
    try:
        for _ in range(300):
            try:
                with closing(_connection()) as connection:
                    connection.connect()
                break
            except OSError:
                time.sleep(0.1)
        yield
    finally:
        server.terminate()
        server.wait(10)


def _connection() -> HTTPConnection:
    return HTTPConnection(HOST, PORT, timeout=120)


def _upload(_: int) -> int:
    with closing(_connection()) as connection:
        connection.request("POST", "/api/compare", files("tellapart").joinpath("data/example.csv").read_bytes())
        return connection.getresponse().status


def _design(number: int) -> dict[str, float]:
    return {"rate": 0.6, "tpr": 0.9, "tnr": 0.9, "n_human": number, "n_metric": 10_000}


def _post(connection: HTTPConnection, number: int) -> float:
    start = time.perf_counter()
    connection.request("POST", "/api/plan", json.dumps(_design(number)), {"Content-Type": "application/json"})
    response = connection.getresponse()
    json.loads(response.read())
    took = time.perf_counter() - start
    if response.status != 200:
        raise RuntimeError(f"The server answered with {response.status}.")
    return took


def _bare(number: int) -> float:
    start = time.perf_counter()
    plan(**_design(number)).to_dict()
    return time.perf_counter() - start
