"""The evidence of a group of findings: once where its cases agree, by workload where they differ."""

import re
from collections.abc import Iterator

from kgate.model import Finding
from kgate.reports._view import Group

TRACE = "trace"
TRACE_LINES = 3  # the end tells most; the whole of it is in the JSON report
CASES = 3  # shown one by one; the others are in the JSON report
FRAME = re.compile(r'\s*File "(?P<path>[^"]+)", line \d')
# Where a user's own code is not: installed packages, Python's library, code without a file.
LIBRARY = re.compile(r"site-packages|dist-packages|/lib/python\d|^<")


def evidence(group: Group) -> Iterator[tuple[str, str]]:
    """(label, value), traces left out: what all cases share by its name, the rest by workload."""
    first, *others = group.findings
    shared = {
        key: value
        for key, value in first.evidence.items()
        if key != TRACE and all(other.evidence.get(key) == value for other in others)
    }
    yield from shared.items()
    apart = [(workload_of(f), own) for f in group.findings if (own := differing(f, shared))]
    yield from apart[:CASES]
    if len(apart) > CASES:
        yield "others", f"{len(apart) - CASES} more with --format json"


def differing(finding: Finding, shared: dict[str, str]) -> str:
    """`head 11.0 µs, base 10.0 µs`."""
    return ", ".join(f"{key} {value}" for key, value in finding.evidence.items() if key not in (*shared, TRACE))


def trace(group: Group) -> tuple[str, tuple[str, ...]]:
    """The label of the first trace (with its workload, where others differ) and its few lines; none is ("", ())."""
    told = [f for f in group.findings if TRACE in f.evidence]
    if not told:
        return "", ()
    alike = len({f.evidence[TRACE] for f in told}) == 1
    return TRACE if alike else f"{TRACE} of {workload_of(told[0])}", shortened(told[0].evidence[TRACE])


def shortened(detail: str) -> tuple[str, ...]:
    """The last frame of the user's own code and the error; without such a frame the last lines."""
    spoken = [line.removeprefix("  ") for line in detail.splitlines() if line.strip(" ^~\t")]
    own = [n for n, line in enumerate(spoken) if (found := FRAME.match(line)) and not LIBRARY.search(found["path"])]
    if not own or len(spoken) - own[-1] <= TRACE_LINES:
        return tuple(spoken[-TRACE_LINES:])
    at = own[-1]
    source = spoken[at + 1 : at + 2] if not FRAME.match(spoken[at + 1]) else []
    return (spoken[at], *source, spoken[-1])


def workload_of(finding: Finding) -> str:
    return finding.name.removeprefix(f"{finding.kernel}/")
