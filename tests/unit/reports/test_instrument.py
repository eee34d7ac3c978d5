"""What a report says of its run's controls."""

from dataclasses import replace

import pytest

from kgate.model import Control, Instrument
from kgate.reports._instrument import line
from tests.unit.builders import run_of

OFF = Control(name="quiet 50 µs", bias=1.031, dose=1.02, launches=6, dosed=6, fault="same code came out 3.1 % apart")


@pytest.mark.parametrize(("on_gpu", "word"), [(True, "FAILED"), (False, "off, which on a CPU is only told")])
def test_a_control_that_is_off_is_told_with_what_it_means_there(on_gpu: bool, word: str) -> None:
    run = replace(run_of(on_gpu=on_gpu), instrument=Instrument(controls=(OFF,), given=1.05, voids=on_gpu))

    assert line(run) == (f"controls: bias 3.1 %, dose 5 % seen as 2.0 %; {word}: same code came out 3.1 % apart")


def test_controls_that_held_are_told_by_their_figures_alone() -> None:
    held = replace(OFF, bias=0.999, dose=1.051, fault="")
    run = replace(run_of(on_gpu=True), instrument=Instrument(controls=(held,), given=1.05))

    assert line(run) == "controls: bias 0.1 %, dose 5 % seen as 5.1 %"
