"""A sheet to rate: outputs of a log, drawn at random or by the judge's verdict, with an empty column for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tellapart.core.counts import whole
from tellapart.data.drawn import AT_RANDOM, BY_VERDICT, COLUMN
from tellapart.data.logs.registry import read_logs
from tellapart.data.source import ticked
from tellapart.errors import DataError, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tellapart.data.logs.model import Log

_COLUMNS = ("system", "task", "item", "epoch", "document", "input", "output")
_NAMED = ("task", "item", "epoch")


def rating_sheet(  # noqa: PLR0913 - one parameter for each choice
    paths: str | Path | Sequence[str | Path],
    *,
    n: int = 100,
    by_verdict: bool = False,
    metric: str | None = None,
    cut: float | None = None,
    seed: int = 0,
    kind: str | None = None,
) -> pl.DataFrame:
    """Draw outputs of logs for people to rate; what the judge says of them is left out.

    Parameters
    ----------
    paths : path or list of paths
        Logs, as `tellapart formats` lists them.
    n : int
        How many outputs, of all systems together.
    by_verdict : bool
        Draw half of those that the judge passed and half of those that it failed, of each system; or else items at
        random, with the outputs of all systems for each.
    metric : str, optional
        The judge, where the log has several scores.
    cut : float, optional
        A judge's score of at least this passes.
    seed : int
        Seed of the draw.
    kind : str, optional
        The format of the logs.

    Returns
    -------
    polars.DataFrame
        With an empty column `human`, and `sampling`, which says how the outputs were drawn.
    """
    log = read_logs(paths, kind)
    if log.pairs:
        raise DataError(f"{log.name}: holds pairs, and a sheet is of single outputs. Hint: give logs of outputs")
    rng = np.random.default_rng(whole("seed", seed))
    made = log.frame.with_row_index("row").filter(pl.any_horizontal(pl.col(_there(log)).is_not_null()))
    if not len(made):
        raise DataError(f"{log.name}: no output could be produced. Hint: there is nothing to rate")
    if whole("n", n) < 1:
        raise InvalidInput.rule("n", "be at least 1", n, "how many outputs people are to rate")
    how: str = AT_RANDOM
    if by_verdict:
        judge = _judge(log, metric)
        how = f"{BY_VERDICT} {judge}" + ("" if cut is None else f" >= {cut:g}")
    drawn = _by_verdict(made, n, rng, judge, cut) if by_verdict else _at_random(made, n, rng)
    rows = rng.permutation(drawn)
    kept = [column for column in _COLUMNS if column in log.frame.columns]
    sampling = pl.lit(f"{how}, seed {seed}").alias(COLUMN)
    return log.frame[rows].select(*kept, pl.lit(None, pl.String).alias("human"), sampling)


def _there(log: Log) -> list[str]:
    return ["output"] if "output" in log.frame.columns else list(log.scores) or ["item"]


def _at_random(made: pl.DataFrame, n: int, rng: np.random.Generator) -> list[int]:
    """Draw items, and take the outputs of all systems for each: people then rate the same items for all."""
    named = [column for column in _NAMED if column in made.columns]
    items = made.group_by(named, maintain_order=True).agg("row")["row"].to_list()
    rows: list[int] = []
    for index in rng.permutation(len(items)):
        if rows and len(rows) + len(items[index]) > n:
            break
        rows += items[index]
    return rows


def _by_verdict(made: pl.DataFrame, n: int, rng: np.random.Generator, judge: str, cut: float | None) -> list[int]:
    """Draw as many of the outputs that the judge passed as of those that it failed, for each system."""
    if cut is None and not set(made[judge].drop_nulls()) <= {0, 1}:
        raise InvalidInput.rule("cut", f"be given, as {ticked(judge)} is a score", cut, "for example --cut 0.5")
    passed = made.with_columns((pl.col(judge) >= (1 if cut is None else cut)).alias("passed"))
    rated = passed.filter(pl.col("passed").is_not_null()).sort("system", "passed", "row")
    strata = rated.group_by("system", "passed", maintain_order=True).agg("row")["row"].to_list()
    rows: list[int] = []
    for index, stratum in enumerate(strata):
        most = n // len(strata) + (index < n % len(strata))
        rows += [int(row) for row in rng.permutation(stratum)[:most]]
    return rows


def _judge(log: Log, metric: str | None) -> str:
    found = (metric,) if metric else log.judges if len(log.judges) == 1 else log.scores
    if len(found) != 1 or found[0] not in log.scores:
        names = ", ".join(map(ticked, log.scores)) or "none"
        raise InvalidInput.rule("metric", f"be one of the scores {names}", metric, "whose verdict decides the draw")
    return found[0]
