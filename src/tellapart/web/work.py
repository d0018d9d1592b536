"""The work behind the API: plain functions from requests to results, which workers run."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from tellapart import charts, paper, render, reporting
from tellapart.analysis.budget import BudgetPlan
from tellapart.analysis.campaign import plan
from tellapart.analysis.cautions import shared
from tellapart.analysis.design import Design
from tellapart.analysis.estimation import estimate
from tellapart.analysis.many import RUNS
from tellapart.analysis.maps import Axis, DifferenceMap, difference_map
from tellapart.analysis.outcomes import Outcomes
from tellapart.analysis.pilot import Pilot
from tellapart.analysis.planning import Plan
from tellapart.analysis.search import most_campaigns
from tellapart.analysis.simulation import SimulatedPower, simulate_power
from tellapart.analysis.threshold import ThresholdRule, Thresholds
from tellapart.charts.base import licences
from tellapart.core.counts import Confusion
from tellapart.data.pairs import Pairs
from tellapart.data.roles import set_aside
from tellapart.errors import DataError, InvalidInput
from tellapart.web.kept import remembered
from tellapart.web.refusals import ELSEWHERE, pieces
from tellapart.web.uploads import ReadIn, Upload, ranked, read, sliced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tellapart.analysis.cautions import Shared
    from tellapart.analysis.comparison import Comparison
    from tellapart.analysis.slices import Slices
    from tellapart.web.schemas import EstimateRequest, PlanRequest, SimulationRequest, TableRequest
    from tellapart.web.settings import Settings


def solve(request: PlanRequest, settings: Settings) -> dict[str, Any]:
    """Find what is left out of a plan."""
    return shown(_solved(request, settings))


def plan_charts(request: PlanRequest, settings: Settings) -> dict[str, Any]:
    """Draw a plan."""
    found = _solved(request, settings)
    return _specifications({"power": charts.power(found) if isinstance(found, Plan | BudgetPlan) else None})


def _solved(request: PlanRequest, settings: Settings) -> Any:  # noqa: ANN401 - a plan of one kind or another
    if request.together:
        _bound(request, settings)
    return plan(**request.model_dump(), n_jobs=1)


def _bound(request: PlanRequest, settings: Settings) -> None:
    """Refuse to simulate more than is allowed here."""
    systems, runs = request.systems or 2, RUNS if request.runs is None else request.runs
    solved = None in (request.difference, request.n_human, request.n_metric)
    campaigns = most_campaigns(runs, split=request.budget is not None, solved=solved)
    most = settings.most_pairs // (10 + systems * (systems - 1) // 2)
    if campaigns > most:
        allowed = runs * most // campaigns
        if allowed < 2:  # noqa: PLR2004 - fewer have no Monte Carlo error
            raise InvalidInput.rule("systems", "be fewer, for simulations here", systems, ELSEWHERE)
        raise InvalidInput.rule("runs", f"be at most {allowed} for {systems} systems here", runs, ELSEWHERE)


def estimated(request: EstimateRequest) -> dict[str, Any]:
    """Estimate the rate of one system; `said` has the options in its cautions apart."""
    if (request.tpr is None) != (request.tnr is None):
        raise InvalidInput.rule("tpr" if request.tpr is None else "tnr", "be given too", None, "or a calibration")
    result = estimate(
        human=request.human,
        metric=request.metric,
        calibration=None if request.calibration is None else Confusion(**request.calibration.model_dump()),
        rates=None if request.tpr is None or request.tnr is None else (request.tpr, request.tnr),
        sampling=request.sampling,
        prior=request.prior,
        confidence_level=request.confidence_level,
        interval=request.interval,
    )
    return result.to_dict() | {"said": {"cautions": _cautions(shared(("", one) for one in result.warnings))}}


def simulate(
    request: SimulationRequest, settings: Settings, progress: Callable[[int], None] = lambda _: None
) -> SimulatedPower:
    """Simulate campaigns; `progress` is called with the number of those done."""
    if request.runs > settings.most_runs:
        raise InvalidInput.rule("runs", f"be at most {settings.most_runs} here", request.runs, ELSEWHERE)
    numbers = request.model_dump(exclude={"difference", "runs", "seed"})
    numbers |= {name: numbers[name] or 0 for name in ("n_human", "n_metric")}
    design, chosen = Design(**numbers), {"runs": request.runs, "seed": request.seed}
    return simulate_power(design, request.difference, n_jobs=1, progress=progress, **chosen)


def table(request: TableRequest, settings: Settings) -> dict[str, Any]:
    """Compute a table."""
    return _map(request, settings).table()


def drawn(request: TableRequest, settings: Settings, kind: Literal["curves", "map"]) -> dict[str, Any]:
    """Draw a table."""
    result = _map(request, settings)
    here = (request.n_human, request.n_metric)
    if kind == "curves":
        sizes = (result.rows.name, result.columns.name) == ("n_human", "n_metric")
        return _specifications({kind: charts.curves(result, here=here if sizes else (None, None))})
    prices = (request.cost_human, request.cost_metric)
    return _specifications({kind: charts.design(result, budget=request.budget, prices=prices, here=here)})


def _specifications(drawn: dict[str, Any]) -> dict[str, Any]:
    return {"charts": {name: charts.specification(chart) for name, chart in drawn.items() if chart is not None}}


def _map(request: TableRequest, settings: Settings) -> DifferenceMap:
    cells = len(request.rows.values) * len(request.columns.values)
    if cells > settings.most_cells:
        raise InvalidInput.rule("rows × columns", f"be at most {settings.most_cells} cells here", cells)
    axes = [Axis(axis.name, _whole(axis.name, axis.values)) for axis in (request.rows, request.columns)]
    fixed = request.model_dump(exclude={"rows", "columns", "power", "budget", "cost_human", "cost_metric"})
    return difference_map(axes[0], axes[1], power=request.power, **fixed)


def _whole(name: str, values: list[float]) -> tuple[float, ...]:
    if not name.startswith("n_"):
        return tuple(values)
    return tuple(int(v) if float(v).is_integer() else v for v in values)


def comparison(upload: Upload) -> dict[str, Any]:
    """Compare the systems of a file, and say which column was taken for what."""
    found = _compared(upload)
    parts = {} if found.slices is None else {"slices": asdict(render.sheets(found.slices)[0])}
    return compared(found.result) | _roles(found.read_in) | parts


def shown(result: Any) -> dict[str, Any]:  # noqa: ANN401 - any result
    """Return a result's own dictionary and, as `sheets`, all that is shown of it in words."""
    value: dict[str, Any] = result.to_dict()
    return value | {"sheets": [asdict(part) for part in render.sheets(result, everything=True)]}


def compared(result: Comparison | Outcomes) -> dict[str, Any]:
    """Return what is shown of a comparison; `said` has the options in its sentences apart, for the page's buttons."""
    understood = [pieces(sentence) for sentence in result.understood]
    return shown(result) | {"said": {"cautions": _cautions(result.warnings), "understood": understood}}


def _cautions(found: Iterable[Shared]) -> list[dict[str, Any]]:
    return [{"messages": list(one.messages), "advice": pieces(one.advice)} for one in found]


def comparison_charts(upload: Upload) -> dict[str, Any]:
    """Draw a comparison."""
    result = _compared(upload).result
    if isinstance(result, Outcomes):
        return _specifications({"outcomes": charts.outcomes(result)})
    return _specifications(
        {
            "rates": charts.forest(result),
            "matrix": charts.matrix(result) if result.pairs else None,
            "ladder": charts.ladder(result),
            "posteriors": charts.posteriors(result),
            "calibration": charts.calibration(result),
            **{f"roc {cut.score}": charts.roc(cut) for cut in result.thresholds},
        }
    )


def comparison_report(upload: Upload) -> str:
    """Write the report of a comparison."""
    found = _compared(upload)
    return reporting.html(found.slices or found.result)


@dataclass(frozen=True)
class Found:
    """What was read of an upload, the comparison, and slice by slice, if that was asked."""

    read_in: ReadIn | Pairs
    result: Comparison | Outcomes
    slices: Slices | None = None


def _compared(upload: Upload) -> Found:
    """Compare once: verdict, charts and report of the same upload are of the same comparison."""
    return remembered(upload.key, upload.settings.keep, lambda: _computed(upload))


def _computed(upload: Upload) -> Found:
    read_in = read(upload)
    if not upload.by:
        return Found(read_in, read_in.compare(**upload.comparing))
    parts = sliced(upload)
    return Found(read_in, parts.overall, parts)


def _roles(read_in: ReadIn | Pairs) -> dict[str, Any]:
    if isinstance(read_in, Pairs) or read_in.roles is None:
        return {"roles": None, "columns": []}
    roles = read_in.roles
    return {
        "roles": {
            "system": roles.system,
            "item": roles.item,
            "human": list(roles.human),
            "metric": list(roles.metrics),
            "annotator": roles.annotator,
            "cluster": roles.cluster,
        },
        "columns": list(read_in.columns),
        "candidates": [column for column in read_in.columns if not set_aside(column)],
        "preview": [list(row) for row in read_in.preview],
    }


def cuts(upload: Upload) -> Thresholds:
    """Choose cuts of one score."""
    chosen = upload.reading
    if len(chosen["metric"]) != 1:
        raise InvalidInput.rule("metric", "name the score, one column", chosen["metric"], "for example metric=score")
    found = read(replace(upload, reading=chosen | {"threshold": chosen["threshold"] or ThresholdRule()}))
    if isinstance(found, Pairs) or not found.thresholds:
        raise DataError(
            f"{upload.name}: must hold ratings with a score, got counts or pairs. Hint: one row for each output"
        )
    return found.thresholds[0]


def ranking(upload: Upload, seed: int) -> dict[str, Any]:
    """Rank the metrics of a file by their worth."""
    return shown(ranked(upload, seed))


def pilot(upload: Upload, campaign: dict[str, Any]) -> dict[str, Any]:
    """Say what a pilot tells of rate, tpr and tnr, and what is to be found of a campaign, if it has a goal."""
    found = read(upload)
    if isinstance(found, Pairs):
        raise DataError(f"{upload.name}: must hold ratings or counts, got pairs. Hint: one row for each output")
    told = Pilot.of(found.systems)
    said = [f"From {upload.name}: {told.evidence}."]
    if found.roles and found.roles.metrics:
        said.append(f"The metric is {', '.join(found.roles.metrics)}.")
    if told.systems > 1:
        said.append(f"The {told.systems} systems are taken together.")
    return {
        "tpr": None,
        "tnr": None,
        **told.guesses,
        "kind": "ratings" if found.roles else "counts",
        "plan": None if campaign["difference"] is None else shown(plan(pilot=told, **campaign)),
        "summary": " ".join(said),
    }


def cut_of(rule: str | None, *, pooled: bool, lower_is_better: bool) -> ThresholdRule | None:
    """Return the cut that was asked for, if any."""
    if rule is None and pooled and not lower_is_better:
        return None
    try:
        value: Any = float(rule) if rule is not None else "equal"
    except ValueError:
        value = rule
    return ThresholdRule(value, pooled=pooled, lower_is_better=lower_is_better)


def published(name: str) -> dict[str, Any]:
    """Recompute one published table."""
    found = paper.reproduce_one(name)
    return shown(found) | {"all": [asdict(cell) for cell in found.cells]}


def vega() -> str:
    """Return the script that draws charts in the browser; vl-convert takes seconds to make it."""
    import vl_convert  # noqa: PLC0415 - not before it is asked

    script: str = vl_convert.javascript_bundle()  # type: ignore[call-arg] # with a snippet it is empty
    return f"/*!\n{licences()}*/\n{script}"
