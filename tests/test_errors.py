"""The exception tree and the messages it builds."""

import inspect

import pytest

from command_line import run
from tellapart import (
    DataError,
    InvalidInput,
    KnownRates,
    MissingExtra,
    Tally,
    TellapartError,
    UselessMetric,
    charts,
    errors,
    estimate,
    plan,
)
from tellapart.cli.output import typed
from tellapart.said import Option, Said, spelled


@pytest.mark.parametrize(
    ("error", "parents"),
    [
        (TellapartError, {Exception}),
        (InvalidInput, {TellapartError, ValueError}),
        (UselessMetric, {InvalidInput}),
        (DataError, {InvalidInput}),
        (MissingExtra, {TellapartError, ImportError}),
    ],
)
def test_the_tree(error, parents):
    assert set(error.__bases__) == parents


def test_the_tree_drawn_in_the_module_is_complete():
    found = {name for name, value in vars(errors).items() if inspect.isclass(value) and issubclass(value, Exception)}
    assert found == {"TellapartError", "InvalidInput", "UselessMetric", "DataError", "MissingExtra"}
    assert all(name in (errors.__doc__ or "") for name in found)


def test_a_rule_says_where_what_the_value_and_a_hint():
    error = InvalidInput.rule("--human", "be written positive/total", "abc", "for example 60/100")
    assert str(error) == "`--human` must be written positive/total, got 'abc'. Hint: for example 60/100"
    assert str(InvalidInput.rule("n", "be whole", 1.5)) == "`n` must be whole, got 1.5."


def test_a_rule_gives_the_class_it_is_called_on():
    assert type(UselessMetric.rule("tpr + tnr", "differ from 1", 1.0)) is UselessMetric
    assert type(DataError.rule("x", "be whole", 0.5)) is DataError


@pytest.mark.parametrize("value", ["x" * 10**6, list(range(10**5)), b"\0" * 10**5])
def test_a_huge_value_is_cut_to_a_line(value):
    said = str(InvalidInput.rule("human", "be a pair", value))
    assert len(said) < 120
    assert "..." in said


def test_a_value_that_is_cut_keeps_its_closing_quote():
    assert str(InvalidInput.rule("human", "be a pair", "x" * 100)).endswith("xxx...'.")


@pytest.mark.parametrize("value", ["a\nb", "a\r\nb", "a\x1b[31mb", "a\x85b", "a\u2028b"])
def test_a_value_cannot_break_the_line(value):
    said = str(InvalidInput.rule("human", "be a pair", value))
    assert said.isprintable()
    assert len(said.splitlines()) == 1


def test_a_missing_extra_says_what_to_install():
    said = str(MissingExtra.need("A chart", "charts"))
    assert said == "A chart needs the `charts` extra. Hint: pip install 'tellapart[charts]'"


def test_without_altair_a_chart_asks_for_its_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "altair", None)
    with pytest.raises(MissingExtra, match=r"tellapart\[charts\]"):
        charts.densities({"system": estimate(human=(60, 100))})


def test_one_class_catches_everything_raised_on_purpose():
    for wrong in (lambda: Tally(2, 1), lambda: KnownRates(0.5, 0.5), lambda: estimate(human=(1, 2), prior="flat")):
        with pytest.raises(TellapartError):
            wrong()
    with pytest.raises(ValueError, match="positive"):  # callers that know no tellapart
        Tally(2, 1)


@pytest.mark.parametrize(
    ("option", "python", "shell"),
    [
        (Option("n_metric", 0), "n_metric=0", "--n-metric 0"),
        (Option("threshold", 0.123456789), "threshold=0.123456789", "--threshold 0.123456789"),
        (Option("human_cut", 4.0), "human_cut=4", "--human-cut 4"),
        (Option("sampling", "by-metric"), 'sampling="by-metric"', "--sampling by-metric"),
        (Option("system", "2024"), 'system="2024"', "--system 2024"),
        (Option("n_metric"), "n_metric=", "--n-metric"),
    ],
)
def test_an_option_in_a_message_can_be_copied(option, python, shell):
    said = Said("say ", option)
    assert (str(said), spelled(said, typed)) == (f"say {python}", f"say {shell}")
    assert said.to_list()[1]["value"] in (None, shell.partition(" ")[2])


def test_a_plan_names_its_options_as_they_are_typed():
    assert "--n-metric 0 plans with people only" in run("plan", "--rate", ".7", "--difference", ".1").err
    with pytest.raises(InvalidInput, match="n_metric=0 plans with people only"):
        plan(rate=0.7, difference=0.1)
