"""What the processes that benchmarks/gallery.py starts do: compile a share of the kernels, or measure them all."""

import argparse
import contextlib
import faulthandler
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

from .cases import OPERATORS
from .rows import read_rows, write
from .timing import as_list, distance, times, verdict

SAMPLES = 30  # per arm
TUNING_SAMPLES = 12
CASE_LIMIT_S = 60  # a case that takes longer ends its child


def chosen(arguments: argparse.Namespace) -> Iterator[tuple[Any, str]]:
    """Operators and DSLs asked for."""
    only = [name for name in arguments.only.split(",") if name]
    for operator in OPERATORS:
        if not only or operator.name in only:
            yield from ((operator, dsl) for dsl in arguments.dsl.split(",") if dsl in operator.dsls)


def plans(arguments: argparse.Namespace) -> Iterator[tuple[Any, str, Any, dict[str, Any]]]:
    """What --tune tries: operator, DSL, case and schedule."""
    for operator, dsl in chosen(arguments):
        for space in operator.spaces:
            if space.dsl == dsl:
                yield from ((operator, dsl, operator.cases[space.case], plan) for plan in space.plans)


@contextlib.contextmanager
def scheduled(kernels: Any, plan: dict[str, Any] | None) -> Iterator[None]:
    """Makes a module's launches use `plan` in place of its own schedule; None leaves that alone."""
    own = getattr(kernels, "schedule", None)
    if plan is not None:
        kernels.schedule = lambda *_: plan
    try:
        yield
    finally:
        if plan is not None:
            kernels.schedule = own


def compile_share(arguments: argparse.Namespace, shares: int) -> int:
    """Calls every TileLang kernel once, of the cases that fall to this process."""
    jobs = [
        (operator, case, None) for operator, dsl in chosen(arguments) if dsl == "tilelang" for case in operator.cases
    ]
    if arguments.tune:
        jobs += [(operator, case, plan) for operator, dsl, case, plan in plans(arguments) if dsl == "tilelang"]
    for operator, case, plan in jobs[arguments.share :: shares]:
        with contextlib.suppress(Exception), scheduled(operator.kernels("tilelang"), plan):
            operator.path("tilelang")(*case.inputs())
    return 0


def measure(arguments: argparse.Namespace) -> int:
    """All cases that no child has begun, then --tune. Returns 75 where the GPU context is broken: start another."""
    if not torch.cuda.is_available():
        print("not run: no CUDA GPU here")
        return 0
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, CUDA {torch.version.cuda}", flush=True)
    begun = {row["key"] for row in read_rows(arguments)}
    flush = torch.empty(2 * torch.cuda.get_device_properties(0).L2_cache_size, dtype=torch.uint8, device="cuda")
    jobs = [(operator, dsl, case) for operator, dsl in chosen(arguments) for case in operator.cases]
    jobs.sort(key=lambda job: not job[2].timed)
    for operator, dsl, case in jobs:
        names = {"operator": operator.name, "dsl": dsl, "case": case.name}
        if not attempt(arguments, names, begun, lambda o=operator, d=dsl, c=case: rows_of(o, d, c, flush)):
            return 75
    for operator, dsl, case, plan in plans(arguments) if arguments.tune else ():
        against = " ".join(str(value) for value in plan.values())
        names = {"operator": operator.name, "dsl": dsl, "case": f"tune {case.name}", "against": against}
        if not attempt(arguments, names, begun, lambda o=operator, d=dsl, c=case, p=plan: [tuned(o, d, c, p, flush)]):
            return 75
    return 0


def attempt(arguments: Any, names: dict[str, str], begun: set[str], job: Callable[[], list[dict[str, Any]]]) -> bool:
    """Does one case, unless it was begun, and writes its rows. False if the GPU's context did not survive it."""
    key = "/".join(names.values())
    base = {"key": key, **names}
    if key in begun:
        return True
    if time.time() > arguments.until:
        write(arguments, {**base, "note": "not run: out of time"})
        return True
    write(arguments, {**base, "begun": True})
    faulthandler.dump_traceback_later(CASE_LIMIT_S, exit=True)
    alive = True
    try:
        rows = job()
        torch.cuda.synchronize()
    except Exception as error:  # noqa: BLE001 - one kernel's failure, of whatever kind, is a line in the table
        rows = [{"note": f"{type(error).__name__}: {first_line(error)}"}]
        alive = usable()
    faulthandler.cancel_dump_traceback_later()
    for row in rows:
        write(arguments, {**base, **row})
    return alive


def first_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) < 200 else f"{text[:80]} … {text[-110:]}"


def usable() -> bool:
    try:
        torch.cuda.empty_cache()
        torch.ones(1, device="cuda").item()
    except RuntimeError:
        return False
    return True


def rows_of(operator: Any, dsl: str, case: Any, flush: Any) -> list[dict[str, Any]]:
    """One row with error and times against the fallback, and one for each rival."""
    torch.manual_seed(1)
    inputs = case.inputs()
    custom, fallback = operator.path(dsl), operator.torch_path()
    checked = verdict(custom, fallback, inputs)
    if not case.timed:
        return [checked]
    facts = {"flops": case.flops, "bytes": case.moved_bytes, "bound": bound(case)}
    rows = []
    for name, rival in {"torch": fallback, **operator.rivals}.items():
        try:
            theirs, ours = times(flush, SAMPLES, lambda r=rival: r(*inputs), lambda: custom(*inputs))
        except Exception as error:  # noqa: BLE001 - a rival that this build lacks
            rows.append({**checked, "against": name, "note": f"{type(error).__name__}: {first_line(error)}"})
            continue
        rows.append({**checked, **facts, "against": name, "torch_ns": theirs, "ours_ns": ours})
    return rows


def bound(case: Any) -> str:
    """What limits a case on an H200: above some hundred operations a byte it is arithmetic."""
    return "flops" if case.flops > 100 * case.moved_bytes else "bytes"


def tuned(operator: Any, dsl: str, case: Any, plan: dict[str, Any], flush: Any) -> dict[str, Any]:
    """The row of one schedule, with its error against the fallback; a schedule that does not compile or fit raises."""
    torch.manual_seed(1)
    inputs, custom, fallback = case.inputs(), operator.path(dsl), operator.torch_path()
    expected = as_list(fallback(*inputs))
    with scheduled(operator.kernels(dsl), plan):
        error = max(distance(x, e.double()) for x, e in zip(as_list(custom(*inputs)), expected, strict=True))
        theirs, ours = times(flush, TUNING_SAMPLES, lambda: fallback(*inputs), lambda: custom(*inputs))
    figures = {"flops": case.flops, "bytes": case.moved_bytes, "bound": bound(case)}
    return {**figures, "error": error, "torch_ns": theirs, "ours_ns": ours}
