"""How good is my system?"""

from __future__ import annotations

from typing import Annotated

import typer

from tellapart.cli.options import (
    Format,
    FormatOption,
    IntervalChoice,
    IntervalOption,
    LevelOption,
    OutputOption,
    PlotOption,
    PriorOption,
    SamplingChoice,
    SamplingOption,
)
from tellapart.cli.output import check_plot, write
from tellapart.cli.output import plot as draw
from tellapart.errors import InvalidInput


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
    interval: IntervalOption = IntervalChoice.highest_density,
    output_format: FormatOption = Format.table,
    output: OutputOption = None,
    plot: PlotOption = None,
) -> None:
    """How good is my system? Its rate of adequate outputs, from any mix of human and metric ratings."""
    from tellapart import parsing  # noqa: PLC0415 - heavy imports inside commands
    from tellapart.analysis.estimation import estimate as run  # noqa: PLC0415

    check_plot(plot)
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
        interval=interval.value,
    )

    write(result, output_format, output)
    draw(result, plot)
