"""Start of the command line

How long until the program answers, against a program that imports numpy and scipy.special, without which there is no
answer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.speed.race import race

if TYPE_CHECKING:
    from benchmarks.speed.race import Run

IMPORT, HELP = "importing numpy and scipy.special", "tellapart --help"
ESTIMATE, AS_JSON = "tellapart estimate --human 60/100", "tellapart estimate --human 60/100 --format json"
PROGRAM = str(Path(sysconfig.get_path("scripts")) / "tellapart")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}  # as installed
WHY = {
    ESTIMATE: "reading the command line (typer), drawing the table (rich) and tellapart's own modules take about a "
    "third each of what is beyond the import.",
    AS_JSON: "likewise, without the table.",
}


def measure(run: Run) -> None:
    commands = {IMPORT: [sys.executable, "-c", "import numpy, scipy.special"]}
    commands |= {name: [PROGRAM, *name.split()[1:]] for name in (ESTIMATE, AS_JSON, HELP)}
    times = race({name: lambda c=c: _output(c) for name, c in commands.items()})
    run.check(ESTIMATE, abs(json.loads(_output(commands[AS_JSON]))["mean"] - 61 / 102))
    for name in (ESTIMATE, AS_JSON, HELP):
        run.ratio(times, name, IMPORT, most=1.3)


def _output(command: list[str]) -> bytes:
    return subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT).stdout
