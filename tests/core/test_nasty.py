"""Evidence whose posterior hides in a corner: a few integers beside the end of a long range, a peak among far ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

import oracles
import strategies
from tellapart import Confusion, Evidence, Levels, Prior, Tally, posterior
from tellapart.core import likelihood
from tellapart.core.density import Density
from tellapart.core.interpolant import Interpolant
from tellapart.core.prior import PRIORS
from tellapart.core.quadrature import reach


def nasty(human, confusion, metric):
    return Evidence.of(human, calibration=Confusion(*confusion), metric=metric)


def mirrored(evidence, *, relabelled=False):
    """Exchange adequate and inadequate, and if asked for name the levels of the metric the other way round."""
    human, step = evidence.human, -1 if relabelled else 1
    levels = Levels(*(row[::step] for row in evidence.calibration))
    metric = evidence.own.metric_only[::step]
    return Evidence.of((human.total - human.positive, human.total), calibration=levels, metric=metric)


def check(density, mean, sd, *, of_sd):
    """To 1e-8, and to the given fraction of the standard deviation, however small that is."""
    tolerance = min(1e-8, of_sd * sd) + 1e-15
    assert density.mean == pytest.approx(mean, rel=0, abs=tolerance)
    assert density.sd == pytest.approx(sd, rel=0, abs=tolerance)


# mean and sd of the mixture over t, every t that counts, with 50 digits (mpmath) or in double precision
CORNERS = {
    "beside the end": (nasty((2, 6), (0, 4, 96764, 77), (21013, 21015)), 0.99971436448502249, 0.000121775710041300275),
    "a handful of a hundred million": (
        nasty((0, 5), (0, 242201297, 10, 2), (174157218, 174157221)),
        7.1774225604199673e-09,
        7.0661379000525583e-09,
    ),
    "one class not calibrated": (
        nasty((0, 0), (0, 0, 1508, 0), (3287, 3442)),
        0.9770163869448671,
        0.013329131429253295,
    ),
    "flat on the logit scale": (nasty((0, 0), (0, 0, 0, 0), (7208961, 7208961)), 0.5, 0.4684577831275937),
    "humans and metric at odds": (
        nasty((19033, 19036), (51538147, 1053381, 4, 2475), (0, 3085)),
        0.8981014155100078,
        0.00252384609289,
    ),
    "a peak far above another": (
        nasty((1, 65536), (0, 302, 402842, 3), (10**9, 10**9)),
        0.99993446751769785,
        2.5597816603341270e-07,
    ),
}


@pytest.mark.parametrize("relabelled", [False, True])
@pytest.mark.parametrize(("evidence", "mean", "sd"), CORNERS.values(), ids=CORNERS)
def test_corners(evidence, mean, sd, relabelled):
    check(posterior(evidence), mean, sd, of_sd=1e-9)
    check(posterior(mirrored(evidence, relabelled=relabelled)), 1 - mean, sd, of_sd=1e-9)


@given(
    human=strategies.tallies(10**6),
    metric=strategies.calibrated(10**8, 10**9),
    relabelled=st.booleans(),
    prior=st.sampled_from(sorted(PRIORS)),
)
def test_posterior_and_its_mirror_agree(human, metric, relabelled, prior):
    evidence = Evidence.of(human, **metric)
    one, two = (posterior(e, PRIORS[prior]) for e in (evidence, mirrored(evidence, relabelled=relabelled)))
    check(one, 1 - two.mean, two.sd, of_sd=1e-6)
    np.testing.assert_allclose(one.cdf(one.quantile(0.3)), 0.3, rtol=0, atol=1e-8)


@given(
    human=strategies.tallies(10**4),
    metric=strategies.calibrated(20_000, 10**6),
)
def test_likelihood_is_the_full_sum(human, metric):
    """The pass rate, and the interpolant of P(m | t), each worked out only where it counts, against every t."""
    levels = metric["calibration"]
    adequate, inadequate = ([n + 1 for n in counts] for counts in (levels.adequate, levels.inadequate))
    a, b = human.positive + 1, human.total - human.positive + 1

    def density(path, **options):
        chance = path(metric["metric"], adequate, inadequate, **options)
        return Density(lambda p, q: (a - 1) * np.log(p) + (b - 1) * np.log(q) + chance(p, q), (a, b))

    full = density(likelihood.estimated_rates, full_sum_up_to=10**9)
    check(density(likelihood.estimated_rates, shape=(a, b), full_sum_up_to=0), full.mean, full.sd, of_sd=1e-5)
    if sum(metric["metric"]):
        check(density(likelihood.by_latent_count, shape=(a, b)), full.mean, full.sd, of_sd=1e-5)


@pytest.mark.parametrize(
    ("counts", "calibration", "prior"),
    [
        ((2777, 1752), ((1, 0), (0, 0)), Prior((0.1, 1.5), (10, 40), (0.5, 10))),
        ((2819, 852), ((4, 1), (5, 5)), Prior((0.1, 10), (0.1, 2.5), (40, 0.25))),
    ],
)
def test_a_prior_that_has_a_pole_does_not_pass_for_a_peak(counts, calibration, prior):
    """Accuracy may fall off far below the peak; a density that is endless where hardly anything lies has none there."""
    inadequate, adequate = np.add(calibration, (prior.tnr, prior.tpr[::-1]))
    expected = oracles.FourierMixture(*prior.rate, counts, tuple(adequate), tuple(inadequate))
    evidence = Evidence.of(calibration=Levels(*calibration[::-1]), metric=counts, sampling="balanced")
    check(posterior(evidence, prior), expected.mean, expected.sd, of_sd=1e-6)


# the parts


@pytest.mark.parametrize("at", [0.3, 2.0, 40.0, 3000.0])
@pytest.mark.parametrize("flip", [False, True])
def test_interpolant_notices_a_sudden_change_at_an_end(at, flip):
    """Beyond the first Gauss point, a quarter of a per cent into the range, nothing of it is left."""
    n = 10**8

    def function(t):
        return 5 * np.exp(-((n - t) if flip else t) / at)

    t = np.arange(100.0)
    t = n - t if flip else t
    found = Interpolant(function, n, breaks=(), tolerance=1e-11)(t)
    np.testing.assert_allclose(found, function(t), rtol=0, atol=1e-9)


def test_interpolant_does_not_relax_where_a_peak_is_between_its_points():
    n, centre, width = 10**6, 123_456.0, 40.0

    def log_weight(t):
        return -0.5 * ((t - centre) / width) ** 2

    def function(t):
        return np.sin(t / 2e4)

    t = centre + np.arange(-200.0, 201.0)
    found = Interpolant(function, n, breaks=(), tolerance=1e-11, log_weight=log_weight)(t)
    np.testing.assert_allclose(found, function(t), rtol=0, atol=1e-10)


@given(st.floats(0, 1), st.floats(1e-4, 10), st.integers(4, 40))
def test_reach_bounds_a_peak(centre, width, count):
    x = np.linspace(0, 1, count)
    assert reach(-0.5 * ((x[None] - centre) / width) ** 2).max() >= 0


@pytest.mark.parametrize("n", [10**4, 10**6, 10**9])
@pytest.mark.parametrize("all_adequate", [True, False])
def test_jeffreys_prior_with_an_empty_cell_needs_few_panels(n, all_adequate):
    """A logarithm of a rate that was rounded next to 1 is noisy; panels by the thousand would resolve the noise."""
    human = Tally(n if all_adequate else 0, n)
    for metric in ({}, {"metric": (16, 2051), "calibration": Confusion(409, 4541, 2, 2)}):
        assert len(posterior(Evidence.of(human, **metric), Prior.of("jeffreys"))._left) < 60
    found = posterior(Evidence.of(human), Prior.of("jeffreys"))
    exact = beta(human.positive + 0.5, n - human.positive + 0.5)
    assert found.sd == pytest.approx(exact.std(), rel=1e-9)
    assert float(found.cdf(exact.mean())) == pytest.approx(exact.cdf(exact.mean()), rel=1e-7)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("rates", [(0.95, 0.95), (1.0, 0.999999), (0.999999, 0.5)])
def test_a_trillion_ratings_in_conflict(rates, prior):
    """Improbable everywhere, the logs are of the order of 10¹²: their rounding must not be resolved in 10⁵ panels."""
    n = 10**12
    density = posterior(Evidence.of((n // 10, n), rates=rates, metric=(9 * n // 10, n)), PRIORS[prior])
    assert len(density._left) < 200
    assert 0 < density.sd < 1e-5
    interval = density.interval()
    assert 0 < interval.low < density.mean < interval.high < 1
    assert interval.low < density.mode < interval.high


def test_an_interval_from_next_to_nothing_beside_a_spike():
    """A prior that is infinite at 0, hardly any calibration: panels reach out to logits whose rates have no digits."""
    density = posterior(nasty((3, 4), (0, 3, 0, 1), (7, 105)), PRIORS["jeffreys"])
    interval = density.interval()
    assert density.cdf(interval.high) - density.cdf(interval.low) == pytest.approx(0.95, abs=1e-9)
