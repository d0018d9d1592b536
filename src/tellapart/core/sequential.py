"""Has a rate changed on the way? An e-process: evidence that may be looked at after every run, for ever.

Of runs with k_t of n_t successes, the null hypothesis is one rate for all. The alternative is one that changes before
run c, with weights 1/(c(c−1)) for c = 2, 3, … and Jeffreys' prior for the rates before and after: its predictive
probability Q of all runs so far is one of a stochastic process. Divided by the largest probability that any constant
rate gives them, it is at most Q/P for the true rate, a martingale of mean 1. So whatever the constant rate is, the
probability that the ratio ever reaches 1/α is at most α (Ville; universal inference, Wasserman et al. 2020).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import betaln, logsumexp, xlogy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tellapart.core.quadrature import Floats, Indices


class Process(NamedTuple):
    """The log of the evidence for a change after every run, and before which run it would likeliest have been."""

    logs: Floats
    changes: Indices


def process(positives: Sequence[int], totals: Sequence[int]) -> Process:
    """Return the e-process of runs with so many successes each."""
    k, n = (np.concatenate([[0], np.cumsum(part)]) for part in (positives, totals))
    logs, changes = [], []
    for t in range(1, len(k)):
        c = np.arange(2, t + 1)
        before, after = _predicted(k[c - 1], n[c - 1]), _predicted(k[t] - k[c - 1], n[t] - n[c - 1])
        changed = before + after - np.log(c * (c - 1.0))
        same = _predicted(k[t], n[t]) - np.log(t)  # the weights of all later changes
        largest = xlogy(k[t], k[t]) + xlogy(n[t] - k[t], n[t] - k[t]) - xlogy(n[t], n[t])
        logs.append(float(logsumexp(np.append(changed, same))) - float(largest))
        changes.append(int(c[changed.argmax()]) if len(c) else 1)
    return Process(np.array(logs), np.array(changes))


def _predicted(k: Floats, n: Floats) -> Floats:
    """Return the log of the probability of k successes in n trials, in their order, with Jeffreys' prior."""
    found: Floats = betaln(k + 0.5, n - k + 0.5) - betaln(0.5, 0.5)
    return found
