"""Which metric? Worth and AUC by other routes, directions, flags, bad input, the command and the notes of `compare`."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tellapart as ta
from command_line import run
from tellapart import charts, render
from tellapart.analysis.bootstrap import Rated
from tellapart.analysis.metrics import WHY, rank_metrics

SHARED = Path(__file__).parents[2] / "shared" / "data"
EXAMPLE = files("tellapart").joinpath("data/example.csv").read_bytes()


def table(n=400, seed=1, **columns):
    """Ratings of two systems; a good judge, a poor one, a score that is low where outputs are good, and noise."""
    rng = np.random.default_rng(seed)
    system = np.where(np.arange(n) % 2, "A", "B")
    human = rng.random(n) < np.where(system == "A", 0.7, 0.4)
    made = {
        "system": system.tolist(),
        "item": [i // 2 for i in range(n)],
        "human": human.astype(int).tolist(),
        "good": np.where(rng.random(n) < 0.9, human, ~human).astype(int).tolist(),
        "poor": np.where(rng.random(n) < 0.6, human, ~human).astype(int).tolist(),
        "loss": (rng.normal(size=n) - 1.5 * human).tolist(),
        "noise": rng.normal(size=n).tolist(),
    }
    return made | columns


def judged(result, name):
    return next(metric for metric in result.metrics if metric.name == name)


@pytest.fixture(scope="module")
def ranking():
    return ta.metrics(table())


def test_worth_is_the_squared_correlation_within_systems(ranking):
    made = table()
    system = np.array(made["system"])
    columns = [np.array(made[name], dtype=float) for name in ("human", "good")]
    centred = [c - np.where(system == "A", c[system == "A"].mean(), c[system == "B"].mean()) for c in columns]
    assert judged(ranking, "good").worth == pytest.approx(np.corrcoef(*centred)[0, 1] ** 2, rel=1e-12)


def test_worth_for_one_system_is_that_of_the_rates_and_its_interval_that_of_beta_posteriors():
    tp, fn, tn, fp = 42, 18, 28, 12
    human, judge = [1] * 60 + [0] * 40, [1] * tp + [0] * fn + [0] * tn + [1] * fp
    found = ta.metrics({"system": ["A"] * 100, "human": human, "judge": judge}).best
    assert found.worth == pytest.approx(ta.worth(0.6, 0.7, 0.7), rel=1e-12)
    rng, n = np.random.default_rng(5), 20_000
    shares = zip(rng.beta(61, 41, n), rng.beta(tp + 0.5, fn + 0.5, n), rng.beta(tn + 0.5, fp + 0.5, n), strict=True)
    expected = np.quantile([ta.worth(*three) if three[1] + three[2] > 1 else 0 for three in shares], [0.025, 0.975])
    assert [found.interval.low, found.interval.high] == pytest.approx(expected, abs=0.02)


def test_auc_is_the_share_of_pairs_within_systems(ranking):
    made, total, weight = table(), 0.0, 0.0
    for system in ("A", "B"):
        rows = [i for i, s in enumerate(made["system"]) if s == system]
        good = [-made["loss"][i] for i in rows if made["human"][i]]
        bad = [-made["loss"][i] for i in rows if not made["human"][i]]
        area = np.mean([(a > b) + (a == b) / 2 for a in good for b in bad])
        assert judged(ranking, "loss").aucs[system] == pytest.approx(area, rel=1e-12)
        w = len(good) * len(bad) / len(rows)
        total, weight = total + w * area, weight + w
    assert judged(ranking, "loss").auc == pytest.approx(total / weight, rel=1e-12)


def test_a_difference_between_systems_is_no_quality():
    made = table()
    made["who"] = [0.9 + i / 1e4 if s == "A" else i / 1e4 for i, s in enumerate(made["system"])]
    found = judged(ta.metrics(made), "who")
    assert found.worth < 0.02
    assert found.auc_interval.low < 0.5 < found.auc_interval.high or abs(found.auc - 0.5) < 0.1


def test_direction_is_found_and_said(ranking):
    loss = judged(ranking, "loss")
    assert loss.lower_is_better
    assert loss.auc > 0.75
    assert not judged(ranking, "good").lower_is_better
    assert [c.code for c in ranking.warnings] == ["lower-is-better"]
    made = table()
    turned = judged(ta.metrics(made | {"loss": [-x for x in made["loss"]]}), "loss")
    assert turned.auc == pytest.approx(loss.auc, rel=1e-12)
    assert turned.worth == pytest.approx(loss.worth, abs=0.05)  # other folds


def test_the_verdict_names_the_best_and_what_is_clearly_less(ranking):
    assert ranking.ranking[0] == "good"
    assert str(ranking).startswith("`good` is worth most: it can replace up to")
    assert "clearly more than `loss`" in str(ranking)
    assert all(metric.clearly_behind for metric in ranking.metrics[1:])
    twins = ta.metrics(table() | {"twin": table()["good"]})
    assert "cannot be told" in str(twins)
    assert judged(twins, "twin").behind.low == judged(twins, "twin").behind.high == 0


def test_noise_is_worth_nothing():
    found = ta.metrics(table(), metric="noise")
    assert str(found).startswith("No metric here is worth anything")
    assert found.best.interval.low == 0


def test_levels_are_cut_as_scores_are():
    made, rng = table(), np.random.default_rng(3)
    stars = np.clip(np.rint(rng.normal(2.5 + 1.5 * np.array(made["human"]), 0.8)), 1, 5)
    found = ta.metrics(made | {"stars": stars.astype(int).tolist(), "score": (stars / 2).tolist()})
    levels, score = (judged(found, name) for name in ("stars", "score"))
    assert (levels.worth, levels.interval, levels.systems) == (score.worth, score.interval, score.systems)
    assert levels.worth > 0.3


def test_what_repeats_the_human_ratings_is_set_aside():
    found = ta.metrics(table() | {"copy": table()["human"]})
    assert found.ranking[0] == "copy"
    assert found.best.name == "good"
    assert [c.code for c in found.warnings] == ["repeats-people", "lower-is-better"]


def test_perfect_ratings_of_few_outputs_are_not_certain():
    few = {"system": ["A"] * 12, "human": [0, 1] * 6, "judge": [0, 1] * 6}
    found = ta.metrics(few).metrics[0]
    assert found.worth == found.auc == found.interval.high == found.auc_interval.high == 1
    assert found.interval.low < 0.9
    assert found.auc_interval.low < 0.9
    assert not found.repeats


def test_systems_that_are_treated_differently_are_flagged():
    made = table(2000)
    rng = np.random.default_rng(3)
    passed = [
        h if s == "A" else (0 if rng.random() < 0.8 else h) for s, h in zip(made["system"], made["human"], strict=True)
    ]
    found = ta.metrics(made | {"biased": passed})
    biased = judged(found, "biased")
    assert biased.differs
    assert biased.spreads["tpr"][0::2] == ("B", "A")
    assert not judged(found, "good").differs
    assert "biased treats systems differently: tpr from 0." in run_text(found)


def test_all_that_treat_systems_differently_are_named():
    made = table(2000)
    rng = np.random.default_rng(3)
    biased = {
        f"biased{k}": [
            h if s == "A" else (0 if rng.random() < 0.8 - k / 20 else h)
            for s, h in zip(made["system"], made["human"], strict=True)
        ]
        for k in range(5)
    }
    found = ta.metrics(made | biased, metric=[*biased, "good"])
    names = [metric.name for metric in found.metrics if metric.differs]
    assert len(names) == 5
    assert f"2 more treat systems differently, as the table shows: {names[3]}, {names[4]}." in run_text(found)
    one = ta.metrics(made | biased, metric=[*list(biased)[:4], "good"])
    assert "1 more treats systems differently" in run_text(one)
    everything = " ".join(str(part) for part in render.sheets(found, everything=True))
    assert everything.count("treats systems differently: tpr") == 5
    assert " more treat" not in everything


def test_one_metric_is_not_compared_with_none():
    made = table()
    assert str(ta.metrics(made, metric="good")).startswith("`good` can replace up to ")
    assert str(ta.metrics(made, metric="poor")).startswith("`poor` is worth little: it can replace up to ")
    human = [h if i < 200 else None for i, h in enumerate(made["human"])]
    good = [g if i < 200 else None for i, g in enumerate(made["good"])]
    found = ta.metrics(made | {"human": human, "good": good}, metric=["good", "poor"])
    assert "; `poor` (" in str(found)
    assert str(found).endswith("%) did.")


def run_text(result):
    return " ".join(str(part) for part in render.sheets(result))


def test_what_is_not_judged_is_listed_with_the_reason():
    made = table(n_tokens=list(range(400)), rare=[1, 0, 1, 0] + [None] * 396, remark=["so so"] * 400)
    found = ta.metrics(made)
    assert found.unjudged == {"rare": "few", "n_tokens": "size", "remark": "text"}
    assert WHY["size"] in run_text(found)
    assert ta.metrics(made, metric="n_tokens").ranking == ("n_tokens",)


def test_few_ratings_judge_nothing_and_disturb_nothing():
    made = {name: values[:8] for name, values in table().items()}
    found = ta.metrics(made)
    assert str(found) == "No column could be judged as a metric."
    assert set(found.unjudged.values()) == {"few"}
    assert render.sheets(found)
    assert ta.read_ratings(made).facts.better is None


def test_unrated_outputs_that_carry_the_metric_are_counted():
    made = table()
    human = [h if i < 200 else None for i, h in enumerate(made["human"])]
    good = [g if i < 200 else None for i, g in enumerate(made["good"])]
    found = ta.metrics(made | {"human": human, "good": good})
    assert (found.rated, found.unrated) == (200, 200)
    assert (judged(found, "good").unrated, judged(found, "poor").unrated) == (0, 200)
    assert "It rated none of the 200 outputs that people did not rate" in str(found)
    assert "People rated every output here" in str(ta.metrics(made))


def test_metrics_on_different_outputs_are_compared_on_the_common_ones():
    made = table()
    half = [g if i < 200 else None for i, g in enumerate(made["good"])]
    found = ta.metrics(made | {"half": half})
    behind = judged(found, "half" if found.ranking[0] == "good" else "good").behind
    assert behind.low == behind.high == 0


def test_people_are_no_metrics_and_votes_in_rows_are_read():
    made = table()
    assert "annotator1" not in ta.metrics(made | {"annotator1": made["human"]}).ranking
    double = {name: [v for v in values for _ in range(2)] for name, values in made.items()}
    double |= {"annotator": ["x", "y"] * 400, "seconds_spent": list(range(800)), "confidence": [1, 2] * 400}
    found = ta.metrics(double)
    assert found.unjudged == {"seconds_spent": "size", "confidence": "votes"}
    assert judged(found, "good").worth == judged(ta.metrics(made), "good").worth


def test_bad_cells_are_errors_only_where_the_column_was_named(tmp_path):
    path, rows = tmp_path / "r.csv", table()
    lines = [",".join(rows)] + [",".join(map(str, row)) for row in zip(*rows.values(), strict=True)]
    lines[5] = ",".join([*lines[5].split(",")[:-1], "ERROR"])
    path.write_text("\n".join(lines), encoding="utf-8")
    found = ta.metrics(path)
    assert "noise" in found.ranking
    assert any("Excluded from `noise`" in sentence for sentence in found.understood)
    with pytest.raises(ta.DataError, match="line 6"):
        ta.metrics(path, metric="noise")


@pytest.mark.parametrize(
    ("change", "choices", "said"),
    [
        ({"human": [1] * 400}, {}, "all 400 human-rated outputs are adequate"),
        ({"human": [None] * 400}, {}, "people rated none"),
        ({}, {"metric": "absent"}, "no column 'absent'"),
        ({}, {"human": "absent"}, "no column 'absent'"),
        ({}, {"confidence_level": 1.5}, "confidence_level"),
        ({}, {"seed": -1}, "seed"),
        ({}, {"votes": "most"}, "votes"),
    ],
)
def test_bad_input_is_refused(change, choices, said):
    with pytest.raises(ta.InvalidInput, match=said):
        ta.metrics(table() | change, **choices)


def test_a_table_without_people_or_metrics_is_refused():
    made = table()
    with pytest.raises(ta.DataError, match="no column `human`"):
        ta.metrics({name: made[name] for name in ("system", "good")})
    with pytest.raises(ta.DataError, match="has 0 columns that might be metrics"):
        ta.metrics({name: made[name] for name in ("system", "item", "human")})


def test_the_same_seed_gives_the_same_numbers(ranking):
    assert ta.metrics(table()).to_dict() == ranking.to_dict()
    assert ta.metrics(table(), seed=1).to_dict() != ranking.to_dict()
    assert json.loads(json.dumps(ranking.to_dict(), allow_nan=False))["ranking"] == list(ranking.ranking)


def test_many_systems_cost_no_more_memory():
    rng = np.random.default_rng(0)
    truth = rng.random(3000) < 0.5
    rated = Rated(
        [f"s{i}" for i in range(500)],
        rng.integers(0, 500, 3000),
        truth,
        {"x": truth + rng.normal(size=3000)},
        frozenset(),
    )
    found = rank_metrics(rated, unrated={"x": 0}).metrics[0]
    assert found.interval.low < found.worth < found.interval.high


def test_the_command_shows_writes_and_draws(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_bytes(EXAMPLE)
    answer = run("metrics", str(path), "--plot", str(tmp_path / "worth.svg"))
    assert answer.code == 0
    assert answer.out.startswith("`judge` is worth most")
    assert "<svg" in (tmp_path / "worth.svg").read_text(encoding="utf-8")
    value = run("metrics", str(path), "--format", "json", "--seed", "3").json
    assert value == json.loads(json.dumps(ta.metrics(path, seed=3, name=str(path)).to_dict()))
    rows = run("metrics", str(path), "--metric", "score", "--format", "csv").out.splitlines()
    assert rows[0].startswith("metric,worth,interval_low,interval_high,auc")
    assert len(rows) == 2
    assert run("metrics", str(path), "--metric", "absent").code == 1
    assert run("metrics", str(path), "--confidence-level", "2").code == 2
    drawn = charts.worths(ta.metrics(path)).to_dict()
    assert len(drawn["datasets"]["rates"]) == 2
    assert all("yOffset" not in layer["encoding"] for layer in drawn["layer"])  # marks lie beside their names


def test_compare_says_if_another_column_is_worth_clearly_more():
    made = table(1000)
    worse = {name: made[name] for name in ("system", "item", "human", "poor", "good")}
    note = [s for s in ta.read_ratings(worse).understood if "would be worth" in s]
    assert len(note) == 1
    assert note[0].startswith("`good` would be worth 6")
    assert not [s for s in ta.read_ratings(worse, metric="poor").understood if "would be worth" in s]
    better = {name: made[name] for name in ("system", "item", "human", "good", "poor")}
    assert not [s for s in ta.read_ratings(better).understood if "would be worth" in s]


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs real ratings, which are not part of the project")
def test_real_metrics_are_ranked():
    found = ta.metrics(SHARED / "ratings_openqa_nq.csv")
    assert found.ranking[0] == "judge_gpt4"
    assert judged(found, "f1").clearly_behind
    assert not {"annotator1", "annotator2", "annotator3"} & {*found.ranking, *found.unjudged}
    assert judged(ta.metrics(SHARED / "ratings_frank.csv"), "factcc").differs
    assert judged(ta.metrics(SHARED / "ratings_wmt21_ende.csv"), "mqm").repeats


@pytest.mark.parametrize("votes", [False, True], ids=["outputs", "votes"])
@pytest.mark.parametrize("engine", ["pandas", "pyarrow", "duckdb", pytest.param("dask", marks=pytest.mark.slow)])
def test_every_engine_gives_the_same_ranking(engine, votes):
    made = table(120)
    made |= {"judge": ["yes" if g else "no" for g in made["good"]], "good": [None, *made["good"][1:]]}
    if votes:
        made = {name: [v for v in values for _ in range(2)] for name, values in made.items()}
        made |= {"annotator": ["x", "y"] * 120, "confidence": [1, 2] * 120}
    frame = pl.DataFrame(made)
    pandas = frame.to_pandas()
    native = {
        "pandas": lambda: pandas,
        "pyarrow": frame.to_arrow,
        "duckdb": lambda: pytest.importorskip("duckdb").from_df(pandas),
        "dask": lambda: pytest.importorskip("dask.dataframe").from_pandas(pandas, npartitions=2),
    }[engine]()
    assert ta.metrics(native).to_dict() == ta.metrics(frame).to_dict()
