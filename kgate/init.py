"""
`kgate init`: a manifest to begin with. From captures: what a run called becomes workloads.

One that is there is not changed: the new one is printed, with its comments, for you to compare and to put in its place.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgate import captured
from kgate.captured import Captured, EntrySeen, flow, writer
from kgate.drafting import MOST, Draft, draft, most_called, named
from kgate.drafting.fitting import Unfit, symbols_of
from kgate.drafting.several import together
from kgate.errors import UsageError
from kgate.load import manifest as manifests

HEAD = """\
# Written by `kgate init --from-capture`. Still to do, for each kernel:
#   owners     who answers for it, like ["@acme/kernels"]
#   custom, fallback, switch: where dispatch is no kgate_dispatch function, which knows them
#   dsl        what it is written in: torch, tilelang, cutile, triton, cutedsl, cuda
# `kgate schema manifest` prints all that may stand here; `kgate check --list` shows what was understood.
"""


Drafts = Mapping[str, tuple[EntrySeen, Draft]]  # by kernel


@dataclass(frozen=True, kw_only=True)
class Made:
    """`text` is the manifest; `path` where it was written, None where it is only to be printed."""

    text: str
    path: Path | None
    notes: tuple[str, ...]


def from_captures(files: Sequence[Path], manifest: Path, most: int = MOST) -> Made:
    """Raises UsageError for a file that is no capture, and ManifestError for a manifest that is not whole."""
    path = manifests.located(manifest)
    found = [captured.read(file) for file in files]
    kernels = {name: joined(name, found) for name in dict.fromkeys(name for each in found for name in each.kernels)}
    drafts = {name: (seen, draft(seen, source, most)) for name, (seen, source) in kernels.items()}
    notes = tuple(f"{name}: {note}" for name, (_, made) in drafts.items() for note in made.notes)
    if path.exists():
        text, lost = merged(path, drafts, {name: source for name, (_, source) in kernels.items()})
        return Made(text=text, path=None, notes=(*notes, *lost))
    text = HEAD + dumped({"version": 1, "kernels": {n: entry(seen.entry, made) for n, (seen, made) in drafts.items()}})
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}); name another with --manifest") from error
    return Made(text=text, path=path, notes=notes)


def joined(name: str, found: Sequence[Captured]) -> tuple[EntrySeen, str]:
    """What all captures saw of a kernel, and their sources. Raises UsageError where they watched two functions."""
    holding = [each for each in found if name in each.kernels]
    seen = [each.kernels[name] for each in holding]
    functions = sorted({each.entry for each in seen})
    if len(functions) > 1:
        raise UsageError(f"{name}: captured as {' and as '.join(functions)}; pass captures of one of them")
    return together(*seen), "; ".join(dict.fromkeys(each.source for each in holding))


def entry(function: str, made: Draft) -> Mapping[str, Any]:
    return {"owners": [], "dispatch": function, "targets": flow(made.targets), **parts(made)}


def parts(made: Draft) -> Mapping[str, Any]:
    """An argument and a workload a line."""
    return {
        "args": {name: flow(value) for name, value in made.args.items()},
        "workloads": {name: flow(value) for name, value in made.workloads.items()},
    }


def merged(
    path: Path, drafts: Mapping[str, tuple[EntrySeen, Draft]], source: Mapping[str, str]
) -> tuple[str, list[str]]:
    """
    The manifest that is there, with what was called added to the workloads of each kernel; where its `args` are none or
    others, in place of both. And notes.
    """
    declared = {kernel.name for kernel in manifests.load(path).kernels}
    body = writer().load(path.read_text("utf-8"))
    notes: list[str] = []
    for name, (seen, made) in drafts.items():
        if name not in declared:
            body["kernels"][name] = entry(seen.entry, made)
        elif name not in body["kernels"]:
            notes.append(f"{name}: stands in an included file; pass that one as --manifest")
        elif made.workloads and (note := replaced(body["kernels"][name], seen, made, source[name])):
            notes.append(f"{name}: {note}")
    return dumped(body), notes


def replaced(kernel: Any, seen: EntrySeen, made: Draft, source: str) -> str:
    """Changes `kernel` in place; the note says what has been lost by it, and why, "" if nothing."""
    try:
        fitting = fitted(kernel, seen, made, source)
    except Unfit as error:
        had = bool(kernel.get("args") or kernel.get("kwargs"))
        gone = [key for key in ("kwargs", "flops", "bytes") if kernel.pop(key, None) is not None]
        kernel.update(parts(made))
        taken = f", and {' and '.join(gone)} taken out" if gone else ""
        return f"args and workloads are replaced, since {error}{taken}" if had else ""
    kernel["workloads"] = {**(kernel.get("workloads") or {}), **{n: flow(w) for n, w in fitting.items()}}
    return ""


def fitted(kernel: Any, seen: EntrySeen, made: Draft, source: str) -> Mapping[str, Mapping[str, Any]]:
    """Workloads in the symbols that the manifest has already. Raises Unfit."""
    declared = kernel.get("kwargs") or kernel.get("args") or {}
    if not declared:
        raise Unfit("none were declared")
    needed = {key: kernel[key] for key in ("flops", "bytes") if key in kernel}
    calls = most_called(seen, len(made.workloads))
    owns = [symbols_of(declared, call, needed) for call in calls]
    taken: dict[str, Any] = dict(kernel.get("workloads") or {})
    found: dict[str, Mapping[str, Any]] = {}
    for number, (own, call) in enumerate(zip(owns, calls, strict=True), 1):
        telling = {symbol: value for symbol, value in own.items() if any(o[symbol] != value for o in owns)}
        name = named(telling, number, {**taken, **found})
        found[name] = {**own, "weight": call.weight, "source": "same" if found else source}
    return found


def dumped(body: Any) -> str:
    stream = io.StringIO()
    writer().dump(body, stream)
    return stream.getvalue()


def told(made: Made) -> Iterator[str]:
    if made.path is not None:
        yield f"{made.path}: written; its head says what is still to do"
    yield from made.notes
