"""
Machine code inside shared objects: nvcc packs one image per architecture into blocks that it calls fatbins.

Their layout is documented nowhere. What is read here was seen in the output of nvcc 13.0 and agrees with what free
implementations of the CUDA driver read: a block begins with MAGIC, its version, the size of its header and the size of
what follows; each image in it begins with its kind, a version, the size of its header and its own padded size.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

MAGIC = struct.pack("<I", 0xBA55ED50)
BLOCK = struct.Struct("<IHHQ")  # magic, version, bytes of header, bytes that follow
IMAGE = struct.Struct("<HHIQ")  # kind, version, bytes of header, bytes of payload with padding
ARCH_AT = 28  # bytes into an image's header: 90, a uint32
MACHINE_CODE = 2  # the kind; 1 is PTX
ELF = b"\x7fELF"


@dataclass(frozen=True, kw_only=True)
class Image:
    arch: str  # "sm_90"; whether it is "sm_90a" stands in the machine code alone
    cubin: bytes | None  # None where it is compressed


def images(data: bytes) -> Iterator[Image]:
    """Those with machine code, in the order they lie in a shared object or an object file."""
    at = data.find(MAGIC)
    while at >= 0:
        end = at + len(MAGIC)
        if at + BLOCK.size <= len(data):
            _, version, header, size = BLOCK.unpack_from(data, at)
            # Four bytes may be there by chance; a block of version 1 that fits is not.
            if version == 1 and header == BLOCK.size and at + header + size <= len(data):
                end = at + header + size
                yield from images_of(data[at + header : end])
        at = data.find(MAGIC, end)


def images_of(block: bytes) -> Iterator[Image]:
    at = 0
    while at + IMAGE.size <= len(block):
        kind, _, header, padded = IMAGE.unpack_from(block, at)
        payload = block[at + header : at + header + padded]
        if header <= ARCH_AT or not payload:
            return
        if kind == MACHINE_CODE:
            (arch,) = struct.unpack_from("<I", block, at + ARCH_AT)
            yield Image(arch=f"sm_{arch}", cubin=payload if payload.startswith(ELF) else None)
        at += header + padded
