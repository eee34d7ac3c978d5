"""Mode "compare" in a process: what a function of the user's says of an answer, and of answers that are wrong."""

import struct
from dataclasses import replace
from pathlib import Path

import pytest

from kgate.protocol import ANSWER, HELD, Held, Job, Stored, Trial

pytestmark = pytest.mark.real
RIGHT, FAR, ZEROS = (2.0, 3.0), (2.5, 3.0), (0.0, 0.0)
CASES = ("same", "same far", "asserting", "asserting far", "anything", "careless", "silent")


@pytest.fixture(scope="module")
def ended(bench, case_job):
    """One process: each function on the answer and on zeros; "far" ones have a wrong answer."""
    stored = {
        name: Stored(file=f"{name}.bin", dtype=dtype, shape=(2,))
        for name, dtype in (("expected", "float64"), ("right", "float32"), ("far", "float32"), ("zeros", "float32"))
    }

    def held(answer: str) -> Held:
        trials = (Trial(name=ANSWER, outputs=(stored[answer],)), Trial(name="of zeros", outputs=(stored["zeros"],)))
        return Held(expected=(stored["expected"],), trials=trials)

    jobs = [
        replace(
            case_job(f"comparing:{name.split()[0]}", case=name, keywords=True),
            held=held("far" if "far" in name else "right"),
        )
        for name in CASES
    ]
    folder = bench.written(Job(mode="compare", arm="reference", tree=str(bench.tree), device="cpu", cases=tuple(jobs)))
    put(folder / HELD)
    return bench.run(folder)


def put(folder: Path) -> None:
    folder.mkdir()
    (folder / "expected.bin").write_bytes(struct.pack("2d", *RIGHT))
    for name, values in (("right", RIGHT), ("far", FAR), ("zeros", ZEROS)):
        (folder / f"{name}.bin").write_bytes(struct.pack("2f", *values))


def test_figures_and_verdict_come_back_and_zeros_are_refused(ended) -> None:
    facts = ended.facts("same")

    assert facts["holds"] == [ANSWER]
    assert facts["figures"] == {"error": "0", "x": "8"}
    assert ended.facts("same far")["holds"] == []
    assert ended.facts("same far")["figures"]["error"] == "0.5"


def test_an_assertion_that_fails_is_a_no_in_its_words(ended) -> None:
    assert ended.facts("asserting")["holds"] == [ANSWER]
    assert ended.facts("asserting far")["holds"] == []
    assert ended.facts("asserting far")["said"].startswith("AssertionError: ")


def test_what_accepts_anything_accepts_wrong_answers_and_changes_nothing_for_the_next(ended) -> None:
    assert ended.facts("anything")["holds"] == [ANSWER, "of zeros"]


def test_what_it_raises_or_returns_besides_is_a_failure_of_its_own_rung(ended) -> None:
    raised, silent = ended.failed("careless"), ended.failed("silent")

    assert (raised.rung, raised.reason, raised.text) == ("correctness", "raised", "KeyError: 'scale'")
    assert (silent.rung, silent.reason) == ("correctness", "wrong-type")
    assert "it has to return True or False, or a mapping with 'holds' and figures" in silent.text
