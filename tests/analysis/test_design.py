"""What difference can be measured: published values, the large-sample formulas, and the counts behind them."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import tellapart as ta
from tellapart import (
    Confusion,
    Design,
    InvalidInput,
    KnownRates,
    UselessMetric,
    large_sample_difference,
    measurable_difference,
    posterior,
    worth,
)

Z = stats.norm.ppf(0.975)


def design(**changes):
    """Return the everyday design, with changes."""
    return Design(**{"rate": 0.6, "tpr": 0.7, "tnr": 0.7, "n_human": 100, "n_metric": 1000, **changes})


def epsilon(**changes):
    return measurable_difference(design(**changes)).measurable_difference


PUBLISHED = [  # tpr = tnr, known rates, human, metric, printed
    (0.7, True, 100, 0, "0.134"),
    (0.7, True, 100, 1000, "0.085"),
    (0.7, True, 0, 1000, "0.109"),
    (0.7, True, 5000, 50_000, "0.012"),
    (0.51, False, 100, 1000, "0.133"),
    (0.7, False, 100, 1000, "0.124"),
    (0.7, False, 0, 1000, "0.734"),
    (0.9, False, 250, 10_000, "0.054"),
    (0.9, False, 1000, 100_000, "0.026"),
]


@pytest.mark.parametrize(("quality", "known", "human", "metric", "printed"), PUBLISHED)
def test_published_cells(quality, known, human, metric, printed):
    """The exact value rounds to what the paper prints."""
    value = epsilon(tpr=quality, tnr=quality, known_rates=known, n_human=human, n_metric=metric, rounding="half-even")
    assert f"{value:.3f}" == printed


@pytest.mark.parametrize(
    ("rate", "quality", "human", "calibration", "metric", "expected"),
    [
        (0.65, 0.6, 100, 527, 1000, 0.1232),
        (0.65, 0.52, 100, 527, 1000, 0.1298),
        (0.65, 0.6, 100, 527, 10_000, 0.1202),
        (0.65, 0.52, 100, 527, 10_000, 0.1295),
        (0.65, 0.6, 527, 527, 1000, 0.0567),
        (0.65, 0.52, 527, 527, 1000, 0.0574),
    ],
)
def test_separate_calibration(rate, quality, human, calibration, metric, expected):
    """Where noise was once mistaken for precision: .020 instead of .1232."""
    value = epsilon(rate=rate, tpr=quality, tnr=quality, n_human=human, n_calibration=calibration, n_metric=metric)
    assert value == pytest.approx(expected, abs=6e-5)


def test_definition():
    """ε = √2 · σ · z, with σ from the posterior at the expected counts."""
    result = measurable_difference(design())
    sigma = posterior(ta.Evidence.of((60, 100), calibration=Confusion(42, 18, 28, 12), metric=(540, 1000))).sd
    assert result.sd == pytest.approx(sigma, rel=1e-12)
    assert result.measurable_difference == pytest.approx(math.sqrt(2) * sigma * Z, rel=1e-12)


def test_acceptance_value():
    """From the golden standard deviation, without any posterior."""
    assert epsilon() == pytest.approx(math.sqrt(2) * Z * 0.0448250438612, abs=1e-10)


def test_nothing_rated_is_the_prior():
    """√2 · z / √12 = .800; the paper prints 1.000."""
    assert epsilon(n_human=0, n_metric=0) == pytest.approx(math.sqrt(2 / 12) * Z, abs=1e-9)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_confidence_level(level):
    expected = math.sqrt(2) * measurable_difference(design()).sd * stats.norm.ppf(0.5 + level / 2)
    assert epsilon(confidence_level=level) == pytest.approx(expected, rel=1e-12)
    factor = stats.norm.ppf(0.5 + level / 2) / Z
    assert large_sample_difference(design(confidence_level=level)) == pytest.approx(
        factor * large_sample_difference(design()), rel=1e-12
    )


def test_power():
    """Found half the time at ε itself; 1.43 × ε for 80%."""
    result = measurable_difference(design())
    assert result.with_power(0.5) == pytest.approx(result.measurable_difference, rel=1e-12)
    assert result.with_power(0.8) / result.measurable_difference == pytest.approx(1.4294, abs=1e-4)
    assert result.with_power() == result.with_power(0.8)
    with pytest.raises(InvalidInput, match="ends excluded"):
        result.with_power(1.0)


# expected counts


def test_expected_counts():
    evidence = design().evidence
    assert str(evidence.human) == "60/100"
    assert evidence.confusion == Confusion(tp=42, fn=18, tn=28, fp=12)
    assert evidence.own.metric_only == (460, 540)


def test_rounding_half_up_and_half_to_even():
    """The text of the paper says one, its tables were made with the other: 0.5·101 is 51 or 50."""
    up, even = (
        design(rate=0.5, n_human=101, n_metric=0, rounding=r).evidence.human.positive for r in ("half-up", "half-even")
    )
    assert (up, even) == (51, 50)
    assert design(rate=0.5, n_human=103, n_metric=0, rounding="half-even").evidence.human.positive == 52


def test_the_row_that_shows_the_papers_rounding():
    """tpr = tnr = .99 with 250 human ratings: 148.5 true positives."""
    up, even = (
        design(tpr=0.99, tnr=0.99, n_human=250, rounding=r).evidence.confusion.tp for r in ("half-up", "half-even")
    )
    assert (up, even) == (149, 148)


def test_calibration_of_its_own():
    """So many outputs, so many of them adequate."""
    confusion = design(n_calibration=500, calibration_rate=0.5).evidence.confusion
    assert (confusion.tp + confusion.fn, confusion.tn + confusion.fp) == (250, 250)
    assert design().n_calibration == 100
    assert design().calibration_rate == 0.6


def test_known_rates_have_no_calibration():
    assert design(known_rates=True).evidence.rates == KnownRates(0.7, 0.7)


def test_without_metric_ratings_there_is_no_metric():
    assert design(n_metric=0).evidence.levels == 0


@given(
    rate=st.floats(0, 1),
    tpr=st.floats(0, 1),
    tnr=st.floats(0, 1),
    n=st.integers(0, 300),
    calibration=st.integers(0, 300),
    rounding=st.sampled_from(("half-up", "half-even")),
)
def test_expected_counts_always_fit(rate, tpr, tnr, n, calibration, rounding):
    """However odd the rates: counts that evidence accepts, no more adequate than rated, no negative cell."""
    evidence = design(
        rate=rate, tpr=tpr, tnr=tnr, n_human=n, n_calibration=calibration, n_metric=50, rounding=rounding
    ).evidence
    confusion = evidence.confusion
    assert confusion.human.total == calibration
    assert evidence.n_metric == 50
    assert abs(evidence.human.positive - rate * n) <= 0.5 + 1e-9


# large samples


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(("rate", "tpr", "tnr"), [(0.6, 0.7, 0.7), (0.8, 0.9, 0.75), (0.35, 0.62, 0.88)])
def test_large_sample_formula_meets_the_exact_value(rate, tpr, tnr, known):
    """Within two percent at 10,000 human and 50,000 metric ratings, within five at 1000 and 5000."""
    for human, metric, tolerance in ((10_000, 50_000, 0.02), (1000, 5000, 0.05)):
        chosen = design(rate=rate, tpr=tpr, tnr=tnr, n_human=human, n_metric=metric, known_rates=known)
        exact = measurable_difference(chosen).measurable_difference
        assert large_sample_difference(chosen) == pytest.approx(exact, rel=tolerance)


def test_large_sample_formula_with_a_separate_calibration():
    chosen = design(n_human=2000, n_calibration=20_000, calibration_rate=0.5, n_metric=50_000)
    exact = measurable_difference(chosen).measurable_difference
    assert large_sample_difference(chosen) == pytest.approx(exact, rel=0.03)


def test_large_sample_formula_by_hand():
    """The variances of the docstring, number by number."""
    v_human = 0.24 / 100
    v_metric = (0.54 * 0.46 / 1000 + 0.36 * 0.21 / 60 + 0.16 * 0.21 / 40) / 0.16
    sigma = math.sqrt(1 / (1 / v_human + 1 / v_metric))
    assert large_sample_difference(design()) == pytest.approx(math.sqrt(2) * sigma * Z, rel=1e-12)


@pytest.mark.parametrize(("rate", "tpr", "tnr"), [(0.6, 0.7, 0.7), (0.8, 0.9, 0.75), (0.35, 0.62, 0.88)])
@pytest.mark.parametrize("n_metric", [0, 1000, 10**6])
def test_double_sampling(rate, tpr, tnr, n_metric):
    """σ² = α(1−α)·[(1−κ)/n + κ/(n+N)] where the human-rated outputs are the calibration (Tenenbein 1970).

    It is the limit of the exact posterior: within one percent at n = 20,000.
    """
    n, kappa = 20_000, worth(rate, tpr, tnr)
    sigma = math.sqrt(rate * (1 - rate) * ((1 - kappa) / n + kappa / (n + n_metric)))
    exact = measurable_difference(design(rate=rate, tpr=tpr, tnr=tnr, n_human=n, n_metric=n_metric)).sd
    assert exact == pytest.approx(sigma, rel=0.01)


def test_double_sampling_is_the_large_sample_formula():
    """The two formulas of the theory are one: equal to rounding for any sizes."""
    for n, more in ((100, 1000), (50, 7), (1000, 10**6)):
        kappa = worth(0.6, 0.7, 0.7)
        sigma = math.sqrt(0.24 * ((1 - kappa) / n + kappa / (n + more)))
        assert large_sample_difference(design(n_human=n, n_metric=more)) == pytest.approx(
            math.sqrt(2) * sigma * Z, rel=1e-9
        )


def test_no_number_of_metric_ratings_beats_the_worth():
    """However many are bought, they replace at most a share κ of the human ratings."""
    sigma = measurable_difference(design(n_human=10_000, n_metric=10**9)).sd
    floor = math.sqrt(0.24 * (1 - worth(0.6, 0.7, 0.7)) / 10_000)
    assert sigma == pytest.approx(floor, rel=0.01)


@pytest.mark.parametrize(("quality", "expected"), [(0.7, 0.155), (0.9, 0.63), (0.6, 0.038)])
def test_worth(quality, expected):
    assert worth(0.6, quality, quality) == pytest.approx(expected, abs=0.005 if expected == 0.63 else 0.0005)


def test_worth_is_the_squared_correlation():
    """Of truth and verdict, from the four cells of their joint distribution."""
    rate, tpr, tnr = 0.35, 0.62, 0.88
    both, passed = rate * tpr, rate * tpr + (1 - rate) * (1 - tnr)
    correlation = (both - rate * passed) / math.sqrt(rate * (1 - rate) * passed * (1 - passed))
    assert worth(rate, tpr, tnr) == pytest.approx(correlation**2, rel=1e-12)


@pytest.mark.parametrize("rate", [1e-12, 1e-6, 0.3, 1 - 1e-9])
@pytest.mark.parametrize("right", [0, 1])
def test_a_metric_that_is_always_right_or_always_wrong_is_worth_every_rating(rate, right):
    assert worth(rate, right, right) == pytest.approx(1, rel=1e-12)
    assert worth(rate, right, right) <= 1


def test_worth_at_the_ends():
    """A perfect metric replaces everything, a useless one nothing; where there is one class only, nothing is told."""
    assert worth(0.6, 1, 1) == pytest.approx(1)
    assert worth(0.6, 0, 0) == pytest.approx(1)
    assert worth(0.6, 0.3, 0.7) == pytest.approx(0, abs=1e-15)
    assert worth(0.0, 0.9, 1.0) == 0
    assert worth(1.0, 1.0, 0.5) == 0
    assert 0 <= worth(1e-9, 0.9, 0.9) < 1e-6


@given(rate=st.floats(0, 1), tpr=st.floats(0, 1), tnr=st.floats(0, 1))
def test_worth_is_a_share(rate, tpr, tnr):
    assert 0 <= worth(rate, tpr, tnr) <= 1 + 1e-9


def test_more_ratings_measure_finer():
    by_human = [epsilon(n_human=n) for n in (50, 100, 1000, 10_000)]
    by_metric = [epsilon(n_metric=n) for n in (100, 1000, 10_000, 10**6)]
    assert by_human == sorted(by_human, reverse=True)
    assert by_metric == sorted(by_metric, reverse=True)


# what comes out


def test_dictionary_is_json():
    result = measurable_difference(design(n_calibration=300, confidence_level=0.9))
    back = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert back["measurable_difference"] == result.measurable_difference
    assert back["difference_at_80_power"] == result.with_power(0.8)
    assert (back["n_calibration"], back["confidence_level"], back["rounding"]) == (300, 0.9, "half-up")


def test_signature_and_text_name_every_setting():
    result = measurable_difference(design(n_calibration=300, known_rates=True, confidence_level=0.9))
    for part in ("known rates", "human 100", "calibration 300", "metric 1000", "level 0.9", "half-up", ta.__version__):
        assert part in result.signature, part
    assert "100 human and 1,000 metric ratings" in str(measurable_difference(design()))
    assert "12.4 points" in str(measurable_difference(design()))
    assert "15% of the human ratings" in str(measurable_difference(design()))


WRONG = [
    ({"rate": 1.2}, "`rate`"),
    ({"tpr": -0.1}, "`tpr`"),
    ({"tnr": "high"}, "`tnr`"),
    ({"n_human": -1}, "`n_human`"),
    ({"n_metric": 2.5}, "`n_metric`"),
    ({"n_calibration": -3}, "`n_calibration`"),
    ({"calibration_rate": 2}, "`calibration_rate`"),
    ({"confidence_level": 1}, "`confidence_level`"),
    ({"rounding": "down"}, "rounding"),
]


@pytest.mark.parametrize(("changes", "message"), WRONG)
def test_wrong_designs_are_named(changes, message):
    with pytest.raises(InvalidInput, match=message):
        design(**changes)


@pytest.mark.parametrize("changes", [{"n_metric": 0}, {"tpr": 0.3}, {"n_calibration": 0}])
def test_large_sample_formula_where_nothing_is_measured(changes):
    """No human ratings, and a metric that says nothing: refused instead of a division by zero."""
    with pytest.raises(UselessMetric, match="measure something"):
        large_sample_difference(design(n_human=0, **changes))


def test_large_sample_formula_with_human_ratings_alone():
    for changes in ({"n_metric": 0}, {"tpr": 0.3}, {"n_calibration": 0}):
        expected = math.sqrt(2 * 0.24 / 100) * Z
        assert large_sample_difference(design(**changes)) == pytest.approx(expected, rel=1e-12)


def test_useless_known_rates_are_refused():
    """tpr + tnr = 1 known exactly carries no information, and the evidence says so."""
    with pytest.raises(UselessMetric, match="differ from 1"):
        epsilon(tpr=0.4, tnr=0.6, known_rates=True)
