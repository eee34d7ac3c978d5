"""The reader of cubin files, on one that nvcc made: tests/unit/data/spilling.cu says how, and what ptxas told of it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate.worker import cubin

RECORDED = (Path(__file__).parent / "data" / "spilling.cubin").read_bytes()
# Where sections of it begin, as `readelf -SW` prints them.
TEXT_SPILLED, DEBUG_FRAME, TOOL_NOTE = 0x900, 0x528, 0x5F0


def hashes(data: bytes) -> dict[str, str]:
    return {code.kernel: code.code_sha256 for code in cubin.read(data)}


def changed(at: int) -> bytes:
    return RECORDED[:at] + bytes([RECORDED[at] ^ 0xFF]) + RECORDED[at + 1 :]


def test_registers_and_memory_are_what_ptxas_says():
    told = {c.kernel: (c.registers, c.shared_bytes, c.local_bytes) for c in cubin.read(RECORDED)}

    assert told == {"spilled": (24, 0, 24), "shared": (14, 1200, 0)}


def test_a_changed_instruction_changes_the_hash_of_its_kernel_and_of_no_other():
    before, after = hashes(RECORDED), hashes(changed(TEXT_SPILLED))

    assert before["spilled"] != after["spilled"]
    assert before["shared"] == after["shared"]


@pytest.mark.parametrize("place", [DEBUG_FRAME, TOOL_NOTE + 0x40])
def test_what_debuggers_read_and_what_names_the_compiler_counts_for_nothing(place):
    assert hashes(changed(place)) == hashes(RECORDED)


@pytest.mark.parametrize("data", [b"", b".version 8.6\n.target sm_90\n", Path(__file__).read_bytes()])
def test_what_is_no_cubin_is_refused(data):
    with pytest.raises(ValueError, match="no ELF file for a GPU"):
        cubin.read(data)


@given(st.integers(min_value=20, max_value=len(RECORDED) - 1))
def test_a_file_that_was_cut_short_is_refused(size):
    with pytest.raises(ValueError, match="broken ELF file"):
        cubin.read(RECORDED[:size])


@given(st.integers(min_value=0, max_value=len(RECORDED) - 1), st.integers(min_value=0, max_value=255))
def test_any_changed_byte_is_read_or_refused(place, value):
    data = RECORDED[:place] + bytes([value]) + RECORDED[place + 1 :]

    try:
        codes = cubin.read(data)
    except ValueError as error:
        assert str(error).startswith("cubin: ")  # noqa: PT017  either outcome is right
    else:
        assert all(code.registers >= 0 for code in codes)


def test_a_cubin_that_many_kernels_share_is_read_once():
    first = cubin.read(RECORDED)

    assert cubin.read(RECORDED) is first
