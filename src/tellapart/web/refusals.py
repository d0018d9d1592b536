"""How a request is refused: a status, and a problem that says why."""

from __future__ import annotations

import logging
import re
import secrets
from typing import TYPE_CHECKING, Any, Self

from starlette.exceptions import HTTPException

from tellapart.errors import InvalidInput
from tellapart.said import Option, Said
from tellapart.web.schemas import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

ELSEWHERE = "use the command line, or start the server with another --limit"
_TYPED = re.compile(r"--[a-z][a-z-]* \((\w+)=\)")  # an option, as the command line and Python spell it
_NOT_HERE = re.compile(r",? or - for standard input|; tellapart \w+ [^;.]*|tellapart formats lists[^;]*; ")
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
    said = pieces(error.args[0] if error.args else "")
    message = _NOT_HERE.sub("", message)
    return Problem(message=message, said=said, field=parts[0], rule=parts[1], hint=parts[2], columns=columns)


_SHAPES = {
    "missing": "be given",
    "extra_forbidden": "be left out: it is not known here",
    "less_than_equal": "be at most {le:,}",
    "less_than": "be less than {lt:,}",
    "greater_than_equal": "be at least {ge:,}",
    "greater_than": "be more than {gt:,}",
    "int_parsing": "be a whole number",
    "int_type": "be a whole number",
    "int_from_float": "be a whole number",
    "float_parsing": "be a number",
    "float_type": "be a number",
    "finite_number": "be a finite number",
    "literal_error": "be {expected}",
    "string_too_long": "have at most {max_length:,} letters",
    "too_long": "be at most {max_length:,}",
}


def problem_of_shape(error: Mapping[str, Any]) -> Problem:
    """Return what is wrong with the shape of a request, in our words where pydantic's are known."""
    field = ".".join(str(part) for part in error["loc"] if part not in {"body", "query"})
    known = _SHAPES.get(str(error.get("type")))
    rule = f"be right: {error['msg']}" if known is None else known.format(**error.get("ctx", {}))
    return problem_of(InvalidInput.rule(field or "the request", rule, error.get("input")))


def pieces(text: str) -> list[dict[str, Any]]:
    """Return words in pieces, the options in them apart, without what makes sense on the command line only."""
    given = text.pieces if isinstance(text, Said) else (text,)
    return [piece for one in given for piece in (Said(one).to_list() if isinstance(one, Option) else _split(one))]


def _split(text: str) -> list[dict[str, Any]]:
    found = _TYPED.split(_NOT_HERE.sub("", text))
    parts = [Option(part) if i % 2 else part for i, part in enumerate(found) if part]
    return Said(*parts).to_list()


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
