"""The public surface: what is promised is there, documented, and quick to import."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tellapart

ROOT = Path(__file__).parent.parent
HEAVY = ("scipy.stats", "altair", "polars", "pandas", "fastapi", "rich", "typer")


def test_menu_is_sorted_and_complete() -> None:
    assert tellapart.__all__ == sorted(tellapart.__all__)
    assert dir(tellapart) == tellapart.__all__


@pytest.mark.parametrize("name", [name for name in tellapart.__all__ if name != "__version__"])
def test_public_things_are_documented(name: str) -> None:
    thing = getattr(tellapart, name)
    assert inspect.getdoc(thing)
    if inspect.isclass(thing):
        own = [
            (n, m) for n, m in vars(thing).items() if not n.startswith("_") and (callable(m) or isinstance(m, property))
        ]
        assert [n for n, member in own if not inspect.getdoc(member)] == []


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = tellapart.nonsense


def test_import_loads_nothing_heavy() -> None:
    code = "import sys, tellapart; tellapart.estimate(human=(6, 10)).to_dict(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()  # noqa: S603
    assert [name for name in HEAVY if name in loaded] == []


def test_one_version() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in settings["project"]
    assert settings["tool"]["hatch"]["version"]["path"] == "src/tellapart/_version.py"
    assert f"version: {tellapart.__version__}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_workflow_runs_what_ci_runs() -> None:
    yaml = pytest.importorskip("yaml")  # not with the oldest versions
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    (job,) = workflow["jobs"].values()
    (command,) = [step["run"] for step in job["steps"] if "run" in step]
    assert command.endswith("bash .ci/run")


def test_the_program_is_a_module_too() -> None:
    command = [sys.executable, "-m", "tellapart", "--version"]
    assert tellapart.__version__ in subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603


def test_architecture_names_every_module() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    modules = {path.name for path in (ROOT / "src").rglob("*.py")} - {"__init__.py"}
    assert [name for name in sorted(modules) if not re.search(rf"\b{re.escape(name)}", text)] == []
