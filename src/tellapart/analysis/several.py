"""How good is each of several systems, taken by itself?"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tellapart.analysis.cautions import Caution, Shared, doubts, shared
from tellapart.analysis.estimation import Estimate
from tellapart.analysis.result import Result
from tellapart.analysis.signature import signed, unusual
from tellapart.analysis.verdicts import first
from tellapart.core.counts import fraction
from tellapart.core.prior import PRIORS, Prior

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tellapart.core.evidence import Evidence
    from tellapart.core.intervals import IntervalKind

_FEW = 5  # systems that one sentence names


@dataclass(frozen=True, repr=False)
class Estimates(Result):
    """The rates of systems, each estimated by itself; `found` holds cautions about the ratings, by system."""

    kind = "estimates"
    systems: Mapping[str, Estimate]
    understood: tuple[str, ...] = ()
    found: Mapping[str, tuple[Caution, ...]] = field(default_factory=dict)

    @cached_property
    def cautions(self) -> tuple[tuple[str, Caution], ...]:
        """Reasons to distrust an answer, each with the system's name."""
        return tuple(
            (name, caution) for name, e in self.systems.items() for caution in (*self.found.get(name, ()), *e.warnings)
        )

    @cached_property
    def doubtful(self) -> Mapping[str, tuple[str, ...]]:
        """The systems whose rates cannot be relied on, and why, in a few words each."""
        of = {name: doubts([c for whose, c in self.cautions if whose == name]) for name in self.systems}
        return {name: reasons for name, reasons in of.items() if reasons}

    @property
    def warnings(self) -> tuple[Shared, ...]:
        """The cautions in words; what several systems share is said once."""
        return shared(self.cautions)

    @property
    def signature(self) -> str:
        """One short line that stands for all settings and counts."""
        first = next(iter(self.systems.values()))
        settings = unusual(first.evidence.sampling, first.prior)
        return signed(self.provenance, "each system by itself", *settings, f"level {first.confidence_level:g}")

    @property
    def provenance(self) -> str:
        """All settings and counts: what makes the numbers reproducible."""
        return "; ".join(f"{name}: {e.provenance}" for name, e in self.systems.items())

    def __str__(self) -> str:
        """Say how good each is, or between which rates those lie that can be relied on."""
        if len(self.systems) > _FEW:
            return self._ends()
        if len(self.systems) == 1:
            return " ".join(f"{name}: {self._said(name)}" for name in self.systems)
        level = f"{100 * next(iter(self.systems.values())).confidence_level:g}%"
        told = (f"{name} {e.spread}{self._doubt(name)}" for name, e in self.systems.items())
        return f"Each system by itself, with {level} probability: {'; '.join(told)}."

    def _ends(self) -> str:
        """Say between which rates the systems lie that can be relied on, and which cannot."""
        sound = [name for name in self.systems if name not in self.doubtful]
        order = sorted(sound, key=lambda name: self.systems[name].mean)
        aside = f" Set aside, see the cautions: {first(list(self.doubtful))}." if self.doubtful else ""
        what = f"{len(sound)} of {len(self.systems)} systems" if aside else f"{len(self.systems)} systems"
        if not sound:
            return f"No rate of these {len(self.systems)} systems can be relied on, see the cautions."
        ends = [f"{self._shown(self.systems[name].mean)} ({name})" for name in (order[0], order[-1])]
        return f"{what}, each by itself: {f'from {ends[0]} to {ends[1]}' if len(sound) > 1 else ends[0]}.{aside}"

    def _shown(self, mean: float) -> str:
        return f"{mean:.1%}" if next(iter(self.systems.values())).is_rate else f"{mean:.2f}"

    def _doubt(self, name: str) -> str:
        reasons = self.doubtful.get(name)
        return f" (cannot be relied on: {', '.join(reasons)})" if reasons else ""

    def _said(self, name: str) -> str:
        estimate, reasons = self.systems[name], self.doubtful.get(name)
        return estimate.doubted(reasons) if reasons else str(estimate)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "systems": {name: estimate.to_dict() for name, estimate in self.systems.items()},
            "doubtful": {name: list(reasons) for name, reasons in self.doubtful.items()},
            "understood": list(self.understood),
            "warnings": [{"system": name, **caution.to_dict()} for name, caution in self.cautions],
            "summary": str(self),
            "signature": self.signature,
            "provenance": self.provenance,
        }


def estimate_each(
    systems: Mapping[str, Evidence],
    *,
    prior: Prior | str | Sequence[float] = PRIORS["uniform"],
    confidence_level: float = 0.95,
    interval: IntervalKind = "highest-density",
) -> Estimates:
    """Estimate the rate of each system by itself; the choices are those of `estimate`."""
    level, chosen = fraction("confidence_level", confidence_level, open_ends=True), Prior.of(prior)
    return Estimates({name: Estimate(e.merged(), chosen, level, interval) for name, e in systems.items()})
