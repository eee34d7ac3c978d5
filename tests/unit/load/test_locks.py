"""Which files fix what is installed."""

import pytest

from kgate.load.locks import locks

FILES = {
    "uv.lock": b"",
    "pylock.gpu.toml": b"",
    "requirements-dev.txt": b"# torch==2.11\ntorch\n",
    "requirements.txt": b"torch==2.11 \\\n    --hash=sha256:00\n",
    "requirements/gpu.txt": b"triton @ file:///triton.whl\n",
    "libs/norm/poetry.lock": b"",
    "libs/other/uv.lock": b"",
    "docs/requirements.txt": b"sphinx==8\n",
    "src/lock.py": b"",
}


@pytest.mark.parametrize(
    ("folder", "below"), [(".", []), ("libs/norm", ["libs/norm/poetry.lock"]), ("libs/other", ["libs/other/uv.lock"])]
)
def test_lock_files_of_the_manifests_folder_and_above_it_count(folder: str, below: list[str]) -> None:
    found = list(locks(FILES, folder, lambda name: FILES[name]))

    assert found == sorted([*below, "pylock.gpu.toml", "requirements.txt", "requirements/gpu.txt", "uv.lock"])


def test_a_requirements_file_that_is_gone_counts_since_nobody_knows_what_it_pinned() -> None:
    def read(name: str) -> bytes:
        raise FileNotFoundError(name)

    assert list(locks({"requirements.txt"}, ".", read)) == ["requirements.txt"]
