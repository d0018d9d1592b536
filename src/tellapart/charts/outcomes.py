"""Charts of systems that were compared pair by pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tellapart.charts.base import kind_colour, library, named, theme

if TYPE_CHECKING:
    import altair as alt

    from tellapart.analysis.outcomes import Outcomes

_COLOURS = {"first wins": "#3b7dd8", "tie": "#b8bcc4", "second wins": "#d9822b"}


def outcomes(result: Outcomes) -> alt.LayerChart:
    """Return a bar for each pair, split into wins, ties and losses of the first, with its verdict at the end."""
    altair = library()
    rows, verdicts = [], []
    for one in result.matchups:
        pair = f"{one.first} – {one.second}"
        for place, (kind, share) in enumerate(zip(_COLOURS, (one.win, one.tie, one.loss), strict=True)):
            ends = {"low": share.interval.low, "high": share.interval.high}
            rows.append({"pair": pair, "outcome": kind, "order": place, "share": share.mean, **ends})
        verdicts.append({"pair": pair, "verdict": one.better or (one.verdict if one.set_aside else "cannot tell")})
    order = [row["pair"] for row in verdicts]
    y = altair.Y("pair:N", sort=order, title=None)
    colour = kind_colour(altair, _COLOURS, "outcome")
    axis = altair.X(
        "share:Q", title="share of items; at the end: the better one", axis=altair.Axis(format="%"), stack="zero"
    )
    tips = ["pair:N", "outcome:N", *(altair.Tooltip(f"{f}:Q", format=".1%") for f in ("share", "low", "high"))]
    bars = named(altair, "outcomes").mark_bar().encode(y=y, x=axis, color=colour, order="order:Q", tooltip=tips)
    words = named(altair, "verdicts").mark_text(align="left", dx=4, color="currentColor")
    words = words.encode(y=y, x=altair.datum(1.0), text="verdict:N")
    shown = {"outcomes": rows, "verdicts": verdicts}
    return theme(altair.layer(bars, words), "Who wins?", shown, width=420, height=altair.Step(20))
