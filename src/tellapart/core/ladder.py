"""What several systems may borrow from each other: the rungs of one ladder, each an assumption that buys precision."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from tellapart.core.counts import BINARY
from tellapart.core.direct import estimates, seen_together
from tellapart.core.distribution import Scaled, scaled
from tellapart.core.draws import SEED
from tellapart.core.joint import SIZE, Apart, Joint, SameItems, Separate, ranks
from tellapart.core.link import LEAST, Link
from tellapart.core.pooled import PooledRates
from tellapart.core.posterior import posterior
from tellapart.core.prior import PRIORS, Prior
from tellapart.core.shared import SharedRates
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tellapart.core.distribution import Distribution
    from tellapart.core.evidence import Evidence
    from tellapart.core.quadrature import Floats

    Items = Mapping[tuple[str, str], Evidence]

Rung = Literal["none", "items", "rates", "link", "shared"]
RUNGS: tuple[Rung, ...] = get_args(Rung)
Borrow = Literal["auto", "none", "items", "rates", "link", "shared"]
APART: tuple[Rung, ...] = ("none", "items")  # what takes nothing of one system's metric to be true of another's
BORROWS: tuple[str, ...] = get_args(Borrow)
_MOST_LOST = 0.5  # of the items' precision, where pooled rates make a difference less sure than separate ones


class Pooled(SameItems):
    """Systems under one metric whose error rates are similar; item by item where people rated the same ones.

    What pooling tells of a difference beyond the separate analysis, in precision, is added to what the items tell.
    """

    def __init__(self, below: SameItems, systems: Mapping[str, Evidence], prior: Prior) -> None:
        super().__init__(below.separate, below.items, prior)
        self._below = below
        self.rates = PooledRates(list(systems.values()), prior)

    def marginal(self, name: str) -> Distribution:
        """Return the distribution of one system's rate."""
        return self._marginals[name]

    @cached_property
    def _marginals(self) -> dict[str, Distribution]:
        return {name: self.rates.marginal(i) for i, name in enumerate(self.names)}

    def _contrast(self, first: str, second: str) -> Distribution:
        pooled = self.rates.difference(self.names.index(first), self.names.index(second))
        if not self.paired(first, second):
            return pooled
        items, (one, two) = self._below.contrast(first, second), map(self.separate.marginal, (first, second))
        own, mean = one.sd**2 + two.sd**2, one.mean - two.mean
        gain = max(1 / pooled.sd**2 - 1 / own, -_MOST_LOST / items.sd**2)
        variance = 1 / (1 / items.sd**2 + gain)
        middle = variance * (items.mean / items.sd**2 + pooled.mean / pooled.sd**2 - mean / own)
        scale = float(np.sqrt(variance)) / items.sd
        return Scaled(items, middle - scale * items.mean, scale)

    def _ranks(self, which: Sequence[int]) -> Floats:
        if self.items:
            return super()._ranks(which)
        return ranks(self.rates.sample(SIZE, np.random.default_rng(SEED))[which])


class Linked(Joint):
    """Systems whose rates lie around a line in the metric's own averages."""

    def __init__(self, below: SameItems, systems: Mapping[str, Evidence]) -> None:
        super().__init__(below.names)
        marginals = [below.marginal(name) for name in below.names]
        self.line = Link(estimates(systems, marginals, below))
        self._low, self._range = marginals[0].low, marginals[0].high - marginals[0].low

    def marginal(self, name: str) -> Distribution:
        """Return the distribution of one system's rate."""
        return scaled(self.line.marginal(self.names.index(name)), self._low, self._range)

    def contrast(self, first: str, second: str) -> Distribution:
        """Return the distribution of first − second."""
        return scaled(self.line.difference(self.names.index(first), self.names.index(second)), 0.0, self._range)

    def _ranks(self, which: Sequence[int]) -> Floats:
        return ranks(self.line.sample(SIZE, np.random.default_rng(SEED))[which])


class Shared(Joint):
    """Systems under one metric that errs alike for all."""

    def __init__(self, systems: Mapping[str, Evidence], prior: Prior) -> None:
        super().__init__(tuple(systems))
        self.rates = SharedRates(list(systems.values()), prior)

    def marginal(self, name: str) -> Distribution:
        """Return the distribution of one system's rate."""
        return self.rates.marginal(self.names.index(name))

    def contrast(self, first: str, second: str) -> Distribution:
        """Return the distribution of first − second."""
        return self.rates.difference(self.names.index(first), self.names.index(second))

    def _ranks(self, which: Sequence[int]) -> Floats:
        return ranks(self.rates.sample(SIZE, np.random.default_rng(SEED))[which])


class Ladder:
    """The joint posteriors of several systems, one a rung; what a higher rung shares with a lower one is found once.

    Parameters
    ----------
    systems : mapping of names to Evidence
        What was observed of each.
    prior : Prior
        The same for all.
    items : mapping of pairs of names to Evidence, optional
        What was observed of two systems on the same items; the classes' values are of first − second.
    marginals : mapping of names to Distribution, optional
        The distribution of each system by itself, where it is known already.
    aside : collection of names, optional
        Systems whose ratings contradict each other: a metric that errs alike, or a line, is not sought in these.
    """

    def __init__(
        self,
        systems: Mapping[str, Evidence],
        prior: Prior = PRIORS["uniform"],
        *,
        items: Items | None = None,
        marginals: Mapping[str, Distribution] | None = None,
        aside: Collection[str] = (),
    ) -> None:
        self._systems = {name: systems[name] for name in sorted(systems)}  # draws do not depend on the order given
        self._prior, self._items = prior, dict(items or {})
        self._marginals = None if marginals is None else {name: marginals[name] for name in self._systems}
        self._aside = aside
        self._found: dict[str, Joint] = {}

    @property
    def highest(self) -> Rung:
        """The highest rung that the design allows, whatever the ratings say; shared rates are on no way up."""
        return self.rungs[-1]

    @cached_property
    def rungs(self) -> tuple[Rung, ...]:
        """The rungs that the design allows, lowest first."""
        way: tuple[Rung, ...] = ("none", "items", "rates", "link")
        return tuple(rung for rung in way if self.obstacle(rung) is None)

    def __getitem__(self, rung: Rung) -> Joint:
        """Return the joint posterior at a rung, or say what it lacks."""
        if rung not in self._found:
            obstacle = self.obstacle(rung)
            if obstacle is not None:
                raise obstacle
            self._found[rung] = self._joint(rung)
        return self._found[rung]

    def _joint(self, rung: Rung) -> Joint:
        if self._aside and rung not in APART:
            sound = [name for name in self._systems if name not in self._aside]
            others = Ladder(
                {name: self._systems[name] for name in sound},
                self._prior,
                items={pair: one for pair, one in self._items.items() if set(pair) <= set(sound)},
                marginals={name: self._separate.marginal(name) for name in sound},
            )
            if len(sound) > 1 and others.obstacle(rung) is None:
                return Apart(others[rung], self._same)
        if rung == "none":
            own = self._marginals or {name: posterior(e, self._prior) for name, e in self._systems.items()}
            return Separate(own)
        if rung == "shared":
            return Shared(self._systems, self._prior)
        if rung == "rates":
            return Pooled(self._same, self._systems, self._prior)
        return Linked(self._below_the_line, self._systems) if rung == "link" else self._same

    @property
    def _separate(self) -> Separate:
        found = self["none"]
        assert isinstance(found, Separate)  # noqa: S101 - for the type checker
        return found

    @cached_property
    def _same(self) -> SameItems:
        return SameItems(self._separate, self._items, self._prior)

    @property
    def _below_the_line(self) -> SameItems:
        return self._same if self.line_by_item else SameItems(self._separate, {}, self._prior)

    @cached_property
    def line_by_item(self) -> bool:
        """Whether the line draws on the same items: where it is known how the metric's values on them go together.

        Without that, what the systems' averages have in common would pass for what the line explains.
        """
        return all(seen_together(pair) for pair in self._items.values())

    def obstacle(self, rung: Rung) -> InvalidInput | None:
        """Say what a rung needs and does not have."""
        lacks = None
        if rung == "items" and not self._items:
            needs = "two systems or more that people rated on the same items; there are none"
            lacks = needs, "name the column of items, if there is one"
        elif rung in {"rates", "link"}:
            lacks = self._judged() or (self._few() if rung == "link" else self._not_binary())
        return None if lacks is None else InvalidInput.lacking("borrow", rung, *lacks)

    def _judged(self) -> tuple[str, str] | None:
        """Tell why there is not one metric for all systems."""
        systems = self._systems.values()
        kinds = {evidence.own.metric for evidence in systems}
        if any(kind.own for kind in kinds):
            needs = "a score that is cut at one place for all systems; here each system has a cut of its own"
            return needs, "cut it at one place, or borrow none or items"
        if len(kinds) > 1 or any(e.fused or e.rates or not e.levels or e.sampling != "random" for e in systems):
            needs = (
                "one metric for all systems, its error rates estimated from a random sample of outputs; there is none"
            )
            return needs, "borrow none or items"
        judged = sum(evidence.judged for evidence in systems)
        if len(systems) > 1 and judged < 2:  # noqa: PLR2004 - or there is nobody to lend, or to borrow
            return (
                f"a metric that rated outputs of two systems or more; it rated those of {judged}",
                "borrow none or items",
            )
        return None

    def _few(self) -> tuple[str, str] | None:
        rated = sum(evidence.n_human > 0 for evidence in self._systems.values())
        needs = f"{LEAST} systems or more with human ratings; there {'is' if rated == 1 else 'are'} {rated}"
        return None if rated >= LEAST else (needs, "with fewer, borrow rates")

    def _not_binary(self) -> tuple[str, str] | None:
        systems = self._systems.values()
        if any((e.classes, e.levels) != (BINARY, BINARY) for e in systems):
            needs = "a metric that passes or fails, and people who find outputs adequate or not; here there are levels"
            return needs, "cut scores and scales in two"
        if len(systems) < BINARY or not any(e.n_calibration for e in systems):
            return "two systems or more, and outputs of one that both people and the metric rated", "or borrow none"
        return None
