"""From a table of ratings to evidence: one row an output, counted in the engine that the data live in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

from tellapart.analysis.comparison import Comparison, compare
from tellapart.analysis.several import Estimates, estimate_each
from tellapart.analysis.threshold import RULES, ThresholdRule, Thresholds
from tellapart.core.counts import whole
from tellapart.core.ladder import APART
from tellapart.data import drawn
from tellapart.data.cells import BAD_CELLS, BadCells
from tellapart.data.choose import FUSES, Fuse, Rules, choose
from tellapart.data.files import printable
from tellapart.data.frames import Frame
from tellapart.data.inputs import given
from tellapart.data.labels import VOTES, Votes
from tellapart.data.metrics import better, rank
from tellapart.data.reader import read
from tellapart.data.roles import Asked, Roles, one_name, several_names
from tellapart.data.source import ticked
from tellapart.data.where import kept
from tellapart.data.words import Facts, judged, sentences
from tellapart.errors import DataError, InvalidInput
from tellapart.said import Option, Said

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tellapart.analysis.cautions import Caution
    from tellapart.analysis.metrics import MetricRanking
    from tellapart.core.evidence import Evidence, Sampling
    from tellapart.core.ladder import Rung

_MOST_METRICS, _MOST_LEVELS = 4, 32
_DIRECTION = ThresholdRule(lower_is_better=True)  # says nothing of a cut


@dataclass(frozen=True, repr=False)
class Ratings:
    """What a table says: the evidence of each system, and how the table was understood.

    `facts` are the columns that were used, how, and what was left out; a table of counts, which is taken as it is, has
    none. `found` holds cautions about the ratings themselves, by system; `thresholds` the cuts of scores; `items` what
    is known of two systems on the same items; `source` is the name of a table of counts.
    """

    systems: Mapping[str, Evidence]
    facts: Facts | None = None
    found: Mapping[str, tuple[Caution, ...]] = field(default_factory=dict)
    thresholds: tuple[Thresholds, ...] = ()
    items: Mapping[tuple[str, str], Evidence] = field(default_factory=dict)
    source: str = ""

    @property
    def name(self) -> str:
        """What the table is called; nothing if it has no name."""
        return self.source if self.facts is None else self.facts.name

    @property
    def roles(self) -> Roles | None:
        """The part that each column of ratings plays."""
        return None if self.facts is None else self.facts.chosen.roles

    @property
    def understood(self) -> tuple[str, ...]:
        """The facts in sentences."""
        return self.told()

    def told(self, borrow: str | None = "auto") -> tuple[str, ...]:
        """Return the facts in sentences, for a comparison that may borrow so much, or for none."""
        return () if self.facts is None else sentences(self.facts, borrow)

    def compare(self, **choices: Any) -> Comparison:  # noqa: ANN401 - those of `compare`
        """Compare the systems, item by item where people rated the same ones; the choices are those of `compare`."""
        self._check_rated()
        result = compare(self.systems, items=self.items, **choices)
        self._check_judge(result.borrow)
        return result.read_from(self)

    def estimate(self, **choices: Any) -> Estimates:  # noqa: ANN401 - those of `estimate_each`
        """Estimate each system by itself; the choices are `prior`, `confidence_level` and `interval`."""
        self._check_rated()
        return replace(estimate_each(self.systems, **choices), understood=self.told(None), found=self.found)

    def _check_rated(self) -> None:
        """Refuse a system of which nothing is known; its rate would be the prior's."""
        for name, evidence in self.systems.items():
            if not evidence.rated:
                where = f"{self.name}, system {printable(name)[:40]!r}"
                if self.roles is None:  # counts, without those of the metric
                    raise DataError(f"{where}: has no rating by people. Hint: leave it out")
                columns = " or ".join(map(ticked, (*self.roles.human, *self.roles.metrics)))
                hint = "its ratings may stand in columns of other names; rename these, or leave it out with "
                raise DataError(Said(f"{where}: has no rating in {columns}. Hint: {hint}", Option("where")))

    @property
    def one_judge(self) -> bool:
        """Whether one judge rated all systems, as far as the table tells."""
        return self.facts is None or not self.facts.judges

    def _check_judge(self, borrow: Rung) -> None:
        """Refuse to borrow from another judge: how it errs for one system does not tell how this one errs."""
        if self.facts is None or self.one_judge or borrow in APART:
            return
        unrated = next((name for name, evidence in self.systems.items() if not evidence.n_human), None)
        hint = Said("have one judge rate all of them, or ")
        if unrated is None:
            hint = Said(hint, "borrow nothing: ", Option("borrow", "none"))
        else:
            hint = Said(hint, f"have people rate outputs of {printable(unrated)[:40]} too")
        said = f"{self.name}: the judge is not the same ({judged(self.facts)}): its calibration is stale. Hint: "
        raise DataError(Said(said, hint))

    def __repr__(self) -> str:
        """Say what was read, not every count."""
        return f"<{type(self).__name__} of {', '.join(self.systems)}: {self}>"

    def __str__(self) -> str:
        """Say how the table was understood."""
        return "\n".join(self.understood)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-safe dictionary."""
        return {
            "understood": list(self.understood),
            "systems": {name: evidence.to_dict() for name, evidence in self.systems.items()},
            "thresholds": [t.to_dict() for t in self.thresholds],
            "warnings": {name: [c.to_dict() for c in cautions] for name, cautions in self.found.items()},
        }


def read_ratings(  # noqa: PLR0913 - one parameter for each role and choice
    source: Any,  # noqa: ANN401 - a path, bytes, or any data frame
    *,
    system: str | None = None,
    item: str | None = None,
    human: str | Sequence[str] | None = None,
    metric: str | Sequence[str] | None = None,
    annotator: str | None = None,
    cluster: str | None = None,
    fingerprint: str | None = None,
    votes: Votes = "majority",
    human_cut: float | None = None,
    threshold: ThresholdRule | str | float | None = None,
    levels: int | Literal["auto"] | None = None,
    fuse: Fuse = "joint",
    sampling: Sampling | None = None,
    bad_cells: BadCells = "error",
    paired: bool = True,
    where: str | None = None,
    name: str | None = None,
    kind: str | None = None,
    labels: str | Path | None = None,
) -> Ratings:
    """Read a table of ratings, one row for each output, and count.

    Parameters
    ----------
    source : path, list of paths, bytes or data frame
        A CSV, TSV, JSONL or Parquet file, a log of an evaluation harness, a list of either that may hold patterns, the
        bytes of a table, or a frame that narwhals knows, eager or lazy: pandas, Polars, PyArrow, DuckDB, PySpark, Dask.
        Grouping and counting happen there; only counts come back.
    system, item : str, optional
        The columns that name the system and the item; recognised by their names if left out.
    human : str or list of str, optional
        The column of human ratings (0/1, true/false, yes/no, pass/fail; empty is not rated), or one for each annotator.
        Whole numbers from a range of at most ten, such as 1 to 5, are a scale: the mean rating is wanted.
    metric : str or list of str, optional
        The metric or LLM judge to use, binary or a score. Several are used together, by the joint pattern of their
        verdicts. By default the first binary column, or else the first score; "none" for people's ratings alone.
    annotator : str, optional
        The column that names the annotator where each row is one vote.
    cluster : str, optional
        The column that tells which outputs go together, such as the document that they are part of, or who rated them:
        they are not independent, and counts are divided by the design effect. By default a column `cluster`, if any.
    fingerprint : str, optional
        The column that identifies the judge and its prompt. Where it differs between systems, error rates of the judge
        do not carry over, and to borrow them is refused. By default a column `fingerprint` or `judge_version`, if any.
    votes : {"majority", "all", "any", "mean"}
        How several votes make one rating. Ties of a majority are undecided, and such outputs are left out.
    human_cut : float, optional
        Human ratings are numbers: adequate iff the mean of the votes is at least this.
    threshold : ThresholdRule, {"equal", "worth", "youden"} or float, optional
        Where scores are cut, "equal" if left out; if given, metrics that are named or hold levels are taken as scores.
    levels : int or "auto", optional
        Divide the scores of a metric into so many levels that hold equally many rated outputs, instead of cutting it.
        Whole numbers from a range of at most ten are levels as they are, unless a smaller number of them is given.
    fuse : {"joint", "sequential"}
        Use several metrics by the joint pattern of their verdicts; or one after the other as in the paper, as if they
        erred independently of each other, which makes intervals too narrow wherever they do not.
    sampling : {"random", "balanced", "by-metric"}, optional
        How the human-rated outputs were chosen. By default as the column `sampling` says, which `tellapart sheet`
        writes and labels bring along; at random where there is none.
    bad_cells : {"error", "exclude"}
        Cells of ratings that are neither labels nor numbers, such as "ERROR": refuse the table, or take them as not
        rated. A column must not consist mostly of them.
    paired : bool
        Count what is known of two systems on the same items, so that they are compared item by item.
    where : str, optional
        Which rows to read: comparisons of columns with values (==, !=, <, <=, >, >=, in) joined by and, or, not and
        parentheses, such as ``"language == 'de' and year >= 2020"``.
    name : str, optional
        What to call the table in messages; by default its path.
    kind : str, optional
        The format of a log, if it is not to be told by what the log holds: see `tellapart formats`.
    labels : path, optional
        A table of people's ratings, which are joined by system, task, item and epoch, as far as it has these columns.

    Returns
    -------
    Ratings

    Raises
    ------
    DataError
        Where the table cannot be used; says the file, line, column and value.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"system": ["A", "A", "B", "B"], "human": [1, None, 0, 1], "judge": [1, 1, 0, 1]})
    >>> print(read_ratings(table).systems["A"])
    human 1/1, calibration tp=1,fn=0,tn=0,fp=0, metric 1/1
    """
    reading = _named(system, item, human, metric)
    table = given(source, name, reading, kind=kind, labels=labels)
    frame = kept(Frame.of(table.data, table.name), where)
    asked = _asked(reading | {**table.settled}, annotator, cluster, fingerprint).settled(frame.columns)
    ways = drawn.of_table(frame, asked)
    way, asked = drawn.settled(ways, sampling, frame, asked)
    threshold = drawn.at_its_cut(way, threshold, frame.name)
    _check(threshold, levels)
    if len(asked.metrics) > _MOST_METRICS:
        raise InvalidInput.rule("metric", f"be at most {_MOST_METRICS} columns", asked.metrics, "choose the best ones")
    rule: Any = "equal" if threshold is None else threshold
    cut = rule if isinstance(rule, ThresholdRule) else ThresholdRule(rule)
    rules = replace(_rules(votes, human_cut, cut, way.sampling, bad_cells, fuse), levels=levels, paired=paired)
    found = choose(frame, asked)
    named_or_numbers = bool(asked.metrics) or (bool(found.numbers) and threshold != _DIRECTION)
    chosen = found.settled(rules, cut=threshold is not None and levels is None and named_or_numbers)
    systems, facts, noticed, cuts, items = read(frame, chosen, rules)
    facts = replace(facts, better=better(frame, asked, facts), kept=frame.kept, beside=table.said, drawn=ways)
    return Ratings(systems, facts, noticed, cuts, items)


def _check(threshold: object, levels: object) -> None:
    if not (threshold is None or isinstance(threshold, ThresholdRule | str) or _finite(threshold)):
        raise InvalidInput.rule("threshold", f"be one of {', '.join(RULES)} or a number", threshold)
    if levels not in (None, "auto") and not 2 <= whole("levels", levels) <= _MOST_LEVELS:  # noqa: PLR2004
        raise InvalidInput.rule("levels", f"lie between 2 and {_MOST_LEVELS}", levels, "or auto")
    if levels is not None and threshold not in {None, _DIRECTION}:
        raise InvalidInput.rule("levels", "be left out where a threshold is given", levels, "one of the two")


def threshold(source: Any, score: str, *, cut: ThresholdRule | str | float = "equal", **columns: Any) -> Thresholds:  # noqa: ANN401
    """Cut a score and say what the metric is worth there, for each system.

    Parameters
    ----------
    source : path, bytes or data frame
        Ratings, as for `read_ratings`.
    score : str
        The column of the score.
    cut : ThresholdRule, {"equal", "worth", "youden"} or float
        How to choose.
    **columns
        `system`, `item`, `human`, `annotator`, `votes`, `human_cut`, `bad_cells`, `where` as for `read_ratings`.

    Returns
    -------
    Thresholds

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"system": ["A"] * 4, "human": [0, 0, 1, 1], "bleurt": [0.1, 0.4, 0.3, 0.9]})
    >>> round(threshold(table, "bleurt", cut=ThresholdRule("worth", folds=1)).systems["A"].auc, 2)
    0.75
    """
    scores = several_names("score", score)
    if len(scores) != 1:
        raise InvalidInput.rule("score", "name one column", score)
    return read_ratings(source, metric=scores, threshold=cut, **columns).thresholds[0]


def metrics(  # noqa: PLR0913 - one parameter for each role and choice
    source: Any,  # noqa: ANN401 - a path, bytes, or any data frame
    *,
    metric: str | Sequence[str] | None = None,
    seed: int = 0,
    confidence_level: float = 0.95,
    system: str | None = None,
    item: str | None = None,
    human: str | Sequence[str] | None = None,
    annotator: str | None = None,
    votes: Votes = "majority",
    human_cut: float | None = None,
    bad_cells: BadCells = "error",
    where: str | None = None,
    name: str | None = None,
) -> MetricRanking:
    """Rank the metrics of a table by what they are worth: the share of human ratings that each can replace at most.

    Parameters
    ----------
    source : path, bytes or data frame
        Ratings, as for `read_ratings`.
    metric : str or list of str, optional
        The columns to judge; by default all that hold labels or numbers and do not look like sizes.
    seed : int
        Seed of the folds and of the draws.
    confidence_level : float
        Level of the intervals.
    system, item, human, annotator, votes, human_cut, bad_cells, where, name
        As for `read_ratings`. Bad cells are an error in columns that were named; elsewhere they count as not rated.

    Returns
    -------
    MetricRanking

    Raises
    ------
    DataError
        Where the table cannot be used, or all human ratings are the same.

    Examples
    --------
    >>> import polars as pl
    >>> judge = [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    >>> table = pl.DataFrame({"system": ["A"] * 10, "human": [0] * 5 + [1] * 5, "judge": judge, "n_tokens": range(10)})
    >>> found = metrics(table)
    >>> round(found.best.worth, 3), found.unjudged
    (0.667, {'n_tokens': 'size'})
    """
    reading = _named(system, item, human, metric)
    table = given(source, name, reading | {"every": True})
    rules = _rules(votes, human_cut, ThresholdRule("worth", pooled=True), "random", bad_cells)
    asked = _asked(reading | {**table.settled}, annotator)
    frame = kept(Frame.of(table.data, table.name), where)
    drawn.check_random(frame, asked)
    return rank(frame, asked, rules, seed=seed, confidence_level=confidence_level)


def _rules(  # noqa: PLR0913, PLR0917 - one parameter for each choice
    votes: Votes,
    human_cut: float | None,
    cut: ThresholdRule,
    sampling: Sampling,
    bad_cells: BadCells,
    fuse: Fuse = "joint",
) -> Rules:
    for where, value, known in (("votes", votes, VOTES), ("bad_cells", bad_cells, BAD_CELLS), ("fuse", fuse, FUSES)):
        if value not in known:
            raise InvalidInput.rule(where, f"be one of {', '.join(known)}", value)
    if votes == "mean" and human_cut is None:
        human_cut = 0.5
    if human_cut is not None and not _finite(human_cut):
        raise InvalidInput.rule("human_cut", "be a finite number", human_cut, "such as 3 on a scale from 1 to 5")
    return Rules(votes if human_cut is None else "mean", human_cut, cut, sampling, bad_cells, fuse=fuse)


def _finite(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)


def _named(system: object, item: object, human: object, metric: object) -> dict[str, Any]:
    """Return the columns that the user named, or say what is no name; a log may settle the others."""
    one, several = {"system": system, "item": item}, {"human": human, "metric": metric}
    return {
        **{role: one_name(role, name) for role, name in one.items()},
        **{role: several_names(role, names) for role, names in several.items()},
    }


def _asked(
    reading: Mapping[str, Any], annotator: str | None, cluster: str | None = None, fingerprint: str | None = None
) -> Asked:
    ones = {**reading, "annotator": annotator, "cluster": cluster, "fingerprint": fingerprint}
    named = (one_name(role, ones[role]) for role in ("system", "item", "annotator", "cluster", "fingerprint"))
    one, two, three, four, five = (None if name is None else printable(name) for name in named)
    human, metric = (tuple(map(printable, several_names(role, reading[role]))) for role in ("human", "metric"))
    return Asked(one, two, human, metric, three, four, fingerprint=five)
