"""What every request passes: bounds of its body, a check of where it comes from, headers and words for its answer."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect

from tellapart.web.refusals import Refusal, busy, too_large, unexpected
from tellapart.web.schemas import Problem
from tellapart.web.settings import HEADERS, MOST_JSON, UPLOADS, Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


def answer(refusal: Refusal) -> JSONResponse:
    """Return the answer to a request that is refused."""
    return JSONResponse(refusal.problem.model_dump(), refusal.status_code, refusal.headers)


class Guard:
    """Plain ASGI around the application, as Starlette's own class for this hides that a client left."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._settings = app, settings
        self.held = 0  # bytes of all bodies together

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and see to it that it is answered."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def sent(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                if scope["path"].startswith("/api"):
                    headers["Cache-Control"] = "no-store"
            await send(message)

        most = self._settings.most_bytes if scope["path"].startswith(UPLOADS) else MOST_JSON
        body = _Body(receive, most, self._settings, self)
        refusal = None
        try:
            self._check(Headers(scope=scope), scope["method"], most)
            await self._app(scope, body.receive, sent)
        except ClientDisconnect:
            pass  # nobody to answer
        except Refusal as error:
            refusal = error
        except Exception:  # noqa: BLE001 - whatever it is, it is told
            refusal = unexpected(traceback.format_exc())
        finally:
            self.held -= body.size
        if refusal is not None and not begun:
            await answer(refusal)(scope, receive, sent)

    def _check(self, headers: Headers, method: str, most: int) -> None:
        """Refuse what can be refused unread: other names of this server, other sites' pages, too large a body."""
        host = headers.get("host", "")
        if "*" not in self._settings.hosts and _name(host) not in self._settings.hosts:
            raise Refusal(400, Problem(message="The server does not answer under this host name."))
        if method not in {"GET", "HEAD"} and _foreign(headers, host):
            raise Refusal(403, Problem(message="Pages of other sites may not send requests here."))
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length[:20]) > most:
            raise too_large(most)


def _name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _foreign(headers: Headers, host: str) -> bool:
    """Whether a page of another site sends this; programs say nothing of where they come from."""
    site = headers.get("sec-fetch-site")  # missing where the page came without encryption from another machine
    if site is not None:
        return site not in {"same-origin", "none"}
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != host


@dataclass
class _Body:
    """A body that is received in time, within its bound, and within what all together may hold."""

    inner: Receive
    most: int
    settings: Settings
    guard: Guard
    size: int = 0
    done: bool = False

    def __post_init__(self) -> None:
        self.end = time.monotonic() + self.settings.most_seconds

    async def receive(self) -> Message:
        """Receive the next message; once the body is here, wait as long as it takes."""
        if self.done:
            return await self.inner()
        patience = min(self.settings.patience, self.end - time.monotonic())
        with anyio.move_on_after(patience) as waiting:
            message = await self.inner()
        if waiting.cancelled_caught:
            raise Refusal(408, Problem(message="The request did not arrive in time.", hint="send it again"))
        more = len(message.get("body", b""))
        self.size += more
        self.guard.held += more
        self.done = not message.get("more_body", False)
        if self.size > self.most:
            raise too_large(self.most)
        if self.guard.held > self.settings.most_held:
            raise busy("The server holds as many requests as it can.")
        return message
