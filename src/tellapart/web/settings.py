"""What the server allows: sizes, work and time of a request, and the headers that every answer carries."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Bounds of a server.

    Parameters
    ----------
    most_bytes, most_unpacked : int
        Size of an upload, and of what it unpacks to.
    most_held : int
        Size of all requests together that are held in memory.
    most_rows, most_columns, most_systems, most_letters : int
        Size of the table in an upload, and length of the names of its systems and columns.
    most_runs, most_cells : int
        Simulated campaigns, and cells of a table, in a request.
    most_pairs : int
        Pairs of systems in simulated campaigns of a request; each campaign counts as ten more.
    most_seconds : int
        Time in which a request must arrive, and time in which it must be answered once it has its turn.
    workers : int
        Requests that compute at the same time.
    patience : float
        Seconds that a request waits for its turn, and the server for the next part of a request, before it is refused.
    keep : float
        Minutes for which a comparison is remembered, in memory, for its charts and its report; 0 for none.
    hosts : tuple of str
        Names under which the server answers; "*" for any.
    """

    most_bytes: int = 50_000_000
    most_unpacked: int = 300_000_000
    most_held: int = 200_000_000
    most_rows: int = 2_000_000
    most_columns: int = 200
    most_systems: int = 40
    most_letters: int = 200
    most_runs: int = 2000
    most_cells: int = 200
    most_pairs: int = 1000
    most_seconds: int = 60
    workers: int = 2
    patience: float = 20.0
    keep: float = 10.0
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "::1")


MOST_JSON = 1_000_000  # bytes of a request that is no upload
UPLOADS = ("/api/compare", "/api/metrics", "/api/threshold", "/api/pilot")
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
