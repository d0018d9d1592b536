"""Processes that read, compute and draw for the server: bounded in memory and time, and ended when nobody waits.

A damaged or a swollen file, or a drawing that holds the interpreter's lock, ends or stalls such a process, not the
server.
"""

from __future__ import annotations

import json
import logging
import mmap
import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections import deque
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import anyio
import anyio.to_thread

from tellapart.errors import TellapartError
from tellapart.web import kept
from tellapart.web.refusals import ELSEWHERE, Misread, Refusal, busy, problem_of, unexpected
from tellapart.web.schemas import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

MEMORY = 2_500_000_000  # bytes that a worker may take; a drawing engine alone reserves 600 MB
_GROWN = 500_000_000  # bytes after which a worker makes room for a fresh one
_TICK = 20.0  # seconds after which an idle worker looks for what it is to forget
_TOO_MUCH, _STOPPING = "takes more memory than is allowed here", "The server is being stopped."
_log = logging.getLogger("tellapart.web")


@dataclass(frozen=True)
class Answer:
    """What a worker gives: a body, or a problem, or the trace of an unexpected error."""

    body: bytes = b""
    problem: Problem | None = None
    trace: str = ""
    last: bool = False


# the server's side


class Workers:
    """Warm processes, as many as there are turns; one that is ended is replaced when it is missed."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []
        self._all: WeakSet[_Worker] = WeakSet()
        self._closed = False

    def warm(self, number: int) -> None:
        """Start processes before they are needed."""
        for worker in [self._take() for _ in range(number)]:
            with suppress(EOFError):  # ended meanwhile
                worker.start()
                self._idle.append(worker)

    def _take(self, key: str = "") -> _Worker:
        """Return an idle process, best the one that remembers what was computed under the key."""
        self._idle.sort(key=lambda worker: key in worker.keys if key else False)
        while self._idle:
            with suppress(IndexError):  # taken by another thread
                worker = self._idle.pop()
                if worker.alive:
                    return worker
        worker = _Worker()
        self._all.add(worker)
        return worker

    async def ask(
        self,
        function: Callable[..., Any],
        *arguments: Any,  # noqa: ANN401
        seconds: float,
        progress: Callable[[int], None] | None = None,
    ) -> bytes:
        """Return what a function of this package returns, as text or JSON; cancelling ends the work at once.

        Where the progress is wanted, the function takes a last argument, to tell how much more is done.
        """
        if self._closed:
            raise busy(_STOPPING)
        key = next((one.key for one in arguments if getattr(one, "key", "")), "")
        worker, whole = self._take(key), False
        worker.keys.append(key)
        try:
            with anyio.fail_after(seconds):
                task = (function, arguments, progress is not None)
                answer = await anyio.to_thread.run_sync(worker.ask, task, progress, abandon_on_cancel=True)
        except TimeoutError:
            message = f"The answer takes longer than {seconds:g} s, the most that is computed here."
            raise Refusal(422, Problem(message=message, hint=f"ask for less, {ELSEWHERE}")) from None
        except (EOFError, OSError):
            if self._closed:
                raise busy(_STOPPING) from None
            _log.warning("A worker ended while it computed %s", function.__name__)
            message = f"The answer {_TOO_MUCH}, or the file is damaged."
            raise Refusal(422, Problem(message=message, hint=ELSEWHERE)) from None
        else:
            whole = not answer.last and not self._closed
        finally:
            if whole:
                self._idle.append(worker)
            else:
                worker.end()
        if answer.trace:
            raise unexpected(answer.trace)
        if answer.problem:
            raise Refusal(422, answer.problem)
        return answer.body

    def close(self) -> None:
        """End every process; whoever waits for one is told."""
        self._closed = True
        for worker in list(self._all):
            worker.end()


class _Worker:
    """One process, and the line to it."""

    _context: Any = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")
    _starting = threading.Lock()

    def __init__(self) -> None:
        self._process: Any = None
        self._line: Any = None
        self._ended = False
        self.keys: deque[str] = deque(maxlen=kept.MOST)  # of what it remembers

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and bool(self._process.is_alive())

    def start(self) -> None:
        """Start the process: a copy of one that has loaded everything, where the system can make copies."""
        with self._starting:
            if self._process is None and not self._ended:
                self._context.set_forkserver_preload(["tellapart.web.work", "altair"])
                self._line, end = self._context.Pipe()
                process = self._context.Process(target=_serve, args=(end,), daemon=True)
                with _plainly():
                    process.start()
                end.close()
                self._process = process
        if self._ended:
            self.end()
            raise EOFError

    def ask(
        self, task: tuple[Callable[..., Any], tuple[Any, ...], bool], progress: Callable[[int], None] | None
    ) -> Answer:
        """Send a task and wait for its answer; EOFError or OSError if the process ends before."""
        self.start()
        self._line.send(task)
        while not isinstance(said := self._line.recv(), Answer):
            if progress is not None:
                progress(said)
        return said

    def end(self) -> None:
        """End the process, whatever it does."""
        self._ended = True
        if self._process is not None:
            self._process.kill()


@contextmanager
def _plainly() -> Iterator[None]:
    """Keep new processes from what they would run besides: the main program again, and files of the working folder."""
    main, safe = sys.modules["__main__"], os.environ.get("PYTHONSAFEPATH", "")
    sys.modules["__main__"], os.environ["PYTHONSAFEPATH"] = ModuleType("__main__"), "1"
    try:
        yield
    finally:
        sys.modules["__main__"], os.environ["PYTHONSAFEPATH"] = main, safe


# the process


def _serve(line: Connection) -> None:
    """Answer tasks until the server hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the server, which ends its workers
    os.environ["POLARS_MAX_THREADS"] = "2"
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 2)  # engines complain there of every damaged file
    _limit(MEMORY)
    while True:
        try:
            while not line.poll(_TICK):
                kept.forget()
            function, arguments, tells = line.recv()
        except EOFError:
            return
        answer = _answer(function, (*arguments, line.send) if tells else arguments)
        line.send(answer)
        if answer.last:
            return


def _answer(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
    try:
        found = function(*arguments)
        text = found if isinstance(found, str) else _json(found if isinstance(found, dict) else found.to_dict())
        return Answer(text.encode(), last=_taken()[1] > _GROWN)
    except (TellapartError, Misread) as error:
        return Answer(problem=problem_of(error), last=_taken()[1] > _GROWN)
    except MemoryError:
        return Answer(problem=Problem(message=f"The answer {_TOO_MUCH}.", hint=ELSEWHERE), last=True)
    except Exception:  # noqa: BLE001 - whatever it is, the server tells; a panic of an engine is none, and ends us
        return Answer(trace=traceback.format_exc(), last=True)


def _json(found: Any) -> str:  # noqa: ANN401 - a dictionary of a result
    return json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


# memory


@contextmanager
def room(size: int) -> Iterator[None]:
    """Let this process take so much more memory and no more, where the system can hold it to that."""
    before = _limit(min(_taken()[0] + size, MEMORY))
    try:
        yield
    finally:
        _limit(before)


def _limit(size: int) -> int:
    """Bound the memory of this process and return the bound before, or -1; an engine that hits it ends the process."""
    if sys.platform != "linux":
        return -1
    import resource  # noqa: PLC0415 - not on every system

    before, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (size, most))
    return before


def _taken() -> tuple[int, int]:
    """Return the bytes that this process may write to, and those it has written."""
    try:
        _, resident, _, _, _, data, _ = Path("/proc/self/statm").read_text(encoding="ascii").split()
    except OSError:
        return 0, 0
    return int(data) * mmap.PAGESIZE, int(resident) * mmap.PAGESIZE
