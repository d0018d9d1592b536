"""Whatever is read as ratings, the result is counts or one line that says what is wrong."""

import csv
import gzip
import io
import json

import polars as pl
from hypothesis import example, given
from hypothesis import strategies as st

from tellapart import TellapartError, read_ratings
from tellapart.data import labels
from tellapart.data.ratings import Ratings

OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "metric": st.sampled_from(["judge", "text", ["judge", "text"]]),
        "human": st.sampled_from(["human", "text", ["human", "text"]]),
        "item": st.sampled_from(["item", "text"]),
        "annotator": st.sampled_from(["text", "item"]),
        "votes": st.sampled_from(["all", "any", "mean"]),
        "human_cut": st.sampled_from([0, 0.5]),
        "threshold": st.sampled_from(["equal", "worth", 0.5]),
        "sampling": st.sampled_from(["balanced", "by-metric"]),
    },
)


def survives(data, **options):
    try:
        found = read_ratings(data, **options)
    except TellapartError as error:
        said = str(error)
        assert said.isprintable()  # hence one line
        assert len(said) < 1000
    else:
        assert isinstance(found, Ratings)
        assert found.systems
        assert all(line.isprintable() for line in found.understood)
        return found.systems
    return "refused"


PREFIXES = st.sampled_from(
    [b"", b"PAR1", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"{", b"[", b"\xef\xbb\xbf", b"system,human\n"]
)


@given(PREFIXES, st.binary(max_size=60))
def test_any_bytes(prefix, rest):
    survives(prefix + rest)


@given(st.integers(0, 10**6), st.binary(min_size=1, max_size=4))
def test_damaged_gzip(place, damage):
    whole = gzip.compress(b"system,human,judge\nA,1,1\nB,0,1\n")
    at = 2 + place % (len(whole) - 2)
    survives(whole[:at] + damage + whole[at + len(damage) :])


@given(st.integers(0, 10**6))
def test_cut_off_parquet(length):  # not damaged within: Polars may ask for more memory than there is, and abort
    file = io.BytesIO()
    pl.DataFrame({"system": ["A", "B"], "human": [1, None], "judge": [0.5, 0.25]}).write_parquet(file)
    whole = file.getvalue()
    survives(whole[: length % len(whole)])


WORDS = st.sampled_from(
    ["A", "B", "1", "0", "0.5", "yes", "NA", " ", "x", "inf", '"', '""', "\r", "\x00", "ä", "9" * 400]
)
ENDS = st.sampled_from([",", ",", ",", ",", "\n", "\n", "\r\n", ";", "\t", "|"])
TEXT = st.lists(st.tuples(WORDS, ENDS), max_size=40).map(lambda parts: "".join(word + end for word, end in parts))


@given(st.sampled_from(["system,item,human,judge,text\n", "system,human,judge\n", ""]), TEXT, OPTIONS)
@example("system,item,human,judge,text\n", "A,1,1,,\nA,2,0,,\n", {"threshold": 0.5, "metric": "judge"})
def test_any_text_of_cells(header, text, options):
    survives((header + text).encode(), **options)


CELLS = st.sampled_from(
    ["A", "B", "1", "0", "0.5", "-2", "yes", "no", "NA", "", " ", "x", "inf", "nan", '"a\nb"', "1e400", "7"]
)
ROWS = st.lists(st.lists(CELLS, min_size=5, max_size=5), max_size=12)


@given(ROWS, OPTIONS)
def test_any_table(rows, options):
    header = ["system", "item", "human", "judge", "text"]
    survives("\n".join(",".join(row) for row in [header, *rows]).encode(), **options)
    named = [[row[0] or "A", str(i), *row[2:]] for i, row in enumerate(rows)]  # likelier to be counted
    survives("\n".join(",".join(row) for row in [header, *named]).encode(), **options)


@given(st.data(), OPTIONS)
def test_any_frame_is_counted_alike_or_refused(data, options):
    kinds = [
        st.sampled_from([0, 1, None]),
        st.sampled_from([0.0, 1.0, 0.5, float("nan"), float("inf"), None]),
        st.sampled_from(["yes", "0", "x", "", None]),
        st.sampled_from([True, False, None]),
        st.none(),
    ]
    n = data.draw(st.integers(1, 8))
    columns = {
        name: data.draw(st.sampled_from(kinds).flatmap(lambda kind: st.lists(kind, min_size=n, max_size=n)))
        for name in ("human", "judge", "text")
    }
    systems = data.draw(st.lists(st.sampled_from(["A", "B", "", None]), min_size=n, max_size=n))
    items = data.draw(st.permutations(range(n)))
    frame = pl.DataFrame({"system": systems, "item": items, **columns}, schema_overrides={"system": pl.String})
    found = survives(frame, **options)
    assert survives(frame.to_arrow(), **options) == found
    assert survives(frame.to_pandas(), **options) == found


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
    max_leaves=3,
)


@given(
    st.lists(st.dictionaries(st.sampled_from(["system", "item", "human", "judge", "text"]), JSON), max_size=6), OPTIONS
)
def test_any_json_lines(rows, options):
    survives("\n".join(json.dumps(row) for row in rows).encode(), **options)


TEXTS = st.sampled_from(["", "t", "a\nb", "a\r\nb", '"', 'say ""so""', "x,y;z\t|", "é", "#", "\\", " ", "z" * 9_000])
VOTE = st.sampled_from(["1", "0", "yes", "No ", "", "null", "PASS", "1.0"])


@given(
    st.lists(st.tuples(st.sampled_from(["A", " A ", "x,y", 'B"', "ä b"]), VOTE, VOTE, TEXTS), min_size=1, max_size=30),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["utf-8", "utf-8-sig"]),
    st.sampled_from([bytes, gzip.compress]),
)
def test_csv_is_counted_as_by_its_own_module(rows, separator, end, encoding, pack):
    file = io.StringIO()
    writer = csv.writer(file, delimiter=separator, lineterminator=end)
    writer.writerow(["system", "text", "human", "judge"])
    writer.writerows([system, text, human, judge] for system, human, judge, text in rows)
    expected = {}
    for record in csv.DictReader(io.StringIO(file.getvalue(), newline=""), delimiter=separator):
        human, judge = (labels.label(record[name]) for name in ("human", "judge"))
        tally = expected.setdefault(record["system"].strip(), [0, 0, 0, 0])
        if human is not None:
            tally[human] += 1
        elif judge is not None:
            tally[2 + judge] += 1
    found = read_ratings(pack(file.getvalue().encode(encoding)), metric="judge").systems
    counted = {name: [*e.own.truths, *e.own.metric_only] for name, e in found.items()}
    assert counted == expected
