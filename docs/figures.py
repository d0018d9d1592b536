"""Draw into docs/figures what no shown command draws: python docs/figures.py.

The figures of numerics.md, one of what-to-rate.md, and the picture of the report, for which playwright and Chromium
are needed.
"""  # noqa: INP001 - a script, run by hand

from __future__ import annotations

from base64 import b64decode
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any

import altair as alt
import numpy as np
from scipy.special import betaln, expit, gammaln, xlogy

from tellapart import Confusion, Evidence, compare, posterior, read_counts
from tellapart.core.likelihood import known_rates
from tellapart.core.quadrature import POINTS
from tellapart.core.special import log_binomial_pmf, log_multichoose
from tellapart.core.sums import sum_rule
from tellapart.reporting import html

FOLDER = Path(__file__).with_name("figures")
EVERYDAY = Evidence.of((60, 100), calibration=Confusion(42, 18, 28, 12), metric=(540, 1000))
BLUE, ORANGE, GREY = "#2a6f97", "#d97706", "#8a8f98"


def _rows(x: Any, y: Any, name: str = "") -> list[dict[str, Any]]:  # noqa: ANN401 - whatever is an array
    return [{"x": float(f"{a:.5g}"), "y": float(f"{b:.5g}"), "name": name} for a, b in zip(x, y, strict=True)]


def _axes(titles: tuple[str, str], *, log: str = "") -> dict[str, Any]:
    scales = {name: alt.Scale(type="log") if name in log else alt.Scale(zero=False, nice=False) for name in "xy"}
    axes = {name: alt.Axis(grid=False, format=".0e" if name in log else "~g", tickCount=6) for name in "xy"}
    return {
        "x": alt.X("x:Q", title=titles[0], scale=scales["x"], axis=axes["x"]),
        "y": alt.Y("y:Q", title=titles[1], scale=scales["y"], axis=axes["y"]),
    }


def _lines(rows: list[dict[str, Any]], titles: tuple[str, str], *, log: str = "") -> alt.Chart:
    names = list(dict.fromkeys(row["name"] for row in rows))
    colours = alt.Scale(domain=names, range=[BLUE, ORANGE, GREY][: len(names)])
    legend = alt.Legend(title=None, orient="top") if len(names) > 1 else None
    marks = alt.Chart(alt.Data(values=rows)).mark_line(clip=True)
    return marks.encode(**_axes(titles, log=log), color=alt.Color("name:N", scale=colours, legend=legend))


def _dots(rows: list[dict[str, Any]], colour: str = ORANGE) -> alt.Chart:
    return alt.Chart(alt.Data(values=rows)).mark_point(filled=True, size=18, color=colour).encode(x="x:Q", y="y:Q")


def _rules(x: Any) -> alt.Chart:  # noqa: ANN401
    rows = alt.Data(values=[{"x": float(f"{a:.5g}")} for a in x])
    return alt.Chart(rows).mark_rule(color=GREY, strokeDash=[3, 3]).encode(x="x:Q")


def mixture() -> alt.LayerChart:
    """A few components of the mixture, and the whole."""
    n, rate = 1000, np.linspace(0.4, 0.8, 121)
    levels = [
        np.exp(log_multichoose(t, a) + log_multichoose(m - t, b))
        for m, a, b, t in ((540, 43.0, 13.0, np.arange(541.0)), (460, 19.0, 29.0, np.arange(461.0)))
    ]
    t = np.arange(n + 1.0)
    logs = np.log(np.convolve(*levels)) + betaln(61 + t, 41 + n - t) - betaln(62 + t, 42 + n - t)
    weights = np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum()
    rows = _rows(rate, posterior(EVERYDAY).pdf(rate), "posterior")
    for k in range(500, 701, 25):
        log_pdf = (60 + k) * np.log(rate) + (40 + n - k) * np.log1p(-rate) - betaln(61 + k, 41 + n - k)
        part = 25 * weights[k] * np.exp(log_pdf)
        rows += [row | {"part": k} for row in _rows(rate, part, "components, every 25th")]
    return alt.layer(_lines(rows, ("rate", "density")).encode(detail="part:N"))


def deviance() -> alt.LayerChart:
    """What differences of log-gammas lose."""
    sizes = np.geomspace(1000, 1e12, 45)
    exact = [
        -0.5 * np.log(2 * np.pi * n / 4) - 1 / (4 * n) + 1 / (24 * n**3) for n in sizes
    ]  # the middle of Binom(n, ½)
    plain = [gammaln(n + 1) - 2 * gammaln(n / 2 + 1) - n * np.log(2) for n in sizes]
    ours = [log_binomial_pmf(np.array([n / 2]), n, np.array([0.5]), np.array([0.5]))[0] for n in sizes]
    rows = []
    for values, name in ((ours, "deviance form"), (plain, "log-gammas")):
        rows += _rows(sizes, np.maximum(np.abs(np.subtract(values, exact)), 1e-17), name)
    return alt.layer(_lines(rows, ("number of ratings", "error of a log probability"), log="xy"))


def panels() -> alt.LayerChart:
    """A long sum from few terms."""
    n, p = 100_000, 0.3
    low, high = n * p - 1000, n * p + 1000
    t = np.linspace(low, high, 200)
    edges = np.linspace(low, high, 5)
    points, _ = sum_rule(edges[:-1], edges[1:] - 1)
    one = np.ones(1)
    pmf, at = (np.exp(log_binomial_pmf(x, n, p * one, (1 - p) * one)) for x in (t, points.ravel()))
    line = _lines(_rows(t, pmf), ("latent count t", "term of the sum"))
    return alt.layer(_rules(edges), line, _dots(_rows(points.ravel(), at)))


def pass_rate() -> alt.LayerChart:
    """Lines of equal pass rate through what is known of the metric's error rates."""
    rng, passed = np.random.default_rng(0), 0.54
    cloud = _dots(_rows(rng.beta(43, 19, 200), rng.beta(13, 29, 200)), GREY).encode(opacity=alt.value(0.5))
    rows, points = [], []
    for rate in (0.4, 0.6, 0.8):
        s = np.linspace(0, min((1 - passed) / (1 - rate), passed / rate), 21)
        line = _rows(passed + (1 - rate) * s, passed - rate * s, f"rate {rate:.0%}")
        rows, points = rows + line, points + line[1:-1]
    return alt.layer(cloud, _lines(rows, ("passed | adequate", "passed | inadequate")), _dots(points, "#333"))


def logits() -> alt.LayerChart:
    """The density on the logit scale, with its panels."""
    density = posterior(Evidence.of((19, 20)))
    edges = np.append(density._left, density._right[-1])  # noqa: SLF001
    x = np.linspace(-2, 12, 200)
    nodes = (edges[:-1, None] + np.diff(edges)[:, None] * (POINTS + 1) / 2).ravel()
    nodes = nodes[(nodes > x[0]) & (nodes < x[-1])]
    line = _lines(_rows(x, density._pdf_at_logits(x)), ("logit of the rate", "density"))  # noqa: SLF001
    inside = edges[(edges > x[0]) & (edges < x[-1])]
    return alt.layer(_rules(inside), line, _dots(_rows(nodes, density._pdf_at_logits(nodes))))  # noqa: SLF001


def newton() -> alt.LayerChart:
    """The shortest interval: both ends as dense."""
    density = posterior(Evidence.of((17, 20)))
    rate = np.linspace(0.4, 1, 150)
    rows = []
    for kind in ("highest-density", "equal-tailed"):
        found = density.interval(0.95, kind=kind)
        ends = np.array([found.low, found.high])
        rows += _rows(np.repeat(ends, 2), [0, *density.pdf(ends), 0], f"{kind}, {found.width:.3f} wide")
    return alt.layer(_lines(rows + _rows(rate, density.pdf(rate), "density"), ("rate", "density")))


def lattice() -> alt.LayerChart:
    """How fast a sum with a stride converges."""
    n, rows = 20_000, []
    for name, a, b in (("both ends fade", 40.0, 30.0), ("one end does not", 1.0, 30.0)):
        t = np.arange(n + 1.0)
        terms = np.exp(log_multichoose(t, a) + log_multichoose(n - t, b) - log_multichoose(np.array([float(n)]), a + b))
        strides = np.unique(np.geomspace(50, 6000, 40).round().astype(int))
        whole = terms.sum()
        errors = [abs(terms[h // 2 :: h].sum() * h / whole - 1) for h in strides]
        rows += _rows(strides, np.maximum(errors, 1e-16), name)
    return alt.layer(_lines(rows, ("stride", "relative error of the sum"), log="xy"))


def trapezoid() -> alt.LayerChart:
    """The trapezoidal rule for a rate given the metric's rates."""

    def mean(points: int) -> float:
        x = np.linspace(-4, 5, points)
        rate, complement = expit(x), expit(-x)
        logs = xlogy(31, rate) + xlogy(21, complement)
        logs = logs + known_rates((460, 540), (0.3, 0.7), (0.7, 0.3))(rate, complement)
        weights = np.exp(logs - logs.max())
        return float(weights @ rate / weights.sum())

    sizes = np.arange(16, 130, 4)
    errors = [max(abs(mean(n) - mean(2001)), 1e-17) for n in sizes]
    return alt.layer(_lines(_rows(sizes, errors), ("points", "error of the mean"), log="y"))


def contour() -> alt.LayerChart:
    """The integrand on the line through the saddlepoint, and on one beside it."""
    shares, values, at = np.array([30.0, 50.0, 20.0]), np.array([0.2, 0.6, 0.9]), 0.6
    real = np.linspace(1e-3, 3, 3000)
    height = -(shares * np.log(1 - np.multiply.outer(real, values - at))).sum(axis=1) - np.log(real)
    best = real[int(np.argmin(np.where(np.isfinite(height), height, np.inf)))]
    y, rows = np.linspace(-1.5, 1.5, 150), []
    for line, name in ((best, "through the saddlepoint"), (best / 4, "nearer to the pole")):
        s = line + 1j * y
        logs = -(shares * np.log(1 - np.multiply.outer(s, values - at))).sum(axis=1) - np.log(s)
        rows += _rows(y, np.exp(logs).real, name)
    return alt.layer(_lines(rows, ("imaginary part of s", "real part of the integrand")))


def sampling() -> alt.LayerChart:
    """What the same number of human ratings tells, by how the outputs were chosen: the cases of what-to-rate.md."""
    cases = {
        "at random": Evidence.of((90, 100), calibration=Confusion(81, 9, 7, 3), metric=(1596, 1900)),
        "by the verdict": Evidence.of(
            (76, 100), calibration=Confusion(48, 28, 22, 2), metric=(1630, 1900), sampling="by-metric"
        ),
        "balanced": Evidence.of(
            (50, 100), calibration=Confusion(45, 5, 35, 15), metric=(1620, 1900), sampling="balanced"
        ),
    }
    x = np.linspace(0.72, 1.0, 150)[:-1]
    rows = [row for name, evidence in cases.items() for row in _rows(x, posterior(evidence).pdf(x), name)]
    return alt.layer(_lines(rows, ("rate of adequate outputs", "density")))


def report() -> None:
    """Take a picture of the top of the report that first-report.md shows."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - for this picture alone

    guide = Path(__file__).with_name("first-report.md").read_text(encoding="utf-8")
    with TemporaryDirectory() as folder, sync_playwright() as browsers:
        counts = Path(folder) / "openqa.csv"
        counts.write_text(guide.partition('title="openqa.csv"\n')[2].partition("```")[0], encoding="utf-8")
        page = counts.with_suffix(".html")
        command = "tellapart compare openqa.csv --report report.html"
        page.write_text(html(compare(read_counts(counts)), command=command), encoding="utf-8")
        chromium = browsers.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox"])
        tab = chromium.new_page(viewport={"width": 900, "height": 900})
        tab.goto(page.as_uri())
        picture = tab.context.new_cdp_session(tab).send("Page.captureScreenshot", {"format": "webp", "quality": 75})
        (FOLDER / "report.webp").write_bytes(b64decode(picture["data"]))


FIGURES = (mixture, deviance, panels, pass_rate, logits, newton, lattice, trapezoid, contour, sampling)


def main() -> None:
    """Draw them all."""
    for figure in FIGURES:
        chart = figure().properties(width=460, height=210).configure_view(stroke=None)
        chart.configure(background="white").save(FOLDER / f"{figure.__name__}.svg")
    report()


if __name__ == "__main__":
    main()
