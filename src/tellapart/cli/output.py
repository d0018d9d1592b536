"""How results leave the program: tables, JSON, CSV, Markdown and LaTeX, charts, notes and progress."""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import typer

from tellapart.cli.options import Format
from tellapart.errors import InvalidInput
from tellapart.said import spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from rich.console import Console

    from tellapart.render import Paragraph, Sheet
    from tellapart.said import Option


def console(file: Any) -> Console:  # noqa: ANN401 - a text stream
    """Return a console for a stream; one that is no terminal is 100 columns wide."""
    from rich.console import Console  # noqa: PLC0415 - heavy imports inside functions

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # `main` knows what to do

    if file in (sys.stdout, sys.stderr):
        return Output(file=file, width=None if file.isatty() or "COLUMNS" in os.environ else 100)
    return Output(file=file, width=100, force_terminal=False, color_system=None)


def note(*sentences: str) -> None:
    """Write notes to standard error."""
    with suppress(OSError):  # what is said aside may get lost, the result not
        for sentence in sentences:
            say(console(sys.stderr), spelled(sentence, typed))


def typed(option: Option) -> str:
    """Spell an option as it is typed: --sampling by-metric."""
    return f"--{_TYPED.get(option.name, option.name).replace('_', '-')} {option.typed}".rstrip()


_TYPED = {"pooled": "own_cuts", "paired": "unpaired", "kind": "as"}  # options that the program has by another name


def say(target: Console, sentence: str, style: str = "") -> None:
    """Write a sentence as it is: no letter of it is markup."""
    from rich.text import Text  # noqa: PLC0415

    target.print(Text(sentence, style))


@contextmanager
def progress(what: str, total: int | None, *, slow: bool = False) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error while work goes on, if that is a terminal; without a total, that time passes.

    Where it is none, work that takes minutes is told of in lines: as soon as some is done, and every quarter of it.
    """
    if not sys.stderr.isatty():
        yield _in_lines(what, total) if slow and total else lambda _: None
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(sys.stderr), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.advance(task, done)


def _in_lines(what: str, total: int) -> Callable[[int], None]:
    done = said = 0

    def advance(more: int) -> None:
        nonlocal done, said
        done += more
        if (quarter := 1 + 4 * done // total) > said:
            said = quarter
            note(f"{what}: {done:,} of at most {total:,} done")

    return advance


def by_ending(output: Path | None) -> Format:
    """Return the format that the name of a file asks for: a table if none does."""
    return _ENDINGS.get(output.suffix.lower(), Format.table) if output else Format.table


_ENDINGS = {
    ".csv": Format.csv,
    ".json": Format.json,
    ".md": Format.markdown,
    ".markdown": Format.markdown,
    ".tex": Format.latex,
}


def write(  # noqa: PLR0913 - what differs from command to command
    result: Any,  # noqa: ANN401 - any result
    output_format: Format | None,
    output: Path | None,
    *,
    value: dict[str, Any] | None = None,
    rows: Sequence[dict[str, Any]] | None = None,
    beside: Sequence[Any] = (),
    everything: bool = False,
) -> None:
    """Write a result in the chosen format, or as the file's name says: what it means, the cautions, the parts, …

    `value` and `rows` stand in place of the result's own for JSON and CSV; the parts of results `beside` it follow.
    """
    output_format = output_format or by_ending(output)
    if output_format is Format.json:
        shown = result.to_dict() if value is None else value
        emit(json.dumps(shown, indent=2, ensure_ascii=False, allow_nan=False) + "\n", output)
        return
    from tellapart import render  # noqa: PLC0415

    if output_format is Format.csv:
        note(*(f"Alarm: {alarm}" for alarm in getattr(result, "alarms", ())))
        note(*(f"Caution: {spelled(warning.said, typed)}" for warning in getattr(result, "warnings", ())))
        emit(render.to_csv([render.flat(row) for row in rows] if rows else render.rows(result)), output)
        return
    summary, signature = (value["summary"], value["signature"]) if value else (str(result), result.signature)
    parts = render.arranged([result, *beside], everything=everything, spell=typed)
    if output_format is Format.table:
        text = io.StringIO() if output else sys.stdout
        _draw(parts, (summary, signature), console(text))
        if isinstance(text, io.StringIO):
            emit(text.getvalue(), output)
    else:
        draw = render.markdown if output_format is Format.markdown else render.latex
        emit("\n".join(map(draw, (summary, *parts, signature))), output)


def _draw(parts: Sequence[Sheet | Paragraph], said: tuple[str, str], target: Console) -> None:
    from tellapart import render  # noqa: PLC0415

    summary, signature = said
    say(target, summary, "bold")
    before: Any = None
    for part in parts:
        if isinstance(part, render.Sheet):
            if not isinstance(before, render.Sheet):
                target.print()
            target.print(render.rich_table(part, target.width))
        else:
            say(target, str(part), "yellow" if part.about == "caution" else "")
        before = part
    if not isinstance(before, render.Sheet):
        target.print()
    say(target, signature, "dim")


def command() -> str:
    """Return the command as it was typed, in words that a shell takes."""
    return shlex.join(("tellapart", *sys.argv[1:]))


def emit(text: str, output: Path | None, *, option: str = "--output") -> None:
    """Write text to a file, or to standard output."""
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput.rule(option, "be a path that can be written", str(output), error.strerror or "") from None


def check_plot(path: Path | None) -> None:
    """Refuse a chart that cannot be drawn before anything is computed."""
    if path is not None:
        from tellapart import charts  # noqa: PLC0415

        charts.check(path)
        check_folder(path, "--plot")


def check_folder(path: Path, option: str) -> None:
    """Refuse a file in a folder that is not there before anything is computed."""
    try:
        fits = not path.is_dir() and path.absolute().parent.is_dir()
    except OSError:  # for instance a name that is too long
        fits = False
    if not fits:
        raise InvalidInput.rule(option, "be a file in a folder that exists", str(path), "make the folder first")


def plot(result: Any, path: Path | None, *, chart: str = "plot", **choices: Any) -> None:  # noqa: ANN401 - any result
    """Draw a result to a file, by its own chart or by another one's name."""
    if path is None:
        return
    from tellapart import charts  # noqa: PLC0415

    charts.save(getattr(charts, chart)(result, **choices), path)
    typer.echo(f"Chart written to {path}", err=True)
