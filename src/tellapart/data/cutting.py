"""From scores to verdicts: cuts chosen on the rated outputs, and outputs counted by the pattern of their verdicts."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tellapart.analysis.threshold import Floats, Scores, ThresholdRule, Thresholds, thresholds
from tellapart.core.counts import apportioned
from tellapart.data.source import ticked
from tellapart.errors import DataError, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tellapart.data.choose import Chosen, Rules
    from tellapart.data.groups import Group

Counts = dict[str, Counter[Any]]  # of each system
_IN_EACH = 10  # rated outputs in a level
_MOST_BINS = 32


@dataclass(frozen=True)
class Cutting:
    """The metrics, with the cuts of those that are scores."""

    metrics: tuple[str, ...]
    cuts: Mapping[str, Thresholds]
    sign: int
    edges: Mapping[str, Mapping[str, Floats]] = field(default_factory=dict)

    @classmethod
    def of(cls, chosen: Chosen, rules: Rules, rated: Sequence[Group], names: Iterable[str], *, where: str) -> Cutting:
        """Choose the cuts on the rated outputs of the systems, and the edges of bins without a look at the truth."""
        metrics, rule = chosen.roles.metrics, rules.cut
        own: dict[str, list[Group]] = {name: [] for name in sorted(set(names))}
        for group in rated if chosen.scores or chosen.bins else ():
            own[group.system].append(group)
        cuts = {}
        for name in chosen.scores:
            scores = {system: _scores(groups, metrics.index(name)) for system, groups in own.items()}
            try:
                cuts[name] = thresholds(name, scores, rule)
            except InvalidInput as error:
                raise DataError.at(f"{where}, column {ticked(name)}", error) from None
        every = [group for groups in own.values() for group in groups]
        edges = {
            name: {
                system: _edges(
                    _scores(every if rule.pooled else groups, place), rules.levels, len(own) if rule.pooled else 1
                )
                for system, groups in own.items()
            }
            for name, place in ((name, metrics.index(name)) for name in chosen.bins)
        }
        return cls(metrics, cuts, rule.sign, edges)

    def taus(self, names: Mapping[Any, str]) -> dict[str, dict[Any, list[float]]]:
        """Return the cuts, or the edges of bins, of each score for each cell of the system column."""
        taus = {
            metric: {cell: [self.sign * tau for tau in cut.systems[name].taus] for cell, name in names.items()}
            for metric, cut in self.cuts.items()
        }
        bins = {
            metric: {cell: own[name].tolist() for cell, name in names.items()} for metric, own in self.edges.items()
        }
        return taus | bins

    def calibration(self, rated: Iterable[Group]) -> Counts:
        """Count rated outputs by truth and by the pattern of the metrics' verdicts, unless one has none."""
        found: Counts = defaultdict(Counter)
        judged = {
            metric: {name: iter(t.passed.tolist()) for name, t in cut.systems.items()}
            for metric, cut in self.cuts.items()
        }
        for group in rated:
            verdicts = [
                [None] * group.n if cell is None
                else [int(next(judged[metric][group.system])) for _ in range(group.n)] if metric in self.cuts
                else [int(np.searchsorted(self.edges[metric][group.system], cell))] * group.n if metric in self.edges
                else [cell] * group.n
                for metric, cell in zip(self.metrics, group.cells, strict=True)
            ]  # fmt: skip
            for pattern in zip(*verdicts, strict=True):
                if None not in pattern:
                    found[group.system][group.truth, pattern] += 1
        return found

    def metric(self, rest: Iterable[Group]) -> Counts:
        """Count unrated outputs by pattern; those with scores are divided evenly among the cuts of the folds."""
        found: dict[str, dict[Any, float]] = defaultdict(lambda: defaultdict(float))
        for group in rest:
            patterns = self.patterns(group)
            for pattern in patterns:
                found[group.system][pattern] += group.n / len(patterns)
        return defaultdict(Counter, {name: _whole(counts) for name, counts in found.items()})

    def patterns(self, group: Group) -> list[tuple[int, ...]]:
        """Return the verdicts on levels of scores by the cuts of each fold; none where a metric did not rate."""
        if None in group.cells or not group.cells:
            return []
        folds = max((len(cut.systems[group.system].taus) for cut in self.cuts.values()), default=1)
        verdicts = []
        for metric, cell in zip(self.metrics, group.cells, strict=True):
            if metric not in self.cuts:
                verdicts.append([cell] * folds)
                continue
            taus = self.sign * np.array(self.cuts[metric].systems[group.system].taus)
            verdicts.append([int(cell >= (taus <= tau).sum()) for tau in np.resize(taus, folds)])
        return list(zip(*verdicts, strict=True))

    def first_verdict(self, group: Group) -> bool | None:
        """Return whether the first metric passes outputs whose scores are not replaced by levels."""
        if not group.cells or group.cells[0] is None or self.metrics[0] in self.edges:
            return None
        metric, cell = self.metrics[0], group.cells[0]
        return bool(cell > self.sign * self.cuts[metric].systems[group.system].taus[0] if metric in self.cuts else cell)


def _edges(scores: Scores, levels: int | Literal["auto"] | None, systems: int) -> Floats:
    """Return the edges between levels that hold equally many rated outputs, ten a system if not told how many."""
    enough = systems * _IN_EACH
    number = levels if isinstance(levels, int) else int(np.clip(len(scores.scores) // enough, 2, _MOST_BINS))
    if not len(scores.scores):
        return np.zeros(1)  # nothing to go by, and nothing to calibrate
    if isinstance(levels, int) and len(values := np.unique(scores.scores)) <= levels:
        return values[:-1]
    return np.unique(np.quantile(scores.scores, np.arange(1, number) / number, method="inverted_cdf"))[:number]


def check_rule(scores: Sequence[str], cut: ThresholdRule) -> None:
    """Refuse one number for several scores."""
    if len(scores) > 1 and cut.fixed:
        hint = "equal, worth or youden cut each score by itself; or use one score"
        raise InvalidInput.rule("threshold", f"be a rule where {len(scores)} scores are cut", cut.rule, hint)


def _scores(own: Sequence[Group], place: int) -> Scores:
    """Return the scores of a system's rated outputs, in the order of the groups."""
    scored = [group for group in own if group.cells[place] is not None]
    repeats = [group.n for group in scored]
    scores, adequate = [group.cells[place] for group in scored], [group.truth == 1 for group in scored]
    return Scores(np.repeat(scores, repeats), np.repeat(adequate, repeats))


def _whole(counts: Mapping[Any, float]) -> Counter[Any]:
    """Round counts so that their sum stays."""
    values = list(counts.values())
    return Counter(dict(zip(counts, apportioned(values, round(sum(values))), strict=True)))
