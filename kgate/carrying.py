"""
`kgate check --plan`: what this run leaves out, since the plan says that an earlier one has proved it.

The plan was made where there was no GPU. What only the runner knows, its fingerprint, is compared here: a kernel that
was proved on another one is measured after all.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kgate import __version__
from kgate.errors import UsageError
from kgate.figures import count
from kgate.load import schemas, selection
from kgate.load.tree import Head
from kgate.model import Carried, Fingerprint, Manifest
from kgate.options import Options
from kgate.plan import Plan, Target

SIZE_LIMIT = 16 << 20  # bytes


@dataclass(frozen=True, kw_only=True)
class Share:
    """What a run does: kernels of `manifest`, of which `carried`, by name, are not measured."""

    manifest: Manifest
    carried: Mapping[str, Carried] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


def share(
    options: Options, manifest: Manifest, head: Head, base: str, target: Target, fingerprint: Fingerprint
) -> Share:
    """All that was chosen of the manifest where there is no plan. Raises UsageError for a plan of something else."""
    manifest = selection.select(manifest, options.kernels, options.workloads)
    if options.plan is None:
        return Share(manifest=manifest)
    body = read(options.plan)
    refuse_other(options.plan, body, manifest, head, base)
    kernels = kernels_of(options.plan, body, target)
    if not 0 <= options.shard <= body["shards"]:
        raise UsageError(f"--shard {options.shard}: {options.plan} has {count(body['shards'], 'shard')}")
    mine = {name: said for name, said in kernels.items() if options.shard in (0, said["shard"])}
    proven = {name: said["carried"] for name, said in mine.items() if said["carried"]}
    apart = {name: fingerprint.differences(Fingerprint(must_match=p["must_match"])) for name, p in proven.items()}
    reopened = {name: fields for name, fields in apart.items() if fields}
    carried = {
        name: Carried(run=p["run"], commit=p["commit"], started=p["started"], product=tuple(p["product"]))
        for name, p in proven.items()
        if name not in reopened
    }
    kept = tuple(k for k in manifest.kernels if k.name in mine or (options.shard in (0, 1) and k.name not in kernels))
    return Share(manifest=replace(manifest, kernels=kept), carried=carried, remarks=told(reopened))


def told(reopened: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    fields = ", ".join(sorted({field for names in reopened.values() for field in names}))
    if not reopened:
        return ()
    return (
        f"{count(len(reopened), 'kernel')} that the plan carries, measured all the same: proved on another fingerprint "
        f"({fields})",
    )


def read(path: Path) -> Mapping[str, Any]:
    """Raises UsageError for what is no plan."""
    from jsonschema import Draft202012Validator

    try:
        if path.stat().st_size > SIZE_LIMIT:
            raise UsageError(f"{path}: more than {SIZE_LIMIT} bytes, which is no plan; run `kgate plan` again")
        body: dict[str, Any] = json.loads(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}); run `kgate plan` first") from error
    except ValueError as error:
        raise UsageError(f"{path}: not JSON ({error}); run `kgate plan` again") from error
    wrong = next(iter(Draft202012Validator(schemas.parsed("plan")).iter_errors(body)), None)
    if wrong is not None:
        place = ".".join(str(part) for part in wrong.absolute_path) or "its top level"
        raise UsageError(f"{path}: not a plan of this version of kgate ({place}: {wrong.message[:120]})")
    return body


def refuse_other(path: Path, body: Mapping[str, Any], manifest: Manifest, head: Head, base: str) -> None:
    here = {
        "kgate": __version__,
        "manifest": manifest.path.relative_to(manifest.root).as_posix(),
        "manifest_sha256": manifest.digest,
        "head_tree": head.tree,
        "base": base,
    }
    other = next((name for name, value in here.items() if body[name] != value), None)
    if other is not None:
        raise UsageError(f"{path}: is of another {other.replace('_', ' ')} than this run; run `kgate plan` again")


def kernels_of(path: Path, body: Mapping[str, Any], target: Target) -> Mapping[str, Mapping[str, Any]]:
    found = next((device for device in body["devices"] if device["device"] == target.name), None)
    if found is None:
        named = ", ".join(device["device"] for device in body["devices"]) or "none"
        raise UsageError(
            f"{path}: plans for {named}, and this is {target.name}; run `kgate plan --device {target.name}`"
        )
    return {kernel["name"]: kernel for kernel in found["kernels"]}


def without(plan: Plan, carried: Mapping[str, Carried]) -> Plan:
    """The plan with these kernels' cases put aside."""
    aside = {case: carried[case.kernel] for case in plan.cases if case.kernel in carried}
    return replace(plan, cases=tuple(case for case in plan.cases if case not in aside), carried=aside)
