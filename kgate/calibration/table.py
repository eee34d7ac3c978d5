"""A calibration for people and for programs."""

import json
import textwrap
from collections.abc import Iterator

from tabulate import tabulate

from kgate import __version__, figures
from kgate.calibration import Calibrated
from kgate.escape import plain
from kgate.figures import change, count
from kgate.load import calibrations
from kgate.model import CalibratedCase, Calibration, Counted, Level

HEADERS = ("case", "launches", "bias", "launch", "start", "rebuild", "day", "clean not green", "+5 % passed", "level")
ALIGNED = ("left", *("right",) * 8, "left")
LEGEND = (
    "launch, start, rebuild, day: the spread that each adds to the log ratio of the same code in two arms, – where it "
    "cannot be told apart; the two rates are of replayed launches of one case alone, with their upper 95 % bound"
)
DIFFERS = 0.01  # of all cases together: the p below which zygotes are said to differ, shared equally
WIDTH = 110


def text(done: Calibrated) -> str:
    found = done.found
    rows = [cells(name, case) for name, case in sorted(found.cases.items())]
    lines = [
        f"{found.device}, commit {found.commit[:9]}: the same code in two arms, {drawn_from(found)}",
        "",
        *tabulate(rows, headers=HEADERS, colalign=ALIGNED, disable_numparse=True).splitlines(),
        *wrapped(LEGEND),
        "",
        *wrapped(zygotes(done)),
        *wrapped(foretold(done)),
        *(line for name, case in sorted(found.cases.items()) for line in warned(name, case)),
        *(
            line
            for name, why in done.missing.items()
            for line in wrapped(f"not calibrated: {plain(name)}: {plain(why)}")
        ),
        *wrapped(kept(done)),
    ]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def cells(name: str, case: CalibratedCase) -> tuple[str, ...]:
    spreads = (case.spreads.get(level) for level in ("launch", "start", "rebuild", "day"))
    return (
        plain(name),
        str(case.launches),
        change(case.bias),
        *("–" if spread is None else f"{100 * spread:.2f} %" for spread in spreads),
        rate(case.not_green),
        rate(case.passed),
        case.level.name.lower(),
    )


def rate(counted: Counted) -> str:
    return figures.rate(counted.hits, counted.of, counted.bound)


def drawn_from(found: Calibration) -> str:
    launches, starts = count(found.launches, "launch", "launches"), count(found.starts, "start")
    return f"{launches} of {starts} on {count(found.days, 'day')}"


def zygotes(done: Calibrated) -> str:
    """Whether processes forked from one zygote are more alike than those of two."""
    if not done.on_gpu:
        return "zygotes: a CPU has none; every launch is a start of its own"
    told = {name: case.starts_differ for name, case in done.found.cases.items() if case.starts_differ is not None}
    if not told:
        return "zygotes: one start alone tells nothing"
    differ = [name for name, p in told.items() if p < DIFFERS / len(told)]
    names = f": {', '.join(plain(name) for name in differ[:5])}" if differ else ""
    return (
        f"zygotes differ in {len(differ)} of {count(len(told), 'case')} (F test, {DIFFERS:.0%} shared equally){names}"
    )


def foretold(done: Calibrated) -> str:
    found = done.found
    return (
        f"replay: a clean change does not come out green in {rate(found.not_green)}, all cases together that can block "
        f"under the policy and this file, and the controls; drawn from {drawn_from(found)}"
    )


def warned(name: str, case: CalibratedCase) -> Iterator[str]:
    if case.level is not Level.FAIL:
        yield from wrapped(f"warn: {plain(name)}: {case.reason}")


def kept(done: Calibrated) -> str:
    if done.path is None:
        return "not kept: the manifest names no `baselines` folder, beside which this would lie"
    return f"{plain(str(done.path))}: review and commit this file; the next `kgate check` against it reads its levels"


def wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent="  ", break_on_hyphens=False) or [""]


def document(done: Calibrated) -> str:
    """JSON: the file as it is kept, and what could not be calibrated."""
    body = {
        "kgate": __version__,
        "path": None if done.path is None else str(done.path),
        "missing": dict(done.missing),
        "calibration": calibrations.plain(done.found),
    }
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


FORMATS = {"text": text, "json": document}
