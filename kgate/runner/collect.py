"""
The strict reader: the lines of replies.jsonl become outcomes, or the one sentence that says what was wrong with them.

Reading a line does no more than look at it; only `Tail` and the shelf touch files. A process that has broken the
protocol once is not read on: the caller ends it, and gives what is left of its cases to another.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kgate.model import CompiledKernel, Failure, Measurement, Outcome, Tensor
from kgate.protocol import (
    LINE_LIMIT,
    MOMENTS,
    RUNGS,
    VERSION,
    Artifact,
    Begin,
    Bye,
    End,
    Facts,
    Failed,
    Hello,
    Output,
    Reply,
    Rung,
    RungDone,
    decode,
)
from kgate.runner.artifacts import compiled_of
from kgate.runner.artifacts import misshapen as misshapen_artifact
from kgate.runner.facts import misshapen
from kgate.runner.plain import NotPlain, opened
from kgate.runner.printable import one_line, printable
from kgate.runner.shelf import Refused
from kgate.wire import ProtocolError

SAID_BY_GATE = ("hung", "died", "exited", "bad-reply")
KINDS_LIMIT = 16  # classes of an exception
DETAIL_LIMIT = 16_000  # characters; a report is no place for a megabyte of traceback
Take = Callable[[str, Sequence[Output]], tuple[Tensor, ...]]  # raises Refused
Keep = Callable[[str, Sequence[Artifact]], tuple[CompiledKernel, ...]]  # raises Refused


def without_files(case: str, artifacts: Sequence[Artifact]) -> tuple[CompiledKernel, ...]:
    """Of a process that was not asked for files of what it compiles."""
    if any(artifact.files for artifact in artifacts):
        raise Refused("promised files of compiled kernels, for which nobody asked")
    return tuple(compiled_of(artifact, {}) for artifact in artifacts)


class BadReply(Exception):
    """The text is the end of a sentence about the process; `case` is the one to blame, "" where none had begun."""

    def __init__(self, case: str, text: str) -> None:
        super().__init__(text)
        self.case = case


@dataclass(kw_only=True)
class Draft:
    """What has been said so far of the case that is open."""

    case: str
    rungs_ns: dict[str, int] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    artifacts: list[Artifact] = field(default_factory=list)
    outputs: dict[str, list[Output]] = field(default_factory=dict)  # by moment; "" is the call that counts

    def of_moment(self, moment: str) -> list[Output]:
        if moment not in ("", *MOMENTS):
            raise BadReply(self.case, f"answered at a moment that is none: {one_line(moment)[:40]!r}")
        return self.outputs.setdefault(moment, [])


class Transcript:
    """
    What one process has said. `waiting` are the cases not begun, in the order in which they must come.

    `outcomes` only ever holds finished cases. A second answer to one of them makes it a failure, since nobody can
    tell which of the two was the kernel's own writing.
    """

    def __init__(
        self, cases: Sequence[str], take: Take, keep: Keep = without_files, *, compiling: bool = False
    ) -> None:
        self.waiting = list(cases)
        self.total = len(self.waiting)
        self.take = take
        self.keep = keep
        self.compiling = compiling  # and nothing else
        self.draft: Draft | None = None
        self.outcomes: dict[str, Outcome] = {}
        self.greeted = False
        self.finished = False

    @property
    def current(self) -> str:
        """The case that is open, else the one that comes next: who is to blame if the process stops here."""
        if self.draft is not None:
            return self.draft.case
        return self.waiting[0] if self.waiting and self.begun else ""

    @property
    def begun(self) -> bool:
        return self.draft is not None or len(self.waiting) < self.total

    @property
    def rung(self) -> Rung:
        """
        The rung that the open case stands on: the one above the highest that it has passed. Compiling is a part of the
        first call, and is told apart from it when both are over; until then the case is said to run.
        """
        passed = [RUNGS.index(r) for r in RUNGS if self.draft is not None and r in self.draft.rungs_ns]
        rung = RUNGS[min(max(passed, default=-1) + 1, len(RUNGS) - 1)]
        return "run" if rung == "compile" and not self.compiling else rung

    def read(self, line: bytes) -> Reply:
        """The reply of one line, once it is known to be in its place. Raises BadReply."""
        try:
            reply = decode(line)
        except ProtocolError as error:
            raise BadReply(self.current, f"wrote a line that is no reply: {one_line(str(error))}") from error
        if self.finished:
            raise self.refusal("wrote on after its last reply")
        if not self.greeted:
            self.greet(reply)
        else:
            self.follow(reply)
        return reply  # type: ignore[no-any-return]

    def greet(self, reply: object) -> None:
        if not isinstance(reply, Hello):
            raise self.refusal(f"began with {type(reply).__name__} instead of Hello")
        if reply.version != VERSION:
            raise self.refusal(f"speaks version {reply.version} of the protocol, not {VERSION}")
        self.greeted = True

    def follow(self, reply: object) -> None:
        match reply:
            case Begin(case=case):
                self.begin(case)
            case RungDone(rung=rung, ns=ns) if rung not in self.of(reply).rungs_ns and ns >= 0:
                self.of(reply).rungs_ns[rung] = ns
            case Facts(facts=facts) if not self.of(reply).artifacts:
                self.note(self.of(reply), facts)
            case Artifact(index=index) if index == len(self.of(reply).artifacts) and not self.of(reply).outputs:
                self.compiled(self.of(reply), reply)
            case Output(index=index, moment=moment) if index == len(self.of(reply).of_moment(moment)):
                self.of(reply).of_moment(moment).append(reply)
            case Failed(reason=reason) if reason not in SAID_BY_GATE:
                self.close(
                    self.of(reply), replace(failure_of(reply), files=self.of(reply).facts.get("loaded-files", {}))
                )
            case End():
                self.close(self.of(reply), self.measured(self.of(reply)))
            case Bye(cases=cases) if self.draft is None and not self.waiting and cases == self.total:
                self.finished = True
            case _:
                raise self.refusal(f"wrote a reply out of its place: {type(reply).__name__}")

    def begin(self, case: str) -> None:
        if case in self.outcomes:
            raise self.twice(case)
        if self.draft is not None or not self.waiting or case != self.waiting[0]:
            raise self.refusal(f"began {case[:80]!r} out of turn")
        self.waiting.pop(0)
        self.draft = Draft(case=case)

    def of(self, reply: Any) -> Draft:
        """The draft that this reply belongs to: the open case's."""
        if self.draft is None or reply.case != self.draft.case:
            if reply.case in self.outcomes:
                raise self.twice(reply.case)
            raise self.refusal(f"wrote {type(reply).__name__} for {reply.case[:80]!r}, which is not open")
        return self.draft

    def note(self, draft: Draft, facts: Mapping[str, Any]) -> None:
        if problem := misshapen(facts):
            raise self.refusal(printable(problem))
        draft.facts.update(printable(facts))

    def compiled(self, draft: Draft, artifact: Artifact) -> None:
        if problem := misshapen_artifact(artifact):
            raise self.refusal(problem)
        draft.artifacts.append(artifact)

    def close(self, draft: Draft, outcome: Outcome) -> None:
        self.outcomes[draft.case] = outcome
        self.draft = None

    def measured(self, draft: Draft) -> Measurement:
        try:
            tensors = self.take(draft.case, draft.outputs.pop("", []))
            # Their folders are named as other cases' are: none is called so.
            later = {moment: self.take(f"{draft.case}#{moment}", outputs) for moment, outputs in draft.outputs.items()}
            compiled = self.keep(draft.case, draft.artifacts)
        except Refused as error:
            raise self.refusal(str(error)) from error
        return Measurement(outputs=tensors, facts=draft.facts, rungs_ns=draft.rungs_ns, compiled=compiled, later=later)

    def refusal(self, text: str) -> BadReply:
        return BadReply(self.current, text)

    def twice(self, case: str) -> BadReply:
        return BadReply(case, "answered the case a second time")


def failure_of(reply: Failed) -> Failure:
    return Failure(
        rung=reply.rung,
        reason=reply.reason,
        text=one_line(reply.text),
        detail=printable(reply.detail[-DETAIL_LIMIT:]),
        kinds=tuple(one_line(kind) for kind in reply.kinds[:KINDS_LIMIT]),
    )


class Tail:
    """The whole lines of a file that a process is still writing, each once. A line half written is kept for later."""

    def __init__(self, path: Path, limit_bytes: int) -> None:
        self.path = path
        self.limit_bytes = limit_bytes
        self.offset = 0
        self.rest = b""

    def lines(self) -> Iterator[bytes]:
        """What has come since the last call. Raises Refused if the file is no plain file, or too long."""
        try:
            with opened(self.path) as file:
                self.check(os.fstat(file.fileno()).st_size)
                file.seek(self.offset)
                while chunk := file.read(1 << 16):
                    self.offset += len(chunk)
                    *whole, self.rest = (self.rest + chunk).split(b"\n")
                    yield from self.checked(whole)
        except FileNotFoundError:
            return
        except NotPlain as error:
            raise Refused(f"put something in the place of its replies that is no plain file ({error})") from error

    def check(self, size_bytes: int) -> None:
        if size_bytes < self.offset:
            raise Refused("took back what it had replied")
        if size_bytes > self.limit_bytes:
            raise Refused(f"wrote more than {self.limit_bytes >> 20} MiB of replies")

    def checked(self, whole: Sequence[bytes]) -> Iterator[bytes]:
        for line in whole:
            if len(line) >= LINE_LIMIT:
                raise Refused(f"wrote a line of {len(line)} bytes, more than {LINE_LIMIT}")
            yield line
        if len(self.rest) >= LINE_LIMIT:
            raise Refused(f"wrote a line of more than {LINE_LIMIT} bytes")
