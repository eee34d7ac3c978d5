"""Which files a case is said to rest on, and which of them are the tree's own."""

from pathlib import Path

import pytest

from kgate.protocol import Job, Watch

pytestmark = pytest.mark.real

PACKAGE = {
    "acme/__init__.py": "from acme.gelu import gelu\nfrom acme.softmax import softmax\n",
    "acme/paths.py": "ROOT = 1\n",
    "acme/tables.py": "TABLE = 2\n",
    "acme/gelu.py": "from .paths import ROOT\nfrom acme import tables\ndef gelu(x, y):\n    return x + y\n",
    "acme/softmax.py": "from acme.paths import ROOT\ndef softmax(x, y):\n    return x - y\n",
    "acme/lazy.py": "import importlib\ndef lazy(x, y):\n    importlib.import_module('acme.plugin')\n    return x\n",
    "acme/plugin.py": "import acme.tables\n",
}
GELU = {"acme/__init__.py", "acme/gelu.py", "acme/paths.py", "acme/tables.py"}
SOFTMAX = {"acme/__init__.py", "acme/softmax.py", "acme/paths.py"}
LAZY = {"acme/__init__.py", "acme/lazy.py", "acme/plugin.py", "acme/tables.py"}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in PACKAGE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("order", [1, -1], ids=["forwards", "backwards"])
def test_a_case_rests_on_its_own_files_whatever_ran_before_it(bench, case_job, tree, order):
    entries = ("acme.gelu:gelu", "acme.softmax:softmax", "acme:gelu", "acme.lazy:lazy")[::order]
    again = case_job("acme.lazy:lazy", case="again")
    job = Job(mode="outputs", arm="head", tree=str(tree), device="cpu", cases=(*map(case_job, entries), again))

    ended = bench.run(bench.written(job))

    rested = {case: set(ended.facts(case)["loaded-files"]) for case in (*entries, "again")}
    assert rested == {
        "acme.gelu:gelu": GELU,
        "acme:gelu": GELU,
        "acme.softmax:softmax": SOFTMAX,
        "acme.lazy:lazy": LAZY,
        "again": LAZY,
    }


def test_a_case_rests_on_the_functions_that_it_watches_as_well(bench, case_job, tree):
    watch = Watch(custom="acme.gelu:gelu", fallback="torch:add")
    case = case_job("acme.softmax:softmax", watch=watch)

    ended = bench.run(bench.written(Job(mode="outputs", arm="head", tree=str(tree), device="cpu", cases=(case,))))

    assert set(ended.facts("acme.softmax:softmax")["loaded-files"]) == GELU | SOFTMAX


def test_a_module_of_base_s_tree_is_none_of_head_s_though_it_lies_below_it(bench, case_job, tmp_path):
    base = tmp_path / ".kgate" / "trees" / "abc"
    base.mkdir(parents=True)
    (base / "installed.py").write_text("def f(x, y):\n    return x + y\n")
    (tmp_path / "pointer.py").write_text(f"import sys\nsys.path.insert(0, {str(base)!r})\nimport installed\n")
    cases = (case_job("pointer:f", case="points"), case_job("installed:f"))

    head = bench.run(bench.written(Job(mode="outputs", arm="head", tree=str(tmp_path), device="cpu", cases=cases)))
    own = bench.run(bench.written(Job(mode="outputs", arm="base", tree=str(base), device="cpu", cases=cases[1:])))

    assert head.failed("installed:f").reason == "outside-tree"
    assert set(own.facts("installed:f")["loaded-files"]) == {"installed.py"}


def test_odd_modules_and_objects_do_not_stop_the_looking(bench, case_job, tmp_path):
    (tmp_path / "proxy.py").write_text(
        "class Proxy:\n"
        "    def __getattr__(self, name):\n        raise RuntimeError(name)\n"
        "    __module__ = property(lambda self: 1 / 0)\n"
        "    def __call__(self, x, y):\n        return x + y\n"
        "proxy = Proxy()\n"
    )
    (tmp_path / "odd.py").write_text(
        "import os, sys, types\nfrom proxy import proxy\n"
        "sys.modules['absent'] = None\n"
        "ghost = types.ModuleType('ghost')\n"
        "ghost.__file__ = os.path.join(os.path.dirname(__file__), 'ghost.py')\n"
        "sys.modules['ghost'] = ghost\n"
        "def f(x, y):\n    os.unlink(__file__)\n    return proxy(x, y)\n"
    )
    job = Job(mode="outputs", arm="head", tree=str(tmp_path), device="cpu", cases=(case_job("odd:f"),))

    ended = bench.run(bench.written(job))

    assert ended.outputs("odd:f")
    assert set(ended.facts("odd:f")["loaded-files"]) == {"proxy.py"}
