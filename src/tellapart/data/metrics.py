"""Every column that might be the metric, read on the human-rated outputs, and judged there."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from tellapart.analysis.bootstrap import Rated
from tellapart.analysis.metrics import MetricRanking, Unjudged, rank_metrics
from tellapart.data import cells
from tellapart.data.choose import candidates
from tellapart.data.counting import Outputs
from tellapart.data.groups import Group, Grouping, NotLabels, systems
from tellapart.data.words import Better, Facts, alike, ranked
from tellapart.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tellapart.data.cells import Bad, Kind
    from tellapart.data.choose import Chosen, Rules
    from tellapart.data.frames import Frame
    from tellapart.data.roles import Asked

_MOST = 200  # candidates
_QUICK = 20, 20_000, 100_000, 200_000  # candidates, rated outputs, cells and rows that are judged in no time
_FAR = {"duckdb", "ibis", "pyspark", "pyspark[connect]", "sqlframe", "dask"}  # engines whose queries take theirs


def rank(frame: Frame, asked: Asked, rules: Rules, **choices: Any) -> MetricRanking:  # noqa: ANN401 - those of `rank_metrics`
    """Judge the named metrics, or all columns that might be metrics."""
    chosen, sizes = candidates(frame, asked)
    frame = frame.named(*chosen.roles.names)
    chosen = chosen.as_scores(*chosen.numbers)  # levels are cut as well
    unjudged: dict[str, Unjudged] = {
        **dict.fromkeys(sizes, "size"),
        **dict.fromkeys(chosen.unusable, "text"),
        **dict.fromkeys(_differing(frame, chosen) if chosen.roles.annotator and not asked.metrics else (), "votes"),
    }
    return _judged(frame, _without(chosen, unjudged), (rules, unjudged, bool(asked.metrics)), choices)


def _judged(
    frame: Frame, chosen: Chosen, how: tuple[Rules, dict[str, Unjudged], bool], choices: dict[str, Any]
) -> MetricRanking:
    """Read, and read again where a column that looked like labels turns out to hold scores."""
    rules, unjudged, named = how
    table, excluded, bad = _without_bad(frame, chosen, rules, named=named)
    unjudged, judged = {**unjudged, **dict.fromkeys(bad, "text")}, _without(chosen, bad)
    if not 0 < len(judged.roles.metrics) <= _MOST:
        what = f"has {len(judged.roles.metrics)} columns that might be metrics, from 1 to {_MOST} are judged"
        raise DataError(f"{frame.name}: {what}. Hint: name the metrics with --metric (metric=)")
    try:
        found = _read(table, judged, rules, excluded, choices)
    except NotLabels as other:
        return _judged(frame, chosen.as_scores(*other.args), how, choices)
    return replace(found, unjudged={**found.unjudged, **unjudged})


def _read(
    frame: Frame, chosen: Chosen, rules: Rules, excluded: Sequence[Bad], choices: dict[str, Any]
) -> MetricRanking:
    roles, grouping = chosen.roles, Grouping(frame, chosen, rules)
    outputs = Outputs.of(frame, roles, numeric=rules.human_cut is not None)
    carried = [frame.present(name).cast(nw.Int64).sum().alias(name) for name in roles.metrics]
    coverage = outputs.table.filter(~outputs.rated).select(*carried, nw.len().alias(f"{frame.inner}n"))
    queries = [outputs.groups(only_rated=True), outputs.totals(), coverage]
    rows, totals, ((*carry, unrated),) = frame.collect(queries, whole=roles.annotator is not None)
    names = systems(frame, chosen, totals)
    rated = _rated([g for g in grouping.groups(rows, names) if g.truth is not None], chosen)
    if rated.truth.all() or not rated.truth.any():
        what = "adequate" if len(rated.truth) and rated.truth[0] else "inadequate"
        which = f"all {len(rated.truth):,} human-rated outputs are {what}" if len(rated.truth) else "people rated none"
        raise DataError(f"{frame.name}: {which}. Hint: a metric can only be judged on outputs of both kinds")
    left_out = {"blank": grouping.blank, "undecided": sum(g.n for g in grouping.undecided)}
    numbers = sum(row[1] for row in totals if row[0] in names), len(set(names.values()))
    facts = Facts(frame.name, *numbers, chosen, rules, len(rated.truth), 0, left_out, tuple(excluded))
    facts = replace(facts, kept=frame.kept, unnamed=frame.unnamed, alike=alike(set(names.values())))
    counts = {name: int(n or 0) for name, n in zip(roles.metrics, carry, strict=True)}
    found = rank_metrics(rated, unrated=counts, n_unrated=int(unrated), **choices)
    return replace(found, understood=ranked(facts))


def _rated(groups: Sequence[Group], chosen: Chosen) -> Rated:
    names, times = sorted({group.system for group in groups}), [group.n for group in groups]
    place = {name: i for i, name in enumerate(names)}
    cells = np.array([group.cells for group in groups], dtype=float).reshape(-1, len(chosen.roles.metrics))
    values = {metric: np.repeat(cells[:, i], times) for i, metric in enumerate(chosen.roles.metrics)}
    system = np.repeat(np.array([place[group.system] for group in groups], dtype=np.intp), times)
    truth = np.repeat(np.array([group.truth == 1 for group in groups], dtype=bool), times)
    return Rated(names, system, truth, values, frozenset(chosen.roles.metrics) - set(chosen.scores))


def _without(chosen: Chosen, names: Iterable[str]) -> Chosen:
    aside = set(names)
    metrics = tuple(name for name in chosen.roles.metrics if name not in aside)
    return replace(chosen, roles=replace(chosen.roles, metrics=metrics), kinds={m: chosen.kinds[m] for m in metrics})


def _differing(frame: Frame, chosen: Chosen) -> list[str]:
    """Return the columns that differ between the votes on one output: notes on votes, no metrics."""
    keys, columns = [chosen.roles.system, chosen.roles.item or chosen.roles.system], chosen.roles.metrics
    if not columns:
        return []
    ends = [getattr(nw.col(c), end)().alias(f"{frame.inner}{end}_{c}") for c in columns for end in ("min", "max")]
    table = frame.table.group_by(*dict.fromkeys(keys)).agg(*ends)
    low, high = ({c: nw.col(f"{frame.inner}{end}_{c}") for c in columns} for end in ("min", "max"))
    unlike = {c: ~low[c].is_null() & (low[c] != high[c]) for c in columns}  # to pandas, nothing differs from nothing
    (row,) = frame.collect([table.select(*(e.cast(nw.Int64).sum().alias(c) for c, e in unlike.items()))])[0]
    return [column for column, n in zip(columns, row, strict=True) if n]


def _without_bad(
    frame: Frame, chosen: Chosen, rules: Rules, *, named: bool
) -> tuple[Frame, tuple[Bad, ...], list[str]]:
    """Return the table with its scores as numbers, bad cells excluded, and the columns that consist of them.

    Where bad cells are errors they are so in named columns; the others are only looked at.
    """
    excluded: tuple[Bad, ...] = ()
    strict, unreadable = rules.bad_cells == "error", []
    if not strict:
        human: Kind = "labels" if rules.human_cut is None else "ratings"
        frame, excluded = cells.exclude(frame, dict.fromkeys(chosen.roles.human, human))
    elif rules.human_cut is not None:
        frame = cells.settle_commas(frame, chosen.roles.human)
    for name, kind in chosen.kinds.items():
        if named and strict:
            frame = cells.check_numbers(frame, [name] if kind != "labels" else [])
            continue
        try:
            frame, bad = cells.exclude(frame, {name: kind})
        except DataError:
            if named:
                raise
            unreadable.append(name)
        else:
            excluded += bad
    return frame.numbers([name for name in chosen.scores if name not in unreadable], 1), excluded, unreadable


def better(frame: Frame, asked: Asked, facts: Facts) -> Better | None:
    """Return a metric worth clearly more than the one that was taken, where nobody named it and this is soon found."""
    roles = facts.chosen.roles
    columns = len(roles.others) + 1
    sizes = columns, facts.rated, columns * facts.rated, facts.rows
    far = str(frame.table.implementation) in _FAR
    if asked.metrics or not roles.others or far or any(n > most for n, most in zip(sizes, _QUICK, strict=True)):
        return None
    with suppress(DataError):
        found = rank(frame, asked, facts.rules)
        used = next((metric for metric in found.metrics if metric.name == roles.metrics[0]), None)
        if found.best and used and used.clearly_behind:
            return Better(found.best.name, found.best.worth, used.worth, found.best.unrated > 0)
    return None
