"""Labels joined to logs, sheets to rate, several tables, and the command line of them."""

import polars as pl
import pytest

import made_logs as made
from command_line import run
from made_logs import inspect_members, sample, write, zipped
from tellapart import DataError, InvalidInput, metrics, read_ratings
from tellapart.data.inputs import collected
from tellapart.data.rating_sheet import rating_sheet
from tellapart.data.tables import read_table


@pytest.fixture
def logs(tmp_path):
    """Two systems with 40 items in two epochs; the judge passes those that have an even number, most of the time."""
    paths = []
    for system in "ab":
        samples = [
            sample(
                item, epoch, scores={"includes": 1, "model_graded_qa": "CI"[(item + (system == "b") * (item < 9)) % 2]}
            )
            for item in range(40)
            for epoch in (1, 2)
        ]
        paths.append(write(tmp_path / f"{system}.eval", zipped(inspect_members(samples, model=system))))
    return paths


def labels(path, text):
    return write(path / "labels.csv", text)


def test_labels_are_joined_by_the_columns_they_have(tmp_path, logs):
    path = labels(tmp_path, "system,item,epoch,human\na,0,1,yes\nb,1,2,0\nb,1,1,\nb,99,1,1\n")
    ratings = read_ratings(logs, labels=path)
    assert {name: e.n_human for name, e in ratings.systems.items()} == {"a": 1, "b": 1}
    assert "Joined 2 ratings of 2 outputs" in str(ratings)
    assert "1 of the ratings in" in str(ratings)
    assert "such as system 'b', item '99', epoch '1'." in str(ratings)
    assert "model_graded_qa" in str(ratings)  # the one that an LLM gave


def test_items_may_be_called_as_in_the_converted_table(tmp_path, logs):
    path = labels(tmp_path, "system,item,human\na,0@1,1\na,0@2,0\n")
    assert read_ratings(logs, labels=path).facts.rated == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("system,item,human\na,0,1\n", "line 2: item '0' is the name of 2 outputs. Hint: add the column `epoch`"),
        ("item,epoch,human\n0,1,1\n", "line 2: item '0' is the name of 2 outputs. Hint: add the column `system`"),
        ("system,item,epoch,human\na,0,1,1\na,0,1,0\n", "line 3: the output is rated twice"),
        (
            "system,item,epoch,human\na,0,1,perhaps\n",
            "line 2, column `human`: must be a label or a number, got 'perhaps'",
        ),
        ("system,item,epoch,human\nc,0,1,1\n", "none of its ratings matches an output, such as system 'c'"),
        ("system,item,epoch,human\na,0,1,\n", "column `human`: holds no rating"),
        ("system,epoch,human\na,1,1\n", "no column `item`"),
        ("system,item,score\na,0,1\n", "no column `human`"),
    ],
)
def test_labels_that_cannot_be_joined(tmp_path, logs, text, said):
    with pytest.raises(DataError) as caught:
        read_ratings(logs, labels=labels(tmp_path, text))
    assert said in str(caught.value)


@pytest.mark.parametrize("human", ["quality", ["quality"]])
def test_the_column_of_labels_may_be_named(tmp_path, logs, human):
    path = labels(tmp_path, "system,item,epoch,quality\na,0,1,1\nb,1,2,0\n")
    assert read_ratings(logs, labels=path, human=human).facts.rated == 2


def test_votes_of_several_annotators_are_columns(tmp_path, logs):
    text = "system,item,epoch,annotator,human\na,0,1,x,1\na,0,1,y,1\na,0,1,z,0\nb,0,1,x,0\n"
    ratings = read_ratings(logs, labels=labels(tmp_path, text))
    assert ratings.roles.human == ("human_1", "human_2", "human_3")
    assert ratings.systems["a"].n_human == 1


def test_labels_and_tables(tmp_path):
    table = write(tmp_path / "a.csv", "model,id,judge,human\nA,1,1,yes\nA,2,0,\n")
    path = labels(tmp_path, "system,item,human\nA,2,0\n")
    ratings = read_ratings(table, labels=path)
    assert str(ratings.systems["A"]).startswith("human 1/2")
    assert read_ratings(table, labels=path, system="model", item="id").systems["A"].n_human == 2
    with pytest.raises(InvalidInput, match="be left out where a frame"):
        read_ratings(pl.DataFrame(), labels=path)


def test_a_log_without_ratings_or_with_several_scores_says_what_to_do(logs, tmp_path):
    with pytest.raises(DataError, match=r"holds no ratings by people\. Hint: .* convert, .* add it with labels="):
        read_table(logs)
    entries = [
        made.graded(
            "A", "q1", made.component("contains", 1.0), made.component("regex", 1.0), made.component("human", 1)
        )
    ]
    path = write(tmp_path / "r.jsonl", entries)
    with pytest.raises(
        DataError, match=r"several scores may be the judge: `contains`, `regex`\. Hint: choose with metric="
    ):
        read_table(path)
    assert read_table(path, metric="regex").roles.metrics == ("regex",)
    assert run("compare", str(path)).err.endswith("Hint: choose with --metric\n")
    both = [
        made.graded(
            "A", "q1", made.component("contains", 1.0), made.component("llm-rubric", 1.0), made.component("human", 1)
        )
    ]
    assert read_table(write(path, both)).roles.metrics == ("llm-rubric",)


def test_tables_and_logs_do_not_mix(logs, tmp_path):
    table = write(tmp_path / "human.csv", "system,item,human\na,1,1\n")
    with pytest.raises(DataError, match=r"human\.csv: is not a log of a known format.* labels="):
        read_table([*logs, table])


def test_several_tables_are_read_together(tmp_path):
    text = "item,human,judge\n1,1,1\n2,0,0\n3,,1\n"
    one, two = write(tmp_path / "one.csv", text), write(tmp_path / "two.csv", text)
    ratings = read_ratings([one, two])
    assert sorted(ratings.systems) == ["one", "two"]
    assert "called as their files, 'one', 'two'" in str(ratings)
    assert sorted(read_ratings(one).systems) == ["one"]
    named = write(tmp_path / "named.csv", "model,item,human,judge\nA,1,1,1\nB,1,0,0\n")
    assert sorted(read_ratings([one, named]).systems) == ["A", "B", "one"]
    other = write(tmp_path / "other.csv", "model,item,human,judge\nA,2,1,1\n")
    assert read_ratings([named, other]).systems["A"].n_human == 2
    with pytest.raises(DataError, match="appears more than once"):
        read_ratings([named, named])
    counts = write(tmp_path / "counts.csv", "system,human_pos,human_n\nA,1,2\n")
    with pytest.raises(DataError, match="holds counts, not ratings"):
        read_table([named, counts])
    assert read_table(counts).systems["A"].n_human == 2


def test_metrics_ranks_all_scores_of_a_log(tmp_path):
    parts = [[made.component("contains", k % 2), made.component("llm-rubric", (k + k // 9) % 2)] for k in range(30)]
    entries = [made.graded("A", f"q{k}", *part, made.component("human", k % 2)) for k, part in enumerate(parts)]
    ranking = metrics(write(tmp_path / "r.jsonl", entries))
    assert set(ranking.ranking) == {"contains", "llm-rubric"}
    assert run("threshold", str(tmp_path / "r.jsonl"), "--score", "llm-rubric").code == 0


def test_a_sheet_at_random_holds_the_same_items_for_all(logs):
    sheet = rating_sheet(logs, n=20, seed=1)
    assert sheet.columns == ["system", "task", "item", "epoch", "input", "output", "human", "sampling"]
    assert sheet.height == 20
    assert sheet["human"].null_count() == 20
    items = sheet.group_by("system").agg((pl.col("item") + "@" + pl.col("epoch").cast(pl.String)).sort())
    assert items.height == 2
    assert items.row(0)[1] == items.row(1)[1]
    assert sheet.equals(rating_sheet(logs, n=20, seed=1))
    assert not sheet.equals(rating_sheet(logs, n=20, seed=2))


def test_a_sheet_by_verdict_is_read_back_as_drawn_so(logs, tmp_path):
    sheet = rating_sheet(logs, n=40, by_verdict=True)
    judged, _ = collected(logs)
    judge = {(s, i): v for s, i, v in judged.select("system", "item", "model_graded_qa").iter_rows()}
    passed = [judge[s, f"{i}@{e}"] for s, i, e in sheet.select("system", "item", "epoch").iter_rows()]
    assert sum(passed) == 20
    assert sheet["sampling"].unique().to_list() == ["by-verdict model_graded_qa, seed 0"]
    rated = sheet.with_columns(human=pl.Series([str(k % 2) for k in range(40)]))
    path = tmp_path / "rated.csv"
    rated.write_csv(path)
    ratings = read_table(logs, labels=path)
    assert {e.sampling for e in ratings.systems.values()} == {"by-metric"}
    assert "sampling = `sampling` (by-verdict model_graded_qa, seed 0)." in ratings.understood[0]
    at_random = tmp_path / "random.csv"
    rating_sheet(logs, n=4).with_columns(human=pl.lit("1")).write_csv(at_random)
    assert {e.sampling for e in read_table(logs, labels=at_random).systems.values()} == {"random"}
    mixed = pl.concat([rated, rating_sheet(logs, n=4).with_columns(human=pl.lit("1"))])
    mixed.unique(["system", "item", "epoch"], keep="last").write_csv(path)
    with pytest.raises(DataError, match="drawn in several ways"):
        read_table(logs, labels=path)


@pytest.fixture
def drawn(tmp_path):
    """Write a log with two scores, and a sheet drawn by the verdict of one, filled in."""
    parts = [[made.component("contains", k % 3 // 2), made.component("judge", k % 2)] for k in range(80)]
    entries = [made.graded("AB"[k % 4 // 2], f"q{k}", *part) for k, part in enumerate(parts)]
    log, sheet = write(tmp_path / "r.jsonl", entries), tmp_path / "sheet.csv"
    drawn = rating_sheet(log, n=40, by_verdict=True, metric="judge")
    drawn.with_columns(human=pl.Series([str(k % 3 // 2) for k in range(40)])).write_csv(sheet)
    return log, sheet


def test_how_outputs_were_drawn_goes_along_with_their_ratings(drawn, tmp_path):
    log, sheet = drawn
    joined, table = read_ratings(log, labels=sheet), tmp_path / "converted.csv"
    assert run("convert", str(log), "--labels", str(sheet), "-o", str(table)).code == 0
    for source in (table, pl.read_csv(table)):
        ratings = read_ratings(source)
        assert (ratings.roles.metrics, ratings.facts.rules.sampling) == (("judge",), "by-metric")
        assert ratings.systems == joined.systems
        assert "sampling = `sampling` (by-verdict judge, seed 0)." in ratings.understood[0]
    own = read_ratings(table, where="system == 'A'", labels=write(tmp_path / "more.csv", "system,item,human\nA,q0,1\n"))
    assert {e.sampling for e in own.systems.values()} == {"by-metric"}  # labels that do not say contradict nothing


def test_a_sheet_without_its_judge_says_where_to_join_it(drawn):
    with pytest.raises(DataError, match=r"drawn by the verdict of `judge`, a column that is not there\. Hint: join"):
        read_ratings(drawn[1])
    assert read_ratings(drawn[1], sampling="random").facts.rules.sampling == "random"


def test_sampling_by_name_goes_before_what_is_recorded(drawn, tmp_path):
    log, sheet = map(str, drawn)
    answer = run("compare", log, "--labels", sheet, "--sampling", "random")
    assert "sampling by-metric" not in answer.text
    assert "sampling = random, as asked, and not `sampling` (by-verdict judge, seed 0)." in " ".join(answer.err.split())
    rows = pl.read_csv(sheet).with_row_index("k")
    how = pl.when(pl.col("k") < 5).then(pl.lit("random, seed 3")).otherwise("sampling")
    two = tmp_path / "two.csv"
    rows.with_columns(sampling=how).drop("k").write_csv(two)
    refused = run("compare", log, "--labels", str(two))
    assert (refused.code, len(refused.err.splitlines())) == (1, 1)
    assert "in several ways, by-verdict judge, seed 0 and random, seed 3. Hint: keep the ratings of one" in refused.err
    assert read_ratings(log, labels=two, sampling="by-metric", metric="judge").facts.rules.sampling == "by-metric"


def test_what_one_judge_drew_says_nothing_of_another(drawn, tmp_path):
    log, sheet = map(str, drawn)
    for other in ("contains", "none"):
        refused = run("compare", log, "--labels", sheet, "--metric", other)
        assert (refused.code, len(refused.err.splitlines())) == (1, 1)
        assert "by the verdict of `judge`, and say how often that is right. Hint: take --metric judge" in refused.err
    together = read_ratings(log, labels=sheet, metric=["judge", "contains"])
    assert (together.facts.rules.sampling, len(together.roles.metrics)) == ("by-metric", 2)
    table = tmp_path / "converted.csv"
    assert run("convert", log, "--labels", sheet, "-o", str(table)).code == 0
    with pytest.raises(DataError, match=r"not drawn at random \(by-verdict judge, seed 0\), which distorts"):
        metrics(table)


@pytest.mark.parametrize("command", [("metrics",), ("threshold", "--score", "accuracy")])
def test_commands_of_one_table_take_logs_and_call_them_as_the_user_does(command, drawn, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    drawn[0].rename(tmp_path / "logs" / "r.jsonl")
    for given in ("logs", "logs/r.jsonl"):
        answer = run(*command, given)
        assert answer.err.startswith("Error: logs/r.jsonl: holds no ratings by people. Hint: tellapart sheet")


def test_a_column_of_another_meaning_says_nothing_of_the_draw():
    table = {"system": ["A"] * 4, "human": [1, 0, 1, None], "judge": [1, 0, 1, 1]}
    for cells in (["greedy", "nucleus", "greedy", None], [0.7, 0.9, None, 1.0], ["by-verdict", "", "beam", "beam"]):
        ratings = read_ratings({**table, "sampling": cells})
        assert (ratings.facts.rules.sampling, ratings.facts.drawn) == ("random", ())
    assert read_ratings({**table, "sampling": ["balanced"] * 4}).facts.rules.sampling == "balanced"


def test_a_sheet_by_the_verdict_of_a_score_needs_its_cut(tmp_path):
    values = ["C", "P", "I", "P"] * 5
    samples = [sample(k, scores={"model_graded_qa": value}) for k, value in enumerate(values)]
    path = write(tmp_path / "a.eval", zipped(inspect_members(samples)))
    with pytest.raises(InvalidInput, match=r"`cut` is missing: it must be given as `model_graded_qa` is a score"):
        rating_sheet(path, by_verdict=True)
    sheet = rating_sheet(path, by_verdict=True, cut=0.5, n=8)
    rated = tmp_path / "rated.csv"
    sheet.with_columns(human=pl.lit("1")).write_csv(rated)
    ratings = read_table(path, labels=rated)
    assert (ratings.facts.rules.sampling, ratings.facts.rules.cut.rule) == ("by-metric", 0.5)
    own = ratings.systems["m/alpha"]
    assert own.n_human == 8
    assert own.calibrated == (4, 4)  # half of those that passed, a score of 0.5 among them, and half of the rest
    with pytest.raises(DataError, match=r"another cut \(by-verdict model_graded_qa >= 0.5, seed 0\).* threshold=0\.5$"):
        read_table(path, labels=rated, threshold=0.7)
    assert read_table(path, labels=rated, threshold=0.7, sampling="random").facts.rules.cut.rule == 0.7
    for wrong in ({"n": 0}, {"seed": -1}, {"by_verdict": True, "metric": "none"}):
        with pytest.raises(InvalidInput):
            rating_sheet(path, **wrong)


def test_commands(logs, tmp_path):
    listed = run("formats")
    assert listed.code == 0
    assert "promptfoo" in listed.out
    assert max(map(len, listed.out.splitlines())) <= 100
    paths = [str(path) for path in logs]
    for name in ("t.csv", "t.jsonl", "t.parquet"):
        assert run("convert", *paths, "-o", str(tmp_path / name)).code == 0
    assert pl.read_parquet(tmp_path / "t.parquet").height == 160
    assert run("convert", str(tmp_path / "*.eval")).out == (tmp_path / "t.csv").read_text()
    assert run("convert", *paths, "-o", str(tmp_path / "t.xls")).code == 2
    sheet = tmp_path / "to-rate.csv"
    assert run("sheet", *paths, "--n", "10", "-o", str(sheet)).code == 0
    rated = pl.read_csv(sheet).with_columns(human=pl.Series([1, 0] * 5))
    rated.write_csv(sheet)
    answer = run("compare", *paths, "--labels", str(sheet), "--format", "json")
    assert answer.code == 0
    assert answer.json["ranking"]
    again = run("convert", *paths, "--labels", str(sheet))
    assert pl.read_csv(again.out.encode())["human"].drop_nulls().len() == 10
    assert run("compare", *paths, "--as", "promptfoo", "--labels", str(sheet)).code == 1
    assert run("compare", *paths, "--as", "excel", "--labels", str(sheet)).code == 2


def test_sheets_hold_no_formulas_and_are_joined_all_the_same(tmp_path):
    samples = [sample(item, scores={"model_graded_qa": "C"}, output={"completion": "=1+1"}) for item in ("=x", "-y")]
    path = write(tmp_path / "a.eval", zipped(inspect_members(samples, model="@m")))
    sheet = tmp_path / "sheet.csv"
    answer = run("sheet", str(path), "-o", str(sheet))
    assert (answer.code, "fewer than the 100 asked for" in answer.err) == (0, True)
    assert not any(cell.startswith(("=", "@")) for line in sheet.read_text().splitlines() for cell in line.split(","))
    pl.read_csv(sheet).with_columns(human=pl.lit(1)).write_csv(sheet)
    assert read_ratings(path, labels=sheet).systems["@m"].n_human == 2
