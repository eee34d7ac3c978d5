"""What is noted of a case besides its answer: bounded, and never at the case's expense."""

from types import SimpleNamespace

import pytest

from kgate.protocol import Facts, encode
from kgate.runner.facts import misshapen
from kgate.worker.compiling import told
from kgate.worker.faults import Fault
from kgate.worker.observation import Observation, note_picks


def subject(tuned, spaces=dict):
    return SimpleNamespace(ground=SimpleNamespace(adapter=SimpleNamespace(tuned=tuned, spaces=spaces)))


@pytest.fixture
def seen(tmp_path) -> Observation:
    return Observation(str(tmp_path))


def test_picks_of_autotuners_are_told(seen):
    note_picks(subject(lambda: {"m.f(64)": "tile=128"}), seen)

    assert seen.facts["tuned"] == {"m.f(64)": "tile=128"}


def test_what_a_pick_was_made_from_is_told_with_it_and_nothing_of_other_tuners(seen):
    choice = {"m.f(64)": ["tile=64", "tile=128"], "m.g(1)": ["tile=1"]}

    note_picks(subject(lambda: {"m.f(64)": "tile=128"}, lambda: choice), seen)

    assert seen.facts["configurations"] == ["m.f(64)\ttile=64", "m.f(64)\ttile=128"]
    assert list(seen.facts["spaces"]) == ["m.f(64)"]
    assert misshapen(seen.facts) == ""


def test_a_choice_too_large_to_tell_is_told_by_its_digest_alone(seen):
    note_picks(subject(lambda: {"m.f": "n=1"}, lambda: {"m.f": [f"n={n}" for n in range(2000)]}), seen)

    assert "configurations" not in seen.facts
    assert len(seen.facts["spaces"]["m.f"]) == 64


def test_more_picks_than_the_gate_takes_are_cut_to_the_latest_and_long_ones_left_out(seen):
    many = {f"m.f({n})": f"tile={n}" for n in range(1000)}

    note_picks(subject(lambda: {**many, "m.g(" + "7" * 1000 + ")": "tile=1", "m.f(1001)": "t" * 501}), seen)

    assert misshapen(seen.facts) == ""
    assert list(seen.facts["tuned"]) == [f"m.f({n})" for n in range(744, 1000)]


def test_a_tuner_that_cannot_be_asked_costs_its_evidence_alone(seen):
    note_picks(subject(lambda: {}["configs"]), seen)

    assert seen.facts == {"note": "what autotuners picked cannot be told: KeyError: 'configs'"}


def test_notes_of_any_length_fit_a_reply(seen):
    for _ in range(3):
        seen.note("x" * (1 << 20))

    assert misshapen(seen.facts) == ""
    assert encode(Facts(case="a", facts=seen.facts))


class Dry:
    def __init__(self, fails: str = "") -> None:
        self.fails = fails

    def __enter__(self) -> list[str]:
        if self.fails == "entered":
            raise AttributeError("no such hook")
        return ["built"]

    def __exit__(self, *_: object) -> None:
        if self.fails == "left":
            raise KeyError("a kernel that was never remembered")


@pytest.mark.parametrize("when", ["entered", "left"])
def test_a_dry_run_that_fails_by_itself_is_no_fault_of_the_kernels(when):
    with pytest.raises(Fault) as raised, told(Dry(when)):
        pass

    assert (raised.value.rung, raised.value.reason) == ("environment", "unavailable")


@pytest.mark.parametrize("fails", ["", "left"])
def test_what_stopped_the_case_within_a_dry_run_is_what_is_told(fails):
    with pytest.raises(ValueError, match="K is odd"), told(Dry(fails)):
        raise ValueError("K is odd")


def test_what_a_dry_run_lists_is_told():
    with told(Dry()) as built:
        assert built == ["built"]
