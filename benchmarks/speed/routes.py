"""One posterior by several routes: ours, every term of the sum, the plain mixture, the paper's Riemann sum, NUTS."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
from benchmarks.speed import golden
from benchmarks.speed.golden import Answer, Counts
from scipy.special import betainc, betaln, gammaln, xlogy

from tellapart.core.counts import Confusion
from tellapart.core.density import Density
from tellapart.core.evidence import Evidence
from tellapart.core.likelihood import estimated_rates, rounding_noise
from tellapart.core.moments import moments
from tellapart.core.posterior import level_parameters, posterior, shape
from tellapart.core.prior import PRIORS
from tellapart.core.riemann import riemann_posterior

PRIOR = PRIORS["uniform"]
GOLDEN = golden.load()
EVERYDAY = golden.everyday(1000)


def evidence(counts: Counts) -> Evidence:
    c = counts
    confusion = Confusion(c.tp, c.fn, c.tn, c.fp)
    return Evidence.of((c.human_pos, c.human_n), calibration=confusion, metric=(c.metric_pos, c.metric_n))


def summary(density: Density) -> Answer:
    interval = density.interval(0.95, kind="equal-tailed")
    return Answer(density.mean, density.sd, interval.low, interval.high)


def shortest(density: Density) -> Answer:
    interval = density.interval(0.95)
    return Answer(density.mean, density.sd, interval.low, interval.high)


def ours(counts: Counts) -> Answer:
    return summary(posterior(evidence(counts)))


def by_moments(counts: Counts) -> tuple[float, float]:
    """Return mean and standard deviation alone, as for tables of measurable differences."""
    return moments(evidence(counts))


def by_full_sum(counts: Counts) -> Answer:
    """As `posterior`, with every term of the sum at any size."""
    observed = evidence(counts)
    inadequate, adequate = level_parameters(observed, PRIOR)
    likelihood = estimated_rates(observed.own.metric_only, adequate, inadequate, full_sum_up_to=10**9)
    a, b = shape(observed, PRIOR)
    return summary(
        Density(
            lambda rate, complement: xlogy(a - 1, rate) + xlogy(b - 1, complement) + likelihood(rate, complement),
            (a, b),
            noise=rounding_noise(counts.metric_n, sum(adequate), sum(inadequate)),
        )
    )


def by_plain_mixture(counts: Counts) -> Answer:
    """The closed form as one writes it down: all weights, and Newton's method for both ends of the shortest interval.

    Without logs of sums, tilts and checks: fast, and right only where nothing underflows and there is one peak.
    """
    c, n, t = counts, counts.metric_n, np.arange(counts.metric_n + 1.0)
    levels = (c.metric_pos, c.tp + 1, c.fp + 1), (n - c.metric_pos, c.fn + 1, c.tn + 1)
    weights = np.convolve(*(np.exp(_log_beta_binomial(*level)) for level in levels))
    a, b = c.human_pos + 1 + t, c.human_n - c.human_pos + 1 + n - t
    logs = np.log(weights) + betaln(a, b) - betaln(c.tp + c.fn + 2 + t, c.tn + c.fp + 2 + n - t)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    total, constant, means = c.human_n + 2 + n, betaln(a, b), a / (c.human_n + 2 + n)
    mean = float(weights @ means)
    sd = float(np.sqrt(weights @ (means * (1 - means) / (total + 1) + (means - mean) ** 2)))
    ends = np.array([mean - 2 * sd, mean + 2 * sd])
    for _ in range(30):
        x = ends[:, None]
        densities = np.exp((a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - constant)
        below, density = betainc(a, b, x) @ weights, densities @ weights
        slope = (densities * ((a - 1) / x - (b - 1) / (1 - x))) @ weights
        missing = [0.95 - (below[1] - below[0]), density[0] - density[1]]
        step = np.linalg.solve([[-density[0], density[1]], [-slope[0], slope[1]]], missing)
        ends = ends + step
        if np.abs(step).max() < 1e-10:
            break
    return Answer(mean, sd, *ends.tolist())


def _log_beta_binomial(n: int, a: float, b: float) -> np.ndarray:
    x = np.arange(n + 1.0)
    return gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1) + betaln(a + x, b + n - x) - betaln(a, b)


def by_riemann_sum(counts: Counts, rate_cells: int) -> Answer:
    grid = riemann_posterior(evidence(counts), n_rate=rate_cells, n_tpr=1000, n_tnr=1000)
    below = np.concatenate([[0.0], np.cumsum(grid.masses)])
    ends = np.interp([0.025, 0.975], below, np.linspace(0, 1, rate_cells + 1))
    return Answer(grid.mean, grid.sd, *map(float, ends))


def by_nuts(counts: Counts, method: str) -> tuple[float, Answer]:
    """Run the sampler in a process of its own: seconds, compiling included, and the answer."""
    command = [sys.executable, "-m", "benchmarks.speed.nuts", json.dumps([counts._asdict(), method])]
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env={"JAX_PLATFORMS": "cpu", **os.environ}
    )
    found = json.loads(done.stdout)
    return found["seconds"], Answer(*found["answer"])
