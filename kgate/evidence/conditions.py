"""The four conditions under which a kernel of one's own is worth having, each with its evidence or what is missing."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from kgate.evidence import ceiling
from kgate.evidence.pace import Pace
from kgate.evidence.usage import Usage
from kgate.figures import count, factor
from kgate.model import SWITCH_OFF, Kernel, Workload

HOT = 0.10  # of the elapsed time: less than that, and not even a kernel without any cost makes the whole 1.11×
# What says that a workload is nobody's: a test's, or made up.
MADE_UP = re.compile(r"\b(?:unit )?test\b|\bsynthetic\b|\bmade up\b|\bexample\b", re.IGNORECASE)
# Of a report: what speaks against the way out.
NO_WAY_OUT = (
    *("fallback-missing", "fallback-wrong", "fallback-untested", "fallback-raises", "fallback-silent"),
    *("fallback-latched", "switch-without-effect", "owner-missing", "owner-mismatch", "owner-cannot-act"),
)
RECORD = "record real traffic with `torch.profiler.profile(record_shapes=True)` and pass it as `--trace FILE`"
CHECK = "run `kgate check`"
CAPTURE = "`kgate capture -- COMMAND` records what a run really calls"


class State(str, Enum):
    SHOWN = "shown"
    AGAINST = "against"
    MISSING = "missing"


@dataclass(frozen=True, kw_only=True)
class Condition:
    """`found` is the evidence, "" where there is none; `todo` is what to do where the condition is not shown."""

    name: str
    state: State
    found: str
    todo: str = ""


@dataclass(frozen=True, kw_only=True)
class Known:
    """All that is known of a kernel. `report` is a run's report.json."""

    kernel: Kernel
    usage: Usage | None = None
    profile: str = ""  # where the usage is from
    patterns: Sequence[str] = ()
    pace: Pace | None = None
    report: Mapping[str, Any] | None = None

    @property
    def elsewhere(self) -> bool:
        """Whether the profile is of a GPU, and the pace of a CPU: of another path than what production runs."""
        return self.usage is not None and self.usage.on_device and self.pace is not None and not self.pace.on_gpu


def conditions(known: Known) -> tuple[Condition, ...]:
    return (bottleneck(known), rival(known), workloads(known), way_out(known))


def bottleneck(known: Known) -> Condition:
    name, usage = "bottleneck", known.usage
    if usage is None:
        return Condition(name=name, state=State.MISSING, found="", todo=RECORD)
    if not usage.calls:
        found = f"nothing in {known.profile} matches {', '.join(known.patterns) or 'anything, since no name is known'}"
        todo = "name operators or kernels of the trace with `--operator GLOB`"
        return Condition(name=name, state=State.MISSING, found=found, todo=todo)
    where = "GPU" if usage.on_device else "CPU"
    p = end_to_end(usage)
    found = (
        f"{percent(usage.share)} of {where} time in {count(usage.calls, 'call')}, {known.profile}; all of it gone, "
        f"the whole is {factor(ceiling.gain(p))} as fast"
    )
    if p < HOT:
        todo = f"look for what takes more than {percent(HOT)}: this is no bottleneck"
        return Condition(name=name, state=State.AGAINST, found=found, todo=todo)
    return Condition(name=name, state=State.SHOWN, found=found)


def end_to_end(usage: Usage) -> float:
    """
    The share of the elapsed time, also that in which the device had nothing to do. All of the time in which any of the
    operator's spans ran, whatever ran beside them: without them that may be faster, and nothing else can be.
    """
    return usage.used_busy_ns / usage.elapsed_ns if usage.elapsed_ns else usage.share


def rival(known: Known) -> Condition:
    name, operator, pace = "fair rival", known.kernel.production_operator, known.pace
    todo = "; ".join(rival_todo(known))
    found = "; ".join(filter(None, (f"production runs {operator}" if operator else "", pace.text if pace else "")))
    if pace is not None and not pace.faster and not known.elsewhere:
        todo = todo or "tune the kernel, or remove it: a win that is not clear goes to the simpler path"
        return Condition(name=name, state=State.AGAINST, found=found, todo=todo)
    return Condition(name=name, state=State.MISSING if todo else State.SHOWN, found=found, todo=todo)


def rival_todo(known: Known) -> Iterator[str]:
    if not known.kernel.production_operator:
        yield "name what production runs without it in `production_operator`, and let `fallback` be that"
    if known.pace is None:
        yield f"{CHECK}, which times it beside {known.kernel.fallback or 'its fallback'}"
    elif known.elsewhere:
        yield f"{CHECK} on a GPU: the profile is of one, and this pace of a CPU"


def workloads(known: Known) -> Condition:
    """By weight; a workload of weight 0 is a test and asks for no source."""
    name = "real workloads"
    counted = [w for w in known.kernel.workloads if w.weight]
    real = [w for w in counted if is_real(w)]
    total, shown = sum(w.weight for w in counted), sum(w.weight for w in real)
    if not counted:
        return Condition(name=name, state=State.MISSING, found="", todo=f"record some: {CAPTURE}")
    found = f"{len(real)} of {count(len(counted), 'workload')} by source, {percent(shown / total)} of the weight"
    if real and shown / total > 0.5:
        return Condition(name=name, state=State.SHOWN, found=found)
    unreal = ", ".join(w.name for w in counted if not is_real(w))
    todo = f"give a source from production to {unreal}, or weight 0; {CAPTURE}"
    return Condition(name=name, state=State.MISSING, found=found, todo=todo)


def is_real(workload: Workload) -> bool:
    return bool(workload.source.strip()) and not MADE_UP.search(workload.source)


def way_out(known: Known) -> Condition:
    name, kernel = "way out", known.kernel
    against = [f for f in (known.report or {}).get("findings", ()) if speaks_against(f, kernel)]
    tested, cases = drilled(known)
    found = f"owners: {', '.join(kernel.owners) or 'those of CODEOWNERS'}" if kernel.dispatch else ""
    found += f"; the fallback answered in {tested} of {count(cases, 'drill')}" if cases else ""
    if against:
        todo = f"{against[0]['sentence']}: {against[0]['advice']}"
        return Condition(name=name, state=State.AGAINST, found=found, todo=todo)
    if kernel.switch is None and kernel.complete:
        return Condition(name=name, state=State.MISSING, found=found, todo="give the dispatch a switch, and declare it")
    if not cases or tested < cases:
        return Condition(name=name, state=State.MISSING, found=found, todo=f"{CHECK}, which drills the fallback")
    return Condition(name=name, state=State.SHOWN, found=found)


def speaks_against(finding: Mapping[str, Any], kernel: Kernel) -> bool:
    return bool(
        finding["kernel"] == kernel.name
        and finding["rule"] in NO_WAY_OUT
        and finding["level"] in ("fail", "warn")
        and not finding["undecided"]
    )


def drilled(known: Known) -> tuple[int, int]:
    """In how many of the report's cases the fallback answered, and rightly, with the switch off."""
    cases = [c for c in (known.report or {}).get("cases", ()) if c["kernel"] == known.kernel.name]
    drills = [a for c in cases for a in c["arms"] if a["arm"] == SWITCH_OFF.name]
    good = [d for d in drills if d["comparisons"] and all(c["holds"] for c in d["comparisons"])]
    return len(good), len(cases)


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"
