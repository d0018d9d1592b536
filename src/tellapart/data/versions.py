"""Versions of one system, each from files of its own: a candidate and its baseline, or one run after the other."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tellapart.analysis.comparison import CHOICES
from tellapart.analysis.gate import Gate
from tellapart.analysis.gate import gate as decide
from tellapart.analysis.trend import Trend
from tellapart.analysis.trend import trend as watch
from tellapart.data.frames import Frame
from tellapart.data.inputs import given
from tellapart.data.labelled import Joined, Unmatched, name_systems
from tellapart.data.ratings import Ratings, read_ratings
from tellapart.data.roles import find
from tellapart.data.source import Source, open_source, ticked
from tellapart.errors import DataError, InvalidInput
from tellapart.said import Option, Said

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Files = str | Path | list[Any] | tuple[Any, ...]


@dataclass(frozen=True)
class _Version:
    """The table of one version, as text or numbers, its name and source, and what was said of reading it."""

    name: str
    table: pl.DataFrame
    source: Source
    said: tuple[str, ...]
    settled: Mapping[str, Any]
    joined: Joined | None = None


def gate(
    candidate: Any,  # noqa: ANN401 - a path, several, or any data frame
    *,
    baseline: Any,  # noqa: ANN401 - the same, or the name of a system in the candidate's table
    margin: float = 0.0,
    history: Sequence[Files] = (),
    labels: str | Path | None = None,
    **choices: Any,  # noqa: ANN401
) -> Gate:
    """Tell whether a candidate is worse than a baseline by more than a margin.

    Parameters
    ----------
    candidate : path, list of paths, or data frame
        Ratings of the new version, or a log; it may have none by people.
    baseline : path, list of paths, data frame, or str
        Ratings of the version to compare with. Or the name of that system, where one table holds both.
    margin : float
        How much worse the candidate may be: 0.02 is two points.
    history : list of paths
        Further versions that people rated: they tell how alike the judge treats versions.
    labels : path, optional
        People's ratings in a file of their own: of the versions that its column of systems names, or of the baseline.
    **choices
        Those of `read_ratings`, and `prior`, `confidence_level`, `interval` and `borrow` of `compare`.

    Returns
    -------
    Gate

    Raises
    ------
    DataError
        Where a table cannot be used, or the judge is another.

    Examples
    --------
    >>> import polars as pl
    >>> main = pl.DataFrame({"item": range(400), "human": [1, 1, 1, 0] * 100})
    >>> new = main.with_columns(human=pl.lit(1))
    >>> gate(new, baseline=main, margin=0.02).decision
    'pass'
    """
    compared = {key: choices.pop(key) for key in CHOICES if key in choices}
    inside = isinstance(baseline, str) and not Path(baseline).exists()
    if inside:
        if history:
            raise InvalidInput.rule("history", "be left out where one table holds both", list(map(str, history)))
        ratings = read_ratings(candidate, labels=labels, **choices)
        names = _inside(ratings, baseline)
    else:
        roles = [("candidate", candidate), ("baseline", baseline), *((None, one) for one in history)]
        versions = _named(_versions(roles, labels, choices), ("candidate", "baseline"))
        which = "candidate, baseline and history" if history else "candidate and baseline"
        _check_files([source for _, source in roles], which, "each version has its own")
        ratings, names = _read(versions, choices), (versions[0].name, versions[1].name)
    result = ratings.compare(**compared | {"correction": "none"})
    return decide(result, candidate=names[0], baseline=names[1], margin=margin)


def trend(runs: Sequence[Any], *, error: float = 0.05, labels: str | Path | None = None, **choices: Any) -> Trend:  # noqa: ANN401
    """Watch runs over time: the rate of each, and alarms for what changed.

    Parameters
    ----------
    runs : list of paths or data frames
        Ratings of each run, or its log, in the order of time. Few of them need human ratings.
    error : float
        The probability of any false alarm, over all runs that there will ever be.
    labels : path, optional
        People's ratings of outputs of any of the runs, in a file of their own whose column of systems names the run.
    **choices
        Those of `read_ratings`, and `prior`, `confidence_level`, `interval` and `borrow` of `compare`.

    Returns
    -------
    Trend
    """
    compared = {key: choices.pop(key) for key in CHOICES if key in choices}
    if len(runs) < 2:  # noqa: PLR2004 - or nothing can change
        raise InvalidInput.rule("runs", "be two or more", len(runs), "one file for each run, in the order of time")
    _check_files(runs, "runs", "each run has its own")
    found = _versions([(None, run) for run in runs], labels, choices)
    versions = _named([replace(version, name=_stem(runs[k], k)) for k, version in enumerate(found)])
    ratings = _read(versions, choices)
    result = ratings.compare(**compared | {"correction": "none"})
    return watch(result, [version.name for version in versions], error=error)


def _versions(
    roles: Sequence[tuple[str | None, Any]], labels: str | Path | None, choices: Mapping[str, Any]
) -> list[_Version]:
    """Read every version; labels go to those that they name, or to the baseline."""
    if labels is None:
        return [_version(source, role, None, choices) for role, source in roles]
    by_name = name_systems(labels)
    if not by_name and all(role != "baseline" for role, _ in roles):
        hint = "add the column `system` with the name of the run"
        raise DataError(f"{labels}: does not say which run its ratings are of. Hint: {hint}")
    found, matched, missed = [], [], None
    for role, source in roles:
        own = labels if by_name or role == "baseline" else None
        try:
            found.append(_version(source, role, own, choices))
            matched += [found[-1].name] if own is not None else []
        except Unmatched as error:
            found.append(_version(source, role, None, choices))
            missed = error
    if not matched:
        raise missed or Unmatched(f"{labels}: is of none of the versions")
    if by_name and len(set(matched)) < len(matched):
        hint = "without the column `system`, they are ratings of the baseline; or name the versions"
        raise DataError(f"{labels}: names {matched[0]!r}, which is several versions. Hint: {hint}")
    return found


def _version(source: Any, role: str | None, labels: str | Path | None, choices: Mapping[str, Any]) -> _Version:  # noqa: ANN401
    """Read one version; of all but the baseline, people need not have rated anything."""
    reading = dict(choices)
    if role != "baseline":
        reading["human"] = choices.get("human") or "human"
    found = given(source, None, reading, kind=choices.get("kind"), labels=labels)
    table, opened = _table(found.data, found.name)
    column = choices.get("system") or find(table.columns, "system")
    systems = _names(table[column]) if column in table.columns else []
    if len(systems) > 1:
        one = "give each version, or run, a file of its own"
        both = Said("put both into one table and name the systems: ", Option("baseline", "NAME"))
        hint = both if role else one
        raise DataError(Said(f"{found.name}: holds {len(systems)} systems, a version is one. Hint: ", hint))
    if column in table.columns:
        table = table.drop(column)
    judge = choices.get("fingerprint")
    if judge and judge not in table.columns:
        raise DataError(f"{found.name}: no column {ticked(judge)} that identifies the judge. Hint: add it")
    name = systems[0] if systems else role or _stem(source, 0)
    return _Version(name, table, opened or Source(name, table.lazy()), found.noted, found.settled, found.joined)


def _names(cells: pl.Series) -> list[str]:
    """Return the systems that a column names, without the spaces around them."""
    return sorted({str(cell).strip() for cell in cells.unique().drop_nulls().to_list()} - {""})


def _table(data: Any, name: str | None) -> tuple[pl.DataFrame, Source | None]:  # noqa: ANN401 - what a reader takes
    """Return the rows, and the file that they stand in, if they do."""
    if isinstance(data, Frame) and data.source is not None:
        source = data.source
    elif isinstance(data, str | Path | bytes):
        source = open_source(data, name)
    else:
        frame = Frame.of(data, name)
        found: pl.DataFrame = frame.table.collect(backend="polars").to_native()
        return found, None
    table: pl.DataFrame = source.run(source.frame.collect)
    return table, source


def _stem(source: Any, k: int) -> str:  # noqa: ANN401 - a path, or any data frame
    first = source[0] if isinstance(source, list | tuple) and source else source
    return Path(first).stem if isinstance(first, str | Path) else f"run {k + 1}"


def _check_files(versions: Sequence[Any], which: str, hint: str) -> None:
    """Refuse a file that is given as two versions: it would be compared with itself."""
    listed = [version if isinstance(version, list | tuple) else [version] for version in versions]
    files = [Path(file) for each in listed for file in each if isinstance(file, str | Path)]
    seen = Counter(file.resolve() for file in files)
    if twice := [file for file in files if seen[file.resolve()] > 1]:
        raise InvalidInput.rule(which, "be different files", str(twice[0]), hint)


def _named(versions: list[_Version], roles: Sequence[str] = ()) -> list[_Version]:
    """Give each version a name of its own: of those that share one, the first by their parts, the others by number."""
    seen = Counter(version.name for version in versions)
    return [
        version if seen[version.name] == 1 else replace(version, name=_other(version.name, k, roles, seen))
        for k, version in enumerate(versions)
    ]


def _other(name: str, k: int, roles: Sequence[str], seen: Mapping[str, int]) -> str:
    return roles[k] if k < len(roles) and roles[k] not in seen else f"{name} ({k + 1})"


def _inside(ratings: Ratings, baseline: str) -> tuple[str, str]:
    """Return candidate and baseline where one table holds both."""
    others = [name for name in ratings.systems if name != baseline]
    if baseline not in ratings.systems:
        hint = f"a file, or one of the systems: {', '.join(ratings.systems)}"
        raise InvalidInput.rule("baseline", "be a file or a system of the candidate's table", baseline, hint)
    if len(others) != 1:
        hint = "a table of the two, or a file for each"
        raise InvalidInput.rule("candidate", "hold one system beside the baseline", ", ".join(others) or None, hint)
    return others[0], baseline


def _read(versions: Sequence[_Version], choices: Mapping[str, Any]) -> Ratings:
    """Put the tables of all versions together, and read them as systems."""
    tables = [version.table.with_columns(system=pl.lit(version.name)) for version in versions]
    settled = {key: value for version in versions for key, value in version.settled.items() if value}
    reading = {**choices, **settled, "system": "system"}
    reading.pop("kind", None)
    name = " and ".join(version.name for version in versions[:2]) + (" and others" if len(versions) > 2 else "")  # noqa: PLR2004
    rows, parts = pl.concat(tables, how="diagonal_relaxed").lazy(), tuple(version.source for version in versions)
    ratings = read_ratings(Frame.of_source(Source(name, rows, parts=parts)), **reading)
    said = tuple(dict.fromkeys(one for version in versions for one in version.said))
    joined = [version.joined for version in versions if version.joined is not None]
    said += Joined.over(joined).said if joined else ()
    return ratings if ratings.facts is None else replace(ratings, facts=replace(ratings.facts, beside=said))
