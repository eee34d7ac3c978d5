"""
Memory of a CPU's that shows who goes beyond it: a page behind it that no access survives, and marked bytes around it.

The data begin at 64 bytes, as torch's own allocator has it, so that up to 63 marked bytes may lie before the page.
"""

import ctypes
import mmap
from typing import Any

MARK = 0xFF  # NaN in every float dtype
ALIGNMENT_BYTES = 64  # of c10's CPU allocator
PROT_NONE = 0
GAPS_LIMIT_BYTES = 64 << 20  # of one storage: looking takes an index of its size


class Fence:
    """`size_bytes` of marked memory, given back with the last tensor on it. Raises OSError where there is none."""

    def __init__(self, size_bytes: int) -> None:
        self.size_bytes = size_bytes
        page = mmap.PAGESIZE
        room = -(-size_bytes // ALIGNMENT_BYTES) * ALIGNMENT_BYTES
        filled = -(-room // page) * page + page  # at least one page of marks before the data
        self.memory = mmap.mmap(-1, filled + page)
        self.start = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.offset = filled - room
        self.end = filled
        ctypes.memset(self.start, MARK, filled)
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mprotect(ctypes.c_void_p(self.start + filled), ctypes.c_size_t(page), PROT_NONE):
            raise OSError(ctypes.get_errno(), "mprotect")

    def storage(self) -> Any:
        """torch's storage of exactly these bytes; it keeps the memory alive."""
        import torch

        flat = torch.frombuffer(self.memory, dtype=torch.uint8, count=self.size_bytes, offset=self.offset)
        return flat.untyped_storage()

    @property
    def kept(self) -> bool:
        """Whether the bytes beside the data are still marked."""
        behind = self.offset + self.size_bytes
        return marked(self.start, self.offset) and marked(self.start + behind, self.end - behind)


def marked(address: int, count: int) -> bool:
    return ctypes.string_at(address, count).count(MARK) == count


def gaps_kept(tensor: Any) -> bool:
    """Whether what lies between the elements of a strided tensor is still marked; True where that is not looked at."""
    import torch

    element_bytes = tensor.element_size()
    span_bytes = tensor.untyped_storage().nbytes()
    if tensor.is_contiguous() or not tensor.numel() or span_bytes > GAPS_LIMIT_BYTES:
        return True
    owned = torch.zeros(span_bytes // element_bytes, dtype=torch.bool, device=tensor.device)
    owned.as_strided(tensor.shape, tensor.stride()).fill_(True)
    flat = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(tensor.untyped_storage())
    between = flat[: len(owned) * element_bytes].view(-1, element_bytes)[~owned]
    return bool((between == MARK).all())
