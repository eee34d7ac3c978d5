"""One cause that several arms fall over is one finding, with the advice for the cause."""

from dataclasses import replace

import pytest

from kgate.model import FALLBACK, HEAD, REFERENCE, SWITCH_OFF, SWITCH_ON, Failure, Level
from tests.unit.builders import failure, judged, run_of, with_outcomes


def import_failed(module: str, cause: str) -> Failure:
    return failure("import-failed", f"{module} cannot be imported by /opt/python: {cause}", rung="import")


@pytest.mark.parametrize("drills_only", [False, True])
def test_a_module_that_asks_for_a_gpu_when_it_is_imported_is_one_finding_whatever_imports_it(drills_only: bool) -> None:
    cause = "AssertionError: Torch not compiled with CUDA enabled"
    arms = {
        HEAD: "acme.gemm",
        FALLBACK: "acme.plain",
        REFERENCE: "acme.plain",
        SWITCH_OFF: "acme.ops",
        SWITCH_ON: "acme.ops",
    }
    run = with_outcomes(run_of(), *((arm, import_failed(module, cause)) for arm, module in arms.items()))
    if drills_only:
        run = replace(with_outcomes(run, (HEAD, None)), drills_only=True)

    (finding,) = [f for f in judged(run) if f.level >= Level.WARN]

    assert finding.rule == ("fallback-missing" if drills_only else "does-not-run")
    assert finding.advice.startswith("Let acme.gemm be imported without a GPU: ask for it when acme.gemm:")


def test_a_fallback_of_other_parameters_is_one_finding_that_says_how_to_name_one_that_fits() -> None:
    misfit = failure("wrong-signature", "it takes (x, factor) and is given (x)")
    run = with_outcomes(run_of(), (FALLBACK, misfit), (REFERENCE, misfit))

    (finding,) = [f for f in judged(run) if f.level >= Level.WARN]

    assert finding.rule == "fallback-raises"
    assert finding.sentence.endswith("does not take the manifest's arguments: it takes (x, factor) and is given (x)")
    assert finding.evidence["compared"] == "nothing, since the fallback is the reference as well"
    assert finding.advice.startswith("Name under `fallback` a function that takes what acme.ops:gemm takes")
