"""From outcomes to rows and a verdict: what counts as compiled, as the change's fault, and as not known."""

import pytest

from kgate.compilation.rows import Status, rows, verdict
from kgate.errors import ExitCode
from kgate.model import Outcome
from tests.unit.compilation.samples import item, made, refused, variant

A100_LIMIT, H100_LIMIT = 163 * 1024, 227 * 1024  # CUDA Programming Guide, compute capabilities 8.0 and 9.0


def test_workloads_that_compile_the_same_code_are_one_row() -> None:
    one, two = item("one"), item("two")
    outcomes = {one.case: made(variant()), two.case: made(variant(compile_ns=None))}

    (row,) = rows([one, two], outcomes, frozenset())

    assert (row.kernel, row.arch, row.device_kernel, row.workloads) == ("gemm", "sm_90", "gemm_triton", ("one", "two"))
    assert (row.status, row.compile_ns, row.registers) == (Status.COMPILED, 2_000_000_000, 168)


def test_other_code_another_device_kernel_and_another_architecture_are_rows_of_their_own() -> None:
    here, there = item("one"), item("one", arch="sm_80")
    outcomes = {
        here.case: made(variant(), variant(code="b" * 64), variant("split_triton")),
        there.case: made(variant(code="c" * 64)),
    }

    found = rows([here, there], outcomes, frozenset())

    assert [(r.arch, r.device_kernel, r.code_sha256[0]) for r in found] == [
        ("sm_80", "gemm_triton", "c"),
        ("sm_90", "gemm_triton", "a"),
        ("sm_90", "gemm_triton", "b"),
        ("sm_90", "split_triton", "a"),
    ]


def test_where_the_code_has_no_hash_the_configuration_tells_variants_apart() -> None:
    one, two, three = item("one"), item("two"), item("three")
    narrow, wide = (variant(code="", config={"tile": tile}) for tile in ("64", "128"))
    outcomes = {one.case: made(narrow), two.case: made(wide), three.case: made(narrow)}

    found = rows([one, two, three], outcomes, frozenset())

    assert [row.workloads for row in found] == [("one", "three"), ("two",)]


def test_a_row_is_cached_only_if_all_of_its_workloads_are_known() -> None:
    one, two = item("one"), item("two")
    outcomes = {one.case: made(variant()), two.case: made(variant())}

    (some,) = rows([one, two], outcomes, frozenset([one.case]))
    (every,) = rows([one, two], outcomes, frozenset([one.case, two.case]))

    assert (some.cached, every.cached) == (False, True)


@pytest.mark.parametrize(
    ("arch", "shared_bytes", "status"),
    [
        ("sm_80", A100_LIMIT, Status.COMPILED),
        ("sm_80", A100_LIMIT + 1, Status.FAILED),
        ("sm_90", H100_LIMIT, Status.COMPILED),
        ("sm_90", H100_LIMIT + 1, Status.FAILED),
        ("sm_90", None, Status.COMPILED),
    ],
)
def test_shared_memory_beyond_the_architectures_limit_is_refused_before_any_launch(
    arch: str, shared_bytes: int | None, status: Status
) -> None:
    one = item(arch=arch)

    (row,) = rows([one], {one.case: made(variant(shared_bytes=shared_bytes))}, frozenset())

    assert row.status is status


def test_a_refusal_for_shared_memory_gives_both_numbers() -> None:
    one = item(arch="sm_80")

    (row,) = rows([one], {one.case: made(variant(shared_bytes=196_608))}, frozenset())

    assert row.text == (
        "asks for 196,608 bytes of shared memory a block, where sm_80 has 166,912; take smaller tiles or fewer stages "
        "there"
    )


def test_workloads_that_fail_for_one_reason_are_one_row() -> None:
    one, two = item("one"), item("two")
    said = refused("RuntimeError: nvcc: /tmp/a/k.cu(3): error: expected an expression")

    (row,) = rows([one, two], {one.case: said, two.case: said}, frozenset())

    assert (row.status, row.text, row.workloads) == (
        Status.FAILED,
        "nvcc: line 3: expected an expression",
        ("one", "two"),
    )


@pytest.mark.parametrize(
    ("outcome", "status", "code"),
    [
        (made(variant()), Status.COMPILED, ExitCode.GREEN),
        (refused("ptxas error   : no"), Status.FAILED, ExitCode.FAIL),
        (refused("ValueError: no", "raised", "run"), Status.FAILED, ExitCode.FAIL),
        (refused("gave no answer", "hung"), Status.FAILED, ExitCode.FAIL),
        (refused("nvcc is not here", "unavailable", "environment"), Status.NOT_RUN, ExitCode.NO_VERDICT),
        (refused("held too much", "out-of-memory"), Status.NOT_RUN, ExitCode.NO_VERDICT),
        (made(), Status.NOT_RUN, ExitCode.NO_VERDICT),
        (None, Status.NOT_RUN, ExitCode.NO_VERDICT),
    ],
)
def test_what_is_not_compiled_is_never_green(outcome: Outcome | None, status: Status, code: ExitCode) -> None:
    one = item()

    found = rows([one], {} if outcome is None else {one.case: outcome}, frozenset())

    assert [row.status for row in found] == [status]
    assert verdict(found).exit_code == code


def test_a_kernel_that_does_not_compile_outweighs_one_that_nobody_could_compile() -> None:
    one, two = item("one"), item(kernel="softmax")
    outcomes = {one.case: refused("no"), two.case: refused("no nvcc", "unavailable", "environment")}

    assert verdict(rows([one, two], outcomes, frozenset())).exit_code == ExitCode.FAIL


def test_a_workload_for_which_nothing_runs_is_fine_beside_one_that_compiles() -> None:
    empty, full = item("empty"), item("full")

    (row,) = rows([empty, full], {empty.case: made(), full.case: made(variant())}, frozenset())

    assert (row.status, row.workloads) == (Status.COMPILED, ("full",))
