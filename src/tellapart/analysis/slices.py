"""Where does it differ? Slices of an evaluation, such as languages, each with few ratings of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import log_expit

from tellapart.analysis.needed import chance
from tellapart.analysis.result import Result
from tellapart.analysis.verdicts import Marginal, Pair
from tellapart.core import slices as core
from tellapart.core.counts import BINARY
from tellapart.core.distribution import scaled
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tellapart.analysis.comparison import Comparison
    from tellapart.analysis.estimation import Estimate
    from tellapart.core.distribution import Distribution
    from tellapart.core.quadrature import Floats

_RATES, _DIFFERENCES = 0.5, 0.05  # medians of what is believed of the scatter: logits, shares of the scale


@dataclass(frozen=True)
class Change:
    """A slice in which a pair of systems has the other order than overall."""

    slice: str
    pair: Pair

    def __str__(self) -> str:
        """Say it in words."""
        pair, gap = self.pair, f"{self.pair.written[0]}{' points' if self.pair.is_rate else ''}"
        better = f"{pair.second} is better than {pair.first}"
        return f"In slice {self.slice} {better} ({gap}; P = {chance(1 - pair.probability)})"


@dataclass(frozen=True, repr=False)
class Slices(Result):
    """An evaluation as a whole, `overall`, and by slice; `by` are the columns whose values make the slices.

    The rates of a system in the slices, and the differences of two, are drawn together as far as they differ by no more
    than chance: a slice with few ratings is like the others unless it shows otherwise.
    """

    kind = "slices"
    overall: Comparison
    parts: Mapping[str, Comparison]
    by: tuple[str, ...]

    @property
    def _any(self) -> Estimate:
        return next(iter(self.overall.estimates.values()))

    @property
    def names(self) -> tuple[str, ...]:
        """The slices, those with most human ratings first."""
        return tuple(sorted(self.parts, key=lambda name: (-self.rated(name), name)))

    def rated(self, name: str) -> int:
        """Return how many human ratings a slice has."""
        return sum(evidence.outputs[0] for evidence in self.parts[name].evidence.values())

    @cached_property
    def rates(self) -> Mapping[str, Mapping[str, Marginal]]:
        """The rate of each system in each slice: by slice, then by system."""
        found: dict[str, dict[str, Marginal]] = {name: {} for name in self.names}
        for system in self.overall.ranking:
            own = {name: part.estimates[system] for name, part in self.parts.items() if system in part.estimates}
            drawn = self._drawn_rates([estimate.posterior for estimate in own.values()])
            for name, posterior in zip(own, drawn, strict=True):
                kind = own[name].interval_kind
                found[name][system] = Marginal(posterior, self.overall.confidence_level, kind)
        return found

    def _drawn_rates(self, posteriors: list[Distribution]) -> list[Distribution]:
        nodes = [core.logits_at_nodes(one) for one in posteriors]
        drawn = core.Slices.of(nodes, self._log_prior, _RATES)
        low, width = posteriors[0].low, posteriors[0].high - posteriors[0].low
        return [scaled(drawn.rate(k), low, width) for k in range(len(nodes))]

    def _log_prior(self, x: Floats) -> Floats:
        """Return the log density that a slice's own prior has on logits; of a mean rating none is taken out."""
        one = next(iter(next(iter(self.parts.values())).estimates.values()))
        a, b = one.prior.rate if one.evidence.classes == BINARY else (0.0, 0.0)
        return np.asarray(a * log_expit(x) + b * log_expit(-x), dtype=float)

    @cached_property
    def pairs(self) -> Mapping[str, tuple[Pair, ...]]:
        """The difference of every two systems in each slice, in the order that they have overall."""
        found: dict[str, list[Pair]] = {name: [] for name in self.names}
        for pair in self.overall.pairs:
            both = {pair.first, pair.second}
            own = [name for name in self.names if both <= self.parts[name].estimates.keys()]
            if not own:  # as of systems for different languages
                continue
            direct = [self.parts[name].joint.contrast(pair.first, pair.second) for name in own]
            width = self._any.posterior.high - self._any.posterior.low
            nodes = [core.at_nodes(one) / width for one in direct]
            drawn = core.Slices.of(nodes, np.zeros_like, _DIFFERENCES)
            for k, name in enumerate(own):
                gap = scaled(drawn.difference(k), 0.0, width)
                made = (pair.first, pair.second, gap, pair.confidence_level)
                found[name].append(Pair(*made, is_rate=pair.is_rate, set_aside=pair.set_aside))
        return {name: tuple(pairs) for name, pairs in found.items()}

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """The slices where two systems that can be relied on change places: better there what is not better overall."""
        higher = {(p.first, p.second) for p in self.overall.pairs if p.difference >= 0}
        return tuple(
            Change(name, pair)
            for name, pairs in self.pairs.items()
            for pair in pairs
            if pair.distinguishable and (pair.better == pair.second) == ((pair.first, pair.second) in higher)
        )

    def _told(self) -> str:
        """Say of two systems which is clearly better in which slices."""
        better = {name: pair.better for name, pairs in self.pairs.items() for pair in pairs if pair.better}
        where = {system: [name for name in better if better[name] == system] for system in self.overall.ranking}
        return " and ".join(
            f"{system} is clearly better in {len(n)}: {', '.join(n)}" for system, n in where.items() if n
        )

    @property
    def warnings(self) -> tuple[Any, ...]:
        """The cautions of the whole."""
        return self.overall.warnings

    @property
    def signature(self) -> str:
        """One line that makes the numbers reproducible."""
        return f"{self.overall.signature} | slices by {', '.join(self.by)}, drawn together, each {self._how}"

    @property
    def _how(self) -> str:
        """What a slice's numbers rest on, in short: not on all that the verdicts on the whole borrow."""
        items = any(part.borrow == "items" for part in self.parts.values())
        return f"{'with items' if items else 'system by itself'}, pair by pair"

    @property
    def whole_name(self) -> str:
        """What the whole is called in tables and charts: not as a slice is."""
        return "all" if "all" not in self.parts else "all slices together"

    def whole(self, system: str) -> Marginal:
        """Return a system's rate over all slices as these have theirs: by itself."""
        return self.overall.marginal(system, "none")

    def __str__(self) -> str:
        """Say what holds overall, and where it does not."""
        number = f"{len(self.parts)} slices by {' and '.join(self.by)}"
        if all(pair.set_aside for pair in self.overall.pairs):
            return f"{self.overall} See the {number}."
        if not any(self.pairs.values()):
            return f"{self.overall} None of the {number} holds two systems."
        if len(self.overall.ranking) == 2 and (told := self._told()):  # noqa: PLR2004 - a pair
            return f"{self.overall} Among the {number}, {told}."
        if not self.changes:
            return f"{self.overall} In none of the {number} do two systems clearly change places."
        return f"{self.overall} Among the {number}, systems change places. {'. '.join(map(str, self.changes))}."

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "by": list(self.by),
            "overall": self.overall.to_dict(),
            "slices": {
                name: {
                    "n_human": self.rated(name),
                    "systems": {system: rate.to_dict() for system, rate in self.rates[name].items()},
                    "pairs": [pair.to_dict() for pair in self.pairs[name]],
                    "direct": {system: e.to_dict()["mean"] for system, e in self.parts[name].estimates.items()},
                }
                for name in self.names
            },
            "changes": [{"slice": one.slice, **one.pair.to_dict()} for one in self.changes],
            "summary": str(self),
            "signature": self.signature,
        }


def slices(overall: Comparison, parts: Mapping[str, Comparison], by: tuple[str, ...]) -> Slices:
    """Draw the slices of an evaluation together.

    Parameters
    ----------
    overall : Comparison
        All outputs.
    parts : mapping of names to Comparison
        Those of each slice, compared by themselves or item by item (`borrow` "none" or "items").
    by : tuple of str
        The columns whose values make the slices.

    Returns
    -------
    Slices
    """
    if len(parts) < 2:  # noqa: PLR2004 - or there is nothing to draw together
        hint = "a column with two different values or more"
        raise InvalidInput.rule("by", "make two slices or more", ", ".join(parts) or None, hint)
    return Slices(overall, parts, by)
