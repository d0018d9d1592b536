"""What every chart shares: the library, the look, axes and colours; and how it is saved, offline."""

from __future__ import annotations

import colorsys
from importlib.resources import files
from importlib.util import find_spec
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from tellapart.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import altair as alt

_FORMATS = ("svg", "png", "html", "json")
INK = "currentColor"  # follows the page, light or dark
_COLOURS = (  # tableau10
    *("#4c78a8", "#f58518", "#e45756", "#72b7b2", "#54a24b", "#eeca3b", "#b279a2", "#ff9da6", "#9d755d", "#bab0ac"),
)
_PHONE = 230  # pixels, beside names and legends
_LETTER, _LINE = 7.0, 14.0  # pixels that a letter and a line of text take
FEW = 6  # curves that can be read in one place


def library() -> Any:  # noqa: ANN401 - a module
    """Return Altair, or say what to install."""
    try:
        import altair as alt  # noqa: PLC0415 - optional and slow to import
    except ImportError:
        raise MissingExtra.need("A chart", "charts") from None
    return alt


_ROOM = {"left": 16, "right": 16, "top": 5, "bottom": 5}  # for letters wider than those that were measured


def theme(chart: Any, title: str, rows: Mapping[str, Any], **size: Any) -> alt.LayerChart:  # noqa: ANN401
    """Give a chart its title, size, look, and last its rows by name, or Altair would copy them at every step."""
    words = {"labelColor": INK, "titleColor": INK}
    themed: alt.LayerChart = (
        chart.properties(title=title, background="transparent", **size)
        .configure(font="sans-serif", padding=_ROOM)
        .configure_title(anchor="start", fontWeight="normal", color=INK, fontSize=13)
        .configure_view(stroke=None)
        .configure_axis(**words, domainColor="#8888", tickColor="#8888", gridColor="#8883", labelLimit=260)
        .configure_legend(**words, labelLimit=260, columnPadding=24)  # the reader's letters may be wider
        .configure_header(**words, labelLimit=260)
    )
    themed["datasets"] = dict(rows)
    return themed


def named(altair: Any, name: str) -> Any:  # noqa: ANN401 - an Altair chart
    """Return a chart of the rows that `theme` will give under a name."""
    return altair.Chart(altair.NamedData(name))


def rate_axis(altair: Any, field: str, title: str, *, percent: bool = True) -> Any:  # noqa: ANN401
    """Return an axis of rates in per cent, or of mean ratings, as long as they need."""
    axis = altair.Axis(format="%" if percent else "", tickCount=6)
    return altair.X(f"{field}:Q", title=title, axis=axis, scale=altair.Scale(zero=False, nice=True))


def palette(number: int) -> list[str]:
    """Return as many colours as there are things to tell apart, legible on white and on black."""
    if number <= len(_COLOURS):
        return list(_COLOURS[:number])
    shades = (0.42, 0.62)  # hues in turn, every other one lighter
    hls = ((i / number, shades[i % len(shades)], 0.65) for i in range(number))
    return ["#" + "".join(f"{round(255 * part):02x}" for part in colorsys.hls_to_rgb(*one)) for one in hls]


def system_colour(altair: Any, names: list[str], *, legend: bool = True) -> Any:  # noqa: ANN401
    """Return the colours of systems, the same in every chart, whatever their order in the legend."""
    scale = altair.Scale(domain=sorted(names), range=palette(len(names)))
    shown = altair.Legend(values=names, symbolOpacity=1) if legend else None
    return altair.Color("system:N", title=None, scale=scale, legend=shown)


def kind_colour(altair: Any, kinds: Mapping[str, str], field: str = "kind", **legend: Any) -> Any:  # noqa: ANN401
    """Return the colours of kinds of things, with a legend above the chart."""
    scale = altair.Scale(domain=list(kinds), range=list(kinds.values()))
    return altair.Color(f"{field}:N", title=None, scale=scale, legend=altair.Legend(orient="top", **legend))


class Label(NamedTuple):
    """A name beside a curve, and where: shares of the chart's sides."""

    text: str
    x: float
    y: float


def readable(labels: Sequence[Label], height: float) -> bool:
    """Whether names beside curves can be read on a phone, too: they are few, and none covers another."""

    def clear(one: Label, other: Label) -> bool:
        wide = _LETTER * (len(one.text) + len(other.text)) / 2
        return abs(one.y - other.y) * height > _LINE or abs(one.x - other.x) * _PHONE > wide

    return len(labels) <= FEW and all(clear(*pair) for pair in combinations(labels, 2))


def check(path: Path) -> str:
    """Return the format that a path stands for, or say why no chart can be written there."""
    kind = path.suffix.lstrip(".").lower()
    if kind not in _FORMATS:
        endings = ", ".join("." + f for f in _FORMATS)
        raise InvalidInput.rule("--plot", f"end in {endings}", path.name, "for example --plot rates.svg")
    check_extra("A chart")
    return kind


def check_extra(what: str) -> None:
    """Say what to install where charts cannot be drawn."""
    if not all(find_spec(package) for package in ("altair", "vl_convert")):
        raise MissingExtra.need(what, "charts")


def save(chart: Any, path: Path) -> None:  # noqa: ANN401 - an Altair chart
    """Write a chart as SVG, PNG, HTML or JSON, by the ending of the path; offline."""
    kind = check(path)
    chart = chart.properties(background="white") if kind == "png" else chart
    options = {"scale_factor": 2} if kind == "png" else {}
    try:
        if kind == "html":
            path.write_text(_licensed(chart.to_html(inline=True)), encoding="utf-8")
        else:
            chart.save(str(path), format=kind, **options)
    except OSError as error:
        raise InvalidInput.rule("--plot", "be a path that can be written", str(path), error.strerror or "") from None
    except ValueError:  # Vega fails at names such as "constructor"
        hint = "Vega cannot draw these names of systems"
        raise InvalidInput.rule("--plot", "be left out here", str(path), hint) from None


def licences() -> str:
    """Return the licences of what draws charts in a browser, which must come with it."""
    return files("tellapart.charts").joinpath("licences.txt").read_text(encoding="utf-8")


def _licensed(page: str) -> str:
    return page.replace("<head>", f"<head>\n<!--\n{licences()}-->", 1)


class Figure(NamedTuple):
    """A chart for a document: its title, and SVG without it, in full and as narrow as a phone; empty if no narrower."""

    title: str
    wide: str
    narrow: str


_LETTERS = 12  # pixels
_STACKED = {"orient": "top", "columns": 1}


def figure(chart: Any) -> Figure:  # noqa: ANN401 - an Altair chart
    """Return a chart as SVG for a document, in letters that can be read on a phone and on paper."""
    found = specification(chart)
    title = found.pop("title", "")
    config = dict(found.get("config", {}))
    for part in ("axis", "legend", "header"):
        config[part] = {**config.get(part, {}), "labelFontSize": _LETTERS, "titleFontSize": _LETTERS}
    config["text"] = {"fontSize": _LETTERS}
    wide = found | {"config": dict(config)}
    if not isinstance(found.get("width"), int | float) or found["width"] <= _PHONE:
        return Figure(title, _drawn(wide), "")
    size = {"width": _PHONE} | ({"height": _PHONE} if found.get("height") == found["width"] else {})
    config |= {"axisX": {"labelOverlap": True, "labelSeparation": 6}, "legend": {**config["legend"], **_STACKED}}
    return Figure(title, _drawn(wide), _drawn(wide | size | {"config": config}))


def _drawn(chart: dict[str, Any]) -> str:
    import vl_convert  # noqa: PLC0415 - optional

    try:
        text: str = vl_convert.vegalite_to_svg(chart)
    except ValueError:  # Vega fails at names such as "constructor"
        return "<p>This chart cannot be drawn with these names of systems.</p>"
    return text


def specification(chart: Any) -> dict[str, Any]:  # noqa: ANN401 - an Altair chart
    """Return a chart as Vega-Lite; not checked against its schema again, which takes longer than all the rest."""
    found: dict[str, Any] = chart.to_dict(validate=False)
    return found
