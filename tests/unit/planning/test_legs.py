"""On which devices a plan has something measured, where no manifest names a GPU."""

from dataclasses import replace

import pytest

from kgate.model import Gpu, Manifest, Proof
from kgate.planning import devices_of
from tests.unit.builders import kernel, workload
from tests.unit.terms.standing import manifest


def meant_for(*targets: str, **gpus: Gpu) -> Manifest:
    made = replace(kernel(), workloads=(workload(targets=targets),))
    return replace(manifest(made), gpus=gpus)


def proof(device: str, kind: str) -> Proof:
    return Proof(
        run="0123456789abcdef",
        version="1",
        commit="a" * 40,
        started="2026-10-07T08:00:00+00:00",
        manifest="kgate.yaml",
        device=device,
        kind=kind,
        arch="",
        must_match={},
        terms="",
        locks={},
        kernels=(),
    )


CPU, H200, L4 = proof("cpu", "cpu"), proof("h200", "cuda"), proof("l4", "cuda")
BOTH = meant_for("cuda", "cpu")


@pytest.mark.parametrize(
    ("proofs", "legs"),
    [
        ((), ("cpu", "cuda")),
        ((CPU,), ("cpu", "cuda")),
        ((H200, L4), ("cpu", "h200", "l4")),
        ((CPU, H200), ("cpu", "h200")),
    ],
)
def test_proofs_tell_what_a_kind_of_device_is_called_and_take_none_away(
    proofs: tuple[Proof, ...], legs: tuple[str, ...]
) -> None:
    assert devices_of(BOTH, BOTH, proofs) == legs


def test_a_proof_of_a_kind_that_no_workload_is_meant_for_adds_no_leg() -> None:
    assert devices_of(meant_for("cpu"), meant_for("cpu"), (H200,)) == ("cpu",)


def test_a_change_of_targets_adds_a_leg_and_takes_none_away() -> None:
    cpu, gpu = meant_for("cpu"), meant_for("sm_90")

    assert devices_of(cpu, gpu, ()) == ("cpu", "cuda")
    assert devices_of(gpu, cpu, ()) == ("cpu", "cuda")
    assert devices_of(cpu, None, ()) == ("cpu",)


def test_where_a_manifest_names_gpus_these_are_the_legs_and_bases_are_among_them() -> None:
    base, head = meant_for("cuda", h100=Gpu()), meant_for("cuda", l4=Gpu())

    assert devices_of(head, base, (H200,)) == ("h100", "l4")
