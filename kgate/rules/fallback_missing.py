"""The fallback's module or function is gone, or it is the custom path itself."""

from collections.abc import Iterable

from kgate.advice import reason_advice
from kgate.model import Finding, Kernel, Level, Run
from kgate.rules._law import Limit, Said, of_case, of_kernel
from kgate.rules._state import alike, custom_failure, fallback_failure, happened, trace, uncompared

NAME = "fallback-missing"
DEFAULT = Level.FAIL
ON_CPU: Level | None = None
WANTS = "The fallback's module imports and holds the function that the manifest names, which is not the custom path."
WHY = "Without a fallback, a bad kernel can only be taken back by a release; the person on call has no switch to turn."
SATISFY = (
    "Put the function back, or name under `fallback` the one that production runs when the kernel is off. The module "
    "has to import without the kernel's own packages."
)
REASONS = ("import-failed", "function-missing")


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    for kernel in run.kernels.values():
        if kernel.custom and kernel.custom == kernel.fallback:
            yield of_kernel(run, limit, kernel, the_same(kernel))
    for case in run.cases:
        failure = fallback_failure(run, case)
        if failure is None or failure.reason not in REASONS or alike(failure, custom_failure(run, case)):
            continue
        function = run.kernels[case.kernel].fallback
        said = Said(
            sentence=f"the fallback {function} {happened(failure)}",
            evidence={**trace(failure), **uncompared(run, case)},
            advice=reason_advice("import-failed", function, said=failure.text)
            if failure.reason == "import-failed"
            else f"Put {function} back where the manifest says, or correct `fallback` in the manifest.",
        )
        yield of_case(run, limit, case, said)


def the_same(kernel: Kernel) -> Said:
    return Said(
        sentence=f"custom and fallback of {kernel.name} are both {kernel.custom}, so there is no way out of it",
        advice="Name under `fallback` what production runs when the kernel is off.",
    )
