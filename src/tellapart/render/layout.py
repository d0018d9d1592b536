"""What is shown of each kind of result, and in which order: the one layout of terminal, documents, report and page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from tellapart.render import comparison, metrics, outcomes, paper, planning, versions
from tellapart.render.sheet import Paragraph, Sheet, html, latex, markdown
from tellapart.said import spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tellapart.analysis.result import Kind
    from tellapart.said import Option

# Of a result, and whether each pair, need, cut and cell is wanted
_PARTS: Mapping[Kind, Callable[[Any, bool], Sequence[Sheet | Paragraph]]] = {
    "assurance": lambda found, _: planning.assurance(found),
    "budget": lambda found, _: planning.budget(found),
    "comparison": lambda found, everything: comparison.parts(found, everything=everything),
    "estimate": lambda found, _: [comparison.estimates({"system": found})],
    "estimates": lambda found, _: comparison.each(found),
    "gate": lambda found, _: [versions.gate(found)],
    "many": lambda found, _: planning.many(found),
    "map": lambda found, _: [planning.differences(found)],
    "metrics": lambda found, everything: metrics.parts(found, everything=everything),
    "outcomes": lambda found, everything: outcomes.parts(found, everything=everything),
    "plan": lambda found, _: planning.plan(found),
    "reproduction": lambda found, everything: [paper.cells(found, everything=everything)],
    "reproductions": lambda found, everything: paper.parts(found, everything=everything),
    "simulation": lambda found, _: [Paragraph(str(found))],
    "slices": lambda found, all_: [versions.slices(found), *comparison.parts(found.overall, everything=all_)],
    "thresholds": lambda found, _: comparison.thresholds(found),
    "trend": lambda found, everything: [versions.trend(found, everything=everything)],
}


def sheets(result: Any, *, everything: bool = False) -> list[Sheet | Paragraph]:  # noqa: ANN401 - any result
    """Return what is shown of a result: the main parts, or with `everything` each pair, need, cut and cell."""
    return [*_PARTS[result.kind](result, everything)]


_FIRST = ("groups", "systems", "pairs")  # what stands before the cautions


def arranged(
    results: Sequence[Any], *, everything: bool = False, spell: Callable[[Option], str] = str
) -> list[Sheet | Paragraph]:
    """Return what is shown of results in the order of reading: what is told, what to distrust, what is next."""
    found = [part for result in results for part in sheets(result, everything=everything)]
    warnings = getattr(results[0], "warnings", ())
    distrust = [Paragraph(spelled(warning.said, spell), "Caution:", "caution") for warning in warnings]
    first, rest = ([part for part in found if (part.about in _FIRST) == ahead] for ahead in (True, False))
    return [*first, *distrust, *rest]


def notebook(result: Any) -> str:  # noqa: ANN401 - any result
    """Return a result as HTML for a notebook: what it means, the parts and cautions, the signature."""
    return "\n".join(map(html, (str(result), *arranged([result]), result.signature)))


def document(result: Any, form: Literal["latex", "markdown"], *, everything: bool = False) -> str:  # noqa: ANN401
    """Return a result as LaTeX or Markdown: what it means, the parts and cautions, the signature."""
    draw = latex if form == "latex" else markdown
    return "\n".join(map(draw, (str(result), *arranged([result], everything=everything), result.signature)))
