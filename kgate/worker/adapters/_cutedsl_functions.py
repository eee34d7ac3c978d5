"""
What a function compiled by CuTe DSL tells of itself; it is a cutlass.base_dsl.jit_executor.JitCompiledFunction (4.8.1).

Its module is host code in MLIR's LLVM dialect, which holds the machine code as bytes, and launches with constants.
"""

import importlib.util
import re
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from kgate.worker import cubin
from kgate.worker.adapters import Built, _fatbin

# As the module is printed: %80 = llvm.call @_cudaLaunchKernelEx(%68, %79, %71) : …
VALUE = re.compile(r"^\s*(%\w+) = (.*)$")
STORE = re.compile(r"^\s*llvm\.store (%\w+), (%\w+) :")
LAUNCH = re.compile(r"llvm\.call @_cudaLaunchKernelEx\((%\w+), (%\w+), %\w+\)")
FIELD = re.compile(r"llvm\.getelementptr (%\w+)\[(.*?)\]")
LOAD = re.compile(r"llvm\.load (%\w+) ")
KERNEL = re.compile(r"llvm\.mlir\.addressof @kernels_(\w+) ")
BYTES = re.compile(r"llvm\.mlir\.constant\((\d+) : i64\)")
SHARED_FIELD = "0, 2"  # of cudaLaunchConfig_t: dynamicSmemBytes, behind two dim3
UNTOLD = "dynamic shared memory is not told: the size is no constant, or the launch is not one of this version's"


@dataclass(frozen=True, kw_only=True)
class Made:
    function: Any
    arch: str
    compile_ns: int | None
    options: str

    def built(self) -> list[Built]:
        codes = [(image.cubin, code) for image in images_of(self.function) for code in cubin.read(image.cubin or b"")]
        shared = shared_bytes(str(self.function.ir_module)) if codes else {}
        return [
            Built(
                kernel=code.kernel,
                arch=self.arch,
                cubin=data,
                texts={"ptx": self.function.__ptx__} if self.function.__ptx__ else {},
                dynamic_shared_bytes=shared.get(code.kernel, 0),
                config={"options": self.options},
                compile_ns=self.compile_ns,
                note="" if code.kernel in shared else UNTOLD,
            )
            for data, code in codes
        ]


@dataclass(frozen=True, kw_only=True)
class Heard:
    """Functions that were compiled or run, in the order first met."""

    made: dict[int, Made] = field(default_factory=dict)

    def hear(self, made: Made | None) -> None:
        if made is not None:
            self.made.setdefault(id(made.function), made)

    def built(self) -> list[Built]:
        return [one for made in self.made.values() for one in made.built()]


listeners: list[Heard] = []
# By the id of the engine, which a function and all that executes it share; an engine lives as long as its function.
by_engine: "weakref.WeakValueDictionary[int, Any]" = weakref.WeakValueDictionary()
facts: "weakref.WeakKeyDictionary[Any, tuple[str, int | None, str]]" = weakref.WeakKeyDictionary()


@contextmanager
def listening() -> Iterator[Heard]:
    heard = Heard()
    listeners.append(heard)
    try:
        yield heard
    finally:
        listeners.remove(heard)


def tvm_ffi_classes() -> list[Any]:
    """Of functions that are called through TVM-FFI, past the executor; none where it is not installed."""
    if importlib.util.find_spec("tvm_ffi") is None:
        return []
    from cutlass.cutlass_dsl import tvm_ffi_provider

    return [tvm_ffi_provider.TVMFFIJitCompiledFunction, tvm_ffi_provider.TVMFFIJitCompiledFunctionWithKwargs]


def keep(function: Any, arch: str, compile_ns: int | None, options: str) -> None:
    facts[function] = (arch, compile_ns, options)
    if function.engine is not None:
        by_engine[id(function.engine)] = function
    for heard in listeners:
        heard.hear(made_of(function))


def of_engine(engine: Any) -> Made | None:
    function = by_engine.get(id(engine))
    return None if function is None else made_of(function)


def made_of(function: Any) -> Made | None:
    """None for one that was not compiled in this process, but loaded from an object file."""
    if function not in facts:
        return None
    arch, compile_ns, options = facts[function]
    return Made(function=function, arch=arch, compile_ns=compile_ns, options=options)


def images_of(function: Any) -> list[_fatbin.Image]:
    if function.ir_module is None:
        return []
    values = [
        operation.attributes["value"].value_bytes
        for operation in function.ir_module.body.operations
        if operation.operation.name == "llvm.mlir.global" and str(operation.attributes["sym_name"]).endswith('_binary"')
    ]
    return [image for value in values for image in _fatbin.images(value) if image.cubin]


def shared_bytes(module: str) -> dict[str, int]:
    """By kernel: what its launch asks for; a kernel is missing where that cannot be read."""
    found: dict[str, int] = {}
    for function in module.split("llvm.func @"):
        lines = function.splitlines()
        values = {match[1]: match[2] for match in map(VALUE.match, lines) if match}
        stores = [(match[1], match[2]) for match in map(STORE.match, lines) if match]
        for call in values.values():
            launch = LAUNCH.search(call)
            if launch and (told := launch_bytes(launch[1], launch[2], values, stores)):
                found[told[0]] = max(told[1], found.get(told[0], 0))
    return found


def launch_bytes(
    configuration: str, kernel: str, values: dict[str, str], stores: list[tuple[str, str]]
) -> tuple[str, int] | None:
    """Kernel and bytes. The configuration is loaded from a cell, in which its address was stored."""
    name = KERNEL.search(values.get(loaded(kernel, values), ""))
    cell = base(loaded(configuration, values), values)
    held = next((value for value, place in stores if base(place, values) == cell), "")
    sizes = [value for value, place in stores if field_of(place, values) == (held, SHARED_FIELD)]
    size = BYTES.search(values.get(sizes[0], "")) if len(sizes) == 1 else None
    return (name[1], int(size[1])) if name and size else None


def loaded(value: str, values: dict[str, str]) -> str:
    """Where a value was loaded from."""
    match = LOAD.search(values.get(value, ""))
    return match[1] if match else ""


def base(place: str, values: dict[str, str]) -> str:
    return field_of(place, values)[0]


def field_of(place: str, values: dict[str, str]) -> tuple[str, str]:
    """Structure and field that an address is of; ("", "") for another address."""
    match = FIELD.search(values.get(place, ""))
    return (match[1], match[2]) if match else ("", "")
