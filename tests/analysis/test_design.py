"""Measurable differences: exact, with power, and in large samples."""

import math

import pytest

from tellapart import Design, InvalidInput, UselessMetric, large_sample_difference, measurable_difference, worth


def test_acceptance_value():
    result = measurable_difference(Design(0.6, 0.7, 0.7, 100, 1000))
    golden_sd, z = 0.0448250438612, 1.959963984540054
    assert result.measurable_difference == pytest.approx(math.sqrt(2) * z * golden_sd, abs=1e-10)


def test_power_is_on_top():
    """1.43 times as much for a power of 80 %, and nothing more for a power of one half."""
    result = measurable_difference(Design(0.6, 0.7, 0.7, 100, 1000))
    assert result.with_power(0.8) / result.measurable_difference == pytest.approx(1.4294, abs=1e-4)
    assert result.with_power(0.5) == pytest.approx(result.measurable_difference, abs=1e-15)


@pytest.mark.parametrize(("accuracy", "expected"), [(0.7, 0.155), (0.9, 0.63), (0.6, 0.038), (0.5, 0.0), (1.0, 1.0)])
def test_worth(accuracy, expected):
    assert worth(0.6, accuracy, accuracy) == pytest.approx(expected, abs=5e-3 if expected == 0.63 else 5e-4)


@pytest.mark.parametrize("known_rates", [False, True])
@pytest.mark.parametrize("accuracy", [0.6, 0.7, 0.9])
def test_large_samples(known_rates, accuracy):
    """The formula and the exact posterior agree within a percent at thousands of ratings."""
    design = Design(0.6, accuracy, accuracy, 5000, 50_000, known_rates=known_rates)
    exact = measurable_difference(design).measurable_difference
    assert large_sample_difference(design) == pytest.approx(exact, rel=0.01)


def test_double_sampling():
    """Tenenbein's variance: calibration outputs are the human-rated ones, N further metric ratings."""
    n, further = 4000, 40_000
    kappa = worth(0.6, 0.8, 0.75)
    sd = math.sqrt(0.24 * ((1 - kappa) / n + kappa / (n + further)))
    assert measurable_difference(Design(0.6, 0.8, 0.75, n, further)).sd == pytest.approx(sd, rel=0.01)


def test_nothing_rated_is_the_prior():
    assert measurable_difference(Design(0.6, 0.7, 0.7, 0, 0)).measurable_difference == pytest.approx(0.8002, abs=1e-4)
    with pytest.raises(UselessMetric):
        large_sample_difference(Design(0.6, 0.7, 0.7, 0, 0))


def test_rounding_matters_where_the_paper_says():
    """Half to even and half up differ at .5: 250 outputs at rate .6, accuracy .99."""
    up, even = (Design(0.6, 0.99, 0.99, 250, 1000, rounding=r).evidence for r in ("half-up", "half-even"))
    assert up != even


def test_words():
    text = str(measurable_difference(Design(0.6, 0.7, 0.7, 100, 1000)))
    assert "12.4 points" in text
    assert "15% of the human ratings" in text


@pytest.mark.parametrize(
    "wrong",
    [{"rate": 1.2}, {"tpr": -0.1}, {"n_human": -1}, {"n_metric": 1.5}, {"confidence_level": 1}, {"n_calibration": -2}],
)
def test_wrong_designs(wrong):
    with pytest.raises(InvalidInput):
        Design(**({"rate": 0.6, "tpr": 0.7, "tnr": 0.7, "n_human": 1, "n_metric": 1} | wrong))
