"""What a workload's own numbers say about the least time that it can take."""

import pytest

from kgate.protocol import Fill, ListArg, TensorArg, ValueArg
from kgate.runner.roofline import Floor, floor_of
from tests.unit import builders

PEAKS = {"peak-bytes-per-s": 4e12, "peak-flops-per-s": 8e14}
NORMAL = Fill(kind="normal")


def tensor(dtype: str) -> TensorArg:
    return TensorArg(shape=(4,), dtype=dtype, fill=NORMAL, stream=1)


def ns(**work) -> float:
    found = floor_of(builders.workload("w", **work), PEAKS)
    assert isinstance(found, Floor)
    return found.ns


def test_bytes_over_bandwidth_and_operations_over_rate_less_ten_percent_whichever_is_longer():
    assert ns(moved_bytes=4e6) == pytest.approx(900)
    assert ns(flops=8e8) == pytest.approx(900)
    assert ns(moved_bytes=4e6, flops=16e8) == pytest.approx(1800)


@pytest.mark.parametrize("args", [{"x": tensor("float8_e4m3fn")}, {"x": ListArg(items=(tensor("uint8"),))}])
def test_narrow_values_may_be_multiplied_four_times_as_fast(args):
    assert ns(flops=8e8, args=args) == pytest.approx(225)
    assert ns(moved_bytes=4e6, args=args) == pytest.approx(900)


def test_masks_and_wider_values_are_not_narrow():
    assert ns(flops=8e8, args={"x": tensor("bfloat16"), "m": tensor("bool"), "n": ValueArg(value=8)}) == 900.0


def test_without_numbers_or_peaks_there_is_no_bound():
    assert floor_of(builders.workload("w"), PEAKS) is None
    assert floor_of(builders.workload("w", flops=1e9, moved_bytes=1e9), {}) is None
    assert floor_of(builders.workload("w", flops=0.0, moved_bytes=0.0), PEAKS) is None


def test_the_sentence_names_the_field_of_the_manifest_and_both_numbers():
    found = floor_of(builders.workload("w", moved_bytes=4e6), PEAKS)

    assert found is not None
    assert found.text == (
        "less than 900 ns is not possible (`bytes` of the workload says 4e+06, and this device moves 4e+12 a second)"
    )
