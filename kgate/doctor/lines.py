"""One line for each thing that a run uses: its state, what was found, why it matters, and the fix. Values only."""

import shlex
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import Enum

from kgate import __version__
from kgate.doctor.fit import FITS, NVCC, Misfit
from kgate.doctor.machine import Folder, Seen
from kgate.doctor.prospects import no_compiler, no_gpu
from kgate.figures import count, size_of
from kgate.runner.sandbox import FIX

SPACE_BYTES = 5 << 30  # a judgement: outputs of every arm, compile caches, base's work tree


class State(str, Enum):
    OK = "ok"
    LOOK = "look"  # here, and something about it does not fit or disturbs
    MISSING = "missing"
    NOT_RUN = "not run"  # could not be looked at


@dataclass(frozen=True, kw_only=True)
class Line:
    """`fix` is "" where nothing is to be done."""

    topic: str
    state: State
    found: str
    why: str
    fix: str = ""


# Why it matters, by topic.
WHY = {
    "gate": "judges and reports; it needs no torch and no GPU",
    "worker": "runs the kernels; without it nothing is checked",
    "torch": "allocates and times, and runs most fallbacks",
    "gpu": "runs kernels for CUDA, whose latency can block",
    "driver": "decides which CUDA programs, and so which compilers' output, can run",
    "clocks": "a throttled GPU makes times that do not repeat",
    "neighbours": "whoever computes on the GPU as well is in the times",
    "tilelang": "kernels with `dsl: tilelang`",
    "triton": "kernels with `dsl: triton`",
    "cutile": "kernels with `dsl: cutile`",
    "cutedsl": "kernels with `dsl: cutedsl`",
    "cuda": "kernels with `dsl: cuda`, built against torch",
    "compiler": "compiles TileLang's kernels for the CPU, and what Triton launches its kernels by",
    "nvcc": "compiles CUDA C++, and what TileLang makes for GPUs",
    "ncu": "`kgate repro --with ncu` profiles a kernel",
    "compute-sanitizer": "`--with compute-sanitizer` finds bad accesses",
    "nvdisasm": "writes the SASS of `--dump`",
    "namespaces": "`--sandbox namespaces` runs kernels in namespaces of their own, within which little can be harmed",
    "disk": "outputs of every arm are kept until they are compared",
    "state": "a run that is interrupted goes on from here; compile caches of each arm lie here as well",
    "scratch": "compilers write their temporary files here",
    "git": "finds the base commit and checks it out",
}
PACKAGES = {
    "tilelang": "tilelang",
    "triton": "triton",
    "cutile": "'cuda-tile[tileiras]'",
    "cutedsl": "nvidia-cutlass-dsl",
}
TOOLKIT = "put the CUDA toolkit's bin folder on PATH"


def line(topic: str, found: str, state: State = State.OK, fix: str = "") -> Line:
    return Line(topic=topic, state=state, found=found, why=WHY[topic], fix=fix)


def lines(seen: Seen, wanted: Collection[str] | None) -> list[Line]:
    """`wanted`: DSLs of the manifest; None is all of them. What is neither wanted nor here has no line."""
    return [
        line("gate", f"kgate {__version__}, {seen.gate}"),
        worker(seen),
        *gpu(seen),
        *(packages(seen, wanted) if seen.identity is not None else ()),
        compiler(seen),
        *tools(seen),
        namespaces(seen),
        disk(seen.state, seen.scratch),
        folder("state", seen.state),
        folder("scratch", seen.scratch),
        git(seen),
    ]


def worker(seen: Seen) -> Line:
    if seen.identity is None:
        fix = "name the interpreter that has torch with --python, or as `python` in the manifest"
        return line("worker", seen.trouble, State.MISSING, fix)
    return line("worker", f"Python {seen.fact('python')}, {seen.worker}")


def fitted(topic: str, found: str, misfit: Misfit | None) -> Line:
    """Here, and with what does not fit about it."""
    return line(topic, f"{found}: {misfit.text}", State.LOOK, misfit.fix) if misfit else line(topic, found)


def gpu(seen: Seen) -> Iterator[Line]:
    card, name = seen.card, seen.fact("device")
    unseen = no_gpu(seen)
    if card is None and (unseen or name in ("", "cpu")):
        found = "none" if seen.driver else "none, and no NVIDIA driver answers"
        fix = "check those on a machine with a GPU"
        yield line("gpu", found, State.MISSING, fix)
        return
    here = f"{card.name if card else name}, compute capability {seen.capability or 'unknown'}"
    if unseen:
        yield line("gpu", f"{here}: {unseen}", State.LOOK, "install a torch with CUDA, or look at CUDA_VISIBLE_DEVICES")
    else:
        yield line("gpu", here)
    yield (
        line("driver", seen.driver)
        if seen.driver
        else line("driver", "does not tell its version", State.LOOK, "see whether nvidia-smi works here")
    )
    if card is not None:
        yield clocks(seen)
        yield neighbours(seen)


def clocks(seen: Seen) -> Line:
    assert seen.card is not None
    state, most = seen.card.state, seen.card.most_sm_mhz
    now = state.readings.get("sm-clock-mhz")
    found = "unknown" if now is None else f"{now:.0f} MHz now" + (f", {most} at most" if most else "")
    warm = state.readings.get("temperature-c")
    found += "" if warm is None else f", {warm:.0f} °C"
    if state.throttle:
        return line("clocks", f"{found}; throttled: {state.throttle}", State.LOOK, "cool it, or raise its power limit")
    if seen.card.persistence is False:
        fix = "`nvidia-smi -pm 1` as root: else the driver is set up anew for every first process"
        return line("clocks", f"{found}; persistence mode is off", State.LOOK, fix)
    return line("clocks", found)


def neighbours(seen: Seen) -> Line:
    assert seen.card is not None
    if seen.card.processes is None:
        fix = "see with `nvidia-smi` who computes on this GPU, outside containers"
        return line("neighbours", "the driver does not tell", State.LOOK, fix)
    if not seen.card.processes:
        return line("neighbours", "nobody else computes on it, as far as can be seen from here")
    named = [
        f"{pid}{f' {seen.neighbours[pid]}' if seen.neighbours.get(pid) else ''}"
        + (f" ({size_of(used)})" if used is not None else "")
        for pid, used in seen.card.processes
    ]
    found = f"{count(len(named), 'process', 'processes')} on it: {', '.join(named)}"
    return line("neighbours", found, State.LOOK, "end them, or wait until they are done, before anything is timed")


def packages(seen: Seen, wanted: Collection[str] | None) -> Iterator[Line]:
    """torch, the DSLs, and nvcc, which several of them call."""
    assert seen.identity is not None
    for dsl, fits in FITS.items():
        absent = seen.identity.adapters.get(dsl, "").replace(f" for {seen.fact('interpreter')}", "")
        if dsl == "cuda" and (absent or (wanted is not None and dsl not in wanted)):
            continue  # nothing is installed for it but torch, which has its line
        if not absent:
            yield fitted(dsl, version(seen, dsl), fits(seen))
        elif dsl == "torch":
            yield line(dsl, absent, State.MISSING, "install it, or name another --python")
        elif wanted is None or dsl in wanted:
            fix = f"`{shlex.quote(seen.worker)} -m pip install {PACKAGES[dsl]}`"
            yield line(dsl, absent, State.MISSING, fix)
    nvcc = seen.fact("nvcc")
    looked = "not in CUDA_HOME, on PATH, of pip, or in /usr/local/cuda"
    yield line("nvcc", nvcc) if nvcc else line("nvcc", looked, State.MISSING, NVCC)


def version(seen: Seen, dsl: str) -> str:
    if dsl == "torch":
        return f"{seen.fact('torch')}, CUDA {seen.fact('torch-cuda') or 'not built in'}"
    if dsl == "cuda":
        return f"CUDA C++ for torch, nvcc {seen.fact('nvcc') or 'none'}"
    own = seen.fact("nvidia-cutlass-dsl" if dsl == "cutedsl" else dsl)
    tool = {"cutile": "tileiras", "triton": "triton-ptxas"}.get(dsl, "")
    beside = f", {tool.removeprefix('triton-')} {seen.fact(tool)}" if tool and seen.fact(tool) else ""
    return f"{own}{beside}"


def compiler(seen: Seen) -> Line:
    said = seen.tools.get(seen.compiler)
    if said:
        return line("compiler", f"{seen.compiler} {said}")
    fix = "install gcc, or name a C compiler with CC"
    return line("compiler", no_compiler(seen), State.MISSING, fix)


def tools(seen: Seen) -> Iterator[Line]:
    for tool in ("ncu", "compute-sanitizer", "nvdisasm"):
        said = seen.tools.get(tool)
        yield line(tool, said) if said else line(tool, "not on PATH", State.MISSING, TOOLKIT)


def namespaces(seen: Seen) -> Line:
    gaps = "; ".join(seen.sandbox.gaps)
    if not seen.sandbox.confines:
        return line("namespaces", gaps or "not tried", State.LOOK, FIX)
    if gaps:
        return line("namespaces", f"can be made, but {gaps}", State.LOOK, "see SECURITY.md for what that leaves open")
    return line("namespaces", "user, mount, PID, network and IPC namespaces can be made")


def disk(*folders: Folder) -> Line:
    tightest = min(folders, key=lambda each: each.free_bytes)
    found = f"{size_of(tightest.free_bytes)} free at {tightest.path}"
    if tightest.free_bytes < SPACE_BYTES:
        return line("disk", found, State.LOOK, f"free some space: less than {size_of(SPACE_BYTES)} is soon used up")
    return line("disk", found)


def folder(topic: str, seen: Folder) -> Line:
    if seen.problem:
        fix = "mend its permissions" if topic == "state" else "set TMPDIR to a folder that can be written"
        return line(topic, f"{seen.path}: {seen.problem}", State.LOOK, fix)
    if not seen.runs_code:
        fix = "mount it without noexec: what compilers write there is loaded from there"
        return line(topic, f"{seen.path} is mounted noexec", State.LOOK, fix)
    return line(topic, f"{seen.path} can be written")


def git(seen: Seen) -> Line:
    said = seen.tools.get("git", "")
    if not said:
        return line("git", "not on PATH", State.MISSING, "install git; kgate needs it to find the base commit")
    return line("git", said)
