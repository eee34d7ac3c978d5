"""How far a case came: what several rules must agree on, so that one fault is blamed once and by one rule."""

from kgate.model import (
    FALLBACK,
    FALLBACK_TIMED,
    HEAD,
    LATER,
    REFERENCE,
    REPEATS,
    SWITCH_ON,
    TIMED,
    Arm,
    Case,
    Comparison,
    Failure,
    Run,
    of_base,
)

# Every answer of head's custom path, in the order in which a reader wants to hear of them; repeats have their own rule.
ANSWERS = (HEAD, *(arm for arm in LATER if arm != REPEATS), TIMED)

# Nobody's code is at fault, and nothing was measured: a package that is not installed, a module from another tree.
NOT_HERE = ("unavailable", "outside-tree")
# What to do where time, and nothing else, was wanting.
OVER_BUDGET = "Give --budget more minutes, or run the same command again: it goes on with what it has measured."

IMPORTING = " cannot be imported by "  # between a module and what follows of interpreter and cause
HAPPENED = {
    "import-failed": "does not import",
    "function-missing": "is not there",
    "compile-failed": "does not compile",
    "raised": "raised",
    "wrong-type": "returned the wrong type",
    "wrong-signature": "does not take the manifest's arguments",
    "narrowed": "was computed in a lower precision",
    "out-of-memory": "ran out of memory",
    "hung": "hung",
    "died": "died",
    "exited": "ended its own process",
    "bad-reply": "broke the worker's protocol",
    "unavailable": "is unavailable here",
    "outside-tree": "was loaded from outside its tree",
}


# A fact of the same call in another process: whether its bits are others.
DIFFERS = "differs-afresh"


def happened(failure: Failure) -> str:
    """`raised: ValueError: K must be a multiple of 8`."""
    return f"{HAPPENED[failure.reason]}: {failure.text}" if failure.text else HAPPENED[failure.reason]


def trace(failure: Failure) -> dict[str, str]:
    """What a reader wants besides the one line: the rung, and the end of the traceback if there is one."""
    detail = {"trace": failure.detail} if failure.detail else {}
    return {"failed at": failure.rung, **detail}


def alike(one: Failure | None, other: Failure | None) -> bool:
    """Two arms that fell over the same thing, such as a module that holds both of them and does not import."""
    if one is None or other is None:
        return False
    return (one.reason, cause(one)) == (other.reason, cause(other))


def cause(failure: Failure) -> str:
    """What it fell over: without the name of the module that did not import because another one did not."""
    return failure.text.partition(IMPORTING)[2] or failure.text


def uncompared(run: Run, case: Case) -> dict[str, str]:
    """Evidence beside a fallback that failed: what else that takes away."""
    if run.kernels[case.kernel].reference or run.failed(REFERENCE, case) is None:
        return {}
    return {"compared": "nothing, since the fallback is the reference as well"}


def custom_failure(run: Run, case: Case) -> Failure | None:
    """Why head's custom path gave no answer, in its own process or in the timed loop."""
    return run.failed(HEAD, case) or run.failed(TIMED, case)


def fallback_failure(run: Run, case: Case) -> Failure | None:
    return run.failed(FALLBACK, case) or run.failed(FALLBACK_TIMED, case)


def not_here(failure: Failure | None) -> bool:
    return failure is not None and failure.reason in NOT_HERE


def module_of(function: str) -> str:
    return function.partition(":")[0]


def first_broken(run: Run, arms: tuple[Arm, ...], case: Case) -> tuple[Arm, Comparison] | None:
    """The first output, in the order of `arms`, that is not what the reference says."""
    for arm in arms:
        for comparison in run.comparisons.get((arm, case), ()):
            if not comparison.holds:
                return arm, comparison
    return None


def proven_right(run: Run, arm: Arm, case: Case) -> bool:
    """The arm answered, was compared, and every output holds."""
    compared = run.comparisons.get((arm, case), ())
    return run.answered(arm, case) is not None and bool(compared) and all(c.holds for c in compared)


def right_in_base(run: Run, arm: Arm, case: Case) -> dict[str, str]:
    """Evidence beside a fault of head's; base is held to its own tolerance, which may be the wider one."""
    if not proven_right(run, of_base(arm), case):
        return {}
    kernels = (run.kernels[case.kernel], run.base_kernels.get(case.kernel))
    limits = [w.tolerance for kernel in kernels if kernel for w in kernel.workloads if w.name == case.workload]
    alike_held = all(limit == limits[0] for limit in limits)
    return {"base": "is right here" if alike_held else "is right here by its own tolerance, which is another one"}


def base_asked(run: Run, case: Case) -> bool:
    """Whether base had to answer this case as well: it was run, has the kernel, and takes these arguments."""
    return run.base_ran and case.kernel in run.base_kernels and case not in run.not_in_base


def custom_right(run: Run, case: Case) -> bool:
    """Head's custom path is right whenever it was called, in the timed loop too, so that its time means something."""
    if custom_failure(run, case) is not None or not proven_right(run, HEAD, case):
        return False
    return first_broken(run, (*ANSWERS, REPEATS), case) is None


def broken_by_dispatch(run: Run, case: Case) -> Comparison | None:
    """
    The first output of the dispatch, with the switch on, that does not hold while the custom path is right by itself.

    None as well where the dispatch went to the fallback alone: that is switch-without-effect's to say.
    """
    astray = reached(run, SWITCH_ON, case, "fallback") and not reached(run, SWITCH_ON, case, "custom")
    if astray or not custom_right(run, case):
        return None
    found = first_broken(run, (SWITCH_ON,), case)
    return found[1] if found else None


def reached(run: Run, arm: Arm, case: Case, function: str) -> int:
    """How often the worker saw `custom` or `fallback` called in a drill; 0 where it said nothing."""
    answer = run.answered(arm, case)
    seen = answer.facts.get(f"reached-{function}", 0) if answer else 0
    return seen if isinstance(seen, int) else 0
