"""DeepEval, Ragas, OpenAI evals and AlpacaEval: one output an entry, with its scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tellapart.data.logs.model import Output, Part
from tellapart.data.logs.values import Unreadable, at, mapping, name, number, objects, words
from tellapart.errors import DataError

if TYPE_CHECKING:
    from tellapart.data.logs.opened import File

# What a dataset of Ragas holds beside the scores.
_RAGAS = {
    "user_input", "retrieved_contexts", "reference_contexts", "response", "reference", "multi_responses", "rubrics",
    "rubric", "reference_tool_calls", "persona_name", "query_style", "query_length", "synthesizer_name",
}  # fmt: skip
_TIE, _OLD_TIE = 1.5, 0.0


def sniff_deepeval(file: File) -> bool:
    """Whether a file is a test run of DeepEval."""
    return isinstance(at(file.first, "testCases"), list) and bool(
        {"metricsScores", "conversationalTestCases", "testPassed"} & file.first.keys()
    )


def read_deepeval(file: File) -> Part:
    """Read a test run; the score of a metric that raised is missing, though its success is false."""
    run = mapping(file.whole())
    system = name(at(run, "hyperparameters", "model") or run.get("identifier")) or file.labels[0]
    part = Part("deepeval", file.name, file.labels)
    for case in objects(run.get("testCases")) + objects(run.get("conversationalTestCases")):
        item = name(case.get("name"))
        item = name(case.get("input")) if not item or item.startswith("test_case_") else item
        output = Output(system, item or name(case.get("order")), input=words(case.get("input")) or None)
        output.output, who = words(case.get("actualOutput")) or None, []
        for metric in objects(case.get("metricsData")):
            score = name(metric.get("name")) or "score"
            output.rate(score, metric.get("score"), failed=bool(metric.get("error")))
            if judge := name(metric.get("evaluationModel")):
                part.judges.add(score)
                who.append(f"{score}={judge}")
        output.fingerprint = "; ".join(who) or None
        part.outputs.append(output)
    return part.numbered()


def sniff_ragas(file: File) -> bool:
    """Whether a file is a table of Ragas."""
    names = set(file.header)
    return "user_input" in names and bool(names & {"response", "retrieved_contexts", "reference"})


def read_ragas(file: File) -> Part:
    """Read a table; its columns beside those of the dataset are scores where they hold numbers or labels."""
    part, rows = Part("ragas", file.name, file.labels), file.dictionaries()
    aside = _RAGAS | {"system", "item", "id"}
    scores = [column for column in file.header if column not in aside and _is_score([row[column] for row in rows])]
    for row in rows:
        item, system = name(row.get("item") or row.get("user_input")), name(row.get("system")) or file.labels[0]
        output = Output(system, item, input=row.get("user_input") or None, output=row.get("response") or None)
        for column in scores:
            if column.lower().startswith("human"):
                output.vote(name(column), row[column])
            else:
                output.rate(name(column), row[column])
        part.outputs.append(output)
    return part.numbered()


def _is_score(cells: list[str]) -> bool:
    """Whether at least half of the cells that hold something are labels or numbers."""
    there = [cell for cell in cells if cell]
    return bool(there) and 2 * sum(_readable(cell) for cell in there) >= len(there)


def _readable(value: Any) -> bool:  # noqa: ANN401
    try:
        return number(value) is not None
    except Unreadable:
        return False


def sniff_openai(file: File) -> bool:
    """Whether a file holds events of OpenAI evals."""
    return isinstance(at(file.first, "spec"), dict) and "eval_name" in file.first["spec"]


def read_openai(file: File) -> Part:
    """Read the events of a run: matches, metrics, and what was asked and answered."""
    part, found, spec = Part("openai-evals", file.name, file.labels), dict[str, Output](), dict[str, Any]()
    for event in file.records():
        spec = mapping(event.get("spec")) or spec
        data, kind = mapping(event.get("data")), words(event.get("type"))
        if kind not in {"match", "metrics", "sampling"}:
            continue
        system = _first(spec.get("completion_fns")) or name(spec.get("model_name")) or file.labels[0]
        item = name(event.get("sample_id"))
        output = found.setdefault(item, Output(system, item, name(spec.get("eval_name"))))
        if kind == "sampling" and output.input is None:
            output.input, output.output = words(data.get("prompt")) or None, _first(data.get("sampled")) or None
        elif kind == "match":
            output.rate("match", data.get("correct"))
        elif "score" in data:
            part.judges |= {"score"} if "choice" in data else set()
            output.rate("score", data["score"], failed=data.get("choice") == "__invalid__")
    part.outputs += found.values()
    return part


def _first(value: Any) -> str:  # noqa: ANN401
    return name(value[0] if isinstance(value, list) and value else value)


def sniff_alpaca(file: File) -> bool:
    """Whether a file holds annotations of AlpacaEval."""
    first = file.first[0] if isinstance(file.first, list) and file.first else None
    return {"generator_1", "generator_2", "preference"} <= mapping(first).keys()


def read_alpaca(file: File) -> Part:
    """Read annotations: a rating of each output against that of one opponent, 1 a win, 0.5 a tie."""
    part = Part("alpaca-eval", file.name, file.labels)
    opponents = set()
    for entry in file.records():
        opponents.add(name(entry.get("generator_1")))
        judge, item = name(entry.get("annotator")) or "judge", name(entry.get("instruction"))
        texts = words(entry.get("instruction")) or None, words(entry.get("output_2")) or None
        output = Output(name(entry.get("generator_2")), item, input=texts[0], output=texts[1], fingerprint=judge)
        output.rate(judge, _win(entry.get("preference")))
        part.judges.add(judge)
        part.outputs.append(output)
    if len(opponents) > 1:
        several = ", ".join(sorted(opponents))[:80]
        raise DataError(f"{file.name}: has several opponents ({several}). Hint: give one file for each generator_1")
    return part.numbered()


def _win(preference: Any) -> Any:  # noqa: ANN401
    """Return the win of the second: 1 and 2 name the better output; old files write 0 for a tie."""
    try:
        found = number(preference)
    except Unreadable:
        return preference
    return None if found is None else (_TIE if found == _OLD_TIE else found) - 1
