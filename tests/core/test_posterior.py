"""The posterior against golden values, closed forms and second routes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import xlogy

import golden
from tellapart import Confusion, Evidence, Metric, Prior, Rates, Tally, posterior
from tellapart.core.posterior import log_likelihood


def check(result, row, tolerance=1e-8):
    quantiles = result.quantile(np.array(list(golden.QUANTILES.values())))
    np.testing.assert_allclose(
        [result.mean, result.sd], [float(row[k]) for k in golden.MOMENTS], rtol=0, atol=tolerance
    )
    np.testing.assert_allclose(quantiles, [float(row[k]) for k in golden.QUANTILES], rtol=0, atol=tolerance)


@pytest.mark.parametrize("row", **golden.cases("posteriors"))
def test_estimated_rates(row):
    check(posterior(golden.evidence(row)), row)


@pytest.mark.parametrize("row", **golden.cases("known_rates"))
def test_known_rates(row):
    result = posterior(golden.known_evidence(row))
    check(result, row)
    assert result.mode == pytest.approx(float(row["mode"]), abs=1e-6)


@pytest.mark.parametrize("row", **golden.cases("levels"))
def test_levels(row):
    check(posterior(golden.level_evidence(row)), row)


@pytest.mark.parametrize("row", golden.rows("pairs"), ids=lambda row: f"{row['first']}>{row['second']}")
def test_pairs(row):
    first, second = (posterior(golden.posterior_case(row[side])) for side in ("first", "second"))
    assert first.greater(second) == pytest.approx(float(row["probability"]), abs=1e-8)


def test_human_only_is_the_beta_distribution():
    result = posterior(Evidence(Tally(60, 100)))
    assert result.mean == pytest.approx(61 / 102, abs=1e-12)
    assert result.sd == pytest.approx(np.sqrt(61 * 41 / 102**2 / 103), abs=1e-12)
    assert result.mode == pytest.approx(0.6, abs=1e-9)


def test_two_metrics_multiply():
    """Each posterior is the next prior: the product of both likelihoods on a fine grid gives the same moments."""
    first = Metric.binary(Tally(540, 1000), Confusion(42, 18, 28, 12))
    second = Metric.binary(Tally(250, 500), Confusion(50, 10, 30, 10))
    result = posterior(Evidence(Tally(60, 100), (first, second)))
    x = (np.arange(20_000) + 0.5) / 20_000
    logs = xlogy(60, x) + xlogy(40, 1 - x)
    for metric in (first, second):
        logs += log_likelihood(Evidence(Tally(0, 0), (metric,)), Prior.of("uniform"))(x, 1 - x)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    assert result.mean == pytest.approx(weights @ x, abs=1e-8)


@pytest.mark.parametrize("rates", [Rates(0.9, 0.8), Confusion(54, 6, 32, 8)])
def test_flipped_metric_says_the_same(rates):
    """A metric with all its verdicts turned round carries the same information."""
    flipped = Rates(0.1, 0.2) if isinstance(rates, Rates) else Confusion(tp=6, fn=54, tn=8, fp=32)
    one = posterior(Evidence(Tally(60, 100), (Metric.binary(Tally(620, 1000), rates),)))
    two = posterior(Evidence(Tally(60, 100), (Metric.binary(Tally(380, 1000), flipped),)))
    assert one.mean == pytest.approx(two.mean, abs=1e-10)
    assert one.sd == pytest.approx(two.sd, abs=1e-10)


def test_useless_metric_adds_nothing():
    alone = posterior(Evidence(Tally(60, 100)))
    useless = posterior(Evidence(Tally(60, 100), (Metric.binary(Tally(500, 1000), Confusion(300, 300, 200, 200)),)))
    assert useless.sd == pytest.approx(alone.sd, rel=0.01)


def test_balanced_items_say_nothing_of_the_rate():
    metric = Metric.binary(Tally(540, 1000), Confusion(42, 18, 28, 12))
    balanced = posterior(Evidence(Tally(60, 100), (metric,), "balanced"))
    without = posterior(Evidence(Tally(0, 0), (metric,)))
    assert balanced.mean == without.mean


def test_items_chosen_by_the_metric():
    """The rate is q·PPV + (1−q)·(1−NPV) with independent Beta variables, whose moments are closed forms."""
    confusion = Confusion(tp=45, fp=5, fn=10, tn=40)
    result = posterior(Evidence(metrics=(Metric.binary(Tally(540, 1000), confusion),), sampling="by-metric"))

    def moments(a, b):
        return a / (a + b), a * b / (a + b) ** 2 / (a + b + 1)

    # one pseudo-count for each cell of metric × truth: two for each verdict
    (q, q_var), (u, u_var), (v, v_var) = moments(540 + 50 + 2, 460 + 50 + 2), moments(46, 6), moments(11, 41)
    mean = q * u + (1 - q) * v
    variance = q_var * (u - v) ** 2 + (q_var + q**2) * u_var + (q_var + (1 - q) ** 2) * v_var
    assert result.mean == pytest.approx(mean, abs=1e-10)
    assert result.sd == pytest.approx(np.sqrt(variance), abs=1e-10)


@pytest.mark.parametrize("n", [10**4, 10**6, 10**9])
def test_many_metric_ratings_approach_the_limit(n):
    """With the metric's share known ever better, the posterior settles; the change is of order 1/n."""
    confusion = Confusion(42, 18, 28, 12)
    result = posterior(Evidence(Tally(60, 100), (Metric.binary(Tally(54 * n // 100, n), confusion),)))
    assert result.mean == pytest.approx(0.598333796, abs=1e-8 + 0.05 / n)
    assert result.sd == pytest.approx(0.0444448903, abs=1e-8 + 0.5 / n)


def test_huge_counts_agree_with_the_large_sample_formula():
    metric = Metric.binary(Tally(54 * 10**7, 10**9), Confusion(42 * 10**5, 18 * 10**5, 28 * 10**5, 12 * 10**5))
    result = posterior(Evidence(Tally(6 * 10**6, 10**7), (metric,)))
    kappa = 0.24 * 0.16 / (0.54 * 0.46)
    expected = np.sqrt(0.24 * ((1 - kappa) / 10**7 + kappa / (10**7 + 10**9)))
    assert result.sd == pytest.approx(expected, rel=1e-5)
    assert result.mean == pytest.approx(0.6, abs=1e-7)


@pytest.mark.parametrize("prior", ["uniform", "jeffreys", (2.0, 8.0), (0.05, 0.05)])
@pytest.mark.parametrize("human", [(0, 0), (0, 20), (20, 20), (0, 10**12)])
def test_edges_have_an_answer(prior, human):
    """Never outside [0, 1], never zero width, never no answer."""
    result = posterior(Evidence(Tally(*human)), Prior.of(prior))
    interval = result.interval(0.95)
    assert 0 <= interval.low < interval.high <= 1
    assert 0 < result.mean < 1
    assert result.sd > 0
    a, b = (p + n for p, n in zip(Prior.of(prior).rate, (human[0], human[1] - human[0]), strict=True))
    assert result.mean == pytest.approx(a / (a + b), rel=1e-7)
