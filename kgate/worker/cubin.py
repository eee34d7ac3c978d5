"""
What a cubin says of its kernels: registers, shared and local memory, and a hash of the machine code.

A cubin is an ELF64 file; its own parts are not documented. Where each number here is from:

ELF_*, SHT_*, STT_*   the ELF specification (gabi), also in elf.h
STO_ENTRY             cuda-gdb, cuda-tdep.c, as STO_CUDA_ENTRY; `cuobjdump -elf` prints the same column as "other"
EIATTR_*, EIFMT_SVAL  nvdisasm prints each attribute of .nv.info with its name and its two bytes, `.byte 0x04, 0x2f`
RESERVED_*            reservedSharedMemPerBlock of cudaDeviceProp; from sm_90 on, ptxas puts it in front of the kernel's
                      own shared memory, but `ptxas -v` and cudaFuncAttributes do not count it

All numbers are those that `ptxas -v` prints for the same kernel: registers, bytes smem, bytes cumulative stack size.
"""

import hashlib
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

ELF_MAGIC = b"\x7fELF\x02\x01"  # 64 bits, little endian
EM_CUDA = 190
SHT_SYMTAB, SHT_RELA, SHT_NOBITS, SHT_REL = 2, 4, 8, 9
STT_OBJECT, STT_FUNC = 1, 2
STO_ENTRY = 0x10
EIFMT_SVAL = 4  # two bytes of size and then the value; in the other formats these two bytes are the value
EIATTR_REGCOUNT, EIATTR_MIN_STACK_SIZE = 0x2F, 0x12
RESERVED_SECTION, RESERVED_BYTES = ".nv.shared.reserved.0", 1024
INITIALISED = ".nv.global.init"

# Bank 0 is left out: it holds the arguments, filled in at launch.
CONSTANTS = re.compile(r"\.nv\.constant[1-9][0-9]*(?:\.(?P<kernel>.+))?")


@dataclass(frozen=True, kw_only=True)
class Code:
    """One kernel of a cubin."""

    kernel: str
    registers: int  # per thread
    shared_bytes: int  # static, per block
    local_bytes: int  # per thread, with the functions it calls: spilled registers and arrays
    code_sha256: str


@dataclass(frozen=True, kw_only=True)
class Section:
    index: int
    name: str
    kind: int
    content: bytes  # b"" for what is only reserved
    size: int
    link: int
    info: int


@dataclass(frozen=True, kw_only=True)
class Symbol:
    index: int
    name: str
    kind: int
    other: int
    section: int  # 0 if it is defined elsewhere
    value: int
    size: int


@dataclass(frozen=True, kw_only=True)
class Relocation:
    """A place of a section that is filled with the address of a symbol when the code is loaded."""

    offset: int
    kind: int
    symbol: int
    addend: int


@dataclass(frozen=True, kw_only=True)
class Region:
    """A whole section, or one object of it: what a relocation points into."""

    section: int
    start: int
    end: int


@dataclass(frozen=True)
class Elf:
    data: bytes

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        (table,) = struct.unpack_from("<Q", self.data, 40)
        count, names = struct.unpack_from("<2H", self.data, 60)
        rows = list(struct.iter_unpack("<2I4Q2I16x", self.cut(table, 64 * count)))
        strings = self.cut(*rows[names][4:6])
        return tuple(
            Section(
                index=index,
                name=text_at(strings, row[0]),
                kind=row[1],
                content=b"" if row[1] == SHT_NOBITS else self.cut(row[4], row[5]),
                size=row[5],
                link=row[6],
                info=row[7],
            )
            for index, row in enumerate(rows)
        )

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        table = next((section for section in self.sections if section.kind == SHT_SYMTAB), None)
        if table is None:
            return ()
        strings = self.sections[table.link].content
        return tuple(
            Symbol(
                index=index,
                name=text_at(strings, name),
                kind=info & 15,
                other=other,
                section=section,
                value=value,
                size=size,
            )
            for index, (name, info, other, section, value, size) in enumerate(
                struct.iter_unpack("<I2BH2Q", table.content)
            )
        )

    @cached_property
    def named(self) -> dict[str, Section]:
        return {section.name: section for section in self.sections}

    def segments(self) -> bytes:
        """They come last in a file, so that one cut short misses them at the least."""
        (table,) = struct.unpack_from("<Q", self.data, 32)
        (count,) = struct.unpack_from("<H", self.data, 56)
        return self.cut(table, 56 * count)

    def cut(self, offset: int, size: int) -> bytes:
        if offset + size > len(self.data):
            raise ValueError(f"{len(self.data)} bytes, and a part of it ends at {offset + size}")
        return self.data[offset : offset + size]

    def relocations(self, section: int) -> Iterator[Relocation]:
        for table in self.sections:
            if table.info == section and table.kind in (SHT_REL, SHT_RELA):
                rows = struct.iter_unpack("<2Qq" if table.kind == SHT_RELA else "<2Q", table.content)
                for offset, info, *addend in rows:
                    yield Relocation(offset=offset, kind=info & 0xFFFFFFFF, symbol=info >> 32, addend=sum(addend))

    def region_at(self, section: int, place: int) -> Region:
        """The object that covers the place, or the whole section."""
        for symbol in self.symbols:
            covers = symbol.value <= place < symbol.value + symbol.size
            if symbol.kind == STT_OBJECT and symbol.section == section and covers:
                return Region(section=section, start=symbol.value, end=symbol.value + symbol.size)
        return self.whole(self.sections[section])

    def whole(self, section: Section) -> Region:
        return Region(section=section.index, start=0, end=section.size)


@lru_cache(maxsize=1)  # a library's kernels are told of one after the other, and share its cubin of many megabytes
def read(data: bytes) -> tuple[Code, ...]:
    """Its kernels, in the order of its symbols. Raises ValueError, with a sentence, for what is no cubin."""
    if not data.startswith(ELF_MAGIC) or data[18:20] != EM_CUDA.to_bytes(2, "little"):
        raise ValueError(f"cubin: no ELF file for a GPU, it begins with {data[:8]!r}")
    try:
        elf = Elf(data)
        elf.segments()
        entries = [symbol for symbol in elf.symbols if symbol.kind == STT_FUNC and symbol.other & STO_ENTRY]
        return tuple(code_of(elf, entry) for entry in entries)
    except (struct.error, LookupError, ValueError) as error:
        raise ValueError(f"cubin: a broken ELF file ({type(error).__name__}: {error})") from error


def code_of(elf: Elf, entry: Symbol) -> Code:
    facts = attributes(elf)
    shared = elf.named.get(f".nv.shared.{entry.name}")
    reserved = RESERVED_BYTES if RESERVED_SECTION in elf.named else 0
    return Code(
        kernel=entry.name,
        registers=facts[EIATTR_REGCOUNT, entry.index],
        shared_bytes=max(0, shared.size - reserved) if shared else 0,
        local_bytes=facts.get((EIATTR_MIN_STACK_SIZE, entry.index), 0),
        code_sha256=hash_of(elf, entry.name),
    )


def attributes(elf: Elf) -> dict[tuple[int, int], int]:
    """Attribute and symbol -> value, of the attributes that hold one number for one function."""
    found = {}
    content = elf.named[".nv.info"].content
    place = 0
    while place < len(content):
        form, attribute, size = struct.unpack_from("<2BH", content, place)
        place += 4
        if form == EIFMT_SVAL:
            if size == 8:
                symbol, value = struct.unpack_from("<2I", content, place)
                found[attribute, symbol] = value
            place += size
    return found


def hash_of(elf: Elf, kernel: str) -> str:
    """
    Of the code and the constants, and of all that their relocations lead to.

    What lies in the file is named by the order in which it is met: names and addresses may hold the path of a source,
    or follow from its length. Text is left out likewise; it is what assertions and printf say. Constants of the whole
    module count for each of its kernels.
    """
    regions = [elf.whole(elf.named[f".text.{kernel}"])]
    for section in elf.sections:
        constants = CONSTANTS.fullmatch(section.name)
        if constants and constants["kernel"] in (None, kernel):
            regions.append(elf.whole(section))
    told = hashlib.sha256()
    for region in regions:  # grows
        told.update(told_of(elf, region))
        inside = [r for r in elf.relocations(region.section) if region.start <= r.offset < region.end]
        for relocation in sorted(inside, key=lambda r: r.offset):
            told.update(f"{relocation.offset - region.start} {relocation.kind} ".encode())
            told.update(target_of(elf, relocation, regions).encode())
    return told.hexdigest()


def told_of(elf: Elf, region: Region) -> bytes:
    section = elf.sections[region.section]
    content = section.content[region.start : region.end]
    if section.name == INITIALISED and is_text(content):
        return b"text "
    return f"{region.end - region.start} ".encode() + content


def is_text(content: bytes) -> bool:
    try:
        return content[-1:] == b"\0" and all(c.isprintable() or c.isspace() for c in content[:-1].decode())
    except UnicodeDecodeError:
        return False


def target_of(elf: Elf, relocation: Relocation, regions: list[Region]) -> str:
    """Adds the region to `regions` if it was not met before."""
    symbol = elf.symbols[relocation.symbol]
    if not 0 < symbol.section < len(elf.sections):
        return f"{symbol.name}+{relocation.addend} "
    place = symbol.value + relocation.addend
    region = elf.region_at(symbol.section, place)
    if region not in regions:
        regions.append(region)
    return f"{regions.index(region)}+{place - region.start} "


def text_at(strings: bytes, offset: int) -> str:
    return strings[offset : strings.index(b"\0", offset)].decode()
