"""A run that holds each kind of finding, built by hand, for golden files and for the schema."""

from dataclasses import replace

from kgate.model import (
    BASE,
    FALLBACK,
    HEAD,
    REFERENCE,
    REPEATS,
    SWITCH_OFF,
    SWITCH_ON,
    TIMED,
    Amendment,
    Arm,
    Bound,
    Case,
    Comparison,
    Confirmation,
    Control,
    Decision,
    Failure,
    Fingerprint,
    Found,
    Instrument,
    Inventory,
    Kernel,
    Latency,
    Level,
    Outcome,
    Owed,
    Ownership,
    Place,
    Report,
    Run,
    StoredCase,
    Terms,
    Tolerance,
    of_base,
)
from tests.unit.builders import (
    answer,
    baseline,
    case,
    compiled,
    drill,
    drilled,
    failure,
    kernel,
    latency,
    metric,
    misshapen,
    ratio,
    report_of,
    right,
    run_of,
    stored_case,
    with_compiled,
    workload,
    wrong,
)

SLOWER, OPEN = Decision.SLOWER, Decision.INCONCLUSIVE
BROKEN_IMPORT = failure("import-failed", "ModuleNotFoundError: No module named 'acme.tiles'", rung="import")
RAISED = replace(failure(), detail='File "acme/raises.py", line 12, in fused\nValueError: K is odd')
H200 = Fingerprint(must_match={"gpu": "NVIDIA H200", "torch": "2.11"}, information={"interpreter": ".venv/bin/python"})
CONTROLS = Instrument(
    given=1.05,
    controls=(
        Control(name="5.00 µs", bias=1.0012, dose=1.052, launches=8, dosed=8),
        Control(name="50.0 µs", bias=0.9995, dose=None, launches=8, dosed=2),
    ),
)
POLICY = {"slower-than-baseline": Level.FAIL}

# Kernel -> what its arms did, where that is not green.
OUTCOMES: dict[str, dict[Arm, Outcome | None]] = {
    "import": {HEAD: BROKEN_IMPORT},
    "raises": {HEAD: RAISED},
    "fallback_gone": {FALLBACK: failure("function-missing", "acme.fallback_gone has no 'eager'"), SWITCH_OFF: None},
    "fallback_raises": {FALLBACK: failure(), REFERENCE: failure(), SWITCH_OFF: failure()},
    "switch_stuck": {SWITCH_OFF: answer(reached_custom=1, reached_fallback=0)},
    "old_fault": {HEAD: failure(), BASE: failure(), of_base(FALLBACK): answer()},
    "narrow": {REFERENCE: failure("narrowed", "aten::_softmax in bfloat16")},
    "absent": {
        HEAD: failure("unavailable", "tilelang is not installed"),
        SWITCH_OFF: failure("unavailable", "tilelang"),
    },
    "no_base": {BASE: None},
    "base_hung": {BASE: failure("hung", "passed its deadline of 120 s")},
    "grown": {
        HEAD: with_compiled(
            answer(workspace_bytes=64 << 20, kernel_launches=2), compiled(registers=168, local_bytes=96)
        ),
        BASE: with_compiled(answer(workspace_bytes=4 << 20, kernel_launches=1), compiled()),
    },
    "compiles_long": {
        HEAD: with_compiled(answer(), compiled(compile_ns=9_500_000_000)),
        BASE: with_compiled(answer(), compiled(compile_ns=1_200_000_000)),
    },
    "racy": {
        HEAD: answer(repeats=2000, repeats_differ=2),
        REPEATS: answer(),
    },
    "silent": {HEAD: answer(device_kernels=["cutlass_gemm", "elementwise"])},
}
COMPARISONS: dict[str, dict[Arm, tuple[Comparison, ...]]] = {
    "wrong": {HEAD: wrong()},
    "racy": {REPEATS: wrong()},
    "wrong_timed": {TIMED: wrong()},
    "dtype": {HEAD: misshapen()},
    "fallback_wrong": {FALLBACK: wrong()},
    "fallback_form": {FALLBACK: misshapen()},
    "dispatch": {SWITCH_ON: wrong()},
    "loose": {HEAD: right(bound=Bound(source="manifest", atol=1.0), accepts_zeros=True)},
    "unchecked": {TIMED: ()},
    "less_exact": {HEAD: right(metrics={"relative_l2": metric(value=9e-7), "row_error": metric("row_error", 8e-6)})},
    "infinite": {
        HEAD: right(
            metrics={"row_error": metric("row_error", float("inf"))}, broken=("row error inf, at most 1e-05 allowed",)
        )
    },
}
LATENCY: dict[str, Latency] = {
    "slow": latency(
        replace(ratio(median=1.1, decision=SLOWER), confirmation=Confirmation(holds=True, median=1.09, launches=8)),
        ratio(below="fallback", median=0.55),
        head_ns=11_000.0,
    ),
    "jumpy": latency(replace(ratio(), slow_launches=3), ratio(below="fallback", median=0.5)),
    "throttled": latency(
        replace(ratio(decision=OPEN), launches=0, throttled=8, reason="all 8 launches were throttled"),
        ratio(below="fallback", median=0.5),
    ),
    "no_win": latency(ratio(), ratio(below="fallback", median=1.2, decision=SLOWER)),
    "rough": latency(ratio(median=1.03, decision=OPEN), ratio(below="fallback", median=0.5)),
    "no_base": latency(ratio(below="fallback", median=0.7), head_ns=14_000.0),
}


def kernels() -> tuple[Kernel, ...]:
    plain = dict.fromkeys((*OUTCOMES, *COMPARISONS, *LATENCY))
    special = {
        "wrong": kernel("wrong", workloads=("decode1", "decode64", "ragged")),
        "silent": kernel("silent", device_kernels=("*silent*",)),
        "unswitched": kernel("unswitched", switch=None),
        "loose": replace(kernel("loose"), workloads=(workload(tolerance={"": Tolerance(atol=1.0)}),)),
        "unowned": kernel("unowned", owners=()),
        "powerless": kernel("powerless"),
        "astray": kernel("astray"),
        "idle": kernel("idle", workloads=()),
        "loosened": kernel("loosened"),
        "owing": kernel("owing", owners=()),
        "unstored": kernel("unstored"),
        "drilled": kernel("drilled"),
    }
    return tuple(special.get(name) or kernel(name) for name in {**plain, **special})


OWNERSHIP = {
    "powerless": Ownership(owners=("@acme/kernels",), access={"@acme/kernels": False}),
    "astray": Ownership(
        owners=("@acme/kernels",),
        files={
            "acme/astray.py": (Place(path=".github/CODEOWNERS", line=1), "*", ("@acme/everyone",)),
            "acme/tiles.py": (Place(path=".github/CODEOWNERS", line=1), "*", ("@acme/everyone",)),
        },
        codeowners=".github/CODEOWNERS",
        without_effect=(
            (Place(path=".github/CODEOWNERS", line=4), "/amce/ @acme/kernels: matches no file of the repository"),
        ),
    ),
}


TERMS = Terms(
    inventory=Inventory(
        found=(
            Found(
                name="_gelu",
                place=Place(path="acme/extra.py", line=12),
                how="triton.jit",
                owners=("@acme/kernels",),
            ),
        )
    ),
    base_inventory=Inventory(),
    amendments=(
        Amendment(kind="added", what="entry", kernel="idle"),
        Amendment(
            kind="loosened",
            what="tolerance bfloat16",
            kernel="loosened",
            workload="small",
            before="rtol 0.016",
            after="rtol 0.032",
            owners=("@acme/kernels",),
            place=Place(path="kgate.yaml", line=30),
        ),
        Amendment(kind="removed", what="entry", kernel="dropped", before="acme.dropped:fused", owners=("@ada",)),
    ),
    approved_by=("@ada",),
    debt=(
        Owed(
            rule="owner-missing",
            scope="kernel",
            name="owing",
            owner="@ada",
            expires="2026-09-30",
            place=Place(path="kgate-debt.yaml", line=5),
        ),
    ),
)


def sample_run() -> Run:
    made = with_drills(run_of(kernel("fine", workloads=("decode1", "prefill")), *kernels(), on_gpu=True))
    return replace(
        made,
        outcomes=changed_outcomes(made),
        comparisons=changed_comparisons(made),
        latency={c: LATENCY.get(c.kernel, latency()) for c in made.cases},
        ownership={**made.ownership, **OWNERSHIP},
        terms=TERMS,
        base_kernels={n: kernel(n) for n in made.kernels if n not in ("no_base", "owing", "unowned", "unswitched")},
        baseline=baseline(stored(made), path="ci/kgate/h200.json", device="h200", fingerprint=H200),
        fingerprint=H200,
        instrument=CONTROLS,
        remarks=("the work tree has uncommitted changes; they were measured as head",),
    )


def with_drills(run: Run) -> Run:
    """One kernel under conditions of every end."""
    refused = answer(reached_custom=1, reached_fallback=1, reached_custom_before=1, reached_custom_again=0, logged=True)
    silent = answer(reached_custom=0, reached_fallback=1, logged=False, logged_by=[])
    told = answer(reached_custom=0, reached_fallback=1, logged=True, logged_by=["acme.ops"])
    switched = drill("drilled", "switch-off", "h200", where="with the switch off")
    crashes = drill("drilled", "package-import-error", "h200", where="where importing the package raises ImportError")
    latches = drill("drilled", "call-refused", "h200", where="where the kernel refuses one call", blocks=False)
    unmet = drill("drilled", "switch-off-later", "h200", cases=(), not_run="the switch is no environment variable")
    return drilled(
        run,
        (switched, answer(reached_custom=0, reached_fallback=1)),
        (unmet, None),
        (drill("drilled", "package-os-error", "h200"), told),
        (drill("drilled", device="h200"), silent),
        (crashes, BROKEN_IMPORT),
        (latches, refused),
    )


def changed_outcomes(run: Run) -> dict[tuple[Arm, Case], Outcome]:
    outcomes = dict(run.outcomes)
    for name, arms in OUTCOMES.items():
        for arm, outcome in arms.items():
            outcomes.pop((arm, case(name, device="h200")), None)
            if outcome is not None:
                outcomes[arm, case(name, device="h200")] = outcome
    return outcomes


def changed_comparisons(run: Run) -> dict[tuple[Arm, Case], tuple[Comparison, ...]]:
    outcomes = changed_outcomes(run)
    comparisons = dict(run.comparisons)
    for c in run.cases:
        comparisons.update({(arm, c): compared for arm, compared in COMPARISONS.get(c.kernel, {}).items()})
    unanswered = {key for key in comparisons if key not in outcomes and key[0] != TIMED}
    failed = {key for key in comparisons if isinstance(outcomes.get(key), Failure)}
    blind = {key for key in comparisons if isinstance(outcomes.get((REFERENCE, key[1])), Failure)}
    return {key: c for key, c in comparisons.items() if key not in unanswered | failed | blind}


def stored(run: Run) -> dict[str, StoredCase]:
    cases = {f"{c.kernel}/{c.workload}": stored_case() for c in run.cases if c.kernel != "unstored"}
    return {**cases, "less_exact/small": stored_case(error=1e-9)}


def sample() -> Report:
    return report_of(sample_run(), POLICY, head="1a2b3c4d5e6f708192a3b4c5d6e7f80912345678+dirty", resumed=2)
