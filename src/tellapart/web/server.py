"""The server behind the port: it says when it answers, lets nobody hold a connection for nothing, and ends at once."""

from __future__ import annotations

import asyncio
import socket
import threading
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from tellapart.web.settings import HEADERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import FastAPI

_HEAD = 10.0  # seconds for the head of a request, and for any part of an answer
_GRACE = 1.0  # seconds for answers that are on their way when the server ends


class Connection(H11Protocol):
    """A connection that is closed when it neither asks nor reads."""

    _waiting: asyncio.TimerHandle | None = None
    _unsent = 0

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401 - as uvicorn has it
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def on_response_complete(self) -> None:
        """Wait for the client to read the answer, and for the next request."""
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        super().connection_lost(exc)
        if self._waiting is not None:
            self._waiting.cancel()

    def _wait(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        self._unsent = self.transport.get_write_buffer_size()
        self._waiting = self.loop.call_later(_HEAD, self._late)

    def _late(self) -> None:
        unsent = self.transport.get_write_buffer_size()
        answering = self.cycle is not None and not self.cycle.response_complete
        if unsent < self._unsent or (answering and not unsent):
            self._wait()  # it reads, if slowly, or waits for us
        else:
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, with the headers that every answer carries."""
        headers = {"Content-Type": "text/plain; charset=utf-8", "Connection": "close", **HEADERS}
        lines = ["HTTP/1.1 400 Bad Request", *(f"{name}: {value}" for name, value in headers.items()), "", msg]
        self.transport.write("\r\n".join(lines).encode())
        self.transport.close()


class Server(uvicorn.Server):
    """Uvicorn that says when it answers, and ends the workers before it waits for answers."""

    def __init__(self, app: FastAPI, announce: Callable[[], None] = lambda: None) -> None:
        quiet: dict[str, Any] = {"log_level": "warning", "access_log": False, "server_header": False}
        super().__init__(uvicorn.Config(app, http=Connection, ws="none", timeout_graceful_shutdown=2, **quiet))
        self._app, self._announce = app, announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer; workers get ready meanwhile."""
        await super().startup(sockets)
        state = self._app.state
        threading.Thread(target=state.workers.warm, args=(state.settings.workers,), daemon=True).start()
        if self.started:  # its port answers
            asyncio.get_running_loop().call_soon(self._announce)

    def handle_exit(self, sig: int, frame: Any) -> None:  # noqa: ANN401
        """End on a signal: what is being computed is refused now."""
        self._app.state.workers.close()
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End; who has not been answered soon is cut off."""
        self._app.state.workers.close()
        asyncio.get_running_loop().call_later(_GRACE, self._cut)
        await super().shutdown(sockets)

    def _cut(self) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()


def listen(host: str, port: int) -> socket.socket:
    """Open the port; OSError if it is taken."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, _, _, _, address = min(found, key=lambda one: one[0] != socket.AF_INET)
    opened = socket.create_server(address[:2], family=family)
    # asyncio does so only for sockets that were opened as TCP by name; else an answer waits 40 ms for the client's word
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return opened
