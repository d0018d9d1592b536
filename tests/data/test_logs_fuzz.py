"""Whatever is read as a log, the result is a table or one line that says what is wrong."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import made_logs as made
from made_logs import header, inspect_members, sample, zipped
from tellapart import TellapartError
from tellapart.data.inputs import collected
from tellapart.data.logs.model import Log
from tellapart.data.logs.registry import FORMATS, read_logs
from tellapart.data.logs.words import sentences

EDITED = {"value": "C", "history": [{"value": "I"}, {"value": "C", "provenance": {"author": "x"}}]}
SAMPLES = [sample(k, scores={"includes": "C", "model_graded_qa": EDITED, "human": 1}) for k in range(3)]
DOCUMENTS = {
    "inspect.json": header() | {"samples": SAMPLES},
    "promptfoo.json": made.PROMPTFOO,
    "promptfoo.jsonl": made.PROMPTFOO["results"]["results"],
    "mlflow.jsonl": [made.TRACE],
    "deepeval.json": made.DEEPEVAL,
    "alpaca.json": made.ALPACA,
    "openai.jsonl": made.OPENAI,
    "phoenix.jsonl": made.PHOENIX,
    "pair.jsonl": made.JUDGED,
    "votes.jsonl": made.VOTES,
    "single.jsonl": made.SINGLE,
}
ZIPS = {
    f"{name}.eval": zipped(inspect_members(SAMPLES), method)
    for name, method in (("deflated", made.DEFLATED), ("zstandard", made.ZSTANDARD))
}
NAMES = st.sampled_from([each.name for each in FORMATS])
TEXTS = {"ragas.csv": made.RAGAS, "langfuse.csv": made.LANGFUSE}
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 10**20),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["\ud800", "\x1b[31m", "a\nb", "*", "^x$", "human", "system", "x" * 300, "nan", "1e999"]),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3), max_size=2),
)


def survives(name, content, kind=None):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        for read in (lambda: read_logs(path, kind), lambda: collected(path, kind=kind)):
            for said in outcome(read):
                assert said.isprintable()  # hence one line
                assert len(said) < 1000


def outcome(read):
    """Return what is said of a log, or of why it is none."""
    try:
        found = read()
    except TellapartError as error:
        return [str(error)]
    if not isinstance(found, Log):
        return found[1]
    assert found.frame.height
    return list(sentences(found))


def written(name, document):
    if name.endswith(".jsonl"):
        return "".join(json.dumps(line) + "\n" for line in document).encode()
    return json.dumps(document).encode()


def changed(document, draw):
    """Put something odd in one place of a document, or take it away."""
    if isinstance(document, dict | list) and document and draw(st.integers(0, 9)):
        keys = list(document) if isinstance(document, dict) else list(range(len(document)))
        key = draw(st.sampled_from(keys))
        copy = dict(document) if isinstance(document, dict) else list(document)
        if not draw(st.integers(0, 7)):
            del copy[key]
        else:
            copy[key] = changed(copy[key], draw)
        return copy
    return draw(ODD)


@pytest.mark.parametrize("name", DOCUMENTS)
@given(st.data())
def test_wrong_types_anywhere(name, data):
    document = DOCUMENTS[name]
    for _ in range(data.draw(st.integers(1, 3))):
        document = changed(document, data.draw)
    if isinstance(document, dict | list) or not name.endswith(".jsonl"):
        survives(name, written(name, document))


@pytest.mark.parametrize("name", [*ZIPS, *DOCUMENTS, *TEXTS])
@given(st.data())
def test_cut_off_and_flipped_bytes(name, data):
    content = ZIPS.get(name) or (TEXTS[name].encode() if name in TEXTS else written(name, DOCUMENTS[name]))
    found = bytearray(content[: data.draw(st.integers(0, len(content)))] if data.draw(st.booleans()) else content)
    for _ in range(data.draw(st.integers(0, 4)) if found else 0):
        found[data.draw(st.integers(0, len(found) - 1))] = data.draw(st.integers(0, 255))
    survives(name, bytes(found))


@pytest.mark.parametrize("method", [made.DEFLATED, made.ZSTANDARD])
@given(st.data())
def test_wrong_types_in_archives(method, data):
    samples = changed(SAMPLES, data.draw)
    members = inspect_members(SAMPLES)
    which = data.draw(st.sampled_from([*members]))
    survives(
        "a.eval", zipped(members | {which: json.dumps(changed(json.loads(members[which]), data.draw)).encode()}, method)
    )
    survives("b.eval", zipped(members | {"summaries.json": json.dumps(samples).encode()}, method))


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    st.binary(max_size=200),
    st.sampled_from([each.name for each in FORMATS]),
    st.sampled_from([b"", b"PK\3\4", b"{", b"["]),
)
def test_any_bytes_as_any_format(content, kind, start):
    survives("any.log", start + content, kind)


@given(st.data())
def test_any_document_as_any_other_format(data):
    name = data.draw(st.sampled_from([*DOCUMENTS]))
    survives(name, written(name, DOCUMENTS[name]), data.draw(NAMES))
