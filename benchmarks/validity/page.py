"""The page of the documentation, from what was simulated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import altair as alt

from validity.cell import REFUSED
from validity.one import worst
from validity.short import CHANCE, in_short, missed
from validity.words import HEAD, OWN_TITLES, READ, TITLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from validity.cell import Band, Cell, Group, Sums
    from validity.results import Results

PAGE, FIGURE = Path("docs/validity.md"), Path("docs/figures/validity.svg")
MANY = 20  # cells that a section shows at once
NUMBERS = {"width", "width unpaired", "more"}  # outcomes that are no shares
TOGETHER, ALONE = "some wrong", "some wrong, pair by pair"
BLUE = "#2a6f97"


def _shown(sums: Sums, outcome: str, goal: Band | None) -> str:
    if outcome not in sums:
        return ""
    mean, error = sums.mean(outcome), sums.error(outcome)
    if outcome in NUMBERS:
        return f"{mean:,.0f}" if mean > 2 else f"{mean:.3f}"
    said = f"{100 * mean:.1f} ± {100 * error:.1f}"
    off = missed(sums, outcome, goal)
    if off > CHANCE:
        return f"**{said}**"
    return f"{said} °" if off and goal and goal[0] < goal[1] else said


def _title(group: Group, outcome: str) -> str:
    """Return what a column is called."""
    return OWN_TITLES.get(group.name, {}).get(outcome, TITLES.get(outcome, outcome))


def _row(values: Sequence[str]) -> str:
    return f"| {' | '.join(values)} |"


def _head(values: Sequence[str]) -> list[str]:
    return [_row(values), _row(["---"] * len(values))]


def _table(group: Group, cells: Sequence[Cell], results: Results) -> list[str]:
    """Return one row for each cell, with all that came of it."""
    outcomes = list(dict.fromkeys(name for cell in cells for name in results.of(cell) if name != REFUSED))
    outcomes.sort(key=lambda name: list(TITLES).index(name) if name in TITLES else len(TITLES))
    if all(results.of(c).get(ALONE) == results.of(c).get(TOGETHER) for c in cells):  # each pair is judged by itself
        outcomes = [name for name in outcomes if name != ALONE]
    rows = _head(["", "evaluations", *(_title(group, name) for name in outcomes)])
    for cell in cells:
        sums, done = results.of(cell), f"{len(results.done[cell.group, cell.name]):,}"
        if REFUSED in sums:  # by the program, as ratings that are all the same cannot answer
            done += f" ({sums.n(REFUSED)} refused)"
        rows.append(_row([cell.name, done, *(_shown(sums, o, group.goal(cell, o)) for o in outcomes)]))
    return rows


def _by_rate(group: Group, cells: Sequence[Cell], results: Results) -> list[str]:
    """Return a row for each set-up and a column for each rate: how often the interval holds the truth."""
    rates = sorted({cell.given["rate"] for cell in cells})
    rows: dict[str, dict[float, str]] = {}
    for cell in cells:
        shown = _shown(results.of(cell), "covered", group.goal(cell, "covered"))
        rows.setdefault(cell.name.partition(", rate")[0], {})[cell.given["rate"]] = shown
    body = [_row([name, *(own.get(rate, "") for rate in rates)]) for name, own in rows.items()]
    return [*_head(["interval holds the truth, at a rate of", *map(str, rates)]), *body]


def _ranges(group: Group, cells: Sequence[Cell], results: Results) -> list[str]:
    """Return a row for each kind of share that has a goal: the goal, and where the cells lie."""
    rows = _head(["", "goal", "cells", "lowest", "mean", "highest"])
    shares: dict[tuple[str, Band], list[float]] = {}
    for cell, outcome in ((cell, outcome) for outcome in TITLES for cell in cells):
        goal, sums = group.goal(cell, outcome), results.of(cell)
        if outcome in sums and goal and goal != (0.0, 1.0):
            shares.setdefault((outcome, goal), []).append(sums.mean(outcome))
    for (outcome, goal), found in shares.items():
        spread = (f"{100 * share:.1f}" for share in (min(found), sum(found) / len(found), max(found)))
        rows.append(_row([_title(group, outcome), _goal(goal), str(len(found)), *spread]))
    return rows


def _goal(band: Band) -> str:
    low, high = (f"{100 * end:g}" for end in band)
    return f"at most {high}" if band[0] <= 0 else f"at least {low}" if band[1] >= 1 else f"{low} to {high}"


def _explained(group: Group, cells: Sequence[Cell], results: Results) -> Iterator[str]:
    """Yield why cells miss their goal."""
    reasons: dict[str, dict[str, list[str]]] = {}
    for cell in cells:
        sums = results.of(cell)
        off = [o for o in sums if o not in NUMBERS and missed(sums, o, group.goal(cell, o)) > CHANCE]
        for outcome in off:
            what = "" if outcome == "covered" else f" ({_title(group, outcome)})"
            named, at, rate = f"{cell.name}{what}".partition(", rate ")
            reasons.setdefault(cell.note or "Not explained yet", {}).setdefault(f"{named}{at}", []).append(rate)
    for reason, who in reasons.items():
        said = "; ".join(f"{named}{', '.join(rates)}" if rates[0] else named for named, rates in who.items())
        yield f"- {reason[0].upper()}{reason[1:]}: {said}."


def _worst() -> list[str]:
    """Return the worst case over all rates, which is known without simulation."""
    kinds = ("equal-tailed", "highest-density")
    rows = [_row([str(n), *(f"{100 * worst(n, kind):.1f}" for kind in kinds)]) for n in (20, 50, 100)]
    head = _head(["human ratings", "equal tails", "shortest (the default)"])
    return ["The least share over all rates from 0.5 to 0.995, in full and not simulated:", "", *head, *rows]


def _section(group: Group, results: Results) -> list[str]:
    cells = [cell for cell in group.cells if results.of(cell)]
    if not cells:
        return []
    table = _table(group, cells, results)
    if len(cells) > MANY:
        short = _by_rate if all("rate" in cell.given for cell in cells) else _ranges
        folded = [f'??? note "All {len(cells)} cells"', "", *(f"    {row}" for row in table)]
        table = [*short(group, cells, results), "", *folded]
    table += ["", *_worst()] if group.name == "people" else []
    why = list(_explained(group, cells, results))
    return [f"## {group.title}", "", group.text, "", *table, "", *(["Outside the goal:", "", *why, ""] if why else [])]


def _summary(groups: Sequence[Group], results: Results) -> list[str]:
    """Return a row for each group: how many of its cells are where they should be."""
    rows = _head(
        [
            "question",
            "cells",
            "evaluations of each",
            "lowest and highest coverage",
            "shares with a goal",
            "outside, beyond chance",
        ]
    )
    for group in groups:
        cells = [cell for cell in group.cells if results.of(cell)]
        if not cells:
            continue
        n = [len(results.done[cell.group, cell.name]) for cell in cells]
        size = f"{min(n):,}" if min(n) == max(n) else f"{min(n):,} to {max(n):,}"
        held = [results.of(c).mean("covered") for c in cells if "covered" in group.goals and "covered" in results.of(c)]
        span = f"{100 * min(held):.1f} to {100 * max(held):.1f}" if held else ""
        asked = [(c, o) for c in cells for o in results.of(c) if group.goal(c, o)]
        off = sum(missed(results.of(c), o, group.goal(c, o)) > CHANCE for c, o in asked)
        rows.append(_row([group.title, str(len(cells)), size, span, str(len(asked)), str(off)]))
    return rows


def _draw(groups: Sequence[Group], results: Results) -> None:
    """Draw how often the intervals of each cell hold the truth, against the band of the goal."""
    rows = [
        {"group": group.title, "covered": 100 * sums.mean("covered"), "cell": cell.name}
        for group in groups
        if "covered" in group.goals
        for cell in group.cells
        if "covered" in (sums := results.of(cell)) and not cell.goals.get("covered")
    ]
    order = list(dict.fromkeys(row["group"] for row in rows))
    scale = alt.Scale(domain=[85, 100], clamp=True)
    titled = {"title": "intervals that hold the truth, per cent", "scale": scale}
    band = alt.Chart(alt.Data(values=[{"low": 92, "high": 97.5}])).mark_rect(color=BLUE, opacity=0.12)
    aim = alt.Chart(alt.Data(values=[{"aim": 95}])).mark_rule(color="#8a8f98", strokeDash=[3, 3])
    ticks = alt.Chart(alt.Data(values=rows)).mark_tick(color=BLUE, opacity=0.6, thickness=2)
    names = alt.Y("group:N", sort=order, title=None, axis=alt.Axis(labelLimit=300))
    layers = [band.encode(x=alt.X("low:Q", **titled), x2="high:Q"), aim.encode(x=alt.X("aim:Q", **titled))]
    layers.append(ticks.encode(x=alt.X("covered:Q", **titled), y=names))
    alt.layer(*layers).properties(width=480).save(FIGURE)


def _caveat(n: Sequence[int]) -> str:
    """Say how much the fewest evaluations tell, and what it means that some cells have more."""
    error = 100 * (0.95 * 0.05 / min(n)) ** 0.5
    few = f"Some kinds have only {min(n):,}: a share of 95 % then has a standard error of {error:.1f} points, and only"
    more = "Within a section, cells that looked doubtful may have been given more evaluations than others."
    return f" {few} gross errors show. {more}"


def write(groups: Sequence[Group], results: Results) -> None:
    """Write the page and its picture."""
    _draw(groups, results)
    total = sum(map(len, results.done.values()))
    simulated = (
        f"{total:,} evaluations of {sum(map(bool, results.sums.values())):,} kinds were simulated for this page."
    )
    simulated += _caveat([len(results.done[c.group, c.name]) for g in groups for c in g.cells if results.of(c)])
    picture = (
        f"![How often the intervals of each cell hold the truth, against the band of the goal](figures/{FIGURE.name})"
    )
    parts = [HEAD, "", *in_short(groups, results), "## All questions", ""]
    parts += [simulated, "", *_summary(groups, results), "", picture, "", READ, ""]
    parts += [line for group in groups for line in _section(group, results)]
    text = "\n".join(parts).replace(" %", "%")  # names of cells keep theirs: their seeds come from them
    PAGE.write_text(f"{text.rstrip()}\n", encoding="utf-8")
