"""Plan and compare in the browser."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart.cli.output import note
from tellapart.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from tellapart.web.settings import Settings

_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


def serve(
    *,
    host: Annotated[
        str, typer.Option(help="Address to listen on; any but a loopback address opens the page to the network.")
    ] = ("127.0.0.1"),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            help="A limit on requests, e.g. most_rows=5M; repeat it. Limits: most_bytes, most_unpacked, most_held (by "
            "all requests), most_rows, most_columns, most_systems, most_letters (of a name), most_runs (of a "
            "simulation), most_cells (of a table), most_pairs (of systems, "
            "in simulated campaigns), most_seconds; workers (at a time)."
        ),
    ] = None,
    keep: Annotated[
        float,
        typer.Option(
            min=0,
            max=1440,
            help="Minutes for which a comparison stays in memory, for its charts and report; 0 for none.",
        ),
    ] = 10.0,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = False,
) -> None:
    """Show the web page: plan a campaign and compare systems in the browser."""
    try:
        from tellapart.web.app import create_app  # noqa: PLC0415 - an extra
        from tellapart.web.server import Server, listen  # noqa: PLC0415
        from tellapart.web.settings import Settings  # noqa: PLC0415
    except ImportError:
        raise MissingExtra.need("The web page", "web") from None

    bounds = _bounds(limit or [], Settings())
    settings = Settings(**bounds, keep=keep)
    settings = settings if host in _LOOPBACK else replace(settings, hosts=("*",))
    try:
        opened = listen(host, port)
    except OSError as error:
        why = str(error.strerror).partition(" (")[0]
        typer.echo(f"Error: cannot listen on {host}, port {port} ({why}). Hint: choose another with --port", err=True)
        raise SystemExit(1) from None
    address = f"http://{'[::1]' if host == '::1' else host}:{opened.getsockname()[1]}"

    def announce() -> None:
        note(f"tellapart is at {address} (stop with Ctrl+C). Nothing that you upload is written to disk.")
        if host not in _LOOPBACK:
            note(f"Caution: it listens on {host}, so others on the network can use it; there is no password.")
        if open_browser:
            typer.launch(address)

    with suppress(KeyboardInterrupt):
        Server(create_app(settings), announce).run([opened])


def _bounds(limits: list[str], usual: Settings) -> dict[str, Any]:
    """Read bounds such as most_rows=5M."""
    from tellapart import parsing  # noqa: PLC0415

    known = [name for name, value in asdict(usual).items() if isinstance(value, int)]
    found: dict[str, Any] = {}
    for text in limits:
        name, _, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if name not in known:
            raise InvalidInput.rule("--limit", f"be one of {', '.join(known)}, with a value", text, "most_rows=5M")
        found[name] = parsing.size(value, f"--limit {name}")
        if not found[name]:
            raise InvalidInput.rule(f"--limit {name}", "be at least 1", value)
    return found
