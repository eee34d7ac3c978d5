"""Small items and outcomes of a compilation, by hand."""

from typing import Any

from kgate.compilation.work import Item
from kgate.model import Case, CompiledKernel, Failure, Measurement
from kgate.protocol import CaseJob, Reason, Rung

DIGEST = "a" * 64


def item(workload: str = "small", *, kernel: str = "gemm", arch: str = "sm_90", **job: Any) -> Item:
    case = Case(kernel=kernel, workload=workload, device=arch)
    given = {"dsl": "triton", "entry": f"acme.{kernel}:fused", "args": {}, "keywords": False, "symbols": {}}
    return Item(case=case, job=CaseJob(case=case.name, **{**given, **job}))


def variant(kernel: str = "gemm_triton", code: str = DIGEST, **changes: Any) -> CompiledKernel:
    given: dict[str, Any] = {"registers": 168, "shared_bytes": 98304, "local_bytes": 0, "compile_ns": 2_000_000_000}
    return CompiledKernel(kernel=kernel, dsl="triton", arch="sm_90a", code_sha256=code, **{**given, **changes})


def made(*compiled: CompiledKernel, files: dict[str, str] | None = None) -> Measurement:
    return Measurement(outputs=(), facts={"loaded-files": files or {}}, compiled=compiled)


def refused(
    text: str, reason: Reason = "compile-failed", rung: Rung = "compile", files: dict[str, str] | None = None
) -> Failure:
    return Failure(rung=rung, reason=reason, text=text, files=files or {})
