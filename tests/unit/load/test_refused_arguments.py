"""What is wrong with a tensor or a workload, in the same form."""

import pytest

from kgate.errors import ManifestError
from tests.unit.load.conftest import Loading
from tests.unit.load.wrong import manifest, rows

TENSOR = rows(
    """\
{shape: [M], dtype: bflot16}
    .dtype: 'bflot16' is not a dtype; did you mean 'bfloat16'?
{shape: [M], dtyp: float32}
    .dtyp: 'dtyp' is not a field of a tensor; did you mean 'dtype'?
{shap: [M], dtype: float32}
    .shap: 'shap' is not a field of a tensor; did you mean 'shape'?
{shape: [M]}
    : 'dtype' is missing; add it: torch's name of its dtype, or a symbol that stands for one
{shape: M, dtype: float32}
    .shape: 'M' is not a list; write its sizes: numbers, symbols, arithmetic of them
{shape: [M - 3], dtype: float32}
    .shape[0]: in workload 'small', 'M - 3' is -1, less than 0; mend it, or the workload's symbols
{shape: [M / 4], dtype: float32}
    .shape[0]: in workload 'small', 'M / 4' is 0.5, not a whole number; use // or cdiv
{shape: [-1], dtype: float32}
    .shape[0]: -1 is less than 0; write a whole number from 0 up, or arithmetic of symbols, like 'M'
{shape: [cdiv(M, 2)], dtype: float32}
    .shape[0]: in workload 'small', 'cdiv(M' ends early; in a YAML list put what has a comma in quotes
{shape: [M ** 999], dtype: float32}
    .shape[0]: in workload 'small', the power 2 ** 999 is too large; write a smaller one
{shape: [M * 10 ** 12], dtype: float32}
    .shape: a storage of 2000000000000 elements fits no device; write smaller sizes
{shape: [M, 8], dtype: float32, strides: [8]}
    .strides: 1 strides for 2 dimensions; write one per dimension
{shape: [M, 8], dtype: float32, strides: [-8, 1]}
    .strides[0]: -8 is less than 0; write a whole number from 0 up, or arithmetic of symbols, like 'M'
{shape: [M, 8], dtype: float32, strides: [4, 1]}
    .strides: a stride of 4 makes elements overlap; write 8 or more there, or 0
{shape: [M], dtype: float32, layout: sliced}
    .layout: 'sliced' needs at least 2 dimensions, the shape has 1; leave it out
{shape: [M], dtype: float32, layout: slices}
    .layout: 'slices' is not a layout; did you mean 'sliced'?
{shape: [M], dtype: float32, strides: [1], layout: expanded}
    .layout: 'layout' and 'strides' say the same thing; keep one
{shape: [M], dtype: int32}
    .dtype: a tensor of int32 needs a distribution; add `integers: {high: N}`
{shape: [M], dtype: bool}
    .dtype: a tensor of bool needs a distribution; add `mask: {p: 0.5}`
{shape: [M], dtype: int8, normal: {}}
    .normal: 'normal' does not fit int8; write `integers: {high: N}`
{shape: [M], dtype: int8, integers: {high: 300}}
    .integers: 0 to 299 does not fit int8, which holds -128 to 127; change the values or the dtype
{shape: [M], dtype: int8, constant: 1.5}
    .constant: 1.5 does not fit int8, which holds -128 to 127; change the values or the dtype
{shape: [M], dtype: uint8, integers: {low: -1, high: 3}}
    .integers: -1 to 2 does not fit uint8, which holds 0 to 255; change the values or the dtype
{shape: [M], dtype: int32, integers: {low: 3, high: 3}}
    .integers.high: no integer is from 3 up to but without 3; write a larger high
{shape: [M], dtype: int64, integers: {high: 2 ** 33}}
    .integers.high: 0 to 8589934592 spans more than 2**32; write closer bounds
{shape: [M], dtype: int64, integers: {low: 2 ** 60, high: 2 ** 60 + 1}}
    .integers.low: 1152921504606846976 is beyond 2**53; write a smaller bound
{shape: [M], dtype: int32, integers: {}}
    .integers: 'high' is missing; add it: one above the highest value
{shape: [M], dtype: float32, normal: {std: -1}}
    .normal.std: a standard deviation of -1.0 is less than 0; write 0 or more
{shape: [M], dtype: float32, uniform: {low: 2}}
    .uniform.low: low is 2.0 and high is 1.0; write the lower one as low
{shape: [M], dtype: bool, mask: {p: 1.5}}
    .mask.p: a share of 1.5 is not from 0 to 1; write one that is
{shape: [M], dtype: int64, zipf: {a: 0, high: 9}}
    .zipf.a: an exponent of 0.0 is not above 0; write one that is, like 1.2
{shape: [M], dtype: int64, zipf: {high: 10 ** 9}}
    .zipf.high: high is 1000000000, not from 1 to 2**24; write one that is
{shape: [M], dtype: float32, normal: {}, constant: 1}
    .constant: 'normal' and 'constant' are two distributions; keep one
{shape: [M], dtype: float32, zeros: 2}
    .zeros: 2 is more than 1; write a share from 0 to 1
{shape: [M], dtype: int32, integers: {high: 4}, role: {index: {size: 4}}}
    .integers: 'integers' and the role 'index' both say which values there are; keep one
"""
)


@pytest.mark.parametrize(("x", "sentence"), TENSOR)
def test_a_wrong_tensor_is_refused(loaded: Loading, x: str, sentence: str) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(manifest(x=x))

    assert str(caught.value) == f"kgate.yaml:10: kernels.gelu.args.x{sentence}"


WORKLOAD = rows(
    """\
{M: 2, args: {y: 1}}
    .args.y: 'y' is not an argument of gelu; known: x
{M: 2, args: {x: {dtype: int8}}}
    .args.x.dtype: a tensor of int8 needs a distribution; add `integers: {high: N}`
{M: 2, args: {x: {stride: [8, 1]}}}
    .args.x.stride: 'stride' is not a field of a tensor; did you mean 'strides'?
{M: 2, args: {x: {strides: [1, 1]}}}
    .args.x.strides: a stride of 1 makes elements overlap; write 2 or more there, or 0
{M: 2, source: same}
    .source: 'same' repeats the workload before; name the source of this first one
{M: 2, wieght: 3}
    .wieght: 'wieght' is not a field, and used nowhere as a symbol; did you mean 'weight'?
{M: 2, Q: 3}
    .Q: 'Q' is not a field, and used nowhere as a symbol; remove it
{M: 2, M2: 3}
    .M2: 'M2' is not a field, and used nowhere as a symbol; did you mean 'M'?
{M: 2, grid: {Q: [3, 4]}}
    .grid.Q: 'Q' is not a field, and used nowhere as a symbol; remove it
{}
    : no value for 'M', which args.x.shape needs; add M: …
{m: 2}
    : no value for 'M', which args.x.shape needs; add M: …, or write 'm' there
{M: 2, args: {x: {strides: [K, 1]}}}
    : no value for 'K', which args.x.strides needs; add K: …
{M: 2, weight: -1}
    .weight: -1 is less than 0; write how often production sees it, against the others
{M: [2]}
    .M: a list is not a number or text; write the value of a symbol: a number, a dtype's name or text
{M: true}
    .M: true is not a number or text; write the value of a symbol: a number, a dtype's name or text
{M-1: 2}
    .M-1: 'M-1' is not a symbol; write letters, digits and _, not starting with a digit, like 'M'
{M: 2, grid: {M: [1]}}
    .grid.M: 'M' is a symbol of the workload too; keep one, or rename it
{M: 2, grid: {seed: [1]}}
    .grid.seed: 'seed' is a field of a workload; keep one, or rename it
{grid: {M: []}}
    .grid.M: is empty; write the values of one symbol
{grid: {M: [1, 1]}}
    .grid.M: 1 stands here twice; keep one
{grid: {}}
    .grid: is empty; write lists of values by symbol
{grid: {M: [a/b]}}
    .grid.M[0]: 'a/b' is not a value of a grid; write a number or a word, like 'bfloat16'
3
    : 3 is not a mapping; write one set of arguments
"""
)


@pytest.mark.parametrize(("workload", "sentence"), WORKLOAD)
def test_a_wrong_workload_is_refused(loaded: Loading, workload: str, sentence: str) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(manifest(workload=workload))

    assert str(caught.value) == f"kgate.yaml:12: kernels.gelu.workloads.small{sentence}"


def test_a_symbol_of_text_is_no_size(loaded: Loading) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(manifest(workload="{M: float32}"))

    assert str(caught.value) == (
        "kgate.yaml:10: kernels.gelu.args.x.shape[0]: in workload 'small', the symbol 'M' is 'float32', not a number; "
        "give it a number"
    )


def test_a_grid_too_large_is_refused_before_it_is_made(loaded: Loading) -> None:
    values = list(range(100))

    with pytest.raises(ManifestError) as caught:
        loaded(manifest(workload=f"{{grid: {{M: {values}, N: {values}, K: {values}}}}}"))

    assert str(caught.value) == (
        "kgate.yaml:12: kernels.gelu.workloads.small.grid: makes 1000000 workloads, more than 4096; shorten its lists"
    )


def test_a_symbol_that_the_workload_lacks_is_told_at_the_workload_for_every_kind_of_need(loaded: Loading) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(manifest(kernel="flops: 2 * K"))

    assert (
        str(caught.value)
        == "kgate.yaml:13: kernels.gelu.workloads.small: no value for 'K', which flops needs; add K: …"
    )


def test_a_symbol_is_used_where_only_setup_sees_it_or_where_the_workload_replaces_its_argument(loaded: Loading) -> None:
    with_setup = loaded(manifest(kernel="setup: a:b", workload="{M: 2, Q: 3}"))
    replaced = loaded(manifest(workload="{M: 2, args: {x: {shape: [4, 8]}}}"))

    assert with_setup.kernels[0].workloads[0].symbols == {"M": 2, "Q": 3}
    assert replaced.kernels[0].workloads[0].symbols == {"M": 2}


@pytest.mark.parametrize(
    ("alias", "name"),
    # torch.float is torch.float32, and so on: docs.pytorch.org, "Tensor Attributes".
    [
        ("float", "float32"),
        ("half", "float16"),
        ("double", "float64"),
        ("long", "int64"),
        ("int", "int32"),
        ("short", "int16"),
        ("bf16", "bfloat16"),
        ("fp16", "float16"),
        ("fp32", "float32"),
        ("fp8", "float8_e4m3fn"),
        ("torch.float", "float32"),
        ("torch.bfloat16", "bfloat16"),
    ],
)
def test_an_alias_of_a_dtype_is_refused_with_the_name_that_torch_means(loaded: Loading, alias: str, name: str) -> None:
    with pytest.raises(ManifestError) as caught:
        loaded(manifest(x=f"{{shape: [M], dtype: {alias}}}"))

    assert str(caught.value) == (
        f"kgate.yaml:10: kernels.gelu.args.x.dtype: {alias!r} is not a dtype; did you mean {name!r}?"
    )
