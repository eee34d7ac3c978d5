"""`kgate decide` on a trace that torch records here, beside torch's own table of it."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.contract.check.shop import LAUNCHER
from tests.contract.evidence.agreement import POINTS, differences

pytestmark = pytest.mark.real
HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module", params=["shapes", pytest.param("stack", marks=pytest.mark.nightly)])
def profiled(request: pytest.FixtureRequest, worker_python: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with trace.json and table.json; with_stack adds Python's frames, to torch's table as well."""
    folder = tmp_path_factory.mktemp("profiled")
    command = [worker_python, str(HERE / "profiled.py"), str(folder), "cpu", request.param]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return folder


def test_every_share_agrees_with_torch_s_own_table(profiled: Path) -> None:
    found = differences(profiled)

    assert len(found) > 20
    assert [d for d in found if d.points > POINTS or d.calls[0] != d.calls[1]] == []


def test_share_calls_phases_and_ceiling_are_those_of_the_trace(profiled: Path) -> None:
    table = json.loads((profiled / "table.json").read_text())
    addmm = next(row for row in table if row["name"] == "aten::addmm")
    share = addmm["total_us"] / sum(row["self_us"] for row in table if row["host"])

    command = [*LAUNCHER, "decide", "mine", "--operator", "aten::addmm", "--trace", str(profiled / "trace.json")]
    ended = subprocess.run([*command, "--format", "json"], capture_output=True, text=True, timeout=120, cwd=profiled)

    assert ended.returncode == 0, ended.stderr
    said = json.loads(ended.stdout)
    assert said["share"] == pytest.approx(share, abs=POINTS / 100)
    assert said["ceiling"] == pytest.approx(1 / (1 - share), rel=2e-3)
    assert said["usage"]["calls"] == addmm["calls"] == 3 * 4 * 2 * 4  # prompts, tokens, layers, products
    assert {group["name"]: group["calls"] for group in said["usage"]["by_phase"]} == {"prefill": 24, "decode": 72}
    modules = {group["name"].partition("_")[0] for group in said["usage"]["by_module"]}
    assert modules <= {"Linear", "Block"}
