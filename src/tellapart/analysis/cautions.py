"""Reasons to distrust a result: codes and facts, and the one place where they become sentences."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from string import Formatter
from typing import TYPE_CHECKING, Any

from tellapart.said import Option, Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

# ruff: noqa: ISC004 - long sentences
# For each code, what is seen and what to do. {n:,} is a fact, {0} the first option, {pair:this|that} depends on a fact.
# {several:them|it} depends on whether it is said of several systems at once.
_SEEN = "; the metric passed {passed} of these {n}, but {usual:.0%} of the rated ones."
_WHOM = "although the same items are rated for {pair:the other system|most other systems}"
_FROM_TO = (
    "{rate} {{{rate}[alike]:{{{rate}[low]:.2f}} throughout|"
    "from {{{rate}[low]:.2f}} ({{{rate}[lowest]}}) to {{{rate}[high]:.2f}} ({{{rate}[highest]}})}}"
)
SENTENCES = {
    "human-set-aside": (
        "The human-rated outputs were chosen {balanced:to balance adequate and inadequate ones|by the metric's verdict}"
        ": that {adequate} of {rated} are adequate says nothing about the rate by itself.",
        "{drawn:They calibrate the metric, and count as what they are among all outputs.|{metric:They are used to "
        "calibrate the metric only.|Without a metric nothing is left but the prior.}}",
    ),
    "calibration-only": (
        "The calibration outputs are used for the metric's rates, not for the system's own rate.",
        "If they are a random sample of this system's outputs, pass them as human ratings too: {adequate}/{rated}.",
    ),
    "edge-rate": (
        "All {n} human ratings are the same ({kind}).",
        "The interval then depends much on the prior; rate more outputs by hand{jeffreys:|, or compare with {0}}.",
    ),
    "independent-errors": (
        "The {metrics} metrics are combined as if they erred independently of one another.",
        "If they rated the same outputs or resemble each other, the interval is too narrow; use their joint pattern "
        "as one judge with levels.",
    ),
    "no-calibration": (
        "The metric's error rates are unknown: no output carries both a human and a metric rating.",
        "Its ratings add next to nothing; {human:have it rate the outputs that people rated|rate a random sample of "
        "outputs by hand}{others:, or let the outputs of other systems calibrate it ({0})|}.",
    ),
    "borrowed-calibration": (
        "No output carries both a human and a metric rating.",
        "How the metric errs is taken from the other systems, as far as they are alike: {several:the intervals "
        "are|the interval is} wide for that reason. Have some outputs rated by hand.",
    ),
    "off-the-line": (
        "Compared with the other systems, the judge likes {several:them|it} {likes:more|less} than people do.",
        "{several:Their rates rest on their|Its rate rests on its} own human ratings more than those of the other "
        "systems do; look at some outputs that the judge {likes:passed and people did not|failed and people did not}.",
    ),
    "few-calibration": (
        "The metric's error rate on {kind} outputs is a guess: it was calibrated on {n:only {n}|none} of them.",
        "Rate more outputs by hand until at least {enough} {kind} ones are among them.",
    ),
    "useless-metric": (
        "The metric has not yet been shown to tell adequate from inadequate outputs "
        "({levels:both may get the same levels, p = {p_value:.2g}|tpr + tnr = {tpr_tnr:.2f}, and 1 is useless}).",
        "{adds:What it seems to add is not borne out by ratings yet|It adds hardly anything to {human:the human "
        "ratings|the prior}}; more outputs with both ratings would show what it is worth.",
    ),
    "inverted-metric": (
        "The metric passes inadequate outputs more often than adequate ones (tpr + tnr = {tpr_tnr:.2f}).",
        "It is used as it is, which is right; check whether its labels are swapped.",
    ),
    "too-good": (
        "The metric repeats the human ratings almost exactly ({differ} of {n} differ).",
        "If it was derived from them, or made by the same people, it is no metric: choose another with {0}.",
    ),
    "cycle": (
        "The verdicts go round in a circle: {circle}.",
        "No ranking agrees with that: rely on the verdict of each pair, and look at what the items ask for.",
    ),
    "unconnected": ("No pairs link these systems: {parts}.", "Rank each part by itself."),
    "no-human": (
        "People rated no item of {pairs}.",
        "How the judge errs there is unknown, so its verdicts are left out: have people rate some.",
    ),
    "uncalibrated": (
        "No item was rated by both people and the judge.",
        "How the judge errs is unknown, so its verdicts are left out; have people rate some of its items.",
    ),
    "judge-disagrees": (
        "Where both name a winner, the judge names the people's in {same} of {n} cases: that may be no better than "
        "chance.",
        "It helps little; have people rate more items, or try another judge.",
    ),
    "judge-opposes": (
        "Taken alone, people and the judge say opposite things about {pairs}.",
        "The answer allows for the judge's errors; look at some of these items.",
    ),
    "position-bias": (
        "The judge favours the {position} position: the output there wins {low:.0%} to {high:.0%} of the time, with "
        "ties counted as half.",
        "{all:It judged all in both orders, and a verdict that changes with the order counts as a tie: that favours no "
        "system, but tells little, so try another judge.|Have it judge every pair in both orders.}",
    ),
    "repeats-people": (
        "`{metric}` repeats the human ratings almost exactly (worth {worth:.0%}).",
        "If it was derived from them, it is no metric.",
    ),
    "lower-is-better": (
        "`{metric}` is lower for adequate outputs: is lower better? It was turned around here.",
        "Say {0} where it is used.",
    ),
    "impossible-share": (
        "The metric passed {passed:.1%} of the outputs, but with tpr={tpr:g},tnr={tnr:g} it passes between {low:.1%} "
        "and {high:.1%}.",
        "The rates are not right for {several:these systems|this system}; estimate them from outputs that carry both "
        "ratings.",
    ),
    "unlike-the-rest": (
        "The human-rated outputs are not like the rest: the {levels:levels that the metric gave to the {rated:,} rated "
        "ones differ from those|metric passed {passed_rated:.1%} of the {rated:,} rated ones and {passed_others:.1%}} "
        "of the {others:,} others (p = {p_value:.1g}).",
        "If they were chosen by the metric's verdict alone, that does no harm: say so with {0}. {scale:|If they were "
        "chosen to balance adequate and inadequate ones, say {1}. }If ratings are missing for another reason, the rate "
        "is biased: find out which.",
    ),
    "missing-labels": (
        f"{{n}} outputs lack a human rating {_WHOM}{_SEEN}",
        "The missing ones seem to be another kind, so {several:these rates are|the rate is} biased; have them rated, "
        "or find out why.",
    ),
    "missing-outputs": (
        f"{{n}} outputs lack all ratings {_WHOM}.",
        "If the missing ones are mostly bad (or good), {several:these rates are|the rate is} biased; have them "
        "rated, or find out why.",
    ),
    "undecided-votes": (
        f"{{n}} outputs are left out because their votes are tied{_SEEN}",
        "Hard cases are missing, which biases {several:these rates|the rate}; ask one more annotator, or use {0} or "
        "{1}.",
    ),
    "different-items": (
        "The systems answered different items: {items:,} in all, at most {most:,} by one system.",
        "A difference may come from the items and not from the systems; compare them on the same items.",
    ),
    "rates-differ": (
        "The metric's error rates differ by system (p = {p_value:.1g}): "
        f"{_FROM_TO.format(rate='tpr')}; {_FROM_TO.format(rate='tnr')}.",
        "{shared:They were taken as shared all the same: do not trust the verdicts.|"
        "The verdicts allow for it; what rests on shared rates does not, nor would a comparison of the metric's bare "
        "averages.}",
    ),
    "conflict": (
        "Human and metric evidence conflict: by the human ratings and the calibration the metric should pass "
        "{predicted:.1%} ± {sd:.1%} of the outputs, but it passed {passed:.1%}.",
        "Do not trust the combined {several:rates|rate}; check that the human-rated outputs are like the others and "
        "that the calibration belongs to {several:each system|this system}.",
    ),
}

_SEVERAL = "several"

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
    """A reason to distrust a result: its code, the facts, and the options that would answer it; in words on demand."""

    code: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    options: tuple[Option, ...] = ()

    @property
    def message(self) -> str:
        """What was seen."""
        return str(Said(*self._pieces(SENTENCES[self.code][0])))

    @property
    def advice(self) -> Said:
        """What to do."""
        return Said(*self._pieces(SENTENCES[self.code][1]))

    @property
    def said(self) -> Said:
        """Both sentences."""
        return Said(self.message, " ", self.advice)

    def __str__(self) -> str:
        """Return both sentences."""
        return str(self.said)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        options = [option._asdict() for option in self.options]
        said = {"message": self.message, "advice": self.advice}
        return {"code": self.code, "facts": dict(self.facts), "options": options, **said}

    def but(self, **facts: object) -> Caution:
        """Return the same with other facts."""
        return replace(self, facts={**self.facts, **facts})

    def _pieces(self, template: str) -> Iterator[str | Option]:
        for literal, name, spec, _ in Formatter().parse(template):
            yield literal
            if name and name.isdigit():
                yield self.options[int(name)]
            elif name:
                fact, _ = Formatter().get_field(name, (), {_SEVERAL: False, **self.facts})
                yes, either, no = (spec or "").partition("|")
                yield from self._pieces(yes if fact else no) if either else [format(fact, spec or "")]


@dataclass(frozen=True)
class Shared:
    """Cautions that call for the same: what was seen, each message with its systems, and what to do."""

    messages: tuple[str, ...]
    advice: Said

    @property
    def said(self) -> Said:
        """All sentences."""
        return Said(" ".join(self.messages), " ", self.advice)

    def __str__(self) -> str:
        """Return all sentences."""
        return str(self.said)


def shared(found: Iterable[tuple[str, Caution]]) -> tuple[Shared, ...]:
    """Say once what several systems share; the name of a system is empty where a caution concerns all."""
    alike: dict[tuple[str, Said], dict[str, list[tuple[str, Caution]]]] = {}
    for name, caution in found:
        alike.setdefault((caution.code, caution.advice), {}).setdefault(caution.message, []).append((name, caution))
    said = []
    for (_, advice), seen in alike.items():
        (_, first), *more = (one for named in seen.values() for one in named)
        said.append(Shared(_together(seen), _of_several(first).advice if more else advice))
    return tuple(said)


def _of_several(caution: Caution) -> Caution:
    return caution.but(**{_SEVERAL: True})


@dataclass(frozen=True)
class _Each:
    """A number that differs by system, said as one: 10 (A) and 27 (B)."""

    values: Mapping[str, float]

    def __format__(self, spec: str) -> str:
        (*others, last) = (f"{value:{spec}} ({names})" for names, value in self.values.items())
        return f"{', '.join(others)} and {last}" if others else last


def _together(seen: Mapping[str, list[tuple[str, Caution]]]) -> tuple[str, ...]:
    """Say messages once that differ in one number only, with the number of each system."""
    whom = {message: ", ".join(name for name, _ in found if name) for message, found in seen.items()}
    told = {m: _of_several(found[0][1]).message if len(found) > 1 else m for m, found in seen.items()}
    apart = tuple(f"{names}: {told[message]}" if names else message for message, names in whom.items())
    if len(seen) == 1 or not all(whom.values()):
        return apart
    each = {message: found[0][1] for message, found in seen.items()}
    first = next(iter(each.values()))
    for key, value in first.facts.items():
        if not isinstance(value, bool) and isinstance(value, int | float):
            values = {whom[message]: one.facts[key] for message, one in each.items()}
            if all(first.but(**{key: values[whom[message]]}).message == message for message in each):
                return (_of_several(first).but(**{key: _Each(values)}).message,)
    return apart


def doubts(found: Iterable[Caution]) -> tuple[str, ...]:
    """Return, in a few words each, why an answer with these cautions cannot be relied on; nothing if it can."""
    return tuple(dict.fromkeys(DOUBTS[caution.code] for caution in found if caution.code in DOUBTS))
