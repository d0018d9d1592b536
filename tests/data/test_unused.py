"""Choices that can have no effect are refused, by the name that they were made by."""

import inspect

import pytest

import tellapart as ta
from command_line import run
from tellapart.data.slicing import slices
from tellapart.data.tables import read_table
from tellapart.data.unused import USUAL

HEADER = "system,human_pos,human_n,tp,fn,tn,fp,metric_pos,metric_n\n"
COUNTS = f"{HEADER}A,60,100,42,18,28,12,540,1000\nB,50,100,35,15,38,12,440,1000\n"
PAIRS = "item,system_a,system_b,human\n1,X,Y,a\n2,X,Y,b\n"
CHOICES = [
    ("--metric", "foo"), ("--human", "foo"), ("--system", "foo"), ("--item", "foo"), ("--annotator", "foo"),
    ("--cluster", "foo"), ("--votes", "all"), ("--human-cut", "3"), ("--bad-cells", "exclude"),
    ("--where", "system == 'A'"), ("--threshold", "worth"), ("--threshold", "equal"), ("--levels", "3"),
    ("--fuse", "sequential"), ("--own-cuts",), ("--lower-is-better",), ("--folds", "2"), ("--seed", "3"),
    ("--by", "system"), ("--unpaired",),
]  # fmt: skip


@pytest.fixture
def counts(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text(COUNTS, encoding="utf-8")
    return str(path)


def refused(choice, *words):
    shown = run(*words, *choice)
    assert shown.code == 2, shown.err
    assert (shown.out, len(shown.err.splitlines())) == ("", 1)
    return shown.err


@pytest.mark.parametrize("choice", [*CHOICES, ("--labels", "foo"), ("--as", "foo"), ("--metric", "none")], ids=" ".join)
def test_counts_on_the_command_line(choice):
    said = refused(choice, "compare", "--counts", "A:60/100", "--counts", "B:50/100")
    assert said.startswith(f"Error: `{choice[0]}` must be left out where counts are given")


@pytest.mark.parametrize("choice", CHOICES, ids=" ".join)
def test_a_file_of_counts(counts, choice):
    said = refused(choice, "compare", counts)
    assert said.startswith(f"Error: `{choice[0]}` must be left out where counts are given")


@pytest.mark.parametrize("choice", [("--votes", "any"), ("--bad-cells", "exclude"), ("--human-cut", "3")], ids=" ".join)
def test_counts_of_one_system(counts, choice):
    for words in (("--human", "60/100"), (counts,)):
        assert f"`{choice[0]}` must be left out where counts are given" in refused(choice, "estimate", *words)


def test_a_file_and_counts_at_once(counts):
    said = "`--human` must be left out where counts are given, got '60/100'"
    assert said in refused(("--human", "60/100"), "estimate", counts)


def test_a_pilot_of_counts(counts):
    said = refused(("--metric", "foo"), "plan", "--pilot", counts, "--n-human", "100")
    assert "`--metric` must be left out where counts are given" in said


@pytest.mark.parametrize("choice", [("--seed", "3", "--folds", "5"), ("--own-cuts",), ("--threshold", "equal")])
def test_pairs_name_what_was_given(tmp_path, choice):
    path = tmp_path / "pairs.csv"
    path.write_text(PAIRS, encoding="utf-8")
    said = refused(choice, "compare", str(path))
    assert said.startswith(f"Error: `{choice[0]}` must be left out where pairs are compared")


def test_python_spells_it_its_own_way():
    with pytest.raises(ta.InvalidInput, match=r"`paired=` must be left out where counts are given\. Hint: ") as caught:
        read_table(COUNTS.encode(), paired=False)
    assert (caught.value.field, caught.value.broken) == ("paired", "be left out where counts are given")
    with pytest.raises(ta.InvalidInput, match=r"`folds=` must be left out where counts are given, got 2\. Hint: "):
        read_table(COUNTS.encode(), threshold=ta.ThresholdRule(folds=2))
    with pytest.raises(ta.InvalidInput, match=r"`by=` must be left out where counts are given, got 'system'\. Hint: "):
        slices(COUNTS.encode(), "system")


def test_what_is_usual_is_what_ratings_are_read_with():
    found = {name: each.default for name, each in inspect.signature(ta.read_ratings).parameters.items()}
    del found["source"]
    assert {**found, "by": None} == {**USUAL, "sampling": None, "name": None}
