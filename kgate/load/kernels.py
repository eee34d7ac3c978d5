"""One kernel of the manifest: what the schema cannot say of it, then its value."""

from kgate.load.document import Fields
from kgate.load.hints import nearest
from kgate.load.refusals import refusals, refused
from kgate.load.workloads import Family, workloads
from kgate.model import Kernel, Place, Switch, Tuning, Workload


def kernel(name: str, given: Fields, timeout_s: float) -> Kernel:
    """`given` has passed the schema; `timeout_s` is the manifest's default. Raises ManifestError."""
    family = Family(name=name, given=given)
    check(family)
    lines = refusals(given)
    unowned, evidence = given.fields("unowned"), given.fields("evidence")
    return Kernel(
        name=name,
        owners=tuple(given.get("owners", ())),
        dsl=given.get("dsl", "torch"),
        dispatch=given["dispatch"],
        custom=given.get("custom", ""),
        fallback=given.get("fallback", ""),
        workloads=answered(family),
        place=Place(path=given.at.file, line=given.at.line),
        switch=switch(given.fields("switch")) if "switch" in given else None,
        reference=given.get("reference", ""),
        production_operator=given.get("production_operator", ""),
        evidence_profile=evidence.get("profile", ""),
        evidence_source=evidence.get("source", ""),
        device_kernels=tuple(given.get("device_kernels", ())),
        keywords="kwargs" in given,
        mutates=tuple(given.get("mutates", ())),
        setup=given.get("setup", ""),
        reset=given.get("reset", ""),
        steps=int(given.get("steps", 1)),
        compile=given.get("compile", ""),
        optional=tuple(given.get("optional", ())),
        compare=given.get("compare", ""),
        direction=given.get("direction", "forward"),
        deterministic=bool(given.get("deterministic", False)),
        tune=tuning(given.fields("tune")) if "tune" in given else None,
        subnormals=given.get("subnormals", ""),
        refuses=lines,
        refused=refused(lines),
        min_speedup=given.fields("latency").get("min_speedup"),
        timeout_s=float(given.get("timeout_s", timeout_s)),
        unowned_reason=unowned.get("reason", ""),
        unowned_expires=unowned.get("expires", ""),
    )


def answered(family: Family) -> tuple[Workload, ...]:
    """Raises ManifestError where there are workloads and dispatch refuses them all: nothing would be run."""
    found = workloads(family)
    if found and all(workload.refusal for workload in found):
        mark = family.given.marks["refuses"]
        raise mark.error("fits every workload, so that the kernel answers none; add one that it answers")
    return found


def check(family: Family) -> None:
    given = family.given
    if "args" in given and "kwargs" in given:
        raise given.marks["kwargs"].error("'args' and 'kwargs' stand side by side; keep one, all arguments go one way")
    if "owners" in given and "unowned" in given and given["owners"]:
        raise given.marks["unowned"].error("'owners' and 'unowned' contradict each other; keep one")
    if "switch" in given and given["dispatch"] == given.get("custom"):
        raise given.marks["custom"].error(
            f"'custom' and 'dispatch' are both {given['custom']!r}, so the switch has nothing to choose between; "
            "name in 'custom' the kernel that 'dispatch' calls when the switch is on"
        )
    check_optional(given)
    if "reset" in given and "setup" not in given:
        raise given.marks["reset"].error("is called with the state that 'setup' makes, and there is none; add 'setup'")
    if "mutates" in given:
        for name, mark in given["mutates"].marked():
            if name not in family.args:
                raise mark.error(f"{name!r} is not an argument of {family.name}{nearest(name, family.args)}")


def check_optional(given: Fields) -> None:
    """What is taken away must leave something to call: neither torch, nor what dispatch or fallback is in."""
    for name, mark in given["optional"].marked() if "optional" in given else ():
        if is_in("torch", name):
            raise mark.error("torch makes the tensors of every path, so no drill can take it away; remove it")
        for path in ("dispatch", "fallback"):
            module = given.get(path, "").partition(":")[0]
            if module and is_in(module, name):
                raise mark.error(
                    f"{name!r} is where {path!r} itself is ({given[path]}), so nothing is left to call; name "
                    "what the kernel imports and the fallback does not"
                )


def is_in(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def tuning(given: Fields) -> Tuning:
    return Tuning(config=given["config"], space={name: tuple(values) for name, values in given["space"].items()})


def switch(given: Fields) -> Switch:
    if "env" in given and "context" in given:
        raise given.marks["context"].error("'env' and 'context' are two ways to switch; keep one")
    if "env" not in given and "context" not in given:
        raise given.at.error("neither 'env' nor 'context'; name the variable, or the context manager, that switches")
    return Switch(**given)
