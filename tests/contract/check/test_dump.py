"""`kgate check --dump DIR` with a real compiler."""

import json
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.real

ONE = ("--kernel", "vector_add", "--workload", "cpu_one", "--launches", "1")
HEADERS = "import tilelang.env; print(tilelang.env.TILELANG_TEMPLATE_PATH)"


@pytest.mark.nightly
def test_what_head_and_base_compiled_is_source_that_compiles_also_where_an_earlier_run_kept_none(
    staged, tmp_path: Path
) -> None:
    shop = staged("quickstart")
    before = shop.kgate("check", *ONE)

    ended = shop.kgate("check", *ONE, "--dump", str(tmp_path / "dumped"))

    assert ended.code == before.code == 0, ended.out + ended.err
    assert "not dumped" not in ended.out
    assert [c["latency"] for c in ended.report["cases"]] == [c["latency"] for c in before.report["cases"]]
    arms = {arm["arm"]: arm["outcome"] for arm in ended.report["cases"][0]["arms"]}
    assert [k["kernel"] for k in arms["head"]["compiled"]] == ["vector_add_cpu_kernel"]
    assert arms["fallback"]["compiled"] == []
    headers = subprocess.run([shop.python, "-c", HEADERS], check=True, capture_output=True, text=True).stdout.split()
    for arm in ("head", "base"):
        folder = tmp_path / "dumped/vector_add/cpu_one" / arm
        (told,) = json.loads((folder / "kernels.json").read_text())
        assert (told["dsl"], told["arch"]) == ("tilelang", "cpu")
        assert told["compile_ns"] > 0
        source = folder / told["files"]["source"]
        assert f"int32_t {told['kernel']}(" in source.read_text()
        subprocess.run(["gcc", "-std=c++17", "-c", "-o", tmp_path / "o", "-I", headers[-1], source], check=True)


@pytest.mark.nightly
def test_folders_within_the_repository_do_not_make_the_next_run_another(shop) -> None:
    asked = ("check", "--launches", "1", "--results", "out", "--dump", "made")
    before = shop.kgate(*asked)

    again = shop.kgate(*asked)

    assert (shop.root / "out" / "report.json").is_file()
    assert (before.code, again.code) == (0, 0), again.out + again.err
    assert shop.git("status", "--porcelain") == ""
    assert (again.report["head"], again.report["base"]) == (before.report["head"], before.report["base"])
    assert again.report["resumed"] > 0


@pytest.mark.nightly
def test_a_folder_of_the_users_own_keeps_what_it_has(shop, tmp_path: Path) -> None:
    for name in (".writable", "notes"):
        shop.write({f"mine/{name}": "keep me"})

    shop.kgate("check", "--launches", "1", "--results", "mine")

    assert {path.name for path in (shop.root / "mine").iterdir()} == {
        *(".writable", "notes"),
        *("report.json", "report.txt", "comment.md"),
    }
    assert (shop.root / "mine" / ".writable").read_text() == "keep me"
