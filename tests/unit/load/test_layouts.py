"""Strides, held against what NumPy does with views."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate.load import layouts

shapes = st.lists(st.integers(1, 5), min_size=2, max_size=4).map(tuple)


def in_elements(array: np.ndarray) -> tuple[int, ...]:
    return tuple(s // array.itemsize for s in array.strides)


@given(shapes)
def test_contiguous_is_numpys_c_order(shape: tuple[int, ...]) -> None:
    assert layouts.contiguous(shape) == in_elements(np.zeros(shape))


@given(shapes)
def test_transposed_is_a_contiguous_array_with_its_last_two_axes_swapped(shape: tuple[int, ...]) -> None:
    swapped = np.zeros((*shape[:-2], shape[-1], shape[-2])).swapaxes(-1, -2)

    assert swapped.shape == shape
    assert layouts.named("transposed", shape) == in_elements(swapped)


@given(shapes)
def test_sliced_is_the_left_half_of_a_wider_array(shape: tuple[int, ...]) -> None:
    half = np.zeros((*shape[:-1], 2 * shape[-1]))[..., : shape[-1]]

    assert layouts.named("sliced", shape) == in_elements(half)


# NumPy gives dimensions of size 1 a stride of 0 when it broadcasts; torch keeps theirs.
@given(st.lists(st.integers(2, 5), min_size=2, max_size=4).map(tuple))
def test_expanded_is_one_row_broadcast(shape: tuple[int, ...]) -> None:
    one = np.broadcast_to(np.zeros(shape[1:]), shape)

    assert layouts.named("expanded", shape) == in_elements(one)


@given(shapes, st.sampled_from(["transposed", "sliced", "expanded"]))
def test_every_named_layout_passes_the_check(shape: tuple[int, ...], name: str) -> None:
    layouts.check(shape, layouts.named(name, shape))


@given(shapes, st.lists(st.integers(1, 30), min_size=4, max_size=4))
def test_strides_that_pass_put_no_two_elements_in_one_place(shape: tuple[int, ...], drawn: list[int]) -> None:
    strides = tuple(drawn[: len(shape)])
    places = [sum(i * s for i, s in zip(index, strides, strict=True)) for index in np.ndindex(shape)]

    try:
        layouts.check(shape, strides)
    except layouts.LayoutError:
        return

    assert len(set(places)) == len(places)
    assert layouts.span(shape, strides) == max(places) + 1


def test_an_empty_tensor_and_a_scalar_have_layouts_too() -> None:
    assert layouts.contiguous((3, 0, 2)) == (2, 2, 1)
    assert layouts.contiguous(()) == ()
    assert layouts.span((3, 0), (0, 1)) == 0
    layouts.check((), ())


def test_a_storage_beyond_any_device_is_refused() -> None:
    with pytest.raises(layouts.LayoutError, match="fits no device"):
        layouts.check((2, 2), (1 << 41, 1))
