"""The ratings tables of the guides: `python examples/cases.py prompts > prompts.csv`.

Real ones are rebuilt from counts of public evaluations: how many outputs got which verdicts is real, the rows are not.
Invented ones (`chat`, `v1` to `v4` and `labels`) are drawn with a fixed seed.
"""

from __future__ import annotations

import csv
import sys
from functools import partial
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 20221207
RATED = 100
Row = tuple[object, ...]

# Answers of text-davinci-003 to 301 questions of NQ-open, each pattern with its number of questions: what people
# said of the answer to a prompt with 64 examples and to one without any, then what a GPT-4 judge said of both. From
# OpenQA-eval (Kamalloo et al., ACL 2023).
PROMPTS = (
    "1111:167 0000:40 1010:20 1100:13 1101:9 0101:9 0001:8 1110:6 1000:6 0011:5 0100:4 1001:2 0111:2 0010:2 "
    "000-:2 -1-1:1 110-:1 1011:1 101-:1 0110:1 111-:1"
)
# The same study: up to three annotators of the first answer, then of the second.
ANNOTATORS = (
    "11-11-:166 00-00-:36 11-00-:14 101101:9 10100-:7 00-11-:7 011011:5 00-010:5 100100:5 11-101:4 01011-:4 "
    "11-010:3 010010:3 10000-:3 10111-:3 11-011:2 01000-:2 10011-:2 01111-:2 1-11-1:2 010011:1 101010:1 11-1-1:1 "
    "001010:1 00-011:1 00-100:1 111010:1 100101:1 ---1-1:1 00-001:1 101100:1 110110:1 011010:1 1-111-:1 1-100-:1 "
    "111101:1 11-100:1"
)
# The same study: people, exact match, "contains the reference answer", and the judges text-davinci-003 and GPT-4.
JUDGES = {
    "FiD-KD": (
        "11111:142 00000:58 10011:34 10000:20 10111:10 01111:5 00011:5 10001:5 00001:4 00010:4 10010:4 11110:3 "
        "10110:1 01110:1 01101:1 00111:1 11100:1"
    ),
    "R2-D2": (
        "11111:146 00000:67 10011:25 10000:20 10111:10 01111:6 10010:5 00010:5 11110:4 00011:3 10001:2 00001:2 "
        "11100:1 01110:1 10101:1"
    ),
    "few-shot": (
        "11111:102 00000:60 10011:55 10111:32 10000:24 10001:6 10010:5 00011:4 00001:4 00010:3 00111:2 10100:1 "
        "10101:1 10110:1"
    ),
    "zero-shot": (
        "10111:86 10011:59 00000:40 11111:38 00010:25 10000:12 10010:10 00001:10 10001:5 00111:4 00110:2 00011:2 "
        "10110:2 00100:1"
    ),
}
# MT-Bench, Zheng et al. (2023): people's majority and GPT-4's verdict, a or b the better, t a tie.
PAIRS = {
    ("gpt-4", "claude-v1"): "aa:22 at:8 ab:4 ta:9 tt:18 tb:6 ba:10 bt:7 bb:3",
    ("gpt-4", "gpt-3.5-turbo"): "aa:36 at:5 ab:1 ta:16 tt:12 tb:3 ba:13 bt:4 bb:3",
    ("claude-v1", "gpt-3.5-turbo"): "aa:22 at:6 ab:2 ta:18 tt:28 tb:3 ba:8 bt:6 bb:9",
}
WORDS = {"-": "", "t": "tie"}


def patterns(counts: str) -> Iterator[list[str]]:
    """Yield every pattern of `11:3 10:2` as often as it was seen, mark by mark."""
    for entry in counts.split():
        marks, number = entry.split(":")
        yield from [[WORDS.get(mark, mark) for mark in marks]] * int(number)


def prompts() -> Iterator[Row]:
    """Two prompts on the same questions, rated by people and judged by GPT-4."""
    yield "system", "item", "human", "judge"
    for item, (few, zero, judge_few, judge_zero) in enumerate(patterns(PROMPTS), 1):
        yield "few-shot", f"q{item}", few, judge_few
        yield "zero-shot", f"q{item}", zero, judge_zero


def annotators() -> Iterator[Row]:
    """Three annotators, of whom the third was asked mostly where the others disagreed."""
    yield "system", "item", "annotator1", "annotator2", "annotator3"
    for item, votes in enumerate(patterns(ANNOTATORS), 1):
        yield "few-shot", f"q{item}", *votes[:3]
        yield "zero-shot", f"q{item}", *votes[3:]


def judges() -> Iterator[Row]:
    """Four ways to judge an answer, beside people."""
    yield "system", "item", "human", "exact_match", "contains", "davinci", "gpt4"
    for system, counts in JUDGES.items():
        for item, verdicts in enumerate(patterns(counts), 1):
            yield system, f"{system}-{item}", *verdicts


def pairs() -> Iterator[Row]:
    """Three chat systems, two at a time."""
    yield "system_a", "system_b", "item", "human", "judge"
    for (first, second), counts in PAIRS.items():
        for item, outcomes in enumerate(patterns(counts), 1):
            yield first, second, f"q{item}", *outcomes


def chat() -> Iterator[Row]:
    """Two invented chat systems on 500 questions: a judge gives 1 to 5 to all answers, people to 100 of each."""
    yield "system", "item", "human", "judge"
    rng = np.random.default_rng(SEED)
    hardness = rng.normal(0, 0.7, 500)
    for system, quality in (("base", 3.3), ("tuned", 3.6)):
        answer = quality - hardness + rng.normal(0, 0.9, 500)
        human = _rating(answer + rng.normal(0, 0.5, 500))
        judge = _rating(answer + rng.normal(0.4, 0.7, 500))  # kinder, and less exact
        for i, (said, judged) in enumerate(zip(human, judge, strict=True), 1):
            yield system, f"q{i}", said if i <= RATED else "", judged


def version(name: str) -> Iterator[Row]:
    """One of four versions of an invented system on 1000 questions; people rated 100 answers of all but the last."""
    yield "system", "item", "human", "judge"
    for i, (good, passed) in enumerate(_answers(name), 1):
        yield name, f"q{i}", good if i <= RATED and name != "v4" else "", passed


def labels() -> Iterator[Row]:
    """What people then said of v4."""
    yield "system", "item", "human"
    for i, (good, _) in enumerate(_answers("v4")[:RATED], 1):
        yield "v4", f"q{i}", good


def _rating(quality: np.ndarray) -> list[int]:
    return np.clip(np.rint(quality), 1, 5).astype(int).tolist()


def _answers(name: str) -> list[tuple[int, int]]:
    share, seed = {"v1": (0.76, 1), "v2": (0.78, 2), "v3": (0.80, 3), "v4": (0.65, 4)}[name]
    hardness = np.random.default_rng(SEED).normal(0, 1, 1000)
    rng = np.random.default_rng(SEED + seed)
    good = hardness + rng.normal(0, 1, 1000) < NormalDist(sigma=2**0.5).inv_cdf(share)
    passed = rng.random(1000) < np.where(good, 0.93, 0.15)  # tpr, and 1 − tnr
    return list(zip(good.astype(int).tolist(), passed.astype(int).tolist(), strict=True))


CASES = {
    "prompts": prompts,
    "annotators": annotators,
    "judges": judges,
    "pairs": pairs,
    "chat": chat,
    "labels": labels,
    **{name: partial(version, name) for name in ("v1", "v2", "v3", "v4")},
}


def main() -> None:
    """Write the table that is asked for to standard output."""
    csv.writer(sys.stdout, lineterminator="\n").writerows(CASES[sys.argv[1]]())


if __name__ == "__main__":
    main()
