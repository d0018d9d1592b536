"""Direct estimates on the scale of logits: closed forms of the Beta distribution and of shares."""

import numpy as np
import pytest
from scipy.special import logit, polygamma, psi

from tellapart import Confusion, Evidence, posterior
from tellapart.core.counts import ADEQUACY, PAIRED, Counts, Scale
from tellapart.core.direct import _steadied, estimates
from tellapart.core.distribution import Scaled

ALONE = np.eye(1)


def judged(human, confusion, metric):
    return Evidence.of(human, calibration=Confusion(*confusion), metric=metric)


def one(evidence, distribution=None):
    found = estimates({"A": evidence}, [distribution or posterior(evidence)], ALONE, {})
    return [part.item() for part in found]


@pytest.mark.parametrize("human", [(35, 50), (3, 20), (300, 1000)])
def test_the_logit_of_a_beta_distribution(human):
    """Mean ψ(a) − ψ(b) and variance ψ′(a) + ψ′(b), with people's ratings and a metric that rated nothing else."""
    good, total = human
    evidence = judged(human, (good, 0, total - good, 0), (0, 0))
    y, _, _, _, rest = one(evidence, posterior(Evidence.of(human)))
    gamma, cov_f = one(evidence)[2:4]
    a, b = good + 1, total - good + 1
    assert y == pytest.approx(psi(a) - psi(b), abs=2e-4)  # 64 quantiles
    assert rest + gamma**2 * cov_f == pytest.approx(polygamma(1, a) + polygamma(1, b), rel=5e-3)


def test_the_share_and_how_the_rate_moves_with_it():
    """With precision u of passed outputs and v of failed ones, α = x·u + (1 − x)·v: dα/dx = u − v, here on logits."""
    evidence = judged((60_000, 100_000), (50_000, 10_000, 30_000, 10_000), (480_000, 800_000))
    _, x, gamma, cov_f, _ = one(evidence)
    share, total = 540_000 / 900_000, 900_000
    assert x == pytest.approx(logit(share), abs=1e-5)
    assert cov_f == pytest.approx(1 / (total * share * (1 - share)), rel=1e-4)
    u, v = 5 / 6, 1 / 4
    rate = share * u + (1 - share) * v
    assert gamma == pytest.approx((u - v) * share * (1 - share) / (rate * (1 - rate)), rel=1e-3)


def test_levels_count_by_their_values():
    """A judge from 1 to 3: the share is its mean from 0 to 1, its variance that of a mean."""
    both = ((500, 300, 200), (100, 300, 600))
    evidence = Evidence(Counts(both, (0, 0), (2000, 3000, 3000), ADEQUACY, Scale.of((1, 2, 3))))
    _, x, gamma, cov_f, _ = one(evidence)
    shares = np.array([2600, 3600, 3800]) / 10_000
    mean = shares @ [0, 0.5, 1]
    assert x == pytest.approx(logit(mean), abs=1e-3)
    variance = shares @ (np.array([0, 0.5, 1]) - mean) ** 2 / 10_000
    assert cov_f == pytest.approx(variance / (mean * (1 - mean)) ** 2, rel=1e-3)
    assert gamma > 0


def test_a_system_that_nobody_rated_has_no_gamma():
    assert one(judged((0, 0), (0, 0, 0, 0), (600, 1000)))[2] == 0


def test_places_on_a_scale_are_rates():
    """A mean rating from 1 to 5 is the rate, stretched."""
    evidence = judged((35, 50), (28, 7, 14, 1), (727, 1000))
    own = posterior(evidence)
    assert one(evidence, Scaled(own, 1.0, 4.0)) == pytest.approx(one(evidence, own), rel=1e-9)


def test_errors_go_together_as_people_and_metric_do():
    """The verdicts of both systems on the same items: their correlation is that of the errors of the shares."""
    systems = {name: judged((60, 100), (50, 10, 30, 10), (480, 800)) for name in "AB"}
    table = np.zeros((4, 4), dtype=int)
    table[0, 0], table[3, 3], table[1, 1], table[2, 2] = 30, 50, 10, 10
    pair = Evidence(Counts(tuple(map(tuple, table.tolist())), (0,) * 4, (280, 80, 80, 360), PAIRED, PAIRED))
    correlations = np.array([[1, 0.4], [0.4, 1]])
    found = estimates(systems, [posterior(e) for e in systems.values()], correlations, {("A", "B"): pair})
    passed = {"both": 410, "neither": 310, "one": 90}
    alone = passed["both"] + passed["one"], passed["neither"] + passed["one"]
    expected = (passed["both"] * passed["neither"] - passed["one"] ** 2) / (alone[0] * alone[1])
    assert found.cov_f[0, 1] / found.cov_f[0, 0] == pytest.approx(expected)
    whole = found.cov_r + np.outer(found.gamma, found.gamma) * found.cov_f
    assert whole[0, 1] / whole[0, 0] == pytest.approx(0.4)
    apart = estimates(systems, [posterior(e) for e in systems.values()], np.eye(2), {})
    assert apart.cov_f[0, 1] == 0


def test_people_alone_on_the_same_items_say_nothing_of_the_metric():
    systems = {name: judged((60, 100), (50, 10, 30, 10), (480, 800)) for name in "AB"}
    nothing = Scale((), ())
    pair = Evidence(Counts(((),) * 4, (30, 10, 10, 50), (), PAIRED, nothing))
    found = estimates(systems, [posterior(e) for e in systems.values()], np.eye(2), {("A", "B"): pair})
    assert found.cov_f[0, 1] == 0


def test_correlations_from_few_items_are_drawn_together_as_far_as_chance_explains_them():
    names = ["A", "B", "C"]
    correlations = np.array([[1.0, 0.2, 0.4], [0.2, 1.0, 0.3], [0.4, 0.3, 1.0]])
    pairs = [("A", "B"), ("A", "C"), ("B", "C")]

    def items(n):
        return {pair: Evidence.of((n // 2, n)) for pair in pairs}

    few = _steadied(correlations, names, items(50))
    many = _steadied(correlations, names, items(10**6))
    np.testing.assert_allclose(few[~np.eye(3, dtype=bool)], 0.3)
    np.testing.assert_allclose(many, correlations, atol=1e-3)
    np.testing.assert_array_equal(_steadied(correlations, names, {}), correlations)
