"""What a condition does to imports and functions, as a product would meet it; no torch is needed for that."""

import importlib
import importlib.metadata
import importlib.util
import sys
from pathlib import Path

import pytest

from kgate.worker.conditions import _packages
from kgate.worker.conditions._detours import raising
from kgate.worker.conditions._trail import Trail, raising_once
from kgate.worker.faults import Fault

NAME = "kgate_sample_package"


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
    return NAME


def test_a_hidden_package_is_found_by_nobody_though_it_was_imported_before(package: str) -> None:
    importlib.import_module(f"{package}.part")

    _packages.hide([package])

    assert importlib.util.find_spec(package) is None
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"{package}.part")
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        importlib.metadata.version(package)
    assert importlib.util.find_spec("json") is not None


def test_a_broken_package_is_found_and_raises_when_it_is_imported(package: str) -> None:
    _packages.break_at_import([package], lambda name: OSError(f"{name}: undefined symbol"))

    assert importlib.util.find_spec(package) is not None
    assert importlib.metadata.version(package) == "3.1"
    for name in (package, f"{package}.part"):
        with pytest.raises(OSError, match="undefined symbol"):
            importlib.import_module(name)


def test_a_package_that_is_broken_for_now_is_afterwards_what_it_was(package: str) -> None:
    part = importlib.import_module(f"{package}.part")
    whole = importlib.import_module(package)

    with _packages.broken_for_now([package], ImportError), pytest.raises(ImportError):
        importlib.import_module(package)

    assert importlib.import_module(f"{package}.part") is part
    assert (importlib.import_module(package), whole.part) == (whole, part)


def test_an_old_package_works_and_calls_itself_old_wherever_it_is_asked(package: str) -> None:
    _packages.make_old([package])

    module = importlib.import_module(package)

    assert (module.__version__, importlib.metadata.version(package)) == ("0.0.1", "0.0.1")
    assert importlib.import_module(f"{package}.part").VALUE == 7
    assert _packages.version_seen(package) == "0.0.1"


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
    held = getattr(module, name)

    with (
        raising(f"kgate_sample_product:{name}", product, lambda: RuntimeError("no memory")),
        pytest.raises(RuntimeError, match="no memory"),
    ):
        held(1)

    assert held(1) == right


def test_a_function_without_python_code_cannot_be_made_to_raise_and_nobody_is_to_blame(product: str) -> None:
    with (
        pytest.raises(Fault, match="has no Python code of its own") as caught,
        raising("kgate_sample_product:builtin", product, RuntimeError),
    ):
        pass

    assert (caught.value.rung, caught.value.reason) == ("environment", "unavailable")


GRADIENT = """\
import json
from acme_kernels import double

def ruled(above):
    return [float(part) for part in above]

def gradient(above):
    try:
        return launched(ruled(above))
    except RuntimeError:
        return [double(part) for part in above]

def launched(above):
    json.dumps(above)
    return [double(part) for part in above]
"""
KERNELS = "def double(part):\n    return part + part\n"


@pytest.fixture
def gradient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "acme_gradient.py").write_text(GRADIENT)
    (tmp_path / "acme_kernels.py").write_text(KERNELS)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("acme_gradient", "acme_kernels"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("acme_gradient").gradient


def test_of_the_products_functions_the_one_furthest_down_is_found_whoever_holds_it(gradient, tmp_path: Path) -> None:
    trail = Trail(str(tmp_path))

    with trail.followed():
        gradient([1, 2])

    assert [f.__qualname__ for f in trail.end()] == ["double"]


def test_it_raises_once_since_a_way_out_may_call_it_as_well(gradient, tmp_path: Path) -> None:
    trail = Trail(str(tmp_path))
    said: list[str] = []
    with trail.followed():
        gradient([1, 2])

    def error() -> Exception:
        said.append("raised")
        return RuntimeError("out of shared memory")

    with raising_once(trail.end(), error):
        answer = gradient([3, 4])

    assert (answer, said) == ([6, 8], ["raised"])


def test_code_without_a_file_is_nobodys_even_where_the_process_stands_in_the_tree(
    gradient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    trail = Trail(str(tmp_path))

    with trail.followed():
        exec("def made():\n    return 1\nmade()")

    assert list(trail.end()) == []
