"""The paths of the API that take a file: comparison, charts, report, metrics, threshold, pilot, and the example."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi.responses import HTMLResponse
from pydantic import Field

from tellapart import parsing
from tellapart.analysis.verdicts import Correction  # noqa: TC001 - FastAPI reads the annotations
from tellapart.core.evidence import Sampling  # noqa: TC001
from tellapart.core.intervals import IntervalKind  # noqa: TC001
from tellapart.core.ladder import Borrow  # noqa: TC001
from tellapart.core.prior import Prior
from tellapart.data.cells import BadCells  # noqa: TC001
from tellapart.data.choose import Fuse  # noqa: TC001
from tellapart.data.labels import Votes  # noqa: TC001
from tellapart.errors import InvalidInput
from tellapart.web import work
from tellapart.web.plans import json
from tellapart.web.schemas import Chart, Count, Share
from tellapart.web.turns import run
from tellapart.web.uploads import Upload

if TYPE_CHECKING:
    from pydantic import BaseModel

_UPLOAD = {
    "requestBody": {
        "required": True,
        "description": "A CSV, TSV, JSONL or Parquet file of ratings or of pairs, or a CSV file of counts.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}

Column = Annotated[str | None, Query(max_length=200)]
Columns = Annotated[list[str] | None, Query(max_length=10)]
Names = list[Annotated[str, Field(max_length=200)]]
Text = Annotated[str | None, Query(max_length=40)]


@dataclass(frozen=True)
class Options:
    """How to read files, and how to compare."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    labels: bool
    by: tuple[str, ...]
    reading: dict[str, Any]
    comparing: dict[str, Any]


def options(  # noqa: PLR0913, PLR0917 - one parameter for each option
    name: Annotated[
        Names | None, Query(max_length=20, description="What to call the file, or each of several.")
    ] = None,
    size: Annotated[
        list[Count] | None,
        Query(max_length=20, description="Bytes of each file, where the body is several, one after the other."),
    ] = None,
    labels: Annotated[bool, Query(description="The last file holds people's ratings of the outputs.")] = False,  # noqa: FBT002
    system: Column = None,
    item: Column = None,
    human: Columns = None,
    metric: Columns = None,
    annotator: Column = None,
    cluster: Column = None,
    where: Annotated[str | None, Query(max_length=2000, description="Which rows, such as language == 'de'.")] = None,
    by: Annotated[Columns, Query(description="Columns whose values make slices.")] = None,
    votes: Votes = "majority",
    human_cut: float | None = None,
    bad_cells: BadCells = "error",
    threshold: Annotated[str | None, Query(max_length=40, description="equal, worth, youden, or a number.")] = None,
    levels: Annotated[int, Query(ge=2, le=32)] | Literal["auto"] | None = None,
    fuse: Fuse = "joint",
    paired: bool = True,  # noqa: FBT001, FBT002 - of a query
    pooled: bool = True,  # noqa: FBT001, FBT002
    lower_is_better: bool = False,  # noqa: FBT001, FBT002
    sampling: Sampling | None = None,
    prior: Literal["uniform", "jeffreys"] = "uniform",
    confidence_level: Annotated[float, Query(gt=0, lt=1)] = 0.95,
    interval: IntervalKind = "highest-density",
    correction: Correction = "auto",
    borrow: Borrow = "auto",
) -> Options:
    """Say which columns play which part, as on the command line."""
    reading = {
        "system": system,
        "item": item,
        "human": tuple(human or ()),
        "metric": tuple(metric or ()),
        "annotator": annotator,
        "cluster": cluster,
        "where": where,
        "votes": votes,
        "human_cut": human_cut,
        "bad_cells": bad_cells,
        "levels": levels,
        "fuse": fuse,
        "paired": paired,
        "sampling": sampling,
        "threshold": work.cut_of(threshold, pooled=pooled, lower_is_better=lower_is_better),
    }
    comparing = {
        "prior": Prior.of(prior),
        "confidence_level": confidence_level,
        "interval": interval,
        "correction": correction,
        "borrow": borrow,
    }
    names = tuple(name or ("the uploaded file",))
    return Options(names, tuple(size or ()), labels, tuple(by or ()), reading, comparing)


Chosen = Annotated[Options, Depends(options)]


async def _upload(request: Request, chosen: Options) -> Upload:
    content = await request.body()
    key = hashlib.sha256(content)
    key.update(repr(chosen).encode())
    parts, settings = _parts(content, chosen), request.app.state.settings
    return Upload(
        parts, chosen.reading, chosen.comparing, settings, labels=chosen.labels, by=chosen.by, key=key.hexdigest()
    )


def _parts(content: bytes, chosen: Options) -> tuple[tuple[str, bytes], ...]:
    """Take the body apart: one file, or as many as have sizes."""
    sizes = chosen.sizes or (len(content),)
    if len(chosen.names) != len(sizes) or sum(sizes) != len(content):
        hint = "one name and one size for each file, in the order of the body"
        raise InvalidInput.rule("size", f"add up to the body's {len(content)} bytes", sum(sizes), hint)
    if chosen.labels and len(sizes) == 1:
        raise InvalidInput.rule("labels", "be a file of their own", 1, "send the outputs too")
    ends = list(accumulate(sizes))
    return tuple((name, content[end - n : end]) for name, n, end in zip(chosen.names, sizes, ends, strict=True))


def add_comparisons(app: FastAPI, models: dict[str, type[BaseModel]]) -> None:
    """Add the paths that take a file of ratings or counts."""

    @app.post("/api/compare", response_model=models["comparison"], openapi_extra=_UPLOAD)
    async def compare(request: Request, chosen: Chosen) -> Any:  # noqa: ANN401 - a model that is read off results
        """Compare the systems of a ratings file, of pairs (win, tie, loss), or of counts."""
        return json(await run(request, work.comparison, await _upload(request, chosen)))

    @app.post("/api/compare/charts", response_model=Chart, openapi_extra=_UPLOAD)
    async def compare_charts(request: Request, chosen: Chosen) -> Any:  # noqa: ANN401
        """Charts of the comparison."""
        return json(await run(request, work.comparison_charts, await _upload(request, chosen)))

    @app.post(
        "/api/compare/report",
        response_model=None,
        responses={200: {"content": {"text/html": {}}, "description": "The report."}},
        openapi_extra=_UPLOAD,
    )
    async def compare_report(request: Request, chosen: Chosen) -> Response:
        """The comparison as one HTML file."""
        page = await run(request, work.comparison_report, await _upload(request, chosen))
        headers = {"Content-Disposition": 'attachment; filename="tellapart-report.html"'}
        return HTMLResponse(page, headers=headers)

    @app.post("/api/threshold", response_model=models["threshold"], openapi_extra=_UPLOAD)
    async def threshold(request: Request, chosen: Chosen) -> Any:  # noqa: ANN401
        """Where to cut the score named by `metric`: tpr, tnr, worth and AUC for each system."""
        return json(await run(request, work.cuts, await _upload(request, chosen)))

    @app.post("/api/metrics", response_model=models["metrics"], openapi_extra=_UPLOAD)
    async def metrics(request: Request, chosen: Chosen, seed: Annotated[int, Query(ge=0, le=2**32)] = 0) -> Any:  # noqa: ANN401
        """Which metric? Those named by `metric`, or all that the file has, ranked by worth."""
        return json(await run(request, work.ranking, await _upload(request, chosen), seed))

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
        guesses = {"rate": rate, "tpr": tpr, "tnr": tnr}
        campaign = {
            **{name: parsing.span(text, name) for name, text in guesses.items() if text is not None},
            "n_human": n_human,
            "n_metric": n_metric,
            "n_calibration": n_calibration,
            "calibration_rate": calibration_rate,
            "known_rates": known_rates,
            "confidence_level": chosen.comparing["confidence_level"],
            "difference": difference,
            "seed": seed,
        }
        return json(await run(request, work.pilot, await _upload(request, chosen), campaign))
