"""Outputs that are no random sample, or go together: balanced, chosen by verdict, clusters, slices, scales."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy.special import expit, logit, ndtri

import tellapart as ta
from validity.cell import Cell, Outcomes
from validity.drawn import Rng, confusion, held, table, tally, verdicts

TOGETHER = float(np.sin(np.pi / 2 * 0.2))  # an intra-class correlation of 0.2


def chosen(rng: Rng, *, sampling: str, rate: float, tpr: float, tnr: float, n: int, half: int, prior: str) -> Outcomes:
    """Of n outputs that the judge rated people rate so many of each kind: of truth, or of verdict."""
    truth = rng.random(n) < rate
    passed = verdicts(rng, truth, tpr, tnr)
    kind = truth if sampling == "balanced" else passed
    rated = np.concatenate([np.flatnonzero(kind)[:half], np.flatnonzero(~kind)[:half]])
    calibration, rest = confusion(truth[rated], passed[rated]), np.delete(passed, rated)
    given = {"calibration": calibration, "metric": tally(rest), "sampling": sampling, "prior": prior}
    as_random = held(ta.estimate(human=calibration.human), rate)["covered"]
    return held(ta.estimate(human=calibration.human, **given), rate) | {"as random": as_random}


def _chosen(group: str, sampling: str) -> list[Cell]:
    asked = [
        (rate, tpr, tnr, 1000, 50, "uniform") for rate, tpr, tnr in ((0.8, 0.9, 0.8), (0.5, 0.7, 0.7), (0.2, 0.75, 0.9))
    ]
    asked += [
        (0.8, 0.9, 0.8, 10_000, 25, "uniform"),
        (0.9, 0.9, 0.85, 400, 25, "uniform"),
        (0.7, 0.9, 0.85, 400, 60, "uniform"),
    ]
    asked += [(0.8, 0.9, 0.8, 1000, 50, "jeffreys")]
    return [
        Cell(
            group,
            f"{half} of each kind among {n:,}, judge {tpr:g}/{tnr:g}, {prior}, rate {rate:g}",
            chosen,
            {"sampling": sampling, "rate": rate, "tpr": tpr, "tnr": tnr, "n": n, "half": half, "prior": prior},
            allowed={} if rate == 0.5 else {"as random": (0.0, 0.5)},
        )
        for rate, tpr, tnr, n, half, prior in asked
    ]


def balanced() -> list[Cell]:
    """As many adequate outputs as inadequate ones."""
    return _chosen("balanced", "balanced")


def by_verdict() -> list[Cell]:
    """As many that passed as failed."""
    return _chosen("verdict", "by-metric")


def clusters(rng: Rng, *, documents: int, rated: int, rate: float, judge: bool) -> Outcomes:
    """Two systems, ten outputs of each for every document; the judge's mood, too, is that of the document."""
    document = np.repeat(np.arange(documents), 10)
    common, n = rng.standard_normal(documents), 10 * documents
    hard = np.sqrt(TOGETHER / 2) * (common + rng.standard_normal((2, documents)))
    truth = hard[:, document] + np.sqrt(1 - TOGETHER) * rng.standard_normal((2, n)) < ndtri(rate)
    mood = 0.6 * rng.standard_normal((2, documents))[:, document]
    passed = rng.random((2, n)) < expit(np.where(truth, 1.8, -1.4) + mood)
    frame = table(truth, passed, 10 * rated, document=np.tile(document, 2))
    frame = frame if judge else frame.drop("judge").filter(pl.col("human").is_not_null())
    found = ta.read_ratings(frame, cluster="document").compare(borrow="items")
    alone = ta.read_ratings(frame, paired=False).compare(borrow="none")
    own, naive = ([held(e, rate) for e in one.estimates.values()] for one in (found, alone))
    rates = {key: float(np.mean([one[key] for one in own])) for key in ("covered", "width")}
    gap = held(found.pairs[0], 0.0)
    unaware = float(np.mean([one["covered"] for one in naive]))
    return {**rates, "difference covered": gap["covered"], "unclustered": unaware}


def clustered() -> list[Cell]:
    """Few and many documents, all rated by people or some; with a judge and without."""
    asked = [
        (d, r, rate, True)
        for d, r, rate in ((30, 30, 0.6), (15, 15, 0.6), (60, 15, 0.6), (60, 30, 0.6), (60, 30, 0.85))
    ]
    asked += [(30, 30, 0.6, False)]
    return [
        Cell(
            "clusters",
            f"{documents} documents, {rated} of them rated{'' if judge else ' by people alone'}, rate {rate}",
            clusters,
            {"documents": documents, "rated": rated, "rate": rate, "judge": judge},
            allowed={"unclustered": (0.0, 0.9)},
        )
        for documents, rated, rate, judge in asked
    ]


def sliced(rng: Rng, *, slices: int, n: int, scatter: float) -> Outcomes:
    """One system whose rates in the slices scatter by so many logits around .7; n human ratings in each slice."""
    rates = expit(logit(0.7) + scatter * rng.standard_normal(slices))
    truth = rng.random((slices, n)) < rates[:, None]
    columns = {"system": ["A"] * truth.size, "human": truth.ravel().astype(int)}
    frame = pl.DataFrame(columns | {"slice": np.repeat([f"s{i}" for i in range(slices)], n)})
    found = ta.slices(frame, "slice").rates
    seen = [held(found[f"s{i}"]["A"], rate) for i, rate in enumerate(rates)]
    return {key: float(np.mean([one[key] for one in seen])) for key in ("covered", "width")}


def in_slices() -> list[Cell]:
    """Slices that are alike, and such that are not."""
    alike = "slices that do not differ are drawn together, and their intervals hold the truth all the more often"
    return [
        Cell(
            "slices",
            f"{k} slices of {n} ratings, scatter {s} logits",
            sliced,
            {"slices": k, "n": n, "scatter": s},
            note="" if s else alike,
        )
        for k, n in ((4, 30), (10, 15))
        for s in (0.0, 0.5, 1.0)
    ]


def scale(rng: Rng, *, shares: tuple[float, ...], n_human: int, n_metric: int) -> Outcomes:
    """Ratings from 1 to 5 by people and by a judge, who is one off every third time."""
    value = rng.choice(len(shares), size=n_human + n_metric, p=shares) + 1
    off = rng.choice([-1, 0, 1], size=len(value), p=[1 / 6, 2 / 3, 1 / 6])
    columns = {"system": ["A"] * len(value), "item": np.arange(len(value)), "human": value}
    frame = pl.DataFrame(columns | {"judge": np.clip(value + off, 1, len(shares))})
    frame = frame.with_columns(human=pl.when(pl.col("item") < n_human).then("human"))
    truth = float(np.arange(1, len(shares) + 1) @ np.array(shares))
    return held(ta.read_ratings(frame).estimate().systems["A"], truth)


def scales() -> list[Cell]:
    """Ratings in the middle, and near the top."""
    kinds = {"middling": (0.1, 0.2, 0.3, 0.25, 0.15), "good": (0.02, 0.03, 0.1, 0.3, 0.55)}
    return [
        Cell("scale", f"{kind} ratings, {n} + {m:,}", scale, {"shares": shares, "n_human": n, "n_metric": m})
        for kind, shares in kinds.items()
        for n, m in ((30, 0), (50, 1000), (200, 1000))
    ]
