"""What will run on this machine and what will not: kernels of the manifest by DSL and target, or DSLs alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kgate.doctor.fit import FITS
from kgate.doctor.machine import Seen
from kgate.model import Manifest
from kgate.plan import plain_target

NO_GPU = "no GPU is seen here"
# Without a manifest: where a DSL can have kernels at all, as far as kgate knows.
POSSIBLE: Mapping[str, Sequence[str]] = {
    "torch": ("cpu", "cuda"),
    "tilelang": ("cpu", "cuda"),
    "triton": ("cuda",),
    "cutile": ("cuda",),
    "cutedsl": ("cuda",),
    "cuda": ("cuda",),
}

# Who calls the C compiler: TileLang's C target, and Triton for each kernel's launcher (triton/runtime/build.py of 3.6).
COMPILED_ON_CPU, LAUNCHED_ON_GPU = "tilelang", "triton"


@dataclass(frozen=True, kw_only=True)
class Prospect:
    """Kernels of one DSL on one target; `reason` is "" where they run here. `kernels` is empty without a manifest."""

    dsl: str
    target: str  # of the manifest: "cpu", "cuda", "sm_90"
    kernels: Sequence[str]
    reason: str

    @property
    def runs(self) -> bool:
        return not self.reason


def prospects(seen: Seen, manifest: Manifest | None) -> list[Prospect]:
    """Those that run first, else in the order written."""
    groups: dict[tuple[str, str], dict[str, None]] = {}
    for kernel in manifest.kernels if manifest else ():
        for target in dict.fromkeys(t for workload in kernel.workloads for t in workload.targets):
            groups.setdefault((kernel.dsl, target), {})[kernel.name] = None
    if manifest is None:
        groups = {(dsl, target): {} for dsl, targets in POSSIBLE.items() for target in targets}
    found = [
        Prospect(dsl=dsl, target=target, kernels=tuple(kernels), reason=reason(seen, dsl, target))
        for (dsl, target), kernels in groups.items()
    ]
    return sorted(found, key=lambda prospect: not prospect.runs)


def reason(seen: Seen, dsl: str, target: str) -> str:
    """Why kernels of this DSL do not run on this target here; "" if nothing speaks against it."""
    if seen.identity is None:
        return "the worker's interpreter does not answer"
    absent = seen.identity.adapters.get("torch") or seen.identity.adapters.get(dsl)
    if absent:
        return absent
    on_cpu = plain_target(target) == "cpu"
    compiler = no_compiler(seen) if dsl == (COMPILED_ON_CPU if on_cpu else LAUNCHED_ON_GPU) else ""
    if on_cpu:
        return seen.identity.devices.get("cpu", "") or compiler
    return no_gpu(seen) or other_gpu(seen, target) or compiler or misfit(seen, dsl)


def no_compiler(seen: Seen) -> str:
    """Why no C compiler can be called; "" if one can."""
    return "" if seen.compiler in seen.tools else f"the C compiler {seen.compiler} is not on PATH"


def no_gpu(seen: Seen) -> str:
    """Why the worker has no GPU; "" if it has one."""
    devices = seen.identity.devices if seen.identity else {}
    name = "cuda:0" if "cuda:0" in devices else "cuda"
    why = devices.get(name, "").removeprefix(f"{name}: ")
    # What torch lacks besides would not help without one.
    return NO_GPU if why and seen.card is None else why


def other_gpu(seen: Seen, target: str) -> str:
    arch = f"sm_{seen.capability.replace('.', '')}"
    return "" if plain_target(target) in ("cuda", arch) else f"this GPU is {arch}"


def misfit(seen: Seen, dsl: str) -> str:
    for name in dict.fromkeys(("torch", dsl)):
        found = FITS[name](seen)
        if found and found.blocks:
            return found.text
    return ""
