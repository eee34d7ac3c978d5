"""
Manifest and device to work: which cases a run expects, and the job of each arm for each case. Values in, values out.

The order in which arms run is fixed here, for a reason each: base first, so that its outputs exist before head's code
has run; head's custom path before fallback and reference, so that no right answer exists while it runs; drills last,
since they only make sense where the fallback itself works.
"""

import hashlib
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from kgate.model import (
    BASE,
    FALLBACK,
    HEAD,
    SWITCH_OFF,
    SWITCH_ON,
    Arm,
    Carried,
    Case,
    Kernel,
    Level,
    Manifest,
    Route,
    Variant,
    Workload,
    of_base,
)
from kgate.protocol import MOMENTS, CaseJob, Watch
from kgate.switching import context
from kgate.variants.refusals import SMALL

ORDER: tuple[Arm, ...] = (BASE, HEAD, FALLBACK, of_base(FALLBACK))
LOCKSTEP: tuple[Arm, ...] = (HEAD, BASE, FALLBACK)  # alive together while they are timed
DRILLS: tuple[Arm, ...] = (SWITCH_OFF, SWITCH_ON)
# All variants of one kernel in one process, together. On a GPU each new shape may have to be compiled.
BRIEF_CPU_S, BRIEF_GPU_S = 2.0, 15.0
DIRECTIONS: Mapping[str, tuple[str, ...]] = {"both": ("forward", "backward")}
LATENCY_RULES = ("slower-than-base", "slower-than-fallback", "slower-than-baseline")


@dataclass(frozen=True, kw_only=True)
class Target:
    """The device of a run: its kind, its short name in case names, and for a GPU its architecture ("sm_90")."""

    kind: str  # "cpu" or "cuda"
    name: str
    arch: str = ""
    index: int = 0

    @property
    def torch_name(self) -> str:
        return self.kind if self.kind == "cpu" else f"{self.kind}:{self.index}"

    def runs(self, workload: Workload) -> bool:
        """Whether a workload is meant for this device; a bare "cuda" means every CUDA GPU."""
        return bool({self.kind, self.arch} & set(map(plain_target, workload.targets)))


def plain_target(target: str) -> str:
    """Without the ends of sm_90a and sm_100f: they name features for a compiler, and a device names none."""
    return target.rstrip("af") if target.startswith("sm_") else target


@dataclass(frozen=True, kw_only=True)
class Plan:
    """
    What one run expects on one device. `kernels` and `base_kernels` by name; a kernel without base is new. Of a kernel
    that is `carried` no case is among `cases`.
    """

    target: Target
    kernels: Mapping[str, Kernel]
    base_kernels: Mapping[str, Kernel]
    cases: tuple[Case, ...]
    workloads: Mapping[Case, Workload] = field(repr=False)  # of cases and variants
    variants: Mapping[Case, Variant] = field(default_factory=dict, repr=False)  # what is asked besides
    carried: Mapping[Case, Carried] = field(default_factory=dict, repr=False)

    def case_named(self, name: str) -> Case:
        return next(c for c in (*self.cases, *self.variants) if c.name == name)

    def in_base(self, case: Case) -> bool:
        return case.kernel in self.base_kernels


def plan(manifest: Manifest, base: Manifest | None, target: Target) -> Plan:
    """Every workload of the manifest that is meant for this device, in the order written."""
    workloads = {
        Case(kernel=kernel.name, workload=workload.name, device=target.name, direction=direction): workload
        for kernel in manifest.kernels
        for workload in kernel.workloads
        if target.runs(workload) and workload.refusal is None
        for direction in DIRECTIONS.get(kernel.direction, (kernel.direction,))
    }
    return Plan(
        target=target,
        kernels={k.name: k for k in manifest.kernels},
        base_kernels={k.name: k for k in base.kernels} if base else {},
        cases=tuple(workloads),
        workloads=workloads,
    )


def same_signature(plan: Plan, case: Case) -> bool:
    """
    Whether base's kernel takes the arguments that head's workload gives: only then can base's reference be asked.

    Compared are names, order and passing by position or name; a changed shape or dtype is the same signature.
    """
    old = plan.base_kernels.get(case.kernel)
    if old is None:
        return False
    names = [tuple(w.args) for w in old.workloads]
    new = plan.kernels[case.kernel]
    if (old.keywords, bool(old.setup)) != (new.keywords, bool(new.setup)):
        return False
    return tuple(plan.workloads[case].args) in names


def jobs(plan: Plan, arm: Arm, cases: Iterable[Case]) -> tuple[CaseJob, ...]:
    """The jobs of one arm, in an order drawn from its name, so that no case always runs behind the same one."""
    chosen = list(cases)
    order_seed = hashlib.sha256(f"{arm.name} {[c.name for c in chosen]}".encode()).digest()
    random.Random(order_seed).shuffle(chosen)
    return tuple(job(plan, arm, case) for case in sorted(chosen, key=partial(turn, plan)))


def turn(plan: Plan, case: Case) -> tuple[int, str, bool]:
    """
    What no manifest asks for spoils nothing behind it; and what is refused nothing but the call that is made behind it.
    """
    variant = plan.variants.get(case)
    if variant is None or not variant.refused:
        return (0 if variant is None else 2 if variant.choice else 1, "", False)
    return (3, f"{case.kernel} {variant.refused}", bool(variant.behind))


def job(plan: Plan, arm: Arm, case: Case) -> CaseJob:
    """One case for one arm. Arms of the base tree call the functions that base's manifest names."""
    kernel = plan.base_kernels[case.kernel] if arm.tree is BASE.tree else plan.kernels[case.kernel]
    workload = plan.workloads[case]
    backward = case.direction == "backward"
    own_reference = arm.route is Route.REFERENCE and bool(kernel.reference)
    return CaseJob(
        case=case.name,
        # With the switch off the DSL is not needed, and its absence must not excuse the drill.
        dsl=kernel.dsl if arm.route is Route.CUSTOM or arm.condition == SWITCH_ON.condition else "torch",
        entry=entry(kernel, arm),
        args=dict(workload.args),
        keywords=kernel.keywords,
        symbols=dict(workload.symbols),
        mutates=kernel.mutates,
        setup=kernel.setup,
        reset=kernel.reset,
        steps=kernel.steps,
        direction="backward" if backward else "forward",
        # A gradient has its input's dtype, so that of a user's own reference, too, is only as fine as what it is given.
        widen=arm.route is Route.REFERENCE and (backward or not own_reference),
        cast=own_reference and not backward,
        watch=watch(kernel, arm) if tells_path(plan, case) else None,
        context=context(kernel, arm),
        fallback=kernel.fallback if arm.route is Route.CUSTOM else "",
        compile=kernel.compile if arm.route is Route.CUSTOM else "",
        device_kernels=kernel.device_kernels if arm.route is Route.CUSTOM else (),
        timeout_s=kernel.timeout_s,
        # A variant is asked with all its bounds, and of no arm that has none.
        fenced=case in plan.variants and arm.condition == SWITCH_ON.condition,
        brief_s=brief_s(plan, case),
        **configuration(plan, arm, case),
    )


def closely(arm: Arm, work: Iterable[CaseJob]) -> tuple[CaseJob, ...]:
    """
    The same jobs with all that is looked for besides the answer: calls at other moments, memory with a fence.

    A fallback's second call tells what may be expected of any: whether it shares memory, what it heeds.
    """
    moments = {Route.CUSTOM: MOMENTS, Route.FALLBACK: MOMENTS[:1]}.get(arm.route, ())
    if arm.condition or not moments:
        return tuple(work)
    return tuple(
        one if one.brief_s else replace(one, moments=moments, fenced=arm.route is Route.CUSTOM) for one in work
    )


def configuration(plan: Plan, arm: Arm, case: Case) -> dict[str, Any]:
    """Of the arms that call the kernel: a fallback knows of none."""
    variant, tune = plan.variants.get(case), plan.kernels[case.kernel].tune
    if variant is None or not variant.choice or tune is None or arm.condition != SWITCH_ON.condition:
        return {}
    return {"config": tune.config, "choice": dict(variant.choice)}


def brief_s(plan: Plan, case: Case) -> float:
    """
    Configurations, each of which may have to be compiled, have time of their own behind other variants, and what a
    manifest says is refused has some behind those.
    """
    variant = plan.variants.get(case)
    if variant is None:
        return 0.0
    brief = BRIEF_CPU_S if plan.target.kind == "cpu" else BRIEF_GPU_S
    return (6 if variant.refused else 4 if variant.choice else 1) * brief


def tells_path(plan: Plan, case: Case) -> bool:
    """Of variants, those whose path tells whether a refusal has turned the custom path off."""
    variant = plan.variants.get(case)
    return variant is None or bool(variant.behind or (plan.kernels[case.kernel].refuses and variant.kind == SMALL))


def watch(kernel: Kernel, arm: Arm) -> Watch | None:
    if arm.route is not Route.DISPATCH:
        return None
    return Watch(custom=kernel.custom, fallback=kernel.fallback)


def entry(kernel: Kernel, arm: Arm) -> str:
    match arm.route:
        case Route.CUSTOM:
            return kernel.custom
        case Route.FALLBACK:
            return kernel.fallback
        case Route.DISPATCH:
            return kernel.dispatch
        case Route.REFERENCE:
            return kernel.reference or kernel.fallback


def drilled(plan: Plan, cases: Sequence[Case]) -> tuple[Case, ...]:
    """Cases that a switch drill can run: the kernel must declare a switch."""
    return tuple(c for c in cases if plan.kernels[c.kernel].switch is not None)


@dataclass(frozen=True, kw_only=True)
class Looks:
    """After how many launches a case may be decided."""

    at: tuple[int, ...]


# A GPU's launches are forks. A CPU's are fresh processes of several seconds, and its latency rules are notes unless a
# manifest says otherwise: five are enough for a note, twenty for a rule that blocks. Of five, one is trimmed at either
# end, which leaves two degrees of freedom: enough to clear a quiet case, and to call nothing slower that is not far so.
CPU_LOOKS = Looks(at=(5, 10, 20))
GPU_LOOKS = Looks(at=(8, 16, 32))
ROUGH_LOOK = 64  # on a GPU, of cases whose history says that 32 launches will not do


def looks(target: Target, acts: bool = True, rough: bool = False) -> Looks:
    """
    Where no answer `acts`, that is stops or warns, there is one look, and it has the whole error rate. `rough`: whether
    the run has cases that get a look more, for which all looks give a share.
    """
    planned = CPU_LOOKS if target.kind == "cpu" else GPU_LOOKS
    if not acts:
        return Looks(at=planned.at[:1])
    return Looks(at=(*planned.at, ROUGH_LOOK)) if rough and target.kind != "cpu" else planned


def acting(levels: Mapping[str, Level]) -> frozenset[str]:
    """The arms that head is timed against where being slower does more than to be noted."""
    rivals = {BASE.name: levels["slower-than-base"], FALLBACK.name: levels["slower-than-fallback"]}
    return frozenset(rival for rival, level in rivals.items() if level >= Level.WARN)
