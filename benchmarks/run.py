"""Speed and accuracy of tellapart beside its peers, on one machine in one run. Ratios, not times, travel.

    python benchmarks/run.py              # everything
    python benchmarks/run.py a b d        # some sections
    python benchmarks/run.py a --full     # and the error of the paper's Riemann sum, which takes minutes

Exit code 1 if an answer of ours is wrong, else 0, whatever the goals say: machines are noisy.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import bench_golden as golden
import numpy as np
import page
from bench_golden import Answer, Counts
from clock import stopwatch
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from scipy.special import betainc, betaln, gammaln, xlogy

from tellapart.analysis.design import Design, MeasurableDifference
from tellapart.analysis.maps import Axis, DifferenceMap, difference_map
from tellapart.core.counts import Confusion, Scale
from tellapart.core.counts import Counts as Classes
from tellapart.core.density import Density
from tellapart.core.evidence import Evidence
from tellapart.core.likelihood import estimated_rates, rounding_noise
from tellapart.core.posterior import level_parameters, posterior, shape
from tellapart.core.prior import PRIORS
from tellapart.core.riemann import GridPosterior, riemann_posterior

if TYPE_CHECKING:
    from collections.abc import Callable

PRIOR = PRIORS["uniform"]
EVERYDAY = golden.everyday(1000)
TOLERANCE = 1e-8  # an answer of ours that is off by more is wrong
RATE_CELLS, TIMED_CELLS = 2000, 40
ROUNDS = 15
TO_SCREEN = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
TO_STDERR = Console(stderr=True)


# timing


def seconds(function: Callable[[], object]) -> float:
    with stopwatch() as watch:
        function()
    return watch.seconds


def race(*functions: Callable[[], object], rounds: int = ROUNDS) -> list[float]:
    """Return the shortest time of each; they take turns, so that a busy moment of the machine hits all alike."""
    for function in functions:
        function()
    times = [[seconds(function) for function in functions] for _ in range(rounds)]
    return [min(column) for column in zip(*times, strict=True)]


# answers


def evidence(counts: Counts) -> Evidence:
    c = counts
    confusion = Confusion(c.tp, c.fn, c.tn, c.fp)
    return Evidence.of((c.human_pos, c.human_n), calibration=confusion, metric=(c.metric_pos, c.metric_n))


def summary(density: Density) -> Answer:
    interval = density.interval(0.95, kind="equal-tailed")
    return Answer(density.mean, density.sd, interval.low, interval.high)


def ours(counts: Counts) -> Answer:
    return summary(posterior(evidence(counts)))


def by_full_sum(counts: Counts) -> Answer:
    """As `posterior`, with every term of the sum at any size."""
    observed = evidence(counts)
    inadequate, adequate = level_parameters(observed, PRIOR)
    likelihood = estimated_rates(observed.own.metric_only, adequate, inadequate, full_sum_up_to=10**9)
    a, b = shape(observed, PRIOR)
    return summary(
        Density(
            lambda rate, complement: xlogy(a - 1, rate) + xlogy(b - 1, complement) + likelihood(rate, complement),
            (a, b),
            noise=rounding_noise(counts.metric_n, sum(adequate), sum(inadequate)),
        )
    )


def log_beta_binomial(n: int, a: float, b: float) -> np.ndarray:
    x = np.arange(n + 1.0)
    return gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1) + betaln(a + x, b + n - x) - betaln(a, b)


def by_plain_mixture(counts: Counts) -> Answer:
    """The closed form as one writes it down: all weights, and Newton's method for both ends of the shortest interval.

    Without logs of sums, tilts and checks: fast, and right only where nothing underflows and there is one peak.
    """
    c, n, t = counts, counts.metric_n, np.arange(counts.metric_n + 1.0)
    levels = (c.metric_pos, c.tp + 1, c.fp + 1), (n - c.metric_pos, c.fn + 1, c.tn + 1)
    weights = np.convolve(*(np.exp(log_beta_binomial(*level)) for level in levels))
    a, b = c.human_pos + 1 + t, c.human_n - c.human_pos + 1 + n - t
    logs = np.log(weights) + betaln(a, b) - betaln(c.tp + c.fn + 2 + t, c.tn + c.fp + 2 + n - t)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    total, constant, means = c.human_n + 2 + n, betaln(a, b), a / (c.human_n + 2 + n)
    mean = float(weights @ means)
    sd = float(np.sqrt(weights @ (means * (1 - means) / (total + 1) + (means - mean) ** 2)))
    ends = np.array([mean - 2 * sd, mean + 2 * sd])
    for _ in range(30):
        x = ends[:, None]
        densities = np.exp((a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - constant)
        below, density = betainc(a, b, x) @ weights, densities @ weights
        slope = (densities * ((a - 1) / x - (b - 1) / (1 - x))) @ weights
        missing = [0.95 - (below[1] - below[0]), density[0] - density[1]]
        step = np.linalg.solve([[-density[0], density[1]], [-slope[0], slope[1]]], missing)
        ends = ends + step
        if np.abs(step).max() < 1e-10:
            break
    return Answer(mean, sd, *ends.tolist())


def shortest(density: Density) -> Answer:
    interval = density.interval(0.95)
    return Answer(density.mean, density.sd, interval.low, interval.high)


def by_riemann_sum(counts: Counts, rate_cells: int) -> Answer:
    grid: GridPosterior = riemann_posterior(evidence(counts), n_rate=rate_cells, n_tpr=1000, n_tnr=1000)
    below = np.concatenate([[0.0], np.cumsum(grid.masses)])
    ends = np.interp([0.025, 0.975], below, np.linspace(0, 1, rate_cells + 1))
    return Answer(grid.mean, grid.sd, *map(float, ends))


@dataclass(frozen=True)
class Nuts:
    """NUTS on the everyday case: how it was run and what came out."""

    method: str
    cold: float
    warm: float
    answer: Answer


def run_nuts(method: str) -> Nuts:
    command = [sys.executable, str(Path(__file__).with_name("nuts.py")), method, json.dumps(EVERYDAY._asdict())]
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env={"JAX_PLATFORMS": "cpu", **os.environ}
    )
    out = json.loads(done.stdout)
    return Nuts(method, out["cold"], out["warm"], Answer(*out["answer"]))


def _faster(first: Nuts, second: Nuts) -> Nuts:
    """Return the shorter times of two runs, which drew the same numbers."""
    return Nuts(first.method, min(first.cold, second.cold), min(first.warm, second.warm), first.answer)


# report


@dataclass(frozen=True)
class Row:
    method: str
    ratio: float
    time: float
    error: float | None = None
    remark: str = ""


@dataclass
class Report:
    full: bool = False
    wrong: list[str] = field(default_factory=list)
    goals: dict[str, tuple[str, bool | None]] = field(default_factory=dict)

    @cached_property
    def nuts(self) -> list[Nuts]:
        """Both ways to run the chains, the faster first; none without numpyro."""
        if not (find_spec("numpyro") and find_spec("jax")):
            return []
        runs = [run_nuts(method) for _ in range(2) for method in ("vectorized", "sequential")]
        return sorted(map(_faster, runs[:2], runs[2:]), key=lambda run: run.cold)

    def check(self, what: str, error: float) -> float:
        """Note an error of ours, and whether it makes the answer wrong."""
        if not error <= TOLERANCE:
            self.wrong.append(f"{what}: off by {error:.1e}")
        return error

    def check_answer(self, what: str, answer: Answer, counts: Counts) -> float:
        return self.check(what, answer.error(GOLDEN[counts]))

    def goal(self, name: str, ratio: float, *, least: float | None = None, most: float | None = None) -> None:
        wanted = f"≥ {least:,g}×" if least is not None else f"≤ {most:,g}×"
        met = ratio >= least if least is not None else ratio <= most
        self.goals[f"{name} {wanted}"] = f"{_ratio(ratio)}×", met

    def unmeasured(self, name: str, why: str) -> None:
        self.goals[name] = why, None


def show(title: str, rows: list[Row], *notes: str, ratio: str = "× ours") -> None:
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("", width=50)
    for name in (ratio, "time", "error"):
        table.add_column(name, justify="right", width=9)
    table.add_column("", width=17)
    for row in rows:
        error = "" if row.error is None else f"{row.error:.0e}"
        table.add_row(escape(row.method), _ratio(row.ratio), _time(row.time), error, row.remark)
    TO_SCREEN.print(table)
    for note in notes:
        TO_SCREEN.print(f"  {note}", style="dim")
    TO_SCREEN.print()


def _ratio(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


def _time(duration: float) -> str:
    return f"{duration:.3g} s" if duration >= 1 else f"{1000 * duration:.3g} ms"


# sections


def riemann(report: Report) -> None:
    """The paper's Riemann sum."""
    mine = race(lambda: ours(EVERYDAY))[0]
    scale = RATE_CELLS / TIMED_CELLS
    theirs = scale * race(lambda: by_riemann_sum(EVERYDAY, TIMED_CELLS), rounds=3)[0]
    mine = min(mine, *race(lambda: ours(EVERYDAY)))
    rows = [
        Row("tellapart", 1, mine, report.check_answer("(a) tellapart", ours(EVERYDAY), EVERYDAY)),
        Row("Riemann sum 2000 × 1000 × 1000", theirs / mine, theirs, remark="" if report.full else "error: --full"),
    ]
    if report.full:
        with stopwatch() as whole:
            error = by_riemann_sum(EVERYDAY, RATE_CELLS).error(GOLDEN[EVERYDAY])
        rows.append(Row("the same, not scaled", whole.seconds / mine, whole.seconds, error))
    note = f"Time of the Riemann sum: {TIMED_CELLS} of the {RATE_CELLS} rate cells, times {scale:g}."
    show("(a) One posterior with interval, 1000 metric ratings: the paper's own method", rows, note)
    report.goal("(a) the paper's Riemann sum", theirs / mine, least=10_000)


def nuts(report: Report) -> None:
    """NUTS, the authors' tool."""
    title = "(b) The same by NUTS: 5 chains × (2000 warm-up + 10,000 draws)"
    if not report.nuts:
        _no_numpyro(report, title, "(b) NUTS ≥ 1,000×")
        return
    mine = race(lambda: ours(EVERYDAY), rounds=2 * ROUNDS)[0]
    rows = [Row("tellapart", 1, mine, report.check_answer("(b) tellapart", ours(EVERYDAY), EVERYDAY))]
    for run in report.nuts:
        used = "used" if run is report.nuts[0] else ""
        error = run.answer.error(GOLDEN[EVERYDAY])
        rows.append(Row(f"numpyro, {run.method} chains, compile + run", run.cold / mine, run.cold, error, used))
        rows.append(Row(f"numpyro, {run.method} chains, run only", run.warm / mine, run.warm))
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpyro", "jax"))
    notes = (
        f"{versions}; importing not counted; “run only” is a second run of the same object.",
        "Every new posterior compiles again, so users pay for compile + run: that is compared, chains the faster way.",
    )
    show(title, rows, *notes)
    report.goal("(b) NUTS", report.nuts[0].cold / mine, least=1000)


def full_sum(report: Report) -> None:
    """Every term of the closed form."""
    rows = []
    for n in (1000, 3000, 10_000):
        counts = golden.everyday(n)
        default, full = race(lambda c=counts: ours(c), lambda c=counts: by_full_sum(c), rounds=9)
        for name, duration, answer in (("default", default, ours(counts)), ("full sum", full, by_full_sum(counts))):
            error = report.check_answer(f"(c) {name}, {n:,}", answer, counts)
            rows.append(Row(f"{n:,} metric ratings, {name}", duration / default, duration, error))
    show("(c) One posterior with interval: the default and the sum in full", rows)


def size(report: Report) -> None:
    """What more ratings cost."""
    sizes = (10**3, 10**4, 10**5, 10**6, 10**9)
    cases = [golden.everyday(n) for n in sizes]
    times = race(*(lambda c=c: ours(c) for c in cases))
    rows = [
        Row(f"{n:,} metric ratings", t / times[0], t, report.check_answer(f"(d) {n:,}", ours(c), c))
        for n, c, t in zip(sizes, cases, times, strict=True)
    ]
    show("(d) One posterior with interval, by number of metric ratings", rows, ratio="× 1,000")
    report.goal("(d) 10⁶ metric ratings against 10³", times[sizes.index(10**6)] / times[0], most=3)


def mixture(report: Report) -> None:
    """The closed form in plain numpy."""
    sizes = (10**3, 10**4, 10**5, 10**6, 10**9)
    cases = [evidence(golden.everyday(n)) for n in sizes]
    people = Evidence.of((60, 100))
    functions = [lambda: by_plain_mixture(EVERYDAY), lambda: shortest(posterior(people))]
    plain, alone, *times = race(*functions, *(lambda e=e: shortest(posterior(e)) for e in cases), rounds=25)
    error = report.check("(j) plain mixture", by_plain_mixture(EVERYDAY).error(shortest(posterior(cases[0]))))
    rows = [
        Row("plain mixture of Beta distributions, 1,000", 1, plain, error),
        Row("human ratings only", alone / plain, alone),
        *(Row(f"{n:,} metric ratings", t / plain, t) for n, t in zip(sizes, times, strict=True)),
    ]
    show("(j) One posterior with its shortest interval, against the closed form in plain numpy", rows, ratio="× plain")
    report.goal("(j) 1,000 metric ratings against the plain mixture", times[0] / plain, most=1.2)
    report.goal("(j) human ratings only against 1,000 metric ratings", alone / times[0], most=0.1)
    report.goal("(j) 10⁴ … 10⁹ metric ratings against 1,000, the worst", max(times[1:]) / times[0], most=2)


def appendix_table() -> dict[Counts, float]:
    """Return the standard deviation of all 56 cells."""
    return {
        golden.appendix(n_human, n_metric): MeasurableDifference(Design(0.6, 0.7, 0.7, n_human, n_metric)).sd
        for n_human in golden.N_HUMAN
        for n_metric in golden.N_METRIC
    }


def table(report: Report) -> None:
    """A table of the paper's appendix."""
    title = "(e) The appendix table of 56 measurable differences, against one run of NUTS"
    mine = race(appendix_table, rounds=5)[0]
    error = max(
        report.check(f"(e) {counts}", abs(sd - GOLDEN[counts].sd)) for counts, sd in sorted(appendix_table().items())
    )
    rows = [Row("tellapart, all 56 cells", 1, mine, error)]
    if not report.nuts:
        show(title, rows)
        _no_numpyro(report, "", "(e) one run of NUTS against the whole appendix table ≥ 100×")
        return
    best = report.nuts[0]
    rows.append(Row(f"numpyro, {best.method} chains, one cell", best.cold / mine, best.cold))
    rows.append(Row("the same, 56 cells", 56 * best.cold / mine, 56 * best.cold, remark="one cell times 56"))
    show(title, rows, "Error of a cell: of its standard deviation. NUTS: the case of (b), compile + run.")
    report.goal("(e) one run of NUTS against the whole appendix table", best.cold / mine, least=100)


def start_up(report: Report) -> None:
    """How long until the command line answers."""
    tellapart = str(Path(sysconfig.get_path("scripts")) / "tellapart")
    imports = "import numpy, scipy.special"
    estimate = [tellapart, "estimate", "--human", "60/100", "--format", "json"]
    commands = ([sys.executable, "-c", imports], [tellapart, "--help"], estimate)
    base, *times = race(*(lambda c=c: subprocess.run(c, check=True, capture_output=True) for c in commands), rounds=7)
    mean = json.loads(subprocess.run(estimate, check=True, capture_output=True).stdout)["mean"]
    error = report.check("(f) tellapart estimate", abs(mean - 61 / 102))
    rows = [
        Row(f'python -c "{imports}"', 1, base),
        Row("tellapart --help", times[0] / base, times[0]),
        Row("tellapart estimate --human 60/100 --format json", times[1] / base, times[1], error),
    ]
    show("(f) Start-up of the command line against importing numpy and scipy.special", rows, ratio="× import")
    report.goal("(f) tellapart --help", times[0] / base, most=1.5)
    report.goal("(f) tellapart estimate", times[1] / base, most=1.5)


def rows(report: Report) -> None:
    """A ratings file of ten million rows."""
    script = str(Path(__file__).with_name("rows.py"))
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "ratings.csv")
        subprocess.run([sys.executable, script, "make", path], check=True)
        runs = {"bare": [], "ours": []}
        for what in ("bare", "ours") * 3:
            done = subprocess.run([sys.executable, script, what, path], check=True, capture_output=True)
            runs[what].append(json.loads(done.stdout))
    (base, base_memory), (mine, memory) = (
        (min(r["seconds"] for r in runs[what]), min(r["megabytes"] for r in runs[what])) for what in ("bare", "ours")
    )
    if runs["ours"][0]["rows"] != runs["bare"][0]["rows"]:
        report.wrong.append("(g) rows were lost")
    shown = [
        Row(f"Polars alone, {base_memory:,.0f} MB", 1, base),
        Row(f"read_ratings, {memory:,.0f} MB", mine / base, mine),
    ]
    show("(g) Counting a CSV file of ten million ratings", shown, ratio="× bare")
    report.goal("(g) time of reading ten million rows", mine / base, most=1.5)
    report.goal("(g) peak memory", memory / base_memory, most=1.5)


def maps(report: Report) -> None:
    """A map of 100 × 100 designs."""
    sizes = [tuple(dict.fromkeys(round(v) for v in np.geomspace(*ends, 100))) for ends in ((10, 10**4), (100, 10**5))]

    def whole_map() -> DifferenceMap:
        axes = Axis("n_human", sizes[0]), Axis("n_metric", sizes[1])
        result = difference_map(*axes, fast=True, rate=0.6, tpr=0.8, tnr=0.8)
        _ = result.differences
        return result

    base, mine = race(lambda: ours(EVERYDAY), whole_map, rounds=3)
    result = whole_map()
    shape = result.differences.shape
    places = np.random.default_rng(0).integers(shape, size=(100, 2)).tolist()
    exact = [MeasurableDifference(result.design(i, j)).measurable_difference for i, j in places]
    error = max(abs(result.differences[i, j] / e - 1) for (i, j), e in zip(places, exact, strict=True))
    if error > 0.01:
        report.wrong.append(f"(h) a cell of the map is off by {error:.1%}")
    cells = f"{result.exact.sum()} of {result.exact.size} cells exact"
    show(
        "(h) A map of 100 × 100 designs",
        [Row("one posterior with interval", 1, base), Row(f"map, {cells}", mine / base, mine, error)],
        ratio="× one",
    )
    report.goal("(h) a map against one posterior", mine / base, most=300)
    sizes = [tuple(dict.fromkeys(round(v) for v in np.geomspace(*ends, 60))) for ends in ((50, 800), (300, 10**5))]
    base, mine = race(lambda: ours(EVERYDAY), whole_map, rounds=5)
    report.goal("(h) the page's first map against one posterior", mine / base, most=100)


def web(report: Report) -> None:
    """The web server under a bounded load from this machine."""
    from concurrent.futures import ThreadPoolExecutor
    from importlib.resources import files
    from time import perf_counter, sleep

    import httpx2 as httpx

    from tellapart import plan

    body = {"rate": 0.6, "tpr": 0.9, "tnr": 0.9, "n_human": 500, "n_metric": 10_000}
    bare = race(lambda: plan(**body).to_dict())[0]
    port = 8765
    server = subprocess.Popen([str(Path(sysconfig.get_path("scripts")) / "tellapart"), "serve", "--port", str(port)])
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(200):
            try:
                httpx.get(address, timeout=1)
                break
            except httpx.TransportError:
                sleep(0.1)
        with httpx.Client(base_url=address, timeout=120) as client:

            def once(_: int) -> float:
                start = perf_counter()
                client.post("/api/plan", json=body).raise_for_status()
                return perf_counter() - start

            once(0)
            start = perf_counter()
            with ThreadPoolExecutor(4) as pool:
                times = sorted(pool.map(once, range(200)))
            rate, p95 = 200 / (perf_counter() - start), times[189]
            example = files("tellapart").joinpath("data/example.csv").read_bytes()
            with ThreadPoolExecutor(64) as pool:
                codes = list(pool.map(lambda _: client.post("/api/compare", content=example).status_code, range(64)))
        seen = page.waits(address) if page.READY else {}
    finally:
        server.terminate()
        server.wait(10)
    rows = [Row("plan() called directly", 1, bare), Row(f"POST /api/plan, p95, {rate:.0f} a second", p95 / bare, p95)]
    rows += [Row(f"the page: {name}", took / bare, took) for name, took in seen.items()]
    answered, refused = codes.count(200), codes.count(503)
    show(
        "(i) The web server, four clients at once",
        rows,
        f"64 uploads at once: {answered} answered, {refused} refused politely.",
    )
    if answered + refused != 64:
        report.wrong.append("(i) an upload was neither answered nor politely refused")
    if seen:
        report.goal("(i) a slider's answer against the bare call", seen["a slider's answer"] / bare, most=3)


def classes(report: Report) -> None:
    """Several classes by several levels, with highest-density intervals, against a binary posterior with interval."""
    paired = [[38, 5, 6, 2], [4, 9, 1, 3], [5, 1, 7, 2], [2, 3, 2, 10]], [480, 180, 150, 190], [0, 1, -1, 0]
    outcomes = [[29, 4, 5], [5, 11, 6], [5, 7, 28]], [390, 230, 380], [-1, 0, 1]
    cases = {
        "two systems on the same items": (paired, 1, 1),
        "the same, 10⁶ metric ratings": (paired, 1, 10**3),
        "the same, 10⁹ metric ratings": (paired, 1, 10**6),
        "the same, 10⁴ human ratings as well": (paired, 100, 10**6),
        "win, tie, loss": (outcomes, 1, 1),
        "the same, 10⁶ metric ratings, 10⁴ human ones": (outcomes, 100, 10**3),
    }

    def one(case: tuple[list, list, list], people: int, factor: int) -> object:
        both, counts, values = case
        scale = Scale(tuple(map(str, range(len(both)))), tuple(map(float, values)))
        alone = tuple(count * factor for count in counts)
        rated = tuple(tuple(count * people for count in row) for row in both)
        own = Classes(rated, (0,) * len(both), alone, scale, Scale.of(range(len(counts))))
        return posterior(Evidence(own)).interval()

    base, *times = race(
        lambda: posterior(evidence(EVERYDAY)).interval(), *(lambda c=c: one(*c) for c in cases.values()), rounds=9
    )
    rows = [Row(name, t / base, t) for name, t in zip(cases, times, strict=True)]
    show("(k) Several classes by several levels", [Row("binary", 1, base), *rows], ratio="× binary")
    report.goal("(k) two systems on the same items", times[0] / base, most=5)
    report.goal("(k) win, tie, loss", times[4] / base, most=5)
    report.goal("(k) both, however many ratings, the worst", max(times) / base, most=20)


def contrasts(report: Report) -> None:
    """Twelve systems on the same ten thousand items, all pairs."""
    import polars as pl

    from tellapart import read_ratings

    rng, items, rated = np.random.default_rng(0), 10_000, 300
    hard, parts = rng.normal(size=items), []
    for s in range(12):
        truth = hard + 0.8 * rng.normal(size=items) + 0.05 * s > 0
        judge = np.where(rng.random(items) < 0.82, truth, ~truth).astype(int)
        human = [int(good) if i < rated else None for i, good in enumerate(truth)]
        parts.append(pl.DataFrame({"system": f"s{s}", "item": range(items), "human": human, "judge": judge}))
    table = pl.concat(parts)
    base, reading, mine, whole = race(
        lambda: ours(EVERYDAY),
        lambda: read_ratings(table),
        lambda: [pair.interval for pair in read_ratings(table).compare().pairs],
        lambda: read_ratings(table).compare().to_dict(),
        rounds=3,
    )
    pairs = read_ratings(table).compare().pairs
    if len(pairs) != 66 or any(pair.items != rated for pair in pairs):
        report.wrong.append("(l) not all pairs were compared item by item")
    rows = [Row("one binary posterior", 1, base), Row("reading the table", reading / base, reading)]
    rows.append(Row("reading and 66 contrasts with intervals", mine / base, mine))
    rows.append(Row("reading and all that JSON holds", whole / base, whole))
    show("(l) Twelve systems, 66 paired contrasts on 10,000 items", rows, ratio="× one")
    report.goals["(l) 66 paired contrasts ≤ 3 s"] = f"{mine:.2f} s", mine <= 3


def _no_numpyro(report: Report, title: str, goal: str) -> None:
    TO_SCREEN.print(f"{title}\n  numpyro is not installed: pip install 'tellapart\\[bench]', or make bench.\n".lstrip())
    report.unmeasured(goal, "numpyro is not installed")


SECTIONS = {
    "a": riemann,
    "b": nuts,
    "c": full_sum,
    "d": size,
    "e": table,
    "f": start_up,
    "g": rows,
    "h": maps,
    "i": web,
    "j": mixture,
    "k": classes,
    "l": contrasts,
}
GOLDEN = golden.load()


def verdict(report: Report) -> int:
    for name, (measured, met) in report.goals.items():
        mark = {True: "[green]PASS[/]", False: "[yellow]MISS[/]", None: "[dim]----[/]"}[met]
        TO_SCREEN.print(f"{mark}  {escape(name)}: {measured}")
    for line in report.wrong:
        TO_SCREEN.print(f"[red]WRONG[/] {escape(line)}, more than {TOLERANCE:.0e}")
    return 1 if report.wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Speed and accuracy of tellapart beside its peers.")
    helps = "; ".join(f"{name}: {function.__doc__}" for name, function in SECTIONS.items())
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"{helps} All by default.")
    parser.add_argument("--full", action="store_true", help="run the paper's Riemann sum to its end, for its error")
    options = parser.parse_args()
    if unknown := set(options.sections) - set(SECTIONS):
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    report = Report(full=options.full)
    where = f"tellapart {version('tellapart')}, numpy {version('numpy')}, scipy {version('scipy')}"
    TO_SCREEN.print(f"{where}, Python {sys.version.split()[0]}, {os.cpu_count()} processors", style="bold")
    TO_SCREEN.print(
        "× ours: time divided by ours, each the shortest of several, wall-clock or processor time, whichever is less.\n"
        "error: the largest of mean, sd and both ends of the 95 % interval, against golden.csv.\n",
        style="dim",
    )
    for name in sorted(set(options.sections) or SECTIONS):
        with TO_STDERR.status(f"({name}) {SECTIONS[name].__doc__}"):
            SECTIONS[name](report)
    return verdict(report)


if __name__ == "__main__":
    sys.exit(main())
