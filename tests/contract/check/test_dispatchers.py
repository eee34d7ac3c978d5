"""A manifest that names only a dispatch function: what a check learns from it, and what it says where it cannot."""

from dataclasses import replace

import pytest

from tests import dispatcher
from tests.contract.check.shop import Shop

pytestmark = pytest.mark.real

# What any dispatcher can say of itself, written by hand: no test of the gate needs kgate_dispatch.
TELLING = """\
import importlib
import os

from shop import plain


class Told:
    def __init__(self, name):
        self.name = name
        self.__kgate__ = {
            "version": 1,
            "custom": f"customs.{name}:kernel",
            "fallback": "shop.plain:double",
            "switch": {"env": "SHOP_OWN", "custom": "on", "fallback": "off", "read": "call"},
        }

    def __call__(self, x):
        if os.environ.get("SHOP_OWN", "on") == "on":
            return importlib.import_module(f"customs.{self.name}").kernel(x)
        return plain.double(x)


dispatch = Told("good")
"""
LEFT_OUT = ("    custom:", "    fallback:", "    switch:")
DECORATED = """\
import kgate_dispatch


@kgate_dispatch.dispatch(custom="customs.good:kernel", switch="SHOP_GOOD")
def dispatch(x):
    return 2 * x
"""


def leave_out(shop: Shop) -> None:
    lines = (shop.folder / "kgate.yaml").read_text().splitlines(keepends=True)
    shop.write({"kgate.yaml": "".join(line for line in lines if not line.startswith(LEFT_OUT))})


@pytest.mark.nightly
def test_a_dispatch_function_alone_is_checked_and_drilled_as_if_all_were_written_down(shop: Shop) -> None:
    leave_out(shop)
    shop.write({"shop/good.py": TELLING})
    shop.commit("The dispatcher tells its paths")

    ended = shop.check()

    assert ended.code == 0, ended.out + ended.err
    (kernel,) = ended.report["kernels"]
    assert (kernel["custom"], kernel["fallback"]) == ("customs.good:kernel", "shop.plain:double")


def test_a_plain_function_cannot_stand_alone_and_that_is_one_sentence(shop: Shop) -> None:
    leave_out(shop)

    ended = shop.check()

    assert ended.code == 2
    assert ended.err == (
        "kgate: kgate.yaml:3: kernels.good: 'custom' is missing, and shop.good:dispatch, of type function, does not "
        "tell it as a kgate_dispatch function does; add it\n"
    )


@pytest.mark.nightly
def test_one_that_cannot_be_imported_fails_with_its_reason_and_cannot_pass(shop: Shop) -> None:
    leave_out(shop)
    shop.write({"shop/good.py": "import acme_no_such_dsl\n"})
    shop.commit("A package that is not there")

    ended = shop.check()

    assert ended.code == 1
    assert "does-not-run" in ended.rules("good")
    assert "No module named 'acme_no_such_dsl'" in ended.out


@pytest.mark.nightly
def test_a_function_of_kgate_dispatch_stands_alone(shop: Shop) -> None:
    with_dispatcher = replace(shop, path=dispatcher.path())
    leave_out(shop)
    shop.write({"shop/good.py": DECORATED})
    shop.commit("kgate_dispatch chooses the path")
    shop.commit("Something else, so that base's function is asked as well")

    ended = with_dispatcher.check()

    assert ended.code == 0, ended.out + ended.err
    (kernel,) = ended.report["kernels"]
    assert (kernel["custom"], kernel["fallback"]) == ("customs.good:kernel", "shop.good:dispatch.fallback")
    assert ended.report["base_ran"]
    assert ended.report["remarks"] == []
