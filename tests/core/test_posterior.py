"""The posterior of the rate against golden values, oracles by other routes, symmetries and limits."""

import numpy as np
import pytest
from hypothesis import given
from scipy import stats
from scipy.special import betaln, xlog1py, xlogy

import oracles
import strategies
from golden import MOMENTS, QUANTILES, cases, evidence, known_evidence, level_evidence, posterior_case, rows
from tellapart import Confusion, Evidence, InvalidInput, KnownRates, Levels, Prior, posterior
from tellapart.core.counts import MOST
from tellapart.core.moments import moments
from tellapart.core.posterior import level_parameters, shape
from tellapart.core.prior import _LEAST_PSEUDO_COUNT, PRIORS

GRID = np.linspace(0.01, 0.99, 33)


def check_golden(density, row, *, tolerance=1e-8):
    """Moments to the tolerance, and quantiles both as numbers and by their definition."""
    for name in MOMENTS:
        assert getattr(density, name) == pytest.approx(float(row[name]), abs=tolerance), name
    for name, probability in QUANTILES.items():
        assert density.quantile(probability) == pytest.approx(float(row[name]), abs=tolerance), name


def one_metric(positive, total, confusion, human=(0, 0), sampling="random"):
    """Return evidence from a binary metric with estimated rates."""
    return Evidence.of(human, calibration=confusion, metric=(positive, total), sampling=sampling)


def mixture(given, prior=PRIORS["uniform"]):
    """Return the oracle for evidence with one metric."""
    inadequate, adequate = level_parameters(given, prior)
    return oracles.Mixture(*shape(given, prior), given.own.metric_only, adequate, inadequate)


# golden values


@pytest.mark.parametrize("row", **cases("posteriors"))
def test_golden_posteriors(row):
    check_golden(posterior(evidence(row)), row)


@pytest.mark.parametrize("row", **cases("posteriors"))
def test_golden_posteriors_follow_from_the_oracle(row):
    """So oracle and golden values, made by different programs, vouch for each other."""
    full = mixture(evidence(row))
    assert full.mean == pytest.approx(float(row["mean"]), abs=1e-11)
    assert full.sd == pytest.approx(float(row["sd"]), abs=1e-11)
    ends = [float(row[name]) for name in QUANTILES]
    np.testing.assert_allclose(full.cdf(ends), list(QUANTILES.values()), rtol=0, atol=1e-9)


@pytest.mark.parametrize("row", **cases("known_rates"))
def test_golden_known_rates(row):
    """1e-8 for moments and quantiles; a mode cannot be had better than to 1e-6, in the golden value neither."""
    density = posterior(known_evidence(row))
    check_golden(density, row)
    assert density.mode == pytest.approx(float(row["mode"]), abs=1e-6)


@pytest.mark.parametrize("row", **cases("levels"))
def test_golden_levels(row):
    check_golden(posterior(level_evidence(row)), row)


@pytest.mark.parametrize("row", rows("pairs"), ids=lambda row: f"{row['first']} > {row['second']}")
def test_golden_pairs(row):
    first, second = (posterior(posterior_case(row[name])) for name in ("first", "second"))
    assert first.greater(second) == pytest.approx(float(row["probability"]), abs=1e-8)


# other routes to the same answer


@given(evidence=strategies.evidences(), prior=strategies.priors())
def test_posterior_is_the_full_mixture(evidence, prior):
    """Mean, sd, distribution function and density of Σ w_t Beta(a+t, b+n−t), all terms, on nasty counts.

    1e-9: both sides round, the oracle in sums over thousands of Beta functions.
    """
    density, full = posterior(evidence, prior), mixture(evidence, prior)
    assert density.mean == pytest.approx(full.mean, abs=1e-9)
    assert density.sd == pytest.approx(full.sd, abs=1e-9)
    np.testing.assert_allclose(density.cdf(GRID), full.cdf(GRID), rtol=0, atol=1e-9)
    np.testing.assert_allclose(density.pdf(GRID), full.pdf(GRID), rtol=1e-8, atol=1e-8)


@given(metric=strategies.known(500), human=strategies.tallies(200))
def test_known_rates_by_quadrature(metric, human):
    """80,000 Gauss-Legendre points against the package; 1e-8 where the peak is no narrower than a few of them."""
    given = Evidence.of(human, **metric)
    density = posterior(given)
    exact = oracles.known_rates_posterior(
        *shape(given, PRIORS["uniform"]), given.metric.positive, given.n_metric, given.rates.tpr, given.rates.tnr
    )
    assert density.mean == pytest.approx(exact.mean, abs=1e-8)
    assert density.sd == pytest.approx(exact.sd, abs=1e-8)
    edges, expected = exact.cdf_at_edges(100)
    np.testing.assert_allclose(density.cdf(edges), expected, rtol=0, atol=1e-8)


def test_known_rates_is_a_truncated_beta():
    """Theory: p | m is Beta(m+1, n−m+1) cut to [1−η, ρ], and α = (p+η−1)/(ρ+η−1)."""
    tpr, tnr, positive, total = 0.7, 0.8, 660, 1000
    density = posterior(Evidence.of(rates=(tpr, tnr), metric=(positive, total)))
    beta = stats.beta(positive + 1, total - positive + 1)
    low, high = beta.cdf([1 - tnr, tpr])
    p = GRID * tpr + (1 - GRID) * (1 - tnr)
    np.testing.assert_allclose(density.cdf(GRID), (beta.cdf(p) - low) / (high - low), rtol=0, atol=1e-10)


@pytest.mark.parametrize("second", ["estimated", "known", "levels"])
def test_two_metrics_one_after_the_other(second):
    """Two metrics' posterior is prior × human × both likelihoods, multiplied on a fine grid; 1e-9."""
    two = {
        "estimated": Evidence.of(calibration=Confusion(30, 4, 11, 7), metric=(150, 260)),
        "known": Evidence.of(rates=(0.8, 0.75), metric=(150, 260)),
        "levels": Evidence.of(calibration=Levels((8, 17, 35), (20, 12, 8)), metric=(60, 90, 110)),
    }[second]
    both = Evidence.of((60, 100), calibration=Confusion(42, 18, 28, 12), metric=(270, 500), fused=[two])

    def full(metric, rate):
        inadequate, adequate = level_parameters(metric, PRIORS["uniform"])
        return oracles.log_likelihood_full(metric.own.metric_only, adequate, inadequate, rate)

    def log_density(rate):
        value = xlogy(60, rate) + xlog1py(40, -rate)
        value = value + full(both, rate)
        if second == "known":
            p = rate * 0.8 + (1 - rate) * 0.25
            return value + xlogy(150, p) + xlog1py(110, -p)
        return value + full(two, rate)

    exact = oracles.Quadrature(log_density, panels=200)
    density = posterior(both)
    assert density.mean == pytest.approx(exact.mean, abs=1e-9)
    assert density.sd == pytest.approx(exact.sd, abs=1e-9)
    edges, expected = exact.cdf_at_edges(10)
    np.testing.assert_allclose(density.cdf(edges), expected, rtol=0, atol=1e-9)


def test_the_order_of_metrics_does_not_matter():
    one = {"calibration": Confusion(42, 18, 28, 12), "metric": (270, 500)}
    two = {"rates": KnownRates(0.8, 0.75), "metric": (150, 260)}
    forward, backward = (
        posterior(Evidence.of((6, 10), **first, fused=[Evidence.of(**second)]))
        for first, second in ((one, two), (two, one))
    )
    np.testing.assert_allclose(forward.cdf(GRID), backward.cdf(GRID), rtol=0, atol=1e-11)


def test_human_ratings_before_or_after():
    """Human ratings are a Beta prior: 60 of 100 under the uniform one is Beta(61, 41) with none."""
    rated = posterior(posterior_case("paired-100-1000"))
    given = posterior_case("paired-100-1000")
    metric_alone = Evidence.of(calibration=given.confusion, metric=given.metric)
    believed = posterior(metric_alone, Prior(rate=(61, 41)))
    np.testing.assert_allclose(rated.cdf(GRID), believed.cdf(GRID), rtol=0, atol=1e-11)


def test_calibration_before_or_after():
    """Calibration counts are a Beta prior of the metric's rates."""
    counted = posterior(one_metric(540, 1000, Confusion(tp=42, fn=18, tn=28, fp=12), (60, 100)))
    prior = Prior(tpr=(43, 19), tnr=(29, 13))
    believed = posterior(one_metric(540, 1000, Confusion(0, 0, 0, 0), (60, 100)), prior)
    np.testing.assert_allclose(counted.cdf(GRID), believed.cdf(GRID), rtol=0, atol=1e-11)


# symmetries


@given(evidence=strategies.evidences(levels=(2, 2)))
def test_swapped_labels_of_the_metric_change_nothing(evidence):
    """A metric that says 0 for 1 and 1 for 0, calibrated as such, tells the same."""
    inadequate, adequate = evidence.calibration
    levels = Levels(adequate[::-1], inadequate[::-1])
    flipped = Evidence.of(evidence.human, calibration=levels, metric=evidence.own.metric_only[::-1])
    np.testing.assert_allclose(posterior(evidence).cdf(GRID), posterior(flipped).cdf(GRID), rtol=0, atol=1e-9)


def test_flipped_known_rates():
    """ρ' = 1−ρ, η' = 1−η with ratings flipped: the same posterior."""
    one = posterior(Evidence.of((6, 10), rates=(0.2, 0.3), metric=(320, 1000)))
    two = posterior(Evidence.of((6, 10), rates=(0.8, 0.7), metric=(680, 1000)))
    np.testing.assert_allclose(one.cdf(GRID), two.cdf(GRID), rtol=0, atol=1e-11)


@given(evidence=strategies.evidences(levels=(2, 3)))
def test_exchanging_adequate_and_inadequate_mirrors_the_posterior(evidence):
    human = evidence.n_human - evidence.human.positive, evidence.n_human
    mirrored = Evidence.of(human, calibration=Levels(*evidence.calibration), metric=evidence.own.metric_only)
    one, two = posterior(evidence), posterior(mirrored)
    assert one.mean == pytest.approx(1 - two.mean, abs=1e-9)
    np.testing.assert_allclose(one.cdf(GRID), 1 - two.cdf(1 - GRID), rtol=0, atol=1e-9)


def test_two_levels_are_a_binary_metric():
    binary = Evidence.of(calibration=Confusion(tp=42, fn=18, tn=28, fp=12), metric=(540, 1000))
    assert binary == Evidence.of(calibration=Levels((18, 42), (28, 12)), metric=(460, 540))


def test_without_calibration_and_human_ratings_the_posterior_is_symmetric():
    """Nothing tells a good metric from an inverted one: mean ½, however many passes it gave."""
    density = posterior(posterior_case("no-calibration"))
    assert density.mean == pytest.approx(0.5, abs=1e-10)
    np.testing.assert_allclose(density.cdf(GRID), 1 - density.cdf(1 - GRID), rtol=0, atol=1e-10)
    lopsided = posterior(one_metric(970, 1000, Confusion(0, 0, 0, 0)))
    assert lopsided.mean == pytest.approx(0.5, abs=1e-10)
    assert (lopsided.pdf(np.array([0.03, 0.97])) > lopsided.pdf(0.5)).all()  # two peaks, and that is right


# what ratings are worth


def test_a_metric_shown_useless_adds_nothing():
    """Calibrated by a million outputs as a coin toss, it leaves the human posterior as it was, but for a thousandth."""
    million = 10**6
    coin = Confusion(million, million, million, million)
    alone = posterior(Evidence.of((60, 100)))
    both = posterior(one_metric(500_000, million, coin, (60, 100)))
    assert both.sd == pytest.approx(alone.sd, rel=1e-3)
    assert both.mean == pytest.approx(alone.mean, abs=1e-3)


def test_an_uncertain_useless_metric_gives_no_gain():
    """The golden case: 30/30 and 20/20 in the calibration, nothing gained in width."""
    alone, both = posterior(Evidence.of((60, 100))), posterior(posterior_case("useless-metric"))
    assert both.interval().width == pytest.approx(alone.interval().width, rel=0.02)
    assert both.mean == pytest.approx(alone.mean, abs=1e-3)


def test_a_metric_without_ratings_changes_nothing():
    given = one_metric(0, 0, Confusion(42, 18, 28, 12), (60, 100))
    np.testing.assert_allclose(posterior(given).cdf(GRID), stats.beta(61, 41).cdf(GRID), rtol=0, atol=1e-10)


def test_more_metric_ratings_never_widen_much():
    """At expected counts the sd falls with every tenfold increase of metric ratings, towards its floor."""
    sds = [
        posterior(one_metric(58 * n // 100, n, Confusion(54, 6, 36, 4), (60, 100))).sd
        for n in (10**2, 10**3, 10**5, 10**7)
    ]
    assert (np.diff(sds) < 0).all()


# sampling


def test_balanced_calibration_from_elsewhere_says_nothing_of_the_rate():
    """It calibrates; no human ratings are of these outputs."""
    confusion = Confusion(tp=42, fn=8, tn=45, fp=5)
    balanced = posterior(one_metric(540, 1000, confusion, sampling="balanced"))
    random = posterior(one_metric(540, 1000, confusion))
    assert (balanced.mean, balanced.sd) == (random.mean, random.sd)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(
    ("passed", "n", "human"),
    [
        (120, 300, (50, 100)),
        (40, 60, (10, 20)),
        (1500, 2800, (50, 100)),
        (1700, 3500, (50, 100)),
        (0, 50, (1, 2)),
        (1, 1, (7, 600)),
    ],
)
def test_balanced_outputs_count_as_what_they_are_among_all(passed, n, human, prior):
    """By every number t of adequate ones among the rest: n₁ + t of all is beta-binomial, α given it a Beta variable."""
    confusion = Confusion(tp=45, fn=5, tn=40, fp=10)
    given = one_metric(passed, n, confusion, human, "balanced")
    (a, b), t = PRIORS[prior].rate, np.arange(n + 1.0)
    adequate, inadequate = human[0] + t, human[1] - human[0] + n - t
    choose = -betaln(adequate + 1, inadequate + 1)
    levels = level_parameters(given, PRIORS[prior])
    logs = oracles.log_chances(given.own.metric_only, levels[1], levels[0])
    logs = logs + choose + betaln(a + adequate, b + inadequate)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    total = a + b + human[1] + n
    means = (a + adequate) / total
    mean = weights @ means
    sd = np.sqrt(weights @ (means * (1 - means) / (total + 1) + (means - mean) ** 2))
    density = posterior(given, PRIORS[prior])
    assert density.mean == pytest.approx(mean, abs=1e-9)
    assert density.sd == pytest.approx(sd, abs=1e-9)
    assert moments(given, PRIORS[prior]) == pytest.approx((mean, sd), abs=1e-9)


BY_METRIC = [
    (Confusion(tp=45, fn=10, tn=40, fp=5), 700, 1000),
    (Confusion(tp=50, fn=0, tn=50, fp=0), 300, 900),
    (Confusion(tp=3, fn=1, tn=2, fp=4), 5, 8),
    (Confusion(tp=45, fn=10, tn=40, fp=5), 0, 0),
    (Confusion(tp=450, fn=100, tn=400, fp=50), 0, 100_000),
    (Confusion(tp=20, fn=30, tn=20, fp=30), 600_000_000, 10**9),
]


@pytest.mark.parametrize(("confusion", "positive", "total"), BY_METRIC)
def test_human_ratings_chosen_by_the_metrics_verdict(confusion, positive, total):
    """q·u + (1−q)·v of three independent Betas: closed-form mean and variance, to 1e-9."""
    given = one_metric(positive, total, confusion, (confusion.human.positive, confusion.human.total), "by-metric")
    mean, sd = oracles.by_metric_moments(confusion, positive, total)
    assert posterior(given).mean == pytest.approx(mean, abs=1e-9)
    assert posterior(given).sd == pytest.approx(sd, abs=1e-9)


@pytest.mark.parametrize(("confusion", "positive", "total"), BY_METRIC[:3])
def test_by_metric_against_draws(confusion, positive, total):
    """The whole distribution: draws of q·u + (1−q)·v, fed through the cdf, are uniform (fixed seed, 1 in 1000)."""
    density = posterior(one_metric(positive, total, confusion, sampling="by-metric"))
    draws = oracles.by_metric_sample(confusion, positive, total, size=20_000, rng=np.random.default_rng(5))
    assert oracles.uniform_statistic(density.cdf(draws)) < 1.95


def test_by_metric_does_not_depend_on_how_many_of_each_verdict_were_rated():
    """Rating twice as many of the passed ones sharpens what is known of them, and leaves the mean about where it was.

    Taken as a random sample the same counts would move it by many points.
    """
    few = posterior(one_metric(450, 900, Confusion(tp=40, fn=10, tn=40, fp=10), sampling="by-metric"))
    many = posterior(one_metric(450 - 100, 900 - 100, Confusion(tp=120, fn=10, tn=40, fp=30), sampling="by-metric"))
    assert many.mean == pytest.approx(few.mean, abs=0.02)
    assert many.sd < few.sd


def test_by_metric_needs_ratings_of_every_verdict():
    with pytest.raises(InvalidInput, match="at least one output"):
        one_metric(5, 10, Confusion(tp=5, fn=0, tn=0, fp=5), sampling="by-metric")


# size


@pytest.mark.parametrize("n", [10**5, 10**7, 10**9, MOST])
def test_known_rates_with_any_number_of_ratings(n):
    """Inside the reachable range the Beta is not cut, so mean and sd are those of a shifted and scaled Beta."""
    tpr, tnr = 0.9, 0.8
    positive = 55 * n // 100
    with strategies.patience(n):
        density = posterior(Evidence.of(rates=(tpr, tnr), metric=(positive, n)))
    a, b = positive + 1, n - positive + 1
    scale = tpr + tnr - 1
    assert density.mean == pytest.approx((a / (a + b) + tnr - 1) / scale, abs=1e-11)
    # p itself is rounded to 1e-16, which is 1e-10 of an sd at 10¹²
    assert density.sd == pytest.approx(np.sqrt(a / (a + b) * b / (a + b) / (a + b + 1)) / scale, rel=1e-8)


HUGE = {
    "everyday calibration": (Confusion(42, 18, 28, 12), (60, 100)),
    "no human ratings": (Confusion(42, 18, 28, 12), (0, 0)),
    "no calibration": (Confusion(0, 0, 0, 0), (60, 100)),
    "nothing else at all": (Confusion(0, 0, 0, 0), (0, 0)),
    "skewed calibration": (Confusion(10**6, 3, 2, 0), (0, 0)),
    "conflict": (Confusion(950, 50, 950, 50), (1, 1000)),
    "huge calibration": (Confusion(7 * 10**8, 3 * 10**8, 7 * 10**8, 3 * 10**8), (60, 100)),
    "ten million human": (Confusion(42, 18, 28, 12), (6 * 10**6, 10**7)),
    "a trillion human": (Confusion(42, 18, 28, 12), (6 * 10**11, 10**12)),
}


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("share", [0.54, 1.0, 0.0, 1e-8])
@pytest.mark.parametrize("case", HUGE)
def test_a_billion_metric_ratings(case, share, prior):
    """An answer, finite and with the tails asked for, in seconds and not in hours."""
    n = 10**9
    confusion, human = HUGE[case]
    with strategies.patience(case, share, prior, seconds=20):
        density = posterior(one_metric(round(share * n), n, confusion, human), PRIORS[prior])
        interval = density.interval()
    assert 0 <= interval.low < interval.high <= 1
    assert 0 < density.mean < 1
    assert density.sd > 0
    quantile = density.quantile(0.3)
    rounding = 2.3e-16 * float(density.pdf(quantile))  # one float next to it may be a visible step of probability
    assert density.cdf(quantile) == pytest.approx(0.3, abs=1e-8 + rounding)


def test_huge_counts_agree_with_the_large_sample_formula():
    """Ten million human ratings that calibrate, a billion of the metric: double sampling to 1e-5."""
    given = one_metric(54 * 10**7, 10**9, Confusion(42 * 10**5, 18 * 10**5, 28 * 10**5, 12 * 10**5), (6 * 10**6, 10**7))
    density, kappa = posterior(given), 0.24 * 0.16 / (0.54 * 0.46)
    expected = np.sqrt(0.24 * ((1 - kappa) / 10**7 + kappa / (10**7 + 10**9)))
    assert density.sd == pytest.approx(expected, rel=1e-5)
    assert density.mean == pytest.approx(0.6, abs=1e-7)


@pytest.mark.parametrize("prior", ["uniform", "jeffreys", (2.0, 8.0), (0.05, 0.05)])
@pytest.mark.parametrize("human", [(0, 0), (0, 20), (20, 20), (0, 10**12)])
def test_edges_have_an_answer(prior, human):
    """Never outside [0, 1], never zero width, never no answer; the mean of a Beta is known."""
    density = posterior(Evidence.of(human), Prior.of(prior))
    interval = density.interval(kind="equal-tailed")
    assert 0 <= interval.low < interval.high <= 1
    assert density.sd > 0
    a, b = (p + n for p, n in zip(Prior.of(prior).rate, (human[0], human[1] - human[0]), strict=True))
    assert density.mean == pytest.approx(a / (a + b), rel=1e-7)


@pytest.mark.parametrize("n", [10**4, 10**6, 10**9])
def test_many_metric_ratings_approach_the_limit(n):
    """With the metric's share known ever better, the posterior settles; the change is of order 1/n."""
    density = posterior(one_metric(54 * n // 100, n, Confusion(42, 18, 28, 12), (60, 100)))
    assert density.mean == pytest.approx(0.598333796, abs=1e-8 + 0.05 / n)
    assert density.sd == pytest.approx(0.0444448903, abs=1e-8 + 0.5 / n)


def test_a_billion_metric_ratings_tell_p_exactly():
    """In the limit p is known: an integral over η alone, ρ being (p − (1−α)(1−η))/α. The rest is O(1/n)."""
    given = one_metric(54 * 10**7, 10**9, Confusion(tp=42, fn=18, tn=28, fp=12), (60, 100))
    density = posterior(given)
    eta, weights = oracles.gauss_legendre(0.0, 1.0, 200)
    p = 0.54

    def log_density(rate):
        rho = (p - (1 - rate[:, None]) * (1 - eta)) / rate[:, None]
        possible = (rho > 0) & (rho < 1)
        rho = np.where(possible, rho, 0.5)
        chance = np.where(possible, stats.beta(43, 19).pdf(rho), 0.0) * stats.beta(29, 13).pdf(eta)
        return xlogy(60, rate) + xlog1py(40, -rate) + np.log(chance @ weights / rate)

    exact = oracles.Quadrature(log_density, low=0.2, high=0.95, panels=40)
    assert density.mean == pytest.approx(exact.mean, abs=1e-7)
    assert density.sd == pytest.approx(exact.sd, abs=1e-7)


def test_ten_thousand_metric_ratings_by_quadrature():
    """Estimated rates with the integral over tpr and tnr done on a grid: no latent counts anywhere; 1e-8."""
    given = one_metric(5400, 10_000, Confusion(42, 18, 28, 12), (60, 100))
    density = posterior(given)
    exact = oracles.Quadrature(
        lambda rate: (
            xlogy(60, rate)
            + xlog1py(40, -rate)
            + oracles.log_likelihood_by_quadrature(5400, 10_000, (43, 19), (29, 13), rate, panels=40)
        ),
        low=0.3,
        high=0.9,
        panels=3,
    )
    assert density.mean == pytest.approx(exact.mean, abs=1e-8)
    assert density.sd == pytest.approx(exact.sd, abs=1e-8)


@pytest.mark.parametrize("size", [10**6, 10**8, 10**10, MOST // 2])
def test_a_huge_calibration_makes_rates_known(size):
    """tpr and tnr from ever more calibration outputs: the known-rates posterior, up to n/size."""
    known = posterior(Evidence.of((60, 100), rates=(0.9, 0.9), metric=(580, 1000)))
    confusion = Confusion(9 * size // 10, size // 10, 9 * size // 10, size // 10)
    with strategies.patience(size):
        estimated = posterior(one_metric(580, 1000, confusion, (60, 100)))
    assert estimated.mean == pytest.approx(known.mean, abs=10 / size + 1e-9)
    assert estimated.sd == pytest.approx(known.sd, abs=10 / size + 1e-9)


@pytest.mark.parametrize("n", [10**7, MOST])
def test_many_human_ratings(n):
    """The metric cannot move what a million human ratings say."""
    with strategies.patience(n):
        density = posterior(one_metric(540, 1000, Confusion(42, 18, 28, 12), (6 * n // 10, n)))
    assert density.mean == pytest.approx(0.6, abs=3 / n + 1e-9)
    assert density.sd == pytest.approx(np.sqrt(0.24 / n), rel=1e-3)


@pytest.mark.parametrize("pseudo", [_LEAST_PSEUDO_COUNT, 0.1, 1e6, MOST])
@pytest.mark.parametrize(("positive", "total"), [(0, 0), (20, 20), (5, 20), (0, 3)])
def test_priors_from_the_smallest_to_the_largest_allowed(pseudo, positive, total):
    """Pseudo-counts that are accepted must give an answer: the mean of a Beta is known."""
    with strategies.patience(pseudo):
        density = posterior(Evidence.of((positive, total)), Prior(rate=(pseudo, pseudo)))
    assert density.mean == pytest.approx((positive + pseudo) / (total + 2 * pseudo), rel=1e-9)


@given(evidence=strategies.evidences(), prior=strategies.priors())
def test_the_posterior_is_a_distribution(evidence, prior):
    """The density is not negative, the distribution function rises from 0 to 1."""
    density = posterior(evidence, prior)
    values = density.cdf(np.concatenate([[0], GRID, [1]]))
    assert (np.diff(values) >= -1e-12).all()
    assert values[0] == pytest.approx(0, abs=1e-12)
    assert values[-1] == pytest.approx(1, abs=1e-12)
    assert (density.pdf(GRID) >= 0).all()
