"""One reading of a table of ratings: columns chosen, groups counted, scores cut, evidence built."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tellapart.data import cells, judges, noticed
from tellapart.data.build import Tables
from tellapart.data.clusters import thinned
from tellapart.data.counting import Outputs
from tellapart.data.cutting import Cutting, check_rule
from tellapart.data.groups import Grouping, NotLabels, added, systems, truths, unlabelled
from tellapart.data.items import by_items, packable, packed_items
from tellapart.data.words import Facts, alike

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tellapart.analysis.threshold import Thresholds
    from tellapart.core.evidence import Evidence
    from tellapart.data.cells import Kind
    from tellapart.data.choose import Chosen, Rules
    from tellapart.data.frames import Frame

    Reading = tuple[
        Mapping[str, Evidence], Facts, noticed.Cautions, tuple[Thresholds, ...], Mapping[tuple[str, str], Evidence]
    ]


def read(frame: Frame, chosen: Chosen, rules: Rules) -> Reading:
    """Count, and count again where a column that looked like labels turns out to hold scores."""
    frame = frame.named(*chosen.roles.names)
    try:
        return _read(frame, chosen, rules)
    except NotLabels as found:
        return read(frame, chosen.as_scores(*found.args).settled(rules, cut=False), rules)


def _read(frame: Frame, chosen: Chosen, rules: Rules) -> Reading:
    check_rule(chosen.scores, rules.cut)
    frame, excluded = _without_bad(frame, chosen, rules)
    roles, grouping = chosen.roles, Grouping(frame, chosen, rules)
    outputs = Outputs.of(frame, roles, numeric=chosen.scale or rules.human_cut is not None)
    uncut, only_rated = outputs, True if chosen.scores or chosen.bins else None  # the others once the cuts are known
    packed = packable(chosen, rules)
    queries = [outputs.groups(only_rated=only_rated), *([] if packed else outputs.by_item())]
    rows, *others = frame.collect(queries, whole=roles.annotator is not None)
    totals = added(rows) if packed else others.pop(0)
    names = systems(frame, chosen, totals)
    groups = grouping.groups(rows, names)
    counted = packed_items(outputs, grouping, names, totals) if packed else None
    if packed and counted is None:
        totals, *others = frame.collect(outputs.by_item())
        systems(frame, chosen, totals)  # checks the items
    rated, rest = [g for g in groups if g.truth is not None], [g for g in groups if g.truth is None]
    cutting = Cutting.of(chosen, rules, rated, names.values(), where=frame.name)
    if only_rated:
        outputs = outputs.cut(cutting.taus(names))
        rest = grouping.groups(frame.collect([outputs.groups(only_rated=False)])[0], names)
    human, calibration, metric = truths(rated), cutting.calibration(rated), cutting.metric(rest)
    tables = Tables.of(chosen, rules, human, calibration, metric)
    unrated = unlabelled(rest)
    evidence = {
        name: replace(
            tables.evidence(human[name], calibration[name], metric[name], f"{frame.name}, system {name!r}"),
            unrated=unrated[name] - metric[name].total(),
        )
        for name in sorted(set(names.values()))
    }
    campaign = [(names[system], k, n) for row in others for system, k, n in row if system in names]
    campaign = campaign if counted is None else counted.campaign(sorted(evidence))
    items: Mapping[tuple[str, str], Evidence] = by_items(uncut, grouping, names, campaign, counted, cutting)
    found = noticed.joined(
        noticed.missing(evidence, campaign, names, (outputs, grouping, cutting)),
        noticed.undecided(evidence, grouping.undecided, cutting),
        noticed.different(outputs, [row for row in totals if row[0] in names]),
    )
    people, calibrated, alone = (sum(c.total() for c in each.values()) for each in (human, calibration, metric))
    left_out = {
        "blank": grouping.blank,
        "undecided": sum(g.n for g in grouping.undecided),
        "unrated": unrated.total() - alone,
        "uncalibrated": people - calibrated if roles.metrics else 0,
    }
    rows_read = sum(row[1] for row in totals if row[0] in names)
    facts = Facts(frame.name, rows_read, len(evidence), chosen, rules, people, alone, left_out, excluded, len(items))
    facts = replace(facts, unnamed=frame.unnamed, alike=alike(evidence), judges=judges.different(frame, roles))
    if roles.cluster is not None:
        clusters, evidence, items = thinned(outputs, grouping, names, evidence, items)
        facts = replace(facts, clusters=clusters)
    return evidence, facts, found, tuple(cutting.cuts.values()), items


def _without_bad(frame: Frame, chosen: Chosen, rules: Rules) -> tuple[Frame, tuple[cells.Bad, ...]]:
    """Return the table with its scores as numbers; bad cells are an error, or become empty and are counted."""
    excluded: tuple[cells.Bad, ...] = ()
    numeric = chosen.scale or rules.human_cut is not None
    if rules.bad_cells == "exclude":
        human: Kind = "ratings" if numeric else "labels"
        frame, excluded = cells.exclude(frame, {**dict.fromkeys(chosen.roles.human, human), **chosen.kinds})
    else:
        frame = cells.check_numbers(frame, chosen.numbers)
        frame = cells.settle_commas(frame, chosen.roles.human if numeric else ())
    return frame.numbers(chosen.numbers, rules.cut.sign), excluded
