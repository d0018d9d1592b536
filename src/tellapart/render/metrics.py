"""Sheets of a ranking of metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tellapart.render.sheet import NOTHING, Paragraph, Sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tellapart.analysis.metrics import JudgedMetric, MetricRanking

_MOST = 3  # metrics whose differences between systems are told


def parts(result: MetricRanking, *, everything: bool) -> list[Sheet | Paragraph]:
    """Return the ranking, how differently metrics treat the systems, and what was not judged, with the reason."""
    differing = [metric for metric in result.metrics if metric.differs]
    found: list[Sheet | Paragraph] = [ranking(result)] if result.metrics else []
    found += [systems(result)] if any(metric.spreads for metric in result.metrics) else []
    shown = differing if everything else differing[:_MOST]
    told = [*map(_differs, shown), *_also(differing[len(shown) :])]
    found += [Paragraph(one, "By system:", "metric") for one in told]
    return [*found, *(Paragraph(f"{name}, {why}.", "Not judged:") for name, why in result.reasons.items())]


def ranking(result: MetricRanking) -> Sheet:
    """Show worth and AUC, how many unrated outputs carry the metric, and whether the best is worth clearly more."""
    rows = []
    for m in result.metrics:
        less = NOTHING if m.behind is None or m.repeats else "clearly" if m.clearly_behind else "cannot tell"
        name = f"{m.name} (lower?)" if m.lower_is_better else m.name
        worth = f"{m.worth:.0%}  {100 * m.interval.low:.0f} – {100 * m.interval.high:.0f}"
        auc = f"{m.auc:.2f}  {m.auc_interval.low:.2f} – {m.auc_interval.high:.2f}"
        rows.append((name, worth, auc, f"{m.unrated:,}", less))
    level = f"{100 * result.confidence_level:g}%"
    title = f"Worth: share of human ratings that each can replace; {level} intervals"
    return Sheet(
        title, ("metric", "worth", "AUC", "unrated", "below best"), tuple(rows), about="metric", best=((0, 1),)
    )


def systems(result: MetricRanking) -> Sheet:
    """Show the lowest and the highest tpr, tnr and AUC over systems."""
    rows = []
    for m in result.metrics:
        spread = {what: f"{low:.2f} – {high:.2f}" for what, (_, low, _, high) in m.spreads.items()}
        rows.append((m.name, *(spread.get(what, NOTHING) for what in ("tpr", "tnr", "auc")), _p(m)))
    title = "Over systems, lowest and highest; p: of one tpr and one tnr for all"
    return Sheet(title, ("metric", "tpr", "tnr", "AUC", "p"), tuple(rows), about="metric")


def _differs(metric: JudgedMetric) -> str:
    ends = [
        f"{what} from {low:.2f} ({worst}) to {high:.2f} ({best})"
        for what, (worst, low, best, high) in metric.spreads.items()
        if what != "auc"
    ]
    return f"{metric.name} treats systems differently: {'; '.join(ends)}."


def _also(metrics: Sequence[JudgedMetric]) -> list[str]:
    """Name the others that treat systems differently; the table has their rates."""
    names = ", ".join(metric.name for metric in metrics)
    treat = "treats" if len(metrics) == 1 else "treat"
    return [f"{len(metrics):,} more {treat} systems differently, as the table shows: {names}."] if metrics else []


def _p(metric: JudgedMetric) -> str:
    p = metric.homogeneity.p_value
    return "<0.001" if p < 0.001 else f"{p:.3f}"  # noqa: PLR2004 - three digits
