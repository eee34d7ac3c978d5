"""A sandbox that nobody named is left out where it would keep a GPU from being used."""

from dataclasses import replace
from pathlib import Path

import pytest

from kgate import aim
from kgate.errors import HostError
from kgate.model import Tree
from kgate.options import Options
from kgate.plan import Target
from kgate.runner.place import Workplace
from kgate.runner.sandbox import AUTO, NAMESPACES, Sandbox
from tests.unit.test_plan import H200, manifest

CPU = Target(kind="cpu", name="cpu")
PLACE = Workplace(
    python=dict.fromkeys(Tree, "python"),
    trees=dict.fromkeys(Tree, Path("/tree")),
    folder=Path("/run"),
    device="cpu",
    sandbox=Sandbox(mode=NAMESPACES),
)
OPTIONS = Options(manifest=Path("kgate.yaml"), sandbox=AUTO)


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """A machine with a driver, on which a look finds what is given for the inside and for the outside of walls."""
    (tmp_path / "nvidiactl").touch()
    monkeypatch.setattr(aim, "DRIVER", tmp_path / "nvidiactl")

    def finds(inside: Target | None, outside: Target) -> None:
        def looked(options: Options, declared: object, place: Workplace):
            found = inside if place.sandbox.confines else outside
            if found is None:
                raise HostError("--device cuda: error 304")
            return found, None, {}

        monkeypatch.setattr(aim, "looked", looked)

    return finds


@pytest.mark.parametrize("inside", [CPU, None])
def test_a_gpu_that_is_seen_only_without_walls_is_used_without_them_and_that_is_said(host, inside) -> None:
    host(inside, H200)

    place, (target, _, _) = aim.aimed(OPTIONS, manifest(), PLACE)

    assert target == H200
    assert place.sandbox.mode == "none"
    assert place.sandbox.remarks == ("sandbox: none, since a GPU cannot be used within namespaces here",)


def test_a_machine_whose_torch_sees_no_gpu_at_all_keeps_its_walls(host) -> None:
    host(CPU, CPU)

    place, _ = aim.aimed(OPTIONS, manifest(), PLACE)

    assert place is PLACE


def test_walls_that_were_named_stay_and_the_gpu_is_missing(host) -> None:
    host(None, H200)

    with pytest.raises(HostError, match="error 304"):
        aim.aimed(replace(OPTIONS, sandbox=NAMESPACES), manifest(), PLACE)
