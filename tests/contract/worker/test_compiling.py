"""Mode "compile" of a job: a wrapper believes in a GPU that is not there, and what it cannot do without is told."""

import pytest

from kgate.protocol import End, Failed, Fill, Job, RungDone, TensorArg

pytestmark = pytest.mark.real

STRIDED = TensorArg(shape=(6, 4), dtype="float16", fill=Fill(kind="constant", a=1.0), stream=1, strides=(8, 1))
ENTRIES = ("asks", "computes", "reads", "chooses", "copies", "captures", "raises")


@pytest.fixture(scope="module")
def ended(bench, case_job):
    cases = [case_job(f"pretended:{name}", case=name, args={"x": STRIDED, "y": STRIDED}) for name in ENTRIES]
    hooked = case_job("pretended:reads", case="hooked", args={"x": STRIDED, "y": STRIDED}, compile="pretended:built")
    importing = case_job("pretended_import:built", case="imports", args={"x": STRIDED, "y": STRIDED})
    job = Job(
        mode="compile",
        arm="head",
        tree=str(bench.tree),
        device="cuda:0",
        arch="sm_80",
        cases=(*cases, hooked, importing),
        env={"CUDA_VISIBLE_DEVICES": ""},
    )
    return bench.run(bench.written(job))


@pytest.mark.parametrize("case", ["asks", "computes", "hooked"])
def test_what_a_wrapper_asks_has_the_answer_that_the_gpu_would_give(ended, case):
    assert [r for r in ended.of(case) if isinstance(r, (End, Failed))] == [End(case=case)]
    assert [r.rung for r in ended.of(case) if isinstance(r, RungDone)] == ["environment", "import", "compile"]


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("reads", "reads the values of a tensor (aten._local_scalar_dense.default)"),
        ("chooses", "reads the values of a tensor (aten._local_scalar_dense.default)"),
        ("copies", "needs a GPU (RuntimeError: .numpy() is not supported for tensor subclasses.)"),
        (
            "captures",
            "asks for what only a GPU can do (torch.cuda.CUDAGraph)",
        ),
    ],
)
def test_what_needs_a_gpu_is_not_the_kernels_fault_and_the_way_out_is_named(ended, case, reason):
    failed = ended.failed(case)

    assert (failed.rung, failed.reason) == ("environment", "unavailable")
    assert failed.text == (
        f"pretended:{case} {reason}; name in the kernel's `compile:` a function of the same arguments that does without"
    )


def test_a_module_that_needs_a_gpu_on_import_is_not_the_kernels_fault_either(ended):
    failed = ended.failed("imports")

    assert (failed.rung, failed.reason) == ("environment", "unavailable")
    assert failed.text.startswith("pretended_import needs a GPU (OSError: libcuda.so.none: ")
    assert failed.text.endswith(
        " while it is imported; do that when the function is called, or name in the kernel's "
        "`compile:` one of a module that does without"
    )
    assert 'pretended_import.py", line 5' in failed.detail


def test_what_the_wrapper_raises_itself_is_its_own(ended):
    failed = ended.failed("raises")

    assert (failed.rung, failed.reason, failed.text) == ("run", "raised", "ValueError: x has six rows")


def test_the_files_that_a_case_rests_on_are_told(ended):
    assert set(ended.facts("hooked")["loaded-files"]) == {"pretended.py"}


def test_an_architecture_of_which_nothing_is_known_is_refused_by_name(bench, case_job):
    case = case_job("pretended:built", args={"x": STRIDED, "y": STRIDED})
    job = Job(mode="compile", arm="head", tree=str(bench.tree), device="cuda:0", arch="sm_1", cases=(case,))

    ended = bench.run(bench.written(job))

    assert ended.failed("pretended:built").text.startswith("no architecture 'sm_1'; there are sm_75, sm_80,")
