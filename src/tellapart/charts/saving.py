"""Charts as files, as SVG text and as Vega-Lite; all offline."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tellapart.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from pathlib import Path

_FORMATS = ("svg", "png", "html", "json")


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
    options = {"inline": True} if kind == "html" else {"scale_factor": 2} if kind == "png" else {}
    try:
        chart.save(str(path), format=kind, **options)
    except OSError as error:
        raise InvalidInput.rule("--plot", "be a path that can be written", str(path), error.strerror or "") from None
    except ValueError:  # Vega fails at names such as "constructor"
        hint = "Vega cannot draw these names of systems"
        raise InvalidInput.rule("--plot", "be left out here", str(path), hint) from None


def svg(chart: Any) -> str:  # noqa: ANN401 - an Altair chart
    """Return a chart as SVG text, or say that it cannot be drawn."""
    import vl_convert  # noqa: PLC0415 - optional

    try:
        text: str = vl_convert.vegalite_to_svg(specification(chart))
    except ValueError:  # Vega fails at names such as "constructor"
        return "<p>This chart cannot be drawn with these names of systems.</p>"
    return text


def specification(chart: Any) -> dict[str, Any]:  # noqa: ANN401 - an Altair chart
    """Return a chart as Vega-Lite; not checked against its schema again, which takes longer than all the rest."""
    found: dict[str, Any] = chart.to_dict(validate=False)
    return found
