"""
Before anything is measured: manifest, base commit, builds, interpreter, device, ledger. Everything a run needs, or one
sentence that says why there can be no run.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from kgate import aim, carrying, exchange, idle
from kgate.base import Base, base_of, built, completed_base, fault_of_build
from kgate.completion import completed
from kgate.device import interpreter
from kgate.key import run_key
from kgate.load import baselines, calibrations, entries, selection, tree
from kgate.load import manifest as manifests
from kgate.model import HEAD, Arm, Baseline, Case, Event, Failure, Fingerprint, Manifest, Outcome, Standing, Terms, Tree
from kgate.options import Options
from kgate.plan import LOCKSTEP, Plan, Target, plan
from kgate.protocol import Identity
from kgate.runner.environment import refused
from kgate.runner.ledger import Ledger
from kgate.runner.place import Workplace
from kgate.runner.process import Start, fresh
from kgate.runner.reservation import reserved
from kgate.runner.state import folder_at, hold, spent, sweep
from kgate.runner.zygote import FORKABLE, Zygotes, by_tree
from kgate.standards import as_it_is, joined, standards
from kgate.terms.stored import in_words
from kgate.varying import varied

Emit = Callable[[Event], None]
# Failures that may be the machine's: of a package, a driver, a neighbour. An earlier run's are not believed.
PASSING = ("environment", "import", "compile")
TRANSIENT = ("unavailable", "hung", "died", "exited", "out-of-memory")
LONGEST = 300  # letters of a note: what cannot be copied may be many files
CLUSTERS = 3  # zygotes per arm, used in turn: children of one share its address layout and hash seed


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One run, ready to go. `folder` is the run's own, below .kgate; `ledger` may hold what an earlier try finished."""

    manifest: Manifest
    base: Base
    head: tree.Head
    plan: Plan
    workplace: Workplace
    identity: Identity
    fingerprint: Fingerprint
    ledger: Ledger
    lock: int
    folder: Path
    stored: Baseline | None
    remarks: tuple[str, ...]
    terms: Terms = field(default_factory=Terms)
    standing: Standing = field(default_factory=Standing)
    unbuilt: str = ""  # why head's build failed where base's did not
    start: Start = fresh
    launch_start: Start = fresh
    uuids: Mapping[str, str] = field(default_factory=dict)  # by torch's name, of the devices that launches are taken on
    reservations: tuple[int, ...] = ()  # what keeps other runs off them
    entries: Mapping[str, str] = field(default_factory=dict)  # by kernel: digest of what the manifest says of it

    @property
    def devices(self) -> tuple[str, ...]:
        """Torch's names of those that launches are taken on, side by side."""
        return tuple(self.uuids) or (self.plan.target.torch_name,)


def prepare(options: Options, emit: Emit) -> Setting:
    """Raises UsageError (manifest, names), HostError (git, folders, device) or WorkerError (interpreter)."""
    whole = manifests.load(options.manifest)
    manifest = selection.select(whole, options.kernels, options.workloads)
    head = as_it_is(manifest)
    state = folder_at(manifest.root)
    lock = hold(state)
    base = built(base_of(manifest, options.base, state, head), state)
    unbuilt = fault_of_build(manifest, base, state)
    declared = {kernel.name: entries.digest(kernel) for kernel in manifest.kernels}
    with probing(options, manifest, base, state) as open_place:
        asked, (target, identity, uuids) = aim.aimed(options, manifest, aim.within(options, open_place))
        manifest, base = completed(manifest, asked, HEAD), completed_base(base, asked)
    held = standards(joined(whole, manifest), base, options)
    fingerprint = fingerprint_of(identity)
    share = carrying.share(options, held.manifest, head, held.base.commit, target, fingerprint)
    base, manifest, reservations = held.base, share.manifest, taken(uuids, emit)
    key = run_key(manifest, head, base, fingerprint, asked, target, options.approved_by, share.carried)
    folder, ledger = opened(state, key + ("-drills" if options.drills_only else ""))
    stored, doubt = stored_baseline(manifest, base, target)
    announce(emit, folder.name, target, head, base)
    return Setting(
        manifest=manifest,
        base=base,
        head=head,
        plan=varied(carrying.without(plan(manifest, base.manifest, target), share.carried)),
        workplace=replace(place(options, manifest, base, folder), device=target.torch_name, sandbox=asked.sandbox),
        identity=identity,
        fingerprint=fingerprint,
        ledger=ledger,
        lock=lock,
        folder=folder,
        stored=in_words(stored, held.names) if stored else None,
        terms=held.terms,
        standing=standing(manifest, base, target, fingerprint),
        unbuilt=unbuilt,
        uuids=uuids,
        reservations=reservations,
        entries=declared,
        remarks=(*dirty_remark(head), *base.remarks, *share.remarks, *doubt, *remarks_on_workers(asked)),
    )


@contextmanager
def probing(options: Options, manifest: Manifest, base: Base, state: Path) -> Iterator[Workplace]:
    """For what is asked of an interpreter before a run has a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="probe-", dir=state, ignore_cleanup_errors=True) as scratch:
        yield place(options, manifest, base, Path(scratch))


def announce(emit: Emit, key: str, target: Target, head: tree.Head, base: Base) -> None:
    fields = {"key": key, "device": target.name, "head": head.commit, "base": base.commit}
    emit(Event(name="run-started", fields=fields))


def opened(state: Path, key: str) -> tuple[Path, Ledger]:
    """The run's own folder and ledger; what other runs have left behind is swept away."""
    folder = state / key
    folder.mkdir(exist_ok=True)
    ledger = Ledger.open(state / f"{key}.jsonl")
    sweep(state, key)
    return folder, ledger


def taken(uuids: Mapping[str, str], emit: Emit) -> tuple[int, ...]:
    """What keeps other runs off these GPUs, on which there is room. Raises HostError."""
    reservations = reserved(uuids.items(), emit)
    for name, uuid in uuids.items():
        idle.room(name, uuid)
    return reservations


def fingerprint_of(identity: Identity) -> Fingerprint:
    return Fingerprint(must_match=identity.must_match, may_drift=identity.may_drift, information=identity.information)


@contextmanager
def zygotes(setting: Setting, emit: Emit, *, launches: bool = True) -> Iterator[Setting]:
    """
    The same setting, with processes started the way its device wants it, and none of them left behind. `launches`: it
    will be timed as well.

    On CUDA a launch is a fork, since a new process takes seconds to reach a context. On a CPU it is a new process:
    children of one parent would share its heap, whose layout alone can make a difference of some per cent.
    """
    if setting.plan.target.kind == "cpu" or not setting.plan.cases:
        yield setting
        return
    packages, timed = preloaded(setting), timed_arms(setting)
    with Zygotes(packages, emit, shared_by=by_tree) as alone, Zygotes(packages, emit, clusters=CLUSTERS) as together:
        alone.warm(setting.workplace, timed)
        # These import while the first half of the run goes on, so that no launch has to wait for them.
        if launches:
            together.warm(setting.workplace, timed)
        yield replace(setting, start=alone.start, launch_start=together.start)


@contextmanager
def fresh_zygotes(setting: Setting, emit: Emit) -> Iterator[Setting]:
    """
    The setting of launches that share no address layout and no hash seed with any before, arms warmed in reverse, the
    trees exchanged where they can be.
    """
    with ExitStack() as stack:
        place, base = setting.workplace, setting.base.folder
        if base is not None and Tree.BASE in place.trees and not unexchanged(setting):
            try:
                place = stack.enter_context(exchange.exchanged(place, setting.manifest.root, base))
            except OSError as error:
                text = f"trees are not exchanged for a confirmation: the work tree cannot be copied ({error})"
                emit(Event(name="note", fields={"arm": "", "text": text[:LONGEST]}))
        start: Start = fresh
        if setting.plan.target.kind != "cpu":
            others = stack.enter_context(Zygotes(preloaded(setting), emit, clusters=CLUSTERS))
            others.warm(place, timed_arms(setting)[::-1])
            start = others.start
        yield replace(setting, workplace=place, launch_start=start)


def unexchanged(setting: Setting) -> str:
    """Why a confirmation cannot exchange the trees, as a clause; "" if it can, and where there is one tree alone."""
    base = setting.base.folder
    if base is None or Tree.BASE not in setting.workplace.trees:
        return ""
    return exchange.obstacle(setting.workplace, setting.manifest.root, base, setting.manifest.build)


def preloaded(setting: Setting) -> list[str]:
    return sorted({"torch", *(FORKABLE[k.dsl] for k in setting.plan.kernels.values() if k.dsl in FORKABLE)})


def timed_arms(setting: Setting) -> list[Arm]:
    return [arm for arm in LOCKSTEP if arm.tree in setting.workplace.trees]


def stored_baseline(manifest: Manifest, base: Base, target: Target) -> tuple[Baseline | None, tuple[str, ...]]:
    """
    What the run is held against, read before anything is measured, and a remark if base's cannot be. Base's lies where
    base's manifest says: a change that names another folder does not get rid of its measure.
    """
    own = baselines.path_of(manifest, target.name)
    if base.manifest is None:
        return baselines.held_against(own, None) if own else (None, ())
    before = baselines.path_of(base.manifest, target.name)
    return baselines.held_against(own or before, before) if before else (None, ())


def standing(manifest: Manifest, base: Base, target: Target, live: Fingerprint) -> Standing:
    """What is known of the gate's errors on this device, read before anything is measured."""
    own, old = calibrations.path_of(manifest, target.name), None
    if base.manifest is not None:
        old = calibrations.path_of(base.manifest, target.name)
        own = own if old else None
    found, missing = calibrations.held_to(own, old, live)
    return Standing(calibration=found, missing=missing)


def place(options: Options, manifest: Manifest, base: Base, folder: Path) -> Workplace:
    trees = {Tree.HEAD: manifest.folder}
    if base.manifest is not None:
        trees[Tree.BASE] = base.manifest.folder
    chosen = options.python or manifest.python
    pythons = {
        arm: interpreter(chosen, bool(options.python), folder_, manifest.folder) for arm, folder_ in trees.items()
    }
    return Workplace(
        python=pythons,
        trees=trees,
        folder=folder,
        device="cpu",
        pass_env=manifest.env,
        manifest=options.named_manifest,
    )


def passing(outcome: Outcome) -> bool:
    return isinstance(outcome, Failure) and (outcome.rung in PASSING or outcome.reason in TRANSIENT)


def dirty_remark(head: tree.Head) -> tuple[str, ...]:
    return ("the work tree has uncommitted changes; they were measured as head",) if head.dirty else ()


def remarks_on_workers(workplace: Workplace) -> tuple[str, ...]:
    hidden = (f"env: {name} is never given to a worker" for name in refused(workplace.pass_env))
    return (*hidden, *workplace.sandbox.remarks)


def clean(setting: Setting, outcomes: Mapping[tuple[Arm, Case], Outcome]) -> None:
    """
    Give the base tree back to git, drop the run's bulky files, and let other runs in.

    The ledger stays, so that a second run of the same content judges the same samples and cannot draw again. Only of a
    case in which something failed that is mended outside the repository the next run has to measure all.
    """
    with suppress(OSError):
        shutil.rmtree(setting.folder)
    unsettled = {case.name for (_, case), o in outcomes.items() if case not in setting.plan.variants and passing(o)}
    setting.ledger.forget(unsettled, spent(setting.ledger.path))
    if setting.base.folder is not None:
        tree.remove(setting.manifest.root, setting.base.folder)
    setting.ledger.close()
    for descriptor in (*setting.reservations, setting.lock):
        os.close(descriptor)
