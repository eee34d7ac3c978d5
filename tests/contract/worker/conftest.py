"""The worker as the gate starts it: a zip file, by path, under an interpreter with torch."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kgate.protocol import CaseJob, Facts, Failed, Fill, Job, Output, TensorArg, decode, encode_job
from kgate.runner.bundle import packed

SAMPLES = Path(__file__).parent / "samples"


@dataclass(frozen=True, kw_only=True)
class Ended:
    """One worker process, after its end."""

    folder: Path
    code: int
    replies: Sequence[Any]

    def of(self, case: str) -> list[Any]:
        return [r for r in self.replies if getattr(r, "case", None) == case]

    def failed(self, case: str) -> Failed:
        (found,) = [r for r in self.of(case) if isinstance(r, Failed)]
        return found

    def facts(self, case: str) -> Mapping[str, Any]:
        (found,) = [r for r in self.of(case) if isinstance(r, Facts)]
        return found.facts

    def outputs(self, case: str) -> list[tuple[Output, bytes]]:
        found = [r for r in self.of(case) if isinstance(r, Output)]
        return [(output, (self.folder / "out" / output.file).read_bytes()) for output in found]

    @property
    def log(self) -> str:
        return (self.folder / "log.txt").read_text()


@pytest.fixture(scope="session")
def interpreter() -> str:
    """The user's interpreter; its own process, so that importing torch here is never needed."""
    python = os.environ.get("KGATE_TEST_WORKER_PYTHON", sys.executable)
    asked = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
    if subprocess.run([python, "-c", asked], check=False).returncode:
        pytest.skip("not run: no interpreter with torch")
    return python


@pytest.fixture(scope="session")
def cuda(interpreter: str) -> str:
    """The first CUDA device."""
    asked = "import sys, torch; sys.exit(not torch.cuda.is_available())"
    if subprocess.run([interpreter, "-c", asked], check=False).returncode:
        pytest.skip("not run: no CUDA device")
    return "cuda:0"


@pytest.fixture(scope="session", params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def device(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue("cuda")) if request.param == "cuda" else "cpu"


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed(tmp_path_factory.mktemp("archive"))


@dataclass(frozen=True, kw_only=True)
class Bench:
    """Writes jobs and runs them."""

    python: Sequence[str]
    archive: Path
    new_folder: Callable[[], Path]
    tree: Path = SAMPLES
    env: Mapping[str, str] = field(default_factory=dict)

    def written(self, job: Job) -> Path:
        folder = self.new_folder()
        (folder / "job.json").write_bytes(encode_job(job))
        (folder / "tables").mkdir()
        return folder

    def command(self, *words: str) -> list[str]:
        return [*self.python, os.fspath(self.archive), *words]

    def run(self, folder: Path) -> Ended:
        done = subprocess.run(
            self.command("run", os.fspath(folder)),
            check=False,
            timeout=300,
            start_new_session=True,
            env={**os.environ, **self.env},
        )
        return self.ended(folder, done.returncode)

    def ended(self, folder: Path, code: int) -> Ended:
        lines = (folder / "replies.jsonl").read_bytes().splitlines()
        return Ended(folder=folder, code=code, replies=[decode(line) for line in lines])


@pytest.fixture(scope="session")
def bench(interpreter: str, archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(
        python=[interpreter], archive=archive, new_folder=lambda: tmp_path_factory.mktemp("control", numbered=True)
    )


@pytest.fixture(scope="session")
def case_job() -> Callable[..., CaseJob]:
    """A case named after its entry, unless said otherwise; its arguments two constant vectors x = 2 and y = 3."""

    def made(entry: str, **changes: Any) -> CaseJob:
        values: dict[str, Any] = {
            "case": entry,
            "dsl": "torch",
            "entry": entry,
            "args": {"x": constant(2.0), "y": constant(3.0)},
            "keywords": False,
            "symbols": {"N": 4},
        }
        return CaseJob(**{**values, **changes})

    return made


def constant(value: float, dtype: str = "float32") -> TensorArg:
    return TensorArg(shape=(4,), dtype=dtype, fill=Fill(kind="constant", a=value), stream=1)
