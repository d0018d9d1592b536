"""What is shown of each kind of result, and in which order: the one layout of terminal, documents, report and page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from tellapart.render import comparison, outcomes, paper, versions
from tellapart.render.sheet import Paragraph, Sheet, html, latex, markdown
from tellapart.said import spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tellapart.said import Option


def sheets(result: Any, *, everything: bool = False) -> list[Sheet | Paragraph]:  # noqa: ANN401, C901, PLR0911, PLR0912 - any result
    """Return what is shown of a result: the main parts, or with `everything` each pair, need, cut and cell."""
    match type(result).__name__:  # whose class is not imported for that: most are for other commands
        case "Comparison":
            return comparison.parts(result, everything=everything)
        case "Gate":
            return [versions.gate(result)]
        case "Trend":
            return [versions.trend(result, everything=everything)]
        case "Slices":
            return [versions.slices(result), *comparison.parts(result.overall, everything=everything)]
        case "Outcomes":
            return outcomes.parts(result, everything=everything)
        case "Estimate":
            return [comparison.estimates({"system": result})]
        case "Estimates":
            return [comparison.estimates(result.systems)]
        case "Thresholds":
            return [comparison.thresholds(result)]
        case "MetricRanking":
            from tellapart.render import metrics  # noqa: PLC0415 - likewise

            return metrics.parts(result, everything=everything)
        case "Plan" | "BudgetPlan" | "Assurance" | "ManyPlan":
            from tellapart.render import planning  # noqa: PLC0415

            return [*planning.parts(result)]
        case "DifferenceMap":
            from tellapart.render import planning  # noqa: PLC0415

            return [planning.differences(result)]
        case "Reproduction":
            return [paper.cells(result, everything=everything)]
        case "list" | "tuple":
            shown = [table for table in result if everything or table.differing]
            return [paper.reproductions(result), *(paper.cells(table, everything=everything) for table in shown)]
    return [Paragraph(str(result))]  # a simulation


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
