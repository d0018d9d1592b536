"""Has it changed over time? The rate run by run, and alarms for what changed: the outputs, or the judge."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tellapart._version import __version__
from tellapart.analysis.estimation import Share
from tellapart.analysis.result import Result
from tellapart.core.counts import BINARY, Tally, as_number
from tellapart.core.posterior import beta
from tellapart.core.sequential import process
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tellapart.analysis.cautions import Shared
    from tellapart.analysis.comparison import Comparison
    from tellapart.analysis.verdicts import Marginal
    from tellapart.core.evidence import Evidence

What = Literal["judge", "people", "agreement"]
ALARMS: Mapping[What, str] = {  # in few words, for tables and charts
    "judge": "judge's pass rate",
    "people": "people's rate",
    "agreement": "judge against people",
}
_WHAT: Mapping[What, str] = {
    "judge": "the share of outputs that the judge passes",
    "people": "the share of outputs that people find adequate",
    "agreement": "how the judge agrees with people",
}


@dataclass(frozen=True)
class Alarm:
    """Something changed: noticed after run `noticed`, and changed before run `since`, most likely.

    `before` and `after` are the shares on either side, up to when it was noticed; of the agreement, those of adequate
    outputs that pass, or of inadequate ones that fail, as `among` says.
    """

    what: What
    noticed: str
    since: str
    before: float
    after: float
    among: Literal["", "adequate", "inadequate"] = ""

    def __str__(self) -> str:
        """Say it in words."""
        how = "rose" if self.after > self.before else "fell"
        gap = f"{how} from {self.before:.1%} to {self.after:.1%}"
        if self.what == "agreement":
            which = f"{self.among} outputs that {'pass' if self.among == 'adequate' else 'fail'}"
            gap = f"changed ({which}: {self.before:.1%} before, {self.after:.1%} after)"
        said = f"{_WHAT[self.what]} {gap} with {self.since}"
        late = "" if self.noticed == self.since else f"; noticed after {self.noticed}"
        return f"{said[0].upper()}{said[1:]}{late}."


@dataclass(frozen=True, repr=False)
class Trend(Result):
    """Runs in their order; `comparison` has each of them as a system.

    The probability that any alarm is false, however many runs there will be, is at most `error`.
    """

    kind = "trend"
    comparison: Comparison
    runs: tuple[str, ...]
    error: float = 0.05

    def rate(self, run: str) -> Marginal:
        """Return the rate of a run, with what the others tell of the judge."""
        return self.comparison.marginal(run)

    @cached_property
    def passed(self) -> Mapping[str, Tally]:
        """How many of its outputs the judge passed in each run, where it has verdicts."""
        return {
            run: _passed(self.comparison.evidence[run]) for run in self.runs if _binary(self.comparison.evidence[run])
        }

    def pass_rate(self, run: str) -> Share | None:
        """Return the share that the judge passed in a run, with the interval of what it would pass of many outputs."""
        tally = self.passed.get(run)
        if tally is None or not tally.total:
            return None
        many = beta(1 + tally.positive, 1 + tally.total - tally.positive)
        return Share(tally.positive / tally.total, many.interval(self.comparison.confidence_level))

    @cached_property
    def _streams(self) -> dict[What, list[list[Tally]]]:
        """What is watched: for each question one sequence of tallies, or several that must not change."""
        own, judge = [self.comparison.evidence[run] for run in self.runs], self.comparison.one_judge
        found: dict[What, list[list[Tally]]] = {}
        if judge and len(self.passed) == len(own):
            found["judge"] = [list(self.passed.values())]
        if all(evidence.classes == BINARY for evidence in own):
            found["people"] = [[_adequate(evidence) for evidence in own]]
        if judge and all(_binary(evidence) and evidence.sampling != "by-metric" for evidence in own):
            tables = [evidence.own.both for evidence in own]
            found["agreement"] = [[Tally(t[c][c], sum(t[c])) for t in tables] for c in (1, 0)]
        return {what: rows for what, rows in found.items() if _several(rows)}

    @cached_property
    def alarms(self) -> tuple[Alarm, ...]:
        """What changed, in the order in which it was noticed."""
        found = [alarm for what in self._streams if (alarm := self._alarm(what)) is not None]
        return tuple(sorted(found, key=lambda alarm: self.runs.index(alarm.noticed)))

    def _alarm(self, what: What) -> Alarm | None:
        rows = self._streams[what]
        found = [process([t.positive for t in row], [t.total for t in row]) for row in rows]
        logs = np.logaddexp.reduce([one.logs for one in found]) - np.log(len(found))  # the mean of e-values is one
        loud = np.flatnonzero(logs >= np.log(len(_WHAT) / self.error))  # of all, whether there is something yet or not
        if not loud.size:
            return None
        first = int(loud[0])
        strongest = max(range(len(found)), key=lambda k: found[k].logs[first])
        row, since = rows[strongest], int(found[strongest].changes[first]) - 1
        while not row[since].total:  # a run without ratings shows no change
            since += 1
        before, after = _share(row[:since]), _share(row[since : first + 1])
        among: Literal["", "adequate", "inadequate"] = ""
        if what == "agreement":
            among = "inadequate" if strongest else "adequate"
        return Alarm(what, self.runs[first], self.runs[since], before, after, among)

    @property
    def warnings(self) -> tuple[Shared, ...]:
        """The cautions in words."""
        return self.comparison.warnings

    @property
    def signature(self) -> str:
        """One line that makes the numbers reproducible."""
        rule = f"e-processes for a change, {len(self._streams)} watched, error {self.error:g} over all runs"
        return f"tellapart {__version__} | {len(self.runs)} runs | borrow {self.comparison.borrow} | {rule}"

    def __str__(self) -> str:
        """Say the alarms, and where things stand."""
        last = self.runs[-1]
        rate, shown = self.rate(last), self.comparison.shown
        where, mean = f"In the last of {len(self.runs)} runs, {last},", shown(rate.mean)
        what = f"{mean} of the outputs are adequate" if self.comparison.is_rate else f"the mean rating is {mean}"
        now = f"{where} {what}, between {shown(rate.interval.low)} and {shown(rate.interval.high)}."
        sure = f"Over all runs, however many, a false alarm has a probability of at most {self.error:.0%}."
        if not self._streams:
            return f"{now} There are too few runs or ratings to watch for a change."
        if not self.alarms:
            yet = (
                "what has been seen does not yet amount to one, which asks for more than a comparison of two runs does"
            )
            return f"No alarm: {yet}, as it may be looked for after every run. {now} {sure}"
        judge = any(alarm.what == "agreement" for alarm in self.alarms)
        stale = " The judge's error rates from earlier runs no longer hold: have new outputs rated." if judge else ""
        return f"Alarm: {' '.join(map(str, self.alarms))}{stale} {now} {sure}"

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        rows = []
        for run in self.runs:
            (human, metric), passed = self.comparison.evidence[run].outputs, self.pass_rate(run)
            interval = None if passed is None else {"low": passed.interval.low, "high": passed.interval.high}
            judged = {"share": None if passed is None else passed.mean, "interval": interval}
            sizes = {"n_human": human, "n_metric": metric}
            rows.append({"run": run, **self.rate(run).to_dict(), **sizes, "judge_passes": judged})
        return {
            "runs": rows,
            "alarms": [{**asdict(alarm), "summary": str(alarm)} for alarm in self.alarms],
            "error": self.error,
            "watched": list(self._streams),
            "borrow": self.comparison.borrow,
            "warnings": [{"system": name or None, **c.to_dict()} for name, c in self.comparison.cautions],
            "summary": str(self),
            "signature": self.signature,
        }


def trend(comparison: Comparison, runs: Sequence[str], *, error: float = 0.05) -> Trend:
    """Watch runs for a change.

    Parameters
    ----------
    comparison : Comparison
        Every run as a system.
    runs : list of str
        Their names, in their order.
    error : float
        The probability of any false alarm, over all runs that there will ever be.

    Returns
    -------
    Trend

    Examples
    --------
    >>> from tellapart import Evidence, compare
    >>> counts = [80, 82, 79, 81, 60, 58, 61]
    >>> runs = {f"night {k}": Evidence.of((n, 100)) for k, n in enumerate(counts, start=1)}
    >>> print(trend(compare(runs), list(runs)).alarms[0])
    The share of outputs that people find adequate fell from 80.5% to 59.0% with night 5; noticed after night 6.
    """
    if not 0 < as_number(error) < 1:
        raise InvalidInput.rule("error", "lie between 0 and 1", error, "0.05 is usual")
    if unknown := [run for run in runs if run not in comparison.estimates]:
        raise InvalidInput.rule("runs", f"be among {', '.join(comparison.estimates)}", unknown[0])
    return Trend(comparison, tuple(runs), float(error))


def _binary(evidence: Evidence) -> bool:
    return evidence.classes == BINARY and evidence.levels == BINARY and not evidence.own.metric.own


def _passed(evidence: Evidence) -> Tally:
    failed, passed = evidence.by_itself[1] if evidence.by_itself else evidence.judged_by_level
    return Tally(passed, failed + passed)


def _adequate(evidence: Evidence) -> Tally:
    if evidence.by_itself is None or evidence.sampling != "random":
        return evidence.human_for_rate
    inadequate, adequate = evidence.by_itself[0]
    return Tally(adequate, inadequate + adequate)


def _share(row: Sequence[Tally]) -> float:
    return sum(t.positive for t in row) / max(sum(t.total for t in row), 1)


def _several(rows: Sequence[Sequence[Tally]]) -> bool:
    """Whether there is something in two runs or more."""
    return any(sum(t.total > 0 for t in row) >= 2 for row in rows)  # noqa: PLR2004 - before and after
