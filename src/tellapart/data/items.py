"""Two systems on the same items: what people and the metric say of both outputs, counted item by item."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from itertools import combinations, product
from operator import and_, or_
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from tellapart.core.counts import NO_METRIC, PAIRED, Counts, Scale
from tellapart.core.direct import together
from tellapart.core.evidence import Evidence
from tellapart.data.groups import check_items

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from tellapart.data.choose import Chosen, Rules
    from tellapart.data.counting import Outputs
    from tellapart.data.cutting import Cutting
    from tellapart.data.frames import Row
    from tellapart.data.groups import Grouping

    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]
    Places = npt.NDArray[np.intp]

LEAST = 20  # items that people rated for both systems
SAME = 0.8  # of the human-rated items of either: below, what pairing gains is lost with the items that it leaves out
MOST_SYSTEMS = 50
_FEW = 30  # cells that are compared with one by one, which is quicker than to look them up
_MOST_PACKED = 15  # hexadecimal digits of a number
_MOST_KINDS = 300  # different votes, each a condition of a query
_IN_EACH, _MOST_LEVELS = 10, 9

Pairs = dict[tuple[str, str], Evidence]


class Items(NamedTuple):
    """What people and what the metric say of the items: one row a kind of item, one column a system; nothing is NaN.

    `n` tells how many items are of each kind.
    """

    truth: Floats
    metric: Floats
    n: Ints

    def campaign(self, systems: Sequence[str]) -> list[Row]:
        """Count rated outputs by the number of systems whose output for the same item is rated."""
        rated = ~np.isnan(self.truth)
        k = rated.sum(axis=1)
        found = ((name, i, int(self.n @ (rated[:, j] & (k == i)))) for j, name in enumerate(systems) for i in set(k))
        return [(name, int(i), n) for name, i, n in found if n]


def packed_items(outputs: Outputs, grouping: Grouping, names: Mapping[Any, str], totals: Sequence[Row]) -> Items | None:
    """Count items by what is said of all their outputs, in one pass; nothing where that is not so simple.

    Items without a name, or with several outputs of a system, are refused; `totals` has the outputs of each system.
    """
    systems, truths = sorted(set(names.values())), _truths(grouping)
    simple = truths and set(truths.values()) <= {0, 1} and 1 < len(systems) <= _MOST_PACKED
    if not simple:
        return None
    items, number, nameless = _packed(outputs, grouping, names, truths)
    repeated = number.max() > 1 or items.n @ number.sum(axis=1) < sum(n for cell, n in totals if cell in names)
    check_items(outputs.frame, outputs.roles, nameless=bool(number[nameless].any()), repeated=bool(repeated))
    return items


def by_items(  # noqa: PLR0913, PLR0917 - what was counted, and how
    outputs: Outputs,
    grouping: Grouping,
    names: Mapping[Any, str],
    campaign: Sequence[Row],
    items: Items | None,
    cutting: Cutting,
) -> Pairs:
    """Count what is known of every two systems whose outputs for the same items people rated.

    `items` are the items if they are counted already; or else one more pass makes one row an item, and `campaign`
    tells beforehand whether that is worth it.
    """
    systems, truths = sorted(set(names.values())), _truths(grouping)
    few = 1 < len(systems) <= MOST_SYSTEMS and len(truths) <= _MOST_KINDS
    if (
        items is None
        and wanted(grouping.chosen, grouping.rules)
        and few
        and sum(n for _, k, n in campaign if k > 1) >= LEAST
    ):
        items = _wide(outputs, grouping, names, truths)
    return {} if items is None else _pairs(systems, items, grouping, cutting)


def wanted(chosen: Chosen, rules: Rules) -> bool:
    """Whether pairs are to be counted."""
    named = chosen.roles.item is not None
    return named and rules.paired and rules.sampling == "random" and not one_after_the_other(chosen, rules)


def one_after_the_other(chosen: Chosen, rules: Rules) -> bool:
    """Whether there are several metrics, which are used one after the other."""
    return rules.fuse == "sequential" and len(chosen.roles.metrics) > 1


def packable(chosen: Chosen, rules: Rules) -> bool:
    """Whether they are pairs of verdicts, which are counted in one number an item."""
    return wanted(chosen, rules) and _verdicts(chosen) and not chosen.scale


def _truths(grouping: Grouping) -> dict[tuple[Any, ...], float]:
    return {votes: truth for votes, (truth, _) in grouping.truths.items() if truth is not None}


def _verdicts(chosen: Chosen) -> bool:
    """Whether the metric, if there is one, passes or fails outputs."""
    kinds = [chosen.kinds[name] for name in chosen.roles.metrics]
    return kinds in ([], ["labels"])


def _packed(
    outputs: Outputs, grouping: Grouping, names: Mapping[Any, str], truths: Mapping[tuple[Any, ...], float]
) -> tuple[Items, Ints, npt.NDArray[np.bool_]]:
    """Count items of which there are verdicts alone; how many outputs of each system they have, and which lack a name.

    What is said of an output is a hexadecimal digit, and of an item a number with a digit for each system. A second
    number has the outputs of each system as its digits; where one is carried over, they add up to less than there are.
    """
    frame, roles, item, inner = outputs.frame, outputs.roles, str(outputs.roles.item), outputs.frame.inner
    x, outputs_of, no_name, n = f"{inner}x", f"{inner}outputs", f"{inner}nameless", f"{inner}n"
    systems = sorted(set(names.values()))
    places = {cell: 16 ** systems.index(name) for cell, name in names.items()}
    verdicts = [
        (name, {cell: 3 * (v + 1) for cell, v in grouping.verdicts[name].items() if v is not None})
        for name in roles.metrics
    ]
    if frame.source is not None and len(outputs.votes) == 1:
        said = [(outputs.votes[0], {votes[0]: int(truth) + 1 for votes, truth in truths.items()}), *verdicts]
        table = outputs.table.to_native()
        coded, mine = pl.sum_horizontal(_code(table, *one) for one in said), _code(table, roles.system, places)
        items = nw.from_native(table.select(item, (coded * mine).alias(x), mine.alias(outputs_of)))
    else:
        truth, place = truth_of(outputs, truths), _case(roles.system, places)
        digit = nw.when(~truth.is_null()).then(truth + 1).otherwise(nw.lit(0.0)).cast(nw.Int64)
        for one in verdicts:
            digit = digit + _case(*one)
        items = outputs.table.select(item, (digit * place).alias(x), place.alias(outputs_of))
    items = items.group_by(item).agg(nw.col(x, outputs_of).sum()).with_columns(nw.col(item).is_null().alias(no_name))
    rows = frame.collect([items.group_by(x, outputs_of, no_name).agg(nw.len().alias(n))])[0]
    kinds, present, nameless, counts = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    digits, number = (part[:, None] >> 4 * np.arange(len(systems)) & 15 for part in (kinds, present))
    known = [np.where(part > 0, part - 1.0, np.nan) for part in (digits % 3, digits // 3)]
    return Items(known[0], known[1], counts), number, nameless.astype(bool)


def _code(table: pl.LazyFrame, column: str, codes: Mapping[Any, int]) -> pl.Expr:
    """Return the codes of a column's cells in Polars, 0 for others."""
    if len(codes) <= _FEW:
        cases: Any = pl
        for cell, code in codes.items():
            cases = cases.when(pl.col(column) == cell).then(pl.lit(code, dtype=pl.Int64))
        found: pl.Expr = cases.otherwise(pl.lit(0, dtype=pl.Int64)) if codes else pl.lit(0, dtype=pl.Int64)
        return found
    cells = pl.Series(list(codes), dtype=table.collect_schema()[column])
    return pl.col(column).replace_strict(cells, list(codes.values()), default=0, return_dtype=pl.Int64)


def _case(column: str, codes: Mapping[Any, int]) -> Any:  # noqa: ANN401 - an expression
    """Return the codes of a column's cells in any engine, 0 for others."""
    found: Any = nw.lit(0)
    for code in sorted(set(codes.values())):
        cells = [cell for cell, value in codes.items() if value == code]
        found = found + nw.when(nw.col(column).is_in(cells)).then(nw.lit(code)).otherwise(nw.lit(0))
    return found.cast(nw.Int64)


def _wide(
    outputs: Outputs, grouping: Grouping, names: Mapping[Any, str], truths: Mapping[tuple[Any, ...], float]
) -> Items:
    """Return what people and what the metrics say of every item."""
    roles, inner = outputs.roles, outputs.frame.inner
    systems = sorted(set(names.values()))
    said = [truth_of(outputs, truths).alias(f"{inner}truth")]
    said += [value_of(grouping, name).alias(f"{inner}metric{j}") for j, name in enumerate(roles.metrics)]
    table = outputs.table.with_columns(*said)
    own = [nw.col(roles.system).is_in([cell for cell, name in names.items() if name == system]) for system in systems]
    parts = [f"{inner}truth", *(f"{inner}metric{j}" for j in range(len(roles.metrics)))]
    columns = {f"{part}_{i}": nw.when(mine).then(nw.col(part)) for part in parts for i, mine in enumerate(own)}
    table = table.with_columns(*(cell.alias(column) for column, cell in columns.items()))
    found = table.group_by(str(roles.item)).agg(*(nw.col(column).max() for column in columns)).select(*columns)
    arrays = outputs.frame.arrays(found).reshape(-1, len(parts), len(systems))
    values = arrays[:, 1:]
    if len(roles.metrics) > 1:  # added up, each in its own standard deviations, and turned if it is against people
        spread = np.nanstd(values, axis=(0, 2), keepdims=True)
        values = values / np.where(spread > 0, spread, 1.0) * _directions(arrays[:, :1], values)
    return Items(arrays[:, 0], values.sum(axis=1), np.ones(len(arrays), dtype=np.int64))


def _directions(truth: Floats, values: Floats) -> Floats:
    """Return 1 for each metric that goes with what people say of outputs, −1 for one that goes against it."""
    known = np.isfinite(truth) & np.isfinite(values)
    n = np.maximum(known.sum(axis=0), 1)
    t, v = (np.where(known, part, 0.0) for part in np.broadcast_arrays(truth, values))
    together = (t * v).sum(axis=0) - t.sum(axis=0) * v.sum(axis=0) / n
    found: Floats = np.where(together.sum(axis=1) < 0, -1.0, 1.0)[:, None]
    return found


def truth_of(outputs: Outputs, truths: Mapping[tuple[Any, ...], float]) -> Any:  # noqa: ANN401 - an expression
    """Return what people said, as a number, by the votes that were seen."""
    found: Any = None
    for value in sorted(set(truths.values())):
        kinds = [votes for votes, truth in truths.items() if truth == value]
        if len(outputs.votes) == 1:
            said = nw.col(outputs.votes[0]).is_in([votes[0] for votes in kinds])
        else:
            said = reduce(or_, (reduce(and_, map(is_value, outputs.votes, votes)) for votes in kinds))
        part = nw.when(said).then(nw.lit(float(value))).otherwise(nw.lit(0.0))
        known = nw.when(said).then(nw.lit(1)).otherwise(nw.lit(0))
        found = (part, known) if found is None else (found[0] + part, found[1] + known)
    return nw.when(found[1] > 0).then(found[0])


def is_value(column: str, value: Any) -> Any:  # noqa: ANN401 - a cell, an expression
    """Whether a column holds a value, or nothing where that is asked for."""
    return nw.col(column).is_null() if value is None else ~nw.col(column).is_null() & (nw.col(column) == value)


def value_of(grouping: Grouping, metric: str) -> Any:  # noqa: ANN401 - an expression
    """Return what a metric says, as a number."""
    if metric in grouping.chosen.numbers:
        return nw.col(metric).cast(nw.Float64)
    seen = grouping.verdicts[metric]
    cell, found = nw.col(metric), {v: [raw for raw, verdict in seen.items() if verdict == v] for v in (0, 1)}
    passed, failed = (cell.is_in(found[v]) if found[v] else cell.is_null() & ~cell.is_null() for v in (1, 0))
    return nw.when(passed | failed).then(nw.when(passed).then(nw.lit(1.0)).otherwise(nw.lit(0.0)))


def _pairs(systems: Sequence[str], items: Items, grouping: Grouping, cutting: Cutting) -> Pairs:
    truth, metric, n = items
    rated, found, values = ~np.isnan(truth), {}, _values(systems, metric, grouping.chosen, cutting)
    own, metrics = n @ rated, grouping.chosen.roles.metrics
    for (i, first), (j, second) in combinations(enumerate(systems), 2):
        both = rated[:, i] & rated[:, j]
        if (number := int(n @ both)) < LEAST or number < SAME * max(own[i], own[j]):
            continue
        levels, scale = _levels(metric[:, [i, j]] if metrics else None, both, verdict=_verdicts(grouping.chosen))
        classes, truths = _classes(truth[:, [i, j]], both, scale=grouping.chosen.scale)
        found[first, second] = _evidence((classes, truths), (levels, scale), n)
        if values is not None:
            seen = together(n.astype(float), truth[:, [i, j]], values[:, [i, j]])
            found[first, second] = replace(found[first, second], together=seen)
    return found


def _values(systems: Sequence[str], metric: Floats, chosen: Chosen, cutting: Cutting) -> Floats | None:
    """Return what the averages of one metric are made of, levels or whether a score passes; of verdicts, nothing.

    Nor where people rate on a scale: a line that drew on the items told equal systems apart too often (15% of studies).
    """
    if chosen.scale or len(chosen.roles.metrics) != 1 or _verdicts(chosen):
        return None
    (name,) = chosen.roles.metrics
    if name in cutting.cuts:
        taus = cutting.sign * np.array([np.median(cutting.cuts[name].systems[s].taus) for s in systems])
        return np.where(np.isnan(metric), np.nan, metric > taus)
    if name in cutting.edges:
        places = [np.searchsorted(cutting.edges[name][s], column) for s, column in zip(systems, metric.T, strict=True)]
        return np.where(np.isnan(metric), np.nan, np.transpose(places))
    return metric


def _classes(truth: Floats, both: npt.NDArray[np.bool_], *, scale: bool) -> tuple[Places, Scale]:
    """Return the class of each item, −1 where people did not rate both, and what the classes are worth."""
    known = np.where(both[:, None], truth, 0.0)
    if not scale:
        return np.where(both, known @ [2, 1], -1).astype(np.intp), PAIRED
    difference = np.round(known[:, 0] - known[:, 1], 9)
    widest = np.nanmax(truth) - np.nanmin(truth) or 1.0
    values, place = np.unique(np.append(difference[both], [-widest, 0.0, widest]), return_inverse=True)
    classes = np.full(len(both), -1)
    classes[both] = place[:-3]
    return classes, Scale.of(values.tolist())


def _levels(metric: Floats | None, both: npt.NDArray[np.bool_], *, verdict: bool) -> tuple[Places, Scale]:
    """Return the level of each item, −1 where the metric did not rate both: both verdicts, or bins of the difference.

    The bins hold about equally many items that people rated, whatever they said, and are the same when the systems
    change places: those of the size of a difference, on either side of the one around 0.
    """
    if metric is None:
        return np.full(len(both), -1), NO_METRIC
    there: npt.NDArray[np.bool_] = np.all(np.isfinite(metric), axis=1)
    if verdict:
        return np.where(there, np.where(there[:, None], metric, 0.0) @ [2, 1], -1).astype(np.intp), PAIRED
    difference = np.where(there, metric[:, 0] - metric[:, 1], 0.0)
    difference = np.round(difference / (np.abs(difference).max(initial=0.0) or 1.0), 12)  # but for rounding, equal
    size, seen = np.abs(difference), both & there
    sides = int(np.clip((seen.sum() // _IN_EACH - 1) // 2, 0, _MOST_LEVELS // 2))
    shares = (2 * np.arange(sides) + 1) / (2 * sides + 1)
    edges = np.unique(np.quantile(size[seen], shares, method="inverted_cdf")) if sides else np.zeros(0)
    place = (np.sign(difference) * np.searchsorted(edges, size)).astype(np.intp)
    for side, step in product((1, -1), range(len(edges), 0, -1)):
        if (seen & (place == side * step)).sum() < _IN_EACH:  # too few to tell anything: with those next to them
            place[place == side * step] -= side
    values, level = np.unique(place[there], return_inverse=True)
    levels = np.full(len(both), -1)
    levels[there] = level
    return levels, Scale.of(range(1, len(values) + 1))


def _evidence(truth: tuple[Places, Scale], metric: tuple[Places, Scale], n: Ints) -> Evidence:
    (classes, names), (levels, steps) = truth, metric
    c, k = len(names), len(steps)
    counts = np.zeros((c + 1, k + 1), dtype=np.int64)
    np.add.at(counts, (classes, levels), n)  # −1 is the last
    table = tuple(tuple(map(int, counts[row, :k])) for row in range(c))
    return Evidence(Counts(table, tuple(map(int, counts[:c, k])), tuple(map(int, counts[c, :k])), names, steps))
