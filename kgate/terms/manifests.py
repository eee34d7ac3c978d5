"""What a manifest says of all kernels: levels of rules, GPUs, where baselines are, what is ignored."""

from collections.abc import Iterator, Mapping

from kgate import rules
from kgate.model import Accepted, Amendment, Gpu, Ignored, Kind, Level, Manifest, Waiver
from kgate.terms.held import Held
from kgate.terms.order import larger_loosens, presence, until, worst

APART = ("policy", "gpus", "baselines", "ignored", "waivers", "accepted", "kernels")
Exempted = Ignored | Waiver
# How a tree is built and found judges nothing.
SILENT = ("path", "folder", "root", "python", "build", "env", "digest")


def of_manifest(before: Held, after: Held) -> Iterator[Amendment]:
    base, head, owners = before.manifest, after.manifest, before.everyone
    for rule in rules.RULES:
        if change := of_policy(rule.NAME, base.policy, head.policy, owners):
            yield change
    yield from of_gpus(base.gpus, head.gpus, owners)
    if base.baselines != head.baselines:
        what = "folder of baselines"
        yield Amendment(kind="moved", what=what, kernel="", before=base.baselines, after=head.baselines, owners=owners)
    yield from of_exceptions("ignore", exceptions(base), exceptions(head), owners)
    yield from of_accepted(before, head)
    yield from of_exceptions("waiver", {w.gpu: w for w in base.waivers}, {w.gpu: w for w in head.waivers}, owners)


def of_gpus(base: Mapping[str, Gpu], head: Mapping[str, Gpu], owners: tuple[str, ...]) -> Iterator[Amendment]:
    """A manifest that names none asks for every kind of device, so that the first name asks for less."""
    if head and not base:
        told = ", ".join(f"{name}: {gpu}" for name, gpu in head.items())
        yield Amendment(
            kind="loosened", what="GPUs", kernel="", before="every kind of device", after=told, owners=owners
        )
        return
    for gpu in dict.fromkeys((*base, *head)):
        before, after = base.get(gpu), head.get(gpu)
        if kind := gpu_kind(before, after):
            old, new = (str(form or "") for form in (before, after))
            yield Amendment(kind=kind, what=f"GPU {gpu}", kernel="", before=old, after=new, owners=owners)


def gpu_kind(before: Gpu | None, after: Gpu | None) -> Kind | None:
    """To be on probation, or on it for longer, asks less."""
    if before is None or after is None:
        return presence(before, after)
    if bool(before.probation) != bool(after.probation):
        return "loosened" if after.probation else "tightened"
    return until(before.probation, after.probation)


def of_accepted(base: Held, head: Manifest) -> Iterator[Amendment]:
    """To accept a finding, a larger one, or for longer, asks less of that kernel."""
    owners = {kernel.name: base.owners(kernel) for kernel in base.manifest.kernels}
    before, after = ({entry.identity: entry for entry in m.accepted} for m in (base.manifest, head))
    for identity in dict.fromkeys((*before, *after)):
        old, new = before.get(identity), after.get(identity)
        if kind := accepted_kind(old, new):
            rule, case = identity
            kernel = case.partition("/")[0]
            yield Amendment(
                kind=kind,
                what=f"accepted {rule} of {case}",
                kernel=kernel if kernel in owners else "",
                before=shown(old),
                after=shown(new),
                owners=owners.get(kernel, base.everyone),
                place=new.place if new else None,
            )


def accepted_kind(old: Accepted | None, new: Accepted | None) -> Kind | None:
    if old is None or new is None:
        return "loosened" if old is None else "tightened"
    return worst((larger_loosens(old.bound, new.bound), until(old.until, new.until)))


def shown(entry: Accepted | None) -> str:
    return f"{entry.bound:.3g} until {entry.until}" if entry else ""


def exceptions(manifest: Manifest) -> Mapping[str, Ignored]:
    return {line.pattern: line for line in manifest.ignored}


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


def of_exceptions(
    word: str, base: Mapping[str, Exempted], head: Mapping[str, Exempted], owners: tuple[str, ...]
) -> Iterator[Amendment]:
    """Lines that end on a day, by what they name: to have one, or to have it for longer, asks less."""
    for name, line in head.items():
        old = base[name].expires if name in base else ""
        kind: Kind | None = until(old, line.expires) if name in base else "loosened"
        if kind:
            what = f"{word} {name}"
            yield Amendment(
                kind=kind, what=what, kernel="", before=old, after=line.expires, owners=owners, place=line.place
            )
    for name, line in base.items():
        if name not in head:
            yield Amendment(kind="tightened", what=f"{word} {name}", kernel="", before=line.expires, owners=owners)
