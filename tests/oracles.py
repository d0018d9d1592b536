"""Slow, obvious second implementations, to hold against the fast ones.

Nothing here is shared with `tellapart.core`: every term is summed, every integral is a plain quadrature on a grid that
is far finer than needed.
"""

from dataclasses import dataclass
from functools import cached_property

import mpmath
import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import betainc, betaln, expit, gammaln, logsumexp, xlog1py, xlogy


def confusion_parameters(confusion, prior):
    """Return the pseudo-counts of `rated 0, rated 1` given adequate and given inadequate."""
    adequate = [confusion.fn + prior.tpr[1], confusion.tp + prior.tpr[0]]
    inadequate = [confusion.tn + prior.tnr[0], confusion.fp + prior.tnr[1]]
    return adequate, inadequate


# the full sum of theory.md section 3


def log_rising(n, a):
    """Return log Γ(x+a) / (Γ(a) x!) for x = 0..n as a running sum of logs: no log-gammas, so nothing cancels."""
    x = np.arange(float(n))
    return np.concatenate([[0.0], np.cumsum(np.log((a + x) / (1 + x)))])


def log_split(n, a, b):
    """Return log BB(x; n, a, b) for x = 0..n, up to a constant."""
    return log_rising(n, a) + log_rising(n, b)[::-1]


def log_convolve(first, second):
    """Return the log of the convolution of two arrays given by their logs: for each value a log-sum-exp of its own."""
    short, long = sorted((np.asarray(first), np.asarray(second)), key=len)
    best, total = np.full(len(short) + len(long) - 1, -np.inf), np.zeros(len(short) + len(long) - 1)
    places = [slice(i, i + len(long)) for i in range(len(short))]
    for place, value in zip(places, short, strict=True):
        best[place] = np.maximum(best[place], value + long)
    for place, value in zip(places, short, strict=True):
        total[place] += np.exp(value + long - best[place])
    return best + np.log(total)


def log_chances(counts, adequate, inadequate):
    """Return log P(m₁..m_K | t), up to a constant, for t = 0..n: the split of all levels over that of their sum."""
    logs = np.zeros(1)
    for m, a, b in zip(counts, adequate, inadequate, strict=True):
        logs = log_convolve(logs, log_split(m, a, b))
    return logs - log_split(sum(counts), sum(adequate), sum(inadequate))


def log_likelihood_full(counts, adequate, inadequate, rate):
    """Return log L(α), up to a constant, by summing over every latent count t."""
    logs = log_chances(counts, adequate, inadequate)
    n = len(logs) - 1
    t = np.arange(n + 1.0)
    choose = gammaln(n + 1) - gammaln(t + 1) - gammaln(n - t + 1)
    rate = np.asarray(rate, dtype=float)[:, None]
    return logsumexp(logs + choose + xlogy(t, rate) + xlog1py(n - t, -rate), axis=1)


@dataclass(frozen=True)
class Mixture:
    """The posterior as the finite mixture Σ w_t Beta(a+t, b+n−t) that it is, every component kept."""

    a: float
    b: float
    counts: tuple
    adequate: tuple
    inadequate: tuple

    @cached_property
    def _components(self):
        n = sum(self.counts)
        t = np.arange(n + 1.0)
        return self.a + t, self.b + n - t

    @cached_property
    def weights(self):
        logs = log_chances(self.counts, self.adequate, self.inadequate) + log_split(sum(self.counts), self.a, self.b)
        return np.exp(logs - logsumexp(logs))

    @property
    def mean(self):
        a, b = self._components
        return float(self.weights @ (a / (a + b)))

    @property
    def sd(self):
        a, b = self._components
        means = a / (a + b)
        within = means * (1 - means) / (a + b + 1)
        return float(np.sqrt(self.weights @ (within + (means - self.mean) ** 2)))

    def cdf(self, rate):
        a, b = self._components
        return betainc(a, b, np.asarray(rate, dtype=float)[..., None]) @ self.weights

    def pdf(self, rate):
        a, b = self._components
        rate = np.asarray(rate, dtype=float)[..., None]
        return np.exp(xlogy(a - 1, rate) + xlog1py(b - 1, -rate) - betaln(a, b)) @ self.weights


class FourierMixture(Mixture):
    """The same mixture at the cost of a few Fourier transforms: a million ratings, any number of levels.

    A transform errs by about 1e-16 of the largest value. Factors e^{θt} in all levels cancel exactly, and move the
    largest value: with one θ after another each weight is seen where it is large enough, until `error`, the share of
    all weight that the transforms may have got wrong, is nothing.
    """

    @cached_property
    def _seen(self):
        n = sum(self.counts)
        splits = [log_split(*level) for level in zip(self.counts, self.adequate, self.inadequate, strict=True)]
        factor = log_split(n, self.a, self.b) - log_split(n, sum(self.adequate), sum(self.inadequate))
        logs, errors, caps = np.full(n + 1, -np.inf), np.full(n + 1, np.inf), np.full(n + 1, np.inf)
        target = n // 2
        for _ in range(40):
            found, relative, cap = _tilted_convolution(splits, target)
            better = relative < errors
            logs[better], errors[better] = found[better], relative[better]
            caps = np.minimum(caps, cap)
            posterior = np.minimum(logs, caps) + factor
            weights = np.exp(posterior - posterior.max())
            weights /= weights.sum()
            lost = weights * np.minimum(errors, 1)
            if lost.sum() < 1e-11:
                break
            target = int(np.argmax(lost))
        return weights, float(lost.sum())

    @property
    def weights(self):
        return self._seen[0]

    @property
    def error(self):
        return self._seen[1]


def _tilted_convolution(splits, target):
    """Return the log of the convolution of all splits, exact near `target`, its relative errors and its upper bound."""

    def tilted(tilt):
        logs = [split + tilt * np.arange(len(split)) for split in splits]
        tops = [log.max() for log in logs]
        return [np.exp(log - top) for log, top in zip(logs, tops, strict=True)], sum(tops)

    aims = [_thinned(split) for split in splits]
    low, high = -60.0, 60.0
    for _ in range(50):
        tilt = (low + high) / 2
        low, high = (tilt, high) if sum(_tilted_mean(*aim, tilt) for aim in aims) < target else (low, tilt)
    values, top = tilted(tilt)
    size = sum(len(value) - 1 for value in values) + 1
    padded = next_fast_len(size, real=True)
    product = np.prod([rfft(value, padded) for value in values], axis=0)
    noise = 1e-15 * np.prod([np.sqrt(value @ value) for value in values])
    found = np.maximum(irfft(product, padded)[:size], noise)  # what may be there, where nothing can be seen
    back = top - tilt * np.arange(size)
    bound = sum(np.log(value.sum()) for value in values)  # no term is larger than the sum of all
    return np.log(found) + back, noise / found, bound + back


def _thinned(split):
    """Return enough of a split to know its mean nearly: positions, dense at both ends, and logs with their shares."""
    n = len(split) - 1
    near = np.concatenate([np.arange(20), np.geomspace(20, max(n, 20), 500)])
    x = np.unique(np.clip(np.concatenate([near, n - near, np.linspace(0, n, 1000)]).round(), 0, n)).astype(int)
    return x, split[x] + np.log(np.gradient(x) if len(x) > 1 else 1.0)


def _tilted_mean(x, logs, tilt):
    tilted = logs + tilt * x
    weights = np.exp(tilted - tilted.max())
    return weights @ x / weights.sum()


def log_likelihood_40_digits(counts, adequate, inadequate, rate):
    """Return log L(α), up to the same constant as `log_likelihood_full`, for one rate, in 40-digit arithmetic."""
    with mpmath.workdps(40):
        combined = [mpmath.mpf(1)]
        for m, a, b in zip(counts, adequate, inadequate, strict=True):
            level = [_beta_binomial_40(x, m, mpmath.mpf(a), mpmath.mpf(b)) for x in range(m + 1)]
            combined = _convolve_40(combined, level)
        n, alpha = sum(counts), mpmath.mpf(rate)
        total_a, total_b = mpmath.fsum(map(mpmath.mpf, adequate)), mpmath.fsum(map(mpmath.mpf, inadequate))
        terms = (
            w * alpha**t * (1 - alpha) ** (n - t) / mpmath.beta(total_a + t, total_b + n - t)
            for t, w in enumerate(combined)
        )
        return float(mpmath.log(mpmath.fsum(terms)))


def _beta_binomial_40(x, n, a, b):
    return mpmath.binomial(n, x) * mpmath.beta(x + a, n - x + b) / mpmath.beta(a, b)


def _convolve_40(first, second):
    result = [mpmath.mpf(0)] * (len(first) + len(second) - 1)
    for i, x in enumerate(first):
        for j, y in enumerate(second):
            result[i + j] += x * y
    return result


def log_multichoose_40_digits(x, a):
    """Return log Γ(x+a) / (Γ(a) Γ(x+1)) in 40-digit arithmetic."""
    with mpmath.workdps(40):
        x, a = mpmath.mpf(x), mpmath.mpf(a)
        return float(mpmath.loggamma(x + a) - mpmath.loggamma(a) - mpmath.loggamma(x + 1))


# plain quadrature


def gauss_legendre(low, high, panels, nodes=20):
    """Return points and weights of composite Gauss-Legendre quadrature."""
    x, w = np.polynomial.legendre.leggauss(nodes)
    edges = np.linspace(low, high, panels + 1)
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (x + 1)).ravel(), np.broadcast_to(half * w, (panels, nodes)).ravel()


def log_likelihood_by_quadrature(positive, total, tpr, tnr, rate, *, panels=120):
    """Return log ∫∫ Binom(m; n, p) dBeta(tpr) dBeta(tnr), up to a constant, by Gauss-Legendre on the logit scale.

    `tpr` and `tnr` are the Beta parameters; the grid spans all but 1e-19 of each.
    """
    (x, log_x), (y, log_y) = _beta_grid(*tpr, panels), _beta_grid(*tnr, panels)
    result = np.empty(len(rate))
    for i, alpha in enumerate(rate):
        p = alpha * expit(x)[:, None] + (1 - alpha) * expit(-y)[None, :]
        q = alpha * expit(-x)[:, None] + (1 - alpha) * expit(y)[None, :]
        logs = xlogy(positive, p) + xlogy(total - positive, q) + log_x[:, None] + log_y[None, :]
        result[i] = logsumexp(logs)
    return result


def _beta_grid(a, b, panels):
    """Return logits and log weights of a quadrature rule for Beta(a, b)."""
    coarse = np.linspace(-45 / min(a, 1) - 5, 45 / min(b, 1) + 5, 4001)
    logs = a * _log_expit(coarse) + b * _log_expit(-coarse)
    kept = coarse[logs > logs.max() - 45]
    x, w = gauss_legendre(kept[0] - 0.1, kept[-1] + 0.1, panels)
    return x, np.log(w) + a * _log_expit(x) + b * _log_expit(-x) - betaln(a, b)


def _log_expit(x):
    return -np.logaddexp(0, -x)


class Quadrature:
    """A distribution on [low, high] given by its unnormalised log density, on a very fine grid."""

    def __init__(self, log_density, low=0.0, high=1.0, panels=4000):
        self.x, weights = gauss_legendre(low, high, panels)
        logs = log_density(self.x)
        self._edges = np.linspace(low, high, panels + 1)
        masses = np.exp(logs - logs.max()) * weights
        self.masses = masses / masses.sum()
        self._running = np.concatenate([[0.0], np.cumsum(self.masses.reshape(panels, -1).sum(axis=1))])

    @property
    def mean(self):
        return float(self.masses @ self.x)

    @property
    def sd(self):
        return float(np.sqrt(self.masses @ (self.x - self.mean) ** 2))

    def cdf_at_edges(self, step=1):
        """Return some panel edges, where the running sum of masses is exact, and the distribution function there."""
        return self._edges[::step], self._running[::step]


def known_rates_posterior(a, b, positive, total, tpr, tnr, **grid):
    """Return the posterior of the rate for a metric of known rates; a, b include the human ratings."""

    def log_density(rate):
        p = rate * tpr + (1 - rate) * (1 - tnr)
        q = rate * (1 - tpr) + (1 - rate) * tnr
        return xlogy(a - 1, rate) + xlog1py(b - 1, -rate) + xlogy(positive, p) + xlogy(total - positive, q)

    return Quadrature(log_density, **grid)


def log_likelihood_of_logit(counts, adequate, inadequate):
    """Return log L, up to a constant, as a function of the logits of rates: the full sum, to the digit near 0 and 1."""
    chances = log_chances(counts, adequate, inadequate)
    n = len(chances) - 1
    t = np.arange(n + 1.0)
    constant = chances - gammaln(t + 1) - gammaln(n - t + 1)

    def log_likelihood(logit):
        return np.array([logsumexp(constant + t * x) for x in logit]) + n * _log_expit(-logit)

    return log_likelihood


def moments_and_cdf(log_density, at, panels):
    """Return mean, sd and P(rate ≤ at) from an unnormalised log density of the logit of the rate.

    Gauss-Legendre on both sides of `at`, over all but 1e-15 of the mass: a range found by zooming in.
    """
    low, high = -300.0, 300.0
    for _ in range(8):
        x = np.linspace(low, high, 401)
        logs = log_density(x)
        kept = np.flatnonzero(logs > logs.max() - 35)
        low, high = x[max(kept[0] - 1, 0)], x[min(kept[-1] + 1, 400)]
    cut = float(np.clip(np.log(at / (1 - at)), low, high))
    (x, w), (y, v) = gauss_legendre(low, cut, panels), gauss_legendre(cut, high, panels)
    points = np.concatenate([x, y])
    logs = log_density(points)
    masses = np.exp(logs - logs.max()) * np.concatenate([w, v])
    masses /= masses.sum()
    rates = expit(points)
    mean = float(masses @ rates)
    return mean, float(np.sqrt(masses @ (rates - mean) ** 2)), float(masses[: len(x)].sum())


# human-rated outputs chosen by the metric's verdict


def by_metric_parameters(confusion, positive, total):
    """Return the Beta parameters of q, the share passed, u = P(adequate | passed) and v = P(adequate | failed).

    The prior is one pseudo-count for each cell of the 2×2 table. The rated outputs were taken from those that the
    metric rated, so they count towards its share of passes.
    """
    passed = positive + confusion.tp + confusion.fp
    everything = total + confusion.human.total
    q = (passed + 2, everything - passed + 2)
    return q, (confusion.tp + 1, confusion.fp + 1), (confusion.fn + 1, confusion.tn + 1)


def by_metric_moments(confusion, positive, total):
    """Return mean and sd of q·u + (1−q)·v, three independent Beta variables, in closed form."""
    (q1, q2), (u1, u2), (v1, v2) = (_raw_moments(*pair) for pair in by_metric_parameters(confusion, positive, total))
    mean = q1 * u1 + (1 - q1) * v1
    square = q2 * u2 + 2 * (q1 - q2) * u1 * v1 + (1 - 2 * q1 + q2) * v2
    return mean, float(np.sqrt(square - mean**2))


def _raw_moments(a, b):
    """Return E[x] and E[x²] of Beta(a, b)."""
    return a / (a + b), a * (a + 1) / (a + b) / (a + b + 1)


def by_level_moments(counts, adequate, inadequate):
    """Return mean and sd of Σ q_k u_k in closed form: q ~ Dirichlet, u_k ~ Beta, P(adequate) at level k, independent.

    `adequate` and `inadequate` are the pseudo-counts of each level, with the outputs rated by hand.
    """
    adequate, inadequate = np.asarray(adequate, dtype=float), np.asarray(inadequate, dtype=float)
    q, rated = adequate + inadequate + np.asarray(counts), adequate + inadequate
    mean, total = adequate / rated, q.sum()
    variance = adequate * inadequate / rated**2 / (rated + 1)
    whole = float(q @ mean / total)
    between = float(q @ (mean - whole) ** 2) / total / (total + 1)
    within = float((q * (q + 1)) @ variance) / total / (total + 1)
    return whole, float(np.sqrt(between + within))


def by_metric_sample(confusion, positive, total, *, size, rng):
    """Draw from the posterior of the rate."""
    q, u, v = (rng.beta(*pair, size) for pair in by_metric_parameters(confusion, positive, total))
    return q * u + (1 - q) * v


# shared rates


@dataclass(frozen=True)
class SharedByGrid:
    """Two systems under one metric of unknown, shared rates: a brute sum over tpr × tnr × both rates.

    `systems` holds (human positive, human total, metric positive, metric total); `confusion` the pooled calibration.
    """

    systems: tuple
    confusion: object
    points: int = 120
    rates: int = 1200

    @cached_property
    def _sums(self):
        alpha = (np.arange(self.rates) + 0.5) / self.rates
        tpr, tpr_weights = _beta_range(self.confusion.tp + 1, self.confusion.fn + 1, self.points)
        tnr, tnr_weights = _beta_range(self.confusion.tn + 1, self.confusion.fp + 1, self.points)
        total = greater = 0.0
        means = np.zeros(2)
        for rho, log_rho in zip(tpr, tpr_weights, strict=True):
            one, two = (self._densities(system, alpha, rho, tnr) for system in self.systems)
            weights = np.exp(log_rho + tnr_weights)
            evidence = one.sum(axis=1) * two.sum(axis=1) * weights
            below = np.cumsum(two, axis=1) - two / 2
            total += evidence.sum()
            greater += float((one * below).sum(axis=1) @ weights)
            means[0] += float((one @ alpha) * two.sum(axis=1) @ weights)
            means[1] += float((two @ alpha) * one.sum(axis=1) @ weights)
        return greater / total, means / total

    @staticmethod
    def _densities(system, alpha, rho, tnr):
        human, humans, positive, total = system
        p = alpha * rho + (1 - alpha) * (1 - tnr[:, None])
        top = xlogy(positive, positive / max(total, 1)) + xlogy(total - positive, 1 - positive / max(total, 1))
        peak = xlogy(human, human / max(humans, 1)) + xlogy(humans - human, 1 - human / max(humans, 1))
        logs = xlogy(human, alpha) + xlog1py(humans - human, -alpha) - peak
        return np.exp(logs + xlogy(positive, p) + xlog1py(total - positive, -p) - top)

    @property
    def probability_positive(self):
        return self._sums[0]

    @property
    def means(self):
        return self._sums[1]


def _beta_range(a, b, points):
    """Return Gauss-Legendre points on (0, 1) and the logs of weight × Beta(a, b) kernel, relative to its peak."""
    x, w = gauss_legendre(0.0, 1.0, points // 20)
    logs = np.log(w) + (a - 1) * np.log(x) + (b - 1) * np.log1p(-x)
    return x, logs - logs.max()


# Monte Carlo


def uniform_statistic(values):
    """Return √n times the Kolmogorov-Smirnov distance of values from the uniform distribution on [0, 1]."""
    values = np.sort(values)
    n = len(values)
    above, below = np.arange(1, n + 1) / n - values, values - np.arange(n) / n
    return float(np.sqrt(n) * max(above.max(), below.max()))


# truth classes × metric levels


def table_moments(shapes, cells, values):
    """Return mean and sd of Σ q_k v·u_k, q ~ Dirichlet(shapes) and u_k ~ Dirichlet, from raw second moments."""
    shapes, cells, values = (np.asarray(part, dtype=float) for part in (shapes, cells, values))
    total, sums = shapes.sum(), cells.sum(axis=0)
    first = values @ cells / sums
    second = [
        values @ (np.outer(u, u) + np.diag(u)) @ values / (s * (s + 1)) for u, s in zip(cells.T, sums, strict=True)
    ]
    pairs = (np.outer(shapes, shapes) + np.diag(shapes)) / (total * (total + 1))
    products = np.outer(first, first)
    np.fill_diagonal(products, second)
    mean = shapes @ first / total
    return float(mean), float(np.sqrt((pairs * products).sum() - mean**2))


def table_sample(shapes, cells, values, size, rng):
    """Draw Σ q_k v·u_k, one Dirichlet variable at a time."""
    q = rng.dirichlet(shapes, size)
    given = [rng.dirichlet(column, size) @ values for column in np.asarray(cells, dtype=float).T]
    return (q * np.transpose(given)).sum(axis=1)


def compositions(n, parts):
    """Return every way to write n as a sum of so many whole numbers, in order."""
    if parts == 1:
        return [(n,)]
    return [(first, *rest) for first in range(n + 1) for rest in compositions(n - first, parts - 1)]


def latent_mixture(classes, cells, counts):
    """Return weights and Dirichlet parameters of the shares: every latent class of every rating, one by one."""
    classes, cells = np.asarray(classes, dtype=float), np.asarray(cells, dtype=float)
    ways = {(0,) * len(classes): [0.0]}
    for column, count in zip(cells.T, counts, strict=True):
        grown = {}
        for split in compositions(int(count), len(classes)):
            log = sum(gammaln(u + z) - gammaln(u) - gammaln(z + 1) for u, z in zip(column, split, strict=True))
            for before, logs in ways.items():
                key = tuple(x + y for x, y in zip(before, split, strict=True))
                grown.setdefault(key, []).append(logsumexp(logs) + log)
        ways = grown
    latent = np.array(list(ways))
    logs = np.array([logsumexp(logs) for logs in ways.values()])
    logs += (gammaln(classes + latent) - gammaln(cells.sum(axis=1) + latent)).sum(axis=1)
    return np.exp(logs - logsumexp(logs)), classes + latent


def outcome_cdf(weights, parameters, x):
    """Return P(win − loss ≤ x) under a mixture of Dirichlets of loss, tie, win: r (2b − 1), r and b Beta variables."""
    total = 0.0
    for weight, (loss, tie, win) in zip(weights, parameters, strict=True):
        y, w = _beta_grid(win + loss, tie, 60)
        inside = betainc(win, loss, np.clip((1 + x / expit(y)) / 2, 0, 1))
        total += weight * float(np.exp(w) @ inside)
    return total
