"""Mean and standard deviation of the rate alone, without its distribution: for tables and maps of many designs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

from tellapart.core.gauss import jacobi_rule
from tellapart.core.lattice import combine, lay
from tellapart.core.posterior import level_parameters, rate_posterior, rated_by_metrics, shape
from tellapart.core.prior import PRIORS
from tellapart.core.quadrature import EPSILON, SUM_DROP, TINY, zoom
from tellapart.core.special import log_multichoose
from tellapart.core.sums import sum_rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from tellapart.core.evidence import Evidence
    from tellapart.core.prior import Prior
    from tellapart.core.quadrature import Floats

Moments = tuple[float, float]

_SIZES = 8, 12, 18, 27, 40  # of Gauss rules, until one says the same as the one before
_HOPELESS = 1e-5  # between two of these: the larger ones will not say the same either
_GRID, _SEEN = 48, 12  # points to zoom in with, and how many of them must count
_POINTS, _AT_PEAK = 50, 6  # of the first lattice; among those within a factor of ten of the largest
_STEEPEST, _FAINTEST = 600.0, 1e-20  # then what underflows, below e⁻⁷⁰⁰, cannot count
_AGREE = 1e-9  # between a lattice and every second point of it: the error of the whole is far smaller
_MOST_TRIES, _MOST_PRODUCTS, _MOST_POINTS = 12, 3e6, 2e4


def moments(evidence: Evidence, prior: Prior = PRIORS["uniform"]) -> Moments:
    """Return mean and standard deviation of the posterior of the rate, as `rate_posterior` has them but sooner.

    For a binary metric with estimated rates they are those of the mixture Σ_t w_t Beta(a+t, b+n−t) of docs/theory.md,
    by Gauss rules or summed on a lattice, which check themselves. What fails the checks, and all other evidence, goes
    to `rate_posterior`.

    Examples
    --------
    >>> from tellapart.core.counts import Tally
    >>> from tellapart.core.evidence import Evidence
    >>> mean, sd = moments(Evidence.of((60, 100)))
    >>> round(mean, 4), round(sd, 4)
    (0.598, 0.0483)
    """
    a, b = shape(evidence, prior)
    rated = rated_by_metrics(evidence)
    found = None
    if not rated:
        found = _of_mixture((a, b), 0, np.zeros(1), np.ones(1))
    elif len(rated) == 1 and rated[0].confusion is not None and not evidence.drawn.total:
        inadequate, adequate = level_parameters(rated[0], prior)
        found = _Latent(np.array([rated[0].own.metric_only, adequate, inadequate], dtype=float), (a, b)).moments()
    if found is None:
        density = rate_posterior(evidence, prior)
        found = density.mean, density.sd
    return found


def _of_mixture(rate: tuple[float, float], n: float, t: Floats, weights: Floats) -> Moments:
    """Return the moments of Σ w_t Beta(a+t, b+n−t): the variance within the components and that between them."""
    (a, b), shares = rate, weights / weights.sum()
    total = a + b + n
    offset = t - t[weights.argmax()]
    mean_offset = float(shares @ offset)
    within = (a + t) * (b + n - t) / (total + 1)
    mean = (a + t[weights.argmax()] + mean_offset) / total
    return float(mean), float(np.sqrt(np.maximum(shares @ (within + (offset - mean_offset) ** 2), 0)) / total)


def _agree(first: Moments, second: Moments, *, tolerance: float = _AGREE) -> bool:
    rounded = abs(first[0] - second[0]) - EPSILON  # of means near 1
    return max(rounded, abs(first[1] - second[1])) <= tolerance * first[1]


@dataclass(frozen=True)
class _Latent:
    """The latent counts x_k of adequate outputs among the m_k of either level, t their sum, n that of the m_k.

        w(x₀, x₁) ∝ Π_k (a_k ⦂ x_k)(b_k ⦂ m_k − x_k) · (a ⦂ t)(b ⦂ n−t) / ((A ⦂ t)(B ⦂ n−t))

    `levels` has rows m, a_k, b_k (with sums n, A, B) and `rate` is a, b; (a ⦂ x) stands for "a multichoose x".
    """

    levels: Floats
    rate: tuple[float, float]

    @property
    def n(self) -> float:
        return float(self.levels[0].sum())

    def moments(self) -> Moments | None:
        """Return the moments, or nothing where no rules, lattice or panels are known to be accurate."""
        flat = (self.levels[1:] == 1).all(axis=0)
        smooth = min(*self.rate, *self.levels[1:].flat) >= 1
        if smooth and flat.all():
            return self._by_panels()
        found = self._by_rules()
        return self._by_lattice() if found is None and smooth and not flat.any() else found

    def _by_rules(self) -> Moments | None:
        """Integrate with larger and larger Gauss rules: quick where people rated what calibrates the metric."""
        found = self._by_rule(_SIZES[0])
        for size in _SIZES[1:]:
            before, found = found, self._by_rule(size)
            if _agree(found, before):
                return found
            if not _agree(found, before, tolerance=_HOPELESS):
                break
        return None

    def _by_rule(self, size: int) -> Moments:
        """Integrate over the share of level 0 and those of the adequate within either level, by three Gauss rules.

        Without its factor of t the weight is that of a Dirichlet distribution over the table of classes by levels: the
        three shares have independent Beta distributions, and no latent count is left. The factor makes it
        α^(a−A) (1−α)^(b−B) times that, which hardly varies if both count the same ratings.
        """
        sizes, (a, b) = self.levels.sum(axis=0), self.levels[1:]
        share, within = sizes / sizes.sum(), a / (a + b)
        firsts, seconds = np.column_stack([sizes, self.levels[1:]])
        offsets, vectors = jacobi_rule(firsts, seconds, size)
        x, y, z = offsets[0][:, None, None], offsets[1][:, None], offsets[2]
        # offsets from the mean, or narrow distributions would lose their digits
        offset = share[0] * y + share[1] * z + x * (within[0] - within[1] + y - z)
        rate, complement = share @ within + offset, share @ (b / (a + b)) - offset
        one, two, three = vectors[:, 0] ** 2
        weights = np.multiply.outer(one, np.outer(two, three)) * self._rated_by_people(rate, complement)
        weights /= weights.sum()
        mean_offset = (weights * offset).sum()
        return float(share @ within + mean_offset), float(np.sqrt((weights * (offset - mean_offset) ** 2).sum()))

    def _rated_by_people(self, rate: Floats, complement: Floats) -> Floats:
        """Return α^(a−A) (1−α)^(b−B), at most 1."""
        powers = np.subtract(self.rate, self.levels[1:].sum(axis=1))
        logs = sum(power * np.log(np.maximum(x, TINY)) for power, x in zip(powers, (rate, complement), strict=True))
        value: Floats = np.exp(logs - logs.max())
        return value

    def _by_panels(self) -> Moments | None:
        """Sum over t alone: without calibration Σ over x of the factors is min(t, m₀, m₁, n−t) + 1."""
        n, least = self.n, float(self.levels[0].min())

        def chance(t: Floats) -> Floats:
            value: Floats = np.log(np.minimum(np.minimum(t, n - t), least) + 1)
            return value

        def rough(u: Floats) -> Floats:
            t = np.clip((n + 1) * expit(u) - 0.5, 0, n)
            return chance(t) + self._rough_weight(t)

        u, _ = _zoom(rough, np.linspace(-1, 1, _GRID) * np.log(4 * n + 4))
        ends = np.clip(np.rint((n + 1) * expit(u)), 0, n + 1)
        found = []
        for some in (ends, ends[::2]):
            edges = np.unique([*some, ends[-1], *np.clip([least, n - least], ends[0], ends[-1])])
            t, weights = sum_rule(edges[:-1], edges[1:] - 1)
            logs = chance(t) + self._log_weight(t)
            found.append(_of_mixture(self.rate, n, t.ravel(), (weights * np.exp(logs - logs.max())).ravel()))
        return found[0] if _agree(*found) else None

    def _by_lattice(self) -> Moments | None:
        """Sum on a lattice that grows until nothing is cut off, and becomes finer until fewer points say the same."""
        theta, mode, window, stride = self._locate()
        limits = np.array([np.zeros(2), self.levels[0]])
        held = np.zeros((2, 2), dtype=bool)
        for _ in range(_MOST_TRIES):
            h = 1.0 if stride < 2 or held.all() else stride  # noqa: PLR2004 - every integer rather than more points
            sizes = np.ptp(window, axis=0) / h + 1
            if sizes.prod() > _MOST_PRODUCTS or sizes.sum() > _MOST_POINTS:
                break
            x, h = lay(window, mode, h, held)
            t = x[0][0] + x[1][0] + h * np.arange(len(x[0]) + len(x[1]) - 1)
            factors, g = [self._factor(k, x[k], theta, mode[k]) for k in (0, 1)], self._tilted_weight(t, theta, mode)
            weights, cut = combine(factors, g, h, held)
            if not (g.max() < np.exp(_STEEPEST) and weights.max() > _FAINTEST):
                break
            cut &= ~held & ((window != limits) | (h > 1))
            if (cut & (window != limits)).any():
                window = np.clip(np.where(cut, 2 * window - mode + [[-4], [4]], window), *limits)
            elif cut.any():
                held = cut | held
            else:
                found = _of_mixture(self.rate, self.n, t, weights)
                if h == 1:
                    return found
                fewer, _ = combine([f[::2] for f in factors], g[::2], 2 * h, held)
                seen = min(np.count_nonzero(f > 0.1 * f.max()) for f in (*factors, weights))
                if seen >= _AT_PEAK and _agree(found, _of_mixture(self.rate, self.n, t[::2], fewer)):
                    return found
                stride /= 2
        return None

    def _factor(self, k: int, x: Floats, theta: float, mode: float) -> Floats:
        """Return the factor of level k, tilted by e^{−θx} so that it peaks where the whole does."""
        count, a, b = self.levels[:, k]
        logs = log_multichoose(np.array([x, count - x]), np.array([[a], [b]])).sum(axis=0) - theta * (x - mode)
        factor: Floats = np.exp(logs - logs.max())
        return factor

    def _tilted_weight(self, t: Floats, theta: float, mode: Floats) -> Floats:
        """Return the factor that depends on t only, tilted by e^{θt} and 1 at the peak."""
        logs = self._log_weight(t) + theta * (t - mode.sum())
        weight: Floats = np.exp(np.minimum(logs - logs[np.abs(t - mode.sum()).argmin()], _STEEPEST))
        return weight

    def _log_weight(self, t: Floats) -> Floats:
        """Return the log of the factor that depends on t only."""
        _, a, b = self.levels.sum(axis=1)
        parameters = np.reshape([*self.rate, a, b], (4, *[1] * t.ndim))
        logs = log_multichoose(np.array([t, self.n - t] * 2), parameters)
        value: Floats = logs[0] + logs[1] - logs[2] - logs[3]
        return value

    def _rough_weight(self, t: Floats) -> Floats:
        _, a, b = self.levels.sum(axis=1)
        return _rough(t, self.n, *self.rate) - _rough(t, self.n, a, b)

    def _locate(self) -> tuple[float, Floats, Floats, float]:
        """Return tilt and place of the peak, the window that holds all that counts, and a first stride.

        Where the weight peaks for a given t both factors have the same slope θ, so θ tells x₀ and x₁.
        """
        m, a, b = self.levels[:, :, None]

        def rough(theta: Floats) -> Floats:
            x = self._most_likely(theta)
            value: Floats = _rough(x, m, a, b).sum(axis=0) + self._rough_weight(x.sum(axis=0))
            return value

        u = np.linspace(-1, 1, _GRID) * np.log(2 * m + 2)
        slopes = np.log1p((a - 1) / ((m + 1) * expit(u))) - np.log1p((b - 1) / ((m + 1) * expit(-u)))
        theta, logs = _zoom(rough, np.sort(slopes, axis=None))
        x = self._most_likely(theta)
        y = m - x
        bend = 1 / (x + 0.5) - 1 / (x + a - 0.5) + 1 / (y + 0.5) - 1 / (y + b - 0.5)
        spread = np.sqrt(2 * np.maximum(SUM_DROP + logs - logs.max(), 0) / np.maximum(bend.sum(axis=0), 1e-30))
        low, high = np.floor((x - spread).min(axis=1)), np.ceil((x + spread).max(axis=1))
        window = np.clip([low, high], 0, self.levels[0])
        t = x.sum(axis=0)
        stride = min(*(window[1] - window[0] + 1), t.max() - t.min() + 1) / _POINTS
        return float(theta[logs.argmax()]), np.rint(x[:, logs.argmax()]), window, float(stride)

    def _most_likely(self, theta: Floats) -> Floats:
        """Return x₀ and x₁ where the factors have slope θ: (x+a−½)(m−x+½) = e^θ (x+½)(m−x+b−½), a quadratic."""
        m, a, b = self.levels[:, :, None]
        growth = np.expm1(theta)
        half = 0.5 * ((m + 1) * growth + (a - 1) + np.exp(theta) * (b - 1))
        constant = (a - 1) * (m + 1)
        root = np.sqrt(np.maximum(half * half - growth * constant, 0))
        rising = half > 0
        q = half + np.where(rising, root, -root)
        upper, lower = np.where(rising, constant, q), np.where(rising, q, growth)
        x: Floats = np.clip(upper / np.where(lower == 0, 1, lower) - 0.5, 0, m)
        return x


def _zoom(function: Callable[[Floats], Floats], grid: Floats) -> tuple[Floats, Floats]:
    """Return a grid of where the function counts, and its values there."""
    _, _, (x,), (logs,) = zoom(lambda rows: function(rows[0])[None], grid[None], drop=SUM_DROP, seen=_SEEN)
    counts = np.flatnonzero(logs > logs.max() - SUM_DROP)
    part = slice(max(counts[0] - 1, 0), counts[-1] + 2)
    return x[part], logs[part]


def _rough(x: Floats, count: Floats | float, a: Floats | float, b: Floats | float) -> Floats:
    """Return log (a ⦂ x)(b ⦂ count − x) nearly, with log Γ(z+½) ≈ z log z − z."""
    y = count - x
    logs = [z * np.log(z) - z for z in (x + a - 0.5, x + 0.5, y + b - 0.5, y + 0.5)]
    value: Floats = logs[0] - logs[1] + logs[2] - logs[3]
    return value
