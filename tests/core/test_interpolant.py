"""Interpolants of smooth functions of integers, against these functions at every integer."""

import numpy as np
import pytest
from numpy.polynomial import legendre

from tellapart.core import interpolant
from tellapart.core.interpolant import Interpolant
from tellapart.core.likelihood import by_latent_count, estimated_rates
from tellapart.core.quadrature import NODES

FUNCTIONS = {
    "logarithm": lambda x: np.log(x + 0.5),
    "root": lambda x: np.sqrt(x + 0.5) / 10,
    "bump": lambda x: 5 * np.exp(-0.5 * ((x - 300) / 40) ** 2),
    "odds": lambda x: np.log(x + 1) - np.log(np.abs(1000 - x) + 1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("n", [0, 1, 2, 11, 12, 13, 24, 25, 26, 119, 120, 121, 1000, 30_000])
def test_interpolant_knows_every_integer(name, n):
    """Asked for 1e-11 it must be that good at integers it never saw; ten times that allows for rounding."""
    x = np.arange(n + 1.0)
    interpolant = Interpolant(FUNCTIONS[name], n, breaks=(1000,), tolerance=1e-11)
    np.testing.assert_allclose(interpolant(x), FUNCTIONS[name](x), rtol=0, atol=1e-10)


def test_interpolant_with_kinks():
    """Smooth on either side of a break only."""
    n, breaks = 20_000, (313, 15_000)

    def corner(x):
        return np.abs(x - breaks[0]) / 100 + np.abs(x - breaks[1]) / 1000

    x = np.arange(n + 1.0)
    np.testing.assert_allclose(Interpolant(corner, n, breaks=breaks, tolerance=1e-11)(x), corner(x), rtol=0, atol=1e-9)


def test_interpolant_is_frugal():
    """A billion integers from a few thousand evaluations."""
    seen = []

    def counted(x):
        seen.append(x.size)
        return np.log(x + 0.5) + np.log(1e9 - x + 0.5)

    interpolant = Interpolant(counted, 10**9, breaks=(), tolerance=1e-11)
    x = np.unique(np.rint(np.concatenate([10 ** np.linspace(0, 9, 500), 1e9 - 10 ** np.linspace(0, 8.9, 500)])))
    np.testing.assert_allclose(interpolant(x), np.log(x + 0.5) + np.log(1e9 - x + 0.5), rtol=0, atol=1e-10)
    assert sum(seen) < 5000


def test_points_of_a_panel_are_distinct_integers_inside_it_for_every_length():
    steps = np.concatenate([np.arange(3000.0), 10.0 ** np.arange(4, 13)])
    used = np.arange(NODES) < interpolant._count(steps)[:, None]
    points = interpolant._integers(steps)
    assert (points == np.rint(points)).all()
    assert (points >= 0).all()
    assert (points <= steps[:, None]).all()
    assert (np.diff(points, axis=1)[used[:, 1:]] >= 1).all()


def test_panels_are_fitted_far_from_singular_systems():
    lengths = np.arange(1.0, 400.0)
    lows, highs = interpolant._shorten(np.zeros_like(lengths), lengths)
    steps = np.unique(highs - lows)
    points, count = interpolant._integers(steps), interpolant._count(steps).astype(int)
    for row, n, length in zip(points, count, steps, strict=True):
        basis = legendre.legvander(2 * row[:n] / max(length, 1.0) - 1, n - 1)
        assert np.linalg.cond(basis) < 1e3, length


@pytest.mark.parametrize(
    ("human", "calibration", "metric"),
    [
        ((36, 64), (34, 2, 26, 2), (1957, 3513)),
        ((70, 100), (57, 13, 29, 1), (2007, 4407)),
        ((36, 50), (33, 3, 13, 1), (2369, 3071)),
    ],
)
def test_panels_of_25_integers_agree_with_the_sum_in_full(human, calibration, metric):
    tp, fn, tn, fp = calibration
    counts, adequate, inadequate = (metric[1] - metric[0], metric[0]), (fn + 1, tp + 1), (tn + 1, fp + 1)
    shape = (human[0] + 1, human[1] - human[0] + 1)
    rate = np.linspace(-0.05, 0.05, 9) + human[0] / human[1]
    full = estimated_rates(counts, adequate, inadequate, full_sum_up_to=metric[1])
    both = [path(rate, 1 - rate) for path in (by_latent_count(counts, adequate, inadequate, shape), full)]
    both = [logs - logs[4] for logs in both]
    assert both[0] == pytest.approx(both[1], abs=1e-9)
