"""Cautions: each is given where it should be, and not where it should not."""

import pytest

from tellapart import Confusion, Evidence, Metric, Tally, estimate
from tellapart.analysis.diagnostics import _predict, cautions
from tellapart.core.evidence import PRIORS

CASES = {
    "conflict": {"human": (10, 100), "calibration": Confusion(95, 5, 95, 5), "metric": (900, 1000)},
    "no-calibration": {"metric": (540, 1000)},
    "few-calibration": {"human": (97, 100), "calibration": Confusion(92, 5, 2, 1), "metric": (905, 1000)},
    "inverted-metric": {"human": (60, 100), "calibration": Confusion(12, 48, 8, 32), "metric": (320, 1000)},
    "useless-metric": {"human": (60, 100), "calibration": Confusion(30, 30, 20, 20), "metric": (500, 1000)},
    "impossible-share": {"metric": (200, 1000), "rates": (0.7, 0.7)},
    "calibration-only": {"calibration": Confusion(210, 90, 140, 60), "metric": (540, 1000)},
    "human-set-aside": {
        "human": (50, 100),
        "calibration": Confusion(42, 8, 38, 12),
        "metric": (540, 1000),
        "sampling": "balanced",
    },
}


@pytest.mark.parametrize("code", CASES)
def test_caution_is_given(code):
    found = estimate(**CASES[code]).warnings
    assert code in [caution.code for caution in found]
    assert all(caution.message and caution.advice for caution in found)


def test_ordinary_evidence_gives_none():
    assert estimate(human=(60, 100), calibration=Confusion(54, 6, 32, 8), metric=(620, 1000)).warnings == ()
    assert estimate(metric=(540, 1000), rates=(0.7, 0.7)).warnings == ()


def test_two_metrics_are_said_to_err_independently():
    metric = Metric.binary(Tally(620, 1000), Confusion(54, 6, 32, 8))
    found = cautions(Evidence(Tally(60, 100), (metric, metric)), PRIORS["uniform"])
    assert [caution.code for caution in found] == ["independent-errors"]


def test_predicted_share_against_simulation():
    """The closed-form mean and variance of the share that the metric passes."""
    import numpy as np  # noqa: PLC0415

    rng = np.random.default_rng(1)
    rate, tpr, fpr = rng.beta(11, 91, 10**6), rng.beta(96, 6, 10**6), rng.beta(6, 96, 10**6)
    share = rate * tpr + (1 - rate) * fpr
    mean, variance = _predict((11, 91), (96, 6), (6, 96))
    assert mean == pytest.approx(share.mean(), abs=2e-4)
    assert variance == pytest.approx(share.var(), rel=0.01)
