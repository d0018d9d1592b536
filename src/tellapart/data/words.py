"""What was understood of a table: facts, and the sentences that tell them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from tellapart.analysis.threshold import ThresholdRule
from tellapart.data.drawn import COLUMN, told
from tellapart.data.items import LEAST, MOST_SYSTEMS, SAME, one_after_the_other
from tellapart.data.roles import find
from tellapart.data.source import ticked
from tellapart.data.where import sentences as kept
from tellapart.said import Option, Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tellapart.data.cells import Bad
    from tellapart.data.choose import Chosen, Rules
    from tellapart.data.clusters import Clusters
    from tellapart.data.drawn import Drawn
    from tellapart.data.where import Kept

_LEFT_OUT = {
    "blank": "blank lines",
    "undecided": "outputs with undecided votes",
    "unrated": "outputs without a human rating and without the metric",
}
_KINDS = {
    "labels": "a verdict, 0 or 1",
    "nothing": "empty",
    "levels": "levels, neighbours merged until each holds ten rated outputs",
    "bins": "a score, divided into levels that hold equally many rated outputs of a system",
    "scores": "a score, {cut}",
}
_MOST_ALIKE = 3
_VOTES = {
    "majority": "adequate if most votes say so",
    "all": "adequate if all votes say so",
    "any": "adequate if any vote says so",
    "mean": "adequate if the mean is at least {cut:g}",
}


@dataclass(frozen=True)
class Facts:
    """What was understood of a table.

    `rows`, `systems`, `rated` (by people) and `alone` (by the metric alone) are numbers; `left_out` tells how many
    outputs are "undecided", "unrated" or "uncalibrated" and how many lines "blank"; `excluded` the bad cells; `paired`
    is the number of pairs of systems whose outputs for the same items people rated.
    """

    name: str
    rows: int
    systems: int
    chosen: Chosen
    rules: Rules
    rated: int
    alone: int
    left_out: Mapping[str, int]
    excluded: tuple[Bad, ...] = ()
    paired: int = 0
    better: Better | None = None
    clusters: Clusters | None = None
    beside: tuple[str, ...] = ()  # what the logs and labels have to say
    kept: Kept | None = None
    judges: Mapping[str, str] = field(default_factory=dict)  # two systems that different ones rated, if any
    drawn: tuple[Drawn, ...] = ()  # how the human-rated outputs were, as the table says
    unnamed: bool = False  # whether no column names the systems
    alike: tuple[tuple[str, ...], ...] = ()  # systems whose names differ in capital letters only


@dataclass(frozen=True)
class Better:
    """A metric that nobody chose and that is worth clearly more than the one in use."""

    name: str
    worth: float
    used: float
    everywhere: bool  # whether it rated outputs that people did not


def sentences(facts: Facts, borrow: str | None = "auto") -> tuple[str, ...]:
    """Say which columns were used, how, and what was left out.

    How systems are compared is said of a comparison that may `borrow` so much; without one, nothing.
    """
    read = *ranked(facts, left_out=False), *_metrics(facts), *_numbers(facts), *_limits(facts)
    return *read, *_compared(facts, borrow), *_nameless(facts)


def ranked(facts: Facts, *, left_out: bool = True) -> tuple[str, ...]:
    """Say the same where metrics are ranked, not used."""
    read = _read(facts), *facts.beside, *kept(facts.kept), *_alike(facts)
    return (*read, *_left_out(facts)) if left_out else read


def alike(names: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return the names that differ in capital letters only, together."""
    found: dict[str, list[str]] = {}
    for name in sorted(names):
        found.setdefault(name.casefold(), []).append(name)
    return tuple(tuple(same) for same in found.values() if len(same) > 1)


def _alike(facts: Facts) -> Iterator[str]:
    if facts.alike:
        shown = "; ".join(" and ".join(map(repr, same)) for same in facts.alike[:_MOST_ALIKE])
        more = f"; and {len(facts.alike) - _MOST_ALIKE} more such" if len(facts.alike) > _MOST_ALIKE else ""
        yield f"Taken as different systems, though only capital letters differ: {shown}{more}."


def _read(facts: Facts) -> str:
    roles = facts.chosen.roles
    voted = len(roles.human) > 1 or roles.annotator is not None or facts.rules.human_cut is not None
    how = f" ({_VOTES[facts.rules.votes].format(cut=facts.rules.human_cut)})" if voted else ""
    how = " (a scale: the mean rating is wanted)" if facts.chosen.scale else how
    columns = [] if facts.unnamed else [f"system = {ticked(roles.system)}"]
    columns += [f"item = {ticked(roles.item)}" if roles.item else "no item column"]
    columns += [f"human = {_listed(roles.human)}{how}"]
    columns += [f"annotator = {ticked(roles.annotator)}"] if roles.annotator else []
    columns += [f"sampling = {_sampling(facts)}"] if facts.drawn else []
    systems = "1 system" if facts.systems == 1 else f"{facts.systems} systems"
    return f"Read {facts.name}: {facts.rows:,} output{'s' * (facts.rows != 1)} of {systems}; {', '.join(columns)}."


def _sampling(facts: Facts) -> str:
    """Say how the human-rated outputs were drawn: as the table says, or else as the user does."""
    said, used = f"{ticked(COLUMN)} ({told(facts.drawn)})", facts.rules.sampling
    return said if {way.sampling for way in facts.drawn} == {used} else f"{used}, as asked, and not {said}"


def _metrics(facts: Facts) -> Iterator[str]:
    metrics = facts.chosen.roles.metrics
    for metric in metrics:
        yield f"Metric {ticked(metric)}: {_KINDS[facts.chosen.kinds[metric]].format(cut=facts.rules.cut)}."
        if facts.chosen.kinds[metric] == "labels" and (unused := _asked_of_scores(facts.rules)):
            have = "has" if len(unused) == 1 else "have"
            yield Said(f"{ticked(metric)} is 0 or 1 already, so ", _options(unused), f" {have} no effect.")
    if len(metrics) > 1:
        how = "by the joint pattern of their verdicts"
        if facts.rules.fuse == "sequential":
            how = "one after the other, as if they erred independently"
        yield f"The {len(metrics)} metrics are used together, {how}."
    elif facts.rules.fuse == "sequential":
        yield Said(f"{'One metric' if metrics else 'No metric'} is used, so ", Option("fuse"), " has no effect.")


def judged(facts: Facts) -> str:
    """Say which judges rated two systems."""
    return "; ".join(f"{judge!r} for {name}" for name, judge in facts.judges.items())


def _asked_of_scores(rules: Rules) -> list[Option]:
    """Return the options by which scores are cut or divided, as far as they are not the usual ones."""
    usual = ThresholdRule()
    asked = {
        "threshold" if name == "rule" else name: getattr(rules.cut, name) != value
        for name, value in asdict(usual).items()
    }
    return [Option(name) for name, other in (asked | {"levels": rules.levels is not None}).items() if other]


def _options(options: Sequence[Option]) -> Said:
    """List options."""
    signs = ["", *[", "] * (len(options) - 2), *[" and "] * (len(options) > 1)]
    return Said(*(part for both in zip(signs, options, strict=True) for part in both))


def _numbers(facts: Facts) -> Iterator[str]:
    alone = f", {facts.alone:,} by the metric alone" if facts.chosen.roles.metrics else ""
    yield f"{facts.rated:,} {'output is' if facts.rated == 1 else 'outputs are'} rated by people{alone}."
    yield from _left_out(facts)
    if n := facts.left_out.get("uncalibrated"):
        lack = (
            "human-rated output lacks the metric: it counts"
            if n == 1
            else "human-rated outputs lack the metric: they count"
        )
        yield f"{n:,} {lack} for the rate only."
    if facts.clusters is not None:
        yield _clustered(facts.clusters)
    if facts.chosen.roles.singly:
        item = ticked(str(facts.chosen.roles.item))
        yield Said(f"Each system has one output for each {item}, so ", Option("cluster"), " has no effect.")


def _clustered(clusters: Clusters) -> str:
    low, high = (f"{end:.2g}" for end in (min(clusters.effects.values()), max(clusters.effects.values())))
    by = low if low == high else f"{low} to {high}, by system"
    values = "1 value" if clusters.number == 1 else f"{clusters.number:,} values"
    which = f"Outputs with the same {ticked(clusters.column)} ({values} among those rated by people)"
    return f"{which} go together: their counts are divided by a design effect of {by}."


def _left_out(facts: Facts) -> Iterator[str]:
    for bad in facts.excluded:
        yield f"Excluded from {ticked(bad.column)}, as not rated: {bad}."
    for code, what in _LEFT_OUT.items():
        if n := facts.left_out.get(code):
            counted = what.replace("lines", "line").replace("outputs", "output") if n == 1 else what
            yield f"Left out: {n:,} {counted}."


def _limits(facts: Facts) -> Iterator[str]:
    roles, unusable = facts.chosen.roles, facts.chosen.unusable
    if not roles.metrics:
        neither = f" ({_listed(unusable)}: neither labels nor numbers)" if unusable else ""
        why = "No metric is used, as asked" if roles.people_only else f"No metric column was found{neither}"
        yield f"{why}: the result rests on the human ratings alone."
    if roles.others:
        yield Said(f"Might be metrics too, not used: {_listed(roles.others)}. Choose with ", Option("metric"), ".")
    if better := facts.better:
        elsewhere = "" if better.everywhere else ", if it rated the outputs that people did not"
        used = f"{ticked(roles.metrics[0])} is worth {better.used:.0%} here"
        yield f"{ticked(better.name)} would be worth {better.worth:.0%}{elsewhere}; {used}: see tellapart metrics."


def _compared(facts: Facts, borrow: str | None) -> Iterator[str]:
    pairs = facts.systems * (facts.systems - 1) // 2
    if borrow in {None, "shared"}:
        return
    if facts.judges:
        yield f"The judge is not the same ({judged(facts)}): how it errs for one tells nothing of the other."
    if facts.paired and borrow != "none":
        which = f"{facts.paired:,} of {pairs:,} pairs of systems {'is' if facts.paired == 1 else 'are'}"
        which = which if facts.paired < pairs else "All pairs of systems are" if pairs > 1 else "The systems are"
        yield f"{which} compared item by item: people rated the same items for both."
    elif pairs:
        why = "" if borrow == "none" else _why_apart(facts)
        yield f"The systems are not compared item by item{why}."


def _nameless(facts: Facts) -> Iterator[str]:
    roles = facts.chosen.roles
    if not roles.item and roles.cluster and find([roles.cluster], "item"):
        why = f"{ticked(roles.cluster)} tells which outputs go together, and no other column names items"
        yield f"{why}: repeated rows go unnoticed."
    elif not roles.item:
        yield "Without an item column, repeated rows go unnoticed."


def _why_apart(facts: Facts) -> str:
    """Say why no pair is compared item by item, unless that was asked for or cannot be."""
    rules = facts.rules
    if not rules.paired or not facts.chosen.roles.item:
        return ""
    if one_after_the_other(facts.chosen, rules):
        return ": metrics that are used one after the other are not counted item by item"
    if rules.sampling != "random":
        return ": items that were not chosen at random are not counted one by one"
    if facts.systems > MOST_SYSTEMS:
        return f": at most {MOST_SYSTEMS} are compared item by item"
    return f": people rated too few of the same items for any two (at least {LEAST}, and {SAME:.0%} of those of either)"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(ticked, names))
