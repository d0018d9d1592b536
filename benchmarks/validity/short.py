"""What the page says first: what holds, what does not, and where, as far as numbers can say it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from validity.words import TITLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from validity.cell import Band, Cell, Group, Sums
    from validity.results import Results

CHANCE = 3.0  # standard errors: hundreds of shares are shown
INTERVALS, VERDICTS = ("covered", "difference covered", "rates covered"), ("wrong", "some wrong")
PROMISES = {"plans", "needed", "gates", "cautions"}
FLOOR = 0.92


class Share(NamedTuple):
    """An outcome of a cell that has a goal: its mean, and whether that lies below or above by more than chance."""

    cell: Cell
    mean: float
    below: bool
    above: bool


def missed(sums: Sums, outcome: str, goal: Band | None) -> float:
    """Return by how many standard errors an outcome lies outside its goal; 0 inside."""
    low, high = goal or (-1.0, 2.0)
    return max(low - sums.mean(outcome), sums.mean(outcome) - high, 0.0) / sums.error(outcome)


def in_short(groups: Sequence[Group], results: Results) -> list[str]:
    """Return the section."""
    exact = [group for group in groups if group.name == "prior"]
    decided = [group for group in groups if group.name not in PROMISES]
    kept = [group for group in groups if group.name in PROMISES]
    found = [
        *_exact(_shares(exact, results, ("covered",)), _shares(exact, results, ("covered", "half"))),
        *_intervals(groups, _shares([group for group in groups if group not in exact], results, INTERVALS)),
        *_verdicts(groups, _shares(decided, results, VERDICTS)),
        *_power(groups, _shares(decided, results, ("lost",))),
        *_promises(groups, _shares(kept, results, tuple(TITLES))),
        *_broken([results.of(c) for g in groups if g.name == "broken" for c in g.cells if results.of(c)]),
    ]
    return ["## In short", "", *(f"- {sentence}" for sentence in found), ""] if found else []


def _shares(groups: Sequence[Group], results: Results, outcomes: Sequence[str]) -> list[Share]:
    found = []
    for group, cell, outcome in ((g, c, o) for g in groups for c in g.cells for o in outcomes):
        sums, goal = results.of(cell), group.goal(cell, outcome)
        if outcome in sums and goal:
            mean, off = sums.mean(outcome), missed(sums, outcome, goal) > CHANCE
            found.append(Share(cell, mean, off and mean < goal[0], off and mean > goal[1]))
    return found


def _percent(*values: float) -> str:
    return f"{100 * sum(values) / len(values):.1f} %"


def _where(groups: Sequence[Group], shares: Sequence[Share]) -> str:
    """Say in which sections shares lie, and how many."""
    counts = [(group.title, sum(share.cell.group == group.name for share in shares)) for group in groups]
    return ", ".join(f"{n} under *{title}*" for title, n in counts if n)


def _all_but(shares: Sequence[Share]) -> str:
    """Say how many shares are where they should be."""
    off = sum(share.below or share.above for share in shares)
    return f"{len(shares) - off} of {len(shares)}" if off else f"all {len(shares)}"


def _extreme(share: Share, which: str) -> str:
    return f"the {which} is {_percent(share.mean)} ({share.cell.name})"


def _exact(covered: Sequence[Share], shares: Sequence[Share]) -> Iterator[str]:
    if covered:
        held = f"95 % intervals hold the truth in {_percent(*(share.mean for share in covered))} of evaluations"
        said = f"{_all_but(shares)} shares of that section agree with theory, within chance"
        yield f"**Rates drawn from the prior.** Here {held}; {said}."


def _intervals(groups: Sequence[Group], shares: Sequence[Share]) -> Iterator[str]:
    if not shares:
        return
    low, high = [share for share in shares if share.below], [share for share in shares if share.above]
    held = f"intervals hold the truth in {_percent(*(share.mean for share in shares))} of evaluations on average"
    yield f"**Fixed rates.** Here {held}; {_all_but(shares)} shares are within their goals or within chance of them."
    if high:
        yield f"**Wider than necessary.** {len(high)} of these shares lie above the goal: {_where(groups, high)}."
    if low:
        least = _extreme(min(low, key=lambda share: share.mean), "lowest")
        yield f"**Too narrow.** {len(low)} lie below it: {_where(groups, low)}; {least}."


def _verdicts(groups: Sequence[Group], shares: Sequence[Share]) -> Iterator[str]:
    if shares:
        off = [share for share in shares if share.above]
        said = f"{_all_but(shares).capitalize()} shares of wrong verdicts are within their goals, or within chance."
        if off:
            said += f" Too large: {_where(groups, off)}; {_extreme(max(off, key=lambda s: s.mean), 'largest')}."
        yield f"**Verdicts.** {said}"


def _power(groups: Sequence[Group], shares: Sequence[Share]) -> Iterator[str]:
    off = [share for share in shares if share.above]
    if off:
        most = max(off, key=lambda share: share.mean)
        said = f"{len(off)} of {len(shares)} comparisons with what an oracle finds lose more than their goal allows"
        yield f"**Power.** {said}: {_where(groups, off)}; the most is {100 * most.mean:.1f} points ({most.cell.name})."


def _promises(groups: Sequence[Group], shares: Sequence[Share]) -> Iterator[str]:
    if shares:
        off = [share for share in shares if share.below or share.above]
        said = f"{_all_but(shares).capitalize()} shares are as promised, within chance"
        yield f"**Plans, pilots, gates, alarms, cautions.** {said}{'; not: ' + _where(groups, off) if off else ''}."


def _broken(cells: Sequence[Sums]) -> Iterator[str]:
    held = [sums.mean("covered") for sums in cells if "covered" in sums]
    if held:
        bad = f"in fewer than {100 * FLOOR:.0f} % of evaluations in {sum(mean < FLOOR for mean in held)} of {len(held)}"
        said = f"intervals hold the truth {bad} cells, and in {_percent(min(held))} in the worst"
        yield f"**Broken assumptions.** Where the set-up is not as the program was told, {said}."
