"""The benchmark beside other packages: methods that need none, the data sets, and the tables."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit, logit

HERE = Path(__file__).resolve().parent.parent / "benchmarks" / "peers"
if not HERE.exists():
    pytest.skip("the benchmarks are not here", allow_module_level=True)
sys.path.insert(0, str(HERE))
import adapter  # noqa: E402 - scripts, found by their folder
import datasets  # noqa: E402
import methods  # noqa: E402
import page  # noqa: E402
import peer_plain as plain  # noqa: E402
import peer_tellapart  # noqa: E402
import tables  # noqa: E402

sys.path.remove(str(HERE))

TABLE = {"both": [[28, 12], [18, 42]], "alone": [460, 540]}


def task(work, *given, truth=0.6, cell="cell", number=0):
    return adapter.Task(f"{work}: {cell}: {number}", work, cell, number, truth, given)


def test_wilson_ends_are_where_the_score_test_is_at_its_limit():
    found = plain.wilson(18, 50)
    for end in (found.low, found.high):
        assert abs(0.36 - end) / np.sqrt(end * (1 - end) / 50) == pytest.approx(adapter.QUANTILE, rel=1e-12)


def test_rogan_gladen_gives_back_the_rate_that_made_the_counts():
    joint = datasets.judged(datasets.shares(0.3), 0.9, 0.8) * 100_000
    found = plain.rogan_gladen({"both": joint, "alone": joint.sum(axis=0)})
    assert found.point == pytest.approx(0.3, abs=1e-12)
    variance = 0.41 * 0.59 / 1e5 + 0.09 * 0.09 / 3e4 + 0.49 * 0.16 / 7e4
    assert found.high - found.low == pytest.approx(2 * adapter.QUANTILE * np.sqrt(variance) / 0.7, rel=1e-12)


def test_lang_and_reiczigel_by_their_own_steps():
    z2 = adapter.QUANTILE**2
    p, n = (540 + z2 / 2) / (1000 + z2), 1000 + z2
    tpr, tnr = 43 / 62, 29 / 42
    rate = (p + tnr - 1) / (tpr + tnr - 1)
    se = np.sqrt(p * (1 - p) / n + rate**2 * tpr * (1 - tpr) / 62 + (1 - rate) ** 2 * tnr * (1 - tnr) / 42)
    shift = 2 * z2 * (rate * tpr * (1 - tpr) / 62 - (1 - rate) * tnr * (1 - tnr) / 42)
    found = plain.rogan_gladen(TABLE, added=1.0)
    assert found.low == pytest.approx(rate + shift - adapter.QUANTILE * se / (tpr + tnr - 1), rel=1e-12)


@pytest.mark.parametrize("both", [[[10, 30], [40, 20]], [[0, 0], [20, 30]]])
def test_no_correction_without_a_metric_better_than_chance(both):
    found = adapter.answered(plain.single(plain.rogan_gladen), task("one", {"both": both, "alone": [500, 500]}))
    assert "ValueError" in found["error"]


def test_tenenbein_is_as_wide_as_his_variance():
    rate, sd = plain.tenenbein(TABLE)
    share = np.array([506, 594]) / 1100
    assert rate == pytest.approx(share @ [18 / 46, 42 / 54], rel=1e-12)
    worth = (28 * 42 - 12 * 18) ** 2 / (40 * 60 * 46 * 54)
    assert sd**2 == pytest.approx(rate * (1 - rate) * ((1 - worth) / 100 + worth / 1100), rel=1e-12)
    found = plain.tenenbein_logit(TABLE)
    assert expit((logit(found.low) + logit(found.high)) / 2) == pytest.approx(rate, rel=1e-12)


def test_mcnemar_counts_only_items_that_tell():
    assert plain.mcnemar(10, 1, 50).verdict == 1  # mid-p (2·12 − 11) / 2¹¹ = 0.0063
    assert plain.mcnemar(1, 10, 50).verdict == -1
    assert plain.mcnemar(5, 1, 50).verdict == 0  # mid-p (2·7 − 6) / 2⁶ = 0.125
    assert plain.mcnemar(0, 0, 50).verdict == 0


def test_samples_hold_the_counts_of_their_tables():
    (sample,) = task("one", TABLE).samples
    assert len(sample.judge) == 1100
    assert (sample.y.sum(), sample.f.sum(), sample.rest.sum()) == (60, 54, 540)
    assert (sample.y * sample.f).sum() == 42


def test_systems_on_the_same_items_are_the_margins_of_their_table():
    table = datasets.drawn(datasets.together(0.65, 0.55, datasets.UNLIKE), 100, np.random.default_rng(0))
    first, second = task("same", table).samples
    assert (first.rated == second.rated).all()
    for sample, own in zip((first, second), peer_tellapart.margins(table), strict=True):
        assert [(sample.y == 0).sum(), sample.y.sum()] == [sum(row) for row in own["both"]]
        assert [(sample.rest == 0).sum(), sample.rest.sum()] == own["alone"]


def test_correlated_systems_have_the_rates_and_judges_asked_for():
    joint = datasets.together(0.65, 0.55, datasets.UNLIKE)
    truth = joint.sum(axis=1)
    assert truth[2] + truth[3] == pytest.approx(0.65)
    covariance = truth[3] - 0.65 * 0.55
    assert covariance / np.sqrt(0.65 * 0.35 * 0.55 * 0.45) == pytest.approx(datasets.CORRELATION)
    assert joint[3, 2:].sum() / truth[3] == pytest.approx(0.9)  # tpr of the first
    assert joint[3, [1, 3]].sum() / truth[3] == pytest.approx(0.8)  # tpr of the second


def test_data_sets_are_written_once_and_grow(tmp_path):
    path = tmp_path / "data.jsonl"
    datasets.write(path, 1, None, 0)
    once = path.read_text(encoding="utf-8")
    datasets.write(path, 2, None, 0)
    grown = path.read_text(encoding="utf-8")
    assert grown.startswith(once)
    assert len(grown.splitlines()) == 2 * len(once.splitlines())
    assert {json.loads(line)["work"] for line in once.splitlines()} == set(methods.WORKS)


def test_real_labels_are_hidden_but_for_a_few(tmp_path):
    rng = np.random.default_rng(1)
    rows = [f"{s},{i},{rng.integers(2)},{rng.random():.3f}" for s in "AB" for i in range(150)]
    (tmp_path / "ratings_frank.csv").write_text("\n".join(["system,item,human,factcc", *rows]), encoding="utf-8")
    found = list(datasets.real(tmp_path, 0))
    assert [one["work"] for one in found] == ["one", "one", "same"]
    for one in found:
        assert (np.sum(one["tables"][0]["both"]), sum(one["tables"][0]["alone"])) == (50, 100)
    assert found[2]["truth"] == pytest.approx(found[0]["truth"] - found[1]["truth"])


def test_both_ways_of_tellapart_answer_all_work():
    number = next(iter(datasets.simulated(0)))
    one = peer_tellapart.one(adapter.Task(**number))
    assert 0 <= one.low < one.point < one.high <= 1
    for data in datasets.simulated(0):
        if data["cell"] == "apart, alike, 100":
            given = adapter.Task(**data)
            found = {"two": peer_tellapart.two, "same": peer_tellapart.same}[given.work]
            answer = found(given, {"two": "none", "same": "items"}[given.work])
            assert answer.low < answer.point < answer.high


def test_answers_become_tables(tmp_path):
    data = [datasets.dataset("one", "c", k, 0.5, TABLE) for k in range(4)]
    data += [
        datasets.dataset("two", f"{kind}, alike, 50", 0, gap, TABLE, TABLE)
        for kind, gap in (("equal", 0.0), ("apart", 0.1))
    ]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(one) + "\n" for one in data), encoding="utf-8")
    ends = {"tellapart": (0.4, 0.6), "judgy": (0.2, 0.6), "Tenenbein": (0.55, 1.2)}
    lines = [
        {"id": one["id"], "method": m, "point": 0.5, "low": low, "high": high, "verdict": None, "seconds": 0.002}
        for one in data[:4]
        for m, (low, high) in ends.items()
    ]
    lines[-1] = {"id": data[3]["id"], "method": "Tenenbein", "error": "refused", "seconds": 1.0}
    lines += [
        {
            "id": one["id"],
            "method": "tellapart, no pooling",
            "point": 0.1,
            "low": 0.05,
            "high": 0.2,
            "verdict": 1,
            "seconds": 1,
        }
        for one in data[4:]
    ]
    (tmp_path / "answers-x.jsonl").write_text(
        "".join(json.dumps(one) + "\n" for one in lines) + '{"id": "cut', encoding="utf-8"
    )
    results = tables.Results(tmp_path)
    assert results.ratio("one", "judgy", ["c"], tables.widths) == pytest.approx(2)
    (cell,) = results.of("one", "Tenenbein", ["c"])
    assert (cell.missing, cell.leaving, cell.covered.tolist()) == (0.25, 1.0, [False] * 3)
    assert cell.width[0] == pytest.approx(0.45)  # as far as 1
    told = tables.two_systems(results, "two").splitlines()[2]
    assert told.startswith(
        "| tellapart, no pooling | 100.0 ± 21.9 | 100.0 ± 21.9 | 0.0 | 50.0 "
    )  # false, right, wrong way
    assert "| judgy | ? | 100.0 ± 15.3 | – | 2.00 |" in tables.one_rate(results, ["c"])


def test_only_what_stands_between_markers_is_written(tmp_path):
    (tmp_path / "data.jsonl").write_text("", encoding="utf-8")
    (tmp_path / "versions.json").write_text(json.dumps({"judgy": {"judgy": "0.1.0", "numpy": "2"}}), encoding="utf-8")
    text = "before\n<!-- peers: versions -->\nold\n<!-- /peers -->\nafter\n"
    (tmp_path / "peers.md").write_text(text, encoding="utf-8")
    page.update(tmp_path / "peers.md", tmp_path)
    found = (tmp_path / "peers.md").read_text(encoding="utf-8")
    assert found.startswith("before\n")
    assert found.endswith("after\n")
    assert "| judgy 0.1.0 | numpy 2 |" in found
    assert "old" not in found


def test_every_peer_has_an_adapter_and_a_version():
    named = {
        line.partition("==")[0] for line in (HERE / "requirements.txt").read_text(encoding="utf-8").splitlines()[1:]
    }
    peers = {method.peer for method in methods.METHODS.values()}
    assert peers == named | {"tellapart", "plain"}
    for peer in peers:
        assert (HERE / f"peer_{peer.replace('-', '_')}.py").exists()
