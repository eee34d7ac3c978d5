"""Mode "outputs": what the replies say of kernels that answer."""

import struct
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from kgate.protocol import Begin, Bye, CaseJob, End, Facts, Fill, Hello, Job, Output, RungDone, TensorArg, Watch

pytestmark = pytest.mark.real

TWOS, THREES, FIVES = (struct.pack("<4f", *[value] * 4) for value in (2.0, 3.0, 5.0))


@pytest.fixture(scope="module")
def answers(bench, case_job):
    """One process for all of them: importing torch is what costs."""
    cases = (*good_cases(case_job),)
    return bench.run(bench.written(Job(mode="outputs", arm="head", tree=str(bench.tree), device="cpu", cases=cases)))


def good_cases(case_job: Callable[..., CaseJob]) -> list[CaseJob]:
    fused = {"x": constant(2.0), "y": constant(3.0, "bfloat16")}
    return [
        case_job("kernels:add"),
        case_job("kernels:add", case="by-name", keywords=True),
        case_job("kernels:several"),
        case_job("kernels:transposed"),
        case_job("kernels:every_other"),
        case_job("kernels:into", mutates=("y",)),
        case_job("kernels:into_and_returned", mutates=("y",)),
        case_job("kernels:writes_its_input"),
        case_job("kernels:counting", setup="kernels:make_state", reset="kernels:forget", steps=3),
        case_job("kernels:noisy"),
        case_job("kernels:by_switch", context=("kernels:switched", "custom")),
        case_job("kernels:dispatch_custom", watch=Watch(custom="kernels:custom", fallback="kernels:fallback")),
        case_job("kernels:dispatch_alias", watch=Watch(custom="functions:original", fallback="torch:add")),
        case_job("kernels:eager", watch=Watch(custom="kernels:add", fallback="torch:add")),
        case_job("kernels:add", case="unwatchable", watch=Watch(custom="kernels:add", fallback="nowhere:f")),
        case_job("kernels:add", case="widened", widen=True, args=fused),
        case_job("kernels:widens_itself", widen=True),
        case_job("kernels:constant_result", widen=True),
        case_job("kernels:widens_itself", case="own-reference", cast=True),
        case_job("kernels:coarse", cast=True),
        case_job("kernels:writes_its_input", case="large", args={"x": large(2.0), "y": large(3.0)}, seed=5),
        case_job("kernels:add", case="large-kept", args={"x": large(2.0), "y": large(3.0)}),
        case_job("torch:add"),
    ]


def large(value: float) -> TensorArg:
    """One element above what is hashed."""
    return TensorArg(shape=((16 << 20) + 1,), dtype="float32", fill=Fill(kind="constant", a=value), stream=1)


def constant(value: float, dtype: str = "float32") -> TensorArg:
    return TensorArg(shape=(4,), dtype=dtype, fill=Fill(kind="constant", a=value), stream=1)


def test_replies_begin_with_hello_and_end_with_bye_and_every_case_is_answered(answers):
    kinds = [type(r) for r in answers.replies]

    assert (answers.code, kinds[0], kinds[-1]) == (0, Hello, Bye)
    assert kinds.count(Begin) == answers.replies[-1].cases


def test_a_good_case_climbs_its_rungs_and_then_gives_facts_outputs_and_its_end(answers):
    said = answers.of("kernels:add")

    assert [type(r) for r in said] == [Begin, RungDone, RungDone, RungDone, RungDone, Facts, Output, End]
    assert [r.rung for r in said if isinstance(r, RungDone)] == ["environment", "import", "compile", "run"]


@pytest.mark.parametrize("case", ["kernels:add", "by-name"])
def test_an_output_is_the_bytes_of_the_result(answers, case):
    ((output, data),) = answers.outputs(case)

    assert data == FIVES
    assert (output.dtype, output.shape, output.strides, output.device) == ("float32", (4,), (1,), "cpu")


def test_a_function_of_torch_itself_may_be_called(answers):
    assert answers.outputs("torch:add")[0][1] == FIVES


def test_several_outputs_come_in_order_each_in_its_dtype(answers):
    outputs = answers.outputs("kernels:several")

    assert [output.dtype for output, _ in outputs] == ["float32", "bfloat16", "bool"]
    assert outputs[1][1] == struct.pack("<4H", *[0x40C0] * 4)  # 6.0 in bfloat16
    assert outputs[2][1] == bytes(4)


def test_a_transposed_output_is_exported_in_c_order_and_its_strides_are_told(answers):
    ((output, data),) = answers.outputs("kernels:transposed")

    assert data == struct.pack("<8f", *[2.0, 3.0] * 4)
    assert (output.shape, output.strides) == ((4, 2), (1, 4))


def test_an_output_of_one_dimension_with_gaps_is_exported_without_them(answers):
    ((output, data),) = answers.outputs("kernels:every_other")

    assert data == struct.pack("<4f", 0.0, 2.0, 4.0, 6.0)
    assert output.strides == (2,)


def test_a_kernel_that_returns_none_answers_with_what_it_mutates(answers):
    assert [data for _, data in answers.outputs("kernels:into")] == [FIVES]
    assert answers.facts("kernels:into")["inputs-changed"] == []


def test_an_argument_that_is_mutated_and_returned_counts_once(answers):
    assert [data for _, data in answers.outputs("kernels:into_and_returned")] == [FIVES]


def test_an_input_that_changed_without_leave_is_named(answers):
    facts = answers.facts("kernels:writes_its_input")

    assert facts["inputs-changed"] == ["x"]


def test_inputs_are_told_by_the_sha256_of_their_bytes(answers):
    facts = answers.facts("kernels:add")

    assert facts["input-digests"] == {"x": sha256(TWOS).hexdigest(), "y": sha256(THREES).hexdigest()}


def test_setup_gives_the_state_reset_precedes_the_call_and_steps_follow_each_other(answers):
    ((_, data),) = answers.outputs("kernels:counting")

    assert data == struct.pack("<4f", *[2 + 3 + 10 + 3] * 4)


def test_logging_and_printing_are_seen_and_go_to_the_log(answers):
    assert answers.facts("kernels:noisy")["logged"] is True
    assert answers.facts("kernels:add")["logged"] is False
    assert "said aloud" in answers.log


def test_a_context_is_entered_around_the_call(answers):
    assert answers.outputs("kernels:by_switch")[0][1] == FIVES


def test_calls_are_counted_below_a_shared_decorator(answers):
    facts = answers.facts("kernels:dispatch_custom")

    assert (facts["reached-custom"], facts["reached-fallback"]) == (1, 0)


def test_calls_are_counted_of_a_function_imported_under_another_name(answers):
    facts = answers.facts("kernels:dispatch_alias")

    assert (facts["reached-custom"], facts["reached-fallback"]) == (1, 0)


def test_calls_of_a_builtin_are_counted(answers):
    facts = answers.facts("kernels:eager")

    assert (facts["reached-custom"], facts["reached-fallback"]) == (0, 1)


def test_what_cannot_be_watched_is_noted_and_not_counted(answers):
    facts = answers.facts("unwatchable")

    assert facts["reached-custom"] == 1
    assert "reached-fallback" not in facts
    assert facts["note"].startswith("fallback cannot be watched: nowhere cannot be imported")


def test_files_loaded_from_the_tree_are_told_with_their_digest(answers, bench):
    loaded = answers.facts("kernels:dispatch_alias")["loaded-files"]

    assert loaded["functions.py"] == sha256((Path(bench.tree) / "functions.py").read_bytes()).hexdigest()
    assert "broken.py" not in loaded


def test_a_widened_reference_is_computed_in_float64(answers):
    ((output, data),) = answers.outputs("widened")

    assert output.dtype == "float64"
    assert data == struct.pack("<4d", *[5.0] * 4)


def test_a_reference_that_narrows_on_the_way_is_refused_with_the_operator(answers):
    failed = answers.failed("kernels:widens_itself")

    assert (failed.rung, failed.reason) == ("run", "narrowed")
    assert "aten._to_copy" in failed.text
    assert answers.facts("kernels:widens_itself")["narrowed-by"][0].startswith("aten._to_copy")


def test_a_reference_that_ends_below_float64_is_refused(answers):
    failed = answers.failed("kernels:constant_result")

    assert (failed.reason, failed.text.partition(";")[0]) == ("narrowed", "the result of float64 inputs is float32")


def test_a_reference_of_the_users_own_may_do_as_it_likes(answers):
    assert answers.outputs("own-reference")[0][0].dtype == "float64"


def test_what_narrows_in_a_reference_of_the_users_own_is_told(answers):
    facts = answers.facts("own-reference")

    assert facts["reference-dtype"] == ["float64"]
    assert facts["narrowed-by"] == []


def test_a_reference_of_the_users_own_that_answers_in_16_bits_is_refused(answers):
    failed = answers.failed("kernels:coarse")

    assert (failed.rung, failed.reason) == ("run", "narrowed")
    assert failed.text.startswith("the reference answers in bfloat16, no finer than a kernel would; ")
    assert answers.facts("kernels:coarse")["reference-dtype"] == ["bfloat16"]
    assert answers.facts("kernels:coarse")["narrowed-by"][0].startswith("aten._to_copy")


def test_an_input_too_large_to_hash_is_still_seen_to_change(answers):
    assert answers.facts("large")["inputs-changed"] == ["x"]
    assert answers.facts("large-kept")["inputs-changed"] == []


def test_the_jobs_environment_is_set_before_the_users_module_is_imported(bench, case_job, tmp_path):
    (tmp_path / "late.py").write_text(
        "import os, torch\nvalue = float(os.environ['VALUE'])\ndef f(x, y):\n    return x * value\n"
    )
    job = Job(
        mode="outputs",
        arm="head",
        tree=str(tmp_path),
        device="cpu",
        cases=(case_job("late:f"),),
        env={"VALUE": "2.5"},
    )

    assert bench.run(bench.written(job)).outputs("late:f")[0][1] == FIVES
