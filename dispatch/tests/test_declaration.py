"""The decorator and what it makes: refusals of what could not work, names, introspection, classes, pickles."""

import copy
import functools
import importlib
import inspect
import pickle
import sys

import kgate_dispatch
import pytest
from kgate_dispatch import dispatch

SHOP = """
    from kgate_dispatch import Switch, dispatch

    def fused(x): return ("custom", x)
    def slow(x): return ("slow", x)

    @dispatch(custom="{name}:fused", switch=Switch(env="SHOP", custom="on", fallback="off"), when=lambda x: x)
    def decorated(x):
        "What the product calls."
        return ("fallback", x)

    applied = dispatch(custom=fused, switch="SHOP")(slow)

    @dispatch(custom=lambda x: 1 / 0, switch="SHOP", when=lambda x: False)
    @dispatch(custom=fused, switch="SHOP_TWO")
    def twice(x):
        return ("fallback", x)

    class Model:
        @dispatch(custom=lambda self, x: (self.name, "custom", x), switch="SHOP_MODEL")
        def step(self, x):
            return (self.name, "fallback", x)

        name = "model"
"""


@pytest.fixture
def shop(module, monkeypatch):
    for name in ("SHOP", "SHOP_TWO", "SHOP_MODEL"):
        monkeypatch.delenv(name, raising=False)
    name = module("")
    module(SHOP.format(name=name), name=name)
    importlib.invalidate_caches()
    return importlib.import_module(name)


def resolved(name):
    module, _, path = name.partition(":")
    return functools.reduce(getattr, path.split("."), sys.modules[module])


def test_signature_name_and_docstring_are_the_fallbacks(shop):
    assert str(inspect.signature(shop.decorated)) == "(x)"
    assert shop.decorated.__doc__ == "What the product calls."
    assert shop.decorated.name == f"{shop.__name__}:decorated"


def test_what_a_manifest_needs_can_be_read_from_the_function(shop):
    known = shop.decorated.__kgate__

    assert known == {
        "version": 1,
        "custom": f"{shop.__name__}:fused",
        "fallback": f"{shop.__name__}:decorated.fallback",
        "switch": {"env": "SHOP", "custom": "on", "fallback": "off", "read": "call"},
        "packages": [],
    }


def test_the_packages_that_a_kernel_needs_can_be_read_without_importing_one(product):
    asked = []
    needs = [kgate_dispatch.package("acme_no_such_dsl", at_least="1"), lambda: asked.append(1)]

    known = product(needs=needs).__kgate__

    assert known["packages"] == ["acme_no_such_dsl"]
    assert asked == []


@pytest.mark.parametrize("name", ["decorated", "applied", "twice"])
def test_the_names_lead_to_the_two_paths(shop, name):
    function = getattr(shop, name)

    assert resolved(function.paths()["fallback"]) is function.fallback
    assert function.fallback is not function


def test_the_inner_of_two_decorators_is_found_too(shop):
    inner = shop.twice.fallback

    assert resolved(inner.paths()["fallback"]) is inner.fallback


def test_three_paths_are_two_decorators(shop, monkeypatch):
    refused_by_the_outer = shop.twice(2)
    monkeypatch.setenv("SHOP_TWO", "0")
    refused_by_both = shop.twice(2)

    assert refused_by_the_outer == ("custom", 2)
    assert refused_by_both == ("fallback", 2)


def test_a_method_of_a_class_is_bound(shop, monkeypatch):
    model = shop.Model()

    custom = model.step(2)
    monkeypatch.setenv("SHOP_MODEL", "0")
    fallback = model.step(x=3)

    assert custom == ("model", "custom", 2)
    assert fallback == ("model", "fallback", 3)
    assert shop.Model.step.counts() == {("custom", "default"): 1, ("fallback", "switch"): 1}


def test_a_function_is_pickled_and_copied_by_name(shop):
    assert pickle.loads(pickle.dumps(shop.decorated)) is shop.decorated
    assert copy.deepcopy([shop.decorated]) == [shop.decorated]


def test_explaining_is_one_line_and_no_call(shop, monkeypatch):
    on = shop.decorated.explain()
    monkeypatch.setenv("SHOP", "off")
    off = shop.decorated.explain()

    name = shop.__name__
    assert on == (
        f"{name}:decorated takes its custom path {name}:fused (default: SHOP is not set), "
        "unless when= refuses its arguments"
    )
    assert off == f"{name}:decorated takes its fallback path {name}:decorated.fallback (switch: SHOP=off)"
    assert shop.decorated.counts() == {}
    assert shop.decorated.last is None


def test_every_function_of_the_process_is_listed_by_name(shop):
    names = [function.name for function in kgate_dispatch.functions()]

    assert names == sorted(names)
    assert {f"{shop.__name__}:{n}" for n in ("decorated", "slow", "twice", "Model.step")} <= set(names)


async def coroutine(x):
    return x


def generator(x):
    yield x


def plain(x):
    return x


@pytest.mark.parametrize(
    ("declaration", "fallback", "error", "said"),
    [
        ({"custom": "acme.kernels"}, plain, ValueError, '"module:function"'),
        ({"custom": "acme/kernels.py:triple"}, plain, ValueError, '"module:function"'),
        ({"custom": None}, plain, ValueError, '"module:function"'),
        ({"custom": plain, "needs": "tilelang"}, plain, TypeError, "write package"),
        ({"custom": plain}, plain, ValueError, "its custom path is itself"),
        ({"custom": f"{__name__}:plain"}, plain, ValueError, "its custom path is itself"),
        ({"custom": "acme:kernel"}, coroutine, TypeError, "coroutine"),
        ({"custom": "acme:kernel"}, generator, TypeError, "generator"),
        ({"custom": "acme:kernel"}, 42, TypeError, "decorates a function"),
    ],
)
def test_a_declaration_that_could_not_work_is_refused_at_once(declaration, fallback, error, said):
    with pytest.raises(error, match=said):
        dispatch(switch="ACME", **declaration)(fallback)


def test_a_declaration_without_a_switch_is_refused():
    with pytest.raises(TypeError, match="switch"):
        dispatch(custom=plain)


def test_importing_the_package_imports_no_torch_and_nothing_from_outside_the_standard_library():
    import ast
    from pathlib import Path

    files = list(Path(kgate_dispatch.__file__).parent.glob("*.py"))
    imported = {
        (node.module if isinstance(node, ast.ImportFrom) else alias.name).partition(".")[0]
        for path in files
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }

    assert len(files) > 10
    assert imported <= sys.stdlib_module_names | {"kgate_dispatch"}
