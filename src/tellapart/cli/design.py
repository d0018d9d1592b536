"""What difference can a set-up measure at all, and does that agree with the paper?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart._version import __version__
from tellapart.cli.options import Format, FormatOption, LevelOption, OutputOption
from tellapart.cli.output import progress, write

if TYPE_CHECKING:
    from tellapart.render import Sheet


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
    with progress("computing", len(designs)) as advance:
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

    def sheets() -> list[Sheet | str]:
        from tellapart import render  # noqa: PLC0415

        return [render.differences(results, power=power)]

    write(value, output_format, output, sheets=sheets, rows=lambda: rows)


def paper(
    *,
    every_cell: Annotated[bool, typer.Option("--all", help="Show every cell, not only those that differ.")] = False,
    output_format: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Does this agree with the paper? Every published table beside ours, with the differences explained."""
    from dataclasses import asdict  # noqa: PLC0415

    from tellapart import paper as published  # noqa: PLC0415

    with progress("recomputing", published.count_cells()) as advance:
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

    def sheets() -> list[Sheet | str]:
        from tellapart import render  # noqa: PLC0415

        shown = [r for r in results if every_cell or r.differing]
        return [render.reproductions(results), *(render.cells(r, everything=every_cell) for r in shown)]

    def rows() -> list[dict[str, Any]]:
        return [{"table": r.name, **asdict(cell)} for r in results for cell in r.cells]

    write(value, output_format, output, sheets=sheets, rows=rows)
