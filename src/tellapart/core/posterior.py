"""From evidence to the posterior distribution of the rate, or of whatever the classes are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tellapart.core.classes import classes_posterior
from tellapart.core.counts import BINARY
from tellapart.core.density import BetaDensity, Density
from tellapart.core.distribution import Scaled
from tellapart.core.evidence import Evidence
from tellapart.core.likelihood import LogLikelihood, estimated_rates, known_rates, rounding_noise
from tellapart.core.prior import PRIORS, Prior
from tellapart.core.quadrature import EPSILON, TINY
from tellapart.core.special import binomial_deviance
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tellapart.core.distribution import Distribution
    from tellapart.core.quadrature import Floats


def posterior(
    evidence: Evidence, prior: Prior = PRIORS["uniform"], weights: Sequence[float] | None = None
) -> Distribution:
    """Return the posterior distribution of v·π: the rate of adequate outputs, or what else the classes are worth.

    Parameters
    ----------
    evidence : Evidence
        What was observed.
    prior : Prior
        What is believed beforehand.
    weights : sequence of float, optional
        v, a value for each class; by default those of the evidence's own scale.

    Examples
    --------
    >>> from tellapart.core.evidence import Evidence
    >>> round(posterior(Evidence.of((60, 100))).mean, 4)
    0.598
    """
    values = np.array(evidence.own.truth.values if weights is None else weights, dtype=float)
    if len(values) != evidence.classes or not np.isfinite(values).all() or np.ptp(values) == 0:
        rule = f"be {evidence.classes} different numbers, one for each class"
        raise InvalidInput.rule("weights", rule, weights, ", ".join(evidence.own.truth.names))
    if evidence.classes > BINARY:
        return classes_posterior(evidence, prior, values)
    density = rate_posterior(evidence, prior)
    if values.tolist() == [0.0, 1.0]:
        return density
    return Scaled(density, float(values[0]), float(values[1] - values[0]))


def rate_posterior(evidence: Evidence, prior: Prior = PRIORS["uniform"]) -> Density:
    """Return the posterior distribution of the rate of adequate outputs.

    With a, b the human ratings added to the prior's pseudo-counts, the density is

        p(α) ∝ αᵃ⁻¹ (1−α)ᵇ⁻¹ · Π_metrics L(α),

    L being exact for known rates and for estimated ones (docs/theory.md). Where the human-rated
    outputs were chosen by the metric's verdict, α = Σ_k q_k u_k with q ~ Dirichlet the shares of the verdicts and
    u_k ~ Beta how often each is right; this is the same density with a and b the sums of the calibration parameters.
    Where they were chosen to balance adequate and inadequate ones, they count as what they are among all outputs, and
    say nothing else of the rate: L is then the likelihood of the total, their number and that of the rest.
    """
    likelihood = log_likelihood(evidence, prior)
    a, b = shape(evidence, prior)

    def log_density(rate: Floats, complement: Floats) -> Floats:
        return _log_beta(rate, complement, a, b) + likelihood(rate, complement)

    noise = EPSILON * np.sqrt(a + b) + sum(_noise(metric, prior) for metric in rated_by_metrics(evidence))
    kind = Density if rated_by_metrics(evidence) else BetaDensity
    density = kind(log_density, (a, b), noise=float(noise))
    density.recipe = rate_posterior, (evidence, prior)
    return density


def beta(a: float, b: float) -> Density:
    """Return the Beta(a, b) distribution."""
    return rate_posterior(Evidence.of(), Prior(rate=(a, b)))


def _log_beta(rate: Floats, complement: Floats, a: float, b: float) -> Floats:
    """Log density of Beta(a, b) up to a constant; where it has a peak as a deviance, so that nothing is lost."""
    if min(a, b) >= 1 and a + b > 2:  # noqa: PLR2004 - not flat
        p, q = np.maximum(rate, TINY), np.maximum(complement, TINY)
        return -binomial_deviance(a - 1, (a - 1) + (b - 1), p, q)  # where b is 1, exactly as many as a − 1
    with np.errstate(divide="ignore", invalid="ignore"):
        log_rate = np.where(complement < rate, np.log1p(-complement), np.log(rate))
        log_complement = np.where(rate < complement, np.log1p(-rate), np.log(complement))
        parts = [(c - 1) * log for c, log in ((a, log_rate), (b, log_complement)) if c != 1]
    return sum(parts, np.zeros_like(rate))


def log_likelihood(evidence: Evidence, prior: Prior) -> LogLikelihood:
    """Return the log-likelihood of the rate given all metric ratings, as a function of the rate and 1 − rate."""
    metrics = rated_by_metrics(evidence)
    alone = shape(evidence, prior) if len(metrics) == 1 else None
    drawn = evidence.drawn.positive, evidence.drawn.total - evidence.drawn.positive
    likelihoods = [_likelihood(metric, prior, alone, drawn) for metric in metrics]

    def total(rate: Floats, complement: Floats) -> Floats:
        value = np.zeros_like(rate)
        for likelihood in likelihoods:
            value = value + likelihood(rate, complement)
        return value

    return total


def rated_by_metrics(evidence: Evidence) -> list[Evidence]:
    """Return the evidence of each metric that rated outputs by itself."""
    return [metric for metric in (evidence, *evidence.fused) if metric.n_metric]


def shape(evidence: Evidence, prior: Prior) -> tuple[float, float]:
    """Return the Beta parameters of the rate before the metric ratings."""
    if evidence.sampling == "by-metric":
        inadequate, adequate = level_parameters(evidence, prior)
        return sum(adequate), sum(inadequate)
    human = evidence.human_for_rate
    return prior.rate[0] + human.positive, prior.rate[1] + human.total - human.positive


def level_parameters(evidence: Evidence, prior: Prior) -> list[list[float]]:
    """Return the Dirichlet parameters of the metric's levels given each class."""
    _, cells = prior.table(evidence.classes, evidence.levels)
    return [[n + a for n, a in zip(*rows, strict=True)] for rows in zip(evidence.calibration, cells, strict=True)]


def _likelihood(
    metric: Evidence, prior: Prior, alone: tuple[float, float] | None, drawn: tuple[int, int]
) -> LogLikelihood:
    if metric.rates is not None:
        tpr, tnr = metric.rates.tpr, metric.rates.tnr
        return known_rates(metric.own.metric_only, (1 - tpr, tpr), (tnr, 1 - tnr))
    inadequate, adequate = level_parameters(metric, prior)
    return estimated_rates(metric.own.metric_only, adequate, inadequate, shape=alone, drawn=drawn)


def _noise(metric: Evidence, prior: Prior) -> float:
    if metric.rates is not None:
        return float(EPSILON * np.sqrt(metric.n_metric))
    inadequate, adequate = level_parameters(metric, prior)
    return rounding_noise(metric.n_metric, sum(adequate), sum(inadequate))
