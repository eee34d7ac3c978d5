"""What the worker tells of device kernels: numbers out of a cubin, files within a budget, a note for what is not."""

from pathlib import Path
from typing import Any

import pytest

from kgate.protocol import Artifact
from kgate.runner.artifacts import misshapen
from kgate.worker.adapters import Built
from kgate.worker.artifacts import artifacts_of
from kgate.worker.exports import Budget, Target

CUBIN = (Path(__file__).parent / "data" / "spilling.cubin").read_bytes()


@pytest.fixture(autouse=True)
def _no_disassembler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))


def built(**changes: Any) -> Built:
    return Built(**{"kernel": "spilled", "arch": "sm_90a", **changes})


def told(out: Path, *kernels: Built, limit_bytes: int = 1 << 20, write: bool = True) -> list[Artifact]:
    target = Target(case="a", out=out, prefix="case0-compiled", budget=Budget(limit_bytes))
    return list(artifacts_of("triton", kernels, target, write=write))


def test_numbers_are_ptxas_own_and_shared_memory_is_static_and_dynamic(tmp_path):
    spilled, shared = told(tmp_path, built(cubin=CUBIN), built(kernel="shared", cubin=CUBIN, dynamic_shared_bytes=1000))

    assert (spilled.registers, spilled.shared_bytes, spilled.local_bytes) == (24, 0, 24)
    assert (shared.registers, shared.shared_bytes, shared.local_bytes) == (14, 2200, 0)
    assert len({spilled.code_sha256, shared.code_sha256, ""}) == 3
    assert (shared.case, shared.index, shared.dsl, shared.arch) == ("a", 1, "triton", "sm_90a")


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"kernel": "other", "cubin": CUBIN}, "the cubin has no kernel of this name"),
        ({"cubin": b"no cubin"}, "cubin: no ELF file for a GPU"),
        ({"cubin": None, "note": "the DSL keeps it"}, "the DSL keeps it"),
    ],
)
def test_what_cannot_be_told_is_none_with_a_note(tmp_path, changes, note):
    (artifact,) = told(tmp_path, built(**changes), write=False)

    assert (artifact.registers, artifact.shared_bytes, artifact.local_bytes, artifact.code_sha256) == (None,) * 3 + (
        "",
    )
    assert note in artifact.note
    assert artifact.files == ()
    assert list(tmp_path.iterdir()) == []


def test_files_are_written_with_their_sizes_and_a_missing_disassembler_is_said(tmp_path):
    (artifact,) = told(tmp_path, built(cubin=CUBIN, texts={"ptx": "// π", "source": ""}))

    sizes = {file.kind: file.size_bytes for file in artifact.files}
    assert sizes == {"ptx": 5, "source": 0, "cubin": len(CUBIN)}
    assert all((tmp_path / file.file).stat().st_size == file.size_bytes for file in artifact.files)
    assert artifact.note == "sass not run: nvdisasm is not installed"
    assert len(list(tmp_path.iterdir())) == 3


def test_files_take_no_room_that_outputs_may_need(tmp_path):
    (artifact,) = told(tmp_path, built(texts={"ptx": "x" * 60, "source": "x" * 40}), limit_bytes=100)

    assert [file.kind for file in artifact.files] == ["source"]
    assert artifact.note.startswith("ptx not written: it has 60 bytes")


def test_a_folder_that_is_gone_costs_the_files_and_not_the_case(tmp_path):
    (artifact,) = told(tmp_path / "gone", built(texts={"ptx": "x"}))

    assert artifact.files == ()
    assert artifact.note == "ptx not written: No such file or directory"


def test_what_a_compiler_says_at_length_is_cut_to_what_the_gate_takes(tmp_path):
    long = built(kernel="k" * 999, config={f"{n}{'c' * 300}": "v" * 300 for n in range(99)}, note="n" * 5000)

    found = told(tmp_path, *[long] * 99)

    assert len(found) == 64
    assert [misshapen(artifact) for artifact in found] == [""] * 64
    assert (len(found[0].kernel), len(found[0].config), len(found[0].note)) == (500, 64, 1000)


def test_kernels_beyond_the_limit_are_counted(tmp_path):
    *_, last = told(tmp_path, *[built()] * 70)

    assert last.note == "6 more are not told"
