"""Is the new version worse?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from tellapart.analysis.comparison import compare
from tellapart.analysis.estimation import intervals
from tellapart.analysis.needed import Needed, equals, needed
from tellapart.analysis.result import Result
from tellapart.analysis.verdicts import Pair
from tellapart.core.counts import as_number
from tellapart.core.prior import PRIORS
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tellapart.analysis.cautions import Shared
    from tellapart.analysis.comparison import Comparison

Decision = Literal["pass", "fail", "cannot tell yet"]
_EVEN, _POINT = 0.5, 0.01
EXIT: Mapping[Decision, int] = {"pass": 0, "fail": 1, "cannot tell yet": 3}  # 2 is wrong usage


@dataclass(frozen=True, repr=False)
class Gate(Result):
    """Whether a candidate is worse than a baseline by more than a margin; the difference is candidate − baseline.

    It passes if it is not, with the probability of the confidence level at least, and fails if it is. Else, where
    ratings of one of the two cannot be relied on, and where it hangs on the prior, it cannot be told yet.
    """

    kind = "gate"
    comparison: Comparison
    candidate: str
    baseline: str
    margin: float

    @cached_property
    def pair(self) -> Pair:
        """The candidate and the baseline, side by side."""
        between = {self.candidate, self.baseline}
        (known,) = (pair for pair in self.comparison.pairs if {pair.first, pair.second} == between)
        joint = self.comparison.joint.contrast(self.candidate, self.baseline)
        level = self.comparison.confidence_level
        return Pair(self.candidate, self.baseline, joint, level, items=known.items, is_rate=known.is_rate)

    @cached_property
    def probability_worse_than_margin(self) -> float:
        """P(the candidate is worse by more than the margin): what decides."""
        if not self.margin:
            return 1 - self.pair.probability
        return min(1.0, max(0.0, float(self.pair.distribution.cdf(-self.margin))))

    @property
    def probability_worse(self) -> float:
        """The same by its older name: the margin counts, as it does not in `probability_better`."""
        return self.probability_worse_than_margin

    @property
    def probability_worse_at_all(self) -> float:
        """P(the candidate is worse, by whatever): 1 − `probability_better`."""
        return 1 - self.pair.probability

    @property
    def probability_better(self) -> float:
        """P(the candidate is better at all)."""
        return self.pair.probability

    @property
    def doubtful(self) -> Mapping[str, tuple[str, ...]]:
        """Which of the two cannot be relied on, and why."""
        return {name: why for name, why in self.comparison.doubtful.items() if name in {self.candidate, self.baseline}}

    @property
    def decision(self) -> Decision:
        """Pass, fail, or cannot tell yet."""
        return "cannot tell yet" if self.doubtful or self.other_prior is not None else self._seeming

    @property
    def _seeming(self) -> Decision:
        """The decision by the probability alone."""
        level = self.comparison.confidence_level
        if 1 - level < self.probability_worse_than_margin < level:
            return "cannot tell yet"
        return "pass" if self.probability_worse_than_margin <= 1 - level else "fail"

    @cached_property
    def other_prior(self) -> float | None:
        """P(worse by more than the margin) with Jeffreys' prior, where the usual one decides and that one does not."""
        own = self.comparison
        if self._seeming == "cannot tell yet" or own.prior != PRIORS["uniform"]:
            return None
        level, borrow = own.confidence_level, own.borrow
        anew = compare(own.evidence, prior="jeffreys", confidence_level=level, borrow=borrow, items=own.items)
        other = Gate(anew, self.candidate, self.baseline, self.margin)
        return None if other._seeming == self._seeming else other.probability_worse_than_margin

    @property
    def superior(self) -> bool:
        """Whether the candidate is better, not only no worse: by the rule that `compare` has for two systems."""
        return self.decision == "pass" and self.pair.better == self.candidate

    @property
    def exit_code(self) -> int:
        """What a program that asks should end with: 0 pass, 1 fail, 3 cannot tell yet."""
        return EXIT[self.decision]

    @cached_property
    def needed(self) -> Needed | None:
        """What would decide, where it cannot be told yet."""
        if self._seeming != "cannot tell yet" or self.doubtful:
            return None
        estimates = (self.comparison.estimates[name] for name in (self.candidate, self.baseline))
        return needed(self.pair, *estimates, unlent=self.comparison.unlent(self.pair), margin=self.margin)

    @property
    def warnings(self) -> tuple[Shared, ...]:
        """The cautions in words."""
        return self.comparison.warnings

    @property
    def signature(self) -> str:
        """One line that makes the numbers reproducible."""
        least = f"−{self.margin:g}" if self.margin else "0"
        return f"{self.comparison.signature} | gate: {self.candidate} − {self.baseline} > {least}"

    def points(self, value: float) -> str:
        """Write a margin: in points if it is one of rates."""
        if not self.pair.is_rate:
            return f"{value:g}"
        return "1 point" if value == _POINT else f"{100 * value:g} points"

    @property
    def _bound(self) -> str:
        return f" by more than {self.points(self.margin)}" if self.margin else ""

    @property
    def headline(self) -> str:
        """The decision in one sentence."""
        worse = f"worse than {self.baseline}{self._bound}"
        if self.decision == "fail":
            return f"Fail: {self.candidate} is {worse}."
        if self.decision == "pass":
            better = f"{self.candidate} is better than {self.baseline}" if self.superior else ""
            return f"Pass: {better or f'{self.candidate} is not {worse}'}."
        return f"Cannot tell yet whether {self.candidate} is {worse}."

    @property
    def numbers(self) -> str:
        """The difference and the probability behind the decision."""
        pair = self.pair
        difference, low, high = pair.written
        difference += " points" if pair.is_rate else ""
        gap = f"{self.candidate} − {self.baseline}: {difference}, between {low} and {high}"
        return f"{gap}; P(worse{self._bound}) {equals(self.probability_worse_than_margin)}."

    @property
    def advice(self) -> str:
        """What would decide, where it cannot be told yet."""
        if self.doubtful:
            reasons = "; ".join(f"{name}: {', '.join(why)}" for name, why in self.doubtful.items())
            return f"The ratings cannot be relied on, see the cautions ({reasons})."
        need = self.needed
        if need is None:
            return self._by_the_prior
        if need.unknown in {"first", "second"}:
            whom = need.first if need.unknown == "first" else need.second
            return f"What would decide it: human ratings of a random sample of the outputs of {whom}, which has none."
        if need.human is None:
            return "What would decide it: more human ratings of both versions."
        if need.human.likely is None:
            return self._undecidable
        also = f", or {need.metric} more metric ratings" if need.metric and need.metric.likely else ""
        likely = "four times in five, if the difference is what it seems"
        return f"What would decide it {likely}: {need.human} more human ratings per version{also}."

    @property
    def _by_the_prior(self) -> str:
        """Say that a decision would hang on the prior, if so."""
        if self.other_prior is None:
            return ""
        n = {name: self.comparison.evidence[name].n_human for name in (self.candidate, self.baseline)}
        fewest = "both versions" if len(set(n.values())) == 1 else min(n, key=n.__getitem__)
        other = f"with Jeffreys' P(worse{self._bound}) {equals(self.other_prior)}"
        return f"A decision would hang on the prior: {other}. What would decide it: more human ratings of {fewest}."

    @property
    def _undecidable(self) -> str:
        """Say why no number of ratings would do, if the difference is what it seems."""
        if self.margin:
            return "The difference seems to be the margin itself: no affordable number of ratings would decide it."
        return "The two look equal: at margin 0 no number of ratings would decide it. Give a margin, for example 0.02."

    def __str__(self) -> str:
        """Say the decision, the numbers, what it rests on, and what would decide."""
        return " ".join(filter(None, (self.headline, self.numbers, self.comparison.basis_of([self.pair]), self.advice)))

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "decision": self.decision,
            "exit_code": self.exit_code,
            "candidate": self.candidate,
            "baseline": self.baseline,
            "margin": self.margin,
            "difference": self.pair.difference,
            **intervals(self.pair.distribution, self.comparison.confidence_level, "equal-tailed"),
            "probability_worse_than_margin": self.probability_worse_than_margin,
            "probability_worse_at_all": self.probability_worse_at_all,
            "probability_worse": self.probability_worse,
            "probability_better": self.probability_better,
            "probability_worse_than_margin_other_prior": self.other_prior,
            "superior": self.superior,
            "needed": None if self.needed is None else self.needed.to_dict(),
            "doubtful": {name: list(reasons) for name, reasons in self.doubtful.items()},
            "comparison": self.comparison.to_dict(),
            "summary": str(self),
            "signature": self.signature,
        }


def gate(comparison: Comparison, *, candidate: str, baseline: str, margin: float = 0.0) -> Gate:
    """Tell whether a candidate is worse than a baseline by more than a margin.

    Parameters
    ----------
    comparison : Comparison
        The two, and maybe further versions, compared.
    candidate, baseline : str
        Their names in it.
    margin : float
        How much worse the candidate may be: 0.02 is two points.

    Returns
    -------
    Gate

    Examples
    --------
    >>> from tellapart import Evidence, compare
    >>> both = compare({"new": Evidence.of((430, 500)), "main": Evidence.of((400, 500))})
    >>> gate(both, candidate="new", baseline="main", margin=0.02).decision
    'pass'
    """
    for where, name in (("candidate", candidate), ("baseline", baseline)):
        if name not in comparison.estimates:
            raise InvalidInput.rule(where, f"be one of {', '.join(comparison.estimates)}", name)
    if candidate == baseline:
        raise InvalidInput.rule("candidate", "differ from the baseline", candidate)
    if not 0 <= as_number(margin) < 1 and next(iter(comparison.estimates.values())).is_rate:
        raise InvalidInput.rule("margin", "be a number from 0 to 1", margin, "0.02 is two points")
    if not as_number(margin) >= 0:
        raise InvalidInput.rule("margin", "be a number from 0", margin)
    if comparison.confidence_level <= _EVEN:
        hint = "or what is probably worse would pass"
        raise InvalidInput.rule("confidence_level", "be above 0.5", comparison.confidence_level, hint)
    return Gate(comparison, candidate, baseline, float(margin))
