"""A sample of the zoo; `make zoo` and the night run all of it."""

import os
import re
import subprocess
import sys

import pytest

from kgate.model.declared import RULE_NAMES
from tests.contract.check.shop import ROOT
from tests.zoo.repository import Place
from tests.zoo.run import scored
from tests.zoo.scorecard import ALARM, MISSED, Row, unexpected
from tests.zoo.specimen import FOLDERS, HERE, TOGETHER, specimens

STRIDE = 20


@pytest.fixture(scope="module")
def python() -> str:
    python = os.environ.get("KGATE_TEST_WORKER_PYTHON", sys.executable)
    asked = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
    if subprocess.run([python, "-c", asked], check=False).returncode:
        pytest.skip("not run: no interpreter with torch; set KGATE_TEST_WORKER_PYTHON to one")
    return python


@pytest.fixture(scope="module")
def sample(python: str, tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    together = [s for s in specimens() if s.batch == TOGETHER and not s.needs_gpu and not s.waits_for]
    return scored(together[::STRIDE], Place(folder=tmp_path_factory.mktemp("zoo"), python=python))


@pytest.mark.real
def test_what_is_wrong_is_caught(sample: list[Row]) -> None:
    missed = [row.specimen.name for row in unexpected(sample) if row.result == MISSED]

    assert missed == []


@pytest.mark.real
def test_honest_kernels_are_left_alone(sample: list[Row]) -> None:
    alarms = [(row.specimen.name, row.text) for row in unexpected(sample) if row.result == ALARM]

    assert alarms == []


def test_every_file_of_the_zoo_is_a_specimen() -> None:
    files = [path.stem for folder in FOLDERS for path in (HERE / folder).glob("*.py")]

    assert sorted(s.name for s in specimens()) == sorted(files)
    assert len(set(files)) == len(files)


def test_every_case_and_pattern_on_record_has_a_specimen() -> None:
    recorded = re.findall(r"^\| ([CP]\d\d) \|", (ROOT / "docs" / "zoo.md").read_text(encoding="utf-8"), re.MULTILINE)

    cited = {word for s in specimens() for word in re.findall(r"\b[CP]\d\d\b", s.said["Source"])}

    assert sorted(cited) == sorted(recorded)


def test_a_specimen_names_a_rule_that_there_is() -> None:
    unknown = {s.name: s.rule for s in specimens() if not s.honest and s.rule not in RULE_NAMES}

    assert unknown == {}
    assert all((s.path.parent.name == "honest") == s.honest for s in specimens())
