"""`pytest --kgate` as a user types it, beside tests of the user's own, and what pytest-benchmark makes of it."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.contract.check.shop import GOOD, ROOT, Shop

pytestmark = pytest.mark.real

OWN = "def test_the_users_own():\n    pass\n"
WRONG = "def kernel(x):\n    return x + 1\n"
FIGURES = ("min", "max", "mean", "median", "stddev", "rounds", "iqr", "q1", "q3", "outliers", "ops", "total", "data")
DOCS = (ROOT / "docs" / "pytest.md").read_text()


def ran(shop: Shop, *arguments: str, program: str = "pytest") -> tuple[int, str]:
    """Exit code and output. What is installed here besides must not join in, and the plugins are named instead."""
    env = {
        **os.environ,
        "PYTHONPATH": os.fspath(ROOT),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_ADDOPTS": "-p pytest_benchmark.plugin -p kgate.pytest_plugin",
        "KGATE_PYTHON": shop.python,
        "COLUMNS": "200",
    }
    command = [sys.executable, "-m", program.replace("-", "_"), *arguments]
    done = subprocess.run(command, cwd=shop.folder, env=env, capture_output=True, text=True, timeout=400, check=False)
    return done.returncode, done.stdout + done.stderr


def outcomes(said: str) -> dict[str, int]:
    last = [line for line in said.splitlines() if re.search(r" in \d", line)][-1]
    return {word: int(number) for number, word in re.findall(r"(\d+) ([a-z]+)", last.partition(" in ")[0])}


def benchmarks(path: Path) -> dict[str, Any]:
    return {found["fullname"]: found for found in json.loads(path.read_text())["benchmarks"]}


@pytest.mark.nightly
def test_selected_cases_stand_beside_own_tests_and_pytest_benchmark_has_the_figures_of_kgate(
    stocked: Callable[..., Shop], tmp_path: Path
) -> None:
    kernels = {"good": GOOD, "other": GOOD}
    shop = stocked(tmp_path / "shop", kernels, kernels)
    shop.write({"tests/test_own.py": OWN})
    shop.commit("A test")
    one, two, three = (tmp_path / name for name in ("one.json", "two.json", "three.json"))

    code, said = ran(shop, "--kgate", "kgate.yaml", "--benchmark-json", str(one), "-v", "-k", "good or users")
    again, _ = ran(shop, "--kgate", "kgate.yaml", "--benchmark-json", str(two), "kgate.yaml::good")
    three.write_text(shop.kgate("report", "--format", "pytest-benchmark").out)
    compared, table = ran(shop, "compare", *map(str, (one, two, three)), program="pytest-benchmark")

    assert (code, again, compared) == (0, 0, 0), said + table
    counted = outcomes(said)
    assert (counted["passed"], counted["deselected"]) == (5, 4)
    assert "KgateWarning: fallback-raises: " in said, "what base shows as well warns here as in the report"
    for item in ("tests/test_own.py::test_the_users_own", "kgate.yaml::good::owners"):
        assert f"{item} PASSED" in said
    (told,) = benchmarks(one).values()
    assert told["fullname"] == "kgate.yaml::good::small::latency"
    assert told["options"]["timer"] == "kgate cpu-monotonic"
    report = json.loads((shop.root / ".kgate/last/report.json").read_text())
    assert [kernel["name"] for kernel in report["kernels"]] == ["good"], "no more was measured than was selected"
    assert report["attempts"] == 2
    latency = report["cases"][0]["latency"]
    assert told["stats"]["data"] == [ns * 1e-9 for each in latency["launches"] for ns in each["samples_ns"]["head"]]
    assert told["extra_info"]["median_ns"] == latency["median_ns"]
    for other in (two, three):
        stats = benchmarks(other)[told["fullname"]]["stats"]
        assert {name: stats[name] for name in FIGURES} == {name: told["stats"][name] for name in FIGURES}
    assert table.count("good/small") == 3


@pytest.mark.nightly
def test_what_blocks_fails_what_is_unknown_is_an_error_and_a_selection_measures_no_more_than_itself(
    stocked: Callable[..., Shop], tmp_path: Path
) -> None:
    kernels = dict.fromkeys(("good", "wrong", "other"), GOOD)
    shop = stocked(tmp_path / "shop", kernels, {**kernels, "wrong": WRONG})

    code, said = ran(shop, "--kgate", "kgate.yaml", "-k", "good or wrong")

    assert code == 1
    counted = outcomes(said)
    counted.pop("warnings")
    assert counted == {"failed": 1, "passed": 6, "deselected": 4, "error": 1}, said
    report = json.loads((shop.root / ".kgate/last/report.json").read_text())
    assert [kernel["name"] for kernel in report["kernels"]] == ["good", "wrong"]
    for words in (
        "wrong small correctness",
        "wrong-result  wrong/small",
        "do: ",
        "again: kgate check",
        "--kernel wrong",
    ):
        assert words in said
    assert "not timed: wrong-result: " in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--kgate", "nowhere.yaml"), "--kgate nowhere.yaml: there is no such file"),
        (("--kgate", "kgate.yaml", "-p", "two", "--dist", "load"), "run with `-n 0`, or leave --kgate out here"),
    ],
)
def test_what_cannot_be_is_said_before_anything_runs(shop: Shop, arguments: tuple[str, ...], words: str) -> None:
    shop.write({"two.py": "def pytest_addoption(parser):\n    parser.addoption('--dist', dest='dist', default='no')\n"})

    code, said = ran(shop, *arguments)

    assert code == 4
    assert words in said


@pytest.mark.nightly
def test_every_command_of_the_guide_runs_on_the_quickstart(staged: Callable[[str], Shop]) -> None:
    shop = staged("quickstart")
    shop.write({"tests/test_own.py": OWN})
    shop.commit("A test")
    commands = [shlex.split(line) for line in re.findall(r"^\$ (.+)$", DOCS, re.MULTILINE)]

    assert len(commands) >= 6
    for program, *words in commands:
        if program == "kgate":
            *arguments, arrow, target = words
            ended = shop.kgate(*arguments)
            (shop.folder / target).write_text(ended.out)
            assert (ended.code, arrow) == (0, ">"), ended.err
        else:
            code, said = ran(shop, *words, program=program)
            assert code == 0, said
