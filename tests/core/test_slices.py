"""Slices drawn together: against plain numerical integration, and in the limits."""

import numpy as np
import pytest
from scipy.special import expit, log_expit
from scipy.stats import norm

from tellapart import Evidence, posterior
from tellapart.core.slices import Slices, at_nodes, logits_at_nodes


def uniform(x):
    return log_expit(x) + log_expit(-x)


def drawn(counts, scale=0.5):
    nodes = [logits_at_nodes(posterior(Evidence.of(count))) for count in counts]
    return Slices.of(nodes, uniform, scale)


def brute(counts, scale=0.5):
    """Return the means of the rates by sums over fine grids of θ, μ and τ."""
    x = np.linspace(-12, 12, 2401)  # as far as rates are looked at: a likelihood may be flat up to there
    mu, tau = np.meshgrid(np.linspace(-6, 6, 121), scale * np.tan(np.pi / 2 * (np.arange(60) + 0.5) / 60))
    mu, tau = mu.ravel(), np.maximum(tau.ravel(), 0.012)
    likelihood = [np.exp(k * log_expit(x) + (n - k) * log_expit(-x)) for k, n in counts]
    kernel = norm.pdf(x, mu[:, None], tau[:, None])
    given = np.array([kernel @ one for one in likelihood])
    hyper = given.prod(axis=0) * np.exp(uniform(mu))
    return [
        float(hyper / own @ (kernel @ (one * expit(x))) / hyper.sum())
        for own, one in zip(given, likelihood, strict=True)
    ]


@pytest.mark.parametrize(
    "counts", [[(8, 10), (5, 10), (9, 10)], [(20, 20), (10, 20)], [(3, 5), (30, 40), (0, 4), (5, 5)]]
)
def test_means_are_those_of_plain_sums(counts):
    found = drawn(counts)
    means = [found.rate(k).mean for k in range(len(counts))]
    assert means == pytest.approx(brute(counts), abs=4e-3)


def test_alike_slices_are_one():
    found = drawn([(24, 30)] * 10)
    assert found.rate(0).mean == pytest.approx(0.79, abs=0.01)
    assert found.rate(0).sd < 0.6 * posterior(Evidence.of((24, 30))).sd


def test_large_slices_stay_where_they_are():
    found = drawn([(90_000, 100_000), (50_000, 100_000)])
    assert [found.rate(k).mean for k in (0, 1)] == pytest.approx([0.9, 0.5], abs=1e-3)
    assert found.rate(0).sd == pytest.approx(posterior(Evidence.of((90_000, 100_000))).sd, rel=0.05)


def test_a_slice_without_ratings_is_like_the_others_but_unsure():
    found = drawn([(40, 50)] * 6 + [(0, 0)])
    assert found.rate(6).mean == pytest.approx(0.79, abs=0.03)
    assert found.rate(6).sd > 1.3 * found.rate(0).sd


def test_differences_are_drawn_together_on_their_own_scale():
    gaps = [at_nodes(posterior(Evidence.of(count))) - 0.5 for count in ((60, 100), (61, 100), (59, 100), (9, 10))]
    found = Slices.of(gaps, np.zeros_like, 0.05)
    assert found.difference(3).mean < 0.3
    assert found.difference(0).mean == pytest.approx(0.1, abs=0.03)


@pytest.mark.slow
@pytest.mark.parametrize(("slices", "n", "tau", "mean"), [(8, 10, 0.5, 0.8), (20, 40, 0.3, 2.2)])
def test_intervals_hold_on_average_over_slices(slices, n, tau, mean):
    rng, covered, known = np.random.default_rng(7), [], {}
    for _ in range(40):
        theta = mean + tau * rng.standard_normal(slices)
        counts = [int(k) for k in rng.binomial(n, expit(theta))]
        for k in counts:
            if k not in known:
                known[k] = logits_at_nodes(posterior(Evidence.of((k, n))))
        found = Slices.of([known[k] for k in counts], uniform, 0.5)
        covered += [0.025 < float(found.rate(k).cdf(float(expit(theta[k])))) < 0.975 for k in range(slices)]
    assert np.mean(covered) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 100)  # slices of one study are not independent
