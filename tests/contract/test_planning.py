"""`kgate plan` as it is typed, in repositories whose closures are known from how they were written."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from benchmarks.planned.repository import LOCK, Drawn, drawn, module
from kgate import __version__
from kgate.load import entries, proofs, schemas
from kgate.load.manifest import load
from kgate.load.past import Blobs
from kgate.model import Proof, ProvenKernel
from tests.contract.repository import commit, git

pytestmark = pytest.mark.real

KGATE = Path(__file__).resolve().parents[2]
TORCH = "import pathlib, os\npathlib.Path(os.environ['IMPORTED']).touch()\n"


@pytest.fixture(scope="module")
def known() -> Drawn:
    return drawn(24, 2)


@pytest.fixture
def proven(root: Path, known: Drawn) -> Path:
    """The repository with one commit on main, which a run has proved whole, and a branch that leaves it there."""
    proved(root, known)
    return root


def proved(root: Path, known: Drawn) -> None:
    known.write(root)
    prove(root, known, commit(root, "first.md"))
    git(root, "switch", "--quiet", "--create", "feature")


def prove(root: Path, known: Drawn, at: str, run: str = "0123456789abcdef", **changes: Any) -> None:
    manifest, blobs = load(root / "kgate.yaml"), Blobs.of(root, at)
    kernels = (
        ProvenKernel(
            name=kernel.name,
            entry=entries.digest(kernel),
            files={file: blobs.at(file) for file in known.closures[kernel.name]},
            product=(),
            cases=tuple(f"{kernel.name}/{w.name}" for w in kernel.workloads),
        )
        for kernel in manifest.kernels
    )
    made: dict[str, Any] = {
        "run": run,
        "version": __version__,
        "commit": at,
        "started": "2026-10-07T08:00:00+00:00",
        "manifest": "kgate.yaml",
        "device": "cpu",
        "kind": "cpu",
        "arch": "",
        "must_match": {"gpu": "none"},
        "terms": entries.terms(manifest),
        "locks": {LOCK: blobs.at(LOCK)},
        "kernels": tuple(kernels),
        "minutes": {kernel.name: 0.5 for kernel in manifest.kernels},
        **changes,
    }
    proofs.keep(root / ".kgate", Proof(**made))


def typed(root: Path, *words: str) -> str:
    """What `kgate plan` prints, where importing torch would leave a mark."""
    (root.parent / "torch.py").write_text(TORCH)
    mark = root.parent / "imported"
    environ = {**os.environ, "PYTHONPATH": f"{KGATE}:{root.parent}", "IMPORTED": str(mark)}
    command = [sys.executable, "-m", "kgate", "plan", *words]
    done = subprocess.run(command, cwd=root, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not mark.exists()
    return done.stdout


def planned(root: Path, *words: str) -> dict[str, dict[str, Any]]:
    """By kernel, of the one device."""
    body = json.loads(typed(root, "--format", "json", *words))
    Draft202012Validator(schemas.parsed("plan")).validate(body)
    (device,) = body["devices"]
    return {kernel["name"]: kernel for kernel in device["kernels"]}


def with_status(found: dict[str, dict[str, Any]], status: str) -> set[str]:
    return {name for name, kernel in found.items() if kernel["status"] == status}


def test_one_changed_file_of_200_kernels_names_those_that_rest_on_it_and_a_lock_file_names_all(root: Path) -> None:
    known = drawn(200, 1)
    proved(root, known)
    paths = ("acme/shared/s003.py", module("k117"), "csrc/h000.cuh", "csrc/k025.cu", LOCK)
    found = {}

    for path in paths:
        (root / path).write_text(known.files[path] + ("// more\n" if path.startswith("csrc") else "# more\n"))
        found[path] = planned(root)
        (root / path).write_text(known.files[path])

    *named, _ = paths
    assert {path: with_status(found[path], "changed") for path in named} == {p: known.resting_on(p) for p in named}
    assert all(known.resting_on(path) for path in named)
    for path in named:
        assert with_status(found[path], "carried") == set(known.closures) - known.resting_on(path)
        assert {(found[path][name]["why"], found[path][name]["minutes"]) for name in known.resting_on(path)} == {
            (path, 0.5)
        }
    assert with_status(found[LOCK], "changed") == set(known.closures)
    assert {kernel["why"] for kernel in found[LOCK].values()} == {f"lock file {LOCK}"}


def test_a_file_that_nothing_rests_on_opens_nothing_and_the_run_that_proved_all_is_named(
    proven: Path, known: Drawn
) -> None:
    commit(proven, "acme/alone.py", "X = 2\n")

    found = planned(proven)

    assert with_status(found, "carried") == set(known.closures)
    assert {kernel["carried"]["run"] for kernel in found.values()} == {"0123456789abcdef"}


def test_an_entry_of_the_manifest_opens_its_kernel_and_a_policy_opens_all(proven: Path, known: Drawn) -> None:
    text = known.files["kgate.yaml"]
    (proven / "kgate.yaml").write_text(f"# a line that moves all others\n{text.replace('{M: 16', '{M: 32', 1)}")
    entry = planned(proven)
    (proven / "kgate.yaml").write_text(f"{text}policy: {{unsteady: warn}}\n")

    policy = planned(proven)

    assert with_status(entry, "changed") == {"k000"}
    assert with_status(policy, "changed") == set(known.closures)


def test_a_file_that_comes_between_an_import_and_its_file_opens_what_takes_it(proven: Path, known: Drawn) -> None:
    commit(proven, "acme/shared/s003/__init__.py", "VALUE = 3\n")

    found = planned(proven)

    assert with_status(found, "changed") >= known.resting_on("acme/shared/s003.py")


def test_a_proof_of_the_changes_own_commit_carries_nothing(proven: Path, known: Drawn) -> None:
    (proven / ".kgate/proofs").rename(proven.parent / "of-main")
    prove(proven, known, commit(proven, module("k007"), known.files[module("k007")] + "# slower\n"))

    found = planned(proven)
    with_main = planned(proven, "--proofs", str(proven.parent / "of-main"))

    assert with_status(found, "carried") == set()
    assert with_status(found, "changed") == {"k007"}
    assert "1 of 1 proofs are of commits that are not in base's history here" in typed(proven)
    assert with_status(with_main, "unproven") == set()


def test_a_proof_from_before_a_change_of_base_does_not_carry_what_base_has_changed(proven: Path, known: Drawn) -> None:
    git(proven, "switch", "--quiet", "main")
    commit(proven, "acme/shared/s003.py", known.files["acme/shared/s003.py"] + "# faster\n")
    git(proven, "switch", "--quiet", "--create", "later")
    # Back to what was proved: slower than base, so that it has to be measured.
    commit(proven, "acme/shared/s003.py", known.files["acme/shared/s003.py"])
    reverted = planned(proven)
    git(proven, "switch", "--quiet", "main")
    git(proven, "switch", "--quiet", "--create", "beside")
    commit(proven, "acme/alone.py", "X = 2\n")

    beside = planned(proven)

    assert with_status(reverted, "changed") == known.resting_on("acme/shared/s003.py")
    assert with_status(beside, "unproven") == known.resting_on("acme/shared/s003.py")
    assert {beside[name]["why"] for name in with_status(beside, "unproven")} == {
        "run 0123456789abcdef proved it before: base has changed acme/shared/s003.py since"
    }


def test_shards_share_the_work_out_and_are_the_same_every_time(proven: Path, known: Drawn) -> None:
    commit(proven, LOCK, "version = 2\n")

    first, second = (planned(proven, "--shards", "3") for _ in range(2))
    matrix = json.loads(typed(proven, "--shards", "3", "--matrix"))

    assert first == second
    sizes = [sum(kernel["shard"] == shard for kernel in first.values()) for shard in (1, 2, 3)]
    assert sum(sizes) == len(known.closures)
    assert max(sizes) - min(sizes) <= 1
    assert matrix == {
        "include": [{"name": f"cpu-{n}of3", "gpu": "cpu", "shard": n, "shards": 3, "required": True} for n in (1, 2, 3)]
    }


def test_the_matrix_has_the_gpus_of_base_and_those_of_head_alone_are_not_required(proven: Path, known: Drawn) -> None:
    text = known.files["kgate.yaml"].replace("targets: [cpu]", "targets: [cuda]")
    commit(proven, "kgate.yaml", f"{text}gpus: {{h100: required}}\n")
    git(proven, "switch", "--quiet", "--create", "more")
    commit(proven, "kgate.yaml", f"{text}gpus: {{l4: required}}\n")

    matrix = json.loads(typed(proven, "--base", "HEAD~1", "--matrix"))

    assert [(leg["gpu"], leg["required"]) for leg in matrix["include"]] == [("h100", True), ("l4", False)]


def test_a_file_that_is_no_proof_is_told_and_carries_nothing(proven: Path) -> None:
    (stored,) = (proven / ".kgate/proofs").glob("*.json")
    stored.write_text(stored.read_text().replace('"kernels"', '"others"'))

    said = typed(proven)

    assert "0 kernels carried" in said or "0 cases of 0 kernels carried" in said
    assert f"{stored.name} is no proof that this kgate can read" in " ".join(said.split())
