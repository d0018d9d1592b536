"""The commands, and what happens to an error."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated

import typer

from tellapart._version import __version__
from tellapart.cli.compare import compare, demo, threshold
from tellapart.cli.design import paper, table
from tellapart.cli.estimate import estimate
from tellapart.cli.plan import plan
from tellapart.cli.serve import serve
from tellapart.errors import DataError, TellapartError

app = typer.Typer(
    name="tellapart",
    help="Can these systems be told apart? Exact answers from human ratings and ratings of a metric that errs.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:  # noqa: FBT001 - a Typer callback
    if value:
        typer.echo(f"tellapart {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Can these systems be told apart? Exact answers from human ratings and ratings of a metric that errs."""


for _command in (estimate, compare, threshold, plan, table, paper, demo, serve):
    app.command()(_command)


def main() -> None:
    """Run the command line; an error that tellapart raises on purpose becomes one line and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter shows a question mark
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except TellapartError as error:
        sys.stderr.write(f"Error: {' '.join(str(error).split())}\n")
        raise SystemExit(1 if isinstance(error, DataError) else 2) from None
    except BrokenPipeError:  # the reader of our output went away, e.g. head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
