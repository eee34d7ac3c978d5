"""
Records what a run calls: in every Python that `kgate capture` starts, before anything of the user's is imported.

    sitecustomize -> begin(): hooks for the modules that hold entry points -> wrappers -> tallies -> a file per process

Standard library only; torch is used only where the product has imported it. Nothing here may make a call of the
product's fail or wait: what cannot be recorded is counted, or left out.
"""

import json
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path

from kgate.worker.capture.hooks import Finder
from kgate.worker.capture.tallies import Tallies

ENTRIES = "entries.json"
PACKAGE, ALIAS = "kgate", "_kgate_watching"


def begin(folder: str) -> None:
    """`folder` holds ENTRIES and this package, and is where each process leaves its file."""
    here = Path(folder)
    order = json.loads((here / ENTRIES).read_text("utf-8"))
    tallies = Tallies(here / "seen", order["limit"])
    sys.meta_path.insert(0, Finder(order["kernels"], tallies))
    rename()


def rename() -> None:
    """
    The product may have kgate installed, whole; this part of it must not stand in its place. Nor may it be without a
    name: torch's compiler looks up the module of every function that it meets.
    """
    for name in [n for n in sys.modules if n.partition(".")[0] == PACKAGE]:
        module = sys.modules.pop(name)
        module.__name__ = f"{ALIAS}{name.removeprefix(PACKAGE)}"
        sys.modules[module.__name__] = module


def follow(folder: str) -> None:
    """Run the sitecustomize that would have run without kgate's, if there is one."""
    sys.path[:] = [entry for entry in sys.path if entry != folder]
    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)
