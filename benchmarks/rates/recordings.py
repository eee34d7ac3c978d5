"""
Recorded launches as files: written by record.py launch by launch, read by error_rates.py.

One file is one start of a machine, START.jsonl.gz. Its first line says what was recorded, on what and when; each other
line is one launch. A line is a gzip member of its own, so that a recording that was cut short can be read, and gone on
with. benchmarks/data/README.md has the fields.
"""

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

SUFFIX = ".jsonl.gz"
FORMAT = 1
HEAD, BASE, SLOWED = "head", "base", "slowed"
GATE = "gate"


@dataclass(frozen=True, kw_only=True)
class Heading:
    """`kernels`: in words; `doses`: by kernel and way, what slows it down, and its dose as first measured."""

    start: str
    date: str
    fingerprint: Mapping[str, str]
    zygotes: int  # an arm
    kernels: Mapping[str, str]
    doses: Mapping[str, Mapping[str, tuple[str, float]]]
    format: int = FORMAT


@dataclass(frozen=True, kw_only=True)
class Taken:
    """
    One kernel in one launch. `ns`: by arm, whole nanoseconds a call of each sample, in the order taken; `slowed` is
    the arm that is slower in this `way`. `mhz`: the multiprocessors' clock, least and most; `throttle`: by arm, and
    under "gate" where the gate itself has asked the driver.
    """

    method: str
    calls: int
    ns: Mapping[str, Sequence[int]]
    way: str = ""
    mhz: Sequence[int] = ()
    celsius: int = 0
    watts: int = 0
    throttle: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """
    `zygote`: which of the processes forked from; `second`: when it began, since the first of its command; `busy`:
    seconds of device work of the samples, flushes included; `spent`: seconds by what the arms were asked for.
    """

    launch: int
    zygote: int
    second: float
    took: float
    kernels: Mapping[str, Taken]
    busy: float = 0.0
    spent: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Start:
    heading: Heading
    launches: Sequence[Recorded]


def append(path: Path, line: Heading | Recorded) -> None:
    """Whole, or not at all for a reader: a member that was cut short is left out by `read`."""
    text = json.dumps(asdict(line), separators=(",", ":"))
    with path.open("ab") as file:
        file.write(gzip.compress(text.encode() + b"\n", mtime=0))


def read(path: Path) -> Start | None:
    """None where there is no heading: no such file, or nothing whole in it. Raises ValueError for another format."""
    lines = [json.loads(line) for line in whole(path)]
    if not lines:
        return None
    if lines[0].get("format") != FORMAT:
        raise ValueError(f"{path}: format {lines[0].get('format')}, where {FORMAT} is read; record it anew")
    return Start(heading=heading(lines[0]), launches=[recorded(line) for line in lines[1:]])


def read_all(folder: Path) -> list[Start]:
    found = [read(path) for path in sorted(folder.glob(f"*{SUFFIX}"))]
    return [start for start in found if start is not None]


def whole(path: Path) -> Iterator[str]:
    """The members of the file up to the first that is cut short."""
    rest = path.read_bytes() if path.exists() else b""
    while rest:
        inflate = zlib.decompressobj(wbits=31)
        try:
            text = inflate.decompress(rest)
        except zlib.error:
            return
        if not inflate.eof:
            return
        yield text.decode()
        rest = inflate.unused_data


def heading(fields: Mapping[str, Any]) -> Heading:
    doses = {
        kernel: {way: (str(what), float(dose)) for way, (what, dose) in ways.items()}
        for kernel, ways in fields["doses"].items()
    }
    return Heading(**{**fields, "doses": doses})


def recorded(fields: Mapping[str, Any]) -> Recorded:
    kernels = {name: Taken(**taken) for name, taken in fields["kernels"].items()}
    return Recorded(**{**fields, "kernels": kernels})
