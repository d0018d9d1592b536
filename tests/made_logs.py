"""Small logs of each harness, made here: what `tellapart` must read where no real ones are at hand."""

from __future__ import annotations

import json
import struct
import zlib
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

STORED, DEFLATED, ZSTANDARD = 0, 8, 93


def packed(content: bytes, method: int) -> bytes:
    if method == ZSTANDARD:
        return pytest.importorskip("pyarrow").Codec("zstd").compress(content, asbytes=True)
    if method == DEFLATED:
        work = zlib.compressobj(wbits=-15)
        return work.compress(content) + work.flush()
    return content


def zipped(
    members: Mapping[str, bytes] | list[tuple[str, bytes]], method: int = DEFLATED, size: int | None = None
) -> bytes:
    """Write a zip file, with any method, even twice the same name, and a lie about the sizes if one is given."""
    body, directory = b"", b""
    entries = list(members.items()) if isinstance(members, dict) else list(members)
    for name, content in entries:
        raw = packed(content, method)
        told = len(content) if size is None else size
        common = struct.pack("<HHHHHIIIHH", 20, 0, method, 0, 0, zlib.crc32(content), len(raw), told, len(name), 0)
        directory += (
            b"PK\1\2" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + name.encode()
        )
        body += b"PK\3\4" + common + name.encode() + raw
    end = struct.pack("<HHHHIIH", 0, 0, len(entries), len(entries), len(directory), len(body), 0)
    return body + directory + b"PK\5\6" + end


def sample(item: Any, epoch: int = 1, **more: Any) -> dict[str, Any]:
    """Return a sample of Inspect; scores are given by their values."""
    scores = {
        name: value if isinstance(value, dict) and "value" in value else {"value": value}
        for name, value in more.pop("scores", {}).items()
    }
    return {
        "id": item,
        "epoch": epoch,
        "input": f"question {item}",
        "output": {"completion": "answer"},
        "scores": scores,
        **more,
    }


def header(model: str = "m/alpha", task: str = "qa", **more: Any) -> dict[str, Any]:
    scorers = [
        {"name": "includes", "options": {}},
        {"name": "model_graded_qa", "options": {"model": {"model": "m/judge"}}},
    ]
    return {"version": 2, "status": "success", "eval": {"model": model, "task": task, "scorers": scorers, **more}}


def inspect_members(samples: list[dict[str, Any]], **more: Any) -> dict[str, bytes]:
    members = {f"samples/{s['id']}_epoch_{s['epoch']}.json": json.dumps(s).encode() for s in samples}
    summaries = [{**s, "scores": {n: {**v, "history": []} for n, v in (s["scores"] or {}).items()}} for s in samples]
    return members | {
        "summaries.json": json.dumps(summaries).encode(),
        "header.json": json.dumps(header(**more)).encode(),
    }


def write(path: Path, content: Any) -> Path:
    """Write a file: bytes, text, lines of JSON for a list, or JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, list) and path.suffix == ".jsonl":
        content = "".join(json.dumps(line) + "\n" for line in content)
    if not isinstance(content, bytes | str):
        content = json.dumps(content)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def component(kind: str, score: float, metric: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "pass": score >= 1,
        "score": score,
        "assertion": {"type": kind, "metric": metric, "value": "is right"},
        **more,
    }


def graded(provider: str, item: str, *components: dict[str, Any], test: int = 0, **more: Any) -> dict[str, Any]:
    """Return an entry of promptfoo's results."""
    return {
        "provider": {"id": provider, "label": provider},
        "testCase": {"description": item, "vars": {"q": item}},
        "vars": {"q": item},
        "testIdx": test,
        "prompt": {"raw": f"Answer {item}", "label": "Answer {{q}}"},
        "response": {"output": "an answer"},
        "gradingResult": {"pass": True, "score": 1, "componentResults": list(components)},
        "failureReason": 0,
        **more,
    }


PROMPTFOO = {
    "evalId": "eval-1",
    "results": {
        "version": 3,
        "results": [
            graded("A", "q1", component("llm-rubric", 1.0, "judge"), component("human", 1)),
            graded("B", "q1", component("llm-rubric", 0.5, "judge"), component("human", 0)),
            graded("A", "q2", component("llm-rubric", 0.0, "judge", metadata={"graderError": True})),
            graded("B", "q2", failureReason=2, gradingResult=None),
        ],
    },
}
VOTES = [
    {"question_id": 1, "model_a": "A", "model_b": "B", "winner": "model_a", "judge": "expert_0", "turn": 1},
    {"question_id": 2, "model_a": "B", "model_b": "A", "winner": "tie", "judge": "expert_0", "turn": 1},
]
JUDGED = [
    {
        "question_id": q,
        "model_1": "A",
        "model_2": "B",
        "g1_winner": g1,
        "g2_winner": g2,
        "judge": ["gpt", "v2"],
        "turn": 1,
    }
    for q, g1, g2 in ((1, "model_1", "model_1"), (2, "model_1", "model_2"), (3, "error", "tie"), (4, "tie", "tie"))
]
TRACE = {
    "info": {
        "trace_id": "t1",
        "state": "OK",
        "tags": {"item": "q1"},
        "trace_metadata": {"mlflow.sourceRun": "run", "mlflow.traceInputs": "question"},
        "assessments": [
            {
                "assessment_name": "right",
                "source": {"source_type": "LLM_JUDGE", "source_id": "j"},
                "feedback": {"value": "yes"},
            },
            {
                "assessment_name": "right",
                "source": {"source_type": "LLM_JUDGE"},
                "feedback": {"value": "no"},
                "valid": False,
            },
            {"assessment_name": "wanted", "source": {"source_type": "HUMAN"}, "expectation": {"value": "Paris"}},
            {
                "assessment_name": "ok",
                "source": {"source_type": "HUMAN", "source_id": "1"},
                "feedback": {"value": True},
            },
            {
                "assessment_name": "ok",
                "source": {"source_type": "HUMAN", "source_id": "2"},
                "feedback": {"value": False},
            },
        ],
    },
    "data": {},
}
DEEPEVAL = {
    "testCases": [
        {
            "name": "q1",
            "input": "q",
            "actualOutput": "a",
            "metricsData": [{"name": "G", "score": 0.7, "evaluationModel": "j"}],
        },
        {
            "name": "q2",
            "input": "q",
            "metricsData": [{"name": "G", "success": False, "error": "no", "evaluationModel": "j"}],
        },
    ],
    "metricsScores": [],
    "hyperparameters": {"model": "alpha"},
}
ALPACA = [
    {
        "instruction": f"q{k}",
        "generator_1": "ref",
        "generator_2": "alpha",
        "output_2": "a",
        "annotator": "j",
        "preference": p,
    }
    for k, p in enumerate((1, 2, 1.5, 0, None, 1.25))
]
OPENAI = [
    {"spec": {"completion_fns": ["gpt"], "eval_name": "qa.dev.v0", "run_id": "r"}},
    {"run_id": "r", "sample_id": "qa.dev.0", "type": "sampling", "data": {"prompt": "q", "sampled": ["a"]}},
    {"run_id": "r", "sample_id": "qa.dev.0", "type": "match", "data": {"correct": True}},
    {"run_id": "r", "sample_id": "qa.dev.0", "type": "metrics", "data": {"choice": "A", "score": 1.0}},
    {"run_id": "r", "sample_id": "qa.dev.1", "type": "metrics", "data": {"choice": "__invalid__", "score": None}},
    {"final_report": {"accuracy": 1.0}},
]
LANGFUSE = (
    "id,traceId,datasetRunId,source,name,dataType,value,stringValue\n"
    "1,t1,run-a,EVAL,judge,BOOLEAN,1,True\n2,t1,run-a,ANNOTATION,ok,BOOLEAN,0,False\n3,t1,run-a,ANNOTATION,why,TEXT,,because\n"
)
PHOENIX = [
    {"annotation_name": "judge", "annotator_kind": "LLM", "span_id": "s1", "result": {"label": "good", "score": 0.9}},
    {"annotation_name": "ok", "annotator_kind": "HUMAN", "span_id": "s1", "result": {"label": "yes", "score": None}},
]
RAGAS = "user_input,response,reference,faithful,words\nq1,a1,r1,0.5,many\nq2,a2,r2,,few\n"
SINGLE = [
    {"question_id": 1, "model": "A", "judge": ["gpt", "single-v1"], "score": s, "turn": t, "user_prompt": "p"}
    for s, t in ((9, 1), (-1, 2))
]


def lm_eval(folder: Path, model: str, stamp: str, scores: dict[int, tuple[float, float]]) -> Path:
    """Write a run of lm-eval, with two filters."""
    lines = [
        {
            "doc_id": item, "doc": {"q": item}, "target": "t", "resps": [["a"]], "filtered_resps": ["a"],
            "arguments": {"gen_args_0": {"arg_0": f"Q{item}\u2028?"}}, "filter": which, "metrics": ["em", "chrf"],
            "em": each[k], "chrf": ["t", "a"],
        }
        for k, which in enumerate(("strict", "loose"))
        for item, each in scores.items()
    ]  # fmt: skip
    write(folder / f"results_{stamp}.json", {"results": {}, "model_name": model, "n-shot": {}, "versions": {}})
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    write(folder / f"samples_toy_qa_{stamp}.jsonl", text)
    return folder


def mt_metrics(folder: Path) -> Path:
    """Write a test set of two segments with a reference that is listed as a system."""
    write(folder / "sources" / "en-de.txt", "one\ntwo\n")
    write(folder / "documents" / "en-de.docs", "news\td1\nnews\td2\n")
    write(folder / "references" / "en-de.refA.txt", "eins\nzwei\n")
    write(folder / "system-outputs" / "en-de" / "A.txt", "eins\nzwo\n")
    write(folder / "human-scores" / "en-de.mqm.seg.score", "A\t0.0\nA\t-5.0\nrefA\tNone\nrefA\tNone\n")
    write(folder / "metric-scores" / "en-de" / "judge-src.seg.score", "A 0.9\nA 0.1\nrefA 1\nrefA 1\n")
    write(folder / "metric-scores" / "en-de" / "bleu-refA.seg.score", "A\t1\nA\t0\n")
    return folder
