"""Direct estimates on the scale of logits: closed forms of the Beta distribution and of shares."""

import numpy as np
import pytest
from scipy.special import logit, polygamma, psi

from tellapart import Confusion, Evidence, posterior
from tellapart.core.counts import ADEQUACY, NO_METRIC, PAIRED, Counts, Scale
from tellapart.core.direct import _steadied, estimates, together
from tellapart.core.distribution import Scaled
from tellapart.core.joint import SameItems, Separate
from tellapart.core.prior import PRIORS


def judged(human, confusion, metric):
    return Evidence.of(human, calibration=Confusion(*confusion), metric=metric)


def direct(systems, items=None, marginals=None):
    own = marginals or {name: posterior(evidence) for name, evidence in systems.items()}
    return estimates(systems, list(own.values()), SameItems(Separate(own), items or {}, PRIORS["uniform"]))


def one(evidence, distribution=None):
    found = direct({"A": evidence}, marginals={"A": distribution or posterior(evidence)})
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


def paired(table, alone):
    own = Counts(tuple(map(tuple, np.array(table).tolist())), (0,) * 4, alone, PAIRED, PAIRED)
    return {("A", "B"): Evidence(own)}


def test_errors_go_together_as_people_and_metric_do():
    """The verdicts of both systems on the same items: their correlation is that of the errors of the shares."""
    systems = {name: judged((60, 100), (50, 10, 30, 10), (480, 800)) for name in "AB"}
    table = np.diag([30, 10, 10, 50])
    found = direct(systems, paired(table, (280, 80, 80, 360)))
    passed = {"both": 410, "neither": 310, "one": 90}
    alone = passed["both"] + passed["one"], passed["neither"] + passed["one"]
    expected = (passed["both"] * passed["neither"] - passed["one"] ** 2) / (alone[0] * alone[1])
    assert found.cov_f[0, 1] / found.cov_f[0, 0] == pytest.approx(expected)
    whole = found.cov_r + found.gamma @ found.cov_f @ found.gamma.T
    own = {name: posterior(evidence) for name, evidence in systems.items()}
    below = SameItems(Separate(own), paired(table, (280, 80, 80, 360)), PRIORS["uniform"])
    assert whole[0, 1] / whole[0, 0] == pytest.approx(below.correlations[0, 1])
    assert direct(systems).cov_f[0, 1] == 0


def test_people_alone_on_the_same_items_say_nothing_of_the_metric():
    systems = {name: judged((60, 100), (50, 10, 30, 10), (480, 800)) for name in "AB"}
    nothing = Scale((), ())
    pair = Evidence(Counts(((),) * 4, (30, 10, 10, 50), (), PAIRED, nothing))
    found = direct(systems, {("A", "B"): pair})
    assert found.cov_f[0, 1] == 0
    assert found.gamma[0, 1] == 0


def test_the_covariances_are_those_of_many_evaluations():
    """Of two systems on the same items, some easy and some hard: what comes out over and over scatters as is claimed.

    A verdict on one system's output tells of the item, and so of the other's: with γ alone, what is left of the
    difference of two rates would seem a third less uncertain than it is.
    """
    rng, seen, claimed = np.random.default_rng(5), [], []
    chances = np.array([0.9, 0.3])  # an output is adequate, on easy and on hard items; half of the items are easy
    for _ in range(150):
        truth = rng.random((2, 300)) < np.repeat(chances, 150)
        passed = rng.random((2, 300)) < np.where(truth, 0.9, 0.2)
        systems = {
            name: judged((int(t.sum()), 300), [int(c.sum()) for c in (t & p, t & ~p, ~t & ~p, ~t & p)], (0, 0))
            for name, t, p in zip("AB", truth, passed, strict=True)
        }
        table = np.zeros((4, 4), dtype=int)
        np.add.at(table, (2 * truth[0] + truth[1], 2 * passed[0] + passed[1]), 1)
        found = direct(systems, paired(table, (0,) * 4))
        rest = found.y - found.gamma @ found.x
        seen.append([rest[0] - rest[1], found.x[0] - found.x[1]])
        claimed.append([c[0, 0] + c[1, 1] - 2 * c[0, 1] for c in (found.cov_r, found.cov_f)])
    scatter, belief = np.cov(np.transpose(seen)), np.mean(claimed, axis=0)
    slack = 4 * np.sqrt(2 / len(seen))  # standard errors of a variance
    np.testing.assert_allclose(np.diag(scatter) / belief, 1, atol=slack)
    assert abs(scatter[0, 1]) / np.sqrt(scatter[0, 0] * scatter[1, 1]) < 4 / np.sqrt(len(seen))


def test_the_covariances_of_levels_are_those_of_many_evaluations():
    """The same with a judge that gives one of three levels, more readily the higher ones where the item is easy."""
    rng, seen, claimed = np.random.default_rng(6), [], []
    for _ in range(150):
        easy = np.repeat([1.0, 0.0], 150)
        truth = rng.random((2, 300)) < np.where(easy, 0.9, 0.3)
        level = (rng.random((2, 300)) < np.where(truth, 0.9, 0.2)).astype(int) + (
            rng.random((2, 300)) < 0.2 + 0.6 * easy
        )
        systems = {}
        for name, t, k in zip("AB", truth, level, strict=True):
            both = np.zeros((2, 3), dtype=int)
            np.add.at(both, (t.astype(int), k), 1)
            systems[name] = Evidence(
                Counts(tuple(map(tuple, both.tolist())), (0, 0), (0,) * 3, ADEQUACY, Scale.of((1, 2, 3)))
            )
        counts = np.bincount(2 * truth[0] + truth[1], minlength=4)
        pair = Counts(((),) * 4, tuple(counts.tolist()), (), PAIRED, NO_METRIC)
        shared = together(np.ones(300), truth.T.astype(float), level.T.astype(float))
        found = direct(systems, {("A", "B"): Evidence(pair, together=shared)})
        rest = found.y - found.gamma @ found.x
        seen.append([rest[0] - rest[1], found.x[0] - found.x[1]])
        claimed.append([c[0, 0] + c[1, 1] - 2 * c[0, 1] for c in (found.cov_r, found.cov_f)])
    scatter, belief = np.cov(np.transpose(seen)), np.mean(claimed, axis=0)
    np.testing.assert_allclose(np.diag(scatter) / belief, 1, atol=4 * np.sqrt(2 / len(seen)))
    assert abs(scatter[0, 1]) / np.sqrt(scatter[0, 0] * scatter[1, 1]) < 4 / np.sqrt(len(seen))


def test_a_share_tells_no_more_of_a_rate_than_is_unknown_of_it():
    """Where people rated more than the metric did, hardly any of the error of the rate is that of the share."""
    evidence = judged((100, 200), (30, 0, 30, 0), (30, 60))
    assert one(evidence)[4] > 0


def test_a_metric_that_fails_what_people_pass_is_turned_around():
    forth = {"A": judged((60, 100), (50, 10, 30, 10), (480, 800)), "B": judged((50, 100), (40, 10, 45, 5), (380, 800))}
    back = {"A": judged((60, 100), (10, 50, 10, 30), (320, 800)), "B": judged((50, 100), (10, 40, 5, 45), (420, 800))}
    for one, two in zip(direct(forth), direct(back), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-6)


def test_correlations_from_few_items_are_drawn_together_as_far_as_chance_explains_them():
    seen = np.array([0.2, 0.4, 0.3])
    np.testing.assert_allclose(_steadied(seen, np.array([50, 50, 50])), 0.3)
    np.testing.assert_allclose(_steadied(seen, np.full(3, 10**6)), seen, atol=1e-3)
