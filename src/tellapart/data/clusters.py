"""Outputs that go together, such as the segments of a document: how many of them count as one.

An estimate of a rate is a mean of what each output adds to it. Where outputs of one cluster are alike, these sums over
clusters vary more than independent outputs would; the ratio of both variances is the design effect, by which counts
are divided (Rao and Scott 1992). Where people rated nothing of a system, what its metric's levels are worth is taken
from the others. With few clusters it is not well known, which a quantile of Student's t allows for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from tellapart.data.items import truth_of, value_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from tellapart.core.evidence import Evidence
    from tellapart.data.counting import Outputs
    from tellapart.data.frames import Row
    from tellapart.data.groups import Grouping

    Floats = npt.NDArray[np.float64]
    Places = npt.NDArray[np.intp]
    Pairs = Mapping[tuple[str, str], Evidence]

_TAIL = 0.975  # where quantiles of Student's t are compared
_NOTHING = 1e-25  # less than what rounding leaves of a sum of squares


@dataclass(frozen=True)
class Clusters:
    """The column that tells which outputs go together, how many clusters there are, and each system's design effect."""

    column: str
    number: int
    effects: Mapping[str, float]


class _Parts(NamedTuple):
    """What each output of a system adds to the error of its rate, with its item and its cluster; `telling` ones do.

    `alone` are the design effects of people's share and of the metric's, each by itself.
    """

    adds: Floats
    item: Places
    cluster: Places
    rated: npt.NDArray[np.bool_]
    telling: npt.NDArray[np.bool_]
    alone: tuple[float, float]


def thinned(
    outputs: Outputs, grouping: Grouping, names: Mapping[Any, str], systems: Mapping[str, Evidence], items: Pairs
) -> tuple[Clusters, dict[str, Evidence], dict[tuple[str, str], Evidence]]:
    """Divide the counts of systems, and of pairs of systems on the same items, by their design effects."""
    column = str(outputs.roles.cluster)
    parts = _parts(outputs, grouping, names)
    number = len(np.unique(np.concatenate([part.cluster[part.rated] for part in parts.values()])))
    effects = {name: _effect(part.adds, part.cluster, part.telling) for name, part in parts.items()}
    own = {name: evidence.thinned(effects[name], parts[name].alone) for name, evidence in systems.items()}
    pairs = {pair: evidence.thinned(_paired(*(parts[name] for name in pair))) for pair, evidence in items.items()}
    return Clusters(column, number, effects), own, pairs


def _parts(outputs: Outputs, grouping: Grouping, names: Mapping[Any, str]) -> dict[str, _Parts]:
    roles, inner = outputs.roles, outputs.frame.inner
    truths = {votes: truth for votes, (truth, _) in grouping.truths.items() if truth is not None}
    said = [truth_of(outputs, truths).alias(f"{inner}truth")] if truths else []
    said += [value_of(grouping, name).alias(f"{inner}metric{j}") for j, name in enumerate(roles.metrics)]
    keys = [roles.system, str(roles.cluster), *([roles.item] if roles.item else [])]
    shown = [*keys, *([f"{inner}truth"] if truths else []), *(f"{inner}metric{j}" for j in range(len(roles.metrics)))]
    (rows,) = outputs.frame.collect([outputs.table.with_columns(*said).select(*shown)])
    places: dict[Any, int] = {}
    own: dict[str, list[tuple[Any, ...]]] = {name: [] for name in sorted(set(names.values()))}
    for i, (system, cluster, *rest) in enumerate(rows):
        if system in names:
            group = places.setdefault(("alone", i) if cluster is None else cluster, len(places))
            item, *cells = rest if roles.item else (i, *rest)
            truth, *metrics = cells if truths else (None, *cells)
            own[names[system]].append((item, group, truth, *metrics))
    items = {item: k for k, item in enumerate({row[0] for rows in own.values() for row in rows})}
    together = [row for rows in own.values() for row in rows]
    levels = {level: k for k, level in enumerate(dict.fromkeys(filter(None, map(_level, together))))}
    lent = _expected(*_said(together, levels))
    return {name: _part(rows, items, levels, lent) for name, rows in own.items()}


def _level(row: Row) -> Row | None:
    """Return what the metrics say of an output, if they all say something."""
    return None if None in row[3:] or not row[3:] else row[3:]


def _said(rows: Sequence[Row], levels: Mapping[Row, int]) -> tuple[Floats, Places]:
    """Return what people and what the metric say of outputs; of those without a rating, NaN and −1."""
    truth = np.array([np.nan if row[2] is None else row[2] for row in rows], dtype=float)
    seen = [_level(row) for row in rows]
    return truth, np.array([-1 if one is None else levels[one] for one in seen], dtype=np.intp)


def _part(rows: Sequence[Row], items: Mapping[Any, int], levels: Mapping[Row, int], lent: Floats) -> _Parts:
    truth, level = _said(rows, levels)
    item = np.array([items[row[0]] for row in rows], dtype=np.intp)
    cluster = np.array([row[1] for row in rows], dtype=np.intp)
    rated, judged = ~np.isnan(truth), level >= 0
    score = np.array([sum(_level(row) or ()) for row in rows], dtype=float)
    alone = _effect(_errors(truth, rated), cluster, rated), _effect(_errors(score, judged), cluster, judged)
    return _Parts(_adds(truth, level, lent), item, cluster, rated, rated if rated.any() else judged, alone)


def _errors(values: Floats, seen: npt.NDArray[np.bool_]) -> Floats:
    """Return by how much what is seen differs from its mean."""
    return np.asarray(np.where(seen, values - values[seen].mean() if seen.any() else 0.0, 0.0), dtype=float)


def _expected(truth: Floats, level: Places) -> Floats:
    """Return people's mean rating of outputs with each level, which of few is near that of all."""
    both = ~np.isnan(truth) & (level >= 0)
    size = np.bincount(level[both], minlength=int(level.max(initial=-1)) + 1)
    mean = np.nanmean(truth) if both.any() else 0.0
    return np.asarray((np.bincount(level[both], truth[both], minlength=len(size)) + mean) / (size + 1), dtype=float)


def _adds(truth: Floats, level: Places, lent: Floats) -> Floats:
    """Return what each output adds to the error of the rate.

    People's ratings tell the mean; where the metric rated more outputs, they tell the mean of what the metric's level
    leaves open, and all levels together the rest. Where people rated nothing, `lent` says what a level is worth.
    """
    rated, judged = ~np.isnan(truth), level >= 0
    if not rated.any():
        return _errors(lent[level] if judged.any() else truth, judged)
    if not ((rated & judged).any() and (judged & ~rated).any()):
        return np.asarray(_errors(truth, rated) / rated.sum(), dtype=float)
    expected = np.where(judged, _expected(truth, level)[level], truth[rated].mean())
    by_people = np.where(rated, truth - expected, 0.0) / rated.sum()
    return np.asarray(by_people + _errors(expected, judged) / judged.sum(), dtype=float)


def _effect(adds: Floats, cluster: Places, rated: npt.NDArray[np.bool_]) -> float:
    """Return how many outputs count as one: a cluster's where all say the same, which does not tell how alike they are.

    All of them where they are of one cluster.
    """
    alone, number, n = float(adds @ adds), len(np.unique(cluster[rated])), int(rated.sum())
    if number < 2:  # noqa: PLR2004 - clusters
        return float(max(n, 1))
    if alone < _NOTHING:
        return max(1.0, n / number)
    together = float((np.bincount(cluster, adds) ** 2).sum())
    few = [size / (size - 1) * float(stdtrit(size - 1, _TAIL)) ** 2 for size in (number, max(n, number))]
    return max(1.0, together / alone * few[0] / few[1])


def _paired(first: _Parts, second: _Parts) -> float:
    """Return the same for the difference of two systems, item by item."""
    size = 1 + max(first.item.max(), second.item.max())
    adds = np.zeros(size)
    np.add.at(adds, first.item, first.adds)
    np.subtract.at(adds, second.item, second.adds)
    cluster, rated = np.zeros(size, dtype=np.intp), np.zeros(size, dtype=bool)
    for part in (second, first):
        cluster[part.item] = part.cluster
        rated[part.item[part.rated]] = True
    return _effect(adds, cluster, rated)
