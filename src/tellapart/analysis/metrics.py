"""Which metric? Candidates judged on the same human-rated outputs and ranked by what they are worth."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tellapart._version import __version__
from tellapart.analysis import auc, bootstrap
from tellapart.analysis.cautions import Caution
from tellapart.analysis.diagnostics import DIFFER, FEW
from tellapart.analysis.homogeneity import Homogeneity, homogeneity
from tellapart.analysis.result import Result
from tellapart.analysis.threshold import Scores, ThresholdRule
from tellapart.core.counts import Confusion, fraction
from tellapart.core.intervals import Interval
from tellapart.said import Option

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tellapart.analysis.bootstrap import Bools, Floats, Rated, Whole

Unjudged = Literal["size", "few", "text", "votes"]
WHY: Mapping[Unjudged, str] = {
    "size": "looks like a size, not judged unless named with --metric (metric=)",
    "few": f"on fewer than {FEW} adequate or {FEW} inadequate outputs",
    "text": "holds neither labels nor numbers",
    "votes": "differs between the votes on one output",
}
_TOO_GOOD = 0.85  # worth that hardly any metric has which does not know the human ratings
_WORTHLESS, _LITTLE = 0.02, 0.1
_MATTERS = 0.1  # spread of tpr or tnr over systems that is worth telling


@dataclass(frozen=True)
class JudgedMetric:
    """What one candidate is worth, with intervals, and how it errs for each system.

    `worth` is κ, the squared correlation of verdict and truth within systems. `systems` are counts of verdicts by cuts
    that the outputs judged did not choose. `behind` is by how much the metric is worth less than the best one, on the
    outputs that both rated. `unrated` counts outputs without a human rating that carry the metric.
    """

    name: str
    lower_is_better: bool
    worth: float
    interval: Interval
    auc: float
    auc_interval: Interval
    systems: Mapping[str, Confusion]
    aucs: Mapping[str, float]
    homogeneity: Homogeneity
    unrated: int
    behind: Interval | None = None

    @property
    def clearly_behind(self) -> bool:
        """Whether the best metric is worth more, at the level."""
        return self.behind is not None and self.behind.low > 0

    @property
    def repeats(self) -> bool:
        """Whether the metric says what people said, almost exactly: it may be derived from their ratings."""
        return self.interval.low >= _TOO_GOOD

    @property
    def worthless(self) -> bool:
        """Whether the metric can replace next to nothing."""
        return self.worth < _WORTHLESS

    @property
    def spreads(self) -> dict[str, tuple[str, float, str, float]]:
        """Lowest and highest tpr, tnr and AUC over systems with enough outputs of the kind, each after its system."""
        shares = {
            "tpr": {s: c.tp / (c.tp + c.fn) for s, c in self.systems.items() if c.tp + c.fn >= FEW},
            "tnr": {s: c.tn / (c.tn + c.fp) for s, c in self.systems.items() if c.tn + c.fp >= FEW},
            "auc": self.aucs,
        }
        return {what: _ends(found) for what, found in shares.items() if len(found) > 1}

    @property
    def differs(self) -> bool:
        """Whether the metric treats systems differently, clearly and by much."""
        spread = [high - low for what, (_, low, _, high) in self.spreads.items() if what != "auc"]
        return self.homogeneity.p_value < DIFFER and max(spread, default=0) >= _MATTERS

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        total = self.confusion
        return {
            "metric": self.name,
            "worth": self.worth,
            "interval": asdict(self.interval),
            "auc": self.auc,
            "auc_interval": asdict(self.auc_interval),
            "lower_is_better": self.lower_is_better,
            "repeats": self.repeats,
            "behind": None if self.behind is None else asdict(self.behind),
            "clearly_behind": self.clearly_behind,
            "adequate": total.tp + total.fn,
            "inadequate": total.tn + total.fp,
            "unrated": self.unrated,
            "differs_by_system": self.differs,
            "homogeneity": self.homogeneity.to_dict(),
            "systems": {s: asdict(c) | {"auc": self.aucs.get(s)} for s, c in self.systems.items()},
        }

    @property
    def confusion(self) -> Confusion:
        """All systems added up."""
        counts = [(c.tp, c.fn, c.tn, c.fp) for c in self.systems.values()]
        return Confusion(*map(sum, zip(*counts, strict=True)))


def _ends(found: Mapping[str, float]) -> tuple[str, float, str, float]:
    low, high = (pick(found, key=lambda s: found[s]) for pick in (min, max))
    return low, found[low], high, found[high]


@dataclass(frozen=True, repr=False)
class MetricRanking(Result):
    """Candidates for the metric, those worth most first; `unjudged` are the others, each with the reason."""

    kind = "metrics"
    metrics: tuple[JudgedMetric, ...]
    unjudged: Mapping[str, Unjudged]
    rated: int
    unrated: int
    confidence_level: float
    seed: int
    draws: int
    understood: tuple[str, ...] = ()

    @property
    def ranking(self) -> tuple[str, ...]:
        """The names, those worth most first."""
        return tuple(metric.name for metric in self.metrics)

    @property
    def best(self) -> JudgedMetric | None:
        """The metric worth most, those set aside that repeat the human ratings."""
        return next((metric for metric in self.metrics if not metric.repeats), None)

    @property
    def reasons(self) -> dict[str, str]:
        """Why each of the others was not judged, in words."""
        return {name: WHY[why] for name, why in self.unjudged.items()}

    @property
    def warnings(self) -> tuple[Caution, ...]:
        """What should be distrusted."""
        return tuple(caution for metric in self.metrics for caution in _cautions(metric))

    @property
    def signature(self) -> str:
        """One line that makes the numbers reproducible."""
        return (
            f"tellapart {__version__} | worth within systems, one cut for all, cross-fitted in 5 folds, "
            f"{self.draws} draws of the Bayesian bootstrap, seed {self.seed}; AUC within systems, DeLong | "
            f"level {self.confidence_level:g} | {self.rated} human-rated outputs"
        )

    def __str__(self) -> str:
        """Say which metric is worth most, and whether that is clear."""
        best = self.best
        if best is None:
            return f"No column could be judged as a metric{', but for repeated human ratings' if self.metrics else ''}."
        if best.worthless:
            return f"No metric here is worth anything: even {_shares([best])} can replace next to no human ratings."
        others = [m for m in self.metrics if m is not best and not m.repeats]
        rivals, behind = ([m for m in others if m.clearly_behind is clear] for clear in (False, True))
        little = best.worth < _LITTLE
        most = (
            f" is worth most{', and little' if little else ''}: it"
            if others
            else " is worth little: it"
            if little
            else ""
        )
        said = f"`{best.name}`{most} can replace up to {best.worth:.0%} of the human ratings"
        if rivals:
            more = f" and {len(rivals) - 2} more" if len(rivals) > 2 else ""  # noqa: PLR2004 - two are named
            said += f"; whether that is more than {_shares(rivals[:2])}{more} cannot be told"
        said += f"{';' if rivals else ','} clearly more than {_shares(behind[:1])}" if behind else ""
        return f"{said}.{self._use(best)}"

    def _use(self, best: JudgedMetric) -> str:
        """Say where there is nothing for the metric to add to."""
        if not self.unrated:
            return " People rated every output here: a metric adds something only where they did not."
        if best.unrated:
            return ""
        said = (
            f" It rated none of the {self.unrated:,} outputs that people did not rate: until it does, it adds nothing"
        )
        there = [m for m in self.metrics if m.unrated and not m.repeats]
        if len(there) == 1:
            return f"{said}; {_shares(there)} did."
        return f"{said}; of those that did, {_shares(there[:1])} is worth most." if there else f"{said}."

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "ranking": list(self.ranking),
            "metrics": [metric.to_dict() for metric in self.metrics],
            "unjudged": [{"metric": name, "reason": why, "what": WHY[why]} for name, why in self.unjudged.items()],
            "rated": self.rated,
            "unrated": self.unrated,
            "confidence_level": self.confidence_level,
            "seed": self.seed,
            "understood": list(self.understood),
            "warnings": [caution.to_dict() for caution in self.warnings],
            "summary": str(self),
            "signature": self.signature,
        }


def _shares(metrics: Sequence[JudgedMetric]) -> str:
    return ", ".join(f"`{m.name}` ({m.worth:.0%})" for m in metrics)


def _cautions(metric: JudgedMetric) -> Iterator[Caution]:
    if metric.repeats:
        yield Caution("repeats-people", {"metric": metric.name, "worth": metric.worth})
    if metric.lower_is_better and metric.auc_interval.low > 1 / 2:
        yield Caution("lower-is-better", {"metric": metric.name}, (Option("lower_is_better"),))


def rank_metrics(
    rated: Rated, *, unrated: Mapping[str, int], n_unrated: int = 0, seed: int = 0, confidence_level: float = 0.95
) -> MetricRanking:
    """Judge every candidate on the outputs that it rated, and rank them by worth.

    A score is cut where the verdict is worth most, each fold of outputs by the cut that the others chose. Intervals of
    worth are those of the Bayesian bootstrap (Rubin 1981): outputs weighted by exponential draws, the same for every
    candidate, so that differences are paired. For a verdict and one system that is the posterior of tpr, tnr and rate
    under Beta priors. Cuts are held fixed in it: what a cut chosen by others does gives the lower end, what the one
    chosen by all does, which flatters, the upper end, so that the worth at the best cut lies between.
    """
    level = fraction("confidence_level", confidence_level, open_ends=True)
    seed = ThresholdRule(seed=seed).seed  # checked
    found = {name: _Candidate.of(rated, name, seed) for name in rated.values}
    judged = {name: candidate for name, candidate in found.items() if candidate is not None}
    worths = {n: bootstrap.worth(rated, c.verdict, c.there) for n, c in judged.items()}
    draws = bootstrap.enough(rated)
    drawn = dict(
        zip(judged, bootstrap.draw(rated, [(c.verdict, c.there) for c in judged.values()], draws, seed), strict=True)
    )
    flattered = bootstrap.draw(rated, [(c.naive, c.there) for c in judged.values()], draws, seed)
    spans = {
        n: _hull(bootstrap.span(drawn[n], level, worths[n]), bootstrap.span(f, level))
        for n, f in zip(judged, flattered, strict=True)
    }
    order = sorted(judged, key=lambda name: -worths[name])
    best = next((name for name in order if spans[name].low < _TOO_GOOD), None)
    behind = {} if best is None else _behind(rated, judged, drawn, best, seed)
    metrics = []
    for name in order:
        c, confusions, less = judged[name], judged[name].confusions(rated), behind.get(name)
        test, numbers = homogeneity(list(confusions.values())), (worths[name], spans[name], *c.auc(rated, level))
        span = None if less is None else bootstrap.span(less, level)
        metrics.append(JudgedMetric(name, c.turned, *numbers, confusions, c.aucs(rated), test, unrated[name], span))
    few: dict[str, Unjudged] = {name: "few" for name, candidate in found.items() if candidate is None}
    return MetricRanking(tuple(metrics), few, len(rated.truth), n_unrated, level, seed, draws)


@dataclass(frozen=True)
class _Candidate:
    """A candidate as verdicts on the outputs `there`; `values` are large where good."""

    values: Floats
    there: Bools
    verdict: Bools
    naive: Bools  # verdicts by the cut that all outputs choose
    turned: bool

    @classmethod
    def of(cls, rated: Rated, name: str, seed: int) -> _Candidate | None:
        """Turn and cut a candidate; nothing where too few outputs can judge it."""
        values, truth = rated.values[name], rated.truth
        there = ~np.isnan(values)
        both = set(rated.system[there & truth]) & set(rated.system[there & ~truth])
        if not both or min((there & truth).sum(), (there & ~truth).sum()) < FEW:
            return None
        turned = auc.within(values[there], truth[there], rated.system[there])[0] < 1 / 2
        values = -values if turned else values
        if name in rated.binary:
            verdict = values > (-1 / 2 if turned else 1 / 2)
            return cls(values, there, verdict, verdict, turned)
        verdict, own = np.zeros(len(values), dtype=bool), (values[there], truth[there], rated.system[there])
        verdict[there] = _cut(*own, seed)
        return cls(values, there, verdict, values > _best_cut(*own), turned)

    def auc(self, rated: Rated, level: float) -> tuple[float, Interval]:
        """Return the AUC within systems, with its interval."""
        there = self.there
        area, variance = auc.within(self.values[there], rated.truth[there], rated.system[there])
        sizes = int(rated.truth[there].sum()), int((~rated.truth[there]).sum())
        return area, auc.interval(area, variance, sizes, level)

    def confusions(self, rated: Rated) -> dict[str, Confusion]:
        """Count verdicts by truth for each system."""
        counts = bootstrap.counted(rated, self.verdict, self.there).astype(int)
        return {
            name: Confusion(tp=int(tp), fn=int(fn), tn=int(tn), fp=int(fp))
            for name, ((tn, fp), (fn, tp)) in zip(rated.names, counts, strict=True)
            if tn + fp + fn + tp
        }

    def aucs(self, rated: Rated) -> dict[str, float]:
        """Return the AUC of each system with enough outputs of both kinds."""
        found = {}
        for i, name in enumerate(rated.names):
            own = self.there & (rated.system == i)
            scores = Scores(self.values[own], rated.truth[own])
            if min(scores.n_adequate, scores.n_inadequate) >= FEW:
                found[name] = scores.auc
        return found


def _cut(values: Floats, truth: Bools, system: Whole, seed: int) -> Bools:
    """Judge each fold by the cut that makes the others' verdicts worth most."""
    rule = ThresholdRule("worth", seed=seed)
    fold = Scores(values, truth).folds(rule)
    taus = np.array([_best_cut(values[rest], truth[rest], system[rest]) for rest in (fold != k for k in range(5))])
    passed: Bools = values > taus[fold]
    return passed


def _best_cut(values: Floats, truth: Bools, system: Whole) -> float:
    """Return the score above which outputs pass so that κ within systems is largest; sums run along the scores."""
    n = np.bincount(system)
    shares = np.bincount(system, truth) / np.maximum(n, 1)
    order = np.argsort(values, kind="stable")
    x, s = values[order], system[order]
    covariance = -np.cumsum(truth[order] - shares[s])
    place = np.empty(len(s))  # of an output among those of its system
    by_system = np.argsort(s, kind="stable")
    place[by_system] = np.arange(len(s)) - np.repeat(np.cumsum(n) - n, n)
    variance = np.arange(1, len(s) + 1) - np.cumsum((2 * place + 1) / n[s])  # Σ k(n − k)/n of k outputs below
    cuts = np.flatnonzero(np.append(x[1:] > x[:-1], [False]))
    if not len(cuts):
        return float(x[-1])
    gain = np.maximum(covariance[cuts], 0) ** 2 / np.maximum(variance[cuts], 1e-12)
    return float(x[cuts[np.argmax(gain)]])


def _hull(lower: Interval, upper: Interval) -> Interval:
    return Interval(lower.low, max(lower.high, upper.high))


def _behind(
    rated: Rated, judged: Mapping[str, _Candidate], drawn: Mapping[str, Floats], best: str, seed: int
) -> dict[str, Floats]:
    """Draw by how much each is worth less than the best, on the outputs that both rated, if these are enough."""
    there, found, apart = judged[best].there, {}, {}
    for name, c in judged.items():
        common = there & c.there
        if name != best and (common == (there | c.there)).all():
            found[name] = drawn[best] - drawn[name]
        elif name != best and min((common & rated.truth).sum(), (common & ~rated.truth).sum()) >= FEW:
            apart[name] = common
    verdicts = [(judged[which].verdict, common) for name, common in apart.items() for which in (best, name)]
    pairs = bootstrap.draw(rated, verdicts, len(drawn[best]), seed) if apart else np.empty((0, 0))
    return found | {name: pairs[2 * i] - pairs[2 * i + 1] for i, name in enumerate(apart)}
