"""Mean and sd alone against the whole distribution, the full sum, closed forms, golden values and symmetries."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracles
import strategies
from golden import cases, evidence, known_evidence, level_evidence
from tellapart import Confusion, Design, Evidence, MeasurableDifference, posterior
from tellapart.core import moments as module
from tellapart.core.lattice import _weighted
from tellapart.core.likelihood import rounding_noise
from tellapart.core.moments import moments
from tellapart.core.posterior import level_parameters, shape
from tellapart.core.prior import PRIORS


def one_metric(positive, total, confusion, human=(0, 0)):
    return Evidence.of(human, calibration=Confusion(*confusion), metric=(positive, total))


def one_calibrated(most):
    return st.builds(
        lambda human, metric: Evidence.of(human, **metric), strategies.tallies(most), strategies.calibrated(most, most)
    )


def designs(most):
    share = st.one_of(st.sampled_from((0.5, 0.99)), st.floats(0.05, 0.99))
    n = strategies.totals(most)
    return st.builds(Design, share, share, share, n, n, n_calibration=st.one_of(st.none(), n))


def mirrored(given):
    """Swap adequate and inadequate: the rate becomes 1 − rate."""
    c, (failed, passed) = given.confusion, given.own.metric_only
    flipped = Confusion(c.tn, c.fp, c.tp, c.fn)
    human = given.n_human - given.human.positive, given.n_human
    return Evidence.of(human, calibration=flipped, metric=(failed, failed + passed))


def noise(given, prior=PRIORS["uniform"]):
    if given.confusion is None:
        return 0
    inadequate, adequate = level_parameters(given, prior)
    return rounding_noise(given.n_metric, sum(adequate), sum(inadequate))


@pytest.fixture
def fallbacks(monkeypatch):
    """Evidence that went to the whole distribution."""
    seen = []
    monkeypatch.setattr(module, "rate_posterior", lambda *given: seen.append(given[0]) or posterior(*given))
    return seen


# golden values and closed forms


@pytest.mark.parametrize("row", **cases("posteriors"))
def test_golden_posteriors(row):
    assert moments(evidence(row)) == pytest.approx((float(row["mean"]), float(row["sd"])), abs=1e-10)


@pytest.mark.parametrize("row", **cases("known_rates"))
def test_golden_known_rates(row):
    assert moments(known_evidence(row)) == pytest.approx((float(row["mean"]), float(row["sd"])), abs=1e-8)


@pytest.mark.parametrize("row", **cases("levels"))
def test_golden_levels(row):
    assert moments(level_evidence(row)) == pytest.approx((float(row["mean"]), float(row["sd"])), abs=1e-8)


@pytest.mark.parametrize(("positive", "total"), [(0, 0), (3, 7), (0, 10**9), (4 * 10**8, 10**9)])
def test_human_ratings_alone_are_a_beta_distribution(positive, total):
    a, b = positive + 1, total - positive + 1
    variance = a * b / ((a + b) ** 2 * (a + b + 1))
    assert moments(Evidence.of((positive, total))) == pytest.approx((a / (a + b), math.sqrt(variance)), rel=1e-14)


@pytest.mark.parametrize(("positive", "total"), [(1, 1), (30, 50), (600, 1000), (0, 2000), (0, 300_000)])
@pytest.mark.parametrize("human", [(0, 0), (12, 20), (900, 1000)])
def test_without_calibration_the_convolution_is_a_trapezium(fallbacks, positive, total, human):
    t = np.arange(total + 1.0)
    a, b = human[0] + 1, human[1] - human[0] + 1
    chances = np.minimum(np.minimum(t, total - t), min(positive, total - positive)) + 1
    logs = np.log(chances) + oracles.log_split(total, a, b) - oracles.log_split(total, 2, 2)
    expected = module._of_mixture((a, b), total, t, np.exp(logs - logs.max()))
    assert moments(one_metric(positive, total, (0, 0, 0, 0), human)) == pytest.approx(expected, rel=1e-11)
    assert not fallbacks


# other routes


@given(strategies.evidences(levels=(2, 2)), st.sampled_from(list(PRIORS.values())))
@example(one_metric(0, 220, (1, 107, 122, 47), (1, 1)), PRIORS["uniform"])  # the factor in t swamps the others
@example(one_metric(6, 238, (2, 15, 3, 0), (0, 8)), PRIORS["uniform"])
@example(one_metric(21013, 21015, (0, 4, 96764, 77), (2, 6)), PRIORS["uniform"])  # far in the tail of every factor
@example(one_metric(188, 189, (3, 0, 102, 0), (14, 112)), PRIORS["uniform"])
def test_the_full_sum_says_the_same(given, prior):
    inadequate, adequate = level_parameters(given, prior)
    full = oracles.Mixture(*shape(given, prior), given.own.metric_only, adequate, inadequate)
    assert moments(given, prior)[1] == pytest.approx(full.sd, rel=1e-9 + 4 * noise(given, prior))


@pytest.mark.parametrize("more", [-3, 0, 20])
@pytest.mark.parametrize("levels", [[[7, 3], [4, 6]], [[30, 9], [4, 16]], [[160, 40], [30, 104]]])
@pytest.mark.parametrize("n", [50, 1000, 10**5])
def test_rules_and_lattice_say_the_same(n, levels, more):
    """Rules always do where the human ratings are those that calibrate the metric, to which more may come."""
    latent = module._Latent(np.array([[0.4 * n, 0.6 * n], *levels]), tuple(sum(row) - 1 + more for row in levels))
    by_rules, by_lattice = latent._by_rules(), latent._by_lattice()
    assert by_rules is not None or more
    assert by_rules is None or by_lattice is None or by_rules == pytest.approx(by_lattice, rel=1e-10)


@given(one_calibrated(10**5))
@example(one_metric(19348, 39448, (1, 1, 5, 5), (89, 709)))  # end weights too few for a first lattice
@example(one_metric(0, 4296, (5, 0, 1, 0)))  # a tail like a sixth power, of which little mass is much of the variance
def test_the_whole_distribution_has_the_same_sd(given):
    """Of the rate or of 1 − rate: near 1, and beside kinks, the distribution has fewer digits."""
    wholes = [posterior(given).sd, posterior(mirrored(given)).sd]
    sd = moments(given)[1]
    assert min(abs(whole - sd) for whole in wholes) <= (1e-9 + 4 * noise(given)) * sd


@given(designs(10**9))
@example(Design(0.5, 0.5, 0.5, 0, 2375196))  # the density has a kink in the very middle
@example(Design(0.5, 0.5, 0.5, 0, 44576380))  # and the last term counts
def test_a_design_may_have_a_billion_ratings(design):
    whole = posterior(design.evidence)
    mean, sd = moments(design.evidence)
    assert mean == pytest.approx(whole.mean, rel=1e-9 + noise(design.evidence))
    assert sd == pytest.approx(whole.sd, rel=1e-9 + 4 * noise(design.evidence), abs=1e-10)


@given(one_calibrated(2000))
@example(one_metric(174157218, 174157221, (0, 242201297, 10, 2), (0, 5)))
def test_swapping_adequate_and_inadequate_turns_the_rate_round(given):
    (mean, sd), (other_mean, other_sd) = moments(given), moments(mirrored(given))
    assert mean + other_mean == pytest.approx(1, abs=1e-9)
    assert sd == pytest.approx(other_sd, rel=1e-9 + 4 * noise(given))


# what it is for


@pytest.mark.parametrize("quality", [0.6, 0.7, 0.9, 0.99])
def test_tables_and_maps_of_designs_need_no_distribution(fallbacks, quality):
    for n_human in (0, 10, 100, 1000, 10_000):
        for n_metric in (0, 1000, 10_000, 100_000):
            design = Design(0.6, quality, quality, n_human, n_metric, rounding="half-even")
            expected = posterior(design.evidence).sd
            assert MeasurableDifference(design).sd == pytest.approx(expected, rel=1e-9)
    assert not fallbacks


@pytest.mark.parametrize(
    "given",
    [
        one_metric(8835, 14917, (577, 246, 297, 211)),  # the factor in t is too steep
        one_metric(60_000, 100_000, (1, 1, 1, 1)),  # both levels reach both ends
        one_metric(60, 100, (1, 0, 0, 0)),  # one level flat
    ],
)
def test_what_fails_its_check_goes_to_the_whole_distribution(fallbacks, given):
    whole = posterior(given)
    assert moments(given) == (whole.mean, whole.sd)
    assert len(fallbacks) == 1


@pytest.mark.parametrize("h", [1.0, 2.0, 7.3, 1000.0])
def test_weights_at_the_ends_make_a_lattice_sum_a_sum_over_integers(h):
    steps = 200
    x = h * np.arange(steps + 1)
    decay = 12 / (h * steps)
    expected = -np.expm1(-decay * (h * steps + 1)) / -np.expm1(-decay)
    values = _weighted(np.exp(-decay * x), h, np.array([True, True]))
    assert h * values.sum() == pytest.approx(expected, rel=1e-12)
