"""Ranks, groups, Holm's procedure and what a pair would need, each against another route."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import data, integers, lists, sampled_from

from tellapart import Confusion, Evidence, InvalidInput, compare, posterior
from tellapart.analysis.ranking import groups, holm, standings
from tellapart.core.ladder import Ladder
from tellapart.core.ranking import rank_probabilities

COUNTS = {"A": (70, 100), "B": (330, 500), "C": (12, 20), "D": (900, 2000)}
SYSTEMS = {name: Evidence.of(counts) for name, counts in COUNTS.items()}


def judged(human, confusion, metric):
    return Evidence.of(human, calibration=Confusion(*confusion), metric=metric)


def test_rank_probabilities_against_draws():
    densities = [posterior(e) for e in SYSTEMS.values()]
    rng = np.random.default_rng(3)
    draws = np.array([rng.beta(p + 1, n - p + 1, 400_000) for p, n in COUNTS.values()])
    ranks = (-draws).argsort(axis=0).argsort(axis=0)
    simulated = np.array([[(row == r).mean() for r in range(len(COUNTS))] for row in ranks])
    exact = rank_probabilities(densities)
    assert exact == pytest.approx(simulated, abs=0.004)
    assert exact.sum(axis=0) == pytest.approx(np.ones(4), abs=1e-10)  # every rank is taken
    assert exact.sum(axis=1) == pytest.approx(np.ones(4), abs=1e-10)


def test_two_ranks_are_one_comparison():
    first, second = posterior(SYSTEMS["A"]), posterior(SYSTEMS["B"])
    assert rank_probabilities([first, second])[0, 0] == pytest.approx(first.greater(second), abs=1e-10)


def test_a_narrow_system_among_wide_ones():
    """The integral must see the narrow one's edges wherever it stands."""
    wide, narrow = posterior(Evidence.of((1, 2))), posterior(Evidence.of((600_000, 1_000_000)))
    exact = rank_probabilities([wide, narrow, wide])
    above = 1 - wide.cdf(0.6)
    assert exact[1] == pytest.approx([(1 - above) ** 2, 2 * above * (1 - above), above**2], abs=1e-4)


def test_rank_intervals_hold_the_ranks_that_matter():
    names = list(SYSTEMS)
    found = standings(names, Ladder(SYSTEMS)["none"], 0.95)
    rows = rank_probabilities([posterior(e) for e in SYSTEMS.values()])
    for standing, row in zip(found, rows, strict=True):
        assert standing.probability_best == pytest.approx(row[0])
        assert row[standing.best_rank - 1 : standing.worst_rank].sum() >= 0.95
        assert row[: standing.best_rank - 1].sum() < 0.025
        assert row[standing.worst_rank :].sum() <= 0.025 + 1e-12


def test_groups_cover_every_system_and_hold_no_pair_told_apart():
    comparison = compare(SYSTEMS)
    apart = {(p.first, p.second) for p in comparison.pairs if p.distinguishable}
    assert {name for group in comparison.groups for name in group} == set(SYSTEMS)
    for group in comparison.groups:
        assert not any((a, b) in apart for a in group for b in group)
    assert groups(["A"], lambda *_: False) == (("A",),)
    assert groups([], lambda *_: False) == ()


@given(n=integers(1, 9), data=data())
def test_two_systems_share_a_group_if_and_only_if_they_cannot_be_told_apart(n, data):
    """Verdicts need not follow the ranking: on the same items, or on a line, some differences are known better."""
    names = [f"s{i}" for i in range(n)]
    pairs = list(combinations(names, 2))
    apart = set(data.draw(lists(sampled_from(pairs), unique=True))) if pairs else set()
    found = groups(names, lambda a, b: (a, b) in apart)
    together = {pair for group in found for pair in combinations(group, 2)}
    assert together == set(pairs) - apart
    assert {name for group in found for name in group} == set(names)
    assert not any(set(one) < set(other) for one in found for other in found)
    assert found == tuple(sorted(found))


def naive_holm(p_values, level):
    """Reject one at a time, from the smallest, as the procedure is told."""
    rest, rejected = dict(enumerate(p_values)), set()
    while rest:
        smallest = min(rest, key=lambda i: rest[i])
        if rest[smallest] >= level / len(rest):
            break
        rejected.add(smallest)
        del rest[smallest]
    return tuple(i in rejected for i in range(len(p_values)))


def test_holm_against_the_procedure_step_by_step():
    rng = np.random.default_rng(0)
    for _ in range(200):
        p_values = (rng.random(rng.integers(1, 8)) ** 3).tolist()
        assert holm(p_values, 0.05) == naive_holm(p_values, 0.05)


def test_holm_never_says_more_than_the_raw_rule():
    comparison = compare(SYSTEMS)
    for pair in comparison.pairs:
        assert pair.distinguishable_alone or not pair.distinguishable


def test_needed_ratings_would_do():
    """With the number that is asked for, the same shares are told apart with room for 80% power; with half, not."""
    comparison = compare({"A": Evidence.of((62, 100)), "B": Evidence.of((55, 100))})
    (need,) = comparison.needed
    assert (need.metric, need.left) == (None, None)
    assert need.human.low < need.human.likely
    assert need.human.high is None or need.human.high > need.human.likely
    for share, expected in ((1, True), (0.5, False)):
        n = 100 + round(share * need.human.likely)
        first, second = (posterior(Evidence.of((round(s * n), n))) for s in (0.6176, 0.549))
        settled = need.difference >= 2.8016 * np.hypot(first.sd, second.sd) * 0.98
        assert settled == expected


def test_a_good_metric_is_offered_and_a_useless_one_is_not():
    calibrated = (54, 6, 36, 4)
    good = compare({"A": judged((60, 100), calibrated, (570, 1000)), "B": judged((60, 100), calibrated, (500, 900))})
    useless = compare(
        {"A": judged((60, 100), (30, 30, 20, 20), (500, 1000)), "B": judged((57, 100), (29, 28, 21, 22), (500, 1000))}
    )
    assert all(need.metric.likely is None for need in useless.needed)
    assert "metric ratings alone would not do" in str(useless.needed[0])
    assert all(need.human.likely > 0 for need in good.needed)
    assert [need.left for need in good.needed] == [900]


def test_needed_says_how_many_outputs_are_left_and_never_what_it_cannot_mean():
    calibrated = (54, 6, 36, 4)
    systems = {"A": judged((64, 100), (58, 6, 32, 4), (61, 100)), "B": judged((60, 100), calibrated, (58, 100))}
    (need,) = compare(systems).needed
    assert f"about {need.human.likely:,} (from {need.human.low:,}" in str(need)
    assert "Only 100 outputs per system are left to rate." in str(need)
    assert "(80% power)" in str(need)
    assert "can tell" not in str(need)
    low, high = need.quartiles
    assert low < need.difference < high
    chance = compare(systems).pairs[0].distribution.cdf(high) - compare(systems).pairs[0].distribution.cdf(low)
    assert chance == pytest.approx(0.5, abs=1e-9)
    none_left = {"A": judged((64, 100), (58, 6, 32, 4), (0, 0)), "B": judged((60, 100), calibrated, (0, 0))}
    assert "No outputs are left to rate" in str(compare(none_left).needed[0])
    unrated = {
        name: replace(evidence, unrated=n) for (name, evidence), n in zip(none_left.items(), (0, 70), strict=True)
    }
    (need,) = compare(unrated).needed
    assert need.left == 0
    assert "No outputs of A are left to rate" in str(need)
    few = {name: replace(evidence, unrated=n) for (name, evidence), n in zip(none_left.items(), (70, 1), strict=True)}
    assert "Only 1 output of B is left to rate." in str(compare(few).needed[0])
    unrated = {name: replace(evidence, unrated=70) for name, evidence in systems.items()}
    assert compare(unrated).needed[0].left == 170  # those that the metric rated, and those that nobody did
    people = {name: replace(Evidence.of((n, 100)), unrated=30) for name, n in (("A", 62), ("B", 55))}
    assert compare(people).needed[0].left == 30


def test_more_pairs_need_more_ratings():
    """Among three open pairs the verdict must be surer than for one."""
    systems = {"A": Evidence.of((62, 100)), "B": Evidence.of((55, 100)), "C": Evidence.of((58, 100))}
    pair = {"A", "B"}
    together, alone = (
        next(need for need in compare(systems, correction=rule).needed if {need.first, need.second} == pair)
        for rule in ("holm", "none")
    )
    assert together.human.likely > alone.human.likely


def test_what_is_unknown_is_not_promised():
    """A difference that comes from the prior alone is no reason to buy a number of ratings."""
    (need,) = compare({"A": Evidence.of(), "B": Evidence.of((1, 2))}).needed
    assert (need.human, need.metric) == (None, None)
    assert "People have rated nothing of A yet" in str(need)


def test_whom_people_have_not_rated_is_named():
    """A judge alone tells something where it is calibrated elsewhere, but people have rated nothing there."""
    alone = judged((0, 0), (0, 0, 0, 0), (500, 1000))
    (neither,) = compare({"A": alone, "B": alone}).needed
    assert neither.unknown == "both"
    assert "People have rated neither A nor B yet" in str(neither)
    (one,) = compare({"A": judged((62, 100), (50, 12, 26, 12), (560, 1000)), "B": alone}).needed
    assert one.unknown == "second"
    assert "People have rated nothing of B yet" in str(one)
    chosen = Evidence.of((6, 10), sampling="balanced")
    (need,) = compare({"A": chosen, "B": chosen}).needed
    assert need.unknown == "sampling"  # people rated some, which say nothing of the rate


@pytest.mark.parametrize("sampling", ["balanced", "by-metric"])
def test_chosen_outputs_promise_nothing_either(sampling):
    systems = {
        name: Evidence.of((60, 100), calibration=Confusion(42, 18, 28, 12), metric=(n, 1000), sampling=sampling)
        for name, n in (("A", 540), ("B", 530))
    }
    (need,) = compare(systems).needed
    assert (need.human, need.metric) == (None, None)
    assert "how they are chosen" in str(need)


def test_frames_are_sent_to_read_ratings():
    with pytest.raises(InvalidInput, match="read_ratings"):
        compare("ratings.csv")


def test_what_is_borrowed_leaves_the_estimates_alone():
    """A system by itself is what it was; only the joint posterior knows of the others, and the signature says so."""
    systems = {
        "A": judged((60, 100), (42, 18, 28, 12), (540, 1000)),
        "B": judged((50, 100), (36, 14, 33, 17), (520, 1000)),
    }
    pooled, own = compare(systems, borrow="rates"), compare(systems, borrow="none")
    for name, estimate in pooled.estimates.items():
        assert estimate.evidence.confusion == systems[name].confusion
        assert estimate.mean == own.estimates[name].mean == own.marginal(name).mean
        assert pooled.marginal(name).posterior.sd < own.marginal(name).posterior.sd
    assert pooled.homogeneity == own.homogeneity
    assert "partially pooled rates" in pooled.provenance
    assert "separate rates" in own.provenance


def test_quality_is_the_beta_posterior_of_the_calibration():
    from scipy.stats import beta  # noqa: PLC0415 - an independent route

    quality = (
        compare(
            {"A": judged((60, 100), (42, 18, 28, 12), (540, 1000)), "B": Evidence.of((1, 2))}, interval="equal-tailed"
        )
        .estimates["A"]
        .quality
    )
    assert quality.tpr.mean == pytest.approx(43 / 62)
    assert (quality.tpr.interval.low, quality.tpr.interval.high) == pytest.approx(
        beta(43, 19).interval(0.95), abs=1e-10
    )
    assert (quality.tnr.interval.low, quality.tnr.interval.high) == pytest.approx(
        beta(29, 13).interval(0.95), abs=1e-10
    )


def test_needed_ratings_would_do_where_error_rates_are_borrowed():
    """What one system lends another is as much as now, however many ratings there are: it does not grow with them."""
    rng, found = np.random.default_rng(1), []

    def rated(rate, n):
        good = int(rng.binomial(n, rate))
        tp, tn = int(rng.binomial(good, 0.9)), int(rng.binomial(n - good, 0.8))
        return np.array([good, n, tp, good - tp, tn, n - good - tn])

    def borrowing(*counts):
        passes = (1995, 2850), (1911, 2850)
        systems = [judged(c[:2].tolist(), c[2:].tolist(), m) for c, m in zip(counts, passes, strict=True)]
        return compare(dict(zip("AB", systems, strict=True)), borrow="rates")

    while len(found) < 12:
        first = rated(0.72, 60), rated(0.68, 60)
        need = next(iter(borrowing(*first).needed), None)
        if need is not None and need.human.likely is not None and need.human.likely < 2000:
            more = (rated(rate, need.human.likely) for rate in (0.72, 0.68))
            after = borrowing(*(a + b for a, b in zip(first, more, strict=True))).pairs[0].distribution.sd
            found.append(2.8016 * after / abs(need.difference))
    assert 0.85 < np.mean(found) < 1.05, found  # a power of 78 to 90%


@pytest.mark.parametrize("borrow", ["rates", "shared", "none"])
def test_standings_do_not_depend_on_the_order_in_which_systems_are_given(borrow):
    systems = {
        "c": judged((45, 60), (40, 5, 12, 3), (1000, 1500)),
        "a": judged((43, 60), (39, 4, 13, 4), (990, 1500)),
        "b": judged((44, 60), (39, 5, 13, 3), (985, 1500)),
    }
    one, two = (compare({name: systems[name] for name in order}, borrow=borrow) for order in ("cab", "abc"))
    assert one.standings == two.standings
    assert [(pair.first, pair.probability) for pair in one.pairs] == [
        (pair.first, pair.probability) for pair in two.pairs
    ]
