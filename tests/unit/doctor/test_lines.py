"""From what was seen to lines: state, what was found, why it matters, what to do."""

from dataclasses import replace

import pytest

from kgate.doctor import Line, Seen, State
from kgate.doctor.lines import lines
from kgate.doctor.machine import Folder, compiler_of
from kgate.runner.sandbox import Sandbox
from kgate.worker.nvml import Card
from kgate.worker.nvml import State as CardState
from tests.unit.doctor.sights import CARD, FOLDER, GOOD, reported, told, without_gpu


def by_topic(seen: Seen, wanted: set[str] | None = None) -> dict[str, Line]:
    return {line.topic: line for line in lines(seen, wanted)}


def with_card(**changes: object) -> Seen:
    return replace(GOOD, card=Card(**{**vars(CARD), **changes}))


def test_a_good_machine_is_ok_in_every_line() -> None:
    found = by_topic(GOOD)

    assert {line.topic: line.found for line in found.values() if line.state is not State.OK} == {}
    assert found["gpu"].found == "NVIDIA H200, compute capability 9.0"
    assert found["torch"].found == "2.11.0, CUDA 13.0"
    assert found["cutile"].found == "1.7.0, tileiras 13.4.92"


@pytest.mark.parametrize("seen", [GOOD, without_gpu(), replace(GOOD, identity=None, trouble="no python3 on PATH")])
def test_every_line_says_why_it_matters_and_each_that_is_not_ok_what_to_do(seen: Seen) -> None:
    found = lines(seen, None)

    assert all(line.why and line.found for line in found)
    assert all(bool(line.fix) is (line.state is not State.OK) for line in found)


def test_without_a_gpu_that_is_one_line_and_nothing_is_said_of_clocks() -> None:
    found = by_topic(without_gpu())

    assert found["gpu"].state is State.MISSING
    assert {"driver", "clocks", "neighbours"} & set(found) == set()
    assert [line.topic for line in found.values() if line.state is not State.OK] == ["gpu"]


def test_a_gpu_that_torch_does_not_see_is_not_called_missing() -> None:
    seen = reported(GOOD, devices={"cpu": "", "cuda": "cuda: torch 2.13.0+cpu is built without CUDA"})

    found = by_topic(seen)

    assert found["gpu"].state is State.LOOK
    assert found["gpu"].found.endswith("9.0: torch 2.13.0+cpu is built without CUDA")


def test_an_old_driver_is_told_at_everything_that_it_is_too_old_for() -> None:
    found = by_topic(replace(GOOD, driver="550.54.15"))

    assert found["driver"].state is State.OK
    topics = {line.topic for line in found.values() if line.state is State.LOOK}
    assert topics == {"torch", "tilelang", "cutile", "cutedsl", "cuda"}


def test_an_interpreter_without_torch_is_told_how_to_get_it() -> None:
    absent = "torch is not installed for /venv/bin/python"
    adapters = {"torch": absent, "cuda": absent, "tilelang": "tilelang is not installed for /venv/bin/python"}

    found = by_topic(reported(GOOD, adapters=adapters))

    assert found["torch"].state is State.MISSING
    assert found["torch"].found == "torch is not installed"
    assert found["tilelang"].fix == "`/venv/bin/python -m pip install tilelang`"
    assert "cuda" not in found


def test_an_interpreter_that_does_not_answer_is_missing_and_the_rest_is_told_all_the_same() -> None:
    found = by_topic(replace(GOOD, identity=None, trouble="no python3 on PATH"))

    assert found["worker"].state is State.MISSING
    assert found["worker"].found == "no python3 on PATH"
    assert found["gpu"].found == "NVIDIA H200, compute capability 9.0"
    assert "torch" not in found
    assert found["git"].state is State.OK


def test_without_nvcc_it_is_missing_and_those_who_call_it_are_told_of() -> None:
    found = by_topic(told(GOOD, nvcc=""))

    assert found["nvcc"].state is State.MISSING
    assert found["tilelang"].state is State.LOOK
    assert found["cuda"].state is State.LOOK
    assert found["triton"].state is State.OK


def test_a_dsl_that_is_not_here_has_a_line_only_where_the_manifest_has_it() -> None:
    assert GOOD.identity is not None
    seen = reported(GOOD, adapters={**GOOD.identity.adapters, "cutile": "cuda is not installed"})

    assert by_topic(seen, {"cutile"})["cutile"].state is State.MISSING
    assert "cutile" not in by_topic(seen, {"triton"})
    assert by_topic(seen)["cutile"].state is State.MISSING


def test_whoever_computes_on_the_gpu_as_well_is_named() -> None:
    seen = replace(with_card(processes=((41, 3 << 30), (7, None))), neighbours={41: "python", 7: ""})

    found = by_topic(seen)["neighbours"]

    assert found.state is State.LOOK
    assert found.found == "2 processes on it: 41 python (3.00 GiB), 7"


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (with_card(state=CardState(throttle="power-cap", readings={"sm-clock-mhz": 900.0})), "throttled: power-cap"),
        (with_card(persistence=False), "persistence mode is off"),
    ],
)
def test_what_makes_times_not_repeat_is_told_at_the_clocks(seen: Seen, said: str) -> None:
    found = by_topic(seen)["clocks"]

    assert found.state is State.LOOK
    assert said in found.found


def test_little_space_is_told_of_the_folder_that_has_least() -> None:
    seen = replace(GOOD, scratch=Folder(path="/tmp", free_bytes=1 << 30))

    found = by_topic(seen)["disk"]

    assert found.state is State.LOOK
    assert found.found == "1.00 GiB free at /tmp"


def test_a_folder_that_cannot_be_written_or_loaded_from_is_told() -> None:
    seen = replace(
        GOOD,
        state=replace(FOLDER, problem="cannot be written (Permission denied)"),
        scratch=replace(FOLDER, path="/tmp", runs_code=False),
    )

    found = by_topic(seen)

    assert found["state"].found.endswith(": cannot be written (Permission denied)")
    assert found["scratch"].found == "/tmp is mounted noexec"


def test_tools_that_are_not_here_are_missing_each_on_its_own() -> None:
    found = by_topic(replace(GOOD, tools={"ncu": "?"}))

    missing = {line.topic for line in found.values() if line.state is State.MISSING}
    assert missing == {"compute-sanitizer", "nvdisasm", "git", "compiler"}


def test_the_c_compiler_that_workers_call_is_told_with_its_version() -> None:
    found = by_topic(replace(GOOD, compiler="clang-18", tools={**GOOD.tools, "clang-18": "18.1.3"}))["compiler"]

    assert (found.state, found.found, found.fix) == (State.OK, "clang-18 18.1.3", "")


def test_without_a_c_compiler_it_is_missing_and_the_fix_names_the_variable() -> None:
    found = by_topic(replace(GOOD, compiler="icx"))["compiler"]

    assert (found.state, found.found) == (State.MISSING, "the C compiler icx is not on PATH")
    assert found.fix == "install gcc, or name a C compiler with CC"


@pytest.mark.parametrize(
    ("environment", "program"),
    [({}, "gcc"), ({"CC": ""}, "gcc"), ({"CC": "clang"}, "clang"), ({"CC": "ccache gcc-12 -m64"}, "ccache")],
)
def test_the_c_compiler_is_the_program_that_cc_names(environment: dict[str, str], program: str) -> None:
    assert compiler_of(environment) == program


def test_what_namespaces_would_not_hold_here_is_said_and_how_to_get_them_is() -> None:
    partly = Sandbox(mode="namespaces", gaps=("the network can be reached (Operation not permitted)",))
    none = Sandbox(gaps=("namespaces cannot be made here: unshare: Operation not permitted",))

    lines = [by_topic(replace(GOOD, sandbox=found))["namespaces"] for found in (partly, none)]

    assert lines[0].found == "can be made, but the network can be reached (Operation not permitted)"
    assert "unshare: Operation not permitted" in lines[1].found
    assert "user.max_user_namespaces" in lines[1].fix
