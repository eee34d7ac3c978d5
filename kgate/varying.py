"""A plan with what is asked besides its cases, and what of a manifest's promises is not tried."""

from collections.abc import Iterable
from dataclasses import replace

from kgate.model import Variant
from kgate.plan import DIRECTIONS, Plan
from kgate.variants import CONFIGURATIONS, variants


def varied(plain: Plan) -> Plan:
    """With what is asked besides the cases, of each kernel."""
    found: list[Variant] = []
    for name, kernel in plain.kernels.items():
        refused = [w for w in kernel.workloads if w.refusal is not None and plain.target.runs(w)]
        for direction in DIRECTIONS["both"]:
            declared = [plain.workloads[c] for c in plain.cases if (c.kernel, c.direction) == (name, direction)]
            found += variants(kernel, plain.target.name, declared, refused, direction)
    return with_variants(plain, found)


def with_variants(plain: Plan, found: Iterable[Variant]) -> Plan:
    made = {replace(variant.of, workload=variant.workload.name): variant for variant in found}
    workloads = {**plain.workloads, **{case: variant.workload for case, variant in made.items()}}
    return replace(plain, variants=made, workloads=workloads)


def untried(asked: Plan) -> tuple[str, ...]:
    """Lines of `refuses` that nothing was found to fit, and configurations that are too many, as remarks."""
    names = tuple(dict.fromkeys(case.kernel for case in asked.cases))
    many = {name: tune.count for name in names if (tune := asked.kernels[name].tune) and tune.count > CONFIGURATIONS}
    tried = {(case.kernel, variant.workload.refusal) for case, variant in asked.variants.items()}
    return tuple(
        f"{name}: what `refuses` names as {line.when!r} is not tried, since no size was found that fits it; declare a "
        "workload that does"
        for name in names
        for line in asked.kernels[name].refuses
        if (name, line) not in tried
    ) + tuple(
        f"{name}: of {count} configurations of `tune` the first {CONFIGURATIONS} are tried"
        for name, count in many.items()
    )
