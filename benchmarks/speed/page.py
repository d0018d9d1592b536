"""The page

One answer of the web server, `POST /api/plan`, against the same plan in Python, both by the clock, the shortest of
six in each round; what a browser waits for, by its own clock, against the median of the latter; and whether 64
uploads at once are all answered, or refused politely.
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
    from collections.abc import Callable, Iterator

    import httpx2 as httpx
    from benchmarks.speed.race import Run

PORT = 8765
UPLOADS = 64
POST, BARE = "POST /api/plan", "plan(…).to_dict()"
SLIDER = "a slider's answer"
WHY = {
    POST: "a request waits for two more processes, and on a busy machine each of these for a processor.",
}


def measure(run: Run) -> None:
    with served() as client:
        times = {POST: [], BARE: []}
        for first in range(500, 590, 6):
            bodies = [{"rate": 0.6, "tpr": 0.9, "tnr": 0.9, "n_human": first + i, "n_metric": 10_000} for i in range(6)]
            times[POST].append(_shortest(lambda body: client.post("/api/plan", json=body).raise_for_status(), bodies))
            times[BARE].append(_shortest(lambda body: plan(**body).to_dict(), bodies))
        run.ratio(times, POST, BARE, most=3)
        if browser.READY:
            bare = statistics.median(times[BARE])
            for what, took in browser.waits(str(client.base_url)).items():
                goal = {"most": 3} if what == SLIDER else {}
                run.ratio({what: took, BARE: [bare] * len(took)}, what, BARE, **goal)
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


def _shortest(function: Callable[[dict[str, float]], object], bodies: list[dict[str, float]]) -> float:
    """Return the least time by the clock: a request waits for three processes, and each for a processor."""
    found = []
    for body in bodies:
        start = time.perf_counter()
        function(body)
        found.append(time.perf_counter() - start)
    return min(found)
