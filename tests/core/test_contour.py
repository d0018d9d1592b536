"""Weighted sums of shares by a contour integral: golden values, the engine for two classes, draws, and invariances."""

import pickle

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import oracles
from golden import QUANTILES, cases, error, table_case
from strategies import BILLION, patience
from tellapart import Confusion, Evidence, Prior
from tellapart.core.classes import table_posterior
from tellapart.core.dirichlet import DirichletMixture, TableContour
from tellapart.core.gauss import beta_rule, linear_rule
from tellapart.core.posterior import rate_posterior

OUTCOMES = np.array([-1.0, 0.0, 1.0])
LIKERT = np.arange(1, 6.0)
WIN = np.array([[29.0, 4, 5], [5, 11, 6], [5, 7, 28]]) + 1 / 3
COUNTS = np.array([390.0, 230, 380])


def contour(cells, counts, values=OUTCOMES):
    """Return the distribution where the sample is random and the prior one Dirichlet."""
    cells = np.asarray(cells, dtype=float)
    return TableContour(np.asarray(counts, dtype=float) + cells.sum(axis=0), cells, np.asarray(values, dtype=float))


def golden(row):
    classes, cells, counts, values = table_case(row)
    if classes is not None:
        return table_posterior(classes, cells, counts, values)
    prior = 1 / round(1 / float(row["prior_cell"]))
    return TableContour(counts + prior * len(cells), cells, values)


@pytest.mark.parametrize("row", **cases("classes"))
def test_golden_values(row):
    """To a row's own precision, draws included."""
    found = golden(row)
    near = max(error(row), 1e-11)
    assert [found.mean, found.sd] == pytest.approx([float(row["mean"]), float(row["sd"])], abs=near)
    for name, p in QUANTILES.items():
        assert float(found.quantile(p)) == pytest.approx(float(row[name]), abs=near)
    middle = 3.0 if row["case"].startswith("likert") else 0.0
    slope = 1 + float(found.pdf(middle))
    assert found.above(middle) == pytest.approx(float(row["p_positive"]), abs=slope * near)


@given(st.tuples(*[st.integers(50, 500)] * 4), st.tuples(*[st.integers(0, BILLION)] * 2))
@settings(max_examples=20)
def test_two_classes_agree_with_the_other_engine(cells, metric):
    tp, fn, tn, fp = cells
    confusion = Confusion(tp=tp, fn=fn, tn=tn, fp=fp)
    evidence = Evidence.of(confusion.human, calibration=confusion, metric=(metric[1], sum(metric)))
    other = rate_posterior(evidence, Prior(rate=(2, 2)))
    found = contour(np.array([[tn, fp], [fn, tp]]) + 1, metric, [0, 1])
    assert found.mean == pytest.approx(other.mean, abs=1e-11)
    assert found.sd == pytest.approx(other.sd, rel=1e-8)
    places = other.mean + other.sd * np.linspace(-4, 4, 9)
    places = places[(places > 0) & (places < 1)]
    assert np.abs(found.cdf(places) - other.cdf(places)).max() < 1e-9
    assert np.abs(found.pdf(places) - other.pdf(places)).max() * other.sd < 1e-8


@pytest.mark.parametrize(
    ("cells", "metric"), [((60, 10, 20, 10), (900, 100)), ((15, 5, 950, 30), (9000, 1000)), ((20,) * 4, (0, 0))]
)
def test_two_classes_agree_to_all_digits_in_everyday_cases(cells, metric):
    confusion = Confusion(*cells)
    evidence = Evidence.of(confusion.human, calibration=confusion, metric=(metric[1], sum(metric)))
    other = rate_posterior(evidence, Prior(rate=(2, 2)))
    found = contour(np.array([[confusion.tn, confusion.fp], [confusion.fn, confusion.tp]]) + 1, metric, [0, 1])
    p = np.array([1e-4, 0.025, 0.3, 0.5, 0.8, 0.975])
    assert np.abs(found.cdf(other.quantile(p)) - p).max() < 1e-9
    ends, expected = found.interval(), other.interval()
    assert (ends.low, ends.high) == pytest.approx((expected.low, expected.high), abs=1e-8)


@given(st.tuples(*[st.integers(0, 20)] * 4), st.tuples(*[st.integers(0, 10**4)] * 2))
@settings(max_examples=20)
def test_two_classes_hardly_seen_are_still_good_enough(cells, metric):
    """Where a cell is empty the integrand falls off so slowly that the line must end before it has died."""
    tp, fn, tn, fp = cells
    confusion = Confusion(tp=tp, fn=fn, tn=tn, fp=fp)
    evidence = Evidence.of(confusion.human, calibration=confusion, metric=(metric[1], sum(metric)))
    other = rate_posterior(evidence, Prior(rate=(2, 2)))
    found = contour(np.array([[tn, fp], [fn, tp]]) + 1, metric, [0, 1])
    assert [found.mean, found.sd] == pytest.approx([other.mean, other.sd], abs=1e-10)
    places = other.quantile(np.array([0.025, 0.25, 0.5, 0.75, 0.975]))
    assert np.abs(found.cdf(places) - other.cdf(places)).max() < 0.01


@st.composite
def tables(draw, least=0, most=60):
    """Parameters of levels given classes, the metric's counts and values of the classes."""
    classes, levels = draw(st.integers(3, 5)), draw(st.integers(1, 5))
    flat = draw(st.lists(st.integers(least, most), min_size=classes * levels, max_size=classes * levels))
    counts = draw(st.lists(st.integers(0, 10**5), min_size=levels, max_size=levels))
    return np.reshape(flat, (classes, levels)) + 1 / levels, np.array(counts, dtype=float), np.arange(classes) - 1.0


@given(tables())
def test_moments_are_those_of_raw_second_moments(case):
    cells, counts, values = case
    found = contour(cells, counts, values)
    mean, sd = oracles.table_moments(counts + cells.sum(axis=0), cells, values)
    assert found.mean == pytest.approx(mean, abs=1e-12)
    assert found.sd == pytest.approx(sd, abs=1e-7, rel=1e-9)


@given(tables(least=2), st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_distribution_is_that_of_draws(case, seed):
    """Kolmogorov's distance of 20,000 draws: 2.5 has a chance of 7e-6."""
    cells, counts, values = case
    found = contour(cells, counts, values)
    drawn = oracles.table_sample(counts + cells.sum(axis=0), cells, values, 20_000, np.random.default_rng(seed))
    places = np.quantile(drawn, np.linspace(0.01, 0.99, 25))
    seen = (drawn[:, None] <= places).mean(axis=0)
    assert np.abs(found.cdf(places) - seen).max() * np.sqrt(20_000) < 2.5


HEAVY = {
    "a judge that agrees with people": (np.diag([178, 117, 4, 1]), [6098, 3771, 95, 36], 1 / 4),
    "almost all good": ([[1, 0], [0, 0], [0, 99]], [37, 963], 1 / 3),
    "all bad": ([[30, 0], [0, 0], [0, 0]], [9941, 59], 1 / 3),
    "a level of nearly one class": ([[9795, 0], [0, 104], [0, 0], [0, 6], [0, 0]], [39936, 59], 1 / 5),
}


@pytest.mark.parametrize("name", HEAVY)
def test_classes_that_a_level_never_saw_make_a_tail_and_leave_the_middle(name):
    """Kolmogorov's distance of 100,000 draws, as above; and the distribution function rises."""
    cells, counts, prior = HEAVY[name]
    cells, values = np.asarray(cells) + prior, np.arange(len(cells), dtype=float)
    found = contour(cells, counts, values)
    rng = np.random.default_rng(1)
    drawn = oracles.table_sample(np.asarray(counts) + cells.sum(axis=0), cells, values, 100_000, rng)
    places = np.quantile(drawn, np.linspace(0.01, 0.99, 99))
    seen = (drawn[:, None] <= places).mean(axis=0)
    assert np.abs(found.cdf(places) - seen).max() * np.sqrt(100_000) < 2.5
    assert np.diff(found.cdf(places)).min() > 0
    assert found.quantile(seen) == pytest.approx(places, abs=0.1 * found.sd)


UNRESOLVED = {
    "two systems that never differ": (
        [[153, 0, 0, 0], [0] * 4, [0] * 4, [0, 0, 0, 601]],
        [106822, 0, 0, 405716],
        1 / 4,
    ),
    "one answer on a scale": (
        [[0] * 5, [2, 161, 124, 21, 115], [0] * 5, [0] * 5, [0] * 5],
        [107, 10532, 7200, 1710, 8575],
        2 / 25,
    ),
    "Jeffreys, and a level that nobody checked": (
        [[0] * 4, [0, 32, 0, 0], [0, 0, 1, 0], [0, 0, 0, 98]],
        [552, 209777, 1859, 743895],
        1 / 8,
    ),
}


@pytest.mark.parametrize("name", UNRESOLVED)
def test_draws_take_the_place_of_what_is_not_resolved(name):
    cells, counts, prior = UNRESOLVED[name]
    cells, counts = np.array(cells) + prior, np.array(counts, dtype=float)
    values = np.array([0.0, -1, 1, 0]) if len(cells) == 4 else LIKERT
    found = table_posterior(cells.sum(axis=1), cells, counts, values)
    drawn = oracles.table_sample(counts + cells.sum(axis=0), cells, values, 100_000, np.random.default_rng(1))
    places = np.quantile(drawn, np.linspace(0.01, 0.99, 99))
    assert np.abs(found.cdf(places) - (drawn[:, None] <= places).mean(axis=0)).max() < 0.01
    assert np.diff(found.cdf(places)).min() >= 0
    assert found.mean == pytest.approx(drawn.mean(), abs=0.02 * found.sd)


def test_own_draws_are_of_it():
    rng = np.random.default_rng(3)
    for found in (
        contour(WIN, COUNTS),
        DirichletMixture(np.array([0.3, 0.7]), np.array([[1, 2, 9.0], [4, 4, 4]]), OUTCOMES),
    ):
        drawn = found.sample(20_000, rng)
        places = np.quantile(drawn, np.linspace(0.05, 0.95, 19))
        assert np.abs(found.cdf(places) - np.linspace(0.05, 0.95, 19)).max() < 2.5 / np.sqrt(20_000)


PLACES = np.array([-0.2, -0.05, 0.0, 0.1, 0.3])


def test_the_order_of_levels_and_of_classes_does_not_matter():
    found, order = contour(WIN, COUNTS), [2, 0, 1]
    for other in (contour(WIN[:, order], COUNTS[order]), contour(WIN[order], COUNTS, OUTCOMES[order])):
        assert np.abs(found.cdf(PLACES) - other.cdf(PLACES)).max() < 1e-11


def test_a_class_split_in_two_of_one_value_is_one_class():
    split = np.vstack([WIN, WIN[1] * 0.4])
    split[1] *= 0.6
    other = contour(split, COUNTS, [-1, 0, 1, 0])
    assert np.abs(contour(WIN, COUNTS).cdf(PLACES) - other.cdf(PLACES)).max() < 1e-11


def test_a_level_that_nobody_saw_adds_nothing():
    wider = np.column_stack([WIN, np.zeros(3)])
    other = TableContour(np.append(COUNTS + WIN.sum(axis=0), 0.0), wider, OUTCOMES)
    assert np.abs(contour(WIN, COUNTS).cdf(PLACES) - other.cdf(PLACES)).max() < 1e-12


@pytest.mark.parametrize(("shift", "scale"), [(3.0, 1.0), (0.0, 1e6), (-2.0, -1.0), (7.0, -1e-3)])
def test_values_moved_stretched_or_turned_around(shift, scale):
    found, other = contour(WIN, COUNTS), contour(WIN, COUNTS, shift + scale * OUTCOMES)
    below = other.cdf(shift + scale * PLACES)
    assert np.abs((below if scale > 0 else 1 - below) - found.cdf(PLACES)).max() < 1e-9
    assert np.abs(other.pdf(shift + scale * PLACES) * abs(scale) - found.pdf(PLACES)).max() < 1e-8
    interval, turned = found.interval(), other.interval()
    ends = sorted(shift + scale * np.array([interval.low, interval.high]))
    assert [turned.low, turned.high] == pytest.approx(ends, abs=1e-8 * abs(scale) + 1e-12)


EVERYDAY = {
    "outcomes": lambda: contour(WIN, COUNTS),
    "likert": lambda: contour(np.diag([4.0, 8, 20, 30, 12]) + 2.2, [50.0, 90, 130, 140, 90], LIKERT),
    "people only": lambda: DirichletMixture(np.ones(1), np.array([[1.0, 3, 9, 21, 40]]), LIKERT),
    "mixture": lambda: DirichletMixture(np.array([0.3, 0.7]), np.array([[3, 5, 9.0], [6, 5, 6]]), OUTCOMES),
}


@pytest.mark.parametrize("name", EVERYDAY)
def test_density_integrates_to_the_distribution(name):
    found = EVERYDAY[name]()
    x, w = oracles.gauss_legendre(found.mean - 5 * found.sd, found.mean + 5 * found.sd, 12)
    inside = (x > found.low) & (x < found.high)
    edges = np.linspace(found.mean - 5 * found.sd, found.mean + 5 * found.sd, 13)
    masses = (np.where(inside, found.pdf(x), 0.0) * w).reshape(12, -1).sum(axis=1)
    below = found.cdf(edges)
    assert np.all(np.diff(below) >= -1e-13)
    assert np.abs(np.diff(below) - masses).max() < 1e-9


@pytest.mark.parametrize("name", EVERYDAY)
def test_quantiles_and_intervals_feed_back(name):
    found = EVERYDAY[name]()
    p = np.array([1e-9, 0.001, 0.025, 0.5, 0.9, 0.999, 1 - 1e-9])
    assert np.abs(found.cdf(found.quantile(p)) - p).max() < 1e-11
    assert found.quantile(np.array([0.0, 1.0])).tolist() == [found.low, found.high]
    for level in (0.5, 0.95, 0.999):
        short, equal = found.interval(level), found.interval(level, kind="equal-tailed")
        assert [found.cdf(i.high) - found.cdf(i.low) for i in (short, equal)] == pytest.approx([level] * 2, abs=1e-10)
        assert found.cdf(equal.low) == pytest.approx((1 - level) / 2, abs=1e-11)
        low, high = found.pdf(np.array([short.low, short.high]))
        assert low == pytest.approx(high, rel=1e-7)
        assert short.width <= equal.width + 1e-9


@pytest.mark.parametrize("name", EVERYDAY)
def test_it_comes_back_from_a_pickle(name):
    found = EVERYDAY[name]()
    back = pickle.loads(pickle.dumps(found))  # noqa: S301 - our own
    assert (back.mean, back.sd, back.interval()) == (found.mean, found.sd, found.interval())


@pytest.mark.parametrize("parameters", [(1.0, 1.0), (1.5, 0.5), (3.0, 7.0), (1.0, 101.0), (0.5, 200.0), (1e9, 2e9)])
def test_two_values_are_a_beta_distribution(parameters):
    found, beta = DirichletMixture(np.ones(1), np.array([parameters]), np.array([1.0, 0.0])), stats.beta(*parameters)
    p = np.array([1e-4, 0.025, 0.5, 0.975])
    places = beta.ppf(p)
    assert np.abs(found.cdf(places) - p).max() < 1e-8
    assert np.abs(found.quantile(p) - places).max() < 1e-7 * max(beta.std(), 1e-3)


def test_nothing_rated_is_the_prior():
    """Loss, tie, win uniform: the difference of win and loss has a triangular density."""
    found = DirichletMixture(np.ones(1), np.ones((1, 3)), OUTCOMES)
    x = np.linspace(-0.95, 0.95, 21)
    assert np.abs(found.pdf(x) - (1 - np.abs(x))).max() < 1e-7
    assert found.interval().high == pytest.approx(1 - np.sqrt(0.05), abs=1e-9)


def test_outside_the_support():
    for found in (EVERYDAY["outcomes"](), EVERYDAY["people only"]()):
        below, density = found.cdf_and_pdf(np.array([found.low - 1, found.low, found.high, found.high + 1]))
        assert below.tolist() == [0, 0, 1, 1]
        assert density.tolist() == [0, 0, 0, 0]
        assert (found.above(found.low - 1), found.above(found.high)) == (1, 0)
        assert isinstance(found.cdf(0.0), float)


def test_far_tails_keep_their_digits():
    """Against the other engine's mirror: P(rate > x) of a Beta distribution, 30 orders of magnitude down."""
    found, beta = DirichletMixture(np.ones(1), np.array([[300.0, 200]]), np.array([0.0, 1.0])), stats.beta(200, 300)
    for x in (0.5, 0.6, 0.65):
        assert found.above(x) == pytest.approx(beta.sf(x), rel=1e-9)
    x = np.array([0.3, 0.6, 0.9])
    assert found.log_pdf(x) == pytest.approx(beta.logpdf(x), abs=2e-3)


@pytest.mark.parametrize("name", EVERYDAY)
def test_the_density_falls_all_the_way_to_both_ends(name):
    """Beyond the rules of a table's levels, too, where the moment generating function is not known any more."""
    found = EVERYDAY[name]()
    steps = np.array([1e-9, 1e-6, 1e-4, 1e-2, 0.03, 0.1])
    for end, other in ((found.low, found.high), (found.high, found.low)):
        logs = found.log_pdf(end + (other - end) * steps)
        assert np.isfinite(logs).all()
        assert (np.diff(logs) > 0).all()


NASTY = {
    "no calibration": (np.zeros((3, 3)), [380, 230, 390], 1 / 3, OUTCOMES),
    "one level": ([[28, 0, 0], [6, 0, 0], [5, 0, 0]], [1000, 0, 0], 1 / 3, OUTCOMES),
    "one class": ([[0, 0, 0], [0, 0, 0], [30, 20, 50]], [300, 200, 500], 1 / 3, OUTCOMES),
    "a billion": (WIN * 1e7, [BILLION, BILLION, BILLION], 1 / 3, OUTCOMES),
    "a billion, few calibrated": (WIN, [BILLION, BILLION, BILLION], 1 / 3, OUTCOMES),
    "values far apart": (WIN, COUNTS, 1 / 3, [0.0, 1.0, 1e6]),
    "tiny prior": (WIN, COUNTS, 1e-3, OUTCOMES),
    "32 levels": (np.tile(WIN, (1, 11))[:, :32] // 9, np.full(32, 100), 1 / 32, OUTCOMES),
    "skewed ratings": (np.diag([0, 0, 1, 3, 16]), [0, 10, 50, 140, 800], 0.2, LIKERT),
    "one rating": ([[1, 0], [0, 0], [0, 0]], [1, 0], 0.5, OUTCOMES),
}


@pytest.mark.parametrize("name", NASTY)
def test_nasty_tables_have_an_answer(name):
    """Within bounds of Monte Carlo; an interval has its probability, and no search runs away."""
    cells, counts, prior, values = NASTY[name]
    found = contour(np.asarray(cells, dtype=float) + prior, counts, values)
    with patience(name, seconds=30):
        interval, equal = found.interval(), found.interval(kind="equal-tailed")
    assert found.low <= interval.low < interval.high <= found.high
    assert found.cdf(interval.high) - found.cdf(interval.low) == pytest.approx(0.95, abs=1e-3)
    drawn = found.sample(40_000, np.random.default_rng(1))
    for ends in (interval, equal):
        assert ((drawn >= ends.low) & (drawn <= ends.high)).mean() == pytest.approx(0.95, abs=0.008)


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.05, 3.0), (0.5, 0.5), (0.3, 0.2), (40.0, 2.5), (1e6, 1e9)])
def test_gauss_rules_have_the_moments_of_beta(a, b):
    nodes, weights = beta_rule(a, b, 12)
    assert weights.sum() == pytest.approx(1, abs=1e-12)
    for power in (1, 2, 5, 20):
        assert weights @ nodes**power == pytest.approx(float(stats.beta(a, b).moment(power)), rel=1e-9, abs=1e-10)


@pytest.mark.parametrize(("a", "b", "size"), [(480, 150, 60), (1.5, 40, 40)])
def test_small_weights_of_gauss_rules_keep_their_digits(a, b, size):
    """Against eigenvectors in 50 digits; a solver for dense matrices has half as many digits of a weight of 1e-16."""
    with mpmath.workdps(50):
        a, b = mpmath.mpf(a), mpmath.mpf(b)
        c, matrix = a + b, mpmath.zeros(size)
        for n in range(size):  # shifted Jacobi polynomials, as the books have them
            matrix[n, n] = (2 * n * (n + c - 1) + a * (c - 2)) / ((2 * n + c) * (2 * n + c - 2)) if n else a / c
        for n in range(1, size):
            last = (n + c - 2) / (2 * n + c - 3) if n > 1 else 1
            squared = n * (n + a - 1) * (n + b - 1) * last / ((2 * n + c - 2) ** 2 * (2 * n + c - 1))
            matrix[n, n - 1] = matrix[n - 1, n] = mpmath.sqrt(squared)
        exact_nodes, vectors = mpmath.eigsy(matrix)
        exact = np.array([float(vectors[0, i] ** 2) for i in range(size)])
    nodes, weights = beta_rule(float(a), float(b), size)
    assert nodes == pytest.approx(np.array([float(x) for x in exact_nodes]), rel=1e-12)
    seen = exact > 1e-16
    assert weights[seen] == pytest.approx(exact[seen], rel=1e-11, abs=0)
    assert weights[~seen] == pytest.approx(0.0, abs=1e-16)


def test_a_gauss_rule_may_have_one_node():
    nodes, weights = beta_rule(3.0, 4.0, 1)
    assert (nodes.tolist(), weights.tolist()) == ([3 / 7], [1.0])


def test_gauss_rules_of_a_weighted_sum():
    """Raw moments of v·u by the recurrence of complete homogeneous polynomials, in integers where they are."""
    parameters = np.array([2.0, 3.0, 1.0, 4.0])
    values = np.array([0.0, 1.0, 2.0, 5.0])
    nodes, weights = linear_rule(values, parameters, 15)
    power_sums = [parameters @ values**r for r in range(1, 9)]
    h = [1.0]
    for r in range(1, 9):
        h.append(sum(power_sums[i] * h[r - 1 - i] for i in range(r)) / r)
    rising = np.cumprod(parameters.sum() + np.arange(8))
    factorial = np.cumprod(np.arange(1, 9.0))
    for r in range(1, 9):
        assert weights @ nodes**r == pytest.approx(h[r] * factorial[r - 1] / rising[r - 1], rel=1e-11)


@pytest.mark.parametrize(
    ("parameters", "size", "phases"),
    [
        ([2, 3, 1, 4], 40, (0.5, 1, 2, 4)),
        ([0.58, 0.005, 160], 92, (0.5, 1, 2, 4)),  # one comes twice
        ([30784, 0.2, 0.2, 0.2, 0.2], 54, (0.25, 0.5, 1)),
        ([206, 0.17, 5, 0.17, 2164, 9583], 70, (0.5, 1, 2, 4)),
    ],
)
def test_gauss_rules_whose_nodes_reach_those_of_the_distribution(parameters, size, phases):
    """By the identity of Markov and Krein: E (1 − s v·u)^−Σa is Π (1 − s v_i)^−a_i."""
    values, a = np.arange(len(parameters)) / (len(parameters) - 1), np.array(parameters, dtype=float)
    total, mean = a.sum(), a @ values / a.sum()
    sd = np.sqrt(a @ (values - mean) ** 2 / total / (total + 1))
    nodes, weights = linear_rule(values, a, size)
    for phase in phases:
        s = 1j * phase / (total * sd)
        with mpmath.workdps(40):
            each = zip(map(mpmath.mpf, values), map(mpmath.mpf, a), strict=True)
            exact = complex(mpmath.fprod((1 - mpmath.mpmathify(s) * (value - mean)) ** -b for value, b in each))
        assert weights @ (1 - s * (nodes - mean)) ** -total == pytest.approx(exact, abs=1e-12)
