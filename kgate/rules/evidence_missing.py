"""A new kernel comes without showing that it is needed: no profile, no rival from production, workloads of nobody."""

from collections.abc import Iterable, Iterator

from kgate.model import Finding, Kernel, Level, Run
from kgate.rules._law import Limit, Said, of_kernel

NAME = "evidence-missing"
DEFAULT = Level.WARN
ON_CPU: Level | None = None
WANTS = (
    "A kernel that base's manifest does not have names a profile that shows its operator's share, the operator that "
    "production runs without it, and a source for every workload that has a weight."
)
WHY = (
    "A kernel costs review, risk and an owner for years. It is worth that where its operator takes a real share of the "
    "time, its rival is what production runs, and its workloads are those that production sees."
)
SATISFY = (
    "Record real traffic with torch.profiler, run `kgate decide KERNEL --trace FILE`, store what it prints with "
    "`--format json`, and write `evidence: {profile: FILE, source: …}` and `production_operator: …`. `kgate capture` "
    "records workloads with their source."
)


def judge(run: Run, limit: Limit) -> Iterable[Finding]:
    """Owners, fallback and speed are other rules' to ask for; without a base no kernel is new."""
    for kernel in run.kernels.values():
        if run.base_ran and kernel.name not in run.base_kernels and (missing := list(wanting(kernel))):
            yield of_kernel(run, limit, kernel, said(kernel, missing))


def wanting(kernel: Kernel) -> Iterator[str]:
    if not kernel.evidence_profile:
        yield "no profile (`evidence: {profile: FILE, source: …}`)"
    if not kernel.production_operator:
        yield "no `production_operator`"
    unsourced = [w.name for w in kernel.workloads if w.weight and not w.source.strip()]
    if unsourced:
        yield f"no source for {', '.join(unsourced)}"


def said(kernel: Kernel, missing: list[str]) -> Said:
    return Said(
        sentence=f"{kernel.name} is new, and nothing shows that it is needed: {', '.join(missing)}",
        advice=f"Run `kgate decide {kernel.name} --trace FILE` on a profile of real traffic; it says what is missing.",
    )
