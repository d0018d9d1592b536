"""What should be distrusted: checks of the evidence against the assumptions behind the answer."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from math import sqrt
from statistics import median
from typing import TYPE_CHECKING

from scipy.special import betaincinv, ndtr

from tellapart.analysis.design import worth
from tellapart.analysis.homogeneity import equal_shares
from tellapart.core.counts import BINARY, VERDICT, Confusion, KnownRates, Tally
from tellapart.core.evidence import Evidence
from tellapart.core.posterior import level_parameters, shape

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

# Cautions after which the rate itself, or that of the metric's help, cannot be relied on, in a few words.
DOUBTS = {
    "conflict": "human and metric ratings conflict",
    "impossible-share": "the metric's ratings do not fit the rates it is said to have",
    "too-good": "the metric repeats the human ratings",
    "unlike-the-rest": "the human-rated outputs are not like the rest",
    "missing-labels": "human ratings are missing, and not at random",
    "missing-outputs": "ratings are missing far more often than for the others",
    "undecided-votes": "the outputs with tied votes, left out, are not like the others",
}


@dataclass(frozen=True)
class Caution:
    """A reason to distrust a result: a code, what was seen, and what to do."""

    code: str
    message: str
    advice: str

    def __str__(self) -> str:
        """Return both sentences."""
        return f"{self.message} {self.advice}"

    def to_dict(self) -> dict[str, str]:
        """Return a JSON-safe dictionary."""
        return asdict(self)


def doubts(found: Sequence[Caution]) -> tuple[str, ...]:
    """Return, in a few words each, why an answer with these cautions cannot be relied on; nothing if it can."""
    return tuple(dict.fromkeys(DOUBTS[caution.code] for caution in found if caution.code in DOUBTS))


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
        found.append(_too_good(judged.confusion))
        same = _rated_by_both(evidence, metric)
        found.append(_unlike_the_rest(evidence, metric) if same else _conflict(evidence, judged, prior))
    return tuple(caution for caution in found if caution)


def _metrics(evidence: Evidence) -> tuple[Evidence, ...]:
    return ((evidence,) if evidence.levels else ()) + evidence.fused


def _human_set_aside(evidence: Evidence) -> Caution | None:
    if evidence.sampling == "random" or not evidence.human.total:
        return None
    how = (
        "chosen to balance adequate and inadequate ones"
        if evidence.sampling == "balanced"
        else "chosen by the metric's verdict"
    )
    use = "They are used to calibrate the metric only."
    if evidence.drawn.total:
        use = "They calibrate the metric, and count as what they are among all outputs."
    return Caution(
        "human-set-aside",
        f"The human-rated outputs were {how}, so their share of adequate ones ({evidence.human}) says nothing about "
        "the rate by itself.",
        use if evidence.levels else "Without a metric nothing is left but the prior.",
    )


def _human_missing(evidence: Evidence) -> Caution | None:
    calibrated = next((m.confusion for m in _metrics(evidence) if m.confusion), None)
    if evidence.sampling != "random" or evidence.n_human or calibrated is None or not calibrated.human.total:
        return None
    return Caution(
        "calibration-only",
        "The calibration outputs are used for the metric's rates, not for the system's own rate.",
        f"If they are a random sample of this system's outputs, pass them as human ratings too: {calibrated.human}.",
    )


def _at_the_edge(evidence: Evidence, prior: Prior) -> Caution | None:
    """Speak up where all human ratings are equal."""
    human = evidence.human_for_rate
    if human.total < FEW or 0 < human.positive < human.total:
        return None
    kind = "adequate" if human.positive else "inadequate"
    advice = "The interval rests much on the prior there; rate more outputs by hand"
    return Caution(
        "edge-rate",
        f"All {human.total} human ratings are equal ({kind}).",
        advice + ("." if prior.name == "jeffreys" else ", or compare with --prior jeffreys."),
    )


def _independence(evidence: Evidence) -> Caution | None:
    if len(_metrics(evidence)) <= 1:
        return None
    return Caution(
        "independent-errors",
        f"The {len(_metrics(evidence))} metrics are fused as if they erred independently of one another.",
        "If they rated the same outputs or resemble each other, the interval is too narrow; use their joint pattern "
        "as one judge with levels.",
    )


def _uncalibrated(metric: Evidence, evidence: Evidence) -> Caution | None:
    confusion = metric.confusion
    if confusion is None or not metric.n_metric:
        return None
    adequate, total = confusion.human.positive, confusion.human.total
    if total == 0:
        return Caution(
            "no-calibration",
            "The metric's error rates are unknown: no output carries both a human and a metric rating.",
            "Its ratings add next to nothing; rate a random sample of outputs by hand, or let the outputs of other "
            "systems calibrate it (--rates pooled).",
        )
    if min(adequate, total - adequate) >= FEW or evidence.sampling == "by-metric":
        return None
    kind = "adequate" if adequate < total - adequate else "inadequate"
    return Caution(
        "few-calibration",
        f"The metric's error rate on {kind} outputs is a guess: it was calibrated on only "
        f"{min(adequate, total - adequate)} of them.",
        f"Rate more outputs by hand until at least {FEW} {kind} ones are among them.",
    )


def _useless(evidence: Evidence, seen: str) -> Caution:
    rests = "the human ratings" if evidence.human_for_rate.total else "little but the prior"
    return Caution(
        "useless-metric",
        f"The metric has not yet been shown to tell adequate from inadequate outputs ({seen}).",
        f"The result rests on {rests}; more outputs with both ratings would show what it is worth.",
    )


def _uninformative(metric: Evidence, evidence: Evidence) -> Caution | None:
    """Speak up where adequate and inadequate outputs may get the levels of a judge equally often."""
    inadequate, adequate = metric.calibration
    if not any(adequate) or not any(inadequate):
        return None
    p_value = equal_shares(list(zip(adequate, inadequate, strict=True)))
    return _useless(evidence, f"p = {p_value:.2g} that both get its levels alike") if p_value > _DOUBTFUL else None


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
    means, variances = [], []
    for zero, one in (adequate, inadequate):
        total = zero + one
        means.append(one / total)
        variances.append(zero * one / total**2 / (total + 1))
    informedness = means[0] - means[1]  # tpr + tnr − 1
    z = informedness / sqrt(sum(variances))
    if z < -2:  # noqa: PLR2004 - about 2 % on one side
        return Caution(
            "inverted-metric",
            f"The metric passes inadequate outputs more often than adequate ones (tpr + tnr = {1 + informedness:.2f}).",
            "It is used as it is, which is right; check whether its labels are swapped.",
        )
    if abs(z) <= 2 and metric.n_metric and sum(adequate) + sum(inadequate) > 2 * BINARY:  # noqa: PLR2004
        return _useless(evidence, f"tpr + tnr = {1 + informedness:.2f}, and 1 is useless")
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
    return Caution(
        "too-good",
        f"The metric repeats the human ratings almost exactly ({sum(wrong)} of {confusion.human.total} differ).",
        "If it was derived from them, or made by the same people, it is no metric: choose another with --metric.",
    )


def _out_of_reach(metric: Evidence, rates: KnownRates) -> Caution | None:
    n = metric.n_metric
    if not n:
        return None
    low, high = sorted((1 - rates.tnr, rates.tpr))
    seen = metric.metric.positive / n
    slack = 2.5 * sqrt(max(seen * (1 - seen), 1 / n) / n)
    if low - slack <= seen <= high + slack:
        return None
    return Caution(
        "impossible-share",
        f"The metric passed {seen:.1%} of the outputs, but with {rates} it passes between {low:.1%} and {high:.1%}.",
        "The rates are not right for this system; estimate them from outputs that carry both ratings.",
    )


def _rated_by_both(evidence: Evidence, metric: Evidence) -> bool:
    """Tell whether the calibration is, but for a few outputs, that of the human-rated outputs themselves."""
    adequate, total = sum(metric.calibration[1]), metric.n_calibration
    human = evidence.human
    fits = adequate <= human.positive and total - adequate <= human.total - human.positive
    return total > 0 and fits and total >= _SAME_OUTPUTS * human.total


def _unlike_the_rest(evidence: Evidence, metric: Evidence) -> Caution | None:
    """Compare how often the metric gives each level to human-rated outputs and to the others.

    Equal numbers of each level among the rated ones were chosen so, by the metric's verdict: that does no harm.
    """
    if evidence.sampling != "random" or not metric.n_metric:
        return None
    rated, others = metric.calibrated, metric.own.metric_only
    probability = _alike(rated, others)
    if probability >= UNLIKE or max(rated) - min(rated) <= 1:
        return None
    here, there = sum(rated), sum(others)
    if len(rated) == BINARY:
        what = f"the metric passed {rated[1] / here:.1%} of the {here:,} rated ones and {others[1] / there:.1%}"
    else:
        what = f"the levels that the metric gave to the {here:,} rated ones differ from those"
    return Caution(
        "unlike-the-rest",
        f"The human-rated outputs are not like the rest: {what} of the {there:,} others (p = {probability:.1g}).",
        "If they were chosen by the metric's verdict alone, that does no harm: say so with --sampling by-metric. If "
        "they were chosen to balance adequate and inadequate ones, say --sampling balanced. If ratings are missing for "
        "another reason, the rate is biased: find out which.",
    )


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
    whom = "most other systems" if len(systems) > BINARY else "the other system"
    found: dict[str, tuple[Caution, ...]] = {}
    for name in lacking:
        judged, n = missing[name]
        if seen := _unlike(systems[name], judged, len(lacking)):
            message = (
                f"{judged.total} outputs lack a human rating although the same items are rated for {whom}; {seen}."
            )
            advice = (
                "The missing ones seem to be another kind, so the rate is biased; have them rated, or find out why."
            )
            found[name] = (Caution("missing-labels", message, advice),)
        elif n - judged.total >= FEW and len(systems) > BINARY:
            message = f"{n - judged.total} outputs lack all ratings although the same items are rated for {whom}."
            advice = (
                "If the missing ones are mostly bad (or good), the rate is biased; have them rated, or find out why."
            )
            found[name] = (Caution("missing-outputs", message, advice),)
    return found


def undecided_votes(systems: Mapping[str, Evidence], undecided: Mapping[str, Tally]) -> dict[str, tuple[Caution, ...]]:
    """Speak up where outputs were left out because their votes are tied, and the metric treats them unlike the others.

    `undecided` counts such outputs of each system that the metric rated, and how many of them it passed.
    """
    message = "{n} outputs are left out because their votes are tied; {seen}."
    advice = "Hard cases are missing, which biases the rate; ask one more annotator, or use --votes all or any."
    tested = {name: tied for name, tied in undecided.items() if tied.total >= FEW}
    return {
        name: (Caution("undecided-votes", message.format(n=tied.total, seen=seen), advice),)
        for name, tied in tested.items()
        if (seen := _unlike(systems[name], tied, len(tested)))
    }


def _unlike(evidence: Evidence, absent: Tally, tests: int) -> str:
    """Say how the metric treats outputs that should have been rated unlike the rated ones, if it surely does."""
    calibration = evidence.confusion
    if calibration is None or not calibration.human.total or not absent.total:
        return ""
    passed, total = calibration.tp + calibration.fp, calibration.human.total
    p_value = equal_shares([(absent.positive, absent.total - absent.positive), (passed, total - passed)])
    if p_value >= NOT_ALIKE / tests:
        return ""
    return f"the metric passed {absent.positive} of these {absent.total}, but {passed / total:.0%} of the rated ones"


def different_items(items: int, by_system: Sequence[int]) -> dict[str, tuple[Caution, ...]]:
    """Speak up where systems answered different items, so that some may have had the easier ones."""
    if items <= _SPREAD * max(by_system):
        return {}
    message = f"The systems answered different items: {items:,} in all, at most {max(by_system):,} by one system."
    advice = "A difference may be one of the items; compare systems on the same ones."
    return {"": (Caution("different-items", message, advice),)}


def rates_differ(test: Homogeneity | None, systems: Mapping[str, Evidence], *, pooled: bool) -> tuple[Caution, ...]:
    """Speak up where the metric errs differently by system."""
    if test is None or test.p_value >= DIFFER:
        return ()
    calibrations = {name: e.confusion for name, e in systems.items()}
    spread = []
    for rate, kinds in (("tpr", ("tp", "fn")), ("tnr", ("tn", "fp"))):
        counts = {n: [getattr(c, kind) for kind in kinds] for n, c in calibrations.items() if c is not None}
        shares = {n: right / (right + wrong) for n, (right, wrong) in counts.items() if right + wrong}
        low, high = min(shares, key=lambda n: shares[n]), max(shares, key=lambda n: shares[n])
        spread.append(f"{rate} from {shares[low]:.2f} ({low}) to {shares[high]:.2f} ({high})")
    advice = (
        "The calibration was pooled all the same: do not trust the rates; calibrate each system by itself."
        if pooled
        else "Each system is corrected by its own calibration, so the verdicts hold; what rests on shared rates does "
        "not, nor would a comparison of the metric's bare averages."
    )
    message = f"The metric's error rates differ by system (p = {test.p_value:.1g}): {'; '.join(spread)}."
    return (Caution("rates-differ", message, advice),)


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
    if probability >= CONFLICT:
        return None
    return Caution(
        "conflict",
        "Human and metric evidence conflict: by the human ratings and the calibration the metric should pass "
        f"{predicted:.1%} ± {sd:.1%} of the outputs, it passed {seen:.1%}.",
        "Do not trust the fused rate; check that the human-rated outputs are like the others and that the calibration "
        "belongs to this system.",
    )


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
