"""One case of one launch: prepared on every arm, timed in alternating blocks, one sample taken out and kept."""

import time
from collections.abc import Sequence

from kgate.model import BASE, GATE_THROTTLE, Arm, Event, Failure, LaunchTiming, Tensor
from kgate.protocol import (
    Arrange,
    Arranged,
    Export,
    Exported,
    Prepare,
    Ready,
    Release,
    TimeBlock,
    Times,
    WarmUp,
)
from kgate.runner import rungs
from kgate.runner.choice import Choice, chosen, exportable, ladder
from kgate.runner.doubts import busy_ns, disturbance, doubt, impossible
from kgate.runner.notes import merged
from kgate.runner.printable import one_line
from kgate.runner.schedule import Course, course, kept, orders, seeds
from kgate.runner.seat import Lost
from kgate.runner.shelf import Refused
from kgate.runner.table import Table


class Trial:
    """`arms` shrinks: an arm that fails is out for the rest of the case, and has no times in the end."""

    def __init__(self, table: Table, case: str, arms: Sequence[Arm]) -> None:
        self.table = table
        self.case = case
        self.schedule = table.schedule.of(case)
        self.arms = list(arms)
        self.ready: dict[Arm, Ready] = {}
        self.blocks: dict[Arm, list[Times]] = {arm: [] for arm in arms}
        self.wall_ns: dict[Arm, int] = dict.fromkeys(arms, 0)
        self.exported: dict[str, tuple[int, tuple[Tensor, ...]]] = {}
        self.notes: dict[str, str | int | float] = {}
        self.choice = Choice(method=table.schedule.method)
        self.throttle: set[str] = set()
        self.void = ""  # why these times are no times, though nobody has failed

    def run(self) -> None:
        self.prepare()
        self.choose()
        if not self.arms:
            return
        if self.void:
            self.release()
            return
        plan = course(self.schedule, self.ready[self.first()].estimate_ns, len(self.arms), self.choice.calls)
        self.notes["batch"] = plan.batch
        self.time_blocks(plan)
        self.compare_methods()
        self.doubt_all()
        self.release()

    def time_blocks(self, plan: Course) -> None:
        drawn = seeds(plan, self.table.draw)
        checked = self.table.draw.randrange(plan.blocks)
        for index, order in enumerate(orders([a.name for a in self.arms], plan.blocks, self.table.order)):
            for arm in sorted(self.arms, key=lambda a: order.index(a.name), reverse=self.table.mirrored):
                self.time_block(arm, drawn[index], plan)
            if index == checked and self.case not in self.schedule.aside:
                self.export(drawn[index])

    def release(self) -> None:
        done = Release(case=self.case)
        for arm in self.arms:
            self.table.tell(arm, done)
        for arm in list(self.arms):
            if self.table.ask(arm, self.case, done) is None:
                self.arms.remove(arm)
            else:
                self.table.done.add((arm.name, self.case))
                self.tell(arm)

    def first(self) -> Arm:
        """Whose estimate counts: base's where it is there, since a slower head must not get fewer samples for it."""
        return BASE if BASE in self.arms else self.arms[0]

    def prepare(self) -> None:
        """All arms at once, since loading a kernel and drawing inputs take longer than timing; then each by itself."""
        self.prepare_these(self.arms)

    def prepare_these(self, arms: Sequence[Arm]) -> None:
        first = Prepare(case=self.case, warmups=1)
        for arm in arms:
            self.table.tell(arm, first)
        alive = [arm for arm in arms if isinstance(self.table.ask(arm, self.case, first), Ready)]
        self.arms = [arm for arm in self.arms if arm in alive or arm not in arms]
        for arm in alive:
            answer = self.table.ask(arm, self.case, WarmUp(case=self.case, calls=self.table.schedule.warmups))
            if not isinstance(answer, Ready):
                self.arms.remove(arm)
            elif answer.estimate_ns < 0 or answer.output_bytes < 0:
                self.drop(arm, "gave a negative estimate")
            else:
                self.ready[arm] = answer

    def choose(self) -> None:
        """
        The method for all arms: what an earlier launch used, or else the first that all of them can be timed by. Where
        an arm cannot be timed as earlier, this launch has no times: the method is never changed on the way.
        """
        if not self.arms:
            return
        schedule = self.table.schedule
        earlier = schedule.choices.get(self.case)
        wanted = earlier or chosen(schedule.method, self.ready[self.first()], schedule.room_bytes, self.stateful())
        reasons: list[str] = []
        for self.choice in ladder(wanted, schedule.method) if wanted.rotated else ():
            problems = self.arrange()
            if not problems or not self.arms:
                break
            arm, why = next(iter(problems.items()))
            if earlier:
                self.annul(arm, f"not by {self.choice.method}, as in an earlier launch: {why}")
                return
            reasons.append(f"not by {self.choice.method}, for {arm.name}: {why}")
        if reasons:
            self.notes["timer"] = "; ".join(reasons)

    def stateful(self) -> bool:
        jobs = [self.table.jobs[arm][self.case] for arm in self.arms]
        return any(job.setup or job.reset for job in jobs)

    def arrange(self) -> dict[Arm, str]:
        """
        All arms at once; of those that cannot, why. Such an arm goes on in a new process: a capture that has failed may
        leave anything behind.
        """
        asked = Arrange(case=self.case, method=self.choice.method, calls=self.choice.calls)
        for arm in self.arms:
            self.table.tell(arm, asked)
        problems = {}
        for arm in self.arms:
            try:
                answer = self.table.attempt(arm, asked, self.table.jobs[arm][self.case].timeout_s)
            except Lost as lost:
                problems[arm] = lost.failure.text
            else:
                if isinstance(answer, Arranged) and answer.problem:
                    problems[arm] = one_line(answer.problem)
        anew = [arm for arm in problems if self.table.sits_anew(arm)]
        self.arms = [arm for arm in self.arms if arm not in problems or arm in anew]
        self.prepare_these(anew)
        return problems

    def time_block(self, arm: Arm, block: tuple[int, ...], plan: Course) -> None:
        request = TimeBlock(case=self.case, seeds=block, batch=plan.batch, keep_bytes=self.schedule.keep_bytes)
        sent = time.monotonic_ns()
        answer = self.table.ask(arm, self.case, request)
        wall_ns = time.monotonic_ns() - sent
        if not isinstance(answer, Times):
            self.arms.remove(arm)
        elif problem := doubt(answer, request, wall_ns):
            self.drop(arm, problem)
        else:
            self.blocks[arm].append(answer)
            self.wall_ns[arm] += wall_ns
            self.table.busy_s += busy_ns(answer, plan.batch) / 1e9
            if (reasons := self.table.throttle()) is not None:
                self.throttle |= set(filter(None, reasons.split(",")))
                self.notes[GATE_THROTTLE] = ",".join(sorted(self.throttle))

    def compare_methods(self) -> None:
        """Times by two clocks are never compared, neither between arms nor within one."""
        for arm in list(self.arms):
            used = self.choice.method or self.blocks[self.first()][0].method
            if others := {b.method for b in self.blocks[arm]} - {used}:
                self.drop(arm, f"timed by {min(others)[:40]!r} where {used[:40]!r} is in use")

    def doubt_all(self) -> None:
        """A launch that measured something else than the call is no launch of this case, for any of its arms."""
        for arm in self.arms:
            blocks = self.blocks[arm]
            if why := disturbance(blocks) or impossible(blocks, self.table.schedule.floors.get(self.case)):
                self.annul(arm, why)

    def annul(self, arm: Arm, why: str) -> None:
        if not self.void:
            self.void = f"{arm.name}: {why}"
            text = f"{self.case}: not timed in launch {self.table.launch}: {self.void}"
            self.table.emit(Event(name="note", fields={"arm": arm.name, "text": text}))

    def export(self, block: tuple[int, ...]) -> None:
        """One sample of this block from every arm, named only now, so that none could be treated apart."""
        seed = self.checked(block)
        if seed is not None:
            self.export_from(list(self.arms), seed)

    def checked(self, block: Sequence[int]) -> int | None:
        """Which sample of this block is exported; None where a launch keeps no more."""
        table = self.table
        largest = max((self.ready[a].output_bytes for a in self.arms), default=0)
        choice = exportable(kept(block, largest, table.schedule.keep_bytes), block, self.choice)
        size = sum(self.ready[a].output_bytes for a in self.arms)
        if not choice or size > table.export_left_bytes:
            self.notes["export"] = f"left out: {size} bytes, more than a launch keeps"
            return None
        table.export_left_bytes -= size
        return table.draw.choice(choice)

    def export_from(self, arms: Sequence[Arm], seed: int) -> None:
        request = Export(case=self.case, seed=seed, prefix=f"sample-{seed}")
        for arm in arms:
            self.table.tell(arm, request)
        for arm in arms:
            answer = self.table.ask(arm, self.case, request)
            if isinstance(answer, Exported):
                self.keep(arm, seed, answer)
            else:
                self.arms.remove(arm)

    def keep(self, arm: Arm, seed: int, answer: Exported) -> None:
        table = self.table
        if [(o.case, o.index) for o in answer.outputs] != [(self.case, i) for i in range(len(answer.outputs))]:
            return self.drop(arm, "exported outputs out of order")
        try:
            folder = table.workplace.outputs(arm, f"{self.case}#{table.launch}")
            self.exported[arm.name] = (seed, table.seats[arm].shelf.take(answer.outputs, folder))
        except Refused as error:
            self.drop(arm, str(error))
        return None

    def drop(self, arm: Arm, text: str) -> None:
        self.arms.remove(arm)
        self.table.fail(arm, self.case, Failure(rung="latency", reason="bad-reply", text=text))

    def tell(self, arm: Arm) -> None:
        self.table.emit(rungs.climbed(self.case, arm, "latency", self.wall_ns[arm]))

    def timing(self) -> LaunchTiming | None:
        """Of the arms that got through; None if none did, or if the times are void."""
        if not self.arms or self.void:
            return None
        times = {arm.name: self.blocks[arm] for arm in self.arms}
        return LaunchTiming(
            launch=self.table.launch,
            samples_ns={name: tuple(ns for b in blocks for ns in b.samples_ns) for name, blocks in times.items()},
            call_ns={name: tuple(ns for b in blocks for ns in b.call_ns) for name, blocks in times.items()},
            method=self.blocks[self.arms[0]][0].method,
            notes={**self.notes, **merged(times)},
        )
