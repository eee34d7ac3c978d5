"""What `kgate check` leaves out by a plan, and which plans it does not take."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kgate import __version__, carrying
from kgate.errors import UsageError
from kgate.load.tree import Head
from kgate.model import Carried, Case, Fingerprint, Manifest
from kgate.options import Options
from kgate.plan import Target, plan
from tests.unit.builders import kernel

HEAD = Head(commit="c" * 40, dirty=False, tree="t" * 40)
BASE = "b" * 40
CPU = Target(kind="cpu", name="cpu")
HERE = Fingerprint(must_match={"torch": "2.13"})
PROOF = {"run": "0123456789abcdef", "commit": BASE, "started": "2026-10-07T08:00:00+00:00", "must_match": {}}


def manifest(folder: Path) -> Manifest:
    kernels = tuple(kernel(name) for name in ("gemm", "norm", "rope", "idle"))
    return Manifest(
        path=folder / "kgate.yaml",
        folder=folder,
        root=folder,
        python="",
        build="",
        env=(),
        baselines="",
        policy={},
        gpus={},
        kernels=(*kernels[:3], replace(kernels[3], workloads=())),
        digest="d" * 64,
    )


def said(name: str, shard: int, torch: str = "") -> dict[str, Any]:
    """Of one kernel: carried, if `torch` is what its proof was measured with."""
    proof = {**PROOF, "must_match": {"torch": torch}, "product": [f"acme/{name}.py"]}
    return {
        "name": name,
        "status": "carried" if torch else "changed",
        "why": "" if torch else "acme/gemm.py",
        "touched": [],
        "cases": ["gemm/small"],
        "minutes": None,
        "shard": shard,
        "carried": proof if torch else None,
    }


def written(folder: Path, **changes: Any) -> Path:
    kernels = [said("gemm", 1), said("norm", 1, "2.13"), said("rope", 2, "2.12")]
    body = {
        "format": 1,
        "kgate": __version__,
        "manifest": "kgate.yaml",
        "manifest_sha256": "d" * 64,
        "head": HEAD.commit,
        "head_tree": HEAD.tree,
        "base": BASE,
        "shards": 2,
        "remarks": [],
        "legs": [],
        "devices": [{"device": "cpu", "required": True, "waived": False, "why": "", "kernels": kernels}],
        **changes,
    }
    (folder / "plan.json").write_text(json.dumps(body))
    return folder / "plan.json"


def share(folder: Path, path: Path | None, shard: int = 0, target: Target = CPU) -> carrying.Share:
    options = Options(manifest=folder / "kgate.yaml", plan=path, shard=shard)
    return carrying.share(options, manifest(folder), HEAD, BASE, target, HERE)


def names(found: carrying.Share) -> list[str]:
    return [one.name for one in found.manifest.kernels]


def test_without_a_plan_everything_is_measured(tmp_path: Path) -> None:
    found = share(tmp_path, None)

    assert names(found) == ["gemm", "norm", "rope", "idle"]
    assert found.carried == {}


def test_what_was_proved_on_this_fingerprint_is_carried_and_on_another_measured(tmp_path: Path) -> None:
    found = share(tmp_path, written(tmp_path))

    expected = Carried(run=PROOF["run"], commit=BASE, started=PROOF["started"], product=("acme/norm.py",))  # type: ignore[arg-type]
    assert found.carried == {"norm": expected}
    assert names(found) == ["gemm", "norm", "rope", "idle"]
    assert found.remarks == (
        "1 kernel that the plan carries, measured all the same: proved on another fingerprint (torch)",
    )


def test_the_shards_of_a_plan_share_every_kernel_out_once(tmp_path: Path) -> None:
    path = written(tmp_path)

    first, second = share(tmp_path, path, 1), share(tmp_path, path, 2)

    assert (names(first), names(second)) == (["gemm", "norm", "idle"], ["rope"])
    assert (list(first.carried), list(second.carried)) == (["norm"], [])


def test_a_carried_kernel_has_no_case_that_could_pass_for_measured(tmp_path: Path) -> None:
    found = share(tmp_path, written(tmp_path))

    left = carrying.without(plan(found.manifest, None, CPU), found.carried)

    assert [case.kernel for case in left.cases] == ["gemm", "rope"]
    assert left.carried == {Case(kernel="norm", workload="small", device="cpu"): found.carried["norm"]}


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "another tree": ({"head_tree": "0" * 40}, "is of another head tree than this run; run `kgate plan` again"),
    "another base": ({"base": ""}, "is of another base than this run; run `kgate plan` again"),
    "another manifest": (
        {"manifest_sha256": "0" * 64},
        "is of another manifest sha256 than this run; run `kgate plan` again",
    ),
    "another kgate": ({"kgate": "0.0.1"}, "is of another kgate than this run; run `kgate plan` again"),
    "another device": (
        {"devices": [{"device": "h200", "required": True, "waived": False, "why": "", "kernels": []}]},
        "plans for h200, and this is cpu; run `kgate plan --device cpu`",
    ),
    "another form": ({"format": 2}, "not a plan of this version of kgate (format: 1 was expected)"),
    "a field more": (
        {"sure": True},
        "not a plan of this version of kgate (its top level: Additional properties are not allowed ('sure' was "
        "unexpected))",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_plan_of_something_else_is_refused_with_what_to_do(tmp_path: Path, name: str) -> None:
    changes, sentence = REFUSED[name]
    path = written(tmp_path, **changes)

    with pytest.raises(UsageError) as caught:
        share(tmp_path, path)

    assert str(caught.value) == f"{path}: {sentence}"


def test_a_shard_that_the_plan_does_not_have_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)

    with pytest.raises(UsageError, match=r"--shard 3: .*plan.json has 2 shards"):
        share(tmp_path, path, 3)


@pytest.mark.parametrize("text", [None, "{", "[]"])
def test_a_file_that_is_no_plan_is_refused(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "plan.json"
    if text is not None:
        path.write_text(text)

    with pytest.raises(UsageError, match=r"plan.json: (cannot be read|not JSON|not a plan)"):
        share(tmp_path, path)
