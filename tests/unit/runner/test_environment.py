"""What a worker sees of the gate's environment."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate.model import BASE, HEAD, Tree
from kgate.runner.environment import refused, worker_environment
from kgate.runner.place import Workplace

SECRETS = ("GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "RUNNER_TEMP", "INPUT_KEY", "HF_TOKEN", "my_secret", "KGATE_LEVEL")


def place(device: str = "cpu", pass_env: tuple[str, ...] = ()) -> Workplace:
    trees = dict.fromkeys(Tree, Path("/tree"))
    return Workplace(
        python=dict.fromkeys(Tree, "python"), trees=trees, folder=Path("/run"), device=device, pass_env=pass_env
    )


def test_what_a_compiler_and_a_device_need_is_passed():
    surroundings = {
        "PATH": "/bin",
        "CUDA_VISIBLE_DEVICES": "3",
        "LC_ALL": "C.UTF-8",
        "OMP_NUM_THREADS": "2",
        "CC": "clang",
    }

    seen = worker_environment(place(), HEAD, surroundings)

    assert surroundings.items() <= seen.items()


def test_what_nobody_named_is_not_passed():
    seen = worker_environment(place(), HEAD, {"AWS_PROFILE": "work", "DISPLAY": ":0"})

    assert not {"AWS_PROFILE", "DISPLAY"} & set(seen)


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_not_passed_even_if_the_manifest_names_it(name):
    seen = worker_environment(place(pass_env=(name, "*")), HEAD, {name: "x"})

    assert name not in seen
    assert refused((name,)) == (name,)


def test_what_the_manifest_names_is_passed():
    seen = worker_environment(place(pass_env=("ACME_MODEL_DIR",)), HEAD, {"ACME_MODEL_DIR": "/models"})

    assert seen["ACME_MODEL_DIR"] == "/models"
    assert refused(("ACME_MODEL_DIR",)) == ()


# As each DSL's own documentation or source names the variable; without it the cache lies in the user's home or in /tmp.
CACHE_VARIABLES = {
    "tilelang": "TILELANG_CACHE_DIR",
    "triton": "TRITON_CACHE_DIR",
    "cutile": "CUDA_TILE_CACHE_DIR",
    "cutedsl": "CUTE_DSL_CACHE_DIR",
    "cuda": "TORCH_EXTENSIONS_DIR",
}


@pytest.mark.parametrize("variable", CACHE_VARIABLES.values(), ids=CACHE_VARIABLES)
def test_arms_do_not_share_compile_caches_nor_take_the_users(variable):
    caches = [worker_environment(place(), arm, {variable: "/home/me/.cache"})[variable] for arm in (HEAD, BASE)]

    assert caches == [f"/run/caches/head/{variable.lower()}", f"/run/caches/base/{variable.lower()}"]


def test_the_allocator_is_pinned_on_a_cpu_and_left_alone_on_a_gpu():
    cpu, gpu = (worker_environment(place(device), HEAD, {}) for device in ("cpu", "cuda:0"))

    assert cpu["MALLOC_MMAP_THRESHOLD_"] == "33554432"
    assert not [name for name in gpu if name.startswith("MALLOC_")]


def test_python_writes_no_bytecode_and_keeps_its_random_hashes():
    seen = worker_environment(place(), HEAD, {"PYTHONHASHSEED": "0", "PYTHONSAFEPATH": "1"})

    assert seen["PYTHONDONTWRITEBYTECODE"] == "1"
    assert not {"PYTHONHASHSEED", "PYTHONSAFEPATH"} & set(seen)
    assert seen["CC"] == "gcc"


@given(st.dictionaries(st.text(min_size=1), st.text()), st.lists(st.text(), max_size=3))
def test_no_name_that_looks_like_a_credential_ever_gets_through(surroundings, named):
    seen = worker_environment(place(pass_env=tuple(named)), HEAD, surroundings)

    assert not [n for n in seen if "TOKEN" in n.upper() or "SECRET" in n.upper() or n.startswith("GITHUB_")]
