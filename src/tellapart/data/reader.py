"""One reading of a table of ratings: choose columns, count groups, cut scores, and say what was understood."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tellapart.analysis.diagnostics import Caution, different_items, lacking, missing_labels, undecided_votes
from tellapart.analysis.threshold import Scores, ThresholdRule, Thresholds, thresholds
from tellapart.core.counts import Levels, Tally
from tellapart.core.evidence import Evidence, Sampling
from tellapart.data import labels
from tellapart.data.counting import Outputs, number, verdict
from tellapart.data.files import LONGEST_SYSTEM, MOST_SYSTEMS, printable
from tellapart.data.labels import Unknown, Votes, decide
from tellapart.data.roles import Asked, Roles, assign
from tellapart.data.source import ticked
from tellapart.errors import DataError, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tellapart.data.frames import Frame, Row

_MOST_COMPARED = 1_000_000
_MOSTLY = 0.9  # a column with so many numbers is one of scores; the rest of its cells is told as an error


def _kind_of(values: Sequence[Any]) -> str:
    """Tell by its values whether a column holds labels, scores or neither."""
    there = [value for value in values if not labels.missing(value)]
    if not there:
        return "nothing"
    if not any(isinstance(labels.label(value), Unknown) for value in there):
        return "labels"
    numbers = sum(not isinstance(labels.score(value), Unknown) for value in there)
    return "scores" if numbers >= _MOSTLY * len(there) else "text"


class _Group(NamedTuple):
    """So many outputs of a system with the same truth (none, if people did not rate them) and the same metric cells."""

    system: str
    truth: int | None
    cells: tuple[Any, ...]
    n: int


class Reader:
    """One reading of one table."""

    def __init__(self, frame: Frame, asked: Asked, votes: Votes, human_cut: float | None, cut: ThresholdRule) -> None:
        self.frame, self.votes, self.human_cut, self.cut = frame, votes, human_cut, cut
        self.roles, self.kinds = self._choose(assign(frame.columns, asked, where=frame.name))
        self.left_out: Counter[str] = Counter()
        self.undecided: list[_Group] = []

    def _choose(self, roles: Roles) -> tuple[Roles, dict[str, str]]:
        """Take the likeliest column for the metric, if nobody named one: see `_likelihood`."""
        if not roles.human:
            columns = printable(", ".join(self.frame.columns))[:200]
            hint = "name the column with --human (human=)"
            raise DataError(f"{self.frame.name}: no column `human`; the columns are {columns}. Hint: {hint}")
        self.frame.check_plain(roles.columns)
        plain = [name for name in roles.others if self.frame.is_plain(name)]
        values = self.frame.first_values(plain)
        kinds = {name: _kind_of(found) for name, found in values.items()} | dict.fromkeys(
            set(roles.others) - set(plain), "text"
        )
        self.unusable = [name for name in roles.others if kinds[name] == "text"]
        usable = [name for name in roles.others if kinds[name] in {"labels", "scores"}]
        if len(usable) > 1 and not roles.metrics:
            beside = self.frame.first_values(usable, without=roles.human)
            usable.sort(key=lambda name: _unlikely(name, kinds[name], covers=_kind_of(beside[name]) != "nothing"))
        metrics = roles.metrics or tuple(usable[:1])
        others = tuple(name for name in roles.others if name in usable and name not in metrics)
        return replace(roles, metrics=metrics, others=others), {name: self._kind(name) for name in metrics}

    def _kind(self, name: str) -> str:
        values = self.frame.first_values([name], deep=True)[name]
        kind = _kind_of(values)
        if kind == "text":
            strange = [value for value in values if isinstance(labels.label(value), Unknown)]
            value = min(strange, key=_is_number)  # text rather than a number among labels
            raise self.frame.bad(name, value, "a metric must hold labels or numbers", labels.KNOWN)
        return kind

    def read(self, sampling: Sampling) -> dict[str, Any]:
        """Count, and count again where a column that looked like labels turns out to hold scores."""
        try:
            return self._read(sampling)
        except _NotLabels as found:
            self.kinds[found.column] = "scores"
            self.left_out.clear()
            self.undecided.clear()
            return self.read(sampling)

    def _read(self, sampling: Sampling) -> dict[str, Any]:
        scores = [name for name in self.roles.metrics if self.kinds[name] == "scores"]
        if len(scores) > 1 and self.cut.fixed:
            hint = "equal, worth or youden cut each score by itself; or use one score"
            raise InvalidInput.rule("threshold", f"be a rule where {len(scores)} scores are cut", self.cut.rule, hint)
        frame = self.frame.numbers(scores, self.cut.sign)
        outputs = Outputs.of(frame, self.roles, numeric=self.human_cut is not None)
        cuts: dict[str, Thresholds] = {}
        if not scores:
            first = [outputs.groups(), outputs.totals(), *outputs.campaign(rated=True)]
            rows, totals, *campaign = frame.collect(first, whole=self.roles.annotator is not None)
            names = self._names(totals)
            groups = self._groups(rows, names)
            rated, rest = [g for g in groups if g.truth is not None], [g for g in groups if g.truth is None]
        else:
            first = [outputs.groups(only_rated=True), outputs.totals(), *outputs.campaign(rated=True)]
            rows, totals, *campaign = frame.collect(first, whole=self.roles.annotator is not None)
            names = self._names(totals)
            rated = self._groups(rows, names)
            cuts = {name: self._thresholds(name, rated, names) for name in scores}
            taus = {name: _by_cell(cuts[name], names, self.cut.sign) for name in scores}
            outputs = outputs.cut(taus)
            (rows,) = frame.collect([outputs.groups(only_rated=False)])
            rest = self._groups(rows, names)
        calibration, metric, human = self._calibration(rated, cuts), self._metric(rest, cuts), _truths(rated)
        evidence = {
            name: self._evidence(name, human[name], calibration[name], metric[name], sampling)
            for name in sorted(set(names.values()))
        }
        found: dict[str, tuple[Caution, ...]] = {}
        if lack := lacking(evidence, self._missing(campaign[0] if campaign else [], names)):
            (beside,) = frame.collect(outputs.campaign(rated=False))
            found = missing_labels(evidence, self._judged_missing(beside, names, cuts), lack)
        understood = self._understood(evidence, cuts, sum(row[1] for row in totals), rated)
        found = _joined(found, undecided_votes(evidence, self._tied(cuts)), self._different(outputs, totals))
        return {
            "systems": evidence,
            "roles": self.roles,
            "understood": understood,
            "found": found,
            "thresholds": tuple(cuts.values()),
        }

    # from rows to groups

    def _names(self, totals: Sequence[Row]) -> dict[Any, str]:
        """Return the name for each value of the system column, and check that each item stands there once."""
        names = {}
        if len(totals) > MOST_SYSTEMS:
            where, hint = (
                f"{self.frame.name}, column {ticked(self.roles.system)}",
                "name the right column with --system",
            )
            raise DataError(f"{where}: has {len(totals):,} systems, at most {MOST_SYSTEMS:,} are read. Hint: {hint}")
        for cell, n, *items in totals:
            name = "" if cell is None else str(cell).strip()
            if not name:
                continue  # a blank line, or an error that `_groups` tells
            if not name.isprintable():
                raise self.frame.bad(self.roles.system, cell, "must not hold control characters", "plain names")
            if len(name) > LONGEST_SYSTEM:
                rule = f"must have at most {LONGEST_SYSTEM} letters"
                raise self.frame.bad(self.roles.system, cell, rule, "short names")
            if items and items[1] < items[0]:
                hint = "name the item of every output"
                raise self.frame.bad(str(self.roles.item), None, "must not be empty", hint, beside=self.roles.system)
            if items and items[0] < n:
                keys = [self.roles.system, str(self.roles.item)]
                raise self.frame.repeated(keys)
            names[cell] = name
        if not names:
            raise DataError(f"{self.frame.name}: has no rows. Hint: one row for each output")
        return names

    def _groups(self, rows: Sequence[Row], names: Mapping[Any, str]) -> list[_Group]:
        """Read the cells: votes become the truth, verdicts 0 or 1; outputs with undecided votes are left out."""
        width, groups = len(rows[0]) - 2 - len(self.roles.metrics) if rows else 0, []
        truths: dict[tuple[Any, ...], tuple[int | None, bool]] = {}  # the same votes stand in many rows
        for system, *cells, n in rows:
            votes, metrics = cells[:width], cells[width:]
            if system not in names:
                given = metrics + (votes if self.roles.annotator is None else [votes[1] or None])
                if any(not labels.missing(cell) for cell in given):
                    raise self.frame.bad(self.roles.system, system, "must not be empty", "name every system")
                self.left_out["blank lines"] += n
                continue
            truth, voted = truths.get(key := tuple(votes)) or truths.setdefault(key, self._truth(votes))
            group = _Group(names[system], truth, tuple(map(self._cell, self.roles.metrics, metrics)), n)
            if voted and truth is None:
                self.left_out[_UNDECIDED] += n
                self.undecided.append(group)
                continue
            groups.append(group)
        return sorted(groups, key=_order)  # engines return groups in any order

    def _truth(self, votes: Sequence[Any]) -> tuple[int | None, bool]:
        """Return what the votes decide, and whether there are any."""
        if self.roles.annotator is not None:
            total, count = votes
        else:
            read = verdict if self.human_cut is None else number
            values = [read(self.frame, column, vote) for column, vote in zip(self.roles.human, votes, strict=True)]
            there = [value for value in values if value is not None]
            total, count = sum(there), len(there)
        return decide(total or 0.0, count, self.votes, self.human_cut or 0.0), count > 0

    def _cell(self, metric: str, value: Any) -> Any:  # noqa: ANN401 - a cell
        if self.kinds[metric] == "scores" or value is None:
            return value
        found = labels.label(value)
        if isinstance(found, Unknown):
            if _is_number(value):
                raise _NotLabels(metric)
            raise self.frame.bad(metric, value, "is not a label", labels.KNOWN)
        return found

    # scores

    def _thresholds(self, metric: str, rated: Sequence[_Group], names: Mapping[Any, str]) -> Thresholds:
        place = self.roles.metrics.index(metric)
        own: dict[str, list[_Group]] = {name: [] for name in sorted(set(names.values()))}
        for group in rated:
            if group.cells[place] is not None:
                own[group.system].append(group)
        scores = {name: _scores(groups, place) for name, groups in own.items()}
        try:
            return thresholds(metric, scores, self.cut)
        except InvalidInput as error:
            raise DataError(f"{self.frame.name}, column {ticked(metric)}: {error}") from None

    def _calibration(self, rated: Sequence[_Group], cuts: Mapping[str, Thresholds]) -> dict[str, Counter[Any]]:
        """Count rated outputs by truth and by the pattern of the metrics' verdicts."""
        found: dict[str, Counter[Any]] = defaultdict(Counter)
        judged = {
            metric: {name: iter(t.passed.tolist()) for name, t in cut.systems.items()} for metric, cut in cuts.items()
        }
        for group in rated:
            verdicts = [
                [None] * group.n if cell is None
                else [int(next(judged[metric][group.system])) for _ in range(group.n)] if metric in cuts
                else [cell] * group.n
                for metric, cell in zip(self.roles.metrics, group.cells, strict=True)
            ]  # fmt: skip
            for pattern in zip(*verdicts, strict=True):
                if None in pattern:
                    self.left_out[_UNCALIBRATED] += 1
                else:
                    found[group.system][group.truth, pattern] += 1
        return found

    def _metric(self, rest: Sequence[_Group], cuts: Mapping[str, Thresholds]) -> dict[str, Counter[Any]]:
        """Count unrated outputs by pattern; those with scores are divided evenly among the cuts of the folds."""
        found: dict[str, dict[Any, float]] = defaultdict(lambda: defaultdict(float))
        for group in rest:
            if None in group.cells or not group.cells:
                self.left_out[_UNRATED] += group.n
                continue
            patterns = self._patterns(group, cuts)
            for pattern in patterns:
                found[group.system][pattern] += group.n / len(patterns)
        return defaultdict(Counter, {name: _whole(counts) for name, counts in found.items()})

    def _patterns(self, group: _Group, cuts: Mapping[str, Thresholds]) -> list[tuple[int, ...]]:
        """Return the verdicts by the cuts of each fold."""
        folds = max((len(cut.systems[group.system].taus) for cut in cuts.values()), default=1)
        verdicts = []
        for metric, cell in zip(self.roles.metrics, group.cells, strict=True):
            if metric not in cuts:
                verdicts.append([cell] * folds)
                continue
            taus = self.cut.sign * np.array(cuts[metric].systems[group.system].taus)
            verdicts.append([int(cell >= (taus <= tau).sum()) for tau in np.resize(taus, folds)])
        return list(zip(*verdicts, strict=True))

    # from groups to evidence

    def _evidence(
        self, name: str, truths: Counter[Any], calibration: Counter[Any], metric: Counter[Any], sampling: Sampling
    ) -> Evidence:
        human = Tally(truths[1], truths[0] + truths[1])
        patterns = list(product((0, 1), repeat=len(self.roles.metrics))) if self.roles.metrics else []
        levels = Levels(*(tuple(calibration[truth, p] for p in patterns) for truth in (1, 0))) if patterns else None
        judged = {"calibration": levels, "metric": tuple(metric[p] for p in patterns)} if levels else {}
        try:
            return Evidence.of(human, sampling=sampling, **judged)  # type: ignore[arg-type]
        except InvalidInput as error:
            raise DataError(f"{self.frame.name}, system {name!r}: {error}") from None

    @staticmethod
    def _missing(rows: Sequence[Row], names: Mapping[Any, str]) -> dict[str, int]:
        """Count, for each system, the items that are rated for most systems but not for it, from the rated outputs."""
        systems = set(names.values())
        common = [(names[system], k, n) for system, k, n in rows if system in names and 2 * k >= len(systems)]
        items = round(sum(n / k for _, k, n in common))  # an item with k rated outputs is counted k times
        own = Counter[str]()
        for name, _, n in common:
            own[name] += n
        return {name: items - own[name] for name in systems}

    def _tied(self, cuts: Mapping[str, Thresholds]) -> dict[str, Tally]:
        """Count the outputs with undecided votes that the first metric rated, and those that it passed."""
        passed, judged = Counter[str](), Counter[str]()
        for group in self.undecided:
            if not group.cells or group.cells[0] is None:
                continue
            metric, cell = self.roles.metrics[0], group.cells[0]
            taus = cuts[metric].systems[group.system].taus if metric in cuts else ()
            judged[group.system] += group.n
            passed[group.system] += group.n * bool(cell > self.cut.sign * taus[0] if taus else cell)
        return {name: Tally(passed[name], n) for name, n in judged.items()}

    def _judged_missing(
        self, rows: Sequence[Row], names: Mapping[Any, str], cuts: Mapping[str, Thresholds]
    ) -> dict[str, tuple[Tally, int]]:
        """Count the unrated outputs of such items: those that the metric passed and rated, and all."""
        least = len(set(names.values())) / 2
        missing: dict[str, list[float]] = {name: [0, 0, 0] for name in set(names.values())}
        for system, k, *cells, n in rows:
            if system in names and k >= least:
                group = _Group(names[system], None, tuple(map(self._cell, self.roles.metrics, cells)), n)
                patterns = self._patterns(group, cuts) if None not in group.cells else []
                missing[group.system][0] += n * sum(p[:1] == (1,) for p in patterns) / max(len(patterns), 1)
                missing[group.system][1] += n if patterns else 0
                missing[group.system][2] += n
        return {name: (Tally(round(passed), int(rated)), int(n)) for name, (passed, rated, n) in missing.items()}

    def _different(self, outputs: Outputs, totals: Sequence[Row]) -> dict[str, tuple[Caution, ...]]:
        """Compare the items of all systems with those of each; tables with very many rows are spared."""
        if self.roles.item is None or len(totals) == 1 or sum(row[1] for row in totals) > _MOST_COMPARED:
            return {}
        ((items,),) = self.frame.collect([outputs.items()])[0]
        return different_items(int(items), [int(row[1]) for row in totals])

    # in words

    def _understood(
        self, evidence: Mapping[str, Evidence], cuts: Mapping[str, Thresholds], rows: int, rated: Sequence[_Group]
    ) -> tuple[str, ...]:
        roles = self.roles
        how = (
            f" ({_VOTES_SAID[self.votes].format(cut=self.human_cut)})"
            if self._several or self.human_cut is not None
            else ""
        )
        columns = [f"system = {ticked(roles.system)}"]
        columns += [f"item = {ticked(roles.item)}" if roles.item else "no item column"]
        columns += [f"human = {_listed(roles.human)}{how}"]
        columns += [f"annotator = {ticked(roles.annotator)}"] if roles.annotator else []
        systems = "1 system" if len(evidence) == 1 else f"{len(evidence)} systems"
        said = [f"Read {self.frame.name}: {rows:,} outputs of {systems}; {', '.join(columns)}."]
        for metric in roles.metrics:
            kind = f"a score, {cuts[metric].cut}" if metric in cuts else "a verdict, 0 or 1"
            said.append(f"Metric {ticked(metric)}: {kind}.")
        if len(roles.metrics) > 1:
            said.append(f"The {len(roles.metrics)} metrics are used together, by the joint pattern of their verdicts.")
        people = sum(g.n for g in rated)
        alone = sum(e.n_metric for e in evidence.values())
        said.append(f"{people:,} outputs are rated by people, {alone:,} by the metric alone.")
        said += [f"Left out: {n:,} {what}." for what, n in sorted(self.left_out.items()) if what != _UNCALIBRATED]
        if self.left_out[_UNCALIBRATED] and roles.metrics:
            said.append(
                f"{self.left_out[_UNCALIBRATED]:,} human-rated outputs lack the metric: they count for the rate only."
            )
        if not roles.metrics:
            neither = f" ({_listed(self.unusable)}: neither labels nor numbers)" if self.unusable else ""
            said.append(f"No metric column was found{neither}: the result rests on the human ratings alone.")
        if roles.others:
            said.append(f"Might be metrics too, not used: {_listed(roles.others)}. Choose with --metric (metric=).")
        if len(evidence) > 1:
            said.append(
                "The systems are compared as independent of each other; pairs of outputs for an item are not used."
            )
        if not roles.item:
            said.append("Without an item column, repeated rows cannot be noticed.")
        return tuple(said)

    @property
    def _several(self) -> bool:
        return len(self.roles.human) > 1 or self.roles.annotator is not None


_UNCALIBRATED = "human-rated outputs without the metric"
_UNDECIDED = "outputs with undecided votes"
_UNRATED = "outputs without a human rating and without the metric"
_VOTES_SAID = {
    "majority": "adequate if most votes say so",
    "all": "adequate if all votes say so",
    "any": "adequate if any vote says so",
    "mean": "adequate if the mean is at least {cut:g}",
}


class _NotLabels(Exception):
    """A column that looked like labels holds other numbers."""

    def __init__(self, column: str) -> None:
        super().__init__(column)
        self.column = column


def _joined(*found: Mapping[str, tuple[Caution, ...]]) -> dict[str, tuple[Caution, ...]]:
    return {name: tuple(c for each in found for c in each.get(name, ())) for each in found for name in each}


_LIKE_A_METRIC = re.compile(
    r"judge|llm|gpt|claude|bleu|chrf|rouge|meteor|bert|comet|score|metric|f1|match|pass|nli|sim"
)
_LIKE_A_SIZE = re.compile(
    r"(^|_)(n|num|number|count|len|length|tokens?|words?|chars?|time|seconds|latency|cost|year|date|seed|fold|index|rank|turn)(_|$)"
)


def _unlikely(name: str, kind: str, *, covers: bool) -> tuple[bool, bool, bool, bool]:
    """Order columns by how unlikely they are the metric: no values where people did not rate, names, kinds."""
    plain = name.lower()
    sized, named = bool(_LIKE_A_SIZE.search(plain)), bool(_LIKE_A_METRIC.search(plain))
    return not covers, sized, kind != "labels", not named


def _order(group: _Group) -> tuple[Any, ...]:
    return group.system, group.truth or 0, *((cell is None, cell or 0) for cell in group.cells)


def _is_number(value: object) -> bool:
    return not isinstance(labels.score(value), Unknown)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(ticked, names))


def _truths(rated: Sequence[_Group]) -> dict[str, Counter[Any]]:
    """Count the rated outputs of each system by what people said."""
    found: dict[str, Counter[Any]] = defaultdict(Counter)
    for group in rated:
        found[group.system][group.truth] += group.n
    return found


def _scores(own: Sequence[_Group], place: int) -> Scores:
    """Return the scores of a system's rated outputs, in the order of the groups."""
    repeats = [group.n for group in own]
    return Scores(
        np.repeat([group.cells[place] for group in own], repeats),
        np.repeat([group.truth == 1 for group in own], repeats),
    )


def _by_cell(cuts: Thresholds, names: Mapping[Any, str], sign: int) -> dict[Any, list[float]]:
    return {cell: [sign * tau for tau in cuts.systems[name].taus] for cell, name in names.items()}


def _whole(counts: Mapping[Any, float]) -> Counter[Any]:
    """Round counts so that their sum stays: the largest remainders are rounded up."""
    down = Counter({key: int(value + 1e-6) for key, value in counts.items()})  # fractions are of at most 100 folds
    rest = round(sum(counts.values())) - sum(down.values())
    for key in sorted(counts, key=lambda key: down[key] - counts[key])[:rest]:
        down[key] += 1
    return down
