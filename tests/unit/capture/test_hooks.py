"""Entry points wrapped when their module is imported, and what is counted of them; scalars alone, so without torch."""

import importlib
import json
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kgate.capture.files import seen
from kgate.captured import ListSeen, MapSeen, OtherSeen, ScalarSeen
from kgate.worker.capture.hooks import Finder
from kgate.worker.capture.tallies import Tallies

SOURCE = """\
def scaled(x, factor=2, *, mode="fast"):
    return x * factor

def alias(x):
    return scaled(x)

class Ops:
    @staticmethod
    def add(x, y):
        return x + y

    def __call__(self, x):
        return -x

    label = "ops"

negate = Ops()
Int = int

class Pages(dict):
    def items(self):
        scaled(1)
        return super().items()
"""

Product = Callable[..., tuple[ModuleType, Tallies]]


@pytest.fixture
def product(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Product]:
    """Imports the source as a module of its own, its entry points watched."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)

    def watched(*paths: str, limit: int = 512) -> tuple[ModuleType, Tallies]:
        name = f"product_{tmp_path.name}"
        (tmp_path / f"{name}.py").write_text(SOURCE)
        importlib.invalidate_caches()
        tallies = Tallies(tmp_path / "seen", limit)
        monkeypatch.setattr(sys, "meta_path", [Finder([[f"{name}:{path}" for path in paths]], tallies), *sys.meta_path])
        return importlib.import_module(name), tallies

    yield watched
    for name in set(sys.modules) - before:
        del sys.modules[name]


def found(tmp_path: Path, tallies: Tallies) -> dict[str, Any]:
    tallies.write()
    return {entry.partition(":")[2]: each for entry, each in seen(tmp_path).items()}


def test_calls_of_one_form_are_one_signature_with_defaults_filled_in(product: Product, tmp_path: Path) -> None:
    module, tallies = product("scaled")

    answers = [module.scaled(3), module.scaled(3, 2), module.scaled(3, factor=2), module.alias(4)]

    assert answers == [6, 6, 6, 8]
    said = found(tmp_path, tallies)["scaled"]
    assert {tuple(c.args[n].value for n in ("x", "factor", "mode")): c.calls for c in said.signatures} == {
        (3, 2, "fast"): 3,
        (4, 2, "fast"): 1,
    }


def test_methods_and_callable_objects_are_seen_and_stay_what_they_are(product: Product, tmp_path: Path) -> None:
    module, tallies = product("Ops.add")

    assert module.Ops.add(1, 2) == 3
    assert module.Ops().add(1, 2) == 3
    assert found(tmp_path, tallies)["Ops.add"].calls == 2


def test_an_object_that_is_called_keeps_its_attributes(product: Product, tmp_path: Path) -> None:
    module, tallies = product("negate")

    assert (module.negate(5), module.negate.label) == (-5, "ops")
    assert found(tmp_path, tallies)["negate"].calls == 1


def test_the_second_entry_point_is_not_looked_at_once_the_first_was_called(product: Product, tmp_path: Path) -> None:
    module, tallies = product("alias", "scaled")

    module.scaled(1)
    module.alias(2)

    said = found(tmp_path, tallies)
    assert (said["alias"].calls, said["scaled"].calls) == (1, 1)


def test_beyond_the_limit_calls_are_counted_and_no_signature_is_kept(product: Product, tmp_path: Path) -> None:
    module, tallies = product("scaled", limit=2)

    for x in (1, 2, 3, 4, 1):
        module.scaled(x)

    said = found(tmp_path, tallies)["scaled"]
    assert (said.calls, said.folded, len(said.signatures)) == (5, 2, 2)


def test_what_is_not_there_and_what_was_not_imported_say_so(product: Product, tmp_path: Path) -> None:
    _, tallies = product("nothing", "Ops.nothing")
    tallies.tally("elsewhere:f")

    said = found(tmp_path, tallies)

    assert said["nothing"].note == said["Ops.nothing"].note == "is not there"
    assert said["f"].note == "its module was not imported"


def test_kinds_of_arguments_are_kept_and_long_texts_and_objects_are_not(product: Product, tmp_path: Path) -> None:
    module, tallies = product("alias")
    monkey = {"a": [1, 2.5, None], "b": "x" * 65, "c": object(), "d": float("inf")}

    with pytest.raises(TypeError):
        module.alias(monkey)

    (counts,) = found(tmp_path, tallies)["alias"].signatures
    fields = counts.args["x"]
    assert isinstance(fields, MapSeen)
    assert fields.fields["a"] == ListSeen(items=(ScalarSeen(value=1), ScalarSeen(value=2.5), ScalarSeen(value=None)))
    assert [fields.fields[n] for n in "bcd"] == [OtherSeen(type=f"builtins.{n}") for n in ("str", "object", "float")]


def test_a_call_that_cannot_be_recorded_is_made_all_the_same(product: Product, tmp_path: Path) -> None:
    module, tallies = product("scaled")

    with pytest.raises(TypeError, match="unexpected keyword"):
        module.scaled(1, nonsense=2)

    assert found(tmp_path, tallies)["scaled"].note == "a call could not be recorded: TypeError"


def test_a_holder_that_takes_no_attribute_is_imported_all_the_same(product: Product, tmp_path: Path) -> None:
    module, tallies = product("Int.bit_length", "scaled")

    assert module.Int(5).bit_length() == 3
    module.scaled(1)

    said = found(tmp_path, tallies)
    assert said["Int.bit_length"].note == "cannot be watched: TypeError"
    assert said["scaled"].calls == 1


def test_an_argument_that_calls_the_entry_point_itself_ends(product: Product, tmp_path: Path) -> None:
    module, tallies = product("scaled")
    calling = threading.Thread(target=module.scaled, args=(2,), kwargs={"mode": module.Pages(a=1)}, daemon=True)

    calling.start()
    calling.join(10)

    assert not calling.is_alive()
    assert found(tmp_path, tallies)["scaled"].calls >= 2


def test_no_call_of_many_threads_is_lost(product: Product, tmp_path: Path) -> None:
    module, tallies = product("scaled")
    threads = [threading.Thread(target=lambda: [module.scaled(n % 3) for n in range(3000)]) for _ in range(4)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found(tmp_path, tallies)["scaled"].calls == 12_000


def test_files_of_several_processes_are_joined_and_broken_ones_passed_over(product: Product, tmp_path: Path) -> None:
    module, tallies = product("scaled")
    module.scaled(1)
    tallies.write()
    (left,) = (tmp_path / "seen").glob("*.json")
    (tmp_path / "seen" / "1.json").write_text(left.read_text())
    (tmp_path / "seen" / "2.json").write_text("{")
    (tmp_path / "seen" / "3.json").write_text(json.dumps({"entries": [{"entry": "a:b", "folded": "many"}]}))

    (said,) = seen(tmp_path).values()

    assert (said.calls, len(said.signatures)) == (2, 1)
