"""The server: the API, the page, and the bounds of both."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

import anyio
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from tellapart._version import __version__
from tellapart.errors import TellapartError
from tellapart.web import answers, work
from tellapart.web.comparisons import add_comparisons
from tellapart.web.guard import Guard, answer
from tellapart.web.plans import add_plans
from tellapart.web.refusals import Refusal, problem_of, problem_of_shape
from tellapart.web.schemas import Problem
from tellapart.web.settings import Settings
from tellapart.web.turns import run
from tellapart.web.workers import Workers

_STATIC = {file.name for file in files("tellapart.web").joinpath("static").iterdir()}
_TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The request cannot be read."},
    422: {"model": Problem, "description": "A value breaks a rule."},
    413: {"model": Problem, "description": "The request is too large."},
    403: {"model": Problem, "description": "A page of another site asks."},
    408: {"model": Problem, "description": "The request did not arrive in time."},
    500: {"model": Problem, "description": "A mistake of the server, with a reference to its log."},
    503: {"model": Problem, "description": "Too busy; try again."},
}


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the application."""
    bounds = settings or Settings()
    app = FastAPI(title="tellapart", version=__version__, docs_url=None, redoc_url=None, responses=_PROBLEMS)
    app.state.settings, app.state.workers = bounds, Workers()
    app.state.turns = {
        "short": anyio.Semaphore(bounds.workers),
        "map": anyio.Semaphore(1),
        "simulation": anyio.Semaphore(1),
    }
    app.add_middleware(Guard, settings=bounds)
    for error, handler in (
        (TellapartError, _refuse),
        (RequestValidationError, _refuse_shape),
        (HTTPException, _refuse_at_all),
    ):
        app.add_exception_handler(error, handler)
    _add_pages(app)
    models = answers.models()
    add_plans(app, models)
    add_comparisons(app, models)
    return app


# refusals


def _refuse(_: Request, error: Exception) -> JSONResponse:
    return JSONResponse(problem_of(error).model_dump(), status_code=422)


def _refuse_shape(_: Request, error: Exception) -> JSONResponse:
    first = error.errors()[0] if isinstance(error, RequestValidationError) else {"loc": (), "msg": str(error)}
    return JSONResponse(problem_of_shape(first).model_dump(), status_code=422)


def _refuse_at_all(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise error
    return answer(error if isinstance(error, Refusal) else Refusal.of(error))


# pages


@cache
def _static(name: str) -> bytes:
    return files("tellapart.web").joinpath("static", name).read_bytes()


@cache
def _packed(content: bytes) -> tuple[str, bytes]:
    """Return the tag of a file of ours, and the file packed."""
    return f'"{hashlib.sha256(content).hexdigest()[:20]}"', gzip.compress(content, mtime=0)


def _tagged(request: Request, content: bytes, kind: str) -> Response:
    tag, packed = _packed(content)
    headers = {"ETag": tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(packed, media_type=kind, headers=headers | {"Content-Encoding": "gzip"})
    return Response(content, media_type=kind, headers=headers)


def _add_pages(app: FastAPI) -> None:
    kept: list[bytes] = []

    @app.get("/", include_in_schema=False)
    async def page(request: Request) -> Response:
        return _tagged(request, _static("index.html"), "text/html")

    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        return _tagged(request, _static("api.html"), "text/html")

    @app.get("/static/{name}", include_in_schema=False)
    async def static(request: Request, name: str) -> Response:
        if name not in _STATIC:
            raise HTTPException(404, "There is no such file.")
        return _tagged(request, _static(name), _TYPES[name.rpartition(".")[2]])

    @app.get("/vega.js", include_in_schema=False)
    async def vega(request: Request) -> Response:
        kept[:] = kept or [await run(request, work.vega)]
        return _tagged(request, kept[0], "text/javascript")
