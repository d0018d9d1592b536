"""Choices of how a table is read: columns by name, one or several; anything else is refused in one line."""

import json

import numpy as np
import polars as pl
import pytest

import tellapart as ta
from tellapart import InvalidInput

RATINGS = pl.DataFrame(
    {"system": ["A", "B"] * 30, "item": [k // 2 for k in range(60)], "human": [1, 0, 1, 1] * 15, "bleurt": range(60)}
)
PAIRS = pl.DataFrame(
    {"item": [1, 2, 3], "a": ["X"] * 3, "b": ["Y"] * 3, "system_a": "A", "system_b": "B", "human": ["a", "b", "tie"]}
)


@pytest.mark.parametrize("names", [None, "human", ["human"], ("human",), np.array(["human"])], ids=str)
def test_columns_are_named_as_anybody_would(names):
    assert ta.read_ratings(RATINGS, human=names, metric="none").systems["A"].n_human == 30
    assert ta.read_pairs(PAIRS, human=names).pairs["A", "B"].n_human == 3


@pytest.mark.parametrize(
    ("read", "field"),
    [
        (lambda: ta.read_ratings(RATINGS, human=3), "human"),
        (lambda: ta.read_ratings(RATINGS, metric=pl.col("bleurt")), "metric"),
        (lambda: ta.read_ratings(RATINGS, system=["system"]), "system"),
        (lambda: ta.read_ratings(RATINGS, levels=[3]), "levels"),
        (lambda: ta.read_ratings(RATINGS, where=RATINGS["item"] > 3), "where"),
        (lambda: ta.read_pairs(PAIRS, human=3), "human"),
        (lambda: ta.read_pairs(PAIRS, first=1, second=2), "first"),
        (lambda: ta.metrics(RATINGS, metric=3), "metric"),
        (lambda: ta.threshold(RATINGS, None), "score"),
        (lambda: ta.threshold(RATINGS, ["bleurt", "bleurt"]), "score"),
        (lambda: ta.slices(RATINGS, []), "by"),
        (lambda: ta.slices(RATINGS, 3), "by"),
    ],
)
def test_what_is_no_name_is_refused(read, field):
    with pytest.raises(InvalidInput, match=f"`{field}` must") as refused:
        read()
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize("given", ["first", "second"])
def test_one_side_of_a_pair_alone_is_refused(given):
    with pytest.raises(InvalidInput, match=f"be given where `{given}` is"):
        ta.read_pairs(PAIRS, **{given: "a"})


def test_what_was_read_is_shown_as_words_and_json():
    ratings, pairs = ta.read_ratings(RATINGS), ta.read_pairs(PAIRS)
    assert repr(ratings) == f"<Ratings of A, B: {ratings}>"
    assert repr(pairs) == f"<Pairs of A, B: {pairs}>"
    (found,) = json.loads(json.dumps(pairs.to_dict()))["pairs"]
    assert (found["first"], found["second"], found["truth_only"]) == ("A", "B", [1, 1, 1])
