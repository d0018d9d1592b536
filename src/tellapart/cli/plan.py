"""How much must I rate, of which kind, and what does it cost?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart.cli.options import (
    CalibrationRate,
    CalibrationSize,
    Format,
    FormatOption,
    KnownRatesFlag,
    LevelOption,
    OutputOption,
)
from tellapart.cli.output import note, progress, write
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from tellapart.analysis.pilot import Pilot

_MONEY = "Budget"
_CHANCE = "Uncertain guesses, and a check by simulation"


def plan(  # noqa: PLR0913 - one parameter for each option
    *,
    rate: Annotated[
        str | None,
        typer.Option(
            help="Expected rate of adequate outputs, α, the mean of two systems; a range such as 0.5..0.7 if uncertain."
        ),
    ] = None,
    tpr: Annotated[str | None, typer.Option(help="Expected true positive rate of the metric, ρ; or a range.")] = None,
    tnr: Annotated[str | None, typer.Option(help="Expected true negative rate of the metric, η; or a range.")] = None,
    n_human: Annotated[str | None, typer.Option(help="Human ratings of each system, e.g. 500.")] = None,
    n_metric: Annotated[str | None, typer.Option(help="Further metric ratings of each system, e.g. 10k.")] = None,
    n_calibration: CalibrationSize = None,
    calibration_rate: CalibrationRate = None,
    difference: Annotated[float | None, typer.Option(help="The true difference to find, e.g. .05.")] = None,
    power: Annotated[
        float | None, typer.Option(help="Probability of finding it; .8 unless it is what is left out.")
    ] = None,
    known_rates: KnownRatesFlag = False,
    budget: Annotated[
        float | None, typer.Option(help="Money for all systems together; finds the best split.", rich_help_panel=_MONEY)
    ] = None,
    cost_human: Annotated[float | None, typer.Option(help="Price of a human rating.", rich_help_panel=_MONEY)] = None,
    cost_metric: Annotated[float, typer.Option(help="Price of a metric rating.", rich_help_panel=_MONEY)] = 0.0,
    cost_fixed: Annotated[float, typer.Option(help="What the campaign costs anyway.", rich_help_panel=_MONEY)] = 0.0,
    systems: Annotated[int, typer.Option(help="Number of systems.", rich_help_panel=_MONEY)] = 2,
    separate_calibration: Annotated[
        bool,
        typer.Option(
            "--separate-calibration",
            help="Outputs that calibrate the metric are not those that tell the system's rate.",
            rich_help_panel=_MONEY,
        ),
    ] = False,
    pilot: Annotated[
        str | None,
        typer.Option(
            help="Ratings or counts of a pilot study, in place of --rate, --tpr and --tnr.", rich_help_panel=_CHANCE
        ),
    ] = None,
    simulate: Annotated[
        str | None,
        typer.Option(help="Check the power by so many simulated campaigns, e.g. 1k.", rich_help_panel=_CHANCE),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of all that is drawn.", rich_help_panel=_CHANCE)] = 0,
    confidence_level: LevelOption = 0.95,
    output_format: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """How much must I rate, and what does it cost? Leave out what is to be found: a size, the difference, the power."""
    from tellapart import parsing  # noqa: PLC0415 - heavy imports inside commands
    from tellapart.analysis.campaign import plan as find  # noqa: PLC0415

    given: dict[str, Any] = {
        "calibration_rate": calibration_rate,
        "difference": difference,
        "power": power,
        "budget": budget,
        "cost_human": cost_human,
        "cost_metric": cost_metric,
        "cost_fixed": cost_fixed,
        "systems": systems,
        "separate_calibration": separate_calibration,
        "known_rates": known_rates,
        "confidence_level": confidence_level,
        "seed": seed,
    }
    guesses = {"rate": rate, "tpr": tpr, "tnr": tnr}
    sizes = {"n_human": n_human, "n_metric": n_metric, "n_calibration": n_calibration}
    for read, texts in ((parsing.span, guesses), (parsing.size, sizes)):
        given |= {n: read(text, f"--{n.replace('_', '-')}") for n, text in texts.items() if text is not None}
    result = find(**given, pilot=None if pilot is None else _read_pilot(pilot))
    simulation = _simulate(result, simulate, seed) if simulate is not None else None

    value = result.to_dict() | ({} if simulation is None else {"simulation": simulation.to_dict()})
    write(result, output_format, output, value=value, beside=[simulation] if simulation else [])


def _read_pilot(file: str) -> Pilot:
    from tellapart.analysis.pilot import Pilot  # noqa: PLC0415
    from tellapart.data.pairs import Pairs  # noqa: PLC0415
    from tellapart.data.tables import read_table  # noqa: PLC0415

    table = read_table(file)
    if isinstance(table, Pairs):
        raise InvalidInput.rule("--pilot", "hold ratings or counts, not pairs", file, "one row for each output")
    note(*table.understood)
    pilot = Pilot.of(table.systems)
    if pilot.systems > 1:
        note(f"The {pilot.systems} systems of the pilot are added up.")
    return pilot


def _simulate(result: Any, runs: str, seed: int) -> Any:  # noqa: ANN401 - results
    from tellapart import parsing  # noqa: PLC0415
    from tellapart.analysis.simulation import simulate_power  # noqa: PLC0415

    number = parsing.size(runs, "--simulate")
    if number < 1:
        raise InvalidInput.rule("--simulate", "be at least 1", runs, "1k is usual")
    wanted = result.difference if result.difference is not None else result.measured.with_power(result.power)
    with progress("simulating", number) as advance:
        return simulate_power(result.design, wanted, runs=number, seed=seed, progress=advance)
