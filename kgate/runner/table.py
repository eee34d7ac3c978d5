"""The processes of one launch around one table: who sits there, who is asked, who has left."""

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from kgate.model import Arm, Event, Failure
from kgate.protocol import Answer, CaseJob, Failed, Prepare, Request
from kgate.runner import rungs
from kgate.runner.collect import failure_of
from kgate.runner.limits import Limits
from kgate.runner.place import Workplace
from kgate.runner.process import FORK_IS_TO_BLAME, Start, not_started
from kgate.runner.schedule import Schedule
from kgate.runner.seat import Lost, Seat

TICK_S = 0.02
TRIES = 2  # to start an arm; once may be chance
Key = tuple[str, str]  # arm's name, case
Throttle = Callable[[], str | None]  # why the device's clocks are low, joined by commas; None where that is not told


def unread() -> None:
    """Of a device that is asked for no such thing, or that nobody but its workers can ask."""


class Table:
    """The seats of one launch, and what has failed on them."""

    def __init__(
        self,
        workplace: Workplace,
        arms: Mapping[Arm, Sequence[CaseJob]],
        launch: int,
        schedule: Schedule,
        emit: Callable[[Event], None],
        start: Start,
        limits: Limits,
        throttle: Throttle = unread,
    ) -> None:
        self.workplace = workplace
        self.jobs = {arm: {job.case: job for job in jobs} for arm, jobs in arms.items()}
        self.launch = launch
        self.schedule = schedule
        self.emit = emit
        self.start = start
        self.limits = limits
        self.throttle = throttle
        self.draw = random.Random(f"{schedule.seed}/{launch}")
        self.mirrored = schedule.mirrors is not None
        self.order = random.Random(f"{schedule.seed}/{launch if schedule.mirrors is None else schedule.mirrors}/order")
        self.export_left_bytes = schedule.export_limit_bytes
        self.seats: dict[Arm, Seat] = {}
        self.failures: dict[Key, Failure] = {}
        self.done: set[Key] = set()  # timed to the end; what happens to the arm later does not touch it
        self.start_s: dict[str, float] = {}
        self.spent_s: dict[str, float] = {}  # what was waited for, by what was asked for
        self.busy_s = 0.0  # device work of the timed samples

    @contextmanager
    def waited_for(self, name: str) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            self.spent_s[name] = self.spent_s.get(name, 0.0) + time.monotonic() - began

    def seat(self, arms: list[Arm]) -> None:
        """Start these arms, in an order drawn at random, and wait until each is there or has failed twice."""
        failed: dict[Arm, Failure] = {}
        for _ in range(TRIES):
            self.order.shuffle(arms)
            if self.mirrored:
                arms.reverse()
            with self.waited_for("Start"):
                failed = self.try_to_seat(arms)
            arms = list(failed)
        for arm, failure in failed.items():
            for case in self.left(arm):
                self.file(arm, case, failure)

    def left(self, arm: Arm) -> list[str]:
        """The cases that the arm has still to answer."""
        closed = self.failures.keys() | self.done
        return [case for case in self.jobs[arm] if (arm.name, case) not in closed]

    def try_to_seat(self, arms: Sequence[Arm]) -> dict[Arm, Failure]:
        failed = {}
        for arm in arms:
            left = [self.jobs[arm][case] for case in self.left(arm)]
            try:
                self.seats[arm] = Seat(
                    self.workplace, arm, left, self.limits, self.start, self.schedule.export_limit_bytes
                )
            except OSError as error:
                failed[arm] = not_started(self.workplace.python[arm.tree], error)
        waiting = [arm for arm in arms if arm not in failed]
        while waiting:
            for arm in list(waiting):
                try:
                    if self.seats[arm].arrived():
                        waiting.remove(arm)
                except Lost as lost:
                    waiting.remove(arm)
                    self.doubted(self.leave(arm), arm, lost.failure)
                    failed[arm] = lost.failure
            time.sleep(TICK_S)
        return failed

    def leave(self, arm: Arm) -> Seat:
        seat = self.seats.pop(arm)
        seat.close()
        return seat

    def ready_for(self, case: str) -> list[Arm]:
        """The arms that have this case, with a process each; one that was lost earlier is started anew."""
        arms = [arm for arm, jobs in self.jobs.items() if case in jobs]
        missing = [a for a in arms if a not in self.seats and (a.name, case) not in self.failures]
        if missing:
            self.seat(missing)
        return [arm for arm in arms if arm in self.seats]

    def tell(self, arm: Arm, request: Request) -> None:
        """Have an arm begin with what it will be asked next, while others do the same."""
        self.seats[arm].tell(request)

    def ask(self, arm: Arm, case: str, request: Request) -> Answer | None:
        """None if the arm has failed the case; why is filed then."""
        seat = self.seats[arm]
        first = seat.answers == 0 and isinstance(request, Prepare)
        try:
            # The first request is also the one that imports torch, where no zygote has done it.
            with self.waited_for(type(request).__name__):
                answer = seat.ask(request, self.jobs[arm][case].timeout_s + (self.limits.startup_s if first else 0))
        except Lost as lost:
            failure, blamed = lost.failure, first
        else:
            if not isinstance(answer, Failed):
                self.start_s[arm.name] = seat.start_s
                return answer
            failure, blamed = failure_of(answer), first and FORK_IS_TO_BLAME in answer.text + answer.detail
        if blamed and self.doubted(seat, arm, failure):
            return self.ask_anew(arm, case, request)
        if seat.answers > 1 and isinstance(request, Prepare):
            # An earlier case may have spoiled the process; another would be needed for the next case anyway.
            return self.ask_anew(arm, case, request)
        self.fail(arm, case, failure)
        return None

    def doubted(self, seat: Seat, arm: Arm, failure: Failure) -> bool:
        """Whether the process was forked from a zygote, so that a plain one is worth a try."""
        note = seat.child.doubted(failure.text)
        if note:
            self.emit(Event(name="note", fields={"arm": arm.name, "text": note}))
        return bool(note)

    def attempt(self, arm: Arm, request: Request, timeout_s: float) -> Answer:
        """Ask for what may fail, or end the process, without being any fault of the case. Raises Lost."""
        with self.waited_for(type(request).__name__):
            answer = self.seats[arm].ask(request, timeout_s)
        if isinstance(answer, Failed):
            raise Lost(failure_of(answer))
        return answer

    def ask_anew(self, arm: Arm, case: str, request: Request) -> Answer | None:
        return self.ask(arm, case, request) if self.sits_anew(arm) else None

    def sits_anew(self, arm: Arm) -> bool:
        """Whether it got a new process in place of the one it has."""
        self.leave(arm)
        self.seat([arm])
        return arm in self.seats

    def fail(self, arm: Arm, case: str, failure: Failure) -> None:
        """The arm is out for this case, and its process for good: device and memory may not be what they were."""
        self.leave(arm)
        self.file(arm, case, failure)

    def file(self, arm: Arm, case: str, failure: Failure) -> None:
        self.failures[arm.name, case] = failure
        self.emit(rungs.failed(case, arm, failure, self.jobs[arm][case].entry, self.workplace.manifest))

    def break_up(self) -> None:
        """The launch is over; all are asked to go before the first is waited for."""
        with self.waited_for("Quit"):
            for seat in self.seats.values():
                seat.say_quit()
            for seat in self.seats.values():
                seat.let_end()

    def clear(self) -> None:
        for arm in list(self.seats):
            self.leave(arm)
