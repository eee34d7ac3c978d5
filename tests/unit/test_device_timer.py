"""The timer of CUDA events on a device that is made up: what work takes, and the host's clock, are the test's."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from kgate.worker import nvml
from kgate.worker.devices import _events
from kgate.worker.devices._events import CYCLES_PER_NS, WAIT_LEAST_NS, Events
from kgate.worker.devices._graphs import Graph

FLUSH_NS = 30_000


class Machine:
    """A host and a device of one stream. All times in ns; `slept` are the waits that the timer queued."""

    def __init__(self) -> None:
        self.host_ns = 0
        self.device_ns = 0  # when it will have done all that is queued
        self.slept: list[float] = []
        self.waits = 0
        self.others_ns = 0  # when another stream will be done

    def queue(self, ns: float, host_ns: int = 5_000) -> None:
        self.host_ns += host_ns
        self.device_ns = max(self.device_ns, self.host_ns) + int(ns)

    def sleep(self, cycles: int) -> None:
        self.slept.append(cycles / CYCLES_PER_NS)
        self.queue(cycles / CYCLES_PER_NS)

    def synchronize(self, name: str) -> None:
        self.waits += 1
        self.host_ns = max(self.host_ns, self.device_ns, self.others_ns) + 40_000


class Event:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.at_ns = 0

    def record(self) -> None:
        self.machine.queue(0, 2_000)
        self.at_ns = self.machine.device_ns

    def query(self) -> bool:
        return self.at_ns <= self.machine.host_ns

    def synchronize(self) -> None:
        self.machine.host_ns = max(self.machine.host_ns, self.at_ns)

    def elapsed_time(self, other: "Event") -> float:
        return (other.at_ns - self.at_ns) / 1e6


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine()
    monkeypatch.setattr(_events.time, "perf_counter_ns", lambda: made.host_ns)
    return made


@pytest.fixture
def timer(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Events:
    cuda = SimpleNamespace(
        Event=lambda enable_timing: Event(machine),
        _sleep=machine.sleep,
        synchronize=machine.synchronize,
        get_device_properties=lambda name: SimpleNamespace(uuid="a"),
    )
    flush = SimpleNamespace(zero_=lambda: machine.queue(FLUSH_NS))
    monkeypatch.setitem(__import__("sys").modules, "torch", SimpleNamespace(cuda=cuda))
    monkeypatch.setattr(_events, "cold", lambda name: (flush, float(FLUSH_NS)))
    monkeypatch.setattr(nvml, "read", lambda uuid: nvml.State(throttle="power-cap", readings={"sm-clock-mhz": 1980.0}))
    return Events("cuda:0")


def taking(machine: Machine, ns: int, host_ns: int = 20_000) -> Callable[[], str]:
    def call() -> str:
        machine.queue(ns, host_ns)
        return "result"

    return call


def test_a_sample_is_what_the_device_took_whatever_the_host_took(machine: Machine, timer: Events) -> None:
    taken = timer.sample([taking(machine, 50_000), taking(machine, 70_000)])

    assert taken.span_ns == pytest.approx(60_000, abs=5_000)
    assert (taken.call_ns, taken.returned) == (20_000, "result")
    assert machine.slept == [WAIT_LEAST_NS]
    assert timer.notes()["host-time-leaked"] == 0


def test_samples_that_are_queued_have_the_times_of_samples_that_are_waited_for(machine: Machine, timer: Events) -> None:
    lengths = [300_000, 200_000, 400_000, 250_000]

    asked = [timer.queue([taking(machine, ns)]) for ns in lengths]
    timer.settle()

    assert [q.sample().span_ns for q in asked] == pytest.approx(lengths, abs=5_000)
    assert [q.returned for q in asked] == ["result"] * 4
    assert timer.notes()["host-time-leaked"] == 0
    assert machine.waits == 2, "one wait for all, and one for nothing to compare it with"


def test_a_device_that_has_a_span_to_begin_yet_is_not_made_to_wait_besides(machine: Machine, timer: Events) -> None:
    for _ in range(4):
        timer.queue([taking(machine, 300_000)])
    timer.settle()

    # Behind the first wait the device is at the first span until the host has queued the third.
    assert len(machine.slept) < 4
    assert machine.slept[0] == WAIT_LEAST_NS


def test_a_host_that_falls_behind_the_device_makes_it_wait_again_and_leaks_nothing(
    machine: Machine, timer: Events
) -> None:
    asked = []
    for _ in range(4):
        machine.host_ns += 1_000_000  # fresh inputs that take the host long
        asked.append(timer.queue([taking(machine, 10_000)]))
    timer.settle()

    assert len(machine.slept) == 4
    assert [q.sample().span_ns for q in asked] == pytest.approx([10_000] * 4, abs=5_000)
    assert timer.notes()["host-time-leaked"] == 0


def test_host_time_between_the_events_is_counted(machine: Machine, timer: Events) -> None:
    def slow() -> None:
        machine.host_ns += 10_000_000
        machine.queue(10_000)

    timer.sample([slow])

    assert timer.notes()["host-time-leaked"] == 1


def test_work_on_another_stream_is_late_and_a_wait_for_nothing_is_not(machine: Machine, timer: Events) -> None:
    timer.sample([taking(machine, 50_000)])
    still = timer.notes()["after-last-event-ns"]

    def cheat() -> None:
        machine.queue(1_000)
        machine.others_ns = machine.device_ns + 500_000

    timer.sample([cheat])

    assert still == 0
    assert timer.notes()["after-last-event-ns"] == pytest.approx(500_000, abs=60_000)


def test_a_replay_is_divided_by_its_calls_and_can_be_queued(machine: Machine, timer: Events) -> None:
    graph: Any = Graph.__new__(Graph)  # captured elsewhere
    graph.graph = SimpleNamespace(replay=taking(machine, 320_000))
    graph.returned, graph.span, graph.settle = [None] * 64, timer.span, timer.settle

    spans = [graph.queue() for _ in range(3)]
    timer.settle()

    assert [ns() for ns in spans] == pytest.approx([5_000] * 3, rel=0.02)
    assert graph.span_ns() == pytest.approx(5_000, rel=0.02)
    assert timer.notes()["resolution-ns"] == pytest.approx(500 / 64)


def test_clocks_are_read_once_in_a_while_and_told_with_every_block(
    machine: Machine, timer: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []
    state = nvml.State(throttle="power-cap", readings={"sm-clock-mhz": 1980.0})
    monkeypatch.setattr(nvml, "read", lambda uuid: reads.append(uuid) or state)

    notes = [timer.notes() for _ in range(3)]

    assert (len(reads), notes[2]["throttle"], notes[2]["sm-clock-mhz"]) == (1, "power-cap", 1980.0)
