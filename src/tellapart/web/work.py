"""The work behind the API: plain functions from requests to results, run off the event loop."""

from __future__ import annotations

import gzip
import io
import zlib
from dataclasses import asdict, dataclass, fields
from functools import cache, reduce
from typing import TYPE_CHECKING, Any, Literal

from tellapart import charts, paper
from tellapart.analysis.assurance import Assurance, assurance
from tellapart.analysis.budget import BudgetPlan, Costs, cheapest, split_budget
from tellapart.analysis.comparison import Comparison, compare
from tellapart.analysis.design import Design
from tellapart.analysis.estimation import Estimate, estimate
from tellapart.analysis.maps import Axis, DifferenceMap, difference_map
from tellapart.analysis.planning import Plan, plan
from tellapart.analysis.simulation import SimulatedPower, simulate_power
from tellapart.analysis.threshold import Cut, Thresholds
from tellapart.core.evidence import Confusion
from tellapart.data.counts import is_counts, parse_counts
from tellapart.data.frames import Frame
from tellapart.data.ratings import Ratings, read_ratings
from tellapart.data.source import GZIP, ZSTANDARD
from tellapart.errors import DataError, InvalidInput
from tellapart.web import parquet
from tellapart.web.turns import Gone

if TYPE_CHECKING:
    from collections.abc import Callable

    from tellapart.web.schemas import (
        AssuranceRequest,
        BudgetRequest,
        EstimateRequest,
        PlanRequest,
        SimulationRequest,
        TableRequest,
    )
    from tellapart.web.settings import Settings


ELSEWHERE = "use the command line, or start the server with another --limit"


class Misread(Exception):
    """A file whose columns can be read, but not with the roles that were given or recognised."""

    def __init__(self, error: InvalidInput, columns: list[str]) -> None:
        super().__init__(str(error))
        self.error, self.columns = error, columns


def solve(request: PlanRequest) -> Plan:
    """Solve a plan."""
    return plan(**request.model_dump())


def spend(request: BudgetRequest) -> BudgetPlan:
    """Split a budget, or find the cheapest design."""
    if (request.budget is None) == (request.difference is None):
        raise InvalidInput.rule("budget", "be given, or a difference, one of the two", request.budget)
    shared = request.model_dump(include={"rate", "tpr", "tnr", "calibration_rate", "known_rates", "confidence_level"})
    base = Design(**shared, n_human=0, n_metric=0)
    costs = Costs(request.cost_human, request.cost_metric, request.cost_fixed, request.systems, request.separate)
    if request.budget is not None:
        return split_budget(base, costs, request.budget, power=request.power)
    return cheapest(base, costs, request.difference or 0.0, power=request.power)


def estimated(request: EstimateRequest) -> Estimate:
    """Estimate the rate of one system."""
    if (request.tpr is None) != (request.tnr is None):
        raise InvalidInput.rule("tpr" if request.tpr is None else "tnr", "be given too", None, "or a calibration")
    return estimate(
        human=request.human,
        metric=request.metric,
        calibration=None if request.calibration is None else Confusion(**request.calibration.model_dump()),
        rates=None if request.tpr is None or request.tnr is None else (request.tpr, request.tnr),
        sampling=request.sampling,
        prior=request.prior,
        confidence_level=request.confidence_level,
    )


def assure(request: AssuranceRequest) -> Assurance:
    """Return the chance that a campaign succeeds, from numbers and ranges."""
    given = request.model_dump()
    beliefs = {name: given.pop(name) for name in ("rate", "tpr", "tnr")}
    difference, seed = given.pop("difference"), given.pop("seed")
    return _assured({name: span for name, span in beliefs.items() if span is not None}, given, difference, seed=seed)


def _assured(
    beliefs: dict[str, float | tuple[float, float]],
    campaign: dict[str, Any],
    difference: float,
    *,
    pilot: Estimate | None = None,
    seed: int = 0,
) -> Assurance:
    """Return the chance that a campaign succeeds; a pilot stands for what is not otherwise believed."""
    points: dict[str, Any] = {"rate": 0.5, "tpr": 0.5, "tnr": 0.5} if pilot is None else _guesses(pilot)
    spans = {name: span if isinstance(span, tuple) else (span, span) for name, span in beliefs.items()}
    points |= {name: sum(span) / 2 for name, span in spans.items()}
    ranges = {name: (low, high) for name, (low, high) in spans.items() if low != high or pilot is not None}
    sizes = {name: campaign[name] or 0 for name in ("n_human", "n_metric")}
    evidence = None if pilot is None else pilot.evidence
    return assurance(Design(**points, **(campaign | sizes)), difference, pilot=evidence, ranges=ranges, seed=seed)


def _guesses(pilot: Estimate) -> dict[str, float]:
    quality = pilot.quality
    rates = (0.5, 0.5) if quality is None else (quality.tpr.mean, quality.tnr.mean)
    return {"rate": pilot.mean, "tpr": rates[0], "tnr": rates[1]}


def simulate(request: SimulationRequest, settings: Settings, gone: Callable[[], bool]) -> SimulatedPower:
    """Simulate campaigns, until the client goes away."""
    if request.runs > settings.most_runs:
        raise InvalidInput.rule("runs", f"be at most {settings.most_runs} here", request.runs, ELSEWHERE)
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


def drawn(request: TableRequest, settings: Settings, kind: Literal["curves", "map"]) -> Any:  # noqa: ANN401 - a chart
    """Draw a table."""
    result = table(request, settings)
    if kind == "curves":
        return charts.curves(result)
    prices, here = (request.cost_human, request.cost_metric), (request.n_human, request.n_metric)
    return charts.design(result, budget=request.budget, prices=prices, here=here)


def _whole(name: str, values: list[float]) -> tuple[float, ...]:
    if not name.startswith("n_"):
        return tuple(values)
    return tuple(int(v) if float(v).is_integer() else v for v in values)


@dataclass(frozen=True)
class ReadIn(Ratings):
    """Ratings, and every column of their file."""

    columns: tuple[str, ...] = ()


def read(content: bytes, name: str, options: dict[str, Any], settings: Settings) -> ReadIn | dict[str, Any]:
    """Read ratings, or counts, of a bounded size."""
    content = _unpacked(content, settings.most_unpacked, name)
    if is_counts(content):
        systems = parse_counts(content, name=name, sampling=options["sampling"])
        _check(len(systems), settings.most_systems, "systems", name)
        return systems
    data = parquet.read(content, name, settings) if content.startswith(b"PAR1") else content
    frame = Frame.of(data, name)
    _check(len(frame.columns), settings.most_columns, "columns", name)
    _check(frame.height(), settings.most_rows, "rows", name)
    try:
        ratings = read_ratings(data, name=name, **options)
    except InvalidInput as error:
        raise Misread(error, list(frame.columns)) from error
    _check(len(ratings.systems), settings.most_systems, "systems", name)
    return ReadIn(**{field.name: getattr(ratings, field.name) for field in fields(ratings)}, columns=frame.columns)


def _unpacked(content: bytes, most: int, name: str) -> bytes:
    """Unpack gzip up to a bound; what the readers would unpack themselves is refused."""
    if content.startswith(GZIP):
        try:
            content = gzip.GzipFile(fileobj=io.BytesIO(content)).read(most + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"{name}: cannot be unpacked ({error}). Hint: send it unpacked") from None
        if len(content) > most:
            message = (
                f"{name}: unpacks to more than {most / 1e6:,.0f} MB, the most that is read here. Hint: {ELSEWHERE}"
            )
            raise DataError(message)
    if content.startswith((GZIP, ZSTANDARD)):
        raise DataError(f"{name}: is packed in a way that is not read here. Hint: send it unpacked, or as gzip")
    return content


def _check(found: int, most: int, what: str, name: str) -> None:
    if found > most:
        raise DataError(f"{name}: has {found:,} {what}, at most {most:,} here. Hint: {ELSEWHERE}")


def compared(read_in: Ratings | dict[str, Any], chosen: dict[str, Any]) -> Comparison:
    """Compare what was read."""
    return read_in.compare(**chosen) if isinstance(read_in, Ratings) else compare(read_in, **chosen)


def cuts(content: bytes, name: str, options: dict[str, Any], settings: Settings) -> Thresholds:
    """Choose cuts of one score."""
    if len(options["metric"]) != 1:
        raise InvalidInput.rule("metric", "name the score, one column", options["metric"], "for example metric=score")
    found = read(content, name, options | {"threshold": options["threshold"] or Cut()}, settings)
    if not isinstance(found, Ratings) or not found.thresholds:
        raise DataError(f"{name}: must hold ratings with a score, got counts. Hint: one row for each output")
    return found.thresholds[0]


@dataclass(frozen=True)
class Goal:
    """A campaign, what is believed beside a pilot, and the difference to find."""

    campaign: dict[str, Any]
    beliefs: dict[str, tuple[float, float]]
    difference: float | None = None
    seed: int = 0


def pilot(content: bytes, name: str, options: dict[str, Any], settings: Settings, goal: Goal) -> dict[str, Any]:
    """Say what a pilot tells of rate, tpr and tnr, and the chance that a campaign finds a difference."""
    found = read(content, name, options, settings)
    systems = dict(found.systems) if isinstance(found, Ratings) else found
    told = Estimate(reduce(lambda a, b: a.add(b), systems.values()))
    guesses: dict[str, Any] = _guesses(told)
    if told.quality is None:
        guesses |= {"tpr": None, "tnr": None}
    chance = None
    if goal.difference is not None:
        beliefs: Any = goal.beliefs
        chance = _assured(beliefs, goal.campaign, goal.difference, pilot=told, seed=goal.seed).to_dict()
    kind = "ratings" if isinstance(found, Ratings) else "counts"
    said = [f"From {name}: {told.evidence}."]
    if isinstance(found, Ratings) and found.roles.metrics:
        said.append(f"The metric is {', '.join(found.roles.metrics)}.")
    if len(systems) > 1:
        said.append(f"The {len(systems)} systems are added up.")
    return guesses | {"kind": kind, "assurance": chance, "summary": " ".join(said)}


def cut_of(rule: str | None, *, pooled: bool, lower_is_better: bool) -> Cut | None:
    """Return the cut that was asked for, if any."""
    if rule is None and not pooled and not lower_is_better:
        return None
    try:
        value: Any = float(rule) if rule is not None else "equal"
    except ValueError:
        value = rule
    return Cut(value, pooled=pooled, lower_is_better=lower_is_better)


@cache
def published(name: str) -> dict[str, Any]:
    """Recompute one published table, once."""
    found = paper.reproduce_one(name)
    return found.to_dict() | {"all": [asdict(cell) for cell in found.cells]}
