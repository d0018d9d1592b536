"""The decision of a gate for those who wait for it: a comment on a pull request, a test report, an annotation."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from tellapart.render.sheet import markdown
from tellapart.render.versions import gate as sheet
from tellapart.said import spelled

if TYPE_CHECKING:
    from collections.abc import Callable

    from tellapart.analysis.gate import Gate
    from tellapart.said import Option

_SIGNS = {"pass": "✅", "fail": "❌", "cannot tell yet": "🤷"}
_LEVELS = {"pass": "notice", "fail": "error", "cannot tell yet": "warning"}


def comment(result: Gate, *, spell: Callable[[Option], str] = str) -> str:
    """Return a comment for a pull request, in Markdown, with options spelled as its readers type them."""
    said = [f"### {_SIGNS[result.decision]} {_plain(result.headline)}", _plain(result.numbers)]
    said += [_plain(line) for line in (result.comparison.basis_of([result.pair]), result.advice) if line]
    said += [f"> **Caution:** {_plain(spelled(warning.said, spell))}" for warning in result.warnings]
    return "\n\n".join([*said, markdown(sheet(result)), f"<sub>{_plain(result.signature)}</sub>"]) + "\n"


def junit(result: Gate) -> str:
    """Return a JUnit XML file with one test case; one that cannot be told yet is skipped."""
    tag = {"pass": "", "fail": "failure", "cannot tell yet": "skipped"}[result.decision]
    counts = f'failures="{int(tag == "failure")}" skipped="{int(tag == "skipped")}" errors="0"'
    name = quoteattr(f"{result.candidate} is not worse than {result.baseline} by more than {result.margin:g}")
    said = f"<system-out>{escape(str(result))}</system-out>"
    said = f"<{tag} message={quoteattr(result.headline)}>{escape(str(result))}</{tag}>" if tag else said
    case = f'<testcase classname="tellapart.gate" name={name}>{said}</testcase>'
    suite = f'<testsuite name="tellapart" tests="1" {counts}>{case}</testsuite>'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{suite}\n'


def annotation(result: Gate) -> str:
    """Return a workflow command that shows the decision beside the changes on GitHub."""
    title = result.headline.translate(_TITLE)
    return f"::{_LEVELS[result.decision]} title={title}::{str(result).translate(_MESSAGE)}"


_MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_TITLE = _MESSAGE | str.maketrans({":": "%3A", ",": "%2C"})


def _plain(text: str) -> str:
    return markdown(text).rstrip("\n")
