"""Results as parts of words for terminal, Markdown, LaTeX, HTML and the page; as rows of numbers for CSV and frames."""

from tellapart.render.layout import arranged, document, notebook, sheets
from tellapart.render.rows import flat, frame, rows, to_csv
from tellapart.render.sheet import Paragraph, Sheet, html, latex, markdown, rich_table

__all__ = [
    "Paragraph",
    "Sheet",
    "arranged",
    "document",
    "flat",
    "frame",
    "html",
    "latex",
    "markdown",
    "notebook",
    "rich_table",
    "rows",
]
__all__ += ["sheets", "to_csv"]
