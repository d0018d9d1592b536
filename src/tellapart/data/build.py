"""From counted groups to evidence: the only place where counts of ratings become a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from operator import eq
from typing import TYPE_CHECKING, Any

from tellapart.core.counts import ADEQUACY, NO_METRIC, VERDICT, Counts, Scale
from tellapart.core.evidence import Evidence
from tellapart.errors import DataError, InvalidInput

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping, Sequence

    from tellapart.core.counts import Table
    from tellapart.data.choose import Chosen, Rules

    Counters = Mapping[str, Counter[Any]]

_MOST_CLASSES = 40


@dataclass(frozen=True)
class Tables:
    """The classes and levels of a table of ratings: the same for every system."""

    rules: Rules
    classes: Sequence[float]
    patterns: Sequence[tuple[Any, ...]]
    truth: Scale
    metric: Scale

    @classmethod
    def of(cls, chosen: Chosen, rules: Rules, human: Counters, calibration: Counters, metric: Counters) -> Tables:
        """Find the classes that people told apart, and the patterns of what the metrics said."""
        truth, classes = ADEQUACY, ADEQUACY.values
        if chosen.scale:
            classes = rules.classes or tuple(sorted({rating for counts in human.values() for rating in counts}))
            if len(classes) > _MOST_CLASSES:
                hint = "fewer annotators, or --human-cut (human_cut=) to say which ratings are adequate"
                raise InvalidInput.rule("human", f"have at most {_MOST_CLASSES} mean ratings", len(classes), hint)
            truth = Scale.of(classes)
        metrics = chosen.roles.metrics
        if not metrics:
            return cls(rules, classes, (), truth, NO_METRIC)
        own = bool(chosen.scores or chosen.bins) and not (rules.cut.pooled or rules.cut.fixed)
        if len(metrics) == 1 and chosen.kinds[metrics[0]] in {"levels", "bins"}:
            seen = {pattern for counts in metric.values() for pattern in counts}
            patterns = sorted(seen | {pattern for counts in calibration.values() for _, pattern in counts})
            start = 1 if chosen.bins else 0
            values = [rules.cut.sign * value + start for (value,) in patterns]
            return cls(rules, classes, patterns, truth, replace(Scale.of(values), own=own))
        patterns = list(product((0, 1), repeat=len(metrics)))
        scale = VERDICT
        if len(metrics) > 1:
            best = [_better(calibration, j) for j in range(len(metrics))]
            in_favour = (float(sum(map(eq, pattern, best))) for pattern in patterns)
            scale = Scale(tuple("".join(map(str, p)) for p in patterns), tuple(in_favour))
        return cls(rules, classes, patterns, truth, replace(scale, own=own))

    def evidence(self, human: Counter[Any], calibration: Counter[Any], metric: Counter[Any], where: str) -> Evidence:
        """Build the evidence of one system."""
        several = bool(self.patterns) and len(self.patterns[0]) > 1
        try:
            if several and self.rules.fuse == "sequential":
                return self._sequential(human, calibration, metric)
            both = tuple(tuple(calibration[c, p] for p in self.patterns) for c in self.classes)
            return self._evidence(human, both, tuple(metric[p] for p in self.patterns), self.metric)
        except InvalidInput as error:
            raise DataError.at(where, error) from None

    def _evidence(self, human: Counter[Any], both: Table, alone: tuple[int, ...], scale: Scale) -> Evidence:
        rest = tuple(human[c] - sum(row) for c, row in zip(self.classes, both, strict=True))
        return Evidence(Counts(both, rest, alone, self.truth, scale), sampling=self.rules.sampling)

    def _sequential(self, human: Counter[Any], calibration: Counter[Any], metric: Counter[Any]) -> Evidence:
        """Take the metrics one after the other, as if they erred independently of each other."""
        found = []
        for j in range(len(self.patterns[0])):
            split = [[p for p in self.patterns if p[j] == verdict] for verdict in (0, 1)]
            both = tuple(tuple(sum(calibration[c, p] for p in part) for part in split) for c in self.classes)
            found.append((both, tuple(sum(metric[p] for p in part) for part in split)))
        nobody = Counts(((0, 0),) * len(self.classes), (0,) * len(self.classes), (0, 0), self.truth, VERDICT)
        further = (Evidence(replace(nobody, metric_only=alone), both) for both, alone in found[1:])
        return replace(self._evidence(human, *found[0], VERDICT), fused=tuple(further))


def _better(calibration: Counters, j: int) -> int:
    """Return which verdict of a metric, 0 or 1, goes with better outputs: its covariance with truth, within systems."""
    total = Fraction(0)
    for counts in calibration.values():
        cells = [(n, Fraction(truth), pattern[j]) for (truth, pattern), n in counts.items()]
        mean = sum(n * truth for n, truth, _ in cells) / max(counts.total(), 1)
        total += sum(n * verdict * (truth - mean) for n, truth, verdict in cells)
    return int(total >= 0)
