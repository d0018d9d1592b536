"""Charts of slices, of runs over time, and of the decision between two versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tellapart.analysis.needed import chance, equals
from tellapart.analysis.trend import ALARMS
from tellapart.charts.base import kind_colour, library, named, rate_axis, system_colour, theme
from tellapart.charts.estimates import ends_of

if TYPE_CHECKING:
    import altair as alt

    from tellapart.analysis.gate import Gate
    from tellapart.analysis.slices import Slices
    from tellapart.analysis.trend import Trend
    from tellapart.analysis.verdicts import Pair

_MOST_SLICES, _MOST_SYSTEMS = 30, 6  # more cannot be read
_BLUE, _ORANGE, _GREY, _RED = "#3b7dd8", "#d9822b", "#8a8f98", "#c8553d"
_POINTS = 300
_PEOPLE, _JUDGE = "adequate outputs", "passed by the judge"


def slices(result: Slices) -> alt.LayerChart:
    """Return the difference of two systems by slice, or the rates of one or several, each with its interval."""
    return _differences(result) if len(result.overall.ranking) == 2 else _rates(result)  # noqa: PLR2004 - a pair


def _differences(result: Slices) -> alt.LayerChart:
    altair = library()
    first, second = result.overall.ranking
    kinds = {f"{first} is better": _BLUE, f"{second} is better": _ORANGE, "cannot tell": _GREY}
    whole: list[tuple[str, Pair]] = [(result.whole_name, result.overall.pairs[0])]
    pairs = whole + [(name, result.pairs[name][0]) for name in result.names[:_MOST_SLICES] if result.pairs[name]]
    rows = []
    for name, pair in pairs:
        ends = {"rate": pair.difference, "low": pair.interval.low, "high": pair.interval.high}
        verdict = f"{pair.better} is better" if pair.better else "cannot tell"
        rows.append({"slice": name, "kind": verdict, "p": chance(pair.probability), **ends})
    used = {kind: colour for kind, colour in kinds.items() if any(row["kind"] == kind for row in rows)}
    percent = pairs[0][1].is_rate
    axis = f"{first} − {second}, {100 * result.overall.confidence_level:g}% interval"
    shown = _lines(altair, rows, kind_colour(altair, used), axis, percent=percent, sort=[name for name, _ in pairs])
    zero = altair.Chart().mark_rule(color="#888", strokeDash=[4, 4], aria=False).encode(x=altair.datum(0.0))
    return theme(altair.layer(zero, *shown), _title(result), {"rates": rows}, width=460, height=altair.Step(22))


def _rates(result: Slices) -> alt.LayerChart:
    altair = library()
    systems = list(result.overall.ranking[:_MOST_SYSTEMS])
    whole = {system: result.overall.marginal(system) for system in systems}
    every = {result.whole_name: whole} | {name: dict(result.rates[name]) for name in result.names[:_MOST_SLICES]}
    rows = [
        {"slice": name, "system": system, **ends_of(own[system])}
        for name, own in every.items()
        for system in systems
        if system in own
    ]
    one = next(iter(result.overall.estimates.values()))
    axis = f"{one.measure}, {100 * result.overall.confidence_level:g}% interval"
    colour = system_colour(altair, systems) if len(systems) > 1 else altair.value(_BLUE)
    shown = _lines(altair, rows, colour, axis, percent=one.is_rate, sort=list(every))
    if len(systems) > 1:
        shown = [layer.encode(yOffset=altair.YOffset("system:N", sort=systems)) for layer in shown]
    more = len(result.overall.ranking) - len(systems)
    title = _title(result) + (f"; the best {len(systems)} of {len(result.overall.ranking)} systems" if more else "")
    size = {"width": 460, "height": altair.Step(10 if len(systems) > 1 else 22)}
    return theme(altair.layer(*shown), title, {"rates": rows}, **size)


def _title(result: Slices) -> str:
    number = len(result.names)
    return f"By {' and '.join(result.by)}" + (
        f": the {_MOST_SLICES} of {number} slices with most human ratings" if number > _MOST_SLICES else ""
    )


def _lines(  # noqa: PLR0913 - what is shown, and how
    altair: Any,  # noqa: ANN401 - a module
    rows: list[dict[str, Any]],
    colour: Any,  # noqa: ANN401 - an encoding
    axis: str,
    *,
    percent: bool,
    sort: list[str],
) -> list[Any]:
    """Return a line from low to high for each slice, and a point at the middle."""
    tips = [name for name in ("slice", "system", "kind") if name in rows[0]]
    form = ".1%" if percent else ".2f"
    base = named(altair, "rates").encode(
        y=altair.Y("slice:N", sort=sort, title=None),
        color=colour,
        tooltip=[f"{t}:N" for t in tips] + [altair.Tooltip(f"{f}:Q", format=form) for f in ("rate", "low", "high")],
    )
    rule = base.mark_rule(strokeWidth=2).encode(x=rate_axis(altair, "low", axis, percent=percent), x2="high:Q")
    point = base.mark_point(filled=True, size=50, opacity=1).encode(x=rate_axis(altair, "rate", axis, percent=percent))
    return [rule, point]


def trend(result: Trend) -> alt.LayerChart:
    """Return the rate run by run with its interval, the share that the judge passes beside it, and the alarms."""
    altair = library()
    rows = [{"run": run, "kind": _PEOPLE, **ends_of(result.rate(run))} for run in result.runs]
    rows += [
        {"run": run, "kind": _JUDGE, **ends_of(share)}
        for run in result.runs
        if (share := result.pass_rate(run)) is not None
    ]
    said: dict[str, list[str]] = {}
    for alarm in result.alarms:
        said.setdefault(alarm.noticed, []).append(ALARMS[alarm.what])
    alarms = [{"run": run, "alarm": f"alarm: {', '.join(what)}"} for run, what in said.items()]
    kinds = {_PEOPLE: _BLUE, _JUDGE: _GREY}
    percent = next(iter(result.comparison.estimates.values())).is_rate
    form = ".1%" if percent else ".2f"
    x = altair.X("run:O", sort=list(result.runs), title=None, axis=altair.Axis(labelAngle=-40, labelOverlap=True))
    level = f"share, {100 * result.comparison.confidence_level:g}% interval"
    y = altair.Y("rate:Q", title=level, axis=altair.Axis(format="%" if percent else ""), scale=altair.Scale(zero=False))
    base = named(altair, "runs").encode(
        x=x,
        color=kind_colour(altair, kinds),
        tooltip=["run:O", "kind:N", *(altair.Tooltip(f"{f}:Q", format=form) for f in ("rate", "low", "high"))],
    )
    dash = altair.StrokeDash("kind:N", sort=list(kinds), legend=None)
    people = base.transform_filter(f"datum.kind == '{_PEOPLE}'")
    layers = [
        named(altair, "alarms").mark_rule(color=_RED, strokeWidth=2, strokeDash=[4, 3]).encode(x=x),
        people.mark_rule(strokeWidth=2).encode(y=altair.Y("low:Q", title=level), y2="high:Q"),
        base.mark_line(strokeWidth=1.5).encode(y=y, strokeDash=dash),
        base.mark_point(filled=True, size=45, opacity=1).encode(y=y),
        named(altair, "alarms")
        .mark_text(color=_RED, align="right", dx=-5, baseline="top")
        .encode(x=x, y=altair.value(2), text="alarm:N"),
    ]
    size = {"width": altair.Step(max(14, min(40, 640 // len(result.runs)))), "height": 260}
    return theme(altair.layer(*layers), "Rates by run", {"runs": rows, "alarms": alarms}, **size)


def gate(result: Gate) -> alt.LayerChart:
    """Return what is believed of the difference, with the margin: beyond it the candidate is worse."""
    altair = library()
    pair, edge = result.pair, -result.margin
    wide = pair.distribution.interval(0.9999)
    x = np.unique(np.append(np.linspace(min(wide.low, edge), max(wide.high, edge), _POINTS), edge))
    worse = f"worse by more than {result.points(result.margin)}" if result.margin else "worse"
    fine = "no worse" if not result.margin else "not worse by more than that"
    density = pair.distribution.pdf(x)
    rows = [
        {"difference": float(at), "density": float(value), "kind": kind}
        for at, value in zip(x, density, strict=True)
        for kind, inside in ((worse, at <= edge), (fine, at >= edge))
        if inside
    ]
    percent = pair.is_rate
    axis = altair.Axis(format="+.0%" if percent else "+", tickCount=7)
    place = altair.X("difference:Q", title=f"{result.candidate} − {result.baseline}", axis=axis)

    area = named(altair, "densities").mark_area(opacity=0.45, line=True)
    area = area.encode(
        x=place,
        y=altair.Y("density:Q", title=None, stack=None, axis=altair.Axis(labels=False, ticks=False, grid=False)),
        color=kind_colour(altair, {worse: _RED, fine: _BLUE}, labelLimit=300),
    )
    margin = altair.Chart().mark_rule(color=_RED, strokeWidth=2, aria=False).encode(x=altair.datum(edge))
    zero = altair.Chart().mark_rule(color="#888", strokeDash=[4, 4], aria=False).encode(x=altair.datum(0.0))
    title = f"{result.decision.capitalize()}: P({worse}) {equals(result.probability_worse)}"
    layers = [area, *([zero] if result.margin else []), margin]
    return theme(altair.layer(*layers), title, {"densities": rows}, width=520, height=220)
