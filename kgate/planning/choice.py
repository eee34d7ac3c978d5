"""Which kernels a run has to measure on a device, and which it may carry: proofs and trees in, choices out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import PurePosixPath

from kgate.load.past import Blobs
from kgate.model import Proof, ProvenKernel

SHOWN = 3  # files by name in a sentence


class Status(str, Enum):
    CHANGED = "changed"  # something that it rests on differs from base
    UNPROVEN = "unproven"  # nothing differs, and no run of base's history has proved it as it is
    CARRIED = "carried"


@dataclass(frozen=True, kw_only=True)
class Grounds:
    """
    Head and base, apart from any device. `changed`: paths from the git root that differ between base and the work tree;
    `blobs` are base's; `closures` what sources of head tell of each kernel; `intruders` are new files that may stand
    before any of them; digests as in `load.entries`.
    """

    version: str
    base: str
    changed: frozenset[str]
    blobs: Blobs
    entries: Mapping[str, str]
    base_entries: Mapping[str, str]
    terms: str
    base_terms: str
    locks: tuple[str, ...]
    closures: Mapping[str, frozenset[str]]
    intruders: tuple[str, ...] = ()

    def differs(self, path: str) -> bool:
        """Also where it lies in a submodule that differs."""
        return path in self.changed or any(str(above) in self.changed for above in PurePosixPath(path).parents)


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Of one kernel on one device. `touched`: its files that the change has touched; `minutes` None: not known."""

    kernel: str
    status: Status
    why: str
    cases: tuple[str, ...]  # without their device
    touched: tuple[str, ...] = ()
    minutes: float | None = None
    proof: Proof | None = None  # of a kernel that is carried
    product: tuple[str, ...] = field(default=(), repr=False)  # files, likewise

    @property
    def measured(self) -> bool:
        return self.status is not Status.CARRIED


def chosen(
    grounds: Grounds, proofs: Sequence[Proof], trusted: Sequence[Proof], cases: Mapping[str, tuple[str, ...]]
) -> tuple[Choice, ...]:
    """
    Of each kernel that has some of `cases`, those meant for the device. `proofs` are all of this device, newest first;
    only `trusted` ones carry, the others tell what measuring costs.
    """
    return tuple(of_kernel(grounds, proofs, trusted, name, mine) for name, mine in cases.items() if mine)


def of_kernel(
    grounds: Grounds, proofs: Sequence[Proof], trusted: Sequence[Proof], name: str, cases: tuple[str, ...]
) -> Choice:
    known = [(proof, proven) for proof in trusted if (proven := proof.of(name))]
    closure = grounds.closures[name] | (frozenset(known[0][1].files) if known else frozenset())
    touched = tuple(sorted(path for path in closure if grounds.differs(path)))
    cost = next((proof.minutes[name] for proof in proofs if name in proof.minutes), None)

    def choice(status: Status, why: str, proof: Proof | None = None, product: tuple[str, ...] = ()) -> Choice:
        return Choice(
            kernel=name,
            status=status,
            why=why,
            cases=cases,
            touched=touched,
            minutes=cost,
            proof=proof,
            product=product,
        )

    if why := change(grounds, name, touched):
        return choice(Status.CHANGED, why)
    doubts = list[str]()
    for proof, proven in known:
        if not (why := doubt(grounds, proof, proven, cases)):
            return choice(Status.CARRIED, "", proof, proven.product)
        doubts.append(f"run {proof.run} proved it before: {why}")
    doubts += [f"run {p.run} did not prove it: {p.unproven[name]}" for p in trusted if name in p.unproven]
    return choice(Status.UNPROVEN, next(iter(doubts), "no run of base's history has proved it"))


def change(grounds: Grounds, name: str, touched: Sequence[str]) -> str:
    """In what the kernel differs from base's, "" if in nothing that is known."""
    if not grounds.base:
        return ""
    if locks := [path for path in grounds.locks if grounds.differs(path)]:
        return f"lock file {listed(locks)}"
    if touched:
        return listed(touched)
    if grounds.intruders:
        return f"{listed(grounds.intruders)}, new, which Python may take in place of another module"
    if name not in grounds.base_entries:
        return "is not in base's manifest"
    if grounds.entries[name] != grounds.base_entries[name]:
        return "its entry in the manifest"
    return "python, build, env or policy of the manifest" if grounds.terms != grounds.base_terms else ""


def doubt(grounds: Grounds, proof: Proof, proven: ProvenKernel, cases: tuple[str, ...]) -> str:
    """Why a proof does not hold for base and head, which agree in all that is known of the kernel; "" if it does."""
    if proof.version != grounds.version:
        return f"kgate was {proof.version} then"
    if proof.terms != grounds.terms:
        return "python, build, env or policy of the manifest were others"
    if proven.entry != grounds.entries[proven.name] or set(proven.cases) != set(cases):
        return "its entry in the manifest was another"
    now = {path: grounds.blobs.at(path) for path in (*grounds.locks, *proof.locks)}
    if locks := sorted(path for path, blob in now.items() if not blob or proof.locks.get(path) != blob):
        return f"another lock file {listed(locks)}"
    if others := sorted(path for path, blob in proven.files.items() if not blob or grounds.blobs.at(path) != blob):
        return f"base has changed {listed(others)} since"
    # Of files that an older proof alone rests on, nobody has said yet whether the change touches them.
    if touched := sorted(path for path in proven.files if grounds.differs(path)):
        return f"it rested on {listed(touched)} then"
    if more := sorted(grounds.closures[proven.name] - set(proven.files)):
        return f"it did not rest on {listed(more)} then"
    return ""


def listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
    return ", ".join(paths[:SHOWN]) + more
