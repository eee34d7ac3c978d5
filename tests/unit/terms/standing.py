"""Two trees that hold the same, by hand; tests change one thing of one of them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from kgate.model import (
    Accepted,
    Fingerprint,
    Gpu,
    Ignored,
    Kernel,
    Level,
    Manifest,
    Noise,
    Owed,
    Place,
    Tolerance,
    Tuning,
    Waiver,
    Workload,
)
from kgate.protocol import Fill, TensorArg
from kgate.terms import Held
from tests.unit.builders import baseline, kernel, stored_case, workload

AT = Place(path="kgate.yaml", line=8)
ACCEPTED = Accepted(
    case="norm/small", rule="slower-than-base", bound=0.05, reason="exact at last", until="2027-01-31", place=AT
)
OWED = Owed(rule="wrong-result", scope="case", name="gemm/small", owner="@ada", expires="2027-01-31", place=AT)


def tensor(size: int = 64, *, stream: int = 7, dtype: str = "float32") -> TensorArg:
    return TensorArg(shape=(size, 128), dtype=dtype, fill=Fill(kind="normal", b=1.0), stream=stream)


def work(name: str, size: int, stream: int = 7) -> Workload:
    return workload(
        name,
        args={"x": tensor(size, stream=stream), "w": tensor(stream=stream + 1)},
        symbols={"M": size},
        tolerance={
            "float32": Tolerance(rtol=1e-3, atol=1e-4),
            "bfloat16": Tolerance(rtol=1e-2),
            "float16": Tolerance(atol=1e-3),
            "": Tolerance(psnr=60.0),
        },
        targets=("cuda", "cpu"),
        weight=2.0,
        flops=1e6 * size,
        moved_bytes=1e3 * size,
    )


def declared(name: str, **changes: Any) -> Kernel:
    made = kernel(
        name,
        reference=f"acme.{name}:exact",
        device_kernels=("gemm_*",),
        optional=("tilelang", "cuda"),
        deterministic=True,
        tune=Tuning(config="acme.tuning:fixed", space={"tile": (64, 128)}),
        min_speedup=1.05,
        owners=("@acme/kernels", "@ada"),
    )
    return replace(made, workloads=(work("small", 64), work("large", 4096, 17)), **changes)


def manifest(*kernels: Kernel, **changes: Any) -> Manifest:
    made = Manifest(
        path=Path("/r/kgate.yaml"),
        folder=Path("/r"),
        root=Path("/r"),
        python="",
        build="",
        env=(),
        baselines="ci/kgate",
        policy={"slower-than-base": Level.FAIL, "unsteady": Level.WARN},
        gpus={"h100": Gpu(), "l4": Gpu(probation="2027-01-31")},
        kernels=kernels or (declared("gemm"), declared("norm")),
        digest="0",
        ignored=(Ignored(pattern="examples/", reason="shown", expires="2027-01-31", place=AT),),
        accepted=(ACCEPTED,),
        waivers=(Waiver(gpu="h100", reason="being mended", expires="2026-12-31", place=AT),),
    )
    return replace(made, **changes)


def held(made: Manifest | None = None, **changes: Any) -> Held:
    made = made or manifest()
    truths = {f for k in made.kernels for f in (k.reference, k.fallback)}
    modules = {f.partition(":")[0] for k in made.kernels for f in (k.dispatch, k.custom, k.fallback, k.reference)}
    case = replace(stored_case(), noise={"base": Noise(spread_log=0.01, freedom=9)})
    stored = baseline({f"{k.name}/{w.name}": case for k in made.kernels for w in k.workloads})
    whole = Held(
        manifest=made,
        code={function: f"digest of {function.partition(':')[2]}" for function in truths},
        modules=frozenset(modules),
        baselines={"cpu": stored},
        debt=(OWED,),
    )
    return replace(whole, **changes)


def with_kernel(whole: Held, change: Callable[[Kernel], Kernel], at: int = 0) -> Held:
    kernels = tuple(change(k) if n == at else k for n, k in enumerate(whole.manifest.kernels))
    return replace(whole, manifest=replace(whole.manifest, kernels=kernels))


def with_workload(whole: Held, change: Callable[[Workload], Workload], at: int = 0, which: int = 0) -> Held:
    def changed(one: Kernel) -> Kernel:
        return replace(one, workloads=tuple(change(w) if n == which else w for n, w in enumerate(one.workloads)))

    return with_kernel(whole, changed, at)


def with_manifest(whole: Held, **changes: Any) -> Held:
    return replace(whole, manifest=replace(whole.manifest, **changes))


def with_case(whole: Held, name: str, **changes: Any) -> Held:
    old = whole.baselines["cpu"]
    cases = {n: replace(c, **changes) if n == name else c for n, c in old.cases.items()}
    return replace(whole, baselines={"cpu": replace(old, cases=cases)})


def on_another_fingerprint(whole: Held) -> Held:
    other = replace(whole.baselines["cpu"], fingerprint=Fingerprint(must_match={"gpu": "another"}))
    return replace(whole, baselines={"cpu": other})
