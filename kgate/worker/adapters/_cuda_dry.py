"""
torch.utils.cpp_extension (2.11 to 2.13) on a machine without the GPU: its CUDA sources are compiled, nothing is loaded.

Torch itself writes down the options, as it would for the GPU; the C++ around the kernels is not compiled.
"""

import os
import shlex
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from kgate.worker.adapters import Built, _cuda_libraries, _fatbin, _nvcc
from kgate.worker.adapters._swaps import swapped
from kgate.worker.architectures import capability
from kgate.worker.faults import Fault

UNTOLD = ("-isystem", "-DTORCH_API_INCLUDE_EXTENSION_H")  # of every extension; paths are left out too
ARCH_LIST = "TORCH_CUDA_ARCH_LIST"

made: dict[str, list[Built]] = {}  # by extension, for a second `load` of the same one


class Unloaded(ModuleType):
    """In place of an extension: what its functions return is known only where they run."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        def refused(*_: Any, **__: Any) -> Any:
            raise Fault(
                "environment",
                "unavailable",
                f"{self.__name__}.{name} was compiled and cannot be called without the GPU: name a `compile` hook that"
                " builds the extension and calls nothing of it",
            )

        return refused


@contextmanager
def dry(arch: str) -> Iterator[list[Built]]:
    """Filled with the kernels of each extension when it is loaded; one that was loaded before is not told of again."""
    from torch.utils import cpp_extension

    told: list[Built] = []
    home = _nvcc.home()

    def build(**asked: Any) -> None:
        if home is None:
            raise Fault("environment", "unavailable", _nvcc.missing(arch))
        options = options_of(asked, arch)
        sources = [Path(source) for source in asked["sources"] if cpp_extension._is_cuda_file(source)]
        made[asked["name"]] = [one for source in sources for one in built(home, source, options, arch)]

    def load(name: str, *_: Any, **__: Any) -> ModuleType:
        told.extend(made.get(name, []))
        return Unloaded(name)

    with swapped(
        cpp_extension,
        _write_ninja_file_and_build_library=build,
        _import_module_from_library=load,
        CUDA_HOME=os.fspath(home) if home else None,
    ):
        yield told


def options_of(asked: dict[str, Any], arch: str) -> list[str]:
    """What torch would give nvcc for this extension, taken where it writes them into a file for ninja."""
    from torch.utils import cpp_extension

    heard: list[str] = []

    def write(**parts: Any) -> None:
        heard.extend([*(parts["cuda_cflags"] or []), *(parts["cuda_post_cflags"] or [])])

    own = {name: value for name, value in asked.items() if name not in ("build_directory", "verbose")}
    major, minor = capability(arch)
    with swapped(cpp_extension, _write_ninja_file=write), variable(ARCH_LIST, f"{major}.{minor}"):
        cpp_extension._write_ninja_file_to_build_library(path="", **own)
    return shlex.split(" ".join(heard))


def built(home: Path, source: Path, options: Sequence[str], arch: str) -> list[Built]:
    began_ns = time.perf_counter_ns()
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "kernels.fatbin")
        paths = [os.fspath(path) for path in (home / "bin" / "nvcc", source.absolute(), target)]
        command = [paths[0], *options, "-fatbin", "--no-compress", paths[1], "-o", paths[2]]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            output = done.stdout + done.stderr
            raise RuntimeError(f"nvcc: {_nvcc.first_error(output)}\n{output}")
        images = list(_fatbin.images(target.read_bytes()))
    took_ns = time.perf_counter_ns() - began_ns
    taken = _cuda_libraries.fitting(images, arch)
    if images and not taken:
        there = ", ".join(sorted({image.arch for image in images}))
        caveat = _cuda_libraries.NO_CODE.format(there=there, here=arch)
        raise Fault("compile", "compile-failed", f"{source.name} names its architectures itself: {caveat}")
    words = " ".join(option for option in options if option.startswith("-") and option not in UNTOLD)
    text = source.read_text()
    return [
        one for image in taken for one in _cuda_libraries.told(image, compile_ns=took_ns, source=text, options=words)
    ]


@contextmanager
def variable(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
