"""The pages of the documentation and what the program says to them.

`python tests/help_text.py` writes the present `--help` and the present output of the shown commands into the pages;
`test_docs.py` checks that nothing would change.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from command_line import program, run
from tellapart.cli import app

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NOT_RUN = "<!-- not run -->"

_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*) *(?P<options>[^\n`]*)\n(?P<body>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
_HELP = re.compile(r"(?P<begin><!-- help ?(?P<command>\w*) -->\n).*?(?P<end><!-- /help -->)", re.DOTALL)
_TITLE = re.compile(r'title="([^"]+)"')


def commands() -> list[str]:
    """Return the names of the commands, in the order of `tellapart --help`."""
    return list(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def help_text(command: str) -> str:
    """Return what `tellapart COMMAND --help` prints, 100 columns wide and without colours; "" is tellapart itself."""
    words = [command] if command else []
    shown = program(*words, "--help", NO_COLOR="1", TERM="dumb", _TYPER_FORCE_DISABLE_TERMINAL="1")
    assert shown.code == 0, shown.err
    return _tidy(shown.out)


def with_help(page: str) -> str:
    """Return the page with the present help between its markers."""

    def present(found: re.Match[str]) -> str:
        return f"{found['begin']}\n```text\n{help_text(found['command'])}\n```\n\n{found['end']}"

    return _HELP.sub(present, page)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    title: str
    body: str
    line: int
    start: int
    to_run: bool

    @property
    def examples(self) -> list[Example]:
        """The tellapart commands of the block, each with the output shown for it; after a `$`, if there is any."""
        lines = self.body.replace("\\\n", " ").splitlines()
        prompted = any(line.startswith("$ ") for line in lines)
        found: list[Example] = []
        for line in lines:
            if line.startswith("$ ") or not prompted:
                found.append(Example(line.removeprefix("$ ").strip()))
            elif found:
                found[-1] = Example(found[-1].command, f"{found[-1].output}{line}\n")
        return [example for example in found if example.command.startswith("tellapart ")]


@dataclass(frozen=True)
class Example:
    """A command line, and the output that the page shows for it, if it shows any."""

    command: str
    output: str = ""

    def answer(self) -> str:
        """Run the command; it must succeed."""
        _, *arguments = shlex.split(self.command, comments=True)
        result = run(*arguments)
        assert result.code == 0, result.err
        return _tidy(result.out)


def blocks(page: str) -> list[Block]:
    """Return the fenced blocks of a page."""
    found = []
    for match in _FENCE.finditer(page):
        before = page[: match.start()].rstrip().splitlines() or [""]
        title = _TITLE.search(match["options"])
        body = "".join(line.removeprefix(match["indent"]) for line in match["body"].splitlines(keepends=True))
        line = page.count("\n", 0, match.start()) + 1
        to_run = before[-1].strip() != NOT_RUN
        found.append(Block(match["language"], title[1] if title else "", body, line, match.start("body"), to_run))
    return found


def consoles(page: str) -> list[Block]:
    """Return the blocks with commands to run."""
    return [block for block in blocks(page) if block.language in {"console", "sh"} and block.to_run]


@contextlib.contextmanager
def workplace(page: str) -> Iterator[None]:
    """Work in an empty folder that holds the files which the page shows: the blocks with a title."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for block in blocks(page):
            if block.title:
                Path(block.title).write_text(block.body, encoding="utf-8")
        yield


def with_output(page: str) -> str:
    """Return the page with the present output of every command that shows one."""
    with workplace(page):
        for block in reversed(consoles(page)):
            body = block.body
            for example in block.examples:
                if example.output:
                    body = body.replace(example.output, f"{example.answer()}\n", 1)
            page = page[: block.start] + body + page[block.start + len(block.body) :]
    return page


def _tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()).strip("\n")


def main() -> None:
    """Bring every page up to date."""
    for path in PAGES:
        page = path.read_text(encoding="utf-8")
        path.write_text(with_output(with_help(page)), encoding="utf-8")


if __name__ == "__main__":
    main()
