"""What a manifest says of all kernels: levels of rules, GPUs, where baselines are, what is ignored."""

from collections.abc import Iterator, Mapping

from kgate import rules
from kgate.model import Amendment, Kind, Level, Manifest
from kgate.terms.order import presence, until, worst

APART = ("policy", "gpus", "baselines", "ignored", "kernels")
# How a tree is built and found judges nothing.
SILENT = ("path", "folder", "root", "python", "build", "env", "digest")


def of_manifest(base: Manifest, head: Manifest) -> Iterator[Amendment]:
    owners = tuple(dict.fromkeys(owner for kernel in base.kernels for owner in kernel.owners))
    for rule in rules.RULES:
        if change := of_policy(rule.NAME, base.policy, head.policy, owners):
            yield change
    for gpu in dict.fromkeys((*base.gpus, *head.gpus)):
        before, after = base.gpus.get(gpu, ""), head.gpus.get(gpu, "")
        if before != after:
            kind = presence(before, after) or "moved"
            yield Amendment(kind=kind, what=f"GPU {gpu}", kernel="", before=before, after=after, owners=owners)
    if base.baselines != head.baselines:
        what = "folder of baselines"
        yield Amendment(kind="moved", what=what, kernel="", before=base.baselines, after=head.baselines, owners=owners)
    yield from of_ignored(base, head, owners)


def of_policy(
    name: str, before: Mapping[str, Level], after: Mapping[str, Level], owners: tuple[str, ...]
) -> Amendment | None:
    """By what a level comes to, on a GPU and on a CPU: writing down the default changes nothing."""
    levels = [(rules.level_of(name, before, gpu), rules.level_of(name, after, gpu)) for gpu in (True, False)]
    kind = worst("loosened" if new < old else "tightened" if new > old else None for old, new in levels)
    if kind is None:
        return None
    old, new = (" or ".join(dict.fromkeys(level.name.lower() for level in each)) for each in zip(*levels, strict=True))
    return Amendment(kind=kind, what=f"policy {name}", kernel="", before=old, after=new, owners=owners)


def of_ignored(base: Manifest, head: Manifest, owners: tuple[str, ...]) -> Iterator[Amendment]:
    """To ignore code is to ask less of it."""
    before = {line.pattern: line.expires for line in base.ignored}
    after = {line.pattern: line for line in head.ignored}
    for pattern, line in after.items():
        kind: Kind | None = until(before[pattern], line.expires) if pattern in before else "loosened"
        if kind:
            yield Amendment(
                kind=kind,
                what=f"ignore {pattern}",
                kernel="",
                before=before.get(pattern, ""),
                after=line.expires,
                owners=owners,
                place=line.place,
            )
    for pattern in before:
        if pattern not in after:
            what = f"ignore {pattern}"
            yield Amendment(kind="tightened", what=what, kernel="", before=before[pattern], owners=owners)
