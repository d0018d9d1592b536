"""Win, tie, loss: exact shares, verdicts for all pairs together, strengths, and what should be distrusted."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from scipy.special import betainc

import tellapart as ta
from tellapart.analysis.outcomes import Outcomes, Position, compare_pairs, turned
from tellapart.analysis.ranking import holm
from tellapart.core.counts import NO_METRIC, OUTCOME, Counts
from tellapart.core.tournament import davidson

JUDGED = ((20, 3, 2), (4, 10, 4), (2, 5, 30))


def people(loss, tie, win):
    return ta.Evidence(Counts(((),) * 3, (loss, tie, win), (), OUTCOME, NO_METRIC))


def judged(both=JUDGED, metric_only=(200, 100, 300), truth_only=(0, 0, 0)):
    return ta.Evidence(Counts(both, truth_only, metric_only, OUTCOME, OUTCOME))


def test_shares_without_a_judge_are_beta_distributions():
    (one,) = compare_pairs({("A", "B"): people(6, 20, 30)}).matchups
    for share, n in ((one.win, 30), (one.tie, 20), (one.loss, 6)):
        assert share.mean == pytest.approx((n + 1) / 59, abs=1e-12)
        inside = np.diff(betainc(n + 1, 58 - n, [share.interval.low, share.interval.high]))
        assert inside == pytest.approx(0.95, abs=1e-9)
    assert one.difference == pytest.approx(24 / 59)


@pytest.mark.parametrize("counts", [(0, 0, 5), (0, 1, 5), (0, 0, 0), (3, 0, 0)])
def test_shortest_intervals_of_lopsided_shares_are_right(counts):
    """Where an outcome never came, the density may peak at an end; with no ratings at all the contour errs by 1e-6."""
    (one,) = compare_pairs({("A", "B"): people(*counts)}).matchups
    for share, n in zip((one.loss, one.tie, one.win), one.evidence.own.truths, strict=True):
        exact = ta.Prior(rate=(n + 1.0, sum(counts) - n + 2.0))
        expected = ta.posterior(ta.Evidence.of(), exact).interval(0.95)
        assert (share.interval.low, share.interval.high) == pytest.approx((expected.low, expected.high), abs=1e-5)


def test_shares_with_a_judge_are_those_of_draws():
    """q ~ Dirichlet over the judge's outcomes, u ~ Dirichlet over people's given each: drawn 400,000 times."""
    evidence = judged()
    rng = np.random.default_rng(7)
    cells = np.array(JUDGED) + 1 / 3
    q = rng.dirichlet(cells.sum(axis=0) + np.array(evidence.own.metric_only), 400_000)
    u = np.stack([rng.dirichlet(column, 400_000) for column in cells.T], axis=1)
    shares = np.einsum("nk,nkc->nc", q, u)
    (one,) = compare_pairs({("A", "B"): evidence}).matchups
    assert [one.loss.mean, one.tie.mean, one.win.mean] == pytest.approx(shares.mean(axis=0).tolist(), abs=5e-4)
    net = shares[:, 2] - shares[:, 0]
    assert one.probability == pytest.approx((net > 0).mean(), abs=1e-3)
    ends = one.distribution.interval(0.95, kind="equal-tailed")
    assert (ends.low, ends.high) == pytest.approx(np.quantile(net, [0.025, 0.975]).tolist(), abs=2e-3)


def test_a_pair_seen_from_the_other_side_says_the_same():
    evidence = judged()
    one = compare_pairs({("A", "B"): evidence})
    two = compare_pairs({("B", "A"): turned(evidence)})
    assert turned(turned(evidence)) == evidence
    assert str(one) == str(two)
    assert one.strengths == pytest.approx(two.strengths)


def test_an_interval_that_holds_0_looks_like_it():
    result = compare_pairs({("A", "B"): people(8, 14, 18)})
    (one,) = result.matchups
    assert -0.005 < one.interval.low < 0
    assert one.better is None
    assert "+23 (-0 – +45)" in result._repr_html_()


def test_verdicts_hold_for_all_pairs_together():
    pairs = {("A", "B"): people(10, 5, 40), ("A", "C"): people(10, 5, 22), ("B", "C"): people(10, 5, 22)}
    result = compare_pairs(pairs)
    p = [2 * min(one.probability, 1 - one.probability) for one in result.matchups]
    assert [one.distinguishable for one in result.matchups] == list(holm(p, 0.05))
    raw = compare_pairs(pairs, correction="none")
    assert [one.distinguishable for one in raw.matchups] == [value < 0.05 for value in p]
    assert [one.distinguishable for one in result.matchups] != [one.distinguishable for one in raw.matchups]


def test_strengths_are_recovered():
    """Expected counts of Davidson's model give its strengths back."""
    strengths, nu = {"A": 1.0, "B": 0.3, "C": -0.4, "D": -0.9}, 0.7
    counts = {}
    for a, s in strengths.items():
        for b, t in strengths.items():
            if a < b:
                shares = np.array([np.exp(t), nu * np.exp((s + t) / 2), np.exp(s)])
                counts[a, b] = (1e5 * shares / shares.sum()).tolist()
    assert davidson(counts) == pytest.approx(strengths, abs=1e-6)
    whole = {pair: people(*map(round, each)) for pair, each in counts.items()}
    assert compare_pairs(whole).strengths == pytest.approx(strengths, abs=1e-3)


def test_strengths_exist_whatever_the_counts():
    assert compare_pairs({("A", "B"): people(0, 0, 0), ("C", "D"): people(0, 0, 10**6)}).ranking[2:] == ("C", "D")
    assert all(np.isfinite(list(davidson({("A", "B"): (0, 0, 50), ("B", "C"): (0, 0, 50)}).values())))


def test_circles_are_noticed():
    pairs = {("A", "B"): people(2, 5, 60), ("B", "C"): people(2, 5, 60), ("A", "C"): people(60, 5, 2)}
    ((_, caution),) = compare_pairs(pairs).cautions
    assert caution.code == "cycle"
    assert "A beats B beats C beats A" in caution.message


def test_systems_that_no_pairs_link_are_not_ranked_together():
    result = compare_pairs({("X", "Y"): people(40, 1, 1), ("V", "U"): people(10, 5, 12)})
    assert str(result) == "No pairs link all systems, which makes 2 rankings, not one; 1 of 2 pairs can be told apart."
    assert result.ranking == ("V", "U", "Y", "X")
    assert result.strengths["Y"] == pytest.approx(-result.strengths["X"])
    assert result.to_dict()["parts"] == [["U", "V"], ["X", "Y"]]
    assert "in each part" in result._repr_html_()


def codes(*pairs, **more):
    names = [("A", "B"), ("C", "D"), ("E", "F")]
    return [c.code for _, c in Outcomes(dict(zip(names, pairs, strict=False)), **more).cautions]


def test_what_should_be_distrusted():
    assert codes(judged()) == []
    assert codes(people(3, 2, 4), people(1, 2, 3)) == ["unconnected"]
    never = ((0, 0, 0),) * 3
    assert codes(judged(never, truth_only=(10, 5, 20))) == ["uncalibrated"]
    assert codes(judged(never)) == ["no-human", "uncalibrated"]
    opposite = tuple(row[::-1] for row in JUDGED)
    assert "judge-disagrees" in codes(judged(opposite, (0, 0, 0)))
    assert "judge-opposes" in codes(judged(((2, 2, 8), (1, 2, 3), (40, 2, 3)), (30, 2, 2)))
    assert "unlike-the-rest" in codes(judged(metric_only=(900, 100, 20)))
    assert "position-bias" in codes(judged(), position=Position(((5, 0, 0), (0, 5, 0), (40, 0, 5))))
    assert "position-bias" not in codes(judged(), position=Position(((5, 0, 4), (0, 5, 0), (4, 0, 5))))


@pytest.mark.parametrize(("alone", "advice"), [(0, "counts as a tie"), (1, "Have it judge every pair in both orders")])
def test_who_had_both_orders_judged_is_not_told_to(alone, advice):
    both, position = ((0, 0, 0), (0, 30, 0), (0, 0, 0)), Position(((0, 0, 0), (0, 0, 0), (60, 0, 0)))
    result = Outcomes({("A", "B"): judged(both, (0, 30 + alone, 0))}, position=position)
    (caution,) = (c for _, c in result.cautions if c.code == "position-bias")
    assert advice in caution.advice


def test_a_judge_that_nobody_checked_changes_nothing():
    alone = compare_pairs({("A", "B"): people(10, 5, 20)}).matchups[0]
    beside = compare_pairs({("A", "B"): judged(((0, 0, 0),) * 3, truth_only=(10, 5, 20))}).matchups[0]
    assert beside.probability == alone.probability


def test_verdicts_that_rest_on_a_judge_no_better_than_chance_are_set_aside():
    evidence = judged(((2, 4, 2), (2, 9, 3), (6, 7, 5)), (40, 0, 40))  # as often wrong about the winner as right
    result = compare_pairs({("A", "B"): evidence})
    (one,) = result.matchups
    assert one.distinguishable_alone
    assert (one.better, one.verdict, result.beaten["A"]) == (None, "set aside", ())
    assert str(result).endswith(
        "set aside. Without the judge, which may be no better than chance, people do not tell the two apart."
    )
    assert "set aside" in result._repr_html_()
    assert "set aside" in str(result.plot().to_dict())
    assert not compare_pairs({("A", "B"): people(*evidence.own.truths)}).matchups[0].distinguishable_alone
    several = str(compare_pairs({("A", "B"): evidence, ("B", "C"): people(5, 5, 5)}, correction="none"))
    assert "0 of 2 pairs can be told apart. Set aside: A against B. Without" in several


def test_what_people_alone_tell_apart_stays_so_whatever_the_judge():
    sure = judged(((1, 1, 2), (2, 9, 3), (12, 14, 10)), (10, 10, 60))
    result = compare_pairs({("A", "B"): sure})
    assert result.judge_doubted
    assert result.matchups[0].better == "A"
    assert compare_pairs({("A", "B"): judged()}).matchups[0].better == "A"  # a good judge


def test_position_counts_half_points():
    fair = Position(((10, 0, 0), (0, 10, 0), (0, 0, 10)))
    assert fair.flips == ta.Tally(0, 30)
    assert fair.first.mean == pytest.approx(0.5)
    first = Position(((0, 0, 0), (0, 0, 0), (20, 0, 0)))  # whoever stands first wins
    assert first.first.mean == pytest.approx((20 + 1) / 22)
    assert first.flips == ta.Tally(20, 20)


def test_results_are_words_json_and_pickles():
    result = compare_pairs({("A", "B"): judged(), ("B", "C"): people(3, 4, 30)})
    value = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert value["summary"] == str(result)
    assert value["matchups"][0]["win"]["mean"] == result.matchups[0].win.mean
    assert [row["system"] for row in value["strengths"]] == list(result.ranking)
    assert pickle.loads(pickle.dumps(result)).signature == result.signature  # noqa: S301 - our own
    assert result.to_frame().height == 2
    assert result.to_frame("systems").height == 3
    assert "w/t/l" in result._repr_html_()
    assert result.plot().to_dict()["title"] == "Who wins?"


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"borrow": "rates"}, "`borrow` must be none"),
        ({"correction": "x"}, "`correction` must be one of"),
        ({"prior": (1, 2)}, "`prior` must be named"),
        ({"confidence_level": 2}, "`confidence_level` must"),
        ({"interval": "x"}, "`interval` must be one of"),
    ],
)
def test_choices_that_make_no_sense_are_refused(choice, said):
    with pytest.raises(ta.InvalidInput, match=said):
        compare_pairs({("A", "B"): people(1, 2, 3)}, **choice)
    with pytest.raises(ta.InvalidInput, match="`pairs` must hold"):
        compare_pairs({})
