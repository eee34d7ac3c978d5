"""Where the product's own call finds its switch: positions, variables, and which kernels can be asked together."""

from collections.abc import Iterable

from kgate.model import SWITCH_OFF, Arm, Kernel, Route


def position(kernel: Kernel, arm: Arm) -> str:
    """Where a drill puts the switch, as the value the product reads."""
    if kernel.switch is None:
        return ""
    return kernel.switch.fallback if arm.condition == SWITCH_OFF.condition else kernel.switch.custom


def context(kernel: Kernel, arm: Arm) -> tuple[str, str] | None:
    if arm.route is not Route.DISPATCH or kernel.switch is None or not kernel.switch.context:
        return None
    return (kernel.switch.context, position(kernel, arm))


def switches(kernels: Iterable[Kernel], arm: Arm) -> dict[str, str]:
    """The environment of a drill: every kernel's variable, since one process runs them all."""
    if arm.route is not Route.DISPATCH:
        return {}
    return {k.switch.env: position(k, arm) for k in kernels if k.switch is not None and k.switch.env}


def compatible(kernels: Iterable[Kernel], arm: Arm) -> tuple[tuple[Kernel, ...], ...]:
    """
    Groups that can be drilled in one process: within one, no two kernels want different values of one variable.

    One variable that chooses among several kernels of an operator is common: at "tilelang" it turns one of them on.
    """
    groups: list[list[Kernel]] = []
    for kernel in kernels:
        wanted = switches([kernel], arm)
        for group in groups:
            taken = switches(group, arm)
            if all(taken.get(name, value) == value for name, value in wanted.items()):
                group.append(kernel)
                break
        else:
            groups.append([kernel])
    return tuple(tuple(group) for group in groups)
