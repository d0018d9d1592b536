"""The server: the API, the page, and the bounds of both."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

import anyio
import anyio.to_thread
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware

from tellapart._version import __version__
from tellapart.errors import InvalidInput, TellapartError
from tellapart.web import answers, work
from tellapart.web.comparisons import add_comparisons
from tellapart.web.plans import add_plans
from tellapart.web.schemas import Problem
from tellapart.web.settings import HEADERS, MOST_JSON, UPLOADS, Settings
from tellapart.web.turns import Busy, Gone, TooLarge

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

StaticFile = Literal["app.js", "page.js", "plan.js", "compare.js", "paper.js", "api.js", "style.css", "icon.svg"]
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
    app.state.settings = bounds
    app.state.turns = {
        "short": anyio.Semaphore(bounds.workers),
        "map": anyio.Semaphore(1),
        "simulation": anyio.Semaphore(1),
    }
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(bounds.hosts))
    app.add_middleware(_Headers)
    for error, handler in (
        (TellapartError, _refuse),
        (work.Misread, _refuse_roles),
        (RequestValidationError, _refuse_shape),
        (HTTPException, _refuse_at_all),
        (TooLarge, _too_large),
        (Busy, _busy),
        (Gone, _gone),
    ):
        app.add_exception_handler(error, handler)
    _add_pages(app)
    models = answers.models()
    add_plans(app, models)
    add_comparisons(app, models)
    return app


@dataclass(frozen=True)
class _Headers:
    """Adds the headers; plain ASGI, as Starlette's own class for this hides that a client left."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        large = int(Headers(scope=scope).get("content-length") or 0) > MOST_JSON if scope["type"] == "http" else False
        if large and not scope["path"].startswith(UPLOADS):
            message = f"The request is larger than {MOST_JSON / 1e6:g} MB, the most that is read here."
            problem = JSONResponse(Problem(message=message).model_dump(), status_code=413, headers=HEADERS)
            await problem(scope, receive, send)
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                if scope["path"].startswith("/api"):
                    headers["Cache-Control"] = "no-store"
            await send(message)

        await self.app(scope, receive, sent)


# refusals


def _refuse(_: Request, error: Exception, columns: list[str] | None = None) -> JSONResponse:
    parts = (error.field, error.broken, error.hint) if isinstance(error, InvalidInput) else ("", "", "")
    message = " ".join(str(error).split())
    problem = Problem(message=message, field=parts[0], rule=parts[1], hint=parts[2], columns=columns or [])
    return JSONResponse(problem.model_dump(), status_code=422)


def _refuse_roles(request: Request, error: Exception) -> JSONResponse:
    found = error if isinstance(error, work.Misread) else None
    return _refuse(request, found.error if found else error, found.columns if found else None)


def _refuse_shape(_: Request, error: Exception) -> JSONResponse:
    first = error.errors()[0] if isinstance(error, RequestValidationError) else {"loc": (), "msg": str(error)}
    field = ".".join(str(part) for part in first["loc"] if part not in {"body", "query"})
    rule = str(first["msg"])
    return JSONResponse(Problem(message=f"`{field}`: {rule}", field=field, rule=rule).model_dump(), status_code=422)


def _refuse_at_all(_: Request, error: Exception) -> JSONResponse:
    status, detail = (error.status_code, error.detail) if isinstance(error, HTTPException) else (400, str(error))
    return JSONResponse(Problem(message=str(detail)).model_dump(), status_code=status)


def _too_large(_: Request, error: Exception) -> JSONResponse:
    return JSONResponse(Problem(message=str(error), hint=work.ELSEWHERE).model_dump(), status_code=413)


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
    async def static(request: Request, name: StaticFile) -> Response:
        return _tagged(request, _static(name), _TYPES[name.rpartition(".")[2]])

    @app.get("/vega.js", include_in_schema=False)
    async def vega(request: Request) -> Response:
        return _tagged(request, await anyio.to_thread.run_sync(_vega), "text/javascript")
