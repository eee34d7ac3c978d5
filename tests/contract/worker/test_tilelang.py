"""The TileLang adapter, with its real compiler and the C target."""

import struct
import subprocess

import pytest

from kgate.protocol import Job, RungDone

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def answers(bench, case_job, tmp_path_factory):
    asked = "import importlib.util, sys; sys.exit(importlib.util.find_spec('tilelang') is None)"
    if subprocess.run([*bench.python, "-c", asked], check=False).returncode:
        pytest.skip("not run: no interpreter with tilelang")
    cases = (
        case_job("tiled:add", dsl="tilelang"),
        case_job("tiled:add", case="again", dsl="tilelang"),
        case_job("tiled:refused", dsl="tilelang"),
    )
    env = {"TILELANG_CACHE_DIR": str(tmp_path_factory.mktemp("cache"))}
    return bench.run(
        bench.written(Job(mode="outputs", arm="head", tree=str(bench.tree), device="cpu", cases=cases, env=env))
    )


def test_a_kernel_compiles_in_its_first_call_and_is_right(answers):
    assert answers.outputs("tiled:add")[0][1] == struct.pack("<4f", *[5.0] * 4)
    assert answers.facts("tiled:add")["compiles"] == 1


def test_the_rung_compile_takes_the_compilers_time_and_none_where_nothing_compiles(answers):
    compile_ns = {r.case: r.ns for r in answers.replies if isinstance(r, RungDone) and r.rung == "compile"}

    assert compile_ns["tiled:add"] > 0
    assert compile_ns["again"] == 0
    assert answers.facts("again")["compiles"] == 0


def test_what_the_compiler_refuses_is_told_from_what_the_kernel_raises(answers):
    failed = answers.failed("tiled:refused")

    assert (failed.rung, failed.reason) == ("compile", "compile-failed")


def test_the_compilers_own_messages_are_no_sign_of_a_fallback(answers):
    assert answers.facts("tiled:add")["logged"] is False
