"""Planning as a user runs it."""

import pytest

from command_line import run

SETTING = ("--rate", ".6", "--tpr", ".9", "--tnr", ".9")


def test_the_measurable_difference_of_the_paper():
    value = run(
        "plan", "--rate", ".6", "--tpr", ".7", "--tnr", ".7", "--n-human", "100", "--n-metric", "1000", "-f", "json"
    ).json
    assert value["measurable_difference"] == pytest.approx(0.1242, abs=5e-5)
    assert value["solved"] == "difference"


def test_a_size_is_solved_and_said():
    answer = run("plan", *SETTING, "--difference", ".05", "--n-metric", "10k")
    assert answer.code == 0
    assert "621 human ratings of each system are needed" in answer.text


@pytest.mark.parametrize(
    "asked",
    [
        ("--difference", ".05", "--n-metric", "10k"),
        ("--budget", "2000", "--cost-human", "1", "--cost-metric", ".01"),
        ("--n-human", "20", "--n-metric", "0", "--difference", ".3", "--systems", "3", "--runs", "2"),
    ],
    ids=["a size", "a budget", "many systems"],
)
def test_plans_are_drawn(tmp_path, asked):
    path = tmp_path / "plan.svg"
    assert run("plan", *SETTING, *asked, "--plot", str(path)).code == 0
    assert "80% of the time" in path.read_text(encoding="utf-8")


def test_why_no_size_will_do():
    answer = run("plan", "--rate", ".6", "--tpr", ".52", "--tnr", ".52", "--n-human", "100", "--difference", ".05")
    assert answer.code == 0
    assert "No number of metric ratings will do" in answer.text
    assert "What would do: 1,505 human ratings" in answer.text


def test_a_budget_is_split():
    value = run("plan", *SETTING, "--budget", "2000", "--cost-human", "1", "--cost-metric", ".01", "-f", "json").json
    assert value["cost"] <= 2000
    assert value["pays_off"]
    assert "Buy " in value["summary"]


def test_a_budget_for_many_systems_says_that_one_pair_is_planned():
    words = ("plan", *SETTING, "--budget", "2000", "--cost-human", "1", "--cost-metric", ".01")
    value = run(*words, "--systems", "12", "-f", "json").json
    assert (value["borrow"], value["pairs"], value["corrected"]) == ("none", 66, False)
    assert "for a typical pair by itself: the 12 systems borrow nothing" in value["summary"]
    assert "nothing is corrected for the number of pairs (66)" in value["summary"]
    assert "pair" not in run(*words, "-f", "json").json["summary"]


def test_the_cheapest_design():
    value = run("plan", *SETTING, "--difference", ".05", "--cost-human", "1", "--cost-metric", ".01", "-f", "json").json
    assert value["difference_at_power"] <= 0.05


def test_simulation_is_added():
    value = run("plan", *SETTING, "--n-human", "40", "--n-metric", "0", "--simulate", "40", "-f", "json").json
    assert value["simulation"]["runs"] == 40


def test_ranges_and_a_pilot_give_a_chance_of_success(tmp_path):
    sizes = ("--n-human", "200", "--n-metric", "2k", "--difference", ".1", "-f", "json")
    value = run("plan", "--rate", "0.5..0.7", "--tpr", ".8...95", "--tnr", ".8", *sizes).json
    assert 0 < value["probability_of_success"] < 1
    pilot = tmp_path / "pilot.csv"
    pilot.write_text(
        "system,human_pos,human_n,tp,fn,tn,fp,metric_pos,metric_n\nA,30,50,25,5,15,5,80,150\n", encoding="utf-8"
    )
    value = run("plan", "--pilot", str(pilot), *sizes).json
    assert "a pilot with human 30/50" in value["beliefs"]


def test_a_pilot_is_split_and_solved_for(tmp_path):
    pilot = tmp_path / "pilot.csv"
    pilot.write_text("system,human_pos,human_n,tp,fn,tn,fp\nA,30,50,25,5,15,5\nB,20,50,16,4,24,6\n", encoding="utf-8")
    start = ("plan", "--pilot", str(pilot), "-f", "json")
    value = run(*start, "--budget", "2000", "--cost-human", "1", "--cost-metric", ".01").json
    assert (value["cost"] <= 2000, value["tpr"]) == (True, 42 / 52)
    value = run(*start, "--difference", ".1", "--n-metric", "5k").json
    assert (value["solved"], value["tnr"]) == ("n_human", 40 / 52)
    answer = run(*start, "--difference", ".1")
    assert (answer.code, answer.out) == (2, "")
    assert "leave one number to be found, got 'n_human and n_metric'" in answer.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "`rate` is missing"),
        (("--rate", "high"), "'high'"),
        (("--rate", "0.7..0.5"), "low to high"),
        ((*SETTING,), "leave one number"),
        ((*SETTING, "--n-human", "5", "--difference", "0"), "above 0"),
        ((*SETTING, "--n-human", "5", "--difference", "2"), "at most 1"),
        ((*SETTING, "--n-human", "5", "--n-metric", "5", "--power", ".01"), "confidence level"),
        ((*SETTING, "--budget", "100"), "`cost_human` is missing: it must be given"),
        ((*SETTING, "--budget", "100", "--cost-human", "-1"), "cost_human"),
        ((*SETTING, "--budget", "100", "--cost-human", "1", "--n-human", "4"), "`n_human` must be left out"),
        (
            (*SETTING, "--n-human", "9", "--n-metric", "9", "--separate-calibration"),
            "`--separate-calibration` must be left out without a budget or prices",
        ),
        (
            ("--rate", ".6", "--budget", "2000", "--cost-human", "1"),
            "people and a metric, of which --tpr, --tnr and --cost-metric tell",
        ),
        ((*SETTING, "--cost-human", "1"), "one of the two"),
        ((*SETTING, "--n-human", "9", "--n-metric", "9", "--cost-metric", ".1"), "must be left out with a budget"),
        (("--rate", ".6", "--tpr", ".4", "--tnr", ".6", "--n-human", "9", "--n-metric", "9"), "differ from 1"),
        (
            ("--rate", "0.5..0.6", "--tpr", ".8", "--tnr", ".8", "--n-human", "9"),
            "one number with n_metric and difference left out",
        ),
        ((*SETTING, "--n-human", "9", "--n-metric", "0", "--simulate", "0"), "at least 1"),
    ],
)
def test_bad_plans_are_one_line(arguments, said):
    answer = run("plan", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("Error: ")
    assert answer.err.count("\n") == 1
    assert said in answer.err


def test_table_takes_any_two_axes_and_draws(tmp_path):
    heat, curves = tmp_path / "heat.svg", tmp_path / "curves.svg"
    sizes = ("--rows", "n_human=0,10,100,1k", "--cols", "n_metric=0,1k,10k", "--known-rates", "--plot", str(heat))
    answer = run("table", "--rate", ".6", "--tpr", ".7", "--tnr", ".7", *sizes)
    assert answer.code == 0
    assert "0.085" in answer.out  # the introduction of the paper: 100 human, 1000 metric ratings
    assert heat.read_text(encoding="utf-8").startswith("<svg")
    answer = run(
        "table",
        "--rate",
        ".6",
        "--n-metric",
        "1k",
        "--cols",
        "accuracy=.6,.9",
        "--rows",
        "n_human=100",
        "--plot",
        str(curves),
    )
    assert answer.code == 0
    assert curves.read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--rows", "alpha=1,2"), "alpha"),
        (("--rows", "n_human"), "name and its values"),
        (("--cols", "accuracy=a,b"), "hold numbers"),
        (("--cols", "tpr=.6,.7"), "left out where it is an axis"),
    ],
)
def test_bad_axes_are_one_line(arguments, said):
    answer = run("table", "--rate", ".6", "--tpr", ".7", "--tnr", ".7", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.count("\n") == 1
    assert said in answer.err


def test_figures_of_the_paper_are_drawn(tmp_path, monkeypatch):
    from tellapart import paper  # noqa: PLC0415

    monkeypatch.setattr(paper, "reproduce", lambda *_: iter(()))  # the tables have their own tests
    answer = run("paper", "--plots", str(tmp_path / "figures"))
    assert answer.code == 0
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == [
        "accuracy.svg",
        "spot-the-bot-calibration.svg",
        "wmt21-metric-ratings.svg",
    ]


TOGETHER = ("--rate", ".6", "--tpr", ".9", "--tnr", ".8", "--runs", "2")
PILOT = "system,human_pos,human_n,tp,fn,tn,fp,metric_pos,metric_n\n" + "".join(
    f"{name},{tp + fn},50,{tp},{fn},{50 - tp - fn - fp},{fp},{passed},200\n"
    for name, tp, fn, fp, passed in (("A", 25, 5, 5, 120), ("B", 20, 3, 6, 100), ("C", 28, 4, 3, 130))
)


def test_systems_are_planned_together():
    words = ("plan", *TOGETHER, "--systems", "5", "--borrow", "link", "--correlation", ".4", "--leniency-sd", ".4")
    answer = run(*words, "--n-human", "40", "--n-metric", "100", "--difference", ".4")
    assert answer.code == 0
    assert "With 40 human and 100 metric ratings of each of 5 systems" in answer.text
    assert "borrow link borrow none" in answer.text
    assert "2 campaigns simulated, seed 0" in answer.text


def test_without_a_terminal_long_work_is_told_of_in_lines():
    sizes = ("--n-human", "20", "--n-metric", "0", "--difference", ".3")
    answer = run("plan", *SETTING, "--systems", "3", "--borrow", "none", *sizes, "--runs", "9")
    done = [f"simulating campaigns: {n} of at most 9 done" for n in (1, 3, 5, 7, 9)]
    assert answer.err.splitlines() == done
    assert not run("plan", *SETTING, *sizes).err


def test_what_is_left_out_for_several_systems_is_solved_with_its_error():
    words = ("plan", *TOGETHER, "--systems", "3", "--borrow", "none", "--n-metric", "0", "-f", "json")
    size = run(*words, "--difference", ".3").json
    assert (size["solved"], size["value"]) == ("n_human", size["n_human"])
    assert size["error"] > 0
    gap = run(*words, "--n-human", "100").json
    assert (gap["solved"], gap["value"]) == ("difference", gap["difference"])
    words = ("plan", *TOGETHER, "--systems", "3", "--borrow", "none", "--n-human", "100", "-f", "json")
    judged = run(*words, "--difference", ".2").json
    assert (judged["solved"], judged["value"]) == ("n_metric", judged["n_metric"])


def test_a_pilot_of_several_systems_is_planned_as_a_whole(tmp_path):
    pilot = tmp_path / "pilot.csv"
    pilot.write_text(PILOT, encoding="utf-8")
    start = ("plan", "--pilot", str(pilot), "--runs", "2")
    answer = run(*start, "--difference", ".3", "-f", "json")
    value = answer.json
    assert (value["solved"], value["systems"], value["n_metric"], value["borrow"]) == ("n_human", 3, 200, "rates")
    assert "Taken from the pilot: 3 systems, 200 metric ratings of each system, " in value["summary"]
    value = run(*start, "--budget", "300", "--cost-human", "1", "--cost-metric", ".01", "-f", "json").json
    assert value["solved"] == "split"
    assert value["cost"] <= 300


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--systems", "4", "--borrow", "link", "--n-human", "9"), "not be link for fewer than 5 systems"),
        (("--systems", "6", "--n-human", "9"), "`n_metric` is missing: it must be given"),
        (("--borrow", "items", "--n-human", "9", "--n-metric", "0"), "`correlation` must be above 0"),
        (("--systems", "6", "--n-human", "9", "--n-metric", "0", "--simulate", "9"), "must be left out"),
        (("--systems", "6", "--n-human", "9", "--n-metric", "2m"), "at most 100,000"),
    ],
)
def test_bad_plans_for_several_systems_are_one_line(arguments, said):
    answer = run("plan", *TOGETHER, *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.count("\n") == 1
    assert said in answer.err


def test_the_columns_of_a_pilot_can_be_named(tmp_path):
    path = tmp_path / "pilot.csv"
    rows = "".join(f"A,{i},{i % 2},{i % 2},{(i + 1) % 2}\n" for i in range(40))
    path.write_text(f"bot name,nr,ok,judge,gpt4\n{rows}")
    columns = ("--system", "bot name", "--item", "nr", "--human", "ok", "--metric", "gpt4")
    result = run("plan", "--pilot", path, "--difference", ".1", "--n-metric", "1000", *columns)
    assert "Metric `gpt4`" in result.err


def test_a_pilot_with_a_judge_in_levels_is_not_answered_without_it(tmp_path):
    path = tmp_path / "pilot.csv"
    path.write_text("system,item,human,judge\n" + "".join(f"A,{i},{i % 2},{1 + (i + i % 2) % 5}\n" for i in range(80)))
    result = run("plan", "--pilot", path, "--n-human", "300", "--n-metric", "1k", "--difference", ".08")
    assert "planned for as pass and fail, by their best cut" in " ".join(result.err.split())
    assert "the campaign finds a true difference of 8.0 points with probability" in result.text


def test_without_a_price_no_number_of_metric_ratings_is_made_up():
    answer = run("plan", *SETTING, "--budget", "5000", "--cost-human", "2")
    assert "1,000,000,000" not in answer.out
    assert "metric ratings of each system as many as can be had" in answer.text
    assert "No price was given for metric ratings" in " ".join(answer.out.split())


def test_a_pilot_without_human_ratings_tells_no_rate(tmp_path):
    file = tmp_path / "pilot.csv"
    rows = "".join(f"{i},{s},,{i % 2}\n" for i in range(20) for s in "AB")
    file.write_text(f"item,system,human,judge\n{rows}", encoding="utf-8")
    words = ("plan", "--pilot", str(file), "--n-human", "300", "--n-metric", "5k", "--difference", ".08")
    answer = run(*words)
    assert answer.code == 2
    assert "`pilot` must hold human ratings to tell the rate" in answer.err
    assert run(*words, "--rate", ".6", "--tpr", ".9", "--tnr", ".9").code == 0


@pytest.mark.parametrize("systems", ["1", "0", "-3"])
def test_a_difference_is_one_between_two_systems(systems):
    answer = run("plan", "--rate", ".6", "--n-metric", "0", "--difference", ".05", "--systems", systems)
    assert answer.code == 2
    assert "Error: `systems` must" in answer.err


def test_people_alone_have_no_metric():
    value = run("plan", "--rate", ".6", "--n-metric", "0", "--difference", ".05", "-f", "json").json
    assert {value[name] for name in ("tpr", "tnr", "n_calibration", "calibration_rate")} == {None}
    words = ("plan", "--systems", "3", "--rate", ".6", "--n-metric", "0", "--n-human", "50", "--difference", ".2")
    several = run(*words, "--runs", "5", "-f", "json").json
    assert (several["tpr"], several["tnr"], several["borrow"]) == (None, None, "none")
    assert "`tpr` is missing: it must be given to borrow rates" in run(*words, "--borrow", "rates").err
    cells = run("table", "--rows", "rate=.5,.9", "--cols", "n_human=100,500", "--n-metric", "0", "-f", "json").json
    assert {row["tpr"] for row in cells["rows"]} == {None}
    assert "`tpr` is missing" in run("table", "--rows", "rate=.5,.9", "--cols", "n_metric=0,500").err


def test_no_power_is_said_in_terms_of_ratings():
    answer = run("plan", *SETTING, "--n-human", "0", "--n-metric", "10k", "--difference", ".05")
    assert answer.code == 0
    assert "5.0 points cannot be found with 0 human and 10,000 metric ratings" in answer.text
    assert "Have some outputs rated by people." in answer.text


@pytest.mark.parametrize(("n_human", "said"), [("1800", "99.8%"), ("4000", ">99.9%")])
def test_a_power_is_never_said_to_be_certain(n_human, said):
    answer = run("plan", "--rate", ".6", "--n-metric", "0", "--n-human", n_human, "--difference", ".08")
    assert f"is found with probability {said}" in answer.text
    assert "probability 1 " not in answer.text


def test_small_differences_are_written_with_digits_that_count():
    text = run("plan", "--rate", ".6", "--n-metric", "0", "--difference", ".001").text
    assert "difference of 0.1 points is found" in text
    assert "one of 0.07 points half the time" in text


@pytest.mark.parametrize(
    ("axes", "where"),
    [
        (("--rate", ".6", "--rows", "n_human=100,500", "--cols", "accuracy=.5,1"), "at accuracy 1"),
        (("--rows", "rate=.5,.9", "--cols", "tpr=.8,.9", "--tnr", ".9", "--n-human", "9"), "at rate 0.9 and tpr 0.9"),
    ],
)
def test_the_headline_of_a_table_names_its_cell(axes, where):
    assert f"metric ratings of each system {where}, a diff" in run("table", *axes, "--n-metric", "1k").text
