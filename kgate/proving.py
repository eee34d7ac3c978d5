"""
What a run that is over has proved: kernels all of whose cases were measured and about which nothing is to be looked at.

A kernel with a warning is no proof. Whoever carried it would hide the warning, or repeat it without having looked.
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from kgate.load import entries
from kgate.load.materials import Materials
from kgate.load.past import Blobs
from kgate.model import (
    HEAD,
    Case,
    Failure,
    Finding,
    Level,
    Measurement,
    Outcome,
    Proof,
    ProvenKernel,
    Report,
    Run,
    Scope,
)
from kgate.setting import Setting

# Judged in every run, of carried kernels as well: none of them needs a measurement.
STANDING = (
    "owner-missing",
    "owner-mismatch",
    "owner-cannot-act",
    "evidence-missing",
    "no-baseline",
    "no-workloads",
    "kernel-unlisted",
    "gate-loosened",
    "debt-expired",
)
FILES = ("loaded-files", "opened-files")


def proof_of(here: Setting, report: Report, worked_s: float) -> Proof | None:
    """
    None where nothing can be proved: of uncommitted changes, which no commit holds, and by a run that left out the
    drills. `worked_s`: of the device, for all cases.
    """
    run, commit = report.run, here.head.commit
    if here.head.dirty or not commit or run.drills_only or not run.cases or not here.entries:
        return None
    materials, blobs = Materials.of(here.manifest), Blobs.of(here.manifest.root, commit)
    rests = {name: rests_on(materials, run, name) for name in sorted({case.kernel for case in run.cases})}
    doubts = {name: doubt(report, name, *found) for name, found in rests.items()}
    target = here.plan.target
    return Proof(
        run=report.key,
        version=report.version,
        commit=commit,
        started=report.started,
        manifest=report.manifest,
        device=target.name,
        kind=target.kind,
        arch=target.arch,
        must_match=dict(here.fingerprint.must_match),
        terms=entries.terms(here.manifest),
        locks={name: blobs.at(name) for name in materials.locks()},
        kernels=tuple(
            ProvenKernel(
                name=name,
                entry=here.entries[name],
                files={file: blobs.at(file) for file in sorted(rests[name][0])},
                product=tuple(sorted(run.ownership[name].files)) if name in run.ownership else (),
                cases=tuple(case.stable_name for case in run.of_kernel(name)),
            )
            for name, why in doubts.items()
            if not why
        ),
        minutes=minutes(run, worked_s),
        unproven={name: why for name, why in doubts.items() if why},
    )


def rests_on(materials: Materials, run: Run, name: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Files of a kernel, and those of them that git does not hold."""
    told = {file for (_, case), outcome in of_head(run) if case.kernel == name for file in files_of(outcome)}
    found, strange = materials.recorded({PurePosixPath(file).as_posix() for file in told})
    return found | materials.static(run.kernels[name]), strange


def of_head(run: Run) -> Iterator[tuple[tuple[object, Case], Outcome]]:
    return ((key, outcome) for key, outcome in run.outcomes.items() if key[0].tree is HEAD.tree)


def files_of(outcome: Outcome) -> Iterator[str]:
    if isinstance(outcome, Failure):
        yield from outcome.files
    else:
        yield from (file for fact in FILES for file in outcome.facts.get(fact, {}))


def doubt(report: Report, name: str, files: frozenset[str], strange: tuple[str, ...]) -> str:
    """Why a kernel is not proved, as a clause; "" if it is."""
    run = report.run
    if found := next((f for f in report.findings if counts(f, name)), None):
        return f"{found.rule}: {found.sentence}"
    if any(not isinstance(run.outcome(HEAD, case), Measurement) for case in run.of_kernel(name)):
        return "not all of its workloads gave an answer"
    if strange:
        return f"it rests on {strange[0]}, which git does not hold"
    return "" if files else "which files it rests on is not known"


def counts(finding: Finding, kernel: str) -> bool:
    about = finding.scope is Scope.RUN or finding.kernel == kernel
    return about and finding.level >= Level.WARN and finding.rule not in STANDING


def minutes(run: Run, worked_s: float) -> Mapping[str, float]:
    """Of the device, by kernel: the whole, shared out by the time that each kernel's own calls took."""
    took_ns: dict[str, float] = {case.kernel: 0.0 for case in run.cases}
    for (_, case), outcome in run.outcomes.items():
        if isinstance(outcome, Measurement) and case.kernel in took_ns:
            took_ns[case.kernel] += sum(outcome.rungs_ns.values())
    for case, found in run.latency.items():
        for launch in found.launches:
            took_ns[case.kernel] += math.fsum(ns for taken in launch.samples_ns.values() for ns in taken)
    whole = math.fsum(took_ns.values())
    return {name: worked_s / 60 * (ns / whole if whole else 1 / len(took_ns)) for name, ns in took_ns.items()}
