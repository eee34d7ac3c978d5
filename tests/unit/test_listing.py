"""What `--dry-run` says it would do."""

from pathlib import Path

import pytest

from kgate import listing
from kgate.load.manifest import load
from kgate.load.tree import BaseRef
from kgate.model import Manifest

TEXT = """\
version: 1
kernels:
  gemm:
    owners: ["@acme/kernels"]
    dispatch: acme:gemm
    custom: acme:fused
    fallback: acme:eager
    targets: [{targets}]
    workloads: {{small: {{}}}}
"""
NO_BASE = BaseRef(commit="", tree="", reason="asked for none")
BASE = BaseRef(commit="a" * 40, tree="b" * 40, reason="")


def manifest(folder: Path, targets: str) -> Manifest:
    (folder / "kgate.yaml").write_text(TEXT.format(targets=targets))
    return load(folder / "kgate.yaml")


def test_a_kind_of_device_without_cases_is_left_out_and_every_arm_is_named(tmp_path: Path) -> None:
    said = listing.dry_run(manifest(tmp_path, "cpu"), BASE, "auto")

    assert said.splitlines() == [
        "kgate.yaml: base aaaaaaaaa",
        "cpu: 1 case of 1 kernel; up to 7 arms each (base, head, fallback, base's fallback, reference, the switch off, "
        "the switch on), then 5 timed launches",
        "  gemm/small: ",
        "  3 drills of gemm, a process each, with small: out-of-shared-memory, out-of-memory, call-refused",
        "Nothing was started.",
    ]


@pytest.mark.parametrize(("level", "launches"), [("note", "5"), ("fail", "5 to 20")])
def test_more_launches_than_the_first_look_take_a_rule_that_does_more_than_note(
    tmp_path: Path, level: str, launches: str
) -> None:
    manifest(tmp_path, "cpu")
    text = (tmp_path / "kgate.yaml").read_text()
    (tmp_path / "kgate.yaml").write_text(f"{text}policy: {{slower-than-base: {level}}}\n")

    said = listing.dry_run(load(tmp_path / "kgate.yaml"), BASE, "auto")

    assert f", then {launches} timed launches" in said


def test_without_a_base_its_arms_are_not_named(tmp_path: Path) -> None:
    said = listing.dry_run(manifest(tmp_path, "cuda"), NO_BASE, "auto")

    assert said.splitlines()[1].startswith(
        "cuda: 1 case of 1 kernel; up to 5 arms each (head, fallback, reference, the switch off, the switch on), then 8"
    )


@pytest.mark.parametrize(("device", "kinds"), [("auto", ["cpu", "cuda"]), ("cpu", ["cpu"])])
def test_where_nothing_would_run_that_is_said_of_every_kind_asked_for(
    tmp_path: Path, device: str, kinds: list[str]
) -> None:
    manifest(tmp_path, "cpu")
    text = (tmp_path / "kgate.yaml").read_text().replace("{small: {}}", "{}")
    (tmp_path / "kgate.yaml").write_text(text)
    nothing = load(tmp_path / "kgate.yaml")

    said = listing.dry_run(nothing, NO_BASE, device)

    assert [line.partition(";")[0] for line in said.splitlines()[1:-1]] == [
        f"{kind}: 0 cases of 0 kernels" for kind in kinds
    ]


def test_paths_that_only_dispatch_knows_are_told_as_still_to_be_asked(tmp_path: Path) -> None:
    manifest(tmp_path, "cpu")
    text = (tmp_path / "kgate.yaml").read_text().replace("    custom: acme:fused\n    fallback: acme:eager\n", "")
    (tmp_path / "kgate.yaml").write_text(text)
    alone = load(tmp_path / "kgate.yaml")

    said = [listing.kernels(alone).splitlines()[-1], listing.dry_run(alone, NO_BASE, "cpu").splitlines()[-2]]

    assert said == ["gemm: custom and fallback will be asked of acme:gemm"] * 2


def test_drills_alone_time_nothing_and_each_direction_is_a_case(tmp_path: Path) -> None:
    manifest(tmp_path, "cpu")
    text = (tmp_path / "kgate.yaml").read_text().replace("acme:eager", "acme:eager\n    direction: both")
    (tmp_path / "kgate.yaml").write_text(text)

    said = listing.dry_run(load(tmp_path / "kgate.yaml"), NO_BASE, "cpu", drills_only=True).splitlines()

    assert said[1] == "cpu: 2 cases of 1 kernel; up to 4 arms each (fallback, reference, the switch off, the switch on)"
    assert said[2:4] == ["  gemm/small: ", "  gemm/small, backward: "]
    assert said[4].endswith("call-refused, backward-raises")
    assert "    not run: no-gpu, lower-gpu, unknown-gpu: this run has no GPU" in said
    assert "    not run: switch-off, switch-off-later, package-unused: the manifest declares no switch" in said


def test_drills_alone_try_the_switch_with_every_workload_and_conditions_with_the_smallest_or_all(
    tmp_path: Path,
) -> None:
    manifest(tmp_path, "cpu")
    text = (tmp_path / "kgate.yaml").read_text().replace("{small: {}}", "{small: {}, other: {}}")
    (tmp_path / "kgate.yaml").write_text(text)
    both = load(tmp_path / "kgate.yaml")

    smallest, every = (listing.dry_run(both, NO_BASE, "cpu", which, drills_only=True) for which in ("smallest", "all"))

    assert smallest.splitlines()[1] == every.splitlines()[1]
    assert smallest.splitlines()[1].startswith("cpu: 2 cases of 1 kernel")
    assert ", with small: " in smallest
    assert ", with small, other: " in every


def test_conditions_that_are_left_out_are_not_listed(tmp_path: Path) -> None:
    said = listing.dry_run(manifest(tmp_path, "cpu"), NO_BASE, "cpu", "none")

    assert "drill" not in said


def test_a_workload_for_one_architecture_is_drilled_where_any_gpu_is_asked_for(tmp_path: Path) -> None:
    said = listing.dry_run(manifest(tmp_path, "sm_90"), NO_BASE, "cuda")

    assert "with small: no-gpu, lower-gpu, unknown-gpu," in said
