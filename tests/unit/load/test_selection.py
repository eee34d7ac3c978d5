"""What --kernel and --workload leave of a manifest."""

import pytest

from kgate.errors import UsageError
from kgate.load.selection import select
from kgate.model import Manifest
from tests.unit.load.conftest import Loading

KERNEL = "owners: [], dispatch: 'a:d', custom: 'a:c', fallback: 'a:f', args: {n: M}"
TEXT = f"""\
version: 1
kernels:
  linear_gelu: {{{KERNEL}, workloads: {{decode: {{M: 1}}, sweep: {{grid: {{M: [1, 2]}}}}}}}}
  softmax: {{{KERNEL}, workloads: {{decode: {{M: 1}}, ragged: {{M: 3}}}}}}
"""


def left(manifest: Manifest) -> dict[str, list[str]]:
    return {k.name: [w.name for w in k.workloads] for k in manifest.kernels}


@pytest.mark.parametrize(
    ("kernels", "workloads", "expected"),
    [
        ((), (), {"linear_gelu": ["decode", "sweep/M=1", "sweep/M=2"], "softmax": ["decode", "ragged"]}),
        (("soft*",), (), {"softmax": ["decode", "ragged"]}),
        ((), ("decode",), {"linear_gelu": ["decode"], "softmax": ["decode"]}),
        ((), ("sweep",), {"linear_gelu": ["sweep/M=1", "sweep/M=2"]}),
        ((), ("sweep/M=2", "ragged"), {"linear_gelu": ["sweep/M=2"], "softmax": ["ragged"]}),
        ((), ("softmax/decode",), {"softmax": ["decode"]}),
        (("*",), ("linear_gelu/sweep",), {"linear_gelu": ["sweep/M=1", "sweep/M=2"]}),
    ],
)
def test_patterns_choose(
    loaded: Loading, kernels: tuple[str, ...], workloads: tuple[str, ...], expected: dict[str, list[str]]
) -> None:
    assert left(select(loaded(TEXT), kernels, workloads)) == expected


@pytest.mark.parametrize(
    ("kernels", "workloads", "sentence"),
    [
        (("softmx",), (), "--kernel 'softmx': nothing in the manifest matches; did you mean 'softmax'?"),
        (("softmax", "x*"), (), "--kernel 'x*': nothing in the manifest matches; known: linear_gelu, softmax"),
        (("softmax",), ("sweep",), "--workload 'sweep': nothing in the manifest matches; known: decode, ragged"),
    ],
)
def test_a_pattern_that_matches_nothing_is_refused(
    loaded: Loading, kernels: tuple[str, ...], workloads: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(UsageError) as caught:
        select(loaded(TEXT), kernels, workloads)

    assert str(caught.value) == sentence
