"""Ratings, drawn: by people, by a judge that errs, of one system or several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from scipy.special import ndtri

import tellapart as ta

if TYPE_CHECKING:
    from collections.abc import Sequence

Rng = np.random.Generator


def verdicts(rng: Rng, truth: np.ndarray, tpr: Any, tnr: Any) -> np.ndarray:
    """Draw what a judge says of outputs."""
    chance = rng.random(truth.shape)
    return np.where(truth, chance < tpr, chance >= tnr)


def confusion(truth: np.ndarray, passed: np.ndarray) -> ta.Confusion:
    """Count outputs that people and the judge rated."""
    counts = (truth & passed, truth & ~passed, ~truth & ~passed, ~truth & passed)
    return ta.Confusion(*(int(kind.sum()) for kind in counts))


def tally(values: np.ndarray) -> ta.Tally:
    """Count the adequate ones."""
    return ta.Tally(int(values.sum()), len(values))


def counts(rng: Rng, rate: float, n_human: int, n_metric: int, tpr: float = 0.9, tnr: float = 0.8) -> dict[str, Any]:
    """Draw what `estimate` takes: a random sample rated by people and the judge, and more by the judge alone."""
    positive = int(rng.binomial(n_human, rate))
    human = {"human": (positive, n_human)}
    if not n_metric:
        return human
    tp, tn = int(rng.binomial(positive, tpr)), int(rng.binomial(n_human - positive, tnr))
    passed = int(rng.binomial(n_metric, rate * tpr + (1 - rate) * (1 - tnr)))
    calibration = ta.Confusion(tp=tp, fn=positive - tp, tn=tn, fp=n_human - positive - tn)
    return human | {"calibration": calibration, "metric": (passed, n_metric)}


def evidence(rng: Rng, *how: Any) -> ta.Evidence:
    """Draw the same for `compare`."""
    found = counts(rng, *how)
    return ta.Evidence.of(found.pop("human"), **found)


def leveled(rng: Rng, rate: float, n_human: int, n_metric: int, rates: np.ndarray) -> dict[str, Any]:
    """Draw what `estimate` takes of a judge with levels; one row of rates for inadequate outputs, one for adequate."""
    joint = np.array([1 - rate, rate])[:, None] * rates
    both = rng.multinomial(n_human, joint.ravel()).reshape(joint.shape)
    calibration = ta.Levels(tuple(both[1].tolist()), tuple(both[0].tolist()))
    alone = rng.multinomial(n_metric, joint.sum(axis=0)).tolist()
    return {"human": (int(both[1].sum()), n_human), "calibration": calibration, "metric": alone}


def adequate(rng: Rng, rates: Sequence[float], items: int, correlation: float = 0.0) -> np.ndarray:
    """Draw which outputs are adequate, one row a system; with a correlation some items are harder for all of them."""
    common = np.sin(np.pi / 2 * correlation)  # of normal variables whose signs have this correlation
    own = rng.standard_normal((len(rates), items))
    return np.sqrt(common) * rng.standard_normal(items) + np.sqrt(1 - common) * own < ndtri(rates)[:, None]


def names(systems: int) -> list[str]:
    return [f"S{i + 1}" for i in range(systems)]


def table(truth: np.ndarray, passed: np.ndarray, rated: Any, **more: Any) -> pl.DataFrame:
    """Return a table of ratings, one row of the arrays a system; people's where `rated`, an array or how many."""
    systems, items = truth.shape
    seen = np.broadcast_to(np.arange(items) < rated if np.isscalar(rated) else rated, truth.shape)
    columns = {
        "system": np.repeat(names(systems), items),
        "item": np.tile(np.arange(items), systems),
        "human": truth.ravel().astype(int),
        "judge": passed.ravel().astype(int),
        "seen": seen.ravel(),
        **more,
    }
    frame = pl.DataFrame(columns).with_columns(human=pl.when("seen").then("human"))
    return frame.drop("seen")


def held(result: Any, truth: float) -> dict[str, float]:
    """Tell whether an interval holds the truth, and how wide it is; of a result or of a distribution."""
    interval = result.interval() if callable(result.interval) else result.interval
    return {"covered": interval.low <= truth <= interval.high, "width": interval.width}
