"""Chebyshev series on panels, against numpy's own."""

import numpy as np
import pytest
from numpy.polynomial import chebyshev

from tellapart.core.quadrature import NODES, clenshaw


@pytest.mark.parametrize(("points", "last"), [(31, 1.0), (310, 1.0), (31, 1.02)])
def test_clenshaw_evaluates_chebyshev_series(points, last):
    """Few points or many, and a little beyond the panel's end."""
    rng = np.random.default_rng(0)
    coefficients = rng.normal(size=(NODES, 3))
    xi, panel = np.linspace(-1, last, points), rng.integers(0, 3, points)
    expected = [chebyshev.chebval(x, coefficients[:, p]) for x, p in zip(xi, panel, strict=True)]
    np.testing.assert_allclose(clenshaw(coefficients, panel, xi), expected, rtol=1e-12, atol=1e-12)
