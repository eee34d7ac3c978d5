"""What the gate's own clock allows a worker to claim."""

from dataclasses import replace

import pytest

from kgate.protocol import BATCH, GRAPH, SINGLE, TimeBlock, Times
from kgate.runner.doubts import disturbance, doubt

MS = 1_000_000


def times(method: str, sample_ns: float, call_ns: float) -> Times:
    return Times(
        case="c", samples_ns=(sample_ns,) * 2, call_ns=(call_ns,) * 2, wall_ns=20 * MS, method=method, notes={}
    )


@pytest.mark.parametrize(
    ("method", "batch", "sample_ns", "call_ns", "allowed"),
    [
        (SINGLE, 1, 10 * MS, 10 * MS, True),  # the host's call is within the device's span, or beside it
        (SINGLE, 1, 11 * MS, 1.0, False),
        (SINGLE, 1, 1.0, 11 * MS, False),
        (BATCH, 10, 1 * MS, 1 * MS, True),
        (BATCH, 10, 1.0, 1.1 * MS, False),
        (GRAPH, 10, 0.9 * MS, 9 * MS, True),  # one host's call a replay of ten, while the device is at the one before
        (GRAPH, 10, 0.9 * MS, 11 * MS, False),
        (GRAPH, 10, 1.1 * MS, 1.0, False),
    ],
)
def test_no_more_time_can_be_claimed_than_has_passed(method, batch, sample_ns, call_ns, allowed):
    request = TimeBlock(case="c", seeds=(1, 2), batch=batch)

    said = doubt(times(method, sample_ns, call_ns), request, 20 * MS)

    assert (said == "") is allowed, said


@pytest.mark.parametrize(
    "changes",
    [
        {"notes": dict.fromkeys(map(str, range(101)), 1)},
        {"notes": {"throttle": "x" * 501}},
        {"notes": {"x" * 501: 1}},
        {"notes": {"throttle": "\ud800"}},
        {"notes": {"\ud800": 1}},
        {"method": "\ud800"},
    ],
)
def test_notes_that_no_report_could_show_are_not_taken(changes):
    request = TimeBlock(case="c", seeds=(1, 2))
    sound = times(SINGLE, 1.0, 1.0)

    assert doubt(replace(sound, notes={"sm-clock-mhz": 1980, "throttle": "heat"}), request, 20 * MS) == ""
    assert doubt(replace(sound, **changes), request, 20 * MS).startswith("gave ")


def block(**notes: object) -> Times:
    return replace(times(SINGLE, 1.0, 1.0), notes=notes)  # type: ignore[arg-type]


def test_work_that_goes_on_after_the_last_event_of_most_blocks_is_on_a_stream_that_nobody_timed():
    late = [block(**{"after-last-event-ns": ns}) for ns in (180_000, 20_000, 210_000, 190_000)]

    said = disturbance(late)

    assert said == "work went on for 185 µs after the last event, on a stream that the timer does not see"


def test_a_host_that_was_late_once_is_no_stream_of_its_own():
    once = [block(**{"after-last-event-ns": ns}) for ns in (-3_000, 20_000, 900_000, 10_000)]

    assert disturbance(once) == ""
    assert disturbance([block(**{"after-last-event-ns": "soon"})]) == ""


def test_a_compile_and_a_host_that_is_too_slow_are_told_before():
    assert disturbance([block(compiles=1)]) == "a compile happened inside the timed region"
    assert "waited for the host" in disturbance([block(**{"host-time-leaked": 2})])
