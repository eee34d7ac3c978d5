"""Recorded launches in a table: how far they differ, and by how much the slowed arm is slower."""

import math
import statistics
from collections.abc import Iterator, Sequence

from rates.recordings import BASE, HEAD, SLOWED, Recorded, Start, Taken
from tabulate import tabulate

ROBUST = 1.4826  # a median absolute deviation as a standard deviation, of normal values
HEADERS = ("kernel", "timer", "launches", "samples", "µs", "spread %", "mean %", "largest %", "slowed by % (launches)")


def summary(starts: Sequence[Start]) -> str:
    names = dict.fromkeys(name for start in starts for name in start.heading.kernels)
    launches = [r for start in starts for r in start.launches]
    rows = [row(name, [r.kernels[name] for r in launches if name in r.kernels]) for name in names]
    took = [r.took for r in launches]
    note = f"{len(launches)} launches, {statistics.fmean(took):.1f} s each" if took else "no launch"
    lines = [f"{note}; {throttled(launches_of(starts))}", *([spent(launches)] if took else [])]
    return "\n".join([tabulate(rows, headers=HEADERS, disable_numparse=True), *lines])


def spent(launches: Sequence[Recorded]) -> str:
    """Means over launches."""
    whole, busy = (statistics.fmean(getattr(r, name) for r in launches) for name in ("took", "busy"))
    names = dict.fromkeys(name for r in launches for name in r.spent)
    parts = {name: statistics.fmean(r.spent.get(name, 0.0) for r in launches) for name in names}
    told = ", ".join(f"{name} {s:.2f} s" for name, s in sorted(parts.items(), key=lambda part: -part[1]))
    return f"of a launch: device work of samples {busy:.2f} s ({busy / whole:.0%}); waited for: {told}"


def row(name: str, taken: Sequence[Taken]) -> tuple[str, ...]:
    clean = [log for t in taken if (log := median_log(t, HEAD)) is not None]
    if not clean:
        return (name, "–", "0")
    base = [ns for t in taken for ns in t.ns.get(BASE, ())]
    return (
        name,
        f"{taken[-1].method}, {taken[-1].calls}",
        str(len(clean)),
        str(len(base)),
        f"{statistics.median(base) / 1e3:.2f}",
        f"{100 * robust(clean):.3f}",
        f"{100 * statistics.fmean(clean):+.3f}",
        f"{100 * max(map(abs, clean)):.2f}",
        ", ".join(slowed(taken)),
    )


def slowed(taken: Sequence[Taken]) -> Iterator[str]:
    for way in dict.fromkeys(t.way for t in taken if t.way):
        logs = [log for t in taken if t.way == way and (log := median_log(t, SLOWED)) is not None]
        if logs:
            yield f"{way} {100 * math.expm1(statistics.median(logs)):.2f} ({len(logs)})"


def median_log(taken: Taken, arm: str) -> float | None:
    """The launch's number against base; None where either arm was not timed."""
    pairs = list(zip(taken.ns.get(arm, ()), taken.ns.get(BASE, ()), strict=False))
    return statistics.median(math.log(above / below) for above, below in pairs) if pairs else None


def robust(logs: Sequence[float]) -> float:
    centre = statistics.median(logs)
    return ROBUST * statistics.median(abs(log - centre) for log in logs)


def launches_of(starts: Sequence[Start]) -> list[Taken]:
    return [taken for start in starts for r in start.launches for taken in r.kernels.values()]


def throttled(taken: Sequence[Taken]) -> str:
    reasons = {reason for t in taken for reason in t.throttle.values()}
    clocks = [mhz for t in taken for mhz in t.mhz]
    clock = f"{min(clocks)}–{max(clocks)} MHz" if clocks else "clocks not told"
    return f"{clock}; throttled: {', '.join(sorted(reasons)) or 'never'}"
