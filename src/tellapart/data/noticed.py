"""What is noticed about the ratings themselves: labels missing not at random, undecided votes, different items."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from tellapart.analysis.diagnostics import different_items, lacking, missing_labels, undecided_votes
from tellapart.core.counts import Tally
from tellapart.data.groups import Group

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tellapart.analysis.cautions import Caution
    from tellapart.core.evidence import Evidence
    from tellapart.data.counting import Outputs
    from tellapart.data.cutting import Cutting
    from tellapart.data.frames import Row
    from tellapart.data.groups import Grouping

Cautions = dict[str, tuple["Caution", ...]]
Reading = tuple["Outputs", "Grouping", "Cutting"]
_MOST_COMPARED = 1_000_000


def missing(
    evidence: Mapping[str, Evidence], campaign: Sequence[Row], names: Mapping[Any, str], reading: Reading
) -> Cautions:
    """Look at items that are rated for most systems but not for one; `campaign` counts the rated outputs."""
    lack = lacking(evidence, _missing(campaign, set(evidence)))
    if not lack:
        return {}
    outputs, grouping, cutting = reading
    (rows,) = outputs.frame.collect(outputs.campaign(rated=False))
    common = [row for row in rows if row[0] in names and 2 * row[1] >= len(evidence)]
    groups = [Group(names[system], None, grouping.cells(cells), n) for system, _, *cells, n in common]
    return missing_labels(evidence, _judged(groups, evidence, cutting), lack)


def undecided(evidence: Mapping[str, Evidence], groups: Iterable[Group], cutting: Cutting) -> Cautions:
    """Look at outputs with undecided votes that the first metric rated."""
    passed, judged = Counter[str](), Counter[str]()
    for group in groups:
        verdict = cutting.first_verdict(group)
        if verdict is not None:
            judged[group.system] += group.n
            passed[group.system] += group.n * verdict
    return undecided_votes(evidence, {name: Tally(passed[name], n) for name, n in judged.items()})


def different(outputs: Outputs, totals: Sequence[Row]) -> Cautions:
    """Compare the items of all systems with those of each; tables with very many rows are spared."""
    if outputs.roles.item is None or len(totals) == 1 or sum(row[1] for row in totals) > _MOST_COMPARED:
        return {}
    ((items,),) = outputs.frame.collect([outputs.items()])[0]
    return different_items(int(items), [int(row[1]) for row in totals])


def joined(*found: Cautions) -> Cautions:
    """Return all cautions of each system."""
    return {name: tuple(c for each in found for c in each.get(name, ())) for each in found for name in each}


def _missing(rows: Iterable[Row], systems: set[str]) -> dict[str, int]:
    """Count, for each system, the items that are rated for most systems but not for it, from the rated outputs."""
    common = [(name, k, n) for name, k, n in rows if 2 * k >= len(systems)]
    items = round(sum(n / k for _, k, n in common))  # an item with k rated outputs is counted k times
    own = Counter[str]()
    for name, _, n in common:
        own[name] += n
    return {name: items - own[name] for name in systems}


def _judged(groups: Iterable[Group], systems: Iterable[str], cutting: Cutting) -> dict[str, tuple[Tally, int]]:
    """Count the unrated outputs of such items: those that the metric passed and rated, and all."""
    missing: dict[str, list[float]] = {name: [0, 0, 0] for name in systems}
    for group in groups:
        patterns = cutting.patterns(group)
        found = missing[group.system]
        found[0] += group.n * sum(bool(p[0]) for p in patterns) / max(len(patterns), 1)
        found[1] += group.n if patterns else 0
        found[2] += group.n
    return {name: (Tally(round(passed), int(rated)), int(n)) for name, (passed, rated, n) in missing.items()}
