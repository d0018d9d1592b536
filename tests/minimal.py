"""Checks the installed package where no extra is: a plain script, because pytest is an extra too."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

import tellapart

CHARTS = ("altair", "vl_convert")


def run(*arguments: str, folder: str) -> subprocess.CompletedProcess[str]:
    """Run the console script beside this interpreter."""
    script = Path(sys.executable).with_name("tellapart")
    return subprocess.run(  # noqa: S603 - our own program
        [str(script), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def check_library() -> None:
    """Check that every public name can be imported and that the library counts."""
    missing = [name for name in tellapart.__all__ if not hasattr(tellapart, name)]
    assert not missing, missing
    assert abs(tellapart.estimate(human=(60, 100)).mean - 61 / 102) < 1e-12


def check_estimate(folder: str) -> None:
    """Check an answer of the command line."""
    counts = ("--human", "60/100", "--calibration", "tp=42,fn=18,tn=28,fp=12", "--metric", "540/1000")
    done = run("estimate", *counts, "--format", "json", folder=folder)
    assert (done.returncode, done.stderr) == (0, ""), done
    value = json.loads(done.stdout)
    assert abs(value["mean"] - 0.598306309) < 1e-9, value
    assert abs(value["sd"] - 0.044825044) < 1e-9, value


def check_packaged_files() -> None:
    """Check that the built-in example and the published tables came along."""
    for name in ("data/example.csv", "paper_tables.json", "py.typed", "report.css", "web/static/index.html"):
        assert files("tellapart").joinpath(name).is_file(), name


def check_missing_charts(folder: str) -> None:
    """Check that a chart without its packages is one line that says what to install, and no file."""
    present = [name for name in CHARTS if importlib.util.find_spec(name)]
    assert not present, f"{present} must not be installed here"
    done = run("estimate", "--human", "60/100", "--plot", "x.svg", folder=folder)
    assert done.returncode == 2, done
    served = run("serve", folder=folder)
    assert (served.returncode, "tellapart[web]" in served.stderr) == (2, True), served
    assert done.stderr.startswith("Error: "), done
    assert len(done.stderr.splitlines()) == 1, done
    assert "tellapart[charts]" in done.stderr, done
    assert not list(Path(folder).iterdir()), "a file was written"


def main() -> None:
    """Run every check."""
    with tempfile.TemporaryDirectory() as folder:
        check_library()
        check_estimate(folder)
        check_packaged_files()
        check_missing_charts(folder)
    sys.stdout.write("minimal install: ok\n")


if __name__ == "__main__":
    main()
