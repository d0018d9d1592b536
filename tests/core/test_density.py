"""Moments, quantiles and intervals of a density, each proved by its definition."""

import itertools

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

import strategies
from golden import posterior_case
from oracles import gauss_legendre, uniform_statistic
from tellapart import Confusion, Density, Difference, Evidence, InvalidInput, Tally, posterior
from tellapart.core.density import BetaDensity
from tellapart.core.intervals import invert
from tellapart.core.prior import PRIORS

PROBABILITIES = np.array([1e-9, 1e-4, 0.025, 0.16, 0.5, 0.84, 0.975, 1 - 1e-4, 1 - 1e-9])
# two peaks at the ends; two peaks in conflict; one peak against an end; a narrow one; a broad one
CASES = ("no-calibration", "conflict", "all-good", "none-good", "paired-500-5000", "one-human")


@pytest.fixture(params=CASES)
def density(request):
    return posterior(posterior_case(request.param))


BETAS = [(1, 1), (61, 41), (0.5, 0.5), (0.5, 20.5), (1, 41), (1e7 + 1, 3.0), (2, 1), (0.2, 3), (5001, 5001)]
BETAS += [
    (3.1, 1),
    (1.3, 1),
    (1, 3.1),
    (7.2, 1),
    (1, 7.3),
    (3.15, 1),
    (1e6 + 0.1, 1),
]  # a + b − 2 is not a − 1 in floats


@pytest.mark.parametrize(("a", "b"), BETAS)
def test_beta_distributions(a, b):
    """Where there is a closed form it must come out: 1e-10, relative to the sd where it is small."""
    density, exact = posterior(Evidence.of(), strategies.Prior(rate=(a, b))), stats.beta(a, b)
    assert density.mean == pytest.approx(exact.mean(), rel=1e-12)
    assert density.sd == pytest.approx(exact.std(), rel=1e-10)
    x = exact.ppf(PROBABILITIES)
    told = x < 1 - 1e-12  # nearer to 1 the rate itself is rounded
    np.testing.assert_allclose(density.cdf(x)[told], PROBABILITIES[told], rtol=0, atol=1e-10)
    inner = x[told][1:-1]
    # the density itself changes by its relative slope times the rounding of 1 − rate, 1e-16
    np.testing.assert_allclose(density.pdf(inner), exact.pdf(inner), rtol=1e-8)


@pytest.mark.parametrize("n", [10**7, 10**9, 10**12])
@pytest.mark.parametrize("share", [0.6, 0.001, 1.0])
def test_beta_distributions_from_any_number_of_ratings(n, share):
    """Up to the largest count allowed: closed-form moments, and tails to 1e-6 (an sd is 1e-6 there, a float 1e-16)."""
    positive = round(share * n)
    with strategies.patience(n, share):
        density = posterior(Evidence.of((positive, n)))
    a, b = positive + 1, n - positive + 1
    assert density.mean == pytest.approx(a / (a + b), rel=1e-13)
    assert density.sd == pytest.approx(np.sqrt(a / (a + b) * b / (a + b) / (a + b + 1)), rel=1e-6)
    interval = density.interval(kind="equal-tailed")
    if share < 1:
        np.testing.assert_allclose(stats.beta(a, b).cdf([interval.low, interval.high]), [0.025, 0.975], atol=1e-6)


@pytest.mark.parametrize("n", [10**4, 10**7, 10**9, 10**11])
@pytest.mark.parametrize("all_adequate", [False, True])
def test_all_or_none_of_many(n, all_adequate):
    """Closed form 1 − (1−x)ⁿ⁺¹ at one end, and by symmetry at the other; no more panels for more ratings.

    1e-8: near 1 a rate is rounded to 1e-16, which is 1e-5 of the sd at 10¹¹ and so is not asked for there.
    """
    density = posterior(Evidence.of((n if all_adequate else 0, n)))
    p = np.array([0.001, 0.025, 0.5, 0.975, 0.999])
    if not all_adequate:
        np.testing.assert_allclose(-np.expm1((n + 1) * np.log1p(-density.quantile(p))), p, rtol=0, atol=1e-8)
    assert density.sd == pytest.approx(np.sqrt((n + 1) / (n + 3)) / (n + 2), rel=1e-7)
    assert density._left.size < 500


@pytest.mark.parametrize(("a", "b"), [(61, 41), (1, 41), (41, 1), (2, 1), (3, 3), (1e7 + 1, 3.0)])
def test_mode_of_beta_distributions(a, b):
    """(a−1)/(a+b−2); a maximum is known to the root of the precision only, hence 1e-7 of an sd."""
    density = posterior(Evidence.of(), strategies.Prior(rate=(a, b)))
    assert density.mode == pytest.approx((a - 1) / (a + b - 2), abs=1e-6 * density.sd)


def test_mode_of_a_flat_density_is_its_mean():
    assert posterior(Evidence.of()).mode == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize(
    ("human", "mode"), [((20, 20), 1.0), ((0, 20), 0.0), ((1, 1), 1.0), ((0, 1), 0.0), ((10**6, 10**6), 1.0)]
)
def test_mode_where_the_density_is_infinite(human, mode):
    """Jeffreys' prior with all or none adequate: the density grows without bound towards one end, which is the mode."""
    assert posterior(Evidence.of(human), PRIORS["jeffreys"]).mode == pytest.approx(mode, abs=1e-12)


@pytest.mark.parametrize("mirrored", [False, True])
def test_mode_where_the_density_is_infinite_with_a_metric(mirrored):
    """The same with metric ratings on top, at either end; mirrored counts have the mirrored mode."""
    confusion = Confusion(0, 0, 38, 2) if mirrored else Confusion(38, 2, 0, 0)
    human, metric = (Tally(0, 40), Tally(20, 500)) if mirrored else (Tally(40, 40), Tally(480, 500))
    density = posterior(Evidence.of(human, calibration=confusion, metric=metric), PRIORS["jeffreys"])
    assert density.mode == pytest.approx(0.0 if mirrored else 1.0, abs=1e-12)


def test_mode_of_jeffreys_prior_itself_is_an_end():
    """Both ends are equally infinite; either will do, but an answer there must be."""
    assert posterior(Evidence.of(), PRIORS["jeffreys"]).mode in (0.0, 1.0)


@given(evidence=strategies.evidences(most=100, most_calibration=1000), prior=strategies.priors())
def test_mode_maximises_the_pdf(evidence, prior):
    """Nowhere else is the density higher: neither on a lattice nor at any quantile.

    1e-6: near a maximum the density changes with the square of the distance.
    """
    density = posterior(evidence, prior)
    elsewhere = np.concatenate([np.linspace(0.001, 0.999, 400), density.quantile(np.linspace(0.001, 0.999, 50))])
    elsewhere = elsewhere[(elsewhere > 0) & (elsewhere < 1)]
    assert 0 <= density.mode <= 1
    with np.errstate(divide="ignore"):  # an infinite density at the mode is as high as it gets
        highest = float(density.pdf(density.mode))
    assert highest >= density.pdf(elsewhere).max() * (1 - 1e-6)


def test_quantile_inverts_cdf(density):
    """cdf(quantile(p)) = p at 1e-9, from one in a billion to all but one in a billion."""
    np.testing.assert_allclose(density.cdf(density.quantile(PROBABILITIES)), PROBABILITIES, rtol=0, atol=1e-9)


def test_quantile_is_monotone_and_ends_at_0_and_1(density):
    values = density.quantile(np.linspace(0, 1, 1001))
    assert (np.diff(values) > 0).all()
    assert (values[0], values[-1]) == (0.0, 1.0)


@given(evidence=strategies.evidences(), prior=strategies.priors())
def test_quantile_inverts_cdf_on_nasty_counts(evidence, prior):
    density = posterior(evidence, prior)
    p = np.array([0.001, 0.025, 0.5, 0.975, 0.999])
    x = density.quantile(p)
    inside = (x > 1e-290) & (x < 1 - 1e-9)  # a rate next to 1 has no neighbours fine enough to show the tail
    np.testing.assert_allclose(density.cdf(x)[inside], p[inside], rtol=0, atol=1e-9)
    assert ((x >= 0) & (x <= 1)).all()
    assert (np.diff(x) >= 0).all()


def test_pdf_integrates_to_cdf(density):
    """∫ pdf from 0 to x by plain Gauss-Legendre is cdf(x), and to 1 it is 1; 1e-9 as promised."""
    edges = np.concatenate([[0.0], density.quantile(np.array([0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999])), [1.0]])
    parts = []
    for low, high in itertools.pairwise(edges):
        x, weights = gauss_legendre(low, high, 60)
        parts.append(density.pdf(x) @ weights)
    np.testing.assert_allclose(np.cumsum(parts), density.cdf(edges[1:]), rtol=0, atol=1e-9)


def test_moments_are_those_of_the_pdf(density):
    x, weights = gauss_legendre(0.0, 1.0, 250)
    masses = density.pdf(x) * weights
    assert masses @ x == pytest.approx(density.mean, abs=1e-9)
    assert np.sqrt(masses @ (x - density.mean) ** 2) == pytest.approx(density.sd, abs=1e-9)


def test_median_halves(density):
    assert density.cdf(density.median) == pytest.approx(0.5, abs=1e-10)


def test_pdf_and_cdf_outside_of_the_unit_interval(density):
    np.testing.assert_array_equal(density.pdf(np.array([-0.1, 1.1])), 0.0)
    np.testing.assert_allclose(density.cdf(np.array([-0.1, 0.0, 1.0, 1.1])), [0, 0, 1, 1], rtol=0, atol=1e-14)


def test_scalars_in_scalars_out(density):
    """A float gives a float, an array an array of the same shape."""
    for method in (density.pdf, density.cdf, density.quantile):
        assert np.ndim(method(0.3)) == 0
        assert method(np.full((2, 3), 0.3)).shape == (2, 3)
        assert method(np.full((2, 3), 0.3))[1, 2] == pytest.approx(method(0.3))


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.999])
def test_interval_leaves_equal_tails(density, level):
    """Feed the ends back: each tail is what was asked, at 1e-9."""
    interval = density.interval(level, kind="equal-tailed")
    assert density.cdf(interval.low) == pytest.approx((1 - level) / 2, abs=1e-9)
    assert 1 - density.cdf(interval.high) == pytest.approx((1 - level) / 2, abs=1e-9)
    assert interval.width == interval.high - interval.low


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.999])
def test_shortest_interval(density, level):
    """The right mass, no wider than the equal-tailed one (1e-10 for ties), and no shift makes it shorter."""
    shortest, equal = density.interval(level, kind="highest-density"), density.interval(level, kind="equal-tailed")
    assert density.cdf(shortest.high) - density.cdf(shortest.low) == pytest.approx(level, abs=1e-9)
    assert shortest.width <= equal.width + 1e-10
    tails = np.linspace(0, 1 - level, 101)
    assert (density.quantile(tails + level) - density.quantile(tails)).min() >= shortest.width - 1e-8


def test_shortest_interval_of_a_single_peak_has_ends_of_equal_height():
    """The definition of a highest-density interval."""
    density = posterior(posterior_case("conflict"))
    interval = density.interval()
    low, high = density.pdf(np.array([interval.low, interval.high]))
    assert low == pytest.approx(high, rel=1e-7)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.9999])
@pytest.mark.parametrize("counts", [(60, 100), (1, 20), (19, 20), (3, 10**6), (999, 1000), (5, 10), (0, 20), (20, 20)])
def test_shortest_interval_of_a_beta(counts, level):
    """Against the least width over all tails by scipy's own Beta and minimiser."""
    positive, total = counts
    exact = stats.beta(positive + 1, total - positive + 1)
    by = {"bounds": (0, 1 - level), "method": "bounded", "options": {"xatol": 1e-12}}
    inner = optimize.minimize_scalar(lambda tail: exact.ppf(tail + level) - exact.ppf(tail), **by).x
    width = min(exact.ppf(tail + level) - exact.ppf(tail) for tail in (0.0, inner, 1 - level))
    interval = posterior(Evidence.of(counts)).interval(level)
    assert interval.width == pytest.approx(width, rel=1e-9)
    assert exact.cdf(interval.high) - exact.cdf(interval.low) == pytest.approx(level, abs=1e-10)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
@pytest.mark.parametrize(
    ("a", "b"), [(61, 41), (2, 190), (1.01, 5), (1, 1), (1, 20), (0.5, 0.5), (0.5, 30), (6e5, 5e5)]
)
def test_beta_distributions_in_closed_form_are_what_panels_say(a, b, level):
    """And panels are there when something else is asked for."""

    def log_density(rate, complement):
        return (a - 1) * np.log(np.maximum(rate, 1e-300)) + (b - 1) * np.log(np.maximum(complement, 1e-300))

    closed, panels = (kind(log_density, (a, b), noise=1e-12) for kind in (BetaDensity, Density))
    for name in ("mean", "sd", "mode"):
        assert getattr(closed, name) == pytest.approx(getattr(panels, name), rel=1e-8)
    one, two = closed.interval(level), panels.interval(level)
    assert [one.low, one.high] == pytest.approx([two.low, two.high], abs=1e-7 * panels.sd)
    assert closed.cdf(0.3) == panels.cdf(0.3)
    assert closed.greater(panels) == pytest.approx(0.5, abs=1e-8)
    with pytest.raises(AttributeError):
        _ = closed.nothing


def test_where_all_intervals_are_as_short_the_middle_one_is_taken():
    """No ratings, or a metric of which nobody knows which way round it is: no side is to be preferred."""
    for evidence in (Evidence.of(), Evidence.of(calibration=Confusion(0, 0, 0, 0), metric=(540, 1000))):
        interval = posterior(evidence).interval()
        assert interval.low + interval.high == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("counts", [(60, 100), (1, 20), (999, 1000), (3, 10**6), (123456, 10**6)])
def test_mode_of_a_beta(counts):
    assert posterior(Evidence.of(counts)).mode == pytest.approx(counts[0] / counts[1], rel=1e-12)


def test_a_spike_without_mass_is_no_mode():
    """Jeffreys' prior is infinite at 0, but a calibrated metric that passes half of the outputs rules 0 out."""
    given = Evidence.of(calibration=Confusion(tp=90, fn=10, tn=80, fp=20), metric=(500, 1000))
    density = posterior(given, PRIORS["jeffreys"])
    x = np.linspace(0.3, 0.6, 200_001)
    assert density.mode == pytest.approx(x[density.pdf(x).argmax()], abs=2e-6)
    assert posterior(Evidence.of((0, 20)), PRIORS["jeffreys"]).mode == 0.0


def test_sample_follows_the_distribution(density):
    """Fed through the cdf, draws are uniform: √n·D < 1.95 fails once in a thousand, and the seed is fixed."""
    values = density.sample(4000, np.random.default_rng(20))
    assert uniform_statistic(density.cdf(values)) < 1.95


def test_sample_depends_on_the_generator_alone(density):
    one, two = (density.sample(5, np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert (density.sample(5, np.random.default_rng(4)) != one).all()


@given(first=strategies.evidences(), second=strategies.evidences(), prior=strategies.priors())
def test_probabilities_of_a_pair_add_up_to_one(first, second, prior):
    """There are no ties between continuous rates; each side is integrated in its own way. 1e-9 as for the cdf."""
    one, two = posterior(first, prior), posterior(second, prior)
    forward, backward = one.greater(two), two.greater(one)
    assert forward + backward == pytest.approx(1, abs=1e-9)
    assert -1e-12 <= forward <= 1 + 1e-12


def test_a_density_beats_itself_half_the_time(density):
    assert density.greater(density) == pytest.approx(0.5, abs=1e-10)


@pytest.mark.parametrize(("first", "second"), [((60, 100), (50, 100)), ((40, 40), (39, 40)), ((1, 3), (500, 1000))])
def test_greater_for_beta_distributions(first, second):
    """P(X > Y) = ∫ f(x) G(x) dx for closed-form f and G."""
    one, two = (posterior(Evidence.of(pair)) for pair in (first, second))
    x, weights = gauss_legendre(0.0, 1.0, 2000)
    f, g = (stats.beta(positive + 1, total - positive + 1) for positive, total in (first, second))
    assert one.greater(two) == pytest.approx(float((f.pdf(x) * g.cdf(x)) @ weights), abs=1e-11)


@pytest.fixture(
    params=[("paired-100-1000", "conflict"), ("all-good", "near-perfect-system"), ("one-human", "metric-only")]
)
def pair(request):
    return tuple(posterior(posterior_case(name)) for name in request.param)


def test_difference_moments(pair):
    """Means subtract, variances add."""
    difference = Difference(*pair)
    assert difference.mean == pytest.approx(pair[0].mean - pair[1].mean, abs=1e-14)
    assert difference.sd == pytest.approx(np.sqrt(pair[0].sd ** 2 + pair[1].sd ** 2), rel=1e-13)


def test_difference_moments_agree_with_its_distribution(pair):
    """E[D] = ∫ (1 − F) − 1 over [−1, 1], by quadrature of the cdf itself."""
    x, weights = gauss_legendre(-1.0, 1.0, 20)
    difference = Difference(*pair)
    mean = sum(w * (1 - difference.cdf(float(d))) for d, w in zip(x, weights, strict=True)) - 1
    assert mean == pytest.approx(difference.mean, abs=1e-6)  # 400 points on a curve with a steep part


def test_difference_cdf_by_convolution(pair):
    """P(D ≤ d) = ∫ p₂(y) F₁(y+d) dy on a fine grid of y."""
    one, two = pair
    x, weights = gauss_legendre(0.0, 1.0, 2000)
    masses = two.pdf(x) * weights
    for d in (-0.6, -0.2, -0.01, 0.0, 0.03, 0.3):
        assert Difference(one, two).cdf(d) == pytest.approx(float(masses @ one.cdf(np.clip(x + d, 0, 1))), abs=1e-8)


def test_difference_cdf_is_monotone_from_0_to_1(pair):
    values = [Difference(*pair).cdf(float(d)) for d in np.linspace(-1.2, 1.2, 97)]
    assert (values[0], values[-1]) == (0.0, 1.0)
    assert (np.diff(values) > -1e-10).all()


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_difference_interval_leaves_equal_tails(pair, level):
    difference = Difference(*pair)
    interval = difference.interval(level, kind="equal-tailed")
    assert difference.cdf(interval.low) == pytest.approx((1 - level) / 2, abs=1e-9)
    assert difference.cdf(interval.high) == pytest.approx((1 + level) / 2, abs=1e-9)
    assert -1 <= interval.low < interval.high <= 1


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("level", [0.95, 0.999, 0.9999])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((300, 300), (1999, 2000)),
        ((1999, 2000), (300, 300)),
        ((40, 40), (2000, 2000)),
        ((0, 5), (0, 2000)),
        ((1, 1), (0, 1)),
    ],
)
def test_difference_interval_of_lopsided_rates(prior, level, first, second):
    """A hard edge on one side and a long tail on the other: far from the normal guess that the search starts with."""
    difference = Difference(*(posterior(Evidence.of(tally), PRIORS[prior]) for tally in (first, second)))
    interval = difference.interval(level, kind="equal-tailed")
    assert interval.low < interval.high
    assert difference.cdf(interval.low) == pytest.approx((1 - level) / 2, abs=1e-9)
    assert difference.cdf(interval.high) == pytest.approx((1 + level) / 2, abs=1e-9)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_shortest_difference_interval(pair, level):
    """The level between its ends, as dense at one as at the other, no wider than the equal-tailed one."""
    difference = Difference(*pair)
    interval = difference.interval(level)
    assert difference.cdf(interval.high) - difference.cdf(interval.low) == pytest.approx(level, abs=1e-8)
    step = 1e-3 * difference.sd
    low, high = (difference.cdf(end + step) - difference.cdf(end - step) for end in (interval.low, interval.high))
    assert low == pytest.approx(high, rel=1e-4)
    assert interval.width <= difference.interval(level, kind="equal-tailed").width + 1e-9


def test_an_unknown_kind_of_interval():
    with pytest.raises(InvalidInput, match="highest-density, equal-tailed"):
        posterior(Evidence.of((1, 2))).interval(kind="central")


def test_difference_and_its_mirror(pair):
    one, two = Difference(*pair), Difference(*pair[::-1])
    assert one.probability_positive + two.probability_positive == pytest.approx(1, abs=1e-10)
    assert one.quantile(0.1) == pytest.approx(-two.quantile(0.9), abs=1e-8)


@given(evidence=strategies.huge_evidences(), prior=strategies.priors(), level=st.sampled_from((0.5, 0.95, 0.9999)))
@settings(phases=[Phase.generate])  # a slow example is not worth hundreds of slow attempts to shrink it
def test_intervals_stay_inside_and_never_have_zero_width(evidence, prior, level):
    """However many ratings: something is left to doubt, and nothing lies outside of [0, 1]."""
    with strategies.patience(evidence, prior):
        density = posterior(evidence, prior)
    for kind in ("equal-tailed", "highest-density"):
        interval = density.interval(level, kind=kind)
        assert 0 <= interval.low < interval.high <= 1
    assert 0 < density.mean < 1
    assert density.sd > 0


def test_densities_given_by_any_formula():
    """The class takes any log density, normalised or not: a triangle, whose moments are known."""
    density = Density(lambda rate, _: np.log(rate) + 5, (2.0, 1.0))
    assert density.mean == pytest.approx(2 / 3, abs=1e-11)
    assert density.sd == pytest.approx(np.sqrt(1 / 18), abs=1e-11)
    assert density.cdf(0.3) == pytest.approx(0.09, abs=1e-11)


def test_two_narrow_peaks_far_apart():
    """A metric that may as well be inverted: a peak of width 1e-4 near 0.05 and one near 0.95, none to be lost."""

    def log_density(rate, complement):
        peaks = [-0.5 * ((rate - 0.05) / 1e-4) ** 2, -0.5 * ((complement - 0.05) / 1e-4) ** 2]
        return np.logaddexp(*peaks)

    density = Density(log_density)
    assert density.mean == pytest.approx(0.5, abs=1e-9)
    assert density.sd == pytest.approx(0.45, abs=1e-6)


@pytest.mark.parametrize("probability", [1e-6, 0.025, 0.5, 0.999])
@pytest.mark.parametrize("sd", [1e-4, 0.1, 0.5])
def test_invert_solves_for_a_probability(probability, sd):
    """Secant steps from a normal guess end at the root, even if mean and sd are wrong by far."""
    exact = stats.uniform(-0.7, 1.1)
    x = invert(exact.cdf, probability, mean=0.3, sd=sd)
    assert exact.cdf(x) == pytest.approx(probability, abs=1e-10)


def test_a_known_perfect_metric_is_a_human():
    """tpr = tnr = 1: its ratings count like human ones.

    Quantiles to 1e-10, and to what the last digit of a probability moves them by where the density is low.
    """
    one = posterior(Evidence.of((12, 20), rates=(1.0, 1.0), metric=(600, 1000)))
    two = posterior(Evidence.of((612, 1020)))
    assert one.mean == pytest.approx(two.mean, abs=1e-11)
    x = two.quantile(PROBABILITIES)
    assert np.all(np.abs(one.quantile(PROBABILITIES) - x) <= 1e-10 + 8 * np.spacing(PROBABILITIES) / two.pdf(x))
