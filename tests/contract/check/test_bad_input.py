"""What is wrong before any kernel runs: one sentence that names it, and the exit code of whose fault it is."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.contract.check.shop import GOOD, Ended, Shop

pytestmark = pytest.mark.real


def refused(ended: Ended, code: int) -> str:
    """The one sentence on standard error, once code and form are seen to be right."""
    assert ended.code == code, (ended.code, ended.out, ended.err)
    assert ended.out == ""
    (line,) = ended.err.splitlines()
    assert line.startswith(("kgate: ", "Error: "))
    return line


def ledger_of(shop: Shop) -> Path:
    (found,) = (shop.root / ".kgate").glob("*.jsonl")
    return found


def test_a_missing_manifest_is_told_with_its_path(shop: Shop) -> None:
    (shop.folder / "kgate.yaml").unlink()

    assert refused(shop.check(), 2) == "kgate: kgate.yaml: no such file; write one, or name another with --manifest"


@pytest.mark.parametrize("name", ["✅.yaml", os.fsdecode(b"\xff.yaml")], ids=["sign", "bytes"])
def test_a_name_that_the_terminal_cannot_show_is_told_as_far_as_it_can(shop: Shop, name: str) -> None:
    sentence = refused(shop.check("--manifest", name, env={"PYTHONIOENCODING": "latin-1"}), 2)

    assert sentence.startswith("kgate: ?.yaml: no such file; ")


def test_a_reader_that_goes_away_does_not_blame_the_change(shop: Shop) -> None:
    process = shop.started("explain")
    assert process.stdout is not None
    process.stdout.close()

    _, err = process.communicate(timeout=30)

    assert (process.returncode, err) == (3, "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("version: 1\nkernels: {a: [\n", "kgate.yaml:"),
        ("version: 1\nkernel: {}\nkernels: {}\n", "did you mean 'kernels'"),
        ("version: 7\nkernels: {}\n", "version 1, not 7"),
        ("", "kgate.yaml"),
        ("\x00\x01", "kgate.yaml"),
    ],
    ids=["invalid YAML", "schema", "newer", "empty", "binary"],
)
def test_a_manifest_that_is_none_is_refused_with_its_file(shop: Shop, text: str, words: str) -> None:
    shop.write({"kgate.yaml": text})

    assert words in refused(shop.check(), 2)


@pytest.mark.parametrize("device", ["foo", "cuda:x", "cpu:1", "cuda:-1", "", "CPU"])
def test_a_device_that_kgate_does_not_know_is_refused_by_name(shop: Shop, device: str) -> None:
    sentence = refused(shop.check("--device", device), 2)

    assert "no such device; one of auto, cpu, cuda, cuda:N" in sentence


@pytest.mark.skipif(Path("/dev/nvidiactl").exists(), reason="not run: there is a GPU here")
@pytest.mark.parametrize("device", ["cuda", "cuda:3"])
def test_a_gpu_that_is_not_here_is_no_fault_of_the_change(shop: Shop, device: str) -> None:
    assert f"--device {device}: " in refused(shop.check("--device", device), 3)


@pytest.mark.parametrize(
    ("python", "words"),
    [
        ("/nowhere/python", "/nowhere/python: no such interpreter"),
        ("no-such-python", "no-such-python: no such program on PATH"),
        ("/bin/false", "ended the process with exit code 1"),
        ("/etc/hostname", "cannot be started"),
        (sys.executable, "torch cannot be used there"),
    ],
)
def test_an_interpreter_that_cannot_run_kernels_is_named(shop: Shop, python: str, words: str) -> None:
    if python == sys.executable == shop.python:
        pytest.skip("not run: this interpreter has torch")

    sentence = refused(shop.check("--python", python), 3)

    assert words in sentence
    assert "--python" in sentence


@pytest.mark.parametrize(
    ("text", "words"),
    [("{", "not JSON"), ('{"version": 99}', "newer kgate"), ('{"version": 1}', "record it again")],
    ids=["corrupt", "newer", "not whole"],
)
def test_a_stored_baseline_that_cannot_be_read_is_said_before_anything_runs(shop: Shop, text: str, words: str) -> None:
    shop.write({"baselines/cpu.json": text})
    shop.commit("A baseline")

    sentence = refused(shop.check(), 2)

    assert "baselines/cpu.json" in sentence
    assert words in sentence
    assert list((shop.root / ".kgate").glob("*.jsonl")) == []


@pytest.mark.nightly
def test_a_corrupt_baseline_of_bases_stops_no_change(shop: Shop) -> None:
    shop.write({"baselines/cpu.json": "{"})
    shop.commit("A corrupt baseline")
    (shop.folder / "baselines/cpu.json").unlink()
    shop.commit("Away with it")

    ended = shop.check()

    assert ended.code == 0, ended.err
    assert any("base's cpu.json, which cannot be read: not JSON" in remark for remark in ended.report["remarks"])


@pytest.mark.parametrize("option", [("--results", "taken"), ("--results", "taken/inside")])
def test_a_results_folder_that_cannot_be_written_is_said_before_anything_runs(shop: Shop, option) -> None:
    shop.write({"taken": "a file"})

    sentence = refused(shop.check(*option), 3)

    assert "--results taken" in sentence
    assert not (shop.root / ".kgate").exists()


def test_a_file_in_the_place_of_the_state_folder_is_named(shop: Shop) -> None:
    shop.write({".kgate": "a file"})

    assert str(shop.root / ".kgate") in refused(shop.check(), 3)


def test_a_folder_without_git_is_told_what_to_type(shop: Shop, tmp_path: Path) -> None:
    bare = Shop(root=tmp_path / "bare", python=shop.python)
    bare.stock({"good": GOOD})

    assert "not a git repository; run `git init`" in refused(bare.check(), 3)


def test_a_shallow_clone_without_the_base_is_told_what_to_type(shop: Shop, tmp_path: Path) -> None:
    base = shop.git("rev-parse", "HEAD")
    shop.commit("A change")
    shop.git("clone", "--quiet", "--depth=1", f"file://{shop.root}", os.fspath(tmp_path / "shallow"))
    shallow = Shop(root=tmp_path / "shallow", python=shop.python)

    for arguments in ((), ("--base", base), ("--base", "main~1")):
        sentence = refused(shallow.check(*arguments), 2)
        assert "`git fetch --unshallow`" in sentence


@pytest.mark.parametrize("ref", ["no-such-branch", "--upload-pack=x", "0" * 40])
def test_a_base_that_is_not_here_is_named(shop: Shop, ref: str) -> None:
    assert ref in refused(shop.check(f"--base={ref}"), 2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--kernel", "goood"), "--kernel 'goood': nothing in the manifest matches; did you mean 'good'?"),
        (("--workload", "smal"), "--workload 'smal': nothing in the manifest matches; did you mean 'small'?"),
    ],
)
def test_a_pattern_that_matches_nothing_is_answered_with_the_nearest_name(shop: Shop, arguments, words: str) -> None:
    assert words in refused(shop.check(*arguments), 2)


def test_a_build_that_fails_in_the_work_tree_stops_the_run_with_its_last_line(shop: Shop) -> None:
    shop.stock({"good": GOOD}, top="build: echo no compiler here; exit 7\n")

    sentence = refused(shop.check(), 3)

    assert "ended with code 7: no compiler here" in sentence
    assert "build-head.log" in sentence


@pytest.mark.parametrize("what", ["--list", "--dry-run"])
def test_looking_starts_nothing_and_leaves_nothing(shop: Shop, what: str) -> None:
    ended = shop.kgate("check", what, env={"KGATE_PYTHON": "/nowhere/python"})

    assert ended.code == 0
    assert "small" in ended.out
    assert not (shop.root / ".kgate").exists()


def test_unknown_options_and_values_are_the_command_lines_fault(shop: Shop) -> None:
    for arguments in (("chek",), ("check", "--lunches", "2"), ("check", "--launches", "0"), ("check", "--format", "x")):
        ended = shop.kgate(*arguments)
        assert ended.code == 2
        assert "Traceback" not in ended.err


@pytest.mark.nightly
def test_every_line_of_the_stream_is_an_event_and_a_spoilt_ledger_is_named_afterwards(shop: Shop) -> None:
    ended = shop.check("--stream", "--base", "none")

    events = [json.loads(line) for line in ended.out.splitlines()]

    assert ended.code == 0, ended.err
    assert ended.err == ""
    assert events[-1]["event"] == "run-ended"

    ledger = ledger_of(shop)
    ledger.write_text("not a ledger\n" + ledger.read_text())

    sentence = refused(shop.check("--base", "none"), 3)

    assert f"{ledger.name}:1: is no line of a ledger; delete the file" in sentence
