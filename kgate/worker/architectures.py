"""
GPU architectures by name: the limit that every part of one keeps, and one part whose numbers stand for it.

For code that compiles, or asks, without a GPU. Nothing here is measured by kgate.
"""

from dataclasses import dataclass

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """
    `shared_limit_bytes`: shared memory that one block may have, after opting in: that of a multiprocessor less what
    CUDA reserves a block. Source: CUDA Programming Guide, technical specifications per compute capability, and
    arch_traits.h of CCCL, NVIDIA's own table in C++.

    The part's figures are of its data sheet or architecture white paper (L2 of Hopper and Blackwell: tuning guides).
    """

    major: int
    minor: int
    shared_limit_bytes: int
    shared_multiprocessor_bytes: int
    threads_per_multiprocessor: int
    part: str
    multiprocessors: int
    l2_bytes: int
    memory_bytes: int


def described(
    capability: tuple[int, int], shared_kib: tuple[int, int], threads: int, part: tuple[str, int, int, int]
) -> Architecture:
    """`shared_kib`: of a block and of a multiprocessor; `part`: name, multiprocessors, MiB of L2, GiB of memory."""
    name, multiprocessors, l2_mib, memory_gib = part
    return Architecture(
        major=capability[0],
        minor=capability[1],
        shared_limit_bytes=shared_kib[0] * KIB,
        shared_multiprocessor_bytes=shared_kib[1] * KIB,
        threads_per_multiprocessor=threads,
        part=name,
        multiprocessors=multiprocessors,
        l2_bytes=l2_mib * MIB,
        memory_bytes=memory_gib * GIB,
    )


def capability(arch: str) -> tuple[int, int]:
    """Major and minor of a name such as "sm_90a" or "sm_120"."""
    digits = "".join(character for character in arch if character.isdigit())
    return int(digits[:-1]), int(digits[-1])


ARCHITECTURES: dict[str, Architecture] = {
    "sm_75": described((7, 5), (64, 64), 1024, ("Tesla T4", 40, 4, 16)),
    "sm_80": described((8, 0), (163, 164), 2048, ("NVIDIA A100-SXM4-80GB", 108, 40, 80)),
    "sm_86": described((8, 6), (99, 100), 1536, ("NVIDIA A10", 72, 6, 24)),
    "sm_89": described((8, 9), (99, 100), 1536, ("NVIDIA L4", 58, 48, 24)),
    "sm_90": described((9, 0), (227, 228), 2048, ("NVIDIA H100 80GB HBM3", 132, 50, 80)),
    "sm_100": described((10, 0), (227, 228), 2048, ("NVIDIA B200", 148, 126, 180)),
    "sm_120": described((12, 0), (99, 100), 1536, ("NVIDIA GeForce RTX 5090", 170, 96, 32)),
}
