"""What the custom path costs besides time has grown against the base commit."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from kgate.figures import count, size_of, time_of
from kgate.model import BASE, HEAD, Case, CompiledKernel, Finding, Level, Measurement, Run
from kgate.rules._law import Limit, Said, of_case
from kgate.rules._state import base_asked, custom_right, proven_right

NAME = "grown"
DEFAULT = Level.WARN
ON_CPU: Level | None = None
WANTS = "The custom path takes no more memory, kernel launches, registers or spills than at the base commit."
WHY = (
    "Latency on an idle GPU hides what a model pays later: a workspace that no longer fits beside the weights, one "
    "more kernel launch for every token, registers that halve how many blocks run at once. These are counted and not "
    "timed, so growth is never noise. Only what compiling takes is measured, and once: alone, it is never more than a "
    "note."
)
SATISFY = (
    "Look at the quantity that the finding names, in head's code and in base's: `kgate check --dump DIR` writes both. "
    "If it is the price of a gain, say so in the change; where the policy makes it block, set `grown: warn` in a "
    "change of its own."
)


@dataclass(frozen=True, kw_only=True)
class Margin:
    """How far a quantity may rise: by this factor, and by less than `least`."""

    factor: float
    least: int


# Every tensor counts rounded up (to 512 B by torch's allocator), and another tile size may pad an output otherwise.
MEMORY = Margin(factor=1.05, least=1 << 20)
# Each costs the host some microseconds in every call, and is a whole number that does not wobble.
LAUNCHES = Margin(factor=1.0, least=1)
# A compiler hands out registers in eights; a tenth more of 64 is the next step.
REGISTERS = Margin(factor=1.1, least=1)
# Spills go through memory in the innermost loop: from none to some is the step that counts.
SPILLS = Margin(factor=1.1, least=1)
SHARED = Margin(factor=1.1, least=1)
# One cold compile, beside others: twice as long happens, two seconds more on top rarely do.
COMPILE = Margin(factor=2.0, least=2_000_000_000)
SHOWN = 5  # besides the worst, which is in the sentence


@dataclass(frozen=True, kw_only=True)
class Growth:
    """A quantity beyond its margin. `noisy`: measured once, and not counted."""

    what: str
    was: int
    now: int
    shown: Callable[[float], str]
    noisy: bool

    @property
    def ratio(self) -> float:
        return self.now / self.was if self.was else math.inf

    @property
    def step(self) -> str:
        """`64 → 96`."""
        return f"{self.shown(self.was)} → {self.shown(self.now)}"


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for case in run.cases:
        growths = sorted(growths_of(run, case), key=lambda g: (g.noisy, -g.ratio))
        if growths:
            level = min(limit.level, Level.NOTE) if growths[0].noisy else limit.level
            yield of_case(run, replace(limit, level=level), case, said(run, case, growths))


def growths_of(run: Run, case: Case) -> Iterator[Growth]:
    """Head's against base's, where both are right: what a wrong kernel costs is no measure."""
    head, base = run.answered(HEAD, case), run.answered(BASE, case)
    known = base_asked(run, case) and custom_right(run, case) and proven_right(run, BASE, case)
    if head is None or base is None or not known:
        return
    if run.kernels[case.kernel].steps == run.base_kernels[case.kernel].steps:
        yield from of_call(head, base)
    retuned = tuned_apart(head, base)
    for old, new in pairs(head, base):
        # Which of two equal configurations a tuner takes is chance, and no growth of the kernel's.
        if not (retuned and old.config != new.config) and not (old.code_sha256 == new.code_sha256 != ""):
            yield from of_kernel(old, new)


def of_call(head: Measurement, base: Measurement) -> Iterator[Growth]:
    for key, what, margin, shown in (
        ("workspace-bytes", "workspace", MEMORY, size_of),
        ("peak-bytes", "peak memory", MEMORY, size_of),
        ("kernel-launches", "kernel launches of a call", LAUNCHES, str),
    ):
        yield from growth(what, base.facts.get(key), head.facts.get(key), margin, shown)


def of_kernel(old: CompiledKernel, new: CompiledKernel) -> Iterator[Growth]:
    for was, now, what, margin, shown in (
        (old.registers, new.registers, "registers", REGISTERS, str),
        (old.local_bytes, new.local_bytes, "spills and local memory", SPILLS, size_of),
        (old.shared_bytes, new.shared_bytes, "shared memory", SHARED, size_of),
        (old.compile_ns, new.compile_ns, "compile time", COMPILE, time_of),
    ):
        yield from growth(f"{what} of {new.kernel}", was, now, margin, shown)


def growth(
    what: str, was: int | None, now: int | None, margin: Margin, shown: Callable[[float], str]
) -> Iterator[Growth]:
    """None where it is within the margin, or one side does not tell."""
    if was is not None and now is not None and now > was * margin.factor and now - was >= margin.least:
        yield Growth(what=what, was=was, now=now, shown=shown, noisy=margin is COMPILE)


def pairs(head: Measurement, base: Measurement) -> Iterator[tuple[CompiledKernel, CompiledKernel]]:
    """(base's, head's) of the same name, in the order first used. A kernel that only one side has is new, not grown."""
    waiting: dict[str, list[CompiledKernel]] = {}
    for old in base.compiled:
        waiting.setdefault(old.kernel, []).append(old)
    for new in head.compiled:
        if waiting.get(new.kernel):
            yield waiting[new.kernel].pop(0), new


def tuned_apart(head: Measurement, base: Measurement) -> bool:
    """Whether an autotuner that both sides have took another pick in head than in base."""
    ours, theirs = head.facts.get("tuned", {}), base.facts.get("tuned", {})
    return any(theirs.get(key, pick) != pick for key, pick in ours.items())


def said(run: Run, case: Case, growths: list[Growth]) -> Said:
    worst, *others = growths
    function = run.kernels[case.kernel].custom
    also = f", and {count(len(others), 'other quantity', 'other quantities')}" if others else ""
    more = {"more": f"{len(others) - SHOWN} with --format json"} if len(others) > SHOWN else {}
    return Said(
        sentence=f"{function} on workload {case.workload} has grown since base: {worst.what} {worst.step}{also}",
        evidence={**{other.what: other.step for other in others[:SHOWN]}, **more},
        advice=f"Compare what {function} allocates, launches and keeps per thread with base's: `--dump DIR` writes "
        "the compiled code of both.",
    )
