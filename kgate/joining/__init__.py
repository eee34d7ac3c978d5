"""
`kgate report --base REF`: what every leg of a change has measured, judged as one, on a machine that has run none of it.

    both commits' files, as git has them -> plan -> legs that base expects
    folders of results, as anybody may have written them -> each leg judged afresh -> one verdict
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgate import planning, premises, wire
from kgate.errors import BaselineError, ManifestError, UsageError
from kgate.joining import afresh, approvals
from kgate.joining.afresh import Ground
from kgate.joining.intake import Delivery, Refused, deliveries, once, printable
from kgate.joining.legs import Joined, Judged, Leg, assigned, expected, missing
from kgate.joining.table import rendered, texts_of
from kgate.load import exported, past, tree
from kgate.load import manifest as manifests
from kgate.load.materials import Materials
from kgate.model import Amendment, Report
from kgate.options import Options
from kgate.runner.ledger import Ledger
from kgate.standards import Reviewed
from kgate.wire import ProtocolError

__all__ = ["Joined", "Order", "join", "rendered", "texts_of"]


@dataclass(frozen=True, kw_only=True)
class Order:
    """
    What the command line chose. `folders` hold results, or folders of them; `needs`: GitHub's context of that name as
    JSON, "" for none.
    """

    folders: tuple[Path, ...]
    manifest: Path
    base: str
    head: str = "HEAD"
    shards: int = 1
    proofs: Path | None = None
    drills: str = Options.drills
    needs: str = ""
    reviews: Path | None = None


def join(order: Order) -> Joined:
    """Raises UsageError for what is wrong in the commits themselves, HostError where git cannot read them."""
    path = order.manifest.absolute()
    root = manifests.root_of(path.parent)
    with tempfile.TemporaryDirectory(prefix="kgate-join-") as scratch:
        ground = grounded(order, root, path.relative_to(root).as_posix(), Path(scratch).resolve())
        planned = planning.plan(
            planning.Order(
                manifest=ground.manifest.path,
                base=ground.base_commit or tree.NO_BASE,
                shards=order.shards,
                proofs=order.proofs,
            )
        )
        legs = expected(planned)
        came, trouble = assigned(legs, deliveries(order.folders))
        judged = tuple(answered(leg, came.get(leg.name, ()), ground, order.drills) for leg in legs)
    return Joined(
        manifest=planned.manifest,
        head=ground.head_commit,
        base=ground.base_commit,
        legs=judged,
        trouble=(*trouble, *unmet(order.needs, measured=bool(legs))),
        waived={device.device: device.demand.why for device in planned.devices if device.demand.waived},
        remarks=planned.remarks,
    )


def grounded(order: Order, root: Path, path: str, scratch: Path) -> Ground:
    """Both commits' files below `scratch`. `path`: the manifest's, from the git root. Raises UsageError."""
    head = tree.commit_of(root, order.head) if not order.head.startswith("-") else ""
    if not head:
        raise UsageError(f"--head {order.head}: no such commit in this repository; fetch it")
    base = tree.resolve_base(root, order.base)
    here = exported.export(root, head, scratch / "head")
    there = exported.export(root, base.commit, scratch / "base") if base.commit else None
    manifest = manifests.load(here / path)
    said = approvals.read(order.reviews) if order.reviews else approvals.Reviews()
    contents = approvals.Contents(root=root, path=path, manifest=manifest, head=head, materials=Materials.of(manifest))
    return Ground(
        head=here,
        base=there,
        head_commit=head,
        base_commit=base.commit,
        manifest=manifest,
        manifest_before=past.readable(there / path) if there else None,
        changes=exported.differences(root, base.commit, head) if base.commit else {},
        reviewed=cache_of(contents, said),
    )


def cache_of(contents: approvals.Contents, said: approvals.Reviews) -> Reviewed:
    """Every leg asks of the same amendments, and each look at a commit takes git a moment."""
    known: dict[tuple[str, ...], Mapping[str, tuple[str, ...]]] = {}

    def reviewed(amendments: Sequence[Amendment]) -> Mapping[str, tuple[str, ...]]:
        names = tuple(amendment.name for amendment in amendments)
        if names not in known:
            known[names] = contents.approved(amendments, said) if said.voices else {}
        return known[names]

    return reviewed


def answered(leg: Leg, came: Sequence[Delivery], ground: Ground, drills: str) -> Judged:
    """Attempts of one key are pooled, and each other thing that was measured is judged by itself."""
    if not came:
        return Judged(leg=leg, trouble=(missing(leg),))
    latest = came[-1]
    trouble = [f"results of {leg.name} are refused: {latest.folder} {latest.refused}"] if latest.refused else []
    reports: list[Report] = []
    for ledgers in by_key([delivery for delivery in came if delivery.ledger is not None]):
        try:
            reports.append(afresh.judged(leg, ledgers, ground, drills))
        except (ManifestError, BaselineError):
            raise  # of the commits, whose words they are
        except Exception as error:  # noqa: BLE001  whatever was written into a ledger costs its own leg, and no other
            trouble.append(f"results of {leg.name} cannot be judged: {told(error)}")
    return Judged(leg=leg, reports=tuple(reports), trouble=tuple(trouble))


def told(error: Exception) -> str:
    known = isinstance(error, Refused | UsageError)
    return printable(str(error), 300) if known else f"they are no ledger of kgate's ({type(error).__name__})"


def by_key(came: Sequence[Delivery]) -> list[list[Ledger]]:
    """The newest first; what does not say what it is of stands for itself."""
    groups: dict[str, list[Ledger]] = {}
    for number, delivery in enumerate(came):
        assert delivery.ledger is not None
        key = key_of(delivery.ledger) or f"unknown {number}"
        groups[key] = [*groups.pop(key, []), delivery.ledger]
    return list(groups.values())[::-1]


def key_of(ledger: Ledger) -> str:
    try:
        found = premises.read(ledger)
    except Exception:  # noqa: BLE001  as above
        return ""
    return found[0].key if found else ""


def unmet(needs: str, *, measured: bool) -> tuple[str, ...]:
    """Jobs that the report has waited for and that did not end well. Where no leg is expected none may be skipped."""
    if not needs.strip():
        return ()
    try:
        jobs = wire.parsed(needs.encode("utf-8", "replace"), pairs=once)
    except ProtocolError as error:
        return (f"what is said of the jobs before is {printable(str(error), 200)}",)
    results = {name: job.get("result") if isinstance(job, dict) else None for name, job in jobs.items()}
    fine = {"success"} if measured else {"success", "skipped"}
    return tuple(
        f"job {printable(name)} ended as {printable(str(result))}"
        for name, result in results.items()
        if result not in fine
    )
