"""Systems that met in pairs: how strong each is, which were never linked, and who beats whom in a circle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_RIDGE = 1e-3  # keeps the strengths finite where systems never met
_STEPS = 100


def davidson(counts: Mapping[tuple[str, str], Sequence[float]]) -> dict[str, float]:
    """Return the strengths of systems by losses, ties and wins of the first of each pair.

    Davidson's model, Bradley and Terry's with ties: loss : tie : win = exp(s_j) : ν exp((s_i + s_j)/2) : exp(s_i). This
    is a multinomial logit model, so that the likelihood has one maximum, found by Newton's method.

    Examples
    --------
    >>> {name: round(s, 2) for name, s in davidson({("A", "B"): (10, 20, 40)}).items()}
    {'A': 0.69, 'B': -0.69}

    References
    ----------
    R. R. Davidson, On extending the Bradley-Terry model to accommodate ties, JASA 65 (1970).
    """
    names = sorted({name for pair in counts for name in pair})
    place = {name: i for i, name in enumerate(names)}
    features = np.zeros((len(counts), 3, len(names) + 1))
    for row, (a, b) in zip(features, counts, strict=True):
        row[0, place[b]] = row[2, place[a]] = 1
        row[1, [place[a], place[b], -1]] = 0.5, 0.5, 1  # the last is log ν
    seen = np.array([list(each) for each in counts.values()], dtype=float)
    n, at = seen.sum(axis=1, keepdims=True), np.zeros(len(names) + 1)
    for _ in range(_STEPS):
        logits = features @ at
        p = np.exp(logits - logits.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        slope = np.einsum("rcp,rc->p", features, n * p - seen) + _RIDGE * at
        middle = features - np.einsum("rc,rcp->rp", p, features)[:, None]
        curve = np.einsum("rcp,rc,rcq->pq", middle, n * p, middle) + _RIDGE * np.eye(len(at))
        step = np.linalg.solve(curve, slope)
        at -= step / max(1.0, np.abs(step).max())  # far from the maximum, one unit at a time
        if np.abs(step).max() < 1e-10:  # noqa: PLR2004
            break
    return dict(zip(names, (at[:-1] - at[:-1].mean()).tolist(), strict=True))


def linked_parts(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return the systems in parts that no pair links."""
    parts: list[set[str]] = []
    for pair in pairs:
        linked = [part for part in parts if part & set(pair)]
        parts = [part for part in parts if part not in linked] + [set(pair).union(*linked)]
    return sorted(map(sorted, parts))


def circle(beats: dict[str, set[str]]) -> tuple[str, ...]:
    """Return systems of which each beats the next and the last the first; nothing if there are none."""
    while beats and (losers := {name for name, others in beats.items() if not others & beats.keys()}):
        beats = {name: others for name, others in beats.items() if name not in losers}
    path = sorted(beats)[:1]
    while path:
        following = min(beats[path[-1]] & beats.keys())
        if following in path:
            return tuple(path[path.index(following) :])
        path.append(following)
    return ()
