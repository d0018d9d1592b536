"""How a request is refused: a status, and a problem that says why."""

from __future__ import annotations

import logging
import secrets
from typing import TYPE_CHECKING, Self

from starlette.exceptions import HTTPException

from tellapart.errors import InvalidInput
from tellapart.said import Said
from tellapart.web.schemas import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

ELSEWHERE = "use the command line, or start the server with another --limit"
_log = logging.getLogger("tellapart.web")


class Refusal(HTTPException):
    """A request that is not answered; an HTTPException, or FastAPI would call any trouble with a body status 400."""

    def __init__(self, status: int, problem: Problem, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, problem.message, headers)
        self.problem = problem

    @classmethod
    def of(cls, error: HTTPException) -> Self:
        """Return a refusal of the framework as one of ours."""
        return cls(error.status_code, Problem(message=str(error.detail)), error.headers)


class Misread(Exception):
    """A file whose columns can be read, but not with the roles that were given or recognised."""

    def __init__(self, error: InvalidInput, columns: list[str]) -> None:
        super().__init__(str(error))
        self.error, self.columns = error, columns


def problem_of(error: Exception) -> Problem:
    """Return what an error that tellapart raises on purpose says, in parts where it has them."""
    columns = error.columns if isinstance(error, Misread) else []
    error = error.error if isinstance(error, Misread) else error
    parts = (error.field, error.broken, error.hint) if isinstance(error, InvalidInput) else ("", "", "")
    message = " ".join(str(error).split())
    said = Said(*error.args).to_list()
    return Problem(message=message, said=said, field=parts[0], rule=parts[1], hint=parts[2], columns=columns)


def too_large(most: int) -> Refusal:
    """Refuse a body of more than so many bytes."""
    message = f"The request is larger than {most / 1e6:g} MB, the most that is read here."
    return Refusal(413, Problem(message=message, hint=ELSEWHERE))


def busy(message: str = "The server is busy with other requests.") -> Refusal:
    """Refuse for now."""
    return Refusal(503, Problem(message=message, hint="try again in a moment"), {"Retry-After": "5"})


def unexpected(trace: str) -> Refusal:
    """Own up to a mistake of ours: the page shows a reference under which the log has the trace."""
    reference = secrets.token_hex(4)
    _log.error("Unexpected error, reference %s\n%s", reference, trace.rstrip())
    message = f"The server made a mistake; its log tells more under the reference {reference}."
    return Refusal(500, Problem(message=message, hint="tell whoever runs the server", reference=reference))
