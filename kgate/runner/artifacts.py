"""Compiled kernels as a worker tells of them: bounded, printable, and of one shape before anything reads them."""

from collections.abc import Mapping
from pathlib import Path

from kgate.model import CompiledKernel
from kgate.protocol import ARTIFACTS, CONFIG_ENTRIES, CONFIG_LETTERS, NAME_LETTERS, NOTE_LETTERS, Artifact
from kgate.runner.facts import COUNT_LIMIT, DIGEST
from kgate.runner.printable import one_line

WORD_LETTERS = 40  # of a DSL or an architecture


def misshapen(artifact: Artifact) -> str:
    """Why this is not believed to be a compiled kernel's, as the end of a sentence; "" if it is."""
    kinds = [file.kind for file in artifact.files]
    texts = ((artifact.kernel, NAME_LETTERS), (artifact.dsl, WORD_LETTERS), (artifact.arch, WORD_LETTERS))
    longest = (
        *texts,
        (artifact.note, NOTE_LETTERS),
        *((w, CONFIG_LETTERS) for p in artifact.config.items() for w in p),
    )
    counts = (artifact.registers, artifact.shared_bytes, artifact.local_bytes, artifact.compile_ns)
    if artifact.index >= ARTIFACTS:
        return f"told of more than {ARTIFACTS} compiled kernels of one case"
    if not artifact.kernel.strip() or any(len(text) > letters for text, letters in longest):
        return f"told of compiled kernel {artifact.index} in no words, or in too many"
    if len(artifact.config) > CONFIG_ENTRIES:
        return f"gave compiled kernel {artifact.index} a configuration of {len(artifact.config)} entries"
    if artifact.code_sha256 and not DIGEST.match(artifact.code_sha256):
        return f"gave compiled kernel {artifact.index} a hash that is none"
    if any(count is not None and not 0 <= count < COUNT_LIMIT for count in counts):
        return f"gave compiled kernel {artifact.index} a number that counts nothing"
    if len(set(kinds)) != len(kinds) or any(file.size_bytes < 0 for file in artifact.files):
        return f"promised compiled kernel {artifact.index} twice in one form, or in less than nothing"
    return ""


def compiled_of(artifact: Artifact, files: Mapping[str, Path]) -> CompiledKernel:
    return CompiledKernel(
        kernel=one_line(artifact.kernel),
        dsl=one_line(artifact.dsl),
        arch=one_line(artifact.arch),
        code_sha256=artifact.code_sha256,
        registers=artifact.registers,
        shared_bytes=artifact.shared_bytes,
        local_bytes=artifact.local_bytes,
        config={one_line(name): one_line(value) for name, value in artifact.config.items()},
        compile_ns=artifact.compile_ns,
        files=files,
        note=one_line(artifact.note),
    )
