"""
TileLang (0.1.15) on a machine without the GPU: it is told of one, compiles as it would there, and launches nothing.

Everything from the lowering to nvcc's options is TileLang's own, so that the machine code is what that GPU would run.
"""

import contextlib
import importlib
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from kgate.worker.adapters import Built, _nvcc, _tilelang_tuner
from kgate.worker.adapters import _tilelang_kernels as kernels
from kgate.worker.adapters._swaps import swapped
from kgate.worker.architectures import capability
from kgate.worker.faults import Fault

HOST_BACKEND, LIBRARY_BACKEND = "tvm_ffi", "cython"

# A kernel stays in TileLang's caches and in the user's own, so the same one may turn up for another GPU.
compiled_for: "weakref.WeakKeyDictionary[Any, str]" = weakref.WeakKeyDictionary()


@contextlib.contextmanager
def dry(arch: str) -> Iterator[list[Built]]:
    """Filled at the end, with the kernels that were built or called, in that order."""
    refuse_without_compiler(arch)
    native = native_arch(arch)
    seen: dict[Any, None] = {}
    listed: list[Built] = []

    def noted(found: Any) -> Any:
        if is_kernel(found) and kernels.on_cuda(found):
            refuse_other_gpu(found, native)
            seen[found] = None
        return found

    def call(kernel: Any, *given: Any) -> Any:
        refuse_other_target(kernel, native)
        return outputs(noted(kernel), given)

    try:
        with pretending(native), listening(noted, call):
            yield listed
    finally:
        listed += [one for kernel in seen for one in kernels.built(kernel)]


def refuse_without_compiler(arch: str) -> None:
    from tilelang.env import CUDA_HOME

    if not CUDA_HOME or not Path(CUDA_HOME, "bin", "nvcc").is_file():
        raise Fault("environment", "unavailable", _nvcc.missing(arch))


def native_arch(arch: str) -> str:
    """As TileLang names the GPU of a machine that has one: "sm_90" has the copy engine and wgmma, hence "sm_90a"."""
    from tilelang.contrib.nvcc import get_target_arch

    return f"sm_{get_target_arch(capability(arch))}"


def refuse_other_target(kernel: Any, native: str) -> None:
    if not kernels.on_cuda(kernel):
        raise Fault(
            "environment",
            "unavailable",
            f"{kernels.name_of(kernel)} is a kernel for TileLang's target {kernel.target.kind.name}, and tells nothing"
            f" about {native}: name a `compile` hook that takes the path of the GPU",
        )


def refuse_other_gpu(kernel: Any, native: str) -> None:
    if compiled_for.setdefault(kernel, native) != native:
        raise Fault(
            "environment",
            "unavailable",
            f"{kernels.name_of(kernel)} was compiled for {compiled_for[kernel]} in this process and is still in its"
            f" caches: compile for {native} in a process of its own",
        )


@contextlib.contextmanager
def pretending(native: str) -> Iterator[None]:
    """Wherever TileLang looks for the GPU of the machine, it finds this one."""
    from tilelang.backend import module, target
    from tilelang.cuda import target as cuda_target
    from tvm.target import Target

    resolve = module.BackendModule.resolve_execution_backend

    def resolved(backend: Any, requested: str | None, wanted: Any) -> Any:
        """The cython backend links its library with the driver; its device code is the same, by the same options."""
        cuda = wanted.kind.name == "cuda"
        return resolve(backend, HOST_BACKEND if cuda and requested == LIBRARY_BACKEND else requested, wanted)

    with (
        swapped(cuda_target, _detect_torch_cuda_arch=lambda: native),
        swapped(target, auto_detect_target=lambda: Target({"kind": "cuda", "arch": native})),
        swapped(module.BackendModule, resolve_execution_backend=resolved),
    ):
        yield


@contextlib.contextmanager
def listening(noted: Callable[[Any], Any], call: Callable[..., Any]) -> Iterator[None]:
    """`noted` hears of each kernel that is built or taken from a cache, and `call` is what calling one does."""
    from tilelang.autotuner.tuner import AutoTuner
    from tilelang.jit.kernel import JITKernel

    jit = importlib.import_module("tilelang.jit")  # of the same name as the decorator in it
    cached, factory = jit.cached, jit.JITImpl.__call__

    def build(*args: Any, **keywords: Any) -> Any:
        return noted(cached(*args, **keywords))

    def made(self: Any, *args: Any, **keywords: Any) -> Any:
        return noted(factory(self, *args, **keywords))

    with (
        swapped(jit, cached=build),
        swapped(jit.JITImpl, __call__=made),
        swapped(JITKernel, __call__=call),
        swapped(AutoTuner, run=_tilelang_tuner.untimed),
    ):
        yield


def is_kernel(found: Any) -> bool:
    from tilelang.jit.kernel import JITKernel

    return isinstance(found, JITKernel)


def outputs(kernel: Any, given: Sequence[Any]) -> Any:
    """
    What a call returns: tensors of the shapes and dtypes that the kernel promises, filled with nothing.

    Sizes that the kernel leaves open are those of the arguments. Raises ValueError, in TileLang's words, if there are
    too many or too few.
    """
    function, places = kernel.prim_func, list(kernel.out_idx)
    inputs = [p for at, p in enumerate(function.params) if at not in places]
    if len(given) != len(inputs):
        raise ValueError(f"Kernel expected {len(inputs)} inputs, but {len(given)} are provided.")
    sizes = {}
    for parameter, value in zip(inputs, given, strict=True):
        sizes.update(sizes_in(function.buffer_map.get(parameter, parameter), value))
    device = next((value.device for value in given if hasattr(value, "device")), "cuda:0")
    made = [empty(function.buffer_map[function.params[at]], sizes, device) for at in places]
    return made[0] if len(made) == 1 else made


def sizes_in(declared: Any, value: Any) -> dict[Any, int]:
    """Open sizes and strides of one argument, or its own value where it is a whole number."""
    from tvm.tirx import Var

    if isinstance(declared, Var):
        return {declared: value} if isinstance(value, int) else {}
    if value is None:
        return {}
    pairs = [*zip(declared.shape, value.shape, strict=False), *zip(declared.strides, value.stride(), strict=False)]
    return {dimension: int(size) for dimension, size in pairs if isinstance(dimension, Var)}


def empty(buffer: Any, sizes: dict[Any, int], device: Any) -> Any:
    import torch
    from tilelang.engine.param import KernelParam

    shape = [concrete(dimension, sizes) for dimension in buffer.shape]
    dtype = KernelParam.from_buffer(buffer).torch_dtype()
    bits = buffer.dtype.bits * buffer.dtype.lanes
    if bits < 8:  # several to a byte
        shape[-1] = shape[-1] * bits // (8 * dtype.itemsize)
    return torch.empty(shape, dtype=dtype, device=device)


def concrete(dimension: Any, sizes: dict[Any, int]) -> int:
    from tvm import arith, tirx

    if isinstance(dimension, int):
        return dimension
    known = {variable: tirx.IntImm(variable.dtype, size) for variable, size in sizes.items()}
    return int(arith.Analyzer().simplify(tirx.stmt_functor.substitute(dimension, known)))
