"""
Phase A: one arm answers its cases, one process at a time.

A process that dies, hangs or breaks the protocol loses the case it was at; the rest go on in a new one. One that dies
may have been spoiled by an earlier case, so the case it was at is tried once more, alone; and a failure that it reports
behind other cases is believed if it comes again in a process where nothing has failed before.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from kgate.model import Arm, CompiledKernel, Event, Failure, Measurement, Outcome, Tensor
from kgate.protocol import SPOILED, Artifact, CaseJob, Failed, Job, Output, Reason, Reply, RungDone
from kgate.runner import rungs
from kgate.runner.collect import SAID_BY_GATE, BadReply, Tail, Transcript, without_files
from kgate.runner.control import Control, create, discard
from kgate.runner.errand import ANSWERS, Errand
from kgate.runner.limits import Guard, Limits, overdue
from kgate.runner.place import Workplace
from kgate.runner.process import FORK_IS_TO_BLAME, Child, Start, end, epitaph, fresh, log_tail, not_started
from kgate.runner.shelf import Refused, Shelf, changed

TICK_S = 0.01
LOST_BEFORE = "an earlier process was lost at this case"
Emit = Callable[[Event], None]
Done = Callable[[str, Outcome], None]


def run_outputs(
    workplace: Workplace,
    arm: Arm,
    jobs: Sequence[CaseJob],
    env: Mapping[str, str],
    emit: Emit,
    done: Done = lambda case, outcome: None,
    *,
    start: Start = fresh,
    limits: Limits | None = None,
    errand: Errand = ANSWERS,
) -> Mapping[str, Outcome]:
    """
    Every job's outcome, by case, in the order given; `env` is set in the worker before anything of the user's.

    `done` hears of each outcome at once, so that a killed gate loses no finished case. It may hear of a case again,
    and then the later one counts: a process can spoil an answer that it has given.
    """
    desk = Desk(workplace=workplace, arm=arm, env=env, emit=emit, done=done, limits=limits or Limits(), errand=errand)
    desk.entries.update((j.case, j.entry) for j in jobs)
    desk.brief.update(j.case for j in jobs if j.brief_s)
    barren = 0
    while rest := [j for j in jobs if j.case not in desk.outcomes]:
        batch = desk.batch(rest)
        stop = desk.sitting(batch, start)
        barren = barren + 1 if stop is not None and batch[0].case not in desk.outcomes else 0
        # Once may be chance; an arm whose processes twice reach no case will reach none.
        if stop is not None and barren == 2:
            for job in rest:
                desk.file(job.case, stop.failure)
    return {j.case: desk.outcomes[j.case] for j in jobs}


@dataclass(frozen=True, kw_only=True)
class Stop:
    """Why a process came to no good end. `case` is the one it was at; "" if it had not begun any."""

    case: str
    failure: Failure


class Desk:
    """One arm's outcomes so far, and what is needed to get more."""

    def __init__(
        self,
        *,
        workplace: Workplace,
        arm: Arm,
        env: Mapping[str, str],
        emit: Emit,
        done: Done,
        limits: Limits,
        errand: Errand,
    ) -> None:
        self.workplace = workplace
        self.arm = arm
        self.env = env
        self.emit = emit
        self.done = done
        self.limits = limits
        self.errand = errand
        self.entries: dict[str, str] = {}  # by case, what is called
        self.brief: set[str] = set()  # cases of which nothing is told on the way, and which get no second try
        self.outcomes: dict[str, Outcome] = {}
        self.suspects: set[str] = set()  # cases at which a process was lost that had answered others
        self.again: dict[str, Failure] = {}  # of cases that failed behind others in their process: given a second try

    def batch(self, rest: Sequence[CaseJob]) -> Sequence[CaseJob]:
        """The next process's: a suspect alone, else what has not been tried, else second tries, last to first."""
        alone = [j for j in rest if j.case in self.suspects][:1]
        untried = [j for j in rest if j.case not in self.again]
        return alone or untried or rest[::-1]

    def sitting(self, jobs: Sequence[CaseJob], start: Start) -> Stop | None:
        """One process on these jobs, to its end; None if it ended well."""
        job = Job(
            mode=self.errand.mode,
            arm=self.arm.name,
            tree=str(self.workplace.trees[self.arm.tree].absolute()),
            device=self.workplace.device,
            cases=tuple(jobs),
            env=dict(self.env),
            arch=self.errand.arch,
            condition=self.errand.condition,
            artifacts=self.errand.artifacts,
        )
        control = create(self.workplace, self.arm, job)
        try:
            child = start(self.workplace, self.arm, control.path)
        except OSError as error:
            discard(self.workplace, control)
            return Stop(case="", failure=not_started(self.workplace.python[self.arm.tree], error))
        reading = Reading(self, control, child, job)
        try:
            stop = reading.until_ended()
        finally:
            end(child)
        if stop is not None:
            stop = self.settle(stop, child, reading.transcript)
        self.check_kept(reading.transcript)
        discard(self.workplace, control)
        return stop

    def settle(self, stop: Stop, child: Child, transcript: Transcript) -> Stop | None:
        """
        File the blame, unless it may be another's: of the fork, where nothing had been answered, or of an earlier case,
        where something had and it did not hang. Then a process of its own tries again.
        """
        if stop.case in self.suspects:
            self.file(stop.case, stop.failure)
            return stop
        if not transcript.outcomes and (note := child.doubted(stop.failure.text)):
            self.emit(Event(name="note", fields={"arm": self.arm.name, "text": note}))
            return None
        # A later case, too, may have taken away what an earlier one had written, before it was fetched.
        others = transcript.outcomes or (stop.failure.reason == "bad-reply" and transcript.total > 1)
        if stop.failure.reason != "hung" and stop.case and others and stop.case not in transcript.outcomes:
            self.suspects.add(stop.case)
        elif stop.case:
            self.file(stop.case, stop.failure)
        return stop

    def check_kept(self, transcript: Transcript) -> None:
        for case in transcript.outcomes:
            kept = self.outcomes.get(case)
            if isinstance(kept, Measurement) and (problem := changed(kept.all_outputs)):
                self.file(case, Failure(rung="run", reason="bad-reply", text=problem))

    def file(self, case: str, outcome: Outcome) -> None:
        if case in self.suspects and isinstance(outcome, Measurement):
            note = "; ".join(filter(None, (str(outcome.facts.get("note", "")), LOST_BEFORE)))
            outcome = replace(outcome, facts={**outcome.facts, "note": note})
        self.outcomes[case] = outcome
        self.done(case, outcome)
        if case in self.brief:
            self.spare(case, outcome)
            return
        if isinstance(outcome, Failure):
            self.emit(rungs.failed(case, self.arm, outcome, self.entries[case], self.workplace.manifest))
        ok = isinstance(outcome, Measurement)
        self.emit(Event(name="case-ended", fields={"case": case, "arm": self.arm.name, "ok": ok}))

    def spare(self, case: str, outcome: Outcome) -> None:
        """A brief case that takes its process down is enough: others of its function may do so too, one by one."""
        if isinstance(outcome, Failure) and outcome.reason in SAID_BY_GATE:
            left = Failure(rung="run", reason="unavailable", text=f"left out: {self.entries[case]} died at {case}")
            for other in self.brief - self.outcomes.keys():
                if self.entries[other] == self.entries[case]:
                    self.outcomes[other] = left
                    self.done(other, left)


class Reading:
    """One process being read: its transcript, its deadline, its limits."""

    def __init__(self, desk: Desk, control: Control, child: Child, job: Job) -> None:
        self.desk = desk
        self.child = child
        self.timeouts_s = {c.case: c.timeout_s for c in job.cases}
        self.cases = {c.case for c in job.cases}
        self.held: set[str] = set()  # failures of this process that are not believed yet
        self.over = False  # nothing more is wanted of this process
        self.guard = Guard(child, desk.limits, (control.path, desk.workplace.caches(desk.arm)))
        self.tail = Tail(control.replies, desk.limits.replies_bytes)
        shelf = Shelf(control.out, job.output_limit_bytes)

        def take(case: str, outputs: Sequence[Output]) -> tuple[Tensor, ...]:
            return shelf.take(outputs, desk.workplace.outputs(desk.arm, case))

        def keep(case: str, artifacts: Sequence[Artifact]) -> tuple[CompiledKernel, ...]:
            return shelf.keep(artifacts, desk.workplace.compiled(desk.arm, case))

        names = [c.case for c in job.cases]
        kept = keep if job.artifacts else without_files
        self.transcript = Transcript(names, take, kept, compiling=job.mode == "compile")
        self.deadline = time.monotonic() + desk.limits.startup_s
        self.allowed_s = desk.limits.startup_s

    def until_ended(self) -> Stop | None:
        while True:
            status = self.child.status()  # before reading: what a process wrote at its end must not be missed
            if (stop := self.read()) is not None:
                return stop
            if self.over:
                return None
            if self.transcript.finished:
                self.let_end()
                return None
            if status == SPOILED and self.outcomes and self.transcript.draft is None:
                return None
            if status is not None:
                return self.stop(*epitaph(status))
            if (broken := self.guard.broken()) is not None:
                return self.stop(*broken)
            if time.monotonic() > self.deadline:
                return self.stop("hung", overdue("gave no answer", self.allowed_s, of_case=bool(self.transcript.draft)))
            time.sleep(TICK_S)

    def read(self) -> Stop | None:
        try:
            for line in self.tail.lines():
                stop = self.follow(self.transcript.read(line))
                if stop is not None or self.over:
                    return stop
        except Refused as error:
            return self.stop("bad-reply", str(error))
        except BadReply as error:
            return self.stop("bad-reply", str(error), error.case)
        return None

    def follow(self, reply: Reply) -> Stop | None:
        """Tell of a reply that has been found in its place, and move the deadline: each case has its own."""
        desk = self.desk
        if isinstance(reply, RungDone) and reply.case in desk.brief:
            return None
        if isinstance(reply, RungDone):
            desk.emit(rungs.climbed(reply.case, desk.arm, reply.rung, reply.ns))
            return None
        if isinstance(reply, Failed) and FORK_IS_TO_BLAME in reply.text + reply.detail and len(self.outcomes) == 1:
            failure = self.outcomes.pop(reply.case)
            assert isinstance(failure, Failure)
            return Stop(case=reply.case, failure=failure)
        for case in self.outcomes.keys() - desk.outcomes.keys() - self.held:
            self.take_in(case, self.outcomes[case])
        current = self.transcript.draft
        self.allowed_s = desk.limits.startup_s if current is None else self.timeouts_s[current.case]
        if type(reply).__name__ in ("Begin", "End", "Failed"):
            self.deadline = time.monotonic() + self.allowed_s
        return None

    def take_in(self, case: str, outcome: Outcome) -> None:
        """
        File it, but for a failure that may be an earlier case's doing: modules, settings and memory are shared.

        A failed second try ends its process, so that no second try has a failure before it, and speaks for its
        function's other cases that failed alike.
        """
        desk = self.desk
        if isinstance(outcome, Failure) and len(self.outcomes) > 1 and case not in (*desk.again, *desk.brief):
            self.held.add(case)
            desk.again[case] = outcome
            return
        desk.file(case, outcome)
        if isinstance(outcome, Failure) and case in desk.again:
            self.over = True
            for other in self.alike(case, outcome):
                desk.file(other, desk.again[other])

    def alike(self, case: str, failure: Failure) -> list[str]:
        desk = self.desk
        held = {c: f for c, f in desk.again.items() if c in self.cases and c not in desk.outcomes}
        same = [c for c, f in held.items() if (f.reason, f.text) == (failure.reason, failure.text)]
        return [c for c in same if desk.entries[c] == desk.entries[case]]

    @property
    def outcomes(self) -> dict[str, Outcome]:
        return self.transcript.outcomes

    def stop(self, reason: Reason, text: str, case: str | None = None) -> Stop:
        blamed = self.transcript.current if case is None else case
        if not blamed:
            text = f"{text}, before any case had begun"
        detail = log_tail(self.child.log)
        return Stop(case=blamed, failure=Failure(rung=self.transcript.rung, reason=reason, text=text, detail=detail))

    def let_end(self) -> None:
        """Every answer is there: what the process does with its last seconds is nobody's failure."""
        until = time.monotonic() + self.desk.limits.ending_s
        while self.child.status() is None and time.monotonic() < until:
            time.sleep(TICK_S)
