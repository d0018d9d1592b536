"""Verdicts on real evaluations most of whose human labels are hidden, by rung of the ladder.

    python benchmarks/real_ladder.py                        # data in ../shared/data, 100 draws
    python benchmarks/real_ladder.py --data DIR --draws 10

Each draw shows 50 human labels of a system and hides the others; where systems answered the same items, these are the
same for all. A verdict is right or wrong by the rates of all human labels. Only outputs that people and the judge rated
take part, so that those rates are of the same outputs. What is done is kept in build/, and a second run goes on from
there.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from joblib import Parallel, delayed

import tellapart as ta

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HERE = Path(__file__).resolve().parent.parent
VISIBLE = 50
RUNGS = ("none", "items", "rates", "link")
WAYS = ("none, raw", "none, Holm", "items, raw", "items, Holm", "rates, raw", "rates, Holm", "link")
ONE_CUT = ta.ThresholdRule("equal", pooled=True)


@dataclass(frozen=True)
class Judge:
    """A column of a file; a score is cut at one place for all systems, which the visible labels choose."""

    file: str
    metric: str
    score: bool = False
    item: str = "item"

    @property
    def name(self) -> str:
        return f"{self.file} {self.metric}"


JUDGES = (
    Judge("openqa_nq", "judge_gpt4"),
    Judge("openqa_nq", "judge_davinci003"),
    Judge("openqa_nq", "bem", score=True),
    Judge("openqa_nq", "em"),
    Judge("openqa_nq", "contains"),
    Judge("wmt21_ende", "bleu", score=True, item="segment"),
    Judge("wmt21_ende", "chrf", score=True, item="segment"),
    Judge("frank", "factcc", score=True),
    Judge("frank", "qags", score=True),
    Judge("frank", "bertscore_p_art", score=True),
)


def rated(judge: Judge, data: Path) -> pl.DataFrame:
    """Return the outputs that people and the judge rated."""
    columns = {"system": "system", "item": judge.item, "human": "human", "metric": judge.metric}
    frame = pl.read_csv(data / f"ratings_{judge.file}.csv", columns=list(columns.values()))
    return frame.select(**{new: pl.col(old) for new, old in columns.items()}).drop_nulls(["human", "metric"])


def hidden(frame: pl.DataFrame, draw: int) -> pl.DataFrame:
    """Show each system's labels of the first items in one random order of all, and hide the others."""
    items = frame["item"].unique().sort()
    order = pl.DataFrame({"item": items, "place": np.random.default_rng(draw).permutation(len(items))})
    shown = pl.col("place").rank().over("system") <= VISIBLE
    return frame.join(order, on="item").with_columns(human=pl.when(shown).then("human")).drop("place")


def verdicts(judge: Judge, data: Path, draw: int) -> dict[str, Any]:
    """Count right, wrong and open pairs on every rung."""
    start, frame = time.process_time(), rated(judge, data)
    truth: dict[str, float] = dict(frame.group_by("system").agg(pl.col("human").mean()).iter_rows())
    cut = {"threshold": ONE_CUT} if judge.score else {}
    names = {"system": "system", "item": "item", "human": "human", "metric": "metric"}
    top = ta.read_ratings(hidden(frame, draw), **names, **cut).compare(borrow="link")
    counts: dict[str, list[int]] = {}
    for rung in RUNGS:
        pairs = [(pair, truth[pair.first] - truth[pair.second]) for pair in top.pairs_at(rung)]
        if rung != "link":
            alone = [gap if pair.probability > 0.5 else -gap for pair, gap in pairs if pair.distinguishable_alone]
            counts[f"{rung}, raw"] = score(alone, len(pairs))
        held = [gap if pair.probability > 0.5 else -gap for pair, gap in pairs if pair.distinguishable]
        counts[rung if rung == "link" else f"{rung}, Holm"] = score(held, len(pairs))
    return {"judge": judge.name, "draw": draw, "counts": counts, "seconds": time.process_time() - start}


def score(decided: list[float], pairs: int) -> list[int]:
    """Return the pairs that were decided rightly, wrongly and not at all; equal rates are neither right nor wrong."""
    right, wrong = sum(gap > 0 for gap in decided), sum(gap < 0 for gap in decided)
    return [right, wrong, pairs - right - wrong]


def done(path: Path) -> list[dict[str, Any]]:
    """Return what earlier runs found."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def run(tasks: list[tuple[Judge, int]], data: Path, jobs: int) -> Iterator[dict[str, Any]]:
    """Work through the tasks in their order, and say how far it is."""
    found = Parallel(n_jobs=jobs, return_as="generator")(delayed(verdicts)(j, data, draw) for j, draw in tasks)
    for i, row in enumerate(found, start=1):
        print(f"{i}/{len(tasks)} {row['judge']}, draw {row['draw']}: {row['seconds']:.0f} s", file=sys.stderr)
        yield row


def table(rows: Iterable[dict[str, Any]]) -> str:
    """Return per cent of pairs decided rightly / wrongly, one line a judge, as Markdown, and how sure that is."""
    sums: dict[str, dict[str, list[list[int]]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        for way, counts in row["counts"].items():
            sums[row["judge"]][way].append(counts)
    lines = [f"| judge | draws | {' | '.join(WAYS)} |", f"| --- | --- |{' --- |' * len(WAYS)}"]
    shares: dict[str, list[Any]] = defaultdict(list)
    errors: list[float] = []
    for judge in (one.name for one in JUDGES if one.name in sums):
        for way in WAYS:
            each = np.array(sums[judge][way])
            shares[way].append(100 * each.sum(axis=0) / each.sum())
            errors.append(float(100 * (each[:, 0] / each.sum(axis=1)).std() / np.sqrt(len(each))))
        cells = (f"{shares[way][-1][0]:.1f} / {shares[way][-1][1]:.2f}" for way in WAYS)
        lines.append(f"| {judge} | {len(sums[judge][WAYS[0]])} | {' | '.join(cells)} |")
    means = {way: np.mean(found, axis=0) for way, found in shares.items()}
    lines.append(f"| mean | | {' | '.join(f'{means[way][0]:.1f} / {means[way][1]:.2f}' for way in WAYS)} |")
    lines += ["", f"Standard errors of what is decided rightly are {min(errors):.1f} to {max(errors):.1f} points."]
    return "\n".join(lines)


def main() -> None:
    """Run what is left to do and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE.parent / "shared" / "data", help="directory of the files")
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, default=HERE / "build" / "real_ladder.jsonl", help="kept results")
    given = parser.parse_args()
    here = [judge for judge in JUDGES if (given.data / f"ratings_{judge.file}.csv").exists()]
    for file in dict.fromkeys(judge.file for judge in JUDGES if judge not in here):
        print(f"Skipped: ratings_{file}.csv is not in {given.data}.", file=sys.stderr)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    rows = done(given.out)
    known = {(row["judge"], row["draw"]) for row in rows}
    tasks = [(judge, draw) for draw in range(given.draws) for judge in here if (judge.name, draw) not in known]
    with given.out.open("a") as kept:
        for row in run(tasks, given.data, given.jobs):
            print(json.dumps(row), file=kept, flush=True)
            rows.append(row)
    if rows:
        print(table(row for row in rows if row["draw"] < given.draws))


if __name__ == "__main__":
    main()
