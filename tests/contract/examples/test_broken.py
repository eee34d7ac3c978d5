"""Each kernel of the broken example has its one fault in the second commit, and none in the first."""

from pathlib import Path

import pytest

from kgate.load import manifest
from tests.contract.examples.conftest import git

pytestmark = pytest.mark.real

# A few roundings of the output's dtype; a planted fault is off by thousands of them.
BOUND = {"float32": 32 * 2.0**-23, "bfloat16": 4 * 2.0**-8}
FAULTY_CASES = {("matmul", "cpu_ragged"), ("softmax", "cpu_loud")}


def right(answer: dict) -> bool:
    return 0 <= answer["error"] < BOUND[answer["dtype"]]


def test_in_the_first_commit_every_path_of_every_kernel_is_right(told) -> None:
    found = told("broken-base")

    assert len({kernel for kernel, _ in found}) == 7
    for answer in found.values():
        assert all(right(answer[path]) for path in ("custom", "fallback", "dispatch")), answer
        assert answer["custom"]["dtype"] == answer["fallback"]["dtype"], answer


def test_in_the_first_commit_every_switch_leads_to_the_fallback(told) -> None:
    found = told("broken-base", "switch")

    assert {tuple(answer["reached"]) for answer in found.values()} == {("fallback",)}


def test_the_dropped_tail_and_the_missing_maximum_are_wrong_on_their_workload_alone(told) -> None:
    found = told("broken-head")

    wrong = {case for case, answer in found.items() if not right(answer["custom"])}

    assert wrong == FAULTY_CASES


def test_one_fallback_raises_and_its_reference_still_answers(told) -> None:
    found = told("broken-head")

    raising = {kernel for (kernel, _), answer in found.items() if "raised" in answer["fallback"]}

    assert raising == {"rms_norm"}
    assert right(found["rms_norm", "cpu_tokens"]["custom"])


def test_one_switch_changes_nothing(told) -> None:
    found = told("broken-head", "switch")

    stuck = {kernel for (kernel, _), answer in found.items() if answer["reached"] != ["fallback"]}

    assert stuck == {"swiglu"}


def test_one_kernel_returns_another_dtype_than_its_fallback(told) -> None:
    found = told("broken-head")

    differing = {
        kernel
        for (kernel, _), answer in found.items()
        if "raised" not in answer["fallback"] and answer["custom"]["dtype"] != answer["fallback"]["dtype"]
    }

    assert differing == {"geglu"}


def test_one_kernel_loses_its_owner_in_the_manifest_and_in_codeowners(trees: dict[str, Path]) -> None:
    owners = {kernel.name: kernel.owners for kernel in manifest.load(trees["broken-head"] / "kgate.yaml").kernels}

    lost = git(trees["broken-head"], "diff", "--unified=0", "HEAD~1", "HEAD", "--", ".github/CODEOWNERS")

    assert [name for name, named in owners.items() if not named] == ["add"]
    assert "-/acme/add.py" in lost
    assert not any(line.startswith("+/") for line in lost.splitlines())


def test_the_slower_kernel_does_a_fifth_more_rows_and_gives_the_same_answer(trees: dict[str, Path], told) -> None:
    changed = git(trees["broken-head"], "diff", "--unified=0", "HEAD~1", "HEAD", "--", "acme/kernels/layer_norm.py")

    added = [line for line in changed.splitlines() if line.startswith("+ ") and "T.Kernel(" in line]

    assert len(added) == 2  # the schedules for the CPU and for CUDA
    assert all("rows + rows // 5" in line for line in added)
    assert all(right(answer["custom"]) for (kernel, _), answer in told("broken-head").items() if kernel == "layer_norm")


def test_the_second_commit_touches_nothing_but_the_faults(trees: dict[str, Path]) -> None:
    changed = git(trees["broken-head"], "diff", "--name-only", "HEAD~1", "HEAD").splitlines()

    assert changed == [
        ".github/CODEOWNERS",
        "acme/geglu.py",
        "acme/kernels/layer_norm.py",
        "acme/kernels/matmul.py",
        "acme/kernels/softmax.py",
        "acme/rms_norm.py",
        "acme/swiglu.py",
        "kgate.yaml",
    ]
