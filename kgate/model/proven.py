"""What a finished run has proved, so that another run need not measure it: proofs, and cases that are carried."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class ProvenKernel:
    """
    All cases of a kernel on a run's device, measured, and nothing about them to look at.

    `entry` is the digest of what the manifest says of it; `files`, by path from the git root, what git calls the
    content of all that it rests on; `product` are those of them that the product runs, for which somebody answers.
    """

    name: str
    entry: str
    files: Mapping[str, str]
    product: tuple[str, ...]
    cases: tuple[str, ...]  # without their device


@dataclass(frozen=True, kw_only=True)
class Proof:
    """
    What one run has proved, of the clean commit `commit`. `terms` is the digest of what the manifest says of all
    kernels alike; `locks` are the files that fix which packages are installed, as `files` are.

    `minutes` that its device worked for a kernel, also for one that it did not prove; `unproven` says why it did not.
    """

    run: str  # the key
    version: str
    commit: str
    started: str  # UTC, ISO 8601
    manifest: str  # from the git root
    device: str
    kind: str
    arch: str
    must_match: Mapping[str, str]
    terms: str
    locks: Mapping[str, str]
    kernels: tuple[ProvenKernel, ...]
    minutes: Mapping[str, float] = field(default_factory=dict)
    unproven: Mapping[str, str] = field(default_factory=dict)

    def of(self, kernel: str) -> ProvenKernel | None:
        return next((proven for proven in self.kernels if proven.name == kernel), None)


@dataclass(frozen=True, kw_only=True)
class Carried:
    """
    Why a kernel's cases are not measured in this run: an earlier one has proved them, and nothing that they rest on has
    changed since. `product`: the files that somebody answers for, from the git root.
    """

    run: str
    commit: str
    started: str
    product: tuple[str, ...] = ()
