"""The pages of the documentation and what the program says to them.

`python tests/help_text.py` writes the present `--help`, what the shown commands and examples give and the charts that
they draw into the documentation, and runs the notebooks; `test_docs.py` checks that nothing would change. A comment
above a block says what is special:

    <!-- not run -->     the commands are not run, and show no output
    <!-- slow -->        they are run by the slow tests
    <!-- with notes -->  what goes to standard error is shown, too
"""

from __future__ import annotations

import contextlib
import doctest
import functools
import re
import shlex
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

import notebooks
from command_line import program, run, start
from tellapart.cli import app

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*) *(?P<options>[^\n`]*)\n(?P<body>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
_HELP = re.compile(r"(?P<begin><!-- help ?(?P<command>\w*) -->\n).*?(?P<end><!-- /help -->)", re.DOTALL)
_TITLE = re.compile(r'title="([^"]+)"')
_MARK = re.compile(r"<!-- (not run|slow|with notes) -->$")
_CODE = "echo $?"
_PAPER = '><rect width="100%" height="100%" fill="white"/>'  # also in dark mode


def commands() -> list[str]:
    """Return the names of the commands, in the order of `tellapart --help`."""
    return list(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


@functools.cache
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
    """A fenced block of a page, with what the comment above it says."""

    language: str
    title: str
    body: str
    line: int
    start: int
    mark: str

    @property
    def prompts(self) -> list[tuple[str, str]]:
        """Each command with what is shown below it; commands stand after a `$`, if there is any."""
        lines = self.body.replace("\\\n", " ").splitlines()
        prompted = any(line.startswith("$ ") for line in lines)
        found: list[tuple[str, str]] = []
        for line in lines:
            if line.startswith("$ ") or not prompted:
                found.append((line.removeprefix("$ ").strip(), ""))
            elif found:
                command, shown = found[-1]
                found[-1] = command, f"{shown}{line}\n"
        return found

    @property
    def examples(self) -> list[Example]:
        """The tellapart commands of the block, each with the output and the exit code shown for it."""
        found: list[Example] = []
        for command, shown in self.prompts:
            if command == _CODE:
                found[-1] = replace(found[-1], code=int(shown))
            elif command.startswith("tellapart "):
                found.append(Example(command, shown, notes=self.mark == "with notes"))
        return found

    @property
    def made(self) -> list[tuple[str, list[str]]]:
        """The files that scripts of the project make, as `python script … > file`."""
        words = [shlex.split(command) for command, _ in self.prompts if command.startswith("python examples/")]
        return [(file, arguments) for _, *arguments, _, file in words]


@dataclass(frozen=True)
class Example:
    """A command line, and the output and exit code that the page shows for it, if it shows any."""

    command: str
    output: str = ""
    code: int = 0
    notes: bool = False

    def answer(self) -> str:
        """Run the command; it must end as shown."""
        _, *arguments = shlex.split(self.command, comments=True)
        result = run(*arguments)
        assert result.code == self.code, result.err
        return _tidy(result.err) * self.notes + "\n" * (self.notes and bool(result.out)) + _tidy(result.out)

    @property
    def chart(self) -> str:
        """The file that `--plot` names, or nothing."""
        words = shlex.split(self.command)
        return words[words.index("--plot") + 1] if "--plot" in words else ""


def blocks(page: str) -> list[Block]:
    """Return the fenced blocks of a page."""
    found = []
    for match in _FENCE.finditer(page):
        title = _TITLE.search(match["options"])
        mark = _MARK.search(page[: match.start()].rstrip())
        body = "".join(line.removeprefix(match["indent"]) for line in match["body"].splitlines(keepends=True))
        line = page.count("\n", 0, match.start()) + 1
        says = (title[1] if title else "", body, line, match.start("body"), mark[1] if mark else "")
        found.append(Block(match["language"], *says))
    return found


def consoles(page: str) -> list[Block]:
    """Return the blocks with commands to run."""
    return [block for block in blocks(page) if block.language in {"console", "sh"} and block.mark != "not run"]


def pythons(page: str) -> list[Block]:
    """Return the blocks with Python sessions to run."""
    sessions = [block for block in blocks(page) if block.language in {"python", "pycon"} and ">>>" in block.body]
    return [block for block in sessions if block.mark != "not run"]


@contextlib.contextmanager
def workplace(page: str) -> Iterator[None]:
    """Work in an empty folder that holds the files which the page shows (blocks with a title) or makes by scripts."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for block in blocks(page):
            if block.title:
                Path(block.title).write_text(block.body, encoding="utf-8")
            for file, arguments in block.made:
                Path(file).write_text(_printed(*arguments), encoding="utf-8")
        yield


@functools.cache
def _printed(script: str, *arguments: str) -> str:
    done = start(sys.executable, str(ROOT / script), *arguments)
    assert done.code == 0, done.err
    return done.out


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


class _Present(doctest.DocTestRunner):
    """Collects what examples give in place of what is shown."""

    def __init__(self) -> None:
        super().__init__(optionflags=doctest.ELLIPSIS, verbose=False)
        self.given: dict[int, str] = {}

    def report_failure(self, out: object, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        """Keep it."""
        del out, test
        self.given[example.lineno] = got


def with_values(page: str) -> str:
    """Return the page with what its Python examples give."""
    names: dict[str, object] = {}
    changed: list[tuple[Block, str]] = []
    with workplace(page):
        for block in pythons(page):
            test = doctest.DocTestParser().get_doctest(block.body, names, "page", "page", 0)
            runner = _Present()
            runner.run(test, clear_globs=False)
            changed.append((block, _with_given(block.body, test.examples, runner.given)))
            names = test.globs
    for block, body in reversed(changed):
        page = page[: block.start] + body + page[block.start + len(block.body) :]
    return page


def _with_given(body: str, examples: list[doctest.Example], given: dict[int, str]) -> str:
    lines = body.splitlines(keepends=True)
    for example in reversed(examples):
        if example.lineno in given:
            begin = example.lineno + example.source.count("\n")
            lines[begin : begin + example.want.count("\n")] = [given[example.lineno]]
    return "".join(lines)


def draw(page: str) -> None:
    """Draw the charts of the page's commands that it shows as figures."""
    with workplace(page):
        for example in (example for block in consoles(page) for example in block.examples):
            if example.chart and f"figures/{example.chart}" in page:
                example.answer()
                drawn = notebooks.short(Path(example.chart).read_text(encoding="utf-8"))
                (ROOT / "docs/figures" / example.chart).write_text(drawn.replace(">", _PAPER, 1), encoding="utf-8")


def _tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()).strip("\n")


def main() -> None:
    """Bring every page and notebook up to date, or the pages named."""
    if not sys.argv[1:]:
        notebooks.main()
    for path in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        page = with_values(with_output(with_help(path.read_text(encoding="utf-8"))))
        path.write_text(page, encoding="utf-8")
        draw(page)


if __name__ == "__main__":
    main()
