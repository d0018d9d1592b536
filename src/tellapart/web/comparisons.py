"""The paths of the API that take a file: comparison, charts, report, pilot, and the example."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import FastAPI, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse

from tellapart import charts, report
from tellapart.core.evidence import Prior, Sampling
from tellapart.data.labels import Votes  # noqa: TC001
from tellapart.data.ratings import Ratings
from tellapart.web import work
from tellapart.web.schemas import (
    Chart,
)
from tellapart.web.turns import run, upload

if TYPE_CHECKING:
    from pydantic import BaseModel

_UPLOAD = {
    "requestBody": {
        "required": True,
        "description": "A CSV, TSV, JSONL or Parquet file of ratings, or a CSV file of counts.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}

Columns = Annotated[list[str] | None, Query(max_length=10)]


def add_comparisons(app: FastAPI, model: type[BaseModel]) -> None:
    """Add the paths that take a file of ratings or counts."""

    async def compared(request: Request) -> tuple[Any, Any]:
        settings, query = request.app.state.settings, request.query_params
        content, name = await upload(request), query.get("name") or "the uploaded file"
        options, chosen = _options(request)

        def answer() -> tuple[Any, Any]:
            read_in = work.read(content, name, options, settings)
            return read_in, work.compared(read_in, chosen, name)

        return await run(request, answer)  # type: ignore[no-any-return]

    def described(  # noqa: PLR0913, PLR0917 - one parameter for each option
        name: Annotated[str | None, Query(max_length=200, description="What to call the file.")] = None,
        system: Annotated[str | None, Query(max_length=200)] = None,
        item: Annotated[str | None, Query(max_length=200)] = None,
        human: Columns = None,
        metric: Columns = None,
        annotator: Annotated[str | None, Query(max_length=200)] = None,
        votes: Votes = "majority",
        human_cut: float | None = None,
        threshold: Annotated[str | None, Query(max_length=40)] = None,
        pooled: bool = False,  # noqa: FBT001, FBT002 - of a query
        lower_is_better: bool = False,  # noqa: FBT001, FBT002
        sampling: Sampling = "random",
        pool_calibration: bool = False,  # noqa: FBT001, FBT002
        prior: Literal["uniform", "jeffreys"] = "uniform",
        confidence_level: Annotated[float, Query(gt=0, lt=1)] = 0.95,
    ) -> None:
        """Say which columns play which part, as on the command line."""

    from fastapi import Depends  # noqa: PLC0415

    checked = [Depends(described)]

    @app.post("/api/compare", response_model=model, openapi_extra=_UPLOAD, dependencies=checked)
    async def compare(request: Request) -> Any:  # noqa: ANN401
        """Compare the systems of a ratings file, or of counts."""
        read_in, result = await compared(request)

        return JSONResponse(await run(request, lambda: result.to_dict() | _roles(read_in)))

    @app.post("/api/compare/charts", response_model=Chart, openapi_extra=_UPLOAD, dependencies=checked)
    async def compare_charts(request: Request) -> Any:  # noqa: ANN401
        """Charts of the comparison."""
        _, result = await compared(request)

        def answer() -> dict[str, Any]:
            drawn = {
                "rates": charts.forest(result),
                "matrix": charts.matrix(result),
                "posteriors": charts.densities({name: result.estimates[name] for name in result.ranking}),
                "calibration": charts.calibration(result),
                **{f"roc {cut.score}": charts.roc(cut) for cut in result.thresholds},
            }
            return {"charts": {name: chart.to_dict() for name, chart in drawn.items() if chart is not None}}

        return JSONResponse(await run(request, answer))

    @app.post(
        "/api/compare/report",
        response_model=None,
        responses={200: {"content": {"text/html": {}}, "description": "The report."}},
        openapi_extra=_UPLOAD,
        dependencies=checked,
    )
    async def compare_report(request: Request) -> Response:
        """The comparison as one HTML file."""
        _, result = await compared(request)
        page: str = await run(request, report.html, result)
        headers = {"Content-Disposition": 'attachment; filename="tellapart-report.html"'}
        return HTMLResponse(page, headers=headers)

    @app.post("/api/pilot", response_model=dict[str, Any], openapi_extra=_UPLOAD, dependencies=checked)
    async def pilot(
        request: Request,
        n_human: Annotated[int, Query(ge=0, le=10**9)] = 0,
        n_metric: Annotated[int, Query(ge=0, le=10**9)] = 0,
        difference: Annotated[float | None, Query(gt=0, le=1)] = None,
    ) -> Any:  # noqa: ANN401
        """What a pilot file says of rate, tpr and tnr, and the chance that a campaign of such sizes succeeds."""
        campaign = work.Campaign(n_human, n_metric, difference)
        content, name = await upload(request), request.query_params.get("name") or "the pilot"
        options, _ = _options(request)
        return JSONResponse(
            await run(request, work.pilot, content, name, options, request.app.state.settings, campaign)
        )

    @app.get("/api/example", response_model=None, responses={200: {"content": {"text/csv": {}}}})
    async def example() -> Response:
        """The ratings of the built-in example, as CSV."""
        return Response(files("tellapart").joinpath("data/example.csv").read_bytes(), media_type="text/csv")


def _roles(read_in: Any) -> dict[str, Any]:  # noqa: ANN401 - ratings, or systems by their counts
    if not isinstance(read_in, Ratings):
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
        "columns": sorted({*roles.columns, *roles.others}),
    }


def _options(request: Request) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return how to read, and how to compare, from a query that was checked."""
    query = request.query_params
    flags = {name: query.get(name, "").lower() in {"1", "true", "on", "yes", "t", "y"} for name in _FLAGS}
    options = {
        "system": query.get("system"),
        "item": query.get("item"),
        "human": tuple(query.getlist("human")),
        "metric": tuple(query.getlist("metric")),
        "annotator": query.get("annotator"),
        "votes": query.get("votes", "majority"),
        "human_cut": float(query["human_cut"]) if "human_cut" in query else None,
        "sampling": query.get("sampling", "random"),
        "threshold": work.cut_of(
            query.get("threshold"), pooled=flags["pooled"], lower_is_better=flags["lower_is_better"], folds=5
        ),
    }
    chosen = {
        "prior": Prior.of(query.get("prior", "uniform")),
        "confidence_level": float(query.get("confidence_level", 0.95)),
        "pool_calibration": flags["pool_calibration"],
    }
    return options, chosen


_FLAGS = ("pooled", "lower_is_better", "pool_calibration")
