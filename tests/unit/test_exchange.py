"""Trees that change places for a confirmation."""

import os
from pathlib import Path

import pytest

from kgate import exchange
from kgate.model import Tree
from kgate.runner.place import Workplace


@pytest.fixture
def workplace(tmp_path: Path) -> Workplace:
    root, base = tmp_path / "shop", tmp_path / "shop/.kgate/trees/4f2a"
    for folder, text in ((root / "ops", "head"), (base / "ops", "base")):
        folder.mkdir(parents=True)
        (folder / "kernel.py").write_text(text)
    (root / "ops/built.so").write_text("ignored by git, and needed")
    (root / "ops/link.py").symlink_to("kernel.py")
    for left_out in ("__pycache__/x.pyc", ".git/HEAD", "env/pyvenv.cfg", "env/lib/torch"):
        (root / left_out).parent.mkdir(parents=True, exist_ok=True)
        (root / left_out).write_text("")
    trees = {Tree.HEAD: root / "ops", Tree.BASE: base / "ops"}
    return Workplace(python=dict.fromkeys(Tree, "/usr/bin/python3"), trees=trees, folder=tmp_path, device="cpu")


def root_of(workplace: Workplace) -> Path:
    return workplace.trees[Tree.HEAD].parent


def base_of(workplace: Workplace) -> Path:
    return workplace.trees[Tree.BASE].parent


def test_head_is_measured_from_where_base_lay_and_base_from_beside_it(workplace: Workplace) -> None:
    with exchange.exchanged(workplace, root_of(workplace), base_of(workplace)) as swapped:
        head, base = swapped.trees[Tree.HEAD], swapped.trees[Tree.BASE]

        assert head == workplace.trees[Tree.BASE]
        assert base.parent.parent == head.parent.parent
        assert ((head / "kernel.py").read_text(), (base / "kernel.py").read_text()) == ("head", "base")
        assert (head / "link.py").readlink() == Path("kernel.py")
        assert sorted(path.name for path in head.iterdir()) == ["built.so", "kernel.py", "link.py"]
        assert [path.name for path in head.parent.iterdir()] == ["ops"]


def test_all_is_as_it_was_afterwards_also_where_a_launch_failed(workplace: Workplace) -> None:
    with pytest.raises(KeyboardInterrupt), exchange.exchanged(workplace, root_of(workplace), base_of(workplace)):
        raise KeyboardInterrupt

    assert (workplace.trees[Tree.BASE] / "kernel.py").read_text() == "base"
    assert [path.name for path in base_of(workplace).parent.iterdir()] == ["4f2a"]


def test_what_a_killed_run_has_left_beside_base_stops_no_exchange(workplace: Workplace) -> None:
    for end in (exchange.ASIDE, exchange.COPY):
        base_of(workplace).with_name(f"4f2a{end}").mkdir()

    with exchange.exchanged(workplace, root_of(workplace), base_of(workplace)) as swapped:
        assert (swapped.trees[Tree.HEAD] / "kernel.py").read_text() == "head"


def test_trees_that_cannot_change_places_are_said_with_the_reason(workplace: Workplace, monkeypatch) -> None:
    root, base = root_of(workplace), base_of(workplace)
    inside = Workplace(**{**vars(workplace), "python": {Tree.HEAD: str(root / "env/bin/python")}})

    assert exchange.obstacle(workplace, root, base, "") == ""
    assert exchange.obstacle(workplace, root, base, "make").startswith("`build` may have written the path")
    assert exchange.obstacle(inside, root, base, "") == f"the interpreter {root}/env/bin/python lies in a tree"
    monkeypatch.setattr(exchange, "MOST_BYTES", 10)
    assert exchange.obstacle(workplace, root, base, "").endswith("GiB, more than is copied")


def test_what_is_no_file_stops_no_exchange(workplace: Workplace) -> None:
    os.mkfifo(root_of(workplace) / "debugger")

    with exchange.exchanged(workplace, root_of(workplace), base_of(workplace)) as swapped:
        assert (swapped.trees[Tree.HEAD] / "kernel.py").read_text() == "head"


def test_base_stays_where_it_is_if_head_cannot_be_copied(workplace: Workplace) -> None:
    unreadable = root_of(workplace) / "nowhere"

    with pytest.raises(OSError, match="nowhere"), exchange.exchanged(workplace, unreadable, base_of(workplace)):
        pass

    assert (workplace.trees[Tree.BASE] / "kernel.py").read_text() == "base"
    assert [path.name for path in base_of(workplace).parent.iterdir()] == ["4f2a"]
