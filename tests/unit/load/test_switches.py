"""Switches that kernels share."""

import pytest

from kgate.errors import ManifestError
from tests.unit.load.conftest import Loading

TWO = """\
version: 1
kernels:
  gelu:
    owners: ["@acme/kernels"]
    dispatch: acme.ops:gelu
    custom: acme.gelu:fused
    fallback: acme.gelu:eager
    switch: {first}
    workloads: {{small: {{}}}}
  silu:
    owners: ["@acme/kernels"]
    dispatch: acme.ops:silu
    custom: acme.silu:fused
    fallback: acme.silu:eager
    switch:
      env: ACME_KERNELS
      {second}
    workloads: {{small: {{}}}}
"""


def two(first: str, second: str) -> str:
    return TWO.format(first=first, second=second)


@pytest.mark.parametrize("first", ["{env: ACME_KERNELS, custom: 'on'}", "{env: OTHER}", "{context: 'acme.ops:use'}"])
def test_two_kernels_may_share_a_variable_that_means_the_same(loaded: Loading, first: str) -> None:
    manifest = loaded(two(first, "custom: 'on'"))

    assert [kernel.name for kernel in manifest.kernels] == ["gelu", "silu"]


@pytest.mark.parametrize(
    ("second", "here"),
    [("custom: 'on'", "'on' and '0'"), ("fallback: 'off'", "'1' and 'off'")],
)
def test_two_kernels_that_share_a_variable_with_other_values_are_refused_with_both_lines(
    loaded: Loading, second: str, here: str
) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(two("{env: ACME_KERNELS}", second))

    assert str(caught.value) == (
        f"kgate.yaml:16: kernels.silu.switch.env: 'ACME_KERNELS' is {here} here, and '1' and '0' in kgate.yaml:8; "
        "give both kernels the same values, or a variable each"
    )
