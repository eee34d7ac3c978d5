"""The manifest's `build`: a sentence or none, a log, an end in bounded time."""

import time
from pathlib import Path

import pytest

from kgate.load import tree

pytestmark = pytest.mark.real


def test_a_build_that_works_says_nothing_and_leaves_its_log(tmp_path: Path) -> None:
    log = tmp_path / "log"

    assert tree.build(tmp_path, "set -o pipefail; echo built | tee made", log) == ""
    assert (tmp_path / "made").read_text() == log.read_text() == "built\n"


def test_a_build_that_fails_is_a_sentence_with_the_last_line_of_its_log(tmp_path: Path) -> None:
    sentence = tree.build(tmp_path, "echo first; echo no compiler >&2; exit 3", tmp_path / "log")

    assert sentence == "`echo first; echo no compiler >&2; exit 3` ended with code 3: no compiler"


def test_a_build_that_does_not_end_is_ended_with_all_it_has_started(tmp_path: Path) -> None:
    sentence = tree.build(tmp_path, "sleep 300 & echo $! > pid; sleep 300", tmp_path / "log", limit_s=1)

    assert sentence == "`sleep 300 & echo $! > pid; sleep 300` did not end within 1 s"
    assert ended_soon(int((tmp_path / "pid").read_text()))


def test_a_build_that_writes_without_end_is_ended(tmp_path: Path) -> None:
    sentence = tree.build(tmp_path, "yes", tmp_path / "log", log_limit_bytes=4 << 20)

    assert sentence == "`yes` wrote more than 4 MiB to its output, and was ended"


def test_a_build_that_puts_a_pipe_in_the_place_of_its_log_is_not_waited_for(tmp_path: Path) -> None:
    sentence = tree.build(tmp_path, "echo last words; rm log; mkfifo log; exit 3", tmp_path / "log")

    assert sentence.endswith("ended with code 3: last words")


def ended_soon(pid: int) -> bool:
    """Gone, or a zombie that nobody has waited for."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_a_build_sees_no_token_of_the_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    monkeypatch.setenv("ACTIONS_RUNTIME_TOKEN", "secret")
    monkeypatch.setenv("HF_TOKEN", "secret")
    monkeypatch.setenv("aws_secret_access_key", "secret")
    monkeypatch.setenv("CUDA_HOME", "/opt/cuda")

    tree.build(tmp_path, "env", log := tmp_path / "log")

    assert "secret" not in log.read_text()
    assert "CUDA_HOME=/opt/cuda" in log.read_text()
