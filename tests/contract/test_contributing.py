"""CONTRIBUTING names commits to imitate: they are in the history, and brought the file that stands beside them."""

import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.real

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROWS = re.findall(r"\| `(kgate/\S+\.py)` in ([0-9a-f]{7,40}) \|$", TEXT, re.MULTILINE)
SUBJECTS = dict(re.findall(r"^- ([0-9a-f]{7,40}) (.+)$", TEXT, re.MULTILINE))


def git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def test_each_row_names_a_file_and_a_commit_with_its_subject():
    assert len(ROWS) == 6
    assert {commit for _, commit in ROWS} == set(SUBJECTS)
    assert all((ROOT / path).is_file() for path, _ in ROWS)


@pytest.mark.parametrize(("path", "commit"), ROWS)
def test_a_commit_to_imitate_brought_its_file(path, commit):
    if git("rev-parse", "--is-shallow-repository") != "false":
        pytest.skip("not run: needs the history, and this is a shallow clone or no repository")

    subject, brought = git("show", "-s", "--format=%s", commit), git("show", "--name-status", "--format=", commit)

    assert subject == SUBJECTS[commit]
    assert f"A\t{path}" in brought.splitlines()
