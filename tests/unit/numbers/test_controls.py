"""Quiet kernels of kgate's own: their lengths, where the dose is, and what is made of their times."""

import numpy as np
import pytest

from kgate import controls
from kgate.model import LaunchTiming
from kgate.protocol import ValueArg

SPIN = {"call-ns": 3_000.0, "ns-per-cycle": 0.5}
GPU = controls.kernels(True, SPIN)


def length_ns(kernel, *, dosed=False):
    cycles = kernel.job(dosed).args["cycles"]
    assert isinstance(cycles, ValueArg)
    return SPIN["call-ns"] + SPIN["ns-per-cycle"] * float(cycles.value)


def test_on_a_gpu_three_kernels_are_as_long_as_is_wanted_and_the_dose_is_five_percent():
    assert [length_ns(k) for k in GPU] == pytest.approx([5_000, 50_000, 500_000], rel=1e-3)
    assert [length_ns(k, dosed=True) / length_ns(k) for k in GPU] == pytest.approx([1.05] * 3, abs=2e-4)


def test_where_a_call_alone_takes_long_the_shortest_kernel_is_longer_so_that_most_of_the_dose_is_a_wait():
    (first, *_) = controls.kernels(True, {**SPIN, "call-ns": 9_000.0})

    assert first.about_ns == 12_000


@pytest.mark.parametrize(
    "spin", [{}, {"call-ns": 3_000.0}, {**SPIN, "ns-per-cycle": 0.0}, {**SPIN, "ns-per-cycle": float("nan")}]
)
def test_a_gpu_that_could_not_be_measured_has_no_controls_and_says_so(spin):
    quiet = controls.kernels(True, spin)

    found = controls.judged(quiet, {}, True)

    assert quiet == ()
    assert (found.missing, found.voids) == ("the device could not be measured for them", False)


def test_on_a_cpu_the_dose_is_one_pass_in_twenty():
    for kernel in controls.kernels(False, {}):
        plain, dosed = (kernel.job(d).args["passes"].value for d in (False, True))
        assert dosed / plain == 1.05


@pytest.mark.parametrize(
    ("arms", "launch", "arm"),
    [
        (("head", "base", "fallback"), 0, "fallback"),
        (("head", "base", "fallback"), 1, "fallback"),
        (("head", "fallback"), 0, ""),
        (("head", "fallback"), 1, "fallback"),
        (("head", "base"), 0, ""),
        (("head", "base"), 1, "head"),
        (("head",), 1, ""),
    ],
)
def test_the_dose_is_where_the_same_code_is_still_to_be_seen_in_two_arms(arms, launch, arm):
    assert controls.dosed_arm(arms, launch) == arm


def launches(factors, *, dosed="fallback", count=8, spread=0.003, seed=1):
    """Times of each arm by its factor, varying from launch to launch."""
    draw = np.random.default_rng(seed)
    return [
        LaunchTiming(
            launch=n,
            samples_ns={
                arm: tuple(5_000 * f * np.exp(draw.normal(0, spread)) * np.exp(draw.normal(0, spread, 20)))
                for arm, f in factors.items()
            },
            call_ns={},
            method="fake",
            notes={"dosed": dosed},
        )
        for n in range(count)
    ]


def judged(taken, on_gpu=True):
    return controls.judged(GPU[:1], {GPU[0].case: taken}, on_gpu)


def test_a_sound_instrument_sees_no_bias_and_the_dose():
    found = judged(launches({"head": 1.0, "base": 1.0, "fallback": 1.05}))

    (control,) = found.controls
    assert control.bias == pytest.approx(1.0, abs=0.005)
    assert control.dose == pytest.approx(1.05, abs=0.005)
    assert (control.launches, control.dosed, found.faults, found.voids) == (8, 8, (), False)


def test_one_launch_that_a_neighbour_disturbs_voids_nothing():
    taken = launches({"head": 1.0, "base": 1.0, "fallback": 1.05})
    taken[3] = launches({"head": 1.4, "base": 1.0, "fallback": 1.05}, count=1)[0]

    assert not judged(taken).voids


@pytest.mark.parametrize(
    ("factors", "fault"),
    [
        ({"head": 1.02, "base": 1.0, "fallback": 1.0605}, "5.00 µs: the same code in two arms differs by +2.0 %"),
        ({"head": 1.0, "base": 1.02, "fallback": 1.05}, "5.00 µs: the same code in two arms differs by -2.0 %"),
        ({"head": 1.0, "base": 1.0, "fallback": 1.03}, "5.00 µs: +5.0 % put in was seen as +3.0 %"),
        ({"head": 1.0, "base": 1.0, "fallback": 1.08}, "5.00 µs: +5.0 % put in was seen as +8.0 %"),
    ],
)
def test_a_biased_or_blunt_instrument_is_named_and_voids_the_times_of_a_gpu_alone(factors, fault):
    taken = launches(factors, spread=1e-6)

    assert judged(taken).faults == (fault,)
    assert judged(taken).voids
    assert not judged(taken, on_gpu=False).voids


def test_of_two_arms_half_the_launches_show_the_bias_and_half_the_dose():
    even = launches({"head": 1.0, "fallback": 1.0}, dosed="", count=4)
    odd = launches({"head": 1.0, "fallback": 1.05}, count=4, seed=2)

    (control,) = judged([*even, *odd]).controls

    assert (control.launches, control.dosed) == (4, 4)
    assert control.dose == pytest.approx(1.05, abs=0.01)


def test_a_run_of_two_launches_is_too_short_to_say_anything_of_its_instrument():
    (control,) = judged(launches({"head": 1.5, "base": 1.0, "fallback": 1.0}, count=2)).controls

    assert (control.bias, control.dose, control.fault) == (None, None, "")


def test_a_time_that_is_none_leaves_its_launch_out():
    taken = launches({"head": 1.0, "base": float("nan"), "fallback": 1.05})

    (control,) = judged(taken).controls

    assert (control.launches, control.dosed) == (0, 8)
