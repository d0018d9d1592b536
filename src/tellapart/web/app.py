"""The server: the API, the page, and the bounds of both."""

from __future__ import annotations

import hashlib
import threading
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

import anyio
import anyio.to_thread
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware

from tellapart import charts, paper
from tellapart._version import __version__
from tellapart.errors import InvalidInput, TellapartError
from tellapart.web import work
from tellapart.web.comparisons import add_comparisons
from tellapart.web.schemas import (
    BudgetRequest,
    Chart,
    PlanRequest,
    Problem,
    SimulationRequest,
    TableRequest,
    model_of,
)
from tellapart.web.settings import HEADERS, Settings
from tellapart.web.turns import Busy, TooLarge, run, slot

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The request cannot be read."},
    422: {"model": Problem, "description": "A value breaks a rule."},
    413: {"model": Problem, "description": "The request is too large."},
    503: {"model": Problem, "description": "Too busy; try again."},
}


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the application."""
    bounds = settings or Settings()
    app = FastAPI(title="tellapart", version=__version__, docs_url=None, redoc_url=None, responses=_PROBLEMS)
    app.state.settings, app.state.slots = bounds, anyio.Semaphore(bounds.workers)
    app.state.long_slots = anyio.Semaphore(1)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(bounds.hosts))
    app.middleware("http")(_headers)
    for error, handler in (
        (TellapartError, _refuse),
        (RequestValidationError, _refuse_shape),
        (HTTPException, _refuse_at_all),
        (TooLarge, _too_large),
        (Busy, _busy),
        (work.Gone, _gone),
    ):
        app.add_exception_handler(error, handler)
    _add_pages(app)
    models = _examples()
    _add_plans(app, models)
    add_comparisons(app, models["comparison"])
    return app


async def _headers(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    response = await call_next(request)
    response.headers.update(HEADERS)
    if request.url.path.startswith("/api"):
        response.headers["Cache-Control"] = "no-store"
    return response


# refusals


def _refuse(_: Request, error: Exception) -> JSONResponse:
    parts = (error.field, error.broken, error.hint) if isinstance(error, InvalidInput) else ("", "", "")
    problem = Problem(message=" ".join(str(error).split()), field=parts[0], rule=parts[1], hint=parts[2])
    return JSONResponse(problem.model_dump(), status_code=422)


def _refuse_shape(_: Request, error: Exception) -> JSONResponse:
    first = error.errors()[0] if isinstance(error, RequestValidationError) else {"loc": (), "msg": str(error)}
    field = ".".join(str(part) for part in first["loc"] if part not in {"body", "query"})
    rule = str(first["msg"])
    return JSONResponse(Problem(message=f"`{field}`: {rule}", field=field, rule=rule).model_dump(), status_code=422)


def _refuse_at_all(_: Request, error: Exception) -> JSONResponse:
    status, detail = (error.status_code, error.detail) if isinstance(error, HTTPException) else (400, str(error))
    return JSONResponse(Problem(message=str(detail)).model_dump(), status_code=status)


def _too_large(_: Request, error: Exception) -> JSONResponse:
    return JSONResponse(Problem(message=str(error), hint="use the command line").model_dump(), status_code=413)


def _busy(_: Request, __: Exception) -> JSONResponse:
    problem = Problem(message="The server is busy with other requests.", hint="try again in a moment")
    return JSONResponse(problem.model_dump(), status_code=503, headers={"Retry-After": "5"})


def _gone(_: Request, __: Exception) -> Response:
    return Response(status_code=499)


# pages


@cache
def _static(name: str) -> tuple[bytes, str]:
    content = files("tellapart.web").joinpath("static", name).read_bytes()
    return content, f'"{hashlib.sha256(content).hexdigest()[:20]}"'


@cache
def _vega() -> tuple[bytes, str]:
    import vl_convert  # noqa: PLC0415 - the bundle takes seconds, once

    content = vl_convert.javascript_bundle().encode()  # type: ignore[call-arg] # with a snippet it is empty
    return content, f'"{hashlib.sha256(content).hexdigest()[:20]}"'


def _tagged(request: Request, found: tuple[bytes, str], kind: str) -> Response:
    content, tag = found
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=kind, headers=headers)


def _add_pages(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    async def page(request: Request) -> Response:
        return _tagged(request, _static("index.html"), "text/html")

    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        return _tagged(request, _static("api.html"), "text/html")

    @app.get("/static/{name}", include_in_schema=False)
    async def static(request: Request, name: Literal["app.js", "api.js", "style.css", "icon.svg"]) -> Response:
        return _tagged(request, _static(name), _TYPES[name.rpartition(".")[2]])

    @app.get("/vega.js", include_in_schema=False)
    async def vega(request: Request) -> Response:
        return _tagged(request, await anyio.to_thread.run_sync(_vega), "text/javascript")


# plans


def _examples() -> dict[str, Any]:
    """Return models of the answers, read off real results."""
    from tellapart.analysis.maps import Axis, difference_map  # noqa: PLC0415
    from tellapart.analysis.planning import plan  # noqa: PLC0415
    from tellapart.core.evidence import Evidence, Tally  # noqa: PLC0415

    guesses: dict[str, Any] = {"rate": 0.6, "tpr": 0.9, "tnr": 0.9}
    solved = plan(**guesses, n_human=10, n_metric=0)
    budget = work.spend(BudgetRequest(**guesses, budget=100, cost_human=1))
    chart = difference_map(Axis("n_human", (1, 2)), Axis("n_metric", (0, 1)), **guesses)
    pair = work.compared({name: Evidence(Tally(1, 2)) for name in "AB"}, {}, "")
    return {
        "plan": model_of("Plan", solved.to_dict()),
        "budget": model_of("BudgetPlan", budget.to_dict()),
        "table": model_of("Table", chart.to_dict() | {"cells": []}),
        "comparison": model_of("Comparison", pair.to_dict() | {"roles": {}, "columns": []}),
    }


def _add_plans(app: FastAPI, models: dict[str, Any]) -> None:  # noqa: C901 - one short function a path
    @app.post("/api/plan", response_model=models["plan"])
    async def plan(request: Request, body: PlanRequest) -> Any:  # noqa: ANN401 - a dictionary
        """Solve a plan for the number that is left out."""
        return JSONResponse(await run(request, lambda: work.solve(body).to_dict()))

    @app.post("/api/budget", response_model=models["budget"])
    async def budget(request: Request, body: BudgetRequest) -> Any:  # noqa: ANN401
        """Split a budget, or find the cheapest design for a difference."""
        return JSONResponse(await run(request, lambda: work.spend(body).to_dict()))

    @app.post("/api/table", response_model=models["table"])
    async def table(request: Request, body: TableRequest) -> Any:  # noqa: ANN401
        """Measurable differences over any two numbers of a design."""

        def answer() -> dict[str, Any]:
            result = work.table(body, request.app.state.settings)
            return result.to_dict() | {"cells": work.cells(result)}

        return JSONResponse(await run(request, answer))

    @app.post("/api/table/chart", response_model=Chart)
    async def table_chart(
        request: Request,
        body: TableRequest,
        curves: bool = False,  # noqa: FBT001, FBT002 - of a query
    ) -> Any:  # noqa: ANN401
        """The same as a map where both numbers are sizes, and otherwise, or if so asked, as curves."""

        def answer() -> dict[str, Any]:
            result = work.table(body, request.app.state.settings)
            prices = (body.cost_human, body.cost_metric)
            drawn = charts.curves(result) if curves else charts.design(result, budget=body.budget, prices=prices)
            return {"charts": {"map": drawn.to_dict()}}

        return JSONResponse(await run(request, answer))

    @app.post("/api/simulation", response_model=dict[str, Any])
    async def simulation(request: Request, body: SimulationRequest) -> Any:  # noqa: ANN401
        """Check the power of a campaign by simulation; ends when the client leaves."""
        left = threading.Event()
        async with slot(request, long=True), anyio.create_task_group() as group:
            group.start_soon(_watch, request, left)
            job = partial(work.simulate, body, request.app.state.settings, left.is_set)
            result: Any
            try:
                result = await anyio.to_thread.run_sync(job)
            except (TellapartError, work.Gone) as error:  # or the task group would wrap it
                result = error
            group.cancel_scope.cancel()
        if isinstance(result, Exception):
            raise result
        return JSONResponse(result.to_dict())

    @app.get("/api/paper", response_model=list[str])
    async def published() -> list[str]:
        """The names of the published tables."""
        return paper.names()

    @app.get("/api/paper/{name}", response_model=dict[str, Any])
    async def published_table(request: Request, name: str) -> Any:  # noqa: ANN401
        """One published table, recomputed beside the printed values."""
        return JSONResponse(await run(request, _published, name))


async def _watch(request: Request, left: threading.Event) -> None:
    while not await request.is_disconnected():  # noqa: ASYNC110 - there is no event to wait for
        await anyio.sleep(0.2)
    left.set()


@cache
def _published(name: str) -> dict[str, Any]:
    from dataclasses import asdict  # noqa: PLC0415

    found = paper.reproduce_one(name)
    return found.to_dict() | {"all": [asdict(cell) for cell in found.cells]}
