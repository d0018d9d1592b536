"""What the API gives: the results' own dictionaries. Their models are read off real results, so there is one source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, reduce
from operator import or_
from typing import Any

from pydantic import BaseModel, ConfigDict, create_model

from tellapart import paper
from tellapart.analysis.campaign import plan
from tellapart.analysis.comparison import compare
from tellapart.analysis.outcomes import Position, compare_pairs
from tellapart.analysis.threshold import Scores, ThresholdRule, thresholds
from tellapart.core.counts import OUTCOME, Confusion, Counts
from tellapart.core.evidence import Evidence
from tellapart.data.ratings import metrics
from tellapart.web import work
from tellapart.web.schemas import AxisRequest, ConfusionRequest, EstimateRequest, SimulationRequest, TableRequest
from tellapart.web.settings import Settings

_RATED = {"system": ["A"] * 12, "human": [0, 1] * 6, "judge": [0, 1, 1] * 4, "score": list(range(12))}


@cache  # the same for every application
def models() -> dict[str, type[BaseModel]]:
    """Return models of the answers, read off real results."""
    guesses: dict[str, Any] = {"rate": 0.6, "tpr": 0.9, "tnr": 0.9}
    judged: dict[str, Any] = {"metric": (5, 8), "calibration": Confusion(3, 1, 3, 1)}
    both = ConfusionRequest(tp=3, fn=1, tn=3, fp=1)
    pair = {name: Evidence.of((k, 8), **judged) for name, k in (("A", 1), ("B", 4))}
    compared = work.compared(compare(pair))
    some = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    met = {("A", "B"): Evidence(Counts(some, (1, 0, 0), (0, 0, 0), OUTCOME, OUTCOME))}
    won = work.compared(replace(compare_pairs(met), position=Position(some)))
    scores = {"A": Scores((0.1, 0.4, 0.5), (False, True, True))}
    cuts = [thresholds("score", scores, ThresholdRule(rule)).to_dict() for rule in ("equal", 0.3)]
    ranked = work.shown(metrics(_RATED))
    chance = work.shown(plan(**guesses | {"rate": (0.5, 0.7)}, n_human=10, n_metric=0, difference=0.5))
    many = work.shown(
        plan(**guesses, systems=3, borrow="none", n_human=9, n_metric=0, difference=0.5, runs=2, n_jobs=1)
    )
    axes = {name: AxisRequest(name=name, values=[1]) for name in ("n_human", "n_metric")}
    table = TableRequest(**guesses, rows=axes["n_human"], columns=axes["n_metric"], power=0.8)
    simulated = SimulationRequest(**guesses, n_human=10, n_metric=0, difference=0.5, runs=1)
    solved = ({"n_human": 10}, {"n_human": 10, "difference": 0.5}, {"difference": 0.5, "power": 0.8})
    return {
        "estimate": model_of(
            "Estimate", work.estimated(EstimateRequest(human=(1, 8), metric=(5, 8), calibration=both))
        ),
        "plan": model_of("Plan", *(work.shown(plan(**guesses, n_metric=0, **more)) for more in solved)),
        "budget": model_of("BudgetPlan", work.shown(plan(**guesses, budget=100, cost_human=1))),
        "assurance": model_of("Assurance", chance),
        "many": model_of("ManyPlan", many),
        "table": model_of("Table", work.table(table, Settings())),
        "simulation": model_of("SimulatedPower", work.simulate(simulated, Settings()).to_dict()),
        "published": model_of("Published", work.published(paper.names()[0])),
        "comparison": model_of("Comparison", compared | {"thresholds": cuts, "roles": {}, "columns": [""]}, won),
        "threshold": model_of("Thresholds", *cuts),
        "metrics": model_of("MetricRanking", ranked | {"unjudged": [dict.fromkeys(("metric", "reason", "what"), "")]}),
        "pilot": model_of("Pilot", {**guesses, "kind": "", "plan": chance, "summary": ""}),
    }


def model_of(name: str, *examples: Mapping[str, Any]) -> type[BaseModel]:
    """Return a model with the keys and types that results' dictionaries have; any value may be missing."""
    keys = dict.fromkeys(key for example in examples for key in example)
    fields: dict[str, Any] = {
        key: (_type_of(f"{name}_{key}", [example[key] for example in examples if key in example]) | None, None)
        for key in keys
    }
    return create_model(name, __config__=ConfigDict(extra="allow"), **fields)


def _type_of(name: str, values: list[Any]) -> Any:  # noqa: ANN401 - a type
    known = [value for value in values if value is not None]
    if not known:
        return Any
    if all(isinstance(value, Mapping) for value in known):
        if name.endswith("_systems"):  # keys are the users' names
            return dict[str, _type_of(f"{name}_one", [one for value in known for one in value.values()])]  # type: ignore[misc]
        return dict[str, Any] if name.endswith("_facts") else model_of(name, *known)
    if all(isinstance(value, list | tuple) for value in known):
        return list[_type_of(name, [one for value in known for one in value])]  # type: ignore[misc]
    kinds = {bool if isinstance(v, bool) else float if isinstance(v, int | float) else str for v in known}
    return reduce(or_, sorted(kinds, key=str))
