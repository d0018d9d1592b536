"""Which system wins, how often, and can I tell? Pairs of outputs for one item, each a win, a tie or a loss."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

from tellapart._version import __version__
from tellapart.analysis.cautions import Caution, Shared, shared
from tellapart.analysis.diagnostics import cautions as doubted
from tellapart.analysis.estimation import Share
from tellapart.analysis.needed import equals
from tellapart.analysis.ranking import holm
from tellapart.analysis.result import Result
from tellapart.analysis.signature import RULES, level_of, signed, unusual
from tellapart.analysis.verdicts import CORRECTIONS, Correction, Pair, first
from tellapart.core.counts import NO_METRIC, OUTCOME, Counts, Scale, Table, Tally, added, fraction
from tellapart.core.draws import Draws
from tellapart.core.evidence import Evidence
from tellapart.core.intervals import check_interval
from tellapart.core.posterior import beta, posterior
from tellapart.core.prior import PRIORS, Prior
from tellapart.core.tournament import circle, davidson, linked_parts
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tellapart.core.distribution import Distribution
    from tellapart.core.intervals import IntervalKind

_CHANCE = 0.5


@dataclass(frozen=True, kw_only=True)
class Matchup(Pair):
    """Two systems against each other; the difference is the net win rate, wins − losses of the first."""

    shares: tuple[Share | Distribution, ...]  # of losses, ties and wins
    evidence: Evidence
    interval_kind: IntervalKind = "highest-density"  # of the shares

    @cached_property
    def win(self) -> Share:
        """How often the first wins."""
        return self._share(2)

    @cached_property
    def tie(self) -> Share:
        """How often neither wins."""
        return self._share(1)

    @cached_property
    def loss(self) -> Share:
        """How often the second wins."""
        return self._share(0)

    def _share(self, outcome: int) -> Share:
        found = self.shares[outcome]
        return found if isinstance(found, Share) else _summed_up(found, self.confidence_level, self.interval_kind)

    def __str__(self) -> str:
        """Say it in words."""
        gap, low, high = self.written
        shares = f"wins {self.win.mean:.1%}, ties {self.tie.mean:.1%}, loses {self.loss.mean:.1%}"
        net = f"net {gap} points, between {low} and {high}"
        better = f"P({self.first} wins more often) {equals(self.probability)}"
        return f"{self.first} against {self.second}: {shares}; {net}; {better}: {self.verdict}."

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        found = super().to_dict()
        shares = {name: getattr(self, name).to_dict() for name in ("win", "tie", "loss")}
        counts = {"items": self.evidence.n_human, "items_judge_alone": self.evidence.n_metric}
        order = {"first": self.first, "second": self.second, **shares, "net": found.pop("difference")}
        return order | {**found, **counts, "evidence": self.evidence.to_dict()}


@dataclass(frozen=True)
class Position:
    """How much a judge follows the position, by the items that it judged in both orders.

    `verdicts` counts them: one row a verdict on one of the systems where it stands first, one column where second.
    """

    verdicts: Table

    @property
    def flips(self) -> Tally:
        """How often the verdict changes with the order."""
        return Tally(self.n - sum(self.verdicts[c][c] for c in range(len(OUTCOME))), self.n)

    @property
    def n(self) -> int:
        """The number of these items."""
        return sum(map(sum, self.verdicts))

    @property
    def first(self) -> Distribution:
        """How often the output in the first position wins, ties counted half: one half if position does not matter."""
        counts = [0] * 5  # half points of the first position, in both orders together
        for c, row in enumerate(self.verdicts):
            for k, n in enumerate(row):
                counts[2 + c - k] += n
        own = Counts(((),) * 5, tuple(counts), (), Scale.of((0.0, 0.25, 0.5, 0.75, 1.0)), NO_METRIC)
        return posterior(Evidence(own))

    def to_dict(self, confidence_level: float = 0.95) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        first = Share(self.first.mean, self.first.interval(confidence_level))
        return {"items": self.n, "first_wins": first.to_dict(), "flips": self.flips.positive}


@dataclass(frozen=True, repr=False)
class Outcomes(Result):
    """Systems that were compared pair by pair: how often each wins, ties and loses against each.

    `pairs` is what was observed of each pair, win being one of the first name. `position` tells of a judge that saw
    both orders. Pairs read from a table, the `source`, add how it was `understood`, and which column the `judge` is.
    """

    kind = "outcomes"
    pairs: Mapping[tuple[str, str], Evidence]
    prior: Prior = PRIORS["uniform"]
    confidence_level: float = 0.95
    interval_kind: IntervalKind = "highest-density"
    correction: Correction = "holm"
    position: Position | None = None
    judge: str | None = None
    understood: tuple[str, ...] = ()
    source: str = ""

    @cached_property
    def strengths(self) -> Mapping[str, float]:
        """Strength of each system in Davidson's model, strongest first, part by part; 0 is the average of its part."""
        found = davidson({(one.first, one.second): _expected(one) for one in self._alone})
        return {
            name: found[name] for part in self.parts for name in sorted(part, key=lambda name: (-found[name], name))
        }

    @cached_property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """The systems in parts that no pair links: only within one do strengths and ranks say anything."""
        return tuple(map(tuple, linked_parts(self.pairs)))

    @property
    def ranking(self) -> tuple[str, ...]:
        """Names by strength, strongest first, part by part."""
        return tuple(self.strengths)

    @cached_property
    def _alone(self) -> tuple[Matchup, ...]:
        return tuple(self._matchup(*pair, evidence) for pair, evidence in self.pairs.items())

    def _matchup(self, first: str, second: str, evidence: Evidence) -> Matchup:
        """Return a pair by itself, the one that wins more often first."""
        used, level, kind = _used(evidence), self.confidence_level, self.interval_kind
        shares: list[Share | Distribution] = []
        for weights in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
            found = posterior(used, self.prior, weights)
            shares.append(
                _summed_up(found, level, kind) if isinstance(found, Draws) else found
            )  # draws fill the memory
        if shares[2].mean < shares[0].mean:
            net, parts = posterior(used, self.prior, (1, 0, -1)), tuple(reversed(shares))
            return Matchup(second, first, net, level, shares=parts, evidence=turned(evidence), interval_kind=kind)
        net = posterior(used, self.prior)
        return Matchup(first, second, net, level, shares=tuple(shares), evidence=evidence, interval_kind=kind)

    @cached_property
    def matchups(self) -> tuple[Matchup, ...]:
        """Every pair, the one that wins more often first, in the order of the ranking.

        Verdicts hold when all pairs are looked at together, by Holm's procedure, unless that was not asked for. Those
        that people alone do not bear out are set aside where the judge has not been shown to be better than chance.
        """
        place = {name: i for i, name in enumerate(self.ranking)}
        found = self._held(sorted(self._alone, key=lambda one: sorted((place[one.first], place[one.second]))))
        if not self.judge_doubted:
            return found
        alone = self._held([self._matchup(one.first, one.second, _people(one.evidence)) for one in found])
        return tuple(
            replace(one, set_aside=one.better not in {None, people.better})
            for one, people in zip(found, alone, strict=True)
        )

    def _held(self, alone: Sequence[Matchup]) -> tuple[Matchup, ...]:
        """Return the pairs with verdicts by the rule that was asked for."""
        if self.correction == "none":
            return tuple(alone)
        held = holm([2 * min(one.probability, 1 - one.probability) for one in alone], 1 - self.confidence_level)
        return tuple(replace(one, corrected=apart) for one, apart in zip(alone, held, strict=True))

    @cached_property
    def beaten(self) -> Mapping[str, tuple[str, ...]]:
        """The systems that each system beats, by the verdicts."""
        lost = [(one.better, one.second if one.better == one.first else one.first) for one in self.matchups]
        return {name: tuple(other for winner, other in lost if winner == name) for name in self.ranking}

    @cached_property
    def judged(self) -> Table:
        """People's outcome by the judge's, over all pairs: loss, tie and win of the one that wins more often."""
        tables = [one.evidence.own.both for one in self._alone if one.evidence.levels]
        return reduce(added, tables) if tables else ()

    @property
    def agreement(self) -> Tally:
        """How often the judge says what people say."""
        return Tally(sum(row[c] for c, row in enumerate(self.judged)), sum(map(sum, self.judged)))

    @property
    def agreement_decided(self) -> Tally:
        """The same where both name a winner."""
        if not self.judged:
            return Tally(0, 0)
        same, other = (sum(self.judged[c][k] for c, k in cells) for cells in (((0, 0), (2, 2)), ((0, 2), (2, 0))))
        return Tally(same, same + other)

    @property
    def judge_doubted(self) -> bool:
        """Whether the judge, where both name a winner, may name the people's no more often than chance would."""
        same = self.agreement_decided
        return bool(same.total) and beta(1 + same.positive, 1 + same.total - same.positive).interval(0.95).low < _CHANCE

    @cached_property
    def cautions(self) -> tuple[tuple[str, Caution], ...]:
        """Reasons to distrust the answer, each with the pair it concerns, or with none."""
        return tuple(_cautions(self))

    @property
    def warnings(self) -> tuple[Shared, ...]:
        """The cautions in words; what several pairs share is said once."""
        return shared(self.cautions)

    @property
    def signature(self) -> str:
        """One short line that stands for all settings and counts."""
        rule = level_of(self.confidence_level, self.correction, self.interval_kind)
        settings = unusual(next(iter(self.pairs.values())).sampling, self.prior)
        return signed(self.provenance, "win, tie, loss", *settings, rule)

    @property
    def provenance(self) -> str:
        """All settings and counts: what makes the numbers reproducible."""
        counts = "; ".join(f"{a} against {b}: {evidence}" for (a, b), evidence in self.pairs.items())
        sampling = next(iter(self.pairs.values())).sampling
        rule = f"level {self.confidence_level:g}, verdicts {RULES[self.correction]}, {self.interval_kind} intervals"
        how = f"sampling {sampling} | prior {self.prior} | {rule}"
        return f"tellapart {__version__} | win, tie, loss, each pair by itself | {counts} | {how}"

    def __str__(self) -> str:
        """Say the verdict in words."""
        return " ".join(filter(None, (self._verdict, self._set_aside)))

    @property
    def _set_aside(self) -> str:
        """Say which verdicts are not relied on, and why."""
        aside = [f"{one.first} against {one.second}" for one in self.matchups if one.set_aside]
        named = "" if len(self.matchups) == 1 else f"Set aside: {first(aside)}. "
        why = "Without the judge, which may be no better than chance, people do not tell the two apart."
        return f"{named}{why}" if aside else ""

    @property
    def _verdict(self) -> str:
        if len(self.matchups) == 1:
            return str(self.matchups[0])
        best, met = self.ranking[0], sum(self.ranking[0] in pair for pair in self.pairs)
        apart = sum(one.distinguishable for one in self.matchups)
        of = f"{apart} of {len(self.matchups)} pairs can be told apart"
        if len(self.parts) > 1:
            return f"No pairs link all systems, which makes {len(self.parts)} rankings, not one; {of}."
        if not self.beaten[best]:
            return f"{best} is the strongest, but cannot be told apart from any other system; {of}."
        return f"{best} beats {len(self.beaten[best])} of {met} systems; {of}."

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        judge: dict[str, Any] = {"column": self.judge, "people_by_judge": [list(row) for row in self.judged]}
        for name in ("agreement", "agreement_decided"):
            judge[name] = {"same": getattr(self, name).positive, "of": getattr(self, name).total}
        return {
            "ranking": list(self.ranking),
            "parts": [list(part) for part in self.parts],
            "strengths": [{"system": name, "strength": strength} for name, strength in self.strengths.items()],
            "beaten": [{"system": name, "beats": list(others)} for name, others in self.beaten.items()],
            "matchups": [one.to_dict() for one in self.matchups],
            "judge": judge if self.judged else None,
            "position": None if self.position is None else self.position.to_dict(self.confidence_level),
            "confidence_level": self.confidence_level,
            "interval_kind": self.interval_kind,
            "correction": self.correction,
            "understood": list(self.understood),
            "warnings": [{"system": pair or None, **caution.to_dict()} for pair, caution in self.cautions],
            "summary": str(self),
            "signature": self.signature,
            "provenance": self.provenance,
        }


def compare_pairs(  # noqa: PLR0913 - one parameter for each choice
    pairs: Mapping[tuple[str, str], Evidence],
    *,
    prior: Prior | str = "uniform",
    confidence_level: float = 0.95,
    interval: IntervalKind = "highest-density",
    correction: Correction = "auto",
    borrow: str = "auto",
) -> Outcomes:
    """Compare systems by how often they win; the choices are those of `compare`."""
    if correction not in CORRECTIONS:
        raise InvalidInput.rule("correction", f"be one of {', '.join(CORRECTIONS)}", correction)
    if borrow not in {"auto", "none"}:
        raise InvalidInput.rule("borrow", "be none where systems are compared pair by pair", borrow)
    if not pairs:
        raise InvalidInput.rule("pairs", "hold at least one pair of systems", dict(pairs))
    chosen, level = Prior.of(prior), fraction("confidence_level", confidence_level, open_ends=True)
    chosen.table(len(OUTCOME), 0)  # a pair of numbers is no prior of three outcomes
    return Outcomes(dict(pairs), chosen, level, check_interval(interval), "none" if correction == "none" else "holm")


def _summed_up(found: Distribution, confidence_level: float, kind: IntervalKind) -> Share:
    return Share(found.mean, found.interval(confidence_level, kind=kind))


def _used(evidence: Evidence) -> Evidence:
    """Return the evidence without a judge that was never seen beside people: there it tells nothing."""
    if evidence.n_calibration or not evidence.levels:
        return evidence
    return replace(_people(evidence), sampling="random")


def _people(evidence: Evidence) -> Evidence:
    """Return the evidence without the judge."""
    return Evidence(
        Counts(((),) * len(OUTCOME), evidence.own.truths, (), OUTCOME, NO_METRIC), sampling=evidence.sampling
    )


def _expected(one: Matchup) -> tuple[float, ...]:
    """Return losses, ties and wins: expected shares, of as many items as would tell the net win rate as surely."""
    loss, tie, win = (share.mean for share in one.shares)
    n = (win + loss - (win - loss) ** 2) / one.distribution.sd**2
    return n * loss, n * tie, n * win


def turned(evidence: Evidence) -> Evidence:
    """Return the same seen from the other system: its wins are the first one's losses."""
    own = evidence.own
    both = tuple(row[::-1] for row in own.both[::-1])
    return replace(
        evidence, own=replace(own, both=both, truth_only=own.truth_only[::-1], metric_only=own.metric_only[::-1])
    )


def _cautions(result: Outcomes) -> Iterator[tuple[str, Caution]]:
    """Return reasons to distrust the answer, each with the pair it concerns, or with none."""
    if cycle := circle({name: set(others) for name, others in result.beaten.items()}):
        yield "", Caution("cycle", {"circle": " beats ".join((*cycle, cycle[0]))})
    if len(result.parts) > 1:
        yield "", Caution("unconnected", {"parts": "; ".join(", ".join(part) for part in result.parts)})
    if unrated := [f"{a} against {b}" for (a, b), evidence in result.pairs.items() if not evidence.n_human]:
        yield "", Caution("no-human", {"pairs": _few(unrated)})
    for caution in _of_the_judge(result):
        yield "", caution
    for one in result.matchups:
        for caution in doubted(one.evidence, result.prior):
            yield f"{one.first} against {one.second}", caution


def _of_the_judge(result: Outcomes) -> Iterator[Caution]:
    judges = [one for one in result.matchups if one.evidence.levels]
    if judges and not result.agreement.total:
        yield Caution("uncalibrated")
    if result.judge_doubted:
        same = result.agreement_decided
        yield Caution("judge-disagrees", {"same": same.positive, "n": same.total})
    if against := [f"{one.first} against {one.second}" for one in judges if _opposed(one, result.prior)]:
        yield Caution("judge-opposes", {"pairs": _few(against)})
    if result.position is not None:
        span = result.position.first.interval(0.95)
        if not span.low <= _CHANCE <= span.high:
            which = "first" if span.low > _CHANCE else "second"
            seen = sum(one.evidence.n_calibration + one.evidence.n_metric for one in judges)
            facts = {"position": which, "low": span.low, "high": span.high, "all": result.position.n >= seen}
            yield Caution("position-bias", facts)


def _opposed(one: Matchup, prior: Prior) -> bool:
    """Whether people alone and the judge alone, taken at its word, tell the two apart, and differ."""
    own, tail = one.evidence.own, (1 - one.confidence_level) / 2
    verdicts = [sum(row[k] for row in own.both) + own.metric_only[k] for k in range(len(OUTCOME))]
    alone = [Evidence(Counts(((),) * 3, tuple(n), (), OUTCOME, NO_METRIC)) for n in (own.truths, verdicts)]
    people, judge = (posterior(evidence, prior).probability_positive for evidence in alone)
    return min(people, judge) < tail and max(people, judge) > 1 - tail


def _few(names: Sequence[str]) -> str:
    most = 3
    more = f" and {len(names) - most} more pairs" if len(names) > most else ""
    return ", ".join(names[:most]) + more
