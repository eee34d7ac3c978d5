"""Outcomes to rows: one for each distinct variant of a device kernel, and one for each reason that there is none."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from enum import Enum

from kgate.compilation.reasons import raised, reason
from kgate.compilation.work import Item
from kgate.model import Case, CompiledKernel, Failure, Measurement, Outcome, Verdict
from kgate.worker.architectures import ARCHITECTURES

# Failures that say nothing of the kernel.
NOT_THE_KERNELS = ("unavailable", "out-of-memory")


class Status(str, Enum):
    COMPILED = "compiled"
    FAILED = "failed"  # the change is at fault
    NOT_RUN = "not run"  # nobody knows


@dataclass(frozen=True, kw_only=True)
class Row:
    """`text` says why, where it is not compiled. `cached`: all of its workloads are known from an earlier run."""

    kernel: str
    arch: str
    status: Status
    workloads: tuple[str, ...]
    device_kernel: str = ""
    code_sha256: str = ""
    compile_ns: int | None = None
    registers: int | None = None
    shared_bytes: int | None = None
    local_bytes: int | None = None
    config: tuple[tuple[str, str], ...] = ()
    cached: bool = False
    text: str = ""
    detail: str = ""

    @property
    def key(self) -> tuple[object, ...]:
        """Rows of one key are one. The code says what a variant is; where it has no hash, its configuration does."""
        variant = self.code_sha256 or self.config
        return (self.kernel, self.arch, self.status, self.device_kernel, variant, self.text)


def rows(items: Sequence[Item], outcomes: Mapping[Case, Outcome], known: AbstractSet[Case]) -> tuple[Row, ...]:
    """By kernel and architecture, in the order of the items."""
    found: dict[tuple[object, ...], Row] = {}
    for item in items:
        for row in of_case(item.case, outcomes.get(item.case), item.case in known):
            same = found.get(row.key)
            found[row.key] = joined(same, row) if same else row
    kernels = list(dict.fromkeys(item.case.kernel for item in items))
    all_rows = [*found.values(), *unreached(items, outcomes)]
    return tuple(sorted(all_rows, key=lambda row: (kernels.index(row.kernel), list(ARCHITECTURES).index(row.arch))))


def of_case(case: Case, outcome: Outcome | None, cached: bool) -> Iterator[Row]:
    match outcome:
        case Measurement():
            yield from (of_variant(case, one, cached) for one in outcome.compiled)
        case Failure():
            status = Status.NOT_RUN if outcome.reason in NOT_THE_KERNELS else Status.FAILED
            yield replace(plain(case, status, sentence(outcome), outcome.detail), cached=cached)
        case None:
            yield plain(case, Status.NOT_RUN, "no process came to it")


def sentence(failure: Failure) -> str:
    match failure.reason:
        case "compile-failed":
            return reason(failure.text, failure.detail)
        case "raised":
            return raised(failure.text, failure.detail)
    return failure.text


def plain(case: Case, status: Status, text: str, detail: str = "") -> Row:
    return Row(
        kernel=case.kernel, arch=case.device, status=status, workloads=(case.workload,), text=text, detail=detail
    )


def of_variant(case: Case, one: CompiledKernel, cached: bool) -> Row:
    text = excess(case.device, one.shared_bytes)
    return Row(
        kernel=case.kernel,
        arch=case.device,
        status=Status.FAILED if text else Status.COMPILED,
        workloads=(case.workload,),
        device_kernel=one.kernel,
        code_sha256=one.code_sha256,
        compile_ns=one.compile_ns,
        registers=one.registers,
        shared_bytes=one.shared_bytes,
        local_bytes=one.local_bytes,
        config=tuple(sorted(one.config.items())),
        cached=cached,
        text=text,
    )


def excess(arch: str, shared_bytes: int | None) -> str:
    """Why no launch of it can ever work, found before any; "" if one may."""
    limit = ARCHITECTURES[arch].shared_limit_bytes
    if shared_bytes is None or shared_bytes <= limit:
        return ""
    return (
        f"asks for {shared_bytes:,} bytes of shared memory a block, where {arch} has {limit:,}; "
        "take smaller tiles or fewer stages there"
    )


def joined(one: Row, other: Row) -> Row:
    """The same variant, met by two workloads. Only the one that compiled it first knows how long that took."""
    times = [ns for ns in (one.compile_ns, other.compile_ns) if ns is not None]
    return replace(
        one,
        workloads=(*one.workloads, *(w for w in other.workloads if w not in one.workloads)),
        compile_ns=max(times, default=None),
        cached=one.cached and other.cached,
    )


def unreached(items: Iterable[Item], outcomes: Mapping[Case, Outcome]) -> Iterator[Row]:
    """Kernels of which no call compiled anything on an architecture: that must not look like success."""
    by_unit: dict[tuple[str, str], list[Case]] = {}
    for item in items:
        by_unit.setdefault((item.case.kernel, item.case.device), []).append(item.case)
    for cases in by_unit.values():
        found = [outcomes.get(case) for case in cases]
        if all(isinstance(outcome, Measurement) and not outcome.compiled for outcome in found):
            text = "no call compiled a kernel; does the custom path take another way without a GPU?"
            yield replace(plain(cases[0], Status.NOT_RUN, text), workloads=tuple(c.workload for c in cases))


def verdict(found: Iterable[Row]) -> Verdict:
    statuses = {row.status for row in found}
    if Status.FAILED in statuses:
        return Verdict.FAIL
    return Verdict.NO_VERDICT if Status.NOT_RUN in statuses or not statuses else Verdict.PASS
