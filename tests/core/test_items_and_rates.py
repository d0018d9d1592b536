"""Items and rates together, an approximation, against draws of the joint model that it stands for.

That model: the table of two systems' verdicts and truths on the same items, as without pooling, and the metric's rates
for all systems scattered around common ones. It is drawn by importance sampling: tables as their closed form has
them, each by itself, weighted by what scattered rates are as likely to be as compared with separate ones.
"""

import numpy as np
import pytest

from tellapart.analysis.studies import Truth, study
from tellapart.core.ladder import Ladder

DESIGNS = [  # rates, tpr, tnr, people's ratings, the metric's, correlation, scatter of leniency
    ((0.6, 0.5), 0.9, 0.8, 50, 500, 0.45, 0.0),
    ((0.6, 0.5), 0.9, 0.8, 100, 500, 0.45, 0.2),
    ((0.7, 0.62), 0.85, 0.85, 60, 1000, 0.3, 0.4),
    ((0.8, 0.7), 0.8, 0.8, 80, 400, 0.6, 0.2),
    ((0.55, 0.5), 0.7, 0.7, 100, 1000, 0.45, 0.0),
    ((0.85, 0.8), 0.95, 0.9, 60, 1000, 0.45, 0.2),
    ((0.6, 0.6), 0.9, 0.8, 50, 2000, 0.6, 0.6),
    ((0.92, 0.85), 0.9, 0.7, 50, 1000, 0.45, 0.3),
    ((0.6, 0.45), 0.9, 0.8, 100, 1000, 0.6, 0.4),
    ((0.5, 0.4), 0.8, 0.9, 60, 2000, 0.45, 0.2),
    ((0.65, 0.6, 0.5), 0.9, 0.8, 60, 500, 0.45, 0.2),
]
TAUS = {"leniency": (1e-3, 60.0), "discrimination": (1e-3, 1.3)}  # where the prior leaves anything
PRIORS = {"leniency": lambda tau: -np.log1p((tau / 0.5) ** 2), "discrimination": lambda tau: -0.5 * (tau / 0.2) ** 2}


def drawn_table(counts, weight, size, rng):
    """Draw shares of truth × metric: those of the metric's levels, and of the truths given each."""
    cells = np.array(counts.both) + weight
    levels = rng.dirichlet(counts.metric_only + cells.sum(axis=0), size)
    parts = rng.standard_gamma(np.broadcast_to(cells, (size, *cells.shape)))
    return levels[:, None] * parts / parts.sum(axis=1, keepdims=True)


def log_uniform(logits):
    """The log density of the logit of a uniform rate."""
    return -np.logaddexp(0, logits) - np.logaddexp(0, -logits)


def scattered(logits, rng):
    """Log weights of the logits of tpr and tnr, one row a system: scattered around common ones, not separate."""
    tpr, tnr = logits
    log_weights, centres = -(log_uniform(tpr) + log_uniform(tnr)).sum(axis=0), []
    for name, x in (("leniency", (tpr - tnr) / np.sqrt(2)), ("discrimination", (tpr + tnr) / np.sqrt(2))):
        tau = np.exp(rng.uniform(*np.log(TAUS[name]), x.shape[1]))
        log_weights += PRIORS[name](tau) + np.log(tau) - (len(x) - 1) * np.log(tau)
        log_weights -= ((x - x.mean(axis=0)) ** 2).sum(axis=0) / (2 * tau**2)
        centres.append(x.mean(axis=0) + tau / np.sqrt(len(x)) * rng.standard_normal(x.shape[1]))
    lenient, sharp = centres
    return log_weights + log_uniform((sharp + lenient) / np.sqrt(2)) + log_uniform((sharp - lenient) / np.sqrt(2))


def drawn_difference(pair, others, size, rng):
    """Draw the difference of two systems on the same items, beside others; return log weights, too."""
    table = drawn_table(pair, 1 / 4, size, rng).reshape(size, 2, 2, 2, 2)  # truth of both, verdicts on both
    tables = [table.sum(axis=(2, 4)), table.sum(axis=(1, 3)), *(drawn_table(one, 1, size, rng) for one in others)]
    odds = np.log([(t[:, 1, 1] / t[:, 1, 0], t[:, 0, 0] / t[:, 0, 1]) for t in tables])
    log_weights = scattered(np.moveaxis(odds, 1, 0), rng)
    for rate in (t[:, 1].sum(axis=1) for t in tables[2:]):  # uniform by itself, Beta(2, 2) in a table
        log_weights -= np.log(rate * (1 - rate))
    return tables[0][:, 1].sum(axis=1) - tables[1][:, 1].sum(axis=1), log_weights


def weighed(difference, log_weights):
    """Mean, standard deviation and P(first is better), and the number of draws that they are worth."""
    weights = np.exp(log_weights - log_weights.max())
    effective = weights.sum() ** 2 / (weights @ weights)
    weights /= weights.sum()
    mean = weights @ difference
    return mean, np.sqrt(weights @ (difference - mean) ** 2), weights @ (difference > 0), effective


def errors(number, size, study_number=0):
    """Errors of the approximation, of the first pair: of mean and sd in sd's, of P; and the draws' worth."""
    rates, tpr, tnr, n_human, n_metric, correlation, leniency_sd = DESIGNS[number]
    rng = np.random.default_rng((number, study_number))
    truth = Truth.draw(rates, tpr, tnr, rng, leniency_sd=leniency_sd)
    systems, items = study(truth, n_human, n_metric, rng, correlation=correlation)
    others = [evidence.own for evidence in list(systems.values())[2:]]
    draws = [drawn_difference(items["S1", "S2"].own, others, 250_000, rng) for _ in range(size)]
    mean, sd, chance, effective = weighed(*(np.concatenate(part) for part in zip(*draws, strict=True)))
    found = Ladder(systems, items=items)["rates"].contrast("S1", "S2")
    return (found.mean - mean) / sd, found.sd / sd - 1, found.probability_positive - chance, effective


def test_tables_without_weights_are_those_of_the_items():
    rng = np.random.default_rng(1)
    systems, items = study(Truth.draw((0.7, 0.6), 0.9, 0.8, rng), 60, 400, rng, correlation=0.45)
    table = drawn_table(items["S1", "S2"].own, 1 / 4, 250_000, rng).sum(axis=2)
    mean, sd, chance, effective = weighed(table[:, 2] - table[:, 1], np.zeros(250_000))
    found = Ladder(systems, items=items)["items"].contrast("S1", "S2")
    assert found.mean == pytest.approx(mean, abs=5 * sd / np.sqrt(effective))
    assert found.sd == pytest.approx(sd, rel=5 / np.sqrt(effective))
    assert found.probability_positive == pytest.approx(chance, abs=5 / np.sqrt(effective))


def test_weighted_tables_of_separate_items_are_pooled_rates():
    rng = np.random.default_rng(2)
    systems, _ = study(Truth.draw((0.7, 0.6), 0.9, 0.8, rng, leniency_sd=0.2), 60, 400, rng)
    tables = [drawn_table(evidence.own, 1, 250_000, rng) for evidence in systems.values()]
    one, two = rates = np.array([table[:, 1].sum(axis=1) for table in tables])
    odds = np.log([(t[:, 1, 1] / t[:, 1, 0], t[:, 0, 0] / t[:, 0, 1]) for t in tables])
    log_weights = scattered(np.moveaxis(odds, 1, 0), rng) - np.log(rates * (1 - rates)).sum(axis=0)
    mean, sd, chance, effective = weighed(one - two, log_weights)
    found = Ladder(systems)["rates"].contrast("S1", "S2")
    assert effective > 2000
    assert found.mean == pytest.approx(mean, abs=5 * sd / np.sqrt(effective))
    assert found.sd == pytest.approx(sd, rel=5 / np.sqrt(effective))
    assert found.probability_positive == pytest.approx(chance, abs=5 / np.sqrt(effective))


def test_pooled_rates_move_a_difference_that_they_make_no_surer():
    """Without that, the mean would be off by 0.6 standard deviations and P by 0.2."""
    mean, sd, chance, effective = errors(6, 1, 4)
    assert effective > 2000
    assert abs(mean) < 0.25
    assert abs(sd) < 0.1
    assert abs(chance) < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(DESIGNS)))
def test_items_and_rates_together_are_near_the_joint_model(number):
    """To what docs/theory.md says, and five standard errors of the draws."""
    mean, sd, chance, effective = errors(number, 8)
    error = 5 / np.sqrt(effective)
    assert effective > 400
    assert abs(mean) < 0.36 + error
    assert abs(sd) < 0.26 + error
    assert abs(chance) < 0.09 + error
