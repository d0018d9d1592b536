"""The API: the same answers as the command line, polite refusals, and the bounds of the server."""

import gzip
import io
import json
from dataclasses import asdict
from importlib.resources import files

import polars as pl
import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import settings

import tellapart as ta
from command_line import run
from tellapart import render
from tellapart.cli.output import typed
from tellapart.said import spelled
from tellapart.web.app import create_app
from tellapart.web.server import Server
from tellapart.web.settings import Settings

EXAMPLE = files("tellapart").joinpath("data/example.csv").read_bytes()
COUNTS = (
    b"system,human_pos,human_n,tp,fn,tn,fp,metric_pos,metric_n\n"
    b"A,60,100,54,6,36,4,1190,2000\nB,45,100,40,5,49,6,890,2000\n"
)
PAIRS = b"system_a,system_b,item,human,judge\n" + b"".join(
    f"A,B,{i},{'aab'[i % 3]},{'aba'[i % 3]}\n".encode() for i in range(12)
)
GUESSES = {"rate": 0.6, "tpr": 0.9, "tnr": 0.9}
SMALL = Settings(
    most_bytes=20_000,
    most_rows=50,
    most_columns=6,
    most_systems=3,
    most_runs=50,
    most_cells=9,
    most_seconds=300,
    patience=300,
    hosts=("127.0.0.1", "testserver"),
)


def client_of(settings):
    return TestClient(create_app(settings), base_url="http://127.0.0.1")


@pytest.fixture(scope="module")
def client():
    return client_of(Settings(patience=300, most_seconds=300))  # machines may be slow


@pytest.fixture(scope="module")
def small():
    return client_of(SMALL)


def planned(command, **options):
    """What the command line answers for the same guesses."""
    numbers = {"rate": ".6", "tpr": ".9", "tnr": ".9", **options, "format": "json"}
    return run(command, *(part for name, text in numbers.items() for part in (f"--{name}", text))).json


def test_plan_is_the_answer_of_the_command_line(client):
    body = {**GUESSES, "n_metric": 10_000, "difference": 0.05}
    expected = planned("plan", **{"n-metric": "10k", "difference": ".05"})
    assert client.post("/api/plan", json=body).json().items() >= expected.items()


def test_budget_is_the_answer_of_the_command_line(client):
    body = {**GUESSES, "calibration_rate": 0.5, "budget": 2000, "cost_human": 1, "cost_metric": 0.01}
    prices = {"budget": "2000", "cost-human": "1", "cost-metric": ".01"}
    expected = planned("plan", **prices, **{"calibration-rate": ".5"})
    assert client.post("/api/plan", json=body).json().items() >= expected.items()


def test_systems_are_planned_together_as_on_the_command_line(client):
    body = {**GUESSES, "systems": 3, "borrow": "none", "n_human": 30, "n_metric": 0, "difference": 0.4, "runs": 3}
    sizes = {"systems": "3", "borrow": "none", "n-human": "30", "n-metric": "0", "difference": ".4", "runs": "3"}
    assert client.post("/api/plan", json=body).json().items() >= planned("plan", **sizes).items()


def test_simulated_campaigns_are_bounded(client):
    body = {**GUESSES, "systems": 12, "borrow": "link", "n_human": 30, "n_metric": 0, "difference": 0.4}
    answer = client.post("/api/plan", json=body)
    assert answer.status_code == 422
    assert "`runs` must be at most 13 for 12 systems here, got 40" in answer.json()["message"]
    answer = client.post("/api/plan", json=body | {"systems": 60, "runs": 2})
    assert "`systems` must be fewer" in answer.json()["message"]


def test_table_is_the_answer_of_the_command_line(client):
    axes = {"rows": {"name": "n_human", "values": [0, 100]}, "columns": {"name": "n_metric", "values": [0, 1000]}}
    expected = planned("table", **{"n-human": "0,100", "n-metric": "0,1k"})
    assert client.post("/api/table", json={**GUESSES, **axes}).json() == expected


def test_tables_are_drawn_as_curves_and_as_maps(client):
    axes = {"rows": {"name": "n_human", "values": [10, 100]}, "columns": {"name": "n_metric", "values": [100, 1000]}}
    curves = client.post("/api/table/charts", json={**GUESSES, **axes}).json()["charts"]["curves"]
    assert [row["x"] for row in curves["datasets"]["curves"]] == [100, 1000] * 2
    body = {**GUESSES, **axes, "n_human": 50, "n_metric": 500, "budget": 60, "cost_metric": 0.01}
    drawn = client.post("/api/table/charts", params={"kind": "map"}, json=body).json()["charts"]["map"]["datasets"]
    assert drawn["here"] == [{"x": 500, "y": 50}]
    assert all(p["y"] * 1.01 + p["x"] * 0.01 == pytest.approx(60) for p in drawn["frontier"])


@pytest.mark.parametrize(
    ("body", "options"),
    [
        ({"human": [60, 100]}, ["--human", "60/100"]),
        (
            {"metric": [540, 1000], "calibration": {"tp": 42, "fn": 18, "tn": 28, "fp": 12}, "prior": "jeffreys"},
            ["--metric", "540/1000", "--calibration", "tp=42,fn=18,tn=28,fp=12", "--prior", "jeffreys"],
        ),
        ({"metric": [540, 1000], "tpr": 0.9, "tnr": 0.8}, ["--metric", "540/1000", "--tpr", ".9", "--tnr", ".8"]),
    ],
)
def test_estimate_is_the_answer_of_the_command_line(client, body, options):
    answer = client.post("/api/estimate", json=body).json()
    said = answer.pop("said")
    assert answer == run("estimate", *options, "--format", "json").json
    assert len(said["cautions"]) == len(answer["warnings"])


def test_metrics_are_ranked_as_in_python(client):
    expected = ta.metrics(EXAMPLE, name="the uploaded file", seed=2, confidence_level=0.9).to_dict()
    answer = client.post("/api/metrics", params={"seed": 2, "confidence_level": 0.9}, content=EXAMPLE).json()
    assert {key: answer[key] for key in expected} == expected
    assert answer["sheets"]
    assert client.post("/api/metrics", params={"metric": "absent"}, content=EXAMPLE).status_code == 422
    assert client.post("/api/metrics", content=COUNTS).status_code == 422


def test_threshold_is_the_answer_of_the_command_line(client, tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_bytes(EXAMPLE)
    expected = run("threshold", str(path), "--score", "score", "--rule", "youden", "--format", "json").json
    query = {"metric": "score", "threshold": "youden"}
    assert client.post("/api/threshold", params=query, content=EXAMPLE).json() == expected
    assert client.post("/api/threshold", content=EXAMPLE).json()["field"] == "metric"
    assert client.post("/api/threshold", params=query, content=COUNTS).status_code == 422


def test_ranges_give_the_chance_of_the_command_line(client):
    body = {"rate": [0.5, 0.7], "tpr": 0.9, "tnr": [0.8, 0.95], "n_human": 300, "n_metric": 5000, "difference": 0.08}
    options = ["--rate", ".5..0.7", "--tpr", ".9", "--tnr", ".8..0.95", "--n-human", "300", "--n-metric", "5k"]
    expected = run("plan", *options, "--difference", ".08", "--format", "json").json
    assert client.post("/api/plan", json=body).json().items() >= expected.items()


def test_compare_is_the_answer_of_the_library(client):
    answer = client.post("/api/compare", params={"name": "counts.csv"}, content=COUNTS).json()
    expected = run("compare", "-", "--format", "json", stdin=COUNTS).json
    assert {key: answer[key] for key in expected} == expected
    result = ta.compare(ta.read_counts(COUNTS))
    assert answer["sheets"] == json.loads(json.dumps([asdict(p) for p in render.sheets(result, everything=True)]))


def test_ratings_are_read_and_roles_told(client):
    answer = client.post("/api/compare", params={"metric": "score", "threshold": "worth"}, content=EXAMPLE).json()
    assert answer["roles"] == {
        "system": "system",
        "item": "item",
        "human": ["human"],
        "metric": ["score"],
        "annotator": None,
        "cluster": None,
    }
    assert answer["preview"][0] == ["aurora", "q0001", "1", "1", "0.610"]
    assert len(answer["preview"]) == 5
    assert answer["columns"] == ["system", "item", "human", "judge", "score"]
    assert answer["thresholds"][0]["rule"] == "worth"
    ratings = ta.read_ratings(EXAMPLE, metric="score", threshold="worth")
    assert answer["signature"] == ratings.compare().signature


def of_many_kinds():
    """Two systems on the same items: people on a scale, two judges, one with levels and bad cells, and a score."""
    lines = ["system,item,rating,label,judge,other,score"]
    for s, i in ((s, i) for s in range(2) for i in range(150)):
        rating = 1 + (i * 7 + i // 5 + 2 * s) % 5
        judge = min(5, max(1, rating + (i * i + s) % 3 - 1))
        people = f"{rating},{int(rating > 3)}" if i < 60 else ","
        lines.append(f"{'AB'[s]},{i},{people},{judge if i % 29 else 'ERROR'},{int(judge > 2)},{judge + i % 4 / 5}")
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    "choices",
    [
        {"human": "label", "metric": "score", "levels": "auto"},
        {"human": "label", "metric": "score", "levels": "3", "unpaired": None},
        {"human": "label", "metric": "judge", "bad_cells": "exclude"},
        {"human": "label", "metric": ["other", "score"]},
        {"human": "label", "metric": ["other", "score"], "fuse": "sequential"},
        {"human": "rating", "metric": "judge", "bad_cells": "exclude"},
        {"human": "rating", "metric": "score", "unpaired": None},
        {"human": "rating", "metric": "other", "human_cut": "3"},
    ],
    ids=lambda choices: " ".join(f"{name}={value}" for name, value in choices.items()),
)
def test_levels_scales_and_several_judges_are_the_answer_of_the_command_line(client, choices):
    """The report, with its charts, is drawn of each, too."""
    content, options = of_many_kinds(), []
    for name, value in choices.items():
        flag = "--" + name.replace("_", "-")
        options += (
            [flag] if value is None else [p for v in ([value] if isinstance(value, str) else value) for p in (flag, v)]
        )
    query = {name: value for name, value in choices.items() if name != "unpaired"}
    query |= {"name": "standard input", **({"paired": "false"} if "unpaired" in choices else {})}
    expected = run("compare", "-", *options, "--format", "json", stdin=content).json
    answer = client.post("/api/compare", params=query, content=content).json()
    assert {key: answer[key] for key in expected} == expected
    assert "<svg" in client.post("/api/compare/report", params=query, content=content).text


def test_pairs_are_recognised(client):
    answer = client.post("/api/compare", params={"name": "pairs.csv"}, content=PAIRS).json()
    expected = run("compare", "-", "--format", "json", stdin=PAIRS).json
    assert {key: answer[key] for key in expected if key != "understood"} == {
        key: value for key, value in expected.items() if key != "understood"
    }
    assert list(client.post("/api/compare/charts", content=PAIRS).json()["charts"]) == ["outcomes"]
    assert "Who wins?" in client.post("/api/compare/report", content=PAIRS).text
    assert "got pairs" in client.post("/api/pilot", content=PAIRS).json()["message"]
    assert client.post("/api/compare", params={"borrow": "rates"}, content=PAIRS).status_code == 422


def test_charts_and_report(client):
    drawn = client.post("/api/compare/charts", content=COUNTS).json()["charts"]
    assert list(drawn) == ["rates", "matrix", "ladder", "posteriors", "calibration"]
    page = client.post("/api/compare/report", content=COUNTS)
    assert page.headers["content-disposition"].startswith("attachment")
    assert page.text.startswith("<!doctype html>")


def test_a_pilot_gives_the_guesses(client):
    found = client.post("/api/pilot", params={"name": "pilot.csv"}, content=COUNTS).json()
    assert found["rate"] == pytest.approx(0.54, abs=0.05)
    assert found["tpr"] == pytest.approx(95 / 107, abs=0.01)


@pytest.mark.parametrize("beliefs", [{}, {"tpr": "0.7..0.9"}, {"rate": "0.5"}])
def test_a_pilot_gives_the_chance_of_the_command_line(client, tmp_path, beliefs):
    path = tmp_path / "pilot.csv"
    path.write_bytes(COUNTS)
    sizes = {"n_human": 300, "n_metric": 5000, "difference": 0.08, **beliefs}
    chance = client.post("/api/pilot", params=sizes, content=COUNTS).json()["plan"]
    options = [part for name, value in sizes.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    assert chance.items() >= run("plan", "--pilot", str(path), *options, "--format", "json").json.items()
    assert 0.5 < chance["probability_of_success"] < 1
    assert ("rate 0.5" in chance["beliefs"]) == ("rate" in beliefs)


def test_simulation(client):
    body = {**GUESSES, "n_human": 40, "n_metric": 0, "difference": 0.3, "runs": 40}
    assert client.post("/api/simulation", json=body).json()["runs"] == 40


def test_a_plan_is_drawn(client):
    drawn = client.post("/api/plan/charts", json={**GUESSES, "n_metric": 10_000, "difference": 0.05}).json()["charts"]
    (here,) = drawn["power"]["datasets"]["here"]
    assert here["n"] == planned("plan", **{"n-metric": "10k", "difference": ".05"})["value"]
    unsure = {**GUESSES, "rate": [0.5, 0.7], "n_human": 100, "n_metric": 0, "difference": 0.1}
    assert client.post("/api/plan/charts", json=unsure).json() == {"charts": {}}


def test_who_has_no_simulation_has_no_progress(client):
    body = {**GUESSES, "n_human": 40, "n_metric": 0, "difference": 0.3, "runs": 40}
    assert client.post("/api/simulation?ticket=mine", json=body).json()["runs"] == 40
    assert client.get("/api/progress/mine").json() == {"done": 0}
    assert client.post(f"/api/simulation?ticket={'x' * 41}", json=body).status_code == 422


def test_the_paper(client):
    names = client.get("/api/paper").json()
    assert "introduction" in names
    found = client.get("/api/paper/wmt21-100").json()
    assert (found["cells"], found["matched"]) == (42, 42)
    assert client.get("/api/paper/nothing").status_code == 422


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/api/plan", {"rate": 2}, "rate"),
        ("/api/plan", {**GUESSES, "n_human": 5, "n_metric": 5, "power": 0.01}, "power"),
        ("/api/plan", {**GUESSES, "n_human": 5, "n_metric": 5, "colour": "red"}, "colour"),
        ("/api/plan", {**GUESSES}, "plan"),
        ("/api/plan", {**GUESSES, "cost_human": 1}, "budget or difference"),
        ("/api/simulation", {**GUESSES, "difference": 0.9, "n_human": 5}, "difference"),
        ("/api/plan", {**GUESSES, "rate": [0.6, 0.2], "n_human": 5, "n_metric": 5, "difference": 0.1}, "rate"),
    ],
)
def test_bad_requests_name_the_field_the_rule_and_a_hint(client, path, body, field):
    answer = client.post(path, json=body)
    assert answer.status_code == 422
    assert answer.json()["field"] == field
    assert answer.json()["rule"]


@pytest.mark.parametrize(
    "given",
    [
        {**GUESSES, "rate": 0.6, "n_human": 5, "n_metric": -5},
        {**GUESSES, "rate": [0.5, 0.7], "n_human": 5},
        {**GUESSES, "budget": 100.0},
        {**GUESSES, "budget": 100.0, "cost_human": 1.0, "n_human": 5},
        {**GUESSES, "budget": 100.0, "cost_human": -1.0},
        {**GUESSES, "difference": 1.5, "n_human": 5},
        {**GUESSES, "n_human": 5, "n_metric": 5, "confidence_level": 1.0},
        {**GUESSES},
    ],
)
def test_library_command_line_and_api_refuse_in_the_same_words(client, given):
    with pytest.raises(ta.InvalidInput) as refused:
        ta.plan(**{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()})
    assert client.post("/api/plan", json=given).json()["message"] == str(refused.value)
    if "n_metric" in given:  # a size is text there, and a level has its own check
        return
    texts = {name: "..".join(map(str, value)) if isinstance(value, list) else value for name, value in given.items()}
    options = [f"--{name.replace('_', '-')}={text}" for name, text in texts.items()]
    assert run("plan", *options).err == f"Error: {spelled(refused.value.args[0], typed)}\n"


def test_a_rate_next_to_nothing_is_a_question_like_any_other(client):
    body = {"rate": 1e-12, "tpr": 0, "tnr": 0, "budget": 1000, "cost_human": 1}
    assert client.post("/api/plan", json=body).json()["break_even"] == pytest.approx(1, rel=1e-5)


def test_bad_files_are_one_sentence(client):
    answer = client.post("/api/compare", params={"name": "x.csv"}, content=b"system,human\nA,maybe\nB,1\n")
    assert answer.status_code == 422
    said = "x.csv, column `human`: 1 of 2 cells is neither a label nor a number, in line 2: 'maybe'"
    assert said in answer.json()["message"]
    rows = b"system,human\nA,maybe\nA,1\nB,1\n"
    answer = client.post("/api/compare", params={"bad_cells": "exclude"}, content=rows)
    assert any("Excluded from `human`, as not rated: 1 of 3 cells" in line for line in answer.json()["understood"])


@pytest.mark.parametrize(
    ("content", "status", "said"),
    [
        (b"x" * 20_001, 413, "larger than"),
        (b"system,human\n" + b"A,1\nB,0\n" * 30, 422, "rows"),
        (b"system,human,a,b,c,d,e\nA,1,,,,,\nB,0,,,,,\n", 422, "columns"),
        (b"system,human\nA,1\nB,1\nC,1\nD,1\n", 422, "systems"),
    ],
)
def test_what_is_too_large_is_refused_with_the_limit(small, content, status, said):
    answer = small.post("/api/compare", content=content)
    assert answer.status_code == status
    assert said in answer.json()["message"]


def test_a_request_that_is_no_upload_is_bounded_too(client):
    answer = client.post(
        "/api/plan", content=b"[" + b"0," * 600_000 + b"0]", headers={"Content-Type": "application/json"}
    )
    assert (answer.status_code, "larger than 1 MB" in answer.json()["message"]) == (413, True)
    keys = b"".join(b'{"k%d": NaN}\n' % i for i in range(3000))
    assert "more than 2,000 different keys" in client.post("/api/compare", content=keys).json()["message"]
    many = b"A,0,10,100000000,2,100000000,5,5,10\nB,0,10,100000000,100000000,100000000,100000000,5,10\n"
    assert client.post("/api/compare", content=COUNTS.split(b"\n")[0] + b"\n" + many).status_code == 200


def test_what_is_packed_is_unpacked_up_to_a_bound(client):
    assert client.post("/api/compare", content=gzip.compress(COUNTS)).status_code == 200
    bomb = gzip.compress(b"system,human\n" + b"A,1\n" * 100_000_000, 1)
    for content, said in (
        (bomb, "unpacks to more than 300 MB"),
        (gzip.compress(gzip.compress(COUNTS)), "not read here"),
        (gzip.compress(COUNTS)[:30], "cannot be unpacked"),
        (b"\x28\xb5\x2f\xfd" + bytes(50), "not read here"),
    ):
        answer = client.post("/api/compare", content=content)
        assert (answer.status_code, said in answer.json()["message"]) == (422, True), said


def parquet(**columns):
    file = io.BytesIO()
    pl.DataFrame(columns).write_parquet(file)
    return file.getvalue()


def test_parquet_is_read_within_bounds_and_cannot_end_the_server(client):
    good = parquet(system=["A", "B"] * 30, item=sorted([*range(30)] * 2), human=[1, 0, 1, 1, 0, 0] * 10)
    answer = client.post("/api/compare", params={"name": "mine.parquet"}, content=good).json()
    assert answer["understood"][0].startswith("Read mine.parquet: 60 outputs of 2 systems")
    for content, said in (
        (good[:60] + bytes(20) + good[80:], "damaged"),
        (good[:-3], "damaged"),
        (parquet(system=["A"] * 2_000_001), "more than 2,000,000 rows"),
        (parquet(**{f"c{i}": [1] for i in range(201)}), "more than 200 columns"),
        (parquet(system=["x" * 5000] * 100_000), "unpacks to more than 300 MB"),
    ):
        refused = client.post("/api/compare", content=content)
        assert (refused.status_code, said in refused.json()["message"]) == (422, True), said


def test_an_upload_without_a_length_is_bounded_too(small):
    answer = small.post("/api/compare", content=(b"x" * 1000 for _ in range(100)))
    assert answer.status_code == 413


def test_work_is_bounded(small):
    body = {**GUESSES, "n_human": 5, "n_metric": 0, "difference": 0.1, "runs": 51}
    assert small.post("/api/simulation", json=body).status_code == 422
    axes = {"rows": {"name": "n_human", "values": [1, 2, 3, 4]}, "columns": {"name": "n_metric", "values": [1, 2, 3]}}
    assert "at most 9 cells" in small.post("/api/table", json={**GUESSES, **axes}).json()["message"]


def test_who_waits_too_long_is_refused_politely():
    app = create_app(Settings(workers=1, patience=0.05))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.portal.call(app.state.turns["short"].acquire)
        answer = client.post("/api/plan", json={**GUESSES, "n_human": 5, "n_metric": 5})
    assert answer.status_code == 503
    assert answer.headers["retry-after"]


def test_a_simulation_keeps_nobody_else_waiting():
    app = create_app(Settings(patience=0.05))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.portal.call(app.state.turns["simulation"].acquire)
        body = {**GUESSES, "n_human": 5, "n_metric": 5}
        assert client.post("/api/plan", json=body).status_code == 200
        assert client.post("/api/simulation", json=body | {"difference": 0.1, "runs": 5}).status_code == 503


@pytest.mark.parametrize(("host", "open_to_all"), [("127.0.0.1", False), ("0.0.0.0", True)])  # noqa: S104 - not served
def test_serve_says_where_and_for_whom_it_listens(monkeypatch, host, open_to_all):
    started = []
    monkeypatch.setattr(Server, "run", lambda self, sockets: (started.append((self, sockets)), self._announce()))
    answer = run("serve", "--host", host, "--port", "0")
    assert answer.code == 0
    [(server, [opened])] = started
    assert opened.getsockname()[0] == host
    assert f"http://{host}:{opened.getsockname()[1]}" in answer.err
    opened.close()
    assert ("others on the network" in answer.err) == open_to_all
    assert server._app.state.settings.hosts == (("*",) if open_to_all else Settings().hosts)
    assert server.config.access_log is False


def test_limits_are_set_on_the_command_line(monkeypatch):
    started = []
    monkeypatch.setattr(Server, "run", lambda self, sockets: (sockets[0].close(), started.append(self._app)))
    assert run("serve", "--port", "0", "--limit", "most_rows=5M", "--limit", "most-bytes=200M").code == 0
    assert started[0].state.settings == Settings(most_rows=5_000_000, most_bytes=200_000_000)
    for wrong in ("rows=5", "hosts=1", "workers=0", "most_rows=many", "most_rows"):
        answer = run("serve", "--limit", wrong)
        assert (answer.code, answer.err.count("--limit")) == (2, 1), wrong


def test_vega_comes_from_here_and_is_cached(client):
    first = client.get("/vega.js")
    assert "vegaEmbed" in first.text
    assert "University of Washington Interactive Data Lab" in first.text  # its licence
    assert client.get("/vega.js", headers={"If-None-Match": first.headers["etag"]}).status_code == 304


@pytest.mark.parametrize("page", ["index.html", "api.html"])
def test_pages_have_no_inline_script_and_load_nothing_from_elsewhere(page):
    text = files("tellapart.web").joinpath("static", page).read_text(encoding="utf-8")
    assert "<style" not in text
    assert " onclick=" not in text
    assert text.count("<script") == text.count('<script type="module" src="/static/')
    names = ("http-equiv", "http://www.w3.org/2000/svg")  # no addresses: an attribute, and what SVG is called
    for name in names:
        text = text.replace(name, "")
    assert "http" not in text


# Rules between fields, such as which number is left out, are not part of a description; 422 answers for them.
CHECKS = (
    schemathesis.checks.not_a_server_error,
    schemathesis.checks.response_schema_conformance,
    schemathesis.checks.status_code_conformance,
    schemathesis.checks.content_type_conformance,
)
schema = schemathesis.openapi.from_asgi("/openapi.json", create_app(SMALL))
# every rule of the description broken one by one, hundreds of requests, beside the random ones: with many examples only
schema.config.phases.coverage.enabled = settings.get_current_profile_name() == "slow"


@schema.parametrize()
def test_the_api_keeps_its_description(case):
    """Whatever fits the description, and much that does not: no failure of the server, no answer that breaks it."""
    case.call_and_validate(checks=CHECKS, timeout=120)  # seconds; machines may be slow


def test_json_is_strict(client):
    """No NaN reaches a client."""
    body = {**GUESSES, "n_human": 0, "n_metric": 0}
    text = client.post("/api/plan", json=body).text
    json.loads(text, parse_constant=pytest.fail)
