"""How much must I rate, of which kind, and what does it cost?"""

from __future__ import annotations

from dataclasses import dataclass
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
    from tellapart.analysis.design import Design
    from tellapart.core.evidence import Evidence

_MONEY = "Budget"
_CHANCE = "Uncertain guesses, and a check by simulation"
_USUAL = 0.8


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
        typer.Option(help="Ratings or counts of a pilot study, in place of guesses.", rich_help_panel=_CHANCE),
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

    sizes = {
        name: None if text is None else parsing.size(text, f"--{name.replace('_', '-')}")
        for name, text in (("n_human", n_human), ("n_metric", n_metric), ("n_calibration", n_calibration))
    }
    guesses = _guesses(rate, tpr, tnr, pilot)
    common = {
        "calibration_rate": calibration_rate,
        "known_rates": known_rates,
        "confidence_level": confidence_level,
    }
    if budget is not None or cost_human is not None:
        from tellapart.analysis.budget import Costs  # noqa: PLC0415

        if cost_human is None:
            raise InvalidInput.rule("--cost-human", "be given with a budget", None, "the price of one human rating")
        costs = Costs(cost_human, cost_metric, cost_fixed, systems, separate_calibration)
        result = _budget(guesses, sizes, common, costs, (budget, difference, power))
    elif guesses.uncertain:
        result = _assurance(guesses, sizes, common, difference, seed)
    else:
        result = _solve(guesses, sizes, common, difference, power)
    simulation = _simulate(result, simulate, seed) if simulate is not None else None

    value = result.to_dict() | ({} if simulation is None else {"simulation": simulation.to_dict()})
    write(result, output_format, output, value=value, beside=[simulation] if simulation else [])


@dataclass(frozen=True)
class _Guesses:
    """What is believed of rate, tpr and tnr: numbers, ranges, or a pilot."""

    points: dict[str, float]
    ranges: dict[str, tuple[float, float]]
    pilot: Evidence | None

    @property
    def uncertain(self) -> bool:
        return bool(self.ranges) or self.pilot is not None


def _guesses(rate: str | None, tpr: str | None, tnr: str | None, pilot: str | None) -> _Guesses:
    from tellapart import parsing  # noqa: PLC0415

    points: dict[str, float] = {}
    ranges: dict[str, tuple[float, float]] = {}
    evidence = None if pilot is None else _read_pilot(pilot)
    if evidence is not None:
        from tellapart.analysis.estimation import Estimate  # noqa: PLC0415

        found = Estimate(evidence)
        points["rate"] = found.mean
        if found.quality is not None:
            points |= {"tpr": found.quality.tpr.mean, "tnr": found.quality.tnr.mean}
    for name, text in (("rate", rate), ("tpr", tpr), ("tnr", tnr)):
        if text is not None:
            low, high = parsing.span(text, f"--{name}")
            points[name] = (low + high) / 2
            if low < high or evidence is not None:  # a number, too, stands in place of what the pilot says
                ranges[name] = (low, high)
    if "rate" not in points:
        raise InvalidInput.rule("--rate", "be given", None, "your guess, for example --rate .6, or a --pilot file")
    return _Guesses(points, ranges, evidence)


def _read_pilot(file: str) -> Evidence:
    """Read ratings or counts and add up the systems."""
    from functools import reduce  # noqa: PLC0415

    from tellapart.data.counts import is_counts, read_counts  # noqa: PLC0415
    from tellapart.data.files import called, lasting  # noqa: PLC0415

    source, name = lasting(file), called(file)
    if is_counts(source):
        systems = read_counts(source, name=name)
    else:
        from tellapart.data.ratings import read_ratings  # noqa: PLC0415

        ratings = read_ratings(source, name=name)
        note(*ratings.understood)
        systems = dict(ratings.systems)
    if len(systems) > 1:
        note(f"The {len(systems)} systems of the pilot are added up.")
    return reduce(lambda a, b: a.add(b), systems.values())


def _solve(
    guesses: _Guesses,
    sizes: dict[str, int | None],
    common: dict[str, Any],
    difference: float | None,
    power: float | None,
) -> Any:  # noqa: ANN401 - a result
    from tellapart.analysis.planning import plan as solve  # noqa: PLC0415

    return solve(**guesses.points, **sizes, **common, difference=difference, power=power)  # type: ignore[arg-type]


def _design(guesses: _Guesses, sizes: dict[str, int | None], common: dict[str, Any]) -> Design:
    from tellapart.analysis.design import Design  # noqa: PLC0415

    points = {"tpr": 0.5, "tnr": 0.5, **guesses.points}
    return Design(**points, **{**sizes, "n_human": sizes["n_human"] or 0, "n_metric": sizes["n_metric"] or 0}, **common)  # type: ignore[arg-type]


def _budget(
    guesses: _Guesses,
    sizes: dict[str, int | None],
    common: dict[str, Any],
    costs: Any,  # noqa: ANN401 - Costs
    goal: tuple[float | None, float | None, float | None],
) -> Any:  # noqa: ANN401 - a result
    from tellapart.analysis.budget import cheapest, split_budget  # noqa: PLC0415
    from tellapart.analysis.design import check_power  # noqa: PLC0415

    budget, difference, power = goal
    if any(size is not None for size in sizes.values()) or guesses.uncertain or "tpr" not in guesses.points:
        hint = "a budget needs --rate, --tpr and --tnr as numbers, and finds the sizes itself"
        raise InvalidInput.rule("--budget", "be planned without sizes and ranges", budget, hint)
    wanted = _USUAL if power is None else check_power(power, common["confidence_level"])
    base = _design(guesses, sizes, common)
    if (budget is None) == (difference is None):
        raise InvalidInput.rule("--budget or --difference", "be given, one of the two", budget, "the other is found")
    if budget is not None:
        return split_budget(base, costs, budget, power=wanted)
    return cheapest(base, costs, difference or 0.0, power=wanted)


def _assurance(
    guesses: _Guesses, sizes: dict[str, int | None], common: dict[str, Any], difference: float | None, seed: int
) -> Any:  # noqa: ANN401 - a result
    from tellapart.analysis.assurance import assurance  # noqa: PLC0415

    if sizes["n_human"] is None or sizes["n_metric"] is None or difference is None:
        hint = "with ranges or a pilot, give --n-human, --n-metric and --difference; the chance of success is found"
        raise InvalidInput.rule("plan", "know the sizes and the difference", None, hint)
    design = _design(guesses, sizes, common)
    return assurance(design, difference, pilot=guesses.pilot, ranges=guesses.ranges, seed=seed)


def _simulate(result: Any, runs: str, seed: int) -> Any:  # noqa: ANN401 - results
    from tellapart import parsing  # noqa: PLC0415
    from tellapart.analysis.simulation import simulate_power  # noqa: PLC0415

    number = parsing.size(runs, "--simulate")
    if number < 1:
        raise InvalidInput.rule("--simulate", "be at least 1", runs, "1k is usual")
    wanted = result.difference if result.difference is not None else result.measured.with_power(result.power)
    with progress("simulating", number) as advance:
        return simulate_power(result.design, wanted, runs=number, seed=seed, progress=advance)
