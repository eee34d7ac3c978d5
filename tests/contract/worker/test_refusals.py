"""Mode "outputs": what the replies say of kernels that do not answer, each in a way of its own."""

import struct
import sys

import pytest

from kgate.protocol import Job, Watch
from kgate.worker.adapters import ADAPTERS

pytestmark = pytest.mark.real

FIVES = struct.pack("<4f", *[5.0] * 4)


@pytest.fixture(scope="module")
def answers(bench, case_job):
    """One process for all of them, which also shows that none stops the next."""
    cases = [case_job(f"faulty:{name}") for name in FAULTY]
    cases += [case_job(entry) for entry in ("broken:f", "misspelt:f", "nowhere:f", "json:dumps", "math:sqrt")]
    cases += [case_job("kernels:ad"), case_job("kernels:add", dsl="mojo", case="mojo")]
    cases += [case_job("faulty:second_call_fails", watch=Watch(custom="kernels:add", fallback=""))]
    return bench.run(
        bench.written(Job(mode="outputs", arm="head", tree=str(bench.tree), device="cpu", cases=(*cases,)))
    )


FAULTY = {
    "raises": ("raised", "ValueError: tile of 96 does not divide 100"),
    "says_nothing": ("wrong-type", "the function returned None, and the kernel declares no `mutates`"),
    "returns_a_list_of_numbers": (
        "wrong-type",
        "output 0: the function returned a value of type float, not a tensor",
    ),
    "returns_a_dict": ("wrong-type", "the function returned a value of type dict, not a tensor"),
    "returns_sparse": (
        "wrong-type",
        "the function returned a tensor of layout torch.sparse_coo on cpu, not a dense one",
    ),
    "takes_more": ("wrong-signature", "it takes (x, y, weight, *, eps=1e-06) and is given (x, y)"),
    "raises_a_type_error": ("raised", "TypeError: unsupported operand"),
    "leaves": ("raised", "SystemExit: 3"),
    "interrupted": ("raised", "KeyboardInterrupt"),
    "unprintable": ("raised", "faulty.Unprintable: <exception str() failed>"),
}


@pytest.mark.parametrize("name", FAULTY)
def test_a_kernel_that_does_not_answer_fails_with_reason_and_one_line(answers, name):
    failed = answers.failed(f"faulty:{name}")

    assert (failed.reason, failed.text) == FAULTY[name]
    assert failed.rung == "run"


def test_the_detail_of_a_failure_shows_the_users_frames_and_none_of_ours(answers):
    detail = answers.failed("faulty:raises").detail

    assert "faulty.py" in detail
    assert "second line" in detail
    assert "kgate" not in detail


def test_memory_that_is_not_there_is_told_from_other_errors(bench, case_job):
    job = Job(mode="outputs", arm="head", tree=str(bench.tree), device="cpu", cases=(case_job("faulty:eats_memory"),))

    failed = bench.run(bench.written(job)).failed("faulty:eats_memory")

    assert failed.reason == "out-of-memory"


def test_a_module_that_raises_on_import_is_named_with_its_interpreter(answers):
    failed = answers.failed("broken:f")

    assert (failed.rung, failed.reason) == ("import", "import-failed")
    assert failed.text.startswith("broken cannot be imported by /")
    assert failed.text.endswith("ModuleNotFoundError: No module named 'a_package_that_is_not_there'")


def test_a_syntax_error_says_where_it_is(answers):
    failed = answers.failed("misspelt:f")

    assert failed.reason == "import-failed"
    assert failed.text.endswith("misspelt.py, line 1)")


def test_a_module_that_is_nowhere_fails_to_import(answers):
    assert answers.failed("nowhere:f").text.endswith("ModuleNotFoundError: No module named 'nowhere'")


@pytest.mark.parametrize("entry", ["json:dumps", "math:sqrt"])
def test_a_module_from_outside_the_tree_is_refused(answers, entry):
    failed = answers.failed(entry)

    assert (failed.rung, failed.reason) == ("import", "outside-tree")


def test_a_missing_function_is_told_with_the_nearest_name(answers):
    failed = answers.failed("kernels:ad")

    assert (failed.rung, failed.reason) == ("import", "function-missing")
    assert failed.text == "kernels has no function 'ad'; did you mean 'add'?"


def test_a_dsl_that_is_not_there_is_no_fault_of_the_kernels(answers):
    failed = answers.failed("mojo")

    assert (failed.rung, failed.reason) == ("environment", "unavailable")
    assert failed.text == f"no adapter 'mojo'; there are {', '.join(ADAPTERS)}"


def test_a_kernel_that_works_only_once_fails_on_the_rung_path(answers):
    failed = answers.failed("faulty:second_call_fails")

    assert (failed.rung, failed.text) == ("path", "RuntimeError: only once")
    assert not answers.outputs("faulty:second_call_fails")


def test_outputs_beyond_the_limit_are_refused(bench, case_job):
    job = Job(
        mode="outputs",
        arm="head",
        tree=str(bench.tree),
        device="cpu",
        cases=(case_job("kernels:add"), case_job("kernels:several")),
        output_limit_bytes=30,
    )

    ended = bench.run(bench.written(job))

    assert ended.outputs("kernels:add")[0][1] == FIVES
    assert ended.failed("kernels:several").text.startswith("an output of 16 bytes passes the limit of 30 bytes")


def test_a_device_that_is_not_there_fails_on_the_rung_environment(bench, case_job):
    job = Job(mode="outputs", arm="head", tree=str(bench.tree), device="hip:0", cases=(case_job("kernels:add"),))

    failed = bench.run(bench.written(job)).failed("kernels:add")

    assert (failed.rung, failed.reason) == ("environment", "unavailable")
    assert failed.text == "AMD GPUs are not supported by this version; use a CPU or an NVIDIA GPU"


def test_without_torch_every_case_is_answered_with_the_reason(archive, bench, case_job):
    folder = bench.written(
        Job(mode="outputs", arm="head", tree=str(bench.tree), device="cpu", cases=(case_job("kernels:add"),))
    )

    failed = type(bench)(python=[sys.executable, "-I", "-S"], archive=archive, new_folder=bench.new_folder).run(folder)

    assert failed.failed("kernels:add").text == f"torch is not installed for {sys.executable}"
