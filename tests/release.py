"""Checks what would be released, step by step: a plain script, because it builds, installs and runs as a user would.

One version everywhere; a wheel and a source archive that hold just what belongs in; the wheel installed where there are
no sources, with every Python that is found or named; the page served by that installation.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = ("python3.11", "python3.12", "python3.13")
PIP = ("-m", "pip", "install", "-q", "--disable-pip-version-check", "-c", str(ROOT / "constraints.txt"))


def pythons() -> list[str]:
    """Return the interpreters that were named, or else those that are found and do run."""
    return sys.argv[1:] or [one for one in PYTHONS if shutil.which(one) and _runs(one)]


def _runs(python: str) -> bool:
    return subprocess.run([python, "-c", ""], check=False, capture_output=True).returncode == 0  # noqa: S603


def said(what: str) -> None:
    sys.stdout.write(f"  {what}\n")
    sys.stdout.flush()


def run(*command: str | Path, folder: Path = ROOT) -> str:
    done = subprocess.run([*map(str, command)], cwd=folder, check=False, capture_output=True, text=True)  # noqa: S603
    assert not done.returncode, f"{command}\n{done.stderr}"
    return done.stdout


def check_version() -> str:
    """Return the version, which package, citation and changelog share."""
    found = {
        "_version.py": re.search(r'"(.+)"\n', (ROOT / "src/tellapart/_version.py").read_text().split("=")[1]),
        "CITATION.cff": re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE),
        "CHANGELOG.md": re.search(r"^## (\d\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE),
    }
    versions = {where: match[1] if match else None for where, match in found.items()}
    assert len(set(versions.values())) == 1, versions
    return str(versions["_version.py"])


def tracked(folder: str) -> set[str]:
    return set(run("git", "ls-files", folder).split())


def in_wheel(wheel: Path) -> set[str]:
    return {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}


def check_archives(folder: Path, version: str) -> tuple[Path, Path]:
    """Build both and look at what they hold."""
    run(sys.executable, "-m", "hatchling", "build", "-d", folder)
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    assert version in wheel.name, wheel
    package = {name.removeprefix("src/") for name in tracked("src")}
    assert in_wheel(wheel) == package, in_wheel(wheel) ^ package
    with tarfile.open(archive) as opened:
        inside = {name.partition("/")[2] for name in opened.getnames()}
    strange = inside - tracked(".") - {"PKG-INFO"}
    assert not strange, strange
    missing = tracked(".") - inside
    assert not missing, missing
    return wheel, archive


def check_rebuilt(folder: Path, archive: Path, wheel: Path) -> None:
    """Check that the source archive makes the same wheel."""
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    source = folder / archive.name.removesuffix(".tar.gz")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, folder=source)
    (again,) = folder.glob("*.whl")
    assert in_wheel(again) == in_wheel(wheel)


def check_installed(python: str, wheel: Path, folder: Path) -> None:
    """Install the wheel alone and use it; then with the page, and ask for that."""
    folder.mkdir()
    run(python, "-m", "venv", folder / "env")
    own = folder / "env/bin/python"
    run(own, *PIP, wheel)
    run(own, "-I", ROOT / "tests/minimal.py", folder=folder)
    assert "can be told apart" in run(folder / "env/bin/tellapart", "demo", folder=folder)
    assert run(own, "-m", "tellapart", "--version", folder=folder).split()[-1] in wheel.name
    run(own, *PIP, f"{wheel}[web]")
    check_page(folder)


def check_page(folder: Path) -> None:
    """Serve the page at a port that is free, and read it."""
    command = [str(folder / "env/bin/tellapart"), "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:  # noqa: S603
        try:
            address = re.search(r"http://\S+:\d+", server.stdout.readline() if server.stdout else "")
            assert address, "no address was printed"
            with urllib.request.urlopen(address[0], timeout=60) as page:  # noqa: S310 - loopback
                assert b"How many ratings do I need?" in page.read()
        finally:
            server.terminate()


def main() -> None:
    """Run every check."""
    version = check_version()
    said(f"one version: {version}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel, archive = check_archives(folder / "dist", version)
        said(f"{wheel.name} ({wheel.stat().st_size:,} bytes) and {archive.name} hold what belongs in")
        check_rebuilt(folder / "again", archive, wheel)
        said("the source archive makes the same wheel")
        for number, python in enumerate(pythons()):
            check_installed(python, wheel, folder / str(number))
            said(f"{run(python, '--version').strip()}: installed without the sources, used, page served")
    sys.stdout.write("release: ok\n")


if __name__ == "__main__":
    main()
