"""A product's two paths, told apart by what they return, and a switch that nobody has set."""

import itertools
import sys
import textwrap

import kgate_dispatch
import pytest

_numbers = itertools.count()


@pytest.fixture
def switch(monkeypatch):
    """The name of an environment variable that is not set; each test has its own."""
    name = f"ACME_TESTED_{next(_numbers)}"
    monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("KGATE_DISPATCH_STRICT", raising=False)
    return name


@pytest.fixture
def product(switch):
    """Declares `triple`: the custom path answers ("custom", x), the fallback ("fallback", x), unless told otherwise."""

    def declared(custom=lambda x: ("custom", x), **declaration):
        @kgate_dispatch.dispatch(custom=custom, **{"switch": switch, **declaration})
        def triple(x):
            """Three times x."""
            return ("fallback", x)

        return triple

    return declared


@pytest.fixture
def double(product):
    """For tensors: the custom path multiplies by 2; the fallback adds 100, so that nobody takes one for the other."""

    def declared(custom=lambda x: x * 2, **declaration):
        function = product(custom, **declaration)
        function.fallback = lambda x: x + 100
        return function

    return declared


@pytest.fixture
def fresh_compiler():
    """torch's compiler without what earlier tests compiled; forgotten after the test as well."""
    torch = sys.modules["torch"]
    torch.compiler.reset()
    yield
    torch.compiler.reset()


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Writes a module, which can then be imported, and is forgotten after the test."""
    monkeypatch.syspath_prepend(tmp_path)
    written = []

    def write(text, name=None):
        name = name or f"written_{next(_numbers)}"
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
        written.append(name)
        return name

    yield write
    for name in written:
        sys.modules.pop(name, None)


@pytest.fixture
def lines(caplog):
    """What kgate_dispatch has logged so far, as (level, text)."""
    caplog.set_level("INFO", logger="kgate_dispatch")
    return lambda: [(r.levelname, r.getMessage()) for r in caplog.records if r.name == "kgate_dispatch"]
