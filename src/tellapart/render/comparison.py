"""Sheets and paragraphs of comparisons, estimates and cuts."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from tellapart.analysis.needed import chance
from tellapart.analysis.verdicts import MARK, marked
from tellapart.render.sheet import NOTHING, Paragraph, Sheet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tellapart.analysis.comparison import Comparison
    from tellapart.analysis.estimation import Estimate, Share
    from tellapart.analysis.needed import Needed, Range
    from tellapart.analysis.several import Estimates
    from tellapart.analysis.threshold import Thresholds
    from tellapart.analysis.verdicts import Marginal, Step, Treatment
    from tellapart.core.ladder import Rung
    from tellapart.core.mixture import Middle

_MOST_NEEDED = 3
_FEW_PAIRS = 3  # of which all are shown
_NAMED = 12  # systems; the groups of more are written by ranks
_MOST_GROUPS = 10
_RUNGS = 3  # so many are worth a table by default


def parts(result: Comparison, *, everything: bool) -> list[Sheet | Paragraph]:
    """Return groups, rates and neighbours, what would settle the rest, and what borrowing buys.

    With `everything` also how the metric errs, all pairs, all needs, and how alike the metric treats the systems.
    """
    found: list[Sheet | Paragraph] = []
    if len(result.ranking) > 2:  # noqa: PLR2004 - with two, the pair says it
        found.append(Paragraph(_groups(result), _LEAD, "groups"))
    found += [systems(result), *_aside(result)]
    if result.pairs and (everything or (len(result.pairs) > 1 and not result.many)):
        few = len(result.pairs) <= _FEW_PAIRS
        found.append(pairs(result, everything=few or (everything and not result.many)))
    if everything:
        found += [*quality(result), *_levels(result)]
        for cut in result.thresholds:
            found += [*thresholds(cut), Paragraph(str(cut), about="metric")]
    needs = cheapest(result)
    shown = needs if everything else needs[:_MOST_NEEDED]
    found += [Paragraph(str(need), "Next:" if need.human else "Why not?", "needed") for need in shown]
    return [*found, *(ladder(result, everything=everything) if everything or len(result.ladder) >= _RUNGS else ())]


def cheapest(result: Comparison) -> list[Needed]:
    """Return what the pairs that cannot be told apart would need, cheapest first."""
    return sorted(result.needed, key=lambda need: (need.human and need.human.likely) or math.inf)


def needs(shown: Sequence[Needed]) -> Sheet:
    """Show what several pairs would need, where that is known."""
    rows = []
    for need in shown:
        gap, low, high = (f"{100 * end:+z.1f}" for end in (need.difference, *need.quartiles))
        resolved = NOTHING if need.resolved is None else f"{100 * need.resolved:.1f}"
        numbers = [cell for kind in (need.human, need.metric) for cell in _needed(kind)]
        left = NOTHING if need.left is None else f"{need.left:,}"
        told = (f"{gap} ({low} to {high})", chance(need.probability), resolved)
        rows.append((f"{need.first} − {need.second}", *told, *numbers, left))
    title = (
        "Points between the two, as likely as not in the range; points that the present ratings resolve; further "
        "ratings per system, by people or by the metric alone, with which such a difference is found four times in "
        "five; outputs left to rate"
    )
    columns = ("pair", "points", "P(first)", "resolved", "human", "from – to", "metric alone", "from – to", "left")
    empty = {k for k in (3, 6, 7, 8) if all(row[k] == NOTHING for row in rows)}
    kept = [tuple(cell for k, cell in enumerate(row) if k not in empty) for row in (columns, *rows)]
    return Sheet(title, kept[0], tuple(kept[1:]), about="needed")


def _needed(found: Range | None) -> tuple[str, str]:
    """Write a number of ratings and its range; nothing where none would do."""
    likely, low, high = (None, None, None) if found is None else (found.likely, found.low, found.high)
    if low is None:
        return NOTHING, NOTHING
    return NOTHING if likely is None else f"{likely:,}", f"{low:,} – {'∞' if high is None else f'{high:,}'}"


_LEAD = "Groups within which no two systems can be told apart, best first:"


def _aside(result: Comparison | Estimates) -> list[Paragraph]:
    """Explain the mark of systems that are set aside, where there are any."""
    why = f"{MARK.strip()} set aside: this rate cannot be relied on, see the cautions."
    return [Paragraph(why, about="systems")] if result.doubtful else []


def _top(result: Comparison) -> tuple[tuple[int, int], ...]:
    """Return the cell of the highest rate that can be relied on."""
    return tuple((i, 1) for i, name in enumerate(result.ranking) if name not in result.doubtful)[:1]


def _levels(result: Comparison) -> list[Paragraph]:
    if result.level_gain is None:
        return []
    by = f"{abs(result.level_gain):.0%}"
    gain = f"{'narrow' if result.level_gain >= 0 else 'widen'} the intervals by {by}"
    gain = "hardly change the intervals" if by == "0%" else gain
    return [Paragraph(f"The judge's levels {gain} compared with its best cut into pass and fail.", about="metric")]


def each(result: Estimates) -> list[Sheet | Paragraph]:
    """Show systems, each by itself, those marked that are set aside."""
    return [estimates({marked(name, result.doubtful): e for name, e in result.systems.items()}), *_aside(result)]


def estimates(systems: Mapping[str, Estimate]) -> Sheet:
    """Show the rates of systems, each by itself, the human-only rates beside them."""
    first = next(iter(systems.values()))
    level, rate = f"{100 * first.confidence_level:g}% interval", "rate" if first.is_rate else "mean"
    columns = ("system", rate, level, "sd", "mode", "human only", "interval")
    rows = []
    for name, e in systems.items():
        alone = _alone(e)
        human = (NOTHING, NOTHING) if alone is None else (f"{alone.mean:.3f}", _interval(alone))
        mode = f"{e.mode:.3f}" if e.mode is not None else NOTHING
        rows.append((name, f"{e.mean:.3f}", _interval(e), f"{e.sd:.4f}", mode, *human))
    title = "Rate of adequate outputs" if first.is_rate else "Mean rating"
    return Sheet(title, columns, tuple(rows), about="systems", spare=(6, 5, 4))


def _alone(e: Estimate) -> Estimate | None:
    """Return what the human ratings alone say, if there are any."""
    return e.human_only if e.human_only.evidence.n_human else None


def _calibrated(e: Estimate) -> str | None:
    """Return the number of outputs with both ratings; nothing where there is no metric."""
    if not e.evidence.levels:
        return None
    return NOTHING if e.evidence.rates else f"{e.evidence.n_calibration:,}"


def _interval(e: Estimate | Marginal | Share) -> str:
    return f"{e.interval.low:.3f} – {e.interval.high:.3f}"


def systems(result: Comparison) -> Sheet:
    """Show the ranking: rates, ranks, the human-only rates beside them and what the metric added."""
    interval = f"{100 * result.confidence_level:g}% interval"
    rates = all(e.is_rate for e in result.estimates.values())
    rows: list[tuple[str, ...]] = []
    for place in result.standings:
        e, low, high = result.estimates[place.system], place.best_rank, place.worst_rank
        alone, saved = _alone(e), e.human_ratings_saved
        human = NOTHING if alone is None else f"{alone.mean:.3f}"
        best = NOTHING if place.probability_best is None else chance(place.probability_best)
        ranks = NOTHING if low is None else str(low) if low == high else f"{low} – {high}"
        spared = NOTHING if saved is None else f"{max(saved, 0):.0f}"
        own = result.marginal(place.system)
        rows.append(
            (marked(place.system, result.doubtful), f"{own.mean:.3f}", _interval(own), best, ranks, human, spared)
        )
    what = "Rates of adequate outputs" if rates else "Mean ratings"
    extra = "; extra: human ratings that the metric adds"
    columns: tuple[str, ...] = (
        "system",
        "rate" if rates else "mean",
        interval,
        "P(best)",
        "ranks",
        "human only",
        "extra",
    )
    top, spare, last = _top(result), (5, 6), 6
    if len(rows) == 1:  # alone, it is neither the best nor at any rank
        columns, rows = _unranked(columns), [*map(_unranked, rows)]
        spare, last = (3, 4), 4
    if not any(e.evidence.levels for e in result.estimates.values()):  # people say it all
        return Sheet(f"{what}, best first", columns[:-2], tuple(row[:-2] for row in rows), about="systems", best=top)
    return Sheet(f"{what}{extra}", columns, tuple(rows), (0,), "systems", spare, (last, extra), top)


def _unranked(row: tuple[str, ...]) -> tuple[str, ...]:
    return (*row[:3], *row[5:])


def quality(result: Comparison) -> list[Sheet]:
    """Show how the metric errs for each system, where there is one."""
    interval = f"{100 * result.confidence_level:g}% interval"
    rows = []
    for name in result.ranking:
        e = result.estimates[name]
        q, both = e.quality, _calibrated(e)
        if both is None:
            continue
        shown = (NOTHING,) * 5
        if q is not None:
            shown = (f"{q.tpr.mean:.3f}", _interval(q.tpr), f"{q.tnr.mean:.3f}", _interval(q.tnr), f"{q.worth:.0%}")
        rows.append((name, *shown, both))
    title = "The metric: how it errs, its worth, and outputs with both ratings"
    columns = ("system", "tpr", interval, "tnr", interval, "worth", "both")
    known = any(e.quality is not None for e in result.estimates.values())
    return [Sheet(title, columns, tuple(rows), about="metric", spare=(2, 4))] if known else []


def pairs(result: Comparison, *, everything: bool = True) -> Sheet:
    """Show every pair, or neighbours in rank, with the verdict; and what it would be for the pair by itself."""
    near, rows = set(pairwise(result.ranking)), []
    for pair in result.pairs:
        if not everything and (pair.first, pair.second) not in near:
            continue
        better = pair.better or ("only by itself" if pair.distinguishable_alone else "cannot tell")
        better = pair.verdict if pair.set_aside else better
        gap = f"{pair.difference:+z.3f}  {pair.interval.low:+.3f} – {pair.interval.high:+.3f}"
        names = (marked(name, result.doubtful) for name in (pair.first, pair.second))
        rows.append((" − ".join(names), gap, chance(pair.probability), better))
    held = _CORRECTED[result.rule()] if len(result.pairs) > 1 else ""
    what = "Differences, first − second" if everything else "Neighbours in rank, first − second"
    columns = ("pair", f"difference, {100 * result.confidence_level:g}% interval", "P(first)", "better")
    return Sheet(f"{what}; {_USED[result.borrow]}{held}", columns, tuple(rows), (0, 3), "pairs")


_CORRECTED = {
    "holm": "; verdicts corrected for all pairs (Holm)",
    "none": "; verdicts pair by pair",
}
# What a rung takes the systems to have in common: in a few words, and what is assumed by it.
_USED: Mapping[Rung, str] = {
    "none": "each system by itself",
    "items": "item by item",
    "rates": "metric errors similar",
    "link": "people's rates follow the judge's averages",
    "shared": "metric errors exactly alike",
}
_ASSUMES: Mapping[Rung, str] = {
    "none": "nothing, as in the paper",
    "items": "nothing more: same items",
    "rates": "judge errs about alike",
    "link": "rates lie near one line",
    "shared": "judge errs exactly alike",
}


def ladder(result: Comparison, *, everything: bool = True) -> list[Sheet | Paragraph]:
    """Show what every rung would tell, and on which one the verdicts stand; nothing if there is one only.

    With `everything` also how alike the metric treats the systems.
    """
    if len(result.ladder) < 2:  # noqa: PLR2004 - a step up
        return []
    rows = []
    for step in result.ladder:
        pair, mark = step.leading, " ◀" if step.used else ""
        gap, low, high = pair.written
        many = (f"{step.told_apart} of {step.pairs}", f"{step.told_apart_alone}")
        told = many if step.pairs > 1 else (pair.better or "cannot tell",)
        rows.append((f"{step.rung}{mark}", *told, f"{gap} ({low} to {high})", _ASSUMES[step.rung]))
    alone = ("alone",) if result.ladder[0].pairs > 1 else ()
    columns = ("borrow", "told apart", *alone, "lead in points" if result.pairs[0].is_rate else "lead", "assumes")
    title = f"What borrowing buys, with {100 * result.confidence_level:g}% intervals; ◀ the verdicts use it"
    title += "; alone: pairs told apart if each is judged by itself" if alone else ""
    said = [_lead(result), *_rules(result.ladder)]
    said += treatment(result.treatment) if everything and result.treatment else []
    left = 0, 1, len(columns) - 1
    return [Sheet(title, columns, tuple(rows), left, "ladder"), *(Paragraph(one, about="ladder") for one in said)]


def _lead(result: Comparison) -> str:
    step = result.ladder[0]
    best = f", the best two{' that can be relied on' if result.doubtful else ''}" if step.pairs > 1 else ""
    return f"The lead is that of {step.leading.first} over {step.leading.second}{best}."


def _rules(steps: Sequence[Step]) -> list[str]:
    """Say how the steps allow for the number of pairs, where not all do so in the same way."""
    if steps[0].pairs == 1 or {step.rule for step in steps} != {"holm", "none"}:
        return []
    link = "With link each pair is judged by itself, and systems that hardly differ are drawn together: a few verdicts"
    holm = "in a hundred may be wrong. On the other rungs Holm's procedure keeps all verdicts right in"
    level = f"{100 * steps[0].leading.confidence_level:g}% of comparisons"
    return [f"{link} {holm} {level}; it can be asked for with link, too."]


_ALIKE, _UNLIKE, _PERHAPS = 0.3, 0.5, 0.25  # standard deviations of leniency, in logits


def treatment(seen: Treatment) -> list[str]:
    """Say in words how alike the metric treats the systems."""
    found = []
    if seen.leniency_sd is not None:
        found.append(f"The judge is {_strictness(seen.leniency_sd)} ({_spread('leniency', seen.leniency_sd)}).")
    if seen.slope is not None and seen.line_sd is not None:
        middle, low, high = seen.slope
        trend = "Systems that the judge passes more often are better by people's ratings, too"
        unclear = "Whether systems that the judge passes more often are better by people's ratings is not clear"
        slope = f"slope {middle:.2f}, {low:.2f} to {high:.2f}; {_spread('scatter around the line', seen.line_sd)}"
        found.append(f"{trend if low > 0 else unclear} ({slope}).")
    return found


def _strictness(sd: Middle) -> str:
    middle, low, high = sd
    if high < _ALIKE:
        return "about equally strict with all systems"
    if low > _UNLIKE:
        return "far stricter with some systems than with others"
    return (
        "perhaps equally strict with all systems"
        if middle < _PERHAPS
        else "stricter with some systems than with others"
    )


def _spread(what: str, sd: Middle) -> str:
    return f"{what}: sd {sd[0]:.2f}, {sd[1]:.2f} to {sd[2]:.2f} logits"


def _groups(result: Comparison) -> str:
    """Write the groups within which no two systems can be told apart: {a, b} > {c}, or with a comma if they overlap."""
    if len(result.ranking) > _NAMED:
        return _ranks(result)
    above = {(pair.better, name) for pair in result.pairs for name in (pair.first, pair.second) if name != pair.better}
    said = ""
    for i, group in enumerate(result.groups):
        if i:
            before = {name for earlier in result.groups[:i] for name in earlier}
            clean = all((a, b) in above for a in before for b in group)
            said += " > " if clean else ", "
        said += "{" + ", ".join(group) + "}"
    return said


def _ranks(result: Comparison) -> str:
    """Write groups of many systems by ranks, among those that can be relied on."""
    place = {place.system: i for i, place in enumerate((one for one in result.standings if one.best_rank), 1)}
    shown = [_runs([place[name] for name in group]) for group in result.groups[:_MOST_GROUPS]]
    more = f"; and {len(result.groups) - _MOST_GROUPS} more" if len(result.groups) > _MOST_GROUPS else ""
    return f"ranks {'; '.join(shown)}{more}."


def _runs(ranks: Sequence[int]) -> str:
    """Write whole numbers, those that follow each other as a range."""
    starts = [rank for rank in ranks if rank - 1 not in ranks]
    ends = [rank for rank in ranks if rank + 1 not in ranks]
    return ", ".join(f"{low} to {high}" if low < high else f"{low}" for low, high in zip(starts, ends, strict=True))


def thresholds(result: Thresholds) -> list[Sheet | Paragraph]:
    """Show the cuts of a score, and what is odd about some."""
    rows = []
    for t in result.systems.values():
        judged = (NOTHING,) * 5
        if t.scores.decidable:
            judged = (f"{t.tpr:.3f}", f"{t.tnr:.3f}", f"{t.worth:.1%}", f"{t.naive_worth:.1%}", f"{t.auc:.3f}")
        adequate = f"{t.scores.n_adequate}/{t.scores.n_adequate + t.scores.n_inadequate}"
        rows.append((t.system, f"{t.tau:.4g}", *judged, adequate))
    columns = ("system", "cut", "tpr", "tnr", "worth", "naive worth", "AUC", "adequate")
    sheet = Sheet(f"Cuts of {result.score}: {result.cut}", columns, tuple(rows), about="metric", spare=(5, 7))
    notes: dict[str, list[str]] = {}
    for t in result.systems.values():
        notes.setdefault(t.note, []).append(t.system)
    return [sheet, *(Paragraph(f"{', '.join(of)}: {note}.", about="metric") for note, of in notes.items() if note)]
