"""Options that several commands have."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    """How a result is written."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"


class SamplingChoice(StrEnum):
    """How the human-rated outputs were chosen."""

    random = "random"
    balanced = "balanced"
    by_metric = "by-metric"


class VotesChoice(StrEnum):
    """How several votes make one rating."""

    majority = "majority"
    all = "all"
    any = "any"
    mean = "mean"


class BadCellsChoice(StrEnum):
    """What becomes of cells that are neither labels nor numbers."""

    error = "error"
    exclude = "exclude"


class IntervalChoice(StrEnum):
    """Which interval is shown."""

    highest_density = "highest-density"
    equal_tailed = "equal-tailed"


class CorrectionChoice(StrEnum):
    """How verdicts allow for the number of pairs."""

    auto = "auto"
    holm = "holm"
    none = "none"


class BorrowChoice(StrEnum):
    """What systems are taken to have in common."""

    auto = "auto"
    none = "none"
    items = "items"
    rates = "rates"
    link = "link"
    shared = "shared"


class FuseChoice(StrEnum):
    """How several metrics are used together."""

    joint = "joint"
    sequential = "sequential"


FormatOption = Annotated[
    Format | None,
    typer.Option("--format", "-f", help="table (by default), json, csv, markdown or latex."),
]
DetailsOption = Annotated[
    bool,
    typer.Option("--details", help="Show all pairs, how the metric errs, what borrowing buys and all that is needed."),
]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Write to this file instead of the terminal; .csv, .json, .md or .tex tells the format if --format does "
        "not.",
    ),
]
LevelOption = Annotated[
    float, typer.Option("--confidence-level", help="Probability of the interval; 1 − γ of the paper.")
]
IntervalOption = Annotated[
    IntervalChoice,
    typer.Option("--interval", help="The shortest interval, or the one with equal tails. JSON has both."),
]
CalibrationSize = Annotated[
    str | None,
    typer.Option("--n-calibration", help="Outputs with both ratings; by default the human-rated ones."),
]
CalibrationRate = Annotated[
    float | None,
    typer.Option("--calibration-rate", help="Share of adequate ones among these, ψ; by default the rate."),
]
KnownRatesFlag = Annotated[bool, typer.Option("--known-rates", help="Take tpr and tnr as known exactly.")]
PriorOption = Annotated[
    str, typer.Option("--prior", help="uniform, jeffreys, or two numbers a,b for a Beta prior of the rate.")
]
SamplingOption = Annotated[
    SamplingChoice | None,
    typer.Option(
        "--sampling",
        help="How the human-rated outputs were chosen: by default as a column `sampling` says, or else at random.",
    ),
]
FingerprintOption = Annotated[
    str | None,
    typer.Option(
        "--fingerprint", help="Column that identifies judge and prompt; where it differs, calibration is not borrowed."
    ),
]
PlotOption = Annotated[
    Path | None, typer.Option("--plot", help="Draw the posteriors to this .svg, .png, .html or .json file.")
]
ChartOption = Annotated[
    Path | None, typer.Option("--plot", help="Draw a chart of it to this .svg, .png, .html or .json file.")
]
_COLUMNS = "Columns of a ratings file"
SystemColumn = Annotated[
    str | None, typer.Option("--system", help="Column that names the system.", rich_help_panel=_COLUMNS)
]
ItemColumn = Annotated[str | None, typer.Option("--item", help="Column that names the item.", rich_help_panel=_COLUMNS)]
HumanColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--human", help="Column of human ratings; repeat it for several annotators.", rich_help_panel=_COLUMNS
    ),
]
MetricColumns = Annotated[
    list[str] | None,
    typer.Option("--metric", help="Column of the metric or judge.", rich_help_panel=_COLUMNS),
]
AnnotatorColumn = Annotated[
    str | None,
    typer.Option("--annotator", help="Column of the annotator, where each row is one vote.", rich_help_panel=_COLUMNS),
]
ClusterColumn = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Column that says which outputs go together, such as the document: they are not independent.",
        rich_help_panel=_COLUMNS,
    ),
]
VotesOption = Annotated[
    VotesChoice, typer.Option("--votes", help="How several votes make one rating.", rich_help_panel=_COLUMNS)
]
HumanCut = Annotated[
    float | None,
    typer.Option(
        "--human-cut",
        help="Human ratings are numbers: adequate if the mean is at least this.",
        rich_help_panel=_COLUMNS,
    ),
]
BadCellsOption = Annotated[
    BadCellsChoice,
    typer.Option(
        "--bad-cells",
        help="Cells that are neither labels nor numbers are an error, or count as not rated.",
        rich_help_panel=_COLUMNS,
    ),
]
WhereOption = Annotated[
    str | None,
    typer.Option(
        "--where",
        help="Which rows to read, e.g. \"language == 'de' and year >= 2020\": columns compared with values by ==, !=, "
        "<, <=, >, >=, in; joined by and, or, not.",
        rich_help_panel=_COLUMNS,
    ),
]
_SCORES = "Metrics that are scores"
PooledCut = Annotated[
    bool,
    typer.Option(
        "--pooled/--own-cuts",
        help="One cut of a score for all systems, or one for each; --own-cuts is the paper's way and leaves nothing to "
        "borrow.",
        rich_help_panel=_SCORES,
    ),
]
LowerIsBetter = Annotated[
    bool, typer.Option("--lower-is-better", help="Small scores are the good ones.", rich_help_panel=_SCORES)
]
LevelsOption = Annotated[
    str | None,
    typer.Option(
        "--levels",
        help="Divide a score into levels instead of cutting it: auto, or how many. Whole numbers of a range of at most "
        "ten are levels as they are.",
        rich_help_panel=_SCORES,
    ),
]
FuseOption = Annotated[
    FuseChoice,
    typer.Option(
        "--fuse",
        help="Several metrics together: by their joint pattern, or one after the other as in the paper.",
        rich_help_panel=_COLUMNS,
    ),
]
Folds = Annotated[
    int,
    typer.Option(
        help="Folds of the cross-fitting; 1 lets all outputs choose and judge the cut.", rich_help_panel=_SCORES
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of the division into folds.", rich_help_panel=_SCORES)]
KindOption = Annotated[
    str | None,
    typer.Option("--as", help="The format of the logs, if their content should not decide: see tellapart formats."),
]
LabelsOption = Annotated[
    str | None,
    typer.Option(
        "--labels",
        help="A table of people's ratings, joined by system, task, item and epoch, as far as it has these columns.",
    ),
]
