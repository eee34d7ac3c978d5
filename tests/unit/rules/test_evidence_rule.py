"""A new kernel that shows nothing for itself, and those of which nothing is asked."""

from dataclasses import replace

from kgate.model import Finding, Kernel, Level
from tests.unit.builders import judged, kernel, run_of, workload

SHOWN = kernel(production_operator="torch.mm", evidence_profile="ci/evidence/gemm.json")


def missing(new: Kernel) -> list[Finding]:
    """What is said of a kernel that base's manifest does not have."""
    return [f for f in judged(run_of(new, base_kernels={})) if f.rule == "evidence-missing"]


def test_a_new_kernel_without_evidence_is_a_warning_that_names_all_of_it() -> None:
    workloads = (workload("a", source=""), workload("b", source=" "), workload("tail", source="", weight=0))

    (finding,) = missing(replace(kernel(), workloads=workloads))

    assert finding.level is Level.WARN
    assert finding.sentence == (
        "gemm is new, and nothing shows that it is needed: no profile (`evidence: {profile: FILE, source: …}`), no "
        "`production_operator`, no source for a, b"
    )


def test_a_new_kernel_with_its_evidence_is_asked_nothing() -> None:
    assert missing(SHOWN) == []


def test_a_kernel_that_base_has_is_asked_nothing_nor_is_any_without_a_base() -> None:
    assert [f.rule for f in judged(run_of(kernel()))] == []
    assert [f.rule for f in judged(run_of(kernel(), base_kernels={}, base_ran=False))] == []


def test_the_policy_may_make_it_block() -> None:
    run = run_of(kernel(), base_kernels={})

    (finding,) = (f for f in judged(run, {"evidence-missing": Level.FAIL}) if f.rule == "evidence-missing")

    assert finding.blocks
