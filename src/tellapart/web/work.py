"""The work behind the API: plain functions from requests to results, run off the event loop."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from tellapart.analysis.assurance import assurance
from tellapart.analysis.budget import BudgetPlan, Costs, cheapest, split_budget
from tellapart.analysis.comparison import Comparison, compare
from tellapart.analysis.design import Design, MeasurableDifference
from tellapart.analysis.estimation import Estimate
from tellapart.analysis.maps import Axis, DifferenceMap, difference_map
from tellapart.analysis.planning import Plan, plan
from tellapart.analysis.simulation import SimulatedPower, simulate_power
from tellapart.analysis.threshold import Cut
from tellapart.data.counts import is_counts, parse_counts
from tellapart.data.frames import Frame
from tellapart.data.ratings import Ratings, read_ratings
from tellapart.errors import DataError, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from tellapart.web.schemas import BudgetRequest, PlanRequest, SimulationRequest, TableRequest
    from tellapart.web.settings import Settings


class Gone(Exception):
    """The client went away."""


def solve(request: PlanRequest) -> Plan:
    """Solve a plan."""
    return plan(**request.model_dump())


def spend(request: BudgetRequest) -> BudgetPlan:
    """Split a budget, or find the cheapest design."""
    if (request.budget is None) == (request.difference is None):
        raise InvalidInput.rule("budget", "be given, or a difference, one of the two", request.budget)
    base = Design(request.rate, request.tpr, request.tnr, 0, 0, confidence_level=request.confidence_level)
    costs = Costs(request.cost_human, request.cost_metric, request.cost_fixed, request.systems, request.separate)
    if request.budget is not None:
        return split_budget(base, costs, request.budget, power=request.power)
    return cheapest(base, costs, request.difference or 0.0, power=request.power)


def simulate(request: SimulationRequest, settings: Settings, gone: Callable[[], bool]) -> SimulatedPower:
    """Simulate campaigns, until the client goes away."""
    if request.runs > settings.most_runs:
        raise InvalidInput.rule("runs", f"be at most {settings.most_runs} here", request.runs, "use the command line")
    numbers = request.model_dump(exclude={"difference", "runs", "seed"})
    numbers |= {name: numbers[name] or 0 for name in ("n_human", "n_metric")}
    if numbers["tpr"] is None or numbers["tnr"] is None:
        raise InvalidInput.rule("tpr", "be given", None)

    def check(_: int) -> None:
        if gone():
            raise Gone

    options = {"runs": request.runs, "seed": request.seed}
    return simulate_power(Design(**numbers), request.difference, n_jobs=1, progress=check, **options)


def table(request: TableRequest, settings: Settings) -> DifferenceMap:
    """Compute a table."""
    cells = len(request.rows.values) * len(request.columns.values)
    if cells > settings.most_cells:
        raise InvalidInput.rule("rows × columns", f"be at most {settings.most_cells} cells here", cells)
    axes = [Axis(axis.name, _whole(axis.name, axis.values)) for axis in (request.rows, request.columns)]
    varying = {axis.name for axis in axes}
    varying |= {"tpr", "tnr"} if "accuracy" in varying else set()
    left = {"rows", "columns", "power", "budget", "cost_human", "cost_metric", *varying}
    fixed = {name: value for name, value in request.model_dump(exclude=left).items() if value is not None}
    for name in ("rate", "tpr", "tnr"):
        if name not in varying and name not in fixed:
            raise InvalidInput.rule(name, "be given, or be an axis", None)
    return difference_map(axes[0], axes[1], power=request.power, **fixed)


def _whole(name: str, values: list[float]) -> tuple[float, ...]:
    if not name.startswith("n_"):
        return tuple(values)
    return tuple(int(v) if float(v).is_integer() else v for v in values)


def cells(result: DifferenceMap) -> list[dict[str, Any]]:
    """Return every cell as the command line does."""
    places = [(i, j) for i in range(len(result.rows.values)) for j in range(len(result.columns.values))]
    found = [MeasurableDifference(result.design(i, j)) for i, j in places]
    power = result.power
    return [
        cell.to_dict() | ({} if power is None else {"power": power, "difference_at_power": cell.with_power(power)})
        for cell in found
    ]


def read(content: bytes, name: str, options: dict[str, Any], settings: Settings) -> Ratings | dict[str, Any]:
    """Read ratings, or counts, of a bounded size."""
    if is_counts(content):
        systems = parse_counts(content, name=name, sampling=options["sampling"])
        _check(len(systems), settings.most_systems, "systems", name)
        return systems
    frame = Frame.of(content, name)
    _check(len(frame.columns), settings.most_columns, "columns", name)
    _check(frame.height(), settings.most_rows, "rows", name)
    ratings = read_ratings(content, name=name, **options)
    _check(len(ratings.systems), settings.most_systems, "systems", name)
    return ratings


def _check(found: int, most: int, what: str, name: str) -> None:
    if found > most:
        raise DataError(f"{name}: has {found:,} {what}, at most {most:,} here. Hint: use the command line")


def compared(read_in: Ratings | dict[str, Any], chosen: dict[str, Any], name: str) -> Comparison:
    """Compare what was read."""
    systems = read_in.systems if isinstance(read_in, Ratings) else read_in
    if len(systems) < 2:  # noqa: PLR2004 - a comparison needs two
        raise DataError(f"{name}: must hold at least two systems, got {len(systems)}. Hint: add another")
    return read_in.compare(**chosen) if isinstance(read_in, Ratings) else compare(read_in, **chosen)


@dataclass(frozen=True)
class Campaign:
    """Sizes and a difference, to judge a pilot by."""

    n_human: int = 0
    n_metric: int = 0
    difference: float | None = None


def pilot(content: bytes, name: str, options: dict[str, Any], settings: Settings, campaign: Campaign) -> dict[str, Any]:
    """Say what a pilot tells of rate, tpr and tnr, and the chance that a campaign finds a difference."""
    found = read(content, name, options, settings)
    systems = dict(found.systems) if isinstance(found, Ratings) else found
    estimate = Estimate(reduce(lambda a, b: a.add(b), systems.values()))
    quality = estimate.quality
    chance = None
    if campaign.difference is not None:
        rates = (0.5, 0.5) if quality is None else (quality.tpr.mean, quality.tnr.mean)
        design = Design(estimate.mean, *rates, campaign.n_human, campaign.n_metric, confidence_level=0.95)
        chance = assurance(design, campaign.difference, pilot=estimate.evidence).to_dict()
    return {
        "rate": estimate.mean,
        "tpr": None if quality is None else quality.tpr.mean,
        "tnr": None if quality is None else quality.tnr.mean,
        "assurance": chance,
        "summary": f"From {name}: {estimate.evidence}.{'' if chance is None else ' ' + chance['summary']}",
    }


def cut_of(rule: str | None, *, pooled: bool, lower_is_better: bool, folds: int) -> Cut | None:
    """Return the cut that was asked for, if any."""
    if rule is None and not pooled and not lower_is_better:
        return None
    try:
        value: Any = float(rule) if rule is not None else "equal"
    except ValueError:
        value = rule
    return Cut(value, pooled=pooled, lower_is_better=lower_is_better, folds=folds)
