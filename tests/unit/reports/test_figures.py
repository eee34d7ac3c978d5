"""Numbers as people read them."""

import pytest

from kgate.figures import change, count, digits, size_of, time_of


@pytest.mark.parametrize(
    ("ns", "shown"),
    [(850.0, "850 ns"), (12_345.0, "12.3 µs"), (4_560_000.0, "4.56 ms"), (1.2e9, "1.20 s"), (0.0, "0 ns")],
)
def test_a_time_has_three_digits_and_a_fitting_unit(ns, shown):
    assert time_of(ns) == shown


@pytest.mark.parametrize(
    ("size_bytes", "shown"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1536, "1.50 KiB"),
        (4 << 20, "4.00 MiB"),
        (1000 << 20, "1000 MiB"),
        (3 << 40, "3072 GiB"),
    ],
)
def test_a_size_has_three_digits_and_a_fitting_power_of_1024(size_bytes, shown):
    assert size_of(size_bytes) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.25, "0.250"), (1e-7, "1.00e-07"), (123456.0, "1.23e+05"), (float("inf"), "inf"), (-3.5, "-3.50")],
)
def test_a_number_has_three_digits(value, shown):
    assert digits(value) == shown


def test_a_ratio_is_a_signed_percentage():
    assert (change(1.05), change(0.9), change(1.0)) == ("+5.0 %", "-10.0 %", "+0.0 %")


def test_a_count_agrees_with_its_word():
    assert (count(1, "launch", "launches"), count(2, "launch", "launches"), count(0, "case")) == (
        "1 launch",
        "2 launches",
        "0 cases",
    )
