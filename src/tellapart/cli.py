"""The command line: `tellapart COMMAND`. Results go to standard output, notes and progress to standard error."""

from __future__ import annotations

import io
import json
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart._version import __version__
from tellapart.errors import DataError, InvalidInput, TellapartError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console

    from tellapart.core.evidence import Evidence

app = typer.Typer(
    name="tellapart",
    help="Can these systems be told apart? Exact answers from human ratings and ratings of a metric that errs.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Format(StrEnum):
    """How a result is written."""

    table = "table"
    json = "json"
    csv = "csv"


class SamplingChoice(StrEnum):
    """How the human-rated outputs were chosen."""

    random = "random"
    balanced = "balanced"
    by_metric = "by-metric"


FormatOption = Annotated[Format, typer.Option("--format", "-f", help="table, json or csv.")]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write to this file instead of the terminal.")
]
LevelOption = Annotated[
    float, typer.Option("--confidence-level", help="Probability of the interval; 1 − γ of the paper.")
]
PriorOption = Annotated[
    str, typer.Option("--prior", help="uniform, jeffreys, or two numbers a,b for a Beta prior of the rate.")
]
SamplingOption = Annotated[SamplingChoice, typer.Option("--sampling", help="How the human-rated outputs were chosen.")]
PlotOption = Annotated[
    Path | None, typer.Option("--plot", help="Draw the posteriors to this .svg, .png, .html or .json file.")
]


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


@app.command()
def estimate(  # noqa: PLR0913 - one parameter for each option
    *,
    human: Annotated[str | None, typer.Option(help="Human ratings of a random sample of outputs, e.g. 60/100.")] = None,
    metric: Annotated[
        str | None, typer.Option(help="Metric ratings of outputs without a human rating, e.g. 540/1000.")
    ] = None,
    calibration: Annotated[
        str | None, typer.Option(help="Outputs with both ratings, e.g. tp=42,fn=18,tn=28,fp=12.")
    ] = None,
    tpr: Annotated[float | None, typer.Option(help="True positive rate ρ of the metric, if known exactly.")] = None,
    tnr: Annotated[float | None, typer.Option(help="True negative rate η of the metric, if known exactly.")] = None,
    sampling: SamplingOption = SamplingChoice.random,
    prior: PriorOption = "uniform",
    confidence_level: LevelOption = 0.95,
    output_format: FormatOption = Format.table,
    output: OutputOption = None,
    plot: PlotOption = None,
) -> None:
    """How good is my system? Its rate of adequate outputs, from any mix of human and metric ratings."""
    from tellapart import parsing  # noqa: PLC0415 - heavy imports inside commands
    from tellapart.analysis.estimation import estimate as run  # noqa: PLC0415

    _check_plot(plot)
    if human is None and metric is None and calibration is None:
        raise InvalidInput.rule("--human or --metric", "be given", None, "for example --human 60/100")
    if (tpr is None) != (tnr is None):
        raise InvalidInput.rule(
            "--tpr and --tnr", "be given together", (tpr, tnr), "or estimate both with --calibration"
        )
    result = run(
        human=parsing.tally(human, "--human") if human is not None else (0, 0),
        metric=parsing.tally(metric, "--metric") if metric is not None else None,
        calibration=parsing.confusion(calibration, "--calibration") if calibration is not None else None,
        rates=None if tpr is None or tnr is None else (tpr, tnr),
        sampling=sampling.value,
        prior=parsing.prior(prior),
        confidence_level=confidence_level,
    )

    def show(console: Console) -> None:
        from tellapart import render  # noqa: PLC0415

        console.print(render.estimates({"system": result}, "Rate of adequate outputs"))

    _write(result, output_format, output, show=show, rows=lambda: [result.to_dict()])
    _plot({"system": result}, plot)


@app.command()
def compare(  # noqa: PLR0913 - one parameter for each option
    *,
    file: Annotated[
        str | None,
        typer.Argument(
            help="CSV of counts: system,human_pos,human_n,tp,fn,tn,fp,metric_pos,metric_n; - is standard input."
        ),
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(
            help="A system: NAME:HUMAN[:CALIBRATION:METRIC], e.g. A:60/100:tp=42,fn=18,tn=28,fp=12:540/1000; repeat it."
        ),
    ] = None,
    sampling: SamplingOption = SamplingChoice.random,
    prior: PriorOption = "uniform",
    confidence_level: LevelOption = 0.95,
    output_format: FormatOption = Format.table,
    output: OutputOption = None,
    plot: PlotOption = None,
) -> None:
    """Which system is better, and can I tell? From counts in a small file or on the command line."""
    from tellapart import parsing  # noqa: PLC0415
    from tellapart.analysis.comparison import compare as run  # noqa: PLC0415

    _check_plot(plot)
    if (file is None) == (not system):
        raise InvalidInput.rule(
            "FILE or --system", "be given, one of the two", file, "for example tellapart compare counts.csv"
        )
    systems = _read(file, sampling.value) if file is not None else {}
    for text in system or []:
        name, evidence = parsing.system(text, sampling.value)
        if name in systems:
            raise InvalidInput.rule("--system", "name each system once", name, "add up the counts of a system")
        systems[name] = evidence
    if file is not None and len(systems) == 1:
        name = "standard input" if file == "-" else file
        message = f"{name}: must hold at least two systems, got 1. Hint: for one system, use tellapart estimate"
        raise DataError(message)
    result = run(systems, prior=parsing.prior(prior), confidence_level=confidence_level)
    _write(
        result,
        output_format,
        output,
        show=lambda console: _show_comparison(result, console),
        rows=lambda: [p.to_dict() for p in result.pairs],
    )
    _plot({name: result.estimates[name] for name in result.ranking}, plot)


def _read(file: str, sampling: Any) -> dict[str, Evidence]:  # noqa: ANN401 - a literal
    from tellapart.data.counts import parse_counts, read_counts  # noqa: PLC0415

    if file == "-":
        return parse_counts(sys.stdin.buffer.read(), name="standard input", sampling=sampling)
    return read_counts(Path(file), sampling=sampling)


def _show_comparison(result: Any, console: Console) -> None:  # noqa: ANN401 - imported inside
    from tellapart import render  # noqa: PLC0415

    console.print(
        render.estimates({name: result.estimates[name] for name in result.ranking}, "Rates of adequate outputs")
    )
    console.print(render.pairs(result))
    if result.shared_pairs:
        rests = "The last column rests on the metric erring alike for every system; the verdict does not."
        console.print(f"{rests} {result.homogeneity}", markup=False, highlight=False)


@app.command()
def table(  # noqa: PLR0913 - one parameter for each option
    *,
    rate: Annotated[float, typer.Option(help="Expected rate of adequate outputs, α.")],
    tpr: Annotated[float, typer.Option(help="Expected true positive rate of the metric, ρ.")],
    tnr: Annotated[float, typer.Option(help="Expected true negative rate of the metric, η.")],
    n_human: Annotated[
        str, typer.Option(help="Numbers of human ratings, e.g. 0,100,1k.")
    ] = "0,100,250,500,1000,2500,5000,10000",
    n_metric: Annotated[
        str, typer.Option(help="Numbers of metric ratings, e.g. 0,1k,10k.")
    ] = "0,1000,2500,5000,10000,50000,100000",
    n_calibration: Annotated[
        str | None, typer.Option(help="Outputs with both ratings; by default the human-rated ones.")
    ] = None,
    calibration_rate: Annotated[
        float | None, typer.Option(help="Share of adequate ones among these, ψ; by default the rate.")
    ] = None,
    known_rates: Annotated[bool, typer.Option("--known-rates", help="Take tpr and tnr as known exactly.")] = False,
    power: Annotated[
        float | None, typer.Option(help="Show the true difference found with this probability instead.")
    ] = None,
    confidence_level: LevelOption = 0.95,
    output_format: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """What difference can a set-up measure at all? Measurable differences for numbers of human and metric ratings."""
    from tellapart import parsing  # noqa: PLC0415
    from tellapart.analysis.design import Design, MeasurableDifference, worth  # noqa: PLC0415

    down, across = parsing.sizes(n_human, "--n-human"), parsing.sizes(n_metric, "--n-metric")
    calibration = None if n_calibration is None else parsing.size(n_calibration, "--n-calibration")
    setting = {"rate": rate, "tpr": tpr, "tnr": tnr, "n_calibration": calibration, "calibration_rate": calibration_rate}
    designs = [
        Design(n_human=h, n_metric=m, known_rates=known_rates, confidence_level=confidence_level, **setting)  # type: ignore[arg-type]
        for h in dict.fromkeys(down)
        for m in dict.fromkeys(across)
    ]
    results = []
    with _progress("computing", len(designs)) as advance:
        for design in designs:
            results.append(MeasurableDifference(design))
            _ = results[-1].sd
            advance(1)
    rows = [
        r.to_dict() | ({} if power is None else {"power": power, "difference_at_power": r.with_power(power)})
        for r in results
    ]
    largest = results[-1]
    kappa = worth(rate, tpr, tnr)
    value = {
        "rows": rows,
        "worth": kappa,
        "confidence_level": confidence_level,
        "summary": str(largest),
        "signature": largest.signature,
    }

    def show(console: Console) -> None:
        from tellapart import render  # noqa: PLC0415

        console.print(render.differences(results, power=power))

    _write(value, output_format, output, show=show, rows=lambda: rows)


@app.command()
def paper(
    *,
    every_cell: Annotated[bool, typer.Option("--all", help="Show every cell, not only those that differ.")] = False,
    output_format: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Does this agree with the paper? Every published table beside ours, with the differences explained."""
    from dataclasses import asdict  # noqa: PLC0415

    from tellapart import paper as published  # noqa: PLC0415

    with _progress("recomputing", published.count_cells()) as advance:
        results = list(published.reproduce(advance))
    cells, matched = sum(len(r.cells) for r in results), sum(r.matched for r in results)
    summary = (
        f"{matched} of {cells} published cells come out in the paper's own mode to the last digit; "
        f"{cells - matched} differ, each explained."
    )
    value: dict[str, Any] = {
        "tables": [r.to_dict() for r in results],
        "cells": cells,
        "matched": matched,
        "summary": summary,
    }
    value["signature"] = (
        f"tellapart {__version__} | 2000 cells of the rate, half-even rounding, level {published.LEVEL:g}"
    )
    if every_cell:
        value["tables"] = [r.to_dict() | {"all": [asdict(cell) for cell in r.cells]} for r in results]

    def show(console: Console) -> None:
        from tellapart import render  # noqa: PLC0415

        console.print(render.reproductions(results))
        for result in results:
            if every_cell or result.differing:
                console.print(render.cells(result, everything=every_cell))

    _write(
        value,
        output_format,
        output,
        show=show,
        rows=lambda: [{"table": r.name, **asdict(cell)} for r in results for cell in r.cells],
    )


@app.command()
def demo(*, output_format: FormatOption = Format.table, output: OutputOption = None) -> None:
    """Show me, now, without data: four systems with human ratings and an LLM judge."""
    from importlib.resources import files  # noqa: PLC0415

    from tellapart.analysis.comparison import compare as run  # noqa: PLC0415
    from tellapart.data.counts import parse_counts  # noqa: PLC0415

    example = files("tellapart").joinpath("data/example.csv").read_bytes()
    result = run(parse_counts(example, name="example.csv"))
    if output_format is Format.table:
        story = (
            "Four systems, invented for this example: 200 outputs of each were rated by people and by an LLM judge, "
            "2,000 more by the judge alone."
        )
        _console(sys.stderr).print(story, markup=False, highlight=False)
    _write(
        result,
        output_format,
        output,
        show=lambda console: _show_comparison(result, console),
        rows=lambda: [p.to_dict() for p in result.pairs],
    )
    if output_format is Format.table:
        next_step = "Next: tellapart estimate --human 60/100 --calibration tp=42,fn=18,tn=28,fp=12 --metric 540/1000"
        _console(sys.stderr).print(next_step, markup=False, highlight=False)


def _console(file: Any) -> Console:  # noqa: ANN401 - a text stream
    from rich.console import Console  # noqa: PLC0415

    class Output(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # `main` knows what to do

    if file in (sys.stdout, sys.stderr):
        return Output(file=file, width=None if file.isatty() or "COLUMNS" in os.environ else 100)
    return Output(file=file, width=100, force_terminal=False, color_system=None)


def _progress(what: str, total: int) -> Any:  # noqa: ANN401 - a context manager
    """Show a bar on standard error while work goes on, if that is a terminal."""
    from contextlib import contextmanager  # noqa: PLC0415

    @contextmanager
    def bar() -> Any:  # noqa: ANN401
        from rich.progress import Progress  # noqa: PLC0415

        with Progress(console=_console(sys.stderr), transient=True, disable=not sys.stderr.isatty()) as progress:
            task = progress.add_task(what, total=total)
            yield lambda done: progress.advance(task, done)

    return bar()


def _write(
    value: Any,  # noqa: ANN401 - a result, or a dictionary
    output_format: Format,
    output: Path | None,
    *,
    show: Callable[[Console], None],
    rows: Callable[[], Sequence[dict[str, Any]]],
) -> None:
    """Write a result in the chosen format; a table is followed by what it means, the cautions and the signature."""
    if output_format is Format.json:
        value = value if isinstance(value, dict) else value.to_dict()
        _emit(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n", output)
    elif output_format is Format.csv:
        from tellapart import render  # noqa: PLC0415

        _emit(render.to_csv([render.flat(row) for row in rows()]), output)
    else:
        text = io.StringIO() if output else sys.stdout
        console = _console(text)
        show(console)
        warnings, summary, signature = (
            ([], value["summary"], value["signature"])
            if isinstance(value, dict)
            else (value.warnings, str(value), value.signature)
        )
        for warning in warnings:
            console.print(f"Caution: {warning}", style="yellow", markup=False, highlight=False)
        console.print(summary, markup=False, highlight=False)
        console.print(signature, style="dim", markup=False, highlight=False)
        if isinstance(text, io.StringIO):
            _emit(text.getvalue(), output)


def _emit(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput.rule(
            "--output", "be a path that can be written", str(output), error.strerror or ""
        ) from None


def _check_plot(path: Path | None) -> None:
    """Refuse a chart that cannot be drawn before anything is computed."""
    if path is not None:
        from tellapart import charts  # noqa: PLC0415

        charts.check(path)


def _plot(estimates: dict[str, Any], path: Path | None) -> None:
    if path is None:
        return
    from tellapart import charts  # noqa: PLC0415

    charts.save(charts.densities(estimates), path)
    typer.echo(f"Chart written to {path}", err=True)


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
