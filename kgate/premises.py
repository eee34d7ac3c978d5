"""
What a run starts from besides its samples, written into its ledger: whoever has that file alone can judge it again.

A setting of a run that is over holds no lock, no interpreter and no tree; nothing can be started from it.
"""

import dataclasses
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from kgate import __version__, carrying
from kgate.base import Base
from kgate.key import environment
from kgate.load import baselines, calibrations
from kgate.load.tree import Head
from kgate.model import Carried, Counted, Fingerprint, Kernel, Level, Manifest, Ownership, Standing, Terms, Variant
from kgate.options import Options
from kgate.plan import Target, plan
from kgate.protocol import Identity
from kgate.runner.ledger import JSON, Ledger
from kgate.runner.place import Workplace
from kgate.runner.records import plain
from kgate.runner.sandbox import Sandbox
from kgate.setting import Setting
from kgate.varying import with_variants
from kgate.wire import ProtocolError, build, coerce

KIND = "premises"
ATTEMPT = "attempt"
OWNERSHIP = "ownership"
STANDING = "standing"
RUN = "run"  # the one name of its kind
KEY_LETTERS = 16  # of a ledger's name; what follows tells what kind of run it is of
DIGITS, SHOWN = 16, 6  # of a digest, and of names in a remark
NOBODY = -1  # in place of a lock's descriptor


@dataclass(frozen=True, kw_only=True)
class Premises:
    """`manifest` from the git root; `policy` by rule, as numbers of Level; `stored` as a baseline file has it."""

    version: str
    key: str
    manifest: str
    head: str
    dirty: bool
    base: str
    base_ran: bool
    target: Target
    kernels: tuple[Kernel, ...]
    base_kernels: tuple[Kernel, ...]
    policy: Mapping[str, int]
    fingerprint: Fingerprint
    stored_path: str
    remarks: tuple[str, ...]
    variants: tuple[Variant, ...] = ()
    terms: Terms = field(default_factory=Terms)
    carried: Mapping[str, Carried] = field(default_factory=dict)  # by kernel
    environment: Mapping[str, str] = field(default_factory=dict)  # of the key: digests, since values may be secrets
    sandbox: str = "none"


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """
    One run of this key. `launches` is what it was told to take; 0: until decided; `budget_min` and `drills` as in
    Options. Without `cost_s` it was interrupted.
    """

    started: str  # UTC, ISO 8601
    launches: int
    command: str
    budget_min: float = 0.0
    drills: str = "smallest"
    drills_only: bool = False
    resumed: int = 0
    wall_s: float = 0.0
    cost_s: Mapping[str, float] = field(default_factory=dict)


def record(here: Setting) -> None:
    """Before anything is measured, so that an interrupted run can be told of as well."""
    base, manifest = here.base.manifest, here.manifest
    found = Premises(
        version=__version__,
        key=here.folder.name,
        manifest=manifest.path.relative_to(manifest.root).as_posix(),
        head=here.head.commit,
        dirty=here.head.dirty,
        base=here.base.commit,
        base_ran=base is not None,
        target=here.plan.target,
        kernels=manifest.kernels,
        base_kernels=base.kernels if base else (),
        policy=manifest.policy,
        fingerprint=here.fingerprint,
        stored_path=here.stored.path if here.stored else "",
        remarks=here.remarks,
        variants=tuple(here.plan.variants.values()),
        terms=here.terms,
        carried={case.kernel: why for case, why in here.plan.carried.items()},
        environment=digests(here),
        sandbox=here.workplace.sandbox.mode,
    )
    stored = baselines.plain(here.stored) if here.stored else None
    here.ledger.record(KIND, RUN, {"premises": plain(dataclasses.asdict(found)), "stored": stored})


def digests(here: Setting) -> dict[str, str]:
    """Of the environment in the key, by name; a run that is over has none."""
    found = environment(here.workplace) if here.workplace.trees else {}
    return {name: sha256(os.fsencode(value)).hexdigest()[:DIGITS] for name, value in found.items()}


def begun_anew(here: Setting) -> tuple[str, ...]:
    """
    A remark where the newest run of the same commits is not gone on with, for the sake of the environment alone.

    Nothing where this run goes on with one of its own key, or where uncommitted changes may be why.
    """
    state, mine = here.folder.parent, digests(here)
    others = sorted(state.glob(f"*{here.folder.name[KEY_LETTERS:]}.jsonl"), key=lambda path: -path.stat().st_mtime_ns)
    for found in map(first_of, others) if not attempts(here.ledger) else ():
        if found is not None and found.environment and same_content(found, here):
            names = sorted(n for n in mine.keys() | found.environment.keys() if mine.get(n) != found.environment.get(n))
            more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
            told = f"{', '.join(names[:SHOWN])}{more}"
            return (f"begun anew: an earlier run of the same commits had another {told}",) if names else ()
    return ()


def first_of(path: Path) -> Premises | None:
    """What a ledger begins with; None where that is something else."""
    with suppress(OSError, ValueError, KeyError, TypeError, ProtocolError), path.open("rb") as file:
        line = json.loads(file.readline())
        return build(Premises, line["value"]["premises"], KIND) if line["kind"] == KIND else None
    return None


def same_content(found: Premises, here: Setting) -> bool:
    told = (found.version, found.manifest, found.head, found.base, found.target, found.kernels, found.fingerprint)
    own = (
        __version__,
        here.manifest.path.relative_to(here.manifest.root).as_posix(),
        here.head.commit,
        here.base.commit,
        here.plan.target,
        here.manifest.kernels,
        here.fingerprint,
    )
    return told == own and not found.dirty and not here.head.dirty


def read(ledger: Ledger) -> tuple[Premises, JSON] | None:
    """The premises, and the baseline as JSON; None in a ledger that has none."""
    return ledger.read(KIND, RUN, lambda body: (build(Premises, body["premises"], KIND), body["stored"]))


def begun(options: Options, started: str) -> Attempt:
    return Attempt(
        started=started,
        launches=options.launches,
        command=options.command,
        budget_min=options.budget_min,
        drills=options.drills,
        drills_only=options.drills_only,
    )


def record_attempt(ledger: Ledger, made: Attempt) -> None:
    """When it begins, and again, with what it cost, when it ends."""
    ledger.record(ATTEMPT, made.started, dataclasses.asdict(made))


def attempts(ledger: Ledger) -> list[Attempt]:
    """In the order in which they began."""
    return [build(Attempt, body, ATTEMPT) for _, body in sorted(ledger.all(ATTEMPT).items())]


def record_ownership(ledger: Ledger, head: Mapping[str, Ownership], base: Mapping[str, Ownership]) -> None:
    for name, found in (("head", head), ("base", base)):
        ledger.record(OWNERSHIP, name, {kernel: plain(dataclasses.asdict(o)) for kernel, o in found.items()})


def ownership(ledger: Ledger, tree: str) -> Mapping[str, Ownership] | None:
    """By kernel; None where the run did not get so far."""
    return ledger.read(OWNERSHIP, tree, lambda body: coerce(dict[str, Ownership], body, OWNERSHIP))


def record_standing(ledger: Ledger, found: Standing) -> None:
    known = found.calibration
    body = {
        "missing": found.missing,
        "live": found.live and dataclasses.asdict(found.live),
        "path": known.path if known else "",
        "calibration": known and calibrations.plain(known),
    }
    ledger.record(STANDING, RUN, plain(body))


def standing(ledger: Ledger) -> Standing:
    """Nothing where the run did not get so far."""
    body = ledger.recall(STANDING, RUN)
    if body is None:
        return Standing()
    known = body["calibration"]
    return Standing(
        missing=body["missing"],
        live=build(Counted, body["live"], STANDING) if body["live"] else None,
        calibration=calibrations.calibration(Path(body["path"]), known) if known else None,
    )


def setting_of(found: Premises, stored: JSON, ledger: Ledger) -> Setting:
    """The setting of a run that is over. Its trees and its interpreter are not there any more."""
    manifest = declared(found, found.kernels)
    base = declared(found, found.base_kernels) if found.base_ran else None
    fingerprint = found.fingerprint
    return Setting(
        manifest=manifest,
        base=Base(commit=found.base, tree_hash="", folder=None, manifest=base),
        head=Head(commit=found.head, dirty=found.dirty, tree=""),
        plan=with_variants(carrying.without(plan(manifest, base, found.target), found.carried), found.variants),
        workplace=Workplace(
            python={},
            trees={},
            folder=Path(found.key),
            device=found.target.torch_name,
            sandbox=Sandbox(mode=found.sandbox),
        ),
        identity=identity_of(fingerprint),
        fingerprint=fingerprint,
        ledger=ledger,
        lock=NOBODY,
        folder=Path(found.key),
        stored=baselines.parsed(Path(found.stored_path), stored) if stored else None,
        remarks=found.remarks,
        terms=found.terms,
        standing=standing(ledger),
    )


def declared(found: Premises, kernels: tuple[Kernel, ...]) -> Manifest:
    """As much of a manifest as judging reads."""
    path = Path("/") / found.manifest
    return Manifest(
        path=path,
        folder=path.parent,
        root=Path("/"),
        python="",
        build="",
        env=(),
        baselines="",
        policy={rule: Level(level) for rule, level in found.policy.items()},
        gpus={},
        kernels=kernels,
        digest="",
    )


def identity_of(fingerprint: Fingerprint) -> Identity:
    """Of a machine that is known from what was written of it: which adapters it had, nobody asks any more."""
    return Identity(
        must_match=dict(fingerprint.must_match),
        may_drift=dict(fingerprint.may_drift),
        information=dict(fingerprint.information),
        adapters={},
        devices={},
    )
