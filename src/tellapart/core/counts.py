"""Counts that check themselves: tallies, confusions, levels, and the table of truth classes by metric levels."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING

from tellapart.errors import InvalidInput, UselessMetric

if TYPE_CHECKING:
    from collections.abc import Sequence

_NEAR_END = 1e-12  # levels nearer to 0 or 1 have no normal quantile
BINARY = 2
_ROUNDING = 1e-6  # of a share: less is taken to be none
MOST = 10**12  # beyond this, rounding of the rates themselves would show


def whole(where: str, value: object) -> int:
    """Return a count as an int, or say why it is none."""
    hint = "counts are whole numbers from 0 to 10^12"
    number = as_number(value)
    if not number.is_integer():
        raise InvalidInput.rule(where, "be a whole number", value, hint)
    if not 0 <= number <= MOST:
        raise InvalidInput.rule(where, "lie between 0 and 10^12", value, hint)
    return int(number)


def fraction(where: str, value: object, *, open_ends: bool = False) -> float:
    """Return a number between 0 and 1 as a float, or say why it is none."""
    rule = "be a number between 0 and 1" + (", ends excluded" if open_ends else "")
    number, end = as_number(value), _NEAR_END if open_ends else 0.0
    if not end <= number <= 1 - end:
        raise InvalidInput.rule(where, rule, value, "write 0.95 for 95%")
    return number


def as_number(value: object) -> float:
    """Return a number as a float; anything else, infinite or too large for one, as not a number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        number = float(value)
    except OverflowError:
        return sys.float_info.max
    return number if math.isfinite(number) else math.nan


@dataclass(frozen=True)
class Tally:
    """`positive` of `total` outputs were rated adequate."""

    positive: int
    total: int

    def __post_init__(self) -> None:
        """Check the counts."""
        object.__setattr__(self, "positive", whole("positive", self.positive))
        object.__setattr__(self, "total", whole("total", self.total))
        if self.positive > self.total:
            hint = f"write positive/total; did you mean {self.total}/{self.positive}?"
            raise InvalidInput.rule("positive", f"be at most the total, {self.total}", self.positive, hint)

    def __str__(self) -> str:
        """Write as on the command line: 60/100."""
        return f"{self.positive}/{self.total}"


@dataclass(frozen=True)
class Confusion:
    """Outputs that carry both ratings: the metric's verdict against the human one.

    Parameters
    ----------
    tp, fn : int
        Adequate outputs that the metric passed, and failed.
    tn, fp : int
        Inadequate outputs that the metric failed, and passed.
    """

    tp: int
    fn: int
    tn: int
    fp: int

    def __post_init__(self) -> None:
        """Check the counts."""
        for name in ("tp", "fn", "tn", "fp"):
            object.__setattr__(self, name, whole(name, getattr(self, name)))
        whole("tp + fn + tn + fp", self.tp + self.fn + self.tn + self.fp)

    def __str__(self) -> str:
        """Write as on the command line: tp=42,fn=18,tn=28,fp=12."""
        return f"tp={self.tp},fn={self.fn},tn={self.tn},fp={self.fp}"

    @property
    def human(self) -> Tally:
        """The human ratings of these outputs, which are also evidence of the rate if they are a random sample."""
        return Tally(self.tp + self.fn, self.tp + self.fn + self.tn + self.fp)


@dataclass(frozen=True)
class Levels:
    """Outputs that carry both ratings, for a judge with K levels: how many of each level, by human verdict."""

    adequate: tuple[int, ...]
    inadequate: tuple[int, ...]

    def __post_init__(self) -> None:
        """Check the counts."""
        for name in ("adequate", "inadequate"):
            counts = tuple(whole(f"{name}[{k}]", value) for k, value in enumerate(getattr(self, name)))
            object.__setattr__(self, name, counts)
        if len(self.adequate) != len(self.inadequate) or len(self.adequate) < BINARY:
            hint = "one count for each level of the judge, at least two levels"
            raise InvalidInput.rule("inadequate", f"have {len(self.adequate)} levels", self.inadequate, hint)
        whole("adequate + inadequate", sum(self.adequate) + sum(self.inadequate))

    def __str__(self) -> str:
        """Write both rows of counts."""
        return f"adequate={slashed(self.adequate)},inadequate={slashed(self.inadequate)}"


@dataclass(frozen=True)
class KnownRates:
    """A metric whose quality is known: its true positive and true negative rate."""

    tpr: float
    tnr: float

    def __post_init__(self) -> None:
        """Check the rates."""
        object.__setattr__(self, "tpr", fraction("tpr", self.tpr))
        object.__setattr__(self, "tnr", fraction("tnr", self.tnr))
        if math.isclose(self.tpr + self.tnr, 1.0, abs_tol=1e-12):
            hint = "a metric that says the same of adequate and inadequate outputs cannot measure; leave it out"
            raise UselessMetric.rule("tpr + tnr", "differ from 1", self.tpr + self.tnr, hint)

    def __str__(self) -> str:
        """Write both rates."""
        return f"tpr={self.tpr:g},tnr={self.tnr:g}"


Table = tuple[tuple[int, ...], ...]  # one row a class of truth, one column a level of the metric


@dataclass(frozen=True)
class Scale:
    """The classes that people tell apart, or the levels of a metric: names, each with a value, lowest first.

    `own` says that each system has a scale of its own under these names: a score, cut elsewhere for every system.
    """

    names: tuple[str, ...]
    values: tuple[float, ...]
    own: bool = False

    @classmethod
    def of(cls, values: Sequence[float]) -> Scale:
        """Make a scale of numbers, such as 1 to 5."""
        return cls(tuple(f"{value:g}" for value in values), tuple(map(float, values)))

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.names)


ADEQUACY = Scale(("inadequate", "adequate"), (0.0, 1.0))
VERDICT = Scale(("fail", "pass"), (0.0, 1.0))
OUTCOME = Scale(("loss", "tie", "win"), (-1.0, 0.0, 1.0))
PAIRED = Scale(("neither", "only the second", "only the first", "both"), (0.0, -1.0, 1.0, 0.0))  # of two systems
NO_METRIC = Scale((), ())


@dataclass(frozen=True)
class Counts:
    """What was observed of a system's own outputs, in parts that share no output, so that none is counted twice.

    Parameters
    ----------
    both : table of int
        Outputs that people and the metric rated: one row a class of truth, one column a level of the metric.
    truth_only : tuple of int
        Outputs that people alone rated, by class.
    metric_only : tuple of int
        Outputs that the metric alone rated, by level.
    truth, metric : Scale
        The classes and the levels.
    """

    both: Table
    truth_only: tuple[int, ...]
    metric_only: tuple[int, ...]
    truth: Scale = ADEQUACY
    metric: Scale = VERDICT

    def __post_init__(self) -> None:
        """Check the counts."""
        object.__setattr__(self, "both", table("both", self.both, len(self.truth), len(self.metric)))
        for name, scale in (("truth_only", self.truth), ("metric_only", self.metric)):
            object.__setattr__(self, name, row(name, getattr(self, name), len(scale)))
        for name in ("both", "truth_only", "metric_only"):
            part = getattr(self, name)
            whole(name, sum(map(sum, part)) if name == "both" else sum(part))

    @property
    def truths(self) -> tuple[int, ...]:
        """All outputs that people rated, by class."""
        return tuple(sum(row) + n for row, n in zip(self.both, self.truth_only, strict=True))

    def thinned(self, effect: float) -> Counts:
        """Return the counts divided by a design effect (Rao and Scott), in whole numbers: classes first, then levels.

        So the shares stay, and what is known of them is as much as independent outputs of that number would tell.
        """
        rated = divided(self.truths, effect)
        rows = [apportioned((*row, n), k) for row, n, k in zip(self.both, self.truth_only, rated, strict=True)]
        both, rest = tuple(row[:-1] for row in rows), tuple(row[-1] for row in rows)
        return replace(self, both=both, truth_only=rest, metric_only=divided(self.metric_only, effect))


def divided(counts: Sequence[int], by: float) -> tuple[int, ...]:
    """Return counts divided by a number, in whole numbers whose sum is the nearest to its share."""
    return apportioned(counts, round(sum(counts) / by))


def apportioned(shares: Sequence[float], total: int) -> tuple[int, ...]:
    """Return whole numbers of that sum in proportion to the shares: the largest remainders are rounded up."""
    whole_sum = sum(shares)
    exact = [share * total / whole_sum if whole_sum else 0.0 for share in shares]
    found = [int(share + _ROUNDING) for share in exact]
    for k in sorted(range(len(exact)), key=lambda k: found[k] - exact[k])[: total - sum(found) if whole_sum else 0]:
        found[k] += 1
    return tuple(found)


def row(where: str, counts: Sequence[int], length: int) -> tuple[int, ...]:
    """Return a row of counts, or say why it is none."""
    if len(counts) != length:
        raise InvalidInput.rule(where, f"have {length} counts", counts, "one for each class or level")
    return tuple(whole(f"{where}[{k}]", value) for k, value in enumerate(counts))


def table(where: str, rows: Sequence[Sequence[int]], classes: int, levels: int) -> Table:
    """Return a table of counts, or say why it is none."""
    if len(rows) != classes:
        raise InvalidInput.rule(where, f"have {classes} rows", rows, "one for each class")
    return tuple(row(f"{where}[{c}]", counts, levels) for c, counts in enumerate(rows))


def added(first: Table, second: Table) -> Table:
    """Return the sum of two tables."""
    return tuple(tuple(x + y for x, y in zip(one, two, strict=True)) for one, two in zip(first, second, strict=True))


def slashed(counts: Sequence[int]) -> str:
    """Write counts as 8/17/35."""
    return "/".join(map(str, counts))
