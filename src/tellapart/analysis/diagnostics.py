"""What should be distrusted: checks of the evidence against the assumptions behind the answer."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import sqrt
from typing import TYPE_CHECKING

from scipy.special import ndtr

from tellapart.analysis.homogeneity import equal_shares
from tellapart.core.evidence import Confusion, Evidence, Levels, Metric, Prior, Rates, Tally
from tellapart.core.posterior import level_parameters, shape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tellapart.analysis.homogeneity import Homogeneity

CONFLICT = 1e-3  # two-sided predictive probability below which human and metric evidence are said to conflict
UNLIKE = 5e-3  # probability of rated and unrated outputs as unlike as these, below which the sample is doubted
DIFFER = 1e-2  # the same for error rates of the metric by system
FEW = 5
_RARE = 3
_MANY = 50
_USUALLY_MISSING = 0.05
_OFTEN_UNDECIDED = 0.02
_SPREAD = 1.2
_TOO_GOOD = 0.95
_BINARY = 2
_DOUBTFUL = 0.05


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


def cautions(evidence: Evidence, prior: Prior) -> tuple[Caution, ...]:
    """Return every caution that the evidence gives rise to."""
    found: list[Caution | None] = [_human_set_aside(evidence), _independence(evidence), _human_missing(evidence)]
    found.append(_at_the_edge(evidence, prior))
    for metric in evidence.metrics:
        if isinstance(metric.quality, Rates):
            found.append(_out_of_reach(metric, metric.quality))
        elif len(metric.counts) == _BINARY:
            found += [_uncalibrated(metric, evidence), _inverted(metric, evidence, prior), _too_good(metric.confusion)]
            found.append(_unlike_the_rest(evidence, metric) or _conflict(evidence, metric, prior))
        else:
            found += [_uninformative(metric.quality, evidence), _too_good(_best_cut(metric.quality))]
    return tuple(caution for caution in found if caution)


def _human_set_aside(evidence: Evidence) -> Caution | None:
    if evidence.sampling == "random" or not evidence.human.total:
        return None
    how = (
        "chosen to balance adequate and inadequate ones"
        if evidence.sampling == "balanced"
        else "chosen by the metric's verdict"
    )
    return Caution(
        "human-set-aside",
        f"The human-rated outputs were {how}, so their share of adequate ones ({evidence.human}) says nothing about "
        "the rate by itself.",
        "They are used to calibrate the metric only."
        if evidence.metrics
        else "Without a metric nothing is left but the prior.",
    )


def _human_missing(evidence: Evidence) -> Caution | None:
    if evidence.sampling != "random" or evidence.human.total or not any(m.confusion for m in evidence.metrics):
        return None
    calibrated = next(m.confusion for m in evidence.metrics if m.confusion)
    if not calibrated.human.total:
        return None
    return Caution(
        "calibration-only",
        "The calibration outputs are used for the metric's rates, not for the system's own rate.",
        f"If they are a random sample of this system's outputs, pass them as human ratings too: {calibrated.human}.",
    )


def _at_the_edge(evidence: Evidence, prior: Prior) -> Caution | None:
    """Speak up where nearly all human ratings are equal."""
    human = evidence.human_for_rate
    rare = min(human.positive, human.total - human.positive)
    if human.total < FEW or rare >= _RARE:
        return None
    if rare == 0:
        kind = "adequate" if human.positive else "inadequate"
        seen = f"All {human.total} human ratings are equal ({kind})."
    else:
        seen = (
            f"The rate is near {'1' if 2 * human.positive > human.total else '0'}: {human} human ratings are adequate."
        )
    advice = "The interval rests much on the prior there; rate more outputs by hand"
    return Caution(
        "edge-rate", seen, advice + ("." if prior.name == "jeffreys" else ", or compare with --prior jeffreys.")
    )


def _independence(evidence: Evidence) -> Caution | None:
    if len(evidence.metrics) <= 1:
        return None
    return Caution(
        "independent-errors",
        f"The {len(evidence.metrics)} metrics are fused as if they erred independently of one another.",
        "If they rated the same outputs or resemble each other, the interval is too narrow; use their joint pattern "
        "as one judge with levels.",
    )


def _uncalibrated(metric: Metric, evidence: Evidence) -> Caution | None:
    confusion = metric.confusion
    if confusion is None or not metric.total:
        return None
    adequate, total = confusion.human.positive, confusion.human.total
    if total == 0:
        return Caution(
            "no-calibration",
            "The metric's error rates are unknown: no output carries both a human and a metric rating.",
            "Its ratings add next to nothing; rate a random sample of outputs by hand, or let the outputs of other "
            "systems calibrate it (--pool-calibration).",
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
        f"The metric has not been shown to tell adequate from inadequate outputs ({seen}).",
        f"The result rests on {rests}; more metric ratings will not help.",
    )


def _uninformative(quality: Levels, evidence: Evidence) -> Caution | None:
    """Speak up where adequate and inadequate outputs may get the levels of a judge equally often."""
    if not any(quality.adequate) or not any(quality.inadequate):
        return None
    p_value = equal_shares(list(zip(quality.adequate, quality.inadequate, strict=True)))
    return _useless(evidence, f"p = {p_value:.2g} that both get its levels alike") if p_value > _DOUBTFUL else None


def _best_cut(quality: Levels) -> Confusion:
    """Return the confusion of a judge with levels that passes those which adequate outputs get more often."""
    adequate, inadequate = sum(quality.adequate) or 1, sum(quality.inadequate) or 1
    levels = list(zip(quality.adequate, quality.inadequate, strict=True))
    passed = [(a, b) for a, b in levels if a / adequate > b / inadequate]
    tp, fp = sum(a for a, _ in passed), sum(b for _, b in passed)
    return Confusion(tp, sum(quality.adequate) - tp, sum(quality.inadequate) - fp, fp)


def _inverted(metric: Metric, evidence: Evidence, prior: Prior) -> Caution | None:
    adequate, inadequate = level_parameters(metric, prior)
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
    if abs(z) <= 2 and metric.total and sum(adequate) + sum(inadequate) > 2 * _BINARY:  # noqa: PLR2004
        return _useless(evidence, f"tpr + tnr = {1 + informedness:.2f}, and 1 is useless")
    return None


def _too_good(confusion: Confusion | None) -> Caution | None:
    """Speak up where the metric repeats the human ratings."""
    if confusion is None or confusion.human.total < _MANY:
        return None
    tp, fn, tn, fp = confusion.tp, confusion.fn, confusion.tn, confusion.fp
    margins = (tp + fn) * (tn + fp) * (tp + fp) * (tn + fn)
    squared_correlation = (tp * tn - fp * fn) ** 2 / margins if margins else 0.0
    if squared_correlation < _TOO_GOOD:
        return None
    return Caution(
        "too-good",
        f"The metric repeats the human ratings almost exactly ({fn + fp} of {confusion.human.total} differ).",
        "If it was derived from them, or made by the same people, it is no metric: choose another with --metric.",
    )


def _out_of_reach(metric: Metric, rates: Rates) -> Caution | None:
    if not metric.total:
        return None
    low, high = sorted((1 - rates.tnr, rates.tpr))
    seen = metric.counts[1] / metric.total
    slack = 2.5 * sqrt(max(seen * (1 - seen), 1 / metric.total) / metric.total)
    if low - slack <= seen <= high + slack:
        return None
    return Caution(
        "impossible-share",
        f"The metric passed {seen:.1%} of the outputs, but with {rates} it passes between {low:.1%} and {high:.1%}.",
        "The rates are not right for this system; estimate them from outputs that carry both ratings.",
    )


def _unlike_the_rest(evidence: Evidence, metric: Metric) -> Caution | None:
    """Compare the metric's share of passed outputs on human-rated outputs and on the others."""
    calibration = metric.confusion
    if calibration is None or evidence.sampling != "random" or calibration.human != evidence.human:
        return None
    passed, rated = calibration.tp + calibration.fp, calibration.human.total
    if not rated or not metric.total:
        return None
    here, there = passed / rated, metric.counts[1] / metric.total
    share = (passed + metric.counts[1]) / (rated + metric.total)
    sd = sqrt(share * (1 - share) * (1 / rated + 1 / metric.total))
    probability = 2 * float(ndtr(-abs(here - there) / sd)) if sd else 1.0
    if probability >= UNLIKE:
        return None
    return Caution(
        "unlike-the-rest",
        f"The human-rated outputs are not like the rest: the metric passed {here:.1%} of the {rated:,} rated ones and "
        f"{there:.1%} of the {metric.total:,} others (p = {probability:.1g}).",
        "They do not look like a random sample. If they were chosen by the metric's verdict, or to balance adequate "
        "and inadequate ones, say so with --sampling; if ratings are missing, find out which.",
    )


def missing_labels(systems: Mapping[str, Evidence], missing: Mapping[str, Tally]) -> dict[str, tuple[Caution, ...]]:
    """Speak up where a system lacks human ratings of items that most systems have, far more often than is usual.

    `missing` counts such outputs of each system, and how many of them the metric passed.
    """
    shares = {name: m.total / max(m.total + systems[name].human.total, 1) for name, m in missing.items()}
    usual = sorted(shares.values())[len(shares) // 2] if shares else 0.0
    found: dict[str, tuple[Caution, ...]] = {}
    if usual > _USUALLY_MISSING:
        return found  # the systems were rated on different items by design
    for name, m in missing.items():
        if m.total < FEW or shares[name] < 3 * max(usual, 0.005):
            continue
        seen, evidence = "", systems[name]
        calibration = evidence.metrics[0].confusion if len(evidence.metrics) == 1 else None
        if calibration is not None and calibration.human.total:
            share = (calibration.tp + calibration.fp) / calibration.human.total
            seen = f"; the metric passed {m.positive} of these {m.total}, but {share:.0%} of the rated ones"
        message = (
            f"{m.total} outputs lack a human rating although the same items are rated for most other systems{seen}."
        )
        advice = (
            "If the missing ones are mostly bad (or good), the rate is biased; have them rated, or find out why not."
        )
        found[name] = (Caution("missing-labels", message, advice),)
    return found


def different_items(items: int, by_system: Sequence[int]) -> dict[str, tuple[Caution, ...]]:
    """Speak up where systems answered different items, so that some may have had the easier ones."""
    if items <= _SPREAD * max(by_system):
        return {}
    message = f"The systems answered different items: {items:,} in all, at most {max(by_system):,} by one system."
    advice = "A difference may be one of the items; compare systems on the same ones."
    return {"": (Caution("different-items", message, advice),)}


def undecided_votes(systems: Mapping[str, Evidence], undecided: Mapping[str, int]) -> dict[str, tuple[Caution, ...]]:
    """Speak up where many outputs were left out because their votes are tied."""
    found: dict[str, tuple[Caution, ...]] = {}
    for name, n in undecided.items():
        share = n / max(n + systems[name].human.total, 1)
        if n >= FEW and share > _OFTEN_UNDECIDED:
            message = f"{n} outputs ({share:.0%} of those with votes) are left out because their votes are tied."
            advice = "Hard cases are missing, which biases the rate; ask one more annotator, or use --votes all or any."
            found[name] = (Caution("undecided-votes", message, advice),)
    return found


def rates_differ(test: Homogeneity | None, systems: Mapping[str, Evidence], *, pooled: bool) -> tuple[Caution, ...]:
    """Speak up where the metric errs differently by system."""
    if test is None or test.p_value >= DIFFER:
        return ()
    calibrations = {name: e.metrics[0].confusion for name, e in systems.items()}
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


def _conflict(evidence: Evidence, metric: Metric, prior: Prior) -> Caution | None:
    """Compare the metric's count with what human ratings and calibration predict for it."""
    human = evidence.human_for_rate
    if not human.total or not metric.total:
        return None
    (fn, tp), (tn, fp) = level_parameters(metric, prior)
    predicted, variance = _predict(shape(Evidence(human=human), prior), (tp, fn), (fp, tn))
    seen, n = metric.counts[1] / metric.total, metric.total
    sd = sqrt(variance + predicted * (1 - predicted) / n)
    probability = 2 * float(ndtr(-abs(seen - predicted) / sd))
    if probability >= CONFLICT:
        return None
    return Caution(
        "conflict",
        "Human and metric evidence conflict: by the human ratings and the calibration the metric should pass "
        f"{predicted:.1%} ± {sd:.1%} of the outputs, it passed {seen:.1%}.",
        "Do not trust the fused rate; check that the human-rated outputs are like the others and that the calibration "
        "belongs to this system.",
    )


def _predict(rate: tuple[float, float], tpr: tuple[float, float], fpr: tuple[float, float]) -> tuple[float, float]:
    """Return mean and variance of p = α·tpr + (1−α)·fpr for independent Beta variables."""
    (m, v), (m1, v1), (m2, v2) = (_moments(*pair) for pair in (rate, tpr, fpr))
    mean = m * m1 + (1 - m) * m2
    return mean, v * (m1 - m2) ** 2 + (v + m**2) * v1 + (v + (1 - m) ** 2) * v2


def _moments(a: float, b: float) -> tuple[float, float]:
    return a / (a + b), a * b / (a + b) ** 2 / (a + b + 1)
