"""Whose turn it is: a few requests compute at a time, in processes of their own, while their clients are there."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Literal

import anyio
from starlette.requests import ClientDisconnect

from tellapart.web.refusals import Refusal, busy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from fastapi import Request


Kind = Literal["short", "map", "simulation"]


@asynccontextmanager
async def _slot(request: Request, kind: Kind) -> AsyncIterator[None]:
    """Wait for a turn, but not for ever; maps and simulations have turns of their own and keep nobody else waiting."""
    slots, patience = request.app.state.turns[kind], request.app.state.settings.patience
    with anyio.move_on_after(patience) as waiting:
        await slots.acquire()
    if waiting.cancelled_caught:
        raise busy()
    try:
        yield
    finally:
        slots.release()


async def run(
    request: Request,
    function: Callable[..., Any],
    *arguments: Any,  # noqa: ANN401
    kind: Kind = "short",
    progress: Callable[[int], None] | None = None,
) -> bytes:
    """Have a worker compute when it is the request's turn, until the client leaves; return text or JSON."""
    state = request.app.state
    found: bytes | None = None
    refusal: Refusal | None = None
    async with anyio.create_task_group() as group:
        group.start_soon(_end_when_left, request, group.cancel_scope)
        try:
            async with _slot(request, kind):
                seconds = state.settings.most_seconds
                found = await state.workers.ask(function, *arguments, seconds=seconds, progress=progress)
        except Refusal as error:  # or the task group would wrap it
            refusal = error
        group.cancel_scope.cancel()
    if refusal is not None:
        raise refusal
    if found is None:
        raise ClientDisconnect
    return found


async def _end_when_left(request: Request, scope: anyio.CancelScope) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
