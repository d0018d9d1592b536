"""The commands, and what happens to an error."""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
from contextlib import suppress
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart._version import __version__
from tellapart.cli.compare import compare, demo, metrics, threshold
from tellapart.cli.design import paper, table
from tellapart.cli.estimate import estimate
from tellapart.cli.gate import gate, trend
from tellapart.cli.logs import convert, formats, sheet
from tellapart.cli.output import typed
from tellapart.cli.plan import plan
from tellapart.cli.serve import serve
from tellapart.errors import DataError, TellapartError
from tellapart.said import Said, spelled

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS = (
    estimate,
    compare,
    gate,
    trend,
    metrics,
    threshold,
    plan,
    table,
    paper,
    demo,
    serve,
    formats,
    convert,
    sheet,
)


def _version(value: bool) -> None:  # noqa: FBT001 - a Typer callback
    if value:
        typer.echo(f"tellapart {__version__}")
        raise typer.Exit


def _main(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Can these systems be told apart? Exact answers from human ratings and ratings of a metric that errs."""


def program(*commands: Callable[..., None]) -> typer.Typer:
    """Return the program with these commands: it reads the words that were typed, and returns what is then to be done.

    Done inside Typer, whose calls stand deep on the stack, imports take a fifth longer.
    """
    made = typer.Typer(
        name="tellapart",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback()(_main)
    for command in commands:
        made.command()(_read(command))
    return made


def _read(command: Callable[..., None]) -> Callable[..., Callable[[], None]]:
    @wraps(command)
    def ready(**options: Any) -> Callable[[], None]:  # noqa: ANN401 - as the command has them
        return partial(command, **options)

    return ready


app = program(*COMMANDS)


def main() -> None:
    """Run the command line; an error that tellapart raises on purpose becomes one line and an exit code."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices are small: threads would only wait for each other
    os.environ.setdefault(
        "PYTHONWARNINGS", "ignore:resource_tracker:UserWarning"
    )  # of joblib's, which cleans up anyway
    atexit.register(gc.freeze)  # what is left as the program ends need not be searched for garbage
    # where a stream is closed, nothing can be written to the first, and whatever is written to the second is lost
    sys.stdout = sys.stdout or Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - as long as the process lives
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter shows a question mark
    try:
        try:
            asked = [command for command in COMMANDS if command.__name__ in sys.argv[1:2]]
            todo = program(*asked or COMMANDS)(standalone_mode=False)  # options of the others take time to prepare
            code = todo() if callable(todo) else todo
        finally:
            sys.stdout.flush()
    except TellapartError as error:
        raise _stop(spelled(Said(*error.args), typed), 1 if isinstance(error, DataError) else 2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BrokenPipeError as error:  # the reader of our output went away, e.g. head
        _give_up()
        raise SystemExit(getattr(error.__context__, "code", 0)) from None  # what was decided by then stands
    except OSError as error:
        if error.filename is not None:  # of another file than standard output
            raise
        _give_up()
        said = f"standard output: cannot be written ({error.strerror or 'it is closed'})"
        raise _stop(f"{said}. Hint: write to a file with --output", 1) from None
    except Exception as error:  # noqa: BLE001 - what is not about the words of the command goes on
        raise _misused(error) from None
    raise SystemExit(code or 0)


def _misused(error: Exception) -> SystemExit:
    """Say on one line what is wrong with the words of the command; Typer has errors of its own for that, or Click's."""
    if not hasattr(error, "format_message"):
        if type(error).__name__ == "Abort":
            return SystemExit(1)
        raise error
    if type(error).__name__ == "NoArgsIsHelpError":
        return SystemExit(2)  # the help was shown
    context, command = getattr(error, "ctx", None), ""
    while context is not None and context.parent is not None:  # the first is the program, by whatever name
        context, command = context.parent, f"{context.info_name} {command}"
    command = f"tellapart {command}".rstrip()
    said = error.format_message().rstrip(".")
    return _stop(f"{said}{'' if said.endswith('?') else '.'} Hint: {command} --help", 2)


def _stop(message: str, code: int) -> SystemExit:
    """Say on one line what is wrong; who closed standard error is told by the code."""
    with suppress(OSError):
        sys.stderr.write(f"Error: {' '.join(message.split())}\n")
    return SystemExit(code)


def _give_up() -> None:
    """Let nothing more be written to standard output, not even at the end of the process."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
