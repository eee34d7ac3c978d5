"""
The contract of adapters, driven over every entry of their table with the DSL's own compiler and, mostly, no GPU.

The DSLs lie in the interpreter that KGATE_TEST_GALLERY_PYTHON names, else in the worker's.
"""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass

import pytest

from kgate.worker.adapters import ADAPTERS
from tests.contract.worker.teller import HERE, Teller, only, python_with

pytestmark = pytest.mark.real


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Entries of one module of samples/, each with one kernel."""

    module: str
    package: str
    cache: str  # the variable that says where the DSL keeps what it has compiled
    key: str  # of the tuner of `tuned`, called once
    pick: str  # its second configuration
    config: tuple[str, str]  # what the kernel tells where that was taken
    add: str = "add"
    other: str = "add_aside"  # of other code than `add`
    refused: str = "refused"  # by the compiler
    raises: str = "raises"  # before the compiler is asked
    tuned: str = "tuned"


SAMPLES = {
    "tilelang": Samples(
        module="tiled_cuda",
        package="tilelang",
        cache="TILELANG_CACHE_DIR",
        key="tiled_cuda.searched(256, 512)",
        pick="tile_n=128",
        config=("tile_n", "128"),
        refused="wrong_code",
        raises="too_many",
        other="gemm",
    ),
    "triton": Samples(
        module="blocks",
        package="triton",
        cache="TRITON_CACHE_DIR",
        key="blocks.scale_kernel (4096, 'torch.float32', 'torch.float32')",
        pick="BLOCK=512, num_warps=2, num_ctas=1, num_stages=3",
        config=("BLOCK", "512"),
    ),
    "cutile": Samples(
        module="tiles",
        package="cuda.tile",
        cache="CUDA_TILE_CACHE_DIR",
        key="tiles.scale_kernel(torch.float32[4096], 2.0, 256)",
        pick="512",
        config=("tile", "512"),
    ),
}
# torch has no kernels of the user's; the other two have no tuner, and tests to themselves.
OTHERWISE = {"torch", "cuda", "cutedsl"}


@dataclass(frozen=True, kw_only=True)
class Asked:
    samples: Samples
    teller: Teller

    def __call__(self, how, *entries, **more):
        """The answers by entry, all of one process."""
        named = [f"{self.samples.module}:{getattr(self.samples, entry)}" for entry in entries]
        answers = dict(zip(entries, self.teller.asks(how, *named, **more), strict=True))
        for answer in answers.values():
            if answer["error"] and answer["error"][0] == "environment":
                pytest.skip(f"not run: {answer['error'][2]}")
        return answers


@pytest.fixture(scope="module", params=SAMPLES)
def ask(request, tmp_path_factory):
    samples = SAMPLES[request.param]
    named = os.environ.get("KGATE_TEST_GALLERY_PYTHON")
    python = python_with(named or request.getfixturevalue("interpreter"), ["torch", *parents(samples.package)])
    scratch = tmp_path_factory.mktemp(request.param)
    # Triton 3.9 warns, once and for all to hear, that a default will change.
    env = {samples.cache: str(scratch / "cache"), "PYTHONWARNINGS": "ignore"}
    return Asked(samples=samples, teller=Teller(python=python, dsl=request.param, scratch=scratch, env=env))


def parents(package):
    """The package after those that it lies in, which have to be there to look for it."""
    parts = package.split(".")
    return [".".join(parts[: count + 1]) for count in range(len(parts))]


@pytest.fixture(scope="module")
def hopper(ask):
    return ask("sm_90", "add", "other", "refused", "raises")


@pytest.fixture(scope="module")
def adds(ask, hopper):
    """By architecture, the vector addition as it was first compiled."""
    return {"sm_80": ask("sm_80", "add")["add"], "sm_90": hopper["add"], "sm_100": ask("sm_100", "add")["add"]}


@pytest.fixture(scope="module")
def again(ask, hopper):
    """With the cache of `hopper`, and with a pick of a configuration that is not there."""
    return ask("sm_90", "add", "tuned", PICKS=json.dumps({ask.samples.key: "of last year"}))


def test_no_dsl_is_forgotten():
    assert set(ADAPTERS) <= set(SAMPLES) | OTHERWISE


def test_a_kernel_is_compiled_for_a_gpu_that_is_not_here(adds):
    for arch, answer in adds.items():
        assert only(answer)["arch"] in (arch, f"{arch}a")
        assert only(answer)["code"]["registers"] > 0
        assert only(answer)["texts"]


def test_each_architecture_has_code_of_its_own(adds):
    assert len({only(answer)["code"]["code_sha256"] for answer in adds.values()}) == len(adds)


def test_arguments_are_specialised_as_in_a_launch(hopper):
    assert only(hopper["other"])["code"]["code_sha256"] != only(hopper["add"])["code"]["code_sha256"]


def test_a_compilation_is_counted_and_timed(adds):
    for answer in adds.values():
        assert answer["compiles"] == 1
        assert only(answer)["compile_ns"] > 0


def test_a_cache_hit_counts_no_compilation_and_tells_the_same_kernel(hopper, again):
    assert again["add"]["compiles"] == 0
    assert only(again["add"]) == {**only(hopper["add"]), "compile_ns": None}


def test_the_code_is_the_same_from_another_folder_and_without_the_cache(ask, hopper, tmp_path):
    tree = tmp_path / "a longer path than before"
    tree.mkdir()
    shutil.copy(HERE / "samples" / f"{ask.samples.module}.py", tree)

    moved = ask("sm_90", "add", tree=tree, **{ask.samples.cache: str(tmp_path / "cache")})["add"]

    assert moved["compiles"] == 1
    assert only(moved)["code"] == only(hopper["add"])["code"]


def test_a_compile_error_is_told_from_an_error_of_the_call_and_its_reason_is_in_one_line(hopper):
    rung, reason, text = hopper["refused"]["error"]

    assert (rung, reason) == ("compile", "compile-failed")
    assert "no_such" in text or "power of two" in text
    assert hopper["raises"]["error"][:2] == ["run", "raised"]


def test_a_frozen_pick_is_the_only_configuration_that_is_compiled(ask):
    built = only(ask("sm_90", "tuned", PICKS=json.dumps({ask.samples.key: ask.samples.pick}))["tuned"])

    name, value = ask.samples.config
    assert (built["config"][name], built["note"]) == (value, "")


def test_a_pick_that_is_not_listed_is_not_taken_and_what_was_not_timed_is_no_pick(again):
    assert again["tuned"]["built"]
    assert all("of 2 configurations: its tuner needs the GPU" in built["note"] for built in again["tuned"]["built"])
    assert again["tuned"]["tuned"] == {}


@pytest.mark.gpu
def test_what_is_compiled_without_the_gpu_is_what_the_gpu_runs(ask, cuda, tmp_path):
    asked = "import torch; print('sm_%d%d' % torch.cuda.get_device_capability())"
    arch = subprocess.run([ask.teller.python, "-c", asked], capture_output=True, text=True, check=True).stdout.strip()

    ran = ask("used", "add", "other")
    compiled = ask(arch, "add", "other", **{ask.samples.cache: str(tmp_path / "cache")})

    for entry in ("add", "other"):
        assert only(ran[entry])["code"] == only(compiled[entry])["code"]
        assert only(ran[entry])["config"] == only(compiled[entry])["config"]


@pytest.mark.gpu
def test_on_a_gpu_the_tuners_pick_is_told_and_taken_again_without_timing(ask, cuda):
    first = ask("used", "tuned")["tuned"]
    second = ask("used", "tuned", PICKS=json.dumps(first["tuned"]))["tuned"]

    assert list(first["tuned"]) == [ask.samples.key]
    assert second["tuned"] == first["tuned"]
    assert only(second)["config"] == only(first)["config"]
    assert second["compiles"] <= 1
