"""Small runs by hand. `run_of()` is green: one kernel, one case, all measured and right. Tests change one thing."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from kgate import rules
from kgate.model import (
    BASE,
    FALLBACK,
    HEAD,
    REFERENCE,
    SWITCH_OFF,
    SWITCH_ON,
    TIMED,
    Arm,
    Baseline,
    Bound,
    Case,
    Comparison,
    CompiledKernel,
    Decision,
    Direction,
    Drill,
    Failure,
    Finding,
    Fingerprint,
    Kernel,
    Latency,
    LaunchTiming,
    Level,
    Measurement,
    Metric,
    Outcome,
    Ownership,
    Place,
    Ratio,
    Report,
    Run,
    StoredCase,
    Switch,
    Tensor,
    Workload,
    verdict_of,
)
from kgate.protocol import Reason, Rung

OPEN = Decision.INCONCLUSIVE
TODAY = date(2026, 10, 7)
FINGERPRINT = Fingerprint(
    must_match={"gpu": "none", "torch": "2.11"},
    may_drift={"clock_mhz": 1980.0},
    information={"interpreter": ".venv/bin/python"},
)


def workload(name: str = "small", **changes: Any) -> Workload:
    place = Place(path="kgate.yaml", line=20)
    made = Workload(name=name, args={}, symbols={"M": 64}, targets=("cpu",), tolerance={}, source="trace", place=place)
    return replace(made, **changes)


def kernel(name: str = "gemm", *, workloads: tuple[str, ...] = ("small",), **changes: Any) -> Kernel:
    made = Kernel(
        name=name,
        owners=("@acme/kernels",),
        dsl="tilelang",
        dispatch=f"acme.ops:{name}",
        custom=f"acme.{name}:fused",
        fallback=f"acme.{name}:eager",
        switch=Switch(env="ACME_FUSED"),
        workloads=tuple(workload(w) for w in workloads),
        place=Place(path="kgate.yaml", line=8),
    )
    return replace(made, **changes)


def case(kernel: str = "gemm", workload: str = "small", device: str = "cpu") -> Case:
    return Case(kernel=kernel, workload=workload, device=device)


def answer(**facts: Any) -> Measurement:
    """One float32 output of [64, 128]; facts with underscores for dashes."""
    out = Tensor(path=Path("out/0.bin"), dtype="float32", shape=(64, 128), strides=(128, 1), device="cpu")
    named = {name.replace("_", "-"): value for name, value in facts.items()}
    return Measurement(outputs=(out,), facts=named, rungs_ns={"import": 1_000, "run": 2_000_000})


def compiled(kernel: str = "gemm_kernel", **changes: Any) -> CompiledKernel:
    """As a compiler made it for one GPU; no two of them have the same code unless a hash is given."""
    made = CompiledKernel(
        kernel=kernel, dsl="triton", arch="sm_90a", registers=64, shared_bytes=32768, local_bytes=0, config={"M": "64"}
    )
    return replace(made, **changes)


def with_compiled(answer: Measurement, *kernels: CompiledKernel) -> Measurement:
    return replace(answer, compiled=kernels)


def failure(reason: Reason = "raised", text: str = "ValueError: K is odd", *, rung: Rung = "run") -> Failure:
    return Failure(rung=rung, reason=reason, text=text)


def metric(name: str = "relative_l2", value: float = 1e-7, where: str = "") -> Metric:
    return Metric(name=name, value=value, unit="", direction=Direction.LOWER, where=where)


def right(**changes: Any) -> tuple[Comparison, ...]:
    bound = Bound(source="derived", row_error=1e-5, relative_l2=1e-6)
    metrics = {"relative_l2": metric(), "row_error": metric("row_error", 2e-6)}
    made = Comparison(output=0, dtype="float32", shape=(64, 128), metrics=metrics, bound=bound)
    return (replace(made, **changes),)


def wrong() -> tuple[Comparison, ...]:
    metrics = {
        "relative_l2": metric(value=0.25),
        "row_error": metric("row_error", 3.5),
        "mismatch": metric("mismatch", 0.5, "4096 of 8192"),
        "worst": metric("worst", 401.0, "[3, 17]: 4.5, expected 1.0"),
    }
    broken = ("row error 3.5, at most 1e-05 allowed", "relative L2 error 0.25, at most 1e-06 allowed")
    return right(metrics=metrics, broken=broken)


def misshapen() -> tuple[Comparison, ...]:
    return right(metrics={}, mismatch="dtype float16, expected float32")


def ratio(
    above: str = "head", below: str = "base", median: float = 1.0, *, decision: Decision = Decision.NO_SLOWER
) -> Ratio:
    """An interval of ±1 % around the median, of eight launches."""
    return Ratio(
        above=above,
        below=below,
        median=median,
        low=median * 0.99,
        high=median * 1.01,
        launches=8,
        spread=0.004,
        decision=decision,
        reason="neither shown above +3 % nor below +5 %; launches differ by 0.4 %" if decision is OPEN else "",
        freedom=5,
    )


def latency(*ratios: Ratio, head_ns: float = 10_000.0) -> Latency:
    """Of head at `head_ns`; without ratios, head is as fast as base and twice as fast as the fallback."""
    chosen = ratios or (ratio(), ratio(below="fallback", median=0.5), ratio("base", "fallback", 0.5))
    launches = tuple(
        LaunchTiming(
            launch=n,
            samples_ns={"head": (head_ns, head_ns + n), "base": (head_ns, head_ns)},
            call_ns={"head": (head_ns + 100, head_ns + 100)},
            method="cpu-monotonic",
        )
        for n in range(2)
    )
    medians = {"head": head_ns, "base": 10_000.0, "fallback": 20_000.0}
    return Latency(launches=launches, median_ns=medians, ratios=chosen, method="cpu-monotonic")


def baseline(stored: Mapping[str, StoredCase] | None = None, **changes: Any) -> Baseline:
    made = Baseline(
        path="ci/kgate/cpu.json",
        device="cpu",
        fingerprint=FINGERPRINT,
        method="cpu-monotonic",
        commit="0" * 40,
        date="2026-09-01",
        cases=stored if stored is not None else {"gemm/small": stored_case()},
    )
    return replace(made, **changes)


def stored_case(custom_ns: float = 10_000.0, *, error: float = 1e-7) -> StoredCase:
    return StoredCase(
        custom_ns=custom_ns, fallback_ns=20_000.0, spread_log=0.01, launches=8, errors=({"relative_l2": error},)
    )


def green_outcomes(c: Case) -> dict[tuple[Arm, Case], Outcome]:
    return {
        (HEAD, c): answer(device_kernels=["gemm_kernel"]),
        (BASE, c): answer(device_kernels=["gemm_kernel"]),
        (FALLBACK, c): answer(),
        (REFERENCE, c): answer(),
        (SWITCH_OFF, c): answer(reached_custom=0, reached_fallback=1),
        (SWITCH_ON, c): answer(reached_custom=1, reached_fallback=0),
    }


def green_comparisons(c: Case) -> dict[tuple[Arm, Case], tuple[Comparison, ...]]:
    return {(arm, c): right() for arm in (HEAD, TIMED, BASE, FALLBACK, SWITCH_OFF, SWITCH_ON)}


def run_of(*kernels: Kernel, on_gpu: bool = False, **changes: Any) -> Run:
    """Every workload of every kernel, green, also in base; `changes` are fields of Run."""
    chosen = kernels or (kernel(),)
    device = "h200" if on_gpu else "cpu"
    cases = tuple(case(k.name, w.name, device) for k in chosen for w in k.workloads)
    by_name = {k.name: k for k in chosen}
    stored = {f"{c.kernel}/{c.workload}": stored_case() for c in cases}
    made = Run(
        kernels=by_name,
        cases=cases,
        device=device,
        on_gpu=on_gpu,
        outcomes={key: o for c in cases for key, o in green_outcomes(c).items()},
        comparisons={key: o for c in cases for key, o in green_comparisons(c).items()},
        latency={c: latency() for c in cases},
        ownership={k.name: Ownership(owners=k.owners) for k in chosen},
        base_ownership={k.name: Ownership(owners=k.owners) for k in chosen},
        base_kernels=by_name,
        baseline=baseline(stored),
        fingerprint=FINGERPRINT,
        base_ran=True,
    )
    return replace(made, **changes)


def drill(kernel: str = "gemm", condition: str = "package-absent", device: str = "cpu", **changes: Any) -> Drill:
    """Of the workload "small", where the package is absent."""
    made = Drill(
        kernel=kernel,
        condition=condition,
        where="where the package is absent",
        cases=(case(kernel, device=device),),
        logged=True,
    )
    return replace(made, **changes)


def drilled(run: Run, *met: tuple[Drill, Outcome | None]) -> Run:
    """The run with these drills of its first kernel; an answer is right."""
    outcomes = {(d.arm, c): o for d, o in met for c in d.cases if o is not None}
    answered = {key: right() for key, o in outcomes.items() if isinstance(o, Measurement)}
    return replace(
        run,
        drills=(*run.drills, *(d for d, _ in met)),
        outcomes={**run.outcomes, **outcomes},
        comparisons={**run.comparisons, **answered},
    )


def with_outcomes(run: Run, *pairs: tuple[Arm, Outcome | None]) -> Run:
    """Another outcome of an arm in every case, or none at all; a failure takes the arm's comparison with it."""
    outcomes, comparisons = dict(run.outcomes), dict(run.comparisons)
    for c in run.cases:
        for arm, outcome in pairs:
            outcomes.pop((arm, c), None)
            if outcome is not None:
                outcomes[arm, c] = outcome
            if not isinstance(outcome, Measurement):
                comparisons.pop((arm, c), None)
    return replace(run, outcomes=outcomes, comparisons=comparisons)


def with_comparisons(run: Run, *pairs: tuple[Arm, tuple[Comparison, ...]]) -> Run:
    more = {(arm, c): compared for c in run.cases for arm, compared in pairs}
    return replace(run, comparisons={**run.comparisons, **more})


def with_latency(run: Run, *ratios: Ratio, head_ns: float = 10_000.0) -> Run:
    return replace(run, latency={c: latency(*ratios, head_ns=head_ns) for c in run.cases})


def judged(run: Run, policy: Mapping[str, Level] | None = None) -> tuple[Finding, ...]:
    return rules.judge(run, policy or {}, TODAY)


def report_of(run: Run, policy: Mapping[str, Level] | None = None, **changes: Any) -> Report:
    findings = judged(run, policy)
    made = Report(
        version="0.1.0",
        verdict=verdict_of(findings),
        findings=findings,
        run=run,
        manifest="kgate.yaml",
        head="1a2b3c4d5e6f708192a3b4c5d6e7f80912345678",
        base="0d0e0f101112131415161718191a1b1c1d1e1f20",
        started="2026-10-07T08:00:00+00:00",
        wall_s=41.25,
        cost_s={"prepare": 3.0, "answers": 12.5, "times": 25.75},
        command="kgate check",
    )
    return replace(made, **changes)
