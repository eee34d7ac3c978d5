"""Which kernels have to be seen on the GPU, and when none has to."""

from dataclasses import replace

from kgate.model import HEAD, Run
from kgate.protocol import Fill, TensorArg
from tests.unit.builders import answer, judged, kernel, run_of, with_outcomes

PROVED = kernel(device_kernels=("gemm_kernel*",))


def blocking(run: Run) -> list[str]:
    return [finding.rule for finding in judged(run) if finding.blocks]


def test_a_custom_path_that_launches_no_kernel_of_its_own_is_found() -> None:
    run = with_outcomes(run_of(PROVED, on_gpu=True), (HEAD, answer(device_kernels=["cublas_sgemm"])))

    assert blocking(run) == ["path-not-taken"]


def test_a_custom_path_with_nothing_to_compute_need_not_launch_a_kernel() -> None:
    silent = answer(device_kernels=[])
    empty = replace(silent, outputs=tuple(replace(t, shape=(64, 0)) for t in silent.outputs))

    runs = [with_outcomes(run_of(PROVED, on_gpu=True), (HEAD, outcome)) for outcome in (silent, empty)]

    assert [blocking(run) for run in runs] == [["path-not-taken"], []]


def test_an_empty_argument_leaves_nothing_that_needs_a_kernel_of_ones_own() -> None:
    fill = Fill(kind="normal", b=1.0)
    given = {f"x{i}": TensorArg(shape=s, dtype="float32", fill=fill, stream=i) for i, s in enumerate([(0, 64), (64,)])}
    (declared,) = PROVED.workloads
    idle = replace(PROVED, workloads=(replace(declared, args=given),))

    run = with_outcomes(run_of(idle, on_gpu=True), (HEAD, answer(device_kernels=["fill"])))

    assert blocking(run) == []
