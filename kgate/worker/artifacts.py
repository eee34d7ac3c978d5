"""
What an adapter tells of a device kernel, as the gate hears it: numbers and a hash out of the cubin, and files if asked.

Nothing here may cost a case its answer: what cannot be read or written is a note.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path

from kgate.protocol import (
    ARTIFACTS,
    CONFIG_ENTRIES,
    CONFIG_LETTERS,
    NAME_LETTERS,
    NOTE_LETTERS,
    Artifact,
    ArtifactFile,
    ArtifactKind,
)
from kgate.worker import cubin
from kgate.worker.adapters import Built
from kgate.worker.exports import Target
from kgate.worker.faults import line_of

# Both come with the CUDA toolkit; nvdisasm names branch targets, cuobjdump is in more installations.
DISASSEMBLERS = (("nvdisasm", "--print-code"), ("cuobjdump", "--dump-sass"))
DISASSEMBLY_S = 60.0


def artifacts_of(dsl: str, built: Sequence[Built], target: Target, *, write: bool) -> Iterator[Artifact]:
    """Of one case; `write` says that the files are wanted as well, within the target's budget."""
    untold = len(built) - ARTIFACTS
    for index, one in enumerate(built[:ARTIFACTS]):
        more = f"{untold} more are not told" if untold > 0 and index == ARTIFACTS - 1 else ""
        yield artifact_of(dsl, one, index, target, more, write=write)


def artifact_of(dsl: str, built: Built, index: int, target: Target, note: str, *, write: bool) -> Artifact:
    code, doubt = code_of(built)
    files, unwritten = written(built, index, target) if write else ((), "")
    return Artifact(
        case=target.case,
        index=index,
        kernel=built.kernel[:NAME_LETTERS],
        dsl=dsl,
        arch=built.arch,
        code_sha256=code.code_sha256 if code else "",
        registers=code.registers if code else None,
        shared_bytes=code.shared_bytes + built.dynamic_shared_bytes if code else None,
        local_bytes=code.local_bytes if code else None,
        config={
            name[:CONFIG_LETTERS]: value[:CONFIG_LETTERS]
            for name, value in islice(built.config.items(), CONFIG_ENTRIES)
        },
        compile_ns=built.compile_ns,
        files=files,
        note="; ".join(filter(None, (built.note, doubt, unwritten, note)))[:NOTE_LETTERS],
    )


def code_of(built: Built) -> tuple[cubin.Code | None, str]:
    """The kernel of that name in the cubin; or None, and why where there is a cubin."""
    if built.cubin is None:
        return None, ""
    try:
        codes = cubin.read(built.cubin)
    except ValueError as error:
        return None, str(error)
    found = next((code for code in codes if code.kernel == built.kernel), None)
    return found, "" if found else f"the cubin has no kernel of this name, but {len(codes)} others"


def written(built: Built, index: int, target: Target) -> tuple[tuple[ArtifactFile, ...], str]:
    """A file of everything that there is, and what is not among them with its reason."""
    contents: dict[ArtifactKind, bytes] = {kind: text.encode("utf-8", "replace") for kind, text in built.texts.items()}
    notes = []
    if built.cubin is not None:
        contents["cubin"] = built.cubin
        if "sass" not in contents:
            sass, reason = disassembled(built.cubin)
            if sass:
                contents["sass"] = sass
            notes.append(reason)
    files = []
    for kind, content in contents.items():
        file, reason = filed(kind, content, f"{target.prefix}{index}.{kind}", target)
        files += [file] if file else []
        notes.append(reason)
    return tuple(files), "; ".join(filter(None, notes))


def filed(kind: ArtifactKind, content: bytes, name: str, target: Target) -> tuple[ArtifactFile | None, str]:
    """The budget is the outputs' too, of which more may come: a case must not fail for want of evidence."""
    if len(content) > target.budget.left_bytes // 2:
        return None, f"{kind} not written: it has {len(content)} bytes, and the outputs need what room there is"
    try:
        (target.out / name).write_bytes(content)
    except OSError as error:
        return None, f"{kind} not written: {error.strerror}"
    target.budget.spend(len(content))
    return ArtifactFile(kind=kind, file=name, size_bytes=len(content)), ""


@lru_cache(maxsize=1)  # kernels that are told of one after the other may share a cubin
def disassembled(code: bytes) -> tuple[bytes, str]:
    """SASS, or b"" and why not. The tools read no standard input."""
    tool = disassembler()
    if tool is None:
        return b"", "sass not run: nvdisasm is not installed"
    try:
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(code)
            file.flush()
            done = subprocess.run([*tool, file.name], capture_output=True, timeout=DISASSEMBLY_S, check=True)
        return done.stdout, ""
    except (OSError, subprocess.SubprocessError) as error:
        return b"", f"sass not run: {line_of(error)}"


def disassembler() -> tuple[str, str] | None:
    """The command of the first of these tools on PATH, or in bin/ of CUDA_HOME."""
    home = os.environ.get("CUDA_HOME", "")
    places = os.pathsep.join(filter(None, (os.environ.get("PATH", ""), home and str(Path(home) / "bin"))))
    for name, flag in DISASSEMBLERS:
        if found := shutil.which(name, path=places):
            return found, flag
    return None
