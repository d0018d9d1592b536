"""Which system is better: verdicts, ranking, shared rates beside separate ones."""

import json
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from scipy import integrate, stats

import tellapart as ta
from golden import evidence, posterior_case, rows
from strategies import evidences
from tellapart import (
    Comparison,
    Confusion,
    Evidence,
    InvalidInput,
    Levels,
    Pair,
    SharedRates,
    compare,
    homogeneity,
    posterior,
)
from tellapart.analysis.cautions import Caution, shared
from tellapart.analysis.estimation import Estimate
from tellapart.analysis.gate import gate
from tellapart.analysis.studies import Truth, study
from tellapart.core.distribution import Scaled
from tellapart.render import sheets
from tellapart.said import Option


def human(positive, total):
    return Evidence.of((positive, total))


def mixed(rated, confusion, metric):
    return Evidence.of(rated, calibration=Confusion(*confusion), metric=metric)


FIRST = mixed((60, 100), (42, 18, 28, 12), (560, 1000))
SECOND = mixed((55, 100), (38, 17, 31, 14), (510, 1000))
THREE = {"middle": human(320, 527), "best": human(353, 527), "worst": human(250, 527)}


def test_probability_and_interval_of_a_pair():
    """P from ∫ f·G of two Betas; the interval's tails by feeding its ends back."""
    pair = compare({"A": human(353, 527), "B": human(308, 527)}, interval="equal-tailed").pairs[0]
    x = np.linspace(0, 1, 200_001)
    expected = integrate.trapezoid(stats.beta(354, 175).pdf(x) * stats.beta(309, 220).cdf(x), x)
    assert pair.probability == pytest.approx(expected, abs=1e-9)
    assert pair.difference == pytest.approx(45 / 529, abs=1e-11)
    assert pair.distribution.cdf(pair.interval.low) == pytest.approx(0.025, abs=1e-9)
    assert pair.distribution.cdf(pair.interval.high) == pytest.approx(0.975, abs=1e-9)
    assert pair.distinguishable
    assert pair.verdict == "A is better"


@pytest.mark.parametrize("row", rows("pairs"), ids=lambda row: f"{row['first']} > {row['second']}")
def test_golden_pairs(row):
    """Through the front door, whichever of the two comes out first."""
    names = row["first"], row["second"]
    pair = compare({name: posterior_case(name) for name in names}, borrow="none").pairs[0]
    expected = float(row["probability"])
    assert pair.probability == pytest.approx(expected if pair.first == names[0] else 1 - expected, abs=1e-8)


def test_ranking_is_by_mean_and_pairs_follow_it():
    comparison = compare(THREE)
    assert comparison.ranking == ("best", "middle", "worst")
    assert [(p.first, p.second) for p in comparison.pairs] == [
        ("best", "middle"),
        ("best", "worst"),
        ("middle", "worst"),
    ]
    assert all(pair.difference > 0 for pair in comparison.pairs)


def turned(items=100, good=(5, 7, 1)):
    """B is better on the items of all systems; A has easy items besides, and B hard ones."""
    shared = [(name, k, int(k % 10 < of)) for k in range(items) for name, of in zip("ABC", good, strict=True)]
    besides = [row for k in range(items // 4) for row in (("A", 100 + k, 1), ("B", 200 + k, 0))]
    return pl.DataFrame(shared + besides, schema=["system", "item", "human"], orient="row")


def test_the_ranking_follows_what_is_known_item_by_item():
    result = ta.read_ratings(turned()).compare()
    assert result.marginal("A").mean > result.marginal("B").mean
    assert result.ranking == ("B", "A", "C")
    assert result.groups == (("B",), ("A",), ("C",))
    assert {(pair.first, pair.better) for pair in result.pairs} == {("B", "B"), ("A", "A")}
    assert str(result).startswith("B (55.9%) is better than every other system; 3 of 3 pairs can be told apart.")
    assert "On the same items B is ahead of A, though with the lower rate over all items." in str(result)


def test_a_headline_names_nobody_whom_another_beats():
    first, *more = ta.read_ratings(turned()).compare().pairs
    against = replace(first, first="A", second="B", distribution=Scaled(first.distribution, 0.0, -1.0))
    result = ta.read_ratings(turned()).compare()
    result.__dict__.update(pairs=(against, *more), ranking=("A", "B", "C"))  # as if the rates ranked them
    assert str(result).startswith("B (55.9%) is better than every other system")
    assert "{A}, {B} > {C}" in str(sheets(result))  # not {A} > {B}


def test_a_system_that_comes_first_without_the_highest_rate_is_not_said_to_have_it():
    result = ta.read_ratings(turned(20, (6, 7, 6))).compare()
    assert result.ranking[0] == "B"
    assert result.marginal("A").mean > result.marginal("B").mean
    assert "comes first, but cannot be told apart" in str(result)


def test_order_of_input_does_not_matter():
    one, two = compare(THREE), compare(dict(reversed(THREE.items())))
    assert one.ranking == two.ranking
    for a, b in zip(one.pairs, two.pairs, strict=True):
        assert (a.first, a.second) == (b.first, b.second)
        assert a.probability == pytest.approx(b.probability, abs=1e-12)


def test_verdict_at_the_threshold():
    """Distinguishable iff P > 1 − γ/2 or P < γ/2: two-sided, so .974 is not enough at 95%."""
    close = compare({"BR": human(43, 673), "S2S": human(27, 673)})
    pair = close.pairs[0]
    assert 0.97 < pair.probability < 0.98
    assert pair.distinguishable == (pair.probability > 0.975)
    assert compare({"BR": human(43, 673), "S2S": human(27, 673)}, confidence_level=0.9).pairs[0].distinguishable
    assert not compare({"BR": human(43, 673), "S2S": human(27, 673)}, confidence_level=0.99).pairs[0].distinguishable


class Fixed:
    """A distribution of a difference with a given probability."""

    def __init__(self, probability):
        self.probability_positive = probability
        self.mean = probability - 0.5


@pytest.mark.parametrize(
    ("probability", "verdict"),
    [
        (0.9751, "A is better"),
        (0.975, "not distinguishable"),
        (0.5, "not distinguishable"),
        (0.025, "not distinguishable"),
        (0.0249, "B is better"),
    ],
)
def test_verdict_by_probability(probability, verdict):
    """The tail is compared strictly; with level 0.95 it is 0.025 up to rounding."""
    pair = Pair("A", "B", Fixed(probability), 0.95)
    if probability in (0.975, 0.025):  # on the line, rounding of 1 − 0.95 decides; just inside it must hold
        pair = Pair("A", "B", Fixed(probability + (1e-12 if probability < 0.5 else -1e-12)), 0.95)
    assert pair.verdict == verdict


def test_probability_is_a_probability():
    """Quadrature may overshoot by rounding; what is shown may not."""
    assert Pair("A", "B", Fixed(1 + 1e-15), 0.95).probability == 1
    assert Pair("A", "B", Fixed(-1e-15), 0.95).probability == 0


def test_equal_systems_are_not_told_apart():
    pair = compare({"A": FIRST, "B": FIRST}).pairs[0]
    assert pair.probability == pytest.approx(0.5, abs=1e-9)
    assert pair.verdict == "not distinguishable"
    assert "not distinguishable" in str(pair)


def test_no_data_against_no_data():
    pair = compare({"A": Evidence.of(), "B": Evidence.of()}).pairs[0]
    assert pair.probability == pytest.approx(0.5, abs=1e-9)
    assert (pair.interval.low, pair.interval.high) == pytest.approx((-1 + np.sqrt(0.05), 1 - np.sqrt(0.05)), abs=1e-8)


@pytest.mark.parametrize("prior", ["uniform", "jeffreys", (3, 2)])
def test_prior_reaches_every_system(prior):
    comparison = compare({"A": human(6, 10), "B": human(3, 10)}, prior=prior)
    for name, positive in (("A", 6), ("B", 3)):
        assert comparison.estimates[name].mean == pytest.approx(ta.estimate(human=(positive, 10), prior=prior).mean)


def test_level_reaches_every_pair_and_estimate():
    level = 0.8
    for borrow, kind in product(("none", "rates", "shared"), ("highest-density", "equal-tailed")):
        comparison = compare({"A": FIRST, "B": SECOND}, confidence_level=level, borrow=borrow, interval=kind)
        (pair,) = comparison.pairs
        assert pair.confidence_level == level
        ends = [pair.distribution.cdf(end) for end in (pair.interval.low, pair.interval.high)]
        assert ends == pytest.approx([(1 - level) / 2, (1 + level) / 2], abs=1e-6)
        for name in "AB":
            expected = comparison.estimates[name].posterior.interval(level, kind=kind)
            assert comparison.estimates[name].interval == expected


# shared rates


def test_shared_rates_by_name_are_the_joint_posterior():
    """In the same order, and sharper."""
    separate, shared = (compare({"B": SECOND, "A": FIRST}, borrow=borrow) for borrow in ("none", "shared"))
    joint = SharedRates([FIRST, SECOND]).difference(0, 1)
    assert shared.ranking == separate.ranking == ("A", "B")
    assert shared.pairs[0].probability == pytest.approx(joint.probability_positive, abs=1e-9)
    assert shared.pairs[0].interval.width < separate.pairs[0].interval.width
    assert "shared rates" in shared.provenance
    assert shared.needed == ()


def test_shared_rates_give_no_verdict_unless_asked_for():
    """The same counts, told apart under shared rates only: nothing else of the answer speaks of that."""
    systems = {"A": mixed((33, 50), (28, 5, 13, 4), (690, 1000)), "B": mixed((29, 50), (25, 4, 17, 4), (600, 1000))}
    comparison = compare(systems)
    assert comparison.pairs[0].verdict == "not distinguishable"
    assert compare(systems, borrow="shared").pairs[0].verdict == "A is better"
    assert comparison.homogeneity.p_value > 0.05
    assert "shared" not in json.dumps(comparison.to_dict())
    assert "does not mean that they are alike" in str(comparison.homogeneity)


def test_shared_pairs_of_the_golden_file():
    row = rows("shared_rates")[0]
    systems = {"first": evidence(row, "first_"), "second": evidence(row, "second_")}
    pair = compare(systems, borrow="shared").pairs[0]
    expected = float(row["probability"])
    assert pair.probability == pytest.approx(expected if pair.first == "first" else 1 - expected, abs=1e-6)


def test_homogeneity_of_the_calibrations():
    test = compare({"A": FIRST, "B": SECOND}).homogeneity
    assert test == homogeneity([Confusion(42, 18, 28, 12), Confusion(38, 17, 31, 14)])


NOT_SHARED = {
    "human only": {"A": human(6, 10), "B": human(5, 10)},
    "one without metric": {"A": FIRST, "B": human(5, 10)},
    "known rates": {"A": Evidence.of((6, 10), rates=(0.9, 0.8), metric=(5, 9)), "B": FIRST},
    "levels": {
        "A": Evidence.of((60, 99), calibration=Levels((10, 20, 30), (15, 12, 12)), metric=(5, 4, 3)),
        "B": FIRST,
    },
    "two metrics": {"A": replace(FIRST, fused=(SECOND,)), "B": FIRST},
    "by-metric": {"A": replace(FIRST, sampling="by-metric"), "B": FIRST},
}


@pytest.mark.parametrize("case", NOT_SHARED)
def test_where_rates_cannot_be_shared_that_is_refused(case):
    with pytest.raises(InvalidInput, match="random sample" if case == "by-metric" else "binary metric"):
        compare(NOT_SHARED[case], borrow="shared")


@pytest.mark.parametrize(
    ("choice", "known"), [("correction", "auto, holm, none"), ("borrow", "auto, none, items, rates, link, shared")]
)
def test_unknown_choices_are_refused(choice, known):
    with pytest.raises(InvalidInput, match=known):
        compare(THREE, **{choice: "other"})


# what is borrowed


def studied(size, correlation=0.4, leniency_sd=0.2, seed=8):
    rng = np.random.default_rng(seed)
    truth = Truth.draw(np.linspace(0.5, 0.75, size), 0.9, 0.8, rng, leniency_sd=leniency_sd)
    return study(truth, 60, 500, rng, correlation=correlation)


def gamed():
    """Ten systems, and a metric that passes too much of what the third of them gives."""
    rng = np.random.default_rng(5)
    truth = Truth.draw(np.linspace(0.45, 0.8, 10), 0.9, 0.8, rng, leniency_sd=0.1)
    truth.tprs[2], truth.tnrs[2] = 0.97, 0.45
    return study(truth, 150, 1000, rng)[0]


@pytest.fixture(scope="module")
def many():
    systems, items = studied(5)
    return compare(systems, items=items)


def test_by_default_as_much_is_borrowed_as_the_design_allows(many):
    systems, items = studied(2)
    assert many.borrow == "link"
    assert compare(systems, items=items).borrow == compare(systems).borrow == "rates"
    assert compare(THREE).borrow == "none"
    assert compare(THREE, items={}).basis == ""


def test_the_ladder_says_what_each_rung_would_tell(many):
    """Each step is the comparison that one gets by asking for it."""
    assert [step.rung for step in many.ladder] == ["none", "items", "rates", "link"]
    assert [step.used for step in many.ladder] == [False, False, False, True]
    assert [step.rule for step in many.ladder] == ["holm", "holm", "holm", "none"]
    for step in many.ladder:
        alone = compare(many.evidence, items=many.items, borrow=step.rung)
        assert step.told_apart == sum(pair.distinguishable for pair in alone.pairs)
        assert step.told_apart_alone == sum(pair.distinguishable_alone for pair in alone.pairs)
        assert step.pairs == 10
        same = next(p for p in alone.pairs if {p.first, p.second} == {step.leading.first, step.leading.second})
        assert abs(step.leading.difference) == pytest.approx(abs(same.difference), abs=1e-9)
    assert many.ladder[-1].leading.interval.width < many.ladder[0].leading.interval.width


def test_a_rung_by_name_stands_on_the_ladder_too():
    systems, _ = studied(2, correlation=0)
    shared = compare(systems, borrow="shared")
    assert [(step.rung, step.used) for step in shared.ladder] == [("none", False), ("rates", False), ("shared", True)]
    assert "the assumption that the judge errs alike" in shared.basis
    assert compare({"A": FIRST}).ladder == ()


def test_holm_is_not_laid_on_a_line(many):
    """It draws systems together, and each pair is judged by itself; who wants Holm's procedure on top may say so."""
    assert many.rule() == "none"
    assert "pair by pair" in many.signature
    assert many.rule("none") == "holm"
    assert all(pair.corrected is None for pair in many.pairs)
    strict = compare(many.evidence, items=many.items, correction="holm")
    assert strict.rule() == "holm"
    assert all(pair.corrected is not None for pair in strict.pairs)
    assert compare(many.evidence, correction="none", borrow="rates").rule() == "none"


def test_the_basis_says_what_the_verdicts_use(many):
    assert many.basis == (
        "The verdicts draw on the same 60 items, which people rated for all systems, and on how the judge behaves "
        "across the 5 systems."
    )
    assert many.basis in str(many)
    assert "borrow link: item by item" in many.provenance
    items = compare(many.evidence, items=many.items, borrow="items")
    gaps = [abs(p.difference - (items.marginal(p.first).mean - items.marginal(p.second).mean)) for p in items.pairs]
    assert max(gaps) > 0.005  # what a reader of the table would stumble over is said
    assert items.basis == (
        "The verdicts draw on the same 60 items, which people rated for all systems. "
        "Differences are taken item by item; they need not be those of the rates."
    )
    assert "item by item" not in compare(many.evidence, items=many.items, borrow="none").basis
    assert "borrow items" in items.signature
    two, pairs = studied(2)
    assert "for both systems" in compare(two, items=pairs).basis


def test_how_alike_the_systems_are_treated_is_told(many):
    treated = many.treatment
    for middle, low, high in (treated.leniency_sd, treated.discrimination_sd, treated.line_sd):
        assert 0 <= low < middle < high
    assert treated.slope[1] < 1 < treated.slope[2]
    pooled = compare(many.evidence, borrow="rates").treatment
    assert (pooled.slope, pooled.line_sd) == (None, None)
    assert compare(many.evidence, borrow="none").treatment is None


def test_the_ladder_is_in_the_dictionary(many):
    back = json.loads(json.dumps(many.to_dict(), allow_nan=False))
    assert (back["borrow"], back["correction"], back["basis"]) == ("link", "none", many.basis)
    assert [step["rung"] for step in back["ladder"]] == ["none", "items", "rates", "link"]
    assert back["ladder"][-1].keys() == {"rung", "told_apart", "told_apart_alone", "pairs", "rule", "used", "leading"}
    assert back["treatment"].keys() == {"leniency_sd", "discrimination_sd", "slope", "line_sd"}
    known, alone = back["systems"]["S1"], many.estimates["S1"]
    assert known["mean"] == many.marginal("S1").mean != alone.mean == known["alone"]["mean"]
    assert known["interval"]["low"] == many.marginal("S1").interval.low
    assert known["alone"]["summary"] == str(alone)
    assert compare(THREE).to_dict()["treatment"] is None


def test_a_system_off_the_line_is_flagged():
    result = compare(gamed())
    flagged = [(name, caution) for name, caution in result.cautions if caution.code == "off-the-line"]
    assert [name for name, _ in flagged] == ["S3"]
    assert "likes it more than people do" in flagged[0][1].message
    assert "passed and people did not" in flagged[0][1].advice
    assert not any(c.code == "off-the-line" for _, c in compare(gamed(), borrow="none").cautions)


def test_a_calibration_that_is_borrowed_is_said():
    """Nobody rated the third: with the rates of the others its interval is wide, without them it says nothing."""
    systems, _ = studied(2, correlation=0)
    systems["S3"] = Evidence.of((0, 0), calibration=Confusion(0, 0, 0, 0), metric=(300, 500))
    lent, own = compare(systems), compare(systems, borrow="none")
    assert ("S3", "borrowed-calibration") in [(name, caution.code) for name, caution in lent.cautions]
    assert ("S3", "no-calibration") in [(name, caution.code) for name, caution in own.cautions]
    (offered,) = (caution for name, caution in own.cautions if caution.code == "no-calibration")
    assert offered.options == (Option("borrow", "rates"),)
    assert "let the outputs of other systems calibrate it" in offered.advice
    assert lent.marginal("S1").interval.width < lent.marginal("S3").interval.width < own.marginal("S3").interval.width


def test_no_calibration_is_offered_that_nobody_has():
    """By itself, or where no system is calibrated, there is nothing to borrow."""
    alone = Evidence.of((0, 0), calibration=Confusion(0, 0, 0, 0), metric=(300, 500))
    for caution in (*Estimate(alone).warnings, *(caution for _, caution in compare({"A": alone, "B": alone}).cautions)):
        assert (caution.code, caution.options) == ("no-calibration", ())
        assert caution.advice.endswith("; rate a random sample of outputs by hand.")
    (people,) = Estimate(Evidence.of((60, 100), metric=(300, 500))).warnings
    assert people.advice.endswith("; have it rate the outputs that people rated.")


def test_a_verdict_is_said_to_draw_on_what_it_uses():
    """Nobody rated the fourth: its verdicts do not go item by item, though those of the others do."""
    systems, pairs = studied(3)
    systems["S4"] = Evidence.of((0, 0), calibration=Confusion(0, 0, 0, 0), metric=(300, 500))
    result = compare(systems, items=pairs)
    assert result.borrow == "rates"
    assert "which people rated for 3 of 6 pairs of systems" in result.basis
    by_items = [pair for pair in result.pairs if pair.items is not None]
    assert "for all systems" in result.basis_of(by_items)
    other = next(pair for pair in result.pairs if pair.items is None)
    assert result.basis_of([other]) == "The verdicts draw on how the judge behaves across the 4 systems."
    assert result.basis_of([other]) in str(gate(result, candidate=other.first, baseline=other.second))


def test_the_judge_is_said_to_behave_where_it_rated():
    systems, _ = studied(2, correlation=0)
    systems["S3"] = Evidence.of((60, 100), calibration=Confusion(0, 0, 0, 0), metric=(0, 0))
    assert "across the 2 systems that it rated" in compare(systems).basis
    assert compare({name: systems[name] for name in ("S1", "S3")}).borrow == "none"


# many pairs


def test_verdicts_hold_for_all_pairs_together():
    """Seven equal systems but for chance: the raw rule finds a pair, Holm's procedure does not."""
    systems = {f"S{i}": human(k, 200) for i, k in enumerate((100, 104, 96, 92, 108, 87, 112))}
    together, alone = compare(systems), compare(systems, correction="none")
    assert sum(pair.distinguishable for pair in alone.pairs) > 0
    assert sum(pair.distinguishable for pair in together.pairs) == 0
    assert [pair.distinguishable_alone for pair in together.pairs] == [pair.distinguishable for pair in alone.pairs]
    assert len(together.groups) == 1 < len(alone.groups)
    assert "0 of 21 pairs" in str(together)
    assert [pair.better for pair in together.pairs] == [None] * 21


def test_two_systems_need_no_correction():
    systems = {"A": human(353, 527), "B": human(308, 527)}
    assert compare(systems).pairs[0].better == compare(systems, correction="none").pairs[0].better == "A"


# what cannot be relied on


@given(first=evidences(most_calibration=300), second=evidences(most_calibration=300))
def test_an_interval_leaves_out_0_where_the_pair_is_told_apart(first, second):
    (pair,) = compare({"A": first, "B": second}, borrow="none").pairs
    assume(abs(abs(pair.probability - 0.5) - 0.475) > 1e-6)
    assert (pair.interval.low > 0 or pair.interval.high < 0) == pair.distinguishable_alone


@pytest.mark.parametrize("borrow", ["none", "items", "rates", "shared"])
def test_the_better_of_two_is_the_best_with_the_same_probability(borrow):
    systems, items = studied(2)
    result = compare(systems, items={} if borrow == "shared" else items, borrow=borrow)
    assert result.standings[0].probability_best == pytest.approx(result.pairs[0].probability, abs=1e-12)


def test_systems_that_are_set_aside_have_no_rank_and_no_advice():
    odd = Evidence.of((10, 100), calibration=Confusion(tp=10, fn=0, tn=85, fp=5), metric=(900, 1000))
    result = compare({"A": human(50, 100), "B": human(55, 100), "C": human(52, 100), "odd": odd}, borrow="none")
    places = {place.system: place for place in result.standings}
    assert result.doubtful.keys() == {"odd"}
    assert (places["odd"].probability_best, places["odd"].best_rank, places["odd"].worst_rank) == (None, None, None)
    assert sum(places[name].probability_best for name in "ABC") == pytest.approx(1, abs=1e-9)
    assert max(places[name].worst_rank for name in "ABC") == 3
    assert not any("odd" in (need.first, need.second) for need in result.needed)
    told = [(p["set_aside"], p["better"], p["verdict"]) for p in result.to_dict()["pairs"] if "odd" in p.values()]
    assert told == [(True, None, "set aside")] * 3
    assert {name for group in result.groups for name in group} == set("ABC")


@pytest.mark.parametrize("borrow", ["rates", "link", "shared"])
def test_a_system_that_is_set_aside_neither_lends_nor_borrows(borrow):
    """Its ratings contradict each other: they would make the metric's treatment of the others look like anything."""
    sound = {f"S{i}": mixed((50 + i, 100), (45, 5 + i, 42 - i, 8), (530 + 20 * i, 1000)) for i in range(5)}
    torn = mixed((10, 100), (9, 1, 85, 5), (9000, 10_000))
    without, result = (compare(systems, borrow=borrow) for systems in (sound, {**sound, "torn": torn}))
    assert set(result.doubtful) == {"torn"}
    told = {(pair.first, pair.second): pair.probability for pair in result.pairs}
    assert {(p.first, p.second): p.probability for p in without.pairs}.items() <= told.items()
    assert result.marginal("torn").mean == result.estimates["torn"].mean
    places = {one.system: one.probability_best for one in result.standings}
    assert {one.system: one.probability_best for one in without.standings} | {"torn": None} == places
    assert ("the 5 systems that are not set aside" in str(result)) == (borrow != "shared")
    assert result.treatment == without.treatment
    assert set(result.joint.order) == set(result.estimates)


def test_pairs_that_are_set_aside_do_not_make_other_verdicts_stricter():
    odd = Evidence.of((10, 100), calibration=Confusion(tp=10, fn=0, tn=85, fp=5), metric=(900, 1000))
    sound = {"A": human(50, 100), "B": human(66, 100), "C": human(52, 100)}
    alone, more = compare(sound), compare({**sound, "odd": odd, "odder": odd}, borrow="none")
    found = {(p.first, p.second): p.distinguishable for p in more.pairs}
    assert more.doubtful.keys() == {"odd", "odder"}
    assert all(found[p.first, p.second] == p.distinguishable for p in alone.pairs)


def test_the_headline_sets_doubtful_systems_aside():
    """A metric that conflicts with the people says nothing: of that system only what people said is told."""
    odd = posterior_case("conflict")
    said = str(compare({"odd": odd, "high": human(353, 527), "low": human(200, 527)}))
    assert said.startswith("high − low: ")
    assert (
        "Set aside, see the cautions: odd (10.8% by the human ratings alone; human and metric ratings conflict)" in said
    )
    assert str(compare({"odd": odd, "high": human(353, 527)})).startswith("No verdict can be relied on.")
    alone = str(compare({"odd": odd}))
    assert alone.startswith("odd: By the human ratings alone, the system's rate of adequate outputs is 10.8%")
    counted = compare({"odd": odd, "high": human(353, 527), "mid": human(280, 527), "low": human(200, 527)})
    assert "3 of 3 pairs can be told apart" in str(counted)
    assert counted.doubtful == {"odd": ("human and metric ratings conflict",)}


def test_what_is_said_of_several_systems_speaks_of_them():
    likes = Caution("off-the-line", {"likes": True, "chance": 0.99})
    (both,) = shared([("A", likes), ("B", likes)])
    assert str(both).startswith(
        "A, B: Compared with the other systems, the judge likes them more than people do. Their"
    )
    (one,) = shared([("A", likes)])
    assert str(one).startswith("A: Compared with the other systems, the judge likes it more than people do. Its rate")


def test_what_several_systems_share_is_said_once():
    (warning,) = compare({name: human(20 + i, 20 + i) for i, name in enumerate("ABC")}).warnings
    assert str(warning).startswith("All 20 (A), 21 (B) and 22 (C) human ratings are the same (adequate). ")
    assert str(warning).count("depends much on the prior") == 1


# what comes out


@pytest.mark.parametrize("systems", [THREE, {"A": FIRST, "B": SECOND}, NOT_SHARED["levels"]])
def test_dictionary_is_json(systems):
    comparison = compare(systems, borrow="none")
    back = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))
    assert back["ranking"] == list(comparison.ranking)
    assert set(back["systems"]) == set(systems)
    assert back["pairs"][0]["probability_first_better"] == comparison.pairs[0].probability
    assert back["summary"] == str(comparison)
    assert back["pairs"][0]["interval"] == back["pairs"][0]["equal_tailed"] != back["pairs"][0]["highest_density"]
    assert (back["correction"], back["borrow"], back["interval_kind"]) == ("holm", "none", "highest-density")


def test_summary_of_a_pair_and_of_many():
    assert str(compare({"A": FIRST, "B": SECOND})).startswith("A − B: +")
    assert "is better than" in str(compare(THREE))
    near = compare({"A": human(50, 100), "B": human(51, 100), "C": human(52, 100)})
    assert "cannot be told apart from any other system; 0 of 3 pairs can be told apart" in str(near)


def test_summary_of_a_clear_winner():
    tallies = {"low": human(200, 527), "high": human(353, 527), "mid": human(308, 527)}
    assert str(compare(tallies)).startswith("high (66.9%) is better than every other system; 3 of 3 pairs")


def test_summary_counts_pairs():
    comparison = compare(THREE)
    apart = sum(pair.distinguishable for pair in comparison.pairs)
    assert f"{apart} of 3 pairs can be told apart" in str(comparison)


def test_warnings_carry_the_systems_name():
    comparison = compare({"fine": FIRST, "odd": posterior_case("conflict")})
    assert any(warning.startswith("odd: ") and "conflict" in warning for warning in map(str, comparison.warnings))
    assert not any(warning.startswith("fine: ") for warning in map(str, comparison.warnings))


def test_signature_names_every_system_and_the_rules():
    signature = compare({"A": FIRST, "B": SECOND}, borrow="none").provenance
    for part in ("A: human 60/100", "B: human 55/100", "separate rates", "(Holm)", "highest-density", ta.__version__):
        assert part in signature, part


def test_names_may_be_numbers():
    assert compare({1: human(6, 10), 2: human(9, 10)}).ranking == ("2", "1")


def test_one_system_alone_is_estimated():
    alone = compare({"A": FIRST})
    assert alone.estimates["A"].mean == compare({"A": FIRST, "B": FIRST}).estimates["A"].mean
    assert (alone.pairs, alone.needed) == ((), ())
    assert alone.standings[0].probability_best == pytest.approx(1, rel=1e-15)
    assert str(alone.estimates["A"]) in str(alone)


def test_no_system_is_refused():
    with pytest.raises(InvalidInput, match="at least one"):
        compare({})


def test_wrong_level_is_refused():
    with pytest.raises(InvalidInput, match="confidence_level"):
        compare({"A": FIRST, "B": SECOND}, confidence_level=95)


def test_probabilities_grow_with_the_gap():
    probabilities = [compare({"A": human(k, 100), "B": human(50, 100)}).pairs[0].probability for k in (50, 53, 58, 70)]
    assert all(a < b for a, b in pairwise(probabilities))


def test_comparison_is_made_of_estimates():
    """Given estimates it needs nothing else, and their posteriors are the ordinary ones."""
    comparison = compare({"A": FIRST, "B": SECOND}, borrow="none")
    assert (
        Comparison(comparison.estimates, 0.95, comparison.evidence).pairs[0].probability
        == comparison.pairs[0].probability
    )
    assert comparison.estimates["A"].mean == pytest.approx(posterior(FIRST).mean, abs=1e-14)


def test_where_nothing_differs_no_number_of_ratings_is_named():
    """Not "if 0.0 is the true difference, 28,000 ratings at the least"."""
    (advice,) = compare({"A": Evidence.of((60, 100)), "B": Evidence.of((60, 100))}).needed
    assert "resolve only differences above 13.4 points" in str(advice)
    assert str(advice).endswith("; if there is no difference, no number of ratings tells the two apart.")


def test_what_is_as_likely_as_not_is_between_the_quartiles():
    """Of a lopsided difference too: with P above 0.75 both ends are above 0."""
    (advice,) = compare({"A": Evidence.of((29, 30)), "B": Evidence.of((30, 30))}).needed
    assert advice.probability > 0.75
    assert advice.quartiles[0] > 0
    drawn = np.random.default_rng(0).beta([[31], [30]], [[1], [2]], (2, 400_000))
    np.testing.assert_allclose(advice.quartiles, np.quantile(drawn[0] - drawn[1], [0.25, 0.75]), atol=3e-4)


@pytest.mark.parametrize(("first", "second"), [((6, 8), (2, 8)), ((10, 20), (4, 20)), ((16, 20), (10, 20))])
def test_what_the_ratings_resolve_does_not_contradict_the_verdict(first, second):
    """The interval is lopsided: 1.96 standard deviations of it are less than the differences here."""
    result = compare({"A": first, "B": second})
    (pair,), (advice,) = result.pairs, result.needed
    assert advice.resolved > pair.difference > 1.96 * pair.distribution.sd
    assert advice.resolved == pytest.approx(pair.difference - pair.interval.low)


def test_counts_of_human_ratings_are_evidence():
    found = compare({"A": (60, 100), "B": ta.Tally(50, 100)})
    assert found.evidence == compare({"A": human(60, 100), "B": human(50, 100)}).evidence
    with pytest.raises(InvalidInput, match="must be Evidence or counts of human ratings, got '60/100'"):
        compare({"A": "60/100"})
