"""All that was observed about one system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np

from tellapart.core.counts import (
    BINARY,
    NO_METRIC,
    VERDICT,
    Confusion,
    Counts,
    KnownRates,
    Levels,
    Scale,
    Table,
    Tally,
    added,
    divided,
    slashed,
    table,
    whole,
)
from tellapart.errors import InvalidInput
from tellapart.said import Option, Said

Sampling = Literal["random", "balanced", "by-metric"]
SAMPLINGS: tuple[str, ...] = get_args(Sampling)


@dataclass(frozen=True)
class Evidence:
    """All that was observed about one system, or about two on the same items.

    Parameters
    ----------
    own : Counts
        Ratings of its own outputs.
    borrowed : table of int
        Outputs from elsewhere that people and the metric rated: they tell how the metric errs, and nothing else.
    rates : KnownRates, optional
        How a binary metric errs, where that is known exactly.
    sampling : {"random", "balanced", "by-metric"}
        How the human-rated outputs were chosen: as a random sample of the system's outputs; so many adequate, so many
        not (their share of adequate ones says nothing of the rate); or by the metric's verdict (they tell how often
        each verdict is right). Balanced outputs of its own were drawn from the very outputs of which the metric alone
        rated the rest; balanced outputs from elsewhere are borrowed.
    fused : tuple of Evidence
        Further metrics, each with its ratings and its calibration, taken as if all erred independently.
    effect : float
        The design effect by which the counts were divided, where outputs are not independent of each other.
    unrated : int, optional
        Further outputs that neither people nor the metric rated, where that is known; they tell nothing.
    together : (float, float, float), optional
        Of two systems on the same items: how the metric's values of both outputs go together (`core.direct.together`),
        where `own` does not show it.
    undivided : (int, int), optional
        How many outputs people, and the metric alone, rated before the counts were divided by the design effect.
    by_itself : (tuple of int, tuple of int), optional
        Outputs by class and by level of the metric, each divided by a design effect of its own: what tells of either
        share by itself. Nothing where outputs are independent of each other.
    """

    own: Counts
    borrowed: Table = ()
    rates: KnownRates | None = None
    sampling: Sampling = "random"
    fused: tuple[Evidence, ...] = ()
    effect: float = 1.0
    unrated: int | None = field(default=None, compare=False)
    together: tuple[float, float, float] | None = field(default=None, compare=False)
    undivided: tuple[int, int] | None = field(default=None, compare=False)
    by_itself: tuple[tuple[int, ...], tuple[int, ...]] | None = field(default=None, compare=False)

    @classmethod
    def of(  # noqa: PLR0913 - one parameter for each kind of evidence
        cls,
        human: Tally | tuple[int, int] = (0, 0),
        *,
        calibration: Confusion | Levels | None = None,
        metric: Tally | Sequence[int] | None = None,
        rates: KnownRates | tuple[float, float] | None = None,
        sampling: Sampling = "random",
        fused: Sequence[Evidence] = (),
    ) -> Evidence:
        """Make the everyday case: outputs are adequate or not, a metric passes them or not, or has levels.

        Calibration outputs are taken as human-rated ones where these can hold them, or else as outputs from elsewhere;
        of binary ratings both give the same answer.

        Examples
        --------
        >>> print(Evidence.of((60, 100), calibration=Confusion(tp=42, fn=18, tn=28, fp=12), metric=(540, 1000)))
        human 60/100, calibration tp=42,fn=18,tn=28,fp=12, metric 540/1000
        """
        tally = human if isinstance(human, Tally) else Tally(*_pair("human", human))
        truths = tally.total - tally.positive, tally.positive
        if rates is not None and metric is None:
            hint = "for example metric=(540, 1000)"
            raise InvalidInput.rule("metric", "be given where the metric's rates are", None, hint)
        if rates is not None and calibration is not None:
            hint = "rates are either known or estimated"
            raise InvalidInput.rule("rates", "be left out where a calibration is given", rates, hint)
        if metric is None and calibration is None:
            own = Counts(((), ()), truths, (), metric=NO_METRIC)
            return cls(own, sampling=sampling, fused=tuple(fused))
        levels = calibration if isinstance(calibration, Levels) else None
        counts = _level_counts(metric, len(levels.adequate) if levels else BINARY, binary=levels is None)
        scale = VERDICT if len(counts) == BINARY else Scale.of(range(len(counts)))
        nothing = ((0,) * len(counts),) * BINARY
        rated = _calibration(calibration) if calibration is not None else nothing
        rest = tuple(n - sum(row) for n, row in zip(truths, rated, strict=True))
        fits = min(rest) >= 0
        known = rates if rates is None or isinstance(rates, KnownRates) else KnownRates(*_pair("rates", rates))
        own = Counts(rated if fits else nothing, rest if fits else truths, counts, metric=scale)
        return cls(own, nothing if fits else rated, known, sampling, tuple(fused))

    def __post_init__(self) -> None:
        """Check that the parts fit together."""
        borrowed = self.borrowed or ((0,) * self.levels,) * self.classes
        object.__setattr__(self, "borrowed", table("borrowed", borrowed, self.classes, self.levels))
        whole("calibration", sum(map(sum, self.calibration)))
        if self.sampling not in SAMPLINGS:
            raise InvalidInput.rule("sampling", f"be one of {', '.join(SAMPLINGS)}", self.sampling)
        if self.rates is not None and (self.classes, self.levels) != (BINARY, BINARY):
            raise InvalidInput.rule("rates", "be those of a binary metric", str(self.rates), "calibrate it instead")
        if self.sampling == "by-metric":
            self._check_by_metric()
        if self.sampling == "balanced" and self.fused and self.n_human:
            rule = "be random where metrics are taken one after the other"
            hint = "what balanced outputs leave of the rest is the same for all metrics, so take them together: "
            raise InvalidInput.rule("sampling", rule, "balanced", Said(hint, Option("fuse", "joint")))

    def _check_by_metric(self) -> None:
        if not self.levels or self.rates is not None or self.fused:
            hint = "outputs chosen by a metric's verdict calibrate that one metric"
            raise InvalidInput.rule("evidence", "be of one metric with calibration counts", str(self), hint)
        for level, (count, rated) in enumerate(zip(self.own.metric_only, self.calibrated, strict=True)):
            if count and not rated:
                hint = "rate some outputs of every verdict, or the rate rests on the prior there"
                raise InvalidInput.rule(f"calibration of level {level}", "hold at least one output", 0, hint)

    # what there is

    @property
    def classes(self) -> int:
        """How many classes people tell apart."""
        return len(self.own.truth)

    @property
    def levels(self) -> int:
        """How many levels the metric has; 0 without a metric."""
        return len(self.own.metric)

    @property
    def calibration(self) -> Table:
        """All outputs that tell how the metric errs."""
        return added(self.own.both, self.borrowed)

    @property
    def calibrated(self) -> tuple[int, ...]:
        """Their number, by level."""
        return tuple(map(sum, zip(*self.calibration, strict=True)))

    @property
    def n_calibration(self) -> int:
        """Their number."""
        return sum(self.calibrated)

    @property
    def n_human(self) -> int:
        """How many of its outputs people rated."""
        return sum(self.own.truths)

    @property
    def rated(self) -> bool:
        """Whether anything was observed."""
        parts = (self, *self.fused)
        return any(part.n_human or part.n_metric or any(map(sum, part.borrowed)) for part in parts)

    @property
    def n_metric(self) -> int:
        """How many of its outputs the metric alone rated."""
        return sum(self.own.metric_only)

    @property
    def judged_by_level(self) -> tuple[int, ...]:
        """All of its outputs that the metric rated, by level."""
        return tuple(map(sum, zip(*self.own.both, self.own.metric_only, strict=True)))

    @property
    def outputs(self) -> tuple[int, int]:
        """How many of its outputs people, and the metric alone, rated: as counted, whatever the design effect."""
        return self.undivided or (self.n_human, self.n_metric)

    @property
    def judged(self) -> bool:
        """Whether the metric rated anything of it."""
        return self.n_metric + self.n_calibration > 0

    @property
    def human(self) -> Tally:
        """The human ratings, where they are adequate or not."""
        if self.classes != BINARY:
            message = "ratings of several classes make no tally"
            raise TypeError(message)
        return Tally(self.own.truths[1], self.n_human)

    @property
    def human_for_rate(self) -> Tally:
        """The human ratings that say something about the rate by themselves."""
        return self.human if self.sampling == "random" else Tally(0, 0)

    @property
    def drawn(self) -> Tally:
        """The balanced outputs that were drawn from those which the metric rated: without them the rest is depleted."""
        fits = self.sampling == "balanced" and self.levels and self.rates is None
        return self.human if fits else Tally(0, 0)

    @property
    def metric(self) -> Tally:
        """The ratings of a binary metric, of outputs that people did not rate."""
        if self.levels != BINARY:
            message = "levels make no tally"
            raise TypeError(message)
        return Tally(self.own.metric_only[1], self.n_metric)

    @property
    def confusion(self) -> Confusion | None:
        """The calibration counts of a binary metric with estimated rates."""
        if self.rates is not None or (self.classes, self.levels) != (BINARY, BINARY):
            return None
        (tn, fp), (fn, tp) = self.calibration
        return Confusion(tp=tp, fn=fn, tn=tn, fp=fp)

    # other evidence

    def thinned(self, effect: float, alone: tuple[float, float] | None = None) -> Evidence:
        """Return what as many independent outputs would tell; a design effect is how many outputs count as one.

        `alone` are the design effects of people's share and of the metric's, each by itself.
        """
        flat = divided([n for row in self.borrowed for n in row], effect)
        borrowed = tuple(flat[i : i + self.levels] for i in range(0, len(flat), self.levels)) if flat else ()
        fused = tuple(evidence.thinned(effect) for evidence in self.fused)
        people, metric = alone or (effect, effect)
        by_itself = divided(self.own.truths, people), divided(self.judged_by_level, metric)
        thin = replace(self, own=self.own.thinned(effect), borrowed=borrowed, fused=fused, effect=effect)
        return replace(thin, undivided=self.outputs, by_itself=by_itself)

    def borrow(self, calibration: Table) -> Evidence:
        """Return the same with further outputs from elsewhere that tell how the metric errs."""
        more = table("calibration", calibration, self.classes, self.levels)
        return replace(self, borrowed=added(self.borrowed, more))

    def grouped(self, groups: Sequence[Sequence[int]], names: Sequence[str] | None = None) -> Evidence:
        """Return the same with levels of the metric merged: each group of levels becomes one."""
        own, scale = self.own, self.own.metric
        if sorted(k for group in groups for k in group) != list(range(self.levels)):
            raise InvalidInput.rule("groups", f"hold each of {self.levels} levels once", groups, "nothing counts twice")

        def merge(counts: Sequence[int]) -> tuple[int, ...]:
            return tuple(sum(counts[k] for k in group) for group in groups)

        called = tuple(names or (_span([scale.names[k] for k in group]) for group in groups))
        values = tuple(sum(scale.values[k] for k in group) / max(len(group), 1) for group in groups)
        steps = Scale(called, values, scale.own)
        counts = Counts(tuple(map(merge, own.both)), own.truth_only, merge(own.metric_only), own.truth, steps)
        return replace(self, own=counts, borrowed=tuple(map(merge, self.borrowed)))

    def merged(self, at_least: int = 10) -> Evidence:
        """Return the same with levels of the metric merged until each holds so many calibration outputs.

        Blind to what people said: levels of one value first (patterns with as many judges in favour), then neighbours,
        the smallest with the smaller of its two, down to two levels.
        """
        seen, values = self.calibrated, self.own.metric.values
        if self.levels <= BINARY or min(seen) >= at_least:
            return self
        groups = [[k for k in range(self.levels) if values[k] == value] for value in sorted(set(values))]
        while len(groups) > BINARY:
            sizes = [sum(seen[k] for k in group) for group in groups]
            least = sizes.index(min(sizes))
            if sizes[least] >= at_least:
                break
            beside = [i for i in (least - 1, least + 1) if 0 <= i < len(groups)]
            other = min(beside, key=lambda i: sizes[i])
            low = min(least, other)
            groups[low : low + 2] = [groups[low] + groups[low + 1]]
        return self.grouped(groups)

    @property
    def people_only(self) -> Evidence:
        """The human ratings that say something by themselves, and nothing else."""
        own = self.own
        truths = own.truths if self.sampling == "random" else (0,) * self.classes
        return Evidence(Counts(((),) * self.classes, truths, (), own.truth, NO_METRIC))

    def add(self, other: Evidence) -> Evidence:
        """Return both together, as if they were of one system; each must have the same kind of metric."""
        mine, theirs = self.own, other.own
        same = (mine.truth, mine.metric, self.sampling) == (theirs.truth, theirs.metric, other.sampling)
        if not same or self.rates or other.rates or self.fused or other.fused:
            hint = "the same classes, levels and sampling, and no known rates"
            raise InvalidInput.rule("evidence", "be of the same kind", str(other), hint)
        (truth_only, metric_only) = added((mine.truth_only, mine.metric_only), (theirs.truth_only, theirs.metric_only))
        own = Counts(added(mine.both, theirs.both), truth_only, metric_only, mine.truth, mine.metric)
        return Evidence(own, added(self.borrowed, other.borrowed), sampling=self.sampling)

    def __str__(self) -> str:
        """Write all counts on one line."""
        if self.classes != BINARY:
            people = f"people {slashed(self.own.truths)} ({'/'.join(self.own.truth.names)})"
            return ", ".join([people, *self._metric_parts()])
        parts = [f"human {self.human}"] if self.n_human or not (self.levels or self.fused) else []
        return ", ".join([*parts, *self._metric_parts()])

    def _metric_parts(self) -> list[str]:
        further = [part for metric in self.fused for part in metric._metric_parts()]  # noqa: SLF001 - its sister
        if not self.levels:
            return further
        if self.rates is not None:
            return [f"rates {self.rates}, metric {self.metric}", *further]
        if self.confusion is not None:
            return [f"calibration {self.confusion}, metric {self.metric}", *further]
        rows = (
            f"{name}={slashed(row)}"
            for name, row in zip(reversed(self.own.truth.names), reversed(self.calibration), strict=True)
        )
        return [f"calibration {','.join(rows)}, metric {slashed(self.own.metric_only)}", *further]

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-safe counts."""
        own = self.own
        return {
            "classes": list(own.truth.names),
            "levels": list(own.metric.names),
            "both": [list(row) for row in own.both],
            "truth_only": list(own.truth_only),
            "metric_only": list(own.metric_only),
            "borrowed": [list(row) for row in self.borrowed],
            "rates": None if self.rates is None else {"tpr": self.rates.tpr, "tnr": self.rates.tnr},
            "sampling": self.sampling,
            "effect": self.effect,
            "fused": [metric.to_dict() for metric in self.fused],
        }


def _calibration(calibration: Confusion | Levels) -> Table:
    if isinstance(calibration, Levels):
        return calibration.inadequate, calibration.adequate
    if not isinstance(calibration, Confusion):
        hint = "known rates are given as rates=(0.9, 0.8)"
        raise InvalidInput.rule("calibration", "be a Confusion or Levels", calibration, hint)
    return (calibration.tn, calibration.fp), (calibration.fn, calibration.tp)


def _level_counts(metric: Tally | Sequence[int] | None, levels: int, *, binary: bool) -> tuple[int, ...]:
    hint = "give one count of metric ratings for each level of the calibration"
    if metric is None:
        return (0,) * levels
    if isinstance(metric, Tally) or binary:
        tally = metric if isinstance(metric, Tally) else Tally(*_pair("metric", metric))
        if levels != BINARY:
            raise InvalidInput.rule("metric", f"have {levels} levels", str(tally), hint)
        return tally.total - tally.positive, tally.positive
    if isinstance(metric, str) or not hasattr(metric, "__len__") or len(metric) != levels:
        raise InvalidInput.rule("metric", f"have {levels} levels", metric, hint)
    return tuple(metric)


def _pair(where: str, value: Any) -> tuple[Any, Any]:  # noqa: ANN401 - whatever the user passed
    pair = tuple(value) if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) else ()
    if len(pair) != BINARY:
        example = "(0.9, 0.8): tpr, tnr" if where == "rates" else "(60, 100): positive, total"
        raise InvalidInput.rule(where, "be a pair", value, f"for example {example}")
    return pair[0], pair[1]


def _span(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]}–{names[-1]}"
