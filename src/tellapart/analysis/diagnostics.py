"""What should be distrusted: checks of the evidence against the assumptions behind the answer."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from statistics import median
from typing import TYPE_CHECKING

from scipy.special import betaincinv, ndtr

from tellapart.analysis.cautions import Caution
from tellapart.analysis.design import worth
from tellapart.analysis.homogeneity import equal_shares
from tellapart.core.counts import BINARY, VERDICT, Confusion, KnownRates, Tally
from tellapart.core.evidence import Evidence
from tellapart.core.posterior import level_parameters, shape
from tellapart.said import Option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tellapart.analysis.homogeneity import Homogeneity
    from tellapart.core.prior import Prior

CONFLICT = 1e-2  # two-sided predictive probability below which human and metric evidence are said to conflict
UNLIKE = 5e-3  # probability of rated and unrated outputs as unlike as these, below which the sample is doubted
DIFFER = 1e-2  # the same for error rates of the metric by system
NOT_ALIKE = 0.05  # of outputs that lack a human rating, as unlike the rated ones as these: over all that are tested
FEW = 5
_USUALLY_MISSING = 0.05
_OFTEN_MISSING = 0.015
_SPREAD = 1.2
_TOO_GOOD = 0.85  # of the human ratings: hardly any metric that does not know them replaces as many
_SURE = 0.05  # for bounds on one side
_DOUBTFUL = 0.05
_SAME_OUTPUTS = 0.9


def cautions(evidence: Evidence, prior: Prior) -> tuple[Caution, ...]:
    """Return every caution that the evidence gives rise to."""
    if evidence.classes != BINARY:
        only = _unlike_the_rest(evidence, evidence)
        return (only,) if only else ()
    found: list[Caution | None] = [_human_set_aside(evidence), _independence(evidence), _human_missing(evidence)]
    found.append(_at_the_edge(evidence, prior))
    for metric in _metrics(evidence):
        if metric.rates is not None:
            found.append(_out_of_reach(metric, metric.rates) or _conflict(evidence, metric, prior))
            continue
        if metric.levels == BINARY:
            found += [_uncalibrated(metric, evidence), _inverted(metric, evidence, prior)]
        else:
            found.append(_uninformative(metric, evidence))
        judged = metric if metric.levels == BINARY else best_cut(metric)
        found.append(_too_good(judged.confusion) if metric.n_metric else None)
        same = _rated_by_both(evidence, metric)
        found.append(_unlike_the_rest(evidence, metric) if same else _conflict(evidence, judged, prior))
    return tuple(caution for caution in found if caution)


def _metrics(evidence: Evidence) -> tuple[Evidence, ...]:
    return ((evidence,) if evidence.levels else ()) + evidence.fused


def _human_set_aside(evidence: Evidence) -> Caution | None:
    if evidence.sampling == "random" or not evidence.human.total:
        return None
    used = {"metric": evidence.levels > 0, "drawn": evidence.drawn.total > 0}
    return Caution("human-set-aside", {"balanced": evidence.sampling == "balanced", **_rated(evidence.human), **used})


def _rated(human: Tally) -> dict[str, int]:
    return {"adequate": human.positive, "rated": human.total}


def _human_missing(evidence: Evidence) -> Caution | None:
    calibrated = next((m.confusion for m in _metrics(evidence) if m.confusion), None)
    if evidence.sampling != "random" or evidence.n_human or calibrated is None or not calibrated.human.total:
        return None
    return Caution("calibration-only", _rated(calibrated.human))


def _at_the_edge(evidence: Evidence, prior: Prior) -> Caution | None:
    """Speak up where all human ratings are equal."""
    human = evidence.human_for_rate
    if human.total < FEW or 0 < human.positive < human.total:
        return None
    kind, jeffreys = "adequate" if human.positive else "inadequate", prior.name == "jeffreys"
    other = () if jeffreys else (Option("prior", "jeffreys"),)
    return Caution("edge-rate", {"n": human.total, "kind": kind, "jeffreys": jeffreys}, other)


def _independence(evidence: Evidence) -> Caution | None:
    metrics = len(_metrics(evidence))
    return Caution("independent-errors", {"metrics": metrics}) if metrics > 1 else None


def _uncalibrated(metric: Evidence, evidence: Evidence) -> Caution | None:
    confusion = metric.confusion
    if confusion is None or not metric.n_metric:
        return None
    adequate, total = confusion.human.positive, confusion.human.total
    if total == 0:
        return Caution("no-calibration", {"human": evidence.n_human > 0, "others": False})
    if min(adequate, total - adequate) >= FEW or evidence.sampling == "by-metric":
        return None
    kind = "adequate" if adequate < total - adequate else "inadequate"
    return Caution("few-calibration", {"kind": kind, "n": min(adequate, total - adequate), "enough": FEW})


def with_others(caution: Caution) -> Caution:
    """Offer what other systems tell of the metric, where it has no calibration and theirs would do."""
    return replace(caution.but(others=True), options=(Option("borrow", "rates"),))


def _useless(evidence: Evidence, **seen: float) -> Caution:
    return Caution("useless-metric", {**seen, "human": evidence.human_for_rate.total > 0, "adds": False})


def _uninformative(metric: Evidence, evidence: Evidence) -> Caution | None:
    """Speak up where adequate and inadequate outputs may get the levels of a judge equally often."""
    inadequate, adequate = metric.calibration
    if not any(adequate) or not any(inadequate):
        return None
    p_value = equal_shares(list(zip(adequate, inadequate, strict=True)))
    return _useless(evidence, levels=True, p_value=p_value) if p_value > _DOUBTFUL else None


def best_cut(metric: Evidence) -> Evidence:
    """Return a judge with levels as a binary metric that passes those which adequate outputs get more often."""
    inadequate, adequate = metric.calibration
    all_adequate, all_inadequate = sum(adequate) or 1, sum(inadequate) or 1
    shares = [(a / all_adequate, b / all_inadequate) for a, b in zip(adequate, inadequate, strict=True)]
    passed = [k for k, (a, b) in enumerate(shares) if a > b]
    failed = [k for k in range(metric.levels) if k not in passed]
    return replace(metric.grouped([failed, passed], VERDICT.names), sampling="random")


def _inverted(metric: Evidence, evidence: Evidence, prior: Prior) -> Caution | None:
    inadequate, adequate = level_parameters(metric, prior)
    (tpr, tpr_variance), (fpr, fpr_variance) = (_moments(one, zero) for zero, one in (adequate, inadequate))
    informedness = tpr - fpr  # tpr + tnr − 1
    z = informedness / sqrt(tpr_variance + fpr_variance)
    if z < -2:  # noqa: PLR2004 - about 2% on one side
        return Caution("inverted-metric", {"tpr_tnr": 1 + informedness})
    if abs(z) <= 2 and metric.n_metric and sum(adequate) + sum(inadequate) > 2 * BINARY:  # noqa: PLR2004
        return _useless(evidence, levels=False, tpr_tnr=1 + informedness)
    return None


def _too_good(confusion: Confusion | None) -> Caution | None:
    """Speak up where the metric surely replaces nearly all human ratings: it may have been made from them."""
    if confusion is None or not min(confusion.tp + confusion.fn, confusion.tn + confusion.fp):
        return None
    right, wrong = (confusion.tp, confusion.tn), (confusion.fn, confusion.fp)
    tpr, tnr = (float(betaincinv(r + 1, w + 1, _SURE)) for r, w in zip(right, wrong, strict=True))
    share = confusion.human.positive / confusion.human.total
    if tpr + tnr <= 1 or worth(share, tpr, tnr) < _TOO_GOOD:
        return None
    return Caution("too-good", {"differ": sum(wrong), "n": confusion.human.total}, (Option("metric"),))


def too_good_for_all(systems: Mapping[str, Evidence]) -> tuple[Caution, ...]:
    """Speak up likewise where no system by itself has ratings enough to show it."""
    judged = [one for one in systems.values() if one.levels == BINARY and one.rates is None and not one.fused]
    if not any(one.n_metric for one in judged) or any(_too_good(one.confusion) for one in judged):
        return ()
    cells = [(c.tp, c.fn, c.tn, c.fp) for one in judged if (c := one.confusion) is not None]
    found = _too_good(Confusion(*map(sum, zip(*cells, strict=True)))) if cells else None
    return (found,) if found else ()


def _out_of_reach(metric: Evidence, rates: KnownRates) -> Caution | None:
    n = metric.n_metric
    if not n:
        return None
    low, high = sorted((1 - rates.tnr, rates.tpr))
    seen = metric.metric.positive / n
    slack = 2.5 * sqrt(max(seen * (1 - seen), 1 / n) / n)
    if low - slack <= seen <= high + slack:
        return None
    facts = {"passed": seen, "tpr": rates.tpr, "tnr": rates.tnr, "low": low, "high": high}
    return Caution("impossible-share", facts)


def _rated_by_both(evidence: Evidence, metric: Evidence) -> bool:
    """Tell whether the calibration is, but for a few outputs, that of the human-rated outputs themselves."""
    adequate, total = sum(metric.calibration[1]), metric.n_calibration
    human = evidence.human
    fits = adequate <= human.positive and total - adequate <= human.total - human.positive
    return total > 0 and fits and total >= _SAME_OUTPUTS * human.total


def _unlike_the_rest(evidence: Evidence, metric: Evidence) -> Caution | None:
    """Compare how often the metric gives each level to human-rated outputs and to the others.

    Equal numbers of each level among the rated ones were chosen so, by the metric's verdict: that does no harm. Equal
    numbers of adequate and inadequate ones were chosen so, too, and that does.
    """
    if evidence.sampling != "random" or not metric.n_metric:
        return None
    rated, others = metric.calibrated, metric.own.metric_only
    probability = _alike(rated, others)
    if probability >= UNLIKE or (_even(rated) and not _even([sum(row) for row in metric.calibration])):
        return None
    here, there = sum(rated), sum(others)
    scale = evidence.classes > BINARY
    facts = {"levels": len(rated) > BINARY, "rated": here, "others": there, "p_value": probability, "scale": scale}
    facts |= {} if facts["levels"] else {"passed_rated": rated[1] / here, "passed_others": others[1] / there}
    ways = ("by-metric",) if scale else ("by-metric", "balanced")
    return Caution("unlike-the-rest", facts, tuple(Option("sampling", way) for way in ways))


def _even(numbers: Sequence[int]) -> bool:
    """Whether outputs were chosen so that there are as many of each kind."""
    return max(numbers) - min(numbers) <= 1


def _alike(rated: Sequence[int], others: Sequence[int]) -> float:
    """Return the p-value of equal shares of levels; neighbours are merged until each is expected five times."""
    shares = [(a + b) / max(sum(rated) + sum(others), 1) for a, b in zip(rated, others, strict=True)]
    expected = [share * min(sum(rated), sum(others)) for share in shares]
    merged, running = [[0, 0]], 0.0
    for a, b, e in zip(rated, others, expected, strict=True):
        if running >= FEW:
            merged.append([0, 0])
            running = 0.0
        merged[-1] = [merged[-1][0] + a, merged[-1][1] + b]
        running += e
    if running < FEW and len(merged) > BINARY:
        last = merged.pop()
        merged[-1] = [x + y for x, y in zip(merged[-1], last, strict=True)]
    return equal_shares([(a, b) for a, b in merged])


def lacking(systems: Mapping[str, Evidence], missing: Mapping[str, int]) -> list[str]:
    """Return the systems that lack human ratings of items which most systems have, far more often than the others."""
    shares = {name: m / max(m + systems[name].n_human, 1) for name, m in missing.items()}
    found = []
    for name, share in shares.items():
        others = [other for key, other in shares.items() if key != name]
        usual = median(others) if others else share
        # more is usual where the systems were rated on different items by design
        if usual <= _USUALLY_MISSING and missing[name] >= FEW and share >= max(3 * usual, _OFTEN_MISSING):
            rest = [systems[key] for key in missing if key != name]
            have = missing[name], systems[name].n_human
            usual_have = sum(missing.values()) - have[0], sum(e.n_human for e in rest)
            found += [name] if equal_shares([have, usual_have]) < NOT_ALIKE / len(systems) else []
    return found


def missing_labels(
    systems: Mapping[str, Evidence], missing: Mapping[str, tuple[Tally, int]], lacking: Sequence[str]
) -> dict[str, tuple[Caution, ...]]:
    """Speak up where the metric treats outputs that lack a human rating unlike the rated ones, or has not rated them.

    `missing` counts such outputs of each system, those that the metric rated and those that it passed.
    """
    found: dict[str, tuple[Caution, ...]] = {}
    for name in lacking:
        judged, n = missing[name]
        if seen := _unlike(systems[name], judged, len(lacking)):
            found[name] = (Caution("missing-labels", {"pair": len(systems) == BINARY, **seen}),)
        elif n - judged.total >= FEW and len(systems) > BINARY:
            found[name] = (Caution("missing-outputs", {"pair": False, "n": n - judged.total}),)
    return found


def undecided_votes(systems: Mapping[str, Evidence], undecided: Mapping[str, Tally]) -> dict[str, tuple[Caution, ...]]:
    """Speak up where outputs were left out because their votes are tied, and the metric treats them unlike the others.

    `undecided` counts such outputs of each system that the metric rated, and how many of them it passed.
    """
    other = Option("votes", "all"), Option("votes", "any")
    tested = {name: tied for name, tied in undecided.items() if tied.total >= FEW}
    return {
        name: (Caution("undecided-votes", seen, other),)
        for name, tied in tested.items()
        if (seen := _unlike(systems[name], tied, len(tested)))
    }


def _unlike(evidence: Evidence, absent: Tally, tests: int) -> dict[str, float]:
    """Tell how the metric treats outputs that should have been rated unlike the rated ones, if it surely does."""
    calibration = evidence.confusion
    if calibration is None or not calibration.human.total or not absent.total:
        return {}
    passed, total = calibration.tp + calibration.fp, calibration.human.total
    p_value = equal_shares([(absent.positive, absent.total - absent.positive), (passed, total - passed)])
    if p_value >= NOT_ALIKE / tests:
        return {}
    return {"n": absent.total, "passed": absent.positive, "usual": passed / total, "p_value": p_value}


def different_items(items: int, by_system: Sequence[int]) -> dict[str, tuple[Caution, ...]]:
    """Speak up where systems answered different items, so that some may have had the easier ones."""
    if items <= _SPREAD * max(by_system):
        return {}
    return {"": (Caution("different-items", {"items": items, "most": max(by_system)}),)}


def rates_differ(test: Homogeneity | None, systems: Mapping[str, Evidence], *, shared: bool) -> tuple[Caution, ...]:
    """Speak up where the metric errs differently by system."""
    if test is None or test.p_value >= DIFFER:
        return ()
    calibrations = {name: e.confusion for name, e in systems.items()}
    spread = {}
    for rate, kinds in (("tpr", ("tp", "fn")), ("tnr", ("tn", "fp"))):
        counts = {n: [getattr(c, kind) for kind in kinds] for n, c in calibrations.items() if c is not None}
        shares = {n: right / (right + wrong) for n, (right, wrong) in counts.items() if right + wrong}
        low, high = min(shares, key=lambda n: shares[n]), max(shares, key=lambda n: shares[n])
        alike = f"{shares[low]:.2f}" == f"{shares[high]:.2f}"
        spread[rate] = {"low": shares[low], "lowest": low, "high": shares[high], "highest": high, "alike": alike}
    return (Caution("rates-differ", {"p_value": test.p_value, "shared": shared, **spread}),)


def _conflict(evidence: Evidence, metric: Evidence, prior: Prior) -> Caution | None:
    """Compare the metric's count with what human ratings and calibration predict for it."""
    human = evidence.human_for_rate
    if not human.total or not metric.n_metric:
        return None
    rates = _error_rates(metric, prior)
    predicted, variance = _predict(_moments(*shape(Evidence.of(human), prior)), *rates)
    seen, n = metric.metric.positive / metric.n_metric, metric.n_metric
    sd = sqrt(variance + predicted * (1 - predicted) / n)
    probability = 2 * float(ndtr(-abs(seen - predicted) / sd)) if sd else float(seen == predicted)
    facts = {"predicted": predicted, "sd": sd, "passed": seen, "p_value": probability}
    return Caution("conflict", facts) if probability < CONFLICT else None


def _error_rates(metric: Evidence, prior: Prior) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return mean and variance of the shares of adequate and of inadequate outputs that the metric passes."""
    if metric.rates is not None:
        return (metric.rates.tpr, 0.0), (1 - metric.rates.tnr, 0.0)
    (tn, fp), (fn, tp) = level_parameters(metric, prior)
    return _moments(tp, fn), _moments(fp, tn)


def _predict(rate: tuple[float, float], tpr: tuple[float, float], fpr: tuple[float, float]) -> tuple[float, float]:
    """Return mean and variance of p = α·tpr + (1−α)·fpr for independent variables with these means and variances."""
    (m, v), (m1, v1), (m2, v2) = rate, tpr, fpr
    mean = m * m1 + (1 - m) * m2
    return mean, v * (m1 - m2) ** 2 + (v + m**2) * v1 + (v + (1 - m) ** 2) * v2


def _moments(a: float, b: float) -> tuple[float, float]:
    return a / (a + b), a * b / (a + b) ** 2 / (a + b + 1)
