"""The paths of the API that take a file: comparison, charts, report, threshold, pilot, and the example."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse

from tellapart import charts, parsing, report
from tellapart.core.evidence import Prior, Sampling
from tellapart.data.labels import Votes  # noqa: TC001 - FastAPI reads the annotations
from tellapart.web import work
from tellapart.web.schemas import Chart, Count, Share
from tellapart.web.turns import run, upload

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel

    from tellapart.analysis.comparison import Comparison

_UPLOAD = {
    "requestBody": {
        "required": True,
        "description": "A CSV, TSV, JSONL or Parquet file of ratings, or a CSV file of counts.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}

Column = Annotated[str | None, Query(max_length=200)]
Columns = Annotated[list[str] | None, Query(max_length=10)]
Text = Annotated[str | None, Query(max_length=40)]


@dataclass(frozen=True)
class Options:
    """How to read a file, and how to compare."""

    name: str
    reading: dict[str, Any]
    comparing: dict[str, Any]


def options(  # noqa: PLR0913, PLR0917 - one parameter for each option
    name: Annotated[str | None, Query(max_length=200, description="What to call the file.")] = None,
    system: Column = None,
    item: Column = None,
    human: Columns = None,
    metric: Columns = None,
    annotator: Column = None,
    votes: Votes = "majority",
    human_cut: float | None = None,
    threshold: Annotated[str | None, Query(max_length=40, description="equal, worth, youden, or a number.")] = None,
    pooled: bool = False,  # noqa: FBT001, FBT002 - of a query
    lower_is_better: bool = False,  # noqa: FBT001, FBT002
    sampling: Sampling = "random",
    pool_calibration: bool = False,  # noqa: FBT001, FBT002
    prior: Literal["uniform", "jeffreys"] = "uniform",
    confidence_level: Annotated[float, Query(gt=0, lt=1)] = 0.95,
) -> Options:
    """Say which columns play which part, as on the command line."""
    reading = {
        "system": system,
        "item": item,
        "human": tuple(human or ()),
        "metric": tuple(metric or ()),
        "annotator": annotator,
        "votes": votes,
        "human_cut": human_cut,
        "sampling": sampling,
        "threshold": work.cut_of(threshold, pooled=pooled, lower_is_better=lower_is_better),
    }
    comparing = {
        "prior": Prior.of(prior),
        "confidence_level": confidence_level,
        "pool_calibration": pool_calibration,
    }
    return Options(name or "the uploaded file", reading, comparing)


Chosen = Annotated[Options, Depends(options)]


async def _compared(request: Request, chosen: Options, told: Callable[[Any, Comparison], Any]) -> Any:  # noqa: ANN401
    """Read what was uploaded, compare, and tell of it, in one turn."""
    settings, content = request.app.state.settings, await upload(request)

    def answer() -> Any:  # noqa: ANN401
        read_in = work.read(content, chosen.name, chosen.reading, settings)
        return told(read_in, work.compared(read_in, chosen.comparing))

    return await run(request, answer)


def add_comparisons(app: FastAPI, models: dict[str, type[BaseModel]]) -> None:
    """Add the paths that take a file of ratings or counts."""

    @app.post("/api/compare", response_model=models["comparison"], openapi_extra=_UPLOAD)
    async def compare(request: Request, chosen: Chosen) -> Any:  # noqa: ANN401 - a dictionary
        """Compare the systems of a ratings file, or of counts."""
        return JSONResponse(await _compared(request, chosen, lambda read_in, found: found.to_dict() | _roles(read_in)))

    @app.post("/api/compare/charts", response_model=Chart, openapi_extra=_UPLOAD)
    async def compare_charts(request: Request, chosen: Chosen) -> Any:  # noqa: ANN401
        """Charts of the comparison."""

        def told(_: Any, result: Comparison) -> dict[str, Any]:  # noqa: ANN401
            drawn = {
                "rates": charts.forest(result),
                "matrix": charts.matrix(result) if result.pairs else None,
                "posteriors": charts.densities({name: result.estimates[name] for name in result.ranking}),
                "calibration": charts.calibration(result),
                **{f"roc {cut.score}": charts.roc(cut) for cut in result.thresholds},
            }
            return {"charts": {name: charts.specification(chart) for name, chart in drawn.items() if chart is not None}}

        return JSONResponse(await _compared(request, chosen, told))

    @app.post(
        "/api/compare/report",
        response_model=None,
        responses={200: {"content": {"text/html": {}}, "description": "The report."}},
        openapi_extra=_UPLOAD,
    )
    async def compare_report(request: Request, chosen: Chosen) -> Response:
        """The comparison as one HTML file."""
        page: str = await _compared(request, chosen, lambda _, result: report.html(result))
        headers = {"Content-Disposition": 'attachment; filename="tellapart-report.html"'}
        return HTMLResponse(page, headers=headers)

    @app.post("/api/threshold", response_model=models["threshold"], openapi_extra=_UPLOAD)
    async def threshold(request: Request, chosen: Chosen) -> Any:  # noqa: ANN401
        """Where to cut the score named by `metric`: tpr, tnr, worth and AUC for each system."""
        settings, content = request.app.state.settings, await upload(request)

        def answer() -> dict[str, Any]:
            return work.cuts(content, chosen.name, chosen.reading, settings).to_dict()

        return JSONResponse(await run(request, answer))

    _add_pilot(app, models)

    @app.get("/api/example", response_model=None, responses={200: {"content": {"text/csv": {}}}})
    async def example() -> Response:
        """The ratings of the built-in example, as CSV."""
        return Response(files("tellapart").joinpath("data/example.csv").read_bytes(), media_type="text/csv")


def _add_pilot(app: FastAPI, models: dict[str, type[BaseModel]]) -> None:
    @app.post("/api/pilot", response_model=models["pilot"], openapi_extra=_UPLOAD)
    async def pilot(  # noqa: PLR0913, PLR0917 - one parameter for each option
        request: Request,
        chosen: Chosen,
        rate: Text = None,
        tpr: Text = None,
        tnr: Text = None,
        n_human: Annotated[Count, Query()] = 0,
        n_metric: Annotated[Count, Query()] = 0,
        n_calibration: Annotated[Count | None, Query()] = None,
        calibration_rate: Annotated[Share | None, Query()] = None,
        known_rates: bool = False,  # noqa: FBT001, FBT002
        difference: Annotated[float | None, Query(gt=0, le=1)] = None,
        seed: Annotated[int, Query(ge=0, le=2**32)] = 0,
    ) -> Any:  # noqa: ANN401
        """What a pilot file says of rate, tpr and tnr, and the chance that a campaign of such sizes succeeds.

        A rate, tpr or tnr that is given, such as 0.6 or 0.5..0.7, is taken in place of what the pilot says.
        """
        given = {"rate": rate, "tpr": tpr, "tnr": tnr}
        campaign = {
            "n_human": n_human,
            "n_metric": n_metric,
            "n_calibration": n_calibration,
            "calibration_rate": calibration_rate,
            "known_rates": known_rates,
            "confidence_level": chosen.comparing["confidence_level"],
        }
        content, settings = await upload(request), request.app.state.settings

        def answer() -> dict[str, Any]:
            beliefs = {name: parsing.span(text, name) for name, text in given.items() if text is not None}
            goal = work.Goal(campaign, beliefs, difference, seed)
            return work.pilot(content, chosen.name, chosen.reading, settings, goal)

        return JSONResponse(await run(request, answer))


def _roles(read_in: work.ReadIn | dict[str, Any]) -> dict[str, Any]:
    if not isinstance(read_in, work.ReadIn):
        return {"roles": None, "columns": []}
    roles = read_in.roles
    return {
        "roles": {
            "system": roles.system,
            "item": roles.item,
            "human": list(roles.human),
            "metric": list(roles.metrics),
            "annotator": roles.annotator,
        },
        "columns": list(read_in.columns),
    }
