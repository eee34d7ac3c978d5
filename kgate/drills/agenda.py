"""Which kernel meets which condition, on which workloads, and why it does not meet the others. Values only."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from kgate.model import SWITCH_OFF, Case, Drill, Kernel, Workload
from kgate.plan import Plan
from kgate.protocol import Arg, ListArg, MapArg, TensorArg, ValueArg, tensors_within
from kgate.worker import conditions
from kgate.worker.conditions import Declared

SMALLEST, ALL, NONE = CHOICES = ("smallest", "all", "none")  # of `--drills`
SWITCHED = "with the switch off"
LEFT_OUT = "left out by --drills none"
NO_CASE = "no workload of it is meant for this device"


def planned(plan: Plan, which: str) -> tuple[Drill, ...]:
    """
    Every condition for every kernel, by kernel; the switch, turned off from the start, stands first and is tried with
    every workload. `which` workloads meet the other ones: SMALLEST, ALL or NONE.
    """
    return tuple(drill for kernel in plan.kernels.values() for drill in of_kernel(plan, kernel, which))


def of_kernel(plan: Plan, kernel: Kernel, which: str) -> Iterator[Drill]:
    mine = tuple(c for c in plan.cases if c.kernel == kernel.name)
    switched = Drill(kernel=kernel.name, condition=SWITCH_OFF.condition, where=SWITCHED)
    if mine and kernel.switch is not None:
        yield replace(switched, cases=mine)
    else:
        yield replace(switched, not_run=conditions.NO_SWITCH if mine else NO_CASE)
    declared = declared_of(plan, kernel)
    chosen = mine if which == ALL else smallest(plan, mine)
    for condition in conditions.every():
        why = (condition.unfit(declared) if which != NONE else LEFT_OUT) if mine else NO_CASE
        yield Drill(
            kernel=kernel.name,
            condition=condition.NAME,
            where=condition.WHERE,
            cases=() if why else tuple(c for c in chosen if c.direction == "backward" or not condition.BACKWARD),
            not_run=why,
            blocks=condition.BLOCKS,
            logged=condition.LOGGED,
        )


def declared_of(plan: Plan, kernel: Kernel) -> Declared:
    switch = kernel.switch
    return Declared(
        kind=plan.target.kind,
        dsl=kernel.dsl,
        packages=packages(kernel),
        variable=switch.env if switch else "",
        read=switch.read if switch else "import",
        switched=switch is not None,
        backward=kernel.direction != "forward",
    )


def packages(kernel: Kernel) -> tuple[str, ...]:
    """What a product can lack: by the manifest's word, else the DSL's package. Without torch there is no product."""
    own = conditions.package_of(kernel.dsl)
    return kernel.optional or ((own,) if own else ())


def smallest(plan: Plan, cases: Iterable[Case]) -> tuple[Case, ...]:
    """
    Of each direction and combination of dtypes and options the workload with the fewest elements, but not one without
    any: the answer to an empty tensor takes no path at all. In the order written.
    """
    best: dict[object, Case] = {}
    for case in sorted(cases, key=lambda c: (plan.workloads[c].empty, elements(plan.workloads[c]))):
        best.setdefault((case.direction, form(plan.workloads[case])), case)
    kept = set(best.values())
    some = {c for c in kept if not plan.workloads[c].empty}
    return tuple(c for c in plan.cases if c in (some or kept))


def spare(plan: Plan, case: Case) -> Case | None:
    """The smallest other workload of its kernel that has other shapes: a flag for one shape alone is none for it."""
    mine = (case.kernel, case.direction)
    others = [c for c in plan.cases if (c.kernel, c.direction) == mine and not plan.workloads[c].empty]
    unlike = [c for c in others if shapes(plan.workloads[c]) != shapes(plan.workloads[case])]
    return min(unlike, key=lambda c: elements(plan.workloads[c]), default=None)


def shapes(workload: Workload) -> list[tuple[int, ...]]:
    return [tensor.shape for tensor in tensors_within(workload.args.values())]


def alone(plan: Plan) -> Plan:
    """Where nothing but drills is asked for: the switch is tried with every workload, and no variant is asked."""
    return replace(plan, variants={})


def elements(workload: Workload) -> int:
    return sum(math.prod(tensor.shape) for tensor in tensors_within(workload.args.values()))


def form(workload: Workload) -> object:
    """What a dispatch may branch on besides sizes: dtypes, ranks, and every argument that is no tensor."""
    return tuple((name, form_of(arg)) for name, arg in workload.args.items())


def form_of(arg: Arg) -> object:
    match arg:
        case TensorArg():
            return (arg.dtype, len(arg.shape))
        case ValueArg():
            return (type(arg.value).__name__, repr(arg.value))
        case ListArg():
            return tuple(map(form_of, arg.items))
        case MapArg():
            return tuple((key, form_of(item)) for key, item in arg.items.items())
