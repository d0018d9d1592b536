"""Which system is better, can I tell, which metric is worth most, and where do I cut a score?"""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - Typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart.cli.options import (
    AnnotatorColumn,
    BadCellsChoice,
    BadCellsOption,
    BorrowChoice,
    ClusterColumn,
    CorrectionChoice,
    DetailsOption,
    FingerprintOption,
    Folds,
    Format,
    FormatOption,
    FuseChoice,
    FuseOption,
    HumanColumns,
    HumanCut,
    IntervalChoice,
    ItemColumn,
    KindOption,
    LabelsOption,
    LevelOption,
    LevelsOption,
    LowerIsBetter,
    OutputOption,
    PooledCut,
    PriorOption,
    SamplingChoice,
    SamplingOption,
    Seed,
    SystemColumn,
    VotesChoice,
    VotesOption,
    WhereOption,
)
from tellapart.cli.output import by_ending, check_folder, check_plot, command, emit, note, progress, typed, write
from tellapart.cli.output import plot as draw
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from tellapart.analysis.comparison import Comparison
    from tellapart.analysis.outcomes import Outcomes
    from tellapart.analysis.slices import Slices
    from tellapart.analysis.threshold import ThresholdRule

_USUAL = {"pooled": True, "lower_is_better": False, "folds": 5, "seed": 0}
_STORY = (
    "Seven systems, invented for this example, answered 1000 questions each. Between 100 and 500 answers of each were "
    "rated by people, all by an LLM judge."
)
_FILE = (
    "Ratings, one row per output; pairs, one row per two outputs; or counts, one row per system: CSV, TSV, JSON or "
    "Parquet; - is standard input. Or logs of an evaluation harness: see tellapart formats. Several are read together."
)


def compare(  # noqa: PLR0913 - one parameter for each option
    *,
    files: Annotated[list[str] | None, typer.Argument(help=_FILE, metavar="[FILE]...")] = None,
    kind: KindOption = None,
    labels: LabelsOption = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of a metric or judge, labels or scores; repeat it to use several together; none for people "
            "only.",
            rich_help_panel="Columns of a ratings file",
        ),
    ] = None,
    system: SystemColumn = None,
    item: ItemColumn = None,
    human: HumanColumns = None,
    annotator: AnnotatorColumn = None,
    cluster: ClusterColumn = None,
    fingerprint: FingerprintOption = None,
    votes: VotesOption = VotesChoice.majority,
    human_cut: HumanCut = None,
    bad_cells: BadCellsOption = BadCellsChoice.error,
    where: WhereOption = None,
    threshold: Annotated[
        str | None,
        typer.Option(
            help="Cut of scores: equal (the default), worth, youden, or a number: at least that passes.",
            rich_help_panel="Metrics that are scores",
        ),
    ] = None,
    levels: LevelsOption = None,
    fuse: FuseOption = FuseChoice.joint,
    pooled: PooledCut = True,
    lower_is_better: LowerIsBetter = False,
    folds: Folds = 5,
    seed: Seed = 0,
    by: Annotated[
        str | None,
        typer.Option(
            help="Also slice by slice: columns whose values make the slices, e.g. language,topic. Few ratings of a "
            "slice are drawn towards the whole."
        ),
    ] = None,
    unpaired: Annotated[
        bool, typer.Option("--unpaired", help="Do not compare item by item where people rated the same items.")
    ] = False,
    counts: Annotated[
        list[str] | None,
        typer.Option(
            help="A system by its counts: NAME:HUMAN[:CALIBRATION:METRIC], e.g. "
            "A:60/100:tp=42,fn=18,tn=28,fp=12:540/1000; repeat it."
        ),
    ] = None,
    sampling: SamplingOption = None,
    borrow: Annotated[
        BorrowChoice,
        typer.Option(
            help="What the systems are taken to have in common: nothing (none), the items, similar metric error rates, "
            "a line in the metric's averages (link); as much as the design allows (auto); or exactly the same error "
            "rates (shared): sharper, and wrong if they differ."
        ),
    ] = BorrowChoice.auto,
    correction: Annotated[
        CorrectionChoice,
        typer.Option(
            help="Verdicts hold for all pairs together (holm), or for each pair by itself (none); auto is holm unless "
            "systems are drawn together by a line."
        ),
    ] = CorrectionChoice.auto,
    prior: PriorOption = "uniform",
    confidence_level: LevelOption = 0.95,
    interval: Annotated[
        IntervalChoice,
        typer.Option(
            help="Of rates, the shortest interval or the one with equal tails; of differences it always has equal "
            "tails. JSON has both."
        ),
    ] = IntervalChoice.highest_density,
    output_format: FormatOption = None,
    output: OutputOption = None,
    details: DetailsOption = False,
    report: Annotated[Path | None, typer.Option(help="Write a report to this .html file.")] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            help="Draw the posteriors, or with --by the slices, to this .svg, .png, .html or .json file.",
        ),
    ] = None,
) -> None:
    """Which system is better, and can I tell? From a table of ratings, or from counts."""
    from tellapart import parsing  # noqa: PLC0415 - heavy imports inside commands
    from tellapart.analysis.comparison import compare as run  # noqa: PLC0415
    from tellapart.data.unused import refuse_unused  # noqa: PLC0415

    check_plot(plot)
    _check_report(report)
    if (not files) == (not counts):
        hint = "for example tellapart compare ratings.csv"
        rule = "be given, one of the two" if files else "be given"
        raise InvalidInput.rule("FILE or --counts", rule, " ".join(files or []) or None, hint)
    chosen: dict[str, Any] = {
        "prior": parsing.prior(prior),
        "confidence_level": confidence_level,
        "interval": interval.value,
        "correction": correction.value,
        "borrow": borrow.value,
    }
    roles = {"system": system, "item": item, "human": human or (), "metric": metric or ()}
    roles |= {"annotator": annotator, "cluster": cluster, "fingerprint": fingerprint}
    reading: dict[str, Any] = {"votes": votes.value, "human_cut": human_cut, "bad_cells": bad_cells.value}
    choices = {"pooled": pooled, "lower_is_better": lower_is_better, "folds": folds, "seed": seed}
    given = threshold is not None or choices != _USUAL
    cut = cut_rule(threshold or "equal", **choices) if given else None
    reading |= {"levels": parsing.levels(levels), "fuse": fuse.value, "paired": not unpaired, "where": where}
    reading |= {"kind": kind, "labels": labels, **roles, "threshold": cut}
    result: Comparison | Outcomes | Slices
    if not files:
        refuse_unused({"by": by, **reading})
        result = run(_from_options(counts or [], (sampling or SamplingChoice.random).value), **chosen)
    else:
        reading |= {"sampling": sampling and sampling.value}
        result = _slices(files, by, reading | chosen) if by else _compare_files(files, reading, chosen)
    show(result, output_format, output, report, details=details)
    draw(result, plot, chart="posteriors" if result.kind == "comparison" else "plot")


def _check_report(report: Path | None) -> None:
    if report is None:
        return
    from tellapart import charts  # noqa: PLC0415

    if report.suffix.lower() not in {".html", ".htm"}:
        raise InvalidInput.rule("--report", "end in .html", report.name, "for example --report report.html")
    charts.check_extra("A report")
    check_folder(report, "--report")


def cut_rule(rule: str, **choices: Any) -> ThresholdRule:  # noqa: ANN401 - what ThresholdRule takes
    """Return the rule by which scores are cut, of its name or number."""
    from tellapart.analysis.threshold import ThresholdRule  # noqa: PLC0415

    try:
        value: Any = float(rule)
    except ValueError:
        value = rule
    return ThresholdRule(value, **choices)


def _from_options(texts: list[str], sampling: Any) -> dict[str, Any]:  # noqa: ANN401 - a literal
    from tellapart import parsing  # noqa: PLC0415

    systems: dict[str, Any] = {}
    for text in texts:
        name, evidence = parsing.system(text, sampling)
        if name in systems:
            raise InvalidInput.rule("--counts", "name each system once", name, "add up the counts of a system")
        systems[name] = evidence
    return systems


def _compare_files(files: list[str], reading: dict[str, Any], chosen: dict[str, Any]) -> Comparison | Outcomes:
    from tellapart.data.files import called  # noqa: PLC0415
    from tellapart.data.pairs import Pairs  # noqa: PLC0415
    from tellapart.data.tables import read_table  # noqa: PLC0415

    with progress(f"counting {called(files[0])}", None):
        table = read_table(files, **reading)
    note(*(table.understood if isinstance(table, Pairs) else table.told(chosen["borrow"])))
    with progress("comparing", None):
        result = table.compare(**chosen)
        str(result)  # what takes long is done here, while something moves
        _ = getattr(result, "ladder", None)
    return result


def _slices(files: list[str], by: str, choices: dict[str, Any]) -> Slices:
    from tellapart.data.slicing import slices  # noqa: PLC0415

    with progress("comparing slices", None):
        result = slices(files, [name.strip() for name in by.split(",")], **choices)
        str(result)
    note(*result.overall.understood)
    return result


def show(
    result: Comparison | Outcomes | Slices,
    output_format: Format | None,
    output: Path | None,
    report: Path | None,
    *,
    details: bool = False,
) -> None:
    """Write a comparison, and its report."""
    write(result, output_format, output, everything=details)
    if report is not None:
        from tellapart.reporting import html  # noqa: PLC0415

        with progress("writing the report", None):
            page = html(result, command=command(), spell=typed)
        emit(page, report, option="--report")
        typer.echo(f"Report written to {report}", err=True)


def threshold(  # noqa: PLR0913 - one parameter for each option
    file: Annotated[
        str, typer.Argument(help="Ratings, one row per output: CSV, TSV, JSON or Parquet; - is standard input.")
    ],
    *,
    score: Annotated[str, typer.Option(help="Column of the score to cut.")],
    rule: Annotated[str, typer.Option(help="equal, worth, youden, or a number: at least that passes.")] = "equal",
    pooled: PooledCut = True,
    lower_is_better: LowerIsBetter = False,
    folds: Folds = 5,
    seed: Seed = 0,
    system: SystemColumn = None,
    item: ItemColumn = None,
    human: HumanColumns = None,
    annotator: AnnotatorColumn = None,
    votes: VotesOption = VotesChoice.majority,
    human_cut: HumanCut = None,
    bad_cells: BadCellsOption = BadCellsChoice.error,
    where: WhereOption = None,
    output_format: FormatOption = None,
    output: OutputOption = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw the ROC curves to this .svg, .png, .html or .json file.")
    ] = None,
) -> None:
    """Is my metric worth anything, and where do I cut its score? tpr, tnr, worth and AUC for each system."""
    from tellapart.data.files import called  # noqa: PLC0415
    from tellapart.data.ratings import read_ratings  # noqa: PLC0415

    check_plot(plot)
    cut = cut_rule(rule, pooled=pooled, lower_is_better=lower_is_better, folds=folds, seed=seed)
    with progress(f"reading {called(file)}", None):
        ratings = read_ratings(
            file,
            metric=score,
            threshold=cut,
            system=system,
            item=item,
            human=human or (),
            annotator=annotator,
            votes=votes.value,
            human_cut=human_cut,
            bad_cells=bad_cells.value,
            where=where,
        )
    note(*ratings.told(None))
    result = ratings.thresholds[0]

    write(result, output_format, output)
    draw(result, plot)


def metrics(  # noqa: PLR0913 - one parameter for each option
    file: Annotated[
        str, typer.Argument(help="Ratings, one row per output: CSV, TSV, JSON or Parquet; - is standard input.")
    ],
    *,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="Column to judge; repeat it for several. By default all that might be metrics.",
            rich_help_panel="Columns of a ratings file",
        ),
    ] = None,
    system: SystemColumn = None,
    item: ItemColumn = None,
    human: HumanColumns = None,
    annotator: AnnotatorColumn = None,
    votes: VotesOption = VotesChoice.majority,
    human_cut: HumanCut = None,
    bad_cells: BadCellsOption = BadCellsChoice.error,
    where: WhereOption = None,
    seed: Annotated[int, typer.Option(help="Seed of the folds and of the draws behind the intervals.")] = 0,
    confidence_level: LevelOption = 0.95,
    output_format: FormatOption = None,
    output: OutputOption = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw the worths to this .svg, .png, .html or .json file.")
    ] = None,
) -> None:
    """Which metric? All that a table has, ranked by the share of human ratings that each can replace."""
    from tellapart.data.files import called  # noqa: PLC0415
    from tellapart.data.ratings import metrics as rank  # noqa: PLC0415

    check_plot(plot)
    with progress(f"reading {called(file)}", None):
        result = rank(
            file,
            metric=metric or (),
            seed=seed,
            confidence_level=confidence_level,
            system=system,
            item=item,
            human=human or (),
            annotator=annotator,
            votes=votes.value,
            human_cut=human_cut,
            bad_cells=bad_cells.value,
            where=where,
        )
    note(*result.understood)
    write(result, output_format, output)
    draw(result, plot)


def demo(
    *,
    output_format: FormatOption = None,
    output: OutputOption = None,
    details: DetailsOption = False,
    report: Annotated[Path | None, typer.Option(help="Write a report to this .html file.")] = None,
) -> None:
    """Show me, now, without data: seven systems, 1000 items, human ratings, an LLM judge and a score."""
    from importlib.resources import as_file, files  # noqa: PLC0415

    from tellapart.data.ratings import read_ratings  # noqa: PLC0415

    _check_report(report)
    with as_file(files("tellapart").joinpath("data/example.csv")) as path:
        ratings = read_ratings(path, name="the built-in example")
    prose = (output_format or by_ending(output)) is Format.table
    if prose:
        note(_STORY, *ratings.understood)
    show(ratings.compare(), output_format, output, report, details=details)
    if prose:
        note("Next: tellapart compare your-ratings.csv --report report.html")
