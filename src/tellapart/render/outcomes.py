"""Sheets and paragraphs of systems that were compared pair by pair: win, tie, loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tellapart.analysis.needed import chance
from tellapart.render.sheet import Paragraph, Sheet

if TYPE_CHECKING:
    from tellapart.analysis.outcomes import Matchup, Outcomes, Position
    from tellapart.core.counts import Tally

_MOST_PAIRS = 15  # more are shown as a matrix
_MOST_ACROSS = 12  # systems that a matrix has room for
_STRENGTHS = (
    "Strengths sum up all pairs (Davidson's model: Bradley and Terry's, with ties; 0 is the average). The verdict of "
    "each pair rests on its own outcomes alone."
)


def parts(result: Outcomes, *, everything: bool) -> list[Sheet | Paragraph]:
    """Return what can be told apart, the ranking, and how the judge's outcomes go with people's."""
    found: list[Sheet | Paragraph] = []
    if everything or len(result.matchups) <= _MOST_PAIRS:
        found.append(pairs(result))
    elif len(result.ranking) <= _MOST_ACROSS:
        found.append(matrix(result))
    if len(result.ranking) > 2:  # noqa: PLR2004 - with two, the pair says it
        found += [ranking(result), Paragraph(_STRENGTHS, about="systems")]
    if result.agreement.total:
        found += [judge(result), Paragraph(_agreement(result), about="metric")]
    if result.position is not None:
        found.append(Paragraph(_position(result.position, result), about="metric"))
    return found


def pairs(result: Outcomes) -> Sheet:
    """Show every pair: shares of wins, ties and losses of the first, the net win rate and the verdict."""
    rows = [
        (
            f"{one.first} – {one.second}",
            "/".join(f"{100 * share.mean:.0f}" for share in (one.win, one.tie, one.loss)),
            f"{100 * one.difference:+z.0f} ({100 * one.interval.low:+.0f} – {100 * one.interval.high:+.0f})",
            chance(one.probability),
            _better(one),
        )
        for one in result.matchups
    ]
    held = ", corrected for all pairs (Holm)" if len(rows) > 1 and result.correction != "none" else ""
    title = f"Win/tie/loss of the first in %; net: wins − losses; better{held}"
    columns = ("pair", "w/t/l", f"net, {100 * result.confidence_level:g}%", "P(first)", "better")
    return Sheet(title, columns, tuple(rows), (0, 4), "pairs")


def _better(one: Matchup) -> str:
    if one.set_aside:
        return one.verdict
    if one.better is None:
        return "alone" if one.distinguishable_alone else "?"
    return "first" if one.better == one.first else "second"


def matrix(result: Outcomes) -> Sheet:
    """Show the net win rates of rows against columns, marked where the two can be told apart."""
    cells = {}
    for one in result.matchups:
        for pair, net in (((one.first, one.second), one.difference), ((one.second, one.first), -one.difference)):
            cells[pair] = f"{100 * net:+z.0f}{'*' if one.distinguishable else ' '}"
    names = result.ranking
    rows = [(f"{i + 1} {name}", *(cells.get((name, other), "") for other in names)) for i, name in enumerate(names)]
    title = "Net win rate of row against column, points; * told apart"
    return Sheet(title, ("system", *(str(i + 1) for i in range(len(rows)))), tuple(rows), about="pairs")


def ranking(result: Outcomes) -> Sheet:
    """Show the strengths, and how many systems each beats."""
    rows = []
    for name, strength in result.strengths.items():
        met = [one for one in result.matchups if name in (one.first, one.second)]
        beats, told = len(result.beaten[name]), sum(one.distinguishable for one in met)
        rows.append((name, f"{strength:+z.2f}", str(beats), str(told - beats), str(len(met) - told)))
    columns = ("system", "strength", "beats", "loses to", "cannot tell")
    title = f"Ranking, strongest first{', in each part that pairs link' if len(result.parts) > 1 else ''}"
    return Sheet(title, columns, tuple(rows), about="systems")


def judge(result: Outcomes) -> Sheet:
    """Show how often the judge says what, by what people say."""
    names = ("loss", "tie", "win")
    rows = [(f"people: {names[c]}", *(f"{row[k]:,}" for k in (2, 1, 0))) for c, row in enumerate(result.judged)][::-1]
    title = f"What people and {result.judge or 'the judge'} said about the stronger system of each pair"
    return Sheet(title, ("", "judge: win", "tie", "loss"), tuple(rows), about="metric")


def _agreement(result: Outcomes) -> str:
    same, decided = result.agreement, result.agreement_decided
    said = f"The judge says what people say in {same.positive:,} of {same.total:,} cases ({_share(same)})"
    if not decided.total:
        return f"{said}."
    return f"{said}; where both name a winner, in {decided.positive:,} of {decided.total:,} ({_share(decided)})."


def _position(position: Position, result: Outcomes) -> str:
    span, flips = position.first.interval(result.confidence_level, kind=result.interval_kind), position.flips
    first = (
        f"the output in the first position wins {position.first.mean:.0%} (between {span.low:.0%} and {span.high:.0%})"
    )
    turned = f"the verdict changes with the order in {flips.positive:,} of {flips.total:,} cases ({_share(flips)})"
    return f"Judged in both orders: {first}, counting ties as half; {turned}."


def _share(tally: Tally) -> str:
    return f"{tally.positive / tally.total:.0%}"
