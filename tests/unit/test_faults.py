"""What a user's code raises, and whose fault it is."""

import pytest

from kgate.worker.faults import Fault, foreign


def started(program: str) -> None:
    """As TileLang starts a compiler and wraps what comes of it."""
    try:
        subprocess_error = FileNotFoundError(2, "No such file or directory")
        subprocess_error.filename = program
        raise subprocess_error
    except OSError as error:
        raise RuntimeError(f"Compile kernel failed because of {error}") from error


def of(program: str) -> Fault:
    with pytest.raises(Fault) as caught:
        foreign("run", lambda: started(program), lambda error: True)
    return caught.value


@pytest.mark.parametrize("program", ["gcc", "/usr/bin/g++-12", "nvcc", "clang++"])
def test_a_compiler_that_is_not_here_is_the_machines_fault(program: str) -> None:
    found = of(program)

    assert (found.rung, found.reason) == ("environment", "unavailable")
    assert found.text.endswith("is not here, which compiling calls: install it, or put it on PATH")


@pytest.mark.parametrize("program", ["weights.bin", "gccx"])
def test_another_file_that_is_not_here_is_the_kernels(program: str) -> None:
    found = of(program)

    assert (found.rung, found.reason) == ("compile", "compile-failed")


def test_what_python_itself_raises_for_an_absent_program_is_recognised() -> None:
    with pytest.raises(Fault) as caught:
        foreign("run", lambda: started_for_real("gcc-of-no-release"))

    assert caught.value.reason == "unavailable"
    assert caught.value.text.startswith("gcc-of-no-release is not here")


def started_for_real(program: str) -> None:
    raise FileNotFoundError(2, "No such file or directory", program)


def test_an_error_that_names_itself_as_its_cause_ends_the_search() -> None:
    error = ValueError("x")
    error.__context__ = error

    with pytest.raises(Fault) as caught:
        foreign("run", lambda: thrown(error))

    assert caught.value.reason == "raised"


def thrown(error: BaseException) -> None:
    raise error
