"""
cuTile on a machine without the GPU: launches specialise, compile and end there.

Everything from the specialisation of the arguments to tileiras is cuTile's own, so that the machine code is what that
GPU would run.
"""

import ctypes
import functools
import io
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from kgate.worker.adapters import Built, _cutile_tuner
from kgate.worker.adapters import _cutile_kernels as kernels
from kgate.worker.adapters._swaps import swapped
from kgate.worker.faults import Fault

ARCH = re.compile(r"(sm_\d{2,3})[af]?")  # cuTile's own names have no suffix
DRIVER = "cuda.tile._load_libcuda"  # the module by which cuTile finds the driver
VERSION = 99000  # of a driver; cuTile asks for 13000 at least


@contextmanager
def dry(arch: str) -> Iterator[list[Built]]:
    """Filled at the end, in the order in which the kernels were first launched."""
    found = ARCH.fullmatch(arch)
    if not found:
        raise Fault("environment", "unavailable", f"cuTile compiles for NVIDIA GPUs such as sm_90, not for {arch!r}")
    from cuda.tile import launch

    answer_for_driver()
    recorder = Recorder(found[1])
    listed: list[Built] = []

    @functools.wraps(launch)
    def launching(stream: Any, grid: Any, kernel: Any, args: Any, /, **_: Any) -> None:
        recorder.compile(kernel, args)

    try:
        with kernels.named_instead(launch, launching), swapped(_cutile_tuner, untimed=recorder.first_of):
            yield listed
    finally:
        listed += recorder.seen.values()


class Recorder:
    def __init__(self, arch: str) -> None:
        self.arch = arch
        self.seen: dict[kernels.Key, Built] = {}

    def compile(self, kernel: Any, args: tuple[Any, ...], note: str = "") -> None:
        from cuda.tile.compilation import export_kernel

        with warnings.catch_warnings():
            # cuTile asks for the address of a tensor without memory; torch warns, and a null pointer is aligned too.
            warnings.filterwarnings("ignore", message="Accessing the data pointer of FakeTensor")
            key = kernels.key_of(kernel, args)
        if key not in self.seen:
            signature = kernels.signature_of(kernel, args)
            export_kernel(kernel, [signature], io.BytesIO(), gpu_code=self.arch, output_format="cubin")
            self.seen[key] = kernels.built(key, note)

    def first_of(self, kernel: Any, configurations: Sequence[Any], args_fn: Any, hints_fn: Any) -> Any:
        """Compiles all that the tuner would try; the first that compiles, else the first one's error."""
        from cuda.tile._exception import TileError

        several = f"one of {len(configurations)} configurations: its tuner needs the GPU to choose"
        compiled, reasons = [], []
        for configuration in configurations:
            made = kernel if hasattr(kernel, "_pyfunc") else kernel(configuration)
            hinted = made.replace_hints(**(hints_fn(configuration) if hints_fn else {}))
            try:
                self.compile(hinted, args_fn(configuration), several if len(configurations) > 1 else "")
                compiled.append(configuration)
            except TileError as error:
                reasons.append(error)
        if not compiled:
            raise reasons[0]
        return compiled[0]


@functools.cache
def answer_for_driver() -> None:
    """
    Where no driver can be had, have cuTile find one that says yes to everything and does nothing, for good.

    To specialise arguments, cuTile (cext/cuda_loader.cpp) looks every function that it may ever need of the driver up,
    and asks for the context of an address; it needs no answer to that. So this is for a process that launches nothing,
    and could not.
    """
    from cuda.tile import _cext

    try:
        _cext.get_driver_version()
    except (OSError, RuntimeError):
        sys.modules[DRIVER] = driver()


def driver() -> Any:
    """In place of the module; what its pointer leads to has to outlive this call, and is kept with it."""
    yes = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 0)
    version = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int))(version_into)

    def look_up(name: bytes, found: Any, *_: Any) -> int:
        function = version if name == b"cuDriverGetVersion" else yes
        found[0] = ctypes.cast(function, ctypes.c_void_p).value
        return 0

    lookup = ctypes.CFUNCTYPE(  # cuGetProcAddress_v2 of cuda.h
        ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p
    )(look_up)
    pointer = ctypes.cast(lookup, ctypes.c_void_p)
    return SimpleNamespace(cuGetProcAddress_v2_ptrptr=ctypes.addressof(pointer), kept=(pointer, lookup, version, yes))


def version_into(found: Any) -> int:
    found[0] = VERSION
    return 0
