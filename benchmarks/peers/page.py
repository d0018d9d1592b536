"""The page on peers: tables and findings, written between the markers of docs/peers.md."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import tables
from datasets import EDGES, RATES, title
from methods import METHODS

if TYPE_CHECKING:
    from pathlib import Path

    from tables import Results

MARKED = re.compile(r"(<!-- peers: (\S+) -->\n).*?(<!-- /peers -->)", re.DOTALL)


def update(page: Path, build: Path) -> None:
    """Write the blocks anew; what stands around them is kept."""
    known = blocks(tables.Results(build), json.loads((build / "versions.json").read_text(encoding="utf-8")))
    text = page.read_text(encoding="utf-8")
    page.write_text(MARKED.sub(lambda found: f"{found[1]}\n{known[found[2]]}\n\n{found[3]}", text), encoding="utf-8")


def blocks(results: Results, versions: dict[str, dict[str, str]]) -> dict[str, str]:
    usual, edges = ([title(*cell) for cell in cells] for cells in (RATES, EDGES))
    return {
        "versions": measured(versions),
        "methods": assumptions(results),
        "findings": findings(results, usual),
        "one": tables.one_rate(results, usual),
        "coverage": tables.by_cell(results, "one", usual),
        "width": tables.width_by_cell(results, "one", usual),
        "edge": tables.edge(results, edges),
        "two": tables.two_systems(results, "two"),
        "same": tables.two_systems(results, "same"),
        "net": tables.two_systems(results, "net"),
        "real-rates": tables.real_rates(results) if results.names("one", real=True) else "Not measured.",
        "real-verdicts": tables.real_verdicts(results) if results.names("same", real=True) else "Not measured.",
    }


def measured(versions: dict[str, dict[str, str]]) -> str:
    rows = []
    for peer in dict.fromkeys(method.peer for method in METHODS.values()):
        own = dict(versions.get(peer, {}))
        shown = f"{peer} {own.pop(peer, '')}".strip() if peer != "plain" else "methods without a package"
        rest = ", ".join(f"{name} {version}" for name, version in own.items())
        rows.append([shown, rest or "not measured"])
    return tables.markdown(["peer", "with"], rows)


def assumptions(results: Results) -> str:
    seen = {method for _, _, method in results.cells}
    rows = [[name, method.carries, method.assumes] for name, method in METHODS.items() if name in seen]
    return tables.markdown(["method", "carries the uncertainty of both ratings", "takes for granted"], rows)


def findings(results: Results, cells: list[str]) -> str:
    """Say which methods hold for one rate, and which of them are narrower or faster than tellapart."""
    state = {method: tables.holds(results.of("one", method, cells)) for method in results.methods("one", cells)}
    width = {method: results.ratio("one", method, cells, tables.widths) for method in state}
    time = {method: tables.milliseconds(results.of("one", method, cells)) for method in state}
    lines = [
        listed(
            "Coverage stays at 92% or above in every cell", [m for m in state if state[m] == "yes"], width, "× as wide"
        ),
        listed("It falls below in some cell", [m for m in state if state[m] == "no"], width, "× as wide"),
        listed("Too close, or too few replicates, to say", [m for m in state if state[m] == "?"], width, "× as wide"),
    ]
    better = [m for m in state if m != "tellapart" and state[m] != "no" and width[m] < 1]
    lines.append(listed("Not shown to fail, and narrower than tellapart on average", better, width, "× as wide"))
    exact = [m for m in state if METHODS[m].carries.startswith("yes")]
    lines.append(listed("Time among methods that carry the uncertainty of both kinds of ratings", exact, time, "ms"))
    return "\n".join(f"- {line}" for line in lines)


def listed(what: str, methods: list[str], values: dict[str, float], unit: str) -> str:
    said = [
        f"{m} ({tables.significant(values[m]) if unit == 'ms' else tables.number(values[m])} {unit})" for m in methods
    ]
    return f"{what}: {', '.join(said) if said else 'none'}."
