"""Nearly normal distributions by four cumulants, and mixtures of them."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from tellapart.core.mixture import Cumulants, DifferenceMixture, Edgeworth, Mixture, RateMixture

SHAPES = ((3.0, 7.0), (30.0, 12.0), (200.0, 5.0))


def beta_moments(a, b):
    """The means of the first four powers, in closed form."""
    return np.cumprod([(a + i) / (a + b + i) for i in range(4)])


def beta_cumulants(a, b):
    mean, variance, skew, peak = (float(x) for x in stats.beta(a, b).stats("mvsk"))
    return mean, variance, skew * variance**1.5, peak * variance**2


def gamma_cumulants(shape):
    """The k-th cumulant is (k − 1)! times the shape."""
    return Cumulants(*(np.array([math.factorial(k) * shape]) for k in range(4)))


def test_cumulants_of_moments():
    found = Cumulants.of_moments(np.array([beta_moments(*shape) for shape in SHAPES]))
    for i, shape in enumerate(SHAPES):
        assert [part[i] for part in found] == pytest.approx(beta_cumulants(*shape), rel=1e-6, abs=1e-12)


def test_cumulants_do_not_depend_on_origin_and_unit():
    """Of 2 + 3·x, and of the powers of x − 0.7 instead of those of x."""
    x, w = np.polynomial.legendre.leggauss(60)
    x, w = (x + 1) / 2, w / 2 * stats.beta(30, 12).pdf((x + 1) / 2)
    moments = np.array([[w @ (x - 0.7) ** power for power in range(1, 5)]])
    plain = beta_cumulants(30, 12)
    found = Cumulants.of_moments(moments, 0.7)
    assert [part[0] for part in found] == pytest.approx(plain, rel=1e-8)
    mean, *rest = (part[0] for part in Cumulants.of_moments(moments, 2 + 3 * 0.7, 3.0))
    assert mean == pytest.approx(2 + 3 * plain[0], rel=1e-10)
    assert rest == pytest.approx([3**k * value for k, value in zip((2, 3, 4), plain[1:], strict=True)], rel=1e-8)


def test_cumulants_of_a_difference_against_its_moments():
    """Independent numbers: the moments of x − y by binomial sums."""
    one, two = beta_moments(30, 12), beta_moments(8, 14)
    powers = [np.array([1.0, *moments]) for moments in (one, two)]
    gap = [
        sum(math.comb(k, j) * powers[0][k - j] * (-1) ** j * powers[1][j] for j in range(k + 1)) for k in range(1, 5)
    ]
    expected = Cumulants.of_moments(np.array([gap]))
    found = Cumulants.of_moments(one[None]).minus(Cumulants.of_moments(two[None]))
    for got, want in zip(found, expected, strict=True):
        assert got == pytest.approx(want, rel=1e-7, abs=1e-12)


def test_a_normal_distribution_is_exact():
    cumulants = Cumulants(*(np.array([value]) for value in (0.3, 4.0, 0.0, 0.0)))
    x = np.linspace(-6, 6, 25)
    below, density = Edgeworth(cumulants).cdf_and_pdf(x)
    normal = stats.norm(0.3, 2)
    assert below[0] == pytest.approx(normal.cdf(x), abs=1e-14)
    assert density[0] == pytest.approx(normal.pdf(x), abs=1e-14)


@pytest.mark.parametrize(("shape", "error"), [(20.0, 2.5e-3), (80.0, 4e-4), (320.0, 6e-5)])
def test_edgeworth_s_series_against_the_gamma_distribution(shape, error):
    """What is left out is of the order of the cube of the skewness: an eighth with four times the shape."""
    x = stats.gamma(shape).ppf(np.linspace(0.001, 0.999, 101))
    below, density = Edgeworth(gamma_cumulants(shape)).cdf_and_pdf(x)
    assert np.abs(below[0] - stats.gamma(shape).cdf(x)).max() < error
    assert np.abs(density[0] - stats.gamma(shape).pdf(x)).max() * np.sqrt(shape) < 3 * error


def test_draws_have_the_cumulants():
    """Cornish and Fisher's series; mean and sd to four standard errors, skewness to what the series leaves out."""
    drawn = gamma_cumulants(60.0).sample(np.zeros(200_000, dtype=int), np.random.default_rng(3))
    assert drawn.mean() == pytest.approx(60, abs=4 * np.sqrt(60 / 200_000))
    assert drawn.std() == pytest.approx(np.sqrt(60), rel=0.01)
    assert stats.skew(drawn) == pytest.approx(2 / np.sqrt(60), abs=0.04)


def test_skewness_beyond_what_the_series_can_bear_is_still_a_distribution():
    below, density = Edgeworth(gamma_cumulants(0.5)).cdf_and_pdf(np.linspace(-3, 6, 50))
    assert ((below >= 0) & (below <= 1)).all()
    assert (density >= 0).all()


# mixtures


WEIGHTS = np.array([0.3, 0.7])
LOGITS = Cumulants(np.array([0.2, 1.1]), np.array([0.04, 0.09]), np.zeros(2), np.zeros(2))


def rates_of(logits):
    """The cumulants of the rates, by quadrature."""
    z, w = np.polynomial.hermite_e.hermegauss(40)
    rates = expit(logits.mean[:, None] + np.sqrt(logits.variance)[:, None] * z)
    return Cumulants.of_moments(np.stack([rates**k @ (w / w.sum()) for k in range(1, 5)], axis=1))


def test_a_mixture_of_rates():
    """Density, distribution function, moments and quantiles are of one distribution."""
    mixture = RateMixture(WEIGHTS, rates_of(LOGITS), LOGITS)
    x, w = np.polynomial.legendre.leggauss(200)
    x, w = (x + 1) / 2, w / 2
    density = mixture.pdf(x)
    assert w @ density == pytest.approx(1, abs=1e-9)
    assert w @ (density * x) == pytest.approx(mixture.mean, abs=1e-9)
    assert np.sqrt(w @ (density * (x - mixture.mean) ** 2)) == pytest.approx(mixture.sd, abs=1e-9)
    half = x < 0.7
    assert mixture.cdf(0.7) == pytest.approx(WEIGHTS @ stats.norm.cdf((np.log(7 / 3) - LOGITS.mean) / [0.2, 0.3]))
    assert mixture.cdf(0.7) == pytest.approx(w[half] @ density[half], abs=0.02)  # a jump at 0.7 is no polynomial
    assert mixture.cdf(mixture.quantile(0.2)) == pytest.approx(0.2, abs=1e-8)
    assert mixture.cdf(np.array([-0.1, 0.0, 1.0, 1.1])).tolist() == [0, 0, 1, 1]
    interval = mixture.interval(0.9)
    assert mixture.cdf(interval.high) - mixture.cdf(interval.low) == pytest.approx(0.9, abs=1e-6)


def test_a_mixture_of_differences_tells_the_larger_rate_by_logits():
    other = Cumulants(np.array([0.5, 0.8]), np.array([0.05, 0.02]), np.zeros(2), np.zeros(2))
    gap = DifferenceMixture(WEIGHTS, rates_of(LOGITS).minus(rates_of(other)), LOGITS.minus(other))
    chances = stats.norm.cdf((LOGITS.mean - other.mean) / np.sqrt(LOGITS.variance + other.variance))
    assert gap.probability_positive == pytest.approx(WEIGHTS @ chances, abs=1e-12)
    drawn = np.random.default_rng(4).normal(size=(2, 2, 200_000))
    rates = [
        expit(c.mean[:, None] + np.sqrt(c.variance)[:, None] * z) for c, z in zip((LOGITS, other), drawn, strict=True)
    ]
    differences = rates[0] - rates[1]
    assert gap.mean == pytest.approx(WEIGHTS @ differences.mean(axis=1), abs=1e-3)
    assert gap.cdf(0.05) == pytest.approx(WEIGHTS @ (differences < 0.05).mean(axis=1), abs=4e-3)


def test_a_mixture_ends_at_the_ends_of_its_support():
    wide = Mixture(np.ones(1), Cumulants(*(np.array([value]) for value in (0.0, 1.0, 0.0, 0.0))))
    assert wide.cdf(np.array([-1.5, 1.5])).tolist() == [0, 1]
    assert wide.pdf(np.array([-1.5, 1.5])).tolist() == [0, 0]
