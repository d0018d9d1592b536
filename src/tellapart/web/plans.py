"""The paths of the API that take numbers: estimates, plans, tables, simulations, and the published tables."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import anyio
import anyio.to_thread
from fastapi import FastAPI, Request  # noqa: TC002 - FastAPI reads the annotations
from fastapi.responses import JSONResponse

from tellapart import charts, paper
from tellapart.errors import TellapartError
from tellapart.web import work
from tellapart.web.schemas import (
    AssuranceRequest,
    BudgetRequest,
    Chart,
    EstimateRequest,
    PlanRequest,
    SimulationRequest,
    TableRequest,
)
from tellapart.web.turns import Gone, run, slot

if TYPE_CHECKING:
    from pydantic import BaseModel


def add_plans(app: FastAPI, models: dict[str, type[BaseModel]]) -> None:
    """Add the paths that take numbers."""

    @app.post("/api/estimate", response_model=models["estimate"])
    async def estimate(request: Request, body: EstimateRequest) -> Any:  # noqa: ANN401 - a dictionary
        """How good is one system? Its rate of adequate outputs, from counts."""
        return JSONResponse(await run(request, lambda: work.estimated(body).to_dict()))

    @app.post("/api/plan", response_model=models["plan"])
    async def plan(request: Request, body: PlanRequest) -> Any:  # noqa: ANN401
        """Solve a plan for the number that is left out."""
        return JSONResponse(await run(request, lambda: work.solve(body).to_dict()))

    @app.post("/api/assurance", response_model=models["assurance"])
    async def assurance(request: Request, body: AssuranceRequest) -> Any:  # noqa: ANN401
        """The chance that a campaign succeeds when its guesses are uncertain."""
        return JSONResponse(await run(request, lambda: work.assure(body).to_dict()))

    @app.post("/api/budget", response_model=models["budget"])
    async def budget(request: Request, body: BudgetRequest) -> Any:  # noqa: ANN401
        """Split a budget, or find the cheapest design for a difference."""
        return JSONResponse(await run(request, lambda: work.spend(body).to_dict()))

    @app.post("/api/table", response_model=models["table"])
    async def table(request: Request, body: TableRequest) -> Any:  # noqa: ANN401
        """Measurable differences over any two numbers of a design."""
        return JSONResponse(await run(request, lambda: work.table(body, request.app.state.settings).table()))

    @app.post("/api/table/charts", response_model=Chart)
    async def table_charts(request: Request, body: TableRequest, kind: Literal["curves", "map"] = "curves") -> Any:  # noqa: ANN401
        """The same as curves, one for each row, or as a map where both numbers are sizes.

        Where the axes are `n_human` and `n_metric`, these may be given too: they are marked on the map.
        """

        def answer() -> dict[str, Any]:
            chart = work.drawn(body, request.app.state.settings, kind)
            return {"charts": {kind: charts.specification(chart)}}

        return JSONResponse(await run(request, answer, kind="map" if kind == "map" else "short"))

    _add_simulation(app, models)
    _add_paper(app, models)


def _add_simulation(app: FastAPI, models: dict[str, type[BaseModel]]) -> None:
    @app.post("/api/simulation", response_model=models["simulation"])
    async def simulation(request: Request, body: SimulationRequest) -> Any:  # noqa: ANN401
        """Check the power of a campaign by simulation; ends when the client leaves."""
        left = threading.Event()
        async with slot(request, "simulation"), anyio.create_task_group() as group:
            group.start_soon(_watch, request, left)
            job = partial(work.simulate, body, request.app.state.settings, left.is_set)
            result: Any
            try:
                result = await anyio.to_thread.run_sync(job)
            except (TellapartError, Gone) as error:  # or the task group would wrap it
                result = error
            group.cancel_scope.cancel()
        if isinstance(result, Exception):
            raise result
        return JSONResponse(result.to_dict())


def _add_paper(app: FastAPI, models: dict[str, type[BaseModel]]) -> None:
    @app.get("/api/paper", response_model=list[str])
    async def published() -> list[str]:
        """The names of the published tables."""
        return paper.names()

    @app.get("/api/paper/{name}", response_model=models["published"])
    async def published_table(request: Request, name: str) -> Any:  # noqa: ANN401
        """One published table, recomputed beside the printed values."""
        return JSONResponse(await run(request, work.published, name))


async def _watch(request: Request, left: threading.Event) -> None:
    while not await request.is_disconnected():  # noqa: ASYNC110 - there is no event to wait for
        await anyio.sleep(0.2)
    left.set()
