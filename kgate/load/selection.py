"""`--kernel` and `--workload`: a manifest cut down to what was asked for."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from kgate.errors import UsageError
from kgate.load.hints import nearest
from kgate.model import Kernel, Manifest


def select(manifest: Manifest, kernels: Sequence[str], workloads: Sequence[str]) -> Manifest:
    """
    The manifest with the kernels and workloads that match; no pattern means all.

    A workload's pattern may name the workload, a whole grid (`sweep`), or both kernel and workload (`gelu/sweep`).
    Raises UsageError for a pattern that matches nothing.
    """
    chosen = tuple(k for k in manifest.kernels if not kernels or any(fnmatchcase(k.name, p) for p in kernels))
    for pattern in kernels:
        refuse_unmatched("--kernel", pattern, [(k.name,) for k in manifest.kernels])
    for pattern in workloads:
        refuse_unmatched("--workload", pattern, [names(k, w.name) for k in chosen for w in k.workloads])
    if workloads:
        chosen = tuple(k for k in (cut(k, workloads) for k in chosen) if k.workloads)
    return replace(manifest, kernels=chosen)


def cut(kernel: Kernel, patterns: Sequence[str]) -> Kernel:
    kept = (w for w in kernel.workloads if any(matches(p, names(kernel, w.name)) for p in patterns))
    return replace(kernel, workloads=tuple(kept))


def names(kernel: Kernel, workload: str) -> tuple[str, ...]:
    """All that a workload answers to."""
    grid = workload.partition("/")[0]
    return (workload, grid, f"{kernel.name}/{workload}", f"{kernel.name}/{grid}")


def matches(pattern: str, known: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for name in known)


def refuse_unmatched(option: str, pattern: str, known: Sequence[tuple[str, ...]]) -> None:
    if not any(matches(pattern, each) for each in known):
        first_names = dict.fromkeys(each[0] for each in known)
        raise UsageError(f"{option} {pattern!r}: nothing in the manifest matches{nearest(pattern, first_names)}")
