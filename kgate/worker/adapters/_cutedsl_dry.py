"""
CuTe DSL (4.8.1) on a machine without the GPU: it is told of one, compiles as it would there, and launches nothing.

Its compiler is in the package and needs no toolkit. Tensors without memory are handed to it through DLPack, with the
shape, strides, dtype and device that they say they have.
"""

import ctypes
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from kgate.worker.adapters import Built
from kgate.worker.adapters import _cutedsl_functions as functions
from kgate.worker.adapters._swaps import swapped
from kgate.worker.architectures import capability
from kgate.worker.faults import Fault

SUFFIX_FROM = 9  # CuTe DSL takes "sm_90a" on a GPU of compute capability 9.0, and so on (detect_gpu_arch)
CUDA = 2  # DLDeviceType of dlpack.h
# DLDataTypeCode of dlpack.h 1.1, by torch's names.
CODES = {
    **dict.fromkeys(("int8", "int16", "int32", "int64"), 0),
    **dict.fromkeys(("uint8", "uint16", "uint32", "uint64"), 1),
    **dict.fromkeys(("float16", "float32", "float64"), 2),
    "bfloat16": 4,
    **dict.fromkeys(("complex32", "complex64", "complex128"), 5),
    "bool": 6,
    "float8_e4m3fn": 10,
    "float8_e4m3fnuz": 11,
    "float8_e5m2": 12,
    "float8_e5m2fnuz": 13,
    "float8_e8m0fnu": 14,
}


@contextmanager
def dry(arch: str) -> Iterator[list[Built]]:
    """Filled at the end, with the functions that were compiled or called."""
    from cutlass.base_dsl.jit_executor import JitCompiledFunction
    from cutlass.cutlass_dsl.cuda_jit_executor import CudaDialectJitCompiledFunction

    native = native_arch(arch)
    listed: list[Built] = []
    run, bind = JitCompiledFunction.run_compiled_program, CudaDialectJitCompiledFunction.to

    def call(function: Any, *arguments: Any, **keywords: Any) -> Any:
        if not function.has_gpu_module:
            return run(function, *arguments, **keywords)
        made = functions.made_of(function)
        refuse_other(made, native)
        heard.hear(made)
        return 0

    def bound(function: Any, device: Any = None) -> Any:
        return function if function.has_gpu_module else bind(function, device)

    try:
        with ExitStack() as stack:
            heard = stack.enter_context(functions.listening())
            stack.enter_context(pretending(native))
            stack.enter_context(swapped(JitCompiledFunction, run_compiled_program=call))
            stack.enter_context(swapped(CudaDialectJitCompiledFunction, to=bound))
            for owner in functions.tvm_ffi_classes():
                stack.enter_context(swapped(owner, __call__=call))
            yield listed
    finally:
        listed += heard.built()


def native_arch(arch: str) -> str:
    major, minor = capability(arch)
    return f"sm_{major}{minor}{'a' if major >= SUFFIX_FROM else ''}"


def refuse_other(made: functions.Made | None, native: str) -> None:
    """The user's own cache may hold what was compiled for another GPU."""
    if made is not None and made.arch != native:
        raise Fault(
            "environment",
            "unavailable",
            f"{made.function.function_name} was compiled for {made.arch} in this process, and is called for {native}:"
            " compile for each in a process of its own, or let `options` of cute.compile name none",
        )


@contextmanager
def pretending(native: str) -> Iterator[None]:
    from cutlass.cutlass_dsl import CuTeDSL
    from torch._subclasses.fake_tensor import FakeTensor

    with (
        swapped(CuTeDSL._get_dsl().envar, _arch=native),
        swapped(FakeTensor, __dlpack__=capsule, __dlpack_device__=lambda _: (CUDA, 0)),
    ):
        yield


class Tensor(ctypes.Structure):
    """DLManagedTensor of dlpack.h, with DLTensor, DLDevice and DLDataType written out."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    )


kept: dict[int, Tensor] = {}  # by address, until who took one gives it back
FORGET = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda address: kept.pop(address, None) and None)


def capsule(tensor: Any, *_: Any, **__: Any) -> Any:
    """A DLPack capsule that points at no memory, for a consumer that reads shapes alone."""
    name = str(tensor.dtype).removeprefix("torch.")
    if name not in CODES:
        raise BufferError(f"{name} cannot be handed over by DLPack without its memory")
    sizes = ctypes.c_int64 * tensor.dim()
    made = Tensor(
        data=tensor.data_ptr(),
        device_type=CUDA,
        device_id=0,
        ndim=tensor.dim(),
        code=CODES[name],
        bits=8 * tensor.element_size(),
        lanes=1,
        shape=sizes(*tensor.shape),
        strides=sizes(*tensor.stride()),
        deleter=ctypes.cast(FORGET, ctypes.c_void_p),
    )
    address = ctypes.addressof(made)
    kept[address] = made
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(address, b"dltensor", None)
