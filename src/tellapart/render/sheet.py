"""What is shown of a result, as data: sheets and paragraphs; and their drawings."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

NOTHING = "–"
_WIDE = 11  # columns; more stand closer to each other


@dataclass(frozen=True)
class Sheet:
    """A table of words; the columns in `left` are aligned to the left, the others to the right.

    `about` says which question it answers, for those who put charts beside it. Where there is too little room, the
    columns in `spare` go, the first of them first; with the column of a `legend`, that goes from the end of the title.
    `best` are the cells of the best values, by row and column; `gone` are the columns that there was no room for.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: tuple[int, ...] = (0,)
    about: str = ""
    spare: tuple[int, ...] = ()
    legend: tuple[int, str] = (-1, "")
    best: tuple[tuple[int, int], ...] = ()
    gone: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """How wide it is on a terminal, names unbroken."""
        from rich.cells import cell_len  # noqa: PLC0415 - not needed for the other forms

        cells = [max(map(cell_len, column)) for column in zip(self.columns, *self.rows, strict=True)]
        return sum(cells) + (3 if len(cells) <= _WIDE else 1) * (len(cells) - 1) + 2

    def within(self, width: int) -> Sheet:
        """Return it without the columns that there is no room for."""
        if not self.spare or self.width <= width:
            return self
        gone, *rest = self.spare
        keep = [i for i in range(len(self.columns)) if i != gone]

        def moved(places: Sequence[int]) -> tuple[int, ...]:
            return tuple(i - (i > gone) for i in places if i != gone)

        columns, *rows = (tuple(row[i] for i in keep) for row in (self.columns, *self.rows))
        place, said = self.legend
        title = self.title.removesuffix(said) if place == gone else self.title
        less = replace(self, title=title, columns=columns, rows=tuple(rows), left=moved(self.left), spare=moved(rest))
        return replace(
            less, legend=(place - (place > gone), said), best=(), gone=(*self.gone, self.columns[gone])
        ).within(width)


@dataclass(frozen=True)
class Paragraph:
    """A sentence or more, after words that lead to it."""

    text: str
    lead: str = ""
    about: str = ""

    def __str__(self) -> str:
        """Return it as it is read."""
        return f"{self.lead} {self.text}".strip()


def rich_table(sheet: Sheet, width: int = 100) -> Table:
    """Draw a sheet for a terminal so wide."""
    sheet = sheet.within(width)
    from rich import box  # noqa: PLC0415 - not needed for the other forms
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415 - no letter of it is markup

    style = {"pad_edge": False, "title_justify": "left", "title_style": "bold", "header_style": "bold"}
    room, gap = min(len(sheet.title), 76), int(len(sheet.columns) <= _WIDE)
    table = Table(title=Text(sheet.title), min_width=room, box=box.SIMPLE_HEAD, padding=(0, gap), **style)  # type: ignore[arg-type]
    if sheet.gone:
        table.caption = Text(f"Not shown, for want of room: {', '.join(sheet.gone)}.\n")
        table.caption_justify = "left"
    for i, column in enumerate(sheet.columns):
        left = i in sheet.left
        table.add_column(Text(column), justify="left" if left else "right", overflow="fold", no_wrap=not left)
    for row in sheet.rows:
        table.add_row(*map(Text, row))
    return table


_MARKDOWN = str.maketrans({"<": "&lt;", ">": "&gt;", "&": "&amp;"} | {mark: f"\\{mark}" for mark in "\\|`[]*"})


def markdown(part: Sheet | Paragraph | str) -> str:
    """Write a part in Markdown that shows it as it is: no cell, link or HTML begins in its words."""

    def plain(text: object) -> str:
        return str(text).translate(_MARKDOWN)

    if not isinstance(part, Sheet):
        return f"{plain(part)}\n"
    rules = [":---" if i in part.left else "---:" for i in range(len(part.columns))]
    lines = ["| " + " | ".join(map(plain, row)) + " |" for row in (part.columns, rules, *part.rows)]
    return f"**{plain(part.title)}**\n\n" + "\n".join(lines) + "\n"


_LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"$\sim$", "^": r"\^{}", "−": "$-$", "–": "--", "✓": r"$\surd$", "◀": r"$\triangleleft$", "±": r"$\pm$",
    "<": "$<$", ">": "$>$", "|": "$|$", "…": r"\ldots{}", "[": "{[}", "*": "{*}",  # \\[ and \\* are commands
})  # fmt: skip
_MINUS = re.compile(r"(?<![\w$])-(?=[0-9.])")  # of a number


def latex(part: Sheet | Paragraph | str) -> str:
    """Write a sheet as a LaTeX table with rules of the booktabs package, best values in bold; words as a comment."""
    if not isinstance(part, Sheet):
        return f"% {part}\n"
    alignment = "".join("l" if i in part.left else "r" for i in range(len(part.columns)))
    cells = [list(map(_latex, row)) for row in part.rows]
    for row, column in part.best:
        cells[row][column] = rf"\textbf{{{cells[row][column]}}}"
    header, *rows = (" & ".join(row) + r" \\" for row in (map(_latex, part.columns), *cells))
    lines = [r"\begin{table}", r"\centering", rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", header, r"\midrule"]
    lines += [*rows, r"\bottomrule", r"\end{tabular}", rf"\caption{{{_latex(part.title)}}}"]
    lines += [rf"\label{{tab:{_slug(part.title)}}}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def _latex(text: str) -> str:
    return _MINUS.sub("$-$", text.translate(_LATEX))


def _slug(title: str) -> str:
    """Return the beginning of a title as a label of plain letters."""
    return re.sub(r"[^a-z0-9]+", "-", re.split("[;:,]", title)[0].lower()).strip("-") or "table"


def html(part: Sheet | Paragraph | str) -> str:
    """Write a part as an HTML table or paragraph."""
    if not isinstance(part, Sheet):
        return f"<p>{escape(str(part))}</p>"

    def row(cells: Sequence[str], tag: str) -> str:
        marks = ["" if i in part.left else ' class="number"' for i in range(len(cells))]
        tags = [tag if cell else "td" for cell in cells]  # an empty cell heads nothing
        shown = zip(cells, marks, tags, strict=True)
        return "<tr>" + "".join(f"<{tag}{mark}>{escape(cell)}</{tag}>" for cell, mark, tag in shown) + "</tr>"

    body = "\n".join(row(cells, "td") for cells in part.rows)
    caption = f"<caption>{escape(part.title)}</caption>"
    return f"<table>{caption}<thead>{row(part.columns, 'th')}</thead><tbody>\n{body}\n</tbody></table>"
