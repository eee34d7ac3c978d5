"""
What the product's own call answers beside the declared workloads. Only what the fallback answers within its bound, with
finite numbers, can be held against it: what neither can do is no workload.

A refusal is in order: an error, or the fallback's answer. A wrong number is not, nor is a process that dies; nor is
either behind a refusal that the manifest declares, where the same call was right before it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from kgate.model import FALLBACK, REPEATS, SWITCH_ON, Case, Comparison, Failure, Finding, Kernel, Run, Variant
from kgate.protocol import TensorArg
from kgate.rules._difference import difference, numbers
from kgate.rules._habits import beyond_said, stale
from kgate.rules._law import Limit, Said, of_kernel
from kgate.rules._promises import NOT_TRIED, promised, unkept
from kgate.rules._sizes import told_apart
from kgate.rules._state import ANSWERS, custom_failure, first_broken, happened

FATAL = ("died", "hung", "exited")
SHOWN = 4
SMALL = "small"  # a kind of variant
# Where values are large, one rounding of a sum or a maximum of them is large as well, and right formulas differ by it:
# as exp(x - log(sum(exp(x)))) does from a softmax. Only what is grossly wrong is blamed there. By the start of a kind.
GROSS = {"values of": 0.5, "scale 1000": 0.05}


def beside(run: Run, limit: Limit) -> Iterator[Finding]:
    """One finding for each kind of change, whatever the workload; its name is stable between runs."""
    kinds: dict[tuple[str, str, str], list[Case]] = {}
    for case in judged(run):
        if vouched_for(run, case):
            kinds.setdefault((case.kernel, run.variants[case].kind, case.direction), []).append(case)
    for (kernel, kind, direction), cases in kinds.items():
        wrong = [case for case in cases if fault(run, case) is not None]
        if wrong:
            found = of_kernel(run, limit, run.kernels[kernel], said(run, cases, wrong))
            yield replace(found, name=f"{kernel}~{kind}" + f", {direction}" * (direction != "forward"))


def promises(run: Run, limit: Limit) -> Iterator[Finding]:
    """What was to be refused and did not end as the manifest says; what nobody can answer may well be an error."""
    asked = [case for case in judged(run) if run.variants[case].workload.refusal]
    fair = [case for case in asked if vouched_for(run, case) or raises(run.variants[case])]
    yield from unkept(run, limit, [case for case in fair if fault(run, case) is None])


def raises(variant: Variant) -> bool:
    return variant.workload.refusal is not None and variant.workload.refusal.raises


def judged(run: Run) -> list[Case]:
    well = {kernel for kernel in run.kernels if sound(run, kernel)}
    return [case for case in run.variants if case.kernel in well]


def vouched_for(run: Run, case: Case) -> bool:
    compared = run.comparisons.get((FALLBACK, case), ())
    return bool(compared) and all(c.holds and c.finite for c in compared)


def sound(run: Run, kernel: str) -> bool:
    """What is wrong as declared is told by its own finding, and may be wrong beside it for the same reason."""
    return not any(
        custom_failure(run, case)
        or run.failed(SWITCH_ON, case)
        or first_broken(run, (*ANSWERS, REPEATS, SWITCH_ON), case)
        or beyond_said(run, case)
        or stale(run, case)
        for case in run.of_kernel(kernel)
    )


def fault(run: Run, case: Case) -> Failure | Comparison | None:
    outcome, variant = run.outcome(SWITCH_ON, case), run.variants[case]
    if variant.behind and not sound_before(run, case):
        return None
    if isinstance(outcome, Failure):
        fatal = outcome.reason in FATAL or (variant.behind and outcome.reason != NOT_TRIED)
        return outcome if fatal else None
    kind = variant.kind
    least = next((error for start, error in GROSS.items() if kind.startswith(start)), 0.0)
    return next((c for c in run.comparisons.get((SWITCH_ON, case), ()) if not c.holds and grossly(c, least)), None)


def sound_before(run: Run, case: Case) -> bool:
    """Whether the call that is made behind a refusal was right when it was made first."""
    usual = usual_call(run, case.kernel)
    return usual is not None and run.answered(SWITCH_ON, usual) is not None and fault(run, usual) is None


def usual_call(run: Run, kernel: str) -> Case | None:
    """The variant that is asked first of all, and again behind what is refused."""
    mine = (case for case in run.variants if case.kernel == kernel and case.direction == "forward")
    return next((case for case in mine if run.variants[case].kind == SMALL), None)


def grossly(comparison: Comparison, least: float) -> bool:
    error = comparison.metrics.get("row_error")
    return error is None or error.value >= least


def said(run: Run, cases: Sequence[Case], wrong: Sequence[Case]) -> Said:
    worst = min(wrong, key=lambda case: size_of(run.variants[case]))
    variant, found = run.variants[worst], fault(run, worst)
    kernel = run.kernels[worst.kernel]
    others = f" and {len(wrong) - 1} more of {len(cases)} tried" if len(wrong) > 1 else f" (of {len(cases)} tried)"
    asked = f"asked {variant.change} in place of {variant.of.workload}'s"
    if variant.behind:
        asked = f"asked what it had answered rightly, after it was asked {variant.behind}, which it refuses"
    where = f"{kernel.dispatch}, {asked}{others},{' backward,' * (variant.of.direction != 'forward')}"
    if isinstance(found, Failure):
        sentence, more = f"{where} {happened(found)}", {}
    else:
        assert found is not None
        sentence, more = f"{where} differs from the reference: {difference(found)}", numbers(found)
    right = [case for case in cases if case not in wrong]
    evidence = {
        "promised": promised(variant),
        "pattern": "" if variant.behind else pattern(run, wrong, right),
        "wrong": listed(run, wrong),
        "right": listed(run, right),
        "as a workload": snippet(variant),
        # Which call came before, and what is fixed around it, no reproduction of one call knows.
        "alone": "" if variant.behind or variant.choice else f"kgate repro {worst.name!r} shows it",
        **more,
    }
    return Said(
        sentence=sentence,
        evidence={key: text for key, text in evidence.items() if text},
        advice=advice(kernel, variant),
    )


def advice(kernel: Kernel, variant: Variant) -> str:
    if variant.behind:
        return f"Look for what {kernel.custom} or {kernel.dispatch} keeps of a call that it refuses."
    return f"Mend {kernel.custom}, or let {kernel.dispatch} send what it is not for to {kernel.fallback}."


def size_of(variant: Variant) -> int:
    total = 0
    for arg in variant.workload.args.values():
        if isinstance(arg, TensorArg):
            count = 1
            for n in arg.shape:
                count *= n
            total += count
    return total


def listed(run: Run, cases: Sequence[Case]) -> str:
    texts = list(dict.fromkeys(run.variants[case].change for case in cases))
    return ", ".join(texts[:SHOWN]) + (f" and {len(texts) - SHOWN} more" if len(texts) > SHOWN else "")


def pattern(run: Run, wrong: Sequence[Case], right: Sequence[Case]) -> str:
    """`every K tried that is no multiple of 16`; "" where nothing tells what is wrong from what is not."""
    name, _, size = run.variants[wrong[0]].change.partition(" = ")
    if not size:
        small = [c for c, v in run.variants.items() if v.kind == SMALL and v.of == run.variants[wrong[0]].of]
        return "as the workload has it, it is right" if small and fault(run, small[0]) is None else ""
    bad, good = values(run, wrong), [n for n in values(run, right) if n] + usual(run, wrong, name)
    if len(bad) < len(set(wrong)) or 0 in bad:
        return ""
    return told_apart(name, bad, good)


def usual(run: Run, wrong: Sequence[Case], name: str) -> list[int]:
    """The size as it is in the small copies of the same workloads, which are right."""
    origins = {run.variants[case].of for case in wrong}
    small = [v for c, v in run.variants.items() if v.kind == SMALL and v.of in origins and fault(run, c) is None]
    found = (variant.workload.symbols.get(name) for variant in small)
    return [size for size in found if isinstance(size, int)]


def values(run: Run, cases: Sequence[Case]) -> list[int]:
    texts = (run.variants[case].change.partition(" = ")[2] for case in cases)
    return [int(text) for text in texts if text.isdigit()]


def snippet(variant: Variant) -> str:
    """The lines of a manifest that make it a workload, in one."""
    workload = variant.workload
    symbols = [f"{name}: {value}" for name, value in workload.symbols.items()]
    args = [f"{name}: {{{spelt(arg)}}}" for name, arg in changed_args(variant).items()]
    given = [*symbols, *([f"args: {{{', '.join(args)}}}"] if args else []), "source: found by kgate"]
    return f"found: {{{', '.join(given)}}}"


def changed_args(variant: Variant) -> Mapping[str, TensorArg]:
    """Arguments that say more than their symbols do: a layout, another scale or distribution, a size as a number."""
    told = {}
    for name, arg in variant.workload.args.items():
        if isinstance(arg, TensorArg) and variant.kind not in variant.workload.symbols and variant.kind != SMALL:
            told[name] = arg
    return told


def spelt(arg: TensorArg) -> str:
    fill, said = arg.fill, [f"shape: {list(arg.shape)}"]
    if arg.strides is not None:
        said.append(f"strides: {list(arg.strides)}")
    if arg.scale != 1.0:
        said.append(f"scale: {arg.scale:g}")
    match fill.kind:
        case "normal" if (fill.a, fill.b) != (0.0, 1.0):
            said.append(f"normal: {{mean: {fill.a:g}, std: {fill.b:g}}}")
        case "constant":
            said.append(f"constant: {fill.a:g}")
        case "mask":
            said.append(f"mask: {{p: {fill.a:g}}}")
    return ", ".join(said)
