"""The paths of the API that take numbers: estimates, plans, tables, simulations, and the published tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import FastAPI, Query, Request, Response

from tellapart import paper
from tellapart.web import work
from tellapart.web.schemas import Chart, EstimateRequest, PlanRequest, SimulationRequest, TableRequest
from tellapart.web.turns import run

if TYPE_CHECKING:
    from pydantic import BaseModel

    from tellapart.web.turns import Kind

Ticket = Annotated[str, Query(max_length=40)]


def json(body: bytes) -> Response:
    """Return the JSON that a worker wrote."""
    return Response(body, media_type="application/json")


def add_plans(app: FastAPI, models: dict[str, type[BaseModel]]) -> None:
    """Add the paths that take numbers."""
    settings = app.state.settings

    @app.post("/api/estimate", response_model=models["estimate"])
    async def estimate(request: Request, body: EstimateRequest) -> Any:  # noqa: ANN401 - a model that is read off results
        """How good is one system? Its rate of adequate outputs, from counts."""
        return json(await run(request, work.estimated, body))

    @app.post("/api/plan", response_model=models["plan"] | models["budget"] | models["assurance"] | models["many"])
    async def plan(request: Request, body: PlanRequest) -> Any:  # noqa: ANN401
        """Find what is left out of a plan: a number, the split of a budget, or, with ranges, the chance of success.

        With `borrow`, or for more than two systems without prices, whole campaigns are simulated.
        """
        return json(await run(request, work.solve, body, settings, kind="simulation" if body.together else "short"))

    @app.post("/api/plan/charts", response_model=Chart)
    async def plan_charts(request: Request, body: PlanRequest) -> Any:  # noqa: ANN401
        """How often a plan or the split of a budget finds its difference, with fewer or more ratings."""
        kind: Kind = "simulation" if body.together else "short"
        return json(await run(request, work.plan_charts, body, settings, kind=kind))

    @app.post("/api/table", response_model=models["table"])
    async def table(request: Request, body: TableRequest) -> Any:  # noqa: ANN401
        """Measurable differences over any two numbers of a design."""
        return json(await run(request, work.table, body, settings))

    @app.post("/api/table/charts", response_model=Chart)
    async def table_charts(request: Request, body: TableRequest, kind: Literal["curves", "map"] = "curves") -> Any:  # noqa: ANN401
        """The same as curves, one for each row, or as a map where both numbers are sizes.

        Where the axes are `n_human` and `n_metric`, these may be given too: they are marked on the map.
        """
        return json(await run(request, work.drawn, body, settings, kind, kind="map" if kind == "map" else "short"))

    _add_simulation(app, models["simulation"])
    _add_paper(app, models)


def _add_simulation(app: FastAPI, model: type[BaseModel]) -> None:
    done: dict[str, int] = {}  # campaigns, of the simulations under way that have a ticket

    @app.post("/api/simulation", response_model=model)
    async def simulation(request: Request, body: SimulationRequest, ticket: Ticket = "") -> Any:  # noqa: ANN401
        """Check the power of a campaign by simulation; with a ticket, any name, `/api/progress` tells how far it is."""

        def progress(more: int) -> None:
            done[ticket] = done.get(ticket, 0) + more

        try:
            return json(
                await run(
                    request,
                    work.simulate,
                    body,
                    app.state.settings,
                    kind="simulation",
                    progress=progress if ticket else None,
                )
            )
        finally:
            done.pop(ticket, None)

    @app.get("/api/progress/{ticket}", response_model=dict[str, int])
    async def progress(ticket: str) -> dict[str, int]:
        """How many campaigns of a simulation are done; 0 where it waits for its turn, or is none."""
        return {"done": done.get(ticket, 0)}


def _add_paper(app: FastAPI, models: dict[str, type[BaseModel]]) -> None:
    kept: dict[str, bytes] = {}

    @app.get("/api/paper", response_model=list[str])
    async def published() -> list[str]:
        """The names of the published tables."""
        return paper.names()

    @app.get("/api/paper/{name}", response_model=models["published"])
    async def published_table(request: Request, name: str) -> Any:  # noqa: ANN401
        """One published table, recomputed beside the printed values."""
        if name not in kept:
            kept[name] = await run(request, work.published, name)
        return json(kept[name])
