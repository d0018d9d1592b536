"""Races: functions take turns, round by round, and ratios are taken within each round."""

from __future__ import annotations

import math
import resource
import statistics
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from benchmarks.speed.golden import Answer

ROUNDS = 11
TURN = 0.05  # seconds: what takes less is repeated within its turn
TOLERANCE = 1e-8  # an answer of ours that is off by more is wrong

Times = dict[str, list[float]]


class Stopwatch:
    """What a block took, children included: on the clock, of processors, and the shorter of both.

    On a busy machine the clock counts the waiting for a processor; with several threads the processors count more
    than a user waits.
    """

    wall: float
    processor: float

    @property
    def seconds(self) -> float:
        return min(self.wall, self.processor)


@contextmanager
def stopwatch() -> Iterator[Stopwatch]:
    watch = Stopwatch()
    wall, processor = time.perf_counter(), _processor_time()
    yield watch
    watch.wall, watch.processor = time.perf_counter() - wall, _processor_time() - processor


def _processor_time() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def race(racers: Mapping[str, Callable[[], object]], rounds: int = ROUNDS) -> Times:
    """Return the seconds of each racer, round by round; what is found in a first call is not counted."""
    times: Times = {name: [] for name in racers}
    often = {name: _turns(racer) for name, racer in racers.items()}
    for _ in range(rounds):
        for name, racer in racers.items():
            with stopwatch() as watch:
                for _ in range(often[name]):
                    racer()
            times[name].append(watch.seconds / often[name])
    return times


def _turns(racer: Callable[[], object]) -> int:
    racer()
    with stopwatch() as watch:
        racer()
    return max(1, math.ceil(TURN / max(watch.seconds, 1e-6)))


@dataclass(frozen=True)
class Measure:
    """A ratio, or seconds where it is over nothing, in each round, and a goal for it."""

    what: str
    over: str
    rounds: list[float]
    least: float | None = None
    most: float | None = None
    error: float | None = None

    @property
    def middle(self) -> float:
        return statistics.median(self.rounds)

    @property
    def quartiles(self) -> tuple[float, float]:
        if len(self.rounds) < 2:
            return self.middle, self.middle
        first, _, third = statistics.quantiles(self.rounds, n=4, method="inclusive")
        return first, third

    @property
    def met(self) -> bool | None:
        if self.least is not None:
            return self.middle >= self.least
        return None if self.most is None else self.middle <= self.most


@dataclass
class Run:
    """One run of a section: what it measured, and which answers were wrong."""

    full: bool = False
    measures: list[Measure] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def ratio(self, times: Times, what: str, over: str, **more: object) -> None:
        """Note how many times as long one racer took as another."""
        rounds = [one / other for one, other in zip(times[what], times[over], strict=True)]
        self.measures.append(Measure(what, over, rounds, **more))

    def seconds(self, what: str, rounds: list[float], **more: object) -> None:
        self.measures.append(Measure(what, "", rounds, **more))

    def check(self, what: str, error: float) -> None:
        """Note an answer of ours that is off by too much."""
        self.must(error <= TOLERANCE, f"{what}: off by {error:.1e}, more than {TOLERANCE:.0e}")

    def check_answer(self, what: str, answer: Answer, truth: Answer) -> None:
        self.check(what, answer.error(truth))

    def must(self, holds: bool, otherwise: str) -> None:  # noqa: FBT001 - reads like a sentence
        if not holds:
            self.wrong.append(otherwise)
