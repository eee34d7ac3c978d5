"""Numbers as people read them: three digits, a fitting unit, a sign where it matters. Shared by rules and reports."""

import math


def time_of(ns: float) -> str:
    """`850 ns`, `12.3 µs`, `4.56 ms`, `1.20 s`."""
    for limit, factor, unit in ((1e3, 1.0, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms")):
        if ns < limit:
            return f"{digits(ns / factor)} {unit}"
    return f"{digits(ns / 1e9)} s"


def size_of(size_bytes: float) -> str:
    """`512 B`, `1.50 KiB`, `4.00 MiB`, `2.25 GiB`."""
    if size_bytes < 1 << 10:
        return f"{size_bytes:g} B"
    for factor, unit in ((1 << 10, "KiB"), (1 << 20, "MiB")):
        if size_bytes < factor << 10:
            return f"{digits(size_bytes / factor)} {unit}"
    return f"{digits(size_bytes / (1 << 30))} GiB"


def digits(value: float) -> str:
    """Three significant digits without an exponent, where that is short."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    if 1e-3 <= abs(value) < 1e5:
        places = max(0, 2 - math.floor(math.log10(abs(value))))
        return f"{value:.{places}f}"
    return f"{value:.2e}"


def change(ratio: float) -> str:
    """A ratio as a signed percentage: 1.05 is `+5.0 %`."""
    return f"{(ratio - 1) * 100:+.1f} %"


def margin(ratio: float) -> str:
    """A limit as it is spoken of: 1.03 is `+3 %`."""
    return f"{(ratio - 1) * 100:+.3g} %"


def factor(ratio: float) -> str:
    return f"{ratio:.2f}×"


def interval(low: float, high: float) -> str:
    """An interval of ratios as percentages: `+3.1 … +7.2 %`."""
    return f"{(low - 1) * 100:+.1f} … {(high - 1) * 100:+.1f} %"


def count(number: int, word: str, plural: str = "") -> str:
    return f"{number} {word if number == 1 else plural or word + 's'}"


def rate(hits: int, of: int, bound: float) -> str:
    """`0 of 600 (≤ 0.5 %)`: a count with the upper bound of its chance."""
    percent = f"{100 * bound:.2g}" if bound < 0.995 else "100"
    return f"{hits} of {of} (≤ {percent} %)"
