"""The joint posterior of several systems: each by itself, each against each, and who is where in the ranking."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from tellapart.core.contour import Contour
from tellapart.core.density import Density
from tellapart.core.difference import Difference
from tellapart.core.distribution import Distribution, Scaled
from tellapart.core.draws import SEED, Draws
from tellapart.core.posterior import posterior
from tellapart.core.ranking import rank_probabilities

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tellapart.core.evidence import Evidence
    from tellapart.core.prior import Prior
    from tellapart.core.quadrature import Floats

SIZE = 20_000  # draws of a ranking
_MOST_ALIKE = 0.999
_VAGUE = 0.1  # of the scale: a mean that is known no better may have cusps, and is drawn
_OUTSIDE = 1e3  # by how much the log density falls, per standard deviation, where there is none


class Joint(ABC):
    """What is known of several systems together."""

    lending: Joint  # of the systems that lend and borrow: this one, unless some do not

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names, self.lending = names, self

    @abstractmethod
    def marginal(self, name: str) -> Distribution:
        """Return the distribution of one system's rate."""

    @abstractmethod
    def contrast(self, first: str, second: str) -> Distribution:
        """Return the distribution of first − second."""

    @property
    def order(self) -> tuple[str, ...]:
        """Names, the best one first."""
        return tuple(name for _, name in sorted(zip(-self._places(), self.names, strict=True), key=lambda one: one[0]))

    def _places(self) -> Floats:
        """Return where each system is expected to be."""
        return np.array([self.marginal(name).mean for name in self.names])

    def rank_probabilities(self, among: Sequence[str] | None = None) -> Floats:
        """Return P(system is at rank), of some systems or of all: one row a system, one column a rank, best first."""
        names = tuple(among or self.names)
        if len(names) == 2:  # noqa: PLR2004 - a pair, whose verdict says it
            chance = self.contrast(*names).probability_positive
            return np.array([[chance, 1 - chance], [1 - chance, chance]])
        return self._ranks([self.names.index(name) for name in names])

    @abstractmethod
    def _ranks(self, which: Sequence[int]) -> Floats:
        """Return the same of the systems at these places, which are not two."""


class Apart(Joint):
    """Systems of which some neither lend nor borrow: they are as they are below, and the others are by themselves."""

    def __init__(self, lending: Joint, below: Joint) -> None:
        super().__init__(below.names)
        self.lending, self._below = lending, below

    def _of(self, *names: str) -> Joint:
        return self.lending if set(names) <= set(self.lending.names) else self._below

    def marginal(self, name: str) -> Distribution:
        """Return the distribution of one system's rate."""
        return self._of(name).marginal(name)

    def contrast(self, first: str, second: str) -> Distribution:
        """Return the distribution of first − second."""
        return self._of(first, second).contrast(first, second)

    def _places(self) -> Floats:
        among = dict(zip(self.lending.names, self.lending._places(), strict=True))  # noqa: SLF001 - its own kind
        return np.array([among[name] if name in among else self.marginal(name).mean for name in self.names])

    def _ranks(self, which: Sequence[int]) -> Floats:
        names = [self.names[i] for i in which]
        return self._of(*names).rank_probabilities(names)


class Separate(Joint):
    """Systems that have nothing in common: independent distributions."""

    def __init__(self, marginals: Mapping[str, Distribution]) -> None:
        super().__init__(tuple(marginals))
        self._marginals = dict(marginals)
        self._densities: dict[str, Density] = {}

    def marginal(self, name: str) -> Distribution:
        """Return the distribution of one system's rate."""
        return self._marginals[name]

    def contrast(self, first: str, second: str) -> Distribution:
        """Return the distribution of first − second."""
        one, two = self._marginals[first], self._marginals[second]
        if isinstance(one, Density) and isinstance(two, Density):
            return Difference(one, two)
        low, high = min(one.low, two.low), max(one.high, two.high)
        if any(isinstance(each, Draws) or each.sd > _VAGUE * (high - low) for each in (one, two)):
            rng = np.random.default_rng(SEED)
            drawn = one.sample(10 * SIZE, rng) - two.sample(10 * SIZE, rng)
            return Draws(drawn, np.ones(len(drawn)), len(drawn), (low - high, high - low))
        both = self._density(first), self._density(second)
        return Scaled(Difference(*both), 0.0, self._ends[1] - self._ends[0])

    @cached_property
    def _ends(self) -> tuple[float, float]:
        return min(m.low for m in self._marginals.values()), max(m.high for m in self._marginals.values())

    def _density(self, name: str) -> Density:
        """Return a distribution as a density on [0, 1], between the ends of the scale."""
        if name not in self._densities:
            self._densities[name] = _on_unit(self._marginals[name], *self._ends)
        return self._densities[name]

    def _ranks(self, which: Sequence[int]) -> Floats:
        chosen = [self._marginals[self.names[i]] for i in which]
        densities = [one for one in chosen if isinstance(one, Density)]
        if len(densities) == len(chosen):
            return rank_probabilities(densities)
        rng = np.random.default_rng(SEED)
        return ranks(np.array([one.sample(SIZE, rng) for one in chosen]))


def _on_unit(distribution: Distribution, low: float, high: float) -> Density:
    if isinstance(distribution, Scaled) and (distribution.low, distribution.high) == (low, high):
        return _on_unit(distribution.base, 0.0, 1.0)
    if isinstance(distribution, Density):
        return distribution
    if not isinstance(distribution, Contour):
        message = f"no density of a {type(distribution).__name__}"
        raise TypeError(message)
    contour, margin = distribution, 1e-6 * (distribution.high - distribution.low)

    def log_density(rate: Floats, complement: Floats) -> Floats:
        x = np.where(rate < complement, low + (high - low) * rate, high - (high - low) * complement)
        inside = np.clip(x, contour.low + margin, contour.high - margin)
        value: Floats = contour.log_pdf(inside) - _OUTSIDE * np.abs(x - inside) / contour.sd
        return value

    density = Density(log_density, noise=1e-9)
    density.recipe = _on_unit, (distribution, low, high)
    return density


def ranks(drawn: Floats) -> Floats:
    """Count how often each row is at each rank, the largest first."""
    order, n = np.argsort(-drawn, axis=0, kind="stable"), len(drawn)
    counts = np.bincount((order * n + np.arange(n)[:, None]).ravel(), minlength=n * n).reshape(n, n)
    found: Floats = counts / drawn.shape[1]
    return found


class SameItems(Joint):
    """Systems whose outputs for the same items people rated: pairs are compared item by item where that is known.

    Ranks are drawn with every system's own distribution and with the correlations that the pairs show.
    """

    def __init__(self, separate: Separate, items: Mapping[tuple[str, str], Evidence], prior: Prior) -> None:
        super().__init__(separate.names)
        self.separate, self.items, self._prior = separate, items, prior
        self._found: dict[tuple[str, str], Distribution] = {}

    def marginal(self, name: str) -> Distribution:
        """Return the distribution of one system's rate."""
        return self.separate.marginal(name)

    def contrast(self, first: str, second: str) -> Distribution:
        """Return the distribution of first − second, item by item if the two were rated on the same ones."""
        if (first, second) not in self._found:
            self._found[first, second] = self._contrast(first, second)
        return self._found[first, second]

    def _contrast(self, first: str, second: str) -> Distribution:
        if (first, second) in self.items:
            return posterior(self.items[first, second], self._prior)
        if (second, first) in self.items:
            return Scaled(self.contrast(second, first), 0.0, -1.0)
        return self.separate.contrast(first, second)

    def _places(self) -> Floats:
        return super()._places() + self.shifts

    def paired(self, first: str, second: str) -> bool:
        """Whether people rated two systems on the same items."""
        return (first, second) in self.items or (second, first) in self.items

    def _ranks(self, which: Sequence[int]) -> Floats:
        values, vectors = np.linalg.eigh(self.correlations)
        rng = np.random.default_rng(SEED)
        normal = vectors @ (np.sqrt(np.maximum(values, 0))[:, None] * rng.standard_normal((len(values), SIZE)))
        normal /= normal.std(axis=1, keepdims=True)
        chances = ndtr(normal)
        marginals = (self.marginal(name) for name in self.names)
        drawn = np.array([_quantiles(m, chance) for m, chance in zip(marginals, chances, strict=True)])
        return ranks((drawn + self.shifts[:, None])[which])

    @cached_property
    def shifts(self) -> Floats:
        """By how much the expected differences of the pairs move the systems: item by item, more is known."""
        means = super()._places()
        moved = np.zeros((len(means), len(means)))
        for (i, first), (j, second) in combinations(enumerate(self.names), 2):
            if self.paired(first, second):
                moved[i, j] = self.contrast(first, second).mean - (means[i] - means[j])
        found: Floats = (moved - moved.T).mean(axis=1)  # by least squares, since every pair counts alike
        return found

    @cached_property
    def correlations(self) -> Floats:
        """The correlations of what is not known of the systems, where two were rated on the same items."""
        sds = {name: self.marginal(name).sd for name in self.names}
        found = np.eye(len(self.names))
        for first, second in self.items:
            one, two, pair = sds[first], sds[second], self.contrast(first, second)
            shared = (one**2 + two**2 - pair.sd**2) / (2 * one * two)
            i, j = self.names.index(first), self.names.index(second)
            found[i, j] = found[j, i] = np.clip(shared, -_MOST_ALIKE, _MOST_ALIKE)
        return found


def _quantiles(distribution: Distribution, chances: Floats) -> Floats:
    """Return many quantiles: of what is slow, between a hundred places."""
    if isinstance(distribution, Density | Draws):
        return distribution.quantile(chances)
    x = np.clip(distribution.mean + distribution.sd * np.linspace(-6, 6, 121), distribution.low, distribution.high)
    found: Floats = np.interp(chances, np.maximum.accumulate(distribution.cdf(x)), x)
    return found
