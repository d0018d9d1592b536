"""Segments of documents: intervals hold if told that they go together, and do not if not."""

from __future__ import annotations

import os

import numpy as np
import polars as pl
import pytest
from scipy.special import expit, ndtri

import tellapart as ta

pytestmark = pytest.mark.slow

RUNS = 30 if "CI" in os.environ else 300
RATE, EACH, TOGETHER = 0.6, 10, float(np.sin(np.pi / 2 * 0.2))  # an intra-class correlation of 0.2


def segments(documents: int, rated: int, rng: np.random.Generator) -> pl.DataFrame:
    """Draw outputs of two systems that are equally good; the judge's mood, too, is that of the document."""
    parts, common = [], rng.standard_normal(documents)
    document = np.repeat(np.arange(documents), EACH)
    for system in "AB":
        hard = np.sqrt(TOGETHER / 2) * (common + rng.standard_normal(documents))
        own = np.sqrt(1 - TOGETHER) * rng.standard_normal(len(document))
        good = hard[document] + own < ndtri(RATE)
        mood = 0.6 * rng.standard_normal(documents)[document]
        passed = rng.random(len(document)) < expit(np.where(good, 1.8, -1.4) + mood)
        columns = {"item": np.arange(len(document)), "document": document, "human": good, "judge": passed}
        human = pl.when(pl.col("document") < rated).then(pl.col("human"))
        parts.append(pl.DataFrame(columns).with_columns(human, system=pl.lit(system)))
    return pl.concat(parts)


@pytest.mark.parametrize(("documents", "rated"), [(30, 30), (15, 15), (60, 15), (60, 30)])
def test_intervals_of_rates_and_differences_hold(documents, rated):
    rng, rates, gaps, naive = np.random.default_rng([documents, rated]), [], [], []
    for _ in range(RUNS):
        table = segments(documents, rated, rng)
        result = ta.read_ratings(table, cluster="document").compare(borrow="items")
        rates += [e.interval.low < RATE < e.interval.high for e in result.estimates.values()]
        gaps.append(result.pairs[0].interval.low < 0 < result.pairs[0].interval.high)
        alone = ta.read_ratings(table, paired=False).compare(borrow="none")
        naive += [e.interval.low < RATE < e.interval.high for e in alone.estimates.values()]
    band = 3 * np.sqrt(0.95 * 0.05 / RUNS)
    assert 0.93 - band < np.mean(rates) < 0.97 + band
    assert 0.93 - band < np.mean(gaps) < 0.97 + band
    assert np.mean(naive) < 0.9
