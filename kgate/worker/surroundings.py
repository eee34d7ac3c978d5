"""
What a process shares with whoever else is in it, before and after a case: torch's settings, its functions, the state of
random number generators, variables, the folder. A kernel that changes them changes other people's numbers.
"""

import builtins
import contextlib
import os
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

from kgate.worker.loading import inside
from kgate.worker.watches import innermost

# Read through a path of attributes from torch; the last is called where it can be.
SETTINGS = (
    "get_num_threads",
    "get_default_dtype",
    "get_default_device",
    "is_grad_enabled",
    "is_anomaly_enabled",
    "are_deterministic_algorithms_enabled",
    "backends.cuda.matmul.allow_tf32",
    "get_float32_matmul_precision",
    "backends.cuda.matmul.allow_fp16_reduced_precision_reduction",
    "backends.cuda.matmul.allow_bf16_reduced_precision_reduction",
    "backends.cuda.flash_sdp_enabled",
    "backends.cuda.mem_efficient_sdp_enabled",
    "backends.cuda.math_sdp_enabled",
    "backends.cudnn.allow_tf32",
    "backends.cudnn.benchmark",
    "backends.cudnn.deterministic",
    "backends.cudnn.enabled",
    "backends.mkldnn.enabled",
)
PATCHABLE = ("torch", "torch.Tensor", "torch.nn.functional", "torch.testing", "torch.cuda", "torch.linalg")


def settings() -> dict[str, str]:
    """torch's, as text, by name."""
    import torch

    found = {f"torch.{path}": read(torch, path) for path in SETTINGS}
    # The flag itself (FTZ of an x86's MXCSR, FZ of an Arm's FPCR) cannot be read from Python; what it does can.
    found["what the processor makes of numbers below the smallest normal one"] = (
        "kept" if sys.float_info.min / 2 else "zero"
    )
    if torch.cuda.is_initialized():
        found["the current CUDA stream"] = str(torch.cuda.current_stream().cuda_stream)
    return found


def read(torch: Any, path: str) -> str:
    try:
        value = torch
        for name in path.split("."):
            value = getattr(value, name)
        return str(value() if callable(value) else value)
    except Exception:  # noqa: BLE001  of another torch, or one whose old and new settings were mixed
        return ""


def functions() -> dict[str, Any]:
    """What others call, by name: torch's functions and methods, the clock, Python's own."""
    import torch

    holders: dict[str, Mapping[str, Any]] = {"builtins": vars(builtins), "time": vars(time)}
    for path in PATCHABLE:
        holder: Any = torch
        for name in path.split(".")[1:]:
            holder = getattr(holder, name)
        holders[path] = vars(holder)
    return {
        f"{holder}.{name}": value
        for holder, members in holders.items()
        for name, value in members.items()
        if callable(value) and not isinstance(value, (type, ModuleType))
    }


def call_state() -> dict[str, str]:
    """What one call has no business to change: variables, and the folder."""
    found = {f"the variable {name}": value for name, value in os.environ.items()}
    found["the current folder"] = os.getcwd()  # noqa: PTH109  text
    return found


def variables() -> dict[str, str]:
    return dict(os.environ)


@contextlib.contextmanager
def variables_watched() -> Iterator[set[str]]:
    """
    Names of the variables that Python code sets within it, also those that it sets to what they were. Nothing where
    `os.environ` is not made as CPython makes it.
    """
    names: set[str] = set()

    class Watched(dict[Any, Any]):
        def __setitem__(self, key: Any, value: Any) -> None:
            names.add(os.fsdecode(key))
            super().__setitem__(key, value)

    environ: Any = os.environ
    held = getattr(environ, "_data", None)
    if type(held) is not dict:
        yield names
        return
    environ._data = Watched(held)
    try:
        yield names
    finally:
        left = dict(environ._data)
        held.clear()
        held.update(left)
        environ._data = held


def set_again(first: Mapping[str, str], names: Iterable[str]) -> list[str]:
    """
    Of variables that were set in a later call those that are not what they were before the `first` one: not set once,
    as where something begins, but call by call.
    """
    return [f"the variable {name}" for name in sorted(names) if first.get(name) != os.environ.get(name)]


def random_state() -> dict[str, str]:
    """Where everybody's generators stand."""
    import torch

    found = {
        "torch's random numbers on the CPU": str(torch.get_rng_state().tolist()),
        "Python's random numbers": str(random.getstate()),
    }
    if torch.cuda.is_initialized():
        found["torch's random numbers on the GPU"] = str(torch.cuda.get_rng_state().tolist())
    numpy = sys.modules.get("numpy")
    if numpy is not None and "numpy.random" in sys.modules:
        found["NumPy's random numbers"] = str(
            [part.tolist() if hasattr(part, "tolist") else part for part in numpy.random.get_state()]
        )
    return found


def seeded_anew(earlier: Mapping[str, str]) -> list[str]:
    """
    Generators that stand where they stood after an `earlier` call, though they have been moved on before this one. To
    draw from them is no fault; to set them makes everybody's numbers the same again.
    """
    return [f"{name}, seeded anew" for name, state in random_state().items() if earlier.get(name) == state]


def move_on() -> None:
    """Draw from every generator, so that one that a call seeds again is not where it was."""
    import torch

    torch.rand(1)
    random.random()
    if torch.cuda.is_initialized():
        torch.rand(1, device="cuda")
    numpy = sys.modules.get("numpy")
    if numpy is not None and "numpy.random" in sys.modules:
        numpy.random.random()


def changed(before: Mapping[str, str], after: Mapping[str, str], shown: Callable[[str, str], str]) -> list[str]:
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return [f"{name}{shown(before.get(name, ''), after.get(name, ''))}" for name in names]


class Surroundings:
    """As they were when the case began."""

    def __init__(self, tree: str) -> None:
        self.tree = tree
        self.settings = settings()
        self.functions = functions()

    def changes(self) -> list[str]:
        """Settings that are others now, and functions that the tree's own have replaced."""
        return changed(self.settings, settings(), lambda old, new: f": {old or 'unset'} → {new or 'unset'}") + [
            f"{name}, replaced by {getattr(now, '__module__', '?')}.{getattr(now, '__qualname__', '?')}"
            for name, now in functions().items()
            if name in self.functions and now is not self.functions[name] and self.own(now)
        ]

    def own(self, function: Any) -> bool:
        _, code, _ = innermost(function)
        return code is not None and inside(code.co_filename, self.tree)


def call_changes(before: Mapping[str, str]) -> list[str]:
    return changed(before, call_state(), lambda old, new: "")
