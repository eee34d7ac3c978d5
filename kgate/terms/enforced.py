"""The manifest that judges: head's, with base's values where head asks for less and nobody has approved that."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kgate.model import Accepted, Amendment, Kernel, Level, Manifest, Workload
from kgate.terms.kernels import KERNEL, WORDS, WORKLOAD, same_signature

Pending = Sequence[Amendment]


def enforced(base: Manifest, head: Manifest, pending: Pending) -> Manifest:
    """
    `base` in head's words; `pending`: what wants approval and has none.

    An entry that was removed is not put back: there is nothing to learn from code that may be gone as well.
    """
    before = {kernel.name: kernel for kernel in base.kernels}
    kernels = (
        of_kernel(before[k.name], k, [a for a in pending if a.kernel == k.name]) if k.name in before else k
        for k in head.kernels
    )
    counting = tuple(accepted(base, head, pending))
    return replace(head, kernels=tuple(kernels), policy=policy(base, head, pending), accepted=counting)


def accepted(base: Manifest, head: Manifest, pending: Pending) -> Iterator[Accepted]:
    """Head's, with base's bound and day where head asks for less and nobody has approved that."""
    before = {entry.identity: entry for entry in base.accepted}
    waiting = {amendment.what for amendment in pending}
    for entry in head.accepted:
        if f"accepted {entry.rule} of {entry.case}" not in waiting:
            yield entry
        elif entry.identity in before:
            yield before[entry.identity]


def policy(base: Manifest, head: Manifest, pending: Pending) -> dict[str, Level]:
    loosened = {a.what.removeprefix("policy ") for a in pending if a.what.startswith("policy ")}
    kept = {name: base.policy[name] for name in loosened if name in base.policy}
    # Where base names no level the rule's own holds, which has one for each kind of device.
    return {**{name: level for name, level in head.policy.items() if name not in loosened}, **kept}


def of_kernel(base: Kernel, head: Kernel, pending: Pending) -> Kernel:
    whole = {a.what for a in pending if not a.workload and a.kind != "moved"}
    kept = {name: getattr(base, name) for name in KERNEL if WORDS.get(name, name) in whole}
    if head.owners and any(a.what == "owners" for a in pending):
        kept["owners"] = base.owners  # a kernel that is left without any is owner-missing's to blame
    if "unowned" in whole:
        kept |= {"unowned_reason": base.unowned_reason, "unowned_expires": base.unowned_expires}
    if "refuses" in kept:
        kept["refused"] = base.refused
    same = same_signature(base, head)
    return replace(head, workloads=workloads(base, head, pending) if same else head.workloads, **kept)


def workloads(base: Kernel, head: Kernel, pending: Pending) -> tuple[Workload, ...]:
    before = {workload.name: workload for workload in base.workloads}
    gone = {a.workload for a in pending if a.what == "workload" and a.kind == "removed"}
    judged = [
        before[w.name] if w.name in gone else of_workload(before[w.name], w, pending) if w.name in before else w
        for w in head.workloads
    ]
    known = {workload.name for workload in head.workloads}
    dropped = (w for w in base.workloads if w.name in gone and w.name not in known)
    return (*judged, *(replace(w, place=head.place) for w in dropped))


def of_workload(base: Workload, head: Workload, pending: Pending) -> Workload:
    own = {a.what for a in pending if a.workload == head.name and a.kind != "moved"}
    kept = {name: getattr(base, name) for name in WORKLOAD if WORDS.get(name, name) in own}
    if any(what.startswith("tolerance") for what in own):
        kept["tolerance"] = base.tolerance
    return replace(head, **kept)
