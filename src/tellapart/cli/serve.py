"""Plan and compare in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from tellapart.cli.output import note
from tellapart.errors import MissingExtra

_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


def serve(
    *,
    host: Annotated[str, typer.Option(help="Address to listen on; others than loopback open it to the network.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = False,
) -> None:
    """Show the web page: plan a campaign and compare systems in the browser."""
    try:
        import uvicorn  # noqa: PLC0415 - an extra

        from tellapart.web.app import create_app  # noqa: PLC0415
        from tellapart.web.settings import Settings  # noqa: PLC0415
    except ImportError:
        raise MissingExtra.need("The web page", "web") from None

    settings = Settings() if host in _LOOPBACK else Settings(hosts=("*",))
    address = f"http://{'[::1]' if host == '::1' else host}:{port}"
    note(f"tellapart is at {address} (stop with Ctrl+C). Nothing that you upload is stored.")
    if host not in _LOOPBACK:
        note(f"Caution: it listens on {host}, so others on the network can use it; there is no password.")
    if open_browser:
        typer.launch(address)
    uvicorn.run(create_app(settings), host=host, port=port, log_level="warning", access_log=False)
