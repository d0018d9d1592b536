"""Charts of rates: densities, and points with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tellapart.charts.base import library, named, rate_axis, system_colour, theme

if TYPE_CHECKING:
    from collections.abc import Mapping

    import altair as alt

    from tellapart.analysis.estimation import Estimate

ALL, HUMAN = "all ratings", "human ratings alone"
_POINTS = 300


def sources(estimate: Estimate) -> dict[str, Estimate]:
    """Return what all ratings say and, where that is something else, the human ones alone."""
    alone = estimate.evidence.levels and estimate.evidence.people_only.n_human
    return {ALL: estimate} | ({HUMAN: estimate.human_only} if alone else {})


def densities(estimates: Mapping[str, Estimate]) -> alt.LayerChart:
    """Return the posterior densities of systems, one curve each, with what the human ratings alone give, dashed."""
    altair = library()
    rows = [row for name, estimate in estimates.items() for row in _curves(name, estimate)]
    first = next(iter(estimates.values()))
    base = named(altair, "densities").encode(
        x=rate_axis(altair, "rate", first.measure, percent=first.is_rate),
        color=system_colour(altair, list(estimates)),
    )
    density = altair.Y("density:Q", title="density", axis=altair.Axis(labels=False, ticks=False, grid=False))
    dash = altair.StrokeDash("source:N", title=None, sort=[ALL, HUMAN])
    curves = base.mark_line(strokeWidth=2).encode(y=density, strokeDash=dash, order="rate:Q")
    areas = (
        base.transform_filter(f"datum.source == '{ALL}' && datum.inside")
        .mark_area(opacity=0.2)
        .encode(y=altair.Y("density:Q", stack=None))
    )
    levels = {estimate.confidence_level for estimate in estimates.values()}
    title = f"What the ratings say; shaded: {', '.join(f'{100 * level:g} %' for level in sorted(levels))} interval"
    return theme(altair.layer(areas, curves), title, {"densities": rows}, width=560, height=280)


def _curves(name: str, estimate: Estimate) -> list[dict[str, Any]]:
    rows = []
    for source, shown in sources(estimate).items():
        low, high = shown.posterior.interval(0.9999).low, shown.posterior.interval(0.9999).high
        x = np.unique(np.concatenate([np.linspace(low, high, _POINTS), [shown.interval.low, shown.interval.high]]))
        inside = (x >= shown.interval.low) & (x <= shown.interval.high)
        for rate, density, within in zip(x, shown.posterior.pdf(x), inside, strict=True):
            row = {"rate": float(rate), "density": float(density), "inside": bool(within)}
            rows.append({"system": name, "source": source, **row})
    return rows
