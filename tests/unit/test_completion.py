"""Paths that the manifest leaves to its dispatch function: what is filled in, and what is refused in a sentence."""

import pytest

from kgate.completion import filled
from kgate.errors import ManifestError
from kgate.model import Kernel, Place, Switch
from kgate.protocol import Described

ALONE = Kernel(
    name="gelu",
    owners=("@acme/kernels",),
    dsl="triton",
    dispatch="acme.ops:gelu",
    custom="",
    fallback="",
    workloads=(),
    place=Place(path="kgate.yaml", line=4),
)
TOLD = Described(
    entry="acme.ops:gelu",
    type_name="DispatchFunction",
    custom="acme.kernels:gelu",
    fallback="acme.ops:gelu.fallback",
    switch={"env": "ACME_GELU", "custom": "on", "fallback": "off", "read": "call"},
    packages=("triton",),
)


def told(**changes: object) -> Described:
    return Described(**{**vars(TOLD), **changes})


def test_a_function_that_knows_its_paths_tells_all_that_the_manifest_leaves_out() -> None:
    kernel = filled(ALONE, TOLD)

    assert kernel.complete
    assert (kernel.custom, kernel.fallback) == ("acme.kernels:gelu", "acme.ops:gelu.fallback")
    assert kernel.switch == Switch(env="ACME_GELU", custom="on", fallback="off", read="call")
    assert kernel.optional == ("triton",)


def test_what_the_manifest_says_itself_counts() -> None:
    own = Switch(env="OTHER")
    kernel = Kernel(**{**vars(ALONE), "fallback": "torch:relu", "switch": own})

    found = filled(kernel, TOLD)

    assert (found.custom, found.fallback, found.switch) == ("acme.kernels:gelu", "torch:relu", own)


def test_a_function_without_a_switch_leaves_it_to_the_rule_that_asks_for_one() -> None:
    assert filled(ALONE, told(switch={})).switch is None


def test_one_that_cannot_be_loaded_is_named_by_what_it_would_have_so_that_its_cases_fail_with_the_reason() -> None:
    kernel = filled(ALONE, None)

    assert (kernel.custom, kernel.fallback) == ("acme.ops:gelu.custom", "acme.ops:gelu.fallback")
    assert kernel.switch is None


REFUSED = {
    "a plain function": (
        Described(entry="acme.ops:gelu", type_name="function"),
        "'custom' is missing, and acme.ops:gelu, of type function, does not tell it as a kgate_dispatch function "
        "does; add it",
    ),
    "one path alone": (
        told(fallback=""),
        "'fallback' is missing, and acme.ops:gelu, of type DispatchFunction, does not tell it as a kgate_dispatch "
        "function does; add it",
    ),
    "a path without a name": (
        told(custom="acme.ops:<lambda>"),
        "acme.ops:gelu says that its custom path is 'acme.ops:<lambda>', which cannot be imported by that name; give "
        "the function a name in its module, or add 'custom'",
    ),
    "a switch without a variable": (
        told(switch={"custom": "1"}),
        "acme.ops:gelu tells a switch that kgate cannot read; add 'switch'",
    ),
    "a switch that is read at a time nobody knows": (
        told(switch={"env": "A", "read": "never"}),
        "acme.ops:gelu tells a switch that kgate cannot read; add 'switch'",
    ),
}


@pytest.mark.parametrize(("said", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_used_is_refused_in_one_sentence(said: Described, sentence: str) -> None:
    with pytest.raises(ManifestError) as caught:
        filled(ALONE, said)

    assert str(caught.value) == f"kgate.yaml:4: kernels.gelu: {sentence}"
