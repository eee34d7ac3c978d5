"""Bounds by formula, and by numerics: honest kernels stay within, wrong and coarser ones do not, whatever the dtype."""

import math

import numpy as np
import pytest

from kgate.chunks import Allowance, chunks
from kgate.errors import HostError
from kgate.metrics import measured
from kgate.model import Bound, Direction, Metric, Tolerance
from kgate.tensors import DTYPES, narrowed, widened
from kgate.tolerance import cap, declared, derived

FLOATS = sorted(name for name, dtype in DTYPES.items() if dtype.eps and dtype.parts == 1)
TRAINED = ["bfloat16", "float16", "float32"]
COARSER_BITS = {"bfloat16": 4, "float16": 8, "float32": 11}  # significands of float8_e4m3fn, bfloat16, TF32
LENGTHS = [64, 1024, 16384]


def rounded(values, dtype):
    return widened(narrowed(np.ascontiguousarray(values, np.float64).reshape(-1), DTYPES[dtype])).reshape(values.shape)


def coarse(values, dtype):
    fraction, exponent = np.frexp(values)
    return np.ldexp(np.rint(fraction * 2 ** COARSER_BITS[dtype]) / 2 ** COARSER_BITS[dtype], exponent)


def metrics(value, expected, dtype):
    allowance = Allowance(row=1.0)
    return measured(chunks(value, expected, dtype=DTYPES[dtype], shape=value.shape, allowance=allowance))


def within(value, expected, dtype, bound):
    found = metrics(value, expected, dtype)
    return found["row_error"].value <= bound.row_error and found["relative_l2"].value <= bound.relative_l2


def softmax(x):
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def gelu(x):
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)).astype(x.dtype))


def softmax_online(x):
    """As kernels do it: powers of two, and a sum of 32 lanes, all float32."""
    single = x.astype(np.float32)
    powers = np.exp2((single - single.max(axis=1, keepdims=True)) * np.float32(math.log2(math.e)))
    lanes = powers.reshape(len(powers), -1, 32).cumsum(axis=1, dtype=np.float32)[:, -1]
    return powers / lanes.cumsum(axis=1, dtype=np.float32)[:, -1:]


def product_in_sequence(a, b):
    """One float32 accumulator for each element, terms in order: the least exact honest sum."""
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(a.shape[1]):
        total += np.outer(a[:, k].astype(np.float32), b[k].astype(np.float32))
    return total


@pytest.fixture(params=[(dtype, length) for dtype in TRAINED for length in LENGTHS], ids=str)
def drawn(request):
    dtype, length = request.param
    generator = np.random.default_rng(0)
    return dtype, length, lambda *shape: rounded(generator.standard_normal(shape), dtype)


def test_an_honest_product_is_within_whatever_the_order_of_its_sum(drawn):
    dtype, length, normal = drawn
    a, b = normal(16, length), normal(length, 64)
    expected = a @ b
    fallback = rounded((a.astype(np.float32) @ b.astype(np.float32)), dtype)
    own = metrics(fallback, expected, dtype)

    custom = rounded(product_in_sequence(a, b), dtype)

    assert within(fallback, expected, dtype, cap(dtype, length))
    assert within(custom, expected, dtype, cap(dtype, length))
    assert within(custom, expected, dtype, derived(dtype, length, own))


def test_wrong_and_coarser_products_are_beyond(drawn):
    dtype, length, normal = drawn
    a, b = normal(16, length), normal(length, 64)
    expected = a @ b
    own = metrics(rounded(a.astype(np.float32) @ b.astype(np.float32), dtype), expected, dtype)
    shuffled = np.random.default_rng(1).permutation(expected.reshape(-1)).reshape(expected.shape)
    constant = np.full_like(expected, expected.mean())

    for wrong in (np.zeros_like(expected), constant, shuffled):
        assert not within(rounded(wrong, dtype), expected, dtype, cap(dtype, length))
    lower = coarse(coarse(a, dtype) @ coarse(b, dtype), dtype)
    assert not within(lower, expected, dtype, derived(dtype, length, own))


def test_an_honest_softmax_is_within_and_a_coarser_or_shuffled_one_beyond(drawn):
    dtype, length, normal = drawn
    x = rounded(4 * normal(16, length), dtype)
    expected = softmax(x)
    own = metrics(rounded(softmax(x.astype(np.float32)), dtype), expected, dtype)
    bound = derived(dtype, length, own)

    assert within(rounded(softmax_online(x), dtype), expected, dtype, bound)
    assert not within(coarse(softmax(coarse(x, dtype)), dtype), expected, dtype, bound)
    for wrong in (np.zeros_like(x), np.full_like(x, expected.mean()), expected[:, ::-1]):
        assert not within(rounded(wrong, dtype), expected, dtype, cap(dtype, length))


def test_a_fallback_that_rounds_after_every_operator_is_within_the_cap(drawn):
    dtype, length, normal = drawn
    x = normal(16, length)
    powers = rounded(np.exp(rounded(x - x.max(axis=1, keepdims=True), dtype)), dtype)
    normalised = rounded(powers / rounded(powers.sum(axis=1, keepdims=True), dtype), dtype)
    half = rounded(1 + rounded(np.vectorize(math.erf)(rounded(x / math.sqrt(2), dtype)), dtype), dtype)

    assert within(normalised, softmax(x), dtype, cap(dtype, length))
    assert within(rounded(rounded(0.5 * x, dtype) * half, dtype), gelu(x), dtype, cap(dtype, length))


def test_attention_operator_by_operator_is_within_the_cap():
    generator = np.random.default_rng(0)
    for dtype in TRAINED:
        q, k, v = (rounded(generator.standard_normal((512, 64)), dtype) for _ in range(3))
        scores = rounded(rounded(q @ k.T, dtype) / 8, dtype)
        powers = rounded(np.exp(scores - scores.max(axis=1, keepdims=True)), dtype)
        weights = rounded(powers / rounded(powers.sum(axis=1, keepdims=True), dtype), dtype)

        assert within(rounded(weights @ v, dtype), softmax(q @ k.T / 8) @ v, dtype, cap(dtype, 512))


@pytest.mark.parametrize("dtype", FLOATS)
def test_one_rounding_is_within_and_zeros_and_half_are_beyond_every_cap(dtype):
    expected = np.abs(np.random.default_rng(0).standard_normal((64, 256)))
    bound = cap(dtype, 16384)

    assert within(rounded(expected, dtype), expected, dtype, bound)
    for wrong in (0 * expected, 0 * expected + expected.max() / 2, expected[:, ::-1]):
        assert not within(rounded(wrong, dtype), expected, dtype, bound)


def own(row_error, relative_l2):
    named = {"row_error": row_error, "relative_l2": relative_l2}
    return {n: Metric(name=n, value=v, unit="", direction=Direction.LOWER) for n, v in named.items()}


def test_the_derived_bound_is_the_formula():
    found = derived("float32", 4096, own(1e-6, 2e-7))

    assert found.source == "derived"
    assert found.row_error == pytest.approx(2e-6 + 2 * 2**-23 + 64 * 2**-23)
    assert found.relative_l2 == pytest.approx(4e-7 + 2 * 2**-23 + 64 * 2**-23)


def test_float64_sums_are_counted_in_float64():
    assert derived("float64", 4096, own(0.0, 0.0)).row_error < 1e-13


@pytest.mark.parametrize("bad", [1.0, math.inf])
def test_a_wrong_fallback_widens_nothing(bad):
    limit, found = cap("bfloat16", 64), derived("bfloat16", 64, own(bad, bad))

    assert (found.row_error, found.relative_l2) == (limit.row_error, limit.relative_l2)


@pytest.mark.parametrize("fallback", [None, {}])
def test_without_a_fallbacks_numbers_the_cap_holds(fallback):
    limit, found = cap("float16", 64), derived("float16", 64, fallback)

    assert (found.row_error, found.relative_l2) == (limit.row_error, limit.relative_l2)


@pytest.mark.parametrize("dtype", ["int32", "uint8", "bool"])
def test_integers_and_bool_are_exact(dtype):
    assert cap(dtype, 64) == derived(dtype, 64, own(0.1, 0.1)) == Bound(source="cap", rtol=0.0, atol=0.0)


def test_every_dtype_has_a_cap_and_others_are_refused():
    assert all(cap(name, 1).source == "cap" for name in DTYPES)
    with pytest.raises(HostError, match="dtype float3: not supported"):
        cap("float3", 1)


def test_numbers_of_the_manifest_are_taken_as_they_are():
    found = declared(Tolerance(rtol=0.1, psnr=30.0))

    assert found == Bound(source="manifest", rtol=0.1, psnr=30.0)
