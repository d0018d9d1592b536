"""What is said of two systems, of one among several, and of a rung of the ladder."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

from tellapart.analysis.estimation import intervals
from tellapart.analysis.needed import equals

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from tellapart.core.distribution import Distribution
    from tellapart.core.intervals import Interval, IntervalKind
    from tellapart.core.ladder import Rung
    from tellapart.core.mixture import Middle

Correction = Literal["auto", "holm", "none"]
CORRECTIONS: tuple[str, ...] = get_args(Correction)
Rule = Literal["holm", "none"]
MOST_NAMED = 8  # systems in one sentence
MARK = " *"  # of a system that is set aside


@dataclass(frozen=True)
class Pair:
    """Two systems side by side; the difference is first − second.

    The interval has equal tails, so that it leaves out 0 where the two can be told apart by themselves, and only there.
    `corrected` says whether they can be told apart when all pairs are looked at together; nothing where that was not
    asked for. `items` is the number of items that people rated for both, where the two are compared item by item. Of a
    pair that is `set_aside`, because the rate of one cannot be relied on, there is no verdict.
    """

    first: str
    second: str
    distribution: Distribution
    confidence_level: float
    corrected: bool | None = None
    items: int | None = None
    is_rate: bool = True
    set_aside: bool = False

    @cached_property
    def probability(self) -> float:
        """P(first is better)."""
        return min(1.0, max(0.0, self.distribution.probability_positive))

    @property
    def difference(self) -> float:
        """Expected difference."""
        return self.distribution.mean

    @cached_property
    def interval(self) -> Interval:
        """Interval of the difference."""
        return self.distribution.interval(self.confidence_level, kind="equal-tailed")

    @property
    def distinguishable_alone(self) -> bool:
        """Whether P(first is better) > 1 − γ/2 or < γ/2, no other pair considered."""
        tail = (1 - self.confidence_level) / 2
        return self.probability > 1 - tail or self.probability < tail

    @property
    def distinguishable(self) -> bool:
        """Whether the two can be told apart, by the rule that was asked for."""
        found = self.distinguishable_alone if self.corrected is None else self.corrected
        return found and not self.set_aside

    @property
    def better(self) -> str | None:
        """The better system, if the two can be told apart."""
        if not self.distinguishable:
            return None
        return self.first if self.probability > 0.5 else self.second  # noqa: PLR2004 - the likelier side

    @property
    def verdict(self) -> str:
        """The better system's name, "not distinguishable", or "set aside"."""
        if self.set_aside:
            return "set aside"
        return "not distinguishable" if self.better is None else f"{self.better} is better"

    def __str__(self) -> str:
        """Say it in words."""
        gap, low, high = self.written
        gap = f"{gap}{' points' if self.is_rate else ''}, between {low} and {high}"
        better = f"P({self.first} is better) {equals(self.probability)}"
        return f"{self.first} − {self.second}: {gap}; {better}: {self.verdict}."

    @property
    def written(self) -> tuple[str, str, str]:
        """The difference and the ends of its interval, in points if of rates; ends that round to 0 keep their sign."""
        times, digits = (100, 1) if self.is_rate else (1, 2)
        low, high = (f"{times * end:+.{digits}f}" for end in (self.interval.low, self.interval.high))
        return f"{times * self.difference:+z.{digits}f}", low, high

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            **intervals(self.distribution, self.confidence_level, "equal-tailed"),
            "probability_first_better": self.probability,
            "probability_error": self.distribution.probability_error,
            "distinguishable": self.distinguishable,
            "distinguishable_alone": self.distinguishable_alone,
            "better": self.better,
            "verdict": self.verdict,
            "items": self.items,
            "set_aside": self.set_aside,
        }


def marked(name: str, doubtful: Container[str]) -> str:
    """Return a system's name as tables and charts have it, with a mark if it is set aside."""
    return f"{name}{MARK}" if name in doubtful else name


def named(beaten: Sequence[str], number: int) -> str:
    """Name the systems that one is better than, out of so many; if they are many, say how many."""
    if len(beaten) == number:
        return "every other system"
    return ", ".join(beaten) if len(beaten) <= MOST_NAMED else f"{len(beaten):,} of {number:,} other systems"


def first(told: Sequence[str]) -> str:
    """List what is told of systems; of many, of the first few."""
    more = f"; and {len(told) - MOST_NAMED:,} more" if len(told) > MOST_NAMED else ""
    return f"{'; '.join(told[:MOST_NAMED])}{more}"


def same_items(pairs: Sequence[Pair], *, together: bool) -> str:
    """Say on how many of the same items people rated the systems; where items go `together`, that is no number."""
    sizes = [pair.items for pair in pairs if pair.items is not None]
    whom = "all systems" if len(sizes) == len(pairs) else f"{len(sizes):,} of {len(pairs):,} pairs of systems"
    whom = "both systems" if len(pairs) == 1 else whom
    low, high = min(sizes), max(sizes)
    number = "" if together else f"{low:,} " if low == high else f"{low:,} to {high:,} "
    return f"the same {number}items, which people rated for {whom}"


@dataclass(frozen=True)
class Marginal:
    """One system's rate, as the joint posterior of all systems has it."""

    posterior: Distribution
    confidence_level: float
    interval_kind: IntervalKind = "highest-density"

    @property
    def mean(self) -> float:
        """Expected rate."""
        return self.posterior.mean

    @cached_property
    def interval(self) -> Interval:
        """Interval of the rate."""
        return self.posterior.interval(self.confidence_level, kind=self.interval_kind)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        ends = intervals(self.posterior, self.confidence_level, self.interval_kind)
        return {"mean": self.mean, "sd": self.posterior.sd, **ends}


@dataclass(frozen=True)
class Step:
    """What one rung of the ladder tells: how many pairs apart, by its rule and pair by pair, and the leading pair."""

    rung: Rung
    told_apart: int
    told_apart_alone: int
    pairs: int
    leading: Pair
    rule: Rule
    used: bool

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "rung": self.rung,
            "told_apart": self.told_apart,
            "told_apart_alone": self.told_apart_alone,
            "pairs": self.pairs,
            "rule": self.rule,
            "used": self.used,
            "leading": self.leading.to_dict(),
        }


@dataclass(frozen=True)
class Treatment:
    """How alike the metric treats the systems: median and interval of each, on the scale of logits.

    `leniency_sd` and `discrimination_sd` are how much the systems scatter in how easily the metric passes outputs, and
    in how well it tells good from bad; `slope` is that of the rates in the metric's averages, `line_sd` how much the
    systems scatter around that line.
    """

    leniency_sd: Middle | None = None
    discrimination_sd: Middle | None = None
    slope: Middle | None = None
    line_sd: Middle | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {name: value and list(value) for name, value in asdict(self).items()}
