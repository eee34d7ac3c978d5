"""
Writes requirements.lock: what the action installs, by version and hash, for every interpreter and machine it supports.

    python action/lock.py        (again after every change of the dependencies in pyproject.toml)

The dependencies are read from pyproject.toml. pip resolves them once for each interpreter, as wheels alone; where the
newest release has left an old interpreter behind, that one keeps its own line, with a marker. Only pip's own resolver
and index settings are used, and no index is named in the file.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "action" / "requirements.lock"
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
MACHINES = ("x86_64", "aarch64")
GLIBC = ("manylinux_2_28", "manylinux_2_17", "manylinux2014")
HEAD = """\
# What the action installs: CPython {first} to {last}, Linux on {machines}, glibc 2.28 or later.
# Written by action/lock.py; do not edit.
"""

Pins = dict[str, dict[str, dict[str, set[str]]]]  # name -> version -> interpreter -> hashes


def main() -> None:
    pins: Pins = defaultdict(lambda: defaultdict(lambda: defaultdict(set)))
    for python in PYTHONS:
        for machine in MACHINES:
            print(f"resolving for CPython {python} on {machine}", file=sys.stderr)
            for entry in resolved(python, machine):
                name = re.sub(r"[-_.]+", "-", entry["metadata"]["name"]).lower()
                archive = entry["download_info"]["archive_info"]["hashes"]["sha256"]
                pins[name][entry["metadata"]["version"]][python].add(archive)
    head = HEAD.format(first=PYTHONS[0], last=PYTHONS[-1], machines=" and ".join(MACHINES))
    LOCK.write_text(head + "".join(line for name in sorted(pins) for line in lines_of(name, pins[name])))


def resolved(python: str, machine: str) -> list[Any]:
    """pip's installation report, entry by entry, for an interpreter that need not be here."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        options = [f"--platform={glibc}_{machine}" for glibc in GLIBC]
        options += [f"--python-version={python}", "--implementation=cp", "--only-binary=:all:", f"--target={folder}"]
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
        subprocess.run([*command, f"--report={report}", *options, *dependencies()], check=True)
        return list(json.loads(report.read_text())["install"])


def dependencies() -> list[str]:
    """The list `dependencies` of pyproject.toml; by pattern, since CPython 3.10 reads no TOML."""
    text = (ROOT / "pyproject.toml").read_text()
    listed = re.search(r"^dependencies = \[\n(.*?)^\]", text, re.DOTALL | re.MULTILINE)
    assert listed is not None, "pyproject.toml has no list of dependencies"
    return re.findall(r'^\s*"([^"]+)"', listed[1], re.MULTILINE)


def lines_of(name: str, versions: Mapping[str, Mapping[str, set[str]]]) -> Iterator[str]:
    for version, by_python in sorted(versions.items(), key=lambda item: PYTHONS.index(min(item[1], key=PYTHONS.index))):
        hashes = sorted(set().union(*by_python.values()))
        pin = f"{name}=={version}{marker(tuple(by_python))}"
        yield " \\\n    ".join([pin, *(f"--hash=sha256:{digest}" for digest in hashes)]) + "\n"


def marker(pythons: tuple[str, ...]) -> str:
    """`pythons` follow one another in PYTHONS, since a release that drops an interpreter drops all before it."""
    if pythons == PYTHONS:
        return ""
    bounds = [f'python_version >= "{pythons[0]}"'] if pythons[0] != PYTHONS[0] else []
    bounds += [f'python_version <= "{pythons[-1]}"'] if pythons[-1] != PYTHONS[-1] else []
    return " ; " + " and ".join(bounds)


if __name__ == "__main__":
    main()
