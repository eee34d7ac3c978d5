"""
`kgate capture -- COMMAND`: runs COMMAND, watches the entry points of the manifest, and writes what was called.

    manifest -> entry points -> COMMAND with a hook in each Python -> a file per process -> one capture
"""

import shlex
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path

from kgate import captured
from kgate.capture.command import run
from kgate.capture.files import Counts, Seen, seen
from kgate.captured import CallSeen, Captured, EntrySeen
from kgate.errors import ExitCode, UsageError
from kgate.figures import count
from kgate.load import manifest as manifests
from kgate.load.hints import nearest

LIMIT = 512  # signatures of one entry point and process


@dataclass(frozen=True, kw_only=True)
class Order:
    """`entries` are functions of no manifest, as module:function; each is a kernel of the function's name."""

    command: tuple[str, ...]
    manifest: Path
    out: Path
    python: str = ""
    kernels: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    limit: int = LIMIT


@dataclass(frozen=True, kw_only=True)
class Watched:
    """A kernel's entry points, the one that is to be believed first: what the product calls, then the custom path."""

    kernel: str
    entries: tuple[str, ...]


def capture(order: Order) -> tuple[str, ExitCode]:
    """What to say, and NO_VERDICT where nothing was called. Raises UsageError and HostError."""
    watched, python = chosen(order)
    with tempfile.TemporaryDirectory(prefix="kgate-capture-", ignore_cleanup_errors=True) as scratch:
        status = run(order.command, python, Path(scratch), [each.entries for each in watched], order.limit)
        found = seen(Path(scratch))
    ended = f"; the command ended with exit code {status}" if status else ""
    source = f"captured {date.today().isoformat()} from {shlex.join(order.command)}"
    kernels = {each.kernel: best for each in watched if (best := believed(each, found))}
    silent = [f"{each.kernel}: {why(each, found)}" for each in watched if each.kernel not in kernels]
    if not kernels:
        return "\n".join((f"kgate capture: nothing was called{ended}", *silent)), ExitCode.NO_VERDICT
    body = captured.text(Captured(version=captured.VERSION, source=source, kernels=kernels))
    try:
        order.out.write_text(body, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{order.out}: cannot be written ({error.strerror}); name another with --out") from error
    lines = [f"{name}: {told(entry)}" for name, entry in kernels.items()]
    return "\n".join((f"{order.out}: {count(len(kernels), 'kernel')}{ended}", *lines, *silent)), ExitCode.GREEN


def chosen(order: Order) -> tuple[Sequence[Watched], str]:
    """What to watch, and the interpreter that COMMAND's `python` stands for."""
    named = [Watched(kernel=entry.rpartition(":")[2].replace(".", "_"), entries=(entry,)) for entry in order.entries]
    wrong = next((entry for entry in order.entries if not entry.partition(":")[2]), None)
    if wrong is not None:
        raise UsageError(f"--entry {wrong!r}: no function; write module:function, like acme.ops:linear_gelu")
    if named and not manifests.located(order.manifest).exists():
        return named, order.python
    manifest = manifests.load(order.manifest)
    declared = [
        Watched(kernel=k.name, entries=tuple(dict.fromkeys(filter(None, (k.dispatch, k.custom)))))
        for k in manifest.kernels
        if not order.kernels or any(fnmatchcase(k.name, pattern) for pattern in order.kernels)
    ]
    if not declared:
        known = [k.name for k in manifest.kernels]
        raise UsageError(f"--kernel {order.kernels[0]!r}: no kernel of the manifest{nearest(order.kernels[0], known)}")
    here = manifest.folder / manifest.python
    python = order.python or (str(here) if "/" in manifest.python else manifest.python)
    return [*declared, *named], python


def believed(each: Watched, found: Mapping[str, Seen]) -> EntrySeen | None:
    """The first of its entry points that was called; of one without a call nothing."""
    for entry in each.entries:
        known = found.get(entry)
        if known is not None and known.calls:
            return entry_seen(entry, known)
    return None


def entry_seen(entry: str, found: Seen) -> EntrySeen:
    workloads = [CallSeen(weight=counts.calls, args=counts.args) for counts in by_calls(found)]
    return EntrySeen(entry=entry, calls=found.calls, workloads=tuple(workloads), folded=found.folded)


def by_calls(found: Seen) -> Sequence[Counts]:
    return sorted(found.signatures, key=lambda counts: -counts.calls)


def told(entry: EntrySeen) -> str:
    text = f"{count(entry.calls, 'call')} of {entry.entry}, {count(len(entry.workloads), 'signature')}"
    return text + (f"; {entry.folded} calls had further ones, which are not kept" if entry.folded else "")


def why(each: Watched, found: Mapping[str, Seen]) -> str:
    """Nothing was seen of a module that the run never imported, or that it started as its program."""
    for entry in each.entries:
        if entry in found:
            return f"{entry}: {found[entry].note or 'was not called'}"
    return f"{each.entries[0].partition(':')[0]} was not imported"
