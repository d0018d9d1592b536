"""Measurable differences over any two numbers of a design: tables, curves and maps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri

from tellapart._version import __version__
from tellapart.analysis.design import Design, MeasurableDifference, check_power, reach
from tellapart.analysis.result import Result
from tellapart.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

AXES = (
    "n_human",
    "n_metric",
    "n_calibration",
    "rate",
    "tpr",
    "tnr",
    "accuracy",
    "calibration_rate",
    "confidence_level",
)
_NUMBERS = {field.name for field in fields(Design)}
_OF_METRIC = {"tpr", "tnr", "accuracy", "n_calibration", "calibration_rate"}
_IN_WORDS = {"n_human", "n_metric", "confidence_level"}  # what a measurable difference says of itself
_QUALITY = ("tpr", "tnr")
_UNLESS_GIVEN = {"n_human": 0, "n_metric": 0, "tpr": 0.5, "tnr": 0.5}  # without metric ratings it matters not
_CLOSE = 0.006  # exact over large-sample form may be off the interpolation by so much, at the middle of a block's sides
_MOST_SIDE = 50  # larger blocks are always divided


def _plain(value: Any) -> Any:  # noqa: ANN401 - a number; what is none is refused by the design
    """Return a number of numpy as one of Python's."""
    return value.item() if isinstance(value, np.generic) else value


@dataclass(frozen=True)
class Axis:
    """A number of a design and the values that it takes; `accuracy` is tpr and tnr at once."""

    name: str
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        """Check the name and that there are values."""
        if self.name not in AXES:
            raise InvalidInput.rule("axis", f"be one of {', '.join(AXES)}", self.name)
        several = isinstance(self.values, Iterable) and not isinstance(self.values, str)
        object.__setattr__(self, "values", tuple(map(_plain, self.values if several else ())))
        if not self.values or len(set(self.values)) != len(self.values):
            raise InvalidInput.rule(f"axis {self.name}", "hold different values", self.values, "for example 0,100,1k")

    def setting(self, i: int) -> dict[str, float]:
        """Return what the i-th value sets."""
        value = self.values[i]
        return {"tpr": value, "tnr": value} if self.name == "accuracy" else {self.name: value}


@dataclass(frozen=True, repr=False)
class DifferenceMap(Result):
    """Measurable differences for all combinations of two numbers; `exact` says which come from the exact posterior.

    The others come from the large-sample form, scaled by what the exact posterior gives nearby; good to 1%.
    """

    kind = "map"
    rows: Axis
    columns: Axis
    fixed: Mapping[str, Any]
    power: float | None
    fast: bool = False

    def design(self, i: int, j: int) -> Design:
        """Return the design of a cell."""
        own = {**self.rows.setting(i), **self.columns.setting(j)}
        smooth = {"rounding": "none"} if self.fast else {}  # or the counts' rounding would show as noise
        return Design(**{**_UNLESS_GIVEN, **self.fixed, **own, **smooth})

    @cached_property
    def _cells(self) -> tuple[Floats, npt.NDArray[np.bool_]]:
        shape = len(self.rows.values), len(self.columns.values)
        values, exact = np.zeros(shape), np.zeros(shape, dtype=bool)

        def compute(i: int, j: int) -> float:
            if not exact[i, j]:
                values[i, j], exact[i, j] = MeasurableDifference(self.design(i, j)).sd, True
            return float(values[i, j])

        if self.fast:
            _Blocks(self._rough(), compute, values, exact).fill(0, shape[0] - 1, 0, shape[1] - 1)
        else:
            for i in range(shape[0]):
                for j in range(shape[1]):
                    compute(i, j)
        return values, exact

    def _rough(self) -> Floats:
        """Return sds of the large-sample form, with means and variances as they are under the uniform prior.

        1/σ² = (n_Φ+3) / (α(1−α)) + (ρ+η−1)² / (p(1−p)/n_M + α² ρ(1−ρ)/(n_p+3) + (1−α)² η(1−η)/(n_n+3))
        """
        axes = (self.rows, np.array(self.rows.values)[:, None]), (self.columns, np.array(self.columns.values)[None])
        own = {name: values for axis, values in axes for name in axis.setting(0)}
        given: dict[str, Any] = {**_UNLESS_GIVEN, **self.fixed, **own}
        human, calibration, share = given["n_human"], given.get("n_calibration"), given.get("calibration_rate")
        share = given["rate"] if share is None else share
        n_p, n_n = (part * (human if calibration is None else calibration) for part in (share, 1 - share))
        alpha, rho, eta, errors = (given["rate"] * human + 1) / (human + 2), given["tpr"], given["tnr"], 0.0
        if not given.get("known_rates"):
            rho, eta = (rho * n_p + 1) / (n_p + 2), (eta * n_n + 1) / (n_n + 2)
            errors = alpha**2 * rho * (1 - rho) / (n_p + 3) + (1 - alpha) ** 2 * eta * (1 - eta) / (n_n + 3)
        p = alpha * rho + (1 - alpha) * (1 - eta)
        variance = p * (1 - p) / np.maximum(given["n_metric"], 1e-150) + errors  # no ratings: no information
        precision = (human + 3) / (alpha * (1 - alpha)) + (rho + eta - 1) ** 2 / variance
        return np.broadcast_to(1 / np.sqrt(precision), (len(self.rows.values), len(self.columns.values)))

    @property
    def exact(self) -> npt.NDArray[np.bool_]:
        """Which cells come from the exact posterior."""
        return self._cells[1]

    @cached_property
    def differences(self) -> Floats:
        """The differences, one row a value of `rows`."""
        return self._cells[0] * self._factors(self.rows)[:, None] * self._factors(self.columns)

    def _factors(self, axis: Axis) -> Floats:
        """Return by what the sds are multiplied: once, by the axis of confidence levels or by the columns."""
        varies = "confidence_level" in {self.rows.name, self.columns.name}
        if axis.name != "confidence_level" and (varies or axis is self.rows):
            return np.ones(len(axis.values))
        levels = axis.values if varies else [self.fixed.get("confidence_level", 0.95)] * len(axis.values)
        powers = [0.5 if self.power is None else check_power(self.power, level) for level in dict.fromkeys(levels)]
        factors: Floats = np.sqrt(2) * (ndtri(0.5 + np.array(levels) / 2) + ndtri(powers[0]))
        return factors

    @property
    def signature(self) -> str:
        """One line that makes the numbers reproducible."""
        fixed = ", ".join(f"{name} {value:g}" for name, value in self.fixed.items() if value is not None)
        power = "" if self.power is None else f" | power {self.power:g} (normal form)"
        cells = f"{int(self.exact.sum())} of {self.exact.size} cells exact"
        axes = f"{self.rows.name} × {self.columns.name}"
        return f"tellapart {__version__} | {axes} | {fixed}{power} | {cells} | prior uniform"

    def __str__(self) -> str:
        """Say it in words."""
        best = np.unravel_index(int(self.differences.argmin()), self.differences.shape)
        found = 100 * float(self.differences[best])
        if reach(found / 100) is None:
            return "Nothing can be measured here: no difference at all would be found."
        where = (
            f"{self.rows.name} {self.rows.values[best[0]]:g} and {self.columns.name} {self.columns.values[best[1]]:g}"
        )
        what = "comes out significant" if self.power is None else f"is found with probability {self.power:.0%}"
        return f"The smallest difference that {what} here is {found:.1f} points, at {where}.{self._note()}"

    @property
    def idle(self) -> tuple[str, ...]:
        """The axes that change nothing, as there are no metric ratings."""
        axes = (self.rows.name, self.columns.name)
        return () if "n_metric" in axes or self.fixed.get("n_metric") else tuple(n for n in axes if n in _OF_METRIC)

    def _note(self) -> str:
        return f" Without metric ratings (n_metric 0), {' and '.join(self.idle)} changes nothing." if self.idle else ""

    @property
    def _last(self) -> str:
        """Say where the last cell is, as far as its numbers of ratings do not."""
        beside = [axis for axis in (self.rows, self.columns) if axis.name not in _IN_WORDS]
        return " and ".join(f"{axis.name.replace('_', ' ')} {axis.values[-1]:g}" for axis in beside)

    def table(self, progress: Callable[[int], None] = lambda _: None) -> dict[str, Any]:
        """Return every cell with all that is known of it, JSON-safe; `progress` is called with the cells done."""
        power = self.power
        cells = [self.design(i, j) for i in range(len(self.rows.values)) for j in range(len(self.columns.values))]
        axes = self.rows.setting(0) | self.columns.setting(0)
        unknown = {name: None for name in _QUALITY if name not in axes and name not in self.fixed}
        rows = []
        for found in map(MeasurableDifference, cells):
            more = {} if power is None else {"power": power, "difference_at_power": reach(found.with_power(power))}
            rows.append(found.to_dict() | more | unknown)
            progress(1)
        last = MeasurableDifference(cells[-1])
        said: dict[str, Any] = {
            "worth": last.worth if last.design.n_metric else None,
            "confidence_level": cells[-1].confidence_level,
        }
        said |= {
            "idle": list(self.idle),
            "summary": f"{last.said(self._last)}{self._note()}",
            "signature": last.signature,
        }
        return {"rows": rows, **said}

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "rows": {"name": self.rows.name, "values": list(self.rows.values)},
            "columns": {"name": self.columns.name, "values": list(self.columns.values)},
            "differences": [list(map(reach, row)) for row in self.differences.tolist()],
            "exact": self.exact.tolist(),
            "power": self.power,
            "idle": list(self.idle),
            "summary": str(self),
            "signature": self.signature,
        }


@dataclass(frozen=True)
class _Blocks:
    """Fills a map from a few exact cells: blocks in which exact and large-sample form agree are interpolated."""

    rough: Floats
    compute: Callable[[int, int], float]
    values: Floats
    exact: npt.NDArray[np.bool_]

    def _ratio(self, i: int, j: int) -> float:
        return self.compute(i, j) / float(self.rough[i, j])

    def fill(self, top: int, bottom: int, left: int, right: int) -> None:
        """Fill the cells between four corners, these included."""
        corners = np.array([[self._ratio(i, j) for j in (left, right)] for i in (top, bottom)])
        if bottom - top <= 1 and right - left <= 1:
            for i in (top, bottom):
                for j in (left, right):
                    self.compute(i, j)
            return
        middle, centre = (top + bottom) // 2, (left + right) // 2
        probes = [(middle, centre), (top, centre), (middle, left), (bottom, centre), (middle, right)]
        expected = [self._between(corners, (i - top, bottom - top), (j - left, right - left)) for i, j in probes]
        off = [abs(self._ratio(i, j) / e - 1) for (i, j), e in zip(probes, expected, strict=True)]
        small = max(bottom - top, right - left) <= _MOST_SIDE
        if small and max(off) <= _CLOSE:
            self._interpolate(corners, top, bottom, left, right)
            return
        for a, b in ((top, middle), (middle, bottom)) if bottom - top > 1 else ((top, bottom),):
            for c, d in ((left, centre), (centre, right)) if right - left > 1 else ((left, right),):
                self.fill(a, b, c, d)

    @staticmethod
    def _between(corners: Floats, down: tuple[int, int], across: tuple[int, int]) -> float:
        u, v = down[0] / max(down[1], 1), across[0] / max(across[1], 1)
        weights = np.outer([1 - u, u], [1 - v, v])
        return float((weights * corners).sum())

    def _interpolate(self, corners: Floats, top: int, bottom: int, left: int, right: int) -> None:
        block = slice(top, bottom + 1), slice(left, right + 1)
        u, v = (np.linspace(0, 1, stop - start + 1) for start, stop in ((top, bottom), (left, right)))
        ratios = np.stack([1 - u, u], axis=1) @ corners @ np.stack([1 - v, v])
        self.values[block] = np.where(self.exact[block], self.values[block], ratios * self.rough[block])


def difference_map(
    rows: Axis,
    columns: Axis,
    *,
    power: float | None = None,
    fast: bool = False,
    **fixed: Any,  # noqa: ANN401
) -> DifferenceMap:
    """Return measurable differences for all combinations of two numbers of a design.

    Parameters
    ----------
    rows, columns : Axis
        The two numbers that vary.
    power : float, optional
        Show the true difference found with this probability, not the one that comes out significant.
    fast : bool
        Interpolate where that is good to 1%, for maps of many cells.
    **fixed
        The other numbers of a `Design`; rate, tpr and tnr are given here or as an axis.

    Examples
    --------
    >>> found = difference_map(Axis("n_human", (0, 100)), Axis("n_metric", (0, 1000)), rate=0.6, tpr=0.7, tnr=0.7)
    >>> found.differences.round(3).tolist()
    [[0.8, 0.734], [0.134, 0.124]]
    """
    down, across = rows.setting(0), columns.setting(0)
    if down.keys() & across.keys():
        raise InvalidInput.rule("axes", "be two different numbers", (rows.name, columns.name))
    numbers = next((axis.values for axis in (rows, columns) if axis.name == "n_metric"), (fixed.get("n_metric") or 0,))
    for name in ("rate", *(_QUALITY if any(numbers) or (down | across).keys() & _OF_METRIC else ())):
        if name not in down | across and fixed.get(name) is None:
            raise InvalidInput.rule(name, "be given, or be an axis", None, f"for example {name} 0.7")
        if name in down | across and fixed.get(name) is not None:
            raise InvalidInput.rule(name, "be left out where it is an axis", fixed[name])
    if unknown := fixed.keys() - _NUMBERS:
        raise InvalidInput.rule("fixed", f"be numbers of a design: {', '.join(sorted(_NUMBERS))}", min(unknown))
    others = {name: _plain(value) for name, value in fixed.items() if name not in down | across and value is not None}
    return DifferenceMap(rows, columns, others, _plain(power), fast)
