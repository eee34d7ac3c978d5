"""What compilers said of bad kernels, word for word (nvcc and ptxas 13.4, Triton 3.9, tileiras 13.4), as a sentence."""

import pytest

from kgate.compilation.reasons import LETTERS, raised, reason

NVCC = """\
Traceback (most recent call last):
  File "/srv/acme/gemm.py", line 41, in gemm
    kernel(a, b)
RuntimeError:
a.cu(1): error: identifier "no_such_thing" is undefined
  extern "C" __attribute__((global)) void k(float* x) { x[0] = no_such_thing + 1; }
                                                               ^

1 error detected in the compilation of "a.cu".
"""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            'RuntimeError: nvcc: /tmp/tmpx/tvm_kernels.cu(12): error: identifier "no_such_thing" is undefined',
            'nvcc: line 12: identifier "no_such_thing" is undefined',
        ),
        (
            "triton.runtime.errors.PTXASError: PTXAS error: ptxas /tmp/tmp0cfp37fq.ptx, line 33; error   : "
            "Instruction 'wgmma.fence' not supported on .target 'sm_80'",
            "ptxas: line 33: Instruction 'wgmma.fence' not supported on .target 'sm_80'",
        ),
        (
            "RuntimeError: ptxas error   : Entry function 'k' uses too much shared data (0x493e0 bytes, 0xc000 max)",
            "ptxas: Entry function 'k' uses too much shared data (0x493e0 bytes, 0xc000 max)",
        ),
        (
            "triton.compiler.errors.CompilationError: NameError('missing_name is not defined')",
            "NameError('missing_name is not defined')",
        ),
        (
            "triton.compiler.errors.CompilationError: arange's range must be a power of 2",
            "arange's range must be a power of 2",
        ),
        (
            "tvm.error.InternalError: Check failed: (rank == 2) is false: a tile has two dimensions.",
            "Check failed: (rank == 2) is false: a tile has two dimensions",
        ),
    ],
)
def test_the_reason_is_told_without_exception_type_and_temporary_folder(text: str, sentence: str) -> None:
    assert reason(text, "") == sentence


def test_where_the_first_line_says_nothing_the_last_error_of_the_whole_message_does() -> None:
    assert reason("RuntimeError:", NVCC) == 'line 1: identifier "no_such_thing" is undefined'


def test_a_count_of_errors_is_no_reason() -> None:
    detail = 'x.cu(7): error: expected an expression\n\n2 errors detected in the compilation of "x.cu".\n'

    assert reason("RuntimeError: 2 errors detected in the compilation of x.cu", detail) == (
        "line 7: expected an expression"
    )


def test_what_no_compiler_said_stays_as_it_was_raised() -> None:
    assert reason("RuntimeError:", "Traceback (most recent call last):\nRuntimeError:\n") == "RuntimeError:"


def test_a_reason_is_short() -> None:
    assert len(reason("RuntimeError: error: " + "x" * 10_000, "")) == LETTERS


@pytest.mark.parametrize(
    "line",
    ["error: " * 3000, "fatal " * 3000, "/a" * 8000, "(1" * 8000],
    ids=["errors", "fatals", "slashes", "brackets"],
)
def test_a_line_that_only_looks_like_a_compilers_has_some_reason_as_well(line: str) -> None:
    assert len(reason("", f"{line}x")) <= LETTERS


def test_the_innermost_of_quoted_errors_is_told() -> None:
    assert reason("", "nvcc a.cu(7): error: ptxas b.ptx, line 9; error : no such register") == (
        "ptxas: line 9: no such register"
    )


def test_what_the_call_raised_is_told_with_the_place() -> None:
    detail = """\
Traceback (most recent call last):
  File "/srv/acme/fp8.py", line 37, in fp8_gemm
    kernel = built(k, n, **schedule(capability))
  File "/srv/acme/schedules.py", line 43, in schedule
    return next(found for oldest, found in SCHEDULES.items() if capability >= oldest)
StopIteration
"""

    assert raised("StopIteration", detail) == "the call raised StopIteration (schedules.py, line 43, in schedule)"
    assert raised("ValueError: K is odd", "") == "the call raised ValueError: K is odd"
