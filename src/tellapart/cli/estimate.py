"""How good is my system?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart.cli.options import (
    AnnotatorColumn,
    BadCellsChoice,
    BadCellsOption,
    FormatOption,
    HumanCut,
    IntervalChoice,
    IntervalOption,
    ItemColumn,
    LevelOption,
    OutputOption,
    PlotOption,
    PriorOption,
    SamplingChoice,
    SamplingOption,
    SystemColumn,
    VotesChoice,
    VotesOption,
    WhereOption,
)
from tellapart.cli.output import check_plot, note, progress, write
from tellapart.cli.output import plot as draw
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from tellapart.analysis.several import Estimates

_COUNTED = ("calibration", "tpr", "tnr")


def estimate(  # noqa: PLR0913 - one parameter for each option
    *,
    file: Annotated[
        str | None,
        typer.Argument(help="Ratings, one row per output, of one system or several; or counts, one row per system."),
    ] = None,
    human: Annotated[
        list[str] | None,
        typer.Option(
            help="Human ratings of a random sample of outputs, e.g. 60/100. With FILE: the column of human ratings; "
            "repeat it for several annotators."
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="Metric ratings of outputs without a human rating, e.g. 540/1000. With FILE: the column of the "
            "metric, or none."
        ),
    ] = None,
    calibration: Annotated[
        str | None, typer.Option(help="Outputs with both ratings, e.g. tp=42,fn=18,tn=28,fp=12.")
    ] = None,
    tpr: Annotated[float | None, typer.Option(help="True positive rate ρ of the metric, if known exactly.")] = None,
    tnr: Annotated[float | None, typer.Option(help="True negative rate η of the metric, if known exactly.")] = None,
    system: SystemColumn = None,
    item: ItemColumn = None,
    annotator: AnnotatorColumn = None,
    votes: VotesOption = VotesChoice.majority,
    human_cut: HumanCut = None,
    bad_cells: BadCellsOption = BadCellsChoice.error,
    where: WhereOption = None,
    sampling: SamplingOption = None,
    prior: PriorOption = "uniform",
    confidence_level: LevelOption = 0.95,
    interval: IntervalOption = IntervalChoice.highest_density,
    output_format: FormatOption = None,
    output: OutputOption = None,
    plot: PlotOption = None,
) -> None:
    """How good is my system? Its rate of adequate outputs, from a table of ratings or from counts."""
    from tellapart import parsing  # noqa: PLC0415 - heavy imports inside commands

    check_plot(plot)
    chosen: dict[str, Any] = {
        "prior": parsing.prior(prior),
        "confidence_level": confidence_level,
        "interval": interval.value,
    }
    reading = {"votes": votes.value, "human_cut": human_cut, "bad_cells": bad_cells.value, "where": where}
    if file is None:
        _check_counted(human, metric, {"system": system, "item": item, "annotator": annotator, **reading})
        counts = {"human": human, "metric": metric, "calibration": calibration, "tpr": tpr, "tnr": tnr}
        result: Any = _from_counts(counts, {**chosen, "sampling": (sampling or SamplingChoice.random).value})
        shown = result
    else:
        for name, value in zip(_COUNTED, (calibration, tpr, tnr), strict=True):
            if value is not None:
                raise InvalidInput.rule(f"--{name}", "be left out where a file is read", value, "it is for counts")
        roles = {"system": system, "item": item, "human": human or (), "metric": metric or (), "annotator": annotator}
        result = _from_file(file, {**roles, **reading, "sampling": sampling and sampling.value}, chosen)
        shown = dict(result.systems)
    write(result, output_format, output)
    draw(shown, plot)


def _check_counted(human: list[str] | None, metric: list[str] | None, columns: dict[str, Any]) -> None:
    from tellapart.data.unused import refuse_unused  # noqa: PLC0415

    refuse_unused(columns)
    for name, values in (("--human", human), ("--metric", metric)):
        if len(values or ()) > 1:
            raise InvalidInput.rule(name, "be given once for counts", values, "add up the counts of a system")


def _from_counts(counts: dict[str, Any], chosen: dict[str, Any]) -> Any:  # noqa: ANN401 - an estimate
    from tellapart import parsing  # noqa: PLC0415
    from tellapart.analysis.estimation import estimate as run  # noqa: PLC0415

    human, metric = (next(iter(counts[name] or ()), None) for name in ("human", "metric"))
    calibration, tpr, tnr = (counts[name] for name in _COUNTED)
    if human is None and metric is None and calibration is None:
        raise InvalidInput.rule("FILE, --human or --metric", "be given", None, "for example --human 60/100")
    if (tpr is None) != (tnr is None):
        raise InvalidInput.rule(
            "--tpr and --tnr", "be given together", (tpr, tnr), "or estimate both with --calibration"
        )
    return run(
        human=parsing.tally(human, "--human") if human is not None else (0, 0),
        metric=parsing.tally(metric, "--metric") if metric is not None else None,
        calibration=parsing.confusion(calibration, "--calibration") if calibration is not None else None,
        rates=None if tpr is None or tnr is None else (tpr, tnr),
        **chosen,
    )


def _from_file(file: str, reading: dict[str, Any], chosen: dict[str, Any]) -> Estimates:
    from tellapart.data.files import called  # noqa: PLC0415
    from tellapart.data.pairs import Pairs  # noqa: PLC0415
    from tellapart.data.tables import read_table  # noqa: PLC0415

    with progress(f"counting {called(file)}", None):
        table = read_table(file, **reading)
    if isinstance(table, Pairs):
        raise InvalidInput.rule("FILE", "hold ratings or counts, not pairs", file, "tellapart compare reads pairs")
    note(*table.told(None))
    with progress("estimating", None):
        result = table.estimate(**chosen)
        str(result)
    return result
