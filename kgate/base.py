"""The base commit as a run can use it: its work tree, what its manifest says, its build; or why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from kgate.completion import completed
from kgate.errors import HostError, ManifestError, UsageError
from kgate.load import manifest as manifests
from kgate.load import tree
from kgate.model import BASE, Manifest
from kgate.runner.place import Workplace


@dataclass(frozen=True, kw_only=True)
class Base:
    """
    The base commit as it can be run: its work tree and what its manifest says; or why not. `changes`: the paths that
    differ from head's work tree, and whether each is in both, as it was before anything of either tree had run.
    `declared`: its manifest also where it cannot be run, since its limits hold then as well.
    """

    commit: str
    tree_hash: str
    folder: Path | None
    manifest: Manifest | None
    remarks: tuple[str, ...] = ()
    changes: Mapping[str, bool] = field(default_factory=dict)
    declared: Manifest | None = None


def base_of(manifest: Manifest, ref: str, state: Path, head: tree.Head) -> Base:
    """Resolve and check out the base commit; a base that is not there is a remark, not an error."""
    found = tree.resolve_base(manifest.root, ref, head)
    if not found.commit:
        return Base(commit="", tree_hash="", folder=None, manifest=None, remarks=(f"no base: {found.reason}",))
    folder = state / "trees" / found.commit[:12]
    for other in (state / "trees").glob("*"):
        tree.remove(manifest.root, other)  # of runs that were interrupted
    try:
        tree.checkout(manifest.root, found.commit, folder)
    except tree.NoSubmodule as error:
        return Base(commit="", tree_hash="", folder=None, manifest=None, remarks=(f"no base: {error}",))
    path = folder / manifest.path.relative_to(manifest.root)
    changes = tree.changes(manifest.root, found.commit)
    base = Base(commit=found.commit, tree_hash=found.tree, folder=folder, manifest=None, changes=changes)
    try:
        old = manifests.load(path)
    except (ManifestError, UsageError) as error:
        return unusable(base, error)
    return replace(base, manifest=old, declared=old)


def built(base: Base, state: Path) -> Base:
    """Run base's `build` in its tree. Where that fails it is a remark, and base is not run."""
    if base.manifest is None or not base.manifest.build:
        return base
    sentence = tree.build(base.manifest.folder, base.manifest.build, state / "build-base.log")
    if not sentence:
        return base
    remark = f"base does not build, so every kernel counts as new: {sentence}; see {state / 'build-base.log'}"
    return replace(base, manifest=None, remarks=(*base.remarks, remark))


def fault_of_build(manifest: Manifest, base: Base, state: Path) -> str:
    """
    Run head's `build`; "" or the sentence that every case of head fails with, if base's tree has shown that this host
    can build. Raises HostError where it has not: then nobody can tell the change from the machine.
    """
    sentence = tree.build(manifest.folder, manifest.build, state / "build-head.log") if manifest.build else ""
    if not sentence:
        return ""
    text = f"build in the work tree: {sentence}; see {state / 'build-head.log'}"
    if base.manifest is None or not base.manifest.build:
        raise HostError(text)
    return text


def completed_base(base: Base, workplace: Workplace) -> Base:
    """With the paths that base's own dispatch functions tell."""
    if base.manifest is None:
        return base
    try:
        return replace(base, manifest=completed(base.manifest, workplace, BASE))
    except ManifestError as error:
        return unusable(base, error)


def unusable(base: Base, error: Exception) -> Base:
    remark = f"base {base.commit[:9]} has no usable manifest, so every kernel counts as new: {error}"
    return replace(base, manifest=None, remarks=(*base.remarks, remark))
