"""What is read out of compilers' files and messages: shared objects of nvcc, TileLang's sources, lines of output."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgate.worker.adapters import _cuda_libraries, _fatbin, _nvcc, _tilelang_kernels

CUBIN = b"\x7fELF" + bytes(60)
SQUEEZED = b"\x28\xb5\x2f\xfd" + bytes(60)  # the magic of Zstandard
PTX, MACHINE_CODE = 1, 2


def image(kind, arch, payload):
    """As nvcc 13.0 lays it out: a header of 64 bytes, the architecture at 28."""
    head = struct.pack("<HHIQ", kind, 0x101, 64, len(payload)).ljust(28, b"\0") + struct.pack("<I", arch)
    return head.ljust(64, b"\0") + payload


def fatbin(*images):
    content = b"".join(images)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(content)) + content


def test_every_image_with_machine_code_is_found_and_ptx_is_not():
    library = b"before" + fatbin(image(MACHINE_CODE, 80, CUBIN), image(PTX, 90, b"//.....\0")) + b"between"
    library += fatbin(image(MACHINE_CODE, 90, SQUEEZED))

    found = list(_fatbin.images(library))

    assert [(one.arch, one.cubin) for one in found] == [("sm_80", CUBIN), ("sm_90", None)]


def test_the_magic_by_chance_is_no_block():
    assert list(_fatbin.images(b"\x50\xed\x55\xba" * 9)) == []


@given(st.binary(max_size=300), st.integers(0, 300))
def test_a_file_that_was_cut_or_overwritten_is_read_to_its_end(noise, cut):
    whole = fatbin(image(MACHINE_CODE, 80, CUBIN)) + noise + fatbin(image(MACHINE_CODE, 90, CUBIN))

    found = list(_fatbin.images(whole[:cut] + noise))

    assert all(one.cubin is None or one.cubin.startswith(b"\x7fELF") for one in found)


# CUDA programming guide, "Binary compatibility": from one minor revision to the next, never back, never across majors.
@pytest.mark.parametrize(
    ("arch", "taken"),
    [
        ("sm_80", ["sm_80"]),
        ("sm_86", ["sm_86"]),
        ("sm_89", ["sm_86"]),
        ("sm_90", []),
        ("sm_75", []),
        ("", ["sm_80", "sm_86"]),
    ],
)
def test_a_gpu_takes_the_newest_code_of_its_own_major_architecture(arch, taken):
    images = [_fatbin.Image(arch=name, cubin=CUBIN) for name in ("sm_80", "sm_86")]

    assert [one.arch for one in _cuda_libraries.fitting(images, arch)] == taken


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ('/tmp/x/k.cu(3): error: name "f"\n1 error detected', 'k.cu(3): error: name "f"'),
        ("[1/2] g++ -Werror a.cpp\na.cpp:1:2: fatal error: b.h", "a.cpp:1:2: fatal error: b.h"),
        ("ptxas info\nptxas error   : Entry function 'k'", "ptxas error   : Entry function 'k'"),
        ("nvcc fatal   : Unsupported gpu architecture", "nvcc fatal   : Unsupported gpu architecture"),
        ("killed\nand more", "killed"),
        ("", ""),
    ],
)
def test_the_first_line_that_says_what_is_wrong_is_found(output, line):
    assert _nvcc.first_error(output) == line


DEVICE = """
extern "C" __global__ void first_kernel(float* x);
extern "C" __global__ void __launch_bounds__(128, 1) first_kernel(float* x) {
  extern __shared__ __align__(1024) uchar buf_dyn_shmem[];
}
extern "C" __global__ void __launch_bounds__(128, 1) second_kernel(float* x) {
}
"""
HOST = """
  (((TVMFFIAny*)stack_ffi_any)[1].v_int64) = ((int64_t)2);
  if (TVMFFIFunctionCall(__tvm_set_device_packed, (TVMFFIAny*) stack_ffi_any, 2, &result) != 0) {
  (((TVMFFIAny*)stack_ffi_any)[5].v_int64) = ((int64_t)24576);
  if (TVMFFIFunctionCall(first_kernel_packed, (TVMFFIAny*) stack_ffi_any, 6, &result) != 0) {
  (((TVMFFIAny*)stack_ffi_any)[4].v_int64) = ((int64_t)1);
  if (TVMFFIFunctionCall(second_kernel_packed, (TVMFFIAny*) stack_ffi_any, 5, &result) != 0) {
"""


def test_shared_memory_is_the_last_argument_of_a_launch_of_a_kernel_that_declares_some():
    assert _tilelang_kernels.launches_in(DEVICE, HOST) == {"first_kernel": 24576, "second_kernel": 0}


def test_launches_in_another_form_are_not_guessed():
    assert _tilelang_kernels.launches_in(DEVICE, HOST.replace("second_kernel_packed", "another")) is None
