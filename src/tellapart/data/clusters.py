"""Outputs that go together, such as the segments of a document: how many of them count as one.

An estimate of a rate is a mean of what each output adds to it. Where outputs of one cluster are alike, these sums over
clusters vary more than independent outputs would; the ratio of both variances is the design effect, by which counts
are divided (Rao and Scott 1992). With few clusters it is not well known, which a quantile of Student's t allows for.
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


@dataclass(frozen=True)
class Clusters:
    """The column that tells which outputs go together, how many clusters there are, and each system's design effect."""

    column: str
    number: int
    effects: Mapping[str, float]


class _Parts(NamedTuple):
    """What each output of a system adds to the error of its rate, with its item and its cluster."""

    adds: Floats
    item: Places
    cluster: Places
    rated: npt.NDArray[np.bool_]


def thinned(
    outputs: Outputs, grouping: Grouping, names: Mapping[Any, str], systems: Mapping[str, Evidence], items: Pairs
) -> tuple[Clusters, dict[str, Evidence], dict[tuple[str, str], Evidence]]:
    """Divide the counts of systems, and of pairs of systems on the same items, by their design effects."""
    column = str(outputs.roles.cluster)
    parts = _parts(outputs, grouping, names)
    number = len(np.unique(np.concatenate([part.cluster[part.rated] for part in parts.values()])))
    effects = {name: _effect(part.adds, part.cluster, part.rated) for name, part in parts.items()}
    own = {name: evidence.thinned(effects[name]) for name, evidence in systems.items()}
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
    return {name: _part(rows, items) for name, rows in own.items()}


def _part(rows: Sequence[Row], items: Mapping[Any, int]) -> _Parts:
    truth = np.array([np.nan if row[2] is None else row[2] for row in rows], dtype=float)
    seen = [None if None in row[3:] or not row[3:] else row[3:] for row in rows]
    levels = {level: k for k, level in enumerate(dict.fromkeys(one for one in seen if one is not None))}
    level = np.array([-1 if one is None else levels[one] for one in seen], dtype=np.intp)
    item = np.array([items[row[0]] for row in rows], dtype=np.intp)
    cluster = np.array([row[1] for row in rows], dtype=np.intp)
    return _Parts(_adds(truth, level), item, cluster, ~np.isnan(truth))


def _adds(truth: Floats, level: Places) -> Floats:
    """Return what each output adds to the error of the rate.

    People's ratings tell the mean; where the metric rated more outputs, they tell the mean of what the metric's level
    leaves open, and all levels together the rest.
    """
    rated, judged = ~np.isnan(truth), level >= 0
    both = rated & judged
    if not rated.any():
        return np.zeros(len(truth))
    known = np.where(rated, truth, 0.0)
    mean, n = known.sum() / rated.sum(), rated.sum()
    if not (both.any() and (judged & ~rated).any()):
        return np.asarray(np.where(rated, known - mean, 0.0) / n, dtype=float)
    size = np.bincount(level[both], minlength=level.max() + 1)
    given = (np.bincount(level[both], known[both], minlength=len(size)) + mean) / (size + 1)
    expected = np.where(judged, given[level], mean)
    overall = expected[judged].mean()
    by_people = np.where(rated, known - expected, 0.0) / n
    return np.asarray(by_people + np.where(judged, expected - overall, 0.0) / judged.sum(), dtype=float)


def _effect(adds: Floats, cluster: Places, rated: npt.NDArray[np.bool_]) -> float:
    """Return how many outputs count as one: all of them where they are of one cluster, which tells nothing."""
    alone, number, n = float(adds @ adds), len(np.unique(cluster[rated])), int(rated.sum())
    if number < 2:  # noqa: PLR2004 - clusters
        return float(max(n, 1))
    if not alone:
        return 1.0
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
