"""Which system is better, and can I tell?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

from tellapart._version import __version__
from tellapart.analysis.cautions import Caution, Shared, doubts, shared
from tellapart.analysis.diagnostics import rates_differ
from tellapart.analysis.estimation import Estimate, intervals
from tellapart.analysis.homogeneity import Homogeneity, homogeneity
from tellapart.analysis.needed import Needed, equals, needed
from tellapart.analysis.ranking import Standing, groups, holm, standings
from tellapart.analysis.result import Result
from tellapart.core.counts import Confusion, fraction
from tellapart.core.joint import RATES, RatesChoice, joint, pooled
from tellapart.core.prior import PRIORS, Prior
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tellapart.analysis.threshold import Thresholds
    from tellapart.core.distribution import Distribution
    from tellapart.core.evidence import Evidence
    from tellapart.core.intervals import Interval, IntervalKind
    from tellapart.core.joint import Joint


Correction = Literal["holm", "none"]
CORRECTIONS: tuple[str, ...] = get_args(Correction)


@dataclass(frozen=True)
class Pair:
    """Two systems side by side; the difference is first − second.

    `corrected` says whether they can be told apart when all pairs are looked at together; nothing where that was not
    asked for. `items` is the number of items that people rated for both, where the two are compared item by item.
    """

    first: str
    second: str
    distribution: Distribution
    confidence_level: float
    interval_kind: IntervalKind = "highest-density"
    corrected: bool | None = None
    items: int | None = None
    is_rate: bool = True

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
        return self.distribution.interval(self.confidence_level, kind=self.interval_kind)

    @property
    def distinguishable_alone(self) -> bool:
        """Whether P(first is better) > 1 − γ/2 or < γ/2, no other pair considered."""
        tail = (1 - self.confidence_level) / 2
        return self.probability > 1 - tail or self.probability < tail

    @property
    def distinguishable(self) -> bool:
        """Whether the two can be told apart, by the rule that was asked for."""
        return self.distinguishable_alone if self.corrected is None else self.corrected

    @property
    def better(self) -> str | None:
        """The better system, if the two can be told apart."""
        if not self.distinguishable:
            return None
        return self.first if self.probability > 0.5 else self.second  # noqa: PLR2004 - the likelier side

    @property
    def verdict(self) -> str:
        """The better system's name, or "not distinguishable"."""
        return "not distinguishable" if self.better is None else f"{self.better} is better"

    def __str__(self) -> str:
        """Say it in words."""
        ends = self.difference, self.interval.low, self.interval.high
        gap, low, high = (f"{100 * end:+.1f}" if self.is_rate else f"{end:+.2f}" for end in ends)
        gap = f"{gap}{' points' if self.is_rate else ''}, between {low} and {high}"
        better = f"P({self.first} is better) {equals(self.probability)}"
        return f"{self.first} − {self.second}: {gap}; {better}: {self.verdict}."

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            **intervals(self.distribution, self.confidence_level, self.interval_kind),
            "probability_first_better": self.probability,
            "distinguishable": self.distinguishable,
            "distinguishable_alone": self.distinguishable_alone,
            "better": self.better,
            "verdict": self.verdict,
            "items": self.items,
        }


@dataclass(frozen=True)
class Comparison(Result):
    """Several systems, each with its own metric error rates unless shared ones were asked for.

    `evidence` is what was observed of each system, `items` what was observed of two on the same items; with pooled
    calibration the estimates rest on all calibrations. `correction` says how the verdicts allow for the number of
    pairs, `rates` whose error rates the differences use.
    Ratings read from a table add how it was `understood`, the cautions `found` in it and the `thresholds` of scores.
    """

    estimates: Mapping[str, Estimate]
    confidence_level: float
    evidence: Mapping[str, Evidence]
    items: Mapping[tuple[str, str], Evidence] = field(default_factory=dict)
    correction: Correction = "holm"
    rates: RatesChoice = "separate"
    understood: tuple[str, ...] = ()
    found: Mapping[str, tuple[Caution, ...]] = field(default_factory=dict)
    thresholds: tuple[Thresholds, ...] = ()

    @property
    def _any(self) -> Estimate:
        """Any one of the estimates: prior and kind of interval are the same for all."""
        return next(iter(self.estimates.values()))

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """Names by expected rate, best first."""
        return tuple(sorted(self.estimates, key=lambda name: -self._mean(name)))

    def _mean(self, name: str) -> float:
        return self.joint.marginal(name).mean

    @cached_property
    def joint(self) -> Joint:
        """The joint posterior of all systems."""
        own = {name: estimate.posterior for name, estimate in self.estimates.items()}
        return joint(self.evidence, self._any.prior, rates=self.rates, items=self.items, marginals=own)

    def _rated_on_same(self, first: str, second: str) -> int | None:
        pair = self.items.get((first, second)) or self.items.get((second, first))
        return None if pair is None or self.rates == "shared" else pair.n_human

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Every pair, the better one first; told apart when all pairs are looked at together, by Holm's procedure."""
        kind = self._any.interval_kind
        alone = [
            Pair(
                a,
                b,
                self.joint.contrast(a, b),
                self.confidence_level,
                kind,
                items=self._rated_on_same(a, b),
                is_rate=self._any.is_rate,
            )
            for a, b in combinations(self.ranking, 2)
        ]
        if self.correction == "none":
            return tuple(alone)
        held = holm([2 * min(pair.probability, 1 - pair.probability) for pair in alone], 1 - self.confidence_level)
        return tuple(replace(pair, corrected=one) for pair, one in zip(alone, held, strict=True))

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """Probability of being best and interval of ranks, in the order of the ranking."""
        return standings(self.ranking, self.joint, self.confidence_level)

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Runs of the ranking in which no two systems can be told apart."""
        apart = {(pair.first, pair.second) for pair in self.pairs if pair.distinguishable}
        return groups(self.ranking, lambda a, b: (a, b) in apart)

    @cached_property
    def needed(self) -> tuple[Needed, ...]:
        """What each pair that cannot be told apart would need."""
        if self.rates == "shared":
            return ()  # more ratings would have to be of all systems at once
        open_pairs = [pair for pair in self.pairs if not pair.distinguishable]
        tests = 1 if self.correction == "none" else len(open_pairs)  # Holm's next step is as strict as that
        return tuple(
            needed(pair, self.estimates[pair.first], self.estimates[pair.second], tests=tests) for pair in open_pairs
        )

    @cached_property
    def homogeneity(self) -> Homogeneity | None:
        """Whether the metric treats the systems alike, where there are calibration counts to tell."""
        calibrations = [c for e in self.evidence.values() for c in _calibrations(e) if c.human.total]
        return homogeneity(calibrations) if len(calibrations) == len(self.evidence) else None

    @cached_property
    def cautions(self) -> tuple[tuple[str, Caution], ...]:
        """Reasons to distrust the answer, each with the system's name, or with none if it concerns all."""
        together = self.rates == "pooled"
        general = (*self.found.get("", ()), *rates_differ(self.homogeneity, self.evidence, pooled=together))
        own = [
            (name, c)
            for name, e in self.estimates.items()
            for c in (*self.found.get(name, ()), *e.warnings)
            if not (together and c.code == "calibration-only")  # these are outputs of other systems
        ]
        return (*(("", caution) for caution in general), *own)

    @cached_property
    def level_gain(self) -> float | None:
        """By what share a judge's levels narrow the intervals against its best cut, on average over the systems."""
        cuts = [
            (e.interval.width, e.best_cut.interval.width)
            for e in self.estimates.values()
            if e.best_cut and e.evidence.n_metric
        ]
        return 1 - sum(own / cut for own, cut in cuts) / len(cuts) if cuts else None

    @property
    def warnings(self) -> tuple[Shared, ...]:
        """The cautions in words; what several systems share is said once."""
        return shared(self.cautions)

    @cached_property
    def doubtful(self) -> Mapping[str, tuple[str, ...]]:
        """The systems whose rates cannot be relied on, and why, in a few words each."""
        of = {name: doubts([c for whose, c in self.cautions if whose == name]) for name in self.ranking}
        return {name: reasons for name, reasons in of.items() if reasons}

    @property
    def signature(self) -> str:
        """One line that makes the numbers reproducible."""
        first = self._any
        counts = "; ".join(f"{name}: {e}" for name, e in self.evidence.items())
        rates = "pooled calibration" if self.rates == "pooled" else f"{self.rates} rates"
        together = "item by item where rated on the same" if self.items else "systems independent"
        cuts = "".join(f" | {t.score}: {t.cut}" for t in self.thresholds)
        rule = f"level {self.confidence_level:g}, verdicts {_RULES[self.correction]}, {first.interval_kind} intervals"
        how = f"sampling {first.evidence.sampling} | prior {first.prior} | {rule}"
        return f"tellapart {__version__} | {rates}, pairwise, {together} | {counts}{cuts} | {how}"

    def __str__(self) -> str:
        """Say the verdict in words, of the systems whose rates can be relied on."""
        sound = [name for name in self.ranking if name not in self.doubtful]
        if len(self.ranking) == 1:
            return self._alone(self.ranking[0])
        aside = self._set_aside()
        if len(sound) < 2:  # noqa: PLR2004 - a pair
            return f"No verdict can be relied on. {aside}"
        pairs = [pair for pair in self.pairs if pair.first in sound and pair.second in sound]
        return f"{pairs[0] if len(pairs) == 1 else self._verdict(sound, pairs)} {aside}".strip()

    def _verdict(self, sound: Sequence[str], pairs: Sequence[Pair]) -> str:
        """Say whom the best system beats, and how many pairs can be told apart."""
        apart = [pair for pair in pairs if pair.distinguishable]
        best, beaten = sound[0], [pair.second for pair in apart if pair.first == sound[0]]
        of = f"{len(apart)} of {len(pairs)} pairs can be told apart"
        shown = f"{best} ({self._mean(best):.1%})" if self._any.is_rate else f"{best} ({self._mean(best):.2f})"
        if not beaten:
            return f"{shown} has the highest rate, but not distinguishably so; {of}."
        others = "every other system" if len(beaten) == len(sound) - 1 else ", ".join(beaten)
        return f"{shown} is better than {others}; {of}."

    def _alone(self, name: str) -> str:
        estimate, reasons = self.estimates[name], self.doubtful.get(name)
        said = str(estimate) if reasons is None else estimate.doubted(reasons)
        return f"{name}: {said} There is no other system to compare it with."

    def _set_aside(self) -> str:
        """Say of which systems nothing is claimed, and what people say of them."""
        if not self.doubtful:
            return ""
        told = []
        for name, reasons in self.doubtful.items():
            alone = self.estimates[name].human_only
            seen = f"{alone.mean:.1%} by the human ratings alone" if alone.evidence.n_human else "no human ratings"
            told.append(f"{name} ({seen}; {', '.join(reasons)})")
        return f"Set aside, see the cautions: {'; '.join(told)}."

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "ranking": list(self.ranking),
            "groups": [list(group) for group in self.groups],
            "standings": [standing.to_dict() for standing in self.standings],
            "systems": {name: estimate.to_dict() for name, estimate in self.estimates.items()},
            "pairs": [pair.to_dict() for pair in self.pairs],
            "needed": [need.to_dict() for need in self.needed],
            "homogeneity": None if self.homogeneity is None else self.homogeneity.to_dict(),
            "thresholds": [t.to_dict() for t in self.thresholds],
            "confidence_level": self.confidence_level,
            "interval_kind": self._any.interval_kind,
            "correction": self.correction,
            "rates": self.rates,
            "level_gain": self.level_gain,
            "doubtful": {name: list(reasons) for name, reasons in self.doubtful.items()},
            "understood": list(self.understood),
            "warnings": [{"system": name or None, **caution.to_dict()} for name, caution in self.cautions],
            "summary": str(self),
            "signature": self.signature,
        }


_RULES = {"holm": "for all pairs together (Holm)", "none": "pair by pair (raw rule)"}


def compare(  # noqa: PLR0913 - one parameter for each choice
    systems: Mapping[str, Evidence],
    *,
    prior: Prior | str | Sequence[float] = PRIORS["uniform"],
    confidence_level: float = 0.95,
    interval: IntervalKind = "highest-density",
    correction: Correction = "holm",
    rates: RatesChoice = "separate",
    items: Mapping[tuple[str, str], Evidence] | None = None,
) -> Comparison:
    """Compare systems by their rates of adequate outputs.

    Parameters
    ----------
    systems : mapping of names to Evidence
        One alone is estimated like the others, without a verdict.
    prior : {"uniform", "jeffreys"}, pair or Prior
        The same for every system.
    confidence_level : float
        1 − γ: two systems are distinguishable if P(first is better) is above 1 − γ/2 or below γ/2.
    interval : {"highest-density", "equal-tailed"}
        Kind of the intervals; verdicts do not rest on them.
    correction : {"holm", "none"}
        With more than two systems some pair may seem to differ by chance. Verdicts allow for that by Holm's procedure,
        or take each pair by itself.
    rates : {"separate", "pooled", "shared"}
        Whether each system has metric error rates of its own; whether the outputs of all systems that carry both
        ratings calibrate the metric for each; or whether all share one pair of rates. The latter two are right only if
        the metric errs alike for all; shared ones tell far more pairs apart, wrongly so wherever it does not.
    items : mapping of pairs of names to Evidence, optional
        What was observed of two systems on the same items: such pairs are compared item by item. `read_ratings` counts
        them.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from tellapart.core.evidence import Evidence
    >>> result = compare({"A": Evidence.of((353, 527)), "B": Evidence.of((308, 527))})
    >>> result.pairs[0].verdict
    'A is better'
    """
    if not isinstance(systems, Mapping):
        hint = "ratings are read first: tellapart.read_ratings(...).compare()"
        raise InvalidInput.rule("systems", "be a dictionary of Evidence", type(systems).__name__, hint)
    if not systems:
        raise InvalidInput.rule("systems", "hold at least one", list(systems))
    for where, value, known in (("correction", correction, CORRECTIONS), ("rates", rates, RATES)):
        if value not in known:
            raise InvalidInput.rule(where, f"be one of {', '.join(known)}", value)
    level, chosen = fraction("confidence_level", confidence_level, open_ends=True), Prior.of(prior)
    own = {str(name): evidence for name, evidence in systems.items()}
    kinds = {evidence.own.truth for evidence in own.values()}
    if len(kinds) > 1:
        said = [", ".join(kind.names) for kind in kinds]
        raise InvalidInput.rule("systems", "be rated on one scale", said, "the same classes for all")
    own = own if rates == "pooled" else {name: evidence.merged() for name, evidence in own.items()}
    used = pooled(own) if rates == "pooled" else own
    estimates = {name: Estimate(evidence, chosen, level, interval) for name, evidence in used.items()}
    result = Comparison(estimates, level, own, dict(items or {}), correction, rates)
    _ = result.ranking  # shared rates are refused here, where they cannot be
    return result


def _calibrations(evidence: Evidence) -> list[Confusion]:
    return [evidence.confusion] if evidence.confusion is not None and not evidence.fused else []
