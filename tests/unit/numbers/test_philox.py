"""The generator against its authors' known answers, and every fill against its definition."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate import philox
from kgate.protocol import Fill, TensorArg

# Random123 v1.14.0, tests/kat_vectors, lines "philox4x32 10": counter, key, answer.
KNOWN = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


def numbers(text: str) -> list[int]:
    return [int(word, 16) for word in text.split()]


def spec(kind: str, a: float = 0.0, b: float = 0.0, **other: object) -> TensorArg:
    fields: dict[str, object] = {"shape": (4096,), "dtype": "float64", "stream": 7, **other}
    return TensorArg(fill=Fill(kind=kind, a=a, b=b, table=f"{kind}.bin"), **fields)  # type: ignore[arg-type]


def drawn(arg: TensorArg) -> np.ndarray:
    kinds = {"normal": "<f8", "zipf": "<u4"}
    found = {name: np.frombuffer(data, kinds[arg.fill.kind]) for name, data in philox.tables(arg).items()}
    return philox.draw(arg, found)


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN)
def test_a_block_is_the_published_known_answer(counter, key, answer):
    arrays = [np.array([word], np.uint64) for word in numbers(counter)]

    block = philox.philox(tuple(arrays), tuple(numbers(key)))

    assert [int(word[0]) for word in block] == numbers(answer)


def test_word_i_is_lane_i_mod_4_of_block_i_div_4():
    assert [f"{word:08x}" for word in philox.words(0, 0, 4)] == KNOWN[0][2].split()
    assert philox.words(0, 2, 1)[0] == 0xBC57AC4C


def test_the_stream_is_the_key_and_the_purpose_the_third_counter_word():
    stream, purpose = (5 << 32) | 9, philox.ZEROS
    block = philox.philox(tuple(np.array([w], np.uint64) for w in (3, 0, purpose, 0)), (9, 5))

    assert philox.words(stream, 12, 4, purpose).tolist() == [int(word[0]) for word in block]


@given(stream=st.integers(0, 2**64 - 1), first=st.integers(0, 2**40), count=st.integers(0, 40))
def test_words_do_not_depend_on_where_one_starts(stream, first, count):
    whole = philox.words(stream, first, count)

    parts = [philox.words(stream, first + i, 1) for i in range(count)]

    assert whole.tolist() == [int(part[0]) for part in parts]


@given(u=st.integers(0, 2**32 - 1), a=st.integers(-(2**40), 2**40), span=st.integers(1, 2**32))
def test_integers_equal_pythons_own_and_the_form_for_63_bits(u, a, span):
    fill = Fill(kind="integers", a=float(a), b=float(a + span))

    value = philox._integers(fill, np.array([u], np.uint32))[0]

    assert int(value) == a + u * span // 2**32
    assert int(value) == a + (((u >> 16) * span + ((u & 0xFFFF) * span >> 16)) >> 16)


def test_uniform_is_the_upper_24_bits_between_the_ends():
    values = drawn(spec("uniform", -2.0, 6.0))

    expected = [-2.0 + 8.0 * ((int(u) >> 8) / 2**24) for u in philox.words(7, 0, 4096)]
    assert values.tolist() == expected


def test_normal_values_have_the_moments_of_the_normal_distribution():
    values = drawn(spec("normal", 1.0, 2.0, shape=(1 << 18,)))

    assert values.mean() == pytest.approx(1.0, abs=5 * 2 / 512)  # five standard errors
    assert values.std() == pytest.approx(2.0, rel=0.01)


def test_the_normal_table_holds_symmetric_quantiles_on_a_grid():
    table = np.frombuffer(philox.tables(spec("normal"))["normal.bin"], "<f8")

    assert table.shape == (65536,)
    assert (table * 2**20 == np.rint(table * 2**20)).all()
    assert (table == -table[::-1]).all()
    assert (np.diff(table) >= 0).all()
    cdf = np.array([0.5 * math.erfc(-x / math.sqrt(2)) for x in table[::4096]])
    assert cdf == pytest.approx((np.arange(0, 65536, 4096) + 0.5) / 65536, abs=1e-6)


def test_zipf_draws_each_index_by_its_weight():
    counts = np.bincount(drawn(spec("zipf", 1.0, 4.0, shape=(1 << 18,))).astype(int), minlength=4)

    weights = np.array([1, 1 / 2, 1 / 3, 1 / 4])
    assert counts / (1 << 18) == pytest.approx(weights / weights.sum(), abs=0.005)


def test_the_last_zipf_index_holds_even_for_the_largest_word():
    fill = Fill(kind="zipf", a=1.0, b=3.0, table="z")
    table = philox._zipf_table(1.0, 3)

    values = philox._filled(fill, np.array([0, 2**32 - 1], np.uint32), {"z": table})

    assert values.tolist() == [0, 2]


@pytest.mark.parametrize(("share", "ones"), [(0.0, 0), (1.0, 4096)])
def test_a_mask_of_nothing_and_of_everything(share, ones):
    assert drawn(spec("mask", share, dtype="bool")).sum() == ones


def test_zeros_come_from_a_stream_of_their_own():
    full = drawn(spec("uniform", 1.0, 2.0))

    half = drawn(spec("uniform", 1.0, 2.0, zeros=0.5))

    assert ((half == 0) | (half == full)).all()
    assert ((half == 0) == (philox.words(7, 0, 4096, philox.ZEROS) < 2**31)).all()


def test_scale_multiplies_before_rounding_to_the_dtype():
    values = drawn(spec("constant", 1.0, dtype="bfloat16", scale=1 + 2**-9, shape=(1,)))

    assert float(values[0]) == 1.0


@pytest.mark.parametrize(
    ("dtype", "largest"), [("float8_e4m3fn", 448), ("float8_e5m2", 57344), ("float8_e4m3fnuz", 240)]
)
def test_fp8_saturates(dtype, largest):
    assert drawn(spec("constant", -1e30, dtype=dtype, shape=(1,))).astype(float).tolist() == [-largest]


def test_float64_goes_to_narrow_types_by_way_of_float32():
    # 1 + 2**-11 + 2**-40 is above the tie of float16 and at it in float32, where ties go to even.
    assert float(drawn(spec("constant", 1 + 2**-11 + 2**-40, dtype="float16", shape=(1,)))[0]) == 1.0


@pytest.mark.parametrize(("dtype", "value"), [("uint8", 255), ("int8", 127), ("int64", 2**53)])
def test_integers_are_clamped_to_what_the_dtype_holds(dtype, value):
    assert drawn(spec("constant", 1e300, dtype=dtype, shape=(1,))).tolist() == [value]


def test_complex_values_are_pairs_of_floats():
    pairs = drawn(spec("uniform", 0.0, 1.0, dtype="float32", shape=(8, 2)))

    values = drawn(spec("uniform", 0.0, 1.0, dtype="complex64", shape=(8,)))

    assert values.view(np.float32).tolist() == pairs.reshape(-1).tolist()


def test_a_long_draw_equals_its_words_one_by_one():
    count = philox._CHUNK_ELEMENTS + 5

    values = drawn(spec("integers", 0, 2**32, shape=(count,)))

    assert values[-7:].tolist() == philox.words(7, count - 7, 7).tolist()


@pytest.mark.parametrize("ends", [(3, 3), (5, 1), (0, 2**32 + 1)])
def test_an_empty_or_too_wide_range_of_integers_is_refused(ends):
    with pytest.raises(ValueError, match=r"must hold 1 to 2\*\*32 integers"):
        drawn(spec("integers", *ends))


def test_an_empty_tensor_is_drawn_empty():
    assert drawn(spec("uniform", 0, 1, shape=(3, 0))).shape == (3, 0)


def test_seed_0_changes_nothing():
    values = np.arange(12).reshape(3, 4)

    assert (philox.refresh(values, 0) == values).all()


@given(seed=st.integers(1, 2**64 - 1), count=st.integers(0, 50))
def test_a_refresh_rolls_by_the_seeds_offset(seed, count):
    values = np.arange(count)

    moved = philox.refresh(values, seed).tolist()

    offset = (seed * 0x9E3779B97F4A7C15 % 2**64) % max(count, 1)
    assert moved == [(i - offset) % count for i in range(count)]


def test_tables_are_written_once_and_given_back(tmp_path):
    normal, uniform = spec("normal"), spec("uniform")

    found = philox.write_tables(tmp_path, [normal, uniform, normal])

    assert [path.name for path in tmp_path.iterdir()] == ["normal.bin"]
    assert (found["normal.bin"] == np.fromfile(tmp_path / "normal.bin", "<f8")).all()
