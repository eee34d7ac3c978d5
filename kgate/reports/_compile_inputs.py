"""
What a kernel's compiled code came from: all that a compile cache would have to key on.

The run's own caches were empty when it began, so that a key that leaves one of these out has given nothing stale.
"""

from typing import Any

from kgate.model import HEAD, CompiledKernel, Kernel, Measurement, Run


def compile_inputs(run: Run, kernel: Kernel) -> dict[str, Any]:
    """Of head's custom path, over all its cases; empty where no case answered."""
    outcomes = (run.outcome(HEAD, case) for case in run.of_kernel(kernel.name))
    answers = [outcome for outcome in outcomes if isinstance(outcome, Measurement)]
    files: dict[str, str] = {}
    for answer in answers:
        found = answer.facts.get("loaded-files", {})
        files |= found if isinstance(found, dict) else {}
    return {
        "files": dict(sorted(files.items())),
        "configurations": sorted({configuration(built) for answer in answers for built in answer.compiled}),
        "machine": dict(sorted(run.fingerprint.must_match.items())) if answers else {},
    }


def configuration(built: CompiledKernel) -> str:
    """`gemm sm_90: block=128, stages=3`."""
    options = ", ".join(f"{name}={value}" for name, value in sorted(built.config.items()))
    return f"{built.kernel} {built.arch}".rstrip() + (f": {options}" if options else "")
