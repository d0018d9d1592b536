"""The log-likelihood of the rate given the ratings of one metric.

Both functions take the rate and its complement 1 − rate, so that nothing is lost near either end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from tellapart.core.interpolant import Interpolant
from tellapart.core.pass_rate import by_pass_rate
from tellapart.core.quadrature import EPSILON, TINY, Floats, Indices
from tellapart.core.special import (
    binomial_deviance,
    log_binomial_pmf,
    log_chooses,
    log_multichoose,
    log_multichooses,
)
from tellapart.core.sums import log_sum

LogLikelihood = Callable[[Floats, Floats], Floats]
_FULL_SUM_UP_TO = 3000  # beyond this the interpolant is faster
_FAINTEST = -300.0  # logs below this, relative to the peak, may have lost terms to underflow
_STEEPEST = 1e4
_LONGEST_ROW = 600.0  # of terms that are summed as one: so many logs from its first to its last, at the most


def known_rates(
    counts: Sequence[int], adequate: Sequence[float | Floats], inadequate: Sequence[float | Floats]
) -> LogLikelihood:
    """Return log Binom(m; n, p) up to a constant, p = αρ + (1−α)(1−η): a binary metric whose rates are known.

    `counts`, `adequate` and `inadequate` hold: rated 0, rated 1; and the probabilities of these,
    one each or arrays that fit the rates.
    """
    total = sum(counts)

    def log_likelihood(rate: Floats, complement: Floats) -> Floats:
        q, p = (np.maximum(rate * r + complement * s, TINY) for r, s in zip(adequate, inadequate, strict=True))
        return -binomial_deviance(float(counts[1]), total, p, q)

    return log_likelihood


def estimated_rates(  # noqa: PLR0913 - what is known beforehand
    counts: Sequence[int],
    adequate: Sequence[float],
    inadequate: Sequence[float],
    *,
    shape: tuple[float, float] | None = None,
    drawn: tuple[int, int] = (0, 0),
    full_sum_up_to: int = _FULL_SUM_UP_TO,
) -> LogLikelihood:
    """Return log E[Π_k (α ρ_k + (1−α) σ_k)^{m_k}] with ρ ~ Dirichlet(adequate), σ ~ Dirichlet(inadequate).

    With t the latent number of adequate outputs among the n rated ones,

        L(α) = Σ_t Binom(t; n, α) · P(m₁..m_K | t),

    and P(m | t), a ratio of beta-binomials, is so smooth in t that an interpolant through a hundred values of t knows
    it at every t. The cost does not grow with n.

    With two levels there is a quicker way; where it does not pass its checks, this one is taken.

    `shape`, where this is the only metric, are the Beta parameters of the rate before it: P(m | t) is then worked out
    only for the t that count.

    `drawn` are n₁ adequate and n₀ inadequate outputs that were taken out of n₁ + n + n₀ beforehand, so many of either
    kind on purpose: then n₁ + t is the binomial count, of all of them.
    """
    if sum(counts) + sum(drawn) <= full_sum_up_to:
        return _mixture(_full_chance(counts, adequate, inadequate), drawn[0], sum(counts) + sum(drawn))
    summed = cache(lambda: by_latent_count(counts, adequate, inadequate, shape, drawn))
    binary = len(counts) == 2 and not any(drawn)  # noqa: PLR2004
    quick = by_pass_rate(counts, adequate, inadequate, shape) if binary else None
    if quick is None:
        return summed()

    def log_likelihood(rate: Floats, complement: Floats) -> Floats:
        nonlocal quick
        if quick is not None:
            value, resolved = quick(rate, complement)
            if resolved.all():
                return value
            quick = None  # what did pass may have done so by chance, and the next values would hardly do better
        return summed()(rate, complement)

    return log_likelihood


def by_latent_count(
    counts: Sequence[int],
    adequate: Sequence[float],
    inadequate: Sequence[float],
    shape: tuple[float, float] | None = None,
    drawn: tuple[int, int] = (0, 0),
) -> LogLikelihood:
    """Return the same as `estimated_rates` by sums over t, for any number of levels."""
    n = sum(counts)
    first, total = drawn[0], n + sum(drawn)
    levels = [_Level(*level) for level in zip(counts, adequate, inadequate, strict=True)]
    before = None if shape is None else _Level(total, *shape)
    chance = _smooth_chance(levels, None if before is None else lambda t: before.log_weight(first + t))
    noise = rounding_noise(n, sum(adequate), sum(inadequate))
    breaks = (counts[-1], n - counts[-1])

    def log_likelihood(rate: Floats, complement: Floats) -> Floats:
        p, q = np.maximum(rate, TINY), np.maximum(complement, TINY)

        def term(i: Indices, t: Floats) -> Floats:
            return log_binomial_pmf(first + t, total, p[i][:, None], q[i][:, None]) + chance(t)

        peak, width = np.clip(total * p - first, 0, n), np.sqrt(total * p * q)
        return log_sum(term, np.zeros_like(p), np.full_like(p, n), peak=peak, width=width, breaks=breaks, noise=noise)

    return log_likelihood


def _mixture(log_chance: Floats, first: int, n: int) -> LogLikelihood:
    """Return log Σ_t Binom(t; n, α) exp(log_chance[t − first]) by summing every term."""
    constant = log_chooses(n)[first : first + len(log_chance)] + log_chance

    def log_likelihood(rate: Floats, complement: Floats) -> Floats:
        log_p, log_q = (np.log(np.maximum(r, TINY)) for r in (rate, complement))
        x = log_p - log_q
        value: Floats = _log_power_series(x, constant) + first * x + n * log_q
        return value

    return log_likelihood


def _log_power_series(x: Floats, constant: Floats) -> Floats:
    """Return log Σ_t exp(constant_t + x t) for each x, t = 0, 1, …, with two exponentials for each √n of the terms.

    With t = ah + b, b < h, it is Σ_a e^{xah} Σ_b e^{constant_t} e^{xb}. Every factor is taken relative to its largest
    value; rows are so short that nothing that counts can underflow.
    """
    size = len(constant)
    h = int(np.clip(_LONGEST_ROW / np.abs(x).max(initial=TINY), 1, np.ceil(np.sqrt(size))))
    rows = np.full((-(-size // h), h), -np.inf)
    rows.flat[:size] = constant
    tops = rows.max(axis=1)
    behind = np.maximum(x, 0.0) * (h - 1)  # what the last of a row may have more than the first
    within = np.exp(np.multiply.outer(np.arange(float(h)), x) - behind)
    logs = np.multiply.outer(np.arange(0.0, size, h), x) + tops[:, None]
    best = logs.max(axis=0, initial=-np.inf)
    # einsum, as a product of matrices may be handed to threads, which wait for one another on a busy machine
    sums = np.einsum("ab,bi->ai", np.exp(rows - tops[:, None]), within)
    value: Floats = best + behind + np.log((np.exp(logs - best) * sums).sum(axis=0))
    return value


def _full_chance(counts: Sequence[int], adequate: Sequence[float], inadequate: Sequence[float]) -> Floats:
    """Return log P(m₁..m_K | t), up to a constant, for every t = 0..n: the sum in full."""
    levels = [_Level(*level).log_weights() for level in zip(counts, adequate, inadequate, strict=True)]
    weights = levels[0]
    for level in levels[1:]:
        weights = _log_convolve(weights, level)
    return weights - _Level(sum(counts), sum(adequate), sum(inadequate)).log_weights()


def _log_convolve(first: Floats, second: Floats) -> Floats:
    """Return log of the convolution of exp(first) and exp(second), accurate relative to each value.

    Plain products of exponentials underflow far from the peak, where a steep prior may put the whole answer. Tilting
    both by e^{θx} moves the peak and cancels exactly; each value is taken from the tilt that shows it best.
    """
    size = len(first) + len(second) - 1
    x = np.arange(size, dtype=float)
    result, shown = np.empty(size), np.full(size, -np.inf)
    tilt = 0.0
    for _ in range(size):
        one, two = first + tilt * x[: len(first)], second + tilt * x[: len(second)]
        top = one.max() + two.max()
        with np.errstate(divide="ignore"):
            logs = np.log(np.convolve(np.exp(one - one.max()), np.exp(two - two.max())))
        better = logs > shown
        shown[better], result[better] = logs[better], (logs + top - tilt * x)[better]
        hidden = np.flatnonzero(shown < _FAINTEST)
        if not hidden.size:
            break
        tilt = _tilt(first, second, int(hidden[len(hidden) // 2]))
    return result


def _tilt(first: Floats, second: Floats, target: int) -> float:
    """Find θ for which the tilted convolution peaks near `target`, by bisection on the tilted peaks."""
    x, y = np.arange(len(first)), np.arange(len(second))
    low, high = -_STEEPEST, _STEEPEST
    for _ in range(40):
        tilt = 0.5 * (low + high)
        if np.argmax(first + tilt * x) + np.argmax(second + tilt * y) < target:
            low = tilt
        else:
            high = tilt
    return 0.5 * (low + high)


def rounding_noise(n: int, adequate: float, inadequate: float) -> float:
    """Bound the rounding error of a log-likelihood: digits that no tolerance may ask for."""
    return 8 * EPSILON * float(log_multichoose(np.full(2, float(n)), np.array([adequate, inadequate])).sum() + 1)


def _smooth_chance(
    levels: Sequence[_Level], log_weight: Callable[[Floats], Floats] | None
) -> Callable[[Floats], Floats]:
    """Return log P(m₁..m_K | t) as a function of t, up to a constant: levels are merged one after another."""
    chance: Callable[[Floats], Floats] = np.zeros_like
    merged = levels[0]
    for level in levels[1:]:
        last = level is levels[-1]
        chance = _merge(merged, level, chance, log_weight=log_weight if last else None)
        merged = merged.with_(level)
    return chance


class _Level:
    """`count` outputs of a level (or of several merged), of which x are adequate: weight (a ⦂ x)(b ⦂ count − x)."""

    def __init__(self, count: int, a: float, b: float) -> None:
        self.count, self.a, self.b = count, a, b

    def with_(self, other: _Level) -> _Level:
        """Merge two levels into one."""
        return _Level(self.count + other.count, self.a + other.a, self.b + other.b)

    def log_weights(self) -> Floats:
        """Return the log weights of x = 0..count."""
        return log_multichooses(self.count, self.a) + log_multichooses(self.count, self.b)[::-1]

    def log_weight(self, x: Floats) -> Floats:
        both = log_multichoose(np.array([x, self.count - x]), np.reshape([self.a, self.b], (2, *[1] * x.ndim)))
        return np.asarray(both[0] + both[1])

    def odds(self, x: Floats) -> tuple[Floats, Floats]:
        """Return numerator and denominator of weight(x + ½) / weight(x − ½), nearly."""
        y = self.count - x
        return np.maximum(x + self.a - 0.5, 0) * (y + 0.5), (x + 0.5) * np.maximum(y + self.b - 0.5, 0)

    def bend(self, x: Floats) -> Floats:
        """Return −(log weight)'' nearly."""
        y = self.count - x
        return (
            1 / (x + 0.5)
            - 1 / np.maximum(x + self.a - 0.5, 0.25)
            + 1 / (y + 0.5)
            - 1 / np.maximum(y + self.b - 0.5, 0.25)
        )


def _merge(
    merged: _Level,
    level: _Level,
    chance: Callable[[Floats], Floats],
    *,
    log_weight: Callable[[Floats], Floats] | None,
) -> Interpolant:
    """Add a level: P(m₁..m_k | t) = Σ_j weight_k(j) weight(t−j) P(m₁..m_{k−1} | t−j) / weight_merged(t)."""
    both = merged.with_(level)
    noise = rounding_noise(both.count, both.a, both.b)
    first = chance is np.zeros_like  # later levels meet the kinks of earlier ones

    def log_chance(t: Floats) -> Floats:
        low, high = np.maximum(0, t - merged.count), np.minimum(level.count, t)
        peak, width = _locate(level, merged, t, low=low, high=high)

        def term(i: Indices, j: Floats) -> Floats:
            rest = t[i][:, None] - j
            return level.log_weight(j) + merged.log_weight(rest) + chance(rest)

        return log_sum(term, low, high, peak=peak, width=width, analytic=first, noise=noise) - both.log_weight(t)

    breaks = (merged.count, level.count)
    return Interpolant(log_chance, both.count, breaks=breaks, tolerance=1e-11 + noise, log_weight=log_weight)


def _locate(level: _Level, merged: _Level, t: Floats, *, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Find by bisection where level.weight(j) · merged.weight(t−j) peaks, and over what distance it changes there."""

    def odds(j: Floats) -> tuple[Floats, Floats]:
        up, down = level.odds(j)
        rest_up, rest_down = merged.odds(t - j)
        return up * rest_down, down * rest_up

    left, right = low, high
    for _ in range(18):  # a hint needs no more
        middle = 0.5 * (left + right)
        up, down = odds(middle)
        rising = up > down
        left, right = np.where(rising, middle, left), np.where(rising, right, middle)
    peak = 0.5 * (left + right)
    up, down = odds(peak)
    slope = np.abs(np.log(np.maximum(up, TINY)) - np.log(np.maximum(down, TINY)))
    bend = np.maximum(level.bend(peak) + merged.bend(t - peak), 1e-30)
    return peak, np.minimum(np.minimum(1 / np.sqrt(bend), 3 / np.maximum(slope, 1e-30)), high - low + 1)
