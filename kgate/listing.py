"""What `--list` and `--dry-run` show: the manifest as it was understood, and what a run would do with it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from tabulate import tabulate

from kgate import rules
from kgate.drills import agenda
from kgate.drills.agenda import SMALLEST
from kgate.figures import count
from kgate.load.tree import BaseRef
from kgate.model import (
    BASE,
    FALLBACK,
    HEAD,
    REFERENCE,
    SWITCH_OFF,
    SWITCH_ON,
    Arm,
    Case,
    Drill,
    Manifest,
    Tree,
    Workload,
    of_base,
)
from kgate.plan import LATENCY_RULES, Plan, Target, acting, looks, plan
from kgate.protocol import Arg, ListArg, MapArg, TensorArg, ValueArg

PATHS = ("custom", "fallback")
# In the order in which they run.
ARMS = {
    BASE: "base",
    HEAD: "head",
    FALLBACK: "fallback",
    of_base(FALLBACK): "base's fallback",
    REFERENCE: "reference",
    SWITCH_OFF: "the switch off",
    SWITCH_ON: "the switch on",
}
ARMS_OF_DRILLS = {arm: word for arm, word in ARMS.items() if arm not in (BASE, HEAD)}


def kernels(manifest: Manifest) -> str:
    """One row per workload, in the order written."""
    rows = [
        (
            kernel.name if first else "",
            workload.name,
            described(workload.args),
            ", ".join(workload.targets),
            workload.weight,
        )
        for kernel in manifest.kernels
        for first, workload in marked(kernel.workloads)
    ]
    table = tabulate(
        rows, headers=("kernel", "workload", "arguments", "targets", "weight"), maxcolwidths=[None, None, 48]
    )
    silent = [f"{k.name}: no workloads" for k in manifest.kernels if not k.workloads]
    return "\n".join([table, *silent, *asked(manifest)])


def asked(manifest: Manifest) -> Iterator[str]:
    """What the manifest leaves to a function that nobody has started yet."""
    for kernel in manifest.kernels:
        if not kernel.complete:
            left = " and ".join(name for name in PATHS if not getattr(kernel, name))
            yield f"{kernel.name}: {left} will be asked of {kernel.dispatch}"


def marked(workloads: tuple[Workload, ...]) -> Iterator[tuple[bool, Workload]]:
    return ((index == 0, workload) for index, workload in enumerate(workloads))


def described(args: Mapping[str, Arg]) -> str:
    return ", ".join(f"{name}: {one(arg)}" for name, arg in args.items())


def one(arg: Arg) -> str:
    """An argument in a few characters: `bfloat16[64, 4096]`, `3`, `[…]`."""
    match arg:
        case TensorArg():
            layout = f" strides {list(arg.strides)}" if arg.strides is not None else ""
            return f"{arg.dtype}{list(arg.shape)}{layout}"
        case ValueArg():
            return repr(arg.value)
        case ListArg():
            return "[" + ", ".join(one(item) for item in arg.items) + "]"
        case MapArg():
            return "{" + described(arg.items) + "}"


def dry_run(
    manifest: Manifest, base: BaseRef, device: str, drilled: str = SMALLEST, *, drills_only: bool = False
) -> str:
    """
    Which cases would run on each kind of device, in which arms and under which conditions (`drilled`, of --drills), and
    how many launches at least. Starts nothing.
    """
    against = f"base {base.commit[:9]}" if base.commit else f"no base ({base.reason})"
    lines = [f"{manifest.path.name}: {against}"]
    kinds = ("cpu", "cuda") if device == "auto" else (device.partition(":")[0],)
    plans = {kind: plan_on(Target(kind=kind, name=kind), manifest) for kind in kinds}
    if drills_only:
        plans = {kind: agenda.alone(planned) for kind, planned in plans.items()}
    for kind, planned in plans.items():
        if planned.cases or not any(p.cases for p in plans.values()):
            launched = "" if drills_only else f", then {launches(kind, manifest)} timed launches"
            lines.append(work(planned, ARMS_OF_DRILLS if drills_only else ARMS, with_base=bool(base.commit)) + launched)
            lines += [f"  {named(case)}: {described(planned.workloads[case].args)}" for case in planned.cases]
            lines += conditions_met(planned, drilled, every=drills_only)
    return "\n".join([*lines, *asked(manifest), "Nothing was started."])


def plan_on(target: Target, manifest: Manifest) -> Plan:
    """An architecture that a workload names (sm_90) counts for cuda: no GPU has been asked yet."""
    kernels = [
        replace(k, workloads=tuple(replace(w, targets=(target.kind,)) for w in k.workloads if aimed(target, w)))
        for k in manifest.kernels
    ]
    return plan(replace(manifest, kernels=tuple(kernels)), None, target)


def named(case: Case) -> str:
    return f"{case.kernel}/{case.workload}{', backward' * (case.direction == 'backward')}"


def work(planned: Plan, arms: Mapping[Arm, str], *, with_base: bool) -> str:
    words = [word for arm, word in arms.items() if with_base or arm.tree is Tree.HEAD]
    kernels = count(len({case.kernel for case in planned.cases}), "kernel")
    cases = count(len(planned.cases), "case")
    return f"{planned.target.kind}: {cases} of {kernels}; up to {len(words)} arms each ({', '.join(words)})"


def conditions_met(planned: Plan, drilled: str, *, every: bool) -> Iterator[str]:
    """
    For each kernel, what it meets, and of `every` other condition why not; the switch, turned off from the start, is an
    arm of every case.
    """
    for name, members in groupby(agenda.planned(planned, drilled), key=lambda drill: drill.kernel):
        drills = list(members)
        met = [drill for drill in drills if drill.cases and drill.condition != SWITCH_OFF.condition]
        if met:
            workloads = ", ".join(dict.fromkeys(case.workload for drill in met for case in drill.cases))
            conditions = ", ".join(drill.condition for drill in met)
            yield f"  {count(len(met), 'drill')} of {name}, a process each, with {workloads}: {conditions}"
        if every and any(drill.cases for drill in drills):
            yield from not_met(drills)


def not_met(drills: Sequence[Drill]) -> Iterator[str]:
    """`not run: lower-gpu, unknown-gpu: this run has no GPU`; of one kernel."""
    for why in dict.fromkeys(drill.not_run for drill in drills if drill.not_run):
        yield f"    not run: {', '.join(drill.condition for drill in drills if drill.not_run == why)}: {why}"


def launches(kind: str, manifest: Manifest) -> str:
    """One number where latency is no more than noted: there is one look then."""
    levels = {rule: rules.level_of(rule, manifest.policy, kind != "cpu") for rule in LATENCY_RULES}
    at = looks(Target(kind=kind, name=kind), bool(acting(levels))).at
    return f"{at[0]} to {at[-1]}" if len(at) > 1 else str(at[0])


def aimed(target: Target, workload: Workload) -> bool:
    """As Target.runs, but an architecture that is named (sm_90) counts for cuda: no GPU has been asked yet."""
    return target.runs(workload) or (target.kind == "cuda" and any(t.startswith("sm_") for t in workload.targets))
