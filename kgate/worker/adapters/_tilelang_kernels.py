"""
What a compiled TileLang kernel tells of itself; a kernel is a tilelang.jit.kernel.JITKernel (0.1.15).

Kept for the whole process: how long each kernel took to compile, with which arguments its factory was called, and what
else is to be said of it.
"""

import re
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kgate.worker.adapters import Built, _fatbin

COMPILED_AGAIN = (
    "the machine code is nvcc's from the same source and options once more: "
    "what runs lies compressed in a shared library"
)
CUDA_KERNEL = re.compile(r"__global__ void (?:__launch_bounds__\([^)]*\) )?(\w+)\([^;{]*\) \{")
HOST_LAUNCH = re.compile(r"TVMFFIFunctionCall\((\w+)_packed, \(TVMFFIAny\*\) stack_ffi_any, (\d+),")
DYNAMIC_SHARED = "extern __shared__"
C_FUNCTION = re.compile(r"^int32_t (\w+)\(.*\) \{$", re.MULTILINE)

took_ns: "weakref.WeakKeyDictionary[Any, int]" = weakref.WeakKeyDictionary()
arguments: "weakref.WeakKeyDictionary[Any, Mapping[str, str]]" = weakref.WeakKeyDictionary()
caveats: "weakref.WeakKeyDictionary[Any, str]" = weakref.WeakKeyDictionary()
told: "weakref.WeakKeyDictionary[Any, tuple[Built, ...]]" = weakref.WeakKeyDictionary()


def built(kernel: Any) -> tuple[Built, ...]:
    """One for each device kernel that a call launches; they share a cubin."""
    if kernel not in told:
        code, caveat = machine_code(kernel)
        told[kernel] = tuple(
            Built(
                kernel=name,
                arch=arch_of(kernel),
                cubin=code,
                texts={"source": kernel.kernel_source},
                dynamic_shared_bytes=shared_bytes,
                config=config_of(kernel),
                compile_ns=took_ns.get(kernel),
                note="; ".join(part for part in (caveats.get(kernel), caveat) if part),
            )
            for name, shared_bytes in launches(kernel).items()
        )
    return told[kernel]


def name_of(kernel: Any) -> str:
    return str(kernel.prim_func.attrs["global_symbol"])


def on_cuda(kernel: Any) -> bool:
    return str(kernel.target.kind.name) == "cuda"


def arch_of(kernel: Any) -> str:
    return str(kernel.target.attrs["arch"]) if on_cuda(kernel) else "cpu"


def launches(kernel: Any) -> dict[str, int]:
    """
    Device kernels by name, each with the bytes of dynamic shared memory that its launch asks for.

    A kernel out of the disk cache has its sources alone. They are enough, but for a backend that writes others: then it
    is lowered once more, without compiling anything (10 s for an attention kernel). One of the CPU is a C function.
    """
    if not on_cuda(kernel):
        return dict.fromkeys(C_FUNCTION.findall(kernel.kernel_source), 0)
    if kernel.artifact is None and (read := launches_in(kernel.kernel_source, kernel.get_host_source() or "")):
        return read
    module = kernel.artifact.device_mod if kernel.artifact else lowered(kernel)
    functions = {str(variable.name_hint): function for variable, function in module.functions.items()}
    return {name: int(f.attrs.get("dyn_shared_memory_buf", 0)) for name, f in sorted(functions.items())}


def launches_in(device: str, host: str) -> dict[str, int] | None:
    """
    As in `launches`, from CUDA source and from the host's in C; None if the launches are written in another form.

    Where a kernel declares dynamic shared memory, its size is the last argument of the launch.
    """
    bodies = {match[1]: device[match.end() :].partition("__global__")[0] for match in CUDA_KERNEL.finditer(device)}
    found: dict[str, int] = {}
    for call in HOST_LAUNCH.finditer(host):
        name, last = call[1], int(call[2]) - 1
        if DYNAMIC_SHARED not in bodies.get(name, ""):
            found.update({name: 0} if name in bodies else {})  # others are functions of the runtime
            continue
        sizes = re.findall(rf"\[{last}\]\.v_int64\) = \(\(int64_t\)(\d+)\);", host[: call.start()])
        if not sizes:
            return None
        found[name] = int(sizes[-1])
    return dict(sorted(found.items())) if found.keys() == bodies.keys() else None


def lowered(kernel: Any) -> Any:
    from tilelang import tvm
    from tilelang.engine.lower import lower_to_host_device_ir

    with tvm.transform.PassContext(opt_level=3, config=dict(kernel.pass_configs or {})), kernel.target:
        _, module, *_ = lower_to_host_device_ir(kernel.prim_func, kernel.backend_context)
    return module


def machine_code(kernel: Any) -> tuple[bytes | None, str]:
    """The cubin, and a note about it; None for a kernel of the CPU, and for one that is built for several GPUs."""
    if not on_cuda(kernel):
        return None, ""
    if kernel.execution_backend == "tvm_ffi":
        root = kernel.adapter.rt_mod or kernel.adapter.executable
        code = next((inspected(module) for module in root.imports if module.kind == "cuda"), b"")
        return (code, "") if code else (None, "the machine code is for several architectures")
    library = Path(kernel.adapter.lib_generator.libpath or "")
    if library.suffix == ".cubin" and library.is_file():
        return library.read_bytes(), ""
    if kernel.execution_backend != "cython":
        return None, f"TileLang's {kernel.execution_backend} does not tell where it keeps its machine code"
    return library_code(kernel, library)


def inspected(module: Any) -> bytes:
    """The cubin of a runtime module; b"" if it holds another format. The way out is for text, and a cubin is none."""
    try:
        return str(module.inspect_source("cubin")).encode()
    except UnicodeDecodeError as error:
        return error.object


def library_code(kernel: Any, library: Path) -> tuple[bytes | None, str]:
    """Of a shared library, as the cython backend builds it. The first image is the kernel's: it has one source."""
    found = list(_fatbin.images(library.read_bytes())) if library.is_file() else []
    if found and found[0].cubin is not None:
        return found[0].cubin, ""
    return compiled(kernel), COMPILED_AGAIN


def compiled(kernel: Any) -> bytes:
    """By the function that the tvm_ffi backend compiles with; TileLang keeps what it makes on disk."""
    from tilelang.cuda.backend import tilelang_callback_cuda_compile
    from tilelang.transform import PassConfigKey

    configs = dict(kernel.pass_configs or {})
    flags = configs.get(PassConfigKey.TL_DEVICE_COMPILE_FLAGS) or []
    flags = [flags] if isinstance(flags, str) else list(flags)
    configs[PassConfigKey.TL_DEVICE_COMPILE_FLAGS] = [*flags, *(kernel.compile_flags or [])]
    return bytes(tilelang_callback_cuda_compile(kernel.kernel_source, kernel.target, configs))


def config_of(kernel: Any) -> dict[str, str]:
    """What its factory was called with, where it was called in this process, then what the compiler was told."""
    asked = dict(arguments.get(kernel, {}))
    asked.update({str(key): str(value) for key, value in (kernel.config or {}).items() if value is not None})
    passes = {str(getattr(key, "value", key)): str(value) for key, value in (kernel.pass_configs or {}).items()}
    flags = {"compile_flags": " ".join(kernel.compile_flags)} if kernel.compile_flags else {}
    return {**asked, **passes, **flags, "execution_backend": kernel.execution_backend}


def simple(values: Mapping[str, Any]) -> dict[str, str]:
    """Those that are no tensors and whose text is a value, not an address."""
    return {key: str(value) for key, value in values.items() if isinstance(value, int | float | str | bool)}
