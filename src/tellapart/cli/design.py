"""What difference can a set-up measure at all, and does that agree with the paper?"""

# ruff: noqa: TC001 - Typer reads the annotations
from __future__ import annotations

from pathlib import Path  # noqa: TC003 - Typer reads the annotations
from typing import Annotated

import typer

from tellapart.cli.options import (
    CalibrationRate,
    CalibrationSize,
    FormatOption,
    KnownRatesFlag,
    LevelOption,
    OutputOption,
)
from tellapart.cli.output import check_folder, check_plot, progress, write
from tellapart.cli.output import plot as draw
from tellapart.errors import InvalidInput

_HUMAN = "0,100,250,500,1000,2500,5000,10000"
_METRIC = "0,1000,2500,5000,10000,50000,100000"


def table(  # noqa: PLR0913 - one parameter for each option
    *,
    rate: Annotated[
        float | None, typer.Option(help="Expected rate of adequate outputs, α, the mean of two systems.")
    ] = None,
    tpr: Annotated[float | None, typer.Option(help="Expected true positive rate of the metric, ρ.")] = None,
    tnr: Annotated[float | None, typer.Option(help="Expected true negative rate of the metric, η.")] = None,
    rows: Annotated[
        str | None,
        typer.Option(
            help="What goes down: n_human, n_metric, n_calibration, rate, tpr, tnr, accuracy (tpr and tnr), "
            "calibration_rate or confidence_level, with values, e.g. n_human=0,100,1k."
        ),
    ] = None,
    cols: Annotated[str | None, typer.Option(help="What goes across, e.g. accuracy=.6,.7,.8.")] = None,
    n_human: Annotated[
        str | None, typer.Option(help="Numbers of human ratings, down, e.g. 0,100,1k; or one number.")
    ] = None,
    n_metric: Annotated[
        str | None, typer.Option(help="Numbers of metric ratings, across, e.g. 0,1k,10k; or one number.")
    ] = None,
    n_calibration: CalibrationSize = None,
    calibration_rate: CalibrationRate = None,
    known_rates: KnownRatesFlag = False,
    power: Annotated[
        float | None, typer.Option(help="Show the true difference found with this probability instead.")
    ] = None,
    confidence_level: LevelOption = 0.95,
    output_format: FormatOption = None,
    output: OutputOption = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Draw a map or curves to this .svg, .png, .html or .json file."),
    ] = None,
    budget: Annotated[
        float | None, typer.Option(help="With prices, the map shows what this much buys per system.")
    ] = None,
    cost_human: Annotated[float, typer.Option(help="Price of a human rating.")] = 1.0,
    cost_metric: Annotated[float, typer.Option(help="Price of a metric rating.")] = 0.0,
) -> None:
    """What difference can a set-up measure at all? Measurable differences over any two numbers of a design."""
    from tellapart import parsing  # noqa: PLC0415
    from tellapart.analysis.maps import Axis, difference_map  # noqa: PLC0415

    check_plot(plot)
    down = parsing.axis(rows or f"n_human={n_human or _HUMAN}", "--rows" if rows else "--n-human")
    across = parsing.axis(cols or f"n_metric={n_metric or _METRIC}", "--cols" if cols else "--n-metric")
    fixed = {
        "rate": rate,
        "tpr": tpr,
        "tnr": tnr,
        "n_human": None if n_human is None or not rows else parsing.size(n_human, "--n-human"),
        "n_metric": None if n_metric is None or not cols else parsing.size(n_metric, "--n-metric"),
        "n_calibration": None if n_calibration is None else parsing.size(n_calibration, "--n-calibration"),
        "calibration_rate": calibration_rate,
        "known_rates": known_rates,
        "confidence_level": confidence_level,
    }
    axes = [Axis(name, tuple(dict.fromkeys(values))) for name, values in (down, across)]
    result = difference_map(axes[0], axes[1], power=power, **fixed)  # type: ignore[arg-type]
    with progress("computing", len(axes[0].values) * len(axes[1].values)) as advance:
        value = result.table(advance)

    write(result, output_format, output, value=value, rows=value["rows"])
    draw(result, plot, budget=budget, prices=(cost_human, cost_metric))


def paper(
    *,
    every_cell: Annotated[bool, typer.Option("--all", help="Show every cell, not only those that differ.")] = False,
    plots: Annotated[
        Path | None, typer.Option(help="Draw the paper's figures, recomputed, as SVG files into this folder.")
    ] = None,
    output_format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Does this agree with the paper? Every published table beside ours, with the differences explained."""
    from dataclasses import asdict  # noqa: PLC0415

    from tellapart import paper as published  # noqa: PLC0415

    if plots is not None:
        _draw_figures(plots)
    with progress("recomputing", published.count_cells()) as advance:
        result = published.Reproductions(tuple(published.reproduce(advance)))
    value = result.to_dict()
    if every_cell:
        value["tables"] = [r.to_dict() | {"all": [asdict(cell) for cell in r.cells]} for r in result.tables]
    write(result, output_format, output, value=value, everything=every_cell)


def _draw_figures(folder: Path) -> None:
    from tellapart import charts  # noqa: PLC0415
    from tellapart import paper as published  # noqa: PLC0415

    charts.check_extra("A figure")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput.rule("--plots", "be a folder", str(folder), error.strerror or "") from None
    for name, figure in published.figures().items():
        path = folder / f"{name}.svg"
        check_folder(path, "--plots")
        charts.save(charts.design(figure), path)
        typer.echo(f"Figure written to {path}", err=True)
