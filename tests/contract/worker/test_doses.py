"""What the gate puts into a worker itself: quiet kernels, and slowdowns on purpose. Answers stay what they are."""

import struct

import pytest

from kgate import controls
from kgate.protocol import Dose, Job, ValueArg

pytestmark = pytest.mark.real
FIVES = struct.pack("<4f", *[5.0] * 4)
DOSES = {
    "more-work": Dose(way="more-work", amount=2),
    "extra-load": Dose(way="extra-load", amount=8),
    "misaligned": Dose(way="misaligned", amount=1),
    "host-delay": Dose(way="host-delay", amount=20_000_000),
    "all-of-it-again": Dose(way="more-work", amount=4),
}


@pytest.fixture(scope="module")
def ended(bench, case_job):
    """One process for all of them: importing torch is what costs."""
    quiet = [kernel.job(False) for kernel in controls.kernels(False, {})]
    cases = [case_job("kernels:add", case=name, dose=dose) for name, dose in DOSES.items()]
    nothing = case_job("torch:arange", case="nothing-to-load", args={"n": ValueArg(value=3)}, dose=DOSES["extra-load"])
    job = Job(mode="outputs", arm="head", tree=str(bench.tree), device="cpu", cases=(*quiet, *cases, nothing))
    return bench.run(bench.written(job))


@pytest.mark.parametrize("name", ["more-work", "extra-load", "misaligned", "host-delay"])
def test_a_slowed_function_answers_as_ever(ended, name):
    ((output, data),) = ended.outputs(name)

    assert (output.shape, data) == ((4,), FIVES)


def test_a_delay_takes_its_time(ended):
    (run,) = [r for r in ended.of("host-delay") if getattr(r, "rung", "") == "run"]

    assert run.ns >= DOSES["host-delay"].amount


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("all-of-it-again", "no argument has more than 4 rows"),
        ("nothing-to-load", "no argument is a contiguous tensor"),
    ],
)
def test_what_cannot_be_put_in_is_said_and_is_no_fault_of_the_kernel(ended, name, text):
    failed = ended.failed(name)

    assert failed.reason == "unavailable"
    assert text in failed.text


def test_the_gates_own_kernels_come_out_of_no_tree_and_add_one(ended):
    for kernel in controls.kernels(False, {}):
        ((output, data),) = ended.outputs(kernel.case)
        values = struct.unpack(f"<{kernel.elements}f", data)
        assert output.shape == (kernel.elements,)
        assert all(1 <= value < 2 for value in values)
