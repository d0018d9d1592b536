"""How much must I rate, of which kind, and what does it cost?"""

# ruff: noqa: TC001 - Typer reads the annotations
from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart.cli.options import (
    BorrowChoice,
    CalibrationRate,
    CalibrationSize,
    ChartOption,
    FormatOption,
    HumanColumns,
    HumanCut,
    ItemColumn,
    KnownRatesFlag,
    LevelOption,
    MetricColumns,
    OutputOption,
    SystemColumn,
)
from tellapart.cli.output import check_plot, note, progress, write
from tellapart.cli.output import plot as draw
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from tellapart.analysis.pilot import Pilot

_TOGETHER = "Several systems together, by simulation of whole campaigns"
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
    cost_fixed: Annotated[float, typer.Option(help="Fixed costs of the campaign.", rich_help_panel=_MONEY)] = 0.0,
    systems: Annotated[
        int | None,
        typer.Option(
            help="Number of systems: 2, or as many as the pilot has. More are simulated together, but with prices only "
            "if --borrow is given.",
            rich_help_panel=_TOGETHER,
        ),
    ] = None,
    borrow: Annotated[
        BorrowChoice | None,
        typer.Option(
            help="What the comparison will take the systems to have in common, as in compare.",
            rich_help_panel=_TOGETHER,
        ),
    ] = None,
    correlation: Annotated[
        float | None,
        typer.Option(
            help="Correlation of adequacy between systems on the same items, e.g. .45; 0 if each has its own items.",
            rich_help_panel=_TOGETHER,
        ),
    ] = None,
    rate_sd: Annotated[
        float | None,
        typer.Option(
            help="How much the systems' rates differ: sd in logits, .4 by default.", rich_help_panel=_TOGETHER
        ),
    ] = None,
    leniency_sd: Annotated[
        float | None,
        typer.Option(
            help="How much more easily the metric passes some systems: sd in logits, .4 by default, as real judges do.",
            rich_help_panel=_TOGETHER,
        ),
    ] = None,
    discrimination_sd: Annotated[
        float | None,
        typer.Option(
            help="How much better it tells good from bad for some systems: sd in logits, .1 by default.",
            rich_help_panel=_TOGETHER,
        ),
    ] = None,
    leniency_slope: Annotated[
        float | None,
        typer.Option(
            help="How leniency grows with quality: logits per logit of the rate, 0 by default.",
            rich_help_panel=_TOGETHER,
        ),
    ] = None,
    runs: Annotated[
        str | None,
        typer.Option(help="Campaigns simulated per size, 40 by default.", rich_help_panel=_TOGETHER),
    ] = None,
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
    metric: MetricColumns = None,
    system: SystemColumn = None,
    item: ItemColumn = None,
    human: HumanColumns = None,
    human_cut: HumanCut = None,
    confidence_level: LevelOption = 0.95,
    output_format: FormatOption = None,
    output: OutputOption = None,
    plot: ChartOption = None,
) -> None:
    """How much must I rate, and what does it cost? Leave out what is to be found: a size, the difference, the power."""
    from tellapart import parsing  # noqa: PLC0415 - heavy imports inside commands
    from tellapart.analysis.campaign import plan as find  # noqa: PLC0415
    from tellapart.analysis.many import RUNS  # noqa: PLC0415
    from tellapart.analysis.search import most_campaigns  # noqa: PLC0415

    check_plot(plot)
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
        "borrow": None if borrow is None else borrow.value,
        "correlation": correlation,
        "rate_sd": rate_sd,
        "leniency_sd": leniency_sd,
        "discrimination_sd": discrimination_sd,
        "leniency_slope": leniency_slope,
        "seed": seed,
    }
    guesses = {"rate": rate, "tpr": tpr, "tnr": tnr}
    sizes = {"n_human": n_human, "n_metric": n_metric, "n_calibration": n_calibration, "runs": runs}
    for read, texts in ((parsing.span, guesses), (parsing.size, sizes)):
        given |= {n: read(text, f"--{n.replace('_', '-')}") for n, text in texts.items() if text is not None}
    alone = borrow is None and runs is None and ((systems or 0) <= 2 or budget is not None or cost_human is not None)  # noqa: PLR2004
    if simulate is not None and not alone:
        hint = "whole campaigns are simulated anyway; --runs says how many"
        raise InvalidInput.rule("--simulate", "be left out when systems are planned together", simulate, hint)
    columns: dict[str, Any] = {"metric": metric, "system": system, "item": item, "human": human, "human_cut": human_cut}
    columns = {name: value for name, value in columns.items() if value is not None}
    if columns and pilot is None:
        name, value = next(iter(columns.items()))
        option = f"--{name.replace('_', '-')}"
        raise InvalidInput.rule(option, "be left out without a pilot", value, "it is a column of --pilot FILE")
    told = None if pilot is None else _read_pilot(pilot, columns)
    solved = None in (difference, n_human, n_metric)
    most = most_campaigns(given.get("runs", RUNS), split=budget is not None, solved=solved)
    with progress("simulating campaigns", most, slow=True) as done:
        result = find(**given, pilot=told, progress=done)
    if told is not None:
        note(*_told(told, result))
    simulation = _simulate(result, simulate, seed) if simulate is not None else None

    value = result.to_dict() | ({} if simulation is None else {"simulation": simulation.to_dict()})
    write(result, output_format, output, value=value, beside=[simulation] if simulation else [])
    draw(result, plot)


def _read_pilot(file: str, columns: dict[str, Any]) -> Pilot:
    from tellapart.analysis.pilot import Pilot  # noqa: PLC0415
    from tellapart.data.pairs import Pairs  # noqa: PLC0415
    from tellapart.data.tables import read_table  # noqa: PLC0415

    table = read_table(file, **columns)
    if isinstance(table, Pairs):
        raise InvalidInput.rule("--pilot", "hold ratings or counts, not pairs", file, "one row for each output")
    note(*table.told(None))
    return Pilot.of(table.systems, items=table.items)


def _told(pilot: Pilot, result: Any) -> list[str]:  # noqa: ANN401 - any plan
    """Say that a pilot's systems count as one, unless they are planned together, which the answer speaks of."""
    from tellapart.analysis.many import ManyPlan  # noqa: PLC0415

    cut = "The levels of the pilot's judge are planned for as pass and fail, by their best cut; levels tell a bit more."
    told = [cut] if pilot.cut else []
    if pilot.systems == 1 or isinstance(result, ManyPlan):
        return told
    return [f"The {pilot.systems} systems of the pilot are taken together.", *told]


def _simulate(result: Any, runs: str, seed: int) -> Any:  # noqa: ANN401 - results
    from tellapart import parsing  # noqa: PLC0415
    from tellapart.analysis.many import ManyPlan  # noqa: PLC0415
    from tellapart.analysis.simulation import simulate_power  # noqa: PLC0415

    if isinstance(result, ManyPlan):
        return note("Whole campaigns are simulated anyway; --runs says how many.")
    number = parsing.size(runs, "--simulate")
    if number < 1:
        raise InvalidInput.rule("--simulate", "be at least 1", runs, "1k is usual")
    wanted = result.difference if result.difference is not None else result.measured.with_power(result.power)
    with progress("simulating", number) as advance:
        return simulate_power(result.design, wanted, runs=number, seed=seed, progress=advance)
