"""Several systems under one judge: intervals of differences, wrong verdicts and right ones, on every rung."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

import tellapart as ta
from tellapart.core.pooled import TAU_UNIT, PooledRates, Scatter
from validity.cell import Cell, Outcomes
from validity.drawn import Rng, adequate, confusion, held, names, table, tally, verdicts
from validity.one import pairs_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RATE, TPR, TNR = 0.6, 0.9, 0.8
ALONE = 0.975  # a pair by itself is told apart at this probability
SHARP = float(np.sqrt(0.5) * (logit(TPR) + logit(TNR)))
WEAKER = {"covered": (0.85, 1.0), "rates covered": (0.85, 1.0), "wrong": (0.0, 0.15), "some wrong": (0.0, 0.2)}
CHANCE = WEAKER | {"some wrong": (0.0, 1.0)}
STRICTER = (
    "where the judge is stricter with one of two systems, nothing but their own ratings can tell; where it treats both "
    "more alike than most real judges do, intervals are wider than necessary"
)
DRAWN = (
    "systems that do not differ are drawn together, and their intervals hold the truth all the more often; where they "
    "differ and the judge hardly shows it, they are drawn together too much"
)
UNTOLD = (
    "two or three systems hardly show how much the judge scatters, so that what is believed about real judges "
    "decides; a judge that is more even than most is used with more caution than it deserves, and "
    "the priors found that trust it more, of any shape, are wrong too often where a judge is uneven "
    "([measured](validation.md#what-is-believed-about-judges-and-why))"
)
SEEN = {"alarm": (0.0, 1.0)}  # so many ratings show that the judge does like some systems more than others
TIED = (
    "the line draws systems together that hardly differ, but not two groups that do, and each pair is judged by "
    "itself: with many pairs of equally good systems some are told apart by chance, but few of all verdicts"
)
USUAL: dict[str, Any] = {
    "systems": 2,
    "n_human": 50,
    "n_metric": 1000,
    "correlation": 0.0,
    "leniency_sd": 0.0,
    "discrimination_sd": 0.0,
    "difference": 0.0,
    "rate_sd": 0.0,
    "lower": 0.0,
    "leniency_slope": 0.0,
    "leniency_bend": 0.0,
    "games": 0.0,
    "fewer": 1.0,
}


def truths(rng: Rng, given: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw the systems' rates, and the judge's tpr and tnr for each of them.

    Leniency and discrimination scatter over the systems; leniency may grow with quality, along a line or a curve, and
    the last system may game the judge.
    """
    rates = np.full(given["systems"], RATE)
    rates[:2] += np.array([0.5, -0.5]) * given["difference"]
    rates[len(rates) // 2 :] -= given["lower"]
    rates = expit(logit(rates) + given["rate_sd"] * rng.standard_normal(len(rates)))
    lenient, sharp = np.sqrt(0.5) * np.array([logit(TPR) - logit(TNR), logit(TPR) + logit(TNR)])
    lenient = lenient + given["leniency_sd"] * rng.standard_normal(len(rates))
    quality = logit(rates) - logit(rates).mean()
    lenient = lenient + given["leniency_slope"] * quality + given["leniency_bend"] * quality**2
    lenient[-1] += given["games"]
    sharp = sharp + given["discrimination_sd"] * rng.standard_normal(len(rates))
    return rates, expit(np.sqrt(0.5) * (sharp + lenient)), expit(np.sqrt(0.5) * (sharp - lenient))


def like_real_judges(rng: Rng) -> dict[str, float]:
    """Draw how much a judge's treatment of systems scatters, as the analysis believes it does."""
    return {"leniency_sd": min(abs(0.5 * rng.standard_cauchy()), 3.0), "discrimination_sd": abs(0.2 * rng.normal())}


def study(rng: Rng, *, borrow: str, drawn: bool = False, **more: Any) -> Outcomes:
    """Compare several systems, each pair of which may differ or not."""
    given = USUAL | more | (like_real_judges(rng) if drawn else {})
    rates, tprs, tnrs = truths(rng, given)
    truth = adequate(rng, rates, given["n_human"] + given["n_metric"], given["correlation"])
    passed = verdicts(rng, truth, tprs[:, None], tnrs[:, None])
    ratings = ta.read_ratings(table(truth, passed, rated(truth, given)), paired=given["correlation"] > 0)
    result = ratings.compare(borrow=borrow)
    known = dict(zip(names(len(rates)), rates, strict=True))
    found = told(result.pairs, known, difference=given["difference"])
    marginals = [held(result.marginal(name), rate)["covered"] for name, rate in known.items()]
    return found | {"rates covered": np.mean(marginals)} | beside(result, known, given)


def scored_study(rng: Rng, *, n_human: int, n_metric: int, levels: bool) -> Outcomes:
    """Compare seven equally good systems on the same items by a judge's score, or by its levels from 1 to 5.

    Some items are easy, for people and for the judge's score beyond what its verdict says of them.
    """
    given = USUAL | {"systems": 7, "leniency_sd": 0.2, "discrimination_sd": 0.2, "n_human": n_human}
    rates, tprs, tnrs = truths(rng, given)
    truth = adequate(rng, rates, n_human + n_metric, 0.6)
    passed = verdicts(rng, truth, tprs[:, None], tnrs[:, None])
    score = 1.5 * passed + rng.normal(0, 0.5, truth.shape) + rng.normal(0, 0.3, truth.shape[1])
    shown = np.clip(np.round(2 + score), 1, 5).astype(int) if levels else score
    frame = table(truth, passed, rated(truth, given), judge=shown.ravel())
    ratings = ta.read_ratings(frame, levels="auto" if levels else None)
    known = dict(zip(names(len(rates)), rates, strict=True))
    return told(ratings.compare(borrow="link").pairs, known)


def rated(truth: np.ndarray, given: Mapping[str, Any]) -> np.ndarray:
    """Tell which outputs people rated: as many of each system, or fewer from the first to the last."""
    shares = np.linspace(1.0, given["fewer"], len(truth))
    found: np.ndarray = np.arange(truth.shape[1]) < np.round(given["n_human"] * shares)[:, None]
    return found


def turned(lenient: np.ndarray, sharp: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """Return tpr and tnr of leniency and discrimination."""
    return expit(np.sqrt(0.5) * (sharp + lenient)), expit(np.sqrt(0.5) * (sharp - lenient))


def compared(
    rng: Rng, rates: np.ndarray, judge: tuple[np.ndarray, np.ndarray], sizes: tuple[int, int], borrow: str
) -> Outcomes:
    """Compare systems on items of their own."""
    truth = adequate(rng, rates, sum(sizes))
    passed = verdicts(rng, truth, judge[0][:, None], judge[1][:, None])
    result = ta.read_ratings(table(truth, passed, sizes[0]), paired=False).compare(borrow=borrow)
    known = dict(zip(names(len(rates)), rates, strict=True))
    marginals = [held(result.marginal(name), rate)["covered"] for name, rate in known.items()]
    return told(result.pairs, known) | {"rates covered": np.mean(marginals)}


def pooled_believed(rng: Rng, *, systems: int, n_human: int, n_metric: int) -> Outcomes:
    """Rates, the usual judge and how much its treatment scatters are drawn from what `borrow="rates"` believes."""
    middle, scatter = logit(rng.random(2)), like_real_judges(rng)
    lenient, sharp = np.sqrt(0.5) * np.array([middle[0] - middle[1], middle.sum()])
    lenient = lenient + scatter["leniency_sd"] * rng.standard_normal(systems)
    judge = turned(lenient, sharp + scatter["discrimination_sd"] * rng.standard_normal(systems))
    return compared(rng, rng.random(systems), judge, (n_human, n_metric), "rates")


def line_believed(rng: Rng, *, systems: int, n_human: int, n_metric: int) -> Outcomes:
    """The line, and the systems around it, are drawn from what `borrow="link"` believes; the judge passes as many."""
    scatter, spread = (min(abs(scale * rng.standard_cauchy()), 2.0) for scale in (0.25, 0.5))
    x = spread * rng.standard_normal(systems)
    theta = rng.normal(1, 1) * x + scatter * rng.standard_t(4, systems)
    rates, shares = expit(np.clip(logit(RATE) + theta, -4, 4)), expit(np.clip(logit(RATE) + x, -4, 4))
    lenient = [_leniency(rate, share) for rate, share in zip(rates, shares, strict=True)]
    return compared(rng, rates, turned(np.array(lenient), SHARP), (n_human, n_metric), "link")


def _leniency(rate: float, share: float) -> float:
    """Return how lenient a judge is that passes such a share of a system's outputs."""

    def beyond(lenient: float) -> float:
        tpr, tnr = turned(np.array(lenient), SHARP)
        return float(rate * tpr + (1 - rate) * (1 - tnr)) - share

    return float(brentq(beyond, -30, 30))


class Oracle(PooledRates):
    """Similar error rates, of which it is known how similar."""

    def _lattice(self) -> Any:
        return self._nodes(np.arcsinh(np.array([[self._scatter.leniency, self._scatter.discrimination]]) / TAU_UNIT))


def against_an_oracle(rng: Rng, *, systems: int, leniency_sd: float, n_human: int) -> Outcomes:
    """Two of the systems are ten points apart; beside `borrow="rates"` one that knows how much the judge scatters."""
    scatter = {"leniency_sd": leniency_sd, "discrimination_sd": 0.1}
    rates, *judge = truths(rng, USUAL | scatter | {"systems": systems, "difference": 0.1})
    truth = adequate(rng, rates, n_human + 1000)
    passed = verdicts(rng, truth, *(one[:, None] for one in judge))
    systems_seen = [
        ta.Evidence.of(tally(t[:n_human]), calibration=confusion(t[:n_human], p[:n_human]), metric=tally(p[n_human:]))
        for t, p in zip(truth, passed, strict=True)
    ]
    both = PooledRates(systems_seen), Oracle(systems_seen, scatter=Scatter(*scatter.values()))
    found, known = (pooled.difference(0, 1).probability_positive > ALONE for pooled in both)
    return {"found": found, "found by an oracle": known, "lost": float(known) - float(found)}


def told(pairs: Sequence[ta.Pair], rates: Mapping[str, float], *, difference: float = 0.0) -> Outcomes:
    """Tell how many pairs were told apart rightly and wrongly, and how many intervals hold what is true."""
    found = []
    for pair in pairs:
        gap = rates[pair.first] - rates[pair.second]
        right, said = leads(pair, rates), pair.distinguishable
        asked = bool(difference) and {pair.first, pair.second} == {"S1", "S2"}
        row = said and not right, said and right, asked and said and right, pair.distinguishable_alone and not right
        found.append((*row, *held(pair, gap).values()))
    wrong, right, power, alone, covered, width = np.array(found, dtype=float).T
    outcomes = {"covered": covered.mean(), "width": width.mean(), "wrong": wrong.mean()}
    if len(pairs) > 1:
        outcomes |= {"some wrong": wrong.any(), "some wrong, pair by pair": alone.any()}
        outcomes |= {"wrong of verdicts": wrong.sum() / max(wrong.sum() + right.sum(), 1)}
    differ = len(set(rates.values())) > 1 and len(pairs) > 1
    return outcomes | ({"right": right.mean()} if differ else {}) | ({"found": power.any()} if difference else {})


def leads(pair: ta.Pair, rates: Mapping[str, float]) -> bool:
    """Tell whether the system that seems to be better is."""
    gap = rates[pair.first] - rates[pair.second]
    return bool(gap) and (gap > 0) == (pair.probability > 0.5)


def beside(result: ta.Comparison, rates: Mapping[str, float], given: Mapping[str, Any]) -> Outcomes:
    """Tell what only some rungs have: how wide the interval is unpaired, what items alone tell, who is flagged."""
    if result.borrow == "items":
        apart = told(result.pairs_at("none"), rates, difference=given["difference"])
        return {f"{outcome} unpaired": apart[outcome] for outcome in ("width", "found") if outcome in apart}
    if result.borrow != "link":
        return {}
    items: Outcomes = {}
    if given["rate_sd"]:
        rightly = [pair.distinguishable and leads(pair, rates) for pair in result.pairs_at("items")]
        items = {"right by items": np.mean(rightly)}
    return items | flagged(result, games=bool(given["games"]))


def flagged(result: ta.Comparison, *, games: bool) -> Outcomes:
    """Tell whether the system that games the judge, the last, was flagged, and how many of the others."""
    off = {name for name, caution in result.cautions if caution.code == "off-the-line"}
    honest = names(len(result.ranking) - games)
    return {"alarm": np.mean([name in off for name in honest])} | ({"hit": bool(off - set(honest))} if games else {})


def cell(group: str, name: str, borrow: str, note: str = "", **more: Any) -> Cell:
    """Return a cell of studies; where it is known what the rung cannot do, a note says so and tests allow for it."""
    uneven = borrow == "link" and more.get("leniency_sd", 0) >= 0.4 and more.get("n_human", 0) >= 100
    allowed = CHANCE if note == TIED else WEAKER if note else {}
    return Cell(group, name, study, {"borrow": borrow, **more}, SEEN if uneven else {}, note, allowed)


def same_items() -> list[Cell]:
    """Two systems on the same items: harder for both or not, equal or not."""
    asked = [(c, d, n) for c in (0.0, 0.4, 0.8) for d in (0.0, 0.1) for n in (50, 200)]
    return [
        cell(
            "paired",
            f"{n} + 500, correlation {c}, {_apart(d)}",
            "items",
            correlation=c or 1e-9,
            difference=d,
            n_human=n,
            n_metric=500,
        )
        for c, d, n in asked
    ]


def _apart(difference: float) -> str:
    return f"{100 * difference:.0f} points apart" if difference else "equally good"


def outcomes(rng: Rng, *, shares: tuple[float, ...], n_human: int, n_metric: int) -> Outcomes:
    """Loss, tie and win; the judge says the same in two cases of three."""
    rates = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]])
    kind = rng.choice(3, size=n_human + n_metric, p=shares)
    said = (rng.random(len(kind))[:, None] > rates[kind].cumsum(axis=1)[:, :-1]).sum(axis=1)
    match = ta.read_pairs(pairs_table(kind, said, n_human)).compare().matchups[0]
    gap = (shares[2] - shares[0]) * (1 if match.first == "A" else -1)
    told = {"wrong": match.distinguishable and gap <= 0}
    return held(match, gap) | told | ({"found": match.distinguishable and gap > 0} if gap else {})


_SEEN = 2  # wins or losses among what people rate
_RARE = "one win and one loss are expected among the pairs that people rate: the prior makes the interval wide"


def win_tie_loss() -> list[Cell]:
    """Equal and unequal systems; hardly any ties, many, nearly nothing else."""
    kinds = ((0.3, 0.4, 0.3), (0.3, 0.3, 0.4), (0.45, 0.1, 0.45), (0.05, 0.8, 0.15), (0.02, 0.96, 0.02))
    return [
        Cell(
            "outcomes",
            f"{100 * s[0]:.0f} / {100 * s[1]:.0f} / {100 * s[2]:.0f} %, {n} + {m:,}",
            outcomes,
            {"shares": s, "n_human": n, "n_metric": m},
            note=_RARE if n * s[0] < _SEEN else "",
            allowed={"covered": (0.92, 1.0)} if n * s[0] < _SEEN else {},
        )
        for s in kinds
        for n, m in ((50, 1000), (200, 0))
    ]


def false_verdicts() -> list[Cell]:
    """Two, three and seven systems, each by itself and on the same items."""
    found = []
    for k in (2, 3, 7):
        for borrow, correlation in (("none", 0.0), ("items", 0.4)):
            for d in (0.0, 0.1):
                name = f"{k} systems, {borrow}, {_apart(d) if k == 2 or not d else 'two of them ' + _apart(d)}"
                own = {"systems": k, "correlation": correlation, "difference": d, "n_human": 200, "leniency_sd": 0.6}
                found.append(cell("verdicts", name, borrow, **own))
    found += [cell("verdicts", f"2 systems, shared, {_apart(d)}", "shared", difference=d) for d in (0.0, 0.1)]
    return found


def similar_rates() -> list[Cell]:
    """A judge that treats systems alike, hardly so, or as real ones do."""
    two = [
        (f"2 systems, {n} + 1,000, leniency {t}, {_apart(d)}", {"leniency_sd": t, "n_human": n, "difference": d})
        for t in (0.0, 0.2, 0.6, 1.0)
        for n, d in ((50, 0.0), (50, 0.1))
    ]
    two += [
        (f"2 systems, {n} + 1,000, leniency 0.6, equally good", {"leniency_sd": 0.6, "n_human": n}) for n in (100, 300)
    ]
    two += [
        (
            "2 systems on the same items, 50 + 1,000, leniency 0.2, equally good",
            {"leniency_sd": 0.2, "correlation": 0.4},
        )
    ]
    two += [
        (
            f"2 systems, 50 + 1,000, leniency {t}, discrimination 0.4, equally good",
            {"leniency_sd": t, "discrimination_sd": 0.4},
        )
        for t in (0.2, 0.6)
    ]
    two += [
        (
            f"2 systems on the same items, 50 + 1,000, correlation {c}, leniency 0.6, equally good",
            {"leniency_sd": 0.6, "correlation": c},
        )
        for c in (0.3, 0.6)
    ]
    two += [
        (
            "2 systems, 300 and 60 + 1,000, leniency 0.6, equally good",
            {"leniency_sd": 0.6, "n_human": 300, "fewer": 0.2},
        ),
    ]
    two += [
        (f"3 systems, {n} + 1,000, leniency {t}, equally good", {"systems": 3, "leniency_sd": t, "n_human": n})
        for t, n in ((0.0, 50), (0.6, 100), (1.0, 300))
    ]
    drawn = [
        (f"{k} systems, 50 + 1,000, judge drawn, {_apart(d)}", {"systems": k, "drawn": True, "difference": d})
        for k in (2, 3)
        for d in (0.0, 0.1)
    ]
    believed = [
        Cell(
            "rates",
            f"{k} systems, {n} + {m:,}, everything drawn as the analysis believes",
            pooled_believed,
            {"systems": k, "n_human": n, "n_metric": m},
        )
        for k, n, m in ((2, 50, 500), (2, 200, 500), (3, 50, 500))
    ]
    oracle = [
        Cell(
            "rates",
            f"{k} systems, {n} + 1,000, leniency {t}, {_apart(0.1)}, and an oracle",
            against_an_oracle,
            {"systems": k, "leniency_sd": t, "n_human": n},
            goals={"lost": (-1.0, 0.1)},
            note=UNTOLD,
            allowed={"lost": (-1.0, 1.0)},
        )
        for k, n, t in (
            (2, 50, 0.2),
            (2, 50, 0.6),
            (2, 100, 1.0),
            (3, 50, 0.2),
            (7, 50, 0.2),
            (7, 50, 0.6),
            (7, 50, 1.0),
        )
    ]
    return (
        believed
        + oracle
        + [cell("rates", name, "rates", STRICTER, **{"discrimination_sd": 0.1, **own}) for name, own in two + drawn]
    )


def on_a_line() -> list[Cell]:
    """Many systems: equal, spread, one that games the judge."""
    asked: list[tuple[str, dict[str, Any]]] = [
        ("7 systems, leniency 0.6, equally good", {"leniency_sd": 0.6}),
        ("7 systems, leniency 0.2, equally good", {"leniency_sd": 0.2}),
        ("7 systems, 300 + 0, leniency 0.2, equally good", {"leniency_sd": 0.2, "n_human": 300, "n_metric": 0}),
        ("15 systems, leniency 0.6, equally good", {"leniency_sd": 0.6, "systems": 15}),
        ("7 systems, leniency 0.2, rates spread", {"leniency_sd": 0.2, "rate_sd": 0.4}),
        ("7 systems, leniency 1.0, rates spread", {"leniency_sd": 1.0, "rate_sd": 0.4}),
        ("7 systems, judge drawn, rates spread", {"drawn": True, "rate_sd": 0.4}),
        (
            "7 systems, leniency 0.2, rates spread, one games the judge",
            {"leniency_sd": 0.2, "rate_sd": 0.4, "games": 1.5},
        ),
        (
            "12 systems, leniency 0.2 and growing, rates spread",
            {"leniency_sd": 0.2, "rate_sd": 0.4, "leniency_slope": 0.5, "systems": 12},
        ),
    ]
    asked += [
        ("7 systems, leniency 0.0, equally good", {}),
        ("7 systems, leniency 1.0, equally good", {"leniency_sd": 1.0}),
        ("7 systems, leniency 0.6, discrimination 0.4, equally good", {"leniency_sd": 0.6, "discrimination_sd": 0.4}),
        (
            "7 systems, 100 + 1,000, correlation 0, leniency 0.6, equally good",
            {"leniency_sd": 0.6, "n_human": 100, "correlation": 0.0},
        ),
        (
            "7 systems, 100 + 1,000, correlation 0.6, leniency 0.6, equally good",
            {"leniency_sd": 0.6, "n_human": 100, "correlation": 0.6},
        ),
        ("7 systems, 300 + 1,000, leniency 1.0, equally good", {"leniency_sd": 1.0, "n_human": 300}),
        (
            "7 systems, from 300 down to 60 + 1,000, leniency 0.6, equally good",
            {"leniency_sd": 0.6, "n_human": 300, "fewer": 0.2},
        ),
        (
            "7 systems, leniency 0.2 along a curve, rates spread",
            {"leniency_sd": 0.2, "leniency_bend": 0.5, "rate_sd": 0.4},
        ),
        (
            "7 systems, from 300 down to 60 + 1,000, leniency 0.2, rates spread",
            {"leniency_sd": 0.2, "rate_sd": 0.4, "n_human": 300, "fewer": 0.2},
        ),
        ("15 systems, leniency 0.2, equally good", {"leniency_sd": 0.2, "systems": 15}),
        (
            "15 systems, 100 + 1,000, leniency 0.6, rates spread",
            {"leniency_sd": 0.6, "rate_sd": 0.4, "n_human": 100, "systems": 15},
        ),
    ]
    tied = {"systems": 12, "n_human": 300, "leniency_sd": 0.4, "lower": 0.15}
    asked.append(("12 systems, 300 + 1,000, leniency 0.4, six and six equally good", tied))
    gamed = {"systems": 12, "n_human": 100, "leniency_sd": 0.1, "rate_sd": 0.5, "games": 2.0}
    asked.append(("12 systems, 100 + 1,000, leniency 0.1, rates spread, one games the judge", gamed))
    believed = [
        Cell(
            "link",
            f"{k} systems, {n} + {m:,}, everything drawn as the line believes",
            line_believed,
            {"systems": k, "n_human": n, "n_metric": m},
        )
        for k, n, m in ((7, 50, 1000), (7, 300, 1000))
    ]
    believed += [
        Cell(
            "link",
            f"7 systems, {'levels' if levels else 'a score'}, {n} + {m:,}, correlation 0.6, equally good",
            scored_study,
            {"n_human": n, "n_metric": m, "levels": levels},
            note=DRAWN,
            allowed=WEAKER,
        )
        for n, m, levels in ((300, 0, False), (100, 1000, False), (300, 0, True), (100, 1000, True))
    ]
    return believed + [
        cell(
            "link",
            name,
            "link",
            TIED if "lower" in own else DRAWN,
            **{"systems": 7, "discrimination_sd": 0.2, "correlation": 0.3, **own},
        )
        for name, own in asked
    ]
