"""
One leg's results judged as if nobody had: by the manifest and the files of both commits, as git has them.

Of the ledger count the samples, the metrics and what was observed. Of its premises count the device and its
fingerprint, which only the runner knows, and the paths that a dispatch function tells, where the manifest leaves them
to it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from kgate import __version__, carrying, premises, report
from kgate.answers import Answers
from kgate.base import Base
from kgate.joining.intake import Refused
from kgate.joining.legs import Leg
from kgate.joining.redecided import redecide
from kgate.load import owners, tree
from kgate.load.past import COMMIT
from kgate.model import Kernel, Manifest, Ownership, Report, Tree
from kgate.options import Options
from kgate.pipeline import files_of
from kgate.plan import Target, plan
from kgate.pooled import known, pooled
from kgate.premises import Attempt, Premises
from kgate.runner.ledger import Ledger
from kgate.runner.place import Workplace
from kgate.setting import Setting, standing, stored_baseline
from kgate.standards import Reviewed, Standards, nobody, standards
from kgate.terms.stored import in_words
from kgate.varying import varied

ARCH = re.compile(r"sm_[0-9]{2,3}")
NOT_RUN = "the runner says that base could not be run there, so every kernel counts as new"


@dataclass(frozen=True, kw_only=True)
class Ground:
    """
    Both commits, as `load.exported` wrote them, and what differs between them. `base` None: there is none;
    `manifest_before` None: nor is there a manifest of it that can be read.
    """

    head: Path
    base: Path | None
    head_commit: str
    base_commit: str
    manifest: Manifest
    manifest_before: Manifest | None
    changes: Mapping[str, bool] = field(default_factory=dict)
    reviewed: Reviewed = nobody


def judged(leg: Leg, ledgers: Iterable[Ledger], ground: Ground, drills: str) -> Report:
    """Of attempts of one key, of which these `drills` are wanted. Raises Refused for another leg's or change's."""
    whole = pooled(list(ledgers))
    found, _ = known(whole)
    made = [sober(attempt, drills) for attempt in premises.attempts(whole)]
    refuse_other(leg, found, ground)
    here = setting(leg, found, whole, ground)
    redecide(here)
    answers = report.recorded(here)
    owned = ownerships(here, answers, here.manifest, Tree.HEAD)
    before = here.base.manifest
    owned_before = ownerships(here, answers, before, Tree.BASE) if before is not None else {}
    at = report.planned(whole) if len(made) > 1 else ()
    return report.judged(here, answers, made, (owned, owned_before), at)


def sober(attempt: Attempt, drills: str) -> Attempt:
    """What an attempt was to leave out is not for itself to say: a run of fewer drills has drills missing."""
    return replace(attempt, launches=0, drills=drills, drills_only=False)


def refuse_other(leg: Leg, found: Premises, ground: Ground) -> None:
    stale = {
        "kgate": (found.version, __version__),
        "head": (found.head, ground.head_commit),
        "base": (found.base, ground.base_commit),
        "manifest": (found.manifest, ground.manifest.path.relative_to(ground.manifest.root).as_posix()),
    }
    for name, (theirs, ours) in stale.items():
        if theirs != ours:
            raise Refused(f"is stale: of {name} {short(theirs)}, and this is {short(ours)}")
    if found.dirty:
        raise Refused("is of a work tree with changes that no commit has")
    if found.target.name != leg.device or not sound(found.target):
        raise Refused(f"is of the device {short(found.target.name)}, not of {leg.device}")
    names = {kernel.name for kernel in found.kernels}
    if absent := sorted(leg.kernels - names):
        raise Refused(f"is of another plan: it does not speak of {absent[0]}")


def short(text: str) -> str:
    return (text[:9] if COMMIT.fullmatch(text) else "".join(c for c in text[:40] if c.isprintable())) or "none"


def sound(target: Target) -> bool:
    return target.kind == "cpu" if target.name == "cpu" else target.kind == "cuda" and bool(ARCH.fullmatch(target.arch))


def setting(leg: Leg, found: Premises, whole: Ledger, ground: Ground) -> Setting:
    """As `kgate check` prepares one, on a machine that can start nothing of it."""
    held = held_to(found, ground)
    fingerprint, target = found.fingerprint, found.target
    carried = {name: why for name, (why, proved_on) in leg.carried.items() if proved_on == dict(fingerprint.must_match)}
    kept = tuple(kernel for kernel in held.manifest.kernels if leg.answers_for(kernel.name))
    manifest, base = replace(held.manifest, kernels=kept), held.base
    stored, doubt = stored_baseline(manifest, base, target)
    planned = varied(carrying.without(plan(manifest, base.manifest, target), carried))
    return Setting(
        manifest=manifest,
        base=base,
        head=tree.Head(commit=found.head, dirty=False, tree=""),
        plan=planned,
        workplace=Workplace(python={}, trees={}, folder=Path(found.key), device=target.torch_name),
        identity=premises.identity_of(fingerprint),
        fingerprint=fingerprint,
        ledger=whole,
        lock=premises.NOBODY,
        folder=Path(found.key),
        stored=in_words(stored, held.names) if stored else None,
        terms=held.terms,
        standing=standing(manifest, base, target, fingerprint),
        remarks=(*base.remarks, *doubt),
    )


def held_to(found: Premises, ground: Ground) -> Standards:
    head, before = completed(ground.manifest, found.kernels), ground.manifest_before
    base = Base(
        commit=ground.base_commit,
        tree_hash="",
        folder=ground.base,
        manifest=completed(before, found.base_kernels) if before is not None and found.base_ran else None,
        remarks=(NOT_RUN,) if before is not None and not found.base_ran else (),
        changes=ground.changes,
        declared=before,
    )
    return standards(head, base, Options(manifest=head.path), ground.reviewed)


def completed(manifest: Manifest, told: Iterable[Kernel]) -> Manifest:
    """With the paths that a dispatch function tells, where the manifest leaves them to it: nobody here can ask it."""
    known = {kernel.name: kernel for kernel in told}
    return replace(
        manifest, kernels=tuple(filled(k, known[k.name]) if k.name in known else k for k in manifest.kernels)
    )


def filled(kernel: Kernel, told: Kernel) -> Kernel:
    if kernel.complete:
        return kernel
    return replace(
        kernel,
        custom=kernel.custom or told.custom,
        fallback=kernel.fallback or told.fallback,
        switch=kernel.switch or told.switch,
        optional=kernel.optional or told.optional,
    )


def ownerships(here: Setting, answers: Answers, manifest: Manifest, side: Tree) -> Mapping[str, Ownership]:
    """By the CODEOWNERS of that tree. Files that a worker did not tell of count where an entry names their module."""
    files = tree.files(manifest.root)
    found, kernels = owners.read(manifest.root, files), here.plan.kernels
    prefix, known = manifest.folder.relative_to(manifest.root), frozenset(files)
    if side is Tree.BASE:
        kernels = here.plan.base_kernels
    return {
        name: owners.ownership(
            found, kernel, tuple(sorted({*files_of(here, answers, kernel, side), *owners.named(kernel, prefix, known)}))
        )
        for name, kernel in kernels.items()
    }
