"""
Files of a repository with many kernels and the closure of each, computed from the graph that the files were written
from: by repeated joining of sets, without reading a file.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

LOCK = "uv.lock"
PACKAGES = ("acme/__init__.py", "acme/kernels/__init__.py", "acme/shared/__init__.py")
ENTRY = """\
  {name}:
    owners: ["@acme/kernels"]
    dsl: {dsl}
    dispatch: acme.kernels.{name}:call
    custom: acme.kernels.{name}:fused
    fallback: acme.kernels.{name}:eager
    targets: [cpu]
    args:
      x: {{shape: [M, 256], dtype: float32}}
    workloads:
      small: {{M: 16, source: drawn}}
      large: {{M: 64, source: drawn}}
"""
FUNCTIONS = """

def fused(x):
    {late}return x + 1


def eager(x):
    return x + 1


def call(x):
    return fused(x)
"""


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """`files`: text by path; `closures`: by kernel, all files that it rests on."""

    files: Mapping[str, str]
    closures: Mapping[str, frozenset[str]]

    def write(self, root: Path) -> None:
        for name, text in self.files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)

    def resting_on(self, path: str) -> set[str]:
        return {name for name, files in self.closures.items() if path in files}


def drawn(kernels: int, seed: int) -> Drawn:
    """Modules and headers may lead to those before them and, in one case of ten, to those behind: in circles."""
    dice = random.Random(seed)
    shared = [f"acme/shared/s{n:03}.py" for n in range(max(1, kernels // 3))]
    headers = [f"csrc/h{n:03}.cuh" for n in range(max(1, kernels // 10))]
    names = [f"k{n:03}" for n in range(kernels)]
    edges = {path: picked(dice, shared, n) for n, path in enumerate(shared)}
    edges |= {path: picked(dice, headers, n) for n, path in enumerate(headers)}
    edges |= {module(name): picked(dice, shared, len(shared)) for name in names}
    edges |= {source(name): picked(dice, headers, len(headers)) for name in names[::5]}
    for name in names[::5]:
        edges[module(name)] = [*edges[module(name)], source(name)]
    files = {path: text_of(dice, path, below) for path, below in edges.items()}
    files |= dict.fromkeys(PACKAGES, "")
    # A package that passes on all of its kernels must not make each of them rest on every other.
    files[PACKAGES[1]] = "".join(f"from .{name} import call as {name}_call\n" for name in names)
    files |= {LOCK: "version = 1\n", ".gitignore": ".kgate/\n", "README.md": "Drawn.\n", "acme/alone.py": "X = 1\n"}
    files["kgate.yaml"] = "version: 1\nkernels:\n" + "".join(
        ENTRY.format(name=name, dsl="cuda" if source(name) in edges else "torch") for name in names
    )
    reached = joined(edges)
    closures = {name: {module(name), *reached[module(name)]} for name in names}
    return Drawn(files=files, closures={n: frozenset(c | above(c)) for n, c in closures.items()})


def module(name: str) -> str:
    return f"acme/kernels/{name}.py"


def source(name: str) -> str:
    return f"csrc/{name}.cu"


def picked(dice: random.Random, paths: list[str], behind: int) -> list[str]:
    before = paths[:behind] if dice.random() < 0.9 else paths
    return dice.sample(before, min(len(before), dice.choice((0, 1, 1, 2))))


def joined(edges: Mapping[str, list[str]]) -> dict[str, set[str]]:
    """All that each path leads to: sets grow by those of their members until none grows any more."""
    reached = {path: set(below) for path, below in edges.items()}
    grown = True
    while grown:
        grown = False
        for mine in reached.values():
            more = set[str]().union(*(reached[path] for path in mine)) - mine
            mine |= more
            grown = grown or bool(more)
    return reached


def above(files: set[str]) -> set[str]:
    """Packages run before their modules."""
    return {
        p for p in PACKAGES if any(f.startswith(p.removesuffix("__init__.py")) and f.endswith(".py") for f in files)
    }


def text_of(dice: random.Random, path: str, below: list[str]) -> str:
    if not path.endswith(".py"):
        return "".join(f'#include "{Path(other).name}"\n' for other in below) + "// drawn\n"
    lines, late = ["import torch"], ""
    for other in below:
        if not other.endswith(".py"):
            lines.append(f'SOURCES = ["../../{other}"]')
            continue
        name = Path(other).stem
        form = dice.choice(FORMS)
        if form == "late":
            late += f"from acme.shared.{name} import VALUE\n    "
        else:
            lines.append(form.format(name=name))
    return "\n".join([*lines, "VALUE = 1"]) + FUNCTIONS.format(late=late)


FORMS = (
    "import acme.shared.{name}",
    "import acme.shared.{name} as {name}",
    "from acme.shared import {name}",
    "from acme.shared.{name} import VALUE as {name}_value",
    "from ..shared.{name} import VALUE as {name}_value",
    "from ..shared import {name} as other_{name}",
    "from acme.shared.{name} import *",
    "late",
)
