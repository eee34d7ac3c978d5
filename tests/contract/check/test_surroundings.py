"""Places and environments that other people have: none of them may change what kgate says."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.contract.check.shop import GOOD, Shop

pytestmark = pytest.mark.real

# Names that the worker, torch or kgate itself import, some of them late. The tree goes first on the worker's sys.path.
SHADOWS = (
    *("torch", "numpy", "json", "types", "typing", "random", "statistics", "decimal", "profile", "secrets", "logging"),
    *("protocol", "wire", "kgate", "sympy", "mpmath", "socket", "hashlib", "concurrent", "multiprocessing"),
)
EXPLODES = "raise SystemExit('a file of the repository was imported in place of a library')\n"


@pytest.mark.nightly
def test_a_tree_with_modules_called_like_libraries_is_measured_all_the_same(shop: Shop) -> None:
    shop.write({f"{name}.py" if i % 2 else f"{name}/__init__.py": EXPLODES for i, name in enumerate(SHADOWS)})
    shop.commit("Names that others have")

    ended = shop.check()

    assert ended.code == 0, ended.out + ended.err
    assert ended.report["verdict"] == "pass"


@pytest.mark.nightly
def test_an_awkward_place_and_a_bare_environment_change_nothing(stocked: Callable[..., Shop], tmp_path: Path) -> None:
    """
    Spaces, quotes and letters beyond ASCII in a path longer than a socket's, reached by a link; the manifest in a
    folder below; a nested repository and an untracked file with an odd name; no HOME, no locale, a PYTHONSTARTUP.
    """
    real = tmp_path / f'a shop\'s "naïve" $HOME;{"long" * 30}'
    shop = stocked(real / "repo", {"good": GOOD}, {"good": GOOD}, inner="kernels & more")
    shop.write({"ünträcked — €.txt": "new", "vendored/file.txt": "x"})
    shop.git("init", "--quiet", os.fspath(shop.folder / "vendored"))
    (tmp_path / "link").symlink_to(real)
    (tmp_path / "startup.py").write_text("raise SystemExit(9)")
    linked = Shop(root=tmp_path / "link" / "repo", python=shop.python, inner=shop.inner)
    bare = {"HOME": None, "LANG": "C", "LC_ALL": "C", "PYTHONSTARTUP": str(tmp_path / "startup.py"), "TMPDIR": None}

    ended = linked.check("--format", "markdown", env=bare)

    assert ended.code == 0, ended.out + ended.err
    assert ended.out.startswith("✅ **kgate: pass.**")
    (last,) = (linked.root / ".kgate").glob("last-kernels-more-*")
    assert sorted(p.name for p in last.iterdir()) == ["comment.md", "report.json", "report.txt"]
    assert not (linked.folder / ".kgate").exists()
    assert ".kgate" not in shop.git("status", "--porcelain")


def test_the_work_tree_is_measured_as_it_is_and_that_is_said(shop: Shop) -> None:
    shop.write({"customs/good.py": "def kernel(x):\n    return x + 2 * x\n"})

    ended = shop.check()

    assert ended.code == 1
    assert ended.rules("good") == ["wrong-result"]
    assert ended.report["head"].endswith("+dirty")
    assert "the work tree has uncommitted changes; they were measured as head" in ended.report["remarks"]


@pytest.mark.nightly
def test_a_base_that_has_no_manifest_or_does_not_build_makes_every_kernel_new(shop: Shop) -> None:
    shop.stock({"good": GOOD}, top="build: test ! -e broken\n")
    shop.write({"broken": ""})
    shop.commit("A build that fails")
    (shop.folder / "broken").unlink()
    shop.commit("A build that works")

    ended = shop.check()

    assert ended.code == 0, ended.err
    assert any("base does not build" in remark for remark in ended.report["remarks"])
    assert not ended.report["base_ran"]
    assert not ended.report["kernels"][0]["in_base"]

    shop.git("rm", "--quiet", "--cached", "kgate.yaml")
    base = shop.git("commit-tree", "-m", "No manifest", shop.git("write-tree"))
    shop.git("add", "--all")

    ended = shop.check("--base", base)

    assert ended.code == 0, ended.err
    assert any("has no usable manifest" in remark for remark in ended.report["remarks"])


@pytest.mark.nightly
def test_a_hundred_workloads_and_a_pythonpath_are_no_trouble(shop: Shop) -> None:
    manifest = (shop.folder / "kgate.yaml").read_text()
    grid = "workloads: {sweep: {grid: {N: [" + ", ".join(map(str, range(1, 101))) + "]}, source: test}}"
    shop.write({"kgate.yaml": manifest.replace("workloads: {small: {N: 64, source: test}}", grid)})
    shop.commit("A sweep")

    ended = shop.check("--base", "none", env={"PYTHONPATH": str(shop.folder)})

    assert ended.code == 0, ended.err
    assert len(ended.report["cases"]) == 100
    assert len(ended.out.splitlines()) < 200
