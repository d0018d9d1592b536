"""What every chart shares: the library, the look, axes and colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tellapart.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Mapping

_INK = "currentColor"  # follows the page, light or dark


def library() -> Any:  # noqa: ANN401 - a module
    """Return Altair, or say what to install."""
    try:
        import altair as alt  # noqa: PLC0415 - optional and slow to import
    except ImportError:
        raise MissingExtra.need("A chart", "charts") from None
    return alt


def theme(chart: Any, title: str, rows: Mapping[str, list[dict[str, Any]]], **size: Any) -> Any:  # noqa: ANN401
    """Give a chart its title, size, look, and last its rows by name, or Altair would copy them at every step."""
    words = {"labelColor": _INK, "titleColor": _INK}
    themed = (
        chart.properties(title=title, background="transparent", **size)
        .configure(font="sans-serif")
        .configure_title(anchor="start", fontWeight="normal", color=_INK, fontSize=13)
        .configure_view(stroke=None)
        .configure_axis(**words, domainColor="#8888", tickColor="#8888", gridColor="#8883", labelLimit=260)
        .configure_legend(**words, labelLimit=260)
        .configure_header(**words, labelLimit=260)
    )
    themed["datasets"] = dict(rows)
    return themed


def named(altair: Any, name: str) -> Any:  # noqa: ANN401 - an Altair chart
    """Return a chart of the rows that `theme` will give under a name."""
    return altair.Chart(altair.NamedData(name))


def rate_axis(altair: Any, field: str, title: str) -> Any:  # noqa: ANN401
    """Return an axis of rates in per cent, as long as they need."""
    axis = altair.Axis(format="%", tickCount=6)
    return altair.X(f"{field}:Q", title=title, axis=axis, scale=altair.Scale(zero=False, nice=True))


def system_colour(altair: Any, names: list[str]) -> Any:  # noqa: ANN401
    """Return the colours of systems, the same in every chart, whatever their order in the legend."""
    scale = altair.Scale(domain=sorted(names), scheme="tableau10")
    return altair.Color("system:N", title=None, scale=scale, legend=altair.Legend(values=names, symbolOpacity=1))
