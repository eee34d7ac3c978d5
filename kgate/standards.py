"""What a run is held to, read from both trees before anything is measured: base's values, kernels in the code, debt."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from kgate.base import Base
from kgate.errors import BaselineError, ManifestError
from kgate.load import baselines, debt, inventory, owners, tree
from kgate.load.digests import digest
from kgate.load.source import Sources
from kgate.model import Amendment, Baseline, Inventory, Manifest, Owed, Terms
from kgate.options import Options
from kgate.runner.state import STATE
from kgate.terms import Change, Held, Renames
from kgate.terms.kernels import TRUTHS
from kgate.terms.renames import entries

# Amendments that want an approval -> by name, who has given it.
Reviewed = Callable[[Sequence[Amendment]], Mapping[str, tuple[str, ...]]]


@dataclass(frozen=True, kw_only=True)
class Standards:
    """`manifest` judges head; `base` in head's words, with `names` from base's own."""

    manifest: Manifest
    base: Base
    names: Renames
    terms: Terms


def nobody(amendments: Sequence[Amendment]) -> Mapping[str, tuple[str, ...]]:
    """No reviews are known where a run is typed."""
    return {}


def standards(head: Manifest, base: Base, options: Options, reviewed: Reviewed = nobody) -> Standards:
    """
    `head`: the whole manifest, whatever was chosen of it. `reviewed` tells who has approved which amendment. Raises
    ManifestError for head's debt, BaselineError.
    """
    owed = debt.read(head.path, head.root)
    looked = not (options.kernels or options.workloads)
    here, there = inventories(head, base) if looked else (None, None)
    found = Terms(inventory=here, base_inventory=there, approved_by=options.approved_by, debt=owed)
    before = base.manifest or base.declared
    if before is None:
        # Without any base there is nothing that the change could have made looser.
        found = replace(found, unheld=bool(base.commit), accepted=head.accepted)
        return Standards(manifest=head, base=base, names=Renames(), terms=found)
    mine = held(head, before, owed)
    old, remarks = held_by_base(before, head)
    change = Change(base=replace(old, asked=asked_at_base(before, base)), head=mine)
    changes = [a for a in change.amendments if chosen(a, head, options.kernels)]
    approvals = reviewed([a for a in changes if a.wants_approval])
    judging, in_words, counted = change.judging(options.approved_by, approvals)
    # Base's functions keep their own names: they are called in base's tree.
    told = replace(base, manifest=in_words if base.manifest else None, remarks=(*base.remarks, *remarks))
    found = replace(found, amendments=tuple(changes), debt=counted, approvals=approvals, accepted=judging.accepted)
    return Standards(manifest=judging, base=told, names=change.names, terms=found)


def joined(whole: Manifest, chosen: Manifest) -> Manifest:
    """All kernels, those that were chosen as a worker has completed them."""
    known = {kernel.name: kernel for kernel in chosen.kernels}
    return replace(whole, kernels=tuple(known.get(k.name, k) if not k.complete else k for k in whole.kernels))


def as_it_is(manifest: Manifest) -> tree.Head:
    """
    The work tree, but for what a run of kgate itself has just stored for review. Raises HostError where git tracks
    kgate's state: proofs and answers of earlier runs that a change brings along are its own word.
    """
    tree.refuse_tracked(manifest.root, STATE)
    stored_in = manifest.folder / manifest.baselines if manifest.baselines else None
    return tree.head(manifest.root, stored_in, debt.path_of(manifest.path))


def chosen(amendment: Amendment, head: Manifest, patterns: Iterable[str]) -> bool:
    """What is said of kernels that nobody asked about is said by the whole check."""
    wanted = tuple(patterns)
    return not wanted or not amendment.kernel or any(fnmatchcase(amendment.kernel, p) for p in wanted)


def held(manifest: Manifest, other: Manifest, owed: tuple[Owed, ...]) -> Held:
    """`manifest` of one tree; `other` of the other, whose functions may be there as well. Raises BaselineError."""
    sources = Sources(folder=manifest.folder)
    named = {function for m in (manifest, other) for kernel in m.kernels for function in entries(kernel)}
    truths = {function for kernel in manifest.kernels for role in TRUTHS if (function := getattr(kernel, role))}
    modules = {function.partition(":")[0] for function in named}
    return Held(
        manifest=manifest,
        code={function: digest(sources, function) for function in sorted(truths)},
        modules=frozenset(module for module in modules if sources.file_of(module)),
        baselines=stored(manifest),
        debt=owed,
    )


def held_by_base(before: Manifest, head: Manifest) -> tuple[Held, tuple[str, ...]]:
    """What cannot be read of base's is no fault of the change, which may be the one that mends it: a remark."""
    try:
        return held(before, head, debt.read(before.path, before.root)), ()
    except (ManifestError, BaselineError) as error:
        lenient = replace(before, baselines="")
        remark = f"base's debt and baselines are not held against this change: {error}"
        return replace(held(lenient, head, ()), manifest=before), (remark,)


def asked_at_base(before: Manifest, base: Base) -> Mapping[str, tuple[str, ...]]:
    """By kernel that names no owners, whom base's CODEOWNERS asks for the files of its entry."""
    unnamed = [kernel for kernel in before.kernels if not kernel.owners]
    if not unnamed or base.folder is None:
        return {}
    files = tree.files(base.folder)
    known, found = frozenset(files), owners.read(base.folder, files)
    prefix = before.folder.relative_to(before.root)
    return {k.name: owners.ownership(found, k, tuple(owners.named(k, prefix, known))).asked for k in unnamed}


def stored(manifest: Manifest) -> Mapping[str, Baseline]:
    """By device; a folder is looked for from the manifest's."""
    folder = manifest.folder / manifest.baselines if manifest.baselines else None
    files = sorted(folder.glob("*.json")) if folder is not None and folder.is_dir() else []
    return {file.stem: found for file in files if (found := baselines.read(file)) is not None}


def inventories(head: Manifest, base: Base) -> tuple[Inventory, Inventory | None]:
    """Of both trees; of base also where it has no manifest, so that what a change adds can be told."""
    mine = of_tree(head, head.root)
    if base.folder is None:
        return mine, None
    place = base.folder / head.path.relative_to(head.root)
    before = base.manifest or base.declared
    bare = replace(head, path=place, folder=place.parent, root=base.folder, kernels=(), ignored=())
    return mine, inventory.in_words_of(mine, of_tree(before or bare, base.folder))


def of_tree(manifest: Manifest, root: Path) -> Inventory:
    files = tree.files(root)
    return inventory.inventory(manifest, files, owners.read(root, files))
