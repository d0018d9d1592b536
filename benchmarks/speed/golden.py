"""Golden values of every posterior that the benchmarks ask for, by a route that shares no code with tellapart.

    python benchmarks/speed/golden.py > benchmarks/speed/golden.csv

With p = αρ + (1−α)(1−η) in place of η, and uniform priors, the posterior is

    p(α) ∝ αʰ (1−α)ⁱ ∫ dp pᵐ (1−p)ⁿ⁻ᵐ ∫ dρ ρᵗᵖ (1−ρ)ᶠⁿ ηᵗⁿ (1−η)ᶠᵖ / (1−α),    1−η = (p−αρ) / (1−α),

a smooth integrand for Gauss-Legendre in all three variables, whatever n is. Without calibration it is not smooth; there
the latent number t of adequate outputs has a weight in closed form. Two resolutions must agree to 1e-11.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre
from scipy.optimize import brentq
from scipy.special import betainc

FILE = Path(__file__).with_name("golden.csv")
N_HUMAN = (0, 100, 250, 500, 1000, 2500, 5000, 10_000)
N_METRIC = (0, 1000, 2500, 5000, 10_000, 50_000, 100_000)
_REACH = 12  # half-width of the windows, in standard deviations
_NODES = (180, 260)


class Counts(NamedTuple):
    human_pos: int
    human_n: int
    tp: int
    fn: int
    tn: int
    fp: int
    metric_pos: int
    metric_n: int


class Answer(NamedTuple):
    mean: float
    sd: float
    q025: float
    q975: float

    def error(self, other: Answer) -> float:
        """Return the largest absolute difference; not a number if anything is none."""
        return float(np.max(np.abs(np.subtract(self, other))))


def everyday(n_metric: int) -> Counts:
    """60 of 100 by humans, who also calibrate; 54% by the metric."""
    return Counts(60, 100, 42, 18, 28, 12, 54 * n_metric // 100, n_metric)


def appendix(n_human: int, n_metric: int) -> Counts:
    """Counts expected at rate .6 and tpr = tnr = .7, rounded half up; in whole tenths and hundredths, no floats."""
    adequate = _half_up(6 * n_human, 10)
    tp, tn = _half_up(7 * adequate, 10), _half_up(7 * (n_human - adequate), 10)
    return Counts(
        adequate, n_human, tp, adequate - tp, tn, n_human - adequate - tn, _half_up(54 * n_metric, 100), n_metric
    )


def load() -> dict[Counts, Answer]:
    with FILE.open(encoding="utf-8", newline="") as file:
        return {
            Counts(*(int(row[name]) for name in Counts._fields)): Answer(*(float(row[name]) for name in Answer._fields))
            for row in csv.DictReader(file)
        }


def compute(counts: Counts) -> Answer:
    if not counts.metric_n:
        a, b = counts.human_pos + 1, counts.human_n - counts.human_pos + 1
        return _mixture(np.ones(1), np.array([float(a)]), np.array([float(b)]))
    if not counts.human_n:
        return _uncalibrated(counts.metric_pos, counts.metric_n)
    coarse, fine = (_quadrature(counts, nodes) for nodes in _NODES)
    if not fine.error(coarse) < 1e-11:
        message = f"{counts}: {coarse} and {fine} disagree"
        raise ArithmeticError(message)
    return fine


def _half_up(numerator: int, denominator: int) -> int:
    return (2 * numerator + denominator) // (2 * denominator)


def _quadrature(counts: Counts, nodes: int) -> Answer:
    c = counts
    x, weights = legendre.leggauss(nodes)
    low, high = _window(c.human_pos, c.human_n - c.human_pos)
    alpha = _scaled(x, low, high)
    p, rho = _scaled(x, *_window(c.metric_pos, c.metric_n - c.metric_pos)), _scaled(x, *_window(c.tp, c.fn))
    outer = (_log_beta(p, c.metric_pos, c.metric_n - c.metric_pos) + np.log(weights))[:, None]
    outer = outer + _log_beta(rho, c.tp, c.fn) + np.log(weights)
    logs = np.array([_inner(outer, p[:, None], rho, at, c) for at in alpha])
    logs += _log_beta(alpha, c.human_pos, c.human_n - c.human_pos) - np.log1p(-alpha)
    density = np.exp(logs - logs.max())
    density /= weights @ density
    mean = float(weights @ (density * alpha))
    sd = float(np.sqrt(weights @ (density * (alpha - mean) ** 2)))
    coefficients = (np.arange(nodes) + 0.5) * (legendre.legvander(x, nodes - 1).T @ (weights * density))
    running = legendre.legint(coefficients, lbnd=-1)
    ends = (brentq(lambda at, q=q: legendre.legval(at, running) - q, -1, 1, xtol=1e-14) for q in (0.025, 0.975))
    return Answer(mean, sd, *(float(_scaled(at, low, high)) for at in ends))


def _inner(outer: np.ndarray, p: np.ndarray, rho: np.ndarray, alpha: float, c: Counts) -> float:
    """Return the log of the integral over p and ρ at one α."""
    failed = (p - alpha * rho) / (1 - alpha)  # 1 − η
    inside = (failed > 0) & (failed < 1)
    logs = outer[inside] + _log_beta(1 - failed[inside], c.tn, c.fp)
    best = logs.max(initial=-np.inf)
    return float(best + np.log(np.exp(logs - best).sum())) if logs.size else -np.inf


def _uncalibrated(positive: int, n: int) -> Answer:
    """No human ratings at all: the weight of t is min(t, m, n−m, n−t) + 1 over (t+1)(n−t+1)."""
    t = np.arange(n + 1.0)
    ways = np.minimum(np.minimum(t, n - t), min(positive, n - positive)) + 1
    weights = ways / ((t + 1) * (n - t + 1))
    return _mixture(weights / weights.sum(), t + 1, n - t + 1)


def _mixture(weights: np.ndarray, a: np.ndarray, b: np.ndarray) -> Answer:
    """Return the answer for Σ weights · Beta(a, b)."""
    means = a / (a + b)
    mean = float(weights @ means)
    sd = float(np.sqrt(weights @ (means * (1 - means) / (a + b + 1) + (means - mean) ** 2)))
    ends = (brentq(lambda at, q=q: weights @ betainc(a, b, at) - q, 0, 1, xtol=1e-14) for q in (0.025, 0.975))
    return Answer(mean, sd, *map(float, ends))


def _window(successes: int, failures: int) -> tuple[float, float]:
    a, b = successes + 1, failures + 1
    mean, reach = a / (a + b), _REACH * np.sqrt(a * b / (a + b + 1)) / (a + b)
    return max(0.0, mean - reach), min(1.0, mean + reach)


def _scaled(x: np.ndarray, low: float, high: float) -> np.ndarray:
    return low + (high - low) * (x + 1) / 2


def _log_beta(x: np.ndarray, successes: int, failures: int) -> np.ndarray:
    """Return log of xˢ(1−x)ᶠ relative to its peak, without losing digits where s + f is large."""
    n = successes + failures
    excess = x - successes / n
    return successes * np.log1p(n * excess / successes) + failures * np.log1p(-n * excess / failures)


def main() -> None:
    cases = [everyday(n) for n in (1000, 3000, 10**4, 10**5, 10**6, 10**9)]
    cases += [appendix(n_human, n_metric) for n_human in N_HUMAN for n_metric in N_METRIC]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([*Counts._fields, *Answer._fields])
    for counts in dict.fromkeys(cases):
        writer.writerow([*counts, *(f"{value:.14f}" for value in compute(counts))])
        sys.stdout.flush()


if __name__ == "__main__":
    main()
