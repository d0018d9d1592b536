"""Partially pooled error rates: against importance sampling, and between what is known at both ends of the scatter."""

from itertools import pairwise, permutations
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import expit, log_expit, logit, logsumexp

from tellapart import Confusion, Evidence
from tellapart.core import pooled
from tellapart.core.joint import Separate
from tellapart.core.pooled import PooledRates, Scatter
from tellapart.core.posterior import posterior
from tellapart.core.prior import PRIORS
from tellapart.core.shared import SharedRates

SCALES = 0.5, 0.2


class Rated(NamedTuple):
    """What people said, how the metric did on these outputs (tp, fn, tn, fp), and what it said of others."""

    human: tuple[int, int]
    confusion: tuple[int, int, int, int]
    metric: tuple[int, int]

    @property
    def evidence(self):
        return Evidence.of(self.human, calibration=Confusion(*self.confusion), metric=self.metric)


A = Rated((35, 50), (28, 7, 14, 1), (727, 1000))
B = Rated((31, 50), (26, 5, 16, 3), (596, 1000))
PAIRS = {
    "ordinary": (A, B),
    "good systems": (Rated((48, 50), (46, 2, 1, 1), (950, 1000)), Rated((45, 50), (43, 2, 4, 1), (890, 1000))),
    "many ratings": (
        Rated((180, 300), (160, 20, 100, 20), (6000, 10000)),
        Rated((165, 300), (150, 15, 105, 30), (5800, 10000)),
    ),
    "people only": (A._replace(metric=(0, 0)), B._replace(metric=(0, 0))),
    "a metric that errs otherwise": (
        Rated((10, 50), (5, 5, 30, 10), (300, 1000)),
        Rated((12, 50), (11, 1, 20, 18), (500, 1000)),
    ),
}
UNRATED = Rated((0, 0), (0, 0, 0, 0), (596, 1000))


class Sampled(NamedTuple):
    """Numbers with their standard errors: P(first > second), the mean difference and both means; and the sd."""

    probability: tuple[float, float]
    difference: tuple[float, float]
    means: tuple[tuple[float, float], tuple[float, float]]
    sd: float


class Oracle:
    """Importance sampling of the metric's rates for two systems; their own rates on a grid, given these.

    l and s of both are proposed by the calibrations alone. The density of scatter around a common place is itself the
    mean over draws of τ, on the scale of logarithms, and of the place, normal around the middle of the two given τ.
    """

    size, draws = 30_000, 60

    def __init__(self, first: Rated, second: Rated, seed: int = 1) -> None:
        self._rng = np.random.default_rng(seed)
        self._first, self._second = first, second
        ends = [_most(one) for one in (first, second)]
        self._grid = np.linspace(min(low for low, _ in ends), max(high for _, high in ends), 241)

    def both_calibrated(self) -> Sampled:
        (one, log_one), (two, log_two) = self._proposed(self._first), self._proposed(self._second)
        return self._summed(one, two, log_one + log_two + self._log_scatter(one, two))

    def second_not_calibrated(self) -> Sampled:
        """Around the first, a common place, and around that the second, all as the priors have it."""
        one, logs = self._proposed(self._first)
        taus = self._taus_of_the_prior()
        place = one + taus * self._rng.standard_normal(one.shape)
        two = place + taus * self._rng.standard_normal(one.shape)
        return self._summed(one, two, logs + _log_flat(place))

    def _taus_of_the_prior(self):
        cauchy = np.tan(np.pi / 2 * self._rng.random(self.size))
        return np.array([SCALES[0] * cauchy, SCALES[1] * np.abs(self._rng.standard_normal(self.size))])

    def _proposed(self, rated):
        """Draw (l, s) from Beta distributions; as to the logits these are the likelihood times tpr·(1 − tpr), …"""
        tp, fn, tn, fp = rated.confusion
        tpr, tnr = (logit(self._rng.beta(a + 1, b + 1, self.size)) for a, b in ((tp, fn), (tn, fp)))
        place = np.array([tpr - tnr, tpr + tnr]) / np.sqrt(2)
        return place, -_log_flat(place)

    def _log_scatter(self, one, two):
        apart, middle, found = one - two, (one + two) / 2, []
        ends = np.log(1e-3), np.log(300)
        for _ in range(self.draws):
            taus = np.exp(self._rng.uniform(*ends, one.shape))
            prior = -np.log1p((taus[0] / SCALES[0]) ** 2) - 0.5 * (taus[1] / SCALES[1]) ** 2 + np.log(taus).sum(axis=0)
            place = middle + taus / np.sqrt(2) * self._rng.standard_normal(one.shape)
            found.append(prior - (0.25 * (apart / taus) ** 2 + np.log(taus)).sum(axis=0) + _log_flat(place))
        return logsumexp(found, axis=0)

    def _summed(self, one, two, logs):
        given = [self._given(*pair) for pair in ((self._first, one), (self._second, two))]
        logs = logs + given[0][0] + given[1][0]
        weights, rates = np.exp(logs - logsumexp(logs)), expit(self._grid)
        first, second = (chances for _, chances in given)
        above = (first * (np.cumsum(second, axis=1) - second / 2)).sum(axis=1)
        means = [chances @ rates for chances in (first, second)]
        squares = [chances @ rates**2 for chances in (first, second)]
        gap, square = means[0] - means[1], squares[0] + squares[1] - 2 * means[0] * means[1]

        def told(x):
            mean = weights @ x
            return mean, np.sqrt(weights**2 @ (x - mean) ** 2)

        sd = np.sqrt(weights @ square - told(gap)[0] ** 2)
        return Sampled(told(above), told(gap), (told(means[0]), told(means[1])), sd)

    def _given(self, rated, place):
        """Return the log evidence of the ratings given the metric's rates, and the system's rate on the grid."""
        (good, total), (passed, seen) = rated.human, rated.metric
        tpr, tnr = expit(np.array([place[1] + place[0], place[1] - place[0]]) / np.sqrt(2))[..., None]
        rate = expit(self._grid)
        share = np.clip(rate * tpr + (1 - rate) * (1 - tnr), 1e-12, 1 - 1e-12)
        logs = (good + 1) * log_expit(self._grid) + (total - good + 1) * log_expit(-self._grid)
        logs = logs + passed * np.log(share) + (seen - passed) * np.log1p(-share)
        whole = logsumexp(logs, axis=1)
        return whole, np.exp(logs - whole[:, None])


def _most(rated):
    """Return logits between which nearly all lies that people's ratings leave possible."""
    good, bad = rated.human[0] + 1, rated.human[1] - rated.human[0] + 1
    reach = 5.5 * np.sqrt(1 / good + 1 / bad)
    return np.log(good / bad) - reach, np.log(good / bad) + reach


def _log_flat(place):
    """Log density of l and s where tpr and tnr are uniform."""
    logits = np.array([place[1] + place[0], place[1] - place[0]]) / np.sqrt(2)
    return (log_expit(logits) + log_expit(-logits)).sum(axis=0)


def found(*rated, scatter=None, prior=PRIORS["uniform"]):
    return PooledRates([one.evidence for one in rated], prior, scatter or Scatter(*SCALES))


def agrees(rates, sampled):
    """To four standard errors, and what a series of four cumulants leaves out."""
    difference = rates.difference(0, 1)
    assert sampled.probability[1] < 6e-3  # or else this would say nothing
    for value, (expected, error) in (
        (difference.probability_positive, sampled.probability),
        (difference.mean, sampled.difference),
        *((rates.marginal(i).mean, mean) for i, mean in enumerate(sampled.means)),
    ):
        assert value == pytest.approx(expected, abs=4 * error + 3e-4)
    assert difference.sd == pytest.approx(sampled.sd, rel=0.03)


@pytest.mark.parametrize(
    "case",
    [
        "ordinary",
        *(pytest.param(case, marks=pytest.mark.slow) for case in ("good systems", "many ratings", "people only")),
    ],
)
def test_two_systems_against_importance_sampling(case):
    agrees(found(*PAIRS[case]), Oracle(*PAIRS[case]).both_calibrated())


def test_a_system_that_nobody_rated_against_importance_sampling():
    """It is calibrated by the other one as far as the two are alike: better than nothing, worse than by itself."""
    rates = found(A, UNRATED)
    agrees(rates, Oracle(A, UNRATED).second_not_calibrated())
    assert posterior(UNRATED.evidence).sd > rates.marginal(1).sd > found(A, B).marginal(1).sd


# both ends of the scatter


def test_without_scatter_the_rates_are_shared():
    alike = found(A, B, scatter=Scatter(1e-6, 1e-6))
    shared = SharedRates([A.evidence, B.evidence])
    one, two = alike.difference(0, 1), shared.difference(0, 1)
    assert one.probability_positive == pytest.approx(two.probability_positive, abs=1e-3)
    assert (one.mean, one.sd) == pytest.approx((two.mean, two.sd), abs=1e-3)
    for i in (0, 1):
        assert alike.marginal(i).mean == pytest.approx(shared.marginal(i).mean, abs=1e-3)


def test_pooling_is_between_sharing_and_not():
    own = Separate({name: posterior(one.evidence) for name, one in (("A", A), ("B", B))}).contrast("A", "B")
    shared = SharedRates([A.evidence, B.evidence]).difference(0, 1)
    widths = [found(A, B, scatter=Scatter(leniency, 0.2)).difference(0, 1).sd for leniency in (0.05, 0.5, 5.0)]
    assert all(one < two for one, two in pairwise([shared.sd, *widths, own.sd]))


# properties


@pytest.mark.slow
def test_finer_lattices_change_next_to_nothing(monkeypatch):
    before = {case: found(*pair).difference(0, 1) for case, pair in PAIRS.items()}
    monkeypatch.setattr(pooled, "_STEP", 0.4)
    monkeypatch.setattr(pooled, "_LONGEST", 0.2)
    monkeypatch.setattr(pooled, "_MOST", 320)
    monkeypatch.setattr(pooled, "_TAU_POINTS", (12, 20))
    monkeypatch.setattr(pooled, "_MU", 0.7 * np.arange(-7.0, 8.0))
    for case, pair in PAIRS.items():
        fine, coarse = found(*pair).difference(0, 1), before[case]
        assert coarse.probability_positive == pytest.approx(fine.probability_positive, abs=2e-3), case
        assert (coarse.mean, coarse.sd) == pytest.approx((fine.mean, fine.sd), abs=5e-4), case


def test_rare_outputs_under_a_metric_that_hardly_errs(monkeypatch):
    """One output in a thousand, of which the metric missed none: error rates of a thousandth would matter."""
    pair = Rated((5, 5000), (5, 0, 4995, 0), (50, 50_000)), Rated((10, 5000), (10, 0, 4990, 0), (110, 50_000))
    rates = found(*pair)
    for i, one in enumerate(pair):
        assert rates.marginal(i).mean == pytest.approx(posterior(one.evidence).mean, rel=0.08)
    monkeypatch.setattr(pooled, "_UNSEEN", 0.01)
    farther = found(*pair)
    for i in (0, 1):
        assert rates.marginal(i).mean == pytest.approx(farther.marginal(i).mean, rel=0.02)


def test_the_order_of_the_systems_does_not_matter():
    three = (*PAIRS["ordinary"], Rated((22, 40), (18, 4, 15, 3), (300, 600)))
    means = [found(*three).marginal(i).mean for i in range(3)]
    for order in permutations(range(3)):
        rates = found(*(three[i] for i in order))
        assert [rates.marginal(order.index(i)).mean for i in range(3)] == pytest.approx(means, abs=1e-9)


def test_a_difference_has_two_directions():
    rates = found(A, B)
    forth, back = rates.difference(0, 1), rates.difference(1, 0)
    assert forth.probability_positive + back.probability_positive == pytest.approx(1, abs=1e-12)
    assert (forth.mean, forth.sd) == pytest.approx((-back.mean, back.sd), abs=1e-12)


def test_draws_are_of_the_same_distribution():
    rates = found(A, B)
    drawn = rates.sample(40_000, np.random.default_rng(5))
    assert drawn.shape == (2, 40_000)
    for i, row in enumerate(drawn):
        assert row.mean() == pytest.approx(rates.marginal(i).mean, abs=4 * row.std() / 200)
        assert row.std() == pytest.approx(rates.marginal(i).sd, rel=0.03)
    above, error = (drawn[0] > drawn[1]).mean(), 0.5 / 200
    assert above == pytest.approx(rates.difference(0, 1).probability_positive, abs=4 * error)


def test_a_prior_reaches_rates_and_metric():
    uniform, jeffreys = (found(A, B, prior=PRIORS[name]) for name in ("uniform", "jeffreys"))
    assert uniform.marginal(0).mean < jeffreys.marginal(0).mean  # less pull to one half


def test_the_scatter_is_told_by_the_data():
    """Seven systems alike, and seven that the metric treats in two ways."""
    alike = found(*[Rated((120, 200), (102, 18, 64, 16), (560, 1000))] * 7)
    lenient, strict = Rated((120, 200), (116, 4, 40, 40), (800, 1000)), Rated((120, 200), (72, 48, 78, 2), (380, 1000))
    unlike = found(*[lenient, strict] * 3, lenient)
    (one, low, high), (_, least, most) = alike.scatter(0.95)
    assert 0 <= low < one < high < 0.6
    assert 0 <= least < most
    assert unlike.scatter(0.95)[0][1] > 0.6
