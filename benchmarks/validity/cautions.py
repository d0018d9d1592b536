"""Every caution that rests on chance: how often it is given where something is wrong, and where nothing is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

import tellapart as ta
from validity.cell import Cell, Outcomes
from validity.drawn import Rng, confusion, tally, verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

Codes = set[str]


def codes(evidence: ta.Evidence) -> Codes:
    return {caution.code for caution in ta.Estimate(evidence).warnings}


def rated(rng: Rng, rate: float, tpr: float, tnr: float, *, n: int = 100, weight: float = 1.0) -> ta.Evidence:
    """1,000 outputs, n of them rated by people; adequate ones `weight` times as likely."""
    truth = rng.random(1000) < rate
    verdict = verdicts(rng, truth, tpr, tnr)
    chances = np.where(truth, weight, 1.0)
    chosen = np.zeros(1000, dtype=bool)
    chosen[rng.choice(1000, n, replace=False, p=chances / chances.sum())] = True
    calibration = confusion(truth[chosen], verdict[chosen])
    return ta.Evidence.of(tally(truth[chosen]), calibration=calibration, metric=tally(verdict[~chosen]))


def conflict(rng: Rng, *, broken: bool) -> Codes:
    """The calibration comes from elsewhere, and may belong to another metric."""
    truth, elsewhere = rng.random(600) < 0.6, rng.random(300) < 0.5
    verdict = verdicts(rng, truth, 0.8, 0.75)
    calibration = confusion(elsewhere, verdicts(rng, elsewhere, *((0.6, 0.95) if broken else (0.8, 0.75))))
    return codes(ta.Evidence.of(tally(truth[:100]), calibration=calibration, metric=tally(verdict[100:])))


def conflict_with_known_rates(rng: Rng, *, broken: bool) -> Codes:
    truth = rng.random(600) < 0.6
    verdict = verdicts(rng, truth, *((0.65, 0.95) if broken else (0.85, 0.8)))
    return codes(ta.Evidence.of(tally(truth[:100]), rates=(0.85, 0.8), metric=tally(verdict[100:])))


def unlike_the_rest(rng: Rng, *, broken: bool) -> Codes:
    return codes(rated(rng, 0.5, 0.9, 0.9, weight=4.0 if broken else 1.0))


def chosen_by_verdict(rng: Rng, *, broken: bool) -> Codes:
    """As many that passed as failed: that does no harm. Chosen by the truth they do."""
    if broken:
        return unlike_the_rest(rng, broken=True)
    truth = rng.random(1000) < 0.8
    verdict = verdicts(rng, truth, 0.9, 0.8)
    chosen = np.concatenate([np.flatnonzero(verdict)[:50], np.flatnonzero(~verdict)[:50]])
    rest = np.delete(verdict, chosen)
    calibration = confusion(truth[chosen], verdict[chosen])
    return codes(ta.Evidence.of(tally(truth[chosen]), calibration=calibration, metric=tally(rest)))


def too_good(rng: Rng, *, broken: bool) -> Codes:
    """A metric made from the human ratings, or one that is right 95 times in 100."""
    share = 0.998 if broken else 0.95
    return codes(rated(rng, 0.6, share, share, n=400))


def useless(rng: Rng, *, broken: bool) -> Codes:
    return codes(rated(rng, 0.6, *((0.5, 0.5) if broken else (0.8, 0.75))))


def inverted(rng: Rng, *, broken: bool) -> Codes:
    return codes(rated(rng, 0.6, *((0.2, 0.3) if broken else (0.5, 0.5))))


def impossible_share(rng: Rng, *, broken: bool) -> Codes:
    """Nearly all outputs are adequate, so the share that passes is near what the rates allow at all."""
    truth = rng.random(1000) < 0.98
    verdict = verdicts(rng, truth, 0.9 if broken else 0.8, 0.7)
    return codes(ta.Evidence.of(rates=(0.8, 0.7), metric=tally(verdict)))


def edge_rate(rng: Rng, *, broken: bool) -> Codes:
    return codes(ta.Evidence.of(tally(rng.random(50) < (0.999 if broken else 0.9))))


def few_calibration(rng: Rng, *, broken: bool) -> Codes:
    return codes(rated(rng, 0.98 if broken else 0.7, 0.9, 0.8))


def rates_differ(rng: Rng, *, broken: bool) -> Codes:
    systems = {name: rated(rng, 0.6, 0.55 if broken and name == "A" else 0.85, 0.8) for name in "ABC"}
    return {caution.code for _, caution in ta.compare(systems, borrow="none").cautions}


def table(
    rng: Rng,
    drop: Callable[[np.ndarray, str], np.ndarray],
    systems: str = "AB",
    *,
    verdict_too: bool = False,
) -> Codes:
    """Return the cautions on a table in which some human ratings were dropped, or all ratings of some outputs."""
    frames = []
    for name in systems:
        truth = rng.random(300) < 0.7
        verdict = verdicts(rng, truth, 0.85, 0.8)
        lost = drop(truth, name)
        human = pl.Series(truth.astype(int)).set(pl.Series(lost | (np.arange(300) >= 200)), None)
        said = pl.Series(verdict.astype(int)).set(pl.Series(lost & verdict_too), None)
        frames.append(pl.DataFrame({"system": [name] * 300, "item": np.arange(300), "human": human, "judge": said}))
    return {caution.code for cautions in ta.read_ratings(pl.concat(frames)).found.values() for caution in cautions}


def missing_labels(rng: Rng, *, broken: bool) -> Codes:
    """Of the second system every sixth rating is missing, or most of the bad ones are."""

    def drop(truth: np.ndarray, name: str) -> np.ndarray:
        chance = rng.random(len(truth))
        lost = chance < 1 / 6 if not broken else ~truth & (chance < 0.6)
        return lost if name == "B" else np.zeros(len(truth), dtype=bool)

    return table(rng, drop)


def missing_labels_of_one_in_five(rng: Rng, *, broken: bool) -> Codes:
    def drop(truth: np.ndarray, name: str) -> np.ndarray:
        chance = rng.random(len(truth))
        return (~truth & (chance < 0.6) if broken else chance < 1 / 6) & (name == "B")

    return table(rng, drop, "ABCDE")


def missing_outputs(rng: Rng, *, broken: bool) -> Codes:
    """One output in a hundred was lost of every system, or one in ten of the second."""

    def drop(truth: np.ndarray, name: str) -> np.ndarray:
        return rng.random(len(truth)) < (0.1 if broken and name == "B" else 0.01)

    return table(rng, drop, "ABCDE", verdict_too=True)


def undecided_votes(rng: Rng, *, broken: bool) -> Codes:
    """Two annotators; they disagree at random, or on most of the bad outputs."""
    truth = rng.random(600) < 0.7
    verdict = verdicts(rng, truth, 0.85, 0.8)
    wrong = np.where(broken & ~truth, 0.4, 0.1)
    votes = [np.where(rng.random(600) < wrong, ~truth, truth).astype(int) for _ in range(2)]
    unrated = pl.Series(np.arange(600) >= 300)
    columns = {f"human_{i}": pl.Series(vote).set(unrated, None) for i, vote in enumerate(votes)}
    frame = pl.DataFrame({"system": ["A"] * 600, "item": np.arange(600), **columns, "judge": verdict.astype(int)})
    found = ta.read_ratings(frame, human=list(columns)).found
    return {caution.code for cautions in found.values() for caution in cautions}


def _pairs(rng: Rng, shares: tuple[float, ...], right: float, first: float = 0.0) -> Codes:
    """Two systems on 200 items, 100 rated by people; the judge saw both orders, and follows the first position."""
    kind, rows, words = rng.choice(3, size=200, p=shares), [], np.array(["b", "tie", "a"])
    for sides in ("AB", "BA"):
        truth = kind if sides == "AB" else 2 - kind
        said = np.where(rng.random(200) < right, truth, 2 - truth)
        said = np.where(rng.random(200) < first, 2, said)
        columns = {"system_a": [sides[0]] * 200, "system_b": [sides[1]] * 200, "item": np.arange(200)}
        rows.append(pl.DataFrame(columns | {"human": words[truth], "judge": words[said]}))
    table = pl.concat(rows).with_columns(human=pl.when(pl.col("item") < 100).then("human"))
    return {caution.code for _, caution in ta.read_pairs(table).compare().cautions}


def position_bias(rng: Rng, *, broken: bool) -> Codes:
    """In one case of four the judge names who stands first."""
    return _pairs(rng, (0.35, 0.3, 0.35), 0.9, 0.25 if broken else 0.0)


def judge_disagrees(rng: Rng, *, broken: bool) -> Codes:
    """The judge guesses, or names the people's winner in four cases of five."""
    return _pairs(rng, (0.35, 0.3, 0.35), 0.5 if broken else 0.8)


def judge_opposes(rng: Rng, *, broken: bool) -> Codes:
    """People prefer the first; the judge says the opposite in most cases, or what people say."""
    return _pairs(rng, (0.15, 0.25, 0.6), 0.15 if broken else 0.85)


def _ranked(rng: Rng, shift: float, right: float) -> Codes:
    truth = rng.random(200) < 0.6
    verdict = np.where(rng.random(200) < right, truth, ~truth).astype(int)
    columns = {"system": ["A"] * 200, "human": truth.astype(int), "judge": verdict}
    found = ta.metrics(pl.DataFrame(columns | {"score": rng.normal(size=200) + shift * truth}))
    return {caution.code for caution in found.warnings}


def repeats_people(rng: Rng, *, broken: bool) -> Codes:
    """One of the columns is a copy of people's ratings, but for a slip."""
    return _ranked(rng, 1.0, 0.998 if broken else 0.95)


def lower_is_better(rng: Rng, *, broken: bool) -> Codes:
    """Good outputs have low scores; or the score says nothing."""
    return _ranked(rng, -1.0 if broken else 0.0, 0.8)


CASES: dict[str, tuple[str, Callable[..., Codes]]] = {
    "conflict": ("conflict", conflict),
    "conflict, known rates": ("conflict", conflict_with_known_rates),
    "unlike-the-rest": ("unlike-the-rest", unlike_the_rest),
    "unlike-the-rest, chosen by verdict": ("unlike-the-rest", chosen_by_verdict),
    "too-good": ("too-good", too_good),
    "useless-metric": ("useless-metric", useless),
    "inverted-metric": ("inverted-metric", inverted),
    "impossible-share": ("impossible-share", impossible_share),
    "edge-rate": ("edge-rate", edge_rate),
    "few-calibration": ("few-calibration", few_calibration),
    "rates-differ": ("rates-differ", rates_differ),
    "missing-labels": ("missing-labels", missing_labels),
    "missing-labels, five systems": ("missing-labels", missing_labels_of_one_in_five),
    "missing-outputs": ("missing-outputs", missing_outputs),
    "undecided-votes": ("undecided-votes", undecided_votes),
    "position-bias": ("position-bias", position_bias),
    "judge-disagrees": ("judge-disagrees", judge_disagrees),
    "judge-opposes": ("judge-opposes", judge_opposes),
    "repeats-people": ("repeats-people", repeats_people),
    "lower-is-better": ("lower-is-better", lower_is_better),
}


def given(rng: Rng, *, code: str, case: Callable[..., Codes]) -> Outcomes:
    """Draw one case that deserves the caution, and one that does not."""
    return {"hit": code in case(rng, broken=True), "alarm": code in case(rng, broken=False)}


def cautions() -> list[Cell]:
    """Return a cell for each case."""
    return [Cell("cautions", name, given, {"code": code, "case": case}) for name, (code, case) in CASES.items()]
