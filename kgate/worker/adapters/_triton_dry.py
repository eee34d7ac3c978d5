"""
Triton on a machine without the GPU: its driver says what is asked for, kernels compile as there, and none is launched.

Everything from the specialisation of the arguments to ptxas is Triton's own, so that the machine code is what that GPU
would run.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from kgate.worker.adapters import Built, _triton_tuner
from kgate.worker.adapters import _triton_kernels as kernels
from kgate.worker.adapters._swaps import swapped
from kgate.worker.faults import Fault

ARCH = re.compile(r"sm_(\d{2,3})[af]?")  # Triton chooses the suffix itself
THREADS = 32  # of a warp, on every GPU of NVIDIA's


@contextmanager
def dry(arch: str) -> Iterator[list[Built]]:
    """Filled at the end, in the order in which the kernels were first asked for."""
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.driver import driver
    from triton.runtime.jit import JITFunction

    recorder = Recorder(JITFunction.run)
    listed: list[Built] = []
    try:
        with (
            swapped(driver, _active=Driver(capability(arch))),
            swapped(JITFunction, run=recorder.run_of()),
            swapped(Autotuner, run=recorder.tuner_of()),
        ):
            yield listed
    finally:
        listed += [kernels.built(kernel, note) for kernel, note in recorder.seen.values()]


def capability(arch: str) -> int:
    found = ARCH.fullmatch(arch)
    if not found:
        raise Fault("environment", "unavailable", f"Triton compiles for NVIDIA GPUs such as sm_90, not for {arch!r}")
    return int(found[1])


class Driver:
    """In place of triton.backends.nvidia.driver.CudaDriver, which asks the GPU; answers what kernels may ask before."""

    def __init__(self, arch: int) -> None:
        self.arch = arch
        self.utils = self

    def get_current_target(self) -> Any:
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", self.arch, THREADS)

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: int) -> None: ...

    def get_current_stream(self, device: int) -> int:
        return 0

    def get_device_capability(self, device: int = 0) -> tuple[int, int]:
        return divmod(self.arch, 10)

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device("cuda", 0)

    def get_device_interface(self) -> Any:
        import torch

        return torch.cuda

    def get_device_properties(self, device: int = 0) -> Mapping[str, int]:
        """As torch tells them of the GPU that it believes to be there."""
        import torch

        told = torch.cuda.get_device_properties(device)
        return {
            "max_shared_mem": told.shared_memory_per_block_optin,
            "max_num_regs": told.regs_per_multiprocessor,
            "multiprocessor_count": told.multi_processor_count,
            "warpSize": THREADS,
        }


class Recorder:
    """Compiles where kernels would run, and keeps them by their hash, each with what is to be said of it."""

    def __init__(self, run: Callable[..., Any]) -> None:
        self.run = run
        self.seen: dict[str, tuple[Any, str]] = {}
        self.note = ""
        # What each function has compiled within this context: its own caches are of the GPU that is there. The
        # function is kept with them, so that no other gets its id.
        self.caches: dict[int, tuple[Any, Any]] = {}

    def run_of(self) -> Callable[..., Any]:
        """In place of JITFunction.run."""

        def running(function: Any, *args: Any, **keywords: Any) -> Any:
            _, cache = self.caches.setdefault(id(function), (function, defaultdict(function.create_binder)))
            with swapped(function, device_caches=cache):
                kernel = self.run(function, *args, **{**keywords, "warmup": True})
            if kernel is not None and not keywords.get("warmup"):
                self.seen.setdefault(kernel.hash, (kernel, self.note))
            return kernel

        return running

    def tuner_of(self) -> Callable[..., Any]:
        """In place of Autotuner.run: the pick if it is frozen, else all that it would try."""

        def running(tuner: Any, *args: Any, **keywords: Any) -> Any:
            tuner.nargs = dict(zip(tuner.arg_names, args, strict=False))
            pick = _triton_tuner.frozen_pick(tuner, _triton_tuner.key_of(tuner, args, keywords))
            tried = [pick] if pick else tuner.configs
            if len(tried) > 1:
                tried = tuner.prune_configs(keywords)
                self.note = f"one of {len(tried)} configurations: its tuner needs the GPU to choose"
            try:
                return self.first_of(tuner, tried, args, keywords)
            finally:
                self.note = ""

        return running

    def first_of(self, tuner: Any, configs: Any, args: Any, keywords: Any) -> Any:
        """What the tuner passes over is passed over here; the first reason is raised if nothing is left."""
        from triton.compiler.errors import CompileTimeAssertionFailure
        from triton.runtime.errors import OutOfResources, PTXASError

        compiled, reasons = [], []
        for config in configs:
            values = config.all_kwargs()
            if config.pre_hook is not None:  # may set what descriptors among the arguments say
                config.pre_hook({**tuner.nargs, **keywords, **values})
            try:
                compiled.append(tuner.fn.run(*args, **keywords, **values))
            except (OutOfResources, CompileTimeAssertionFailure, PTXASError) as error:
                reasons.append(error)
        if not compiled:
            raise reasons[0]
        return compiled[0]
