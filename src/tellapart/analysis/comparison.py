"""Which system is better, and can I tell?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tellapart._version import __version__
from tellapart.analysis.cautions import Caution, Shared, doubts, shared
from tellapart.analysis.diagnostics import rates_differ, too_good_for_all, with_others
from tellapart.analysis.estimation import Estimate
from tellapart.analysis.headline import basis, headline
from tellapart.analysis.homogeneity import Homogeneity, homogeneity
from tellapart.analysis.needed import Needed, needed
from tellapart.analysis.ranking import Standing, groups, holm, standings
from tellapart.analysis.result import Result
from tellapart.analysis.signature import RULES, basis_in_short, level_of, signed, unusual
from tellapart.analysis.verdicts import CORRECTIONS, Correction, Marginal, Pair, Rule, Step, Treatment
from tellapart.core.counts import Tally, fraction
from tellapart.core.evidence import Evidence
from tellapart.core.ladder import APART, BORROWS, Borrow, Ladder, Linked, Pooled, Rung
from tellapart.core.link import MANY
from tellapart.core.prior import PRIORS, Prior
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tellapart.analysis.threshold import Thresholds
    from tellapart.core.intervals import IntervalKind
    from tellapart.core.joint import Joint


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Several systems, as far up the ladder as was asked for, or as the design allows.

    `evidence` is what was observed of each system, `items` what was observed of two on the same items, and `estimates`
    are the systems each by itself. `borrow` is the rung of the ladder on which the verdicts stand: what they take the
    systems to have in common. `correction` says how they allow for the number of pairs.
    Ratings read from a table, the `source`, add how it was `understood`, the cautions `found` in it, the `thresholds`
    of scores, and whether `one_judge` rated all systems.
    """

    kind = "comparison"
    estimates: Mapping[str, Estimate]
    confidence_level: float
    evidence: Mapping[str, Evidence]
    items: Mapping[tuple[str, str], Evidence] = field(default_factory=dict)
    correction: Correction = "auto"
    borrow: Rung = "none"
    understood: tuple[str, ...] = ()
    found: Mapping[str, tuple[Caution, ...]] = field(default_factory=dict)
    thresholds: tuple[Thresholds, ...] = ()
    source: str = ""
    one_judge: bool = True

    @property
    def prior(self) -> Prior:
        """What was believed beforehand, the same of every system."""
        return self._any.prior

    @property
    def _any(self) -> Estimate:
        """Any one of the estimates: prior and kind of interval are the same for all."""
        return next(iter(self.estimates.values()))

    @property
    def is_rate(self) -> bool:
        """Whether the systems are compared by rates of adequate outputs; or else by mean ratings."""
        return self._any.is_rate

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """Names, best first: by expected rate, and by what is known of differences item by item."""
        return self.joint.order

    @cached_property
    def _ladder(self) -> Ladder:
        own = {name: estimate.posterior for name, estimate in self.estimates.items()}
        aside = [name for name, estimate in self.estimates.items() if doubts(estimate.warnings)]
        return Ladder(self.evidence, self.prior, items=self.items, marginals=own, aside=aside)

    @property
    def _rungs(self) -> tuple[Rung, ...]:
        """The rungs that the design allows, lowest first: with several judges, none that takes them for one."""
        return tuple(rung for rung in self._ladder.rungs if self.one_judge or rung in APART)

    @property
    def joint(self) -> Joint:
        """The joint posterior of all systems."""
        return self._ladder[self.borrow]

    def marginal(self, name: str, rung: Rung | None = None) -> Marginal:
        """Return a system's rate as the joint posterior has it, or as another rung of the ladder has."""
        joint = self._ladder[rung or self.borrow]
        return Marginal(joint.marginal(name), self.confidence_level, self._any.interval_kind)

    def _rated_on_same(self, first: str, second: str, rung: Rung) -> int | None:
        pair = self.items.get((first, second)) or self.items.get((second, first))
        apart = rung in {"none", "shared"} or (rung == "link" and not self._ladder.line_by_item)
        return None if pair is None or apart else pair.n_human

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Every pair, the better one first; told apart when all pairs are looked at together."""
        return self.pairs_at(self.borrow)

    def pairs_at(self, rung: Rung) -> tuple[Pair, ...]:
        """Return every pair as another rung of the ladder has it, in the same order."""
        joint, items = self._ladder[rung], self._rated_on_same
        level, rate = self.confidence_level, self.is_rate
        alone = [
            Pair(a, b, joint.contrast(a, b), level, items=items(a, b, rung), is_rate=rate, set_aside=self._aside(a, b))
            for a, b in combinations(self.ranking, 2)
        ]
        if self.rule(rung) != "holm":
            return tuple(alone)
        chances = [2 * min(pair.probability, 1 - pair.probability) for pair in self._sound(alone)]
        held = iter(holm(chances, 1 - self.confidence_level))
        return tuple(pair if pair.set_aside else replace(pair, corrected=next(held)) for pair in alone)

    def _aside(self, *names: str) -> bool:
        return not self.doubtful.keys().isdisjoint(names)

    @staticmethod
    def _sound(pairs: Sequence[Pair]) -> list[Pair]:
        return [pair for pair in pairs if not pair.set_aside]

    def rule(self, rung: Rung | None = None) -> Rule:
        """How verdicts allow for the number of pairs: all pairs together by Holm's procedure, or each by itself.

        On the line, systems that hardly differ are drawn together, the more so the more systems there are, and each
        pair is judged by itself: few verdicts are wrong, but some may be.
        """
        if self.correction != "auto":
            return self.correction
        return "none" if (rung or self.borrow) == "link" else "holm"

    @property
    def many(self) -> bool:
        """Whether there are so many systems that only the rung in use is climbed, and neighbours are looked at."""
        return len(self.estimates) > MANY

    @cached_property
    def ladder(self) -> tuple[Step, ...]:
        """What each rung that the design allows would tell of the systems that can be relied on, lowest first.

        Of more than 30 systems, only the rung in use.
        """
        found = []
        for rung in dict.fromkeys((*(() if self.many else self._rungs), self.borrow)):
            pairs = self._sound(self.pairs if rung == self.borrow else self.pairs_at(rung))
            told = sum(pair.distinguishable for pair in pairs), sum(pair.distinguishable_alone for pair in pairs)
            found += [Step(rung, *told, len(pairs), pairs[0], self.rule(rung), rung == self.borrow)] if pairs else []
        return tuple(found)

    @cached_property
    def treatment(self) -> Treatment | None:
        """How alike the metric treats the systems, where rates are pooled or a line is drawn."""
        if self.borrow not in {"rates", "link"}:
            return None
        climbed = "rates" in self._ladder.rungs and not (self.many and self.borrow != "rates")
        joint, pooled = self.joint.lending, self._ladder["rates"].lending if climbed else None
        scatter = pooled.rates.scatter(self.confidence_level) if isinstance(pooled, Pooled) else (None, None)
        line = joint.line.summary(self.confidence_level) if isinstance(joint, Linked) else (None, None)
        return Treatment(*scatter, *line)

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """Probability of being best and interval of ranks, in the order of the ranking; of those set aside, none."""
        sound = [name for name in self.ranking if not self._aside(name)]
        found = {one.system: one for one in standings(sound, self.joint, self.confidence_level)}
        return tuple(found.get(name, Standing(name)) for name in self.ranking)

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Groups of systems of which no two can be told apart; those set aside are in none."""
        apart = {(pair.first, pair.second) for pair in self.pairs if pair.distinguishable}
        return groups([name for name in self.ranking if not self._aside(name)], lambda a, b: (a, b) in apart)

    @cached_property
    def needed(self) -> tuple[Needed, ...]:
        """What each pair that cannot be told apart would need; of more than 30 systems, only neighbours in rank.

        Systems that are set aside need something else first.
        """
        if self.borrow == "shared":
            return ()  # more ratings would have to be of all systems at once
        open_pairs = [pair for pair in self._sound(self.pairs) if not pair.distinguishable]
        tests = len(open_pairs) if self.rule() == "holm" else 1  # Holm's next step is as strict as that
        near = set(pairwise(self.ranking)) if self.many else None
        return tuple(
            needed(pair, self.estimates[pair.first], self.estimates[pair.second], unlent=self.unlent(pair), tests=tests)
            for pair in open_pairs
            if near is None or (pair.first, pair.second) in near
        )

    def unlent(self, pair: Pair) -> float:
        """Return the standard deviation of a difference without what other systems' ratings tell of it."""
        return self._ladder["none" if pair.items is None else "items"].contrast(pair.first, pair.second).sd

    @cached_property
    def homogeneity(self) -> Homogeneity | None:
        """Whether the metric treats the systems alike, where there are calibration counts to tell."""
        found = [evidence.confusion for evidence in self.evidence.values() if not evidence.fused]
        calibrations = [confusion for confusion in found if confusion is not None and confusion.human.total]
        return homogeneity(calibrations) if len(calibrations) == len(self.evidence) else None

    @cached_property
    def cautions(self) -> tuple[tuple[str, Caution], ...]:
        """Reasons to distrust the answer, each with the system's name, or with none if it concerns all."""
        shared = self.borrow == "shared"
        general = (*self.found.get("", ()), *too_good_for_all(self.evidence))
        general += rates_differ(self.homogeneity, self.evidence, shared=shared)
        own = [
            (name, self._lent(c) if c.code == "no-calibration" else c)
            for name, e in self.estimates.items()
            for c in (*self.found.get(name, ()), *e.warnings)
        ]
        return (*(("", caution) for caution in general), *own, *self._off_the_line())

    def _lent(self, caution: Caution) -> Caution:
        """Say of a system that lacks a calibration whether that of the others is taken, or could be."""
        if self.borrow in {"rates", "link"} and any(e.n_calibration for e in self.evidence.values()):
            return Caution("borrowed-calibration")
        return with_others(caution) if "rates" in self._rungs else caution

    def _off_the_line(self) -> Iterator[tuple[str, Caution]]:
        """Flag the systems that the metric likes more, or less, than people do: where its averages follow the rates.

        If the line may as well be flat, to be off it is to be better or worse than others, whatever the metric says.
        """
        joint = self.joint.lending
        if isinstance(joint, Linked) and joint.line.summary(self.confidence_level)[0][1] > 0:
            tail = (1 - self.confidence_level) / 2
            for name, chance in zip(joint.names, joint.line.below_the_line(), strict=True):
                if min(chance, 1 - chance) < tail:
                    facts = {"likes": bool(chance > tail), "chance": max(chance, 1 - chance)}
                    yield name, Caution("off-the-line", facts)

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
        """One short line that stands for all settings and counts."""
        rule = level_of(self.confidence_level, self.rule(), self._any.interval_kind)
        settings = unusual(self._any.evidence.sampling, self.prior)
        return signed(self.provenance, f"borrow {self.borrow}", *settings, rule)

    @property
    def provenance(self) -> str:
        """All settings and counts: what makes the numbers reproducible."""
        first = self._any
        counts = "; ".join(f"{name}: {e}" for name, e in self.evidence.items())
        cuts = "".join(f" | {t.score}: {t.cut}" for t in self.thresholds)
        rule = f"level {self.confidence_level:g}, verdicts {RULES[self.rule()]}, {first.interval_kind} intervals"
        how = f"sampling {first.evidence.sampling} | prior {first.prior} | {rule}"
        used = basis_in_short(self.borrow, items=bool(self.items))
        return f"tellapart {__version__} | borrow {self.borrow}: {used} | {counts}{cuts} | {how}"

    def __str__(self) -> str:
        """Say the verdict in words, of the systems whose rates can be relied on."""
        return headline(self)

    @property
    def basis(self) -> str:
        """What the verdicts use beside each system's own ratings, in words; nothing if nothing."""
        return self.basis_of(self.pairs)

    def basis_of(self, pairs: Sequence[Pair]) -> str:
        """Say the same of the verdicts on some pairs."""
        return basis(self, pairs)

    def shown(self, value: float) -> str:
        """Write a rate in per cent, a mean rating as it is."""
        return f"{value:.1%}" if self.is_rate else f"{value:.2f}"

    def read_from(self, table: Any) -> Comparison:  # noqa: ANN401 - ratings
        """Return it with how the table was understood, what was found in it and the cuts; nothing is computed again."""
        result = replace(self, understood=table.told(self.borrow), found=table.found, thresholds=table.thresholds)
        result = replace(result, source=table.name, one_judge=table.one_judge)
        result.__dict__.update({name: self.__dict__[name] for name in ("_ladder", "ranking") if name in self.__dict__})
        return result

    def system(self, name: str) -> dict[str, Any]:
        """Return a system's rate as the verdicts have it, and what is known of the system `alone`, JSON-safe."""
        known, joint = self.estimates[name].to_dict(), self.marginal(name).to_dict()
        own = *joint, "mode", "median", "summary", "signature", "provenance"
        return {**joint, "alone": {key: known.pop(key) for key in own}, **known}

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "ranking": list(self.ranking),
            "groups": [list(group) for group in self.groups],
            "standings": [standing.to_dict() for standing in self.standings],
            "systems": {name: self.system(name) for name in self.estimates},
            "pairs": [pair.to_dict() for pair in self.pairs],
            "needed": [need.to_dict() for need in self.needed],
            "homogeneity": None if self.homogeneity is None else self.homogeneity.to_dict(),
            "thresholds": [t.to_dict() for t in self.thresholds],
            "confidence_level": self.confidence_level,
            "interval_kind": self._any.interval_kind,
            "correction": self.rule(),
            "borrow": self.borrow,
            "basis": self.basis,
            "ladder": [step.to_dict() for step in self.ladder],
            "treatment": None if self.treatment is None else self.treatment.to_dict(),
            "level_gain": self.level_gain,
            "doubtful": {name: list(reasons) for name, reasons in self.doubtful.items()},
            "understood": list(self.understood),
            "warnings": [{"system": name or None, **caution.to_dict()} for name, caution in self.cautions],
            "summary": str(self),
            "signature": self.signature,
            "provenance": self.provenance,
        }


CHOICES = ("prior", "confidence_level", "interval", "correction", "borrow")  # what `compare` takes beside counts


def compare(  # noqa: PLR0913 - one parameter for each choice
    systems: Mapping[str, Evidence | Tally | tuple[int, int]],
    *,
    prior: Prior | str | Sequence[float] = PRIORS["uniform"],
    confidence_level: float = 0.95,
    interval: IntervalKind = "highest-density",
    correction: Correction = "auto",
    borrow: Borrow = "auto",
    items: Mapping[tuple[str, str], Evidence] | None = None,
) -> Comparison:
    """Compare systems by their rates of adequate outputs.

    Parameters
    ----------
    systems : mapping of names to Evidence, or to counts (positive, total) of human ratings
        One alone is estimated like the others, without a verdict.
    prior : {"uniform", "jeffreys"}, pair or Prior
        The same for every system.
    confidence_level : float
        1 − γ: two systems are distinguishable if P(first is better) is above 1 − γ/2 or below γ/2.
    interval : {"highest-density", "equal-tailed"}
        Kind of the intervals of rates. Those of differences have equal tails, as verdicts go by the tails.
    correction : {"auto", "holm", "none"}
        With more than two systems some pair may seem to differ by chance. Holm's procedure allows for that: some
        verdict is wrong in at most one comparison of twenty. Or each pair is taken by itself: a few verdicts in a
        hundred may be wrong. "auto" is Holm's procedure, but for a line, which draws systems together that hardly
        differ.
    borrow : {"auto", "none", "items", "rates", "link", "shared"}
        What the systems are taken to have in common. Nothing, as in the paper; the items that people rated for several
        of them; also one metric that treats all systems similarly (rates); also rates that lie around a line in the
        metric's own averages (link, five systems or more). By default as much of this as the design allows. Only by
        name: one metric that errs exactly alike for all, which gives wrong verdicts wherever it does not (shared).
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
    for where, value, known in (("correction", correction, CORRECTIONS), ("borrow", borrow, BORROWS)):
        if value not in known:
            raise InvalidInput.rule(where, f"be one of {', '.join(known)}", value)
    confidence_level, chosen = fraction("confidence_level", confidence_level, open_ends=True), Prior.of(prior)
    own = {str(name): _observed(name, evidence) for name, evidence in systems.items()}
    if len(own) < len(systems):
        names = [str(name) for name in systems]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInput.rule("systems", "have different names", twice, "names are taken as text")
    kinds = {evidence.own.truth for evidence in own.values()}
    if len(kinds) > 1:
        said = [", ".join(kind.names) for kind in kinds]
        raise InvalidInput.rule("systems", "be rated on one scale", said, "the same classes for all")
    estimates = {
        name: Estimate(evidence.merged(), chosen, confidence_level, interval) for name, evidence in own.items()
    }
    alone = Comparison(estimates, confidence_level, own, _paired(items or {}, own), correction)
    ladder = alone._ladder  # noqa: SLF001 - its own
    result = replace(alone, borrow=ladder.highest if borrow == "auto" else borrow)
    result.__dict__["_ladder"] = ladder
    _ = result.ranking  # what cannot be borrowed is refused here
    return result


def _observed(name: object, given: Evidence | Tally | tuple[int, int]) -> Evidence:
    """Take counts of people's ratings as evidence."""
    if isinstance(given, Evidence):
        return given
    if isinstance(given, tuple | list | np.ndarray | Tally):
        return Evidence.of(given)
    hint = "for example (60, 100) or Evidence.of((60, 100))"
    raise InvalidInput.rule(f"system {name!r}", "be Evidence or counts of human ratings", given, hint)


def _paired(items: Mapping[tuple[str, str], Evidence], own: Mapping[str, Evidence]) -> dict[tuple[str, str], Evidence]:
    """Return what was observed of two systems on the same items, or say which of it cannot be."""
    found = {}
    hint = "such as {('A', 'B'): evidence}, which read_ratings counts"
    for pair, evidence in items.items() if isinstance(items, Mapping) else [(items, None)]:
        names = tuple(map(str, pair)) if isinstance(pair, tuple) else ()
        if len(set(names) & own.keys()) != 2 or len(names) != 2:  # noqa: PLR2004 - a pair
            raise InvalidInput.rule("items", "hold pairs of the systems", pair, hint)
        if not isinstance(evidence, Evidence):
            raise InvalidInput.rule(f"items {' and '.join(names)}", "be Evidence", evidence, hint)
        found[names[0], names[1]] = evidence
    return found
