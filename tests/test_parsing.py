"""What people type on the command line."""

import pytest

from tellapart import Confusion, Evidence, InvalidInput, Prior, Tally
from tellapart.parsing import confusion, prior, size, sizes, system, tally


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("0", 0),
        ("1000", 1000),
        (" 7 ", 7),
        ("1k", 1000),
        ("1K", 1000),
        ("2.5M", 2_500_000),
        ("0.001k", 1),
        ("007", 7),
        ("12.0", 12),
        ("999999999999", 10**12 - 1),  # every digit kept
        ("1.001k", 1001),  # 1.001 × 1000 is not whole in floating point arithmetic
        ("4.35m", 4_350_000),
    ],
)
def test_size(text, count):
    read = size(text, "--n-human")
    assert (read, type(read)) == (count, int)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "-1", "+1", "1.5", "1.5.0", ".5", "1e3", "nan", "inf", "0x10", "1_000", "1,000", "1 000"),
        *("k", "1kk", "1g", "1.0001k", "one", "\uff11", "\u0661", "½", "²"),
        *("9" * 16, "9" * 400, "9" * 5000, "1" + "0" * 13 + "k", "0." + "0" * 5000 + "1", "999999999999999k"),
    ],
)
def test_what_is_no_size_is_refused_by_name(text):
    with pytest.raises(InvalidInput, match=r"^`--n-human` must .+, got .+\. Hint: ") as caught:
        size(text, "--n-human")
    assert len(str(caught.value)) < 300


def test_sizes():
    assert sizes("0,100, 1k,2.5M", "--n-metric") == [0, 100, 1000, 2_500_000]
    with pytest.raises(InvalidInput, match="--n-metric"):
        sizes("1,,2", "--n-metric")


@pytest.mark.parametrize(
    ("text", "expected"), [("60/100", Tally(60, 100)), ("0/0", Tally(0, 0)), (" 1 / 1k ", Tally(1, 1000))]
)
def test_tally(text, expected):
    assert tally(text, "--human") == expected


@pytest.mark.parametrize("text", ["", "/", "60", "60/", "/100", "60/100/1", "60:100", "-60/100", "60%", "0.6", "a/b"])
def test_what_is_no_tally_is_refused_by_name(text):
    with pytest.raises(InvalidInput, match=r"^`--human` must .+, got .+ Hint: "):
        tally(text, "--human")


def test_a_tally_the_wrong_way_round_is_understood():
    with pytest.raises(InvalidInput, match="did you mean 60/100"):
        tally("100/60", "--human")


@pytest.mark.parametrize(
    "text", ["tp=42,fn=18,tn=28,fp=12", "fp=12,tn=28,fn=18,tp=42", " TP = 42 , FN=18, TN=28 , FP=12 "]
)
def test_confusion_in_any_order(text):
    assert confusion(text, "--calibration") == Confusion(tp=42, fn=18, tn=28, fp=12)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tp=1", "fn, tn, fp"),
        ("tp=1,fn=2,tn=3", "hold fp too"),
        ("tp=1,fn=2,tn=3,fp=4,fp=4", "once each"),
        ("tp=1,fn=2,tn=3,xx=4", "once each"),
        ("1,2,3,4", "once each"),
        ("", "once each"),
        ("tp=1,fn=2,tn=3,fp=", "--calibration fp"),
        ("tp=1,fn=2,tn=-3,fp=4", "--calibration tn"),
        ("tp=1,fn=2,tn=3,fp=4,", "once each"),
    ],
)
def test_what_is_no_confusion_is_refused_with_a_hint(text, said):
    with pytest.raises(InvalidInput, match=r"`--calibration.* Hint: ") as caught:
        confusion(text, "--calibration")
    assert said in str(caught.value)


def test_system():
    judge = {"calibration": Confusion(42, 18, 28, 12), "metric": (540, 1000)}
    assert system("A:60/100", "random") == ("A", Evidence.of((60, 100)))
    assert system(" A :60/100:tp=42,fn=18,tn=28,fp=12:540/1000", "balanced") == (
        "A",
        Evidence.of((60, 100), **judge, sampling="balanced"),
    )
    assert system("A::tp=42,fn=18,tn=28,fp=12:540/1000", "random") == ("A", Evidence.of(**judge))


@pytest.mark.parametrize(
    "text",
    [
        *("", "A", ":", ":1/2", " :1/2", "A:1/2:540/1000", "A:1/2:tp=1,fn=1,tn=1,fp=1:1/2:3/4", "A:x", "A:1/2::1/2"),
        *("A:", "A:0/0", "A::tp=0,fn=0,tn=0,fp=0:0/0"),  # no rating: the answer would be the prior's
    ],
)
def test_what_is_no_system_is_refused_with_a_hint(text):
    with pytest.raises(InvalidInput, match=r"`--counts.* Hint: "):
        system(text, "random")


def test_prior():
    assert prior("uniform") == Prior.of("uniform")
    assert prior("jeffreys") == Prior.of("jeffreys")
    assert prior("2,8") == Prior(rate=(2, 8))
    assert prior(" .5 , .5 ").rate == (0.5, 0.5)


@pytest.mark.parametrize(
    "text", ["", "flat", "1", "1,", ",", "1,x", "1,2,3", "0,1", "-1,1", "nan,1", "inf,1", "1,1e16"]
)
def test_what_is_no_prior_is_refused_with_a_hint(text):
    with pytest.raises(InvalidInput, match=r"prior.* must .* Hint: "):
        prior(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("llama3:8b:60/100", "llama3:8b"),
        ("meta/llama:8b::tp=42,fn=18,tn=28,fp=12:540/1000", "meta/llama:8b"),
        ("a:b:c:60/100:tp=42,fn=18,tn=28,fp=12:540/1000", "a:b:c"),
    ],
)
def test_names_may_hold_colons(text, name):
    assert system(text, "random")[0] == name


@pytest.mark.parametrize("text", ["A:60/100:540/1000", "A::60/100", "A:tp=1,fn=1,tn=1,fp=1:60/100:540/1000", "60/100"])
def test_counts_are_not_taken_for_a_part_of_the_name(text):
    with pytest.raises(InvalidInput, match="must be a name and its counts"):
        system(text, "random")
