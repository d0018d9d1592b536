"""Where do I cut a score, and is the metric worth anything there?"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from tellapart._version import __version__
from tellapart.analysis.design import worth
from tellapart.analysis.result import Result
from tellapart.core.counts import Confusion
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Floats = npt.NDArray[np.float64]
Verdicts = npt.NDArray[np.bool_]
Rule = Literal["equal", "worth", "youden"]
RULES: tuple[str, ...] = get_args(Rule)
_DIFFERING = 0.05  # of the rated outputs
_WHAT = {
    "equal": "tpr and tnr as equal as can be, as in the paper",
    "worth": "the metric worth most",
    "youden": "tpr + tnr largest",
}


@dataclass(frozen=True)
class ThresholdRule:
    """How a score becomes a rating: 1 iff the score is above the cut (below it, where lower is better).

    A number that is given is a cut itself: scores of at least that pass (at most, where lower is better).

    Parameters
    ----------
    rule : {"equal", "worth", "youden"} or float
        Choose among the observed scores the one with the smallest |tpr − tnr| (the paper's rule), with the largest
        worth κ, or with the largest tpr + tnr; a number is taken as it is.
    pooled : bool
        One cut for all systems, so that the score is one metric for all; or one for each, as in the paper.
    lower_is_better : bool
        Whether small scores are good ones.
    folds : int
        The outputs are divided at random into so many folds and each is judged by a cut chosen on the others, so that
        no output chooses the cut that judges it. 1 is the naive way: all choose, and all judge.
    seed : int
        Seed of that division.
    """

    rule: Rule | float = "equal"
    pooled: bool = True
    lower_is_better: bool = False
    folds: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the rule and the folds."""
        if isinstance(self.rule, str):
            if self.rule not in RULES:
                raise InvalidInput.rule("threshold", f"be {', '.join(RULES)} or a number", self.rule, "equal is usual")
        elif isinstance(self.rule, bool) or not np.isfinite(self.rule):
            raise InvalidInput.rule("threshold", "be a finite number", self.rule, f"or one of {', '.join(RULES)}")
        else:
            object.__setattr__(self, "rule", float(self.rule))
        for name, least, most, usual in (("folds", 1, 100, 5), ("seed", 0, 2**63, 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or not least <= value < most:
                raise InvalidInput.rule(name, f"be a whole number from {least}", value, f"{usual} is usual")
            object.__setattr__(self, name, int(value))

    @property
    def fixed(self) -> bool:
        """Whether the cut is a given number."""
        return not isinstance(self.rule, str)

    @property
    def sign(self) -> int:
        """Factor that makes large scores good ones."""
        return -1 if self.lower_is_better else 1

    def __str__(self) -> str:
        """Say how the cut was chosen."""
        if not isinstance(self.rule, str):
            return f"passed if at {'most' if self.lower_is_better else 'least'} {self.rule:g}"
        side = "below" if self.lower_is_better else "above"
        which = "one cut for all systems" if self.pooled else "a cut for each system"
        how = f"cross-fitted in {self.folds} folds, seed {self.seed}" if self.folds > 1 else "chosen naively"
        return f"passed if {side} the cut; {which}, {_WHAT[self.rule]}, {how}"


class Scores:
    """Scores of human-rated outputs, large ones good, and which of the outputs are adequate."""

    def __init__(self, scores: Sequence[float] | Floats, adequate: Sequence[bool] | Verdicts) -> None:
        self.scores, self.truth = np.asarray(scores, dtype=float), np.asarray(adequate, dtype=bool)
        self.n_adequate, self.n_inadequate = int(self.truth.sum()), int((~self.truth).sum())
        order = np.argsort(self.scores, kind="stable")
        self.candidates, first = np.unique(self.scores[order], return_index=True)
        above = np.append(first[1:], len(order))  # where the scores above each candidate begin
        self.tp = self.n_adequate - np.concatenate([[0], np.cumsum(self.truth[order])])[above]
        self.fp = len(order) - above - self.tp

    @property
    def decidable(self) -> bool:
        """Whether both kinds of outputs are there, so that a cut can be chosen."""
        return self.n_adequate > 0 and self.n_inadequate > 0

    @property
    def tpr(self) -> Floats:
        """True positive rate at each candidate."""
        rates: Floats = self.tp / max(self.n_adequate, 1)
        return rates

    @property
    def tnr(self) -> Floats:
        """True negative rate at each candidate."""
        rates: Floats = 1 - self.fp / max(self.n_inadequate, 1)
        return rates

    @cached_property
    def auc(self) -> float:
        """Probability that an adequate output scores above an inadequate one, ties counted half."""
        if not self.decidable:
            return float("nan")
        tpr, fpr = (np.concatenate([[1.0], rates]) for rates in (self.tpr, 1 - self.tnr))
        return float(np.sum(-np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2))

    def best(self, rule: Rule) -> float:
        """Return the candidate that the rule prefers; the lowest of equals."""
        if rule == "equal":
            return float(self.candidates[np.argmin(np.abs(self.tpr - self.tnr))])
        if rule == "youden":
            return float(self.candidates[np.argmax(self.tpr + self.tnr)])
        passed = self.tp + self.fp
        spread = passed * (len(self.scores) - passed)
        gain = np.maximum(self.tpr + self.tnr - 1, 0) ** 2
        return float(self.candidates[np.argmax(np.divide(gain, spread, where=spread > 0, out=np.zeros(len(gain))))])

    def confusion(self, passed: Verdicts) -> Confusion:
        """Count the outputs by truth and by whether they passed."""
        tp, fp = int((self.truth & passed).sum()), int((~self.truth & passed).sum())
        return Confusion(tp=tp, fn=self.n_adequate - tp, tn=self.n_inadequate - fp, fp=fp)

    def part(self, chosen: Verdicts) -> Scores:
        """Return some of the outputs."""
        return Scores(self.scores[chosen], self.truth[chosen])

    def folds(self, cut: ThresholdRule, stream: int = 0) -> npt.NDArray[np.intp]:
        """Divide the outputs at random into folds with equally many adequate ones, as nearly as can be."""
        rng = np.random.default_rng([cut.seed, stream])
        order = rng.permutation(len(self.scores))
        order = order[np.argsort(self.truth[order], kind="stable")]
        fold = np.empty(len(order), dtype=np.intp)
        fold[order] = np.arange(len(order)) % cut.folds
        return fold


@dataclass(frozen=True)
class Threshold:
    """The cut of one system's scores: where it lies and how the metric errs there.

    `confusion` counts outputs judged by cuts that they did not choose, `naive` outputs judged by the cut chosen on
    all of them; the latter flatters the metric.
    """

    system: str
    tau: float
    taus: tuple[float, ...]
    confusion: Confusion
    naive: Confusion
    auc: float
    scores: Scores = field(repr=False, compare=False)
    passed: Verdicts = field(repr=False, compare=False)
    note: str = ""

    @property
    def tpr(self) -> float:
        """Share of adequate outputs that pass."""
        return self.confusion.tp / max(self.confusion.tp + self.confusion.fn, 1)

    @property
    def tnr(self) -> float:
        """Share of inadequate outputs that fail."""
        return self.confusion.tn / max(self.confusion.tn + self.confusion.fp, 1)

    @property
    def worth(self) -> float:
        """Largest share of the human ratings that the metric can replace at this cut."""
        return _worth(self.confusion)

    @property
    def naive_worth(self) -> float:
        """The same where the outputs that chose the cut judge it too."""
        return _worth(self.naive)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "system": self.system,
            "tau": self.tau,
            "taus": list(self.taus) if len(self.taus) > 1 else [self.tau],
            "tpr": self.tpr,
            "tnr": self.tnr,
            "worth": self.worth,
            "auc": None if np.isnan(self.auc) else self.auc,
            "confusion": asdict(self.confusion),
            "naive": asdict(self.naive),
            "note": self.note,
        }


def _worth(confusion: Confusion) -> float:
    adequate, total = confusion.human.positive, confusion.human.total
    if not 0 < adequate < total:
        return 0.0
    tpr, tnr = confusion.tp / adequate, confusion.tn / (total - adequate)
    return worth(adequate / total, tpr, tnr) if tpr + tnr > 1 else 0.0  # a verdict turned round is not the one used


@dataclass(frozen=True, repr=False)
class Thresholds(Result):
    """The cuts of one score for several systems."""

    kind = "thresholds"
    score: str
    cut: ThresholdRule
    systems: Mapping[str, Threshold]

    @property
    def signature(self) -> str:
        """One line that makes the numbers reproducible."""
        rated = sum(t.confusion.human.total for t in self.systems.values())
        return f"tellapart {__version__} | {self.score}: {self.cut} | {rated} human-rated outputs"

    def __str__(self) -> str:
        """Say whether the metric is worth anything."""
        judged = [t for t in self.systems.values() if t.scores.decidable]
        if not judged:
            return f"{self.score}: no system has both adequate and inadequate human-rated outputs; nothing to judge by."
        worths = sorted(judged, key=lambda t: t.worth)
        low, high = worths[0], worths[-1]
        share = (
            f"{low.worth:.0%}"
            if len(judged) == 1
            else f"{low.worth:.0%} ({low.system}) to {high.worth:.0%} ({high.system})"
        )
        if max(t.auc for t in judged) < 0.5:  # noqa: PLR2004 - no better than chance, anywhere
            direction = "higher" if self.cut.lower_is_better else "lower"
            return f"{self.score} ranks inadequate outputs above adequate ones: are {direction} scores the better ones?"
        verdict = "next to nothing" if high.worth < 0.02 else "little" if high.worth < 0.2 else "something"  # noqa: PLR2004
        return (
            f"{self.score} is worth {verdict}: however many outputs it rates, it replaces at most {share} of the human "
            "ratings."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "score": self.score,
            "rule": self.cut.rule,
            "pooled": self.cut.pooled,
            "lower_is_better": self.cut.lower_is_better,
            "folds": 1 if self.cut.fixed else self.cut.folds,
            "seed": self.cut.seed,
            "systems": [threshold.to_dict() for threshold in self.systems.values()],
            "summary": str(self),
            "signature": self.signature,
        }


def thresholds(score: str, rated: Mapping[str, Scores], cut: ThresholdRule) -> Thresholds:
    """Choose cuts for the scores of several systems and judge them.

    Parameters
    ----------
    score : str
        Name of the score.
    rated : mapping of systems to Scores
        Scores of the human-rated outputs, large ones good: negated where `cut.lower_is_better`.
    cut : ThresholdRule
        How to choose.

    Examples
    --------
    >>> scores = Scores([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [False, False, True, False, True, True])
    >>> result = thresholds("bleurt", {"A": scores}, ThresholdRule("equal", folds=1)).systems["A"]
    >>> result.tau, result.confusion.tp, result.confusion.fp
    (0.3, 2, 1)
    """
    everything = Scores(
        np.concatenate([own.scores for own in rated.values()]), np.concatenate([own.truth for own in rated.values()])
    )
    overall = _fit(everything, cut, 0) if everything.decidable or cut.fixed else None
    found, start = {}, 0
    for i, (name, own) in enumerate(rated.items()):
        here, note = slice(start, start + len(own.scores)), ""
        start = here.stop
        if cut.pooled or cut.fixed or not own.decidable:
            if overall is None:
                hint = "rate outputs by hand until both kinds are among them, or give the cut as a number"
                raise InvalidInput.rule("threshold", "have adequate and inadequate outputs to go by", cut.rule, hint)
            tau, taus, fold = overall[0], overall[1], overall[2][here]
            note = "" if cut.pooled or cut.fixed else "no adequate or no inadequate outputs: the cut of all systems"
        else:
            tau, taus, fold = _fit(own, cut, i + 1)
        passed = own.scores > np.array(taus)[fold]
        counts = own.confusion(passed), own.confusion(own.scores > tau)
        shown = float(cut.rule) if cut.fixed else cut.sign * tau, tuple(cut.sign * t for t in taus)
        note = note or _noted(passed, own.scores > tau, cut, shown[1])
        found[name] = Threshold(name, *shown, *counts, own.auc, own, passed, note)
    return Thresholds(score, cut, found)


def _noted(passed: Verdicts, naive: Verdicts, cut: ThresholdRule, taus: tuple[float, ...]) -> str:
    """Say where a cut tells nothing apart, and where folds chose cuts whose verdicts differ."""
    if cut.fixed and len(passed) and passed.all() == passed.any():
        return f"{'every' if passed.any() else 'no'} rated output passes"
    if len(passed) and (passed != naive).mean() > _DIFFERING:
        each = f"the folds chose cuts from {min(taus):.4g} to {max(taus):.4g}, whose verdicts differ"
        return f"{each}: tpr, tnr and worth are those of all of them, naive worth is that of the cut shown"
    return ""


def _fit(scores: Scores, cut: ThresholdRule, stream: int) -> tuple[float, tuple[float, ...], npt.NDArray[np.intp]]:
    """Return the cut chosen on all outputs, the cut that judges each fold, and the fold of each output."""
    if not isinstance(cut.rule, str):
        tau = float(np.nextafter(cut.sign * float(cut.rule), -np.inf))  # scores of exactly that pass
        return tau, (tau,), np.zeros(len(scores.scores), dtype=np.intp)
    tau, fold = scores.best(cut.rule), scores.folds(cut, stream)
    rest = [scores.part(fold != k) for k in range(cut.folds)] if cut.folds > 1 else [scores]
    return tau, tuple(r.best(cut.rule) if r.decidable else tau for r in rest), fold
