"""A workplace whose workers are the fakes beside this file; every test ends with no process of theirs left."""

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from kgate.model import Arm, Event, Tree
from kgate.protocol import CaseJob
from kgate.runner.limits import Limits
from kgate.runner.place import Workplace
from kgate.runner.process import Child, Start, fresh, members

FAKES = Path(__file__).parent / "fakes"


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    trees = {tree: tmp_path / tree.value for tree in Tree}
    for tree in trees.values():
        tree.mkdir()
    return Workplace(python=dict.fromkeys(Tree, sys.executable), trees=trees, folder=tmp_path / "run", device="cpu")


class Stage:
    """Starts fakes instead of workers, remembers their processes, and collects events."""

    def __init__(self) -> None:
        self.started: list[int] = []
        self.events: list[Event] = []

    def playing(self, fake: str, otherwise: str = "", arm: str = "") -> Start:
        """`fake` in the first process (of `arm`, if it is named), `otherwise` in all others."""

        def start(workplace: Workplace, of: Arm, control: Path) -> Child:
            chosen = otherwise if otherwise and (self.started if not arm else of.name != arm) else fake
            script = str(FAKES / f"{chosen}.py")
            child = fresh(workplace, of, control, argv=lambda *_: (sys.executable, script, str(control)))
            self.started.append(child.pid)
            return child

        return partial(start)

    def named(self, name: str) -> list[dict[str, object]]:
        return [dict(e.fields) for e in self.events if e.name == name]


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    left = {pid: members(pid) for pid in stage.started}
    assert not any(left.values()), f"processes left behind: {left}"


@pytest.fixture
def limits() -> Limits:
    """Small enough that every limit is met within a test's patience."""
    return Limits(startup_s=20, ending_s=0.3, log_bytes=4 << 20, replies_bytes=4 << 20, memory_bytes=256 << 20)


@pytest.fixture
def job():
    def make(case: str, **changes: object) -> CaseJob:
        fields = {"dsl": "torch", "entry": "m:f", "args": {}, "keywords": False, "symbols": {}, "timeout_s": 20.0}
        return CaseJob(case=case, **{**fields, **changes})

    return make
