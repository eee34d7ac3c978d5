"""What is known of a compiled cuTile kernel (1.7.0), by the function, its specialisation and the compiler's options."""

import contextlib
import inspect
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from kgate.protocol import ArtifactKind
from kgate.worker.adapters import Built


class Key(NamedTuple):
    function: Any  # as the user wrote it
    symbol: str  # holds the specialisation of every argument
    options: str


@dataclass(frozen=True, kw_only=True)
class Compiled:
    signature: Any  # KernelSignature
    options: Any  # CompilerOptions
    arch: str
    cubin: bytes
    bytecode: bytes
    compile_ns: int | None


remembered: dict[Key, Compiled] = {}  # what compile_tile made last


def remember(asked: Mapping[str, Any], result: Any, compile_ns: int | None) -> None:
    """`asked`: compile_tile's arguments by name."""
    if result.cubin is None:
        return
    function, options = asked["ann_func"], asked["compiler_options"]
    for signature in result.kernel_signatures:
        key = Key(getattr(function, "pyfunc", function), signature.symbol, repr(options))
        remembered[key] = Compiled(
            signature=signature,
            options=options,
            arch=asked["sm_arch"],
            cubin=result.cubin,
            bytecode=bytes(result.bytecode),
            compile_ns=compile_ns,
        )


def key_of(kernel: Any, args: tuple[Any, ...]) -> Key:
    return Key(kernel._pyfunc, signature_of(kernel, args).symbol, repr(kernel._compiler_options))


def signature_of(kernel: Any, args: tuple[Any, ...]) -> Any:
    """
    As a launch makes it: specialised as far as the second calling convention can, and then named by the first that
    can hold the result.
    """
    from cuda.tile.compilation import CallingConvention, KernelSignature

    signature = KernelSignature.from_kernel_args(kernel, args, CallingConvention.cutile_python_v2())
    with contextlib.suppress(ValueError):
        first = KernelSignature(signature.parameters, CallingConvention.cutile_python_v1())
        return first.with_mangled_symbol(kernel._pyfunc.__name__)
    return signature


def built(key: Key, note: str = "") -> Built:
    compiled = remembered[key]
    return Built(
        kernel=key.symbol,
        arch=compiled.arch,
        cubin=compiled.cubin,
        texts=texts_of(key.function, compiled.bytecode),
        config=config_of(key.function, compiled),
        compile_ns=compiled.compile_ns,
        note=note,
    )


def texts_of(function: Any, bytecode: bytes) -> Mapping[ArtifactKind, str]:
    """The Tile IR only where its disassembler is beside tileiras, from CUDA 13.4 on."""
    from cuda.tile import _compile as compiler
    from cuda.tile._exception import TileError

    texts: dict[ArtifactKind, str] = {}
    with contextlib.suppress(OSError):
        texts["source"] = inspect.getsource(function)
    with contextlib.suppress(OSError, TileError, AttributeError, subprocess.SubprocessError):
        texts["tileir"] = compiler._bytecode_to_mlir_text(bytecode)
    return texts


def config_of(function: Any, compiled: Compiled) -> Mapping[str, str]:
    """Constant arguments, and the compiler's options as they are for this GPU."""
    told: dict[str, str] = {}
    for name, constraint in zip(inspect.signature(function).parameters, compiled.signature.parameters, strict=True):
        told.update(constants(name, constraint))
    by_target = compiled.options.hints_by_target()
    options = {**by_target.get("default", {}), **by_target.get(compiled.arch, {})}
    return {**told, **{name: str(value) for name, value in options.items() if value is not None}}


def constants(name: str, constraint: Any) -> Iterator[tuple[str, str]]:
    from cuda.tile.compilation import ConstantConstraint, TupleConstraint

    if isinstance(constraint, ConstantConstraint):
        yield name, str(constraint.value)
    elif isinstance(constraint, TupleConstraint):
        for index, item in enumerate(constraint.items):
            yield from constants(f"{name}[{index}]", item)


@contextlib.contextmanager
def named_instead(function: Any, other: Any) -> Iterator[None]:
    """
    Every module's name for `function` is one for `other` within it.

    So that nothing stands in between when launches are timed, and a user's `from cuda.tile import launch` is told of
    all the same; what holds it in another place is not.
    """
    rename(function, other)
    try:
        yield
    finally:
        rename(other, function)  # of modules that were imported meanwhile as well


def rename(function: Any, other: Any) -> None:
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", {})
        for name in [name for name, value in list(names.items()) if value is function]:
            names[name] = other
