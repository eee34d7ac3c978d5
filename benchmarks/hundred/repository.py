"""
The families as a git repository with a base and a head commit.

Head changes a line of every kernel's module and nothing that runs, so that each case has to be measured; a plant makes
one kernel slower on one workload.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from hundred.families import FAMILIES, Family

GALLERY = Path(__file__).resolve().parents[2] / "examples/gallery/gallery"
MODULE = '''"""{name}: {words}."""

import os

import torch
{spin}

def custom({parameters}):
{planted}    {custom}


def fallback({parameters}):
    {fallback}


def dispatch({parameters}):
    return ({off} if os.environ.get("{switch}") == "0" else {on})({parameters})
'''
SPINS = {
    "cuda": "torch.cuda._sleep({amount})",
    "cpu": "until = time.perf_counter_ns() + {amount}\n        while time.perf_counter_ns() < until:\n            pass",
}


def kernels(device: str) -> Iterator[tuple[str, Family, str, str]]:
    """Name, family, DSL and body; on a CPU torch's alone, one a family."""
    for family in FAMILIES:
        here = {name: made for name, made in family.custom.items() if device == "cuda" or name.endswith("_torch")}
        for name, (dsl, body) in here.items():
            yield name, family, dsl, body


def workloads(family: Family, device: str) -> Mapping[str, Mapping[str, int | str]]:
    return family.workloads if device == "cuda" else family.small


def made(folder: Path, device: str) -> Path:
    """With its base commit alone."""
    shutil.copytree(GALLERY, folder / "gallery", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "hundred").mkdir()
    (folder / "hundred/__init__.py").write_text("")
    for name, *_ in kernels(device):
        write(folder, device, name, "as it was")
    (folder / "kgate.yaml").write_text(manifest(device))
    (folder / ".gitignore").write_text("__pycache__/\n.kgate/\n")
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, "Twenty kernels")
    return folder


def change(folder: Path, device: str, plant: tuple[str, str, int] | None) -> None:
    """The head commit. `plant`: kernel, workload, and how long it spins there more: device cycles, or ns on a CPU."""
    for name, *_ in kernels(device):
        wanted = plant[1:] if plant and plant[0] == name else None
        write(folder, device, name, "in other words", wanted)
    commit(folder, "Say it in other words")


def write(folder: Path, device: str, name: str, words: str, plant: tuple[str, int] | None = None) -> None:
    _, family, _, custom = next(kernel for kernel in kernels(device) if kernel[0] == name)
    first = next(iter(family.args))
    planted = ""
    if plant:
        sizes = workloads(family, device)[plant[0]]
        shape = family.args[first]
        for symbol in sorted((s for s in sizes if s != "D"), key=len, reverse=True):
            shape = shape.replace(symbol, str(sizes[symbol]))
        dtype = f"torch.{sizes['D']}"
        spin = SPINS[device].format(amount=plant[1])
        planted = f"    if list({first}.shape) == {shape} and {first}.dtype == {dtype}:\n        {spin}\n"
    text = MODULE.format(
        name=name,
        words=words,
        spin="import time\n" if planted and device == "cpu" else "",
        parameters=", ".join(family.args),
        planted=planted,
        custom=custom.replace("; ", "\n    "),
        fallback=family.fallback,
        switch=f"HUNDRED_{name.upper()}",
        on="custom",
        off="fallback",
    )
    (folder / f"hundred/{name}.py").write_text(text)


def manifest(device: str) -> str:
    lines = [
        "version: 1",
        "policy: {slower-than-base: fail, slower-than-fallback: note, slower-than-baseline: note, unsteady: note}",
        "kernels:",
    ]
    for name, family, dsl, _ in kernels(device):
        module = f"hundred.{name}"
        lines += [
            f"  {name}:",
            '    owners: ["@acme/kernels"]',
            f"    dsl: {dsl}",
            f"    dispatch: {module}:dispatch",
            f"    custom: {module}:custom",
            f"    fallback: {module}:fallback",
            f"    switch: {{env: HUNDRED_{name.upper()}, read: call}}",
            f"    targets: [{device}]",
            "    args:",
            *(f"      {arg}: {argument(shape)}" for arg, shape in family.args.items()),
            "    workloads:",
            *(f"      {case}: {symbols(sizes)}" for case, sizes in workloads(family, device).items()),
        ]
    return "\n".join(lines) + "\n"


def argument(shape: str) -> str:
    return f"{{shape: {shape}, dtype: D}}" if shape.startswith("[") else shape


def symbols(sizes: Mapping[str, int | str]) -> str:
    return "{" + ", ".join(f"{name}: {value}" for name, value in sizes.items()) + "}"


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", f"--message={message}")


def git(folder: Path, *arguments: str) -> None:
    author = {"GIT_AUTHOR_NAME": "Acme", "GIT_AUTHOR_EMAIL": "kernels@acme.example"}
    author |= {name.replace("AUTHOR", "COMMITTER"): value for name, value in author.items()}
    plain = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, env=os.environ | author | plain)
