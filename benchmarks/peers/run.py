"""Beside its peers: the same simulated and real work for all, each in an environment of its own.

    make bench-peers                                  # or, with options:
    python benchmarks/peers/run.py --replicates 1000 --data DIR

What is answered is kept in build/peers, and a second run goes on from there. The last step writes the tables into
docs/peers.md. Real evaluations are read from the folder given by --data or TELLAPART_PEERS_DATA, where there is one.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from datasets import REAL, write
from joblib import Parallel, delayed
from methods import METHODS
from page import update

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build" / "peers"
ENVIRONMENTS = ROOT / ".venv-peers"
OURS = ("tellapart", "plain")  # run by this interpreter
THREADS = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL", "NUMBA")}
VERSIONS = """
import sys, json
from importlib.metadata import version, PackageNotFoundError
found = {"Python": sys.version.split()[0]}
for name in sys.argv[1:]:
    try: found[name] = version(name)
    except PackageNotFoundError: pass
print(json.dumps(found))
"""


def requirements() -> dict[str, str]:
    lines = (
        line.partition("#")[0].strip() for line in (HERE / "requirements.txt").read_text(encoding="utf-8").splitlines()
    )
    return {line.partition("==")[0]: line for line in lines if line}


def interpreters(more: list[str]) -> list[str]:
    """Return what may run a peer: this Python, those asked for, and newer ones that are installed."""
    named = [sys.executable, *more, *filter(None, map(shutil.which, ("python3.14", "python3.13", "python3.12")))]
    return [one for one in named if subprocess.run([one, "-c", ""], capture_output=True, check=False).returncode == 0]


def environment(name: str, requirement: str, pythons: list[str]) -> str | None:
    """Return the interpreter of a peer's environment, made if need be; none where it cannot be installed."""
    home = ENVIRONMENTS / name
    stamp, python = home / ".installed", home / "bin" / "python"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == requirement:
        return str(python)
    why = ""
    for one in pythons:
        print(f"Installing {requirement} with {Path(one).name}", file=sys.stderr)
        subprocess.run([one, "-m", "venv", "--clear", str(home)], check=True)
        install = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", requirement]
        found = subprocess.run(install, capture_output=True, text=True, check=False)
        if found.returncode == 0:
            stamp.write_text(requirement, encoding="utf-8")
            return str(python)
        why = found.stderr.strip().splitlines()[-1] if found.stderr.strip() else ""
    print(f"{name} is left out, it cannot be installed: {why}", file=sys.stderr)
    return None


def answer(peer: str, python: str, replicates: int, draws: int) -> bool:
    """Let one peer answer what it has not answered yet, and tell whether it came to the end."""
    limits = {name: m.limits(replicates, draws) for name, m in METHODS.items() if m.peer == peer}
    script = HERE / f"peer_{peer.replace('-', '_')}.py"
    print(peer, file=sys.stderr)
    given = [python, str(script), str(BUILD / "data.jsonl"), str(BUILD / f"answers-{peer}.jsonl"), json.dumps(limits)]
    done = subprocess.run(given, env={**os.environ, **THREADS}, check=False)
    if done.returncode:
        print(f"{peer} stopped early; what it answered is kept.", file=sys.stderr)
    return not done.returncode


def versions(peer: str, python: str) -> dict[str, str]:
    names = ["numpy", "scipy", *({"numpyro": ["numpyro", "jax"], "plain": []}.get(peer, [peer]))]
    return json.loads(subprocess.run([python, "-c", VERSIONS, *names], capture_output=True, check=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=400, help="of a simulated cell; slow methods get a share")
    parser.add_argument("--draws", type=int, default=10, help="of visible labels of a real evaluation")
    parser.add_argument("--data", type=Path, default=os.environ.get("TELLAPART_PEERS_DATA"), help="real evaluations")
    parser.add_argument("--peers", help="only these, with commas; tellapart and plain are names, too")
    parser.add_argument(
        "--python", action="append", default=[], help="a further interpreter, for peers that need a newer one"
    )
    parser.add_argument("--jobs", type=int, default=1, help="peers at a time; times are best taken one by one")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "peers.md")
    asked = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    here = [one for one in REAL if asked.data and (Path(asked.data) / f"ratings_{one[0]}.csv").exists()]
    if not here:
        print("No real evaluations: none found by --data or TELLAPART_PEERS_DATA.", file=sys.stderr)
    write(BUILD / "data.jsonl", asked.replicates, Path(asked.data) if here else None, asked.draws)
    wanted = asked.peers.split(",") if asked.peers else [*OURS, *requirements()]
    found, pythons = dict.fromkeys((one for one in OURS if one in wanted), sys.executable), interpreters(asked.python)
    for name, requirement in requirements().items():
        if name in wanted and (python := environment(name, requirement, pythons)):
            found[name] = python
    known = BUILD / "versions.json"
    seen = json.loads(known.read_text(encoding="utf-8")) if known.exists() else {}
    seen |= {peer: versions(peer, python) for peer, python in found.items()}
    known.write_text(json.dumps(seen, indent=1), encoding="utf-8")
    sizes = asked.replicates, asked.draws
    ended = Parallel(asked.jobs)(delayed(answer)(peer, python, *sizes) for peer, python in found.items())
    update(asked.page, BUILD)
    sys.exit(not all(ended))


if __name__ == "__main__":
    main()
