"""Gauss rules of weighted sums of Dirichlet shares, one stick after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tellapart.core.quadrature import Floats

_SMALL = 24
_NEGLIGIBLE = 1e-24  # weights of a rule


def linear_rule(values: Floats, parameters: Floats, size: float) -> tuple[Floats, Floats]:
    """Return nodes and weights of a Gauss rule for v·u, u ~ Dirichlet: sticks are broken, and compressed after each.

    Classes of one value are one stick.
    """
    distinct = np.unique(values[parameters > 0])
    sums = np.array([parameters[values == value].sum() for value in distinct])
    most = int(np.ceil(size))
    nodes, weights, total = distinct[:1], np.ones(1), sums[0]
    for value, parameter in zip(distinct[1:], sums[1:], strict=True):
        share, chance = beta_rule(parameter, total, most)
        nodes = (share[:, None] * value + (1 - share[:, None]) * nodes).ravel()
        nodes, weights = _compress(nodes, (chance[:, None] * weights).ravel(), most)
        total += parameter
    return nodes, weights


def beta_rule(a: float, b: float, size: int) -> tuple[Floats, Floats]:
    """Return the Gauss rule of the Beta(a, b) distribution: nodes in [0, 1], weights that add up to 1."""
    offsets, vectors = jacobi_rule(a, b, size)
    return np.clip(a / (a + b) + offsets, 0.0, 1.0), vectors[0] ** 2


def jacobi_rule(a: float | Floats, b: float | Floats, size: int) -> tuple[Floats, Floats]:
    """Return how far the nodes of the rule of Beta(a, b) lie from its mean, and the eigenvectors of the recurrence.

    Row by row these are the polynomials that are orthonormal under the distribution, at the nodes and times the roots
    of the weights (Golub and Welsch). As offsets from the mean the nodes of a narrow distribution keep their digits.
    Of several distributions there is one rule each.
    """
    a, b = np.asarray(a)[..., None], np.asarray(b)[..., None]
    n, c = np.arange(1.0, size), a + b
    twice = 2 * n + c - 2
    middle = np.zeros((*twice.shape[:-1], size))
    middle[..., 1:] = 2 * (b - a) * n * (n + c - 1) / (c * twice * (twice + 2))
    # n (n+a−1) (n+b−1) (n+c−2) / ((2n+c−2)² (2n+c−3) (2n+c−1)), whose factor n+c−2 cancels at n = 1
    last = np.ones(twice.shape)
    last[..., 1:] = (n[1:] + c - 2) / (twice[..., 1:] - 1)
    return _eigen(middle, np.sqrt(n * (n + a - 1) * (n + b - 1) * last / (twice**2 * (twice + 1))))


def _eigen(middle: Floats, beside: Floats) -> tuple[Floats, Floats]:
    """Return eigenvalues and eigenvectors of recurrences' matrices, which are tridiagonal and symmetric.

    LAPACK's solvers for just these, one that is quick while they are small and one that is when they are not: weights
    down to 1e-16 keep their digits, and nothing is handed to threads of BLAS, which wait for one another on a busy
    machine.
    """
    from scipy.linalg.lapack import dstemr, dstev  # noqa: PLC0415 - many answers do without

    size = middle.shape[-1]
    values, vectors, padded = np.empty(middle.shape), np.empty((*middle.shape, size)), np.zeros(middle.shape)
    padded[..., :-1] = beside  # as the solvers want it
    for row in np.ndindex(middle.shape[:-1]):
        if size <= _SMALL:
            values[row], vectors[row], failed = dstev(middle[row], padded[row][: max(size - 1, 1)])
        else:
            _, values[row], vectors[row], failed = dstemr(middle[row], padded[row], 0, 0.0, 0.0, 1, size)  # 0: all
        if failed:
            raise np.linalg.LinAlgError(f"LAPACK found no eigenvalues, code {failed}.")
    return values, vectors


def _compress(nodes: Floats, weights: Floats, size: int) -> tuple[Floats, Floats]:
    """Return the Gauss rule with `size` nodes of a discrete distribution, by Lanczos's method.

    Its vectors lose their orthogonality once a node of the rule has come near one of the distribution itself (Paige).
    That does no harm: such a node may come twice, and the two share its weight (Greenbaum).
    """
    mean = float(weights @ nodes)
    scale = float(np.sqrt(weights @ (nodes - mean) ** 2))
    keep = weights > _NEGLIGIBLE * weights.max()
    nodes, weights = nodes[keep], weights[keep]
    if len(nodes) <= size or scale < 1e-14:  # noqa: PLR2004 - one point
        return (nodes, weights) if scale >= 1e-14 else (np.array([mean]), np.ones(1))  # noqa: PLR2004
    middle, beside = _lanczos((nodes - mean) / scale, np.sqrt(weights / weights.sum()), size)
    found, vectors = _eigen(middle, beside)
    return mean + scale * found, vectors[0] ** 2


def _lanczos(y: Floats, vector: Floats, size: int) -> tuple[Floats, Floats]:
    """Return the diagonal of the recurrence's matrix, and what is beside it; fewer steps where all of it is seen."""
    from scipy.linalg.blas import daxpy  # noqa: PLC0415 - as above

    middle, beside, before = np.zeros(size), np.zeros(size), np.zeros(len(y))
    for i in range(size):
        rest = y * vector
        middle[i] = vector @ rest
        rest = daxpy(vector, rest, a=-middle[i])  # adds in place
        rest = daxpy(before, rest, a=-beside[i - 1])  # at first nothing
        beside[i] = np.sqrt(rest @ rest)
        if beside[i] < 1e-13:  # noqa: PLR2004 - all of it is seen
            return middle[: i + 1], beside[:i]
        rest /= beside[i]
        before, vector = vector, rest
    return middle, beside[:-1]
