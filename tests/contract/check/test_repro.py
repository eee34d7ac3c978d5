"""`kgate repro` as an author uses it: it re-creates what the gate ran, and its script runs on without the gate."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.contract.check.shop import Ended, Shop

pytestmark = pytest.mark.real

TAIL = "def kernel(x):\n    y = 2 * x\n    y[60:] = 0\n    return y\n"
HANGS = "import time\n\n\ndef kernel(x):\n    time.sleep(600)\n"
DIES = "import os\n\n\ndef kernel(x):\n    os.abort()\n"
RAISES = "def kernel(x):\n    raise ValueError('no such tile')\n"
# Bytes of every saved input, hashed as the worker hashes what it gives to a kernel.
DIGESTS = """\
import hashlib, json, sys, torch
tensors = torch.load(sys.argv[1])
print(json.dumps({n: hashlib.sha256(t.contiguous().numpy().tobytes()).hexdigest() for n, t in tensors.items()}))
"""


def folder_of(shop: Shop, case: str) -> Path:
    return shop.root / ".kgate" / "repro" / case


def alone(shop: Shop, case: str, *arms: str) -> "subprocess.CompletedProcess[str]":
    """The script by itself, from another folder than the repository's."""
    command = [shop.python, os.fspath(folder_of(shop, case) / "repro.py"), *arms]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=shop.root.parent)


def head_of(ended: Ended, case: str) -> dict[str, Any]:
    arms = next(c["arms"] for c in ended.report["cases"] if c["name"] == case)
    return next(a for a in arms if a["arm"] == "head")


def metrics_of(arm: dict[str, Any]) -> dict[str, float]:
    return {m["name"]: m["value"] for m in arm["comparisons"][0]["metrics"]}


def digests(shop: Shop, path: Path) -> Any:
    done = subprocess.run([shop.python, "-c", DIGESTS, path], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


@pytest.mark.nightly
def test_a_wrong_result_is_wrong_by_the_same_numbers_as_in_the_report(staged: Callable[[str], Shop]) -> None:
    shop = staged("broken")
    case = "matmul/cpu_ragged@cpu"
    checked = shop.check("--kernel", "matmul", "--workload", "cpu_ragged", "--base", "none")
    head = head_of(checked, case)

    ended = shop.kgate("repro", case, "--base", "none")
    again = alone(shop, case)

    assert ended.code == 1, ended.out + ended.err
    assert f"max_abs {metrics_of(head)['max_abs']:.9g}, " in ended.out
    assert head["comparisons"][0]["broken"][0] in ended.out
    assert "do: Compare acme.matmul:custom with the reference" in ended.out
    assert digests(shop, folder_of(shop, case) / "head.inputs.pt") == head["outcome"]["facts"]["input-digests"]
    assert again.returncode == 1, again.stdout + again.stderr
    worst = next(m for m in head["comparisons"][0]["metrics"] if m["name"] == "worst")
    assert f"output 0: largest difference at {worst['where']}" in again.stdout


@pytest.mark.nightly
def test_base_runs_from_a_copy_of_its_tree_that_stays_in_the_folder(staged: Callable[[str], Shop]) -> None:
    shop = staged("quickstart")
    case = "vector_add/cpu_tail@cpu"

    ended = shop.kgate("repro", "vector_add/cpu_tail", "--arm", "base")
    again = alone(shop, case, "base")

    assert ended.code == 0, ended.out + ended.err
    assert ended.out.startswith(f"{case}, base: holds against the reference\n")
    assert "input y: float32 [1025], strides [1], cpu" in ended.out
    assert again.returncode == 0, again.stderr
    old = shop.git("show", "HEAD~1:acme/paths.py")
    assert (folder_of(shop, case) / "base-tree" / "acme" / "paths.py").read_text().strip() == old
    assert not any(shop.root.joinpath(".kgate", "trees").glob("*"))
    assert len(shop.git("worktree", "list").splitlines()) == 1


def test_the_script_is_written_without_a_run_and_runs_alone(shop: Shop) -> None:
    written = shop.kgate("repro", "good/small", "--write-only", "--base", "none")
    tensors = list(folder_of(shop, "good/small@cpu").glob("*.pt"))
    done = alone(shop, "good/small@cpu")

    assert (written.code, tensors) == (0, []), written.err
    assert written.out.endswith("repro.py\n")
    assert done.returncode == 0, done.stderr
    assert "input x: float32 [64], strides [1], cpu" in done.stdout
    assert "output 0: largest difference at [0]" in done.stdout
    kept = {path.name for path in folder_of(shop, "good/small@cpu").glob("*.pt")}
    assert kept == {"head.inputs.pt", "head.outputs.pt", "reference.inputs.pt", "reference.outputs.pt"}


def test_the_first_wrong_element_is_named_by_the_gate_and_by_the_script(shop: Shop) -> None:
    shop.stock({"tail": TAIL})

    ended = shop.kgate("repro", "tail/small", "--base", "none")
    done = alone(shop, "tail/small@cpu")

    assert ended.code == 1, ended.err
    assert "first at [60], all in the last 4 of 64 elements" in ended.out
    assert done.returncode == 1
    assert "output 0: first beyond the bound at [60]: 0, expected " in done.stdout


@pytest.mark.nightly
def test_a_seed_moves_the_inputs_along_as_for_a_timed_sample(shop: Shop) -> None:
    shop.kgate("repro", "good/small", "--base", "none", "--write-only")
    alone(shop, "good/small@cpu", "head")
    drawn = values(shop, "good/small@cpu")

    ended = shop.kgate("repro", "good/small", "--base", "none", "--seed", "12345")

    # The worker's rule for refreshing, written out: value i goes to place i + seed × 0x9E3779B97F4A7C15 mod 2⁶⁴ mod n.
    offset = 12345 * 0x9E3779B97F4A7C15 % 2**64 % 64
    assert ended.code == 0, ended.out + ended.err
    assert values(shop, "good/small@cpu") == drawn[64 - offset :] + drawn[: 64 - offset]


def values(shop: Shop, case: str) -> list[float]:
    command = "import sys, torch; print(torch.load(sys.argv[1])['x'].tolist())"
    path = folder_of(shop, case) / "head.inputs.pt"
    done = subprocess.run([shop.python, "-c", command, path], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            HANGS,
            "case/small@cpu, head: hung: gave no answer within 10 s (`timeout_s` of the manifest), and was ended\n",
        ),
        (DIES, "case/small@cpu, head: died: was ended by signal 6 (SIGABRT)\n"),
        (RAISES, "case/small@cpu, head: raised: ValueError: no such tile\n"),
    ],
    ids=["hangs", "dies", "raises"],
)
def test_a_case_without_an_answer_is_a_sentence_and_exit_code_1(shop: Shop, source: str, said: str) -> None:
    shop.stock({"case": source}, top="defaults: {timeout_s: 10}\n")

    ended = shop.kgate("repro", "case/small", "--base", "none")

    assert ended.code == 1, ended.err
    assert ended.out.startswith(said)
    assert "\ndo: " in ended.out
    if source is RAISES:
        assert f'  |   File "{shop.root}/customs/case.py", line 2, in kernel' in ended.out


def test_what_cannot_be_run_is_told_apart_from_what_does_not_exist(shop: Shop) -> None:
    unknown = shop.kgate("repro", "good/smal")
    elsewhere = shop.kgate("repro", "good/small@h200")
    baseless = shop.kgate("repro", "good/small", "--base", "none", "--arm", "base")
    toolless = shop.kgate("repro", "good/small", "--with", "ncu", env={"PATH": "/nowhere"})

    assert (unknown.code, unknown.err) == (2, "kgate: good/smal: no case is called so; did you mean 'good/small'?\n")
    assert elsewhere.code == 3
    assert (baseless.code, baseless.err) == (
        3,
        "kgate: not run: base has no good that takes the arguments of small\n",
    )
    assert (toolless.code, toolless.err) == (3, "kgate: not run: ncu is not on PATH; it comes with the CUDA toolkit\n")


def test_an_arm_under_a_tool_is_compared_like_any_other(shop: Shop, tmp_path: Path) -> None:
    shop.stock({"tail": TAIL})
    tool = tmp_path / "bin" / "compute-sanitizer"
    tool.parent.mkdir()
    tool.write_text('#!/bin/sh\necho "TOOL"\nshift 4\nexec "$@"\n')
    tool.chmod(0o755)
    path = f"{tool.parent}{os.pathsep}{os.environ['PATH']}"

    ended = shop.kgate("repro", "tail/small", "--base", "none", "--with", "compute-sanitizer", env={"PATH": path})

    assert ended.code == 1, ended.err
    assert ended.out.startswith("TOOL\n")
    assert "tail/small@cpu, head: differs from the reference" in ended.out


@pytest.mark.nightly
def test_a_debugger_that_is_left_early_blames_nobody(shop: Shop) -> None:
    ended = shop.kgate("repro", "good/small", "--base", "none", "--with", "pdb")  # nobody types anything

    assert ended.code == 3
    assert ended.err == "kgate: not run: pdb was left before head had answered; type c to go on there\n"


def test_a_folder_that_holds_something_else_is_left_alone(shop: Shop, tmp_path: Path) -> None:
    mine = {"repro.py": "print('mine')", "outputs": "1.5", "logs": "well"}
    (tmp_path / "mine").mkdir()
    for name, text in mine.items():
        (tmp_path / "mine" / name).write_text(text)

    ended = shop.kgate("repro", "good/small", "--base", "none", "--out", os.fspath(tmp_path / "mine"))

    assert ended.code == 3
    assert "holds files that are not of a kit; name a new folder with --out" in ended.err
    assert {path.name: path.read_text() for path in (tmp_path / "mine").iterdir()} == mine


@pytest.mark.nightly
def test_a_kit_that_is_not_whole_is_written_anew(shop: Shop, tmp_path: Path) -> None:
    for folder in (tmp_path / "kit", folder_of(shop, "good/small@cpu")):
        out = () if folder.is_relative_to(shop.root) else ("--out", os.fspath(folder))
        asked = ("repro", "good/small", "--base", "none", "--write-only", *out)
        shop.kgate(*asked)
        (folder / "repro.py").unlink()
        (folder / "base-tree").mkdir()

        ended = shop.kgate(*asked)

        assert ended.code == 0, ended.err
        assert (folder / "repro.py").is_file()
        assert not (folder / "base-tree").exists()


@pytest.mark.nightly
def test_a_kit_within_the_repository_is_no_change_to_it(shop: Shop) -> None:
    shop.kgate("repro", "good/small", "--base", "none", "--write-only", "--out", "kit")

    assert (shop.root / "kit" / "repro.py").is_file()
    assert shop.git("status", "--porcelain") == ""
