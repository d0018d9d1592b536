"""Sheets and paragraphs of gates, trends and slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tellapart.analysis.needed import chance
from tellapart.analysis.trend import ALARMS
from tellapart.render.sheet import NOTHING, Sheet

if TYPE_CHECKING:
    from tellapart.analysis.comparison import Comparison
    from tellapart.analysis.gate import Gate
    from tellapart.analysis.slices import Slices
    from tellapart.analysis.trend import Trend
    from tellapart.analysis.verdicts import Marginal, Pair

_MOST_RUNS = 20
_TWO = 2  # systems


def gate(result: Gate) -> Sheet:
    """Show the two versions side by side."""
    rows = []
    for role, name in (("candidate", result.candidate), ("baseline", result.baseline)):
        own, (human, metric) = result.comparison.marginal(name), result.comparison.evidence[name].outputs
        rows.append((role, name, *_rate(own), f"{human:,}", f"{metric:,}"))
    level = f"{100 * result.comparison.confidence_level:g}% interval"
    what, rate = _measure(result.comparison)
    columns = ("", "version", rate, level, "human", "metric alone")
    return Sheet(f"{what}, and numbers of ratings", columns, tuple(rows), (0, 1), "systems")


def trend(result: Trend, *, everything: bool) -> Sheet:
    """Show the runs, the last ones unless everything is wanted."""
    shown = result.runs if everything else result.runs[-_MOST_RUNS:]
    marks = {run: ", ".join(ALARMS[a.what] for a in result.alarms if a.noticed == run) for run in shown}
    rows = []
    for run in shown:
        share, (human, _) = result.pass_rate(run), result.comparison.evidence[run].outputs
        judged = NOTHING if share is None else f"{share.mean:.3f}"
        rows.append((run, *_rate(result.rate(run)), judged, f"{human:,}", marks[run]))
    earlier = len(result.runs) - len(shown)
    what, rate = _measure(result.comparison)
    title = f"{what} by run" + (f"; {earlier:,} earlier ones are not shown" if earlier else "")
    level = f"{100 * result.comparison.confidence_level:g}% interval"
    return Sheet(title, ("run", rate, level, "judge passes", "human", "alarm"), tuple(rows), (0, 5), "systems")


def slices(result: Slices) -> Sheet:
    """Show the whole and the slices: two systems with their difference, or the best of several."""
    return _two(result) if len(result.overall.ranking) == _TWO else _several(result)


def _two(result: Slices) -> Sheet:
    first, second = result.overall.ranking
    level = f"{100 * result.overall.confidence_level:g}% interval"

    def row(name: str, rates: dict[str, Marginal], rated: int, gap: tuple[str, str, str]) -> tuple[str, ...]:
        means = (f"{rates[system].mean:.3f}" if system in rates else NOTHING for system in (first, second))
        return (name, f"{rated:,}", *means, *gap)

    whole = {system: result.whole(system) for system in (first, second)}
    rated = sum(evidence.outputs[0] for evidence in result.overall.evidence.values())
    rows = [row(result.whole_name, whole, rated, _gap(result.overall.pairs[0]))]
    for name in result.names:
        gap = _gap(result.pairs[name][0]) if result.pairs[name] else (NOTHING,) * 3
        rows.append(row(name, dict(result.rates[name]), result.rated(name), gap))
    columns = (", ".join(result.by), "human", first, second, "difference", level, "P(first)")
    own = f"difference: first − second, drawn by itself; it need not be that of the {_measure(result.overall)[1]}s"
    return Sheet(f"{_drawn(result)}; {own}", columns, tuple(rows), about="slices")


def _several(result: Slices) -> Sheet:
    level = f"{100 * result.overall.confidence_level:g}% interval"
    best = result.overall.ranking[0]
    rated = sum(evidence.outputs[0] for evidence in result.overall.evidence.values())
    rows = [(result.whole_name, f"{rated:,}", best, *_rate(result.whole(best)))]
    for name in result.names:
        rates = result.rates[name]
        leader = max(rates, key=lambda system: rates[system].mean)
        rows.append((name, f"{result.rated(name):,}", leader, *_rate(rates[leader])))
    columns = (", ".join(result.by), "human", "best", f"its {_measure(result.overall)[1]}", level)
    return Sheet(_drawn(result), columns, tuple(rows), (0, 2), "slices")


def _drawn(result: Slices) -> str:
    """Say what the numbers of slices are."""
    return f"Slices, drawn towards the whole; {_measure(result.overall)[1]}s of each system by itself, nothing borrowed"


def _measure(result: Comparison) -> tuple[str, str]:
    """Name what systems are compared by, in a title and over a column."""
    return ("Rates of adequate outputs", "rate") if result.is_rate else ("Mean ratings", "mean")


def _rate(own: Marginal) -> tuple[str, str]:
    return f"{own.mean:.3f}", f"{own.interval.low:.3f} – {own.interval.high:.3f}"


def _gap(pair: Pair) -> tuple[str, str, str]:
    interval = f"{pair.interval.low:+.3f} – {pair.interval.high:+.3f}"
    return f"{pair.difference:+z.3f}", interval, chance(pair.probability)
