"""
`kgate init --adopt`: the faults of a run as debt. Who adopts the gate starts green, with every old fault shown, owned
and due on a day.

What is in the debt file already keeps its owner and its day, and goes when its fault has.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from kgate import results
from kgate.errors import UsageError
from kgate.figures import count
from kgate.load import debt
from kgate.load import manifest as manifests
from kgate.model import HEAD, Manifest, Owed, Place

DAYS = 90  # long enough to plan the work, and short enough to be remembered


def adopt(path: Path, report: Path | None, owner: str, expires: str) -> str:
    """
    Write the faults that block in the report into the debt file. `owner`: of those that nobody is named for.

    Raises UsageError for a report of another manifest or of some kernels alone, for a day that is past or none, and for
    a fault without an owner.
    """
    manifest = manifests.load(path)
    source, body = results.read(manifest, report)
    refuse_other(manifest, source, body)
    day = due(expires)
    file = debt.path_of(manifest.path)
    known = {owed.identity: owed for owed in debt.read(manifest.path, manifest.root)}
    faults = [f for f in body["findings"] if is_fault(f, known)]
    # By name, so that the next change of this file reads well in review.
    shown = set(map(identity, faults))
    kept = [owed for owed in known.values() if owed.identity not in shown and unseen(owed, manifest, body)]
    told_of = [owing(fault, known, owner, day) for fault in faults]
    found = sorted((*told_of, *kept), key=lambda owed: (owed.name, owed.rule))
    debt.write(file, found)
    return told(file.relative_to(manifest.root), found, known, body)


def refuse_other(manifest: Manifest, source: Path, body: Mapping[str, Any]) -> None:
    named = manifest.path.relative_to(manifest.root).as_posix()
    if body["manifest"] != named:
        raise UsageError(f"{source}: a run of {body['manifest']}, not of {named}; name one of this manifest")
    chosen = [flag for flag in ("--kernel", "--workload", "--shard", "--drills none") if flag in body["command"]]
    if chosen:
        raise UsageError(f"{source}: a run with {chosen[0]} knows of some faults alone; run `kgate check` without it")
    if body["drills_only"]:
        raise UsageError(f"{source}: a run of drills alone; run `kgate check`")


def due(expires: str) -> str:
    today = datetime.now(timezone.utc).date()
    if not expires:
        return (today + timedelta(days=DAYS)).isoformat()
    try:
        day = date.fromisoformat(expires)
    except ValueError as error:
        raise UsageError(f"--expires {expires}: not a day as YYYY-MM-DD") from error
    if day <= today:
        raise UsageError(f"--expires {expires}: not after today; give the owners time to mend")
    return day.isoformat()


def is_fault(finding: Mapping[str, Any], known: Mapping[tuple[str, str, str], Owed]) -> bool:
    """What blocks, or would if the debt file did not name it; what could not be decided is nobody's fault yet."""
    if finding["undecided"] or finding["rule"] in debt.NO_DEBT or finding["level"] != "fail":
        return False
    return bool(finding["blocks"]) or identity(finding) in known


def unseen(owed: Owed, manifest: Manifest, body: Mapping[str, Any]) -> bool:
    """
    Whether the run cannot tell that the fault is mended: it left the question open, did not measure or time the case,
    or was on a CPU where the kernel is for a GPU as well. What the manifest no longer has is nobody's fault.
    """
    if any(f["undecided"] and f["name"] == owed.name for f in body["findings"]):
        return True
    mine = [(k, w) for k in manifest.kernels for w in k.workloads if speaks_of(owed, k.name, w.name)]
    if not body["on_gpu"] and any(target != "cpu" for _, w in mine for target in w.targets):
        return True
    wanted = {(k.name, w.name) for k, w in mine}
    measured = {
        (c["kernel"], c["workload"]): c
        for c in body["cases"]
        if any(a["arm"] == HEAD.name and a["outcome"] for a in c["arms"])
    }
    timed = {key for key, case in measured.items() if case["latency"]}
    return not wanted <= (timed if owed.rule.startswith("slower-") else set(measured))


def speaks_of(owed: Owed, kernel: str, workload: str) -> bool:
    """The backward direction and the condition of a drill stand behind the name."""
    whole = f"{kernel}/{workload}" if owed.scope == "case" else kernel
    return owed.scope == "run" or owed.name == whole or owed.name.startswith((f"{whole}/", f"{whole} ("))


def identity(finding: Mapping[str, Any]) -> tuple[str, str, str]:
    return (finding["rule"], finding["scope"], finding["name"])


def owing(finding: Mapping[str, Any], known: Mapping[tuple[str, str, str], Owed], owner: str, expires: str) -> Owed:
    place = Place(path="", line=0)  # not written yet
    if (old := known.get(identity(finding))) is not None:
        return replace(old, place=place)
    named = next(iter(finding["owners"]), owner)
    if not named:
        raise UsageError(f"{finding['rule']} of {finding['name']} has nobody to mend it; name somebody with --owner")
    rule, scope, name = identity(finding)
    return Owed(rule=rule, scope=scope, name=name, owner=named, expires=expires, place=place)


def told(file: Path, found: list[Owed], known: Mapping[tuple[str, str, str], Owed], body: Mapping[str, Any]) -> str:
    new = [owed for owed in found if owed.identity not in known]
    mended = len(known) - (len(found) - len(new))
    changes = f"{len(new)} of them new, {mended} taken out"
    lines = [f"{file}: {count(len(found), 'old fault')}, {changes}; review and commit this file"]
    lines += [f"{owed.rule} of {owed.name}: {owed.owner} until {owed.expires}" for owed in new]
    undecided = sum(1 for f in body["findings"] if f["undecided"] and f["level"] == "fail")
    if undecided:
        questions = count(undecided, "question was", "questions were")
        lines.append(f"{questions} left open by the run, which no debt can answer: run `kgate check` again")
    if new and body["base"]:
        lines.append("where base has a manifest already, new entries count when an owner has approved them")
    return "\n".join(lines)
