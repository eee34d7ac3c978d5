"""What a condition does to imports and functions, as a product would meet it; no torch is needed for that."""

import contextlib
import importlib
import importlib.metadata
import importlib.util
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kgate.protocol import CaseJob, Job
from kgate.worker.conditions import _packages, compiler_missing, switch_off_later
from kgate.worker.conditions._detours import raising
from kgate.worker.faults import Fault

NAME = "kgate_sample_package"
NOWHERE = "/a/tree/of/nobody"
CASE = CaseJob(case="a", dsl="torch", entry="m:f", args={}, keywords=False, symbols={})
JOB = Job(mode="drill", arm="dispatch", tree=NOWHERE, device="cpu", cases=(CASE,))


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Installed, with a submodule and a distribution of version 3.1; what is done to imports is taken back."""
    home = tmp_path / NAME
    home.mkdir()
    (home / "__init__.py").write_text('__version__ = "3.1"\n')
    (home / "part.py").write_text("VALUE = 7\n")
    told = tmp_path / f"{NAME}-3.1.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME.replace('_', '-')}\nVersion: 3.1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setattr(importlib.metadata.Distribution, "version", importlib.metadata.Distribution.version)
    for name in (NAME, f"{NAME}.part"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(_packages, "LOOKED_FOR", [])
    monkeypatch.setattr(_packages, "IMPORTED", [])
    return NAME


def test_a_hidden_package_is_found_by_nobody_though_it_was_imported_before(package: str) -> None:
    importlib.import_module(f"{package}.part")

    _packages.hide([package], NOWHERE)

    assert importlib.util.find_spec(package) is None
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"{package}.part")
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        importlib.metadata.version(package)
    assert importlib.util.find_spec("json") is not None


def test_a_broken_package_is_found_and_raises_when_it_is_imported(package: str) -> None:
    _packages.break_at_import([package], lambda name: OSError(f"{name}: undefined symbol"), NOWHERE)

    assert importlib.util.find_spec(package) is not None
    assert importlib.metadata.version(package) == "3.1"
    for name in (package, f"{package}.part"):
        with pytest.raises(OSError, match="undefined symbol"):
            importlib.import_module(name)


def test_a_package_that_is_broken_for_now_is_afterwards_what_it_was(package: str) -> None:
    part = importlib.import_module(f"{package}.part")
    whole = importlib.import_module(package)

    with _packages.broken_for_now([package], ImportError, NOWHERE), pytest.raises(ImportError):
        importlib.import_module(package)

    assert importlib.import_module(f"{package}.part") is part
    assert (importlib.import_module(package), whole.part) == (whole, part)


def test_an_old_package_works_and_calls_itself_old_wherever_it_is_asked(package: str) -> None:
    _packages.make_old([package], NOWHERE)

    module = importlib.import_module(package)

    assert (module.__version__, importlib.metadata.version(package)) == ("0.0.1", "0.0.1")
    assert importlib.import_module(f"{package}.part").VALUE == 7
    assert _packages.version_seen(package) == "0.0.1"


@pytest.mark.parametrize("name", ["kgate_no_such_package", "kgate_no_such_parent.package"])
def test_a_package_that_is_not_installed_is_broken_by_its_name_and_nothing_of_it_stays(package: str, name: str) -> None:
    with _packages.broken_for_now([name], lambda name: OSError(f"{name}: undefined symbol"), NOWHERE):
        if "." not in name:
            assert importlib.util.find_spec(name) is not None
        with pytest.raises(OSError, match=f"{name}: undefined symbol"):
            importlib.import_module(name)

    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(name)
    assert not [module for module in sys.modules if module.startswith("kgate_no_such")]


ASKING = {
    "import": "def ask():\n    import {name}\n",
    "find_spec": "def ask():\n    import importlib.util\n    importlib.util.find_spec('{name}')\n",
    "version": "def ask():\n    import importlib.metadata\n    importlib.metadata.version('{name}')\n",
    "nothing": "def ask():\n    pass\n",
}


@pytest.fixture
def asking(package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Whatever it raises is the product's business."""

    def ask(how: str) -> None:
        (tmp_path / "kgate_sample_asker.py").write_text(ASKING[how].format(name=package))
        monkeypatch.delitem(sys.modules, "kgate_sample_asker", raising=False)
        importlib.invalidate_caches()
        with contextlib.suppress(Exception):
            importlib.import_module("kgate_sample_asker").ask()

    return ask


@pytest.mark.parametrize(
    ("how", "seen"), [("import", True), ("find_spec", True), ("version", True), ("nothing", False)]
)
def test_whether_the_product_looks_for_a_hidden_package_is_seen_however_it_looks(
    asking: Callable[[str], None], package: str, tmp_path: Path, how: str, seen: bool
) -> None:
    _packages.hide([package], str(tmp_path))

    asking(how)

    assert bool(_packages.LOOKED_FOR) is seen


def test_a_dispatcher_that_a_manifest_names_asks_for_the_product(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "site-packages" / "kgate_dispatch"
    home.mkdir(parents=True)
    (home / "needs.py").write_text(ASKING["find_spec"].format(name=package))
    monkeypatch.syspath_prepend(str(home))
    monkeypatch.delitem(sys.modules, "needs", raising=False)
    _packages.hide([package], NOWHERE)

    importlib.import_module("needs").ask()

    asked = _packages.LOOKED_FOR
    assert asked == [package]


def test_who_is_not_of_the_product_looks_for_nothing(package: str, tmp_path: Path) -> None:
    _packages.hide([package], str(tmp_path))

    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(package)

    assert _packages.LOOKED_FOR == []


@pytest.mark.parametrize(("how", "seen"), [("import", True), ("find_spec", False), ("nothing", False)])
def test_a_broken_package_is_met_by_importing_it_and_not_by_finding_it(
    asking: Callable[[str], None], package: str, tmp_path: Path, how: str, seen: bool
) -> None:
    _packages.break_at_import([package], ImportError, str(tmp_path))

    asking(how)

    assert bool(_packages.IMPORTED) is seen


def test_what_is_not_installed_can_neither_be_old_nor_be_there_and_one_of_several_is_enough(
    package: str, tmp_path: Path
) -> None:
    def job(*packages: str) -> Job:
        return replace(JOB, tree=str(tmp_path), cases=(replace(CASE, packages=packages),))

    _packages.require(job(package))
    _packages.require(job("kgate_no_such_package", f"{package}.part"))
    with pytest.raises(Fault, match="kgate_no_such_package is not installed here") as caught:
        _packages.require(job("kgate_no_such_package"))

    assert caught.value.reason == "unavailable"


def test_where_no_compiler_is_installed_none_is_found_and_nothing_is_made_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("PATH", *compiler_missing.POINTING):
        monkeypatch.setenv(name, "/usr/bin")

    compiler_missing.install(JOB)

    assert [shutil.which(name) for name in ("gcc", "nvcc", "sh")] == [None] * 3
    assert not Path(os.environ["PATH"]).exists()
    assert not set(compiler_missing.POINTING) & os.environ.keys()


class Switched:
    """A product that reads its switch at every call, as `conditions.Play` calls it."""

    def __init__(self) -> None:
        self.job = replace(JOB, cases=(replace(CASE, off=("KGATE_SAMPLE_SWITCH", "off")),))
        self.custom = "m:f"
        self.failed: list[str] = []
        self.not_met = self.not_noticed = ""
        self.seen: list[tuple[str, str]] = []

    def call(self, when: str = "", around: object = None) -> int:
        self.seen.append((when, os.environ["KGATE_SAMPLE_SWITCH"]))
        return int(os.environ["KGATE_SAMPLE_SWITCH"] == "on")

    def other(self) -> None:
        return None


@pytest.mark.parametrize(("begins", "missed"), [("on", ""), ("off", "m:f was not called while the switch was on")])
def test_a_switch_is_on_again_for_the_next_case_of_the_process(
    monkeypatch: pytest.MonkeyPatch, begins: str, missed: str
) -> None:
    monkeypatch.setenv("KGATE_SAMPLE_SWITCH", begins)
    plays = [Switched(), Switched()]

    for play in plays:
        switch_off_later.play(play)

    assert [play.seen for play in plays] == [[("before", begins), ("", "off")]] * 2
    assert [play.not_met for play in plays] == [missed] * 2


@pytest.fixture
def product(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "kgate_sample_product.py").write_text(
        "from functools import partial\n\n\ndef plain(x, *, extra=1):\n    return x + extra\n\n\n"
        "def made():\n    one = 1\n    return lambda x: x + one\n\n\nclosure = made()\nheld = plain\n"
        "builtin = len\nbound = partial(plain, extra=5)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "kgate_sample_product", raising=False)
    return str(tmp_path)


@pytest.mark.parametrize(("name", "right"), [("plain", 2), ("closure", 2), ("bound", 6)])
def test_a_function_that_is_made_to_raise_does_so_for_whoever_holds_it_and_no_longer(
    product: str, name: str, right: int
) -> None:
    module = importlib.import_module("kgate_sample_product")
    held, entry = getattr(module, name), f"kgate_sample_product:{name}"

    with raising(entry, product, lambda: RuntimeError("no memory")) as raised:
        before = list(raised)
        with pytest.raises(RuntimeError, match="no memory"):
            held(1)

    assert (before, raised) == ([], [entry])
    assert held(1) == right


def test_a_function_without_python_code_cannot_be_made_to_raise_and_nobody_is_to_blame(product: str) -> None:
    with (
        pytest.raises(Fault, match="has no Python code of its own") as caught,
        raising("kgate_sample_product:builtin", product, RuntimeError),
    ):
        pass

    assert (caught.value.rung, caught.value.reason) == ("environment", "unavailable")
