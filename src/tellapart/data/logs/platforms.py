"""MLflow, Langfuse and Phoenix: long tables of who said what of which output, by name and kind of the rater."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tellapart.data.logs.model import Output, Part
from tellapart.data.logs.values import at, mapping, name, objects, words
from tellapart.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tellapart.data.logs.opened import File

_PEOPLE = {"HUMAN", "ANNOTATION"}
_JUDGES = {"LLM", "LLM_JUDGE", "EVAL"}
_TYPED = {"dataType", "data_type"}
_NO_RATINGS = {"TEXT", "CORRECTION"}  # types of values at Langfuse
_DIGEST = 19  # letters of sha256:…
_VALUE, _ERROR = "/value", "/error_message"
Entry = dict[str, Any]


@dataclass(frozen=True)
class Said:
    """One line of the long table."""

    item: str
    system: str
    score: str
    value: Any
    kind: str
    failed: bool = False
    who: str = ""
    epoch: int | None = None


def gather(part: Part, lines: Iterable[Said]) -> Part:
    """Turn the long table into outputs."""
    found: dict[tuple[str, str, int | None], Output] = {}
    for line in lines:
        key = line.system, line.item, line.epoch
        output = found.setdefault(key, Output(line.system, line.item, epoch=line.epoch))
        say(part, output, line)
    part.outputs += found.values()
    if not part.outputs:
        raise DataError(f"{part.name}: holds no ratings. Hint: export the scores or annotations of the outputs")
    return part


def say(part: Part, output: Output, line: Said) -> None:
    """Take what a person, a judge or a program said of an output."""
    if line.kind in _PEOPLE:
        output.vote(line.score, line.value)
        return
    output.rate(line.score, line.value, failed=line.failed)
    if line.kind in _JUDGES:
        part.judges.add(line.score)
        who = f"{line.score}={line.who}" if line.who else ""
        output.fingerprint = "; ".join(filter(None, [output.fingerprint, who])) or None


def sniff_mlflow(file: File) -> bool:
    """Whether a file holds traces or a result_df of MLflow."""
    first = file.first[0] if isinstance(file.first, list) and file.first else file.first
    if isinstance(at(first, "info", "trace_metadata"), dict) or isinstance(at(first, "info", "assessments"), list):
        return True
    return "trace_id" in file.header and any(column.endswith(_VALUE) for column in file.header)


def read_mlflow(file: File) -> Part:
    """Read traces, one JSON object each, or a result_df as CSV."""
    part = Part("mlflow", file.name, file.labels)
    if file.header:
        part.outputs += [_result(row, file) for row in file.dictionaries()]
        return part.numbered()
    infos = [mapping(trace.get("info")) for trace in file.records()]
    runs = {words(at(info, "trace_metadata", "mlflow.sourceRun")) for info in infos}
    for info in infos:
        run = name(at(info, "trace_metadata", "mlflow.sourceRun"))
        part.outputs.append(_trace(part, info, run if len(runs) > 1 and run else file.labels[0]))
    part.outputs.reverse()  # the newest come first
    return part.numbered()


def _trace(part: Part, info: Entry, system: str) -> Output:
    given = at(info, "trace_metadata", "mlflow.traceInputs") or info.get("request_preview")
    item = name(at(info, "tags", "item") or given or info.get("trace_id"))
    output = Output(system, item, input=words(given) or None)
    output.output = words(at(info, "trace_metadata", "mlflow.traceOutputs") or info.get("response_preview")) or None
    for each in objects(info.get("assessments")):
        if each.get("valid") is False or not isinstance(each.get("feedback"), dict):
            continue  # superseded, or an expectation: the answer that was wanted, which people gave too
        kind = words(at(each, "source", "source_type")).upper()
        version = words(at(each, "metadata", "mlflow.assessment.scorerDigest"))[:_DIGEST]
        who = ":".join(filter(None, [name(at(each, "source", "source_id")), version]))
        value, failed = at(each, "feedback", "value"), bool(at(each, "feedback", "error"))
        say(part, output, Said(item, system, name(each.get("assessment_name")) or "score", value, kind, failed, who))
    if info.get("state") == "ERROR":
        output.fail()
    return output


def _result(row: dict[str, str], file: File) -> Output:
    item = name(mapping(_literal(row.get("tags"))).get("item")) or name(row.get("request") or row.get("trace_id"))
    output = Output(file.labels[0], item, input=row.get("request") or None, output=row.get("response") or None)
    wanted = _expected(row.get("assessments"))
    for column, cell in row.items():
        score = column.removesuffix(_VALUE)
        if column.endswith(_VALUE) and score not in wanted:
            output.rate(name(score), cell, failed=bool(row.get(score + _ERROR)))
    if row.get("state") == "ERROR":
        output.fail()
    return output


def _expected(text: str | None) -> set[str]:
    """Return the names of the expectations among the assessments, which the CSV writes as Python does."""
    found = objects(_literal(text))
    return {words(each.get("assessment_name")) for each in found if "expectation" in each}


def _literal(text: str | None) -> Any:  # noqa: ANN401 - any literal
    try:
        return ast.literal_eval(text or "None")
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def sniff_langfuse(file: File) -> bool:
    """Whether a file holds scores of Langfuse."""
    names = set(_entry(file)) | set(file.header)
    return {"source", "name"} <= names and bool(names & {"traceId", "trace_id"}) and bool(names & _TYPED)


def read_langfuse(file: File) -> Part:
    """Read a table of scores, CSV or JSON."""
    return gather(Part("langfuse", file.name, file.labels), _langfuse(file))


def _langfuse(file: File) -> Iterator[Said]:
    for entry in _entries(file):
        kind = words(_any(entry, "dataType", "data_type")).upper()
        if kind in _NO_RATINGS:
            continue
        value = _any(entry, "value")
        value = _any(entry, "stringValue", "string_value") if kind == "CATEGORICAL" or value is None else value
        system = name(_any(entry, "datasetRunId", "dataset_run_id", "traceName", "trace_name")) or file.labels[0]
        item = name(_any(entry, "datasetItemId", "dataset_item_id", "traceId", "trace_id"))
        yield Said(item, system, name(entry.get("name")) or "score", value, words(entry.get("source")).upper())


def sniff_phoenix(file: File) -> bool:
    """Whether a file holds annotations or evaluations of Phoenix."""
    names = set(_entry(file)) | set(file.header)
    return "annotator_kind" in names and bool(names & {"name", "annotation_name"})


def read_phoenix(file: File) -> Part:
    """Read a table of annotations or evaluations, CSV or JSON."""
    return gather(Part("phoenix", file.name, file.labels), _phoenix(file))


def _phoenix(file: File) -> Iterator[Said]:
    for entry in _entries(file):
        value = _any(entry, "score", "result.score", "label", "result.label")
        result = mapping(entry.get("result"))
        value = _any(result, "score", "label") if value is None else value
        epoch = words(entry.get("repetition_number"))
        yield Said(
            name(_any(entry, "dataset_example_id", "span_id", "trace_id")),
            name(_any(entry, "experiment_id", "project_name")) or file.labels[0],
            name(_any(entry, "annotation_name", "name")) or "score",
            value,
            words(entry.get("annotator_kind")).upper(),
            bool(entry.get("error")),
            name(entry.get("identifier")),
            int(epoch) if epoch.isdecimal() else None,
        )


def _entry(file: File) -> Entry:
    """Return the first line of a table in JSON, which may stand under `data`."""
    first = file.first
    first = first.get("data", first) if isinstance(first, dict) else first
    return mapping(first[0] if isinstance(first, list) and first else first)


def _entries(file: File) -> Iterator[Entry]:
    if file.header:
        yield from file.dictionaries()
        return
    for record in file.records():
        yield from objects(record["data"]) if isinstance(record.get("data"), list) else [record]


def _any(entry: Entry, *keys: str) -> Any:  # noqa: ANN401
    """Return the first value that is there."""
    return next((entry[key] for key in keys if entry.get(key) is not None and entry[key] != ""), None)
