"""Charts of results: Altair, one theme. Needs the `charts` extra."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from tellapart.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import altair as alt

    from tellapart.analysis.estimation import Estimate

FORMATS = ("svg", "png", "html", "json")
_POINTS = 300


def _altair() -> Any:  # noqa: ANN401 - a module
    try:
        import altair as alt  # noqa: PLC0415 - optional and slow to import
    except ImportError:
        raise MissingExtra.need("A chart", "charts") from None
    return alt


def densities(estimates: Mapping[str, Estimate]) -> alt.Chart:
    """Return the posterior densities of systems, one curve each, with what the human ratings alone give, dashed."""
    altair = _altair()
    rows = [row for name, estimate in estimates.items() for row in _curves(name, estimate)]
    base = altair.Chart(altair.Data(values=rows)).encode(
        x=altair.X(
            "rate:Q", title="rate of adequate outputs", axis=altair.Axis(format="%"), scale=altair.Scale(zero=False)
        ),
        color=altair.Color("system:N", title=None, sort=list(estimates)),
    )
    density = altair.Y("density:Q", title="density", axis=altair.Axis(labels=False, ticks=False, grid=False))
    dash = altair.StrokeDash("source:N", title=None, sort=["all ratings", "human ratings alone"])
    curves = base.mark_line(strokeWidth=2).encode(y=density, strokeDash=dash, order="rate:Q")
    areas = (
        base.transform_filter("datum.source == 'all ratings' && datum.inside")
        .mark_area(opacity=0.25)
        .encode(y=altair.Y("density:Q", stack=None))
    )
    levels = {estimate.confidence_level for estimate in estimates.values()}
    title = f"What the ratings say; shaded: {', '.join(f'{100 * level:g} %' for level in sorted(levels))} interval"
    chart: alt.Chart = (
        altair.layer(areas, curves)
        .properties(width=560, height=280, title=title)
        .configure(font="sans-serif")
        .configure_title(anchor="start", fontWeight="normal")
        .configure_view(stroke=None)
    )
    return chart


def _curves(name: str, estimate: Estimate) -> list[dict[str, Any]]:
    sources = {"all ratings": estimate}
    if estimate.evidence.metrics and estimate.evidence.human_for_rate.total:
        sources["human ratings alone"] = estimate.human_only
    rows = []
    for source, shown in sources.items():
        low, high = shown.posterior.interval(0.9999).low, shown.posterior.interval(0.9999).high
        x = np.unique(np.concatenate([np.linspace(low, high, _POINTS), [shown.interval.low, shown.interval.high]]))
        inside = (x >= shown.interval.low) & (x <= shown.interval.high)
        for rate, density, within in zip(x, shown.posterior.pdf(x), inside, strict=True):
            row = {"rate": float(rate), "density": float(density), "inside": bool(within)}
            rows.append({"system": name, "source": source, **row})
    return rows


def check(path: Path) -> str:
    """Return the format that a path stands for, or say why no chart can be written there."""
    kind = path.suffix.lstrip(".").lower()
    if kind not in FORMATS:
        endings = ", ".join("." + f for f in FORMATS)
        raise InvalidInput.rule("--plot", f"end in {endings}", path.name, "for example --plot rates.svg")
    if not all(find_spec(package) for package in ("altair", "vl_convert")):
        raise MissingExtra.need("A chart", "charts")
    return kind


def save(chart: alt.Chart, path: Path) -> None:
    """Write a chart as SVG, PNG, HTML or JSON, by the ending of the path; offline."""
    kind = check(path)
    options = {"inline": True} if kind == "html" else {"scale_factor": 2} if kind == "png" else {}
    try:
        chart.save(str(path), **options)
    except OSError as error:
        raise InvalidInput.rule("--plot", "be a path that can be written", str(path), error.strerror or "") from None
