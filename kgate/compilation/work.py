"""What there is to compile: cases of the manifest for architectures, and shares of them for processes. Values only."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgate.errors import UsageError
from kgate.load.hints import nearest
from kgate.model import HEAD, Case, Kernel, Manifest
from kgate.plan import Target, job, plain_target, plan
from kgate.protocol import CaseJob
from kgate.worker.architectures import ARCHITECTURES

USUAL = ("sm_80", "sm_90", "sm_100")
SHARES_PER_PROCESS = 2  # one that is slow must not be waited for by all the others


@dataclass(frozen=True, kw_only=True)
class Options:
    """What the command line chose; "" and () mean that kgate chooses. `dump`: the folder for what is made."""

    manifest: Path
    architectures: tuple[str, ...] = ()
    python: str = ""
    kernels: tuple[str, ...] = ()
    workloads: tuple[str, ...] = ()
    jobs: int = 1
    dump: Path | None = None


@dataclass(frozen=True, kw_only=True)
class Item:
    """One case for one architecture, which stands in the device's place."""

    case: Case
    job: CaseJob


@dataclass(frozen=True, kw_only=True)
class Work:
    items: tuple[Item, ...]
    left_out: Mapping[str, str]  # kernel -> why there is nothing, or not everything, to compile of it


def architectures(asked: Sequence[str], manifest: Manifest) -> tuple[str, ...]:
    """Those asked for, else those that the manifest's targets name, else the usual. Raises UsageError."""
    for name in asked:
        if name not in ARCHITECTURES:
            raise UsageError(f"--arch {name}: no such architecture{nearest(name, ARCHITECTURES)}")
    named = {target for kernel in manifest.kernels for target in targets_of(kernel)}
    return tuple(dict.fromkeys(asked)) or tuple(n for n in ARCHITECTURES if n in named) or USUAL


def work(manifest: Manifest, chosen: Iterable[str]) -> Work:
    """Every workload whose targets hold `cuda` or the architecture, in the order written, by architecture."""
    left_out = {kernel.name: why for kernel in manifest.kernels if (why := reason(kernel))}
    items = []
    for arch in chosen:
        planned = plan(manifest, None, Target(kind="cuda", name=arch, arch=arch))
        cases = [c for c in planned.cases if c.kernel not in left_out and c.direction == "forward"]
        items += [Item(case=case, job=job(planned, HEAD, case)) for case in cases]
    for kernel in manifest.kernels:
        if kernel.name not in left_out and not any(item.case.kernel == kernel.name for item in items):
            left_out[kernel.name] = "its targets are other architectures"
        if kernel.dsl != "torch" and (unknown := targets_of(kernel) - {"cpu", "cuda"} - ARCHITECTURES.keys()):
            left_out[kernel.name] = f"kgate does not know its target {', '.join(sorted(unknown))}"
    return Work(items=tuple(items), left_out=left_out)


def reason(kernel: Kernel) -> str:
    """Why no architecture at all has anything to compile of this kernel; "" if one may."""
    if kernel.dsl == "torch":
        return "its dsl is torch"
    if not kernel.workloads:
        return "it has no workloads"
    return "its targets are cpu alone" if targets_of(kernel) == {"cpu"} else ""


def targets_of(kernel: Kernel) -> set[str]:
    return {plain_target(target) for workload in kernel.workloads for target in workload.targets}


def shares(items: Sequence[Item], processes: int) -> list[tuple[Item, ...]]:
    """
    Work for one process each: of one architecture, with all cases of a kernel, whose workloads share what is compiled.

    Kernels are dealt in the order of their DSL, so that every share has some of each, the slow compilers' and the fast.
    """
    by_arch: dict[str, dict[str, list[Item]]] = {}
    for item in items:
        by_arch.setdefault(item.case.device, {}).setdefault(item.case.kernel, []).append(item)
    dealt: list[tuple[Item, ...]] = []
    for kernels in by_arch.values():
        hands = min(len(kernels), math.ceil(SHARES_PER_PROCESS * processes / len(by_arch)))
        ordered = sorted(kernels.values(), key=lambda unit: unit[0].job.dsl)
        dealt += [tuple(item for unit in ordered[hand::hands] for item in unit) for hand in range(hands)]
    return sorted(dealt, key=len, reverse=True)
