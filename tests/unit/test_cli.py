"""The command line in process: flags in, exit code out, and every way out of kgate in one of the documented codes."""

import errno
import io
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from kgate import cli, pipeline, session
from kgate.errors import (
    BaselineError,
    DeliveryError,
    ExitCode,
    HostError,
    KgateError,
    ManifestError,
    UsageError,
    WorkerError,
)
from kgate.options import Options

Ended = tuple[int, str, str]  # exit code, standard output, standard error


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """What `kgate ARGUMENTS` ends with."""
    monkeypatch.setattr(signal, "signal", lambda *_: None)

    def run(*arguments: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["/anywhere/kgate", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return run


def raising(error: BaseException) -> Callable[..., object]:
    def check(*_: object) -> object:
        raise error

    return check


ERRORS = [
    (UsageError("x"), ExitCode.NO_RUN),
    (ManifestError("x"), ExitCode.NO_RUN),
    (BaselineError("x"), ExitCode.NO_RUN),
    (HostError("x"), ExitCode.NO_VERDICT),
    (WorkerError("x"), ExitCode.NO_VERDICT),
    (KgateError("x"), ExitCode.NO_VERDICT),
    (DeliveryError("x"), ExitCode.DELIVERY),
]


@pytest.mark.parametrize(("error", "code"), ERRORS, ids=lambda value: type(value).__name__)
def test_what_stops_a_run_is_one_sentence_and_its_own_exit_code(
    typed, monkeypatch: pytest.MonkeyPatch, error: KgateError, code: ExitCode
) -> None:
    monkeypatch.setattr(pipeline, "check", raising(error))

    assert typed("check") == (code, "", "kgate: x\n")


@pytest.mark.parametrize("code", [ExitCode.GREEN, ExitCode.FAIL, ExitCode.NO_VERDICT])
def test_the_exit_code_of_a_run_is_its_verdicts(typed, monkeypatch: pytest.MonkeyPatch, code: ExitCode) -> None:
    monkeypatch.setattr(session, "check", lambda *_: code)

    assert typed("check") == (code, "", "")


def test_the_numbers_are_those_that_every_ci_script_knows() -> None:
    assert {code.name: code.value for code in ExitCode} == {
        "GREEN": 0,
        "FAIL": 1,
        "NO_RUN": 2,
        "NO_VERDICT": 3,
        "DELIVERY": 4,
        "INTERRUPTED": 130,
    }


def test_a_bug_of_kgates_own_blames_nobody_and_gives_a_text_to_paste(typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "check", raising(ZeroDivisionError("a bug")))

    code, out, err = typed("check", "--kernel", "it's")

    assert code == 3
    assert out == ""
    assert err.startswith("kgate: a bug of kgate's own stopped this run; your change is not judged (exit code 3).\n")
    assert "Please report it with the text below" in err
    assert "ZeroDivisionError: a bug" in err
    assert """kgate check --kernel 'it'"'"'s'""" in err


def test_a_report_of_a_bug_says_nothing_of_the_environment(typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghs_private")
    monkeypatch.setattr(pipeline, "check", raising(RuntimeError("a bug")))

    _, _, err = typed("check")

    assert "ghs_private" not in err


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()], ids=lambda error: type(error).__name__)
def test_an_interrupted_run_says_that_it_can_go_on(
    typed, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    monkeypatch.setattr(pipeline, "check", raising(error))

    code, out, err = typed("check")

    assert (code, out) == (130, "")
    assert err.strip() == "kgate: interrupted; what was measured is kept, the same command goes on from there"


def test_sigterm_is_the_same_as_ctrl_c() -> None:
    with pytest.raises(KeyboardInterrupt):
        cli.stop(signal.SIGTERM, None)


def test_a_reader_that_goes_away_is_no_bug(typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "check", raising(BrokenPipeError(errno.EPIPE, "Broken pipe")))

    assert typed("check") == (3, "", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("chek",), "No such command 'chek'"),
        (("check", "--lunches", "2"), "No such option"),
        (("check", "--launches", "0"), "0 is not in the range"),
        (("check", "--launches", "many"), "'many' is not a valid integer range"),
        (("check", "--format", "xml"), "'xml' is not one of"),
        (("check", "extra"), "unexpected extra argument"),
        (("comment", "/nowhere/results"), "does not exist"),
        (("explain", "no-such-rule"), "no rule is called 'no-such-rule'; `kgate explain` lists them all"),
        (("schema", "manifst"), "'manifst' is not one of"),
    ],
)
def test_a_wrong_command_line_is_nobody_elses_fault(typed, arguments: tuple[str, ...], words: str) -> None:
    code, out, err = typed(*arguments)

    assert code == 2
    assert out == ""
    assert words in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "arguments", [("--help",), ("--version",), ("check", "-h"), ("explain",), ("schema", "report")]
)
def test_what_only_tells_is_green(typed, arguments: tuple[str, ...]) -> None:
    code, out, err = typed(*arguments)

    assert (code, err) == (0, "")
    assert out


def test_every_flag_and_variable_of_check_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Options, str, Path | None]] = []

    def check(options: Options, form: str, results: Path | None) -> ExitCode:
        seen.append((options, form, results))
        return ExitCode.GREEN

    monkeypatch.setattr(session, "check", check)
    variables = {"KGATE_BASE": "main", "KGATE_DEVICE": "cpu", "KGATE_PYTHON": "p", "KGATE_RESULTS": "r"}

    CliRunner().invoke(cli.cli, ["check", "--kernel", "a", "--kernel", "b*"], env=variables, catch_exceptions=False)
    CliRunner().invoke(cli.cli, ["check", "--base", "none", "--launches", "7"], env=variables, catch_exceptions=False)

    (first, form, results), (second, _, _) = seen
    assert (first.base, first.device, first.python, first.kernels) == ("main", "cpu", "p", ("a", "b*"))
    assert (form, results, first.launches) == ("text", Path("r"), 0)
    assert (second.base, second.launches) == ("none", 7)


def test_a_results_folder_that_is_a_file_is_said_before_anything_runs(
    typed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pipeline, "check", raising(AssertionError("ran")))
    taken = tmp_path / "taken"
    taken.write_text("")

    code, _, err = typed("check", "--results", str(taken))

    assert code == 3
    assert err == f"kgate: --results {taken}: cannot be written (File exists); choose another folder\n"


def test_the_group_has_no_output_of_its_own_when_stdout_is_closed(typed, monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stdout", Closed())

    code, _, err = typed("explain")

    assert code == 3
    assert "Traceback" not in err
