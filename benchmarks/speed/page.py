"""The page

One answer of the web server, `POST /api/plan`, against the same plan in Python, one call each in turns, by the clock.
Then what a browser waits for, by its own clock, in turns with the same call; its emptiest request, which computes
nothing, is a floor for any server. And whether 64 uploads at once are all answered, or refused politely.
"""

from __future__ import annotations

import statistics
import subprocess
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.speed import browser

from tellapart import plan

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx2 as httpx
    from benchmarks.speed.race import Run

PORT = 8765
UPLOADS = 64
ROUNDS = 60
POST, BARE = "POST /api/plan", "plan(…).to_dict()"
WHY = {
    POST: "a request passes through two more processes, which takes milliseconds, and the bare plan takes about one.",
}


def measure(run: Run) -> None:
    with served() as client:
        for number in range(100, 110):  # workers get warm
            _post(client, number)
            _bare(number)
        times = {POST: [], BARE: []}
        for number in range(500, 500 + ROUNDS):
            times[POST].append(_post(client, number))
            times[BARE].append(_bare(number))
        run.ratio(times, POST, BARE, most=3)
        if browser.READY:
            address = str(client.base_url)
            bare = statistics.median(times[BARE])
            for what, took in browser.opened(address).items():
                run.ratio({what: took, BARE: [bare] * len(took)}, what, BARE)
            times = browser.moved(address, BARE, _bare)
            run.ratio(times, browser.SLIDER, BARE)
            run.ratio(times, browser.SHOWN, BARE)
            run.ratio(times, browser.EMPTY, BARE)
        example = files("tellapart").joinpath("data/example.csv").read_bytes()
        with ThreadPoolExecutor(UPLOADS) as pool:
            codes = list(pool.map(lambda _: client.post("/api/compare", content=example).status_code, range(UPLOADS)))
    run.must(set(codes) <= {200, 503}, "an upload was neither answered nor politely refused")


@contextmanager
def served() -> Iterator[httpx.Client]:
    """A server on this machine, and a client of it."""
    import httpx2 as httpx

    server = subprocess.Popen([str(Path(sysconfig.get_path("scripts")) / "tellapart"), "serve", "--port", str(PORT)])
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{PORT}", timeout=120) as client:
            for _ in range(300):
                try:
                    client.get("/")
                    break
                except httpx.TransportError:
                    time.sleep(0.1)
            yield client
    finally:
        server.terminate()
        server.wait(10)


def _design(number: int) -> dict[str, float]:
    return {"rate": 0.6, "tpr": 0.9, "tnr": 0.9, "n_human": number, "n_metric": 10_000}


def _post(client: httpx.Client, number: int) -> float:
    start = time.perf_counter()
    client.post("/api/plan", json=_design(number)).raise_for_status()
    return time.perf_counter() - start


def _bare(number: int) -> float:
    start = time.perf_counter()
    plan(**_design(number)).to_dict()
    return time.perf_counter() - start
