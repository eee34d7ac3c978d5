"""What there is to compile: cases of the manifest for architectures, and shares of them for processes. Values only."""

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
# By DSL, of a variant, about (`kgate compile` of examples/gallery, two cores): nvcc is behind the slow ones.
SECONDS = {"tilelang": 4, "cuda": 20}


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


def shares(items: Iterable[Item]) -> list[tuple[Item, ...]]:
    """
    Work for one process each: all cases of a kernel for one architecture, since its workloads share what is compiled.

    What takes longest comes first, so that nobody waits for it alone at the end.
    """
    dealt: dict[tuple[str, str], list[Item]] = {}
    for item in items:
        dealt.setdefault((item.case.device, item.case.kernel), []).append(item)
    return sorted((tuple(share) for share in dealt.values()), key=weight, reverse=True)


def weight(share: Sequence[Item]) -> int:
    return sum(SECONDS.get(item.job.dsl, 1) for item in share)
