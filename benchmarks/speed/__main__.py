"""How fast is tellapart, beside its peers and its own goals? Ratios, not times, travel.

    python -m benchmarks.speed                  # everything
    python -m benchmarks.speed engine start     # some sections
    python -m benchmarks.speed engine --full    # and the error of the paper's Riemann sum, which takes minutes

Results are appended to build/speed/, and docs/speed.md is written from them. Exit code 1 if an answer of ours is
wrong, else 0, whatever the goals say: machines are noisy.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks.speed import compare, designs, document, engine, files, page, start
from benchmarks.speed.race import Run
from rich.console import Console
from rich.markup import escape
from rich.table import Table

SECTIONS = {"engine": engine, "designs": designs, "files": files, "start": start, "page": page, "compare": compare}
TO_SCREEN = Console(width=None if sys.stdout.isatty() else 150, highlight=False)
TO_STDERR = Console(stderr=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description="How fast is tellapart?")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"{', '.join(SECTIONS)}; all by default")
    parser.add_argument("--full", action="store_true", help="run the paper's Riemann sum to its end, for its error")
    options = parser.parse_args()
    if unknown := set(options.sections) - set(SECTIONS):
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    wrong = [line for name in options.sections or SECTIONS for line in measured(name, full=options.full)]
    TO_SCREEN.print(document.write_page(SECTIONS))
    return 1 if wrong else 0


def measured(name: str, *, full: bool) -> list[str]:
    """Measure a section, keep and show the result, and return what was wrong."""
    run, before = Run(full), document.facts()
    with TO_STDERR.status(name):
        SECTIONS[name].measure(run)
    if not run.wrong:
        document.keep(name, before, run)
    table = Table(title=name, title_justify="left", title_style="bold")
    for column in ("", "against", "median", "middle half", "goal", ""):
        table.add_column(column)
    for measure in run.measures:
        table.add_row(*map(escape, document.row(measure)))
    TO_SCREEN.print(table)
    for line in run.wrong:
        TO_SCREEN.print(f"[red]WRONG[/] {escape(line)}")
    return run.wrong


if __name__ == "__main__":
    sys.exit(main())
