"""What may be borrowed: which rungs a design allows, what each lacks, and how they follow from each other."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from tellapart import Confusion, Evidence, InvalidInput, Levels
from tellapart.analysis.studies import Truth, study
from tellapart.core.counts import VERDICT, Counts
from tellapart.core.joint import SameItems, Separate
from tellapart.core.ladder import RUNGS, Ladder, Linked, Pooled, Shared
from tellapart.core.prior import PRIORS


def judged(good=60, passed=540, sampling="random"):
    confusion = Confusion(good - 18, 18, 88 - good, 12)
    return Evidence.of((good, 100), calibration=confusion, metric=(passed, 1000), sampling=sampling)


UNRATED = Evidence.of((0, 0), calibration=Confusion(0, 0, 0, 0), metric=(500, 1000))
UNJUDGED = Evidence.of((60, 100), calibration=Confusion(0, 0, 0, 0), metric=(0, 0))
LEVELS = Evidence.of((60, 99), calibration=Levels((10, 20, 30), (15, 12, 12)), metric=(50, 40, 30))


def own_cut():
    counts = judged().own
    return Evidence(
        Counts(counts.both, counts.truth_only, counts.metric_only, counts.truth, replace(VERDICT, own=True))
    )


def named(*evidence):
    return {f"S{i}": one for i, one in enumerate(evidence)}


def simulated(size, correlation=0.4, n_human=60):
    rng = np.random.default_rng(8)
    truth = Truth.draw(np.linspace(0.5, 0.75, size), 0.9, 0.8, rng, leniency_sd=0.2)
    return study(truth, n_human, 500, rng, correlation=correlation)


# which rungs


@pytest.mark.parametrize(
    ("systems", "rungs"),
    [
        (named(*[Evidence.of((6, 10))] * 6), ("none",)),
        (named(judged()), ("none",)),
        (named(judged(), judged(55)), ("none", "rates")),
        (named(judged(), UNRATED), ("none", "rates")),
        (named(UNRATED, UNRATED), ("none",)),
        (named(judged(), UNJUDGED), ("none",)),
        (named(judged(), UNJUDGED, UNRATED), ("none", "rates")),
        (named(judged(), *[UNJUDGED] * 5), ("none",)),
        (named(*[judged()] * 4), ("none", "rates")),
        (named(*[judged()] * 5), ("none", "rates", "link")),
        (named(*[judged()] * 4, UNRATED), ("none", "rates")),
        (named(*[LEVELS] * 5), ("none", "link")),
        (named(*[judged()] * 5, LEVELS), ("none",)),
        (named(*[own_cut()] * 5), ("none",)),
        (named(*[judged(sampling="by-metric")] * 5), ("none",)),
        (named(*[judged(sampling="balanced")] * 5), ("none",)),
    ],
)
def test_the_design_says_how_far_up(systems, rungs):
    ladder = Ladder(systems)
    assert ladder.rungs == rungs
    assert ladder.highest == rungs[-1]


@pytest.mark.parametrize(("size", "highest"), [(2, "rates"), (5, "link")])
def test_same_items_are_a_rung_of_their_own(size, highest):
    systems, items = simulated(size)
    assert Ladder(systems, items=items).rungs[:2] == ("none", "items")
    assert Ladder(systems, items=items).highest == highest


def test_the_outcome_does_not_matter():
    """A metric that is useless, one that errs otherwise for one system, and one that is perfect: the same rungs."""
    useless = Evidence.of((60, 100), calibration=Confusion(30, 30, 20, 20), metric=(500, 1000))
    perfect = Evidence.of((60, 100), calibration=Confusion(60, 0, 40, 0), metric=(600, 1000))
    for other in (useless, perfect):
        assert Ladder(named(*[judged()] * 4, other)).rungs == ("none", "rates", "link")


# what a rung lacks, in one line


@pytest.mark.parametrize(
    ("rung", "systems", "said"),
    [
        (
            "items",
            named(judged(), judged()),
            "`borrow` items needs two systems or more that people rated on the same items; there are none",
        ),
        ("rates", named(own_cut(), own_cut()), "here each system has a cut of its own"),
        ("link", named(*[own_cut()] * 5), "Hint: cut it at one place"),
        ("rates", named(judged(), LEVELS), "needs one metric for all systems"),
        ("link", named(*[Evidence.of((6, 10))] * 5), "needs one metric for all systems"),
        ("rates", named(judged(), judged(sampling="by-metric")), "a random sample of outputs"),
        ("link", named(*[judged()] * 4), "`borrow` link needs 5 systems or more with human ratings; there are 4."),
        ("link", named(*[judged()] * 4, UNRATED), "there are 4"),
        ("rates", named(LEVELS, LEVELS), "here there are levels"),
        ("rates", named(judged(), UNJUDGED), "that rated outputs of two systems or more; it rated those of 1"),
        (
            "rates",
            named(judged()),
            "needs two systems or more, and outputs of one that both people and the metric rated",
        ),
        (
            "rates",
            named(UNRATED, UNRATED),
            "needs two systems or more, and outputs of one that both people and the metric rated",
        ),
        ("shared", named(judged(), LEVELS), "binary metric"),
    ],
)
def test_what_cannot_be_borrowed_is_refused_in_one_line(rung, systems, said):
    with pytest.raises(InvalidInput, match=said) as refused:
        Ladder(systems)[rung]
    assert "\n" not in str(refused.value)


# the rungs themselves


def test_each_rung_is_of_its_kind_and_found_once():
    systems, items = simulated(5)
    ladder = Ladder(systems, items=items)
    kinds = dict(zip(RUNGS, (Separate, SameItems, Pooled, Linked, Shared), strict=True))
    for rung, kind in kinds.items():
        assert isinstance(ladder[rung], kind)
        assert ladder[rung] is ladder[rung]
        assert ladder[rung].names == tuple(systems)


@pytest.mark.parametrize("correlation", [0.0, 0.4])
def test_a_joint_posterior_is_one(correlation):
    """Contrasts in both directions, expected differences, ranks that are all taken: whatever the rung."""
    systems, items = simulated(5, correlation)
    ladder = Ladder(systems, items=items)
    for rung in (*ladder.rungs, "shared"):
        joint = ladder[rung]
        forth, back = joint.contrast("S1", "S4"), joint.contrast("S4", "S1")
        assert forth.probability_positive + back.probability_positive == pytest.approx(1, abs=1e-6), rung
        assert forth.mean == pytest.approx(-back.mean, abs=1e-9), rung
        apart = joint.marginal("S1").mean - joint.marginal("S4").mean
        gap = 0.5 * forth.sd if rung == "items" else 0.02  # a pair has a prior of its own, of what both did
        assert forth.mean == pytest.approx(apart, abs=gap), rung
        ranks = joint.rank_probabilities()
        assert ranks.sum(axis=0) == pytest.approx(np.ones(5), abs=1e-6), rung
        assert ranks.sum(axis=1) == pytest.approx(np.ones(5), abs=1e-6), rung


def test_every_rung_narrows_the_differences():
    """On average over the pairs, with a judge that treats the systems nearly alike."""
    systems, items = simulated(6)
    ladder, names = Ladder(systems, items=items), tuple(systems)
    widths = [
        np.mean([ladder[rung].contrast(a, b).sd for a, b in pairwise(names)]) for rung in ("none", "items", "rates")
    ]
    assert widths[0] > widths[1] > widths[2]
    assert widths[0] > np.mean([ladder["link"].contrast(a, b).sd for a, b in pairwise(names)])


def test_items_and_rates_add_their_precisions():
    """1/V = 1/V_items + (1/V_rates − 1/V_separate), and likewise the means."""
    systems, items = simulated(2)
    ladder, alone = Ladder(systems, items=items), Ladder(systems)
    pair = "S1", "S2"
    both, paired, pooled, own = (
        joint.contrast(*pair) for joint in (ladder["rates"], ladder["items"], alone["rates"], ladder["none"])
    )
    precision = 1 / paired.sd**2 + 1 / pooled.sd**2 - 1 / own.sd**2
    assert both.sd == pytest.approx(precision**-0.5, rel=1e-6)
    mean = (paired.mean / paired.sd**2 + pooled.mean / pooled.sd**2 - own.mean / own.sd**2) / precision
    assert both.mean == pytest.approx(mean, rel=1e-6)


def test_mean_ratings_are_on_their_scale():
    """Two classes worth 0 and 1 against the same worth 1 and 5, on the line."""
    rng = np.random.default_rng(4)
    systems, _ = study(Truth.draw([0.5, 0.55, 0.6, 0.65, 0.7], 0.9, 0.8, rng), 80, 400, rng)
    stretched = {
        name: Evidence(Counts(e.own.both, e.own.truth_only, e.own.metric_only, type(VERDICT).of((1, 5)), VERDICT))
        for name, e in systems.items()
    }
    plain, wide = Ladder(systems)["link"], Ladder(stretched, PRIORS["uniform"])["link"]
    assert wide.marginal("S1").mean == pytest.approx(1 + 4 * plain.marginal("S1").mean, abs=0.02)
    assert wide.contrast("S5", "S1").mean == pytest.approx(4 * plain.contrast("S5", "S1").mean, abs=0.02)
