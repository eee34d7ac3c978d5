"""SASS by a disassembler on PATH, which here is a script that counts how often it was asked."""

from pathlib import Path

import pytest

from kgate.worker import artifacts
from kgate.worker.adapters import Built
from kgate.worker.exports import Budget, Target

pytestmark = pytest.mark.real
COUNTS = """#!/bin/sh
echo asked >> "{log}"
printf 'SASS of '; cat "$2"
"""


@pytest.fixture
def asked(tmp_path, monkeypatch) -> Path:
    (tmp_path / "bin").mkdir()
    tool = tmp_path / "bin" / "nvdisasm"
    tool.write_text(COUNTS.format(log=tmp_path / "asked"))
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tool.parent), prepend=":")
    return tmp_path / "asked"


def test_kernels_that_share_a_cubin_share_its_disassembly(tmp_path, asked):
    out = tmp_path / "out"
    out.mkdir()
    target = Target(case="a", out=out, prefix="case0-compiled", budget=Budget(1 << 20))
    kernels = [Built(kernel=name, arch="sm_90", cubin=b"code") for name in ("one", "other")]

    found = list(artifacts.artifacts_of("cuda", kernels, target, write=True))

    sass = [(out / file.file).read_text() for artifact in found for file in artifact.files if file.kind == "sass"]
    assert sass == ["SASS of code"] * 2
    assert asked.read_text() == "asked\n"
