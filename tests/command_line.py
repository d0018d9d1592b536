"""Runs the command line: through `main` inside this process, or as a program of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from tellapart.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH = "100"
PATIENCE = 300  # seconds, after which a program hangs, on a busy machine too
_COLOURS = ("FORCE_COLOR", "GITHUB_ACTIONS", "NO_COLOR", "PY_COLORS", "TERMINAL_WIDTH", "TTY_COMPATIBLE")


@dataclass(frozen=True)
class Answer:
    """What a run left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def text(self) -> str:
        """The output with its line breaks undone, as a reader sees the sentences."""
        return " ".join(self.out.split())


def run(*arguments: str, stdin: bytes = b"") -> Answer:
    """Call `main` as the console script does; an exception that it lets through is a failure of the test."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", write_through=True)
    streams = {"stdin": io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"), "stdout": out, "stderr": err}
    code: object = 0
    with (
        mock.patch.multiple(sys, argv=["tellapart", *arguments], **streams),
        mock.patch.dict(os.environ, _environment(), clear=True),
    ):
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
    assert isinstance(code, int), f"exit code {code!r}"
    return Answer(code, _text(out), _text(err))


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8")


def program(*arguments: str, stdin: bytes = b"", timeout: float = PATIENCE, **environment: str) -> Answer:
    """Run the installed console script in a process of its own."""
    script = Path(sys.executable).with_name("tellapart")
    return start(str(script), *arguments, stdin=stdin, timeout=timeout, **environment)


def start(*command: str, stdin: bytes = b"", timeout: float = PATIENCE, **environment: str) -> Answer:
    """Run any command in a process of its own."""
    settings = _environment() | {"PYTHONIOENCODING": "utf-8"} | environment
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=timeout, check=False, env=settings)  # noqa: S603 - our own program
    return Answer(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


@contextmanager
def processor_time_below(seconds: float) -> Iterator[None]:
    """Fail where programs take longer, however many others share the processor."""
    before = os.times()
    yield
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    assert spent < seconds, f"{spent} s of processor time"


def _environment() -> dict[str, str]:
    """Return the environment without what changes colours and widths, so that every machine shows the same."""
    return {name: value for name, value in os.environ.items() if name not in _COLOURS} | {"COLUMNS": WIDTH}
