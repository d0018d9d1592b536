"""Who is best, which ranks are possible, and who cannot be told apart?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tellapart.core.joint import Joint


@dataclass(frozen=True)
class Standing:
    """The place of a system among those that can be relied on: P(highest rate), and an interval of its rank.

    A system that is set aside has none.
    """

    system: str
    probability_best: float | None = None
    best_rank: int | None = None
    worst_rank: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return asdict(self)


def standings(ranking: Sequence[str], joint: Joint, confidence_level: float) -> tuple[Standing, ...]:
    """Return the standing of each system in the ranking, from the distribution of its rank among them."""
    tail = (1 - confidence_level) / 2
    found = []
    for name, row in zip(ranking, joint.rank_probabilities(ranking) if ranking else (), strict=True):
        running = np.minimum(np.cumsum(row), 1.0)
        ranks = [int(np.searchsorted(running, p * (1 - 1e-12))) + 1 for p in (tail, 1 - tail)]
        found.append(Standing(name, float(row[0]), ranks[0], min(ranks[1], len(ranking))))
    return tuple(found)


def groups(ranking: Sequence[str], apart: Callable[[str, str], bool]) -> tuple[tuple[str, ...], ...]:
    """Return groups of systems of which no two can be told apart, best first; any two such systems share a group.

    First come the longest runs of the ranking. Verdicts need not follow the ranking, though, since some differences are
    known better than others: two systems that no run holds have a group with all others that are apart from neither.

    Examples
    --------
    >>> groups("ABCD", lambda a, b: {a, b} == {"A", "C"} or "D" in (a, b))
    (('A', 'B'), ('B', 'C'), ('D',))
    >>> groups("ABC", lambda a, b: (a, b) == ("A", "B"))
    (('A', 'C'), ('B', 'C'))
    """
    n = len(ranking)
    found, told, shared = [], np.zeros((n, n), dtype=bool), np.zeros((n, n), dtype=bool)
    for i, j in combinations(range(n), 2):
        told[i, j] = told[j, i] = apart(ranking[i], ranking[j])

    def add(group: list[int]) -> None:
        found.append(group)
        shared[np.ix_(group, group)] = True

    start = 0
    for stop in range(n + 1):
        last = np.flatnonzero(told[stop, start:stop]) if stop < n else np.array([stop - start - 1])
        if last.size and stop:
            add(list(range(start, stop)))
            start += int(last[-1]) + 1
    for i, j in combinations(range(n), 2):
        if not (told[i, j] or shared[i, j]):
            group = [i, j]
            for k in range(n):
                if k not in group and not told[k, group].any():
                    group.append(k)
            add(sorted(group))
    whole = [one for one in found if not any(set(one) < set(other) for other in found)]
    return tuple(tuple(ranking[i] for i in group) for group in sorted(whole))


def holm(p_values: Sequence[float], level: float) -> tuple[bool, ...]:
    """Return which hypotheses Holm's procedure rejects: the k-th smallest of n p-values must be below level/(n−k+1).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03], 0.05)
    (True, False, False)
    """
    rejected = [False] * len(p_values)
    for k, i in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        if p_values[i] >= level / (len(p_values) - k):
            break
        rejected[i] = True
    return tuple(rejected)
