"""Charts of rates: densities, and points with intervals."""

from __future__ import annotations

import json
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from tellapart.analysis.verdicts import marked
from tellapart.charts.base import (
    FEW,
    INK,
    Label,
    kind_colour,
    library,
    named,
    rate_axis,
    readable,
    system_colour,
    theme,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    import altair as alt

    from tellapart.analysis.comparison import Comparison
    from tellapart.analysis.estimation import Estimate, Share
    from tellapart.analysis.verdicts import Marginal

ALL, HUMAN = "all ratings", "human ratings alone"
_POINTS = 300
_HIGH = 280  # pixels
_HEADROOM = 1.1  # above the highest curve, for its name
_ROW = 34  # pixels, of many systems below one another
_RISE = 1.4  # rows that the highest of their curves takes
KINDS = {ALL: "#3b7dd8", HUMAN: "#8a8f98"}


def sources(estimate: Estimate, joint: Marginal | None = None) -> dict[str, Estimate | Marginal]:
    """Return what all ratings say, of all systems where given, and beside it, if it differs, the human ones alone."""
    alone = estimate.evidence.levels and estimate.evidence.people_only.n_human
    return {ALL: joint or estimate} | ({HUMAN: estimate.human_only} if alone else {})


def ends_of(shown: Estimate | Marginal | Share) -> dict[str, float]:
    """Return a rate and the ends of its interval."""
    return {"rate": shown.mean, "low": shown.interval.low, "high": shown.interval.high}


def posteriors(result: Comparison) -> alt.LayerChart:
    """Return the densities of the systems' rates on the rung on which the verdicts stand."""
    names = {name: marked(name, result.doubtful) for name in result.ranking}
    estimates = {shown: result.estimates[name] for name, shown in names.items()}
    return densities(estimates, {shown: result.marginal(name) for name, shown in names.items()})


def densities(estimates: Mapping[str, Estimate], joint: Mapping[str, Marginal] | None = None) -> alt.LayerChart:
    """Return the posterior densities of systems, one curve each, with what the human ratings alone give, dashed.

    Many systems have a row each; the curves of few share one place.
    """
    shown = {name: sources(estimate, (joint or {}).get(name)) for name, estimate in estimates.items()}
    curves = {(name, source): _curve(name, source, one) for name, each in shown.items() for source, one in each.items()}
    rows = [row for curve in curves.values() for row in curve]
    levels = {estimate.confidence_level for estimate in estimates.values()}
    title = f"What the ratings say; shaded: {', '.join(f'{100 * level:g}%' for level in sorted(levels))} interval"
    first = next(iter(estimates.values()))
    return (_ridges if len(shown) > FEW else _together)(rows, list(shown), first, title)


def _together(rows: list[dict[str, Any]], systems: list[str], first: Estimate, title: str) -> alt.LayerChart:
    """Draw all curves in one place."""
    altair = library()
    joint = [row for row in rows if row["source"] == ALL]
    peaks = [max((r for r in joint if r["system"] == name), key=itemgetter("density")) for name in systems]
    direct = readable(_labels(peaks, rows), _HIGH)
    base = named(altair, "densities").encode(
        x=rate_axis(altair, "rate", first.measure, percent=first.is_rate),
        color=system_colour(altair, systems, legend=not direct),
    )
    axis = altair.Axis(labels=False, ticks=False, grid=False)
    most = altair.Scale(domainMax=_HEADROOM * max(row["density"] for row in rows))
    density = altair.Y("density:Q", title="density", axis=axis, scale=most)
    several = altair.Legend() if len(joint) < len(rows) else None
    dash = altair.StrokeDash("source:N", title=None, sort=[ALL, HUMAN], legend=several)
    lines = base.mark_line(strokeWidth=2).encode(y=density, strokeDash=dash, order="rate:Q")
    areas = (
        base.transform_filter(f"datum.source == '{ALL}' && datum.inside")
        .mark_area(opacity=0.2)
        .encode(y=altair.Y("density:Q", stack=None))
    )
    names = named(altair, "peaks").mark_text(color=INK, dy=-7).encode(x="rate:Q", y="density:Q", text="system:N")
    layers = altair.layer(areas, lines, *([names] if direct else []))
    return theme(layers, title, {"densities": rows} | ({"peaks": peaks} if direct else {}), width=560, height=_HIGH)


def _ridges(rows: list[dict[str, Any]], systems: list[str], first: Estimate, title: str) -> alt.LayerChart:
    """Draw the curves of each system in a row of its own, in the order of the systems."""
    altair = library()
    foot = {name: float(-place) for place, name in enumerate(systems)}
    most = max(row["density"] for row in rows) / _RISE
    placed = [{**row, "foot": foot[row["system"]], "top": foot[row["system"]] + row["density"] / most} for row in rows]
    names = f"{json.dumps(systems, ensure_ascii=False)}[-datum.value]"
    axis = altair.Axis(values=list(foot.values()), labelExpr=names, ticks=False, domain=False)
    scale = altair.Scale(domain=[1 - len(systems), _RISE], nice=False, zero=False)
    top = altair.Y("top:Q", title=None, axis=axis, scale=scale)
    kinds = {source: KINDS[source] for source in dict.fromkeys(row["source"] for row in rows)}
    base = named(altair, "densities").encode(
        x=rate_axis(altair, "rate", first.measure, percent=first.is_rate),
        y=top,
        color=kind_colour(altair, kinds, "source", symbolOpacity=1),
        detail="system:N",
        tooltip=["system:N", "source:N"],
    )
    lines = base.mark_line(strokeWidth=1.5).encode(
        strokeDash=altair.StrokeDash("source:N", sort=[ALL, HUMAN], legend=None), order="rate:Q"
    )
    inside = base.transform_filter(f"datum.source == '{ALL}' && datum.inside")
    areas = inside.mark_area(opacity=0.25).encode(y2="foot:Q")
    height = _ROW * (len(systems) + _RISE - 1)
    return theme(altair.layer(areas, lines), title, {"densities": placed}, width=560, height=height)


def _labels(peaks: list[dict[str, Any]], rows: list[dict[str, Any]]) -> list[Label]:
    """Return the names of curves at their peaks."""
    rates, most = [row["rate"] for row in rows], max(row["density"] for row in rows)
    wide = max(rates) - min(rates)
    return [Label(peak["system"], peak["rate"] / wide, peak["density"] / most / _HEADROOM) for peak in peaks]


def _curve(name: str, source: str, shown: Estimate | Marginal) -> list[dict[str, Any]]:
    interval, wide = shown.interval, shown.posterior.interval(0.9999, kind="equal-tailed")  # the quicker one to find
    x = np.unique(np.concatenate([np.linspace(wide.low, wide.high, _POINTS), [interval.low, interval.high]]))
    inside = (x >= interval.low) & (x <= interval.high)
    return [
        {"system": name, "source": source, "rate": float(rate), "density": float(density), "inside": bool(within)}
        for rate, density, within in zip(x, shown.posterior.pdf(x), inside, strict=True)
    ]
