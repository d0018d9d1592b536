"""One posterior

The rate of one system from 100 human ratings, which also calibrate the metric, and 1,000 ratings of the metric alone,
with its 95% interval; then the same from more ratings, and from ratings with more than two classes. Mean and standard
deviation alone are what a measurable difference needs, and all that the paper takes from its sum for that, and its
authors' tool from its draws. NUTS is the sampler of numpyro with the model and the settings of that tool, 5 chains of
2,000 + 10,000 draws, one after the other; every new posterior compiles it again. The plain mixture is the closed form
as one would write it down in numpy, without any check. The paper's Riemann sum has 2000 × 1000 × 1000 cells, of which
one rate in fifty is timed.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from benchmarks.speed import golden
from benchmarks.speed.race import race
from benchmarks.speed.routes import (
    EVERYDAY,
    GOLDEN,
    by_full_sum,
    by_moments,
    by_nuts,
    by_plain_mixture,
    by_riemann_sum,
    evidence,
    ours,
    shortest,
)

from tellapart.core.counts import Confusion, Counts, Scale
from tellapart.core.evidence import Evidence
from tellapart.core.posterior import posterior
from tellapart.core.prior import PRIORS

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.speed.race import Run, Times

RATE_CELLS, TIMED_CELLS = 2000, 40
POSTERIOR, MOMENTS = "one posterior", "its mean and standard deviation alone"
RIEMANN = "the paper's Riemann sum"
NUTS, TOGETHER = "NUTS as its authors run it", "NUTS with all chains in one array"
SIZES = 10**3, 10**4, 10**5, 10**6, 10**9
PAIRED = [[38, 5, 6, 2], [4, 9, 1, 3], [5, 1, 7, 2], [2, 3, 2, 10]], [480, 180, 150, 190], [0, 1, -1, 0]
OUTCOMES = [[29, 4, 5], [5, 11, 6], [5, 7, 28]], [390, 230, 380], [-1, 0, 1]
WHY = {
    RIEMANN: "a posterior is several hundred calls on short arrays, whose fixed cost is most of its millisecond and a "
    "half; the goal would leave it half of one.",
    NUTS: "likewise.",
    "two systems on the same items": "Gauss rules, one for each level of the metric, take half of the time.",
    "win, tie, loss": "likewise.",
}


def measure(run: Run) -> None:
    for part in (_riemann, _nuts, _mixture, _full_sum, _size, _hard, _classes):
        part(run)


def _riemann(run: Run) -> None:
    run.check_answer(POSTERIOR, ours(EVERYDAY), GOLDEN[EVERYDAY])
    run.check(MOMENTS, abs(by_moments(EVERYDAY)[1] - GOLDEN[EVERYDAY].sd))
    times = race({**_exact(), RIEMANN: lambda: by_riemann_sum(EVERYDAY, TIMED_CELLS)}, rounds=5)
    times[RIEMANN] = [time * RATE_CELLS / TIMED_CELLS for time in times[RIEMANN]]
    error = by_riemann_sum(EVERYDAY, RATE_CELLS).error(GOLDEN[EVERYDAY]) if run.full else None
    for name in _exact():
        run.ratio(times, RIEMANN, name, least=1e5, error=error)


def _exact() -> dict[str, Callable[[], object]]:
    return {POSTERIOR: lambda: ours(EVERYDAY), MOMENTS: lambda: by_moments(EVERYDAY)}


def _nuts(run: Run) -> None:
    if not (find_spec("numpyro") and find_spec("jax")):
        print("NUTS is left out: numpyro is not installed, pip install 'tellapart[bench]' does it.")
        return
    for sampler, method, goal in ((NUTS, "sequential", 1e4), (TOGETHER, "vectorized", None)):
        times: Times = {name: [] for name in (*_exact(), sampler)}
        for _ in range(3):
            seconds, answer = by_nuts(EVERYDAY, method)
            times[sampler].append(seconds)
            for name, seen in race(_exact(), rounds=1).items():
                times[name] += seen
        for name in _exact():
            run.ratio(times, sampler, name, least=goal, error=answer.error(GOLDEN[EVERYDAY]))


def _mixture(run: Run) -> None:
    plain, people = "the plain mixture", "a posterior from human ratings alone"
    observed, alone = evidence(EVERYDAY), Evidence.of((60, 100))
    times = race(
        {
            POSTERIOR: lambda: shortest(posterior(observed)),
            plain: lambda: by_plain_mixture(EVERYDAY),
            people: lambda: shortest(posterior(alone)),
        }
    )
    run.check_answer(plain, by_plain_mixture(EVERYDAY), shortest(posterior(observed)))
    run.ratio(times, POSTERIOR, plain, most=1.2)
    run.ratio(times, people, POSTERIOR, most=0.1)


def _full_sum(run: Run) -> None:
    for n in (1000, 3000, 10_000):
        counts = golden.everyday(n)
        default, full = f"one posterior, {n:,} metric ratings", f"every term of its sum, {n:,} metric ratings"
        times = race({default: lambda c=counts: ours(c), full: lambda c=counts: by_full_sum(c)}, rounds=7)
        for name, route in ((default, ours), (full, by_full_sum)):
            run.check_answer(name, route(counts), GOLDEN[counts])
        run.ratio(times, full, default)


def _size(run: Run) -> None:
    cases = {f"{n:,} metric ratings": golden.everyday(n) for n in SIZES}
    times = race({name: lambda c=counts: ours(c) for name, counts in cases.items()})
    for name, counts in cases.items():
        run.check_answer(name, ours(counts), GOLDEN[counts])
    first, *more = cases
    for name in more:
        run.ratio(times, name, first, most=2 if name == "1,000,000 metric ratings" else None)


def _hard(run: Run) -> None:
    """A metric that never erred: with Jeffreys' prior its error rates have their peak at 0."""
    perfect = Evidence.of((60, 100), calibration=Confusion(60, 0, 40, 0), metric=(600_000, 10**6))
    cases = {
        POSTERIOR: (evidence(EVERYDAY), "uniform"),
        "a metric that never erred, 1,000,000 ratings": (perfect, "uniform"),
        "the same with Jeffreys' prior": (perfect, "jeffreys"),
    }
    times = race({name: lambda c=c: shortest(posterior(c[0], PRIORS[c[1]])) for name, c in cases.items()}, rounds=5)
    for name in list(cases)[1:]:
        run.ratio(times, name, POSTERIOR)


def _classes(run: Run) -> None:
    cases = {
        "two systems on the same items": (PAIRED, 1, 1),
        "the same, 10⁹ metric ratings and 10⁴ human ones": (PAIRED, 100, 10**6),
        "win, tie, loss": (OUTCOMES, 1, 1),
        "the same, 10⁶ metric ratings and 10⁴ human ones": (OUTCOMES, 100, 10**3),
    }
    racers = {name: lambda c=case: _of_classes(*c) for name, case in cases.items()}
    times = race({POSTERIOR: lambda: posterior(evidence(EVERYDAY)).interval(), **racers}, rounds=7)
    for name in cases:
        run.ratio(times, name, POSTERIOR, most=20 if name.startswith("the same") else 5)


def _of_classes(case: tuple[list, list, list], people: int, factor: int) -> object:
    both, counts, values = case
    scale = Scale(tuple(map(str, range(len(both)))), tuple(map(float, values)))
    rated = tuple(tuple(count * people for count in row) for row in both)
    alone = tuple(count * factor for count in counts)
    own = Counts(rated, (0,) * len(both), alone, scale, Scale.of(range(len(counts))))
    return posterior(Evidence(own)).interval()
