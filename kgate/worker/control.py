"""The control directory as the worker sees it: one job in, replies out, a line each."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from kgate.protocol import JOB, OUT, REPLIES, TABLES, VERSION, Hello, Job, Reply, Rung, RungDone, decode_job, encode


@dataclass(frozen=True, kw_only=True)
class Control:
    folder: Path
    job: Job
    replies: BinaryIO

    @property
    def out(self) -> Path:
        return self.folder / OUT

    @property
    def tables(self) -> Path:
        return self.folder / TABLES

    def say(self, reply: Reply) -> None:
        # Flushed by the line: what was said before a crash stays said.
        self.replies.write(encode(reply))
        self.replies.flush()

    def climbed(self, case: str, rung: Rung, ns: int) -> None:
        self.say(RungDone(case=case, rung=rung, ns=ns))


def opened(folder: Path) -> Control:
    """Read the job and say Hello. Raises ProtocolError for a job that is not of this protocol."""
    job = decode_job((folder / JOB).read_bytes())
    control = Control(folder=folder, job=job, replies=(folder / REPLIES).open("ab"))
    control.out.mkdir(exist_ok=True)
    control.say(Hello(pid=os.getpid(), version=VERSION))
    return control
