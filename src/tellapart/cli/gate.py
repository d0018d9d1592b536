"""Is the new version worse, and has anything changed over time?"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path  # noqa: TC003 - Typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tellapart.cli.options import (
    AnnotatorColumn,
    BadCellsChoice,
    BadCellsOption,
    BorrowChoice,
    ChartOption,
    ClusterColumn,
    FingerprintOption,
    FormatOption,
    HumanColumns,
    HumanCut,
    ItemColumn,
    KindOption,
    LabelsOption,
    LevelOption,
    MetricColumns,
    OutputOption,
    PriorOption,
    SamplingOption,
    SystemColumn,
    VotesChoice,
    VotesOption,
    WhereOption,
)
from tellapart.cli.output import check_folder, check_plot, emit, note, progress, typed, write
from tellapart.cli.output import plot as draw
from tellapart.errors import DataError, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tellapart.analysis.gate import Gate

ThresholdOption = Annotated[str | None, typer.Option("--threshold", help="Cut of a score: a rule or a number.")]
BorrowOption = Annotated[
    BorrowChoice, typer.Option("--borrow", help="What versions are taken to have in common, as for compare.")
]


def gate(  # noqa: PLR0913 - one parameter for each option
    *,
    candidate: Annotated[
        list[str], typer.Argument(help="Ratings of the new version, or its log.", metavar="CANDIDATE...")
    ],
    baseline: Annotated[
        list[str],
        typer.Option(help="Ratings of the version to compare with; or its name, where one table holds both. Repeat."),
    ],
    margin: Annotated[float, typer.Option(help="How much worse it may be: 0.02 is two points.")] = 0.0,
    history: Annotated[
        list[str] | None,
        typer.Option(help="A further version that people rated: tells how alike the judge treats versions. Repeat."),
    ] = None,
    fingerprint: FingerprintOption = None,
    labels: LabelsOption = None,
    kind: KindOption = None,
    metric: MetricColumns = None,
    system: SystemColumn = None,
    item: ItemColumn = None,
    human: HumanColumns = None,
    annotator: AnnotatorColumn = None,
    cluster: ClusterColumn = None,
    votes: VotesOption = VotesChoice.majority,
    human_cut: HumanCut = None,
    bad_cells: BadCellsOption = BadCellsChoice.error,
    where: WhereOption = None,
    threshold: ThresholdOption = None,
    sampling: SamplingOption = None,
    borrow: BorrowOption = BorrowChoice.auto,
    prior: PriorOption = "uniform",
    confidence_level: LevelOption = 0.95,
    output_format: FormatOption = None,
    output: OutputOption = None,
    plot: ChartOption = None,
    markdown: Annotated[
        Path | None, typer.Option(help="Add a comment for the pull request to this file, in Markdown.")
    ] = None,
    junit: Annotated[Path | None, typer.Option(help="Write the decision to this JUnit XML file.")] = None,
    annotate: Annotated[
        bool | None,
        typer.Option(help="Print an annotation for GitHub; by default where GITHUB_ACTIONS is set."),
    ] = None,
) -> None:
    """Is the new version worse? Pass, fail or cannot tell yet: exit code 0, 1 or 3."""
    from tellapart.data.versions import gate as decide  # noqa: PLC0415 - heavy imports inside commands

    check_plot(plot)
    for path, option in ((markdown, "--markdown"), (junit, "--junit")):
        if path is not None:
            check_folder(path, option)
    choices = _choices(
        kind=kind, metric=metric, system=system, item=item, human=human, annotator=annotator, cluster=cluster,
        fingerprint=fingerprint,
        votes=votes, human_cut=human_cut, bad_cells=bad_cells, threshold=threshold, sampling=sampling, borrow=borrow,
        prior=prior, confidence_level=confidence_level, where=where,
    )  # fmt: skip
    with progress("comparing", None):
        with _unreadable_is_misuse():
            result = decide(
                candidate if len(candidate) > 1 else candidate[0],
                baseline=baseline if len(baseline) > 1 else baseline[0],
                margin=margin,
                history=history or (),
                labels=labels,
                **choices,
            )
        str(result)
    note(*result.comparison.understood)
    _publish(
        result, markdown, junit, annotate=os.environ.get("GITHUB_ACTIONS") == "true" if annotate is None else annotate
    )
    draw(result, plot)
    with _ending(result.exit_code):
        write(result, output_format, output)


def _publish(result: Gate, markdown: Path | None, junit: Path | None, *, annotate: bool) -> None:
    """Tell the decision where programs and reviewers look for it."""
    from tellapart.render import decisions  # noqa: PLC0415

    if markdown is not None:
        before = markdown.read_text(encoding="utf-8") if markdown.exists() else ""
        emit(before + decisions.comment(result, spell=typed), markdown, option="--markdown")
    if junit is not None:
        emit(decisions.junit(result), junit, option="--junit")
    if annotate:
        typer.echo(decisions.annotation(result), err=True)


def trend(  # noqa: PLR0913 - one parameter for each option
    *,
    runs: Annotated[
        list[str], typer.Argument(help="Ratings of each run, or its log, in the order of time.", metavar="RUN...")
    ],
    error: Annotated[float, typer.Option(help="Probability of any false alarm, over all runs for ever.")] = 0.05,
    fail_on_alarm: Annotated[
        bool, typer.Option("--fail-on-alarm", help="End with exit code 1 on an alarm, and on nothing else.")
    ] = False,
    fingerprint: FingerprintOption = None,
    labels: LabelsOption = None,
    kind: KindOption = None,
    metric: MetricColumns = None,
    system: SystemColumn = None,
    item: ItemColumn = None,
    human: HumanColumns = None,
    annotator: AnnotatorColumn = None,
    cluster: ClusterColumn = None,
    votes: VotesOption = VotesChoice.majority,
    human_cut: HumanCut = None,
    bad_cells: BadCellsOption = BadCellsChoice.error,
    where: WhereOption = None,
    threshold: ThresholdOption = None,
    sampling: SamplingOption = None,
    borrow: BorrowOption = BorrowChoice.auto,
    prior: PriorOption = "uniform",
    confidence_level: LevelOption = 0.95,
    output_format: FormatOption = None,
    output: OutputOption = None,
    plot: ChartOption = None,
) -> None:
    """Has anything changed over time? The rate run by run, and alarms for the outputs and for the judge."""
    from tellapart.data.versions import trend as watch  # noqa: PLC0415

    check_plot(plot)
    choices = _choices(
        kind=kind, metric=metric, system=system, item=item, human=human, annotator=annotator, cluster=cluster,
        fingerprint=fingerprint,
        votes=votes, human_cut=human_cut, bad_cells=bad_cells, threshold=threshold, where=where,
        sampling=sampling, borrow=borrow, prior=prior, confidence_level=confidence_level,
    )  # fmt: skip
    with progress("comparing the runs", None):
        with _unreadable_is_misuse():
            result = watch(runs, error=error, labels=labels, **choices)
        str(result)
    note(*result.comparison.understood)
    draw(result, plot)
    with _ending(int(fail_on_alarm and bool(result.alarms))):
        write(result, output_format, output)


@contextmanager
def _ending(code: int) -> Iterator[None]:
    """End with an exit code, also where whoever reads the output closes it early."""
    with suppress(BrokenPipeError):
        yield
    raise SystemExit(code)


@contextmanager
def _unreadable_is_misuse() -> Iterator[None]:
    """Let exit code 1 say that a candidate is worse, or that there is an alarm, and nothing else."""
    try:
        yield
    except DataError as error:
        raise InvalidInput(*error.args) from None


def _choices(*, threshold: str | None, prior: str, **given: Any) -> dict[str, Any]:  # noqa: ANN401 - of the commands
    """Return the choices as the library takes them; what was left out is left out."""
    from tellapart import parsing  # noqa: PLC0415
    from tellapart.cli.compare import cut_rule  # noqa: PLC0415

    found = {name: getattr(value, "value", value) for name, value in given.items() if value is not None}
    return found | {"prior": parsing.prior(prior)} | ({} if threshold is None else {"threshold": cut_rule(threshold)})
