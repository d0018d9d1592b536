"""A hunt: thousands of evaluations as people run them. Each has an answer, and some have it by a second route too."""

import os
from math import exp, log

import numpy as np
import pytest
from scipy.special import xlogy

import oracles
import strategies
from tellapart import Evidence, KnownRates, Levels, Prior, Tally, posterior
from tellapart.core.prior import PRIORS

pytestmark = pytest.mark.slow

SEED, CHUNKS = 20221207, 40
EACH = 100 if "CI" in os.environ else 500  # of 40 chunks: 20,000 by hand
SECOND_ROUTE = 10  # one in so many
KINDS = {"binary": 0.5, "known": 0.12, "balanced": 0.1, "by-metric": 0.13, "levels": 0.05, "several": 0.1}
PROBABILITIES = np.array([1e-6, 0.001, 0.025, 0.2, 0.5, 0.9, 0.975, 1 - 1e-4])


def draw(rng):
    """Return the evidence of one evaluation and a prior: first the truth is drawn, then what people would count."""
    kind = rng.choice(list(KINDS), p=list(KINDS.values()))
    rate = rng.choice([rng.random(), rng.beta(9, 1), rng.beta(1, 9)], p=[0.7, 0.2, 0.1])
    adequate, inadequate = rated = split(rng, up_to(rng, 2000), (rate, 1 - rate))
    human = Tally(adequate, adequate + inadequate)
    if kind == "known":
        return Evidence.of(human, **known(rng, rate)), draw_prior(rng)
    if kind == "several":
        count = rng.integers(2, 4)
        first, *rest = [(known if rng.random() < 0.3 else calibrated)(rng, rate) for _ in range(count)]
        return Evidence.of(human, **first, fused=[Evidence.of(**metric) for metric in rest]), draw_prior(rng)
    if kind == "by-metric":
        return chosen_by_metric(rng, rate), draw_prior(rng)
    if kind == "balanced":
        rated = up_to(rng, 1000), up_to(rng, 1000)
        human = Tally(rated[0], sum(rated)) if rng.random() < 0.5 else Tally(0, 0)  # or from elsewhere
    elif rng.random() < 0.3:  # calibrated with outputs of other systems
        rated = up_to(rng, 1000), up_to(rng, 1000)
    if kind == "levels":  # hardly any calibration of many levels takes minutes
        metric = calibrated(rng, rate, rated=tuple(n + 20 for n in rated), levels=rng.integers(3, 7))
        return Evidence.of(human, **metric), draw_prior(rng)
    metric = calibrated(rng, rate, rated=rated)
    return Evidence.of(human, **metric, sampling="balanced" if kind == "balanced" else "random"), draw_prior(rng)


def up_to(rng, most):
    """A count up to `most`, as often of each size; none at all now and then."""
    return 0 if rng.random() < 0.1 else int(exp(rng.random() * log(most + 1)))


def metric_ratings(rng):
    return int(rng.integers(3001, 10_001)) if rng.random() < 0.4 else up_to(rng, 10**6)


def split(rng, n, chances):
    return tuple(map(int, rng.multinomial(n, chances)))


def behaviour(rng, levels):
    """How often a metric gives each level to adequate, and to inadequate outputs: good, poor, perfect, inverted."""
    adequate, inadequate = np.sort(rng.dirichlet(np.ones(levels), size=2), axis=1)
    inadequate = inadequate[::-1]
    if levels == 2:
        low = rng.choice([0.0, 0.02, 0.5, 1.0], p=[0.1, 0.3, 0.55, 0.05])
        tpr, tnr = 1 - low * rng.random(2)
        adequate, inadequate = (1 - tpr, tpr), (tnr, 1 - tnr)
    return np.asarray(adequate), np.asarray(inadequate)


def calibrated(rng, rate, *, rated=None, levels=2):
    adequate, inadequate = behaviour(rng, levels)
    counts = split(rng, metric_ratings(rng), rate * adequate + (1 - rate) * inadequate)
    n_adequate, n_inadequate = rated or (up_to(rng, 1000), up_to(rng, 1000))
    levels = Levels(split(rng, n_adequate, adequate), split(rng, n_inadequate, inadequate))
    return {"metric": counts, "calibration": levels}


def known(rng, rate):
    tpr, tnr = (round(float(x), 2) for x in rng.uniform(0.45, 1, 2))
    quality = KnownRates(tpr, max(tnr, round(1.02 - tpr, 2)))
    passed = rate * quality.tpr + (1 - rate) * (1 - quality.tnr)
    return {"metric": (int(rng.binomial(n := metric_ratings(rng), passed)), n), "rates": quality}


def chosen_by_metric(rng, rate):
    """Outputs to rate by hand are taken from each level, as many as there are or as one likes."""
    levels = int(rng.choice([2, 2, 2, 3, 5]))
    adequate, inadequate = behaviour(rng, levels)
    passed = rate * adequate + (1 - rate) * inadequate
    counts = split(rng, metric_ratings(rng), passed)
    right = np.minimum(rate * adequate / passed, 1)
    good, bad = zip(*(split(rng, max(up_to(rng, 500), 1), (p, 1 - p)) for p in right), strict=True)
    return Evidence.of(
        (sum(good), sum(good) + sum(bad)), calibration=Levels(good, bad), metric=counts, sampling="by-metric"
    )


def draw_prior(rng):
    kind = rng.choice([*PRIORS, "custom"], p=[0.4, 0.3, 0.3])
    return Prior(*rng.choice([0.1, 0.25, 0.5, 1, 2.5, 10, 40], (3, 2)).tolist()) if kind == "custom" else PRIORS[kind]


# second routes; nothing from the package but the counts


def pseudo_counts(metric, prior):
    """Return those of each level given adequate, and given inadequate, with the calibration."""
    k = metric.levels
    adequate = prior.tpr[::-1] if k == 2 else (sum(prior.tpr) / k,) * k
    inadequate = prior.tnr if k == 2 else (sum(prior.tnr) / k,) * k
    return np.add(metric.calibration[1], adequate), np.add(metric.calibration[0], inadequate)


def mixture(evidence, prior):
    """Return the mixture over the latent count of adequate outputs, for at most one metric, with estimated rates."""
    counts, adequate, inadequate = (0, 0), (1.0, 1.0), (1.0, 1.0)
    if evidence.levels:
        counts, (adequate, inadequate) = evidence.own.metric_only, pseudo_counts(evidence, prior)
    a, b = prior.rate
    if evidence.sampling == "by-metric":
        a, b = adequate.sum(), inadequate.sum()
    if evidence.sampling == "random":
        a, b = a + evidence.human.positive, b + evidence.human.total - evidence.human.positive
    return oracles.FourierMixture(a, b, counts, tuple(adequate), tuple(inadequate))


def log_density(evidence, prior):
    """Return the log density of the logit, for any metrics after a random sample: prior × human × all likelihoods."""
    human = evidence.human
    a, b = prior.rate[0] + human.positive, prior.rate[1] + human.total - human.positive
    metrics = (evidence, *evidence.fused)
    estimated = [
        oracles.log_likelihood_of_logit(metric.own.metric_only, *pseudo_counts(metric, prior))
        for metric in metrics
        if metric.rates is None
    ]

    def total(logit):
        value = -a * np.logaddexp(0, -logit) - b * np.logaddexp(0, logit)
        rate, complement = 1 / (1 + np.exp(-logit)), 1 / (1 + np.exp(logit))
        for metric in metrics:
            if metric.rates is not None:
                tpr, tnr = metric.rates.tpr, metric.rates.tnr
                p, q = rate * tpr + complement * (1 - tnr), rate * (1 - tpr) + complement * tnr
                value = value + xlogy(metric.own.metric_only[1], p) + xlogy(metric.own.metric_only[0], q)
        return sum((log_likelihood(logit) for log_likelihood in estimated), value)

    return total


def second_route(evidence, prior, at):
    """Return mean, sd and the distribution function at `at`; None where a full sum would take too long.

    Nor is there one for balanced outputs drawn from those that the metric rated: test_posterior.py has it.
    """
    if evidence.drawn.total:
        return None
    if not evidence.fused and evidence.rates is None:
        full = mixture(evidence, prior)
        assert full.error < 1e-10, "the oracle does not know"
        return full.mean, full.sd, float(full.cdf(at))
    summed = [metric.n_metric for metric in (evidence, *evidence.fused) if metric.rates is None]
    if sum(summed) > 8_000:
        return None
    return oracles.moments_and_cdf(log_density(evidence, prior), at, panels=200)


# the hunt


def check(evidence, prior, probability):
    """An answer that is a distribution; and if a probability is given, the one of the second route, to 1e-8."""
    with strategies.patience(evidence, prior, seconds=600):
        density = posterior(evidence, prior)
    quantiles = np.array([density.quantile(p) for p in PROBABILITIES])
    interval = density.interval()
    assert 0 <= interval.low < interval.high <= 1
    assert density.cdf(interval.high) - density.cdf(interval.low) == pytest.approx(0.95, abs=1e-7)
    assert np.all(np.isfinite([density.mean, density.sd, density.mode]))
    assert 0 <= density.mean <= 1
    assert 0 < density.sd < 0.5
    assert quantiles[0] >= 0
    assert np.all(np.diff(quantiles) >= 0)
    assert quantiles[-1] <= 1
    if probability is None:
        return
    at = density.quantile(probability)
    if (exact := second_route(evidence, prior, at)) is not None:
        np.testing.assert_allclose((density.mean, density.sd), exact[:2], rtol=0, atol=1e-8)
        rounding = 2.3e-16 * float(density.pdf(at))  # one float next to it may be a visible step of probability
        assert probability == pytest.approx(exact[2], abs=1e-8 + rounding)
    if evidence.sampling == "by-metric":
        closed = oracles.by_level_moments(evidence.own.metric_only, *pseudo_counts(evidence, prior))
        np.testing.assert_allclose((density.mean, density.sd), closed, rtol=0, atol=1e-8)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_evaluation_has_an_answer(chunk):
    for case in range(EACH):
        rng = np.random.default_rng([SEED, chunk, case])
        evidence, prior = draw(rng)
        evidence = evidence.merged()  # as `estimate` and `compare` do: hardly calibrated levels take minutes
        try:
            check(evidence, prior, rng.uniform(0.001, 0.999) if case % SECOND_ROUTE == 0 else None)
        except Exception as error:
            error.add_note(f"chunk {chunk}, case {case}: {evidence!r}, {prior!r}")
            raise
