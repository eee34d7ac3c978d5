"""Files that no import names and that Python takes all the same."""

import pytest

from kgate.load.past import Blobs
from kgate.planning.intruders import intruders

BASE = Blobs(dict.fromkeys(("kgate.yaml", "setup.py", "acme/__init__.py", "acme/ops.py", "src/tool/run.py"), "1"))


@pytest.mark.parametrize(
    "path",
    [
        "acme/__pycache__/ops.cpython-311.pyc",
        "acme/ops.cpython-311-x86_64-linux-gnu.so",
        "numpy.py",
        "sitecustomize.py",
        "torch/__init__.py",
        "src/triton/language.py",
        "path.pth",
    ],
)
def test_a_new_file_that_may_stand_before_a_module_is_an_intruder(path: str) -> None:
    assert intruders([path], BASE, "") == (path,)


@pytest.mark.parametrize("path", ["acme/norm.py", "acme/sub/x.py", "src/tool/more.py", "setup.py", "docs/a.md"])
def test_what_belongs_to_modules_of_base_or_is_no_source_is_none(path: str) -> None:
    assert intruders([path], BASE, "") == ()


def test_top_level_modules_are_those_beside_the_manifest() -> None:
    base = Blobs({"ops/kgate.yaml": "1", "ops/acme.py": "1"})

    found = intruders(["ops/numpy.py", "ops/acme.py", "bench/numpy.py", "numpy.py"], base, "ops")

    assert found == ("ops/numpy.py",)
