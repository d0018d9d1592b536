"""Whole studies, simulated: several systems on the same items, rated by people and by one metric."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit, ndtri

from tellapart.core.counts import ADEQUACY, PAIRED, VERDICT, Counts
from tellapart.core.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tellapart.core.counts import Scale
    from tellapart.core.quadrature import Floats, Indices

Systems = dict[str, Evidence]
Items = dict[tuple[str, str], Evidence]


@dataclass(frozen=True)
class Truth:
    """What is true of each system: its rate, and the metric's tpr and tnr for it."""

    rates: Floats
    tprs: Floats
    tnrs: Floats

    @classmethod
    def draw(  # noqa: PLR0913 - one parameter for each thing that scatters
        cls,
        rates: Sequence[float],
        tpr: float,
        tnr: float,
        rng: np.random.Generator,
        *,
        leniency_sd: float = 0.0,
        discrimination_sd: float = 0.0,
        leniency_slope: float = 0.0,
    ) -> Truth:
        """Draw how the metric treats each system.

        Leniency l and discrimination s scatter by these standard deviations around those of tpr and tnr; leniency may
        also grow with quality, by so much for each logit of the rate.
        """
        own = np.array(rates, dtype=float)
        lenient, sharp = np.sqrt(0.5) * np.array([logit(tpr) - logit(tnr), logit(tpr) + logit(tnr)])
        lenient = lenient + leniency_sd * rng.standard_normal(len(own))
        lenient = lenient + leniency_slope * (logit(own) - logit(own).mean())
        sharp = sharp + discrimination_sd * rng.standard_normal(len(own))
        return cls(own, expit(np.sqrt(0.5) * (sharp + lenient)), expit(np.sqrt(0.5) * (sharp - lenient)))


def study(
    truth: Truth,
    n_human: int | Sequence[int],
    n_metric: int,
    rng: np.random.Generator,
    *,
    correlation: float = 0.0,
) -> tuple[Systems, Items]:
    """Draw ratings of all systems: people rate `n_human` outputs of each, the metric these and `n_metric` more.

    With a correlation the systems answer the same items, some of which are harder than others for all of them, and are
    counted item by item, too; with none, items of their own. `n_human` may differ by system: the first items of all.
    From generators with the same seed come the same first items, whatever the sizes: studies differ by these only.
    """
    size = len(truth.rates)
    human = np.broadcast_to(n_human, size)
    total = int(human.max()) + n_metric
    common = np.sin(np.pi / 2 * correlation)  # of normal variables whose signs have this correlation
    items, outputs, verdicts = rng.spawn(3)
    item, own = items.standard_normal(total), outputs.standard_normal((total, size)).T
    adequate = np.sqrt(common) * item + np.sqrt(1 - common) * own < ndtri(truth.rates)[:, None]
    chance = np.where(adequate, truth.tprs[:, None], 1 - truth.tnrs[:, None])
    passed = chance > verdicts.random((total, size)).T
    rated = np.arange(total) < human[:, None]
    names = [f"S{i + 1}" for i in range(size)]
    systems = {
        name: Evidence(_counted(adequate[i], passed[i], rated[i], (ADEQUACY, VERDICT))) for i, name in enumerate(names)
    }
    if not correlation:
        return systems, {}
    pairs = {
        (names[i], names[j]): Evidence(
            _counted(2 * adequate[i] + adequate[j], 2 * passed[i] + passed[j], rated[i] & rated[j], (PAIRED, PAIRED))
        )
        for i, j in combinations(range(size), 2)
    }
    return systems, pairs


def _counted(truth: Indices, metric: Indices, rated: Indices, scales: tuple[Scale, Scale]) -> Counts:
    """Count what people, where they rated, and the metric say."""
    k = len(scales[0])
    found = np.bincount(np.where(rated, truth, k) * k + metric, minlength=(k + 1) * k).reshape(k + 1, k)
    table = tuple(tuple(map(int, row)) for row in found[:k])
    return Counts(table, (0,) * k, tuple(map(int, found[k])), *scales)
