"""The one grid: what is asked, of which cells, and what should come out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validity import broken, cautions, judges, one, promises, sampled, studies
from validity.cell import Band, Cell, Group
from validity.words import TEXTS

if TYPE_CHECKING:
    from collections.abc import Mapping

HELD, ON_AVERAGE = (0.92, 0.975), {"covered": (0.94, 0.98)}
EXACT: Mapping[str, Band] = {"covered": (0.95, 0.95), "half": (0.5, 0.5)}
INTERVALS: Mapping[str, Band] = {"covered": HELD}
WARNED: Mapping[str, Band] = {"hit": (0.8, 1.0), "alarm": (0.0, 0.05)}
DECIDED: Mapping[str, Band] = {"wrong": (0.0, 0.05), "found": (0.8, 1.0)}
VERDICTS: Mapping[str, Band] = {"covered": HELD, "rates covered": HELD, "wrong": (0.0, 0.05), "some wrong": (0.0, 0.05)}


def group(
    name: str,
    cells: list[Cell],
    goals: Mapping[str, Band],
    size: tuple[int, int],
    average: Mapping[str, Band] = ON_AVERAGE,
) -> Group:
    """Return a group with its words; its size is the number of evaluations of each cell, in full and for the tests."""
    own = {outcome: goal for outcome, goal in average.items() if outcome in goals}
    return Group(name, *TEXTS[name], tuple(cells), goals, own, *size)


GROUPS = (
    group("prior", one.from_the_prior(), EXACT, (10_000, 150), EXACT),
    group("people", one.people_alone(), INTERVALS, (20_000, 400)),
    group("one", one.one_system(), INTERVALS, (2000, 10)),
    group("levels", judges.with_levels(), INTERVALS, (2000, 60)),
    group("paired", studies.same_items(), VERDICTS, (2000, 20)),
    group("outcomes", studies.win_tie_loss(), VERDICTS, (2000, 20)),
    group("thresholds", judges.thresholds(), INTERVALS, (2000, 20)),
    group("judges", judges.together(), INTERVALS, (2000, 60)),
    group("clusters", sampled.clustered(), INTERVALS | {"difference covered": HELD}, (1000, 20)),
    group("balanced", sampled.balanced(), INTERVALS, (4000, 100)),
    group("verdict", sampled.by_verdict(), INTERVALS, (4000, 100)),
    group("scale", sampled.scales(), INTERVALS, (2000, 30)),
    group("slices", sampled.in_slices(), INTERVALS, (1000, 10)),
    group("metrics", judges.ranking(), {"covered": (0.92, 1.0)}, (2000, 30)),
    group("verdicts", studies.false_verdicts(), VERDICTS, (1000, 10)),
    group("plans", promises.plans(), {}, (2000, 40)),
    group("needed", promises.needs(), {"found": (0.75, 1.0)}, (4000, 100)),
    group("gates", promises.gates(), DECIDED, (600, 10), {"wrong": (0.0, 0.05)}),
    group("cautions", cautions.cautions(), WARNED, (1000, 20), {"hit": (0.9, 1.0), "alarm": (0.0, 0.05)}),
    group("broken", broken.assumptions(), {}, (1000, 0)),
    group(
        "rates",
        studies.similar_rates(),
        VERDICTS | {"wrong": (0.0, 0.08)},
        (600, 5),
        ON_AVERAGE | {"wrong": (0.0, 0.05)},
    ),
    group("link", studies.on_a_line(), VERDICTS | {"some wrong": (0.0, 0.1), "alarm": (0.0, 0.05)}, (300, 3)),
)
assert len({(c.group, c.name) for g in GROUPS for c in g.cells}) == sum(len(g.cells) for g in GROUPS)
