"""Results travel between processes, before and after they were used."""

import pickle

import pytest

import tellapart as ta
from tellapart.analysis import simulation
from tellapart.analysis.budget import Costs, split_budget
from tellapart.analysis.maps import Axis, difference_map
from tellapart.core.density import Density
from tellapart.core.posterior import posterior

MIXED = ta.Evidence.of((60, 100), calibration=ta.Confusion(42, 18, 28, 12), metric=(540, 1000))
OTHER = ta.Evidence.of((45, 100), calibration=ta.Confusion(35, 10, 40, 15), metric=(440, 1000))
BASE = {"rate": 0.6, "tpr": 0.9, "tnr": 0.9}
RATED = {"system": ["A", "B"] * 8, "human": [0, 1, 1, 0] * 4, "score": [k / 16 for k in range(16)]}

RESULTS = {
    "estimate": lambda: ta.estimate(human=(60, 100), calibration=ta.Confusion(42, 18, 28, 12), metric=(540, 1000)),
    "comparison": lambda: ta.compare({"A": MIXED, "B": OTHER}),
    "ratings": lambda: ta.read_ratings(RATED, metric="score"),
    "comparison of ratings": lambda: ta.read_ratings(RATED, metric="score").compare(),
    "thresholds": lambda: ta.read_ratings(RATED, metric="score").thresholds[0],
    "metrics": lambda: ta.metrics(RATED),
    "plan": lambda: ta.plan(**BASE, n_human=100, n_metric=1000, power=0.8),
    "budget": lambda: split_budget(ta.Design(**BASE, n_human=0, n_metric=0), Costs(1, 0.01), 1000),
    "many": lambda: ta.plan(**BASE, systems=3, borrow="none", n_human=20, n_metric=0, difference=0.4, runs=2, n_jobs=1),
    "map": lambda: difference_map(Axis("n_human", (0, 10)), Axis("n_metric", (0, 10)), **BASE),
}


def used(result):
    """Ask a result for all that it knows."""
    for name, kind in vars(type(result)).items():
        if not name.startswith("_") and (isinstance(kind, property) or hasattr(kind, "attrname")):
            getattr(result, name)
    return result


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("use", [lambda result: result, used], ids=["fresh", "used"])
def test_a_result_comes_back_from_a_pickle(name, use):
    result = use(RESULTS[name]())
    back = pickle.loads(pickle.dumps(result))  # noqa: S301 - our own
    say = str if name == "map" else lambda found: (str(found), found.to_dict())
    assert say(back) == say(result)


@pytest.mark.parametrize("borrow", ["none", "rates", "shared"])
def test_a_pair_comes_back_from_a_pickle(borrow):
    (pair,) = ta.compare({"A": MIXED, "B": OTHER}, borrow=borrow).pairs
    pair.to_dict()
    assert pickle.loads(pickle.dumps(pair)).to_dict() == pair.to_dict()  # noqa: S301


def test_a_posterior_comes_back_from_a_pickle():
    density = posterior(MIXED)
    back = pickle.loads(pickle.dumps(density))  # noqa: S301
    assert isinstance(back, Density)
    assert (back.mean, back.sd, back.interval(0.9)) == (density.mean, density.sd, density.interval(0.9))


def test_what_a_simulation_remembers_is_bounded():
    assert simulation._moments.cache_info().maxsize is not None
