"""What a kernel is made of where workers have told it, and where an extension was built."""

from pathlib import Path

from kgate.load.materials import Materials
from kgate.model import Manifest
from tests.unit.builders import kernel

FILES = {
    "libs/norm/acme/norm.py": "",
    "libs/norm/csrc/norm.cu": "",
    "libs/norm/setup.py": "",
    "vendored": "",  # a submodule, as git lists one
    "other.cu": "",
}


def materials(build: str) -> Materials:
    manifest = Manifest(
        path=Path("/r/libs/norm/kgate.yaml"),
        folder=Path("/r/libs/norm"),
        root=Path("/r"),
        python="",
        build=build,
        env=(),
        baselines="",
        policy={},
        gpus={},
        kernels=(),
        digest="",
    )
    return Materials(manifest, FILES, lambda name: FILES[name].encode())


def test_a_library_that_the_build_made_stands_for_all_that_it_may_be_made_of() -> None:
    found = materials("make").recorded(["acme/norm.py", "acme/_C.so"])

    assert found == (
        {"libs/norm/acme/norm.py", "libs/norm/csrc/norm.cu", "libs/norm/setup.py"},
        (),
    )


def test_what_neither_git_nor_a_build_explains_is_told() -> None:
    found = materials("").recorded(["acme/norm.py", "acme/_C.so", "acme/table.json"])

    assert found == ({"libs/norm/acme/norm.py"}, ("libs/norm/acme/_C.so", "libs/norm/acme/table.json"))


def test_a_cuda_kernel_of_a_repository_that_is_built_rests_on_its_sources_before_any_run() -> None:
    declared = kernel("norm", dsl="cuda")

    assert materials("make").static(declared) >= {"libs/norm/csrc/norm.cu", "libs/norm/setup.py"}
    assert "libs/norm/csrc/norm.cu" not in materials("").static(declared)
