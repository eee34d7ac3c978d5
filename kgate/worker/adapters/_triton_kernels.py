"""What a compiled Triton kernel tells of itself; a kernel is a triton.compiler.CompiledKernel (3.6 and 3.9)."""

import re
from collections.abc import Mapping
from typing import Any

from kgate.protocol import ArtifactKind
from kgate.worker.adapters import Built

STAGES: tuple[ArtifactKind, ...] = ("ttir", "ttgir", "llir", "ptx")
OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
TARGET = re.compile(r"^\.target\s+(sm_\w+)", re.MULTILINE)

took_ns: dict[str, int] = {}  # by the kernel's hash, which is of its source, options and target


def built(kernel: Any, note: str = "") -> Built:
    return Built(
        kernel=kernel.name,
        arch=arch_of(kernel),
        cubin=kernel.asm.get("cubin"),
        texts=texts_of(kernel),
        dynamic_shared_bytes=kernel.metadata.shared,
        config=config_of(kernel),
        compile_ns=took_ns.get(kernel.hash),
        note=note,
    )


def arch_of(kernel: Any) -> str:
    """As in the PTX: Triton asks for the features of one architecture alone from sm_90 on ("sm_90a")."""
    found = TARGET.search(kernel.asm.get("ptx", ""))
    return found[1] if found else f"sm_{kernel.metadata.target.arch}"


def texts_of(kernel: Any) -> Mapping[ArtifactKind, str]:
    texts: dict[ArtifactKind, str] = {stage: kernel.asm[stage] for stage in STAGES if stage in kernel.asm}
    function = getattr(kernel.src, "fn", None)
    return {"source": function.src, **texts} if function is not None else texts


def config_of(kernel: Any) -> Mapping[str, str]:
    """Its constants, those included that Triton made of arguments that are 1 or None, and the compiler's options."""
    names = getattr(getattr(kernel.src, "fn", None), "arg_names", ())
    constants = getattr(kernel.src, "constants", {})
    told = {place_of(path, names): text_of(value) for path, value in constants.items()}
    options = {name: getattr(kernel.metadata, name, None) for name in OPTIONS}
    return {**told, **{name: str(value) for name, value in options.items() if value is not None}}


def place_of(path: tuple[int, ...], names: tuple[str, ...]) -> str:
    """A path leads to an argument, and further into tuples."""
    first, *inner = path
    return names[first] + "".join(f"[{index}]" for index in inner)


def text_of(value: Any) -> str:
    """A function among the constants by its name, since its own text may hold an address."""
    return str(getattr(value, "__name__", value))
