"""Methods that need no package: what a textbook has, with numpy and scipy."""

from __future__ import annotations

import numpy as np
from adapter import QUANTILE, Answer, Task, difference, main
from scipy.special import expit, logit
from scipy.stats import binom


def wilson(positive: float, n: float) -> Answer:
    """Wilson's interval of a share."""
    z2 = QUANTILE**2
    middle = (positive + z2 / 2) / (n + z2)
    reach = QUANTILE / (n + z2) * np.sqrt(positive * (n - positive) / n + z2 / 4)
    return Answer(positive / n, middle - reach, middle + reach)


def newcombe(first: Answer, second: Answer) -> Answer:
    """Newcombe's hybrid of two independent Wilson intervals."""
    point = first.point - second.point
    below = np.hypot(first.point - first.low, second.high - second.point)
    above = np.hypot(first.high - first.point, second.point - second.low)
    return Answer(point, point - below, point + above)


def mcnemar(wins: int, losses: int, n: int) -> Answer:
    """Exact McNemar test with the mid-p value; the point is the difference of the shares."""
    both, fewer = wins + losses, min(wins, losses)
    chance = 2 * binom.cdf(fewer, both, 0.5) - binom.pmf(fewer, both, 0.5) if wins != losses else 1.0
    return Answer(point=(wins - losses) / n, verdict=int(np.sign(wins - losses)) if chance < 0.05 else 0)


def human(table) -> Answer:
    both = np.array(table["both"])
    return wilson(both[1].sum(), both.sum())


def metric(table) -> Answer:
    """The share that the metric passes, of all outputs, taken as the rate."""
    seen = np.array(table["both"]).sum(axis=0) + np.array(table["alone"])
    return wilson(seen[1], seen.sum())


def youden(table, added: float = 0.0) -> tuple[float, float, float, float]:
    """Return tpr and tnr with their variances, as if so many successes and failures more had been seen of each."""
    (tn, fp), (fn, tp) = np.array(table["both"], dtype=float)
    n, m = tp + fn + 2 * added, tn + fp + 2 * added
    if not n or not m:
        message = "all rated outputs are of one kind"
        raise ValueError(message)
    tpr, tnr = (tp + added) / n, (tn + added) / m
    return tpr, tnr, tpr * (1 - tpr) / n, tnr * (1 - tnr) / m


def rogan_gladen(table, added: float = 0.0) -> Answer:
    """Corrected share of what the metric alone rated, by the delta method; tpr and tnr where people rated, too.

    With `added` = 1, Lang and Reiczigel's interval: that many successes and failures are added to tpr and tnr, and as
    many to the share of passed ones as in Wilson's interval.
    """
    tpr, tnr, *_ = youden(table)
    if tpr + tnr <= 1:
        message = "the metric is no better than chance on the rated outputs"
        raise ValueError(message)
    failed, passed = table["alone"]
    point = (passed / (failed + passed) + tnr - 1) / (tpr + tnr - 1)
    tpr, tnr, of_tpr, of_tnr = youden(table, added)
    more = added * QUANTILE**2 / 2
    n = failed + passed + 2 * more
    p = (passed + more) / n
    rate = (p + tnr - 1) / (tpr + tnr - 1)
    middle = rate + 2 * added * QUANTILE**2 * (rate * of_tpr - (1 - rate) * of_tnr)
    reach = QUANTILE * np.sqrt(p * (1 - p) / n + rate**2 * of_tpr + (1 - rate) ** 2 * of_tnr) / abs(tpr + tnr - 1)
    return Answer(*np.clip([point, middle - reach, middle + reach], 0, 1))


def tenenbein(table) -> tuple[float, float]:
    """Return Tenenbein's maximum-likelihood rate from double sampling, and its standard error."""
    both = np.array(table["both"], dtype=float)
    rated, passed = both.sum(axis=0), both.sum(axis=0) + np.array(table["alone"])
    share = passed / passed.sum()
    rate = float(both[1] / rated @ share)
    worth = np.linalg.det(both) ** 2 / np.prod([rated, both.sum(axis=1)])  # squared correlation of verdict and truth
    spread = rate * (1 - rate) * ((1 - worth) / rated.sum() + worth / passed.sum())
    return rate, float(np.sqrt(spread))


def tenenbein_logit(table) -> Answer:
    """His rate, with a normal interval of its logit."""
    rate, sd = tenenbein(table)
    reach = QUANTILE * sd / (rate * (1 - rate))
    return Answer(rate, expit(logit(rate) - reach), expit(logit(rate) + reach))


def tenenbein_wald(table) -> Answer:
    rate, sd = tenenbein(table)
    return Answer(rate, rate - QUANTILE * sd, rate + QUANTILE * sd)


def single(method):
    return lambda task: method(task.tables[0])


def apart(method, combine):
    return lambda task: combine(*map(method, task.tables))


def people_on_same(task: Task) -> Answer:
    seen = np.array(task.tables[0]["both"]).sum(axis=1)
    return mcnemar(seen[2], seen[1], seen.sum())


def metric_on_same(task: Task) -> Answer:
    seen = np.array(task.tables[0]["both"]).sum(axis=0) + np.array(task.tables[0]["alone"])
    return mcnemar(seen[2], seen[1], seen.sum())


def sign_test(task: Task) -> Answer:
    lost, tied, won = np.array(task.tables[0]["both"]).sum(axis=1)
    return mcnemar(won, lost, won + tied + lost)


METHODS = {
    "people only": {
        "one": single(human),
        "two": apart(human, newcombe),
        "same": people_on_same,
        "net": sign_test,
    },
    "Tenenbein": {"one": single(tenenbein_logit), "two": apart(tenenbein_wald, difference)},
    "Rogan–Gladen, delta": {"one": single(rogan_gladen)},
    "Rogan–Gladen, Lang–Reiczigel": {"one": single(lambda table: rogan_gladen(table, added=1.0))},
    "metric uncorrected": {"one": single(metric), "two": apart(metric, newcombe), "same": metric_on_same},
}

if __name__ == "__main__":
    main(METHODS)
