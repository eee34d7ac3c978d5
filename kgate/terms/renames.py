"""What bears another name at head and is the same thing: a module's file, a kernel, a workload."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from kgate.model import Kernel, Manifest, Workload
from kgate.protocol import Arg, ListArg, MapArg, TensorArg
from kgate.terms.held import Held

ROLES = ("dispatch", "custom", "fallback", "reference", "compare", "setup", "reset")


@dataclass(frozen=True, kw_only=True)
class Renames:
    """From base's name to head's. `workloads` by kernel, as head calls it, and workload."""

    modules: Mapping[str, str] = field(default_factory=dict)
    kernels: Mapping[str, str] = field(default_factory=dict)
    workloads: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def entry(self, function: str) -> str:
        """`module:function` as head calls it."""
        module, colon, name = function.partition(":")
        return f"{self.modules.get(module, module)}{colon}{name}"

    def kernel(self, name: str) -> str:
        return self.kernels.get(name, name)

    def case(self, name: str) -> str:
        """Of a kernel, a case (`gemm/small`) or a kernel under a condition (`gemm (switch-off)`)."""
        subject, space, rest = name.partition(" (")
        kernel, slash, workload = subject.partition("/")
        head = self.kernel(kernel)
        return f"{head}{slash}{self.workloads.get((head, workload), workload)}{space}{rest}"

    def applied(self, base: Manifest, head: Manifest) -> Manifest:
        """Base's manifest with head's names of kernels and workloads; functions keep the names of their own tree."""
        by_name = {kernel.name: kernel for kernel in head.kernels}
        return replace(base, kernels=tuple(self.in_words(k, by_name.get(self.kernel(k.name))) for k in base.kernels))

    def in_words(self, old: Kernel, new: Kernel | None) -> Kernel:
        if new is None:
            return old
        known = {workload.name: workload for workload in new.workloads}
        return replace(old, name=new.name, workloads=tuple(self.workload(new.name, w, known) for w in old.workloads))

    def workload(self, kernel: str, old: Workload, known: Mapping[str, Workload]) -> Workload:
        """With head's arguments where both are the same but for the streams, which are made of names."""
        name = self.workloads.get((kernel, old.name), old.name)
        new = known.get(name)
        return replace(old, name=name, args=new.args if new and same_data(old, new) else old.args)


def renames(base: Held, head: Held) -> Renames:
    modules = moved_modules(base, head)
    found = Renames(modules=modules)
    kernels = renamed_kernels(base.manifest.kernels, head.manifest.kernels, found)
    by_name = {kernel.name: kernel for kernel in head.manifest.kernels}
    workloads: dict[tuple[str, str], str] = {}
    for old in base.manifest.kernels:
        new = by_name.get(kernels.get(old.name, old.name))
        if new is not None:
            pairs = renamed_workloads(old.workloads, new.workloads)
            workloads |= {(new.name, before): after for before, after in pairs.items()}
    return Renames(modules=modules, kernels=kernels, workloads=workloads)


def moved_modules(base: Held, head: Held) -> dict[str, str]:
    """
    A module that is gone at head, and the one new there that took its place: for the same function of the same kernel,
    else the only one that holds a function of the same name, else of these the only one of the same last name.
    """
    gone, fresh = base.modules - head.modules, head.modules - base.modules
    by_name = {kernel.name: kernel for kernel in head.manifest.kernels}
    found: dict[str, str] = {}
    for kernel in base.manifest.kernels:
        new = by_name.get(kernel.name)
        for role in ROLES if new else ():
            (module, _, function), (other, _, same) = (getattr(k, role).partition(":") for k in (kernel, new))
            if function and function == same and module in gone and other in fresh:
                found.setdefault(module, other)
    old, named = functions(base.manifest.kernels), functions(head.manifest.kernels)
    for module in sorted(gone & set(old) - set(found)):
        holders = sorted(name for name in fresh & set(named) if old[module] & named[name])
        alike = [name for name in holders if name.rpartition(".")[2] == module.rpartition(".")[2]]
        if len(holders) == 1 or len(alike) == 1:
            found[module] = (alike or holders)[0]
    return found


def functions(kernels: Iterable[Kernel]) -> dict[str, set[str]]:
    """By module, what entries name in it."""
    found: dict[str, set[str]] = {}
    for kernel in kernels:
        for entry in entries(kernel):
            module, _, name = entry.partition(":")
            found.setdefault(module, set()).add(name)
    return found


def entries(kernel: Kernel) -> tuple[str, ...]:
    return tuple(filter(None, (getattr(kernel, role) for role in ROLES)))


def renamed_kernels(base: Iterable[Kernel], head: Iterable[Kernel], names: Renames) -> dict[str, str]:
    """A kernel is what its functions are: the same custom path, else the same dispatch, under one new name alone."""
    before, after = list(base), list(head)
    known_before, known_after = {k.name for k in before}, {k.name for k in after}
    old = [k for k in before if k.name not in known_after]
    new = [k for k in after if k.name not in known_before]
    found: dict[str, str] = {}
    for role in ("custom", "dispatch"):
        rivals = Counter(names.entry(getattr(kernel, role)) for kernel in old)
        taken = set(found.values())
        same: dict[str, list[str]] = {}
        for kernel in (k for k in new if k.name not in taken):
            same.setdefault(getattr(kernel, role), []).append(kernel.name)
        for kernel in old:
            wanted = names.entry(getattr(kernel, role))
            if kernel.name not in found and wanted and rivals[wanted] == len(same.get(wanted, ())) == 1:
                found[kernel.name] = same[wanted][0]
    return found


def renamed_workloads(base: Iterable[Workload], head: Iterable[Workload]) -> dict[str, str]:
    before, after = list(base), list(head)
    known_before, known_after = {w.name for w in before}, {w.name for w in after}
    fresh: dict[str, list[str]] = {}
    for new in (w for w in reversed(after) if w.name not in known_before):
        fresh.setdefault(data(new), []).append(new.name)
    found: dict[str, str] = {}
    for old in (w for w in before if w.name not in known_after):
        if names := fresh.get(data(old)):
            found[old.name] = names.pop()
    return found


def same_data(one: Workload, other: Workload) -> bool:
    """Whether both give a kernel the same arguments, but for which numbers are drawn."""
    return data(one) == data(other)


def data(workload: Workload) -> str:
    """What a workload gives a kernel, but for streams; as text, so that one of thousands is found in a table."""
    args = [(name, without_stream(arg)) for name, arg in workload.args.items()]
    return repr((args, sorted(workload.symbols.items())))


def without_stream(arg: Arg) -> Arg:
    match arg:
        case TensorArg():
            return replace(arg, stream=0)
        case ListArg():
            return replace(arg, items=tuple(map(without_stream, arg.items)))
        case MapArg():
            return replace(arg, items={key: without_stream(item) for key, item in arg.items.items()})
        case _:
            return arg
