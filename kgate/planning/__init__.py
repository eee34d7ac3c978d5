"""
`kgate plan`: what a run has to measure and what it may carry, on a machine that needs neither a GPU nor torch.

    proofs of earlier runs, base's commit, work tree -> choices by device -> shards -> text, JSON, a matrix
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timezone
from pathlib import Path

from kgate import __version__
from kgate.errors import HostError
from kgate.listing import aimed, plan_on
from kgate.load import entries, past, proofs, tree
from kgate.load import manifest as manifests
from kgate.load.materials import Materials
from kgate.model import DEVICE_KINDS, Manifest, Proof
from kgate.plan import Target
from kgate.plan import plan as plan_of
from kgate.planning.choice import Choice, Grounds, chosen
from kgate.planning.demand import Demand, demands
from kgate.planning.intruders import intruders
from kgate.planning.shards import shared
from kgate.runner.state import STATE, folder_at
from kgate.standards import as_it_is

FILE = "plan.json"


@dataclass(frozen=True, kw_only=True)
class Order:
    """What the command line chose; () and None: kgate chooses. `proofs` is a folder of them; `today` is UTC's."""

    manifest: Path
    base: str = ""
    devices: tuple[str, ...] = ()
    shards: int = 1
    proofs: Path | None = None
    today: date | None = None


@dataclass(frozen=True, kw_only=True)
class OnDevice:
    demand: Demand
    choices: tuple[Choice, ...]
    shards: Mapping[str, int]

    @property
    def device(self) -> str:
        return self.demand.device

    @property
    def required(self) -> bool:
        return self.demand.required


@dataclass(frozen=True, kw_only=True)
class Planned:
    """`manifest` from the git root; `head` and `head_tree` as a run's key has them."""

    manifest: str
    manifest_sha256: str
    head: str
    head_tree: str
    base: str
    why_base: str
    shards: int
    devices: tuple[OnDevice, ...]
    remarks: tuple[str, ...]


def plan(order: Order) -> Planned:
    """Raises UsageError (manifest, base), or HostError where git is missing."""
    manifest = manifests.load(order.manifest)
    root, path = manifest.root, manifest.path.relative_to(manifest.root).as_posix()
    head = as_it_is(manifest)
    base = tree.resolve_base(root, order.base, head)
    changed = tree.changes(root, base.commit) if base.commit else {}
    before = base_manifest(manifest, base.commit, path, changed)
    found, remarks = proofs.read(order.proofs or root / STATE / proofs.FOLDER)
    mine = tuple(proof for proof in found if proof.manifest == path)
    trusted, more = believed(root, mine, base.commit)
    grounds = grounds_of(manifest, before, base.commit, changed)
    devices = []
    names = order.devices or devices_of(manifest, before, trusted)
    for asked in demands(before, names, order.today or datetime.now(timezone.utc).date()):
        name = asked.device
        known = [proof for proof in mine if proof.device == name]
        target = target_of(name, known)
        cases = cases_on(target, manifest)
        choices = chosen(grounds, known, [proof for proof in trusted if proof.device == name], cases)
        devices.append(OnDevice(demand=asked, choices=choices, shards=shared(choices, order.shards)))
    if base.commit and before is None:
        remarks = (*remarks, f"base {base.commit[:9]} has no manifest that can be read, so that nothing is carried")
    return Planned(
        manifest=path,
        manifest_sha256=manifest.digest,
        head=head.commit + ("+dirty" if head.dirty else ""),
        head_tree=head.tree,
        base=base.commit,
        why_base=base.reason,
        shards=order.shards,
        devices=tuple(devices),
        remarks=(*remarks, *more),
    )


def base_manifest(manifest: Manifest, commit: str, path: str, changed: Mapping[str, bool]) -> Manifest | None:
    """Head's own where no file has changed that could be part of it: YAML of hundreds of kernels takes seconds."""
    if not commit:
        return None
    if not any(name == path or name.endswith((".yaml", ".yml")) for name in changed):
        return manifest
    return past.manifest_at(manifest.root, commit, path)


def believed(root: Path, mine: Sequence[Proof], base: str) -> tuple[tuple[Proof, ...], tuple[str, ...]]:
    """Proofs of commits that base's history holds: what a change says of itself carries nothing."""
    within = {commit: past.within(root, commit, base) for commit in {proof.commit for proof in mine}}
    trusted = tuple(proof for proof in mine if within[proof.commit])
    others = len(mine) - len(trusted)
    told = f"{others} of {len(mine)} proofs are of commits that are not in base's history here, and carry nothing"
    return trusted, (told,) if others else ()


def grounds_of(manifest: Manifest, before: Manifest | None, base: str, changed: Mapping[str, bool]) -> Grounds:
    materials = Materials.of(manifest)
    digests = digests_of(manifest)
    blobs = past.Blobs.of(manifest.root, base)
    inner = manifest.folder.relative_to(manifest.root).as_posix()
    return Grounds(
        version=__version__,
        base=base if before is not None else "",
        changed=frozenset(changed),
        blobs=blobs,
        entries=digests,
        base_entries=digests if before is manifest else digests_of(before) if before else {},
        terms=entries.terms(manifest),
        base_terms=entries.terms(before) if before else "",
        locks=materials.locks(changed),
        closures={kernel.name: materials.static(kernel) for kernel in manifest.kernels},
        intruders=intruders(changed, blobs, "" if inner == "." else inner),
    )


def digests_of(manifest: Manifest) -> Mapping[str, str]:
    return {kernel.name: entries.digest(kernel) for kernel in manifest.kernels}


def devices_of(manifest: Manifest, before: Manifest | None, trusted: Sequence[Proof]) -> tuple[str, ...]:
    """
    Those that base's manifest or head's names; where neither names any, each kind that workloads of either are meant
    for, by the names that proofs have seen for it. No proof takes a kind away.
    """
    sides = [manifest, *([before] if before else [])]
    named = dict.fromkeys(gpu for side in reversed(sides) for gpu in side.gpus)
    if named:
        return tuple(named)
    workloads = [workload for side in sides for kernel in side.kernels for workload in kernel.workloads]
    kinds = [kind for kind in DEVICE_KINDS if any(aimed(Target(kind=kind, name=kind), w) for w in workloads)]
    seen = {kind: sorted({proof.device for proof in trusted if proof.kind == kind}) for kind in kinds}
    return tuple(name for kind in kinds for name in seen[kind] or [kind])


def target_of(name: str, known: Sequence[Proof]) -> Target:
    """With the architecture that the last run has seen; without one, every architecture counts."""
    if known:
        return Target(kind=known[0].kind, name=name, arch=known[0].arch)
    return Target(kind="cpu" if name == "cpu" else "cuda", name=name)


def cases_on(target: Target, manifest: Manifest) -> Mapping[str, tuple[str, ...]]:
    """By kernel, in the order written."""
    found = plan_of(manifest, None, target) if target.arch else plan_on(target, manifest)
    return {name: tuple(c.stable_name for c in found.cases if c.kernel == name) for name in found.kernels}


def keep(planned: str, manifest: Path) -> Path:
    """The plan as JSON in the state folder, where it is no change to what it speaks of."""
    path = folder_at(manifests.root_of(manifests.located(manifest).parent)) / FILE
    try:
        path.write_text(planned, encoding="utf-8")
    except OSError as error:
        raise HostError(f"{path}: cannot be written ({error.strerror}); free some space") from error
    return path
