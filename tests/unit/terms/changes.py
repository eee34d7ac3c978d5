"""What a change may do to what it is held to: everything that asks less, and what does not."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from kgate.model import Gpu, Ignored, Level, Refusal, Switch, Tolerance, Waiver, Workload
from kgate.terms import Held
from tests.unit.terms.standing import (
    ACCEPTED,
    AT,
    OWED,
    declared,
    on_another_fingerprint,
    tensor,
    with_case,
    with_kernel,
    with_manifest,
    with_workload,
    work,
)

Plant = Callable[[Held, int, int], Held]


def kernel_with(**changes: object) -> Plant:
    return lambda whole, at, which: with_kernel(whole, lambda k: replace(k, **changes), at)


def workload_with(**changes: object) -> Plant:
    return lambda whole, at, which: with_workload(whole, lambda w: replace(w, **changes), at, which)


def tolerant(key: str, **changes: float | None) -> Plant:
    def change(w: Workload) -> Workload:
        return replace(w, tolerance={**w.tolerance, key: replace(w.tolerance[key], **changes)})

    return lambda whole, at, which: with_workload(whole, change, at, which)


def without_workload(whole: Held, at: int, which: int) -> Held:
    return with_kernel(
        whole, lambda k: replace(k, workloads=tuple(w for n, w in enumerate(k.workloads) if n != which)), at
    )


def without_kernel(whole: Held, at: int, which: int) -> Held:
    return with_manifest(whole, kernels=tuple(k for n, k in enumerate(whole.manifest.kernels) if n != at))


def edited(role: str) -> Plant:
    def plant(whole: Held, at: int, which: int) -> Held:
        function = getattr(whole.manifest.kernels[at], role)
        return replace(whole, code={**whole.code, function: "another digest"})

    return plant


def stored_with(**changes: object) -> Plant:
    def plant(whole: Held, at: int, which: int) -> Held:
        kernel = whole.manifest.kernels[at]
        return with_case(whole, f"{kernel.name}/{kernel.workloads[which].name}", **changes)

    return plant


def level(rule: str, of: Level) -> Plant:
    return lambda whole, at, which: with_manifest(whole, policy={**whole.manifest.policy, rule: of})


# Everything that asks less than base did, and what it is called.
LOOSENINGS: Mapping[str, tuple[Plant, str, str]] = {
    "a tolerance doubled": (tolerant("float32", rtol=2e-3), "loosened", "tolerance float32"),
    "a floor beside what is relative": (tolerant("bfloat16", atol=0.05), "loosened", "tolerance bfloat16"),
    "a share beside what is absolute": (tolerant("float16", rtol=1e-3), "loosened", "tolerance float16"),
    "both halves taken out": (tolerant("float32", rtol=None, atol=None, psnr=60.0), "loosened", "tolerance float32"),
    "a target's limits in place of a dtype's": (
        workload_with(tolerance={**work("w", 1).tolerance, "cuda/": Tolerance(rtol=1e-3, psnr=60.0)}),
        "loosened",
        "tolerance cuda/float16",
    ),
    "a psnr lowered": (tolerant("", psnr=40.0), "loosened", "tolerance"),
    "a tolerance for a dtype by hand": (
        workload_with(tolerance={**work("w", 1).tolerance, "cpu/float32": Tolerance(rtol=1.0)}),
        "loosened",
        "tolerance cpu/float32",
    ),
    "a workload dropped": (without_workload, "removed", "workload"),
    "other arguments": (workload_with(args={"x": tensor(1), "w": tensor()}), "removed", "workload"),
    "a weight of nothing": (workload_with(weight=0.0), "loosened", "weight"),
    "another weight": (workload_with(weight=1.0), "moved", "weight"),
    "a target less": (workload_with(targets=("cuda",)), "removed", "targets"),
    "less work told": (workload_with(flops=1.0), "loosened", "flops"),
    "no bytes told": (workload_with(moved_bytes=None), "loosened", "bytes"),
    "an owner swapped": (kernel_with(owners=("@mallory", "@ada")), "moved", "owners"),
    "an owner gone": (kernel_with(owners=("@ada",)), "removed", "owners"),
    "unowned on purpose": (kernel_with(unowned_reason="left", unowned_expires="2030-01-01"), "loosened", "unowned"),
    "an entry deleted": (without_kernel, "removed", "entry"),
    "another reference": (kernel_with(reference="acme.easy:exact"), "moved", "reference"),
    "another fallback": (kernel_with(fallback="acme.easy:eager"), "moved", "fallback"),
    "another comparison": (kernel_with(compare="topk"), "moved", "compare"),
    "another dispatch": (kernel_with(dispatch="acme.easy:gemm"), "moved", "dispatch"),
    "the reference edited": (edited("reference"), "moved", "code of reference"),
    "the fallback edited": (edited("fallback"), "moved", "code of fallback"),
    "no switch": (kernel_with(switch=None), "removed", "switch"),
    "another switch": (kernel_with(switch=Switch(env="OTHER")), "moved", "switch"),
    "no proof of path": (kernel_with(device_kernels=()), "removed", "device_kernels"),
    "a package less to do without": (kernel_with(optional=("cuda",)), "removed", "optional"),
    "bits that may differ": (kernel_with(deterministic=False), "loosened", "deterministic"),
    "a refusal": (kernel_with(refuses=(Refusal(when="M > 4", ending="fallback"),)), "loosened", "refuses"),
    "a workload refused": (
        workload_with(refusal=Refusal(when="M > 4", ending="fallback")),
        "loosened",
        "refusal",
    ),
    "tiny numbers flushed": (kernel_with(subnormals="flush"), "loosened", "subnormals"),
    "configurations not told": (kernel_with(tune=None), "removed", "tune"),
    "less to be gained": (kernel_with(min_speedup=1.01), "loosened", "latency.min_speedup"),
    "nothing to be gained": (kernel_with(min_speedup=None), "loosened", "latency.min_speedup"),
    "a direction less": (kernel_with(direction="backward"), "moved", "direction"),
    "more time": (kernel_with(timeout_s=240.0), "loosened", "timeout_s"),
    "another DSL": (kernel_with(dsl="torch"), "moved", "dsl"),
    "what is written": (kernel_with(mutates=("x",)), "moved", "mutates"),
    "more calls in a sample": (kernel_with(steps=2), "moved", "steps"),
    "arguments by name": (kernel_with(keywords=True), "moved", "signature"),
    "a rule lowered": (level("slower-than-base", Level.WARN), "loosened", "policy slower-than-base"),
    "a rule off that had its default": (level("wrong-result", Level.OFF), "loosened", "policy wrong-result"),
    "a GPU less": (lambda h, a, w: with_manifest(h, gpus={"l4": h.manifest.gpus["l4"]}), "removed", "GPU h100"),
    "a GPU on probation": (
        lambda h, a, w: with_manifest(h, gpus={**h.manifest.gpus, "h100": Gpu(probation="2027-01-31")}),
        "loosened",
        "GPU h100",
    ),
    "probation for longer": (
        lambda h, a, w: with_manifest(h, gpus={**h.manifest.gpus, "l4": Gpu(probation="2027-03-31")}),
        "loosened",
        "GPU l4",
    ),
    "a GPU waived": (
        lambda h, a, w: with_manifest(
            h, waivers=(*h.manifest.waivers, Waiver(gpu="l4", reason="x", expires="2027-01-01", place=AT))
        ),
        "loosened",
        "waiver l4",
    ),
    "a waiver for longer": (
        lambda h, a, w: with_manifest(h, waivers=(replace(h.manifest.waivers[0], expires="2027-12-31"),)),
        "loosened",
        "waiver h100",
    ),
    "baselines elsewhere": (lambda h, a, w: with_manifest(h, baselines="x"), "moved", "folder of baselines"),
    "more ignored": (
        lambda h, a, w: with_manifest(
            h, ignored=(*h.manifest.ignored, Ignored(pattern="acme/", reason="x", expires="2027-01-01", place=AT))
        ),
        "loosened",
        "ignore acme/",
    ),
    "ignored for longer": (
        lambda h, a, w: with_manifest(h, ignored=(replace(h.manifest.ignored[0], expires="2030-01-01"),)),
        "loosened",
        "ignore examples/",
    ),
    "a slowdown accepted": (
        lambda h, a, w: with_manifest(h, accepted=(*h.manifest.accepted, replace(ACCEPTED, case="gemm/small"))),
        "loosened",
        "accepted slower-than-base of gemm/small",
    ),
    "a larger slowdown accepted": (
        lambda h, a, w: with_manifest(h, accepted=(replace(ACCEPTED, bound=0.5),)),
        "loosened",
        "accepted slower-than-base of norm/small",
    ),
    "a slowdown accepted for longer": (
        lambda h, a, w: with_manifest(h, accepted=(replace(ACCEPTED, until="2030-01-01"),)),
        "loosened",
        "accepted slower-than-base of norm/small",
    ),
    "a slower baseline": (stored_with(custom_ns=20_000.0), "loosened", "baseline cpu"),
    "a less exact baseline": (stored_with(errors=({"relative_l2": 1e-3},)), "loosened", "baseline cpu"),
    "a baseline with more spread": (stored_with(spread_log=0.3), "loosened", "baseline cpu"),
    "a baseline of a faster fallback": (stored_with(fallback_ns=1.0), "loosened", "baseline cpu"),
    "a baseline without its fallback": (stored_with(fallback_ns=None), "loosened", "baseline cpu"),
    "a baseline of one launch": (stored_with(launches=1), "loosened", "baseline cpu"),
    "a baseline that forgets its noise": (stored_with(noise={}), "loosened", "baseline cpu"),
    "a baseline deleted": (lambda h, a, w: replace(h, baselines={}), "removed", "baseline cpu"),
    "a baseline of another machine": (lambda h, a, w: on_another_fingerprint(h), "moved", "baseline cpu"),
    "new debt": (
        lambda h, a, w: replace(h, debt=(*h.debt, replace(OWED, name="norm/small"))),
        "loosened",
        "debt wrong-result of norm/small",
    ),
    "debt for longer": (
        lambda h, a, w: replace(h, debt=(replace(OWED, expires="2030-01-01"),)),
        "loosened",
        "debt wrong-result of gemm/small",
    ),
    "debt for ever": (
        lambda h, a, w: replace(h, debt=(replace(OWED, expires="never"),)),
        "loosened",
        "debt wrong-result of gemm/small",
    ),
    "debt of another": (
        lambda h, a, w: replace(h, debt=(replace(OWED, owner="@mallory"),)),
        "moved",
        "debt wrong-result of gemm/small",
    ),
}
HARMLESS: Mapping[str, Plant] = {
    "a tolerance halved": tolerant("float32", rtol=5e-4),
    "no floor beside what is relative": tolerant("float32", atol=None),
    "a limit more": tolerant("float32", psnr=80.0),
    "more to be gained": kernel_with(min_speedup=1.5),
    "less time": kernel_with(timeout_s=60.0),
    "a target more": workload_with(targets=("cuda", "cpu", "sm_90")),
    "more work told": workload_with(flops=1e12),
    "an owner more": kernel_with(owners=("@acme/kernels", "@ada", "@grace")),
    "owners in other letters": kernel_with(owners=("@Acme/Kernels", "@ADA")),
    "another custom path": kernel_with(custom="acme.better:fused"),
    "words for a reader": kernel_with(production_operator="torch.mm", compile="acme.ops:only"),
    "another place": kernel_with(place=replace(AT, line=99)),
    "a source": workload_with(source="a newer trace"),
    "a workload more": lambda h, a, w: with_kernel(
        h, lambda k: replace(k, workloads=(*k.workloads, work("huge", 9999))), a
    ),
    "an entry more": lambda h, a, w: with_manifest(h, kernels=(*h.manifest.kernels, declared("gelu"))),
    "a rule raised": level("unsteady", Level.FAIL),
    "a default written down": level("wrong-result", Level.FAIL),
    "a GPU more": lambda h, a, w: with_manifest(h, gpus={**h.manifest.gpus, "b200": Gpu()}),
    "a probation that ends": lambda h, a, w: with_manifest(h, gpus={**h.manifest.gpus, "l4": Gpu()}),
    "a slowdown accepted no more": lambda h, a, w: with_manifest(h, accepted=()),
    "a smaller slowdown accepted": lambda h, a, w: with_manifest(h, accepted=(replace(ACCEPTED, bound=0.01),)),
    "a waiver less": lambda h, a, w: with_manifest(h, waivers=()),
    "nothing ignored": lambda h, a, w: with_manifest(h, ignored=()),
    "a faster baseline": stored_with(custom_ns=5_000.0),
    "debt paid": lambda h, a, w: replace(h, debt=()),
    "debt due earlier": lambda h, a, w: replace(h, debt=(replace(OWED, expires="2026-12-01"),)),
}
