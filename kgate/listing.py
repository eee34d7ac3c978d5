"""What `--list` and `--dry-run` show: the manifest as it was understood, and what a run would do with it."""

from collections.abc import Iterator, Mapping, Sequence

from tabulate import tabulate

from kgate import rules
from kgate.figures import count
from kgate.load.tree import BaseRef
from kgate.model import (
    BASE,
    FALLBACK,
    HEAD,
    REFERENCE,
    SWITCH_OFF,
    SWITCH_ON,
    Kernel,
    Manifest,
    Tree,
    Workload,
    of_base,
)
from kgate.plan import LATENCY_RULES, Target, acting, looks
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


def dry_run(manifest: Manifest, base: BaseRef, device: str) -> str:
    """Which cases would run on each kind of device, in which arms, and how many launches at least. Starts nothing."""
    against = f"base {base.commit[:9]}" if base.commit else f"no base ({base.reason})"
    lines = [f"{manifest.path.name}: {against}"]
    kinds = ("cpu", "cuda") if device == "auto" else (device.partition(":")[0],)
    cases = {kind: cases_on(Target(kind=kind, name=kind), manifest) for kind in kinds}
    for kind, chosen in cases.items():
        if chosen or not any(cases.values()):
            lines.append(work(kind, chosen, launches(kind, manifest), with_base=bool(base.commit)))
            lines += [f"  {kernel.name}/{workload.name}: {described(workload.args)}" for kernel, workload in chosen]
    return "\n".join([*lines, *asked(manifest), "Nothing was started."])


def cases_on(target: Target, manifest: Manifest) -> list[tuple[Kernel, Workload]]:
    return [(k, w) for k in manifest.kernels for w in k.workloads if aimed(target, w)]


def work(kind: str, cases: Sequence[tuple[Kernel, Workload]], launched: str, *, with_base: bool) -> str:
    arms = [word for arm, word in ARMS.items() if with_base or arm.tree is Tree.HEAD]
    kernels = count(len({kernel.name for kernel, _ in cases}), "kernel")
    return (
        f"{kind}: {count(len(cases), 'case')} of {kernels}; up to {len(arms)} arms each ({', '.join(arms)}), "
        f"then {launched} timed launches"
    )


def launches(kind: str, manifest: Manifest) -> str:
    """One number where latency is no more than noted: there is one look then."""
    levels = {rule: rules.level_of(rule, manifest.policy, kind != "cpu") for rule in LATENCY_RULES}
    at = looks(Target(kind=kind, name=kind), bool(acting(levels))).at
    return f"{at[0]} to {at[-1]}" if len(at) > 1 else str(at[0])


def aimed(target: Target, workload: Workload) -> bool:
    """As Target.runs, but an architecture that is named (sm_90) counts for cuda: no GPU has been asked yet."""
    return target.runs(workload) or (target.kind == "cuda" and any(t.startswith("sm_") for t in workload.targets))
