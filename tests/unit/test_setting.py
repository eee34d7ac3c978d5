"""Setting: names, interpreters, keys and the command that repeats a run."""

from dataclasses import replace
from pathlib import Path

import pytest

from kgate.base import Base
from kgate.device import interpreter, short_name
from kgate.errors import HostError
from kgate.load import baselines, calibrations
from kgate.model import Manifest
from kgate.options import Options
from kgate.runner.zygote import FORKABLE
from kgate.setting import standing, stored_baseline
from kgate.worker import adapters
from tests.unit.calibration.made import FINGERPRINT, calibration
from tests.unit.load.test_baselines import baseline
from tests.unit.test_plan import H200, manifest


@pytest.mark.parametrize(
    ("gpu", "short"),
    [
        ("NVIDIA H200", "h200"),
        ("NVIDIA GeForce RTX 4090", "rtx-4090"),
        ("NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb"),
        ("Tesla T4", "t4"),
        ("NVIDIA", "gpu"),
        ("NVIDIA H100/MIG 1g", "h100-mig-1g"),
    ],
)
def test_a_gpu_has_a_short_name_that_can_be_a_file(gpu: str, short: str) -> None:
    assert short_name(gpu) == short


def test_an_interpreter_of_the_arms_own_tree_comes_before_the_checkouts(tmp_path: Path) -> None:
    arm, checkout = tmp_path / "arm", tmp_path / "checkout"
    for folder in (arm, checkout):
        (folder / ".venv/bin").mkdir(parents=True)
    (checkout / ".venv/bin/python").touch()

    before = interpreter(".venv/bin/python", False, arm, checkout)
    (arm / ".venv/bin/python").touch()
    after = interpreter(".venv/bin/python", False, arm, checkout)

    assert before == str(checkout / ".venv/bin/python")
    assert after == str(arm / ".venv/bin/python")


def test_a_virtual_environments_interpreter_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").touch()
    (tmp_path / "python").symlink_to(tmp_path / "real")

    assert interpreter(str(tmp_path / "python"), True, tmp_path, tmp_path) == str(tmp_path / "python")


def test_an_interpreter_that_is_not_there_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(HostError, match=r"\.venv/bin/python: no such interpreter; mend `python` .* or pass --python"):
        interpreter(".venv/bin/python", False, tmp_path, tmp_path)
    with pytest.raises(HostError, match="no such program on PATH"):
        interpreter("python-of-nowhere", True, tmp_path, tmp_path)


def test_the_command_repeats_what_was_chosen_and_leaves_out_this_machines_paths() -> None:
    plain = Options(manifest=Path("kgate.yaml"), python="/opt/python")
    chosen = replace(
        plain, base="v1.0", device="cuda:1", kernels=("soft*", "add"), launches=8, budget_min=2.5, gpus="2"
    )

    assert plain.command == "kgate check"
    assert (
        chosen.command
        == "kgate check --base v1.0 --device cuda:1 --kernel 'soft*' --kernel add --launches 8 --gpus 2 --budget 2.5"
    )


def test_a_manifest_that_a_command_finds_by_itself_is_not_named() -> None:
    named = [Options(manifest=Path(path)).named_manifest for path in ("kgate.yaml", "libs/norm/kgate.yaml")]

    assert named == ["", "libs/norm/kgate.yaml"]


def test_what_a_zygote_preloads_are_packages_as_adapters_name_them_and_not_dsls() -> None:
    packages = {dsl: adapters.of_name(dsl).PACKAGE for dsl in FORKABLE}

    assert packages == FORKABLE
    assert FORKABLE.keys() <= adapters.ADAPTERS.keys()


def tree_at(folder: Path, commit: str, *stored: str) -> Manifest:
    """With a baseline and a calibration of this commit in each of `stored`, the last of which its manifest names."""
    for name in stored:
        path = folder / name / "kgate/h200.json"
        baselines.write(path, replace(baseline(path), commit=commit))
        calibrations.write(folder / name / "calibration/h200.json", calibration(commit=commit))
    named = f"{stored[-1]}/kgate" if stored else ""
    return replace(manifest(), folder=folder, root=folder, path=folder / "kgate.yaml", baselines=named)


@pytest.mark.parametrize("named", [("ci",), ("ci", "elsewhere"), ()])
def test_a_change_is_held_against_what_base_has_stored_wherever_it_says_that_baselines_lie(
    tmp_path: Path, named: tuple[str, ...]
) -> None:
    head, base = tree_at(tmp_path / "head", "b" * 40, *named), tree_at(tmp_path / "base", "a" * 40, "elsewhere", "ci")

    before = Base(commit="a" * 40, tree_hash="", folder=base.folder, manifest=base)
    stored, remarks = stored_baseline(head, before, H200)
    known = standing(head, before, H200, FINGERPRINT).calibration

    assert stored is not None
    assert known is not None
    assert (Path(stored.path), remarks, known.commit) == (base.folder / "ci/kgate/h200.json", (), "a" * 40)


def test_a_change_that_brings_the_first_baselines_is_held_against_none(tmp_path: Path) -> None:
    head, base = tree_at(tmp_path / "head", "b" * 40, "ci"), tree_at(tmp_path / "base", "a" * 40)

    before = Base(commit="a" * 40, tree_hash="", folder=base.folder, manifest=base)

    assert stored_baseline(head, before, H200) == (None, ())
    assert standing(head, before, H200, FINGERPRINT).calibration is None
