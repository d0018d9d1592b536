"""Which logs are read, what they hold as a table, and a sheet of their outputs to rate."""

from __future__ import annotations

import io
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tellapart.cli.options import KindOption, LabelsOption  # noqa: TC001 - Typer reads the annotations
from tellapart.cli.output import check_folder, console, emit, note, progress
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    import polars as pl

_LOGS = "Logs: files, directories, or patterns in quotation marks. tellapart formats lists which are read."
_TABLE = "Write to this .csv, .jsonl or .parquet file instead of the terminal."
Logs = Annotated[list[str], typer.Argument(help=_LOGS, metavar="LOG...")]
TableOutput = Annotated[Path | None, typer.Option("--output", "-o", help=_TABLE)]


def formats() -> None:
    """Which logs are read? The names for --as, what is read, and an example."""
    from tellapart.data.logs.registry import FORMATS  # noqa: PLC0415 - heavy imports inside commands

    width = console(sys.stdout).width
    for each in FORMATS:
        reads = textwrap.fill(each.reads, width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
        typer.echo(f"{each.name}\n{reads}\n  tellapart convert {each.example}")


def convert(*, logs: Logs, kind: KindOption = None, labels: LabelsOption = None, output: TableOutput = None) -> None:
    """What is in my logs? One row for each output, with its scores and people's ratings, as a table."""
    from tellapart.data.inputs import collected  # noqa: PLC0415

    _check(output)
    with progress("reading the logs", None):
        frame, said = collected(logs, kind=kind, labels=labels)
    note(*said)
    _write(frame, output)


def sheet(  # noqa: PLR0913 - one parameter for each option
    *,
    logs: Logs,
    n: Annotated[int, typer.Option("--n", help="How many outputs, of all systems together.")] = 100,
    by_verdict: Annotated[
        bool, typer.Option("--by-verdict", help="Half of those that the judge passed, half of those that it failed.")
    ] = False,
    metric: Annotated[str | None, typer.Option(help="The judge whose verdict decides the draw.")] = None,
    cut: Annotated[float | None, typer.Option(help="A judge's score of at least this passes.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 0,
    kind: KindOption = None,
    output: TableOutput = None,
) -> None:
    """What do I have people rate? Outputs of logs with an empty column `human`, for compare --labels."""
    from tellapart.data.rating_sheet import rating_sheet  # noqa: PLC0415

    _check(output)
    with progress("reading the logs", None):
        drawn = rating_sheet(logs, n=n, by_verdict=by_verdict, metric=metric, cut=cut, seed=seed, kind=kind)
    note(f"Drew {len(drawn):,} outputs: {drawn['sampling'][0]}. Fill in the column `human` and give it to --labels.")
    if len(drawn) < n:
        why = "there are no more outputs, or one more item, with those of all systems, would be too many"
        why = "the judge passed or failed too few outputs of some system" if by_verdict else why
        note(f"That is fewer than the {n:,} asked for: {why}.")
    _write(drawn, output)


def _check(output: Path | None) -> None:
    if output is None:
        return
    if output.suffix.lower() not in {".csv", ".jsonl", ".parquet"}:
        raise InvalidInput.rule("--output", "end in .csv, .jsonl or .parquet", output.name, "for example ratings.csv")
    check_folder(output, "--output")


def _write(frame: pl.DataFrame, output: Path | None) -> None:
    """Write a table; in CSV, a mark stands before text that a spreadsheet would compute."""
    from tellapart import render  # noqa: PLC0415

    kind = "" if output is None else output.suffix.lower()
    if output is None or kind == ".csv":
        emit(render.to_csv(frame.to_dicts()), output)
    elif kind == ".jsonl":
        emit(frame.write_ndjson(), output)
    else:
        _write_parquet(frame, output)


def _write_parquet(frame: pl.DataFrame, output: Path) -> None:
    content = io.BytesIO()
    frame.write_parquet(content)
    try:
        output.write_bytes(content.getvalue())
    except OSError as error:
        rule = "be a path that can be written"
        raise InvalidInput.rule("--output", rule, str(output), error.strerror or "") from None
