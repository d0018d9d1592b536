"""Rates around a line in the metric's averages: against brute-force sums over lines, and what must hold for all."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, ndtr

from tellapart.core import link
from tellapart.core.link import Estimates, Line, Link, positive

Y = np.array([-0.4, 0.1, 0.5, 0.55, 1.2])
X = np.array([-0.3, 0.0, 0.4, 0.9, 1.0])
SD = np.array([0.28, 0.3, 0.25, 0.35, 0.3])
EXACT = Estimates(Y, X, np.zeros((5, 5)), 1e-6 * np.eye(5), np.diag(SD**2))


def with_errors():
    """Shares with errors, correlated over systems, that are part of those of the rates, of others', too."""
    gamma = np.diag([0.5, 0.7, 0.4, 0.6, 0.5]) + 0.05 * np.array([[0, 1, 2, 1, 0]] * 5)
    together = 0.3 + 0.7 * np.eye(5)
    return Estimates(Y, X, gamma, 0.15**2 * together, np.outer(SD, SD) * (0.2 + 0.8 * np.eye(5)))


class Brute:
    """Normal effects: sums over a fine grid of (b, log τ, log ω), with wide normal priors of both means."""

    def __init__(self, known, prior, points=(25, 29, 21)):
        b = np.linspace(prior.slope[0] - 5 * prior.slope[1], prior.slope[0] + 5 * prior.slope[1], points[0])
        taus = np.exp(np.linspace(np.log(prior.scatter / 100), np.log(prior.scatter * 40), points[1]))
        omegas = np.exp(np.linspace(np.log(prior.spread / 30), np.log(prior.spread * 40), points[2]))
        found = [self._given(known, prior, *line) for line in np.stack(np.meshgrid(b, taus, omegas), -1).reshape(-1, 3)]
        logs, self.means, self.spreads = (np.array(part) for part in zip(*found, strict=True))
        weights = np.exp(logs - logs.max())
        self.weights = weights / weights.sum()

    @staticmethod
    def _given(known, prior, b, tau, omega):
        n, wide = len(known.y), 1e4
        one, eye = np.ones((n, n)), np.eye(n)
        shares = omega**2 * eye
        theta = b**2 * shares + tau**2 * eye + wide * one
        cov = known.gamma @ known.cov_f
        data = np.block(
            [
                [theta + cov @ known.gamma.T + known.cov_r, b * shares + cov],
                [(b * shares + cov).T, shares + wide * one + known.cov_f],
            ]
        )
        ahead = np.hstack([theta, b * shares])
        seen = np.concatenate([known.y, known.x])
        solved = np.linalg.solve(data, np.column_stack([seen, ahead.T]))
        logs = -0.5 * (np.linalg.slogdet(data)[1] + seen @ solved[:, 0])
        logs += -0.5 * ((b - prior.slope[0]) / prior.slope[1]) ** 2 + np.log(tau * omega)
        logs -= np.log1p((tau / prior.scatter) ** 2) + np.log1p((omega / prior.spread) ** 2)
        return logs, ahead @ solved[:, 0], theta - ahead @ solved[:, 1:]

    def probability(self, i, j):
        spread = self.spreads[:, i, i] + self.spreads[:, j, j] - 2 * self.spreads[:, i, j]
        return float(self.weights @ ndtr((self.means[:, i] - self.means[:, j]) / np.sqrt(spread)))

    def rate(self, i):
        z, w = np.polynomial.hermite_e.hermegauss(15)
        rates = expit(self.means[:, i, None] + np.sqrt(self.spreads[:, i, i, None]) * z) @ (w / w.sum())
        return float(self.weights @ rates)


@pytest.mark.parametrize("known", [EXACT, with_errors()], ids=["shares known", "shares with errors"])
def test_normal_effects_against_brute_force(known, monkeypatch):
    """A t distribution of a million degrees of freedom is normal. Draws of lines: errors of a hundredth at most."""
    monkeypatch.setattr(link, "_FREEDOM", 1e6)
    found, brute = Link(known), Brute(known, Line())
    for i, j in ((0, 1), (4, 3), (3, 2), (4, 0)):
        assert found.difference(i, j).probability_positive == pytest.approx(brute.probability(i, j), abs=0.01), (i, j)
    for i in range(5):
        assert found.marginal(i).mean == pytest.approx(brute.rate(i), abs=0.004)


def test_the_error_of_p_is_what_other_draws_show(monkeypatch):
    """Twelve seeds: P scatters over them as much as one of them says, give or take what twelve can tell."""
    seen = []
    for seed in range(12):
        monkeypatch.setattr(link, "SEED", seed)
        pairs = [Link(EXACT).difference(i, j) for i, j in ((0, 1), (4, 3), (3, 2))]
        seen.append([(pair.probability_positive, pair.probability_error) for pair in pairs])
    found, claimed = np.transpose(seen)
    assert np.all(claimed.mean(axis=1) < 0.005)
    assert 0.5 < np.mean(found.std(axis=1, ddof=1) / claimed.mean(axis=1)) < 2


def test_without_a_line_the_estimates_stay(monkeypatch):
    """Boundless scatter borrows nothing: the answer is the direct estimate."""
    found = Link(EXACT, replace(Line(), scatter=1e4))
    expected = ndtr((Y[4] - Y[0]) / np.hypot(SD[4], SD[0]))
    assert found.difference(4, 0).probability_positive == pytest.approx(expected, abs=0.01)
    monkeypatch.setattr(link, "SEED", 1)
    tight = Link(EXACT, replace(Line(), scatter=0.01))
    assert tight.difference(4, 3).sd < found.difference(4, 3).sd


# properties


def test_the_same_data_give_the_same_answer():
    one, two = Link(with_errors()), Link(with_errors())
    assert one.difference(0, 1).probability_positive == two.difference(0, 1).probability_positive
    assert (one.lines == two.lines).all()


def test_where_the_shares_begin_does_not_matter():
    known = with_errors()
    one, two = Link(known), Link(known._replace(x=known.x + 2.0))
    for i in range(4):
        p, q = (found.difference(i, i + 1).probability_positive for found in (one, two))
        assert p == pytest.approx(q, abs=1e-6)


def test_the_unit_of_the_shares_does_not_matter():
    """As long as what is believed of the slope and of the spread has the same unit."""
    known, unit = with_errors(), 2.0
    scaled = known._replace(x=unit * known.x, gamma=known.gamma / unit, cov_f=unit**2 * known.cov_f)
    prior = Line()
    other = Line((prior.slope[0] / unit, prior.slope[1] / unit), prior.scatter, unit * prior.spread)
    one, two = Link(known), Link(scaled, other)
    for i in range(4):
        p, q = (found.difference(i, i + 1).probability_positive for found in (one, two))
        assert p == pytest.approx(q, abs=1e-6)


def test_the_order_of_the_systems_does_not_matter():
    known, order = with_errors(), np.array([3, 0, 4, 1, 2])
    one, two = Link(known), Link(known.some(order))
    places = np.argsort(order)
    for i, j in ((0, 1), (2, 3), (4, 3)):
        p, q = one.difference(i, j), two.difference(places[i], places[j])
        assert p.probability_positive == pytest.approx(q.probability_positive, abs=1e-9)
        assert p.mean == pytest.approx(q.mean, abs=1e-9)
    np.testing.assert_allclose(one.below_the_line(), two.below_the_line()[places])
    drawn = (found.marginal(i).mean for found, i in ((one, 2), (two, places[2])))
    assert next(drawn) == pytest.approx(next(drawn), abs=1e-9)


def test_a_difference_has_two_directions():
    found = Link(with_errors())
    forth, back = found.difference(0, 3), found.difference(3, 0)
    assert forth.probability_positive + back.probability_positive == pytest.approx(1, abs=1e-12)
    assert (forth.mean, forth.sd) == pytest.approx((-back.mean, back.sd), abs=1e-7)  # seven nodes each


def test_draws_are_of_the_same_distribution():
    found = Link(with_errors())
    drawn = found.sample(40_000, np.random.default_rng(3))
    assert drawn.shape == (5, 40_000)
    for i, row in enumerate(drawn):
        assert row.mean() == pytest.approx(found.marginal(i).mean, abs=4 * row.std() / 200)
    above = (drawn[2] > drawn[3]).mean()
    assert above == pytest.approx(found.difference(2, 3).probability_positive, abs=4 * 0.5 / 200)


# one system off the line


def gamed():
    """Twelve systems on the line but for the first, of which the metric passes far too much."""
    x = np.linspace(-1, 1, 12)
    y = x + 0.1 * np.cos(7 * np.arange(12))
    x[0], y[0] = 1.0, -1.5
    return Estimates(y, x, np.zeros((12, 12)), 1e-4 * np.eye(12), 0.3**2 * np.eye(12))


def test_a_system_that_games_the_metric_is_not_pulled_to_the_line(monkeypatch):
    robust = Link(gamed())
    monkeypatch.setattr(link, "_FREEDOM", 1e6)
    normal = Link(gamed())
    own = float(expit(-1.5))
    assert abs(robust.marginal(0).mean - own) < abs(normal.marginal(0).mean - own)
    assert np.median(robust.lines[:, 1]) < np.median(normal.lines[:, 1])  # the others stay near the line


def test_a_system_that_games_the_metric_is_seen():
    below = Link(gamed()).below_the_line()
    assert below[0] > 0.975
    assert ((below[1:] > 0.025) & (below[1:] < 0.975)).all()


def test_slope_and_scatter_are_summed_up():
    (slope, low, high), (scatter, least, most) = Link(gamed()).summary(0.9)
    assert low < slope < high
    assert low < 1 < high
    assert 0 < least < scatter < most


# covariances


def test_a_covariance_is_made_positive():
    spread = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    assert np.linalg.eigvalsh(spread).min() < 0
    found = positive(spread)
    assert np.linalg.eigvalsh(found).min() == pytest.approx(1e-4 * np.linalg.eigvalsh(spread).max())
    fine = np.diag([1.0, 2.0]) + 0.5
    assert positive(fine) == pytest.approx(fine, abs=1e-14)
