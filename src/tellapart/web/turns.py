"""Whose turn it is: work off the event loop, a few requests at a time, uploads read into memory up to a bound."""

from __future__ import annotations

from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import anyio
import anyio.to_thread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from fastapi import Request


Kind = Literal["short", "map", "simulation"]


class Gone(Exception):
    """The client went away."""


class Busy(Exception):
    """All workers are taken."""


class TooLarge(Exception):
    """A request is larger than the server allows."""


@asynccontextmanager
async def slot(request: Request, kind: Kind = "short") -> AsyncIterator[None]:
    """Wait for a turn, but not for ever; maps and simulations have turns of their own and keep nobody else waiting."""
    slots, patience = request.app.state.turns[kind], request.app.state.settings.patience
    with anyio.move_on_after(patience) as waiting:
        await slots.acquire()
    if waiting.cancelled_caught:
        raise Busy
    try:
        if await request.is_disconnected():
            raise Gone
        yield
    finally:
        slots.release()


async def run(request: Request, function: Callable[..., Any], *arguments: Any, kind: Kind = "short") -> Any:  # noqa: ANN401
    """Run a function in a thread, when it is the request's turn and the client is still there."""
    async with slot(request, kind):
        return await anyio.to_thread.run_sync(partial(function, *arguments), abandon_on_cancel=True)


async def upload(request: Request) -> bytes:
    """Read the body into memory, no further than the bound."""
    most = request.app.state.settings.most_bytes
    message = f"The file is larger than {most / 1e6:,.0f} MB, the most that is read here."
    if int(request.headers.get("content-length") or 0) > most:
        raise TooLarge(message)
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > most:
            raise TooLarge(message)
    return bytes(content)
